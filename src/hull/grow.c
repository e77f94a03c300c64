/* The surface of a hull of dimension 3: quickhull (Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex
 * Hulls", 1996) with exact signs and without merging. Each point that may still be outside belongs to one facet that it
 * sees; the farthest point of a facet is inserted: what it sees goes, and a cone from the point to the rim takes its
 * place.
 *
 * A point sees a facet if it is strictly outside the facet's plane; one on the plane does not. So degenerate input
 * needs no special case. What a point sees strictly is also what it sees when moved inwards by next to nothing, hence a
 * disc, bounded by one cycle. The point is on no line through an edge of the rim, or it would be on the plane of the
 * visible facet there: no triangle of the cone is degenerate. A triangle of the cone can be coplanar with the facet
 * beyond the rim, and a corner of the surface can lie within an edge or a flat face of the hull; finish.c removes
 * these.
 *
 * A point that saw a facet which is gone, and sees nothing of the cone, is in the hull: otherwise it would see some old
 * facet that is left, and (what a point sees being connected) both facets at some edge of the rim; the plane of the
 * cone through that edge is between theirs, so the point would see that too. */
#include "hull/build.h"

/* ---- points to facets ---- */

/* Equal points are always in the same list, and the first of them is the farthest. */
static void give_point(hull_space *space, uint32_t facet, uint32_t point, double height)
{
    hull_facet *f = &space->facets.items[facet];
    if (f->outside == HULL_NONE || height > f->far_height || (height == f->far_height && point < f->farthest))
        f->far_height = height, f->farthest = point;
    space->next.items[point] = f->outside;
    f->outside = point;
}

/* Gives the points of the batch that see the facet to it, and keeps the others in the batch. */
static void split_batch(hull_space *space, uint32_t facet)
{
    hull_batch *b = &space->batch;
    hull_facet *f = &space->facets.items[facet];
    const double bound = f->plane.bound;
    BASE_PICK_ISA(space->context, hull_heights)(space->points[f->corner[2]], f->plane.normal, b);
    space->steps += b->count;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->count; i++)
    {
        double height = b->height[i];
        bool sees = height > bound;
        if (BASE_UNLIKELY(fabs(height) <= bound && bound > 0.0))
            sees = hull_side(space, f, b->id[i]) > 0;
        if (sees)
            give_point(space, facet, b->id[i], height);
        b->x[kept] = b->x[i], b->y[kept] = b->y[i], b->z[kept] = b->z[i], b->id[kept] = b->id[i];
        kept += !sees;
    }
    b->count = kept;
}

/* Those who see none of the fresh facets are in the hull. */
static void empty_batch(hull_space *space)
{
    for (size_t i = 0; i < space->fresh.count && space->batch.count > 0; i++)
        split_batch(space, space->fresh.items[i]);
    space->batch.count = 0;
}

static void put_in_batch(hull_space *space, uint32_t point)
{
    hull_batch *b = &space->batch;
    carom_vec3 p = space->points[point];
    b->x[b->count] = p.x, b->y[b->count] = p.y, b->z[b->count] = p.z;
    b->id[b->count++] = point;
    if (b->count == HULL_BATCH)
        empty_batch(space);
}

/* ---- wide cones ---- */

/* Seen from its apex, a cone is a convex polygon, whose sides are the triangles. From a corner of it where the sides do
 * bend, bisection finds the one triangle that matters to a point. */
typedef struct cone
{
    uint32_t apex, first, count; /* first: where in the rim the corner is */
} cone;

static uint32_t cone_corner(const hull_space *space, const cone *c, uint32_t i)
{
    return space->rim.items[(c->first + i) % c->count].from;
}

static uint32_t cone_facet(const hull_space *space, const cone *c, uint32_t i)
{
    return space->fresh.items[(c->first + i) % c->count];
}

static cone make_cone(hull_space *space, uint32_t apex)
{
    cone c = {apex, 0, (uint32_t)space->fresh.count};
    while (hull_side(space, &space->facets.items[cone_facet(space, &c, c.count - 1)], cone_corner(space, &c, 1)) == 0)
        c.first++;
    return c;
}

/* On which side of the plane through apex, corner 0 and corner i: 1 if that of the corners after i. */
static int cone_turn(hull_space *space, const cone *c, uint32_t i, uint32_t point)
{
    const carom_vec3 *p = space->points;
    space->steps++;
    return exact_orient3d(p[c->apex], p[cone_corner(space, c, 0)], p[cone_corner(space, c, i)], p[point], NULL);
}

/* Is the point, which is on the line through apex and corner 0, on the corner's side of the apex? */
static bool is_on_ray(const hull_space *space, const cone *c, uint32_t point)
{
    const carom_vec3 a = space->points[c->apex], b = space->points[cone_corner(space, c, 0)], p = space->points[point];
    if (a.x != b.x)
        return a.x < b.x ? p.x >= a.x : p.x <= a.x;
    if (a.y != b.y)
        return a.y < b.y ? p.y >= a.y : p.y <= a.y;
    return a.z < b.z ? p.z >= a.z : p.z <= a.z;
}

static bool try_facet(hull_space *space, const cone *c, uint32_t i, uint32_t point)
{
    uint32_t facet = cone_facet(space, c, i);
    const hull_facet *f = &space->facets.items[facet];
    if (hull_side(space, f, point) <= 0)
        return false;
    give_point(space, facet, point, hull_height(space, f, point));
    return true;
}

/* Seen from corner 0, the point is between two neighbouring corners. Returns the first of them: the last corner that is
 * not beyond the point, or with `strictly` the last that is before it. */
static uint32_t bisect_cone(hull_space *space, const cone *c, uint32_t point, bool strictly)
{
    uint32_t low = 1, high = c->count - 1;
    while (high - low > 1)
    {
        uint32_t middle = low + (high - low) / 2;
        *(cone_turn(space, c, middle, point) >= strictly ? &low : &high) = middle;
    }
    return low;
}

/* Gives a point to a facet of the cone that it sees, if there is one. */
static void locate_in_cone(hull_space *space, const cone *c, uint32_t point)
{
    if (try_facet(space, c, 0, point) || try_facet(space, c, c->count - 1, point))
        return;
    /* The point is between the planes of both facets at corner 0, or on one of them, or on the line of both. */
    if (cone_turn(space, c, 1, point) != 0 || cone_turn(space, c, c->count - 1, point) != 0)
    {
        /* Exactly behind a corner it may see only one of the facets there; behind a flat side, one at an end of it. */
        if (!try_facet(space, c, bisect_cone(space, c, point, false), point))
            try_facet(space, c, bisect_cone(space, c, point, true), point);
        return;
    }
    /* Behind the apex a point sees every facet whose plane does not hold corner 0. */
    for (uint32_t i = 1; !is_on_ray(space, c, point) && i + 1 < c->count && !try_facet(space, c, i, point);)
        i++;
}

/* ---- an insertion ---- */

/* A number for an insertion, larger than all before. */
static void next_mark(hull_space *space)
{
    space->mark += 2;
    if (space->mark != 0)
        return;
    for (size_t i = 0; i < space->facets.count; i++)
        space->facets.items[i].mark = 0;
    space->mark = 2;
}

/* Collects the facets that the point sees and finds a half-edge of the rim. Marks: 2k + 1 seen, 2k not seen. */
static bool find_visible(hull_space *space, uint32_t start, uint32_t point, uint32_t *half_of_rim)
{
    hull_facet *items = space->facets.items;
    next_mark(space);
    space->visible.count = 0;
    if (!base_array_reserve(space->context, &space->visible, 1))
        return false;
    space->visible.items[space->visible.count++] = start;
    items[start].mark = space->mark + 1;
    for (size_t i = 0; i < space->visible.count; i++)
        for (uint32_t k = 0; k < 3; k++)
        {
            uint32_t facet = space->visible.items[i], other = items[facet].twin[k] / 4;
            if (items[other].mark < space->mark)
            {
                bool sees = hull_side(space, &items[other], point) > 0;
                items[other].mark = space->mark + sees;
                if (sees && !base_array_reserve(space->context, &space->visible, 1))
                    return false;
                if (sees)
                    space->visible.items[space->visible.count++] = other;
            }
            if (items[other].mark == space->mark)
                *half_of_rim = 4 * facet + k;
        }
    return true;
}

/* The rim as a cycle. False: out of memory. */
static bool find_rim(hull_space *space, uint32_t start)
{
    const hull_facet *items = space->facets.items;
    uint32_t half = start;
    space->rim.count = 0;
    do
    {
        if (!base_array_reserve(space->context, &space->rim, 1))
            return false;
        uint32_t next = hull_half_next(half), beyond = hull_half_twin(space, half);
        space->rim.items[space->rim.count++] =
            (hull_rim){hull_half_from(space, half), hull_half_from(space, next), beyond};
        /* Around the end of the edge, through facets that are seen, to the next edge of the rim. */
        for (half = next; items[hull_half_twin(space, half) / 4].mark == space->mark + 1;)
            half = hull_half_next(hull_half_twin(space, half));
    } while (half != start);
    return true;
}

/* Frees the slots of the visible facets and remembers their lists of points. */
static void remove_visible(hull_space *space)
{
    space->heads.count = 0;
    for (size_t i = 0; i < space->visible.count; i++)
    {
        uint32_t facet = space->visible.items[i];
        hull_facet *f = &space->facets.items[facet];
        if (f->outside != HULL_NONE)
            space->heads.items[space->heads.count++] = f->outside;
        f->corner[0] = f->outside = HULL_NONE;
        space->vacant.items[space->vacant.count++] = facet;
    }
}

static void set_facet(hull_space *space, uint32_t facet, const uint32_t corner[3])
{
    hull_facet *f = &space->facets.items[facet];
    memcpy(f->corner, corner, sizeof f->corner);
    f->plane = hull_make_plane(space, corner);
    f->outside = HULL_NONE, f->mark = 0;
}

static void link_halves(hull_space *space, uint32_t a, uint32_t b)
{
    space->facets.items[a / 4].twin[a % 4] = b;
    space->facets.items[b / 4].twin[b % 4] = a;
}

static void make_cone_facets(hull_space *space, uint32_t apex)
{
    uint32_t count = (uint32_t)space->rim.count;
    space->fresh.count = 0;
    for (uint32_t i = 0; i < count; i++)
        space->fresh.items[space->fresh.count++] =
            space->vacant.count > 0 ? space->vacant.items[--space->vacant.count] : (uint32_t)space->facets.count++;
    for (uint32_t i = 0; i < count; i++)
    {
        const hull_rim *rim = &space->rim.items[i];
        uint32_t facet = space->fresh.items[i];
        set_facet(space, facet, (uint32_t[3]){rim->from, rim->to, apex});
        link_halves(space, 4 * facet, rim->beyond);
        link_halves(space, 4 * facet + 1, 4 * space->fresh.items[i + 1 < count ? i + 1 : 0] + 2);
    }
}

/* All points that saw what is gone, except the new corner. */
static void redistribute(hull_space *space, uint32_t apex)
{
    bool wide = space->fresh.count >= space->tuning.wide_cone && space->heads.count > 0;
    cone c = wide ? make_cone(space, apex) : (cone){0, 0, 0};
    for (size_t i = 0; i < space->heads.count; i++)
        for (uint32_t point = space->heads.items[i], next; point != HULL_NONE; point = next)
        {
            next = space->next.items[point];
            if (point == apex)
                continue;
            if (wide)
                locate_in_cone(space, &c, point);
            else
                put_in_batch(space, point);
        }
    empty_batch(space);
    for (size_t i = 0; i < space->fresh.count; i++)
        if (space->facets.items[space->fresh.items[i]].outside != HULL_NONE)
            space->pending.items[space->pending.count++] = space->fresh.items[i];
}

/* Room for more facets. All of it is cleared by the system when first used, and there are at most two per point: so the
 * array grows in large steps, up to that. */
static carom_status reserve_facets(hull_space *space, size_t extra)
{
    size_t needed = space->facets.count + extra, largest = 2 * (size_t)space->count;
    if (needed > UINT32_MAX / 8)
        return base_fail(space->context, CAROM_TOO_LARGE, "the hull of %u points has too many facets", space->count);
    if (needed <= space->facets.capacity)
        return CAROM_OK;
    size_t wanted = needed > largest / 4 ? largest : 4 * needed;
    if (!base_array_reserve(space->context, &space->facets, wanted - space->facets.count))
        return hull_no_memory(space->context, space->count);
    return CAROM_OK;
}

static carom_status reserve_for_insertion(hull_space *space)
{
    carom_context *context = space->context;
    size_t rim = space->rim.count, visible = space->visible.count;
    if (!hull_room(space, &space->fresh, rim) || !hull_room(space, &space->heads, visible) ||
        !base_array_reserve(context, &space->vacant, visible) || !base_array_reserve(context, &space->pending, rim))
        return hull_no_memory(context, space->count);
    return reserve_facets(space, rim);
}

static carom_status insert_farthest(hull_space *space, uint32_t facet)
{
    uint32_t apex = space->facets.items[facet].farthest, half = 0;
    if (!find_visible(space, facet, apex, &half) || !find_rim(space, half))
        return hull_no_memory(space->context, space->count);
    BASE_TRY(reserve_for_insertion(space));
    space->steps += space->rim.count;
    remove_visible(space);
    make_cone_facets(space, apex);
    redistribute(space, apex);
    return CAROM_OK;
}

/* A facet with points outside. At first the oldest, so that the surface grows evenly and points within it are discarded
 * early; then the latest, which is still in the cache. An entry may be out of date. */
static uint32_t next_facet(hull_space *space)
{
    hull_numbers *pending = &space->pending;
    while (space->first_pending < pending->count)
    {
        bool oldest = space->mark < 2 * space->tuning.evenly;
        uint32_t facet = pending->items[oldest ? space->first_pending++ : --pending->count];
        if (space->facets.items[facet].outside != HULL_NONE)
            return facet;
    }
    return HULL_NONE;
}

/* ---- the first four facets ---- */

static void make_tetrahedron(hull_space *space, const uint32_t corner[4])
{
    /* Corner 3 is below the plane of the others. */
    static const uint8_t faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const uint8_t twins[6][2] = {{0, 6}, {1, 10}, {2, 14}, {4, 13}, {5, 8}, {9, 12}};
    for (uint32_t i = 0; i < 4; i++)
        set_facet(space, i, (uint32_t[3]){corner[faces[i][0]], corner[faces[i][1]], corner[faces[i][2]]});
    for (int i = 0; i < 6; i++)
        link_halves(space, twins[i][0], twins[i][1]);
    for (uint32_t i = 0; i < 4; i++)
        space->fresh.items[i] = i;
    space->facets.count = space->fresh.count = 4;
}

carom_status hull_grow(hull_space *space, const uint32_t corner[4])
{
    const carom_vec3 *p = space->points;
    uint32_t base[4] = {corner[0], corner[1], corner[2], corner[3]};
    if (exact_orient3d(p[base[0]], p[base[1]], p[base[2]], p[base[3]], NULL) < 0)
        base[0] = corner[1], base[1] = corner[0];
    space->facets.count = space->vacant.count = space->first_pending = 0;
    space->mark = 0, space->batch.count = 0;
    if (!hull_room(space, &space->fresh, 4) || !hull_room(space, &space->heads, 4) ||
        !hull_room(space, &space->pending, 4) || !hull_room(space, &space->next, space->count))
        return hull_no_memory(space->context, space->count);
    BASE_TRY(reserve_facets(space, 4));
    make_tetrahedron(space, base);
    for (uint32_t i = 0; i < space->count; i++)
        put_in_batch(space, i);
    empty_batch(space);
    for (uint32_t i = 0; i < 4; i++)
        space->pending.items[space->pending.count++] = i;
    for (uint32_t facet; (facet = next_facet(space)) != HULL_NONE;)
        BASE_TRY(insert_farthest(space, facet));
    return CAROM_OK;
}
