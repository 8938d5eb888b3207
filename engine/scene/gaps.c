/* gaps.c - what expressions can read of contacts: gap, slip, normal, friction, closed, active.
 *
 * Every place where two sides can touch is a gap with a name, "floor" or "floor.A", and programs for these quantities.
 * The name with its point is always right: a contact of one point alone is "floor", and is also known as "floor.A".
 *
 * A text may name a contact that comes later in the scene, or the one that it belongs to. Then a leaf stands for the
 * quantity until all contacts are there: only then are names resolved, and the ones that nobody has are reported. */
#include <string.h>

#include "engine/scene/builder.h"

/* ----------------------------------------------------------------------------------------- names */

void sal_also_named(sal_builder *b, const char *label)
{
    sal_tables *t    = b->scene->tables;
    const char *name = sal_pool_format(&t->pool, "%s.%s", sal_builder_element(b)->name, label);
    int        *slot = name && sal_names_add(&t->pool, &t->other_names, name, NULL) >= 0
                           ? SAL_PUSH(&t->pool, &t->other_elements)
                           : NULL;

    if (slot) *slot = b->element;
}

/* -------------------------------------------------------------------------------------- quantities */

static const char *const words[] = { "gap", "slip", "normal", "friction", "closed", "active" };

/* A program that is one number. */
static sal_program constant(sal_tables *t, double value)
{
    sal_expr   *e = sal_expr_begin(&t->pool);
    sal_program p = { 0 };

    if (e) sal_expr_finish(e, sal_expr_const(e, value), &p);
    return p;
}

void sal_add_gap(sal_builder *b, const char *label, const sal_gap_formulas *f)
{
    sal_tables    *t      = b->scene->tables;
    const sal_text text[] = {
        [SAL_READ_GAP] = f->gap,           [SAL_READ_SLIP] = f->slip,     [SAL_READ_NORMAL] = f->normal,
        [SAL_READ_FRICTION] = f->friction, [SAL_READ_CLOSED] = f->closed, [SAL_READ_ACTIVE] = f->active
    };
    const char *name = label[0] ? sal_pool_format(&t->pool, "%s.%s", sal_builder_element(b)->name, label)
                                : sal_builder_element(b)->name;
    sal_gap     gap  = { .name = name }, *slot;
    bool        known;

    if (!name || b->failed) return;
    for (int k = 0; k < SAL_GAP_QUANTITIES; k++) {
        if (text[k].text && !sal_builder_compile(b, text[k], words[k], f->binds, &gap.program[k])) return;
        if (!text[k].text && k != SAL_READ_SLIP) gap.program[k] = constant(t, k == SAL_READ_ACTIVE);
    }
    sal_names_add(&t->pool, &t->gap_names, name, &known);
    slot = known ? NULL : SAL_PUSH(&t->pool, &t->gaps); /* a point may be named twice */
    if (slot) *slot = gap;
}

/* ---------------------------------------------------------------------------------------- reading */

/* A node for the quantity of the gap; -1 after an error. */
static int read_gap(sal_expr *e, const sal_tables *t, int gap, sal_gap_quantity what, int column)
{
    const sal_program *p = &t->gaps.at[gap].program[what];

    if (p->n) return sal_expr_insert(e, p, SAL_SRC_VARIABLE, -1, -1);
    return sal_expr_fail(e, column, "nothing slips at %s: it has no tangent", t->gaps.at[gap].name);
}

/* Why there is no such gap. */
static int unknown_gap(sal_expr *e, const sal_tables *t, const char *name, int column)
{
    const size_t length = strlen(name);

    for (int k = 0; k < t->gaps.n; k++) { /* several points */
        if (!strncmp(t->gaps.at[k].name, name, length) && t->gaps.at[k].name[length] == '.')
            return sal_expr_fail(e, column, "'%s' has several contacts; write one of them, such as %s", name,
                                 t->gaps.at[k].name);
    }
    if (sal_tables_element(t, SAL_CONTACTS, name))
        return sal_expr_fail(e, column, "'%s' is an event; expected a contact", name);
    return sal_expr_fail(e, column, "unknown contact '%s'%s", name,
                         sal_did_you_mean(name, t->gap_names.list.at, t->gap_names.list.n).text);
}

int sal_vocabulary_gap(const sal_vocabulary *v, sal_expr *e, const char *word, const sal_expr_arg *arg)
{
    const int        gap   = sal_tables_find(v->tables, &v->tables->gap_names, arg->name);
    sal_gap_quantity what  = SAL_READ_GAP;
    sal_scene       *scene = v->scene;
    sal_later       *later;

    while (strcmp(words[what], word) != 0) what++;
    if (gap >= 0) return read_gap(e, v->tables, gap, what, arg->column);
    if (sal_scene_lost(scene, SAL_CONTACTS, SAL_CONTACTS, arg->name)) return sal_expr_fail(e, 1, "%s", "");
    if (!scene || scene->contacts_known) return unknown_gap(e, v->tables, arg->name, arg->column);
    later = SAL_PUSH(&scene->tables->pool, &scene->later);
    if (!later) return -1;
    *later = (sal_later){ .name   = sal_pool_copy(&scene->tables->pool, arg->name, strlen(arg->name)),
                          .what   = what,
                          .column = arg->column,
                          .text   = v->text,
                          .path   = v->path };
    return sal_expr_leaf(e, SAL_SRC_LATER, scene->later.n - 1);
}

/* ---------------------------------------------------------------------------------------- resolving */

/* The node that a leaf stands for; its error is reported, once. */
static int resolve_leaf(sal_scene *scene, sal_expr *e, sal_later *later, bool force)
{
    sal_tables *t    = scene->tables;
    sal_expr   *own  = sal_expr_begin(&t->pool);
    const int   gap  = sal_tables_find(t, &t->gap_names, later->name);
    sal_program p    = { 0 };
    int         node = -1;

    if (!own || later->told) return -1;
    if (gap < 0 && sal_scene_lost(scene, SAL_CONTACTS, SAL_CONTACTS, later->name)) {
        later->told = scene->failed = true;
        return -1;
    }
    node =
        gap >= 0 ? read_gap(own, t, gap, later->what, later->column) : unknown_gap(own, t, later->name, later->column);
    if (node >= 0 && force && sal_expr_finish(own, node, &p) == SAL_OK && p.reads & 1u << SAL_SRC_LAMBDA)
        node = sal_expr_fail(own, later->column,
                             "%s(%s) follows from the forces of the same instant: a force cannot read it; that of a "
                             "compliant contact it can",
                             words[later->what], later->name);
    if (node < 0) {
        for (int k = 0; k < scene->later.n; k++) { /* the same text may have been compiled for several uses */
            sal_later *same = &scene->later.at[k];
            same->told      = same->told || (same->text.place == later->text.place && same->column == later->column);
        }
        sal_scene_report(scene, later->text, later->path, sal_expr_error_of(own));
        return -1;
    }
    return read_gap(e, t, gap, later->what, later->column);
}

static void resolve(void *self, sal_use use, sal_program *p)
{
    sal_scene  *scene = self;
    sal_expr   *e;
    int        *index;
    sal_program out;

    if (!(p->reads & 1u << SAL_SRC_LATER)) return;
    e     = sal_expr_begin(&scene->tables->pool);
    index = SAL_NEW(&scene->tables->pool, int, p->n);
    for (int k = 0; k < p->n && e && index; k++) {
        const sal_node *s = &p->node[k];
        index[k]          = s->op == SAL_OP_LEAF && s->a == SAL_SRC_LATER
                                ? resolve_leaf(scene, e, &scene->later.at[s->b], use == SAL_USE_FORCE)
                                : sal_expr_copy(e, *s, index);
        if (index[k] < 0) return;
    }
    if (e && index && sal_expr_finish(e, index[p->n - 1], &out) == SAL_OK) *p = out;
}

void sal_scene_resolve_later(sal_scene *scene)
{
    scene->contacts_known = true;
    if (scene->later.n) sal_tables_rewrite(scene->tables, resolve, scene);
}
