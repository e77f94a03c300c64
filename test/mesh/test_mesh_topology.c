/* Topology against a slow recomputation straight from the definitions, on random small meshes full of coincidences. */
#include "mesh/mesh.h"
#include "support/check.h"

#include <stdlib.h>

enum
{
    MAX_VERTICES = 12,
    MAX_TRIANGLES = 24
};

typedef struct truth
{
    carom_mesh_info info;
    uint32_t neighbours[3 * MAX_TRIANGLES];
    uint32_t component[MAX_TRIANGLES];
} truth;

static uint32_t place_of(const carom_vec3 *vertices, uint32_t vertex)
{
    for (uint32_t i = 0; i < vertex; i++)
        if (vec3_equal(vertices[i], vertices[vertex]))
            return i;
    return vertex;
}

/* How many sides lie on the edge (a, b), and how many of them go from a to b. */
static int uses_of_edge(const uint32_t *corners, uint32_t triangles, uint32_t a, uint32_t b, int *upward)
{
    int uses = 0;
    *upward = 0;
    for (uint32_t t = 0; t < triangles; t++)
        for (int i = 0; i < 3; i++)
        {
            uint32_t from = corners[3 * t + i], to = corners[3 * t + (i + 1) % 3];
            uses += (from == a && to == b) || (from == b && to == a);
            *upward += from == a && to == b;
        }
    return uses;
}

static bool share_edge_at(const uint32_t *corners, uint32_t s, uint32_t t, uint32_t vertex)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            uint32_t a = corners[3 * s + i], b = corners[3 * t + j];
            if (a == b && a != vertex)
                return true;
        }
    return false;
}

static bool has_corner(const uint32_t *corners, uint32_t t, uint32_t vertex)
{
    return corners[3 * t] == vertex || corners[3 * t + 1] == vertex || corners[3 * t + 2] == vertex;
}

/* Are the triangles at a vertex connected through edges at that vertex? Flood fill. */
static bool one_fan(const uint32_t *corners, uint32_t triangles, uint32_t vertex)
{
    bool reached[MAX_TRIANGLES] = {false};
    uint32_t first = 0;
    while (first < triangles && !has_corner(corners, first, vertex))
        first++;
    if (first == triangles)
        return true;
    reached[first] = true;
    for (bool grown = true; grown;)
    {
        grown = false;
        for (uint32_t s = 0; s < triangles; s++)
            for (uint32_t t = 0; t < triangles; t++)
                if (reached[s] && !reached[t] && has_corner(corners, t, vertex) && share_edge_at(corners, s, t, vertex))
                    reached[t] = grown = true;
    }
    for (uint32_t t = 0; t < triangles; t++)
        if (has_corner(corners, t, vertex) && !reached[t])
            return false;
    return true;
}

static void find_truth_of_edges(const uint32_t *corners, uint32_t triangles, truth *out)
{
    for (uint32_t a = 0; a < MAX_VERTICES; a++)
        for (uint32_t b = a + 1; b < MAX_VERTICES; b++)
        {
            int upward, uses = uses_of_edge(corners, triangles, a, b, &upward);
            if (uses == 0)
                continue;
            out->info.edge_count++;
            out->info.boundary_edge_count += uses == 1;
            out->info.nonmanifold_edge_count += uses > 2;
            out->info.closed &= uses % 2 == 0;
            out->info.oriented &= 2 * upward == uses;
            out->info.manifold &= uses <= 2;
        }
}

static void find_truth_of_neighbours(const uint32_t *corners, uint32_t triangles, truth *out)
{
    for (uint32_t t = 0; t < triangles; t++)
        for (int i = 0; i < 3; i++)
        {
            uint32_t a = corners[3 * t + i], b = corners[3 * t + (i + 1) % 3];
            out->neighbours[3 * t + i] = MESH_NONE;
            int upward;
            if (a == b || uses_of_edge(corners, triangles, a, b, &upward) != 2)
                continue;
            for (uint32_t s = 0; s < triangles; s++)
                if (s != t && has_corner(corners, s, a) && has_corner(corners, s, b))
                    out->neighbours[3 * t + i] = s;
        }
}

static void find_truth_of_components(const uint32_t *corners, uint32_t triangles, truth *out)
{
    for (uint32_t t = 0; t < triangles; t++)
        out->component[t] = MESH_NONE;
    for (uint32_t first = 0; first < triangles; first++)
    {
        if (out->component[first] != MESH_NONE)
            continue;
        uint32_t number = out->info.component_count++;
        out->component[first] = number;
        for (bool grown = true; grown;)
        {
            grown = false;
            for (uint32_t s = 0; s < triangles; s++)
                for (uint32_t t = 0; t < triangles; t++)
                    for (int i = 0; i < 3; i++)
                        if (out->component[s] == number && out->component[t] != number &&
                            has_corner(corners, s, corners[3 * t + i]))
                            out->component[t] = number, grown = true;
        }
    }
}

static truth find_truth(const carom_vec3 *vertices, const uint32_t *indices, uint32_t triangles)
{
    uint32_t corners[3 * MAX_TRIANGLES];
    truth out = {.info = {.closed = triangles > 0, .oriented = true, .manifold = true}};
    bool used[MAX_VERTICES] = {false};
    for (uint32_t i = 0; i < 3 * triangles; i++)
    {
        corners[i] = place_of(vertices, indices[i]);
        out.info.distinct_vertex_count += !used[corners[i]];
        used[corners[i]] = true;
    }
    for (uint32_t t = 0; t < triangles; t++)
        for (int i = 0; i < 3; i++)
            out.info.manifold &= corners[3 * t + i] != corners[3 * t + (i + 1) % 3];
    find_truth_of_edges(corners, triangles, &out);
    find_truth_of_neighbours(corners, triangles, &out);
    find_truth_of_components(corners, triangles, &out);
    for (uint32_t v = 0; v < MAX_VERTICES; v++)
        out.info.manifold &= one_fan(corners, triangles, v);
    return out;
}

static void compare(const carom_mesh *mesh, const truth *expected)
{
    carom_mesh_info info = carom_mesh_get_info(mesh);
    assert_int_equal(info.distinct_vertex_count, expected->info.distinct_vertex_count);
    assert_int_equal(info.edge_count, expected->info.edge_count);
    assert_int_equal(info.boundary_edge_count, expected->info.boundary_edge_count);
    assert_int_equal(info.nonmanifold_edge_count, expected->info.nonmanifold_edge_count);
    assert_int_equal(info.component_count, expected->info.component_count);
    assert_int_equal(info.closed, expected->info.closed);
    assert_int_equal(info.oriented, expected->info.oriented);
    assert_int_equal(info.manifold, expected->info.manifold);
    for (uint32_t t = 0; t < info.triangle_count; t++)
    {
        uint32_t neighbours[3];
        assert_int_equal(carom_mesh_neighbours(mesh, t, neighbours), CAROM_OK);
        assert_memory_equal(neighbours, expected->neighbours + 3 * t, sizeof neighbours);
        assert_int_equal(mesh->component[t], expected->component[t]);
    }
    for (uint32_t e = 1; e < info.edge_count; e++)
    {
        const uint32_t *edge = mesh->edges + 2 * (size_t)e;
        assert_true(edge[0] < edge[1]);
        assert_true(edge[-2] < edge[0] || (edge[-2] == edge[0] && edge[-1] < edge[1]));
    }
}

/* Coordinates 0, -0 and 1: many vertices coincide, many triangles are segments or points. */
static void fill_randomly(check_random *random, carom_vec3 *vertices, uint32_t *indices, uint32_t triangles)
{
    const double values[] = {0.0, -0.0, 1.0, 2.0};
    uint32_t spread = 2 + check_next(random) % 3, used = 3 + check_next(random) % (MAX_VERTICES - 3);
    for (int i = 0; i < MAX_VERTICES; i++)
    {
        vertices[i].x = values[check_next(random) % spread];
        vertices[i].y = values[check_next(random) % spread];
        vertices[i].z = values[check_next(random) % 4];
    }
    for (uint32_t i = 0; i < 3 * triangles; i++)
        indices[i] = (uint32_t)(check_next(random) % used);
}

/* Triangles of a closed strip of a tetrahedron, octahedron or the like survive often enough to meet manifold input. */
static void fill_with_octahedra(check_random *random, carom_vec3 *vertices, uint32_t *indices, uint32_t triangles)
{
    static const uint32_t OCTAHEDRON[24] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1, 5, 2, 1, 5, 3, 2, 5, 4, 3, 5, 1, 4};
    for (uint32_t i = 0; i < MAX_VERTICES; i++)
        vertices[i] = vec3(i, i * i, 1.0);
    uint32_t skip = (uint32_t)(check_next(random) % 3), overlap = (uint32_t)(check_next(random) % 4);
    for (uint32_t t = 0; t < triangles; t++)
    {
        uint32_t shift = t % 16 < 8 ? 0 : 6 - overlap;
        for (uint32_t i = 0; i < 3; i++)
            indices[3 * t + i] = OCTAHEDRON[3 * ((t * (skip + 1)) % 8) + i] + shift;
        if (check_next(random) % 8 == 0)
        {
            uint32_t swap = indices[3 * t];
            indices[3 * t] = indices[3 * t + 1];
            indices[3 * t + 1] = swap;
        }
    }
}

static void topology_agrees_with_its_definition(void **state)
{
    (void)state;
    carom_context *context = NULL;
    assert_int_equal(carom_context_create(NULL, &context), CAROM_OK);
    int closed = 0, manifold = 0, oriented = 0, several = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++)
    {
        check_random random = {seed};
        carom_vec3 vertices[MAX_VERTICES];
        uint32_t indices[3 * MAX_TRIANGLES], triangles = (uint32_t)(check_next(&random) % (MAX_TRIANGLES + 1));
        if (seed % 2 == 0)
            fill_randomly(&random, vertices, indices, triangles);
        else
            fill_with_octahedra(&random, vertices, indices, triangles);
        carom_mesh_def def = {.vertices_f64 = (const double *)vertices,
                              .vertex_count = MAX_VERTICES,
                              .indices_u32 = indices,
                              .triangle_count = triangles};
        carom_mesh *mesh = NULL;
        assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
        assert_int_equal(mesh_check_parts(context, mesh), CAROM_OK);
        truth expected = find_truth(vertices, indices, triangles);
        compare(mesh, &expected);
        closed += mesh->info.closed, manifold += mesh->info.manifold, oriented += mesh->info.oriented;
        several += mesh->info.component_count > 1;
        carom_mesh_destroy(mesh);
    }
    /* The sample must hold enough of each kind to mean something. */
    assert_true(closed > 100 && manifold > 1000 && oriented > 100 && several > 1000);
    carom_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(topology_agrees_with_its_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
