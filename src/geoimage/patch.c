/* carom/patch.h: tensor product B-spline and NURBS patches (Piegl and Tiller, The NURBS Book, 1997, chapters 3 and 4).
 * Sums are taken over differences to the control point that matters most: so where control points are the same, the
 * result is that point exactly. */
#include "geoimage/patch.h"

#include "geoimage/geoimage.h"

struct carom_patch
{
    carom_context *context;
    geoimage_axis u, v;
    double *u_knots, *v_knots, *weights; /* no weights: null */
    carom_vec3 *points;
};

/* Weights beyond could make a sum of products overflow or vanish. */
#define MAX_WEIGHT 0x1p100
#define MIN_WEIGHT 0x1p-100
/* Half the limit of meshes, since rounding may take a sample beyond the control points. */
#define MAX_COORDINATE (MATH_COORDINATE_LIMIT / 2)

carom_patch_def carom_patch_def_default(void)
{
    carom_patch_axis_def axis = {.degree = 3, .count = 4};
    return (carom_patch_def){.u = axis, .v = axis};
}

/* ---- making one ---- */

static carom_status check_point(carom_context *context, const carom_patch_def *def, uint32_t i, uint32_t j)
{
    size_t at = (size_t)j * def->u.count + i;
    carom_vec3 p = def->points[at];
    if (!vec3_finite(p))
        return base_fail(context, CAROM_NOT_FINITE, "control point (%u, %u): a coordinate is not finite", i, j);
    if (fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) > MAX_COORDINATE)
        return base_fail(context, CAROM_OUT_OF_RANGE, "control point (%u, %u): a coordinate is beyond 2^99", i, j);
    double weight = def->weights ? def->weights[at] : 1;
    if (!isfinite(weight))
        return base_fail(context, CAROM_NOT_FINITE, "control point (%u, %u): its weight is not finite", i, j);
    if (!(weight >= MIN_WEIGHT && weight <= MAX_WEIGHT))
        return base_fail(context, CAROM_OUT_OF_RANGE,
                         "control point (%u, %u): its weight is %g; from 2^-100 to 2^100 are possible", i, j, weight);
    return CAROM_OK;
}

static carom_status check_def(carom_context *context, const carom_patch_def *def)
{
    BASE_TRY(geoimage_axis_check(context, &def->u, "u"));
    BASE_TRY(geoimage_axis_check(context, &def->v, "v"));
    for (uint32_t j = 0; j < def->v.count; j++)
        for (uint32_t i = 0; i < def->u.count; i++)
            BASE_TRY(check_point(context, def, i, j));
    return CAROM_OK;
}

static size_t point_count(const carom_patch *patch) { return (size_t)patch->u.count * patch->v.count; }
static size_t knot_count(const geoimage_axis *axis) { return geoimage_knot_count(axis->degree, axis->count); }

static bool copy_def(carom_patch *patch, const carom_patch_def *def)
{
    carom_context *context = patch->context;
    size_t points = point_count(patch);
    patch->u_knots = base_allocate(context, knot_count(&patch->u), sizeof *patch->u_knots, 8);
    patch->v_knots = base_allocate(context, knot_count(&patch->v), sizeof *patch->v_knots, 8);
    patch->points = base_allocate(context, points, sizeof *patch->points, 8);
    if (def->weights)
        patch->weights = base_allocate(context, points, sizeof *patch->weights, 8);
    if (!patch->u_knots || !patch->v_knots || !patch->points || (def->weights && !patch->weights))
        return false;
    geoimage_axis_knots(&def->u, patch->u_knots);
    geoimage_axis_knots(&def->v, patch->v_knots);
    patch->u.knots = patch->u_knots, patch->v.knots = patch->v_knots;
    memcpy(patch->points, def->points, points * sizeof *patch->points);
    if (def->weights)
        memcpy(patch->weights, def->weights, points * sizeof *patch->weights);
    return true;
}

carom_status carom_patch_create(carom_context *context, const carom_patch_def *def, carom_patch **out)
{
    if (!context || !out)
        return CAROM_INVALID_ARGUMENT;
    *out = NULL;
    if (!def || !def->points)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "carom_patch_create: no %s", def ? "control points" : "def");
    BASE_TRY(base_check_float_mode(context));
    BASE_TRY(check_def(context, def));
    carom_patch *patch = base_allocate(context, 1, sizeof *patch, _Alignof(carom_patch));
    if (patch)
        *patch = (carom_patch){.context = context,
                               .u = {.degree = def->u.degree, .count = def->u.count},
                               .v = {.degree = def->v.degree, .count = def->v.count}};
    if (!patch || !copy_def(patch, def))
    {
        carom_patch_destroy(patch);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for a patch of %u x %u control points",
                         def->u.count, def->v.count);
    }
    *out = patch;
    return CAROM_OK;
}

void carom_patch_destroy(carom_patch *patch)
{
    if (!patch)
        return;
    carom_context *context = patch->context;
    base_release(context, patch->u_knots, knot_count(&patch->u), sizeof *patch->u_knots);
    base_release(context, patch->v_knots, knot_count(&patch->v), sizeof *patch->v_knots);
    base_release(context, patch->points, point_count(patch), sizeof *patch->points);
    base_release(context, patch->weights, point_count(patch), sizeof *patch->weights);
    base_release(context, patch, 1, sizeof *patch);
}

carom_patch_info carom_patch_get_info(const carom_patch *patch)
{
    if (!patch)
        return (carom_patch_info){0};
    const geoimage_axis *u = &patch->u, *v = &patch->v;
    size_t per_point = sizeof *patch->points + (patch->weights ? sizeof *patch->weights : 0);
    return (carom_patch_info){.u_min = u->knots[u->degree],
                              .u_max = u->knots[u->count],
                              .v_min = v->knots[v->degree],
                              .v_max = v->knots[v->count],
                              .bytes = sizeof *patch + point_count(patch) * per_point +
                                       (knot_count(u) + knot_count(v)) * sizeof *u->knots};
}

/* ---- one sample ---- */

/* The control points that matter at one place, row by row. */
typedef struct window
{
    uint32_t columns, rows;
    const geoimage_basis *u, *v;
    carom_vec3 origin;                                              /* the one that matters most */
    carom_vec3 offset[GEOIMAGE_PATCH_ORDER * GEOIMAGE_PATCH_ORDER]; /* from there */
    double weight[GEOIMAGE_PATCH_ORDER * GEOIMAGE_PATCH_ORDER];
} window;

static void open_window(const carom_patch *patch, const geoimage_basis *u, const geoimage_basis *v, window *out)
{
    size_t stride = patch->u.count, corner = v->first * stride + u->first;
    out->columns = patch->u.degree + 1, out->rows = patch->v.degree + 1;
    out->u = u, out->v = v;
    out->origin = patch->points[corner + v->largest * stride + u->largest];
    for (uint32_t j = 0; j < out->rows; j++)
        for (uint32_t i = 0; i < out->columns; i++)
        {
            size_t from = corner + j * stride + i, to = (size_t)j * out->columns + i;
            out->offset[to] = vec3_sub(patch->points[from], out->origin);
            out->weight[to] = patch->weights ? patch->weights[from] : 1;
        }
}

/* The sum of all products of basis functions and weights. */
static double sum_weights(const window *w)
{
    double sum = 0;
    for (uint32_t j = 0; j < w->rows; j++)
    {
        double row = 0;
        for (uint32_t i = 0; i < w->columns; i++)
            row += w->u->value[i] * w->v->value[j] * w->weight[j * w->columns + i];
        sum += row;
    }
    return sum;
}

/* The sample's offset. Each share is divided, not the sum, so that a point that is alone gets a share of exactly 1. */
static carom_vec3 sum_offsets(const window *w, double weights)
{
    carom_vec3 sum = {0, 0, 0};
    for (uint32_t j = 0; j < w->rows; j++)
    {
        carom_vec3 row = {0, 0, 0};
        for (uint32_t i = 0; i < w->columns; i++)
        {
            uint32_t at = j * w->columns + i;
            double share = w->u->value[i] * w->v->value[j] * w->weight[at] / weights;
            row = vec3_add(row, vec3_scale(w->offset[at], share));
        }
        sum = vec3_add(sum, row);
    }
    return sum;
}

static double largest_part(carom_vec3 a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }

/* A partial derivative, divided by the sum of the absolute values of its terms; null if they all vanish. The quotient
 * rule, since the slopes add up to 0: the sum of slope times weight times difference to the sample. */
static carom_vec3 sum_slopes(const window *w, carom_vec3 sample, const double *u, const double *v)
{
    carom_vec3 sum = {0, 0, 0};
    double size = 0, sample_size = largest_part(sample);
    for (uint32_t j = 0; j < w->rows; j++)
        for (uint32_t i = 0; i < w->columns; i++)
        {
            uint32_t at = j * w->columns + i;
            double factor = u[i] * v[j] * w->weight[at];
            sum = vec3_add(sum, vec3_scale(vec3_sub(w->offset[at], sample), factor));
            size += fabs(factor) * (largest_part(w->offset[at]) + sample_size);
        }
    return size > 0 ? vec3(sum.x / size, sum.y / size, sum.z / size) : sum;
}

/* Both derivatives err by less than (24 (p + q) + 40) 2^-53, so what is not clearly longer than that may have any
 * direction. */
static carom_vec3 find_normal(const window *w, carom_vec3 sample)
{
    carom_vec3 along_u = sum_slopes(w, sample, w->u->slope, w->v->value);
    carom_vec3 along_v = sum_slopes(w, sample, w->u->value, w->v->slope);
    carom_vec3 normal = vec3_cross(along_u, along_v);
    double length = vec3_length(normal), noise = 0x1p-53 * 256 * (w->columns + w->rows);
    return length > noise ? vec3(normal.x / length, normal.y / length, normal.z / length) : vec3(0, 0, 0);
}

static carom_patch_sample take_sample(const carom_patch *patch, const geoimage_basis *u, const geoimage_basis *v)
{
    window w;
    open_window(patch, u, v, &w);
    carom_vec3 offset = sum_offsets(&w, patch->weights ? sum_weights(&w) : 1);
    return (carom_patch_sample){.position = vec3_add(w.origin, offset), .normal = find_normal(&w, offset)};
}

static carom_status check_parameter(carom_context *context, const geoimage_axis *axis, double parameter,
                                    const char *name)
{
    double min = axis->knots[axis->degree], max = axis->knots[axis->count];
    if (!isfinite(parameter))
        return base_fail(context, CAROM_NOT_FINITE, "the parameter %s is not finite", name);
    if (parameter < min || parameter > max)
        return base_fail(context, CAROM_OUT_OF_RANGE, "the parameter %s = %g is not between %g and %g", name, parameter,
                         min, max);
    return CAROM_OK;
}

carom_status carom_patch_evaluate(const carom_patch *patch, double u, double v, carom_patch_sample *out)
{
    if (!patch || !out)
        return CAROM_INVALID_ARGUMENT;
    *out = (carom_patch_sample){0};
    BASE_TRY(base_check_float_mode(patch->context));
    BASE_TRY(check_parameter(patch->context, &patch->u, u, "u"));
    BASE_TRY(check_parameter(patch->context, &patch->v, v, "v"));
    geoimage_basis basis_u, basis_v;
    geoimage_basis_at(&patch->u, u, &basis_u);
    geoimage_basis_at(&patch->v, v, &basis_v);
    *out = take_sample(patch, &basis_u, &basis_v);
    return CAROM_OK;
}

/* ---- a geometry image ---- */

typedef struct patch_work
{
    const carom_patch *patch;
    const geoimage_basis *columns; /* per column of the image */
    geoimage_grid *grid;
    bool keep; /* the normals where the patch has none, and all points */
} patch_work;

static void fill_rows(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    const patch_work *work = data;
    geoimage_grid *grid = work->grid;
    const geoimage_axis *axis = &work->patch->v;
    for (uint32_t y = first; y < last; y++)
    {
        geoimage_basis row;
        geoimage_basis_at(axis, geoimage_axis_parameter(axis, y, grid->height), &row);
        for (uint32_t x = 0; x < grid->width; x++)
        {
            size_t at = (size_t)y * grid->width + x;
            carom_patch_sample sample = take_sample(work->patch, &work->columns[x], &row);
            grid->points[at] = sample.position;
            if (!work->keep || !vec3_equal(sample.normal, vec3(0, 0, 0)))
                grid->normals[at] = sample.normal;
        }
    }
}

static bool has_normal(const geoimage_grid *grid, size_t at) { return !vec3_equal(grid->normals[at], vec3(0, 0, 0)); }

/* The normal of a neighbour at the same place: for the ends of an edge that is contracted to a point, where all cells
 * around may be degenerate. */
static void borrow_normal(geoimage_grid *grid, uint32_t x, uint32_t y)
{
    size_t width = grid->width, at = y * width + x;
    const size_t neighbour[4] = {x > 0 ? at - 1 : at, x + 1 < width ? at + 1 : at, y > 0 ? at - width : at,
                                 y + 1 < grid->height ? at + width : at};
    for (int i = 0; i < 4 && !has_normal(grid, at); i++)
        if (vec3_equal(grid->points[neighbour[i]], grid->points[at]))
            grid->normals[at] = grid->normals[neighbour[i]];
}

static void fill_from_patch(geoimage_grid *grid, const void *user)
{
    patch_work work = *(const patch_work *)user;
    size_t points = (size_t)grid->width * grid->height, at = 0;
    work.grid = grid;
    base_parallel_for(grid->context, grid->height, 1, fill_rows, &work);
    while (at < points && has_normal(grid, at))
        at++;
    if (at == points)
        return;
    /* Some have none, as at the poles of a sphere: start with those of the cells. */
    geoimage_grid_normals(grid);
    work.keep = true;
    base_parallel_for(grid->context, grid->height, 1, fill_rows, &work);
    for (uint32_t y = 0; y < grid->height; y++)
        for (uint32_t x = 0; x < grid->width; x++)
            borrow_normal(grid, x, y);
}

carom_status carom_geoimage_create_patch(carom_context *context, const carom_patch *patch, uint32_t width,
                                         uint32_t height, carom_geoimage **out)
{
    if (!context || !out)
        return CAROM_INVALID_ARGUMENT;
    *out = NULL;
    if (!patch)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "carom_geoimage_create_patch: no patch");
    BASE_TRY(base_check_float_mode(context));
    BASE_TRY(geoimage_check_sides(context, width, height));
    geoimage_basis *columns = base_allocate(context, width, sizeof *columns, 8);
    if (!columns)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for a patch of %u x %u samples", width, height);
    for (uint32_t x = 0; x < width; x++)
        geoimage_basis_at(&patch->u, geoimage_axis_parameter(&patch->u, x, width), &columns[x]);
    patch_work work = {.patch = patch, .columns = columns};
    geoimage_source source = {.width = width, .height = height, .fill = fill_from_patch, .user = &work};
    carom_status status = geoimage_create_filled(context, &source, out);
    base_release(context, columns, width, sizeof *columns);
    return status;
}
