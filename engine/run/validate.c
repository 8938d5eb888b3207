/* validate.c - whether what a run has reached can be: checked at every accepted step and after every event where the
 * options ask for it, and always in builds with SAL_CHECKS.
 *
 *     mode       couplings join rows that hold with rows that do not; the equations are prepared for it; K is symmetric
 *                but for couplings
 *     contacts   closed: N >= 0, and |T| <= mu_static N where it sticks, |T| = mu_kinetic N where it slides; open: the
 * gap
 *                does not become negative in a step without an event
 *     Phi, Phidot vanish where they are projected; Phi not before the first step after an event, which may let
 *                constraints hold that are open by SAL_HOLD_FITS
 *     workspace  is given back
 *
 * All in comparison with the sizes of the mechanism (scale in motion/), well beyond what decisions call zero. */
#include <math.h>

#include "engine/base/tolerance.h"
#include "engine/run/run.h"

static sal_status violated(sal_run *run, const char *what, const char *name, double found, double limit)
{
    return sal_run_fail(run, SAL_ERR_INVARIANT, "%s%s%s at t = %.9g s: %.9g, and no more than %.3g is rounding", what,
                        name[0] ? " " : "", name, run->t1, found, limit);
}

static sal_status check_mode(sal_run *run)
{
    const sal_system   *s    = &run->system;
    const sal_row_mode *mode = &s->mode;
    int                 acts = 0;

    for (int r = 0; r < mode->rows; r++) acts += mode->acts[r];
    for (int k = 0; k < mode->portions; k++) acts -= mode->portion[k].row != mode->portion[k].leader;
    if (acts != mode->couplings) return violated(run, "rows that act without a coupling", "", acts, mode->couplings);
    for (int k = 0; k < mode->couplings; k++) {
        const sal_coupling *c = &mode->coupling[k];
        if (!mode->held[c->row] || mode->held[c->along] || !mode->acts[c->along])
            return violated(run, "a coupling of rows that cannot be", run->model->tables->rows.at[c->row].name, 1.0,
                            0.0);
    }
    if (!s->prepared || !sal_mode_equal(mode, &s->prepared_for))
        return violated(run, "the equations are not prepared for the mode", "", 1.0, 0.0);
    if (mode->couplings == 0 && sal_kkt_asymmetry(&s->motion) > 0.0)
        return violated(run, "the equations of motion are not symmetric", "", sal_kkt_asymmetry(&s->motion), 0.0);
    if (s->arena.used) return violated(run, "workspace is not given back", "", (double)s->arena.used, 0.0);
    return SAL_OK;
}

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

static sal_status check_rows(sal_run *run)
{
    const sal_system *s      = &run->system;
    const sal_scale   scale  = sal_scale_at(&run->system);
    const double      length = scale.length * (run->stepper.h > 0.0 ? SAL_VALID : 2.0 * SAL_HOLD_FITS),
                 speed       = SAL_VALID * speed_of(run, &scale) + hidden_speed(run, scale.acceleration);
    double phi, phidot;

    if (!run->stepper.flow.correct) return SAL_OK; /* nothing is projected */
    sal_system_residual(&run->system, &phi, &phidot);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    for (int r = 0; r < run->model->m; r++) {
        double slope = 0.0, far = 0.0;
        for (int k = run->model->jp[r]; k < run->model->jp[r + 1]; k++) {
            slope = fmax(slope, fabs(s->entry[k]));
            far   = fmax(far, fabs(s->z[run->model->jc[k]]));
        }
        const double limit = slope * (length + SAL_VALID_ROUNDING * far);
        if (fabs(s->phi[r]) > limit)
            return violated(run, "Phi of", run->model->tables->rows.at[r].name, s->phi[r], limit);
        if (fabs(s->phidot[r]) > slope * speed)
            return violated(run, "Phidot of", run->model->tables->rows.at[r].name, s->phidot[r], slope * speed);
    }
    return SAL_OK;
}

/* Forces of a contact that is closed. */
static sal_status check_forces(sal_run *run, const sal_touch *t, int index, double small)
{
    const sal_system *s = &run->system;
    const double      N = run->end.lambda[t->normal], T = t->tangent < 0 ? 0.0 : fabs(run->end.lambda[t->tangent]);

    if (N < -small) return violated(run, "a contact pulls:", t->name, N, small);
    if (t->tangent < 0 || t->bonded) return SAL_OK;
    if (s->mode.held[t->tangent] && T > s->z[t->mu_static] * N + small)
        return violated(run, "a contact sticks beyond its friction:", t->name, T - s->z[t->mu_static] * N, small);
    if (sal_contact_slides(s, index) && fabs(T - s->z[t->mu_kinetic] * fabs(N)) > small)
        return violated(run, "friction of a contact that slides:", t->name, T - s->z[t->mu_kinetic] * N, small);
    return SAL_OK;
}

static double gap_at(sal_run *run, const sal_touch *t, double time, const double *y)
{
    sal_system_move(&run->system, time, y, y + run->model->n);
    return sal_system_value(&run->system, &run->model->tables->events.at[t->event[SAL_TOUCHES]].when);
}

static sal_status check_contacts(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    const sal_scale   scale  = sal_scale_at(&run->system);
    sal_stepper      *y      = &run->stepper;
    sal_status        status = SAL_OK;

    for (int k = 0; k < tables->touches.n && status == SAL_OK; k++) {
        const sal_touch *t    = &tables->touches.at[k];
        const sal_event *e    = &tables->events.at[t->event[SAL_TOUCHES]];
        const double     deep = SAL_VALID * scale.length + 100.0 * run->find.tolerance[t->event[SAL_TOUCHES]];
        if (run->system.mode.held[t->normal]) {
            status = check_forces(run, t, k, SAL_VALID_FORCE * (scale.force + scale.operands));
        } else if (y->h > 0.0 && !e->guard.n && t->event[SAL_ENDS] < 0 &&
                   gap_at(run, t, y->t, y->y0) > deep) { /* it was open */
            const double gap = gap_at(run, t, run->t1, y->y1);
            if (gap < 0.0 && sal_events_off_zero(run, t->event[SAL_TOUCHES], gap) > deep)
                status = violated(run, "a contact is passed through:", t->name, gap, deep);
        }
    }
    sal_run_restore_end(run);
    return status;
}

sal_status sal_run_validate(sal_run *run)
{
    sal_status status = check_mode(run);

    if (status == SAL_OK) status = check_rows(run);
    if (status == SAL_OK && run->opts.form == SAL_INDEX1) status = check_contacts(run);
    return status;
}
