/* adjoint.c - the accelerations and the projection, transposed; equations in motion.h.
 *
 * The tangent (tangent.c) is
 *
 *     K [A; Lambda] = dR,   R = [ F - M a - G^T lambda ; -(Phiddot + 2 xi omega Phidot + omega^2 Phi + D lambda) ]
 *     Lambda_along  = kappa Lambda_row + dkappa lambda_row                                     of each coupling
 *
 * with a and lambda held. From the end to the beginning:
 *
 *     lambda_row += kappa lambda_along,   kappa += lambda_row lambda_along,   lambda_along = 0       (cotangents)
 *     K^T [x; y] = [a; lambda]
 *     z, zd, zdd, mass += (dR/d...)^T [x; y]                the vjp's of the sources, with x for forces, -y for rows
 *     kappa -= lambda_row (T x)                             T: the row that is acted along
 *
 * The projection of Q, then of V with the new Q, at the projected state:
 *
 *     K^T [.; y] = [v; 0],     q, v, z -= (dPhidot/d...)^T y
 *     K^T [.; y] = [q; 0],     q, z    -= (dPhi/d...)^T y */
#include "engine/motion/motion.h"

#include <math.h>
#include <string.h>

sal_status sal_pullback_init(sal_pullback *t, const sal_model *model, sal_pool *pool)
{
    *t = (sal_pullback){ .z     = SAL_NEW(pool, double, model->nz),
                         .zd    = SAL_NEW(pool, double, model->nz),
                         .zdd   = SAL_NEW(pool, double, model->nz),
                         .mass  = SAL_NEW(pool, double, model->tables->masses.n),
                         .share = SAL_NEW(pool, double, model->m),
                         .w     = SAL_NEW(pool, double, model->nz),
                         .row   = SAL_NEW(pool, double, 2 * model->m),
                         .rhs   = SAL_NEW(pool, double, model->motion.size) };
    return pool->failed ? SAL_ERR_MEMORY : SAL_OK;
}

void sal_pullback_clear(sal_pullback *t, const sal_model *model)
{
    memset(t->z, 0, sizeof *t->z * (size_t)model->nz);
    memset(t->zd, 0, sizeof *t->zd * (size_t)model->nz);
    memset(t->zdd, 0, sizeof *t->zdd * (size_t)model->nz);
    memset(t->mass, 0, sizeof *t->mass * (size_t)model->tables->masses.n);
    memset(t->share, 0, sizeof *t->share * (size_t)model->m);
}

sal_cotangents sal_pullback_cotangents(const sal_pullback *t)
{
    return (sal_cotangents){ .z = t->z, .zd = t->zd, .zdd = t->zdd, .mass = t->mass };
}

/* ---------------------------------------------------------------------------------------- values */

/* Hands weight times the slopes of a program, evaluated at the state, on to what it reads. */
static void hand_on(sal_pullback *t, sal_system *s, const sal_program *p, double weight)
{
    double *const to[SAL_SRC_COUNT] = { [SAL_SRC_Z] = t->z, [SAL_SRC_ZD] = t->zd, [SAL_SRC_ZDD] = t->zdd };

    if (weight == 0.0) return; /* a slope may be infinite where it does not matter */
    sal_program_value(p, s->source, s->value);
    sal_program_gradient(p, s->value, s->first);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        if (to[leaf->a]) to[leaf->a][leaf->b] += weight * s->first[p->leaf[k]];
    }
}

/* The same of the energy. */
static void hand_on_energy(sal_pullback *t, sal_system *s, double weight)
{
    const sal_tables *tables = s->model->tables;

    sal_masses_energy_vjp(s->model, s->z, s->zd, s->mass, weight, sal_pullback_cotangents(t));
    sal_springs_energy_vjp(s->model, s->z, weight, sal_pullback_cotangents(t));
    for (int k = 0; k < tables->energies.n; k++) hand_on(t, s, &tables->energies.at[k], weight);
}

void sal_pullback_value(sal_pullback *t, sal_system *s, const sal_program *p, double weight, double *a, double *lambda)
{
    const int n      = s->model->n;
    double    energy = 0.0;

    if (weight == 0.0 || p->n == 0) return;
    sal_system_value(s, p);
    sal_program_gradient(p, s->value, s->first);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        const double    bar  = weight * s->first[p->leaf[k]];
        switch (leaf->a) {
        case SAL_SRC_Z: t->z[leaf->b] += bar; break;
        case SAL_SRC_ZD: t->zd[leaf->b] += bar; break;
        case SAL_SRC_ZDD: (leaf->b < n ? a : t->zdd)[leaf->b] += bar; break;
        case SAL_SRC_LAMBDA: lambda[leaf->b] += bar; break;
        default: energy += bar;
        }
    }
    if (energy != 0.0) hand_on_energy(t, s, energy);
}

/* Takes what is in the slot. */
static double take(double *bar, sal_slot slot)
{
    const double weight = bar[slot];

    bar[slot] = 0.0;
    return weight;
}

/* Their slopes change with t, so it cannot wait. */
void sal_pullback_timed(sal_pullback *t, sal_system *s)
{
    double *const bar[] = { t->z, t->zd, t->zdd };

    for (int k = s->model->ntimed - 1; k >= 0; k--) {
        const sal_timed *v = &s->model->timed[k];
        for (int i = 2; i >= 0; i--) hand_on(t, s, &v->program[i], take(bar[i], v->slot));
    }
}

void sal_pullback_kept(sal_pullback *t, sal_system *s)
{
    const sal_tables *tables = s->model->tables;

    for (int k = tables->values.n - 1; k >= 0; k--) {
        const sal_value *v = &tables->values.at[k];
        if (v->timed || v->memory || !tables->kept.at[v->slot]) continue;
        hand_on(t, s, &v->program, take(t->z, v->slot));
    }
}

void sal_pullback_values(sal_pullback *t, sal_system *s, const double *given)
{
    const sal_tables *tables = s->model->tables;

    for (int k = 0; k < tables->masses.n; k++) t->z[tables->masses.at[k].value] += take(t->mass, k);
    for (int k = tables->values.n - 1; k >= 0; k--) {
        const sal_value *v         = &tables->values.at[k];
        const int        parameter = sal_parameter_at(tables, v->slot);
        const bool       set       = parameter >= 0 && !isnan(given[parameter]);
        if (!v->timed && !set) hand_on(t, s, &v->program, t->z[v->slot]);
    }
}

/* ---------------------------------------------------------------------------------------- motion */

/* [a; lambda] through K^T, with the factors that the state has just been solved with. */
static void solve(sal_pullback *t, sal_system *s, const double *a, const double *lambda)
{
    const int n = s->model->n;
    double   *b = t->rhs;

    memcpy(b + n, lambda, sizeof *b * (size_t)s->model->m);
    if (s->mode.portions) sal_portions_vjp(t, s, b + n);
    memcpy(b, a, sizeof *b * (size_t)n);
    for (int k = 0; k < s->mode.couplings; k++) {
        const sal_coupling *c = &s->mode.coupling[k];
        t->z[c->factor] += c->sign * c->part * s->lambda[c->row] * b[n + c->along];
        b[n + c->row] += sal_coupling_factor(c, s->z) * b[n + c->along];
        b[n + c->along] = 0.0;
    }
    if (s->shares) sal_chosen_vjp(t, s, b + n);
    sal_system_solve_transposed(s, b, 1);
}

/* The change of the factors of couplings is a force. */
static void add_couplings(sal_pullback *t, const sal_system *s)
{
    const sal_model *model = s->model;

    for (int k = 0; k < s->mode.couplings; k++) {
        const sal_coupling *c  = &s->mode.coupling[k];
        double              Tx = 0.0;
        for (int j = model->jp[c->along]; j < model->jp[c->along + 1]; j++) Tx += s->entry[j] * t->w[model->jc[j]];
        t->z[c->factor] -= c->sign * c->part * s->lambda[c->row] * Tx;
    }
}

/* What is added to Phiddot in the rows, and what they yield: xi, omega and alpha are slots like any other. */
static void add_damped(sal_pullback *t, sal_system *s, const double *y)
{
    const sal_tables *tables = s->model->tables;
    const int         m      = s->model->m;
    double           *phi = t->row, *phidot = t->row + m, on_xi = 0.0, on_omega = 0.0;

    for (int r = 0; r < m; r++) { /* s->phi and s->phidot are those of the state */
        const sal_slot own = tables->elements.at[tables->rows.at[r].element].alpha;
        const sal_slot at  = own == SAL_NONE ? tables->simulation.alpha : own;
        phi[r]             = -s->omega * s->omega * y[r];
        phidot[r]          = -2.0 * s->xi * s->omega * y[r];
        on_xi -= 2.0 * s->omega * s->phidot[r] * y[r];
        on_omega -= 2.0 * (s->xi * s->phidot[r] + s->omega * s->phi[r]) * y[r];
        if (s->form == SAL_PENALTY) t->z[at] -= y[r] * s->lambda[r] / (s->z[at] * s->z[at]);
    }
    t->z[tables->simulation.xi] += on_xi;
    t->z[tables->simulation.omega] += on_omega;
    sal_rows_residual_vjp(&s->rows, s->z, s->zd, phi, phidot, sal_pullback_cotangents(t));
}

void sal_pullback_accelerate(sal_pullback *t, sal_system *s, const double *a, const double *lambda)
{
    const sal_model     *model = s->model;
    const int            n = model->n, m = model->m;
    const sal_cotangents bar = sal_pullback_cotangents(t);
    double              *y   = t->rhs + n;

    solve(t, s, a, lambda);
    memcpy(t->w, t->rhs, sizeof *t->w * (size_t)n); /* zero behind q */
    for (int r = 0; r < m; r++) t->row[r] = -y[r];
    sal_masses_gravity_vjp(model, s->z, s->mass, t->w, bar);
    sal_masses_inertia_vjp(model, s->zdd, s->mass, t->w, bar);
    sal_springs_vjp(model, s->z, s->zd, t->w, bar);
    if (model->tables->efforts.n) sal_efforts_vjp(&s->rows, s->z, s->zd, t->w, bar);
    sal_rows_motion_vjp(&s->rows, s->z, s->zd, s->zdd, t->row, bar);
    sal_rows_force_vjp(&s->rows, s->z, s->lambda, t->w, bar);
    add_couplings(t, s);
    if (s->damped) add_damped(t, s, y);
    memset(t->zdd, 0, sizeof *t->zdd * (size_t)n); /* a is held */
    if (model->ntimed) sal_pullback_timed(t, s);
}

/* ------------------------------------------------------------------------------------ projection */

/* [0; y] of K^T [.; y] = [x; 0], x [n], with the signs of a correction: -y into out [m]. */
static void solve_correction(sal_pullback *t, sal_system *s, const double *x, double *out)
{
    const int n = s->model->n, m = s->model->m;

    memcpy(t->rhs, x, sizeof *x * (size_t)n);
    memset(t->rhs + n, 0, sizeof *x * (size_t)m);
    sal_system_solve_transposed(s, t->rhs, 1);
    for (int r = 0; r < m; r++) out[r] = -t->rhs[n + r];
}

void sal_pullback_project(sal_pullback *t, sal_system *s)
{
    const int m   = s->model->m;
    double   *phi = t->row, *phidot = t->row + m;

    if (m == 0) return;
    memset(phi, 0, sizeof *phi * (size_t)m);
    solve_correction(t, s, t->zd, phidot); /* V came last */
    sal_rows_residual_vjp(&s->rows, s->z, s->zd, phi, phidot, sal_pullback_cotangents(t));
    memset(phidot, 0, sizeof *phidot * (size_t)m);
    solve_correction(t, s, t->z, phi);
    sal_rows_residual_vjp(&s->rows, s->z, s->zd, phi, phidot, sal_pullback_cotangents(t));
    if (s->model->ntimed) sal_pullback_timed(t, s);
}
