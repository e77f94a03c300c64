/* Bodies by value id with a generation. Every change gives a new version to the scene and to the pose, shape or
 * settings that changed. */
#include "scene/scene.h"

#include <stdio.h>

/* The registered version of a scene that has changed since its last frame: no frame has this version. */
static const uint64_t NO_VERSION = 0;

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
    scene->ids.context = scene->boxes.tree.context = context;
    scene->identity = base_new_identity(context);
    scene->version = 1;
    scene->frame_stale = scene->rearranged = true;
    if (!base_live_add(context, scene->identity, NO_VERSION))
    {
        base_release(context, scene, 1, sizeof *scene);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "scene create: no memory");
    }
    *out = scene;
    return CAROM_OK;
}

static void free_name(carom_context *context, const char *name)
{
    if (name)
        base_release(context, (char *)name, 1, strlen(name) + 1);
}

static void retain_shape(const carom_shape *shape)
{
    if (shape->kind != CAROM_SHAPE_MESH)
        return;
    carom_mesh_retain(shape->mesh);
    carom_tree_retain(shape->tree);
}

static void release_shape(const carom_shape *shape)
{
    if (shape->kind != CAROM_SHAPE_MESH)
        return;
    carom_tree_destroy((carom_tree *)shape->tree); /* each gives a reference back */
    carom_mesh_destroy((carom_mesh *)shape->mesh);
}

static uint32_t has_tree(const carom_shape *shape) { return shape->kind == CAROM_SHAPE_MESH && shape->tree; }

static void release_body(carom_context *context, const carom_frame_body *body)
{
    free_name(context, body->name);
    release_shape(&body->placed.shape);
}

void carom_scene_destroy(carom_scene *scene)
{
    if (!scene)
        return;
    base_live_remove(scene->context, scene->identity);
    for (size_t i = 0; i < scene->bodies.count; i++)
        if (scene->bodies.items[i].id.index != 0)
            release_body(scene->context, &scene->bodies.items[i]);
    scene_hits_free(scene->context, scene->hits);
    scene_ask_free(scene->context, scene->ask);
    scene_boxes_free(scene->context, &scene->boxes);
    scene_rules_free(scene->context, &scene->rules);
    base_array_free(scene->context, &scene->bodies);
    base_array_free(scene->context, &scene->frame);
    base_array_free(scene->context, &scene->positions);
    base_array_free(scene->context, &scene->changed);
    base_id_pool_free(&scene->ids);
    base_release(scene->context, scene, 1, sizeof *scene);
}

carom_body_def carom_body_def_default(void)
{
    return (carom_body_def){.placed = {.pose = carom_pose_identity()},
                            .filter = {.category = 1, .mask = UINT64_MAX, .group = 0},
                            .priority = 1.0};
}

/* ---- bodies ---- */

static carom_status copy_name(carom_context *context, const char *name, const char **out)
{
    *out = NULL;
    if (!name)
        return CAROM_OK;
    size_t size = strlen(name) + 1;
    char *copy = base_allocate(context, 1, size, 1);
    if (!copy)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "scene: no memory for a name");
    *out = memcpy(copy, name, size);
    return CAROM_OK;
}

uint64_t scene_next_version(carom_scene *scene)
{
    if (!scene->frame_stale)
        base_live_set(scene->context, scene->identity, NO_VERSION);
    scene->frame_stale = true;
    return ++scene->version;
}

/* Copying bodies to the frame one by one pays off while few have changed. A frame makes room for so many. */
static size_t max_changed(const carom_scene *scene) { return scene->bodies.count / 4; }

/* Records a change of a body that was there before. */
static uint64_t change_body(carom_scene *scene, const carom_frame_body *body)
{
    scene->rearranged |= scene->changed.count >= max_changed(scene);
    if (!scene->rearranged)
        scene->changed.items[scene->changed.count++] = body->id.index;
    return scene_next_version(scene);
}

carom_status scene_check_amount(carom_context *context, double value, const char *what)
{
    if (!isfinite(value))
        return base_fail(context, CAROM_NOT_FINITE, "scene: %s is %g", what, value);
    if (value < 0.0)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "scene: %s is negative (%g)", what, value);
    if (value > MATH_COORDINATE_LIMIT)
        return base_fail(context, CAROM_OUT_OF_RANGE, "scene: %s exceeds 2^100 (%g)", what, value);
    return CAROM_OK;
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
    BASE_TRY(scene_check_amount(context, def->margin, "the margin of the body to add"));
    BASE_TRY(scene_check_amount(context, def->priority, "the priority of the body to add"));
    if (!base_array_reserve(context, &scene->bodies, 1))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "scene add: no memory for another body");

    carom_frame_body body = {.placed = def->placed,
                             .filter = def->filter,
                             .margin = def->margin,
                             .priority = def->priority,
                             .is_static = def->is_static,
                             .user = def->user};
    BASE_TRY(copy_name(context, def->name, &body.name));
    if (!base_id_new(&scene->ids, &body.id.index, &body.id.generation))
    {
        free_name(context, body.name);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "scene add: no memory for another id");
    }
    retain_shape(&body.placed.shape);
    body.bounds = query_world_box(&body.placed);
    body.pose_version = body.shape_version = body.settings_version = scene_next_version(scene);
    if (body.id.index > scene->bodies.count)
        scene->bodies.count = body.id.index;
    scene->bodies.items[body.id.index - 1] = body;
    scene->rearranged = true;
    scene->tree_count += has_tree(&body.placed.shape);
    *out = body.id;
    return CAROM_OK;
}

carom_status scene_check_id(const carom_scene *scene, carom_body_id id, const char *call)
{
    if (base_id_valid(&scene->ids, id.index, id.generation))
        return CAROM_OK;
    return base_fail(scene->context, CAROM_STALE_ID, "%s: no body has id %u, generation %u", call, id.index,
                     id.generation);
}

/* Finds the body of an id; what: the call, for the message. */
static carom_status find_body(carom_scene *scene, carom_body_id id, const char *what, carom_frame_body **out)
{
    if (!scene)
        return CAROM_INVALID_ARGUMENT;
    BASE_TRY(scene_check_id(scene, id, what));
    *out = &scene->bodies.items[id.index - 1];
    return CAROM_OK;
}

typedef struct body_label
{
    char text[32];
} body_label;

static body_label label_body(carom_body_id id)
{
    body_label label;
    snprintf(label.text, sizeof label.text, "body %u", id.index);
    return label;
}

carom_status carom_scene_move(carom_scene *scene, carom_body_id id, const carom_pose *pose)
{
    if (!scene || !pose)
        return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "scene move: %s is null",
                         scene ? "pose" : "scene");
    carom_frame_body *body = NULL;
    BASE_TRY(base_check_float_mode(scene->context));
    BASE_TRY(find_body(scene, id, "scene move", &body));
    BASE_TRY(query_check_pose(scene->context, pose, label_body(id).text));
    body->placed.pose = *pose;
    body->bounds = query_world_box(&body->placed);
    body->pose_version = change_body(scene, body);
    return CAROM_OK;
}

carom_status carom_scene_remove(carom_scene *scene, carom_body_id id)
{
    carom_frame_body *body = NULL;
    BASE_TRY(find_body(scene, id, "scene remove", &body));
    scene->tree_count -= has_tree(&body->placed.shape);
    scene->rearranged = true;
    release_body(scene->context, body);
    *body = (carom_frame_body){0};
    base_id_free(&scene->ids, id.index);
    scene_next_version(scene);
    scene_rules_forget(scene, id.index);
    return CAROM_OK;
}

/* A deformed mesh inherits the trees of the one it was made from. */
static carom_status inherit_trees(const carom_shape *old, const carom_shape *shape)
{
    bool defaults = old->kind == CAROM_SHAPE_MESH && shape->kind == CAROM_SHAPE_MESH && !old->tree && !shape->tree;
    return defaults ? tree_inherit_defaults(old->mesh, shape->mesh) : CAROM_OK;
}

carom_status carom_scene_reshape(carom_scene *scene, carom_body_id id, const carom_shape *shape)
{
    if (!scene || !shape)
        return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "scene reshape: %s is null",
                         scene ? "shape" : "scene");
    carom_frame_body *body = NULL;
    BASE_TRY(base_check_float_mode(scene->context));
    BASE_TRY(find_body(scene, id, "scene reshape", &body));
    BASE_TRY(query_check_shape(scene->context, shape, label_body(id).text));
    carom_shape old = body->placed.shape;
    BASE_TRY(inherit_trees(&old, shape));
    retain_shape(shape);
    body->placed.shape = *shape;
    release_shape(&old);
    body->bounds = query_world_box(&body->placed);
    scene->tree_count += has_tree(shape);
    scene->tree_count -= has_tree(&old);
    body->shape_version = change_body(scene, body);
    return CAROM_OK;
}

/* ---- settings ---- */

/* What a call sets; null: unchanged. */
typedef struct body_change
{
    const carom_filter *filter;
    const bool *is_static;
    const double *margin, *priority;
} body_change;

static carom_status change_settings(carom_scene *scene, carom_body_id id, const char *what, const body_change *change)
{
    carom_frame_body *body = NULL;
    BASE_TRY(find_body(scene, id, what, &body));
    if (change->margin)
        BASE_TRY(scene_check_amount(scene->context, *change->margin, "the margin"));
    if (change->priority)
        BASE_TRY(scene_check_amount(scene->context, *change->priority, "the priority"));
    body->filter = change->filter ? *change->filter : body->filter;
    body->is_static = change->is_static ? *change->is_static : body->is_static;
    body->margin = change->margin ? *change->margin : body->margin;
    body->priority = change->priority ? *change->priority : body->priority;
    body->settings_version = change_body(scene, body);
    return CAROM_OK;
}

carom_status carom_scene_set_filter(carom_scene *scene, carom_body_id id, const carom_filter *filter)
{
    if (!scene || !filter)
        return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "scene set filter: %s is null",
                         scene ? "filter" : "scene");
    return change_settings(scene, id, "scene set filter", &(body_change){.filter = filter});
}

carom_status carom_scene_set_static(carom_scene *scene, carom_body_id id, bool is_static)
{
    return change_settings(scene, id, "scene set static", &(body_change){.is_static = &is_static});
}

carom_status carom_scene_set_margin(carom_scene *scene, carom_body_id id, double margin)
{
    return change_settings(scene, id, "scene set margin", &(body_change){.margin = &margin});
}

carom_status carom_scene_set_priority(carom_scene *scene, carom_body_id id, double priority)
{
    return change_settings(scene, id, "scene set priority", &(body_change){.priority = &priority});
}

/* ---- frames ---- */

static carom_status copy_all(carom_scene *scene)
{
    scene->frame.count = scene->positions.count = scene->changed.count = 0;
    if (!base_array_reserve(scene->context, &scene->changed, max_changed(scene)) ||
        !base_array_reserve(scene->context, &scene->frame, scene->ids.used_count) ||
        !base_array_reserve(scene->context, &scene->positions, scene->bodies.count))
        return base_fail(scene->context, CAROM_OUT_OF_MEMORY, "scene frame: no memory for %u bodies",
                         scene->ids.used_count);
    for (size_t i = 0; i < scene->bodies.count; i++)
    {
        scene->positions.items[i] = (uint32_t)scene->frame.count;
        if (scene->bodies.items[i].id.index != 0)
            scene->frame.items[scene->frame.count++] = scene->bodies.items[i];
    }
    scene_boxes_note(scene, NULL, 0);
    return CAROM_OK;
}

static void copy_changed(carom_scene *scene)
{
    for (size_t i = 0; i < scene->changed.count; i++)
    {
        uint32_t index = scene->changed.items[i] - 1, position = scene->positions.items[index];
        scene->frame.items[position] = scene->bodies.items[index];
        scene->changed.items[i] = position;
    }
    if (scene->changed.count > 0)
        scene_boxes_note(scene, scene->changed.items, scene->changed.count);
}

static carom_status update_frame(carom_scene *scene)
{
    BASE_TRY(scene_rules_refresh(scene));
    if (scene->rearranged)
        BASE_TRY(copy_all(scene));
    else
        copy_changed(scene);
    scene->changed.count = 0;
    scene->rearranged = scene->frame_stale = false;
    base_live_set(scene->context, scene->identity, scene->version);
    return CAROM_OK;
}

carom_status carom_scene_frame(carom_scene *scene, carom_frame *out)
{
    if (out)
        *out = (carom_frame){0};
    if (!scene || !out)
        return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "scene frame: %s is null",
                         scene ? "out" : "scene");
    if (scene->frame_stale)
        BASE_TRY(update_frame(scene));
    *out = (carom_frame){.bodies = scene->frame.items,
                         .body_count = (uint32_t)scene->frame.count,
                         .scene = scene->identity,
                         .version = scene->version,
                         .rules = scene->rules.items.items,
                         .rule_count = (uint32_t)scene->rules.items.count,
                         .rules_version = scene->rules.version};
    return CAROM_OK;
}

carom_status scene_check_fresh(carom_context *context, const carom_frame *frame)
{
    if (frame->scene == 0 || frame->owned)
        return CAROM_OK;
    uint64_t version;
    if (!base_live_find(context, frame->scene, &version))
        return base_fail(context, CAROM_STALE_FRAME,
                         "the frame's scene is gone or belongs to another context; a snapshot outlives its scene");
    if (version != frame->version)
        return base_fail(context, CAROM_STALE_FRAME,
                         "the scene has changed since the frame was taken; take a new one, or a snapshot");
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

/* ---- snapshots ---- */

struct carom_snapshot
{
    carom_context *context;
    BASE_ARRAY(carom_frame_body) bodies;
    scene_rule_list rules;
    carom_frame frame;
};

void carom_snapshot_destroy(carom_snapshot *snapshot)
{
    if (!snapshot)
        return;
    for (size_t i = 0; i < snapshot->bodies.count; i++)
        release_body(snapshot->context, &snapshot->bodies.items[i]);
    base_array_free(snapshot->context, &snapshot->bodies);
    base_array_free(snapshot->context, &snapshot->rules);
    base_release(snapshot->context, snapshot, 1, sizeof *snapshot);
}

static carom_status copy_frame(carom_snapshot *snapshot, const carom_frame *frame)
{
    if (!base_array_reserve(snapshot->context, &snapshot->bodies, frame->body_count) ||
        !base_array_reserve(snapshot->context, &snapshot->rules, frame->rule_count))
        return base_fail(snapshot->context, CAROM_OUT_OF_MEMORY, "scene snapshot: no memory for %u bodies",
                         frame->body_count);
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        carom_frame_body body = frame->bodies[i];
        BASE_TRY(copy_name(snapshot->context, frame->bodies[i].name, &body.name));
        retain_shape(&body.placed.shape);
        snapshot->bodies.items[snapshot->bodies.count++] = body;
    }
    if (frame->rule_count > 0)
        memcpy(snapshot->rules.items, frame->rules, frame->rule_count * sizeof *frame->rules);
    snapshot->rules.count = frame->rule_count;
    snapshot->frame = *frame;
    snapshot->frame.bodies = snapshot->bodies.items;
    snapshot->frame.rules = snapshot->rules.items;
    snapshot->frame.owned = true;
    return CAROM_OK;
}

carom_status carom_scene_snapshot(carom_scene *scene, carom_snapshot **out)
{
    if (out)
        *out = NULL;
    if (!scene || !out)
        return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "scene snapshot: %s is null",
                         scene ? "out" : "scene");
    carom_frame frame;
    BASE_TRY(carom_scene_frame(scene, &frame));
    carom_snapshot *snapshot = base_allocate(scene->context, 1, sizeof *snapshot, BASE_CACHE_LINE);
    if (!snapshot)
        return base_fail(scene->context, CAROM_OUT_OF_MEMORY, "scene snapshot: no memory");
    memset(snapshot, 0, sizeof *snapshot);
    snapshot->context = scene->context;
    carom_status status = copy_frame(snapshot, &frame);
    if (status != CAROM_OK)
        return carom_snapshot_destroy(snapshot), status;
    *out = snapshot;
    return CAROM_OK;
}

const carom_frame *carom_snapshot_frame(const carom_snapshot *snapshot) { return snapshot ? &snapshot->frame : NULL; }
