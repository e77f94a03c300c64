/* Thousands of damaged files: a model or a clean error, in time and memory bounded by the file's size. */
#include "support/check.h"
#include "support/failing.h"

#include "carom/io.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
    ROUNDS = 60000,
    LARGEST = 8192,
    BYTES_PER_BYTE = 600, /* a face of a few characters becomes triangles with their whole topology */
    BYTES_ALWAYS = 65536
};

static const char obj_seed[] =
    "# comment\no box\nv 0 0 0\nv 1.5e-3 0 0\nv 1 1 0.25 1 1 1\nv 0 1 -0\nv .5 .25 1\ng a\nf 1/1/1 2/2/2 3//3 4\n"
    "f -5 -4 -1\nf 2 3 \\\n 5\nf 3 4 5\np 1 2 3\nl 1 2\nusemtl m\nf 4 1 5\nf 1 2 5 3 4\n";
static const char stl_seed[] =
    "solid cube\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex "
    "0 1 1e-3\n  endloop\n endfacet\n facet normal nan nan nan\n outer loop\n vertex 1 2 3\n "
    "vertex 4 5 6\n vertex 7 8 9.5\n endloop endfacet\nendsolid cube\nsolid x\nendsolid x\n";

static size_t binary_seed(unsigned char *bytes)
{
    uint32_t count = 5;
    memset(bytes, 0, 84);
    memcpy(bytes, "solid binary", 12);
    memcpy(bytes + 80, &count, 4);
    for (uint32_t i = 0; i < count; i++)
    {
        float corners[12] = {0, 0, 1, 0, 0, 0, 1, (float)i, 0, 0, 1, 0};
        memcpy(bytes + 84 + 50 * i, corners, sizeof corners);
        memset(bytes + 84 + 50 * i + 48, 0, 2);
    }
    return 84 + 50 * count;
}

static const char *const nasty[] = {"nan",
                                    "-inf",
                                    "1e999",
                                    "-1",
                                    "0",
                                    "4294967296",
                                    "99999999999999999999",
                                    "/",
                                    "//",
                                    "\\\n",
                                    "\n",
                                    "f 1 2 3 4 5 1 2 3",
                                    "v",
                                    "solid",
                                    "endfacet",
                                    "\xff\xfe",
                                    "\xfe\xff",
                                    "1e-400",
                                    "-2147483648",
                                    "#",
                                    "vertex 1e31 0 0",
                                    "facet",
                                    "0.1.2",
                                    "\r"};

/* One to eight changes; returns the new size. */
static size_t mutate(unsigned char *bytes, size_t size, check_random *random)
{
    for (uint64_t changes = 1 + check_next(random) % 8; changes > 0 && size > 0; changes--)
    {
        size_t at = check_next(random) % size, span = 1 + check_next(random) % 16;
        span = span > size - at ? size - at : span;
        const char *word = nasty[check_next(random) % (sizeof nasty / sizeof *nasty)];
        size_t length = strlen(word);
        switch (check_next(random) % 7)
        {
        case 0: bytes[at] ^= (unsigned char)(1u << check_next(random) % 8); break;
        case 1: bytes[at] = (unsigned char)check_next(random); break;
        case 2: memmove(bytes + at, bytes + at + span, size - at - span), size -= span; break;
        case 3:
            if (size + span < LARGEST)
                memmove(bytes + at + span, bytes + at, size - at), size += span;
            break;
        case 4:
            if (size + length < LARGEST)
            {
                memmove(bytes + at + length, bytes + at, size - at), size += length;
                memcpy(bytes + at, word, length);
            }
            break;
        case 5: size = check_next(random) % 4 == 0 ? at : size; break;
        default:
            if (2 * size < LARGEST && check_next(random) % 8 == 0)
                memcpy(bytes + size, bytes, size), size *= 2;
        }
    }
    return size;
}

static void survives_mutations(void **state)
{
    (void)state;
    failing memory = {0};
    carom_context *context;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    size_t base = memory.bytes_out;
    check_random random = {20};
    int good = 0, bad = 0;
    clock_t start = clock();
    for (int round = 0; round < ROUNDS; round++)
    {
        static unsigned char bytes[LARGEST];
        const char *format = round % 3 == 0 ? "obj" : "stl";
        size_t size = round % 3 == 2 ? binary_seed(bytes) : round % 3 == 0 ? sizeof obj_seed - 1 : sizeof stl_seed - 1;
        if (round % 3 != 2)
            memcpy(bytes, round % 3 == 0 ? obj_seed : stl_seed, size);
        size = mutate(bytes, size, &random);
        /* an exact copy, so that a sanitizer sees the first byte read too far */
        unsigned char *copy = malloc(size ? size : 1);
        memcpy(copy, bytes, size);
        memory.max_bytes_out = memory.bytes_out;
        io_model model;
        carom_status status = io_read_memory(context, copy, size, format, &model);
        io_model_free(&model);
        free(copy);
        if (status != CAROM_OK && status != CAROM_BAD_DATA)
            fail_msg("round %d: %s", round, carom_status_name(status));
        size_t peak = memory.max_bytes_out - base;
        if (peak > BYTES_ALWAYS + BYTES_PER_BYTE * size)
            fail_msg("round %d: %zu bytes for a file of %zu", round, peak, size);
        if (memory.bytes_out != base)
            fail_msg("round %d: %zu bytes leaked", round, (size_t)memory.bytes_out - base);
        good += status == CAROM_OK, bad += status != CAROM_OK;
    }
    print_message("%d models, %d errors\n", good, bad);
    assert_true(good > ROUNDS / 20 && bad > ROUNDS / 4);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 60);
    carom_context_destroy(context);
    assert_int_equal(memory.bytes_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(survives_mutations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
