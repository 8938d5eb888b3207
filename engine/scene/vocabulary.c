/* vocabulary.c - what names and quantities mean in the expressions of a scene.
 *
 *   parameter, t                          a slot of z
 *   output                                the expression that it is, in what is read after the outputs: other outputs
 *                                         that follow, costs, columns
 *   what a type binds                     a slot of z, a point, an expression, a function of one variable
 *   x(P) y(P) vx(P) vy(P) ax(P) ay(P)     p = p_i + alpha d + beta R d, d = p_j - p_i, and derivatives
 *   distance(P, Q)                        sqrt of the square of q - p                                  [m]
 *   angle(B)                              of the body's x-axis, counting turns from where turns.c says [rad]
 *   rate(B)                               d x d' / d.d, d from the first to the second point           [rad/s]
 *   lambda(J), lambda(J.row)              multiplier of a joint's or body's row
 *   reaction(J.tension)                   a force or torque of a joint, body or contact                [N], [N m]
 *   gap(C) slip(C) normal(C) friction(C)  of a contact [m], [m/s], [N], [N]; closed(C), active(C) 1 or 0  gaps.c
 *   energy()                              kinetic + gravity + springs and what else stores energy      [J] */
#include <stdio.h>
#include <string.h>

#include "engine/scene/scene.h"

/* Gives up without a message: the reason has been reported where it arose. */
static int quiet(sal_expr *e)
{
    return sal_expr_fail(e, 1, "%s", "");
}

/* What a type binds is for its own formulas. In a text of the scene names are the scene's, but for what is offered. */
static const sal_bind *find_bind(const sal_vocabulary *v, const char *name)
{
    for (const sal_bind *b = v->binds; b && b->name; b++) {
        const bool region = v->bind && v->bind->bounds;
        if ((!v->of_scene || (b->offered && (region || !b->bounds))) && !strcmp(b->name, name)) return b;
    }
    return NULL;
}

/* An error in a text that a name stands for. */
static int wrong(sal_expr *e, int column, const char *text, const sal_expr_error *error)
{
    if (!error->text[0]) return quiet(e);
    return sal_expr_fail(e, column, "in '%.80s', column %d: %s", text, error->column, error->text);
}

/* The names for a text that `bind` stands for in a formula: the same, but itself not again. */
static sal_vocabulary inside(const sal_vocabulary *v, const sal_bind *bind, bool of_scene)
{
    sal_vocabulary inner = *v;

    inner.outer    = v;
    inner.bind     = bind;
    inner.of_scene = of_scene;
    return inner;
}

static bool reads_itself(const sal_vocabulary *v, const sal_bind *bind)
{
    while (v && v->bind != bind) v = v->outer;
    return v != NULL;
}

/* What the bind stands for, once compiled: the program or its rate. */
static int insert(const sal_vocabulary *v, sal_expr *e, const sal_bind *bind, int column, sal_program *program)
{
    sal_status status = SAL_OK;

    if (bind->rate &&
        (program->reads & (1u << SAL_SRC_ZDD | 1u << SAL_SRC_LAMBDA | 1u << SAL_SRC_ENERGY | 1u << SAL_SRC_LATER)))
        return sal_expr_fail(e, column, "%s is the rate of what follows from %s", bind->name,
                             program->reads & 1u << SAL_SRC_LATER ? "a contact" : "forces");
    if (bind->rate) status = sal_program_differentiate(v->pool, program, sal_rate_in_motion, v->tables, program);
    if (status == SAL_ERR_SCENE) return sal_expr_fail(e, column, "the rate %s is too large", bind->name);
    return status == SAL_OK ? sal_expr_insert(e, program, SAL_SRC_Z, SAL_NONE, -1) : quiet(e);
}

/* A function of one variable: its program, with that of `at` in the place of the variable. */
static int resolve_function(const sal_vocabulary *v, sal_expr *e, const sal_bind *bind, int column)
{
    sal_vocabulary      inner    = inside(v, bind, false);
    sal_resolver        resolver = sal_vocabulary_resolver(&inner);
    sal_expr           *into     = e;
    const sal_function *f;
    sal_program         at, program;
    sal_expr_error      error;
    int                 node;

    if (!bind->formula.text || !bind->at)
        return sal_expr_fail(e, column, "%s has no %s", bind->name, bind->at ? "formula" : "place");
    if (sal_expr_compile(v->pool, bind->at, &resolver, &at, &error) != SAL_OK)
        return wrong(e, column, bind->at, &error);
    f = sal_scene_function(v->scene, bind->formula, bind->variable);
    if (bind->rate) into = sal_expr_begin(v->pool); /* a program of its own, to be differentiated */
    if (!f || !into) return quiet(e);
    if (f->program[0].n == 0) return wrong(e, column, f->text.text, &f->error);
    node = sal_expr_insert(into, &f->program[bind->derivative], SAL_SRC_Z, SAL_NONE,
                           sal_expr_insert(into, &at, SAL_SRC_Z, SAL_NONE, -1));
    if (!bind->rate) return node;
    if (sal_expr_finish(into, node, &program) != SAL_OK)
        return sal_expr_fail(e, column, "the rate %s is too large", bind->name);
    return insert(v, e, bind, column, &program);
}

/* One of the type's own formulas that a bind is made of; -1 after an error. */
static int compile_own(sal_vocabulary *inner, sal_expr *e, const char *text, int column, sal_program *program)
{
    sal_resolver   resolver = sal_vocabulary_resolver(inner);
    sal_expr_error error;

    if (sal_expr_compile(inner->pool, text, &resolver, program, &error) != SAL_OK)
        return wrong(e, column, text, &error);
    return 0;
}

/* A root: in its formula its own name is the unknown, a leaf that nothing else here reads. */
static int resolve_root(const sal_vocabulary *v, sal_expr *e, const sal_bind *bind, int column)
{
    sal_vocabulary inner = inside(v, bind, false);
    sal_program    from, to, zero;

    if (compile_own(&inner, e, bind->from, column, &from) < 0 || compile_own(&inner, e, bind->to, column, &to) < 0)
        return -1;
    inner.unknown = bind;
    inner.outer   = NULL; /* what reads the root may be read again, of the unknown */
    if (compile_own(&inner, e, bind->formula.text, column, &zero) < 0) return -1;
    return sal_expr_root(e, &zero, SAL_SRC_VARIABLE, 0, sal_expr_insert(e, &from, SAL_SRC_Z, SAL_NONE, -1),
                         sal_expr_insert(e, &to, SAL_SRC_Z, SAL_NONE, -1));
}

/* What a region may not be made of, reported where it is written. */
static bool make_bounds(const sal_vocabulary *v, const sal_bind *bind, const char *path, sal_program *program)
{
    const unsigned forces = 1u << SAL_SRC_ZDD | 1u << SAL_SRC_LAMBDA | 1u << SAL_SRC_ENERGY;
    sal_expr_error error  = { .column = 1 };

    if (program->reads & forces)
        snprintf(error.text, sizeof error.text, "it depends on forces; expected places, velocities and t");
    else if (sal_bounds_function(v->pool, program, program) == SAL_ERR_SCENE)
        snprintf(error.text, sizeof error.text,
                 "it bounds no region; expected comparisons such as x < 2, or a continuous function");
    if (error.text[0]) sal_scene_report(v->scene, bind->formula, path, error);
    return !error.text[0];
}

/* A formula of the scene, whose errors are reported at its place, or of the type. */
static int resolve_formula(const sal_vocabulary *v, sal_expr *e, const sal_bind *bind, int column)
{
    sal_scene     *scene    = v->scene;
    const cJSON   *node     = bind->formula.place;
    const char    *path     = scene->tables->elements.at[scene->tables->elements.n - 1].place.path;
    sal_vocabulary inner    = inside(v, bind, node != NULL);
    sal_resolver   resolver = sal_vocabulary_resolver(&inner);
    sal_program    program;
    sal_expr_error error;

    if (node && node->string) path = sal_pool_format(&scene->tables->pool, "%s.%s", path, node->string);
    if (!path) return quiet(e);
    if (node && !sal_vocabulary_compile(&inner, bind->formula, path, &program)) return quiet(e);
    if (!node && sal_expr_compile(v->pool, bind->formula.text, &resolver, &program, &error) != SAL_OK)
        return wrong(e, column, bind->formula.text, &error);
    if (bind->bounds && !make_bounds(v, bind, path, &program)) return quiet(e);
    return insert(v, e, bind, column, &program);
}

static int insert_output(sal_expr *e, const sal_program *program)
{
    return program->n ? sal_expr_insert(e, program, SAL_SRC_Z, SAL_NONE, -1)
                      : quiet(e); /* its error has been reported */
}

static int resolve_name(void *self, sal_expr *e, const char *name, int column)
{
    const sal_vocabulary *v      = self;
    const sal_bind       *bind   = find_bind(v, name);
    const sal_tables     *tables = v->tables;
    int                   k;

    if (bind && bind == v->unknown) return sal_expr_leaf(e, SAL_SRC_VARIABLE, 0);
    if (bind && reads_itself(v, bind)) return sal_expr_fail(e, column, "%s reads itself", bind->name);
    if (bind && bind->variable) return resolve_function(v, e, bind, column);
    if (bind && bind->from) return resolve_root(v, e, bind, column);
    if (bind && bind->formula.text) return resolve_formula(v, e, bind, column);
    if (bind && bind->multiplier) return sal_expr_leaf(e, SAL_SRC_LAMBDA, bind->multiplier - 1);
    if (bind && !bind->point && !bind->body) {
        if (bind->slot == SAL_NONE) return quiet(e);
        return sal_expr_leaf(e, bind->rate ? SAL_SRC_ZD : SAL_SRC_Z, bind->slot);
    }
    if (v->variable && !strcmp(name, v->variable)) return sal_expr_leaf(e, SAL_SRC_Z, SAL_NONE);
    if (!strcmp(name, "t")) return sal_expr_leaf(e, SAL_SRC_Z, tables->time);
    k = sal_names_find(&tables->parameter_names, name);
    if (k >= 0) return sal_expr_leaf(e, SAL_SRC_Z, tables->parameters.at[k].slot);
    if (sal_names_find(&tables->vector_names, name) >= 0)
        return sal_expr_fail(e, column, "'%s' is a function of time; write %s(t)", name, name);
    k = sal_names_find(&tables->memory_names, name);
    if (k >= 0 && tables->memory.at[k].slot == SAL_NONE) return quiet(e);
    if (k >= 0) return sal_expr_leaf(e, SAL_SRC_Z, tables->memory.at[k].slot);
    for (k = 0; k < tables->outputs.n && v->quantities; k++) {
        if (!strcmp(tables->outputs.at[k].name, name)) return insert_output(e, &tables->outputs.at[k].program);
    }
    if (v->quantities && sal_names_find(&tables->point_names, name) >= 0)
        return sal_expr_fail(e, column, "'%s' is a point; expected x(%s), vy(%s), ...", name, name, name);
    if (v->quantities && sal_tables_element(tables, SAL_BODIES, name))
        return sal_expr_fail(e, column, "'%s' is a body; expected angle(%s), rate(%s), ...", name, name, name);
    return sal_scene_refused(v->scene, "parameters") || sal_scene_refused(v->scene, "memory") ? quiet(e) : -1;
}

/* ------------------------------------------------------------------------------------ coordinates */

/* Coordinate `axis` (0: x, 1: y, ...) of a point, or of its velocity or acceleration. */
static int coordinate(sal_expr *e, const sal_tables *tables, sal_source source, sal_point point, int axis)
{
    const sal_basis *p    = sal_basis_of(tables, point);
    int              node = sal_expr_leaf(e, source, p->i[axis]);

    if (p->alpha == tables->zero && p->beta == tables->zero) return node;
    for (int turned = 0; turned < 2; turned++) { /* alpha d, then beta R d */
        int other = turned ? 1 - axis : axis;
        int d =
            sal_expr_op(e, SAL_OP_SUB, sal_expr_leaf(e, source, p->j[other]), sal_expr_leaf(e, source, p->i[other]), 0);
        int part = sal_expr_op(e, SAL_OP_MUL, sal_expr_leaf(e, SAL_SRC_Z, turned ? p->beta : p->alpha), d, 0);
        node     = sal_expr_op(e, turned && axis == 0 ? SAL_OP_SUB : SAL_OP_ADD, node, part, 0);
    }
    return node;
}

static int difference(sal_expr *e, const sal_tables *tables, sal_source source, sal_point p, sal_point q, int axis)
{
    return sal_expr_op(e, SAL_OP_SUB, coordinate(e, tables, source, q, axis), coordinate(e, tables, source, p, axis),
                       0);
}

static int sum_of_products(sal_expr *e, sal_op op, int a, int b, int c, int d)
{
    return sal_expr_op(e, op, sal_expr_op(e, SAL_OP_MUL, a, b, 0), sal_expr_op(e, SAL_OP_MUL, c, d, 0), 0);
}

/* ------------------------------------------------------------------------------------ quantities */

typedef struct call_args {
    const sal_vocabulary *v;
    sal_expr             *e;
    const sal_expr_arg   *arg;
    sal_source            source; /* of a coordinate */
    int                   axis;
    const char           *word;
} call_args;

static int unknown(const call_args *a, const sal_expr_arg *arg, const char *what, const sal_names *known)
{
    return sal_expr_fail(a->e, arg->column, "unknown %s '%s'%s", what, arg->name,
                         sal_did_you_mean(arg->name, known->list.at, known->list.n).text);
}

/* Whether the element is the one that is being emitted: what it consists of is not known yet. */
static bool is_own(const sal_scene *scene, const sal_element *e)
{
    return scene && scene->emitting >= 0 && e == &scene->tables->elements.at[scene->emitting];
}

static bool find_point(const call_args *a, const sal_expr_arg *arg, sal_point *point)
{
    const sal_bind      *bind = find_bind(a->v, arg->name);
    const sal_point_def *def;

    if (bind && bind->point) {
        *point = *bind->point;
        if (a->v->scene) sal_scene_use_point(a->v->scene, *point);
        if (sal_basis_of(a->v->tables, *point)) return true;
        sal_expr_fail(a->e, arg->column, "the point %s is not given", arg->name);
        return false;
    }
    def = sal_tables_point(a->v->tables, arg->name);
    if (!def && sal_scene_lost_point(a->v->scene)) return quiet(a->e), false;
    if (!def) return unknown(a, arg, "point", &a->v->tables->point_names), false;
    if (def->broken) return quiet(a->e), false;
    *point = def->point;
    if (a->v->scene) sal_scene_use_point(a->v->scene, *point);
    return true;
}

static int quantity_coordinate(const call_args *a)
{
    sal_point p;

    return find_point(a, &a->arg[0], &p) ? coordinate(a->e, a->v->tables, a->source, p, a->axis) : -1;
}

static int quantity_distance(const call_args *a)
{
    const sal_tables *tables = a->v->tables;
    sal_point         p, q;
    int               d[SAL_AXES], sum;

    if (!find_point(a, &a->arg[0], &p) || !find_point(a, &a->arg[1], &q)) return -1;
    for (int k = 0; k < tables->dimension; k++) d[k] = difference(a->e, tables, SAL_SRC_Z, p, q, k);
    sum = sal_expr_op(a->e, SAL_OP_MUL, d[0], d[0], 0);
    for (int k = 1; k < tables->dimension; k++)
        sum = sal_expr_op(a->e, SAL_OP_ADD, sum, sal_expr_op(a->e, SAL_OP_MUL, d[k], d[k], 0), 0);
    return sal_expr_op(a->e, SAL_OP_SQRT, sum, 0, 0);
}

/* angle(B) (source Z) or rate(B) (source ZD) */
static int quantity_direction(const call_args *a)
{
    const sal_tables  *tables = a->v->tables;
    const sal_bind    *bind   = find_bind(a->v, a->arg[0].name);
    const sal_element *body = sal_tables_element(tables, SAL_BODIES, bind && bind->body ? bind->body : a->arg[0].name);
    int                d[SAL_AXES], v[SAL_AXES];

    if (!body && sal_scene_lost(a->v->scene, SAL_BODIES, SAL_BODIES, a->arg[0].name)) return quiet(a->e);
    if (!body) return unknown(a, &a->arg[0], "body", &tables->element_names[SAL_BODIES]);
    if (is_own(a->v->scene, body))
        return sal_expr_fail(a->e, a->arg[0].column, "'%s' cannot read its own angle", body->name);
    if (body->broken) return quiet(a->e);
    if (!body->framed) return sal_expr_fail(a->e, a->arg[0].column, "'%s' has no direction", body->name);
    if (a->v->scene) sal_scene_use_angle(a->v->scene, body);
    for (int k = 0; k < tables->dimension; k++) {
        d[k] = difference(a->e, tables, SAL_SRC_Z, body->ends[0], body->ends[1], k);
        v[k] = difference(a->e, tables, SAL_SRC_ZD, body->ends[0], body->ends[1], k);
    }
    if (a->source == SAL_SRC_Z) { /* what it was when turns were counted last, and how far it has turned since */
        const int was = sal_expr_leaf(a->e, SAL_SRC_Z, body->turn), c = sal_expr_leaf(a->e, SAL_SRC_Z, body->turn + 1);
        const int s = sal_expr_leaf(a->e, SAL_SRC_Z, body->turn + 2);
        return sal_expr_op(a->e, SAL_OP_ADD, was,
                           sal_expr_op(a->e, SAL_OP_ATAN2, sum_of_products(a->e, SAL_OP_SUB, c, d[1], s, d[0]),
                                       sum_of_products(a->e, SAL_OP_ADD, c, d[0], s, d[1]), 0),
                           0);
    }
    return sal_expr_op(a->e, SAL_OP_DIV, sum_of_products(a->e, SAL_OP_SUB, d[0], v[1], d[1], v[0]),
                       sum_of_products(a->e, SAL_OP_ADD, d[0], d[0], d[1], d[1]), 0);
}

static int quantity_lambda(const call_args *a)
{
    const sal_tables  *tables = a->v->tables;
    const sal_element *found  = NULL;
    int                row    = sal_tables_find(tables, &tables->row_names, a->arg[0].name);

    if (row >= 0) return sal_expr_leaf(a->e, SAL_SRC_LAMBDA, row);
    if (sal_scene_lost(a->v->scene, SAL_BODIES, SAL_CONTACTS, a->arg[0].name)) return quiet(a->e);
    for (sal_section s = SAL_BODIES; s <= SAL_JOINTS && !found; s++)
        found = sal_tables_element(tables, s, a->arg[0].name);
    if (!found) return unknown(a, &a->arg[0], "constraint", &tables->row_names);
    if (is_own(a->v->scene, found))
        return sal_expr_fail(a->e, a->arg[0].column, "'%s' cannot read its own multiplier", found->name);
    if (found->nrow == 0)
        return sal_expr_fail(a->e, a->arg[0].column, "'%s' has no constraint and no multiplier", found->name);
    return sal_expr_fail(a->e, a->arg[0].column, "'%s' has %d multipliers; write one of them, such as lambda(%s)",
                         found->name, found->nrow, tables->rows.at[found->row].name);
}

/* The reactions of the element that is named before the dot, where there is one: what could have been meant. */
static int no_reaction(const call_args *a)
{
    const sal_names *known  = &a->v->tables->reaction_names;
    const char      *name   = a->arg[0].name;
    const size_t     length = strcspn(name, ".");
    char             list[160];
    size_t           used = 0;

    for (int k = 0; k < known->list.n && used < sizeof list; k++) {
        const char *reaction = known->list.at[k];
        if (strncmp(reaction, name, length) != 0 || reaction[length] != '.') continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", reaction);
    }
    if (!used) return unknown(a, &a->arg[0], "reaction", known);
    return sal_expr_fail(a->e, a->arg[0].column, "unknown reaction '%s'; there is %s", name, list);
}

static int quantity_reaction(const call_args *a)
{
    const sal_tables *tables = a->v->tables;
    const int         k      = sal_tables_find(tables, &tables->reaction_names, a->arg[0].name);

    if (k >= 0) return sal_expr_insert(a->e, &tables->reactions.at[k].program, SAL_SRC_Z, SAL_NONE, -1);
    if (sal_scene_lost(a->v->scene, SAL_BODIES, SAL_CONTACTS, a->arg[0].name)) return quiet(a->e);
    if (a->v->scene && a->v->scene->emitting >= 0) {
        const char  *name   = tables->elements.at[a->v->scene->emitting].name;
        const size_t length = strlen(name);
        if (!strncmp(name, a->arg[0].name, length) && a->arg[0].name[length] == '.')
            return sal_expr_fail(a->e, a->arg[0].column, "'%s' cannot read its own reaction", name);
    }
    return no_reaction(a);
}

static int quantity_gap(const call_args *a)
{
    return sal_vocabulary_gap(a->v, a->e, a->word, &a->arg[0]);
}

static int quantity_energy(const call_args *a)
{
    return sal_expr_leaf(a->e, SAL_SRC_ENERGY, 0);
}

static const struct quantity {
    const char *name;
    int         nargs;
    int (*make)(const call_args *a);
    sal_source source;
    int        axis;
} quantities[] = {
    { "x", 1, quantity_coordinate, SAL_SRC_Z, 0 },
    { "y", 1, quantity_coordinate, SAL_SRC_Z, 1 },
    { "vx", 1, quantity_coordinate, SAL_SRC_ZD, 0 },
    { "vy", 1, quantity_coordinate, SAL_SRC_ZD, 1 },
    { "ax", 1, quantity_coordinate, SAL_SRC_ZDD, 0 },
    { "ay", 1, quantity_coordinate, SAL_SRC_ZDD, 1 },
    { "distance", 2, quantity_distance, SAL_SRC_Z, 0 },
    { "angle", 1, quantity_direction, SAL_SRC_Z, 0 },
    { "rate", 1, quantity_direction, SAL_SRC_ZD, 0 },
    { "lambda", 1, quantity_lambda, SAL_SRC_LAMBDA, 0 },
    { "energy", 0, quantity_energy, SAL_SRC_ENERGY, 0 },
    { "reaction", 1, quantity_reaction, SAL_SRC_LAMBDA, 0 },
    { "gap", 1, quantity_gap, SAL_SRC_Z, 0 },
    { "slip", 1, quantity_gap, SAL_SRC_ZD, 0 },
    { "normal", 1, quantity_gap, SAL_SRC_LAMBDA, 0 },
    { "friction", 1, quantity_gap, SAL_SRC_LAMBDA, 0 },
    { "closed", 1, quantity_gap, SAL_SRC_Z, 0 },
    { "active", 1, quantity_gap, SAL_SRC_Z, 0 },
};

static int resolve_call(void *self, sal_expr *e, const char *name, int column, const sal_expr_arg *arg, int nargs)
{
    const sal_vocabulary *v      = self;
    const int             vector = sal_names_find(&v->tables->vector_names, name);

    if (vector >= 0) {
        if (nargs != 1 || strcmp(arg[0].name, "t") != 0)
            return sal_expr_fail(e, nargs ? arg[0].column : column, "'%s' is a function of time alone; write %s(t)",
                                 name, name);
        return sal_expr_leaf(e, SAL_SRC_Z, v->tables->vectors.at[vector].now);
    }
    for (int k = 0; k < SAL_COUNT(quantities); k++) {
        const struct quantity *q = &quantities[k];
        if (strcmp(q->name, name) != 0) continue;
        if (v->variable)
            return sal_expr_fail(e, column, "%s() depends on the motion; expected a function of %s, parameters and t",
                                 name, v->variable);
        if (!v->quantities)
            return sal_expr_fail(e, column, "%s() depends on the motion; expected a number or parameters", name);
        if (nargs != q->nargs) {
            return sal_expr_fail(e, column, "%s takes %d argument%s, found %d", name, q->nargs,
                                 q->nargs == 1 ? "" : "s", nargs);
        }
        return q->make(&(call_args){ v, e, arg, q->source, q->axis, q->name });
    }
    return -1;
}

/* Names for suggestions: only asked for when an error is to be reported. */
static void known_names(void *self, const char *const **names, int *count)
{
    const sal_vocabulary *v      = self;
    const sal_tables     *tables = v->tables;
    int n    = tables->scalars + tables->vectors.n + tables->memory.n + tables->outputs.n + SAL_COUNT(quantities) + 2,
        used = 0;
    const char **list = SAL_NEW(v->pool, const char *, n);

    *names = list;
    *count = 0;
    if (!list) return;
    if (v->variable) list[used++] = v->variable;
    list[used++] = "t";
    for (int k = 0; k < tables->parameters.n && k < tables->scalars; k++) list[used++] = tables->parameters.at[k].name;
    for (int k = 0; k < tables->vectors.n; k++) list[used++] = tables->vectors.at[k].name;
    for (int k = 0; k < tables->memory.n; k++) list[used++] = tables->memory.at[k].name;
    for (int k = 0; k < tables->outputs.n && v->quantities; k++) list[used++] = tables->outputs.at[k].name;
    for (int k = 0; k < SAL_COUNT(quantities) && v->quantities; k++) list[used++] = quantities[k].name;
    *count = used;
}

sal_resolver sal_vocabulary_resolver(sal_vocabulary *vocabulary)
{
    return (sal_resolver){ .self = vocabulary, .name = resolve_name, .call = resolve_call, .known = known_names };
}
