/* A patch of the surface convex decomposition: the thesis, 2.3.1, after Stephen Ehmann and Ming Lin, Accurate and fast
 * proximity queries between polyhedra using convex surface decomposition, 2001.
 *
 * A patch starts with a seed and takes in triangles breadth first across its edges. The triangle f across edge e, with
 * the opposite vertex v, joins if (1) e is not concave, (2) no triangle of the patch is visible from v, and the hull of
 * both is behind f, and (3) that hull meets no triangle outside the patch except in a shared corner or edge. Triangles
 * between v and vertices that the patch already has lie within the hull, so they have to join together with f. */
#include "convex/patch.h"

typedef enum grow_answer
{
    GROW_NO,
    GROW_YES,
    GROW_LATER,     /* if the culprit comes into the patch */
    GROW_IMPATIENT, /* perhaps, but it takes more than it may */
    GROW_NO_MEMORY
} grow_answer;

static bool add_triangle(grow_space *space, uint32_t triangle)
{
    if (!base_array_reserve(space->surface->context, &space->triangles, 1))
        return false;
    space->triangles.items[space->triangles.count++] = triangle;
    space->surface->piece[triangle] = space->seed;
    return true;
}

static bool add_vertex(grow_space *space, uint32_t vertex)
{
    if (!base_array_reserve(space->surface->context, &space->vertices, 1))
        return false;
    space->vertices.items[space->vertices.count++] = vertex;
    space->surface->member[vertex] = space->seed;
    return true;
}

static bool add_sides(grow_space *space, uint32_t triangle)
{
    if (!base_array_reserve(space->surface->context, &space->queue, 3))
        return false;
    for (uint32_t side = 0; side < 3; side++)
        if (space->surface->traits[triangle] >> side & 1)
            space->queue.items[space->queue.count++] = (grow_side){triangle, side, CONVEX_NONE};
    return true;
}

/* ---- a trial ---- */

/* Are all corners of the triangle in the patch? */
static bool is_enclosed(const grow_space *space, uint32_t triangle)
{
    uint32_t corner[3];
    surface_corners(space->surface, triangle, corner);
    const uint32_t *member = space->surface->member;
    return member[corner[0]] == space->seed && member[corner[1]] == space->seed && member[corner[2]] == space->seed;
}

/* Adds a triangle whose corners are in the patch: it is within the hull, and no is the answer if not on its surface. */
static grow_answer join_enclosed(grow_space *space, uint32_t triangle)
{
    uint32_t corner[3];
    surface_corners(space->surface, triangle, corner);
    if (space->surface->piece[triangle] != CONVEX_NONE || !shell_supports(&space->shell, corner, corner, 3))
        return GROW_NO;
    return add_triangle(space, triangle) && shell_own(&space->shell, corner) ? GROW_YES : GROW_NO_MEMORY;
}

/* Adds the triangles at a vertex that have all corners in the patch, but those that don't touch it. The search for what
 * the hull meets would find them as well, later; at a hub, where that takes fewer steps, it does. */
static grow_answer join_around(grow_space *space, uint32_t vertex)
{
    const convex_surface *surface = space->surface;
    const uint32_t *star = surface->star + surface->star_first[vertex];
    uint32_t count = surface->star_first[vertex + 1] - surface->star_first[vertex];
    grow_answer answer = GROW_YES;
    if (surface->hubs && count > BOUNDS_HUB)
        return GROW_YES;
    for (bool again = true; again && answer == GROW_YES;)
    {
        again = false;
        space->effort += count;
        for (uint32_t i = 0; i < count && answer == GROW_YES; i++)
            if (surface->piece[star[i]] != space->seed && is_enclosed(space, star[i]) &&
                probe_side_to_patch(surface, star[i], space->seed) >= 0)
                answer = join_enclosed(space, star[i]), again = true;
    }
    return answer;
}

/* Adds the triangle across an edge: criterion 2. */
static grow_answer join_across(grow_space *space, const surface_crossing *crossing)
{
    const uint32_t corner[3] = {crossing->to, crossing->from, crossing->apex};
    shell_answer seen = shell_look(&space->shell, crossing);
    if (seen == SHELL_NO_MEMORY)
        return GROW_NO_MEMORY;
    if (seen == SHELL_NO || !shell_could_support(&space->shell, corner))
        return GROW_NO;
    if (!shell_add(&space->shell) || !add_vertex(space, crossing->apex) || !add_triangle(space, crossing->triangle))
        return GROW_NO_MEMORY;
    if (space->shell.within != CONVEX_NONE && !shell_supports(&space->shell, corner, corner, 3))
        return GROW_NO;
    if (!shell_own(&space->shell, corner))
        return GROW_NO_MEMORY;
    return join_around(space, crossing->apex);
}

/* The crossing into a triangle that touches the patch, across this side of its own. */
static surface_crossing cross_into(const convex_surface *surface, uint32_t triangle, int side)
{
    uint32_t corner[3];
    surface_crossing back = surface_cross(surface, triangle, side);
    surface_corners(surface, triangle, corner);
    int at = 0;
    while (corner[at] == back.from || corner[at] == back.to)
        at++;
    return (surface_crossing){back.to, back.from, triangle, corner[at]};
}

/* Adds a triangle that was met, if it touches the patch; no matter whether it does, and whether it is in already. */
static grow_answer join_met(grow_space *space, uint32_t triangle)
{
    const convex_surface *surface = space->surface;
    int side = surface->piece[triangle] == space->seed ? -1 : probe_side_to_patch(surface, triangle, space->seed);
    if (side < 0)
        return GROW_YES;
    surface_crossing crossing = cross_into(surface, triangle, side);
    if (surface->member[crossing.apex] == space->seed)
        return join_enclosed(space, triangle);
    return space->vertices.count < space->patience ? join_across(space, &crossing) : GROW_IMPATIENT;
}

/* Lists the neighbours of triangles that have just joined, from the first of these on, if they were met as well. */
static bool list_neighbours_met(grow_space *space, size_t first)
{
    const convex_surface *surface = space->surface;
    if (!base_array_reserve(surface->context, &space->ready, 3 * (space->triangles.count - first)))
        return false;
    for (size_t i = first; i < space->triangles.count; i++)
        for (size_t side = 0; side < 3; side++)
        {
            uint32_t other = surface->mesh->neighbours[3 * (size_t)space->triangles.items[i] + side];
            if (other != MESH_NONE && surface->met_in[other] == space->trial)
                space->ready.items[space->ready.count++] = other;
        }
    return true;
}

/* Adds all triangles that were met, from the patch outwards. Those that don't touch it stay in the list. */
static grow_answer join_all_met(grow_space *space)
{
    const convex_surface *surface = space->surface;
    grow_answer answer = GROW_YES;
    space->ready.count = 0;
    if (!base_array_reserve(surface->context, &space->ready, space->met.count))
        return GROW_NO_MEMORY;
    for (size_t i = 0; i < space->met.count; i++)
        space->ready.items[space->ready.count++] = space->met.items[i];
    for (size_t i = 0; i < space->met.count; i++)
        surface->met_in[space->met.items[i]] = space->trial;
    for (size_t i = 0; i < space->ready.count && answer == GROW_YES; i++)
    {
        size_t before = space->triangles.count;
        answer = join_met(space, space->ready.items[i]);
        if (answer == GROW_YES && !list_neighbours_met(space, before))
            answer = GROW_NO_MEMORY;
    }
    size_t kept = 0;
    for (size_t i = 0; i < space->met.count; i++)
        if (surface->piece[space->met.items[i]] != space->seed)
            space->met.items[kept++] = space->met.items[i];
    space->met.count = kept;
    return answer;
}

/* Criterion 3. In flat regions a triangle often can't join alone: the hull covers a part of the next ones, which have
 * to join with it. All of them join before what that adds is searched, so that a long row takes few searches. */
static grow_answer join_what_is_met(grow_space *space, uint32_t *culprit)
{
    shell_mark searched = {0, 0};
    space->met.count = 0;
    space->trial++;
    for (;;)
    {
        probe_verdict verdict = probe_search(&space->probe, space->seed, searched, &space->met);
        if (verdict != PROBE_DONE)
            return verdict == PROBE_MET ? GROW_NO : GROW_NO_MEMORY;
        if (space->met.count == 0)
            return GROW_YES;
        searched = shell_at(&space->shell);
        grow_answer answer = join_all_met(space);
        if (answer != GROW_YES)
            return answer;
        *culprit = space->met.count > 0 ? space->met.items[0] : CONVEX_NONE;
        if (space->met.count > 0)
            return GROW_LATER;
    }
}

/* Keeps what was tried, or undoes it. */
static grow_answer conclude(grow_space *space, grow_answer answer)
{
    bool kept = answer == GROW_YES && shell_keep(&space->shell);
    for (size_t i = 0; i < space->triangles.count; i++)
    {
        if (kept)
            kept = add_sides(space, space->triangles.items[i]);
        else
            space->surface->piece[space->triangles.items[i]] = CONVEX_NONE;
    }
    if (answer == GROW_YES)
        return space->member_count += space->vertices.count, kept ? GROW_YES : GROW_NO_MEMORY;
    for (size_t i = 0; i < space->vertices.count; i++)
        space->surface->member[space->vertices.items[i]] = CONVEX_NONE;
    shell_undo(&space->shell);
    return answer;
}

static void begin_trial(grow_space *space) { space->triangles.count = space->vertices.count = 0; }

enum
{
    GROW_PATIENCE = 4,         /* vertices that any trial may take in */
    GROW_WASTE = 64,           /* how many vertices larger trials may take in for nothing, */
    GROW_WASTE_PER_VERTEX = 4, /* and how many more per vertex of the patch */
    GROW_EFFORT = 4096,        /* a patch whose border has become too long ends after so many small tests per vertex */
    GROW_EFFORT_VERTICES = 256 /* and as many as for so many vertices, so that small ones are not concerned */
};

static grow_answer try_side(grow_space *space, grow_side *from)
{
    const convex_surface *surface = space->surface;
    surface_crossing crossing = surface_cross(surface, from->triangle, (int)from->side);
    if (surface->piece[crossing.triangle] != CONVEX_NONE || surface->member[crossing.apex] == space->seed)
        return GROW_NO;
    begin_trial(space);
    grow_answer answer = join_across(space, &crossing);
    if (answer == GROW_YES)
        answer = join_what_is_met(space, &from->culprit);
    if (answer != GROW_YES && space->vertices.count > GROW_PATIENCE)
        space->wasted += space->vertices.count;
    return conclude(space, answer);
}

/* ---- a patch ---- */

/* The seed. If it meets others, it stays alone. */
static grow_answer plant(grow_space *space, uint32_t seed)
{
    const convex_surface *surface = space->surface;
    uint32_t corner[3], culprit;
    space->seed = seed;
    space->queue.count = space->waiting.count = 0;
    space->patience = GROW_PATIENCE;
    space->member_count = space->wasted = 0;
    space->effort += space->probe.effort, space->probe.effort = 0;
    begin_trial(space);
    surface_corners(surface, seed, corner);
    if (surface->traits[seed] & SURFACE_DEGENERATE || (surface->traits[seed] & SURFACE_SIDES) == 0)
        return GROW_NO;
    if (!shell_begin(&space->shell, corner) || !add_triangle(space, seed))
        return GROW_NO_MEMORY;
    for (int i = 0; i < 3; i++)
        if (!add_vertex(space, corner[i]))
            return GROW_NO_MEMORY;
    grow_answer answer = join_around(space, corner[0]);
    return conclude(space, answer == GROW_YES ? join_what_is_met(space, &culprit) : answer);
}

/* Moves what waited for triangles that have come into the patch back to the queue. */
static bool wake_waiting(grow_space *space)
{
    size_t kept = 0;
    space->queue.count = 0;
    if (!base_array_reserve(space->surface->context, &space->queue, space->waiting.count))
        return false;
    for (size_t i = 0; i < space->waiting.count; i++)
    {
        grow_side side = space->waiting.items[i];
        if (space->surface->piece[side.culprit] == space->seed)
            space->queue.items[space->queue.count++] = side;
        else
            space->waiting.items[kept++] = side;
    }
    space->waiting.count = kept;
    return true;
}

/* With the vertices the border of a patch grows, and with it what each new vertex sees. */
static bool is_exhausted(const grow_space *space)
{
    return space->probe.effort > GROW_EFFORT * ((uint64_t)space->member_count + GROW_EFFORT_VERTICES);
}

/* Tries a side, with more and more patience as long as that is not wasted. What was enough for one is often enough for
 * the next: in flat regions, whole rows of triangles join at once. */
static grow_answer try_patiently(grow_space *space, grow_side *side)
{
    for (;;)
    {
        bool may_waste = space->wasted <= GROW_WASTE + GROW_WASTE_PER_VERTEX * space->member_count;
        if (!may_waste)
            space->patience = GROW_PATIENCE;
        grow_answer answer = try_side(space, side);
        if (answer != GROW_IMPATIENT || !may_waste)
            return answer;
        space->patience *= 2;
    }
}

/* Large patches ask, too, whether the caller wants to go on. */
static bool may_go_on(grow_space *space)
{
    const carom_mesh *mesh = space->surface->mesh;
    carom_progress progress = {"pieces", mesh->name, space->member_count, mesh->vertex_count};
    space->status = base_step(space->surface->context, &progress);
    return space->status == CAROM_OK;
}

static bool try_queue(grow_space *space)
{
    for (size_t i = 0; i < space->queue.count && !is_exhausted(space); i++)
    {
        grow_side side = space->queue.items[i];
        if (i % GROW_REPORT_EVERY == GROW_REPORT_EVERY - 1 && !may_go_on(space))
            return false;
        grow_answer answer = try_patiently(space, &side);
        if (answer == GROW_NO_MEMORY || !base_array_reserve(space->surface->context, &space->waiting, 1))
            return false;
        if (answer == GROW_LATER)
            space->waiting.items[space->waiting.count++] = side;
    }
    return true;
}

bool grow_patch(grow_space *space, uint32_t seed)
{
    grow_answer answer = plant(space, seed);
    space->surface->piece[seed] = seed;
    if (answer != GROW_YES)
        return answer != GROW_NO_MEMORY;
    while (space->queue.count > 0)
    {
        if (!try_queue(space) || !wake_waiting(space))
            return false;
        if (is_exhausted(space))
            return true;
    }
    return true;
}

/* ---- what one worker needs ---- */

void grow_begin(grow_space *space, convex_surface *surface)
{
    *space = (grow_space){.surface = surface, .shell.surface = surface};
    probe_begin(&space->probe, surface, &space->shell);
}

void grow_free(grow_space *space)
{
    carom_context *context = space->surface->context;
    atomic_fetch_add(&space->surface->effort, space->effort + space->probe.effort + space->shell.effort);
    shell_free(&space->shell), probe_free(&space->probe);
    base_array_free(context, &space->queue);
    base_array_free(context, &space->waiting);
    base_array_free(context, &space->triangles);
    base_array_free(context, &space->vertices);
    base_array_free(context, &space->met);
    base_array_free(context, &space->ready);
}
