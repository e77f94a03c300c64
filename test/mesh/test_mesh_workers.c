/* Meshes large enough to be made by several workers: the same arrays for any number of them, the same culprit named,
 * and an allocation that fails is a status. */
#include "mesh/mesh.h"
#include "support/check.h"
#include "support/guarded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SIDE = 120, /* of a grid; two triangles per cell: several blocks and slices */
    TRIANGLES = 2 * SIDE * SIDE,
    VERTICES = (SIDE + 1) * (SIDE + 1)
};

/* The last range first, and worker numbers that change. */
static void run_backwards(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    uint32_t worker = 0;
    (void)user;
    for (uint32_t last = count; last > 0;)
    {
        uint32_t first = last > min_range ? (last - 1) / min_range * min_range : 0;
        task(first, last, worker++ % 5, task_data);
        last = first;
    }
}

static carom_context *open_context(uint32_t workers, bool hooks)
{
    carom_context_def def = carom_context_def_default();
    def.workers = workers;
    if (hooks)
        def.tasks = (carom_task_hooks){run_backwards, 5, NULL};
    carom_context *context;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    return context;
}

/* ---- a grid, plain or spoilt ---- */

typedef struct grid
{
    carom_vec3 vertices[3 * TRIANGLES];
    uint32_t indices[3 * TRIANGLES];
    carom_mesh_def def;
} grid;

typedef enum grid_kind
{
    GRID_PLAIN,     /* manifold */
    GRID_TORN,      /* three vertices per triangle, some at -0 */
    GRID_SHUFFLED,  /* triangles and vertices in random order, two of three vertices unused or repeated */
    GRID_PINCHED,   /* two fans meet in a vertex */
    GRID_FOLDED,    /* triangles with two corners in one place */
    GRID_ONE_PLACE, /* all vertices coincide */
    GRID_SCATTERED, /* every triangle a component */
    GRID_KIND_COUNT
} grid_kind;

static void fill_plain(grid *g)
{
    for (uint32_t i = 0; i < VERTICES; i++)
        g->vertices[i] = vec3(i % (SIDE + 1), i / (SIDE + 1), 0.0);
    uint32_t *index = g->indices;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
        {
            uint32_t low = y * (SIDE + 1) + x, high = low + SIDE + 1;
            const uint32_t cell[6] = {low, low + 1, high, low + 1, high + 1, high};
            memcpy(index, cell, sizeof cell);
            index += 6;
        }
    g->def = (carom_mesh_def){.vertices_f64 = &g->vertices->x,
                              .vertex_count = VERTICES,
                              .indices_u32 = g->indices,
                              .triangle_count = TRIANGLES};
}

static void tear(grid *g)
{
    static carom_vec3 corners[3 * TRIANGLES];
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++)
    {
        corners[i] = g->vertices[g->indices[i]];
        corners[i].z = i % 2 == 0 ? 0.0 : -0.0;
    }
    memcpy(g->vertices, corners, sizeof corners);
    g->def.vertex_count = 3 * TRIANGLES, g->def.indices_u32 = NULL, g->def.unindexed = true;
}

static void shuffle(grid *g)
{
    static uint32_t place[VERTICES];
    static carom_vec3 old[VERTICES];
    check_random random = {3};
    memcpy(old, g->vertices, sizeof old);
    for (uint32_t i = 0; i < VERTICES; i++)
        place[i] = i;
    for (uint32_t i = VERTICES; i-- > 1;)
    {
        uint32_t j = (uint32_t)(check_next(&random) % (i + 1)), swap = place[i];
        place[i] = place[j], place[j] = swap;
    }
    for (uint32_t i = 0; i < VERTICES; i++)
        for (uint32_t copy = 0; copy < 3; copy++)
            g->vertices[3 * place[i] + copy] = old[i];
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++)
        g->indices[i] = 3 * place[g->indices[i]] + (uint32_t)(check_next(&random) % 3);
    for (uint32_t i = TRIANGLES; i-- > 1;)
    {
        uint32_t j = (uint32_t)(check_next(&random) % (i + 1)), swap[3];
        memcpy(swap, g->indices + 3 * i, sizeof swap);
        memcpy(g->indices + 3 * i, g->indices + 3 * j, sizeof swap);
        memcpy(g->indices + 3 * j, swap, sizeof swap);
    }
    g->def.vertex_count = 3 * VERTICES;
}

static void fill_grid(grid *g, grid_kind kind)
{
    fill_plain(g);
    if (kind == GRID_TORN)
        tear(g);
    if (kind == GRID_SHUFFLED)
        shuffle(g);
    if (kind == GRID_PINCHED) /* a corner far from its neighbours moves to one on another border */
        g->vertices[SIDE / 2] = g->vertices[VERTICES - 1 - SIDE / 2];
    if (kind == GRID_FOLDED)
        for (uint32_t i = 0; i < TRIANGLES; i += 1000)
            g->indices[3 * i] = g->indices[3 * i + 1];
    if (kind == GRID_ONE_PLACE)
        memset(g->vertices, 0, sizeof g->vertices);
    if (kind == GRID_SCATTERED)
    {
        tear(g);
        for (uint32_t i = 0; i < 3 * TRIANGLES; i++)
            g->vertices[i].z = (double)(i / 3);
    }
}

/* ---- the same arrays ---- */

static void check_equal(const carom_mesh *a, const carom_mesh *b)
{
    carom_mesh_info info = a->info;
    assert_memory_equal(&a->info, &b->info, sizeof info);
    assert_memory_equal(a->vertices, b->vertices, info.vertex_count * sizeof *a->vertices);
    assert_memory_equal(a->indices, b->indices, 3 * (size_t)info.triangle_count * sizeof *a->indices);
    assert_memory_equal(a->merged, b->merged, info.vertex_count * sizeof *a->merged);
    assert_memory_equal(a->edges, b->edges, 2 * (size_t)info.edge_count * sizeof *a->edges);
    assert_memory_equal(a->neighbours, b->neighbours, 3 * (size_t)info.triangle_count * sizeof *a->neighbours);
    assert_memory_equal(a->component, b->component, info.triangle_count * sizeof *a->component);
    assert_memory_equal(a->component_vertex, b->component_vertex, info.component_count * sizeof *a->component_vertex);
    assert_memory_equal(a->extremes, b->extremes, sizeof a->extremes);
    assert_true(a->extent == b->extent);
}

/* What is known of each kind beforehand. */
static void check_kind(const carom_mesh *mesh, grid_kind kind)
{
    const carom_mesh_info *info = &mesh->info;
    bool grid_like = kind == GRID_PLAIN || kind == GRID_TORN || kind == GRID_SHUFFLED;
    assert_int_equal(info->manifold, grid_like || kind == GRID_SCATTERED);
    if (grid_like)
    {
        assert_int_equal(info->distinct_vertex_count, VERTICES);
        assert_int_equal(info->edge_count, 3 * SIDE * SIDE + 2 * SIDE);
        assert_int_equal(info->boundary_edge_count, 4 * SIDE);
    }
    if (kind == GRID_PINCHED)
    {
        assert_int_equal(info->distinct_vertex_count, VERTICES - 1);
        assert_int_equal(info->nonmanifold_edge_count, 0);
        assert_int_equal(info->degenerate_triangle_count, 0);
    }
    assert_int_equal(info->component_count, kind == GRID_SCATTERED ? TRIANGLES : 1);
    if (kind == GRID_ONE_PLACE)
        assert_int_equal(info->distinct_vertex_count, 1), assert_int_equal(info->edge_count, 0);
}

static void any_number_of_workers_makes_the_same_mesh(void **state)
{
    (void)state;
    static grid g;
    static const uint32_t WORKERS[] = {1, 2, 3, 4, 8, 32, 0};
    for (int kind = 0; kind < GRID_KIND_COUNT; kind++)
    {
        fill_grid(&g, (grid_kind)kind);
        carom_context *alone = open_context(0, false);
        carom_mesh *expected;
        assert_int_equal(carom_mesh_create(alone, &g.def, &expected), CAROM_OK);
        check_kind(expected, (grid_kind)kind);
        for (size_t i = 0; i < sizeof WORKERS / sizeof *WORKERS; i++)
        {
            carom_context *context = open_context(WORKERS[i], WORKERS[i] == 0);
            carom_mesh *mesh, *deformed;
            assert_int_equal(carom_mesh_create(context, &g.def, &mesh), CAROM_OK);
            check_equal(mesh, expected);
            assert_int_equal(carom_mesh_deform(mesh, &g.def, &deformed), CAROM_OK);
            check_equal(deformed, expected);
            carom_mesh_destroy(deformed);
            carom_mesh_destroy(mesh);
            carom_context_destroy(context);
        }
        carom_mesh_destroy(expected);
        carom_context_destroy(alone);
    }
}

/* ---- bad input ---- */

static void expect_refusal(carom_context *context, const carom_mesh_def *def, carom_status status, const char *culprit)
{
    carom_mesh *mesh;
    char message[256];
    assert_int_equal(carom_mesh_create(context, def, &mesh), status);
    assert_null(mesh);
    carom_context_message(context, message, sizeof message);
    if (!strstr(message, culprit))
        fail_msg("'%s' does not name %s", message, culprit);
}

static void the_first_culprit_is_named(void **state)
{
    (void)state;
    static grid g;
    carom_context *context = open_context(4, false);
    fill_grid(&g, GRID_PLAIN);
    g.vertices[VERTICES - 1].y = NAN, g.vertices[9000].x = 0x1p101, g.vertices[9001].z = INFINITY;
    expect_refusal(context, &g.def, CAROM_OUT_OF_RANGE, "vertex 9000 ");
    g.vertices[9000].x = 0.0;
    expect_refusal(context, &g.def, CAROM_NOT_FINITE, "vertex 9001 ");
    fill_grid(&g, GRID_PLAIN);
    g.indices[3 * TRIANGLES - 1] = UINT32_MAX, g.indices[3 * 20000 + 1] = VERTICES;
    expect_refusal(context, &g.def, CAROM_OUT_OF_RANGE, "triangle 20000:");
    carom_context_destroy(context);
}

static void failed_allocations_are_a_status(void **state)
{
    (void)state;
    static grid g;
    fill_grid(&g, GRID_SHUFFLED);
    guarded memory = {.lock = PTHREAD_MUTEX_INITIALIZER};
    carom_context_def def = carom_context_def_default();
    def.workers = 4;
    def.allocator = (carom_allocator){guarded_allocate, guarded_release, &memory};
    carom_context *context;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    uint64_t level = memory.memory.bytes_out, failures = 0;
    for (bool done = false; !done;)
    {
        carom_mesh *mesh;
        failing_arm(&memory.memory, failures + 1);
        carom_status status = carom_mesh_create(context, &g.def, &mesh);
        done = status == CAROM_OK;
        if (!done)
            assert_int_equal(status, CAROM_OUT_OF_MEMORY), assert_null(mesh), failures++;
        carom_mesh_destroy(mesh);
        assert_int_equal(memory.memory.bytes_out, level);
    }
    assert_true(failures > 5);
    carom_context_destroy(context);
    assert_int_equal(memory.memory.bytes_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_workers_makes_the_same_mesh),
                                       cmocka_unit_test(the_first_culprit_is_named),
                                       cmocka_unit_test(failed_allocations_are_a_status)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
