/* Trees as objects: created, queried and destroyed here; only this file chooses the layout that answers. */
#include "tree/binary.h"
#include "tree/build.h"
#include "tree/rays.h"
#include "tree/wide.h"

const char *carom_volume_name(carom_volume volume)
{
    static const char *const names[CAROM_VOLUME_COUNT] = {"obb",    "aabb",   "kdop6",  "kdop14",
                                                          "kdop18", "kdop26", "sphere", "rss"};
    return (unsigned)volume < CAROM_VOLUME_COUNT ? names[volume] : NULL;
}

const char *carom_builder_name(carom_builder builder)
{
    static const char *const names[CAROM_BUILDER_COUNT] = {"sah",      "median",    "mean",      "volume",
                                                           "balanced", "bottom_up", "insertion", "morton"};
    return (unsigned)builder < CAROM_BUILDER_COUNT ? names[builder] : NULL;
}

carom_tree_def carom_tree_def_preset(carom_tree_preset preset)
{
    carom_tree_def def = {.volume = CAROM_VOLUME_OBB,
                          .layout = CAROM_LAYOUT_WIDE,
                          .builder = CAROM_BUILDER_SAH,
                          .obb_fit = CAROM_OBB_AREA_WEIGHTED,
                          .balance_penalty = 0.5};
    if (preset == CAROM_TREE_TIGHT)
        def.obb_fit = CAROM_OBB_TIGHT;
    if (preset == CAROM_TREE_RAYS)
        def.volume = CAROM_VOLUME_AABB;
    return def;
}

carom_tree_def carom_tree_def_default(void) { return carom_tree_def_preset(CAROM_TREE_FAST); }

/* ---- life ---- */

carom_status tree_check_def(carom_context *context, const carom_tree_def *def)
{
    if (!carom_volume_name(def->volume))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "tree: unknown volume %d", (int)def->volume);
    if (!carom_builder_name(def->builder))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "tree: unknown builder %d", (int)def->builder);
    if ((unsigned)def->layout > CAROM_LAYOUT_BINARY)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "tree: unknown layout %d", (int)def->layout);
    if ((unsigned)def->obb_fit > CAROM_OBB_TIGHT)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "tree: unknown obb_fit %d", (int)def->obb_fit);
    if (!isfinite(def->balance_penalty))
        return base_fail(context, CAROM_NOT_FINITE, "tree: balance_penalty is not finite");
    if (def->balance_penalty < 0.0)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "tree: balance_penalty is negative (%g)",
                         def->balance_penalty);
    if (def->depth_limit > BUILD_MAX_DEPTH_LIMIT)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "tree: depth_limit is %u: up to %d", def->depth_limit,
                         BUILD_MAX_DEPTH_LIMIT);
    if (def->keep_large_leaves && def->layout == CAROM_LAYOUT_WIDE)
        return base_fail(context, CAROM_UNSUPPORTED, "tree: the wide layout has no large leaves to keep");
    if (def->layout == CAROM_LAYOUT_WIDE && def->volume != CAROM_VOLUME_OBB && def->volume != CAROM_VOLUME_AABB)
        return base_fail(context, CAROM_UNSUPPORTED, "tree: the wide layout has no %s, only obb and aabb",
                         carom_volume_name(def->volume));
    return CAROM_OK;
}

/* Builds the layout's own parts. */
carom_status tree_create_layout(carom_tree *tree, void *unused)
{
    (void)unused;
    if (tree->def.layout == CAROM_LAYOUT_WIDE && tree->def.volume == CAROM_VOLUME_OBB)
    {
        tree->def.leaf_size = WIDE_LEAF_TRIANGLES;
        BASE_TRY(wide_tree_create(tree->context, tree->mesh, &tree->def, &tree->wide));
        wide_tree_info(tree->context, tree->wide, &tree->info);
        return CAROM_OK;
    }
    if (tree->def.layout == CAROM_LAYOUT_WIDE)
    {
        tree->def.leaf_size = RAY_LEAF;
        BASE_TRY(ray_tree_create(tree->context, tree->mesh, &tree->def, &tree->rays));
        ray_tree_describe(tree->rays, &tree->info);
        return CAROM_OK;
    }
    if (tree->def.leaf_size == 0)
        tree->def.leaf_size = 1;
    return binary_create(tree);
}

carom_status tree_assemble(const carom_tree *blank, tree_layout_fn *make, void *source, carom_tree **out)
{
    double start = base_now();
    carom_context *context = blank->context;
    uint32_t triangles = blank->mesh->triangle_count;
    carom_tree *tree = base_allocate(context, 1, sizeof *tree, BASE_CACHE_LINE);
    if (!tree)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "tree of %u triangles: out of memory", triangles);
    *tree = *blank;
    atomic_init(&tree->references, 1);
    if (!tree->belongs_to_mesh)
        carom_mesh_retain(tree->mesh);
    tree->serial = tree->structure = atomic_fetch_add(&context->next_serial, 1);
    carom_status status = make(tree, source);
    if (status != CAROM_OK)
    {
        carom_tree_destroy(tree);
        return status;
    }
    tree->info.def = tree->def;
    tree->info.bytes += sizeof *tree;
    tree->info.bytes_per_triangle = triangles > 0 ? (double)tree->info.bytes / (double)triangles : 0.0;
    tree->info.build_ms = 1e3 * (base_now() - start);
    *out = tree;
    return CAROM_OK;
}

carom_status carom_tree_create(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def,
                               carom_tree **out)
{
    if (out)
        *out = NULL;
    if (!context || !mesh || !out)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "tree: %s is null",
                         !context ? "context"
                         : !mesh  ? "mesh"
                                  : "out");
    carom_tree_def chosen = def ? *def : carom_tree_def_default();
    BASE_TRY(tree_check_def(context, &chosen));
    BASE_TRY(base_check_float_mode(context));
    return tree_assemble(&(carom_tree){.context = context, .mesh = mesh, .def = chosen}, tree_create_layout, NULL, out);
}

const carom_tree *carom_tree_retain(const carom_tree *tree)
{
    if (tree) /* the count is not visible to callers */
        atomic_fetch_add_explicit(&((carom_tree *)tree)->references, 1, memory_order_relaxed);
    return tree;
}

void carom_tree_destroy(carom_tree *tree)
{
    if (!tree || atomic_fetch_sub_explicit(&tree->references, 1, memory_order_acq_rel) != 1)
        return;
    binary_destroy(tree);
    wide_tree_destroy(tree->context, tree->wide);
    ray_tree_destroy(tree->context, tree->rays);
    if (!tree->belongs_to_mesh)
        carom_mesh_destroy((carom_mesh *)tree->mesh); /* gives the reference back */
    base_release(tree->context, tree, 1, sizeof *tree);
}

const carom_mesh *carom_tree_mesh(const carom_tree *tree) { return tree ? tree->mesh : NULL; }

carom_tree_info carom_tree_get_info(const carom_tree *tree)
{
    if (!tree)
        return (carom_tree_info){0};
    carom_tree_info info = tree->info;
    /* Measuring every k-DOP takes about as long as building, so it waits until a caller asks. */
    if (tree->nodes)
        binary_costs(tree, &info.area_cost, &info.volume_cost);
    if (tree->rays)
        ray_tree_costs(tree->rays, &info.area_cost, &info.volume_cost);
    return info;
}

/* ---- scratch and memory ---- */

void tree_scratch_free(tree_scratch *scratch)
{
    if (!scratch->context)
        return;
    base_array_free(scratch->context, &scratch->stack);
    base_array_free(scratch->context, &scratch->words);
    base_release(scratch->context, scratch->wide, 1, scratch->wide_size);
    scratch->wide = NULL, scratch->wide_size = 0;
}

/* ---- questions ---- */

static bool both_wide(const tree_task *task) { return task->a->tree->wide && task->b->tree->wide; }

bool tree_far_apart(const carom_context *context, const mesh_placed *a, const mesh_placed *b, double limit,
                    tree_memory *memory)
{
    return a->tree->wide && b->tree->wide && wide_far_apart(context, a, b, limit, memory);
}

/* `binary` traverses every pair except two wide trees; it treats wide nodes as oriented boxes. */
carom_status tree_collide(const tree_task *task, const narrow_search *search, bool *violated)
{
    bool ignored = false;
    violated = violated ? violated : &ignored;
    return both_wide(task) ? wide_collide(task, search, violated) : binary_collide(task, search, violated);
}

carom_status tree_distance(const tree_task *task, narrow_closest *closest)
{
    return both_wide(task) ? wide_distance(task, closest) : binary_distance(task, closest);
}

carom_status tree_within(const tree_task *task, double limit, bool strictly, bool *within)
{
    return both_wide(task) ? wide_within(task, limit, strictly, within) : binary_within(task, limit, strictly, within);
}

carom_status tree_ray(const tree_ray_task *task, tree_ray_fn *on_hit, void *user)
{
    const carom_tree *tree = task->placed->tree;
    if (tree->rays)
        return ray_tree_cast(tree->rays, task, on_hit, user);
    return tree->wide ? wide_ray(task, on_hit, user) : binary_ray(task, on_hit, user);
}

carom_status tree_line_x(const tree_ray_task *task, carom_vec3 point,
                         void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    const carom_tree *tree = task->placed->tree;
    if (tree->rays)
        return ray_tree_line_x(tree->rays, task, point, on_triangle, user);
    return tree->wide ? wide_line_x(task, point, on_triangle, user) : binary_line_x(task, point, on_triangle, user);
}
