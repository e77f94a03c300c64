/* Parts of carom verify: one function per kind of file, and the tally they share. */
#ifndef TOOL_VERIFY_H
#define TOOL_VERIFY_H

#include "tool/ask.h"

typedef struct verify_tally
{
    uint64_t cases, wrong, skipped;
} verify_tally;

typedef struct verify_work
{
    const tool_command *command;
    carom_context *context;
    const char *path;
    tool_asker asker;
    verify_tally tally;
} verify_work;

/* Each compares a file with the answers of a method; TOOL_CLEAN or TOOL_ERROR (after a message about the file), the
 * answers in the tally. */
int verify_tritri(verify_work *work);
int verify_meshmesh(verify_work *work);
int verify_hardcases(verify_work *work);

/* One wrong case on stdout, and in the tally. */
void verify_wrong(verify_work *work, const char *format, ...) TOOL_PRINTF(2, 3);

/* Do two triangles, nine coordinates each, share a point? */
carom_status verify_triangles_meet(verify_work *work, const double a[9], const double b[9], bool *out);

/* Reads a text file as one block with a zero at the end; null after a message. Free it with free. */
char *verify_load(verify_work *work);

/* Steps through a text: the next line that is neither blank nor a comment, cut off at its end; null after the last. */
typedef struct verify_lines
{
    char *rest;
    unsigned number; /* of the line that was returned last, from 1 */
} verify_lines;
char *verify_next_line(verify_lines *lines);

#endif
