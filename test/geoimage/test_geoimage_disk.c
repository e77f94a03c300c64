/* The stages of geometry images: charts are cut to disks and mapped to rectangles one to one, by rational arithmetic.
 */
#include "geoimage/bend.h"

#include "carom/io.h"
#include "support/check.h"
#include "support/data.h"
#include "support/geoimage_models.h"

#include <gmp.h>
#include <stdlib.h>

/* ---- disks ---- */

/* Counts again: triangles that hang together, an Euler characteristic of 1, one loop around. */
static void check_is_disk(const geoimage_disk *disk)
{
    uint32_t halves = (uint32_t)disk->corner.count, border = 0, start = GEOIMAGE_NONE, joined = 1;
    uint32_t *set = malloc((halves / 3) * sizeof *set);
    assert_non_null(set);
    for (uint32_t t = 0; t < halves / 3; t++)
        set[t] = t;
    for (uint32_t half = 0; half < halves; half++)
    {
        uint32_t twin = disk->twin.items[half];
        if (twin == GEOIMAGE_NONE)
        {
            border++, start = half;
            continue;
        }
        assert_int_equal(disk->twin.items[twin], half);
        assert_int_equal(geoimage_start(disk, half), geoimage_end(disk, twin));
        assert_int_equal(geoimage_end(disk, half), geoimage_start(disk, twin));
        if (base_set_root(set, half / 3) != base_set_root(set, twin / 3))
            joined++;
        base_set_join(set, half / 3, twin / 3);
    }
    assert_int_equal(joined, halves / 3);
    int64_t edges = ((int64_t)halves + border) / 2;
    assert_int_equal((int64_t)disk->vertex.count - edges + halves / 3, 1);
    assert_int_not_equal(start, GEOIMAGE_NONE);
    uint32_t around = 0, half = start;
    do
    {
        /* On from the end of this one: turn around the vertex until there is no triangle. */
        uint32_t end = geoimage_end(disk, half);
        half = geoimage_border_next(disk, half);
        assert_int_equal(geoimage_start(disk, half), end);
        assert_true(++around <= border);
    } while (half != start);
    assert_int_equal(around, border);
    free(set);
}

/* ---- maps ---- */

static void set_difference(mpq_t out, double a, double b)
{
    mpq_t from;
    mpq_init(from);
    mpq_set_d(out, a), mpq_set_d(from, b);
    mpq_sub(out, out, from);
    mpq_clear(from);
}

/* Twice the area of a triangle in the rectangle, exactly. */
static void double_area(const geoimage_disk *disk, uint32_t triangle, mpq_t out)
{
    geoimage_point p[3];
    for (int k = 0; k < 3; k++)
        p[k] = disk->vertex.items[disk->corner.items[3 * triangle + (uint32_t)k]].at;
    mpq_t bx, by, cx, cy;
    mpq_inits(bx, by, cx, cy, NULL);
    set_difference(bx, p[1].x, p[0].x), set_difference(by, p[1].y, p[0].y);
    set_difference(cx, p[2].x, p[0].x), set_difference(cy, p[2].y, p[0].y);
    mpq_mul(bx, bx, cy), mpq_mul(by, by, cx);
    mpq_sub(out, bx, by);
    mpq_clears(bx, by, cx, cy, NULL);
}

/* Every triangle is oriented, and together they have the area of the rectangle, to the last bit. With the border in its
 * place, that is a map one to one. */
static void check_is_one_to_one(const geoimage_map *map)
{
    const geoimage_disk *disk = &map->disk;
    mpq_t area, sum, whole;
    mpq_inits(area, sum, whole, NULL);
    for (uint32_t t = 0; t < geoimage_triangle_count(disk); t++)
    {
        double_area(disk, t, area);
        if (mpq_sgn(area) <= 0)
            fail_msg("%s: triangle %u of the disk is folded or collapsed", disk->name, t);
        mpq_add(sum, sum, area);
    }
    uint32_t across = map->border.width - 1, up = map->border.height - 1;
    mpq_set_ui(whole, 2ul * across * up, 1);
    assert_int_equal(mpq_cmp(sum, whole), 0);
    mpq_clears(area, sum, whole, NULL);
    for (uint32_t half = 0; half < disk->corner.count; half++)
    {
        if (disk->twin.items[half] != GEOIMAGE_NONE)
            continue;
        geoimage_point a = disk->vertex.items[geoimage_start(disk, half)].at,
                       b = disk->vertex.items[geoimage_end(disk, half)].at;
        bool bottom = a.y == 0 && b.y == 0 && a.x < b.x, top = a.y == up && b.y == up && a.x > b.x;
        bool right = a.x == across && b.x == across && a.y < b.y, left = a.x == 0 && b.x == 0 && a.y > b.y;
        assert_true(bottom || top || right || left);
    }
}

/* Random places in triangles are in cells that list them. */
static void check_lists(const geoimage_map *map, check_random *random)
{
    const geoimage_disk *disk = &map->disk;
    geoimage_grid grid = {.context = disk->context, .width = map->border.width, .height = map->border.height};
    uint32_t columns = grid.width - 1, rows = grid.height - 1;
    assert_true(geoimage_list_cells(disk, &grid));
    for (uint32_t cell = 0; cell < columns * rows; cell++)
        for (uint32_t i = grid.cell_first[cell] + 1; i < grid.cell_first[cell + 1]; i++)
            assert_true(grid.cell_triangles.items[i - 1] < grid.cell_triangles.items[i]);
    for (uint32_t t = 0; t < geoimage_triangle_count(disk); t++)
        for (int round = 0; round < 3; round++)
        {
            double u = check_uniform(random, 0, 1), v = check_uniform(random, 0, 1), x = 0, y = 0;
            double weight[3] = {1 - sqrt(u), sqrt(u) * (1 - v), sqrt(u) * v};
            for (uint32_t k = 0; k < 3; k++)
            {
                geoimage_point at = disk->vertex.items[disk->corner.items[3 * t + k]].at;
                x += weight[k] * at.x, y += weight[k] * at.y;
            }
            uint32_t i = x < columns ? (uint32_t)x : columns - 1, j = y < rows ? (uint32_t)y : rows - 1;
            bool listed = false;
            for (uint32_t n = grid.cell_first[j * columns + i]; n < grid.cell_first[j * columns + i + 1]; n++)
                listed |= grid.cell_triangles.items[n] == geoimage_mesh_triangle(disk, t);
            assert_true(listed);
        }
    base_release(disk->context, grid.cell_first, (size_t)columns * rows + 1, sizeof *grid.cell_first);
    base_array_free(disk->context, &grid.cell_triangles);
}

/* Sharp vertices are moved onto samples; the map stays one to one, and the error does not grow. */
static void check_snapping(geoimage_map *map)
{
    carom_context *context = map->disk.context;
    geoimage_grid grid = {.context = context, .width = map->border.width, .height = map->border.height};
    size_t points = (size_t)grid.width * grid.height;
    grid.points = calloc(points, sizeof *grid.points), grid.normals = calloc(points, sizeof *grid.normals);
    assert_non_null(grid.points);
    assert_non_null(grid.normals);
    for (uint32_t i = 0; i < map->border.rim.count; i++)
        grid.points[geoimage_rim_index(i, grid.width, grid.height)] = map->border.rim.items[i].position;
    grid.sample_error = geoimage_sample(&map->disk, &grid);
    carom_geoimage_error before = geoimage_error(&map->disk, &grid), after = before;
    assert_int_equal(geoimage_snap(&map->disk, &grid, &after), CAROM_OK);
    check_is_one_to_one(map);
    assert_true(fmax(after.to_image, after.to_mesh) <= fmax(before.to_image, before.to_mesh));
    carom_geoimage_error again = geoimage_error(&map->disk, &grid);
    assert_true(again.to_image == after.to_image && again.to_mesh == after.to_mesh);
    free(grid.points);
    free(grid.normals);
}

/* All charts of a mesh, through all stages. Returns the sum of their topologies. */
static geoimage_topology check_mesh(carom_context *context, const carom_mesh *mesh, uint32_t side, uint32_t *charts)
{
    geoimage_surface surface;
    geoimage_topology sum = {0};
    check_random random = {7};
    assert_int_equal(geoimage_glue(context, mesh, &surface), CAROM_OK);
    assert_int_equal(surface.chart_first[surface.chart_count], carom_mesh_get_info(mesh).triangle_count);
    for (uint32_t c = 0; c < surface.chart_count; c++)
    {
        geoimage_disk disk = {0};
        geoimage_map map = {0};
        geoimage_topology topology;
        geoimage_map_def def = {side, side, side, side, 2, 2, false};
        assert_int_equal(geoimage_disk_create(&surface, c, &disk), CAROM_OK);
        assert_int_equal(geoimage_cut(&disk, &topology), CAROM_OK);
        check_is_disk(&disk);
        assert_int_equal(geoimage_map_create(&disk, &def, &map), CAROM_OK);
        check_is_disk(&map.disk);
        check_is_one_to_one(&map);
        check_lists(&map, &random);
        check_snapping(&map);
        sum.genus += topology.genus, sum.boundary_count += topology.boundary_count;
        geoimage_map_free(&map);
        geoimage_disk_free(&disk);
    }
    *charts = surface.chart_count;
    geoimage_surface_free(&surface);
    return sum;
}

static void models_of_every_genus_are_mapped_one_to_one(void **state)
{
    for (int i = 0; i < GEOIMAGE_MODELS; i++)
    {
        const geoimage_model *model = &geoimage_models[i];
        carom_mesh *mesh = geoimage_model_mesh(*state, model);
        uint32_t charts;
        geoimage_topology sum = check_mesh(*state, mesh, 257, &charts);
        if (charts != model->charts || sum.genus != model->genus || sum.boundary_count != model->boundaries)
            fail_msg("%s: %u charts of genus %u with %u boundaries", model->name, charts, sum.genus,
                     sum.boundary_count);
        carom_mesh_destroy(mesh);
    }
}

static void models_of_files_are_mapped_one_to_one(void **state)
{
    static const char *const names[] = {"cow", "fandisk", "rocker-arm", "spot", "suzanne", "teapot", "stanford-bunny"};
    for (int i = 0; i < 7; i++)
    {
        char name[64], path[512];
        snprintf(name, sizeof name, "models/%s.obj", names[i]);
        data_find(name, path, sizeof path);
        io_model model;
        assert_int_equal(io_read(*state, path, NULL, &model), CAROM_OK);
        uint32_t charts;
        geoimage_topology sum = check_mesh(*state, model.mesh, 257, &charts);
        assert_int_equal(sum.genus, i == 2);
        if (i == 6)
            assert_int_equal(sum.boundary_count, 5);
        io_model_free(&model);
    }
}

/* Twenty handles have 39 branches: 2 (6 * 20 - 3) sides of cuts at most. */
static void a_plate_with_twenty_holes_is_mapped(void **state)
{
    carom_mesh *mesh = geoimage_plate(*state, 20);
    uint32_t charts;
    geoimage_topology sum = check_mesh(*state, mesh, 129, &charts);
    assert_int_equal(charts, 1);
    assert_int_equal(sum.genus, 20);
    assert_int_equal(sum.boundary_count, 0);
    carom_mesh_destroy(mesh);
}

/* ---- a plane ---- */

enum
{
    SIDE = 9 /* vertices, and points of the image */
};

typedef struct plane
{
    carom_mesh *mesh;
    geoimage_surface surface;
    geoimage_disk disk;
    geoimage_map map;
} plane;

/* Squares of two triangles, their inner vertices moved at random. */
static carom_mesh *plane_mesh(carom_context *context)
{
    carom_vec3 points[SIDE * SIDE];
    uint32_t indices[6 * (SIDE - 1) * (SIDE - 1)];
    check_random random = {17};
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
    {
        uint32_t x = i % SIDE, y = i / SIDE;
        bool inner = x > 0 && y > 0 && x + 1 < SIDE && y + 1 < SIDE;
        points[i] = vec3(x + (inner ? check_uniform(&random, -0.3, 0.3) : 0),
                         y + (inner ? check_uniform(&random, -0.3, 0.3) : 0), 0);
    }
    for (uint32_t i = 0; i < (SIDE - 1) * (SIDE - 1); i++)
    {
        uint32_t at = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
        memcpy(indices + 6 * (size_t)i, (uint32_t[6]){at, at + 1, at + SIDE + 1, at, at + SIDE + 1, at + SIDE},
               6 * sizeof *indices);
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = &points->x, def.vertex_count = SIDE * SIDE;
    def.indices_u32 = indices, def.triangle_count = 2 * (SIDE - 1) * (SIDE - 1);
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
    return mesh;
}

static void plane_open(carom_context *context, plane *out)
{
    geoimage_topology topology;
    geoimage_map_def def = {SIDE, SIDE, SIDE, SIDE, 0, 0, false};
    *out = (plane){.mesh = plane_mesh(context)};
    assert_int_equal(geoimage_glue(context, out->mesh, &out->surface), CAROM_OK);
    assert_int_equal(geoimage_disk_create(&out->surface, 0, &out->disk), CAROM_OK);
    assert_int_equal(geoimage_cut(&out->disk, &topology), CAROM_OK);
    assert_int_equal(geoimage_map_create(&out->disk, &def, &out->map), CAROM_OK);
}

static void plane_close(plane *p)
{
    geoimage_map_free(&p->map);
    geoimage_disk_free(&p->disk);
    geoimage_surface_free(&p->surface);
    carom_mesh_destroy(p->mesh);
}

/* Mean values are exact on a plane: where the border is mapped as it lies, by equal distances, so is the inside,
 * however irregular the triangles are. Other convex weights move vertices by tenths of a cell. */
static void mean_values_reproduce_the_plane(void **state)
{
    plane p;
    plane_open(*state, &p);
    /* The rectangle may be turned by quarters: distances from its middle stay. */
    const double middle = 0.5 * (SIDE - 1);
    for (size_t i = 0; i < p.map.disk.vertex.count; i++)
    {
        const geoimage_vertex *v = &p.map.disk.vertex.items[i];
        double x = v->position.x / p.map.disk.unit - middle, y = v->position.y / p.map.disk.unit - middle;
        check_near(hypot(v->at.x - middle, v->at.y - middle), hypot(x, y), 1e-9);
    }
    plane_close(&p);
}

/* Random moves, short and long: each leaves a map one to one, by rational arithmetic, or everything where it was. */
static void bending_never_folds(void **state)
{
    plane p;
    bend_work work;
    check_random random = {29};
    int done = 0, refused = 0, rounds = 400;
    plane_open(*state, &p);
    geoimage_disk *disk = &p.map.disk;
    geoimage_grid grid = {.context = *state, .width = SIDE, .height = SIDE};
    geoimage_vertex *before = malloc(disk->vertex.count * sizeof *before);
    assert_non_null(before);
    assert_true(bend_create(disk, &grid, &work));
    for (int i = 0; i < rounds; i++)
    {
        bool moved;
        bend_move move = {.vertex = (uint32_t)(check_next(&random) % disk->vertex.count)};
        if (disk->vertex.items[move.vertex].on_border)
            continue;
        memcpy(before, disk->vertex.items, disk->vertex.count * sizeof *before);
        bend_begin_round(&work);
        move.from = move.to = *bend_at(&work, move.vertex);
        move.to.x += i % 3 ? check_uniform(&random, -0.7, 0.7) : 0;
        move.to.y += i % 3 ? check_uniform(&random, -0.7, 0.7) : 0;
        move.radius = check_uniform(&random, 0.2, 4), move.growth = i % 3 ? 0 : check_uniform(&random, 0, 1);
        assert_true(bend_try(&work, &move, &moved));
        if (moved)
            check_is_one_to_one(&p.map), done++;
        else
            assert_memory_equal(before, disk->vertex.items, disk->vertex.count * sizeof *before), refused++;
        if (i % 20 == 19) /* or it would get worse and worse */
            bend_undo_round(&work);
    }
    print_message("%d of %d moves\n", done, done + refused);
    assert_true(done > 50 && refused > 50);
    bend_free(&work);
    free(before);
    plane_close(&p);
}

/* ---- the solver ---- */

/* A path of unknowns between two known values, with equal weights, has them at equal distances; with weights that grow,
 * where a chain of springs would be. */
static void the_solver_agrees_with_springs_in_a_row(void **state)
{
    enum
    {
        COUNT = 1000
    };
    static size_t first[COUNT + 1];
    static uint32_t neighbour[2 * COUNT], mirror[2 * COUNT];
    static double weight[2 * COUNT], diagonal[COUNT];
    static geoimage_point value[COUNT];
    static carom_vec3 position[COUNT];
    size_t entries = 0;
    double whole = 0, sum = 0;
    for (uint32_t i = 0; i < COUNT; i++)
    {
        double before = 1 + i % 7, after = 1 + (i + 1) % 7; /* of the springs on both sides */
        position[i] = (carom_vec3){(i * 37) % COUNT, i % 3, 0};
        first[i] = entries;
        if (i > 0)
            neighbour[entries] = i - 1, mirror[entries] = (uint32_t)entries - 1, weight[entries++] = before;
        if (i + 1 < COUNT)
            neighbour[entries] = i + 1, mirror[entries] = (uint32_t)entries + 1, weight[entries++] = after;
        diagonal[i] = before + after;
        value[i].x = i + 1 == COUNT ? after : 0, value[i].y = i == 0 ? 3 * before : 0;
        whole += 1 / before;
    }
    whole += 1 / (1.0 + COUNT % 7);
    first[COUNT] = entries;
    geoimage_system system = {*state, COUNT, first, neighbour, mirror, weight, diagonal, value, position};
    geoimage_solver *solver = geoimage_solver_create(&system);
    assert_non_null(solver);
    geoimage_solver_run(solver);
    for (uint32_t i = 0; i < COUNT; i++)
    {
        sum += 1 / (1.0 + i % 7);
        check_near(value[i].x, sum / whole, 1e-10);
        check_near(value[i].y, 3 - 3 * sum / whole, 1e-10);
    }
    geoimage_solver_free(solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(models_of_every_genus_are_mapped_one_to_one, check_open_context,
                                        check_close_context),
        cmocka_unit_test_setup_teardown(models_of_files_are_mapped_one_to_one, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(a_plate_with_twenty_holes_is_mapped, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(mean_values_reproduce_the_plane, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(bending_never_folds, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(the_solver_agrees_with_springs_in_a_row, check_open_context,
                                        check_close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
