/* contact_checks.h - what must hold for every contact at every instant, whatever the scene.
 *
 *     at any time    gap >= 0, N >= 0, |T| <= mu N
 *     at an impact   M (v+ - v-) + J^T P = 0,    T+ - T- = -1/2 P . (Phidot- + Phidot+),    P >= 0, |P_T| <= mu P
 */
#ifndef SAL_TESTS_CONTACT_CHECKS_H
#define SAL_TESTS_CONTACT_CHECKS_H

#include "tests/support.h"

enum { CHECKS_MAX = 64 }; /* coordinates, rows */

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

/* Across the event that has just been handled; the run shows the state after it. `still`: nothing is driven in time. */
static inline void check_impact(sal_run *run, bool still)
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
    double               work = 0.0;

    assert_non_null(entry);
    for (int r = 0; r < model->m; r++) every[r] = true;
    all.held  = every;
    rows.mode = &all;
    sal_system_move(&run->system, info.time, sal_run_q(run), sal_run_v(run));
    sal_rows_jacobian(&rows, run->system.z, entry);
    for (int k = 0; k < model->n; k++) {
        sum[k] = after[k] - before[k];
        size   = fmax(size, fmax(fabs(after[k]), fabs(before[k])));
    }
    for (int r = 0; r < model->m; r++) {
        rate[r] = 0.0;
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) {
            if (model->jc[k] >= model->n) continue;
            sum[model->jc[k]] += entry[k] * P[r];
            size = fmax(size, fabs(entry[k] * P[r]));
            rate[r] += entry[k] * (info.v_before[model->jc[k]] + sal_run_v(run)[model->jc[k]]);
        }
    }
    for (int k = 0; k < model->n; k++) assert_near(sum[k] / size, 0.0, 1e-12);
    for (int r = 0; r < model->m; r++) work -= 0.5 * P[r] * rate[r];
    assert_near((T1 - T0 - work) / fmax(fmax(T0, T1), 1e-300), 0.0, 1e-12);
    if (still) { /* the rates as the rows have them: J v, when nothing depends on time */
        double phi[CHECKS_MAX], one[CHECKS_MAX], two[CHECKS_MAX];
        sal_rows_residual(&rows, run->system.z, run->system.zd, phi, two);
        sal_system_move(&run->system, info.time, NULL, info.v_before);
        sal_rows_residual(&rows, run->system.z, run->system.zd, phi, one);
        for (int r = 0; r < model->m; r++) assert_near(one[r] + two[r], rate[r], 1e-12 * fmax(1.0, fabs(rate[r])));
        sal_system_move(&run->system, info.time, NULL, sal_run_v(run));
    }
    for (int k = 0; k < model->tables->touches.n; k++) {
        const sal_touch *t = &model->tables->touches.at[k];
        if (!(P[t->normal] >=
              (info.closed ? -1e-3 : -1e-12) * fmax(size, 1.0))) /* it may be kept, see engine/contact.h */
            fail_msg("%s pulls with %g N s of %g at t = %.9g s", t->name, P[t->normal], size, info.time);
        if (info.closed) continue;
        if (t->tangent < 0 || t->bonded) continue;
        assert_true(fabs(P[t->tangent]) <= run->system.z[t->mu_static] * P[t->normal] + 1e-9 * size);
    }
    free(entry);
}

/* At any state shown. `deep`: how far a gap may be below zero. */
static inline void check_forces(sal_run *run, double deep)
{
    const sal_model *model  = run->model;
    const double    *lambda = sal_run_lambda(run);

    sal_system_move(&run->system, sal_run_time(run), sal_run_q(run), sal_run_v(run));
    for (int k = 0; k < model->tables->touches.n; k++) {
        const sal_touch *t   = &model->tables->touches.at[k];
        const double     gap = sal_system_value(&run->system, &model->tables->events.at[t->event[SAL_TOUCHES]].when);
        if (!(gap >= -deep)) fail_msg("%s: the gap is %g at t = %.9g s", t->name, gap, sal_run_time(run));
        if (!(lambda[t->normal] >= -1e-9))
            fail_msg("%s pulls with %g N at t = %.9g s", t->name, lambda[t->normal], sal_run_time(run));
        if (t->tangent < 0 || t->bonded) continue;
        if (!(fabs(lambda[t->tangent]) <= run->system.z[t->mu_static] * lambda[t->normal] + 1e-9))
            fail_msg("%s: friction %g N with %g N at t = %.9g s", t->name, lambda[t->tangent], lambda[t->normal],
                     sal_run_time(run));
    }
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

#endif
