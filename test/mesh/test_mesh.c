/* What goes into a mesh: formats, refusals with their messages, failing allocations, hostile sizes, moved vertices. */
#include "mesh/build.h"
#include "support/check.h"
#include "support/failing.h"

#include <stdlib.h>

/* A tetrahedron of volume 1/6. */
static const double CORNERS[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t TRIANGLES[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static carom_mesh_def tetrahedron(void)
{
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)CORNERS, def.vertex_count = 4;
    def.indices_u32 = (const uint32_t *)TRIANGLES, def.triangle_count = 4;
    return def;
}

static void check_tetrahedron(const carom_mesh *mesh)
{
    carom_mesh_info info = carom_mesh_get_info(mesh);
    assert_int_equal(info.triangle_count, 4);
    assert_int_equal(info.distinct_vertex_count, 4);
    assert_int_equal(info.edge_count, 6);
    assert_true(info.closed && info.oriented && info.manifold);
    check_near(info.volume, 1.0 / 6.0, 1e-15);
    check_near(info.area, 1.5 + 0.5 * sqrt(3.0), 1e-15);
    assert_true(info.bounds.min.x == 0.0 && info.bounds.max.z == 1.0);
    for (uint32_t t = 0; t < 4; t++)
        for (int corner = 0; corner < 3; corner++)
        {
            carom_vec3 v = carom_mesh_vertices(mesh)[carom_mesh_indices(mesh)[3 * t + corner]];
            const double *expected = CORNERS + 3 * TRIANGLES[3 * t + corner];
            assert_true(v.x == expected[0] && v.y == expected[1] && v.z == expected[2]);
        }
}

static void every_format_gives_the_same_mesh(void **state)
{
    carom_mesh_def def = tetrahedron();
    /* Odd strides: nothing may be read as aligned. */
    static unsigned char vertices[4 * 29 + 1], soup[12 * 12], wide[4 * 17], narrow[4 * 7 + 1];
    for (int i = 0; i < 4; i++)
    {
        memcpy(vertices + 1 + 29 * i, CORNERS + 3 * i, 24);
        memcpy(wide + 17 * i, TRIANGLES + 3 * i, 12);
        uint16_t small[3] = {(uint16_t)TRIANGLES[3 * i], (uint16_t)TRIANGLES[3 * i + 1],
                             (uint16_t)TRIANGLES[3 * i + 2]};
        memcpy(narrow + 1 + 7 * i, small, 6);
    }
    for (int i = 0; i < 12; i++)
    {
        const double *corner = CORNERS + 3 * TRIANGLES[i];
        float single[3] = {(float)corner[0], (float)corner[1], (float)corner[2]};
        memcpy(soup + 12 * i, single, 12);
    }
    carom_mesh_def strided = def, short_indices = def, floats = def;
    strided.vertices_f64 = (const double *)(const void *)(vertices + 1), strided.vertex_stride = 29;
    strided.indices_u32 = (const uint32_t *)(const void *)wide, strided.triangle_stride = 17;
    short_indices.indices_u16 = (const uint16_t *)(const void *)(narrow + 1), short_indices.indices_u32 = NULL;
    short_indices.triangle_stride = 7;
    floats.vertices_f32 = (const float *)soup, floats.vertices_f64 = NULL, floats.vertex_count = 12;
    floats.indices_u32 = NULL, floats.unindexed = true;
    const carom_mesh_def *defs[] = {&def, &strided, &short_indices, &floats};
    for (int i = 0; i < 4; i++)
    {
        carom_mesh *mesh = NULL;
        assert_int_equal(carom_mesh_create(*state, defs[i], &mesh), CAROM_OK);
        check_tetrahedron(mesh);
        assert_string_equal(carom_mesh_name(mesh), "mesh");
        carom_mesh_destroy(mesh);
    }
}

/* ---- refusals ---- */

static void expect_refusal(carom_context *context, const carom_mesh_def *def, carom_status status, const char *word)
{
    static carom_mesh stale; /* out must be cleared */
    carom_mesh *mesh = &stale;
    carom_status actual = carom_mesh_create(context, def, &mesh);
    char message[256];
    carom_context_message(context, message, sizeof message);
    if (actual != status)
        fail_msg("%s instead of %s (%s)", carom_status_name(actual), carom_status_name(status), message);
    assert_null(mesh);
    if (!strstr(message, word) || !strstr(message, "culprit"))
        fail_msg("\"%s\" does not name %s", message, word);
}

static void bad_vertices_are_named(void **state)
{
    const double bad[] = {NAN, INFINITY, -INFINITY, 0x1.0000000000001p100, -1e300};
    for (int i = 0; i < 5; i++)
        for (int at = 0; at < 12; at++)
        {
            double corners[12];
            memcpy(corners, CORNERS, sizeof corners);
            corners[at] = bad[i];
            carom_mesh_def def = tetrahedron();
            def.vertices_f64 = (const double *)corners, def.name = "culprit";
            char word[32];
            snprintf(word, sizeof word, "vertex %d ", at / 3);
            expect_refusal(*state, &def, i < 3 ? CAROM_NOT_FINITE : CAROM_OUT_OF_RANGE, word);
        }
    /* The limit itself is fine. */
    double corners[12];
    memcpy(corners, CORNERS, sizeof corners);
    corners[0] = 0x1p100;
    carom_mesh_def def = tetrahedron();
    def.vertices_f64 = (const double *)corners;
    carom_mesh *mesh = NULL;
    assert_int_equal(carom_mesh_create(*state, &def, &mesh), CAROM_OK);
    assert_true(isfinite(carom_mesh_get_info(mesh).area));
    carom_mesh_destroy(mesh);
}

static void bad_indices_are_named(void **state)
{
    for (int at = 0; at < 12; at++)
    {
        uint32_t triangles[12];
        memcpy(triangles, TRIANGLES, sizeof triangles);
        triangles[at] = at % 2 ? 4 : UINT32_MAX;
        carom_mesh_def def = tetrahedron();
        def.indices_u32 = (const uint32_t *)triangles, def.name = "culprit";
        char word[32];
        snprintf(word, sizeof word, "triangle %d:", at / 3);
        expect_refusal(*state, &def, CAROM_OUT_OF_RANGE, word);
    }
}

static void contradictory_defs_are_refused(void **state)
{
    carom_mesh_def good = tetrahedron(), def;
    good.name = "culprit";
    static const float singles[12];
    static const uint16_t shorts[12];
    def = good, def.vertices_f64 = NULL;
    expect_refusal(*state, &def, CAROM_INVALID_ARGUMENT, "both vertices_f32 and vertices_f64 are null");
    def = good, def.vertices_f32 = singles;
    expect_refusal(*state, &def, CAROM_INVALID_ARGUMENT, "both vertices_f32 and vertices_f64 are set");
    def = good, def.indices_u32 = NULL;
    expect_refusal(*state, &def, CAROM_INVALID_ARGUMENT, "unindexed is not set");
    def = good, def.indices_u16 = shorts;
    expect_refusal(*state, &def, CAROM_INVALID_ARGUMENT, "more than one of indices_u32");
    def = good, def.unindexed = true;
    expect_refusal(*state, &def, CAROM_INVALID_ARGUMENT, "more than one of indices_u32");
    def = good, def.vertex_stride = 23;
    expect_refusal(*state, &def, CAROM_INVALID_ARGUMENT, "vertex stride of 23");
    def = good, def.triangle_stride = 11;
    expect_refusal(*state, &def, CAROM_INVALID_ARGUMENT, "triangle stride of 11");
    def = good, def.unindexed = true, def.indices_u32 = NULL;
    expect_refusal(*state, &def, CAROM_OUT_OF_RANGE, "vertex 5 of 4");
    def = good, def.vertex_count = UINT32_MAX;
    expect_refusal(*state, &def, CAROM_TOO_LARGE, "vertices");
    def = good, def.vertex_count = SIZE_MAX;
    expect_refusal(*state, &def, CAROM_TOO_LARGE, "vertices");
    def = good, def.triangle_count = (size_t)1 << 31;
    expect_refusal(*state, &def, CAROM_TOO_LARGE, "triangles");
    def = good, def.vertex_stride = SIZE_MAX;
    expect_refusal(*state, &def, CAROM_TOO_LARGE, "do not fit");
    def = good, def.triangle_stride = SIZE_MAX / 2;
    expect_refusal(*state, &def, CAROM_TOO_LARGE, "do not fit");

    carom_mesh *mesh = NULL;
    assert_int_equal(carom_mesh_create(NULL, &good, &mesh), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_mesh_create(*state, NULL, &mesh), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_mesh_create(*state, &good, NULL), CAROM_INVALID_ARGUMENT);
    carom_mesh_destroy(NULL);
}

static void a_mesh_without_triangles_is_valid(void **state)
{
    carom_mesh_def def = carom_mesh_def_default();
    carom_mesh *mesh = NULL;
    assert_int_equal(carom_mesh_create(*state, &def, &mesh), CAROM_OK);
    carom_mesh_info info = carom_mesh_get_info(mesh);
    assert_int_equal(info.triangle_count, 0);
    assert_false(info.closed);
    assert_true(info.bounds.min.x > info.bounds.max.x);
    assert_true(info.volume == 0.0 && info.area == 0.0);
    uint32_t out[3];
    assert_int_equal(carom_mesh_neighbours(mesh, 0, out), CAROM_OUT_OF_RANGE);
    assert_int_equal(carom_mesh_edge(mesh, 0, out), CAROM_OUT_OF_RANGE);
    carom_mesh_destroy(mesh);
    def = tetrahedron(), def.triangle_count = 0;
    assert_int_equal(carom_mesh_create(*state, &def, &mesh), CAROM_OK);
    assert_int_equal(carom_mesh_get_info(mesh).distinct_vertex_count, 0);
    carom_mesh_destroy(mesh);
}

/* ---- memory ---- */

/* Fails the first allocation, then the second, ... until the work succeeds; nothing may be left behind. */
static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    failing memory = {0};
    carom_context *context = NULL;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    carom_mesh_def def = tetrahedron();
    def.name = "culprit";
    uint64_t blocks = memory.blocks_out, bytes = memory.bytes_out, failures = 0;
    for (bool done = false; !done; failures++)
    {
        carom_mesh *mesh = NULL, *moved = NULL;
        failing_arm(&memory, failures + 1);
        carom_status status = carom_mesh_create(context, &def, &mesh);
        if (status == CAROM_OK)
            status = carom_mesh_deform(mesh, &def, &moved);
        done = status == CAROM_OK;
        if (!done)
            assert_int_equal(status, CAROM_OUT_OF_MEMORY);
        carom_mesh_destroy(moved);
        carom_mesh_destroy(mesh);
        assert_int_equal(memory.blocks_out, blocks);
        assert_int_equal(memory.bytes_out, bytes);
    }
    assert_true(failures > 5);
    carom_context_destroy(context);
    assert_int_equal(memory.blocks_out, 0);
}

/* ---- hostile but valid ---- */

enum
{
    MANY = 1000000
};

static double seconds_to_create(carom_context *context, const carom_mesh_def *def, carom_mesh_info *info)
{
    carom_mesh *mesh = NULL;
    double start = base_now();
    assert_int_equal(carom_mesh_create(context, def, &mesh), CAROM_OK);
    double seconds = base_now() - start;
    *info = carom_mesh_get_info(mesh);
    carom_mesh_destroy(mesh);
    return seconds;
}

static void a_million_triangles_in_one_place_take_linear_time(void **state)
{
    uint32_t *indices = malloc(3 * MANY * sizeof *indices);
    carom_vec3 *vertices = malloc((MANY + 2) * sizeof *vertices);
    for (uint32_t i = 0; i < MANY + 2; i++)
        vertices[i] = vec3(i, (double)i * i, 1.0);
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)vertices, def.vertex_count = MANY + 2;
    def.indices_u32 = (const uint32_t *)indices, def.triangle_count = MANY;
    carom_mesh_info info;
    const double limit = 20.0; /* quadratic work would take hours */

    /* The same triangle over and over. */
    for (uint32_t i = 0; i < MANY; i++)
        indices[3 * i] = 0, indices[3 * i + 1] = 1, indices[3 * i + 2] = 2;
    assert_true(seconds_to_create(*state, &def, &info) < limit);
    assert_int_equal(info.edge_count, 3);
    assert_int_equal(info.nonmanifold_edge_count, 3);
    assert_int_equal(info.component_count, 1);

    /* All on one edge. */
    for (uint32_t i = 0; i < MANY; i++)
        indices[3 * i + 2] = i + 2;
    assert_true(seconds_to_create(*state, &def, &info) < limit);
    assert_int_equal(info.edge_count, 2 * MANY + 1);
    assert_int_equal(info.nonmanifold_edge_count, 1);

    /* A fan around one vertex. */
    for (uint32_t i = 0; i < MANY; i++)
        indices[3 * i + 1] = i + 1;
    assert_true(seconds_to_create(*state, &def, &info) < limit);
    assert_true(info.manifold);
    assert_int_equal(info.boundary_edge_count, MANY + 2);

    /* Every vertex in the same place; zeros of both signs. */
    for (uint32_t i = 0; i < MANY + 2; i++)
        vertices[i] = vec3(i % 2 ? 0.0 : -0.0, 0.0, i % 3 ? 0.0 : -0.0);
    assert_true(seconds_to_create(*state, &def, &info) < limit);
    assert_int_equal(info.distinct_vertex_count, 1);
    assert_int_equal(info.edge_count, 0);
    assert_int_equal(info.degenerate_triangle_count, MANY);
    free(indices), free(vertices);
}

/* ---- exactness ---- */

static void degenerate_triangles_are_counted_exactly(void **state)
{
    /* 0.1, 0.2, 0.3 are not in line in double; 0.25, 0.5, 0.75 are. A million away, one unit in the last place off. */
    const double vertices[] = {0.1,  0.1, 0, 0.2, 0.2, 0, 0.3, 0.3 + 0x1p-54, 0, 0.25, 0.5, 1,         0.5, 1, 2,
                               0.75, 1.5, 3, 1e6, 1e6, 0, 2e6, 2e6,           0, 3e6,  3e6, 0x1p-1074, 5,   5, 5,
                               5,    5,   5, 6,   6,   6};
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)vertices, def.vertex_count = 12;
    def.unindexed = true, def.triangle_count = 4;
    carom_mesh *mesh = NULL;
    assert_int_equal(carom_mesh_create(*state, &def, &mesh), CAROM_OK);
    int expected = 0;
    for (int t = 0; t < 4; t++)
    {
        /* With coordinates this simple, long double products settle it. */
        const double *p = vertices + 9 * t;
        bool flat = true;
        for (int i = 0; i < 3; i++)
        {
            int u = (i + 1) % 3, v = (i + 2) % 3;
            long double ab = ((long double)p[3 + u] - p[u]) * ((long double)p[6 + v] - p[v]);
            long double ba = ((long double)p[3 + v] - p[v]) * ((long double)p[6 + u] - p[u]);
            flat &= ab == ba;
        }
        expected += flat;
    }
    assert_int_equal(carom_mesh_get_info(mesh).degenerate_triangle_count, expected);
    assert_true(expected >= 2 && expected < 4);
    carom_mesh_destroy(mesh);
}

static void volume_keeps_its_digits_far_away(void **state)
{
    double corners[12];
    for (int i = 0; i < 12; i++)
        corners[i] = CORNERS[i] + 0x1p40;
    carom_mesh_def def = tetrahedron();
    def.vertices_f64 = (const double *)corners;
    carom_mesh *mesh = NULL;
    assert_int_equal(carom_mesh_create(*state, &def, &mesh), CAROM_OK);
    check_near(carom_mesh_get_info(mesh).volume, 1.0 / 6.0, 1e-15);
    carom_mesh_destroy(mesh);
}

/* ---- moved ---- */

/* The largest |coordinate|, on whichever side of the origin. */
static void extent_counts_both_sides(void **state)
{
    for (int axis = 0; axis < 3; axis++)
        for (int sign = -1; sign <= 1; sign += 2)
        {
            double corners[12];
            memcpy(corners, CORNERS, sizeof corners);
            for (int i = 0; i < 4; i++)
                corners[3 * i + axis] += sign * 7.0;
            carom_mesh_def def = tetrahedron();
            def.vertices_f64 = corners;
            carom_mesh *mesh;
            assert_int_equal(carom_mesh_create(*state, &def, &mesh), CAROM_OK);
            assert_true(mesh->extent == (sign < 0 ? 7.0 : 8.0));
            carom_mesh_destroy(mesh);
        }
}

static void moved_vertices_give_what_create_would(void **state)
{
    carom_mesh_def def = tetrahedron();
    def.name = "first";
    carom_mesh *mesh = NULL;
    assert_int_equal(carom_mesh_create(*state, &def, &mesh), CAROM_OK);
    for (int squashed = 0; squashed < 2; squashed++)
    {
        double corners[12];
        for (int i = 0; i < 12; i++)
            corners[i] = 2.0 * CORNERS[i] + 1.0;
        if (squashed) /* corner 3 falls onto corner 0: the topology changes */
            memcpy(corners + 9, corners, 3 * sizeof *corners);
        carom_mesh_def moved_def = {.vertices_f64 = (const double *)corners, .vertex_count = 4};
        carom_mesh_def created_def = tetrahedron();
        created_def.vertices_f64 = (const double *)corners;
        carom_mesh *moved = NULL, *created = NULL;
        assert_int_equal(carom_mesh_deform(mesh, &moved_def, &moved), CAROM_OK);
        assert_int_equal(carom_mesh_create(*state, &created_def, &created), CAROM_OK);
        assert_string_equal(carom_mesh_name(moved), "first");
        assert_true(moved->serial != mesh->serial);
        carom_mesh_info a = carom_mesh_get_info(moved), b = carom_mesh_get_info(created);
        a.bytes = b.bytes = 0;
        assert_int_equal(a.edge_count, b.edge_count);
        assert_int_equal(a.distinct_vertex_count, squashed ? 3 : 4);
        assert_int_equal(a.manifold, b.manifold);
        assert_int_equal(a.degenerate_triangle_count, b.degenerate_triangle_count);
        assert_true(a.volume == b.volume && a.area == b.area && a.bounds.max.x == b.bounds.max.x);
        assert_memory_equal(moved->neighbours, created->neighbours, 12 * sizeof(uint32_t));
        assert_memory_equal(moved->edges, created->edges, 2 * a.edge_count * sizeof(uint32_t));
        carom_mesh_destroy(moved), carom_mesh_destroy(created);
    }
    carom_mesh_def wrong = tetrahedron();
    wrong.vertex_count = 3;
    carom_mesh *moved = NULL;
    assert_int_equal(carom_mesh_deform(mesh, &wrong, &moved), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_mesh_deform(NULL, &def, &moved), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_mesh_deform(mesh, NULL, &moved), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_mesh_deform(mesh, &def, NULL), CAROM_INVALID_ARGUMENT);
    carom_mesh_destroy(mesh);
}

static void spoilt_parts_are_found(void **state)
{
    carom_mesh_def def = tetrahedron();
    carom_mesh *mesh = NULL;
    assert_int_equal(carom_mesh_create(*state, &def, &mesh), CAROM_OK);
    assert_int_equal(mesh_check_parts(*state, mesh), CAROM_OK);
    uint32_t *spoils[] = {mesh->indices + 5, mesh->merged + 1,           mesh->edges + 3,
                          mesh->neighbours,  mesh->component_vertex + 0, mesh->component + 2};
    for (int i = 0; i < 6; i++)
    {
        uint32_t kept = *spoils[i];
        *spoils[i] = 4;
        assert_int_equal(mesh_check_parts(*state, mesh), CAROM_BAD_DATA);
        *spoils[i] = kept;
    }
    mesh->vertices[2].y = NAN;
    assert_int_equal(mesh_check_parts(*state, mesh), CAROM_BAD_DATA);
    mesh->vertices[2].y = 1.0;
    mesh->info.component_count = 5;
    assert_int_equal(mesh_check_parts(*state, mesh), CAROM_BAD_DATA);
    mesh->info.component_count = 1;
    /* A copy is as good as the original. */
    carom_mesh *copy = NULL;
    assert_int_equal(mesh_assemble(*state, mesh, &copy), CAROM_OK);
    carom_mesh_destroy(mesh);
    check_tetrahedron(copy);
    carom_mesh_destroy(copy);
}

/* Positions whose hashes are made to collide, each twice: what is merged is what is equal, whatever the hash says. */
static void crowded_hashes_merge_what_is_equal(void **state)
{
    enum
    {
        POSITIONS = 600
    };
    static carom_vec3 points[2 * POSITIONS];
    int count = 0;
    for (uint32_t i = 0; count < POSITIONS; i++)
    {
        carom_vec3 point = {(double)i, (double)(i % 7), 0.5};
        if ((mesh_position_hash(point) >> 32 & 511) == 0)
            points[count] = points[2 * POSITIONS - 1 - count] = point, count++;
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = &points[0].x;
    def.vertex_count = 2 * POSITIONS;
    def.unindexed = true;
    def.triangle_count = 2 * POSITIONS / 3;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(*state, &def, &mesh), CAROM_OK);
    for (uint32_t i = 0; i < POSITIONS; i++)
    {
        assert_int_equal(mesh->merged[i], i);
        assert_int_equal(mesh->merged[2 * POSITIONS - 1 - i], i);
    }
    carom_mesh_destroy(mesh);
}

/* Triangles with something in between, as in a binary STL file. */
static void unindexed_triangles_may_have_a_stride(void **state)
{
    _Alignas(float) unsigned char bytes[3 * 50] = {0};
    float corner[3] = {0, 0, 0};
    for (int i = 0; i < 9; i++)
    {
        corner[0] = (float)i, corner[1] = (float)(i * i), corner[2] = -1.5f;
        memcpy(bytes + i / 3 * 50 + i % 3 * 12, corner, sizeof corner);
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f32 = (const float *)(const void *)bytes;
    def.vertex_count = 9, def.triangle_count = 3;
    def.unindexed = true;
    def.triangle_stride = 50;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(*state, &def, &mesh), CAROM_OK);
    for (int i = 0; i < 9; i++)
    {
        carom_vec3 found = carom_mesh_vertices(mesh)[carom_mesh_indices(mesh)[i]];
        assert_true(found.x == i && found.y == i * i && found.z == -1.5);
    }
    carom_mesh_destroy(mesh);
    def.triangle_stride = 35; /* overlaps the next */
    assert_int_equal(carom_mesh_create(*state, &def, &mesh), CAROM_INVALID_ARGUMENT);
    def.triangle_stride = SIZE_MAX / 2;
    assert_int_equal(carom_mesh_create(*state, &def, &mesh), CAROM_TOO_LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crowded_hashes_merge_what_is_equal),
        cmocka_unit_test(unindexed_triangles_may_have_a_stride),
        cmocka_unit_test(every_format_gives_the_same_mesh),
        cmocka_unit_test(bad_vertices_are_named),
        cmocka_unit_test(bad_indices_are_named),
        cmocka_unit_test(contradictory_defs_are_refused),
        cmocka_unit_test(a_mesh_without_triangles_is_valid),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(a_million_triangles_in_one_place_take_linear_time),
        cmocka_unit_test(degenerate_triangles_are_counted_exactly),
        cmocka_unit_test(volume_keeps_its_digits_far_away),
        cmocka_unit_test(extent_counts_both_sides),
        cmocka_unit_test(moved_vertices_give_what_create_would),
        cmocka_unit_test(spoilt_parts_are_found),
    };
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
