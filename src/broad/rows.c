/* Boxes as rows of floats: memory, loading, and searches on all workers. */
#include "broad/rows.h"

bool broad_rows_open(broad_rows *rows, carom_context *context)
{
    uint32_t worker_count = base_worker_count(context);
    memset(rows, 0, sizeof *rows);
    rows->context = context;
    rows->searches = base_allocate(context, worker_count, sizeof *rows->searches, BASE_CACHE_LINE);
    if (!rows->searches)
        return false;
    memset(rows->searches, 0, worker_count * sizeof *rows->searches);
    for (uint32_t i = 0; i < worker_count; i++)
    {
        rows->searches[i] = base_allocate(context, 1, sizeof **rows->searches, BASE_CACHE_LINE);
        if (!rows->searches[i])
            return false;
        memset(rows->searches[i], 0, sizeof **rows->searches);
        rows->searches[i]->rows = rows;
    }
    return true;
}

void broad_rows_close(broad_rows *rows)
{
    uint32_t worker_count = base_worker_count(rows->context);
    for (uint32_t i = 0; rows->searches && i < worker_count; i++)
    {
        if (rows->searches[i])
            base_array_free(rows->context, &rows->searches[i]->pairs);
        base_release(rows->context, rows->searches[i], 1, sizeof **rows->searches);
    }
    base_release(rows->context, rows->searches, worker_count, sizeof *rows->searches);
    base_array_free(rows->context, &rows->boxes);
    base_array_free(rows->context, &rows->bounds);
    base_array_free(rows->context, &rows->class_of);
}

/* ---- loading ---- */

bool broad_rows_begin(broad_rows *rows, const broad_input *input)
{
    rows->boxes.count = rows->bounds.count = 0;
    rows->margin = (float)input->margin * (1.0f + 0x1p-20f);
    if (input->slot_count >= BROAD_UNSURE ||
        !broad_classify(rows->context, &rows->classes, input, &rows->class_of, &rows->roles) ||
        !base_array_reserve(rows->context, &rows->boxes, input->slot_count))
        return false;
    rows->places = broad_find_places(input, rows->class_of.items, &rows->roles);
    rows->origin = rows->places.middle;
    return true;
}

void broad_rows_add(broad_rows *rows, const broad_input *input, uint32_t slot)
{
    rows->boxes.items[rows->boxes.count++] = (broad_row){slot, input->traits[slot].owner, rows->class_of.items[slot]};
}

typedef struct load_task
{
    broad_rows *rows;
    const broad_input *input;
} load_task;

static void load_range(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    const load_task *task = data;
    broad_rows *rows = task->rows;
    float *bounds = rows->bounds.items;
    size_t stride = rows->stride;
    for (uint32_t i = first; i < last; i++)
    {
        const carom_aabb *box = &task->input->boxes[rows->boxes.items[i].slot];
        bounds[i] = (float)(box->min.x - rows->origin.x);
        bounds[i + stride] = (float)(box->min.y - rows->origin.y);
        bounds[i + 2 * stride] = (float)(box->min.z - rows->origin.z);
        bounds[i + 3 * stride] = (float)(box->max.x - rows->origin.x);
        bounds[i + 4 * stride] = (float)(box->max.y - rows->origin.y);
        bounds[i + 5 * stride] = (float)(box->max.z - rows->origin.z);
    }
    BASE_PICK_ISA(rows->context, broad_rows_round)(rows, first, last);
}

bool broad_rows_load(broad_rows *rows, const broad_input *input)
{
    enum
    {
        MIN_RANGE = 1024
    };
    size_t count = rows->boxes.count;
    rows->stride = count + BROAD_LANES;
    rows->bounds.count = 0;
    if (!base_array_reserve(rows->context, &rows->bounds, 6 * rows->stride))
        return false;
    rows->bounds.count = 6 * rows->stride;
    for (size_t row = 0; row < 6; row++)
        for (size_t i = count; i < rows->stride; i++)
            rows->bounds.items[row * rows->stride + i] = row < 3 ? INFINITY : -INFINITY;
    if (count > 0)
        base_parallel_for(rows->context, (uint32_t)count, MIN_RANGE, load_range, &(load_task){rows, input});
    return true;
}

/* ---- searches ---- */

void broad_search_take(broad_search *search)
{
    const broad_rows *rows = search->rows;
    const broad_input *input = search->input;
    uint32_t found = search->found;
    search->found = 0;
    if (search->out_of_memory || !base_array_reserve(rows->context, &search->pairs, found))
    {
        search->out_of_memory = true;
        return;
    }
    uint64_t *out = search->pairs.items + search->pairs.count;
    for (uint32_t i = 0; i < found; i++)
    {
        const broad_row *a = &rows->boxes.items[search->box[i] & ~BROAD_UNSURE];
        const broad_row *b = &rows->boxes.items[search->other[i]];
        bool pair = (a->owner != b->owner) & (rows->classes.may_pair[a->class] >> b->class & 1);
        bool other = (a->class >= BROAD_CLASS_OTHER) | (b->class >= BROAD_CLASS_OTHER);
        if (other | (search->box[i] >= BROAD_UNSURE))
            pair = pair && broad_may_pair(&input->traits[a->slot], &input->traits[b->slot]) &&
                   broad_near(&input->boxes[a->slot], &input->boxes[b->slot], input->margin);
        *out = broad_pack(a->slot, b->slot);
        out += pair;
    }
    search->pairs.count = (size_t)(out - search->pairs.items);
}

void broad_search_flush(broad_search *search)
{
    BASE_PICK_ISA(search->rows->context, broad_search_runs)(search);
    search->run_count = 0;
}

/* The first position from `first` to `last` whose low end is at least a value, or beyond it. */
static uint32_t first_from(const float *low, uint32_t first, uint32_t last, float value, bool beyond)
{
    while (first < last)
    {
        uint32_t middle = first + (last - first) / 2;
        if (beyond ? low[middle] > value : low[middle] >= value)
            last = middle;
        else
            first = middle + 1;
    }
    return first;
}

/* Of two boxes of different roles, the one that begins later is found by the other. */
void broad_add_sorted_runs(broad_search *search, uint32_t first, uint32_t last)
{
    const broad_rows *rows = search->rows;
    const float *low = rows->bounds.items + search->axis * rows->stride;
    broad_role own = 0;
    for (uint32_t i = first; i < last; i++)
    {
        while (i >= rows->starts[own + 1])
            own++;
        for (uint32_t left = rows->roles.partners[own]; left; left &= left - 1)
        {
            broad_role other = (broad_role)__builtin_ctz(left);
            uint32_t begin = rows->starts[other], end = rows->starts[other + 1];
            begin = other == own ? i + 1 : first_from(low, begin, end, low[i], other < own);
            broad_add_run(search, (broad_run){i, begin, end});
        }
    }
}

typedef struct search_task
{
    broad_rows *rows;
    const broad_visit *visit;
} search_task;

static void search_range(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const search_task *task = data;
    broad_search *search = task->rows->searches[worker];
    task->visit->add_runs(search, first, last, task->visit->data);
    broad_search_flush(search);
    broad_search_take(search);
}

static bool gather(broad_rows *rows, broad_pairs *out, uint64_t *boxes_tested)
{
    bool enough = true;
    for (uint32_t i = 0; i < base_worker_count(rows->context); i++)
    {
        const broad_search *search = rows->searches[i];
        *boxes_tested += search->tested * BROAD_LANES;
        enough = enough && !search->out_of_memory && base_array_reserve(rows->context, out, search->pairs.count);
        if (!enough || search->pairs.count == 0)
            continue;
        memcpy(out->items + out->count, search->pairs.items, search->pairs.count * sizeof *out->items);
        out->count += search->pairs.count;
    }
    return enough;
}

bool broad_rows_search(broad_rows *rows, const broad_input *input, const broad_visit *visit, broad_pairs *out,
                       uint64_t *boxes_tested)
{
    enum
    {
        MIN_RANGE = 128
    };
    for (uint32_t i = 0; i < base_worker_count(rows->context); i++)
    {
        broad_search *search = rows->searches[i];
        search->input = input, search->axis = visit->axis;
        search->pairs.count = 0, search->tested = 0, search->out_of_memory = false;
        search->run_count = search->found = 0;
    }
    if (visit->count > 0)
        base_parallel_for(rows->context, visit->count, MIN_RANGE, search_range, &(search_task){rows, visit});
    return gather(rows, out, boxes_tested);
}
