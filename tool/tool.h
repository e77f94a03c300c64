/* tool: the carom command. One file per subcommand; main.c has their list.
 *
 * Exit codes: 0 clean, 1 findings, 2 error, 3 nothing was checked. Data goes to stdout, everything else to stderr. */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include "carom/carom.h"
#include "carom/io.h"

#include <jansson.h>
#include <stdio.h>

enum
{
    TOOL_CLEAN = 0,
    TOOL_FINDINGS = 1,
    TOOL_ERROR = 2,
    TOOL_NOTHING = 3
};

#if defined(__GNUC__)
#define TOOL_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define TOOL_PRINTF(format_at, args_at)
#endif

/* ---- subcommands ---- */

typedef enum tool_option_kind
{
    TOOL_FLAG,    /* bool */
    TOOL_TEXT,    /* const char * */
    TOOL_COUNT,   /* uint64_t */
    TOOL_NUMBER,  /* double */
    TOOL_POSE,    /* carom_pose: text for tool_parse_pose, or 12 numbers in twelve arguments */
    TOOL_WORKERS, /* uint32_t: 1 to CAROM_MAX_WORKERS */
    TOOL_TEXTS,   /* tool_texts: the option may be given several times */
    TOOL_FILE,    /* const char *: a path, which completion of shells proposes */

    /* const char *: one of a list of values, which is shown in the help and in the message for any other value */
    TOOL_UNIT,
    TOOL_TREE,
    TOOL_VOLUME,
    TOOL_BUILDER,
    TOOL_ENGINE,
    TOOL_BROAD,
    TOOL_VOLUMES, /* one, or the word all; so for the next two */
    TOOL_BUILDERS,
    TOOL_ENGINES,
    TOOL_SHAPE,
    TOOL_SCENE,
    TOOL_CROWD,
    TOOL_KIND_COUNT
} tool_option_kind;

typedef struct tool_command
{
    const char *name;
    const char *arguments; /* as the usage line shows them */
    const char *summary;
    const char *details;    /* further lines of its help, with the meaning of its exit codes */
    const char *below;      /* commands below this one, separated by spaces; null: none */
    tool_option_kind words; /* a list of which the arguments are; TOOL_FLAG: none */
    bool computes;          /* on all processors, or on as many as --threads says */
    int (*run)(const struct tool_command *command, int argc, char **argv); /* argv[0] is the first argument */
} tool_command;

int tool_info(const tool_command *command, int argc, char **argv);
int tool_decompose(const tool_command *command, int argc, char **argv);
int tool_geoimage(const tool_command *command, int argc, char **argv);
int tool_check(const tool_command *command, int argc, char **argv);
int tool_gen(const tool_command *command, int argc, char **argv);
int tool_bench(const tool_command *command, int argc, char **argv);
int tool_bench_parallel(int argc, char **argv);
int tool_bench_tsgo(int argc, char **argv);
int tool_bench_read(int argc, char **argv);
int tool_bench_deadline(int argc, char **argv);
int tool_bench_image(int argc, char **argv);
int tool_bench_stream(int argc, char **argv);
int tool_bench_geoimage(int argc, char **argv);
int tool_verify(const tool_command *command, int argc, char **argv);
int tool_draw(const tool_command *command, int argc, char **argv);
int tool_demo(const tool_command *command, int argc, char **argv);
int tool_sim(const tool_command *command, int argc, char **argv);
int tool_gpu(const tool_command *command, int argc, char **argv);
int tool_man(const tool_command *command, int argc, char **argv);
int tool_completion(const tool_command *command, int argc, char **argv);

/* The i-th command, null past the last. */
const tool_command *tool_command_at(int i);

/* ---- options ---- */

/* The values of an option that may be given several times, in order; borrowed from the command line. */
typedef struct tool_texts
{
    const char **items; /* to be freed */
    int count;
} tool_texts;

typedef struct tool_option
{
    const char *name; /* with dashes */
    tool_option_kind kind;
    void *target;
    const char *value; /* what the help calls the value; null for flags */
    const char *help;
} tool_option;

typedef struct tool_arguments
{
    const tool_command *command;
    const tool_option *options;
    int option_count;
    char **positional; /* argv, packed in place */
    int positional_count;
    uint32_t workers;    /* for tool_context */
    tool_option threads; /* the row of --threads, for commands that compute */
} tool_arguments;

/* Negative: continue; otherwise the exit code to end with (after the help or an error message). Set command,
 * options and option_count before. */
int tool_parse(tool_arguments *arguments, int argc, char **argv);
/* The same for commands that take nothing but options. */
int tool_parse_all(tool_arguments *arguments, int argc, char **argv);
/* False after a message that names the option. */
bool tool_check_range(const tool_command *command, const char *name, uint64_t value, uint64_t low, uint64_t high);

/* How the help of a command is printed, chosen by its first argument: --help, or for the manual and for the completion
 * of shells --help=man, --help=bash and --help=fish. All of them read the same tables. */
int tool_help(const tool_arguments *arguments, const char *form);
/* The common option that a command has besides its own; null past the last. */
const tool_option *tool_common_option(const tool_arguments *arguments, int i);

/* The i-th value of a kind's list; null past its end, and for kinds without a list. */
const char *tool_choice(tool_option_kind kind, int i);
/* The index of the value in the list; negative: none. */
int tool_find_choice(tool_option_kind kind, const char *word);
/* False after a message with the value and those allowed. what: the option or the meaning of the argument. */
bool tool_check_choice(const tool_command *command, const char *what, tool_option_kind kind, const char *word);

/* Checks that a shape with this many triangles can be generated; false after a message. */
bool tool_check_triangles(const tool_command *command, const char *shape, uint64_t triangles);

/* Parses an option's length such as 5, 5mm, 0.5in into units of the model; a suffix requires `unit`. False after a
 * message. */
bool tool_parse_length(const tool_command *command, const char *option, const char *text, const char *unit,
                       double *out);
const char *tool_unit_name(int i); /* null past the last */
/* A length of x in one unit is x * out[0] / out[1] in the other; both are whole numbers. */
void tool_unit_ratio(const char *from, const char *to, double out[2]);
double tool_scaled(double length, const double ratio[2]); /* rounded once where that is possible */

enum
{
    TOOL_POSE_MESSAGE = 160
};

/* Brings the largest of three coordinates near 1, without changing the direction. False: they are none. */
bool tool_scale_axis(double axis[3]);
/* About an axis that was scaled so, then a translation. */
carom_pose tool_turn(const double axis[3], double degrees, carom_vec3 at);
/* Parses a pose in one of the forms that pose.c lists, made rigid where it was rounded. False, with what is wrong with
 * which number, if there is none. */
bool tool_parse_pose(const char *text, carom_pose *out, char message[TOOL_POSE_MESSAGE]);

/* ---- messages ---- */

/* "carom COMMAND: ..." on stderr; returns TOOL_ERROR. */
int tool_fail(const tool_command *command, const char *format, ...) TOOL_PRINTF(2, 3);
/* "carom COMMAND: note: ..." on stderr. */
void tool_note(const tool_command *command, const char *format, ...) TOOL_PRINTF(2, 3);
/* A line on stderr. */
void tool_say(const char *format, ...) TOOL_PRINTF(1, 2);
/* The context's latest message. */
int tool_fail_status(const tool_command *command, carom_context *context, carom_status status);

/* False after a message: each side of a picture has 1 to 4096 pixels. */
bool tool_check_picture_size(const tool_command *command, uint64_t width, uint64_t height);
/* False after a message: the name of a picture (null: none) ends in .png, so that no typo overwrites a model. */
bool tool_check_png(const tool_command *command, const char *option, const char *path);
/* False after a message: writing there (null: nowhere) would replace a file that is read, under whatever name. */
bool tool_check_output(const tool_command *command, const char *output, const char *input);

/* Terminal sequences, empty if colour is off. */
const char *tool_red(void);
const char *tool_green(void);
const char *tool_bold(void);
const char *tool_plain(void);
/* A text from outside on stdout, made safe. */
void tool_print_bold(const char *text);

/* ---- while the tool works (watch.c): one process, one line, one time limit ---- */

void tool_watch_begin(void);
/* The hook of every context: shows a line on a terminal; false after a signal or the deadline. */
bool tool_watch(const carom_progress *progress, void *user);
/* Seconds from now for everything that follows, reading and building included; infinity: none. */
void tool_set_deadline(double seconds);
double tool_seconds_left(void); /* infinity without a deadline */
/* Around what is written late or not, on any thread: until it is released, the hook does not look at the deadline. */
void tool_hold_deadline(void);
void tool_release_deadline(void);
/* A file that is going to be read: the line shows how much of all of them is done, until tool_watch_end. */
void tool_watch_file(const char *path);
void tool_watch_end(void);
/* Before anything else is printed. */
void tool_clear_progress(void);

/* ---- what most subcommands need ---- */

/* A context that prints warnings, with as many workers as the command line requests; null after a message. */
carom_context *tool_context(const tool_arguments *arguments);

/* How commands read model files, and the rows of their tables for it. */
typedef struct tool_file_options
{
    const char *unit, *weld, *format; /* null: not given */
} tool_file_options;

#define TOOL_FILE_ROWS(options)                                                                                        \
    {"--unit", TOOL_UNIT, &(options)->unit, "UNIT", "unit of the models"},                                             \
        {"--format", TOOL_TEXT, &(options)->format, "NAME",                                                            \
         "format of the files, whatever their names: stl or obj; FILE can then be - for standard input"},              \
    {                                                                                                                  \
        "--weld", TOOL_TEXT, &(options)->weld, "LENGTH",                                                               \
            "join corners up to this far apart: 1e-5, or with --unit also 0.01mm"                                      \
    }

/* False after a message. */
bool tool_read_options(const tool_command *command, const tool_file_options *files, io_read_options *out);

/* Reads two model files in parallel, with default options if null. If one can't be read: the status and message of the
 * first such. Free both models in either case. */
carom_status tool_read_pair(carom_context *context, const char *const paths[2], const io_read_options *options,
                            io_model models[2]);

/* What the tool calls closed: something can be inside, because the surface has no boundary and its triangles agree on
 * what is outside. */
bool tool_is_closed(const carom_mesh *mesh);

/* Prints to stdout and frees; TOOL_ERROR if that fails. */
int tool_print_json(const tool_command *command, json_t *root);

json_t *tool_json_number(double value); /* null if not finite */
json_t *tool_json_point(carom_vec3 point);
json_t *tool_json_hash(uint64_t hash); /* 16 hexadecimal digits */
json_t *tool_json_counters(const carom_counters *counters);
json_t *tool_json_times(const carom_times *times);
const char *tool_meeting_name(uint32_t meeting);

double tool_now_ms(void);
/* Elapsed time, or processor time of all threads, those of a software driver included. */
double tool_clock_ms(bool elapsed);
/* The row of commands that time graphics drivers. */
#define TOOL_ELAPSED_ROW(target)                                                                                       \
    {                                                                                                                  \
        "--elapsed", TOOL_FLAG, target, NULL,                                                                          \
            "time by the clock: for graphics cards, and a machine that does nothing else"                              \
    }

/* Like mkdir -p; false after a message. */
bool tool_make_folder(const tool_command *command, const char *folder);
/* The table of generated scenes. */
void tool_print_scenes(void);

/* 1234567 as "1,234,567". */
const char *tool_thousands(uint64_t value, char out[32]);

/* ---- methods: trees and engines by name ---- */

typedef struct tool_method
{
    char name[48];
    carom_tree_def def;
    const char *engine;  /* null: pair queries; otherwise a scene and this engine */
    uint32_t image_side; /* as in carom_engine_def, as the next four */
    double image_accuracy;
    bool as_printed;
    carom_engine_image_fn *on_image;
    void *on_image_user;
} tool_method;

typedef struct tool_method_options
{
    const char *tree;    /* fast, tight */
    const char *volume;  /* a volume or all */
    const char *builder; /* a builder or all */
    const char *engine;  /* an engine, or all that are exact by themselves */
} tool_method_options;

enum
{
    TOOL_METHOD_LIMIT = 128
};

/* Returns the number of methods, at least one. The values were checked when they were parsed. */
int tool_methods(const tool_method_options *options, tool_method *out);

/* The four options, for the table of a subcommand that uses one method, and of one that compares several. */
#define TOOL_METHOD_ROWS(options)  TOOL_ROWS_OF_KINDS(options, TOOL_VOLUME, TOOL_BUILDER, TOOL_ENGINE)
#define TOOL_METHODS_ROWS(options) TOOL_ROWS_OF_KINDS(options, TOOL_VOLUMES, TOOL_BUILDERS, TOOL_ENGINES)
#define TOOL_ROWS_OF_KINDS(options, volume_kind, builder_kind, engine_kind)                                            \
    {"--tree", TOOL_TREE, &(options)->tree, "KIND", "wide tree: fast to build (default) or to query"},                 \
        {"--volume", volume_kind, &(options)->volume, "NAME", "binary tree with this bounding volume"},                \
        {"--builder", builder_kind, &(options)->builder, "NAME", "builder of the binary tree"},                        \
    {                                                                                                                  \
        "--engine", engine_kind, &(options)->engine, "NAME", "use a scene and this engine"                             \
    }

#endif
