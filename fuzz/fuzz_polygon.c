/* One face of an OBJ file out of any bytes: the outline of a maze, with corners moved so that it may touch or cross
 * itself. Where nothing is noted, the triangles turn the polygon's way and have its area; whatever touches nowhere is
 * not noted, and what crosses is, unless a fan will do. All coordinates are small integers, so that every sum is exact.
 */
#include "fuzz/fuzz.h"
#include "support/maze.h"

#include "carom/carom.h"
#include "carom/io.h"

#include <math.h>
#include <string.h>

enum
{
    MAX_CORNERS = 2048,
    TEXT_SIZE = 64 * MAX_CORNERS
};

typedef struct decoder
{
    const uint8_t *bytes;
    size_t size, at;
} decoder;

static uint64_t next_byte(void *user)
{
    decoder *d = user;
    return d->at < d->size ? d->bytes[d->at++] : (d->at++ * 0x9e3779b97f4a7c15u) >> 56;
}

static double side_of(const double a[2], const double b[2], const double p[2])
{
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

static bool boxes_meet(const double a[2], const double b[2], const double p[2], const double q[2])
{
    for (int i = 0; i < 2; i++)
        if (fmax(a[i], b[i]) < fmin(p[i], q[i]) || fmax(p[i], q[i]) < fmin(a[i], b[i]))
            return false;
    return true;
}

/* How two sides meet: 0 not at all, 1 they touch, 2 they cross. */
static int meeting_of(const double a[2], const double b[2], const double p[2], const double q[2])
{
    if (!boxes_meet(a, b, p, q))
        return 0;
    double s[4] = {side_of(a, b, p), side_of(a, b, q), side_of(p, q, a), side_of(p, q, b)};
    if (s[0] * s[1] > 0 || s[2] * s[3] > 0)
        return 0;
    return s[0] * s[1] < 0 && s[2] * s[3] < 0 ? 2 : 1;
}

/* The worst meeting of two sides, every two of them; neighbours meet beyond their corner if they are folded. */
static int worst_meeting(double (*c)[2], size_t count)
{
    int worst = 0;
    for (size_t i = 0; i < count && worst < 2; i++)
        for (size_t k = i + 1; k < count && worst < 2; k++)
        {
            const double *a = c[i], *b = c[(i + 1) % count], *p = c[k], *q = c[(k + 1) % count];
            bool follows = k == i + 1, precedes = (k + 1) % count == i;
            int found = meeting_of(a, b, p, q);
            if (follows || precedes)
            {
                const double *tip = follows ? b : a, *one = follows ? a : b, *other = follows ? q : p;
                double inner = (one[0] - tip[0]) * (other[0] - tip[0]) + (one[1] - tip[1]) * (other[1] - tip[1]);
                bool folded = side_of(one, tip, other) == 0 && inner >= 0;
                found = folded ? 1 : 0;
            }
            worst = found > worst ? found : worst;
        }
    return worst;
}

/* Do all triangles from the first corner turn one way? */
static bool fan_will_do(double (*c)[2], size_t count)
{
    bool left = false, right = false;
    for (size_t i = 1; i + 1 < count; i++)
    {
        double turn = side_of(c[0], c[i], c[i + 1]);
        left = left || turn > 0, right = right || turn < 0;
    }
    return !(left && right);
}

static size_t make_polygon(decoder *d, double (*corners)[2])
{
    static const double thickness[4] = {0.125, 0.25, 0.375, 0.5};
    maze m = {.width = 1 + (int)(next_byte(d) % 20), .height = 2 + (int)(next_byte(d) % 20)};
    uint64_t options = next_byte(d);
    m.thickness = thickness[options % 4], m.collinear = options & 4, m.choose = next_byte, m.user = d;
    maze_corners found = {corners, 0, MAX_CORNERS};
    maze_outline(&m, &found);
    for (size_t i = 0; i < found.count; i++)
        for (int k = 0; k < 2; k++)
            corners[i][k] *= 8;
    for (uint64_t moved = options >> 3 & 7; moved > 0; moved--)
    {
        size_t at = (size_t)(next_byte(d) << 8 | next_byte(d)) % found.count;
        for (int k = 0; k < 2; k++)
            corners[at][k] += (double)(next_byte(d) % 17) - 8;
    }
    for (size_t i = 0; i < found.count / 2 && options & 64; i++)
        for (int k = 0; k < 2; k++)
        {
            double swap = corners[i][k];
            corners[i][k] = corners[found.count - 1 - i][k], corners[found.count - 1 - i][k] = swap;
        }
    return found.count;
}

/* In one of the three planes. */
static size_t write_face(double (*corners)[2], size_t count, uint64_t plane, char *text)
{
    static const char *const formats[3] = {"v %g %g 1\n", "v 1 %g %g\n", "v %g 1 %g\n"};
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, TEXT_SIZE - at, formats[plane % 3], corners[i][0], corners[i][1]);
    text[at++] = 'f';
    for (size_t i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, TEXT_SIZE - at, " %zu", i + 1);
    return at;
}

static void check_triangles(const carom_mesh *mesh, double (*corners)[2], size_t count)
{
    const uint32_t *index = carom_mesh_indices(mesh);
    double twice = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        twice += side_of((const double[2]){0, 0}, corners[i], corners[(i + 1) % count]);
    for (size_t i = 0; i < count - 2; i++, index += 3)
    {
        double turn = side_of(corners[index[0]], corners[index[1]], corners[index[2]]);
        demand(turn * twice >= 0);
        sum += turn;
    }
    demand(sum == twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static double corners[MAX_CORNERS][2];
    static char text[TEXT_SIZE];
    decoder d = {bytes, size, 0};
    carom_context *context;
    if (carom_context_create(NULL, &context) != CAROM_OK)
        return 0;
    size_t count = make_polygon(&d, corners), length = write_face(corners, count, next_byte(&d), text);
    io_model model;
    demand(io_read_memory(context, text, length, "obj", &model) == CAROM_OK);
    demand(carom_mesh_get_info(model.mesh).triangle_count == count - 2);
    uint64_t noted = model.odd_faces + model.complex_faces;
    int worst = worst_meeting(corners, count);
    demand(worst > 0 || noted == 0);
    demand(worst < 2 || noted > 0 || fan_will_do(corners, count));
    if (noted == 0)
        check_triangles(model.mesh, corners, count);
    io_model_free(&model);
    carom_context_destroy(context);
    return 0;
}
