/* Engines that ask an image first. Distances, rays and what is near a segment are answered by the default trees; so is
 * everything about bodies that are closer than a clearance, which images do not show. */
#include "engine/image/filter.h"

#include "engine/image/by_trees.h"
#include "engine/image/image_def.h"
#include "engine/image/image_view.h"

/* One per worker. */
typedef struct filter_state
{
    tree_scratch scratch; /* for the questions that trees answer; first, see by_trees.h */
    carom_context *context;
    const image_filter *filter;
    gpu_device *device; /* null: an image failed; the next one opens it again */
    void *pass;         /* made by the first image */
    double accuracy;
    uint32_t side;
    BASE_ARRAY(carom_vec3) points[2];
} filter_state;

/* ---- passes ---- */

carom_status image_filter_create(const image_filter *filter, gpu_device *device, void **out)
{
    carom_context *context = gpu_context(device);
    void *pass = base_allocate(context, 1, filter->pass_size, BASE_CACHE_LINE);
    *out = NULL;
    if (!pass)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine %s: no memory", filter->name);
    memset(pass, 0, filter->pass_size);
    carom_status status = filter->fill(device, pass);
    if (carom_failed(status))
        return image_filter_forget(filter, context, pass), status;
    *out = pass;
    return CAROM_OK;
}

void image_filter_forget(const image_filter *filter, carom_context *context, void *pass)
{
    filter->forget(context, pass);
    base_release(context, pass, 1, filter->pass_size);
}

/* ---- the image ---- */

static carom_status place(filter_state *state, int body, const mesh_placed *placed, image_placed *out, carom_aabb *box)
{
    const carom_mesh *mesh = placed->mesh;
    state->points[body].count = 0;
    if (!base_array_reserve(state->context, &state->points[body], mesh->vertex_count))
        return base_fail(state->context, CAROM_OUT_OF_MEMORY, "engine %s: no memory for %u vertices",
                         state->filter->name, mesh->vertex_count);
    carom_vec3 *points = state->points[body].items;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        points[i] = pose_apply(placed->pose, mesh->vertices[i]);
    *box = aabb_empty();
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        *box = aabb_add_point(*box, points[mesh->indices[i]]);
    *out = (image_placed){mesh, points};
    return CAROM_OK;
}

static carom_status draw(filter_state *state, const image_question *question, image_verdict *out)
{
    if (!state->pass)
        BASE_TRY(image_filter_create(state->filter, state->device, &state->pass));
    return state->filter->may_meet(state->pass, question, out);
}

static void close_device(filter_state *state)
{
    if (state->pass)
        image_filter_forget(state->filter, state->context, state->pass);
    gpu_close(state->device);
    state->pass = NULL, state->device = NULL;
}

static carom_status look(filter_state *state, const image_question *question, image_verdict *out)
{
    if (!state->device)
        BASE_TRY(gpu_open(state->context, NULL, &state->device));
    carom_status status = gpu_begin(state->device);
    if (!carom_failed(status))
    {
        status = draw(state, question, out);
        carom_status end = gpu_end(state->device);
        status = carom_failed(status) ? status : end;
    }
    if (carom_failed(status)) /* the device may be lost, or what is on it incomplete: the next image gets another */
        close_device(state);
    return status;
}

static bool is_solid(const carom_mesh *mesh) { return mesh->info.closed && mesh->info.oriented; }

/* May the two meet? */
static carom_status ask(filter_state *state, const query_task *task, bool *may_meet)
{
    image_question question = {.pose = {task->a.pose, task->b.pose},
                               .asset = {task->asset_a, task->asset_b},
                               .accuracy = state->accuracy,
                               .side = state->side};
    image_verdict verdict = {.may_meet = true};
    carom_aabb box[2];
    *may_meet = true;
    if (state->filter->for_solids && !(is_solid(task->a.mesh) && is_solid(task->b.mesh)))
        return CAROM_OK;
    BASE_TRY(place(state, 0, &task->a, &question.placed[0], &box[0]));
    BASE_TRY(place(state, 1, &task->b, &question.placed[1], &box[1]));
    question.region = (carom_aabb){vec3_max(box[0].min, box[1].min), vec3_min(box[0].max, box[1].max)};
    const carom_aabb *common = &question.region;
    task->counters->volumes_updated += 2, task->counters->boxes_tested++;
    if (common->min.x > common->max.x || common->min.y > common->max.y || common->min.z > common->max.z)
        return *may_meet = false, CAROM_OK;
    BASE_TRY(look(state, &question, &verdict));
    *may_meet = verdict.may_meet;
    if (!verdict.may_meet)
        task->counters->sampled_size = fmax(task->counters->sampled_size, verdict.size);
    return CAROM_OK;
}

/* ---- the method ---- */

static carom_status collide(void *object, const query_task *task, const narrow_search *search, bool *violated)
{
    filter_state *state = object;
    bool begun = task->front && task->front->count > 0, may_meet = true;
    bool empty = task->a.mesh->triangle_count == 0 || task->b.mesh->triangle_count == 0;
    if (!begun && !empty && !(search->clearance > 0.0))
        BASE_TRY(ask(state, task, &may_meet));
    return may_meet ? query_tree_method.collide(&state->scratch, task, search, violated) : CAROM_OK;
}

static const query_method FILTER_METHOD = IMAGE_METHOD_OF(collide);

/* ---- states ---- */

static void destroy_state(void *object)
{
    filter_state *state = object;
    carom_context *context = state->context;
    close_device(state);
    for (int body = 0; body < 2; body++)
        base_array_free(context, &state->points[body]);
    tree_scratch_free(&state->scratch);
    base_release(context, state, 1, sizeof *state);
}

/* The device is opened at once, so that an engine that can't be used is not made. */
static carom_status create_state(carom_context *context, const carom_engine_def *def, const image_filter *filter,
                                 void **out)
{
    *out = NULL;
    BASE_TRY(image_check_def(context, def));
    filter_state *state = base_allocate(context, 1, sizeof *state, BASE_CACHE_LINE);
    if (!state)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine %s: no memory", filter->name);
    memset(state, 0, sizeof *state);
    state->context = state->scratch.context = context;
    state->scratch.ray_frame.pose = carom_pose_identity();
    state->filter = filter, state->accuracy = def->image_accuracy, state->side = def->image_side;
    carom_status status = gpu_open(context, NULL, &state->device);
    if (carom_failed(status))
        return destroy_state(state), status;
    *out = state;
    return CAROM_OK;
}

/* ---- the engines ---- */

const image_filter *image_filter_at(uint32_t index)
{
    static const image_filter *const filters[] = {&image_rossignac, &image_shinya, &image_myszkowski, &image_lombardo};
    return index < sizeof filters / sizeof filters[0] ? filters[index] : NULL;
}

static carom_status create_rossignac(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, &image_rossignac, out);
}

static carom_status create_shinya(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, &image_shinya, out);
}

static carom_status create_myszkowski(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, &image_myszkowski, out);
}

static carom_status create_myszkowski_asset(void *context, const carom_shape *shape, void **out)
{
    return image_myszkowski.create_asset(context, shape, out);
}

static void destroy_myszkowski_asset(void *context, void *asset) { image_myszkowski.destroy_asset(context, asset); }

static carom_status create_lombardo(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, &image_lombardo, out);
}

static carom_status create_lombardo_asset(void *context, const carom_shape *shape, void **out)
{
    return image_lombardo.create_asset(context, shape, out);
}

static void destroy_lombardo_asset(void *context, void *asset) { image_lombardo.destroy_asset(context, asset); }

const engine_kind engine_rossignac = {
    .info = {"rossignac", "Rossignac et al. 1992: sections of both bodies in the stencil, then trees",
             CAROM_CLASS_SAMPLED, false},
    .method = &FILTER_METHOD,
    .create_state = create_rossignac,
    .destroy_state = destroy_state};

const engine_kind engine_shinya = {
    .info = {"shinya", "Shinya, Forgue 1991: sorted depths of each pixel, then trees", CAROM_CLASS_SAMPLED, false},
    .method = &FILTER_METHOD,
    .create_state = create_shinya,
    .destroy_state = destroy_state};

const engine_kind engine_myszkowski = {.info = {"myszkowski",
                                                "Myszkowski et al. 1995: stencil counts of convex bodies, then trees",
                                                CAROM_CLASS_SAMPLED, false},
                                       .method = &FILTER_METHOD,
                                       .create_state = create_myszkowski,
                                       .destroy_state = destroy_state,
                                       .create_asset = create_myszkowski_asset,
                                       .destroy_asset = destroy_myszkowski_asset};

const engine_kind engine_lombardo = {.info = {"lombardo",
                                              "Lombardo et al. 1999: each body clipped by the other's box, then trees",
                                              CAROM_CLASS_CONSERVATIVE, false},
                                     .method = &FILTER_METHOD,
                                     .create_state = create_lombardo,
                                     .destroy_state = destroy_state,
                                     .create_asset = create_lombardo_asset,
                                     .destroy_asset = destroy_lombardo_asset};
