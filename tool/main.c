/* The list of subcommands, and what all share with none. */
#include "tool/tool.h"

#include <string.h>

static const tool_command commands[] = {
    {"info", "FILE...", "what a model file holds: counts, bounds, closedness, volume, its tree", tool_info},
    {"check", "A B", "do two models meet, where, and how far are they apart", tool_check},
    {"gen", "KIND", "write a generated shape with a chosen number of triangles", tool_gen},
    {"bench", "[A B]", "time the questions on random poses, for each kind of tree", tool_bench},
    {"verify", "tritri|meshmesh|hardcases FILE...", "compare answers with the truth in the file", tool_verify},
    {"draw", "A B", "a picture of two models, colliding triangles red", tool_draw},
    {"demo", "", "check a generated assembly, say what was found, draw it", tool_demo},
};

enum
{
    COMMAND_COUNT = sizeof commands / sizeof *commands
};

static void print_usage(FILE *out)
{
    fprintf(out, "carom %s: exact collision detection for triangle meshes\n\nusage: carom COMMAND ...\n\n",
            carom_version());
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-7s %s\n", commands[i].name, commands[i].summary);
    fprintf(out, "\n`carom COMMAND --help` lists a command's options.\n"
                 "Exit codes: 0 clean, 1 findings, 2 error, 3 nothing was checked.\n");
}

/* Data that did not reach its reader is an error too. */
static int finish(int code)
{
    if (fflush(stdout) != 0 || ferror(stdout))
    {
        fprintf(stderr, "carom: standard output can't be written\n");
        return TOOL_ERROR;
    }
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2)
    {
        print_usage(stderr);
        return TOOL_ERROR;
    }
    if (strcmp(argv[1], "--version") == 0)
        return printf("carom %s\n", carom_version()), finish(TOOL_CLEAN);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return print_usage(stdout), finish(TOOL_CLEAN);
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, argv[1]) == 0)
            return finish(commands[i].run(&commands[i], argc - 2, argv + 2));
    fprintf(stderr, "carom: no command is called '%s'; `carom --help` lists them\n", argv[1]);
    return TOOL_ERROR;
}
