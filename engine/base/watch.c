/* watch.c - asking whether to go on; see base.h. */
#include "engine/base/base.h"

#include <math.h>
#include <time.h>

double sal_watch_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool stops(const sal_watch *watch)
{
    if (!watch->stop) return false;
    if (watch->every > 0.0) {
        const double now = sal_watch_now();
        if (now - *watch->asked < watch->every) return false;
        *watch->asked = now;
    }
    return watch->stop(watch->user);
}

sal_status sal_watch_ask(const sal_watch *watch)
{
    if (!watch) return SAL_OK;
    if (stops(watch)) return SAL_STOPPED;
    return watch->until < HUGE_VAL && sal_watch_now() > watch->until ? SAL_ERR_LIMIT : SAL_OK;
}
