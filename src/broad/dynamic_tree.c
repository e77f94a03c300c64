/* The tree of the broad phase `dynamic`: insertion, removal, rotation, building. */
#include "broad/dynamic.h"

void broad_dynamic_clear(broad_dynamic_tree *tree)
{
    tree->nodes.count = 0;
    tree->root = tree->free = BROAD_NO_NODE;
}

void broad_dynamic_free(broad_dynamic_tree *tree)
{
    base_array_free(tree->context, &tree->nodes);
    base_array_free(tree->context, &tree->class_of);
    base_array_free(tree->context, &tree->order.items);
    base_array_free(tree->context, &tree->order.sorted);
}

static uint32_t take_node(broad_dynamic_tree *tree)
{
    uint32_t node = tree->free;
    if (node != BROAD_NO_NODE)
        tree->free = tree->nodes.items[node].parent;
    else
        node = (uint32_t)tree->nodes.count++;
    return node;
}

static void give_node(broad_dynamic_tree *tree, uint32_t node)
{
    tree->nodes.items[node].parent = tree->free;
    tree->free = node;
}

/* ---- boxes ---- */

static carom_aabb joined(const carom_aabb *a, const carom_aabb *b)
{
    return (carom_aabb){{a->min.x < b->min.x ? a->min.x : b->min.x, a->min.y < b->min.y ? a->min.y : b->min.y,
                         a->min.z < b->min.z ? a->min.z : b->min.z},
                        {a->max.x > b->max.x ? a->max.x : b->max.x, a->max.y > b->max.y ? a->max.y : b->max.y,
                         a->max.z > b->max.z ? a->max.z : b->max.z}};
}

static bool same_box(const carom_aabb *a, const carom_aabb *b)
{
    return a->min.x == b->min.x && a->min.y == b->min.y && a->min.z == b->min.z && a->max.x == b->max.x &&
           a->max.y == b->max.y && a->max.z == b->max.z;
}

/* Half the surface; a number even if the box is infinite. */
static double area(const carom_aabb *box)
{
    const double most = 1e100;
    double x = box->max.x - box->min.x, y = box->max.y - box->min.y, z = box->max.z - box->min.z;
    x = x < most ? x : most, y = y < most ? y : most, z = z < most ? z : most;
    return x * y + y * z + z * x;
}

static double joined_area(const carom_aabb *a, const carom_aabb *b)
{
    carom_aabb box = joined(a, b);
    return area(&box);
}

static void fit(broad_dynamic_tree *tree, uint32_t index)
{
    broad_node *node = &tree->nodes.items[index];
    const broad_node *left = &tree->nodes.items[node->child[0]], *right = &tree->nodes.items[node->child[1]];
    node->box = joined(&left->box, &right->box);
    node->height = (uint16_t)(1 + (left->height > right->height ? left->height : right->height));
    node->classes = left->classes | right->classes;
}

static broad_node make_leaf(const broad_dynamic_tree *tree, uint32_t slot, const carom_aabb *box)
{
    uint16_t classes = broad_node_classes((uint64_t)1 << tree->class_of.items[slot]);
    return (broad_node){
        .box = *box, .parent = BROAD_NO_NODE, .child = {BROAD_NO_NODE, slot}, .height = 0, .classes = classes};
}

/* ---- rotation ---- */

/* Exchanges a child of a node with a grandchild by its other child. */
static void exchange(broad_dynamic_tree *tree, uint32_t index, int side, int below)
{
    broad_node *nodes = tree->nodes.items;
    uint32_t other = nodes[index].child[!side], child = nodes[index].child[side];
    uint32_t grandchild = nodes[other].child[below];
    nodes[index].child[side] = grandchild, nodes[grandchild].parent = index;
    nodes[other].child[below] = child, nodes[child].parent = other;
    fit(tree, other);
    fit(tree, index);
}

/* Of the exchanges at a node, does the one that makes its child smallest, if it becomes smaller. */
static void rotate(broad_dynamic_tree *tree, uint32_t index)
{
    const broad_node *nodes = tree->nodes.items, *node = &nodes[index];
    double best = 0.0;
    int best_side = -1, best_below = 0;
    for (int side = 0; side < 2; side++)
    {
        const broad_node *child = &nodes[node->child[side]], *other = &nodes[node->child[!side]];
        if (broad_is_leaf(other))
            continue;
        double before = area(&other->box);
        for (int below = 0; below < 2; below++)
        {
            double gain = before - joined_area(&child->box, &nodes[other->child[!below]].box);
            if (gain > best)
                best = gain, best_side = side, best_below = below;
        }
    }
    if (best_side >= 0)
        exchange(tree, index, best_side, best_below);
}

/* ---- insertion and removal ---- */

typedef struct branch
{
    uint32_t node;
    double inherited; /* by how much the nodes above grow */
} branch;

/* The node beside which a leaf makes the tree's boxes grow least. The way down where it costs least is taken first;
 * then others, as long as they can be better. Equal costs are decided by height, so that equal boxes make a balanced
 * tree. */
static uint32_t find_sibling(const broad_dynamic_tree *tree, const carom_aabb *box)
{
    enum
    {
        MAX_OTHERS = 32 /* visits besides the first way down */
    };
    const broad_node *nodes = tree->nodes.items;
    branch stack[BROAD_MAX_HEIGHT + 4];
    uint32_t depth = 0, best = tree->root;
    double best_cost = INFINITY, own = area(box);
    stack[depth++] = (branch){tree->root, 0.0};
    bool is_first = true; /* until its leaf */
    for (uint32_t others = 0; depth > 0 && others < MAX_OTHERS; others += !is_first)
    {
        branch at = stack[--depth];
        const broad_node *node = &nodes[at.node];
        double direct = joined_area(&node->box, box), cost = at.inherited + direct;
        if (is_first ? cost <= best_cost : cost < best_cost)
            best = at.node, best_cost = cost;
        double inherited = cost - area(&node->box), least = inherited + own; /* below this node */
        if (broad_is_leaf(node) || !(is_first ? least <= best_cost : least < best_cost))
        {
            is_first = false;
            continue;
        }
        const broad_node *left = &nodes[node->child[0]], *right = &nodes[node->child[1]];
        double left_cost = joined_area(&left->box, box) - area(&left->box);
        double right_cost = joined_area(&right->box, box) - area(&right->box);
        int first = right_cost < left_cost || (!(left_cost < right_cost) && right->height < left->height);
        if (least < best_cost)
            stack[depth++] = (branch){node->child[!first], inherited};
        stack[depth++] = (branch){node->child[first], inherited};
    }
    return best;
}

/* Up to where nothing changes any more. */
static void refit_above(broad_dynamic_tree *tree, uint32_t index)
{
    for (; index != BROAD_NO_NODE; index = tree->nodes.items[index].parent)
    {
        broad_node before = tree->nodes.items[index];
        fit(tree, index);
        rotate(tree, index);
        const broad_node *after = &tree->nodes.items[index];
        if (before.height == after->height && before.classes == after->classes && same_box(&before.box, &after->box))
            break;
    }
}

bool broad_dynamic_insert(broad_dynamic_tree *tree, uint32_t slot, const carom_aabb *box, uint32_t *leaf)
{
    if (tree->nodes.count >= BROAD_NO_NODE - 2 || !base_array_reserve(tree->context, &tree->nodes, 2))
        return false;
    uint32_t own = *leaf = take_node(tree);
    tree->nodes.items[own] = make_leaf(tree, slot, box);
    if (tree->root == BROAD_NO_NODE)
    {
        tree->root = own;
        return true;
    }
    uint32_t sibling = find_sibling(tree, box), above = take_node(tree);
    broad_node *nodes = tree->nodes.items;
    uint32_t parent = nodes[sibling].parent;
    nodes[above] = (broad_node){.box = *box, .parent = parent, .child = {sibling, own}};
    nodes[sibling].parent = nodes[own].parent = above;
    if (parent == BROAD_NO_NODE)
        tree->root = above;
    else
        nodes[parent].child[nodes[parent].child[1] == sibling] = above;
    refit_above(tree, above);
    return true;
}

void broad_dynamic_remove(broad_dynamic_tree *tree, uint32_t leaf)
{
    broad_node *nodes = tree->nodes.items;
    uint32_t parent = nodes[leaf].parent;
    give_node(tree, leaf);
    if (parent == BROAD_NO_NODE)
    {
        tree->root = BROAD_NO_NODE;
        return;
    }
    uint32_t sibling = nodes[parent].child[nodes[parent].child[0] == leaf], above = nodes[parent].parent;
    nodes[sibling].parent = above;
    if (above == BROAD_NO_NODE)
        tree->root = sibling;
    else
        nodes[above].child[nodes[above].child[1] == parent] = sibling;
    give_node(tree, parent);
    refit_above(tree, above);
}

/* ---- building ---- */

/* Builds the nodes over a range of the order. The depth is the logarithm of its length. */
static uint32_t build_range(broad_dynamic_tree *tree, size_t first, size_t last, const carom_aabb *boxes,
                            uint32_t *leaves)
{
    uint32_t index = take_node(tree);
    if (last - first == 1)
    {
        uint32_t slot = (uint32_t)tree->order.sorted.items[first];
        tree->nodes.items[index] = make_leaf(tree, slot, &boxes[slot]);
        return leaves[slot] = index;
    }
    size_t middle = first + (last - first) / 2;
    uint32_t left = build_range(tree, first, middle, boxes, leaves);
    uint32_t right = build_range(tree, middle, last, boxes, leaves);
    tree->nodes.items[index].child[0] = left, tree->nodes.items[index].child[1] = right;
    tree->nodes.items[index].parent = BROAD_NO_NODE;
    tree->nodes.items[left].parent = tree->nodes.items[right].parent = index;
    fit(tree, index);
    return index;
}

bool broad_dynamic_build(broad_dynamic_tree *tree, const carom_aabb *boxes, uint32_t *leaves)
{
    size_t count = tree->order.items.count;
    broad_dynamic_clear(tree);
    tree->order.sorted.count = 0;
    if (count >= BROAD_NO_NODE / 2 || !base_array_reserve(tree->context, &tree->order.sorted, count) ||
        !base_array_reserve(tree->context, &tree->nodes, 2 * count))
        return false;
    broad_order_sort(tree->context, &tree->order, boxes);
    if (count > 0)
        tree->root = build_range(tree, 0, count, boxes, leaves);
    return true;
}
