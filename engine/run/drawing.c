/* drawing.c - the numbers of the drawing at the state that a run shows.
 *
 * Readers look at the state shown with workspace of their own, as those in read.c. */
#include <math.h>
#include <string.h>

#include "engine/run/run.h"

/* ------------------------------------------------------------------------------------- geometry */

static double slot_value(const sal_run *run, sal_slot slot)
{
    return slot == SAL_NONE ? NAN : run->shown.z[slot];
}

/* Where a point is, by the z of the state, or how fast it moves, by its rates. */
static void combine(const sal_run *run, sal_point point, const double *x, double out[2])
{
    const sal_basis *p     = sal_basis_of(run->model->tables, point);
    const double     alpha = run->shown.z[p->alpha], beta = run->shown.z[p->beta];
    const double     dx = x[p->xj] - x[p->xi], dy = x[p->yj] - x[p->yi];

    out[0] = x[p->xi] + alpha * dx - beta * dy;
    out[1] = x[p->yi] + alpha * dy + beta * dx;
}

static void place_of(const sal_run *run, sal_point point, double at[2])
{
    combine(run, point, run->shown.z, at);
}

/* The unit vector from p to q; (1, 0) where they meet. */
static void direction_of(const sal_run *run, sal_point p, sal_point q, double u[2])
{
    double from[2], length;

    place_of(run, p, from);
    place_of(run, q, u);
    u[0] -= from[0];
    u[1] -= from[1];
    length = hypot(u[0], u[1]);
    u[0]   = length > 0.0 ? u[0] / length : 1.0;
    u[1]   = length > 0.0 ? u[1] / length : 0.0;
}

/* The angle of a body, turns counted; `otherwise` without a body. */
static double angle_of(const sal_run *run, int body, double otherwise)
{
    const sal_element *e = body < 0 ? NULL : &run->model->tables->elements.at[body];
    const double      *turn;
    double             u[2];

    if (!e || !e->framed) return otherwise;
    turn = run->shown.z + e->turn; /* the angle when turns were counted last, and its direction */
    direction_of(run, e->ends[0], e->ends[1], u);
    return turn[0] + atan2(turn[1] * u[1] - turn[2] * u[0], turn[1] * u[0] + turn[2] * u[1]);
}

/* The rate of its angle: d x d' / |d|^2, d between its ends; 0 without a body. */
static double rate_of(const sal_run *run, int body)
{
    const sal_element *e = body < 0 ? NULL : &run->model->tables->elements.at[body];
    double             d[2][2], v[2][2], x, y;

    if (!e || !e->framed) return 0.0;
    for (int k = 0; k < 2; k++) {
        place_of(run, e->ends[k], d[k]);
        combine(run, e->ends[k], run->shown.zd, v[k]);
    }
    x = d[1][0] - d[0][0];
    y = d[1][1] - d[0][1];
    return (x * (v[1][1] - v[0][1]) - y * (v[1][0] - v[0][0])) / (x * x + y * y);
}

/* The place (x, y) in the frame of a body. */
static void centre_of(const sal_run *run, const sal_drawn *d, double at[2])
{
    const sal_element *e = &run->model->tables->elements.at[d->body];
    const double       x = run->shown.z[d->centre[0]], y = run->shown.z[d->centre[1]];
    double             u[2];

    direction_of(run, e->ends[0], e->ends[1], u);
    place_of(run, e->ends[0], at);
    at[0] += x * u[0] - y * u[1];
    at[1] += x * u[1] + y * u[0];
}

/* ------------------------------------------------------------------------------------------ state */

static double evaluate(const sal_run *run, const sal_program *program, double *value)
{
    const sal_shown *x    = &run->shown;
    const sal_view   view = { .system = &run->system, .z = x->z, .zd = x->zd, .zdd = x->zdd, .lambda = x->lambda };

    return program->n ? sal_view_value(&view, program, value) : NAN;
}

/* The force N along the normal n and T along the surface, on what touches; from the rows of the contact, or by
 * formulas. */
static void contact_state(const sal_run *run, const sal_drawn *d, double *value, sal_drawing_state *s)
{
    const sal_touch *touch = d->touch < 0 ? NULL : &run->model->tables->touches.at[d->touch];
    const double    *n = s->direction, turn = d->left ? 1.0 : -1.0, r = isnan(s->radius) ? 0.0 : s->radius;
    double           N = 0.0, T = 0.0, at[2];

    if (touch) N = run->shown.lambda[touch->normal];
    if (touch && touch->tangent >= 0) T = run->shown.lambda[touch->tangent];
    if (d->size.n) N = evaluate(run, &d->size, value);
    if (d->friction.n) T = evaluate(run, &d->friction, value);
    place_of(run, d->points[0], at);
    for (int axis = 0; axis < 2; axis++) s->place[axis] = at[axis] - r * n[axis];
    s->force[0] = N * n[0] - turn * T * n[1];
    s->force[1] = N * n[1] + turn * T * n[0];
    s->friction = touch && touch->mu_kinetic != SAL_NONE ? run->shown.z[touch->mu_kinetic] : 0.0;
}

/* Of a straight line: along its last two points, or by its angle. */
static void line_state(const sal_run *run, const sal_drawn *d, sal_drawing_state *s)
{
    if (d->npoints >= 2) {
        direction_of(run, d->points[d->npoints - 2], d->points[d->npoints - 1], s->direction);
        return;
    }
    if (d->kind == SAL_DRAW_GROUND && d->angle == SAL_NONE && !d->curved) s->angle = 0.0;
    s->direction[0] = cos(s->angle);
    s->direction[1] = sin(s->angle);
}

/* Whether the name is that of the element, or of a part of it: "floor", "floor.P2". */
static bool is_of(const sal_element *e, const char *name)
{
    const size_t length = strlen(e->name);

    return !strncmp(e->name, name, length) && (name[length] == '\0' || name[length] == '.');
}

/* A contact element is off where all its contacts are; a joint does not hold where none of its rows does. */
static bool holds(const sal_run *run, int element, double *value)
{
    const sal_tables  *tables = run->model->tables;
    const sal_element *e      = &tables->elements.at[element];
    bool               any    = false;

    if (e->section == SAL_CONTACTS) {
        for (int k = 0; k < tables->gaps.n; k++) {
            const sal_gap *gap = &tables->gaps.at[k];
            if (!is_of(e, gap->name)) continue;
            any = true;
            if (evaluate(run, &gap->program[SAL_READ_ACTIVE], value) != 0.0) return true;
        }
        return !any;
    }
    for (int k = 0; k < e->nrow; k++) any = any || run->system.mode.held[e->row + k];
    return any || e->nrow == 0;
}

/* What depends on the kind. */
static void fill_kind(const sal_run *run, const sal_drawn *d, double *value, sal_drawing_state *s)
{
    switch (d->kind) {
    case SAL_DRAW_SLIDER:
    case SAL_DRAW_RACK:
    case SAL_DRAW_EDGE:
    case SAL_DRAW_GROUND: line_state(run, d, s); break;
    case SAL_DRAW_GEAR: s->radius = evaluate(run, &d->size, value); break;
    case SAL_DRAW_TORQUE: s->torque = evaluate(run, &d->size, value); break;
    case SAL_DRAW_FORCE:
        for (int axis = 0; axis < 2; axis++) s->force[axis] = evaluate(run, &d->vector[axis], value);
        break;
    case SAL_DRAW_CONTACT:
        for (int axis = 0; axis < 2; axis++) s->direction[axis] = evaluate(run, &d->vector[axis], value);
        contact_state(run, d, value, s);
        break;
    default: break;
    }
}

static void fill(const sal_run *run, const sal_drawn *d, double *value, sal_drawing_state *s)
{
    const bool between = d->kind == SAL_DRAW_TORSION || d->kind == SAL_DRAW_ANGLE || d->kind == SAL_DRAW_TORQUE ||
                         (d->kind == SAL_DRAW_MOTOR && d->body >= 0);

    *s = (sal_drawing_state){ .angle     = d->body >= 0 ? angle_of(run, d->body, NAN) : slot_value(run, d->angle),
                              .reference = angle_of(run, d->reference, between ? 0.0 : NAN),
                              .radius    = slot_value(run, d->radius),
                              .height    = slot_value(run, d->height),
                              .speed     = slot_value(run, d->speed),
                              .low       = slot_value(run, d->low),
                              .high      = slot_value(run, d->high),
                              .place     = { NAN, NAN },
                              .direction = { NAN, NAN },
                              .force     = { NAN, NAN },
                              .torque    = NAN,
                              .friction  = NAN,
                              .rate      = between ? rate_of(run, d->body) - rate_of(run, d->reference) : NAN,
                              .holds     = holds(run, d->element, value) };
    fill_kind(run, d, value, s);
}

/* ----------------------------------------------------------------------------------------- public */

/* Workspace for programs: on the stack unless they are very long. NULL: out of memory. */
enum { FIXED = 1024 };

static double *workspace(const sal_run *run, sal_pool *pool, double fixed[FIXED])
{
    sal_pool_init(pool, run->context);
    return run->model->program_max <= FIXED ? fixed : SAL_NEW(pool, double, run->model->program_max);
}

bool sal_run_drawing(const sal_run *run, int index, double *at, sal_drawing_state *state)
{
    const sal_tables *tables = run->model->tables;
    const sal_drawn  *d;
    double            fixed[FIXED], *value;
    sal_pool          pool;

    if (index < 0 || index >= tables->drawing.n) return false;
    d = &tables->drawing.at[index];
    for (int k = 0; k < d->npoints && at; k++) {
        if (d->centre[0] != SAL_NONE) centre_of(run, d, at + 2 * k);
        else place_of(run, d->points[k], at + 2 * k);
    }
    value = state ? workspace(run, &pool, fixed) : NULL;
    if (value) fill(run, d, value, state);
    if (state) sal_pool_free(&pool);
    return value || !state;
}

bool sal_run_drawing_curve(const sal_run *run, int index, double x, double *y)
{
    const double *const source[SAL_SRC_COUNT] = { [SAL_SRC_Z] = run->shown.z, [SAL_SRC_VARIABLE] = &x };
    const sal_tables   *tables                = run->model->tables;
    double              fixed[FIXED], *value;
    sal_pool            pool;

    if (index < 0 || index >= tables->drawing.n || tables->drawing.at[index].curve.n == 0) return false;
    value = workspace(run, &pool, fixed);
    if (value) *y = sal_program_value(&tables->drawing.at[index].curve, source, value);
    sal_pool_free(&pool);
    return value != NULL;
}
