/* carom bench image --misses: how often the thesis's images miss that two convex hulls meet, by the size of the largest
 * ball that was found in both, as a part of the size that the image states. */
#include "tool/bench_image.h"
#include "tool/chart.h"

#include "scenes/numeric.h"

#include <math.h>

enum
{
    MAX_POINTS = 24,
    SIDES = 6, /* images of 1, 2, 4 ... 32 pixels */
    BINS = 20
};

typedef struct misses_work
{
    const tool_command *command;
    carom_context *context;
    carom_engine *engines[SIDES];
    numeric_random random;
    uint64_t images;                             /* of the pair at hand */
    double sampled_size;                         /* as the last image states it, */
    bool saw;                                    /* and its verdict */
    uint64_t pairs, meeting, found, sure, wrong; /* sure: had to be found; wrong: was missed in spite of that */
    uint64_t asked[BINS], missed[BINS];
} misses_work;

/* A convex body of the pair at hand. */
typedef struct misses_body
{
    carom_hull *hull;
    carom_mesh *mesh;
    carom_pose pose;
    carom_vec3 vertices[MAX_POINTS]; /* placed */
} misses_body;

static void note_image(const carom_engine_image *image, void *user)
{
    misses_work *work = user;
    work->images++, work->sampled_size = image->sampled_size, work->saw = image->meets;
}

/* ---- bodies ---- */

static carom_status make_body(misses_work *work, double reach, misses_body *out)
{
    carom_vec3 points[MAX_POINTS], at = {0};
    carom_hull_def def = carom_hull_def_default();
    carom_mesh_def mesh = carom_mesh_def_default();
    double wide = numeric_uniform(&work->random, 0.05, 1.0), tall = numeric_uniform(&work->random, 0.05, 1.0);
    def.point_count = 4 + numeric_next(&work->random) % (MAX_POINTS - 3);
    for (size_t i = 0; i < def.point_count; i++)
    {
        points[i].x = wide * numeric_uniform(&work->random, -1.0, 1.0);
        points[i].y = tall * numeric_uniform(&work->random, -1.0, 1.0);
        points[i].z = numeric_uniform(&work->random, -1.0, 1.0);
    }
    at.x = numeric_uniform(&work->random, -reach, reach);
    at.y = numeric_uniform(&work->random, -reach, reach);
    at.z = numeric_uniform(&work->random, -reach, reach);
    out->pose = numeric_orientation(&work->random, at);
    def.points_f64 = &points[0].x;
    carom_status status = carom_hull_create(work->context, &def, &out->hull);
    if (carom_failed(status))
        return status;
    carom_hull_info info = carom_hull_get_info(out->hull);
    for (uint32_t i = 0; i < info.vertex_count; i++)
        out->vertices[i] = carom_pose_apply(&out->pose, carom_hull_vertices(out->hull)[i]);
    mesh.vertices_f64 = &carom_hull_vertices(out->hull)->x, mesh.vertex_count = info.vertex_count;
    mesh.indices_u32 = carom_hull_facets(out->hull), mesh.triangle_count = info.facet_count;
    return carom_mesh_create(work->context, &mesh, &out->mesh);
}

static void free_body(misses_body *body)
{
    carom_mesh_destroy(body->mesh);
    carom_hull_destroy(body->hull);
}

/* ---- the ball ---- */

static carom_vec3 minus(carom_vec3 a, carom_vec3 b) { return (carom_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static double dot(carom_vec3 a, carom_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* How deep a point is inside, and the way in from the facet it is nearest to. */
static double depth_in(const misses_body *body, carom_vec3 p, carom_vec3 *inwards)
{
    const uint32_t *facets = carom_hull_facets(body->hull);
    double depth = INFINITY;
    *inwards = (carom_vec3){0};
    for (uint32_t i = 0; i < carom_hull_get_info(body->hull).facet_count; i++)
    {
        carom_vec3 a = body->vertices[facets[3 * i]];
        carom_vec3 u = minus(body->vertices[facets[3 * i + 1]], a), v = minus(body->vertices[facets[3 * i + 2]], a);
        carom_vec3 n = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
        double length = sqrt(dot(n, n)), inside = -dot(n, minus(p, a)) / length;
        if (length > 0.0 && inside < depth)
            depth = inside, *inwards = (carom_vec3){-n.x / length, -n.y / length, -n.z / length};
    }
    return depth;
}

/* The diameter of a ball in both; about the largest one. Negative: none was found. */
static double common_ball(const misses_body bodies[2])
{
    carom_vec3 a = carom_pose_apply(&bodies[0].pose, carom_hull_get_info(bodies[0].hull).centre);
    carom_vec3 b = carom_pose_apply(&bodies[1].pose, carom_hull_get_info(bodies[1].hull).centre);
    carom_vec3 p = {0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
    double best = -INFINITY, step = 0.5;
    for (int i = 0; i < 160; i++, step *= 0.95)
    {
        carom_vec3 into[2];
        double in_a = depth_in(&bodies[0], p, &into[0]), in_b = depth_in(&bodies[1], p, &into[1]);
        const carom_vec3 *way = &into[in_a < in_b ? 0 : 1];
        best = fmax(best, fmin(in_a, in_b));
        p = (carom_vec3){p.x + step * way->x, p.y + step * way->y, p.z + step * way->z};
    }
    return 2.0 * best * (1.0 - 1e-9) - 1e-12;
}

/* ---- pairs ---- */

static void judge(misses_work *work, const misses_body bodies[2], bool found)
{
    double ball = work->images == 1 ? common_ball(bodies) : 0.0; /* not 1: their boxes are apart */
    work->pairs++, work->found += found;
    if (!(ball > 0.0))
        return;
    work->meeting++;
    if (ball >= work->sampled_size)
        work->sure++, work->wrong += !found;
    else
    {
        int bin = (int)(BINS * ball / work->sampled_size);
        work->asked[bin]++, work->missed[bin] += !found;
    }
}

static carom_status run_pair(misses_work *work)
{
    misses_body bodies[2] = {0};
    carom_engine *engine = work->engines[numeric_next(&work->random) % SIDES];
    carom_scene *scene = NULL;
    carom_frame frame;
    carom_scene_report report;
    carom_collide_options options = carom_collide_options_default();
    options.mode = CAROM_COLLIDE_ANY, options.relation = false;
    work->images = 0, work->saw = false;
    carom_status status = carom_scene_create(work->context, &scene);
    for (int i = 0; i < 2 && !carom_failed(status); i++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        status = make_body(work, i == 0 ? 0.0 : 1.1, &bodies[i]);
        def.placed = (carom_placed){carom_shape_mesh(bodies[i].mesh), bodies[i].pose};
        if (!carom_failed(status))
            status = carom_scene_add(scene, &def, &id);
    }
    if (!carom_failed(status))
        status = carom_scene_frame(scene, &frame);
    if (!carom_failed(status))
        status = carom_engine_run(engine, &frame, &options, &report);
    /* the image judges hulls; the exact test after it, their surfaces */
    if (!carom_failed(status))
        judge(work, bodies, work->saw);
    carom_scene_destroy(scene);
    free_body(&bodies[0]), free_body(&bodies[1]);
    return status;
}

static carom_status run_pairs(misses_work *work, uint64_t pairs)
{
    carom_status status = CAROM_OK;
    for (int i = 0; i < SIDES && !carom_failed(status); i++)
    {
        carom_engine_def def = carom_engine_def_default();
        def.engine = "image-sampled", def.image_side = 1u << i;
        def.on_image = note_image, def.on_image_user = work;
        status = carom_engine_create(work->context, &def, &work->engines[i]);
    }
    for (uint64_t i = 0; i < pairs && !carom_failed(status); i++)
    {
        tool_watch(&(carom_progress){"measuring", "pairs of hulls", i, pairs}, NULL);
        status = run_pair(work);
    }
    for (int i = 0; i < SIDES; i++)
        carom_engine_destroy(work->engines[i]);
    return status;
}

/* ---- the answer ---- */

static void print(const misses_work *work)
{
    printf("%llu pairs of hulls, %llu with a common ball; %llu with one of the stated size, %llu of them missed\n",
           (unsigned long long)work->pairs, (unsigned long long)work->meeting, (unsigned long long)work->sure,
           (unsigned long long)work->wrong);
    printf("%14s %10s %10s %10s\n", "ball / size", "pairs", "missed", "missed %");
    for (int i = 0; i < BINS; i++)
        printf("%6.2f to %4.2f %10llu %10llu %10.2f\n", (double)i / BINS, (double)(i + 1) / BINS,
               (unsigned long long)work->asked[i], (unsigned long long)work->missed[i],
               work->asked[i] ? 100.0 * (double)work->missed[i] / (double)work->asked[i] : 0.0);
}

static carom_status plot(const misses_work *work, const char *path)
{
    double x[BINS], y[BINS];
    for (int i = 0; i < BINS; i++)
    {
        x[i] = (i + 0.5) / BINS;
        y[i] = work->asked[i] ? 100.0 * (double)work->missed[i] / (double)work->asked[i] : NAN;
    }
    chart_series series = {.title = "pairs of hulls that are missed, %",
                           .x_title = "common ball / stated size",
                           .names = {"image-sampled"},
                           .curve_count = 1,
                           .point_count = BINS,
                           .x = x,
                           .y = {y}};
    return chart_write_series(work->context, &series, 1, path);
}

int bench_image_misses(const tool_command *command, carom_context *context, uint64_t pairs, const char *folder)
{
    misses_work work = {.command = command, .context = context, .random = {1}};
    char path[4096];
    if (folder && snprintf(path, sizeof path, "%s/misses.png", folder) >= (int)sizeof path)
        return tool_fail(command, "--plot: the name of the folder is too long");
    carom_status status = run_pairs(&work, pairs);
    tool_clear_progress();
    if (!carom_failed(status))
        print(&work);
    if (!carom_failed(status) && folder)
        status = plot(&work, path);
    if (carom_failed(status))
        return tool_fail_status(command, context, status);
    if (folder)
        fprintf(stderr, "carom %s: a plot is in %s\n", command->name, path);
    return work.wrong > 0 ? TOOL_FINDINGS : TOOL_CLEAN;
}
