/* report.h - a run as a page of its own: one HTML file that needs nothing else (tools/page/README.md). */
#ifndef SAL_TOOLS_REPORT_H
#define SAL_TOOLS_REPORT_H

#include "tools/output.h"

typedef struct run_report run_report;

/* For a run at its start. NULL after a message on stderr. */
run_report *report_open(const session *s, const char *scene);
/* For sal_simulate: a frame at every output time and on both sides of every event, as in states.csv. r NULL: none. */
sal_reader report_reader(run_report *r);
/* What a study has found, as its command prints it with --json: told beside the motion. */
void report_add_study(run_report *r, const char *title, const cJSON *summary);
/* One frame of a run that stands in an equilibrium, in place of those of a motion. */
void report_add_rest(run_report *r, const sal_equilibrium *e);
/* Writes the page; false after a message on stderr. Frees r. */
bool report_close(run_report *r, const char *path, sal_status status);
void report_free(run_report *r); /* without writing; NULL: nothing */

#endif
