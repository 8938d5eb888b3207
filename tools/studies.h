/* studies.h - what cycles, equilibria and modes are told as, by their commands and by the view. */
#ifndef SAL_TOOLS_STUDIES_H
#define SAL_TOOLS_STUDIES_H

#include "tools/report.h"

/* As the commands print it with --json. NULL: out of memory. */
cJSON *cycle_summary(const session *s, const char *scene, const sal_cycle *c);
cJSON *equilibrium_summary(const session *s, const char *scene, const sal_equilibrium *e);
cJSON *modes_summary(const session *s, const char *scene, const sal_equilibrium *e, const sal_modes *modes);

/* Makes the run of the session: at the start of the cycle, two periods long and without derivatives, or standing in the
 * equilibrium. What is wrong is said by the run, or where there is none by the context. */
sal_status start_on_cycle(session *s, const sal_run_opts *opts, const sal_cycle *c);
sal_status start_at_rest(session *s, const sal_run_opts *opts, const sal_equilibrium *e);

/* A page of a run that stands in an equilibrium, with its modes where there are any; `root` is its summary. NULL after
 * a message on stderr. */
run_report *rest_page(const session *s, const char *scene, const sal_equilibrium *e, const sal_modes *modes,
                      const cJSON *root);
/* The same as --report: makes the run first, and writes the page; 0 or an exit code, message printed. */
int write_rest_page(session *s, const arguments *a, const sal_equilibrium *e, const sal_modes *modes,
                    const cJSON *root);

/* Finds an equilibrium of the session; 0 or an exit code, message printed. */
int         open_equilibrium(session *s, arguments *a, sal_equilibrium **e);
const char *stability_word(sal_equilibrium_info i);
cJSON      *gradient_of(const sal_equilibrium *e, const double *row); /* [p] */

#endif
