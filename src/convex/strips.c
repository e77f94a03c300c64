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
        uint32_t half = mesh->halves[4 * (size_t)facet + (size_t)side];
        out->facet = half / 4, out->side = (int)(half % 4);
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
    static const uint8_t sides[3][2] = {{2, 1}, {0, 2}, {1, 0}};
    int side = sides[place->side][place->odd == swap];
    bool found = cross(mesh, place->facet, side, out);
    out->odd = place->odd == swap; /* a swap draws the facet one later */
    return found;
}

/* ---- making strips ---- */

typedef struct strip_maker
{
    carom_context *context;
    const strip_mesh *mesh;
    strip_space *space;
    uint64_t walk; /* the number of the current one */
} strip_maker;

#define STRIP_USED UINT64_MAX

static bool is_free(const strip_maker *maker, uint32_t facet)
{
    const uint64_t *seen = maker->space->seen.items;
    return seen[facet] != STRIP_USED && seen[facet] != maker->walk;
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
    int side; /* that it begins with */
    uint32_t count, swaps;
} strip_walk;

/* Walks as far as possible. trail: room for a step per facet of the mesh. */
static strip_walk take_walk(strip_maker *maker, strip_place place, strip_step *trail)
{
    strip_walk out = {place.side, 1, 0};
    strip_place next;
    bool swap = false;
    maker->walk++;
    maker->space->seen.items[place.facet] = maker->walk;
    trail[0] = (strip_step){place.facet, false};
    /* The first triangle has no bit: where to begin is chosen so that it needs no swap. */
    bool on = leave(maker->mesh, &place, false, &next) && is_free(maker, next.facet);
    while (on)
    {
        place = next;
        maker->space->seen.items[place.facet] = maker->walk;
        on = choose(maker, &place, &swap, &next);
        trail[out.count++] = (strip_step){place.facet, on && swap};
        out.swaps += on && swap;
    }
    return out;
}

/* Writes a bit for each turn and marks the facets as used. */
static void use_walk(strip_maker *maker, const strip_walk *walk, const strip_step *trail, strip_set *out)
{
    for (uint32_t i = 0; i < walk->count; i++)
    {
        maker->space->seen.items[trail[i].facet] = STRIP_USED;
        if (i == 0 || i + 1 == walk->count)
            continue;
        if (out->bit_count % 8 == 0)
            out->bits.items[out->bits.count++] = 0;
        out->bits.items[out->bit_count / 8] |= (uint8_t)(trail[i].swap << out->bit_count % 8);
        out->bit_count++;
    }
}

static bool make_strip(strip_maker *maker, uint32_t facet, strip_set *out)
{
    strip_step *trail = maker->space->trails.items, *best_trail = trail + maker->mesh->count;
    strip_walk best = {0, 0, 0};
    for (int side = 0; side < 3; side++)
    {
        strip_walk walk = take_walk(maker, (strip_place){facet, side, false}, trail);
        if (walk.count < best.count || (walk.count == best.count && walk.swaps >= best.swaps))
            continue;
        strip_step *other = best_trail;
        best = walk, best_trail = trail, trail = other;
    }
    if (!base_array_reserve(maker->context, &out->strips, 1) ||
        !base_array_reserve(maker->context, &out->bits, best.count / 8 + 2))
        return false;
    use_walk(maker, &best, best_trail, out);
    out->index_count += (uint64_t)(out->strips.count > 0) + 2 + best.count + best.swaps;
    out->strips.items[out->strips.count++] = (convex_strip){3 * facet + (uint32_t)best.side, best.count};
    return true;
}

static bool make_all(strip_maker *maker, strip_set *out)
{
    const uint32_t count = maker->mesh->count;
    strip_space *space = maker->space;
    memset(space->seen.items, 0, count * sizeof *space->seen.items);
    /* Facets with the fewest neighbours first; what a strip leaves behind alone comes right after it. */
    uint32_t filled = 0;
    for (uint32_t facet = 0; facet < count; facet++)
        space->free.items[facet] = (uint8_t)free_count(maker, facet);
    for (int wanted = 0; wanted <= 3; wanted++)
        for (uint32_t facet = 0; facet < count; facet++)
            if (space->free.items[facet] == wanted)
                space->queue.items[filled++] = facet;
    for (uint32_t i = 0; i < count; i++)
        if (space->seen.items[space->queue.items[i]] != STRIP_USED && !make_strip(maker, space->queue.items[i], out))
            return false;
    return true;
}

static void find_halves(const strip_mesh *mesh, uint32_t *halves)
{
    strip_place other;
    for (uint32_t facet = 0; facet < mesh->count; facet++)
        for (int side = 0; side < 3; side++)
            halves[4 * (size_t)facet + (size_t)side] =
                cross(mesh, facet, side, &other) ? 4 * other.facet + (uint32_t)other.side : CONVEX_NONE;
}

static bool reserve_space(carom_context *context, strip_space *space, size_t count)
{
    return base_array_reserve(context, &space->halves, 4 * count) && base_array_reserve(context, &space->seen, count) &&
           base_array_reserve(context, &space->free, count) && base_array_reserve(context, &space->queue, count) &&
           base_array_reserve(context, &space->trails, 2 * count);
}

bool strips_make(carom_context *context, strip_space *space, const strip_mesh *mesh, strip_set *out)
{
    *out = (strip_set){0};
    if (mesh->count == 0)
        return true;
    if (!reserve_space(context, space, mesh->count))
        return false;
    strip_mesh own = *mesh;
    strip_maker maker = {.context = context, .mesh = &own, .space = space};
    find_halves(mesh, space->halves.items);
    own.halves = space->halves.items;
    bool made = make_all(&maker, out);
    if (!made)
        strips_free(context, out);
    return made;
}

void strips_free(carom_context *context, strip_set *set)
{
    base_array_free(context, &set->strips);
    base_array_free(context, &set->bits);
}

void strips_free_space(carom_context *context, strip_space *space)
{
    base_array_free(context, &space->halves);
    base_array_free(context, &space->seen);
    base_array_free(context, &space->free);
    base_array_free(context, &space->queue);
    base_array_free(context, &space->trails);
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

bool strips_valid(const strip_mesh *mesh, const strip_code *code, uint64_t bit_end, uint64_t index_count)
{
    uint64_t bit = code->bit_first, indices = 0;
    for (uint32_t i = 0; i < code->count; i++)
    {
        const convex_strip *strip = &code->strips[i];
        if (strip->start / 3 >= mesh->count || strip->count == 0)
            return false;
        strip_place place = {strip->start / 3, (int)(strip->start % 3), false}, next = place;
        indices += (uint64_t)(i > 0) + 2;
        for (uint32_t k = 0; k < strip->count; k++, place = next)
        {
            bool inner = k > 0 && k + 1 < strip->count;
            if (indices > index_count || (inner && bit >= bit_end))
                return false;
            bool swap = inner && (code->bits[bit / 8] >> bit % 8 & 1);
            bit += inner, indices += 1 + (uint64_t)swap;
            if (k + 1 < strip->count && !leave(mesh, &place, swap, &next))
                return false;
        }
    }
    return indices == index_count;
}
