/* From arguments to models: files, folders, and lists with poses, units and motion. */
#include "tool/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* Null when out of memory. */
static tool_input *add_input(tool_inputs *inputs, const char *path, const char *name)
{
    if (inputs->count == inputs->capacity)
    {
        size_t larger = 2 * inputs->capacity + 16;
        tool_input *items = realloc(inputs->items, larger * sizeof *items);
        if (!items)
            return NULL;
        inputs->items = items, inputs->capacity = larger;
    }
    tool_input *input = &inputs->items[inputs->count];
    *input = (tool_input){.path = copy_text(path), .name = copy_text(name), .pose = carom_pose_identity()};
    if (input->path && input->name)
        return inputs->count++, input;
    free(input->path);
    free(input->name);
    return NULL;
}

void tool_drop_bodies(tool_input *input)
{
    for (uint32_t k = 0; k < input->body_count; k++)
    {
        carom_tree_destroy(input->bodies[k].tree);
        carom_mesh_destroy(input->bodies[k].mesh);
        free((char *)input->bodies[k].part);
        free(input->bodies[k].numbers);
    }
    free(input->bodies);
    input->bodies = NULL, input->body_count = 0;
}

static void free_input(tool_input *input)
{
    tool_drop_bodies(input);
    free(input->path);
    free(input->name);
}

void tool_free_inputs(tool_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        free_input(&inputs->items[i]);
    free(inputs->items);
    free(inputs->lists);
    inputs->items = NULL, inputs->count = inputs->capacity = 0;
    inputs->lists = NULL, inputs->list_count = 0;
}

/* All files of a list, by its number. */
static void leave_out(tool_inputs *inputs, size_t list)
{
    size_t kept = 0;
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].list == list)
            free_input(&inputs->items[i]);
        else
            inputs->items[kept++] = inputs->items[i];
    inputs->count = kept;
}

/* ---- folders ---- */

static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

bool tool_is_list(const char *path) { return strcasecmp(extension_of(path), "json") == 0; }

static bool is_model_name(const char *name)
{
    const char *extension = extension_of(name);
    size_t length = strlen(extension);
    const io_format_info *format;
    for (uint32_t i = 0; *extension && (format = io_format_list(i)) != NULL; i++)
        for (const char *at = format->extensions; *at;)
        {
            size_t word = strcspn(at, " ");
            if (word == length && strncasecmp(at, extension, length) == 0)
                return true;
            at += word + strspn(at + word, " ");
        }
    return false;
}

typedef struct name_list
{
    char **items;
    size_t count, capacity, skipped;
} name_list;

static bool add_name(name_list *names, const char *folder, const char *name)
{
    if (names->count == names->capacity)
    {
        size_t larger = 2 * names->capacity + 64;
        char **items = realloc(names->items, larger * sizeof *items);
        if (!items)
            return false;
        names->items = items, names->capacity = larger;
    }
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path)
        return false;
    bool slash = folder[strlen(folder) - 1] == '/';
    snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
    struct stat about;
    /* a pipe would wait for someone to write into it */
    bool fine = is_model_name(name) && name[0] != '.' && (stat(path, &about) != 0 || S_ISREG(about.st_mode));
    if (fine)
        names->items[names->count++] = path;
    else
        names->skipped++, free(path);
    return true;
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool add_folder(tool_inputs *inputs, const char *folder)
{
    DIR *stream = opendir(folder);
    if (!stream)
    {
        tool_fail(inputs->command, "%s: can't be listed: %s", folder, strerror(errno));
        return inputs->failed = true;
    }
    name_list names = {0};
    bool fine = true;
    const struct dirent *entry;
    while (fine && (entry = readdir(stream)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            fine = add_name(&names, folder, entry->d_name);
    closedir(stream);
    /* the order of a folder's entries is not the same everywhere */
    if (names.count > 0)
        qsort(names.items, names.count, sizeof *names.items, compare_names);
    for (size_t i = 0; i < names.count; i++)
    {
        fine = fine && add_input(inputs, names.items[i], names.items[i]);
        free(names.items[i]);
    }
    free(names.items);
    if (fine && names.count == 0)
        tool_note(inputs->command, "%s: no model files in this folder", folder);
    else if (fine && names.skipped > 0)
        tool_note(inputs->command, "%s: %zu entries that are no model files were skipped", folder, names.skipped);
    return fine;
}

/* ---- lists ---- */

/* A list being read: where, and what went wrong first. */
typedef struct list_reader
{
    tool_inputs *inputs;
    const char *path;
    size_t entry; /* 0: the list itself */
    bool failed;
} list_reader;

static void list_fail(list_reader *reader, const char *key, const char *what)
{
    if (!reader->failed && reader->entry)
        tool_fail(reader->inputs->command, "%s: file %zu: %s: %s", reader->path, reader->entry, key, what);
    else if (!reader->failed)
        tool_fail(reader->inputs->command, "%s: %s: %s", reader->path, key, what);
    reader->failed = true;
}

/* The numbers of an array; false if there is none under this key. */
static bool get_numbers(list_reader *reader, const json_t *object, const char *key, double *out, int count)
{
    const json_t *array = json_object_get(object, key);
    if (!array)
        return false;
    bool fine = json_is_array(array) && json_array_size(array) == (size_t)count;
    for (int i = 0; fine && i < count; i++)
    {
        const json_t *number = json_array_get(array, (size_t)i);
        fine = json_is_number(number);
        out[i] = json_number_value(number);
    }
    if (!fine)
    {
        char what[64];
        snprintf(what, sizeof what, "must be an array of %d numbers", count);
        list_fail(reader, key, what);
    }
    return fine;
}

static bool get_vector(list_reader *reader, const json_t *object, const char *key, carom_vec3 *out)
{
    double numbers[3];
    if (!get_numbers(reader, object, key, numbers, 3))
        return false;
    *out = (carom_vec3){numbers[0], numbers[1], numbers[2]};
    return true;
}

/* Of about unit length. */
static bool get_axis(list_reader *reader, const json_t *object, double out[3])
{
    if (!get_numbers(reader, object, "axis", out, 3))
        return false;
    bool fine = tool_scale_axis(out);
    if (!fine)
        list_fail(reader, "axis", "has no direction");
    return fine;
}

static double get_number(list_reader *reader, const json_t *object, const char *key, double otherwise)
{
    const json_t *number = json_object_get(object, key);
    if (number && !json_is_number(number))
        list_fail(reader, key, "must be a number");
    return json_is_number(number) ? json_number_value(number) : otherwise;
}

static bool get_flag(list_reader *reader, const json_t *object, const char *key, bool otherwise)
{
    const json_t *flag = json_object_get(object, key);
    if (flag && !json_is_boolean(flag))
        list_fail(reader, key, "must be true or false");
    return json_is_boolean(flag) ? json_is_true(flag) : otherwise;
}

static const char *get_unit(list_reader *reader, const json_t *object)
{
    const json_t *unit = json_object_get(object, "unit");
    const char *word = json_string_value(unit);
    int found = word ? tool_find_choice(TOOL_UNIT, word) : -1;
    if (unit && found < 0)
        list_fail(reader, "unit", "must be mm, cm, m, in or ft");
    return found >= 0 ? tool_unit_name(found) : NULL;
}

/* Unknown keys are probably mistyped. */
static void check_keys(list_reader *reader, json_t *object, const char *const *known, const char *complaint)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        bool found = false;
        for (int i = 0; known[i]; i++)
            found = found || strcmp(known[i], key) == 0;
        if (!found)
            list_fail(reader, key, complaint);
    }
}

/* {"translation": [x, y, z], "quaternion": [x, y, z, w]}, with "axis": [x, y, z], "degrees": d instead of the latter.
 */
static bool pose_from_object(list_reader *reader, json_t *object, carom_pose *out)
{
    static const char *const known[] = {"translation", "quaternion", "axis", "degrees", NULL};
    carom_vec3 at = {0, 0, 0};
    double quaternion[4] = {0, 0, 0, 1}, axis[3];
    bool has_axis = json_object_get(object, "axis"), has_degrees = json_object_get(object, "degrees");
    check_keys(reader, object, known, "is not a key of a pose");
    if (json_object_size(object) == 0)
        list_fail(reader, "pose", "needs a translation, a quaternion, or an axis and degrees");
    if (has_axis != has_degrees)
        list_fail(reader, "pose", has_axis ? "an axis needs degrees" : "degrees need an axis");
    if (has_axis && json_object_get(object, "quaternion"))
        list_fail(reader, "pose", "has two rotations: a quaternion, and an axis with degrees");
    get_vector(reader, object, "translation", &at);
    get_numbers(reader, object, "quaternion", quaternion, 4);
    *out = get_axis(reader, object, axis) ? tool_turn(axis, get_number(reader, object, "degrees", 0), at)
                                          : carom_pose_from_quaternion(quaternion, at);
    return !reader->failed;
}

/* An array has the same numbers as the text of an option: write them as such. */
static bool pose_from_array(list_reader *reader, const json_t *object, carom_pose *out, char *message)
{
    enum
    {
        MOST = 16
    };
    size_t count = json_array_size(json_object_get(object, "pose")), used = 0;
    double numbers[MOST];
    char text[MOST * (IO_NUMBER_SIZE + 1) + 1] = "";
    if (count > MOST || !get_numbers(reader, object, "pose", numbers, (int)count))
        return snprintf(message, TOOL_POSE_MESSAGE, "too many numbers"), false;
    for (size_t i = 0; i < count; i++)
    {
        used += io_format_number(numbers[i], text + used);
        text[used++] = ' ';
        text[used] = '\0';
    }
    return tool_parse_pose(text, out, message);
}

static void get_pose(list_reader *reader, const json_t *object, carom_pose *out)
{
    json_t *pose = json_object_get(object, "pose");
    char message[TOOL_POSE_MESSAGE] = "must be a text, an array or an object";
    bool fine = !pose;
    if (json_is_string(pose))
        fine = tool_parse_pose(json_string_value(pose), out, message);
    else if (json_is_object(pose))
        fine = pose_from_object(reader, pose, out);
    else if (json_is_array(pose))
        fine = pose_from_array(reader, object, out, message);
    if (!fine)
        list_fail(reader, "pose", message);
    else if (carom_pose_check(out) != CAROM_OK)
        list_fail(reader, "pose", "is no rigid pose");
}

/* Paths in a list are relative to its folder. */
static char *path_beside(const char *list, const char *path)
{
    const char *slash = strrchr(list, '/');
    size_t folder = slash && path[0] != '/' ? (size_t)(slash - list) + 1 : 0, size = folder + strlen(path) + 1;
    char *joined = malloc(size);
    if (joined)
        snprintf(joined, size, "%.*s%s", (int)folder, list, path);
    return joined;
}

static bool add_entry(list_reader *reader, json_t *entry)
{
    static const char *const known[] = {"file",   "name", "unit",  "pose",     "whole",
                                        "static", "axis", "turns", "velocity", NULL};
    const char *file = json_string_value(json_object_get(entry, "file"));
    const json_t *name = json_object_get(entry, "name");
    if (!file || !*file)
        return list_fail(reader, "file", "a path is needed"), true;
    if (name && !json_is_string(name))
        return list_fail(reader, "name", "must be a text"), true;
    char *path = path_beside(reader->path, file);
    tool_input *input = path ? add_input(reader->inputs, path, name ? json_string_value(name) : path) : NULL;
    free(path);
    if (!input)
        return false;
    check_keys(reader, entry, known, "is not a key of a file");
    input->list = reader->inputs->list_count;
    input->unit = get_unit(reader, entry);
    get_pose(reader, entry, &input->pose);
    input->whole = get_flag(reader, entry, "whole", false);
    tool_motion *motion = &input->motion;
    double axis[3] = {0, 0, 1};
    motion->is_static = get_flag(reader, entry, "static", false);
    bool drifts = get_vector(reader, entry, "velocity", &motion->velocity);
    get_axis(reader, entry, axis);
    motion->axis = (carom_vec3){axis[0], axis[1], axis[2]};
    motion->turns = get_number(reader, entry, "turns", 0);
    motion->moves = drifts || motion->turns != 0;
    return true;
}

static bool remember_list(tool_inputs *inputs, const tool_list *list)
{
    tool_list *lists = realloc(inputs->lists, (inputs->list_count + 1) * sizeof *lists);
    if (!lists)
        return false;
    lists[inputs->list_count++] = *list;
    inputs->lists = lists;
    return true;
}

static bool add_list_entries(list_reader *reader, json_t *root)
{
    static const char *const known[] = {"unit", "clearance", "steps", "files", NULL};
    json_t *files = json_object_get(root, "files");
    if (!json_is_array(files))
        return list_fail(reader, "files", "an array is needed"), true;
    check_keys(reader, root, known, "is not a key of a list");
    tool_list list = {.path = reader->path, .unit = get_unit(reader, root)};
    list.demands_clearance = json_object_get(root, "clearance");
    list.clearance = get_number(reader, root, "clearance", 0);
    double steps = get_number(reader, root, "steps", 0);
    if (!(list.clearance >= 0) || !(steps >= 0 && steps <= 1e9))
        list_fail(reader, list.clearance >= 0 ? "steps" : "clearance", "must be 0 or more");
    list.steps = reader->failed ? 0 : (uint32_t)steps;
    if (!remember_list(reader->inputs, &list))
        return false;
    for (size_t i = 0; i < json_array_size(files); i++)
    {
        reader->entry = i + 1;
        if (!add_entry(reader, json_array_get(files, i)))
            return false;
    }
    return true;
}

/* What editors of some systems begin a file with: a byte-order mark, of which a list has no use. */
typedef struct list_bytes
{
    FILE *file;
    bool begun;
} list_bytes;

static size_t take_bytes(void *buffer, size_t size, void *user)
{
    static const char mark[] = "\xef\xbb\xbf";
    list_bytes *bytes = user;
    size_t count = fread(buffer, 1, size, bytes->file);
    bool marked = !bytes->begun && count >= 3 && memcmp(buffer, mark, 3) == 0;
    bytes->begun = true;
    if (!marked)
        return count;
    memmove(buffer, (char *)buffer + 3, count - 3);
    return count > 3 ? count - 3 : fread(buffer, 1, size, bytes->file);
}

/* Null after a message. */
static json_t *load_list(const tool_command *command, const char *path)
{
    json_error_t error;
    list_bytes bytes = {.file = fopen(path, "rb")};
    if (!bytes.file)
        return tool_fail(command, "%s: can't be opened: %s", path, strerror(errno)), NULL;
    json_t *root = json_load_callback(take_bytes, &bytes, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        tool_fail(command, "%s: line %d: %s", path, error.line, error.text);
    fclose(bytes.file);
    return root;
}

static bool add_list(tool_inputs *inputs, const char *path)
{
    const size_t lists_before = inputs->list_count;
    json_t *root = load_list(inputs->command, path);
    if (!root)
        return inputs->failed = true;
    list_reader reader = {.inputs = inputs, .path = path};
    bool fine = add_list_entries(&reader, root);
    json_decref(root);
    /* a list that is wrong in one place may be wrong in others: nothing of it counts */
    if (reader.failed && inputs->list_count > lists_before)
        leave_out(inputs, inputs->list_count--);
    inputs->failed = inputs->failed || reader.failed;
    return fine;
}

/* ---- what lists say about the scene ---- */

static double converted(double length, const char *from, const char *to)
{
    double ratio[2] = {1, 1};
    if (from && to)
        tool_unit_ratio(from, to, ratio);
    return tool_scaled(length, ratio);
}

/* The unit of the scene, if none is given. False after a message. */
static bool agree_on_unit(tool_inputs *inputs)
{
    const tool_list *first = NULL;
    for (size_t i = 0; i < inputs->list_count; i++)
    {
        const tool_list *list = &inputs->lists[i];
        if (list->unit && first && strcmp(list->unit, first->unit) != 0)
            return tool_fail(inputs->command, "%s has the unit %s, %s has %s: add --unit, and both are converted",
                             first->path, first->unit, list->path, list->unit),
                   false;
        first = first || !list->unit ? first : list;
    }
    inputs->unit = first ? first->unit : NULL;
    return true;
}

/* A conversion rounds: 0.1 inches are 2.54 mm, and 2.54 mm are not quite 0.1 inches. */
static bool same_clearance(const tool_inputs *inputs, const tool_list *a, const tool_list *b)
{
    const char *unit_a = a->unit ? a->unit : inputs->unit, *unit_b = b->unit ? b->unit : inputs->unit;
    return converted(a->clearance, unit_a, unit_b) == b->clearance ||
           converted(b->clearance, unit_b, unit_a) == a->clearance;
}

/* The clearance that lists demand, in the unit of the scene. False after a message. */
static bool agree_on_clearance(tool_inputs *inputs)
{
    const tool_list *first = NULL;
    for (size_t i = 0; i < inputs->list_count; i++)
    {
        const tool_list *list = &inputs->lists[i];
        if (list->demands_clearance && first && !same_clearance(inputs, first, list))
            return tool_fail(inputs->command, "%s has the clearance %g%s, %s has %g%s: add --clearance", first->path,
                             first->clearance, first->unit ? first->unit : "", list->path, list->clearance,
                             list->unit ? list->unit : ""),
                   false;
        first = list->demands_clearance && !first ? list : first;
    }
    inputs->clearance = first ? converted(first->clearance, first->unit, inputs->unit) : 0;
    return true;
}

/* False after a message: a unit of its own is of no use without that of the scene. */
static bool convert_input(const tool_inputs *inputs, tool_input *input)
{
    const char *from = input->list ? inputs->lists[input->list - 1].unit : NULL, *to = inputs->unit;
    if (input->list && input->unit && !to)
        return tool_fail(inputs->command,
                         "%s: %s has its own unit, but the list has none: add a unit to the list, or --unit",
                         inputs->lists[input->list - 1].path, input->name),
               false;
    if (!from || strcmp(from, to) == 0)
        return true;
    carom_vec3 *vectors[2] = {&input->pose.translation, &input->motion.velocity};
    for (int i = 0; i < 2; i++)
        *vectors[i] = (carom_vec3){converted(vectors[i]->x, from, to), converted(vectors[i]->y, from, to),
                                   converted(vectors[i]->z, from, to)};
    input->unit = input->unit ? input->unit : from;
    return true;
}

void tool_settle_lists(tool_inputs *inputs, const char *unit, bool clearance_given)
{
    inputs->unit = unit;
    bool agreed = (unit || agree_on_unit(inputs)) && (clearance_given || agree_on_clearance(inputs));
    for (size_t list = 1; list <= inputs->list_count; list++)
    {
        bool fine = agreed;
        for (size_t i = 0; i < inputs->count && fine; i++)
            fine = inputs->items[i].list != list || convert_input(inputs, &inputs->items[i]);
        if (fine)
            continue;
        leave_out(inputs, list);
        inputs->failed = true;
    }
    for (size_t i = 0; i < inputs->list_count; i++)
        inputs->steps = inputs->lists[i].steps ? inputs->lists[i].steps : inputs->steps;
}

/* ---- all ---- */

bool tool_find_inputs(tool_inputs *inputs, char **paths, int count)
{
    for (int i = 0; i < count; i++)
    {
        struct stat about;
        bool exists = stat(paths[i], &about) == 0, fine;
        if (exists && S_ISDIR(about.st_mode))
            fine = add_folder(inputs, paths[i]);
        else if (tool_is_list(paths[i]))
            fine = add_list(inputs, paths[i]);
        else
            fine = add_input(inputs, paths[i], paths[i]) != NULL;
        if (!fine)
            return tool_fail(inputs->command, "out of memory"), false;
    }
    return true;
}

/* The model that "NAME=VALUE" means, and its value; null after a message. */
static tool_input *find_named(tool_inputs *inputs, const char *option, const char *text, const char **value)
{
    tool_input *found = NULL;
    for (size_t i = 0; i < inputs->count; i++)
    {
        tool_input *input = &inputs->items[i];
        size_t length = strlen(input->name);
        if (strncmp(text, input->name, length) != 0 || text[length] != '=')
            continue;
        if (found)
            return tool_fail(inputs->command, "%s %s: there are several of this name; use its number", option, text),
                   NULL;
        found = input;
        *value = text + length + 1;
    }
    char *end;
    unsigned long number = found || text[0] < '0' || text[0] > '9' ? 0 : strtoul(text, &end, 10);
    if (number >= 1 && number <= inputs->count && *end == '=')
        found = &inputs->items[number - 1], *value = end + 1;
    if (!found)
        tool_fail(inputs->command, "%s %s: no model has this name; write FILE=..., with FILE as given or its number",
                  option, text);
    return found;
}

bool tool_set_poses(tool_inputs *inputs, const char *option, const tool_texts *texts)
{
    for (int i = 0; i < texts->count; i++)
    {
        const char *value;
        tool_input *input = find_named(inputs, option, texts->items[i], &value);
        if (!input)
            return false;
        char message[TOOL_POSE_MESSAGE];
        if (!tool_parse_pose(value, &input->pose, message))
            return tool_fail(inputs->command, "%s %s: %s", option, texts->items[i], message), false;
        if (input->has_pose_option)
            return tool_fail(inputs->command, "%s %s: this model has two poses", option, texts->items[i]), false;
        input->has_pose_option = true;
    }
    return true;
}

bool tool_set_units(tool_inputs *inputs, const char *option, const tool_texts *texts)
{
    for (int i = 0; i < texts->count; i++)
    {
        const char *value;
        tool_input *input = find_named(inputs, option, texts->items[i], &value);
        if (!input || !tool_check_choice(inputs->command, option, TOOL_UNIT, value))
            return false;
        if (input->has_unit_option)
            return tool_fail(inputs->command, "%s %s: this model has two units", option, texts->items[i]), false;
        input->unit = tool_unit_name(tool_find_choice(TOOL_UNIT, value));
        input->has_unit_option = true;
    }
    return true;
}
