/* The named scenes: their counts, their motion, and what the small ones are made to show, by brute force. */
#include "narrow/narrow.h"
#include "scenes/scenes.h"
#include "support/check.h"
#include "support/failing.h"

#include <stdlib.h>
#include <string.h>

/* ---- brute force on two placed meshes ---- */

typedef struct placed_triangles
{
    narrow_triangle *triangles;
    carom_aabb *boxes;
    carom_aabb box;
    uint32_t count;
} placed_triangles;

static placed_triangles place(const scenes_body *body)
{
    uint32_t count = carom_mesh_get_info(body->shape.mesh).triangle_count;
    placed_triangles placed = {malloc(count * sizeof(narrow_triangle)), malloc(count * sizeof(carom_aabb)),
                               aabb_empty(), count};
    for (uint32_t t = 0; t < count; t++)
    {
        placed.boxes[t] = aabb_empty();
        for (int i = 0; i < 3; i++)
        {
            carom_vec3 v = carom_mesh_vertices(body->shape.mesh)[carom_mesh_indices(body->shape.mesh)[3 * t + i]];
            v = carom_pose_apply(&body->pose, v);
            placed.triangles[t].corner[i] = v;
            placed.boxes[t] = aabb_add_point(placed.boxes[t], v);
            placed.box = aabb_add_point(placed.box, v);
        }
    }
    return placed;
}

static void free_placed(placed_triangles *placed) { free(placed->triangles), free(placed->boxes); }

static bool boxes_within(const carom_aabb *a, const carom_aabb *b, double gap)
{
    return a->min.x - gap <= b->max.x && b->min.x - gap <= a->max.x && a->min.y - gap <= b->max.y &&
           b->min.y - gap <= a->max.y && a->min.z - gap <= b->max.z && b->min.z - gap <= a->max.z;
}

typedef struct found
{
    uint32_t meeting; /* flags of all pairs together */
    double distance;  /* if within the gap, else infinity */
} found;

static found compare(const scenes_body *body_a, const scenes_body *body_b, double gap)
{
    placed_triangles a = place(body_a), b = place(body_b);
    found result = {0, INFINITY};
    narrow_counts counts = {0};
    for (uint32_t i = 0; i < a.count && boxes_within(&a.box, &b.box, gap); i++)
    {
        if (!boxes_within(&a.boxes[i], &b.box, gap))
            continue;
        for (uint32_t j = 0; j < b.count; j++)
        {
            if (!boxes_within(&a.boxes[i], &b.boxes[j], gap))
                continue;
            result.meeting |= narrow_meet(&a.triangles[i], &b.triangles[j], &counts);
            if (gap > 0.0)
                result.distance =
                    fmin(result.distance, narrow_distance(&a.triangles[i], &b.triangles[j], &counts).distance);
        }
    }
    free_placed(&a), free_placed(&b);
    return result;
}

static scenes_scene *make(carom_context *context, const char *name)
{
    scenes_scene *scene = NULL;
    if (scenes_create(context, name, &scene) != CAROM_OK)
        fail_msg("no scene %s", name);
    return scene;
}

static const scenes_body *body_named(const scenes_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->body_count; i++)
        if (strcmp(scene->bodies[i].name, name) == 0)
            return &scene->bodies[i];
    fail_msg("%s has no %s", scene->name, name);
    return NULL;
}

/* ---- all scenes ---- */

static uint32_t triangles_of(const scenes_scene *scene, bool moving_too)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < scene->body_count; i++)
        if ((moving_too || !scene->bodies[i].moves) && scene->bodies[i].shape.kind == CAROM_SHAPE_MESH)
            sum += carom_shape_element_count(&scene->bodies[i].shape);
    return sum;
}

static void every_scene_is_what_the_table_says(void **state)
{
    uint32_t count = 0;
    for (const scenes_info *info; (info = scenes_get_info(count)); count++)
    {
        scenes_scene *scene = make(*state, info->name);
        assert_int_equal(scene->body_count, info->body_count);
        assert_int_equal(scene->step_count, info->step_count);
        assert_int_equal(triangles_of(scene, true), info->triangle_count);
        /* Every pose is rigid, and follows from the step alone. */
        uint32_t steps[] = {scene->step_count - 1, scene->step_count / 2, 0};
        for (int s = 0; s < 3; s++)
        {
            scenes_move(scene, steps[s]);
            for (uint32_t i = 0; i < scene->body_count; i++)
                assert_int_equal(carom_pose_check(&scene->bodies[i].pose), CAROM_OK);
        }
        scenes_scene *again = make(*state, info->name);
        for (uint32_t i = 0; i < scene->body_count; i++)
        {
            assert_memory_equal(&scene->bodies[i].pose, &again->bodies[i].pose, sizeof(carom_pose));
            assert_true(scene->bodies[i].name[0] != '\0');
            for (uint32_t j = 0; j < i; j++)
                assert_string_not_equal(scene->bodies[i].name, scene->bodies[j].name);
        }
        scenes_destroy(again), scenes_destroy(scene);
    }
    assert_int_equal(count, 37);
}

static void documents_have_their_counts(void **state)
{
    static const struct
    {
        const char *name;
        uint32_t bodies, steps, triangles; /* 0: the document does not say */
    } DOCUMENTS[] = {{"ibcd-1", 130, 0, 0},       {"scd-1", 0, 0, 21292},      {"scd-2", 0, 0, 18217},
                     {"scd-3", 0, 0, 40419},      {"scd-4", 0, 0, 18378},      {"parallel-1", 15, 0, 28853},
                     {"parallel-2", 0, 0, 10000}, {"parallel-3", 0, 0, 20000}, {"fdh-1", 2, 1000, 516},
                     {"fdh-2", 2, 100, 10000},    {"fdh-3", 2, 2528, 170398},  {"geometry-image", 2, 0, 2048}};
    for (size_t i = 0; i < sizeof DOCUMENTS / sizeof *DOCUMENTS; i++)
    {
        scenes_scene *scene = make(*state, DOCUMENTS[i].name);
        if (DOCUMENTS[i].bodies)
            assert_int_equal(scene->body_count, DOCUMENTS[i].bodies);
        if (DOCUMENTS[i].steps)
            assert_int_equal(scene->step_count, DOCUMENTS[i].steps);
        if (DOCUMENTS[i].triangles)
            assert_int_equal(triangles_of(scene, true), DOCUMENTS[i].triangles);
        scenes_destroy(scene);
    }
    static const uint32_t FDH[3][2] = {{400, 116}, {5000, 5000}, {169994, 404}};
    for (int i = 0; i < 3; i++)
    {
        char name[16];
        snprintf(name, sizeof name, "fdh-%d", i + 1);
        scenes_scene *scene = make(*state, name);
        assert_int_equal(carom_mesh_get_info(scene->bodies[0].shape.mesh).triangle_count, FDH[i][0]);
        assert_int_equal(carom_mesh_get_info(scene->bodies[1].shape.mesh).triangle_count, FDH[i][1]);
        assert_true(!scene->bodies[0].moves && scene->bodies[1].moves);
        scenes_destroy(scene);
    }
    static const uint32_t PIECES[] = {50, 100, 200, 300, 400, 500, 600};
    static const uint32_t TOTALS[] = {94847, 95723, 97427, 99159, 100859, 102615, 104319}; /* as published */
    for (int i = 0; i < 7; i++)
    {
        char name[16];
        snprintf(name, sizeof name, "mine-%u", PIECES[i]);
        scenes_scene *scene = make(*state, name);
        assert_int_equal(scene->body_count, 6 + PIECES[i]);
        assert_int_equal(triangles_of(scene, false), 93079);
        assert_int_equal(triangles_of(scene, true), TOTALS[i]);
        scenes_destroy(scene);
    }
}

static void loose_bodies_stay_within_their_walls(void **state)
{
    scenes_scene *scene = make(*state, "parallel-1");
    for (uint32_t step = 0; step < 3000; step += 7)
    {
        scenes_move(scene, step);
        for (uint32_t i = 0; i < scene->body_count; i++)
        {
            carom_vec3 at = scene->bodies[i].pose.translation;
            assert_true(fmax(fabs(at.x), fmax(fabs(at.y), fabs(at.z))) <= 1.2 + 1e-9);
        }
    }
    scenes_destroy(scene);
}

/* ---- what single scenes show ---- */

static void the_assembly_has_the_mistakes_it_was_given(void **state)
{
    static const char *const MEET[][2] = {{"base", "housing"},  {"base", "shaft-a"},  {"base", "shaft-b"},
                                          {"base", "shaft-c"},  {"base", "bolt-1"},   {"base", "bolt-2"},
                                          {"base", "bolt-3"},   {"base", "bolt-4"},   {"base", "counterweight"},
                                          {"housing", "ball"},  {"gear-a", "gear-c"}, {"housing", "bolt-4"},
                                          {"housing", "pipe-1"}};
    static const char *const NEAR[][2] = {{"gear-b", "shaft-b"}, {"housing", "pipe-2"}};
    scenes_scene *scene = make(*state, "assembly");
    for (uint32_t i = 0; i < scene->body_count; i++)
        for (uint32_t j = i + 1; j < scene->body_count; j++)
        {
            const scenes_body *a = &scene->bodies[i], *b = &scene->bodies[j];
            bool meets = false, near = false;
            for (size_t k = 0; k < sizeof MEET / sizeof *MEET; k++)
                meets |= strcmp(a->name, MEET[k][0]) == 0 && strcmp(b->name, MEET[k][1]) == 0;
            for (size_t k = 0; k < sizeof NEAR / sizeof *NEAR; k++)
                near |= strcmp(a->name, NEAR[k][0]) == 0 && strcmp(b->name, NEAR[k][1]) == 0;
            found result = compare(a, b, scene->clearance);
            if ((result.meeting != 0) != meets || (result.distance < scene->clearance) != (meets || near))
                fail_msg("%s and %s: meeting %u, distance %g", a->name, b->name, result.meeting, result.distance);
        }
    /* The ball stands on one vertex; the insert is within the counterweight's box. */
    found ball = compare(body_named(scene, "housing"), body_named(scene, "ball"), 0.0);
    assert_int_equal(ball.meeting & CAROM_MEET_CROSSING, 0);
    scenes_destroy(scene);
}

static void boxes_touch_without_crossing(void **state)
{
    scenes_scene *scene = make(*state, "touching-boxes");
    const scenes_body *left = body_named(scene, "left");
    for (uint32_t i = 0; i < scene->body_count; i++)
    {
        const scenes_body *other = &scene->bodies[i];
        if (other == left)
            continue;
        found result = compare(left, other, 0.0);
        assert_int_equal(result.meeting != 0, strcmp(other->name, "apart") != 0);
        /* Where interiors of faces share points, the faces are coplanar. */
        if (strcmp(other->name, "edge") == 0 || strcmp(other->name, "corner") == 0)
            assert_int_equal(result.meeting & CAROM_MEET_CROSSING, 0);
    }
    scenes_destroy(scene);
}

static void other_scenes_show_what_they_should(void **state)
{
    scenes_scene *nested = make(*state, "nested");
    assert_int_equal(compare(&nested->bodies[0], &nested->bodies[1], 0.0).meeting, 0);
    assert_int_equal(compare(&nested->bodies[1], &nested->bodies[2], 0.0).meeting, 0);
    scenes_destroy(nested);

    scenes_scene *far = make(*state, "far-away");
    assert_int_equal(compare(&far->bodies[0], &far->bodies[1], 0.0).meeting, 0);
    assert_true(compare(&far->bodies[0], &far->bodies[2], 0.0).meeting & CAROM_MEET_CROSSING);
    scenes_destroy(far);

    scenes_scene *tiny = make(*state, "tiny");
    assert_true(compare(&tiny->bodies[0], &tiny->bodies[1], 0.0).meeting & CAROM_MEET_CROSSING);
    assert_int_equal(compare(&tiny->bodies[0], &tiny->bodies[2], 0.0).meeting, 0);
    scenes_destroy(tiny);

    scenes_scene *sheets = make(*state, "coplanar-sheets");
    for (int i = 1; i < 4; i++)
        assert_true(compare(&sheets->bodies[0], &sheets->bodies[i], 0.0).meeting & CAROM_MEET_COPLANAR);
    assert_int_equal(compare(&sheets->bodies[0], &sheets->bodies[4], 0.0).meeting, 0);
    scenes_destroy(sheets);
}

/* A passing body starts apart and meets on its way. */
static void passing_bodies_come_from_apart_and_meet(void **state)
{
    static const char *const NAMES[] = {"tori",  "knots", "blobs", "pipes", "ibcd-2", "scd-1",          "scd-2",
                                        "scd-3", "scd-4", "fdh-1", "fdh-2", "fdh-3",  "geometry-image", "cloth"};
    for (size_t n = 0; n < sizeof NAMES / sizeof *NAMES; n++)
    {
        scenes_scene *scene = make(*state, NAMES[n]);
        uint32_t last = scene->body_count - 1, apart = 0, meeting = 0;
        for (uint32_t k = 0; k < 40; k++)
        {
            scenes_move(scene, k * scene->step_count / 40);
            uint32_t flags = compare(&scene->bodies[0], &scene->bodies[last], 0.0).meeting;
            apart += flags == 0, meeting += flags != 0;
        }
        if (apart == 0 || meeting == 0)
            fail_msg("%s: apart at %u steps of 40, meeting at %u", NAMES[n], apart, meeting);
        scenes_destroy(scene);
    }
}

static void unknown_scenes_are_refused(void **state)
{
    scenes_scene *scene = NULL;
    assert_int_equal(scenes_create(*state, "atlantis", &scene), CAROM_INVALID_ARGUMENT);
    assert_int_equal(scenes_create(*state, NULL, &scene), CAROM_INVALID_ARGUMENT);
    assert_int_equal(scenes_create(NULL, "tori", &scene), CAROM_INVALID_ARGUMENT);
    assert_int_equal(scenes_create(*state, "tori", NULL), CAROM_INVALID_ARGUMENT);
    assert_null(scene);
    scenes_destroy(NULL);
}

/* ---- failing allocations ---- */

static void a_scene_survives_each_failing_allocation(void **state)
{
    (void)state;
    failing memory = {0};
    carom_context *context = NULL;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    uint64_t failures = 0;
    for (carom_status status = CAROM_OUT_OF_MEMORY; status != CAROM_OK; failures += 3)
    {
        scenes_scene *scene = NULL;
        failing_arm(&memory, failures + 1);
        status = scenes_create(context, "assembly", &scene);
        if (status != CAROM_OK)
            assert_int_equal(status, CAROM_OUT_OF_MEMORY);
        scenes_destroy(scene);
        assert_int_equal(memory.blocks_out, 1); /* the context */
    }
    assert_true(failures > 50);
    carom_context_destroy(context);
    assert_int_equal(memory.blocks_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_is_what_the_table_says),
        cmocka_unit_test(documents_have_their_counts),
        cmocka_unit_test(loose_bodies_stay_within_their_walls),
        cmocka_unit_test(the_assembly_has_the_mistakes_it_was_given),
        cmocka_unit_test(boxes_touch_without_crossing),
        cmocka_unit_test(other_scenes_show_what_they_should),
        cmocka_unit_test(passing_bodies_come_from_apart_and_meet),
        cmocka_unit_test(unknown_scenes_are_refused),
        cmocka_unit_test(a_scene_survives_each_failing_allocation),
    };
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
