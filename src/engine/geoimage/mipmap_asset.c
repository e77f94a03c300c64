/* A mesh as a grid of cells: one whose triangles are those of a grid, in their order, is that grid; of any other, an
 * atlas is made (src/geoimage/atlas.c). The structure does not depend on positions, so that a mesh that was deformed
 * only needs other points. */
#include "engine/geoimage/mipmap.h"

carom_status mipmap_out_of_memory(carom_context *context)
{
    return base_fail(context, CAROM_OUT_OF_MEMORY, "engine geoimage: no memory");
}

/* ---- grids ---- */

/* Width and height in points, if the triangles are those of carom_geoimage_mesh. */
static bool find_grid(const carom_mesh *mesh, uint32_t *columns, uint32_t *rows)
{
    const uint32_t *index = mesh->indices;
    if (mesh->triangle_count < 2 || index[2] < 3 || mesh->vertex_count % (index[2] - 1) != 0)
        return false;
    uint32_t width = index[2] - 1, height = mesh->vertex_count / width;
    if (height < 2 || width > GEOIMAGE_MAX_CELLS + 1 || height > GEOIMAGE_MAX_CELLS + 1 ||
        mesh->triangle_count != 2 * (uint64_t)(width - 1) * (height - 1))
        return false;
    for (uint32_t y = 0; y + 1 < height; y++)
        for (uint32_t at = y * width; at + 1 < (y + 1) * width; at++, index += 6)
            if (index[0] != at || index[1] != at + 1 || index[2] != at + width + 1 || index[3] != at ||
                index[4] != at + width + 1 || index[5] != at + width)
                return false;
    *columns = width - 1, *rows = height - 1;
    return true;
}

/* ---- structure ---- */

static carom_status allocate(mipmap_asset *asset, const carom_mesh *mesh, size_t lists)
{
    size_t words = (MIPMAP_LISTS + lists + MIPMAP_ALIGNMENT - 1) / MIPMAP_ALIGNMENT * MIPMAP_ALIGNMENT;
    if (words > UINT32_MAX)
        return base_fail(asset->context, CAROM_TOO_LARGE, "engine geoimage: %.100s has too many triangles", mesh->name);
    asset->point_count = mesh->vertex_count, asset->table_size = (uint32_t)words;
    asset->triangle_count = mesh->triangle_count;
    asset->points = base_arena_allocate(&asset->arena, mesh->vertex_count, GEOIMAGE_POINT * sizeof(float), 64);
    asset->table = base_arena_allocate(&asset->arena, words, sizeof *asset->table, 64);
    if (!asset->points || !asset->table)
        return mipmap_out_of_memory(asset->context);
    memset(asset->table, 0, words * sizeof *asset->table);
    return CAROM_OK;
}

static void describe(mipmap_asset *asset, const geoimage_levels *levels, bool listed)
{
    asset->table[MIPMAP_COLUMNS] = levels->columns, asset->table[MIPMAP_ROWS] = levels->rows;
    asset->table[MIPMAP_LISTED] = listed;
    memcpy(asset->table + MIPMAP_FIRST_OF_LEVEL, levels->first, GEOIMAGE_LEVELS * sizeof *asset->table);
    asset->levels = *levels;
}

static carom_status use_grid(mipmap_asset *asset, const carom_mesh *mesh, uint32_t columns, uint32_t rows)
{
    geoimage_levels levels = geoimage_levels_of(columns, rows);
    BASE_TRY(allocate(asset, mesh, 0));
    describe(asset, &levels, false);
    return CAROM_OK;
}

/* The three points of each triangle that the cells list. */
static void copy_corners(mipmap_asset *asset, const carom_mesh *mesh)
{
    uint32_t *corner = asset->table + MIPMAP_LISTS + (size_t)asset->levels.columns * asset->levels.rows + 1;
    for (uint32_t i = 0; i < asset->triangle_count; i++)
        memcpy(corner + 3 * (size_t)i, mesh->indices + 3 * (size_t)asset->order[i], 3 * sizeof *corner);
}

static carom_status use_atlas(mipmap_asset *asset, const carom_mesh *mesh, const geoimage_atlas *atlas)
{
    geoimage_levels levels = geoimage_levels_of(atlas->side, atlas->side);
    size_t cells = (size_t)atlas->side * atlas->side, triangles = mesh->triangle_count;
    BASE_TRY(allocate(asset, mesh, cells + 1 + 3 * triangles));
    asset->order = base_arena_allocate(&asset->arena, triangles, sizeof *asset->order, 64);
    if (!asset->order)
        return mipmap_out_of_memory(asset->context);
    memcpy(asset->table + MIPMAP_LISTS, atlas->cell_first, (cells + 1) * sizeof *asset->table);
    memcpy(asset->order, atlas->triangles, triangles * sizeof *asset->order);
    describe(asset, &levels, true);
    copy_corners(asset, mesh);
    return CAROM_OK;
}

/* A mesh that can't be mapped, or would take too long, is left to the trees. */
static carom_status map_mesh(mipmap_asset *asset, const carom_mesh *mesh)
{
    geoimage_atlas atlas = {0};
    carom_status status = geoimage_atlas_create(asset->context, mesh, &atlas);
    if (geoimage_is_refusal(status))
    {
        base_log(asset->context, CAROM_LOG_WARNING, "engine geoimage leaves a mesh to the trees: %s",
                 atlas.refusal.text);
        asset->by_trees = true, asset->levels.count = 0;
        status = CAROM_OK;
    }
    else if (!carom_failed(status))
        status = use_atlas(asset, mesh, &atlas);
    geoimage_atlas_free(&atlas);
    return status;
}

/* ---- life ---- */

static void fit(mipmap_asset *asset, const carom_mesh *mesh)
{
    const geoimage_levels *levels = &asset->levels;
    asset->model = (batch_model){.serial = atomic_fetch_add(&asset->context->next_serial, 1)};
    if (asset->by_trees)
        return;
    asset->model.frame = math_frame_of(&mesh->info.bounds);
    asset->model.root = mipmap_node(levels->count - 1, 0, 0), asset->model.levels = levels->count;
    asset->model.counts[MIPMAP_NODES] = geoimage_node_count(levels);
    asset->model.counts[MIPMAP_POINTS] = asset->point_count;
    asset->model.counts[MIPMAP_TABLES] = asset->table_size;
    geoimage_normalise(asset->context, &asset->model.frame, mesh->vertices, mesh->vertex_count, asset->points);
}

static carom_status build_for(mipmap_asset *asset, const carom_shape *shape)
{
    uint32_t columns, rows;
    if (shape->kind != CAROM_SHAPE_MESH || shape->mesh->triangle_count == 0)
        return CAROM_OK;
    if (find_grid(shape->mesh, &columns, &rows))
        BASE_TRY(use_grid(asset, shape->mesh, columns, rows));
    else
        BASE_TRY(map_mesh(asset, shape->mesh));
    fit(asset, shape->mesh);
    return CAROM_OK;
}

carom_status mipmap_create_asset(void *context, const carom_shape *shape, void **out)
{
    *out = NULL;
    mipmap_asset *asset = base_allocate(context, 1, sizeof *asset, BASE_CACHE_LINE);
    if (!asset)
        return mipmap_out_of_memory(context);
    *asset = (mipmap_asset){.context = context, .arena = {.context = context}};
    carom_status status = build_for(asset, shape);
    if (carom_failed(status))
        return mipmap_destroy_asset(context, asset), status;
    *out = asset;
    return CAROM_OK;
}

/* Any triangles in place of those that are listed will do: all are listed, if not always next to their neighbours. */
static bool still_fits(mipmap_asset *asset, const carom_mesh *mesh)
{
    uint32_t columns, rows;
    if (asset->levels.count == 0 || asset->point_count != mesh->vertex_count ||
        asset->triangle_count != mesh->triangle_count)
        return false;
    if (!asset->order)
        return find_grid(mesh, &columns, &rows) && columns == asset->levels.columns && rows == asset->levels.rows;
    copy_corners(asset, mesh);
    return true;
}

carom_status mipmap_update_asset(void *context, const carom_shape *shape, void *object)
{
    mipmap_asset *asset = object;
    if (shape->kind == CAROM_SHAPE_MESH && still_fits(asset, shape->mesh))
        return fit(asset, shape->mesh), CAROM_OK;
    base_arena_free(&asset->arena);
    *asset = (mipmap_asset){.context = context, .arena = {.context = context}};
    return build_for(asset, shape);
}

void mipmap_destroy_asset(void *context, void *object)
{
    mipmap_asset *asset = object;
    base_arena_free(&asset->arena);
    base_release(context, asset, 1, sizeof *asset);
}
