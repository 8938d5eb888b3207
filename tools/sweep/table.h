/* table.h - the results of a sweep: in memory, and on the way there in a journal.
 *
 * Where results go to a folder, each case is written to sweep.journal there as soon as it is known. Whatever ends the
 * program, --resume reads the journal, leaves out what was cut in the middle, and computes the rest. The tables are
 * made when all cases are there, from numbers alone: they are the same bytes whoever computed them, in which order. */
#ifndef SAL_TOOLS_SWEEP_TABLE_H
#define SAL_TOOLS_SWEEP_TABLE_H

#include <stdint.h>

#include "tools/output.h"
#include "tools/sweep/plan.h"

enum { CASE_OPEN = 0, CASE_DONE, CASE_DOUBTFUL, CASE_FAILED };

extern const char *const case_words[]; /* "", "done", "doubtful", "failed" */

typedef struct table {
    const plan      *plan;
    const sal_sweep *sweep;
    int              columns;
    double          *row;     /* [cases][columns] */
    signed char     *state;   /* [cases] */
    char           **message; /* [cases]; NULL: "" */
    long             known;   /* cases that are there */
    long             failed, doubtful;
    const char      *folder; /* NULL: the results stay in memory */
    char            *identity;
    int              journal; /* a file; -1: none */
    bool             broken;  /* the journal cannot be written; was said */
} table;

/* Room for all cases. identity says what the sweep is, a line for each thing: see identity.c. False after a message. */
bool table_create(table *t, const plan *p, const sal_sweep *s, const char *folder, char *identity);
void table_free(table *t);

/* A new journal, or with `resume` the one that is there. 0 or an exit code, message printed. *finished: the summary
 * of this very sweep, whose tables are there already, to be deleted; else NULL. */
int  journal_open(table *t, bool resume, cJSON **finished);
void journal_close(table *t, bool remove);

/* A case becomes known: false after a message, when the journal cannot be written. */
bool table_keep(table *t, long index, sal_status status, const double *row, const char *message);

/* A case as bytes, in the journal and from rank to rank. */
typedef struct record {
    unsigned char *at;
    size_t         n, room;
} record;
bool record_add(record *r, int columns, long index, sal_status status, const double *row, const char *message);
/* Those that begin at `at` are kept; gives how many bytes they have, without one that is cut or not whole. */
size_t records_keep(table *t, const unsigned char *at, size_t n);

/* sweep.csv, sweep.npz and summary.json; 0 or an exit code, message printed. */
int table_write(const table *t, const cJSON *summary);
/* The cases that are known so far. False after a message. */
bool table_write_csv(const table *t, const char *name);

/* identity.c: what makes a sweep this one: the scene and plug-ins as bytes, all options, all values. NULL after a
 * message. To be freed. */
char *sweep_identity(const arguments *a, const session *from, const plan *p, const sal_sweep *s);

#endif
