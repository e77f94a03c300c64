/* Relations of polyhedra made of lattice cells, whose truth is known from the cells: convex and not, with holes and
 * cavities, of several components, meeting in points, edges and faces, equal, one inside another, with inner walls,
 * sheets and hairs; faces split at random, triangles shuffled, some placed by a pose. */
#include "query/world.h"
#include "support/lattice.h"

/* A rotation by quarter turns and a translation by halves: exact. */
static carom_pose random_pose(check_random *random)
{
    static const int turns[4][9] = {
        {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 1, 0, 0, 0, 1, 1, 0, 0}, {0, -1, 0, 1, 0, 0, 0, 0, 1}, {-1, 0, 0, 0, 0, 1, 0, 1, 0}};
    carom_pose pose = carom_pose_identity();
    const int *turn = turns[check_next(random) % 4];
    for (int i = 0; i < 9; i++)
        pose.rotation[i] = turn[i];
    pose.translation = (carom_vec3){(double)(check_next(random) % 9) / 2 - 2, (double)(check_next(random) % 9) / 2 - 2,
                                    (double)(check_next(random) % 9) / 2 - 2};
    return pose;
}

/* The mesh that the pose places where the body is. */
static carom_mesh *make_mesh(const world *w, const lattice_body *body, const carom_pose *pose)
{
    double *vertices = malloc(9 * body->triangle_count * sizeof *vertices);
    const double *r = pose->rotation, t[3] = {pose->translation.x, pose->translation.y, pose->translation.z};
    assert_non_null(vertices);
    for (size_t i = 0; i < 3 * body->triangle_count; i++)
        for (int k = 0; k < 3; k++)
        {
            const double *p = body->corners[i];
            vertices[3 * i + (size_t)k] = r[k] * (p[0] - t[0]) + r[3 + k] * (p[1] - t[1]) + r[6 + k] * (p[2] - t[2]);
        }
    carom_mesh *mesh = world_mesh(w, vertices, 3 * body->triangle_count, NULL, body->triangle_count);
    free(vertices);
    return mesh;
}

static void lattice_bodies_in_every_relation(void **state)
{
    (void)state;
    const uint64_t rounds = 400;
    uint64_t counts[CAROM_RELATION_COUNT] = {0};
    world w = world_open();
    for (uint64_t seed = 1; seed <= rounds; seed++)
    {
        check_random random = {seed};
        lattice *grid = lattice_create(seed % 16 == 0 ? 3 : 2);
        lattice_body a = lattice_make(grid, &random, NULL), b = lattice_make(grid, &random, &a);
        carom_relation truth = lattice_relation(grid, &a, &b);
        if (a.triangle_count > 0 && b.triangle_count > 0)
        {
            carom_pose pose_a = random_pose(&random), pose_b = random_pose(&random);
            carom_mesh *mesh_a = make_mesh(&w, &a, &pose_a), *mesh_b = make_mesh(&w, &b, &pose_b);
            carom_placed placed_a = {carom_shape_mesh(mesh_a), pose_a}, placed_b = {carom_shape_mesh(mesh_b), pose_b};
            carom_collide_options options = carom_collide_options_default();
            options.relation = true;
            options.mode = seed % 2 ? CAROM_COLLIDE_ALL : CAROM_COLLIDE_ANY;
            carom_report report;
            assert_int_equal(carom_collide(w.query, &placed_a, &placed_b, &options, &report), CAROM_OK);
            if (report.relation != truth)
            {
                print_error("seed %llu: %s, but it is %s (%zu and %zu triangles, closed %d %d)\n",
                            (unsigned long long)seed, carom_relation_name(report.relation), carom_relation_name(truth),
                            a.triangle_count, b.triangle_count, report.a_closed, report.b_closed);
                fail();
            }
            counts[truth]++;
            carom_mesh_destroy(mesh_a), carom_mesh_destroy(mesh_b);
        }
        lattice_free(&a), lattice_free(&b);
        lattice_destroy(grid);
    }
    for (int i = CAROM_RELATION_APART; i < CAROM_RELATION_COUNT; i++)
    {
        print_message("%s: %llu\n", carom_relation_name((carom_relation)i), (unsigned long long)counts[i]);
        assert_true(counts[i] > 0);
    }
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lattice_bodies_in_every_relation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
