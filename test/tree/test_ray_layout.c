/* Attacks the error bounds of the ray layout (docs/exactness.md, section 16) one by one: climbs on error / bound of the
 * kernels, which are compiled into this program. test_ray_bounds attacks all of them together with exact arithmetic. */
#define CAROM_ISA scalar_here
#define CAROM_ISA_SCALAR
#include "support/rooted.h"
#include "tree/rays_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "support/climb.h"

/* Inputs that longer climbs found. */
static const double WEIGHTS[] = {
    0x1.ffffa4ad27f5p-1,   0x1.ffa833804ecacp-1,  -0x1.ffdd5793084a9p-1, 0x1.0011844226ae6p+0,
    0x1.fffe7aff79be6p-1,  -0x1.ffd9df08bdd18p-1, -0x1.fe36a9457bb83p-1, 0x1.fcfc7efaeabbp-1,
    -0x1.ffffff081c1c1p-1, 0x1.7fb32cd254f7p-1,   0x1.00efdf00b7634p+0,  -0x1.004554ffaa92ap+0,
    0x1.d86d50f3eed14p-1,  0x1.ffa833804ecacp-1,  0x1.5e6cd98226707p-5,  0x1.ffd9af5a65c5bp-1,
};
static const double PARAMETERS[] = {
    -0x1.001f90f09a82ap+0, -0x1.ffffff02845d9p-1, -0x1.ffffedd8f4df7p-1, 0x1.f50c28fc6ebf5p-3,
    -0x1.fde1bed4ea23fp-1, -0x1.fae2eb48aa8d9p-1, -0x1.ff362d838427ep-1, -0x1.fea70dbe44304p-1,
    0x1.3db10c1852b0bp-1,  -0x1.023e26b0a3721p+0, -0x1.01fdecf80245ap+0, -0x1.e808eb5387044p-1,
    -0x1.fa7bc62b4052p-2,  0x1.f349ecb6a7ea2p-6,  0x1.02f84e842c403p-1,  0x1.fffc6ef871435p-1,
};
static const double FAR_POSE[] = {
    -0x1.ffffffffdfd9p-1,  -0x1.5a8f5d3123943p-4, -0x1.100422dcbcb19p-1, -0x1.3ffd2ee420352p-1, 0x1.00cd8d13dbe9p-2,
    -0x1.d1d144ba87ep-1,   0x1.4cf188d31a74cp-2,  0x1.82545b946d66cp-1,  -0x1.10641d279e911p-2, -0x1.3ffd2ee420352p-1,
    -0x1.7340219c34e53p-1, 0x1.7fff5a200660dp-1,  -0x1.aceb7c76fb90ep-6, -0x1.a577202fb21a3p-1, 0x1.3128288072cbbp-3,
    0x1.068a447395c2cp-2,  -0x1.439293dfe4d7cp-1, 0x1.d919c3c9454e7p-2,  -0x1.00000060f54bcp-3, 0x1.00cd8d11af024p-3,
    0x1.836c1d9f6c85bp-2,  -0x1.0f0dee05f0a56p-1, 0x1.4bbafa8c30ba9p-2,
};

static const double NEARBY_RAY[] = {
    -0x1.fd56fca6b9ea7p-1, 0x1.0000000000004p+0,  -0x1.b7a17e76ac89ep-1, 0x1.0000000000004p+0,  0x1.735a294123343p-1,
    -0x1.fe0e586af8a6p-1,  -0x1.ce469d9faede4p-1, -0x1.ca82365a5c005p-1, -0x1.ffffffffffffep-1, -0x1.afe951dda0439p-6,
    0x1.42bba39f82e23p-2,  -0x1.d95e7fab772a3p-1, -0x1.d95e7fab71effp-1, -0x1.00ea14d2fcdaap+0, 0x1.a741c4ec65679p-4,
    0x1.c248199112ed1p-3,  -0x1.171403635c8f5p-1, 0x1.a741c4ebf7845p-4,  -0x1.cde405c46c6b3p-4, 0x1.8cb16f05bfe3ap-3,
    0x1.ad23b267ec0d9p-3,  0x1.8cb16f06392dap-3,  0x1.f39849751a446p+9};

static double within(double x, double limit) { return fmax(-limit, fmin(limit, x)); }

static double largest3(const double v[3]) { return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))); }

static const ray_tree FRAME = {
    .frame = {{0.0, 0.0, 0.0}, 1.0}, .low = {-1.0, -1.0, -1.0, -INFINITY}, .high = {1.0, 1.0, 1.0, INFINITY}};

/* Margins of a pose that moves nothing; what is left of placement is a ten-thousandth of the others. */
static tree_ray_margins margins_of_floats(void)
{
    tree_ray_margins margins;
    ray_margins_set(&margins, &FRAME, 0.0, 0.0);
    return margins;
}

/* A direction as the frame has it: its largest component from 1 to 2. False: none. */
static bool direction_at(const double *n, double d[3])
{
    double longest = largest3(n);
    int exponent;
    if (!(longest > 0x1p-40))
        return false;
    frexp(longest, &exponent);
    for (int k = 0; k < 3; k++)
        d[k] = ldexp(n[k], 1 - exponent);
    return true;
}

/* ---- boxes ---- */

/* Where the walk enters a box by its near plane along x, as a limit that just lets it in. */
static float entry_of(ray_walk *walk, float plane)
{
    static ray_node node;
    bool backwards = walk->direction[0] < 0.0f;
    for (int i = 0; i < 6; i++)
        node.planes[i][0] = i % 2 ? 1e6f : -1e6f;
    node.planes[backwards ? 1 : 0][0] = plane;
    node.planes[backwards ? 0 : 1][0] = backwards ? -1e6f : 1e6f;
    float low = 0.0f, high = 16.0f;
    slab_ray slabs = slabs_of(walk);
    while (nextafterf(low, high) < high)
    {
        f8 keys;
        walk->limit = low + (high - low) / 2.0f;
        *(enter_boxes(walk, &slabs, &node, &keys) & 1 ? &high : &low) = walk->limit;
    }
    return high;
}

/* numbers: where the walk begins, the direction, the way before, the plane. */
static double plane_ratio_from(const double *n, double far)
{
    double d[3], x[3], start = far * fabs(n[6]), plane = within(n[7], 1.0);
    tree_ray_margins margins;
    if (!direction_at(n + 3, d) || fabs(d[0]) < 0x1p-6)
        return 0.0;
    for (int k = 0; k < 3; k++)
        x[k] = within(n[k], 1.0) - start * d[k];
    if (far > 1.0 && !(largest3(x) > far / 4.0))
        return 0.0;
    /* A third of ENTER_STEP is for the origin. */
    ray_margins_set(&margins, &FRAME, 2.0 / 3.0 * ENTER_STEP * largest3(x), largest3(x));
    double pad = margins.pad;
    enter_line line = {d4_set1(0.0), d4_set1(0.0), d4_set1(0.0)};
    double origin[4] = {x[0], x[1], x[2], 0.0}, direction[4] = {d[0], d[1], d[2], 1.0}, inverse[4];
    for (int k = 0; k < 4; k++)
        inverse[k] = 1.0 / copysign(fmax(fabs(direction[k]), ENTER_SMALLEST_COMPONENT), direction[k]);
    line.origin = d4_loadu(origin), line.direction = d4_loadu(direction), line.inverse = d4_loadu(inverse);
    ray_walk walk = {.limit = INFINITY};
    enter_set_ray(&walk, &line, start, pad);
    long double exact = ((long double)plane - (long double)x[0]) / (long double)d[0] - (long double)start;
    double truth = (double)exact, slack = pad / fabs(d[0]);
    if (!(truth > 2.0 * slack))
        return 0.0;
    return ((double)entry_of(&walk, (float)plane) - (truth - slack)) / slack;
}

static double plane_ratio(const double *n) { return plane_ratio_from(n, 1.0); }
static double far_plane_ratio(const double *n) { return plane_ratio_from(n, 0x1p35); }

/* ---- triangles ---- */

/* A ray that hits a triangle on its edge or inside, in double and as the walk sees it. */
typedef struct hit_case
{
    ray_walk walk;
    ray_block block;
    double s;
    double away[3], edge[2][3], d[3]; /* corner 0 seen from the origin, the edges, the direction */
} hit_case;

/* numbers: corners, direction, two weights, which edge, s. */
static bool make_hit(const double *n, hit_case *c)
{
    static uint32_t indices[3] = {0, 0, 0};
    static carom_vec3 vertex = {0, 0, 0};
    static carom_mesh mesh;
    mesh.indices = indices, mesh.vertices = &vertex;
    double corner[3][3], origin[3], share[2] = {fmin(fabs(n[12]), 1.0), 0.0};
    if (!direction_at(n + 9, c->d))
        return false;
    share[1] = fmin(fabs(n[13]), 1.0) * (1.0 - share[0]);
    share[n[14] > 0.3 ? 0 : 1] = fabs(n[14]) > 0.3 ? 0.0 : 1.0 - share[0];
    c->s = fabs(n[15]) * 2.0 / largest3(c->d);
    for (int k = 0; k < 3; k++)
    {
        for (int i = 0; i < 3; i++)
            corner[i][k] = within(n[3 * i + k], 1.0);
        for (int i = 0; i < 2; i++)
            c->edge[i][k] = corner[1 + i][k] - corner[0][k];
        origin[k] = corner[0][k] + share[0] * c->edge[0][k] + share[1] * c->edge[1][k] - c->s * c->d[k];
        c->away[k] = corner[0][k] - origin[k];
    }
    if (!(largest3(origin) <= 1.0 + 0x1p-20))
        return false;
    c->walk = (ray_walk){.mesh = &mesh, .limit = INFINITY, .room = RAY_MAX_WAITING, .entry = {.start = 1.0}};
    c->block = (ray_block){.triangle = {0, CAROM_NO_TRIANGLE, CAROM_NO_TRIANGLE, CAROM_NO_TRIANGLE}};
    for (int k = 0; k < 3; k++)
    {
        c->walk.origin[k] = (float)origin[k], c->walk.direction[k] = (float)c->d[k];
        c->block.corner[k][0] = (float)corner[0][k];
        c->block.edges[k][0] = (float)corner[1][k] - (float)corner[0][k];
        c->block.edges[k][RAY_LEAF] = (float)corner[2][k] - (float)corner[0][k];
    }
    enter_set_slack(&c->walk, margins_of_floats().slack);
    return true;
}

/* How much of its allowance a hit needs. */
static double weight_ratio(const double *n)
{
    hit_case c;
    if (!make_hit(n, &c))
        return 0.0;
    leaf_test test = test_leaf(&c.walk, &c.block);
    double w1 = (double)test.weight.v[0], w2 = (double)test.weight.v[RAY_LEAF];
    double a1 = (double)test.allowance.v[0], a2 = (double)test.allowance.v[RAY_LEAF];
    if (!(a1 > 0x1p-40) || !(a2 > 0x1p-40))
        return 0.0;
    return fmax(fmax(-w1 / a1, -w2 / a2), (w1 + w2 - fabs((double)test.volume.v[0])) / (a1 + a2));
}

/* Half a unit in the last place of a float. */
static double rounding_of(double x) { return x == 0.0 ? 0.0 : ldexp(0x1p-24, ilogb(x)); }

static double product_component(const double a[3], const double b[3], int k)
{
    return a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The same for a hit on the first edge, where w = (c x d) . e is 0, if an adversary chooses all roundings, to first
 * order. */
static double worst_weight_ratio(const double *n)
{
    hit_case c;
    if (!(n[14] < -0.3) || !make_hit(n, &c))
        return 0.0;
    const double *away = c.away, *e = c.edge[0], *d = c.d;
    double worst = 0.0, term[3], allowance = (double)test_leaf(&c.walk, &c.block).allowance.v[0];
    for (int k = 0; k < 3; k++)
    {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double corner = within(n[k], 1.0), other = within(n[3 + k], 1.0), across = product_component(away, d, k);
        double with_corner = product_component(d, e, k), with_direction = product_component(e, away, k);
        /* what is given: the corners, the origin and the direction; then the edge and the way to the corner */
        worst += rounding_of(corner) * fabs(with_corner - across) + rounding_of(other) * fabs(across);
        worst += rounding_of(corner - away[k]) * fabs(with_corner) + rounding_of(d[k]) * fabs(with_direction);
        worst += rounding_of(e[k]) * fabs(across) + rounding_of(away[k]) * fabs(with_corner);
        worst += (rounding_of(away[i] * d[j]) + rounding_of(away[j] * d[i]) + rounding_of(across)) * fabs(e[k]);
        term[k] = across * e[k];
        worst += rounding_of(term[k]);
    }
    worst += rounding_of(term[1] + term[2]);
    return allowance > 0x1p-40 ? worst / allowance : 0.0;
}

static double parameter_ratio(const double *n)
{
    hit_case c;
    if (!make_hit(n, &c) || !visit_leaf(&c.walk, &c.block) || c.walk.waiting_count == 0)
        return 0.0;
    double low = (double)c.walk.waiting[0].low, high = (double)c.walk.waiting[0].high;
    if (!(high - low < 1e3) || low <= -1.0)
        return 0.0;
    return fabs(c.s - (low + high) / 2.0) / ((high - low) / 2.0);
}

/* The volume's rounding alone: its part of the allowance must be larger. */
static double volume_ratio(const double *n)
{
    hit_case c;
    if (!make_hit(n, &c))
        return 0.0;
    leaf_test test = test_leaf(&c.walk, &c.block);
    double e[2][3], d[3], volume = 0.0;
    for (int k = 0; k < 3; k++)
    {
        d[k] = (double)c.walk.direction[k];
        e[0][k] = (double)c.block.edges[k][0], e[1][k] = (double)c.block.edges[k][RAY_LEAF];
    }
    for (int k = 0; k < 3; k++)
        volume += (e[0][(k + 1) % 3] * d[(k + 2) % 3] - e[0][(k + 2) % 3] * d[(k + 1) % 3]) * e[1][k];
    double bound = (double)c.walk.volume_slack * (double)test.sizes.v[0];
    return bound > 0x1p-60 ? fabs((double)test.volume.v[0] - volume) / bound : 0.0;
}

static void floats_are_within_their_slack(void **state)
{
    (void)state;
    climb_attack(&(climb){"planes of boxes", plane_ratio, 8, 0.85, 1, NULL, 20, 10000, true});
    climb_attack(&(climb){"planes of boxes, from far away", far_plane_ratio, 8, 0.65, 5, NULL, 20, 10000, false});
    climb_attack(&(climb){"weights of hits", weight_ratio, 16, 0.45, 2, WEIGHTS, 4, 20000, true});
    climb_attack(&(climb){"weights of hits, any roundings", worst_weight_ratio, 16, 0.5, 6, NULL, 20, 20000, true});
    climb_attack(&(climb){"volumes", volume_ratio, 16, 0.75, 3, NULL, 20, 20000, true});
    climb_attack(&(climb){"parameters of hits", parameter_ratio, 16, 0.72, 4, PARAMETERS, 4, 20000, true});
}

/* ---- placing ---- */

typedef long double real;

/* Rt (x - t), exactly enough. */
static void turn_back(const carom_pose *pose, const real x[3], real out[3])
{
    const double t[3] = {pose->translation.x, pose->translation.y, pose->translation.z};
    for (int i = 0; i < 3; i++)
    {
        out[i] = 0.0L;
        for (int j = 0; j < 3; j++)
            out[i] += (real)pose->rotation[3 * j + i] * (x[j] - (real)t[j]);
    }
}

/* How a corner lies to the ray's point at t, in the frame: computed and exact. numbers: a quaternion, a bend, a
 * translation, the corner, the direction, what the ray passes the corner at, the way to it. */
static double place_ratio(const double *n, double bend, double away, double far)
{
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    carom_vec3 v = vec3(within(n[13], 1.0), within(n[14], 1.0), within(n[15], 1.0));
    double extent = largest3((double[3]){v.x, v.y, v.z}), d[3], way = far * fabs(n[22]);
    tree_ray_frame ray_frame = {.pose =
                                    rooted_pose(fabs(n[0]) + fabs(n[1]) + fabs(n[2]) + fabs(n[3]) > 0x1p-100 ? n : none,
                                                vec3(away * n[10], away * n[11], away * n[12]))};
    for (int i = 0; i < 9 && bend > 0.0; i++)
        ray_frame.pose.rotation[i] *= 1.0 + bend * within(n[4 + i % 6], 1.0);
    if (!(extent > 0.5) || !direction_at(n + 16, d) || carom_pose_check(&ray_frame.pose) != CAROM_OK)
        return 0.0;
    ray_frame_set(&ray_frame, &FRAME, extent);
    carom_vec3 world = pose_apply(&ray_frame.pose, v);
    const double corner[3] = {world.x, world.y, world.z}, own[3] = {v.x, v.y, v.z};
    carom_ray ray = {vec3(corner[0] - way * d[0] + 0.1 * n[19], corner[1] - way * d[1] + 0.1 * n[20],
                          corner[2] - way * d[2] + 0.1 * n[21]),
                     vec3(d[0], d[1], d[2]), INFINITY};
    ray_walk walk = {.tree = &FRAME};
    if (enter_tree(&walk, &ray_frame, &ray) != RAY_ENTERS)
        return 0.0;
    enter_line line = enter_make_line(&ray_frame, &ray, enter_power(ray.direction));
    double origin[4], direction[4];
    d4_storeu(origin, line.origin), d4_storeu(direction, line.direction);
    const double o[3] = {ray.origin.x, ray.origin.y, ray.origin.z};
    real exact_corner[3], exact_point[3], at[3], largest = 0.0L, t = (real)way;
    turn_back(&ray_frame.pose, (real[3]){(real)corner[0], (real)corner[1], (real)corner[2]}, exact_corner);
    for (int k = 0; k < 3; k++)
        at[k] = (real)o[k] + t * (real)d[k];
    turn_back(&ray_frame.pose, at, exact_point);
    for (int k = 0; k < 3; k++)
    {
        real seen = (real)own[k] - ((real)origin[k] + t * (real)walk.entry.rate * (real)direction[k]);
        largest = fmaxl(largest, fabsl(seen - (exact_corner[k] - exact_point[k])));
    }
    return (double)(largest / (real)walk.entry.placement);
}

static double bent_ratio(const double *n) { return place_ratio(n, 4e-10, 1.0, 4.0); }
static double moved_ratio(const double *n) { return place_ratio(n, 0.0, 0x1p20, 4.0); }
static double near_ratio(const double *n) { return place_ratio(n, 0.0, 1.0, 500.0); }
static double far_ratio(const double *n) { return place_ratio(n, 0.0, 1.0, 0x1p30); }

static void placing_is_within_its_bound(void **state)
{
    (void)state;
    climb_attack(&(climb){"placing, a bent pose", bent_ratio, 23, 0.95, 11, NULL, 10, 20000, false});
    climb_attack(&(climb){"placing, a pose far away", moved_ratio, 23, 0.68, 12, FAR_POSE, 10, 20000, false});
    climb_attack(&(climb){"placing, a ray from nearby", near_ratio, 23, 0.6, 14, NEARBY_RAY, 4, 20000, false});
    climb_attack(&(climb){"placing, a ray from far away", far_ratio, 23, 0.6, 13, NULL, 20, 50000, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(floats_are_within_their_slack),
                                       cmocka_unit_test(placing_is_within_its_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
