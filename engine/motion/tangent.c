/* tangent.c - the tangent linear model; equations in motion.h. */
#include "engine/base/vector.h"
#include "engine/motion/motion.h"

#include <math.h>
#include <string.h>

#include "engine/equations/equations.h"

sal_status sal_tangent_init(sal_tangent *t, const sal_model *model, sal_pool *pool, const sal_wrt *wrt, int p)
{
    int size = model->motion.size > model->start.size ? model->motion.size : model->start.size;

    for (int e = 0; e < model->tables->events.n; e++) {
        if (model->jump[e].pattern.size > size) size = model->jump[e].pattern.size;
    }
    *t             = (sal_tangent){ .p = p };
    t->wrt         = SAL_NEW(pool, sal_wrt, p);
    t->z           = SAL_NEW(pool, double, model->nz *p);
    t->zd          = SAL_NEW(pool, double, model->nz *p);
    t->zdd         = SAL_NEW(pool, double, model->nz *p);
    t->gravity     = SAL_NEW(pool, double, model->nz *p);
    t->force       = SAL_NEW(pool, double, model->nz *p);
    t->none        = SAL_NEW(pool, double, model->nz *p);
    t->lambda      = SAL_NEW(pool, double, model->m *p);
    t->row         = SAL_NEW(pool, double, model->m *p);
    t->row2        = SAL_NEW(pool, double, model->m *p);
    t->corner      = SAL_NEW(pool, double, model->m *p);
    t->mass        = SAL_NEW(pool, double, model->tables->masses.n *p);
    t->changing    = SAL_NEW(pool, int, model->tables->masses.n);
    t->inert       = SAL_NEW(pool, bool, model->tables->terms.n);
    t->xi          = SAL_NEW(pool, double, p);
    t->omega       = SAL_NEW(pool, double, p);
    t->energy      = SAL_NEW(pool, double, p);
    t->number      = SAL_NEW(pool, double, p);
    t->target      = SAL_NEW(pool, double, model->tables->setters.n *p);
    t->rhs         = SAL_NEW(pool, double, size *p);
    t->share       = SAL_NEW(pool, double, model->m *p);
    t->share_start = SAL_NEW(pool, double, model->m *p);
    t->only        = SAL_NEW(pool, bool, model->m);
    if (pool->failed) return SAL_ERR_MEMORY;
    memcpy(t->wrt, wrt, sizeof *wrt * (size_t)p);
    return SAL_OK;
}

sal_directions sal_tangent_directions(const sal_tangent *t)
{
    return (sal_directions){ .p = t->p, .dz = t->z, .dzd = t->zd, .dzdd = t->zdd, .inert = t->inert };
}

/* ---------------------------------------------------------------------------------------- values */

/* Adds the sum over the leaves of d(program)/d(leaf) times the leaf's derivative; the program's values are in s->value.
 */
static void add_chain(const sal_tangent *t, const sal_system *s, const sal_program *program, double *out)
{
    const double *const rows[SAL_SRC_COUNT] = {
        [SAL_SRC_Z] = t->z, [SAL_SRC_ZD] = t->zd, [SAL_SRC_ZDD] = t->zdd, [SAL_SRC_LAMBDA] = t->lambda
    };

    sal_program_gradient(program, s->value, s->first);
    for (int k = 0; k < program->nleaf; k++) {
        const sal_node *leaf  = &program->node[program->leaf[k]];
        const double    slope = s->first[program->leaf[k]];
        if (leaf->a != SAL_SRC_ENERGY) sal_add_slope(out, slope, SAL_ROW(rows[leaf->a], leaf->b, t->p), t->p);
    }
}

static void chain(const sal_tangent *t, const sal_system *s, const sal_program *program, double *out)
{
    for (int c = 0; c < t->p; c++) out[c] = 0.0;
    add_chain(t, s, program, out);
}

void sal_tangent_value(sal_tangent *t, sal_system *s, const sal_program *program, double *out)
{
    sal_system_value(s, program);
    chain(t, s, program, out);
    for (int k = 0; k < program->nleaf && program->reads & (1u << SAL_SRC_ENERGY); k++) {
        if (program->node[program->leaf[k]].a != SAL_SRC_ENERGY) continue;
        const double slope = s->first[program->leaf[k]];
        sal_tangent_energy(t, s, t->energy);
        for (int c = 0; c < t->p; c++) out[c] += slope * t->energy[c];
    }
}

void sal_tangent_energy(sal_tangent *t, const sal_system *s, double *out)
{
    for (int c = 0; c < t->p; c++) out[c] = 0.0;
    sal_masses_energy_jvp(s->model, s->z, s->zd, s->mass, t->mass, sal_tangent_directions(t), out);
    sal_springs_energy_jvp(s->model, s->z, sal_tangent_directions(t), out);
    for (int k = 0; k < s->model->tables->energies.n; k++) {
        const sal_program *program = &s->model->tables->energies.at[k];
        sal_program_value(program, s->source, s->value);
        add_chain(t, s, program, out);
    }
}

static sal_status check_row(sal_system *s, const sal_tangent *t, const sal_value *v, const double *row)
{
    for (int c = 0; c < t->p; c++) {
        if (isfinite(row[c])) continue;
        return sal_system_fail(s, SAL_ERR_NUMBER, "%s: %s: '%s' has no derivative with respect to %s",
                               s->model->tables->file, v->place.path, v->text,
                               t->wrt[c].parameter >= 0 ? s->model->tables->parameters.at[t->wrt[c].parameter].name
                                                        : "an initial value");
    }
    return SAL_OK;
}

static void move_timed(sal_tangent *t, sal_system *s)
{
    for (int k = 0; k < s->model->ntimed; k++) {
        const sal_timed *v    = &s->model->timed[k];
        double *const    at[] = { SAL_ROW(t->z, v->slot, t->p), SAL_ROW(t->zd, v->slot, t->p),
                                  SAL_ROW(t->zdd, v->slot, t->p) };
        for (int i = 0; i < 3; i++) {
            sal_program_value(&v->program[i], s->source, s->value);
            chain(t, s, &v->program[i], at[i]);
        }
    }
}

static bool row_is_zero(const sal_tangent *t, const double *row)
{
    for (int c = 0; c < t->p; c++) {
        if (row[c] != 0.0) return false;
    }
    return true;
}

/* What no parameter changes need not be looked at in every evaluation. */
static void find_changes(sal_tangent *t, const sal_system *s)
{
    const sal_tables *tables = s->model->tables;
    const int         n      = s->model->n;

    t->nchanging = 0;
    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m = &tables->masses.at[k];
        if (!row_is_zero(t, SAL_ROW(t->mass, k, t->p)) || tables->timed.at[m->i] || tables->timed.at[m->j])
            t->changing[t->nchanging++] = k;
    }
    for (int k = 0; k < tables->terms.n; k++) {
        const sal_term *T       = &tables->terms.at[k];
        const sal_slot  slots[] = { T->s, T->i, T->j, T->k, T->l };
        t->inert[k]             = true;
        for (int i = 0; i < SAL_COUNT(slots); i++) {
            if (slots[i] < n || tables->timed.at[slots[i]] || tables->kept.at[slots[i]] ||
                !row_is_zero(t, SAL_ROW(t->z, slots[i], t->p)))
                t->inert[k] = false;
        }
    }
}

void sal_tangent_refresh(sal_tangent *t, sal_system *s)
{
    const sal_tables *tables = s->model->tables;

    for (int k = 0; k < tables->values.n; k++) {
        const sal_value *v = &tables->values.at[k];
        if (v->timed || v->memory || !tables->kept.at[v->slot]) continue;
        sal_program_value(&v->program, s->source, s->value);
        chain(t, s, &v->program, SAL_ROW(t->z, v->slot, t->p));
    }
}

void sal_tangent_start_memory(sal_tangent *t, sal_slot memory)
{
    for (int c = 0; c < t->p; c++) SAL_ROW(t->z, memory, t->p)[c] = t->wrt[c].memory == memory ? 1.0 : 0.0;
}

sal_status sal_tangent_set_values(sal_tangent *t, sal_system *s, const double *given)
{
    const sal_model  *model  = s->model;
    const sal_tables *tables = model->tables;
    const size_t      all    = sizeof(double) * (size_t)model->nz * (size_t)t->p;
    sal_status        status;

    memset(t->z, 0, all);
    memset(t->zd, 0, all);
    memset(t->zdd, 0, all);
    for (int k = 0; k < tables->values.n; k++) {
        const sal_value *v         = &tables->values.at[k];
        const int        parameter = sal_parameter_at(tables, v->slot);
        double          *row       = SAL_ROW(t->z, v->slot, t->p);
        if (v->timed) continue;
        if (parameter < 0 || isnan(given[parameter])) {
            sal_program_value(&v->program, s->source, s->value);
            chain(t, s, &v->program, row);
        }
        for (int c = 0; c < t->p && parameter >= 0; c++) { /* on its own, whatever it is made of */
            if (t->wrt[c].parameter == parameter) row[c] = 1.0;
        }
        for (int c = 0; c < t->p && v->memory; c++) {
            if (t->wrt[c].memory == v->slot) row[c] = 1.0;
        }
        for (int c = 0; c < t->p && !tables->kept.at[v->slot]; c++) {
            if (t->wrt[c].alone) row[c] = t->wrt[c].alone == v->slot ? 1.0 : 0.0;
        }
        status = check_row(s, t, v, row);
        if (status != SAL_OK) return status;
    }
    sal_knots_rows(t, s);
    sal_knots_alone(t, s);
    move_timed(t, s);
    for (int k = 0; k < tables->masses.n; k++) {
        memcpy(SAL_ROW(t->mass, k, t->p), SAL_ROW(t->z, tables->masses.at[k].value, t->p),
               sizeof(double) * (size_t)t->p);
    }
    find_changes(t, s);
    memset(t->gravity, 0, all);
    sal_masses_gravity_jvp(model, s->z, s->mass, t->mass, sal_tangent_directions(t), t->gravity);
    return SAL_OK;
}

void sal_tangent_set_form(sal_tangent *t, const sal_system *s)
{
    const sal_tables *tables = s->model->tables;

    for (int c = 0; c < t->p; c++) {
        t->xi[c]    = SAL_ROW(t->z, tables->simulation.xi, t->p)[c];
        t->omega[c] = SAL_ROW(t->z, tables->simulation.omega, t->p)[c];
    }
    for (int r = 0; r < s->model->m; r++) { /* D = -1/alpha */
        const sal_slot own    = tables->elements.at[tables->rows.at[r].element].alpha;
        const sal_slot slot   = own == SAL_NONE ? tables->simulation.alpha : own;
        const double   alpha  = s->z[slot];
        const double  *dalpha = SAL_ROW(t->z, slot, t->p);
        double        *corner = SAL_ROW(t->corner, r, t->p);
        for (int c = 0; c < t->p; c++) corner[c] = s->form == SAL_PENALTY ? dalpha[c] / (alpha * alpha) : 0.0;
    }
}

/* ---------------------------------------------------------------------------------------- motion */

void sal_tangent_move(sal_tangent *t, sal_system *s, const double *Q, const double *V)
{
    const size_t size = sizeof(double) * (size_t)s->model->n * (size_t)t->p;

    if (Q) memcpy(t->z, Q, size);
    if (V) memcpy(t->zd, V, size);
    memset(t->zdd, 0, size); /* a is held where the equations are differentiated */
    memset(SAL_ROW(t->z, s->model->tables->time, t->p), 0,
           sizeof(double) * (size_t)t->p); /* at fixed time, whatever an event has made of it */
    if (s->model->ntimed) move_timed(t, s);
}

void sal_tangent_to_rhs(const sal_tangent *t, const double *rows, int count, int size, int from, double factor)
{
    for (int c = 0; c < t->p; c++) {
        double *b = t->rhs + (size_t)c * (size_t)size + from;
        for (int k = 0; k < count; k++) b[k] = factor * rows[(size_t)k * (size_t)t->p + (size_t)c];
    }
}

void sal_tangent_from_rhs(const sal_tangent *t, double *rows, int count, int size, int from)
{
    for (int c = 0; c < t->p; c++) {
        const double *b = t->rhs + (size_t)c * (size_t)size + from;
        for (int k = 0; k < count; k++) rows[(size_t)k * (size_t)t->p + (size_t)c] = b[k];
    }
}

void sal_tangent_add_mass_change(const sal_tangent *t, const sal_system *s, const double *jump, double *force)
{
    const int n = s->model->n;

    for (int k = 0; k < s->model->tables->masses.n; k++) { /* fixed points do not jump */
        const sal_mass *m  = &s->model->tables->masses.at[k];
        const double    di = m->i < n ? jump[m->i] : 0.0, dj = m->j < n ? jump[m->j] : 0.0;
        for (int c = 0; c < t->p; c++) SAL_ROW(force, m->i, t->p)[c] -= SAL_ROW(t->mass, k, t->p)[c] * dj;
        for (int c = 0; c < t->p && m->i != m->j; c++)
            SAL_ROW(force, m->j, t->p)[c] -= SAL_ROW(t->mass, k, t->p)[c] * di;
    }
}

/* The change of a coupling's factor. */
static double factor_change(const sal_tangent *t, const sal_coupling *k, int column)
{
    return k->sign * k->part * SAL_ROW(t->z, k->factor, t->p)[column];
}

void sal_tangent_add_couplings(sal_tangent *t, const sal_system *s, const double *lambda, double *force)
{
    const sal_model *model = s->model;

    for (int i = 0; i < s->mode.couplings; i++) {
        const sal_coupling *k = &s->mode.coupling[i];
        for (int j = model->jp[k->along]; j < model->jp[k->along + 1]; j++) {
            double *f = SAL_ROW(force, model->jc[j], t->p);
            for (int c = 0; c < t->p; c++) f[c] -= s->entry[j] * factor_change(t, k, c) * lambda[k->row];
        }
    }
}

void sal_tangent_couplings(const sal_tangent *t, const sal_system *s, const double *lambda, double *Lambda)
{
    for (int i = 0; i < s->mode.couplings; i++) {
        const sal_coupling *k   = &s->mode.coupling[i];
        const double        now = sal_coupling_factor(k, s->z), *row = SAL_ROW(Lambda, k->row, t->p);
        double             *out = SAL_ROW(Lambda, k->along, t->p);
        for (int c = 0; c < t->p; c++) out[c] = factor_change(t, k, c) * lambda[k->row] + now * row[c];
    }
}

/* s->phi and s->phidot are those of the state. */
static void add_damped(sal_tangent *t, sal_system *s)
{
    const int    m = s->model->m, p = t->p;
    const double damp = 2.0 * s->xi * s->omega, spring = s->omega * s->omega;
    double      *phi = t->row2, *phidot = t->rhs; /* [m][p] each */

    sal_rows_residual_jvp(&s->rows, s->z, s->zd, sal_tangent_directions(t), phi, phidot);
    for (int r = 0; r < m; r++) {
        double *b = SAL_ROW(t->row, r, p);
        for (int c = 0; c < p; c++) {
            const double ddamp   = 2.0 * (t->xi[c] * s->omega + s->xi * t->omega[c]),
                         dspring = 2.0 * s->omega * t->omega[c];
            b[c] -= damp * SAL_ROW(phidot, r, p)[c] + spring * SAL_ROW(phi, r, p)[c] + ddamp * s->phidot[r] +
                    dspring * s->phi[r] + SAL_ROW(t->corner, r, p)[c] * s->lambda[r];
        }
    }
}

/* Into force and row, the first n and m rows of both. */
static void equations(sal_tangent *t, sal_system *s)
{
    const sal_model     *model = s->model;
    const int            n = model->n, m = model->m, p = t->p;
    const sal_directions d = sal_tangent_directions(t);

    memcpy(t->force, t->gravity, sizeof(double) * (size_t)n * (size_t)p); /* rows behind q are nobody's */
    sal_springs_jvp(model, s->z, s->zd, d, t->force);
    if (model->tables->efforts.n) sal_efforts_jvp(&s->rows, s->z, s->zd, d, t->number, t->force);
    sal_masses_inertia_jvp(model, s->zdd, s->mass, t->mass, t->changing, t->nchanging, d, t->force);
    sal_rows_motion_jvp(&s->rows, s->z, s->zd, s->zdd, s->lambda, d, t->row, t->force);
    sal_tangent_add_couplings(t, s, s->lambda, t->force);
    for (int k = 0; k < m * p; k++) t->row[k] = -t->row[k];
    if (s->damped) add_damped(t, s);
}

void sal_tangent_equations(sal_tangent *t, sal_system *s)
{
    const int n = s->model->n, m = s->model->m;

    equations(t, s);
    sal_tangent_to_rhs(t, t->force, n, n + m, 0, 1.0);
    sal_tangent_to_rhs(t, t->row, m, n + m, n, 1.0);
}

/* What stands in force and row, in their place; metric NULL: with K. */
static void solve(sal_tangent *t, sal_system *s, sal_shift *metric)
{
    const int n = s->model->n, m = s->model->m, size = n + m;

    if (!metric && sal_system_solve_rows(s, t->force, t->row, t->p)) return;
    sal_tangent_to_rhs(t, t->force, n, size, 0, 1.0);
    sal_tangent_to_rhs(t, t->row, m, size, n, 1.0);
    if (metric) sal_kkt_solve(&metric->metric, t->rhs, t->p);
    else sal_system_solve(s, t->rhs, t->p);
    sal_tangent_from_rhs(t, t->force, n, size, 0);
    sal_tangent_from_rhs(t, t->row, m, size, n);
}

void sal_tangent_accelerate(sal_tangent *t, sal_system *s)
{
    const size_t p = (size_t)t->p;

    equations(t, s);
    solve(t, s, NULL);
    memcpy(t->zdd, t->force, sizeof(double) * (size_t)s->model->n * p);
    memcpy(t->lambda, t->row, sizeof(double) * (size_t)s->model->m * p);
    if (s->shares) sal_chosen_jvp(t, s, s->solved, t->lambda);
    sal_tangent_couplings(t, s, s->lambda, t->lambda);
    if (s->mode.portions) sal_portions_jvp(t, s, s->lambda, t->lambda);
}

/* ------------------------------------------------------------------------------------ projection */

/* Adds to the coordinates' rows of x what makes the residual in t->row vanish. */
static void correct(sal_tangent *t, sal_system *s, sal_shift *metric, double *x)
{
    const int n = s->model->n * t->p, m = s->model->m * t->p;

    memset(t->force, 0, sizeof *t->force * (size_t)n);
    for (int k = 0; k < m; k++) t->row[k] = -t->row[k];
    solve(t, s, metric);
    for (int k = 0; k < n; k++) x[k] += t->force[k];
}

void sal_tangent_project(sal_tangent *t, sal_system *s, sal_shift *metric)
{
    const sal_directions d = sal_tangent_directions(t);

    if (s->model->m == 0) return;
    sal_rows_residual_jvp(&s->rows, s->z, NULL, d, t->row, NULL);
    correct(t, s, metric, t->z);
    sal_rows_residual_jvp(&s->rows, s->z, s->zd, d, t->row2, t->row);
    correct(t, s, metric, t->zd);
}

void sal_tangent_residual(sal_tangent *t, const sal_system *s, double *phi, double *phidot)
{
    *phi = *phidot = 0.0;
    sal_rows_residual_jvp(&s->rows, s->z, s->zd, sal_tangent_directions(t), t->row, t->row2);
    for (int k = 0; k < s->model->m * t->p; k++) {
        *phi    = fmax(*phi, fabs(t->row[k]));
        *phidot = fmax(*phidot, fabs(t->row2[k]));
    }
}

/* ------------------------------------------------------------------------------ along the motion */

/* dz = zd, dzd = zdd with a as last computed; what is a function of time follows from t' = 1. */
static void set_along(sal_tangent *motion, sal_system *s)
{
    const size_t n = sizeof(double) * (size_t)s->model->n;

    memcpy(motion->z, s->zd, n);
    memcpy(motion->zd, s->zdd, n);
    memset(motion->zdd, 0, n);
    motion->z[s->model->tables->time] = 1.0;
    if (s->model->ntimed) move_timed(motion, s);
}

sal_status sal_tangent_move_along(sal_tangent *motion, sal_system *s)
{
    sal_status status = sal_system_accelerate(s); /* the factors may be those of another state */

    if (status != SAL_OK) return status;
    set_along(motion, s);
    sal_tangent_accelerate(motion, s);
    return SAL_OK;
}

double sal_tangent_rate(sal_tangent *motion, sal_system *s, const sal_program *program)
{
    double rate = 0.0;

    if (program->reads & (1u << SAL_SRC_ZDD | 1u << SAL_SRC_LAMBDA)) {
        if (sal_tangent_move_along(motion, s) != SAL_OK) return NAN;
    } else {
        set_along(motion, s);
    }
    sal_tangent_value(motion, s, program, &rate);
    return rate;
}
