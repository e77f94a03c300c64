/* Sine, cosine, random numbers, noise and vectors for generators: the same bits on every machine. */
#include "scenes/numeric.h"

#include <math.h>

carom_vec3 numeric_vec(double x, double y, double z) { return (carom_vec3){x, y, z}; }
carom_vec3 numeric_add(carom_vec3 a, carom_vec3 b) { return numeric_vec(a.x + b.x, a.y + b.y, a.z + b.z); }
carom_vec3 numeric_sub(carom_vec3 a, carom_vec3 b) { return numeric_vec(a.x - b.x, a.y - b.y, a.z - b.z); }
carom_vec3 numeric_scale(carom_vec3 a, double s) { return numeric_vec(a.x * s, a.y * s, a.z * s); }
carom_vec3 numeric_mix(carom_vec3 a, carom_vec3 b, double t)
{
    return numeric_add(numeric_scale(a, 1.0 - t), numeric_scale(b, t));
}
double numeric_dot(carom_vec3 a, carom_vec3 b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }
carom_vec3 numeric_cross(carom_vec3 a, carom_vec3 b)
{
    return numeric_vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
double numeric_length(carom_vec3 a) { return sqrt(numeric_dot(a, a)); }
carom_vec3 numeric_normalised(carom_vec3 a)
{
    double length = numeric_length(a);
    return length > 0.0 ? numeric_scale(a, 1.0 / length) : numeric_vec(1.0, 0.0, 0.0);
}

/* ---- sine and cosine ---- */

/* Taylor series on an eighth of a turn, where the next term is below half a unit in the last place. */
static double sine_series(double x)
{
    double s = x * x;
    double p = -1.0 / 1307674368000.0;
    p = p * s + 1.0 / 6227020800.0;
    p = p * s - 1.0 / 39916800.0;
    p = p * s + 1.0 / 362880.0;
    p = p * s - 1.0 / 5040.0;
    p = p * s + 1.0 / 120.0;
    p = p * s - 1.0 / 6.0;
    return x + x * (s * p);
}

static double cosine_series(double x)
{
    double s = x * x;
    double p = 1.0 / 20922789888000.0;
    p = p * s - 1.0 / 87178291200.0;
    p = p * s + 1.0 / 479001600.0;
    p = p * s - 1.0 / 3628800.0;
    p = p * s + 1.0 / 40320.0;
    p = p * s - 1.0 / 720.0;
    p = p * s + 1.0 / 24.0;
    p = p * s - 0.5;
    return 1.0 + s * p;
}

void numeric_sin_cos(double turns, double *sine, double *cosine)
{
    static const double TWO_PI = 6.283185307179586;
    /* Nearest multiple of a quarter turn; both the product and the difference are exact. */
    double quarters = turns * 4.0;
    int64_t nearest = (int64_t)(quarters + (quarters < 0.0 ? -0.5 : 0.5));
    double angle = (quarters - (double)nearest) * (TWO_PI / 4.0);
    double s = sine_series(angle), c = cosine_series(angle);
    switch ((unsigned)(nearest & 3))
    {
    case 0: *sine = s, *cosine = c; break;
    case 1: *sine = c, *cosine = -s; break;
    case 2: *sine = -s, *cosine = -c; break;
    default: *sine = -c, *cosine = s; break;
    }
}

/* ---- random numbers ---- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t numeric_next(numeric_random *random) { return mix(random->state += 0x9e3779b97f4a7c15u); }

double numeric_uniform(numeric_random *random, double low, double high)
{
    return low + (high - low) * ((double)(numeric_next(random) >> 11) * 0x1p-53);
}

carom_vec3 numeric_direction(numeric_random *random)
{
    for (;;)
    {
        double x = numeric_uniform(random, -1.0, 1.0), y = numeric_uniform(random, -1.0, 1.0),
               z = numeric_uniform(random, -1.0, 1.0);
        carom_vec3 v = numeric_vec(x, y, z);
        double square = numeric_dot(v, v);
        if (square > 0.01 && square <= 1.0)
            return numeric_scale(v, 1.0 / sqrt(square));
    }
}

carom_pose numeric_orientation(numeric_random *random, carom_vec3 translation)
{
    /* A point uniform in the four-ball, pushed to its surface. */
    for (;;)
    {
        double q[4], square = 0.0;
        for (int i = 0; i < 4; i++)
        {
            q[i] = numeric_uniform(random, -1.0, 1.0);
            square += q[i] * q[i];
        }
        if (square > 0.01 && square <= 1.0)
            return carom_pose_from_quaternion(q, translation);
    }
}

/* ---- noise ---- */

static double lattice_value(int64_t x, int64_t y, int64_t z, uint64_t seed)
{
    uint64_t h = mix(seed + 0x9e3779b97f4a7c15u * (uint64_t)x);
    h = mix(h + 0xd1b54a32d192ed03u * (uint64_t)y);
    h = mix(h + 0x8cb92ba72f3d8dd7u * (uint64_t)z);
    return (double)(h >> 11) * 0x1p-52 - 1.0;
}

static int64_t cell_of(double x, double *inside)
{
    int64_t cell = (int64_t)x;
    if ((double)cell > x)
        cell--;
    double t = x - (double)cell;
    *inside = t * t * (3.0 - 2.0 * t); /* smooth step */
    return cell;
}

static double lattice_noise(carom_vec3 p, uint64_t seed)
{
    double u, v, w;
    int64_t x = cell_of(p.x, &u), y = cell_of(p.y, &v), z = cell_of(p.z, &w);
    double planes[2];
    for (int k = 0; k < 2; k++)
    {
        double rows[2];
        for (int j = 0; j < 2; j++)
            rows[j] = (1.0 - u) * lattice_value(x, y + j, z + k, seed) + u * lattice_value(x + 1, y + j, z + k, seed);
        planes[k] = (1.0 - v) * rows[0] + v * rows[1];
    }
    return (1.0 - w) * planes[0] + w * planes[1];
}

double numeric_noise(carom_vec3 point, uint64_t seed, int octaves)
{
    double sum = 0.0, amplitude = 1.0, total = 0.0;
    for (int octave = 0; octave < octaves; octave++)
    {
        sum += amplitude * lattice_noise(point, seed + (uint64_t)octave);
        total += amplitude;
        amplitude *= 0.5;
        point = numeric_scale(point, 2.0);
    }
    return sum / total;
}
