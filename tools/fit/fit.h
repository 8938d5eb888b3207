/* fit.h - parameters of a scene from what was measured.
 *
 *     minimise  chi2(x) = sum_i r_i^2,     r_i = (motion_i(x) - measured_i)/sigma_i
 *
 * over the samples of all experiments, by Levenberg's and Marquardt's method on the exact Jacobian through all events:
 *
 *     (J^T J + mu D^2) dx = -J^T r,   D: the largest column norms so far                      (search.c)
 *     C = (J^T J)^-1                  covariance of x, where sigma is that of the noise        (statistics.c)
 *
 * With J D^-1 = U S V^T both are sums over singular values, and where one of these is next to nothing its vector is a
 * combination of the parameters that the data cannot tell. Our own search and not MINPACK's: it keeps to ranges, and an
 * evaluation that fails (no assembly, an end before the last sample) shortens the step. */
#ifndef SAL_TOOLS_FIT_H
#define SAL_TOOLS_FIT_H

#include <stdint.h>

#include "tools/output.h"
#include "tools/variables.h"

/* ------------------------------------------------------------------------------------------ data.c */

typedef struct quantity { /* that was measured */
    char      *expression;
    double     sigma;  /* standard deviation of its noise */
    bool       given;  /* that was told; else it is estimated */
    double     spread; /* standard deviation of what was measured, about its mean */
    long       n;      /* samples */
    sal_probe *probe;
} quantity;

typedef struct sample {
    double t, value;
    int    quantity;
} sample;

typedef struct experiment {
    char        *file;
    sal_setting *set; /* its own */
    int          nset;
    char        *text; /* that these point into */
    sample      *at;   /* by time */
    long         n;
    sal_run     *run;
} experiment;

typedef struct dataset {
    quantity   *quantity;
    experiment *experiment;
    int         nquantity, nexperiment;
    long        n; /* samples of all */
} dataset;

/* The files of the command line, FILE or FILE:NAME=VALUE,...; 0 or an exit code, message printed with its place. */
int  data_read(dataset *d, const arguments *a, const session *s);
void data_free(dataset *d);

/* ----------------------------------------------------------------------------------------- model.c */

#define DELAY \
    "delay" /* the name of a variable that is none of the scene: what was measured at t is motion(t + delay) */

typedef struct fitting {
    const arguments *a;
    session         *s;
    dataset          data;
    variables        over;
    int              delay; /* which of these is the delay, -1: none */
    const char     **wrt;   /* the others [nwrt] */
    int              nwrt;

    double *x, *r, *J; /* the best so far: [n], [m], [n][m] */
    double *motion;    /* [m] */
    double  chi2;
    double *trial_x, *trial_r, *trial_J, *trial_motion;

    long        evaluations, failed;
    int         rounds;                /* of estimating sigma */
    int         starts;                /* searches */
    int         here, elsewhere, lost; /* how many of them came to the best place, to others, to none */
    bool        stopped, converged;
    bool        no_memory;    /* was left: nothing that was found counts */
    char        message[512]; /* of the evaluation that failed last */
    sal_status  status;
    const char *why; /* the search ended */
} fitting;

int  model_open(fitting *f); /* 0 or an exit code, message printed */
void model_close(fitting *f);
bool model_at(fitting *f, const double *x, double *motion, double *J); /* unweighted; false: it failed there */
/* The norm of a column of J, 0 where that is rounding: where all of the variable, or all of its range, would change the
 * motion by less than derivatives are good for. */
double column_norm(const fitting *f, int k);
double weigh(const fitting *f, const double *motion, double *J, double *r); /* by sigma, J in place; gives chi2 */

/* ---------------------------------------------------------------------------------------- search.c */

/* From the place x; false: it fails there. */
bool search_once(fitting *f, double tolerance, long evaluations);

/* ---------------------------------------------------------------------------------------- starts.c */

/* The best of f->starts searches, of so many evaluations each: 0 or an exit code, message printed. */
int search_fit(fitting *f, double tolerance, long evaluations, uint64_t seed);

/* ------------------------------------------------------------------------------------ statistics.c */

typedef struct statistics {
    int     n;
    double *error;      /* [n] standard errors; NaN: not told, or at a bound */
    double *covariance; /* [n][n]; of what is told */
    double *singular;   /* [n] singular values, the largest first */
    double *direction;  /* [n][n] their combinations of parameters, relative to what one column norm is worth */
    int     untold;     /* the last so many cannot be told */
    bool   *held;       /* [n] at a bound */
    double  quantile;   /* half width of the interval in standard errors */
    long    freedom;    /* samples less parameters */
} statistics;

statistics statistics_of(const fitting *f, double confidence);
void       statistics_free(statistics *t);
/* How alike residuals of a quantity are that follow each other: their correlation; of noise it scatters about zero by
 * one over the root of their number. 0 where they are next to nothing. */
double likeness(const fitting *f, int q);
double band(const fitting *f, const statistics *t, long i); /* standard error of the motion at sample i */

/* ------------------------------------------------------------------------------------------- svd.c */

/* A = U S V^T by one-sided Jacobi rotations: A, n columns of m numbers, becomes U S; V [n][n] by columns; S falls. */
void singular_values(double *A, long m, int n, double *S, double *V);

#endif
