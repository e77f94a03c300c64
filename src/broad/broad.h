/* broad: the first seam. Boxes in, pairs of boxes out: every pair of slots whose boxes are within the margin and whose
 * owners may be compared, possibly more (conservative), each once, in any order. A broad phase knows nothing else about
 * a body, and may keep whatever speeds up the next call. */
#ifndef BROAD_BROAD_H
#define BROAD_BROAD_H

#include "base/base.h"
#include "broad/topogrid.h"
#include "carom/broad.h"
#include "math/math.h"

/* What a box belongs to. */
typedef struct broad_traits
{
    uint32_t owner; /* a body; its boxes never pair with each other */
    bool is_static; /* two static ones never pair */
    carom_filter filter;
} broad_traits;

/* The current proxies. Each keeps its slot for as long as it lives; free slots have empty boxes. */
typedef struct broad_input
{
    const carom_aabb *boxes;    /* by slot: world, each grown by its own margin */
    const broad_traits *traits; /* by slot */
    uint32_t slot_count;
    const uint32_t *changed; /* slots whose box or traits differ from the last successful call on this state, and
                                possibly others, each once */
    uint32_t changed_count;
    bool same_traits;     /* of the changed slots, only boxes differ */
    bool distinct_owners; /* no two boxes belong to one owner */
    double margin;        /* >= 0: how far apart two boxes may be and still matter, along each axis */
    uint32_t grid_depth;  /* topogrid: levels of its octree; 0: automatic */
} broad_input;

enum
{
    BROAD_REASON_SIZE = 160
};

/* Pairs of slots, smaller << 32 | larger. */
typedef BASE_ARRAY(uint64_t) broad_pairs;

typedef struct broad_kind
{
    carom_broad_info info;
    carom_status (*create)(carom_context *context, void **out);
    /* Replaces the contents of `out`. boxes_tested is added to. */
    carom_status (*find_pairs)(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested);
    void (*destroy)(void *state);
} broad_kind;

/* The table of broad phases; null past the end. */
const broad_kind *broad_find(uint32_t index);
const broad_kind *broad_find_name(const char *name);
/* Which kind a state uses, and why. */
carom_broad_choice broad_choice(const broad_kind *kind, const void *state);

extern const broad_kind broad_auto;
extern const broad_kind broad_all;
extern const broad_kind broad_brute;
extern const broad_kind broad_tree;
extern const broad_kind broad_sweep;
extern const broad_kind broad_sweep3;
extern const broad_kind broad_grid;
extern const broad_kind broad_hash;
extern const broad_kind broad_hierarchical;
extern const broad_kind broad_dynamic;
extern const broad_kind broad_octree;
extern const broad_kind broad_topogrid;

static inline bool broad_is_empty(const carom_aabb *box)
{
    return !(box->min.x <= box->max.x && box->min.y <= box->max.y && box->min.z <= box->max.z);
}

/* Rounding is monotonic, so a gap of at most the margin stays at most the margin when computed. */
static inline bool broad_near(const carom_aabb *a, const carom_aabb *b, double margin)
{
    return a->min.x - b->max.x <= margin && b->min.x - a->max.x <= margin && a->min.y - b->max.y <= margin &&
           b->min.y - a->max.y <= margin && a->min.z - b->max.z <= margin && b->min.z - a->max.z <= margin;
}

static inline bool broad_filter_allows(const carom_filter *a, const carom_filter *b)
{
    return (a->category & b->mask) && (b->category & a->mask) && (a->group != b->group || a->group == 0);
}

/* May the owners of two boxes be compared? */
static inline bool broad_may_pair(const broad_traits *a, const broad_traits *b)
{
    return a->owner != b->owner && !(a->is_static && b->is_static) && broad_filter_allows(&a->filter, &b->filter);
}

static inline bool broad_same_traits(const broad_traits *a, const broad_traits *b)
{
    return a->owner == b->owner && a->is_static == b->is_static && a->filter.category == b->filter.category &&
           a->filter.mask == b->filter.mask && a->filter.group == b->filter.group;
}

/* An unsigned number that sorts as the double does. */
static inline uint64_t broad_sortable(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static inline uint64_t broad_pack(uint32_t one, uint32_t other)
{
    return one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one;
}

/* ---- a tree over boxes, for questions about a scene ---- */

enum
{
    BROAD_TREE_WIDTH = 8,
    BROAD_TREE_LEVELS = 12 /* 8^11 > 2^32 */
};

typedef struct broad_level
{
    size_t first; /* in boxes */
    uint32_t count;
} broad_level;

/* Boxes in an order in which neighbours are close to each other, below levels of eight boxes per node, implicit in the
 * order. */
typedef struct broad_box_tree
{
    carom_context *context;
    BASE_ARRAY(base_key_value) order, space; /* values: slots, in the tree's order */
    BASE_ARRAY(uint64_t) codes;              /* per slot */
    BASE_ARRAY(base_key_value) axes;         /* while sorting: the order along each axis, and room to sort in */
    BASE_ARRAY(carom_aabb) boxes;            /* level 0 in the tree's order, then each level above */
    broad_level levels[BROAD_TREE_LEVELS];
    uint32_t level_count;
} broad_box_tree;

/* Builds the tree over the boxes that are not empty. False when out of memory. */
bool broad_box_tree_build(broad_box_tree *tree, const carom_aabb *boxes, uint32_t count);
/* Replaces a box that is not empty by another one; index: in the tree's order. The order stays as it is, so a tree
 * whose boxes move far gets worse. */
void broad_box_tree_replace(broad_box_tree *tree, uint32_t index, const carom_aabb *box);
void broad_box_tree_free(broad_box_tree *tree);

#endif
