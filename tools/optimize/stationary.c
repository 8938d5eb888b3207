/* stationary.c - how far a place is from an optimum, and what its constraints cost.
 *
 * At an optimum df/du + sum_i lambda_i dc_i/du = 0 in every variable that is not at a bound, with lambda_i >= 0 of
 * inequalities that hold with equality. lambda is found by least squares over the variables that are free; the
 * constraint that would pull most is left out, and so on until none does. What a constraint would still give,
 * lambda_i (c_i - b_i), counts as well. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/optimize/problem.h"

static bool at_bound(const problem *p, const evaluation *e, int k)
{
    return e->x[k] <= p->variable[k].low || e->x[k] >= p->variable[k].high;
}

static double product(const problem *p, const evaluation *e, const double *a, const double *b)
{
    double sum = 0.0;

    for (int k = 0; k < p->n; k++) sum += at_bound(p, e, k) ? 0.0 : a[k] * b[k];
    return sum;
}

/* Least squares by Gauss-Seidel on the normal equations, which converges whatever their rank: there are few. */
static void solve(const problem *p, const evaluation *e, const bool *holds, double *lambda)
{
    for (int pass = 0; pass < 2000; pass++) {
        double change = 0.0, size = 0.0;
        for (int i = 0; i < p->m; i++) {
            const double *row = e->gradient + (i + 1) * p->n, square = product(p, e, row, row);
            double        sum = product(p, e, row, e->gradient);
            if (!holds[i] || square == 0.0) continue;
            for (int j = 0; j < p->m; j++) {
                if (j != i && holds[j]) sum += lambda[j] * product(p, e, row, e->gradient + (j + 1) * p->n);
            }
            change    = fmax(change, fabs(-sum / square - lambda[i]));
            lambda[i] = -sum / square;
            size      = fmax(size, fabs(lambda[i]));
        }
        if (change <= 1e-14 * size) return;
    }
}

static double residual(const problem *p, const evaluation *e, const double *lambda)
{
    const double scale = fmax(fabs(e->f), p->slope);
    double       most  = 0.0;

    for (int k = 0; k < p->n; k++) {
        double g = e->gradient[k];
        for (int i = 0; i < p->m; i++) g += lambda[i] * e->gradient[(i + 1) * p->n + k];
        if (e->x[k] <= p->variable[k].low) g = fmin(g, 0.0); /* it would grow towards the bound */
        if (e->x[k] >= p->variable[k].high) g = fmax(g, 0.0);
        most = fmax(most, fabs(g));
    }
    for (int i = 0; i < p->m; i++) most = fmax(most, fabs(lambda[i] * constraint_excess(p, e, i)));
    return scale > 0.0 ? most / scale : most;
}

double stationarity(const problem *p, evaluation *e)
{
    bool   *holds      = need_zeros((size_t)p->m + 1, sizeof *holds);
    double *multiplier = e->multiplier, found;
    int     worst;

    for (int i = 0; i < p->m; i++)
        holds[i] =
            p->constraint[i].is == EQUALS || constraint_excess(p, e, i) > -1e2 * p->tolerance * p->constraint[i].scale;
    do {
        memset(multiplier, 0, (size_t)p->m * sizeof *multiplier);
        solve(p, e, holds, multiplier);
        worst = -1;
        for (int i = 0; i < p->m; i++) {
            if (p->constraint[i].is != EQUALS && multiplier[i] < 0.0 &&
                (worst < 0 || multiplier[i] < multiplier[worst]))
                worst = i;
        }
        if (worst >= 0) holds[worst] = false;
    } while (worst >= 0);
    found = residual(p, e, multiplier);
    free(holds);
    return found;
}
