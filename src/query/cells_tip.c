/* Triangles around a common corner, a tip: which of them have to be looked at? Close to the tip a triangle is a wedge.
 * Where no other wedge has a direction in common with it but its two neighbours across edges from the tip, it is one
 * cell there, with the same two sides as those of a neighbour for which that holds as well: of such a fan, one wedge
 * tells all. What has a direction in common with a wedge meets a chord of it, close enough to the tip, so a search
 * around the chord finds it. */
#include "query/cells.h"

enum
{
    FEW = 8 /* triangles that are not worth the searches */
};

static const uint64_t ALONE = UINT64_MAX; /* of the parents: this triangle has to be looked at */

typedef struct tip
{
    cells_task *task;
    int body;
    carom_vec3 point;
    double reach; /* within it, triangles around the tip are wedges */
} tip;

/* ---- how far wedges reach ---- */

static double distance_to_segment(carom_vec3 p, carom_vec3 a, carom_vec3 b)
{
    carom_vec3 along = vec3_sub(b, a), from = vec3_sub(p, a);
    double square = vec3_dot(along, along);
    double share = square > 0.0 ? fmin(fmax(vec3_dot(from, along) / square, 0.0), 1.0) : 0.0;
    return vec3_length(vec3_sub(from, vec3_scale(along, share)));
}

/* The distance to the sides that do not end at the tip, half of it for errors. */
static double reach_of(const tip *tip, const narrow_triangle *triangle)
{
    double reach = INFINITY;
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 a = triangle->corner[i], b = triangle->corner[(i + 1) % 3];
        if (!vec3_equal(a, tip->point) && !vec3_equal(b, tip->point))
            reach = fmin(reach, 0.5 * distance_to_segment(tip->point, a, b));
    }
    return reach;
}

/* ---- wedges ---- */

/* The index of a triangle among those around the tip; SIZE_MAX: it is not. */
static size_t index_of(const query_words *around, uint32_t triangle)
{
    size_t low = 0, high = around->count;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (around->items[middle] < triangle)
            low = middle + 1;
        else
            high = middle;
    }
    return low < around->count && around->items[low] == triangle ? low : SIZE_MAX;
}

static int corner_at(const tip *tip, const local_face *b)
{
    for (int i = 0; i < 3; i++)
        if (vec3_equal(b->corner[i], tip->point))
            return i;
    return -1;
}

static carom_vec3 towards(const tip *tip, carom_vec3 p)
{
    carom_vec3 way = vec3_sub(p, tip->point);
    return vec3_add(tip->point, vec3_scale(way, 0.5 * tip->reach / vec3_length(way)));
}

/* Is a triangle across an edge from the tip, which is all that it shares with b? */
static bool is_beside(const tip *tip, uint32_t triangle, const local_face *b, uint32_t other)
{
    const carom_mesh *mesh = tip->task->bodies[tip->body].mesh.mesh;
    const uint32_t *neighbours = mesh->neighbours + 3 * (size_t)triangle;
    int corner = corner_at(tip, b);
    if (neighbours[corner] != other && neighbours[(corner + 2) % 3] != other)
        return false;
    local_face c = cells_triangle(tip->task, tip->body, other);
    if (local_coplanar(b, &c, tip->task->counts))
        return c.sign != 0 && !local_overlaps(b, &c, tip->task->counts);
    return local_meets_at_edge(b, &c, tip->task->counts);
}

/* Is a triangle certainly not on the chord? The search finds others, too. */
static bool is_off(const tip *tip, const narrow_triangle *chord, uint32_t other)
{
    const narrow_triangle c = tree_world_triangle(&tip->task->bodies[tip->body].mesh, other);
    double size = 0.0;
    for (int i = 0; i < 3; i++)
        size = fmax(size, fmax(fabs(c.corner[i].x), fmax(fabs(c.corner[i].y), fabs(c.corner[i].z))));
    return narrow_distance(chord, &c, tip->task->counts).distance > 0x1p-36 * size;
}

/* Has nothing but its two neighbours a direction in common with a wedge? */
static carom_status is_clear(const tip *tip, uint32_t triangle, bool *out)
{
    const query_words *around = &tip->task->cells->around;
    query_words *near = &tip->task->cells->near[1];
    local_face b = cells_triangle(tip->task, tip->body, triangle);
    int corner = corner_at(tip, &b);
    *out = false;
    if (corner < 0 || !(tip->reach > 0.0))
        return CAROM_OK;
    carom_vec3 from = towards(tip, b.corner[(corner + 1) % 3]), to = towards(tip, b.corner[(corner + 2) % 3]);
    const narrow_triangle chord = {{from, to, to}};
    CELLS_TRY(cells_find_near(tip->task, tip->body, chord.corner, near));
    for (size_t i = 0; i < near->count; i++)
    {
        uint32_t other = (uint32_t)near->items[i];
        if (other != triangle && index_of(around, other) != SIZE_MAX && !is_off(tip, &chord, other) &&
            !is_beside(tip, triangle, &b, other))
            return CAROM_OK;
    }
    return *out = true, CAROM_OK;
}

/* ---- fans ---- */

static uint64_t root_of(uint64_t *parents, uint64_t i)
{
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

/* Joins a clear wedge with those of its neighbours that are. */
static void join_neighbours(const tip *tip, size_t index)
{
    const query_words *around = &tip->task->cells->around;
    uint64_t *parents = tip->task->cells->items.items;
    uint32_t triangle = (uint32_t)around->items[index];
    const uint32_t *neighbours = tip->task->bodies[tip->body].mesh.mesh->neighbours + 3 * (size_t)triangle;
    local_face b = cells_triangle(tip->task, tip->body, triangle);
    int corner = corner_at(tip, &b);
    for (int i = 0; i < 3; i += 2)
    {
        uint32_t other = neighbours[(corner + i) % 3];
        size_t there = other == MESH_NONE ? SIZE_MAX : index_of(around, other);
        if (there == SIZE_MAX || parents[there] == ALONE)
            continue;
        uint64_t a = root_of(parents, index), c = root_of(parents, there);
        parents[a > c ? a : c] = a < c ? a : c;
    }
}

carom_status cells_thin_tip(cells_task *task, int body, carom_vec3 point)
{
    query_words *around = &task->cells->around, *parents = &task->cells->items;
    tip tip = {task, body, point, INFINITY};
    if (around->count <= FEW)
        return CAROM_OK;
    parents->count = 0;
    if (!base_array_reserve(task->query->context, parents, around->count))
        return cells_no_memory(task);
    for (size_t i = 0; i < around->count; i++)
    {
        narrow_triangle triangle = tree_world_triangle(&task->bodies[body].mesh, (uint32_t)around->items[i]);
        tip.reach = fmin(tip.reach, reach_of(&tip, &triangle));
    }
    for (size_t i = 0; i < around->count; i++)
    {
        bool clear;
        CELLS_TRY(is_clear(&tip, (uint32_t)around->items[i], &clear));
        parents->items[parents->count++] = clear ? i : ALONE;
    }
    for (size_t i = 0; i < around->count; i++)
        if (parents->items[i] != ALONE)
            join_neighbours(&tip, i);
    size_t kept = 0;
    for (size_t i = 0; i < around->count; i++)
        if (parents->items[i] == ALONE || parents->items[i] == i)
            around->items[kept++] = around->items[i];
    around->count = kept;
    return CAROM_OK;
}
