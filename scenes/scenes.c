/* The table of scenes, and their creation. */
#include "scenes/stage.h"

#include <stdlib.h>
#include <string.h>

typedef struct scene_row
{
    scenes_info info;
    void (*set_up)(stage *stage);
    uint32_t variant;
} scene_row;

/* Name, summary, bodies, steps, triangles. */
static const scene_row SCENES[] = {
    {{"assembly", "demo: a small machine with clashes, near misses and one part inside another", 17, 1, 25888},
     stage_assembly,
     0},
    {{"tori", "two rings of 5,000, one passing through the other", 2, 100, 10000}, stage_tori, 0},
    {{"knots", "two torus knots of 5,000", 2, 100, 10000}, stage_knots, 0},
    {{"blobs", "two dented spheres of 5,000", 2, 100, 10000}, stage_blobs, 0},
    {{"pipes", "a small ring in a large network of slanted pipes", 2, 200, 50500}, stage_pipes, 0},
    {{"touching-boxes", "boxes that touch by faces, edges and corners, to the bit", 6, 1, 288},
     stage_touching_boxes,
     0},
    {{"nested", "a box in a box in a box", 3, 1, 360}, stage_nested, 0},
    {{"rubble", "100 convex pieces in random motion", 100, 100, 5500}, stage_rubble, 0},
    {{"far-away", "linked and crossing rings 1e9 from the origin", 3, 1, 6000}, stage_far_away, 0},
    {{"tiny", "bodies of 1e-12", 3, 1, 6000}, stage_tiny, 0},
    {{"coplanar-sheets", "open sheets in one plane", 5, 1, 2560}, stage_coplanar_sheets, 0},
    {{"ibcd-1", "thesis, chapter 2, scene 1: 130 objects in random motion", 130, 200, 26000}, stage_ibcd_crowd, 0},
    {{"ibcd-2", "thesis, chapter 2, scene 2: a moving hand", 3, 120, 8000}, stage_ibcd_hand, 0},
    {{"scd-1", "thesis, chapter 3, scene 1: 21,292 triangles", 2, 100, 21292}, stage_scd, 1},
    {{"scd-2", "thesis, chapter 3, scene 2: 18,217 triangles", 2, 100, 18217}, stage_scd, 2},
    {{"scd-3", "thesis, chapter 3, scene 3: 40,419 triangles", 2, 100, 40419}, stage_scd, 3},
    {{"scd-4", "thesis, chapter 3, scene 4: 18,378 triangles, a hand", 2, 120, 18378}, stage_scd, 4},
    {{"parallel-1", "thesis, chapter 4, scene 1: 15 objects, 28,853 triangles", 15, 100, 28853},
     stage_parallel_crowd,
     0},
    {{"parallel-2", "thesis, chapter 4, scene 2: about 10,000 triangles", 2, 100, 10000}, stage_parallel_pair, 5000},
    {{"parallel-3", "thesis, chapter 4, scene 3: about 20,000 triangles", 2, 100, 20000}, stage_parallel_pair, 10000},
    {{"mine-50", "grid paper: 6 static models of 93,079 triangles, 50 pieces of rubble", 56, 100, 94847},
     stage_mine,
     50},
    {{"mine-100", "grid paper: 6 static models of 93,079 triangles, 100 pieces of rubble", 106, 100, 95723},
     stage_mine,
     100},
    {{"mine-200", "grid paper: 6 static models of 93,079 triangles, 200 pieces of rubble", 206, 100, 97427},
     stage_mine,
     200},
    {{"mine-300", "grid paper: 6 static models of 93,079 triangles, 300 pieces of rubble", 306, 100, 99159},
     stage_mine,
     300},
    {{"mine-400", "grid paper: 6 static models of 93,079 triangles, 400 pieces of rubble", 406, 100, 100859},
     stage_mine,
     400},
    {{"mine-500", "grid paper: 6 static models of 93,079 triangles, 500 pieces of rubble", 506, 100, 102615},
     stage_mine,
     500},
    {{"mine-600", "grid paper: 6 static models of 93,079 triangles, 600 pieces of rubble", 606, 100, 104319},
     stage_mine,
     600},
    {{"fdh-1", "FDH paper, model 1: tetrahedron of 400, moving sphere of 116", 2, 1000, 516}, stage_fdh_tetrahedron, 0},
    {{"fdh-2", "FDH paper, model 2: two rings of 5,000", 2, 100, 10000}, stage_fdh_rings, 0},
    {{"fdh-3", "FDH paper, model 3: pipes of 169,994, moving hand of 404", 2, 2528, 170398}, stage_fdh_pipes, 0},
    {{"geometry-image", "geometry-image paper: two spheres of 1,024, nearer after each turn", 2, 576, 2048},
     stage_geometry_image,
     0},
    {{"capsules", "a hand of capsules and spheres strokes a dented sphere and passes a ring", 26, 100, 6000},
     stage_capsules,
     0},
    {{"gears", "four gears in a row, the last one mounted too close", 4, 100, 16384}, stage_gears, 0},
    {{"falling", "a thousand bodies fall through each other", 1000, 100, 35500}, stage_falling, 1000},
    {{"billiards", "geometry-image paper: balls that are geometry images roll on a table", 21, 200, 16444},
     stage_billiards,
     0},
    {{"cloth", "a waving cloth of 33 x 33 points sinks onto a ball", 2, 64, 3072}, stage_cloth, 0},
    {{"falling-100", "a hundred bodies fall through each other, for tests", 100, 100, 3528}, stage_falling, 100},
};

enum
{
    SCENE_COUNT = sizeof SCENES / sizeof *SCENES
};

const scenes_info *scenes_get_info(uint32_t index) { return index < SCENE_COUNT ? &SCENES[index].info : NULL; }

static const scene_row *find_row(const char *name)
{
    for (uint32_t i = 0; name && i < SCENE_COUNT; i++)
        if (strcmp(name, SCENES[i].info.name) == 0)
            return &SCENES[i];
    return NULL;
}

carom_status scenes_create(carom_context *context, const char *name, scenes_scene **out)
{
    return scenes_create_sized(context, name, 0, out);
}

static bool has_sizes(const scene_row *row)
{
    return row->set_up == stage_ibcd_crowd || row->set_up == stage_ibcd_hand || row->set_up == stage_scd;
}

carom_status scenes_create_sized(carom_context *context, const char *name, uint32_t triangles, scenes_scene **out)
{
    if (out)
        *out = NULL;
    const scene_row *row = find_row(name);
    if (!context || !out || !row || (triangles > 0 && !has_sizes(row)))
        return CAROM_INVALID_ARGUMENT;
    scenes_scene *scene = calloc(1, sizeof *scene);
    if (!scene)
        return CAROM_OUT_OF_MEMORY;
    scene->name = row->info.name;
    scene->step_count = 1;
    stage stage = {
        .context = context, .scene = scene, .status = CAROM_OK, .variant = row->variant, .triangles = triangles};
    row->set_up(&stage);
    if (stage.status != CAROM_OK)
    {
        scenes_destroy(scene);
        return stage.status;
    }
    scenes_move(scene, 0);
    *out = scene;
    return CAROM_OK;
}

void scenes_destroy(scenes_scene *scene)
{
    if (!scene)
        return;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        carom_mesh_destroy(scene->meshes[i]);
    free(scene->meshes);
    free(scene->bodies);
    free(scene);
}
