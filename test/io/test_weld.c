/* Welding: groups against brute force, any order of triangles, a sphere that a file rounded apart, lengths that are
 * none, and crowds that a quadratic search would not survive. */
#include "support/check.h"
#include "support/failing.h"

#include "carom/io.h"
#include "scenes/generate.h"

#include <stdlib.h>
#include <string.h>

enum
{
    MAX_POINTS = 600,
    LOG_SIZE = 4096
};

static char folder[64];
static char heard[LOG_SIZE];

static void listen(carom_log_level level, const char *message, void *user)
{
    (void)level, (void)user;
    snprintf(heard, sizeof heard, "%s", message);
}

static int set_up(void **state)
{
    carom_context_def def = carom_context_def_default();
    def.log = listen;
    strcpy(folder, "/tmp/carom-weld-XXXXXX");
    return !mkdtemp(folder) || carom_context_create(&def, (carom_context **)state) != CAROM_OK;
}

static int tear_down(void **state)
{
    carom_context_destroy(*state);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static io_model read_welded(carom_context *context, const char *name, double weld)
{
    io_model model;
    io_read_options options = {.weld = weld};
    assert_int_equal(io_read(context, path_of(name), &options, &model), CAROM_OK);
    return model;
}

/* ---- against brute force ---- */

typedef struct cloud
{
    carom_vec3 points[MAX_POINTS], welded[MAX_POINTS];
    int count; /* a multiple of 3: each three in a row are a triangle */
    uint64_t joined, collapsed;
} cloud;

static bool is_equal(carom_vec3 a, carom_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool is_smaller(carom_vec3 a, carom_vec3 b)
{
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/* Lowers points to their neighbours' until nothing changes. */
static void weld_slowly(cloud *c, double length)
{
    memcpy(c->welded, c->points, sizeof c->points);
    for (bool changed = true; changed;)
    {
        changed = false;
        for (int i = 0; i < c->count; i++)
            for (int k = 0; k < c->count; k++)
            {
                carom_vec3 p = c->points[i], q = c->points[k];
                double x = (p.x - q.x) / length, y = (p.y - q.y) / length, z = (p.z - q.z) / length;
                if (x * x + y * y + z * z <= 1 && is_smaller(c->welded[k], c->welded[i]))
                    c->welded[i] = c->welded[k], changed = true;
            }
    }
    c->joined = c->collapsed = 0;
    for (int i = 0; i < c->count; i++)
    {
        bool first = true;
        for (int k = 0; k < i; k++)
            first = first && !is_equal(c->points[k], c->points[i]);
        c->joined += first && !is_equal(c->points[i], c->welded[i]);
    }
    for (int i = 0; i < c->count; i += 3)
    {
        bool collapsed = false;
        for (int k = 0; k < 3; k++)
            collapsed = collapsed || (is_equal(c->welded[i + k], c->welded[i + (k + 1) % 3]) &&
                                      !is_equal(c->points[i + k], c->points[i + (k + 1) % 3]));
        c->collapsed += collapsed;
    }
}

/* As an STL file, or as an OBJ file with shared vertices and some that no triangle uses. */
static const char *write_cloud(const cloud *c, bool obj)
{
    const char *name = obj ? "cloud.obj" : "cloud.stl";
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(obj ? "" : "solid\n", file);
    for (int i = 0; i < c->count; i++)
    {
        if (!obj && i % 3 == 0)
            fputs("facet normal 0 0 0 outer loop\n", file);
        fprintf(file, "%s %.17g %.17g %.17g\n", obj ? "v" : "vertex", c->points[i].x, c->points[i].y, c->points[i].z);
        if (obj && i % 7 == 0)
            fprintf(file, "v %.17g %.17g %.17g\n", c->points[i].x + 1e-3, c->points[i].y, c->points[i].z);
        if (!obj && i % 3 == 2)
            fputs("endloop endfacet\n", file);
    }
    for (int i = 0; obj && i < c->count; i += 3)
        fprintf(file, "f %d %d %d\n", i + (i + 6) / 7 + 1, i + 1 + (i + 7) / 7 + 1, i + 2 + (i + 8) / 7 + 1);
    fputs(obj ? "" : "endsolid\n", file);
    assert_int_equal(fclose(file), 0);
    return name;
}

static void check_cloud(carom_context *context, const cloud *c, double length, bool obj)
{
    io_model model = read_welded(context, write_cloud(c, obj), length);
    assert_int_equal(carom_mesh_get_info(model.mesh).triangle_count, c->count / 3);
    assert_int_equal(model.joined_corners, c->joined);
    assert_int_equal(model.collapsed_triangles, c->collapsed);
    assert_true(c->collapsed == 0 || strstr(heard, "collapse"));
    const uint32_t *indices = carom_mesh_indices(model.mesh);
    for (int i = 0; i < c->count; i++)
        assert_true(is_equal(carom_mesh_vertices(model.mesh)[indices[i]], c->welded[i]));
    io_model_free(&model);
}

static void shuffle_triangles(cloud *c, check_random *random)
{
    for (int i = c->count / 3 - 1; i > 0; i--)
        for (int k = (int)(check_next(random) % (unsigned)(i + 1)), corner = 0; corner < 3; corner++)
        {
            carom_vec3 points = c->points[3 * i + corner], welded = c->welded[3 * i + corner];
            c->points[3 * i + corner] = c->points[3 * k + corner],
                              c->welded[3 * i + corner] = c->welded[3 * k + corner];
            c->points[3 * k + corner] = points, c->welded[3 * k + corner] = welded;
        }
}

/* Random points, lattices on which the length is attained exactly, tight clusters, and very small and large units. */
static void equals_brute_force(void **state)
{
    check_random random = {1};
    uint64_t joined = 0, collapsed = 0;
    for (int round = 0; round < 120; round++)
    {
        static cloud c;
        double unit = round % 5 == 0   ? 0x1p-1000
                      : round % 5 == 1 ? 0x1p90
                                       : 1,
               length = (round % 3 == 0 ? 1 : 0.7) * unit;
        double size = pow(10, check_uniform(&random, 0.3, 1.7));
        c.count = 3 * (1 + (int)(check_next(&random) % (MAX_POINTS / 3)));
        for (int i = 0; i < c.count; i++)
        {
            carom_vec3 p = {check_uniform(&random, 0, size), check_uniform(&random, 0, size),
                            check_uniform(&random, 0, round % 2 ? 0.1 : size)};
            if (round % 3 == 0)
                p = (carom_vec3){floor(p.x), floor(p.y), floor(p.z)};
            else if (round % 3 == 1 && i > 0 && check_next(&random) % 2)
                p = c.points[check_next(&random) % (unsigned)i], p.x = p.x / unit + check_uniform(&random, -1, 1),
                p.y /= unit, p.z /= unit;
            c.points[i] = (carom_vec3){p.x * unit, p.y * unit, p.z * unit};
        }
        weld_slowly(&c, length);
        check_cloud(*state, &c, length, false);
        shuffle_triangles(&c, &random);
        check_cloud(*state, &c, length, true);
        joined += c.joined, collapsed += c.collapsed;
    }
    assert_true(joined > 1000 && collapsed > 100);
}

/* ---- what it is for ---- */

/* Six digits behind the point, the last of them off by up to one for each corner of each triangle. */
static void write_rounded(const carom_mesh *mesh, const char *name)
{
    check_random random = {7};
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs("solid sphere\n", file);
    for (uint32_t i = 0; i < 3 * carom_mesh_get_info(mesh).triangle_count; i++)
    {
        carom_vec3 p = carom_mesh_vertices(mesh)[carom_mesh_indices(mesh)[i]];
        double off[3];
        for (int k = 0; k < 3; k++)
            off[k] = 1e-6 * ((double)(check_next(&random) % 3) - 1);
        fprintf(file, "%svertex %.6f %.6f %.6f\n%s", i % 3 == 0 ? "facet normal 0 0 0\nouter loop\n" : "", p.x + off[0],
                p.y + off[1], p.z + off[2], i % 3 == 2 ? "endloop\nendfacet\n" : "");
    }
    fputs("endsolid sphere\n", file);
    assert_int_equal(fclose(file), 0);
}

static void closes_a_rounded_sphere(void **state)
{
    generate_def def = generate_def_default(GENERATE_ICO_SPHERE);
    def.triangles = 1280;
    carom_mesh *sphere;
    assert_int_equal(generate_mesh(*state, &def, &sphere), CAROM_OK);
    write_rounded(sphere, "sphere.stl");
    uint32_t corners = carom_mesh_get_info(sphere).distinct_vertex_count;
    carom_mesh_destroy(sphere);

    io_model apart = read_welded(*state, "sphere.stl", 0);
    carom_mesh_info before = carom_mesh_get_info(apart.mesh);
    assert_false(before.closed);
    assert_true(before.component_count > 1 && before.distinct_vertex_count > 2 * corners);
    assert_int_equal(apart.joined_corners, 0);
    io_model_free(&apart);

    io_model whole = read_welded(*state, "sphere.stl", 4e-6);
    carom_mesh_info after = carom_mesh_get_info(whole.mesh);
    assert_true(after.closed && after.oriented && after.manifold);
    assert_int_equal(after.component_count, 1);
    assert_int_equal(after.distinct_vertex_count, corners);
    assert_int_equal(after.triangle_count, before.triangle_count);
    assert_int_equal(whole.joined_corners, before.distinct_vertex_count - corners);
    assert_int_equal(whole.collapsed_triangles, 0);
    io_model_free(&whole);
}

/* ---- arguments ---- */

static void refuses_what_is_no_length(void **state)
{
    cloud c = {.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, .count = 3};
    write_cloud(&c, false);
    static const double bad[] = {NAN, -1, -1e-300, INFINITY, 0x1.0000001p100};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    {
        io_model model;
        char message[IO_MESSAGE_SIZE];
        assert_int_equal(io_read(*state, path_of("cloud.stl"), &(io_read_options){.weld = bad[i]}, &model),
                         CAROM_INVALID_ARGUMENT);
        assert_null(model.mesh);
        carom_context_message(*state, message, sizeof message);
        assert_non_null(strstr(message, "cloud.stl: a weld length of "));
    }
    io_model all = read_welded(*state, "cloud.stl", 0x1p100);
    assert_int_equal(all.joined_corners, 2);
    assert_int_equal(all.collapsed_triangles, 1);
    io_model_free(&all);
}

/* One path with two lengths is two meshes. */
static void is_part_of_a_request(void **state)
{
    cloud c = {.points = {{0, 0, 0}, {1, 0, 0}, {0, 9, 0}}, .count = 3};
    write_cloud(&c, false);
    const char *path = path_of("cloud.stl");
    io_request requests[4] = {{path, {.weld = 0}}, {path, {.weld = 1}}, {path, {.weld = 0}}, {path, {.weld = NAN}}};
    io_result results[4];
    assert_int_equal(io_read_files(*state, requests, 4, results), CAROM_INVALID_ARGUMENT);
    assert_int_equal(results[3].status, CAROM_INVALID_ARGUMENT);
    assert_ptr_equal(results[0].model.mesh, results[2].model.mesh);
    assert_ptr_not_equal(results[0].model.mesh, results[1].model.mesh);
    assert_int_equal(results[0].model.joined_corners, 0);
    assert_int_equal(results[1].model.joined_corners, 1);
    for (int i = 0; i < 4; i++)
        io_model_free(&results[i].model);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    cloud c = {.points = {{0, 0, 0}, {1, 0, 0}, {0, 9, 0}}, .count = 3};
    write_cloud(&c, true);
    carom_status status = CAROM_OUT_OF_MEMORY;
    uint64_t k = 0;
    while (status == CAROM_OUT_OF_MEMORY && ++k < 1000)
    {
        failing memory = {.fail_at = k};
        carom_context *context;
        status = failing_context(&memory, &context);
        if (status == CAROM_OK)
        {
            io_model model;
            status = io_read(context, path_of("cloud.obj"), &(io_read_options){.weld = 1}, &model);
            io_model_free(&model);
            carom_context_destroy(context);
        }
        assert_int_equal(memory.blocks_out, 0);
    }
    assert_int_equal(status, CAROM_OK);
    assert_true(k > 5);
}

/* ---- crowds ---- */

/* Binary STL of points of a function. */
static void write_points(const char *name, uint32_t triangles, carom_vec3 (*point)(uint32_t i, check_random *random))
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    check_random random = {3};
    fprintf(file, "%-80s", "crowd");
    fwrite(&triangles, 4, 1, file);
    for (uint32_t i = 0; i < triangles; i++)
    {
        float record[12] = {0};
        for (uint32_t k = 0; k < 3; k++)
        {
            carom_vec3 p = point(3 * i + k, &random);
            record[3 + 3 * k] = (float)p.x, record[4 + 3 * k] = (float)p.y, record[5 + 3 * k] = (float)p.z;
        }
        fwrite(record, sizeof record, 1, file);
        fwrite("\0\0", 2, 1, file);
    }
    assert_int_equal(fclose(file), 0);
}

static carom_vec3 anywhere(uint32_t i, check_random *random)
{
    (void)i;
    return (carom_vec3){check_uniform(random, 0, 0.5), check_uniform(random, 0, 0.5), check_uniform(random, 0, 0.5)};
}

/* Half the points close to the origin, half on a sphere around it that is a little too large to be joined. */
static carom_vec3 just_too_far(uint32_t i, check_random *random)
{
    carom_vec3 p = {check_uniform(random, -1, 1), check_uniform(random, -1, 1), check_uniform(random, -1, 1)};
    double length = sqrt(p.x * p.x + p.y * p.y + p.z * p.z) / (i % 2 ? 1e-4 : 1.001);
    return (carom_vec3){p.x / length, p.y / length, p.z / length};
}

/* Half the points on a short line, half on a circle around it: nearly all pairs are nearly equally far. */
static carom_vec3 line_and_circle(uint32_t i, check_random *random)
{
    double t = check_uniform(random, -3.2, 3.2);
    return i % 2 ? (carom_vec3){0, 0, 1e-3 * t} : (carom_vec3){1.00001 * cos(t), 1.00001 * sin(t), 0};
}

static void survives_crowds(void **state)
{
    static const struct
    {
        carom_vec3 (*point)(uint32_t i, check_random *random);
        uint64_t groups;
    } crowds[] = {{anywhere, 1}, {just_too_far, 2}, {line_and_circle, 2}};
    for (int i = 0; i < 3; i++)
    {
        write_points("crowd.stl", 100000, crowds[i].point);
        io_model apart = read_welded(*state, "crowd.stl", 0), joined = read_welded(*state, "crowd.stl", 1);
        assert_int_equal(joined.joined_corners,
                         carom_mesh_get_info(apart.mesh).distinct_vertex_count - crowds[i].groups);
        assert_int_equal(carom_mesh_get_info(joined.mesh).distinct_vertex_count, crowds[i].groups);
        io_model_free(&apart);
        io_model_free(&joined);
    }
}

/* As line_and_circle, but oblique and so close to the length that boxes decide nothing: nearly every pair would have to
 * be compared. */
static void refuses_what_takes_too_long(void **state)
{
    check_random random = {5};
    FILE *file = fopen(path_of("crowd.obj"), "w");
    assert_non_null(file);
    for (int i = 0; i < 30000; i++)
    {
        double t = check_uniform(&random, -3.2, 3.2), z = i % 2 ? 3e-5 * t : 0.0;
        double x = i % 2 ? 0.0 : (1.0 + 1e-9) * cos(t), y = i % 2 ? 0.0 : (1.0 + 1e-9) * sin(t);
        fprintf(file, "v %.17g %.17g %.17g\n", (x + 2 * y + 2 * z) / 3, (2 * x + y - 2 * z) / 3,
                (2 * x - 2 * y + z) / 3);
        if (i % 3 == 2)
            fputs("f -1 -2 -3\n", file);
    }
    assert_int_equal(fclose(file), 0);
    io_model model;
    char message[IO_MESSAGE_SIZE];
    assert_int_equal(io_read(*state, path_of("crowd.obj"), &(io_read_options){.weld = 1}, &model), CAROM_TOO_LARGE);
    assert_null(model.mesh);
    carom_context_message(*state, message, sizeof message);
    assert_non_null(strstr(message, "crowd.obj: too many corners are very nearly the weld length of 1 apart"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_brute_force),           cmocka_unit_test(closes_a_rounded_sphere),
        cmocka_unit_test(refuses_what_is_no_length),    cmocka_unit_test(is_part_of_a_request),
        cmocka_unit_test(survives_failing_allocations), cmocka_unit_test(survives_crowds),
        cmocka_unit_test(refuses_what_takes_too_long),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
