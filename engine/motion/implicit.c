/* implicit.c - the equations of motion as an implicit step sees them.
 *
 * R = [F - M a - Phi_q^T lambda; C - Phi_q a], a and lambda held, changes with q and v by A0 and A1. What couples two
 * coordinates in it: a row that has both (its force turns with them), a spring between them, a formula that reads one
 * and acts on the other. The tangent gives all columns of a colour at once, exactly. */
#include "engine/motion/motion.h"

#include <string.h>

/* Coordinates that something reads or acts on: each is coupled with each. */
typedef SAL_VEC(int) coordinates;
typedef SAL_VEC(sal_pair) couplings;

static void add_coordinate(sal_pool *pool, const sal_model *model, coordinates *list, int slot)
{
    int *at;

    if (slot >= model->n) return;
    for (int k = 0; k < list->n; k++) {
        if (list->at[k] == slot) return;
    }
    at = SAL_PUSH(pool, list);
    if (at) *at = slot;
}

static void add_read(sal_pool *pool, const sal_model *model, coordinates *list, const sal_program *p)
{
    const unsigned places = 1u << SAL_SRC_Z | 1u << SAL_SRC_ZD | 1u << SAL_SRC_ZDD;

    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        if (places & 1u << leaf->a) add_coordinate(pool, model, list, leaf->b);
    }
}

static void add_point(sal_pool *pool, const sal_model *model, coordinates *list, const sal_basis *b)
{
    const sal_slot slots[] = { b->xi, b->yi, b->xj, b->yj };

    for (int k = 0; k < SAL_COUNT(slots); k++) add_coordinate(pool, model, list, slots[k]);
}

static void couple(sal_pool *pool, couplings *pairs, const coordinates *list)
{
    for (int i = 0; i < list->n; i++) {
        for (int j = i + 1; j < list->n; j++) {
            sal_pair *pair = SAL_PUSH(pool, pairs);
            if (pair) *pair = (sal_pair){ list->at[i], list->at[j] };
        }
    }
}

/* All of a row: what it has in K, and what the coefficients of its formula read. */
static void add_row(sal_pool *pool, const sal_model *model, int r, coordinates *list)
{
    for (int k = model->jp[r]; k < model->jp[r + 1]; k++) add_coordinate(pool, model, list, model->jc[k]);
    if (model->relation_of[r] >= 0) add_read(pool, model, list, &model->relation[model->relation_of[r]].second);
}

static void add_forces(sal_pool *pool, const sal_model *model, couplings *pairs, coordinates *list)
{
    const sal_tables *tables = model->tables;

    for (int k = 0; k < tables->springs.n; k++) {
        list->n = 0;
        add_point(pool, model, list, &tables->springs.at[k].p);
        add_point(pool, model, list, &tables->springs.at[k].q);
        couple(pool, pairs, list);
    }
    for (int k = 0; k < tables->efforts.n; k++) {
        list->n = 0;
        add_read(pool, model, list, &tables->efforts.at[k].force);
        add_read(pool, model, list, &model->effort[k].value);
        couple(pool, pairs, list);
    }
}

sal_status sal_implicit_init(sal_implicit *x, const sal_model *model, sal_pool *pool)
{
    const sal_tables *tables = model->tables;
    sal_pool          own; /* lists */
    couplings         pairs = { 0 };
    coordinates       list = { 0 }, columns = { 0 };
    int              *p;
    sal_wrt          *wrt;
    sal_status        status = SAL_ERR_MEMORY;

    sal_pool_init(&own, tables->context);
    p = SAL_NEW(&own, int, model->m + 1);
    for (int k = 0; k < tables->masses.n; k++) {
        sal_pair *pair = SAL_PUSH(&own, &pairs);
        if (pair) *pair = (sal_pair){ tables->masses.at[k].i, tables->masses.at[k].j };
    }
    add_forces(&own, model, &pairs, &list);
    for (int r = 0; r < model->m && !own.failed; r++) {
        list.n = 0;
        add_row(&own, model, r, &list);
        couple(&own, &pairs, &list);
        for (int k = 0; k < list.n; k++) {
            int *column = SAL_PUSH(&own, &columns);
            if (column) *column = list.at[k];
        }
        p[r + 1] = columns.n;
    }
    if (!own.failed) status = sal_shift_init(&x->shift, &model->motion, pairs.at, pairs.n, p, columns.at, pool);
    wrt = SAL_NEW(&own, sal_wrt, 2 * x->shift.colours);
    for (int c = 0; wrt && c < 2 * x->shift.colours; c++) wrt[c] = SAL_ALONG_MOTION;
    if (status == SAL_OK)
        status = wrt ? sal_tangent_init(&x->along, model, pool, wrt, 2 * x->shift.colours) : SAL_ERR_MEMORY;
    sal_pool_free(&own);
    return status;
}

void sal_implicit_free(sal_implicit *x)
{
    sal_shift_free(&x->shift);
}

void sal_implicit_linearize(sal_implicit *x, sal_system *s, int place)
{
    sal_tangent *t   = &x->along;
    const size_t all = sizeof(double) * (size_t)s->model->n * (size_t)t->p;

    if (place == SAL_STAGES) sal_shift_begin(&x->shift, &s->motion);
    sal_shift_take(&x->shift, place, &s->motion);
    memset(t->z, 0, all);
    memset(t->zd, 0, all);
    for (int c = 0; c < s->model->n; c++) { /* along q, then along v */
        t->z[c * t->p + x->shift.colour[c]]                     = 1.0;
        t->zd[c * t->p + x->shift.colours + x->shift.colour[c]] = 1.0;
    }
    sal_tangent_move(t, s, NULL, NULL);
    sal_tangent_equations(t, s);
    sal_shift_differentiate(&x->shift, place, t->rhs);
}
