/* dense.c - least squares and eigenvalues; see solve.h. */
#include "engine/solve/solve.h"

#include <math.h>
#include <string.h>
#include "engine/solve/lapack.h"
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

sal_status sal_dense_init(sal_dense *d, sal_pool *pool, int size, int columns)
{
    const int    ask = -1, one = 1;
    const double cut = 0.0;
    double       need[3], nothing = 0.0;
    int          rank, integers, info;
    const size_t square = (size_t)size * (size_t)size;

    dgelsd_(&size, &size, &columns, &nothing, &size, &nothing, &size, &nothing, &cut, &rank, &need[0], &ask, &integers,
            &info);
    dgesvd_("A", "N", &size, &size, &nothing, &size, &nothing, &nothing, &size, &nothing, &one, &need[1], &ask, &info,
            1, 1);
    dgeev_("N", "N", &size, &nothing, &size, &nothing, &nothing, &nothing, &one, &nothing, &one, &need[2], &ask, &info,
           1, 1);
    *d          = (sal_dense){ .size = size, .lwork = (int)fmax(need[0], fmax(need[1], need[2])) };
    d->a        = SAL_NEW(pool, double, square);
    d->b        = SAL_NEW(pool, double, square);
    d->c        = SAL_NEW(pool, double, square);
    d->singular = SAL_NEW(pool, double, size);
    d->re       = SAL_NEW(pool, double, size);
    d->im       = SAL_NEW(pool, double, size);
    d->work     = SAL_NEW(pool, double, d->lwork);
    d->iwork    = SAL_NEW(pool, int, integers);
    return pool->failed ? SAL_ERR_MEMORY : SAL_OK;
}

sal_status sal_dense_solve(sal_dense *d, int n, double *a, int columns, double *b, double cut, int *rank)
{
    int info;

    *rank = 0;
    if (columns == 0) return SAL_OK;
    if (!sal_all_finite(a, (size_t)n * (size_t)n) || !sal_all_finite(b, (size_t)n * (size_t)columns))
        return SAL_ERR_NUMBER;
    dgelsd_(&n, &n, &columns, a, &n, b, &n, d->singular, &cut, rank, d->work, &d->lwork, d->iwork, &info);
    return info == 0 ? SAL_OK : SAL_ERR_NUMBER;
}

/* a [rank * rank] becomes U^T A U with the first columns of U; A and U are n x n, so is the workspace. */
static void restrict_to(int n, int rank, double *a, const double *u, double *work)
{
    memset(work, 0, sizeof *work * (size_t)n * (size_t)rank);
    for (int j = 0; j < rank; j++) { /* A U */
        for (int l = 0; l < n; l++) {
            for (int i = 0; i < n; i++) work[j * n + i] += a[l * n + i] * u[j * n + l];
        }
    }
    for (int j = 0; j < rank; j++) {
        for (int i = 0; i < rank; i++) {
            double sum = 0.0;
            for (int l = 0; l < n; l++) sum += u[i * n + l] * work[j * n + l];
            a[j * rank + i] = sum;
        }
    }
}

/* The larger first; of the same size those with the larger real part, then the upper half of a pair. */
static bool comes_before(double re1, double im1, double re2, double im2)
{
    const double one = hypot(re1, im1), two = hypot(re2, im2);

    if (one != two) return one > two;
    return re1 != re2 ? re1 > re2 : im1 > im2;
}

sal_status sal_dense_spectrum(sal_dense *d, int n, const double *a, double *re, double *im, int *count)
{
    const int one = 1;
    int       info, rank = n;

    *count = 0;
    if (!sal_all_finite(a, (size_t)n * (size_t)n)) return SAL_ERR_NUMBER;
    memcpy(d->a, a, sizeof *a * (size_t)n * (size_t)n);
    do { /* the range of A holds every eigenvector of an eigenvalue that is not zero */
        n = rank;
        memcpy(d->b, d->a, sizeof *a * (size_t)n * (size_t)n);
        dgesvd_("A", "N", &n, &n, d->b, &n, d->singular, d->c, &n, NULL, &one, d->work, &d->lwork, &info, 1, 1);
        if (info != 0) return SAL_ERR_NUMBER;
        for (rank = 0; rank < n && d->singular[rank] > SAL_NO_RANGE * fmax(1.0, d->singular[0]);) rank++;
        if (rank == n) break;
        restrict_to(n, rank, d->a, d->c, d->b);
    } while (rank > 0);
    if (rank == 0) return SAL_OK;
    dgeev_("N", "N", &n, d->a, &n, d->re, d->im, NULL, &one, NULL, &one, d->work, &d->lwork, &info, 1, 1);
    if (info != 0) return SAL_ERR_NUMBER;
    for (int k = 0; k < n; k++) {
        int at;
        if (hypot(d->re[k], d->im[k]) < SAL_NO_MULTIPLIER) continue;
        for (at = (*count)++; at > 0 && comes_before(d->re[k], d->im[k], re[at - 1], im[at - 1]); at--) {
            re[at] = re[at - 1];
            im[at] = im[at - 1];
        }
        re[at] = d->re[k];
        im[at] = d->im[k];
    }
    return SAL_OK;
}
