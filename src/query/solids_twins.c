/* Do two placed meshes consist of the same triangles, with the same orientation? Then they are the same point set, and
 * nothing else has to be looked at. The order of triangles and of their corners does not matter. */
#include "query/solids.h"

static bool comes_before(carom_vec3 a, carom_vec3 b)
{
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/* The smallest corner first, and the others as they follow. */
static narrow_triangle turned(const cells_body *body, uint32_t triangle)
{
    narrow_triangle world = tree_world_triangle(&body->mesh, triangle);
    const carom_vec3 *c = world.corner;
    int first = 0;
    for (int i = 1; i < 3; i++)
        first = comes_before(c[i], c[first]) ? i : first;
    return (narrow_triangle){{c[first], c[(first + 1) % 3], c[(first + 2) % 3]}};
}

static uint64_t hash_of(const narrow_triangle *triangle)
{
    base_hash hash = base_hash_begin();
    for (int i = 0; i < 3; i++)
    {
        base_hash_double(&hash, triangle->corner[i].x + 0.0);
        base_hash_double(&hash, triangle->corner[i].y + 0.0);
        base_hash_double(&hash, triangle->corner[i].z + 0.0);
    }
    return base_hash_end(&hash);
}

/* Hashes of all triangles; returns their sum. */
static uint64_t fill(const cells_body *body, base_key_value *out)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < body->mesh.mesh->triangle_count; i++)
    {
        narrow_triangle triangle = turned(body, i);
        out[i] = (base_key_value){hash_of(&triangle), i};
        sum += out[i].key;
    }
    return sum;
}

/* Are they the same, one by one in the order of their hashes? Two with one hash may come in another order: then the
 * answer is no, and costs time only. */
static bool are_same(const cells_task *task, const base_key_value *a, const base_key_value *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
    {
        if (a[i].key != b[i].key)
            return false;
        narrow_triangle first = turned(&task->bodies[0], (uint32_t)a[i].value),
                        second = turned(&task->bodies[1], (uint32_t)b[i].value);
        for (int k = 0; k < 3; k++)
            if (!vec3_equal(first.corner[k], second.corner[k]))
                return false;
    }
    return true;
}

bool solids_may_be_twins(const cells_task *task)
{
    const cells_body *a = &task->bodies[0], *b = &task->bodies[1];
    return a->mesh.mesh->triangle_count == b->mesh.mesh->triangle_count && a->solid == b->solid &&
           vec3_equal(a->box.min, b->box.min) && vec3_equal(a->box.max, b->box.max);
}

carom_status solids_are_twins(cells_task *task, bool *out)
{
    query_cells *cells = task->cells;
    size_t count = task->bodies[0].mesh.mesh->triangle_count;
    cells->ranks.count = 0;
    CELLS_TRY(cells_reserve_order(task, count));
    if (!base_array_reserve(task->query->context, &cells->ranks, count))
        return cells_no_memory(task);
    base_key_value *a = cells->order.items, *b = cells->ranks.items, *space = cells->order_space.items;
    *out = fill(&task->bodies[0], a) == fill(&task->bodies[1], b);
    if (!*out)
        return CAROM_OK;
    base_sort_keys(a, space, count);
    base_sort_keys(b, space, count);
    *out = are_same(task, a, b, count);
    return CAROM_OK;
}
