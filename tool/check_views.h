/* carom check --picture: what an engine saw of a pair, as files to look at and to compute with. */
#ifndef TOOL_CHECK_VIEWS_H
#define TOOL_CHECK_VIEWS_H

#include "tool/out.h"

typedef struct check_views
{
    const tool_command *command;
    carom_context *context;
    const char *folder;
    uint64_t limit; /* of images that get files of their own; all are in the index */
    uint64_t count;
    int code; /* the first failure, after its message */
    tool_out index;
    tool_writer writer;
} check_views;

/* Does the engine of this name show its images? */
bool check_views_can_show(const char *engine);

/* Makes the folder and begins its index. The first four members are set. False after a message. */
bool check_views_open(check_views *views, const char *engine);
/* A carom_engine_image_fn; user is the check_views. */
void check_views_add(const carom_engine_image *image, void *user);
/* Completes the index. Returns the code given, or TOOL_ERROR after a message. */
int check_views_close(check_views *views, int code);

#endif
