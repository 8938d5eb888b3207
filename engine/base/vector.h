/* vector.h - sizes, products and rows of arrays of numbers: what every folder would write for itself. */
#ifndef SAL_VECTOR_H
#define SAL_VECTOR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Row `index` of an array [.][width]. */
#define SAL_ROW(array, index, width) ((array) + (size_t)(index) * (size_t)(width))

/* The largest |x_k|; 0 of none. What is not a number is passed over. */
static inline double sal_largest(const double *x, int n)
{
    double most = 0.0;

    for (int k = 0; k < n; k++) most = fabs(x[k]) > most ? fabs(x[k]) : most;
    return most;
}

static inline double sal_dot(const double *x, const double *y, int n)
{
    double sum = 0.0;

    for (int k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

static inline double sal_norm(const double *x, int n)
{
    return sqrt(sal_dot(x, x, n));
}

/* out += slope x; a slope that does not exist does no harm where nothing moves along it. */
static inline void sal_add_slope(double *restrict out, double slope, const double *restrict x, int n)
{
    if (slope == 0.0) return;
    if (isfinite(slope)) {
        for (int k = 0; k < n; k++) out[k] += slope * x[k];
        return;
    }
    for (int k = 0; k < n; k++) {
        if (x[k] != 0.0) out[k] += slope * x[k];
    }
}

/* To be asked before LAPACK, which may not come back from what is not finite. */
static inline bool sal_all_finite(const double *x, size_t n)
{
    double check = 0.0;

    for (size_t k = 0; k < n; k++) check += 0.0 * x[k]; /* NaN unless all are finite */
    return check == 0.0;
}

/* For qsort and bsearch. */
static inline int sal_compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

#endif
