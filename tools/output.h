/* output.h - results of a run in a folder: states.csv, events.csv, summary.json and, of a run with sensitivities,
 * sensitivities.csv.
 *
 * Files are written under temporary names and renamed when they are complete. */
#ifndef SAL_TOOLS_OUTPUT_H
#define SAL_TOOLS_OUTPUT_H

#include <stdio.h>
#include <cjson/cJSON.h>

#include "tools/cli.h"

typedef struct output output;

/* Makes the folder (with its parents) and opens the tables; NULL after a message on stderr. */
output *output_open(const char *folder, const sal_model *model, const sal_run *run);
/* For sal_simulate: a line of states.csv at every output time and on both sides of every event, a line of events.csv
 * for
 * each event. o NULL: writes nothing. */
sal_reader output_reader(output *o);
/* Writes the summary and gives every file its name; false after a message on stderr. Frees o. */
bool output_close(output *o, const cJSON *summary);

/* One file of results, in a folder that is made: written under a temporary name, which it changes when it is closed and
 * `good`. */
typedef struct result_file {
    FILE *f;
    char  path[4200], part[4208];
} result_file;

/* Where a picture or a page goes: --output, else NAME and the suffix for a scene NAME.json, in the current folder. */
void result_path(const arguments *a, const char *suffix, char *path, size_t room);
bool result_open_file(result_file *r, const char *path); /* "-": stdout; false after a message on stderr */
bool result_open(result_file *r, const char *folder, const char *name); /* false after a message on stderr */
bool result_close(result_file *r, bool good); /* harmless where none was opened; false after a message */

/* The event handled last, and what happened to other contacts at that instant: "floor.A+floor.B". Cut where there is no
 * room for more. */
const char *event_names(const sal_model *model, const sal_run *run, char *room, size_t size);

/* health.c: the verdict on a run, and who did work: for the terminal, and for summary.json. */
void   print_health(const sal_run *run);
void   print_work(const sal_run *run);
cJSON *health_object(const sal_run *run);
cJSON *work_object(const sal_run *run);
/* Adds "chosen" with the names of the constraints whose multipliers or impulses are a matter of choice, if any. */
void list_chosen(cJSON *object, const sal_model *model, const sal_run *run,
                 bool (*chosen)(const sal_run *run, int constraint));

#endif
