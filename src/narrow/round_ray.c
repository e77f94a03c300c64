/* A ray against a ball or capsule. Signs of polynomials decide which part of the surface it enters through, if any, and
 * t is computed for that part alone.
 *
 * The planes across the axis at its ends separate the cylinder from the half balls. Where the ray crosses these planes,
 * two signs matter: is it within the radius of the axis, and does it come nearer to the axis? docs/exactness.md shows
 * that they leave one part of the surface. */
#include "narrow/ray.h"
#include "narrow/round.h"

/* Lengths, not too small even where squares underflow. */
typedef struct ray_sizes
{
    double d, e, r[2], radius;
} ray_sizes;

typedef struct ray_terms
{
    exact_ray_round exact;
    carom_vec3 d, e, r[2]; /* r: from the origin to the ends; each rounded once */
    ray_sizes size;
    bool filters_hold;
    narrow_counts *counts;
} ray_terms;

static double size_of(carom_vec3 v) { return vec3_length(v) + 0x1p-530; }

static ray_terms terms_of(const narrow_ray *ray, const narrow_round *round, narrow_counts *counts)
{
    carom_vec3 low = round->end[0], high = round->end[1];
    shape_sort2(&low, &high);
    carom_vec3 d = ray->direction, e = vec3_sub(high, low);
    carom_vec3 r[2] = {vec3_sub(low, ray->origin), vec3_sub(high, ray->origin)};
    return (ray_terms){.exact = {ray->origin, d, {low, high}, round->radius},
                       .d = d,
                       .e = e,
                       .r = {r[0], r[1]},
                       .size = {size_of(d), size_of(e), {size_of(r[0]), size_of(r[1])}, round->radius},
                       .filters_hold = ray_in_range(d),
                       .counts = counts};
}

/* The same with the ends, hence e, the other way round. */
static void turn(ray_terms *terms)
{
    carom_vec3 end = terms->exact.end[0], r = terms->r[0];
    double size = terms->size.r[0];
    terms->exact.end[0] = terms->exact.end[1], terms->exact.end[1] = end;
    terms->r[0] = terms->r[1], terms->r[1] = r;
    terms->size.r[0] = terms->size.r[1], terms->size.r[1] = size;
    terms->e = vec3(-terms->e.x, -terms->e.y, -terms->e.z);
}

/* ---- the filter: a term in double, and a bound on its error: so many roundings of a product of lengths, derived in
 * docs/exactness.md, section 18 ---- */

static const double ROUNDING = 0x1p-53, ABSOLUTE = 0x1p-600;

static double square_of(double x) { return x * x; }

static BASE_ALWAYS_INLINE double filter(const ray_terms *in, exact_ray_term term, int end, double *bound)
{
    carom_vec3 d = in->d, e = in->e, r = in->r[end], c;
    double radius = in->size.radius, around = radius * radius + in->size.r[end] * in->size.r[end];
    double de = in->size.d * in->size.e, value = 0.0, size = 0.0, roundings = 0.0;
    switch (term)
    {
    case EXACT_RAY_ALONG: value = vec3_dot(d, e), size = de, roundings = 4.25; break;
    case EXACT_RAY_LENGTH: value = vec3_dot(e, e), size = square_of(in->size.e), roundings = 5.25; break;
    case EXACT_RAY_BEYOND: value = vec3_dot(r, e), size = in->size.r[end] * in->size.e, roundings = 5.25; break;
    case EXACT_RAY_AHEAD: value = vec3_dot(r, d), size = in->size.r[end] * in->size.d, roundings = 4.25; break;
    case EXACT_RAY_APPROACH:
        value = vec3_dot(vec3_cross(r, e), vec3_cross(d, e));
        size = in->size.r[end] * in->size.e * de, roundings = 11.0;
        break;
    case EXACT_RAY_CLOSING:
        value = vec3_dot(vec3_cross(r, d), vec3_cross(d, e));
        size = in->size.r[end] * in->size.d * de, roundings = 9.75;
        break;
    case EXACT_RAY_PASS:
        c = vec3_cross(d, e);
        value = radius * radius * vec3_dot(c, c) - square_of(vec3_dot(r, c));
        size = around * (de * de), roundings = 16.75;
        break;
    case EXACT_RAY_OFF_AXIS:
        c = vec3_cross(r, e);
        value = vec3_dot(c, c) - radius * radius * vec3_dot(e, e);
        size = around * square_of(in->size.e), roundings = 13.0;
        break;
    case EXACT_RAY_DISC:
        c = vec3_cross(e, vec3_cross(r, d));
        value = square_of(radius * vec3_dot(d, e)) - vec3_dot(c, c);
        size = around * (de * de), roundings = 17.5;
        break;
    case EXACT_RAY_OFF_END: value = vec3_dot(r, r) - radius * radius, size = around, roundings = 6.25; break;
    case EXACT_RAY_CHORD:
        c = vec3_cross(r, d);
        value = radius * radius * vec3_dot(d, d) - vec3_dot(c, c);
        size = around * square_of(in->size.d), roundings = 10.75;
        break;
    }
    *bound = roundings * ROUNDING * size + ABSOLUTE;
    return value;
}

static BASE_ALWAYS_INLINE int sign_of(const ray_terms *in, exact_ray_term term, int end)
{
    double bound, value = filter(in, term, end, &bound);
    int sign = in->filters_hold ? exact_filter_sign(value, bound) : 0;
    if (BASE_LIKELY(sign != 0))
        return sign;
    value = exact_ray_evaluate(&in->exact, term, end, &in->counts->exact_fallbacks).value;
    return (value > 0.0) - (value < 0.0);
}

/* ---- where it enters ---- */

/* The terms of a quadratic equation A t^2 - 2 ahead t + off = 0 with A, ahead, off > 0 and ahead^2 - A off = chord
 * factor. Its smaller root is off / (ahead + sqrt(chord factor)), where nothing cancels. */
typedef struct quadratic
{
    exact_ray_kind kind; /* EXACT_AT_ORIGIN: no equation, it starts inside */
    exact_ray_term off, ahead, chord;
    bool has_factor; /* the squared length of e, else 1 */
    int end;
} quadratic;

static exact_number exact_value(const ray_terms *in, exact_ray_term term, int end)
{
    return exact_ray_evaluate(&in->exact, term, end, &in->counts->exact_fallbacks);
}

/* Powers of two apart, so that products and quotients stay in range. */
static BASE_NEVER_INLINE double exact_root(const ray_terms *in, const quadratic *q)
{
    exact_number off = exact_value(in, q->off, q->end), ahead = exact_value(in, q->ahead, q->end);
    exact_number chord = exact_value(in, q->chord, q->end);
    exact_number factor = q->has_factor ? exact_value(in, EXACT_RAY_LENGTH, q->end) : (exact_number){1.0, 0};
    double ratio = (chord.value / ahead.value) * (factor.value / ahead.value);
    ratio = ldexp(ratio, chord.exponent + factor.exponent - 2 * ahead.exponent);
    return ldexp(off.value / ahead.value / (1.0 + sqrt(ratio)), off.exponent - ahead.exponent);
}

/* In double if that keeps enough digits. An error of the chord moves the root by factor / (2 sqrt(chord factor)). */
static BASE_ALWAYS_INLINE double smaller_root(const ray_terms *in, const quadratic *q)
{
    double off_bound, ahead_bound, chord_bound, factor = q->has_factor ? vec3_dot(in->e, in->e) : 1.0;
    double off = filter(in, q->off, q->end, &off_bound), ahead = filter(in, q->ahead, q->end, &ahead_bound);
    double chord = filter(in, q->chord, q->end, &chord_bound), root = chord > 0.0 ? sqrt(chord * factor) : 0.0;
    if (BASE_UNLIKELY(!in->filters_hold || !(off_bound <= RAY_TRUSTED * off) || !(ahead_bound <= RAY_TRUSTED * ahead) ||
                      !(chord_bound * factor <= 2.0 * RAY_TRUSTED * root * ahead)))
        return exact_root(in, q);
    return off / (ahead + root);
}

/* Into the ball around an end, from outside. */
static bool enter_end(const ray_terms *in, int end, quadratic *q)
{
    if (sign_of(in, EXACT_RAY_AHEAD, end) <= 0 || sign_of(in, EXACT_RAY_CHORD, end) < 0)
        return false;
    *q = (quadratic){EXACT_AT_BALL, EXACT_RAY_OFF_END, EXACT_RAY_AHEAD, EXACT_RAY_CHORD, false, end};
    return true;
}

/* Into the cylinder between the ends, if at all, from outside and approaching the axis. */
static bool enter_side(const ray_terms *in, quadratic *q)
{
    if (sign_of(in, EXACT_RAY_PASS, 0) < 0)
        return false;
    *q = (quadratic){EXACT_AT_SIDE, EXACT_RAY_OFF_AXIS, EXACT_RAY_APPROACH, EXACT_RAY_PASS, true, 0};
    return true;
}

/* From outside of a capsule whose ends differ. */
static bool enter_capsule(ray_terms *in, quadratic *q)
{
    int along = sign_of(in, EXACT_RAY_ALONG, 0);
    if (along < 0)
        turn(in);
    if (sign_of(in, EXACT_RAY_BEYOND, 1) < 0) /* past the far end */
        return enter_end(in, 1, q);
    if (sign_of(in, EXACT_RAY_BEYOND, 0) > 0) /* before the near end */
    {
        if (along == 0 || sign_of(in, EXACT_RAY_DISC, 0) >= 0 || sign_of(in, EXACT_RAY_CLOSING, 0) <= 0)
            return enter_end(in, 0, q);
    }
    else if (sign_of(in, EXACT_RAY_APPROACH, 0) <= 0)
        return false;
    /* From here on between the ends, outside and approaching; does it reach the far end's plane like that? */
    if (along != 0 && sign_of(in, EXACT_RAY_DISC, 1) < 0 && sign_of(in, EXACT_RAY_CLOSING, 1) > 0)
        return enter_end(in, 1, q);
    return enter_side(in, q);
}

static bool enter(ray_terms *in, const narrow_round *round, quadratic *q)
{
    bool ball = round_is_ball(round);
    narrow_round origin = {{in->exact.origin, in->exact.origin}, 0.0};
    if (ball ? sign_of(in, EXACT_RAY_OFF_END, 0) <= 0
             : narrow_round_meet(&origin, round, in->counts) != CAROM_MEET_NONE)
    {
        *q = (quadratic){.kind = EXACT_AT_ORIGIN};
        return true;
    }
    return ball ? enter_end(in, 0, q) : enter_capsule(in, q);
}

bool narrow_round_ray_hit(const narrow_ray *ray, const narrow_round *round, double *t, narrow_counts *counts)
{
    ray_terms terms = terms_of(ray, round, counts);
    quadratic q;
    if (!enter(&terms, round, &q))
        return false;
    *t = q.kind == EXACT_AT_ORIGIN ? 0.0 : smaller_root(&terms, &q);
    return true;
}

exact_ray_at narrow_round_ray_at(const narrow_ray *ray, const narrow_round *round, narrow_counts *counts)
{
    ray_terms terms = terms_of(ray, round, counts);
    quadratic q = {.kind = EXACT_AT_ORIGIN};
    enter(&terms, round, &q);
    const carom_vec3 *end = terms.exact.end; /* perhaps turned */
    return (exact_ray_at){q.kind, .radius = round->radius, .point = {end[q.end], end[1 - q.end]}};
}
