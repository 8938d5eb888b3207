/* run.c - the life of a run: start, steps, events, the state shown to the caller.
 *
 * The integrator's vector is y = [q | v | integrals of the running costs]. A step that has been made stays the
 * current one, with its dense output, until the next is asked for; so sal_run_to() can show any time inside it. An
 * event lies at the end of a step (the step is made to end there) and is handled when the caller goes on. */
#include "engine/run/run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/motion/motion.h"

enum { SAME_TIME_MAX = 1000 };        /* events at one instant before the run gives up */
static const double HOLD_FITS = 1e-6; /* [m] what a constraint may be open by when it begins to hold */
static const double CRUMB     = 1e-9; /* of the duration: this short a time is an instant */

sal_status sal_run_fail(sal_run *run, sal_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(run->system.message, sizeof run->system.message, format, args);
    va_end(args);
    return status;
}

/* --------------------------------------------------------------------------------- the integrator */

static bool recoverable(sal_status status)
{
    return status == SAL_ERR_SINGULAR || status == SAL_ERR_NUMBER;
}

/* Why an evaluation failed. */
static sal_status explain(sal_run *run, sal_status status)
{
    if (status != SAL_ERR_NUMBER || !run->no_derivative)
        return sal_system_explain(&run->system, status, &run->system.motion);
    return sal_run_fail(run, status, "%s has no derivative with respect to what was asked for at t = %.9g s",
                        run->no_derivative, run->system.z[run->model->tables->time]);
}

/* Whether the integrator's vector now goes on with sensitivities. */
static bool differentiating(const sal_run *run)
{
    return run->rk.active > sal_run_state_size(run);
}

static sal_status motion(void *self, double t, const double *y, double *dy)
{
    sal_run          *run    = self;
    sal_system       *s      = &run->system;
    const sal_tables *tables = run->model->tables;
    const int         n      = run->model->n;
    sal_status        status;

    run->no_derivative = NULL;
    sal_system_move(s, t, y, y + n);
    status = sal_system_accelerate(s);
    if (status != SAL_OK) return status;
    memcpy(dy, y + n, sizeof *dy * (size_t)n);
    memcpy(dy + n, s->zdd, sizeof *dy * (size_t)n);
    if (differentiating(run)) return sal_sens_motion(run, y, dy);
    for (int k = 0; k < tables->costs.n; k++) {
        dy[2 * n + k] = tables->costs.at[k].running.n ? sal_system_value(s, &tables->costs.at[k].running) : 0.0;
    }
    return SAL_OK;
}

static sal_status project(void *self, double t, double *y)
{
    sal_run   *run = self;
    const int  n   = run->model->n;
    sal_status status;

    sal_system_move(&run->system, t, y, y + n);
    status = sal_system_project(&run->system);
    memcpy(y, run->system.z, sizeof *y * (size_t)n);
    memcpy(y + n, run->system.zd, sizeof *y * (size_t)n);
    if (status == SAL_OK && differentiating(run)) { /* the factors are those of a state a rounding error away */
        double      *Q = y + sal_run_state_size(run), *V = Q + n * run->p;
        const size_t size = sizeof(double) * (size_t)(n * run->p);
        sal_tangent_move(&run->tangent, &run->system, Q, V);
        sal_tangent_project(&run->tangent, &run->system);
        memcpy(Q, run->tangent.z, size);
        memcpy(V, run->tangent.zd, size);
    }
    return status;
}

/* ------------------------------------------------------------------------------- the state shown */

/* Shows the state that the system is in, accelerations included. */
static void show(sal_run *run, double t, const double *integral)
{
    const sal_tables *tables = run->model->tables;
    const size_t      n = (size_t)run->model->n, m = (size_t)run->model->m;
    sal_system       *s = &run->system;

    run->t = t;
    memcpy(run->q, s->z, sizeof(double) * n);
    memcpy(run->v, s->zd, sizeof(double) * n);
    memcpy(run->a, s->zdd, sizeof(double) * n);
    memcpy(run->lambda, s->lambda, sizeof(double) * m);
    for (int k = 0; k < tables->costs.n; k++) {
        const sal_program *terminal = &tables->costs.at[k].terminal;
        run->cost[k]                = integral[k] + (terminal->n ? sal_system_value(s, terminal) : 0.0);
    }
    if (run->p) sal_sens_show(run, integral + tables->costs.n + 2 * run->model->n * run->p);
}

static void account(sal_run *run)
{
    double phi, phidot, drift;

    sal_system_residual(&run->system, &phi, &phidot);
    drift                   = fabs(sal_system_energy(&run->system) - run->segment_energy);
    run->stats.max_phi      = fmax(run->stats.max_phi, phi);
    run->stats.max_phidot   = fmax(run->stats.max_phidot, phidot);
    run->stats.energy_drift = fmax(run->stats.energy_drift, drift);
    if (!run->p) return;
    sal_tangent_residual(&run->tangent, &run->system, &phi, &phidot);
    run->wrt_phi    = fmax(run->wrt_phi, phi);
    run->wrt_phidot = fmax(run->wrt_phidot, phidot);
}

/* Keeps accelerations and multipliers at the end of the step, where the integrator's last evaluation was. */
static void remember_end(sal_run *run)
{
    memcpy(run->a1, run->system.zdd, sizeof(double) * (size_t)run->model->n);
    memcpy(run->lambda1, run->system.lambda, sizeof(double) * (size_t)run->model->m);
    if (!run->p) return;
    memcpy(run->A1, run->tangent.zdd, sizeof(double) * (size_t)(run->model->n * run->p));
    memcpy(run->Lambda1, run->tangent.lambda, sizeof(double) * (size_t)(run->model->m * run->p));
}

/* Puts the system back there. */
static void restore_end(sal_run *run)
{
    sal_system_move(&run->system, run->t1, run->rk.y1, run->rk.y1 + run->model->n);
    memcpy(run->system.zdd, run->a1, sizeof(double) * (size_t)run->model->n);
    memcpy(run->system.lambda, run->lambda1, sizeof(double) * (size_t)run->model->m);
    if (!run->p) return;
    const double *Q = run->rk.y1 + sal_run_state_size(run);
    sal_tangent_move(&run->tangent, &run->system, Q, Q + run->model->n * run->p);
    memcpy(run->tangent.zdd, run->A1, sizeof(double) * (size_t)(run->model->n * run->p));
    memcpy(run->tangent.lambda, run->Lambda1, sizeof(double) * (size_t)(run->model->m * run->p));
}

static void show_end(sal_run *run)
{
    restore_end(run);
    show(run, run->t1, run->rk.y1 + 2 * run->model->n);
}

/* Begins a smooth piece at y: after the start, after an event. */
static sal_status begin_segment(sal_run *run, double t, const double *y, sal_pending fired)
{
    sal_status status = sal_rk_start(&run->rk, t, y);

    run->t1 = t;
    if (status != SAL_OK) return explain(run, status);
    remember_end(run);
    run->segment_energy = sal_system_energy(&run->system);
    account(run);
    show_end(run);
    return sal_events_arm(run, fired);
}

/* ----------------------------------------------------------------------------------------- start */

sal_run_opts sal_run_defaults(void)
{
    return (sal_run_opts){ .form          = -1,
                           .stabilization = -1,
                           .integrator    = -1,
                           .duration      = -1.0,
                           .rtol          = -1.0,
                           .atol          = -1.0,
                           .max_step      = -1.0,
                           .min_step      = -1.0 };
}

/* Options as they are in effect; those not asked for are the scene's, whose values are known by now. */
static sal_status resolve_options(sal_run *run)
{
    const sal_simulation *sim = &run->model->tables->simulation;
    const sal_run_opts   *o   = &run->asked;
    const double         *z   = run->system.z;

#define PICK(field, otherwise)    (o->field < 0 ? (otherwise) : o->field)
#define OPTIONAL(slot, otherwise) ((slot) == SAL_NONE ? (otherwise) : z[slot])
    run->opts.form             = PICK(form, sim->form);
    run->opts.stabilization    = PICK(stabilization, sim->stabilization);
    run->opts.integrator       = PICK(integrator, sim->integrator);
    run->opts.duration         = PICK(duration, z[sim->duration]);
    run->opts.rtol             = PICK(rtol, z[sim->rtol]);
    run->opts.atol             = PICK(atol, OPTIONAL(sim->atol, run->opts.rtol));
    run->opts.max_step         = PICK(max_step, OPTIONAL(sim->max_step, run->opts.duration));
    run->opts.min_step         = PICK(min_step, OPTIONAL(sim->min_step, 0.0));
    run->opts.wrt              = run->wrt;
    run->opts.nwrt             = run->p;
    run->opts.partitioned      = o->partitioned;
    run->opts.quiet            = o->quiet;
    run->opts.wrt_uncontrolled = o->wrt_uncontrolled;
    run->opts.max_steps        = o->max_steps;
    run->opts.max_events       = o->max_events;
    run->opts.max_wall         = o->max_wall;
    run->opts.stop             = o->stop;
    run->opts.user             = o->user;
#undef PICK
#undef OPTIONAL
    if (run->opts.form > SAL_PENALTY || run->opts.stabilization > SAL_NO_STABILIZATION ||
        run->opts.integrator > SAL_RK5) {
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "unknown form, stabilization or integrator");
    }
    if (!(run->opts.rtol >= 1e-15) || !(run->opts.rtol < 1.0)) {
        if (!(o->rtol < 0.0))
            return sal_run_fail(run, SAL_ERR_ARGUMENT, "rtol is %g; expected a number from 1e-15 to below 1", o->rtol);
        return sal_run_fail(run, SAL_ERR_SCENE, "%s: simulation.rtol: is %g; expected a number from 1e-15 to below 1",
                            run->model->tables->file, run->opts.rtol);
    }
    if (!(run->opts.duration > 0.0) || !isfinite(run->opts.duration)) {
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "the duration is %g s; expected a positive number",
                            run->opts.duration);
    }
    if (!(run->opts.max_step > 0.0) || run->opts.min_step > run->opts.max_step || !(run->opts.atol > 0.0)) {
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "expected atol > 0 and 0 <= min_step <= max_step, max_step > 0");
    }
    return SAL_OK;
}

/* Says, once, that the joints do not determine their multipliers. */
static void warn_of_redundancy(sal_run *run)
{
    char names[600];

    if (run->system.shares != SAL_SHARES_LAST || run->asked.quiet || run->warned) return;
    run->warned = true;
    sal_structure_name(&run->system, names, sizeof names);
    if (names[0])
        sal_log(run->context,
                "the constraints %s depend on each other: of the multipliers possible the least are taken", names);
}

/* Finds the start, and which contacts are closed there: these then take part as constraints. */
static sal_status assemble(sal_run *run)
{
    const sal_initial initial = { run->initial_q, run->initial_v };
    sal_tangent      *tangent = run->p ? &run->tangent : NULL;
    sal_system       *s       = &run->system;
    bool              closed  = false;
    sal_status        status;

    sal_mode_start(&run->mode, run->model->tables);
    sal_system_set_mode(s, &run->mode);
    status = sal_system_assemble(s, 0.0, initial, tangent);
    if (status != SAL_OK) return status;
    s->length = sal_scale_length(s);
    sal_system_set_form(s, (sal_form)run->opts.form, (sal_stabilization)run->opts.stabilization);
    status = sal_contacts_start(&run->contacts, s, &closed);
    if (status != SAL_OK || !closed) return status;
    if (run->p) sal_sens_check_start(run);
    s->quiet = true; /* it has been said */
    status   = sal_system_assemble(s, 0.0, initial, tangent);
    s->quiet = run->asked.quiet;
    sal_system_prepare(s);
    return status;
}

static sal_status restart(sal_run *run)
{
    sal_system *s = &run->system;
    const int   n = run->model->n;
    sal_status  status;

    run->watch           = (sal_watch){ run->asked.stop, run->asked.user,
                              run->asked.max_wall > 0.0 ? sal_watch_now() + run->asked.max_wall : HUGE_VAL };
    s->watch             = &run->watch;
    run->ended           = false;
    run->same_time       = 0;
    run->busy_since      = 0.0;
    run->contacts.shared = false;
    memset(run->handled, 0, sizeof *run->handled * (size_t)run->model->tables->events.n);
    memset(run->due, 0, sizeof *run->due * (size_t)run->model->tables->events.n);
    run->pending.event       = -1;
    run->event               = (sal_event_info){ .index = -1, .name = "" };
    run->stats               = (sal_run_stats){ 0 };
    s->quiet                 = run->asked.quiet;
    s->motion.factorizations = s->motion.full = run->rk.evaluations = 0;
    memset(run->tolerance, 0, sizeof *run->tolerance * (size_t)run->model->tables->events.n);

    run->invalid[0] = '\0';
    run->wrt_phi = run->wrt_phidot = 0.0;
    status                         = sal_system_set_values(s, run->given);
    if (status == SAL_OK) status = resolve_options(run);
    if (status == SAL_OK) status = sal_tangent_set_values(&run->motion, s, run->given);
    if (status == SAL_OK && run->p) status = sal_tangent_set_values(&run->tangent, s, run->given);
    if (status == SAL_OK && run->p) status = sal_sens_check_settings(run);
    if (status != SAL_OK) return status;
    run->rk.finish = run->opts.form == SAL_INDEX1 && run->opts.stabilization == SAL_PROJECTION ? project : NULL;
    run->rk.rtol   = run->opts.rtol;
    run->rk.atol   = run->opts.atol;
    run->t_end     = run->opts.duration;

    status = assemble(run);
    if (status != SAL_OK) return status;
    warn_of_redundancy(run);
    sal_tangent_set_form(&run->motion, s);
    sal_system_prepare_jumps(s);
    memcpy(run->y, s->z, sizeof *run->y * (size_t)n);
    memcpy(run->y + n, s->zd, sizeof *run->y * (size_t)n);
    memset(run->y + 2 * n, 0, sizeof *run->y * (size_t)(run->rk.n - 2 * n));
    if (run->p) {
        sal_tangent_set_form(&run->tangent, s);
        memcpy(run->y + sal_run_state_size(run), run->tangent.z, sizeof *run->y * (size_t)(n * run->p));
        memcpy(run->y + sal_run_state_size(run) + n * run->p, run->tangent.zd, sizeof *run->y * (size_t)(n * run->p));
    }
    status                  = begin_segment(run, 0.0, run->y, (sal_pending){ .event = -1 });
    run->stats.energy_start = run->segment_energy;
    if (status != SAL_OK) return status;
    return sal_rk_first_step(&run->rk, fmin(run->opts.max_step, run->t_end), &run->h_next);
}

sal_status sal_run_restart(sal_run *run)
{
    run->system.message[0] = '\0';
    return run->state      = restart(run);
}

/* The integrator cannot change its kind in a restart: it is the option's, else the scene's. */
static const sal_tableau *method_of(const sal_model *model, const sal_run_opts *o)
{
    return (o->integrator < 0 ? model->tables->simulation.integrator : o->integrator) == SAL_RK5 ? &sal_rk5 : &sal_rk8;
}

static sal_status allocate(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    const int         n = run->model->n, m = run->model->m;
    sal_status        status;

    run->given            = SAL_NEW(&run->pool, double, tables->parameters.n);
    run->q                = SAL_NEW(&run->pool, double, n);
    run->v                = SAL_NEW(&run->pool, double, n);
    run->a                = SAL_NEW(&run->pool, double, n);
    run->a1               = SAL_NEW(&run->pool, double, n);
    run->lambda1          = SAL_NEW(&run->pool, double, m);
    run->a_before         = SAL_NEW(&run->pool, double, n);
    run->outputs_before   = SAL_NEW(&run->pool, double, tables->outputs.n);
    run->reactions_before = SAL_NEW(&run->pool, double, tables->reactions.n);
    run->initial_q        = SAL_NEW(&run->pool, double, n);
    run->initial_v        = SAL_NEW(&run->pool, double, n);
    run->v_before         = SAL_NEW(&run->pool, double, n);
    run->lambda           = SAL_NEW(&run->pool, double, m);
    run->lambda_before    = SAL_NEW(&run->pool, double, m);
    run->cost             = SAL_NEW(&run->pool, double, tables->costs.n);
    run->noted            = SAL_NEW(&run->pool, double, tables->notes.n);
    run->noted_change     = SAL_NEW(&run->pool, double, tables->notes.n *(run->asked.nwrt > 0 ? run->asked.nwrt : 0));
    sal_mode_init(&run->mode, &run->pool, m, m);
    if (run->pool.failed) return SAL_ERR_MEMORY;
    for (int k = 0; k < tables->parameters.n; k++) run->given[k] = NAN;
    for (int k = 0; k < n; k++) run->initial_q[k] = run->initial_v[k] = NAN;
    status = sal_system_init(&run->system, run->model, &run->pool);
    if (status == SAL_OK) status = sal_tangent_init(&run->motion, run->model, &run->pool, &SAL_ALONG_MOTION, 1);
    if (status == SAL_OK && (run->asked.nwrt < 0 || (run->asked.nwrt > 0 && !run->asked.wrt))) {
        status = sal_run_fail(run, SAL_ERR_ARGUMENT, "nwrt is %d and wrt %s", run->asked.nwrt,
                              run->asked.wrt ? "given" : "NULL");
    }
    if (status == SAL_OK && run->asked.nwrt > 0) status = sal_sens_allocate(run);
    if (status == SAL_OK) status = sal_contacts_init(&run->contacts, run->model, &run->pool, run->p);
    if (status == SAL_OK) {
        const int size = sal_run_state_size(run);
        status         = sal_rk_init(&run->rk, &run->pool, method_of(run->model, &run->asked), size * (1 + run->p));
        if (run->asked.wrt_uncontrolled) run->rk.control = size;
    }
    run->rk.function = motion;
    run->rk.self     = run;
    return status == SAL_OK ? sal_events_init(run) : status;
}

sal_status sal_run_create(const sal_model *model, const sal_run_opts *opts, sal_run **run)
{
    sal_context *context = model->tables->context;
    sal_pool     pool;
    sal_run     *r;
    sal_status   status;

    *run = NULL;
    sal_pool_init(&pool, context);
    r = SAL_NEW(&pool, sal_run, 1);
    if (!r) return sal_out_of_memory(context);
    r->pool         = pool;
    r->context      = context;
    r->model        = model;
    r->system.model = model;
    r->asked        = opts ? *opts : sal_run_defaults();
    status          = allocate(r);
    if (status == SAL_ERR_MEMORY) sal_run_fail(r, status, "out of memory");
    for (int k = 0; k < r->asked.nset && status == SAL_OK; k++) {
        status = sal_run_set(r, r->asked.set[k].parameter, r->asked.set[k].value);
    }
    if (status == SAL_OK) status = sal_run_restart(r);
    *run = r;
    if (status == SAL_OK) return SAL_OK;
    sal_fail(context, status, "%s", r->system.message);
    sal_run_destroy(run);
    return status;
}

void sal_run_destroy(sal_run **run)
{
    sal_run *r = *run;
    sal_pool pool;

    *run = NULL;
    if (!r) return;
    sal_system_free(&r->system);
    pool = r->pool; /* the run itself lies in it */
    sal_pool_free(&pool);
}

sal_status sal_run_set(sal_run *run, const char *parameter, double value)
{
    int  k = sal_names_find(&run->model->tables->parameter_names, parameter), coordinate;
    bool velocity;

    if (!isfinite(value))
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "parameter '%s' must be finite, is %g", parameter, value);
    if (k >= 0) run->given[k] = value;
    else if (sal_sens_find_initial(run->model, parameter, &coordinate, &velocity))
        (velocity ? run->initial_v : run->initial_q)[coordinate] = value;
    else return sal_sens_unknown(run, parameter);
    return SAL_OK;
}

/* ----------------------------------------------------------------------------------------- steps */

static sal_status too_short(sal_run *run, sal_status reason, double h)
{
    if (recoverable(reason)) return explain(run, reason);
    return sal_run_fail(
        run, SAL_ERR_STEP,
        "at t = %.9g s a step of %.3g s is still too long for rtol %g, and shorter ones are not allowed: the motion "
        "changes too fast there",
        run->rk.t, h, run->opts.rtol);
}

static double least_step(const sal_run *run)
{
    return fmax(run->opts.min_step, 16.0 * DBL_EPSILON * fmax(fabs(run->rk.t), 1e-3 * run->t_end));
}

/* Whether the run may go on: nobody has stopped it, and no limit is reached. */
static sal_status go_on(sal_run *run)
{
    const sal_run_opts *o      = &run->opts;
    const sal_status    status = sal_watch_ask(&run->watch);

    if (status == SAL_ERR_LIMIT)
        return sal_run_fail(run, status, "the time limit of %g s is over at t = %.9g s", o->max_wall, run->rk.t);
    if (status != SAL_OK) return status;
    if (o->max_steps > 0 && run->stats.steps + run->stats.rejected >= o->max_steps)
        return sal_run_fail(run, SAL_ERR_LIMIT, "the limit of %ld steps is reached at t = %.9g s", o->max_steps,
                            run->rk.t);
    if (o->max_events > 0 && run->stats.events >= o->max_events)
        return sal_run_fail(run, SAL_ERR_LIMIT, "the limit of %ld events is reached at t = %.9g s", o->max_events,
                            run->rk.t);
    return SAL_OK;
}

/* Stopped in a step: back to where it began, so that the next call can make it again. */
static sal_status take_back(sal_run *run, double h_next)
{
    sal_rk    *rk = &run->rk;
    sal_status status;

    rk->h       = 0.0;
    run->t1     = rk->t;
    run->h_next = h_next;
    memcpy(rk->y1, rk->y0, sizeof *rk->y1 * (size_t)rk->n);
    status = motion(run, rk->t, rk->y1, run->y);
    if (status != SAL_OK) return explain(run, status);
    remember_end(run);
    show_end(run);
    return SAL_STOPPED;
}

/* Makes the next step within the tolerance. */
static sal_status make_step(sal_run *run)
{
    sal_rk      *rk    = &run->rk;
    const double left  = run->t_end - rk->t;
    const double least = least_step(run);
    double       h = fmin(fmax(run->h_next, least), run->opts.max_step), error = 0.0;
    bool         rejected = false;
    sal_status   status;

    for (;;) {
        status = go_on(run);
        if (status != SAL_OK) return status;
        const bool last = h >= left * (1.0 - 1e-9); /* rather a little longer than a crumb at the end */
        if (last) h = left;
        status = sal_rk_try(rk, h, &error);
        if (status != SAL_OK && !recoverable(status)) return explain(run, status);
        if (status == SAL_OK && error <= 1.0) {
            run->t1 = last ? run->t_end : rk->t + h;
            if (!last || rejected) run->h_next = sal_rk_next_step(rk, h, error, rejected);
            run->stats.steps++;
            return SAL_OK;
        }
        rejected = true;
        run->stats.rejected++;
        if (h <= least) return too_short(run, status, h);
        h = fmax(least, status == SAL_OK ? sal_rk_next_step(rk, h, error, true) : 0.25 * h);
    }
}

/* Steps on, up to the first event if there is one in the step. */
static sal_status advance(sal_run *run)
{
    sal_rk      *rk     = &run->rk;
    const double h_next = run->h_next;
    sal_status   status;

    if (rk->h > 0.0) {
        restore_end(run);
        sal_events_go_on(run);
        sal_rk_accept(rk);
        rk->t = run->t1;
    }
    do {
        status = make_step(run);
        if (status == SAL_STOPPED) return take_back(run, h_next);
        if (status != SAL_OK) return status;
        remember_end(run);
        status = sal_events_find(run);
        if (status == SAL_STOPPED) return take_back(run, h_next);
        if (status == SAL_ERR_LIMIT) return go_on(run);
        if (status == SAL_ERR_STEP) { /* the dense output cannot tell */
            const double h = run->t_step - rk->t;
            run->h_next    = 0.25 * h;
            run->stats.rejected++;
            if (h <= 4.0 * least_step(run)) {
                return sal_run_fail(
                    run, SAL_ERR_STEP,
                    "an event function jumps or changes too fast to be followed at t = %.9g s, or events follow "
                    "each other ever faster; `when` must be continuous",
                    run->t1);
            }
        }
    } while (status == SAL_ERR_STEP);
    if (recoverable(status) && !run->system.message[0]) return explain(run, status);
    if (status != SAL_OK) return status;
    if (run->pending.event >= 0) { /* the step was made again, as far as the event */
        run->h_next = fmin(run->h_next, run->t_step - rk->t);
        remember_end(run);
    }
    if (run->t1 > rk->t) {
        memset(run->handled, 0, sizeof *run->handled * (size_t)run->model->tables->events.n);
    }
    restore_end(run);
    sal_system_count_turns(&run->system, false);
    show_end(run);
    account(run);
    return sal_system_check_timed(&run->system) == SAL_OK ? SAL_OK : SAL_ERR_NUMBER;
}

/* Adds what the event costs to the integrals in run->y, and how that changes along the event. */
static void add_event_costs(sal_run *run, int event)
{
    const sal_tables *tables = run->model->tables;
    double *z = run->y + 2 * run->model->n, *Z = run->y + sal_run_state_size(run) + 2 * run->model->n * run->p;

    for (int k = 0; k < tables->event_costs.n; k++) {
        const sal_event_cost *item = &tables->event_costs.at[k];
        if (item->event != event) continue;
        z[item->cost] += sal_system_value(&run->system, &item->program);
        if (!run->p) continue;
        sal_tangent_value(&run->tangent, &run->system, &item->program, run->tangent.number);
        for (int c = 0; c < run->p; c++) Z[item->cost * run->p + c] += run->tangent.number[c];
    }
}

/* Sets memory from the state before the event, then what depends on it. */
static sal_status take_notes(sal_run *run, int event, sal_tangent *t)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;
    sal_status        status;

    for (int k = 0; k < tables->notes.n; k++) {
        const sal_note *note = &tables->notes.at[k];
        if (note->event != event) continue;
        run->noted[k] = sal_system_value(s, &note->value);
        if (!isfinite(run->noted[k])) {
            return sal_run_fail(run, SAL_ERR_NUMBER, "%s sets a memory to a number that is not finite at t = %.9g s",
                                tables->events.at[event].name, run->t1);
        }
        if (t) sal_tangent_value(t, s, &note->value, run->noted_change + (size_t)k * (size_t)t->p);
    }
    for (int k = 0; k < tables->notes.n; k++) {
        const sal_note *note = &tables->notes.at[k];
        if (note->event != event) continue;
        s->z[note->slot] = run->noted[k];
        if (t) {
            memcpy(t->z + (size_t)note->slot * (size_t)t->p, run->noted_change + (size_t)k * (size_t)t->p,
                   sizeof(double) * (size_t)t->p);
        }
    }
    status = sal_system_refresh(s);
    if (status == SAL_OK && t) sal_tangent_refresh(t, s);
    return status;
}

/* Lets rows hold, or no longer; whether there were any. */
static bool flip(sal_run *run, int event, sal_switch_kind kind)
{
    const sal_tables *tables = run->model->tables;
    bool              any    = false;

    sal_mode_copy(&run->mode, &run->system.mode);
    for (int k = 0; k < tables->switches.n; k++) {
        const sal_switch  *x = &tables->switches.at[k];
        const sal_element *e = &tables->elements.at[x->element];
        if (x->event != event || x->kind != kind) continue;
        any = true;
        for (int r = e->row; r < e->row + e->nrow; r++) run->mode.held[r] = kind == SAL_HOLD;
    }
    if (any) sal_system_set_mode(&run->system, &run->mode);
    return any;
}

/* What an event lets hold must fit: positions do not jump. */
static sal_status check_held(sal_run *run, int event)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;
    double            phi, phidot;

    sal_system_residual(s, &phi, &phidot);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    for (int k = 0; k < tables->switches.n; k++) {
        const sal_switch  *x = &tables->switches.at[k];
        const sal_element *e = &tables->elements.at[x->element];
        for (int r = e->row; x->event == event && x->kind == SAL_HOLD && r < e->row + e->nrow; r++) {
            double size = 0.0;
            for (int i = run->model->jp[r]; i < run->model->jp[r + 1]; i++) size = fmax(size, fabs(s->entry[i]));
            if (fabs(s->phi[r]) <= HOLD_FITS * fmax(size, 1e-300)) continue;
            return sal_run_fail(
                run, SAL_ERR_ASSEMBLY,
                "%s cannot hold %s at t = %.9g s: it is open by about %.3g m, and positions do not jump",
                tables->events.at[event].name, tables->rows.at[r].name, run->t1, fabs(s->phi[r]) / fmax(size, 1e-300));
        }
    }
    return SAL_OK;
}

/* What the event does to memory, constraints, velocities and contacts, and the sensitivities through it. */
static sal_status act(sal_run *run, const sal_pending *now)
{
    const sal_event *event         = &run->model->tables->events.at[now->event];
    sal_system      *s             = &run->system;
    const int        n             = run->model->n;
    const bool       differentiate = run->p > 0 && now->steep, partitioned = differentiate && run->asked.partitioned;
    sal_tangent     *t       = differentiate ? &run->tangent : NULL;
    bool             changed = event->nset || event->touch >= 0, begins;
    sal_status       status  = SAL_OK;

    run->contacts.closed = NULL;
    memset(run->contacts.impulse, 0, sizeof(double) * (size_t)run->model->m);
    if (run->p) memset(run->contacts.impulse_change, 0, sizeof(double) * (size_t)(run->model->m * run->p));
    if (partitioned) memcpy(run->along, run->tangent.zd, sizeof(double) * (size_t)(n * run->p));
    if (event->nset) status = sal_system_jump_targets(s, now->event, t);
    if (status == SAL_OK) status = take_notes(run, now->event, t);
    if (status != SAL_OK) return status;
    changed = flip(run, now->event, SAL_RELEASE) || changed;
    begins  = flip(run, now->event, SAL_HOLD);
    changed = changed || begins;
    if (begins) status = check_held(run, now->event);
    if (status != SAL_OK) return status;
    if (event->nset) status = sal_system_jump(s, now->event, t);
    else if (begins || (event->touch >= 0 && event->kind == SAL_TOUCHES)) {
        status = sal_contacts_impact(&run->contacts, s, event->touch, run->tolerance, t);
        for (int e = 0; e < run->model->tables->events.n; e++) /* all that close are solved together */
            run->due[e].due = run->due[e].due && run->model->tables->events.at[e].touch < 0;
    }
    if (status != SAL_OK) return status;
    changed = flip(run, now->event, SAL_RELEASE_AFTER) || changed;
    changed = changed || run->model->tables->touches.n; /* forces may have changed with memory */
    if (!changed && !run->model->tables->notes.n) return SAL_OK;
    status = sal_contacts_settle(&run->contacts, s, event->touch, event->kind, run->tolerance);
    if (status == SAL_OK && differentiate) status = sal_sens_leave_event(run);
    if (status == SAL_OK && partitioned && event->nset) sal_sens_partition_jump(run, now->event);
    if (status == SAL_OK && differentiate) sal_sens_check(run, event);
    if (run->contacts.closed && run->p) sal_sens_invalidate_closed(run);
    return status;
}

/* Handles the pending event: SAL_EVENT, or SAL_OK when its guard passes it over. A failure that only shows after the
 * event is kept for the next call. */
static sal_status handle_event(sal_run *run)
{
    const sal_pending now    = run->pending;
    const sal_tables *tables = run->model->tables;
    const sal_event  *event  = &tables->events.at[now.event];
    const int         n      = run->model->n;
    sal_system       *s      = &run->system;
    double            before;
    sal_status        status;

    restore_end(run);
    run->due[now.event].due = false;
    if (run->t1 > run->busy_since + CRUMB * run->t_end) {
        run->busy_since = run->t1;
        run->same_time  = 0;
    }
    if (++run->same_time > SAME_TIME_MAX) {
        return sal_run_fail(run, SAL_ERR_EVENTS, "%s: more than %d events in a row at t = %.9g s", event->name,
                            SAME_TIME_MAX, run->t1);
    }
    memcpy(run->y, run->rk.y1, sizeof(double) * (size_t)run->rk.n);
    if (event->guard.n && sal_system_value(s, &event->guard) == 0.0) return begin_segment(run, run->t1, run->y, now);
    before = sal_system_energy(s);
    memcpy(run->v_before, s->zd, sizeof(double) * (size_t)n);
    memcpy(run->a_before, s->zdd, sizeof(double) * (size_t)n);
    memcpy(run->lambda_before, s->lambda, sizeof(double) * (size_t)run->model->m);
    for (int k = 0; k < tables->outputs.n; k++)
        run->outputs_before[k] = sal_system_value(s, &tables->outputs.at[k].program);
    for (int k = 0; k < tables->reactions.n; k++)
        run->reactions_before[k] = sal_system_value(s, &tables->reactions.at[k].program);
    if (run->p) sal_sens_enter_event(run, event, &now);
    if (!now.grazing) add_event_costs(run, now.event);
    if (!now.grazing) {
        status = act(run, &now);
        if (status != SAL_OK) return status;
    }
    memcpy(run->y + n, s->zd, sizeof(double) * (size_t)n);
    run->ended = run->ended || (event->stop && !now.grazing);
    if (event->stop && run->ended && run->p) memcpy(run->tau_end, run->tau, sizeof(double) * (size_t)run->p);
    run->event = (sal_event_info){
        .index            = now.event,
        .name             = event->name,
        .time             = run->t1,
        .rate             = now.rate,
        .grazing          = now.grazing,
        .stop             = event->stop && !now.grazing,
        .v_before         = run->v_before,
        .a_before         = run->a_before,
        .lambda_before    = run->lambda_before,
        .outputs_before   = run->outputs_before,
        .reactions_before = run->reactions_before,
        .energy_before    = before,
        .impulse          = run->contacts.impulse,
        .closed           = !now.grazing && run->contacts.closed,
    };
    run->stats.events++;
    status = begin_segment(run, run->t1, run->y, now);
    if (status < 0 && !run->ended) run->state = status;
    return SAL_EVENT;
}

/* Whether there is an event to be handled. One that ends the run does not keep those of the same instant from
 * happening. */
static bool is_pending(const sal_run *run)
{
    return run->pending.event >= 0 && (!run->ended || run->due[run->pending.event].due);
}

sal_status sal_run_step(sal_run *run)
{
    sal_status status = SAL_OK;

    if (run->state < 0) return run->state;
    run->system.message[0] = '\0';
    while (is_pending(run) && status == SAL_OK) status = handle_event(run);
    if (status == SAL_OK) {
        if (run->ended || run->t1 >= run->t_end) {
            show_end(run);
            return SAL_END;
        }
        status = advance(run);
    }
    if (status < 0) run->state = status;
    return status;
}

/* Shows a time inside the current step. */
static sal_status show_inside(sal_run *run, double t)
{
    const int  n      = run->model->n;
    sal_status status = sal_rk_make_dense(&run->rk);

    if (status == SAL_OK) {
        sal_rk_interpolate(&run->rk, (t - run->rk.t) / (run->t1 - run->rk.t), run->y);
        if (run->rk.finish) status = run->rk.finish(run, t, run->y);
    }
    sal_system_move(&run->system, t, run->y, run->y + n);
    if (status == SAL_OK) status = sal_system_accelerate(&run->system);
    if (status != SAL_OK) return run->state = explain(run, status);
    if (run->p) {
        const double *Q = run->y + sal_run_state_size(run);
        sal_tangent_move(&run->tangent, &run->system, Q, Q + n * run->p);
        sal_tangent_accelerate(&run->tangent, &run->system);
    }
    show(run, t, run->y + 2 * n);
    return SAL_OK;
}

sal_status sal_run_to(sal_run *run, double t)
{
    if (run->state < 0) return run->state;
    run->system.message[0] = '\0';
    if (!(t >= run->rk.t)) {
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "t = %.9g s lies before the current step, which begins at %.9g s", t,
                            run->rk.t);
    }
    while (t > run->t1 || (t == run->t1 && is_pending(run))) {
        sal_status status = sal_run_step(run);
        if (status == SAL_END && t <= run->t1) break; /* an event at the very end was passed over */
        if (status != SAL_OK) return status;
    }
    if (t < run->t1) return show_inside(run, t);
    show_end(run);
    return SAL_OK;
}

/* ------------------------------------------------------------------------------------- accessors */

double sal_run_parameter(const sal_run *run, int index)
{
    const sal_tables *tables = run->model->tables;

    return index >= 0 && index < tables->parameters.n ? run->system.z[tables->parameters.at[index].slot] : NAN;
}

double sal_run_time(const sal_run *run)
{
    return run->t;
}

double sal_run_duration(const sal_run *run)
{
    return run->t_end;
}

double sal_run_output_interval(const sal_run *run)
{
    return run->system.z[run->model->tables->simulation.output];
}

const char *sal_run_message(const sal_run *run)
{
    return run->system.message;
}

const double *sal_run_q(const sal_run *run)
{
    return run->q;
}

const double *sal_run_v(const sal_run *run)
{
    return run->v;
}

const double *sal_run_a(const sal_run *run)
{
    return run->a;
}

const double *sal_run_lambda(const sal_run *run)
{
    return run->lambda;
}

const double *sal_run_costs(const sal_run *run)
{
    return run->cost;
}

sal_event_info sal_run_event(const sal_run *run)
{
    return run->event;
}

sal_run_stats sal_run_get_stats(const sal_run *run)
{
    sal_run_stats stats = run->stats;

    stats.evaluations         = run->rk.evaluations;
    stats.factorizations      = run->system.motion.factorizations;
    stats.full_factorizations = run->system.motion.full;
    return stats;
}

sal_run_opts sal_run_get_opts(const sal_run *run)
{
    return run->opts;
}
