/* bench.h: Carom measured against itself: every volume and builder, the FDH paper's tables, workers, hard cases,
 * relations, questions about scenes, hulls, convex pieces, quadtrees of geometry images. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "carom/carom.h"

typedef struct bench_options
{
    bool quick;
    const char *only;        /* run what has this in its name; null: everything */
    const char *data_folder; /* models */
    uint32_t threads;        /* workers besides 0, 1 and 2; 0: the machine's cores */
    uint32_t repetitions;    /* 0: what suits the part */
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
void bench_workers(bench_session *session);
void bench_cliffs(bench_session *session);
void bench_image(bench_session *session); /* the same cases for engines that draw images */
void bench_relations(bench_session *session);
void bench_questions(bench_session *session);
void bench_hull(bench_session *session);
void bench_pieces(bench_session *session);
void bench_geoimage(bench_session *session);
void bench_strips(bench_session *session, const carom_mesh *mesh); /* a part of bench_pieces */

double bench_now(void); /* seconds */
/* True if the call went well; else prints what failed, with the context's message. */
bool bench_check(bench_session *session, carom_status status, const char *what);
bool bench_check_on(bench_session *session, const carom_context *context, carom_status status, const char *what);
bool bench_wanted(const bench_session *session, const char *name);

#endif
