/* partition.h - independent and dependent coordinates; private to the engine.
 *
 *     Phi_q = [Phi_dep Phi_dof], Phi_dep regular:  x_dep = -Phi_dep^-1 (Phi_dof x_dof + rest) where Phi_q x + rest = 0
 *
 * Chosen by Gaussian elimination with complete pivoting: a pivot is the largest entry left among the columns that are
 * not preferred as independent, and among those only when nothing else is left. Rows without a pivot depend on the
 * others. Dense: for the start, for events and for information. */
#ifndef SAL_PARTITION_H
#define SAL_PARTITION_H

#include "engine/model.h"

typedef struct sal_partition {
    int     n, m;
    int     rank;                   /* dependent coordinates, independent rows */
    int    *dep, *dof;              /* [rank], [n - rank] coordinates */
    int    *row;                    /* [rank] rows that determine them */
    double *lu;                     /* [rank * rank] factors of Phi_dep */
    int    *pivot;                  /* [rank] */
    double *work;                   /* [m * n] */
    bool   *row_done, *column_done; /* [m], [n] */
    double  quality;                /* smallest over largest pivot: 0 is singular */
} sal_partition;

sal_status sal_partition_init(sal_partition *p, const sal_model *model, sal_pool *pool);
/* Chooses for the Jacobian with these entries; preferred [n] may be NULL. */
void sal_partition_choose(sal_partition *p, const sal_model *model, const double *entry, const bool *preferred);
/* Replaces b [rank][columns], by rows in the order of `row`, by Phi_dep^-1 b in the order of `dep`. */
void sal_partition_solve(const sal_partition *p, double *b, int columns);

#endif
