/* problem.h - what saltus optimize minimises, over what, subject to what; and every evaluation of it.
 *
 *     minimise f(x)   low <= x <= high,   c_i(x) <= b_i, >= b_i or = b_i
 *
 * f and c are columns of a sweep (saltus.h), with their exact derivatives through all events. Searches see the
 * variables as parts of their ranges, u = (x - low)/(high - low), from 0 to 1. */
#ifndef SAL_TOOLS_OPTIMIZE_PROBLEM_H
#define SAL_TOOLS_OPTIMIZE_PROBLEM_H

#include "tools/output.h"
#include "tools/variables.h"

typedef enum relation { AT_MOST, AT_LEAST, EQUALS } relation;

typedef struct constraint {
    const char *text; /* as given */
    int         column;
    relation    is;
    double      bound;
    double      scale; /* what its value is measured by */
} constraint;

/* What was found at a place. */
typedef struct evaluation {
    double *x;         /* [n] */
    double *row;       /* [columns of the sweep] */
    double *gradient;  /* [1 + constraints][n] of f and c by u; f is negated where it is maximised */
    double  f;         /* the same */
    double  violation; /* of the constraints, the largest part of their scales; 0: none */
    bool    good;      /* it has values and derivatives */

    double *multiplier; /* [m] of the constraints, 0 of those that leave room */
    double  off;        /* how far it is from stationary */
} evaluation;

typedef struct problem {
    variables       over;
    const variable *variable; /* its [n] */
    int             n;
    const char     *objective; /* as given */
    bool            maximise;
    constraint     *constraint;
    int             m;

    sal_sweep *sweep;
    int        columns, column; /* how many it has; that of f */
    int       *derivative;      /* [1 + m][n] column of the sweep */
    char     **text;            /* copies that names point into */
    int        ntext;

    double     tolerance; /* of the stationarity; constraints hold to it as parts of their scales */
    double     slope;     /* the largest derivative of f by u at the first place */
    long       most;      /* evaluations, of each search */
    long       evaluations, failed, of_search;
    int        search; /* that goes on, from 1 */
    FILE      *history;
    cJSON     *trace;            /* the same for a page: a list of objects; NULL: none */
    evaluation last, here, best; /* best of the search that goes on; of all */
    char       message[512];     /* of the evaluation that failed last */
    sal_status status;           /* of that */
    bool       stopped;          /* by the user */
    bool       no_memory;        /* was left: nothing that was found counts */
} problem;

/* From the options; false after a message, then too with something to free. The session is open. */
bool problem_read(problem *p, const arguments *a, const session *s);
int  problem_open(problem *p, const sal_model *model, const sal_context *context, const sal_sweep_opts *opts);
void problem_free(problem *p);

/* A search begins: nothing is known of it. */
void problem_begin(problem *p);
/* At u [n], unless it was the last place; false: it failed there, or has no derivatives. */
bool problem_at(problem *p, const double *u);
/* c_i - b_i of the last place, as what shall be <= 0 or 0. */
double constraint_excess(const problem *p, const evaluation *e, int i);

/* How far a place is from stationary: the largest component of
 *
 *     g = df/du + sum_i lambda_i dc_i/du
 *
 * that its bound does not take, over the larger of |f| and the largest df/du at the start. e->multiplier gets
 * lambda, by least squares over the constraints that hold with equality, none of which pulls; 0 of the others. */
double stationarity(const problem *p, evaluation *e);

/* reach.c: from the place u [n] to one where the conditions hold, as far as can be. */
void reach_conditions(problem *p, double *u);

/* ---------------------------------------------------------------------------------------- search.c */

enum { METHODS = 3 };

typedef struct searched {
    const char *why;            /* it ended */
    int         tries[METHODS]; /* how often each method was begun */
    int         method;         /* that gained last */
} searched;

const char *const *search_methods(void); /* [METHODS], ended by NULL; the first is the usual one */
bool               search_takes(const problem *p, int method); /* false after a message */
/* From the place u [n], which has been evaluated, by the method, and by others where that sticks. */
searched search_from(problem *p, int method, double *u);

#endif
