/* Truth about patches in GMP rationals. */
#include "support/patch_truth.h"

#include "math/math.h"

#include <stdlib.h>

/* ---- basis functions ---- */

typedef struct functions
{
    uint32_t count; /* of control points */
    mpq_t *value, *slope;
} functions;

static mpq_t *make_numbers(uint32_t count)
{
    mpq_t *numbers = malloc(count * sizeof *numbers);
    for (uint32_t i = 0; i < count; i++)
        mpq_init(numbers[i]);
    return numbers;
}

static void free_numbers(mpq_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        mpq_clear(numbers[i]);
    free(numbers);
}

/* out = (a - b) / (c - d) * factor, with x / 0 = 0. */
static void ratio(mpq_t out, const double abcd[4], const mpq_t factor)
{
    mpq_t a, b;
    mpq_init(a), mpq_init(b);
    mpq_set_d(a, abcd[2]), mpq_set_d(b, abcd[3]);
    mpq_sub(a, a, b);
    mpq_set_ui(out, 0, 1);
    if (mpq_sgn(a) != 0)
    {
        mpq_div(out, factor, a);
        mpq_set_d(a, abcd[0]), mpq_set_d(b, abcd[1]);
        mpq_sub(a, a, b);
        mpq_mul(out, out, a);
    }
    mpq_clear(a), mpq_clear(b);
}

/* The derivatives of degree k + 1 from the values of degree k. */
static void differentiate(const double *t, uint32_t degree, const functions *f)
{
    mpq_t part, factor;
    mpq_init(part), mpq_init(factor);
    for (uint32_t i = 0; i < f->count; i++)
    {
        mpq_set_ui(factor, degree, 1);
        ratio(f->slope[i], (double[]){1, 0, t[i + degree], t[i]}, f->value[i]);
        ratio(part, (double[]){1, 0, t[i + degree + 1], t[i + 1]}, f->value[i + 1]);
        mpq_sub(f->slope[i], f->slope[i], part);
        mpq_mul(f->slope[i], f->slope[i], factor);
    }
    mpq_clear(part), mpq_clear(factor);
}

/* All functions of an axis, from degree 0 on: the definition. */
static functions make_functions(const carom_patch_axis_def *axis, double x)
{
    uint32_t knots = axis->count + axis->degree + 1;
    const double *t = axis->knots;
    functions f = {axis->count, make_numbers(knots), make_numbers(knots)};
    bool at_end = x == t[axis->count];
    for (uint32_t i = 0; i + 1 < knots; i++)
        mpq_set_ui(f.value[i], at_end ? t[i] < x && x <= t[i + 1] : t[i] <= x && x < t[i + 1], 1);
    mpq_t left, right;
    mpq_init(left), mpq_init(right);
    for (uint32_t k = 1; k <= axis->degree; k++)
    {
        if (k == axis->degree)
            differentiate(t, k, &f);
        for (uint32_t i = 0; i + k + 1 < knots; i++)
        {
            ratio(left, (double[]){x, t[i], t[i + k], t[i]}, f.value[i]);
            ratio(right, (double[]){t[i + k + 1], x, t[i + k + 1], t[i + 1]}, f.value[i + 1]);
            mpq_add(f.value[i], left, right);
        }
    }
    mpq_clear(left), mpq_clear(right);
    return f;
}

static void free_functions(functions *f, const carom_patch_axis_def *axis)
{
    free_numbers(f->value, axis->count + axis->degree + 1);
    free_numbers(f->slope, axis->count + axis->degree + 1);
}

/* ---- sums ---- */

enum
{
    WEIGHT = 3, /* the fourth coordinate */
    COORDINATES = 4
};

/* Adds u v w (x, y, z, 1) to a sum. */
static void add_point(mpq_t *sum, const mpq_t u, const mpq_t v, const carom_patch_def *def, uint32_t at)
{
    mpq_t share, part;
    mpq_init(share), mpq_init(part);
    mpq_set_d(share, def->weights ? def->weights[at] : 1);
    mpq_mul(share, share, u), mpq_mul(share, share, v);
    for (int axis = 0; axis < COORDINATES; axis++)
    {
        mpq_set_d(part, axis == WEIGHT ? 1 : vec3_at(&def->points[at], axis));
        mpq_mul(part, part, share);
        mpq_add(sum[axis], sum[axis], part);
    }
    mpq_clear(share), mpq_clear(part);
}

/* (A / W)' = (A' - W' A / W) / W */
static void divide(mpq_t *out, mpq_t *slope, mpq_t *position, mpq_t weight)
{
    for (int axis = 0; axis < 3; axis++)
    {
        mpq_mul(out[axis], slope[WEIGHT], position[axis]);
        mpq_sub(out[axis], slope[axis], out[axis]);
        mpq_div(out[axis], out[axis], weight);
    }
}

void patch_truth_at(const carom_patch_def *def, double u, double v, patch_truth *out)
{
    functions fu = make_functions(&def->u, u), fv = make_functions(&def->v, v);
    mpq_t *sum = make_numbers(COORDINATES), *du = make_numbers(COORDINATES), *dv = make_numbers(COORDINATES);
    out->reach[0] = out->reach[1] = out->reach[2] = 0;
    for (uint32_t j = 0; j < def->v.count; j++)
        for (uint32_t i = 0; i < def->u.count; i++)
        {
            uint32_t at = j * def->u.count + i;
            add_point(sum, fu.value[i], fv.value[j], def, at);
            add_point(du, fu.slope[i], fv.value[j], def, at);
            add_point(dv, fu.value[i], fv.slope[j], def, at);
            for (int axis = 0; axis < 3 && mpq_sgn(fu.value[i]) && mpq_sgn(fv.value[j]); axis++)
                out->reach[axis] = fmax(out->reach[axis], fabs(vec3_at(&def->points[at], axis)));
        }
    for (int axis = 0; axis < 3; axis++)
        mpq_div(out->position[axis], sum[axis], sum[WEIGHT]);
    divide(out->along_u, du, out->position, sum[WEIGHT]);
    divide(out->along_v, dv, out->position, sum[WEIGHT]);
    free_numbers(sum, COORDINATES), free_numbers(du, COORDINATES), free_numbers(dv, COORDINATES);
    free_functions(&fu, &def->u), free_functions(&fv, &def->v);
}

/* ---- comparing ---- */

void patch_truth_init(patch_truth *truth)
{
    for (int axis = 0; axis < 3; axis++)
        mpq_init(truth->position[axis]), mpq_init(truth->along_u[axis]), mpq_init(truth->along_v[axis]);
}

void patch_truth_clear(patch_truth *truth)
{
    for (int axis = 0; axis < 3; axis++)
        mpq_clear(truth->position[axis]), mpq_clear(truth->along_u[axis]), mpq_clear(truth->along_v[axis]);
}

double patch_truth_error(const patch_truth *truth, carom_vec3 computed, int axis)
{
    mpq_t difference;
    mpq_init(difference);
    mpq_set_d(difference, vec3_at(&computed, axis));
    mpq_sub(difference, difference, truth->position[axis]);
    double out = fabs(mpq_get_d(difference));
    mpq_clear(difference);
    return out;
}

double patch_truth_bound(const patch_truth *truth, const carom_patch_def *def, int axis)
{
    return 24 * (def->u.degree + def->v.degree + 1) * 0x1p-53 * truth->reach[axis] + 0x1p-1060;
}

bool patch_truth_normal(const patch_truth *truth, carom_vec3 *normal)
{
    carom_vec3 u = {mpq_get_d(truth->along_u[0]), mpq_get_d(truth->along_u[1]), mpq_get_d(truth->along_u[2])};
    carom_vec3 v = {mpq_get_d(truth->along_v[0]), mpq_get_d(truth->along_v[1]), mpq_get_d(truth->along_v[2])};
    carom_vec3 cross = vec3_cross(u, v);
    double length = vec3_length(cross);
    if (!(length > 0.01 * vec3_length(u) * vec3_length(v)))
        return false;
    *normal = vec3_scale(cross, 1 / length);
    return true;
}
