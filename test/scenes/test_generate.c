/* Every kind of shape: its count, its topology, its size, its bits. */
#include "base/base.h"
#include "scenes/generate.h"
#include "support/check.h"

#include <stdlib.h>

static const uint32_t COUNTS[] = {0, 4, 12, 20, 21, 97, 100, 500, 1000, 1001, 1024, 5000, 12346, 50000};
enum
{
    COUNTS_LENGTH = sizeof COUNTS / sizeof *COUNTS
};

static carom_mesh *make(carom_context *context, generate_def def)
{
    carom_mesh *mesh = NULL;
    assert_int_equal(generate_mesh(context, &def, &mesh), CAROM_OK);
    return mesh;
}

/* Signed volume of each connected component, summed as tetrahedra over a point of the component. */
static void check_components(const carom_mesh *mesh, const char *name)
{
    const carom_vec3 *vertices = carom_mesh_vertices(mesh);
    const uint32_t *indices = carom_mesh_indices(mesh);
    carom_mesh_info info = carom_mesh_get_info(mesh);
    /* Components by flooding through neighbours: the shapes are manifold. */
    uint32_t *stack = malloc(info.triangle_count * sizeof *stack);
    bool *seen = calloc(info.triangle_count, sizeof *seen);
    uint32_t found = 0;
    for (uint32_t first = 0; first < info.triangle_count; first++)
    {
        if (seen[first])
            continue;
        found++;
        double six_volumes = 0.0;
        uint32_t depth = 0;
        carom_vec3 o = vertices[indices[3 * first]];
        stack[depth++] = first, seen[first] = true;
        while (depth > 0)
        {
            uint32_t t = stack[--depth], neighbours[3];
            carom_vec3 p[3];
            for (int i = 0; i < 3; i++)
            {
                p[i] = vertices[indices[3 * t + i]];
                p[i] = (carom_vec3){p[i].x - o.x, p[i].y - o.y, p[i].z - o.z};
            }
            six_volumes += p[0].x * (p[1].y * p[2].z - p[1].z * p[2].y) + p[0].y * (p[1].z * p[2].x - p[1].x * p[2].z) +
                           p[0].z * (p[1].x * p[2].y - p[1].y * p[2].x);
            assert_int_equal(carom_mesh_neighbours(mesh, t, neighbours), CAROM_OK);
            for (int i = 0; i < 3; i++)
                if (!seen[neighbours[i]])
                    seen[neighbours[i]] = true, stack[depth++] = neighbours[i];
        }
        if (!(six_volumes > 0.0))
            fail_msg("%s: component %u has volume %g", name, found, six_volumes / 6.0);
    }
    assert_int_equal(found, info.component_count);
    free(stack), free(seen);
}

static void check_shape(const carom_mesh *mesh, const generate_def *def)
{
    const generate_info *kind = generate_get_info(def->kind);
    carom_mesh_info info = carom_mesh_get_info(mesh);
    uint32_t wanted = def->triangles < kind->min_triangles ? kind->min_triangles : def->triangles;
    if (kind->closed)
        wanted -= wanted % 2;
    if (info.triangle_count != wanted)
        fail_msg("%s: %u triangles, wanted %u", kind->name, info.triangle_count, wanted);
    if (!info.manifold || !info.oriented == kind->closed || info.closed != kind->closed)
        fail_msg("%s %u seed %u: closed %d, oriented %d, manifold %d", kind->name, wanted, (unsigned)def->seed,
                 info.closed, info.oriented, info.manifold);
    assert_int_equal(info.degenerate_triangle_count, 0);
    assert_int_equal(info.distinct_vertex_count, info.vertex_count);
    double reach = 0.5 * def->size * (1.0 + 1e-12);
    assert_true(info.bounds.min.x >= -reach && info.bounds.max.x <= reach);
    assert_true(info.bounds.min.y >= -reach && info.bounds.max.y <= reach);
    assert_true(info.bounds.min.z >= -reach && info.bounds.max.z <= reach);
    double widest = fmax(info.bounds.max.x - info.bounds.min.x,
                         fmax(info.bounds.max.y - info.bounds.min.y, info.bounds.max.z - info.bounds.min.z));
    assert_true(widest > 0.3 * def->size);
    if (kind->closed)
        check_components(mesh, kind->name);
    else
        assert_true(info.boundary_edge_count > 0);
}

static void every_kind_has_its_count_and_topology(void **state)
{
    for (int kind = 0; kind < GENERATE_KIND_COUNT; kind++)
        for (int i = 0; i < COUNTS_LENGTH; i++)
            for (uint64_t seed = 1; seed <= 3; seed++)
            {
                generate_def def = generate_def_default((generate_kind)kind);
                def.triangles = COUNTS[i], def.seed = seed, def.size = seed == 2 ? 1000.0 : 1.0;
                carom_mesh *mesh = make(*state, def);
                check_shape(mesh, &def);
                carom_mesh_destroy(mesh);
            }
}

static void names_lead_to_kinds(void **state)
{
    (void)state;
    for (int kind = 0; kind < GENERATE_KIND_COUNT; kind++)
    {
        const generate_info *info = generate_get_info((generate_kind)kind);
        generate_kind found = GENERATE_KIND_COUNT;
        assert_non_null(info->name);
        assert_true(generate_find(info->name, &found));
        assert_int_equal(found, kind);
    }
    generate_kind found;
    assert_false(generate_find("teapot", &found));
    assert_false(generate_find(NULL, &found));
    assert_null(generate_get_info(GENERATE_KIND_COUNT));
}

static void bad_defs_are_refused(void **state)
{
    carom_mesh *mesh = NULL;
    generate_def def = generate_def_default(GENERATE_BOX);
    assert_int_equal(generate_mesh(NULL, &def, &mesh), CAROM_INVALID_ARGUMENT);
    assert_int_equal(generate_mesh(*state, NULL, &mesh), CAROM_INVALID_ARGUMENT);
    assert_int_equal(generate_mesh(*state, &def, NULL), CAROM_INVALID_ARGUMENT);
    const double sizes[] = {0.0, -1.0, NAN, INFINITY, 0x1p101};
    for (int i = 0; i < 5; i++)
    {
        def.size = sizes[i];
        assert_int_equal(generate_mesh(*state, &def, &mesh), CAROM_INVALID_ARGUMENT);
        assert_null(mesh);
    }
    def = generate_def_default((generate_kind)77);
    assert_int_equal(generate_mesh(*state, &def, &mesh), CAROM_INVALID_ARGUMENT);
}

static void a_box_fills_its_cube_and_a_torus_its_volume(void **state)
{
    generate_def def = generate_def_default(GENERATE_BOX);
    for (def.triangles = 12; def.triangles < 400; def.triangles += 2)
    {
        carom_mesh *box = make(*state, def);
        carom_mesh_info info = carom_mesh_get_info(box);
        check_near(info.volume, 1.0, 1e-14);
        check_near(info.area, 6.0, 1e-13);
        assert_true(info.bounds.max.x == 0.5 && info.bounds.min.z == -0.5);
        carom_mesh_destroy(box);
    }
    def = generate_def_default(GENERATE_TORUS);
    def.triangles = 100000;
    carom_mesh *torus = make(*state, def);
    const double pi = 3.141592653589793;
    check_near(carom_mesh_get_info(torus).volume, 2.0 * pi * pi * 0.35 * 0.15 * 0.15, 1e-4);
    carom_mesh_destroy(torus);
    def = generate_def_default(GENERATE_ICO_SPHERE);
    def.triangles = 100000;
    carom_mesh *sphere = make(*state, def);
    check_near(carom_mesh_get_info(sphere).volume, pi / 6.0, 1e-4);
    carom_mesh_destroy(sphere);
}

/* The same bits from every compiler and optimisation level: a change here changes every scene, so it is on purpose. */
static uint64_t mesh_hash(const carom_mesh *mesh)
{
    carom_mesh_info info = carom_mesh_get_info(mesh);
    base_hash hash = base_hash_begin();
    for (uint32_t i = 0; i < info.vertex_count; i++)
    {
        carom_vec3 v = carom_mesh_vertices(mesh)[i];
        base_hash_double(&hash, v.x), base_hash_double(&hash, v.y), base_hash_double(&hash, v.z);
    }
    for (uint32_t i = 0; i < 3 * info.triangle_count; i++)
        base_hash_u64(&hash, carom_mesh_indices(mesh)[i]);
    base_hash_double(&hash, info.area), base_hash_double(&hash, info.volume);
    return base_hash_end(&hash);
}

static void shapes_are_the_same_bits_everywhere(void **state)
{
    static const uint64_t GOLDEN[GENERATE_KIND_COUNT] = {
        0x6be501cda82a6c7bu, /* box */
        0x018a937da2a3c586u, /* uv-sphere */
        0xe3e1f5e9dc17c16cu, /* ico-sphere */
        0x9a70f0903ef784d9u, /* torus */
        0xd2957477ca11f02fu, /* torus-knot */
        0x9a6099784fd10d76u, /* blob */
        0x7a7e53b3fd6805c5u, /* tetrahedron */
        0xbd3e10f3455bf4b2u, /* cylinder */
        0x63b13b4c79244710u, /* gear */
        0xa89fbd7792ff0c2eu, /* pipe-network */
        0xb0634b6428aaed96u, /* hand */
        0x6634fe707810765eu, /* rubble */
        0x16c324ae39ed15cau, /* gallery */
        0x7e0aa939042c2851u, /* stratum */
        0x55ba14b7e1ac3eb9u, /* terrain */
        0xe582ef867389679au, /* cloth */
        0x4aea199c11c72e97u, /* sieve */
    };
    bool all_right = true;
    for (int kind = 0; kind < GENERATE_KIND_COUNT; kind++)
    {
        carom_mesh *mesh = make(*state, generate_def_default((generate_kind)kind));
        uint64_t hash = mesh_hash(mesh);
        if (hash != GOLDEN[kind])
        {
            print_error("%s: 0x%016llxu\n", carom_mesh_name(mesh), (unsigned long long)hash);
            all_right = false;
        }
        carom_mesh_destroy(mesh);
    }
    assert_true(all_right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_its_count_and_topology),
        cmocka_unit_test(names_lead_to_kinds),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(shapes_are_the_same_bits_everywhere),
        cmocka_unit_test(a_box_fills_its_cube_and_a_torus_its_volume),
    };
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
