/* Every box against every other: the reference. */
#include "broad/broad.h"

typedef struct brute_state
{
    carom_context *context;
} brute_state;

static carom_status create(carom_context *context, void **out)
{
    brute_state *brute = base_allocate(context, 1, sizeof *brute, BASE_CACHE_LINE);
    *out = brute;
    if (!brute)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase brute: no memory");
    brute->context = context;
    return CAROM_OK;
}

static void destroy(void *state)
{
    brute_state *brute = state;
    base_release(brute->context, brute, 1, sizeof *brute);
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    brute_state *brute = state;
    out->count = 0;
    for (uint32_t i = 0; i < input->slot_count; i++)
    {
        if (broad_is_empty(&input->boxes[i]))
            continue;
        *boxes_tested += input->slot_count - i - 1;
        for (uint32_t j = i + 1; j < input->slot_count; j++)
        {
            if (!broad_near(&input->boxes[i], &input->boxes[j], input->margin) || broad_is_empty(&input->boxes[j]) ||
                !broad_may_pair(&input->traits[i], &input->traits[j]))
                continue;
            if (!base_array_reserve(brute->context, out, 1))
                return base_fail(brute->context, CAROM_OUT_OF_MEMORY, "broad phase brute: no memory for pairs");
            out->items[out->count++] = broad_pack(i, j);
        }
    }
    return CAROM_OK;
}

const broad_kind broad_brute = {{"brute", "every box against every other"}, create, find_pairs, destroy};
