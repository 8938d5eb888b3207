/* state.c - all that a run needs to go on from the end of its current step, as bytes: saved, and loaded into another
 * run of
 * the same model, which then goes on bit for bit the same.
 *
 * That takes more than t, q, v and the mode: the length of the next step, what is known of event functions, and the
 * pivots of the factors, which are chosen anew now and then and decide on rounding errors (they are found again from
 * the
 * matrix that they were chosen for). Numbers are as they are in memory: for the same kind of machine and version. */
#include <string.h>

#include "engine/run/run.h"

typedef enum walk { COUNT, WRITE, READ } walk;

typedef struct archive {
    walk           what;
    unsigned char *at;
    size_t         used, room;
    int            p; /* columns of derivatives: the run's, or none */
} archive;

static void item(archive *a, void *memory, size_t bytes)
{
    if (bytes == 0) return;
    if (a->what != COUNT) SAL_ASSERT(a->used + bytes <= a->room);
    if (a->what == WRITE) memcpy(a->at + a->used, memory, bytes);
    if (a->what == READ) memcpy(memory, a->at + a->used, bytes);
    a->used += bytes;
}

#define ITEM(x)         item(a, &(x), sizeof(x))
#define ARRAY(x, count) item(a, (x), sizeof *(x) * (size_t)(count))

static void walk_mode(archive *a, sal_row_mode *mode)
{
    ARRAY(mode->held, mode->rows);
    ARRAY(mode->acts, mode->rows);
    ITEM(mode->couplings);
    ARRAY(mode->coupling, mode->rows);
    ITEM(mode->portions);
    ARRAY(mode->portion, mode->rows);
}

static void walk_factors(archive *a, sal_kkt *kkt)
{
    ARRAY(kkt->Ax, kkt->pattern->nnz);
    ARRAY(kkt->pivoted, kkt->pattern->nnz);
    ARRAY(kkt->scale, kkt->pattern->size);
    ARRAY(kkt->factor, kkt->pattern->nentry);
    ITEM(kkt->rcond);
    ITEM(kkt->factorizations);
    ITEM(kkt->full);
}

static void walk_system(archive *a, sal_run *run)
{
    sal_system *s  = &run->system;
    const int   nz = run->model->nz, m = run->model->m;

    ARRAY(s->z, nz);
    ARRAY(s->zd, nz);
    ARRAY(s->zdd, nz);
    ARRAY(s->lambda, m);
    walk_mode(a, &s->mode);
    walk_mode(a, &s->prepared_for);
    ITEM(s->prepared);
    ITEM(s->shares);
    ITEM(s->near);
    ITEM(s->plainly);
    ITEM(s->usual);
    ITEM(s->least);
    ARRAY(s->share, m);
    ARRAY(s->soft, m);
    ARRAY(s->about, m);
    ARRAY(s->open, m);
    ITEM(s->length);
    walk_factors(a, &s->motion);
    for (int e = 0; e < run->model->tables->events.n; e++) walk_factors(a, &s->jump[e]);
}

static void walk_finder(archive *a, sal_run *run)
{
    sal_finder *f = &run->find;
    const int   n = run->model->tables->events.n;

    ARRAY(f->arming, n);
    ARRAY(f->tolerance, n);
    ARRAY(f->below, n);
    ARRAY(f->noise, n);
    ARRAY(f->hop, n);
    ARRAY(f->held, n);
    ARRAY(f->handled, n);
    ARRAY(f->due, n);
    ITEM(f->pending);
}

static void walk_record(archive *a, sal_run *run)
{
    sal_event_record *r = &run->record;
    const int         n = run->model->n, m = run->model->m, p = a->p;

    ITEM(r->info.index);
    ITEM(r->info.time);
    ITEM(r->info.rate);
    ITEM(r->info.grazing);
    ITEM(r->info.stop);
    ITEM(r->info.energy_before);
    ITEM(r->info.closed);
    ITEM(r->info.energy_added);
    ITEM(r->pending);
    walk_mode(a, &r->mode);
    walk_mode(a, &r->after);
    ARRAY(r->z, run->model->nz);
    ARRAY(r->v, n);
    ARRAY(r->a, n);
    ARRAY(r->lambda, m);
    ARRAY(r->outputs, run->model->tables->outputs.n);
    ARRAY(r->reactions, run->model->tables->reactions.n);
    ARRAY(run->contacts.impulse, m);
    ARRAY(run->contacts.part, run->model->tables->touches.n);
    ARRAY(run->contacts.put, run->model->tables->touches.n);
    ITEM(run->contacts.shared);
    ITEM(run->contacts.vertices);
    ITEM(run->contacts.choice);
    ITEM(run->contacts.jam);
    ARRAY(run->contacts.began, run->model->tables->touches.n);
    ARRAY(run->contacts.slow, run->model->tables->touches.n);
    ARRAY(run->contacts.jammed, run->model->tables->touches.n);
    ARRAY(run->contacts.scrapes, run->model->tables->touches.n);
    ITEM(run->contacts.gradual);
    ARRAY(r->Q, n * p);
    ARRAY(r->V, n * p);
    ARRAY(r->Lambda, m * p);
    ARRAY(r->tau, p);
    ARRAY(r->tau_parts, p);
    ARRAY(run->contacts.impulse_change, m * p);
    ARRAY(run->told_event.Q, n * p);
    ARRAY(run->told_event.V, n * p);
    ARRAY(run->told_event.Lambda, m * p);
    ARRAY(run->told_event.tau, p);
    ARRAY(run->told_event.impulse_change, m * p);
}

static void walk_tangent(archive *a, sal_run *run)
{
    sal_tangent *t    = &run->tangent;
    const int    rows = run->model->nz * run->all;

    ARRAY(t->z, rows);
    ARRAY(t->zd, rows);
    ARRAY(t->zdd, rows);
    ARRAY(t->lambda, run->model->m * run->all);
    ARRAY(t->share, run->model->m * run->all);
    ARRAY(run->tau_end, run->all);
    ARRAY(run->end.A, run->model->n * run->all);
    ARRAY(run->end.Lambda, run->model->m * run->all);
    ITEM(run->wrt_phi);
    ITEM(run->wrt_phidot);
    ITEM(run->invalid);
    ITEM(run->note);
}

static void walk_instants(archive *a, sal_run *run)
{
    sal_instants     *x     = &run->instants;
    const sal_tables *t     = run->model->tables;
    const int         costs = t->costs.n;

    for (int k = 0; k < costs; k++) { /* without what lies between its members */
        ITEM(x->peak[k].value);
        ITEM(x->peak[k].time);
        ITEM(x->peak[k].place);
    }
    ARRAY(x->peak_change, costs * a->p);
    ARRAY(x->rate, costs);
    ARRAY(x->sum, costs);
    ARRAY(x->sum_change, costs * a->p);
    ARRAY(x->reached, t->cost_times.n);
    ARRAY(x->happened, t->event_costs.n);
}

static void walk_run(archive *a, sal_run *run)
{
    sal_stepper *s = &run->stepper;
    const int    n = a->p ? s->n : sal_run_state_size(run);

    ITEM(run->t1);
    ITEM(run->t_step);
    ITEM(run->h_next);
    ITEM(run->straight);
    ITEM(run->passing);
    ITEM(run->ended);
    ITEM(run->same_time);
    ITEM(run->busy_since);
    ITEM(run->segment_energy);
    ITEM(run->stats);
    ITEM(run->health);
    ITEM(run->stiff);
    ITEM(run->automatic);
    ARRAY(run->jumped, run->works.n);
    ARRAY(run->clear, run->model->tables->touches.n);
    ARRAY(run->stored, run->works.n);
    ARRAY(run->end.a, run->model->n);
    ARRAY(run->end.lambda, run->model->m);
    ITEM(run->end.left_out);
    ITEM(s->h);
    ITEM(s->evaluations);
    ARRAY(s->y1, n);
    ARRAY(s->ops->slope(s, s->h > 0.0), n); /* the step begins with it or ends with it */
    if (s->ops->kept) ARRAY(s->ops->kept(s), s->ops->keeps(s));
}

/* What the numbers are set from: the run is restarted with these first. */
static void walk_start(archive *a, sal_run *run)
{
    ARRAY(run->given, run->model->tables->parameters.n);
    ARRAY(run->initial_q, run->model->n);
    ARRAY(run->initial_v, run->model->n);
    ITEM(run->start.t);
    ARRAY(run->start.memory, run->model->tables->memory.n);
    ARRAY(run->start.closed, run->model->tables->touches.n);
}

/* How many columns are in use; arrays are saved as they lie in memory, with room for all of them. */
static void walk_columns(archive *a, sal_run *run)
{
    int p = run->p;

    ITEM(p);
    if (a->what == READ) sal_columns_widen(run, p); /* it has just been restarted, with fewer */
}

static void walk_state(archive *a, sal_run *run)
{
    if (a->p) walk_columns(a, run);
    walk_run(a, run);
    walk_system(a, run);
    walk_finder(a, run);
    walk_record(a, run);
    walk_instants(a, run);
    if (a->p) walk_tangent(a, run);
}

/* ------------------------------------------------------------------------------------------ header */

static uint64_t hash_name(uint64_t hash, const char *name)
{
    return sal_hash(hash, name, strlen(name) + 1);
}

typedef struct header {
    char     magic[8];
    uint64_t model;    /* what it consists of, by names */
    uint64_t kind;     /* form, integrator, what is differentiated with respect to */
    uint64_t contents; /* of what follows */
    uint64_t size;     /* bytes in all */
    uint64_t implicit; /* such an integrator is in use */
} header;

static header header_of(const sal_run *run)
{
    const sal_model *model = run->model;
    header           h     = { .magic = "SALRUN1" };

    h.model = h.kind = SAL_HASH_EMPTY;
    for (int k = 0; k < model->n; k++) h.model = hash_name(h.model, model->coordinate[k]);
    for (int k = 0; k < model->m; k++) h.model = hash_name(h.model, model->tables->rows.at[k].name);
    for (int k = 0; k < model->tables->parameters.n; k++)
        h.model = hash_name(h.model, model->tables->parameters.at[k].name);
    for (int k = 0; k < model->tables->events.n; k++) h.model = hash_name(h.model, model->tables->events.at[k].name);
    h.kind = sal_hash(h.kind, &run->opts.form, sizeof run->opts.form);
    h.kind = sal_hash(h.kind, &run->opts.stabilization, sizeof run->opts.stabilization);
    h.kind = sal_hash(h.kind, &run->opts.partitioned, sizeof run->opts.partitioned);
    h.kind = sal_hash(h.kind, &run->opts.wrt_uncontrolled, sizeof run->opts.wrt_uncontrolled);
    h.kind = sal_hash(h.kind, &run->opts.integrator, sizeof run->opts.integrator);
    h.kind = hash_name(h.kind, SAL_VERSION);
    for (int c = 0; c < run->all; c++) h.kind = hash_name(h.kind, run->names[c]);
    h.implicit = run->stepper.ops->implicit;
    return h;
}

/* The integrator in use in the run that was saved. */
static const sal_stepper_ops *kind_of(const sal_run *run, const header *h)
{
    return h->implicit == run->stepper.ops->implicit ? run->stepper.ops : run->other.ops;
}

/* Bytes behind the header, with an integrator of that kind. */
static size_t size_of(sal_run *run, const sal_stepper_ops *kind)
{
    const sal_stepper *s     = &run->stepper;
    archive            count = { .what = COUNT, .p = run->all };

    walk_start(&count, run);
    walk_state(&count, run);
    if (s->ops->kept) count.used -= sizeof(double) * (size_t)s->ops->keeps(s);
    if (kind->kept) count.used += sizeof(double) * (size_t)kind->keeps(s);
    return count.used;
}

sal_status sal_run_save(const sal_run *run, void *memory, size_t room, size_t *size)
{
    sal_run     *r        = (sal_run *)run; /* the walk is the same for both ways; this one only reads */
    const size_t contents = size_of(r, r->stepper.ops);
    archive      write;
    header       h;

    if ((run->state != SAL_OK && run->state != SAL_ERR_LIMIT) || run->halfway)
        return sal_fail(run->context, SAL_ERR_ARGUMENT, "a run that has failed has no state to be saved: %s",
                        run->halfway ? "it was ended in the middle of an event" : run->system.message);
    *size = sizeof h + contents;
    if (!memory) return SAL_OK;
    if (room < *size)
        return sal_fail(run->context, SAL_ERR_ARGUMENT, "the state of the run is %zu bytes, there is room for %zu",
                        *size, room);
    write = (archive){ .what = WRITE, .at = (unsigned char *)memory + sizeof h, .room = contents, .p = r->all };
    walk_start(&write, r);
    walk_state(&write, r);
    h          = header_of(run);
    h.contents = sal_hash(SAL_HASH_EMPTY, write.at, contents);
    h.size     = *size;
    memcpy(memory, &h, sizeof h);
    return SAL_OK;
}

/* ------------------------------------------------------------------------------------------- load */

static sal_status check(sal_run *run, const header *h, const unsigned char *contents, size_t size)
{
    const header own = header_of(run);

    if (size < sizeof *h || memcmp(h->magic, own.magic, sizeof own.magic))
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "this is not the state of a run");
    if (h->model != own.model) return sal_run_fail(run, SAL_ERR_ARGUMENT, "the state is that of another model");
    if (h->kind != own.kind) {
        return sal_run_fail(run, SAL_ERR_ARGUMENT,
                            "the state is that of a run with another form, stabilization, integrator or wrt, or of "
                            "another version");
    }
    const sal_stepper_ops *kind = kind_of(run, h);
    const size_t           need = kind ? sizeof *h + size_of(run, kind) : 0;
    if (size != need || h->size != need || h->contents != sal_hash(SAL_HASH_EMPTY, contents, size - sizeof *h))
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "the state of the run is damaged");
    return SAL_OK;
}

/* The pivots are found again from the matrix that they were chosen for. */
static void restore_factors(sal_run *run)
{
    sal_kkt_restore(&run->system.motion);
    for (int e = 0; e < run->model->tables->events.n; e++) sal_kkt_restore(&run->system.jump[e]);
}

/* Whether a run with these options can start where the state says: tried with another one. */
static sal_status try_start(sal_run *run, archive read)
{
    sal_run_opts asked = run->asked;
    sal_run     *other;
    sal_status   status;

    asked.wrt   = run->names; /* of the caller's options names were read at creation only */
    asked.set   = NULL;
    asked.nset  = 0;
    asked.quiet = true;
    status      = sal_run_make(run->model, &asked, &other);
    if (status != SAL_OK) return sal_run_fail(run, status, "%s", sal_status_text(status));
    walk_start(&read, other);
    status = sal_run_restart(other);
    if (status != SAL_OK) sal_run_fail(run, status, "%s", other->system.message);
    sal_run_destroy(&other);
    return status;
}

sal_status sal_run_load(sal_run *run, const void *memory, size_t size)
{
    const unsigned char *contents = (const unsigned char *)memory + sizeof(header);
    archive    read = { .what = READ, .at = (unsigned char *)contents, .room = size - sizeof(header), .p = run->all };
    header     h    = { .size = 0 };
    sal_status status;

    if (size >= sizeof h) memcpy(&h, memory, sizeof h);
    run->system.message[0] = '\0';
    status                 = check(run, &h, contents, size);
    if (status == SAL_OK) status = try_start(run, read);
    if (status != SAL_OK) return status;
    walk_start(&read, run);
    status = sal_run_restart_tried(run);
    if (status == SAL_OK) status = run->state = sal_run_use(run, kind_of(run, &h));
    if (status != SAL_OK) return status;
    walk_state(&read, run);
    restore_factors(run);
    sal_run_join_record(run);
    sal_run_resume(run);
    return SAL_OK;
}

/* --------------------------------------------------------------------------------------- moments */

size_t sal_run_moment_size(const sal_run *run)
{
    archive count = { .what = COUNT };

    walk_state(&count, (sal_run *)run);
    return count.used;
}

void sal_run_keep_moment(const sal_run *run, unsigned char *at, size_t size)
{
    archive write = { .what = WRITE, .at = at, .room = size };

    walk_state(&write, (sal_run *)run);
}

void sal_run_go_to_moment(sal_run *run, const unsigned char *at, size_t size)
{
    archive read = { .what = READ, .at = (unsigned char *)at, .room = size };

    walk_state(&read, run);
    restore_factors(run);
    run->state   = SAL_OK;
    run->halfway = run->told = false;
    sal_run_join_record(run);
    sal_run_resume(run);
}

void sal_run_take_start(sal_run *run, const sal_run *other)
{
    const sal_tables *tables = run->model->tables;
    const size_t      n      = (size_t)run->model->n;

    memcpy(run->given, other->given, sizeof *run->given * (size_t)tables->parameters.n);
    memcpy(run->initial_q, other->initial_q, sizeof *run->initial_q * n);
    memcpy(run->initial_v, other->initial_v, sizeof *run->initial_v * n);
    memcpy(run->start.memory, other->start.memory, sizeof *run->start.memory * (size_t)tables->memory.n);
    memcpy(run->start.closed, other->start.closed, sizeof *run->start.closed * (size_t)tables->touches.n);
    run->start.t = other->start.t;
}

uint64_t sal_run_start_hash(const sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    const size_t      n      = sizeof(double) * (size_t)run->model->n;
    uint64_t          hash   = SAL_HASH_EMPTY;

    hash = sal_hash(hash, run->given, sizeof(double) * (size_t)tables->parameters.n);
    hash = sal_hash(hash, run->initial_q, n);
    hash = sal_hash(hash, run->initial_v, n);
    hash = sal_hash(hash, run->start.memory, sizeof(double) * (size_t)tables->memory.n);
    hash = sal_hash(hash, run->start.closed, sizeof(bool) * (size_t)tables->touches.n);
    return sal_hash(hash, &run->start.t, sizeof run->start.t);
}
