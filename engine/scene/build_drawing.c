/* build_drawing.c - how an element looks: the items of the drawing that it emits, the implementation of that part of
 * ext.h.
 *
 * Items refer to points, bodies, values and programs that are there anyway: a drawing adds nothing to z and changes no
 * number of a run. */
#include "engine/scene/builder.h"

/* ----------------------------------------------------------------------------------------- points */

void sal_scene_use_point(sal_scene *scene, sal_point point)
{
    sal_point *slot;

    if (scene->emitting < 0) return;
    for (int k = 0; k < scene->used.n; k++) {
        if (scene->used.at[k].index == point.index) return;
    }
    slot = SAL_PUSH(&scene->tables->pool, &scene->used);
    if (slot) *slot = point;
}

void sal_scene_use_angle(sal_scene *scene, const sal_element *body)
{
    const int index = (int)(body - scene->tables->elements.at);
    int      *slot;

    for (int k = 0; k < 2; k++) sal_scene_use_point(scene, body->ends[k]);
    if (scene->emitting < 0) return;
    for (int k = 0; k < scene->turned.n; k++) {
        if (scene->turned.at[k] == index) return;
    }
    slot = SAL_PUSH(&scene->tables->pool, &scene->turned);
    if (slot) *slot = index;
}

/* Index of the point in the scene, -1: it has no name. */
static int name_of(const sal_tables *tables, sal_point point)
{
    for (int k = 0; k < tables->points.n; k++) {
        if (tables->points.at[k].point.index == point.index) return k;
    }
    return -1;
}

/* The body's index; -1 without one. */
static int body_of(const sal_builder *b, const char *body)
{
    const sal_element *e = body ? sal_tables_element(b->scene->tables, SAL_BODIES, body) : NULL;

    return e ? (int)(e - b->scene->tables->elements.at) : -1;
}

/* Where what acts between two bodies is drawn: at a point that both have, else at the first point of the body. */
static sal_point pivot(const sal_builder *b, const char *body, const char *reference)
{
    sal_point one[2], two[2];

    sal_body_ends(b, body, one);
    if (!reference) return one[0];
    sal_body_ends(b, reference, two);
    for (int k = 0; k < 4; k++) {
        if (one[k / 2].index == two[k % 2].index) return one[k / 2];
    }
    return one[0];
}

/* ------------------------------------------------------------------------------------------ items */

static sal_drawn item(const sal_builder *b, sal_drawing_kind kind)
{
    return (sal_drawn){ .kind      = kind,
                        .element   = b->element,
                        .body      = -1,
                        .reference = -1,
                        .radius    = SAL_NONE,
                        .height    = SAL_NONE,
                        .angle     = SAL_NONE,
                        .speed     = SAL_NONE,
                        .low       = SAL_NONE,
                        .high      = SAL_NONE,
                        .centre    = { SAL_NONE, SAL_NONE },
                        .touch     = -1 };
}

static void draw(sal_builder *b, sal_drawn d, const sal_point *points, int n)
{
    sal_tables *tables = b->scene->tables;
    sal_point  *copy   = SAL_NEW(&tables->pool, sal_point, n);
    int        *named  = SAL_NEW(&tables->pool, int, n);
    sal_drawn  *slot;

    if (b->failed || !copy || !named) return;
    for (int k = 0; k < n; k++) {
        if (d.centre[0] == SAL_NONE && !sal_builder_basis(b, points[k])) return;
        copy[k]  = points[k];
        named[k] = d.centre[0] == SAL_NONE ? name_of(tables, points[k]) : -1;
    }
    d.points  = copy;
    d.named   = named;
    d.npoints = n;
    slot      = SAL_PUSH(&tables->pool, &tables->drawing);
    if (slot) *slot = d;
}

static void draw_pair(sal_builder *b, sal_drawing_kind kind, sal_point p, sal_point q)
{
    draw(b, item(b, kind), (sal_point[]){ p, q }, 2);
}

/* Of two bodies, or one and the world: where they meet, else the end that does not move, else the first. */
static sal_point hinge(const sal_builder *b, const sal_element *body, const sal_element *reference)
{
    sal_point at;

    if (reference) return pivot(b, body->name, reference->name);
    at = body->ends[0];
    return sal_point_is_free(b, at) && !sal_point_is_free(b, body->ends[1]) ? body->ends[1] : at;
}

/* What acts between a body and another or the world. */
static void draw_between(sal_builder *b, sal_drawn d, const char *body, const char *reference)
{
    const sal_point at = pivot(b, body, reference);

    d.body      = body_of(b, body);
    d.reference = body_of(b, reference);
    draw(b, d, &at, 1);
}

/* A formula of the type; one that failed has been reported, or its reason has. */
static bool compile(sal_builder *b, const char *text, const sal_bind *binds, sal_program *program)
{
    return !b->failed && sal_builder_compile(b, sal_formula(text), "drawing", binds, program);
}

void sal_draw_points(sal_builder *b, const sal_point *points, int n)
{
    draw(b, item(b, SAL_DRAW_POINTS), points, n);
}

void sal_draw_line(sal_builder *b, sal_point p, sal_point q)
{
    draw_pair(b, SAL_DRAW_LINE, p, q);
}

void sal_draw_rope(sal_builder *b, const sal_point *points, int n)
{
    draw(b, item(b, SAL_DRAW_ROPE), points, n);
}

void sal_draw_spring(sal_builder *b, sal_point p, sal_point q)
{
    draw_pair(b, SAL_DRAW_SPRING, p, q);
}

void sal_draw_damper(sal_builder *b, sal_point p, sal_point q)
{
    draw_pair(b, SAL_DRAW_DAMPER, p, q);
}

void sal_draw_pin(sal_builder *b, sal_point p, sal_point q)
{
    draw_pair(b, SAL_DRAW_PIN, p, q);
}

void sal_draw_weld(sal_builder *b, sal_point p, sal_point q)
{
    draw_pair(b, SAL_DRAW_WELD, p, q);
}

void sal_draw_edge(sal_builder *b, sal_point p, sal_point q)
{
    draw_pair(b, SAL_DRAW_EDGE, p, q);
}

/* ----------------------------------------------------------------------------------------- bodies */

void sal_draw_body(sal_builder *b)
{
    const sal_tables  *tables = b->scene->tables;
    const sal_element *e      = sal_builder_element(b);
    sal_point         *points = SAL_NEW(&b->scene->tables->pool, sal_point, tables->points.n + 2);
    sal_drawn          d      = item(b, SAL_DRAW_BODY);
    int                n      = 0;

    if (!points || !e->framed) return;
    for (; n < 2; n++) points[n] = e->ends[n];
    for (int k = 0; k < tables->points.n; k++) {
        const sal_point_def *p = &tables->points.at[k];
        if (p->kind == SAL_MARKER && p->body == b->element) points[n++] = p->point;
    }
    d.body = b->element;
    draw(b, d, points, n);
}

void sal_draw_centre(sal_builder *b, sal_slot x, sal_slot y)
{
    const sal_point nameless = { SAL_NONE };
    sal_drawn       d        = item(b, SAL_DRAW_MASS);

    if (!sal_builder_element(b)->framed || x == SAL_NONE) return;
    d.body      = b->element;
    d.centre[0] = x;
    d.centre[1] = y != SAL_NONE ? y : b->scene->tables->zero;
    draw(b, d, &nameless, 1);
}

void sal_draw_mass(sal_builder *b, sal_point p)
{
    draw(b, item(b, SAL_DRAW_MASS), &p, 1);
}

void sal_draw_disc(sal_builder *b, sal_point centre, sal_slot radius, const char *body)
{
    sal_drawn d = item(b, SAL_DRAW_DISC);

    d.radius = radius;
    d.body   = body_of(b, body);
    draw(b, d, &centre, 1);
}

void sal_draw_gear(sal_builder *b, sal_point centre, const char *radius, const sal_bind *binds, const char *body)
{
    sal_drawn d = item(b, SAL_DRAW_GEAR);

    if (!compile(b, radius, binds, &d.size)) return;
    d.body = body_of(b, body);
    draw(b, d, &centre, 1);
}

void sal_draw_rack(sal_builder *b, sal_point p, const sal_point *line, sal_slot angle)
{
    const sal_point points[] = { p, line ? line[0] : p, line ? line[1] : p };
    sal_drawn       d        = item(b, SAL_DRAW_RACK);

    if (!line) d.angle = angle;
    draw(b, d, points, line ? 3 : 1);
}

/* ------------------------------------------------------------------------------------ what is held */

void sal_draw_slider(sal_builder *b, sal_point p, const sal_point line[2], const char *body)
{
    sal_drawn d = item(b, SAL_DRAW_SLIDER);

    d.body = body_of(b, body);
    draw(b, d, (sal_point[]){ p, line[0], line[1] }, 3);
}

void sal_draw_limit(sal_builder *b, sal_point p, sal_point q, sal_slot low, sal_slot high)
{
    sal_drawn d = item(b, SAL_DRAW_LIMIT);

    d.low  = low;
    d.high = high;
    draw(b, d, (sal_point[]){ p, q }, 2);
}

void sal_draw_angle(sal_builder *b, const char *body, const char *reference, sal_slot low, sal_slot high)
{
    sal_drawn d = item(b, SAL_DRAW_ANGLE);

    d.low  = low;
    d.high = high;
    draw_between(b, d, body, reference);
}

void sal_draw_torsion(sal_builder *b, const char *body, const char *reference)
{
    draw_between(b, item(b, SAL_DRAW_TORSION), body, reference);
}

void sal_draw_motor(sal_builder *b)
{
    const sal_scene   *scene = b->scene;
    const sal_element *e     = scene->tables->elements.at;
    const int         *body = scene->turned.at, n = scene->turned.n;
    sal_drawn          d = item(b, SAL_DRAW_MOTOR);

    if (scene->used.n == 0) return; /* of something that is nowhere */
    if (n == 1 || n == 2) {
        const sal_point at = hinge(b, &e[body[0]], n == 2 ? &e[body[1]] : NULL);
        d.body             = body[0];
        d.reference        = n == 2 ? body[1] : -1;
        draw(b, d, &at, 1);
    } else {
        draw(b, d, scene->used.at, scene->used.n);
    }
}

/* ----------------------------------------------------------------------------------------- forces */

static bool compile_vector(sal_builder *b, const char *const text[], const sal_bind *binds, sal_drawn *d)
{
    for (int axis = 0; axis < b->scene->tables->dimension; axis++) {
        if (!compile(b, text[axis], binds, &d->vector[axis])) return false;
    }
    return true;
}

void sal_draw_force(sal_builder *b, sal_point p, const char *x, const char *y, const sal_bind *binds)
{
    sal_drawn d = item(b, SAL_DRAW_FORCE);

    if (compile_vector(b, (const char *const[]){ x, y }, binds, &d)) draw(b, d, &p, 1);
}

void sal_draw_torque(sal_builder *b, const char *body, const char *reference, const char *torque, const sal_bind *binds)
{
    sal_drawn d = item(b, SAL_DRAW_TORQUE);

    if (compile(b, torque, binds, &d.size)) draw_between(b, d, body, reference);
}

void sal_draw_contact(sal_builder *b, const sal_contact_drawing *c)
{
    const int touches = b->scene->tables->touches.n;
    sal_drawn d       = item(b, SAL_DRAW_CONTACT);

    if (!compile_vector(b, c->normal, c->binds, &d)) return;
    if (c->push && !compile(b, c->push, c->binds, &d.size)) return;
    if (c->friction && !compile(b, c->friction, c->binds, &d.friction)) return;
    d.radius = c->radius;
    d.left   = c->left;
    if (!c->push && touches > b->touched) d.touch = touches - 1;
    b->touched = touches;
    draw(b, d, &c->point, 1);
}

/* ----------------------------------------------------------------------------------------- ground */

/* height + x tan(angle) or height + profile(x), x being the variable; false after an error. */
static bool compile_curve(sal_builder *b, sal_slot height, sal_slot angle, sal_text profile, sal_program *curve)
{
    const sal_tables   *tables = b->scene->tables;
    const sal_function *f      = profile.text && !b->failed ? sal_scene_function(b->scene, profile, "x") : NULL;
    sal_expr           *e      = sal_expr_begin(&b->scene->tables->pool);
    int                 x, y;

    if (b->failed || !e || (profile.text && (!f || f->program[0].n == 0))) return false;
    x = sal_expr_leaf(e, SAL_SRC_VARIABLE, 0);
    y = sal_expr_leaf(e, SAL_SRC_Z, height != SAL_NONE ? height : tables->zero);
    if (f) y = sal_expr_op(e, SAL_OP_ADD, y, sal_expr_insert(e, &f->program[0], SAL_SRC_Z, SAL_NONE, x), 0);
    if (angle != SAL_NONE) {
        const int slope = sal_expr_op(e, SAL_OP_TAN, sal_expr_leaf(e, SAL_SRC_Z, angle), 0, 0);
        y               = sal_expr_op(e, SAL_OP_ADD, y, sal_expr_op(e, SAL_OP_MUL, x, slope, 0), 0);
    }
    return sal_expr_finish(e, y, curve) == SAL_OK;
}

void sal_draw_ground(sal_builder *b, sal_slot height, sal_slot angle, sal_text profile, sal_slot speed)
{
    sal_drawn d = item(b, SAL_DRAW_GROUND);

    if (!compile_curve(b, height, angle, profile, &d.curve)) return;
    d.height = height != SAL_NONE ? height : b->scene->tables->zero;
    d.angle  = angle;
    d.speed  = speed;
    d.curved = profile.text != NULL;
    draw(b, d, NULL, 0);
}

void sal_draw_curve(sal_builder *b, sal_point p, sal_text profile)
{
    sal_drawn d = item(b, SAL_DRAW_CURVE);

    if (compile_curve(b, SAL_NONE, SAL_NONE, profile, &d.curve)) draw(b, d, &p, 1);
}

/* ------------------------------------------------------------------------------- what draws nothing */

void sal_builder_draw_used(sal_builder *b)
{
    const sal_scene *scene = b->scene;
    const bool       joint = sal_builder_element(b)->section == SAL_JOINTS;

    if (scene->tables->drawing.n > b->drawn || scene->used.n == 0) return;
    draw(b, item(b, joint && scene->used.n == 2 ? SAL_DRAW_LINE : SAL_DRAW_POINTS), scene->used.at, scene->used.n);
}
