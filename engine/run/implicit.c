/* implicit.c - what an implicit integrator asks of a run: J at the beginning of a step and at its stages, and solves
 * for all parts of its vector. q and v have the J of the motion, and so has each column of Q and V; integrals have
 * none. */
#include "engine/run/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"

_Static_assert((int)SAL_STAGES == (int)SAL_STEP_STAGES && (int)SAL_STAGES == (int)SAL_STEP_BEGINS,
               "stages of steppers are those of solve");

static void linearize(void *self, int place)
{
    sal_run *run = self;

    sal_implicit_linearize(&run->implicit->motion, &run->system, place);
}

static void like_beginning(void *self)
{
    sal_run *run = self;

    for (int i = 0; i < SAL_STAGES; i++) sal_shift_copy(&run->implicit->motion.shift, SAL_STAGES, i);
}

static sal_trial factor(void *self, double g)
{
    sal_run *run = self;

    return sal_run_trial(run, sal_shift_factor(&run->implicit->motion.shift, g));
}

static sal_trial factor_stages(void *self, const double (*B)[SAL_STAGES], const double (*inverse)[SAL_STAGES])
{
    sal_run *run = self;

    memcpy(run->implicit->inverse, inverse, sizeof run->implicit->inverse);
    return sal_run_trial(run, sal_shift_factor_stages(&run->implicit->motion.shift, B));
}

/* Column c of `columns` of q and v, which stand one after the other, out of x or back. */
static void copy_column(const sal_run *run, int columns, int c, bool back, double *x, double *column)
{
    for (int k = 0; k < 2 * run->model->n; k++) {
        if (back) x[k * columns + c] = column[k];
        else column[k] = x[k * columns + c];
    }
}

static void solve(void *self, int to, double *x)
{
    sal_run  *run = self;
    const int n = run->model->n, p = run->p, state = sal_run_state_size(run);
    double   *column = run->implicit->column;

    sal_shift_solve(&run->implicit->motion.shift, x, x + n);
    for (int c = 0; c < p && to > state; c++) {
        copy_column(run, p, c, false, x + state, column);
        sal_shift_solve(&run->implicit->motion.shift, column, column + n);
        copy_column(run, p, c, true, x + state, column);
    }
    for (int k = 2 * n; k < to; k++) {
        if (k < state || k >= state + 2 * n * p) x[k] /= run->implicit->motion.shift.g;
    }
}

static sal_trial relax(void *self, int place, double g, double *x)
{
    sal_run  *run = self;
    const int n   = run->model->n;

    for (int k = 2 * n; k < sal_run_state_size(run); k++) x[k] /= g;
    return sal_run_trial(run, sal_shift_relax(&run->implicit->motion.shift, place, g, x, x + n));
}

static void integrate(const sal_implicit_flow *flow, int from, int to, double *const *x)
{
    for (int k = from; k < to; k++) {
        const double r[SAL_STAGES] = { x[0][k], x[1][k], x[2][k] };
        for (int i = 0; i < SAL_STAGES; i++)
            x[i][k] = flow->inverse[i][0] * r[0] + flow->inverse[i][1] * r[1] + flow->inverse[i][2] * r[2];
    }
}

static void solve_stages(void *self, int from, int to, double *const *x)
{
    sal_run           *run  = self;
    sal_implicit_flow *flow = run->implicit;
    const int          n = run->model->n, p = run->p, state = sal_run_state_size(run);
    double            *q[SAL_STAGES], *v[SAL_STAGES];

    if (from < state) {
        for (int i = 0; i < SAL_STAGES; i++) {
            q[i] = x[i];
            v[i] = x[i] + n;
        }
        sal_shift_solve_stages(&flow->motion.shift, q, v);
        integrate(flow, 2 * n, state, x);
    }
    if (to <= state) return;
    for (int i = 0; i < SAL_STAGES; i++) {
        q[i] = flow->column + 2 * n * i;
        v[i] = q[i] + n;
    }
    for (int c = 0; c < p; c++) {
        for (int i = 0; i < SAL_STAGES; i++) copy_column(run, p, c, false, x[i] + state, q[i]);
        sal_shift_solve_stages(&flow->motion.shift, q, v);
        for (int i = 0; i < SAL_STAGES; i++) copy_column(run, p, c, true, x[i] + state, q[i]);
    }
    integrate(flow, state + 2 * n * p, to, x);
}

/* At the stages of a step rows are to have Phi = 0 itself: Phiddot + 2 omega Phidot + omega^2 Phi = 0 with omega large
 * beside 1/h, which on the motion is no other equation than Phiddot = 0. Velocities of stages are known to (rounding of
 * positions)/h then; where that is not good enough, in very short steps, omega is as large as it may be. Where links
 * are in line positions themselves are known less well, to rounding/sigma (README, Links in line), and that over h is
 * noise: it is Phiddot = 0 alone there, from the step on, or the attempt at it, that has seen them so. */
void sal_run_hold_positions(void *self, double h)
{
    sal_run     *run  = self;
    const double good = SAL_INDEX3_NOISE * run->stepper.atol * h / (DBL_EPSILON * run->system.length);

    run->system.damped = h > 0.0;
    run->system.xi     = 1.0;
    run->system.omega  = h > 0.0 && !run->passing ? (good >= 1.0 ? SAL_INDEX3_RATE : sqrt(good)) / h : 0.0;
}

sal_status sal_run_prepare_implicit(sal_run *run)
{
    sal_flow *flow = &run->stepper.flow;

    run->implicit = SAL_NEW(&run->pool, sal_implicit_flow, 1);
    if (!run->implicit) return SAL_ERR_MEMORY;
    run->implicit->column = SAL_NEW(&run->pool, double, 2 * SAL_STAGES * run->model->n);
    flow->linearize       = linearize;
    flow->like_beginning  = like_beginning;
    flow->factor          = factor;
    flow->factor_stages   = factor_stages;
    flow->solve           = solve;
    flow->relax           = relax;
    flow->solve_stages    = solve_stages;
    run->stepper.alone    = sal_run_state_size(run);
    return sal_implicit_init(&run->implicit->motion, run->model, &run->pool);
}
