/* The surface convex decomposition of a mesh. Patches never leave a component, so components are tasks of their own; in
 * each, the first triangle without a piece is the seed of the next patch. */
#include "convex/grow.h"
#include "convex/patch.h"

typedef struct grow_task
{
    convex_surface *surface;
    grow_space *spaces;
    uint32_t *seeds;           /* component after component, in the order in which they are tried */
    uint32_t *component_first; /* of the seeds; one more than there are components */
    atomic_uint done;          /* triangles */
    _Atomic(carom_status) status;
} grow_task;

enum
{
    GROW_WHOLE = 64 /* components of at least so many triangles may be one piece at once */
};

static carom_status report(const grow_task *task, uint32_t done)
{
    const convex_surface *surface = task->surface;
    carom_progress progress = {"pieces", surface->mesh->name, done, surface->mesh->triangle_count};
    return base_step(surface->context, &progress);
}

static carom_status grow_component(grow_task *task, grow_space *space, uint32_t component)
{
    convex_surface *surface = task->surface;
    uint32_t first = task->component_first[component], last = task->component_first[component + 1];
    bool taken = false;
    if (last - first >= GROW_WHOLE)
        BASE_TRY(patches_take_whole(surface, task->seeds + first, last - first, &taken));
    for (uint32_t i = first; i < last && !taken; i++)
    {
        if ((i - first) % GROW_REPORT_EVERY == 0)
            BASE_TRY(report(
                task, atomic_fetch_add(&task->done, last - i < GROW_REPORT_EVERY ? last - i : GROW_REPORT_EVERY)));
        if (surface->piece[task->seeds[i]] == CONVEX_NONE && !grow_patch(space, task->seeds[i]))
            return space->status != CAROM_OK ? space->status : CAROM_OUT_OF_MEMORY;
        if (atomic_load_explicit(&task->status, memory_order_relaxed) != CAROM_OK)
            return CAROM_OK; /* another component has failed */
    }
    return CAROM_OK;
}

static void grow_components(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    grow_task *task = data;
    for (uint32_t component = first; component < last; component++)
    {
        carom_status status = grow_component(task, &task->spaces[worker], component);
        if (status != CAROM_OK)
            atomic_store(&task->status, status);
    }
}

/* Seeds in the order of the mesh: that is as good as largest first, and neighbours are often close in memory. */
static void list_seeds(grow_task *task)
{
    const carom_mesh *mesh = task->surface->mesh;
    uint32_t *first = task->component_first, components = mesh->info.component_count;
    memset(first, 0, ((size_t)components + 1) * sizeof *first);
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
        first[mesh->component[i] + 1]++;
    for (uint32_t i = 0; i < components; i++)
        first[i + 1] += first[i];
    for (uint32_t i = mesh->triangle_count; i-- > 0;)
    {
        uint32_t triangle = task->surface->tree->order[i];
        task->seeds[--first[mesh->component[triangle] + 1]] = triangle;
    }
    memmove(first, first + 1, components * sizeof *first);
    first[components] = mesh->triangle_count;
}

static carom_status grow_all(grow_task *task)
{
    convex_surface *surface = task->surface;
    if (!task->spaces || !task->seeds || !task->component_first)
        return CAROM_OUT_OF_MEMORY;
    list_seeds(task);
    for (uint32_t i = 0; i < base_worker_count(surface->context); i++)
        grow_begin(&task->spaces[i], surface);
    base_parallel_for(surface->context, surface->mesh->info.component_count, 1, grow_components, task);
    for (uint32_t i = 0; i < base_worker_count(surface->context); i++)
        grow_free(&task->spaces[i]);
    return atomic_load(&task->status);
}

carom_status patches_grow(convex_surface *surface)
{
    carom_context *context = surface->context;
    const carom_mesh *mesh = surface->mesh;
    size_t triangles = mesh->triangle_count, components = (size_t)mesh->info.component_count + 1;
    size_t workers = base_worker_count(context);
    grow_task task = {.surface = surface};
    task.spaces = base_allocate(context, workers, sizeof *task.spaces, _Alignof(grow_space));
    task.seeds = base_allocate(context, triangles, sizeof *task.seeds, _Alignof(uint32_t));
    task.component_first = base_allocate(context, components, sizeof *task.component_first, _Alignof(uint32_t));
    carom_status status = grow_all(&task);
    base_release(context, task.spaces, workers, sizeof *task.spaces);
    base_release(context, task.seeds, triangles, sizeof *task.seeds);
    base_release(context, task.component_first, components, sizeof *task.component_first);
    if (status == CAROM_OUT_OF_MEMORY)
        return base_fail(context, status, "out of memory for the pieces of %s", mesh->name);
    return status;
}
