/* carom gpu: which graphics driver and which devices of OpenCL there are, and whether they draw and compute what the
 * library relies on. */
#include "tool/out.h"
#include "tool/text.h"

#include <string.h>

typedef struct gpu_options
{
    bool json, selftest;
} gpu_options;

typedef struct gpu_work
{
    const tool_command *command;
    const gpu_options *options;
    carom_context *context;
    tool_writer *writer; /* of --json */
} gpu_work;

/* The rows that both forms show. */
typedef struct gpu_row
{
    const char *name;
    uint64_t value;
} gpu_row;

enum
{
    LIMIT_COUNT = 10
};

static void list_limits(const carom_gpu_limits *limits, gpu_row out[LIMIT_COUNT])
{
    const gpu_row rows[LIMIT_COUNT] = {
        {"texture_size", limits->texture_size},     {"renderbuffer_size", limits->renderbuffer_size},
        {"viewport_width", limits->viewport_width}, {"viewport_height", limits->viewport_height},
        {"attributes", limits->attributes},         {"draw_buffers", limits->draw_buffers},
        {"texture_units", limits->texture_units},   {"uniform_block", limits->uniform_block},
        {"storage_block", limits->storage_block},   {"texture_buffer", limits->texture_buffer}};
    for (int i = 0; i < LIMIT_COUNT; i++)
        out[i] = rows[i];
}

static void write_info(tool_writer *writer, const carom_gpu_info *info)
{
    gpu_row rows[LIMIT_COUNT];
    list_limits(&info->limits, rows);
    writer_bool(writer, "available", true);
    writer_text(writer, "platform", info->platform);
    writer_text(writer, "egl", info->egl);
    writer_text(writer, "vendor", info->vendor);
    writer_text(writer, "renderer", info->renderer);
    writer_text(writer, "version", info->version);
    writer_text(writer, "glsl", info->glsl);
    writer_bool(writer, "software", info->software);
    writer_bool(writer, "reports_resets", info->reports_resets);
    writer_begin(writer, "limits", '{');
    for (int i = 0; i < LIMIT_COUNT; i++)
        writer_count(writer, rows[i].name, rows[i].value);
    writer_end(writer);
}

static void print_text(const char *name, const char *text)
{
    printf("  %-11s ", name);
    text_print_safe(stdout, text);
    putchar('\n');
}

static void print_info(const carom_gpu_info *info)
{
    const carom_gpu_limits *limits = &info->limits;
    char a[32], b[32];
    tool_print_bold(info->renderer);
    putchar('\n');
    print_text("platform", info->platform);
    print_text("EGL", info->egl);
    print_text("vendor", info->vendor);
    print_text("OpenGL", info->version);
    print_text("GLSL", info->glsl);
    print_text("drawn by", info->software ? "the processor (a software driver)" : "a graphics card");
    print_text("resets", info->reports_resets ? "reported" : "not reported");
    printf("  images      up to %u x %u, drawn to up to %u x %u, viewports up to %u x %u\n", limits->texture_size,
           limits->texture_size, limits->renderbuffer_size, limits->renderbuffer_size, limits->viewport_width,
           limits->viewport_height);
    printf("  shaders     %u attributes, %u colour images, %u textures\n", limits->attributes, limits->draw_buffers,
           limits->texture_units);
    printf("  blocks      %s bytes of uniforms, %s of storage", tool_thousands(limits->uniform_block, a),
           tool_thousands(limits->storage_block, b));
    printf(", %s texels in a buffer\n", tool_thousands(limits->texture_buffer, a));
}

/* ---- devices that run kernels ---- */

static bool write_device(const carom_compute_info *info, void *user)
{
    tool_writer *writer = user;
    writer_begin_line(writer, NULL, '{');
    writer_text(writer, "kind", info->kind);
    writer_text(writer, "platform", info->platform);
    writer_text(writer, "name", info->name);
    writer_text(writer, "version", info->version);
    writer_text(writer, "lack", info->lack);
    writer_bool(writer, "software", info->software);
    writer_bool(writer, "doubles", info->doubles);
    writer_count(writer, "units", info->units);
    writer_count(writer, "buffer_size", info->buffer_size);
    writer_count(writer, "group_size", info->group_size);
    writer_count(writer, "local_memory", info->local_memory);
    writer_end(writer);
    return true;
}

/* The processor is always there, and compute shaders are those of the driver above. */
static bool print_device(const carom_compute_info *info, void *user)
{
    (void)user;
    char size[32];
    if (strcmp(info->kind, "opencl") != 0)
        return true;
    tool_print_bold(info->name);
    putchar('\n');
    print_text("platform", info->platform);
    print_text("OpenCL", info->version);
    print_text("kernels by", info->software ? "the processor" : "a graphics card or the like");
    printf("  kernels     %u units, groups of up to %u, %u bytes of local memory, buffers of up to %s bytes%s\n",
           info->units, info->group_size, info->local_memory, tool_thousands(info->buffer_size, size),
           info->doubles ? "" : ", no doubles");
    if (info->lack[0])
        print_text("not used", info->lack);
    return true;
}

static void list_devices(const gpu_work *work)
{
    if (work->writer)
        writer_begin(work->writer, "compute", '[');
    carom_compute_list(work->context, work->writer ? write_device : print_device, work->writer);
    if (work->writer)
        writer_end(work->writer);
}

static int report_nothing(const gpu_work *work)
{
    char message[256];
    carom_context_message(work->context, message, sizeof message);
    if (work->writer)
    {
        writer_bool(work->writer, "available", false);
        writer_text(work->writer, "reason", message);
    }
    else
        tool_say("carom gpu: %s", message);
    list_devices(work);
    return TOOL_NOTHING;
}

/* ---- comparisons ---- */

static bool write_check(const carom_gpu_check *check, void *user)
{
    tool_writer *writer = user;
    writer_begin_line(writer, NULL, '{');
    writer_text(writer, "name", check->name);
    writer_bool(writer, "passed", check->passed);
    writer_text(writer, "status", carom_status_name(check->status));
    writer_count(writer, "compared", check->compared);
    writer_number(writer, "difference", check->difference);
    writer_number(writer, "bound", check->bound);
    writer_number(writer, "ms", check->milliseconds);
    writer_text(writer, "detail", check->detail);
    writer_end(writer);
    return true;
}

static bool print_check(const carom_gpu_check *check, void *user)
{
    (void)user;
    char compared[32];
    printf("  %-17s %s%s%s  %s compared, largest difference %g (bound %g), %.0f ms\n", check->name,
           check->passed ? tool_green() : tool_red(), check->passed ? "passed" : "FAILED", tool_plain(),
           tool_thousands(check->compared, compared), check->difference, check->bound, check->milliseconds);
    if (!check->passed)
        print_text("", check->detail);
    fflush(stdout); /* some take a second */
    return true;
}

/* Passes that are drawn, then kernels. */
static carom_status run_checks(const gpu_work *work)
{
    carom_gpu_check_fn *on_check = work->writer ? write_check : print_check;
    carom_status status = carom_gpu_selftest(work->context, on_check, work->writer);
    if (carom_failed(status) && status != CAROM_UNSUPPORTED)
        return status;
    carom_status kernels = carom_compute_selftest(work->context, on_check, work->writer);
    return status == CAROM_OK && kernels != CAROM_UNAVAILABLE ? kernels : status;
}

static int compare(const gpu_work *work)
{
    tool_writer *writer = work->writer;
    if (writer)
        writer_begin(writer, "checks", '[');
    carom_status status = run_checks(work);
    if (writer)
    {
        writer_end(writer);
        writer_bool(writer, "passed", status == CAROM_OK);
    }
    if (status == CAROM_UNSUPPORTED)
        return TOOL_FINDINGS;
    return carom_failed(status) ? tool_fail_status(work->command, work->context, status) : TOOL_CLEAN;
}

static int describe(const gpu_work *work)
{
    carom_gpu_info info;
    carom_status status = carom_gpu_describe(work->context, &info);
    if (status == CAROM_UNAVAILABLE)
        return report_nothing(work);
    if (carom_failed(status))
        return tool_fail_status(work->command, work->context, status);
    if (work->writer)
        write_info(work->writer, &info);
    else
        print_info(&info);
    list_devices(work);
    return work->options->selftest ? compare(work) : TOOL_CLEAN;
}

static int write_json(gpu_work work)
{
    tool_out out;
    if (!tool_out_open(work.command, work.context, NULL, &out))
        return TOOL_ERROR;
    tool_writer writer = {.out = &out};
    work.writer = &writer;
    writer_begin(&writer, NULL, '{');
    int code = describe(&work);
    writer_end(&writer);
    return tool_out_close(&out, code);
}

int tool_gpu(const tool_command *command, int argc, char **argv)
{
    gpu_options options = {0};
    const tool_option table[] = {
        {"--selftest", TOOL_FLAG, &options.selftest, NULL,
         "draw every pass and run every kernel that the library has, and compare each with the processor"},
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (arguments.positional_count > 0)
        return tool_fail(command, "takes no arguments, but there is '%s'", arguments.positional[0]);
    gpu_work work = {command, &options, tool_context(&arguments), NULL};
    if (!work.context)
        return TOOL_ERROR;
    code = options.json ? write_json(work) : describe(&work);
    carom_context_destroy(work.context);
    return code;
}
