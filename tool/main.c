/* The table of subcommands, and main. */
#include "tool/text.h"
#include "tool/tool.h"

#include <signal.h>
#include <string.h>

static const tool_command commands[] = {
    {"info", "FILE...", "describe model files: counts, bounds, closedness, volume, tree",
     "FILE is an STL (ASCII or binary) or OBJ file, by its extension.\n"
     "Exit codes: 0 every file was read, 2 error; the other files are still described.\n",
     NULL, TOOL_FLAG, true, tool_info},
    {"check", "FILE|FOLDER...", "check whether models meet, where, and how far apart they are",
     "FILE is an STL or OBJ file, or a list (see below); a FOLDER stands for its model files. Two files are compared\n"
     "with each other, each as one body. In all other cases, each named part (OBJ object or group, STL solid) is a "
     "body,\n"
     "or each file with --whole, and all bodies are compared with each other: also the parts of a single file.\n"
     "POSE is 3 numbers (translation), 7 (translation, quaternion x y z w), 12 (rotation row by row, translation), 16\n"
     "(4x4), or: axis x y z degrees at x y z; rotations that were rounded are made rigid. \"axis 0 0 1 90 at 3 0 0\" "
     "is a\n"
     "quarter turn about the z axis, then a shift along x; --pose \"2=axis 0 0 1 90 at 3 0 0\" puts the second file "
     "there.\n"
     "A list is a JSON file: {\"unit\": \"mm\", \"clearance\": 0.5, \"files\": [{\"file\": \"arm.stl\", \"name\": "
     "\"left arm\",\n"
     "\"unit\": \"in\", \"whole\": true, \"pose\": [1, 2, 3]}, ...]}; only files and file are required. pose may also "
     "be an\n"
     "object with translation, and quaternion or axis and degrees. For `carom sim`: steps; in a file velocity, axis,\n"
     "turns (per step) and static. Paths are relative to the list. Lists with different units need --unit, to which "
     "each\n"
     "is converted, with different clearances --clearance; what has no unit is in that of the scene.\n"
     "If --seconds runs out, the rest is reported as unknown, with valid bounds.\n"
     "Verdicts: clash, the models overlap, one is inside the other, they are equal, or they are open surfaces that\n"
     "meet; contact, they touch but do not overlap; too close, the gap is smaller than the clearance; probably\n"
     "inside, they are apart or touch, but one seems to be inside the other, which is not closed: an estimate (if\n"
     "rounding tore the model open, --weld makes it certain); clear, none of these.\n"
     "Exit codes: 0 clear, or a contact if no clearance is demanded, 1 a clash, probably inside, or a violated\n"
     "clearance (which a contact always violates), 2 error, also if just one of many files can't be read, or "
     "undecided\n"
     "when the time ran out, 3 nothing was checked, or nothing was found but a model has no triangles.\n",
     NULL, TOOL_FLAG, true, tool_check},
    {"gen", "KIND", "write a generated shape with a chosen number of triangles",
     "Exit codes: 0 the file was written, 2 error; then no file is left behind.\n", NULL, TOOL_SHAPE, false, tool_gen},
    {"decompose", "FILE", "cut a model's surface into convex pieces",
     "Each piece lies on the surface of its convex hull, which meets the rest of the model only along the piece's "
     "border.\n"
     "Any model will do; where its surface is not convex, pieces are small. The result is exact and always the same.\n"
     "Exit codes: 0 done, 2 error, 3 the model has no triangles.\n",
     NULL, TOOL_FLAG, true, tool_decompose},
    {"geoimage", "FILE", "turn a model's surface into images of points",
     "The surface is cut until it is a disk, which is mapped to a rectangle without folds and sampled. Each part of "
     "the\n"
     "model that is connected through edges becomes a chart, an image of its own; all of them are in one file. Both "
     "sides\n"
     "of a cut have the same points. The error is a certified upper bound, both ways. Stretch is 1 where samples are "
     "even.\n"
     "Exit codes: 0 done, 2 error, 3 the model has no triangles.\n",
     NULL, TOOL_FLAG, true, tool_geoimage},
    {"bench", "[A B | parallel | tsgo | image | stream | geoimage | deadline | read]",
     "time queries on random poses, for each kind of tree",
     "`carom bench parallel` compares the parallel engines instead, `carom bench tsgo` the grid paper's methods,\n"
     "`carom bench image` those that look at images, `carom bench stream` streams of edges,\n"
     "`carom bench geoimage` quadtrees of geometry images, `carom bench deadline` "
     "measures how frames keep budgets of time, "
     "`carom bench read` how fast files are read;\n"
     "each has a --help of its own.\n"
     "Exit codes: 0 all methods give the same answers, 1 they differ, 2 error, 3 a model has no triangles.\n",
     "parallel tsgo image stream geoimage deadline read", TOOL_FLAG, true, tool_bench},
    {"verify", "tritri|meshmesh|hardcases FILE...", "compare answers with known results from a file",
     "tritri     text; each line: family, result (0 or 1), 18 hexadecimal floats: the corners of two triangles\n"
     "meshmesh   text; each line: the 12 numbers of a pose, pair count, distance, hash of the pairs in hexadecimal;\n"
     "           the models are in the same folder: env_q.obj, which is fixed, and rob_q.obj, which gets the pose\n"
     "hardcases  JSON; one object per case with its kind, A, B and exact_intersects; kinds other than\n"
     "           triangle-triangle are skipped\n"
     "Lines that begin with # are comments.\n"
     "Exit codes: 0 no answer is wrong, 1 some are, 2 error, 3 no case was checked.\n",
     NULL, TOOL_FLAG, true, tool_verify},
    {"draw", "A B", "draw two models, with clashing triangles in red",
     "Red: triangles that clash, and a model that is inside the other, also through what hides them. Amber: contact.\n"
     "Exit codes: 0 the models are apart or touch, 1 they clash, or one is probably inside the other (see `carom "
     "check\n"
     "--help`), 2 error, 3 nothing was checked: a model has no triangles. If both have none, nothing is drawn.\n",
     NULL, TOOL_FLAG, true, tool_draw},
    {"demo", "", "check a generated assembly, list what was found, and draw it",
     "Findings: clash, parts overlap, or one is inside another; probably inside, likewise, but the other is not "
     "closed;\n"
     "contact, parts touch but do not overlap; too close, parts are closer than the scene's clearance.\n"
     "Exit codes: 0 checked and drawn, whatever was found, 2 error.\n",
     NULL, TOOL_FLAG, true, tool_demo},
    {"sim", "NAME|FILE", "step a scene, show what meets and how long it takes, and draw it",
     "NAME is a generated scene (--list); FILE a list of models with their motion, as JSON (see `carom check "
     "--help`).\n"
     "On a terminal, a table is kept up to date; otherwise each step is a line. The times are those of one step in\n"
     "milliseconds: broad phase, search in trees with contact points, report.\n"
     "Exit codes: 0 all steps were done, whatever was found, 2 error, 3 the scene has fewer than two bodies.\n",
     NULL, TOOL_SCENE, true, tool_sim},
    {"gpu", "", "show which graphics driver and which devices of OpenCL there are, and test them",
     "The driver is needed by engines that work on images; everything else works without. It is looked for when a\n"
     "program runs: EGL with OpenGL 4.5, software drivers included (Debian: libegl1 libopengl0 libgl1-mesa-dri).\n"
     "The environment variable CAROM_GPU says where: surfaceless, device, display, or off for nowhere; without it, "
     "the\n"
     "three are tried in this order.\n"
     "Engine stream runs kernels: on OpenCL (Debian: ocl-icd-libopencl1 and a driver, for example pocl-opencl-icd),\n"
     "else on compute shaders, else on the processor. CAROM_COMPUTE chooses one: opencl, opengl, processor, or auto.\n"
     "Exit codes: 0 a graphics driver was found and no comparison failed, 1 some failed, 2 error, 3 there is no\n"
     "graphics driver.\n",
     NULL, TOOL_FLAG, false, tool_gpu},
    {"man", "", "print the manual page", "`carom man | man -l -` shows it.\nExit codes: 0 printed, 2 error.\n", NULL,
     TOOL_FLAG, false, tool_man},
    {"completion", "bash|zsh|fish", "print a script that completes commands and options in a shell",
     "`source <(carom completion bash)` makes it work in the current shell; `make install` puts the scripts where "
     "shells\n"
     "look for them.\n"
     "Exit codes: 0 printed, 2 error.\n",
     "bash zsh fish", TOOL_FLAG, false, tool_completion},
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
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
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

const tool_command *tool_command_at(int i) { return i >= 0 && i < COMMAND_COUNT ? &commands[i] : NULL; }

static const char *name_at(const void *list, int i)
{
    (void)list;
    return i < COMMAND_COUNT ? commands[i].name : i == COMMAND_COUNT ? "help" : NULL;
}

static int refuse_command(const char *name)
{
    const char *meant = text_nearest(name, name_at, NULL);
    fprintf(stderr, "carom: unknown command '");
    text_print_safe(stderr, name);
    fprintf(stderr, meant ? "'; did you mean '%s'? See `carom --help`\n" : "'; see `carom --help`\n", meant);
    return TOOL_ERROR;
}

/* Output that could not be written is an error too. */
static int finish(int code)
{
    tool_watch_end();
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
    tool_watch_begin();
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
    const tool_command *command = find_command(argv[help ? 2 : 1]);
    if (!command)
        return refuse_command(argv[help ? 2 : 1]);
    if (!help)
        return finish(command->run(command, argc - 2, argv + 2));
    /* `carom help bench parallel` too */
    char ask_help[] = "--help", *asked[2] = {ask_help, ask_help};
    bool below = argc > 3 && command->below;
    asked[0] = below ? argv[3] : ask_help;
    return finish(command->run(command, below ? 2 : 1, asked));
}
