/* carom bench read: how fast model files are read, first and again. */
#include "tool/text.h"
#include "tool/tool.h"

#include <math.h>
#include <stdlib.h>

enum
{
    REPEAT_LIMIT = 1000
};

typedef struct read_times
{
    const char *format;
    uint64_t triangles;
    double first_ms, best_ms; /* best of the later ones */
} read_times;

static carom_status read_once(carom_context *context, const char *path, const io_read_options *options,
                              read_times *times)
{
    io_model model;
    double start = tool_now_ms();
    carom_status status = io_read(context, path, options, &model);
    double ms = tool_now_ms() - start;
    if (!carom_failed(status))
    {
        times->format = model.format;
        times->triangles = carom_mesh_get_info(model.mesh).triangle_count;
        if (times->first_ms == 0.0)
            times->first_ms = times->best_ms = ms;
        else
            times->best_ms = fmin(times->best_ms, ms);
    }
    io_model_free(&model);
    return status;
}

static double per_second(uint64_t triangles, double ms) { return 1e-3 * (double)triangles / ms; }

static void print_times(const char *path, const read_times *times)
{
    char triangles[32];
    printf("%-8s %12s %10.1f %10.1f %10.2f %10.2f  ", times->format, tool_thousands(times->triangles, triangles),
           times->first_ms, times->best_ms, per_second(times->triangles, times->first_ms),
           per_second(times->triangles, times->best_ms));
    text_print_safe(stdout, path);
    putchar('\n');
    fflush(stdout);
}

static int read_files(const tool_arguments *arguments, const io_read_options *reading, uint64_t repeats)
{
    carom_context *context = tool_context(arguments);
    int code = context ? TOOL_CLEAN : TOOL_ERROR;
    if (context)
        printf("%-8s %12s %10s %10s %10s %10s  %s\n", "format", "triangles", "first ms", "best ms", "M/s first",
               "M/s best", "file");
    for (int i = 0; i < arguments->positional_count && code == TOOL_CLEAN; i++)
    {
        read_times times = {0};
        carom_status status = CAROM_OK;
        for (uint64_t k = 0; k < repeats && !carom_failed(status); k++)
            status = read_once(context, arguments->positional[i], reading, &times);
        if (carom_failed(status))
            code = tool_fail_status(arguments->command, context, status);
        else
            print_times(arguments->positional[i], &times);
    }
    carom_context_destroy(context);
    return code;
}

int tool_bench_read(int argc, char **argv)
{
    static const tool_command bench_read = {
        .name = "bench read",
        .arguments = "FILE...",
        .summary = "time how fast model files are read",
        .details =
            "From the first byte to the mesh: ms and millions of triangles per second, of the first time and of\n"
            "the best of the others, for which the file and the memory are warm.\n"
            "Exit codes: 0 all files were read, 2 error.\n",
        .computes = true,
    };
    const tool_command *command = &bench_read;
    uint64_t repeats = 5;
    tool_file_options files = {0};
    const tool_option table[] = {
        {"--repeats", TOOL_COUNT, &repeats, "N", "how often each file is read (default: 5)"},
        TOOL_FILE_ROWS(&files),
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (arguments.positional_count < 1)
        return tool_fail(command, "which files?");
    if (repeats < 1 || repeats > REPEAT_LIMIT)
        return tool_fail(command, "--repeats %llu: from 1 to %d", (unsigned long long)repeats, REPEAT_LIMIT);
    io_read_options reading;
    return tool_read_options(command, &files, &reading) ? read_files(&arguments, &reading, repeats) : TOOL_ERROR;
}
