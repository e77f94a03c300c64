/* Boxes in cells: sorting, searching, and the size of cells. */
#include "broad/cells.h"

bool broad_cells_open(broad_cells *cells, carom_context *context)
{
    memset(cells, 0, sizeof *cells);
    return broad_rows_open(&cells->rows, context);
}

void broad_cells_close(broad_cells *cells)
{
    carom_context *context = cells->rows.context;
    base_array_free(context, &cells->items);
    base_array_free(context, &cells->parts);
    base_array_free(context, &cells->starts);
    base_array_free(context, &cells->sorted);
    broad_rows_close(&cells->rows);
}

bool broad_cells_begin(broad_cells *cells, const broad_input *input)
{
    cells->items.count = cells->parts.count = 0;
    cells->half_margin = broad_half_margin(input->margin);
    return broad_rows_begin(&cells->rows, input) &&
           base_array_reserve(cells->rows.context, &cells->items, input->slot_count);
}

bool broad_cells_add_parts(broad_cells *cells, const broad_part *part)
{
    if (!base_array_reserve(cells->rows.context, &cells->parts, BROAD_ROLES))
        return false;
    for (broad_role role = 0; role < BROAD_ROLES; role++)
    {
        cells->parts.items[cells->parts.count] = *part;
        cells->parts.items[cells->parts.count++].role = role;
    }
    return true;
}

/* ---- cells ---- */

typedef struct cell_range
{
    int64_t low[3], high[3];
} cell_range;

/* Every step is monotonic, rounding included, so boxes that meet have cells in common. */
static inline int64_t cell_of(const broad_part *part, int axis, double at)
{
    double cell = (at - vec3_at(&part->origin, axis)) * part->scale;
    cell = cell > part->first_cell ? cell : part->first_cell;
    cell = cell < part->last_cell[axis] ? cell : part->last_cell[axis];
    return (int64_t)(cell + part->bias);
}

static inline cell_range cells_of(const broad_part *part, const carom_aabb *box)
{
    cell_range range;
    for (int axis = 0; axis < 3; axis++)
    {
        range.low[axis] = cell_of(part, axis, vec3_at(&box->min, axis));
        range.high[axis] = cell_of(part, axis, vec3_at(&box->max, axis));
    }
    return range;
}

/* The number of the cell at x = 0 of a row, before it is masked; those along x follow. */
static inline uint64_t row_number(const broad_part *part, int64_t y, int64_t z)
{
    if (part->sides[0] != 0)
        return (uint64_t)((z * part->sides[1] + y) * part->sides[0]);
    return ((uint64_t)y * 0x9e3779b97f4a7c15u + (uint64_t)z * 0xc2b2ae3d27d4eb4fu) >> 32;
}

/* ---- sorting ---- */

static bool number_parts(broad_cells *cells)
{
    size_t starts = 0;
    for (size_t i = 0; i < cells->items.count; i++)
        if (cells->items.items[i].part != BROAD_HUGE)
            cells->parts.items[cells->items.items[i].part].count++;
    for (size_t i = 0; i < cells->parts.count; i++)
    {
        broad_part *part = &cells->parts.items[i];
        part->numbers = (uint64_t)(part->sides[0] * part->sides[1] * part->sides[2]);
        part->mask = UINT64_MAX;
        for (int axis = 0; axis < 3; axis++)
            part->last_cell[axis] = (double)(part->sides[axis] - 1);
        if (part->sides[0] == 0)
        {
            const double far = 0x1p40;
            part->first_cell = -far, part->bias = 2.0 * far;
            part->last_cell[0] = part->last_cell[1] = part->last_cell[2] = far;
            for (part->numbers = 16; part->numbers < part->count;)
                part->numbers *= 2;
            part->mask = part->numbers - 1;
        }
        if (part->count == 0)
            part->numbers = 0;
        part->first_start = starts;
        starts += part->numbers + 1;
    }
    cells->starts.count = 0;
    if (!base_array_reserve(cells->rows.context, &cells->starts, starts + 1))
        return false;
    cells->starts.count = starts;
    memset(cells->starts.items, 0, (starts + 1) * sizeof *cells->starts.items);
    return true;
}

/* Finds an item's cell; false: the box is too large. */
static bool find_cell(broad_cells *cells, const broad_input *input, broad_cell_item *item)
{
    if (item->part == BROAD_HUGE)
        return false;
    broad_part *part = &cells->parts.items[item->part];
    carom_aabb box = broad_grow(&input->boxes[item->slot], cells->half_margin);
    cell_range range = cells_of(part, &box);
    int64_t reach[3];
    for (int axis = 0; axis < 3; axis++)
        reach[axis] = range.high[axis] - range.low[axis];
    if (reach[0] > 1 || reach[1] > 1 || reach[2] > 1)
        return false;
    for (int axis = 0; axis < 3; axis++)
        part->reach[axis] = reach[axis] > part->reach[axis] ? reach[axis] : part->reach[axis];
    uint64_t number = row_number(part, range.low[1], range.low[2]) + (uint64_t)range.low[0];
    item->cell = (uint32_t)(number & part->mask);
    return true;
}

/* Finds each item's cell and counts those in each, and huge ones by role. */
static void count_cells(broad_cells *cells, const broad_input *input)
{
    memset(cells->huge, 0, sizeof cells->huge);
    for (size_t i = 0; i < cells->parts.count; i++)
        cells->parts.items[i].count = 0;
    for (size_t i = 0; i < cells->items.count; i++)
    {
        broad_cell_item *item = &cells->items.items[i];
        if (!find_cell(cells, input, item))
        {
            item->part = BROAD_HUGE;
            cells->huge[broad_rows_role(&cells->rows, item->slot) + 1]++;
            continue;
        }
        broad_part *part = &cells->parts.items[item->part];
        part->count++;
        cells->starts.items[part->first_start + item->cell + 1]++;
    }
}

/* Slots in the order of their cells. The starts of cells become their ends, which are the starts of the next. */
static void sort_cells(broad_cells *cells)
{
    uint32_t position = 0, huge[BROAD_ROLES];
    for (size_t i = 0; i < cells->parts.count; i++)
    {
        broad_part *part = &cells->parts.items[i];
        uint32_t *starts = cells->starts.items + part->first_start;
        part->first = position;
        starts[0] = position;
        for (uint64_t number = 0; number < part->numbers; number++)
            starts[number + 1] += starts[number];
        position += part->count;
    }
    for (broad_role role = 0; role <= BROAD_ROLES; role++)
        position = cells->huge[role] += position;
    memcpy(huge, cells->huge, sizeof huge);
    for (size_t i = cells->items.count; i-- > 0;) /* from the last one on, so that starts end up as they were */
    {
        const broad_cell_item *item = &cells->items.items[i];
        if (item->part == BROAD_HUGE)
            cells->sorted.items[huge[broad_rows_role(&cells->rows, item->slot)]++] = item->slot;
        else
            cells->sorted.items[--cells->starts.items[cells->parts.items[item->part].first_start + item->cell + 1]] =
                item->slot;
    }
}

static void drop_empty_parts(broad_cells *cells)
{
    size_t kept = 0;
    for (size_t i = 0; i < cells->parts.count; i++)
        if (cells->parts.items[i].count > 0)
            cells->parts.items[kept++] = cells->parts.items[i];
    cells->parts.count = kept;
}

/* ---- searching ---- */

typedef struct interval
{
    uint32_t first, last; /* positions */
} interval;

/* The position where a cell begins: sort_cells leaves it behind the cell's own number. */
static inline uint32_t start_of(const broad_cells *cells, const broad_part *part, uint64_t number)
{
    return number == part->numbers ? part->first + part->count : cells->starts.items[part->first_start + number + 1];
}

static void add_merged(broad_search *search, uint32_t own, interval *intervals, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
    {
        interval moving = intervals[i];
        uint32_t at = i;
        for (; at > 0 && intervals[at - 1].first > moving.first; at--)
            intervals[at] = intervals[at - 1];
        intervals[at] = moving;
    }
    for (uint32_t i = 0; i < count;)
    {
        broad_run run = {own, intervals[i].first, intervals[i].last};
        for (i++; i < count && intervals[i].first <= run.last; i++)
            run.last = intervals[i].last > run.last ? intervals[i].last : run.last;
        broad_add_run(search, run);
    }
}

/* What a box has to be tested with in a part: positions from `from` on. */
typedef struct lookup
{
    const broad_cells *cells;
    const broad_part *part;
    uint32_t own, from;
    bool is_own;  /* the part that the box is in */
    int64_t y, z; /* then: its row; in a dense grid, those before have no positions from `from` on */
} lookup;

static void search_dense(broad_search *search, const lookup *at, const cell_range *range)
{
    const broad_part *part = at->part;
    for (int64_t z = range->low[2]; z <= range->high[2]; z++)
        for (int64_t y = at->is_own && z == at->z ? at->y : range->low[1]; y <= range->high[1]; y++)
        {
            uint64_t row = row_number(part, y, z);
            uint32_t first = start_of(at->cells, part, row + (uint64_t)range->low[0]);
            uint32_t last = start_of(at->cells, part, row + (uint64_t)range->high[0] + 1);
            broad_add_run(search, (broad_run){at->own, first > at->from ? first : at->from, last});
        }
}

/* Different rows may have numbers in common, so their runs are merged. */
static void search_hashed(broad_search *search, const lookup *at, const cell_range *range)
{
    interval found[18] = {{0, 0}};
    uint32_t count = 0;
    const broad_part *part = at->part;
    uint64_t width = (uint64_t)(range->high[0] - range->low[0]) + 1;
    for (int64_t z = range->low[2]; z <= range->high[2]; z++)
        for (int64_t y = range->low[1]; y <= range->high[1]; y++)
        {
            uint64_t number = (row_number(part, y, z) + (uint64_t)range->low[0]) & part->mask, end = number + width;
            if (end > part->numbers)
            {
                interval wrapped = {part->first, start_of(at->cells, part, end - part->numbers)};
                found[count] = (interval){wrapped.first > at->from ? wrapped.first : at->from, wrapped.last};
                count += found[count].first < found[count].last;
                end = part->numbers;
            }
            interval own = {start_of(at->cells, part, number), start_of(at->cells, part, end)};
            found[count] = (interval){own.first > at->from ? own.first : at->from, own.last};
            count += found[count].first < found[count].last;
        }
    add_merged(search, at->own, found, count);
}

static void search_part(broad_search *search, lookup *at, const carom_aabb *box)
{
    enum
    {
        FEW = 16,
        MAX_ROWS = 9
    };
    const broad_part *part = at->part;
    cell_range range = cells_of(part, box);
    int64_t width[3];
    at->y = range.low[1], at->z = range.low[2];
    for (int axis = 0; axis < 3; axis++)
    {
        range.low[axis] -= part->reach[axis];
        if (part->sides[axis] != 0 && range.low[axis] < 0)
            range.low[axis] = 0;
        width[axis] = range.high[axis] - range.low[axis] + 1;
    }
    if (at->is_own && part->sides[0] != 0)
        range.low[2] = at->z;
    if (part->count <= FEW || width[1] * width[2] > MAX_ROWS || width[0] > (int64_t)part->numbers / 2)
        broad_add_run(search, (broad_run){at->own, at->from, part->first + part->count});
    else if (part->sides[0] != 0)
        search_dense(search, at, &range);
    else
        search_hashed(search, at, &range);
}

/* Huge boxes come last, so others are tested with them when it is their turn: all that they may pair with, those of
 * their own role as far as they come before. */
static void add_huge_runs(broad_search *search, const broad_cells *cells, uint32_t own)
{
    const broad_roles *roles = &cells->rows.roles;
    broad_role role = broad_rows_role(&cells->rows, cells->rows.boxes.items[own].slot);
    broad_run run = {own, 0, 0};
    for (size_t k = 0; k < cells->parts.count; k++)
    {
        const broad_part *part = &cells->parts.items[k];
        if (broad_roles_pair(roles, role, part->role))
            broad_extend_run(search, &run, part->first, part->first + part->count);
    }
    for (broad_role other = 0; other <= role; other++)
        if (broad_roles_pair(roles, role, other))
            broad_extend_run(search, &run, cells->huge[other], other == role ? own : cells->huge[other + 1]);
    broad_add_run(search, run);
}

/* Boxes search their own size and coarser ones. Of two roles of one size, the boxes of the first search. */
static void add_cell_runs(broad_search *search, const broad_cells *cells, size_t part, uint32_t own)
{
    const broad_part *from = &cells->parts.items[part];
    carom_aabb box = broad_grow(&search->input->boxes[cells->rows.boxes.items[own].slot], cells->half_margin);
    for (size_t k = 0; k < cells->parts.count; k++)
    {
        const broad_part *to = &cells->parts.items[k];
        if (to->level < from->level || (to->level == from->level && to->role < from->role) ||
            !broad_roles_pair(&cells->rows.roles, from->role, to->role))
            continue;
        search_part(
            search,
            &(lookup){
                .cells = cells, .part = to, .own = own, .from = to == from ? own + 1 : to->first, .is_own = to == from},
            &box);
    }
}

static void add_runs(broad_search *search, uint32_t first, uint32_t last, const void *data)
{
    const broad_cells *cells = data;
    size_t part = 0;
    for (uint32_t i = first; i < last; i++)
    {
        if (i >= cells->huge[0])
        {
            add_huge_runs(search, cells, i);
            continue;
        }
        while (i >= cells->parts.items[part].first + cells->parts.items[part].count)
            part++;
        add_cell_runs(search, cells, part, i);
    }
}

bool broad_cells_find(broad_cells *cells, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    cells->sorted.count = 0;
    if (!number_parts(cells) || !base_array_reserve(cells->rows.context, &cells->sorted, cells->items.count))
        return false;
    count_cells(cells, input);
    sort_cells(cells);
    drop_empty_parts(cells);
    for (size_t i = 0; i < cells->items.count; i++)
        broad_rows_add(&cells->rows, input, cells->sorted.items[i]);
    if (!broad_rows_load(&cells->rows, input))
        return false;
    broad_visit visit = {add_runs, cells, (uint32_t)cells->items.count, BROAD_NO_AXIS};
    return broad_rows_search(&cells->rows, input, &visit, out, boxes_tested);
}

/* ---- for one size of cells ---- */

enum
{
    CLASSES = 4096 /* of extents: two per exponent */
};

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_finite(const carom_aabb *box)
{
    return vec3_finite(vec3_sub(box->max, box->min)); /* and so are both ends */
}

static double largest_extent(const carom_aabb *box)
{
    return fmax(box->max.x - box->min.x, fmax(box->max.y - box->min.y, box->max.z - box->min.z));
}

/* Where most boxes are; a few far away don't count, nor do up to half of them if they are very far away in terms of the
 * distance between the quarters: along any axis, for boxes may be on a floor. */
static void measure_places(broad_statistics *statistics, const broad_places *places)
{
    const double very_far = 1000.0;
    carom_vec3 middles = vec3_sub(places->last, places->first);
    double middle = fmax(middles.x, fmax(middles.y, middles.z));
    for (int axis = 0; axis < 3; axis++)
    {
        double low = vec3_at(&places->low, axis), high = vec3_at(&places->high, axis);
        if (middle > 0.0 && high - low > very_far * middle) /* as far as evenly spread boxes would reach */
        {
            low = vec3_at(&places->first, axis) - 0.375 * vec3_at(&middles, axis);
            high = vec3_at(&places->last, axis) + 0.375 * vec3_at(&middles, axis);
        }
        double rest = fmin((high - low) / 14.0, 1e300);
        *vec3_part(&statistics->low, axis) = low - rest, *vec3_part(&statistics->high, axis) = high + rest;
    }
}

/* Boxes of about one size, and how many tests there are if each is tested with all others that it may pair with. */
typedef struct size_class
{
    uint32_t count;
    double tests;
} size_class;

/* The size for which the number of tests is least: large boxes are tested with all others, the rest with those in a few
 * cells. */
static double choose_size(const broad_statistics *statistics, const size_class classes[CLASSES], double tests)
{
    const double total = statistics->count;
    double best = INFINITY, size = 1.0, smaller = 0.0, extents = 0.0, larger_tests = tests, spans[3];
    int first = 0, last = CLASSES - 1;
    while (first < last && classes[first].count == 0)
        first++;
    while (last > first && classes[last].count == 0)
        last--;
    for (int axis = 0; axis < 3; axis++)
        spans[axis] = vec3_at(&statistics->high, axis) - vec3_at(&statistics->low, axis);
    for (int k = first; k <= last + 24 && k < CLASSES - 2; k++)
    {
        double side = from_bits((uint64_t)(k + 1) << 51), in_cells = 1.0;
        if (k <= last)
            smaller += classes[k].count, extents += side * classes[k].count, larger_tests -= classes[k].tests;
        for (int axis = 0; axis < 3; axis++)
            in_cells *= fmax(1.0, spans[axis] / side);
        double across = smaller > 0.0 ? extents / smaller / side : 0.0;
        double in_place = smaller > 0.0 ? (tests - larger_tests) * (smaller / total) / in_cells : 0.0;
        double cost = larger_tests / 8.0 + smaller * 4.0 * (1.0 + across) * (1.0 + across) + in_place;
        if (cost < best)
            best = cost, size = side;
    }
    return fmin(fmax(size, 1e-290), 1e290);
}

broad_statistics broad_cells_measure(const broad_rows *rows, const broad_input *input)
{
    broad_statistics statistics = {0};
    size_class classes[CLASSES] = {{0}};
    double half = broad_half_margin(input->margin), tests = 0.0;
    for (uint32_t i = 0; i < input->slot_count; i++)
    {
        broad_role role = broad_rows_role(rows, i);
        if (role == BROAD_IDLE)
            continue;
        carom_aabb box = broad_grow(&input->boxes[i], half);
        if (!is_finite(&box))
            continue;
        size_class *class = &classes[bits_of(largest_extent(&box) + 0.0) >> 51];
        statistics.count++;
        class->count++, class->tests += rows->roles.partner_counts[role];
        tests += rows->roles.partner_counts[role];
    }
    measure_places(&statistics, &rows->places);
    statistics.cell = choose_size(&statistics, classes, tests);
    return statistics;
}

bool broad_cells_one_size(broad_cells *cells, const broad_input *input, const broad_part *part)
{
    if (!broad_cells_add_parts(cells, part))
        return false;
    for (uint32_t i = 0; i < input->slot_count; i++)
    {
        broad_role role = broad_rows_role(&cells->rows, i);
        if (role != BROAD_IDLE)
            cells->items.items[cells->items.count++] = (broad_cell_item){i, role, 0};
    }
    return true;
}

void broad_cells_destroy(void *state)
{
    broad_cells *cells = state;
    carom_context *context = cells->rows.context;
    broad_cells_close(cells);
    base_release(context, cells, 1, sizeof *cells);
}

carom_status broad_cells_create(carom_context *context, const char *name, void **out)
{
    broad_cells *cells = base_allocate(context, 1, sizeof *cells, BASE_CACHE_LINE);
    *out = NULL;
    if (!cells || !broad_cells_open(cells, context))
    {
        if (cells)
            broad_cells_destroy(cells);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase %s: no memory", name);
    }
    *out = cells;
    return CAROM_OK;
}
