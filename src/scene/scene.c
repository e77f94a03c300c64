/* Bodies by value id with a generation; a frame is made when asked for and kept until the scene changes. */
#include "scene/scene.h"

#include <stdio.h>

carom_status carom_scene_create(carom_context *context, carom_scene **out)
{
    if (out)
        *out = NULL;
    if (!context || !out)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "scene create: %s is null", context ? "out" : "context");
    carom_scene *scene = base_allocate(context, 1, sizeof *scene, BASE_CACHE_LINE);
    if (!scene)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "scene create: no memory");
    memset(scene, 0, sizeof *scene);
    scene->context = context;
    scene->ids.context = context;
    scene->frame_stale = true;
    *out = scene;
    return CAROM_OK;
}

static void free_name(carom_context *context, char *name)
{
    if (name)
        base_release(context, name, 1, strlen(name) + 1);
}

void carom_scene_destroy(carom_scene *scene)
{
    if (!scene)
        return;
    for (size_t i = 0; i < scene->bodies.count; i++)
        free_name(scene->context, scene->bodies.items[i].name);
    for (size_t i = 0; i < scene->trees.count; i++)
        carom_tree_destroy(scene->trees.items[i].tree);
    base_array_free(scene->context, &scene->bodies);
    base_array_free(scene->context, &scene->trees);
    base_array_free(scene->context, &scene->frame);
    base_id_pool_free(&scene->ids);
    base_release(scene->context, scene, 1, sizeof *scene);
}

carom_body_def carom_body_def_default(void)
{
    return (carom_body_def){.placed = {.pose = carom_pose_identity()},
                            .filter = {.category = 1, .mask = UINT64_MAX, .group = 0}};
}

/* ---- trees of the scene's own ---- */

static carom_status share_tree(carom_scene *scene, const carom_mesh *mesh, const carom_tree **out)
{
    for (size_t i = 0; i < scene->trees.count; i++)
        if (scene->trees.items[i].mesh_serial == mesh->serial)
        {
            scene->trees.items[i].users++;
            *out = scene->trees.items[i].tree;
            return CAROM_OK;
        }
    if (!base_array_reserve(scene->context, &scene->trees, 1))
        return base_fail(scene->context, CAROM_OUT_OF_MEMORY, "scene add: no memory for another tree");
    carom_tree *tree;
    BASE_TRY(carom_tree_create(scene->context, mesh, NULL, &tree));
    scene->trees.items[scene->trees.count++] = (scene_tree){mesh->serial, tree, 1};
    *out = tree;
    return CAROM_OK;
}

static void drop_tree(carom_scene *scene, const carom_tree *tree)
{
    for (size_t i = 0; i < scene->trees.count; i++)
    {
        scene_tree *shared = &scene->trees.items[i];
        if (shared->tree != tree || --shared->users > 0)
            continue;
        carom_tree_destroy(shared->tree);
        *shared = scene->trees.items[--scene->trees.count];
        return;
    }
}

/* ---- bodies ---- */

static carom_status copy_name(carom_context *context, const char *name, char **out)
{
    *out = NULL;
    if (!name)
        return CAROM_OK;
    size_t size = strlen(name) + 1;
    *out = base_allocate(context, 1, size, 1);
    if (!*out)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "scene add: no memory for a name");
    memcpy(*out, name, size);
    return CAROM_OK;
}

static void place_bounds(scene_body *body)
{
    body->bounds = math_world_box(&body->placed.pose, &body->placed.mesh->info.bounds);
}

carom_status carom_scene_add(carom_scene *scene, const carom_body_def *def, carom_body_id *out)
{
    if (out)
        *out = (carom_body_id){0};
    if (!scene || !def || !out)
        return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "scene add: %s is null",
                         !scene ? "scene"
                         : !def ? "def"
                                : "out");
    carom_context *context = scene->context;
    BASE_TRY(base_check_float_mode(context));
    BASE_TRY(query_check_placed(context, &def->placed, "body to add"));
    if (!base_array_reserve(context, &scene->bodies, 1))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "scene add: no memory for another body");

    scene_body body = {.placed = def->placed, .filter = def->filter, .user = def->user, .owns_tree = !def->placed.tree};
    BASE_TRY(copy_name(context, def->name, &body.name));
    carom_status status = body.owns_tree ? share_tree(scene, body.placed.mesh, &body.placed.tree) : CAROM_OK;
    if (status == CAROM_OK && !base_id_new(&scene->ids, &body.id.index, &body.id.generation))
    {
        if (body.owns_tree)
            drop_tree(scene, body.placed.tree);
        status = base_fail(context, CAROM_OUT_OF_MEMORY, "scene add: no memory for another id");
    }
    if (status != CAROM_OK)
        return free_name(context, body.name), status;
    place_bounds(&body);
    if (body.id.index > scene->bodies.count)
        scene->bodies.count = body.id.index;
    scene->bodies.items[body.id.index - 1] = body;
    scene->frame_stale = true;
    *out = body.id;
    return CAROM_OK;
}

/* The body of an id, or null with the reason recorded. */
static scene_body *find_body(carom_scene *scene, carom_body_id id, const char *what)
{
    if (base_id_valid(&scene->ids, id.index, id.generation))
        return &scene->bodies.items[id.index - 1];
    base_fail(scene->context, CAROM_STALE_ID, "%s: no body has id %u, generation %u", what, id.index, id.generation);
    return NULL;
}

carom_status carom_scene_move(carom_scene *scene, carom_body_id id, const carom_pose *pose)
{
    if (!scene || !pose)
        return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "scene move: %s is null",
                         scene ? "pose" : "scene");
    BASE_TRY(base_check_float_mode(scene->context));
    scene_body *body = find_body(scene, id, "scene move");
    if (!body)
        return CAROM_STALE_ID;
    char whose[32];
    snprintf(whose, sizeof whose, "body %u", id.index);
    carom_placed moved = body->placed;
    moved.pose = *pose;
    BASE_TRY(query_check_placed(scene->context, &moved, whose));
    body->placed.pose = *pose;
    place_bounds(body);
    scene->frame_stale = true;
    return CAROM_OK;
}

carom_status carom_scene_remove(carom_scene *scene, carom_body_id id)
{
    if (!scene)
        return CAROM_INVALID_ARGUMENT;
    scene_body *body = find_body(scene, id, "scene remove");
    if (!body)
        return CAROM_STALE_ID;
    if (body->owns_tree)
        drop_tree(scene, body->placed.tree);
    free_name(scene->context, body->name);
    *body = (scene_body){0};
    base_id_free(&scene->ids, id.index);
    scene->frame_stale = true;
    return CAROM_OK;
}

/* ---- frames ---- */

carom_status carom_scene_frame(carom_scene *scene, carom_frame *out)
{
    if (out)
        *out = (carom_frame){0};
    if (!scene || !out)
        return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "scene frame: %s is null",
                         scene ? "out" : "scene");
    if (scene->frame_stale)
    {
        scene->frame.count = 0;
        if (!base_array_reserve(scene->context, &scene->frame, scene->ids.used_count))
            return base_fail(scene->context, CAROM_OUT_OF_MEMORY, "scene frame: no memory for %u bodies",
                             scene->ids.used_count);
        for (size_t i = 0; i < scene->bodies.count; i++)
        {
            const scene_body *body = &scene->bodies.items[i];
            if (body->id.index != 0)
                scene->frame.items[scene->frame.count++] =
                    (carom_frame_body){body->id, body->placed, body->filter, body->bounds, body->name, body->user};
        }
        scene->frame_stale = false;
    }
    *out = (carom_frame){scene->frame.items, (uint32_t)scene->frame.count};
    return CAROM_OK;
}

const carom_frame_body *carom_frame_find(const carom_frame *frame, carom_body_id id)
{
    if (!frame || !frame->bodies)
        return NULL;
    uint32_t low = 0, high = frame->body_count;
    while (low < high)
    {
        uint32_t middle = low + (high - low) / 2;
        if (frame->bodies[middle].id.index < id.index)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < frame->body_count && frame->bodies[low].id.index == id.index &&
                 frame->bodies[low].id.generation == id.generation;
    return found ? &frame->bodies[low] : NULL;
}
