/* table.c - the results in memory, and as CSV and .npz. */
#include "tools/sweep/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/npz.h"

const char *const case_words[] = { "", "done", "doubtful", "failed" };

bool table_create(table *t, const plan *p, const sal_sweep *s, const char *folder, char *identity)
{
    const size_t cases = (size_t)p->cases;

    *t         = (table){ .plan     = p,
                          .sweep    = s,
                          .folder   = folder,
                          .identity = identity,
                          .journal  = -1,
                          .columns  = sal_sweep_column_count(s) };
    t->row     = malloc(cases * (size_t)t->columns * sizeof *t->row + 1);
    t->state   = calloc(cases, sizeof *t->state);
    t->message = calloc(cases, sizeof *t->message);
    if (t->row && t->state && t->message) return true;
    fprintf(stderr, "saltus: no memory for %ld cases with %d columns\n", p->cases, t->columns);
    return false;
}

void table_free(table *t)
{
    for (long k = 0; t->message && t->plan && k < t->plan->cases; k++) free(t->message[k]);
    free(t->row);
    free(t->state);
    free(t->message);
    free(t->identity);
}

/* ---------------------------------------------------------------------------------------------- CSV */

bool table_write_csv(const table *t, const char *name)
{
    const plan *p = t->plan;
    result_file file;

    if (!result_open(&file, t->folder, name)) return false;
    fprintf(file.f, "case");
    for (int k = 0; k < p->n; k++) print_cell(file.f, "", p->axis[k].name, "");
    fprintf(file.f, ",status");
    for (int k = 0; k < t->columns; k++) print_cell(file.f, "", sal_sweep_column(t->sweep, k), "");
    fprintf(file.f, ",message\n");
    for (long i = 0; i < p->cases; i++) {
        if (t->state[i] == CASE_OPEN) continue;
        fprintf(file.f, "%ld", i);
        for (int k = 0; k < p->n; k++) fprintf(file.f, ",%.17g", p->values[i * p->n + k]);
        fprintf(file.f, ",%s", case_words[t->state[i]]);
        for (int k = 0; k < t->columns; k++) {
            const double x = t->row[i * t->columns + k];
            if (isnan(x)) fputs(",nan", file.f); /* that has a sign, which means nothing */
            else fprintf(file.f, ",%.17g", x);
        }
        print_cell(file.f, "", t->message[i] ? t->message[i] : "", "");
        fputc('\n', file.f);
    }
    return result_close(&file, true);
}

/* --------------------------------------------------------------------------------------------- .npz */

/* Messages are kept with the numbers of their cases: most cases have none. */
static bool add_messages(const table *t, npz *z)
{
    const long   cases = t->plan->cases;
    long         n     = 0;
    int64_t     *state = malloc((size_t)cases * sizeof *state), *which = malloc((size_t)cases * sizeof *which);
    const char **text = malloc((size_t)cases * sizeof *text);
    bool         good = state && which && text;

    for (long i = 0; i < cases && good; i++) {
        state[i] = t->state[i] == CASE_DONE ? 0 : t->state[i] == CASE_DOUBTFUL ? 1 : -1;
        if (!t->message[i]) continue;
        which[n]  = i;
        text[n++] = t->message[i];
    }
    good = good && npz_longs(z, "status", state, cases) && npz_longs(z, "message_case", which, n) &&
           npz_texts(z, "message", text, n);
    free(state);
    free(which);
    free(text);
    return good;
}

static bool write_npz(const table *t)
{
    const plan *p = t->plan;
    result_file file;
    npz        *z;
    bool        good;

    if (!result_open(&file, t->folder, "sweep.npz")) return false;
    z    = npz_open(file.f);
    good = z != NULL;
    for (int k = 0; k < p->n && good; k++) good = npz_doubles(z, p->axis[k].name, p->values + k, p->cases, p->n);
    for (int k = 0; k < t->columns && good; k++)
        good = npz_doubles(z, sal_sweep_column(t->sweep, k), t->row + k, p->cases, t->columns);
    good = good && add_messages(t, z);
    if (z && !npz_close(z)) good = false;
    if (!good) fprintf(stderr, "saltus: sweep.npz cannot be written: no memory, or it would be larger than 4 GB\n");
    return result_close(&file, good) && good;
}

int table_write(const table *t, const cJSON *summary)
{
    result_file file;
    char       *text;

    if (!table_write_csv(t, "sweep.csv") || !write_npz(t)) return EXIT_OUTPUT;
    text = cJSON_Print(summary);
    if (!text) return report("saltus: out of memory", SAL_ERR_MEMORY);
    if (!result_open(&file, t->folder, "summary.json")) return free(text), EXIT_OUTPUT;
    fprintf(file.f, "%s\n", text);
    free(text);
    return result_close(&file, true) ? EXIT_SUCCESS : EXIT_OUTPUT;
}
