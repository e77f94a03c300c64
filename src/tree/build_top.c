/* The top of a tree level by level, then its subtrees as tasks. */
#include "tree/build_top.h"

enum
{
    SUBTREES = 64,     /* roughly: enough that workers end at nearly the same time */
    MIN_GRAIN = 1024,  /* records; fewer are not worth a task */
    MAX_GRAIN = 32768, /* more do not fit a cache */
    SMALLEST_BLOCK = 2048,
    BLOCKS = 512 /* about as many at most */
};

static uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t greater(uint32_t a, uint32_t b) { return a > b ? a : b; }

bool build_top_begin(carom_context *context, uint32_t count, const build_method *method, build_top *out)
{
    *out = (build_top){.context = context, .method = method};
    out->grain = lesser(greater(count / SUBTREES, MIN_GRAIN), MAX_GRAIN);
    out->block_size = greater(count / BLOCKS, SMALLEST_BLOCK);
    bool small = count <= out->grain;
    out->branch_capacity = small ? 1 : BUILD_MAX_BRANCHES;
    /* The last block of each open branch may be short. */
    uint32_t open = lesser(count / out->grain, BUILD_MAX_BRANCHES);
    out->block_capacity = small || !method->look ? 0 : count / out->block_size + open + 1;
    out->branches = base_allocate(context, out->branch_capacity, sizeof *out->branches, BASE_CACHE_LINE);
    out->blocks = base_allocate(context, out->block_capacity, sizeof *out->blocks, BASE_CACHE_LINE);
    if (!out->branches || !out->blocks)
        return false;
    out->branches[0] = (build_branch){.count = count};
    out->branch_count = 1;
    return true;
}

void build_top_end(build_top *top)
{
    base_release(top->context, top->branches, top->branch_capacity, sizeof *top->branches);
    base_release(top->context, top->blocks, top->block_capacity, sizeof *top->blocks);
}

/* ---- a level ---- */

/* Marks a branch that is split for as long as its parts have no place yet. */
static const uint32_t OPEN = UINT32_MAX;

static void cut_blocks(build_top *top, uint32_t index)
{
    build_branch *branch = &top->branches[index];
    branch->first_block = top->block_count;
    for (uint32_t first = 0; first < branch->count; first += top->block_size)
    {
        uint32_t rest = branch->count - first, length = rest < top->block_size ? rest : top->block_size;
        top->blocks[top->block_count++] = (build_block){.branch = index, .first = first, .last = first + length};
    }
    branch->last_block = top->block_count;
}

/* Opens the level's large branches; false if there are none. */
static bool open_level(build_top *top)
{
    bool any = false;
    uint32_t room = top->branch_capacity - top->branch_count;
    top->block_count = 0;
    for (uint32_t i = top->level_first; i < top->branch_count; i++)
    {
        build_branch *branch = &top->branches[i];
        if (branch->count <= top->grain || room < 2)
            continue;
        if (top->method->look)
            cut_blocks(top, i);
        branch->left = OPEN;
        room -= 2;
        any = true;
    }
    return any;
}

static void prepare_branches(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    build_top *top = data;
    (void)worker;
    for (uint32_t i = top->level_first + first; i < top->level_first + last; i++)
        if (top->branches[i].left == OPEN && !top->method->prepare(top, i, top->pass))
            top->branches[i].left = 0;
}

static void look_at_blocks(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    build_top *top = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        if (top->branches[top->blocks[i].branch].left == OPEN)
            top->method->look(top, i, top->pass);
}

/* Leaves the number of left records in `below`. */
static void choose_splits(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    build_top *top = data;
    (void)worker;
    for (uint32_t i = top->level_first + first; i < top->level_first + last; i++)
    {
        build_branch *branch = &top->branches[i];
        if (branch->left != OPEN)
            continue;
        branch->below = top->method->choose(top, i);
        if (!branch->below)
            branch->left = 0;
        uint32_t before = 0;
        for (uint32_t k = branch->first_block; k < branch->last_block; k++)
        {
            top->blocks[k].left_before = before;
            before += top->blocks[k].left_count;
        }
    }
}

static void move_blocks(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    build_top *top = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        if (top->branches[top->blocks[i].branch].left == OPEN)
            top->method->move(top, i);
}

static void adopt_parts(build_top *top, uint32_t level_last)
{
    for (uint32_t i = top->level_first; i < level_last; i++)
    {
        build_branch *branch = &top->branches[i];
        if (branch->left != OPEN)
            continue;
        build_branch part = {.first = branch->first, .count = branch->below, .depth = branch->depth + 1};
        part.in_spare = branch->in_spare != (top->method->move != NULL);
        branch->left = top->branch_count;
        top->branches[top->branch_count++] = part;
        part.first += part.count, part.count = branch->count - part.count;
        top->branches[top->branch_count++] = part;
        if (top->method->adopt)
            top->method->adopt(top, i);
    }
}

static void split_level(build_top *top)
{
    const build_method *method = top->method;
    uint32_t level_last = top->branch_count, branches = level_last - top->level_first;
    for (top->pass = 0; top->pass < method->pass_count; top->pass++)
    {
        if (method->prepare)
            base_parallel_for(top->context, branches, 1, prepare_branches, top);
        base_parallel_for(top->context, top->block_count, 1, look_at_blocks, top);
    }
    base_parallel_for(top->context, branches, 1, choose_splits, top);
    if (method->move)
        base_parallel_for(top->context, top->block_count, 1, move_blocks, top);
    adopt_parts(top, level_last);
    top->level_first = level_last;
}

/* ---- the whole ---- */

static void grow_branches(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    build_top *top = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        if (!top->branches[i].left)
            top->branches[i].node_count = top->method->grow(top, i);
}

/* Depth first, left before right; two siblings are neighbours. */
static uint32_t number_branches(build_top *top)
{
    uint32_t waiting[BUILD_MAX_BRANCHES], waiting_count = 0, next = 1;
    waiting[waiting_count++] = 0;
    top->branches[0].node = 0;
    while (waiting_count)
    {
        build_branch *branch = &top->branches[waiting[--waiting_count]];
        branch->below = next;
        if (!branch->left)
        {
            next += branch->node_count - 1;
            continue;
        }
        top->branches[branch->left].node = next++;
        top->branches[branch->left + 1].node = next++;
        waiting[waiting_count++] = branch->left + 1;
        waiting[waiting_count++] = branch->left;
    }
    return next;
}

uint32_t build_top_grow(build_top *top)
{
    while (open_level(top))
        split_level(top);
    base_parallel_for(top->context, top->branch_count, 1, grow_branches, top);
    return number_branches(top);
}

static void place_branches(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    build_top *top = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        top->method->place(top, i);
}

void build_top_place(build_top *top) { base_parallel_for(top->context, top->branch_count, 1, place_branches, top); }
