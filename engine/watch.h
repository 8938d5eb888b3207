/* watch.h - what may end a long computation from outside: the caller's `stop`, and the clock; private to the engine. */
#ifndef SAL_WATCH_H
#define SAL_WATCH_H

#include "engine/saltus.h"

typedef struct sal_watch {
    bool (*stop)(void *user); /* NULL: never */
    void  *user;
    double until; /* on sal_watch_now [s]; HUGE_VAL: no limit */
} sal_watch;

/* SAL_OK: go on; SAL_STOPPED; SAL_ERR_LIMIT: the time is over. Asked wherever something may take long. `watch` NULL: go
 * on. */
sal_status sal_watch_ask(const sal_watch *watch);
double     sal_watch_now(void); /* a clock on the wall that never goes back [s] */

#endif
