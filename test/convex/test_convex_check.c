/* Does the check of convex pieces notice what is wrong? And strips: every node's, and the mesh's own. */
#include "scenes/generate.h"
#include "support/check.h"

#include "convex/convex.h"

#include <stdlib.h>
#include <string.h>

typedef struct fixture
{
    carom_context *context;
    carom_mesh *mesh;
    convex_pieces *pieces, *copy;
} fixture;

static int open_fixture(void **state)
{
    static fixture f;
    generate_def def = generate_def_default(GENERATE_HAND);
    def.triangles = 600;
    *state = &f;
    return carom_context_create(NULL, &f.context) || generate_mesh(f.context, &def, &f.mesh) ||
           convex_pieces_create(f.context, f.mesh, &f.pieces);
}

static int close_fixture(void **state)
{
    fixture *f = *state;
    convex_pieces_destroy(f->context, f->pieces);
    carom_mesh_destroy(f->mesh);
    carom_context_destroy(f->context);
    return 0;
}

/* A copy of the block at another address, to be damaged. */
static convex_pieces *damaged(fixture *f)
{
    f->copy = malloc((size_t)f->pieces->size);
    assert_non_null(f->copy);
    return memcpy(f->copy, f->pieces, (size_t)f->pieces->size);
}

static void *items(convex_pieces *pieces, convex_array array) { return (char *)pieces + pieces->offset[array]; }

static void expect(fixture *f, const char *words)
{
    char message[256] = "";
    carom_status status = convex_check(f->context, f->mesh, f->copy);
    carom_context_message(f->context, message, sizeof message);
    free(f->copy);
    if (!words)
        assert_int_equal(status, CAROM_OK);
    else if (status != CAROM_BAD_DATA || !strstr(message, words))
        fail_msg("status %d, message '%s', expected '%s'", status, message, words);
}

static void test_a_copy_is_as_good(void **state)
{
    damaged(*state);
    expect(*state, NULL);
}

static void test_wrong_lists(void **state)
{
    convex_pieces *p = damaged(*state);
    uint32_t *triangles = items(p, CONVEX_TRIANGLES);
    triangles[0] = triangles[1];
    expect(*state, "two pieces");
    p = damaged(*state);
    uint32_t *first = items(p, CONVEX_PIECE_FIRST);
    first[1] = first[2];
    expect(*state, "empty");
    p = damaged(*state);
    p->triangle_count--;
    expect(*state, "numbers of triangles");
}

/* A triangle that changes its piece. */
static void test_wrong_piece(void **state)
{
    convex_pieces *p = damaged(*state);
    uint32_t *first = items(p, CONVEX_PIECE_FIRST), i = 1;
    while (first[i + 1] - first[i] < 2)
        i++;
    first[i]++;
    expect(*state, "piece");
}

static void test_wrong_tree(void **state)
{
    convex_pieces *p = damaged(*state);
    convex_node *nodes = items(p, CONVEX_NODES);
    nodes[2].parent = 1;
    expect(*state, "children");
    p = damaged(*state);
    p->node_count -= 2;
    expect(*state, "nodes");
    p = damaged(*state), nodes = items(p, CONVEX_NODES);
    nodes[p->node_count - 1].piece = p->piece_count;
    expect(*state, "no piece");
}

static void test_wrong_hull(void **state)
{
    convex_pieces *p = damaged(*state);
    uint32_t *facets = items(p, CONVEX_FACETS), corner = facets[0];
    facets[0] = facets[1], facets[1] = corner;
    expect(*state, "not convex");
    p = damaged(*state);
    uint32_t *vertices = items(p, CONVEX_VERTICES);
    const convex_node *nodes = items(p, CONVEX_NODES);
    vertices[nodes[0].vertex_count - 1]++;
    expect(*state, "wrong hull");
    p = damaged(*state);
    ((uint32_t *)items(p, CONVEX_NEIGHBOURS))[0] = CONVEX_NONE;
    expect(*state, "open");
}

static void test_wrong_box(void **state)
{
    convex_pieces *p = damaged(*state);
    convex_node *nodes = items(p, CONVEX_NODES);
    nodes[p->node_count / 2].box.half[1] *= 1 - 1e-9;
    expect(*state, "box");
}

static void test_wrong_strips(void **state)
{
    convex_pieces *p = damaged(*state);
    ((convex_strip *)items(p, CONVEX_STRIPS))[0].start += 1;
    expect(*state, "node 0");
}

/* ---- strips ---- */

static int compare_triangles(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(uint32_t)); }

/* Sorted, each with its smallest corner first. */
static void sort_triangles(uint32_t *triangles, size_t count)
{
    for (size_t i = 0; i < count; i++)
    {
        uint32_t *t = triangles + 3 * i;
        while (t[0] > t[1] || t[0] > t[2])
        {
            uint32_t first = t[0];
            t[0] = t[1], t[1] = t[2], t[2] = first;
        }
    }
    qsort(triangles, count, 3 * sizeof *triangles, compare_triangles);
}

/* What a strip draws: every other triangle turned, those with equal corners left out. */
static size_t draw(const uint32_t *list, size_t count, uint32_t *out)
{
    size_t made = 0, run = 0;
    for (size_t i = 0; i < count; i++)
    {
        run = list[i] == CONVEX_NONE ? 0 : run + 1;
        if (run < 3 || list[i] == list[i - 1] || list[i] == list[i - 2] || list[i - 1] == list[i - 2])
            continue;
        bool odd = run % 2 == 0;
        out[3 * made] = list[i - 2], out[3 * made + 1] = list[odd ? i : i - 1],
                out[3 * made + 2] = list[odd ? i - 1 : i];
        made++;
    }
    return made;
}

static void check_strips(const uint32_t *list, size_t index_count, const uint32_t *triangles, size_t count)
{
    uint32_t *drawn = calloc((index_count + 1) * 3, sizeof *drawn), *wanted = malloc((3 * count + 1) * sizeof *wanted);
    assert_true(drawn && wanted);
    memcpy(wanted, triangles, 3 * count * sizeof *wanted);
    assert_int_equal(draw(list, index_count, drawn), count);
    sort_triangles(drawn, count), sort_triangles(wanted, count);
    assert_memory_equal(drawn, wanted, 3 * count * sizeof *wanted);
    free(drawn), free(wanted);
}

static void test_strips(void **state)
{
    const fixture *f = *state;
    static const generate_kind kinds[] = {GENERATE_HAND, GENERATE_GEAR, GENERATE_CLOTH, GENERATE_RUBBLE,
                                          GENERATE_TORUS};
    (void)f;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    {
        generate_def def = generate_def_default(kinds[k]);
        def.triangles = 2000;
        carom_mesh *mesh;
        convex_pieces *p;
        assert_int_equal(generate_mesh(f->context, &def, &mesh), CAROM_OK);
        assert_int_equal(convex_pieces_create(f->context, mesh, &p), CAROM_OK);
        uint32_t *list = malloc((4 * (size_t)p->triangle_count + p->mesh_index_count) * sizeof *list);
        assert_non_null(list);
        uint64_t indices = 0, facets = 0;
        for (uint32_t i = 0; i < p->node_count; i++)
        {
            const convex_node *node = convex_nodes(p) + i;
            convex_decode_strips(p, node, list);
            check_strips(list, node->index_count, convex_facets(p, node), node->facet_count);
            indices += node->index_count, facets += node->facet_count;
        }
        convex_decode_mesh_strips(p, mesh, list);
        check_strips(list, p->mesh_index_count, carom_mesh_indices(mesh), p->triangle_count);
        print_message("%s: %.3f indices per facet of all hulls, %.3f per triangle of the mesh\n", mesh->name,
                      (double)indices / (double)facets, (double)p->mesh_index_count / p->triangle_count);
        assert_true(indices < 2 * facets && p->mesh_index_count < 2 * p->triangle_count);
        free(list);
        convex_pieces_destroy(f->context, p);
        carom_mesh_destroy(mesh);
    }
}

/* A tetrahedron whose upper face is at height 0, and a triangle that hangs down to this height from above it. */
static carom_mesh *hanging(carom_context *context, double height)
{
    const double vertices[][3] = {{0, 0, 0},      {4, 0, 0},   {0, 4, 0},  {1, 1, -4},
                                  {1, 1, height}, {1, 1.5, 5}, {1.5, 1, 5}};
    static const uint32_t indices[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0, 4, 5, 6};
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = vertices[0], def.vertex_count = 7, def.indices_u32 = indices, def.triangle_count = 5;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
    return mesh;
}

/* Pieces of a mesh in which a triangle ends above a hull, checked on one in which it ends within it: nothing is wrong
 * but criterion 3. */
static void test_hull_that_meets_a_triangle(void **state)
{
    fixture *f = *state;
    carom_mesh *above = hanging(f->context, 0x1p-10), *touching = hanging(f->context, 0),
               *within = hanging(f->context, -0x1p-10);
    convex_pieces *pieces;
    assert_int_equal(convex_pieces_create(f->context, above, &pieces), CAROM_OK);
    assert_int_equal(pieces->piece_count, 2);
    convex_node *nodes = (convex_node *)(void *)((char *)pieces + pieces->offset[CONVEX_NODES]);
    for (uint32_t i = 0; i < pieces->node_count; i++)
        for (int k = 0; k < 3; k++)
            nodes[i].box.half[k] += 1; /* for the corner that moves */
    assert_int_equal(convex_check(f->context, above, pieces), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        char message[256];
        assert_int_equal(convex_check(f->context, i ? within : touching, pieces), CAROM_BAD_DATA);
        carom_context_message(f->context, message, sizeof message);
        assert_non_null(strstr(message, "the hull of piece 0 meets triangle 4"));
    }
    convex_pieces_destroy(f->context, pieces);
    carom_mesh_destroy(above), carom_mesh_destroy(touching), carom_mesh_destroy(within);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_copy_is_as_good),
        cmocka_unit_test(test_wrong_lists),
        cmocka_unit_test(test_wrong_piece),
        cmocka_unit_test(test_wrong_tree),
        cmocka_unit_test(test_wrong_hull),
        cmocka_unit_test(test_wrong_box),
        cmocka_unit_test(test_wrong_strips),
        cmocka_unit_test(test_strips),
        cmocka_unit_test(test_hull_that_meets_a_triangle),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
