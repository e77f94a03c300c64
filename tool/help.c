/* A command's help from its tables: as text, as a section of the manual, and as what shells complete. */
#include "tool/text.h"
#include "tool/tool.h"

#include <string.h>

enum
{
    HELP_LEFT = 26, /* where an option's text begins */
    HELP_WIDTH = 100
};

/* The i-th option, the common ones after the command's own; null past the last. */
static const tool_option *option_at(const tool_arguments *arguments, int i)
{
    return i < arguments->option_count ? &arguments->options[i]
                                       : tool_common_option(arguments, i - arguments->option_count);
}

/* ---- text ---- */

/* Prints the accepted values below their option, wrapped. */
static void print_choices(tool_option_kind kind)
{
    const char *word = tool_choice(kind, 0);
    if (!word)
        return;
    int column = printf("%*s one of", HELP_LEFT, "");
    for (int i = 0; word; i++)
    {
        const char *next = tool_choice(kind, i + 1);
        if (column + (int)strlen(word) + 2 > HELP_WIDTH)
            column = printf("\n%*s  ", HELP_LEFT, "") - 1;
        column += printf(" %s%s", word, next ? "," : "");
        word = next;
    }
    putchar('\n');
}

static void print_text(const tool_arguments *arguments)
{
    const tool_command *command = arguments->command;
    const tool_option *option;
    printf("usage: carom %s %s%s[options]\n%s\n\n", command->name, command->arguments, *command->arguments ? " " : "",
           command->summary);
    for (int i = 0; (option = option_at(arguments, i)) != NULL; i++)
    {
        char left[48];
        snprintf(left, sizeof left, "%s%s%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        printf("  %-24s %s\n", left, option->help);
        print_choices(option->kind);
    }
    printf("  %-24s %s\n\n%s", "--help", "show this text", command->details);
}

/* ---- the manual ---- */

/* Text as roff understands it: no escapes, no requests, and hyphens that can be searched for. */
static void print_roff(const char *text)
{
    bool line_start = true;
    for (; *text; text++)
    {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        line_start = *text == '\n';
    }
}

static void print_manual(const tool_arguments *arguments)
{
    const tool_command *command = arguments->command;
    const tool_option *option;
    printf(".SS \"carom %s\"\n.B carom %s\n", command->name, command->name);
    print_roff(command->arguments);
    printf("%s[options]\n.PP\n", *command->arguments ? "\n" : "");
    print_roff(command->summary);
    printf("\n");
    for (int i = 0; (option = option_at(arguments, i)) != NULL; i++)
    {
        printf(".TP\n.B ");
        print_roff(option->name);
        if (option->value)
            printf(" \\fI%s\\fR", option->value);
        putchar('\n');
        print_roff(option->help);
        putchar('\n');
        const char *word;
        for (int k = 0; (word = tool_choice(option->kind, k)) != NULL; k++)
        {
            fputs(k == 0 ? "(one of " : ", ", stdout);
            print_roff(word);
            fputs(tool_choice(option->kind, k + 1) ? "" : ")\n", stdout);
        }
    }
    printf(".PP\n.nf\n");
    print_roff(command->details);
    printf(".fi\n");
}

/* ---- shells ---- */

static bool takes_file(tool_option_kind kind) { return kind == TOOL_FILE; }

/* One branch of the script's `case`: the options, and what may follow each. */
static void print_bash(const tool_arguments *arguments)
{
    const tool_option *option;
    printf("    '%s')\n        options='", arguments->command->name);
    for (int i = 0; (option = option_at(arguments, i)) != NULL; i++)
        printf("%s ", option->name);
    printf("--help'\n");
    const char *word;
    printf("        words='%s", arguments->command->below ? arguments->command->below : "");
    for (int k = 0; (word = tool_choice(arguments->command->words, k)) != NULL; k++)
        printf("%s ", word);
    printf("'\n        case $before in\n");
    for (int i = 0; (option = option_at(arguments, i)) != NULL; i++)
    {
        if (option->kind == TOOL_FLAG)
            continue;
        printf("        %s) after=%s values='", option->name,
               takes_file(option->kind)       ? "file"
               : tool_choice(option->kind, 0) ? "word"
                                              : "text");
        for (int k = 0; (word = tool_choice(option->kind, k)) != NULL; k++)
            printf("%s ", word);
        printf("' ;;\n");
    }
    printf("        esac\n        ;;\n");
}

/* 'it'\''s' */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        *text == '\'' ? fputs("\\'", stdout) : *text == '\\' ? fputs("\\\\", stdout) : putchar(*text);
    putchar('\'');
}

static void print_fish(const tool_arguments *arguments)
{
    const tool_option *option;
    const char *name = arguments->command->name, *word;
    for (int i = 0; (option = option_at(arguments, i)) != NULL; i++)
    {
        bool is_long = strncmp(option->name, "--", 2) == 0;
        printf("complete -c carom -n '__carom_is %s' %s %s", name, is_long ? "-l" : "-s",
               option->name + (is_long ? 2 : 1));
        if (option->kind != TOOL_FLAG)
            printf(" -r%s", takes_file(option->kind) ? "F" : "f");
        if (tool_choice(option->kind, 0))
            printf(" -a '");
        for (int k = 0; (word = tool_choice(option->kind, k)) != NULL; k++)
            printf("%s%s", word, tool_choice(option->kind, k + 1) ? " " : "'");
        printf(" -d ");
        print_quoted(option->help);
        putchar('\n');
    }
    for (int k = 0; (word = tool_choice(arguments->command->words, k)) != NULL; k++)
        printf("complete -c carom -n '__carom_is %s' -a %s\n", name, word);
    if (arguments->command->below)
        printf("complete -c carom -n '__carom_is %s' -a '%s'\n", name, arguments->command->below);
}

int tool_help(const tool_arguments *arguments, const char *form)
{
    static const struct
    {
        const char *name;
        void (*print)(const tool_arguments *arguments);
    } forms[] = {{"", print_text}, {"man", print_manual}, {"bash", print_bash}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(form, forms[i].name) == 0)
            return forms[i].print(arguments), TOOL_CLEAN;
    return tool_fail(arguments->command, "--help takes no value");
}
