/* carom/extend.h: memory comes from the context's own allocator, messages arrive where users look, tasks run on its
 * workers. */
#include "support/check.h"
#include "support/failing.h"

#include "carom/extend.h"

#include <fenv.h>
#include <stdatomic.h>
#include <string.h>

static void memory_comes_from_the_contexts_allocator(void **state)
{
    (void)state;
    failing counts = {0};
    carom_context *context = NULL;
    assert_int_equal(failing_context(&counts, &context), CAROM_OK);
    uint64_t blocks = counts.blocks_out, bytes = counts.bytes_out;
    for (size_t alignment = 1; alignment <= 64; alignment *= 2)
    {
        void *memory = carom_context_allocate(context, 1000, alignment);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % alignment, 0);
        assert_int_equal(counts.blocks_out, blocks + 1);
        assert_int_equal(counts.bytes_out, bytes + 1000);
        carom_context_release(context, memory, 1000);
        assert_int_equal(counts.bytes_out, bytes);
    }
    void *nothing = carom_context_allocate(context, 0, 1);
    assert_non_null(nothing);
    carom_context_release(context, nothing, 0);
    carom_context_release(context, NULL, 5);
    assert_int_equal(counts.blocks_out, blocks);
    assert_int_equal(counts.bytes_out, bytes);

    failing_arm(&counts, 1);
    assert_null(carom_context_allocate(context, 8, 8));
    assert_true(counts.failed);
    carom_context_destroy(context);
    assert_int_equal(counts.blocks_out, 0);
}

static void senseless_requests_get_null(void **state)
{
    (void)state;
    failing counts = {0};
    carom_context *context = NULL;
    assert_int_equal(failing_context(&counts, &context), CAROM_OK);
    failing_arm(&counts, 0);
    assert_null(carom_context_allocate(NULL, 8, 8));
    assert_null(carom_context_allocate(context, 8, 0));
    assert_null(carom_context_allocate(context, 8, 24));
    assert_null(carom_context_allocate(context, 8, 128));
    assert_int_equal(counts.requests, 0); /* the user's allocator was not called */
    carom_context_release(NULL, NULL, 8);
    carom_context_destroy(context);
}

typedef struct heard
{
    int count;
    carom_log_level level;
    char text[1024];
} heard;

static void listen(carom_log_level level, const char *message, void *user)
{
    heard *to = user;
    to->count++;
    to->level = level;
    snprintf(to->text, sizeof to->text, "%s", message);
}

static void messages_reach_the_context_and_its_log(void **state)
{
    (void)state;
    heard log = {0};
    carom_context_def def = carom_context_def_default();
    def.log = listen, def.log_user = &log;
    carom_context *context = NULL;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    char message[512];

    /* a message is text, not a format */
    assert_int_equal(carom_context_fail(context, CAROM_BAD_DATA, "part 7: 100%s of %n"), CAROM_BAD_DATA);
    carom_context_message(context, message, sizeof message);
    assert_string_equal(message, "part 7: 100%s of %n");
    assert_int_equal(log.count, 1);
    assert_int_equal(log.level, CAROM_LOG_ERROR);
    assert_string_equal(log.text, message);

    /* a warning is logged but is not the latest error */
    carom_context_log(context, CAROM_LOG_WARNING, "%d left");
    assert_int_equal(log.count, 2);
    assert_int_equal(log.level, CAROM_LOG_WARNING);
    assert_string_equal(log.text, "%d left");
    carom_context_message(context, message, sizeof message);
    assert_string_equal(message, "part 7: 100%s of %n");

    /* the end of what is too long is cut off */
    char endless[400];
    memset(endless, 'x', sizeof endless - 1), endless[sizeof endless - 1] = '\0';
    carom_context_fail(context, CAROM_IO_ERROR, endless);
    assert_int_equal(carom_context_message(context, message, sizeof message), 255);
    assert_memory_equal(message, endless, 255);

    assert_int_equal(carom_context_fail(context, CAROM_IO_ERROR, NULL), CAROM_IO_ERROR);
    assert_int_equal(carom_context_message(context, message, sizeof message), 0);
    assert_int_equal(carom_context_fail(NULL, CAROM_IO_ERROR, "no one listens"), CAROM_IO_ERROR);
    carom_context_log(NULL, CAROM_LOG_INFO, "no one listens");
    carom_context_log(context, CAROM_LOG_INFO, NULL);
    carom_context_destroy(context);
}

/* How often each item was visited, and by which workers. */
typedef struct visits
{
    atomic_uint items[1000];
    atomic_uint strangers; /* worker numbers that are out of range */
    uint32_t workers;
    carom_context *context;
} visits;

static void visit(uint32_t first, uint32_t last, uint32_t worker, void *task_data)
{
    visits *v = task_data;
    if (worker >= v->workers)
        atomic_fetch_add(&v->strangers, 1);
    for (uint32_t i = first; i < last; i++)
        atomic_fetch_add(&v->items[i], 1);
}

/* Each task starts a run of its own over everything. */
static void visit_nested(uint32_t first, uint32_t last, uint32_t worker, void *task_data)
{
    (void)worker;
    visits *v = task_data;
    for (uint32_t i = first; i < last; i++)
        if (carom_context_run(v->context, 1000, 1, visit, v) != CAROM_OK)
            atomic_fetch_add(&v->strangers, 1);
}

static void tasks_cover_every_item_once(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 2, 8};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    {
        carom_context_def def = carom_context_def_default();
        def.workers = counts[k];
        static visits v;
        assert_int_equal(carom_context_create(&def, &v.context), CAROM_OK);
        v.workers = carom_context_workers(v.context);
        for (uint32_t count = 0; count <= 1000; count = 2 * count + 1)
        {
            memset(v.items, 0, sizeof v.items);
            assert_int_equal(carom_context_run(v.context, count, 3, visit, &v), CAROM_OK);
            for (uint32_t i = 0; i < 1000; i++)
                assert_int_equal(v.items[i], i < count);
        }
        memset(v.items, 0, sizeof v.items);
        assert_int_equal(carom_context_run(v.context, 20, 0, visit_nested, &v), CAROM_OK);
        for (uint32_t i = 0; i < 1000; i++)
            assert_int_equal(v.items[i], 20);
        assert_int_equal(v.strangers, 0);
        carom_context_destroy(v.context);
    }
}

static void runs_are_refused_whole(void **state)
{
    (void)state;
    static visits v;
    assert_int_equal(carom_context_create(NULL, &v.context), CAROM_OK);
    v.workers = 1;
    assert_int_equal(carom_context_run(NULL, 1, 1, visit, &v), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_context_run(v.context, 1, 1, NULL, &v), CAROM_INVALID_ARGUMENT);
    fesetround(FE_UPWARD);
    carom_status status = carom_context_run(v.context, 1, 1, visit, &v);
    fesetround(FE_TONEAREST);
    assert_int_equal(status, CAROM_FLOAT_MODE);
    assert_int_equal(v.items[0], 0);
    carom_context_destroy(v.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_comes_from_the_contexts_allocator),
        cmocka_unit_test(senseless_requests_get_null),
        cmocka_unit_test(messages_reach_the_context_and_its_log),
        cmocka_unit_test(tasks_cover_every_item_once),
        cmocka_unit_test(runs_are_refused_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
