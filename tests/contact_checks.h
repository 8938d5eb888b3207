/* contact_checks.h - what must hold for every contact at every instant, whatever the scene.
 *
 *     at any time    numbers are finite; gap >= 0, N >= 0, |T| <= mu_static N; where it slips T = -+ mu_kinetic N against it
 *     at an impact   M (v+ - v-) + J^T P = 0,    T+ - T- = -1/2 P . (Phidot- + Phidot+),    P >= 0, |P_T| <= mu P
 *     energy         does not grow at an event; nor, in what is passive, between events
 *
 * judge_... say the first thing that is wrong, check_... fail with it. Forces are compared with M a and all forces of
 * contacts, impulses with all M v and impulses.
 */
#ifndef SAL_TESTS_CONTACT_CHECKS_H
#define SAL_TESTS_CONTACT_CHECKS_H

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "tests/support.h"

enum { CHECKS_MAX = 512 }; /* coordinates, rows */

typedef struct fault { /* "": nothing is wrong */
    char text[240];
} fault;

static inline void fault_say(fault *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void fault_say(fault *f, const char *format, ...)
{
    va_list list;

    if (f->text[0]) return;
    va_start(list, format);
    vsnprintf(f->text, sizeof f->text, format, list);
    va_end(list);
}

/* M v, and with it the kinetic energy. */
static inline double momentum_of(const sal_run *run, const double *v, double *p)
{
    const sal_model *model  = run->model;
    double           energy = 0.0;

    assert_true(model->n <= CHECKS_MAX && model->m <= CHECKS_MAX);
    memset(p, 0, sizeof *p * (size_t)model->n);
    for (int k = 0; k < model->tables->masses.n; k++) {
        const sal_mass *m = &model->tables->masses.at[k];
        if (m->i >= model->n || m->j >= model->n) continue;
        p[m->i] += run->system.mass[k] * v[m->j];
        if (m->i != m->j) p[m->j] += run->system.mass[k] * v[m->i];
    }
    for (int k = 0; k < model->n; k++) energy += 0.5 * p[k] * v[k];
    return energy;
}

/* The largest change of a velocity at an event. */
static inline double largest_change(const sal_run *run)
{
    const sal_event_info info = sal_run_event(run);
    double               most = 0.0;

    for (int k = 0; k < run->model->n; k++) most = fmax(most, fabs(sal_run_v(run)[k] - info.v_before[k]));
    return most;
}

/* Of the largest of all directions. */
static inline double all_mass(const sal_run *run)
{
    double sum[SAL_AXES] = { 0.0 };

    for (int k = 0; k < run->model->tables->masses.n; k++) {
        const sal_mass *m = &run->model->tables->masses.at[k];
        if (m->i == m->j && m->i < run->model->n) sum[m->i % SAL_AXES] += run->system.mass[k];
    }
    return sal_largest(sum, SAL_AXES);
}

/* The impulses of contacts at an event, in comparison with `size`. */
static inline void judge_impulses(const sal_run *run, double size, fault *f)
{
    const sal_tables    *tables = run->model->tables;
    const sal_event_info info   = sal_run_event(run);

    for (int k = 0; k < tables->touches.n; k++) {
        const sal_touch *t = &tables->touches.at[k];
        const double     N = info.impulse[t->normal], T = t->tangent < 0 ? 0.0 : fabs(info.impulse[t->tangent]),
                     mu   = t->tangent < 0 || t->bonded ? HUGE_VAL : run->system.z[t->mu_static];
        const double rest = run->system.z[t->rest];
        const bool   kept = info.closed && largest_change(run) <= 10.0 * rest; /* what is slow stays */
        if (!kept && !(N >= (info.closed ? -fmax(3e-3, rest * all_mass(run)) : -1e-10) * fmax(size, 1.0)))
            fault_say(f, "%s pulls with %g N s of %g at t = %.9g s", t->name, N, size, info.time);
        if (!info.closed && T > 0.0 && !(T <= mu * N + 1e-9 * size))
            fault_say(f, "%s: an impulse of %g N s with %g N s at t = %.9g s", t->name, T, N, info.time);
    }
}

/* J v of every row, held or not, as the rows have it: nothing depends on time. */
static inline void judge_rates(sal_run *run, sal_rows *rows, const double *sum, fault *f)
{
    const sal_event_info info = sal_run_event(run);
    double               phi[CHECKS_MAX], one[CHECKS_MAX], two[CHECKS_MAX];

    sal_rows_residual(rows, run->system.z, run->system.zd, phi, two);
    sal_system_move(&run->system, info.time, NULL, info.v_before);
    sal_rows_residual(rows, run->system.z, run->system.zd, phi, one);
    for (int r = 0; r < run->model->m; r++) {
        if (!(fabs(one[r] + two[r] - sum[r]) <= 1e-12 * fmax(1.0, fabs(sum[r]))))
            fault_say(f, "rates of row %d: %.17g and %.17g at t = %.9g s", r, one[r] + two[r], sum[r], info.time);
    }
    sal_system_move(&run->system, info.time, NULL, sal_run_v(run));
}

/* Across the event that has just been handled; the run shows the state after it. `still`: nothing is driven in time. */
static inline void judge_impact(sal_run *run, bool still, fault *f)
{
    const sal_model     *model = run->model;
    const sal_event_info info  = sal_run_event(run);
    const double        *P     = info.impulse;
    sal_rows             rows  = run->system.rows;
    sal_row_mode         all   = run->system.mode;
    bool                 every[CHECKS_MAX];
    double               before[CHECKS_MAX], after[CHECKS_MAX], sum[CHECKS_MAX], rate[CHECKS_MAX], size = 1e-300;
    double              *entry = malloc(sizeof *entry * (size_t)(model->jp[model->m] + 1));
    const double         T0 = momentum_of(run, info.v_before, before), T1 = momentum_of(run, sal_run_v(run), after);
    const double near = run->contacts.shared ? 1e-9 : 1e-11; /* impulses that are not determined are less exact */
    double       work = 0.0, parts = 0.0;

    assert_non_null(entry);
    for (int r = 0; r < model->m; r++) every[r] = true;
    all.held  = every;
    rows.mode = &all;
    sal_system_move(&run->system, info.time, sal_run_q(run), sal_run_v(run));
    sal_rows_jacobian(&rows, run->system.z, entry);
    for (int k = 0; k < model->n; k++) {
        sum[k] = after[k] - before[k];
        size += fabs(after[k]) + fabs(before[k]);
    }
    for (int r = 0; r < model->m; r++) {
        rate[r] = 0.0;
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) {
            if (model->jc[k] >= model->n) continue;
            sum[model->jc[k]] += entry[k] * P[r];
            size += fabs(entry[k] * P[r]);
            parts += fabs(entry[k] * P[r] * info.v_before[model->jc[k]]);
            rate[r] += entry[k] * (info.v_before[model->jc[k]] + sal_run_v(run)[model->jc[k]]);
        }
        work -= 0.5 * P[r] * rate[r];
    }
    for (int k = 0; k < model->n; k++) {
        if (!(fabs(sum[k]) <= near * size))
            fault_say(f, "momentum of coordinate %d: %g of %g N s at t = %.9g s", k, sum[k], size, info.time);
    }
    if (!(fabs(T1 - T0 - work) <= near * (T0 + T1 + parts)))
        fault_say(f, "impulses do %g J, the energy changes by %g J at t = %.9g s", work, T1 - T0, info.time);
    if (still) judge_rates(run, &rows, rate, f);
    judge_impulses(run, size, f);
    free(entry);
}

static inline void check_impact(sal_run *run, bool still)
{
    fault f = { "" };

    judge_impact(run, still, &f);
    if (f.text[0]) fail_msg("%s: %s", sal_run_event(run).name, f.text);
}

/* What forces are made of: M a, and the forces of contacts. */
static inline double force_size(const sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    double            Ma[CHECKS_MAX], size = 1e-300;

    momentum_of(run, sal_run_a(run), Ma);
    for (int k = 0; k < run->model->n; k++) size += fabs(Ma[k]);
    for (int k = 0; k < tables->touches.n; k++) size += fabs(sal_run_lambda(run)[tables->touches.at[k].normal]);
    return size;
}

/* Rates of all rows, held or not, at the state shown. */
static inline void row_rates(sal_run *run, double *rate)
{
    sal_rows     rows = run->system.rows;
    sal_row_mode all  = run->system.mode;
    bool         every[CHECKS_MAX];
    double       phi[CHECKS_MAX];

    for (int r = 0; r < run->model->m; r++) every[r] = true;
    all.held  = every;
    rows.mode = &all;
    sal_rows_residual(&rows, run->system.z, run->system.zd, phi, rate);
}

/* At any state shown. `deep`: how far a gap may be below zero; `small`: the part of forces that counts as nothing;
 * `speed`: what slips are compared with, besides the speeds there are and the natural one. */
static inline void judge_forces(sal_run *run, double deep, double small, double speed, fault *f)
{
    const sal_model *model  = run->model;
    const bool       smooth = run->system.near || run->system.shares; /* known to what solves leave out (kkt.c) */
    const double    *lambda = sal_run_lambda(run), t = sal_run_time(run);
    const double     none = fmax(small, smooth ? 10.0 * SAL_LEAST_MOVING : 0.0) * force_size(run);
    double           rate[CHECKS_MAX];

    sal_system_move(&run->system, t, sal_run_q(run), sal_run_v(run));
    for (int k = 0; k < model->n; k++) {
        speed = fmax(speed, fabs(sal_run_v(run)[k]));
        if (!isfinite(sal_run_q(run)[k] + sal_run_v(run)[k] + sal_run_a(run)[k]))
            fault_say(f, "%s is not finite at t = %.9g s", sal_model_coordinate(model, k), t);
    }
    speed = fmax(speed, sal_scale_at(&run->system).natural);
    row_rates(run, rate);
    for (int k = 0; k < model->tables->touches.n; k++) {
        const sal_touch *c   = &model->tables->touches.at[k];
        const double     gap = sal_system_value(&run->system, &model->tables->events.at[c->event[SAL_TOUCHES]].when),
                     N       = lambda[c->normal];
        if (!(gap >= -deep) && !sal_contact_guarded(&run->system, k))
            fault_say(f, "%s: the gap is %g at t = %.9g s", c->name, gap, t);
        if (!(N >= -none)) fault_say(f, "%s pulls with %g N at t = %.9g s", c->name, N, t);
        if (c->tangent < 0 || c->bonded || !sal_run_closed(run, k)) continue;
        const double T = lambda[c->tangent], slip = -rate[c->tangent], kinetic = run->system.z[c->mu_kinetic] * N;
        if (!(fabs(T) <= run->system.z[c->mu_static] * N + none))
            fault_say(f, "%s: friction %g N with %g N at t = %.9g s", c->name, T, N, t);
        if (fabs(slip) > 1e-6 * speed && !(fabs(T + (slip > 0.0 ? kinetic : -kinetic)) <= none))
            fault_say(f, "%s: friction %g N with %g N, slip %g m/s at t = %.9g s", c->name, T, N, slip, t);
    }
}

static inline void check_forces(sal_run *run, double deep)
{
    fault f = { "" };

    judge_forces(run, deep, 1e-9, 0.0, &f);
    if (f.text[0]) fail_msg("%s", f.text);
}

/* Runs to the end with both; events are named one after the other in `names`, at most `room` of them kept. Between two
 * states energy may not grow by more than `grow`. Returns how many events there were. */
typedef struct history {
    int    count;
    char   name[512][24];
    double time[512];
} history;

static inline history check_run(rig *r, bool still, double grow)
{
    history      h     = { 0 };
    const double end   = sal_run_duration(r->run);
    double       level = sal_run_energy(r->run);

    for (int k = 1; k <= 400;) {
        const sal_status status = sal_run_to(r->run, end * k / 400.0);
        if (status < 0) fail_msg("at t = %.9g s: %s", sal_run_time(r->run), sal_run_message(r->run));
        check_forces(r->run, 1e-9);
        if (sal_run_energy(r->run) > level + grow)
            fail_msg("energy grows by %g at t = %.9g s", sal_run_energy(r->run) - level, sal_run_time(r->run));
        level = sal_run_energy(r->run);
        if (status == SAL_EVENT) {
            const sal_event_info info = sal_run_event(r->run);
            if (h.count == SAL_COUNT(h.time))
                fail_msg("%d events until %s at t = %.9g s", h.count, info.name, info.time);
            snprintf(h.name[h.count], sizeof h.name[0], "%s", info.name);
            h.time[h.count++] = info.time;
            if (!info.grazing) check_impact(r->run, still);
        } else if (status == SAL_END) {
            break;
        } else {
            k++;
        }
    }
    return h;
}

/* From where a run is to its end, at every step and event. */
typedef struct judged {
    bool   still, passive; /* nothing is driven in time; nothing adds energy between events either */
    bool   scuffs;         /* gaps may be negative where guards say so */
    double deep, force;    /* see judge_forces */
    double impact, grow;   /* parts of the energy that an event may add by rounding, and the steps between */
} judged;

static inline void judge_event(sal_run *run, const judged *must, double size, fault *f)
{
    const sal_event_info info = sal_run_event(run);
    const double         gain = sal_run_energy(run) - info.energy_before;
    double               p[CHECKS_MAX], rest = 0.0;

    if (info.closed) rest = 1e-8 * momentum_of(run, info.v_before, p) + 1e-6 * size; /* rebounds that end: m rest^2 */
    if (!(gain <= must->impact * size + rest))
        fault_say(f, "%s adds %g of %g J at t = %.9g s", info.name, gain, size, info.time);
    if (!info.grazing) judge_impact(run, must->still, f);
}

static inline sal_status judge_motion(sal_run *run, const judged *must, fault *f)
{
    double     level = sal_run_energy(run), size = fabs(level), speed = 0.0;
    sal_status status;

    while ((status = sal_run_step(run)) == SAL_OK || status == SAL_EVENT) {
        const double before = status == SAL_EVENT ? sal_run_event(run).energy_before : sal_run_energy(run);
        size                = fmax(size, fabs(before));
        if (must->passive && !(before <= level + must->grow * size))
            fault_say(f, "energy grows by %g of %g J until t = %.9g s", before - level, size, sal_run_time(run));
        if (status == SAL_EVENT) judge_event(run, must, size, f);
        for (int k = 0; k < run->model->n; k++) speed = fmax(speed, fabs(sal_run_v(run)[k]));
        judge_forces(run, must->scuffs ? HUGE_VAL : must->deep, must->force, speed, f);
        level = must->passive ? fmin(level, sal_run_energy(run)) : 0.0;
    }
    if (status < 0) fault_say(f, "%s: %s", sal_status_name(status), sal_run_message(run));
    return status;
}

#endif
