/* The list of subcommands, and the program around them. */
#include "tool/tool.h"

#include <signal.h>
#include <string.h>

static const tool_command commands[] = {
    {"info", "FILE...", "what a model file holds: counts, bounds, closedness, volume, its tree",
     "FILE is STL (ASCII or binary) or OBJ; its extension says which.\n"
     "Exit codes: 0 every file was read, 2 an error; the other files are still described.\n",
     true, tool_info},
    {"check", "A B", "do two models meet, where, and how far apart are they",
     "A and B are STL or OBJ files. What --seconds left open is shown as unknown, with bounds that hold.\n"
     "Exit codes: 0 the models are apart and the clearance is kept, 1 they meet, one is inside the other or the\n"
     "clearance is violated, 2 an error, or undecided when the time was up, 3 a model has no triangles: nothing was\n"
     "checked.\n",
     true, tool_check},
    {"gen", "KIND", "write a generated shape with a chosen number of triangles",
     "Exit codes: 0 written, 2 an error, and no file is left behind.\n", false, tool_gen},
    {"bench", "[A B | parallel]", "time the questions on random poses, for each kind of tree",
     "parallel   the thesis's chapter 4: its three scenes, its four methods and the engine tree, by number of "
     "workers,\n"
     "           beside its table 4-1; `carom bench parallel --help` lists its options\n"
     "Exit codes: 0 all methods give the same answers, 1 they differ, 2 an error, 3 a model has no triangles.\n",
     true, tool_bench},
    {"verify", "tritri|meshmesh|hardcases FILE...", "compare answers with the truth in the file",
     "tritri     text; a line: family, truth (0 or 1), 18 hexadecimal floats, the corners of two triangles\n"
     "meshmesh   text; a line: the 12 numbers of a pose, pair count, distance, hash of the pairs in hexadecimal;\n"
     "           beside FILE stand the models env_q.obj, which keeps its place, and rob_q.obj, which gets the pose\n"
     "hardcases  JSON; an object per case with its kind, A, B and exact_intersects; kinds other than\n"
     "           triangle-triangle are skipped\n"
     "Lines that begin with # are comments.\n"
     "Exit codes: 0 no answer is wrong, 1 some are, 2 an error, 3 no case was checked.\n",
     true, tool_verify},
    {"draw", "A B", "a picture of two models, colliding triangles red",
     "Exit codes: 0 no triangles meet, 1 some do, 2 an error, 3 a model has no triangles: nothing was checked, and\n"
     "where both have none, nothing was drawn.\n",
     true, tool_draw},
    {"demo", "", "check a generated assembly, say what was found, draw it",
     "Exit codes: 0 checked and drawn, whatever was found, 2 an error.\n", true, tool_demo},
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
        fprintf(stderr, "carom: can't write to standard output\n");
        return TOOL_ERROR;
    }
    return code;
}

int main(int argc, char **argv)
{
    /* A file beyond the size limit then fails as a write error, which names it and leaves nothing behind. */
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN);
#endif
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
    fprintf(stderr, "carom: unknown command '%s'; `carom --help` lists them\n", argv[1]);
    return TOOL_ERROR;
}
