/* steppers/ - taking a smooth motion over a step: a face for every integrator, and the Runge-Kutta methods behind it,
 * explicit and implicit. Knows a vector y, its derivative and what is asked of its Jacobian, not mechanisms. */
#ifndef SAL_STEPPER_H
#define SAL_STEPPER_H

#include "engine/base/base.h"

/* What comes of trying an evaluation, or a step: a status for the engine's inside, without a message. Positive: not
 * possible so, a shorter step may do. Whoever gives up makes a sal_status of it, and says why. */
typedef enum sal_trial {
    SAL_TRY_OVER     = -1, /* no shorter step helps; the flow knows why */
    SAL_TRIED        = 0,
    SAL_TRY_SINGULAR = 1, /* the equations are singular there */
    SAL_TRY_NUMBER   = 2, /* a quantity is not finite there */
    SAL_TRY_THROWN   = 4, /* the end of the step had to be corrected by more than the step can be wrong */
    SAL_TRY_DIVERGED = 5, /* the equations of an implicit step were not solved */
    SAL_TRY_FINER    = 3  /* the step is good, but too coarse to tell what happens in it */
} sal_trial;

enum { SAL_STEP_STAGES = 3, SAL_STEP_BEGINS = 3 };

/* What is integrated. */
typedef struct sal_flow {
    sal_trial (*derivative)(void *self, double t, const double *y, double *dy);
    sal_trial (*correct)(void *self, double t, double *y); /* of the end of a step, such as a projection; NULL: none */
    void *self;
    void (*within)(void *self, double h); /* what follows is about the stages of a step of that length, or (0) is not;
                                           * NULL: the derivative is the same everywhere */
    /* For implicit kinds, J = df/dy but for what decouples. `linearize`: J of stage `place`, or of the beginning of the
     * step (SAL_STEP_BEGINS), where the last evaluation was; `like_beginning`: all stages have that one. Factors of
     * g - J at the beginning, and of all stages with B [stages][stages]: sum_j B_ij x_j - J_i x_i, where there is no J
     * by the inverse of B. Solves with them, of components from .. to - 1; arrays begin at component 0. */
    void (*linearize)(void *self, int place);
    void (*like_beginning)(void *self);
    sal_trial (*factor)(void *self, double g);
    sal_trial (*factor_stages)(void *self, const double (*B)[SAL_STEP_STAGES],
                               const double (*inverse)[SAL_STEP_STAGES]);
    void (*solve)(void *self, int to, double *x);
    sal_trial (*relax)(void *self, int place, double g,
                       double *x); /* solves with g - J of the stage, of the first ones */
    void (*solve_stages)(void *self, int from, int to, double *const *x);
} sal_flow;

/* The same, transposed: adds to bar [columns][n] what cotangents `slope` [columns][n] of f at (t, y) lead to. `weight`
 * is that of an integrand there in the step's integrals. */
typedef struct sal_flow_back {
    sal_trial (*pull)(void *self, double t, const double *y, double weight, const double *slope, double *bar);
    /* Of the correction of the end of a step, which is y before it: replaces w [columns][n]; NULL: there is none. */
    sal_trial (*correct)(void *self, double t, const double *y, double *w);
    /* Of what is read from the dense output at theta: replaces w [columns][n] by the cotangents of y there. */
    sal_trial (*look)(void *self, int which, double t, const double *y, double *w);
    void         *self;
    int           columns;
    const double *end; /* y1, corrected; only where there are looks */
    int           looks;
    const double *theta; /* [looks] */
} sal_flow_back;

typedef struct sal_stepper sal_stepper;

/* A kind of integrator. A step begins at (t, y0) and, tried with a length h, ends in y1. It can be tried again from
 * there, with any length and as often as one likes: after a rejection, where an event is located, and once more up to
 * it with sensitivities. So a kind with a history keeps it until `accept`. */
typedef struct sal_stepper_ops {
    const char *name;
    int         order;
    double      stable;       /* h |lambda| up to which a step is, along the negative real axis; 0: any */
    int         dense_degree; /* of the dense output as a polynomial in theta = (t' - t)/h; events are isolated by it */
    bool        implicit;     /* it needs J of the flow */
    sal_status (*init)(sal_stepper *s, sal_pool *pool);
    sal_trial (*attempt)(sal_stepper *s, double h, double *error); /* error: at most 1 where the tolerance is met */
    void (*accept)(sal_stepper *s);                                /* y1 becomes the new y0 */
    sal_trial (*make_dense)(sal_stepper *s);                       /* of the step tried last, active components */
    void (*at)(const sal_stepper *s, double theta, double *y);     /* the dense output */
    /* Cotangents w [columns][n] of the end of the step of length h from (t, y0): back to those of its beginning. The
     * step is made again for it. work [pull_room]. */
    sal_trial (*pull)(sal_stepper *s, double h, const sal_flow_back *back, double *w, double *work);
    int (*pull_room)(const sal_stepper *s, int columns);
    void (*propagate)(const sal_stepper *s, const double A[2][2], double P[2][2]); /* a step of y' = A y/h: y1 = P y0 */
    double *(*slope)(sal_stepper *s,
                     bool         end); /* where f(y0), or with `end` f(y1), is kept; each is f evaluated there */
    double (*stiffness)(const sal_stepper *s, int n); /* h |lambda| of the step tried last over where steps become
                                                        * unstable, of the first n components; NULL: never */
    double *(*kept)(sal_stepper *s); /* what else the next step begins with, 0 in front where there was no step before;
                                      * NULL: nothing... */
    int (*keeps)(const sal_stepper *s); /* ...and how many numbers that is */
} sal_stepper_ops;

struct sal_stepper {
    const sal_stepper_ops *ops;
    sal_flow               flow;
    int                    n;
    int                    active;          /* components in use, the first ones: n, or fewer while only these matter */
    int                    measured;        /* as many the mean of the error is over: those not in use are zero */
    int                    control;         /* components that the error is measured by, the first ones... */
    int                    spared, nspared; /* ...but for these, integrals that take no part in step control */
    int                    alone;           /* components that depend on themselves only, the first ones; 0: all */
    double                *estimate;        /* [nspared] of their errors in the step tried last */
    int                    dense_n;         /* components of the dense output made last; 0: none */
    double                 rtol, atol;
    double                 t, h; /* the step tried last begins at t and is h long; 0: none was tried yet */
    double                *y0, *y1;
    double                *work; /* [n] */
    long                   evaluations;
    void                  *own; /* of the kind */
};

extern const sal_stepper_ops sal_stepper_rk5, sal_stepper_rk8, sal_stepper_radau;

sal_status sal_stepper_init(sal_stepper *s, sal_pool *pool, const sal_stepper_ops *ops, int n);
/* A kind, with what is its own; NULL: it has not been made yet. */
typedef struct sal_stepper_kind {
    const sal_stepper_ops *ops;
    void                  *own;
} sal_stepper_kind;

/* Goes on from where it stands with the other kind, which becomes the one before. */
sal_status sal_stepper_exchange(sal_stepper *s, sal_pool *pool, sal_stepper_kind *other);
/* Begins at (t, y). */
sal_trial sal_stepper_start(sal_stepper *s, double t, const double *y);
/* A length for the first step by Hairer's rule. */
double sal_stepper_first_length(sal_stepper *s, double longest);
/* The length to try next, after a step of length h with that error. */
double sal_stepper_next_length(const sal_stepper *s, double h, double error, bool after_rejection);

/* For the kinds: f, counted; and the size of a vector of errors, component by component against rtol and atol. */
sal_trial sal_stepper_evaluate(sal_stepper *s, double t, const double *y, double *dy);
double    sal_stepper_norm(const sal_stepper *s, const double *x);

static inline sal_trial sal_stepper_attempt(sal_stepper *s, double h, double *error)
{
    return s->ops->attempt(s, h, error);
}

static inline void sal_stepper_accept(sal_stepper *s)
{
    s->ops->accept(s);
}

/* Valid until the next try. */
static inline sal_trial sal_stepper_make_dense(sal_stepper *s)
{
    return s->dense_n >= s->active ? SAL_TRIED : s->ops->make_dense(s);
}

static inline void sal_stepper_at(const sal_stepper *s, double theta, double *y)
{
    s->ops->at(s, theta, y);
}

#endif
