/* test_derivatives.c - every derivative of every registered type, and of every function of the expression language.
 *
 * No type is named here. Scenes are made for each type of the registry (scene_generator.h). For the whole of such a
 * scene the tangent linear model is held against differences of eighth order, with q, v and a parameter changing
 * together along a column:
 *
 *     A, Lambda (index1, Baumgarte, penalty), Phi, Phidot, the energy, outputs, functions, guards, settings and notes
 *     of events, the velocities after each event, the velocities and impulses after the impact of a contact
 *
 * Scenes with contacts are looked at in several modes: open, closed, stuck, sliding either way.
 *
 * A new type is covered by being registered; a new function of expressions by being in sal_op. */
#include "tests/scene_generator.h"

#include "engine/contact/contact.h"
#include "engine/motion/motion.h"

/* ---------------------------------------------------------------------------------- one scene */

enum array { A, LAMBDA, PHI, PHIDOT, ENERGY, OUTPUT, WHEN, GUARD, SETTER, NOTE, JUMP, IMPACT, IMPULSE, ARRAYS };
static const char *const array_names[] = { "A",      "Lambda",   "Phi",   "Phidot", "energy",        "outputs", "when",
                                           "guards", "settings", "notes", "v+",     "v+ of impacts", "impulses" };

/* A state and p directions in which it, the parameters and the time of events change. */
typedef struct bench {
    const sal_model  *model;
    sal_pool          pool;
    sal_system        system;
    sal_tangent       tangent;
    sal_form          form;
    sal_stabilization stabilization;
    sal_contacts      contacts;
    mode              mode;
    int               touch;  /* the contact whose impact is looked at */
    bool              jammed; /* there is no such impact, or many */
    int               p;      /* a column for each parameter, and one for the state alone */
    int               turn;   /* whose it is among the parameters of what is around the type; -1: all are compared */
    double            t;
    double           *q, *v, *base, *Q, *V, *tau;           /* [n], [n], [parameters], [n][p], [n][p], [p] */
    double           *at_q, *at_v, *given;                  /* a place nearby */
    int               from[ARRAYS + 1];                     /* where each array begins in: */
    double           *value, *plus, *minus, *exact, *found; /* all that is compared; [.], the last two [.][p] */
    double           *keep, *turns, *zero;                  /* [3 nz][p], [nz], [events] zero */
    char              where[128];                           /* the worst error was */
} bench;

/* What was learned from all scenes of a type. */
typedef struct tally {
    generator made;
    uint64_t  seed;
    int       values, same;
    int       modes, moved, jams;      /* modes of contacts; states close to a kink; without an impact */
    int       rebounds, sticks, slips; /* contacts after impacts */
    int       bounded;                 /* of which less was taken than Poisson's law gives back */
    int       pushes, idles;           /* forces by formulas that act, and do not */
    bool      friction;                /* something acts along a tangent */
    double    worst[ARRAYS];
    int       nnames;
    struct {
        char name[64];
        bool matters;
    } names[64];
} tally;

static void lay_out(bench *b)
{
    const sal_tables *tables       = b->model->tables;
    const int         size[ARRAYS] = { [A]       = b->model->n,
                                       [LAMBDA]  = b->model->m,
                                       [PHI]     = b->model->m,
                                       [PHIDOT]  = b->model->m,
                                       [ENERGY]  = 1,
                                       [OUTPUT]  = tables->outputs.n,
                                       [WHEN]    = tables->events.n,
                                       [GUARD]   = tables->events.n,
                                       [SETTER]  = tables->setters.n,
                                       [NOTE]    = tables->notes.n,
                                       [JUMP]    = tables->events.n * b->model->n,
                                       [IMPACT]  = tables->touches.n ? b->model->n : 0,
                                       [IMPULSE] = tables->touches.n ? b->model->m : 0 };
    int               all;

    for (int k = 0; k < ARRAYS; k++) b->from[k + 1] = b->from[k] + size[k];
    all      = b->from[ARRAYS];
    b->value = SAL_NEW(&b->pool, double, all);
    b->plus  = SAL_NEW(&b->pool, double, all);
    b->minus = SAL_NEW(&b->pool, double, all);
    b->exact = SAL_NEW(&b->pool, double, all * b->p);
    b->found = SAL_NEW(&b->pool, double, all * b->p);
}

static void bench_make(bench *b, const rig *r)
{
    const int n = r->model->n, parameters = r->model->tables->parameters.n;
    sal_wrt  *wrt;

    *b = (bench){ .model = r->model, .p = parameters + 1 };
    sal_pool_init(&b->pool, r->context);
    assert_int_equal(sal_system_init(&b->system, r->model, &b->pool), SAL_OK);
    wrt = SAL_NEW(&b->pool, sal_wrt, b->p);
    for (int c = 0; c < b->p; c++) wrt[c] = (sal_wrt){ .parameter = c < parameters ? c : -1 };
    assert_int_equal(sal_tangent_init(&b->tangent, r->model, &b->pool, wrt, b->p), SAL_OK);
    b->q     = SAL_NEW(&b->pool, double, n);
    b->v     = SAL_NEW(&b->pool, double, n);
    b->at_q  = SAL_NEW(&b->pool, double, n);
    b->at_v  = SAL_NEW(&b->pool, double, n);
    b->base  = SAL_NEW(&b->pool, double, parameters);
    b->given = SAL_NEW(&b->pool, double, parameters);
    b->Q     = SAL_NEW(&b->pool, double, n * b->p);
    b->V     = SAL_NEW(&b->pool, double, n * b->p);
    b->tau   = SAL_NEW(&b->pool, double, b->p);
    b->keep  = SAL_NEW(&b->pool, double, 3 * r->model->nz * b->p);
    b->turns = SAL_NEW(&b->pool, double, r->model->nz);
    b->zero  = SAL_NEW(&b->pool, double, r->model->tables->events.n);
    assert_int_equal(sal_contacts_init(&b->contacts, r->model, &b->pool, b->p), SAL_OK);
    lay_out(b);
}

static void bench_free(bench *b)
{
    sal_contacts_free(&b->contacts);
    sal_system_free(&b->system);
    sal_pool_free(&b->pool);
}

/* What angles count from; in arrays like z. */
static void copy_turns(const bench *b, double *to, const double *from)
{
    for (int k = 0; k < b->model->tables->elements.n; k++) {
        const sal_element *e = &b->model->tables->elements.at[k];
        if (e->framed) memcpy(to + e->turn, from + e->turn, 3 * sizeof(double));
    }
}

static double gap_rate(const bench *b, int touch)
{
    return -sal_relations_rate(&b->system.rows, b->model->tables->touches.at[touch].normal, b->system.z, b->system.zd);
}

/* A state near the points of the scene, or so close together that discs overlap, with velocities that fulfil nothing,
 * and directions. */
static void bench_place(bench *b, double t, uint64_t *seed)
{
    const sal_tables *tables = b->model->tables;
    const double      wide   = b->turn % 4 == 3 ? 0.25 : 0.8 + 0.3 * random_number(seed);

    for (int k = 0; k < tables->parameters.n; k++) b->given[k] = NAN;
    if (sal_system_set_values(&b->system, b->given) != SAL_OK) fail_msg("%s", b->system.message);
    for (int k = 0; k < tables->parameters.n; k++) b->base[k] = b->system.z[tables->parameters.at[k].slot];
    for (int k = 0; k < tables->points.n; k++) {
        const sal_point_def *p = &tables->points.at[k];
        for (int axis = 0; axis < tables->dimension && p->kind == SAL_FREE; axis++)
            b->q[sal_basis_of(tables, p->point)->i[axis]] =
                wide * b->system.z[p->at[axis]] + 0.25 * random_number(seed);
    }
    for (int k = 0; k < b->model->n; k++) b->v[k] = random_number(seed);
    for (int k = 0; k < b->model->n * b->p; k++) {
        b->Q[k] = random_number(seed);
        b->V[k] = random_number(seed);
    }
    for (int c = 0; c < b->p; c++) b->tau[c] = random_number(seed);
    b->t = t;
    sal_system_move(&b->system, t, b->q, b->v);
    if (tables->touches.n && b->turn % 4 && gap_rate(b, b->touch) > 0.0) { /* most of the time it closes */
        for (int k = 0; k < b->model->n; k++) b->v[k] = -b->v[k];
        sal_system_move(&b->system, t, b->q, b->v);
    }
    sal_system_count_turns(&b->system, true); /* angles change by less than a turn nearby, but not if counted from 0 */
    copy_turns(b, b->turns, b->system.z);
}

/* Leaves the parameters alone to change. */
static void bench_hold_state(bench *b)
{
    memset(b->Q, 0, sizeof(double) * (size_t)(b->model->n * b->p));
    memset(b->V, 0, sizeof(double) * (size_t)(b->model->n * b->p));
    memset(b->tau, 0, sizeof(double) * (size_t)b->p);
}

static void move_along(bench *b, int column, double h)
{
    const int n = b->model->n, parameters = b->model->tables->parameters.n;

    for (int k = 0; k < parameters; k++) b->given[k] = b->base[k] + (k == column ? h : 0.0);
    for (int k = 0; k < n; k++) {
        b->at_q[k] = b->q[k] + h * b->Q[k * b->p + column];
        b->at_v[k] = b->v[k] + h * b->V[k * b->p + column];
    }
    if (sal_system_set_values(&b->system, b->given) != SAL_OK) fail_msg("%s", b->system.message);
    copy_turns(b, b->system.z, b->turns);
    sal_system_move(&b->system, b->t, b->at_q, b->at_v);
    set_mode(&b->system.mode, b->model->tables, b->mode);
    sal_system_set_form(&b->system, b->form, b->stabilization);
}

/* Whether constraints are independent of each other in the mode. */
static bool is_regular(bench *b)
{
    move_along(b, 0, 0.0);
    sal_system_set_form(&b->system, SAL_INDEX1, SAL_PROJECTION);
    return b->system.shares == 0;
}

static void must(bench *b, sal_status status, const char *what)
{
    if (status != SAL_OK) fail_msg("%s: %s %s", what, sal_status_name(status), b->system.message);
}

/* The impact of the contact, at the state. However slow, rebounds are rebounds: to be slow is not differentiable. */
static sal_status strike(bench *b, sal_tangent *t)
{
    const sal_touch *touch = &b->model->tables->touches.at[b->touch];
    const size_t     rows  = sizeof(double) * (size_t)b->model->m;

    b->system.z[touch->rest] = 0.0;
    memset(b->contacts.impulse, 0, rows);
    memset(b->contacts.impulse_change, 0, rows * (size_t)b->p);
    return sal_contacts_impact(&b->contacts, &b->system, b->touch, b->zero, t);
}

/* What an event does to the constraints before the velocities jump. */
static void flip(bench *b, int event)
{
    const sal_tables *tables = b->model->tables;

    set_mode(&b->system.mode, b->model->tables, b->mode);
    for (int k = 0; k < tables->switches.n; k++) {
        const sal_switch  *x = &tables->switches.at[k];
        const sal_element *e = &tables->elements.at[x->element];
        for (int r = e->row; r < e->row + e->nrow && x->event == event && x->kind != SAL_RELEASE_AFTER; r++)
            b->system.mode.held[r] = x->kind == SAL_HOLD;
    }
}

static void jump(bench *b, int event, sal_tangent *t)
{
    const sal_event *e = &b->model->tables->events.at[event];

    if (e->nset == 0) return;
    must(b, sal_system_jump_targets(&b->system, event, t), e->name);
    flip(b, event);
    must(b, sal_system_jump(&b->system, event, t), e->name);
    set_mode(&b->system.mode, b->model->tables, b->mode);
}

/* All that is compared, at h along a column. */
static void evaluate(bench *b, int column, double h, double *out)
{
    const sal_tables *tables = b->model->tables;
    sal_system       *s      = &b->system;
    const int         n      = b->model->n;

    move_along(b, column, h);
    must(b, sal_system_accelerate(s), "accelerations");
    memcpy(out + b->from[A], s->zdd, sizeof(double) * (size_t)n);
    memcpy(out + b->from[LAMBDA], s->lambda, sizeof(double) * (size_t)b->model->m);
    sal_rows_residual(&s->rows, s->z, s->zd, out + b->from[PHI], out + b->from[PHIDOT]);
    out[b->from[ENERGY]] = sal_system_energy(s);
    for (int k = 0; k < tables->outputs.n; k++)
        out[b->from[OUTPUT] + k] = sal_system_value(s, &tables->outputs.at[k].program);
    for (int k = 0; k < tables->setters.n; k++)
        out[b->from[SETTER] + k] = sal_system_value(s, &tables->setters.at[k].value);
    for (int k = 0; k < tables->notes.n; k++) out[b->from[NOTE] + k] = sal_system_value(s, &tables->notes.at[k].value);
    for (int e = 0; e < tables->events.n; e++) {
        const sal_event *event  = &tables->events.at[e];
        out[b->from[WHEN] + e]  = sal_system_value(s, &event->when);
        out[b->from[GUARD] + e] = event->guard.n ? sal_system_value(s, &event->guard) : 0.0;
    }
    for (int e = 0; e < tables->events.n; e++) {
        sal_system_move(s, b->t + h * b->tau[column], b->at_q, b->at_v);
        jump(b, e, NULL);
        memcpy(out + b->from[JUMP] + e * n, s->zd, sizeof(double) * (size_t)n);
    }
    if (tables->touches.n == 0 || b->jammed) return;
    sal_system_move(s, b->t + h * b->tau[column], b->at_q, b->at_v);
    if (strike(b, NULL) != SAL_OK) s->zd[0] = NAN; /* a state nearby that is jammed: a kink */
    memcpy(out + b->from[IMPACT], s->zd, sizeof(double) * (size_t)n);
    memcpy(out + b->from[IMPULSE], b->contacts.impulse, sizeof(double) * (size_t)b->model->m);
}

/* Velocities that nothing allows after the impact: the states here fulfil no constraint. Forces decide as well, so all
 * is computed in the order in which it is compared. */
static bool is_jammed(bench *b)
{
    double most = 0.0;

    b->jammed = false;
    if (b->model->tables->touches.n == 0) return false;
    evaluate(b, 0, 0.0, b->value);
    if (isnan(b->value[b->from[IMPACT]])) return true;
    if (b->system.shares > SAL_SHARES_FIRST) return true; /* normals that depend on each other here, and not nearby */
    for (int k = b->from[IMPULSE]; k < b->from[IMPULSE + 1]; k++) most = fmax(most, fabs(b->value[k]));
    return most > 1e5;
}

/* The tangent along an event: what is no coordinate moves with the time of the event. */
static void along_event(bench *b)
{
    const sal_system *s = &b->system;
    sal_tangent      *t = &b->tangent;

    for (int k = b->model->n; k < b->model->nz; k++) {
        for (int c = 0; c < b->p; c++) {
            t->z[k * b->p + c] += s->zd[k] * b->tau[c];
            t->zd[k * b->p + c] += s->zdd[k] * b->tau[c];
        }
    }
}

/* Back to the state before the event, with derivatives along it. */
static void before_event(bench *b)
{
    sal_tangent *t    = &b->tangent;
    const size_t size = (size_t)(b->model->nz * b->p);

    sal_system_move(&b->system, b->t, b->q, b->v);
    memcpy(t->z, b->keep, sizeof(double) * size);
    memcpy(t->zd, b->keep + size, sizeof(double) * size);
    memcpy(t->zdd, b->keep + 2 * size, sizeof(double) * size);
    along_event(b);
}

static void differentiate_jumps(bench *b, double *const at[ARRAYS])
{
    sal_tangent *t    = &b->tangent;
    const size_t size = (size_t)(b->model->nz * b->p), block = (size_t)(b->model->n * b->p);

    memcpy(b->keep, t->z, sizeof(double) * size);
    memcpy(b->keep + size, t->zd, sizeof(double) * size);
    memcpy(b->keep + 2 * size, t->zdd, sizeof(double) * size);
    for (int e = 0; e < b->model->tables->events.n; e++) {
        before_event(b);
        jump(b, e, t);
        memcpy(at[JUMP] + (size_t)e * block, t->zd, sizeof(double) * block);
    }
    memset(at[IMPACT], 0, sizeof(double) * (size_t)(b->from[ARRAYS] - b->from[IMPACT]) * (size_t)b->p);
    if (b->model->tables->touches.n == 0 || b->jammed) return;
    before_event(b);
    must(b, strike(b, t), "impact");
    memcpy(at[IMPACT], t->zd, sizeof(double) * block);
    memcpy(at[IMPULSE], b->contacts.impulse_change, sizeof(double) * (size_t)(b->model->m * b->p));
}

/* The same from the tangent linear model. `spoil` is added to a derivative of the last mass. */
static void differentiate(bench *b, double spoil)
{
    const sal_tables *tables = b->model->tables;
    sal_system       *s      = &b->system;
    sal_tangent      *t      = &b->tangent;
    const int         p      = b->p;
    double           *at[ARRAYS];

    for (int k = 0; k < ARRAYS; k++) at[k] = b->exact + b->from[k] * p;
    move_along(b, 0, 0.0);
    must(b, sal_tangent_set_values(t, s, b->given), "values");
    t->mass[(tables->masses.n - 1) * p] += spoil;
    sal_system_move(s, b->t, b->q, b->v);
    sal_tangent_set_form(t, s);
    must(b, sal_system_accelerate(s), "accelerations");
    sal_tangent_move(t, s, b->Q, b->V);
    sal_tangent_accelerate(t, s);
    memcpy(at[A], t->zdd, sizeof(double) * (size_t)(b->model->n * p));
    memcpy(at[LAMBDA], t->lambda, sizeof(double) * (size_t)(b->model->m * p));
    sal_rows_residual_jvp(&s->rows, s->z, s->zd, sal_tangent_directions(t), at[PHI], at[PHIDOT]);
    sal_tangent_energy(t, s, at[ENERGY]);
    for (int k = 0; k < tables->outputs.n; k++)
        sal_tangent_value(t, s, &tables->outputs.at[k].program, at[OUTPUT] + k * p);
    for (int k = 0; k < tables->setters.n; k++)
        sal_tangent_value(t, s, &tables->setters.at[k].value, at[SETTER] + k * p);
    for (int k = 0; k < tables->notes.n; k++) sal_tangent_value(t, s, &tables->notes.at[k].value, at[NOTE] + k * p);
    for (int e = 0; e < tables->events.n; e++) {
        const sal_event *event = &tables->events.at[e];
        sal_tangent_value(t, s, &event->when, at[WHEN] + e * p);
        if (event->guard.n) sal_tangent_value(t, s, &event->guard, at[GUARD] + e * p);
    }
    differentiate_jumps(b, at);
}

/* What is around the type is the same in all scenes: in each form another third of its parameters has its turn. */
static bool is_compared(const bench *b, int c)
{
    return c >= AROUND || b->turn < 0 || (c + b->turn) % 3 == 0;
}

/* Differences of eighth order, one column after the other. */
static void difference(bench *b, double h)
{
    static const double weight[] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    const int           all      = b->from[ARRAYS];

    evaluate(b, 0, 0.0, b->value);
    memset(b->found, 0, sizeof(double) * (size_t)(all * b->p));
    memset(b->plus, 0, sizeof(double) * (size_t)all);
    memset(b->minus, 0, sizeof(double) * (size_t)all);
    for (int c = 0; c < b->p; c++) {
        for (int i = 0; i < SAL_COUNT(weight) && is_compared(b, c); i++) {
            evaluate(b, c, +(i + 1) * h, b->plus);
            evaluate(b, c, -(i + 1) * h, b->minus);
            for (int k = 0; k < all; k++) b->found[k * b->p + c] += weight[i] * (b->plus[k] - b->minus[k]) / h;
        }
    }
}

/* The largest error of an array in a column, relative to what is largest there. What rounding makes of differences is
 * no error: all numbers of these scenes are about 1, or the array is larger. */
static double column_error(const bench *b, enum array array, int c)
{
    double most = 0.0, off = 0.0, size = 1.0;

    for (int k = b->from[array]; k < b->from[array + 1]; k++) {
        const double exact = b->exact[k * b->p + c], found = b->found[k * b->p + c];
        if (!isfinite(exact) || !isfinite(found)) return HUGE_VAL;
        most = fmax(most, fmax(fabs(exact), fabs(found)));
        off  = fmax(off, fabs(exact - found));
        size = fmax(size, fabs(b->value[k]));
    }
    return off / (most + 1e-2 * size);
}

static const double TOLERANCE = 1e-10, STEP = 4e-3;

static double worst_error(bench *b)
{
    double worst = 0.0;

    for (enum array k = 0; k < ARRAYS; k++) {
        for (int c = 0; c < b->p; c++) {
            const double error = is_compared(b, c) ? column_error(b, k, c) : 0.0;
            if (!(error > worst)) continue;
            worst = error;
            snprintf(b->where, sizeof b->where, "%s by %s: relative error %g", array_names[k],
                     c < b->p - 1 ? b->model->tables->parameters.at[c].name : "the state", error);
        }
    }
    return worst;
}

static void count_values(const bench *b, tally *t)
{
    for (enum array k = 0; k < ARRAYS; k++) {
        for (int c = 0; c < b->p; c++) t->worst[k] = fmax(t->worst[k], is_compared(b, c) ? column_error(b, k, c) : 0.0);
    }
    for (int k = 0; k < b->from[ARRAYS] * b->p; k++) {
        if (!is_compared(b, k % b->p)) continue;
        t->values += b->exact[k] != 0.0;
        t->same += b->exact[k] != 0.0 && b->exact[k] == b->found[k];
    }
}

/* Whether differences with half the step are others, by much or by as much as explains the error: then they are no
 * derivatives, something has a kink nearby. Half a step also doubles their rounding, which explains tiny errors only. */
static bool has_kink(bench *b, double error)
{
    const size_t size  = sizeof(double) * (size_t)(b->from[ARRAYS] * b->p);
    double      *exact = malloc(size);
    double       change;
    bool         kink;

    assert_non_null(exact);
    memcpy(exact, b->exact, size);
    memcpy(b->exact, b->found, size);
    difference(b, 0.5 * STEP);
    change = worst_error(b); /* infinite like the error where a state nearby has no impact */
    kink   = change >= 0.1 * error || change > 100.0 * TOLERANCE;
    memcpy(b->exact, exact, size);
    free(exact);
    return kink;
}

/* ---------------------------------------------------------------------------------- all scenes */

/* Which parameters change something, by name: a type may read a field only with some of its words. */
static void note_parameters(const bench *b, tally *t)
{
    for (int c = 0; c < b->p - 1; c++) {
        const char *name = b->model->tables->parameters.at[c].name;
        int         k    = 0;
        while (k < t->nnames && strcmp(t->names[k].name, name) != 0) k++;
        if (k == t->nnames) {
            assert_true(k < SAL_COUNT(t->names));
            snprintf(t->names[t->nnames++].name, sizeof t->names[k].name, "%s", name);
        }
        for (int i = 0; i < b->from[ARRAYS]; i++) {
            if (fabs(b->exact[i * b->p + c]) > 1e-6) t->names[k].matters = true;
        }
    }
}

static bool matters(const tally *t, const char *name)
{
    for (int k = 0; k < t->nnames; k++) {
        if (!strcmp(t->names[k].name, name)) return t->names[k].matters;
    }
    return false;
}

/* What contacts and forces did at the state. */
static void note_contacts(bench *b, tally *t)
{
    const sal_tables *tables = b->model->tables;

    for (int k = 0; k < tables->efforts.n; k++) {
        const bool pushes = sal_system_value(&b->system, &tables->efforts.at[k].force) != 0.0;
        t->pushes += pushes;
        t->idles += !pushes;
    }
    t->friction = t->friction || tables->efforts.n > 2;
    for (int k = 0; k < tables->touches.n; k++) t->friction = t->friction || tables->touches.at[k].tangent >= 0;
    for (int k = 0; k < tables->touches.n && !b->jammed; k++) {
        const sal_touch *x = &tables->touches.at[k];
        const double     N = b->contacts.impulse[x->normal], T = x->tangent < 0 ? 0.0 : b->contacts.impulse[x->tangent];
        if (N == 0.0) continue;
        t->rebounds += gap_rate(b, k) > 1e-6;
        t->bounded +=
            !x->newton && gap_rate(b, k) > 1e-6 &&
            N < (1.0 + b->system.z[x->restitution]) * b->contacts.compression.impulse[x->normal] * (1.0 - 1e-9);
        if (x->tangent < 0 || x->bonded) continue;
        if (fabs(fabs(T) - b->system.z[x->mu_kinetic] * N) < 1e-12 * N) t->slips++;
        else t->sticks++;
    }
}

/* One mode in one form; the state is another one where there is a kink. */
static void check_mode(bench *b, double time, tally *t, uint64_t *seed, const char *what)
{
    for (int tries = 0;; tries++) {
        double worst;
        if (tries == 30) fail_msg("no state without a kink: %s, mode %d, in\n%.6000s", b->where, b->mode, what);
        bench_place(b, time, seed);
        if (!is_regular(b)) return;
        b->jammed = is_jammed(b);
        t->jams += b->jammed;
        differentiate(b, 0.0);
        note_contacts(b, t);
        difference(b, STEP);
        worst = worst_error(b);
        if (worst <= TOLERANCE) break;
        if (!has_kink(b, worst)) {
            difference(b, STEP);
            worst_error(b);
            fail_msg("%s, form %d, stabilization %d, mode %d, contact %d, in\n%.6000s", b->where, b->form,
                     b->stabilization, b->mode, b->touch, what);
        }
        t->moved++;
    }
    count_values(b, t);
    t->modes += b->mode != OPEN;
    bench_hold_state(b); /* then the parameters alone, so that what they do is not hidden */
    differentiate(b, 0.0);
    note_parameters(b, t);
}

static void check_scene(void *self, const generated *scene)
{
    static const struct {
        sal_form          form;
        sal_stabilization stabilization;
    } forms[] = { { SAL_INDEX1, SAL_PROJECTION }, { SAL_INDEX1, SAL_BAUMGARTE }, { SAL_PENALTY, SAL_PROJECTION } };
    const int touches = scene->r->model->tables->touches.n, scenes = scene->scenes;
    tally    *t = self;
    bench     b;

    bench_make(&b, scene->r);
    for (int f = 0; f < SAL_COUNT(forms); f++) {
        b.form          = forms[f].form;
        b.stabilization = forms[f].stabilization;
        b.mode          = touches ? (mode)((SAL_COUNT(forms) * scenes + f) % MODES) : OPEN; /* others in each scene */
        b.turn          = scenes + f;
        b.touch         = touches ? (scenes + f) % touches : 0;
        check_mode(&b, scene->time, t, &t->seed, scene->text);
    }
    bench_free(&b);
}

/* The speed at which rebounds end is a threshold: nothing depends on it but what happens. Laws of contact are shared
 * by geometries that have no tangent, which refuse what belongs to it. */
static bool may_not_matter(const tally *t, const char *key)
{
    return !strcmp(key, "rest") || (!t->friction && (!strncmp(key, "mu_", 3) || !strcmp(key, "slip_speed")));
}

static void check_type(sal_section section, const sal_type *type, tally *t)
{
    generator *made  = &t->made;
    double     worst = 0.0;

    t->seed = 1;
    *made   = (generator){ .visit = check_scene, .self = t };
    generate(made, section, type);
    for (int k = 0; k < ARRAYS; k++) worst = fmax(worst, t->worst[k]);
    print_message(
        "%-11s %3d scenes, %d refused; %3d modes, %d kinks, %d jams; %6d values, %4.1f %% equal bit for bit, worst "
        "error %.1e\n",
        type->name, made->scenes[0] + made->scenes[1], made->refused, t->modes, t->moved, t->jams, t->values,
        100.0 * t->same / t->values, worst);
    assert_true(made->scenes[1] > 0 && (made->scenes[0] > 0 || !has_required(type)));
    assert_true(t->same < t->values / 2); /* two ways to compute it, not one twice */
    for (int k = 0; k < type->nfields; k++) {
        if (!made->given[k] && !may_not_matter(t, type->fields[k].key) && !is_elsewhere(&type->fields[k]))
            fail_msg("%s: no scene has %s", type->name, type->fields[k].key);
    }
    for (int k = 0; k < t->nnames; k++) {
        if (!strncmp(t->names[k].name, "it_", 3) && !t->names[k].matters && !may_not_matter(t, t->names[k].name + 3))
            fail_msg("%s: nothing depends on %s", type->name, t->names[k].name + 3);
    }
}

/* All types that the context knows and `less`, if any, does not; gives the tally of one of them. */
static tally check_registry(sal_context *context, sal_context *less, const sal_type *wanted)
{
    const sal_registry *registry      = sal_context_registry(context);
    tally               found         = { 0 };
    double              worst[ARRAYS] = { 0 };

    for (sal_section s = SAL_BODIES; s < SAL_SECTIONS; s++) {
        for (int k = 0; k < registry->n[s]; k++) {
            const sal_type *type = registry->type[s][k];
            tally           t    = { 0 };
            if (less && sal_registry_find(sal_context_registry(less), s, type->name)) continue;
            check_type(s, type, &t);
            for (int a = 0; a < ARRAYS; a++) worst[a] = fmax(worst[a], t.worst[a]);
            if (type == wanted) found = t;
            if (wanted) continue;
            found.rebounds += t.rebounds;
            found.bounded += t.bounded;
            found.sticks += t.sticks;
            found.slips += t.slips;
            found.pushes += t.pushes;
            found.idles += t.idles;
        }
    }
    for (int k = 0; k < ARRAYS; k++) print_message("%s %.0e%s", array_names[k], worst[k], k < ARRAYS - 1 ? ", " : "\n");
    return found;
}

static void every_registered_type(void **state)
{
    sal_context *context;
    tally        t;

    (void)state;
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    t = check_registry(context, NULL, NULL);
    print_message("impacts: %d rebounds, %d bounded, %d stick, %d slip; forces: %d act, %d do not\n", t.rebounds,
                  t.bounded, t.sticks, t.slips, t.pushes, t.idles);
    assert_true(t.rebounds > 10 && t.sticks > 10 && t.slips > 10 && t.pushes > 10 && t.idles > 10);
    assert_true(t.bounded > 3); /* of one law in six, and rare: test_bounded_restitution has many */
    sal_context_destroy(&context);
}

/* The same loop; nothing but their registration brings these types into it. */
static void types_of_ones_own(void **state)
{
    sal_context *context = make_context(), *plain;
    tally        t;

    (void)state;
    assert_int_equal(sal_context_create(NULL, &plain), SAL_OK);
    t = check_registry(context, plain, &slot_type);
    assert_true(t.made.scenes[0] >= PLACINGS && t.made.scenes[1] > PLACINGS && t.made.refused == 0);
    assert_true(matters(&t, "it_length") && matters(&t, "it_offset") && matters(&t, "it_alpha"));
    sal_context_destroy(&plain);
    sal_context_destroy(&context);
}

/* The comparison is sharp enough: it notices an error of 1e-7 in the derivative of one mass. */
static void a_wrong_derivative_is_found(void **state)
{
    maker   *m    = calloc(1, sizeof *m);
    tally    t    = { 0 };
    uint64_t seed = 7;
    double   error;
    rig      r;
    bench    b;

    (void)state;
    assert_non_null(m);
    m->v = (variant){ .points = MIXED, .optional = true, .timed = true, .fields = all_fields(&slot_type) };
    assert_true(load(make_scene(m, SAL_JOINTS, &slot_type), &r, "joints.it"));
    bench_make(&b, &r);
    b.form          = SAL_PENALTY;
    b.stabilization = SAL_PROJECTION;
    b.turn          = -1;
    bench_place(&b, 0.4, &seed);
    difference(&b, STEP);
    differentiate(&b, 1e-7); /* a seventh digit */
    error = worst_error(&b);
    assert_true(error > 10.0 * TOLERANCE && !has_kink(&b, error));
    difference(&b, STEP);
    assert_true(column_error(&b, A, 0) > TOLERANCE && column_error(&b, JUMP, 0) > TOLERANCE);
    differentiate(&b, 0.0);
    assert_true(worst_error(&b) <= TOLERANCE);
    bench_hold_state(&b);
    differentiate(&b, 0.0);
    note_parameters(&b, &t);
    for (int k = 0; k < t.nnames; k++) { /* all that is around the type takes part; `a` only says where it starts */
        if (!t.names[k].matters && strcmp(t.names[k].name, "a") != 0)
            fail_msg("nothing depends on %s", t.names[k].name);
    }
    bench_free(&b);
    rig_free(&r);
    free(m);
}

/* ----------------------------------------------------------------------------------- expressions */

enum { OPERANDS = 3 };

/* Where the operands of a function lie: clear of its kinks and of the ends of its range. */
typedef struct domain {
    int    op;
    double lo[OPERANDS], hi[OPERANDS];
    int    constants; /* bit k: operand k is a constant, not a leaf */
    bool   not_first; /* the first operand is `not` of its leaf: the other branch of if */
} domain;

/* Every function is defined here and different operands select differently. What it leaves out follows. */
static const domain anywhere = { .lo = { 0.2, 0.55, 1.0 }, .hi = { 0.45, 0.9, 2.0 } };
static const domain more[]   = {
      { SAL_OP_ABS, { -2 }, { -0.5 } },
      { SAL_OP_SIN, { -9 }, { 9 } },
      { SAL_OP_COS, { -9 }, { 9 } },
      { SAL_OP_TAN, { -1.2 }, { 1.2 } },
      { SAL_OP_ASIN, { -0.7 }, { 0.7 } },
      { SAL_OP_ACOS, { -0.7 }, { 0.7 } },
      { SAL_OP_ATAN, { -3 }, { 3 } },
      { SAL_OP_SINH, { -2 }, { 2 } },
      { SAL_OP_COSH, { -2 }, { 2 } },
      { SAL_OP_TANH, { -2 }, { 2 } },
      { SAL_OP_EXP, { -3 }, { 3 } },
      { SAL_OP_LOG, { 0.5 }, { 9 } },
      { SAL_OP_SQRT, { 0.5 }, { 9 } },
      { SAL_OP_DIV, { -2, -2 }, { 2, -0.5 } },
      { SAL_OP_MUL, { -2, -2 }, { 2, 2 } },
      { SAL_OP_POW, { 0.5, -3 }, { 3, 3 } },
      { SAL_OP_POW, { -3, 1 }, { -0.5, 1 }, .constants = 2 },
      { SAL_OP_POW, { -3, 2 }, { -0.5, 2 }, .constants = 2 },
      { SAL_OP_POW, { -3, 3 }, { -0.5, 3 }, .constants = 2 },
      { SAL_OP_POW, { -3, -2 }, { -0.5, -2 }, .constants = 2 },
      { SAL_OP_POW, { 0.5, 0.7 }, { 3, 0.7 }, .constants = 2 },
      { SAL_OP_POW, { 2.5, -3 }, { 2.5, 3 }, .constants = 1 },
      { SAL_OP_ATAN2, { -2, -2 }, { -0.5, -0.5 } },
      { SAL_OP_ATAN2, { 0.5, -2 }, { 2, -0.5 } },
      { SAL_OP_MIN, { 2, 0.5 }, { 3, 1.5 } },
      { SAL_OP_MAX, { 2, 0.5 }, { 3, 1.5 } },
      { SAL_OP_SIGN, { -2 }, { -0.5 } },
      { SAL_OP_STEP, { -2 }, { -0.5 } },
      { SAL_OP_IF, { 0.5, -2, 1 }, { 2, 2, 3 }, .not_first = true },
};

/* The derivative of place k in time is velocity k. */
static sal_leaf_derivative along_velocity(const void *self, sal_source source, int k)
{
    (void)self;
    return (sal_leaf_derivative){ SAL_LEAF_READ, source == SAL_SRC_Z ? SAL_SRC_ZD : SAL_SRC_ZDD, k };
}

/* The x that has x + a sin(x)/2 = b: the only function that is not given by its node alone. */
static int root_of(sal_expr *e, sal_pool *pool, int b)
{
    const int one  = sal_expr_const(e, 1.0);
    sal_expr *f    = sal_expr_begin(pool);
    const int x    = sal_expr_leaf(f, SAL_SRC_LAMBDA, 0);
    int       wave = sal_expr_op(f, SAL_OP_MUL, sal_expr_leaf(f, SAL_SRC_Z, 0), sal_expr_op(f, SAL_OP_SIN, x, 0, 0), 0);
    sal_program p;

    wave = sal_expr_op(f, SAL_OP_MUL, wave, sal_expr_const(f, 0.5), 0);
    wave = sal_expr_op(f, SAL_OP_SUB, wave, sal_expr_leaf(f, SAL_SRC_Z, 1), 0);
    assert_int_equal(sal_expr_finish(f, sal_expr_op(f, SAL_OP_ADD, x, wave, 0), &p), SAL_OK);
    return sal_expr_root(e, &p, SAL_SRC_LAMBDA, 0, sal_expr_op(e, SAL_OP_SUB, b, one, 0),
                         sal_expr_op(e, SAL_OP_ADD, b, one, 0));
}

/* op(operands) as it is, or inside of 2 + sin(.) so that the chain rule has something to do. */
static sal_program program_of(sal_pool *pool, const domain *d, const double *z, bool inside)
{
    sal_expr   *e = sal_expr_begin(pool);
    sal_program p;
    int         node[OPERANDS] = { 0 }, result;

    for (int k = 0; k < sal_op_operands(d->op); k++)
        node[k] = d->constants & 1 << k ? sal_expr_const(e, z[k]) : sal_expr_leaf(e, SAL_SRC_Z, k);
    if (d->not_first) node[0] = sal_expr_op(e, SAL_OP_NOT, node[0], 0, 0);
    result =
        d->op == SAL_OP_ROOT ? root_of(e, pool, node[1]) : sal_expr_op(e, (sal_op)d->op, node[0], node[1], node[2]);
    if (inside) {
        result = sal_expr_op(e, SAL_OP_SIN, result, 0, 0);
        result = sal_expr_op(e, SAL_OP_MUL, result, sal_expr_leaf(e, SAL_SRC_Z, 0), 0);
        result = sal_expr_op(e, SAL_OP_SUB, result, sal_expr_const(e, 2.0), 0);
    }
    assert_int_equal(sal_expr_finish(e, result, &p), SAL_OK);
    return p;
}

typedef struct point { /* in the space of the leaves */
    double        z[OPERANDS], zd[OPERANDS], zdd[OPERANDS], none[1];
    const double *source[SAL_SRC_COUNT];
} point;

static void point_make(point *x, const domain *d, uint64_t *seed)
{
    for (int k = 0; k < OPERANDS; k++) {
        x->z[k]   = d->lo[k] + (d->hi[k] - d->lo[k]) * 0.5 * (1.0 + random_number(seed));
        x->zd[k]  = random_number(seed);
        x->zdd[k] = random_number(seed);
    }
    x->source[SAL_SRC_Z]      = x->z;
    x->source[SAL_SRC_ZD]     = x->zd;
    x->source[SAL_SRC_ZDD]    = x->zdd;
    x->source[SAL_SRC_LAMBDA] = x->source[SAL_SRC_ENERGY] = x->none;
}

/* d(program)/d(leaf) by differences. */
static double slope_of(const sal_program *p, point *x, double *leaf)
{
    static const double weight[] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    const double        at = *leaf, h      = 4e-3;
    double              value[1024], slope = 0.0;

    assert_true(p->n <= SAL_COUNT(value));
    for (int i = 0; i < SAL_COUNT(weight); i++) {
        *leaf           = at + (i + 1) * h;
        const double up = sal_program_value(p, x->source, value);
        *leaf           = at - (i + 1) * h;
        slope += weight[i] * (up - sal_program_value(p, x->source, value)) / h;
    }
    *leaf = at;
    return slope;
}

typedef struct count {
    int    values, same;
    double worst;
} count;

static void compare(count *n, double exact, double found, double size, const domain *d, const char *what)
{
    const double error = fabs(exact - found) / (fabs(exact) + 1e-2 * fmax(1.0, fabs(size)));

    if (!(error <= TOLERANCE)) fail_msg("op %d, %s: %.17g, by differences %.17g", d->op, what, exact, found);
    n->worst = fmax(n->worst, error);
    n->values += exact != 0.0;
    n->same += exact != 0.0 && exact == found;
}

/* The gradient against differences; gives its product with the velocities of the leaves, their derivatives in time. */
static double check_gradient(const sal_program *p, point *x, const domain *d, count *n, const char *what)
{
    double value[1024], adjoint[1024], rate = 0.0, size = 0.0;

    assert_true(p->n <= SAL_COUNT(value));
    sal_program_value(p, x->source, value);
    sal_program_gradient(p, value, adjoint);
    for (int k = 0; k < p->n; k++) size = fmax(size, fabs(value[k]));
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        double         *at   = (leaf->a == SAL_SRC_Z ? x->z : leaf->a == SAL_SRC_ZD ? x->zd : x->zdd) + leaf->b;
        compare(n, adjoint[p->leaf[k]], slope_of(p, x, at), size, d, what);
        rate += adjoint[p->leaf[k]] * (leaf->a == SAL_SRC_Z ? x->zd : x->zdd)[leaf->b];
    }
    return rate;
}

/* Gradient, derivative, the derivative's gradient and the second derivative. */
static void check_function(sal_pool *pool, const domain *d, bool inside, uint64_t *seed, count *n)
{
    point       x = { 0 };
    sal_program p, p1, p2;
    double      value[1024], rate;

    point_make(&x, d, seed);
    p = program_of(pool, d, x.z, inside);
    assert_int_equal(sal_program_differentiate(pool, &p, along_velocity, NULL, &p1), SAL_OK);
    assert_int_equal(sal_program_differentiate(pool, &p1, along_velocity, NULL, &p2), SAL_OK);
    assert_true(p2.n <= SAL_COUNT(value));
    rate = check_gradient(&p, &x, d, n, "gradient");
    assert_near(sal_program_value(&p1, x.source, value), rate, 1e-13 * (1.0 + fabs(rate)));
    rate = check_gradient(&p1, &x, d, n, "gradient of the derivative");
    assert_near(sal_program_value(&p2, x.source, value), rate, 1e-13 * (1.0 + fabs(rate)));
    if (d->op == SAL_OP_ROOT) check_gradient(&p2, &x, d, n, "gradient of the second derivative");
}

static void check_domain(sal_pool *pool, domain d, count *n)
{
    uint64_t seed = 11;

    for (int k = 0; k < 20; k++) check_function(pool, &d, k % 2 == 1, &seed, n);
}

static void every_function_of_expressions(void **state)
{
    sal_context *context = make_context();
    sal_pool     pool;
    count        n   = { 0 };
    int          ops = 0;

    (void)state;
    sal_pool_init(&pool, context);
    for (int op = 0; op < SAL_OP_COUNT; op++) {
        domain d = anywhere;
        if (sal_op_operands(op) == 0 || op == SAL_OP_TRY) continue;
        d.op = op;
        check_domain(&pool, d, &n);
        ops++;
    }
    for (int k = 0; k < SAL_COUNT(more); k++) check_domain(&pool, more[k], &n);
    print_message("%d functions; %d values, %.1f %% equal bit for bit, worst error %.1e\n", ops, n.values,
                  100.0 * n.same / n.values, n.worst);
    assert_int_equal(ops, SAL_OP_COUNT - 3); /* all but constants, leaves and the places of a root that are tried */
    assert_true(n.same < n.values / 2);
    sal_pool_free(&pool);
    sal_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_registered_type),
        cmocka_unit_test(types_of_ones_own),
        cmocka_unit_test(a_wrong_derivative_is_found),
        cmocka_unit_test(every_function_of_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
