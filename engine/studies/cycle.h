/* cycle.h - periodic motions: the return map and what is kept of it; private to the engine.
 *
 * The unknowns are g, the n coordinates and n velocities of the free points at the start, as they are given to a run,
 * and the memory m that feeds back (feedback.c); the run starts at Pi(g, rho), assembled. With x+ the state just after
 * the section, or after the period, and S the exchange of points and memory and the translation by which the origin
 * comes back to its place c(rho), that where the scene puts it,
 *
 *     P(g, rho) = S(x+),     dx+ = [ Q+ + v+ tau' ; V+ + a+ tau' ; m+' ]    tau' = dt/d(g, rho) of the section, or T'
 *
 * exact by the sensitivities of the run with respect to all initial values and parameters: w = size + p columns, size =
 * 2n + unknown memory. Memory that is read by conditions alone goes on behind it, without derivatives. */
#ifndef SAL_CYCLE_H
#define SAL_CYCLE_H

#include "engine/base/tolerance.h"
#include "engine/solve/solve.h"
#include "engine/run/run.h"

typedef struct sal_image { /* one start and what the map makes of it; derivatives are [.][w] */
    double *g;             /* [state] */
    double *start, *dstart;
    double *end, *dend; /* P(g), all steps */
    double *between;    /* [steps][state] after each step */
    double  period, advance[2];
    double *dperiod, *dadvance;
    double  back[2];          /* by which everything was brought back after the first step, */
    double *dback;            /* [2][w] */
    double *output, *doutput; /* at the start */
    double *cost, *dcost;
} sal_image;

typedef struct sal_known { /* a cycle, and the parameters that it belongs to */
    bool    found;
    double *g, *dg; /* [state], [size][p] */
    double *value;  /* [parameters] */
    bool   *closed; /* [pairs] */
} sal_known;

struct sal_cycle {
    sal_context     *context;
    sal_pool         pool;
    const sal_model *model;
    sal_cycle_opts   opts;
    int              section; /* event, -1: closes after the period, */
    sal_slot         period;  /* SAL_NONE: with a section */
    int              n, p, w;
    int              size, state; /* unknowns, 2n + those of memory; with the memory that only decides */
    int             *memory;      /* [state - 2n] index in the tables */
    double          *moves;       /* [state - 2n][2] how memory moves with everything else along the axes, 0 or 1 */
    const char     **initial;     /* [state] "initial(P.x)", "initial(NAME)" */
    const char     **wrt;         /* [p] */
    sal_run         *home;        /* starts where the scene says */
    sal_run         *run;         /* starts at g */
    sal_run         *plain;       /* the same without sensitivities, to look at what it passes */

    sal_image now, trial;
    bool      guessed;   /* now.g holds a first guess or a cycle; else the scene's start is one */
    bool      set;       /* the caller has set a part of it */
    sal_known known;     /* the cycle found last */
    double   *target;    /* [parameters] that a cycle is looked for, NaN: by its expression */
    double   *way;       /* [2][parameters] workspace on the way there */
    double    first;     /* period of the first guess [s] */
    double   *guess;     /* [state] the first one */
    double   *scale;     /* [state] sizes of positions, velocities and memory */
    double    typical;   /* time of one step in the last image, 0: not known yet [s] */
    long      run_steps; /* steps of the integrator it took */
    int       iterations;
    char      why[1200]; /* the last image failed */
    char      ends[400]; /* the motion, followed from the start, does */

    double *at;                /* [state] start of a step */
    int     pairs;             /* that can touch; over a period, whose start may be anywhere, which do */
    bool   *closed, *carried;  /* [pairs] at the start, and at the start of a step or after the last */
    int     holding;           /* constraints at the start */
    bool    opened;            /* the last image has failed as they differ */
    double *tau;               /* [w] tau' */
    double *local, *G, *chain; /* [size][w] of one step; d(start of the step)/d(g, rho); workspace */
    double *place, *dplace;    /* [2], [2][w] the origin at the start of a step */
    double *row;               /* [w] */
    double *matrix, *rhs;      /* [(size + 1)^2], [(size + 1) * max(p, 1)] */

    sal_dense        dense;
    double          *re, *im; /* [size] multipliers, `neutral` of them 1 as cycles come in families */
    int              multipliers, neutral;
    double _Complex *mu; /* [relevant] the others */
    int              relevant;
    double           largest;                                      /* |mu| */
    double          *dg;                                           /* [size][p] */
    double          *Dstart, *Dperiod, *Dlength, *Doutput, *Dcost; /* [.][p] */
};

/* feedback.c: which memory is part of the state: c->memory, c->size, c->state. */
sal_status sal_cycle_find_memory(sal_cycle *c);

/* symmetry.c: how memory moves when everything is moved along an axis: c->moves. */
sal_status sal_cycle_find_moves(sal_cycle *c);
/* Whether the motion does not notice by what S moves it, in space and time, along the way of now.g. */
sal_status sal_cycle_check_symmetry(sal_cycle *c);

/* return_map.c: the image of m->g; after a failure c->why tells. */
sal_status sal_cycle_image(sal_cycle *c, sal_image *m);
/* Starts one of the runs at a state [state]; over a period with these contacts closed. */
sal_status sal_cycle_begin(sal_cycle *c, sal_run *run, const double *at, const bool *closed);
/* Whether the step of a run has come to its end: SAL_OK, SAL_END: not yet; how a step has failed, in c->why. */
sal_status sal_cycle_go_on(sal_cycle *c, sal_run *run);

/* The name of the section, or "the period". */
const char *sal_cycle_closes(const sal_cycle *c);
/* Without a guess the scene's start is one. */
void sal_cycle_guess_home(sal_cycle *c);
/* Of two states, relative to c->scale. */
double sal_cycle_distance(const sal_cycle *c, const double *x, const double *y);
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
