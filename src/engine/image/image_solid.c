/* Triangles of closed bodies, cut at the sides of a region and put on a grid of pixels. */
#include "engine/image/image_solid.h"

/* ---- regions ---- */

/* Differences of coordinates are rounded to 2^-53 of themselves, so a region may be far from the origin; but it must be
 * more than a few steps of the coordinates long. */
static bool is_thin(double low, double high)
{
    return !(high - low > 0x1p-48 * fmax(fabs(low), fabs(high)) && high - low > 1e-200);
}

/* Pixels as large as image_region_size allows: half a diagonal of a pixel, or of a cell where depths are sampled, and
 * half a step of the grid, on both sides of the ball. */
static double pitch_for(double wanted, bool sections)
{
    const double grid = 2.0 * 1.4143 * 0.5 / IMAGE_GRID;
    return 0.999 * wanted / ((sections ? 1.7321 : 1.4143) + grid);
}

static int count_for(double length, double pitch, int limit)
{
    double count = ceil(length / pitch);
    return count >= (double)limit ? limit : count > 1.0 ? (int)count : 1;
}

bool image_region_choose(const carom_aabb *box, const image_fineness *fineness, image_region *out)
{
    const double min[3] = {box->min.x, box->min.y, box->min.z}, max[3] = {box->max.x, box->max.y, box->max.z};
    double length[3], longest = 0.0;
    for (int i = 0; i < 3; i++)
    {
        if (is_thin(min[i], max[i]))
            return false;
        length[i] = max[i] - min[i], longest = fmax(longest, length[i]);
    }
    int away = 0;
    for (int i = 1; i < 3; i++)
        if (fineness->sections ? length[i] < length[away] : length[i] > length[away])
            away = i;
    double pitch = pitch_for(fineness->wanted > 0.0 ? fineness->wanted : longest / 64.0, fineness->sections);
    for (int i = 0; i < 3; i++)
    {
        int axis = (away + 1 + i) % 3;
        out->axis[i] = axis, out->low[i] = min[axis], out->length[i] = length[axis];
        int count = count_for(length[axis], pitch, fineness->limit);
        if (i < 2)
            out->pixels[i] = count;
        else
            out->sections = fineness->sections ? count : 1;
    }
    out->samples_depth = fineness->sections;
    return true;
}

double image_region_size(const image_region *region, const image_solid solids[2], double depth_step)
{
    double half = 0.0, off = 0.0;
    for (int i = 0; i < 2; i++)
    {
        double pitch = region->length[i] / region->pixels[i];
        double reach = fmax(solids[0].reach[i], solids[1].reach[i]);
        double moved = pitch * (0.5 / IMAGE_GRID + 0x1p-46 * reach);
        half += 0.25 * pitch * pitch, off += moved * moved;
    }
    if (region->samples_depth)
    {
        double apart = region->length[2] / region->sections;
        half += 0.25 * apart * apart;
    }
    double reach = fmax(solids[0].reach[2], solids[1].reach[2]);
    double deep = region->length[2] * (depth_step + 0x1p-29 + 0x1p-29 * region->sections + 0x1p-44 * reach);
    return 2.0 * (sqrt(half) + sqrt(off) + deep) * (1.0 + 1e-6);
}

/* ---- cutting ---- */

enum
{
    MAX_CORNERS = 8 /* of a triangle that four lines have cut: 7 */
};

typedef struct polygon
{
    carom_vec3 corner[MAX_CORNERS]; /* pixels, depth */
    int count;
} polygon;

static bool comes_first(const carom_vec3 *u, const carom_vec3 *v)
{
    if (u->x != v->x)
        return u->x < v->x;
    return u->y != v->y ? u->y < v->y : u->z < v->z;
}

/* Where an edge crosses a line; the same to the bit for both triangles of the edge. */
static carom_vec3 cross_line(const carom_vec3 *p, const carom_vec3 *q, int axis, double line)
{
    const carom_vec3 *u = comes_first(p, q) ? p : q, *v = u == p ? q : p;
    double t = (line - vec3_at(u, axis)) / (vec3_at(v, axis) - vec3_at(u, axis));
    carom_vec3 out = vec3(u->x + t * (v->x - u->x), u->y + t * (v->y - u->y), u->z + t * (v->z - u->z));
    *vec3_part(&out, axis) = line;
    return out;
}

/* Keeps what is on the side of the line that the sign says. */
static void cut(const polygon *from, int axis, double line, double sign, polygon *out)
{
    out->count = 0;
    for (int i = 0; i < from->count; i++)
    {
        const carom_vec3 *here = &from->corner[i], *next = &from->corner[(i + 1) % from->count];
        double here_in = sign * (vec3_at(here, axis) - line), next_in = sign * (vec3_at(next, axis) - line);
        if (here_in >= 0.0)
            out->corner[out->count++] = *here;
        if ((here_in > 0.0 && next_in < 0.0) || (here_in < 0.0 && next_in > 0.0))
            out->corner[out->count++] = cross_line(here, next, axis, line);
    }
}

static void cut_to_region(const image_region *region, polygon *p)
{
    polygon between;
    for (int axis = 0; axis < 2; axis++)
    {
        cut(p, axis, 0.0, 1.0, &between);
        cut(&between, axis, region->pixels[axis], -1.0, p);
    }
}

/* ---- facets ---- */

static float on_grid(double pixel, int pixels)
{
    double rounded = floor(pixel * IMAGE_GRID + 0.5) / IMAGE_GRID;
    return (float)fmax(0.0, fmin(rounded, pixels));
}

/* Twice the area on the grid, exactly: positions are below 2^13 and have four bits after the point. */
static double area_of(const image_facet *facet)
{
    const float(*c)[4] = facet->corner;
    double sx = (double)c[1][0] - (double)c[0][0], sy = (double)c[1][1] - (double)c[0][1];
    double tx = (double)c[2][0] - (double)c[0][0], ty = (double)c[2][1] - (double)c[0][1];
    return sx * ty - sy * tx;
}

static void set_corner(const image_region *region, const carom_vec3 *corner, float out[4])
{
    out[0] = on_grid(corner->x, region->pixels[0]), out[1] = on_grid(corner->y, region->pixels[1]);
    out[2] = (float)corner->z, out[3] = (float)(corner->z - (double)out[2]);
}

/* turn: +1 or -1, the sign of the area in the world; 0: as drawn. */
static bool add_facet(carom_context *context, const image_region *region, const carom_vec3 *const corner[3], int turn,
                      image_solid *out)
{
    image_facet facet = {0};
    for (int i = 0; i < 3; i++)
        set_corner(region, corner[i], facet.corner[i]);
    double area = area_of(&facet);
    if (area == 0.0)
        return true;
    facet.inverse[0] = (float)(1.0 / area), facet.inverse[1] = (float)(1.0 / area - (double)facet.inverse[0]);
    /* The three axes are in cyclic order: what is counterclockwise faces away, along the third. */
    bool leaves = turn != 0 ? turn > 0 : area > 0.0;
    facet.leaves = leaves ? 1.0f : 0.0f;
    image_facets *list = leaves ? &out->leaving : &out->facets;
    if (!base_array_reserve(context, list, 1))
        return false;
    list->items[list->count++] = facet;
    return true;
}

/* ---- bodies ---- */

static carom_vec3 see(const image_region *region, const carom_vec3 *world)
{
    carom_vec3 out;
    for (int i = 0; i < 3; i++)
    {
        double units = i < 2 ? region->pixels[i] : 1.0;
        *vec3_part(&out, i) = (vec3_at(world, region->axis[i]) - region->low[i]) * (units / region->length[i]);
    }
    return out;
}

static bool is_beside(const image_region *region, const polygon *p)
{
    bool beside = false;
    for (int axis = 0; axis < 2; axis++)
    {
        double a = vec3_at(&p->corner[0], axis), b = vec3_at(&p->corner[1], axis), c = vec3_at(&p->corner[2], axis);
        beside = beside || fmax(a, fmax(b, c)) < 0.0 || fmin(a, fmin(b, c)) > region->pixels[axis];
    }
    return beside;
}

/* The sign of a triangle's area beyond rounding; 0: that does not tell. */
static int turn_of(const polygon *p)
{
    const carom_vec3 *c = p->corner;
    double bound, area = exact_filter2d(c[1].x - c[0].x, c[1].y - c[0].y, c[2].x - c[0].x, c[2].y - c[0].y, &bound);
    /* seeing and subtracting moved each corner a little */
    double reach = fmax(fabs(c[0].x) + fabs(c[0].y), fmax(fabs(c[1].x) + fabs(c[1].y), fabs(c[2].x) + fabs(c[2].y)));
    bound += 0x1p-47 * reach * reach;
    return area > bound ? 1 : area < -bound ? -1 : 0;
}

static bool add_triangle(carom_context *context, const image_region *region, polygon *p, bool outward, image_solid *out)
{
    if (is_beside(region, p))
        return true;
    int turn = outward ? turn_of(p) : 0;
    if (outward && turn == 0)
        return true;
    for (int i = 0; i < 9; i++)
        out->reach[i % 3] = fmax(out->reach[i % 3], fabs(vec3_at(&p->corner[i / 3], i % 3)));
    cut_to_region(region, p);
    for (int i = 2; i < p->count; i++)
    {
        const carom_vec3 *const corner[3] = {&p->corner[0], &p->corner[i - 1], &p->corner[i]};
        if (!add_facet(context, region, corner, turn, out))
            return false;
    }
    return true;
}

carom_status image_solid_make(carom_context *context, const image_region *region, const image_placed *placed,
                              bool outward, image_solid *out)
{
    const carom_mesh *mesh = placed->mesh;
    bool fits = true;
    out->facets.count = out->leaving.count = 0;
    out->reach[0] = out->reach[1] = out->reach[2] = 1.0;
    for (uint32_t i = 0; i < mesh->triangle_count && fits; i++)
    {
        const uint32_t *index = mesh->indices + 3 * (size_t)i;
        polygon p = {.count = 3};
        for (int k = 0; k < 3; k++)
            p.corner[k] = see(region, &placed->points[index[k]]);
        fits = add_triangle(context, region, &p, outward, out);
    }
    out->entering = (uint32_t)out->facets.count;
    if (!fits || !base_array_reserve(context, &out->facets, out->leaving.count))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "image: no memory for %u triangles", mesh->triangle_count);
    if (out->leaving.count > 0)
        memcpy(out->facets.items + out->facets.count, out->leaving.items,
               out->leaving.count * sizeof *out->leaving.items);
    out->facets.count += out->leaving.count;
    return CAROM_OK;
}

void image_solid_free(carom_context *context, image_solid *solid)
{
    base_array_free(context, &solid->facets);
    base_array_free(context, &solid->leaving);
}

/* ---- the twin ---- */

/* Twice the area of p, q and a pixel's centre; of a centre on the line as if it were a little to the right, and less so
 * further up. */
static double side_of(const float p[4], const float q[4], double x, double y, bool *on_line)
{
    double px = (double)p[0] - x, py = (double)p[1] - y, qx = (double)q[0] - x, qy = (double)q[1] - y;
    double side = px * qy - py * qx;
    if (side != 0.0)
        return side;
    *on_line = true;
    return py != qy ? py - qy : qx - px;
}

static bool covers(const image_facet *facet, double x, double y, bool *unsure)
{
    const float(*c)[4] = facet->corner;
    bool on_line[3] = {false, false, false};
    double turn = facet->inverse[0] > 0.0f ? 1.0 : -1.0;
    double a = turn * side_of(c[1], c[2], x, y, &on_line[0]);
    double b = turn * side_of(c[2], c[0], x, y, &on_line[1]);
    double d = turn * side_of(c[0], c[1], x, y, &on_line[2]);
    *unsure = (on_line[0] || a > 0.0) && (on_line[1] || b > 0.0) && (on_line[2] || d > 0.0) &&
              (on_line[0] || on_line[1] || on_line[2]);
    return a > 0.0 && b > 0.0 && d > 0.0;
}

static uint32_t depth_at(const image_facet *facet, double x, double y)
{
    const float(*c)[4] = facet->corner;
    double ax = (double)c[0][0] - x, ay = (double)c[0][1] - y;
    double bx = (double)c[1][0] - x, by = (double)c[1][1] - y;
    double cx = (double)c[2][0] - x, cy = (double)c[2][1] - y;
    double of_a = bx * cy - by * cx, of_b = cx * ay - cy * ax, of_c = ax * by - ay * bx;
    double za = (double)c[0][2] + (double)c[0][3], zb = (double)c[1][2] + (double)c[1][3];
    double zc = (double)c[2][2] + (double)c[2][3];
    double inverse = (double)facet->inverse[0] + (double)facet->inverse[1];
    double depth = (of_a * za + of_b * zb + of_c * zc) * inverse;
    return (uint32_t)(fmin(fmax(depth, 0.0), 1.0) * IMAGE_DEPTH_UNITS);
}

static void range_of(const image_facet *facet, int axis, int pixels, int *first, int *end)
{
    const float(*c)[4] = facet->corner;
    float low = fminf(c[0][axis], fminf(c[1][axis], c[2][axis])),
          high = fmaxf(c[0][axis], fmaxf(c[1][axis], c[2][axis]));
    *first = (int)floorf(low), *end = (int)ceilf(high);
    *end = *end < pixels ? *end : pixels;
}

void image_solid_raster_twin(const image_region *region, const image_facet *facets, size_t count,
                             image_fragment_fn *see, void *user)
{
    for (size_t i = 0; i < count; i++)
    {
        const image_facet *facet = &facets[i];
        int x0, x1, y0, y1;
        range_of(facet, 0, region->pixels[0], &x0, &x1), range_of(facet, 1, region->pixels[1], &y0, &y1);
        for (int y = y0; y < y1; y++)
            for (int x = x0; x < x1; x++)
            {
                image_fragment fragment = {.x = x, .y = y, .leaves = facet->leaves > 0.5f};
                bool covered = covers(facet, x + 0.5, y + 0.5, &fragment.unsure);
                if (!covered && !fragment.unsure)
                    continue;
                fragment.depth = covered ? depth_at(facet, x + 0.5, y + 0.5) : UINT32_MAX;
                see(&fragment, user);
            }
    }
}
