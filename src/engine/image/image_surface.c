/* Surfaces at the centres of pixels, on the GPU and in plain C. */
#include "engine/image/image_surface.h"

/* ---- triangles ---- */

/* Pixels whose centres may be in [low, high]. */
static bool centre_range(double low, double high, uint32_t count, float out[2])
{
    double first = fmax(floor(low - 1.0), 0.0), last = fmin(ceil(high + 1.0), (double)count - 1.0);
    out[0] = (float)first, out[1] = (float)(last + 1.0);
    return first <= last;
}

/* Coefficients are at most 1; x and y up to the image's size. */
static void set_edge(carom_vec3 p, carom_vec3 q, double turn, double size, float out[3])
{
    double a = turn * (p.y - q.y), b = turn * (q.x - p.x), length = fabs(a) + fabs(b);
    a /= length, b /= length;
    double c = -(a * p.x + b * p.y);
    c += 0x1p-20 * (size + fabs(c));
    bool usable = isfinite(a) && isfinite(b) && fabs(c) < 1e30;
    out[0] = usable ? (float)a : 0.0f, out[1] = usable ? (float)b : 0.0f, out[2] = usable ? (float)c : 0.0f;
}

bool image_surface_prepare(uint32_t columns, uint32_t rows, const carom_vec3 corner[3], uint32_t number,
                           image_surface_record *out)
{
    *out = (image_surface_record){.number = number};
    carom_vec3 low = vec3_min(corner[0], vec3_min(corner[1], corner[2]));
    carom_vec3 high = vec3_max(corner[0], vec3_max(corner[1], corner[2]));
    carom_vec3 s = vec3_sub(corner[1], corner[0]), t = vec3_sub(corner[2], corner[0]);
    double bound, area = exact_filter2d(s.x, s.y, t.x, t.y, &bound);
    float across[2], up[2];
    if (!(fabs(area) > bound) || !centre_range(low.x, high.x, columns, across) ||
        !centre_range(low.y, high.y, rows, up) || low.z > 1.0 || high.z < 0.0)
        return false;
    out->rect[0] = across[0], out->rect[1] = up[0], out->rect[2] = across[1], out->rect[3] = up[1];
    for (int i = 0; i < 3; i++)
        set_edge(corner[i], corner[(i + 1) % 3], area > 0.0 ? 1.0 : -1.0, (double)columns + rows, out->edge[i]);
    double g = (s.z * t.y - s.y * t.z) / area, h = (s.x * t.z - s.z * t.x) / area;
    double z = corner[0].z - g * corner[0].x - h * corner[0].y;
    out->low = (float)fmax(low.z, 0.0), out->high = (float)fmin(high.z, 1.0);
    bool usable = fabs(g) < 1e25 && fabs(h) < 1e25 && fabs(z) < 1e25;
    out->plane[0] = usable ? (float)g : 0.0f, out->plane[1] = usable ? (float)h : 0.0f;
    out->plane[2] = usable ? (float)z : out->low;
    return true;
}

/* ---- on the GPU ---- */

carom_status image_surface_create(gpu_device *device, image_surface *out)
{
    enum
    {
        VECTORS = 5
    };
    *out = (image_surface){.device = device};
    gpu_program_def def = {.vertex = "surface.vert.glsl", .fragment = "surface.frag.glsl"};
    BASE_TRY(gpu_program_create(device, &def, &out->program));
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &out->records));
    gpu_attribute attributes[VECTORS + 1];
    for (uint32_t i = 0; i <= VECTORS; i++)
        attributes[i] = (gpu_attribute){.location = i,
                                        .type = i < VECTORS ? GPU_FLOAT : GPU_UINT,
                                        .components = i < VECTORS ? 4 : 1,
                                        .buffer = &out->records,
                                        .offset = i < VECTORS ? 16 * i : offsetof(image_surface_record, number),
                                        .stride = sizeof(image_surface_record),
                                        .per_instance = true};
    attributes[VECTORS - 1].components = 3; /* the fourth is the number */
    return gpu_layout_create(device, attributes, VECTORS + 1, NULL, &out->layout);
}

void image_surface_destroy(image_surface *surface)
{
    gpu_target_destroy(surface->device, &surface->target);
    gpu_layout_destroy(surface->device, &surface->layout);
    gpu_buffer_destroy(surface->device, &surface->records);
    gpu_program_destroy(surface->device, &surface->program);
}

static carom_status fit_target(image_surface *surface, const image_surface_job *job)
{
    if (surface->target.width == job->columns && surface->target.height == job->rows)
        return CAROM_OK;
    gpu_target_destroy(surface->device, &surface->target);
    gpu_target_def def = {.width = job->columns, .height = job->rows, .colors = {GPU_R32UI}, .depth = GPU_DEPTH32F};
    return gpu_target_create(surface->device, &def, &surface->target);
}

static carom_status draw_records(image_surface *surface, const image_surface_job *job)
{
    gpu_clear_values clear = {.planes = GPU_PLANE_BIT(GPU_COLOR0) | GPU_PLANE_BIT(GPU_DEPTH)};
    gpu_state state = gpu_state_default();
    gpu_draw_def draw = gpu_draw_def_default();
    float size[2] = {(float)job->columns, (float)job->rows};
    gpu_uniform target_size = {"target_size", GPU_FLOAT, 2, 1, size};
    clear.depth = job->farthest ? 0.0f : 1.0f;
    state.depth_test = state.depth_write = true;
    /* as far as where nothing is counts: bodies may end there */
    state.depth_compare = job->farthest ? GPU_GREATER_EQUAL : GPU_LESS_EQUAL;
    draw.target = &surface->target, draw.program = &surface->program, draw.layout = &surface->layout;
    draw.state = &state, draw.mode = GPU_TRIANGLE_STRIP, draw.count = 4;
    draw.instances = (uint32_t)job->records->count;
    BASE_TRY(gpu_buffer_replace(surface->device, &surface->records, job->records->items,
                                job->records->count * sizeof *job->records->items));
    BASE_TRY(gpu_clear(surface->device, &surface->target, &clear));
    BASE_TRY(gpu_program_set(surface->device, &surface->program, &target_size));
    return gpu_draw(surface->device, &draw);
}

carom_status image_surface_draw(image_surface *surface, const image_surface_job *job)
{
    size_t count = (size_t)job->columns * job->rows;
    BASE_TRY(fit_target(surface, job));
    BASE_TRY(draw_records(surface, job));
    gpu_read_def numbers = {GPU_COLOR0, {0}, job->numbers, count * sizeof *job->numbers};
    gpu_read_def depths = {GPU_DEPTH, {0}, job->depths, count * sizeof *job->depths};
    BASE_TRY(gpu_read(surface->device, &surface->target, &numbers));
    return job->depths ? gpu_read(surface->device, &surface->target, &depths) : CAROM_OK;
}

/* ---- the twin ---- */

static void draw_record(const image_surface_job *job, const image_surface_record *record)
{
    for (uint32_t row = (uint32_t)record->rect[1]; row < (uint32_t)record->rect[3]; row++)
        for (uint32_t column = (uint32_t)record->rect[0]; column < (uint32_t)record->rect[2]; column++)
        {
            float x = (float)column + 0.5f, y = (float)row + 0.5f;
            bool inside = true;
            for (int i = 0; i < 3; i++)
                inside = inside && record->edge[i][0] * x + record->edge[i][1] * y + record->edge[i][2] >= 0.0f;
            if (!inside)
                continue;
            float depth = record->plane[0] * x + record->plane[1] * y + record->plane[2];
            depth = fminf(fmaxf(depth, record->low), record->high);
            size_t at = (size_t)row * job->columns + column;
            if (job->farthest ? depth < job->depths[at] : depth > job->depths[at])
                continue;
            job->depths[at] = depth, job->numbers[at] = record->number;
        }
}

void image_surface_draw_twin(const image_surface_job *job)
{
    for (size_t i = 0; i < (size_t)job->columns * job->rows; i++)
        job->numbers[i] = 0, job->depths[i] = job->farthest ? 0.0f : 1.0f;
    for (size_t i = 0; i < job->records->count; i++)
        draw_record(job, &job->records->items[i]);
}
