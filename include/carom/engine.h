/* carom/engine.h: the seam that every method of collision detection sits behind: const frame in, report out. */
#ifndef CAROM_ENGINE_H
#define CAROM_ENGINE_H

#include "carom/scene.h"

#ifdef __cplusplus
extern "C"
{
#endif

    typedef enum carom_engine_class
    {
        CAROM_CLASS_EXACT = 0,        /* the same set as brute force */
        CAROM_CLASS_CONSERVATIVE = 1, /* a superset, certified by the exact narrow phase: the same set again */
        CAROM_CLASS_SAMPLED = 2       /* may miss below a stated size */
    } carom_engine_class;

    typedef struct carom_engine_info
    {
        const char *name;
        const char *summary;
        carom_engine_class engine_class;
    } carom_engine_info;

    typedef struct carom_broad_info
    {
        const char *name;
        const char *summary;
    } carom_broad_info;

    /* What there is; null past the end. */
    CAROM_API const carom_engine_info *carom_engine_list(uint32_t index);
    CAROM_API const carom_broad_info *carom_broad_list(uint32_t index);

    typedef struct carom_engine carom_engine;

    typedef struct carom_engine_def
    {
        const char *engine;      /* by name; null: "tree" */
        const char *broad_phase; /* by name; null: "tree" */
    } carom_engine_def;

    CAROM_API carom_engine_def carom_engine_def_default(void);

    /* An engine belongs to one thread at a time and keeps what helps the next frame. */
    CAROM_API carom_status carom_engine_create(carom_context *context, const carom_engine_def *def, carom_engine **out);
    CAROM_API void carom_engine_destroy(carom_engine *engine);

    /* All pairs of bodies in the frame that meet, or come closer than options->clearance. options may be null: every
     * pair. max_pairs and the budget are for the whole frame. A pair cache or on_pair is refused: an engine keeps its
     * own memory, and a streamed pair would not say whose it is. */
    CAROM_API carom_status carom_engine_run(carom_engine *engine, const carom_frame *frame,
                                            const carom_collide_options *options, carom_scene_report *report);

#ifdef __cplusplus
}
#endif

#endif
