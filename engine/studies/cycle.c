/* cycle.c - periodic motions: Floquet multipliers, how the cycle changes with parameters, and the life of the study.
 *
 *     det(P_g - mu I) = 0                 multipliers; zeros by structure are taken out (dense.c)
 *     (I - P_g) dg/drho = P_rho           the cycle stays one
 *
 * Both are solved in units of the sizes of positions, velocities and memory, by singular values: where cycles come in
 * families I - P_g is singular along the family, and the shortest solution is taken. With several steps the map is
 * applied so often, each time from the start that the step before gave, and derivatives are chained. */
#include "engine/studies/cycle.h"
#include "engine/base/vector.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_MAX = 1000 };

sal_status sal_cycle_because(sal_cycle *c, sal_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(c->why, sizeof c->why, format, args);
    va_end(args);
    return status;
}

const char *sal_cycle_closes(const sal_cycle *c)
{
    return c->section < 0 ? "the period" : sal_model_event(c->model, c->section);
}

bool sal_cycle_fatal(sal_status status)
{
    return status == SAL_ERR_MEMORY || status == SAL_STOPPED;
}

/* --------------------------------------------------------------------------------------- results */

/* row [w] along the cycle: with respect to the parameters alone. */
static void along_cycle(const sal_cycle *c, const double *row, double *out)
{
    for (int j = 0; j < c->p; j++) {
        out[j] = row[c->size + j];
        for (int k = 0; k < c->size; k++) out[j] += row[k] * c->dg[k * c->p + j];
    }
}

void sal_cycle_select(sal_cycle *c, int neutral)
{
    c->neutral  = neutral < c->multipliers ? neutral : c->multipliers;
    c->relevant = c->multipliers;
    c->largest  = 0.0;
    for (int k = 0; k < c->multipliers; k++) c->mu[k] = c->re[k] + c->im[k] * I;
    for (int i = 0; i < c->neutral; i++) {
        int nearest = 0;
        for (int k = 1; k < c->relevant; k++) {
            if (cabs(c->mu[k] - 1.0) < cabs(c->mu[nearest] - 1.0)) nearest = k;
        }
        c->mu[nearest] = c->mu[--c->relevant];
    }
    for (int k = 0; k < c->relevant; k++) c->largest = fmax(c->largest, cabs(c->mu[k]));
}

/* dg/drho. Where I - P_g is singular it exists only if P_rho lies in its range. */
static sal_status differentiate(sal_cycle *c)
{
    const int  size = c->size;
    int        rank, neutral = 0;
    sal_status status;

    sal_cycle_matrix(c, &c->now, c->matrix, size);
    for (int j = 0; j < c->p; j++) {
        for (int i = 0; i < size; i++) c->rhs[j * size + i] = SAL_ROW(c->now.dend, i, c->w)[size + j] / c->scale[i];
    }
    if (c->p == 0) memset(c->rhs, 0, sizeof(double) * (size_t)size); /* the rank all the same */
    status = sal_dense_solve(&c->dense, size, c->matrix, c->p ? c->p : 1, c->rhs, SAL_CYCLE_NEUTRAL, &rank);
    if (status != SAL_OK) return sal_fail(c->context, status, "a derivative of the return map is not finite");
    for (int k = 0; k < c->multipliers && rank < size; k++)
        neutral += hypot(c->re[k] - 1.0, c->im[k]) < SAL_CYCLE_IS_ONE;
    sal_cycle_select(c, neutral);
    sal_cycle_matrix(c, &c->now, c->matrix, size);
    for (int j = 0; j < c->p; j++) {
        const double *x   = c->rhs + j * size;
        double        off = 0.0, most = 0.0;
        for (int i = 0; i < size; i++) {
            const double b   = SAL_ROW(c->now.dend, i, c->w)[size + j] / c->scale[i];
            double       sum = -b;
            for (int k = 0; k < size; k++) sum += c->matrix[k * size + i] * x[k];
            off  = fmax(off, fabs(sum));
            most = fmax(most, fabs(b));
        }
        for (int i = 0; i < size; i++) c->dg[i * c->p + j] = off <= SAL_CYCLE_CHANGES * most ? x[i] * c->scale[i] : NAN;
    }
    return SAL_OK;
}

static sal_status find_multipliers(sal_cycle *c)
{
    const int size = c->size;

    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++)
            c->matrix[j * size + i] = SAL_ROW(c->now.dend, i, c->w)[j] * c->scale[j] / c->scale[i];
    }
    if (sal_dense_spectrum(&c->dense, size, c->matrix, c->re, c->im, &c->multipliers) != SAL_OK)
        return sal_fail(c->context, SAL_ERR_NUMBER, "the multipliers of the return map could not be computed");
    return SAL_OK;
}

/* The cycle at hand is known. */
static void remember(sal_cycle *c)
{
    sal_known *k = &c->known;

    k->found = true;
    memcpy(k->g, c->now.g, sizeof *k->g * (size_t)c->state);
    memcpy(k->dg, c->dg, sizeof *k->dg * (size_t)(c->size * c->p));
    memcpy(k->closed, c->closed, sizeof *k->closed * (size_t)c->pairs);
    for (int i = 0; i < c->model->tables->parameters.n; i++) k->value[i] = sal_run_parameter(c->home, i);
}

sal_status sal_cycle_finish(sal_cycle *c)
{
    const sal_tables *tables = c->model->tables;
    const double      length = hypot(c->now.advance[0], c->now.advance[1]);
    sal_status        status = find_multipliers(c);

    if (status == SAL_OK) status = differentiate(c);
    if (status != SAL_OK) return status;
    for (int k = 0; k < c->size; k++) along_cycle(c, SAL_ROW(c->now.dstart, k, c->w), c->Dstart + k * c->p);
    for (int k = 0; k < tables->outputs.n; k++) along_cycle(c, SAL_ROW(c->now.doutput, k, c->w), c->Doutput + k * c->p);
    for (int k = 0; k < tables->costs.n; k++) along_cycle(c, SAL_ROW(c->now.dcost, k, c->w), c->Dcost + k * c->p);
    along_cycle(c, c->now.dperiod, c->Dperiod);
    for (int j = 0; j < c->w; j++) {
        c->row[j] = (c->now.advance[0] * SAL_ROW(c->now.dadvance, 0, c->w)[j] +
                     c->now.advance[1] * SAL_ROW(c->now.dadvance, 1, c->w)[j]) /
                    (length > 0.0 ? length : 1.0);
    }
    along_cycle(c, c->row, c->Dlength);
    remember(c);
    return SAL_OK;
}

/* -------------------------------------------------------------------------------------- creating */

sal_cycle_opts sal_cycle_defaults(void)
{
    return (sal_cycle_opts){
        .size = sizeof(sal_cycle_opts), .steps = 1, .tolerance = 1e-11, .iterations = 50, .run = sal_run_defaults()
    };
}

static bool reads_time(const sal_tables *tables, const sal_program *program)
{
    for (int k = 0; k < program->nleaf; k++) {
        const sal_node *leaf = &program->node[program->leaf[k]];
        if (leaf->a <= SAL_SRC_ZDD && tables->timed.at[leaf->b]) return true;
    }
    return false;
}

/* What a motion is made of that reads t: the first of it. */
typedef struct timed_part {
    const sal_tables *tables;
    const char       *name; /* NULL: none */
    bool              event;
} timed_part;

static void find_time(void *self, const sal_program_use *use)
{
    timed_part *part  = self;
    const bool  event = use->use == SAL_USE_EVENT || use->use == SAL_USE_SET;

    if (part->name || (!event && use->use != SAL_USE_FORCE && use->use != SAL_USE_ROW)) return;
    if (!reads_time(part->tables, use->program)) return;
    part->name  = use->name;
    part->event = event;
}

/* The phase of what depends on time is no part of the state, unless the cycle closes after a period of all of it. */
static sal_status refuse_time(const sal_cycle *c)
{
    const sal_model  *model  = c->model;
    const sal_tables *tables = model->tables;
    timed_part        timed  = { .tables = tables };

    if (c->section < 0) return SAL_OK;
    if (model->ntimed) {
        const sal_value *v = &tables->values.at[model->timed[0].value];
        return sal_fail(tables->context, SAL_ERR_ARGUMENT,
                        "%s: %s: '%s' depends on t: a section alone does not close a cycle; give its period, "
                        "\"cycle\": { \"period\": ... }",
                        tables->file, v->place.path, v->text);
    }
    sal_tables_visit(tables, find_time, &timed);
    if (!timed.name) return SAL_OK;
    return sal_fail(tables->context, SAL_ERR_ARGUMENT,
                    "%s: %s%s depends on t: a section alone does not close a cycle; give its period, \"cycle\": { "
                    "\"period\": ... }",
                    tables->file, timed.event ? "event " : "", timed.name);
}

static sal_status find_section(sal_cycle *c)
{
    const sal_tables *tables = c->model->tables;
    const char       *name   = c->opts.section;
    sal_names         known  = { 0 };
    char              list[512];
    size_t            used = 0;

    list[0]    = '\0';
    c->section = name ? sal_tables_find_event(tables, name) : tables->cycle.section;
    c->period  = name ? SAL_NONE : tables->cycle.period;
    if (c->period != SAL_NONE) return SAL_OK;
    for (int e = 0; e < tables->shown_events; e++) {
        sal_names_add(&c->pool, &known, tables->events.at[e].name, NULL);
        if (used < sizeof list - 2 * SAL_NAME_MAX - 8)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", e ? ", " : "", 2 * SAL_NAME_MAX,
                                     tables->events.at[e].name);
    }
    if (c->section >= 0) return SAL_OK;
    if (tables->shown_events == 0)
        return sal_fail(c->context, SAL_ERR_ARGUMENT,
                        "the scene has no events: there is no section for a cycle, and no period is given");
    if (!name)
        return sal_fail(
            c->context, SAL_ERR_ARGUMENT,
            "no section is given: name the event with which a cycle closes, in the scene's \"cycle\" or as an "
            "option; events: %s",
            list);
    if (sal_nearest(name, known.list.at, known.list.n))
        return sal_fail(c->context, SAL_ERR_ARGUMENT, "unknown event '%s'%s", name,
                        sal_did_you_mean(name, known.list.at, known.list.n).text);
    return sal_fail(c->context, SAL_ERR_ARGUMENT, "unknown event '%s'; events: %s", name, list);
}

/* Names of all columns: initial values first. */
static sal_status name_columns(sal_cycle *c, const char **columns)
{
    static const char *const parts[] = { "x", "y", "vx", "vy" };
    const sal_tables        *tables  = c->model->tables;
    sal_wrt                  initial;

    for (int i = 0; i < tables->points.n; i++) {
        const sal_point_def *def = &tables->points.at[i];
        for (int k = 0; k < 4 && def->kind == SAL_FREE; k++) {
            const char *name = sal_pool_format(&c->pool, "initial(%s.%s)", def->name, parts[k]);
            const int   at   = sal_basis_of(tables, def->point)->i[k % 2] + (k >= 2 ? c->n : 0);
            columns[at] = c->initial[at] = name;
        }
    }
    for (int k = 2 * c->n; k < c->state; k++) {
        c->initial[k] = sal_pool_format(&c->pool, "initial(%s)", tables->memory.at[c->memory[k - 2 * c->n]].name);
        if (k < c->size) columns[k] = c->initial[k];
    }
    for (int j = 0; j < c->p; j++) {
        const char *name = c->opts.run.wrt[j];
        if (sal_sens_find_initial(c->model, name, &initial))
            return sal_fail(c->context, SAL_ERR_ARGUMENT, "%s is what a cycle determines; expected a parameter", name);
        columns[c->size + j] = c->wrt[j] = sal_pool_copy(&c->pool, name, strlen(name));
    }
    return c->pool.failed ? SAL_ERR_MEMORY : SAL_OK;
}

static void allocate_image(sal_cycle *c, sal_image *m)
{
    const int n = c->size, w = c->w, outputs = c->model->tables->outputs.n, costs = c->model->tables->costs.n;

    m->g        = SAL_NEW(&c->pool, double, c->state);
    m->start    = SAL_NEW(&c->pool, double, c->state);
    m->end      = SAL_NEW(&c->pool, double, c->state);
    m->between  = SAL_NEW(&c->pool, double, c->state * c->opts.steps);
    m->dstart   = SAL_NEW(&c->pool, double, n *w);
    m->dend     = SAL_NEW(&c->pool, double, n *w);
    m->dperiod  = SAL_NEW(&c->pool, double, w);
    m->dadvance = SAL_NEW(&c->pool, double, 2 * w);
    m->dback    = SAL_NEW(&c->pool, double, 2 * w);
    m->output   = SAL_NEW(&c->pool, double, outputs);
    m->doutput  = SAL_NEW(&c->pool, double, outputs *w);
    m->cost     = SAL_NEW(&c->pool, double, costs);
    m->dcost    = SAL_NEW(&c->pool, double, costs *w);
}

static sal_status allocate(sal_cycle *c)
{
    const int n = c->size, p = c->p, w = c->w, outputs = c->model->tables->outputs.n, costs = c->model->tables->costs.n,
              parameters = c->model->tables->parameters.n;

    allocate_image(c, &c->now);
    allocate_image(c, &c->trial);
    c->scale  = SAL_NEW(&c->pool, double, c->state);
    c->at     = SAL_NEW(&c->pool, double, c->state);
    c->guess  = SAL_NEW(&c->pool, double, c->state);
    c->tau    = SAL_NEW(&c->pool, double, w);
    c->moves  = SAL_NEW(&c->pool, double, (c->state - 2 * c->n) * SAL_AXES);
    c->local  = SAL_NEW(&c->pool, double, n *w);
    c->G      = SAL_NEW(&c->pool, double, n *w);
    c->chain  = SAL_NEW(&c->pool, double, w);
    c->place  = SAL_NEW(&c->pool, double, 2);
    c->dplace = SAL_NEW(&c->pool, double, 2 * w);
    c->row    = SAL_NEW(&c->pool, double, w);
    c->matrix = SAL_NEW(&c->pool, double, (size_t)(n + 1) * (size_t)(n + 1));
    c->rhs    = SAL_NEW(&c->pool, double, (n + 1) * (p ? p : 1));
    c->re     = SAL_NEW(&c->pool, double, n);
    c->im     = SAL_NEW(&c->pool, double, n);
    c->mu     = SAL_NEW(&c->pool, double _Complex, n);
    c->dg     = SAL_NEW(&c->pool, double, n *p);
    while (sal_model_touch(c->model, c->pairs)) c->pairs++;
    c->closed  = SAL_NEW(&c->pool, bool, c->pairs);
    c->carried = SAL_NEW(&c->pool, bool, c->pairs);
    c->known   = (sal_known){ .closed = SAL_NEW(&c->pool, bool, c->pairs),
                              .g      = SAL_NEW(&c->pool, double, c->state),
                              .dg     = SAL_NEW(&c->pool, double, n *p),
                              .value  = SAL_NEW(&c->pool, double, parameters) };
    c->target  = SAL_NEW(&c->pool, double, parameters);
    c->way     = SAL_NEW(&c->pool, double, 2 * parameters);
    c->Dstart  = SAL_NEW(&c->pool, double, c->state *p);
    c->Dperiod = SAL_NEW(&c->pool, double, p);
    c->Dlength = SAL_NEW(&c->pool, double, p);
    c->Doutput = SAL_NEW(&c->pool, double, outputs *p);
    c->Dcost   = SAL_NEW(&c->pool, double, costs *p);
    if (c->pool.failed) return SAL_ERR_MEMORY;
    return sal_dense_init(&c->dense, &c->pool, n + 1, p ? p : 1);
}

static sal_status read_options(sal_context *context, const sal_cycle_opts *given, sal_cycle_opts *opts)
{
    static const size_t known[] = { sizeof(sal_cycle_opts), 0 };
    sal_status          status;

    *opts  = sal_cycle_defaults();
    status = sal_opts_read(context, "cycle", known, given, opts);
    return status == SAL_OK && given ? sal_run_read_opts(context, &given->run, &opts->run) : status;
}

static sal_status check_options(const sal_cycle *c)
{
    const sal_cycle_opts *o = &c->opts;

    if (o->steps < 1 || o->steps > STEPS_MAX)
        return sal_fail(c->context, SAL_ERR_ARGUMENT, "steps is %d; expected 1 to %d", o->steps, STEPS_MAX);
    if (!(o->tolerance > 0.0) || o->iterations < 0)
        return sal_fail(c->context, SAL_ERR_ARGUMENT, "expected a tolerance > 0 and iterations >= 0");
    if (o->run.nwrt < 0 || (o->run.nwrt > 0 && !o->run.wrt))
        return sal_fail(c->context, SAL_ERR_ARGUMENT, "nwrt is %d and wrt %s", o->run.nwrt,
                        o->run.wrt ? "given" : "NULL");
    return SAL_OK;
}

/* Whether a step ends elsewhere than the next begins: in space, in time, or whole turns on. */
static bool is_moved(const sal_cycle *c)
{
    const sal_tables *tables = c->model->tables;
    bool              moved  = c->section < 0;

    for (int axis = 0; axis < tables->dimension; axis++) moved = moved || tables->cycle.origin[axis] >= 0;
    for (int k = 0; k < tables->elements.n; k++) moved = moved || tables->elements.at[k].framed;
    return moved;
}

/* The runs: where the scene starts, and from anywhere. */
static sal_status make_runs(sal_cycle *c)
{
    sal_run_opts opts    = c->opts.run, effective;
    const char **columns = SAL_NEW(&c->pool, const char *, c->w);
    sal_status   status;

    c->initial = SAL_NEW(&c->pool, const char *, c->state);
    c->wrt     = SAL_NEW(&c->pool, const char *, c->p);
    status     = c->pool.failed ? SAL_ERR_MEMORY : name_columns(c, columns);
    if (status == SAL_OK) status = sal_run_create(c->model, &opts, &c->home);
    if (status != SAL_OK) return status;
    c->home->asked.quiet = true; /* once is enough */
    effective            = sal_run_get_opts(c->home);
    if (opts.rtol < 0.0) opts.rtol = fmin(1e-12, effective.rtol);
    if (opts.atol < 0.0) opts.atol = fmin(opts.rtol, effective.atol);
    opts.wrt   = columns;
    opts.nwrt  = c->w;
    opts.quiet = true;
    if (status == SAL_OK) status = sal_run_create(c->model, &opts, &c->run);
    opts.nwrt = 0;
    if (status == SAL_OK && is_moved(c)) status = sal_run_create(c->model, &opts, &c->plain);
    return status == SAL_OK ? sal_cycle_find_moves(c) : status;
}

sal_status sal_cycle_create(const sal_model *model, const sal_cycle_opts *opts, sal_cycle **cycle)
{
    sal_context   *context = model->tables->context;
    sal_pool       pool;
    sal_cycle     *c;
    sal_cycle_opts asked;
    bool           quiet;
    sal_status     status = read_options(context, opts, &asked);

    *cycle = NULL;
    if (status != SAL_OK) return status;
    sal_pool_init(&pool, context);
    c = SAL_NEW(&pool, sal_cycle, 1);
    if (!c) return sal_out_of_memory(context);
    c->pool    = pool;
    c->context = context;
    c->model   = model;
    c->opts    = asked;
    c->n       = model->n;
    c->p       = c->opts.run.nwrt;
    *cycle     = c;
    status     = check_options(c);
    if (status == SAL_OK) status = find_section(c);
    if (status == SAL_OK) status = refuse_time(c);
    if (status == SAL_OK) status = sal_cycle_find_memory(c);
    c->w = c->size + c->p;
    if (status == SAL_OK) status = allocate(c);
    if (status == SAL_OK) status = make_runs(c);
    if (status == SAL_ERR_MEMORY) sal_out_of_memory(context);
    c->opts.section   = NULL; /* not ours */
    quiet             = c->opts.run.quiet;
    c->opts.run       = sal_run_defaults();
    c->opts.run.quiet = quiet;
    if (status != SAL_OK) sal_cycle_destroy(cycle);
    return status;
}

void sal_cycle_destroy(sal_cycle **cycle)
{
    sal_cycle *c = *cycle;
    sal_pool   pool;

    *cycle = NULL;
    if (!c) return;
    sal_run_destroy(&c->home);
    sal_run_destroy(&c->run);
    sal_run_destroy(&c->plain);
    pool = c->pool; /* the cycle itself lies in it */
    sal_pool_free(&pool);
}

sal_status sal_cycle_set_parameter(sal_cycle *c, const char *name, double value)
{
    sal_status status = sal_run_set(c->home, name, value);

    if (status == SAL_OK) status = sal_run_restart(c->home);
    if (status != SAL_OK) return sal_cycle_because(c, status, "%s", sal_run_message(c->home));
    status = sal_run_set(c->run, name, value);
    if (status == SAL_OK && c->plain) status = sal_run_set(c->plain, name, value);
    return status == SAL_OK ? SAL_OK : sal_cycle_because(c, status, "%s", sal_run_message(c->run));
}

/* Where a number of the state is in g; -1: it is none of it. */
static int index_of(const sal_cycle *c, const sal_wrt *initial)
{
    if (initial->coordinate >= 0) return initial->coordinate + (initial->velocity ? c->n : 0);
    for (int k = 2 * c->n; k < c->state; k++) {
        if (c->model->tables->memory.at[c->memory[k - 2 * c->n]].slot == initial->memory) return k;
    }
    return -1;
}

sal_status sal_cycle_set(sal_cycle *c, const char *name, double value)
{
    sal_wrt    initial;
    sal_status status;

    if (sal_sens_find_initial(c->model, name, &initial)) {
        const int k = index_of(c, &initial);
        if (!isfinite(value)) return sal_fail(c->context, SAL_ERR_ARGUMENT, "%s must be finite, is %g", name, value);
        if (k < 0)
            return sal_fail(c->context, SAL_ERR_ARGUMENT, "%s is no part of the state of the cycle: nothing reads it",
                            name);
        sal_cycle_guess_home(c);
        c->now.g[k] = value;
        c->set      = true;
        return SAL_OK;
    }
    status = sal_cycle_set_parameter(c, name, value);
    return status == SAL_OK ? SAL_OK : sal_fail(c->context, status, "%s", c->why);
}

/* ------------------------------------------------------------------------------------- accessors */

sal_cycle_info sal_cycle_get_info(const sal_cycle *c)
{
    sal_cycle_info info = { .section     = c->section < 0 ? NULL : sal_model_event(c->model, c->section),
                            .steps       = c->opts.steps,
                            .shortest    = c->opts.steps,
                            .iterations  = c->iterations,
                            .residual    = sal_cycle_residual(c, &c->now),
                            .period      = c->now.period,
                            .advance     = { c->now.advance[0], c->now.advance[1] },
                            .length      = hypot(c->now.advance[0], c->now.advance[1]),
                            .memory      = c->state - 2 * c->n,
                            .unknowns    = c->size,
                            .multipliers = c->multipliers,
                            .neutral     = c->neutral,
                            .largest     = c->largest };

    info.stable = info.largest < 1.0 && info.neutral == 0;
    for (int k = c->opts.steps - 1; k >= 1; k--) {
        if (c->opts.steps % k == 0 &&
            sal_cycle_distance(c, c->now.between + (size_t)(k - 1) * (size_t)c->state, c->now.g) < SAL_SHORTEST)
            info.shortest = k;
    }
    return info;
}

const double *sal_cycle_start(const sal_cycle *c)
{
    return c->now.start;
}

const char *sal_cycle_memory(const sal_cycle *c, int index)
{
    return index >= 0 && index < c->state - 2 * c->n ? sal_model_memory(c->model, c->memory[index]) : NULL;
}

bool sal_cycle_multiplier(const sal_cycle *c, int index, double mu[2])
{
    if (index < 0 || index >= c->multipliers) return false;
    mu[0] = c->re[index];
    mu[1] = c->im[index];
    return true;
}

const double *sal_cycle_outputs(const sal_cycle *c)
{
    return c->now.output;
}

const double *sal_cycle_costs(const sal_cycle *c)
{
    return c->now.cost;
}

int sal_cycle_wrt_count(const sal_cycle *c)
{
    return c->p;
}

const char *sal_cycle_wrt(const sal_cycle *c, int index)
{
    return index >= 0 && index < c->p ? c->wrt[index] : NULL;
}

const double *sal_cycle_start_gradients(const sal_cycle *c)
{
    return c->Dstart;
}

const double *sal_cycle_period_gradient(const sal_cycle *c)
{
    return c->Dperiod;
}

const double *sal_cycle_length_gradient(const sal_cycle *c)
{
    return c->Dlength;
}

const double *sal_cycle_output_gradients(const sal_cycle *c)
{
    return c->Doutput;
}

const double *sal_cycle_cost_gradients(const sal_cycle *c)
{
    return c->Dcost;
}

void sal_cycle_monodromy(const sal_cycle *c, double *matrix)
{
    for (int k = 0; k < c->size; k++)
        memcpy(matrix + (size_t)k * (size_t)c->size, SAL_ROW(c->now.dend, k, c->w), sizeof *matrix * (size_t)c->size);
}
