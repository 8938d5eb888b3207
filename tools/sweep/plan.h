/* plan.h - the cases of a sweep: which values each of them has. */
#ifndef SAL_TOOLS_SWEEP_PLAN_H
#define SAL_TOOLS_SWEEP_PLAN_H

#include "tools/cli.h"
#include "tools/sweep/sample.h"

/* What differs: a list of values, or a distribution. */
typedef struct axis {
    const char  *name;
    bool         drawn; /* from a distribution */
    distribution from;
    double      *list;
    long         count;
} axis;

typedef struct plan {
    axis         *axis;
    int           n;
    long          cases;
    double       *values;  /* [cases][n] */
    bool          sampled; /* else a grid: the last axis changes from case to case */
    sample_method method;
    uint64_t      seed;
    char        **text; /* [n] copies that names point into */
} plan;

extern const char *const method_names[]; /* of sample_method, ended by NULL */

/* From --over, --sample, --method and --seed; false after a message on stderr, then too with something to free. */
bool        plan_read(plan *p, const arguments *a);
void        plan_free(plan *p);
const char *distribution_name(distribution_kind kind);

#endif
