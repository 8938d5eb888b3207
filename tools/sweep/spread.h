/* spread.h - who computes the cases: threads (spread_threads.c), or the ranks of an MPI job (spread_mpi.c). */
#ifndef SAL_TOOLS_SWEEP_SPREAD_H
#define SAL_TOOLS_SWEEP_SPREAD_H

#include "tools/sweep/table.h"

/* How far a sweep is, told on stderr: on a terminal in one line that changes, else in a line now and then. */
typedef struct progress {
    double started, shown;
    long   before; /* cases that were known when it started */
    bool   line;   /* one is on the terminal */
} progress;

void sweep_progress_start(progress *p, const table *t);
void sweep_progress_show(progress *p, const table *t);
void sweep_progress_end(progress *p);

/* Before anything else. */
void spread_begin(int *argc, char ***argv);
/* Whether this process computes for another, which has the table. */
bool spread_helps(void);
/* As such: code, if not 0, is why it cannot; identity (NULL then) is what it would compute. Gives the exit code. */
int spread_help(const sal_sweep *s, const plan *p, const char *identity, int code);
/* All cases that the table does not have. SAL_OK, SAL_STOPPED, or an error after a message. */
sal_status spread_cases(const sal_sweep *s, table *t, progress *p);
/* After everything, whether or not there were cases. */
void spread_end(void);

/* How long a rank is to compute between two messages [s]: so that those of all take rank 0 a fraction of its time. */
static inline double batch_seconds(int helpers)
{
    return helpers > 1000 ? 1e-4 * helpers : 0.1;
}

/* threads.c: the cases over the threads of this process. */
sal_status cases_by_threads(const sal_sweep *s, table *t, progress *p);

#endif
