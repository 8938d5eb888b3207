/* kinks.c - curves that constraints follow must be smooth.
 *
 * A constraint that holds (a contact on a profile, a curve) is followed without an impulse, so that in Phi(q, t) = 0
 * and Phidot = 0 neither may jump along the motion: the mechanism would be thrown to another place, or its velocities
 * would change by nothing. Such jumps come from abs, min, max, sign, step, if and comparisons of places. Where what
 * these decide changes in a step, the place is found by halving, and Phi and Phidot just before and just after it are
 * compared. A change of the curvature is nothing: forces jump, and the step is chosen accordingly. */
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

/* The nodes of a program that decide by places: list [n], or NULL to count them. `moves` [n] is workspace. */
static int find_decisions(const sal_program *p, int coordinates, bool *moves, int *list)
{
    int n = 0;

    for (int k = 0; k < p->n; k++) {
        const sal_node *x   = &p->node[k];
        const int       ops = sal_op_operands(x->op);
        moves[k]            = x->op == SAL_OP_LEAF && x->a == SAL_SRC_Z && x->b < coordinates;
        for (int i = 0; i < ops; i++) moves[k] = moves[k] || moves[i == 0 ? x->a : i == 1 ? x->b : x->c];
        if (!decides(x->op) || !(x->op == SAL_OP_IF ? moves[x->a] : moves[k])) continue;
        if (list) list[n] = k;
        n++;
    }
    return n;
}

sal_status sal_kinks_init(sal_run *run)
{
    const sal_model *model = run->model;
    bool            *moves = SAL_NEW(&run->pool, bool, model->program_max);

    run->kinks.curve = SAL_NEW(&run->pool, sal_kinked, model->nrelation);
    if (run->pool.failed) return SAL_ERR_MEMORY;
    for (int k = 0; k < model->nrelation; k++) {
        const sal_relation *r     = &model->relation[k];
        const int           count = find_decisions(&r->phi, model->n, moves, NULL);
        if (count == 0) continue;
        int *node = SAL_NEW(&run->pool, int, count);
        if (!node) return SAL_ERR_MEMORY;
        find_decisions(&r->phi, model->n, moves, node);
        run->kinks.curve[run->kinks.n++] =
            (sal_kinked){ .program = &r->phi, .row = r->row, .node = node, .nodes = count };
    }
    return SAL_OK;
}

/* ---------------------------------------------------------------------------------------- a state */

/* What the nodes of the program decide at the state, as one number. */
static uint64_t decision_at(sal_system *s, const sal_kinked *x)
{
    uint64_t hash = 1469598103934665603u;

    sal_system_value(s, x->program);
    for (int k = 0; k < x->nodes; k++) {
        const sal_node *node = &x->program->node[x->node[k]];
        const double    a    = s->value[node->a];
        unsigned        decision;
        if (node->op == SAL_OP_MIN || node->op == SAL_OP_MAX) decision = a < s->value[node->b];
        else if (node->op == SAL_OP_ABS || node->op == SAL_OP_SIGN || node->op == SAL_OP_STEP)
            decision = (a > 0.0) + (a >= 0.0); /* on zero it is neither: step and sign are something else there */
        else decision = (node->op == SAL_OP_IF ? a : s->value[x->node[k]]) != 0.0;
        hash = (hash ^ (decision + 1u)) * 1099511628211u;
    }
    return hash;
}

/* What the curve decides at theta of the step, its residual and its rate; false: they are not to be had there. */
static bool look_at(sal_run *run, const sal_kinked *x, double theta, sal_curve_state *at)
{
    sal_system *s = &run->system;

    if (sal_events_move(run, theta) != SAL_TRIED) return false;
    *at = (sal_curve_state){ theta, decision_at(s, x), sal_system_value(s, x->program),
                             sal_relations_rate(&s->rows, x->row, s->z, s->zd) };
    return true;
}

/* Whether the row jumps between two places next to each other; the system is at the second. SAL_ERR_STEP, with a
 * message. */
static sal_status compare(sal_run *run, const sal_kinked *x, const sal_curve_state *one, const sal_curve_state *two)
{
    const sal_tables *tables = run->model->tables;
    const sal_place  *place  = &tables->elements.at[tables->rows.at[x->row].element].place;
    sal_system       *s      = &run->system;
    const sal_scale   scale  = sal_scale_at(s);
    double            size   = 0.0;

    sal_rows_jacobian(&s->rows, s->z, s->entry);
    for (int k = run->model->jp[x->row]; k < run->model->jp[x->row + 1]; k++) size = fmax(size, fabs(s->entry[k]));
    const bool step = fabs(two->phi - one->phi) > SAL_JUMPS * size * s->length;
    const bool kink = fabs(two->rate - one->rate) > SAL_JUMPS * size * fmax(scale.speed, scale.natural);
    if (!step && !kink) return SAL_OK;
    return sal_run_fail(
        run, SAL_ERR_STEP,
        "%s:%d:%d: %s: its curve has a %s where it is passed at t = %.9g s, and what follows it would %s; "
        "expected a smooth curve (ground with corners is a 'line')",
        tables->file, place->line, place->column, place->path, step ? "step" : "kink", s->z[tables->time],
        step ? "be thrown to another place" : "need an impulse");
}

/* Changes of what a curve decides between two places of the step. */
static sal_status check_part(sal_run *run, const sal_kinked *x, double from, double to)
{
    sal_status      status = SAL_OK;
    sal_curve_state first, last, middle;

    if (!look_at(run, x, from, &first)) return SAL_OK;
    for (int i = 0; i < PLACES && status == SAL_OK; i++) { /* one change after the other */
        if (!look_at(run, x, to, &last) || last.decision == first.decision) return SAL_OK;
        for (int k = 0; k < HALVINGS; k++) {
            if (!look_at(run, x, 0.5 * (first.theta + last.theta), &middle)) return SAL_OK;
            if (middle.decision == first.decision) first = middle;
            else last = middle;
        }
        if (!look_at(run, x, last.theta, &middle)) return SAL_OK;
        status = compare(run, x, &first, &last);
        first  = last;
    }
    return status;
}

bool sal_kinks_followed(const sal_run *run)
{
    for (int c = 0; c < run->kinks.n; c++) {
        if (run->system.mode.held[run->kinks.curve[c].row]) return true;
    }
    return false;
}

sal_status sal_kinks_check(sal_run *run)
{
    sal_status status = SAL_OK;

    if (run->kinks.n == 0 || !(run->stepper.h > 0.0) || sal_stepper_make_dense(&run->stepper) != SAL_TRIED)
        return SAL_OK;
    for (int c = 0; c < run->kinks.n; c++) {
        const sal_kinked *x = &run->kinks.curve[c];
        for (int k = 0; k < PLACES && status == SAL_OK && run->system.mode.held[x->row]; k++)
            status = check_part(run, x, (double)k / PLACES, (k + 1.0) / PLACES);
    }
    sal_run_restore_end(run);
    return status;
}
