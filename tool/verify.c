/* carom verify: compares answers with results from independent sources. */
#include "tool/verify.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void verify_wrong(verify_work *work, const char *format, ...)
{
    work->tally.wrong++;
    printf("wrong: %s: [%s] ", work->path, work->asker.method->name);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* Null with errno set. */
static char *load_text(FILE *file)
{
    struct stat about;
    if (fstat(fileno(file), &about) != 0)
        return NULL;
    if (!S_ISREG(about.st_mode))
        return errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL, NULL;
    size_t size = (size_t)about.st_size;
    char *text = malloc(size + 1);
    if (!text)
        return NULL;
    size_t length = fread(text, 1, size, file);
    text[length] = '\0';
    /* text after a zero byte would be ignored */
    if (length == size && strlen(text) == size)
        return text;
    free(text);
    return errno = length == size ? EILSEQ : EIO, NULL;
}

char *verify_load(verify_work *work)
{
    FILE *file = fopen(work->path, "rb");
    char *text = file ? load_text(file) : NULL;
    if (!text)
        tool_fail(work->command, "%s: can't be read: %s", work->path,
                  errno == EINVAL   ? "not a regular file"
                  : errno == EILSEQ ? "it has a zero byte: this is not text"
                                    : strerror(errno));
    if (file)
        fclose(file);
    return text;
}

char *verify_next_line(verify_lines *lines)
{
    while (*lines->rest)
    {
        char *line = lines->rest, *end = line + strcspn(line, "\n");
        lines->rest = *end ? end + 1 : end;
        lines->number++;
        *end = '\0';
        line += strspn(line, " \t\r");
        if (*line && *line != '#')
            return line;
    }
    return NULL;
}

static carom_status make_triangle(verify_work *work, const double corners[9], carom_placed *out)
{
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)corners;
    def.vertex_count = 3;
    def.unindexed = true;
    def.triangle_count = 1;
    carom_mesh *mesh = NULL;
    carom_tree *tree = NULL;
    carom_status status = carom_mesh_create(work->context, &def, &mesh);
    if (!carom_failed(status))
        status = tool_ask_tree(&work->asker, mesh, &tree);
    *out = (carom_placed){tool_shape(mesh, tree), carom_pose_identity()};
    return status;
}

static void free_triangle(const carom_placed *placed)
{
    carom_tree_destroy((carom_tree *)placed->shape.tree);
    carom_mesh_destroy((carom_mesh *)placed->shape.mesh);
}

carom_status verify_triangles_meet(verify_work *work, const double a[9], const double b[9], bool *out)
{
    carom_placed placed_a = {0}, placed_b = {0};
    carom_status status = make_triangle(work, a, &placed_a);
    if (!carom_failed(status))
        status = make_triangle(work, b, &placed_b);
    carom_report report = {0};
    if (!carom_failed(status))
        status = tool_ask_collide(&work->asker, &placed_a, &placed_b, NULL, &report);
    if (!carom_failed(status))
        *out = report.pair_count > 0;
    free_triangle(&placed_a);
    free_triangle(&placed_b);
    return status;
}

static const struct
{
    const char *name;
    int (*verify)(verify_work *work);
} kinds[] = {{"tritri", verify_tritri}, {"meshmesh", verify_meshmesh}, {"hardcases", verify_hardcases}};

typedef int verify_function(verify_work *work);

static verify_function *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].verify;
    return NULL;
}

/* One file by one method. */
static int verify_file(verify_work *work, verify_function *verify, const tool_method *method)
{
    carom_status status = tool_asker_open(work->context, method, NULL, &work->asker);
    verify_tally before = work->tally;
    int code = carom_failed(status) ? tool_fail_status(work->command, work->context, status) : verify(work);
    tool_asker_close(&work->asker);
    if (code == TOOL_CLEAN)
        tool_say("%s: [%s] %llu cases, %llu wrong, %llu skipped", work->path, method->name,
                 (unsigned long long)(work->tally.cases - before.cases),
                 (unsigned long long)(work->tally.wrong - before.wrong),
                 (unsigned long long)(work->tally.skipped - before.skipped));
    return code;
}

int tool_verify(const tool_command *command, int argc, char **argv)
{
    tool_method_options chosen = {0};
    const tool_option table[] = {TOOL_METHODS_ROWS(&chosen)};
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (arguments.positional_count < 2)
        return tool_fail(command, "a kind (tritri, meshmesh, hardcases) and a file are needed");
    verify_function *verify = find_kind(arguments.positional[0]);
    if (!verify)
        return tool_fail(command, "'%s' is not one of tritri, meshmesh, hardcases", arguments.positional[0]);
    tool_method methods[TOOL_METHOD_LIMIT];
    int method_count = tool_methods(&chosen, methods);
    verify_work work = {.command = command, .context = tool_context(&arguments)};
    if (!work.context)
        return TOOL_ERROR;
    code = TOOL_CLEAN;
    for (int i = 1; i < arguments.positional_count && code == TOOL_CLEAN; i++)
        for (int m = 0; m < method_count && code == TOOL_CLEAN; m++)
        {
            work.path = arguments.positional[i];
            code = verify_file(&work, verify, &methods[m]);
        }
    carom_context_destroy(work.context);
    if (code != TOOL_CLEAN)
        return code;
    printf("%llu cases, %llu wrong, %llu skipped\n", (unsigned long long)work.tally.cases,
           (unsigned long long)work.tally.wrong, (unsigned long long)work.tally.skipped);
    if (work.tally.wrong > 0)
        return TOOL_FINDINGS;
    return work.tally.cases > work.tally.skipped ? TOOL_CLEAN : TOOL_NOTHING;
}
