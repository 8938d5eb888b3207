/* dense.h - small dense problems of cycles, by LAPACK; private to the engine. Matrices are by columns. */
#ifndef SAL_DENSE_H
#define SAL_DENSE_H

#include "engine/context.h"

typedef struct sal_dense {
    int     size;            /* largest order of a matrix */
    double *a, *b, *c;       /* [size * size] */
    double *singular, *work; /* [size], [lwork] */
    double *re, *im;         /* [size] */
    int    *iwork;
    int     lwork;
} sal_dense;

/* For matrices up to size x size and that many right-hand sides. */
sal_status sal_dense_init(sal_dense *d, sal_pool *pool, int size, int columns);

/* The shortest x with the least |A x - b|; singular values below `cut` times the largest count as zero. a is lost, b
 * [columns][n] becomes x. *rank as found. SAL_ERR_NUMBER: not finite. */
sal_status sal_dense_solve(sal_dense *d, int n, double *a, int columns, double *b, double cut, int *rank);

/* The eigenvalues of a that are not zero, by size: re and im get *count of them, complex pairs side by side. Zeros that
 * belong to the null space of a, however deep, are taken out first, by singular values: as eigenvalues of Jordan blocks
 * they would come out as large as the root of a rounding error. SAL_ERR_NUMBER: not finite. */
sal_status sal_dense_spectrum(sal_dense *d, int n, const double *a, double *re, double *im, int *count);

#endif
