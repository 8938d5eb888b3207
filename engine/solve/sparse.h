/* sparse.h - KLU, for the files of this folder that use it; others know factors by address only (solve.h). */
#ifndef SAL_SPARSE_H
#define SAL_SPARSE_H

#include <suitesparse/klu.h>
#include "engine/base/tolerance.h"
#include "engine/solve/solve.h"

static inline void sal_klu_options(klu_common *common)
{
    klu_defaults(common);
    common->btf   = 0;  /* K has one block: the search for more only costs */
    common->scale = -1; /* none: S does it */
}

/* block.c: b of sal_kkt_solve, where it has many columns; false: too few, or there is no memory, and b is as it was. */
typedef struct sal_factors sal_factors;
bool                       sal_kkt_solve_block(sal_kkt *kkt, double *b, int columns);
void                       sal_factors_free(sal_kkt *kkt);

#endif
