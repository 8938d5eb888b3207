/* progress.c - a line on the terminal while a command computes for longer than a second. */
#include <unistd.h>

#include "tools/cli.h"

static const double AFTER = 1.0, EVERY = 0.2; /* [s] */

static struct {
    const sal_run *run; /* that goes on; NULL: it is not known how far */
    double         began, told;
    int            terminal; /* 0: not known, 1: yes, -1: no */
    bool           quiet, shown;
} line;

void progress_begin(const sal_run *run)
{
    line.run   = run;
    line.began = line.told = now();
}

void progress_quiet(void)
{
    line.quiet = true;
}

void progress_tick(void)
{
    double time;

    if (line.terminal == 0) line.terminal = isatty(STDERR_FILENO) ? 1 : -1;
    if (line.quiet || line.terminal < 0) return;
    time = now();
    if (line.began == 0.0) line.began = time;
    if (time - line.began < AFTER || time - line.told < EVERY) return;
    line.told  = time;
    line.shown = true;
    if (line.run)
        fprintf(stderr, "\r  t = %.4g of %.4g s (%.0f %%), %ld events  ", sal_run_time(line.run),
                sal_run_duration(line.run), 100.0 * sal_run_time(line.run) / sal_run_duration(line.run),
                sal_run_get_stats(line.run).events);
    else fprintf(stderr, "\r  computing for %.0f s  ", time - line.began);
}

void progress_end(void)
{
    if (line.shown) fprintf(stderr, "\r%72s\r", "");
    line.shown = false;
    line.run   = NULL;
}
