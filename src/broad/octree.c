/* Broad phase `octree`: a loose octree (the chapter's 25.1; Thatcher Ulrich, "Loose octrees", Game Programming Gems,
 * 2000).
 *
 * Each box is in the smallest cell that is as large as the box and has its centre, so the cell, made twice as large,
 * contains it. Nodes know the bounds of what is in them, which are at most that. The tree is made anew in each call:
 * boxes are sorted by their nodes' numbers in preorder, and each is tested against the nodes from its own on. What is
 * too large for the root's cube, or outside it, is at the root. If that makes too many at one node, as when some bodies
 * are far beyond the place where most are, coordinates are first replaced by about how many boxes begin below them.
 *
 * It pays off for boxes of different sizes that are spread unevenly. */
#include "broad/octree.h"
#include "broad/cells.h"

static void destroy(void *state)
{
    broad_octants *tree = state;
    carom_context *context = tree->rows.context;
    broad_rows_close(&tree->rows);
    base_array_free(context, &tree->nodes);
    base_array_free(context, &tree->items);
    base_array_free(context, &tree->sorted);
    base_release(context, tree, 1, sizeof *tree);
}

static carom_status create(carom_context *context, void **out)
{
    broad_octants *tree = base_allocate(context, 1, sizeof *tree, BASE_CACHE_LINE);
    *out = NULL;
    if (tree)
        memset(tree, 0, sizeof *tree);
    if (!tree || !broad_rows_open(&tree->rows, context))
    {
        if (tree)
            destroy(tree);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase octree: no memory");
    }
    *out = tree;
    return CAROM_OK;
}

/* ---- cells ---- */

/* A cell: its level, and per level, the root's first, three bits that say which child it is. */
typedef struct cell
{
    int level;
    uint32_t path;
} cell;

static void choose_cube(broad_octants *tree, const broad_input *input)
{
    broad_statistics statistics = broad_cells_measure(&tree->rows, input);
    carom_vec3 size = vec3_sub(statistics.high, statistics.low);
    double side = 2.0 * fmax(size.x, fmax(size.y, size.z));
    tree->side = side > 0.0 && side < 1e300 ? side : 0.0;
    for (int axis = 0; axis < 3; axis++)
        *vec3_part(&tree->low, axis) =
            0.5 * vec3_at(&statistics.low, axis) + 0.5 * vec3_at(&statistics.high, axis) - 0.5 * tree->side;
    tree->depth = 2;
    for (uint64_t cells = 8; cells < statistics.count && tree->depth < BROAD_OCTREE_DEPTH; cells *= 8)
        tree->depth++;
}

/* Two zero bits between the low 10 bits of a number. */
static uint32_t spread(uint32_t x)
{
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

/* Where a coordinate is among the knots, from 0 to 1: monotonic, so boxes stay boxes. */
static double even_place(const double knots[BROAD_OCTREE_KNOTS + 1], double at)
{
    uint32_t first = 0, last = BROAD_OCTREE_KNOTS;
    while (last - first > 1)
    {
        uint32_t middle = (first + last) / 2;
        if (at >= knots[middle])
            first = middle;
        else
            last = middle;
    }
    double part = (at - knots[first]) / (knots[last] - knots[first]);
    part = part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0; /* also what is not a number */
    return (first + part) / BROAD_OCTREE_KNOTS;
}

static carom_aabb even_box(const broad_octants *tree, const carom_aabb *box)
{
    carom_aabb even;
    for (int axis = 0; axis < 3; axis++)
    {
        *vec3_part(&even.min, axis) = even_place(tree->knots[axis], vec3_at(&box->min, axis));
        *vec3_part(&even.max, axis) = even_place(tree->knots[axis], vec3_at(&box->max, axis));
    }
    return even;
}

static cell cell_of(const broad_octants *tree, const carom_aabb *box)
{
    carom_aabb even;
    if (tree->is_uneven)
        even = even_box(tree, box), box = &even;
    carom_vec3 size = vec3_sub(box->max, box->min);
    double extent = fmax(size.x, fmax(size.y, size.z)), side = tree->side;
    uint32_t at[3];
    int level = 0;
    while (level < tree->depth && extent <= 0.5 * side)
        level++, side *= 0.5;
    for (int axis = 0; axis < 3; axis++)
    {
        double centre = 0.5 * vec3_at(&box->min, axis) + 0.5 * vec3_at(&box->max, axis) - vec3_at(&tree->low, axis);
        double index = centre / side;
        if (level == 0 || !(index >= 0.0 && index < (double)(1u << level)))
            return (cell){0, 0};
        at[axis] = (uint32_t)index;
    }
    return (cell){level, spread(at[0]) << 2 | spread(at[1]) << 1 | spread(at[2])};
}

/* Nodes of a full tree of some levels. */
static uint32_t nodes_of(int levels)
{
    uint32_t nodes = 0;
    for (int i = 0; i < levels; i++)
        nodes = 8 * nodes + 1;
    return nodes;
}

/* A cell's number in preorder, in a full tree. */
static uint32_t number_of(cell at, const uint32_t below[BROAD_OCTREE_DEPTH + 1])
{
    uint32_t number = 0;
    for (int level = 1; level <= at.level; level++)
        number += 1 + (at.path >> (3 * (at.level - level)) & 7) * below[level];
    return number;
}

static bool sort_boxes(broad_octants *tree, const broad_input *input)
{
    enum
    {
        ROLE_BITS = 2
    };
    uint32_t below[BROAD_OCTREE_DEPTH + 1]; /* nodes of a subtree, by the level of its root */
    for (int level = 0; level <= BROAD_OCTREE_DEPTH; level++)
        below[level] = nodes_of(BROAD_OCTREE_DEPTH + 1 - level);
    tree->items.count = tree->sorted.count = 0;
    if (!base_array_reserve(tree->rows.context, &tree->items, input->slot_count) ||
        !base_array_reserve(tree->rows.context, &tree->sorted, input->slot_count))
        return false;
    for (uint32_t slot = 0; slot < input->slot_count; slot++)
    {
        broad_role role = broad_rows_role(&tree->rows, slot);
        if (role == BROAD_IDLE)
            continue;
        uint64_t number = number_of(cell_of(tree, &input->boxes[slot]), below);
        tree->items.items[tree->items.count++] = (number << ROLE_BITS | role) << 32 | slot;
    }
    if (tree->items.count > 0)
        base_sort_codes(tree->rows.context, tree->items.items, tree->sorted.items, (uint32_t)tree->items.count);
    tree->sorted.count = tree->items.count;
    return true;
}

/* ---- boxes far beyond the others ---- */

/* Are more boxes at one node than would be if they were spread? */
static bool has_crowded_node(const broad_octants *tree)
{
    double most = 64.0 + 8.0 * sqrt((double)tree->sorted.count);
    for (size_t begin = 0, end; begin < tree->sorted.count; begin = end)
    {
        for (end = begin + 1;
             end < tree->sorted.count && tree->sorted.items[end] >> 32 == tree->sorted.items[begin] >> 32;)
            end++;
        if ((double)(end - begin) > most)
            return true;
    }
    return false;
}

/* Knots at the low ends of some of the boxes in the tree. */
static void choose_knots(broad_octants *tree, const broad_input *input)
{
    enum
    {
        SAMPLES = 4 * BROAD_OCTREE_KNOTS
    };
    size_t count = tree->sorted.count;
    for (int axis = 0; axis < 3; axis++)
    {
        base_key_value at[SAMPLES], space[SAMPLES];
        for (size_t i = 0; i < SAMPLES; i++)
        {
            uint32_t slot = (uint32_t)tree->sorted.items[i * count / SAMPLES];
            at[i] = (base_key_value){broad_sortable(vec3_at(&input->boxes[slot].min, axis)), slot};
        }
        base_sort_keys(at, space, SAMPLES);
        for (size_t i = 0; i < BROAD_OCTREE_KNOTS; i++)
            tree->knots[axis][i] = vec3_at(&input->boxes[at[4 * i].value].min, axis);
        tree->knots[axis][BROAD_OCTREE_KNOTS] = vec3_at(&input->boxes[at[SAMPLES - 1].value].max, axis);
    }
    tree->is_uneven = true, tree->low = (carom_vec3){0, 0, 0}, tree->side = 1.0;
}

/* Boxes by their nodes, in a cube or among knots. */
static bool find_nodes(broad_octants *tree, const broad_input *input)
{
    tree->is_uneven = false;
    choose_cube(tree, input);
    if (!sort_boxes(tree, input))
        return false;
    if (!has_crowded_node(tree))
        return true;
    choose_knots(tree, input);
    return sort_boxes(tree, input);
}

/* ---- nodes ---- */

/* Nodes from the root to the last one. */
typedef struct node_path
{
    uint32_t node[BROAD_OCTREE_DEPTH + 1];
    cell at;
} node_path;

static void open_node(broad_octants *tree, uint32_t position)
{
    broad_octant *node = &tree->nodes.items[tree->nodes.count++];
    for (int axis = 0; axis < 3; axis++)
        for (int lane = 0; lane < BROAD_LANES; lane++)
            node->bounds.low[axis][lane] = INFINITY, node->bounds.high[axis][lane] = -INFINITY;
    for (int lane = 0; lane < BROAD_LANES; lane++)
        node->child[lane] = BROAD_NO_SLOT;
    node->first = node->last = position;
    for (int role = 0; role < BROAD_ROLES; role++)
        node->ends[role] = position, node->partners[role] = 0;
}

/* Ends the nodes that a cell is not in, and begins those that it is in. */
static bool go_to(broad_octants *tree, node_path *path, cell at, uint32_t position)
{
    int common = path->at.level < at.level ? path->at.level : at.level;
    while (path->at.path >> 3 * (path->at.level - common) != at.path >> 3 * (at.level - common))
        common--;
    for (int level = common + 1; level <= path->at.level; level++)
        tree->nodes.items[path->node[level]].last = position;
    if (!base_array_reserve(tree->rows.context, &tree->nodes, at.level - common))
        return false;
    for (int level = common + 1; level <= at.level; level++)
    {
        uint32_t index = path->node[level] = (uint32_t)tree->nodes.count;
        open_node(tree, position);
        broad_octant *parent = &tree->nodes.items[path->node[level - 1]];
        uint32_t lane = at.path >> 3 * (at.level - level) & 7;
        parent->child[lane] = index;
    }
    path->at = at;
    return true;
}

static bool make_nodes(broad_octants *tree, const broad_input *input)
{
    node_path path = {.node = {0}, .at = {0, 0}};
    uint32_t count = (uint32_t)tree->sorted.count;
    tree->nodes.count = 0;
    if (!base_array_reserve(tree->rows.context, &tree->nodes, 1))
        return false;
    open_node(tree, 0);
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t slot = (uint32_t)tree->sorted.items[i];
        if (!go_to(tree, &path, cell_of(tree, &input->boxes[slot]), i))
            return false;
        broad_rows_add(&tree->rows, input, slot);
        broad_octant *node = &tree->nodes.items[path.node[path.at.level]];
        broad_role own = broad_rows_role(&tree->rows, slot);
        for (broad_role role = own; role < BROAD_ROLES; role++)
            node->ends[role] = i + 1;
        for (uint32_t left = tree->rows.roles.partners[own]; left; left &= left - 1)
            node->partners[__builtin_ctz(left)] |= 1u << BROAD_LANES;
    }
    return go_to(tree, &path, (cell){0, 0}, count) && (tree->nodes.items[0].last = count, true);
}

/* ---- a call ---- */

static void add_runs(broad_search *search, uint32_t first, uint32_t last, const void *data)
{
    const broad_octants *tree = data;
    BASE_PICK_ISA(tree->rows.context, broad_octree_descend)(tree, search, first, last);
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    broad_octants *tree = state;
    out->count = 0;
    bool enough = broad_rows_begin(&tree->rows, input);
    enough = enough && find_nodes(tree, input) && make_nodes(tree, input) && broad_rows_load(&tree->rows, input);
    if (enough)
        BASE_PICK_ISA(tree->rows.context, broad_octree_bound)(tree);
    broad_visit visit = {add_runs, tree, (uint32_t)tree->rows.boxes.count, BROAD_NO_AXIS};
    if (!enough || !broad_rows_search(&tree->rows, input, &visit, out, boxes_tested))
        return base_fail(tree->rows.context, CAROM_OUT_OF_MEMORY, "broad phase octree: no memory for %u boxes",
                         input->slot_count);
    return CAROM_OK;
}

const broad_kind broad_octree = {
    {"octree", "a loose octree: for boxes of different sizes, spread unevenly"}, create, find_pairs, destroy};
