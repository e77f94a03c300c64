/* Runs a fuzz program without libFuzzer: on every seed of a folder, and on a few thousand damaged copies of them, the
 * same in each run. It keeps the fuzz programs alive in the ordinary test suite. usage: fuzz_NAME [SEED_FOLDER] */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum
{
    LARGEST_SEED = 1 << 20,
    DAMAGED_COPIES = 200, /* of each seed */
    LARGEST_NOISE = 512
};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* An exact allocation, so that a sanitizer sees one byte read too far. */
static void run_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = calloc(1, size > 0 ? size : 1);
    if (!copy)
        exit(2);
    if (size > 0)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_damaged(uint8_t *data, size_t size, uint64_t *random)
{
    for (int i = 0; i < DAMAGED_COPIES && size > 0; i++)
    {
        size_t at = next_random(random) % size, kept = next_random(random) % 4 == 0 ? at : size;
        uint8_t before = data[at];
        data[at] = (uint8_t)next_random(random);
        run_copy(data, kept);
        data[at] = before;
    }
}

static int run_folder(const char *folder, uint8_t *buffer, uint64_t *random)
{
    DIR *directory = opendir(folder);
    int count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
    {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!file)
            continue;
        size_t size = fread(buffer, 1, LARGEST_SEED, file);
        fclose(file);
        run_copy(buffer, size);
        run_damaged(buffer, size, random);
        count++;
    }
    if (directory)
        closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    uint8_t *buffer = calloc(1, LARGEST_SEED);
    if (!buffer)
        return 2;
    uint64_t random = 88172645463325252u;
    run_copy(buffer, 0);
    for (size_t size = 1; size <= LARGEST_NOISE; size++)
    {
        for (size_t i = 0; i < size; i++)
            buffer[i] = (uint8_t)next_random(&random);
        run_copy(buffer, size);
    }
    int seeds = argc > 1 ? run_folder(argv[1], buffer, &random) : 0;
    printf("%d seeds\n", seeds);
    free(buffer);
    return 0;
}
