/* What a command line or a list file names: models with their poses, units and motion; then their bodies. */
#ifndef TOOL_INPUTS_H
#define TOOL_INPUTS_H

#include "tool/tool.h"

/* How a listed model moves, per step. */
typedef struct tool_motion
{
    bool moves, is_static;
    carom_vec3 velocity;
    carom_vec3 axis; /* through the model's origin, of about unit length */
    double turns;
} tool_motion;

/* One body: a file, or a named part of it. */
typedef struct tool_body
{
    const char *part; /* null: all of the file; otherwise to be freed */
    carom_mesh *mesh; /* bodies of one file that differ in nothing but the pose share it */
    carom_tree *tree; /* null: the mesh's default */
    bool closed;
    uint32_t first_triangle; /* number in the file of its first triangle; the others follow it, */
    uint32_t *numbers;       /* unless these are their numbers, ascending; to be freed */
} tool_body;

/* The number in the file of a body's triangle. */
uint32_t tool_number_in_file(const tool_body *body, uint32_t triangle);

/* What a file has that its triangles lack; each with a note when it was read. */
typedef struct tool_left_out
{
    uint64_t points, lines, free_form, statements, bytes;
    uint64_t odd_faces, complex_faces; /* read, but with the wrong area */
} tool_left_out;

tool_left_out tool_find_left_out(const io_model *model);

/* One model: a file at a pose. */
typedef struct tool_input
{
    char *path;
    char *name;       /* what reports call it */
    const char *unit; /* its own; null: the unit of the scene */
    size_t list;      /* number of the list that names it, from 1; 0: none */
    carom_pose pose;  /* its translation is in the unit of the scene; before tool_settle_lists, of its list */
    bool has_pose_option, has_unit_option;
    bool whole; /* named parts stay together */
    tool_motion motion;

    /* set by tool_read_inputs */
    bool tried; /* false: the time ran out before it was read, or before its trees were built */
    carom_status status;
    char message[IO_MESSAGE_SIZE];
    const char *format;
    uint64_t triangles, joined_corners, collapsed_triangles;
    tool_left_out left_out;
    double milliseconds; /* of reading; 0 if the same file was read for an earlier one */
    tool_body *bodies;
    uint32_t body_count;
} tool_input;

/* What a list says about all of its files. */
typedef struct tool_list
{
    const char *path; /* borrowed from the command line */
    const char *unit; /* null: that of the scene */
    bool demands_clearance;
    double clearance; /* in the unit of the list */
    uint32_t steps;   /* 0: not given */
} tool_list;

typedef struct tool_inputs
{
    const tool_command *command;
    tool_input *items;
    size_t count, capacity;
    tool_list *lists;
    size_t list_count;

    /* set by tool_settle_lists */
    const char *unit; /* of the scene, and of files without their own; null: not known */
    double clearance; /* that lists demand; 0: none */
    uint32_t steps;   /* of a list; 0: not given */
    bool failed;      /* something could not be listed, after a message */
} tool_inputs;

/* Files, folders (their model files, by name) and lists (.json). False if nothing can be done: out of memory. What
 * can't be listed is reported, marked in `failed` and left out. */
bool tool_find_inputs(tool_inputs *inputs, char **paths, int count);
/* Settles the unit of the scene and converts what lists say to it; a unit that is null is that of the lists. Lists that
 * contradict each other are reported, marked in `failed` and left out, all of them; so is one with units of files, but
 * none of its own. */
void tool_settle_lists(tool_inputs *inputs, const char *unit, bool clearance_given);
void tool_free_inputs(tool_inputs *inputs);
void tool_drop_bodies(tool_input *input); /* of one that is not to be checked */
bool tool_is_list(const char *path);

/* "NAME=POSE" and "NAME=UNIT"; NAME is a path as given or found, or the number of a model. False after a message. */
bool tool_set_poses(tool_inputs *inputs, const char *option, const tool_texts *texts);
bool tool_set_units(tool_inputs *inputs, const char *option, const tool_texts *texts);

typedef struct tool_reading
{
    carom_context *context;
    const char *weld;          /* as given; null: none */
    const char *cache;         /* folder for trees; null: none */
    const carom_tree_def *def; /* of the trees to build; null: the meshes' default ones, when they are needed */
    const char *format;        /* of all files; null: by their names */
} tool_reading;

/* Reads all files, each once, and makes bodies of them. False: out of memory, or a length that is none, after a
 * message. A file that can't be read has its status and message; the others go on. */
bool tool_read_inputs(tool_inputs *inputs, const tool_reading *reading);

#endif
