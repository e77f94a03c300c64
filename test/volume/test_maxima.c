/* Constants of docs/exactness.md that are maxima over directions: what turning slabs rounds, over the real tables of
 * section 17, and what a world box rounds (section 8). A grid covers all directions; between its points a bound of the
 * change, or the corners of a cell, make the maximum certain. */
#include "support/own_slabs.h"

#include "volume/slabs.c" /* NOLINT(bugprone-suspicious-include): its tables are what is tested */

#include "support/check.h"

/* ---- slabs ---- */

enum
{
    GRID = 500
};

/* A triple of directions: weight i of e is minor[i] . e / determinant. */
typedef struct cone
{
    carom_vec3 direction[3], minor[3];
    double determinant;
} cone;

static bool is_power_of_two(double x)
{
    int exponent;
    return fabs(frexp(x, &exponent)) == 0.5;
}

static cone cone_of(const lift_triple *triple)
{
    cone c;
    for (int i = 0; i < 3; i++)
        c.direction[i] = vec3(triple->direction[i][0], triple->direction[i][1], triple->direction[i][2]);
    for (int i = 0; i < 3; i++)
        c.minor[i] = vec3_cross(c.direction[(i + 1) % 3], c.direction[(i + 2) % 3]);
    c.determinant = vec3_dot(c.direction[0], c.minor[0]);
    return c;
}

/* Only sums round: factors and the divisor are powers of two. */
static void check_factors(const cone *c)
{
    assert_true(is_power_of_two(c->determinant));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            assert_true(component(c->minor[i], k) == 0.0 || is_power_of_two(component(c->minor[i], k)));
}

/* K and W of section 17, and by how much each may change with e at most. */
typedef struct rounding
{
    double products, weights;
} rounding;

static rounding slope_of(const cone *c)
{
    rounding slope = {0.0, 0.0};
    for (int i = 0; i < 3; i++)
        slope.products += vec3_length(c->minor[i]) * vec3_length(c->direction[i]) / fabs(c->determinant);
    slope.weights = 2.0 * slope.products;
    return slope;
}

/* What the two sums of a weight round by, at most: a sum with 0 is exact. */
static double weight_rounding(const cone *c, int i, carom_vec3 e)
{
    carom_vec3 m = c->minor[i];
    double first = e.x * m.x + e.y * m.y, second = first + e.z * m.z;
    double sum = (m.x != 0.0 && m.y != 0.0 ? fabs(first) : 0.0) +
                 ((m.x != 0.0 || m.y != 0.0) && m.z != 0.0 ? fabs(second) : 0.0);
    return sum / fabs(c->determinant);
}

static rounding rounding_at(const cone *c, carom_vec3 e)
{
    rounding r = {0.0, 0.0};
    double off[3], length = vec3_length(e);
    for (int i = 0; i < 3; i++)
    {
        r.products += fabs(vec3_dot(c->minor[i], e) / c->determinant) * vec3_length(c->direction[i]);
        off[i] = weight_rounding(c, i, e);
    }
    for (int signs = 0; signs < 4; signs++)
    {
        carom_vec3 sum = vec3_scale(c->direction[0], off[0]);
        sum = vec3_add(sum, vec3_scale(c->direction[1], signs & 1 ? off[1] : -off[1]));
        sum = vec3_add(sum, vec3_scale(c->direction[2], signs & 2 ? off[2] : -off[2]));
        r.weights = larger(r.weights, vec3_length(sum));
    }
    return (rounding){r.products / length, r.weights / length};
}

/* Is e in the cone, or next to it? */
static bool near_cone(const cone *c, carom_vec3 e, double step)
{
    for (int i = 0; i < 3; i++)
        if (vec3_dot(c->minor[i], e) / c->determinant < -step * vec3_length(c->minor[i]) / fabs(c->determinant))
            return false;
    return true;
}

/* Over all folded directions (1, y, z), y >= z >= 0: largest on the grid, and what it may be between its points. */
static void maxima_of(const cone *c, rounding *found, rounding *certain)
{
    const double step = sqrt(0.5) / GRID;
    rounding slope = slope_of(c), most = {0.0, 0.0};
    for (int i = 0; i <= GRID; i++)
        for (int j = 0; j <= i; j++)
        {
            carom_vec3 e = vec3(1.0, (double)i / GRID, (double)j / GRID);
            if (!near_cone(c, e, step))
                continue;
            rounding here = rounding_at(c, e);
            most.products = larger(most.products, here.products), most.weights = larger(most.weights, here.weights);
        }
    found->products = larger(found->products, most.products), found->weights = larger(found->weights, most.weights);
    certain->products = larger(certain->products, most.products + step * slope.products);
    certain->weights = larger(certain->weights, most.weights + step * slope.weights);
}

/* turning: what R^T d errs by. Half of the sum is that of the diagonal; the distance itself counts half as much. */
static void check_slabs(carom_volume kind, double turning, rounding stated)
{
    uint32_t count;
    const lift_triple *triples = lift_table(kind, &count);
    rounding found = {0.0, 0.0}, certain = {0.0, 0.0};
    for (uint32_t i = 0; i < count; i++)
    {
        cone c = cone_of(&triples[i]);
        check_factors(&c);
        maxima_of(&c, &found, &certain);
    }
    double sum = turning + certain.weights + 2.0 * certain.products + 1.0;
    print_message("%s: K %.3f to %.3f, W %.3f to %.3f, together %.2f\n", carom_volume_name(kind), found.products,
                  certain.products, found.weights, certain.weights, sum);
    assert_true(found.products > stated.products - 0.02 && found.products < stated.products + 1e-9);
    assert_true(found.weights > stated.weights - 0.02 && found.weights < stated.weights + 1e-9);
    assert_true((sum / 2.0 + 0.5) * 0x1p-53 <= VOLUME_MOVING_SLABS);
}

static void turned_slabs_round_as_stated(void **state)
{
    (void)state;
    check_slabs(CAROM_VOLUME_KDOP14, 1.82, (rounding){1.94, 1.59});
    check_slabs(CAROM_VOLUME_KDOP18, 1.23, (rounding){1.74, 2.21});
    check_slabs(CAROM_VOLUME_KDOP26, 1.82, (rounding){1.74, 2.0});
}

/* ---- world boxes ---- */

enum
{
    CELLS = 256 /* of [0, 2) */
};

/* The largest power of two below x. */
static double power_below(double x)
{
    int exponent;
    double fraction = frexp(x, &exponent);
    return x > 0.0 ? ldexp(1.0, fraction == 0.5 ? exponent - 2 : exponent - 1) : 0.0;
}

/* Of coordinates below p, a row of the rotation times X, whose length is at least `length`. far: the translation
 * decides what two of the sums round by. */
static double box_rounding(carom_vec3 p, double length, bool far)
{
    double sum = p.x + p.y + p.z;
    double last = far ? 3.0 * power_below(sum) + 2.0 * sum : 5.0 * power_below(sum);
    return (2.0 * (power_below(p.x) + power_below(p.y) + power_below(p.z) + power_below(p.x + p.y)) + last +
            sum / length) /
           length;
}

/* The code pads by 14.75; every cell counts its far corner's roundings and its near corner's length. */
static void world_boxes_round_as_stated(void **state)
{
    (void)state;
    const double pad = 14.75, width = 2.0 / CELLS, above = 1.0 + 0x1p-40;
    double largest = 0.0;
    for (int i = 0; i < CELLS * CELLS * CELLS; i++)
    {
        carom_vec3 low = vec3_scale(vec3(i % CELLS, i / CELLS % CELLS, i / CELLS / CELLS), width);
        carom_vec3 high = vec3_add(low, vec3(width, width, width));
        double length = larger(vec3_length(low), 1.0);
        if (length < 2.0 && vec3_length(high) >= 1.0)
            for (int far = 0; far < 2; far++)
                largest = larger(largest, box_rounding(high, length, far));
    }
    double reached = box_rounding(vec3(2.0 / 3.0 * above, 2.0 / 3.0 * above, 2.0 / 3.0 * above), 2.0 / SQRT3, false);
    print_message("world boxes: %.3f is reached, %.3f is not passed\n", reached, largest);
    assert_true(reached > 14.45 && reached <= 14.5 && largest < pad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(turned_slabs_round_as_stated),
                                       cmocka_unit_test(world_boxes_round_as_stated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
