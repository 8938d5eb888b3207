/* rank.c - how many rows are independent; equations in solve.h. */
#include "engine/solve/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/solve/lapack.h"

sal_status sal_rank_init(sal_rank *r, sal_pool *pool, int n, int most)
{
    const size_t wide = (size_t)(n > most ? n : most);

    *r       = (sal_rank){ .n = n, .most = most, .lwork = 64 * (int)(wide + 1) };
    r->row   = SAL_NEW(pool, double, wide *(size_t)n);
    r->tau   = SAL_NEW(pool, double, wide);
    r->work  = SAL_NEW(pool, double, r->lwork);
    r->pivot = SAL_NEW(pool, int, wide);
    return pool->failed ? SAL_ERR_MEMORY : SAL_OK;
}

double sal_rank_scale(double *row, int n)
{
    double length = sal_norm(row, n), most = 0.0;

    if (!(length > sqrt(DBL_MIN)) || !isfinite(length)) { /* squares may leave the range of numbers, the row does not */
        for (int k = 0; k < n; k++) most = fmax(most, fabs(row[k]));
        if (most == 0.0 || !isfinite(most)) return most;
        for (int k = 0; k < n; k++) row[k] /= most;
        length = sal_norm(row, n);
    }
    for (int k = 0; k < n; k++) row[k] /= length;
    return most > 0.0 ? most * length : length;
}

int sal_rank_find(sal_rank *r, int rows, double *basis)
{
    const int n = r->n, least = n < rows ? n : rows;
    int       rank = 0, info;

    memset(r->pivot, 0, sizeof *r->pivot * (size_t)rows); /* every row is free to go anywhere */
    for (int k = 0; k < rows; k++) sal_rank_scale(r->row + (size_t)k * (size_t)n, n);
    if (least > 0) dgeqp3_(&n, &rows, r->row, &n, r->pivot, r->tau, r->work, &r->lwork, &info);
    while (rank < least && fabs(r->row[(size_t)rank * (size_t)n + (size_t)rank]) > SAL_DEPENDENT) rank++;
    if (!basis || n == 0) return rank;
    dorgqr_(&n, &n, &rank, r->row, &n, r->tau, r->work, &r->lwork, &info);
    memcpy(basis, r->row + (size_t)rank * (size_t)n, sizeof *basis * (size_t)n * (size_t)(n - rank));
    return rank;
}

/* Of all vectors in the span of basis [free][n] one with as many zeros as can be asked for, in basis[free - 1]: the
 * largest entry left is taken out of all others, again and again. What does not depend on each other comes apart so. */
static double *single_out(double *basis, int n, int free)
{
    for (int j = 0; j + 1 < free; j++) {
        double *pivot = basis + (size_t)j * (size_t)n;
        int     from = j, at = 0;
        for (int i = j; i < free; i++) {
            const double *x = basis + (size_t)i * (size_t)n;
            for (int k = 0; k < n; k++) {
                if (!(fabs(x[k]) > fabs(basis[(size_t)from * (size_t)n + (size_t)at]))) continue;
                from = i;
                at   = k;
            }
        }
        for (int k = 0; k < n && from != j; k++) {
            double *other = basis + (size_t)from * (size_t)n, swap = pivot[k];
            pivot[k] = other[k];
            other[k] = swap;
        }
        for (int i = j + 1; i < free; i++) {
            double      *x      = basis + (size_t)i * (size_t)n;
            const double factor = x[at] / pivot[at];
            for (int k = 0; k < n; k++) x[k] -= factor * pivot[k];
        }
    }
    return basis + (size_t)(free - 1) * (size_t)n;
}

sal_status sal_kkt_null(const sal_kkt *kkt, sal_pool *pool, double *null)
{
    const sal_pattern *p     = kkt->pattern;
    const int          size  = p->size;
    double            *basis = SAL_NEW(pool, double, (size_t)size *(size_t)size), *found, most = 0.0;
    sal_rank           r;
    int                free;

    if (sal_rank_init(&r, pool, size, size) != SAL_OK) return SAL_ERR_MEMORY;
    for (int c = 0; c < size; c++) {
        for (int k = p->Ap[c]; k < p->Ap[c + 1]; k++) r.row[(size_t)p->Ai[k] * (size_t)size + (size_t)c] = kkt->Ax[k];
    }
    memset(null, 0, sizeof *null * (size_t)size);
    free = size - sal_rank_find(&r, size, basis);
    if (free == 0) return SAL_OK;
    found = single_out(basis, size, free);
    for (int k = 0; k < size; k++) most = fmax(most, fabs(found[k]));
    for (int k = 0; k < size && most > 0.0; k++) null[k] = kkt->scale[k] * found[k] / most;
    return SAL_OK;
}
