/* cycles.h - what the tests of cycles share. */
#ifndef SAL_TESTS_CYCLES_H
#define SAL_TESTS_CYCLES_H

#include "tests/support.h"

typedef struct found {
    rig        r;
    sal_cycle *c;
} found;

static inline void found_find(found *f, const sal_cycle_opts *opts)
{
    if (sal_cycle_create(f->r.model, opts, &f->c) != SAL_OK || sal_cycle_find(f->c) != SAL_OK)
        fail_msg("%s", sal_message(f->r.context));
}

static inline void found_free(found *f)
{
    sal_cycle_destroy(&f->c);
    rig_free(&f->r);
}

static inline sal_cycle_opts cycle_with_respect_to(const char *const *names, int n)
{
    sal_cycle_opts opts = sal_cycle_defaults();

    opts.run = with_respect_to(names, n);
    return opts;
}

/* `im`: of that of a pair which is above the axis. */
static inline void assert_multiplier(const sal_cycle *c, int index, double re, double im, double tolerance)
{
    double mu[2];

    assert_true(sal_cycle_multiplier(c, index, mu));
    assert_near(mu[0], re, tolerance);
    assert_near(fabs(mu[1]), im, tolerance);
}

#endif
