/* rest.h - a mechanism at rest, and how its forces change when it moves a little; private to the engine.
 *
 * At t = 0 with v = 0, whatever is driven standing still as it is then,
 *
 *     M a + Phi_q^T lambda = F(q, 0),  Phi_q a = 0              the engine's own solve; at rest a = 0
 *     M dq'' + D dq' + H dq + Phi_q^T dlambda = 0,  Phi_q dq = 0
 *     H = -F_q + (Phi_q^T lambda)_q,   D = -F_v                 exact tangents along the unit directions
 *
 * With Z an orthonormal basis of the motions, Phi_q Z = 0, dq = Z y:
 *
 *     M_z y'' + D_z y' + H_z y = 0,    M_z = L^T M Z, ...       L = Z
 *
 * Where a contact slides its friction acts along with its normal force: the forces of the constraints are G^T lambda
 * with G = Phi_q but for N + kappa T in place of N, and L is a basis of G L = 0 with L^T Z = 1. The matrices need not
 * be symmetric then, nor with forces that have no potential. Matrices are by columns. */
#ifndef SAL_REST_H
#define SAL_REST_H

#include "engine/base/tolerance.h"
#include "engine/run/run.h"

typedef struct sal_rest {
    sal_system *s;
    int         n, m, free;
    double     *Z, *L;       /* [n][free] */
    double     *M, *D, *H;   /* [free][free] reduced */
    double     *unit, *none; /* [nz][n] directions */
    double     *force;       /* [nz][n] */
    double     *full;        /* [n][n] H or D, by rows */
    double     *product;     /* [n][n] */
    sal_rank    held;        /* the rows that hold */
    double     *work;
    int        *pivot, lwork;
    double     *a, *Ma; /* [n] where it was placed last; M a: the force that is not balanced [N] */
} sal_rest;

sal_status sal_rest_init(sal_rest *r, sal_system *s, sal_pool *pool);

/* Puts the system at q, at rest: a and lambda there, and M a. As sal_system_accelerate. */
sal_status sal_rest_place(sal_rest *r, const double *q);
/* Brings q, anywhere near, on the constraints, in place. Not possible: SAL_ERR_NUMBER, SAL_ERR_SINGULAR. */
sal_status sal_rest_project(sal_rest *r, double *q);
/* Where it stands: Z, L and the reduced matrices. SAL_ERR_SINGULAR: sliding contacts lock it. */
sal_status sal_rest_reduce(sal_rest *r);

/* H (`stiffness`) or D in the coordinates of the points, [n][n] by rows, where it stands. */
void sal_rest_matrix(sal_rest *r, bool stiffness, double *full);

void sal_rest_still(sal_system *s);                                      /* zeroes velocities and accelerations */
void sal_rest_times_mass(const sal_rest *r, const double *x, double *y); /* y = M x */
/* y [free] = L^T x and y [n] = Z x. */
void sal_rest_restrict(const sal_rest *r, const double *x, double *y);
void sal_rest_extend(const sal_rest *r, const double *x, double *y);

/* Q [n][p] into the tangent, nothing moving. */
void sal_rest_tangent(sal_tangent *t, sal_system *s, const double *Q);

struct sal_equilibrium {
    sal_context         *context;
    sal_pool             pool;
    const sal_model     *model;
    sal_equilibrium_opts opts;
    sal_run             *run; /* its system, contacts and parameters; it never steps */
    sal_rest             rest;
    sal_tangent          tangent;
    int                  p;
    const char         **wrt;
    const char         **speed; /* [n] "initial(P.vx)" */
    bool                 found;

    double *q, *lambda, *output, *reaction; /* found */
    double *Q, *Lambda, *Output, *Reaction; /* [.][p] */
    double *q0, *Q0;                        /* where it started */
    double *parameter;                      /* [p] values */
    double *trial, *step, *y, *b;           /* [n] */
    double *F0;                             /* [n] M a before a step */
    double *eigen, *vector;                 /* [free], [free][free] of the symmetric part of H_z */
    double *matrix;                         /* [free][free] */
    bool    symmetric;
    double  size, start_size; /* [m] of the mechanism */
    double  scale;            /* [N] of its forces */

    sal_equilibrium_info info;
    char                 warning[600];
};

/* Of the matrix a [n][n] in place; values ascending. SAL_ERR_NUMBER: no convergence. */
sal_status sal_rest_eigen(sal_rest *r, int n, double *a, double *value);

#endif
