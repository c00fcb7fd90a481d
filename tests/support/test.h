/* cmocka with the headers it wants included before it, and two comparisons of ours. */
#ifndef HST_TESTS_TEST_H
#define HST_TESTS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/** A status that must be HST_OK; prints the error's message when it is not. */
#define assert_ok(call, err)                                                               \
    do {                                                                                   \
        if ((call) != 0)                                                                   \
            fail_msg("%s: %s", #call, (err)->message);                                     \
    } while (0)

/** |got - want| <= tolerance, printing both. */
#define assert_close(got, want, tolerance)                                                 \
    do {                                                                                   \
        double got_ = (got), want_ = (want);                                               \
        if (!(fabs(got_ - want_) <= (tolerance)))                                          \
            fail_msg("%s = %.9g, wanted %s = %.9g", #got, got_, #want, want_);             \
    } while (0)

#endif
