/* jump.c - velocities after an event that sets some of them, and their derivatives.
 *
 * With rows E v+ = h for the velocities that are set and v+_k = v-_k for those kept (the marked coordinates that no
 * row of E touches), v+ = v- + d solves
 *
 *     [ M      Phi_q^T  E^T ] [d ]   [ 0          ]
 *     [ Phi_q  0        0   ] [mu] = [ -Phidot(v-)]
 *     [ E      0        0   ] [nu]   [ h - E v-   ]
 *
 * Where the rows determine v+ completely (all degrees of freedom are set or kept) M has no say; otherwise what is
 * left open changes least in kinetic energy, as under an impulse along the rows of E. A small negative corner, as in
 * assemble.c, lets rows pass that agree with each other; whether they do is checked afterwards.
 *
 * Differentiated along the event, ' = d/drho + tau' d/dt, with the same matrix:
 *
 *     [ -M_rho d - (Phi_q^T mu)' - (E^T nu)' ;  -(Phidot(v+))' ;  h' - (E v+)' ],   v+ on the right changing like v-
 *
 * gives d' = v+' - v-'. */
#include <math.h>
#include <string.h>

#include "engine/motion/motion.h"
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

typedef struct jump_args {
    sal_system      *s;
    const sal_event *event;
    const sal_jump  *jump;
    sal_kkt         *kkt;
} jump_args;

static const sal_setter *setter_of(const jump_args *a, int k)
{
    return &a->s->model->tables->setters.at[a->event->set + k];
}

/* |a| of row r of the system: what an error in the row is measured by. */
static double row_size(const jump_args *a, int row)
{
    const sal_pattern *p   = &a->jump->pattern;
    double             sum = 0.0;

    for (int k = p->row[row]; k < p->row[row + 1]; k++) sum += a->s->entry[k] * a->s->entry[k];
    return sum > 0.0 ? sqrt(sum) : 1.0;
}

/* Phi_q and the extra rows behind it; M; factors. */
static sal_status factor(const jump_args *a)
{
    sal_system      *s     = a->s;
    const sal_model *model = s->model;
    double          *entry = s->entry + model->jp[model->m];

    sal_rows_held_jacobian(&s->rows, s->z, s->entry);
    for (int k = 0; k < a->jump->xp[a->jump->nset]; k++)
        entry[k] = sal_program_value(&a->jump->entry[k], s->source, s->value);
    for (int k = 0; k < a->jump->nkeep; k++) entry[a->jump->xp[a->jump->nset] + k] = 1.0;
    sal_kkt_equilibrate(a->kkt, s->mass, s->entry);
    sal_kkt_set_rows(a->kkt, s->entry);
    return sal_kkt_factor_regular(a->kkt, SAL_REGULAR, s->mode.held);
}

/* The right-hand side for the velocities as they are now; gives the largest relative violation. */
static double fill_rhs(const jump_args *a, const double *target, const double *kept)
{
    sal_system *s = a->s;
    const int   n = s->model->n, m = s->model->m;
    double      phi, phidot, worst = 0.0;

    sal_system_residual(s, &phi, &phidot);
    memset(s->rhs, 0, sizeof *s->rhs * (size_t)n);
    for (int r = 0; r < m; r++) s->rhs[n + r] = -s->phidot[r];
    for (int k = 0; k < a->jump->nset; k++)
        s->rhs[n + m + k] = target[k] - sal_system_value(s, &setter_of(a, k)->velocity);
    for (int k = 0; k < a->jump->nkeep; k++) {
        s->rhs[n + m + a->jump->nset + k] = kept[a->jump->keep[k]] - s->zd[a->jump->keep[k]];
    }
    for (int r = 0; r < a->jump->pattern.m; r++) worst = fmax(worst, fabs(s->rhs[n + r]) / row_size(a, r));
    return worst;
}

/* After the solve, whose unknowns [d; mu; nu] are in `solution`: v'- becomes v'+. `dtarget` [nset][p] is h'. */
static void jump_tangent(const jump_args *a, sal_tangent *t, const double *solution, const double *dtarget)
{
    sal_system          *s     = a->s;
    const sal_model     *model = s->model;
    const int            n = model->n, m = model->m, p = t->p, size = a->jump->pattern.size;
    const double        *mu = solution + n, *nu = solution + n + m;
    const sal_directions d = sal_tangent_directions(t);

    memset(t->force, 0, sizeof(double) * (size_t)model->nz * (size_t)p);
    sal_tangent_add_mass_change(t, s, solution, t->force);
    sal_rows_force_jvp(&s->rows, s->z, mu, d, t->force);
    for (int r = 0; r < a->jump->nset; r++) { /* -(E^T nu)' */
        for (int k = a->jump->xp[r]; k < a->jump->xp[r + 1]; k++) {
            sal_tangent_value(t, s, &a->jump->entry[k], t->number);
            for (int c = 0; c < p; c++) SAL_ROW(t->force, a->jump->xc[k], p)[c] -= nu[r] * t->number[c];
        }
    }
    memset(t->rhs, 0, sizeof(double) * (size_t)size * (size_t)p);
    sal_tangent_to_rhs(t, t->force, n, size, 0, 1.0);
    sal_rows_residual_jvp(&s->rows, s->z, s->zd, d, t->row, t->row2);
    sal_tangent_to_rhs(t, t->row2, m, size, n, -1.0);
    for (int r = 0; r < a->jump->nset; r++) {
        sal_tangent_value(t, s, &setter_of(a, r)->velocity, t->number);
        for (int c = 0; c < p; c++)
            t->rhs[(size_t)c * (size_t)size + (size_t)(n + m + r)] = SAL_ROW(dtarget, r, p)[c] - t->number[c];
    }
    sal_kkt_solve_exact(a->kkt, t->rhs, p);
    for (int c = 0; c < p; c++) {
        for (int k = 0; k < n; k++) SAL_ROW(t->zd, k, p)[c] += t->rhs[(size_t)c * (size_t)size + (size_t)k];
    }
}

/* First factors of every event's system, whatever they are worth: what is allocated for them is allocated here. */
void sal_system_prepare_jumps(sal_system *s)
{
    const sal_model *model = s->model;

    for (int e = 0; e < model->tables->events.n; e++) {
        const jump_args a = { s, &model->tables->events.at[e], &model->jump[e], &s->jump[e] };
        if (a.jump->nset && !(a.kkt->rcond > 0.0)) factor(&a);
    }
}

/* The velocities that the event sets, all from the state before it. */
sal_status sal_system_jump_targets(sal_system *s, int event_index, sal_tangent *t)
{
    const sal_model *model = s->model;
    const jump_args  a     = { s, &model->tables->events.at[event_index], &model->jump[event_index], NULL };

    for (int k = 0; k < a.jump->nset; k++) {
        s->target[k] = sal_system_value(s, &setter_of(&a, k)->value);
        if (!isfinite(s->target[k]))
            return sal_system_fail(s, SAL_ERR_NUMBER, "%s sets a velocity that is not finite", a.event->name);
        if (t) sal_tangent_value(t, s, &setter_of(&a, k)->value, t->target + (size_t)k * (size_t)t->p);
    }
    return SAL_OK;
}

/* kept [n] is workspace: the velocities before. */
static sal_status jump(sal_system *s, int event_index, sal_tangent *t, double *kept)
{
    const sal_model *model = s->model;
    const jump_args a = { s, &model->tables->events.at[event_index], &model->jump[event_index], &s->jump[event_index] };
    const double    time   = s->z[model->tables->time];
    double         *target = s->target, scale = 0.0;
    sal_status      status;

    memcpy(kept, s->zd, sizeof *kept * (size_t)model->n);
    for (int k = 0; k < model->n; k++) scale = fmax(scale, fabs(kept[k]));
    status = factor(&a);
    if (status == SAL_ERR_MEMORY) return sal_system_fail(s, status, "out of memory");
    if (status != SAL_OK) {
        return sal_system_fail(s, SAL_ERR_SINGULAR, "the velocities after %s are not determined at t = %.9g s",
                               a.event->name, time);
    }
    for (int k = 0; k < a.jump->nset; k++) scale = fmax(scale, fabs(target[k]) / row_size(&a, model->m + k));
    fill_rhs(&a, target, kept);
    sal_kkt_solve_exact(a.kkt, s->rhs, 1);
    for (int k = 0; k < model->n; k++) s->zd[k] += s->rhs[k];
    if (t) jump_tangent(&a, t, s->rhs, t->target);
    if (fill_rhs(&a, target, kept) > SAL_VELOCITY_OFF * scale) {
        return sal_system_fail(
            s, SAL_ERR_SINGULAR,
            "the velocities that %s sets, those marked dof and the constraints contradict each other at t = %.9g s",
            a.event->name, time);
    }
    return SAL_OK;
}

sal_status sal_system_jump(sal_system *s, int event_index, sal_tangent *t)
{
    const size_t mark   = sal_arena_mark(&s->arena);
    sal_status   status = jump(s, event_index, t, sal_arena_take(&s->arena, s->model->n));

    sal_arena_release(&s->arena, mark);
    return status;
}
