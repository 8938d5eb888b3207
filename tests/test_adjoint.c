/* test_adjoint.c - the transposed of every source of the equations, and of the accelerations.
 *
 * For random directions v of all that a function reads and random cotangents w of what it gives
 *
 *     <w, J v> = <J^T w, v>
 *
 * up to rounding, whatever the state: with J v by the tangent, which test_derivatives.c holds against differences. Both
 * sides are compared to the sum of the sizes of what is added up. First each source alone, then the whole way through
 * K, couplings, functions of time and values, in all forms and modes of contacts; on the scenes of scene_generator.h.
 *
 * Second derivatives of forces are held against differences of the tangent along the second direction. */
#include "tests/scene_generator.h"

#include "engine/motion/motion.h"

typedef struct bench {
    const sal_model *model;
    sal_pool         pool;
    sal_system       system;
    sal_tangent      tangent; /* a column for each parameter, and one for everything */
    sal_pullback     adjoint;
    int              all; /* the latter */
    uint64_t         seed;
    double          *given; /* [parameters] NaN */
    double          *q, *v; /* [n] */
    /* a direction of all arguments */
    double *dz, *dzd, *dzdd, *dlambda, *dmass; /* [nz], [nz], [nz], [m], [masses] */
    /* cotangents of what comes out, and that */
    double *w, *row[3], *force, *out[3]; /* [nz], [m], [nz], [m] */
    double *entry, *lambda;
    int    *every;                     /* [masses] */
    double *near[3], *other[2], *none; /* [nz] a place nearby, another direction, zero */
    /* cotangents of the arguments */
    sal_cotangents bar;
} bench;

/* What was learned. */
typedef enum source {
    TERMS,
    RELATIONS,
    TERMS_MOTION,
    RELATIONS_MOTION,
    TERMS_FORCE,
    RELATIONS_FORCE,
    GRAVITY,
    INERTIA,
    SPRINGS,
    EFFORTS,
    ENERGY,
    ACCELERATE,
    SLIDING,
    PARAMETERS,
    SECOND_ROWS,
    SECOND_SPRINGS,
    SECOND_EFFORTS,
    SOURCES
} source;
static const char *const source_names[] = { "terms",          "relations",     "terms: motion", "relations: motion",
                                            "terms: force",   "rel.: force",   "gravity",       "inertia",
                                            "springs",        "efforts",       "energy",        "accelerations",
                                            "sliding",        "by parameters", "second: rows",  "second: springs",
                                            "second: efforts" };

typedef struct tally {
    double worst[SOURCES];
    int    count[SOURCES], same[SOURCES];
    int    unsymmetric; /* states in which K is */
    int    kinks;       /* close to a state */
} tally;

/* -------------------------------------------------------------------------------------- products */

typedef struct product {
    double left, right, parts;
} product;

static void add_left(product *x, const double *w, const double *Jv, int n)
{
    for (int k = 0; k < n; k++) {
        x->left += w[k] * Jv[k];
        x->parts += fabs(w[k] * Jv[k]);
    }
}

static void add_right(product *x, const double *bar, const double *v, int n)
{
    for (int k = 0; k < n; k++) {
        x->right += bar[k] * v[k];
        x->parts += fabs(bar[k] * v[k]);
    }
}

static void note(tally *t, source s, product x, const char *what)
{
    const double error = fabs(x.left - x.right) / x.parts, most = s < PARAMETERS ? 1e-13 : 1e-12;

    if (x.left == 0.0 && x.right == 0.0) return;
    if (!(error <= most)) fail_msg("%s: %.17g and %.17g, in\n%.6000s", source_names[s], x.left, x.right, what);
    t->worst[s] = fmax(t->worst[s], error);
    t->count[s]++;
    t->same[s] += x.left == x.right;
}

/* ----------------------------------------------------------------------------------------- bench */

static double *fresh(bench *b, int n)
{
    return SAL_NEW(&b->pool, double, n + 1);
}

static void scatter(bench *b, double *x, int n)
{
    for (int k = 0; k < n; k++) x[k] = random_number(&b->seed);
}

static void bench_make(bench *b, const rig *r, uint64_t seed)
{
    const sal_model *model = r->model;
    const int        n = model->n, nz = model->nz, m = model->m, parameters = model->tables->parameters.n;
    sal_wrt         *wrt;

    *b = (bench){ .model = model, .seed = seed, .all = parameters };
    sal_pool_init(&b->pool, r->context);
    assert_int_equal(sal_system_init(&b->system, model, &b->pool), SAL_OK);
    wrt = SAL_NEW(&b->pool, sal_wrt, parameters + 1);
    for (int c = 0; c <= parameters; c++) wrt[c] = (sal_wrt){ .parameter = c < parameters ? c : -1 };
    assert_int_equal(sal_tangent_init(&b->tangent, model, &b->pool, wrt, parameters + 1), SAL_OK);
    assert_int_equal(sal_pullback_init(&b->adjoint, model, &b->pool), SAL_OK);
    b->given = fresh(b, parameters);
    b->q     = fresh(b, n);
    b->v     = fresh(b, n);
    b->dz    = fresh(b, nz);
    b->dzd   = fresh(b, nz);
    b->dzdd  = fresh(b, nz);
    b->w     = fresh(b, nz);
    b->force = fresh(b, nz);
    for (int k = 0; k < 3; k++) {
        b->row[k] = fresh(b, m);
        b->out[k] = fresh(b, m);
    }
    for (int k = 0; k < 3; k++) b->near[k] = fresh(b, nz + m);
    for (int k = 0; k < 2; k++) b->other[k] = fresh(b, nz);
    b->none    = fresh(b, nz);
    b->lambda  = fresh(b, m);
    b->dlambda = fresh(b, m);
    b->dmass   = fresh(b, model->tables->masses.n);
    b->entry   = fresh(b, model->jp[m]);
    b->every   = SAL_NEW(&b->pool, int, model->tables->masses.n + 1);
    for (int k = 0; k < model->tables->masses.n; k++) b->every[k] = k;
    for (int k = 0; k < parameters; k++) b->given[k] = NAN;
    b->bar =
        (sal_cotangents){ fresh(b, nz), fresh(b, nz), fresh(b, nz), fresh(b, m), fresh(b, model->tables->masses.n) };
}

static void bench_free(bench *b)
{
    sal_system_free(&b->system);
    sal_pool_free(&b->pool);
}

/* A state near the points of the scene, which fulfils nothing. False: rows depend on each other, or nothing moves. */
static bool bench_place(bench *b, double t, sal_form form, sal_stabilization stabilization, mode which)
{
    const sal_tables *tables = b->model->tables;
    sal_system       *s      = &b->system;

    if (sal_system_set_values(s, b->given) != SAL_OK) fail_msg("%s", s->message);
    for (int k = 0; k < tables->points.n; k++) {
        const sal_point_def *p = &tables->points.at[k];
        if (p->kind != SAL_FREE) continue;
        b->q[sal_basis_of(tables, p->point)->xi] = s->z[p->at[0]] + 0.25 * random_number(&b->seed);
        b->q[sal_basis_of(tables, p->point)->yi] = s->z[p->at[1]] + 0.25 * random_number(&b->seed);
    }
    scatter(b, b->v, b->model->n);
    sal_system_move(s, t, b->q, b->v);
    sal_system_count_turns(s, true);
    set_mode(&s->mode, tables, which);
    sal_system_set_form(s, form, stabilization);
    return s->shares == 0 && sal_system_accelerate(s) == SAL_OK;
}

/* Random directions and cotangents; accelerations of coordinates are held, forces behind q nobody's. */
static void bench_scatter(bench *b)
{
    const int n = b->model->n, nz = b->model->nz, m = b->model->m;

    scatter(b, b->dz, nz);
    scatter(b, b->dzd, nz);
    scatter(b, b->dzdd, nz);
    scatter(b, b->lambda, m);
    scatter(b, b->dlambda, m);
    scatter(b, b->dmass, b->model->tables->masses.n);
    scatter(b, b->w, n);
    for (int k = 0; k < 3; k++) scatter(b, b->row[k], m);
    memset(b->dzdd, 0, sizeof(double) * (size_t)n);
    for (int r = 0; r < m; r++) {
        if (!b->system.mode.held[r] && !b->system.mode.acts[r]) b->lambda[r] = b->dlambda[r] = 0.0;
    }
}

/* Nothing in what is added to. */
static void bench_clear(bench *b)
{
    const size_t nz = sizeof(double) * (size_t)b->model->nz, m = sizeof(double) * (size_t)b->model->m;

    memset(b->bar.z, 0, nz);
    memset(b->bar.zd, 0, nz);
    memset(b->bar.zdd, 0, nz);
    memset(b->bar.lambda, 0, m);
    memset(b->bar.mass, 0, sizeof(double) * (size_t)b->model->tables->masses.n);
    memset(b->force, 0, nz);
    for (int k = 0; k < 3; k++) memset(b->out[k], 0, m);
    memset(b->entry, 0, sizeof(double) * (size_t)(b->model->jp[b->model->m] + 1));
}

static sal_directions along(const bench *b)
{
    return (sal_directions){ 1, b->dz, b->dzd, b->dzdd, NULL };
}

/* <bar, direction> of all arguments. */
static void add_arguments(bench *b, product *x)
{
    const int n = b->model->n, nz = b->model->nz;

    add_right(x, b->bar.z, b->dz, nz);
    add_right(x, b->bar.zd, b->dzd, nz);
    add_right(x, b->bar.zdd + n, b->dzdd + n, nz - n);
    add_right(x, b->bar.lambda, b->dlambda, b->model->m);
    add_right(x, b->bar.mass, b->dmass, b->model->tables->masses.n);
}

/* --------------------------------------------------------------------------------------- sources */

static void check_residual(bench *b, tally *t, bool terms, const char *what)
{
    sal_system *s = &b->system;
    product     x = { 0 };

    bench_clear(b);
    (terms ? sal_terms_residual_jvp : sal_relations_residual_jvp)(&s->rows, s->z, s->zd, along(b), b->out[0],
                                                                  b->out[1]);
    add_left(&x, b->row[0], b->out[0], b->model->m);
    add_left(&x, b->row[1], b->out[1], b->model->m);
    (terms ? sal_terms_residual_vjp : sal_relations_residual_vjp)(&s->rows, s->z, s->zd, b->row[0], b->row[1], b->bar);
    add_arguments(b, &x);
    note(t, terms ? TERMS : RELATIONS, x, what);
}

static void check_motion(bench *b, tally *t, bool terms, const char *what)
{
    sal_system *s = &b->system;
    product     x = { 0 };

    bench_clear(b);
    (terms ? sal_terms_motion_jvp : sal_relations_motion_jvp)(&s->rows, s->z, s->zd, s->zdd, b->lambda, along(b),
                                                              b->out[2], b->force);
    add_left(&x, b->row[2], b->out[2], b->model->m);
    (terms ? sal_terms_motion_vjp : sal_relations_motion_vjp)(&s->rows, s->z, s->zd, s->zdd, b->row[2], b->bar);
    add_arguments(b, &x);
    note(t, terms ? TERMS_MOTION : RELATIONS_MOTION, x, what);
}

/* The forces are linear in the multipliers: along those they change by -Phi_q^T dlambda. */
static void check_force(bench *b, tally *t, bool terms, const char *what)
{
    const sal_model *model = b->model;
    sal_system      *s     = &b->system;
    product          x     = { 0 };

    bench_clear(b);
    (terms ? sal_terms_force_jvp : sal_relations_force_jvp)(&s->rows, s->z, b->lambda, along(b), b->force);
    (terms ? sal_terms_jacobian : sal_relations_jacobian)(&s->rows, s->z, b->entry);
    for (int r = 0; r < model->m; r++) {
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) b->force[model->jc[k]] -= b->entry[k] * b->dlambda[r];
    }
    add_left(&x, b->w, b->force, model->n);
    (terms ? sal_terms_force_vjp : sal_relations_force_vjp)(&s->rows, s->z, b->lambda, b->w, b->bar);
    add_arguments(b, &x);
    note(t, terms ? TERMS_FORCE : RELATIONS_FORCE, x, what);
}

static void check_masses(bench *b, tally *t, bool gravity, const char *what)
{
    sal_system *s = &b->system;
    product     x = { 0 };

    bench_clear(b);
    if (gravity) sal_masses_gravity_jvp(b->model, s->z, s->mass, b->dmass, along(b), b->force);
    else
        sal_masses_inertia_jvp(b->model, s->zdd, s->mass, b->dmass, b->every, b->model->tables->masses.n, along(b),
                               b->force);
    add_left(&x, b->w, b->force, b->model->n);
    (gravity ? sal_masses_gravity_vjp : sal_masses_inertia_vjp)(b->model, gravity ? s->z : s->zdd, s->mass, b->w,
                                                                b->bar);
    add_arguments(b, &x);
    note(t, gravity ? GRAVITY : INERTIA, x, what);
}

static void check_forces(bench *b, tally *t, bool springs, const char *what)
{
    sal_system *s = &b->system;
    product     x = { 0 };
    double      change;

    bench_clear(b);
    if (springs) sal_springs_jvp(b->model, s->z, s->zd, along(b), b->force);
    else sal_efforts_jvp(&s->rows, s->z, s->zd, along(b), &change, b->force);
    add_left(&x, b->w, b->force, b->model->n);
    if (springs) sal_springs_vjp(b->model, s->z, s->zd, b->w, b->bar);
    else sal_efforts_vjp(&s->rows, s->z, s->zd, b->w, b->bar);
    add_arguments(b, &x);
    note(t, springs ? SPRINGS : EFFORTS, x, what);
}

static void check_energy(bench *b, tally *t, const char *what)
{
    sal_system  *s         = &b->system;
    product      x         = { 0 };
    double       change[2] = { 0 };
    const double w[2]      = { random_number(&b->seed), random_number(&b->seed) };

    bench_clear(b);
    sal_masses_energy_jvp(b->model, s->z, s->zd, s->mass, b->dmass, along(b), &change[0]);
    sal_springs_energy_jvp(b->model, s->z, along(b), &change[1]);
    add_left(&x, w, change, 2);
    sal_masses_energy_vjp(b->model, s->z, s->zd, s->mass, w[0], b->bar);
    sal_springs_energy_vjp(b->model, s->z, w[1], b->bar);
    add_arguments(b, &x);
    note(t, ENERGY, x, what);
}

static void check_sources(bench *b, tally *t, const char *what)
{
    bench_scatter(b);
    for (int terms = 0; terms < 2; terms++) {
        check_residual(b, t, terms, what);
        check_motion(b, t, terms, what);
        check_force(b, t, terms, what);
        check_masses(b, t, terms, what);
        check_forces(b, t, terms, what);
    }
    check_energy(b, t, what);
}

/* --------------------------------------------------------------------------------- accelerations */

#define AT(array, slot, column) ((array)[(size_t)(slot) * (size_t)b->tangent.p + (size_t)(column)])

/* All columns: parameters, and in the last one every slot that is no function of time, the state among them. */
static void set_tangent(bench *b)
{
    const sal_tables *tables = b->model->tables;
    sal_tangent      *t      = &b->tangent;
    const int         n = b->model->n, all = b->all;

    if (sal_tangent_set_values(t, &b->system, b->given) != SAL_OK) fail_msg("%s", b->system.message);
    for (int k = 0; k < b->model->nz; k++) AT(t->z, k, all) = b->dz[k];
    for (int k = 0; k < n; k++) AT(t->zd, k, all) = b->dzd[k];
    for (int k = 0; k < tables->masses.n; k++) {
        AT(t->mass, k, all) = b->dmass[k];
        t->changing[k]      = k;
    }
    t->nchanging = tables->masses.n;
    memset(t->inert, 0, sizeof *t->inert * (size_t)tables->terms.n);
    memset(t->gravity, 0, sizeof(double) * (size_t)(b->model->nz * t->p));
    sal_masses_gravity_jvp(b->model, b->system.z, b->system.mass, t->mass, sal_tangent_directions(t), t->gravity);
    sal_tangent_set_form(t, &b->system);
    sal_tangent_move(t, &b->system, NULL, NULL);
}

/* <w, (A, Lambda)> of a column. */
static product left_of(const bench *b, int column)
{
    product x = { 0 };

    for (int k = 0; k < b->model->n; k++) add_left(&x, &b->w[k], &AT(b->tangent.zdd, k, column), 1);
    for (int r = 0; r < b->model->m; r++) add_left(&x, &b->row[0][r], &AT(b->tangent.lambda, r, column), 1);
    return x;
}

/* Whether it would be noticed if K were taken for K^T. */
static bool is_unsymmetric(bench *b)
{
    const int n   = b->model->n;
    double    off = 0.0;

    memcpy(b->system.rhs, b->w, sizeof(double) * (size_t)n);
    memset(b->system.rhs + n, 0, sizeof(double) * (size_t)b->model->m);
    memcpy(b->adjoint.rhs, b->system.rhs, sizeof(double) * (size_t)(n + b->model->m));
    sal_system_solve(&b->system, b->system.rhs, 1);
    sal_system_solve_transposed(&b->system, b->adjoint.rhs, 1);
    for (int k = 0; k < n; k++) off = fmax(off, fabs(b->system.rhs[k] - b->adjoint.rhs[k]));
    return off > 1e-6;
}

static void check_accelerate(bench *b, tally *t, const char *what)
{
    const sal_tables *tables = b->model->tables;
    sal_pullback     *a      = &b->adjoint;
    product           x;

    set_tangent(b);
    memset(b->dzdd, 0, sizeof(double) * (size_t)b->model->nz);
    for (int k = 0; k < b->model->nz; k++) { /* what is a function of time follows */
        b->dz[k]  = AT(b->tangent.z, k, b->all);
        b->dzd[k] = AT(b->tangent.zd, k, b->all);
    }
    sal_tangent_accelerate(&b->tangent, &b->system);
    sal_pullback_clear(a, b->model);
    sal_pullback_accelerate(a, &b->system, b->w, b->row[0]);
    for (int k = 0; k < b->model->ntimed; k++) {
        const sal_slot at = b->model->timed[k].slot;
        assert_true(a->z[at] == 0.0 && a->zd[at] == 0.0 && a->zdd[at] == 0.0);
    }
    x = left_of(b, b->all);
    add_right(&x, a->z, b->dz, b->model->nz);
    add_right(&x, a->zd, b->dzd, b->model->nz);
    add_right(&x, a->mass, b->dmass, tables->masses.n);
    note(t, ACCELERATE, x, what);
    if (b->system.mode.couplings) {
        note(t, SLIDING, x, what);
        t->unsymmetric += is_unsymmetric(b);
    }
    sal_pullback_values(a, &b->system, b->given);
    for (int c = 0; c < tables->parameters.n; c++) {
        const double one = 1.0;
        product      y   = left_of(b, c);
        add_right(&y, &a->z[tables->parameters.at[c].slot], &one, 1);
        y.parts = fmax(y.parts, 1e-3 * x.parts); /* what cancels on the way is not seen here */
        note(t, PARAMETERS, y, what);
    }
}

/* ---------------------------------------------------------------------------- second derivatives */

/* <w, J x> of a source along a direction x, at arrays of one's own. */
static double first_along(bench *b, source of, const double *z, const double *zd, const double *lambda,
                          const sal_directions *x)
{
    double change, sum = 0.0;

    memset(b->force, 0, sizeof(double) * (size_t)b->model->nz);
    if (of == SECOND_ROWS) sal_rows_force_jvp(&b->system.rows, z, lambda, *x, b->force);
    if (of == SECOND_SPRINGS) sal_springs_jvp(b->model, z, zd, *x, b->force);
    if (of == SECOND_EFFORTS) sal_efforts_jvp(&b->system.rows, z, zd, *x, &change, b->force);
    for (int k = 0; k < b->model->n; k++) sum += b->w[k] * b->force[k];
    return sum;
}

static double second_along(bench *b, source of, const double *dlambda, const sal_directions *x, const sal_directions *y)
{
    const sal_system *s   = &b->system;
    double            out = 0.0;

    if (of == SECOND_ROWS) sal_rows_force_second(&s->rows, s->z, b->lambda, dlambda, b->w, x->dz, *y, &out);
    if (of == SECOND_SPRINGS) sal_springs_second(b->model, s->z, s->zd, b->w, x->dz, x->dzd, *y, &out);
    if (of == SECOND_EFFORTS) sal_efforts_second(&s->rows, s->z, s->zd, b->w, x->dz, x->dzd, *y, &out);
    return out;
}

/* The change of the first along y by differences of eighth order, and its largest value. */
static double difference(bench *b, source of, const sal_directions *x, const sal_directions *y, double h, double *most)
{
    static const double weight[] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    const sal_system   *s        = &b->system;
    double              sum      = 0.0;

    for (int i = -4; i <= 4; i++) {
        double first;
        for (int k = 0; k < b->model->nz; k++) {
            b->near[0][k] = s->z[k] + i * h * y->dz[k];
            b->near[1][k] = s->zd[k] + i * h * y->dzd[k];
        }
        for (int r = 0; r < b->model->m; r++) b->near[2][r] = b->lambda[r] + i * h * b->dlambda[r];
        first = first_along(b, of, b->near[0], b->near[1], b->near[2], x);
        *most = fmax(*most, fabs(first));
        if (i != 0) sum += (i > 0 ? 1.0 : -1.0) * weight[abs(i) - 1] * first / h;
    }
    return sum;
}

/* Against differences where these are derivatives, with no kink nearby; and the order of the directions is no matter. */
static void check_second(bench *b, tally *t, source of, const char *what)
{
    const sal_directions x = { 1, b->other[0], b->other[1], b->none, NULL }, y = { 1, b->dz, b->dzd, b->none, NULL };
    double               most = 0.0, exact, found, apart, swapped;

    bench_scatter(b);
    scatter(b, b->other[0], b->model->nz);
    scatter(b, b->other[1], b->model->nz);
    exact   = second_along(b, of, b->dlambda, &x, &y);
    found   = difference(b, of, &x, &y, 2e-3, &most);
    apart   = fabs(difference(b, of, &x, &y, 1e-3, &most) - found);
    swapped = second_along(b, of, NULL, &x, &y) - second_along(b, of, NULL, &y, &x);
    if (!(fabs(swapped) <= 1e-12 * (most + fabs(exact))))
        fail_msg("%s: %g, in\n%.6000s", source_names[of], swapped, what);
    if (!(apart <= 1e-10 * (most + fabs(exact)))) t->kinks++;
    else if (most > 0.0) {
        t->worst[of] = fmax(t->worst[of], fabs(found - exact) / (most + fabs(exact)));
        t->count[of]++;
        t->same[of] += exact == found;
        if (!(fabs(found - exact) <= 1e-10 * (most + fabs(exact))))
            fail_msg("%s: %.17g, by differences %.17g, in\n%.6000s", source_names[of], exact, found, what);
    }
}

/* ---------------------------------------------------------------------------------- all scenes */

static void check_scene(void *self, const generated *scene)
{
    static const struct {
        sal_form          form;
        sal_stabilization stabilization;
    } forms[] = { { SAL_INDEX1, SAL_PROJECTION }, { SAL_INDEX1, SAL_BAUMGARTE }, { SAL_PENALTY, SAL_PROJECTION } };
    const bool touches = scene->r->model->tables->touches.n > 0;
    bench      b;

    bench_make(&b, scene->r, (uint64_t)scene->scenes + 1);
    for (int f = 0; f < SAL_COUNT(forms); f++) {
        for (mode m = OPEN; m < (touches ? MODES : CLOSED); m++) {
            if (!bench_place(&b, scene->time, forms[f].form, forms[f].stabilization, m)) continue;
            check_sources(&b, self, scene->text);
            bench_scatter(&b);
            check_accelerate(&b, self, scene->text);
            for (source of = SECOND_ROWS; of < SOURCES; of++) check_second(&b, self, of, scene->text);
        }
    }
    bench_free(&b);
}

static void every_registered_type(void **state)
{
    sal_context        *context  = make_context();
    const sal_registry *registry = sal_context_registry(context);
    tally               t        = { 0 };

    (void)state;
    for (sal_section s = SAL_BODIES; s < SAL_SECTIONS; s++) {
        for (int k = 0; k < registry->n[s]; k++)
            generate(&(generator){ .visit = check_scene, .self = &t }, s, registry->type[s][k]);
    }
    for (int k = 0; k < SOURCES; k++) {
        print_message("%-18s %6d products, %4.1f %% equal bit for bit, worst error %.1e\n", source_names[k], t.count[k],
                      100.0 * t.same[k] / t.count[k], t.worst[k]);
        assert_true(t.count[k] > 100 && t.same[k] < t.count[k] / 2); /* two ways to compute it, not one twice */
    }
    print_message("%d kinks, %d of %d not symmetric\n", t.kinks, t.unsymmetric, t.count[SLIDING]);
    assert_true(t.kinks < t.count[SECOND_ROWS] / 20);
    assert_true(t.unsymmetric > t.count[SLIDING] / 2);
    sal_context_destroy(&context);
}

/* A spring without a natural length is k d: smooth where its ends meet, between points and markers alike. */
static void spring_without_length(void **state)
{
    rig r = rig_load("'parameters': { 'k': 3.5, 'shift': 0 }, 'points': { 'A': { 'at': [0, 0] }, 'B': { 'at': [1, 0] },"
                     "  'P': { 'at': ['0.4 + shift', 0.2] } },"
                     "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1 }, 'bar': { 'type': 'bar',"
                     "  'points': ['A', 'B'], 'mass': 1, 'length': 1, 'markers': { 'M': [0.4, 0.2] } } },"
                     "'joints': { 's': { 'type': 'spring', 'points': ['P', 'M'], 'stiffness': 'k', 'length': 0 } }");
    const sal_basis *P = rig_point(&r, "P");
    bench            b;
    sal_system      *s = &b.system;
    tally            t = { 0 };

    (void)state;
    for (int off = 0; off < 2; off++) {
        double exact[2];
        bench_make(&b, &r, 5);
        assert_true(bench_place(&b, 0.0, SAL_INDEX1, SAL_PROJECTION, OPEN));
        memcpy(s->z, (const double[]){ 0.0, 0.0, 1.0, 0.0 }, 4 * sizeof(double)); /* A, B */
        s->z[P->xi] = 0.4 + off * 1e-13;
        s->z[P->yi] = 0.2;
        bench_scatter(&b);
        b.dz[b.model->tables->springs.at[0].length]  = 0.0; /* with these there would be no derivative */
        b.dz[b.model->tables->springs.at[0].damping] = 0.0;
        check_forces(&b, &t, true, "one spring");
        exact[0] = b.dz[0] + 0.4 * (b.dz[2] - b.dz[0]) - 0.2 * (b.dz[3] - b.dz[1]) - b.dz[P->xi];
        exact[1] = b.dz[1] + 0.4 * (b.dz[3] - b.dz[1]) + 0.2 * (b.dz[2] - b.dz[0]) - b.dz[P->yi];
        for (int k = 0; k < b.model->tables->points.n; k++) { /* the marker's alpha and beta change too */
            const sal_basis *M = sal_basis_of(b.model->tables, b.model->tables->points.at[k].point);
            if (b.model->tables->points.at[k].kind != SAL_MARKER) continue;
            exact[0] += b.dz[M->alpha];
            exact[1] += b.dz[M->beta];
        }
        assert_near(b.force[P->xi], 3.5 * exact[0], 1e-12);
        assert_near(b.force[P->yi], 3.5 * exact[1], 1e-12);
        bench_free(&b);
    }
    assert_int_equal(t.count[SPRINGS], 2);
    rig_free(&r);
}

/* Rows depend on each other, and of the multipliers the least are taken. Along motions that the constraints allow the
 * accelerations do not care; the multipliers' part that is not determined has errors of rounding over SAL_LEAST on both
 * sides. */
static void check_dependent(rig *r, const char *what)
{
    const double tolerance[] = { 1e-12, 1e-6 };

    for (int multipliers = 0; multipliers < 2; multipliers++) {
        product      x = { 0 };
        bench        b;
        sal_system  *s = &b.system;
        sal_tangent *t = &b.tangent;
        bench_make(&b, r, 3);
        if (sal_system_set_values(s, b.given) != SAL_OK) fail_msg("%s", s->message);
        rig_run(r, NULL);
        sal_system_move(s, 0.0, r->run->system.z, r->run->system.zd);
        sal_system_set_form(s, SAL_INDEX1, SAL_PROJECTION);
        assert_true(s->shares != 0);
        assert_int_equal(sal_system_accelerate(s), SAL_OK);
        bench_scatter(&b);
        assert_int_equal(sal_tangent_set_values(t, s, b.given), SAL_OK);
        sal_tangent_set_form(t, s);
        sal_tangent_move(t, s, b.dz, b.dzd);
        sal_tangent_project(t, s, NULL);
        sal_tangent_accelerate(t, s);
        for (int k = 0; k < r->model->m && !multipliers; k++) b.row[0][k] = 0.0;
        sal_pullback_accelerate(&b.adjoint, s, b.w, b.row[0]);
        add_left(&x, b.w, t->zdd, r->model->n);
        add_left(&x, b.row[0], t->lambda, r->model->m);
        add_right(&x, b.adjoint.z, t->z, r->model->n);
        add_right(&x, b.adjoint.zd, t->zd, r->model->n);
        print_message("%s, %s: error %.1e\n", what, multipliers ? "multipliers" : "accelerations",
                      fabs(x.left - x.right) / x.parts);
        assert_true(fabs(x.left - x.right) <= tolerance[multipliers] * x.parts);
        bench_free(&b);
    }
}

/* Three cranks on one coupler; a body that is pinned twice to a point of another, where what depends turns with it. */
static void rows_that_depend(void **state)
{
    rig cranks = rig_load(
        "'gravity': [0.3, -9.81], 'points': {"
        "  'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0], 'fixed': true }, 'Q': { 'at': [2, 0], 'fixed': "
        "true },"
        "  'A': { 'at': [0.6, 0.8], 'velocity': [-0.8, 0.6] }, 'B': { 'at': [1.6, 0.8] }, 'C': { 'at': [2.6, 0.8] } },"
        "'bodies': { 'a': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 1 }, 'b': { 'type': 'bar', 'points': ['P', "
        "'B'], 'mass': 2 },"
        "  'c': { 'type': 'bar', 'points': ['Q', 'C'], 'mass': 3 }, 'd': { 'type': 'bar', 'points': ['A', 'B'], "
        "'mass': 1 },"
        "  'e': { 'type': 'bar', 'points': ['B', 'C'], 'mass': 1 }, 'f': { 'type': 'bar', 'points': ['A', 'C'], "
        "'mass': 0.5 } }");
    rig pinned = rig_load(
        "'gravity': [0.3, -9.81], 'points': { 'O': { 'at': [0, 0], 'fixed': true },"
        "  'A': { 'at': [0.6, 0.8], 'velocity': [-0.8, 0.6] }, 'P': { 'at': [0.3, 0.4] }, 'R': { 'at': [0.3, 0.4] },"
        "  'S': { 'at': [1.3, 0.1], 'velocity': [0.2, -0.9] } }, 'bodies': {"
        "  'a': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 1, 'markers': { 'M': [0.5, 0] } },"
        "  'b': { 'type': 'bar', 'points': ['P', 'S'], 'mass': 2 }, 'c': { 'type': 'bar', 'points': ['R', 'S'], "
        "'mass': 3 } }, 'joints': { 'p': { 'type': 'revolute', 'points': ['M', 'P'] }, 'r': { 'type': 'revolute', "
        "'points': ['M', 'R'] } }");

    (void)state;
    check_dependent(&cranks, "cranks");
    check_dependent(&pinned, "pinned twice");
    rig_free(&cranks);
    rig_free(&pinned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_registered_type),
        cmocka_unit_test(spring_without_length),
        cmocka_unit_test(rows_that_depend),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
