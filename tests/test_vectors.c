/* test_vectors.c - parameters that are functions of time: their values, motions by them and derivatives by every knot
 * against closed forms; what is wrong with them. */
#include "tests/support.h"

enum { KNOTS = 7 };
static const double FROM = 0.3, TO = 2.1, T = 2.6;
static const double KNOT[KNOTS] = { 1.0, -2.0, 0.5, 3.0, 3.5, -1.0, 2.0 };

static rig load(const char *kind, const char *rest)
{
    char text[2000];

    snprintf(text, sizeof text,
             "'gravity': [0, 0], 'parameters': { 'm': 2, 'u': { 'knots': 7, 'from': 0.3, 'to': 2.1, 'kind': '%s',"
             "'start': [1, -2, 0.5, 3, 3.5, -1, 2] } }, 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': "
             "[0.2, 0] } }, 'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"
             "%s, 'simulation': { 'duration': 2.6, 'rtol': 1e-12 }",
             kind, rest);
    return rig_load(text);
}

/* The piece of unit knot j at t; of a natural spline by Gauss elimination of the equations of its values and slopes. */
static double unit(const char *kind, int j, double t)
{
    const bool   steps = !strcmp(kind, "steps"), cubic = !strcmp(kind, "cubic");
    const double h = (TO - FROM) / (steps ? KNOTS : KNOTS - 1), x = (t - FROM) / h;
    double       a[KNOTS][KNOTS + 1] = { { 0 } };
    int          i                   = (int)floor(x);

    if (steps) return fmin(fmax(i, 0), KNOTS - 1) == j;
    if (x <= 0.0 || x >= KNOTS - 1) return j == (x <= 0.0 ? 0 : KNOTS - 1);
    if (!cubic) return fmax(0.0, 1.0 - fabs(x - j));
    for (int k = 0; k < KNOTS; k++) { /* slopes: d_k-1 + 4 d_k + d_k+1 = 3 (y_k+1 - y_k-1), at the ends 2 d_0 + d_1 */
        const bool first = k == 0, last = k == KNOTS - 1;
        a[k][k] = first || last ? 2.0 : 4.0;
        if (!first) a[k][k - 1] = 1.0;
        if (!last) a[k][k + 1] = 1.0;
        a[k][KNOTS] = 3.0 * ((last ? k == j : k + 1 == j) - (first ? k == j : k - 1 == j));
    }
    for (int k = 1; k < KNOTS; k++) {
        const double f = a[k][k - 1] / a[k - 1][k - 1];
        for (int c = k - 1; c <= KNOTS; c++) a[k][c] -= f * a[k - 1][c];
    }
    double d[KNOTS], s = x - i;
    for (int k = KNOTS - 1; k >= 0; k--)
        d[k] = (a[k][KNOTS] - (k < KNOTS - 1 ? a[k][k + 1] * d[k + 1] : 0.0)) / a[k][k];
    return (i == j) * (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s) + (i + 1 == j) * s * s * (3.0 - 2.0 * s) +
           d[i] * s * (1.0 - s) * (1.0 - s) - d[i + 1] * s * s * (1.0 - s);
}

static double value(const char *kind, double t)
{
    double sum = 0.0;

    for (int j = 0; j < KNOTS; j++) sum += KNOT[j] * unit(kind, j, t);
    return sum;
}

/* The integral of (end - t)^power f over [0, end] by three Gauss points in every piece: exact. */
static double moment(const char *kind, int j, double end, int power)
{
    static const double at[] = { 0.112701665379258311, 0.5, 0.887298334620741689 },
                        w[]  = { 5.0 / 18, 8.0 / 18, 5.0 / 18 };
    const double h           = (TO - FROM) / (!strcmp(kind, "steps") ? KNOTS : KNOTS - 1);
    double       sum = 0.0, from = 0.0;

    for (int k = 0; from < end; k++) {
        const double to = fmin(k <= KNOTS ? FROM + k * h : end, end);
        for (int g = 0; g < 3; g++) {
            const double t = from + (to - from) * at[g];
            sum += w[g] * (to - from) * pow(end - t, power) * (j < 0 ? value(kind, t) : unit(kind, j, t));
        }
        from = to;
    }
    return sum;
}

static const char *const KINDS[] = { "steps", "linear", "cubic" };

/* m x'' = u(t), and the integral of u^2 as a cost: by quadratures, at any time and at the end. */
static void test_force(void **state)
{
    static const char *const wrt[] = { "m", "u[0]", "u[1]", "u[2]", "u[3]", "u[4]", "u[5]", "u[6]" };

    (void)state;
    for (int k = 0; k < 3; k++) {
        rig          r = load(KINDS[k], "'joints': { 'f': { 'type': 'force', 'point': 'P', 'fx': 'u(t)', 'fy': 0 } },"
                                                 "'costs': { 'sum': { 'running': 'u(t)*t' }, 'end': { 'terminal': 'u(t)' } }");
        sal_run_opts opts = with_respect_to(wrt, 8);
        rig_run(&r, &opts);
        for (int pass = 0; pass < 3; pass++) {
            const double end = pass == 0 ? 1.07 : pass == 1 ? 1.9 : T;
            rig_to(&r, end);
            assert_near(sal_run_v(r.run)[0], moment(KINDS[k], -1, end, 0) / 2.0, 1e-11);
            assert_near(sal_run_q(r.run)[0], 0.2 + moment(KINDS[k], -1, end, 1) / 2.0, 1e-11);
            for (int j = 0; j < KNOTS; j++) {
                assert_near(sal_run_V(r.run)[1 + j], moment(KINDS[k], j, end, 0) / 2.0, 1e-11);
                assert_near(sal_run_Q(r.run)[1 + j], moment(KINDS[k], j, end, 1) / 2.0, 1e-11);
                assert_near(sal_run_A(r.run)[1 + j], unit(KINDS[k], j, end) / 2.0, 1e-12);
                assert_near(sal_run_cost_gradients(r.run)[1 + j],
                            end * moment(KINDS[k], j, end, 0) - moment(KINDS[k], j, end, 1), 1e-11);
                assert_near(sal_run_cost_gradients(r.run)[8 + 1 + j], unit(KINDS[k], j, end), 1e-12);
            }
        }
        assert_int_equal(sal_run_get_stats(r.run).events, 0);
        rig_free(&r);
    }
}

/* A point that is led: it is where u is, with its speed; knots that are set, one or all. */
static void test_driver(void **state)
{
    static const char *const wrt[] = { "u[2]", "u[3]" };
    rig          r    = load("cubic", "'joints': { 'lead': { 'type': 'driver', 'of': 'x(P)', 'value': 'u(t)' } }");
    sal_run_opts opts = with_respect_to(wrt, 2);

    (void)state;
    opts.quiet = true; /* where it sets out and stops there are kinks */
    rig_run(&r, &opts);
    for (double t = 0.35; t < 2.0; t += 0.13) {
        rig_to(&r, t);
        assert_near(sal_run_q(r.run)[0], value("cubic", t), 1e-10);
        assert_near(sal_run_v(r.run)[0], (value("cubic", t + 1e-5) - value("cubic", t - 1e-5)) / 2e-5, 1e-7);
        assert_near(sal_run_Q(r.run)[0], unit("cubic", 2, t), 1e-10);
        assert_near(sal_run_Q(r.run)[1], unit("cubic", 3, t), 1e-10);
    }
    assert_int_equal(sal_run_set(r.run, "u", 0.25), SAL_OK);
    assert_int_equal(sal_run_set(r.run, "u[5]", 0.5), SAL_OK);
    assert_int_equal(sal_run_restart(r.run), SAL_OK);
    assert_near(sal_run_parameter(r.run, 1 + 4), 0.25, 0.0);
    assert_near(sal_run_parameter(r.run, 1 + 5), 0.5, 0.0);
    rig_to(&r, 1.8); /* at the knot */
    assert_near(sal_run_q(r.run)[0], 0.5, 1e-12);
    rig_free(&r);
    r = load("steps", "'joints': { 'lead': { 'type': 'driver', 'of': 'x(P)', 'value': 'u(t)' } }");
    rig_run(&r, NULL);
    assert_int_equal(rig_finish(&r), SAL_ERR_ASSEMBLY);
    assert_says(sal_run_message(r.run), "what drives lead jumps by about");
    rig_free(&r);
}

/* A ball that bounces under a thrust: all derivatives, through touches and knots, against differences. */
static void test_differences(void **state)
{
    for (int k = 0; k < 3; k++) {
        char text[900];
        rig  r;
        snprintf(
            text, sizeof text,
            "'parameters': { 'r': 0.8, 'u': { 'knots': 5, 'to': 1.1, 'kind': '%s', 'start': [0.1, 2, -3, 1, 0.5] },"
            "'w': { 'knots': 3, 'from': -0.5, 'to': 0.7, 'kind': 'linear', 'start': 1.5 } },"
            "'points': { 'P': { 'at': [0, 0.6] } }, 'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } "
            "},"
            "'joints': { 'f': { 'type': 'force', 'point': 'P', 'fx': 'max(0, u(t))*w(t)', 'fy': 'u(t)*(1 + x(P)^2)' } "
            "},"
            "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'restitution': 'r', 'law': 'reset' } },"
            "'costs': { 'top': { 'peak': 'vy(P)' }, 'effort': { 'average': 'u(t)^2' } }, 'simulation': { 'duration': "
            "1.3 }",
            KINDS[k]);
        r       = rig_load(text);
        int bad = -1;
        (void)state;
        assert_int_equal(sal_verify(r.model, NULL, 1e-6, show_bad, (void *)KINDS[k], &bad), SAL_OK);
        assert_int_equal(bad, 0);
        rig_free(&r);
    }
}

/* Ten thousand knots, of which the run sees ten: steps and evaluations are those of ten. */
static void test_many(void **state)
{
    rig few = rig_start(
        "'parameters': { 'u': { 'knots': 10, 'to': 1, 'kind': 'steps', 'start': 3 } }, 'points': { 'P': { 'at':"
        "[0, 0] } }, 'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }, 'joints': { 'f': {"
        "'type': 'force', 'point': 'P', 'fx': 'u(t)', 'fy': 0 } }, 'simulation': { 'duration': 1 }");
    rig many = rig_start(
        "'parameters': { 'u': { 'knots': 10000, 'to': 1000, 'kind': 'steps', 'start': 3 } }, 'points': { 'P': { 'at':"
        "[0, 0] } }, 'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }, 'joints': { 'f': {"
        "'type': 'force', 'point': 'P', 'fx': 'u(t)', 'fy': 0 } }, 'simulation': { 'duration': 1 }");

    (void)state;
    rig_quiet_end(&few);
    rig_quiet_end(&many);
    assert_near(sal_run_q(many.run)[0], 1.5, 1e-9);
    assert_int_equal(sal_run_get_stats(many.run).steps, sal_run_get_stats(few.run).steps);
    assert_int_equal(sal_run_get_stats(many.run).evaluations, sal_run_get_stats(few.run).evaluations);
    rig_free(&few);
    rig_free(&many);
}

static void test_wrong(void **state)
{
#define WITH(vector)                                                                                         \
    "'parameters': { 'a': 1, " vector " }, 'points': { 'P': { 'at': [0, 1] } }, 'bodies': { 'm': { 'type': " \
    "'point_mass', 'point': 'P', 'mass': 1 } }"
#define FORCE(fx) ", 'joints': { 'f': { 'type': 'force', 'point': 'P', 'fx': '" fx "', 'fy': 0 } }"
#define GOOD      "'u': { 'knots': 5, 'to': 1 }"
    (void)state;
    assert_refused(WITH("'u': { 'knots': 5, 'to': 1, 'kind': 'quadratic' }"),
                   "parameters.u.kind: expected 'steps', 'linear' or 'cubic', found 'quadratic'");
    assert_refused(WITH("'u': { 'knots': 1, 'to': 1 }"),
                   "parameters.u.knots: expected a whole number from 2 to 10000, found 1");
    assert_refused(WITH("'u': { 'knots': 2.5, 'to': 1 }"), "expected a whole number from 2 to 10000, found 2.5");
    assert_refused(WITH("'u': { 'knots': 10001, 'to': 1 }"), "expected a whole number from 2 to 10000, found 10001");
    assert_refused(WITH("'u': { 'knots': 5 }"), "parameters.u: missing key 'to'");
    assert_refused(WITH("'u': { 'knots': 5, 'from': 2, 'to': 2 }"), "parameters.u.to: 2 s is not after 'from', 2 s");
    assert_refused(WITH("'u': { 'knots': 5, 'to': '2*a' }"), "parameters.u.to: '2*a' is no number");
    assert_refused(WITH("'u': { 'knots': 5, 'to': 1, 'start': [1, 2, 3] }"),
                   "parameters.u.start: expected a number or a list of 5, one for each knot, found 3");
    assert_refused(WITH("'u': { 'knots': 5, 'to': 1, 'kinds': 3 }"),
                   "parameters.u: unknown key 'kinds'; did you mean 'kind'?");
    assert_refused(WITH(GOOD) FORCE("2*u"), "joints.f.fx: in '2*u', column 3: 'u' is a function of time; write u(t)");
    assert_refused(WITH(GOOD) FORCE("u(a)"), "column 3: 'u' is a function of time alone; write u(t)");
    assert_refused(WITH(GOOD) FORCE("u(3)"), "unexpected '3'; expected a name");
    assert_refused(WITH(GOOD) FORCE("u[3]"), "column 1: 'u' is a function of time; write u(t)");
    assert_refused(WITH(GOOD ", 'b': 'u(t)'"), "parameters.b: 'u(t)' depends on t; a parameter is a constant");
    assert_refused(WITH(GOOD) ", 'memory': { 'u': 1 }", "memory.u: 'u' is a parameter already");
}

static void test_index_out_of_range(void **state)
{
    static const char *const wrt[] = { "u[7]" };
    rig          r    = load("steps", "'joints': { 'f': { 'type': 'force', 'point': 'P', 'fx': 'u(t)', 'fy': 0 } }");
    sal_run_opts opts = with_respect_to(wrt, 1);

    (void)state;
    assert_int_equal(rig_try(&r, &opts), SAL_ERR_ARGUMENT);
    assert_says(sal_message(r.context), "'u[7]' does not exist: the knots of u are u[0] to u[6]");
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force), cmocka_unit_test(test_driver), cmocka_unit_test(test_differences),
        cmocka_unit_test(test_many),  cmocka_unit_test(test_wrong),  cmocka_unit_test(test_index_out_of_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
