/* Messages, JSON helpers and other functions that several subcommands need. */
#include "carom/extend.h"
#include "tool/picture.h"
#include "tool/text.h"
#include "tool/tool.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A message may hold the names of files, which may hold anything; the longest path has 4095 bytes. */
static void print_message(const char *format, va_list arguments)
{
    char message[8192];
    vsnprintf(message, sizeof message, format, arguments);
    text_print_safe(stderr, message);
    fputc('\n', stderr);
}

int tool_fail(const tool_command *command, const char *format, ...)
{
    tool_clear_progress();
    fprintf(stderr, "carom %s: ", command->name);
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
    return TOOL_ERROR;
}

void tool_note(const tool_command *command, const char *format, ...)
{
    tool_clear_progress();
    fprintf(stderr, "carom %s: note: ", command->name);
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
}

void tool_say(const char *format, ...)
{
    tool_clear_progress();
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
}

int tool_fail_status(const tool_command *command, carom_context *context, carom_status status)
{
    char message[512] = "";
    carom_context_message(context, message, sizeof message);
    return tool_fail(command, "%s (%s)", *message ? message : "failed", carom_status_name(status));
}

bool tool_check_picture_size(const tool_command *command, uint64_t width, uint64_t height)
{
    if (width >= 1 && width <= 4096 && height >= 1 && height <= 4096)
        return true;
    tool_fail(command, "--width %llu, --height %llu: both must be from 1 to 4096", (unsigned long long)width,
              (unsigned long long)height);
    return false;
}

bool tool_check_png(const tool_command *command, const char *option, const char *path)
{
    if (!path || picture_is_png(path))
        return true;
    tool_fail(command, "%s %s: the name of the picture must end in .png", option, path);
    return false;
}

bool tool_check_output(const tool_command *command, const char *output, const char *input)
{
    struct stat out, in;
    if (!output || stat(output, &out) != 0 || stat(input, &in) != 0 || !S_ISREG(out.st_mode) ||
        out.st_dev != in.st_dev || out.st_ino != in.st_ino)
        return true;
    tool_fail(command, "%s would be replaced, but it is read: %s", output, input);
    return false;
}

static const char *colour(const char *sequence)
{
    const char *off = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool dumb = !terminal || !*terminal || strcmp(terminal, "dumb") == 0;
    return isatty(STDOUT_FILENO) && !dumb && !(off && *off) ? sequence : "";
}

const char *tool_red(void) { return colour("\033[31m"); }
const char *tool_green(void) { return colour("\033[32m"); }
const char *tool_bold(void) { return colour("\033[1m"); }
const char *tool_plain(void) { return colour("\033[0m"); }

void tool_print_bold(const char *text)
{
    fputs(tool_bold(), stdout);
    text_print_safe(stdout, text);
    fputs(tool_plain(), stdout);
}

/* Errors are printed by the command that fails because of them. */
static void print_warning(carom_log_level level, const char *message, void *user)
{
    if (level == CAROM_LOG_WARNING)
        tool_note(user, "%s", message);
}

carom_context *tool_context(const tool_arguments *arguments)
{
    const tool_command *command = arguments->command;
    carom_context_def def = carom_context_def_default();
    def.log = print_warning;
    def.log_user = (void *)command;
    def.workers = arguments->workers;
    def.progress = tool_watch;
    carom_context *context = NULL;
    carom_status status = carom_context_create(&def, &context);
    if (status != CAROM_OK)
        tool_fail(command, "can't create a context: %s", carom_status_name(status));
    return context;
}

bool tool_read_options(const tool_command *command, const tool_file_options *files, io_read_options *out)
{
    *out = (io_read_options){.format = files->format};
    return !files->weld || tool_parse_length(command, "--weld", files->weld, files->unit, &out->weld);
}

carom_status tool_read_pair(carom_context *context, const char *const paths[2], const io_read_options *options,
                            io_model models[2])
{
    io_request requests[2] = {{.path = paths[0]}, {.path = paths[1]}};
    for (int i = 0; i < 2 && options; i++)
        requests[i].options = *options;
    io_result results[2];
    carom_status status = io_read_files(context, requests, 2, results);
    for (int i = 0; i < 2; i++)
        models[i] = results[i].model;
    if (!carom_failed(status))
        return status;
    /* of two that failed, the second left the context's latest message */
    return carom_context_fail(context, status, results[carom_failed(results[0].status) ? 0 : 1].message);
}

bool tool_is_closed(const carom_mesh *mesh)
{
    carom_mesh_info info = carom_mesh_get_info(mesh);
    return info.closed && info.oriented;
}

int tool_print_json(const tool_command *command, json_t *root)
{
    tool_clear_progress();
    int failed = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(root);
    putchar('\n');
    return failed ? tool_fail(command, "the JSON could not be written") : TOOL_CLEAN;
}

json_t *tool_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *tool_json_point(carom_vec3 point)
{
    return json_pack("[o,o,o]", tool_json_number(point.x), tool_json_number(point.y), tool_json_number(point.z));
}

json_t *tool_json_hash(uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return json_string(text);
}

json_t *tool_json_counters(const carom_counters *counters)
{
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:o}", "boxes_tested", (json_int_t)counters->boxes_tested,
                     "triangles_tested", (json_int_t)counters->triangles_tested, "volumes_updated",
                     (json_int_t)counters->volumes_updated, "filter_undecided", (json_int_t)counters->filter_undecided,
                     "exact_fallbacks", (json_int_t)counters->exact_fallbacks, "sampled_size",
                     tool_json_number(counters->sampled_size));
}

json_t *tool_json_times(const carom_times *times)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o}", "broad_ms", tool_json_number(times->broad_ms), "mid_ms",
                     tool_json_number(times->mid_ms), "narrow_ms", tool_json_number(times->narrow_ms), "report_ms",
                     tool_json_number(times->report_ms), "total_ms", tool_json_number(times->total_ms));
}

const char *tool_meeting_name(uint32_t meeting)
{
    bool coplanar = meeting & CAROM_MEET_COPLANAR;
    if (meeting & CAROM_MEET_CROSSING)
        return coplanar ? "crossing, coplanar" : "crossing";
    if (meeting & CAROM_MEET_TOUCHING)
        return coplanar ? "touching, coplanar" : "touching";
    return "none";
}

double tool_clock_ms(bool elapsed)
{
    struct timespec now;
    clock_gettime(elapsed ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

double tool_now_ms(void) { return tool_clock_ms(true); }

const char *tool_thousands(uint64_t value, char out[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), at = 0;
    for (int i = 0; i < length; i++)
    {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}
