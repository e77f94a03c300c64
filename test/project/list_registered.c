/* Prints what the library registers, one per line, for scripts/check_readme: "engine tree exact", "broad tree",
 * "format stl". */
#include "carom/carom.h"
#include "carom/io.h"

#include <stdio.h>

int main(void)
{
    static const char *const classes[] = {"exact", "conservative", "sampled"};
    const carom_engine_info *engine;
    for (uint32_t i = 0; (engine = carom_engine_list(i)) != NULL; i++)
        printf("engine %s %s\n", engine->name, classes[engine->engine_class]);
    const carom_broad_info *broad;
    for (uint32_t i = 0; (broad = carom_broad_list(i)) != NULL; i++)
        printf("broad %s\n", broad->name);
    const io_format_info *format;
    for (uint32_t i = 0; (format = io_format_list(i)) != NULL; i++)
        printf("format %s\n", format->name);
    return 0;
}
