/* Carom's broad phases for C++, called directly: boxes in, pairs out, and sorted if wanted. */
#ifndef BENCH_BOXES_OURS_H
#define BENCH_BOXES_OURS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif
    typedef struct ours ours;
    ours *ours_create(const char *kind, size_t count, const unsigned char *is_static);
    /* boxes: low and high, six numbers each. Pairs: smaller << 32 | larger; null when out of memory. */
    const uint64_t *ours_find(ours *self, const double (*boxes)[6], const uint32_t *changed, size_t changed_count,
                              size_t *count);
    /* Sorts the pairs that were found last, as engines do. False when out of memory. */
    int ours_sort(ours *self);
    /* Bytes per box: the most that the broad phase itself had at any time, and the longest list of pairs. */
    double ours_memory(const ours *self);
    double ours_list(const ours *self);
    void ours_destroy(ours *self);
#ifdef __cplusplus
}
#endif

#endif
