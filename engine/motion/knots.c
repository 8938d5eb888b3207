/* knots.c - parameters that are functions of time, u(t) by knots u_j: the piece that holds, and its derivatives.
 *
 * Steps have n pieces of length h = (to - from)/n, straight lines and cubics n - 1 of (to - from)/(n - 1). With s = t -
 * begin of piece i,
 *
 *     steps    u = u_i
 *     linear   u = u_i + s (u_i+1 - u_i)/h
 *     cubic    u = u_i + s ((u_i+1 - u_i)/h - h (2 M_i + M_i+1)/6) + s^2 M_i/2 + s^3 (M_i+1 - M_i)/(6 h)
 *              M_j-1 + 4 M_j + M_j+1 = 6/h^2 (u_j-1 - 2 u_j + u_j+1),   M_0 = M_n-1 = 0         a natural spline
 *
 * Before the first and after the last knot u stays. The factors of the powers of s stand in slots: formulas read
 * them, whatever the number of knots, and a piece ends at an event of the engine's own (sides.c), which the steps of a
 * run end at (loop.c). They are linear in the knots, so their derivatives are what they would be of a knot of 1 among
 * zeros; dM_i is a row of the inverse of the tridiagonal matrix, which is symmetric: one solution of it. Along a row
 * numbers fall by 2 - sqrt(3) from knot to knot: SAL_KNOTS_REACH away they are far below rounding, and zero here. So a
 * spline is as local as straight lines are, but for its width. */
#include <math.h>
#include <string.h>

#include "engine/base/vector.h"
#include "engine/motion/motion.h"

static const double FAR = 1e300;

static int pieces(const sal_vector *v)
{
    return v->kind == SAL_KNOTS_STEPS ? v->n : v->n - 1;
}

static double spacing(const sal_vector *v)
{
    return (v->to - v->from) / pieces(v);
}

/* When piece i begins. */
static double begin_of(const sal_vector *v, int i)
{
    return i == pieces(v) ? v->to : v->from + i * spacing(v);
}

int sal_knots_longest(const sal_tables *tables)
{
    int n = 0;

    for (int k = 0; k < tables->vectors.n; k++) n = tables->vectors.at[k].n > n ? tables->vectors.at[k].n : n;
    return n;
}

/* x_j-1 + 4 x_j + x_j+1 = r_j for 0 < j < n - 1, in place, x_0 = x_n-1 = 0; work [n]. */
static void solve_bends(double *x, double *work, int n)
{
    x[0] = x[n - 1] = 0.0;
    if (n < 3) return;
    work[1] = 0.25;
    x[1] *= 0.25;
    for (int j = 2; j < n - 1; j++) {
        work[j] = 1.0 / (4.0 - work[j - 1]);
        x[j]    = (x[j] - x[j - 1]) * work[j];
    }
    for (int j = n - 3; j > 0; j--) x[j] -= work[j] * x[j + 1];
}

/* The factors from what is known of both ends of piece i. */
static void make_factors(const sal_vector *v, double u, double next, double bend, double next_bend, double factor[4])
{
    const double h = spacing(v);

    memset(factor, 0, 4 * sizeof *factor);
    factor[0] = u;
    if (v->kind == SAL_KNOTS_STEPS) return;
    factor[1] = (next - u) / h - h * (2.0 * bend + next_bend) / 6.0;
    factor[2] = 0.5 * bend;
    factor[3] = (next_bend - bend) / (6.0 * h);
}

void sal_knots_set(sal_system *s, const double *given)
{
    const sal_tables *t = s->model->tables;

    for (int k = 0; k < t->vectors.n; k++) {
        const sal_vector *v = &t->vectors.at[k];
        double           *u = s->knot + v->first - t->scalars, *bend = s->bend + v->first - t->scalars;
        const double      h = spacing(v);
        for (int j = 0; j < v->n; j++) u[j] = isnan(given[v->first + j]) ? v->start[j] : given[v->first + j];
        if (v->kind != SAL_KNOTS_CUBIC) continue;
        for (int j = 1; j < v->n - 1; j++) bend[j] = 6.0 / (h * h) * (u[j - 1] - 2.0 * u[j] + u[j + 1]);
        solve_bends(bend, s->bends, v->n);
    }
}

/* The knot whose value holds where piece i has no two ends, -1: it has. */
static int constant_in(const sal_vector *v, int i)
{
    if (v->kind == SAL_KNOTS_STEPS) return i;
    return i < 0 ? 0 : i >= pieces(v) ? v->n - 1 : -1;
}

static void take_piece(sal_system *s, const sal_vector *v, int i)
{
    const int     first = v->first - s->model->tables->scalars, last = pieces(v), one = constant_in(v, i);
    const double *u = s->knot + first, *bend = s->bend + first;
    double       *window = s->z + v->window;
    const bool    steps = v->kind == SAL_KNOTS_STEPS, ends = i < (steps ? last - 1 : last);

    window[SAL_PIECE_INDEX] = i;
    window[SAL_PIECE_BEGIN] = begin_of(v, i < 0 ? 0 : i);
    window[SAL_PIECE_END]   = ends ? begin_of(v, i + 1) : FAR;
    if (one >= 0) make_factors(v, u[one], u[one], 0.0, 0.0, window + SAL_PIECE_FACTORS);
    else make_factors(v, u[i], u[i + 1], bend[i], bend[i + 1], window + SAL_PIECE_FACTORS);
}

void sal_knots_start(sal_system *s, double t)
{
    for (int k = 0; k < s->model->tables->vectors.n; k++) {
        const sal_vector *v     = &s->model->tables->vectors.at[k];
        const int         least = v->kind == SAL_KNOTS_STEPS ? 0 : -1, most = pieces(v) + least;
        int               i = (int)fmin(fmax(floor((t - v->from) / spacing(v)), least), most);
        while (i < most && t >= begin_of(v, i + 1)) i++; /* what a quotient is rounded to */
        while (i > least && t < begin_of(v, i)) i--;
        take_piece(s, v, i);
    }
}

void sal_knots_next(sal_system *s, int vector)
{
    const sal_vector *v = &s->model->tables->vectors.at[vector];

    take_piece(s, v, (int)s->z[v->window + SAL_PIECE_INDEX] + 1);
}

/* x = row i of the inverse matrix; dM_i/du_j. */
static double bend_change(const double *x, int n, int i, int j, double h)
{
    const double before = j > 1 ? x[j - 1] : 0.0, here = j > 0 && j < n - 1 ? x[j] : 0.0,
                 after = j < n - 2 ? x[j + 1] : 0.0;

    return i <= 0 || i >= n - 1 ? 0.0 : 6.0 / (h * h) * (before - 2.0 * here + after);
}

static void unit_row(double *x, double *work, int n, int i)
{
    const int first = i > SAL_KNOTS_REACH ? i - SAL_KNOTS_REACH : 0;
    const int last  = i + SAL_KNOTS_REACH < n - 1 ? i + SAL_KNOTS_REACH : n - 1;

    memset(x, 0, sizeof *x * (size_t)n);
    x[i] = 1.0;
    solve_bends(x + first, work, last - first + 1);
}

int sal_knots_reach(const sal_vector *v)
{
    return v->kind == SAL_KNOTS_CUBIC ? SAL_KNOTS_REACH : 0;
}

double sal_knots_change(sal_system *s, int vector, int knot, double factor[4])
{
    const sal_vector *v = &s->model->tables->vectors.at[vector];
    const int         i = (int)s->z[v->window + SAL_PIECE_INDEX], one = constant_in(v, i);
    double           *x = s->bends, *y = x + v->n, bend = 0.0, next = 0.0, sum = 0.0;

    if (one < 0 && v->kind == SAL_KNOTS_CUBIC) {
        bend = bend_change(x, v->n, i, knot, spacing(v));
        next = bend_change(y, v->n, i + 1, knot, spacing(v));
    }
    if (one >= 0) make_factors(v, one == knot, one == knot, 0.0, 0.0, factor);
    else make_factors(v, i == knot, i + 1 == knot, bend, next, factor);
    for (int k = 0; k < 4; k++) sum += fabs(factor[k]);
    return sum;
}

void sal_knots_prepare(sal_system *s, int vector)
{
    const sal_vector *v = &s->model->tables->vectors.at[vector];
    const int         i = (int)s->z[v->window + SAL_PIECE_INDEX];

    if (v->kind != SAL_KNOTS_CUBIC || constant_in(v, i) >= 0) return;
    unit_row(s->bends, s->bends + 2 * v->n, v->n, i);
    unit_row(s->bends + v->n, s->bends + 2 * v->n, v->n, i + 1);
}

static void rows_of(sal_tangent *t, sal_system *s, int vector)
{
    const sal_vector *v = &s->model->tables->vectors.at[vector];

    memset(SAL_ROW(t->z, v->window, t->p), 0, sizeof *t->z * (size_t)(SAL_PIECE_SLOTS * t->p));
    sal_knots_prepare(s, vector);
    for (int c = 0; c < t->p; c++) {
        const int knot = t->wrt[c].parameter - v->first;
        double    factor[4];
        if (t->wrt[c].parameter < 0 || knot < 0 || knot >= v->n || sal_knots_change(s, vector, knot, factor) == 0.0)
            continue;
        for (int k = 0; k < 4; k++) SAL_ROW(t->z, v->window + SAL_PIECE_FACTORS + k, t->p)[c] = factor[k];
    }
}

void sal_knots_alone(sal_tangent *t, const sal_system *s)
{
    const sal_tables *tables = s->model->tables;

    for (int k = 0; k < tables->vectors.n; k++) {
        const sal_slot first = tables->vectors.at[k].window + SAL_PIECE_FACTORS;
        for (int c = 0; c < t->p; c++) {
            if (t->wrt[c].alone >= first && t->wrt[c].alone < first + 4) SAL_ROW(t->z, t->wrt[c].alone, t->p)[c] = 1.0;
        }
    }
}

void sal_knots_pull(sal_pullback *t, sal_system *s, const int *of_knot, double *gradient)
{
    const sal_tables *tables = s->model->tables;

    for (int k = 0; k < tables->vectors.n; k++) {
        const sal_vector *v     = &tables->vectors.at[k];
        double           *bar   = t->z + v->window + SAL_PIECE_FACTORS;
        const int         i     = (int)s->z[v->window + SAL_PIECE_INDEX];
        const int         reach = sal_knots_reach(v), first = i > reach ? i - reach : 0;
        sal_knots_prepare(s, k);
        for (int j = first; j < v->n && j <= i + 1 + reach; j++) {
            const int to = of_knot[v->first - tables->scalars + j];
            double    factor[4];
            if (to < 0 || sal_knots_change(s, k, j, factor) == 0.0) continue;
            for (int f = 0; f < 4; f++) gradient[to] += bar[f] * factor[f];
        }
        memset(bar, 0, 4 * sizeof *bar);
    }
}

void sal_knots_rows(sal_tangent *t, sal_system *s)
{
    for (int k = 0; k < s->model->tables->vectors.n; k++) rows_of(t, s, k);
}

double sal_knots_end(const sal_system *s, int *vector)
{
    double end = FAR;

    *vector = -1;
    for (int k = 0; k < s->model->tables->vectors.n; k++) {
        const double its = s->z[s->model->tables->vectors.at[k].window + SAL_PIECE_END];
        if (its >= end) continue;
        end     = its;
        *vector = k;
    }
    return end;
}
