/* sweep_case.c - one case of a sweep, from its beginning to a row of numbers.
 *
 * A case is a run, a cycle or an equilibrium of its own, made as if there were no others: nothing is carried over, so
 * that its numbers do not depend on which thread computes it, or after what. What goes wrong in it is said by a context
 * of its own too, under copies of the model's outermost structs (what these point to is shared): messages of cases that
 * fail at the same time do not meet. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/run/adjoint.h"
#include "engine/studies/sweep.h"

typedef struct one_case {
    const sal_sweep *sweep;
    sal_context     *context;
    sal_tables       tables;
    sal_model        model;
    sal_pool         pool;
    sal_run_opts     opts;
    long            *seen; /* [quantities] how often its event has happened */
    double          *row;
    char            *message;
    size_t           room;
} one_case;

/* ------------------------------------------------------------------------------------------- rows */

/* Texts of several lines become one. */
static void say(one_case *c, const char *text)
{
    size_t used = c->room ? strlen(c->message) : 0;

    if (used && used + 3 < c->room) used += (size_t)snprintf(c->message + used, c->room - used, "; ");
    for (; *text && used + 1 < c->room; text++) {
        if (*text == '\n' && !text[1]) break;
        c->message[used++] = *text == '\n' ? ' ' : *text;
    }
    if (c->room) c->message[used < c->room ? used : c->room - 1] = '\0';
}

/* A quantity and its derivatives; gradient NULL: they are not known. */
static void tell(one_case *c, int quantity, double value, const double *gradient)
{
    const int first = c->sweep->quantities.at[quantity].gradient;

    c->row[quantity] = value;
    if (first >= 0 && gradient) memcpy(c->row + first, gradient, sizeof *gradient * (size_t)c->opts.nwrt);
}

static const double *row_of(const double *rows, int index, int p)
{
    return p ? rows + (size_t)index * (size_t)p : NULL;
}

/* -------------------------------------------------------------------------------------------- runs */

static bool happened(const sal_run *run, int event)
{
    sal_event_contact contact;

    if (event < 0 || sal_run_event(run).index == event) return true;
    for (int k = 0; sal_run_event_contact(run, k, &contact); k++) {
        if (contact.event == event) return true;
    }
    return false;
}

static void note_event(one_case *c, const sal_run *run)
{
    const bool valid = c->opts.nwrt && !sal_run_wrt_invalid(run)[0];

    for (int k = 0; k < c->sweep->quantities.n; k++) {
        const sal_quantity *q = &c->sweep->quantities.at[k];
        if ((q->kind != SAL_OF_TIME && q->kind != SAL_OF_COUNT) || !happened(run, q->index)) continue;
        c->seen[k]++;
        if (q->kind == SAL_OF_TIME && c->seen[k] == q->number)
            tell(c, k, sal_run_event(run).time, valid ? sal_run_event_gradient(run) : NULL);
    }
}

static void say_health(one_case *c, const sal_run *run)
{
    char text[512];

    if (sal_run_get_health(run).verdict == SAL_GOOD) return;
    sal_run_health_text(run, text, sizeof text);
    say(c, text);
}

static sal_status tell_end(one_case *c, sal_run *run)
{
    const int  p        = c->opts.nwrt;
    const bool valid    = p && !sal_run_wrt_invalid(run)[0];
    double    *gradient = SAL_NEW(&c->pool, double, p + 1);
    char       text[512];
    sal_status status = c->pool.failed ? SAL_ERR_MEMORY : SAL_OK;

    for (int k = 0; k < c->sweep->quantities.n && status == SAL_OK; k++) {
        const sal_quantity *q = &c->sweep->quantities.at[k];
        if (q->kind == SAL_OF_COUNT) tell(c, k, (double)c->seen[k], NULL);
        if (q->kind == SAL_OF_COST)
            tell(c, k, sal_run_costs(run)[q->index], valid ? row_of(sal_run_cost_gradients(run), q->index, p) : NULL);
        if (q->kind != SAL_AT_END) continue;
        if (valid) status = sal_run_change_at_end(run, q->program, gradient);
        tell(c, k, sal_run_shown_value(run, q->program), valid ? gradient : NULL);
    }
    say_health(c, run);
    if (p && !valid) {
        snprintf(text, sizeof text, "no derivatives: %s", sal_run_wrt_invalid(run));
        say(c, text);
    }
    return status;
}

static void on_event(void *self, const sal_run *run)
{
    note_event(self, run);
}

/* The values at the end that have derivatives, and the names of such costs. */
static sal_status make_adjoint(const one_case *c, sal_run *run, sal_adjoint **adjoint)
{
    const sal_sweep    *s = c->sweep;
    sal_adjoint_opts    o = sal_adjoint_defaults();
    sal_pool            pool;
    const char        **cost;
    const sal_program **at_end;
    sal_status          status;
    int                 count = 0;

    sal_pool_init(&pool, c->context);
    cost   = SAL_NEW(&pool, const char *, s->quantities.n);
    at_end = SAL_NEW(&pool, const sal_program *, s->quantities.n);
    for (int k = 0; k < s->quantities.n && !pool.failed; k++) {
        const sal_quantity *q = &s->quantities.at[k];
        if (q->gradient < 0) continue;
        if (q->kind == SAL_OF_COST) cost[o.ncosts++] = c->tables.costs.at[q->index].name;
        else at_end[count++] = q->program;
    }
    o.costs = cost;
    o.wrt   = c->opts.wrt;
    o.nwrt  = c->opts.nwrt;
    status  = pool.failed ? SAL_ERR_MEMORY : sal_adjoint_create_with(run, &o, at_end, count, adjoint);
    sal_pool_free(&pool);
    return status;
}

static void tell_swept(one_case *c, sal_run *run, const sal_adjoint *adjoint)
{
    int cost = 0, at_end = 0;

    for (int k = 0; k < c->sweep->quantities.n; k++) at_end += c->sweep->quantities.at[k].kind == SAL_OF_COST;
    for (int k = 0; k < c->sweep->quantities.n; k++) {
        const sal_quantity *q = &c->sweep->quantities.at[k];
        if (q->kind == SAL_OF_COUNT) tell(c, k, (double)c->seen[k], NULL);
        if (q->kind == SAL_OF_COST) tell(c, k, sal_run_costs(run)[q->index], sal_adjoint_gradient(adjoint, cost++));
        if (q->kind == SAL_AT_END)
            tell(c, k, sal_run_shown_value(run, q->program), sal_adjoint_gradient(adjoint, at_end++));
    }
}

/* By the adjoint. SAL_ERR_NUMBER and the like: it refuses, or the run has failed. */
static sal_status simulate_swept(one_case *c)
{
    sal_run     *run     = NULL;
    sal_adjoint *adjoint = NULL;
    sal_run_opts opts    = c->opts;
    sal_status   status;

    opts.wrt  = NULL;
    opts.nwrt = 0;
    status    = sal_run_create(&c->model, &opts, &run);
    if (status == SAL_OK) status = make_adjoint(c, run, &adjoint);
    if (status == SAL_OK)
        status = sal_simulate(run, (sal_reader[]){ sal_adjoint_reader(adjoint), { .event = on_event, .self = c } }, 2);
    if (status == SAL_END) status = sal_adjoint_sweep(adjoint);
    if (status == SAL_OK) tell_swept(c, run, adjoint);
    if (status == SAL_OK) say_health(c, run);
    sal_adjoint_destroy(&adjoint);
    sal_run_destroy(&run);
    return status;
}

static sal_status simulate(one_case *c)
{
    sal_run   *run;
    sal_status status;

    if (c->sweep->adjoint) {
        status = simulate_swept(c);
        if (status == SAL_OK || status == SAL_STOPPED || status == SAL_ERR_MEMORY) return status;
        char why[512]; /* or the run fails, and forward it does that too */
        snprintf(why, sizeof why, "forward derivatives, as there is no adjoint: %s", sal_message(c->context));
        say(c, why);
        memset(c->seen, 0, sizeof *c->seen * (size_t)c->sweep->quantities.n);
    }
    status = sal_run_create(&c->model, &c->opts, &run);
    if (status != SAL_OK) return status;
    while ((status = sal_run_step(run)) == SAL_OK || status == SAL_EVENT) {
        if (status == SAL_EVENT) note_event(c, run);
    }
    if (status == SAL_END) status = tell_end(c, run);
    else if (status != SAL_STOPPED) sal_fail(c->context, status, "%s", sal_run_message(run));
    sal_run_destroy(&run);
    return status;
}

/* ------------------------------------------------------------------------------ cycles and equilibria */

static void tell_cycle(one_case *c, const sal_cycle *y)
{
    const sal_cycle_info info = sal_cycle_get_info(y);
    const int            p    = c->opts.nwrt;

    for (int k = 0; k < c->sweep->quantities.n; k++) {
        const sal_quantity *q = &c->sweep->quantities.at[k];
        const int           i = q->index;
        switch (q->kind) {
        case SAL_OF_PERIOD: tell(c, k, info.period, row_of(sal_cycle_period_gradient(y), 0, p)); break;
        case SAL_OF_LENGTH: tell(c, k, info.length, row_of(sal_cycle_length_gradient(y), 0, p)); break;
        case SAL_OF_LARGEST: tell(c, k, info.largest, NULL); break;
        case SAL_OF_STABILITY: tell(c, k, info.stable, NULL); break;
        case SAL_OF_COORDINATE: tell(c, k, sal_cycle_start(y)[i], row_of(sal_cycle_start_gradients(y), i, p)); break;
        case SAL_OF_OUTPUT: tell(c, k, sal_cycle_outputs(y)[i], row_of(sal_cycle_output_gradients(y), i, p)); break;
        default: tell(c, k, sal_cycle_costs(y)[i], row_of(sal_cycle_cost_gradients(y), i, p));
        }
    }
}

static sal_status find_cycle(one_case *c)
{
    const sal_sweep_opts *o    = &c->sweep->opts;
    sal_cycle_opts        opts = sal_cycle_defaults();
    sal_cycle            *y;
    sal_status            status;

    opts.run     = c->opts;
    opts.section = o->section;
    opts.steps   = o->steps;
    if (o->tolerance > 0.0) opts.tolerance = o->tolerance;
    status = sal_cycle_create(&c->model, &opts, &y);
    if (status == SAL_OK) status = sal_cycle_find(y);
    if (status == SAL_OK) tell_cycle(c, y);
    sal_cycle_destroy(&y);
    return status;
}

static void tell_rest(one_case *c, const sal_equilibrium *e)
{
    const sal_equilibrium_info info = sal_equilibrium_get_info(e);
    const int                  p    = c->opts.nwrt;

    for (int k = 0; k < c->sweep->quantities.n; k++) {
        const sal_quantity *q = &c->sweep->quantities.at[k];
        const int           i = q->index;
        switch (q->kind) {
        case SAL_OF_ENERGY: tell(c, k, info.energy, NULL); break;
        case SAL_OF_STIFFNESS: tell(c, k, info.stiffness, NULL); break;
        case SAL_OF_STABILITY: tell(c, k, info.stable, NULL); break;
        case SAL_OF_COORDINATE:
            tell(c, k, sal_equilibrium_q(e)[i], row_of(sal_equilibrium_q_gradients(e), i, p));
            break;
        case SAL_OF_REACTION:
            tell(c, k, sal_equilibrium_reactions(e)[i], row_of(sal_equilibrium_reaction_gradients(e), i, p));
            break;
        default: tell(c, k, sal_equilibrium_outputs(e)[i], row_of(sal_equilibrium_output_gradients(e), i, p));
        }
    }
    say(c, info.warning);
}

static sal_status find_rest(one_case *c)
{
    const sal_sweep_opts *o    = &c->sweep->opts;
    sal_equilibrium_opts  opts = sal_equilibrium_defaults();
    sal_equilibrium      *e;
    sal_status            status;

    opts.run = c->opts;
    if (o->tolerance > 0.0) opts.tolerance = o->tolerance;
    status = sal_equilibrium_create(&c->model, &opts, &e);
    if (status == SAL_OK) status = sal_equilibrium_find(e);
    if (status == SAL_OK) tell_rest(c, e);
    sal_equilibrium_destroy(&e);
    return status;
}

/* ------------------------------------------------------------------------------------------ a case */

/* What is set for all cases, then what this one differs in. */
static void set_values(one_case *c, const double *values)
{
    const sal_sweep_opts *o   = &c->sweep->opts;
    sal_setting          *set = SAL_NEW(&c->pool, sal_setting, o->run.nset + o->nover);

    if (!set) return;
    memcpy(set, o->run.set, sizeof *set * (size_t)o->run.nset);
    for (int k = 0; k < o->nover; k++) set[o->run.nset + k] = (sal_setting){ o->over[k], values[k] };
    c->opts.set  = set;
    c->opts.nset = o->run.nset + o->nover;
}

static sal_status compute(one_case *c)
{
    static sal_status (*const study[])(one_case *) = {
        [SAL_STUDY_RUN] = simulate, [SAL_STUDY_CYCLE] = find_cycle, [SAL_STUDY_EQUILIBRIUM] = find_rest
    };

    for (int k = 0; k < c->sweep->columns; k++) c->row[k] = NAN;
    return c->pool.failed ? SAL_ERR_MEMORY : study[c->sweep->opts.study](c);
}

sal_status sal_sweep_compute(const sal_sweep *sweep, const double *values, bool (*stop)(void *user), void *user,
                             double *row, char *message, size_t room)
{
    one_case   c      = { .sweep   = sweep,
                          .model   = *sweep->model,
                          .tables  = *sweep->model->tables,
                          .opts    = sweep->opts.run,
                          .row     = row,
                          .message = message,
                          .room    = room };
    sal_status status = sal_context_beside(sweep->context, &c.context);

    if (room) message[0] = '\0';
    if (status != SAL_OK) return status;
    c.tables.context = c.context;
    c.model.tables   = &c.tables;
    for (int k = 0; k < sweep->quantities.n; k++) { /* the adjoint evaluates them as those of the scene */
        const sal_program *p = sweep->quantities.at[k].program;
        if (p && p->n > c.model.program_max) c.model.program_max = p->n;
    }
    c.opts.stop  = stop;
    c.opts.user  = user;
    c.opts.quiet = true; /* what is doubtful is in the message */
    sal_pool_init(&c.pool, c.context);
    c.seen = SAL_NEW(&c.pool, long, sweep->quantities.n + 1);
    set_values(&c, values);
    status = compute(&c);
    if (status < 0) {
        for (int k = 0; k < sweep->columns; k++) row[k] = NAN; /* times of events that it came to, too */
        if (room) message[0] = '\0';
        say(&c, sal_message(c.context));
    }
    sal_pool_free(&c.pool);
    sal_context_free(&c.context);
    return status;
}
