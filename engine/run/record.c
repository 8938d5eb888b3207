/* record.c - the motion of a run, kept, so that anything can be asked about it afterwards.
 *
 * A sample is a row of numbers, one behind the other,
 *
 *     t | segment | q v a | lambda | costs | Q V A | Lambda | derivatives of the costs
 *
 * and all that expressions can read besides: the slots of z behind the coordinates, with their rates and derivatives
 * (parameters, memory, what is prescribed, turns). These hardly ever change: they are kept once, and again when they
 * do. Time, which does, is known.
 *
 * The state before an event is that at the end of the step that leads to it: it is taken when an event is pending, and
 * given back when its guard passes it over. */
#include <math.h>
#include <string.h>

#include "engine/run/run.h"
#include "engine/base/vector.h"

/* An array that grows, in a pool of its own. */
typedef struct rows {
    sal_pool pool;
    double  *at;
    int      n, room;
    size_t   width;
} rows;

typedef struct layout { /* of a row */
    size_t q, v, a, lambda, costs, Q, V, A, Lambda, Costs, width;
} layout;

enum { TIME, SEGMENT, FIRST }; /* places in a row */

struct sal_record {
    sal_context     *context;
    sal_pool         pool, moments;
    const sal_model *model;
    int              p;
    layout           in;
    rows             sample, rest;
    SAL_VEC(int) of; /* [samples] which rest */
    SAL_VEC(sal_record_event) event;
    double    *now; /* a rest in the making */
    int        segment;
    int        valid;     /* samples before derivatives stopped being valid */
    bool       tentative; /* the last sample is one before an event that may not happen */
    sal_status status;
};

/* ------------------------------------------------------------------------------------------ memory */

static void rows_init(rows *r, sal_context *context, size_t width)
{
    sal_pool_init(&r->pool, context);
    r->width = width;
}

/* The address of a new last row, NULL when out of memory. */
static double *rows_add(rows *r, int expected)
{
    if (r->n == r->room) {
        const int room = r->room ? 2 * r->room : expected;
        sal_pool  pool;
        double   *at;

        sal_pool_init(&pool, r->pool.context);
        at = SAL_NEW(&pool, double, (size_t)room * r->width);
        if (!at) return NULL;
        if (r->n) memcpy(at, r->at, sizeof *at * (size_t)r->n * r->width);
        sal_pool_free(&r->pool);
        r->pool = pool;
        r->at   = at;
        r->room = room;
    }
    return r->at + (size_t)r->n++ * r->width;
}

static double *row_of(const rows *r, int k)
{
    return r->at + (size_t)k * r->width;
}

static layout lay_out(const sal_model *model, int p)
{
    const size_t n = (size_t)model->n, m = (size_t)model->m, c = (size_t)model->tables->costs.n, w = (size_t)p;
    layout       in = { .q = FIRST };

    in.v      = in.q + n;
    in.a      = in.v + n;
    in.lambda = in.a + n;
    in.costs  = in.lambda + m;
    in.Q      = in.costs + c;
    in.V      = in.Q + n * w;
    in.A      = in.V + n * w;
    in.Lambda = in.A + n * w;
    in.Costs  = in.Lambda + m * w;
    in.width  = in.Costs + c * w;
    return in;
}

sal_status sal_record_create(const sal_run *run, sal_record **record)
{
    const sal_model *model = run->model;
    const size_t     rest  = 3 * (size_t)(model->nz - model->n) * (size_t)(1 + run->all);
    sal_pool         pool;
    sal_record      *r;

    *record = NULL;
    sal_pool_init(&pool, run->context);
    r = SAL_NEW(&pool, sal_record, 1);
    if (r) r->now = SAL_NEW(&pool, double, rest);
    if (pool.failed) {
        sal_pool_free(&pool);
        return sal_out_of_memory(run->context);
    }
    r->context = run->context;
    r->pool    = pool;
    r->model   = model;
    r->p       = run->all;
    r->in      = lay_out(model, run->all);
    rows_init(&r->sample, run->context, r->in.width);
    rows_init(&r->rest, run->context, rest);
    sal_pool_init(&r->moments, run->context);
    *record = r;
    return SAL_OK;
}

void sal_record_destroy(sal_record **record)
{
    sal_record *r = *record;
    sal_pool    pool;

    *record = NULL;
    if (!r) return;
    sal_pool_free(&r->sample.pool);
    sal_pool_free(&r->rest.pool);
    sal_pool_free(&r->moments);
    pool = r->pool; /* the record itself lies in it */
    sal_pool_free(&pool);
}

/* ----------------------------------------------------------------------------------------- keeping */

static double *put(double *to, const double *from, size_t count)
{
    if (count) memcpy(to, from, sizeof *to * count);
    return to + count;
}

/* What does not change with time alone: z, zd, zdd behind the coordinates and their derivatives. */
static void take_rest(sal_record *r, const sal_shown *x)
{
    const size_t n = (size_t)r->model->n, w = (size_t)r->p, count = (size_t)r->model->nz - n;
    double      *to = r->now;

    to = put(to, x->z + n, count);
    to = put(to, x->zd + n, count);
    to = put(to, x->zdd + n, count);
    if (w) {
        to = put(to, x->dz + n * w, count * w);
        to = put(to, x->dzd + n * w, count * w);
        put(to, x->dzdd + n * w, count * w);
    }
    r->now[(size_t)r->model->tables->time - n] = 0.0;
}

/* The number of the rest at hand, new or as it was; -1: out of memory. */
static int keep_rest(sal_record *r)
{
    const int last = r->rest.n - 1;
    double   *to;

    if (last >= 0 && !memcmp(row_of(&r->rest, last), r->now, sizeof *r->now * r->rest.width)) return last;
    to = rows_add(&r->rest, 4);
    if (!to) return -1;
    put(to, r->now, r->rest.width);
    return last + 1;
}

static void put_derivatives(const sal_record *r, const sal_run *run, double *row)
{
    const sal_shown *x  = &run->shown;
    const layout    *in = &r->in;
    const size_t     n = (size_t)r->model->n * (size_t)r->p, m = (size_t)r->model->m * (size_t)r->p;

    if (run->invalid[0]) {
        for (size_t k = in->Q; k < in->width; k++) row[k] = NAN;
        return;
    }
    put(row + in->Q, x->dz, n);
    put(row + in->V, x->dzd, n);
    put(row + in->A, x->dzdd, n);
    put(row + in->Lambda, x->dlambda, m);
    put(row + in->Costs, x->dcost, in->width - in->Costs);
}

/* How many samples a run will have, roughly. */
static int expected_samples(const sal_run *run)
{
    const double interval = sal_run_output_interval(run), count = run->output.n    ? run->output.n
                                                                  : interval > 0.0 ? run->t_end / interval
                                                                                   : 0.0;

    return (int)fmin(count, 1e5) + 40;
}

static sal_status fail(sal_record *r)
{
    return r->status = sal_out_of_memory(r->context);
}

static sal_status keep(sal_record *r, const sal_run *run)
{
    const size_t     n = (size_t)r->model->n, m = (size_t)r->model->m;
    const sal_shown *x  = &run->shown;
    const layout    *in = &r->in;
    double          *row;
    int              rest, *of;

    if (r->status != SAL_OK) return r->status;
    take_rest(r, x);
    rest = keep_rest(r);
    row  = rest < 0 ? NULL : rows_add(&r->sample, expected_samples(run));
    if (!row) return fail(r);
    of = SAL_PUSH(&r->moments, &r->of);
    if (!of) return r->sample.n--, fail(r);
    *of          = rest;
    row[TIME]    = x->t;
    row[SEGMENT] = r->segment;
    put(row + in->q, x->z, n);
    put(row + in->v, x->zd, n);
    put(row + in->a, x->zdd, n);
    put(row + in->lambda, x->lambda, m);
    put(row + in->costs, x->cost, in->Q - in->costs);
    if (r->p) put_derivatives(r, run, row);
    if (!run->invalid[0]) r->valid = r->sample.n;
    r->tentative = false;
    return SAL_OK;
}

/* Whether the state shown has been kept last: nothing has happened since, by time or by events. */
static bool is_kept(const sal_record *r, const sal_run *run)
{
    const double *last = r->sample.n ? row_of(&r->sample, r->sample.n - 1) : NULL;

    return last && last[TIME] == run->shown.t && last[SEGMENT] == r->segment;
}

static sal_status keep_contacts(sal_record *r, const sal_run *run, sal_record_event *e)
{
    sal_event_contact  c;
    sal_event_contact *contact;

    while (sal_run_event_contact(run, e->contacts, &c)) e->contacts++;
    contact = SAL_NEW(&r->moments, sal_event_contact, e->contacts);
    if (e->contacts && !contact) return fail(r);
    for (int k = 0; k < e->contacts; k++) sal_run_event_contact(run, k, &contact[k]);
    e->contact = contact;
    return SAL_OK;
}

static const double *copy(sal_record *r, const double *from, size_t count, bool valid)
{
    double *to = SAL_NEW(&r->moments, double, count);

    for (size_t k = 0; k < count && to; k++) to[k] = valid ? from[k] : NAN;
    return to;
}

static sal_status keep_event(sal_record *r, const sal_run *run)
{
    const sal_event_info info = sal_run_event(run);
    const size_t         m = (size_t)r->model->m, p = (size_t)r->p;
    const double         energy = sal_run_energy(run);
    const bool           valid  = run->invalid[0] == '\0';
    sal_record_event    *e      = SAL_PUSH(&r->moments, &r->event);

    if (!e) return fail(r);
    *e         = (sal_record_event){ .index        = info.index,
                                     .name         = info.name,
                                     .sample       = r->sample.n - 1,
                                     .time         = info.time,
                                     .rate         = info.rate,
                                     .energy       = energy,
                                     .energy_lost  = info.energy_before - energy,
                                     .energy_added = info.energy_added,
                                     .grazing      = info.grazing,
                                     .stop         = info.stop,
                                     .closed       = info.closed };
    e->impulse = copy(r, info.impulse, m, true);
    if (p) {
        e->gradient         = copy(r, sal_run_event_gradient(run), p, valid);
        e->impulse_gradient = copy(r, sal_run_impulse_gradient(run), m * p, valid);
    }
    return r->moments.failed ? fail(r) : keep_contacts(r, run, e);
}

/* ----------------------------------------------------------------------------------------- reading */

static void drop_tentative(sal_record *r)
{
    if (!r->tentative) return;
    r->sample.n--;
    r->of.n--;
    r->tentative = false;
}

static void told_start(void *self, const sal_run *run)
{
    sal_record *r = self;

    (void)run;
    sal_pool_free(&r->moments);
    memset(&r->of, 0, sizeof r->of);
    memset(&r->event, 0, sizeof r->event);
    r->sample.n = r->rest.n = r->segment = r->valid = 0;
    r->tentative                                    = false;
    r->status                                       = SAL_OK;
}

static void told_output(void *self, const sal_run *run)
{
    sal_record *r = self;

    drop_tentative(r);
    if (!is_kept(r, run)) keep(r, run);
}

/* An event is about to happen: what is shown is the state before it. */
static void told_step(void *self, const sal_run *run)
{
    sal_record *r = self;

    drop_tentative(r);
    if (run->find.pending.event < 0 || is_kept(r, run) || keep(r, run) != SAL_OK) return;
    r->tentative = true;
}

static void told_event(void *self, const sal_run *run)
{
    sal_record *r = self;

    r->tentative = false;
    r->segment++;
    if (keep(r, run) == SAL_OK) keep_event(r, run);
}

static void told_end(void *self, const sal_run *run, sal_status status)
{
    sal_record *r = self;

    drop_tentative(r);
    if ((status == SAL_END || status == SAL_STOPPED) && !run->output.n && !is_kept(r, run)) keep(r, run);
}

sal_reader sal_record_reader(sal_record *record)
{
    return (sal_reader){ .self   = record,
                         .start  = told_start,
                         .output = told_output,
                         .event  = told_event,
                         .step   = told_step,
                         .end    = told_end };
}

sal_record_info sal_record_get_info(const sal_record *r)
{
    const double   *x    = r->sample.at;
    sal_record_info info = {
        .status = r->status, .samples = r->sample.n - r->tentative, .events = r->event.n, .stride = r->in.width
    };

    if (!r->sample.n) return info;
    info.t       = x + TIME;
    info.segment = x + SEGMENT;
    info.q       = x + r->in.q;
    info.v       = x + r->in.v;
    info.a       = x + r->in.a;
    info.lambda  = x + r->in.lambda;
    info.costs   = x + r->in.costs;
    if (!r->p) return info;
    info.Q              = x + r->in.Q;
    info.V              = x + r->in.V;
    info.A              = x + r->in.A;
    info.Lambda         = x + r->in.Lambda;
    info.cost_gradients = x + r->in.Costs;
    return info;
}

bool sal_record_get_event(const sal_record *r, int index, sal_record_event *event)
{
    if (index < 0 || index >= r->event.n) return false;
    *event = r->event.at[index];
    return true;
}

/* ------------------------------------------------------------------------------------- expressions */

/* A sample as arrays again, [nz] and [nz][p], with workspace for programs. */
typedef struct scene_of { /* what sal_view looks at */
    sal_pool    pool;
    sal_system  system;
    sal_tangent tangent;
    double     *z[3], *dz[3], *value, *first, *energy;
} scene_of;

static bool take_scene(scene_of *s, const sal_record *r, int nodes)
{
    const int nz = r->model->nz, masses = r->model->tables->masses.n, longest = r->model->program_max;

    *s = (scene_of){ 0 };
    sal_pool_init(&s->pool, r->context);
    if (nodes < longest) nodes = longest; /* energies that it may read are programs of the model */
    for (int k = 0; k < 3; k++) {
        s->z[k]  = SAL_NEW(&s->pool, double, nz);
        s->dz[k] = SAL_NEW(&s->pool, double, nz * r->p);
    }
    s->value        = SAL_NEW(&s->pool, double, nodes);
    s->first        = SAL_NEW(&s->pool, double, nodes);
    s->energy       = SAL_NEW(&s->pool, double, r->p + 1);
    s->system.model = r->model;
    s->system.mass  = SAL_NEW(&s->pool, double, masses);
    s->tangent.p    = r->p;
    s->tangent.mass = SAL_NEW(&s->pool, double, masses * r->p);
    return !s->pool.failed;
}

/* Slots behind the coordinates, and the masses, which are among them. */
static void set_rest(scene_of *s, const sal_record *r, int rest)
{
    const sal_tables *tables = r->model->tables;
    const size_t      n = (size_t)r->model->n, w = (size_t)r->p, count = (size_t)r->model->nz - n;
    const double     *from = row_of(&r->rest, rest);

    for (int k = 0; k < 3; k++, from += count) put(s->z[k] + n, from, count);
    for (int k = 0; k < 3 && w; k++, from += count * w) put(s->dz[k] + n * w, from, count * w);
    for (int k = 0; k < tables->masses.n; k++) {
        s->system.mass[k] = s->z[0][tables->masses.at[k].value];
        if (w) put(SAL_ROW(s->tangent.mass, k, r->p), SAL_ROW(s->dz[0], tables->masses.at[k].value, r->p), w);
    }
}

static sal_view set_sample(scene_of *s, const sal_record *r, int sample)
{
    const size_t  n = (size_t)r->model->n, w = (size_t)r->p;
    const double *row = row_of(&r->sample, sample);
    const layout *in  = &r->in;

    if (sample == 0 || r->of.at[sample] != r->of.at[sample - 1]) set_rest(s, r, r->of.at[sample]);
    for (size_t k = 0; k < 3; k++) {
        put(s->z[k], row + in->q + k * n, n);
        if (w) put(s->dz[k], row + in->Q + k * n * w, n * w);
    }
    s->z[0][r->model->tables->time] = row[TIME];
    return (sal_view){ .system  = &s->system,
                       .tangent = w ? &s->tangent : NULL,
                       .z       = s->z[0],
                       .zd      = s->z[1],
                       .zdd     = s->z[2],
                       .lambda  = row + in->lambda,
                       .dz      = s->dz[0],
                       .dzd     = s->dz[1],
                       .dzdd    = s->dz[2],
                       .dlambda = row + in->Lambda };
}

static void gradient_at(const sal_record *r, int sample, const sal_view *view, const sal_program *program, scene_of *s,
                        double *gradient)
{
    if (sample < r->valid) sal_view_gradient(view, program, s->value, s->first, s->energy, gradient);
    for (int c = 0; c < r->p && sample >= r->valid; c++) gradient[c] = NAN;
}

static sal_status evaluate(const sal_record *r, const sal_program *program, double *values, double *gradients)
{
    scene_of s;

    if (gradients && !r->p)
        return sal_fail(r->context, SAL_ERR_ARGUMENT, "the record has no sensitivities: none were asked for");
    if (!take_scene(&s, r, program->n)) {
        sal_pool_free(&s.pool);
        return sal_out_of_memory(r->context);
    }
    for (int k = 0; k < r->sample.n - r->tentative; k++) {
        const sal_view view = set_sample(&s, r, k);
        if (values) values[k] = sal_view_value(&view, program, s.value);
        if (gradients) gradient_at(r, k, &view, program, &s, gradients + (size_t)k * (size_t)r->p);
    }
    sal_pool_free(&s.pool);
    return SAL_OK;
}

sal_status sal_record_probe(const sal_record *record, const sal_probe *probe, double *values, double *gradients)
{
    if (record->model != probe->model)
        return sal_fail(record->context, SAL_ERR_ARGUMENT, "the expression was made for another model");
    return evaluate(record, &probe->program, values, gradients);
}

sal_status sal_record_output(const sal_record *record, int index, double *values, double *gradients)
{
    const sal_tables *tables = record->model->tables;

    if (index < 0 || index >= tables->outputs.n)
        return sal_fail(record->context, SAL_ERR_ARGUMENT, "output %d does not exist; there are %d", index,
                        tables->outputs.n);
    return evaluate(record, &tables->outputs.at[index].program, values, gradients);
}
