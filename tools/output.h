/* output.h - results of a run in a folder: states.csv, events.csv, summary.json and, of a run with sensitivities,
 * sensitivities.csv.
 *
 * The files get their names together, when all are complete. */
#ifndef SAL_TOOLS_OUTPUT_H
#define SAL_TOOLS_OUTPUT_H

#include <stdio.h>
#include <cjson/cJSON.h>

#include "tools/files.h"

typedef struct output output;

/* Makes the folder (with its parents) and opens the tables; NULL after a message on stderr. */
output *output_open(const arguments *a, const sal_model *model, const sal_run *run);
/* For sal_simulate: a line of states.csv at every output time and on both sides of every event, a line of events.csv
 * for each event. o NULL: writes nothing. */
sal_reader output_reader(output *o);
/* Writes the summary and gives every file its name; false after a message on stderr. Frees o. */
bool output_close(output *o, const cJSON *summary);

/* units.c: the unit of a quantity of the vocabulary by its name, "x(P)", of a reaction by its joint; "" of anything
 * else. */
const char *unit_of(const sal_model *model, const char *text);

/* What a command found, as JSON: all begin with the version, the command, the scene with its title, "done", "failed" or
 * "interrupted", and the units of what has a name in the scene. The content, an object, is copied. */
cJSON *json_result(const char *command, const session *s, const arguments *a, const char *status, const cJSON *content);
void   print_json(const cJSON *root);
void   print_json_result(const char *command, const session *s, const arguments *a, const char *status,
                         const cJSON *content);
const char *status_word(sal_status status);

/* ",BEFORE TEXT AFTER" as a cell of CSV, in one line: in quotes where it has to be; a text that a spreadsheet would
 * compute is in brackets. */
void print_cell(FILE *f, const char *before, const char *text, const char *after);

/* columns.csv: what --columns asks for, or, of a run with derivatives, its outputs and reactions. */
typedef struct columns_asked columns_asked;
int        columns_asked_open(const session *s, const arguments *a, columns_asked **asked); /* 0 or an exit code */
sal_reader columns_asked_reader(columns_asked *c);                                          /* c NULL: none */
int        columns_asked_write(columns_asked *c); /* 0 or an exit code, message printed */
void       columns_asked_free(columns_asked *c);

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
