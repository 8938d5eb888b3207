/* rank.c - the rank of dense matrices, and null vectors. */
#include "engine/solve/solve.h"

#include <math.h>
#include <string.h>
#include "engine/solve/lapack.h"

/* Rank by QR with column pivoting, A P = Q [R11 R12; 0 ~0]; then x = P [-R11^-1 R12 e; e] solves A x = 0. */
sal_status sal_dense_rank(sal_pool *pool, int rows, int columns, double *a, int *rank, double *null)
{
    const int least = rows < columns ? rows : columns;
    int      *pivot = SAL_NEW(pool, int, columns), info, work_size = -1;
    double   *tau = SAL_NEW(pool, double, least), *work, best;

    *rank = 0;
    if (!pivot || !tau) return SAL_ERR_MEMORY;
    if (least == 0) return SAL_OK;
    dgeqp3_(&rows, &columns, a, &rows, pivot, tau, &best, &work_size, &info);
    work_size = (int)best;
    work      = SAL_NEW(pool, double, work_size);
    if (!work) return SAL_ERR_MEMORY;
    dgeqp3_(&rows, &columns, a, &rows, pivot, tau, work, &work_size, &info);

#define R(i, j) a[(size_t)(j) * (size_t)rows + (size_t)(i)]
    while (*rank < least && fabs(R(*rank, *rank)) > 1e-11 * fabs(R(0, 0))) (*rank)++;
    if (!null || *rank == columns) return SAL_OK;
    memset(null, 0, sizeof *null * (size_t)columns);
    null[pivot[*rank] - 1] = 1.0;
    for (int i = *rank - 1; i >= 0; i--) {
        double sum = R(i, *rank);
        for (int j = i + 1; j < *rank; j++) sum += R(i, j) * null[pivot[j] - 1];
        null[pivot[i] - 1] = -sum / R(i, i);
    }
#undef R
    return SAL_OK;
}

sal_status sal_kkt_null(const sal_kkt *kkt, sal_pool *pool, double *null)
{
    const sal_pattern *p = kkt->pattern;
    double            *a = SAL_NEW(pool, double, (size_t)p->size *(size_t)p->size);
    int                rank;
    sal_status         status;

    if (!a) return SAL_ERR_MEMORY;
    for (int c = 0; c < p->size; c++) {
        for (int k = p->Ap[c]; k < p->Ap[c + 1]; k++) a[(size_t)c * (size_t)p->size + (size_t)p->Ai[k]] = kkt->Ax[k];
    }
    status = sal_dense_rank(pool, p->size, p->size, a, &rank, null);
    if (status == SAL_OK && rank == p->size) memset(null, 0, sizeof *null * (size_t)p->size);
    for (int k = 0; k < p->size && status == SAL_OK; k++) null[k] *= kkt->scale[k];
    return status;
}
