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

    /* What the library brings; null past the end. A context may have more: see carom/author.h. */
    CAROM_API const carom_engine_info *carom_engine_list(uint32_t index);

    typedef struct carom_engine carom_engine;

    typedef struct carom_engine_def
    {
        const char *engine;      /* by name; null: "tree" */
        const char *broad_phase; /* by name; null: "tree" */
        double cut_size; /* > 0: static meshes larger than this enter the broad phase as parts of about this size,
                          * so that small bodies near one part do not walk the whole; world units */
    } carom_engine_def;

    CAROM_API carom_engine_def carom_engine_def_default(void);

    /* An engine belongs to one thread at a time and keeps what helps the next frame. */
    CAROM_API carom_status carom_engine_create(carom_context *context, const carom_engine_def *def, carom_engine **out);
    CAROM_API void carom_engine_destroy(carom_engine *engine);

    /* All pairs of bodies in the frame that meet, stand one inside the other, or come closer than the clearance of the
     * pair: (margin_a + margin_b) + options->clearance, in double. options may be null: every pair. max_pairs and the
     * budget are for the whole frame. Pairs of bodies are shared among the context's workers; the answer is the same
     * bits for any number of them. A work budget is dealt out in rounds: each pair that is open gets a share by the
     * larger priority of its two bodies, and what it does not need goes into the next round. A pair cache or on_pair is
     * refused: an engine keeps its own memory, and a streamed pair would not say whose it is. */
    CAROM_API carom_status carom_engine_run(carom_engine *engine, const carom_frame *frame,
                                            const carom_collide_options *options, carom_scene_report *report);

    /* Goes on with the last run of this engine, if that ended in CAROM_UNKNOWN, from where its budget ran out, with a
     * new one (null: no limit). The frame must be of the same scene and version, or it is CAROM_STALE_FRAME. The report
     * covers all since the beginning of that run. */
    CAROM_API carom_status carom_engine_resume(carom_engine *engine, const carom_frame *frame,
                                               const carom_budget *budget, carom_scene_report *report);

#ifdef __cplusplus
}
#endif

#endif
