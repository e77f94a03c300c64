/* Arithmetic in double in which an adversary rounds, for expressions that are written with operators: every operation
 * errs by half a unit in the last place of its result, in the direction that hurts most. The sum of the effects, to
 * first order, is what an error bound must cover (compare simd_model.h, which replaces the vocabulary of a kernel). */
#ifndef TEST_DOUBLE_MODEL_H
#define TEST_DOUBLE_MODEL_H

#include <math.h>
#include <stdlib.h>

typedef struct traced
{
    double value;
    int step;
} traced;

enum
{
    TRACED_STEPS = 1024
};

typedef struct traced_step
{
    int from[2];
    double slope[2], error;
} traced_step;

/* One model at a time: tests are single-threaded. */
static struct
{
    traced_step step[TRACED_STEPS];
    int count;
} trace;

static inline void trace_begin(void) { trace.count = 0; }

/* Half a unit in the last place. */
static inline double trace_rounding(double x) { return x == 0.0 ? 0.0 : ldexp(0x1p-53, ilogb(x)); }

static inline traced traced_input(double value, double error)
{
    if (trace.count == TRACED_STEPS)
        abort();
    trace.step[trace.count] = (traced_step){{-1, -1}, {0.0, 0.0}, error};
    return (traced){value, trace.count++};
}
static inline traced traced_exact(double value) { return traced_input(value, 0.0); }

static inline traced traced_operation(traced a, traced b, const double slope[2], double value, bool rounds)
{
    traced out = traced_input(value, rounds ? trace_rounding(value) : 0.0);
    for (int i = 0; i < 2; i++)
        trace.step[out.step].from[i] = i ? b.step : a.step, trace.step[out.step].slope[i] = slope[i];
    return out;
}

/* Sums with 0 and products with 0 or a power of two are exact. */
static inline bool trace_is_simple(double x)
{
    int exponent;
    return x == 0.0 || fabs(frexp(x, &exponent)) == 0.5;
}

static inline traced traced_add(traced a, traced b)
{
    return traced_operation(a, b, (double[2]){1.0, 1.0}, a.value + b.value, a.value != 0.0 && b.value != 0.0);
}
static inline traced traced_subtract(traced a, traced b)
{
    return traced_operation(a, b, (double[2]){1.0, -1.0}, a.value - b.value, a.value != 0.0 && b.value != 0.0);
}
static inline traced traced_multiply(traced a, traced b)
{
    return traced_operation(a, b, (double[2]){b.value, a.value}, a.value * b.value,
                            !trace_is_simple(a.value) && !trace_is_simple(b.value));
}
static inline traced traced_divide(traced a, traced b)
{
    return traced_operation(a, b, (double[2]){1.0 / b.value, -a.value / (b.value * b.value)}, a.value / b.value,
                            !trace_is_simple(b.value));
}
static inline traced traced_magnitude(traced a)
{
    return traced_operation(a, a, (double[2]){a.value < 0.0 ? -1.0 : 1.0, 0.0}, fabs(a.value), false);
}

/* (x0 y0 + x1 y1) + x2 y2 */
static inline traced traced_dot(const traced x[3], const traced y[3])
{
    return traced_add(traced_add(traced_multiply(x[0], y[0]), traced_multiply(x[1], y[1])),
                      traced_multiply(x[2], y[2]));
}

/* By how much a number may differ from its exact value, to first order. */
static inline double traced_worst(traced a)
{
    static double effect[TRACED_STEPS];
    double sum = 0.0;
    for (int i = 0; i <= a.step; i++)
        effect[i] = 0.0;
    effect[a.step] = 1.0;
    for (int i = a.step; i >= 0; i--)
    {
        const traced_step *s = &trace.step[i];
        sum += fabs(effect[i]) * s->error;
        for (int k = 0; k < 2; k++)
            if (s->from[k] >= 0)
                effect[s->from[k]] += effect[i] * s->slope[k];
    }
    return sum;
}

#endif
