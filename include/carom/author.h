/* carom/author.h: for authors of engines. An engine that is not part of the library joins a context through this
 * header; there is no process-wide list.
 *
 * An engine proposes, the exact narrow phase disposes: your run function looks at a const frame and proposes pairs of
 * bodies that may meet, and the library certifies what was proposed, on all
 * workers, and makes the same canonical report of it as of its own engines. What you do not propose counts as apart, so
 * an engine of class exact or conservative must propose every pair of bodies that may meet; carom_frame_body.bounds
 * grown by half the clearance of the pair never misses one. samples/07_engine.c is a whole engine. */
#ifndef CAROM_AUTHOR_H
#define CAROM_AUTHOR_H

#include "carom/engine.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* One run of an engine under way. */
    typedef struct carom_run carom_run;

    CAROM_API const carom_frame *carom_run_frame(const carom_run *run);
    CAROM_API const carom_collide_options *carom_run_options(const carom_run *run);

    /* The clearance of a pair, margins included; positions in the frame. */
    CAROM_API double carom_run_clearance(const carom_run *run, uint32_t position_a, uint32_t position_b);

    /* Proposes a pair of bodies by their positions in the frame; each pair once is enough, in any order. Pairs that
     * filters or static marks rule out are dropped here. CAROM_OUT_OF_RANGE for a position that there is not. */
    CAROM_API carom_status carom_run_propose(carom_run *run, uint32_t position_a, uint32_t position_b);

    /* What your engine keeps for the shape of a body: made by create_asset on first sight of the shape, brought up to
     * date by update_asset when a body's shape was exchanged, and destroyed when no body of a frame has it any more.
     * Bodies with the same mesh share one. Null without create_asset. */
    CAROM_API carom_status carom_run_asset(carom_run *run, uint32_t position, void **out);

    /* What an author fills. It is copied; the strings and functions must outlive the context. */
    typedef struct carom_engine_kind
    {
        carom_engine_info info;
        carom_status (*create)(carom_context *context, void **state); /* may be null: no state */
        carom_status (*run)(void *state, carom_run *run); /* CAROM_OK: everything is proposed; or an error */
        void (*destroy)(void *state);                     /* may be null */
        /* Assets; all null where the engine keeps none. update_asset may be null: a new one is made instead. */
        carom_status (*create_asset)(void *state, const carom_shape *shape, void **asset);
        carom_status (*update_asset)(void *state, const carom_shape *shape, void *asset);
        void (*destroy_asset)(void *state, void *asset);
    } carom_engine_kind;

    /* Adds an engine to a context, for carom_engine_create by its name. CAROM_INVALID_ARGUMENT where a name is taken or
     * a function is missing. Before engines are created in other threads. */
    CAROM_API carom_status carom_engine_register(carom_context *context, const carom_engine_kind *kind);

    /* The engines that were added to the context; null past the end. */
    CAROM_API const carom_engine_info *carom_engine_registered(carom_context *context, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
