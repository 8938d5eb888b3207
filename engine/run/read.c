/* read.c - what a run shows: quantities by name, by number, by expression; derivatives.
 *
 * Readers look at the state shown (sal_shown), which has all that they need, with workspace of their own: they change
 * nothing, and may be called from several threads while nobody steps the run. */
#include <math.h>
#include <string.h>

#include "engine/run/run.h"
#include "engine/base/vector.h"

/* ------------------------------------------------------------------------------------- evaluating */

/* Workspace of one call: on the stack unless programs are very long. */
typedef struct workspace {
    sal_pool pool;
    double   fixed[2048];
    double  *value, *first, *energy;
} workspace;

/* For programs of so many nodes. */
static bool take_for(workspace *w, const sal_run *run, int nodes)
{
    const size_t program = (size_t)nodes, need = 2 * program + (size_t)run->all;

    sal_pool_init(&w->pool, run->context);
    w->value  = need <= sizeof w->fixed / sizeof *w->fixed ? w->fixed : SAL_NEW(&w->pool, double, need);
    w->first  = w->value ? w->value + program : NULL;
    w->energy = w->value ? w->first + program : NULL;
    return w->value != NULL;
}

static bool take(workspace *w, const sal_run *run)
{
    return take_for(w, run, run->model->program_max);
}

static sal_view view_of(const sal_run *run)
{
    const sal_shown *x = &run->shown;

    return (sal_view){ .system  = &run->system,
                       .tangent = run->all ? &run->shown.tangent : NULL,
                       .z       = x->z,
                       .zd      = x->zd,
                       .zdd     = x->zdd,
                       .lambda  = x->lambda,
                       .dz      = x->dz,
                       .dzd     = x->dzd,
                       .dzdd    = x->dzdd,
                       .dlambda = x->dlambda };
}

/* Energies that it may read are programs of the model. */
static int nodes_for(const sal_run *run, const sal_program *program)
{
    return program->n > run->model->program_max ? program->n : run->model->program_max;
}

double sal_run_shown_value(const sal_run *run, const sal_program *program)
{
    const sal_view view  = view_of(run);
    double         value = NAN;
    workspace      w;

    if (take_for(&w, run, nodes_for(run, program))) value = sal_view_value(&view, program, w.value);
    sal_pool_free(&w.pool);
    return value;
}

double sal_run_energy(const sal_run *run)
{
    const sal_view view   = view_of(run);
    double         energy = NAN;
    workspace      w;

    if (take(&w, run)) energy = sal_view_energy(&view, w.value);
    sal_pool_free(&w.pool);
    return energy;
}

double sal_run_output(const sal_run *run, int index)
{
    const sal_tables *tables = run->model->tables;

    return index >= 0 && index < tables->outputs.n ? sal_run_shown_value(run, &tables->outputs.at[index].program) : NAN;
}

double sal_run_reaction(const sal_run *run, int index)
{
    const sal_tables *tables = run->model->tables;

    if (index < 0 || index >= tables->reactions.n) return NAN;
    return sal_run_shown_value(run, &tables->reactions.at[index].program);
}

/* Readers leave the run as it is: what they have to say is said by the context. */
static sal_status no_sensitivities(const sal_run *run)
{
    return sal_fail(run->context, SAL_ERR_ARGUMENT, "the run has no sensitivities: none were asked for");
}

static sal_status gradient_of(const sal_run *run, const sal_program *program, double *gradient)
{
    const sal_view view   = view_of(run);
    sal_status     status = SAL_ERR_MEMORY;
    workspace      w;

    if (run->all == 0) return no_sensitivities(run);
    if (take_for(&w, run, nodes_for(run, program))) {
        sal_view_gradient(&view, program, w.value, w.first, w.energy, gradient);
        status = SAL_OK;
    }
    sal_pool_free(&w.pool);
    return status == SAL_OK ? SAL_OK : sal_out_of_memory(run->context);
}

sal_status sal_run_output_gradient(const sal_run *run, int index, double *gradient)
{
    const sal_tables *tables = run->model->tables;

    if (run->all && (index < 0 || index >= tables->outputs.n))
        return sal_fail(run->context, SAL_ERR_ARGUMENT, "output %d does not exist; there are %d", index,
                        tables->outputs.n);
    return gradient_of(run, run->all ? &tables->outputs.at[index].program : NULL, gradient);
}

double sal_probe_value(const sal_probe *probe, const sal_run *run)
{
    return run->model == probe->model ? sal_run_shown_value(run, &probe->program) : NAN;
}

sal_status sal_probe_gradient(const sal_probe *probe, const sal_run *run, double *gradient)
{
    if (run->model != probe->model)
        return sal_fail(run->context, SAL_ERR_ARGUMENT, "the expression was made for another model");
    return gradient_of(run, &probe->program, gradient);
}

static sal_status unknown_point(const sal_run *run, const char *name)
{
    const sal_tables *tables = run->model->tables;
    const char      **names;
    sal_pool          pool;

    sal_pool_init(&pool, run->context);
    names = SAL_NEW(&pool, const char *, tables->points.n);
    for (int k = 0; k < tables->points.n && names; k++) names[k] = tables->points.at[k].name;
    sal_fail(run->context, SAL_ERR_ARGUMENT, "unknown point '%s'%s", name,
             sal_did_you_mean(name, names, names ? tables->points.n : 0).text);
    sal_pool_free(&pool);
    return SAL_ERR_ARGUMENT;
}

sal_status sal_run_point(const sal_run *run, const char *name, double *pos, double *vel)
{
    const sal_point_def *def = sal_tables_point(run->model->tables, name);
    const sal_basis     *p   = def ? sal_basis_of(run->model->tables, def->point) : NULL;
    const double        *z   = run->shown.z;

    if (!p) return unknown_point(run, name);
    for (int pass = 0; pass < 2; pass++) {
        const double *source = pass ? run->shown.zd : z, alpha = z[p->alpha], beta = z[p->beta];
        const double  dx = source[p->xj] - source[p->xi], dy = source[p->yj] - source[p->yi];
        double       *out = pass ? vel : pos;
        if (!out) continue;
        out[0] = source[p->xi] + alpha * dx - beta * dy;
        out[1] = source[p->yi] + alpha * dy + beta * dx;
    }
    return SAL_OK;
}

/* --------------------------------------------------------------------------------- at a moving end */

const double *sal_run_end_gradient(const sal_run *run)
{
    return sal_run_has_ended(run) ? run->shown.tau_end : run->none;
}

/* x + rate * tau_end, rows [count][p]. */
static void follow_end(const sal_run *run, const double *at, const double *rate, int count, double *out)
{
    const double *tau = sal_run_end_gradient(run);

    for (int k = 0; k < count && out; k++) {
        for (int c = 0; c < run->all; c++) {
            const int i = k * run->all + c;
            out[i]      = tau[c] == 0.0 ? at[i] : at[i] + rate[k] * tau[c];
        }
    }
}

sal_status sal_run_final_gradients(const sal_run *run, double *q, double *v, double *lambda)
{
    if (!run->all) return no_sensitivities(run);
    follow_end(run, run->shown.dz, run->shown.zd, run->model->n, q);
    follow_end(run, run->shown.dzd, run->shown.zdd, run->model->n, v);
    follow_end(run, run->shown.dlambda, run->shown.lambda_rate, run->model->m, lambda);
    return SAL_OK;
}

/* ------------------------------------------------------------------------------------ constraints */

bool sal_run_shown_system(const sal_run *run, sal_pool *pool, sal_system *s)
{
    const sal_model *model = run->model;

    *s       = run->system;
    s->z     = run->shown.z;
    s->entry = SAL_NEW(pool, double, model->jp[model->m] + 1);
    s->rows  = (sal_rows){ .model     = model,
                           .mode      = &run->system.mode,
                           .value     = SAL_NEW(pool, double, model->program_max),
                           .first     = SAL_NEW(pool, double, model->program_max),
                           .direction = SAL_NEW(pool, double, model->nz),
                           .power     = SAL_NEW(pool, double, model->tables->efforts.n) };
    if (pool->failed) return false;
    sal_rows_held_jacobian(&s->rows, s->z, s->entry);
    return true;
}

sal_status sal_run_rank(const sal_run *run, int *rank)
{
    sal_pool   pool;
    sal_system s;
    sal_rank   r;
    sal_status status;

    sal_pool_init(&pool, run->context);
    status = sal_rank_init(&r, &pool, run->model->n, run->model->m);
    if (status == SAL_OK && !sal_run_shown_system(run, &pool, &s)) status = SAL_ERR_MEMORY;
    if (status == SAL_OK) *rank = sal_rank_find(&r, sal_structure_rows(&s, false, r.row, NULL), NULL);
    sal_pool_free(&pool);
    return status == SAL_OK ? SAL_OK : sal_out_of_memory(run->context);
}

sal_status sal_run_partition(const sal_run *run, int *dof, int *count)
{
    const sal_model *model = run->model;
    sal_pool         pool;
    sal_system       s;
    sal_partition    p;
    bool            *marked;
    sal_status       status;

    sal_pool_init(&pool, run->context);
    marked = SAL_NEW(&pool, bool, model->n);
    status = sal_partition_init(&p, model, &pool);
    if (!sal_run_shown_system(run, &pool, &s) || pool.failed) status = SAL_ERR_MEMORY;
    if (status == SAL_OK) {
        for (int k = 0; k < model->ndof; k++) marked[model->dof[k]] = true;
        sal_partition_choose(&p, &s, marked);
        *count = model->n - p.rank;
        memcpy(dof, p.dof, sizeof *dof * (size_t)*count);
    }
    sal_pool_free(&pool);
    return status == SAL_OK ? SAL_OK : sal_out_of_memory(run->context);
}

/* ------------------------------------------------------------------------------------- for studies */

/* The system at the state that the run shows, and the tangent. */
static sal_system *system_at(sal_run *run)
{
    sal_system_move(&run->system, run->shown.t, run->shown.z, run->shown.zd);
    memcpy(run->system.zdd, run->shown.zdd, sizeof(double) * (size_t)run->model->n);
    memcpy(run->system.lambda, run->shown.lambda, sizeof(double) * (size_t)run->model->m);
    return &run->system;
}

/* What the integral of a cost counts with: an average is divided by the time. */
static double part_of_time(const sal_run *run, int cost)
{
    return run->model->tables->costs.at[cost].average ? 1.0 / (run->shown.t - run->start.t) : 1.0;
}

double sal_run_cost_speed(sal_run *run, int cost)
{
    const sal_cost *c = &run->model->tables->costs.at[cost];
    sal_system     *s = system_at(run);

    return (c->running.n ? part_of_time(run, cost) * (sal_system_value(s, &c->running) - run->shown.mean[cost]) : 0.0) +
           (c->terminal.n ? sal_tangent_rate(&run->motion, s, &c->terminal) : 0.0) + sal_peaks_speed(run, cost);
}

/* d/dt of a program along the motion, by the view: programs of the user's may be longer than the model's. */
static double speed_of(sal_run *run, const sal_program *program)
{
    const sal_tangent *motion = &run->motion;
    sal_system        *s      = system_at(run);
    sal_view           view   = view_of(run);
    double             speed  = NAN;
    workspace          w;

    if (sal_tangent_move_along(&run->motion, s) != SAL_OK) return NAN;
    view.tangent = motion;
    view.dz      = motion->z;
    view.dzd     = motion->zd;
    view.dzdd    = motion->zdd;
    view.dlambda = motion->lambda;
    if (take_for(&w, run, nodes_for(run, program)))
        sal_view_gradient(&view, program, w.value, w.first, w.energy, &speed);
    sal_pool_free(&w.pool);
    return speed;
}

sal_status sal_run_change_at_end(sal_run *run, const sal_program *program, double *gradient)
{
    const double *tau    = sal_run_end_gradient(run);
    sal_status    status = gradient_of(run, program, gradient);
    double        speed  = 0.0;

    for (int c = 0; c < run->all && speed == 0.0 && status == SAL_OK; c++) {
        if (tau[c] != 0.0) speed = speed_of(run, program);
    }
    for (int c = 0; c < run->all; c++) gradient[c] += tau[c] == 0.0 ? 0.0 : speed * tau[c];
    return status;
}

double sal_run_place(const sal_run *run, sal_basis p, int axis, bool velocity, double *value, double *gradient)
{
    const sal_shown *s    = &run->shown;
    const sal_slot   i[2] = { p.xi, p.yi }, j[2] = { p.xj, p.yj };
    const double     alpha = s->z[p.alpha], beta = axis == 0 ? -s->z[p.beta] : s->z[p.beta];
    const double    *x = velocity ? s->zd : s->z, *xdot = velocity ? s->zdd : s->zd, *D = velocity ? s->dzd : s->dz;
    const int        a = axis, o = 1 - axis;

    *value = x[i[a]] + alpha * (x[j[a]] - x[i[a]]) + beta * (x[j[o]] - x[i[o]]);
    for (int c = 0; c < run->all; c++) {
        const double dalpha = SAL_ROW(s->dz, p.alpha, run->all)[c],
                     dbeta  = (axis == 0 ? -1.0 : 1.0) * SAL_ROW(s->dz, p.beta, run->all)[c];
        gradient[c]         = SAL_ROW(D, i[a], run->all)[c] +
                      alpha * (SAL_ROW(D, j[a], run->all)[c] - SAL_ROW(D, i[a], run->all)[c]) +
                      beta * (SAL_ROW(D, j[o], run->all)[c] - SAL_ROW(D, i[o], run->all)[c]) +
                      dalpha * (x[j[a]] - x[i[a]]) + dbeta * (x[j[o]] - x[i[o]]);
    }
    return xdot[i[a]] + alpha * (xdot[j[a]] - xdot[i[a]]) + beta * (xdot[j[o]] - xdot[i[o]]);
}

/* ------------------------------------------------------------------------------------ the state shown */

double sal_run_parameter(const sal_run *run, int index)
{
    const sal_tables *tables = run->model->tables;

    if (index < 0 || index >= tables->parameters.n) return NAN;
    if (index >= tables->scalars) return run->system.knot[index - tables->scalars];
    return run->system.z[tables->parameters.at[index].slot];
}

double sal_run_memory(const sal_run *run, int index)
{
    const sal_tables *tables = run->model->tables;

    return index >= 0 && index < tables->memory.n ? run->shown.z[tables->memory.at[index].slot] : NAN;
}

bool sal_run_closed(const sal_run *run, int index)
{
    const sal_tables *tables = run->model->tables;

    return index >= 0 && index < tables->touches.n && run->system.mode.held[tables->touches.at[index].normal];
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

bool sal_run_event_contact(const sal_run *run, int index, sal_event_contact *contact)
{
    const sal_tables *tables  = run->model->tables;
    const double     *impulse = run->contacts.impulse;

    for (int k = 0; k < tables->touches.n && run->record.info.index >= 0; k++) {
        const sal_touch *c     = &tables->touches.at[k];
        const int        event = sal_run_contact_event(run, k);
        if (event < 0 || index-- > 0) continue;
        *contact = (sal_event_contact){ .contact  = c->name,
                                        .event    = event,
                                        .normal   = impulse[c->normal],
                                        .friction = c->tangent >= 0 ? impulse[c->tangent] : 0.0 };
        return true;
    }
    return false;
}

bool sal_run_lambda_chosen(const sal_run *run, int constraint)
{
    const sal_system *s = &run->system;

    if (constraint < 0 || constraint >= run->model->m) return false;
    for (int k = 0; k < s->mode.portions; k++) {
        if (s->mode.portion[k].row == constraint) return true;
    }
    return s->shares && (s->mode.held[constraint] || s->mode.acts[constraint]) &&
           (int)run->model->tables->rows.at[constraint].sharing <= s->shares;
}

bool sal_run_impulse_chosen(const sal_run *run, int constraint)
{
    if (constraint < 0 || constraint >= run->model->m || run->record.info.index < 0) return false;
    return run->contacts.impulse[constraint] != 0.0 &&
           (int)run->model->tables->rows.at[constraint].sharing <= run->contacts.choice;
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
