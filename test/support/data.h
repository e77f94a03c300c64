/* Where the test data is: the folder that CAROM_DATA names, ../shared/data where it names none. */
#ifndef TEST_DATA_H
#define TEST_DATA_H

#include "support/check.h"

#include <stdlib.h>

static inline const char *data_folder(void)
{
    const char *folder = getenv("CAROM_DATA");
    return folder && *folder ? folder : "../shared/data";
}

/* The path of a file or folder of the data; skips the test, saying what is absent and where it was looked for. */
static inline void data_find(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", data_folder(), name);
    FILE *file = fopen(path, "r");
    if (!file)
    {
        print_message("SKIPPED: %s is absent; looked for %s (CAROM_DATA is %s)\n", name, path,
                      getenv("CAROM_DATA") ? getenv("CAROM_DATA") : "not set");
        skip();
    }
    fclose(file);
}

#endif
