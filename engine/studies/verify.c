/* verify.c - every derivative of a run again, by central differences of tight runs.
 *
 *     D(h) = [ 8 (f(h) - f(-h)) - (f(2h) - f(-2h)) ] / (12 h)                                      error h^4 + noise/h
 *
 * for a row of step sizes, each a quarter of the last. Truncation falls with h, the noise of the runs grows: for each
 * number the estimate is taken where three neighbouring step sizes agree best, and what these differ by is how well it
 * is known: they can neither confirm nor refute what is beyond the tolerance, but no further off than their own noise.
 * Step sizes that change the sequence of events are passed over. Nothing is assumed about the sensitivities that are
 * checked. Gradients by the adjoint are held against those by tangents first, on the same steps, then in their place
 * against differences. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/run/run.h"
#include "engine/base/tolerance.h"

enum { SIZES = 8, STENCIL = 4 };

static const double FIRST_STEP = 4e-3; /* of the parameter's own size */

/* What is compared: times of the events, then the end: q, v, lambda, costs, and the sums of impulses. */
typedef struct results {
    int     events, room;
    int    *which; /* [room] events in their order */
    double *time;  /* [room] */
    double *end;   /* [2n + 2m + costs] */
    double *dtime; /* [room][p] */
    double *dend;  /* [2n + 2m + costs][p] */
    double *peak;  /* [2n + 2m + costs] largest of |end| at any step; of impulses: what they are the difference of */
} results;

typedef struct verifier {
    const sal_model *model;
    sal_pool         pool;
    sal_run_opts     opts; /* tight, without sensitivities */
    int              n, m, costs, size, p;
    results          exact, at[STENCIL];
    double          *estimate; /* [SIZES][room + size] */
    double          *nominal;  /* [p] values of what is varied */
    double          *measure;  /* [p] what they are measured by */
    bool             usable[SIZES];
    bool             adjoint;  /* gradients of costs by the adjoint, and nothing else */
    bool            *swept;    /* [costs] of these */
    double          *gradient; /* [costs][p] they */
    bool             vertices; /* impulses are a matter of a choice that is not differentiated, at some event */
} verifier;

static void allocate_results(verifier *v, results *r, int room, int p)
{
    r->room  = room;
    r->which = SAL_NEW(&v->pool, int, room);
    r->time  = SAL_NEW(&v->pool, double, room);
    r->end   = SAL_NEW(&v->pool, double, v->size);
    r->dtime = SAL_NEW(&v->pool, double, room *p);
    r->dend  = SAL_NEW(&v->pool, double, v->size *p);
    r->peak  = SAL_NEW(&v->pool, double, v->size);
}

static void note_peaks(double *peak, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) peak[k] = fmax(peak[k], fabs(x[k]));
}

/* An impulse changes the momentum of the parts, Phi_q^T Lambda = M dv: for row r, in its own unit, it is measured by
 * sum_k |Phi_q,rk| M_kk |v_k| / sum_k Phi_q,rk^2. Where all impulses of a run are next to nothing (what is held was at
 * rest) they are the rounding of that. */
static void note_momenta(const verifier *v, sal_run *run, const double *speed, double *peak)
{
    sal_system      *s     = &run->system;
    const sal_model *model = s->model;

    sal_rows_jacobian(&s->rows, s->z, s->entry);
    for (int r = 0; r < v->m; r++) {
        double momentum = 0.0, square = 0.0;
        for (int e = model->jp[r]; e < model->jp[r + 1]; e++) {
            const int k = model->jc[e];
            if (k >= v->n) continue;
            const double S = s->motion.scale[k]; /* M_kk^-1/2 */
            momentum += fabs(s->entry[e]) * speed[k] / (S * S);
            square += s->entry[e] * s->entry[e];
        }
        if (square > 0.0) peak[r] = fmax(peak[r], momentum / square);
    }
}

/* Runs to the end and writes down what is compared. */
static sal_status record(const verifier *v, sal_run *run, results *r)
{
    const size_t n = (size_t)v->n, m = (size_t)v->m, k = (size_t)v->costs, p = (size_t)sal_run_wrt_count(run);
    sal_status   status;

    double *impulse = r->end + 2 * n + m + k, *dimpulse = r->dend + (2 * n + m + k) * p;

    r->events = 0;
    memset(impulse, 0, sizeof(double) * m);
    if (p) memset(dimpulse, 0, sizeof(double) * m * p);
    while ((status = sal_run_step(run)) == SAL_OK || status == SAL_EVENT) {
        note_peaks(r->peak, sal_run_q(run), n);
        note_peaks(r->peak + n, sal_run_v(run), n);
        note_peaks(r->peak + 2 * n, sal_run_lambda(run), m);
        note_peaks(r->peak + 2 * n + m, sal_run_costs(run), k);
        if (status != SAL_EVENT) continue;
        if (r->events == r->room) return SAL_ERR_EVENTS;
        r->which[r->events] = sal_run_event(run).index;
        r->time[r->events]  = sal_run_time(run);
        note_momenta(v, run, r->peak + n, r->peak + 2 * n + m + k);
        if (p) memcpy(r->dtime + (size_t)r->events * p, sal_run_event_gradient(run), sizeof(double) * p);
        for (size_t i = 0; i < m; i++) impulse[i] += sal_run_event(run).impulse[i];
        for (size_t i = 0; i < m * p; i++) dimpulse[i] += sal_run_impulse_gradient(run)[i];
        r->events++;
    }
    if (status != SAL_END) return status;
    memcpy(r->end, sal_run_q(run), sizeof(double) * n);
    memcpy(r->end + n, sal_run_v(run), sizeof(double) * n);
    memcpy(r->end + 2 * n, sal_run_lambda(run), sizeof(double) * m);
    memcpy(r->end + 2 * n + m, sal_run_costs(run), sizeof(double) * k);
    if (!p) return SAL_OK;
    memcpy(r->dend + (2 * n + m) * p, sal_run_cost_gradients(run), sizeof(double) * k * p);
    return sal_run_final_gradients(run, r->dend, r->dend + n * p, r->dend + 2 * n * p); /* as differences see the end */
}

static bool same_events(const results *a, const results *b)
{
    return a->events == b->events && !memcmp(a->which, b->which, sizeof *a->which * (size_t)a->events);
}

/* The value of what is varied at its nominal place; the run is at its start. */
static double nominal(const sal_run *run, int column)
{
    const sal_wrt *w = sal_columns_wrt(run, column);

    if (w->parameter >= 0) return sal_run_parameter(run, w->parameter);
    if (w->coordinate < 0) return run->system.z[w->memory];
    return run->system.start_given[w->coordinate + (w->velocity ? run->model->n : 0)];
}

/* What it is measured by: itself, unless it is zero; an initial value by the mechanism, wherever that is. */
static double measure(sal_run *run, int column)
{
    const sal_wrt  *w     = sal_columns_wrt(run, column);
    const sal_scale scale = sal_scale_at(&run->system);
    double          size  = fabs(nominal(run, column));

    if (w->parameter < 0 && w->coordinate >= 0) size = w->velocity ? fmax(scale.speed, scale.natural) : scale.length;
    return size > 0.0 ? size : 1.0;
}

/* Estimates of all numbers at one step size; not usable when a run fails or meets other events. */
static sal_status estimate(verifier *v, sal_run *run, const char *name, double at, double h, double *out, bool *usable)
{
    static const double offset[STENCIL] = { -2.0, -1.0, 1.0, 2.0 }, weight[STENCIL] = { 1.0, -8.0, 8.0, -1.0 };

    *usable = true;
    memset(out, 0, sizeof *out * (size_t)(v->exact.room + v->size));
    for (int i = 0; i < STENCIL; i++) {
        results   *r      = &v->at[i];
        sal_status status = sal_run_set(run, name, at + offset[i] * h);
        if (status == SAL_OK) status = sal_run_restart(run);
        if (status == SAL_OK) status = record(v, run, r);
        if (status == SAL_STOPPED) return status;
        if (status == SAL_ERR_MEMORY) return sal_out_of_memory(v->model->tables->context);
        if (status != SAL_OK || !same_events(r, &v->exact)) {
            *usable = false;
            return SAL_OK;
        }
        for (int k = 0; k < r->events; k++) out[k] += weight[i] * r->time[k] / (12.0 * h);
        for (int k = 0; k < v->size; k++) out[v->exact.room + k] += weight[i] * r->end[k] / (12.0 * h);
    }
    return SAL_OK;
}

/* Of the estimates of one number, the one where its neighbours agree best with it. *spread: by how much they do not.
 * False: there are no three. */
static bool best(const verifier *v, int index, double *value, double *spread)
{
    const size_t stride = (size_t)(v->exact.room + v->size);

    *spread = HUGE_VAL;
    for (int s = 0; s + 2 < SIZES; s++) {
        const double *at = v->estimate + (size_t)s * stride + (size_t)index, a = at[0], b = at[stride],
                     c   = at[2 * stride];
        const double off = fmax(fabs(a - b), fabs(c - b));
        if (!v->usable[s] || !v->usable[s + 1] || !v->usable[s + 2] || !(off < *spread)) continue;
        *spread = off;
        *value  = b;
    }
    return *spread < HUGE_VAL;
}

/* Names of the numbers. */
static const char *describe(const verifier *v, int index, char *text, size_t room)
{
    const int n = v->n, k = index - v->exact.room;

    if (k < 0)
        snprintf(text, room, "time of event %d, %s", index + 1, sal_model_event(v->model, v->exact.which[index]));
    else if (k < n) snprintf(text, room, "%s", sal_model_coordinate(v->model, k));
    else if (k < 2 * n) snprintf(text, room, "v%s", sal_model_coordinate(v->model, k - n));
    else if (k < 2 * n + v->m) snprintf(text, room, "lambda(%s)", sal_model_constraint(v->model, k - 2 * n));
    else if (k < 2 * n + v->m + v->costs) snprintf(text, room, "cost %s", sal_model_cost(v->model, k - 2 * n - v->m));
    else snprintf(text, room, "impulses of %s", sal_model_constraint(v->model, k - 2 * n - v->m - v->costs));
    return text;
}

/* Numbers of one kind are measured by the largest of them: times, positions, velocities, multipliers, impulses
 * together, costs each by itself; and where all of them vanish by a thousandth of what they were if the quantity (of
 * impulses: the momentum that they change) were proportional to the parameter, or by what the runs resolve. */
static void group_of(const verifier *v, int index, int *from, int *to)
{
    const int first = v->exact.room, n = v->n, k = index - first;

    *from = index;
    *to   = index + 1;
    if (k < 0) *from = 0, *to = v->exact.events;
    else if (k < n) *from = first, *to = first + n;
    else if (k < 2 * n) *from = first + n, *to = first + 2 * n;
    else if (k < 2 * n + v->m) *from = first + 2 * n, *to = first + 2 * n + v->m;
    else if (k >= 2 * n + v->m + v->costs) *from = first + 2 * n + v->m + v->costs, *to = first + v->size;
}

static double exact_at(const verifier *v, int index, int column)
{
    const int p = v->p;

    return index < v->exact.room ? v->exact.dtime[index * p + column]
                                 : v->exact.dend[(index - v->exact.room) * p + column];
}

/* How large the number was, at the end or before. */
static double size_at(const verifier *v, int index)
{
    const int k = index - v->exact.room;

    return k < 0 ? fabs(v->exact.time[index]) : fmax(fabs(v->exact.end[k]), v->exact.peak[k]);
}

static bool is_impulse(const verifier *v, int index)
{
    return index >= v->exact.room + 2 * v->n + v->m + v->costs;
}

static bool is_cost(const verifier *v, int index)
{
    const int k = index - v->exact.room - 2 * v->n - v->m;

    return k >= 0 && k < v->costs;
}

static void compare(const verifier *v, int column, const char *wrt, double tolerance, sal_verify_report report,
                    void *user, int *bad)
{
    const double size = v->measure[column];

    for (int k = 0; k < v->exact.room + v->size; k++) {
        char            text[200];
        int             from, to;
        double          scale = 0.0, spread;
        sal_verify_item item  = { .wrt = wrt, .exact = exact_at(v, k, column) };
        if (k >= v->exact.events && k < v->exact.room) continue;
        if (is_impulse(v, k) && (v->exact.events == 0 || v->vertices)) continue;
        if (v->adjoint && !(is_cost(v, k) && v->swept[k - v->exact.room - 2 * v->n - v->m])) continue;
        group_of(v, k, &from, &to);
        for (int i = from; i < to; i++) {
            scale = fmax(scale, fabs(exact_at(v, i, column)));
            scale = fmax(scale, SAL_VERIFY_LEAST * size_at(v, i) / size);
        }
        scale           = fmax(scale, v->opts.atol / size); /* at rest all are zero but for rounding */
        item.what       = describe(v, k, text, sizeof text);
        item.known      = best(v, k, &item.numeric, &spread);
        scale           = fmax(scale, fabs(item.numeric));
        item.difference = !item.known ? NAN : scale > 0.0 ? fabs(item.exact - item.numeric) / scale : 0.0;
        item.good       = item.known && item.difference <= tolerance;
        if (!item.good && item.known) item.known = fabs(item.exact - item.numeric) > SAL_VERIFY_NOISE * spread;
        *bad += !item.good;
        report(user, &item);
    }
}

/* All step sizes for one parameter, in a run of its own: nothing of it is left for the next. */
static sal_status differentiate(verifier *v, const char *name, int column)
{
    const size_t stride = (size_t)(v->exact.room + v->size);
    double       h      = FIRST_STEP * v->measure[column];
    sal_run     *run;
    sal_status   status = sal_run_create(v->model, &v->opts, &run);

    if (status != SAL_OK) return status;
    for (int s = 0; s < SIZES && status == SAL_OK; s++, h *= 0.25)
        status = estimate(v, run, name, v->nominal[column], h, v->estimate + (size_t)s * stride, &v->usable[s]);
    sal_run_destroy(&run);
    return status;
}

/* The run with sensitivities; its failures are the context's. */
static sal_status record_exact(verifier *v, sal_run *run)
{
    sal_context *context = v->model->tables->context;
    sal_status   status  = record(v, run, &v->exact);

    if (status == SAL_ERR_EVENTS && v->exact.events == v->exact.room)
        return sal_fail(context, status, "more than %d events", v->exact.room);
    if (status == SAL_STOPPED) return status;
    if (status < 0) return sal_fail(context, status, "%s", sal_run_message(run));
    if (sal_run_wrt_invalid(run)[0]) return sal_fail(context, SAL_ERR_NUMBER, "%s", sal_run_wrt_invalid(run));
    return SAL_OK;
}

/* The adjoint's gradients, of a run on the steps that the one with sensitivities takes. */
static sal_status sweep(verifier *v, const char *const *costs, int ncosts)
{
    sal_adjoint_opts o       = sal_adjoint_defaults();
    sal_run_opts     plain   = v->opts;
    sal_adjoint     *adjoint = NULL;
    sal_run         *run;
    sal_status       status;

    o.wrt       = v->opts.wrt;
    o.nwrt      = v->opts.nwrt;
    o.costs     = costs;
    o.ncosts    = ncosts;
    plain.nwrt  = 0;
    plain.quiet = true;
    status      = sal_run_create(v->model, &plain, &run);
    if (status == SAL_OK) status = sal_adjoint_create(run, &o, &adjoint);
    if (status == SAL_OK) {
        status = sal_simulate(run, (sal_reader[]){ sal_adjoint_reader(adjoint) }, 1);
        if (status < 0) sal_fail(v->model->tables->context, status, "%s", sal_run_message(run));
    }
    if (status == SAL_END) status = sal_adjoint_sweep(adjoint);
    for (int k = 0; status == SAL_OK && sal_adjoint_cost(adjoint, k); k++) {
        int to = 0;
        while (strcmp(sal_model_cost(v->model, to), sal_adjoint_cost(adjoint, k)) != 0) to++;
        v->swept[to] = true;
        memcpy(v->gradient + to * v->p, sal_adjoint_gradient(adjoint, k), sizeof *v->gradient * (size_t)v->p);
    }
    sal_adjoint_destroy(&adjoint);
    sal_run_destroy(&run);
    return status;
}

/* The adjoint's gradients against those of the tangent, which they take the place of. */
static void take_adjoint(verifier *v, sal_verify_report report, void *user, int *bad)
{
    double *exact = v->exact.dend + (2 * v->n + v->m) * v->p;

    for (int k = 0; k < v->costs; k++) {
        double most = SAL_VERIFY_LEAST * v->exact.peak[2 * v->n + v->m + k];
        if (!v->swept[k]) continue;
        for (int c = 0; c < v->p; c++) most = fmax(most, fabs(exact[k * v->p + c]));
        for (int c = 0; c < v->p; c++) {
            char            text[200];
            const double    own = v->gradient[k * v->p + c], other = exact[k * v->p + c];
            sal_verify_item item = { .wrt = v->opts.wrt[c], .exact = own, .numeric = other, .known = true };
            snprintf(text, sizeof text, "cost %s, by tangents", sal_model_cost(v->model, k));
            item.what       = text;
            item.difference = most > 0.0 ? fabs(own - other) / most : 0.0;
            item.good       = item.difference <= SAL_VERIFY_ADJOINT;
            *bad += !item.good;
            report(user, &item);
        }
        memcpy(exact + k * v->p, v->gradient + k * v->p, sizeof *exact * (size_t)v->p);
    }
}

static sal_status verify(const sal_model *model, const sal_run_opts *opts, bool adjoint, const char *const *costs,
                         int ncosts, double tolerance, sal_verify_report report, void *user, int *bad)
{
    enum { EVENTS_MAX = 1000 };
    const sal_model_info info  = sal_model_get_info(model);
    verifier             v     = { .model = model, .n = info.coordinates, .m = info.constraints, .costs = info.costs };
    sal_run             *exact = NULL;
    sal_status           status;

    *bad      = 0;
    v.adjoint = adjoint;
    status    = sal_run_read_opts(model->tables->context, opts, &v.opts);
    if (status != SAL_OK) return status;
    v.opts.rtol             = v.opts.rtol > 0.0 && v.opts.rtol < 1e-12 ? v.opts.rtol : 1e-12;
    v.opts.atol             = v.opts.rtol;
    v.opts.wrt_uncontrolled = v.opts.wrt_uncontrolled || adjoint; /* on the same steps... */
    if (v.opts.form < 0) v.opts.form = model->tables->simulation.form;
    if (v.opts.integrator < 0) v.opts.integrator = model->tables->simulation.integrator;
    if (v.opts.integrator == SAL_AUTO && v.opts.form != SAL_INDEX3 && adjoint)
        v.opts.integrator = SAL_RK8; /* ...which are explicit */
    v.size = 2 * v.n + 2 * v.m + v.costs;
    v.p    = v.opts.nwrt;
    sal_pool_init(&v.pool, model->tables->context);
    allocate_results(&v, &v.exact, EVENTS_MAX, v.p);
    for (int i = 0; i < STENCIL; i++) allocate_results(&v, &v.at[i], EVENTS_MAX, 0);
    v.estimate = SAL_NEW(&v.pool, double, SIZES *(EVENTS_MAX + v.size));
    v.nominal  = SAL_NEW(&v.pool, double, v.p);
    v.measure  = SAL_NEW(&v.pool, double, v.p);
    v.swept    = SAL_NEW(&v.pool, bool, v.costs);
    v.gradient = SAL_NEW(&v.pool, double, v.costs *v.p);
    status     = v.pool.failed ? sal_out_of_memory(model->tables->context) : sal_run_create(model, &v.opts, &exact);
    for (int c = 0; c < v.p && status == SAL_OK; c++) {
        v.nominal[c] = nominal(exact, c);
        v.measure[c] = measure(exact, c);
    }
    if (status == SAL_OK && adjoint) status = sweep(&v, costs, ncosts); /* first: it may refuse */
    if (status == SAL_OK) status = record_exact(&v, exact);
    if (status == SAL_OK && adjoint) take_adjoint(&v, report, user, bad);
    v.vertices   = status == SAL_OK && sal_run_impulses_of_vertices(exact);
    v.opts.nwrt  = 0;
    v.opts.quiet = true; /* once is enough */
    for (int c = 0; c < v.p && status == SAL_OK; c++) {
        const char *name = sal_run_wrt(exact, c);
        status           = differentiate(&v, name, c);
        if (status == SAL_OK) compare(&v, c, name, tolerance, report, user, bad);
    }
    sal_run_destroy(&exact);
    sal_pool_free(&v.pool);
    return status;
}

sal_status sal_verify(const sal_model *model, const sal_run_opts *opts, double tolerance, sal_verify_report report,
                      void *user, int *bad)
{
    return verify(model, opts, false, NULL, 0, tolerance, report, user, bad);
}

sal_status sal_verify_adjoint(const sal_model *model, const sal_run_opts *opts, const char *const *costs, int ncosts,
                              double tolerance, sal_verify_report report, void *user, int *bad)
{
    return verify(model, opts, true, costs, ncosts, tolerance, report, user, bad);
}
