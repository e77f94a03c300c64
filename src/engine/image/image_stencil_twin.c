/* The thesis's image of a pair in plain C: the twin of image_stencil.c. */
#include "engine/image/image_stencil.h"

#define NEAR_EDGE 0.125 /* pixels: within, drivers differ in what they cover */

typedef struct covering
{
    bool covers, unsure;
    bool front;
    float depth;
} covering;

/* How far inside the line from p to q is the point, for a triangle with this turn? */
static double inside_by(const float p[4], const float q[4], double x, double y, double turn)
{
    double a = (double)q[0] - (double)p[0], b = (double)q[1] - (double)p[1];
    double length = sqrt(a * a + b * b);
    double side = a * (y - (double)p[1]) - b * (x - (double)p[0]);
    return length > 0.0 ? turn * side / length : 0.0;
}

static bool near_box(const float *const corner[3], double x, double y)
{
    bool near = true;
    for (int axis = 0; axis < 2; axis++)
    {
        double at = axis ? y : x;
        double low = (double)fminf(corner[0][axis], fminf(corner[1][axis], corner[2][axis]));
        double high = (double)fmaxf(corner[0][axis], fmaxf(corner[1][axis], corner[2][axis]));
        near = near && at >= low - NEAR_EDGE && at <= high + NEAR_EDGE;
    }
    return near;
}

static covering cover(const float *const corner[3], const float plane[8], double x, double y)
{
    covering out = {false, false, false, 0.0f};
    if (!near_box(corner, x, y))
        return out;
    double area = ((double)corner[1][0] - (double)corner[0][0]) * ((double)corner[2][1] - (double)corner[0][1]) -
                  ((double)corner[1][1] - (double)corner[0][1]) * ((double)corner[2][0] - (double)corner[0][0]);
    double least = INFINITY;
    for (int i = 0; i < 3; i++)
        least = fmin(least, inside_by(corner[i], corner[(i + 1) % 3], x, y, area > 0.0 ? 1.0 : -1.0));
    out.covers = least > NEAR_EDGE;
    out.unsure = fabs(least) <= NEAR_EDGE;
    out.front = area > 0.0;
    float depth = plane[0] * (float)x + plane[1] * (float)y + plane[2];
    out.depth = fminf(fmaxf(depth, plane[4]), plane[5]);
    return out;
}

/* One pixel under way. */
typedef struct pixel
{
    double x, y;
    bool front_only; /* A's front, or both sides of B */
    float depth;     /* of A's front */
    uint8_t stencil;
    bool unsure;
} pixel;

static void see_pixel(const float *const corner[3], const float plane[8], void *user)
{
    pixel *p = user;
    covering at = cover(corner, plane, p->x, p->y);
    p->unsure = p->unsure || at.unsure;
    if (!at.covers)
        return;
    if (p->front_only && at.front && at.depth < p->depth)
        p->depth = at.depth, p->stencil = 1;
    if (!p->front_only && p->stencil >= 1 && at.depth >= p->depth)
        p->stencil++;
}

static uint8_t count(pixel *p, const image_drawing *front, const image_drawing *both)
{
    p->depth = 1.0f, p->stencil = 0;
    p->front_only = true;
    image_each_triangle(front, see_pixel, p);
    p->front_only = false;
    image_each_triangle(both, see_pixel, p);
    return p->stencil;
}

bool image_stencil_twin(const image_view *view, const image_drawing drawings[2], image_counted *out)
{
    bool hit = false, undecided = false;
    int pixels = view->side * view->side;
    for (int i = 0; i < pixels; i++)
    {
        pixel p = {.x = i % view->side + 0.5, .y = i / view->side + 0.5};
        out[i].first = count(&p, &drawings[0], &drawings[1]);
        out[i].depth = p.depth, out[i].unsure = p.unsure, out[i].second = 0;
        hit = hit || out[i].first == 2, undecided = undecided || out[i].first == 3;
    }
    for (int i = 0; i < pixels && undecided && !hit; i++)
    {
        pixel p = {.x = i % view->side + 0.5, .y = i / view->side + 0.5};
        out[i].second = count(&p, &drawings[1], &drawings[0]);
        if (out[i].first == 3)
            out[i].second |= 128;
    }
    for (int i = 0; i < pixels; i++)
        hit = hit || (out[i].second & 127) == 2 || out[i].second == (128 | 3);
    return hit;
}
