/* carom_bench: the library measured against itself, on one thread but for the part about workers. Exit 1 if two answers
 * that must be the same differ. */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const usage =
    "carom_bench [--quick] [--only NAME] [--threads N] [--repetitions N] [--help]\n"
    "  --quick          smaller models, fewer poses and steps\n"
    "  --only NAME      volumes, fdh, workers, cliffs, image, relations, questions, hull, pieces, geoimage, or a\n"
    "                   part of a model's or scene's name\n"
    "  --threads N      workers: N of them besides 1 and 2 (default: the machine's cores)\n"
    "  --repetitions N  workers: at least N of each (default 15, quick 3)\n"
    "models come from $CAROM_DATA/models (default ../shared/data)\n";

double bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool bench_check_on(bench_session *session, const carom_context *context, carom_status status, const char *what)
{
    if (!carom_failed(status))
        return true;
    char message[256];
    carom_context_message(context, message, sizeof message);
    printf("%s: %s: %s\n", what, carom_status_name(status), message);
    session->failed = true;
    return false;
}

bool bench_check(bench_session *session, carom_status status, const char *what)
{
    return bench_check_on(session, session->context, status, what);
}

bool bench_wanted(const bench_session *session, const char *name)
{
    return !session->options->only || strstr(name, session->options->only);
}

/* At argv[*i], this option with a count from 1 to CAROM_MAX_WORKERS, which is many for repetitions too. */
static bool parse_count(char **argv, int *i, const char *option, uint32_t *out)
{
    if (strcmp(argv[*i], option) != 0 || !argv[*i + 1])
        return false;
    char *end;
    const char *text = argv[++*i];
    long value = strtol(text, &end, 10);
    *out = (uint32_t)value;
    return end != text && *end == '\0' && value >= 1 && value <= (long)CAROM_MAX_WORKERS;
}

static bool parse(int argc, char **argv, bench_options *options)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--quick") == 0)
            options->quick = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            options->only = argv[++i];
        else if (!parse_count(argv, &i, "--threads", &options->threads) &&
                 !parse_count(argv, &i, "--repetitions", &options->repetitions))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    const char *data = getenv("CAROM_DATA");
    bench_options options = {.data_folder = data ? data : "../shared/data"};
    if (!parse(argc, argv, &options))
    {
        bool asked = argc == 2 && strcmp(argv[1], "--help") == 0;
        fputs(usage, asked ? stdout : stderr);
        return asked ? 0 : 2;
    }
    bench_session session = {.options = &options};
    if (carom_context_create(NULL, &session.context) != CAROM_OK ||
        carom_query_create(session.context, &session.query) != CAROM_OK)
    {
        fputs("carom_bench: no memory\n", stderr);
        return 2;
    }
    bench_volumes(&session);
    bench_fdh(&session);
    bench_workers(&session);
    bench_cliffs(&session);
    bench_image(&session);
    bench_relations(&session);
    bench_questions(&session);
    bench_hull(&session);
    bench_pieces(&session);
    bench_geoimage(&session);
    carom_query_destroy(session.query);
    carom_context_destroy(session.context);
    return session.failed ? 1 : 0;
}
