/* A triangle t that meets triangles of the other body, its partners, decided without cutting it into cells, as most can
 * be where bodies touch.
 *
 * If no partner divides t, it is one cell: a partner on which it stands knows how often its own body winds around that
 * side. If all partners are on one side of the plane of t, or in it, the other body winds around all of t's other side
 * equally often; what lies on a partner in its plane is between the sides of the two triangles. And where neither of
 * the answers that are possible would add to the evidence, it does not matter which is true. docs/exactness.md has the
 * proofs. */
#include "query/solids.h"

enum
{
    MEET_CROSSING = 1,
    MEET_COPLANAR = 2,
    MEET_OVERLAP = MEET_CROSSING | MEET_COPLANAR, /* an area in common: query_pack keeps these bits */
    MANY = 4 /* pairs of a partner: enough to find out about its sides before those of t */
};

typedef struct contact
{
    solids_task *task;
    int body;
    size_t rank;
    uint32_t triangle;
    local_face t;
    cells_partners partners;
    bool reached[2]; /* [side]: by partners that are not in the plane of t */
    bool walls;      /* a partner that stands on the plane of t may divide it */
    bool flats;      /* a partner lies on t */
} contact;

static narrow_counts *counts_of(const contact *at) { return at->task->cells.counts; }

static query_evidence *evidence_of(const contact *at) { return &at->task->cursor->evidence; }

/* ---- what the partners are like ---- */

/* A partner that only touches t, out of its plane. */
static void take_toucher(contact *at, uint32_t partner)
{
    const narrow_triangle b = tree_world_triangle(&at->task->cells.bodies[1 - at->body].mesh, partner);
    int side[3], level = 0;
    bool reached[2] = {false, false};
    local_sides(at->t.corner, b.corner, side, counts_of(at));
    for (int i = 0; i < 3; i++)
        level += side[i] == 0, reached[0] |= side[i] > 0, reached[1] |= side[i] < 0;
    at->reached[0] |= reached[0], at->reached[1] |= reached[1];
    at->walls |= level == 2;
}

/* False: one of them passes through t. */
static bool survey(contact *at)
{
    for (size_t i = 0; i < at->partners.count; i++)
    {
        uint64_t item = at->partners.items[i];
        if ((item & MEET_OVERLAP) == MEET_CROSSING)
            return false;
        if (!(item & MEET_OVERLAP))
            take_toucher(at, cells_partner(item));
        at->flats |= (item & MEET_OVERLAP) == MEET_OVERLAP;
    }
    return true;
}

/* ---- what evidence would add ---- */

/* Which of the bodies has an interior matters to no relation. */
static bool adds(const contact *at, query_evidence with)
{
    query_evidence now = *evidence_of(at);
    now.filled[0] = now.filled[1] = now.filled[0] || now.filled[1];
    with.filled[0] = with.filled[1] = with.filled[0] || with.filled[1];
    return memcmp(&with, &now, sizeof with) != 0;
}

static bool adds_surface(const contact *at, bool inside)
{
    query_evidence with = *evidence_of(at);
    solids_take_surface(&with, at->body, inside);
    return adds(at, with);
}

static bool adds_cell(const contact *at, const cells_cell *cell)
{
    query_evidence with = *evidence_of(at);
    solids_take_cell(cell, &with);
    return adds(at, with);
}

/* ---- nothing divides t ---- */

/* On which side of the plane of a triangle is t? -1: on both, or in it. */
static int side_of_plane(const contact *at, const narrow_triangle *plane)
{
    int side[3];
    local_sides(plane->corner, at->t.corner, side, counts_of(at));
    bool above = side[0] > 0 || side[1] > 0 || side[2] > 0, below = side[0] < 0 || side[1] < 0 || side[2] < 0;
    return above == below ? -1 : above ? 0 : 1;
}

/* Does a partner on which t stands know what is there? */
static carom_status ask_partner(const contact *at, uint32_t partner, bool *known, bool *inside)
{
    solids_task *task = at->task;
    int other = 1 - at->body;
    const narrow_triangle b = tree_world_triangle(&task->cells.bodies[other].mesh, partner);
    size_t rank = solids_rank_of(task, other, partner);
    const query_sides *sides = &task->cursor->regions[other].sides.items[rank];
    *known = false;
    if (sides->state == SOLIDS_SIDES_UNCLEAR ||
        (sides->state == SOLIDS_SIDES_NEW && cells_partners_of(&task->cells, other, partner).count < MANY))
        return CAROM_OK;
    int side = side_of_plane(at, &b);
    if (side < 0)
        return CAROM_OK;
    CELLS_TRY(solids_find_sides(task, other, rank, &sides));
    *known = sides->state == SOLIDS_SIDES_PLAIN && sides->open[side];
    *inside = sides->winding[side] != 0;
    return CAROM_OK;
}

static carom_status take_whole(const contact *at)
{
    bool known = false, inside = false;
    if (!adds_surface(at, false) && !adds_surface(at, true))
        return CAROM_OK;
    for (size_t i = 0; i < at->partners.count && i < MANY && !known; i++)
        if (!(at->partners.items[i] & MEET_OVERLAP))
            CELLS_TRY(ask_partner(at, cells_partner(at->partners.items[i]), &known, &inside));
    if (!known)
    {
        int winding;
        CELLS_TRY(cells_winding_beside(&at->task->cells, &at->t, 1 - at->body, 0, &winding));
        inside = winding != 0;
    }
    solids_take_surface(evidence_of(at), at->body, inside);
    return CAROM_OK;
}

/* ---- all partners are on one side of t, or lie on it ---- */

/* The other body next to t. */
typedef struct beyond
{
    int side; /* that the partners do not reach */
    bool inside;
    bool covers; /* partners lie on all of t */
} beyond;

/* The side of a partner in the plane of t that is this side of t. */
static int side_of_flat(const contact *at, const local_face *b, int side)
{
    int sign = exact_normal_sign(b->corner, at->t.axis, &counts_of(at)->exact_fallbacks);
    return sign == at->t.sign ? side : 1 - side;
}

static carom_status find_beyond(const contact *at, beyond *out)
{
    solids_task *task = at->task;
    int other = 1 - at->body, winding;
    *out = (beyond){.side = at->reached[0] ? 1 : 0};
    for (size_t i = 0; i < at->partners.count && at->flats; i++)
    {
        uint32_t partner = cells_partner(at->partners.items[i]);
        if ((at->partners.items[i] & MEET_OVERLAP) != MEET_OVERLAP)
            continue;
        const query_sides *sides;
        local_face b = cells_triangle(&task->cells, other, partner);
        CELLS_TRY(solids_find_sides(task, other, solids_rank_of(task, other, partner), &sides));
        if (b.sign == 0 || sides->state != SOLIDS_SIDES_PLAIN)
            break;
        /* If they reach neither side, these would be connected through what they leave of t: a contradiction, if the
         * other body is on one side of this partner only. */
        out->covers = task->cells.bodies[other].solid && !at->reached[0] && !at->reached[1];
        out->inside = sides->winding[side_of_flat(at, &b, out->side)] != 0;
        return CAROM_OK;
    }
    CELLS_TRY(cells_winding_beside(&task->cells, &at->t, other, out->side, &winding));
    out->inside = winding != 0;
    return CAROM_OK;
}

/* How much of t do partners lie on? */
typedef enum cover
{
    COVER_PART,    /* not on one of its corners */
    COVER_UNCLEAR, /* on all corners, but no partner on all of them */
    COVER_ALL
} cover;

/* Which corners of t does a partner hold that lies on it? A bit each. */
static unsigned corners_in(const contact *at, uint64_t item)
{
    unsigned mask = 0;
    local_face b = cells_triangle(&at->task->cells, 1 - at->body, cells_partner(item));
    for (unsigned i = 0; i < 3 && b.sign != 0; i++)
    {
        const exact_point corner = local_given(at->t.corner[i]);
        const local_sample sample = {.point = &corner};
        mask |= local_holds(&b, &sample, counts_of(at)) ? 1u << i : 0u;
    }
    return mask;
}

static cover cover_of(const contact *at)
{
    unsigned covered = 0;
    for (size_t i = 0; i < at->partners.count; i++)
    {
        if ((at->partners.items[i] & MEET_OVERLAP) != MEET_OVERLAP)
            continue;
        unsigned corners = corners_in(at, at->partners.items[i]);
        if (corners == 7)
            return COVER_ALL;
        covered |= corners;
    }
    return covered == 7 ? COVER_UNCLEAR : COVER_PART;
}

/* The cells of t that lie on a partner, as far as the sides of t and the other side of it tell. */
static cells_cell common_cell(const contact *at, const query_sides *own, const beyond *beyond, bool reached_inside)
{
    cells_cell cell = {.body = at->body, .both = true, .on_other = true};
    for (int side = 0; side < 2; side++)
    {
        cell.inside[at->body][side] = own->winding[side] != 0;
        cell.inside[1 - at->body][side] = side == beyond->side ? beyond->inside : reached_inside;
    }
    return cell;
}

/* Is what t and this partner share looked at from t? */
static bool owns(const contact *at, uint64_t item)
{
    const cells_task *cells = &at->task->cells;
    const cells_request request = {at->body, at->triangle, CELLS_OF_OTHER};
    if ((item & MEET_OVERLAP) != MEET_OVERLAP)
        return false;
    local_face b = cells_triangle(cells, 1 - at->body, cells_partner(item));
    return b.sign != 0 && cells_is_owner(cells, &request, &at->t, cells_partner(item), &b);
}

/* Takes the cells that are on t and on this partner. */
static carom_status take_common(const contact *at, const query_sides *own, const beyond *beyond, uint32_t partner,
                                bool *done)
{
    solids_task *task = at->task;
    int other = 1 - at->body;
    const query_sides *sides;
    CELLS_TRY(solids_find_sides(task, other, solids_rank_of(task, other, partner), &sides));
    *done = sides->state == SOLIDS_SIDES_PLAIN;
    if (!*done)
        return CAROM_OK;
    local_face b = cells_triangle(&task->cells, other, partner);
    bool reached_inside = sides->winding[side_of_flat(at, &b, 1 - beyond->side)] != 0;
    const cells_cell cell = common_cell(at, own, beyond, reached_inside);
    solids_take_cell(&cell, evidence_of(at));
    return CAROM_OK;
}

static carom_status take_common_cells(const contact *at, const beyond *beyond, bool *done)
{
    const query_sides *own = NULL;
    for (size_t i = 0; i < at->partners.count && *done; i++)
    {
        if (!owns(at, at->partners.items[i]))
            continue;
        if (!own)
            CELLS_TRY(solids_find_sides(at->task, at->body, at->rank, &own));
        if (own->state != SOLIDS_SIDES_PLAIN)
            return *done = false, CAROM_OK;
        const cells_cell empty = common_cell(at, own, beyond, false), filled = common_cell(at, own, beyond, true);
        if (!adds_cell(at, &empty) && !adds_cell(at, &filled))
            return CAROM_OK;
        CELLS_TRY(take_common(at, own, beyond, cells_partner(at->partners.items[i]), done));
    }
    return CAROM_OK;
}

static carom_status take_one_sided(const contact *at, bool *done)
{
    beyond beyond;
    CELLS_TRY(find_beyond(at, &beyond));
    if (!at->flats)
        return solids_take_surface(evidence_of(at), at->body, beyond.inside), CAROM_OK;
    if (!beyond.covers && adds_surface(at, beyond.inside))
    {
        cover cover = cover_of(at);
        *done = cover != COVER_UNCLEAR;
        if (cover == COVER_PART)
            solids_take_surface(evidence_of(at), at->body, beyond.inside);
    }
    if (!*done)
        return CAROM_OK;
    return take_common_cells(at, &beyond, done);
}

carom_status solids_take_partners(solids_task *task, int body, size_t rank, bool *done)
{
    uint32_t triangle = (uint32_t)task->cursor->regions[body].touched.items[rank];
    contact at = {.task = task,
                  .body = body,
                  .rank = rank,
                  .triangle = triangle,
                  .t = cells_triangle(&task->cells, body, triangle),
                  .partners = cells_partners_of(&task->cells, body, triangle)};
    *done = false;
    if (at.t.sign == 0 || !survey(&at) || ((at.flats || at.walls) && at.reached[0] && at.reached[1]))
        return CAROM_OK;
    *done = true;
    return at.flats || at.walls ? take_one_sided(&at, done) : take_whole(&at);
}
