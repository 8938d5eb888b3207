/* stepper.h - explicit Runge-Kutta pairs with dense output; private to the engine.
 *
 * With s stages k_i = f(t + c_i h, y + h sum_j a_ij k_j), i = 0 .. s-1:
 *
 *     y1 = y + h sum a_sj k_j,   then the caller's `finish` may correct y1 (projection),   k_s = f(t + h, y1)
 *
 * k_s is the first stage of the next step. Dense output: a polynomial of degree ndense + 3 in theta in [0, 1],
 *
 *     y(theta) = y0 + th (r0 + (1-th) (r1 + th (r2 + (1-th) (r3 + th (r4 + ...)))))
 *     r0 = y1 - y0,  r1 = h k_0 - r0,  r2 = r0 - h k_s - r1,  r_(3+i) = h sum_j d_ij k_j
 */
#ifndef SAL_RK_H
#define SAL_RK_H

#include "engine/base/base.h"

enum {
    SAL_RK_STAGES = 16,
    SAL_RK_DENSE  = 4,
    SAL_RK_DEGREE = SAL_RK_DENSE + 3 /* largest degree of a dense output */
};

typedef struct sal_tableau {
    int           order;
    int           stages; /* s */
    int           extra;  /* stages beyond k_s, for the dense output */
    const double *c;
    const double (*a)[SAL_RK_STAGES];
    const double *error[2]; /* weights of one or two error estimates */
    const double (*dense)[SAL_RK_STAGES];
    int ndense;
} sal_tableau;

extern const sal_tableau sal_rk5, sal_rk8;

/* dy = f(t, y). 0; positive or SAL_ERR_SINGULAR, SAL_ERR_NUMBER: cannot be evaluated here, try a shorter step; else
 * fatal. */
typedef sal_status (*sal_rk_function)(void *self, double t, const double *y, double *dy);
typedef sal_status (*sal_rk_finish)(void *self, double t, double *y); /* corrects y1; same codes */

typedef struct sal_rk {
    const sal_tableau *method;
    int                n;
    int                active;  /* components in use, the first ones: n, or fewer while only these matter */
    int                control; /* components that the error is measured by, the first ones */
    int                dense_n; /* components of the dense output made last; 0: none */
    sal_rk_function    function;
    sal_rk_finish      finish; /* NULL: nothing to correct */
    void              *self;
    double             rtol, atol;
    double             t, h; /* the step tried last begins at t and is h long */
    double            *y0, *y1;
    double            *k[SAL_RK_STAGES];
    double            *r[SAL_RK_DEGREE]; /* dense output */
    double            *work;
    long               evaluations;
} sal_rk;

sal_status sal_rk_init(sal_rk *rk, sal_pool *pool, const sal_tableau *method, int n);
/* Begins at (t, y). */
sal_status sal_rk_start(sal_rk *rk, double t, const double *y);
/* A length for the first step by Hairer's rule. */
sal_status sal_rk_first_step(sal_rk *rk, double longest, double *h);
/* Tries a step: y1, k_s and `error`, at most 1 where the tolerance is met. */
sal_status sal_rk_try(sal_rk *rk, double h, double *error);
/* The length to try next, after a step of length h with that error. */
double sal_rk_next_step(const sal_rk *rk, double h, double error, bool after_rejection);
/* Makes y1 the new y0. */
void sal_rk_accept(sal_rk *rk);
/* Dense output of the active components of the step tried last; valid until the next try. */
sal_status sal_rk_make_dense(sal_rk *rk);
void       sal_rk_interpolate(const sal_rk *rk, double theta, double *y);
int        sal_rk_degree(const sal_rk *rk); /* of the dense output in theta */

#endif
