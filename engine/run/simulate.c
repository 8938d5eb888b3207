/* simulate.c - the one loop that runs to the end and tells what happens: to writers of files, viewers, studies. */
#include <math.h>
#include <stddef.h>

#include "engine/run/run.h"

typedef struct teller {
    sal_run          *run;
    const sal_reader *reader;
    int               n;
    double            interval; /* of output; 0: none */
} teller;

typedef void (*told)(void *self, const sal_run *run);

/* Tells everybody who wants to know; `what` is the place of the function in a reader. */
static void tell(const teller *t, size_t what)
{
    for (int k = 0; k < t->n; k++) {
        const told f = *(const told *)((const char *)&t->reader[k] + what);
        if (f) f(t->reader[k].self, t->run);
    }
}

#define TELL(t, what) tell((t), offsetof(sal_reader, what))

/* The output times inside the step just made, or at its end; the state shown is that at its end afterwards. */
static sal_status tell_outputs(const teller *t)
{
    const double reached = t->run->t1, end = t->run->t_end;
    sal_status   status = SAL_OK;

    while (t->interval > 0.0 && (double)t->run->line * t->interval < end) {
        const double next = fmin((double)(t->run->line + 1) * t->interval, end);
        if (next > reached) break;
        t->run->line++;
        if (next < reached) status = sal_run_to(t->run, next);
        else sal_run_show_end(t->run); /* an event there comes afterwards */
        if (status != SAL_OK) return status;
        TELL(t, output);
    }
    if (t->run->shown.t != reached) sal_run_show_end(t->run);
    return SAL_OK;
}

/* Whether anybody wants states at output times. */
static bool wants_outputs(const sal_reader *readers, int n)
{
    for (int k = 0; k < n; k++) {
        if (readers[k].output) return true;
    }
    return false;
}

/* How many output times there are after the start and up to t; a quotient alone may be rounded up. */
static long lines_until(double t, double interval)
{
    const long count = (long)floor(t / interval);

    return (double)count * interval > t ? count - 1 : count;
}

sal_status sal_simulate(sal_run *run, const sal_reader *readers, int n)
{
    const double interval = wants_outputs(readers, n) ? sal_run_output_interval(run) : 0.0;
    const teller t        = { run, readers, n, interval };
    sal_status   status;

    if (interval > 0.0) { /* what others have stepped over is not told */
        const long before = lines_until(run->t1, interval);
        if (before > run->line) run->line = before;
    }
    if (!run->told) { /* else it goes on where it was stopped */
        TELL(&t, start);
        TELL(&t, output);
        run->told = true;
    }
    do {
        status = sal_run_step(run);
        if (status == SAL_OK) status = tell_outputs(&t);
        if (status == SAL_EVENT) TELL(&t, event);
        if (status == SAL_OK || status == SAL_EVENT) TELL(&t, step);
    } while (status == SAL_OK || status == SAL_EVENT);
    for (int k = 0; k < n; k++) {
        if (readers[k].end) readers[k].end(readers[k].self, run, status);
    }
    return status;
}
