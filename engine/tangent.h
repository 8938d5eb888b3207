/* tangent.h - how a system changes with its parameters: the tangent linear model; private to the engine.
 *
 * For p parameters at once, all arrays slot by slot, [.][p]:  dz = dz/drho with Q = dq/drho in front, dzd with V,
 * dzdd with A. With the factors of K that the state has just been solved with,
 *
 *     K [A; Lambda] = [ d(F - M a - Phi_q^T lambda) ;
 *                       -d(Phiddot + 2 xi omega Phidot + omega^2 Phi - lambda/alpha) ]       with a, lambda held
 *
 * in both forms: the penalty form is the same system with D = -1/alpha (dynamics.h). What is no coordinate has known
 * derivatives: values follow from their programs once, functions of time at every evaluation. */
#ifndef SAL_TANGENT_H
#define SAL_TANGENT_H

#include "engine/dynamics.h"
#include "engine/rows.h"

typedef struct sal_wrt { /* what to differentiate with respect to */
    int  parameter;      /* index, or -1: */
    int  coordinate;     /* an initial coordinate, or with `velocity` its initial velocity */
    bool velocity;
} sal_wrt;

struct sal_tangent {
    int      p;
    sal_wrt *wrt;          /* [p] */
    double  *z, *zd, *zdd; /* [nz][p] */
    double  *lambda;       /* [m][p] */
    double  *mass;         /* [masses][p] */
    int     *changing;     /* entries of the mass matrix that change: with parameters, or next to a driven point */
    int      nchanging;
    bool    *inert;           /* [terms] terms of the rows that never change */
    double  *gravity, *force; /* [nz][p] */
    double  *row, *row2;      /* [m][p] */
    double  *none;            /* [nz][p] zero */
    double  *corner;          /* [m][p] of D */
    double  *xi, *omega;      /* [p] */
    double  *energy;          /* [p] workspace of sal_tangent_value */
    double  *number;          /* [p] for its callers */
    double  *target;          /* [setters][p] velocities that an event sets */
    double  *rhs;             /* [p][size of the largest system]: by columns, as KLU wants it */
};

sal_status     sal_tangent_init(sal_tangent *t, const sal_model *model, sal_pool *pool, const sal_wrt *wrt, int p);
sal_directions sal_tangent_directions(const sal_tangent *t);

/* After sal_system_set_values: derivatives of all values. SAL_ERR_NUMBER with a message when one does not exist. */
sal_status sal_tangent_set_values(sal_tangent *t, sal_system *s, const double *given);
/* After sal_system_refresh: derivatives of the values that depend on memory. */
void sal_tangent_refresh(sal_tangent *t, sal_system *s);
/* After sal_system_set_form: those of its settings. */
void sal_tangent_set_form(sal_tangent *t, const sal_system *s);

/* After sal_system_move: takes over Q and V [n][p] (NULL: as they are) and moves the functions of time. A is zero
 * afterwards. */
void sal_tangent_move(sal_tangent *t, sal_system *s, const double *Q, const double *V);
/* After sal_system_accelerate at the same state: A in zdd, Lambda in lambda. */
void sal_tangent_accelerate(sal_tangent *t, sal_system *s);
/* Adds -M_rho d, d a jump of the velocities, to force. */
void sal_tangent_add_mass_change(const sal_tangent *t, const sal_system *s, const double *jump, double *force);
/* Contacts that slide with the normal forces or impulses `lambda`: the change of kappa is a force; and the change of
 * the friction, into the tangential rows of Lambda. */
void sal_tangent_add_friction(sal_tangent *t, const sal_system *s, const double *lambda, double *force);
void sal_tangent_friction(const sal_tangent *t, const sal_system *s, const double *lambda, double *Lambda);
/* Brings Q and V back to Phi_q Q + Phi_rho = 0 and its time derivative, mass-orthogonally, with the factors at hand. */
void sal_tangent_project(sal_tangent *t, sal_system *s);
/* Largest |Phi_q Q + Phi_rho| and |d(Phidot)/drho|. */
void sal_tangent_residual(sal_tangent *t, const sal_system *s, double *phi, double *phidot);

/* The motion itself as a direction: a tangent with one column, wrt nothing (SAL_ALONG_MOTION), gives d/dt of a program
 * at
 * the state. Accelerations and multipliers change along it by solving the differentiated equations, like any other
 * sensitivity: dz = zd, dzd = zdd, t' = 1. */
#define SAL_ALONG_MOTION ((sal_wrt){ .parameter = -1, .coordinate = -1 })
double sal_tangent_rate(sal_tangent *motion, sal_system *s, const sal_program *program);
/* The rates of accelerations and multipliers alone: into motion->zdd and motion->lambda. The system is accelerated. */
sal_status sal_tangent_move_along(sal_tangent *motion, sal_system *s);

/* d(program)/drho at the state, [p]; A and Lambda as last computed. */
void sal_tangent_value(sal_tangent *t, sal_system *s, const sal_program *program, double *out);
void sal_tangent_energy(sal_tangent *t, const sal_system *s, double *out);

/* Columns of a [rows][p] array into right-hand sides of length `size` from row `from` on, times `factor`; and back. */
void sal_tangent_to_rhs(const sal_tangent *t, const double *rows, int count, int size, int from, double factor);
void sal_tangent_from_rhs(const sal_tangent *t, double *rows, int count, int size, int from);

#endif
