#include "tool/tool.h"
int tool_sim(const tool_command *command, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return tool_fail(command, "x");
}
