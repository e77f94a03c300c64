/* The numbers of the passes: positions in double around the pair's centre, then floats. */
#include "engine/stream/stream.h"

static double largest(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

/* ---- the frame ---- */

static carom_status place_points(stream_walk *walk, int which, carom_aabb *bounds)
{
    stream_state *state = walk->state;
    stream_body *body = &walk->body[which];
    const carom_mesh *mesh = body->placed->mesh;
    const edge_list *list = &body->asset->list;
    state->points[which].count = 0;
    if (!base_array_reserve(state->context, &state->points[which], mesh->vertex_count))
        return stream_out_of_memory(state->context);
    carom_vec3 *points = state->points[which].items;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        points[i] = pose_apply(body->placed->pose, mesh->vertices[i]);
    body->points = points;
    for (uint32_t i = 0; i < list->count; i++) /* vertices that no triangle has may be anywhere */
        for (int end = 0; end < 2; end++)
            *bounds = aabb_add_point(*bounds, points[list->ends[i][end]]);
    return CAROM_OK;
}

/* The printed code has the world's coordinates as they are. */
static stream_frame printed_frame(const carom_aabb *bounds)
{
    int exponent;
    frexp(vec3_length(vec3_sub(bounds->max, bounds->min)), &exponent);
    exponent = exponent < -100 ? -100 : exponent > 100 ? 100 : exponent;
    return (stream_frame){vec3(0.0, 0.0, 0.0), 1.0, ldexp(1.0, -1 - exponent)};
}

carom_status stream_place(stream_walk *walk)
{
    carom_aabb bounds = aabb_empty();
    for (int which = 0; which < 2; which++)
        BASE_TRY(place_points(walk, which, &bounds));
    if (walk->state->printed)
        return walk->frame = printed_frame(&bounds), CAROM_OK;
    carom_vec3 centre = vec3_add(vec3_scale(bounds.min, 0.5), vec3_scale(bounds.max, 0.5));
    double reach = fmax(largest(vec3_sub(bounds.max, centre)), largest(vec3_sub(centre, bounds.min)));
    int exponent = 0;
    if (reach > 0.0)
        frexp(reach, &exponent); /* reach < 2^exponent */
    exponent = exponent < -900 ? -900 : exponent;
    /* a length is below 2 sqrt 3 */
    walk->frame = (stream_frame){centre, ldexp(1.0, -exponent), 0.125};
    return CAROM_OK;
}

static carom_vec3 to_frame(const stream_frame *frame, carom_vec3 world)
{
    return vec3_scale(vec3_sub(world, frame->centre), frame->scale);
}

static void round_to(carom_vec3 v, float out[3]) { out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z; }

/* ---- edges ---- */

/* What is shorter than 2^-60 is a point: that is below the rounding of its coordinates. */
static stream_edge place_edge(const stream_frame *frame, carom_vec3 p, carom_vec3 q)
{
    stream_edge edge = {0};
    carom_vec3 way = vec3_scale(vec3_sub(q, p), frame->scale);
    double length = vec3_length(way);
    round_to(to_frame(frame, p), edge.origin);
    if (length < 0x1p-60)
        return edge;
    round_to(vec3_scale(way, 1.0 / length), edge.direction);
    edge.length = (float)length;
    return edge;
}

static stream_edge place_corners(const stream_frame *frame, const stream_body *body, uint32_t triangle)
{
    const uint32_t *index = body->placed->mesh->indices + 3 * (size_t)triangle;
    stream_edge out = {.length = 1.0f};
    round_to(to_frame(frame, body->points[index[0]]), out.origin);
    round_to(to_frame(frame, body->points[index[1]]), out.direction);
    round_to(to_frame(frame, body->points[index[2]]), out.third);
    return out;
}

static carom_status place_triangles(stream_walk *walk, const stream_body *body)
{
    stream_state *state = walk->state;
    uint32_t count = body->placed->mesh->triangle_count;
    if (!base_array_reserve(state->context, &state->edges, count))
        return stream_out_of_memory(state->context);
    for (uint32_t i = 0; i < count; i++)
        state->edges.items[i] = place_corners(&walk->frame, body, i);
    state->edges.count = count;
    return CAROM_OK;
}

carom_status stream_place_edges(stream_walk *walk, int edges_of)
{
    stream_state *state = walk->state;
    const stream_body *body = &walk->body[edges_of];
    const edge_list *list = &body->asset->list;
    walk->edges_of = edges_of;
    state->edges.count = 0;
    if (state->method == STREAM_TRIANGLE_PAIRS)
        return place_triangles(walk, body);
    if (!base_array_reserve(state->context, &state->edges, list->count))
        return stream_out_of_memory(state->context);
    for (uint32_t i = 0; i < list->count; i++)
        state->edges.items[i] =
            place_edge(&walk->frame, body->points[list->ends[i][0]], body->points[list->ends[i][1]]);
    state->edges.count = list->count;
    walk->task->counters->volumes_updated += list->count;
    return CAROM_OK;
}

/* ---- triangles ---- */

/* The cross product of sides that were rounded once is off by less than 2^-50 of their lengths' product; of a triangle
 * that is thinner than this, the normal would not be known to the precision of a float. */
static const double THIN = 0x1p-16;

stream_record stream_place_triangle(const stream_walk *walk, uint32_t triangle)
{
    const stream_body *body = &walk->body[!walk->edges_of];
    const uint32_t *index = body->placed->mesh->indices + 3 * (size_t)triangle;
    const carom_vec3 corner[3] = {body->points[index[0]], body->points[index[1]], body->points[index[2]]};
    stream_record record = {0};
    for (int i = 0; i < 3; i++)
        round_to(to_frame(&walk->frame, corner[i]), record.row[i]);
    carom_vec3 e12 = vec3_scale(vec3_sub(corner[1], corner[0]), walk->frame.scale);
    carom_vec3 e13 = vec3_scale(vec3_sub(corner[2], corner[0]), walk->frame.scale);
    carom_vec3 normal = vec3_cross(e12, e13);
    double length = vec3_length(normal), sides = vec3_length(e12) * vec3_length(e13);
    bool thin = !(length > THIN * sides && sides > 0x1p-200);
    if (length > 0.0 && (!thin || walk->state->printed))
        round_to(vec3_scale(normal, 1.0 / length), record.row[3]);
    return record;
}

/* ---- boxes ---- */

static carom_vec3 turn(const double r[9], carom_vec3 v)
{
    return vec3(r[0] * v.x + r[1] * v.y + r[2] * v.z, r[3] * v.x + r[4] * v.y + r[5] * v.z,
                r[6] * v.x + r[7] * v.y + r[8] * v.z);
}

/* How far a placed vertex may be from where the tree's box, placed here, has it: the contract's rounding of positions,
 * x' = ((r0 x + r1 y) + r2 z) + t, and the same arithmetic for the centre and the axes, each a few times 2^-53 of the
 * magnitudes. */
static double placement_error(const stream_walk *walk, const stream_body *body)
{
    return 0x1p-46 *
               (body->placed->mesh->extent + largest(body->placed->pose->translation) + largest(walk->frame.centre)) +
           0x1p-1000;
}

/* The box is { centre + sum x_j axis_j, |x_j| <= half_j }, with axes that are not quite orthonormal; along another axis
 * a it reaches as far as the sum of half_j |axis_j . a|. */
stream_record stream_place_box(const stream_walk *walk, uint32_t node)
{
    const stream_body *body = &walk->body[!walk->edges_of];
    const carom_tree *tree = body->asset->tree;
    const carom_pose *pose = body->placed->pose;
    volume_box box;
    stream_record record = {0};
    volume_to_box(CAROM_VOLUME_OBB, tree->volumes + (size_t)node * volume_floats(CAROM_VOLUME_OBB), &box);
    carom_vec3 world = vec3_add(turn(pose->rotation, vec3_add(tree->origin, box.centre)), pose->translation);
    carom_vec3 centre = to_frame(&walk->frame, world), axes[3];
    round_to(centre, record.row[3]);
    carom_vec3 rounded = vec3(record.row[3][0], record.row[3][1], record.row[3][2]);
    double pad = walk->frame.scale * placement_error(walk, body) + largest(vec3_sub(centre, rounded));
    for (int j = 0; j < 3; j++)
        axes[j] = turn(pose->rotation, box.axis[j]);
    for (int i = 0; i < 3; i++)
    {
        float *row = record.row[i];
        round_to(axes[i], row);
        carom_vec3 axis = vec3(row[0], row[1], row[2]);
        double reach = box.radius;
        for (int j = 0; j < 3; j++)
            reach += box.half[j] * fabs(vec3_dot(axes[j], axis));
        reach = walk->frame.scale * reach + pad * (fabs(axis.x) + fabs(axis.y) + fabs(axis.z));
        row[3] = math_float_up(reach * (1.0 + 0x1p-40));
    }
    walk->task->counters->volumes_updated++;
    return record;
}
