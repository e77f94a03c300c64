/* Depth and stencil images of a pair of hulls. */
#include "engine/image/image_stencil.h"

/* ---- what is drawn ---- */

void image_set_plane(const carom_vec3 corner[3], float out[8])
{
    double z[3] = {0.5 + 0.5 * corner[0].z, 0.5 + 0.5 * corner[1].z, 0.5 + 0.5 * corner[2].z};
    double sx = corner[1].x - corner[0].x, sy = corner[1].y - corner[0].y, sz = z[1] - z[0];
    double tx = corner[2].x - corner[0].x, ty = corner[2].y - corner[0].y, tz = z[2] - z[0];
    double area = sx * ty - sy * tx;
    double g = (sz * ty - sy * tz) / area, h = (sx * tz - sz * tx) / area;
    double at_zero = z[0] - g * corner[0].x - h * corner[0].y;
    bool usable = fabs(g) < 1e20 && fabs(h) < 1e20 && fabs(at_zero) < 1e20;
    /* A facet that is seen edge on covers no centre, or next to none: any depth of it will do. */
    out[0] = usable ? (float)g : 0.0f, out[1] = usable ? (float)h : 0.0f;
    out[2] = usable ? (float)at_zero : (float)z[0], out[3] = 0.0f;
    out[4] = (float)fmin(z[0], fmin(z[1], z[2])), out[5] = (float)fmax(z[0], fmax(z[1], z[2]));
    out[6] = out[7] = 0.0f;
}

bool image_is_within(const float *const corner[3], float side)
{
    bool out = false;
    for (int axis = 0; axis < 2; axis++)
    {
        float a = corner[0][axis], b = corner[1][axis], c = corner[2][axis];
        out |= (a < 0.0f && b < 0.0f && c < 0.0f) || (a > side && b > side && c > side);
    }
    return !out;
}

void image_canvas_free(carom_context *context, image_canvas *canvas)
{
    base_array_free(context, &canvas->positions);
    base_array_free(context, &canvas->planes);
}

/* The triangle that ends at index i, if one does. */
static bool triangle_at(const image_strips *facets, uint32_t i, const uint32_t **out)
{
    const uint32_t *indices = facets->indices;
    *out = indices + i - 2;
    if (!facets->strips)
        return i % 3 == 2;
    return i >= 2 && indices[i] != UINT32_MAX && indices[i - 1] != UINT32_MAX && indices[i - 2] != UINT32_MAX;
}

/* Adds the plane of a triangle. Most triangles of a hull that is far larger than the image are outside of it. */
static void draw_triangle(const image_view *view, const image_seen *seen, const uint32_t index[3], image_drawing *out)
{
    float *plane = out->planes[out->plane_count++];
    const float *const drawn[3] = {out->positions[index[0]], out->positions[index[1]], out->positions[index[2]]};
    memset(plane, 0, 8 * sizeof *plane);
    if (!image_is_within(drawn, (float)view->side))
        return;
    carom_vec3 corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = image_to_pixels(view, seen->points[index[k]]);
    image_set_plane(corner, plane);
}

bool image_draw_hull(carom_context *context, const image_view *view, const image_seen *seen, const image_strips *facets,
                     image_canvas *canvas, image_drawing *out)
{
    canvas->positions.count = canvas->planes.count = 0;
    if (!base_array_reserve(context, &canvas->positions, 4 * (size_t)seen->count) ||
        !base_array_reserve(context, &canvas->planes, 8 * (size_t)facets->count))
        return false;
    *out = (image_drawing){.positions = (float(*)[4])canvas->positions.items,
                           .position_count = seen->count,
                           .indices = facets->indices,
                           .index_count = facets->count,
                           .strips = facets->strips,
                           .planes = (float(*)[8])canvas->planes.items};
    for (uint32_t i = 0; i < seen->count; i++)
    {
        carom_vec3 at = image_to_pixels(view, seen->points[i]);
        float *position = out->positions[i];
        position[0] = (float)at.x, position[1] = (float)at.y, position[2] = (float)(0.5 + 0.5 * at.z);
        position[3] = 1.0f;
    }
    for (uint32_t i = 2; i < facets->count; i++)
    {
        const uint32_t *index;
        if (triangle_at(facets, i, &index))
            draw_triangle(view, seen, index, out);
    }
    return true;
}

void image_each_triangle(const image_drawing *drawing, image_see_triangle *see, void *user)
{
    uint32_t run = 0, triangle = 0;
    for (uint32_t i = 0; i < drawing->index_count; i++)
    {
        if (drawing->indices[i] == UINT32_MAX)
        {
            run = 0;
            continue;
        }
        run++;
        bool ends = drawing->strips ? run >= 3 : run % 3 == 0;
        if (!ends)
            continue;
        const uint32_t *last = &drawing->indices[i];
        bool turned = drawing->strips && run % 2 == 0;
        const float *corner[3] = {drawing->positions[last[turned ? -1 : -2]],
                                  drawing->positions[last[turned ? -2 : -1]], drawing->positions[last[0]]};
        see(corner, drawing->planes[triangle++], user);
    }
}

/* The centre of a pixel is at most half its diagonal away from any point of it. What is drawn differs from the given
 * hulls by up to 1/8 of a pixel across (OpenGL guarantees 4 bits below a pixel; the rest is reserve, also for what the
 * place of a tile adds to the rounding of positions, 2^-14, and for the corners where hulls are cut off), 2^-20 of the
 * largest pixel for positions and planes in float, and 2^-18 of the depths, besides the errors of the view. */
double image_sampled_size(const image_view *view)
{
    double pitch[2], off[2];
    for (int axis = 0; axis < 2; axis++)
    {
        pitch[axis] = 1.0 / view->scale[axis];
        off[axis] = pitch[axis] * (0.125 + 0x1p-20 * view->reach[axis] + view->error[axis]);
    }
    double deep = (0x1p-18 + view->error[2]) / view->depth_scale;
    double half = 0.5 * sqrt(pitch[0] * pitch[0] + pitch[1] * pitch[1]);
    return 2.0 * (half + sqrt(off[0] * off[0] + off[1] * off[1]) + deep) * (1.0 + 1e-6);
}

int image_side_for(const image_view *view, double wanted, int limit)
{
    image_view fine = *view;
    int side = 1;
    for (; side < limit; side = 2 * side < limit ? 2 * side : limit)
    {
        fine.side = side;
        for (int axis = 0; axis < 2; axis++)
            fine.scale[axis] = view->scale[axis] * side / view->side,
            fine.reach[axis] = view->reach[axis] * side / view->side,
            fine.error[axis] = view->error[axis] * side / view->side;
        if (image_sampled_size(&fine) <= wanted)
            break;
    }
    return side;
}

/* ---- objects ---- */

static carom_status create_body(gpu_device *device, image_stencil *out, int body)
{
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &out->positions[body]));
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &out->indices[body]));
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &out->planes[body]));
    gpu_attribute position = {
        .location = 0, .type = GPU_FLOAT, .components = 4, .buffer = &out->positions[body], .offset = 0, .stride = 16};
    BASE_TRY(gpu_layout_create(device, &position, 1, &out->indices[body], &out->layouts[body]));
    return gpu_buffer_texture(device, &out->planes[body], GPU_RGBA32F, &out->plane_textures[body]);
}

carom_status image_stencil_create(gpu_device *device, image_stencil *out)
{
    *out = (image_stencil){.device = device};
    gpu_program_def piece = {.vertex = "piece.vert.glsl", .fragment = "piece.frag.glsl"};
    gpu_program_def cover = {.vertex = "tiles.vert.glsl", .fragment = "cover.frag.glsl"};
    BASE_TRY(gpu_program_create(device, &piece, &out->piece));
    BASE_TRY(gpu_program_create(device, &cover, &out->cover));
    for (int body = 0; body < 2; body++)
        BASE_TRY(create_body(device, out, body));
    BASE_TRY(gpu_layout_create(device, NULL, 0, NULL, &out->nothing));
    BASE_TRY(gpu_query_create(device, false, &out->queries[0]));
    return gpu_query_create(device, false, &out->queries[1]);
}

void image_stencil_destroy(image_stencil *stencil)
{
    gpu_device *device = stencil->device;
    for (int body = 0; body < 2; body++)
    {
        gpu_layout_destroy(device, &stencil->layouts[body]);
        gpu_texture_destroy(device, &stencil->plane_textures[body]);
        gpu_buffer_destroy(device, &stencil->positions[body]);
        gpu_buffer_destroy(device, &stencil->indices[body]);
        gpu_buffer_destroy(device, &stencil->planes[body]);
    }
    gpu_layout_destroy(device, &stencil->nothing);
    gpu_target_destroy(device, &stencil->target);
    gpu_program_destroy(device, &stencil->piece);
    gpu_program_destroy(device, &stencil->cover);
    gpu_query_destroy(device, &stencil->queries[0]);
    gpu_query_destroy(device, &stencil->queries[1]);
}

/* ---- passes ---- */

static carom_status load(image_stencil *stencil, int body, const image_drawing *drawing)
{
    gpu_device *device = stencil->device;
    BASE_TRY(gpu_buffer_replace(device, &stencil->positions[body], drawing->positions,
                                drawing->position_count * sizeof *drawing->positions));
    BASE_TRY(gpu_buffer_replace(device, &stencil->indices[body], drawing->indices,
                                drawing->index_count * sizeof *drawing->indices));
    return gpu_buffer_replace(device, &stencil->planes[body], drawing->planes,
                              drawing->plane_count * sizeof *drawing->planes);
}

static carom_status fit_target(image_stencil *stencil, const image_view *view)
{
    uint32_t side = (uint32_t)view->side;
    if (stencil->target.width == side)
        return CAROM_OK;
    gpu_target_destroy(stencil->device, &stencil->target);
    stencil->target = (gpu_target){0};
    gpu_target_def def = {.width = side, .height = side, .depth = GPU_DEPTH32F_STENCIL8};
    return gpu_target_create(stencil->device, &def, &stencil->target);
}

static carom_status draw_body(image_stencil *stencil, int body, const image_drawing *drawing, const gpu_state *state)
{
    gpu_draw_def draw = gpu_draw_def_default();
    draw.target = &stencil->target, draw.program = &stencil->piece, draw.layout = &stencil->layouts[body];
    draw.state = state, draw.mode = drawing->strips ? GPU_TRIANGLE_STRIP : GPU_TRIANGLES;
    draw.count = drawing->index_count, draw.textures[0] = &stencil->plane_textures[body];
    stencil->stats.passes++, stencil->stats.triangles += drawing->plane_count;
    stencil->stats.pixels += (uint64_t)stencil->target.width * stencil->target.height;
    return gpu_draw(stencil->device, &draw);
}

/* The mark of what was 3 before stays out of the way of counting. */
enum
{
    COUNT_BITS = 0x7f,
    MARK = 0x80
};

/* A's front sets depth and 1; B adds 1 for each fragment that is not nearer (2.4.4, steps 2 and 3). */
gpu_state image_stencil_state(bool front, uint8_t mask)
{
    gpu_state state = gpu_state_default();
    state.color_write = false, state.depth_test = state.depth_clamp = state.stencil_test = true;
    state.cull = front ? GPU_CULL_BACK : GPU_CULL_NONE;
    state.depth_write = front, state.depth_compare = front ? GPU_LESS : GPU_GREATER_EQUAL;
    state.front = front ? (gpu_stencil_face){GPU_ALWAYS, 1, mask, mask, GPU_KEEP, GPU_KEEP, GPU_REPLACE}
                        : (gpu_stencil_face){GPU_LESS_EQUAL, 1, mask, mask, GPU_KEEP, GPU_KEEP, GPU_INCREASE};
    state.back = state.front;
    return state;
}

static carom_status count(image_stencil *stencil, const image_drawing drawings[2], int first)
{
    gpu_state front = image_stencil_state(true, COUNT_BITS), both = image_stencil_state(false, COUNT_BITS);
    BASE_TRY(draw_body(stencil, first, &drawings[first], &front));
    return draw_body(stencil, !first, &drawings[!first], &both);
}

/* Asks whether any pixel has this value (under the mask). */
static carom_status ask(image_stencil *stencil, gpu_query *query, uint8_t value, uint8_t mask)
{
    gpu_state state = gpu_state_default();
    gpu_draw_def draw = gpu_draw_def_default();
    state.color_write = false, state.stencil_test = true;
    state.front = state.back = (gpu_stencil_face){GPU_EQUAL, value, mask, 0, GPU_KEEP, GPU_KEEP, GPU_KEEP};
    draw.target = &stencil->target, draw.program = &stencil->cover, draw.layout = &stencil->nothing;
    draw.state = &state, draw.mode = GPU_TRIANGLE_STRIP, draw.count = 4;
    BASE_TRY(gpu_query_begin(stencil->device, query));
    BASE_TRY(gpu_draw(stencil->device, &draw));
    return gpu_query_end(stencil->device, query);
}

/* Both questions are asked before the first answer is waited for: a driver that has to be waited for takes longer for
 * that than for either of them. The second is answered only if the first is not the case. */
static carom_status any_pixels(image_stencil *stencil, uint8_t second, uint8_t mask, bool found[2])
{
    uint64_t results[2] = {0};
    double start = base_now();
    BASE_TRY(ask(stencil, &stencil->queries[0], 2, COUNT_BITS));
    BASE_TRY(ask(stencil, &stencil->queries[1], second, mask));
    BASE_TRY(gpu_query_result(stencil->device, &stencil->queries[0], &results[0]));
    if (results[0] == 0)
        BASE_TRY(gpu_query_result(stencil->device, &stencil->queries[1], &results[1]));
    stencil->stats.query_seconds += base_now() - start;
    found[0] = results[0] != 0, found[1] = results[1] != 0;
    return CAROM_OK;
}

/* Pixels at 3 become marked, all others 0; depth is cleared (step 5). */
static carom_status mark_and_clear(image_stencil *stencil)
{
    gpu_state state = gpu_state_default();
    gpu_draw_def draw = gpu_draw_def_default();
    gpu_clear_values clear = {.planes = GPU_PLANE_BIT(GPU_DEPTH), .depth = 1.0f};
    state.color_write = false, state.stencil_test = true;
    /* the reference is written: under the mask of comparison it is 3 */
    state.front = state.back =
        (gpu_stencil_face){GPU_EQUAL, MARK | 3, COUNT_BITS, 0xff, GPU_ZERO, GPU_ZERO, GPU_REPLACE};
    draw.target = &stencil->target, draw.program = &stencil->cover, draw.layout = &stencil->nothing;
    draw.state = &state, draw.mode = GPU_TRIANGLE_STRIP, draw.count = 4;
    BASE_TRY(gpu_draw(stencil->device, &draw));
    /* marked pixels count from 0 again */
    state.front = state.back = (gpu_stencil_face){GPU_ALWAYS, 0, 0xff, COUNT_BITS, GPU_ZERO, GPU_ZERO, GPU_ZERO};
    BASE_TRY(gpu_draw(stencil->device, &draw));
    return gpu_clear(stencil->device, &stencil->target, &clear);
}

void image_stencil_kept_free(carom_context *context, image_stencil_kept *kept)
{
    for (int i = 0; i < 2; i++)
    {
        base_array_free(context, &kept->depth[i]);
        base_array_free(context, &kept->stencil[i]);
    }
}

/* Reads back what was drawn, where that is wanted. */
static carom_status keep(image_stencil *stencil, bool swapped)
{
    carom_context *context = gpu_context(stencil->device);
    image_stencil_kept *kept = stencil->kept;
    size_t pixels = (size_t)stencil->target.width * stencil->target.height;
    if (!kept)
        return CAROM_OK;
    kept->swapped = swapped;
    kept->depth[swapped].count = kept->stencil[swapped].count = 0;
    if (!base_array_reserve(context, &kept->depth[swapped], pixels) ||
        !base_array_reserve(context, &kept->stencil[swapped], pixels))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine: no memory for images");
    gpu_read_def depth = {GPU_DEPTH, {0}, kept->depth[swapped].items, pixels * sizeof(float)};
    gpu_read_def counts = {GPU_STENCIL, {0}, kept->stencil[swapped].items, pixels};
    BASE_TRY(gpu_read(stencil->device, &stencil->target, &depth));
    BASE_TRY(gpu_read(stencil->device, &stencil->target, &counts));
    for (size_t i = 0; i < pixels; i++)
        kept->stencil[swapped].items[i] &= COUNT_BITS;
    return CAROM_OK;
}

static carom_status upload(image_stencil *stencil, const image_view *view, const image_drawing drawings[2])
{
    double start = base_now();
    BASE_TRY(fit_target(stencil, view));
    for (int body = 0; body < 2; body++)
        BASE_TRY(load(stencil, body, &drawings[body]));
    stencil->stats.upload_seconds += base_now() - start;
    return CAROM_OK;
}

static carom_status draw_first(image_stencil *stencil, const image_view *view, const image_drawing drawings[2])
{
    gpu_clear_values clear = {.planes = GPU_PLANE_BIT(GPU_DEPTH) | GPU_PLANE_BIT(GPU_STENCIL), .depth = 1.0f};
    float side = (float)view->side;
    gpu_uniform target_side = {"side", GPU_FLOAT, 1, 1, &side};
    double start = base_now();
    BASE_TRY(gpu_program_set(stencil->device, &stencil->piece, &target_side));
    BASE_TRY(gpu_clear(stencil->device, &stencil->target, &clear));
    BASE_TRY(count(stencil, drawings, 0));
    stencil->stats.draw_seconds += base_now() - start;
    return CAROM_OK;
}

static carom_status draw_swapped(image_stencil *stencil, const image_drawing drawings[2])
{
    double start = base_now();
    stencil->stats.swaps++;
    BASE_TRY(mark_and_clear(stencil));
    BASE_TRY(count(stencil, drawings, 1));
    stencil->stats.draw_seconds += base_now() - start;
    return CAROM_OK;
}

carom_status image_stencil_meet(image_stencil *stencil, const image_view *view, const image_drawing drawings[2],
                                bool *meets)
{
    bool found[2];
    stencil->stats.pairs++;
    BASE_TRY(upload(stencil, view, drawings));
    BASE_TRY(draw_first(stencil, view, drawings));
    BASE_TRY(keep(stencil, false));
    BASE_TRY(any_pixels(stencil, 3, COUNT_BITS, found));
    *meets = found[0];
    if (*meets || !found[1])
        return CAROM_OK;
    BASE_TRY(draw_swapped(stencil, drawings));
    BASE_TRY(keep(stencil, true));
    BASE_TRY(any_pixels(stencil, MARK | 3, 0xff, found));
    *meets = found[0] || found[1];
    return CAROM_OK;
}
