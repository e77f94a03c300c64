/* dynamic: a binary tree over boxes that come, go and move, for the broad phase of that name. */
#ifndef BROAD_DYNAMIC_H
#define BROAD_DYNAMIC_H

#include "broad/order.h"
#include "broad/rows.h"

#define BROAD_NO_NODE UINT32_MAX

enum
{
    BROAD_MAX_HEIGHT = 100, /* of a tree; beyond, it is built afresh */
    BROAD_NODE_CLASSES = 16 /* bits; class modulo that */
};

typedef struct broad_node
{
    carom_aabb box;
    uint32_t parent;   /* of a free node: the next free one */
    uint32_t child[2]; /* of a leaf: BROAD_NO_NODE and the slot */
    uint16_t height;   /* of a leaf: 0 */
    uint16_t classes;  /* of all boxes below: a bit for every 16th class */
} broad_node;

typedef struct broad_dynamic_tree
{
    carom_context *context;
    BASE_ARRAY(broad_node) nodes;
    uint32_t root, free;          /* BROAD_NO_NODE: none */
    broad_order order;            /* while building */
    BASE_ARRAY(uint8_t) class_of; /* by slot */
} broad_dynamic_tree;

/* A set of classes as a node has it. */
static inline uint16_t broad_node_classes(uint64_t classes)
{
    classes |= classes >> 2 * BROAD_NODE_CLASSES;
    return (uint16_t)(classes | classes >> BROAD_NODE_CLASSES);
}

static inline bool broad_is_leaf(const broad_node *node) { return node->child[0] == BROAD_NO_NODE; }

void broad_dynamic_clear(broad_dynamic_tree *tree);
void broad_dynamic_free(broad_dynamic_tree *tree);

/* Adds a leaf, or removes it. False: out of memory, and nothing has changed. */
bool broad_dynamic_insert(broad_dynamic_tree *tree, uint32_t slot, const carom_aabb *box, uint32_t *leaf);
void broad_dynamic_remove(broad_dynamic_tree *tree, uint32_t leaf);

/* Builds the tree over the boxes of the slots in tree->order.items, halving their order along a curve; leaves[slot] is
 * set. False: out of memory, and the tree is empty. */
bool broad_dynamic_build(broad_dynamic_tree *tree, const carom_aabb *boxes, uint32_t *leaves);

#endif
