/* Broad phase `dynamic`: a tree of boxes that is changed only where boxes leave their fat boxes.
 *
 * Goldsmith and Salmon, "Automatic creation of object hierarchies for ray tracing" (1987), inserted boxes where the
 * surface grows least; Bullet and Box2D made it a broad phase, with rotations and with boxes that are larger than
 * needed, so that most movements change nothing. Pairs of fat boxes are kept; those of boxes that left theirs are
 * searched anew. Nodes know which classes of filters are below them, so that a search skips what may not pair.
 *
 * It pays off when few boxes move, or little, and for any mixture of sizes; when most leave their fat boxes at once,
 * the tree is built afresh. */
#include "broad/dynamic.h"

#define FAT 0.2 /* of a box's mean extent, on each side */

enum
{
    MANY = 64,
    REBUILD = 8 /* when one of so many boxes is to be inserted, building the whole tree takes less time */
};

typedef struct dynamic_slot
{
    uint32_t searched; /* in which call its pairs were searched */
    uint32_t left;     /* in which call it left its fat box */
    broad_traits traits;
} dynamic_slot;

typedef struct dynamic_state
{
    broad_dynamic_tree tree;
    BASE_ARRAY(carom_aabb) fat;  /* by slot */
    BASE_ARRAY(uint32_t) leaves; /* by slot; BROAD_NO_NODE: none */
    BASE_ARRAY(dynamic_slot) slots;
    broad_classes classes;
    BASE_ARRAY(uint32_t) moved; /* slots whose pairs are searched */
    broad_pairs kept;           /* of fat boxes */
    double margin, half_margin;
    uint32_t call;
    uint32_t used;       /* leaves */
    uint32_t left_count; /* boxes that left their fat boxes in this call */
    bool is_current;     /* holds the boxes of the last call, which succeeded */
} dynamic_state;

static void destroy(void *state)
{
    dynamic_state *own = state;
    carom_context *context = own->tree.context;
    broad_dynamic_free(&own->tree);
    base_array_free(context, &own->fat);
    base_array_free(context, &own->leaves);
    base_array_free(context, &own->slots);
    base_array_free(context, &own->moved);
    base_array_free(context, &own->kept);
    base_release(context, own, 1, sizeof *own);
}

static carom_status create(carom_context *context, void **out)
{
    dynamic_state *own = base_allocate(context, 1, sizeof *own, BASE_CACHE_LINE);
    *out = own;
    if (!own)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase dynamic: no memory");
    memset(own, 0, sizeof *own);
    own->tree.context = context;
    broad_curve_fill(&own->tree.order.curve);
    broad_dynamic_clear(&own->tree);
    return CAROM_OK;
}

/* ---- changes ---- */

static bool begin_call(dynamic_state *own, const broad_input *input)
{
    carom_context *context = own->tree.context;
    if (!own->is_current || own->margin != input->margin || input->slot_count < own->slots.count)
    {
        broad_dynamic_clear(&own->tree);
        broad_classes_reset(&own->classes);
        own->slots.count = own->fat.count = own->leaves.count = own->kept.count = own->tree.class_of.count = 0;
        own->call = own->used = 0;
        own->margin = input->margin, own->half_margin = broad_half_margin(input->margin);
    }
    own->is_current = false;
    own->call++;
    own->moved.count = 0, own->left_count = 0;
    size_t extra = input->slot_count - own->slots.count;
    if (!base_array_reserve(context, &own->slots, extra) || !base_array_reserve(context, &own->fat, extra) ||
        !base_array_reserve(context, &own->leaves, extra) || !base_array_reserve(context, &own->tree.class_of, extra) ||
        !base_array_reserve(context, &own->moved, input->slot_count))
        return false;
    while (own->slots.count < input->slot_count)
    {
        own->slots.items[own->slots.count++] = (dynamic_slot){0};
        own->fat.items[own->fat.count++] = aabb_empty();
        own->leaves.items[own->leaves.count++] = BROAD_NO_NODE;
        own->tree.class_of.items[own->tree.class_of.count++] = BROAD_NO_CLASS;
    }
    return true;
}

static bool holds(const carom_aabb *outer, const carom_aabb *inner)
{
    return outer->min.x <= inner->min.x && outer->min.y <= inner->min.y && outer->min.z <= inner->min.z &&
           outer->max.x >= inner->max.x && outer->max.y >= inner->max.y && outer->max.z >= inner->max.z;
}

static carom_aabb fatten(const carom_aabb *box)
{
    double extent = ((box->max.x - box->min.x) + (box->max.y - box->min.y) + (box->max.z - box->min.z)) / 3.0;
    return broad_grow(box, extent < 1e300 ? FAT * extent : 0.0);
}

/* Lists the slot if its pairs have to be searched again, with a new fat box and leaf if its own are left, or if its
 * class is another one. */
static void update_slot(dynamic_state *own, const broad_input *input, uint32_t slot)
{
    dynamic_slot *known = &own->slots.items[slot];
    bool is_empty = broad_is_empty(&input->boxes[slot]), was_empty = broad_is_empty(&own->fat.items[slot]);
    carom_aabb box = broad_grow(&input->boxes[slot], own->half_margin);
    bool stays = is_empty ? was_empty : !was_empty && holds(&own->fat.items[slot], &box);
    if (stays && (is_empty || broad_same_traits(&known->traits, &input->traits[slot])))
        return;
    uint32_t class = own->tree.class_of.items[slot];
    if (!broad_has_class(&own->classes, class, &input->traits[slot]))
        class = broad_class_of(&own->classes, &input->traits[slot]);
    known->searched = own->call;
    known->traits = input->traits[slot];
    own->moved.items[own->moved.count++] = slot;
    if (stays && own->tree.class_of.items[slot] == class)
        return;
    own->tree.class_of.items[slot] = (uint8_t) class;
    own->fat.items[slot] = is_empty ? aabb_empty() : fatten(&box);
    known->left = own->call;
    own->left_count++;
}

/* Builds the tree of all fat boxes. */
static bool rebuild(dynamic_state *own)
{
    broad_order *order = &own->tree.order;
    order->items.count = 0;
    if (!base_array_reserve(own->tree.context, &order->items, own->slots.count))
        return false;
    for (size_t slot = 0; slot < own->slots.count; slot++)
    {
        own->leaves.items[slot] = BROAD_NO_NODE;
        if (!broad_is_empty(&own->fat.items[slot]))
            order->items.items[order->items.count++] = slot;
    }
    own->used = (uint32_t)order->items.count;
    return broad_dynamic_build(&own->tree, own->fat.items, own->leaves.items);
}

static bool is_too_high(const dynamic_state *own)
{
    return own->tree.root != BROAD_NO_NODE && own->tree.nodes.items[own->tree.root].height > BROAD_MAX_HEIGHT;
}

/* Moves the leaf of a slot that left its fat box. */
static bool move_leaf(dynamic_state *own, uint32_t slot)
{
    uint32_t *leaf = &own->leaves.items[slot];
    if (*leaf != BROAD_NO_NODE)
    {
        broad_dynamic_remove(&own->tree, *leaf);
        *leaf = BROAD_NO_NODE, own->used--;
    }
    if (broad_is_empty(&own->fat.items[slot]))
        return true;
    own->used++;
    return broad_dynamic_insert(&own->tree, slot, &own->fat.items[slot], leaf);
}

static bool update_tree(dynamic_state *own)
{
    if (own->left_count > MANY && own->left_count > own->used / REBUILD)
        return rebuild(own);
    for (size_t i = 0; i < own->moved.count; i++)
    {
        uint32_t slot = own->moved.items[i];
        if (own->slots.items[slot].left != own->call)
            continue;
        if (!move_leaf(own, slot))
            return false;
        if (is_too_high(own))
            return rebuild(own); /* with all that follow */
    }
    return true;
}

static bool update(dynamic_state *own, const broad_input *input)
{
    if (own->call == 1)
        for (uint32_t slot = 0; slot < input->slot_count; slot++)
            update_slot(own, input, slot);
    else
        for (uint32_t i = 0; i < input->changed_count; i++)
            update_slot(own, input, input->changed[i]);
    return update_tree(own);
}

/* ---- pairs ---- */

/* Adds the pairs of a slot whose pairs are searched; of two such slots, the larger one finds it. */
static bool search(dynamic_state *own, uint32_t slot, uint64_t *visits)
{
    const broad_node *nodes = own->tree.nodes.items;
    const carom_aabb *box = &own->fat.items[slot];
    uint32_t stack[BROAD_MAX_HEIGHT + 4], depth = 0;
    uint32_t partners = broad_node_classes(own->classes.may_pair[own->tree.class_of.items[slot]]);
    if (broad_is_empty(box))
        return true;
    bool asks = (nodes[own->tree.root].classes & ~partners) != 0; /* otherwise it may pair with all */
    stack[depth++] = own->tree.root;
    while (depth > 0)
    {
        const broad_node *node = &nodes[stack[--depth]];
        ++*visits;
        if (!broad_grown_meet(&node->box, box) || (asks && !(node->classes & partners)))
            continue;
        if (!broad_is_leaf(node))
        {
            stack[depth++] = node->child[0], stack[depth++] = node->child[1];
            continue;
        }
        uint32_t other = node->child[1];
        const dynamic_slot *found = &own->slots.items[other];
        if (other == slot || (found->searched == own->call && other > slot) ||
            !broad_may_pair(&own->slots.items[slot].traits, &found->traits))
            continue;
        if (!base_array_reserve(own->tree.context, &own->kept, 1))
            return false;
        own->kept.items[own->kept.count++] = broad_pack(slot, other);
    }
    return true;
}

static bool update_pairs(dynamic_state *own, uint64_t *visits)
{
    size_t kept = 0;
    for (size_t i = 0; i < own->kept.count; i++)
    {
        uint64_t pair = own->kept.items[i];
        own->kept.items[kept] = pair;
        kept += own->slots.items[pair >> 32].searched != own->call &&
                own->slots.items[(uint32_t)pair].searched != own->call;
    }
    own->kept.count = kept;
    bool enough = true;
    for (size_t i = 0; i < own->moved.count && enough; i++)
        enough = search(own, own->moved.items[i], visits);
    return enough;
}

static bool report(const dynamic_state *own, const broad_input *input, broad_pairs *out)
{
    if (!base_array_reserve(own->tree.context, out, own->kept.count))
        return false;
    for (size_t i = 0; i < own->kept.count; i++)
    {
        uint64_t pair = own->kept.items[i];
        out->items[out->count] = pair;
        out->count += broad_near(&input->boxes[pair >> 32], &input->boxes[(uint32_t)pair], input->margin);
    }
    return true;
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    dynamic_state *own = state;
    out->count = 0;
    if (!begin_call(own, input) || !update(own, input) || !update_pairs(own, boxes_tested) || !report(own, input, out))
        return base_fail(own->tree.context, CAROM_OUT_OF_MEMORY, "broad phase dynamic: no memory for %u boxes",
                         input->slot_count);
    *boxes_tested += own->kept.count;
    own->is_current = true;
    return CAROM_OK;
}

const broad_kind broad_dynamic = {
    {"dynamic", "a tree changed only where boxes leave their fat boxes: when few boxes move, or little"},
    create,
    find_pairs,
    destroy};
