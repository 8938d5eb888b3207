/* analysis.h - what a model consists of: rows that depend on each other, singular configurations, what nothing uses;
 * private to the engine. */
#ifndef SAL_ANALYSIS_H
#define SAL_ANALYSIS_H

#include "engine/dynamics.h"

typedef struct sal_dependent { /* a row that those before it determine: grad Phi_row = sum factor grad Phi_of */
    int     row;
    int    *of; /* [count] */
    double *factor;
    int     count;
    bool    here; /* only in this configuration */
} sal_dependent;

typedef struct sal_structure {
    int    rows; /* that hold */
    int    rank;
    double singular; /* smallest singular value over the largest, those that are zero left out; 1 without rows */
    sal_dependent *dependent;
    int            ndependent;
} sal_structure;

/* The rows that hold at the state that the system is in; everything is the pool's. SAL_OK or SAL_ERR_MEMORY. */
sal_status sal_structure_find(sal_system *s, sal_pool *pool, sal_structure *out);

/* Lets the rows no longer hold that those before them determine to within `almost` (of a row of length 1). SAL_OK,
 * SAL_ERR_MEMORY, or SAL_END: there are none, or the model is too large to look. */
sal_status sal_structure_drop(sal_system *s, double almost);

/* Names the constraints that depend on each other, contacts left out: "rod1, rod2, pin.x", cut where they are many.
 * Empty: there are none, or the model is too large to look. */
void sal_structure_name(sal_system *s, char *text, size_t room);

#endif
