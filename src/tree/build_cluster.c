/* Bottom-up builder: locally ordered clustering (Meister and Bittner 2018). Clusters lie along a Morton curve; each
 * looks for its best partner among a few neighbours on the curve; those that choose each other merge. */
#include "tree/build.h"

enum
{
    REACH = 12,       /* neighbours looked at on either side */
    MIN_PROGRESS = 32 /* where fewer than one in so many merge in a round, it pairs neighbours instead */
};

typedef struct cluster
{
    build_box box;
    uint32_t link;
} cluster;

typedef struct choice
{
    float area;
    uint32_t partner;
} choice;

typedef struct cluster_space
{
    const build_input *input;
    cluster *clusters;
    choice *choices;
    uint32_t (*children)[2];
    uint64_t *keys;
    build_box *spare;
    uint32_t active, made;
    float unit;
} cluster_space;

static void free_space(cluster_space *space)
{
    carom_context *context = space->input->context;
    size_t count = space->input->count;
    base_release(context, space->clusters, count, sizeof *space->clusters);
    base_release(context, space->choices, count, sizeof *space->choices);
    base_release(context, space->children, count, sizeof *space->children);
    base_release(context, space->keys, 2 * count, sizeof *space->keys);
    base_release(context, space->spare, count, sizeof *space->spare);
}

static bool make_space(cluster_space *space)
{
    carom_context *context = space->input->context;
    size_t count = space->input->count;
    space->clusters = base_allocate(context, count, sizeof *space->clusters, BASE_CACHE_LINE);
    space->choices = base_allocate(context, count, sizeof *space->choices, BASE_CACHE_LINE);
    space->children = base_allocate(context, count, sizeof *space->children, BASE_CACHE_LINE);
    space->keys = base_allocate(context, 2 * count, sizeof *space->keys, BASE_CACHE_LINE);
    space->spare = base_allocate(context, count, sizeof *space->spare, BASE_CACHE_LINE);
    return space->clusters && space->choices && space->children && space->keys && space->spare;
}

/* Ties are broken by i ^ j, which is the same for both sides: so there is always a mutual pair, and equals pair up
 * completely. */
static void offer(choice *mine, uint32_t me, uint32_t other, float area)
{
    if (area < mine->area || (area == mine->area && (me ^ other) < (me ^ mine->partner)))
        *mine = (choice){area, other};
}

static void choose(cluster_space *space)
{
    for (uint32_t i = 0; i < space->active; i++)
        space->choices[i] = (choice){INFINITY, i};
    for (uint32_t i = 0; i < space->active; i++)
    {
        uint32_t end = space->active - i > REACH + 1 ? i + REACH + 1 : space->active;
        for (uint32_t j = i + 1; j < end; j++)
        {
            float area = build_joint_area(&space->clusters[i].box, &space->clusters[j].box, space->unit);
            offer(&space->choices[i], i, j, area);
            offer(&space->choices[j], j, i, area);
        }
    }
}

static bool mutual(const cluster_space *space, uint32_t i)
{
    return space->choices[space->choices[i].partner].partner == i;
}

static void merge(cluster_space *space)
{
    uint32_t pairs = 0, kept = 0;
    for (uint32_t i = 0; i < space->active; i++)
        pairs += mutual(space, i) && i < space->choices[i].partner;
    if (pairs < space->active / MIN_PROGRESS)
        for (uint32_t i = 0; i < space->active; i++)
            space->choices[i].partner = (i ^ 1) < space->active ? i ^ 1 : i;
    for (uint32_t i = 0; i < space->active; i++)
    {
        uint32_t partner = space->choices[i].partner;
        if (partner == i || !mutual(space, i))
            space->clusters[kept++] = space->clusters[i];
        else if (i < partner)
        {
            const cluster *other = &space->clusters[partner];
            space->children[space->made][0] = space->clusters[i].link;
            space->children[space->made][1] = other->link;
            cluster joint = {build_join(&space->clusters[i].box, &other->box), space->input->count + space->made++};
            space->clusters[kept++] = joint;
        }
    }
    space->active = kept;
}

carom_status build_bottom_up(const build_input *input, build_nodes *nodes)
{
    cluster_space space = {.input = input, .active = input->count};
    if (!make_space(&space))
    {
        free_space(&space);
        return build_out_of_memory(input->context, input->count);
    }
    build_sort_morton(input, space.keys, space.spare);
    space.unit = build_unit(input->boxes, input->count);
    for (uint32_t i = 0; i < input->count; i++)
        space.clusters[i] = (cluster){input->boxes[i], i};
    carom_status status = CAROM_OK;
    for (uint64_t handled = 0; space.active > 1 && status == CAROM_OK;)
    {
        handled += space.active;
        choose(&space);
        merge(&space);
        if (handled >= BUILD_STEP)
            handled = 0, status = build_step(input->context, input->name, input->count - space.active, input->count);
    }
    build_links links = {space.children, space.clusters[0].link};
    if (status == CAROM_OK)
        status = build_from_links(input, &links, nodes);
    free_space(&space);
    return status;
}
