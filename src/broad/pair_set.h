/* pair_set: pairs of slots that come and go one by one. */
#ifndef BROAD_PAIR_SET_H
#define BROAD_PAIR_SET_H

#include "broad/broad.h"

typedef struct broad_pair_set
{
    carom_context *context;
    broad_pairs pairs;            /* without gaps, in any order */
    BASE_ARRAY(uint32_t) buckets; /* a power of two: where in pairs, plus 1; 0: free */
} broad_pair_set;

void broad_pair_set_free(broad_pair_set *set);

/* Replaces the contents by set->pairs, where each is once. False: out of memory. */
bool broad_pair_set_refresh(broad_pair_set *set);

bool broad_pair_set_add(broad_pair_set *set, uint64_t pair);    /* if it is not there; false: out of memory */
void broad_pair_set_remove(broad_pair_set *set, uint64_t pair); /* if it is there */

#endif
