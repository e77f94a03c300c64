/* Carom's broad phases for C++. */
#include "bench/boxes/ours.h"

#include "broad/broad.h"

#include <stdlib.h>

_Static_assert(sizeof(carom_aabb) == 6 * sizeof(double), "two vectors of three");

struct ours
{
    carom_context *context;
    const broad_kind *kind;
    void *state;
    broad_traits *traits;
    size_t count;
    broad_pairs pairs, space;
};

ours *ours_create(const char *kind, size_t count, const unsigned char *is_static)
{
    ours *self = calloc(1, sizeof *self);
    carom_context_create(NULL, &self->context);
    self->kind = broad_find_name(kind);
    self->count = count;
    self->traits = calloc(count, sizeof *self->traits);
    for (size_t i = 0; i < count; i++)
        self->traits[i] = (broad_traits){.owner = (uint32_t)i, .is_static = is_static[i], .filter = {1, 1, 0}};
    if (!self->kind || self->kind->create(self->context, &self->state) != CAROM_OK)
    {
        ours_destroy(self);
        return NULL;
    }
    return self;
}

const uint64_t *ours_find(ours *self, const double (*boxes)[6], const uint32_t *changed, size_t changed_count,
                          size_t *count)
{
    broad_input input = {.boxes = (const carom_aabb *)(const void *)boxes,
                         .traits = self->traits,
                         .slot_count = (uint32_t)self->count,
                         .changed = changed,
                         .changed_count = (uint32_t)changed_count,
                         .same_traits = true,
                         .distinct_owners = true};
    uint64_t tested = 0;
    if (self->kind->find_pairs(self->state, &input, &self->pairs, &tested) != CAROM_OK)
        return NULL;
    *count = self->pairs.count;
    return self->pairs.items;
}

int ours_sort(ours *self)
{
    if (!base_array_reserve(self->context, &self->space, self->pairs.count))
        return 0;
    base_sort_words(self->context, self->pairs.items, self->space.items, self->pairs.count);
    return 1;
}

void ours_destroy(ours *self)
{
    if (self->state)
        self->kind->destroy(self->state);
    base_array_free(self->context, &self->pairs);
    base_array_free(self->context, &self->space);
    free(self->traits);
    carom_context_destroy(self->context);
    free(self);
}
