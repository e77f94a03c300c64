/* The trees that a mesh owns: one for pairs, one for rays, built when first needed and shared by all users of the mesh.
 */
#include "tree/rays.h"
#include "tree/wide.h"

static void destroy_default(void *tree) { carom_tree_destroy(tree); }

static tree_use use_of(carom_tree_preset preset) { return preset == CAROM_TREE_RAYS ? TREE_FOR_RAYS : TREE_FOR_PAIRS; }

static carom_tree blank_default(const carom_mesh *mesh, const carom_tree_def *def)
{
    return (carom_tree){.context = mesh->context, .mesh = mesh, .belongs_to_mesh = true, .def = *def};
}

static carom_status build_default(const carom_mesh *mesh, carom_tree_preset preset, const carom_tree **out)
{
    carom_tree_def def = carom_tree_def_preset(preset);
    carom_tree blank = blank_default(mesh, &def), *tree;
    BASE_TRY(tree_assemble(&blank, tree_create_layout, NULL, &tree));
    *out = mesh_fill_slot(mesh, use_of(preset), tree, destroy_default);
    return CAROM_OK;
}

carom_status tree_default(const carom_mesh *mesh, tree_use use, const carom_tree **out)
{
    *out = tree_default_if_built(mesh, use);
    if (BASE_LIKELY(*out != NULL))
        return CAROM_OK;
    return build_default(mesh, use == TREE_FOR_RAYS ? CAROM_TREE_RAYS : CAROM_TREE_FAST, out);
}

carom_status carom_mesh_prepare(const carom_mesh *mesh, carom_tree_preset preset)
{
    if (!mesh)
        return CAROM_INVALID_ARGUMENT;
    if ((unsigned)preset > CAROM_TREE_RAYS)
        return base_fail(mesh->context, CAROM_INVALID_ARGUMENT, "mesh prepare: unknown preset %d", (int)preset);
    BASE_TRY(base_check_float_mode(mesh->context));
    const carom_tree *tree = tree_default_if_built(mesh, use_of(preset));
    return tree ? CAROM_OK : build_default(mesh, preset, &tree);
}

/* ---- deformed meshes ---- */

static ray_tree *copy_rays(carom_context *context, const ray_tree *rays)
{
    ray_tree *copy = base_allocate(context, 1, rays->size, BASE_CACHE_LINE);
    return copy ? memcpy(copy, rays, rays->size) : NULL;
}

/* A tree's layout as a copy, to be refitted. */
static carom_status copy_layout(carom_tree *tree, void *source)
{
    const carom_tree *from = source;
    tree->info = from->info;
    tree->info.bytes -= sizeof *tree; /* tree_assemble adds it */
    if (from->wide)
        tree->wide = wide_tree_copy(tree->context, from->wide);
    else
        tree->rays = copy_rays(tree->context, from->rays);
    if (!tree->wide && !tree->rays)
        return base_fail(tree->context, CAROM_OUT_OF_MEMORY, "tree of %u triangles: out of memory",
                         from->mesh->triangle_count);
    return CAROM_OK;
}

static bool same_triangles(const carom_mesh *a, const carom_mesh *b)
{
    return a->context == b->context && a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->indices, b->indices, 3 * (size_t)a->triangle_count * sizeof *a->indices) == 0;
}

carom_status tree_inherit_defaults(const carom_mesh *mesh, const carom_mesh *deformed)
{
    if (mesh == deformed || !same_triangles(mesh, deformed))
        return CAROM_OK;
    for (tree_use use = TREE_FOR_PAIRS; use <= TREE_FOR_RAYS; use++)
    {
        const carom_tree *source = tree_default_if_built(mesh, use);
        if (!source || tree_default_if_built(deformed, use))
            continue;
        carom_tree blank = blank_default(mesh, &source->def), *tree;
        BASE_TRY(tree_assemble(&blank, copy_layout, (void *)source, &tree));
        tree->structure = source->structure;
        carom_status status = carom_tree_refit(tree, deformed);
        if (status != CAROM_OK)
            return carom_tree_destroy(tree), status;
        mesh_fill_slot(deformed, use, tree, destroy_default);
    }
    return CAROM_OK;
}
