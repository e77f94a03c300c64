/* The walk of one ray: eight boxes, then four triangles at a time (Moeller and Trumbore 1997 with error bounds).
 *
 * Frame: all vertices within [-1, 1]; u = 2^-24. `slack` covers, per unit of edge length (sum of |components|):
 *   positions: stored corners are within 2 u of the truth, the float ray within 2 u + P of the true one (P: what the
 *   pose's rounding adds, see rays_enter_simd.c), the difference corner - origin is rounded by 2 u. A true hit
 * therefore is a point of the stored triangle within g = 8 u + P of the float ray at the same s. Crossing with the
 * direction and multiplying by an edge turns g into at most 2 g per unit of edge length; rounding: a cross product and
 * a dot product of |corner - origin| <= 2 with an edge lose at most 20 u per unit of edge length, fused or not; the
 * determinant loses 60 u (two edges of at most 6), and where its sign is uncertain that counts twice. Sum: 16 u + 2 P +
 * 20 u + 120 u < 160 u + 2 P. Every comparison below gives way by that much. */
#include "base/simd.h"
#include "tree/rays.h"

typedef struct walk_stack
{
    uint64_t items[BUILD_DEPTH_LIMIT * (RAY_WIDTH - 1) + 1]; /* entry s as float bits << 32 | child */
    uint32_t count;
} walk_stack;

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
    v3 corner, edge;    /* corner seen from the origin */
    f8 weight, volume;  /* weights of corners 2 | 1 times |volume|, signed so that inside is positive; volume */
    f8 size, allowance; /* |edge| summed, and what comparisons give way by */
} leaf_test;

static BASE_ALWAYS_INLINE uint32_t both_halves(uint32_t bits) { return bits & bits >> 4 & 15; }

/* Offers the lanes to the caller. False: stop. */
static bool offer_lanes(ray_walk *walk, const ray_block *block, const leaf_test *test, uint32_t lanes)
{
    f8 both = f8_add(test->weight, f8_swap(test->weight)), none = f8_zero();
    f8 largest = f8_abs(test->volume), allowance = f8_add(test->allowance, test->allowance);
    v3 normal = cross(test->edge, swap(test->edge));
    f8 s = f8_div(dot(test->corner, normal), f8_sub(none, test->volume));
    f8 error = f8_div(f8_mul(f8_set1(walk->slack), f8_mul(test->size, f8_swap(test->size))), largest);
    f8 low = f8_sub(s, error), high = f8_add(s, error);
    lanes &= ~f8_bits(f8_or(f8_gt(low, f8_set1(walk->limit)), f8_lt(high, none)));
    if (!lanes)
        return true;
    /* Twice the allowance inside, and far from edge-on: certain. */
    f8 sum_limit = f8_sub(largest, f8_add(allowance, f8_swap(allowance)));
    f8 inside = f8_and(f8_ge(test->weight, allowance), f8_le(both, sum_limit));
    f8 steep = f8_ge(largest, f8_mul(allowance, f8_set1(4.0f)));
    uint32_t sure = both_halves(f8_bits(f8_and(f8_and(inside, steep), f8_gt(low, none))));
    _Alignas(32) float lows[8], highs[8];
    f8_store(lows, low);
    f8_store(highs, high);
    for (int lane = 0; lane < RAY_LEAF; lane++)
    {
        if (!(lanes >> lane & 1) || block->triangle[lane] == CAROM_NO_TRIANGLE || lows[lane] > walk->limit)
            continue;
        ray_candidate candidate = {block->triangle[lane], lows[lane], highs[lane], sure >> lane & 1};
        walk->limit = walk->on_candidate(&candidate, walk->user);
        if (walk->limit < 0.0f)
            return false;
    }
    return true;
}

/* False: stop. */
static BASE_ALWAYS_INLINE bool visit_leaf(ray_walk *walk, const ray_block *block)
{
    v3 direction = {f8_set1(walk->direction[0]), f8_set1(walk->direction[1]), f8_set1(walk->direction[2])};
    leaf_test test;
    test.edge = (v3){f8_load(block->edges[0]), f8_load(block->edges[1]), f8_load(block->edges[2])};
    test.corner = (v3){f8_sub(f8_twice(block->corner[0]), f8_set1(walk->origin[0])),
                       f8_sub(f8_twice(block->corner[1]), f8_set1(walk->origin[1])),
                       f8_sub(f8_twice(block->corner[2]), f8_set1(walk->origin[2]))};
    test.volume = dot(cross(test.edge, direction), swap(test.edge));
    f8 sign = f8_and(test.volume, f8_set1(-0.0f)), largest = f8_abs(test.volume);
    test.weight = f8_xor(dot(cross(test.corner, direction), test.edge), sign);
    test.size = f8_add(f8_abs(test.edge.x), f8_add(f8_abs(test.edge.y), f8_abs(test.edge.z)));
    test.allowance = f8_mul(test.size, f8_set1(walk->slack));
    f8 both = f8_add(test.weight, f8_swap(test.weight));
    f8 sum_limit = f8_add(largest, f8_add(test.allowance, f8_swap(test.allowance)));
    uint32_t lanes = f8_bits(f8_and(f8_ge(f8_add(test.weight, test.allowance), f8_zero()), f8_le(both, sum_limit)));
    lanes = both_halves(lanes);
    return !lanes || offer_lanes(walk, block, &test, lanes);
}

static BASE_ALWAYS_INLINE uint64_t entry_of(float s, uint32_t child)
{
    uint32_t bits;
    memcpy(&bits, &s, sizeof bits); /* s >= 0: bits order like floats */
    return (uint64_t)bits << 32 | child;
}

static BASE_ALWAYS_INLINE float entry_s(uint64_t entry)
{
    uint32_t bits = (uint32_t)(entry >> 32);
    float s;
    memcpy(&s, &bits, sizeof s);
    return s;
}

/* The ray against slabs, in registers. */
typedef struct slab_ray
{
    v3 inverse, near_shift, far_shift;
    uint32_t near[3], far[3];
} slab_ray;

static BASE_ALWAYS_INLINE v3 spread(const float v[3]) { return (v3){f8_set1(v[0]), f8_set1(v[1]), f8_set1(v[2])}; }

static BASE_ALWAYS_INLINE slab_ray slabs_of(const ray_walk *walk)
{
    const uint32_t *near = walk->near_plane, *far = walk->far_plane;
    return (slab_ray){spread(walk->inverse),
                      spread(walk->near_shift),
                      spread(walk->far_shift),
                      {near[0], near[1], near[2]},
                      {far[0], far[1], far[2]}};
}

/* Large trees do not fit the caches, and a child on the stack is going to be visited. */
static BASE_ALWAYS_INLINE void fetch_child(const ray_walk *walk, uint32_t child)
{
    bool leaf = child & RAY_LEAF_FLAG;
    const char *at = leaf ? (const char *)&walk->blocks[child & ~RAY_LEAF_FLAG] : (const char *)&walk->nodes[child];
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
    __builtin_prefetch(at + 128);
    __builtin_prefetch(at + (leaf ? 159 : 223));
}

/* Puts the children that the ray enters on the stack, the nearest on top. */
static BASE_ALWAYS_INLINE void open_node(const ray_walk *walk, const slab_ray *ray, const ray_node *node,
                                         walk_stack *stack)
{
    f8 near_x = f8_madd(f8_load(node->planes[ray->near[0]]), ray->inverse.x, ray->near_shift.x);
    f8 near_y = f8_madd(f8_load(node->planes[ray->near[1]]), ray->inverse.y, ray->near_shift.y);
    f8 near_z = f8_madd(f8_load(node->planes[ray->near[2]]), ray->inverse.z, ray->near_shift.z);
    f8 far_x = f8_madd(f8_load(node->planes[ray->far[0]]), ray->inverse.x, ray->far_shift.x);
    f8 far_y = f8_madd(f8_load(node->planes[ray->far[1]]), ray->inverse.y, ray->far_shift.y);
    f8 far_z = f8_madd(f8_load(node->planes[ray->far[2]]), ray->inverse.z, ray->far_shift.z);
    f8 enter = f8_max(f8_max(near_x, near_y), f8_max(near_z, f8_zero()));
    f8 leave = f8_min(f8_min(far_x, far_y), f8_min(far_z, f8_set1(walk->limit)));
    uint32_t lanes = f8_bits(f8_le(enter, leave));
    if (!lanes)
        return;
    _Alignas(32) float s[8];
    f8_store(s, enter);
    uint64_t *top = stack->items + stack->count, *bottom = top;
    do
    {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        lanes &= lanes - 1;
        fetch_child(walk, node->child[lane]);
        uint64_t entry = entry_of(s[lane], node->child[lane]), *at = top++;
        for (; at > bottom && at[-1] < entry; at--)
            *at = at[-1];
        *at = entry;
    } while (lanes);
    stack->count = (uint32_t)(top - stack->items);
}

void BASE_ISA(ray_walk_run)(ray_walk *walk)
{
    walk_stack stack;
    slab_ray ray = slabs_of(walk);
    uint64_t boxes_tested = 0;
    stack.items[0] = entry_of(0.0f, 0);
    stack.count = 1;
    while (stack.count)
    {
        uint64_t entry = stack.items[--stack.count];
        if (entry_s(entry) > walk->limit)
            continue;
        uint32_t child = (uint32_t)entry;
        if (child & RAY_LEAF_FLAG)
        {
            if (!visit_leaf(walk, &walk->blocks[child & ~RAY_LEAF_FLAG]))
                break;
            continue;
        }
        open_node(walk, &ray, &walk->nodes[child], &stack);
        boxes_tested += RAY_WIDTH;
    }
    walk->boxes_tested += boxes_tested;
}
