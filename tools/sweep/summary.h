/* summary.h - a sweep in few numbers. */
#ifndef SAL_TOOLS_SWEEP_SUMMARY_H
#define SAL_TOOLS_SWEEP_SUMMARY_H

#include "tools/sweep/table.h"

/* The case at the means of the distributions, with derivatives with respect to all that is drawn: what uncertainties
 * follow from, to first order. */
typedef struct nominal {
    sal_sweep *sweep; /* NULL: there is none */
    double    *row;
    char       message[512]; /* why not */
} nominal;

/* Of a sampled plan; opts are those of the sweep. */
sal_status nominal_find(nominal *m, const sal_model *model, const plan *p, const sal_sweep_opts *opts,
                        const sal_context *c);
void       nominal_free(nominal *m);

cJSON *sweep_summary(const table *t, const arguments *a, const nominal *m); /* NULL: out of memory */
void   print_sweep(const cJSON *summary, const table *t, double seconds);

#endif
