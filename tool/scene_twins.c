/* A generated scene with two kinds of trees. */
#include "tool/scene_twins.h"

#include <stdlib.h>

static carom_status build_trees(scene_twins *twins)
{
    carom_tree_def def = {.volume = CAROM_VOLUME_OBB,
                          .layout = CAROM_LAYOUT_BINARY,
                          .builder = CAROM_BUILDER_MEAN,
                          .obb_fit = CAROM_OBB_AREA_WEIGHTED,
                          .leaf_size = 1};
    carom_status status = CAROM_OK;
    twins->trees = calloc(twins->source->mesh_count, sizeof *twins->trees);
    if (!twins->trees)
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < twins->source->mesh_count && !carom_failed(status); i++)
        status = carom_tree_create(twins->context, twins->source->meshes[i], &def, &twins->trees[i]);
    return status;
}

static const carom_tree *tree_of(const scene_twins *twins, const carom_mesh *mesh)
{
    uint32_t i = 0;
    while (twins->source->meshes[i] != mesh)
        i++;
    return twins->trees[i];
}

static carom_status fill_scene(scene_twins *twins, int which)
{
    const scenes_scene *source = twins->source;
    carom_status status = carom_scene_create(twins->context, &twins->scenes[which]);
    twins->ids[which] = calloc(source->body_count, sizeof *twins->ids[which]);
    if (!twins->ids[which])
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < source->body_count && !carom_failed(status); i++)
    {
        const scenes_body *body = &source->bodies[i];
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){body->shape, body->pose};
        if (which == TWIN_OBB)
            def.placed.shape = carom_shape_tree(tree_of(twins, body->shape.mesh));
        def.is_static = !body->moves;
        status = carom_scene_add(twins->scenes[which], &def, &twins->ids[which][i]);
    }
    return status;
}

carom_status scene_twins_open(carom_context *context, const char *name, uint32_t triangles, scene_twins *out)
{
    *out = (scene_twins){.context = context};
    carom_status status = scenes_create_sized(context, name, triangles, &out->source);
    if (!carom_failed(status))
        status = build_trees(out);
    for (int which = 0; which < TWIN_COUNT && !carom_failed(status); which++)
        status = fill_scene(out, which);
    return status;
}

void scene_twins_close(scene_twins *twins)
{
    for (int which = 0; which < TWIN_COUNT; which++)
    {
        carom_scene_destroy(twins->scenes[which]);
        free(twins->ids[which]);
    }
    for (uint32_t i = 0; twins->trees && i < twins->source->mesh_count; i++)
        carom_tree_destroy(twins->trees[i]);
    free(twins->trees);
    scenes_destroy(twins->source);
    *twins = (scene_twins){0};
}

static carom_status move_scene(scene_twins *twins, int which, carom_frame *frame)
{
    carom_status status = CAROM_OK;
    for (uint32_t i = 0; i < twins->source->body_count && !carom_failed(status); i++)
        if (twins->source->bodies[i].moves)
            status = carom_scene_move(twins->scenes[which], twins->ids[which][i], &twins->source->bodies[i].pose);
    return carom_failed(status) ? status : carom_scene_frame(twins->scenes[which], frame);
}

carom_status scene_twins_move(scene_twins *twins, uint32_t step, carom_frame frames[TWIN_COUNT])
{
    carom_status status = CAROM_OK;
    scenes_move(twins->source, step);
    for (int which = 0; which < TWIN_COUNT && !carom_failed(status); which++)
        status = move_scene(twins, which, &frames[which]);
    return status;
}
