/* Every slot with every other. `brute` tests each pair of boxes and is the reference; `all` tests none, for measuring
 * methods without a broad phase. */
#include "broad/broad.h"

typedef struct brute_state
{
    carom_context *context;
    const char *name;
    bool tests_boxes;
} brute_state;

static carom_status create(carom_context *context, const char *name, bool tests_boxes, void **out)
{
    brute_state *brute = base_allocate(context, 1, sizeof *brute, BASE_CACHE_LINE);
    *out = brute;
    if (!brute)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase %s: no memory", name);
    *brute = (brute_state){context, name, tests_boxes};
    return CAROM_OK;
}

static carom_status create_brute(carom_context *context, void **out) { return create(context, "brute", true, out); }
static carom_status create_all(carom_context *context, void **out) { return create(context, "all", false, out); }

static void destroy(void *state)
{
    brute_state *brute = state;
    base_release(brute->context, brute, 1, sizeof *brute);
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    const brute_state *brute = state;
    const carom_aabb *boxes = input->boxes;
    out->count = 0;
    for (uint32_t i = 0; i < input->slot_count; i++)
    {
        if (broad_is_empty(&boxes[i]))
            continue;
        if (brute->tests_boxes)
            *boxes_tested += input->slot_count - i - 1;
        for (uint32_t j = i + 1; j < input->slot_count; j++)
        {
            if ((brute->tests_boxes && !broad_near(&boxes[i], &boxes[j], input->margin)) || broad_is_empty(&boxes[j]) ||
                !broad_may_pair(&input->traits[i], &input->traits[j]))
                continue;
            if (!base_array_reserve(brute->context, out, 1))
                return base_fail(brute->context, CAROM_OUT_OF_MEMORY, "broad phase %s: no memory for pairs",
                                 brute->name);
            out->items[out->count++] = broad_pack(i, j);
        }
    }
    return CAROM_OK;
}

const broad_kind broad_brute = {{"brute", "every box against every other"}, create_brute, find_pairs, destroy};
const broad_kind broad_all = {{"all", "no broad phase: every body with every other"}, create_all, find_pairs, destroy};
