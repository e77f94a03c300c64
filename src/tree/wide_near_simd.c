/* The traversal of a wide tree that finds the triangles near a ball or capsule: the distance from its segment, as one
 * moving limit, against eight boxes or four triangles at once.
 *
 * Depth first, nearest first. A box is bounded from below by the gaps along its axes and, for a capsule, by the gap
 * along the line between two near points; from above by its farthest corner, so that all of a box inside the solid
 * needs no further test. Triangles: approximate nearest points in float, from them an upper bound and, along their
 * direction, a rigorous lower bound. What the bounds leave open is decided in double by the caller. */
#include "tree/near.h"
#include "tree/wide_kernels.h"

/* ---- boxes ---- */

/* What squares of lower bounds round by; and bounds of triangles, in units of the reach. docs/exactness.md, section 19.
 */
#define NEAR_SQUARES  (13.0f * UNIT)
#define NEAR_TRIANGLE (37.0f * UNIT)

/* Squares of bounds: no point of the lane's box is nearer or farther than these, but for growth and shrink. */
typedef struct box_bounds
{
    f8 near, far;
    f8 away; /* of the centres, to choose by */
} box_bounds;

static BASE_ALWAYS_INLINE f8 clamp(f8 value, f8 limit) { return f8_max(f8_min(value, limit), f8_neg(limit)); }

static BASE_ALWAYS_INLINE box_bounds bound_boxes(const wide_near_walk *w, const wide_node *node, const bool ball)
{
    f8 d[3], t[3], e[3], own[3], half[3], zero = f8_zero(), growth = f8_set1(w->growth);
    for (int j = 0; j < 3; j++)
        d[j] = f8_sub(f8_load(node->centre[j]), f8_set1(w->centre[j]));
    for (int k = 0; k < 3; k++)
    {
        f8 x = f8_load(node->axis[k][0]), y = f8_load(node->axis[k][1]), z = f8_load(node->axis[k][2]);
        t[k] = f8_madd(d[0], x, f8_madd(d[1], y, f8_mul(d[2], z)));
        own[k] = f8_load(node->half[k]), half[k] = f8_add(own[k], growth);
        if (!ball)
            e[k] = f8_madd(x, f8_set1(w->half[0]), f8_madd(y, f8_set1(w->half[1]), f8_mul(z, f8_set1(w->half[2]))));
    }
    box_bounds bounds = {zero, zero, dot(d, d)};
    if (ball)
    {
        for (int k = 0; k < 3; k++)
        {
            f8 size = f8_abs(t[k]), gap = f8_max(f8_sub(size, half[k]), zero), reach = f8_add(size, own[k]);
            bounds.near = f8_madd(gap, gap, bounds.near);
            bounds.far = f8_madd(reach, reach, bounds.far);
        }
        return bounds;
    }
    /* The segment's point nearest to the centre, then the box's nearest to that: v joins them, in the box's axes.
     * Whatever v is, the gap along it is a lower bound. */
    f8 along = f8_mul(f8_madd(t[0], e[0], f8_madd(t[1], e[1], f8_mul(t[2], e[2]))), f8_set1(w->inverse_square));
    f8 s = f8_max(f8_min(along, f8_set1(1.0f)), f8_set1(-1.0f)), vv = zero, gap_v = zero, seg_v = zero;
    for (int k = 0; k < 3; k++)
    {
        f8 r = f8_nmadd(s, e[k], t[k]), v = f8_sub(r, clamp(r, half[k])), reach = f8_add(f8_abs(r), own[k]);
        f8 gap = f8_max(f8_sub(f8_abs(t[k]), f8_add(half[k], f8_abs(e[k]))), zero);
        bounds.near = f8_madd(gap, gap, bounds.near);
        bounds.far = f8_madd(reach, reach, bounds.far);
        vv = f8_madd(v, v, vv);
        gap_v = f8_madd(v, t[k], f8_nmadd(f8_abs(v), half[k], gap_v));
        seg_v = f8_madd(v, e[k], seg_v);
    }
    gap_v = f8_max(f8_sub(gap_v, f8_abs(seg_v)), zero);
    f8 tiny = f8_set1(1e-20f), usable = f8_gt(vv, tiny);
    f8 directed = f8_and(usable, f8_div(f8_mul(gap_v, gap_v), f8_max(vv, tiny)));
    bounds.near = f8_max(directed, bounds.near);
    return bounds;
}

/* Pushes the children of a node that matter, the nearest last. */
static BASE_ALWAYS_INLINE void open_node(wide_near_walk *w, uint32_t node_index, const bool ball)
{
    const wide_node *node = &w->tree->nodes[node_index];
    tree_scratch *scratch = w->task->scratch;
    box_bounds bounds = bound_boxes(w, node, ball);
    f8 real = f8_gt(f8_load(node->half[0]), f8_zero()), near = f8_mul(bounds.near, f8_set1(1.0f - NEAR_SQUARES));
    w->nodes_tested++;
    uint32_t alive = f8_bits(real) & ~f8_bits(f8_gt(near, f8_set1(w->limit * w->limit)));
    if (alive == 0)
        return;
    uint32_t inside = f8_bits(f8_lt(bounds.far, f8_set1(w->inside_square)));
    if (!base_array_reserve(w->task->context, &scratch->stack, WIDE_LANES))
    {
        w->status = CAROM_OUT_OF_MEMORY;
        return;
    }
    float nears[8], keys[8];
    f8_storeu(nears, near);
    f8_storeu(keys, f8_madd(bounds.away, f8_set1(0.2f), near));
    uint32_t lanes[8], count = order_lanes(alive, keys, lanes);
    for (uint32_t i = 0; i < count; i++)
        scratch->stack.items[scratch->stack.count++] = (tree_stack_entry){
            .node_a = node_index * WIDE_LANES + lanes[i], .key = nears[lanes[i]], .more = inside >> lanes[i] & 1};
}

/* Children of a node that lies completely inside the solid. */
static void open_inside(wide_near_walk *w, uint32_t node_index)
{
    tree_scratch *scratch = w->task->scratch;
    if (!base_array_reserve(w->task->context, &scratch->stack, WIDE_LANES))
    {
        w->status = CAROM_OUT_OF_MEMORY;
        return;
    }
    for (uint32_t lane = WIDE_LANES; lane-- > 0;)
        if (w->tree->nodes[node_index].child[lane] != WIDE_NO_CHILD)
            scratch->stack.items[scratch->stack.count++] =
                (tree_stack_entry){.node_a = node_index * WIDE_LANES + lane, .key = 0.0f, .more = 1};
}

/* ---- triangles ---- */

/* From points to the face: weights between 0 and 1, so the foot is a point of the face however badly a thin face's
 * normal is known. */
static BASE_ALWAYS_INLINE void points_over_face(f8 corner[3][3], const f8 point[3], nearest *best)
{
    f8 one = f8_set1(1.0f), e[3], f[3], r[3], normal[3], along_e[3], along_f[3], v[3];
    for (int k = 0; k < 3; k++)
    {
        e[k] = f8_sub(corner[1][k], corner[0][k]), f[k] = f8_sub(corner[2][k], corner[0][k]);
        r[k] = f8_sub(point[k], corner[0][k]);
    }
    cross(e, f, normal);
    cross(f, normal, along_e);
    cross(normal, e, along_f);
    f8 inverse = f8_div(one, f8_max(dot(normal, normal), f8_set1(1e-30f)));
    f8 p = unit_clamp(f8_mul(dot(along_e, r), inverse));                                /* weight of corner 1 */
    f8 q = f8_min(f8_max(f8_mul(dot(along_f, r), inverse), f8_zero()), f8_sub(one, p)); /* of corner 2 */
    for (int k = 0; k < 3; k++)
        v[k] = f8_madd(q, f[k], f8_nmadd(one, r[k], f8_mul(p, e[k])));
    keep_nearer(best, v);
}

/* From a point, or from the segment p + s d, to edges q + t f. */
static BASE_ALWAYS_INLINE void to_edges(const f8 p[3], const f8 d[3], f8 dd, const f8 q[3], const f8 f[3],
                                        nearest *best, const bool ball)
{
    f8 ff = f8_max(dot(f, f), f8_set1(1e-30f));
    if (!ball)
    {
        segment_pair(p, d, dd, q, f, ff, best);
        return;
    }
    f8 r[3] = {f8_sub(q[0], p[0]), f8_sub(q[1], p[1]), f8_sub(q[2], p[2])}, v[3];
    f8 t = unit_clamp(f8_div(f8_neg(dot(f, r)), ff));
    for (int k = 0; k < 3; k++)
        v[k] = f8_madd(f[k], t, r[k]);
    keep_nearer(best, v);
}

/* Bounds of the distances of four triangles from the segment, in both halves: what the approximate nearest points give
 * from above, and the gap along the line through them from below. end: relative to the leaf. */
static BASE_ALWAYS_INLINE void bound_triangles(const wide_leaf *leaf, float end[2][3], f8 *low, f8 *high,
                                               const bool ball)
{
    f8 corner[3][3], first[3], second[3], ends[3], p[3], d[3], q[3], f[3];
    nearest best = {.square = f8_set1(3e38f), .v = {f8_zero(), f8_zero(), f8_zero()}};
    for (int k = 0; k < 3; k++)
    {
        for (int c = 0; c < 3; c++)
            corner[c][k] = f8_twice(leaf->corner[c][k]);
        first[k] = f8_join(leaf->corner[0][k], leaf->corner[1][k]);
        second[k] = f8_join(leaf->corner[1][k], leaf->corner[2][k]);
        p[k] = f8_set1(end[0][k]), d[k] = f8_set1(end[1][k] - end[0][k]);
        ends[k] = f8_two(end[0][k], end[1][k]);
        f[k] = f8_sub(second[k], first[k]);
        q[k] = f8_sub(corner[0][k], corner[2][k]);
    }
    f8 dd = f8_max(dot(d, d), f8_set1(1e-30f));
    points_over_face(corner, ends, &best);
    to_edges(p, d, dd, first, f, &best, ball);     /* edges 0 and 1 */
    to_edges(p, d, dd, corner[2], q, &best, ball); /* edge 2, twice */
    /* Both halves must go on with the same direction, also where they are equally near: with that of the lower half. */
    nearest other = {.square = f8_swap(best.square)};
    f8 upper = f8_gt(f8_two(0.0f, 1.0f), f8_zero());
    f8 better = f8_select(upper, f8_le(other.square, best.square), f8_lt(other.square, best.square));
    best.square = f8_select(better, other.square, best.square);
    for (int k = 0; k < 3; k++)
        best.v[k] = f8_select(better, f8_swap(best.v[k]), best.v[k]);
    *high = f8_sqrt(best.square);
    f8 lowest = f8_min(dot(best.v, first), dot(best.v, corner[2])), farthest = dot(best.v, ends);
    lowest = f8_min(lowest, f8_swap(lowest));
    farthest = f8_max(farthest, f8_swap(farthest));
    f8 usable = f8_gt(best.square, f8_set1(1e-30f));
    *low = f8_and(usable, f8_div(f8_sub(lowest, farthest), f8_max(*high, f8_set1(1e-15f))));
}

/* Where only the nearest triangles matter: those that may be wait until the end. False: stop. */
static bool take_nearest(wide_near_walk *w, const wide_leaf *leaf, uint32_t near, uint32_t certain, const float low[8],
                         const float high[8])
{
    for (uint32_t rest = near; rest; rest &= rest - 1)
    {
        float farthest = high[__builtin_ctz(rest)];
        farthest = farthest > w->radius ? farthest : w->radius; /* all that meets the solid is equally near */
        w->limit = farthest < w->limit ? farthest : w->limit;
    }
    for (; near; near &= near - 1)
    {
        uint32_t i = (uint32_t)__builtin_ctz(near);
        if (certain >> i & 1 ? !wide_near_report(w, leaf->triangle[i], true)
                             : low[i] <= w->limit && !wide_near_remember(w, leaf->triangle[i], low[i]))
            return false;
    }
    return true;
}

/* The segment's ends, seen from the leaf; returns the error of the bounds, infinity: there are none. Meshes below
 * 2^-400 don't fill their frame, so squares of lengths there may underflow. */
static BASE_ALWAYS_INLINE float place_ends(const wide_near_walk *w, const wide_leaf *leaf, float end[2][3])
{
    float reach = leaf->reach;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
        {
            end[i][k] = (float)(w->end[i][k] - (double)leaf->origin[k]);
            reach = fabsf(end[i][k]) > reach ? fabsf(end[i][k]) : reach;
        }
    for (int i = 0; i < 6; i++) /* as a leaf's own corners: nothing whose square is denormal */
        end[i / 3][i % 3] = fabsf(end[i / 3][i % 3]) > 0x1p-30f * reach ? end[i / 3][i % 3] : 0.0f;
    return reach < MAX_REACH ? NEAR_TRIANGLE * reach + w->pad + 0x1p-60f : INFINITY;
}

static BASE_ALWAYS_INLINE void visit_leaf(wide_near_walk *w, const wide_leaf *leaf, const bool ball)
{
    float end[2][3], max_error = place_ends(w, leaf, end);
    w->task->counters->triangles_tested += leaf->count;
    f8 lows, highs, error = f8_set1(max_error);
    bound_triangles(leaf, end, &lows, &highs, ball);
    lows = f8_sub(lows, error), highs = f8_add(highs, error);
    uint32_t near = ~f8_bits(f8_gt(lows, f8_set1(w->limit))) & ((1u << leaf->count) - 1);
    uint32_t certain = f8_bits(f8_lt(highs, f8_set1(w->certain)));
    if (near && w->near->nearest_only)
    {
        float low[8], high[8];
        f8_storeu(low, lows), f8_storeu(high, highs);
        take_nearest(w, leaf, near, certain, low, high);
        return;
    }
    for (; near; near &= near - 1)
    {
        uint32_t i = (uint32_t)__builtin_ctz(near);
        if (!wide_near_report(w, leaf->triangle[i], certain >> i & 1))
            return;
    }
}

/* ---- the walk ---- */

/* A child that lies completely inside the solid. */
static void visit_inside(wide_near_walk *w, wide_slot slot, uint32_t child)
{
    if (w->near->nearest_only)
    {
        wide_near_report(w, w->tree->smallest_triangle[slot], true);
        return;
    }
    if (!(child & WIDE_LEAF_FLAG))
    {
        open_inside(w, child);
        return;
    }
    const wide_leaf *leaf = &w->tree->leaves[child & ~WIDE_LEAF_FLAG];
    w->task->counters->triangles_tested += leaf->count;
    for (uint32_t i = 0; i < leaf->count && wide_near_report(w, leaf->triangle[i], true); i++)
        ;
}

static BASE_ALWAYS_INLINE void visit_all(wide_near_walk *w, const bool ball)
{
    tree_scratch *scratch = w->task->scratch;
    const uint32_t *smallest = w->near->smallest;
    while (w->status == CAROM_OK && scratch->stack.count > 0)
    {
        tree_stack_entry entry = scratch->stack.items[scratch->stack.count - 1];
        uint32_t child = wide_child(w->tree, entry.node_a);
        bool matters =
            entry.key <= w->limit * w->limit && !(smallest && w->tree->smallest_triangle[entry.node_a] >= *smallest);
        /* An entry leaves the stack only once the budget covers it, so that what remains open is always there. */
        uint32_t work = child & WIDE_LEAF_FLAG ? w->tree->leaves[child & ~WIDE_LEAF_FLAG].count : WIDE_LANES;
        if (matters && !base_budget_spend(w->task->budget, work))
        {
            w->status = CAROM_UNKNOWN;
            return;
        }
        scratch->stack.count--;
        if (!matters)
            continue;
        if (entry.more)
            visit_inside(w, entry.node_a, child);
        else if (child & WIDE_LEAF_FLAG)
            visit_leaf(w, &w->tree->leaves[child & ~WIDE_LEAF_FLAG], ball);
        else
            open_node(w, child, ball);
    }
}

void BASE_ISA(wide_near_visit)(wide_near_walk *w)
{
    const narrow_front *front = w->task->front;
    w->task->scratch->stack.count = 0;
    if (front && front->count > 0)
    {
        if (!near_begin_stack(w->task))
        {
            w->status = CAROM_OUT_OF_MEMORY;
            return;
        }
    }
    else
    {
        /* Node 0 has the root's box; testing the root's children costs the same and decides more. */
        uint32_t root = wide_child(w->tree, 0), first = root & WIDE_LEAF_FLAG ? 0 : root;
        if (w->is_ball)
            open_node(w, first, true);
        else
            open_node(w, first, false);
    }
    if (w->is_ball)
        visit_all(w, true);
    else
        visit_all(w, false);
}
