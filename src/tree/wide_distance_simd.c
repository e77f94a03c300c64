/* The walk over two wide trees that finds the closest pair of triangles.
 *
 * Depth first, nearest first. A pair of boxes is bounded from below by the gaps along the face axes of each, and by the
 * gap along the direction that one alternating projection between the boxes gives (after Larsen et al. 2000 and
 * Gilbert's idea of support gaps). Leaves: approximate closest points of sixteen triangle pairs in float, from them an
 * upper bound and, along their direction, a rigorous lower bound. Pairs that the bounds leave open are settled by the
 * canonical distance in double, so the answer has the same bits as brute force. */
#include "tree/wide_kernels.h"

/* ---- boxes ---- */

static BASE_ALWAYS_INLINE f8 clamp(f8 value, f8 limit) { return f8_max(f8_min(value, limit), f8_neg(limit)); }

/* Lower bounds of the distances from the moved box to the lanes; *away: squared distances of the centres. */
static BASE_ALWAYS_INLINE f8 bound_node(const moved_box *box, const wide_node *node, f8 *away)
{
    f8 c[3][3], d[3], tx[3], tl[3], zero = f8_zero();
    f8 hl[3] = {f8_load(node->half[0]), f8_load(node->half[1]), f8_load(node->half[2])};
    f8 hx[3] = {f8_set1(box->half[0]), f8_set1(box->half[1]), f8_set1(box->half[2])};
    for (int j = 0; j < 3; j++)
        d[j] = f8_sub(f8_load(node->centre[j]), f8_set1(box->centre[j]));
    *away = f8_madd(d[0], d[0], f8_madd(d[1], d[1], f8_mul(d[2], d[2])));
    for (int i = 0; i < 3; i++)
        tx[i] = f8_madd(d[0], f8_set1(box->axis[i][0]),
                        f8_madd(d[1], f8_set1(box->axis[i][1]), f8_mul(d[2], f8_set1(box->axis[i][2]))));
    f8 square_l = zero, square_x = zero;
    for (int j = 0; j < 3; j++)
    {
        f8 lx = f8_load(node->axis[j][0]), ly = f8_load(node->axis[j][1]), lz = f8_load(node->axis[j][2]);
        f8 reach = hl[j];
        for (int i = 0; i < 3; i++)
        {
            c[i][j] = f8_madd(lx, f8_set1(box->axis[i][0]),
                              f8_madd(ly, f8_set1(box->axis[i][1]), f8_mul(lz, f8_set1(box->axis[i][2]))));
            reach = f8_madd(f8_abs(c[i][j]), hx[i], reach);
        }
        tl[j] = f8_madd(d[0], lx, f8_madd(d[1], ly, f8_mul(d[2], lz)));
        f8 gap = f8_max(f8_sub(f8_abs(tl[j]), reach), zero);
        square_l = f8_madd(gap, gap, square_l);
    }
    for (int i = 0; i < 3; i++)
    {
        f8 reach =
            f8_madd(f8_abs(c[i][0]), hl[0], f8_madd(f8_abs(c[i][1]), hl[1], f8_madd(f8_abs(c[i][2]), hl[2], hx[i])));
        f8 gap = f8_max(f8_sub(f8_abs(tx[i]), reach), zero);
        square_x = f8_madd(gap, gap, square_x);
    }
    f8 faces = f8_sqrt(f8_min(f8_max(square_l, square_x), f8_set1(3e38f))); /* an infinite square says less */

    /* Point of the box nearest to the lane's centre, then the lane's point nearest to it: v joins them, in the lane's
     * axes. Whatever v is, the gap along it is a lower bound. */
    f8 p[3], v[3];
    for (int i = 0; i < 3; i++)
        p[i] = clamp(tx[i], hx[i]);
    for (int j = 0; j < 3; j++)
    {
        f8 r = f8_msub(p[0], c[0][j], f8_sub(tl[j], f8_madd(p[1], c[1][j], f8_mul(p[2], c[2][j]))));
        v[j] = f8_sub(r, clamp(r, hl[j]));
    }
    f8 vv = f8_madd(v[0], v[0], f8_madd(v[1], v[1], f8_mul(v[2], v[2])));
    f8 gap = zero;
    for (int j = 0; j < 3; j++)
    {
        gap = f8_nmadd(tl[j], v[j], gap);
        gap = f8_nmadd(f8_abs(v[j]), hl[j], gap);
    }
    for (int i = 0; i < 3; i++)
    {
        f8 along = f8_madd(c[i][0], v[0], f8_madd(c[i][1], v[1], f8_mul(c[i][2], v[2])));
        gap = f8_nmadd(f8_abs(along), hx[i], gap);
    }
    f8 usable = f8_and(f8_gt(vv, f8_set1(1e-20f)), f8_lt(*away, f8_set1(1e34f))); /* nothing overflows */
    f8 directed = f8_and(usable, f8_div(gap, f8_sqrt(f8_max(vv, f8_set1(1e-20f)))));
    return f8_mul(f8_max(directed, faces), f8_set1(1.0f - 0x1p-18f));
}

/* ---- leaves ---- */

/* Nearest so far: squared length and the vector from A's point to B's. */
typedef struct nearest
{
    f8 square, v[3];
} nearest;

static BASE_ALWAYS_INLINE void keep_nearer(nearest *best, const f8 v[3])
{
    f8 square = dot(v, v);
    f8 better = f8_lt(square, best->square);
    best->square = f8_select(better, square, best->square);
    for (int k = 0; k < 3; k++)
        best->v[k] = f8_select(better, v[k], best->v[k]);
}

static BASE_ALWAYS_INLINE f8 unit_clamp(f8 value) { return f8_min(f8_max(value, f8_zero()), f8_set1(1.0f)); }

/* Closest points of segments p + s e and q + t f, s and t in [0, 1]; ee, ff: squared lengths, at least tiny. */
static BASE_ALWAYS_INLINE void segment_pair(const f8 p[3], const f8 e[3], f8 ee, const f8 q[3], const f8 f[3], f8 ff,
                                            nearest *best)
{
    f8 r[3] = {f8_sub(q[0], p[0]), f8_sub(q[1], p[1]), f8_sub(q[2], p[2])};
    f8 ef = dot(e, f), er = dot(e, r), fr = dot(f, r);
    f8 determinant = f8_max(f8_msub(ee, ff, f8_mul(ef, ef)), f8_mul(f8_set1(1e-6f), f8_mul(ee, ff)));
    f8 s = unit_clamp(f8_div(f8_msub(er, ff, f8_mul(ef, fr)), determinant));
    f8 t = unit_clamp(f8_div(f8_msub(ef, s, fr), ff));
    s = unit_clamp(f8_div(f8_madd(ef, t, er), ee));
    f8 v[3];
    for (int k = 0; k < 3; k++)
        v[k] = f8_nmadd(e[k], s, f8_madd(f[k], t, r[k]));
    keep_nearer(best, v);
}

/* From a face to corners over it. The foot is made from weights between 0 and 1, so it is a point of the face however
 * badly a thin face's normal is known. sign: +1 when the face belongs to A and the corners to B, else -1. */
static BASE_ALWAYS_INLINE void corners_over_face(const leaf_lines *face, f8 corner[3][3], float sign, nearest *best)
{
    f8 one = f8_set1(1.0f), turn = f8_set1(sign), along_0[3], along_2[3];
    f8 inverse = f8_div(one, f8_max(dot(face->normal, face->normal), f8_set1(1e-30f)));
    cross(face->normal, face->edge[2], along_0);
    cross(face->normal, face->edge[0], along_2);
    for (int i = 0; i < 3; i++)
    {
        f8 r[3] = {f8_sub(corner[i][0], face->corner[0][0]), f8_sub(corner[i][1], face->corner[0][1]),
                   f8_sub(corner[i][2], face->corner[0][2])};
        f8 p = unit_clamp(f8_mul(dot(along_0, r), inverse));                                /* weight of corner 1 */
        f8 q = f8_min(f8_max(f8_mul(dot(along_2, r), inverse), f8_zero()), f8_sub(one, p)); /* of corner 2 */
        f8 v[3];
        for (int k = 0; k < 3; k++)
            v[k] = f8_mul(turn, f8_madd(q, face->edge[2][k], f8_nmadd(p, face->edge[0][k], r[k])));
        keep_nearer(best, v);
    }
}

/* Bounds of the distances of eight triangle pairs: what the pair's approximate closest points give from above, and the
 * gap between the triangles along the line through them from below. */
static BASE_ALWAYS_INLINE void bound_triangles(leaf_lines *a, leaf_lines *b, f8 *low, f8 *high, f8 along[3])
{
    nearest best = {.square = f8_set1(3e38f), .v = {f8_zero(), f8_zero(), f8_zero()}};
    f8 tiny = f8_set1(1e-30f), ee[3], ff[3];
    for (int c = 0; c < 3; c++)
        ee[c] = f8_max(dot(a->edge[c], a->edge[c]), tiny), ff[c] = f8_max(dot(b->edge[c], b->edge[c]), tiny);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            segment_pair(a->corner[i], a->edge[i], ee[i], b->corner[j], b->edge[j], ff[j], &best);
    corners_over_face(a, b->corner, 1.0f, &best);
    corners_over_face(b, a->corner, -1.0f, &best);
    *high = f8_sqrt(best.square);
    f8 a_most = f8_set1(-3e38f), b_least = f8_set1(3e38f);
    for (int c = 0; c < 3; c++)
    {
        a_most = f8_max(a_most, dot(best.v, a->corner[c]));
        b_least = f8_min(b_least, dot(best.v, b->corner[c]));
    }
    f8 usable = f8_gt(best.square, tiny);
    *low = f8_and(usable, f8_div(f8_sub(b_least, a_most), f8_max(*high, f8_set1(1e-15f))));
    for (int k = 0; k < 3; k++)
        along[k] = best.v[k];
}

/* ---- the walk ---- */

typedef struct walk
{
    wide_nearest *search;
    const wide_pair *pair;
    tree_scratch *scratch;
    uint64_t nodes_tested;
    carom_status status;
} walk;

/* Least and largest of eight lanes. */
static inline float lane_min(f8 a)
{
    float v[8];
    f8_storeu(v, a);
    float least = v[0];
    for (int i = 1; i < 8; i++)
        least = v[i] < least ? v[i] : least;
    return least;
}

static inline float lane_max(f8 a) { return -lane_min(f8_neg(a)); }

/* The gap between all of A's and all of B's triangles along the direction that is the best so far: cheap, and enough
 * for most leaves where the surfaces face each other. */
static inline float leaf_gap(const walk *w, const wide_leaf *a, leaf_lines *b)
{
    f8 u[3] = {f8_set1(w->search->along[0]), f8_set1(w->search->along[1]), f8_set1(w->search->along[2])};
    f8 a_most = f8_set1(-3e38f), b_least = f8_set1(3e38f);
    for (int c = 0; c < 3; c++)
    {
        f8 corner[3] = {f8_twice(a->corner[c][0]), f8_twice(a->corner[c][1]), f8_twice(a->corner[c][2])};
        a_most = f8_max(dot(u, corner), a_most);
        b_least = f8_min(dot(u, b->corner[c]), b_least);
    }
    return lane_min(b_least) - lane_max(a_most);
}

static void take_direction(walk *w, f8 along[3], uint32_t lane)
{
    float v[3][8], square = 0.0f;
    for (int k = 0; k < 3; k++)
        f8_storeu(v[k], along[k]), square += v[k][lane] * v[k][lane];
    float inverse = square > 1e-30f ? (1.0f - 0x1p-20f) / sqrtf(square) : 0.0f;
    for (int k = 0; k < 3; k++)
        w->search->along[k] = v[k][lane] * inverse;
}

/* Remembers a pair for the final decision; false: out of memory. */
static bool add_candidate(walk *w, uint32_t triangle_a, uint32_t triangle_b, float low)
{
    if (!base_array_reserve(w->pair->task->context, &w->scratch->words, 2))
        return false;
    uint64_t *words = w->scratch->words.items + w->scratch->words.count;
    words[0] = (uint64_t)triangle_a << 32 | triangle_b;
    words[1] = as_bits(low);
    w->scratch->words.count += 2;
    return true;
}

/* Sixteen pairs of two leaves. False: stop. */
static bool visit_leaves(walk *w, uint32_t leaf_a, uint32_t leaf_b)
{
    const wide_pair *pair = w->pair;
    const wide_leaf *a = &pair->tree_a->leaves[leaf_a], *b = &pair->tree_b->leaves[leaf_b];
    leaf_lines la, lb;
    float error = place_b_for_distance(pair, a, b, &lb);
    pair->task->counters->triangles_tested += (uint64_t)a->count * b->count;
    if (leaf_gap(w, a, &lb) - error > w->search->best)
        return true;
    find_edges(&lb);
    for (uint32_t half = 0; 2 * half < a->count; half++)
    {
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                la.corner[c][k] = f8_two(a->corner[c][k][2 * half], a->corner[c][k][2 * half + 1]);
        find_edges(&la);
        f8 lows, highs, along[3];
        float low[8], high[8];
        bound_triangles(&la, &lb, &lows, &highs, along);
        if ((f8_bits(f8_gt(f8_sub(lows, f8_set1(error)), f8_set1(w->search->best))) & 0xff) == 0xff)
            continue;
        f8_storeu(low, lows), f8_storeu(high, highs);
        for (uint32_t lane = 0; lane < 8; lane++)
        {
            uint32_t i = 2 * half + lane / 4, j = lane % 4;
            if (i >= a->count || j >= b->count)
                continue;
            float least = low[lane] - error, most = high[lane] + error;
            if (!(error < INFINITY) || !(most >= 0.0f))
                least = 0.0f, most = INFINITY; /* no bound here: decide in double */
            if (least > w->search->best)
                continue;
            if (most < w->search->best)
                take_direction(w, along, lane);
            if (!wide_nearest_found(w->search, a->triangle[i], b->triangle[j], least, most))
                return false;
            if (!add_candidate(w, a->triangle[i], b->triangle[j], least))
                return w->status = CAROM_OUT_OF_MEMORY, false;
        }
    }
    return true;
}

/* Opens one side of an entry against the box of the other. False: stop. */
static bool expand(walk *w, const tree_stack_entry *entry, bool open_a)
{
    const wide_pair *pair = w->pair;
    const wide_tree *opened = open_a ? pair->tree_a : pair->tree_b, *kept = open_a ? pair->tree_b : pair->tree_a;
    wide_slot opened_slot = open_a ? entry->node_a : entry->node_b, kept_slot = open_a ? entry->node_b : entry->node_a;
    const wide_transform *transform = open_a ? &pair->b_to_a : &pair->a_to_b;
    float to_a = open_a ? 1.0f : pair->b_to_a.ratio < 0x1p126f ? pair->b_to_a.ratio : 0x1p126f; /* too little is safe */
    moved_box box;
    move_box(kept, kept_slot, transform, transform->pad, &box);
    uint32_t node_index = wide_child(opened, opened_slot);
    const wide_node *node = &opened->nodes[node_index];
    f8 away, bound = f8_mul(bound_node(&box, node, &away), f8_set1(to_a));
    bound = f8_min(f8_max(bound, f8_zero()), f8_set1(3e38f)); /* never a NaN, nor more than is known */
    w->nodes_tested++;
    f8 real = f8_gt(f8_load(node->half[0]), f8_zero());
    uint32_t alive = f8_bits(real) & ~f8_bits(f8_gt(bound, f8_set1(w->search->best)));
    if (alive == 0)
        return true;
    float bounds[8], keys[8];
    f8_storeu(bounds, bound);
    f8_storeu(keys, f8_madd(bound, bound, f8_mul(away, f8_set1(0.2f * to_a * to_a))));
    uint32_t lanes[8], count = order_lanes(alive, keys, lanes);
    if (!base_array_reserve(pair->task->context, &w->scratch->stack, WIDE_LANES))
        return w->status = CAROM_OUT_OF_MEMORY, false;
    for (uint32_t i = 0; i < count; i++)
    {
        wide_slot slot = node_index * WIDE_LANES + lanes[i];
        w->scratch->stack.items[w->scratch->stack.count++] =
            open_a ? (tree_stack_entry){slot, kept_slot, bounds[lanes[i]], 0}
                   : (tree_stack_entry){kept_slot, slot, bounds[lanes[i]], 0};
    }
    return true;
}

carom_status BASE_ISA(wide_distance_walk)(wide_nearest *search)
{
    const wide_pair *pair = search->pair;
    walk w = {.search = search, .pair = pair, .scratch = pair->task->scratch};
    const wide_tree *a = pair->tree_a, *b = pair->tree_b;
    w.scratch->stack.count = w.scratch->words.count = 0;
    if (!base_array_reserve(pair->task->context, &w.scratch->stack, 1))
        return CAROM_OUT_OF_MEMORY;
    w.scratch->stack.items[w.scratch->stack.count++] = (tree_stack_entry){0, 0, 0.0f, 0};
    while (w.scratch->stack.count > 0 && !search->stopped)
    {
        tree_stack_entry entry = w.scratch->stack.items[w.scratch->stack.count - 1];
        if (!(entry.key <= search->best))
        {
            w.scratch->stack.count--;
            continue;
        }
        uint32_t child_a = wide_child(a, entry.node_a), child_b = wide_child(b, entry.node_b);
        bool leaves = child_a & child_b & WIDE_LEAF_FLAG;
        uint32_t leaf_a = child_a & ~WIDE_LEAF_FLAG, leaf_b = child_b & ~WIDE_LEAF_FLAG;
        /* An entry leaves the stack only when it is paid for, so that what remains open is always there. */
        uint32_t work = leaves ? a->leaves[leaf_a].count * b->leaves[leaf_b].count : WIDE_LANES;
        if (!base_budget_spend(pair->task->budget, work))
        {
            w.status = CAROM_UNKNOWN;
            break;
        }
        w.scratch->stack.count--;
        bool open_a =
            child_b & WIDE_LEAF_FLAG || (!(child_a & WIDE_LEAF_FLAG) &&
                                         slot_size(a, entry.node_a) > slot_size(b, entry.node_b) * pair->b_to_a.ratio);
        if (!(leaves ? visit_leaves(&w, leaf_a, leaf_b) : expand(&w, &entry, open_a)))
            break;
    }
    pair->task->counters->boxes_tested += w.nodes_tested * WIDE_LANES;
    return w.status;
}
