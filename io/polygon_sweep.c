/* Large polygons to triangles: a line sweeps over the plane, from corner to corner (Hertel, Mehlhorn 1983).
 *
 * The sides that meet the line are kept in order from below to above. The inside between a floor and the ceiling above
 * it, a room, has behind the line a chain of corners that triangles do not cover yet. Both halves of a chain bend away
 * from its tip, so a new corner forms triangles with as many as it sees, and what is left bends away again. Sides that
 * become neighbours are tested for crossing (Shamos, Hoey 1976).
 *
 * Every decision is an exact sign. Each triangle takes one corner off a chain, so all together have the polygon as
 * their border; since none is turned over, they cover each point as often as the polygon winds around it. Where a
 * polygon touches itself, the order of its sides may be unclear; then nothing is claimed. */
#include "io/polygon.h"

enum
{
    STEP_EVENTS = 1 << 16, /* between two calls of the caller's hook */
    BELOW = 0,
    ABOVE = 1
};

static const uint32_t NONE = UINT32_MAX;

/* What a corner is to the sweep; corners at one place come in this order. */
typedef enum sweep_kind
{
    SWEEP_END,     /* of a room */
    SWEEP_MERGE,   /* of two rooms to one */
    SWEEP_FLOOR,   /* from one floor to the next */
    SWEEP_CEILING, /* likewise */
    SWEEP_START,
    SWEEP_SPLIT
} sweep_kind;

typedef struct sweep
{
    io_polygon *polygon;
    io_soup *soup;
    io_polygon_corner *corners;
    io_sweep_side *sides;
    io_sweep_link *links;
    uint32_t side_count, link_count;
    uint32_t root, lowest; /* sides */
    size_t left;           /* triangles */
    io_cut cut;            /* IO_CUT_DONE or IO_CUT_TOUCHING as long as all is well */
} sweep;

static bool give_up(sweep *s, io_cut cut)
{
    s->cut = cut;
    return false;
}

static int turn(const sweep *s, uint32_t a, uint32_t b, uint32_t c) { return io_polygon_turn(s->polygon, a, b, c); }

/* ---- the order of corners: along one coordinate of the plane, then along the other, so that no side is upright ----
 */

static double along(const io_polygon *polygon, uint32_t corner)
{
    /* mirrored where the normal is negative: then every polygon runs counterclockwise */
    return polygon->sign * io_polygon_coordinate(polygon, polygon->corners.items[corner].position, 0);
}

static double across(const io_polygon *polygon, uint32_t corner)
{
    return io_polygon_coordinate(polygon, polygon->corners.items[corner].position, 1);
}

static int compare_places(const io_polygon *polygon, uint32_t a, uint32_t b)
{
    double p = along(polygon, a), q = along(polygon, b);
    if (p == q)
        p = across(polygon, a), q = across(polygon, b);
    return p < q ? -1 : p > q;
}

static bool event_precedes(const io_sweep_event *a, const io_sweep_event *b)
{
    if (a->along != b->along)
        return a->along < b->along;
    if (a->across != b->across)
        return a->across < b->across;
    return a->kind != b->kind ? a->kind < b->kind : a->corner < b->corner;
}

static void merge_events(const io_sweep_event *from, io_sweep_event *to, const size_t range[3])
{
    size_t a = range[0], b = range[1];
    for (size_t i = range[0]; i < range[2]; i++)
        to[i] = a < range[1] && (b >= range[2] || !event_precedes(&from[b], &from[a])) ? from[a++] : from[b++];
}

carom_status io_polygon_sort(io_polygon *polygon, size_t count, io_sweep_event **out)
{
    io_sweep_event *from = polygon->events.items, *to = from + count;
    for (size_t width = 1; width < count; width *= 2)
    {
        BASE_TRY(io_polygon_step(polygon));
        for (size_t at = 0; at < count; at += 2 * width)
        {
            size_t middle = at + width < count ? at + width : count;
            size_t end = middle + width < count ? middle + width : count;
            merge_events(from, to, (const size_t[3]){at, middle, end});
        }
        io_sweep_event *swap = from;
        from = to, to = swap;
    }
    *out = from;
    return CAROM_OK;
}

static sweep_kind kind_of(const sweep *s, uint32_t corner)
{
    const io_polygon_corner *c = &s->corners[corner];
    bool from_left = compare_places(s->polygon, c->previous, corner) < 0;
    bool to_left = compare_places(s->polygon, c->next, corner) < 0;
    if (from_left != to_left)
        return from_left ? SWEEP_FLOOR : SWEEP_CEILING;
    bool convex = turn(s, c->previous, corner, c->next) > 0;
    return from_left ? convex ? SWEEP_END : SWEEP_MERGE : convex ? SWEEP_START : SWEEP_SPLIT;
}

/* ---- the tree of sides: a splay tree (Sleator, Tarjan 1985), which no input makes slow ---- */

static void rotate(sweep *s, uint32_t side)
{
    io_sweep_side *sides = s->sides;
    uint32_t parent = sides[side].parent, above = sides[parent].parent;
    int way = sides[parent].child[1] == side;
    uint32_t inner = sides[side].child[!way];
    sides[parent].child[way] = inner;
    if (inner != NONE)
        sides[inner].parent = parent;
    sides[side].child[!way] = parent;
    sides[parent].parent = side;
    sides[side].parent = above;
    if (above != NONE)
        sides[above].child[sides[above].child[1] == parent] = side;
}

static void splay(sweep *s, uint32_t side)
{
    const io_sweep_side *sides = s->sides;
    while (sides[side].parent != NONE)
    {
        uint32_t parent = sides[side].parent, above = sides[parent].parent;
        if (above != NONE)
        {
            bool straight = (sides[parent].child[1] == side) == (sides[above].child[1] == parent);
            rotate(s, straight ? parent : side);
        }
        rotate(s, side);
    }
    s->root = side;
}

static void set_child(sweep *s, uint32_t parent, int way, uint32_t child)
{
    s->sides[parent].child[way] = child;
    if (child != NONE)
        s->sides[child].parent = parent;
}

static void link_neighbours(sweep *s, uint32_t below, uint32_t above)
{
    if (below != NONE)
        s->sides[below].next[ABOVE] = above;
    else
        s->lowest = above;
    if (above != NONE)
        s->sides[above].next[BELOW] = below;
}

/* A new side directly above one; NONE: lowest of all. */
static uint32_t insert_side(sweep *s, uint32_t below, const uint32_t ends[2], bool is_floor)
{
    uint32_t side = s->side_count++, above = below != NONE ? s->sides[below].next[ABOVE] : s->lowest;
    s->sides[side] =
        (io_sweep_side){.left = ends[0], .right = ends[1], .parent = NONE, .child = {NONE, NONE}, .is_floor = is_floor};
    if (below != NONE)
    {
        splay(s, below);
        set_child(s, side, ABOVE, s->sides[below].child[ABOVE]);
        s->sides[below].child[ABOVE] = NONE;
        set_child(s, side, BELOW, below);
    }
    else
        set_child(s, side, ABOVE, s->root);
    s->root = side;
    link_neighbours(s, below, side);
    link_neighbours(s, side, above);
    return side;
}

static void remove_side(sweep *s, uint32_t side)
{
    uint32_t below = s->sides[side].next[BELOW];
    link_neighbours(s, below, s->sides[side].next[ABOVE]);
    splay(s, side);
    uint32_t low = s->sides[side].child[BELOW], high = s->sides[side].child[ABOVE];
    if (low != NONE)
        s->sides[low].parent = NONE;
    if (high != NONE)
        s->sides[high].parent = NONE;
    s->root = high;
    if (low != NONE)
    {
        /* its neighbour is the highest of the lower part */
        splay(s, below);
        set_child(s, below, ABOVE, high);
    }
}

/* Is a corner whose sides both go right above a side (> 0) or below (< 0)? On it, they decide. 0: unclear. */
static int compare_to_side(sweep *s, uint32_t corner, uint32_t side)
{
    uint32_t left = s->sides[side].left, right = s->sides[side].right;
    int sign = turn(s, left, right, corner);
    if (sign != 0)
        return sign;
    s->cut = IO_CUT_TOUCHING;
    int one = turn(s, left, right, s->corners[corner].previous), other = turn(s, left, right, s->corners[corner].next);
    return one * other < 0 ? 0 : one + other;
}

/* The side directly below a corner; NONE: it is lowest. False: unclear. */
static bool find_below(sweep *s, uint32_t corner, uint32_t *below)
{
    uint32_t last = NONE;
    *below = NONE;
    for (uint32_t at = s->root; at != NONE;)
    {
        last = at;
        int sign = compare_to_side(s, corner, at);
        if (sign == 0)
            return give_up(s, IO_CUT_UNCLEAR);
        if (sign > 0)
            *below = at;
        at = s->sides[at].child[sign > 0];
    }
    if (last != NONE)
        splay(s, last);
    return true;
}

/* Do the sides stay in this order? */
static bool check_neighbours(sweep *s, uint32_t below, uint32_t above)
{
    if (below == NONE || above == NONE)
        return true;
    const io_sweep_side *a = &s->sides[below], *b = &s->sides[above];
    if (a->left == b->left || a->right == b->right)
        return true; /* otherwise they would be one side, or a spike */
    int ends_of_b = turn(s, a->left, a->right, b->left) * turn(s, a->left, a->right, b->right);
    int ends_of_a = ends_of_b <= 0 ? turn(s, b->left, b->right, a->left) * turn(s, b->left, b->right, a->right) : 1;
    if (ends_of_a < 0 && ends_of_b < 0)
        return give_up(s, IO_CUT_CROSSING);
    if (ends_of_a <= 0 && ends_of_b <= 0)
        s->cut = IO_CUT_TOUCHING;
    return true;
}

/* ---- chains ---- */

static bool add_triangle(sweep *s, uint32_t a, uint32_t b, uint32_t c)
{
    if (s->left == 0)
        return give_up(s, IO_CUT_UNCLEAR);
    const io_polygon_corner *corners = s->corners;
    s->left--;
    return io_soup_add_triangle(s->soup, corners[a].vertex, corners[b].vertex, corners[c].vertex);
}

static uint32_t new_link(sweep *s, uint32_t corner)
{
    s->links[s->link_count] = (io_sweep_link){corner, {NONE, NONE}};
    return s->link_count++;
}

/* Cuts off all triangles that a corner sees from one end of a room's chain; `all`: those that it must see, because the
 * room ends there. */
static bool cut_triangles(sweep *s, io_sweep_side *room, uint32_t corner, int end, bool all)
{
    bool beyond_tip = false;
    for (;;)
    {
        uint32_t last = room->chain[end], inner = s->links[last].next[!end];
        if (inner == NONE)
            return true;
        beyond_tip = beyond_tip || last == room->tip;
        uint32_t tip = s->links[last].corner, from = s->links[inner].corner, to = corner;
        if (end == ABOVE)
            from = corner, to = s->links[inner].corner;
        int sign = turn(s, from, tip, to);
        if (beyond_tip && !all && sign <= 0)
            return true;
        /* up to the tip, only a polygon that is not simple hides anything */
        if (sign < 0)
            return give_up(s, IO_CUT_UNCLEAR);
        if (!add_triangle(s, from, tip, to))
            return false;
        room->chain[end] = inner;
        s->links[inner].next[end] = NONE;
    }
}

/* A corner at one end of a room becomes the tip of its chain. */
static bool extend_room(sweep *s, uint32_t side, uint32_t corner, int end)
{
    io_sweep_side *room = &s->sides[side];
    if (!cut_triangles(s, room, corner, end, false))
        return false;
    uint32_t link = new_link(s, corner), last = room->chain[end];
    s->links[link].next[!end] = last;
    s->links[last].next[end] = link;
    room->chain[end] = room->tip = link;
    return true;
}

/* The tip is then in both rooms. */
static void split_chain(sweep *s, io_sweep_side *low, io_sweep_side *high)
{
    uint32_t tip = low->tip, twin = new_link(s, s->links[tip].corner), up = s->links[tip].next[ABOVE];
    s->links[twin].next[ABOVE] = up;
    s->links[tip].next[ABOVE] = NONE;
    if (up != NONE)
        s->links[up].next[BELOW] = twin;
    high->chain[BELOW] = high->tip = twin;
    high->chain[ABOVE] = up != NONE ? low->chain[ABOVE] : twin;
    low->chain[ABOVE] = tip;
}

/* Both chains end with the corner at which their rooms meet. */
static void join_chains(sweep *s, io_sweep_side *low, const io_sweep_side *high)
{
    uint32_t link = low->chain[ABOVE], up = s->links[high->chain[BELOW]].next[ABOVE];
    s->links[link].next[ABOVE] = up;
    s->links[up].next[BELOW] = link;
    low->chain[ABOVE] = high->chain[ABOVE];
    low->tip = link;
}

/* ---- corners ---- */

/* Two new sides: the room between them, or none between them in a room. */
static bool begin_sides(sweep *s, uint32_t corner, bool splits)
{
    uint32_t below, previous = s->corners[corner].previous, next = s->corners[corner].next;
    if (!find_below(s, corner, &below))
        return false;
    if (splits != (below != NONE && s->sides[below].is_floor))
        return give_up(s, IO_CUT_UNCLEAR);
    const uint32_t to_next[2] = {corner, next}, to_previous[2] = {corner, previous};
    uint32_t low = insert_side(s, below, splits ? to_previous : to_next, !splits);
    uint32_t high = insert_side(s, low, splits ? to_next : to_previous, splits);
    s->corners[corner].side = splits ? high : low;
    s->corners[previous].side = splits ? low : high;
    if (!check_neighbours(s, below, low) || !check_neighbours(s, high, s->sides[high].next[ABOVE]))
        return false;
    if (splits)
    {
        split_chain(s, &s->sides[below], &s->sides[high]);
        return extend_room(s, below, corner, ABOVE) && extend_room(s, high, corner, BELOW);
    }
    io_sweep_side *room = &s->sides[low];
    room->chain[0] = room->chain[1] = room->tip = new_link(s, corner);
    return true;
}

/* One side goes on as the next. */
static bool continue_side(sweep *s, uint32_t corner, bool is_floor)
{
    uint32_t previous = s->corners[corner].previous;
    uint32_t side = s->corners[is_floor ? previous : corner].side;
    uint32_t room = is_floor ? side : s->sides[side].next[BELOW];
    s->sides[side].left = corner;
    s->sides[side].right = is_floor ? s->corners[corner].next : previous;
    s->corners[is_floor ? corner : previous].side = side;
    return check_neighbours(s, s->sides[side].next[BELOW], side) &&
           check_neighbours(s, side, s->sides[side].next[ABOVE]) &&
           extend_room(s, room, corner, is_floor ? BELOW : ABOVE);
}

/* Two sides end: the room between them does, or two rooms become one. */
static bool end_sides(sweep *s, uint32_t corner, bool merges)
{
    uint32_t floor = s->corners[s->corners[corner].previous].side, ceiling = s->corners[corner].side;
    uint32_t low = merges ? ceiling : floor, high = merges ? floor : ceiling;
    if (s->sides[low].next[ABOVE] != high)
        return give_up(s, IO_CUT_UNCLEAR);
    uint32_t below = s->sides[low].next[BELOW], above = s->sides[high].next[ABOVE];
    if (merges)
    {
        if (!extend_room(s, below, corner, ABOVE) || !extend_room(s, floor, corner, BELOW))
            return false;
        join_chains(s, &s->sides[below], &s->sides[floor]);
    }
    else if (!cut_triangles(s, &s->sides[floor], corner, BELOW, true))
        return false;
    remove_side(s, low);
    remove_side(s, high);
    return check_neighbours(s, below, above);
}

static bool pass_corner(sweep *s, uint32_t corner, sweep_kind kind)
{
    switch (kind)
    {
    case SWEEP_END:
    case SWEEP_MERGE: return end_sides(s, corner, kind == SWEEP_MERGE);
    case SWEEP_FLOOR:
    case SWEEP_CEILING: return continue_side(s, corner, kind == SWEEP_FLOOR);
    default: return begin_sides(s, corner, kind == SWEEP_SPLIT);
    }
}

/* ---- all ---- */

/* A corner from which both sides leave in one direction, or one of no length: the sweep could not tell them apart. */
static bool is_spike(const sweep *s, uint32_t corner)
{
    uint32_t previous = s->corners[corner].previous, next = s->corners[corner].next;
    int before = compare_places(s->polygon, previous, corner), after = compare_places(s->polygon, next, corner);
    if (before == 0 || after == 0)
        return true;
    return before == after && turn(s, previous, corner, next) == 0;
}

/* Cuts all spikes off, as triangles without area. Returns how many corners are left. */
static size_t cut_spikes(sweep *s, size_t count)
{
    uint32_t at = 0;
    for (size_t passed = 0; passed < count && count > 3;)
    {
        uint32_t previous = s->corners[at].previous, next = s->corners[at].next;
        if (!is_spike(s, at))
        {
            at = next, passed++;
            continue;
        }
        add_triangle(s, previous, at, next);
        s->corners[previous].next = next;
        s->corners[next].previous = previous;
        s->corners[at].clipped = true;
        count--;
        /* the two beside it may be spikes now */
        at = previous, passed -= passed < 2 ? passed : 2;
    }
    return count;
}

/* The corners that are left, in the order of the sweep. */
static carom_status make_events(const sweep *s, size_t count, io_sweep_event **out)
{
    io_polygon *polygon = s->polygon;
    uint32_t at = 0;
    while (s->corners[at].clipped)
        at++;
    for (size_t i = 0; i < count; i++, at = s->corners[at].next)
        polygon->events.items[i] = (io_sweep_event){along(polygon, at), across(polygon, at), at, kind_of(s, at)};
    return io_polygon_sort(polygon, count, out);
}

static bool reserve(io_polygon *polygon, size_t count)
{
    polygon->events.count = polygon->sides.count = polygon->links.count = 0;
    /* two sides begin at every second corner at most; a corner makes up to three links */
    return io_array_reserve(polygon->context, &polygon->events, 2 * count) &&
           io_array_reserve(polygon->context, &polygon->sides, count + 2) &&
           io_array_reserve(polygon->context, &polygon->links, 3 * count);
}

carom_status io_polygon_sweep(io_polygon *polygon, io_soup *soup, io_cut *cut)
{
    size_t count = polygon->vertices.count;
    if (!reserve(polygon, count) || !io_array_reserve(soup->context, &soup->indices, 3 * (count - 2)))
        return CAROM_OUT_OF_MEMORY;
    sweep s = {.polygon = polygon,
               .soup = soup,
               .corners = polygon->corners.items,
               .sides = polygon->sides.items,
               .links = polygon->links.items,
               .root = NONE,
               .lowest = NONE,
               .left = count - 2};
    size_t left = cut_spikes(&s, count);
    io_sweep_event *events = NULL;
    BASE_TRY(make_events(&s, left, &events));
    for (size_t i = 0; i < left; i++)
    {
        if (i % STEP_EVENTS == 0)
            BASE_TRY(io_polygon_step(polygon));
        if (!pass_corner(&s, events[i].corner, (sweep_kind)events[i].kind))
            break;
    }
    *cut = s.left > 0 && s.cut != IO_CUT_CROSSING ? IO_CUT_UNCLEAR : s.cut;
    return CAROM_OK;
}
