/* reach.c - a place where the conditions hold, before anything is made less: for functions of time, whose knots are
 * many more than the conditions. By Levenberg's and Marquardt's method for them alone,
 *
 *     (J J^T + mu I) y = -c,      u <- u + J^T y
 *
 * which with so many more variables than conditions is the shortest step that does; mu shortens it where less is gained
 * than derivatives promise. c are the conditions as parts of their scales. Variables stay in their ranges; one at a
 * bound that the step would leave is left out of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/optimize/problem.h"

typedef struct reaching {
    problem *p;
    double  *u, *next, *step; /* [n] */
    double  *J, *c, *later;   /* [m][n] and [m] at u; [m] at the next place */
    bool    *free;            /* [n] */
    double  *K, *y;           /* [m][m], [m] */
} reaching;

/* What is left of the conditions at the last place, as parts of their scales; inequalities that hold are met. */
static void take_conditions(const problem *p, double *c)
{
    for (int i = 0; i < p->m; i++) {
        const double excess = constraint_excess(p, &p->last, i) / p->constraint[i].scale;
        c[i]                = p->constraint[i].is != EQUALS && excess <= 0.0 ? 0.0 : excess;
    }
}

static void take_place(reaching *r)
{
    const problem *p = r->p;

    take_conditions(p, r->c);
    for (int i = 0; i < p->m; i++) {
        const double part = r->c[i] == 0.0 && p->constraint[i].is != EQUALS ? 0.0 : 1.0 / p->constraint[i].scale;
        for (int k = 0; k < p->n; k++) r->J[i * p->n + k] = part * p->last.gradient[(i + 1) * p->n + k];
    }
}

/* The step, by elimination. */
static void solve(reaching *r, double mu)
{
    const int n = r->p->n, m = r->p->m;

    for (int i = 0; i < m; i++) {
        r->y[i] = -r->c[i];
        for (int j = 0; j < m; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += r->free[k] ? r->J[i * n + k] * r->J[j * n + k] : 0.0;
            r->K[i * m + j] = i == j ? sum + mu : sum;
        }
    }
    for (int i = 0; i < m; i++) {
        for (int j = i + 1; j < m; j++) {
            const double f = r->K[j * m + i] / r->K[i * m + i];
            for (int k = i; k < m; k++) r->K[j * m + k] -= f * r->K[i * m + k];
            r->y[j] -= f * r->y[i];
        }
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++) r->y[i] -= r->K[i * m + k] * r->y[k];
        r->y[i] /= r->K[i * m + i];
    }
    for (int k = 0; k < n; k++) {
        r->step[k] = 0.0;
        for (int i = 0; i < m && r->free[k]; i++) r->step[k] += r->J[i * n + k] * r->y[i];
    }
}

/* The next place, within the ranges. */
static void make_next(reaching *r, double mu)
{
    const int n = r->p->n;

    for (int k = 0; k < n; k++) r->free[k] = true;
    for (int pass = 0; pass < 2; pass++) {
        solve(r, mu);
        for (int k = 0; k < n; k++) {
            if ((r->u[k] <= 0.0 && r->step[k] < 0.0) || (r->u[k] >= 1.0 && r->step[k] > 0.0)) r->free[k] = false;
        }
    }
    for (int k = 0; k < n; k++) r->next[k] = fmin(fmax(r->u[k] + (r->free[k] ? r->step[k] : 0.0), 0.0), 1.0);
}

static double square(const double *x, int n)
{
    double sum = 0.0;

    for (int k = 0; k < n; k++) sum += x[k] * x[k];
    return sum;
}

/* What would be left, squared, if the motion were what its derivatives say. */
static double promised(const reaching *r)
{
    double sum = 0.0;

    for (int i = 0; i < r->p->m; i++) {
        double c = r->c[i];
        for (int k = 0; k < r->p->n; k++) c += r->J[i * r->p->n + k] * (r->next[k] - r->u[k]);
        sum += c * c;
    }
    return sum;
}

static void go(reaching *r)
{
    problem     *p     = r->p;
    const double most  = square(r->J, p->m * p->n);
    double       mu    = 0.1 * most;
    long         tries = 0;

    while (p->of_search < p->most && !p->stopped && !p->no_memory && mu < 1e12 * most) {
        const double was = square(r->c, p->m);
        double       now = HUGE_VAL;
        if (was <= 0.25 * p->tolerance * p->tolerance || tries++ > p->most) return;
        make_next(r, mu);
        if (!memcmp(r->next, r->u, (size_t)p->n * sizeof *r->u)) return; /* as near as rounding allows */
        if (problem_at(p, r->next)) {
            take_conditions(p, r->later);
            now = square(r->later, p->m);
        }
        const double gain = (was - now) / (was - promised(r));
        if (now < was) {
            memcpy(r->u, r->next, (size_t)p->n * sizeof *r->u);
            take_place(r);
        }
        if (gain > 0.75) mu *= 0.3;
        else if (!(gain > 0.25)) mu *= 4.0;
    }
}

void reach_conditions(problem *p, double *u)
{
    const size_t n = (size_t)p->n, m = (size_t)p->m + 1;
    reaching     r = { .p     = p,
                       .u     = u,
                       .next  = need_zeros(n, sizeof(double)),
                       .step  = need_zeros(n, sizeof(double)),
                       .J     = need_zeros(n * m, sizeof(double)),
                       .c     = need_zeros(m, sizeof(double)),
                       .later = need_zeros(m, sizeof(double)),
                       .free  = need_zeros(n, sizeof(bool)),
                       .K     = need_zeros(m * m, sizeof(double)),
                       .y     = need_zeros(m, sizeof(double)) };

    if (problem_at(p, u)) {
        take_place(&r);
        go(&r);
    }
    free(r.next);
    free(r.step);
    free(r.J);
    free(r.c);
    free(r.later);
    free(r.free);
    free(r.K);
    free(r.y);
}
