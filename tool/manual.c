/* carom man and carom completion: the manual and the scripts for shells, from the tables of all commands. */
#include "tool/tool.h"

#include <string.h>

/* Prints the help of each command, and of those below it, in one of its forms. */
static int print_all(const char *form)
{
    const tool_command *command;
    int code = TOOL_CLEAN;
    for (int i = 0; (command = tool_command_at(i)) != NULL; i++)
    {
        char asked[32], below[32];
        snprintf(asked, sizeof asked, "--help=%s", form);
        char *arguments[2] = {asked, asked};
        code = command->run(command, 1, arguments) == TOOL_CLEAN ? code : TOOL_ERROR;
        const char *next = command->run == tool_completion ? NULL : command->below;
        while (next && *next)
        {
            size_t length = strcspn(next, " ");
            snprintf(below, sizeof below, "%.*s", (int)length, next);
            next += length + strspn(next + length, " ");
            snprintf(asked, sizeof asked, "--help=%s", form); /* the command may have packed its arguments */
            arguments[0] = below, arguments[1] = asked;
            code = command->run(command, 2, arguments) == TOOL_CLEAN ? code : TOOL_ERROR;
        }
    }
    return code;
}

int tool_man(const tool_command *command, int argc, char **argv)
{
    tool_arguments arguments = {.command = command};
    int code = tool_parse_all(&arguments, argc, argv);
    if (code >= 0)
        return code;
    printf(".\\\" Printed by `carom man` from the tables of the tool.\n"
           ".TH CAROM 1 \"\" \"carom %s\" \"User Commands\"\n"
           ".SH NAME\ncarom \\- exact collision detection for triangle meshes\n"
           ".SH SYNOPSIS\n.B carom\n.I command\n.RI [ arguments ]\n.RI [ options ]\n"
           ".SH DESCRIPTION\nChecks whether models meet, where, and how far apart they are. Answers are exact and the\n"
           "same on every machine and for every number of threads. Data goes to standard output, everything else to\n"
           "standard error.\n.SH COMMANDS\n",
           carom_version());
    code = print_all("man");
    printf(".SH EXIT STATUS\n.TP\n0\nclean\n.TP\n1\nfindings\n.TP\n2\nerror\n.TP\n3\nnothing was checked\n"
           ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif set and not empty, the output has no colour\n"
           ".TP\n.B CAROM_SIMD\nauto, scalar, sse2 or avx2: the instruction set; answers do not change\n");
    return code;
}

/* ---- completion ---- */

static void print_names(const char *separator)
{
    const tool_command *command;
    for (int i = 0; (command = tool_command_at(i)) != NULL; i++)
        printf("%s%s", i > 0 ? separator : "", command->name);
}

/* Commands of two words: `case` patterns. */
static void print_pairs(void)
{
    const tool_command *command;
    for (int i = 0; (command = tool_command_at(i)) != NULL; i++)
        for (const char *next = command->run == tool_completion ? NULL : command->below; next && *next;)
        {
            size_t length = strcspn(next, " ");
            printf("'%s %.*s' | ", command->name, (int)length, next);
            next += length + strspn(next + length, " ");
        }
    printf("'')");
}

static int print_bash(void)
{
    printf("# Completion of carom for bash, printed by `carom completion bash`.\n"
           "_carom() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
           "    local options='' words='' values='' after=''\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -le 1 ] || { [ \"$command\" = help ] && [ \"$COMP_CWORD\" = 2 ]; }; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W '");
    print_names(" ");
    printf(" help --help --version' -- \"$word\")\n"
           "        return\n"
           "    fi\n"
           "    if [ \"$COMP_CWORD\" -gt 2 ]; then\n"
           "        case \"$command ${COMP_WORDS[2]}\" in\n"
           "        ");
    print_pairs();
    printf(" command=\"$command ${COMP_WORDS[2]}\" ;;\n"
           "        esac\n"
           "    fi\n"
           "    case $command in\n");
    int code = print_all("bash");
    printf("    *) return ;;\n"
           "    esac\n"
           "    case $after in\n"
           "    word) mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\") ;;\n"
           "    text) ;;\n"
           "    *)\n"
           "        if [ -z \"$after\" ] && [ \"${word:0:1}\" = - ]; then\n"
           "            mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
           "        else\n"
           "            compopt -o filenames 2>/dev/null\n"
           "            [ -n \"$after\" ] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
           "            mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$word\")\n"
           "        fi\n"
           "        ;;\n"
           "    esac\n"
           "}\n"
           "complete -F _carom carom\n");
    return code;
}

/* zsh can run what was written for bash. */
static int print_zsh(void)
{
    printf("#compdef carom\n"
           "autoload -U +X compinit bashcompinit && compinit -u 2>/dev/null; bashcompinit\n"
           "mapfile() { # -t [-O N] COMPREPLY\n"
           "    local line first=0\n"
           "    [ \"$2\" != -O ] || first=$3\n"
           "    [ \"$first\" != 0 ] || COMPREPLY=()\n"
           "    while IFS= read -r line; do COMPREPLY+=(\"$line\"); done\n"
           "}\n");
    return print_bash();
}

static int print_fish(void)
{
    const tool_command *command;
    printf("# Completion of carom for fish, printed by `carom completion fish`.\n"
           "function __carom_is\n"
           "    set -l words (commandline -opc)\n"
           "    set -l wanted (count $argv)\n"
           "    test (count $words) -gt $wanted; and test \"$words[2..(math $wanted + 1)]\" = \"$argv\"\n"
           "end\n");
    for (int i = 0; (command = tool_command_at(i)) != NULL; i++)
        printf("complete -c carom -n '__fish_use_subcommand' -f -a %s -d '%s'\n", command->name, command->summary);
    printf("complete -c carom -n '__fish_use_subcommand' -f -a help -d 'explain a command'\n");
    return print_all("fish");
}

int tool_completion(const tool_command *command, int argc, char **argv)
{
    static const struct
    {
        const char *name;
        int (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    tool_arguments arguments = {.command = command};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    for (size_t i = 0; arguments.positional_count == 1 && i < sizeof shells / sizeof *shells; i++)
        if (strcmp(arguments.positional[0], shells[i].name) == 0)
            return shells[i].print();
    return arguments.positional_count == 1
               ? tool_fail(command, "'%s' is not one of bash, zsh, fish", arguments.positional[0])
               : tool_fail(command, "one shell is needed: bash, zsh or fish");
}
