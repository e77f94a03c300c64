/* The ray layout: made from a binary tree, fitted, measured. */
#include "tree/rays.h"
#include "tree/rays_fit.h"
#include "tree/subtrees.h"

static const uint32_t NO_NODE = UINT32_MAX;

enum
{
    NODES_PER_TASK = 128,
    MAX_WAITING = BUILD_DEPTH_LIMIT * (RAY_WIDTH - 1) + 1, /* at most seven siblings on each level */
    FEW = 4 /* this many leaves are better placed in their parent's node than in a separate one */
};

_Static_assert(sizeof(ray_tree) <= RAY_HEADER, "the header fits its place");
_Static_assert(sizeof(ray_node) == 224 && sizeof(ray_block) == 160, "no padding");

static carom_status out_of_memory(carom_context *context, uint32_t triangle_count)
{
    return base_fail(context, CAROM_OUT_OF_MEMORY, "ray tree of %u triangles: out of memory", triangle_count);
}

/* ---- from two children to eight ---- */

typedef struct wide_members
{
    uint32_t binary[RAY_WIDTH]; /* nodes of the binary tree */
    uint32_t child[RAY_WIDTH];
    uint32_t count;
} wide_members;

/* The cheapest way to fill 1 to 8 slots from each binary node's subtree; the cost is the area of the wide nodes, which
 * is the number that a random ray visits. */
typedef struct slot_plan
{
    float cost[RAY_WIDTH];   /* with i + 1 slots */
    uint8_t left[RAY_WIDTH]; /* slots for the left child; 0: one slot fewer is as good, or the node itself for one */
} slot_plan;

typedef struct collapse
{
    carom_context *context;
    base_arena *scratch;
    const build_tree *tree;
    slot_plan *plans; /* null: open the largest child, which is quicker */
    uint8_t *leaves;  /* then: how many are under each node; FEW + 1 stands for more */
    BASE_ARRAY(wide_members) nodes;
    uint32_t block_count, depth;
} collapse;

typedef struct open_wide
{
    uint32_t node, binary, depth;
} open_wide;

static void plan_node(const build_tree *tree, slot_plan *plans, uint32_t index)
{
    slot_plan *plan = &plans[index];
    memset(plan, 0, sizeof *plan);
    if (tree->nodes[index].count)
        return;
    const slot_plan *left = &plans[tree->nodes[index].first], *right = left + 1;
    for (uint32_t slots = 2; slots <= RAY_WIDTH; slots++)
    {
        float best = INFINITY;
        for (uint32_t share = 1; share < slots; share++)
        {
            float cost = left->cost[share - 1] + right->cost[slots - share - 1];
            if (cost < best)
                best = cost, plan->left[slots - 1] = (uint8_t)share;
        }
        plan->cost[slots - 1] = best;
    }
    plan->cost[0] = tree->areas[index] + plan->cost[RAY_WIDTH - 1];
    /* Strictly less: with all eight slots a node is always opened, even if areas are zero. */
    for (uint32_t slots = 2; slots <= RAY_WIDTH; slots++)
        if (plan->cost[slots - 2] < plan->cost[slots - 1])
            plan->cost[slots - 1] = plan->cost[slots - 2], plan->left[slots - 1] = 0;
}

static void gather_planned(const collapse *work, uint32_t root, wide_members *members)
{
    struct
    {
        uint32_t binary, slots;
    } open[RAY_WIDTH] = {{root, RAY_WIDTH}}, at;
    uint32_t open_count = 1;
    members->count = 0;
    while (open_count)
    {
        at = open[--open_count];
        const slot_plan *plan = &work->plans[at.binary];
        while (at.slots > 1 && !plan->left[at.slots - 1])
            at.slots--;
        if (at.slots == 1)
        {
            members->binary[members->count++] = at.binary;
            continue;
        }
        uint32_t child = work->tree->nodes[at.binary].first, share = plan->left[at.slots - 1];
        open[open_count].binary = child + 1;
        open[open_count++].slots = at.slots - share;
        open[open_count].binary = child;
        open[open_count++].slots = share;
    }
}

static void plan_nodes(uint32_t first, uint32_t last, void *data)
{
    const collapse *work = data;
    for (uint32_t i = last; i-- > first;)
        plan_node(work->tree, work->plans, i);
}

static void count_leaves(uint32_t first, uint32_t last, void *data)
{
    const collapse *work = data;
    const tree_node *nodes = work->tree->nodes;
    for (uint32_t i = last; i-- > first;)
    {
        const uint8_t *child = &work->leaves[nodes[i].first];
        int count = nodes[i].count ? 1 : child[0] + child[1];
        work->leaves[i] = (uint8_t)(count <= FEW ? count : FEW + 1);
    }
}

/* Opens the largest inner member until eight are there, but before that those that would become small nodes. */
static void gather_largest(const collapse *work, uint32_t root, wide_members *members)
{
    const build_tree *tree = work->tree;
    members->binary[0] = root;
    members->count = 1;
    while (members->count < RAY_WIDTH)
    {
        uint32_t largest = NO_NODE;
        float largest_area = -1.0f;
        for (uint32_t i = 0; i < members->count; i++)
        {
            uint32_t binary = members->binary[i], leaves = work->leaves[binary];
            bool fits = leaves <= FEW && members->count + leaves - 1 <= RAY_WIDTH;
            float area = fits ? INFINITY : tree->areas[binary];
            if (leaves > 1 && area > largest_area)
                largest = i, largest_area = area;
        }
        if (largest == NO_NODE)
            return;
        uint32_t child = tree->nodes[members->binary[largest]].first;
        members->binary[largest] = child;
        members->binary[members->count++] = child + 1;
    }
}

static void gather_members(const collapse *work, uint32_t root, wide_members *members)
{
    if (work->plans)
        gather_planned(work, root, members);
    else
        gather_largest(work, root, members);
}

static bool collapse_tree(collapse *work)
{
    open_wide waiting[MAX_WAITING];
    uint32_t waiting_count = 0;
    waiting[waiting_count++] = (open_wide){0, 0, 1};
    if (!base_array_reserve(work->context, &work->nodes, work->tree->node_count / 8 + 1))
        return false;
    work->nodes.count = 1;
    while (waiting_count)
    {
        open_wide open = waiting[--waiting_count];
        if (!base_array_reserve(work->context, &work->nodes, RAY_WIDTH))
            return false;
        wide_members *members = &work->nodes.items[open.node];
        gather_members(work, open.binary, members);
        work->depth = open.depth > work->depth ? open.depth : work->depth;
        for (uint32_t i = 0; i < members->count; i++)
        {
            if (work->tree->nodes[members->binary[i]].count)
            {
                members->child[i] = RAY_LEAF_FLAG | work->block_count++;
                continue;
            }
            members->child[i] = (uint32_t)work->nodes.count++;
            waiting[waiting_count++] = (open_wide){members->child[i], members->binary[i], open.depth + 1};
        }
    }
    return true;
}

/* The Morton builder is chosen for fast builds: there the plan is quick too. */
static bool plan_slots(collapse *work, const carom_tree_def *def)
{
    bool quick = def->builder == CAROM_BUILDER_MORTON;
    uint32_t count = work->tree->node_count;
    if (quick)
        work->leaves = base_arena_allocate(work->scratch, count, sizeof *work->leaves, BASE_CACHE_LINE);
    else
        work->plans = base_arena_allocate(work->scratch, count, sizeof *work->plans, BASE_CACHE_LINE);
    if (!work->leaves && !work->plans)
        return false;
    tree_subtrees parts;
    tree_subtrees_cut(work->tree->nodes, count, build_children, &parts);
    tree_subtrees_climb(work->context, &parts, quick ? count_leaves : plan_nodes, work);
    return true;
}

/* ---- life ---- */

static void set_frame(carom_context *context, ray_tree *tree, build_frame frame, const carom_aabb *bounds)
{
    carom_vec3 low = vec3_scale(vec3_sub(bounds->min, frame.centre), frame.scale);
    carom_vec3 high = vec3_scale(vec3_sub(bounds->max, frame.centre), frame.scale);
    tree->frame = frame;
    tree->fit = atomic_fetch_add(&context->next_serial, 1);
    memcpy(tree->low, (double[4]){low.x, low.y, low.z, -INFINITY}, sizeof tree->low);
    memcpy(tree->high, (double[4]){high.x, high.y, high.z, INFINITY}, sizeof tree->high);
}

ray_tree *ray_tree_allocate(carom_context *context, const carom_mesh *mesh, uint32_t node_count, uint32_t block_count)
{
    size_t size = RAY_HEADER + node_count * sizeof(ray_node) + block_count * sizeof(ray_block);
    bool fits = node_count < RAY_LEAF_FLAG / RAY_NODE_UNITS && block_count < RAY_LEAF_FLAG / RAY_BLOCK_UNITS;
    ray_tree *tree = fits ? base_allocate(context, 1, size, BASE_CACHE_LINE) : NULL; /* 64 GB of either at most */
    if (!tree)
        return out_of_memory(context, mesh->triangle_count), NULL;
    memset(tree, 0, RAY_HEADER);
    tree->size = size;
    set_frame(context, tree, build_frame_of(&mesh->info.bounds), &mesh->info.bounds);
    tree->node_count = node_count;
    tree->block_count = block_count;
    tree->triangle_count = mesh->triangle_count;
    return tree;
}

void ray_node_fill(ray_node *node, const uint32_t *children, uint32_t count)
{
    for (int lane = 0; lane < RAY_WIDTH; lane++)
    {
        for (int plane = 0; plane < RAY_PLANES; plane++)
            node->planes[plane][lane] = plane & 1 ? -8.0f : 8.0f;
        node->child[lane] = (uint32_t)lane < count ? ray_child_at(children[lane]) : RAY_NO_CHILD;
    }
}

void ray_block_fill(ray_block *block, const uint32_t *triangles, uint32_t count)
{
    for (uint32_t k = 0; k < RAY_LEAF; k++)
        block->triangle[k] = k < count ? triangles[k] : CAROM_NO_TRIANGLE;
}

typedef struct fill_task
{
    const collapse *work;
    const build_result *built;
    ray_tree *tree;
} fill_task;

static void fill_nodes(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const fill_task *task = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
    {
        const wide_members *members = &task->work->nodes.items[i];
        ray_node_fill(&ray_tree_nodes(task->tree)[i], members->child, members->count);
        for (uint32_t lane = 0; lane < members->count; lane++)
        {
            tree_node leaf = task->built->tree.nodes[members->binary[lane]];
            if (leaf.count)
                ray_block_fill(&ray_tree_blocks(task->tree)[members->child[lane] & ~RAY_LEAF_FLAG],
                               task->built->order + leaf.first, leaf.count);
        }
    }
}

static carom_status assemble(const collapse *work, const carom_mesh *mesh, const build_result *built, ray_tree **out)
{
    ray_tree *tree = ray_tree_allocate(work->context, mesh, (uint32_t)work->nodes.count, work->block_count);
    if (!tree)
        return CAROM_OUT_OF_MEMORY;
    tree->reference_count = built->reference_count;
    tree->depth = work->depth;
    fill_task task = {work, built, tree};
    base_parallel_for(work->context, tree->node_count, NODES_PER_TASK, fill_nodes, &task);
    *out = tree;
    return CAROM_OK;
}

bool ray_tree_in_order(const ray_tree *tree)
{
    uint32_t waiting[MAX_WAITING], waiting_count = 0, next = 1;
    if (tree->node_count)
        waiting[waiting_count++] = 0;
    while (waiting_count)
    {
        const ray_node *node = &ray_tree_nodes(tree)[waiting[--waiting_count]];
        for (int lane = 0; lane < RAY_WIDTH; lane++)
        {
            if (node->child[lane] & RAY_LEAF_FLAG)
                continue;
            if (ray_child_index(node->child[lane]) != next || waiting_count == MAX_WAITING)
                return false;
            waiting[waiting_count++] = next++;
        }
    }
    return true;
}

carom_status ray_tree_fit(carom_context *context, ray_tree *tree, const carom_mesh *mesh)
{
    ray_fit fit = {.tree = tree, .mesh = mesh};
    carom_status status = ray_fit_begin(context, &fit) ? CAROM_OK : out_of_memory(context, mesh->triangle_count);
    if (status == CAROM_OK)
        ray_fit_run(context, &fit);
    ray_fit_end(context, &fit);
    return status;
}

static carom_status collapse_built(base_arena *scratch, const carom_mesh *mesh, const carom_tree_def *def,
                                   const build_result *built, ray_tree **out)
{
    carom_context *context = scratch->context;
    collapse work = {.context = context, .scratch = scratch, .tree = &built->tree};
    carom_status status = CAROM_OK;
    if (built->tree.node_count && !(plan_slots(&work, def) && collapse_tree(&work)))
        status = out_of_memory(context, mesh->triangle_count);
    if (status == CAROM_OK)
        status = assemble(&work, mesh, built, out);
    base_array_free(context, &work.nodes);
    return status;
}

carom_status ray_tree_create(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def, ray_tree **out)
{
    carom_tree_def small = *def;
    small.leaf_size = def->leaf_size && def->leaf_size < RAY_LEAF ? def->leaf_size : RAY_LEAF;
    build_result built = {0};
    base_arena scratch = {.context = context};
    carom_status status = build_reserve(&scratch, mesh, 0) ? build_with_areas(&scratch, mesh, &small, RAY_LEAF, &built)
                                                           : out_of_memory(context, mesh->triangle_count);
    if (status == CAROM_OK)
    {
        status = collapse_built(&scratch, mesh, def, &built, out);
        build_result_free(context, &built);
    }
    base_arena_free(&scratch);
    if (status == CAROM_OK)
        status = ray_tree_fit(context, *out, mesh);
    if (status != CAROM_OK)
        ray_tree_destroy(context, *out), *out = NULL;
    return status;
}

void ray_tree_destroy(carom_context *context, ray_tree *tree)
{
    if (tree)
        base_release(context, tree, 1, tree->size);
}

/* ---- refit ---- */

static bool frame_holds(const build_frame *frame, const carom_aabb *bounds)
{
    carom_vec3 low = vec3_scale(vec3_sub(bounds->min, frame->centre), frame->scale);
    carom_vec3 high = vec3_scale(vec3_sub(bounds->max, frame->centre), frame->scale);
    return low.x >= -1.0 && low.y >= -1.0 && low.z >= -1.0 && high.x <= 1.0 && high.y <= 1.0 && high.z <= 1.0;
}

carom_status ray_tree_refit(carom_context *context, ray_tree *tree, const carom_mesh *old, const carom_mesh *moved)
{
    ray_fit fit = {.tree = tree, .mesh = moved};
    build_frame frame = build_frame_of(&moved->info.bounds);
    /* The old frame is kept if everything lies in it and it is not far too large. */
    bool keep = frame_holds(&tree->frame, &moved->info.bounds) && frame.scale <= 4.0 * tree->frame.scale;
    ray_tree before = *tree;
    set_frame(context, tree, keep ? tree->frame : frame, &moved->info.bounds);
    if (!ray_fit_begin(context, &fit) || (keep && !ray_fit_compare(context, &fit, old)))
    {
        *tree = before;
        ray_fit_end(context, &fit);
        return out_of_memory(context, moved->triangle_count);
    }
    ray_fit_run(context, &fit);
    ray_fit_end(context, &fit);
    return CAROM_OK;
}

/* ---- statistics ---- */

carom_aabb ray_tree_box(const ray_tree *tree, uint32_t node, int lane)
{
    float(*planes)[RAY_WIDTH] = ray_tree_nodes(tree)[node].planes;
    double size = 1.0 / tree->frame.scale, pad = 0x1p-23;
    carom_vec3 low = vec3((double)planes[0][lane] - pad, (double)planes[2][lane] - pad, (double)planes[4][lane] - pad);
    carom_vec3 high = vec3((double)planes[1][lane] + pad, (double)planes[3][lane] + pad, (double)planes[5][lane] + pad);
    return (carom_aabb){vec3_add(vec3_scale(low, size), tree->frame.centre),
                        vec3_add(vec3_scale(high, size), tree->frame.centre)};
}

typedef struct box_size
{
    double area, volume;
} box_size;

static box_size lane_size(const ray_node *node, int first, int last)
{
    double extent[3];
    for (int axis = 0; axis < 3; axis++)
    {
        float low = INFINITY, high = -INFINITY;
        for (int lane = first; lane <= last; lane++)
        {
            if (node->child[lane] == RAY_NO_CHILD)
                continue;
            low = fminf(low, node->planes[2 * axis][lane]);
            high = fmaxf(high, node->planes[2 * axis + 1][lane]);
        }
        extent[axis] = (double)high - (double)low;
    }
    return (box_size){extent[0] * extent[1] + extent[1] * extent[2] + extent[2] * extent[0],
                      extent[0] * extent[1] * extent[2]};
}

void ray_tree_describe(const ray_tree *tree, carom_tree_info *info)
{
    info->node_count = tree->node_count;
    info->leaf_count = tree->block_count;
    info->depth = tree->depth;
    info->reference_count = tree->reference_count;
    info->bytes += tree->size;
}

void ray_tree_costs(const ray_tree *tree, double *area_cost, double *volume_cost)
{
    *area_cost = *volume_cost = 0.0;
    if (!tree->node_count)
        return;
    const ray_node *nodes = ray_tree_nodes(tree);
    const ray_block *blocks = ray_tree_blocks(tree);
    box_size root = lane_size(&nodes[0], 0, RAY_WIDTH - 1), sum = {0.0, 0.0};
    for (uint32_t i = 0; i < tree->node_count; i++)
    {
        box_size own = lane_size(&nodes[i], 0, RAY_WIDTH - 1);
        sum.area += own.area, sum.volume += own.volume;
        for (int lane = 0; lane < RAY_WIDTH; lane++)
        {
            uint32_t child = ray_child_index(nodes[i].child[lane]);
            if (child == RAY_NO_CHILD || !(child & RAY_LEAF_FLAG))
                continue;
            box_size leaf = lane_size(&nodes[i], lane, lane);
            const uint32_t *triangle = blocks[child & ~RAY_LEAF_FLAG].triangle;
            for (int k = 0; k < RAY_LEAF && triangle[k] != CAROM_NO_TRIANGLE; k++)
                sum.area += leaf.area, sum.volume += leaf.volume;
        }
    }
    *area_cost = root.area > 0.0 ? sum.area / root.area : 0.0;
    *volume_cost = root.volume > 0.0 ? sum.volume / root.volume : 0.0;
}
