/* build_rows.c - what an element emits, turned into the flat tables of the scene: the implementation of ext.h.
 *
 * What the type knows as a point is a combination of two basic points (sal_basis). A coordinate of q - p is a short sum
 * of `c z_s (z_i - z_j)`, one item for basic points and up to five with markers:
 *
 *     (q - p)_x = (x_qi - x_pi) + alpha_q dx_q - beta_q dy_q - alpha_p dx_p + beta_p dy_p
 *
 * A term of a row is one item, or the product of two items: still c z_s (z_i - z_j)(z_k - z_l), with z_s the product
 * of two coefficients as a value of its own. Differences stay differences: nothing is expanded into monomials. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/scene/builder.h"

sal_element *sal_builder_element(sal_builder *b)
{
    return &b->scene->tables->elements.at[b->element];
}

/* Of a key of the element, or of the element where it has none. */
static sal_place place_of(sal_builder *b, const char *key)
{
    const sal_element *e    = sal_builder_element(b);
    const cJSON       *node = key && key[0] ? cJSON_GetObjectItemCaseSensitive(b->node, key) : NULL;

    if (!node) return e->place;
    return sal_scene_place(b->scene, node, sal_pool_format(&b->scene->tables->pool, "%s.%s", e->place.path, key));
}

void sal_element_error(sal_builder *b, const char *key, const char *format, ...)
{
    const sal_place place = place_of(b, key);
    va_list         args;

    va_start(args, format);
    sal_add_error_v(b->scene->tables->context, b->scene->tables->file, place.line, place.column,
                    place.path ? place.path : "", format, args);
    va_end(args);
    b->scene->failed = b->failed = true;
}

void sal_builder_formula_error(sal_builder *b, sal_text text, const char *format, ...)
{
    const sal_element *e     = sal_builder_element(b);
    sal_place          place = e->place;
    va_list            args;

    if (text.place) place = sal_scene_place(b->scene, text.place, e->place.path);
    va_start(args, format);
    sal_add_error_v(b->scene->tables->context, b->scene->tables->file, place.line, place.column,
                    place.path ? place.path : "", format, args);
    va_end(args);
    b->scene->failed = b->failed = true;
}

const sal_basis *sal_builder_basis(sal_builder *b, sal_point point)
{
    const sal_basis *basis = sal_basis_of(b->scene->tables, point);

    if (!basis && !b->failed) sal_element_error(b, "", "its type uses a point that is not given");
    if (basis) sal_scene_use_point(b->scene, point);
    return basis;
}

/* -------------------------------------------------------------------------------------- formulas */

bool sal_builder_compile(sal_builder *b, sal_text text, const char *key, const sal_bind *binds, sal_program *program)
{
    const char *path = sal_pool_format(&b->scene->tables->pool, "%s.%s", sal_builder_element(b)->place.path, key);

    if (path && sal_scene_formula(b->scene, text, path, binds, program)) return true;
    b->failed = true;
    return false;
}

/* A velocity that can be set is linear in v: every derivative with respect to v is free of v, and nothing else is
 * added. That is so for the quantities vx, vy and rate, alone or in sums with constant or position-dependent factors.
 */
static bool is_zero(const sal_program *p, int node)
{
    return p->node[node].op == SAL_OP_CONST && p->node[node].k == 0.0;
}

static bool linear_in_velocity(const sal_scene *scene, const sal_program *p, bool affine, int *degree)
{
    bool moves = false;

    for (int k = 0; k < p->n; k++) {
        const sal_node *n = &p->node[k];
        switch (n->op) {
        case SAL_OP_LEAF:
            degree[k] = n->a == SAL_SRC_ZD; /* of a driven point as well */
            if (n->a == SAL_SRC_ZDD || n->a == SAL_SRC_LAMBDA || n->a == SAL_SRC_ENERGY || n->a == SAL_SRC_LATER)
                return false;
            moves = moves || (n->a == SAL_SRC_ZD && n->b < scene->tables->n);
            break;
        case SAL_OP_CONST: degree[k] = 0; break;
        case SAL_OP_NEG: degree[k] = degree[n->a]; break;
        case SAL_OP_ADD:
        case SAL_OP_SUB:
            if (degree[n->a] != degree[n->b] && !affine) return false;
            degree[k] = degree[n->a] > degree[n->b] ? degree[n->a] : degree[n->b];
            break;
        case SAL_OP_MUL:
            degree[k] = degree[n->a] + degree[n->b];
            if (degree[k] > 1) return false;
            break;
        case SAL_OP_DIV:
            if (degree[n->b] > 0) return false;
            degree[k] = degree[n->a];
            break;
        case SAL_OP_IF: /* of two velocities, or none: the rate of what has a kink */
            if (degree[n->a] > 0) return false;
            if (degree[n->b] != degree[n->c] && !affine && !is_zero(p, degree[n->b] < degree[n->c] ? n->b : n->c))
                return false;
            degree[k] = degree[n->b] > degree[n->c] ? degree[n->b] : degree[n->c];
            break;
        default:
            if (degree[n->a] > 0) return false;
            if (sal_op_operands(n->op) > 1 && degree[n->b] > 0) return false;
            if (sal_op_operands(n->op) > 2 && degree[n->c] > 0) return false;
            degree[k] = 0;
        }
    }
    return moves && degree[p->n - 1] == 1;
}

bool sal_builder_is_velocity(sal_builder *b, const sal_program *program, bool affine)
{
    int *degree = SAL_NEW(&b->scene->tables->pool, int, program->n);

    return degree && linear_in_velocity(b->scene, program, affine, degree);
}

/* ---------------------------------------------------------------------------------------- values */

static sal_slot derive(sal_builder *b, const char *formula, const sal_bind *binds, sal_range range, const char *text,
                       sal_place place)
{
    sal_scene     *scene      = b->scene;
    sal_vocabulary vocabulary = {
        .tables = scene->tables, .scene = scene, .pool = &scene->tables->pool, .binds = binds
    };
    sal_resolver   resolver = sal_vocabulary_resolver(&vocabulary);
    sal_program    program;
    sal_expr_error error;
    sal_status     status = sal_expr_compile(&scene->tables->pool, formula, &resolver, &program, &error);

    if (status == SAL_ERR_SCENE && error.text[0]) /* else it reads a value that had an error */
        sal_element_error(b, "", "its type derives '%s': %s", formula, error.text);
    if (status) b->failed = true;
    return status ? SAL_NONE : sal_scene_add_value(scene, &program, range, text, place);
}

sal_slot sal_derive(sal_builder *b, const char *formula, const sal_bind *binds)
{
    return derive(b, formula, binds, SAL_ANY, formula, sal_builder_element(b)->place);
}

void sal_require(sal_builder *b, const char *key, const char *formula, const sal_bind *binds, sal_range range,
                 const char *text)
{
    derive(b, formula, binds, range, text, place_of(b, key));
}

/* Where the scene puts a coordinate, and what an angle is there; other slots stay. */
static sal_slot slot_given(const sal_scene *scene, sal_slot slot)
{
    for (int k = 0; k < scene->tables->points.n && slot < scene->tables->n; k++) {
        const sal_point_def *p = &scene->tables->points.at[k];
        for (int axis = 0; axis < scene->tables->dimension && p->kind == SAL_FREE; axis++) {
            if (sal_basis_of(scene->tables, p->point)->i[axis] == slot) return p->at[axis];
        }
    }
    for (int k = 0; k < scene->tables->elements.n; k++) {
        const sal_element *e = &scene->tables->elements.at[k];
        if (!e->framed) continue;
        if (slot == e->turn) return e->first;
        if (slot == e->turn + 1) return scene->tables->one;
        if (slot == e->turn + 2) return scene->tables->zero;
    }
    return slot;
}

sal_slot sal_given(sal_builder *b, const char *key, const char *formula, const sal_bind *binds)
{
    sal_scene  *scene = b->scene;
    sal_program program;
    sal_node   *node;
    sal_slot    slot;

    if (!sal_builder_compile(b, sal_formula(formula), key, binds, &program)) return SAL_NONE;
    node = SAL_NEW(&scene->tables->pool, sal_node, program.n);
    if (!node) return SAL_NONE;
    memcpy(node, program.node, sizeof *node * (size_t)program.n);
    for (int k = 0; k < program.nleaf; k++) node[program.leaf[k]].b = slot_given(scene, node[program.leaf[k]].b);
    program.node = node;
    slot         = sal_scene_add_value(scene, &program, SAL_ANY, formula, sal_builder_element(b)->place);
    if (slot == SAL_NONE || !scene->tables->timed.at[slot]) return slot;
    sal_element_error(b, "", "missing key '%s': what it is with the points as given depends on t", key);
    return SAL_NONE;
}

void sal_body_ends(const sal_builder *b, const char *body, sal_point ends[2])
{
    const sal_element *e = sal_tables_element(b->scene->tables, SAL_BODIES, body);

    for (int k = 0; k < 2; k++) ends[k] = e ? e->ends[k] : (sal_point){ SAL_NONE };
}

/* A point in terms of two basic ones. */
static sal_basis combination(const sal_tables *tables, const sal_point ends[2], sal_slot alpha, sal_slot beta)
{
    sal_basis basis = { .alpha = alpha, .beta = beta };

    memcpy(basis.i, sal_basis_of(tables, ends[0])->i, sizeof basis.i);
    memcpy(basis.j, sal_basis_of(tables, ends[1])->i, sizeof basis.j);
    return basis;
}

void sal_body_ends_turned(sal_builder *b, const char *body, sal_slot angle, sal_point ends[2])
{
    const sal_bind binds[] = { { "a", angle }, { 0 } };

    sal_body_ends(b, body, ends);
    if (!sal_builder_basis(b, ends[0])) return;
    const sal_slot alpha = sal_derive(b, "cos(a)", binds), beta = sal_derive(b, "-sin(a)", binds);
    ends[1] = sal_scene_new_point(b->scene, combination(b->scene->tables, ends, alpha, beta));
}

/* The distance of two basic points where the scene puts them. */
static sal_slot distance_given(sal_builder *b, const sal_point ends[2])
{
    sal_tables          *tables = b->scene->tables;
    const sal_point_def *end[2] = { NULL, NULL };
    sal_slot             length;

    for (int k = 0; k < tables->points.n; k++) {
        for (int j = 0; j < 2; j++) {
            if (tables->points.at[k].point.index == ends[j].index) end[j] = &tables->points.at[k];
        }
    }
    if (!end[0] || !end[1]) {
        sal_element_error(b, "", "its type has a frame between points that have no names");
        return SAL_NONE;
    }
    length = sal_derive(
        b, "sqrt((u - x)^2 + (v - y)^2)",
        (sal_bind[]){
            { "x", end[0]->at[0] }, { "y", end[0]->at[1] }, { "u", end[1]->at[0] }, { "v", end[1]->at[1] }, { 0 } });
    if (length != SAL_NONE && tables->timed.at[length]) {
        sal_element_error(b, "", "missing key 'length': the distance of its ends as given depends on t");
        return SAL_NONE;
    }
    if (length != SAL_NONE) {
        tables->values.at[tables->values.n - 1].range = SAL_POSITIVE;
        tables->values.at[tables->values.n - 1].text  = "distance of its ends";
    }
    return length;
}

sal_slot sal_body_frame(sal_builder *b, const sal_point ends[2], sal_slot length)
{
    sal_scene   *scene = b->scene;
    sal_element *body  = sal_builder_element(b);

    for (int k = 0; k < 2; k++) {
        const sal_basis *end = sal_builder_basis(b, ends[k]);
        if (end && !sal_basis_is_basic(end)) sal_element_error(b, "", "its type has a frame on a marker");
    }
    if (b->failed) return SAL_NONE;
    if (length == SAL_NONE) length = distance_given(b, ends);
    if (b->failed && length == SAL_NONE) return SAL_NONE;
    body->framed = true;
    body->turn   = sal_scene_new_slot(scene);
    for (int k = 1; k < 3; k++) sal_scene_new_slot(scene);
    body->first = sal_scene_new_slot(scene);
    if (body->first == SAL_NONE) return SAL_NONE;
    scene->tables->kept.at[body->first] = true; /* what is derived from it follows when it has been chosen */

    body->ends[0] = ends[0];
    body->ends[1] = ends[1];
    for (int k = 0; k < scene->tables->points.n && length != SAL_NONE; k++) {
        sal_point_def *marker = &scene->tables->points.at[k];
        if (marker->kind != SAL_MARKER || marker->body != b->element) continue;
        const sal_bind  binds[] = { { "x", marker->at[0] }, { "y", marker->at[1] }, { "L", length }, { 0 } };
        const sal_slot  alpha = sal_derive(b, "x/L", binds), beta = sal_derive(b, "y/L", binds);
        const sal_basis basis                        = combination(scene->tables, ends, alpha, beta);
        scene->tables->bases.at[marker->point.index] = basis;
        marker->broken                               = alpha == SAL_NONE || beta == SAL_NONE;
    }
    return length;
}

const sal_type *sal_builder_type(const sal_builder *b)
{
    return b->type;
}

bool sal_field_given(const sal_builder *b, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(b->node, key) != NULL;
}

int sal_dimension(const sal_builder *b)
{
    return b->scene->tables->dimension;
}

bool sal_point_is_free(const sal_builder *b, sal_point point)
{
    const sal_tables *tables = b->scene->tables;
    const sal_basis  *p      = sal_basis_of(tables, point);
    bool              free   = false;

    for (int axis = 0; axis < tables->dimension && p; axis++)
        free = free || p->i[axis] < tables->n || p->j[axis] < tables->n;
    return free;
}

bool sal_point_is_basic(const sal_builder *b, sal_point point)
{
    const sal_basis *p = sal_basis_of(b->scene->tables, point);

    return p && sal_basis_is_basic(p);
}

/* Whether the point is made of the ends of the body. */
static bool is_of_body(const sal_tables *tables, const sal_basis *p, const sal_element *body)
{
    const sal_basis *end[2] = { sal_basis_of(tables, body->ends[0]), sal_basis_of(tables, body->ends[1]) };
    const size_t     size   = sizeof p->i;

    for (int k = 0; k < 2 && end[0] && end[1]; k++) {
        const sal_slot *part = k ? p->j : p->i;
        if (memcmp(part, end[0]->i, size) != 0 && memcmp(part, end[1]->i, size) != 0) return false;
    }
    return end[0] && end[1];
}

/* Whether a row has the square of the distance of two basic points along the axis. */
static bool row_has_square(const sal_tables *tables, const sal_basis *p, const sal_basis *q, int axis)
{
    for (int k = 0; k < tables->terms.n; k++) {
        const sal_term *t = &tables->terms.at[k];
        if (!t->square || tables->rows.at[t->row].idle) continue;
        if (t->i == p->i[axis] && t->j == q->i[axis]) return true;
        if (t->j == p->i[axis] && t->i == q->i[axis]) return true;
    }
    return false;
}

bool sal_points_are_rigid(const sal_builder *b, sal_point first, sal_point second)
{
    const sal_tables *tables = b->scene->tables;
    const sal_basis  *p = sal_basis_of(tables, first), *q = sal_basis_of(tables, second);
    bool              held = true;

    if (!p || !q || (!sal_point_is_free(b, first) && !sal_point_is_free(b, second))) return true;
    for (int k = 0; k < tables->elements.n; k++) {
        const sal_element *body = &tables->elements.at[k];
        if (body->section == SAL_BODIES && body->broken) return true; /* it cannot be told */
        if (body->framed && is_of_body(tables, p, body) && is_of_body(tables, q, body)) return true;
    }
    if (!sal_basis_is_basic(p) || !sal_basis_is_basic(q)) return false;
    for (int axis = 0; axis < tables->dimension; axis++) held = held && row_has_square(tables, p, q, axis);
    return held;
}

/* ------------------------------------------------------------------------------------------ rows */

/* A row that no free coordinate can change is either always true or never. */
static void row_end(sal_builder *b)
{
    if (sal_builder_element(b)->nrow > 0 && !b->row_free && !b->failed) {
        sal_element_error(b, "", "all of its points are fixed: it can only be always fulfilled or never");
    }
}

void sal_row_begin(sal_builder *b, const char *label)
{
    sal_scene   *scene = b->scene;
    sal_element *e     = sal_builder_element(b);
    sal_row     *row;

    row_end(b);
    row = SAL_PUSH(&scene->tables->pool, &scene->tables->rows);
    if (!row) return;
    row->element = b->element;
    row->idle    = e->idle;
    row->partner = -1;
    row->sharing = SAL_SHARES_LAST;
    row->name    = label[0] ? sal_pool_format(&scene->tables->pool, "%s.%s", e->name, label) : e->name;
    if (row->name) sal_names_add(&scene->tables->pool, &scene->tables->row_names, row->name, NULL);
    if (e->nrow++ == 0) e->row = scene->tables->rows.n - 1;
    b->row_free = false;
}

static void add_term(sal_builder *b, double c, sal_slot s, sal_slot i, sal_slot j, sal_slot k, sal_slot l)
{
    sal_scene     *scene   = b->scene;
    const sal_slot slots[] = { s, i, j, k, l };
    sal_term      *term;

    for (int f = 0; f < SAL_COUNT(slots); f++) {
        if (slots[f] == SAL_NONE) b->failed = true; /* a value that had an error */
        else if (slots[f] < scene->tables->n) b->row_free = true;
    }
    if (b->failed) return;
    if (s < scene->tables->n || scene->tables->timed.at[s]) {
        sal_element_error(b, "", "its type uses a coefficient that changes in time");
        return;
    }
    if (sal_builder_element(b)->nrow == 0) {
        sal_element_error(b, "", "its type adds a term before it begins a row");
        return;
    }
    term = SAL_PUSH(&scene->tables->pool, &scene->tables->terms);
    if (term)
        *term = (sal_term){
            .c = c, .s = s, .i = i, .j = j, .k = k, .l = l, .row = scene->tables->rows.n - 1, .square = i == k && j == l
        };
}

void sal_add_value(sal_builder *b, double c, sal_slot s)
{
    add_term(b, c, b->scene->tables->one, s, b->scene->tables->zero, b->scene->tables->one, b->scene->tables->zero);
}

void sal_add_product(sal_builder *b, double c, sal_slot s, sal_slot r)
{
    add_term(b, c, b->scene->tables->one, s, b->scene->tables->zero, r, b->scene->tables->zero);
}

typedef struct item { /* c z_s (z_i - z_j) */
    double   c;
    sal_slot s, i, j;
} item;

enum { ITEMS_MAX = 5 };

static int offset_items(const sal_scene *scene, double c, const sal_basis *p, int axis, item *items)
{
    const int other = 1 - axis;
    int       n     = 0;

    if (p->alpha != scene->tables->zero) items[n++] = (item){ c, p->alpha, p->j[axis], p->i[axis] };
    if (p->beta != scene->tables->zero) items[n++] = (item){ axis == 0 ? -c : c, p->beta, p->j[other], p->i[other] };
    return n;
}

/* (q - p) along the axis. */
static int difference_items(sal_builder *b, sal_point from, sal_point to, int axis, item items[ITEMS_MAX])
{
    const sal_scene *scene = b->scene;
    const sal_basis *p = sal_builder_basis(b, from), *q = sal_builder_basis(b, to);
    int              n = 0;

    if (!p || !q) return 0;
    if (p->i[axis] != q->i[axis]) items[n++] = (item){ 1.0, scene->tables->one, q->i[axis], p->i[axis] };
    n += offset_items(scene, +1.0, q, axis, items + n);
    n += offset_items(scene, -1.0, p, axis, items + n);
    return n;
}

void sal_add_along(sal_builder *b, double c, int axis, sal_point p, sal_point q)
{
    item items[ITEMS_MAX];
    int  n;

    if (axis < 0 || axis >= b->scene->tables->dimension) {
        sal_element_error(b, "", "its type uses an axis that there is not");
        return;
    }
    n = difference_items(b, p, q, axis, items);
    for (int k = 0; k < n; k++)
        add_term(b, c * items[k].c, items[k].s, items[k].i, items[k].j, b->scene->tables->one, b->scene->tables->zero);
}

/* (q - p)_axis1 (s - r)_axis2 */
static void add_differences(sal_builder *b, double c, sal_point p, sal_point q, int axis1, sal_point r, sal_point s,
                            int axis2)
{
    item one[ITEMS_MAX], two[ITEMS_MAX];
    int  n1 = difference_items(b, p, q, axis1, one), n2 = difference_items(b, r, s, axis2, two);

    for (int k = 0; k < n1; k++) {
        for (int l = 0; l < n2; l++) {
            sal_slot factor = one[k].s;
            if (factor == b->scene->tables->one) factor = two[l].s;
            else if (two[l].s != b->scene->tables->one) {
                factor = sal_derive(b, "a*b", (sal_bind[]){ { "a", one[k].s }, { "b", two[l].s }, { 0 } });
            }
            add_term(b, c * one[k].c * two[l].c, factor, one[k].i, one[k].j, two[l].i, two[l].j);
        }
    }
}

void sal_add_dot(sal_builder *b, double c, sal_point p, sal_point q, sal_point r, sal_point s)
{
    for (int axis = 0; axis < b->scene->tables->dimension; axis++) add_differences(b, c, p, q, axis, r, s, axis);
}

void sal_add_cross(sal_builder *b, double c, sal_point p, sal_point q, sal_point r, sal_point s)
{
    add_differences(b, +c, p, q, 0, r, s, 1);
    add_differences(b, -c, p, q, 1, r, s, 0);
}

/* Whether the program reads nothing but coordinates, velocities, values and time. */
static bool reads_motion_only(const sal_program *p)
{
    return (p->reads & (1u << SAL_SRC_ZDD | 1u << SAL_SRC_LAMBDA | 1u << SAL_SRC_ENERGY)) == 0;
}

static void begin_formula(sal_builder *b, const char *label, sal_text text, const sal_bind *binds, bool rate)
{
    sal_scene  *scene = b->scene;
    sal_program program;

    sal_row_begin(b, label);
    if (scene->tables->pool.failed || !sal_builder_compile(b, text, rate ? "rate" : "phi", binds, &program)) return;
    if (!rate && !(reads_motion_only(&program) && !(program.reads & (1u << SAL_SRC_ZD | 1u << SAL_SRC_LATER)))) {
        sal_builder_formula_error(b, text, "'%s' is no constraint; expected an expression of positions and t",
                                  text.text);
        return;
    }
    if (rate && !sal_builder_is_velocity(b, &program, true)) {
        sal_builder_formula_error(b, text, "'%s' is no velocity; expected an expression linear in velocities",
                                  text.text);
        return;
    }
    for (int k = 0; k < program.nleaf; k++) {
        const sal_node *leaf = &program.node[program.leaf[k]];
        b->row_free          = b->row_free || leaf->b < scene->tables->n;
    }
    scene->tables->rows.at[scene->tables->rows.n - 1].formula = program;
    scene->tables->rows.at[scene->tables->rows.n - 1].rate    = rate;
}

bool sal_expect_place(sal_builder *b, sal_text text, const char *key, const sal_bind *binds)
{
    sal_program p;
    bool        moves = false;

    if (!sal_builder_compile(b, text, key, binds, &p)) return false;
    for (int k = 0; k < p.nleaf; k++) {
        const sal_node *leaf = &p.node[p.leaf[k]];
        moves                = moves || (leaf->a == SAL_SRC_Z && leaf->b < b->scene->tables->n);
    }
    if (moves && !(p.reads & ~(1u << SAL_SRC_Z))) return true;
    sal_builder_formula_error(b, text, "'%s' is no place; expected a function of places that can change, values and t",
                              text.text);
    return false;
}

bool sal_expect_velocity(sal_builder *b, sal_text text, const char *key, const sal_bind *binds)
{
    sal_program p;

    if (!sal_builder_compile(b, text, key, binds, &p)) return false;
    if (sal_builder_is_velocity(b, &p, true)) return true;
    sal_builder_formula_error(b, text, "'%s' is no velocity; expected an expression linear in velocities", text.text);
    return false;
}

void sal_row_formula(sal_builder *b, const char *label, sal_text phi, const sal_bind *binds)
{
    begin_formula(b, label, phi, binds, false);
}

void sal_row_rate(sal_builder *b, const char *label, sal_text rate, const sal_bind *binds)
{
    begin_formula(b, label, rate, binds, true);
}

int sal_row_multiplier(const sal_builder *b)
{
    return b->scene->tables->rows.n;
}

/* Whether the text of the type's reactions has the last part of the label as a word. */
static bool is_told(const char *reactions, const char *label)
{
    const char  *dot    = strrchr(label, '.');
    const char  *word   = dot ? dot + 1 : label;
    const size_t length = strlen(word);

    for (const char *at = strstr(reactions, word); at; at = strstr(at + 1, word)) {
        const bool begins = at == reactions || !isalnum((unsigned char)at[-1]);
        if (begins && !isalnum((unsigned char)at[length])) return true;
    }
    return false;
}

void sal_add_reaction(sal_builder *b, const char *label, const char *unit, const char *formula, const sal_bind *binds)
{
    sal_scene   *scene    = b->scene;
    sal_reaction reaction = { .unit = unit }, *slot;

    if (b->failed) return;
    if (sal_builder_type(b)->reactions && !is_told(sal_builder_type(b)->reactions, label))
        sal_element_error(b, "", "its type does not tell of the reaction '%s'", label);
    reaction.name = sal_pool_format(&scene->tables->pool, "%s.%s", sal_builder_element(b)->name, label);
    if (!reaction.name || !sal_builder_compile(b, sal_formula(formula), label, binds, &reaction.program)) return;
    sal_names_add(&scene->tables->pool, &scene->tables->reaction_names, reaction.name, NULL);
    slot = SAL_PUSH(&scene->tables->pool, &scene->tables->reactions);
    if (slot) *slot = reaction;
}

/* ----------------------------------------------------------------------------- masses and forces */

/* Whether value can be an entry of M, with both points basic. */
static bool can_have_mass(sal_builder *b, sal_point p, sal_point q, sal_slot value)
{
    const sal_basis *one = sal_builder_basis(b, p), *two = sal_builder_basis(b, q);

    if (value == SAL_NONE || b->failed) { /* what is wrong has been said */
        b->failed = true;
        return false;
    }
    if (!sal_basis_is_basic(one) || !sal_basis_is_basic(two)) {
        sal_element_error(b, "", "its type gives a mass to a marker; masses belong to basic points");
        return false;
    }
    if (b->scene->tables->timed.at[value] || b->scene->tables->kept.at[value]) {
        sal_element_error(b, "", "its mass depends on %s", b->scene->tables->timed.at[value] ? "t" : "memory");
        return false;
    }
    return true;
}

static void add_entry(sal_builder *b, sal_slot i, sal_slot j, sal_slot value)
{
    sal_mass *mass = SAL_PUSH(&b->scene->tables->pool, &b->scene->tables->masses);

    if (mass) *mass = (sal_mass){ i, j, value };
}

void sal_add_mass(sal_builder *b, sal_point p, sal_point q, sal_slot value)
{
    const sal_tables *tables = b->scene->tables;

    if (!can_have_mass(b, p, q, value)) return;
    for (int axis = 0; axis < tables->dimension; axis++)
        add_entry(b, sal_basis_of(tables, p)->i[axis], sal_basis_of(tables, q)->i[axis], value);
}

void sal_add_mass_turned(sal_builder *b, sal_point p, sal_point q, sal_slot value)
{
    const sal_tables *tables = b->scene->tables;
    sal_slot          minus;

    if (!can_have_mass(b, p, q, value)) return;
    minus = sal_derive(b, "-v", (sal_bind[]){ { "v", value }, { 0 } });
    if (minus == SAL_NONE) return;
    add_entry(b, sal_basis_of(tables, p)->xi, sal_basis_of(tables, q)->yi, value);
    add_entry(b, sal_basis_of(tables, p)->yi, sal_basis_of(tables, q)->xi, minus);
}

void sal_add_spring(sal_builder *b, sal_point p, sal_point q, sal_slot stiffness, sal_slot length, sal_slot damping)
{
    const sal_basis *one = sal_builder_basis(b, p), *two = sal_builder_basis(b, q);
    sal_spring      *spring = one && two ? SAL_PUSH(&b->scene->tables->pool, &b->scene->tables->springs) : NULL;

    if (spring) *spring = (sal_spring){ *one, *two, stiffness, length, damping, b->element };
}

/* The key that the scene has a formula under; otherwise what a type calls it. */
static const char *key_of(sal_text text, const char *otherwise)
{
    const cJSON *node = text.place;

    return node && node->string ? node->string : otherwise;
}

void sal_add_force(sal_builder *b, sal_text rate, sal_text force, const sal_bind *binds)
{
    sal_effort effort = { .element = b->element }, *slot;
    bool       good   = sal_builder_compile(b, rate, "along", binds, &effort.rate);

    good = sal_builder_compile(b, force, key_of(force, "force"), binds, &effort.force) && good;
    if (!good || (b->failed && effort.rate.nleaf == 0)) return; /* the rate of what cannot move: that has been said */
    if (!sal_builder_is_velocity(b, &effort.rate, true)) {      /* driven parts do work as well */
        sal_builder_formula_error(b, rate, "'%s' is no velocity; expected an expression linear in velocities",
                                  rate.text);
        return;
    }
    if (!reads_motion_only(&effort.force)) {
        sal_builder_formula_error(b, force, "'%s' is no force; it may read positions, velocities, values and t",
                                  force.text);
        return;
    }
    slot = SAL_PUSH(&b->scene->tables->pool, &b->scene->tables->efforts);
    if (slot) *slot = effort;
}

void sal_add_energy(sal_builder *b, const char *formula, const sal_bind *binds)
{
    sal_program energy, *slot;
    int        *element;

    if (b->failed || !sal_builder_compile(b, sal_formula(formula), "energy", binds, &energy)) return;
    if (!reads_motion_only(&energy)) {
        sal_element_error(b, "", "its type adds the energy '%s', which follows from forces", formula);
        return;
    }
    slot    = SAL_PUSH(&b->scene->tables->pool, &b->scene->tables->energies);
    element = SAL_PUSH(&b->scene->tables->pool, &b->scene->tables->energy_elements);
    if (slot && element) {
        *slot    = energy;
        *element = b->element;
    }
}

void sal_emit_formulas(sal_builder *b, sal_texts rows, sal_texts rates, sal_texts forces, const sal_bind *binds)
{
    const int count = rows.n + rates.n;

    for (int k = 0; k < count; k++) {
        char label[24] = "";
        if (count > 1) snprintf(label, sizeof label, "row%d", k + 1);
        if (k < rows.n) sal_row_formula(b, label, rows.value[k], binds);
        else sal_row_rate(b, label, rates.value[k - rows.n], binds);
    }
    for (int k = 0; k < forces.n; k++) sal_add_force(b, forces.key[k], forces.value[k], binds);
}

/* ------------------------------------------------------------------------------------------ emit */

void sal_element_emit(sal_scene *scene, int element, const cJSON *node, const sal_type *type, const void *self)
{
    sal_builder b = { .scene   = scene,
                      .element = element,
                      .node    = node,
                      .type    = type,
                      .drawn   = scene->tables->drawing.n,
                      .touched = scene->tables->touches.n };

    for (int k = 0; k < SAL_CONTACT_CHANGES; k++) b.change[k] = -1;
    scene->emitting = element;
    scene->used.n   = 0;
    scene->turned.n = 0;
    type->emit(self, &b);
    row_end(&b);
    sal_builder_draw_used(&b);
    if (b.failed && !scene->tables->pool.failed && sal_error_count(scene->tables->context) == 0)
        sal_element_error(&b, "", "it is not valid, and its type does not say why");
    scene->emitting                 = -1;
    sal_builder_element(&b)->broken = b.failed;
}
