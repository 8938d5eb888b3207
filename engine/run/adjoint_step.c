/* adjoint_step.c - the transposed of steps, and of the end of the run.
 *
 * Of an evaluation, with k-_q and k-_v the cotangents of q' = v and v' = a, and k-_z that of an integrand g:
 *
 *     [a-; lambda-] = [k-_v + g_a k-_z; g_lambda k-_z],     v- += k-_q + g_v k-_z,     q-, s- += g_q k-_z, g_s k-_z
 *
 * and through K^T (motion/adjoint.c). A step is its projection, then its stages (rk.h). At the end, with terminal part
 * w, the cotangents are those of w; where the end moves, that of its time is g + w'. */
#include <math.h>
#include <string.h>

#include "engine/run/adjoint.h"

static const double GROWTH_MOST = 100.0, one[2][2] = { { 1.0, 0.0 }, { 0.0, 1.0 } };

/* ------------------------------------------------------------------------------------ evaluation */

/* f(t, y) = [v; a]. */
static sal_trial evaluate(void *self, double t, const double *y, double *dy)
{
    sal_adjoint *a = self;
    sal_run     *r = a->echo;
    const int    n = a->model->n;
    sal_status   status;

    sal_system_move(&r->system, t, y, y + n);
    status = sal_system_accelerate(&r->system);
    if (status != SAL_OK) return sal_run_trial(r, status);
    memcpy(dy, y + n, sizeof *dy * (size_t)n);
    memcpy(dy + n, r->system.zdd, sizeof *dy * (size_t)n);
    return SAL_TRIED;
}

/* Coordinates and velocities of a column's cotangents. */
static void load(const sal_adjoint *a, int column, const double *w)
{
    const size_t n = (size_t)a->model->n;

    memcpy(a->bar[column].z, w, sizeof *w * n);
    memcpy(a->bar[column].zd, w + n, sizeof *w * n);
}

static void unload(const sal_adjoint *a, int column, double *w)
{
    const size_t n = (size_t)a->model->n;

    memcpy(w, a->bar[column].z, sizeof *w * n);
    memcpy(w + n, a->bar[column].zd, sizeof *w * n);
}

static const sal_cost *cost_of(const sal_adjoint *a, int column)
{
    return column < a->costs ? a->goal[column] : NULL;
}

static sal_trial pull(void *self, double t, const double *y, double weight, const double *slope, double *bar)
{
    sal_adjoint *a = self;
    sal_system  *s = &a->echo->system;
    const int    n = a->model->n;
    sal_status   status;

    sal_system_move(s, t, y, y + n);
    status = sal_system_accelerate(s);
    if (status != SAL_OK) return sal_run_trial(a->echo, status);
    for (int c = 0; c < a->live; c++) {
        const double   *k    = slope + (size_t)c * (size_t)(2 * n);
        const sal_cost *cost = cost_of(a, c);
        double         *out  = bar + (size_t)c * (size_t)(2 * n);
        sal_pullback   *b    = &a->bar[c];
        memset(b->z, 0, sizeof *b->z * (size_t)n);
        memcpy(b->zd, k, sizeof *b->zd * (size_t)n);
        memcpy(a->a, k + n, sizeof *a->a * (size_t)n);
        memset(a->lambda, 0, sizeof *a->lambda * (size_t)a->model->m);
        if (cost) sal_pullback_value(b, s, &cost->running, weight * a->part[c], a->a, a->lambda);
        sal_pullback_accelerate(b, s, a->a, a->lambda);
        unload(a, c, out);
    }
    return SAL_TRIED;
}

/* ----------------------------------------------------------------------------------------- steps */

sal_trial sal_adjoint_project(sal_adjoint *a, double t, const double *y, const double *onto, double *w)
{
    sal_system  *s = &a->echo->system;
    const size_t n = (size_t)a->model->n;
    sal_status   status;

    sal_system_move(s, t, y, y + n);
    status = sal_system_factor_projected(s, NULL);
    if (status != SAL_OK) return sal_run_trial(a->echo, status);
    sal_system_move(s, t, onto, onto + n);
    for (int c = 0; c < a->live; c++, w += 2 * n) {
        load(a, c, w);
        sal_pullback_project(&a->bar[c], s);
        unload(a, c, w);
    }
    return SAL_TRIED;
}

static sal_trial project(void *self, double t, const double *y, double *w)
{
    sal_adjoint *a = self;

    return sal_adjoint_project(a, t, y, a->y1, w);
}

static double size_of(double x[2][2])
{
    return fmax(fmax(fabs(x[0][0]), fabs(x[0][1])), fmax(fabs(x[1][0]), fabs(x[1][1])));
}

/* What a step of y' = A y/h adds to what has grown; rounding begins anew where what there was of it has been damped. */
static bool grows_little(const sal_adjoint *a, const double A[2][2], double grown[2][2])
{
    double step[2][2], product[2][2];

    a->stepper.ops->propagate(&a->stepper, A, step);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) product[i][k] = grown[i][0] * step[0][k] + grown[i][1] * step[1][k];
    }
    memcpy(grown, size_of(product) < 1.0 ? one : product, sizeof product);
    return size_of(grown) < GROWTH_MOST;
}

static bool holds_rates(const sal_system *s)
{
    for (int k = 0; k < s->model->nrelation; k++) {
        if (!s->model->relation[k].phi.n && s->mode.held[s->model->relation[k].row]) return true;
    }
    return false;
}

/* Violations of constraints that are damped grow where steps are too long for that. The motion need not show it, if it
 * is at rest; derivatives would be made of rounding. In [omega Phi, Phi'],
 *
 *     Phi'' + 2 xi omega Phi' + omega^2 Phi = 0;     rows by their rate alone: Phi'' + 2 xi omega Phi' = 0, faster */
static bool damps(sal_adjoint *a, double h)
{
    const sal_system *s = &a->echo->system;
    const double      z = h * s->omega, position[2][2] = { { 0.0, z }, { -z, -2.0 * s->xi * z } },
                 rate[2][2] = { { 0.0, z }, { 0.0, -2.0 * s->xi * z } };

    if (!s->damped || a->model->m == 0) return true;
    return grows_little(a, position, a->grown[0]) && (!holds_rates(s) || grows_little(a, rate, a->grown[1]));
}

static sal_status explain(sal_adjoint *a, double t)
{
    const sal_run *r = a->echo;

    if (r->system.message[0]) return sal_adjoint_fail(a, SAL_ERR_NUMBER, "%s", r->system.message);
    return sal_adjoint_fail(a, SAL_ERR_NUMBER, "the step at t = %.9g s cannot be made again", t);
}

sal_status sal_adjoint_steps(sal_adjoint *a, const sal_tape *tape, int from, int to)
{
    const bool    projects = a->echo->stepper.flow.correct && a->model->m > 0;
    sal_flow_back back     = { .pull    = pull,
                               .correct = projects ? project : NULL,
                               .look    = sal_adjoint_look,
                               .self    = a,
                               .columns = a->live,
                               .end     = a->y1,
                               .theta   = a->theta };
    sal_system   *s        = &a->echo->system;
    const size_t  size     = sizeof(double) * (size_t)(2 * a->model->n);

    memcpy(a->y1, a->echo->stepper.y1, size);
    a->stepper.flow = (sal_flow){ .derivative = evaluate, .self = a };
    for (int k = to - 1; k >= from; k--) {
        const double *step   = sal_tape_step(tape, k);
        sal_status    status = sal_watch_ask(&a->echo->watch);
        if (status != SAL_OK)
            return sal_adjoint_fail(a, status, "stopped in the sweep at t = %.9g s", step[SAL_STEP_T]);
        if (!damps(a, step[SAL_STEP_H]))
            return sal_adjoint_fail(
                a, SAL_ERR_NUMBER,
                "the step at t = %.9g s is %.3g s long, too long for the damping of constraints, which "
                "has no derivatives then; set max_step, or use projection",
                step[SAL_STEP_T], step[SAL_STEP_H]);
        memcpy(a->stepper.y0, step + SAL_STEP_Y, size);
        a->stepper.t = step[SAL_STEP_T];
        sal_system_move(s, a->stepper.t, a->stepper.y0, a->stepper.y0 + a->model->n);
        sal_system_count_turns(s, false);
        back.looks = sal_adjoint_looks_in(a, a->stepper.t, step[SAL_STEP_H]);
        if (a->stepper.ops->pull(&a->stepper, step[SAL_STEP_H], &back, a->w, a->work) != SAL_TRIED)
            return explain(a, a->stepper.t);
        memcpy(a->y1, a->stepper.y0, size);
    }
    for (int c = 0; c < a->live; c++) sal_followers_pull(&a->echo->contacts, s, a->bar[c].z);
    return SAL_OK;
}

/* ------------------------------------------------------------------------------------------- end */

/* g + w' of a column, of an average (g - I/T)/T + w'. */
static double speed_of_end(sal_adjoint *a, int column)
{
    const sal_cost *cost  = cost_of(a, column);
    sal_run        *r     = a->echo;
    double          speed = 0.0;

    if (cost->running.n) speed += sal_system_value(&r->system, &cost->running);
    if (cost->average) speed -= a->run->shown.mean[a->cost[column]];
    speed *= a->part[column];
    if (sal_adjoint_peak_at_end(a, column)) speed += sal_tangent_rate(&r->motion, &r->system, &cost->peak);
    if (cost->terminal.n) speed += sal_tangent_rate(&r->motion, &r->system, &cost->terminal);
    return speed;
}

sal_status sal_adjoint_end(sal_adjoint *a)
{
    sal_run       *r        = a->echo;
    sal_system    *s        = &r->system;
    const sal_slot duration = a->model->tables->simulation.duration;
    const size_t   n = (size_t)a->model->n, m = (size_t)a->model->m;

    for (int k = 0; k < 2; k++) memcpy(a->grown[k], one, sizeof one);
    sal_run_go_to_moment(r, a->end, a->tape.moment);
    if (sal_system_accelerate(s) != SAL_OK) return explain(a, r->t1);
    for (int c = 0; c < a->costs; c++) {
        const sal_cost *cost = cost_of(a, c);
        sal_pullback   *b    = &a->bar[c];
        memset(a->a, 0, sizeof *a->a * n);
        memset(a->lambda, 0, sizeof *a->lambda * m);
        const sal_program *peak = sal_adjoint_peak_at_end(a, c);
        sal_pullback_value(b, s, &cost->terminal, 1.0, a->a, a->lambda);
        if (peak) sal_pullback_value(b, s, peak, 1.0, a->a, a->lambda);
        if ((cost->terminal.reads | (peak ? peak->reads : 0)) & (1u << SAL_SRC_ZDD | 1u << SAL_SRC_LAMBDA))
            sal_pullback_accelerate(b, s, a->a, a->lambda);
        else sal_pullback_timed(b, s);
        unload(a, c, a->w + (size_t)c * 2 * n);
        a->end_bar[c] = r->ended || r->asked.duration < 0.0 ? speed_of_end(a, c) : 0.0;
        if (!r->ended && r->asked.duration < 0.0) b->z[duration] += a->end_bar[c];
    }
    return SAL_OK;
}
