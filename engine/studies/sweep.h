/* sweep.h - inside of sweeps: what a case tells, and one case. */
#ifndef SAL_STUDIES_SWEEP_H
#define SAL_STUDIES_SWEEP_H

#include "engine/run/run.h"

/* What a quantity is read from. */
typedef enum sal_quantity_kind {
    SAL_AT_END,        /* a program at the end of a run */
    SAL_OF_COST,       /* index */
    SAL_OF_TIME,       /* when an event (index; -1: any) happens for the number-th time */
    SAL_OF_COUNT,      /* how often an event (index; -1: any) happens */
    SAL_OF_OUTPUT,     /* index; of a cycle or an equilibrium, as those below are */
    SAL_OF_COORDINATE, /* index; of a cycle also velocities */
    SAL_OF_REACTION,   /* index */
    SAL_OF_PERIOD,     /* of a cycle, like those up to the largest multiplier */
    SAL_OF_LENGTH,
    SAL_OF_LARGEST,
    SAL_OF_STABILITY, /* 1 or 0 */
    SAL_OF_ENERGY,    /* of an equilibrium */
    SAL_OF_STIFFNESS
} sal_quantity_kind;

typedef struct sal_quantity {
    const char        *name;
    sal_quantity_kind  kind;
    int                index;
    long               number;
    const sal_program *program;
    int                gradient; /* the first column of its derivatives; -1: it has none */
} sal_quantity;

struct sal_sweep {
    sal_pool         pool;
    sal_context     *context;
    const sal_model *model;
    sal_sweep_opts   opts; /* its texts are copies */
    SAL_VEC(sal_quantity) quantities;
    SAL_VEC(sal_probe *) probes; /* to be destroyed */
    int          columns;
    const char **column;    /* [columns] names */
    bool         goes_back; /* steps of its integrator do */
    bool         adjoint;   /* derivatives are made so; why, or why not */
    char         why[160];
};

/* sweep_columns.c: reads opts.columns, or makes those that are told when none are given. */
sal_status sal_sweep_name_columns(sal_sweep *sweep);

/* sweep_gradients.c: whether derivatives are made by the adjoint. */
sal_status sal_sweep_choose(sal_sweep *sweep);

/* sweep_case.c: one case; `stop` takes the place of the caller's. See sal_sweep_case. */
sal_status sal_sweep_compute(const sal_sweep *sweep, const double *values, bool (*stop)(void *user), void *user,
                             double *row, char *message, size_t room);

#endif
