/* roots.h - all roots of a polynomial in [0, 1], in Bernstein form; private to the engine.
 *
 *     p(x) = sum_k b_k C(d, k) x^k (1-x)^(d-k)
 *
 * On any interval the polynomial lies between its smallest and its largest coefficient there, and has at most as
 * many roots as its coefficients change sign: halving (de Casteljau) isolates every root, none can hide. */
#ifndef SAL_ROOTS_H
#define SAL_ROOTS_H

#include "engine/base/base.h"

enum { SAL_ROOTS_DEGREE = 16, SAL_ROOTS_MAX = 32 };

/* A crossing, or a place where |p| <= tolerance without a crossing (a touch), or with the end of the interval in it. */
typedef struct sal_root {
    double x;      /* the root, or the middle of the place */
    int    before; /* sign of p before it; 0: the interval begins there */
    int    after;  /* sign of p after it; 0: the interval ends there */
} sal_root;

/* In order of x; at most SAL_ROOTS_MAX (the first ones). A polynomial that is within the tolerance everywhere has
 * none. */
int sal_roots_find(const double *b, int degree, double tolerance, sal_root roots[SAL_ROOTS_MAX]);

double sal_roots_value(const double *b, int degree, double x);

/* Takes a root at x = 0 out: p(x) = x s(x). b [degree+1] becomes the coefficients of s [degree]. */
void sal_roots_deflate(double *b, int degree);

/* Samples to coefficients: values at the Chebyshev-Lobatto nodes of [0, 1] determine a polynomial of that degree. */
typedef struct sal_fit {
    int    degree;
    double noise; /* rounding errors of the coefficients, relative to the largest */
    double node[SAL_ROOTS_DEGREE + 1];
    double matrix[SAL_ROOTS_DEGREE + 1][SAL_ROOTS_DEGREE + 1]; /* b = matrix * samples */
} sal_fit;

void sal_fit_init(sal_fit *fit, int degree);
void sal_fit_coefficients(const sal_fit *fit, const double *sample, double *b);

#endif
