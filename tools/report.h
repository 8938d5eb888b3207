/* report.h - a run as a page of its own: one HTML file that needs nothing else; or for a page at hand, as bytes
 * (tools/page/README.md). */
#ifndef SAL_TOOLS_REPORT_H
#define SAL_TOOLS_REPORT_H

#include "tools/output.h"

typedef struct run_report run_report;

/* The page, in parts: made of tools/page by tools/cmake/page.cmake, which says what they are. */
extern const unsigned char page_head[], page_body[], page_script[], page_report[], page_view[];

/* For a run at its start. NULL after a message on stderr. */
run_report *report_open(const session *s, const char *scene);
/* The same, with central differences of a relative step beside the derivatives, from runs with these options. */
run_report *report_open_compared(const session *s, const char *scene, const sal_run_opts *opts, double step);
/* For sal_simulate: a frame at every output time and on both sides of every event, as in states.csv. r NULL: none. */
sal_reader report_reader(run_report *r);
/* What a study has found, as its command prints it with --json: told beside the motion. */
void report_add_study(run_report *r, const char *title, const cJSON *summary);
/* The page of a design that a search has found: the motion of the scene with these settings, and derivatives by `wrt`
 * [nwrt], beside what the study says. An exit code, with its message printed; a scene that does not run so has no page,
 * which is a warning. */
int report_design(session *s, const arguments *a, sal_run_opts opts, const char *const *wrt, int nwrt,
                  const char *title, const cJSON *summary);
/* One frame of a run that stands in an equilibrium, in place of those of a motion. */
void report_add_rest(run_report *r, const sal_equilibrium *e);
/* Beside that, how every place moves in each mode. */
void report_add_modes(run_report *r, const sal_modes *modes);
/* Cycles along a branch, as saltus cycle --follow --json prints them. */
void report_add_branch(run_report *r, const char *parameter, const cJSON *points);
/* Writes the page; false after a message on stderr. Frees r. */
bool report_close(run_report *r, const char *path, sal_status status);
/* The same to a stream that is open; false: out of memory. Frees r. */
bool report_write(run_report *r, FILE *f, sal_status status);
/* The document, with `more` beside it, and the bytes of its columns, all of them doubles: what a server sends. False:
 * out of memory. Frees r and more. */
bool report_send(run_report *r, FILE *f, sal_status status, cJSON *more);
bool send_document(FILE *f, const cJSON *document); /* one without columns, in the same wrapping; false: no memory */
/* JSON inside of a script element: what could end it, or begin a comment, stands in strings only and is escaped. */
void put_json(FILE *f, const char *text);
void report_free(run_report *r); /* without writing; NULL: nothing */

#endif
