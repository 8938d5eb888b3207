/* cycle.h - periodic motions: the return map and what is kept of it; private to the engine.
 *
 * The unknowns are g, the n coordinates and n velocities of the free points at the start, as they are given to a run;
 * the run starts at Pi(g, rho), assembled. With x+ the state just after the section and S the exchange of points and
 * the translation by which the origin comes back to its place c(rho), that where the scene puts it,
 *
 *     P(g, rho) = S(x+),     dx+ = [ Q+ + v+ tau' ; V+ + a+ tau' ]          tau' = dt/d(g, rho) of the section
 *
 * exact by the sensitivities of the run with respect to all initial values and parameters: w = 2n + p columns. */
#ifndef SAL_CYCLE_H
#define SAL_CYCLE_H

#include "engine/base/tolerance.h"
#include "engine/solve/solve.h"
#include "engine/run/run.h"

typedef struct sal_image { /* one start and what the map makes of it; derivatives are [.][w] */
    double *g;             /* [2n] */
    double *start, *dstart;
    double *end, *dend; /* P(g), all steps */
    double *between;    /* [steps][2n] after each step */
    double  period, advance[2];
    double *dperiod, *dadvance;
    double *output, *doutput; /* at the start */
    double *cost, *dcost;
} sal_image;

struct sal_cycle {
    sal_context     *context;
    sal_pool         pool;
    const sal_model *model;
    sal_cycle_opts   opts;
    int              section, n, p, w;
    const char     **initial; /* [2n] "initial(P.x)" */
    const char     **wrt;     /* [p] */
    sal_run         *home;    /* starts where the scene says */
    sal_run         *run;     /* starts at g */

    sal_image now, trial;
    bool      guessed;   /* now.g holds a first guess or a cycle; else the scene's start is one */
    double    first;     /* period of the first guess [s] */
    double   *guess;     /* [2n] the first one */
    double   *scale;     /* [2n] sizes of positions and velocities */
    double    typical;   /* time of one step in the last image, 0: not known yet [s] */
    long      run_steps; /* steps of the integrator it took */
    int       iterations;
    char      why[1200]; /* the last image failed */

    double *at;                /* [2n] start of a step */
    double *local, *G, *chain; /* [2n][w] of one step; d(start of the step)/d(g, rho); workspace */
    double *place, *dplace;    /* [2], [2][w] the origin at the start of a step */
    double *row;               /* [w] */
    double *matrix, *rhs;      /* [(2n+1)^2], [(2n+1) * max(p, 1)] */

    sal_dense        dense;
    double          *re, *im; /* [2n] multipliers, `neutral` of them 1 as cycles come in families */
    int              multipliers, neutral;
    double _Complex *mu; /* [relevant] the others */
    int              relevant;
    double           largest;                                      /* |mu| */
    double          *dg;                                           /* [2n][p] */
    double          *Dstart, *Dperiod, *Dlength, *Doutput, *Dcost; /* [.][p] */
};

/* The image of m->g; after a failure c->why tells. */
sal_status sal_cycle_image(sal_cycle *c, sal_image *m);
/* |P(g) - g| relative to c->scale. */
double sal_cycle_residual(const sal_cycle *c, const sal_image *m);
/* Whether what has converged is a cycle: its period is not nothing, and the state after the section is one that the
 * scene can start from. */
sal_status sal_cycle_check(sal_cycle *c, const sal_image *m);
/* I - dP/dg, scaled, into the upper left corner of `matrix` with columns of length `size`. */
void sal_cycle_matrix(const sal_cycle *c, const sal_image *m, double *matrix, int size);
void sal_cycle_accept(sal_cycle *c); /* after a good image of the last run: what others are measured by */
void sal_cycle_swap(sal_cycle *c);   /* the trial becomes the image */
/* Takes the multipliers nearest to 1 as neutral, so many; the others are the relevant ones. */
void sal_cycle_select(sal_cycle *c, int neutral);
/* Multipliers and derivatives of the cycle at hand. */
sal_status sal_cycle_finish(sal_cycle *c);
/* Sets a parameter in both runs; the cycle at hand is a guess then. */
sal_status sal_cycle_set_parameter(sal_cycle *c, const char *name, double value);
/* Keeps the reason of a failed image, and gives back its status. */
sal_status sal_cycle_because(sal_cycle *c, sal_status status, const char *format, ...) SAL_PRINTF(3, 4);
/* Whether a failure of an image is one of the search itself: memory, or the caller's wish to stop. */
bool sal_cycle_fatal(sal_status status);

#endif
