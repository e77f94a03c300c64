/* Two patches: all pairs of their triangles whose boxes overlap, decided exactly. */
#include "engine/image/ibcd.h"

static carom_aabb box_of(const narrow_triangle *t)
{
    return (carom_aabb){vec3_min(t->corner[0], vec3_min(t->corner[1], t->corner[2])),
                        vec3_max(t->corner[0], vec3_max(t->corner[1], t->corner[2]))};
}

bool image_boxes_meet(const carom_aabb *a, const carom_aabb *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

/* Places the triangles of a patch; null or only those whose boxes meet `within`. Returns their common box. */
static carom_status place(image_walk *walk, int which, uint32_t node, const carom_aabb *within, carom_aabb *bounds)
{
    image_state *state = walk->state;
    const image_body *body = &walk->body[which];
    uint32_t count;
    const uint32_t *triangles = image_patch(body->pieces, node, &count);
    state->faces[which].count = 0;
    if (!base_array_reserve(state->context, &state->faces[which], count))
        return image_out_of_memory(state->context);
    *bounds = aabb_empty();
    for (uint32_t i = 0; i < count; i++)
    {
        image_face *face = &state->faces[which].items[state->faces[which].count];
        face->corners = tree_world_triangle(body->placed, triangles[i]);
        face->box = box_of(&face->corners), face->number = triangles[i];
        if (within && !image_boxes_meet(within, &face->box))
            continue;
        bounds->min = vec3_min(bounds->min, face->box.min), bounds->max = vec3_max(bounds->max, face->box.max);
        state->faces[which].count++;
    }
    return CAROM_OK;
}

/* Pairs of a search that may be given up wait: trees would report them again. */
static carom_status report(image_walk *walk, const image_face *a, const image_face *b, uint32_t meeting)
{
    image_state *state = walk->state;
    walk->violated = true;
    if (walk->deadline == 0.0 || !walk->search->every_pair)
        return walk->search->on_pair(a->number, b->number, meeting, walk->search->user) ? CAROM_OK : CAROM_STOPPED;
    if (!base_array_reserve(state->context, &state->found, 1))
        return image_out_of_memory(state->context);
    state->found.items[state->found.count++] = (carom_pair){a->number, b->number, meeting};
    return CAROM_OK;
}

static carom_status test_pair(image_walk *walk, const image_face *a, const image_face *b)
{
    enum
    {
        TESTS = 64 /* from one look at the clock to the next */
    };
    if (++walk->tests % TESTS == 0)
        IMAGE_GO_ON(image_check_deadline(walk));
    if (!image_boxes_meet(&a->box, &b->box))
        return CAROM_OK;
    walk->task->counters->triangles_tested++;
    uint32_t meeting;
    if (walk->search->need_meeting)
        meeting = narrow_meet(&a->corners, &b->corners, &walk->counts);
    else
        meeting = narrow_touches(&a->corners, &b->corners, &walk->counts) ? CAROM_MEET_TOUCHING : CAROM_MEET_NONE;
    return meeting == CAROM_MEET_NONE ? CAROM_OK : report(walk, a, b, meeting);
}

/* ---- large patches: sorted along the longest axis ---- */

/* Doubles in the order of integers. */
static uint64_t order_key(double value)
{
    uint64_t bits;
    value += 0.0; /* no -0 */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double low_of(const image_face *face, int axis) { return vec3_at(&face->box.min, axis); }
static double high_of(const image_face *face, int axis) { return vec3_at(&face->box.max, axis); }

/* The faces of both by where they begin; values: index << 1 | which. */
static carom_status sort_faces(image_state *state, int axis)
{
    size_t count = state->faces[0].count + state->faces[1].count;
    state->order.count = state->space.count = 0;
    if (!base_array_reserve(state->context, &state->order, count) ||
        !base_array_reserve(state->context, &state->space, count))
        return image_out_of_memory(state->context);
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < state->faces[which].count; i++)
            state->order.items[state->order.count++] = (base_key_value){
                order_key(low_of(&state->faces[which].items[i], axis)), (uint64_t)i << 1 | (uint64_t)which};
    base_sort_keys(state->order.items, state->space.items, count);
    return CAROM_OK;
}

/* Each face with those of the other patch that begin before it ends. */
static carom_status sweep(image_walk *walk, int axis, image_on_faces *on_faces)
{
    image_state *state = walk->state;
    BASE_TRY(sort_faces(state, axis));
    for (size_t i = 0; i < state->order.count; i++)
    {
        uint64_t own = state->order.items[i].value & 1;
        const image_face *face = &state->faces[own].items[state->order.items[i].value >> 1];
        double end = high_of(face, axis);
        for (size_t k = i + 1; k < state->order.count; k++)
        {
            if (state->order.items[k].key > order_key(end))
                break;
            if ((state->order.items[k].value & 1) == own)
                continue;
            const image_face *other = &state->faces[!own].items[state->order.items[k].value >> 1];
            IMAGE_GO_ON(on_faces(walk, own ? other : face, own ? face : other));
        }
    }
    return CAROM_OK;
}

static carom_status list_all(image_walk *walk, image_on_faces *on_faces)
{
    const image_state *state = walk->state;
    for (size_t i = 0; i < state->faces[0].count; i++)
        for (size_t k = 0; k < state->faces[1].count; k++)
            IMAGE_GO_ON(on_faces(walk, &state->faces[0].items[i], &state->faces[1].items[k]));
    return CAROM_OK;
}

/* Not worth sorting. */
static bool are_few(const image_state *state) { return state->faces[0].count * state->faces[1].count <= 256; }

carom_status image_pair_faces(image_walk *walk, const carom_aabb bounds[2], image_on_faces *on_faces)
{
    if (are_few(walk->state))
        return list_all(walk, on_faces);
    carom_vec3 size = vec3_sub(vec3_min(bounds[0].max, bounds[1].max), vec3_max(bounds[0].min, bounds[1].min));
    return sweep(walk, size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2, on_faces);
}

static carom_status decide(image_walk *walk, narrow_part_pair pair)
{
    image_state *state = walk->state;
    carom_aabb bounds[2] = {aabb_empty(), aabb_empty()};
    BASE_TRY(place(walk, 1, pair.part_b, NULL, &bounds[1]));
    BASE_TRY(place(walk, 0, pair.part_a, &bounds[1], &bounds[0]));
    if (state->faces[0].count == 0)
        return CAROM_OK;
    if (!are_few(state))
        BASE_TRY(place(walk, 1, pair.part_b, &bounds[0], &bounds[1]));
    return image_pair_faces(walk, bounds, test_pair);
}

carom_status image_test_patches(image_walk *walk, narrow_part_pair pair)
{
    double start = base_now();
    carom_status status = decide(walk, pair);
    walk->state->stats.exact_seconds += base_now() - start;
    return status;
}
