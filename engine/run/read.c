/* read.c - quantities of a run by expression or by name, and the rank of its constraints.
 *
 * The state shown to the caller may lie inside a step, while the system's workspace is elsewhere: probes bring the
 * system there first, which changes nothing that the run relies on. */
#include <math.h>
#include <string.h>

#include "engine/motion/motion.h"
#include "engine/equations/equations.h"
#include "engine/run/run.h"

/* The system at the state that the run shows. */
static sal_system *system_at(const sal_run *run)
{
    sal_run  *r = (sal_run *)run; /* workspace only */
    const int n = run->model->n;

    sal_system_move(&r->system, run->shown.t, run->shown.z, run->shown.zd);
    memcpy(r->system.zdd, run->shown.zdd, sizeof(double) * (size_t)n);
    memcpy(r->system.lambda, run->shown.lambda, sizeof(double) * (size_t)run->model->m);
    return &r->system;
}

double sal_run_energy(const sal_run *run)
{
    return sal_system_energy(system_at(run));
}

double sal_run_output(const sal_run *run, int index)
{
    const sal_tables *tables = run->model->tables;

    if (index < 0 || index >= tables->outputs.n) return NAN;
    return sal_system_value(system_at(run), &tables->outputs.at[index].program);
}

double sal_run_reaction(const sal_run *run, int index)
{
    const sal_tables *tables = run->model->tables;

    if (index < 0 || index >= tables->reactions.n) return NAN;
    return sal_system_value(system_at(run), &tables->reactions.at[index].program);
}

/* The tangent there as well. */
static sal_tangent *tangent_at(const sal_run *run)
{
    sal_run     *r    = (sal_run *)run;
    const size_t size = sizeof(double) * (size_t)run->p;

    sal_tangent_move(&r->tangent, system_at(run), run->shown.dz, run->shown.dzd);
    memcpy(r->tangent.zdd, run->shown.dzdd, size * (size_t)run->model->n);
    memcpy(r->tangent.lambda, run->shown.dlambda, size * (size_t)run->model->m);
    return &r->tangent;
}

sal_status sal_run_output_gradient(const sal_run *run, int index, double *gradient)
{
    const sal_tables *tables = run->model->tables;

    if (index < 0 || index >= tables->outputs.n || run->p == 0) return SAL_ERR_ARGUMENT;
    sal_tangent_value(tangent_at(run), &((sal_run *)run)->system, &tables->outputs.at[index].program, gradient);
    return SAL_OK;
}

const double *sal_run_end_gradient(const sal_run *run)
{
    return sal_run_has_ended(run) ? run->tau_end : run->none;
}

/* x + rate * tau_end, rows [count][p]. */
static void follow_end(const sal_run *run, const double *at, const double *rate, int count, double *out)
{
    for (int k = 0; k < count && out; k++) {
        for (int c = 0; c < run->p; c++) {
            const int i = k * run->p + c;
            out[i]      = at[i];
            if (run->tau_end[c] != 0.0) out[i] += rate[k] * run->tau_end[c];
        }
    }
}

sal_status sal_run_final_gradients(const sal_run *run, double *q, double *v, double *lambda)
{
    const int    n = run->model->n, m = run->model->m;
    const size_t row   = sizeof(double) * (size_t)run->p;
    bool         moves = false;

    if (!run->p) return SAL_ERR_ARGUMENT;
    for (int c = 0; c < run->p; c++) moves = moves || run->tau_end[c] != 0.0;
    if (!moves || !sal_run_has_ended(run)) {
        if (q) memcpy(q, run->shown.dz, row * (size_t)n);
        if (v) memcpy(v, run->shown.dzd, row * (size_t)n);
        if (lambda) memcpy(lambda, run->shown.dlambda, row * (size_t)m);
        return SAL_OK;
    }
    if (lambda) {
        const sal_status status = sal_tangent_move_along(&((sal_run *)run)->motion, system_at(run));
        if (status != SAL_OK) return status;
    }
    follow_end(run, run->shown.dz, run->shown.zd, n, q);
    follow_end(run, run->shown.dzd, run->shown.zdd, n, v);
    follow_end(run, run->shown.dlambda, run->motion.lambda, m, lambda);
    return SAL_OK;
}

double sal_run_cost_speed(const sal_run *run, int cost)
{
    const sal_cost *c = &run->model->tables->costs.at[cost];
    sal_system     *s = system_at(run);

    return (c->running.n ? sal_system_value(s, &c->running) : 0.0) +
           (c->terminal.n ? sal_tangent_rate(&((sal_run *)run)->motion, s, &c->terminal) : 0.0);
}

double sal_run_place(const sal_run *run, sal_point p, int axis, bool velocity, double *value, double *gradient)
{
    const sal_system  *s    = system_at(run);
    const sal_tangent *t    = tangent_at(run);
    const sal_slot     i[2] = { p.xi, p.yi }, j[2] = { p.xj, p.yj };
    const double       alpha = s->z[p.alpha], beta = axis == 0 ? -s->z[p.beta] : s->z[p.beta];
    const double      *x = velocity ? s->zd : s->z, *xdot = velocity ? s->zdd : s->zd, *D = velocity ? t->zd : t->z;
    const int          a = axis, o = 1 - axis;

#define ROW(array, slot) ((array) + (size_t)(slot) * (size_t)run->p)
    *value = x[i[a]] + alpha * (x[j[a]] - x[i[a]]) + beta * (x[j[o]] - x[i[o]]);
    for (int c = 0; c < run->p; c++) {
        const double dalpha = ROW(t->z, p.alpha)[c], dbeta = (axis == 0 ? -1.0 : 1.0) * ROW(t->z, p.beta)[c];
        gradient[c] = ROW(D, i[a])[c] + alpha * (ROW(D, j[a])[c] - ROW(D, i[a])[c]) +
                      beta * (ROW(D, j[o])[c] - ROW(D, i[o])[c]) + dalpha * (x[j[a]] - x[i[a]]) +
                      dbeta * (x[j[o]] - x[i[o]]);
    }
#undef ROW
    return xdot[i[a]] + alpha * (xdot[j[a]] - xdot[i[a]]) + beta * (xdot[j[o]] - xdot[i[o]]);
}

sal_status sal_run_point(const sal_run *run, const char *name, double *pos, double *vel)
{
    const sal_point_def *def = sal_tables_point(run->model->tables, name);
    const sal_system    *s   = system_at(run);

    if (!def) return SAL_ERR_ARGUMENT;
    for (int pass = 0; pass < 2; pass++) {
        const double *source = pass ? s->zd : s->z, alpha = s->z[def->point.alpha], beta = s->z[def->point.beta];
        const double  dx = source[def->point.xj] - source[def->point.xi],
                     dy  = source[def->point.yj] - source[def->point.yi];
        double *out      = pass ? vel : pos;
        if (!out) continue;
        out[0] = source[def->point.xi] + alpha * dx - beta * dy;
        out[1] = source[def->point.yi] + alpha * dy + beta * dx;
    }
    return SAL_OK;
}

sal_status sal_run_rank(const sal_run *run, int *rank)
{
    const sal_model *model = run->model;
    sal_system      *s     = system_at(run);
    sal_pool         pool;
    sal_rank         r;
    sal_status       status;

    sal_pool_init(&pool, run->context);
    status = sal_rank_init(&r, &pool, model->n, model->m);
    if (status == SAL_OK) {
        sal_rows_held_jacobian(&s->rows, s->z, s->entry);
        *rank = sal_rank_find(&r, sal_structure_rows(s, false, r.row, NULL), NULL);
    }
    sal_pool_free(&pool);
    return status;
}

sal_status sal_run_partition(const sal_run *run, int *dof, int *count)
{
    const sal_model *model = run->model;
    sal_system      *s     = system_at(run);
    sal_pool         pool;
    sal_partition    p;
    bool            *marked;
    sal_status       status;

    sal_pool_init(&pool, run->context);
    marked = SAL_NEW(&pool, bool, model->n);
    status = sal_partition_init(&p, model, &pool);
    if (status == SAL_OK) {
        for (int k = 0; k < model->ndof; k++) marked[model->dof[k]] = true;
        sal_rows_held_jacobian(&s->rows, s->z, s->entry);
        sal_partition_choose(&p, s, marked);
        *count = model->n - p.rank;
        memcpy(dof, p.dof, sizeof *dof * (size_t)*count);
    }
    sal_pool_free(&pool);
    return status;
}

/* ---------------------------------------------------------------------------------------- probes */

double sal_probe_value(const sal_probe *probe, const sal_run *run)
{
    sal_system *s = system_at(run);

    if (run->model != probe->model) return NAN;
    if (probe->program.reads & (1u << SAL_SRC_ENERGY)) s->energy = sal_system_energy(s);
    return sal_program_value(&probe->program, s->source, probe->value);
}

/* ------------------------------------------------------------------------------------ the state shown */

double sal_run_parameter(const sal_run *run, int index)
{
    const sal_tables *tables = run->model->tables;

    return index >= 0 && index < tables->parameters.n ? run->system.z[tables->parameters.at[index].slot] : NAN;
}

double sal_run_time(const sal_run *run)
{
    return run->shown.t;
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
    return run->shown.z;
}

const double *sal_run_v(const sal_run *run)
{
    return run->shown.zd;
}

const double *sal_run_a(const sal_run *run)
{
    return run->shown.zdd;
}

const double *sal_run_lambda(const sal_run *run)
{
    return run->shown.lambda;
}

const double *sal_run_costs(const sal_run *run)
{
    return run->shown.cost;
}

sal_event_info sal_run_event(const sal_run *run)
{
    return run->record.info;
}

sal_run_stats sal_run_get_stats(const sal_run *run)
{
    sal_run_stats stats = run->stats;

    stats.evaluations         = run->stepper.evaluations;
    stats.factorizations      = run->system.motion.factorizations;
    stats.full_factorizations = run->system.motion.full;
    return stats;
}

sal_run_opts sal_run_get_opts(const sal_run *run)
{
    return run->opts;
}
