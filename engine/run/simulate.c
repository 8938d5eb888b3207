/* simulate.c - the one loop that runs to the end and tells what happens: to writers of files, viewers, studies. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engine/run/run.h"

typedef struct teller {
    sal_run          *run;
    const sal_reader *reader;
    int               n;
    bool              outputs; /* somebody wants states at output times */
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

/* The next output time; HUGE_VAL: none. */
static double next_output(const teller *t)
{
    const sal_run *run      = t->run;
    const double   interval = sal_run_output_interval(run);

    if (!t->outputs) return HUGE_VAL;
    if (run->output.n) return run->line < run->output.n ? run->output.at[run->line] : HUGE_VAL;
    if (!(interval > 0.0) || !((double)run->line * interval < run->t_end)) return HUGE_VAL;
    return fmin((double)(run->line + 1) * interval, run->t_end);
}

/* The output times inside the step just made, or at its end; the state shown is that at its end afterwards. */
static sal_status tell_outputs(const teller *t)
{
    const double reached = t->run->t1;
    sal_status   status  = SAL_OK;
    double       next;

    while ((next = next_output(t)) <= reached) {
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

/* What others have stepped over is not told. */
static void skip_outputs(sal_run *run)
{
    const double interval = sal_run_output_interval(run);

    if (run->output.n) {
        while (run->line < run->output.n &&
               (run->output.at[run->line] < run->t1 || (run->told && run->output.at[run->line] == run->t1)))
            run->line++;
    } else if (interval > 0.0) {
        const long before = lines_until(run->t1, interval);
        if (before > run->line) run->line = before;
    }
}

static void tell_start(const teller *t)
{
    TELL(t, start);
    if (!t->run->output.n) TELL(t, output);
    else if (next_output(t) == t->run->t1) {
        t->run->line++;
        TELL(t, output);
    }
    t->run->told = true;
}

sal_status sal_simulate(sal_run *run, const sal_reader *readers, int n)
{
    const teller t = { run, readers, n, wants_outputs(readers, n) };
    sal_status   status;

    if (t.outputs) skip_outputs(run);
    if (!run->told) tell_start(&t); /* else it goes on where it was stopped */
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

sal_status sal_run_set_output_times(sal_run *run, const double *times, int n)
{
    sal_pool pool;
    double  *at;

    if (n < 0 || (n > 0 && !times))
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "n is %d and times %s", n, times ? "given" : "NULL");
    for (int k = 0; k < n; k++) {
        if (!isfinite(times[k]) || (k > 0 && !(times[k] > times[k - 1])))
            return sal_run_fail(run, SAL_ERR_ARGUMENT, "output time %d is %g s; expected times that increase", k,
                                times[k]);
    }
    sal_pool_init(&pool, run->context);
    at = n ? SAL_NEW(&pool, double, n) : NULL;
    if (pool.failed) return sal_run_fail(run, SAL_ERR_MEMORY, "out of memory");
    if (n) memcpy(at, times, sizeof *at * (size_t)n);
    if (run->output.n) sal_pool_free(&run->output.pool);
    run->output.pool = pool;
    run->output.at   = at;
    run->output.n    = n;
    run->line        = 0;
    return SAL_OK;
}
