/* radau.c - Radau IIA with three stages, order 5, for what is stiff (Hairer, Wanner: Solving Ordinary Differential
 * Equations II, sections IV.5 and IV.8).
 *
 *     Y_i = y0 + Z_i,   sum_j B_ij Z_j = f(t + c_i h, Y_i),   B = A^-1/h,   y1 = Y_3
 *     c = (4 - sqrt 6)/10, (4 + sqrt 6)/10, 1
 *
 * Newton's method for all stages together, each with its own J:  sum_j B_ij dZ_j - J_i dZ_i = f_i - sum_j B_ij Z_j. It
 * begins where the polynomial of the step before goes on, or at Z = 0, with J at (t, y0); where that J does not do, it
 * goes on with those of the stages. (One J for all, by which the stages are usually decoupled into a real and a complex
 * system, does not do where what is stiff turns: it lets a step be as long as k w h^3/m is small, k a stiffness that
 * turns with w. A pendulum on a spring of 1e8 N/m takes 7286 steps a second so, and 93 with these.)
 *
 * An iterate from which what is stiff is far off, by a stretch e of a spring, has its forces k e, where those of the
 * step are w^2: J there, with the stiffness k e/l across it, leads astray. So a stage whose residual would change y by
 * more than its size gives way first, by itself, in linearly implicit steps of Euler's over a tenth of h: what is stiff
 * goes where it wants to be, what is not hardly moves. (The pendulum on a spring of 1e16 N/m takes 103 steps a second
 * so, and 3764 without.)
 *
 * Components that follow the others, sensitivities of them, have the same J and come after them: their equations are
 * linear. Where f depends on a component's neighbours and not on itself, an integral, J is 0.
 *
 *     error = (g/h - J)^-1 (f(y0) + sum_i e_i Z_i/h),      of h^4; where it is too large once more with f(y0 + error)
 *
 * g is the real eigenvalue of A^-1. Integrals that take no part in step control are not damped by it,
 * h f(y0) + sum e_i Z_i: the power of a damper may be error at the stages alone, where velocities are of h^3, and
 * nothing at the end. Dense output: the polynomial of degree 3 through y0 and the stages. */
#include "engine/steppers/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STAGES = SAL_STEP_STAGES, DEGREE = 3 };

/* The polynomial of a step: its length (0: there is none), and Z; Z[2] = y1 - y0 as corrected. One piece of memory. */
typedef struct polynomial {
    double *h, *Z[STAGES];
} polynomial;

typedef struct radau {
    polynomial now, last; /* of the step tried last, of the step before it */
    double    *f[STAGES];
    double    *slope[2];
    double     c[STAGES], g, e[STAGES];
    double     A[STAGES][STAGES], inverse[STAGES][STAGES];
    double     hA[STAGES][STAGES], B[STAGES][STAGES];
} radau;

/* Of a 3 x 3 matrix, by its minors. */
static void invert(const double (*a)[STAGES], double (*out)[STAGES])
{
    double det = 0.0;

    for (int i = 0; i < STAGES; i++) {
        for (int j = 0; j < STAGES; j++) {
            const int r = (j + 1) % STAGES, s = (j + 2) % STAGES, k = (i + 1) % STAGES, l = (i + 2) % STAGES;
            out[i][j] = a[r][k] * a[s][l] - a[r][l] * a[s][k];
        }
    }
    for (int i = 0; i < STAGES; i++) det += a[0][i] * out[i][0];
    for (int i = 0; i < STAGES * STAGES; i++) out[i / STAGES][i % STAGES] /= det;
}

static polynomial new_polynomial(sal_pool *pool, int n)
{
    polynomial p = { .h = SAL_NEW(pool, double, 1 + STAGES * n) };

    for (int i = 0; i < STAGES && p.h; i++) p.Z[i] = p.h + 1 + i * n;
    return p;
}

static sal_status init(sal_stepper *s, sal_pool *pool)
{
    radau       *own               = SAL_NEW(pool, radau, 1);
    const double r                 = sqrt(6.0);
    const double A[STAGES][STAGES] = {
        { (88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0 },
        { (296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0 },
        { (16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0 },
    };

    if (!own) return SAL_ERR_MEMORY;
    s->own = own;
    memcpy(own->A, A, sizeof A);
    invert(A, own->inverse);
    own->c[0] = (4.0 - r) / 10.0;
    own->c[1] = (4.0 + r) / 10.0;
    own->c[2] = 1.0;
    own->g    = 30.0 / (6.0 + cbrt(81.0) - cbrt(9.0));
    own->e[0] = -(13.0 + 7.0 * r) / 3.0;
    own->e[1] = (-13.0 + 7.0 * r) / 3.0;
    own->e[2] = -1.0 / 3.0;
    own->now  = new_polynomial(pool, s->n);
    own->last = new_polynomial(pool, s->n);
    for (int i = 0; i < STAGES; i++) own->f[i] = SAL_NEW(pool, double, s->n);
    for (int i = 0; i < 2; i++) own->slope[i] = SAL_NEW(pool, double, s->n);
    return pool->failed ? SAL_ERR_MEMORY : SAL_OK;
}

/* ------------------------------------------------------------------------------- Newton's method */

static sal_trial evaluate_stage(sal_stepper *s, double h, int i, bool linearize)
{
    const radau *own = s->own;
    sal_trial    trial;

    for (int k = 0; k < s->active; k++) s->work[k] = s->y0[k] + own->now.Z[i][k];
    trial = sal_stepper_evaluate(s, s->t + own->c[i] * h, s->work, own->f[i]);
    if (trial == SAL_TRIED && linearize) s->flow.linearize(s->flow.self, i);
    return trial;
}

/* f of all stages, with their J where that is asked for. */
static sal_trial evaluate_stages(sal_stepper *s, double h, bool linearize)
{
    const radau *own   = s->own;
    sal_trial    trial = SAL_TRIED;

    for (int i = 0; i < STAGES && trial == SAL_TRIED; i++) trial = evaluate_stage(s, h, i, linearize);
    return trial == SAL_TRIED && linearize ? s->flow.factor_stages(s->flow.self, own->B, own->hA) : trial;
}

/* f - sum_j B_ij Z_j of a stage, into work. Gives the largest over y/h: by how much it would change y in the step. */
static double find_residual(sal_stepper *s, double h, int i)
{
    const radau *own  = s->own;
    double       most = 0.0;

    for (int k = 0; k < s->active; k++) {
        s->work[k] = own->f[i][k] - own->B[i][0] * own->now.Z[0][k] - own->B[i][1] * own->now.Z[1][k] -
                     own->B[i][2] * own->now.Z[2][k];
        most = fmax(most, h * fabs(s->work[k]) / (s->atol / s->rtol + fabs(s->y0[k])));
    }
    return most;
}

/* Lets each stage alone give way to what is stiff, for a part tau of the step: (1/tau - J_i) dZ_i = its residual. */
static sal_trial relax_stages(sal_stepper *s, double h, bool *relaxed)
{
    enum { OFTEN = 4 };
    const double far = 10.0, tau = 0.1 * h;
    const radau *own   = s->own;
    sal_trial    trial = SAL_TRIED;

    *relaxed = false;
    for (int i = 0; i < STAGES; i++) {
        for (int k = 0; k < OFTEN && trial == SAL_TRIED && find_residual(s, h, i) > far; k++) {
            *relaxed = true;
            trial    = evaluate_stage(s, h, i, true);
            if (trial != SAL_TRIED) return trial;
            find_residual(s, h, i);
            trial = s->flow.relax(s->flow.self, i, 1.0 / tau, s->work);
            for (int c = 0; c < s->active; c++) own->now.Z[i][c] += s->work[c];
            if (trial == SAL_TRIED) trial = evaluate_stage(s, h, i, false);
        }
    }
    return trial;
}

/* One pass over components from .. to - 1; *size: of the change, 1 where it is as large as the tolerance. */
static sal_trial iterate(sal_stepper *s, int from, int to, double *size)
{
    const radau *own     = s->own;
    double       sum     = 0.0;
    int          counted = 0;

    for (int k = from; k < to; k++) {
        for (int i = 0; i < STAGES; i++)
            own->f[i][k] -=
                own->B[i][0] * own->now.Z[0][k] + own->B[i][1] * own->now.Z[1][k] + own->B[i][2] * own->now.Z[2][k];
    }
    s->flow.solve_stages(s->flow.self, from, to, own->f);
    for (int k = from; k < to; k++) {
        const double scale  = s->atol + s->rtol * fabs(s->y0[k]);
        const bool   counts = k < s->spared || k >= s->spared + s->nspared;
        for (int i = 0; i < STAGES; i++) {
            own->now.Z[i][k] += own->f[i][k];
            if (counts) sum += own->f[i][k] * own->f[i][k] / (scale * scale);
        }
        counted += counts;
    }
    *size = counted ? sqrt(sum / (STAGES * counted)) : 0.0;
    return isfinite(*size) ? SAL_TRIED : SAL_TRY_NUMBER;
}

/* Until what is left is nothing beside the tolerance, and the end of the step no noise to the events in it; or until
 * rounding lets changes shrink no more: what is stiff knows velocities to rounding of positions over h only, and longer
 * steps know them better. */
static sal_trial converge(sal_stepper *s, double h, int from, int to)
{
    enum { PASSES = 12 };
    const double small = 1e-3, noise = 0.3, least = fmax(1e-6, 4.0 * DBL_EPSILON / s->rtol), slow = 0.02;
    double       size = 0.0, last = 0.0, rate = from > 0 || s->flow.within ? 1.0 : 0.0;

    for (int pass = 0; pass < PASSES; pass++) {
        bool      relaxed = false;
        sal_trial trial   = evaluate_stages(s, h, rate > slow);
        if (trial == SAL_TRIED && from == 0 && !s->flow.within) trial = relax_stages(s, h, &relaxed);
        if (trial == SAL_TRIED && relaxed) trial = evaluate_stages(s, h, true);
        if (trial == SAL_TRIED) trial = iterate(s, from, to, &size);
        if (trial != SAL_TRIED) return trial;
        if (size == 0.0) return SAL_TRIED;
        rate = pass > 0 ? size / last : rate;
        if (pass > 0 && size <= small && (rate >= 0.5 || rate / (1.0 - rate) * size <= least)) return SAL_TRIED;
        if (pass > 2 && rate >= 1.0 && size > noise) return SAL_TRY_DIVERGED;
        last = size;
    }
    return size <= noise && rate > 0.5 ? SAL_TRIED : SAL_TRY_DIVERGED;
}

/* Weights of the stages in a polynomial that is 0 at 0. */
static void weigh(const radau *own, double theta, double *l)
{
    const double *c = own->c;

    for (int i = 0; i < STAGES; i++) {
        l[i] = theta / c[i];
        for (int j = 0; j < STAGES; j++) {
            if (j != i) l[i] *= (theta - c[j]) / (c[i] - c[j]);
        }
    }
}

/* Where the stages are by the step before. Beyond three times its length that says nothing. */
static void predict(sal_stepper *s, double h)
{
    const radau *own  = s->own;
    const double last = *own->last.h;

    for (int i = 0; i < STAGES; i++) {
        double l[STAGES];
        memset(own->now.Z[i], 0, sizeof(double) * (size_t)s->active);
        if (!(h <= 3.0 * last)) continue;
        weigh(own, 1.0 + own->c[i] * h / last, l);
        l[2] -= 1.0;
        for (int k = 0; k < s->active; k++)
            own->now.Z[i][k] = l[0] * own->last.Z[0][k] + l[1] * own->last.Z[1][k] + l[2] * own->last.Z[2][k];
    }
}

static sal_trial solve_stages(sal_stepper *s, double h)
{
    radau    *own    = s->own;
    const int active = s->active, alone = s->alone < active ? s->alone : active;
    sal_trial trial;

    predict(s, h);
    for (int i = 0; i < STAGES; i++) {
        for (int j = 0; j < STAGES; j++) {
            own->hA[i][j] = h * own->A[i][j];
            own->B[i][j]  = own->inverse[i][j] / h;
        }
    }
    s->flow.like_beginning(s->flow.self);
    trial = s->flow.factor_stages(s->flow.self, own->B, own->hA);
    if (trial != SAL_TRIED) return trial;
    s->active = alone;
    trial     = converge(s, h, 0, alone);
    s->active = active;
    return trial == SAL_TRIED && active > alone ? converge(s, h, alone, active) : trial;
}

/* -------------------------------------------------------------------------------------- the step */

/* Of components that control steps, into work. */
static double measure(sal_stepper *s, const double *f, double h)
{
    const radau *own = s->own;

    for (int k = 0; k < s->control; k++)
        s->work[k] =
            f[k] + (own->e[0] * own->now.Z[0][k] + own->e[1] * own->now.Z[1][k] + own->e[2] * own->now.Z[2][k]) / h;
    s->flow.solve(s->flow.self, s->control, s->work);
    return sal_stepper_norm(s, s->work);
}

static sal_trial find_error(sal_stepper *s, double h, double *error)
{
    radau *own = s->own;

    *error = measure(s, own->slope[0], h);
    for (int i = 0; i < s->nspared; i++) s->estimate[i] = own->g * fabs(s->work[s->spared + i]);
    if (!(*error > 1.0) || s->flow.within) return isfinite(*error) ? SAL_TRIED : SAL_TRY_NUMBER;
    for (int k = 0; k < s->active; k++) s->work[k] = s->y0[k] + (k < s->control ? s->work[k] : 0.0);
    if (sal_stepper_evaluate(s, s->t, s->work, own->f[0]) == SAL_TRIED) *error = measure(s, own->f[0], h);
    return isfinite(*error) ? SAL_TRIED : SAL_TRY_NUMBER;
}

static void within(const sal_stepper *s, double h)
{
    if (s->flow.within) s->flow.within(s->flow.self, h);
}

/* The stages, and what the step may be wrong by. */
static sal_trial make_stages(sal_stepper *s, double h, double *error)
{
    radau    *own   = s->own;
    sal_trial trial = SAL_TRIED;

    if (!(s->h > 0.0)) trial = sal_stepper_evaluate(s, s->t, s->y0, own->slope[0]); /* it is tried for the first time */
    within(s, h);
    if (trial == SAL_TRIED && s->flow.within) trial = sal_stepper_evaluate(s, s->t, s->y0, own->f[0]);
    if (trial != SAL_TRIED) return trial;
    if (!(s->h > 0.0) || s->flow.within) s->flow.linearize(s->flow.self, SAL_STEP_BEGINS); /* it may depend on h */
    s->h       = h;
    s->dense_n = 0;
    trial      = s->flow.factor(s->flow.self, own->g / h);
    if (trial == SAL_TRIED) trial = solve_stages(s, h);
    if (trial != SAL_TRIED) return trial;
    for (int k = 0; k < s->active; k++) s->y1[k] = s->y0[k] + own->now.Z[STAGES - 1][k];
    return find_error(s, h, error);
}

static sal_trial attempt(sal_stepper *s, double h, double *error)
{
    radau    *own = s->own;
    sal_trial trial;

    trial = make_stages(s, h, error);
    within(s, 0.0);
    if (trial == SAL_TRIED && s->flow.correct) trial = s->flow.correct(s->flow.self, s->t + h, s->y1);
    *own->now.h = h;
    for (int k = 0; k < s->active; k++) own->now.Z[2][k] = s->y1[k] - s->y0[k];
    return trial == SAL_TRIED ? sal_stepper_evaluate(s, s->t + h, s->y1, own->slope[1]) : trial;
}

static void accept(sal_stepper *s)
{
    radau           *own   = s->own;
    const polynomial last  = own->last;
    double          *first = own->slope[0], *y = s->y0;

    own->last = own->now;
    own->now  = last;
    s->t += s->h;
    s->h          = 0.0;
    s->dense_n    = 0;
    own->slope[0] = own->slope[1];
    own->slope[1] = first;
    s->y0         = s->y1;
    s->y1         = y;
    memcpy(s->y1, s->y0, sizeof *y * (size_t)s->n);
}

static sal_trial make_dense(sal_stepper *s)
{
    s->dense_n = s->active;
    return SAL_TRIED;
}

static void at(const sal_stepper *s, double theta, double *y)
{
    const radau *own = s->own;
    double       l[STAGES];

    weigh(own, theta, l);
    for (int k = 0; k < s->dense_n; k++)
        y[k] = s->y0[k] + l[0] * own->now.Z[0][k] + l[1] * own->now.Z[1][k] + l[2] * own->now.Z[2][k];
}

/* What the next step begins with. */
static double *kept(sal_stepper *s)
{
    const radau *own = s->own;

    return s->h > 0.0 ? own->now.h : own->last.h;
}

static int keeps(const sal_stepper *s)
{
    return 1 + STAGES * s->n;
}

static double *slope(sal_stepper *s, bool end)
{
    const radau *own = s->own;

    return own->slope[end];
}

/* order: that of its error, which steps are chosen by. */
const sal_stepper_ops sal_stepper_radau = { .name         = "radau",
                                            .order        = 4,
                                            .dense_degree = DEGREE,
                                            .implicit     = true,
                                            .init         = init,
                                            .attempt      = attempt,
                                            .accept       = accept,
                                            .make_dense   = make_dense,
                                            .at           = at,
                                            .slope        = slope,
                                            .kept         = kept,
                                            .keeps        = keeps };
