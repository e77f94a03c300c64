/* Attacks the error bound of rays in the wide layout (docs/exactness.md, section 15): climbs on how far rounding moves
 * the point of a ray that is at a vertex, along the axis of a box. */
#define wide_ray    here_wide_ray
#define wide_line_x here_wide_line_x
#include "support/rooted.h"
#include "tree/wide_ray.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "support/climb.h"

/* Inputs that longer climbs found. */
static const double NEAR_ORIGIN[] = {
    0x1.0000000000007p+1,
    -0x1.0174b74e19616p+0,
    0x1.f6b6ddd193d6cp-1,
    0x1.0000000000002p+0,
    0x1.0000000000039p+0,
    0x1.f6b6ddd193d6cp-1,
    0x0p+0,
    0x1.000000003a55ap-3,
    0x1.535c6acd7a143p-1,
    -0x1.5c66d53d9c482p-1,
    -0x1.fc9a7440e2ae2p+6,
    -0x1.fd70ad25756bep+6,
    -0x1.fe9cb2099e414p+6,
    -0x1.ff2a910f791bep-1,
    0x1.ffffffffffffbp-1,
    0x1.fffffffffffe4p-1,
    -0x1.009996c7e5fbbp+0,
    -0x1.fe4e45ed5a6p-1,
    -0x1.fb4b98c54ae96p-1,
    0x1.0056a85ce683fp+0,
    0x1.016c4d36f8f7p+0,
    0x1.ed786594c0b7ep-1,
    0x1.a0d97747f32c6p-2,
    -0x1.f7888816db3fep-35,
    0x1.ee1066ad9004bp-1,
    -0x1.cab6066f0309bp-1,
    0x1.000fa01f48511p+1,
};
static const double FAR_RAY[] = {
    0x1.0000000000003p+0,  0x1.5683c2f56b993p-4,  -0x1.9c7170025193dp-1, -0x1.adcf469326b23p-1, -0x1.0000000000004p+0,
    0x1.0000000000003p+0,  0x1.28990b0690babp-1,  0x1.ffffffffffb53p-1,  -0x1.111279fffc787p-1, -0x1.77d807002a019p-4,
    0x1.2f8fe415a9cf8p-2,  -0x1.111279fffc787p-1, 0x1.77d48d6b0f2bcp-4,  0x1.0000000000002p+0,  0x1.5683bd2abeda8p-4,
    -0x1.00000332efe72p-3, 0x1.d2446cbab31fcp-1,  0x1.0000000000003p+0,  -0x1.0000000000001p+0, 0x1.37285cb95997p-1,
    0x1.cd0486fee96c6p-1,  -0x1.00000035075f7p+0, -0x1.0000000102308p+0, 0x1.e8cd2d3427a12p-1,  -0x1.ad9214b4926d5p-1,
    0x1.9b7bd0bf5ddeep-3,  0x1.cfe5dc36e2067p-1,
};

typedef long double real;

static double within(double x, double limit) { return fmax(-limit, fmin(limit, x)); }

/* A tree of which there is only the frame, and one box. */
typedef struct bare_tree
{
    carom_mesh mesh;
    carom_tree tree;
    wide_tree wide;
    carom_pose pose;
    wide_node node;
} bare_tree;

static carom_pose pose_at(const double *n, double bend, double away)
{
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    bool turned = fabs(n[0]) + fabs(n[1]) + fabs(n[2]) + fabs(n[3]) > 0x1p-100;
    carom_pose pose = rooted_pose(turned ? n : none, vec3(away * n[10], away * n[11], away * n[12]));
    double h[9], r[9];
    for (int i = 0; i < 9; i++)
        h[i] = (i % 4 == 0 ? 1.0 : 0.0) + bend * within(n[4 + (i % 4 == 0 ? i / 4 : 2 + i / 3 + i % 3)], 1.0);
    for (int i = 0; i < 9; i++)
        r[i] = pose.rotation[3 * (i / 3)] * h[i % 3] + pose.rotation[3 * (i / 3) + 1] * h[3 + i % 3] +
               pose.rotation[3 * (i / 3) + 2] * h[6 + i % 3];
    if (bend > 0.0)
        memcpy(pose.rotation, r, sizeof r);
    return pose;
}

/* numbers: a pose, a vertex, a direction, the way to the vertex, a box's axes and centre. */
static double stab_ratio(const double *n, double bend, double away, double far)
{
    static bare_tree s;
    const double *vertex = n + 13, *d = n + 16;
    carom_vec3 v = vec3(within(vertex[0], 1.0), within(vertex[1], 1.0), within(vertex[2], 1.0));
    double way = far * fmin(fabs(n[19]), 4.0), longest = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
    s.pose = pose_at(n, bend, away);
    s.mesh.extent = largest_coordinate(v), s.wide.scale = 1.0, s.tree.wide = &s.wide;
    if (!(s.mesh.extent > 0.5) || !(longest > 0.25) || carom_pose_check(&s.pose) != CAROM_OK)
        return 0.0;
    carom_pose box = pose_at(n + 20, 0.0, 0.0);
    for (int k = 0; k < 3; k++)
    {
        s.node.centre[k][0] = (float)within(n[24 + k], 1.0);
        for (int j = 0; j < 3; j++)
            s.node.axis[k][j][0] = (float)box.rotation[3 * k + j];
    }
    carom_vec3 world = pose_apply(&s.pose, v),
               origin = vec3(world.x - way * d[0], world.y - way * d[1], world.z - way * d[2]);
    stab line = stab_begin(&(mesh_placed){&s.mesh, &s.tree, &s.pose}, origin, vec3(d[0], d[1], d[2]));
    /* The ray's point is beside the vertex by the rounding of its origin. */
    const real beside[3] = {(real)origin.x + (real)way * (real)d[0] - (real)world.x,
                            (real)origin.y + (real)way * (real)d[1] - (real)world.y,
                            (real)origin.z + (real)way * (real)d[2] - (real)world.z};
    const double own[3] = {v.x, v.y, v.z}, *r = s.pose.rotation;
    double worst = 0.0;
    for (int k = 0; k < 3; k++)
    {
        double at_along[2], enter;
        stab_axis(&line, &s.node, 0, k, at_along);
        real truth = 0.0L, step = ldexpl((real)way, line.exponent);
        for (int j = 0; j < 3; j++)
        {
            real turned = (real)r[j] * beside[0] + (real)r[3 + j] * beside[1] + (real)r[6 + j] * beside[2];
            truth += (real)s.node.axis[k][j][0] * ((real)own[j] + turned - (real)s.node.centre[j][0]);
        }
        /* Only this axis has planes: where the line enters between them is all that stab_box finds. */
        stab bare = line;
        bare.pad = 0.0, bare.min_t = -INFINITY, bare.max_t = INFINITY;
        for (int j = 0; j < 3; j++)
            s.node.half[j][0] = j == k ? fabsf((float)truth) : 0x1p100f;
        if (at_along[1] == 0.0 || !stab_box(&bare, &s.node, 0, &enter))
            continue;
        real plane = (at_along[1] > 0.0 ? -1.0L : 1.0L) * (real)s.node.half[k][0];
        real off = ((real)enter - step) * (real)at_along[1] + truth - plane;
        worst = fmax(worst, (double)(fabsl(off) / (real)line.pad));
    }
    return worst;
}

static double bent_ratio(const double *n) { return stab_ratio(n, 0.4e-9, 1.0, 1.0); }
static double usual_ratio(const double *n) { return stab_ratio(n, 0.0, 1.0, 1.0); }
static double moved_ratio(const double *n) { return stab_ratio(n, 0.0, 0x1p30, 1.0); }
static double far_ratio(const double *n) { return stab_ratio(n, 0.0, 1.0, 0x1p30); }

static void rays_are_within_their_pad(void **state)
{
    (void)state;
    climb_attack(&(climb){"a bent pose", bent_ratio, 27, 0.9, 1, NULL, 10, 50000, false});
    climb_attack(&(climb){"near the origin", usual_ratio, 27, 0.68, 2, NEAR_ORIGIN, 4, 20000, false});
    climb_attack(&(climb){"a pose far away", moved_ratio, 27, 0.9, 3, NULL, 10, 50000, false});
    climb_attack(&(climb){"a ray from far away", far_ratio, 27, 0.55, 4, FAR_RAY, 4, 20000, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rays_are_within_their_pad)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
