/* columns.c - which columns of the sensitivities are in use, and those that are told.
 *
 * A knot of a function of time that lies ahead has not acted: its column is zero, and is not there. Columns are kept in
 * the order in which they begin to act, the first `p` of them in use; where more begin the rows of all that is kept of
 * them, [.][p], become longer. So nothing else has to know. What readers see is in their own order, [.][all]. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/vector.h"
#include "engine/run/run.h"

enum { GROUP = 8 }; /* columns begin in groups: solves take several at once */

/* The vector that a parameter is a knot of; NULL: it is none, or acts from the start. */
static const sal_vector *vector_of(const sal_tables *tables, const sal_wrt *wrt)
{
    for (int k = 0; k < tables->vectors.n && wrt->parameter >= tables->scalars; k++) {
        const sal_vector *v = &tables->vectors.at[k];
        if (wrt->parameter >= v->first && wrt->parameter < v->first + v->n) return v;
    }
    return NULL;
}

/* The first piece that depends on it. */
static int first_piece(const sal_vector *v, const sal_wrt *wrt)
{
    return wrt->parameter - v->first - (v->kind != SAL_KNOTS_STEPS) - sal_knots_reach(v);
}

static double begins(const sal_tables *tables, const sal_wrt *wrt)
{
    const sal_vector *v = vector_of(tables, wrt);

    if (!v) return -HUGE_VAL;
    return v->from + first_piece(v, wrt) * (v->to - v->from) / (v->kind == SAL_KNOTS_STEPS ? v->n : v->n - 1);
}

void sal_columns_order(sal_run *run, sal_wrt *wrt)
{
    const sal_tables *tables = run->model->tables;

    for (int c = 0; c < run->all; c++) { /* by insertion: nearly in order already */
        const sal_wrt one  = wrt[c];
        const double  time = begins(tables, &one);
        int           at   = c;
        for (; at > 0 && begins(tables, &wrt[at - 1]) > time; at--) {
            wrt[at]         = wrt[at - 1];
            run->column[at] = run->column[at - 1];
        }
        wrt[at]         = one;
        run->column[at] = c;
    }
    for (int c = 0; c < run->all; c++) {
        run->wrt[c]   = run->names[run->column[c]];
        run->in_order = (c == 0 || run->in_order) && run->column[c] == c;
    }
}

/* How many are needed in the pieces that hold. */
static int needed(const sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    int               count  = run->all;

    for (; count > 0; count--) {
        const sal_wrt    *wrt = &run->tangent.wrt[count - 1];
        const sal_vector *v   = vector_of(tables, wrt);
        if (!v || first_piece(v, wrt) <= (int)run->system.z[v->window + SAL_PIECE_INDEX]) break;
    }
    count = (count + GROUP - 1) / GROUP * GROUP;
    return count == 0 ? (run->all < GROUP ? run->all : GROUP) : count < run->all ? count : run->all;
}

void sal_columns_use(sal_run *run, int p)
{
    const int size = sal_run_state_size(run), works = run->works.smooth;

    run->p              = p;
    run->tangent.p      = p;
    run->stepper.active = size + (size - works) * p;
    if (!run->asked.wrt_uncontrolled) run->stepper.control = run->stepper.active;
}

void sal_columns_begin(sal_run *run)
{
    const size_t row = sizeof(double) * (size_t)run->all;

    if (!run->all || run->stepper.active == sal_run_state_size(run)) return; /* nothing is integrated along them */
    sal_columns_use(run, needed(run));
    run->shown.fresh = true;
    memset(run->tau_end, 0, row);
    memset(run->record.tau, 0, row);
    memset(run->record.tau_parts, 0, row);
    memset(run->hidden.record.tau, 0, row);
    memset(run->hidden.record.tau_parts, 0, row);
    memset(run->due_tau, 0, row);
    memset(run->due_parts, 0, row);
    memset(run->instants.tau, 0, row);
}

/* Rows of p numbers become rows of `wider`, with zeros behind. */
static void widen(double *x, int rows, int p, int wider)
{
    for (int k = rows - 1; k >= 0 && x; k--) {
        memmove(x + (size_t)k * (size_t)wider, x + (size_t)k * (size_t)p, sizeof *x * (size_t)p);
        memset(x + (size_t)k * (size_t)wider + p, 0, sizeof *x * (size_t)(wider - p));
    }
}

static void widen_tangent(sal_tangent *t, const sal_model *model, int p, int wider)
{
    widen(t->z, model->nz, p, wider);
    widen(t->zd, model->nz, p, wider);
    widen(t->zdd, model->nz, p, wider);
    widen(t->gravity, model->nz, p, wider);
    widen(t->lambda, model->m, p, wider);
    widen(t->corner, model->m, p, wider);
    widen(t->share, model->m, p, wider);
    widen(t->share_start, model->m, p, wider);
    widen(t->mass, model->tables->masses.n, p, wider);
    widen(t->xi, 1, p, wider);
    widen(t->omega, 1, p, wider);
}

void sal_columns_widen(sal_run *run, int wider)
{
    const int n = run->model->n, m = run->model->m, costs = run->model->tables->costs.n, p = run->p;
    const int first = sal_run_state_size(run);

    if (!run->all || wider <= p) return;
    widen_tangent(&run->tangent, run->model, p, wider);
    widen(run->y + first, 2 * n + costs, p, wider);
    widen(run->stepper.y1 + first, 2 * n + costs, p, wider);
    widen(run->end.A, n, p, wider);
    widen(run->end.Lambda, m, p, wider);
    widen(run->record.Q, n, p, wider);
    widen(run->record.V, n, p, wider);
    widen(run->record.Lambda, m, p, wider);
    widen(run->contacts.impulse_change, m, p, wider);
    widen(run->noted_change, run->model->tables->notes.n, p, wider);
    widen(run->instants.peak_change, costs, p, wider);
    widen(run->instants.sum_change, costs, p, wider);
    sal_columns_use(run, wider);
}

void sal_columns_next(sal_run *run)
{
    sal_columns_widen(run, needed(run));
}

/* ---------------------------------------------------------------------------------------- telling */

void sal_columns_tell(const sal_run *run, const double *from, int rows, double *to)
{
    const size_t p = (size_t)run->p, all = (size_t)run->all;

    if (run->in_order && p == all) {
        memcpy(to, from, sizeof *to * (size_t)rows * all);
        return;
    }
    memset(to, 0, sizeof *to * (size_t)rows * all);
    for (size_t k = 0; k < (size_t)rows; k++) {
        for (size_t c = 0; c < p; c++) to[k * all + (size_t)run->column[c]] = from[k * p + c];
    }
}

/* Whether the row of a slot changes in a run: coordinates, functions of time, what follows memory or parts of lines. */
static bool changes(const sal_tables *t, int slot)
{
    for (int k = 0; k < t->followers.n; k++) {
        const sal_follower *f = &t->followers.at[k];
        if (slot >= f->slots && slot < f->slots + SAL_PART_SLOTS * f->follow.contacts) return true;
    }
    return slot < t->n || t->timed.at[slot] || t->kept.at[slot];
}

void sal_columns_show(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    sal_shown        *shown  = &run->shown;
    const int         nz     = run->model->nz;

    if (shown->fresh) {
        shown->nmoving = 0;
        for (int k = 0; k < nz; k++) {
            if (changes(tables, k)) shown->moving[shown->nmoving++] = k;
        }
        sal_columns_tell(run, run->tangent.z, nz, shown->dz);
        sal_columns_tell(run, run->tangent.zd, nz, shown->dzd);
        sal_columns_tell(run, run->tangent.zdd, nz, shown->dzdd);
        sal_columns_tell(run, run->tangent.mass, tables->masses.n, shown->tangent.mass);
    }
    for (int i = 0; i < shown->nmoving && !shown->fresh; i++) {
        const size_t from = (size_t)shown->moving[i] * (size_t)run->p, to = (size_t)shown->moving[i] * (size_t)run->all;
        sal_columns_tell(run, run->tangent.z + from, 1, shown->dz + to);
        if (shown->moving[i] >= tables->n && !tables->timed.at[shown->moving[i]]) continue;
        sal_columns_tell(run, run->tangent.zd + from, 1, shown->dzd + to);
        sal_columns_tell(run, run->tangent.zdd + from, 1, shown->dzdd + to);
    }
    shown->fresh = false;
}

void sal_columns_tell_event(sal_run *run)
{
    const int n = run->model->n, m = run->model->m;

    if (!run->all) return;
    sal_columns_tell(run, run->record.Q, n, run->told_event.Q);
    sal_columns_tell(run, run->record.V, n, run->told_event.V);
    sal_columns_tell(run, run->record.Lambda, m, run->told_event.Lambda);
    sal_columns_tell(run, run->record.tau, 1, run->told_event.tau);
    sal_columns_tell(run, run->contacts.impulse_change, m, run->told_event.impulse_change);
}

const sal_wrt *sal_columns_wrt(const sal_run *run, int index)
{
    int c = 0;

    while (run->column[c] != index) c++;
    return &run->tangent.wrt[c];
}
