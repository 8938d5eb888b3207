/* kinks.c - what is prescribed must not jump.
 *
 * Constraints that hold follow what the scene prescribes (the height of a ground, its profile, a driver, a fixed point
 * that moves) without an impulse, so that in Phi(t, q) = 0 and Phidot = 0 neither may jump along the motion: the
 * mechanism would be thrown to another place, or its velocities would change by nothing. Such jumps come from abs, min,
 * max, sign, step, if and comparisons. Where what these decide changes in a step, the place is found by halving, and
 * Phi and Phidot just before and just after it are compared. A change of the second derivative is nothing: forces jump,
 * and the step is chosen accordingly. */
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/run/run.h"

enum { PLACES = 8, HALVINGS = 45 }; /* of a step that are looked at; of one of its parts */

static bool decides(int op)
{
    return op == SAL_OP_ABS || op == SAL_OP_MIN || op == SAL_OP_MAX || op == SAL_OP_SIGN || op == SAL_OP_STEP ||
           (op >= SAL_OP_IF && op < SAL_OP_COUNT);
}

static bool has_decisions(const sal_program *p)
{
    for (int k = 0; k < p->n; k++) {
        if (decides(p->node[k].op)) return true;
    }
    return false;
}

static bool reads_marked(const sal_program *p, const bool *marked)
{
    for (int k = 0; k < p->nleaf; k++) {
        if (marked[p->node[p->leaf[k]].b]) return true;
    }
    return false;
}

static void add_decision(sal_run *run, const sal_program *p, int value, int element)
{
    run->kinks.program[run->kinks.n++] = (sal_decision){ .program = p, .value = value, .element = element };
}

/* Rows that may jump: those whose own formula decides, or that read a function of time that does. */
static void mark_rows(sal_run *run, const bool *marked)
{
    const sal_model  *model  = run->model;
    const sal_tables *tables = model->tables;

    for (int k = 0; k < model->nrelation; k++) {
        const sal_relation *r = &model->relation[k];
        const sal_program  *p = r->phi.n ? &r->phi : &r->rate.value;
        if (has_decisions(p)) add_decision(run, p, -1, tables->rows.at[r->row].element);
        run->kinks.row[r->row] = has_decisions(p) || reads_marked(p, marked);
    }
    for (int k = 0; k < tables->terms.n; k++) {
        const sal_term *t = &tables->terms.at[k];
        if (marked[t->s] || marked[t->i] || marked[t->j] || marked[t->k] || marked[t->l]) run->kinks.row[t->row] = true;
    }
}

sal_status sal_kinks_init(sal_run *run)
{
    const sal_model *model  = run->model;
    bool            *marked = SAL_NEW(&run->pool, bool, model->nz); /* slots of functions of time that decide */

    run->kinks.program = SAL_NEW(&run->pool, sal_decision, model->ntimed + model->nrelation);
    run->kinks.row     = SAL_NEW(&run->pool, bool, model->m);
    run->kinks.phi     = SAL_NEW(&run->pool, double, 2 * model->m);
    if (run->pool.failed) return SAL_ERR_MEMORY;
    for (int k = 0; k < model->ntimed; k++) {
        const sal_program *p         = &model->timed[k].program[0];
        marked[model->timed[k].slot] = has_decisions(p) || reads_marked(p, marked);
        if (has_decisions(p)) add_decision(run, p, model->timed[k].value, -1);
    }
    mark_rows(run, marked);
    return SAL_OK;
}

/* ---------------------------------------------------------------------------------------- a state */

/* What the nodes of the program decide at the state, as one number. */
static uint64_t decision_at(sal_system *s, const sal_program *p)
{
    uint64_t hash = 1469598103934665603u;

    sal_system_value(s, p);
    for (int k = 0; k < p->n; k++) {
        const sal_node *x = &p->node[k];
        const double    a = sal_op_operands(x->op) ? s->value[x->a] : 0.0;
        unsigned        decision;
        if (!decides(x->op)) continue;
        if (x->op == SAL_OP_MIN || x->op == SAL_OP_MAX) decision = a < s->value[x->b];
        else if (x->op == SAL_OP_ABS || x->op == SAL_OP_SIGN || x->op == SAL_OP_STEP) decision = a > 0.0;
        else decision = (x->op == SAL_OP_IF ? a : s->value[k]) != 0.0;
        hash = (hash ^ (decision + 1u)) * 1099511628211u;
    }
    return hash;
}

/* Decisions of all programs at theta of the step. */
static sal_trial decide_at(sal_run *run, double theta, int side)
{
    const sal_trial trial = sal_events_move(run, theta);

    for (int k = 0; k < run->kinks.n && trial == SAL_TRIED; k++)
        run->kinks.program[k].made[side] = decision_at(&run->system, run->kinks.program[k].program);
    return trial;
}

/* The first program that decides otherwise on the two sides; -1: none. */
static int differing(const sal_run *run)
{
    for (int k = 0; k < run->kinks.n; k++) {
        if (run->kinks.program[k].made[0] != run->kinks.program[k].made[1]) return k;
    }
    return -1;
}

static sal_status say(sal_run *run, const sal_decision *d, const char *what)
{
    const sal_tables *tables = run->model->tables;
    const sal_value  *value  = d->value >= 0 ? &tables->values.at[d->value] : NULL;
    const sal_place  *place  = value ? &value->place : &tables->elements.at[d->element].place;

    return sal_run_fail(run, SAL_ERR_STEP,
                        "%s:%d:%d: %s: %s%s%s jumps in %s at t = %.9g s, and what holds would follow it without an "
                        "impulse; expected %s",
                        tables->file, place->line, place->column, place->path, value ? "'" : "",
                        value ? value->text : "its formula", value ? "'" : "", what, run->system.z[tables->time],
                        value ? "a function whose value and rate are continuous, such as a ramp that begins smoothly"
                              : "a smooth function (corners of a ground are those of a 'line')");
}

/* Whether rows that hold jump between the two sides, from < to; SAL_ERR_STEP with a message. */
static sal_status compare(sal_run *run, double from, double to, const sal_decision *d)
{
    sal_system     *s = &run->system;
    const int       m = run->model->m;
    double          most, rate;
    const sal_scale scale = sal_scale_at(s);

    if (sal_events_move(run, from) != SAL_TRIED) return SAL_OK;
    sal_system_residual(s, &most, &rate);
    memcpy(run->kinks.phi, s->phi, sizeof(double) * (size_t)m);
    memcpy(run->kinks.phi + m, s->phidot, sizeof(double) * (size_t)m);
    if (sal_events_move(run, to) != SAL_TRIED) return SAL_OK;
    sal_system_residual(s, &most, &rate);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    for (int r = 0; r < m; r++) {
        double size = 0.0;
        if (!run->kinks.row[r] || !s->mode.held[r]) continue;
        for (int k = run->model->jp[r]; k < run->model->jp[r + 1]; k++) size = fmax(size, fabs(s->entry[k]));
        if (!run->model->tables->rows.at[r].rate && fabs(s->phi[r] - run->kinks.phi[r]) > SAL_JUMPS * size * s->length)
            return say(run, d, "its value");
        if (fabs(s->phidot[r] - run->kinks.phi[m + r]) > SAL_JUMPS * size * fmax(scale.speed, scale.natural))
            return say(run, d, run->model->tables->rows.at[r].rate ? "its value" : "its rate");
    }
    return SAL_OK;
}

/* Changes of decisions between two places of the step. */
static sal_status check_part(sal_run *run, double from, double to)
{
    sal_status status = SAL_OK;

    for (int i = 0; i < PLACES && from < to && status == SAL_OK; i++) { /* one change after the other */
        double before = from, after = to;
        int    which;
        if (decide_at(run, from, 0) != SAL_TRIED || decide_at(run, to, 1) != SAL_TRIED) return SAL_OK;
        which = differing(run);
        if (which < 0) return SAL_OK;
        for (int k = 0; k < HALVINGS; k++) {
            const double half = 0.5 * (before + after);
            if (decide_at(run, half, 1) != SAL_TRIED) return SAL_OK;
            if (differing(run) < 0) before = half;
            else after = half, which = differing(run);
        }
        status = compare(run, before, after, &run->kinks.program[which]);
        from   = after;
    }
    return status;
}

sal_status sal_kinks_check(sal_run *run)
{
    sal_status status = SAL_OK;

    if (run->kinks.n == 0 || sal_stepper_make_dense(&run->stepper) != SAL_TRIED) return SAL_OK;
    for (int k = 0; k < PLACES && status == SAL_OK; k++)
        status = check_part(run, (double)k / PLACES, (k + 1.0) / PLACES);
    sal_run_restore_end(run);
    return status;
}
