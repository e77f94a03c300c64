/* Insertion builder (chapter 25.2.1, fig. 25.6): one record after the other joins the node where the tree's surface
 * grows the least, found by branch and bound (Bittner, Hapala, Havran 2015). Records come in a shuffled order, which
 * makes better trees than most orders that meshes have. */
#include "tree/build.h"

enum
{
    MAX_VISITS = 192, /* of one search; then the best so far is taken: hostile meshes must not make it quadratic */
    OPEN_NODES = 64,
    INSERTS_PER_STEP = BUILD_STEP / 16 /* each looks at many nodes */
};

typedef struct insert_space
{
    const build_input *input;
    build_box *boxes;        /* per link */
    uint32_t *parents;       /* per link; undefined for the root */
    uint32_t (*children)[2]; /* per inner node */
    uint32_t *shuffled;
    uint32_t root, made;
    float unit;
} insert_space;

/* An inner node whose children may be better siblings. */
typedef struct open_node
{
    uint32_t link, depth;
    float grown; /* what it and its ancestors would grow by */
} open_node;

typedef struct sibling_search
{
    const insert_space *space;
    const build_box *box;
    float own_area; /* of the box: no new parent can have less */
    float best_cost;
    uint32_t best;
    uint32_t open_count;
    open_node open[OPEN_NODES];
} sibling_search;

static void free_space(insert_space *space)
{
    carom_context *context = space->input->context;
    size_t count = space->input->count;
    base_release(context, space->boxes, 2 * count, sizeof *space->boxes);
    base_release(context, space->parents, 2 * count, sizeof *space->parents);
    base_release(context, space->children, count, sizeof *space->children);
    base_release(context, space->shuffled, count, sizeof *space->shuffled);
}

static bool make_space(insert_space *space)
{
    carom_context *context = space->input->context;
    size_t count = space->input->count;
    space->boxes = base_allocate(context, 2 * count, sizeof *space->boxes, BASE_CACHE_LINE);
    space->parents = base_allocate(context, 2 * count, sizeof *space->parents, BASE_CACHE_LINE);
    space->children = base_allocate(context, count, sizeof *space->children, BASE_CACHE_LINE);
    space->shuffled = base_allocate(context, count, sizeof *space->shuffled, BASE_CACHE_LINE);
    return space->boxes && space->parents && space->children && space->shuffled;
}

static void shuffle(uint32_t *order, uint32_t count)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < count; i++)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t j = (uint32_t)((state >> 32) * (uint64_t)(i + 1) >> 32);
        order[i] = order[j];
        order[j] = i;
    }
}

static float area_of(const insert_space *space, uint32_t link)
{
    return build_joint_area(&space->boxes[link], &space->boxes[link], space->unit);
}

static void consider(sibling_search *search, uint32_t link, uint32_t depth, float grown)
{
    const insert_space *space = search->space;
    float joint = build_joint_area(&space->boxes[link], search->box, space->unit);
    if (joint + grown < search->best_cost)
    {
        search->best_cost = joint + grown;
        search->best = link;
    }
    grown += joint - area_of(space, link);
    if (link >= space->input->count && search->own_area + grown < search->best_cost && depth < BUILD_FREE_DEPTH &&
        search->open_count < OPEN_NODES)
        search->open[search->open_count++] = (open_node){link, depth, grown};
}

static uint32_t best_sibling(const insert_space *space, const build_box *box)
{
    sibling_search search = {.space = space, .box = box, .best_cost = INFINITY, .best = space->root};
    search.own_area = build_joint_area(box, box, space->unit);
    consider(&search, space->root, 0, 0.0f);
    for (uint32_t visits = 0; search.open_count && visits < MAX_VISITS; visits++)
    {
        open_node at = search.open[--search.open_count];
        if (search.own_area + at.grown >= search.best_cost)
            continue;
        uint32_t before = search.open_count;
        const uint32_t *child = space->children[at.link - space->input->count];
        consider(&search, child[0], at.depth + 1, at.grown);
        consider(&search, child[1], at.depth + 1, at.grown);
        /* The more promising child is popped first. */
        open_node *pair = search.open + before;
        if (search.open_count == before + 2 && pair[0].grown < pair[1].grown)
        {
            open_node swap = pair[0];
            pair[0] = pair[1];
            pair[1] = swap;
        }
    }
    return search.best;
}

static void insert(insert_space *space, uint32_t record)
{
    const build_box *box = &space->boxes[record];
    uint32_t sibling = best_sibling(space, box);
    uint32_t made = space->input->count + space->made, above = space->parents[sibling];
    space->children[space->made][0] = sibling;
    space->children[space->made][1] = record;
    space->made++;
    space->boxes[made] = build_join(&space->boxes[sibling], box);
    space->parents[made] = above;
    space->parents[sibling] = space->parents[record] = made;
    if (sibling == space->root)
    {
        space->root = made;
        return;
    }
    uint32_t *slot = space->children[above - space->input->count];
    slot[slot[0] == sibling ? 0 : 1] = made;
    for (uint32_t link = above;; link = space->parents[link])
    {
        space->boxes[link] = build_join(&space->boxes[link], box);
        if (link == space->root)
            break;
    }
}

carom_status build_insertion(const build_input *input, build_nodes *nodes)
{
    insert_space space = {.input = input};
    if (!make_space(&space))
    {
        free_space(&space);
        return build_out_of_memory(input->context, input->count);
    }
    memcpy(space.boxes, input->boxes, input->count * sizeof *input->boxes);
    space.unit = build_unit(input->boxes, input->count);
    shuffle(space.shuffled, input->count);
    space.root = space.shuffled[0];
    carom_status status = CAROM_OK;
    for (uint32_t i = 1; i < input->count && status == CAROM_OK; i++)
    {
        insert(&space, space.shuffled[i]);
        if (i % INSERTS_PER_STEP == 0)
            status = build_step(input->context, input->name, i, input->count);
    }
    build_links links = {space.children, space.root};
    if (status == CAROM_OK)
        status = build_from_links(input, &links, nodes);
    free_space(&space);
    return status;
}
