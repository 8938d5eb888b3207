/* loop.c - steps of a run, and the state that it shows.
 *
 * A step that has been made stays the current one, with its dense output, until the next is asked for; so sal_run_to()
 * can show any time inside it. An event lies at the end of a step (the step is made to end there) and is handled when
 * the
 * caller goes on. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/run/run.h"
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

/* --------------------------------------------------------------------------------- the integrator */

sal_trial sal_run_over(sal_run *run, sal_status status)
{
    run->failure = status;
    return SAL_TRY_OVER;
}

sal_trial sal_run_trial(sal_run *run, sal_status status)
{
    switch (status) {
    case SAL_OK: return SAL_TRIED;
    case SAL_ERR_SINGULAR: return SAL_TRY_SINGULAR;
    case SAL_ERR_NUMBER: return SAL_TRY_NUMBER;
    case SAL_ERR_MEMORY: return sal_run_over(run, sal_system_explain(&run->system, status, &run->system.motion));
    default: return sal_run_over(run, status);
    }
}

/* Steps become ever shorter where a spring comes to length 0: its force, k (l - l0) + c l' along it, has no direction
 * there. Whether that is the reason, and its message. */
static bool is_spring_without_length(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    const double     *z      = run->system.z;

    sal_system_move(&run->system, run->stepper.t, run->stepper.y0, run->stepper.y0 + run->model->n);
    for (int k = 0; k < tables->springs.n; k++) {
        const sal_spring *x      = &tables->springs.at[k];
        const double      length = sal_spring_length(x, z), natural = fabs(z[x->length]);
        const bool        smooth = natural == 0.0 && z[x->damping] == 0.0;
        if (smooth || length > SAL_NO_LENGTH * fmax(natural, run->system.length)) continue;
        sal_run_fail(
            run, SAL_ERR_STEP,
            "%s comes to length 0 at t = %.9g s, where its force has no direction: its ends would have to pass "
            "through each other",
            tables->elements.at[x->element].name, run->stepper.t);
        return true;
    }
    return false;
}

/* Why what was tried last did not succeed. */
static sal_status explain(sal_run *run, sal_trial trial)
{
    sal_system *s = &run->system;

    if (trial == SAL_TRY_OVER) return run->failure;
    if (is_spring_without_length(run)) return SAL_ERR_STEP;
    if (trial == SAL_TRY_FINER && run->contacts.crowded >= 0) return sal_run_say_crowded(run);
    if (trial == SAL_TRY_FINER)
        return sal_run_fail(run, SAL_ERR_STEP,
                            "an event function jumps or changes too fast to be followed at t = %.9g s, or events "
                            "follow each other ever faster; `when` must be continuous",
                            run->t1);
    if (trial == SAL_TRY_THROWN)
        return sal_run_fail(run, SAL_ERR_STEP,
                            "what is prescribed as a function of time jumps at t = %.9g s, in place or in speed, and "
                            "nothing in it says where; expected a smooth function, or abs, min, max, if",
                            run->stepper.t);
    if (trial == SAL_TRY_DIVERGED)
        return sal_run_fail(run, SAL_ERR_STEP,
                            "the equations of an implicit step cannot be solved at t = %.9g s, however short the step",
                            run->stepper.t);
    if (trial == SAL_TRY_NUMBER && run->no_derivative)
        return sal_run_fail(run, SAL_ERR_NUMBER,
                            "%s has no derivative with respect to what was asked for at t = %.9g s", run->no_derivative,
                            s->z[run->model->tables->time]);
    return sal_system_explain(s, trial == SAL_TRY_NUMBER ? SAL_ERR_NUMBER : SAL_ERR_SINGULAR, &s->motion);
}

/* Whether the integrator's vector now goes on with sensitivities. */
static bool differentiating(const sal_run *run)
{
    return run->stepper.active > sal_run_state_size(run);
}

/* What is integrated along, and forces that turn with rows, are those of the state, not what the stages of the form
 * index3 have to make of a state off its rows (implicit.c). */
static sal_status let_positions(sal_run *run)
{
    sal_status status;

    run->system.damped = false;
    status             = sal_system_accelerate(&run->system);
    run->system.damped = true;
    return status;
}

static sal_trial move(sal_run *run, double t, const double *y, double *dy)
{
    sal_system       *s      = &run->system;
    const sal_tables *tables = run->model->tables;
    const int         n      = run->model->n;
    sal_status        status;

    run->no_derivative = NULL;
    sal_system_move(s, t, y, y + n);
    status = sal_system_accelerate(s);
    if (status != SAL_OK) return sal_run_trial(run, status);
    memcpy(dy, y + n, sizeof *dy * (size_t)n);
    memcpy(dy + n, s->zdd, sizeof *dy * (size_t)n);
    if (run->opts.form == SAL_INDEX3 && s->damped) {
        status = let_positions(run);
        if (status != SAL_OK) return sal_run_trial(run, status);
    }
    if (run->works.smooth) sal_works_power(&run->works, s, dy + 2 * n + tables->costs.n);
    if (differentiating(run)) return sal_sens_motion(run, y, dy);
    for (int k = 0; k < tables->costs.n; k++) {
        dy[2 * n + k] = tables->costs.at[k].running.n ? sal_system_value(s, &tables->costs.at[k].running) : 0.0;
    }
    return sal_all_finite(dy + 2 * n, (size_t)(tables->costs.n + run->works.smooth)) ? SAL_TRIED : SAL_TRY_NUMBER;
}

sal_trial sal_run_motion(void *self, double t, const double *y, double *dy)
{
    sal_run  *run   = self;
    sal_trial trial = move(run, t, y, dy);

    if (trial != SAL_TRY_NUMBER || run->model->tables->sides.n == 0) return trial;
    sal_system_let_sides(&run->system); /* what holds on one side need not be finite beyond it */
    trial = move(run, t, y, dy);
    sal_system_fix_sides(&run->system);
    return trial;
}

/* Whether projection has moved y by more than a step can be wrong: what is prescribed has jumped in the step, without
 * anything in it that says where (an `if`, a step), or changed its velocity so. */
static bool is_thrown(const sal_run *run, const double *y)
{
    const sal_system *s     = &run->system;
    const double      part  = fmax(SAL_HOLD_FITS, SAL_THROWN * run->opts.rtol);
    const double      speed = fmax(sal_largest(y + run->model->n, run->model->n), sal_largest(s->zd, run->model->n));
    double            moved = 0.0, faster = 0.0;

    for (int k = 0; k < run->model->n; k++) {
        moved  = fmax(moved, fabs(s->z[k] - y[k]));
        faster = fmax(faster, fabs(s->zd[k] - y[run->model->n + k]));
    }
    return moved > part * s->length || faster > part * fmax(speed, s->length / run->t_end);
}

sal_trial sal_run_project(void *self, double t, double *y)
{
    sal_run   *run = self;
    const int  n   = run->model->n;
    bool       thrown;
    sal_shift *metric;
    sal_status status;

    sal_system_move(&run->system, t, y, y + n);
    metric = run->stepper.ops->implicit ? &run->implicit->motion.shift : NULL;
    status = sal_system_project(&run->system, metric);
    thrown = status == SAL_OK && run->model->ntimed && !sal_kinks_followed(run) && is_thrown(run, y);
    memcpy(y, run->system.z, sizeof *y * (size_t)n);
    memcpy(y + n, run->system.zd, sizeof *y * (size_t)n);
    if (thrown) return SAL_TRY_THROWN;
    if (status == SAL_OK && differentiating(run)) { /* the factors are those of a state a rounding error away */
        double      *Q = y + sal_run_state_size(run), *V = Q + n * run->p;
        const size_t size = sizeof(double) * (size_t)(n * run->p);
        sal_tangent_move(&run->tangent, &run->system, Q, V);
        sal_tangent_project(&run->tangent, &run->system, metric);
        memcpy(Q, run->tangent.z, size);
        memcpy(V, run->tangent.zd, size);
    }
    return sal_run_trial(run, status);
}

/* ------------------------------------------------------------------------------- the state shown */

double sal_run_average(const sal_run *run, int cost, double integral, double t)
{
    sal_system *s = (sal_system *)&run->system; /* a value is workspace only */

    return t > run->start.t ? integral / (t - run->start.t)
                            : sal_system_value(s, &run->model->tables->costs.at[cost].running);
}

/* Shows the state that the system is in, accelerations included. */
static void show(sal_run *run, double t, const double *integral)
{
    const sal_tables *tables = run->model->tables;
    const size_t      nz = (size_t)run->model->nz, m = (size_t)run->model->m;
    sal_system       *s = &run->system;

    run->shown.t = t;
    memcpy(run->shown.z, s->z, sizeof(double) * nz);
    memcpy(run->shown.zd, s->zd, sizeof(double) * nz);
    memcpy(run->shown.zdd, s->zdd, sizeof(double) * nz);
    memcpy(run->shown.lambda, s->lambda, sizeof(double) * m);
    for (int k = 0; k < tables->costs.n; k++) {
        const sal_cost *cost = &tables->costs.at[k];
        run->shown.mean[k]   = cost->average ? sal_run_average(run, k, integral[k], t) : 0.0;
        run->shown.cost[k]   = (cost->average ? run->shown.mean[k] : integral[k]) +
                             (cost->terminal.n ? sal_system_value(s, &cost->terminal) : 0.0) +
                             sal_instants_value(run, k);
    }
    integral += tables->costs.n;
    memcpy(run->shown.work, integral, sizeof(double) * (size_t)run->works.smooth);
    if (run->p && !run->conditions.sum) sal_sens_show(run, integral + run->works.smooth + 2 * run->model->n * run->p);
}

/* Gives the energy. */
static double account(sal_run *run)
{
    const double energy = sal_system_energy(&run->system), drift = fabs(energy - run->segment_energy);
    double       phi, phidot;

    sal_system_residual(&run->system, &phi, &phidot);
    run->stats.max_phi      = fmax(run->stats.max_phi, phi);
    run->stats.max_phidot   = fmax(run->stats.max_phidot, phidot);
    run->stats.energy_drift = fmax(run->stats.energy_drift, drift);
    if (!run->p || run->conditions.sum) return energy;
    sal_tangent_residual(&run->tangent, &run->system, &phi, &phidot);
    run->wrt_phi    = fmax(run->wrt_phi, phi);
    run->wrt_phidot = fmax(run->wrt_phidot, phidot);
    return energy;
}

/* Keeps accelerations and multipliers at the end of the step, where the integrator's last evaluation was. */
static void remember_end(sal_run *run)
{
    memcpy(run->end.a, run->system.zdd, sizeof(double) * (size_t)run->model->n);
    memcpy(run->end.lambda, run->system.lambda, sizeof(double) * (size_t)run->model->m);
    run->end.left_out = run->system.left_out;
    sal_health_remember(run);
    if (!run->p) return;
    memcpy(run->end.A, run->tangent.zdd, sizeof(double) * (size_t)(run->model->n * run->p));
    memcpy(run->end.Lambda, run->tangent.lambda, sizeof(double) * (size_t)(run->model->m * run->p));
}

/* Puts the system back there. */
void sal_run_restore_end(sal_run *run)
{
    sal_system_move(&run->system, run->t1, run->stepper.y1, run->stepper.y1 + run->model->n);
    memcpy(run->system.zdd, run->end.a, sizeof(double) * (size_t)run->model->n);
    memcpy(run->system.lambda, run->end.lambda, sizeof(double) * (size_t)run->model->m);
    if (!run->p) return;
    const double *Q = run->stepper.y1 + sal_run_state_size(run);
    sal_tangent_move(&run->tangent, &run->system, Q, Q + run->model->n * run->p);
    memcpy(run->tangent.zdd, run->end.A, sizeof(double) * (size_t)(run->model->n * run->p));
    memcpy(run->tangent.lambda, run->end.Lambda, sizeof(double) * (size_t)(run->model->m * run->p));
}

void sal_run_show_end(sal_run *run)
{
    sal_run_restore_end(run);
    show(run, run->t1, run->stepper.y1 + 2 * run->model->n);
}

void sal_run_resume(sal_run *run)
{
    sal_stepper  *s     = &run->stepper;
    const double *slope = s->ops->slope(s, s->h > 0.0);

    memcpy(s->y0, s->y1, sizeof *s->y0 * (size_t)s->n);
    memcpy(s->ops->slope(s, !(s->h > 0.0)), slope, sizeof *slope * (size_t)s->n);
    s->t             = run->t1; /* there is no dense output of the step that led here */
    s->dense_n       = 0;
    run->shown.fresh = true;
    sal_run_show_end(run);
}

/* Begins a smooth piece at y: after the start, after an event. */
sal_status sal_run_begin_segment(sal_run *run, double t, const double *y, sal_pending fired)
{
    sal_status status;
    sal_trial  trial;

    sal_contacts_note_closed(&run->system);
    status  = sal_run_choose_sides(run, t, y, &fired);
    run->t1 = t;
    if (status != SAL_OK) return status;
    sal_system_move(&run->system, t, y, y + run->model->n);
    sal_contacts_keep_open(&run->system, run->find.tolerance);
    trial = sal_stepper_start(&run->stepper, t, y);
    if (trial != SAL_TRIED) return explain(run, trial);
    remember_end(run);
    run->segment_energy = sal_system_energy(&run->system);
    account(run);
    sal_health_resume(run);
    sal_run_restore_end(run);
    status = sal_instants_begin(run, fired.event < 0 && t == run->start.t);
    if (status != SAL_OK) return status;
    sal_run_show_end(run);
    status = sal_events_arm(run, fired);
    return status == SAL_OK && run->opts.validate ? sal_run_validate(run) : status;
}

/* ----------------------------------------------------------------------------------------- steps */

void sal_run_name_lined(sal_run *run, char *names, size_t room, char *driven)
{
    bool *driving = run->lined + run->model->m;

    sal_structure_find_lined(&run->system, run->lined);
    sal_structure_name_rows(run->model, run->lined, names, room);
    sal_structure_find_driven(&run->system, driving);
    for (int r = 0; r < run->model->m; r++) driving[r] = driving[r] && run->lined[r];
    sal_structure_name_rows(run->model, driving, driven, room);
}

/* The motion has come to a position in which links are in line, and does not go on: why, and which they are. */
static sal_status say_locked(sal_run *run)
{
    sal_stepper *rk = &run->stepper;
    char         names[400], driven[400];

    sal_system_move(&run->system, rk->t, rk->y0, rk->y0 + run->model->n);
    sal_run_name_lined(run, names, sizeof names, driven);
    return sal_run_fail(run, SAL_ERR_STEP,
                        "links come into line at t = %.9g s, and %s; the constraints %s depend on "
                        "each other there%s%s",
                        rk->t,
                        rk->flow.correct ? "no motion goes on from there that can be told from others: a lock-up, or "
                                           "next to one"
                                         : "constraints that are not projected do not tell which way the motion goes "
                                           "on; expected \"stabilization\": \"projection\"",
                        names[0] ? names : "of the mechanism", driven[0] ? ": a dead centre of what is driven by " : "",
                        driven);
}

/* Whether what makes K singular drives the mechanism: it was regular before. */
static bool is_driven_there(sal_run *run)
{
    char names[400], driven[400];

    sal_run_name_lined(run, names, sizeof names, driven);
    return driven[0] && run->stats.steps > 0;
}

/* Whether a step that is short enough has passed such a position and cannot be told to be right. */
static bool is_lost(sal_run *run)
{
    if (!run->system.lined) return false;
    return !run->stepper.flow.correct || (run->system.plainly && !sal_health_is_balanced(run, 1.0));
}

static sal_status too_short(sal_run *run, sal_trial trial, double h)
{
    if (run->system.lined || (trial == SAL_TRY_SINGULAR && is_driven_there(run))) return say_locked(run);
    if (trial != SAL_TRIED) return explain(run, trial);
    if (is_spring_without_length(run)) return SAL_ERR_STEP;
    return sal_run_fail(
        run, SAL_ERR_STEP,
        "at t = %.9g s a step of %.3g s is still too long for rtol %g, and shorter ones are not allowed: the motion "
        "changes too fast there",
        run->stepper.t, h, run->opts.rtol);
}

static double least_step(const sal_run *run)
{
    return fmax(run->opts.min_step, 16.0 * DBL_EPSILON * fmax(fabs(run->stepper.t), SAL_STEP_AT_ZERO * run->t_end));
}

static sal_status count_events(sal_run *run)
{
    if (run->opts.max_events <= 0 || run->stats.events < run->opts.max_events) return SAL_OK;
    return sal_run_fail(run, SAL_ERR_LIMIT, "the limit of %ld events is reached at t = %.9g s", run->opts.max_events,
                        run->t1);
}

/* Whether the run may go on: nobody has stopped it, and no limit is reached. */
static sal_status go_on(sal_run *run)
{
    const sal_run_opts *o      = &run->opts;
    const sal_status    status = sal_watch_ask(&run->watch);

    if (status != SAL_OK) return sal_run_say_limit(run, status, run->stepper.t);
    if (o->max_steps > 0 && run->stats.steps + run->stats.rejected >= o->max_steps)
        return sal_run_fail(run, SAL_ERR_LIMIT, "the limit of %ld steps is reached at t = %.9g s", o->max_steps,
                            run->stepper.t);
    return count_events(run);
}

/* Stopped in a step, or at a limit: back to where it began, so that the next call can make it again. */
static sal_status take_back(sal_run *run, double h_next, sal_status why)
{
    sal_stepper *rk = &run->stepper;
    sal_trial    trial;

    rk->h       = 0.0;
    run->t1     = rk->t;
    run->h_next = h_next;
    memcpy(rk->y1, rk->y0, sizeof *rk->y1 * (size_t)rk->n);
    trial = sal_run_motion(run, rk->t, rk->y1, run->y);
    if (trial != SAL_TRIED) return explain(run, trial);
    remember_end(run);
    sal_run_show_end(run);
    return why;
}

/* The largest acceleration at the end of the step; at least that of going round in the mechanism's size. */
static double turning(const sal_run *run)
{
    const double speed = sal_largest(run->system.zd, run->model->n);

    return fmax(sal_largest(run->system.zdd, run->model->n), speed * speed / run->system.length);
}

/* Whether a step has come to links in line, with a corner, and not as a motion does that goes straight through: rows
 * are left open, accelerations grow, energy comes from nowhere, or nothing is short enough. It is to be tried without
 * (README, Links in line). */
static bool is_doubtful(sal_run *run, sal_trial trial, double h, double error)
{
    const sal_system *s = &run->system;

    if (!s->lined || s->plainly) return false;
    if (trial == SAL_TRY_THROWN) return true; /* by its corner */
    if (trial != SAL_TRIED || error > 1.0) return h <= least_step(run);
    return s->bent || (run->straight > 0.0 && turning(run) > SAL_TURNS * run->straight) ||
           !sal_health_is_balanced(run, SAL_NEAR_MISS);
}

/* Makes the next step within the tolerance. */
static sal_status make_step(sal_run *run)
{
    sal_stepper *rk = &run->stepper;
    int          vector;
    const double end   = fmin(run->t_end, sal_knots_end(&run->system, &vector)); /* as far as it may go */
    const double left  = end - rk->t;
    const double least = least_step(run);
    double       h = fmin(fmax(run->h_next, least), run->opts.max_step), error = 0.0;
    bool         rejected = false;
    const bool   plainly = run->system.plainly, passing = run->passing;
    sal_trial    trial;

    for (;;) {
        const sal_status status = go_on(run);
        if (status != SAL_OK) {
            run->system.plainly = plainly;
            run->passing        = passing;
            return status;
        }
        const bool last = h >= left * (1.0 - SAL_LAST_STEP); /* rather a little longer than a crumb at the end */
        if (last) h = left;
        run->system.lined = false;
        trial             = sal_stepper_attempt(rk, h, &error);
        if (trial < 0) return explain(run, trial);
        run->passing = run->system.lined;
        if (is_doubtful(run, trial, h, error)) {
            run->system.plainly = true;
            run->stats.rejected++;
            continue;
        }
        if (trial == SAL_TRIED && error <= 1.0) {
            if (is_lost(run)) return say_locked(run);
            run->t1 = last ? end : rk->t + h;
            if (!last || rejected) run->h_next = sal_stepper_next_length(rk, h, error, rejected);
            run->stats.steps++;
            run->system.plainly = run->system.plainly && run->system.lined;
            if (!run->system.lined) run->straight = turning(run);
            return SAL_OK;
        }
        rejected = true;
        run->stats.rejected++;
        if (h <= least) return too_short(run, trial, h);
        h = fmax(least, trial == SAL_TRIED ? sal_stepper_next_length(rk, h, error, true) : 0.25 * h);
    }
}

/* A contact that slides may be about to jam: that is an event at the end of the step. Whether it is. */
static bool look_for_jam(sal_run *run, double part)
{
    if (run->find.pending.event >= 0 || run->system.mode.couplings == 0) return false;
    if (sal_system_accelerate(&run->system) == SAL_OK && sal_contacts_jamming(&run->contacts, &run->system, part)) {
        const sal_touch *touch = &run->model->tables->touches.at[run->contacts.jam];
        run->find.pending      = (sal_pending){ .event = touch->event[SAL_JAMS], .steep = true };
    }
    sal_run_restore_end(run);
    return run->find.pending.event >= 0;
}

/* Steps have become too short: forces that grow without bound may be the reason, before the step. */
static sal_status jam_instead(sal_run *run, sal_status why)
{
    run->find.pending.event = -1;
    if (run->system.mode.couplings == 0 || take_back(run, run->h_next, SAL_OK) != SAL_OK) return why;
    if (!look_for_jam(run, SAL_JAM_SOON)) return why;
    run->system.message[0] = '\0';
    return SAL_OK;
}

bool sal_run_ends_piece(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    int               vector;

    if (tables->vectors.n == 0 || run->ended || run->t1 >= run->t_end) return false;
    sal_run_restore_end(run);
    if (sal_knots_end(&run->system, &vector) > run->t1 + least_step(run)) return false;
    for (int k = 0; k < tables->sides.n; k++) {
        if (tables->sides.at[k].vector != vector + 1) continue;
        run->find.pending = (sal_pending){ .event = tables->sides.at[k].event, .rate = 1.0, .steep = true };
    }
    return true;
}

/* Steps on, up to the first event if there is one in the step. */
static sal_status advance(sal_run *run)
{
    sal_stepper *rk     = &run->stepper;
    const double h_next = run->h_next;
    double       energy;
    sal_status   status;
    sal_trial    trial;

    if (rk->h > 0.0) {
        sal_run_restore_end(run);
        sal_events_go_on(run);
        sal_stepper_accept(rk);
        rk->t = run->t1;
    }
    status = sal_auto_change(run);
    if (status != SAL_OK) return status;
    do {
        status = make_step(run);
        if (status == SAL_STOPPED || status == SAL_ERR_LIMIT) return take_back(run, h_next, status);
        if (status != SAL_OK) return jam_instead(run, status);
        remember_end(run);
        sal_stiff_look(run);
        sal_auto_look(run);
        trial = sal_events_find(run);
        if (trial < 0) {
            status = sal_run_say_limit(run, explain(run, trial), rk->t);
            return status == SAL_STOPPED || status == SAL_ERR_LIMIT ? take_back(run, h_next, status) : status;
        }
        if (trial > 0) {
            const double h = run->t_step - rk->t;
            run->h_next    = 0.25 * h;
            run->stats.rejected++;
            if (h <= 4.0 * least_step(run)) return jam_instead(run, explain(run, trial));
        }
    } while (trial > 0);
    if (run->find.pending.event >= 0) { /* the step was made again, as far as the event */
        run->h_next = fmin(run->h_next, run->t_step - rk->t);
        remember_end(run);
    }
    if (run->t1 > rk->t) {
        memset(run->find.handled, 0, sizeof *run->find.handled * (size_t)run->model->tables->events.n);
    }
    status = sal_instants_step(run);
    if (status == SAL_ERR_SINGULAR) status = sal_system_explain(&run->system, status, &run->system.motion);
    if (status != SAL_OK) return status;
    sal_run_restore_end(run);
    sal_system_count_turns(&run->system, false);
    show(run, run->t1, run->stepper.y1 + 2 * run->model->n);
    energy = account(run);
    if (sal_system_check_timed(&run->system) != SAL_OK) return SAL_ERR_NUMBER;
    if (sal_kinks_check(run) != SAL_OK) return SAL_ERR_STEP;
    if (run->p || run->taped) sal_sens_check_springs(run);
    if (run->p && run->passing) sal_sens_check_lines(run);
    status = sal_health_step(run, energy);
    if (status != SAL_OK) return status;
    look_for_jam(run, SAL_JAM);
    if (run->find.pending.event < 0) sal_run_ends_piece(run);
    return run->opts.validate ? sal_run_validate(run) : SAL_OK;
}

/* Whether there is an event to be handled. One that ends the run does not keep those of the same instant from
 * happening. */
bool sal_run_is_pending(const sal_run *run)
{
    const int event = run->find.pending.event;

    return event >= 0 && (!run->ended || run->find.due[event].due || run->contacts.jam >= 0);
}

sal_status sal_run_step(sal_run *run)
{
    sal_status status = SAL_OK;

    if (run->state != SAL_OK) return run->state;
    run->system.message[0] = '\0';
    if (sal_run_is_pending(run) && count_events(run) != SAL_OK) return run->state = SAL_ERR_LIMIT;
    while ((sal_run_is_pending(run) || sal_run_ends_piece(run)) && status == SAL_OK)
        status = sal_run_say_limit(run, sal_run_handle_event(run), run->t1);
    run->halfway = status == SAL_STOPPED || status == SAL_ERR_LIMIT;
    if (run->halfway) run->state = status;
    if (status == SAL_OK) {
        if (run->ended || run->t1 >= run->t_end) {
            sal_run_show_end(run);
            return SAL_END;
        }
        status = advance(run);
    }
    if (status < 0) run->state = status;
    return status;
}

/* Puts the system inside the current step, projected, at t = theta of it. */
static sal_trial stand_inside(sal_run *run, double theta, double t)
{
    const int n     = run->model->n;
    sal_trial trial = sal_stepper_make_dense(&run->stepper);

    if (trial == SAL_TRIED) {
        sal_stepper_at(&run->stepper, theta, run->y);
        if (run->stepper.flow.correct) trial = run->stepper.flow.correct(run, t, run->y);
    }
    sal_system_move(&run->system, t, run->y, run->y + n);
    if (trial == SAL_TRIED) trial = sal_run_trial(run, sal_system_accelerate(&run->system));
    if (trial == SAL_TRIED && run->p) {
        const double *Q = run->y + sal_run_state_size(run);
        sal_tangent_move(&run->tangent, &run->system, Q, Q + n * run->p);
        sal_tangent_accelerate(&run->tangent, &run->system);
    }
    return trial;
}

sal_trial sal_run_stand(sal_run *run, double theta)
{
    if (theta < 1.0) return stand_inside(run, theta, run->stepper.t + theta * (run->t1 - run->stepper.t));
    sal_run_restore_end(run);
    return SAL_TRIED;
}

/* Shows a time inside the current step. */
static sal_status show_inside(sal_run *run, double t)
{
    const sal_trial trial = stand_inside(run, (t - run->stepper.t) / (run->t1 - run->stepper.t), t);

    if (trial != SAL_TRIED) return run->state = explain(run, trial);
    show(run, t, run->y + 2 * run->model->n);
    return SAL_OK;
}

sal_status sal_run_to(sal_run *run, double t)
{
    if (run->state != SAL_OK) return run->state;
    run->system.message[0] = '\0';
    if (!(t >= run->stepper.t)) {
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "t = %.9g s lies before the current step, which begins at %.9g s", t,
                            run->stepper.t);
    }
    while (t > run->t1 || (t == run->t1 && sal_run_is_pending(run))) {
        sal_status status = sal_run_step(run);
        if (status == SAL_END && t <= run->t1) break; /* an event at the very end was passed over */
        if (status != SAL_OK) return status;
    }
    if (t < run->t1) return show_inside(run, t);
    sal_run_show_end(run);
    return SAL_OK;
}
