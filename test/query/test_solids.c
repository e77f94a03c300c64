/* Point sets of polyhedra made of lattice cells, whose truth is known from the cells: convex and not, with holes and
 * cavities, of several components, meeting in points, edges and faces, equal, one inside another, with inner walls,
 * sheets and hairs; faces split at random, triangles shuffled, some placed by a pose. */
#include "query/query.h"
#include "query/world.h"
#include "support/lattice.h"
#include "support/stack.h"

/* A rotation by quarter turns and a translation by halves: exact. */
static carom_pose random_pose(check_random *random)
{
    static const int turns[4][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1},
                                    {0, 1, 0, 0, 0, 1, 1, 0, 0},
                                    {0, -1, 0, 1, 0, 0, 0, 0, 1},
                                    {-1, 0, 0, 0, 0, 1, 0, 1, 0}};
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

static long scaled(long rounds)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    return rounds * (scale ? atol(scale) : 1);
}

/* The same decided from the cells of all triangles that touch, without a shortcut. */
static carom_relation ask_cells(const world *w)
{
    const query_job *job = &w->query->job;
    const query_meetings meetings = {.any = job->found.count > 0,
                                     .crossing = job->found.crossing,
                                     .crossing_pair = {job->found.crossing_a, job->found.crossing_b},
                                     .keys = job->keys.items,
                                     .key_count = job->keys.count};
    base_budget unlimited = base_budget_begin(NULL);
    carom_counters counters = {0};
    const query_walk walk = {&job->question, NULL, &unlimited, &counters};
    query_cursor cursor = {0};
    carom_relation relation;
    query_cursor_begin(&cursor);
    assert_int_equal(query_relation(w->query, &walk, &meetings, &cursor, &relation), CAROM_OK);
    query_cursor_free(w->context, &cursor);
    return relation;
}

static carom_relation ask(const world *w, const carom_placed *a, const carom_placed *b, carom_collide_mode mode)
{
    carom_collide_options options = carom_collide_options_default();
    options.mode = mode;
    options.relation = true;
    carom_report report;
    assert_int_equal(carom_collide(w->query, a, b, &options, &report), CAROM_OK);
    if (mode != CAROM_COLLIDE_ANY && a->shape.kind == CAROM_SHAPE_MESH && b->shape.kind == CAROM_SHAPE_MESH)
        assert_string_equal(carom_relation_name(ask_cells(w)), carom_relation_name(report.relation));
    return report.relation;
}

static carom_relation mirror(carom_relation relation)
{
    return relation == CAROM_RELATION_A_INSIDE_B   ? CAROM_RELATION_B_INSIDE_A
           : relation == CAROM_RELATION_B_INSIDE_A ? CAROM_RELATION_A_INSIDE_B
                                                   : relation;
}

/* One pair in a lattice of its own, in one of the modes, perhaps swapped. Returns the truth; apart for an empty body.
 */
static carom_relation check_pair(const world *w, long seed)
{
    check_random random = {(uint64_t)seed};
    lattice *grid = lattice_create(seed % 16 == 0 ? 3 : 2);
    lattice_body a = lattice_make(grid, &random, NULL), b = lattice_make(grid, &random, &a);
    lattice_facts facts = lattice_compare(grid, &a, &b);
    carom_relation truth = lattice_relation(&facts);
    if (a.triangle_count == 0 || b.triangle_count == 0)
        truth = CAROM_RELATION_APART;
    carom_pose pose_a = random_pose(&random), pose_b = random_pose(&random);
    carom_mesh *mesh_a = make_mesh(w, &a, &pose_a), *mesh_b = make_mesh(w, &b, &pose_b);
    carom_placed placed_a = {carom_shape_mesh(mesh_a), pose_a}, placed_b = {carom_shape_mesh(mesh_b), pose_b};
    bool swap = check_next(&random) % 4 == 0;
    carom_collide_mode mode = (carom_collide_mode)(check_next(&random) % 3);
    carom_relation found = swap ? mirror(ask(w, &placed_b, &placed_a, mode)) : ask(w, &placed_a, &placed_b, mode);
    if (found != truth)
        fail_msg("seed %ld: %s, but it is %s (%zu and %zu triangles, mode %d)", seed, carom_relation_name(found),
                 carom_relation_name(truth), a.triangle_count, b.triangle_count, (int)mode);
    carom_mesh_destroy(mesh_a), carom_mesh_destroy(mesh_b);
    lattice_free(&a), lattice_free(&b);
    lattice_destroy(grid);
    return truth;
}

static void lattice_bodies_in_every_relation(void **state)
{
    (void)state;
    const char *text = getenv("CAROM_TEST_SEED");
    const long rounds = scaled(900), first = text ? atol(text) : 1;
    long counts[CAROM_RELATION_SURFACES_MEET + 1] = {0};
    world w = world_open();
    for (long seed = first; seed < first + rounds; seed++)
    {
        counts[check_pair(&w, seed)]++;
        if ((seed - first + 1) % 5000 == 0)
            print_message("%ld pairs from seed %ld\n", seed - first + 1, first);
    }
    for (int i = CAROM_RELATION_APART; i <= CAROM_RELATION_SURFACES_MEET; i++)
        assert_true(counts[i] > 0);
    world_close(&w);
}

/* The examples that a search by corners alone gets wrong. */
static void a_hole_inside_the_other_body(void **state)
{
    (void)state;
    world w = world_open();
    /* A cube with a cavity, and an octahedron around a corner of the cavity's wall: its corners are all in the wall. */
    double outer[24], cavity[24], both[48];
    uint32_t indices[72];
    world_box_vertices((double[3]){0, 0, 0}, (double[3]){6, 6, 6}, outer);
    world_box_vertices((double[3]){2, 2, 2}, (double[3]){4, 4, 4}, cavity);
    memcpy(both, outer, sizeof outer), memcpy(both + 24, cavity, sizeof cavity);
    for (int i = 0; i < 36; i++)
        indices[i] = WORLD_BOX_INDICES[i], indices[36 + i] = 8 + WORLD_BOX_INDICES[35 - i];
    const double corners[18] = {4, 4, 2, 2, 4, 2, 3, 5, 2, 3, 3, 2, 3, 4, 3, 3, 4, 1};
    const uint32_t faces[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    carom_mesh *cube = world_mesh(&w, both, 16, indices, 24), *octahedron = world_mesh(&w, corners, 6, faces, 8);
    carom_placed a = world_place(octahedron, 0, 0, 0), b = world_place(cube, 0, 0, 0);
    assert_int_equal(ask(&w, &a, &b, CAROM_COLLIDE_ALL), CAROM_RELATION_OVERLAPPING);
    carom_mesh_destroy(cube), carom_mesh_destroy(octahedron);
    world_close(&w);
}

/* Two surfaces whose order of triangles must not matter: a sheet in an L-shaped prism that leaves it at the notch. */
static void the_order_of_triangles_does_not_matter(void **state)
{
    (void)state;
    world w = world_open();
    const double outline[6][2] = {{0, 0}, {4, 0}, {4, 2}, {2, 2}, {2, 4}, {0, 4}};
    double vertices[36];
    uint32_t indices[60], count = 0;
    for (int i = 0; i < 12; i++)
        vertices[3 * i] = outline[i % 6][0], vertices[3 * i + 1] = outline[i % 6][1],
                     vertices[3 * i + 2] = i < 6 ? 0 : 2;
    const uint32_t cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            indices[count++] = cap[i][2 - k];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            indices[count++] = cap[i][k] + 6;
    for (uint32_t i = 0; i < 6; i++)
    {
        uint32_t next = (i + 1) % 6, side[6] = {i, next, next + 6, i, next + 6, i + 6};
        for (int k = 0; k < 6; k++)
            indices[count++] = side[k];
    }
    carom_mesh *prism = world_mesh(&w, vertices, 12, indices, count / 3);
    assert_true(carom_mesh_get_info(prism).closed && carom_mesh_get_info(prism).oriented);
    const double p[4][3] = {{3, 2, 1}, {2, 3, 1}, {2, 2, 1}, {3, 0, 1}}; /* P, Q, N, S */
    for (int order = 0; order < 2; order++)
    {
        const uint32_t pqn[6] = {0, 1, 2, 0, 2, 3}, pns[6] = {0, 2, 3, 0, 1, 2};
        carom_mesh *sheet = world_mesh(&w, &p[0][0], 4, order ? pns : pqn, 2);
        carom_placed a = world_place(sheet, 0, 0, 0), b = world_place(prism, 0, 0, 0);
        /* PQN is outside, PNS inside */
        assert_int_equal(ask(&w, &a, &b, CAROM_COLLIDE_ALL), CAROM_RELATION_OVERLAPPING);
        carom_mesh_destroy(sheet);
    }
    carom_mesh_destroy(prism);
    world_close(&w);
}

/* ---- what must not matter ---- */

static double to_grid(double x) { return nearbyint(x * 0x1p20) * 0x1p-20; }

/* A body in general position, nearly: turned, and rounded so that the middle of two corners is a double. */
static double *turn_corners(const lattice_body *body, const carom_pose *pose)
{
    double *out = malloc((9 * body->triangle_count + 1) * sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < 3 * body->triangle_count; i++)
    {
        const double *p = body->corners[i], *r = pose->rotation;
        for (int k = 0; k < 3; k++)
            out[3 * i + (size_t)k] = to_grid(r[3 * k] * p[0] + r[3 * k + 1] * p[1] + r[3 * k + 2] * p[2]);
    }
    return out;
}

/* The same surface, each triangle divided into four at the middles of its sides, in a random order. */
static carom_mesh *divide(const world *w, const double *corners, size_t count, check_random *random)
{
    double *out = malloc((36 * count + 1) * sizeof *out);
    size_t *order = calloc(4 * count + 1, sizeof *order);
    assert_true(out && order);
    for (size_t i = 0; i < 4 * count; i++)
    {
        size_t k = check_next(random) % (i + 1);
        order[i] = order[k], order[k] = i;
    }
    for (size_t i = 0; i < count; i++)
    {
        double p[6][3];
        static const int parts[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
        memcpy(p, corners + 9 * i, 9 * sizeof(double));
        for (int side = 0; side < 3; side++)
            for (int k = 0; k < 3; k++)
                p[3 + side][k] = 0.5 * (p[side][k] + p[(side + 1) % 3][k]);
        for (size_t part = 0; part < 4; part++)
            for (int c = 0; c < 3; c++)
                memcpy(out + 9 * order[4 * i + part] + 3 * c, p[parts[part][c]], 3 * sizeof(double));
    }
    carom_mesh *mesh = world_mesh(w, out, 12 * count, NULL, 4 * count);
    free(out), free(order);
    return mesh;
}

/* The truth is not known here, where faces and edges nearly coincide, but it is one. */
static void division_and_order_do_not_matter(void **state)
{
    (void)state;
    world w = world_open();
    long seen[CAROM_RELATION_SURFACES_MEET + 1] = {0};
    for (long seed = 1; seed <= scaled(30); seed++)
    {
        check_random random = {(uint64_t)seed};
        lattice *grid = lattice_create(1);
        lattice_body body[2] = {lattice_make(grid, &random, NULL)};
        body[1] = lattice_make(grid, &random, &body[0]);
        carom_pose pose = world_random_pose(&random, 0.0);
        carom_mesh *mesh[2], *divided[2];
        for (int i = 0; i < 2; i++)
        {
            double *corners = turn_corners(&body[i], &pose);
            mesh[i] = world_mesh(&w, corners, 3 * body[i].triangle_count, NULL, body[i].triangle_count);
            divided[i] = divide(&w, corners, body[i].triangle_count, &random);
            free(corners);
        }
        carom_placed a = world_place(mesh[0], 0, 0, 0), b = world_place(mesh[1], 0, 0, 0),
                     c = world_place(divided[0], 0, 0, 0), d = world_place(divided[1], 0, 0, 0);
        carom_relation first = ask(&w, &a, &b, CAROM_COLLIDE_ALL);
        seen[first]++;
        assert_int_equal(mirror(ask(&w, &b, &a, CAROM_COLLIDE_ANY)), first);
        assert_int_equal(ask(&w, &c, &b, CAROM_COLLIDE_ANY), first);
        assert_int_equal(ask(&w, &a, &d, CAROM_COLLIDE_COUNT), first);
        assert_int_equal(mirror(ask(&w, &d, &c, CAROM_COLLIDE_ALL)), first);
        if (body[0].triangle_count > 0)
            assert_int_equal(ask(&w, &a, &c, CAROM_COLLIDE_ALL), CAROM_RELATION_EQUAL);
        for (int i = 0; i < 2; i++)
            carom_mesh_destroy(mesh[i]), carom_mesh_destroy(divided[i]), lattice_free(&body[i]);
        lattice_destroy(grid);
    }
    assert_true(seen[CAROM_RELATION_OVERLAPPING] > 0 && seen[CAROM_RELATION_EQUAL] + seen[CAROM_RELATION_TOUCHING] > 0);
    world_close(&w);
}

/* A slab whose floor of n x n squares lies on one large triangle. */
static carom_mesh *slab(const world *w, uint32_t n)
{
    uint32_t side = n + 1, count = 0;
    double(*vertices)[3] = malloc(2 * side * side * sizeof *vertices);
    uint32_t(*faces)[3] = malloc((4 * n * n + 8 * n) * sizeof *faces);
    assert_true(vertices && faces);
    for (uint32_t i = 0; i < 2 * side * side; i++)
        vertices[i][0] = i % side, vertices[i][1] = i / side % side, vertices[i][2] = i / (side * side);
    uint32_t top = side * side;
    for (uint32_t i = 0; i < n * n; i++)
    {
        uint32_t p = i / n * side + i % n, q = p + 1, r = p + side, s = r + 1;
        const uint32_t four[4][3] = {{p, s, q}, {p, r, s}, {p + top, q + top, s + top}, {p + top, s + top, r + top}};
        memcpy(faces + count, four, sizeof four), count += 4;
    }
    for (uint32_t i = 0; i < n; i++)
    {
        const uint32_t ends[4][2] = {{i, i + 1},
                                     {n * side + i + 1, n * side + i},
                                     {i * side + n, (i + 1) * side + n},
                                     {(i + 1) * side, i * side}};
        for (int k = 0; k < 4; k++)
        {
            uint32_t p = ends[k][0], q = ends[k][1];
            const uint32_t two[2][3] = {{p, q, q + top}, {p, q + top, p + top}};
            memcpy(faces + count, two, sizeof two), count += 2;
        }
    }
    carom_mesh *mesh = world_mesh(w, vertices[0], 2 * side * side, faces[0], count);
    free(vertices), free(faces);
    return mesh;
}

/* Thousands of contacts on one triangle: the work grows with their number, not with its square, and slices of it get on
 * within the triangle. */
static void many_contacts_on_one_triangle(void **state)
{
    (void)state;
    world w = world_open();
    const double far = 4000.0;
    carom_mesh *ground = world_mesh(&w, (double[12]){-far, -far, 0, 2 * far, -far, 0, -far, 2 * far, 0, 0, 0, -far}, 4,
                                    (uint32_t[12]){0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0}, 4);
    for (uint32_t n = 20; n <= (uint32_t)scaled(40) && n <= 220; n += 20)
    {
        enum
        {
            SLICE = 500
        };
        carom_mesh *floor = slab(&w, n);
        carom_placed a = world_place(ground, 0, 0, 0), b = world_place(floor, 0, 0, 0);
        carom_collide_options options = {.mode = CAROM_COLLIDE_COUNT, .relation = true, .budget = {.work = SLICE}};
        carom_report report;
        uint64_t slices = 1;
        for (carom_status status = carom_collide(w.query, &a, &b, &options, &report); status == CAROM_UNKNOWN; slices++)
            status = carom_collide_resume(w.query, &options.budget, &report);
        assert_int_equal(report.status, CAROM_OK);
        assert_int_equal(report.relation, CAROM_RELATION_TOUCHING);
        assert_true(report.pair_count > 2 * n * n);
        assert_true(slices * SLICE < 300 * report.pair_count);
        carom_mesh_destroy(floor);
    }
    carom_mesh_destroy(ground);
    world_close(&w);
}

/* ---- examples ---- */

static void expect(const world *w, const carom_mesh *a, const carom_mesh *b, carom_relation expected)
{
    carom_placed placed_a = world_place(a, 0, 0, 0), placed_b = world_place(b, 0, 0, 0);
    for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_ALL; mode++)
    {
        carom_relation found = ask(w, &placed_a, &placed_b, (carom_collide_mode)mode),
                       mirrored = ask(w, &placed_b, &placed_a, (carom_collide_mode)mode);
        assert_string_equal(carom_relation_name(found), carom_relation_name(expected));
        assert_string_equal(carom_relation_name(mirrored), carom_relation_name(mirror(expected)));
    }
    /* Without asking, bodies with a common point are never apart. */
    for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_ALL; mode++)
    {
        carom_collide_options options = {.mode = (carom_collide_mode)mode};
        carom_report report;
        assert_int_equal(carom_collide(w->query, &placed_a, &placed_b, &options, &report), CAROM_OK);
        carom_relation known = report.pair_count > 0 ? CAROM_RELATION_UNKNOWN : expected;
        assert_int_equal(report.relation, known);
    }
}

/* Boxes in one mesh, `turned` the last one inside out. */
static carom_mesh *boxes(const world *w, const double (*extents)[6], uint32_t count, bool turned)
{
    double vertices[8 * 24];
    uint32_t indices[8 * 36];
    for (uint32_t i = 0; i < count; i++)
    {
        world_box_vertices(extents[i], extents[i] + 3, vertices + 24 * i);
        for (uint32_t k = 0; k < 36; k++)
            indices[36 * i + k] = 8 * i + WORLD_BOX_INDICES[turned && i + 1 == count ? 35 - k : k];
    }
    return world_mesh(w, vertices, 8 * count, indices, 12 * count);
}

static carom_mesh *box(const world *w, double x0, double y0, double z0, double x1, double y1, double z1)
{
    return boxes(w, (const double[1][6]){{x0, y0, z0, x1, y1, z1}}, 1, false);
}

static void free_all(carom_mesh **meshes, int count)
{
    for (int i = 0; i < count; i++)
        carom_mesh_destroy(meshes[i]);
}

/* A box from z = 1 to 3 whose walls have corners and edges at z = 2. */
static carom_mesh *ringed_box(const world *w)
{
    double vertices[12][3];
    for (int i = 0; i < 12; i++)
    {
        static const double around[4][2] = {{0.5, 0.5}, {1.5, 0.5}, {1.5, 1.5}, {0.5, 1.5}};
        vertices[i][0] = around[i % 4][0], vertices[i][1] = around[i % 4][1], vertices[i][2] = 1 + i / 4;
    }
    uint32_t faces[20][3] = {{0, 2, 1}, {0, 3, 2}, {8, 9, 10}, {8, 10, 11}};
    for (uint32_t i = 0, at = 4; i < 8; i++)
    {
        uint32_t here = i, next = i / 4 * 4 + (i + 1) % 4;
        memcpy(faces[at++], (uint32_t[3]){here, next, next + 4}, sizeof *faces);
        memcpy(faces[at++], (uint32_t[3]){here, next + 4, here + 4}, sizeof *faces);
    }
    carom_mesh *mesh = world_mesh(w, vertices[0], 12, faces[0], 20);
    assert_true(carom_mesh_get_info(mesh).closed && carom_mesh_get_info(mesh).oriented);
    return mesh;
}

/* No pair of triangles crosses: the box passes through the cube's top along edges of its own at z = 2, and through
 * sheets of one triangle, of which nothing but their parts tells that one is inside and the other outside. */
static void walls_with_corners_where_they_pass_through(void **state)
{
    (void)state;
    world w = world_open();
    const double middle_inside[9] = {0, 0, 2, 4, 0, 2, 0, 4, 2}, middle_outside[9] = {0.75, 0.75, 2, 3, 1, 2, 1, 3, 2},
                 within[9] = {0.75, 0.75, 2, 1.25, 1, 2, 1, 1.25, 2}, beyond[9] = {1.5, 1, 2, 3, 1, 2, 3, 2, 2};
    carom_mesh *all[] = {ringed_box(&w),
                         box(&w, 0, 0, 0, 2, 2, 2),
                         world_mesh(&w, middle_inside, 3, NULL, 1),
                         world_mesh(&w, middle_outside, 3, NULL, 1),
                         world_mesh(&w, within, 3, NULL, 1),
                         world_mesh(&w, beyond, 3, NULL, 1)};
    expect(&w, all[1], all[0], CAROM_RELATION_OVERLAPPING);
    expect(&w, all[2], all[0], CAROM_RELATION_OVERLAPPING);
    expect(&w, all[3], all[0], CAROM_RELATION_OVERLAPPING);
    expect(&w, all[4], all[0], CAROM_RELATION_A_INSIDE_B);
    expect(&w, all[5], all[0], CAROM_RELATION_TOUCHING);
    free_all(all, 6);
    world_close(&w);
}

static void boxes_that_touch_overlap_or_contain(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *all[] = {box(&w, 0, 0, 0, 2, 2, 2), box(&w, 0, 0, 2, 2, 2, 4), box(&w, 1, 1, 2, 3, 3, 4),
                         box(&w, 0, 0, 0, 2, 2, 1), box(&w, 1, 0, 0, 3, 2, 2), box(&w, 0.5, 0.5, 0.5, 1, 1, 1),
                         /* two bolts, one of them in the cube */
                         boxes(&w, (const double[2][6]){{0.5, 0.5, 0.5, 1, 1, 1}, {5, 0, 0, 6, 1, 1}}, 2, false)};
    expect(&w, all[0], all[1], CAROM_RELATION_TOUCHING); /* stacked */
    expect(&w, all[0], all[2], CAROM_RELATION_TOUCHING);
    expect(&w, all[0], all[0], CAROM_RELATION_EQUAL);
    expect(&w, all[3], all[0], CAROM_RELATION_A_INSIDE_B); /* with five common faces */
    expect(&w, all[4], all[0], CAROM_RELATION_OVERLAPPING);
    expect(&w, all[5], all[0], CAROM_RELATION_A_INSIDE_B);
    expect(&w, all[6], all[0], CAROM_RELATION_OVERLAPPING);
    expect(&w, all[5], all[6], CAROM_RELATION_A_INSIDE_B); /* equal to one of two components */
    free_all(all, 7);
    world_close(&w);
}

static void sheets_hairs_and_points(void **state)
{
    (void)state;
    world w = world_open();
    const double plane[9] = {1, 1, 1, 3, 1, 1, 1, 3, 1}, hair[9] = {1, 1, 1, 5, 1, 1, 1, 1, 1},
                 speck[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, upright[9] = {1, 1, 0, 3, 1, 0, 1, 1, 3},
                 raised[9] = {1, 1, 2, 3, 1, 2, 1, 3, 2};
    const uint32_t both[6] = {0, 1, 2, 0, 2, 1};
    carom_mesh *cube = box(&w, 0, 0, 0, 2, 2, 2), *triangle = world_mesh(&w, plane, 3, NULL, 1),
               *sheet = world_mesh(&w, plane, 3, both, 2), *thread = world_mesh(&w, hair, 3, NULL, 1),
               *point = world_mesh(&w, speck, 3, NULL, 1), *wall = world_mesh(&w, upright, 3, both, 2),
               *nothing = world_mesh(&w, NULL, 0, NULL, 0), *lid = world_mesh(&w, raised, 3, both, 2);
    assert_true(carom_mesh_get_info(sheet).closed && carom_mesh_get_info(sheet).oriented);
    /* A triangle and its reverse wind around nothing: as a point set it is the triangle. */
    expect(&w, sheet, triangle, CAROM_RELATION_EQUAL);
    expect(&w, sheet, wall, CAROM_RELATION_SURFACES_MEET);
    expect(&w, triangle, wall, CAROM_RELATION_SURFACES_MEET);
    expect(&w, sheet, cube, CAROM_RELATION_OVERLAPPING);
    expect(&w, lid, cube, CAROM_RELATION_TOUCHING);
    expect(&w, lid, sheet, CAROM_RELATION_APART);
    expect(&w, thread, cube, CAROM_RELATION_OVERLAPPING);
    expect(&w, thread, sheet, CAROM_RELATION_SURFACES_MEET);
    expect(&w, thread, thread, CAROM_RELATION_EQUAL);
    expect(&w, point, cube, CAROM_RELATION_A_INSIDE_B);
    expect(&w, point, thread, CAROM_RELATION_SURFACES_MEET);
    expect(&w, point, point, CAROM_RELATION_EQUAL);
    expect(&w, nothing, cube, CAROM_RELATION_APART);
    expect(&w, nothing, nothing, CAROM_RELATION_APART);
    carom_mesh *all[] = {cube, triangle, sheet, thread, point, wall, nothing, lid};
    free_all(all, 8);
    world_close(&w);
}

/* A hair of a closed mesh that leaves its solid part: what lies on it outside is not in the interior. */
static void hairs_of_solids(void **state)
{
    (void)state;
    world w = world_open();
    double vertices[33];
    uint32_t indices[39];
    world_box_vertices((double[3]){0, 0, 0}, (double[3]){2, 2, 2}, vertices);
    memcpy(vertices + 24, (double[9]){1, 1, 1, 6, 1, 1, 1, 1, 1}, 9 * sizeof(double));
    memcpy(indices, WORLD_BOX_INDICES, sizeof WORLD_BOX_INDICES);
    indices[36] = 8, indices[37] = 9, indices[38] = 10;
    const double far[9] = {4, 1, 1, 5, 1, 1, 4, 1, 1}, dot[9] = {4, 1, 1, 4, 1, 1, 4, 1, 1},
                 near[9] = {0.5, 1, 1, 1.5, 1, 1, 0.5, 1, 1}, mark[9] = {1.5, 1, 1, 1.5, 1, 1, 1.5, 1, 1};
    carom_mesh *all[] = {world_mesh(&w, vertices, 11, indices, 13), world_mesh(&w, far, 3, NULL, 1),
                         world_mesh(&w, dot, 3, NULL, 1), world_mesh(&w, near, 3, NULL, 1),
                         world_mesh(&w, mark, 3, NULL, 1)};
    assert_true(carom_mesh_get_info(all[0]).closed && carom_mesh_get_info(all[0]).oriented);
    expect(&w, all[1], all[0], CAROM_RELATION_TOUCHING);
    expect(&w, all[2], all[0], CAROM_RELATION_TOUCHING);
    expect(&w, all[3], all[0], CAROM_RELATION_A_INSIDE_B);
    expect(&w, all[4], all[0], CAROM_RELATION_A_INSIDE_B);
    free_all(all, 5);
    world_close(&w);
}

/* Meshes that meet themselves: around some points they wind twice, around others not at all. */
static void meshes_that_meet_themselves(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *cross = boxes(&w, (const double[2][6]){{0, 0, 0, 4, 4, 4}, {2, 0, 0, 6, 4, 4}}, 2, false),
               *cancelled = boxes(&w, (const double[2][6]){{0, 0, 0, 4, 4, 4}, {2, 0, 0, 6, 4, 4}}, 2, true);
    carom_mesh *middle = box(&w, 2.5, 1, 1, 3.5, 2, 2), *across = box(&w, 1, 1, 1, 5, 2, 2),
               *whole = box(&w, 0, 0, 0, 6, 4, 4), *left = box(&w, 0, 0, 0, 2, 4, 4);
    /* the union of both is the long box; where they cancel there is nothing */
    expect(&w, middle, cross, CAROM_RELATION_A_INSIDE_B);
    expect(&w, across, cross, CAROM_RELATION_A_INSIDE_B);
    expect(&w, whole, cross, CAROM_RELATION_EQUAL);
    expect(&w, middle, cancelled, CAROM_RELATION_APART);
    expect(&w, across, cancelled, CAROM_RELATION_OVERLAPPING);
    expect(&w, cancelled, whole, CAROM_RELATION_A_INSIDE_B);
    expect(&w, left, cancelled, CAROM_RELATION_A_INSIDE_B);
    carom_mesh *all[] = {cross, cancelled, middle, across, whole, left};
    free_all(all, 6);
    world_close(&w);
}

/* ---- stack ---- */

typedef struct stack_task
{
    world w;
    carom_placed a, b;
    carom_report report;
} stack_task;

static void *compare_on_stack(void *user)
{
    stack_task *task = user;
    carom_collide_options options = {.mode = CAROM_COLLIDE_COUNT, .relation = true};
    carom_collide(task->w.query, &task->a, &task->b, &options, &task->report);
    return NULL;
}

/* A box of 2^100 with corners that are off by 2^-1074, and one that shares a part of a face and passes through
 * another, without a crossing that would settle it: winding numbers of 2 within. */
static void little_stack(void **state)
{
    (void)state;
    const double L = 0x1p100, e = 0x1p-1074;
    stack_task task = {.w = world_open()};
    carom_mesh *all[2] = {
        boxes(&task.w, (const double[2][6]){{0, 0, 0, L, L, L}, {e, e, e, L / 2, L / 2, L}}, 2, false),
        boxes(&task.w, (const double[2][6]){{3 * e, e, L / 4, L / 3, L / 5, L}, {L / 7, 5 * e, 7 * e, L / 3, L / 9, L}},
              2, true)};
    task.a = world_place(all[0], 0, 0, 0), task.b = world_place(all[1], 0, 0, 0);
    size_t used = stack_used(compare_on_stack, &task);
    print_message("%zu bytes of stack, %s, %llu exact\n", used, carom_relation_name(task.report.relation),
                  (unsigned long long)task.report.counters.exact_fallbacks);
    assert_int_equal(task.report.relation, CAROM_RELATION_B_INSIDE_A);
    assert_true(task.report.counters.exact_fallbacks > 100);
    assert_true(used < STACK_LIMIT);
    free_all(all, 2);
    world_close(&task.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattice_bodies_in_every_relation),
        cmocka_unit_test(a_hole_inside_the_other_body),
        cmocka_unit_test(the_order_of_triangles_does_not_matter),
        cmocka_unit_test(division_and_order_do_not_matter),
        cmocka_unit_test(many_contacts_on_one_triangle),
        cmocka_unit_test(walls_with_corners_where_they_pass_through),
        cmocka_unit_test(boxes_that_touch_overlap_or_contain),
        cmocka_unit_test(sheets_hairs_and_points),
        cmocka_unit_test(hairs_of_solids),
        cmocka_unit_test(meshes_that_meet_themselves),
        cmocka_unit_test(little_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
