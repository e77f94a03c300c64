/* Where boxes are, judging by some of them: few boxes far away, or idle ones, don't count. */
#include "broad/places.h"

enum
{
    MIN_SAMPLES = 64,
    MAX_SAMPLES = 256,
    BOXES_PER_SAMPLE = 16
};

static uint32_t choose_samples(const broad_input *input, const uint8_t *class_of, const broad_roles *roles,
                               const carom_aabb *boxes[MAX_SAMPLES])
{
    uint32_t count = 0, wanted, sample = 0, seen = 0, taken = 0;
    for (int role = 0; role < BROAD_ROLES; role++)
        count += roles->counts[role];
    wanted = count / BOXES_PER_SAMPLE;
    wanted = wanted < MIN_SAMPLES ? MIN_SAMPLES : wanted > MAX_SAMPLES ? MAX_SAMPLES : wanted;
    wanted = wanted < count ? wanted : count;
    for (uint32_t slot = 0; slot < input->slot_count && sample < wanted; slot++)
    {
        const carom_aabb *box = &input->boxes[slot];
        if (roles->of[class_of[slot]] == BROAD_IDLE || seen++ < broad_sample_index(sample, wanted, count))
            continue;
        sample++;
        if (vec3_finite(vec3_sub(box->max, box->min))) /* and so are both ends */
            boxes[taken++] = box;
    }
    return taken;
}

/* Moves numbers up to a pivot, which is one of them, before those from it on (Hoare, "Quicksort", 1962). Returns how
 * many come first: neither none nor all. */
static uint32_t divide(double *numbers, uint32_t count)
{
    double pivot = numbers[(count - 1) / 2];
    for (uint32_t low = 0, high = count - 1;; low++, high--)
    {
        /* NOLINTBEGIN(clang-analyzer-core.UndefinedBinaryOperatorResult): the pivot, or what was swapped, is an end */
        while (numbers[low] < pivot)
            low++;
        while (numbers[high] > pivot)
            high--;
        /* NOLINTEND(clang-analyzer-core.UndefinedBinaryOperatorResult) */
        if (low >= high)
            return high + 1;
        double number = numbers[low];
        numbers[low] = numbers[high], numbers[high] = number;
    }
}

double broad_select(double *numbers, uint32_t first, uint32_t last, uint32_t index)
{
    while (last - first > 1)
    {
        uint32_t middle = first + divide(numbers + first, last - first);
        if (index < middle)
            last = middle;
        else
            first = middle;
    }
    return numbers[index];
}

broad_places broad_find_places(const broad_input *input, const uint8_t *class_of, const broad_roles *roles)
{
    const carom_aabb *boxes[MAX_SAMPLES];
    broad_places places = {.samples = choose_samples(input, class_of, roles, boxes)};
    uint32_t count = places.samples, middle = count / 2, quarter = count / 4, sixteenth = count / 16;
    for (int axis = 0; axis < 3 && count > 0; axis++)
    {
        double at[MAX_SAMPLES];
        for (uint32_t i = 0; i < count; i++)
            at[i] = 0.5 * vec3_at(&boxes[i]->min, axis) + 0.5 * vec3_at(&boxes[i]->max, axis);
        *vec3_part(&places.middle, axis) = broad_select(at, 0, count, middle);
        *vec3_part(&places.first, axis) = broad_select(at, 0, middle + 1, quarter);
        *vec3_part(&places.low, axis) = broad_select(at, 0, quarter + 1, sixteenth);
        *vec3_part(&places.last, axis) = broad_select(at, middle, count, count - 1 - quarter);
        *vec3_part(&places.high, axis) = broad_select(at, count - 1 - quarter, count, count - 1 - sixteenth);
    }
    return places;
}

carom_vec3 broad_spread(const broad_places *places)
{
    carom_vec3 spread = vec3_sub(places->last, places->first);
    bool is_point = !(spread.x > 0.0 || spread.y > 0.0 || spread.z > 0.0);
    return is_point ? vec3_sub(places->high, places->low) : spread;
}
