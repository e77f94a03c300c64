/* What tests of the methods of the thesis's chapter 4 share: bodies that can be made in any context, scenes of them,
 * and questions to ask about them. */
#ifndef TEST_ENGINE_EDGE_BODIES_H
#define TEST_ENGINE_EDGE_BODIES_H

#include "query/world.h"
#include "support/soup.h"

enum
{
    METHODS = 4,
    MAX_BODIES = 6,
    MAX_CORNERS = 3 * 400,
    QUESTIONS = 6
};

static const char *const NAMES[METHODS] = {"sstcd", "spcd", "escd", "epcd"};

/* ---- bodies that can be made in any context ---- */

typedef struct source
{
    carom_vec3 corners[MAX_CORNERS]; /* of a mesh */
    uint32_t triangle_count;
    carom_shape primitive; /* where there are no triangles */
    carom_pose pose;
} source;

typedef struct sources
{
    source items[MAX_BODIES];
    uint32_t count;
} sources;

static inline source *add_body(sources *list, carom_pose pose)
{
    source *body = &list->items[list->count++];
    body->triangle_count = 0, body->pose = pose;
    return body;
}

static inline void add_triangle(source *body, carom_vec3 a, carom_vec3 b, carom_vec3 c)
{
    carom_vec3 *corner = body->corners + 3 * (size_t)body->triangle_count++;
    corner[0] = a, corner[1] = b, corner[2] = c;
}

static inline carom_vec3 vec(double x, double y, double z) { return (carom_vec3){x, y, z}; }

static inline void add_box(source *body, const double min[3], const double max[3])
{
    double v[24];
    world_box_vertices(min, max, v);
    for (int i = 0; i < 36; i += 3)
    {
        carom_vec3 corner[3];
        for (int k = 0; k < 3; k++)
        {
            const double *at = v + 3 * (size_t)WORLD_BOX_INDICES[i + k];
            corner[k] = vec(at[0], at[1], at[2]);
        }
        add_triangle(body, corner[0], corner[1], corner[2]);
    }
}

/* A sheet of 2 side^2 triangles in the plane z, on a grid that makes all numbers exact. */
static inline void add_sheet(source *body, int side, double z)
{
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
        {
            add_triangle(body, vec(i, j, z), vec(i + 1, j, z), vec(i + 1, j + 1, z));
            add_triangle(body, vec(i, j, z), vec(i + 1, j + 1, z), vec(i, j + 1, z));
        }
}

static inline void add_soup(source *body, check_random *random, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
    {
        double size = i % 7 == 0 ? 1.5 : 0.3;
        carom_vec3 corner[3];
        carom_vec3 at = check_random_point(random, -1, 1);
        for (int k = 0; k < 3; k++)
        {
            carom_vec3 step = check_random_point(random, -size, size);
            corner[k] = vec(at.x + step.x, at.y + step.y, at.z + step.z);
            if (i % 3 == 0) /* on a coarse grid: touching, coplanar and degenerate ones */
                corner[k] = vec(floor(2 * corner[k].x) / 2, floor(2 * corner[k].y) / 2, floor(2 * corner[k].z) / 2);
        }
        if (i % 11 == 5)
            corner[2] = corner[1]; /* a segment, with a side of zero length */
        if (i % 13 == 6)
            corner[1] = corner[2] = corner[0]; /* a point */
        add_triangle(body, corner[0], corner[1], corner[2]);
    }
}

static inline sources *new_sources(void)
{
    sources *list = calloc(1, sizeof *list);
    assert_non_null(list);
    return list;
}

/* Crumpled sheets through each other. */
static inline void fill_worker_scene(sources *list)
{
    check_random random = {3};
    for (int i = 0; i < 4; i++)
    {
        source *sheet = add_body(list, world_random_pose(&random, 2.0));
        add_sheet(sheet, 12, 0);
        for (uint32_t k = 0; k < 3 * sheet->triangle_count; k++)
        {
            carom_vec3 *v = &sheet->corners[k];
            int x = (int)v->x, y = (int)v->y;
            *v = vec(v->x - 6, v->y - 6, 0.3 * ((7 * x + 3 * y + x * y) % 5));
        }
    }
}

/* ---- a scene in a context ---- */

typedef struct setting
{
    carom_context *context;
    carom_scene *scene;
    carom_mesh *meshes[MAX_BODIES];
    carom_frame frame;
} setting;

static inline setting open_setting(const carom_context_def *def, const sources *list)
{
    setting s = {0};
    assert_int_equal(carom_context_create(def, &s.context), CAROM_OK);
    assert_int_equal(carom_scene_create(s.context, &s.scene), CAROM_OK);
    for (uint32_t i = 0; i < list->count; i++)
    {
        const source *body = &list->items[i];
        carom_body_def body_def = carom_body_def_default();
        if (body->triangle_count > 0)
            s.meshes[i] = soup_mesh(s.context, body->corners, body->triangle_count);
        body_def.placed = (carom_placed){s.meshes[i] ? carom_shape_mesh(s.meshes[i]) : body->primitive, body->pose};
        carom_body_id id;
        assert_int_equal(carom_scene_add(s.scene, &body_def, &id), CAROM_OK);
    }
    assert_int_equal(carom_scene_frame(s.scene, &s.frame), CAROM_OK);
    return s;
}

static inline void close_setting(setting *s)
{
    carom_scene_destroy(s->scene);
    for (int i = 0; i < MAX_BODIES; i++)
        carom_mesh_destroy(s->meshes[i]);
    carom_context_destroy(s->context);
}

static inline carom_engine *open_engine(const setting *s, const char *name, uint32_t tasks_at_once)
{
    carom_engine_def def = carom_engine_def_default();
    def.engine = name, def.broad_phase = "all", def.tasks_at_once = tasks_at_once;
    carom_engine *engine;
    assert_int_equal(carom_engine_create(s->context, &def, &engine), CAROM_OK);
    return engine;
}

static inline carom_collide_options make_question(int question)
{
    carom_collide_options options = carom_collide_options_default();
    switch (question)
    {
    case 0: options.mode = CAROM_COLLIDE_ANY; break;
    case 1: options.mode = CAROM_COLLIDE_ANY, options.relation = true; break;
    case 2: options.mode = CAROM_COLLIDE_COUNT; break;
    case 3: options.relation = options.contacts = true, options.clearance = 0.05; break;
    case 4: options.max_pairs = 3, options.relation = true; break;
    default: options.mode = CAROM_COLLIDE_COUNT, options.clearance = 0.5, options.relation = true; break;
    }
    return options;
}

/* The answers of an engine to all questions. */
static inline void ask(const setting *s, const char *name, uint32_t tasks_at_once, uint64_t hashes[QUESTIONS])
{
    carom_engine *engine = open_engine(s, name, tasks_at_once);
    for (int i = 0; i < QUESTIONS; i++)
    {
        carom_collide_options options = make_question(i);
        carom_scene_report report;
        assert_false(carom_failed(carom_engine_run(engine, &s->frame, &options, &report)));
        hashes[i] = report.hash;
    }
    carom_engine_destroy(engine);
}

#endif
