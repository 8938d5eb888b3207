/* adjoint_start.c - the two ends of the sweep that are made forward: the echo, and the start of the run.
 *
 * The start is an assembly, by Newton's method of many steps. Its derivatives Q0, V0 are those of forward runs, for the
 * parameters alone that positions or velocities can depend on at the start: others (masses, stiffnesses, knots of a
 * torque) have none. With the slots' cotangents s- handed on through the values to the parameters,
 *
 *     d(cost)/drho = q-^T Q0 + v-^T V0 + (weights by which rows share) + s-_rho */
#include <math.h>
#include <string.h>

#include "engine/run/adjoint.h"

enum { COLUMNS_MOST = 128 }; /* of the echo */

/* Conditions are fulfilled where their gradient is no more than this of the time, for a parameter as large as it is. */
static const double FULFILLED = 1e-7;

/* ------------------------------------------------------------------------------------------ echo */

/* As many directions as are ever looked at at once. */
static int echo_room(const sal_adjoint *a)
{
    const int instants = a->happens ? sal_adjoint_directions(a) : 0, starts = a->shared ? a->p : a->nstarting;
    const int most = instants > starts ? instants : starts;

    return most < 1 ? 1 : most < COLUMNS_MOST ? most : COLUMNS_MOST;
}

static sal_status make_echo(sal_adjoint *a)
{
    sal_run_opts asked = a->run->asked;
    sal_status   status;
    const int    room = echo_room(a);

    if (a->echo && a->echo_room >= room) return SAL_OK; /* from the last sweep */
    sal_run_destroy(&a->echo);
    asked.wrt              = SAL_NEW(&a->pool, const char *, room); /* nothing as yet */
    a->sums                = SAL_NEW(&a->pool, double, room);
    a->echo_room           = room;
    asked.nwrt             = room;
    asked.wrt_uncontrolled = true;
    asked.partitioned = asked.validate = false;
    asked.quiet                        = true;
    asked.set                          = NULL;
    asked.nset                         = 0;
    asked.max_steps = asked.max_events = 0;
    asked.max_wall                     = 0.0;
    if (a->pool.failed) return sal_out_of_memory(a->context);
    status = sal_run_make(a->model, &asked, &a->echo);
    if (status == SAL_OK) sal_adjoint_look_along(a, 0);
    return status;
}

void sal_adjoint_look_along(sal_adjoint *a, int p)
{
    sal_run  *r    = a->echo;
    const int size = sal_run_state_size(r);

    r->p = r->all = r->tangent.p = p;
    r->stepper.n                 = size + (size - r->works.smooth) * p;
    r->stepper.active            = size; /* nothing is integrated along them */
}

/* The echo at the start, with these parameters as columns. */
static sal_status restart(sal_adjoint *a, const int *which, int first, int count)
{
    sal_run   *r = a->echo;
    sal_status status;

    sal_adjoint_look_along(a, count - first < a->echo_room ? count - first : a->echo_room);
    for (int c = 0; c < r->p; c++) {
        r->tangent.wrt[c] = a->wrt[which[first + c]];
        r->wrt[c]         = a->name[which[first + c]];
    }
    sal_run_take_start(r, a->run);
    status = sal_run_restart_tried(r);
    if (status != SAL_OK) return sal_adjoint_fail(a, status, "%s", r->system.message);
    if (r->invalid[0]) return sal_adjoint_fail(a, SAL_ERR_NUMBER, "%s", r->invalid);
    return SAL_OK;
}

/* How the weights of the start change with each parameter, where rows ever share. */
static sal_status find_weights(sal_adjoint *a, const int *all)
{
    const int m = a->model->m;

    if (!a->share_start) a->share_start = SAL_NEW(&a->pool, double, m * a->p);
    if (a->pool.failed) return sal_out_of_memory(a->context);
    for (int first = 0; first < a->p; first += a->echo_room) {
        const sal_status status = restart(a, all, first, a->p);
        const int        p      = a->echo->p;
        if (status != SAL_OK) return status;
        for (int r = 0; r < m; r++) {
            for (int c = 0; c < p; c++)
                a->share_start[r * a->p + first + c] = SAL_ROW(a->echo->tangent.share_start, r, p)[c];
        }
    }
    return SAL_OK;
}

/* What the sweep works with, once. */
sal_status sal_adjoint_allocate(sal_adjoint *a)
{
    const int n = a->model->n, m = a->model->m, k = a->columns;

    a->bar     = SAL_NEW(&a->pool, sal_pullback, k);
    a->w       = SAL_NEW(&a->pool, double, 2 * n * k);
    a->before  = SAL_NEW(&a->pool, double, 2 * n * k);
    a->memory  = SAL_NEW(&a->pool, double, (a->model->tables->memory.n + m) * k);
    a->end_bar = SAL_NEW(&a->pool, double, k);
    a->a       = SAL_NEW(&a->pool, double, n);
    a->lambda  = SAL_NEW(&a->pool, double, m);
    a->y1      = SAL_NEW(&a->pool, double, 2 * n);
    a->all     = SAL_NEW(&a->pool, int, a->p);
    for (int c = 0; c < k && a->bar; c++) sal_pullback_init(&a->bar[c], a->model, &a->pool);
    if (a->pool.failed || sal_stepper_init(&a->stepper, &a->pool, a->run->stepper.ops, 2 * n) != SAL_OK)
        return sal_out_of_memory(a->context);
    a->work = SAL_NEW(&a->pool, double, a->stepper.ops->pull_room(&a->stepper, k));
    for (int c = 0; c < a->p && a->all; c++) a->all[c] = c;
    return a->pool.failed ? sal_out_of_memory(a->context) : SAL_OK;
}

sal_status sal_adjoint_begin(sal_adjoint *a)
{
    sal_status status = make_echo(a);

    if (status != SAL_OK) return status;
    for (int c = 0; c < a->columns; c++) sal_pullback_clear(&a->bar[c], a->model);
    a->live = a->costs;
    status  = a->shared ? find_weights(a, a->all) : restart(a, a->all, 0, 0);
    sal_adjoint_look_along(a, 0);
    return status;
}

/* ----------------------------------------------------------------------------------------- start */

/* Settings of the integrator have no derivatives: a parameter that they depend on is refused. */
sal_status sal_adjoint_check_settings(sal_adjoint *a, sal_run *run)
{
    const sal_simulation *sim     = &a->model->tables->simulation;
    const sal_slot        fixed[] = { sim->rtol, sim->atol, sim->max_step, sim->min_step };
    sal_pullback         *b       = &a->bar[a->costs];
    const int             first   = a->model->tables->time + 1;

    for (int k = 0; k < SAL_COUNT(fixed); k++) {
        if (fixed[k] == SAL_NONE) continue;
        sal_pullback_clear(b, a->model);
        b->z[fixed[k]] = 1.0;
        sal_pullback_values(b, &run->system, run->given);
        for (int c = 0; c < a->nmoving; c++) {
            const int k2 = a->moving[c];
            if (b->z[first + a->wrt[k2].parameter] != 0.0)
                return sal_adjoint_fail(
                    a, SAL_ERR_ARGUMENT,
                    "a tolerance or step limit depends on %s; nothing can be differentiated with respect to it",
                    a->name[k2]);
        }
    }
    return SAL_OK;
}

/* What the slots have collected, to parameters and memory that begins with a number. */
static void hand_on(sal_adjoint *a, int column)
{
    const sal_tables *tables = a->model->tables;
    const int         first  = tables->time + 1;
    sal_pullback     *b      = &a->bar[column];
    double           *g = a->gradient + (size_t)column * (size_t)a->p, *memory = a->memory;

    sal_pullback_kept(b, &a->echo->system);
    for (int k = 0; k < tables->memory.n; k++) {
        const sal_slot slot = tables->memory.at[k].slot;
        memory[k]           = b->z[slot];
        if (!isnan(a->echo->start.memory[k])) b->z[slot] = 0.0; /* it does not follow what the scene says */
    }
    sal_pullback_values(b, &a->echo->system, a->echo->given);
    if (a->of_knot) sal_knots_pull(b, &a->echo->system, a->of_knot, g);
    for (int c = 0; c < a->p; c++) {
        if (a->wrt[c].parameter >= tables->scalars) continue;
        if (a->wrt[c].parameter >= 0) g[c] += b->z[first + a->wrt[c].parameter];
        for (int k = 0; k < tables->memory.n; k++) {
            if (a->wrt[c].parameter < 0 && a->wrt[c].memory == tables->memory.at[k].slot) g[c] += memory[k];
        }
    }
}

/* q-^T Q0 + v-^T V0 of the parameters in the columns of the echo. */
static void add_start(sal_adjoint *a, const int *which, int first)
{
    const int     n = a->model->n, p = a->echo->p;
    const double *Q = a->echo->stepper.y1 + sal_run_state_size(a->echo);

    for (int column = 0; column < a->live; column++) {
        const double *w = a->w + (size_t)column * (size_t)(2 * n);
        double       *g = a->gradient + (size_t)column * (size_t)a->p;
        for (int c = 0; c < p; c++) {
            double *to = &g[which[first + c]];
            for (int k = 0; k < 2 * n; k++) *to += w[k] * Q[k * p + c];
            for (int r = 0; r < a->model->m && a->shared; r++)
                *to += a->bar[column].share[r] * SAL_ROW(a->echo->tangent.share, r, p)[c];
        }
    }
}

/* What a change of parameter c is measured by: itself, unless it is zero; an initial value by the mechanism. */
static double size_of(const sal_adjoint *a, int c)
{
    const sal_system *s    = &a->echo->system;
    const sal_wrt    *wrt  = &a->wrt[c];
    const int         knot = wrt->parameter - a->model->tables->scalars;
    const sal_slot    slot = wrt->parameter >= 0 ? a->model->tables->time + 1 + wrt->parameter : wrt->memory;

    if (knot >= 0) return s->knot[knot] == 0.0 ? 1.0 : fabs(s->knot[knot]);
    if (wrt->parameter < 0 && wrt->coordinate >= 0) return wrt->velocity ? s->length / a->run->t1 : s->length;
    return s->z[slot] == 0.0 ? 1.0 : fabs(s->z[slot]);
}

static sal_status check_conditions(sal_adjoint *a)
{
    const double *g = a->gradient + (size_t)a->costs * (size_t)a->p;

    for (int c = 0; c < a->p && a->conditions; c++) {
        if (!(fabs(g[c]) * size_of(a, c) > FULFILLED * a->condition_size)) continue;
        return sal_adjoint_fail(a, SAL_ERR_NUMBER, "%s, but only for this %s (or another event does, later)",
                                a->condition, a->name[c]);
    }
    return SAL_OK;
}

static sal_status check_numbers(sal_adjoint *a)
{
    for (int k = 0; k < a->costs * a->p; k++) {
        if (isfinite(a->gradient[k])) continue;
        return sal_adjoint_fail(a, SAL_ERR_NUMBER, "%s has no derivative with respect to %s", a->goal[k / a->p]->name,
                                a->name[k % a->p]);
    }
    return SAL_OK;
}

sal_status sal_adjoint_start(sal_adjoint *a)
{
    const int *which = a->shared ? a->all : a->starting;
    const int  count = a->shared ? a->p : a->nstarting;
    int        first = 0;
    sal_status status;

    if (sal_adjoint_looks_at_start(a)) {
        status = restart(a, which, 0, 0);
        if (status == SAL_OK) status = sal_adjoint_look_at_start(a);
        if (status != SAL_OK) return status;
    }
    do {
        status = restart(a, which, first, count);
        if (status != SAL_OK) return status;
        add_start(a, which, first);
        first += a->echo->p;
    } while (first < count);
    for (int c = 0; c < a->live; c++) hand_on(a, c);
    status = check_conditions(a);
    if (status == SAL_OK) status = sal_adjoint_check_settings(a, a->echo); /* they may have been set since */
    return status == SAL_OK ? check_numbers(a) : status;
}
