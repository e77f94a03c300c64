/* The vocabulary of base/simd.h with one lane that notes its operations. A kernel that is included after this header
 * becomes a model of itself in which an adversary rounds: every operation errs by half a unit in the last place of its
 * result, in the direction that hurts most. The sum of the effects, to first order, is what an error bound must cover;
 * a bound far above it, whatever the input, is wasteful.
 *
 * What the machine computes for the same input is beside it, as is the value without rounding. Nothing is fused. */
#ifndef TEST_SIMD_MODEL_H
#define TEST_SIMD_MODEL_H
#define BASE_SIMD_H /* in place of base/simd.h */

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct f8
{
    float computed;
    double exact; /* of the same expression; inputs are exact */
    int step;
    bool set; /* a comparison's result */
} f8;

enum
{
    MODEL_STEPS = 4096,
    MODEL_COMPARISONS = 64,
    MODEL_MAXIMA = 64,
    MODEL_KNOWN = 32
};

/* An operation: what it was made from, how its result changes with those, and by how much it may err itself. */
typedef struct model_step
{
    int from[2];
    double slope[2], error;
} model_step;

/* One model at a time: tests are single-threaded. */
static struct
{
    model_step step[MODEL_STEPS];
    int count;
    bool inputs_round;                 /* numbers that are not loaded from a node were rounded once */
    f8 compared[MODEL_COMPARISONS][2]; /* by f8_gt and f8_lt, in their order */
    int comparisons;
    f8 raised[MODEL_MAXIMA]; /* first operands of f8_max, in their order */
    int maxima;
    f8 known[MODEL_KNOWN]; /* numbers that the kernel gets as floats, with the operations behind them */
    int known_count;
} model;

static inline void model_begin(bool inputs_round)
{
    model.count = model.comparisons = model.maxima = model.known_count = 0;
    model.inputs_round = inputs_round;
}

/* Half a unit in the last place. */
static inline double model_rounding(double x) { return x == 0.0 ? 0.0 : ldexp(0x1p-24, ilogb(x)); }

static inline f8 model_input(float value, double error)
{
    if (model.count == MODEL_STEPS)
        abort();
    model.step[model.count] = (model_step){{-1, -1}, {0.0, 0.0}, error};
    return (f8){.computed = value, .exact = (double)value, .step = model.count++};
}

static inline f8 model_operation(f8 a, f8 b, const double slope[2], float computed, double exact)
{
    f8 out = model_input(computed, model_rounding(exact));
    out.exact = exact;
    for (int i = 0; i < 2; i++)
        model.step[out.step].from[i] = i ? b.step : a.step, model.step[out.step].slope[i] = slope[i];
    return out;
}

/* By how much a - b may differ from its exact value, to first order. */
static inline double model_worst(f8 a, f8 b)
{
    static double effect[MODEL_STEPS];
    int last = a.step > b.step ? a.step : b.step;
    double sum = 0.0;
    for (int i = 0; i <= last; i++)
        effect[i] = 0.0;
    effect[a.step] += 1.0, effect[b.step] -= 1.0;
    for (int i = last; i >= 0; i--)
    {
        const model_step *s = &model.step[i];
        sum += fabs(effect[i]) * s->error;
        for (int k = 0; k < 2; k++)
            if (s->from[k] >= 0)
                effect[s->from[k]] += effect[i] * s->slope[k];
    }
    return sum;
}

/* From here on f8_set1 of this number means these operations. */
static inline void model_know(f8 a)
{
    if (model.known_count < MODEL_KNOWN)
        model.known[model.known_count++] = a;
}

static inline f8 f8_set1(float a)
{
    for (int i = 0; i < model.known_count; i++)
        if (memcmp(&model.known[i].computed, &a, sizeof a) == 0)
            return model.known[i];
    return model_input(a, model.inputs_round ? model_rounding((double)a) : 0.0);
}
static inline f8 f8_load(const float *p) { return model_input(*p, 0.0); }
static inline f8 f8_loadu(const float *p) { return f8_load(p); }
static inline f8 f8_twice(const float *p) { return f8_set1(*p); }
static inline f8 f8_two(float a, float b) { return (void)b, f8_set1(a); }
static inline f8 f8_zero(void) { return model_input(0.0f, 0.0); }
static inline void f8_storeu(float *p, f8 a)
{
    for (int i = 0; i < 8; i++)
        p[i] = a.computed;
}

/* Sums with 0 and products with 0 or a power of two are exact. */
static inline bool model_is_simple(double x)
{
    int exponent;
    return x == 0.0 || fabs(frexp(x, &exponent)) == 0.5;
}

static inline f8 f8_add(f8 a, f8 b)
{
    f8 out = model_operation(a, b, (double[2]){1.0, 1.0}, a.computed + b.computed, a.exact + b.exact);
    if (a.exact == 0.0 || b.exact == 0.0)
        model.step[out.step].error = 0.0;
    return out;
}
static inline f8 f8_sub(f8 a, f8 b)
{
    f8 out = model_operation(a, b, (double[2]){1.0, -1.0}, a.computed - b.computed, a.exact - b.exact);
    if (a.exact == 0.0 || b.exact == 0.0)
        model.step[out.step].error = 0.0;
    return out;
}
static inline f8 f8_mul(f8 a, f8 b)
{
    f8 out = model_operation(a, b, (double[2]){b.exact, a.exact}, a.computed * b.computed, a.exact * b.exact);
    if (model_is_simple(a.exact) || model_is_simple(b.exact))
        model.step[out.step].error = 0.0;
    return out;
}
static inline f8 f8_div(f8 a, f8 b)
{
    return model_operation(a, b, (double[2]){1.0 / b.exact, -a.exact / (b.exact * b.exact)}, a.computed / b.computed,
                           a.exact / b.exact);
}
static inline f8 f8_sqrt(f8 a)
{
    double root = sqrt(a.exact);
    return model_operation(a, a, (double[2]){root > 0.0 ? 0.5 / root : 0.0, 0.0}, sqrtf(a.computed), root);
}
static inline f8 f8_madd(f8 a, f8 b, f8 c) { return f8_add(f8_mul(a, b), c); }
static inline f8 f8_msub(f8 a, f8 b, f8 c) { return f8_sub(f8_mul(a, b), c); }
static inline f8 f8_nmadd(f8 a, f8 b, f8 c) { return f8_sub(c, f8_mul(a, b)); }
static inline f8 f8_min(f8 a, f8 b) { return a.computed < b.computed ? a : b; }
static inline f8 f8_max(f8 a, f8 b)
{
    if (model.maxima < MODEL_MAXIMA)
        model.raised[model.maxima++] = a;
    return a.computed > b.computed ? a : b;
}

static inline f8 f8_neg(f8 a)
{
    f8 out = model_operation(a, a, (double[2]){-1.0, 0.0}, -a.computed, -a.exact);
    model.step[out.step].error = 0.0;
    return out;
}
static inline f8 f8_abs(f8 a) { return a.computed < 0.0f ? f8_neg(a) : a; }

static inline f8 model_compare(f8 a, f8 b, bool set)
{
    if (model.comparisons < MODEL_COMPARISONS)
        model.compared[model.comparisons][0] = a, model.compared[model.comparisons++][1] = b;
    return (f8){.set = set};
}
static inline f8 f8_gt(f8 a, f8 b) { return model_compare(a, b, a.computed > b.computed); }
static inline f8 f8_lt(f8 a, f8 b) { return model_compare(a, b, a.computed < b.computed); }
static inline f8 f8_or(f8 a, f8 b) { return (f8){.set = a.set || b.set}; } /* of comparisons */
static inline f8 f8_select(f8 mask, f8 yes, f8 no) { return mask.set ? yes : no; }
static inline uint32_t f8_bits(f8 mask) { return mask.set; }

/* A comparison and a number, or two comparisons. */
static inline f8 f8_and(f8 a, f8 b)
{
    if (!a.set)
        return f8_zero();
    return b.set ? (f8){.set = true} : b;
}

static inline float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline uint32_t as_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

#endif
