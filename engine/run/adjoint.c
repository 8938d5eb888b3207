/* adjoint.c - gradients of costs with respect to any number of parameters, by one sweep back over a run; what is swept
 * is in adjoint.h.
 *
 * A reader of the run keeps what the sweep needs. Where that is more than may be kept there are only checkpoints,
 * every k-th step (when there are too many every second one goes, and k is doubled), and each piece between two of
 * them is made again when the sweep comes to it: bit for bit, since a checkpoint is all that the run goes on from. A
 * piece that is too long itself leaves more checkpoints behind while it is made, and all but its end is made once
 * more. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/run/adjoint.h"

enum {
    EVERY_FIRST      = 16, /* steps between checkpoints */
    CHECKPOINTS_PART = 3   /* of the memory, in the first run */
};

static const double GRAZES = 1e-9; /* of the speed there is */

sal_status sal_adjoint_fail(sal_adjoint *a, sal_status status, const char *format, ...)
{
    char    text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (status > 0) return status;
    return sal_fail(a->context, status, "%s", text);
}

/* ---------------------------------------------------------------------------------------- asking */

/* Name c is a knot. */
static sal_status add_knot(sal_adjoint *a, int c)
{
    const int knots = a->model->tables->parameters.n - a->model->tables->scalars;

    if (!a->of_knot) {
        a->of_knot = SAL_NEW(&a->pool, int, knots);
        if (!a->of_knot) return sal_out_of_memory(a->context);
        for (int k = 0; k < knots; k++) a->of_knot[k] = -1;
    }
    int *of = &a->of_knot[a->wrt[c].parameter - a->model->tables->scalars];
    if (*of >= 0) return sal_fail(a->context, SAL_ERR_ARGUMENT, "%s is asked for twice", a->name[c]);
    *of = c;
    return SAL_OK;
}

static sal_status find_wrt(sal_adjoint *a, const sal_adjoint_opts *o)
{
    const sal_tables *tables = a->model->tables;
    sal_status        status = SAL_OK;

    a->p      = o->nwrt;
    a->name   = SAL_NEW(&a->pool, const char *, a->p);
    a->wrt    = SAL_NEW(&a->pool, sal_wrt, a->p);
    a->moving = SAL_NEW(&a->pool, int, a->p);
    if (a->pool.failed) return sal_out_of_memory(a->context);
    for (int c = 0; c < a->p; c++) {
        const char *name = o->wrt[c];
        if (!name) return sal_fail(a->context, SAL_ERR_ARGUMENT, "wrt %d is NULL", c);
        a->name[c] = sal_pool_copy(&a->pool, name, strlen(name));
        if (!a->name[c]) return sal_out_of_memory(a->context);
        a->wrt[c] = (sal_wrt){ .parameter = sal_names_find(&tables->parameter_names, name), .coordinate = -1 };
        if (a->wrt[c].parameter >= tables->scalars) status = add_knot(a, c);
        else if (a->wrt[c].parameter >= 0) a->moving[a->nmoving++] = c;
        else if (!sal_sens_find_initial(a->model, name, &a->wrt[c])) {
            sal_sens_unknown(a->run, name);
            return sal_fail(a->context, SAL_ERR_ARGUMENT, "%s", a->run->system.message);
        }
        if (status != SAL_OK) return status;
    }
    return SAL_OK;
}

static sal_status find_cost(sal_adjoint *a, const char *name, int *index)
{
    const sal_tables *tables     = a->model->tables;
    char              known[256] = "";
    size_t            used       = 0;

    for (int k = 0; k < tables->costs.n; k++) {
        *index = k;
        if (name && !strcmp(tables->costs.at[k].name, name)) return SAL_OK;
        if (used < sizeof known - SAL_NAME_MAX - 8)
            used +=
                (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", tables->costs.at[k].name);
    }
    return sal_fail(a->context, SAL_ERR_ARGUMENT, "unknown cost '%s'; %s%s", name ? name : "",
                    tables->costs.n ? "known: " : "the scene has none", known);
}

static sal_status find_costs(sal_adjoint *a, const sal_adjoint_opts *o, const sal_program *const *at_end, int count)
{
    const int  all = a->model->tables->costs.n, named = o->ncosts > 0 || count ? o->ncosts : all;
    sal_status status = SAL_OK;

    a->costs   = named + count;
    a->columns = a->costs + 1;
    a->cost    = SAL_NEW(&a->pool, int, a->costs);
    a->goal    = SAL_NEW(&a->pool, const sal_cost *, a->costs);
    a->at_end  = SAL_NEW(&a->pool, sal_cost, count);
    a->part    = SAL_NEW(&a->pool, double, a->costs);
    if (a->pool.failed) return sal_out_of_memory(a->context);
    if (a->costs == 0) return sal_fail(a->context, SAL_ERR_ARGUMENT, "the scene has no costs to be differentiated");
    for (int k = 0; k < named && status == SAL_OK; k++) {
        int cost = k;
        if (o->ncosts > 0) status = find_cost(a, o->costs[k], &cost);
        a->cost[k] = cost;
        a->goal[k] = &a->model->tables->costs.at[cost];
    }
    for (int k = 0; k < count; k++) {
        a->at_end[k]       = (sal_cost){ .name = "", .terminal = *at_end[k] };
        a->cost[named + k] = -1;
        a->goal[named + k] = &a->at_end[k];
    }
    return status;
}

typedef struct readers {
    const sal_tables *tables;
    bool             *read; /* [nz] */
} readers;

/* Slots that the start is made of. */
static void mark_program(void *self, const sal_program_use *use)
{
    bool *slot = self;

    for (int k = 0; k < use->program->nleaf && use->use == SAL_USE_ROW; k++) {
        const sal_node *leaf = &use->program->node[use->program->leaf[k]];
        if (leaf->a != SAL_SRC_LAMBDA && leaf->a != SAL_SRC_ENERGY) slot[leaf->b] = true;
    }
}

static void mark_slot(bool *slot, sal_slot k)
{
    if (k != SAL_NONE) slot[k] = true;
}

static void mark_start(const sal_tables *tables, bool *slot)
{
    sal_tables_visit(tables, mark_program, slot);
    for (int k = 0; k < tables->terms.n; k++) {
        const sal_term *t   = &tables->terms.at[k];
        const sal_slot  s[] = { t->s, t->i, t->j, t->k, t->l };
        for (int i = 0; i < SAL_COUNT(s); i++) mark_slot(slot, s[i]);
    }
    for (int k = 0; k < tables->points.n; k++) {
        for (int axis = 0; axis < tables->dimension; axis++) {
            mark_slot(slot, tables->points.at[k].at[axis]);
            mark_slot(slot, tables->points.at[k].velocity[axis]);
        }
    }
    for (int k = 0; k < tables->lines.n; k++) {
        for (int i = 0; i < tables->lines.at[k].n; i++) {
            mark_slot(slot, tables->lines.at[k].x[i]);
            mark_slot(slot, tables->lines.at[k].y[i]);
        }
    }
    for (int k = tables->values.n - 1; k >= 0; k--) {
        const sal_value *v = &tables->values.at[k];
        for (int i = 0; i < v->program.nleaf && slot[v->slot]; i++) slot[v->program.node[v->program.leaf[i]].b] = true;
    }
}

/* The parameters asked for that positions and velocities at the start can depend on. */
static sal_status find_starting(sal_adjoint *a)
{
    const sal_tables *tables = a->model->tables;
    bool             *slot   = SAL_NEW(&a->pool, bool, a->model->nz + a->model->m);

    a->starting = SAL_NEW(&a->pool, int, a->p);
    if (a->pool.failed) return sal_out_of_memory(a->context);
    mark_start(a->model->tables, slot);
    for (int k = 0; k < tables->vectors.n; k++) {
        const sal_vector *v = &tables->vectors.at[k];
        for (int f = 0; f < 4; f++) a->prescribes = a->prescribes || slot[v->window + SAL_PIECE_FACTORS + f];
    }
    for (int c = 0; c < a->p; c++) {
        const int  k    = a->wrt[c].parameter;
        const bool knot = k >= tables->scalars;
        if (k < 0 || (knot ? a->prescribes : slot[tables->time + 1 + k])) a->starting[a->nstarting++] = c;
    }
    return SAL_OK;
}

/* Marks the slots that a program reads, unless it is that of a value that neither time nor memory changes. */
static void mark_read(void *self, const sal_program_use *use)
{
    const readers     *r = self;
    const sal_program *p = use->program;

    if (use->use == SAL_USE_VALUE) {
        const sal_value *v = &r->tables->values.at[use->index];
        if (!v->timed && !r->tables->kept.at[v->slot]) return;
    }
    for (int k = 0; k < p->nleaf; k++) {
        if (p->node[p->leaf[k]].a == SAL_SRC_Z) r->read[p->node[p->leaf[k]].b] = true;
    }
}

/* The slots by which the parameters asked for act: values that are made of them, all of which an element may read, and
 * of parameters, which elements read through values or formulas, those that stand in formulas. */
static sal_status find_reach(sal_adjoint *a)
{
    const sal_tables *tables = a->model->tables;
    const int         first = tables->time + 1, past = first + tables->scalars;
    bool             *moves = SAL_NEW(&a->pool, bool, a->model->nz), *read = SAL_NEW(&a->pool, bool, a->model->nz);
    readers           r = { tables, read };

    a->reach  = SAL_NEW(&a->pool, sal_slot, tables->values.n);
    a->window = SAL_NEW(&a->pool, sal_slot, 4 * tables->vectors.n);
    if (a->pool.failed) return sal_out_of_memory(a->context);
    sal_tables_visit(tables, mark_read, &r);
    for (int k = 0; k < a->nmoving; k++) moves[first + a->wrt[a->moving[k]].parameter] = true;
    for (int k = 0; k < tables->values.n; k++) {
        const sal_value *v         = &tables->values.at[k];
        const bool       parameter = v->slot >= first && v->slot < past;
        for (int i = 0; i < v->program.nleaf; i++)
            moves[v->slot] = moves[v->slot] || moves[v->program.node[v->program.leaf[i]].b];
        if (!moves[v->slot] || v->timed || tables->kept.at[v->slot]) continue;
        if (!parameter || read[v->slot]) a->reach[a->nreach++] = v->slot;
    }
    for (int k = 0; k < 4 * tables->vectors.n && a->of_knot; k++)
        a->window[a->nwindow++] = tables->vectors.at[k / 4].window + SAL_PIECE_FACTORS + k % 4;
    return SAL_OK;
}

/* ------------------------------------------------------------------------------------------ life */

static size_t kept(const sal_adjoint *a)
{
    return a->tape.bytes + (size_t)a->checkpoint.n * a->tape.moment;
}

/* What a step and an instant may add to it, and a checkpoint. */
static size_t margin(const sal_adjoint *a)
{
    return 2 * a->tape.moment + SAL_TAPE_CHUNK * a->tape.width * sizeof(double);
}

sal_adjoint_opts sal_adjoint_defaults(void)
{
    return (sal_adjoint_opts){ .size = sizeof(sal_adjoint_opts) };
}

static sal_status prepare(sal_adjoint *a, const sal_adjoint_opts *o, const sal_program *const *at_end, int count)
{
    sal_status status = find_wrt(a, o);

    if (status == SAL_OK) status = find_costs(a, o, at_end, count);
    if (status == SAL_OK) status = find_starting(a);
    if (status == SAL_OK) status = find_reach(a);
    if (status != SAL_OK) return status;
    a->room     = o->memory;
    a->gradient = SAL_NEW(&a->pool, double, (size_t)a->columns *(size_t)a->p);
    sal_tape_init(&a->tape, a->run);
    a->end = sal_pool_alloc(&a->pool, a->tape.moment);
    if (a->pool.failed) return sal_out_of_memory(a->context);
    if (a->room && a->room < 3 * margin(a))
        return sal_fail(a->context, SAL_ERR_ARGUMENT,
                        "memory of %zu bytes is too little; the least for this scene is %zu", a->room, 3 * margin(a));
    status = sal_adjoint_allocate(a);
    return status == SAL_OK ? sal_adjoint_check_settings(a, a->run) : status;
}

sal_status sal_adjoint_create(sal_run *run, const sal_adjoint_opts *opts, sal_adjoint **adjoint)
{
    return sal_adjoint_create_with(run, opts, NULL, 0, adjoint);
}

sal_status sal_adjoint_create_with(sal_run *run, const sal_adjoint_opts *opts, const sal_program *const *at_end,
                                   int count, sal_adjoint **adjoint)
{
    static const size_t known[] = { sizeof(sal_adjoint_opts), 0 };
    sal_adjoint_opts    o       = sal_adjoint_defaults();
    sal_adjoint        *a;
    sal_pool            pool;
    sal_status          status = sal_opts_read(run->context, "adjoint", known, opts, &o);

    *adjoint = NULL;
    if (status != SAL_OK) return status;
    if (run->p)
        return sal_fail(run->context, SAL_ERR_ARGUMENT, "the adjoint is of a run without sensitivities of its own");
    if (sal_sens_check_programs(run) != SAL_OK)
        return sal_fail(run->context, SAL_ERR_ARGUMENT, "%s", run->system.message);
    if (run->opts.form == SAL_INDEX3)
        return sal_fail(run->context, SAL_ERR_ARGUMENT, "form index3 has no derivatives; expected index1 or penalty");
    if (!run->stepper.ops->pull)
        return sal_fail(run->context, SAL_ERR_ARGUMENT,
                        "the adjoint goes back through explicit steps; the integrator is %s, expected rk8 or rk5",
                        run->stepper.ops->name);
    if (o.nwrt < 1 || !o.wrt || o.ncosts < 0 || (o.ncosts > 0 && !o.costs))
        return sal_fail(run->context, SAL_ERR_ARGUMENT, "nwrt is %d and wrt %s, ncosts %d", o.nwrt,
                        o.wrt ? "given" : "NULL", o.ncosts);
    sal_pool_init(&pool, run->context);
    a = SAL_NEW(&pool, sal_adjoint, 1);
    if (!a) return sal_out_of_memory(run->context);
    a->pool    = pool;
    a->context = run->context;
    a->model   = run->model;
    a->run     = run;
    status     = prepare(a, &o, at_end, count);
    *adjoint   = a;
    if (status != SAL_OK) sal_adjoint_destroy(adjoint);
    else run->taped = true;
    return status;
}

static void free_checkpoint(sal_checkpoint *c)
{
    sal_pool pool = c->pool; /* it lies in it */

    sal_pool_free(&pool);
}

static void forget(sal_adjoint *a)
{
    for (int k = 0; k < a->checkpoint.n; k++) free_checkpoint(a->checkpoint.at[k]);
    a->checkpoint.n = 0;
    sal_tape_clear(&a->tape);
}

void sal_adjoint_destroy(sal_adjoint **adjoint)
{
    sal_adjoint *a = *adjoint;
    sal_pool     pool;

    *adjoint = NULL;
    if (!a) return;
    forget(a);
    a->run->taped = false;
    sal_run_destroy(&a->echo);
    sal_run_destroy(&a->again);
    pool = a->pool;
    sal_pool_free(&pool);
}

/* --------------------------------------------------------------------------------------- keeping */

static sal_status add_checkpoint(sal_adjoint *a, const sal_run *run, long step)
{
    sal_checkpoint **to = SAL_PUSH(&a->pool, &a->checkpoint);
    sal_pool         pool;
    sal_checkpoint  *c;

    if (!to) return SAL_ERR_MEMORY;
    a->checkpoint.n--; /* until it is there */
    sal_pool_init(&pool, a->context);
    c = SAL_NEW(&pool, sal_checkpoint, 1);
    if (c) c->moment = sal_pool_alloc(&pool, a->tape.moment);
    if (pool.failed) {
        sal_pool_free(&pool);
        return SAL_ERR_MEMORY;
    }
    c->pool = pool;
    c->step = step;
    sal_run_keep_moment(run, c->moment, a->tape.moment);
    *to = c;
    a->checkpoint.n++;
    return SAL_OK;
}

/* Every second one goes, but for the first. */
static void thin_out(sal_adjoint *a)
{
    int n = 0;

    a->every *= 2;
    for (int k = 0; k < a->checkpoint.n; k++) {
        sal_checkpoint *c = a->checkpoint.at[k];
        if (k % 2 == 0) a->checkpoint.at[n++] = c;
        else free_checkpoint(c);
    }
    a->checkpoint.n = n;
}

static void take_checkpoint(sal_adjoint *a, const sal_run *run)
{
    const sal_checkpoint *last = a->checkpoint.n ? a->checkpoint.at[a->checkpoint.n - 1] : NULL;

    if (last && (a->steps - last->step < a->every || sal_run_is_pending(run) || !(run->stepper.h > 0.0))) return;
    if ((size_t)(a->checkpoint.n + 1) * a->tape.moment > a->room / CHECKPOINTS_PART) thin_out(a);
    if (last && a->steps - a->checkpoint.at[a->checkpoint.n - 1]->step < a->every) return;
    a->status = add_checkpoint(a, run, a->steps);
}

static void on_start(void *self, const sal_run *run)
{
    sal_adjoint *a = self;

    forget(a);
    a->started  = run == a->run && run->stats.steps == 0 && run->stats.events == 0;
    a->status   = a->started ? SAL_OK : SAL_ERR_ARGUMENT;
    a->origin   = sal_run_start_hash(run);
    a->ended    = false;
    a->complete = true;
    a->shared   = run->system.shares != 0;
    a->happens  = a->started && sal_run_is_pending(run);
    a->in_line  = NAN;
    a->steps = a->remade = 0;
    a->every             = EVERY_FIRST;
    a->most              = 0;
    if (a->room && a->started) take_checkpoint(a, run);
    if (a->started && a->status == SAL_OK) a->status = sal_tape_take(&a->tape, run, false);
}

static void on_event(void *self, const sal_run *run)
{
    sal_adjoint *a = self;

    (void)run;
    a->told = true;
}

static void on_step(void *self, const sal_run *run)
{
    sal_adjoint *a = self;

    if (!a->started || a->status != SAL_OK) return;
    a->shared  = a->shared || run->system.shares != 0 || run->contacts.shared;
    a->happens = a->happens || sal_run_is_pending(run);
    if (run->stepper.h > 0.0) a->steps++;
    if (run->passing && isnan(a->in_line)) a->in_line = run->t1;
    if (a->complete) a->status = sal_tape_take(&a->tape, run, a->told);
    a->told = false;
    if (a->room && a->status == SAL_OK) take_checkpoint(a, run);
    if (kept(a) > a->most) a->most = kept(a);
    if (!a->room || !a->complete || kept(a) + margin(a) <= a->room) return;
    a->complete = false;
    sal_tape_clear(&a->tape);
}

static void on_end(void *self, const sal_run *run, sal_status status)
{
    sal_adjoint *a = self;

    if (!a->started || status != SAL_END) return;
    sal_run_keep_moment(run, a->end, a->tape.moment);
    a->ended = true;
}

sal_reader sal_adjoint_reader(sal_adjoint *adjoint)
{
    return (sal_reader){ .start = on_start, .event = on_event, .step = on_step, .end = on_end, .self = adjoint };
}

/* ----------------------------------------------------------------------------------------- sweep */

/* The echo is at the end of the piece; afterwards the cotangents are those at its beginning. */
static sal_status sweep(sal_adjoint *a)
{
    const sal_tape *tape   = &a->tape;
    int             to     = tape->steps;
    sal_status      status = SAL_OK;

    for (int k = tape->instant.n; k >= 0 && status == SAL_OK; k--) {
        const int from = k > 0 ? tape->instant.at[k - 1].step : 0;
        status         = sal_adjoint_steps(a, tape, from, to);
        to             = from;
        if (k > 0 && status == SAL_OK) status = sal_adjoint_instant(a, &tape->instant.at[k - 1]);
    }
    return status;
}

static sal_status make_again(sal_adjoint *a)
{
    sal_run_opts asked = a->run->asked;
    sal_status   status;

    asked.quiet     = true;
    asked.set       = NULL;
    asked.nset      = 0;
    asked.max_steps = asked.max_events = 0;
    asked.max_wall                     = 0.0;
    status                             = a->again ? SAL_OK : sal_run_make(a->model, &asked, &a->again);
    if (status != SAL_OK) return status;
    a->again->taped = true; /* its steps are explicit, as those of the run are */
    sal_run_take_start(a->again, a->run);
    status = sal_run_restart_tried(a->again);
    return status == SAL_OK ? SAL_OK : sal_adjoint_fail(a, status, "%s", a->again->system.message);
}

/* What has just been made again, onto the tape; where that becomes too much a new one begins behind a checkpoint. */
static sal_status take_again(sal_adjoint *a, long step, long to, bool event)
{
    const sal_run *r = a->again;

    if (sal_tape_take(&a->tape, r, event) != SAL_OK) return sal_out_of_memory(a->context);
    if (kept(a) > a->most) a->most = kept(a);
    if (kept(a) + margin(a) <= a->room) return SAL_OK;
    if (kept(a) > a->room)
        return sal_adjoint_fail(a, SAL_ERR_LIMIT, "memory of %zu bytes is too little for the sweep at t = %.9g s",
                                a->room, r->t1);
    if (step >= to || sal_run_is_pending(r) || !(r->stepper.h > 0.0)) return SAL_OK;
    sal_tape_clear(&a->tape);
    return add_checkpoint(a, r, step) == SAL_OK ? SAL_OK : sal_out_of_memory(a->context);
}

/* The run from the last checkpoint on up to step `to`, made again. Afterwards the tape has it from what is then the
 * last checkpoint. */
static sal_status make_piece(sal_adjoint *a, long to)
{
    const sal_checkpoint *from   = a->checkpoint.at[a->checkpoint.n - 1];
    sal_run              *r      = a->again;
    long                  step   = from->step;
    sal_status            status = SAL_OK;

    sal_tape_clear(&a->tape);
    sal_run_go_to_moment(r, from->moment, a->tape.moment);
    if (sal_run_is_pending(r)) status = take_again(a, step, to, false);
    while (status == SAL_OK && (step < to || sal_run_is_pending(r))) {
        const sal_status made = sal_run_step(r);
        if (made == SAL_END) break;
        if (made == SAL_STOPPED) return made;
        if (made < 0) return sal_adjoint_fail(a, made, "%s", r->system.message);
        if (r->stepper.h > 0.0) step++;
        a->remade += r->stepper.h > 0.0;
        status = take_again(a, step, to, made == SAL_EVENT);
    }
    if (status == SAL_OK && step != to)
        return sal_adjoint_fail(a, SAL_ERR_INVARIANT, "a piece of the run made again ends after %ld steps, not %ld",
                                step, to);
    return status;
}

static sal_status sweep_pieces(sal_adjoint *a)
{
    sal_status status = make_again(a);

    for (long to = a->steps; a->checkpoint.n > 0 && status == SAL_OK;) {
        status = make_piece(a, to);
        if (status == SAL_OK) status = sweep(a);
        sal_checkpoint *c = a->checkpoint.at[--a->checkpoint.n];
        if (status == SAL_OK) sal_run_go_to_moment(a->echo, c->moment, a->tape.moment);
        to = c->step;
        free_checkpoint(c);
    }
    return status;
}

/* Derivatives after an event that hardly crosses are those before, divided by how steeply: rounding, too. */
static sal_status refuse_grazing(sal_adjoint *a)
{
    const sal_health health = sal_run_get_health(a->run);

    return sal_fail(a->context, SAL_ERR_NUMBER,
                    "%s grazes at t = %.9g s, with %.2g of the speed there is: derivatives would be made of rounding",
                    health.grazed, health.grazed_at, health.transversality);
}

sal_status sal_adjoint_sweep(sal_adjoint *a)
{
    sal_status status;

    if (a->status == SAL_ERR_MEMORY) return sal_out_of_memory(a->context);
    if (!a->started || !a->ended || a->status != SAL_OK)
        return sal_fail(
            a->context, SAL_ERR_ARGUMENT,
            "there is nothing to sweep: its run must have been told by sal_simulate from its start to its end");
    if (sal_run_start_hash(a->run) != a->origin)
        return sal_fail(a->context, SAL_ERR_ARGUMENT,
                        "parameters or the start of the run have been changed since it was told");
    if (a->run->invalid[0]) return sal_fail(a->context, SAL_ERR_NUMBER, "%s", a->run->invalid);
    for (int k = 0; k < a->costs; k++) {
        if (a->cost[k] < 0 || isfinite(sal_run_costs(a->run)[a->cost[k]])) continue;
        return sal_fail(a->context, SAL_ERR_NUMBER, "cost '%s' has no value", a->goal[k]->name);
    }
    for (int k = 0; k < a->costs; k++) {
        if (!a->goal[k]->average || a->run->t1 > a->run->start.t) continue;
        return sal_fail(a->context, SAL_ERR_NUMBER, "cost '%s' is an average over no time", a->goal[k]->name);
    }
    if (!isnan(a->in_line))
        return sal_fail(a->context, SAL_ERR_NUMBER,
                        "links are in line at t = %.9g s; the adjoint cannot go through that, forward derivatives can",
                        a->in_line);
    if (sal_run_get_health(a->run).transversality < GRAZES) return refuse_grazing(a);
    status = sal_adjoint_find_looks(a);
    if (status != SAL_OK) return status;
    a->ended = false; /* once */
    for (int k = 0; k < a->costs; k++) a->part[k] = a->goal[k]->average ? 1.0 / (a->run->t1 - a->run->start.t) : 1.0;
    memset(a->gradient, 0, sizeof *a->gradient * (size_t)a->columns * (size_t)a->p);
    a->conditions     = false;
    a->condition_size = 0.0;
    a->note[0]        = '\0';
    status            = sal_adjoint_begin(a);
    if (status == SAL_OK) status = sal_adjoint_end(a);
    if (status == SAL_OK) status = a->complete ? sweep(a) : sweep_pieces(a);
    if (status == SAL_OK && !sal_adjoint_all_looked(a))
        return sal_fail(a->context, SAL_ERR_INVARIANT, "what a cost reads at one instant was not found in any step");
    return status == SAL_OK ? sal_adjoint_start(a) : status;
}

/* ------------------------------------------------------------------------------------- accessors */

const double *sal_adjoint_gradient(const sal_adjoint *a, int index)
{
    return index >= 0 && index < a->costs ? a->gradient + (size_t)index * (size_t)a->p : NULL;
}

sal_adjoint_info sal_adjoint_get_info(const sal_adjoint *a)
{
    return (sal_adjoint_info){
        .costs = a->costs, .wrt = a->p, .steps = a->steps, .remade = a->remade, .memory = a->most, .note = a->note
    };
}

const char *sal_adjoint_cost(const sal_adjoint *a, int index)
{
    return index >= 0 && index < a->costs ? a->goal[index]->name : NULL;
}

const char *sal_adjoint_wrt(const sal_adjoint *a, int index)
{
    return index >= 0 && index < a->p ? a->name[index] : NULL;
}
