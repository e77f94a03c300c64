/* The traversal of two wide trees that finds every pair of triangles with a common point.
 *
 * One oriented box against eight children in lanes: six face axes, then the nine edge axes if a lane survives
 * (Gottschalk et al. 1996; chapter 25.2). Leaf pairs: sixteen triangle pairs as two eight-lane separating-axis tests in
 * float whose error bound is derived in docs/exactness.md; what the bound leaves undecided goes to the exact narrow
 * phase, so every answer is exact. */
#include "tree/binary_walk.h"
#include "tree/wide_kernels.h"

/* Lanes whose box may meet the moved one; *gap: largest gap over the face axes, negative where they overlap. */
static BASE_ALWAYS_INLINE uint32_t test_node(const moved_box *box, const wide_node *node, f8 *gap)
{
    f8 c[3][3], a[3][3], tx[3], worst;
    f8 hl[3] = {f8_load(node->half[0]), f8_load(node->half[1]), f8_load(node->half[2])};
    f8 d[3];
    for (int j = 0; j < 3; j++)
        d[j] = f8_sub(f8_load(node->centre[j]), f8_set1(box->centre[j]));
    for (int i = 0; i < 3; i++)
        tx[i] = f8_madd(d[0], f8_set1(box->axis[i][0]),
                        f8_madd(d[1], f8_set1(box->axis[i][1]), f8_mul(d[2], f8_set1(box->axis[i][2]))));
    /* face axes of the lanes */
    worst = f8_set1(-3e38f);
    for (int j = 0; j < 3; j++)
    {
        f8 lx = f8_load(node->axis[j][0]), ly = f8_load(node->axis[j][1]), lz = f8_load(node->axis[j][2]);
        f8 reach = hl[j];
        for (int i = 0; i < 3; i++)
        {
            c[i][j] = f8_madd(lx, f8_set1(box->axis[i][0]),
                              f8_madd(ly, f8_set1(box->axis[i][1]), f8_mul(lz, f8_set1(box->axis[i][2]))));
            a[i][j] = f8_abs(c[i][j]);
            reach = f8_madd(a[i][j], f8_set1(box->half[i]), reach);
        }
        f8 tl = f8_madd(d[0], lx, f8_madd(d[1], ly, f8_mul(d[2], lz)));
        worst = f8_max(f8_sub(f8_abs(tl), reach), worst);
    }
    /* face axes of the box */
    for (int i = 0; i < 3; i++)
    {
        f8 reach = f8_madd(a[i][0], hl[0], f8_madd(a[i][1], hl[1], f8_madd(a[i][2], hl[2], f8_set1(box->half[i]))));
        worst = f8_max(f8_sub(f8_abs(tx[i]), reach), worst);
    }
    *gap = worst;
    /* Lanes without a child have a negative half, which alone would not separate them from a huge box. */
    uint32_t alive = f8_bits(f8_gt(hl[0], f8_zero())) & ~f8_bits(f8_gt(worst, f8_zero()));
    if (alive == 0)
        return 0;
    f8 edge = f8_set1(-3e38f), h[3] = {f8_set1(box->half[0]), f8_set1(box->half[1]), f8_set1(box->half[2])};
    for (int i = 0; i < 3; i++)
    {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++)
        {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            f8 t = f8_abs(f8_msub(tx[i2], c[i1][j], f8_mul(tx[i1], c[i2][j])));
            f8 reach =
                f8_madd(h[i1], a[i2][j], f8_madd(h[i2], a[i1][j], f8_madd(hl[j1], a[i][j2], f8_mul(hl[j2], a[i][j1]))));
            edge = f8_max(f8_sub(t, reach), edge);
        }
    }
    return alive & ~f8_bits(f8_gt(edge, f8_set1(box->edge_margin)));
}

/* ---- leaves ---- */

typedef struct leaf_verdict
{
    uint32_t crossing, open; /* 8 lanes each of two halves: bit = 8 * half + lane; lane = 4 * (a & 1) + b */
} leaf_verdict;

/* The nine edge axes. With L = e_i x f_j: A spans 0 and -n_a.f_j, B spans o and o + n_b.e_i, where
 * o = -(e_i . moment_b_j + f_j . moment_a_i). */
static BASE_ALWAYS_INLINE f8 edge_gap(const leaf_lines *a, const leaf_lines *b, const f8 da[3], const f8 db[3])
{
    f8 zero = f8_zero(), a_low[3], a_high[3], b_low[3], b_high[3];
    for (int c = 0; c < 3; c++)
    {
        f8 wa = f8_sub(db[c], db[(c + 1) % 3]), wb = f8_sub(da[(c + 1) % 3], da[c]);
        a_low[c] = f8_min(wa, zero), a_high[c] = f8_max(wa, zero);
        b_low[c] = f8_min(wb, zero), b_high[c] = f8_max(wb, zero);
    }
    f8 worst = f8_set1(-3e38f);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            const f8 *e = a->edge[i], *f = b->edge[j], *ma = a->moment[i], *mb = b->moment[j];
            f8 minus_o = f8_madd(e[0], mb[0], f8_madd(e[1], mb[1], f8_mul(e[2], mb[2])));
            minus_o = f8_madd(f[0], ma[0], f8_madd(f[1], ma[1], f8_madd(f[2], ma[2], minus_o)));
            f8 b_beyond = f8_sub(f8_sub(b_low[i], a_high[j]), minus_o);
            f8 a_beyond = f8_add(f8_sub(a_low[j], b_high[i]), minus_o);
            worst = f8_max(f8_max(b_beyond, a_beyond), worst);
        }
    return worst;
}

static leaf_verdict every_pair_open(const wide_leaf *a, const wide_leaf *b)
{
    uint32_t row = (1u << b->count) - 1, open = 0;
    for (uint32_t i = 0; i < a->count; i++)
        open |= row << (4 * i);
    return (leaf_verdict){0, open};
}

static inline leaf_verdict test_leaves(const wide_pair *pair, const wide_leaf *a, const wide_leaf *b)
{
    leaf_lines lb, la;
    float bound = triple_product_error(pair, a, b, place_b(pair, a, b, &lb));
    if (!(bound < INFINITY))
        return every_pair_open(a, b);
    find_edges(&lb);
    f8 beyond = f8_set1(bound), within = f8_set1(-bound);
    uint32_t lanes_b = (1u << b->count) - 1, valid_b = lanes_b | lanes_b << 4;
    bool have_moments = false;
    leaf_verdict verdict = {0, 0};
    for (uint32_t half = 0; 2 * half < a->count; half++)
    {
        uint32_t valid = a->count > 2 * half + 1 ? valid_b : lanes_b;
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                la.corner[c][k] = f8_two(a->corner[c][k][2 * half], a->corner[c][k][2 * half + 1]);
        find_edges(&la);
        f8 da[3], db[3];
        f8 worst = f8_max(plane_gap(la.normal, la.corner[0], lb.corner, db),
                          plane_gap(lb.normal, lb.corner[0], la.corner, da));
        if ((f8_bits(f8_gt(worst, beyond)) & valid) == valid)
            continue;
        if (!have_moments)
            find_moments(&lb), have_moments = true;
        find_moments(&la);
        worst = f8_max(edge_gap(&la, &lb, da, db), worst);
        uint32_t crossing = f8_bits(f8_lt(worst, within)) & valid;
        uint32_t open = valid & ~crossing & ~f8_bits(f8_gt(worst, beyond));
        verdict.crossing |= crossing << (8 * half);
        verdict.open |= open << (8 * half);
    }
    return verdict;
}

/* The smallest ids that a pair of children holds. */
static inline uint64_t smallest_ids(const wide_pair *pair, wide_slot slot_a, wide_slot slot_b)
{
    return (uint64_t)pair->tree_a->smallest_triangle[slot_a] << 32 | pair->tree_b->smallest_triangle[slot_b];
}

/* If only the smallest ids matter: has a pair with smaller ids been found? */
static inline bool too_large(const wide_pair *pair, uint64_t ids)
{
    return pair->options->smallest && ids >= *pair->options->smallest;
}

/* Reports one meeting pair; false if the callback asked to stop. */
static bool emit_pair(const wide_pair *pair, uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting)
{
    tree_memory_remember(pair->task, (tree_pair){triangle_a, triangle_b});
    return pair->options->on_pair(triangle_a, triangle_b, meeting, pair->options->user);
}

/* Is any triangle pair of two leaves that do not meet nearer than the clearance? */
static bool leaves_within(wide_pair *pair, const wide_leaf *a, const wide_leaf *b)
{
    narrow_counts counts = {0};
    narrow_triangle of_b[WIDE_LEAF_TRIANGLES];
    bool near = false;
    for (uint32_t j = 0; j < b->count; j++)
        of_b[j] = tree_world_triangle(pair->task->b, b->triangle[j]);
    for (uint32_t i = 0; i < a->count && !near; i++)
    {
        narrow_triangle of_a = tree_world_triangle(pair->task->a, a->triangle[i]);
        for (uint32_t j = 0; j < b->count && !near; j++)
            near = narrow_is_within(&pair->clearance, &of_a, &of_b[j], (carom_pair){a->triangle[i], b->triangle[j], 0},
                                    &counts);
    }
    pair->task->counters->exact_fallbacks += counts.exact_fallbacks;
    return near;
}

/* False if the callback asked to stop. */
static bool visit_leaves(wide_pair *pair, uint32_t leaf_a, uint32_t leaf_b)
{
    const wide_leaf *a = &pair->tree_a->leaves[leaf_a], *b = &pair->tree_b->leaves[leaf_b];
    carom_counters *counters = pair->task->counters;
    counters->triangles_tested += (uint64_t)a->count * b->count;
    leaf_verdict verdict = test_leaves(pair, a, b);
    bool any = false;
    for (uint32_t rest = verdict.crossing | verdict.open; rest; rest &= rest - 1)
    {
        uint32_t bit = (uint32_t)__builtin_ctz(rest);
        uint32_t triangle_a = a->triangle[2 * (bit >> 3) + ((bit & 4) >> 2)], triangle_b = b->triangle[bit & 3];
        if (too_large(pair, (uint64_t)triangle_a << 32 | triangle_b))
            continue;
        uint32_t meeting = CAROM_MEET_CROSSING;
        if (verdict.open >> bit & 1)
        {
            narrow_counts counts = {0};
            narrow_triangle ta = tree_world_triangle(pair->task->a, triangle_a);
            narrow_triangle tb = tree_world_triangle(pair->task->b, triangle_b);
            meeting = pair->options->need_meeting ? narrow_meet(&ta, &tb, &counts)
                                                  : (uint32_t)narrow_touches(&ta, &tb, &counts);
            counters->filter_undecided++;
            counters->exact_fallbacks += counts.exact_fallbacks;
            if (meeting == CAROM_MEET_NONE)
                continue;
        }
        any = true;
        if (pair->task->memory)
            pair->task->memory->leaf_a = leaf_a, pair->task->memory->leaf_b = leaf_b;
        if (!emit_pair(pair, triangle_a, triangle_b, meeting))
            return pair->violated = true, false;
    }
    if (any)
        pair->violated = true;
    else if (pair->options->clearance > 0.0 && !pair->violated)
        pair->violated = leaves_within(pair, a, b);
    return true;
}

/* ---- the walk ---- */

/* The nodes of a stack entry are slots, with the sizes of their two boxes in key and more. */
/* Leaf pairs wait here until their memory has arrived; a first-contact query does not wait. */
enum
{
    MAX_WAITING = 16
};

typedef struct walk
{
    wide_pair *pair;
    tree_scratch *scratch;
    uint64_t nodes_tested, nodes_paid; /* paid: taken from the budget already */
    uint64_t node_limit;               /* how many may be tested before the budget is asked again */
    uint32_t waiting_count, waiting_limit;
    size_t untouched; /* leaf pairs that the budget did not reach; they are first in the front */
    uint32_t waiting[MAX_WAITING + WIDE_LANES][2]; /* one node's lanes more, if the budget ran out in it */
} walk;

static inline void prefetch_leaf(const wide_leaf *leaf)
{
    for (size_t at = 0; at < sizeof *leaf; at += BASE_CACHE_LINE)
        __builtin_prefetch((const char *)leaf + at);
}

/* Takes the nodes tested since the last time from the budget. */
static inline void pay_nodes(walk *w)
{
    base_budget *budget = w->pair->task->budget;
    uint64_t nodes = w->nodes_tested - w->nodes_paid;
    if (nodes == 0 || base_budget_is_unlimited(budget))
        return;
    budget->work_left -= nodes * WIDE_LANES;
    budget->begun = true;
    w->nodes_paid = w->nodes_tested;
}

/* Asking the budget at each node would take 4 % of the time: what it surely covers needs no question. A clock does. */
static inline void set_node_limit(walk *w)
{
    const base_budget *budget = w->pair->task->budget;
    w->node_limit = base_budget_is_unlimited(budget) ? UINT64_MAX
                    : budget->deadline != 0.0        ? w->nodes_paid
                                                     : w->nodes_paid + budget->work_left / WIDE_LANES;
}

/* At the limit: does the budget cover one more node? */
static BASE_NEVER_INLINE bool pay_next_node(walk *w)
{
    pay_nodes(w);
    if (!base_budget_spend(w->pair->task->budget, WIDE_LANES))
        return false;
    w->nodes_paid++;
    set_node_limit(w);
    return true;
}

/* False if the callback or the budget ended the search. */
static bool visit_waiting(walk *w, carom_status *status)
{
    pay_nodes(w);
    const wide_leaf *leaves_a = w->pair->tree_a->leaves, *leaves_b = w->pair->tree_b->leaves;
    for (uint32_t i = 0; i < w->waiting_count; i++)
    {
        uint32_t a = w->waiting[i][0], b = w->waiting[i][1];
        if (!base_budget_spend(w->pair->task->budget, leaves_a[a].count * leaves_b[b].count))
        {
            w->waiting_count -= i;
            memmove(w->waiting, w->waiting + i, w->waiting_count * sizeof *w->waiting);
            return *status = CAROM_UNKNOWN, false;
        }
        if (!visit_leaves(w->pair, a, b))
            return *status = CAROM_STOPPED, false;
    }
    w->waiting_count = 0;
    set_node_limit(w);
    return true;
}

static bool add_leaf_pair(walk *w, uint32_t leaf_a, uint32_t leaf_b, carom_status *status)
{
    w->waiting[w->waiting_count][0] = leaf_a, w->waiting[w->waiting_count][1] = leaf_b;
    if (++w->waiting_count >= w->waiting_limit)
        return visit_waiting(w, status);
    prefetch_leaf(&w->pair->tree_a->leaves[leaf_a]);
    prefetch_leaf(&w->pair->tree_b->leaves[leaf_b]);
    return true;
}

/* A node that was opened against a box of the other tree. */
typedef struct opening
{
    uint32_t node_index;
    wide_slot kept_slot;
    bool open_a;
} opening;

/* The same where only the smallest ids matter: without the lanes whose ids are too large, the smallest last. */
static BASE_RARE uint32_t order_by_ids(const wide_pair *pair, opening o, uint32_t alive, uint32_t lanes[8])
{
    uint64_t ids[8];
    uint32_t n = 0;
    for (; alive; alive &= alive - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(alive), at = n;
        wide_slot slot = o.node_index * WIDE_LANES + lane;
        uint64_t own = o.open_a ? smallest_ids(pair, slot, o.kept_slot) : smallest_ids(pair, o.kept_slot, slot);
        if (too_large(pair, own))
            continue;
        for (; at > 0 && ids[at - 1] < own; at--)
            lanes[at] = lanes[at - 1], ids[at] = ids[at - 1];
        lanes[at] = lane, ids[at] = own;
        n++;
    }
    return n;
}

/* The budget ran out in the middle of a node: these lanes stay open. */
static BASE_RARE bool leave_lanes(walk *w, opening o, const uint32_t *lanes, uint32_t count)
{
    const wide_tree *opened = o.open_a ? w->pair->tree_a : w->pair->tree_b;
    const wide_tree *kept = o.open_a ? w->pair->tree_b : w->pair->tree_a;
    uint32_t kept_child = wide_child(kept, o.kept_slot);
    for (uint32_t i = 0; i < count; i++)
    {
        wide_slot slot = o.node_index * WIDE_LANES + lanes[i];
        uint32_t child = wide_child(opened, slot);
        if (child & kept_child & WIDE_LEAF_FLAG)
        {
            uint32_t *waiting = w->waiting[w->waiting_count++];
            waiting[o.open_a ? 0 : 1] = child & ~WIDE_LEAF_FLAG;
            waiting[o.open_a ? 1 : 0] = kept_child & ~WIDE_LEAF_FLAG;
        }
        else
            w->scratch->stack.items[w->scratch->stack.count++] =
                o.open_a ? (tree_stack_entry){.node_a = slot, .node_b = o.kept_slot}
                         : (tree_stack_entry){.node_a = o.kept_slot, .node_b = slot};
    }
    return false;
}

static BASE_ALWAYS_INLINE uint32_t test_slot(const wide_tree *kept, wide_slot kept_slot,
                                             const wide_transform *transform, float margin, const wide_node *node,
                                             float gaps[8])
{
    moved_box box;
    f8 gap;
    move_box(kept, kept_slot, transform, &box);
    grow_box(&box, margin);
    uint32_t alive = test_node(&box, node, &gap);
    f8_storeu(gaps, gap);
    return alive;
}

/* Opens one side of an entry, whose slots have these children, against the box of the other. False: stop. */
static bool expand(walk *w, const tree_stack_entry *entry, const uint32_t children[2], bool open_a,
                   carom_status *status)
{
    wide_pair *pair = w->pair;
    const wide_tree *opened = open_a ? pair->tree_a : pair->tree_b, *kept = open_a ? pair->tree_b : pair->tree_a;
    wide_slot kept_slot = open_a ? entry->node_b : entry->node_a;
    const wide_transform *transform = open_a ? &pair->b_to_a : &pair->a_to_b;
    float margin = transform->pad;
    if (!pair->violated)
        margin += open_a ? pair->margin_a : pair->margin_b;
    uint32_t node_index = children[open_a ? 0 : 1], kept_child = children[open_a ? 1 : 0];
    const wide_node *node = &opened->nodes[node_index];
    float gaps[8];
    uint32_t alive = test_slot(kept, kept_slot, transform, margin, node, gaps);
    w->nodes_tested++;
    if (alive == 0)
        return true;
    float kept_size = open_a ? as_float(entry->more) : entry->key;
    if (!base_array_reserve(pair->task->context, &w->scratch->stack, WIDE_LANES))
        return *status = CAROM_OUT_OF_MEMORY, false;
    opening o = {node_index, kept_slot, open_a};
    uint32_t lanes[8];
    uint32_t count = pair->options->smallest ? order_by_ids(pair, o, alive, lanes) : order_lanes(alive, gaps, lanes);
    tree_stack_entry *stack = w->scratch->stack.items;
    for (uint32_t i = 0; i < count; i++)
    {
        wide_slot slot = node_index * WIDE_LANES + lanes[i];
        uint32_t child = node->child[lanes[i]];
        if (child & kept_child & WIDE_LEAF_FLAG)
        {
            uint32_t leaf = child & ~WIDE_LEAF_FLAG, kept_leaf = kept_child & ~WIDE_LEAF_FLAG;
            if (!add_leaf_pair(w, open_a ? leaf : kept_leaf, open_a ? kept_leaf : leaf, status))
                return *status == CAROM_UNKNOWN && leave_lanes(w, o, lanes + i + 1, count - i - 1);
            continue;
        }
        float own = slot_size(opened, slot);
        stack[w->scratch->stack.count++] = open_a ? (tree_stack_entry){slot, kept_slot, own, as_bits(kept_size)}
                                                  : (tree_stack_entry){kept_slot, slot, kept_size, as_bits(own)};
    }
    return true;
}

/* A part of a front is a slot, as tree_cut names it, or a flagged leaf of a pair that was left open. */
static bool is_leaf_pair(const wide_pair *pair, narrow_part_pair part, uint32_t leaves[2])
{
    bool flagged = part.part_a & part.part_b & WIDE_LEAF_FLAG;
    leaves[0] = flagged ? part.part_a : wide_child(pair->tree_a, part.part_a);
    leaves[1] = flagged ? part.part_b : wide_child(pair->tree_b, part.part_b);
    bool are_leaves = leaves[0] & leaves[1] & WIDE_LEAF_FLAG;
    leaves[0] &= ~WIDE_LEAF_FLAG, leaves[1] &= ~WIDE_LEAF_FLAG;
    return are_leaves;
}

static inline void push(walk *w, wide_slot slot_a, wide_slot slot_b)
{
    w->scratch->stack.items[w->scratch->stack.count++] = (tree_stack_entry){
        slot_a, slot_b, slot_size(w->pair->tree_a, slot_a), as_bits(slot_size(w->pair->tree_b, slot_b))};
}

/* Starts from a front: its leaf pairs are tested at once, the others go on the stack. */
static BASE_NEVER_INLINE carom_status begin_from_front(walk *w, narrow_front *front)
{
    carom_status status = CAROM_OK;
    uint32_t leaves[2];
    if (!base_array_reserve(w->pair->task->context, &w->scratch->stack, front->count + 1))
        return CAROM_OUT_OF_MEMORY;
    for (size_t i = front->count; i-- > 0;)
        if (!is_leaf_pair(w->pair, front->items[i], leaves))
            push(w, front->items[i].part_a, front->items[i].part_b);
    for (size_t i = 0; i < front->count; i++)
    {
        if (!is_leaf_pair(w->pair, front->items[i], leaves))
            continue;
        if (status == CAROM_OK)
            add_leaf_pair(w, leaves[0], leaves[1], &status);
        else
            front->items[w->untouched++] = front->items[i];
    }
    return status;
}

static BASE_NEVER_INLINE carom_status begin_from_roots(walk *w)
{
    carom_status status = CAROM_OK;
    const wide_tree *a = w->pair->tree_a, *b = w->pair->tree_b;
    if (!base_array_reserve(w->pair->task->context, &w->scratch->stack, 2))
        return CAROM_OUT_OF_MEMORY;
    if (wide_child(a, 0) & wide_child(b, 0) & WIDE_LEAF_FLAG)
        add_leaf_pair(w, 0, 0, &status);
    else
        push(w, 0, 0);
    return status;
}

/* What the budget left open goes back into the front, what would have been next first. */
static BASE_RARE carom_status leave_front(const walk *w)
{
    narrow_front *front = w->pair->task->front;
    const tree_stack_entry *stack = w->scratch->stack.items;
    size_t open = w->scratch->stack.count;
    front->count = w->untouched;
    if (!base_array_reserve(w->pair->task->context, front, open + w->waiting_count))
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < w->waiting_count; i++)
        front->items[front->count++] =
            (narrow_part_pair){w->waiting[i][0] | WIDE_LEAF_FLAG, w->waiting[i][1] | WIDE_LEAF_FLAG, 0.0f};
    while (open-- > 0)
        front->items[front->count++] = (narrow_part_pair){stack[open].node_a, stack[open].node_b, 0.0f};
    return CAROM_UNKNOWN;
}

/* Are the boxes of the whole meshes apart? Those of machine parts often fit so well that this decides. If the gap is
 * too small for floats, as between two plates, the whole of both would be searched: so the boxes are compared in double
 * as well. */
static BASE_NEVER_INLINE bool roots_are_apart(walk *w)
{
    const wide_pair *pair = w->pair;
    moved_box box;
    f8 gap;
    float gaps[WIDE_LANES], margin = pair->b_to_a.pad + (pair->violated ? 0.0f : pair->margin_a);
    move_box(pair->tree_b, 0, &pair->b_to_a, &box);
    grow_box(&box, margin);
    w->nodes_tested++, w->nodes_paid++;
    if (test_node(&box, &pair->tree_a->nodes[0], &gap) == 0)
        return true;
    f8_storeu(gaps, gap);
    return gaps[0] > -4.0f * MOVE_ROUNDING * (box.lengths + 10.75f) &&
           wide_boxes_apart(pair, pair->violated ? 0.0 : pair->options->clearance);
}

static BASE_ALWAYS_INLINE carom_status walk_stack(walk *w)
{
    const wide_pair *pair = w->pair;
    const wide_tree *a = pair->tree_a, *b = pair->tree_b;
    tree_scratch *scratch = w->scratch;
    carom_status status = CAROM_OK;
    while (scratch->stack.count > 0)
    {
        tree_stack_entry entry = scratch->stack.items[--scratch->stack.count];
        if (pair->options->smallest && too_large(pair, smallest_ids(pair, entry.node_a, entry.node_b)))
            continue;
        const uint32_t children[2] = {wide_child(a, entry.node_a), wide_child(b, entry.node_b)};
        bool leaf_a = children[0] & WIDE_LEAF_FLAG, leaf_b = children[1] & WIDE_LEAF_FLAG;
        bool open_a = leaf_b || (!leaf_a && entry.key > as_float(entry.more) * pair->b_to_a.ratio);
        if (w->nodes_tested >= w->node_limit && !pay_next_node(w))
        {
            scratch->stack.count++; /* not covered by the budget: it stays on the stack */
            return CAROM_UNKNOWN;
        }
        if (!expand(w, &entry, children, open_a, &status))
            break;
    }
    return status;
}

carom_status BASE_ISA(wide_collide_walk)(wide_pair *pair)
{
    walk w = {.pair = pair, .scratch = pair->task->scratch};
    narrow_front *front = pair->task->front;
    w.waiting_limit = pair->options->every_pair ? MAX_WAITING : 1;
    carom_status status = CAROM_OK;
    bool nearby = pair->near_a | pair->near_b;
    w.scratch->stack.count = 0;
    if (front && front->count > 0)
        status = begin_from_front(&w, front);
    else if (nearby || !base_budget_spend(pair->task->budget, WIDE_LANES) || !roots_are_apart(&w))
        status = begin_from_roots(&w);
    if (status == CAROM_OK && nearby)
        push(&w, pair->near_a, pair->near_b);
    set_node_limit(&w);
    if (status == CAROM_OK)
        status = walk_stack(&w);
    if (status == CAROM_OK)
        visit_waiting(&w, &status);
    pay_nodes(&w);
    pair->task->counters->boxes_tested += w.nodes_tested * WIDE_LANES;
    if (front && status == CAROM_UNKNOWN)
        status = leave_front(&w);
    else if (front)
        front->count = 0;
    if (status == CAROM_OUT_OF_MEMORY)
        return base_fail(pair->task->context, status, "collide: out of memory");
    return status;
}
