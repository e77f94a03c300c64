/* Command lines: values of options, the option --threads of all commands that compute, poses, lengths with units. */
#include "tool/text.h"
#include "tool/tool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_called(const tool_option *option, const char *text, size_t length)
{
    return strlen(option->name) == length && strncmp(option->name, text, length) == 0;
}

/* Null if there is no such option. The command's own options take precedence over the common one. */
static const tool_option *find_option(const tool_arguments *arguments, const char *text, size_t length)
{
    for (int i = 0; i < arguments->option_count; i++)
        if (is_called(&arguments->options[i], text, length))
            return &arguments->options[i];
    bool common = arguments->command->computes && is_called(&arguments->threads, text, length);
    return common ? &arguments->threads : NULL;
}

const tool_option *tool_common_option(const tool_arguments *arguments, int i)
{
    const tool_option *threads = &arguments->threads;
    return i == 0 && find_option(arguments, threads->name, strlen(threads->name)) == threads ? threads : NULL;
}

static const char *option_at(const void *list, int i)
{
    const tool_arguments *arguments = list;
    if (i < arguments->option_count)
        return arguments->options[i].name;
    const tool_option *common = tool_common_option(arguments, i - arguments->option_count);
    return common ? common->name : NULL;
}

/* ---- values ---- */

static bool parse_count(const char *text, uint64_t *out)
{
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    *out = value;
    return *end == '\0' && errno == 0;
}

static bool parse_number(const char *text, double *out)
{
    const char *end = io_parse_number(text, out);
    return end && *end == '\0' && isfinite(*out);
}

static bool parse_workers(const char *text, uint32_t *out)
{
    uint64_t value;
    if (!parse_count(text, &value) || value < 1 || value > CAROM_MAX_WORKERS)
        return false;
    *out = (uint32_t)value;
    return true;
}

static bool add_text(tool_texts *texts, const char *text)
{
    const char **items = realloc(texts->items, ((size_t)texts->count + 1) * sizeof *items);
    if (!items)
        return false;
    texts->items = items;
    texts->items[texts->count++] = text;
    return true;
}

/* A pose in one argument, or a number in each of twelve; returns how many it took, -1 after an error. */
static int parse_pose(const tool_arguments *arguments, const tool_option *option, int argc, char **argv)
{
    char message[TOOL_POSE_MESSAGE], joined[512] = "";
    double number;
    int taken = 1;
    /* a lone number is the first of several */
    const char *end = io_parse_number(argv[0], &number), *text = argv[0];
    if (end && *end == '\0')
    {
        size_t used = 0;
        for (taken = 0; taken < argc && taken < 12 && parse_number(argv[taken], &number); taken++)
            used +=
                (size_t)snprintf(joined + used, used < sizeof joined ? sizeof joined - used : 0, "%s ", argv[taken]);
        if (used >= sizeof joined)
            return tool_fail(arguments->command, "%s: the numbers are too long", option->name), -1;
        text = joined;
    }
    if (tool_parse_pose(text, option->target, message))
        return taken;
    return tool_fail(arguments->command, "%s: %s", option->name, message), -1;
}

/* Reads an option's value; returns how many arguments it took beyond the option, -1 after an error. */
static int take_value(const tool_arguments *arguments, const tool_option *option, int argc, char **argv)
{
    bool fine = false;
    if (option->kind == TOOL_FLAG)
        return *(bool *)option->target = true, 0;
    if (argc == 0)
        return tool_fail(arguments->command, "%s needs a value (%s)", option->name, option->value), -1;
    switch (option->kind)
    {
    case TOOL_POSE: return parse_pose(arguments, option, argc, argv);
    case TOOL_TEXTS:
        if (!add_text(option->target, argv[0]))
            return tool_fail(arguments->command, "out of memory"), -1;
        fine = true;
        break;
    case TOOL_FILE:
    case TOOL_TEXT: *(const char **)option->target = argv[0], fine = true; break;
    case TOOL_COUNT: fine = parse_count(argv[0], option->target); break;
    case TOOL_NUMBER: fine = parse_number(argv[0], option->target); break;
    case TOOL_WORKERS:
        if (!parse_workers(argv[0], option->target))
            return tool_fail(arguments->command, "%s: '%s' is not a whole number from 1 to %u", option->name, argv[0],
                             CAROM_MAX_WORKERS),
                   -1;
        fine = true;
        break;
    case TOOL_FLAG: break;
    default: /* a word of a list */
        if (!tool_check_choice(arguments->command, option->name, option->kind, argv[0]))
            return -1;
        *(const char **)option->target = argv[0], fine = true;
    }
    if (fine && argv[0][0] == '\0')
        return tool_fail(arguments->command, "%s: the value is empty", option->name), -1;
    if (!fine)
        return tool_fail(arguments->command, "%s: '%s' is not a %s", option->name, argv[0],
                         option->kind == TOOL_COUNT ? "whole number, 0 or more" : "number"),
               -1;
    return 1;
}

/* One option at argv[0]; returns how many arguments it used, -1 after an error. */
static int take_option(const tool_arguments *arguments, int argc, char **argv)
{
    char *equals = strchr(argv[0], '=');
    size_t length = equals ? (size_t)(equals - argv[0]) : strlen(argv[0]);
    const tool_option *option = find_option(arguments, argv[0], length);
    if (!option)
    {
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), argv[0]);
        const char *meant = text_nearest(word, option_at, arguments);
        tool_fail(arguments->command, "unknown option '%s'%s%s%s `carom %s --help`", argv[0],
                  meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'? See" : "; see",
                  arguments->command->name);
        return -1;
    }
    if (!equals)
    {
        int taken = take_value(arguments, option, argc - 1, argv + 1);
        return taken < 0 ? -1 : taken + 1;
    }
    if (option->kind == TOOL_FLAG)
        return tool_fail(arguments->command, "%s takes no value", option->name), -1;
    char *value = equals + 1;
    return take_value(arguments, option, 1, &value) < 0 ? -1 : 1;
}

_Static_assert(CAROM_MAX_WORKERS == 256, "the help below says so");

int tool_parse(tool_arguments *arguments, int argc, char **argv)
{
    arguments->workers = arguments->command->computes ? CAROM_WORKERS_ALL : 0;
    arguments->threads =
        (tool_option){"--threads", TOOL_WORKERS, &arguments->workers, "N",
                      "number of threads, 1 to 256 (default: one per processor); answers do not change"};
    arguments->positional = argv;
    arguments->positional_count = 0;
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return tool_help(arguments, "");
    if (argc == 1 && strncmp(argv[0], "--help=", 7) == 0)
        return tool_help(arguments, argv[0] + 7);
    bool only_positional = false;
    for (int i = 0; i < argc;)
    {
        if (!only_positional && strcmp(argv[i], "--") == 0)
            only_positional = true, i++;
        else if (argv[i][0] == '\0')
            return tool_fail(arguments->command, "argument %d is empty", i + 1);
        else if (only_positional || argv[i][0] != '-' || argv[i][1] == '\0')
            argv[arguments->positional_count++] = argv[i++];
        else
        {
            int used = take_option(arguments, argc - i, argv + i);
            if (used < 0)
                return TOOL_ERROR;
            i += used;
        }
    }
    return -1;
}

int tool_parse_all(tool_arguments *arguments, int argc, char **argv)
{
    int code = tool_parse(arguments, argc, argv);
    if (code < 0 && arguments->positional_count > 0)
        return tool_fail(arguments->command, "unexpected argument '%s'", arguments->positional[0]);
    return code;
}

/* ---- lengths ---- */

static const struct
{
    const char *name;
    double metres;
} units[] = {{"mm", 0.001}, {"cm", 0.01}, {"m", 1}, {"in", 0.0254}, {"ft", 0.3048}};

/* Metres in a unit; 0 if there is no such unit. */
static double unit_metres(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            return units[i].metres;
    return 0;
}

const char *tool_unit_name(int i) { return i < (int)(sizeof units / sizeof *units) ? units[i].name : NULL; }

bool tool_parse_length(const tool_command *command, const char *option, const char *text, const char *unit, double *out)
{
    double value;
    const char *suffix = io_parse_number(text, &value);
    if (!suffix || !isfinite(value) || value < 0)
        return tool_fail(command, "%s: '%s' is not a length", option, text), false;
    if (*suffix == '\0')
        return *out = value, true;
    double metres = unit_metres(suffix);
    if (metres == 0)
        return tool_fail(command, "%s %s: '%s' is not one of mm, cm, m, in, ft", option, text, suffix), false;
    if (!unit)
        return tool_fail(command, "%s %s: the unit of the models is not known: add --unit mm|cm|m|in|ft", option, text),
               false;
    /* the same unit needs no conversion, and so no rounding */
    *out = strcmp(unit, suffix) == 0 ? value : value * metres / unit_metres(unit);
    return true;
}

void tool_unit_ratio(const char *from, const char *to, double out[2])
{
    /* all units are whole numbers of tenths of a micrometre */
    long a = lround(1e7 * unit_metres(from)), b = lround(1e7 * unit_metres(to)), common = a, rest = b;
    while (rest != 0)
    {
        long next = common % rest;
        common = rest, rest = next;
    }
    out[0] = (double)(a / common), out[1] = (double)(b / common);
}

double tool_scaled(double length, const double ratio[2])
{
    return ratio[1] == 1 ? length * ratio[0] : ratio[0] == 1 ? length / ratio[1] : length * ratio[0] / ratio[1];
}

bool tool_check_range(const tool_command *command, const char *name, uint64_t value, uint64_t low, uint64_t high)
{
    if (value >= low && value <= high)
        return true;
    tool_fail(command, "%s %llu: from %llu to %llu", name, (unsigned long long)value, (unsigned long long)low,
              (unsigned long long)high);
    return false;
}
