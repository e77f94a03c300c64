/* What a fit needs besides its kernel. */
#include "tree/rays_fit.h"

bool ray_fit_begin(carom_context *context, ray_fit *fit)
{
    size_t nodes = fit->tree->node_count;
    fit->vertices = base_allocate(context, fit->mesh->vertex_count, sizeof *fit->vertices, BASE_CACHE_LINE);
    fit->node_boxes = base_allocate(context, nodes, sizeof *fit->node_boxes, BASE_CACHE_LINE);
    fit->node_changed = base_allocate(context, nodes, sizeof *fit->node_changed, BASE_CACHE_LINE);
    if (!fit->vertices || !fit->node_boxes || !fit->node_changed)
        return false;
    build_vertex_boxes(fit->mesh, &fit->tree->frame, fit->vertices);
    return true;
}

bool ray_fit_compare(carom_context *context, ray_fit *fit, const carom_mesh *old)
{
    uint32_t count = fit->mesh->vertex_count, changed = 0;
    uint8_t *flags = base_allocate(context, count, sizeof *flags, BASE_CACHE_LINE);
    if (!flags)
        return false;
    for (uint32_t i = 0; i < count; i++)
    {
        flags[i] = !vec3_equal(old->vertices[i], fit->mesh->vertices[i]);
        changed += flags[i];
    }
    /* Where most moved, asking costs more than it saves. */
    if (changed > count / 2)
        base_release(context, flags, count, sizeof *flags);
    else
        fit->vertex_changed = flags;
    return true;
}

void ray_fit_end(carom_context *context, ray_fit *fit)
{
    size_t nodes = fit->tree->node_count;
    base_release(context, fit->vertices, fit->mesh->vertex_count, sizeof *fit->vertices);
    base_release(context, fit->node_boxes, nodes, sizeof *fit->node_boxes);
    base_release(context, fit->node_changed, nodes, sizeof *fit->node_changed);
    base_release(context, fit->vertex_changed, fit->mesh->vertex_count, sizeof *fit->vertex_changed);
}
