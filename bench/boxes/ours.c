/* Carom's broad phases for C++. */
#include "bench/boxes/ours.h"

#include "broad/broad.h"

#include <stdlib.h>

_Static_assert(sizeof(carom_aabb) == 6 * sizeof(double), "two vectors of three");

enum
{
    LIST_ROOM = 64 /* pairs per box */
};

struct ours
{
    carom_context *context;
    carom_allocator inner; /* the context's own, whose blocks are counted */
    size_t bytes, max_bytes;
    const broad_kind *kind;
    void *state;
    broad_traits *traits;
    size_t count;
    broad_pairs pairs, space;
    size_t max_pairs;
};

static void *count_allocate(size_t size, size_t alignment, void *user)
{
    ours *self = user;
    void *memory = self->inner.allocate(size, alignment, self->inner.user);
    self->bytes += memory ? size : 0;
    self->max_bytes = self->bytes > self->max_bytes ? self->bytes : self->max_bytes;
    return memory;
}

static void count_release(void *memory, size_t size, void *user)
{
    ours *self = user;
    self->bytes -= size;
    self->inner.release(memory, size, self->inner.user);
}

/* From here on, blocks are counted. The list of pairs is not: it is the caller's and has room in advance, so that it
 * does not grow. Should that not do, all of it counts. */
static void start_counting(ours *self)
{
    if (!base_array_reserve(self->context, &self->pairs, LIST_ROOM * self->count))
        self->pairs = (broad_pairs){0};
    self->inner = self->context->allocator;
    self->context->allocator = (carom_allocator){count_allocate, count_release, self};
}

static void stop_counting(ours *self) { self->context->allocator = self->inner; }

ours *ours_create(const char *kind, size_t count, const unsigned char *is_static)
{
    ours *self = calloc(1, sizeof *self);
    carom_context_create(NULL, &self->context);
    self->kind = broad_find_name(kind);
    self->count = count;
    self->traits = calloc(count, sizeof *self->traits);
    for (size_t i = 0; i < count; i++)
        self->traits[i] = (broad_traits){.owner = (uint32_t)i, .is_static = is_static[i], .filter = {1, 1, 0}};
    start_counting(self);
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
    self->max_pairs = *count > self->max_pairs ? *count : self->max_pairs;
    return self->pairs.items;
}

int ours_sort(ours *self)
{
    if (!base_array_reserve(self->context, &self->space, self->pairs.count))
        return 0;
    base_sort_words(self->context, self->pairs.items, self->space.items, self->pairs.count);
    return 1;
}

double ours_memory(const ours *self) { return (double)self->max_bytes / (double)self->count; }
double ours_list(const ours *self)
{
    return (double)(self->max_pairs * sizeof *self->pairs.items) / (double)self->count;
}

void ours_destroy(ours *self)
{
    if (self->state)
        self->kind->destroy(self->state);
    base_array_free(self->context, &self->pairs);
    base_array_free(self->context, &self->space);
    free(self->traits);
    stop_counting(self);
    carom_context_destroy(self->context);
    free(self);
}
