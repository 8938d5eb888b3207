/* adjoint_event.c - the transposed of an instant at which events happen.
 *
 * What happens there (events of the scene and of the engine's own, one after the other or together; resets, impacts in
 * two phases and in rows, jams, switches, memory, who holds from then on) is a map of few numbers,
 *
 *     [q; v; memory; weights; parameters]  ->  [q+; v+; memory+; weights+; integrals; time of the end]
 *
 * each of its kinds with a tangent of its own (sens.c, motion/jump.c, contact/phase.c, ...). The echo goes to the
 * moment before it, and makes it again with a unit direction for each of these numbers: J by columns. The cotangents
 * before are J^T times those after: exactly the transposed of what forward derivatives do, of whatever kind the events
 * are. It costs as much as forward derivatives of that many columns, at the instant alone; where there are more than
 * the echo has, it happens again for the next.
 *
 * Values that depend on memory are made of memory: their cotangents go there first, by memory as it is afterwards.
 *
 * Events that coincide, and contacts that touch as they are closed, must do so whatever the parameters are (sens.c).
 * That is asked of directions of parameters, not of unit ones: the differences that must vanish are summed up with
 * weights in no simple ratio as the integral of one more column, whose gradient must be zero. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/run/adjoint.h"

static const double ALMOST_DEPENDENT = 1e-4; /* of a row of length 1 */

static int state_size(const sal_adjoint *a)
{
    const sal_model *model = a->model;

    return 2 * model->n + model->tables->memory.n + (a->shared ? model->m : 0);
}

bool sal_adjoint_by_slots(const sal_adjoint *a)
{
    return a->nreach < a->nmoving && !a->shared; /* of weights the derivatives by parameters are known */
}

/* Those of the state and of parameters, or of the slots through which these act; the slots of knots come behind. */
static int before_windows(const sal_adjoint *a)
{
    return state_size(a) + (sal_adjoint_by_slots(a) ? a->nreach : a->nmoving);
}

int sal_adjoint_directions(const sal_adjoint *a)
{
    return before_windows(a) + a->nwindow;
}

/* --------------------------------------------------------------------------------------- forward */

/* What the columns from `first` on are: nothing, or parameters, or slots. */
static void name_columns(sal_adjoint *a, int first)
{
    sal_run  *r    = a->echo;
    const int from = state_size(a), windows = before_windows(a) - from;

    for (int c = 0; c < r->p; c++) {
        const int k       = first + c - from;
        r->tangent.wrt[c] = SAL_ALONG_MOTION;
        r->wrt[c]         = "";
        if (k >= windows) {
            r->tangent.wrt[c].alone = a->window[k - windows];
        } else if (k >= 0 && sal_adjoint_by_slots(a)) {
            r->tangent.wrt[c].alone = a->reach[k];
        } else if (k >= 0) {
            r->tangent.wrt[c] = a->wrt[a->moving[k]];
            r->wrt[c]         = a->name[a->moving[k]];
        }
    }
}

/* 1 in the columns whose number is k. */
static void mark(const sal_adjoint *a, int first, int count, int k, double *row)
{
    memset(row, 0, sizeof *row * (size_t)a->echo->p);
    if (k >= first && k < first + count) row[k - first] = 1.0;
}

/* How the weights change that rows share by: those of the start with parameters, those of now by themselves. */
static void set_weights(sal_adjoint *a, int first, int count)
{
    sal_tangent     *t     = &a->echo->tangent;
    const sal_model *model = a->model;
    const int        p = a->echo->p, at = 2 * model->n + model->tables->memory.n, from = state_size(a),
              windows = before_windows(a) - from;

    for (int r = 0; r < model->m && a->shared; r++) {
        double *start = SAL_ROW(t->share_start, r, p);
        mark(a, first, count, at + r, SAL_ROW(t->share, r, p));
        for (int c = 0; c < p; c++) {
            const int k = first + c - from;
            start[c]    = c < count && k >= 0 && k < windows ? a->share_start[r * a->p + a->moving[k]] : 0.0;
        }
    }
}

/* Where rows depend on each other, unit directions contradict them, and what they agree in would be lost in rounding.
 * Derivatives at the end of a step have been projected, so that the projection changes nothing but the directions. */
static sal_status make_consistent(sal_adjoint *a, double *Q)
{
    sal_tangent *t      = &a->echo->tangent;
    const int    block  = a->model->n * a->echo->p;
    sal_status   status = sal_system_factor_projected(&a->echo->system, NULL);

    if (status != SAL_OK) return status;
    sal_tangent_project(t, &a->echo->system, NULL);
    memcpy(Q, t->z, sizeof *Q * (size_t)block);
    memcpy(Q + block, t->zd, sizeof *Q * (size_t)block);
    return SAL_OK;
}

/* The echo before the events, with these directions. */
static sal_status set_columns(sal_adjoint *a, int first, int count)
{
    sal_run          *r      = a->echo;
    sal_system       *s      = &r->system;
    sal_tangent      *t      = &r->tangent;
    const sal_tables *tables = a->model->tables;
    const int         n = a->model->n, p = r->p, size = sal_run_state_size(r);
    double           *Q = r->stepper.y1 + size;
    sal_status        status;

    name_columns(a, first);
    status = sal_tangent_set_values(t, s, r->given);
    if (status != SAL_OK) return status;
    for (int k = 0; k < tables->memory.n; k++)
        mark(a, first, count, 2 * n + k, SAL_ROW(t->z, tables->memory.at[k].slot, p));
    sal_tangent_refresh(t, s);
    sal_followers_refresh(&r->contacts, s, t);
    sal_tangent_set_form(t, s);
    set_weights(a, first, count);
    memset(Q, 0, sizeof *Q * (size_t)(r->stepper.n - size));
    for (int k = 0; k < 2 * n; k++) mark(a, first, count, k, SAL_ROW(Q, k, p));
    memset(r->tau_end, 0, sizeof *r->tau_end * (size_t)p);
    sal_system_move(s, r->t1, r->stepper.y1, r->stepper.y1 + n);
    sal_tangent_move(t, s, Q, Q + n * p);
    if (r->system.form == SAL_INDEX1 && r->stepper.h > 0.0 && s->shares) status = make_consistent(a, Q);
    return status;
}

/* How accelerations and forces change just before an event. */
static sal_status change_forces(sal_adjoint *a)
{
    sal_run      *r = a->echo;
    sal_system   *s = &r->system;
    const int     n = a->model->n, p = r->p;
    const double *Q = r->stepper.y1 + sal_run_state_size(r);
    sal_status    status;

    sal_system_move(s, r->t1, r->stepper.y1, r->stepper.y1 + n);
    status = sal_system_accelerate(s);
    if (status != SAL_OK) return status;
    sal_tangent_move(&r->tangent, s, Q, Q + n * p);
    sal_tangent_accelerate(&r->tangent, s);
    memcpy(r->end.A, r->tangent.zdd, sizeof *Q * (size_t)(n * p));
    memcpy(r->end.Lambda, r->tangent.lambda, sizeof *Q * (size_t)(a->model->m * p));
    return SAL_OK;
}

/* In the penalty form rows that depend on each other contradict each other a little, and an impact makes much of that:
 * of unit directions nothing is left that could be told. */
static sal_status check_rows(sal_adjoint *a)
{
    sal_run   *r = a->echo;
    sal_status status;

    if (r->system.form != SAL_PENALTY) return SAL_OK;
    sal_mode_copy(&r->mode, &r->system.mode);
    status = sal_structure_drop(&r->system, ALMOST_DEPENDENT, &r->mode);
    if (status == SAL_END) return SAL_OK;
    if (status != SAL_OK) return status;
    return sal_run_fail(r, SAL_ERR_NUMBER,
                        "constraints depend on each other at the event at t = %.9g s: in the penalty form the adjoint "
                        "cannot go through it; the form index1 can",
                        r->t1);
}

static sal_status happen(sal_adjoint *a, const sal_instant *at, int first, int count)
{
    sal_run   *r = a->echo;
    sal_status status;

    sal_run_go_to_moment(r, at->moment, a->tape.moment);
    sal_adjoint_look_along(a, count);
    r->invalid[0] = r->note[0] = r->system.message[0] = '\0';
    r->record.info.time                               = NAN; /* none before has happened with these directions: */
    memset(r->record.tau, 0, sizeof *r->record.tau * (size_t)r->p); /* what comes at once at the start does not move */
    memset(r->record.tau_parts, 0, sizeof *r->record.tau_parts * (size_t)r->p);
    memset(a->sums, 0, sizeof *a->sums * (size_t)r->p);
    r->conditions.sum   = a->sums;
    r->conditions.count = 0;
    status              = set_columns(a, first, count);
    while (status >= 0 && (sal_run_is_pending(r) || sal_run_ends_piece(r))) {
        status = change_forces(a);
        if (status >= 0) status = sal_run_handle_event(r);
        if (status >= 0) status = check_rows(a);
    }
    r->conditions.sum = NULL;
    if (status < 0) return sal_adjoint_fail(a, status, "%s", r->system.message);
    if (r->invalid[0]) return sal_adjoint_fail(a, SAL_ERR_NUMBER, "%s", r->invalid);
    if (r->note[0]) memcpy(a->note, r->note, sizeof a->note);
    return SAL_OK;
}

/* ------------------------------------------------------------------------------------ transposed */

/* The conditions that these events have to fulfil for every parameter. */
static void take_conditions(sal_adjoint *a)
{
    sal_run *r = a->echo;

    if (!r->conditions.count) return;
    if (!a->conditions)
        memset(a->w + (size_t)a->costs * (size_t)(2 * a->model->n), 0, sizeof *a->w * (size_t)(2 * a->model->n));
    if (!a->conditions) snprintf(a->condition, sizeof a->condition, "%s", r->conditions.first);
    a->conditions = true;
    a->live       = a->columns;
    a->condition_size += r->conditions.count * r->t1;
}

/* The product of column c of the map with the cotangents of `column` after it. */
static double product(const sal_adjoint *a, int column, int c)
{
    const sal_run      *r      = a->echo;
    const sal_tables   *tables = a->model->tables;
    const int           n = a->model->n, p = r->p;
    const double       *Q = r->stepper.y1 + sal_run_state_size(r), *Z = Q + 2 * n * p;
    const double       *w   = a->w + (size_t)column * (size_t)(2 * n);
    const sal_pullback *b   = &a->bar[column];
    double              sum = 0.0;

    for (int k = 0; k < 2 * n; k++) sum += w[k] * Q[k * p + c];
    for (int k = 0; k < tables->memory.n; k++) {
        const sal_slot slot = tables->memory.at[k].slot;
        sum += b->z[slot] * SAL_ROW(r->tangent.z, slot, p)[c];
    }
    for (int k = 0; k < a->model->m && a->shared; k++) sum += b->share[k] * SAL_ROW(r->tangent.share, k, p)[c];
    if (column == a->costs) return sum + a->sums[c];
    if (a->cost[column] >= 0) sum += a->part[column] * Z[a->cost[column] * p + c];
    return sum + (a->end_bar[column] == 0.0 ? 0.0 : a->end_bar[column] * r->tau_end[c]);
}

/* Where the product of column k of the map goes. */
static void give(sal_adjoint *a, int column, int k, double x)
{
    const int n = a->model->n, state = state_size(a), windows = before_windows(a);

    if (k < 2 * n) a->before[column * 2 * n + k] = x;
    else if (k < state) a->memory[column * (a->model->tables->memory.n + a->model->m) + k - 2 * n] = x;
    else if (k >= windows) a->bar[column].z[a->window[k - windows]] += x;
    else if (sal_adjoint_by_slots(a)) a->bar[column].z[a->reach[k - state]] += x;
    else a->gradient[column * a->p + a->moving[k - state]] += x;
}

/* The cotangents before take the place of those after. */
static void go_before(sal_adjoint *a)
{
    const sal_tables *tables = a->model->tables;
    const int         n = a->model->n, m = a->model->m;

    memcpy(a->w, a->before, sizeof *a->w * (size_t)(a->live * 2 * n));
    for (int c = 0; c < a->live; c++) {
        const double *memory = a->memory + c * (tables->memory.n + m);
        for (int k = 0; k < tables->memory.n; k++) a->bar[c].z[tables->memory.at[k].slot] = memory[k];
        if (a->shared) memcpy(a->bar[c].share, memory + tables->memory.n, sizeof *memory * (size_t)m);
    }
}

/* Nothing happens but that pieces of vectors end: their factors are others before, and the state goes on as it was;
 * `after` [memory] is that afterwards. What is prescribed may have a kink there, which is an impact. */
static bool only_ends_pieces(const sal_adjoint *a, const double *after)
{
    const sal_run    *r      = a->echo;
    const sal_tables *tables = a->model->tables;
    const int         event = r->find.pending.event, side = event < 0 ? 0 : tables->events.at[event].side;
    bool              other = memcmp(a->y1, r->stepper.y1, sizeof *a->y1 * (size_t)(2 * a->model->n)) != 0;

    for (int e = 0; e < tables->events.n; e++) other = other || r->find.due[e].due;
    for (int k = 0; k < tables->memory.n; k++) other = other || after[k] != r->system.z[tables->memory.at[k].slot];
    return side > 0 && tables->sides.at[side - 1].vector && !other && !a->prescribes && !a->shared;
}

sal_status sal_adjoint_instant(sal_adjoint *a, const sal_instant *at)
{
    const int  all = sal_adjoint_directions(a), p = a->echo_room;
    sal_status status = SAL_OK;

    if (a->model->tables->vectors.n) {
        double *after = a->memory; /* workspace */
        for (int k = 0; k < a->model->tables->memory.n; k++)
            after[k] = a->echo->system.z[a->model->tables->memory.at[k].slot];
        for (int c = 0; c < a->live && a->of_knot; c++)
            sal_knots_pull(&a->bar[c], &a->echo->system, a->of_knot, a->gradient + (size_t)c * (size_t)a->p);
        sal_adjoint_look_along(a, 0);
        sal_run_go_to_moment(a->echo, at->moment, a->tape.moment);
        if (only_ends_pieces(a, after)) return SAL_OK;
    }
    for (int first = 0; first < all; first += p) {
        const int count = first + p < all ? p : all - first;
        status          = happen(a, at, first, count);
        if (status != SAL_OK) return status;
        if (first == 0) take_conditions(a);
        for (int c = 0; c < a->live && first == 0; c++) sal_pullback_kept(&a->bar[c], &a->echo->system);
        for (int column = 0; column < a->live; column++) {
            for (int c = 0; c < count; c++) give(a, column, first + c, product(a, column, c));
        }
    }
    go_before(a);
    sal_adjoint_look_along(a, 0);
    memset(a->end_bar, 0, sizeof *a->end_bar * (size_t)a->columns);
    sal_run_go_to_moment(a->echo, at->moment, a->tape.moment);
    return SAL_OK;
}
