/* Broad phase `topogrid`: the pairs of boxes in each cell, and of those apart. What may pair with nothing that is there
 * is left out, and where there are many boxes, they are tested with those of other roles that they may pair with. */
#include "broad/topogrid_state.h"

enum
{
    PADDING = 8,      /* of a batch */
    FEW_IN_CELL = 256 /* boxes that are tested faster than put into groups */
};

/* Where pairs are searched: what a list of found ones may hold besides those to be listed depends on it. */
typedef enum search_place
{
    IN_CELL,         /* pairs that other cells have, too */
    IN_GROUPED_CELL, /* none */
    BOXES_APART      /* each pair of one role twice, and boxes with themselves */
} search_place;

typedef struct pair_search
{
    topogrid_state *own;
    const broad_input *input;
    broad_pairs *out;
    uint64_t *tested;
    search_place place;
    uint8_t at[3]; /* coordinates of the cell */
} pair_search;

static broad_role role_of(const topogrid_state *own, uint32_t slot)
{
    return own->roles.of[own->slots.items[slot].class];
}

/* Of the cells that both are in, one lists a pair. Of two boxes of one role apart, the first one does. */
static bool is_listed_here(const pair_search *search, uint32_t own, uint32_t other)
{
    const grid_slot *a = &search->own->slots.items[own], *b = &search->own->slots.items[other];
    if (search->place == BOXES_APART)
        return own != other &&
               !(b->place == APART && role_of(search->own, other) == role_of(search->own, own) && other < own);
    for (int axis = 0; axis < 3 && search->place == IN_CELL; axis++)
        if (search->at[axis] != (a->range.low[axis] > b->range.low[axis] ? a->range.low[axis] : b->range.low[axis]))
            return false;
    return true;
}

/* Tests a box of the batch against those in a range. */
static bool add_pairs(const pair_search *search, const broad_batch *batch, uint32_t position, broad_batch_range range)
{
    topogrid_state *own = search->own;
    const broad_input *input = search->input;
    const uint32_t *slots = own->batch.items;
    uint32_t slot = slots[position];
    uint32_t found = BASE_PICK_ISA(own->context, broad_batch_meet)(batch, position, range, own->found.items);
    *search->tested += range.last - range.first;
    if (!base_array_reserve(own->context, search->out, found))
        return false;
    for (uint32_t i = 0; i < found; i++)
    {
        uint32_t other = slots[own->found.items[i]];
        if (is_listed_here(search, slot, other) && broad_may_pair(&input->traits[slot], &input->traits[other]) &&
            broad_near(&input->boxes[slot], &input->boxes[other], input->margin))
            search->out->items[search->out->count++] = broad_pack(slot, other);
    }
    return true;
}

/* Makes room for a batch of so many boxes. */
static bool begin_batch(topogrid_state *own, size_t count, broad_batch *batch)
{
    own->batch.count = own->found.count = own->bounds.count = 0;
    batch->stride = count + PADDING, batch->count = 0;
    bool enough = base_array_reserve(own->context, &own->batch, count) &&
                  base_array_reserve(own->context, &own->found, count + PADDING) &&
                  base_array_reserve(own->context, &own->bounds, 6 * batch->stride);
    batch->bounds = own->bounds.items;
    return enough;
}

static void put_in_batch(topogrid_state *own, const broad_batch *batch, uint32_t position, uint32_t slot)
{
    own->batch.items[position] = slot;
    for (size_t row = 0; row < 6; row++)
        own->bounds.items[row * batch->stride + position] = own->slots.items[slot].bounds[row];
}

/* What follows the last box is read, but not counted. */
static void end_batch(topogrid_state *own, const broad_batch *batch)
{
    for (size_t row = 0; row < 6; row++)
        for (size_t i = batch->count; i < batch->count + (size_t)PADDING; i++)
            own->bounds.items[row * batch->stride + i] = NAN;
}

/* ---- a cell with few boxes ---- */

static bool search_few(pair_search *search, const grid_cell *cell)
{
    topogrid_state *own = search->own;
    const grid_list *movers = &cell->movers, *statics = &cell->statics;
    broad_batch batch;
    if (!begin_batch(own, movers->count + statics->count, &batch))
        return false;
    for (size_t i = 0; i < movers->count; i++)
        put_in_batch(own, &batch, batch.count++, movers->items[i]);
    for (size_t i = 0; i < statics->count; i++)
        put_in_batch(own, &batch, batch.count++, statics->items[i]);
    end_batch(own, &batch);
    search->place = IN_CELL;
    bool enough = true;
    for (uint32_t i = 0; i < movers->count && enough; i++)
        enough = add_pairs(search, &batch, i, (broad_batch_range){i + 1, batch.count});
    return enough;
}

/* ---- a cell with many boxes ----
 *
 * Two boxes are listed in the cell that has the larger of their lowest coordinates along each axis: one of them begins
 * there. So the boxes in a cell are put into groups, by role and by the axes along which they begin in it. A group is
 * tested with those that begin along all other axes; many boxes in the same cells are tested in one of these only. */

enum
{
    ALL_AXES = 7,
    SIDE_GROUPS = 8, /* of each role; those that begin along all axes come first */
    CELL_GROUPS = BROAD_ROLES * SIDE_GROUPS
};

typedef struct grouped_cell
{
    const uint8_t *at;              /* coordinates */
    uint32_t ends[CELL_GROUPS + 1]; /* positions where groups end, behind a zero */
} grouped_cell;

/* Of a box that is not idle. */
static uint32_t group_of(const topogrid_state *own, const grouped_cell *cell, uint32_t slot)
{
    const uint8_t *low = own->slots.items[slot].range.low;
    uint32_t axes = (low[0] == cell->at[0]) | (low[1] == cell->at[1]) << 1 | (low[2] == cell->at[2]) << 2;
    return ALL_AXES - axes + SIDE_GROUPS * (uint32_t)role_of(own, slot);
}

/* Adds a list's boxes to the sizes of their groups. */
static void count_groups(const topogrid_state *own, grouped_cell *cell, const grid_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (role_of(own, list->items[i]) != BROAD_IDLE)
            cell->ends[group_of(own, cell, list->items[i]) + 1]++;
}

/* next: positions, by group. */
static void fill_groups(topogrid_state *own, const grouped_cell *cell, const broad_batch *batch, const grid_list *list,
                        uint32_t next[CELL_GROUPS])
{
    for (size_t i = 0; i < list->count; i++)
        if (role_of(own, list->items[i]) != BROAD_IDLE)
            put_in_batch(own, batch, next[group_of(own, cell, list->items[i])]++, list->items[i]);
}

/* Is there anything to be found in a group and another one? */
static bool may_meet(const broad_roles *roles, uint32_t group, uint32_t other)
{
    return ((group % SIDE_GROUPS) & (other % SIDE_GROUPS)) == 0 &&
           broad_roles_pair(roles, group / SIDE_GROUPS, other / SIDE_GROUPS);
}

/* Boxes of a group with each other and with those of later groups. */
static bool search_group(const pair_search *search, const grouped_cell *cell, const broad_batch *batch, uint32_t group)
{
    const broad_roles *roles = &search->own->roles;
    for (uint32_t i = cell->ends[group]; i < cell->ends[group + 1]; i++)
        for (uint32_t other = group; other < CELL_GROUPS; other++)
        {
            if (!may_meet(roles, group, other))
                continue;
            broad_batch_range range = {other == group ? i + 1 : cell->ends[other], 0};
            while (other + 1 < CELL_GROUPS && may_meet(roles, group, other + 1))
                other++;
            range.last = cell->ends[other + 1];
            if (range.first < range.last && !add_pairs(search, batch, i, range))
                return false;
        }
    return true;
}

static bool search_many(pair_search *search, const grid_cell *boxes)
{
    topogrid_state *own = search->own;
    grouped_cell cell = {.at = search->at};
    broad_batch batch;
    count_groups(own, &cell, &boxes->movers);
    count_groups(own, &cell, &boxes->statics);
    for (uint32_t group = 0; group < CELL_GROUPS; group++)
        cell.ends[group + 1] += cell.ends[group];
    if (!begin_batch(own, cell.ends[CELL_GROUPS], &batch))
        return false;
    batch.count = cell.ends[CELL_GROUPS];
    uint32_t next[CELL_GROUPS];
    memcpy(next, cell.ends, sizeof next);
    fill_groups(own, &cell, &batch, &boxes->movers, next);
    fill_groups(own, &cell, &batch, &boxes->statics, next);
    end_batch(own, &batch);
    search->place = IN_GROUPED_CELL;
    bool enough = true;
    for (uint32_t group = 0; group < CELL_GROUPS && enough; group++)
        enough = search_group(search, &cell, &batch, group);
    return enough;
}

/* ---- all ---- */

static bool search_cell(pair_search *search, uint32_t number)
{
    const broad_octree_grid *grid = &search->own->grid;
    const grid_cell *cell = &search->own->cells.items[number];
    search->at[0] = (uint8_t)(number & (grid->side - 1)),
    search->at[1] = (uint8_t)(number >> grid->depth & (grid->side - 1));
    search->at[2] = (uint8_t)(number >> 2 * grid->depth);
    return cell->movers.count + cell->statics.count <= FEW_IN_CELL ? search_few(search, cell)
                                                                   : search_many(search, cell);
}

/* Is a box to be tested with those of a role that are apart? Two that are both apart are so for the first role. */
static bool meets_apart(const topogrid_state *own, uint32_t slot, broad_role role)
{
    broad_role other = role_of(own, slot);
    uint8_t place = own->slots.items[slot].place;
    return place != NOWHERE && other != BROAD_IDLE && broad_roles_pair(&own->roles, role, other) &&
           !(place == APART && other < role);
}

/* Boxes of a role apart against all others that they may pair with. They come first, so as to be in the batch. */
static bool search_apart(pair_search *search, broad_role role)
{
    topogrid_state *own = search->own;
    broad_batch batch;
    uint32_t own_count = 0;
    if (!begin_batch(own, own->apart.count + own->slots.count, &batch))
        return false;
    for (size_t i = 0; i < own->apart.count; i++)
        if (role_of(own, own->apart.items[i]) == role)
            put_in_batch(own, &batch, own_count++, own->apart.items[i]);
    batch.count = own_count;
    for (uint32_t slot = 0; slot < own->slots.count && own_count > 0; slot++)
        if (meets_apart(own, slot, role))
            put_in_batch(own, &batch, batch.count++, slot);
    end_batch(own, &batch);
    search->place = BOXES_APART;
    bool enough = true;
    for (uint32_t i = 0; i < own_count && enough; i++)
        enough = add_pairs(search, &batch, i, (broad_batch_range){own_count, batch.count});
    return enough;
}

bool topogrid_search(topogrid_state *own, const broad_input *input, broad_pairs *out, uint64_t *tested)
{
    pair_search search = {.own = own, .input = input, .out = out, .tested = tested};
    bool enough = true;
    for (uint32_t i = 0; i < own->cells.count && enough; i++)
        if (own->cells.items[i].movers.count > 0)
            enough = search_cell(&search, i);
    for (broad_role role = 0; role < BROAD_ROLES && own->apart.count > 0 && enough; role++)
        enough = search_apart(&search, role);
    return enough;
}
