/* model.c - numbering, sparsity and symbolic factorisations of a tables. */
#include "engine/model/model.h"
#include "engine/base/vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ Jacobian */

static int sort_unique(int *list, int n)
{
    int used = 0;

    qsort(list, (size_t)n, sizeof *list, sal_compare_ints);
    for (int k = 0; k < n; k++) {
        if (k == 0 || list[k] != list[k - 1]) list[used++] = list[k];
    }
    return used;
}

/* Where column `slot` of row r stands, or the entry behind the end for what is no coordinate. */
static int entry_of(const sal_model *model, int row, sal_slot slot)
{
    const int  nothing = model->jp[model->m], *first = model->jc + model->jp[row];
    const int *found;

    if (slot >= model->n) return nothing;
    found = bsearch(&slot, first, (size_t)(model->jp[row + 1] - model->jp[row]), sizeof *first, sal_compare_ints);
    return (int)(found - model->jc);
}

/* Columns of a row given by a formula. */
static int formula_columns(const sal_model *model, int row, int *column)
{
    const sal_program *p    = &model->relation[model->relation_of[row]].rate.value;
    int                used = 0;

    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        if (leaf->a == SAL_SRC_ZD && leaf->b < model->n) column[used++] = leaf->b;
    }
    return used;
}

static void build_jacobian(sal_model *model)
{
    const sal_tables *tables = model->tables;
    const sal_term   *term   = tables->terms.at;
    int               used = 0, next = 0, room = 4 * tables->terms.n;

    for (int k = 0; k < model->nrelation; k++) room += 2 * model->relation[k].rate.value.nleaf;
    for (int r = 0; r < model->m; r++) { /* one of them may act along the other: both have the columns of both */
        const int partner = tables->rows.at[r].partner;
        if (partner >= 0) room += model->relation[model->relation_of[partner]].rate.value.nleaf;
    }
    model->jp     = SAL_NEW(&model->pool, int, model->m + 1);
    model->jc     = SAL_NEW(&model->pool, int, room);
    model->target = SAL_NEW(&model->pool, sal_term_target, tables->terms.n);
    if (model->pool.failed) return;
    for (int r = 0; r < model->m; r++) { /* terms are in the order of their rows */
        int first = used;
        for (; next < tables->terms.n && term[next].row == r; next++) {
            const sal_slot slots[] = { term[next].i, term[next].j, term[next].k, term[next].l };
            for (int k = 0; k < SAL_COUNT(slots); k++) {
                if (slots[k] < model->n) model->jc[used++] = slots[k];
            }
        }
        if (model->relation_of[r] >= 0) {
            const int other = tables->rows.at[r].partner;
            used += formula_columns(model, r, model->jc + used);
            if (other >= 0) used += formula_columns(model, other, model->jc + used);
        }
        used             = first + sort_unique(model->jc + first, used - first);
        model->jp[r + 1] = used;
    }
    for (int k = 0; k < tables->terms.n; k++) {
        const sal_term *t = &term[k];
        model->target[k]  = (sal_term_target){ entry_of(model, t->row, t->i), entry_of(model, t->row, t->j),
                                               entry_of(model, t->row, t->k), entry_of(model, t->row, t->l) };
    }
    for (int k = 0; k < model->nrelation; k++) {
        const sal_relation *r = &model->relation[k];
        for (int i = 0; i < r->rate.value.nleaf; i++) {
            const sal_node *leaf = &r->rate.value.node[r->rate.value.leaf[i]];
            r->entry[i]          = entry_of(model, r->row, leaf->a == SAL_SRC_ZD ? leaf->b : model->n);
        }
    }
}

/* Workspace for evaluation is as long as the longest program. */
static void longest_program(sal_model *model, const sal_program *p)
{
    if (p->n > model->program_max) model->program_max = p->n;
}

/* --------------------------------------------------------------------------------------- systems */

/* A pattern of the motion's rows with extra rows below: entry k of extra row r in column xc[k], xp[r] <= k < xp[r+1].
 */
static sal_status extended_pattern(sal_model *model, const sal_pair *pairs, int nextra, const int *xp, const int *xc,
                                   sal_pattern *pattern)
{
    const int base = model->jp[model->m], m = model->m;
    int      *p = SAL_NEW(&model->pool, int, m + nextra + 1), *c = SAL_NEW(&model->pool, int, base + xp[nextra]);

    if (!p || !c) return SAL_ERR_MEMORY;
    memcpy(p, model->jp, sizeof *p * (size_t)(m + 1));
    memcpy(c, model->jc, sizeof *c * (size_t)base);
    for (int r = 0; r < nextra; r++) p[m + r + 1] = base + xp[r + 1];
    memcpy(c + base, xc, sizeof *c * (size_t)xp[nextra]);
    return sal_pattern_create(&model->pool, model->n, pairs, model->tables->masses.n, m + nextra, p, c, pattern);
}

typedef struct velocity_leaf {
    int slot;
} velocity_leaf;

static sal_leaf_derivative only_this_velocity(const void *self, sal_source source, int slot)
{
    const bool this_one = source == SAL_SRC_ZD && slot == ((const velocity_leaf *)self)->slot;

    return (sal_leaf_derivative){ .kind = this_one ? SAL_LEAF_ONE : SAL_LEAF_ZERO };
}

/* Extra rows of an event: one for each velocity that it sets, one for each marked coordinate that none of them reads.
 */
static sal_status build_jump(sal_model *model, const sal_pair *pairs, const sal_event *event, sal_jump *jump)
{
    bool      *read = SAL_NEW(&model->pool, bool, model->n);
    int       *keep = SAL_NEW(&model->pool, int, model->ndof);
    int        rows = 0, used = 0, leaves = 0;
    sal_status status;

    if (event->nset == 0) return SAL_OK;
    for (int k = 0; k < event->nset; k++) leaves += model->tables->setters.at[event->set + k].velocity.nleaf;
    jump->nset  = event->nset;
    jump->entry = SAL_NEW(&model->pool, sal_program, leaves);
    jump->keep  = keep;
    jump->xp    = SAL_NEW(&model->pool, int, event->nset + model->ndof + 1);
    jump->xc    = SAL_NEW(&model->pool, int, leaves + model->ndof);
    if (model->pool.failed) return SAL_ERR_MEMORY;
    for (int k = 0; k < event->nset; k++) {
        const sal_program *p = &model->tables->setters.at[event->set + k].velocity;
        for (int i = 0; i < p->nleaf; i++) {
            const sal_node *leaf = &p->node[p->leaf[i]];
            if (leaf->a != SAL_SRC_ZD || leaf->b >= model->n) continue;
            status = sal_program_differentiate(&model->pool, p, only_this_velocity, &(velocity_leaf){ leaf->b },
                                               &jump->entry[used]);
            if (status != SAL_OK) return status;
            longest_program(model, &jump->entry[used]);
            jump->xc[used++] = leaf->b;
            read[leaf->b]    = true;
        }
        jump->xp[++rows] = used;
    }
    for (int k = 0; k < model->ndof; k++) {
        if (read[model->dof[k]]) continue;
        keep[jump->nkeep++] = model->dof[k];
        jump->xc[used++]    = model->dof[k];
        jump->xp[++rows]    = used;
    }
    return extended_pattern(model, pairs, rows, jump->xp, jump->xc, &jump->pattern);
}

static sal_status build_systems(sal_model *model)
{
    const sal_tables *tables = model->tables;
    sal_pair         *pairs  = SAL_NEW(&model->pool, sal_pair, tables->masses.n);
    sal_status        status;

    model->jump    = SAL_NEW(&model->pool, sal_jump, tables->events.n);
    model->start_p = SAL_NEW(&model->pool, int, model->ndof + 1);
    if (model->pool.failed) return SAL_ERR_MEMORY;
    for (int k = 0; k < tables->masses.n; k++) pairs[k] = (sal_pair){ tables->masses.at[k].i, tables->masses.at[k].j };
    for (int k = 0; k <= model->ndof; k++) model->start_p[k] = k;
    status = sal_pattern_create(&model->pool, model->n, pairs, tables->masses.n, model->m, model->jp, model->jc,
                                &model->motion);
    if (status == SAL_OK)
        status = extended_pattern(model, pairs, model->ndof, model->start_p, model->dof, &model->start);
    for (int e = 0; e < tables->events.n && status == SAL_OK; e++) {
        status = build_jump(model, pairs, &tables->events.at[e], &model->jump[e]);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------- events */

/* Degree of a program as a polynomial in the coordinates, velocities and time, -1 when it is none. */
static int polynomial_degree(const sal_tables *tables, const sal_program *p, int *degree)
{
    for (int k = 0; k < p->n; k++) {
        const sal_node *n = &p->node[k];
        const int a = sal_op_operands(n->op) > 0 ? degree[n->a] : 0, b = sal_op_operands(n->op) > 1 ? degree[n->b] : 0;
        bool      flat = a == 0 && b == 0 && (sal_op_operands(n->op) < 3 || degree[n->c] == 0);

        switch (n->op) {
        case SAL_OP_CONST: degree[k] = 0; break;
        case SAL_OP_LEAF:
            if (n->a == SAL_SRC_Z || n->a == SAL_SRC_ZD) degree[k] = n->b < tables->n || n->b == tables->time;
            if (n->b >= tables->n && n->b != tables->time && tables->timed.at[n->b]) degree[k] = -1;
            if (n->a != SAL_SRC_Z && n->a != SAL_SRC_ZD) degree[k] = -1;
            break;
        case SAL_OP_NEG: degree[k] = a; break;
        case SAL_OP_ADD:
        case SAL_OP_SUB: degree[k] = a < 0 || b < 0 ? -1 : a > b ? a : b; break;
        case SAL_OP_MUL: degree[k] = a < 0 || b < 0 ? -1 : a + b; break;
        case SAL_OP_DIV: degree[k] = b == 0 ? a : -1; break;
        default: degree[k] = flat ? 0 : -1; break;
        }
    }
    return degree[p->n - 1];
}

/* ------------------------------------------------------------------------------------------ lists */

/* d/dt on the leaves of a function of time. */
static sal_leaf_derivative rate_of_leaf(const void *self, sal_source source, int slot)
{
    const sal_tables *tables = self;

    if (slot == tables->time && source == SAL_SRC_Z) return (sal_leaf_derivative){ .kind = SAL_LEAF_ONE };
    if (!tables->timed.at[slot]) return (sal_leaf_derivative){ .kind = SAL_LEAF_ZERO };
    return (sal_leaf_derivative){ SAL_LEAF_READ, source == SAL_SRC_Z ? SAL_SRC_ZD : SAL_SRC_ZDD, slot };
}

static sal_status build_timed(sal_model *model)
{
    const sal_tables *tables = model->tables;

    model->timed = SAL_NEW(&model->pool, sal_timed, tables->values.n);
    for (int k = 0; k < tables->values.n && model->timed; k++) {
        sal_timed *t = &model->timed[model->ntimed];
        if (!tables->values.at[k].timed) continue;
        *t = (sal_timed){ .value = k, .slot = tables->values.at[k].slot, .program[0] = tables->values.at[k].program };
        for (int i = 0; i < 2; i++) {
            sal_status status =
                sal_program_differentiate(&model->pool, &t->program[i], rate_of_leaf, tables, &t->program[i + 1]);
            if (status == SAL_OK) continue;
            sal_clear_errors(tables->context);
            sal_add_error(tables->context, tables->file, tables->values.at[k].place.line,
                          tables->values.at[k].place.column, tables->values.at[k].place.path,
                          "too long a function of time");
            return status;
        }
        for (int i = 0; i < 3; i++) longest_program(model, &t->program[i]);
        model->ntimed++;
    }
    return model->pool.failed ? SAL_ERR_MEMORY : SAL_OK;
}

/* ------------------------------------------------------------------------------------- formulas */

sal_leaf_derivative sal_rate_in_motion(const void *self, sal_source source, int slot)
{
    const sal_tables *tables = self;

    if (source == SAL_SRC_Z && (slot < tables->n || tables->timed.at[slot])) /* t as well: its zd is 1 */
        return (sal_leaf_derivative){ SAL_LEAF_READ, SAL_SRC_ZD, slot };
    if (source == SAL_SRC_ZD && slot != tables->time) return (sal_leaf_derivative){ SAL_LEAF_READ, SAL_SRC_ZDD, slot };
    return (sal_leaf_derivative){ .kind = SAL_LEAF_ZERO };
}

/* d/dt along the motion with q'' = 0. */
static sal_leaf_derivative rate_unaccelerated(const void *self, sal_source source, int slot)
{
    if (source == SAL_SRC_ZD && slot < ((const sal_tables *)self)->n)
        return (sal_leaf_derivative){ .kind = SAL_LEAF_ZERO };
    return sal_rate_in_motion(self, source, slot);
}

/* The change with z along a direction that is read in place of zdd. */
static sal_leaf_derivative along_direction(const void *self, sal_source source, int slot)
{
    (void)self;
    if (source == SAL_SRC_Z) return (sal_leaf_derivative){ SAL_LEAF_READ, SAL_SRC_ZDD, slot };
    return (sal_leaf_derivative){ .kind = SAL_LEAF_ZERO };
}

/* The same with zd as well, whose direction is read in place of lambda. */
static sal_leaf_derivative along_directions(const void *self, sal_source source, int slot)
{
    if (source == SAL_SRC_ZD) return (sal_leaf_derivative){ SAL_LEAF_READ, SAL_SRC_LAMBDA, slot };
    return along_direction(self, source, slot);
}

static sal_status differentiate(sal_model *model, const sal_program *p, sal_leaf_rule rule, sal_program *out)
{
    sal_status status = sal_program_differentiate(&model->pool, p, rule, model->tables, out);

    longest_program(model, out);
    return status;
}

static sal_status build_rate(sal_model *model, const sal_program *value, sal_rate *rate)
{
    rate->value = *value;
    longest_program(model, value);
    return differentiate(model, value, along_direction, &rate->turning);
}

static sal_status build_relation(sal_model *model, int row, sal_relation *r)
{
    const sal_row *def = &model->tables->rows.at[row];
    sal_program    rate;
    sal_status     status = SAL_OK;

    r->row = row;
    longest_program(model, &def->formula);
    if (def->rate) rate = def->formula;
    else {
        r->phi = def->formula;
        status = differentiate(model, &r->phi, sal_rate_in_motion, &rate);
    }
    if (status == SAL_OK) status = build_rate(model, &rate, &r->rate);
    if (status == SAL_OK) status = differentiate(model, &rate, sal_rate_in_motion, &r->second);
    if (status == SAL_OK) status = differentiate(model, &rate, rate_unaccelerated, &r->bias);
    if (status == SAL_OK) r->entry = SAL_NEW(&model->pool, int, rate.nleaf);
    return status;
}

/* Rows and forces given by formulas. */
static sal_status build_formulas(sal_model *model)
{
    const sal_tables *tables = model->tables;
    sal_status        status = SAL_OK;

    model->relation      = SAL_NEW(&model->pool, sal_relation, model->m);
    model->relation_of   = SAL_NEW(&model->pool, int, model->m);
    model->effort        = SAL_NEW(&model->pool, sal_rate, tables->efforts.n);
    model->effort_change = SAL_NEW(&model->pool, sal_program, tables->efforts.n);
    if (model->pool.failed) return SAL_ERR_MEMORY;
    for (int r = 0; r < model->m && status == SAL_OK; r++) {
        model->relation_of[r] = tables->rows.at[r].formula.n ? model->nrelation : -1;
        if (tables->rows.at[r].formula.n) status = build_relation(model, r, &model->relation[model->nrelation++]);
        if (status != SAL_ERR_SCENE) continue;
        sal_clear_errors(tables->context);
        sal_add_error(tables->context, tables->file, 0, 0, tables->rows.at[r].name, "too long a formula");
    }
    for (int k = 0; k < tables->efforts.n && status == SAL_OK; k++) {
        const sal_effort *e = &tables->efforts.at[k];
        longest_program(model, &e->force);
        status = build_rate(model, &e->rate, &model->effort[k]);
        if (status == SAL_OK &&
            differentiate(model, &e->force, along_directions, &model->effort_change[k]) == SAL_ERR_MEMORY)
            status = SAL_ERR_MEMORY;
    }
    return status;
}

/* Rates of event functions, for their second derivatives. Those too long have none; an estimate will do instead. */
static sal_status build_event_rates(sal_model *model)
{
    const unsigned    indirect = 1u << SAL_SRC_ZDD | 1u << SAL_SRC_LAMBDA | 1u << SAL_SRC_ENERGY;
    const sal_tables *tables   = model->tables;

    model->event_rate = SAL_NEW(&model->pool, sal_program, tables->events.n);
    for (int e = 0; e < tables->events.n && model->event_rate; e++) {
        const sal_program *when = &tables->events.at[e].when;
        if (when->n == 0 || when->reads & indirect) continue;
        if (differentiate(model, when, sal_rate_in_motion, &model->event_rate[e]) == SAL_ERR_MEMORY)
            return SAL_ERR_MEMORY;
    }
    return model->pool.failed ? SAL_ERR_MEMORY : SAL_OK;
}

static void note_length(void *self, const sal_program_use *use)
{
    longest_program(self, use->program);
}

static void build_lists(sal_model *model)
{
    const sal_tables *tables = model->tables;
    const char      **name   = SAL_NEW(&model->pool, const char *, model->n);
    int              *degree;

    model->dof  = SAL_NEW(&model->pool, int, model->n);
    model->axis = SAL_NEW(&model->pool, unsigned char, model->nz);
    if (model->pool.failed) return;
    sal_tables_visit(tables, note_length, model);
    for (int k = 0; k < tables->points.n; k++) {
        const sal_point_def *p = &tables->points.at[k];
        for (int axis = 0; axis < tables->dimension && p->kind != SAL_MARKER; axis++) {
            const sal_slot slot = sal_basis_of(tables, p->point)->i[axis];
            model->axis[slot]   = (unsigned char)axis;
            if (p->kind != SAL_FREE) continue;
            name[slot] = sal_pool_format(&model->pool, "%c(%s)", 'x' + axis, p->name);
            if (p->dof[axis]) model->dof[model->ndof++] = slot;
        }
    }
    model->coordinate = name;
    degree            = SAL_NEW(&model->pool, int, model->program_max);
    model->degree     = SAL_NEW(&model->pool, int, tables->events.n);
    if (model->pool.failed) return;
    for (int k = 0; k < tables->events.n; k++)
        model->degree[k] = polynomial_degree(tables, &tables->events.at[k].when, degree);
}

/* ----------------------------------------------------------------------------------------- model */

sal_status sal_model_build(sal_tables *tables, sal_model **model)
{
    sal_pool   pool;
    sal_model *m;
    sal_status status = SAL_OK;

    *model = NULL;
    sal_pool_init(&pool, tables->context);
    m = SAL_NEW(&pool, sal_model, 1);
    if (!m) return sal_out_of_memory(tables->context);
    m->pool   = pool;
    m->tables = sal_tables_retain(tables);
    m->n      = tables->n;
    m->m      = tables->rows.n;
    m->nz     = tables->timed.n;
    build_lists(m);
    if (!m->pool.failed) status = build_formulas(m);
    if (!m->pool.failed && status == SAL_OK) status = build_event_rates(m);
    if (!m->pool.failed && status == SAL_OK) build_jacobian(m);
    if (!m->pool.failed && status == SAL_OK) status = build_timed(m);
    if (!m->pool.failed && status == SAL_OK) status = build_systems(m);
    if (m->pool.failed) status = SAL_ERR_MEMORY;
    *model = m;
    if (status == SAL_OK) return SAL_OK;
    sal_model_destroy(model);
    return status == SAL_ERR_MEMORY ? sal_out_of_memory(tables->context) : status;
}

void sal_model_destroy(sal_model **model)
{
    sal_model *m = *model;
    sal_pool   pool;

    *model = NULL;
    if (!m) return;
    sal_pattern_free(&m->motion);
    sal_pattern_free(&m->start);
    for (int e = 0; m->jump && e < m->tables->events.n; e++) sal_pattern_free(&m->jump[e].pattern);
    sal_tables_release(&m->tables);
    pool = m->pool; /* the model itself lies in it */
    sal_pool_free(&pool);
}

/* ------------------------------------------------------------------------------------ description */

static int count_elements(const sal_tables *tables, sal_section section)
{
    int count = 0;

    for (int k = 0; k < tables->elements.n; k++) count += tables->elements.at[k].section == section;
    return count;
}

sal_model_info sal_model_get_info(const sal_model *model)
{
    const sal_tables *tables = model->tables;

    return (sal_model_info){
        .name        = tables->name,
        .points      = tables->points.n,
        .bodies      = count_elements(tables, SAL_BODIES),
        .joints      = count_elements(tables, SAL_JOINTS),
        .contacts    = count_elements(tables, SAL_CONTACTS),
        .coordinates = model->n,
        .constraints = model->m,
        .parameters  = tables->parameters.n,
        .events      = tables->shown_events,
        .outputs     = tables->outputs.n,
        .reactions   = tables->reactions.n,
        .costs       = tables->costs.n,
        .memory      = tables->memory.n,
        .touches     = tables->touches.n,
    };
}

#define NAME_OF(list) (index >= 0 && index < model->tables->list.n ? model->tables->list.at[index].name : NULL)

const char *sal_model_coordinate(const sal_model *model, int index)
{
    return index >= 0 && index < model->n ? model->coordinate[index] : NULL;
}

const char *sal_model_constraint(const sal_model *model, int index)
{
    return NAME_OF(rows);
}

const char *sal_model_parameter(const sal_model *model, int index)
{
    return NAME_OF(parameters);
}

const char *sal_model_event(const sal_model *model, int index)
{
    return index < model->tables->shown_events ? NAME_OF(events) : NULL;
}

const char *sal_model_output(const sal_model *model, int index)
{
    return NAME_OF(outputs);
}

const char *sal_model_reaction(const sal_model *model, int index, const char **unit)
{
    if (unit && index >= 0 && index < model->tables->reactions.n) *unit = model->tables->reactions.at[index].unit;
    return NAME_OF(reactions);
}

sal_search sal_model_get_search(const sal_model *model)
{
    return model->tables->search;
}

const char *sal_model_cost(const sal_model *model, int index)
{
    return NAME_OF(costs);
}

bool sal_model_vector(const sal_model *model, int index, sal_vector_info *info)
{
    static const char *const kinds[] = { "steps", "linear", "cubic" };
    const sal_vector        *v;

    if (index < 0 || index >= model->tables->vectors.n) return false;
    v     = &model->tables->vectors.at[index];
    *info = (sal_vector_info){ v->name, kinds[v->kind], v->first, v->n, v->from, v->to, v->start };
    return true;
}

const char *sal_model_memory(const sal_model *model, int index)
{
    return NAME_OF(memory);
}

const char *sal_model_touch(const sal_model *model, int index)
{
    return NAME_OF(touches);
}

bool sal_model_element(const sal_model *model, int index, sal_element_info *info)
{
    const sal_element *e = index >= 0 && index < model->tables->elements.n ? &model->tables->elements.at[index] : NULL;

    if (e) *info = (sal_element_info){ sal_section_name(e->section), e->name, e->type, e->nrow };
    return e != NULL;
}

int sal_model_drawing_count(const sal_model *model)
{
    return model->tables->drawing.n;
}

bool sal_model_drawing(const sal_model *model, int index, sal_drawing *drawing)
{
    static const char *const names[] = {
#define DRAWING_NAME(kind, name) [kind] = name,
        SAL_DRAWING_LIST(DRAWING_NAME)
    };
    const sal_drawn *d = index >= 0 && index < model->tables->drawing.n ? &model->tables->drawing.at[index] : NULL;

    if (!d) return false;
    *drawing = (sal_drawing){ .kind      = d->kind,
                              .name      = names[d->kind],
                              .element   = d->element,
                              .body      = d->body,
                              .reference = d->reference,
                              .npoints   = d->npoints,
                              .points    = d->named,
                              .curve     = d->curve.n > 0 };
    return true;
}

bool sal_model_point(const sal_model *model, int index, sal_point_info *info)
{
    static const char *const kinds[] = { [SAL_FREE] = "free", [SAL_FIXED] = "fixed", [SAL_MARKER] = "marker" };
    const sal_tables        *tables  = model->tables;
    const sal_point_def     *p       = index >= 0 && index < tables->points.n ? &tables->points.at[index] : NULL;

    if (!p) return false;
    *info = (sal_point_info){ .name = p->name,
                              .kind = kinds[p->kind],
                              .dof  = { p->dof[0], p->dof[1] },
                              .body = p->kind == SAL_MARKER ? tables->elements.at[p->body].name : NULL };
    return true;
}
