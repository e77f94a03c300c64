/* A call that runs out of memory everywhere: its first request fails, then its second and so on, until none does. */
#ifndef TEST_EACH_FAILURE_H
#define TEST_EACH_FAILURE_H

#include "support/check.h"
#include "support/failing.h"

/* Makes the call and releases what it made, so that nothing is left over whether it failed or not. */
typedef carom_status each_failure_call(carom_context *context, void *user);

/* Of the context's own memory, from failing_context. The step from one request to the next is 1, or grows: every one of
 * the first `dense` requests fails, later ones in steps of 1 + k / dense; 0: every one. Returns how many calls failed.
 */
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
