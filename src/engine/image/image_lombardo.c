/* lombardo: Lombardo, Cani and Neyret (1999; see filter.h). The box of one body is the volume that is viewed, and the
 * triangles of the other are drawn; what clipping leaves is what may meet it. The paper's tool is its box; here both
 * bodies take turns, and if nothing is left of either they are apart.
 *
 * Nothing depends on what a driver makes of slivers or of triangles that are seen edge on: a geometry shader tests each
 * triangle against the box, grown by all errors, and sends a point for what is left, which is counted. So this method
 * is conservative. Errors are derived where they are added. */
#include "engine/image/filter.h"
#include "volume/volume.h"

#include <stdio.h>

enum
{
    TEXELS = 64 /* the side of the target: a texel per triangle, and again from the start if there are more */
};

/* A corner of a triangle, in units of the box; seen from its middle, along its axes. */
typedef struct lombardo_corner
{
    float at[4];
} lombardo_corner;

typedef struct lombardo_pass
{
    gpu_device *device;
    gpu_program draw;
    gpu_buffer corners;
    gpu_texture texture;
    gpu_layout nothing;
    gpu_target target;
    gpu_query query;
    BASE_ARRAY(lombardo_corner) loaded; /* three per triangle */
    float half[3];                      /* of the box */
    bool drawn;
} lombardo_pass;

/* ---- objects ---- */

static carom_status fill(gpu_device *device, void *state)
{
    lombardo_pass *pass = state;
    gpu_program_def draw = {.vertex = "box.vert.glsl", .geometry = "box.geom.glsl", .fragment = "box.frag.glsl"};
    gpu_target_def target = {.width = TEXELS, .height = TEXELS, .colors = {GPU_R8UI}};
    pass->device = device;
    BASE_TRY(gpu_program_create(device, &draw, &pass->draw));
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &pass->corners));
    BASE_TRY(gpu_buffer_texture(device, &pass->corners, GPU_RGBA32F, &pass->texture));
    BASE_TRY(gpu_layout_create(device, NULL, 0, NULL, &pass->nothing));
    BASE_TRY(gpu_target_create(device, &target, &pass->target));
    return gpu_query_create(device, false, &pass->query);
}

static void forget(carom_context *context, void *state)
{
    lombardo_pass *pass = state;
    base_array_free(context, &pass->loaded);
}

/* ---- assets: the axes of a mesh's box, in its own frame ---- */

typedef struct lombardo_axes
{
    carom_vec3 axis[3];
} lombardo_axes;

static carom_status create_asset(void *owner, const carom_shape *shape, void **out)
{
    carom_context *context = owner;
    *out = NULL;
    if (shape->kind != CAROM_SHAPE_MESH || shape->mesh->triangle_count == 0)
        return CAROM_OK;
    const carom_mesh *mesh = shape->mesh;
    lombardo_axes *axes = base_allocate(context, 1, sizeof *axes, 16);
    if (!axes)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine lombardo: no memory for a box");
    volume_cloud cloud = {.vertices = mesh->vertices,
                          .indices = mesh->indices,
                          .count = mesh->triangle_count,
                          .origin = mesh->info.bounds.min};
    float fitted[VOLUME_FLOATS_MAX];
    volume_box box;
    volume_fit(CAROM_VOLUME_OBB, carom_tree_def_default().obb_fit, &cloud, fitted);
    volume_to_box(CAROM_VOLUME_OBB, fitted, &box);
    memcpy(axes->axis, box.axis, sizeof axes->axis);
    *out = axes;
    return CAROM_OK;
}

static void destroy_asset(void *owner, void *asset)
{
    if (asset)
        base_release(owner, asset, 1, sizeof(lombardo_axes));
}

/* ---- a box, and triangles as it sees them ---- */

typedef struct lombardo_view
{
    carom_vec3 axis[3], centre; /* world */
    double middle[3], half[3];  /* along the axes, from the centre */
    double scale;               /* a power of two */
} lombardo_view;

static bool is_axis(carom_vec3 axis) { return fabs(axis.x) <= 1.01 && fabs(axis.y) <= 1.01 && fabs(axis.z) <= 1.01; }

/* Any axes and centre will do: what has no point in common after an affine map has none before. */
static void set_axes(const image_question *question, int body, lombardo_view *view)
{
    const lombardo_axes *axes = question->asset[body];
    bool usable = axes != NULL;
    carom_pose turn = *question->pose[body];
    turn.translation = vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < 3 && usable; i++)
    {
        view->axis[i] = pose_apply(&turn, axes->axis[i]);
        usable = is_axis(view->axis[i]);
    }
    if (!usable)
        view->axis[0] = vec3(1.0, 0.0, 0.0), view->axis[1] = vec3(0.0, 1.0, 0.0), view->axis[2] = vec3(0.0, 0.0, 1.0);
    view->centre = vec3_scale(vec3_add(question->region.min, question->region.max), 0.5);
}

static carom_vec3 see(const lombardo_view *view, carom_vec3 world, double *spread)
{
    carom_vec3 way = vec3_sub(world, view->centre);
    *spread = fmax(*spread, fmax(fabs(way.x), fmax(fabs(way.y), fabs(way.z))));
    return vec3(vec3_dot(view->axis[0], way), vec3_dot(view->axis[1], way), vec3_dot(view->axis[2], way));
}

/* The box of a body's triangles, and the spread of both bodies. The difference, three products and two sums of a seen
 * component are each off by 2^-53 of at most 3.03 spreads, 2^-49 spreads in all; the box's corners are that, and so are
 * the triangles' that it will meet, less the middle, which adds as much again. Half of that is the box's, half theirs;
 * 2^-46 spreads are more than enough. */
static void set_box(const image_question *question, int body, lombardo_view *view)
{
    carom_vec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3(-INFINITY, -INFINITY, -INFINITY);
    double spread = 0.0, largest = 0.0;
    for (int which = 0; which < 2; which++)
    {
        const image_placed *placed = &question->placed[which];
        for (size_t i = 0; i < 3 * (size_t)placed->mesh->triangle_count; i++)
        {
            carom_vec3 seen = see(view, placed->points[placed->mesh->indices[i]], &spread);
            if (which == body)
                low = vec3_min(low, seen), high = vec3_max(high, seen);
        }
    }
    for (int i = 0; i < 3; i++)
    {
        double from = vec3_at(&low, i), to = vec3_at(&high, i);
        view->middle[i] = 0.5 * from + 0.5 * to;
        view->half[i] = fmax(to - view->middle[i], view->middle[i] - from) + 0x1p-46 * spread + 1e-200;
        largest = fmax(largest, view->half[i]);
    }
    int exponent;
    frexp(largest, &exponent);
    view->scale = ldexp(1.0, -exponent); /* the largest half is from 1/2 to 1 */
}

/* Rounded to float; what is far beyond the box may be moved, as long as it stays beyond. */
static float in_float(double value) { return (float)fmax(-1e30, fmin(1e30, value)); }

static carom_status load(lombardo_pass *pass, const lombardo_view *view, const image_placed *placed)
{
    carom_context *context = gpu_context(pass->device);
    size_t count = 3 * (size_t)placed->mesh->triangle_count;
    double spread = 0.0;
    pass->loaded.count = 0;
    if (!base_array_reserve(context, &pass->loaded, count))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine lombardo: no memory for %u triangles",
                         placed->mesh->triangle_count);
    for (size_t i = 0; i < count; i++)
    {
        carom_vec3 seen = see(view, placed->points[placed->mesh->indices[i]], &spread);
        lombardo_corner *corner = &pass->loaded.items[i];
        for (int k = 0; k < 3; k++)
            corner->at[k] = in_float((vec3_at(&seen, k) - view->middle[k]) * view->scale);
        corner->at[3] = 0.0f;
    }
    pass->loaded.count = count;
    for (int k = 0; k < 3; k++)
        pass->half[k] = math_float_up(view->half[k] * view->scale);
    return gpu_buffer_replace(pass->device, &pass->corners, pass->loaded.items, count * sizeof *pass->loaded.items);
}

/* ---- the pass ---- */

static carom_status run(lombardo_pass *pass, bool *any)
{
    gpu_state state = gpu_state_default();
    gpu_clear_values clear = {.planes = GPU_PLANE_BIT(GPU_COLOR0)};
    gpu_draw_def draw = gpu_draw_def_default();
    uint64_t left;
    draw.target = &pass->target, draw.program = &pass->draw, draw.layout = &pass->nothing, draw.state = &state;
    draw.mode = GPU_TRIANGLES, draw.count = (uint32_t)pass->loaded.count, draw.textures[0] = &pass->texture;
    BASE_TRY(gpu_clear(pass->device, &pass->target, &clear));
    BASE_TRY(gpu_program_set(pass->device, &pass->draw, &(gpu_uniform){"box", GPU_FLOAT, 3, 1, pass->half}));
    BASE_TRY(gpu_query_begin(pass->device, &pass->query));
    carom_status status = gpu_draw(pass->device, &draw);
    BASE_TRY(gpu_query_end(pass->device, &pass->query));
    BASE_TRY(status);
    BASE_TRY(gpu_query_result(pass->device, &pass->query, &left));
    *any = left != 0;
    return CAROM_OK;
}

static carom_status may_meet(void *state, const image_question *question, image_verdict *out)
{
    lombardo_pass *pass = state;
    *out = (image_verdict){.may_meet = true};
    pass->drawn = false;
    for (int body = 0; body < 2 && out->may_meet; body++)
    {
        const image_placed *other = &question->placed[!body];
        lombardo_view view;
        if (3 * (uint64_t)other->mesh->triangle_count > gpu_info(pass->device)->limits.texture_buffer)
            continue;
        set_axes(question, body, &view);
        set_box(question, body, &view);
        BASE_TRY(load(pass, &view, other));
        BASE_TRY(run(pass, &out->may_meet));
        pass->drawn = true;
    }
    return CAROM_OK;
}

/* ---- the twin of box.geom.glsl ---- */

static float largest_of(const float v[3]) { return fmaxf(fabsf(v[0]), fmaxf(fabsf(v[1]), fabsf(v[2]))); }

/* Is the triangle on one side of the box along the normal of its plane? */
static bool apart_by_plane(const float *const c[3], float edge[3][3], const float grown[3], float error)
{
    float distance = 0.0f, reach = 0.0f;
    const float *s = edge[0], *t = edge[2]; /* from corner 0 to 1, from 2 to 0 */
    for (int i = 0; i < 3; i++)
    {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        float normal = s[k] * t[l] - s[l] * t[k];
        distance = distance + normal * c[0][i], reach = reach + fabsf(normal) * grown[i];
    }
    return fabsf(distance) > reach + error;
}

/* Along the product of one of its edges and an axis? */
static bool apart_by_edge(const float *const c[3], float edge[3][3], const float grown[3], float error)
{
    bool apart = false;
    for (int i = 0; i < 3; i++)
        for (int axis = 0; axis < 3; axis++)
        {
            int k = (axis + 1) % 3, l = (axis + 2) % 3;
            const float *s = edge[i], *on = c[i], *off = c[(i + 2) % 3];
            float at_edge = s[k] * on[l] - s[l] * on[k], at_corner = s[k] * off[l] - s[l] * off[k];
            float reach = grown[k] * fabsf(s[l]) + grown[l] * fabsf(s[k]) + error;
            apart = apart || fminf(at_edge, at_corner) > reach || fmaxf(at_edge, at_corner) < -reach;
        }
    return apart;
}

static bool is_left(const lombardo_corner corners[3], const float half[3])
{
    const float *c[3] = {corners[0].at, corners[1].at, corners[2].at};
    float size = fmaxf(1.0f, fmaxf(largest_of(c[0]), fmaxf(largest_of(c[1]), largest_of(c[2]))));
    float grown[3], edge[3][3], longest = 0.0f;
    bool apart = false;
    for (int i = 0; i < 3; i++)
    {
        grown[i] = half[i] + 0x1p-22f * size;
        apart = apart || fminf(c[0][i], fminf(c[1][i], c[2][i])) > grown[i] ||
                fmaxf(c[0][i], fmaxf(c[1][i], c[2][i])) < -grown[i];
    }
    if (apart || size > 1e9f)
        return !apart;
    for (int i = 0; i < 3; i++)
    {
        for (int k = 0; k < 3; k++)
            edge[i][k] = c[(i + 1) % 3][k] - c[i][k];
        longest = fmaxf(longest, largest_of(edge[i]));
    }
    return !apart_by_plane(c, edge, grown, 0x1p-15f * size * longest * longest) &&
           !apart_by_edge(c, edge, grown, 0x1p-18f * size * longest);
}

static carom_status compare(void *state, gpu_check_result *result)
{
    lombardo_pass *pass = state;
    uint8_t drawn[TEXELS * TEXELS], computed[TEXELS * TEXELS] = {0};
    gpu_read_def read = {.plane = GPU_COLOR0, .out = drawn, .size = sizeof drawn};
    if (!pass->drawn)
        return CAROM_OK;
    BASE_TRY(gpu_read(pass->device, &pass->target, &read));
    for (size_t i = 0; i < pass->loaded.count / 3; i++)
        if (is_left(&pass->loaded.items[3 * i], pass->half))
            computed[i % sizeof computed] = 1;
    for (size_t i = 0; i < sizeof computed && i < pass->loaded.count / 3; i++)
    {
        char where[64];
        snprintf(where, sizeof where, "lombardo, triangle %zu", i);
        gpu_compare_bits(result, where, drawn[i], computed[i]);
    }
    return CAROM_OK;
}

const image_filter image_lombardo = {.name = "lombardo",
                                     .create_asset = create_asset,
                                     .destroy_asset = destroy_asset,
                                     .pass_size = sizeof(lombardo_pass),
                                     .fill = fill,
                                     .may_meet = may_meet,
                                     .compare = compare,
                                     .forget = forget};
