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

/* Least squares by the normal equations, scaled to a diagonal of 1; what depends on others gets none. */
static void solve(const problem *p, const evaluation *e, const bool *holds, double *lambda)
{
    const int m = p->m;
    double   *K = need_zeros((size_t)(m * (m + 1)) + 1, sizeof *K), *size = need_zeros((size_t)m + 1, sizeof *size);

    for (int i = 0; i < m; i++) {
        const double *row = e->gradient + (i + 1) * p->n;
        size[i]           = holds[i] ? sqrt(product(p, e, row, row)) : 0.0;
    }
    for (int i = 0; i < m; i++) {
        const double *row = e->gradient + (i + 1) * p->n;
        for (int j = 0; j < m && size[i] > 0.0; j++)
            if (size[j] > 0.0)
                K[i * (m + 1) + j] = product(p, e, row, e->gradient + (j + 1) * p->n) / size[i] / size[j];
        if (size[i] > 0.0) K[i * (m + 1) + m] = -product(p, e, row, e->gradient) / size[i];
    }
    for (int i = 0; i < m; i++) {
        double *row = K + i * (m + 1);
        for (int j = 0; j < m; j++) {
            double *other = K + j * (m + 1);
            if (j == i || row[i] < 1e-13) continue;
            const double f = other[i] / row[i];
            for (int k = i; k <= m; k++) other[k] -= f * row[k];
        }
    }
    for (int i = 0; i < m; i++) {
        const double *row = K + i * (m + 1);
        lambda[i]         = row[i] < 1e-13 ? 0.0 : row[m] / row[i] / size[i];
    }
    free(K);
    free(size);
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
