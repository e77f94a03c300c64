/* On which sides of a triangle its own body is. Where all of its body that touches a triangle is on one side of its
 * plane, or in it, what is next to the triangle on the other side, the open one, belongs to one 3D cell of the body:
 * the points near a triangle on one side of its plane are a convex set. So one winding number holds all along the
 * triangle, and with nothing else of the body on the triangle, one more or less holds beyond it. docs/exactness.md has
 * the proof. */
#include "query/solids.h"

enum
{
    FEW = 64 /* neighbours that any triangle may have */
};

size_t solids_rank_of(const solids_task *task, int body, uint32_t triangle)
{
    const query_words *touched = &task->cursor->regions[body].touched;
    size_t low = 0, high = touched->count;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (touched->items[middle] < triangle)
            low = middle + 1;
        else
            high = middle;
    }
    return low < touched->count && touched->items[low] == triangle ? low : SIZE_MAX;
}

static bool shares_corner(const local_face *t, const narrow_triangle *other)
{
    for (int i = 0; i < 9; i++)
        if (vec3_equal(t->corner[i / 3], other->corner[i % 3]))
            return true;
    return false;
}

/* Takes note of another triangle of the body; false: the sides of t are not plain. */
static bool take_own(const solids_task *task, const local_face *t, const narrow_triangle *other, query_sides *out)
{
    narrow_counts *counts = task->cells.counts;
    int side[3];
    if (local_boxes_apart(t->corner, other->corner))
        return true;
    local_sides(t->corner, other->corner, side, counts);
    bool above = side[0] > 0 || side[1] > 0 || side[2] > 0, below = side[0] < 0 || side[1] < 0 || side[2] < 0,
         level = side[0] == 0 || side[1] == 0 || side[2] == 0;
    if (!above && !below)
    {
        local_face b = local_make(other, counts);
        return b.sign == 0 || !local_overlaps(t, &b, counts);
    }
    bool news = (above && out->open[0]) || (below && out->open[1]);
    if (!news || (!level && above != below))
        return true;
    const narrow_triangle own = {{t->corner[0], t->corner[1], t->corner[2]}};
    if (!shares_corner(t, other) && !narrow_touches(&own, other, counts))
        return true;
    out->open[0] &= !above, out->open[1] &= !below;
    return out->open[0] || out->open[1];
}

/* Which sides are open? */
static carom_status find_open(solids_task *task, int body, uint32_t triangle, const local_face *t, query_sides *out)
{
    cells_task *cells = &task->cells;
    query_words *near = &cells->cells->near[body];
    size_t partners = cells_partners_of(cells, body, triangle).count;
    out->state = SOLIDS_SIDES_UNCLEAR;
    /* Of a large fan every triangle has all others for neighbours. */
    if (cells_crowd_of(cells, body, triangle) > FEW + partners)
        return CAROM_OK;
    CELLS_TRY(cells_find_near(cells, body, t->corner, near));
    if (near->count > 4 * (FEW + partners))
        return CAROM_OK;
    out->open[0] = out->open[1] = true;
    for (size_t i = 0; i < near->count; i++)
    {
        const narrow_triangle other = tree_world_triangle(&cells->bodies[body].mesh, (uint32_t)near->items[i]);
        if (near->items[i] != triangle && !take_own(task, t, &other, out))
            return CAROM_OK;
    }
    out->state = SOLIDS_SIDES_PLAIN;
    return CAROM_OK;
}

/* Across an edge with only one neighbour, the open sides of both are the same cell. */
static bool inherit_winding(const solids_task *task, int body, uint32_t triangle, int side, int *out)
{
    const uint32_t *neighbours = task->cells.bodies[body].mesh.mesh->neighbours + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++)
    {
        size_t rank = neighbours[i] == MESH_NONE ? SIZE_MAX : solids_rank_of(task, body, neighbours[i]);
        if (rank == SIZE_MAX)
            continue;
        const query_sides *other = &task->cursor->regions[body].sides.items[rank];
        if (other->state != SOLIDS_SIDES_PLAIN || !other->open[side])
            continue;
        *out = other->winding[side];
        return true;
    }
    return false;
}

static carom_status make_sides(solids_task *task, int body, uint32_t triangle, query_sides *out)
{
    local_face t = cells_triangle(&task->cells, body, triangle);
    *out = (query_sides){.state = SOLIDS_SIDES_UNCLEAR};
    if (t.sign == 0)
        return CAROM_OK;
    if (!task->cells.bodies[body].solid)
        return *out = (query_sides){SOLIDS_SIDES_PLAIN, {true, true}, {0, 0}}, CAROM_OK;
    query_sides found = {0};
    CELLS_TRY(find_open(task, body, triangle, &t, &found));
    if (found.state != SOLIDS_SIDES_PLAIN)
        return CAROM_OK;
    int side = found.open[0] ? 0 : 1;
    if (!inherit_winding(task, body, triangle, side, &found.winding[side]))
        CELLS_TRY(cells_winding_beside(&task->cells, &t, body, side, &found.winding[side]));
    /* Passing the triangle towards its normal lowers the number by one. */
    found.winding[1 - side] = found.winding[side] + (side == 0 ? 1 : -1);
    task->cursor->evidence.filled[body] = true;
    *out = found;
    return CAROM_OK;
}

carom_status solids_find_sides(solids_task *task, int body, size_t rank, const query_sides **out)
{
    query_regions *regions = &task->cursor->regions[body];
    query_sides *sides = &regions->sides.items[rank];
    if (sides->state == SOLIDS_SIDES_NEW)
        CELLS_TRY(make_sides(task, body, (uint32_t)regions->touched.items[rank], sides));
    *out = sides;
    return CAROM_OK;
}
