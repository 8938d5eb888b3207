/* test_relations.c - rows given by formulas: the same as rows made of terms in every array, with tangents; rows known
 * by their rate alone; formulas that depend on time. Forces given by formulas: the same as a spring. */
#include "tests/support.h"

#include "engine/equations/equations.h"
#include "engine/motion/motion.h"

/* ------------------------------------------------------------------------------------------ types */

typedef struct pair { /* two points and a number */
    sal_point p[2];
    sal_slot  value, damping;
} pair;

static const sal_field fields[] = {
    { "points", SAL_F_PAIR, offsetof(pair, p), .help = "two points" },
    { "length", SAL_F_VALUE, offsetof(pair, value), "m", "0", "a number", .timed = true },
    { "damping", SAL_F_VALUE, offsetof(pair, damping), NULL, "0", "another" },
};

#define BINDS(s)                                                                         \
    (const sal_bind[])                                                                   \
    {                                                                                    \
        { "P", .point = &(s)->p[0] }, { "Q", .point = &(s)->p[1] }, { "l", (s)->value }, \
            { "ldot", (s)->value, .rate = true }, { "c", (s)->damping },                 \
        {                                                                                \
            0                                                                            \
        }                                                                                \
    }

/* As `distance`. */
static void circle_emit(const void *self, sal_builder *b)
{
    sal_row_formula(b, "", sal_formula("(x(Q) - x(P))^2 + (y(Q) - y(P))^2 - l^2"), BINDS((const pair *)self));
}

/* The same known by its rate. */
static void rate_emit(const void *self, sal_builder *b)
{
    sal_row_rate(b, "", sal_formula("2*(x(Q) - x(P))*(vx(Q) - vx(P)) + 2*(y(Q) - y(P))*(vy(Q) - vy(P)) - 2*l*ldot"),
                 BINDS((const pair *)self));
}

/* As `revolute`. */
static void pin_emit(const void *self, sal_builder *b)
{
    sal_row_formula(b, "x", sal_formula("x(Q) - x(P)"), BINDS((const pair *)self));
    sal_row_formula(b, "y", sal_formula("y(Q) - y(P)"), BINDS((const pair *)self));
}

/* As `spring`, by the power of its tension. */
static void pull_emit(const void *self, sal_builder *b)
{
    static const char rate[] = "((x(Q) - x(P))*(vx(Q) - vx(P)) + (y(Q) - y(P))*(vy(Q) - vy(P)))/distance(P, Q)";
    char              force[512];

    snprintf(force, sizeof force, "-7*(distance(P, Q) - l) - c*%s", rate);
    sal_add_force(b, sal_formula(rate), sal_formula(force), BINDS((const pair *)self));
}

static void bad_emit(const void *self, sal_builder *b)
{
    sal_row_formula(b, "a", sal_formula("x(Q) - vx(P)"), BINDS((const pair *)self));
    sal_row_formula(b, "b", sal_formula("x(Q) - ax(P)"), BINDS((const pair *)self));
    sal_row_formula(b, "c", sal_formula("x(Q) - z"), BINDS((const pair *)self));
    sal_row_rate(b, "d", sal_formula("vx(Q)^2"), BINDS((const pair *)self));
    sal_row_rate(b, "e", sal_formula("x(Q)"), BINDS((const pair *)self));
    sal_add_force(b, sal_formula("x(P)"), sal_formula("1"), BINDS((const pair *)self));
    sal_add_force(b, sal_formula("vx(Q)"), sal_formula("ax(Q)"), BINDS((const pair *)self));
}

#define TYPE(called, function, has_rows)                                                                               \
    {                                                                                                                  \
        .name = (called), .help = "of the test", .size = sizeof(pair), .fields = fields, .nfields = SAL_COUNT(fields), \
        .rows = (has_rows), .emit = (function)                                                                         \
    }

static const sal_type types[] = { TYPE("circle", circle_emit, true), TYPE("circle_rate", rate_emit, true),
                                  TYPE("pin", pin_emit, true), TYPE("pull", pull_emit, false),
                                  TYPE("bad", bad_emit, true) };

/* ------------------------------------------------------------------------------------------ scenes */

/* Points free, fixed, driven and markers; %s: the types of the joints. */
static const char *const scene =
    "'parameters': { 'a': 0.1, 'l': 1.3 }, 'simulation': { 'alpha': 3, 'xi': 0.8, 'omega': 1.7 },"
    "'points': {"
    "  'A': { 'at': [0, 0], 'fixed': true }, 'D': { 'at': ['a*sin(3*t)', '0.2*cos(2*t) - l'], 'fixed': true },"
    "  'P1': { 'at': [1, 0] }, 'P2': { 'at': [2, 0.2] }, 'P3': { 'at': [1, -1] }, 'P4': { 'at': [2, -1] } },"
    "'bodies': {"
    "  'bar': { 'type': 'bar', 'points': ['P1', 'P2'], 'mass': 2, 'length': 0.9, 'markers': { 'M': ['a', 0.25] } },"
    "  'body': { 'type': 'rigid', 'points': ['P3', 'P4'], 'mass': 3, 'centre': [0.3, 0.1], 'inertia': 0.2,"
    "            'length': 0.8, 'markers': { 'N': [-0.1, '0.3*l'] } } },"
    "'joints': {"
    "  'free':   { 'type': '%1$s', 'points': ['P1', 'P3'], 'length': 'l' },"
    "  'fixed':  { 'type': '%1$s', 'points': ['A', 'P2'], 'length': '2*a + l' },"
    "  'driven': { 'type': '%1$s', 'points': ['D', 'P4'], 'length': '1 + a*sin(2*t)' },"
    "  'marks':  { 'type': '%1$s', 'points': ['M', 'N'], 'length': '1.5' },"
    "  'mark':   { 'type': '%1$s', 'points': ['D', 'N'], 'length': 'exp(-a*t)' },"
    "  'own':    { 'type': '%1$s', 'points': ['M', 'P1'], 'length': 'l' },"
    "  'pin1':   { 'type': '%2$s', 'points': ['P2', 'N'] },"
    "  'pin2':   { 'type': '%2$s', 'points': ['D', 'M'] },"
    "  'force1': { 'type': '%3$s', 'points': ['P1', 'P4'], 'length': 'l', 'damping': 'a'%4$s },"
    "  'force2': { 'type': '%3$s', 'points': ['M', 'D'], 'length': 0.4, 'damping': 0.3%4$s } }";

enum { N = 8, ROWS = 12, P = 3, SLOTS = 256 };

/* As rig_load, in a context that knows the types. */
static rig load(const char *text)
{
    rig        r    = { 0 };
    size_t     size = strlen(text) + 32;
    char      *json = malloc(size);
    sal_scene *parsed;

    assert_non_null(json);
    snprintf(json, size, "{ 'saltus': 1, %s }", text);
    in_quotes(json);
    assert_int_equal(sal_context_create(NULL, &r.context), SAL_OK);
    for (int k = 0; k < SAL_COUNT(types); k++) assert_int_equal(sal_register_joint(r.context, &types[k]), SAL_OK);
    if (sal_scene_parse(r.context, "test", json, strlen(json), &parsed) == SAL_OK) {
        if (sal_model_create(parsed, &r.model) != SAL_OK) fail_msg("%s", sal_message(r.context));
    }
    sal_scene_destroy(&parsed);
    free(json);
    return r;
}

static rig load_types(const char *distance, const char *revolute, const char *spring)
{
    char text[4000];
    rig  r;

    snprintf(text, sizeof text, scene, distance, revolute, spring, strcmp(spring, "spring") ? "" : ", 'stiffness': 7");
    r = load(text);
    if (!r.model) fail_msg("%s", sal_message(r.context));
    return r;
}

/* All arrays of the rows and forces at a state, with the tangents along P directions. */
typedef struct arrays {
    double phi[ROWS], phidot[ROWS], c[ROWS], jacobian[ROWS][N], motion[ROWS][N], force[N], a[N], lambda[ROWS];
    double dphi[ROWS * P], dphidot[ROWS * P], dphidd[ROWS * P], dforce[N * P], A[N * P], Lambda[ROWS * P];
} arrays;

static void dense(const sal_model *model, const double *entry, double out[ROWS][N])
{
    memset(out, 0, sizeof(double) * ROWS * N);
    for (int r = 0; r < model->m; r++) {
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) out[r][model->jc[k]] = entry[k];
    }
}

static void compute(const rig *r, int run, const bool *off, arrays *x)
{
    const sal_wrt wrt[P] = { { .parameter = 0 }, { .parameter = 1 }, { .parameter = -1 } };
    uint64_t      seed   = (uint64_t)(17 + run);
    double        q[N], v[N], Q[N * P], V[N * P], lambda[ROWS], force[SLOTS * P] = { 0 };
    sal_tangent   t;
    numbers       own;
    sal_system   *s = numbers_make(&own, r, NULL);

    assert_int_equal(r->model->n, N);
    assert_int_equal(r->model->m, ROWS);
    assert_true(r->model->nz <= SLOTS);
    for (int k = 0; k < N; k++) q[k] = 2.0 * random_number(&seed);
    for (int k = 0; k < N; k++) v[k] = random_number(&seed);
    for (int k = 0; k < N * P; k++) Q[k] = random_number(&seed);
    for (int k = 0; k < N * P; k++) V[k] = random_number(&seed);
    for (int k = 0; k < ROWS; k++) lambda[k] = random_number(&seed);
    for (int k = 0; k < ROWS && off; k++) s->mode.held[k] = !off[k];
    assert_int_equal(sal_tangent_init(&t, r->model, &own.pool, wrt, P), SAL_OK);
    assert_int_equal(sal_tangent_set_values(&t, s, (const double[]){ NAN, NAN }), SAL_OK);
    sal_system_move(s, 0.3 + 0.1 * run, q, v);
    sal_system_set_form(s, SAL_PENALTY, SAL_PROJECTION); /* more rows than coordinates */
    sal_tangent_set_form(&t, s);
    sal_rows_residual(&s->rows, s->z, s->zd, x->phi, x->phidot);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    dense(r->model, s->entry, x->jacobian);
    sal_rows_motion(&s->rows, s->z, s->zd, s->zdd, s->entry, x->c);
    dense(r->model, s->entry, x->motion);
    assert_int_equal(sal_system_accelerate(s), SAL_OK);
    memcpy(x->force, s->force, sizeof x->force);
    memcpy(x->a, s->zdd, sizeof x->a);
    memcpy(x->lambda, s->lambda, sizeof x->lambda);
    sal_tangent_move(&t, s, Q, V);
    sal_rows_residual_jvp(&s->rows, s->z, s->zd, sal_tangent_directions(&t), x->dphi, x->dphidot);
    for (int k = 0; k < ROWS; k++) lambda[k] = s->mode.held[k] ? lambda[k] : 0.0;
    for (int k = 0; k < N; k++) s->zdd[k] = random_number(&seed); /* those computed differ by their rounding */
    sal_rows_motion_jvp(&s->rows, s->z, s->zd, s->zdd, lambda, sal_tangent_directions(&t), x->dphidd, force);
    memcpy(s->zdd, x->a, sizeof x->a);
    memcpy(x->dforce, force, sizeof x->dforce);
    memset(force, 0, sizeof force);
    sal_rows_force_jvp(&s->rows, s->z, lambda, sal_tangent_directions(&t), force);
    for (int k = 0; k < N * P; k++) assert_near(force[k], x->dforce[k], 1e-13);
    sal_tangent_accelerate(&t, s);
    memcpy(x->A, t.zdd, sizeof x->A);
    memcpy(x->Lambda, t.lambda, sizeof x->Lambda);
    numbers_free(&own);
}

static void same(const double *found, const double *expected, int n, double tolerance, const char *what)
{
    double size = 1.0;

    for (int k = 0; k < n; k++) size = fmax(size, fabs(expected[k]));
    for (int k = 0; k < n; k++) {
        if (!(fabs(found[k] - expected[k]) <= tolerance * size))
            fail_msg("%s[%d]: %.17g, of terms %.17g", what, k, found[k], expected[k]);
    }
}

#define SAME(array, tolerance) \
    same((const double *)x.array, (const double *)y.array, (int)(sizeof x.array / sizeof(double)), (tolerance), #array)

static void check_same(const rig *formulas, const rig *terms, const bool *off, bool whole)
{
    for (int run = 0; run < 5; run++) {
        arrays x, y;
        compute(formulas, run, off, &x);
        compute(terms, run, off, &y);
        if (whole) SAME(phi, 1e-14);
        SAME(phidot, 1e-14);
        SAME(c, 1e-14);
        SAME(jacobian, 1e-14);
        SAME(motion, 1e-14);
        if (whole) SAME(dphi, 1e-14);
        SAME(dphidot, 1e-13);
        if (!whole) continue; /* accelerations are damped by Phi in this form */
        SAME(dphidd, 1e-13);
        SAME(dforce, 1e-13);
        SAME(force, 1e-13);
        SAME(a, 1e-12);
        SAME(lambda, 1e-12);
        SAME(A, 1e-12);
        SAME(Lambda, 1e-12);
    }
}

/* ------------------------------------------------------------------------------------------- tests */

static void formulas_are_the_same_as_terms(void **state)
{
    static const bool off[ROWS] = { [3] = true, [5] = true, [8] = true, [10] = true };
    rig formulas = load_types("circle", "pin", "spring"), terms = load_types("distance", "revolute", "spring");

    (void)state;
    assert_true(formulas.model->nrelation == 10 && terms.model->nrelation == 0);
    check_same(&formulas, &terms, NULL, true);
    check_same(&formulas, &terms, off, true);
    rig_free(&formulas);
    rig_free(&terms);
}

/* Rows off are zero everywhere, and their multipliers are. */
static void rows_that_do_not_hold(void **state)
{
    static const bool off[ROWS] = { [2] = true, [4] = true, [9] = true };
    rig               r         = load_types("circle", "pin", "pull");
    arrays            x;

    (void)state;
    compute(&r, 1, off, &x);
    for (int row = 0; row < ROWS; row++) {
        double sum = fabs(x.phi[row]) + fabs(x.phidot[row]) + fabs(x.c[row]) + fabs(x.lambda[row]);
        for (int k = 0; k < N; k++) sum += fabs(x.jacobian[row][k]) + fabs(x.motion[row][k]);
        for (int c = 0; c < P; c++) {
            sum += fabs(x.dphi[row * P + c]) + fabs(x.dphidot[row * P + c]) + fabs(x.dphidd[row * P + c]) +
                   fabs(x.Lambda[row * P + c]);
        }
        assert_true(off[row] ? sum == 0.0 : sum > 0.1);
    }
    rig_free(&r);
}

static void rates_alone(void **state)
{
    rig rates = load_types("circle_rate", "pin", "pull"), terms = load_types("distance", "revolute", "spring");

    (void)state;
    check_same(&rates, &terms, NULL, false);
    for (int k = 0; k < rates.model->m; k++) /* Phi is not known, and zero */
        assert_true(rates.model->relation_of[k] < 0 ||
                    rates.model->tables->rows.at[k].rate ==
                        (rates.model->relation[rates.model->relation_of[k]].phi.n == 0));
    rig_free(&rates);
    rig_free(&terms);
}

static void forces_are_the_same_as_springs(void **state)
{
    rig formulas = load_types("distance", "revolute", "pull"), terms = load_types("distance", "revolute", "spring");

    (void)state;
    assert_true(formulas.model->tables->efforts.n == 2 && terms.model->tables->springs.n == 2);
    check_same(&formulas, &terms, NULL, true);
    rig_free(&formulas);
    rig_free(&terms);
}

/* Phiddot and Phidot of one row, whether it holds or not, against Phi_q a - C. */
static void one_row(void **state)
{
    rig         r = load_types("circle", "pin", "spring");
    numbers     x;
    sal_system *s    = numbers_make(&x, &r, NULL);
    uint64_t    seed = 3;
    double      q[N], v[N], entries[ROWS][N], phi[ROWS], phidot[ROWS], c[ROWS];

    (void)state;
    for (int k = 0; k < N; k++) q[k] = random_number(&seed);
    for (int k = 0; k < N; k++) v[k] = random_number(&seed);
    sal_system_move(s, 0.7, q, v);
    for (int k = 0; k < N; k++) s->zdd[k] = random_number(&seed);
    sal_rows_motion(&s->rows, s->z, s->zd, s->zdd, s->entry, c);
    sal_rows_residual(&s->rows, s->z, s->zd, phi, phidot);
    dense(r.model, s->entry, entries);
    for (int row = 2; row < ROWS; row++) {
        double second = -c[row];
        for (int k = 0; k < N; k++) second += entries[row][k] * s->zdd[k];
        s->mode.held[row] = row % 2;
        assert_near(sal_relations_acceleration(&s->rows, row, s->z, s->zd, s->zdd), second, 1e-13);
        assert_near(sal_relations_rate(&s->rows, row, s->z, s->zd), phidot[row], 1e-14);
    }
    numbers_free(&x);
    rig_free(&r);
}

/* A whole motion: a pendulum whose length is driven, on a driven point; and with the row known by its rate. */
static void motion(void **state)
{
    static const char *const pendulum =
        "'points': { 'D': { 'at': ['0.1*sin(3*t)', 0], 'fixed': true }, 'P': { 'at': [1, 0] } },"
        "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
        "'joints': { 'rod': { 'type': '%s', 'points': ['D', 'P'], 'length': '1 + 0.2*sin(t)' } },"
        "'simulation': { 'duration': 2, 'rtol': 1e-11 }";
    static const char *const kinds[] = { "distance", "circle", "circle_rate" };
    double                   end[3][3];

    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[1000];
        rig  r;
        snprintf(text, sizeof text, pendulum, kinds[k]);
        r = load(text);
        rig_run(&r, NULL);
        rig_to(&r, 2.0);
        memcpy(end[k], sal_run_q(r.run), 2 * sizeof(double));
        end[k][2] = sal_run_lambda(r.run)[0];
        if (k < 2) assert_true(sal_run_get_stats(r.run).max_phi < 1e-12);
        rig_free(&r);
    }
    for (int i = 0; i < 3; i++) {
        assert_near(end[1][i], end[0][i], 1e-9);
        assert_near(end[2][i], end[0][i], 1e-7);
    }
}

static void what_is_no_row(void **state)
{
    rig         r    = load("'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] } },"
                                       "'joints': { 'j': { 'type': 'bad', 'points': ['A', 'P'] } }");
    const char *said = sal_message(r.context);

    (void)state;
    assert_null(r.model);
    assert_says(said, "'x(Q) - vx(P)' is no constraint; expected an expression of positions and t");
    assert_says(said, "'x(Q) - ax(P)' is no constraint");
    assert_says(said, "unknown name 'z'");
    assert_says(said, "'vx(Q)^2' is no velocity; expected an expression linear in velocities");
    assert_says(said, "'x(Q)' is no velocity");
    assert_says(said, "'x(P)' is no velocity");
    assert_says(said, "'ax(Q)' is no force; it may read positions, velocities, values and t");
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_the_same_as_terms),
        cmocka_unit_test(rows_that_do_not_hold),
        cmocka_unit_test(rates_alone),
        cmocka_unit_test(forces_are_the_same_as_springs),
        cmocka_unit_test(one_row),
        cmocka_unit_test(motion),
        cmocka_unit_test(what_is_no_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
