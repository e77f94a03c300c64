/* The walk of one ray: eight boxes, then four triangles at a time (Moeller and Trumbore 1997 with error bounds). The
 * error bounds are in docs/exactness.md, section 16. Every comparison below allows for them. */
#include "tree/rays_enter.h"

typedef struct v3
{
    f8 x, y, z;
} v3;

static BASE_ALWAYS_INLINE f8 dot(v3 a, v3 b) { return f8_madd(a.x, b.x, f8_madd(a.y, b.y, f8_mul(a.z, b.z))); }

static BASE_ALWAYS_INLINE v3 cross(v3 a, v3 b)
{
    return (v3){f8_msub(a.y, b.z, f8_mul(a.z, b.y)), f8_msub(a.z, b.x, f8_mul(a.x, b.z)),
                f8_msub(a.x, b.y, f8_mul(a.y, b.x))};
}

static BASE_ALWAYS_INLINE v3 swap(v3 a) { return (v3){f8_swap(a.x), f8_swap(a.y), f8_swap(a.z)}; }

/* What the triangle test leaves for the lanes that pass; low half about edge 1, high half about edge 2. */
typedef struct leaf_test
{
    v3 corner, edge;   /* corner seen from the origin */
    f8 weight, volume; /* weights of corners 2 | 1 times |volume|, signed so that inside is positive; volume */
    f8 sign;           /* of the volume */
    f8 size, sizes;    /* |edge| summed; that of both edges multiplied */
    f8 allowance;      /* the tolerance of comparisons */
} leaf_test;

static BASE_ALWAYS_INLINE uint32_t both_halves(uint32_t bits) { return bits & bits >> 4 & 15; }

/* Solving a hit reads its indices, then its vertices, and large meshes do not fit the caches. The indices are fetched
 * when a leaf is entered, so that they are there when the vertices of a candidate are fetched, which are needed when
 * the walk is over. */
static BASE_ALWAYS_INLINE void fetch_indices(const ray_walk *walk, const ray_block *block)
{
    const uint32_t *indices = walk->mesh->indices;
    for (int lane = 0; lane < RAY_LEAF; lane++)
    {
        uint32_t triangle = block->triangle[lane];
        triangle += triangle == CAROM_NO_TRIANGLE; /* 0, without a branch */
        __builtin_prefetch(indices + 3 * (size_t)triangle);
    }
}

static BASE_ALWAYS_INLINE void fetch_vertices(const ray_walk *walk, uint32_t triangle)
{
    const uint32_t *index = walk->mesh->indices + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++)
    {
        const carom_vec3 *vertex = walk->mesh->vertices + index[i];
        __builtin_prefetch(&vertex->x);
        __builtin_prefetch(&vertex->z); /* one in four spans two lines */
    }
}

/* Puts the lanes that may be hit on the waiting list. False: stop. */
static bool list_lanes(ray_walk *walk, const ray_block *block, const leaf_test *test, uint32_t lanes)
{
    f8 both = f8_add(test->weight, f8_swap(test->weight)), none = f8_zero();
    f8 largest = f8_abs(test->volume), allowance = f8_add(test->allowance, test->allowance);
    v3 normal = cross(test->edge, swap(test->edge));
    f8 quotient = f8_div(f8_set1(1.0f), largest),
       height = f8_xor(dot(test->corner, normal), f8_xor(test->sign, f8_set1(-0.0f)));
    f8 s = f8_mul(height, quotient);
    f8 error = f8_mul(f8_mul(f8_set1(walk->slack), test->sizes), quotient);
    f8 low = f8_sub(s, error), high = f8_add(s, error); /* NaN or infinite where the ray is edge-on */
    lanes &= ~f8_bits(f8_or(f8_gt(low, f8_set1(walk->limit)), f8_lt(high, none)));
    if (!lanes)
        return true;
    /* Twice the allowance inside, and in front of the origin: certain. */
    f8 sum_limit = f8_sub(largest, f8_add(allowance, f8_swap(allowance)));
    f8 inside = f8_and(f8_ge(test->weight, allowance), f8_le(both, sum_limit));
    /* A little more than the s of the world ray's origin. */
    float begin = (float)(-0.999 * walk->entry.start);
    uint32_t sure = both_halves(f8_bits(f8_and(inside, f8_gt(low, f8_set1(begin)))));
    _Alignas(32) float lows[8], highs[8];
    f8_store(lows, f8_max(low, f8_set1(-1.0f))); /* a number, so that it can be sorted */
    f8_store(highs, high);
    for (; lanes; lanes &= lanes - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        if (block->triangle[lane] == CAROM_NO_TRIANGLE || lows[lane] > walk->limit)
            continue;
        if (walk->nearest && (sure >> lane & 1) && highs[lane] < walk->limit)
            walk->limit = highs[lane] > RAY_BEGIN ? highs[lane] : RAY_BEGIN;
        walk->waiting[walk->waiting_count++] =
            (ray_candidate){block->triangle[lane], sure >> lane & 1, lows[lane], highs[lane]};
        fetch_vertices(walk, block->triangle[lane]);
        if (walk->waiting_count == walk->room)
            walk->look(walk);
        if (walk->limit < 0.0f)
            return false;
    }
    return true;
}

static BASE_ALWAYS_INLINE v3 spread(const float v[3]) { return (v3){f8_set1(v[0]), f8_set1(v[1]), f8_set1(v[2])}; }

static BASE_ALWAYS_INLINE leaf_test test_leaf(const ray_walk *walk, const ray_block *block)
{
    const v3 origin = spread(walk->origin), direction = spread(walk->direction);
    leaf_test test;
    test.edge = (v3){f8_load(block->edges[0]), f8_load(block->edges[1]), f8_load(block->edges[2])};
    test.corner = (v3){f8_sub(f8_twice(block->corner[0]), origin.x), f8_sub(f8_twice(block->corner[1]), origin.y),
                       f8_sub(f8_twice(block->corner[2]), origin.z)};
    test.volume = dot(cross(test.edge, direction), swap(test.edge));
    test.sign = f8_and(test.volume, f8_set1(-0.0f));
    test.weight = f8_xor(dot(cross(test.corner, direction), test.edge), test.sign);
    test.size = f8_add(f8_abs(test.edge.x), f8_add(f8_abs(test.edge.y), f8_abs(test.edge.z)));
    test.sizes = f8_mul(test.size, f8_swap(test.size));
    test.allowance = f8_madd(test.size, f8_set1(walk->weight_slack), f8_mul(test.sizes, f8_set1(walk->volume_slack)));
    return test;
}

/* False: stop. */
static BASE_ALWAYS_INLINE bool visit_leaf(ray_walk *walk, const ray_block *block)
{
    fetch_indices(walk, block);
    leaf_test test = test_leaf(walk, block);
    f8 both = f8_add(test.weight, f8_swap(test.weight));
    f8 sum_limit = f8_add(f8_abs(test.volume), f8_add(test.allowance, f8_swap(test.allowance)));
    uint32_t lanes = f8_bits(f8_and(f8_ge(f8_add(test.weight, test.allowance), f8_zero()), f8_le(both, sum_limit)));
    lanes = both_halves(lanes);
    return !lanes || list_lanes(walk, block, &test, lanes);
}

/* The ray against slabs, in registers. */
typedef struct slab_ray
{
    v3 inverse;
    size_t near[3];
} slab_ray;

static BASE_ALWAYS_INLINE slab_ray slabs_of(const ray_walk *walk)
{
    slab_ray ray = {spread(walk->inverse), {0}};
    for (int axis = 0; axis < 3; axis++)
        ray.near[axis] = walk->near[axis];
    return ray;
}

/* A node with children that are still to be visited. A child's key is where the ray enters it with the lane in the last
 * bits: all differ, and their order as floats, nearest first, is that of their bits. */
typedef struct open_node
{
    _Alignas(32) float keys[RAY_WIDTH]; /* infinite: none, or visited */
    const ray_node *node;
    uint32_t next; /* the smallest of them, as bits */
} open_node;

enum
{
    LANE_BITS = RAY_WIDTH - 1
};

static const uint32_t NO_KEY = 0x7f800000; /* infinity */

/* The bits of 0 to 7. */
static const _Alignas(32) float LANES[RAY_WIDTH] = {0x0p-149f, 0x1p-149f, 0x2p-149f, 0x3p-149f,
                                                    0x4p-149f, 0x5p-149f, 0x6p-149f, 0x7p-149f};

static BASE_ALWAYS_INLINE f8 plane_at(const ray_node *node, size_t offset)
{
    return f8_load((const float *)(const void *)((const char *)node->planes + offset));
}

/* The lanes whose boxes the ray enters within the limit, and their keys; infinity for the others. */
static BASE_ALWAYS_INLINE uint32_t enter_boxes(const ray_walk *walk, const slab_ray *ray, const ray_node *node,
                                               f8 *keys)
{
    const v3 near_shift = spread(walk->near_shift), far_shift = spread(walk->far_shift);
    f8 near_x = f8_madd(plane_at(node, ray->near[0]), ray->inverse.x, near_shift.x);
    f8 near_y = f8_madd(plane_at(node, ray->near[1]), ray->inverse.y, near_shift.y);
    f8 near_z = f8_madd(plane_at(node, ray->near[2]), ray->inverse.z, near_shift.z);
    f8 far_x = f8_madd(plane_at(node, ray->near[0] ^ RAY_PLANE), ray->inverse.x, far_shift.x);
    f8 far_y = f8_madd(plane_at(node, ray->near[1] ^ RAY_PLANE), ray->inverse.y, far_shift.y);
    f8 far_z = f8_madd(plane_at(node, ray->near[2] ^ RAY_PLANE), ray->inverse.z, far_shift.z);
    f8 enter = f8_max(f8_max(near_x, near_y), f8_max(near_z, f8_set1(RAY_BEGIN)));
    f8 leave = f8_min(f8_min(far_x, far_y), f8_min(far_z, f8_set1(walk->limit)));
    f8 inside = f8_le(enter, leave), keep = f8_andnot(f8_set1(as_float(LANE_BITS)), enter);
    *keys = f8_select(inside, f8_or(keep, f8_load(LANES)), f8_set1(INFINITY));
    return f8_bits(inside);
}

static BASE_ALWAYS_INLINE const void *part_at(const void *first, uint32_t child)
{
    return (const char *)first + (size_t)child * RAY_UNIT;
}

/* Large trees do not fit the caches. */
static BASE_ALWAYS_INLINE void fetch_child(const tree_ray_frame *ray_frame, uint32_t child)
{
    bool leaf = child & RAY_LEAF_FLAG; /* looked up, since a branch would often be mispredicted */
    const char *at = part_at(ray_frame->parts[leaf], child & ~RAY_LEAF_FLAG);
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
    __builtin_prefetch(at + 128);
    __builtin_prefetch(at + 192);
}

/* Takes the child with the smallest key. The node stays open if it has others; the next one is fetched. There is no
 * branch on their number, which is unpredictable. */
static BASE_ALWAYS_INLINE uint32_t take_child(const tree_ray_frame *ray_frame, open_node **top, f8 keys,
                                              uint32_t smallest)
{
    open_node *open = *top;
    f8 rest = f8_select(f8_le(keys, f8_set1(as_float(smallest))), f8_set1(INFINITY), keys);
    open->next = as_bits(f8_min_lane(rest));
    f8_store(open->keys, rest);
    fetch_child(ray_frame, open->node->child[open->next & LANE_BITS]);
    *top += open->next != NO_KEY;
    return open->node->child[smallest & LANE_BITS];
}

static BASE_ALWAYS_INLINE void walk_tree(ray_walk *walk, const tree_ray_frame *ray_frame)
{
    open_node stack[BUILD_DEPTH_LIMIT + 1], *top = stack; /* one on each level, and one that is closed again */
    const void *nodes = ray_frame->parts[0], *blocks = ray_frame->parts[1];
    slab_ray slabs = slabs_of(walk);
    uint32_t boxes_tested = 0, child = 0;
    for (;;)
    {
        if (!(child & RAY_LEAF_FLAG))
        {
            f8 keys;
            top->node = part_at(nodes, child);
            uint32_t lanes = enter_boxes(walk, &slabs, top->node, &keys);
            boxes_tested += RAY_WIDTH;
            if (lanes)
            {
                bool one = !(lanes & (lanes - 1)); /* the most frequent number, and cheap */
                child = one ? top->node->child[__builtin_ctz(lanes)]
                            : take_child(ray_frame, &top, keys, as_bits(f8_min_lane(keys)));
                continue;
            }
        }
        else if (!visit_leaf(walk, part_at(blocks, child & ~RAY_LEAF_FLAG)))
            break;
        do
        {
            if (top == stack)
                goto done;
            top--;
        } while ((top->next & ~(uint32_t)LANE_BITS) > as_bits(walk->limit)); /* where it is entered, or less */
        child = take_child(ray_frame, &top, f8_load(top->keys), top->next);
    }
done:
    walk->boxes_tested = boxes_tested;
}

ray_answer BASE_ISA(ray_walk_run)(ray_walk *walk, const tree_ray_frame *ray_frame, const carom_ray *ray)
{
    walk->boxes_tested = walk->waiting_count = 0;
    ray_answer answer = enter_tree(walk, ray_frame, ray);
    if (answer != RAY_ENTERS)
        return answer;
    double limit = ray_entry_limit(&walk->entry, walk->max_t);
    if (limit < 0.0)
        return RAY_MISSES;
    walk->limit = limit > (double)RAY_BEGIN ? (float)limit : RAY_BEGIN;
    walk_tree(walk, ray_frame);
    return RAY_ENTERS;
}
