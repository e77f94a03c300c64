/* The parts of a fit outside its kernel. */
#include "tree/rays_fit.h"
#include "tree/subtrees.h"

bool ray_fit_begin(carom_context *context, ray_fit *fit)
{
    size_t nodes = fit->tree->node_count;
    fit->vertices = base_allocate(context, fit->mesh->vertex_count, sizeof *fit->vertices, BASE_CACHE_LINE);
    fit->node_boxes = base_allocate(context, nodes, sizeof *fit->node_boxes, BASE_CACHE_LINE);
    fit->node_changed = base_allocate(context, nodes, sizeof *fit->node_changed, BASE_CACHE_LINE);
    if (!fit->vertices || !fit->node_boxes || !fit->node_changed)
        return false;
    build_vertices(context, fit->mesh, &fit->tree->frame, fit->vertices);
    return true;
}

/* Where most vertices moved, comparing costs more than it saves; a sample decides. */
static bool most_moved(const carom_mesh *old, const carom_mesh *now)
{
    enum
    {
        SAMPLE = 64
    };
    uint32_t moved = 0;
    for (uint32_t i = 0; i < SAMPLE && now->vertex_count >= SAMPLE; i++)
    {
        size_t at = (size_t)i * now->vertex_count / SAMPLE;
        moved += !vec3_equal(old->vertices[at], now->vertices[at]);
    }
    return moved > SAMPLE / 2;
}

bool ray_fit_compare(carom_context *context, ray_fit *fit, const carom_mesh *old)
{
    if (most_moved(old, fit->mesh))
        return true;
    uint32_t count = fit->mesh->vertex_count;
    fit->vertex_changed = base_allocate(context, count, sizeof *fit->vertex_changed, BASE_CACHE_LINE);
    for (uint32_t i = 0; i < count && fit->vertex_changed; i++)
        fit->vertex_changed[i] = !vec3_equal(old->vertices[i], fit->mesh->vertices[i]);
    return fit->vertex_changed != NULL;
}

/* Inner children are neighbours, in the order of their lanes. */
static uint32_t ray_children(const void *nodes, uint32_t node, uint32_t *count)
{
    const ray_node *at = (const ray_node *)nodes + node;
    uint32_t first = 0;
    *count = 0;
    for (int lane = 0; lane < RAY_WIDTH; lane++)
        if (!(at->child[lane] & RAY_LEAF_FLAG)) /* which the mark of an empty lane has too */
        {
            first = *count ? first : ray_child_index(at->child[lane]);
            ++*count;
        }
    return first;
}

typedef struct fit_task
{
    carom_context *context;
    const ray_fit *fit;
} fit_task;

static void fit_nodes(uint32_t first, uint32_t last, void *data)
{
    const fit_task *task = data;
    BASE_PICK_ISA(task->context, ray_fit_nodes)(task->fit, first, last);
}

void ray_fit_run(carom_context *context, const ray_fit *fit)
{
    tree_subtrees parts;
    fit_task task = {context, fit};
    tree_subtrees_cut(ray_tree_nodes(fit->tree), fit->tree->node_count, ray_children, &parts);
    tree_subtrees_climb(context, &parts, fit_nodes, &task);
}

void ray_fit_end(carom_context *context, ray_fit *fit)
{
    size_t nodes = fit->tree->node_count;
    base_release(context, fit->vertices, fit->mesh->vertex_count, sizeof *fit->vertices);
    base_release(context, fit->node_boxes, nodes, sizeof *fit->node_boxes);
    base_release(context, fit->node_changed, nodes, sizeof *fit->node_changed);
    base_release(context, fit->vertex_changed, fit->mesh->vertex_count, sizeof *fit->vertex_changed);
}
