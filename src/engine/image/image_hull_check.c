/* The images of pairs of hulls, drawn and computed: their rows of `carom gpu --selftest`. */
#include "engine/image/image_pass.h"
#include "engine/image/image_sheet.h"

/* ---- numbers ---- */

/* Fixed, so that every driver draws the same. */
typedef struct numbers
{
    uint64_t state;
} numbers;

static double next(numbers *n, double low, double high)
{
    n->state = n->state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(n->state >> 11) * 0x1p-53);
}

/* ---- certified intervals ---- */

enum
{
    TILES = 64,
    TRIANGLES = 12 /* per tile */
};

typedef struct interval_room
{
    image_record records[TILES * TRIANGLES];
    uint8_t meets[TILES];
    image_texel *drawn, *computed;
    size_t texels;
} interval_room;

static void make_records(numbers *n, const image_tiles *tiles, image_records *out)
{
    image_view view = {.side = (int)tiles->side, .error = {1e-9, 1e-9, 1e-9}};
    double side = tiles->side;
    for (uint32_t i = 0; i < TILES * TRIANGLES; i++)
    {
        carom_vec3 corner[3];
        double x = next(n, 0.0, side), y = next(n, 0.0, side), z = next(n, -0.7, 0.7);
        double reach = i % 4 ? 0.3 * side : 4.0 * side;
        for (int k = 0; k < 3; k++)
        {
            double dx = next(n, -reach, reach), dy = next(n, -reach, reach), dz = next(n, -0.2, 0.2);
            corner[k] = vec3(x + dx, y + dy, z + dz);
        }
        image_record *record = &out->items[out->count];
        if (!image_prepare(&view, corner, record))
            continue;
        image_tile_at(tiles, i / TRIANGLES, record->tile);
        record->body = (float)(i % 2);
        out->count++;
    }
}

static void compare_intervals(const interval_room *room, const image_tiles *tiles, gpu_check_result *result)
{
    gpu_compared image = {"intervals", tiles->width, 4, room->texels};
    gpu_compare_floats(result, &image, room->drawn->depth, room->computed->depth);
    for (uint32_t i = 0; i < TILES; i++)
    {
        float at[2];
        image_tile_at(tiles, i, at);
        int tile[2] = {(int)at[0], (int)at[1]};
        bool meets = image_meets_twin(room->computed, (int)tiles->width, tile, (int)tiles->side);
        gpu_compare_bits(result, "a tile", room->meets[i], meets);
    }
}

static carom_status draw_intervals(image_pass *pass, interval_room *room, uint32_t side, gpu_check_result *result)
{
    carom_context *context = gpu_context(pass->device);
    image_tiles tiles;
    image_records records = {.items = room->records, .capacity = TILES * TRIANGLES};
    numbers n = {side};
    BASE_TRY(image_pass_layout(pass, side, TILES, &tiles));
    make_records(&n, &tiles, &records);
    room->texels = (size_t)tiles.width * tiles.width;
    room->drawn = base_allocate(context, room->texels, sizeof *room->drawn, 16);
    room->computed = base_allocate(context, room->texels, sizeof *room->computed, 16);
    carom_status status = room->drawn && room->computed ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    if (status == CAROM_OK)
        status = image_pass_run(pass, &tiles, &records, TILES, room->meets);
    if (status == CAROM_OK)
        status = image_pass_depths(pass, &tiles, room->drawn);
    for (size_t i = 0; status == CAROM_OK && i < 4 * room->texels; i++)
        room->computed[i / 4].depth[i % 4] = IMAGE_NOTHING;
    if (status == CAROM_OK)
    {
        image_draw_twin(records.items, records.count, room->computed, (int)tiles.width);
        compare_intervals(room, &tiles, result);
    }
    base_release(context, room->drawn, room->texels, sizeof *room->drawn);
    base_release(context, room->computed, room->texels, sizeof *room->computed);
    return status;
}

static carom_status check_intervals(gpu_device *device, gpu_check_result *result)
{
    carom_context *context = gpu_context(device);
    image_pass pass;
    interval_room *room = base_allocate(context, 1, sizeof *room, 16);
    if (!room)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "image: no memory for a check");
    carom_status status = image_pass_create(device, &pass);
    for (uint32_t side = 3; side <= 48 && status == CAROM_OK; side = 4 * side - 1)
        status = draw_intervals(&pass, room, side, result);
    image_pass_destroy(&pass);
    base_release(context, room, 1, sizeof *room);
    return status;
}

/* ---- the thesis's depth and stencil ---- */

enum
{
    SIDE = 32,
    PAIRS = 12
};

typedef struct octahedron
{
    carom_vec3 points[6];
    image_seen seen;
    image_canvas canvas;
} octahedron;

static const uint32_t FACETS[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};

static void see_octahedron(numbers *n, const image_view *view, carom_vec3 centre, octahedron *out)
{
    static const double ways[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    out->seen.points = out->points, out->seen.placement = 0.0;
    image_see_nothing(&out->seen);
    double tilt = next(n, -0.4, 0.4);
    for (int i = 0; i < 6; i++)
    {
        double size = next(n, 0.5, 1.0);
        const double *w = ways[i];
        carom_vec3 corner = vec3(size * w[0] + tilt * w[1], size * w[1] - tilt * w[0] + tilt * w[2], size * w[2]);
        image_see(view, vec3_add(centre, corner), &out->seen);
    }
}

static carom_status compare_pair(void *pass, const image_view *view, const image_drawing drawings[2],
                                 gpu_check_result *result)
{
    image_stencil *stencil = pass;
    uint8_t drawn[SIDE * SIDE];
    image_counted computed[SIDE * SIDE];
    uint64_t swaps = stencil->stats.swaps;
    bool meets, first = false;
    BASE_TRY(image_stencil_meet(stencil, view, drawings, &meets));
    gpu_read_def read = {.plane = GPU_STENCIL, .out = drawn, .size = sizeof drawn};
    BASE_TRY(gpu_read(stencil->device, &stencil->target, &read));
    image_stencil_twin(view, drawings, computed);
    for (int i = 0; i < SIDE * SIDE; i++)
        first = first || computed[i].first == 2;
    bool swapped = stencil->stats.swaps > swaps;
    if (swapped && first) /* next to an edge the twin saw what the driver did not */
        return CAROM_OK;
    for (int i = 0; i < SIDE * SIDE; i++)
        if (!computed[i].unsure)
            gpu_compare_bits(result, "a stencil", drawn[i], swapped ? computed[i].second : computed[i].first);
    return CAROM_OK;
}

/* Draws a pair and compares. */
typedef carom_status compare_fn(void *pass, const image_view *view, const image_drawing drawings[2],
                                gpu_check_result *result);

static carom_status draw_pair(void *pass, compare_fn *compare, carom_context *context, numbers *n,
                              gpu_check_result *result)
{
    image_view view = {.axis = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, -1.0}}};
    octahedron bodies[2] = {0};
    image_drawing drawings[2];
    see_octahedron(n, &view, vec3(0.0, 0.0, 0.0), &bodies[0]);
    double x = next(n, -0.7, 0.7), y = next(n, -0.7, 0.7), z = next(n, -1.2, 1.2);
    see_octahedron(n, &view, vec3(x, y, z), &bodies[1]);
    carom_status status = CAROM_OK;
    if (image_fit_view(&bodies[0].seen, &bodies[1].seen, SIDE, &view))
    {
        image_strips facets = {FACETS, 24, false};
        for (int i = 0; i < 2 && status == CAROM_OK; i++)
            if (!image_draw_hull(context, &view, &bodies[i].seen, &facets, &bodies[i].canvas, &drawings[i]))
                status = base_fail(context, CAROM_OUT_OF_MEMORY, "image: no memory for a check");
        if (status == CAROM_OK)
            status = compare(pass, &view, drawings, result);
    }
    image_canvas_free(context, &bodies[0].canvas), image_canvas_free(context, &bodies[1].canvas);
    return status;
}

static carom_status check_stencils(gpu_device *device, gpu_check_result *result)
{
    image_stencil stencil;
    numbers n = {11};
    carom_status status = image_stencil_create(device, &stencil);
    for (int i = 0; i < PAIRS && status == CAROM_OK; i++)
        status = draw_pair(&stencil, compare_pair, gpu_context(device), &n, result);
    image_stencil_destroy(&stencil);
    return status;
}

/* Three times in one sheet: neighbours must not disturb each other. */
static carom_status compare_tiles(void *pass, const image_view *view, const image_drawing drawings[2],
                                  gpu_check_result *result)
{
    enum
    {
        COPIES = 3
    };
    image_sheet *sheet = pass;
    carom_context *context = gpu_context(sheet->device);
    uint8_t drawn[SIDE * SIDE], meets[COPIES];
    image_counted computed[SIDE * SIDE];
    BASE_TRY(image_sheet_begin(sheet, SIDE, COPIES));
    for (int i = 0; i < COPIES; i++)
        if (!image_sheet_add(context, sheet, drawings))
            return base_fail(context, CAROM_OUT_OF_MEMORY, "image: no memory for a check");
    BASE_TRY(image_sheet_run(context, sheet, meets));
    image_stencil_twin(view, drawings, computed);
    for (uint32_t copy = 0; copy < COPIES; copy++)
    {
        image_sheet_tile(sheet, copy, false, drawn);
        for (int i = 0; i < SIDE * SIDE; i++)
            if (!computed[i].unsure)
                gpu_compare_bits(result, "a tile's stencil", drawn[i], computed[i].first);
        gpu_compare_bits(result, "a tile's verdict", meets[copy], meets[0]);
    }
    return CAROM_OK;
}

static carom_status check_sheets(gpu_device *device, gpu_check_result *result)
{
    image_sheet sheet = {0};
    numbers n = {12};
    carom_status status = image_sheet_create(device, &sheet);
    for (int i = 0; i < PAIRS && status == CAROM_OK; i++)
        status = draw_pair(&sheet, compare_tiles, gpu_context(device), &n, result);
    image_sheet_destroy(&sheet);
    image_sheet_free(gpu_context(device), &sheet);
    return status;
}

const gpu_check *image_hull_check_at(uint32_t index)
{
    static const gpu_check checks[] = {
        {"intervals", check_intervals}, {"sampled", check_stencils}, {"sampled-tiles", check_sheets}};
    return index < sizeof checks / sizeof checks[0] ? &checks[index] : NULL;
}
