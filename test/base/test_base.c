/* The foundation: sorting, ids, arenas, budgets, the stopwatch, messages, hashes, and what a context refuses. */
#include "base/allocator.h"
#include "base/base.h"
#include "support/variable.h"

#include <stdlib.h>

static carom_context *make_context(void)
{
    carom_context *context = NULL;
    assert_int_equal(carom_context_create(NULL, &context), CAROM_OK);
    return context;
}

static void sorts_like_qsort_and_keeps_equal_keys_in_order(void **state)
{
    (void)state;
    check_random random = {7};
    for (size_t count = 0; count < 3000; count = count * 2 + 1)
    {
        base_key_value *items = calloc(count + 1, sizeof *items), *scratch = calloc(count + 1, sizeof *items);
        for (size_t i = 0; i < count; i++)
            items[i] = (base_key_value){check_next(&random) >> (check_next(&random) % 64), i};
        base_sort_keys(items, scratch, count);
        for (size_t i = 1; i < count; i++)
        {
            assert_true(items[i - 1].key <= items[i].key);
            if (items[i - 1].key == items[i].key)
                assert_true(items[i - 1].value < items[i].value);
        }
        free(items), free(scratch);
    }
}

/* The upper half decides; the lower half tells where an item was. */
static bool upper_before(uint64_t a, uint64_t b, void *user)
{
    ++*(uint64_t *)user;
    return a >> 32 < b >> 32;
}

static void merges_keep_equal_items_in_order(void **state)
{
    (void)state;
    check_random random = {8};
    for (size_t count = 0; count < 3000; count = count * 2 + 1)
        for (uint64_t modulus = 1; modulus < 5000; modulus *= 17)
        {
            base_key_value *items = calloc(count + 1, sizeof *items), *scratch = calloc(count + 1, sizeof *items);
            for (size_t i = 0; i < count; i++)
                items[i] = (base_key_value){i, check_next(&random) % modulus << 32 | i};
            uint64_t comparisons = 0;
            base_sort_by(items, scratch, count, upper_before, &comparisons);
            for (size_t i = 1; i < count; i++)
                assert_true(items[i - 1].value < items[i].value);
            for (size_t i = 0; i < count; i++) /* keys go with values */
                assert_true(items[i].key == (items[i].value & UINT32_MAX));
            assert_true(comparisons <= 12 * count);
            free(items), free(scratch);
        }
}

/* Codes of 24 bits, in place. */
static void check_short_codes(carom_context *context, uint32_t count, uint64_t modulus)
{
    check_random random = {count + modulus};
    uint64_t *items = calloc(count + 1, sizeof *items), *scratch = calloc(count + 1, sizeof *items), sum = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        items[i] = (check_next(&random) % modulus & 0xffffff) << 32 | i;
        sum += items[i] * items[i];
    }
    items[count] = scratch[count] = 42;
    base_sort_short_codes(context, items, scratch, count);
    for (uint32_t i = 0; i < count; i++)
    {
        sum -= items[i] * items[i];
        assert_true(i == 0 || items[i - 1] < items[i]);
    }
    assert_int_equal(sum, 0);
    assert_true(items[count] == 42 && scratch[count] == 42);
    free(items), free(scratch);
}

/* Codes that are spread, few, equal and ascending; from one item to several blocks. */
static void sorts_codes_alike_on_any_number_of_workers(void **state)
{
    (void)state;
    static const uint32_t COUNTS[] = {0, 1, 2, 63, 64, 65, 4095, 8192, 40000}, WORKERS[] = {0, 2, 3, 32};
    check_random random = {11};
    for (size_t w = 0; w < sizeof WORKERS / sizeof *WORKERS; w++)
    {
        carom_context_def def = carom_context_def_default();
        def.workers = WORKERS[w];
        carom_context *context;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        for (size_t k = 0; k < 4 * sizeof COUNTS / sizeof *COUNTS; k++)
        {
            uint32_t count = COUNTS[k / 4];
            const uint64_t modulus[4] = {(uint64_t)1 << 30, 5, 1, (uint64_t)1 << 21};
            uint64_t *items = calloc(count + 1, sizeof *items), *sorted = calloc(count + 1, sizeof *items);
            uint64_t sum = 0;
            for (uint32_t i = 0; i < count; i++)
            {
                items[i] = check_next(&random) % modulus[k % 4] << 32 | i;
                sum += items[i] * items[i];
            }
            sorted[count] = 42;
            base_sort_codes(context, items, sorted, count);
            for (uint32_t i = 0; i < count; i++)
            {
                sum -= sorted[i] * sorted[i];
                assert_true(i == 0 || sorted[i - 1] < sorted[i]); /* equal codes: in the order they came in */
            }
            assert_int_equal(sum, 0);
            assert_int_equal(sorted[count], 42);
            check_short_codes(context, count, modulus[k % 4]);
            free(items), free(sorted);
        }
        carom_context_destroy(context);
    }
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Whichever bits vary: all, a few with gaps between them, the lowest, the highest, none. */
static void sorts_words_like_qsort_on_any_number_of_workers(void **state)
{
    (void)state;
    static const uint32_t COUNTS[] = {0, 1, 100, 8191, 8192, 50000}, WORKERS[] = {0, 2, 5, 32};
    static const uint64_t MASKS[] = {~(uint64_t)0, 0x0007ffff0007ffff, 3, (uint64_t)3 << 62, 0x8000000000000001, 0};
    check_random random = {12};
    for (size_t w = 0; w < sizeof WORKERS / sizeof *WORKERS; w++)
    {
        carom_context_def def = carom_context_def_default();
        def.workers = WORKERS[w];
        carom_context *context;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        for (size_t k = 0; k < 6 * sizeof COUNTS / sizeof *COUNTS; k++)
        {
            uint32_t count = COUNTS[k / 6];
            uint64_t *items = calloc(count + 1, sizeof *items), *expected = calloc(count + 1, sizeof *items);
            uint64_t *scratch = calloc(count + 1, sizeof *items);
            for (uint32_t i = 0; i < count; i++)
                items[i] = expected[i] = (check_next(&random) & MASKS[k % 6]) | (0x5555555555555555 & ~MASKS[k % 6]);
            qsort(expected, count, sizeof *expected, compare_words);
            base_sort_words(context, items, scratch, count);
            assert_memory_equal(items, expected, (count + 1) * sizeof *items);
            free(items), free(expected), free(scratch);
        }
        carom_context_destroy(context);
    }
}

/* Lists of which a part at the beginning is sorted, up to all of it, with words that occur several times. */
static void sorts_words_behind_sorted_ones(void **state)
{
    (void)state;
    static const size_t COUNTS[] = {2, 31, 32, 33, 63, 64, 1000, 20000};
    static const uint64_t MASKS[] = {0x1f, 0x3ff000003ff, ~(uint64_t)0};
    check_random random = {13};
    for (size_t k = 0; k < 3 * sizeof COUNTS / sizeof *COUNTS; k++)
        for (size_t eighths = 0; eighths <= 8; eighths++)
        {
            size_t count = COUNTS[k / 3], sorted = count * eighths / 8;
            uint64_t *items = calloc(count + 1, sizeof *items), *expected = calloc(count + 1, sizeof *items);
            uint64_t *scratch = calloc(count + 1, sizeof *items);
            for (size_t i = 0; i < count; i++)
                items[i] = check_next(&random) & MASKS[k % 3];
            qsort(items, sorted, sizeof *items, compare_words);
            memcpy(expected, items, count * sizeof *items);
            qsort(expected, count, sizeof *expected, compare_words);
            items[count] = expected[count] = scratch[count] = 42;
            base_sort_u64(items, scratch, count);
            assert_memory_equal(items, expected, (count + 1) * sizeof *items);
            assert_int_equal(scratch[count], 42);
            free(items), free(expected), free(scratch);
        }
}

enum
{
    MEGABYTE = 1 << 20
};

static char *written_block(carom_context *context, size_t size)
{
    char *block = base_allocate(context, size, 1, BASE_CACHE_LINE);
    assert_non_null(block);
    memset(block, 1, size);
    return block;
}

/* A context without an allocator of its own gives released blocks out again, to requests that fill at least half of
 * them, and the smallest one first; a block stays as large as it was. */
static void large_blocks_are_used_again(void **state)
{
    (void)state;
    carom_context *context = make_context();
    char *blocks[2];
    const size_t sizes[2] = {20 * MEGABYTE, 10 * MEGABYTE};
    for (int i = 0; i < 2; i++)
        blocks[i] = written_block(context, sizes[i]);
    for (int i = 0; i < 2; i++)
        base_release(context, blocks[i], sizes[i], 1);
    char *small = written_block(context, 3 * MEGABYTE); /* would waste either */
    assert_true(!BASE_KEEPS_SPARE || (small != blocks[0] && small != blocks[1]));
    char *middle = written_block(context, 9 * MEGABYTE), *large = written_block(context, 11 * MEGABYTE);
    assert_true((middle == blocks[1] && large == blocks[0]) == BASE_KEEPS_SPARE);
    base_release(context, large, 11 * MEGABYTE, 1);
    large = written_block(context, 20 * MEGABYTE);
    assert_true((large == blocks[0]) == BASE_KEEPS_SPARE);
    base_release(context, small, 3 * MEGABYTE, 1);
    base_release(context, middle, 9 * MEGABYTE, 1);
    base_release(context, large, 20 * MEGABYTE, 1);
    carom_context_destroy(context);
}

/* Of what is kept, the oldest blocks go first, by number and by size. */
static void old_blocks_are_given_back(void **state)
{
    (void)state;
    carom_context *context = make_context();
    char *blocks[BASE_SPARE_BLOCKS + 2];
    for (int i = 0; i < BASE_SPARE_BLOCKS + 2; i++)
        blocks[i] = written_block(context, 2 * MEGABYTE);
    for (int i = 0; i < BASE_SPARE_BLOCKS + 2; i++)
        base_release(context, blocks[i], 2 * MEGABYTE, 1);
    assert_int_equal(context->spare.count, BASE_KEEPS_SPARE ? BASE_SPARE_BLOCKS : 0);
    if (BASE_KEEPS_SPARE)
        assert_ptr_equal(context->spare.blocks[0].memory, blocks[2]);
    const size_t sizes[] = {150 * (size_t)MEGABYTE, 100 * (size_t)MEGABYTE, 120 * (size_t)MEGABYTE};
    for (int i = 0; i < 3; i++)
    {
        blocks[i] = base_allocate(context, sizes[i], 1, BASE_CACHE_LINE);
        assert_non_null(blocks[i]);
    }
    for (int i = 0; i < 3; i++)
        base_release(context, blocks[i], sizes[i], 1);
    assert_int_equal(context->spare.count, BASE_KEEPS_SPARE ? 2 : 0);
    assert_true(context->spare.size <= 256 * (size_t)MEGABYTE);
    const size_t huge = 300 * (size_t)MEGABYTE;
    char *untouched = base_allocate(context, huge, 1, BASE_CACHE_LINE);
    assert_non_null(untouched);
    base_release(context, untouched, huge, 1);
    assert_int_equal(context->spare.count, BASE_KEEPS_SPARE ? 2 : 0);
    carom_context_destroy(context);
}

/* What was allocated since a mark is used again, and reserved memory is in one piece. */
static void arenas_rewind_to_a_mark(void **state)
{
    (void)state;
    carom_context *context = make_context();
    base_arena arena = {.context = context};
    assert_true(base_arena_reserve(&arena, 1000, 100));
    char *kept = base_arena_allocate(&arena, 10, 1, 1);
    memset(kept, 7, 10);
    base_arena_mark mark = base_arena_at(&arena);
    char *first = base_arena_allocate(&arena, 60000, 1, BASE_CACHE_LINE);
    char *second = base_arena_allocate(&arena, 30000, 1, BASE_CACHE_LINE);
    assert_true(second >= first + 60000 && second <= first + 60000 + BASE_CACHE_LINE);
    assert_non_null(base_arena_allocate(&arena, 5000000, 1, BASE_CACHE_LINE)); /* a block of its own, gone below */
    base_arena_rewind(&arena, mark);
    assert_ptr_equal(base_arena_allocate(&arena, 60000, 1, BASE_CACHE_LINE), first);
    for (int i = 0; i < 10; i++)
        assert_int_equal(kept[i], 7);
    assert_false(base_arena_reserve(&arena, SIZE_MAX, 2));
    base_arena_free(&arena);
    assert_null(arena.first);
    carom_context_destroy(context);
}

static void ids_are_reused_with_a_new_generation(void **state)
{
    (void)state;
    carom_context *context = make_context();
    base_id_pool pool = {.context = context};
    uint32_t index, generation, index2, generation2;
    assert_true(base_id_new(&pool, &index, &generation));
    assert_int_equal(index, 1);
    assert_true(base_id_valid(&pool, index, generation));
    base_id_free(&pool, index);
    assert_false(base_id_valid(&pool, index, generation));
    assert_true(base_id_new(&pool, &index2, &generation2));
    assert_int_equal(index2, index);
    assert_int_not_equal(generation2, generation);
    assert_false(base_id_valid(&pool, index, generation));
    assert_false(base_id_valid(&pool, 0, 0));
    assert_false(base_id_valid(&pool, 99, 1));
    base_id_pool_free(&pool);
    carom_context_destroy(context);
}

static void arenas_keep_alignment_and_contents(void **state)
{
    (void)state;
    carom_context *context = make_context();
    base_arena arena = {.context = context};
    unsigned char *blocks[200];
    for (size_t i = 0; i < 200; i++)
    {
        size_t alignment = (size_t)1 << (i % 7);
        blocks[i] = base_arena_allocate(&arena, i * 13 + 1, 1, alignment);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % alignment, 0);
        memset(blocks[i], (int)i, i * 13 + 1);
    }
    for (size_t i = 0; i < 200; i++)
        for (size_t j = 0; j < i * 13 + 1; j++)
            assert_int_equal(blocks[i][j], (unsigned char)i);
    base_arena_free(&arena);
    carom_context_destroy(context);
}

static void a_budget_stops_after_its_work(void **state)
{
    (void)state;
    base_budget budget = base_budget_begin(&(carom_budget){.work = 100});
    int spent = 0;
    while (base_budget_spend(&budget, 7))
        spent += 7;
    assert_int_equal(spent, 98);
    assert_true(budget.exhausted);
    assert_false(base_budget_spend(&budget, 1));
    budget = base_budget_begin(&(carom_budget){.seconds = 0.01});
    double start = base_now();
    while (base_budget_spend(&budget, 1) && base_now() < start + 5.0)
        ;
    assert_true(budget.exhausted);
}

/* To the unit: with a deadline, which takes another path, and without. The first step is granted, whatever it takes. */
static void a_budget_is_spent_to_the_last_unit(void **state)
{
    (void)state;
    for (int timed = 0; timed < 2; timed++)
        for (uint32_t work = 1; work < 20; work++)
            for (uint32_t step = 1; step < 25; step++)
            {
                const carom_budget limits = {.seconds = timed ? 1000.0 : 0.0, .work = work};
                base_budget budget = base_budget_begin(&limits);
                uint32_t granted = 0, expected = work / step > 0 ? work / step : 1;
                while (granted < 100 && base_budget_spend(&budget, step))
                    granted++;
                assert_int_equal(granted, expected);
                assert_true(budget.exhausted);
                assert_false(base_budget_spend(&budget, 1));
            }
    base_budget spent = {.work_left = 0};
    assert_false(base_budget_spend(&spent, 1));
}

static void a_stopwatch_agrees_with_the_clock(void **state)
{
    (void)state;
    carom_context *context = make_context();
    base_watch watches[2] = {base_watch_create(context), {0.0}}; /* what the processor has, and the clock */
    for (int i = 0; i < 2; i++)
    {
        double outside = base_now();
        uint64_t start = base_watch_start(&watches[i]);
        double inside = base_now(), clock;
        do
            clock = base_now() - inside;
        while (clock < 0.005);
        double watch = base_watch_read(&watches[i], start);
        outside = base_now() - outside;
        assert_true(watch > 0.99 * clock && watch < 1.01 * outside);
    }
    base_watch backwards = {1e-9}; /* counters of two processors may differ a little */
    assert_true(base_watch_read(&backwards, UINT64_MAX) == 0.0);
    carom_context_destroy(context);
}

/* After a suspension, or if the counter restarted, two readings give no rate: the clock is used. */
static void a_stopwatch_trusts_only_a_counter_that_kept_up(void **state)
{
    (void)state;
    carom_context *context = make_context();
    if (!context->has_counter)
    {
        print_message("SKIPPED: this processor has no counter of constant rate\n");
        carom_context_destroy(context);
        skip();
    }
    base_moment created = context->created;
    base_watch watch = {0.0};
    for (int attempt = 0; attempt < 1000 && watch.rate == 0.0; attempt++) /* readings may be interrupted */
    {
        created = context->created = base_moment_now();
        watch = base_watch_create(context);
    }
    assert_true(watch.rate > 0.0);
    context->created.asleep -= UINT64_C(3600000000000);
    context->created.counter -= UINT64_C(3600000000000);
    assert_true(base_watch_create(context).rate == 0.0);
    context->created = created;
    context->created.counter += UINT64_C(3600000000000);
    assert_true(base_watch_create(context).rate == 0.0);
    carom_context_destroy(context);
}

static void messages_name_the_culprit_and_survive_short_buffers(void **state)
{
    (void)state;
    carom_context *context = make_context();
    char small[5];
    assert_int_equal(carom_context_message(context, small, sizeof small), 0);
    assert_int_equal(base_fail(context, CAROM_BAD_DATA, "triangle %d", 17), CAROM_BAD_DATA);
    assert_int_equal(carom_context_message(context, small, sizeof small), 11);
    assert_string_equal(small, "tria");
    carom_context_destroy(context);
}

static void hashes_differ_where_one_bit_does(void **state)
{
    (void)state;
    base_hash a = base_hash_begin(), b = base_hash_begin();
    base_hash_u64(&a, 1), base_hash_u64(&b, 3);
    assert_true(base_hash_end(&a) != base_hash_end(&b));
    base_hash zero = base_hash_begin(), minus_zero = base_hash_begin();
    base_hash_double(&zero, 0.0), base_hash_double(&minus_zero, -0.0);
    assert_true(base_hash_end(&zero) == base_hash_end(&minus_zero));
}

typedef struct log_notes
{
    int count;
    carom_log_level level;
    char message[256];
} log_notes;

static void note_log(carom_log_level level, const char *message, void *user)
{
    log_notes *notes = user;
    notes->count++, notes->level = level;
    snprintf(notes->message, sizeof notes->message, "%s", message);
}

/* What a context chooses when the environment says this, and what it logs. */
static carom_simd simd_under(const char *word, log_notes *notes)
{
    variable chosen = variable_set("CAROM_SIMD", word);
    *notes = (log_notes){0};
    carom_context_def def = carom_context_def_default();
    def.log = note_log, def.log_user = notes;
    carom_context *context = NULL;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    carom_simd simd = carom_context_simd(context);
    carom_context_destroy(context);
    variable_restore(&chosen);
    return simd;
}

static void an_unknown_instruction_set_is_a_warning(void **state)
{
    (void)state;
    log_notes notes;
    carom_simd usual = simd_under("", &notes); /* an empty value counts as unset */
    assert_int_equal(notes.count, 0);
    assert_int_equal(simd_under("scalar", &notes), CAROM_SIMD_SCALAR);
    assert_int_equal(notes.count, 0);
    simd_under("auto", &notes);
    assert_int_equal(notes.count, 0);
    assert_int_equal(simd_under("avx512", &notes), usual);
    assert_int_equal(notes.count, 1);
    assert_int_equal(notes.level, CAROM_LOG_WARNING);
    assert_non_null(strstr(notes.message, "'avx512' is not one of auto, scalar, sse2, avx2"));
}

/* An allocator that works, for defs that name half of it. */
static void *allocate_plainly(size_t size, size_t alignment, void *user)
{
    (void)user;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release_plainly(void *memory, size_t size, void *user)
{
    (void)size, (void)user;
    free(memory);
}

static void half_an_allocator_is_refused(void **state)
{
    (void)state;
    const struct
    {
        carom_allocator allocator;
        carom_status expected;
        const char *culprit;
    } cases[] = {{{allocate_plainly, NULL, NULL}, CAROM_INVALID_ARGUMENT, "allocator.release is null"},
                 {{NULL, release_plainly, NULL}, CAROM_INVALID_ARGUMENT, "allocator.allocate is null"},
                 {{allocate_plainly, release_plainly, NULL}, CAROM_OK, ""},
                 {{NULL, NULL, NULL}, CAROM_OK, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        log_notes notes = {0};
        carom_context *context = NULL;
        carom_context_def def = {.allocator = cases[i].allocator, .log = note_log, .log_user = &notes};
        assert_int_equal(carom_context_create(&def, &context), cases[i].expected);
        assert_true((context != NULL) == (cases[i].expected == CAROM_OK));
        assert_int_equal(notes.count, cases[i].expected != CAROM_OK);
        assert_non_null(strstr(notes.message, cases[i].culprit));
        carom_context_destroy(context);
    }
    assert_int_equal(carom_context_create(NULL, NULL), CAROM_INVALID_ARGUMENT);
}

/* The default def must not supply the other half. */
static void half_an_allocator_in_the_default_def_is_refused(void **state)
{
    (void)state;
    carom_context *context = NULL;
    carom_context_def def = carom_context_def_default();
    def.allocator.allocate = allocate_plainly;
    assert_int_equal(carom_context_create(&def, &context), CAROM_INVALID_ARGUMENT);
    def = carom_context_def_default();
    def.allocator.release = release_plainly;
    assert_int_equal(carom_context_create(&def, &context), CAROM_INVALID_ARGUMENT);
    assert_null(context);
}

static void answers_are_no_failures(void **state)
{
    (void)state;
    const carom_status answers[] = {CAROM_OK, CAROM_TRUNCATED, CAROM_UNKNOWN, CAROM_STOPPED};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        assert_false(carom_failed(answers[i]));
    for (int status = CAROM_FIRST_ERROR; status <= CAROM_CANCELLED; status++)
        assert_true(carom_failed((carom_status)status));
}

static void every_status_has_its_own_name(void **state)
{
    (void)state;
    assert_string_equal(carom_status_name(CAROM_BUSY), "BUSY");
    assert_string_equal(carom_status_name(CAROM_STALE_FRAME), "STALE_FRAME");
    assert_string_equal(carom_status_name(CAROM_UNAVAILABLE), "UNAVAILABLE");
    assert_string_equal(carom_status_name(CAROM_CANCELLED), "CANCELLED");
    const char *unknown = carom_status_name((carom_status)(CAROM_CANCELLED + 1));
    assert_string_equal(unknown, "INVALID_STATUS");
    for (int a = CAROM_FIRST_ERROR; a <= CAROM_CANCELLED; a++)
    {
        assert_string_not_equal(carom_status_name((carom_status)a), unknown);
        for (int b = CAROM_FIRST_ERROR; b < a; b++)
            assert_string_not_equal(carom_status_name((carom_status)a), carom_status_name((carom_status)b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_like_qsort_and_keeps_equal_keys_in_order),
        cmocka_unit_test(merges_keep_equal_items_in_order),
        cmocka_unit_test(sorts_codes_alike_on_any_number_of_workers),
        cmocka_unit_test(sorts_words_like_qsort_on_any_number_of_workers),
        cmocka_unit_test(sorts_words_behind_sorted_ones),
        cmocka_unit_test(ids_are_reused_with_a_new_generation),
        cmocka_unit_test(arenas_keep_alignment_and_contents),
        cmocka_unit_test(large_blocks_are_used_again),
        cmocka_unit_test(old_blocks_are_given_back),
        cmocka_unit_test(arenas_rewind_to_a_mark),
        cmocka_unit_test(a_budget_stops_after_its_work),
        cmocka_unit_test(a_budget_is_spent_to_the_last_unit),
        cmocka_unit_test(an_unknown_instruction_set_is_a_warning),
        cmocka_unit_test(half_an_allocator_is_refused),
        cmocka_unit_test(half_an_allocator_in_the_default_def_is_refused),
        cmocka_unit_test(answers_are_no_failures),
        cmocka_unit_test(every_status_has_its_own_name),
        cmocka_unit_test(a_stopwatch_agrees_with_the_clock),
        cmocka_unit_test(a_stopwatch_trusts_only_a_counter_that_kept_up),
        cmocka_unit_test(messages_name_the_culprit_and_survive_short_buffers),
        cmocka_unit_test(hashes_differ_where_one_bit_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
