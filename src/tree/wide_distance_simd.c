/* The traversal of two wide trees that finds the closest pair of triangles.
 *
 * Nearest first among the parts opened lately, otherwise depth first. A pair of boxes is bounded from below by the gaps
 * along the face axes of each, and by the gap along the direction that one alternating projection between the boxes
 * gives (after Larsen et al. 2000 and Gilbert's idea of support gaps). Leaves: gaps along the direction of the closest
 * pair so far leave a few of sixteen triangle pairs; these wait until there are eight. Then approximate closest points
 * in float, from them an upper bound and, along their direction, a rigorous lower bound. Pairs that the bounds leave
 * undecided are decided by the canonical distance in double, so the answer is bit-identical to brute force. */
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

/* ---- triangles ---- */

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
    f8 a_highest = f8_set1(-3e38f), b_lowest = f8_set1(3e38f);
    for (int c = 0; c < 3; c++)
    {
        a_highest = f8_max(a_highest, dot(best.v, a->corner[c]));
        b_lowest = f8_min(b_lowest, dot(best.v, b->corner[c]));
    }
    f8 usable = f8_gt(best.square, tiny);
    *low = f8_and(usable, f8_div(f8_sub(b_lowest, a_highest), f8_max(*high, f8_set1(1e-15f))));
    for (int k = 0; k < 3; k++)
        along[k] = best.v[k];
}

/* ---- pairs of triangles that wait until there are eight ---- */

typedef struct waiting_pairs
{
    float corner_a[3][3][8], corner_b[3][3][8]; /* [corner][coordinate][lane], each in its own leaf's frame */
    float offset[3][8], error[8];               /* from A's leaf to B's; of the bounds */
    uint32_t triangle_a[8], triangle_b[8], count;
} waiting_pairs;

typedef struct walk
{
    wide_nearest *search;
    const wide_pair *pair;
    tree_scratch *scratch;
    uint64_t nodes_tested;
    waiting_pairs waiting;
} walk;

/* Lanes that no pair fills are computed too, and must not be slow: they hold floats, and a triangle of A that has an
 * area. If the edges of both triangles vanished, the product of their squares would underflow. */
static inline void clear_waiting(waiting_pairs *waiting)
{
    memset(waiting, 0, sizeof *waiting);
    f8_storeu(waiting->corner_a[1][0], f8_set1(1.0f));
    f8_storeu(waiting->corner_a[2][1], f8_set1(1.0f));
}

/* Remembers a pair for the decision in double; false: out of memory. */
static inline bool add_candidate(wide_nearest *search, uint32_t triangle_a, uint32_t triangle_b, float low)
{
    const tree_task *task = search->pair->task;
    if (task->scratch->words.count >= WIDE_CANDIDATE_WORDS)
        wide_nearest_decide(search);
    if (!base_array_reserve(task->context, &task->scratch->words, 2))
        return false;
    uint64_t *words = task->scratch->words.items + task->scratch->words.count;
    words[0] = (uint64_t)triangle_a << 32 | triangle_b;
    words[1] = as_bits(low);
    task->scratch->words.count += 2;
    return true;
}

/* A pair of triangles with bounds low - error and high + error of its distance along v. False: stop. */
static inline bool take_pair(wide_nearest *search, uint32_t triangle_a, uint32_t triangle_b, float low, float high,
                             float error, const float v[3])
{
    float lower = low - error, upper = high + error;
    if (!(error < INFINITY) || !(upper >= 0.0f))
        lower = 0.0f, upper = INFINITY; /* no bound here: decide in double */
    if (lower > search->best)
        return true;
    if (upper < search->best)
    {
        float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        float inverse = square > 1e-30f ? (1.0f - 0x1p-20f) / sqrtf(square) : 0.0f;
        for (int k = 0; k < 3; k++)
            search->along[k] = v[k] * inverse;
        search->best = upper;
    }
    if (lower <= search->doubtful)
        return wide_nearest_found(search, triangle_a, triangle_b);
    if (search->closest && !add_candidate(search, triangle_a, triangle_b, lower))
        return search->status = CAROM_OUT_OF_MEMORY, false;
    return true;
}

/* Bounds the waiting pairs and keeps those that matter. False: stop. */
static bool settle_waiting(walk *w)
{
    waiting_pairs *waiting = &w->waiting;
    leaf_lines la, lb;
    for (int c = 0; c < 3; c++)
    {
        f8 x = f8_loadu(waiting->corner_b[c][0]), y = f8_loadu(waiting->corner_b[c][1]),
           z = f8_loadu(waiting->corner_b[c][2]);
        for (int k = 0; k < 3; k++)
        {
            const float *s = w->pair->b_to_a.scaled + 3 * k;
            f8 offset = f8_loadu(waiting->offset[k]);
            la.corner[c][k] = f8_loadu(waiting->corner_a[c][k]);
            lb.corner[c][k] = f8_madd(x, f8_set1(s[0]), f8_madd(y, f8_set1(s[1]), f8_madd(z, f8_set1(s[2]), offset)));
        }
    }
    find_edges(&la);
    find_edges(&lb);
    f8 lows, highs, along[3];
    bound_triangles(&la, &lb, &lows, &highs, along);
    float low[8], high[8], v[3][8];
    f8_storeu(low, lows), f8_storeu(high, highs);
    for (int k = 0; k < 3; k++)
        f8_storeu(v[k], along[k]);
    uint32_t count = waiting->count;
    uint32_t far = f8_bits(f8_gt(f8_sub(lows, f8_loadu(waiting->error)), f8_set1(w->search->best)));
    waiting->count = 0;
    for (uint32_t near = ~far & ((1u << count) - 1); near; near &= near - 1)
    {
        uint32_t i = (uint32_t)__builtin_ctz(near);
        float direction[3] = {v[0][i], v[1][i], v[2][i]};
        if (!take_pair(w->search, waiting->triangle_a[i], waiting->triangle_b[i], low[i], high[i], waiting->error[i],
                       direction))
            return false;
    }
    return true;
}

static inline void add_waiting(waiting_pairs *waiting, const wide_leaf *a, uint32_t i, const wide_leaf *b, uint32_t j,
                               const float offset[3], float error)
{
    uint32_t lane = waiting->count++;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            waiting->corner_a[c][k][lane] = a->corner[c][k][i], waiting->corner_b[c][k][lane] = b->corner[c][k][j];
    for (int k = 0; k < 3; k++)
        waiting->offset[k][lane] = offset[k];
    waiting->error[lane] = error;
    waiting->triangle_a[lane] = a->triangle[i], waiting->triangle_b[lane] = b->triangle[j];
}

/* Gaps along u of the sixteen pairs of two leaves, eight in each half. offset: from A's leaf to B's. */
static BASE_ALWAYS_INLINE void leaf_gaps(const wide_pair *pair, const wide_leaf *a, const wide_leaf *b,
                                         const float offset[3], const float u[3], f8 gap[2])
{
    const float *s = pair->b_to_a.scaled;
    f8 a_highest = f8_set1(-3e38f), b_lowest = f8_set1(3e38f);
    f8 of_a[3] = {f8_set1(u[0]), f8_set1(u[1]), f8_set1(u[2])}, of_b[3];
    for (int k = 0; k < 3; k++)
        of_b[k] = f8_set1(s[k] * u[0] + s[3 + k] * u[1] + s[6 + k] * u[2]);
    for (int c = 0; c < 3; c++)
    {
        f8 corner_a[3] = {f8_twice(a->corner[c][0]), f8_twice(a->corner[c][1]), f8_twice(a->corner[c][2])};
        f8 corner_b[3] = {f8_twice(b->corner[c][0]), f8_twice(b->corner[c][1]), f8_twice(b->corner[c][2])};
        a_highest = f8_max(dot(of_a, corner_a), a_highest);
        b_lowest = f8_min(dot(of_b, corner_b), b_lowest);
    }
    float highest[8];
    f8_storeu(highest, a_highest);
    b_lowest = f8_add(b_lowest, f8_set1(u[0] * offset[0] + u[1] * offset[1] + u[2] * offset[2]));
    gap[0] = f8_sub(b_lowest, f8_two(highest[0], highest[1]));
    gap[1] = f8_sub(b_lowest, f8_two(highest[2], highest[3]));
}

/* ---- the walk ---- */

/* Sixteen pairs of two leaves. False: stop. */
static bool visit_leaves(walk *w, uint32_t leaf_a, uint32_t leaf_b)
{
    const wide_pair *pair = w->pair;
    const wide_leaf *a = &pair->tree_a->leaves[leaf_a], *b = &pair->tree_b->leaves[leaf_b];
    float offset[3], error = distance_error(pair, leaf_offset(&pair->b_to_a, a, b, offset));
    pair->task->counters->triangles_tested += (uint64_t)a->count * b->count;
    /* Cheap, and enough for most pairs where the surfaces face each other. */
    f8 gaps[2], too_far = f8_set1(w->search->best + error);
    leaf_gaps(pair, a, b, offset, w->search->along, gaps);
    uint32_t lanes_b = (1u << b->count) - 1;
    uint32_t valid = (lanes_b | lanes_b << 4 | lanes_b << 8 | lanes_b << 12) & ((1u << 4 * a->count) - 1);
    uint32_t near = valid & ~(f8_bits(f8_gt(gaps[0], too_far)) | f8_bits(f8_gt(gaps[1], too_far)) << 8);
    for (; near; near &= near - 1)
    {
        uint32_t bit = (uint32_t)__builtin_ctz(near);
        add_waiting(&w->waiting, a, bit / 4, b, bit % 4, offset, error);
        if (w->waiting.count == 8 && !settle_waiting(w))
            return false;
    }
    return true;
}

enum
{
    MERGE_REACH = 10 /* entries that new ones may sink below; beyond that the walk is depth first */
};

/* The new entries of one node: lanes in descending order of their keys. */
typedef struct opened_node
{
    uint32_t lanes[WIDE_LANES], count, keys[WIDE_LANES];
    float bounds[WIDE_LANES];
    wide_slot kept, first; /* the box that stays, and lane 0 of the opened node */
    bool of_a;             /* a's node was opened */
} opened_node;

static inline tree_stack_entry entry_of(const opened_node *opened, uint32_t lane)
{
    wide_slot slot = opened->first + lane;
    return (tree_stack_entry){opened->of_a ? slot : opened->kept, opened->of_a ? opened->kept : slot,
                              opened->bounds[lane], opened->keys[lane]};
}

/* Merges new entries into the top of the stack, nearest on top. The walk thus goes on with the nearest of all parts
 * that are open, not of the node opened last, and so rarely opens what is farther away than the closest pair will be. A
 * limited reach keeps this cheap, and the stack short where many parts are equally near. */
static inline void push_opened(tree_scratch *scratch, const opened_node *opened)
{
    size_t count = scratch->stack.count, lowest = count > MERGE_REACH ? count - MERGE_REACH : 0;
    tree_stack_entry *items = scratch->stack.items;
    scratch->stack.count += opened->count;
    for (uint32_t left = opened->count; left-- > 0;)
    {
        uint32_t lane = opened->lanes[left];
        for (; count > lowest && items[count - 1].more < opened->keys[lane]; count--)
            items[count + left] = items[count - 1];
        items[count + left] = entry_of(opened, lane);
    }
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
    move_box(kept, kept_slot, transform, &box);
    grow_for_distance(&box, transform->pad);
    uint32_t node_index = wide_child(opened, opened_slot);
    const wide_node *node = &opened->nodes[node_index];
    f8 away, bound = f8_mul(bound_node(&box, node, &away), f8_set1(to_a));
    bound = f8_min(f8_max(bound, f8_zero()), f8_set1(3e38f)); /* never a NaN, nor more than is known */
    w->nodes_tested++;
    f8 real = f8_gt(f8_load(node->half[0]), f8_zero());
    uint32_t alive = f8_bits(real) & ~f8_bits(f8_gt(bound, f8_set1(w->search->best)));
    if (alive == 0)
        return true;
    opened_node fresh;
    float keys[8];
    f8_storeu(fresh.bounds, bound);
    f8_storeu(keys, f8_madd(bound, bound, f8_mul(away, f8_set1(0x1p-15f * to_a * to_a))));
    memcpy(fresh.keys, keys, sizeof keys); /* bits of positive floats are ordered like these */
    fresh.count = order_lanes(alive, keys, fresh.lanes);
    fresh.kept = kept_slot, fresh.first = node_index * WIDE_LANES, fresh.of_a = open_a;
    if (!base_array_reserve(pair->task->context, &w->scratch->stack, WIDE_LANES))
        return w->search->status = CAROM_OUT_OF_MEMORY, false;
    push_opened(w->scratch, &fresh);
    return true;
}

/* Puts what the front holds, or the roots, on the stack. False: out of memory. */
static bool begin_stack(walk *w)
{
    const tree_task *task = w->pair->task;
    const narrow_part_pair roots = {0, 0, 0.0f};
    bool resumed = task->front && task->front->count > 0;
    const narrow_part_pair *from = resumed ? task->front->items : &roots;
    size_t count = resumed ? task->front->count : 1;
    w->scratch->stack.count = 0;
    if (!base_array_reserve(task->context, &w->scratch->stack, count))
        return false;
    while (count-- > 0)
        w->scratch->stack.items[w->scratch->stack.count++] = (tree_stack_entry){
            from[count].part_a, from[count].part_b, from[count].bound, as_bits(from[count].bound * from[count].bound)};
    return true;
}

carom_status BASE_ISA(wide_distance_walk)(wide_nearest *search)
{
    const wide_pair *pair = search->pair;
    walk w;
    clear_waiting(&w.waiting);
    w.search = search, w.pair = pair, w.scratch = pair->task->scratch, w.nodes_tested = 0;
    const wide_tree *a = pair->tree_a, *b = pair->tree_b;
    w.scratch->words.count = 0;
    if (!begin_stack(&w))
        return CAROM_OUT_OF_MEMORY;
    while (!search->stopped)
    {
        if (w.scratch->stack.count == 0)
        {
            if (w.waiting.count == 0 || !settle_waiting(&w))
                break;
            continue;
        }
        tree_stack_entry entry = w.scratch->stack.items[w.scratch->stack.count - 1];
        if (!(entry.key <= search->best))
        {
            w.scratch->stack.count--;
            continue;
        }
        uint32_t child_a = wide_child(a, entry.node_a), child_b = wide_child(b, entry.node_b);
        bool leaves = child_a & child_b & WIDE_LEAF_FLAG;
        uint32_t leaf_a = child_a & ~WIDE_LEAF_FLAG, leaf_b = child_b & ~WIDE_LEAF_FLAG;
        /* An entry leaves the stack only once the budget covers it, so that what remains open is always there. */
        uint32_t work = leaves ? a->leaves[leaf_a].count * b->leaves[leaf_b].count : WIDE_LANES;
        if (!base_budget_spend(pair->task->budget, work))
        {
            search->status = CAROM_UNKNOWN;
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
    /* Waiting pairs are charged already and no longer on the stack: a walk that ran out of budget must not forget them.
     */
    if (search->status == CAROM_UNKNOWN && w.waiting.count > 0)
        settle_waiting(&w);
    return search->status;
}
