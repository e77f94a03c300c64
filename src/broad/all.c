/* Every two bodies that may be compared, near or not: for methods that are to be measured alone. */
#include "broad/broad.h"

typedef struct all_state
{
    carom_context *context;
} all_state;

static carom_status create(carom_context *context, void **out)
{
    all_state *all = base_allocate(context, 1, sizeof *all, BASE_CACHE_LINE);
    *out = all;
    if (!all)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase all: no memory");
    all->context = context;
    return CAROM_OK;
}

static void destroy(void *state)
{
    all_state *all = state;
    base_release(all->context, all, 1, sizeof *all);
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    all_state *all = state;
    (void)boxes_tested;
    out->count = 0;
    for (uint32_t i = 0; i < input->slot_count; i++)
        for (uint32_t j = i + 1; j < input->slot_count; j++)
        {
            if (broad_is_empty(&input->boxes[i]) || broad_is_empty(&input->boxes[j]) ||
                !broad_may_pair(&input->traits[i], &input->traits[j]))
                continue;
            if (!base_array_reserve(all->context, out, 1))
                return base_fail(all->context, CAROM_OUT_OF_MEMORY, "broad phase all: no memory for pairs");
            out->items[out->count++] = broad_pack(i, j);
        }
    return CAROM_OK;
}

const broad_kind broad_all = {{"all", "no broad phase: every body with every other"}, create, find_pairs, destroy};
