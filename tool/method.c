/* Which trees and engines answer: from the words of the command line to a list of methods. */
#include "tool/tool.h"

#include <string.h>

static bool is_all(const char *word) { return word && strcmp(word, "all") == 0; }

static int find_name(const char *(*name_of)(int), int count, const char *word)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name_of(i), word) == 0)
            return i;
    return -1;
}

static const char *volume_name(int i) { return carom_volume_name((carom_volume)i); }
static const char *builder_name(int i) { return carom_builder_name((carom_builder)i); }

typedef struct method_list
{
    tool_method *items;
    int count;
} method_list;

static void add_method(method_list *list, const char *name, carom_tree_def def, const char *engine)
{
    if (list->count == TOOL_METHOD_LIMIT)
        return;
    tool_method *method = &list->items[list->count++];
    *method = (tool_method){.def = def, .engine = engine};
    snprintf(method->name, sizeof method->name, "%s", name);
}

static void add_preset(method_list *list, carom_tree_preset preset)
{
    add_method(list, preset == CAROM_TREE_TIGHT ? "wide tight" : "wide fast", carom_tree_def_preset(preset), NULL);
}

static void add_binary(method_list *list, int volume, int builder)
{
    carom_tree_def def = carom_tree_def_default();
    def.layout = CAROM_LAYOUT_BINARY;
    def.volume = (carom_volume)volume;
    def.builder = (carom_builder)builder;
    char name[48];
    snprintf(name, sizeof name, "%s %s", volume_name(volume), builder_name(builder));
    add_method(list, name, def, NULL);
}

static bool add_engines(const tool_command *command, const char *word, method_list *list)
{
    int before = list->count;
    const carom_engine_info *info;
    for (uint32_t i = 0; (info = carom_engine_list(i)) != NULL; i++)
        if (is_all(word) || strcmp(info->name, word) == 0)
        {
            char name[48];
            snprintf(name, sizeof name, "engine %s", info->name);
            add_method(list, name, carom_tree_def_default(), info->name);
        }
    if (list->count > before)
        return true;
    char known[128] = "all";
    for (uint32_t i = 0; (info = carom_engine_list(i)) != NULL; i++)
    {
        strncat(known, ", ", sizeof known - strlen(known) - 1);
        strncat(known, info->name, sizeof known - strlen(known) - 1);
    }
    tool_fail(command, "--engine: '%s' is none of %s", word, known);
    return false;
}

/* Names the words there are. */
static int unknown_word(const tool_command *command, const char *option, const char *word, const char *(*name_of)(int),
                        int count)
{
    char known[256] = "all";
    for (int i = 0; i < count; i++)
    {
        strncat(known, ", ", sizeof known - strlen(known) - 1);
        strncat(known, name_of(i), sizeof known - strlen(known) - 1);
    }
    tool_fail(command, "%s: '%s' is none of %s", option, word, known);
    return 0;
}

int tool_methods(const tool_command *command, const tool_method_options *options, tool_method *out)
{
    method_list list = {out, 0};
    const char *tree = options->tree, *volume = options->volume, *builder = options->builder;
    if (tree && strcmp(tree, "fast") != 0 && strcmp(tree, "tight") != 0)
        return tool_fail(command, "--tree: '%s' is neither fast nor tight", tree), 0;
    int one_volume = volume && !is_all(volume) ? find_name(volume_name, CAROM_VOLUME_COUNT, volume) : 0;
    int one_builder = builder && !is_all(builder) ? find_name(builder_name, CAROM_BUILDER_COUNT, builder) : 0;
    if (one_volume < 0)
        return unknown_word(command, "--volume", volume, volume_name, CAROM_VOLUME_COUNT);
    if (one_builder < 0)
        return unknown_word(command, "--builder", builder, builder_name, CAROM_BUILDER_COUNT);

    bool binary = volume || builder;
    if (tree || is_all(volume) || (!binary && !options->engine))
        add_preset(&list, tree && strcmp(tree, "tight") == 0 ? CAROM_TREE_TIGHT : CAROM_TREE_FAST);
    if (!tree && is_all(volume))
        add_preset(&list, CAROM_TREE_TIGHT);
    for (int v = 0; binary && v < CAROM_VOLUME_COUNT; v++)
        for (int b = 0; b < CAROM_BUILDER_COUNT; b++)
            if ((is_all(volume) || v == one_volume) && (is_all(builder) || b == one_builder))
                add_binary(&list, v, b);
    if (options->engine && !add_engines(command, options->engine, &list))
        return 0;
    return list.count;
}
