/* What the files of carom check share. */
#ifndef TOOL_CHECK_H
#define TOOL_CHECK_H

#include "tool/ask.h"
#include "tool/check_views.h"
#include "tool/inputs.h"
#include "tool/out.h"
#include "tool/verdict.h"

/* How many pairs are listed if no option says it. */
#define CHECK_ALL_PAIRS UINT64_MAX

typedef struct check_options
{
    carom_pose pose[2]; /* of the first two models; not given: no rotation at all */
    tool_texts poses, units;
    tool_file_options files;
    const char *clearance_text, *accuracy_text, *output, *cache, *broad, *picture;
    uint64_t cache_megabytes;
    bool parts, whole, distance, all, contacts, printed, json;
    uint64_t max_pairs, top, max_pictures, image_side;
    double seconds; /* for everything; infinity: no limit */
    tool_method_options method;
    double clearance; /* in the unit of the scene; 0: not requested */
} check_options;

/* A check from the command line to its answer. */
typedef struct check_work
{
    const tool_command *command;
    const check_options *options;
    tool_method *method;
    carom_context *context;
    tool_inputs inputs;
    tool_out out;
    check_views views;
} check_work;

/* What meets between two bodies; triangles are numbered as in their files. */
typedef struct check_triangles
{
    const carom_report *report;
    const tool_body *body[2];
} check_triangles;

/* Two models, each as one body: everything about them. All models are read. Returns the exit code. */
int check_pair(check_work *check);
/* Any number of bodies, all against all. */
int check_scene(check_work *check);

carom_collide_options check_collide_options(const check_work *work);
carom_budget check_budget(const check_work *work); /* what is left of the time */

/* How many models could not be read, after a message for each; and how many have no triangles, likewise. */
size_t check_count_failed(const check_work *work);
size_t check_count_empty(const check_work *work);

/* The parts of a JSON document that both kinds of check have: its head, the models and the triangles. */
void check_write_head(const check_work *work, tool_writer *writer, const char *mode);
void check_write_pairs(tool_writer *writer, const check_triangles *triangles);
/* A contact names its triangles itself, and its number in the list of pairs only where there is one. */
void check_write_contacts(tool_writer *writer, const check_triangles *triangles, bool numbered);
void check_write_probably_inside(tool_writer *writer, const carom_report *report);

/* What an engine of class sampled may have missed, if it is one. */
void check_print_sampled(check_work *work, const carom_counters *counters);
/* What the thesis's printed code missed or got wrong, if that was run. */
void check_print_printed(check_work *work, const carom_engine *engine);

/* "violated" or "kept"; null: unknown. */
const char *check_clearance_verdict(const carom_report *report);

#endif
