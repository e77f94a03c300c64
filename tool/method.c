/* Turns the options of the command line into trees and engines. */
#include "tool/tool.h"

#include <string.h>

static bool is_all(const char *word) { return word && strcmp(word, "all") == 0; }

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
    snprintf(name, sizeof name, "%s %s", carom_volume_name(def.volume), carom_builder_name(def.builder));
    add_method(list, name, def, NULL);
}

static void add_engines(method_list *list, const char *word)
{
    const carom_engine_info *info;
    for (uint32_t i = 0; (info = carom_engine_list(i)) != NULL; i++)
        if ((is_all(word) && info->engine_class == CAROM_CLASS_EXACT) || strcmp(info->name, word) == 0)
        {
            char name[48];
            snprintf(name, sizeof name, "engine %s", info->name);
            add_method(list, name, carom_tree_def_default(), info->name);
        }
}

int tool_methods(const tool_method_options *options, tool_method *out)
{
    method_list list = {out, 0};
    const char *tree = options->tree, *volume = options->volume, *builder = options->builder;
    int one_volume = volume ? tool_find_choice(TOOL_VOLUME, volume) : 0;
    int one_builder = builder ? tool_find_choice(TOOL_BUILDER, builder) : 0;
    bool binary = volume || builder;
    if (tree || is_all(volume) || (!binary && !options->engine))
        add_preset(&list, tree && strcmp(tree, "tight") == 0 ? CAROM_TREE_TIGHT : CAROM_TREE_FAST);
    if (!tree && is_all(volume))
        add_preset(&list, CAROM_TREE_TIGHT);
    for (int v = 0; binary && v < CAROM_VOLUME_COUNT; v++)
        for (int b = 0; b < CAROM_BUILDER_COUNT; b++)
            if ((is_all(volume) || v == one_volume) && (is_all(builder) || b == one_builder))
                add_binary(&list, v, b);
    if (options->engine)
        add_engines(&list, options->engine);
    return list.count;
}
