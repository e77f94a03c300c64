/* The table of subcommands, and main. */
#include "tool/tool.h"

#include <signal.h>
#include <string.h>

static const tool_command commands[] = {
    {"info", "FILE...", "describe model files: counts, bounds, closedness, volume, tree",
     "FILE is an STL (ASCII or binary) or OBJ file, by its extension.\n"
     "Exit codes: 0 every file was read, 2 error; the other files are still described.\n",
     true, tool_info},
    {"check", "A B", "check whether two models meet, where, and how far apart they are",
     "A and B are STL or OBJ files. If --seconds runs out, the rest is reported as unknown, with valid bounds.\n"
     "Verdicts: clash, the models overlap, one is inside the other, they are equal, or they are open surfaces that\n"
     "meet; contact, they touch but do not overlap; too close, the gap is smaller than the clearance; probably\n"
     "inside, they are apart or touch, but one seems to be inside the other, which is not closed: an estimate (if\n"
     "rounding tore the model open, --weld makes it certain); clear, none of these.\n"
     "Exit codes: 0 clear, or a contact if no clearance is demanded, 1 a clash, probably inside, or a violated\n"
     "clearance (which a contact always violates), 2 error, or undecided when the time ran out, 3 nothing was\n"
     "checked: a model has no triangles.\n",
     true, tool_check},
    {"gen", "KIND", "write a generated shape with a chosen number of triangles",
     "Exit codes: 0 the file was written, 2 error; then no file is left behind.\n", false, tool_gen},
    {"bench", "[A B | parallel | deadline]", "time queries on random poses, for each kind of tree",
     "`carom bench parallel` compares the parallel engines instead; `carom bench parallel --help` explains it.\n"
     "`carom bench deadline` measures how frames keep budgets of time.\n"
     "Exit codes: 0 all methods give the same answers, 1 they differ, 2 error, 3 a model has no triangles.\n",
     true, tool_bench},
    {"verify", "tritri|meshmesh|hardcases FILE...", "compare answers with known results from a file",
     "tritri     text; each line: family, result (0 or 1), 18 hexadecimal floats: the corners of two triangles\n"
     "meshmesh   text; each line: the 12 numbers of a pose, pair count, distance, hash of the pairs in hexadecimal;\n"
     "           the models are in the same folder: env_q.obj, which is fixed, and rob_q.obj, which gets the pose\n"
     "hardcases  JSON; one object per case with its kind, A, B and exact_intersects; kinds other than\n"
     "           triangle-triangle are skipped\n"
     "Lines that begin with # are comments.\n"
     "Exit codes: 0 no answer is wrong, 1 some are, 2 error, 3 no case was checked.\n",
     true, tool_verify},
    {"draw", "A B", "draw two models, with clashing triangles in red",
     "Red: triangles that clash, and a model that is inside the other, also through what hides them. Amber: contact.\n"
     "Exit codes: 0 the models are apart or touch, 1 they clash, or one is probably inside the other (see `carom "
     "check\n"
     "--help`), 2 error, 3 nothing was checked: a model has no triangles. If both have none, nothing is drawn.\n",
     true, tool_draw},
    {"demo", "", "check a generated assembly, list what was found, and draw it",
     "Findings: clash, parts overlap, or one is inside another; probably inside, likewise, but the other is not "
     "closed;\n"
     "contact, parts touch but do not overlap; too close, parts are closer than the scene's clearance.\n"
     "Exit codes: 0 checked and drawn, whatever was found, 2 error.\n",
     true, tool_demo},
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
    fprintf(out, "\n`carom COMMAND --help` or `carom help COMMAND` lists a command's options.\n"
                 "Exit codes: 0 clean, 1 findings, 2 error, 3 nothing was checked.\n");
}

static const tool_command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* Output that could not be written is an error too. */
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
    bool help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0;
    if (help && argc == 2)
        return print_usage(stdout), finish(TOOL_CLEAN);
    char *ask_help[] = {"--help"};
    const tool_command *command = find_command(argv[help ? 2 : 1]);
    if (!command)
        return fprintf(stderr, "carom: unknown command '%s'; see `carom --help`\n", argv[help ? 2 : 1]), TOOL_ERROR;
    return finish(help ? command->run(command, 1, ask_help) : command->run(command, argc - 2, argv + 2));
}
