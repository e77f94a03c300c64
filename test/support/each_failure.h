/* A call that runs out of memory everywhere: its first request fails, then its second and so on, until none does. */
#ifndef TEST_EACH_FAILURE_H
#define TEST_EACH_FAILURE_H

#include "support/check.h"
#include "support/failing.h"

static inline carom_context *each_failure_context(failing *memory)
{
    carom_context *context = NULL;
    assert_int_equal(failing_context(memory, &context), CAROM_OK);
    return context;
}

/* Makes the call and releases what it made, so that nothing is left over whether it failed or not. */
typedef carom_status each_failure_call(carom_context *context, void *user);

/* `context` is from each_failure_context. dense: how many requests at first all get their turn, after which the steps
 * from one to the next grow; 0: all do. Returns how many calls failed. */
static inline uint64_t each_failure(failing *memory, carom_context *context, uint64_t dense, each_failure_call *call,
                                    void *user)
{
    uint64_t blocks = memory->blocks_out, failures = 0;
    for (uint64_t k = 1;; k += 1 + (dense > 0 ? k / dense : 0))
    {
        failing_arm(memory, k);
        carom_status status = call(context, user);
        bool failed = memory->failed;
        assert_int_equal(memory->blocks_out, blocks);
        assert_int_equal(status, failed ? CAROM_OUT_OF_MEMORY : CAROM_OK);
        if (!failed)
            break;
        failures++;
    }
    failing_arm(memory, 0);
    return failures;
}

#endif
