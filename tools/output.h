/* output.h - results of a run in a folder: states.csv, events.csv, summary.json.
 *
 * Files are written under temporary names and renamed when they are complete. */
#ifndef SAL_TOOLS_OUTPUT_H
#define SAL_TOOLS_OUTPUT_H

#include <cjson/cJSON.h>

#include "tools/cli.h"

typedef struct output output;

/* Makes the folder (with its parents) and opens the tables; NULL after a message on stderr. */
output *output_open(const char *folder, const sal_model *model);
void    output_state(output *o, const sal_run *run, long segment); /* a line of states.csv */
/* Lines before and after the event handled last, and a line of events.csv. */
void output_event(output *o, const sal_run *run, long segment);
/* Writes the summary and gives every file its name; false after a message on stderr. Frees o. */
bool output_close(output *o, const cJSON *summary);

#endif
