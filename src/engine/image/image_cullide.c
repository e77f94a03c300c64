/* Engine `cullide`: a set of potentially colliding bodies, made smaller by what can be seen, then paired by boxes.
 *
 * Naga Govindaraju, Stephane Redon, Ming Lin, Dinesh Manocha, "CULLIDE: Interactive Collision Detection Between Complex
 * Models in Large Environments using Graphics Hardware", Graphics Hardware 2003. A body that is fully visible together
 * with those drawn before it, and with those after it, collides with none and leaves the set; along each of three axes,
 * with an occlusion query per body and pass.
 *
 * Two differences. The paper samples at centres of pixels, and so misses what is thinner; these images are certified
 * (image_visible.h). And the paper takes bodies in any order and looks from one side, so that a body leaves only if it
 * is in front of all others; here the first pass goes along the axis in the order of depth and the second back, so it
 * leaves if each other body is surely in front of it or surely behind it, whichever their order says. */
#include "engine/image/image_def.h"
#include "engine/image/image_grid.h"
#include "engine/image/image_visible.h"

enum
{
    MAX_TRIANGLES = 1 << 24 /* of all bodies; more do not fit into a driver's buffer, and nothing is culled */
};

typedef struct cullide
{
    carom_context *context;
    gpu_device *device; /* null: the driver was lost; the next frame opens it again */
    uint32_t side;      /* carom_engine_def.image_side */
    image_visible visible;
    image_records records;
    BASE_ARRAY(image_visible_body) bodies; /* by position in the frame */
    BASE_ARRAY(carom_aabb) boxes;          /* likewise: grown by what is to be kept clear */
    BASE_ARRAY(uint32_t) set, order;       /* positions */
    BASE_ARRAY(base_key_value) keys, scratch;
    BASE_ARRAY(uint8_t) beyond, stays;
    uint64_t bodies_before, bodies_after; /* sums over all frames */
} cullide;

static carom_status out_of_memory(const cullide *state, uint32_t count)
{
    return base_fail(state->context, CAROM_OUT_OF_MEMORY, "engine cullide: no memory for %u bodies", count);
}

/* ---- life ---- */

static carom_status open_device(cullide *state)
{
    if (!state->device)
        BASE_TRY(gpu_open(state->context, NULL, &state->device));
    BASE_TRY(gpu_begin(state->device));
    if (state->visible.device)
        return CAROM_OK;
    uint64_t draws = state->visible.draws;
    carom_status status = image_visible_create(state->context, state->device, &state->visible);
    state->visible.draws = draws;
    return status;
}

/* After a failure, what is on the device may be lost or incomplete. */
static void close_device(cullide *state)
{
    uint64_t draws = state->visible.draws;
    if (state->visible.device)
        image_visible_destroy(&state->visible); /* our memory; gpu_close frees what the driver has */
    gpu_close(state->device);
    state->device = NULL, state->visible = (image_visible){.draws = draws};
}

static void cullide_destroy(void *user)
{
    cullide *state = user;
    close_device(state);
    base_array_free(state->context, &state->records);
    base_array_free(state->context, &state->bodies);
    base_array_free(state->context, &state->boxes);
    base_array_free(state->context, &state->set);
    base_array_free(state->context, &state->order);
    base_array_free(state->context, &state->keys);
    base_array_free(state->context, &state->scratch);
    base_array_free(state->context, &state->beyond);
    base_array_free(state->context, &state->stays);
    base_release(state->context, state, 1, sizeof *state);
}

static carom_status cullide_create(carom_context *context, const carom_engine_def *def, void **out)
{
    *out = NULL;
    BASE_TRY(image_check_def(context, def));
    cullide *state = base_allocate(context, 1, sizeof *state, _Alignof(cullide));
    if (!state)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine cullide: no memory");
    *state = (cullide){.context = context, .side = def->image_side};
    carom_status status = open_device(state);
    if (!carom_failed(status))
        status = gpu_end(state->device);
    if (carom_failed(status))
        return cullide_destroy(state), status;
    *out = state;
    return CAROM_OK;
}

/* ---- triangles of bodies ---- */

static carom_status add_triangle(cullide *state, const image_grid *grid, const image_view *view,
                                 const carom_vec3 world[3])
{
    carom_vec3 corner[3];
    for (int i = 0; i < 3; i++)
        corner[i] = image_grid_see(grid, world[i]);
    if (!base_array_reserve(state->context, &state->records, 1))
        return base_fail(state->context, CAROM_OUT_OF_MEMORY, "engine cullide: no memory for triangles");
    state->records.count += image_prepare(view, corner, &state->records.items[state->records.count]);
    return CAROM_OK;
}

/* Twelve triangles around a box. */
static carom_status add_box(cullide *state, const image_grid *grid, const image_view *view, const carom_aabb *box)
{
    static const uint8_t corners[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    for (int i = 0; i < 36; i += 3)
    {
        carom_vec3 world[3];
        for (int k = 0; k < 3; k++)
        {
            int bits = corners[i + k];
            world[k] = vec3(bits & 1 ? box->max.x : box->min.x, bits & 2 ? box->max.y : box->min.y,
                            bits & 4 ? box->max.z : box->min.z);
        }
        BASE_TRY(add_triangle(state, grid, view, world));
    }
    return CAROM_OK;
}

/* A sphere or capsule is drawn as its box, and so is a surface without an inside if what it probably contains is
 * estimated. */
static bool is_box(const carom_run *run, const carom_frame_body *body)
{
    return !query_is_mesh(&body->placed) ||
           (carom_run_options(run)->relation && !query_has_inside(&body->placed.shape));
}

static carom_status add_body(cullide *state, const carom_run *run, const image_grid *grid, uint32_t position)
{
    const carom_frame_body *body = &carom_run_frame(run)->bodies[position];
    image_visible_body *drawn = &state->bodies.items[position];
    image_view view = grid->view;
    /* Half of what a pair keeps clear is each body's: its points are drawn that much larger. */
    double reach = (body->margin + 0.5 * carom_run_options(run)->clearance) * (1.0 + 0x1p-40);
    view.error[0] += reach * grid->scale, view.error[1] += reach * grid->scale;
    view.error[2] += reach * grid->depth_scale;
    drawn->first = (uint32_t)state->records.count;
    if (is_box(run, body))
        BASE_TRY(add_box(state, grid, &view, &body->bounds));
    else
    {
        mesh_placed placed = {body->placed.shape.mesh, NULL, &body->placed.pose};
        for (uint32_t i = 0; i < placed.mesh->triangle_count; i++)
        {
            narrow_triangle world = tree_world_triangle(&placed, i);
            BASE_TRY(add_triangle(state, grid, &view, world.corner));
        }
    }
    drawn->count = (uint32_t)(state->records.count - drawn->first);
    return CAROM_OK;
}

/* ---- an axis ---- */

/* By the middle of their boxes along the axis, then by position. */
static void sort_set(cullide *state, int axis)
{
    size_t count = state->set.count;
    for (size_t i = 0; i < count; i++)
    {
        const carom_aabb *box = &state->boxes.items[state->set.items[i]];
        double middle = 0.5 * vec3_at(&box->min, axis) + 0.5 * vec3_at(&box->max, axis) + 0.0;
        uint64_t bits;
        memcpy(&bits, &middle, sizeof bits);
        state->keys.items[i] = (base_key_value){bits >> 63 ? ~bits : bits | (uint64_t)1 << 63, state->set.items[i]};
    }
    base_sort_keys(state->keys.items, state->scratch.items, count);
    for (size_t i = 0; i < count; i++)
        state->order.items[i] = (uint32_t)state->keys.items[i].value;
}

static void reverse_order(cullide *state, size_t count)
{
    for (size_t i = 0; i < count / 2; i++)
    {
        uint32_t swapped = state->order.items[i];
        state->order.items[i] = state->order.items[count - 1 - i], state->order.items[count - 1 - i] = swapped;
    }
}

/* Cost follows the target's size; what a body loses to others around it follows the size of pixels. */
static uint32_t choose_side(const cullide *state)
{
    size_t count = state->set.count;
    uint32_t limit = gpu_max_target(state->device), side = state->side;
    if (side == 0)
        side = count <= 64 ? 64 : count <= 1024 ? 128 : 256;
    return side < limit ? side : limit;
}

static carom_status prepare_axis(cullide *state, const carom_run *run, int axis, image_visible_job *job)
{
    carom_aabb all = {vec3(INFINITY, INFINITY, INFINITY), vec3(-INFINITY, -INFINITY, -INFINITY)};
    for (size_t i = 0; i < state->set.count; i++)
    {
        const carom_aabb *box = &state->boxes.items[state->set.items[i]];
        all.min = vec3_min(all.min, box->min), all.max = vec3_max(all.max, box->max);
    }
    image_grid grid;
    uint32_t side = choose_side(state);
    image_grid_fit(&all, &all, axis, side, &grid);
    state->records.count = 0, state->visible.uploaded = NULL;
    for (size_t i = 0; i < state->set.count; i++)
        BASE_TRY(add_body(state, run, &grid, state->set.items[i]));
    *job = (image_visible_job){
        &state->records, state->bodies.items, state->order.items, (uint32_t)state->set.count, side, false};
    return CAROM_OK;
}

/* Removes the bodies that are beyond all before them, along the axis and back. */
static carom_status cull_along(cullide *state, const carom_run *run, int axis)
{
    image_visible_job job;
    size_t count = state->set.count, kept = 0;
    BASE_TRY(prepare_axis(state, run, axis, &job));
    sort_set(state, axis);
    for (size_t i = 0; i < count; i++)
        state->stays.items[state->set.items[i]] = 0;
    for (int pass = 0; pass < 2; pass++)
    {
        job.backwards = pass == 1;
        BASE_TRY(image_visible_run(&state->visible, &job, state->beyond.items));
        for (size_t i = 0; i < count; i++)
            state->stays.items[state->order.items[i]] |= !state->beyond.items[i];
        reverse_order(state, count);
    }
    for (size_t i = 0; i < count; i++)
        if (state->stays.items[state->set.items[i]])
            state->set.items[kept++] = state->set.items[i];
    state->set.count = kept;
    return CAROM_OK;
}

static uint64_t count_triangles(const carom_frame *frame)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < frame->body_count; i++)
        count += carom_shape_element_count(&frame->bodies[i].placed.shape) + 12;
    return count;
}

/* All axes in turn, as long as that removes a good part. */
static carom_status cull(cullide *state, const carom_run *run)
{
    size_t before;
    if (count_triangles(carom_run_frame(run)) > MAX_TRIANGLES)
        return CAROM_OK;
    do
    {
        before = state->set.count;
        for (int axis = 0; axis < 3 && state->set.count > 1; axis++)
            BASE_TRY(cull_along(state, run, axis));
    } while (state->set.count > 1 && state->set.count < before - before / 8);
    return CAROM_OK;
}

/* ---- pairs of what is left ---- */

static bool boxes_meet(const carom_aabb *a, const carom_aabb *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

/* In the order of where boxes begin along x; each is compared with those that begin before it ends. */
static carom_status propose_pairs(cullide *state, carom_run *run)
{
    size_t count = state->set.count;
    for (size_t i = 0; i < count; i++)
    {
        double low = state->boxes.items[state->set.items[i]].min.x + 0.0;
        uint64_t bits;
        memcpy(&bits, &low, sizeof bits);
        state->keys.items[i] = (base_key_value){bits >> 63 ? ~bits : bits | (uint64_t)1 << 63, state->set.items[i]};
    }
    base_sort_keys(state->keys.items, state->scratch.items, count);
    for (size_t i = 0; i < count; i++)
    {
        uint32_t one = (uint32_t)state->keys.items[i].value;
        const carom_aabb *box = &state->boxes.items[one];
        for (size_t k = i + 1; k < count; k++)
        {
            uint32_t other = (uint32_t)state->keys.items[k].value;
            const carom_aabb *next = &state->boxes.items[other];
            if (next->min.x > box->max.x)
                break;
            if (boxes_meet(box, next))
                BASE_TRY(carom_run_propose(run, one, other));
        }
    }
    return CAROM_OK;
}

/* ---- the run ---- */

static double round_up(double value) { return value + fabs(value) * 0x1p-52 + 0x1p-1000; }

static bool reserve(cullide *state, uint32_t count)
{
    carom_context *context = state->context;
    state->bodies.count = state->boxes.count = state->set.count = state->order.count = 0;
    state->keys.count = state->scratch.count = state->beyond.count = state->stays.count = 0;
    return base_array_reserve(context, &state->bodies, count) && base_array_reserve(context, &state->boxes, count) &&
           base_array_reserve(context, &state->set, count) && base_array_reserve(context, &state->order, count) &&
           base_array_reserve(context, &state->keys, count) && base_array_reserve(context, &state->scratch, count) &&
           base_array_reserve(context, &state->beyond, count) && base_array_reserve(context, &state->stays, count);
}

static void list_bodies(cullide *state, const carom_run *run)
{
    const carom_frame *frame = carom_run_frame(run);
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        const carom_frame_body *body = &frame->bodies[i];
        double reach = round_up(body->margin + 0.5 * carom_run_options(run)->clearance);
        carom_vec3 low = body->bounds.min, high = body->bounds.max;
        state->boxes.items[i] =
            (carom_aabb){vec3(-round_up(reach - low.x), -round_up(reach - low.y), -round_up(reach - low.z)),
                         vec3(round_up(high.x + reach), round_up(high.y + reach), round_up(high.z + reach))};
        if (low.x <= high.x) /* not empty */
            state->set.items[state->set.count++] = i;
    }
}

/* Without a driver nothing is culled, or no more than before it was lost: the answer stays exact. */
static carom_status cull_on_device(cullide *state, const carom_run *run)
{
    carom_status status = open_device(state);
    if (!carom_failed(status))
        status = cull(state, run);
    if (!carom_failed(status))
    {
        status = gpu_end(state->device);
        if (!gpu_is_lost(state->device))
            return status;
    }
    close_device(state);
    return status == CAROM_UNAVAILABLE ? CAROM_OK : status;
}

static carom_status cullide_run(void *user, carom_run *run)
{
    cullide *state = user;
    uint32_t count = carom_run_frame(run)->body_count;
    if (!reserve(state, count))
        return out_of_memory(state, count);
    list_bodies(state, run);
    state->bodies_before += state->set.count;
    BASE_TRY(cull_on_device(state, run));
    state->bodies_after += state->set.count;
    return propose_pairs(state, run);
}

static void add_stats(const void *user, carom_engine_stats *sum)
{
    const cullide *state = user;
    sum->bodies_before += state->bodies_before, sum->bodies_after += state->bodies_after;
    sum->draws += state->visible.draws;
}

#define CULLIDE_INFO                                                                                                   \
    {                                                                                                                  \
        "cullide", "CULLIDE: bodies that others hide are paired by boxes", CAROM_CLASS_CONSERVATIVE, false             \
    }

static const carom_engine_kind cullide_author = {.info = CULLIDE_INFO, .run = cullide_run, .destroy = cullide_destroy};

const engine_kind engine_cullide = {.info = CULLIDE_INFO,
                                    .method = &query_tree_method,
                                    .author = &cullide_author,
                                    .create_author = cullide_create,
                                    .add_stats = add_stats};
