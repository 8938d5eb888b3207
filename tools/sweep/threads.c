/* threads.c - the cases over the threads of this process, and how far they are. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/sweep/spread.h"

/* ------------------------------------------------------------------------------------------ progress */

void sweep_progress_start(progress *p, const table *t)
{
    *p = (progress){ .started = now(), .shown = now(), .before = t->known };
}

void sweep_progress_show(progress *p, const table *t)
{
    const bool   terminal = isatty(STDERR_FILENO);
    const double time = now(), spent = time - p->started;
    const long   done = t->known - p->before, left = t->plan->cases - t->known;

    if (done == 0 || spent < 1.0 || time - p->shown < (terminal ? 0.2 : 30.0)) return;
    fprintf(stderr, "%s  %ld of %ld cases (%.0f %%), %ld failed, %.3g a second, %.0f s left  %s", terminal ? "\r" : "",
            t->known, t->plan->cases, 100.0 * (double)t->known / (double)t->plan->cases, t->failed,
            (double)done / spent, spent / (double)done * (double)left, terminal ? "" : "\n");
    p->shown = time;
    p->line  = terminal;
}

void sweep_progress_end(progress *p)
{
    if (p->line) fprintf(stderr, "\n");
    p->line = false;
}

/* ------------------------------------------------------------------------------------------- threads */

typedef struct listener {
    table      *t;
    const long *open; /* which case of the table each one is */
    progress   *progress;
    bool        failed;
} listener;

static bool hear(void *self, const sal_sweep_result *r)
{
    listener *l = self;

    l->failed = !table_keep(l->t, l->open[r->index], r->status, r->row, r->message);
    sweep_progress_show(l->progress, l->t);
    return !l->failed;
}

sal_status cases_by_threads(const sal_sweep *s, table *t, progress *p)
{
    const plan  *from = t->plan;
    const size_t most = (size_t)(from->cases - t->known) + 1;
    long        *open = malloc(most * sizeof *open), n = 0;
    double      *values = malloc(most * (size_t)from->n * sizeof *values);
    listener     l      = { .t = t, .open = open, .progress = p };
    sal_status   status = SAL_ERR_MEMORY;

    for (long i = 0; i < from->cases && open && values; i++) {
        if (t->state[i] != CASE_OPEN) continue;
        memcpy(values + n * from->n, from->values + i * from->n, (size_t)from->n * sizeof *values);
        open[n++] = i;
    }
    if (open && values) status = sal_sweep_cases(s, values, n, hear, &l);
    if (status == SAL_ERR_MEMORY) report("saltus: out of memory", status);
    if (l.failed) status = SAL_ERR_FILE;
    free(open);
    free(values);
    return status;
}
