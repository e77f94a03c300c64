/* Triangle strips (the thesis, 2.3.4): found as in Kurt Akeley's tomesh, which starts where the fewest neighbours are
 * left, with a look ahead at each turn; encoded after Martin Isenburg, Triangle strip compression, 2000: the facets'
 * neighbours are known, so a strip is its first facet and a bit per turn. */
#include "convex/strips.h"

/* A place in a strip: a facet, the side that it was entered by (or begins with), and whether the strip, whose triangles
 * alternate, draws it with the sides as they are or the other way round. */
typedef struct strip_place
{
    uint32_t facet;
    int side;
    bool odd;
} strip_place;

/* The three vertices in the strip's order. */
static void place_vertices(const strip_mesh *mesh, const strip_place *place, uint32_t out[3])
{
    const uint32_t *corner = mesh->corners + 3 * (size_t)place->facet;
    uint32_t x = corner[place->side], y = corner[(place->side + 1) % 3];
    out[0] = place->odd ? y : x, out[1] = place->odd ? x : y, out[2] = corner[(place->side + 2) % 3];
}

/* The facet across a side, entered by the same edge; false: none, or its vertices there are others. */
static bool cross(const strip_mesh *mesh, uint32_t facet, int side, strip_place *out)
{
    if (mesh->halves)
    {
        uint32_t half = mesh->halves[3 * (size_t)facet + (size_t)side];
        out->facet = half / 3, out->side = (int)(half % 3);
        return half != CONVEX_NONE;
    }
    const uint32_t *corner = mesh->corners + 3 * (size_t)facet;
    uint32_t from = corner[side], to = corner[(side + 1) % 3];
    out->facet = mesh->neighbours[3 * (size_t)facet + (size_t)side];
    if (out->facet == CONVEX_NONE || out->facet == facet)
        return false;
    const uint32_t *other = mesh->corners + 3 * (size_t)out->facet;
    for (out->side = 0; out->side < 3; out->side++)
        if (other[out->side] == to && other[(out->side + 1) % 3] == from)
            return true;
    return false;
}

/* The next place straight on (bit 0), or after a swap (bit 1). */
static bool leave(const strip_mesh *mesh, const strip_place *place, bool swap, strip_place *out)
{
    int side = (place->side + (place->odd == swap ? 1 : 2)) % 3;
    bool found = cross(mesh, place->facet, side, out);
    out->odd = place->odd == swap; /* a swap draws the facet one later */
    return found;
}

/* ---- making strips ---- */

typedef struct strip_maker
{
    const strip_mesh *mesh;
    uint64_t *seen;  /* per facet: the walk that passed it last; the largest number: it is in a strip */
    uint8_t *free;   /* per facet: neighbours that are in no strip */
    uint32_t *queue; /* facets by these numbers, from the fewest; see next_start */
    uint64_t walk;
} strip_maker;

#define STRIP_USED UINT64_MAX

static bool is_free(const strip_maker *maker, uint32_t facet)
{
    return maker->seen[facet] != STRIP_USED && maker->seen[facet] != maker->walk;
}

static int free_count(const strip_maker *maker, uint32_t facet)
{
    int count = 0;
    strip_place other;
    for (int side = 0; side < 3; side++)
        count += cross(maker->mesh, facet, side, &other) && is_free(maker, other.facet);
    return count;
}

/* Where a walk goes on: straight, but not into a dead end if there is another way. False: nowhere. */
static bool choose(const strip_maker *maker, const strip_place *place, bool *swap, strip_place *out)
{
    strip_place straight, turned;
    bool can_straight = leave(maker->mesh, place, false, &straight) && is_free(maker, straight.facet);
    bool can_turn = leave(maker->mesh, place, true, &turned) && is_free(maker, turned.facet);
    if (!can_straight && !can_turn)
        return false;
    *swap =
        !can_straight || (can_turn && free_count(maker, straight.facet) == 0 && free_count(maker, turned.facet) > 0);
    *out = *swap ? turned : straight;
    return true;
}

typedef struct strip_walk
{
    strip_place start;
    uint32_t count, swaps;
} strip_walk;

/* Walks as far as possible. bits: of the set to write to; null: only look. */
static strip_walk take_walk(strip_maker *maker, strip_place place, strip_set *bits)
{
    strip_walk out = {place, 1, 0};
    strip_place next;
    bool swap = false;
    maker->walk++;
    maker->seen[place.facet] = maker->walk;
    /* The first triangle has no bit: where to begin is chosen so that it needs no swap. */
    bool on = leave(maker->mesh, &place, false, &next) && is_free(maker, next.facet);
    while (on)
    {
        place = next;
        maker->seen[place.facet] = maker->walk;
        out.count++;
        on = choose(maker, &place, &swap, &next);
        if (!on)
            break;
        out.swaps += swap;
        if (bits)
        {
            if (bits->bit_count % 8 == 0)
                bits->bits.items[bits->bits.count++] = 0;
            bits->bits.items[bits->bit_count / 8] |= (uint8_t)(swap << bits->bit_count % 8);
            bits->bit_count++;
        }
    }
    return out;
}

/* Marks the walk's facets as used. */
static void use_walk(strip_maker *maker, const strip_walk *walk, const strip_set *set, uint64_t bit)
{
    strip_place place = walk->start, next;
    for (uint32_t i = 0; i < walk->count; i++)
    {
        bool swap = i > 0 && i + 1 < walk->count && (set->bits.items[bit / 8] >> bit % 8 & 1);
        bit += i > 0 && i + 1 < walk->count;
        bool more = leave(maker->mesh, &place, swap, &next);
        maker->seen[place.facet] = STRIP_USED;
        if (more)
            place = next;
    }
}

static bool make_strip(carom_context *context, strip_maker *maker, uint32_t facet, strip_set *out)
{
    strip_walk best = {{facet, 0, false}, 0, 0};
    for (int side = 0; side < 3; side++)
    {
        strip_walk walk = take_walk(maker, (strip_place){facet, side, false}, NULL);
        if (walk.count > best.count || (walk.count == best.count && walk.swaps < best.swaps))
            best = walk;
    }
    if (!base_array_reserve(context, &out->strips, 1) || !base_array_reserve(context, &out->bits, best.count / 8 + 2))
        return false;
    uint64_t first_bit = out->bit_count;
    take_walk(maker, best.start, out);
    use_walk(maker, &best, out, first_bit);
    out->index_count += (uint64_t)(out->strips.count > 0) + 2 + best.count + best.swaps;
    out->strips.items[out->strips.count++] = (convex_strip){3 * facet + (uint32_t)best.start.side, best.count};
    return true;
}

static bool make_all(carom_context *context, strip_maker *maker, strip_set *out)
{
    const strip_mesh *mesh = maker->mesh;
    memset(maker->seen, 0, mesh->count * sizeof *maker->seen);
    /* Facets with the fewest neighbours first; what a strip leaves behind alone comes right after it. */
    uint32_t filled = 0;
    for (int count = 0; count <= 3; count++)
        for (uint32_t facet = 0; facet < mesh->count; facet++)
        {
            if (count == 0)
                maker->free[facet] = (uint8_t)free_count(maker, facet);
            if (maker->free[facet] == count)
                maker->queue[filled++] = facet;
        }
    for (uint32_t i = 0; i < mesh->count; i++)
        if (maker->seen[maker->queue[i]] != STRIP_USED && !make_strip(context, maker, maker->queue[i], out))
            return false;
    return true;
}

static void find_halves(const strip_mesh *mesh, uint32_t *halves)
{
    strip_place other;
    for (uint32_t facet = 0; facet < mesh->count; facet++)
        for (int side = 0; side < 3; side++)
            halves[3 * (size_t)facet + (size_t)side] =
                cross(mesh, facet, side, &other) ? 3 * other.facet + (uint32_t)other.side : CONVEX_NONE;
}

bool strips_make(carom_context *context, const strip_mesh *mesh, strip_set *out)
{
    *out = (strip_set){0};
    strip_mesh own = *mesh;
    strip_maker maker = {.mesh = &own};
    uint32_t *halves = base_allocate(context, 3 * (size_t)mesh->count, sizeof *halves, _Alignof(uint32_t));
    maker.seen = base_allocate(context, mesh->count, sizeof *maker.seen, _Alignof(uint64_t));
    maker.free = base_allocate(context, mesh->count, 1, 1);
    maker.queue = base_allocate(context, mesh->count, sizeof *maker.queue, _Alignof(uint32_t));
    bool made = halves && maker.seen && maker.free && maker.queue;
    if (made)
    {
        find_halves(mesh, halves);
        own.halves = halves;
        made = make_all(context, &maker, out);
    }
    base_release(context, halves, 3 * (size_t)mesh->count, sizeof *halves);
    base_release(context, maker.seen, mesh->count, sizeof *maker.seen);
    base_release(context, maker.free, mesh->count, 1);
    base_release(context, maker.queue, mesh->count, sizeof *maker.queue);
    if (!made)
        strips_free(context, out);
    return made;
}

void strips_free(carom_context *context, strip_set *set)
{
    base_array_free(context, &set->strips);
    base_array_free(context, &set->bits);
}

/* ---- reading strips ---- */

void strips_decode(const strip_mesh *mesh, const strip_code *code, uint32_t *out)
{
    uint64_t bit = code->bit_first;
    for (uint32_t i = 0; i < code->count; i++)
    {
        const convex_strip *strip = &code->strips[i];
        strip_place place = {strip->start / 3, (int)(strip->start % 3), false}, next = place;
        uint32_t vertex[3];
        if (i > 0)
            *out++ = CONVEX_NONE;
        place_vertices(mesh, &place, vertex);
        *out++ = vertex[0], *out++ = vertex[1];
        for (uint32_t k = 0; k < strip->count; k++, place = next)
        {
            bool inner = k > 0 && k + 1 < strip->count, swap = inner && (code->bits[bit / 8] >> bit % 8 & 1);
            bit += inner;
            place_vertices(mesh, &place, vertex);
            if (swap)
                *out++ = vertex[0];
            *out++ = vertex[2];
            if (k + 1 < strip->count)
                leave(mesh, &place, swap, &next);
        }
    }
}
