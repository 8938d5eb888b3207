/* rk.h - explicit Runge-Kutta pairs with dense output; for the files of steppers/ and their tests.
 *
 * With s stages k_i = f(t + c_i h, y + h sum_j a_ij k_j), i = 0 .. s-1:
 *
 *     y1 = y + h sum a_sj k_j,   then the flow may correct y1 (projection),   k_s = f(t + h, y1)
 *
 * k_s is the first stage of the next step. Dense output: a polynomial of degree ndense + 3 in theta in [0, 1],
 *
 *     y(theta) = y0 + th (r0 + (1-th) (r1 + th (r2 + (1-th) (r3 + th (r4 + ...)))))
 *     r0 = y1 - y0,  r1 = h k_0 - r0,  r2 = r0 - h k_s - r1,  r_(3+i) = h sum_j d_ij k_j
 *
 * Transposed, w the cotangents of y1 and f_y those of f at the stages Y_i:
 *
 *     k-_i = h a_si w + h sum_(j>i) a_ji Y-_j,   Y-_i = f_y^T k-_i,   i = s-1 .. 0,        w + sum Y-_i those of y
 */
#ifndef SAL_RK_H
#define SAL_RK_H

#include "engine/steppers/stepper.h"

enum {
    SAL_RK_STAGES = 16,
    SAL_RK_DENSE  = 4,
    SAL_RK_DEGREE = SAL_RK_DENSE + 3 /* largest degree of a dense output */
};

typedef struct sal_tableau {
    int           stages; /* s */
    int           extra;  /* stages beyond k_s, for the dense output */
    const double *c;
    const double (*a)[SAL_RK_STAGES];
    const double *error[2]; /* weights of one or two error estimates */
    const double (*dense)[SAL_RK_STAGES];
    int ndense;
} sal_tableau;

extern const sal_tableau sal_rk5, sal_rk8;

/* What the kinds have in common; init differs by its tableau. */
sal_status sal_rk_init(sal_stepper *s, sal_pool *pool, const sal_tableau *method);
sal_trial  sal_rk_attempt(sal_stepper *s, double h, double *error);
void       sal_rk_accept(sal_stepper *s);
sal_trial  sal_rk_make_dense(sal_stepper *s);
void       sal_rk_at(const sal_stepper *s, double theta, double *y);
double    *sal_rk_slope(sal_stepper *s, bool end);
double     sal_rk_stiffness(const sal_stepper *s, int n);
sal_trial  sal_rk_pull(sal_stepper *s, double h, const sal_flow_back *back, double *w, double *work);
int        sal_rk_pull_room(const sal_stepper *s, int columns);
void       sal_rk_propagate(const sal_stepper *s, const double A[2][2], double P[2][2]);

#define SAL_RK_OPS                                                                                            \
    .attempt = sal_rk_attempt, .accept = sal_rk_accept, .make_dense = sal_rk_make_dense, .at = sal_rk_at,     \
    .slope = sal_rk_slope, .stiffness = sal_rk_stiffness, .pull = sal_rk_pull, .pull_room = sal_rk_pull_room, \
    .propagate = sal_rk_propagate

#endif
