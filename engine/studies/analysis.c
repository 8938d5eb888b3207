/* analysis.c - what the constraints of a model are like at a configuration, and what in a scene nothing uses. */
#include <math.h>
#include <string.h>

#include "engine/run/run.h"
#include "engine/base/tolerance.h"

/* ------------------------------------------------------------------------------------- unused things */

typedef struct use { /* which slots of z anything reads */
    const sal_tables *tables;
    bool             *slot;
} use;

static void use_slot(const use *u, sal_slot slot)
{
    if (slot >= 0 && slot < u->tables->timed.n) u->slot[slot] = true;
}

static void use_slot_of(void *self, sal_slot slot)
{
    use_slot(self, slot);
}

static void use_program(const use *u, const sal_program *p)
{
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        if (leaf->a == SAL_SRC_Z || leaf->a == SAL_SRC_ZD || leaf->a == SAL_SRC_ZDD) use_slot(u, leaf->b);
    }
}

static void use_point(const use *u, const sal_basis *p)
{
    const sal_slot slots[] = { p->xi, p->yi, p->xj, p->yj, p->alpha, p->beta };

    for (int k = 0; k < SAL_COUNT(slots); k++) use_slot(u, slots[k]);
}

/* What the equations of motion are made of. */
static void use_motion(use *u)
{
    const sal_tables *tables = u->tables;

    for (int k = 0; k < tables->elements.n; k++) {
        const sal_element *e = &tables->elements.at[k];
        use_slot(u, e->alpha);
        for (int i = 0; i < 2 && e->framed; i++) use_point(u, sal_basis_of(tables, e->ends[i]));
    }
    for (int k = 0; k < tables->terms.n; k++) {
        const sal_term *t       = &tables->terms.at[k];
        const sal_slot  slots[] = { t->s, t->i, t->j, t->k, t->l };
        for (int i = 0; i < SAL_COUNT(slots); i++) use_slot(u, slots[i]);
    }
    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m       = &tables->masses.at[k];
        const sal_slot  slots[] = { m->i, m->j, m->value };
        for (int i = 0; i < SAL_COUNT(slots); i++) use_slot(u, slots[i]);
    }
    for (int k = 0; k < tables->springs.n; k++) {
        const sal_spring *s       = &tables->springs.at[k];
        const sal_slot    slots[] = { s->stiffness, s->length, s->damping };
        use_point(u, &s->p);
        use_point(u, &s->q);
        for (int i = 0; i < SAL_COUNT(slots); i++) use_slot(u, slots[i]);
    }
    sal_contacts_slots(tables, use_slot_of, u);
}

static void use_formula(void *self, const sal_program_use *what)
{
    const bool passive = what->use == SAL_USE_VALUE || what->use == SAL_USE_ENERGY || what->use == SAL_USE_DRAWING;

    if (!passive) use_program(self, what->program); /* values are used by what reads them, pictures use nothing */
}

/* What forces, events and results are made of. */
static void use_formulas(use *u)
{
    const sal_tables *tables = u->tables;

    sal_tables_visit(tables, use_formula, u);
    for (int axis = 0; axis < tables->dimension; axis++) {
        if (tables->cycle.origin[axis] >= 0) use_slot(u, tables->cycle.origin[axis]);
    }
    for (int k = 0; tables->cycle.role && k < tables->n; k++) {
        const int axis = k % tables->dimension;
        if (sal_basis_of(tables, tables->cycle.role[k / tables->dimension])->i[0] != k - axis) use_slot(u, k);
    }
}

/* What a run reads of the scene besides: its settings, where points are and start. */
static void use_settings(const use *u)
{
    const sal_tables     *tables  = u->tables;
    const sal_simulation *sim     = &tables->simulation;
    const sal_slot        slots[] = { sim->duration, sim->rtol,          sim->atol,         sim->output,
                                      sim->max_step, sim->min_step,      sim->alpha,        sim->xi,
                                      sim->omega,    tables->gravity[0], tables->gravity[1] };

    for (int i = 0; i < SAL_COUNT(slots); i++) use_slot(u, slots[i]);
    for (int k = 0; k < tables->points.n; k++) {
        const sal_point_def *p = &tables->points.at[k];
        for (int axis = 0; axis < tables->dimension; axis++) {
            use_slot(u, p->at[axis]);
            use_slot(u, p->velocity[axis]);
        }
    }
    for (int k = 0; k < tables->memory.n; k++) use_slot(u, tables->memory.at[k].slot);
}

/* A point is used where its own slots are: a free one's coordinates, a fixed one's place, a marker's weights. */
static bool point_used(const use *u, const sal_point_def *p)
{
    const sal_basis *basis = sal_basis_of(u->tables, p->point);
    bool             used  = false;

    if (p->kind == SAL_MARKER) return u->slot[basis->alpha] || u->slot[basis->beta];
    for (int axis = 0; axis < u->tables->dimension; axis++) used = used || u->slot[basis->i[axis]];
    return used;
}

/* A value is made of others: what reads it reads them. A value comes after what it reads. */
static void use_values(const use *u)
{
    for (int k = u->tables->values.n - 1; k >= 0; k--) {
        const sal_value *v = &u->tables->values.at[k];
        if (u->slot[v->slot]) use_program(u, &v->program);
    }
}

/* ------------------------------------------------------------------------------------------ public */

struct sal_analysis {
    sal_pool          pool;
    sal_structure     structure;
    const char      **point, **parameter; /* that nothing uses */
    int               points, parameters;
    sal_analysis_info info;
};

static void find_unused(sal_analysis *a, const sal_tables *tables)
{
    use u = { tables, SAL_NEW(&a->pool, bool, tables->timed.n) };

    a->point     = SAL_NEW(&a->pool, const char *, tables->points.n);
    a->parameter = SAL_NEW(&a->pool, const char *, tables->parameters.n + tables->vectors.n + 1);
    if (a->pool.failed) return;
    use_motion(&u);
    use_formulas(&u);
    use_values(&u); /* markers are used through products of their weights */
    for (int k = 0; k < tables->points.n; k++) {
        if (!point_used(&u, &tables->points.at[k])) a->point[a->points++] = tables->points.at[k].name;
    }
    use_settings(&u);
    use_values(&u);
    for (int k = 0; k < tables->vectors.n; k++) {
        if (!u.slot[tables->vectors.at[k].now]) a->parameter[a->parameters++] = tables->vectors.at[k].name;
    }
    for (int k = 0; k < tables->scalars; k++) {
        if (!u.slot[tables->parameters.at[k].slot]) a->parameter[a->parameters++] = tables->parameters.at[k].name;
    }
}

sal_status sal_analysis_create(const sal_run *run, sal_analysis **analysis)
{
    const sal_model *model = run->model;
    sal_system       s;
    sal_pool         pool;
    sal_analysis    *a;

    *analysis = NULL;
    sal_pool_init(&pool, run->context);
    a = SAL_NEW(&pool, sal_analysis, 1);
    if (!a) return sal_out_of_memory(run->context);
    a->pool = pool;
    if (sal_run_shown_system(run, &a->pool, &s) && sal_structure_find(&s, &a->pool, &a->structure) == SAL_OK)
        find_unused(a, model->tables);
    if (a->pool.failed) {
        pool = a->pool;
        sal_pool_free(&pool);
        return sal_out_of_memory(run->context);
    }
    a->info   = (sal_analysis_info){ .constraints       = a->structure.rows,
                                     .rank              = a->structure.rank,
                                     .freedom           = model->n - a->structure.rank,
                                     .singular          = a->structure.singular,
                                     .near_singular     = a->structure.singular < SAL_NEAR_SINGULAR,
                                     .dependencies      = a->structure.ndependent,
                                     .unused_points     = a->points,
                                     .unused_parameters = a->parameters };
    *analysis = a;
    return SAL_OK;
}

void sal_analysis_destroy(sal_analysis **analysis)
{
    sal_analysis *a = *analysis;
    sal_pool      pool;

    *analysis = NULL;
    if (!a) return;
    pool = a->pool; /* it lies in there itself */
    sal_pool_free(&pool);
}

sal_analysis_info sal_analysis_get_info(const sal_analysis *analysis)
{
    return analysis->info;
}

bool sal_analysis_dependency(const sal_analysis *analysis, int index, sal_dependency *dependency)
{
    const sal_dependent *d;

    if (index < 0 || index >= analysis->structure.ndependent) return false;
    d           = &analysis->structure.dependent[index];
    *dependency = (sal_dependency){ d->row, d->count, d->of, d->factor, d->here };
    return true;
}

const char *sal_analysis_unused_point(const sal_analysis *analysis, int index)
{
    return index >= 0 && index < analysis->points ? analysis->point[index] : NULL;
}

const char *sal_analysis_unused_parameter(const sal_analysis *analysis, int index)
{
    return index >= 0 && index < analysis->parameters ? analysis->parameter[index] : NULL;
}
