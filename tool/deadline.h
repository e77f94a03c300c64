/* The parts of carom bench deadline. */
#ifndef TOOL_DEADLINE_H
#define TOOL_DEADLINE_H

#include "tool/crowd.h"
#include "tool/tool.h"

enum
{
    DEADLINE_POINTS = 7 /* of the curves */
};

typedef struct deadline_options
{
    const char *output, *scene;
    uint64_t frames, bodies, triangles, steps, seed, fresh;
    bool misses;
} deadline_options;

typedef struct deadline_work
{
    const tool_command *command;
    const deadline_options *options;
    carom_context *context;
    carom_engine *engine, *truth;
    crowd crowd;
} deadline_work;

/* The engine that is measured, as if new. */
carom_status deadline_renew_engine(deadline_work *work);

/* Frames with random budgets, next to a bare loop. */
carom_status deadline_time_frames(deadline_work *work);

/* What budgets leave undecided: all that is known about one of them. */
typedef struct deadline_point
{
    double pairs, undecided;       /* pairs of bodies, over all steps */
    double guesses, wrong;         /* of pairs that are apart */
    double places, off;            /* of pairs that meet: by how much, sum */
    double apart, known;           /* pairs that are apart; sum of their bounds as parts of what there is to know */
    double apart_open, known_open; /* the same of those that are undecided */
    uint64_t wrong_bounds;
} deadline_point;

carom_status deadline_find_curves(deadline_work *work, deadline_point points[DEADLINE_POINTS]);
void deadline_print_curves(const deadline_work *work, const deadline_point points[DEADLINE_POINTS]);
int deadline_draw_curves(const deadline_work *work, const deadline_point points[DEADLINE_POINTS]);

#endif
