/* work.c - the power of all that acts; see run.h.
 *
 * With E = v^T M v / 2 - G^T M z + springs, over all points, those that are prescribed (z_d) too,
 * M a + Phi_q^T lambda = F gives
 *
 *     dE/dt = sum f J v                                     efforts: forces, torques, drag, compliant contacts
 *           - sum c l'^2 + (l - l0) (k' (l - l0)/2 - k l0') springs: dampers, and what follows t
 *           - sum lambda_r (Phi_q v)_r                      rows, v of the coordinates alone
 *           + sum z_d' (M_df a - F_d)                       points that are prescribed
 *
 * F_d being what gravity, springs and the inertia of prescribed points leave there. A row that holds, with no part of
 * it a function of t, does no work: Phi_q v = 0. Others do: what drives (lambda Phi_t), friction while it slides or is
 * carried along by a belt. What a row does that is joined to points that are prescribed, and follows t in no other way,
 * is the work of these points. In penalty form, or without projection, Phi_q v is small and not zero: then all rows
 * work, `constraints`.
 *
 * At an event v jumps, M (v+ - v-) = -Phi_q^T P, and E by -sum P_r (Phi_q (v- + v+)/2)_r, however many impacts it is
 * made of.
 *
 * The energies that types declare for their efforts are no part of E here: an effort does its f J v, whatever it
 * stores. */
#include "engine/run/run.h"

/* The item of an element, of the points, of the constraints: a new one where there is none. */
static int item_of(sal_works *w, int element)
{
    for (int k = 0; k < w->n; k++) {
        if (w->element[k] == element) return k;
    }
    w->element[w->n] = element;
    return w->n++;
}

static bool is_timed(const sal_tables *tables, sal_slot slot)
{
    return slot >= 0 && slot < tables->timed.n && tables->timed.at[slot];
}

/* Whether a value is the number 0, whatever the parameters. */
static bool is_zero(const sal_tables *tables, sal_slot slot)
{
    static const double *const nothing[SAL_SRC_COUNT];
    double                     value[8];

    for (int k = 0; k < tables->parameters.n; k++) {
        if (tables->parameters.at[k].slot == slot) return false;
    }
    for (int k = 0; k < tables->values.n; k++) {
        const sal_value *v = &tables->values.at[k];
        if (v->slot == slot && !v->memory && v->program.nleaf == 0 && v->program.n <= SAL_COUNT(value))
            return sal_program_value(&v->program, nothing, value) == 0.0;
    }
    return false;
}

/* Whether the row follows t by values of its own, and by prescribed points. */
static void find_timed(const sal_model *model, const bool *is_point, int row, bool *own, bool *points)
{
    const sal_tables  *tables = model->tables;
    const sal_program *f      = &tables->rows.at[row].formula;

    for (int k = 0; k < tables->terms.n; k++) {
        const sal_term *t      = &tables->terms.at[k];
        const sal_slot  slot[] = { t->s, t->i, t->j, t->k, t->l };
        for (int i = 0; i < SAL_COUNT(slot) && t->row == row; i++) {
            if (!is_timed(tables, slot[i])) continue;
            *(is_point[slot[i]] ? points : own) = true;
        }
    }
    for (int k = 0; k < f->nleaf; k++) {
        const sal_node *leaf = &f->node[f->leaf[k]];
        if ((leaf->a != SAL_SRC_Z && leaf->a != SAL_SRC_ZD) || !is_timed(tables, leaf->b)) continue;
        *(is_point[leaf->b] ? points : own) = true;
    }
}

static void find_rows(sal_works *w, const sal_model *model, const bool *is_point, bool all)
{
    const sal_tables *tables = model->tables;

    for (int r = 0; r < model->m; r++) {
        const sal_row *row = &tables->rows.at[r];
        bool           own = false, points = false;
        find_timed(model, is_point, r, &own, &points);
        w->of_row[r] = own || row->rate ? item_of(w, row->element)
                       : points         ? item_of(w, SAL_WORK_OF_POINTS)
                       : all            ? item_of(w, SAL_WORK_OF_CONSTRAINTS)
                                        : -1;
        if (w->of_row[r] >= 0) w->row[w->rows++] = r;
    }
}

static void find_forces(sal_works *w, const sal_model *model)
{
    const sal_tables *tables = model->tables;

    for (int k = 0; k < tables->springs.n; k++) {
        const sal_spring *s = &tables->springs.at[k];
        if (is_zero(tables, s->damping) && !is_timed(tables, s->stiffness) && !is_timed(tables, s->length)) continue;
        w->of_spring[w->springs] = item_of(w, s->element);
        w->spring[w->springs++]  = k;
    }
    for (int k = 0; k < tables->efforts.n; k++) w->of_effort[k] = item_of(w, tables->efforts.at[k].element);
}

/* Those that work at events alone follow: contacts, what events let hold, events that set something. */
static void find_jumps(sal_works *w, const sal_model *model)
{
    const sal_tables *tables = model->tables;

    w->smooth = w->n;
    for (int k = 0; k < tables->energies.n; k++) w->of_energy[k] = item_of(w, tables->energy_elements.at[k]);
    for (int k = 0; k < tables->events.n; k++) {
        const sal_event *e    = &tables->events.at[k];
        bool             sets = e->nset > 0;
        for (int i = 0; i < tables->notes.n; i++) sets = sets || tables->notes.at[i].event == k;
        w->of_event[k] = sets ? item_of(w, e->element) : -1;
    }
    for (int k = 0; k < tables->touches.n; k++) {
        const sal_touch *t = &tables->touches.at[k];
        if (w->of_row[t->normal] < 0) w->of_row[t->normal] = item_of(w, tables->rows.at[t->normal].element);
    }
    for (int k = 0; k < tables->switches.n; k++) {
        const sal_element *e = &tables->elements.at[tables->switches.at[k].element];
        for (int r = e->row; r < e->row + e->nrow; r++) {
            if (w->of_row[r] < 0) w->of_row[r] = item_of(w, tables->switches.at[k].element);
        }
    }
}

sal_status sal_works_init(sal_works *w, const sal_model *model, sal_pool *pool, bool all)
{
    const sal_tables *tables   = model->tables;
    bool             *is_point = SAL_NEW(pool, bool, model->nz);

    *w           = (sal_works){ .model = model };
    w->element   = SAL_NEW(pool, int, tables->elements.n + 2);
    w->of_row    = SAL_NEW(pool, int, model->m);
    w->row       = SAL_NEW(pool, int, model->m);
    w->spring    = SAL_NEW(pool, int, tables->springs.n);
    w->of_spring = SAL_NEW(pool, int, tables->springs.n);
    w->of_effort = SAL_NEW(pool, int, tables->efforts.n);
    w->of_energy = SAL_NEW(pool, int, tables->energies.n);
    w->of_event  = SAL_NEW(pool, int, tables->events.n);
    w->driven    = SAL_NEW(pool, sal_slot, 2 * tables->points.n);
    if (pool->failed) return SAL_ERR_MEMORY;
    for (int k = 0; k < tables->points.n; k++) {
        const sal_basis *b       = sal_basis_of(tables, tables->points.at[k].point);
        const sal_slot   slot[2] = { b->xi, b->yi };
        for (int i = 0; i < 2 && tables->points.at[k].kind == SAL_FIXED; i++) {
            if (!is_timed(tables, slot[i]) || is_point[slot[i]]) continue;
            is_point[slot[i]]       = true;
            w->driven[w->ndriven++] = slot[i];
        }
    }
    if (w->ndriven) w->points = item_of(w, SAL_WORK_OF_POINTS);
    find_rows(w, model, is_point, all);
    find_forces(w, model);
    find_jumps(w, model);
    return SAL_OK;
}

/* z_d' (M_df a - F_d), the force being that of the accelerations just made. */
static double power_of_points(const sal_works *w, const sal_system *s)
{
    const sal_tables *tables = w->model->tables;
    double            power  = 0.0;

    for (int k = 0; k < w->ndriven; k++) power -= s->zd[w->driven[k]] * s->force[w->driven[k]];
    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m = &tables->masses.at[k];
        if (m->i >= w->model->n && m->j < w->model->n) power += s->mass[k] * s->zd[m->i] * s->zdd[m->j];
        if (m->j >= w->model->n && m->i < w->model->n) power += s->mass[k] * s->zd[m->j] * s->zdd[m->i];
    }
    return power;
}

void sal_works_power(const sal_works *w, const sal_system *s, double *power)
{
    const sal_model *model = w->model;

    for (int k = 0; k < w->smooth; k++) power[k] = 0.0;
    for (int i = 0; i < w->rows; i++) {
        const int r = w->row[i];
        if (!s->mode.held[r] && !s->mode.acts[r]) continue;
        double rate = 0.0;
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) rate += s->entry[k] * s->zd[model->jc[k]];
        power[w->of_row[r]] -= s->lambda[r] * rate;
    }
    for (int i = 0; i < w->springs; i++)
        power[w->of_spring[i]] += sal_spring_power(&model->tables->springs.at[w->spring[i]], s->z, s->zd);
    for (int k = 0; k < model->tables->efforts.n; k++) power[w->of_effort[k]] += s->rows.power[k];
    if (w->ndriven) power[w->points] += power_of_points(w, s);
}

void sal_works_jump(const sal_works *w, const sal_system *s, const double *entry, const double *impulse,
                    const double *before, double *work)
{
    const sal_model *model = w->model;

    for (int r = 0; r < model->m; r++) {
        double rate = 0.0;
        for (int k = model->jp[r]; k < model->jp[r + 1] && impulse[r] != 0.0; k++)
            rate += entry[k] * (before[model->jc[k]] + s->zd[model->jc[k]]);
        if (w->of_row[r] >= 0) work[w->of_row[r]] -= 0.5 * impulse[r] * rate;
    }
}

double sal_works_energy(const sal_works *w, const sal_system *s)
{
    double energy = sal_masses_energy(w->model, s->z, s->zd, s->mass);

    sal_springs_energy(w->model, s->z, &energy);
    return energy;
}

void sal_works_stored(const sal_works *w, const sal_system *s, double *stored)
{
    for (int k = 0; k < w->n; k++) stored[k] = 0.0;
    for (int k = 0; k < w->model->tables->energies.n; k++)
        stored[w->of_energy[k]] += sal_program_value(&w->model->tables->energies.at[k], s->source, s->value);
}

const char *sal_works_name(const sal_works *w, int item)
{
    const int element = w->element[item];

    return element == SAL_WORK_OF_POINTS        ? "points"
           : element == SAL_WORK_OF_CONSTRAINTS ? "constraints"
                                                : w->model->tables->elements.at[element].name;
}
