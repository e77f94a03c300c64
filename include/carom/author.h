/* carom/author.h: for authors of engines. An engine that is not part of the library joins a context through this
 * header; there is no process-wide list.
 *
 * An engine proposes, the exact narrow phase disposes: your run function reads a const frame and proposes pairs of
 * bodies that may meet. The library checks them exactly, on all workers, and produces the same canonical report as for
 * its own engines. A pair that you do not propose counts as apart, so an engine of class exact or conservative must
 * propose every pair that may meet; growing carom_frame_body.bounds by half the clearance of the pair never misses one.
 * samples/07_engine.c is a complete engine. */
#ifndef CAROM_AUTHOR_H
#define CAROM_AUTHOR_H

#include "carom/engine.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* A run in progress. */
    typedef struct carom_run carom_run;

    CAROM_API const carom_frame *carom_run_frame(const carom_run *run);
    CAROM_API const carom_collide_options *carom_run_options(const carom_run *run);

    /* The clearance of a pair, margins and its rule included, rounded up; 0 if a rule says never to compare it.
     * Positions are indices into the frame's bodies. */
    CAROM_API double carom_run_clearance(const carom_run *run, uint32_t position_a, uint32_t position_b);

    /* Proposes a pair of bodies by their positions in the frame, in any order; duplicates are harmless. Pairs ruled out
     * by filters or rules, or because both bodies are static, are dropped. Pairs whose rule demands more than the
     * options' clearance are proposed by the library, so an engine need not know of rules. CAROM_OUT_OF_RANGE if there
     * is no such position. */
    CAROM_API carom_status carom_run_propose(carom_run *run, uint32_t position_a, uint32_t position_b);

    /* The engine's data for the shape of a body: made by create_asset when the shape first appears, updated by
     * update_asset when a body's shape is replaced, and destroyed when no body in a frame uses it any more. Bodies with
     * the same mesh share one asset. Null without create_asset. */
    CAROM_API carom_status carom_run_asset(carom_run *run, uint32_t position, void **out);

    /* Filled in by the author. It is copied; the strings and functions must outlive the context. */
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

    /* Adds an engine to a context, so that carom_engine_create finds it by name. CAROM_INVALID_ARGUMENT if the name is
     * taken or a function is missing. Call it before other threads create engines. */
    CAROM_API carom_status carom_engine_register(carom_context *context, const carom_engine_kind *kind);

    /* The engines added to the context; null past the end. */
    CAROM_API const carom_engine_info *carom_engine_registered(carom_context *context, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
