/* matrices.c - the matrices of a mechanism at the state that a run shows, and of the event handled last.
 *
 *     M, Phi_q                                    mass matrix, Jacobian of the rows that hold
 *     a_q, a_v, a_rho                             linearisation of the accelerations, q' = v, v' = a(q, v, rho) in the
 * mode
 *     S = d[q+; v+]/d[q-; v-] at fixed time       saltation matrix of the event: along it and back (sens.c)
 *
 * Unit directions of the coordinates need not fulfil the constraints: the maps are linear, and mean something for those
 * that do. Everything is computed in workspace of its own; the run is only read. */
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/run/run.h"

void sal_run_mass(const sal_run *run, double *M)
{
    const sal_tables *tables = run->model->tables;
    const int         n      = run->model->n;

    memset(M, 0, sizeof *M * (size_t)n * (size_t)n);
    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m = &tables->masses.at[k];
        if (m->i >= n || m->j >= n) continue; /* what is fixed or driven has no acceleration of its own */
        M[m->i * n + m->j] += run->system.mass[k];
        if (m->i != m->j) M[m->j * n + m->i] += run->system.mass[k];
    }
}

sal_status sal_run_jacobian(const sal_run *run, double *J)
{
    const sal_model *model = run->model;
    sal_system       s;
    sal_pool         pool;
    bool             good;

    sal_pool_init(&pool, run->context);
    good = sal_run_shown_system(run, &pool, &s);
    memset(J, 0, sizeof *J * (size_t)model->m * (size_t)model->n);
    for (int r = 0; r < model->m && good; r++) sal_system_add_row(&s, r, false, J + (size_t)r * (size_t)model->n);
    sal_pool_free(&pool);
    return good ? SAL_OK : sal_out_of_memory(run->context);
}

/* ---------------------------------------------------------------------------------- linearisation */

void sal_run_copy_state(const sal_run *run, sal_system *s)
{
    const size_t nz = sizeof(double) * (size_t)run->model->nz;

    memcpy(s->z, run->shown.z, nz);
    memcpy(s->zd, run->shown.zd, nz);
    memcpy(s->zdd, run->shown.zdd, nz);
    memcpy(s->lambda, run->shown.lambda, sizeof(double) * (size_t)run->model->m);
    memcpy(s->mass, run->system.mass, sizeof(double) * (size_t)run->model->tables->masses.n);
    memcpy(s->gravity, run->system.gravity, nz);
    s->length = run->system.length;
    sal_system_set_mode(s, &run->system.mode);
    sal_system_set_form(s, run->opts.form == SAL_PENALTY ? SAL_PENALTY : SAL_INDEX1,
                        (sal_stabilization)run->opts.stabilization);
}

/* The accelerations there, ready to be differentiated. */
static sal_status accelerate_copy(const sal_run *run, sal_system *s)
{
    sal_status status;

    sal_run_copy_state(run, s);
    status = sal_system_accelerate(s);
    if (status == SAL_OK) status = sal_system_share(s);
    return status == SAL_OK ? SAL_OK : sal_system_explain(s, status, &s->motion);
}

/* Columns: 2n unit directions of q and v, then the parameters. Memory does not follow them any more. */
static sal_status make_directions(const sal_run *run, sal_system *s, sal_tangent *t)
{
    const sal_tables *tables = run->model->tables;
    const int         n = run->model->n, w = t->p;
    sal_status        status = sal_tangent_set_values(t, s, run->given);

    if (status != SAL_OK) return status;
    memcpy(s->z, run->shown.z, sizeof(double) * (size_t)run->model->nz); /* the values were those of the start */
    for (int k = 0; k < tables->memory.n; k++)
        memset(t->z + (size_t)tables->memory.at[k].slot * (size_t)w, 0, sizeof(double) * (size_t)w);
    sal_tangent_refresh(t, s);
    sal_tangent_set_form(t, s);
    for (int k = 0; k < n; k++) {
        t->z[k * w + k]      = 1.0;
        t->zd[k * w + n + k] = 1.0;
    }
    return SAL_OK;
}

static void copy_columns(const double *from, int rows, int w, int first, int count, double *to)
{
    for (int k = 0; k < rows && to; k++) memcpy(to + k * count, from + k * w + first, sizeof *to * (size_t)count);
}

sal_status sal_run_linearize(const sal_run *run, double *a_q, double *a_v, double *a_rho)
{
    const int   n = run->model->n, parameters = run->model->tables->parameters.n, w = 2 * n + parameters;
    sal_pool    pool;
    sal_system  s = { 0 };
    sal_tangent t;
    sal_wrt    *wrt;
    sal_status  status;

    sal_pool_init(&pool, run->context);
    wrt    = SAL_NEW(&pool, sal_wrt, w);
    status = wrt ? sal_system_init(&s, run->model, &pool) : SAL_ERR_MEMORY;
    for (int c = 0; c < w && wrt; c++) wrt[c] = (sal_wrt){ .parameter = c < 2 * n ? -1 : c - 2 * n, .coordinate = -1 };
    if (status == SAL_OK) status = sal_tangent_init(&t, run->model, &pool, wrt, w);
    if (status == SAL_OK) status = accelerate_copy(run, &s);
    if (status == SAL_OK) status = make_directions(run, &s, &t);
    if (status == SAL_OK) {
        sal_tangent_move(&t, &s, NULL, NULL);
        sal_tangent_accelerate(&t, &s);
        copy_columns(t.zdd, n, w, 0, n, a_q);
        copy_columns(t.zdd, n, w, n, n, a_v);
        copy_columns(t.zdd, n, w, 2 * n, parameters, a_rho);
    }
    if (status == SAL_ERR_MEMORY) sal_out_of_memory(run->context);
    else if (status != SAL_OK) sal_fail(run->context, status, "%s", s.message);
    if (s.model) sal_system_free(&s);
    sal_pool_free(&pool);
    return status;
}

/* ------------------------------------------------------------------------------------- saltation */

/* Puts another run just before the event, with the 2n unit directions as its sensitivities. */
static void place_before(const sal_run *run, sal_run *other)
{
    const sal_event_record *r     = &run->record;
    const sal_event        *event = &run->model->tables->events.at[r->pending.event];
    const int               n = run->model->n, w = 2 * n;
    const size_t            nz = sizeof(double) * (size_t)run->model->nz;
    sal_parts               y  = sal_run_parts(other, other->stepper.y1);

    memcpy(other->system.z, r->z, nz);
    memset(other->stepper.y1, 0, sizeof(double) * (size_t)other->stepper.n);
    memcpy(y.q, r->z, sizeof(double) * (size_t)n);
    memcpy(y.v, r->v, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++) y.Q[k * w + k] = y.V[k * w + n + k] = 1.0;
    other->t1            = r->info.time;
    other->t_end         = run->t_end;
    other->system.length = run->system.length;
    memcpy(other->end.a, r->a, sizeof(double) * (size_t)n);
    memcpy(other->end.lambda, r->lambda, sizeof(double) * (size_t)run->model->m);
    memset(other->tangent.z, 0, nz * (size_t)w);
    memset(other->tangent.zd, 0, nz * (size_t)w);
    memset(other->tangent.share, 0, sizeof(double) * (size_t)(run->model->m * w)); /* the start stays where it was */
    memset(other->tangent.share_start, 0, sizeof(double) * (size_t)(run->model->m * w));
    other->invalid[0] = '\0'; /* what its own start has to say */
    sal_system_set_mode(&other->system, &r->mode);
    other->find.pending = r->pending;
    if (event->touch >= 0 && event->kind == SAL_JAMS) { /* one that has come on gradually */
        other->contacts.jam     = event->touch;
        other->contacts.gradual = 2.0 * SAL_JAM;
    }
    memcpy(other->find.tolerance, run->find.tolerance, sizeof(double) * (size_t)run->model->tables->events.n);
}

/* The sensitivities of the accelerations before the event: what its function reads may depend on them. */
static sal_status differentiate_before(sal_run *other)
{
    sal_system *s = &other->system;
    sal_parts   y = sal_run_parts(other, other->stepper.y1);
    sal_status  status;

    sal_system_move(s, other->t1, y.q, y.v);
    sal_system_prepare(s);
    status = sal_system_accelerate(s);
    if (status == SAL_OK) status = sal_system_share(s);
    if (status != SAL_OK) return status;
    sal_tangent_move(&other->tangent, s, y.Q, y.V);
    sal_tangent_accelerate(&other->tangent, s);
    memcpy(other->end.A, other->tangent.zdd, sizeof(double) * (size_t)(other->model->n * other->p));
    memcpy(other->end.Lambda, other->tangent.lambda, sizeof(double) * (size_t)(other->model->m * other->p));
    return SAL_OK;
}

/* "initial(P.x)" and the like, for each coordinate and velocity. NULL: out of memory. */
static const char **initial_names(const sal_model *model, sal_pool *pool)
{
    const char **name = SAL_NEW(pool, const char *, 2 * model->n);

    for (int k = 0; k < 2 * model->n && name; k++) { /* "x(P)" */
        const char *of = model->coordinate[k % model->n];
        name[k] =
            sal_pool_format(pool, "initial(%.*s.%s%c)", (int)strlen(of) - 3, of + 2, k < model->n ? "" : "v", of[0]);
    }
    return pool->failed ? NULL : name;
}

/* A run that began like this one, with the 2n directions as its sensitivities. */
static sal_status make_other(const sal_run *run, sal_run **other)
{
    const sal_tables *tables = run->model->tables;
    const size_t      n      = sizeof(double) * (size_t)run->model->n;
    sal_run_opts      opts   = run->asked;
    sal_pool          pool;
    sal_status        status = SAL_ERR_MEMORY;

    sal_pool_init(&pool, run->context);
    opts.wrt       = initial_names(run->model, &pool);
    opts.nwrt      = 2 * run->model->n;
    opts.set       = NULL;
    opts.nset      = 0;
    opts.quiet     = true;
    opts.stop      = NULL; /* this is a reader */
    opts.max_steps = opts.max_events = 0;
    opts.max_wall                    = 0.0;
    if (opts.wrt) status = sal_run_make(run->model, &opts, other);
    sal_pool_free(&pool);
    if (status != SAL_OK) return status;
    memcpy((*other)->given, run->given, sizeof *run->given * (size_t)tables->parameters.n);
    memcpy((*other)->initial_q, run->initial_q, n);
    memcpy((*other)->initial_v, run->initial_v, n);
    (*other)->start.t = run->start.t;
    memcpy((*other)->start.memory, run->start.memory, sizeof *run->start.memory * (size_t)tables->memory.n);
    memcpy((*other)->start.closed, run->start.closed, sizeof *run->start.closed * (size_t)tables->touches.n);
    return sal_run_restart(*other);
}

/* The event again, in the other run. */
static sal_status repeat_event(const sal_run *run, sal_run *other)
{
    sal_status status;

    place_before(run, other);
    status = differentiate_before(other);
    if (status != SAL_OK) return sal_system_explain(&other->system, status, &other->system.motion);
    status = sal_run_handle_event(other);
    if (status == SAL_OK) return sal_run_fail(other, SAL_ERR_NUMBER, "its guard passes it over");
    if (status != SAL_EVENT) return status;
    return other->invalid[0] ? sal_run_fail(other, SAL_ERR_NUMBER, "%s", other->invalid) : SAL_OK;
}

sal_status sal_run_saltation(const sal_run *run, double *S)
{
    const sal_event_info *event = &run->record.info;
    const size_t          half  = (size_t)(2 * run->model->n * run->model->n);
    sal_run              *other = NULL;
    sal_status            status;

    if (event->index < 0) return sal_fail(run->context, SAL_ERR_ARGUMENT, "there has been no event yet");
    if (event->grazing)
        return sal_fail(run->context, SAL_ERR_ARGUMENT, "%s grazed at t = %.9g s: it has no saltation matrix",
                        event->name, event->time);
    if (run->record.pending.again)
        return sal_fail(run->context, SAL_ERR_NUMBER,
                        "%s at t = %.9g s has no saltation matrix of its own: another event at the same instant "
                        "changed its function",
                        event->name, event->time);
    status = make_other(run, &other);
    if (status == SAL_OK) status = repeat_event(run, other);
    if (status == SAL_OK) {
        const sal_parts y = sal_run_parts(other, other->stepper.y1);
        memcpy(S, y.Q, sizeof *S * half);
        memcpy(S + half, y.V, sizeof *S * half);
    } else if (status == SAL_ERR_MEMORY) {
        sal_out_of_memory(run->context);
    } else if (other) {
        sal_fail(run->context, status, "%s at t = %.9g s has no saltation matrix: %s", event->name, event->time,
                 other->system.message);
    }
    sal_run_destroy(&other);
    return status;
}
