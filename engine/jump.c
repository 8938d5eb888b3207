/* jump.c - velocities after an event that sets some of them.
 *
 * With rows E v+ = h for the velocities that are set and v+_k = v-_k for those kept (the marked coordinates that no row of E
 * touches), v+ = v- + d solves
 *
 *     [ M      Phi_q^T  E^T ] [d ]   [ 0          ]
 *     [ Phi_q  0        0   ] [mu] = [ -Phidot(v-)]
 *     [ E      0        0   ] [nu]   [ h - E v-   ]
 *
 * Where the rows determine v+ completely (all degrees of freedom are set or kept) M has no say; otherwise what is left open
 * changes least in kinetic energy, as under an impulse along the rows of E. A small negative corner, as in position.c, lets
 * rows pass that agree with each other; whether they do is checked afterwards. */
#include <math.h>
#include <string.h>

#include "engine/dynamics.h"
#include "engine/rows.h"

static const double REGULAR = 1e-12;

/* |a| of row r of the system, at least 1: what an error in the row is measured by. */
static double row_size(const sal_system *s, const sal_jump *jump, int row)
{
    const sal_pattern *p   = &jump->pattern;
    double             sum = 0.0;

    for (int k = p->row[row]; k < p->row[row + 1]; k++) sum += s->entry[k] * s->entry[k];
    return fmax(1.0, sqrt(sum));
}

/* Entries of the extra rows behind those of Phi_q. */
static void fill_rows(sal_system *s, const sal_event *event, const sal_jump *jump)
{
    const sal_model *model = s->model;
    double          *entry = s->entry + model->jp[model->m];
    int              used  = 0;

    for (int k = 0; k < event->nset; k++) {
        const sal_program *p = &model->scene->setters.at[event->set + k].velocity;
        sal_program_value(p, s->source, s->value);
        sal_program_gradient(p, s->value, s->first);
        for (int i = 0; i < p->nleaf; i++) {
            const sal_node *leaf = &p->node[p->leaf[i]];
            if (leaf->a == SAL_SRC_ZD && leaf->b < model->n) entry[used++] = s->first[p->leaf[i]];
        }
    }
    for (int k = 0; k < jump->nkeep; k++) entry[used++] = 1.0;
}

/* Right-hand side for the velocities as they are now; gives the largest relative violation. */
static double fill_rhs(sal_system *s, const sal_event *event, const sal_jump *jump, const double *target,
                       const double *kept)
{
    const sal_model *model = s->model;
    const int        n = model->n, m = model->m;
    double           phi, phidot, worst = 0.0;

    sal_system_residual(s, &phi, &phidot);
    memset(s->rhs, 0, sizeof *s->rhs * (size_t)n);
    for (int r = 0; r < m; r++) s->rhs[n + r] = -s->phidot[r];
    for (int k = 0; k < event->nset; k++) {
        s->rhs[n + m + k] = target[k] - sal_system_value(s, &model->scene->setters.at[event->set + k].velocity);
    }
    for (int k = 0; k < jump->nkeep; k++) s->rhs[n + m + event->nset + k] = kept[jump->keep[k]] - s->zd[jump->keep[k]];
    for (int r = 0; r < jump->pattern.m; r++) worst = fmax(worst, fabs(s->rhs[n + r]) / row_size(s, jump, r));
    return worst;
}

sal_status sal_system_jump(sal_system *s, int event_index)
{
    const sal_model *model = s->model;
    const sal_event *event = &model->scene->events.at[event_index];
    const sal_jump  *jump  = &model->jump[event_index];
    sal_kkt         *kkt   = &s->jump[event_index];
    double          *kept = s->saved, *target = s->target, scale = 1.0;

    memcpy(kept, s->zd, sizeof *kept * (size_t)model->n);
    for (int k = 0; k < event->nset; k++) { /* all from the velocities before the event */
        target[k] = sal_system_value(s, &model->scene->setters.at[event->set + k].value);
        if (!isfinite(target[k]))
            return sal_system_fail(s, SAL_ERR_NUMBER, "%s sets a velocity that is not finite", event->name);
        scale = fmax(scale, fabs(target[k]));
    }
    for (int k = 0; k < model->n; k++) scale = fmax(scale, fabs(kept[k]));
    sal_rows_jacobian(model, s->z, s->entry);
    fill_rows(s, event, jump);
    sal_kkt_equilibrate(kkt, s->mass, s->entry);
    sal_kkt_set_rows(kkt, s->entry);
    sal_kkt_regularize(kkt, REGULAR);
    if (sal_kkt_factor(kkt) != SAL_OK) {
        return sal_system_fail(s, SAL_ERR_SINGULAR, "the velocities after %s are not determined at t = %.9g s",
                               event->name, s->z[model->scene->time]);
    }
    for (int pass = 0; pass < 3; pass++) { /* solve, then take out what the small corner left */
        fill_rhs(s, event, jump, target, kept);
        sal_kkt_solve(kkt, s->rhs, 1);
        for (int k = 0; k < model->n; k++) s->zd[k] += s->rhs[k];
    }
    if (fill_rhs(s, event, jump, target, kept) > 1e-9 * scale) {
        return sal_system_fail(
            s, SAL_ERR_SINGULAR,
            "the velocities that %s sets, those marked dof and the constraints contradict each other at t = %.9g s",
            event->name, s->z[model->scene->time]);
    }
    return SAL_OK;
}
