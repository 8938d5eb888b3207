/* health.c - whether what a run finds can be, looked at in every run, at every accepted step and event.
 *
 *     contacts    closed: N >= 0, |T| <= mu_static N where it sticks, T = mu_kinetic N against the slip where it
 *                 slides; open: the gap is not negative, once it was not
 *     rows        Phi, Phidot vanish where they are projected; Phi not before the first step after an event, which may
 *                 let constraints hold that are open by SAL_HOLD_FITS
 *     impulses    M (v+ - v-) = -Phi_q^T P at an event that sets no velocities; those of contacts push, within
 *                 mu_static P, and add no energy, -sum P (gamma- + gamma+)/2 <= 0, unless Newton's law does
 *     work        E(t) - E(t - h) = sum of all work in the step (motion/work.c), which is integrated with the motion
 *
 * The first four are compared with the sizes of the mechanism (motion/scale.c), well beyond what decisions call zero.
 * Work is compared with what the integrator may leave: a step may be wrong by sc_i = atol + rtol |y_i| in y_i, and the
 * energy by
 *
 *     A = sum |(M v)_i| sc(v_i) + sum |F_i| sc(q_i),      F = -dV/dq + what else acts: more than that
 *
 * and the work by what its own embedded formula says, it takes no part in step control. SAL_BALANCE times both is
 * allowed, and what rounding makes of the energy's parts.
 *
 * What costs is done when there is reason to: a size is only asked for where N, the cone or a gap is on the wrong side
 * of zero at all, and Phi where it is larger than what was looked at before. So a run that is well pays for a few
 * products. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/run/run.h"

/* --------------------------------------------------------------------------------------- measures */

static const struct kind_text {
    const char *name, *said;
} kinds[SAL_HEALTH_KINDS] = {
    [SAL_HEALTH_PULL]    = { "pull", "a contact pulls:" },
    [SAL_HEALTH_CONE]    = { "cone", "friction of a contact beyond what it can be:" },
    [SAL_HEALTH_DRIVE]   = { "drive", "friction of a contact drives it:" },
    [SAL_HEALTH_GAP]     = { "gap", "a contact is passed through:" },
    [SAL_HEALTH_PHI]     = { "Phi", "Phi of" },
    [SAL_HEALTH_PHIDOT]  = { "Phidot", "Phidot of" },
    [SAL_HEALTH_IMPULSE] = { "impulse", "a velocity jumps by more than impulses explain:" },
    [SAL_HEALTH_PUSH]    = { "push", "an impulse that a contact cannot have:" },
    [SAL_HEALTH_GAIN]    = { "gain", "an impact adds energy:" },
    [SAL_HEALTH_WORK]    = { "work", "energy that nobody's work explains" },
};

static const char *name_of(const sal_run *run, sal_health_kind kind, int which)
{
    const sal_tables *tables = run->model->tables;

    if (which < 0) return "";
    switch (kind) {
    case SAL_HEALTH_PULL:
    case SAL_HEALTH_CONE:
    case SAL_HEALTH_DRIVE:
    case SAL_HEALTH_PUSH:
    case SAL_HEALTH_GAIN:
    case SAL_HEALTH_GAP: return tables->touches.at[which].name;
    case SAL_HEALTH_PHI:
    case SAL_HEALTH_PHIDOT: return tables->rows.at[which].name;
    case SAL_HEALTH_IMPULSE: return run->model->coordinate[which];
    default: return "";
    }
}

/* Remembers the worst; SAL_ERR_INVARIANT where it is beyond its limit. */
static sal_status measure(sal_run *run, sal_health_kind kind, int which, double value, double limit)
{
    sal_worst  *worst = &run->health.worst[kind];
    const char *name  = name_of(run, kind, which);

    if (!(worst->limit > 0.0) || !(value * worst->limit <= worst->value * limit))
        *worst = (sal_worst){ value, limit, run->t1, which };
    if (value <= limit) return SAL_OK;
    return sal_run_fail(run, SAL_ERR_INVARIANT, "%s%s%s at t = %.9g s: %.9g, and no more than %.3g is rounding",
                        kinds[kind].said, name[0] ? " " : "", name, run->t1, value, limit);
}

/* ------------------------------------------------------------------------------------------- rows */

/* The speed that the zero of a gap hides: contacts that touch with it are closed, and projection takes it away. */
static double hidden_speed(const sal_run *run, double acceleration)
{
    double most = 0.0;

    for (int k = 0; k < run->model->tables->touches.n; k++)
        most = fmax(most, run->find.tolerance[run->model->tables->touches.at[k].event[SAL_TOUCHES]]);
    return 10.0 * sqrt(2.0 * most * acceleration);
}

/* What velocities are measured by: those there are and, where an event has stopped everything, those there were. */
static double speed_of(const sal_run *run, const sal_scale *scale)
{
    double most = fmax(scale->speed, scale->natural);

    for (int k = 0; k < run->model->n; k++) most = fmax(most, fabs(run->record.v[k]));
    return most;
}

static sal_status look_at_rows(sal_run *run)
{
    const sal_system *s      = &run->system;
    const sal_scale   scale  = sal_scale_at(&run->system);
    const double      length = scale.length * (run->stepper.h > 0.0 ? SAL_VALID : 2.0 * SAL_HOLD_FITS),
                 speed       = SAL_VALID * speed_of(run, &scale) + hidden_speed(run, scale.acceleration);
    sal_status status        = SAL_OK;
    double     phi, phidot;

    if (!run->stepper.flow.correct) return SAL_OK; /* nothing is projected */
    sal_system_residual(&run->system, &phi, &phidot);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    for (int r = 0; r < run->model->m && status == SAL_OK; r++) {
        double slope = 0.0, far = 0.0;
        if (!s->mode.held[r]) continue;
        for (int k = run->model->jp[r]; k < run->model->jp[r + 1]; k++) {
            slope = fmax(slope, fabs(s->entry[k]));
            far   = fmax(far, fabs(s->z[run->model->jc[k]]));
        }
        status = measure(run, SAL_HEALTH_PHI, r, fabs(s->phi[r]), slope * (length + SAL_VALID_ROUNDING * far));
        if (status == SAL_OK) status = measure(run, SAL_HEALTH_PHIDOT, r, fabs(s->phidot[r]), slope * speed);
    }
    return status;
}

/* --------------------------------------------------------------------------------------- contacts */

/* The forces of a contact that is closed: -N, and what friction is off by. */
static void read_forces(const sal_run *run, int contact, double *pull, double *off)
{
    const sal_touch  *t = &run->model->tables->touches.at[contact];
    const sal_system *s = &run->system;
    const double      N = run->end.lambda[t->normal], T = t->tangent < 0 ? 0.0 : fabs(run->end.lambda[t->tangent]);

    *pull = -N;
    *off  = 0.0;
    if (t->tangent < 0 || t->bonded) return;
    if (s->mode.held[t->tangent]) *off = T - s->z[t->mu_static] * N;
    else if (sal_contact_slides(s, contact)) *off = fabs(T - s->z[t->mu_kinetic] * fabs(N));
}

/* What forces are known to: where rows come to depend on each other, to no more than solves leave out there. */
static double force_known(const sal_run *run)
{
    return run->end.left_out || run->system.shares ? fmax(SAL_VALID_FORCE, 10.0 * SAL_LEAST_MOVING) : SAL_VALID_FORCE;
}

static sal_status look_at_forces(sal_run *run, int contact)
{
    const sal_scale scale = sal_scale_at(&run->system);
    const double    small = force_known(run) * (scale.force + scale.operands);
    double          pull, off;
    sal_status      status;

    read_forces(run, contact, &pull, &off);
    status = measure(run, SAL_HEALTH_PULL, contact, fmax(pull, 0.0), small);
    return status == SAL_OK ? measure(run, SAL_HEALTH_CONE, contact, fmax(off, 0.0), small) : status;
}

/* Friction of a contact that slides acts against it, but for what rounding leaves of the slip where it begins and ends.
 */
static sal_status look_at_slip(sal_run *run, int contact, bool closely)
{
    const double T    = run->end.lambda[run->model->tables->touches.at[contact].tangent];
    const double slip = sal_contact_slip(&run->system, contact), along = T > 0.0 ? slip : T < 0.0 ? -slip : 0.0;

    if (!closely && along <= 0.0) return SAL_OK;
    const sal_scale scale = sal_scale_at(&run->system);
    if (fabs(T) <= SAL_VALID_FORCE * (scale.force + scale.operands)) return SAL_OK;
    return measure(run, SAL_HEALTH_DRIVE, contact, fmax(along, 0.0),
                   SAL_VALID_SLIP * speed_of(run, &scale) + hidden_speed(run, scale.acceleration));
}

/* A contact that is open, and not because it was beyond its surface when the run began. */
static sal_status look_at_gap(sal_run *run, int contact, double gap)
{
    const int    event = run->model->tables->touches.at[contact].event[SAL_TOUCHES];
    const double deep  = SAL_VALID * run->system.length + 100.0 * run->find.tolerance[event];

    if (gap >= -deep) run->clear[contact] = true;
    if (!run->clear[contact] || gap >= 0.0) return SAL_OK;
    const double depth = fabs(sal_events_off_zero(run, event, gap));
    sal_run_restore_end(run);
    return measure(run, SAL_HEALTH_GAP, contact, depth, deep);
}

/* Whether the contact is one that is not to be passed through, wherever it is. */
static bool is_everywhere(const sal_run *run, const sal_touch *t)
{
    return !run->model->tables->events.at[t->event[SAL_TOUCHES]].guard.n && t->event[SAL_ENDS] < 0;
}

/* Forces that K hardly sees have been left out over a whole step: at the one instant at which links are in line nothing
 * is lost. */
static void look_at_links(sal_run *run)
{
    sal_condition *h = &run->health;

    if (!run->end.left_out) h->lined = false;
    else if (!h->lined) h->lined = true, h->lined_at = run->t1;
    else if (!h->in_line && run->t1 > h->lined_at) h->in_line = true, h->in_line_at = h->lined_at;
}

/* `closely`: whatever it costs; else where there is reason to. */
static sal_status look_at_contacts(sal_run *run, bool closely)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;
    sal_status        status = SAL_OK;

    look_at_links(run);
    for (int k = 0; k < tables->touches.n && status == SAL_OK; k++) {
        const sal_touch *t = &tables->touches.at[k];
        double           pull, off;
        if (s->mode.held[t->normal]) {
            run->clear[k] = true;
            read_forces(run, k, &pull, &off);
            if (closely || pull > 0.0 || off > SAL_VALID_ROUNDING * -pull) status = look_at_forces(run, k);
            if (status == SAL_OK && sal_contact_slides(s, k)) status = look_at_slip(run, k, closely);
        } else if (!sal_contact_is_on(s, k)) {
            run->clear[k] = false;
        } else if (is_everywhere(run, t)) {
            status = look_at_gap(run, k, sal_system_value(s, &tables->events.at[t->event[SAL_TOUCHES]].when));
        }
    }
    return status;
}

sal_status sal_health_look(sal_run *run)
{
    sal_status status = look_at_rows(run);

    if (status == SAL_OK && run->opts.form != SAL_PENALTY) status = look_at_contacts(run, true);
    sal_run_restore_end(run);
    return status;
}

/* ------------------------------------------------------------------------------------------- work */

static double sum_of(const double *x, int n)
{
    double sum = 0.0;

    for (int k = 0; k < n; k++) sum += x[k];
    return sum;
}

/* Energy that types declare for their forces: no part of the balance. */
static double stored_now(const sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    double            sum    = 0.0;

    for (int k = 0; k < tables->energies.n; k++)
        sum += sal_program_value(&tables->energies.at[k], run->system.source, run->system.value);
    return sum;
}

static const double *works_in(const sal_run *run, const double *y)
{
    return y + 2 * run->model->n + run->model->tables->costs.n;
}

sal_status sal_health_allocate(sal_run *run)
{
    const sal_simulation *sim      = &run->model->tables->simulation;
    const int             form     = run->asked.form < 0 ? (int)sim->form : run->asked.form;
    const int        stabilization = run->asked.stabilization < 0 ? (int)sim->stabilization : run->asked.stabilization;
    const bool       projected     = form != SAL_PENALTY && stabilization == SAL_PROJECTION;
    const sal_status status        = sal_works_init(&run->works, run->model, &run->pool, !projected);

    run->jumped     = SAL_NEW(&run->pool, double, run->works.n);
    run->stored     = SAL_NEW(&run->pool, double, run->works.n);
    run->clear      = SAL_NEW(&run->pool, bool, run->model->tables->touches.n);
    run->lined      = SAL_NEW(&run->pool, bool, 2 * run->model->m);
    run->every      = SAL_NEW(&run->pool, double, run->model->jp[run->model->m] + 1);
    run->shown.work = SAL_NEW(&run->pool, double, run->works.smooth);
    return run->pool.failed ? SAL_ERR_MEMORY : status;
}

/* Rows that an event has let hold may be open by a little: the next projection moves everything by that, d. */
static double open_by(const sal_run *run)
{
    const sal_model  *model = run->model;
    const sal_system *s     = &run->system;
    double            d = 0.0, sum = 0.0, speed = sal_largest(s->zd, model->n);

    for (int r = 0; r < model->m; r++) {
        double slope = 0.0;
        for (int k = model->jp[r]; k < model->jp[r + 1] && s->phi[r] != 0.0; k++)
            slope = fmax(slope, fabs(s->entry[k]));
        if (s->mode.held[r] && slope > 0.0) d = fmax(d, fabs(s->phi[r]) / slope);
    }
    for (int k = 0; k < model->n; k++) sum += fabs(s->force[k]);
    for (int k = 0; k < model->tables->masses.n; k++) sum += fabs(s->mass[k]) * speed * speed / s->length;
    return d * sum;
}

void sal_health_resume(sal_run *run)
{
    run->health.open   = open_by(run);
    run->health.energy = sal_works_energy(&run->works, &run->system);
    run->health.work   = sum_of(works_in(run, run->stepper.y1), run->works.smooth);
}

void sal_health_start(sal_run *run)
{
    run->health = (sal_condition){ .transversality = 1.0, .grazed = -1 };
    memset(run->clear, 0, sizeof *run->clear * (size_t)run->model->tables->touches.n);
    memset(run->jumped, 0, sizeof *run->jumped * (size_t)run->works.n);
    sal_works_stored(&run->works, &run->system, run->stored);
    run->health.start = sal_works_energy(&run->works, &run->system);
}

void sal_health_remember(sal_run *run)
{
    const double *q = run->system.z, *F = run->system.force;
    double        sum = 0.0;

    for (int k = 0; k < run->model->n; k++) sum += fabs(F[k]) * (run->opts.atol + run->opts.rtol * fabs(q[k]));
    run->health.slack = sum;
}

/* The larger of the speeds at both ends of the step. */
static double speed_in_step(const sal_run *run, sal_slot slot)
{
    const double now = fabs(run->system.zd[slot]);

    return slot < run->model->n ? fmax(now, fabs(run->stepper.y0[run->model->n + slot])) : now;
}

/* A, and what rounding makes of the parts of the energy. */
static double slack_of(const sal_run *run, double energy)
{
    const sal_tables *tables = run->model->tables;
    const sal_system *s      = &run->system;
    const double      atol = run->opts.atol, rtol = run->opts.rtol;
    double            sum = run->health.slack, parts = fabs(energy);

    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m = &tables->masses.at[k];
        const double    M = fabs(s->mass[k]), u = speed_in_step(run, m->i), w = speed_in_step(run, m->j);
        sum += M * (atol * (u + w + atol) + 2.0 * rtol * u * w);
        parts += M * u * w;
    }
    for (int k = 0; k < run->model->n; k++) parts += fabs(s->gravity[k] * s->z[k]);
    return sum + SAL_BALANCE_ROUNDING * parts;
}

typedef struct account { /* of a step: energy and work at its end, what they are off by, what is allowed */
    double energy, work, off, limit;
} account;

/* Where links have been in line in the step forces are known less well at its stages, which are not projected: that of
 * a motor that takes a parallelogram through its line. */
static double unsure_work(sal_run *run, int item)
{
    sal_stepper *s = &run->stepper;
    const int    k = 2 * run->model->n + run->model->tables->costs.n + item;

    if (!run->passing) return 0.0;
    return SAL_WORK_IN_LINE * s->h * (fabs(s->ops->slope(s, false)[k]) + fabs(s->ops->slope(s, true)[k]));
}

static account account_of_step(sal_run *run, double energy)
{
    const sal_condition *h     = &run->health;
    const double         now   = run->model->tables->energies.n ? energy - stored_now(run) : energy;
    const double         work  = sum_of(works_in(run, run->stepper.y1), run->works.smooth);
    double               slack = slack_of(run, now);

    for (int k = 0; k < run->works.smooth; k++) slack += run->stepper.estimate[k] + unsure_work(run, k);
    return (account){ now, work, fabs(now - h->energy - (work - h->work)),
                      SAL_BALANCE * sqrt((double)run->model->n) * (slack + h->open) };
}

bool sal_health_is_balanced(sal_run *run, double part)
{
    account a;

    sal_health_remember(run);
    a = account_of_step(run, sal_system_energy(&run->system));
    return a.off <= part * a.limit;
}

static sal_status balance(sal_run *run, double energy)
{
    sal_condition *h = &run->health;
    const account  a = account_of_step(run, energy);

    h->open   = 0.0;
    h->energy = a.energy;
    h->work   = a.work;
    return measure(run, SAL_HEALTH_WORK, -1, a.off, a.limit);
}

/* Where nothing is projected rows give way, and take energy by it: little, or they do not hold what they are to hold.
 * So it is where links come into line in penalty form: velocities across the motion, which rows that have just lost
 * their hold have let in, are damped when they hold again, and another branch has been taken. Contacts, and rows that
 * come and go, may take it rightly. */
static sal_status look_at_constraints(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    const sal_works  *w      = &run->works;
    double            size   = fabs(sal_masses_energy(run->model, run->system.z, run->system.zd, run->system.mass));
    char              names[400], driven[400];

    if (run->stepper.flow.correct || tables->touches.n || tables->switches.n) return SAL_OK;
    for (int k = 0; k < run->model->n; k++) size += fabs(run->system.force[k]) * run->system.length;
    for (int k = 0; k < w->smooth; k++) {
        const double taken = works_in(run, run->stepper.y1)[k];
        if (w->element[k] != SAL_WORK_OF_CONSTRAINTS || fabs(taken) <= SAL_GIVES_WAY * size) continue;
        sal_run_name_lined(run, names, sizeof names, driven);
        return sal_run_fail(run, SAL_ERR_INVARIANT,
                            "constraints that are not projected have changed the energy by %.6g J up to t = %.9g s: "
                            "they do not hold the mechanism, as where links come into line%s%s; expected "
                            "\"form\": \"index1\" with \"stabilization\": \"projection\", or a larger alpha",
                            taken, run->t1, driven[0] ? ": a dead centre of what is driven by " : "", driven);
    }
    return SAL_OK;
}

sal_status sal_health_step(sal_run *run, double energy)
{
    sal_condition *h      = &run->health;
    sal_status     status = balance(run, energy);
    double         phi, phidot;

    if (status == SAL_OK) status = look_at_constraints(run);
    if (status != SAL_OK) return status;
    phi    = sal_largest(run->system.phi, run->model->m);
    phidot = sal_largest(run->system.phidot, run->model->m);
    if (phi > 2.0 * h->phi || phidot > 2.0 * h->phidot) {
        h->phi    = fmax(h->phi, phi);
        h->phidot = fmax(h->phidot, phidot);
        status    = look_at_rows(run);
    }
    return status == SAL_OK && run->opts.form != SAL_PENALTY ? look_at_contacts(run, false) : status;
}

/* ----------------------------------------------------------------------------------------- events */

/* |rate| of an event over what its function changes by where everything moves at full speed; negative: it reads forces,
 * of which there is no such thing. */
static double transversality_of(sal_run *run, const sal_pending *now)
{
    const sal_program *p    = &run->model->tables->events.at[now->event].when;
    sal_system        *s    = &run->system;
    const double       fast = sal_largest(s->zdd, run->model->n), length = s->length;
    const double       speed = fmax(sal_largest(s->zd, run->model->n), sqrt(fast * length));
    double             sum   = 0.0;

    sal_system_value(s, p);
    sal_program_gradient(p, s->value, s->first);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        const double    by   = fabs(s->first[p->leaf[k]]);
        if (leaf->a == SAL_SRC_Z) sum += by * (leaf->b < run->model->n ? speed : fabs(s->zd[leaf->b]));
        else if (leaf->a == SAL_SRC_ZD) sum += by * (leaf->b < run->model->n ? fast : fabs(s->zdd[leaf->b]));
        else return -1.0;
    }
    return sum > 0.0 && isfinite(sum) ? fmin(fabs(now->rate) / sum, 1.0) : -1.0;
}

void sal_health_before(sal_run *run, const sal_pending *now)
{
    const sal_event *event = &run->model->tables->events.at[now->event];
    sal_condition   *h     = &run->health;
    const double     part  = event->side || event->kind == SAL_JAMS ? -1.0 : transversality_of(run, now);

    h->energy = sal_works_energy(&run->works, &run->system);
    if (part < 0.0 || part >= h->transversality) return;
    h->transversality = part;
    h->grazed         = now->event;
    h->grazed_at      = run->t1;
}

/* Whether memory that is set with the event, by it or by what happens to contacts, may change what things are. */
static bool takes_notes(const sal_run *run, int event)
{
    const sal_tables *tables = run->model->tables;
    bool              any    = false;

    for (int k = 0; k < tables->notes.n; k++)
        any = any || tables->notes.at[k].event == event || tables->events.at[tables->notes.at[k].event].touch >= 0;
    return any;
}

/* Adds M (v+ - v-) + Phi_q^T P to left, and what it is made of to parts; both [nz] begin with zeros. */
static void add_momentum(const sal_run *run, double *left, double *parts)
{
    const sal_model  *model  = run->model;
    const sal_system *s      = &run->system;
    const double     *before = run->record.v, *P = run->contacts.impulse;

    for (int k = 0; k < model->tables->masses.n; k++) {
        const sal_mass *m       = &model->tables->masses.at[k];
        const int       slot[2] = { m->i, m->j };
        for (int side = 0; side < (m->i == m->j ? 1 : 2); side++) { /* on slot[side], by the motion of the other */
            const int by = slot[1 - side];
            if (by >= model->n) continue;
            left[slot[side]] += s->mass[k] * (s->zd[by] - before[by]);
            parts[slot[side]] += fabs(s->mass[k]) * (fabs(s->zd[by]) + fabs(before[by]));
        }
    }
    for (int r = 0; r < model->m; r++) {
        for (int k = model->jp[r]; k < model->jp[r + 1] && P[r] != 0.0; k++) {
            left[model->jc[k]] += run->every[k] * P[r];
            parts[model->jc[k]] += fabs(run->every[k] * P[r]);
        }
    }
}

/* The slope of a row, and what its rates before and after the event add up to. */
static double slope_of(const sal_run *run, int row, double *rates)
{
    const sal_model  *model = run->model;
    const sal_system *s     = &run->system;
    double            slope = 0.0;

    *rates = 2.0 * sal_relations_rate(&s->rows, row, s->z, s->zd);
    for (int k = model->jp[row]; k < model->jp[row + 1]; k++) {
        const int c = model->jc[k];
        slope       = fmax(slope, fabs(run->every[k]));
        *rates += run->every[k] * (run->record.v[c] - s->zd[c]);
    }
    return slope;
}

/* Impulses of contacts push, within their cones, and add no energy but by Newton's law. `size`: of momenta. */
static sal_status look_at_impulses(sal_run *run, double size)
{
    const sal_tables *tables = run->model->tables;
    const double     *P = run->contacts.impulse, small = SAL_VALID_IMPULSE;
    double            gain = 0.0, parts = 0.0, rates;
    sal_status        status = SAL_OK;
    int               which  = -1;

    for (int k = 0; k < tables->touches.n && status == SAL_OK; k++) {
        const sal_touch *t = &tables->touches.at[k];
        const double     N = P[t->normal], T = t->tangent < 0 ? 0.0 : P[t->tangent];
        if (N == 0.0 && T == 0.0) continue;
        which        = k;
        double limit = slope_of(run, t->normal, &rates);
        limit        = small * size / fmax(limit, 1e-300);
        gain -= 0.5 * N * rates;
        parts += fabs(N * rates);
        status = measure(run, SAL_HEALTH_PUSH, k, fmax(-N, 0.0), limit);
        if (t->tangent < 0) continue;
        slope_of(run, t->tangent, &rates);
        gain -= 0.5 * T * rates;
        parts += fabs(T * rates);
        if (status == SAL_OK && !t->bonded)
            status = measure(run, SAL_HEALTH_PUSH, k, fmax(fabs(T) - run->system.z[t->mu_static] * N, 0.0), limit);
    }
    if (which < 0 || status != SAL_OK || run->contacts.added > 0.0) return status;
    return measure(run, SAL_HEALTH_GAIN, which, fmax(gain, 0.0),
                   SAL_VALID_FORCE * parts + SAL_VALID_ROUNDING * size * sal_largest(run->record.v, run->model->n));
}

/* What an event that sets nothing does to velocities is what impulses do, coordinate by coordinate, in units of M^1/2.
 */
static sal_status look_at_jump(sal_run *run)
{
    const sal_model *model = run->model;
    sal_system      *s     = &run->system;
    const size_t     mark  = sal_arena_mark(&s->arena);
    double          *left = sal_arena_take(&s->arena, model->nz), *parts = sal_arena_take(&s->arena, model->nz);
    double           most = 0.0, size = 0.0;
    sal_status       status = SAL_OK;

    memset(left, 0, sizeof *left * (size_t)model->nz);
    memset(parts, 0, sizeof *parts * (size_t)model->nz);
    add_momentum(run, left, parts);
    for (int k = 0; k < model->n; k++) {
        most = fmax(most, parts[k] * s->motion.scale[k]);
        size = fmax(size, parts[k]);
    }
    for (int k = 0; k < model->n && status == SAL_OK && most > 0.0; k++)
        status = measure(run, SAL_HEALTH_IMPULSE, k, fabs(left[k]), SAL_VALID_FORCE * most / s->motion.scale[k]);
    sal_arena_release(&s->arena, mark);
    if (status != SAL_OK || run->contacts.closed || !(size > 0.0)) return status; /* `rest` takes what it takes */
    return look_at_impulses(run, size);
}

sal_status sal_health_after(sal_run *run, const sal_pending *now)
{
    const sal_event *event = &run->model->tables->events.at[now->event];
    sal_condition   *h     = &run->health;
    sal_system      *s     = &run->system;
    const sal_rows   all   = { s->model, &s->every, s->value, s->first, s->rows.direction, s->rows.power };
    const bool       notes = takes_notes(run, now->event);
    const double     was = h->energy, before = sum_of(run->jumped, run->works.n);
    double           rest;
    int              item = run->works.of_event[now->event];

    h->jams += event->touch >= 0 && event->kind == SAL_JAMS;
    h->closings += run->contacts.closed != NULL;
    h->added += run->contacts.added;
    if (now->grazing) return SAL_OK;
    sal_rows_jacobian(&all, s->z, run->every);
    sal_works_jump(&run->works, s, run->every, run->contacts.impulse, run->record.v, run->jumped);
    rest = sal_works_energy(&run->works, s) - was - (sum_of(run->jumped, run->works.n) - before);
    if (item < 0 && run->works.ndriven) item = run->works.points; /* which go on while velocities jump */
    if (item < 0 && notes) item = run->works.of_row[run->model->tables->touches.at[event->touch].normal];
    if (item >= 0) run->jumped[item] += rest;
    return event->nset || event->side || notes ? SAL_OK : look_at_jump(run);
}

/* ---------------------------------------------------------------------------------------- reading */

sal_health sal_run_get_health(const sal_run *run)
{
    const sal_condition *h = &run->health;
    sal_health           o = { .transversality = h->transversality,
                               .grazed         = h->grazed < 0 ? "" : run->model->tables->events.at[h->grazed].name,
                               .grazed_at      = h->grazed_at,
                               .jams           = h->jams,
                               .closings       = h->closings,
                               .energy_added   = h->added };

    o.balance = h->energy - h->start - h->work - sum_of(run->jumped, run->works.n);
    if (run->state == SAL_ERR_INVARIANT) o.verdict = SAL_BAD;
    else if (sal_run_health_text(run, NULL, 0) > 0) o.verdict = SAL_DOUBTFUL;
    return o;
}

bool sal_run_health_item(const sal_run *run, sal_health_kind kind, sal_health_item *item)
{
    if ((int)kind < 0 || kind >= SAL_HEALTH_KINDS) return false;
    const sal_worst *w = &run->health.worst[kind];

    *item = (sal_health_item){ kinds[kind].name, w->value, w->limit, w->time,
                               w->limit > 0.0 ? name_of(run, kind, w->which) : "" };
    return true;
}

typedef struct writer {
    char  *text;
    size_t room, used;
} writer;

static void say(writer *w, const char *format, ...) SAL_PRINTF(2, 3);
static void say(writer *w, const char *format, ...)
{
    char    none[1];
    va_list args;

    va_start(args, format);
    const bool fits = w->used < w->room;
    w->used += (size_t)vsnprintf(fits ? w->text + w->used : none, fits ? w->room - w->used : 0, format, args);
    va_end(args);
}

size_t sal_run_health_text(const sal_run *run, char *text, size_t room)
{
    const sal_condition *h = &run->health;
    writer               w = { text, room, 0 };

    if (room) text[0] = '\0';
    for (int k = 0; k < SAL_HEALTH_KINDS; k++) {
        const sal_worst *x    = &h->worst[k];
        const char      *name = x->limit > 0.0 ? name_of(run, (sal_health_kind)k, x->which) : "";
        if (!(x->value > SAL_NEAR_MISS * x->limit)) continue;
        say(&w, "%s%s%s at t = %.9g s: %.3g, and the run %s at %.3g\n", kinds[k].said, name[0] ? " " : "", name,
            x->time, x->value, x->value > x->limit ? "has ended" : "would have ended", x->limit);
    }
    if (h->added > 0.0) say(&w, "laws of restitution have added %.6g J\n", h->added);
    if (h->transversality < SAL_GRAZES)
        say(&w, "%s grazes at t = %.9g s, with %.2g of the speed there is: what follows depends on very little\n",
            run->model->tables->events.at[h->grazed].name, h->grazed_at, h->transversality);
    if (h->in_line)
        say(&w,
            "constraints almost depend on each other at t = %.9g s, as where links come into line: forces inside "
            "that rounding cannot tell are left out there\n",
            h->in_line_at);
    return w.used;
}

bool sal_run_work(const sal_run *run, int index, sal_work *work)
{
    const sal_works *w      = &run->works;
    double           stored = 0.0;

    if (index < 0 || index >= w->n) return false;
    const sal_element *e = w->element[index] < 0 ? NULL : &run->model->tables->elements.at[w->element[index]];

    for (int k = 0; k < run->model->tables->energies.n; k++) {
        if (w->of_energy[k] == index) stored += sal_run_shown_value(run, &run->model->tables->energies.at[k]);
    }
    *work = (sal_work){ .section = e ? sal_section_name(e->section) : "",
                        .name    = sal_works_name(w, index),
                        .joules  = run->jumped[index] + stored - run->stored[index] +
                                  (index < w->smooth ? run->shown.work[index] : 0.0) };
    return true;
}
