/* bench.h: Carom measured against itself: every volume and builder, and the FDH paper's tables. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "carom/carom.h"

typedef struct bench_options
{
    bool quick;
    const char *only;        /* run what has this in its name; null: everything */
    const char *data_folder; /* models */
} bench_options;

typedef struct bench_session
{
    carom_context *context;
    carom_query *query;
    const bench_options *options;
    bool failed; /* some answers differ, or something went wrong */
} bench_session;

/* Runs and prints; differences and errors are printed and set session->failed. */
void bench_volumes(bench_session *session);
void bench_fdh(bench_session *session);

double bench_now(void); /* seconds */
/* True if the call went well; else prints what failed, with the context's message. */
bool bench_check(bench_session *session, carom_status status, const char *what);
bool bench_wanted(const bench_session *session, const char *name);

#endif
