/* The values of options that take one of a list; each list comes from its owner. */
#include "scenes/generate.h"
#include "scenes/scenes.h"
#include "tool/crowd.h"
#include "tool/text.h"
#include "tool/tool.h"

#include <string.h>

static const char *tree_word(int i)
{
    static const char *const words[] = {"fast", "tight"};
    return i < (int)(sizeof words / sizeof *words) ? words[i] : NULL;
}

static const char *volume_word(int i) { return carom_volume_name((carom_volume)i); }
static const char *builder_word(int i) { return carom_builder_name((carom_builder)i); }

static const char *engine_word(int i)
{
    const carom_engine_info *info = carom_engine_list((uint32_t)i);
    return info ? info->name : NULL;
}

static const char *broad_word(int i)
{
    const carom_broad_info *info = carom_broad_list((uint32_t)i);
    return info ? info->name : NULL;
}

static const char *shape_word(int i)
{
    return i < GENERATE_KIND_COUNT ? generate_get_info((generate_kind)i)->name : NULL;
}

static const char *scene_word(int i)
{
    const scenes_info *info = scenes_get_info((uint32_t)i);
    return info ? info->name : NULL;
}

static const char *crowd_word(int i)
{
    const crowd_info *info = crowd_get_info((uint32_t)i);
    return info ? info->name : NULL;
}

static const char *(*const lists[TOOL_KIND_COUNT])(int) = {
    [TOOL_UNIT] = tool_unit_name,   [TOOL_TREE] = tree_word,      [TOOL_VOLUME] = volume_word,
    [TOOL_BUILDER] = builder_word,  [TOOL_ENGINE] = engine_word,  [TOOL_VOLUMES] = volume_word,
    [TOOL_BUILDERS] = builder_word, [TOOL_ENGINES] = engine_word, [TOOL_SHAPE] = shape_word,
    [TOOL_SCENE] = scene_word,      [TOOL_BROAD] = broad_word,    [TOOL_CROWD] = crowd_word};

static bool takes_all(tool_option_kind kind)
{
    return kind == TOOL_VOLUMES || kind == TOOL_BUILDERS || kind == TOOL_ENGINES;
}

const char *tool_choice(tool_option_kind kind, int i)
{
    if (!lists[kind] || i < 0)
        return NULL;
    const char *word = lists[kind](i);
    if (!word && takes_all(kind) && (i == 0 || lists[kind](i - 1)))
        return "all";
    return word;
}

int tool_find_choice(tool_option_kind kind, const char *word)
{
    const char *known;
    for (int i = 0; (known = tool_choice(kind, i)) != NULL; i++)
        if (strcmp(known, word) == 0)
            return i;
    return -1;
}

static const char *choice_at(const void *list, int i) { return tool_choice(*(const tool_option_kind *)list, i); }

bool tool_check_choice(const tool_command *command, const char *what, tool_option_kind kind, const char *word)
{
    if (tool_find_choice(kind, word) >= 0)
        return true;
    fprintf(stderr, "carom %s: %s: '", command->name, what);
    text_print_safe(stderr, word);
    fprintf(stderr, "' is not one of");
    const char *known;
    for (int i = 0; (known = tool_choice(kind, i)) != NULL; i++)
        fprintf(stderr, "%s %s", i > 0 ? "," : "", known);
    const char *meant = text_nearest(word, choice_at, &kind);
    if (meant)
        fprintf(stderr, "; did you mean '%s'?", meant);
    fputc('\n', stderr);
    return false;
}
