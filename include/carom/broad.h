/* carom/broad.h: which bodies may be compared, and the broad phases that find bodies close to each other. */
#ifndef CAROM_BROAD_H
#define CAROM_BROAD_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* Two bodies are compared iff each one's category is in the other's mask and their groups differ or are 0. */
    typedef struct carom_filter
    {
        uint64_t category;
        uint64_t mask;
        uint32_t group;
    } carom_filter;

    typedef struct carom_broad_info
    {
        const char *name;
        const char *summary;
    } carom_broad_info;

    /* The available broad phases; null past the end. */
    CAROM_API const carom_broad_info *carom_broad_list(uint32_t index);

    /* The broad phase in use, and why. Both texts stay valid until the engine's next run. */
    typedef struct carom_broad_choice
    {
        const char *name;
        const char *reason;
    } carom_broad_choice;

#ifdef __cplusplus
}
#endif

#endif
