/* The grid paper's way to find the cells of an object (section 2.4.4): those that the four body diagonals of its
 * oriented box cross. It can miss cells that a box does have points in: where a face or an edge reaches into a cell
 * between the diagonals, and where a diagonal crosses a cell that is not beside one of the first diagonal. So it is
 * here only to count what it misses. Equation (6) is clipped to 0 <= t <= 1: as printed, it rejects the cells in which
 * a diagonal ends. */
#include "broad/broad.h"

/* A segment from `from` to `from` + `along`. */
typedef struct segment
{
    carom_vec3 from, along;
} segment;

static carom_vec3 corner_of(const broad_oriented *box, int corner)
{
    carom_vec3 at = box->centre;
    for (int i = 0; i < 3; i++)
        at = vec3_add(at, vec3_scale(box->half[i], corner >> i & 1 ? 1.0 : -1.0));
    return at;
}

/* Between corners 0 and 7, 1 and 6, 2 and 5, 3 and 4. */
static segment diagonal_of(const broad_oriented *box, int diagonal)
{
    carom_vec3 from = corner_of(box, diagonal);
    return (segment){from, vec3_sub(corner_of(box, 7 - diagonal), from)};
}

static carom_aabb bounds_of(const broad_oriented *box)
{
    carom_aabb bounds = aabb_empty();
    for (int corner = 0; corner < 8; corner++)
        bounds = aabb_add_point(bounds, corner_of(box, corner));
    return bounds;
}

/* Equation (6). */
static bool crosses(const segment *line, const carom_aabb *cell)
{
    double first = 0.0, last = 1.0;
    for (int axis = 0; axis < 3; axis++)
    {
        double from = vec3_at(&line->from, axis), along = vec3_at(&line->along, axis);
        double low = vec3_at(&cell->min, axis), high = vec3_at(&cell->max, axis);
        if (along == 0.0 && !(low <= from && from <= high))
            return false;
        if (along == 0.0)
            continue;
        double enters = ((along > 0.0 ? low : high) - from) / along,
               leaves = ((along > 0.0 ? high : low) - from) / along;
        first = enters > first ? enters : first, last = leaves < last ? leaves : last;
    }
    return first <= last;
}

/* Does an axis separate the box from the cell? The cell's centre is relative to the box's. */
static bool separates(const broad_oriented *box, carom_vec3 axis, carom_vec3 centre, carom_vec3 half)
{
    double reach = fabs(axis.x) * half.x + fabs(axis.y) * half.y + fabs(axis.z) * half.z;
    for (int i = 0; i < 3; i++)
        reach += fabs(vec3_dot(axis, box->half[i]));
    return fabs(vec3_dot(axis, centre)) > reach;
}

/* The fifteen axes. `cell` is finite. */
static bool overlaps(const broad_oriented *box, const carom_aabb *cell)
{
    carom_vec3 half = vec3_scale(vec3_sub(cell->max, cell->min), 0.5);
    carom_vec3 centre = vec3_sub(vec3_add(cell->min, half), box->centre);
    static const carom_vec3 UNITS[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 normal = vec3_cross(box->half[(i + 1) % 3], box->half[(i + 2) % 3]);
        if (separates(box, UNITS[i], centre, half) || separates(box, normal, centre, half))
            return false;
        for (int k = 0; k < 3; k++)
            if (separates(box, vec3_cross(UNITS[i], box->half[k]), centre, half))
                return false;
    }
    return true;
}

/* Calls for each cell of a range, with its record. */
typedef void visit_cell(const broad_oriented *box, const broad_cell_record *record, void *data);

static void visit_cells(const broad_octree_grid *grid, const broad_oriented *box, visit_cell *visit, void *data)
{
    carom_aabb bounds = bounds_of(box);
    broad_cell_range range = broad_grid_locate(grid, &bounds);
    broad_cell_record record;
    for (uint32_t c = range.low[2]; c <= range.high[2]; c++)
        for (uint32_t b = range.low[1]; b <= range.high[1]; b++)
            for (uint32_t a = range.low[0]; a <= range.high[0]; a++)
            {
                broad_grid_record(grid, broad_grid_number(grid, a, b, c), &record);
                visit(box, &record, data);
            }
}

typedef struct diagonal_search
{
    broad_cell_set beside, *out; /* beside: the first diagonal's cells and their neighbours */
} diagonal_search;

static void visit_first(const broad_oriented *box, const broad_cell_record *record, void *data)
{
    diagonal_search *search = data;
    segment first = diagonal_of(box, 0);
    if (!crosses(&first, &record->box))
        return;
    broad_cell_set_add(search->out, record->number);
    for (uint32_t i = 0; i < record->neighbour_count; i++)
        broad_cell_set_add(&search->beside, record->neighbours[i]);
}

static void visit_others(const broad_oriented *box, const broad_cell_record *record, void *data)
{
    diagonal_search *search = data;
    for (int i = 1; i < 4 && broad_cell_set_has(&search->beside, record->number); i++)
    {
        segment other = diagonal_of(box, i);
        if (crosses(&other, &record->box))
            broad_cell_set_add(search->out, record->number);
    }
}

void broad_grid_diagonal_cells(const broad_octree_grid *grid, const broad_oriented *box, broad_cell_set *out)
{
    diagonal_search search = {.out = out};
    memset(out, 0, sizeof *out);
    visit_cells(grid, box, visit_first, &search);
    visit_cells(grid, box, visit_others, &search);
}

static void visit_overlap(const broad_oriented *box, const broad_cell_record *record, void *data)
{
    carom_aabb bounds = bounds_of(box), common; /* outermost cells are infinite */
    common.min = vec3_max(bounds.min, record->box.min), common.max = vec3_min(bounds.max, record->box.max);
    if (overlaps(box, &common))
        broad_cell_set_add(data, record->number);
}

void broad_grid_oriented_cells(const broad_octree_grid *grid, const broad_oriented *box, broad_cell_set *out)
{
    memset(out, 0, sizeof *out);
    visit_cells(grid, box, visit_overlap, out);
}
