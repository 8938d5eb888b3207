/* test_expr_derivatives.c - derivatives of expressions, held against eighth-order central differences, of values and, for
 * the second, of gradients,
 *
 *   f' = sum c_k (f(+kh) - f(-kh)) / h            c = 4/5, -1/5, 4/105, -1/280
 *
 * whose errors are far below 1e-9 for functions that vary on the scale of 1, and against closed forms. */
#include "tests/expressions.h"

/* ---------------------------------------------------------------------------------------- helpers */

/* First and second derivative with respect to x at (x, y), by programs. */
static void derivatives_at(void **state, const char *text, double x, double y, double *d1, double *d2)
{
    const double z[SLOTS] = { 0.5, x, y, 2 };
    sal_program  p = compile(state, text), p1 = differentiate_by(state, &p, SLOT_X),
                p2 = differentiate_by(state, &p1, SLOT_X);

    *d1 = evaluate(&p1, z);
    *d2 = evaluate(&p2, z);
}

/* ------------------------------------------------------------------------------------ derivatives */

/* Value, or with of >= 0 the gradient's entry of that slot, at z moved by s along the slot `along`. */
static double moved(const sal_program *p, const double z0[SLOTS], int of, int along, double s)
{
    double z[SLOTS], v;

    memcpy(z, z0, sizeof z);
    z[along] += s;
    v = evaluate(p, z);
    return of < 0 ? v : gradient_of(p, of);
}

/* The derivative of that with respect to the slot. */
static double difference(const sal_program *p, const double z[SLOTS], int of, int along)
{
    static const double c[] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    const double        h   = 0.008;
    double              sum = 0;

    for (int k = 1; k <= 4; k++) sum += c[k - 1] * (moved(p, z, of, along, k * h) - moved(p, z, of, along, -k * h));
    return sum / h;
}

static void test_gradient(void **state)
{
    for (int i = 0; i < SAL_COUNT(smooth); i++) {
        sal_program p = compile(state, smooth[i]);

        for (int k = 0; k < SAL_COUNT(points); k++) {
            for (int slot = 0; slot < SLOTS; slot++) {
                double expected = difference(&p, points[k], -1, slot);

                evaluate(&p, points[k]);
                assert_close(smooth[i], gradient_of(&p, slot), expected, 1e-9);
            }
        }
    }
}

/* ---------------------------------------------------------------------------------- differentiating */

static void test_derivative(void **state)
{
    for (int i = 0; i < SAL_COUNT(smooth); i++) {
        sal_program p = compile(state, smooth[i]);

        for (int slot = 0; slot < SLOTS; slot++) {
            sal_program p1 = differentiate_by(state, &p, slot);

            for (int k = 0; k < SAL_COUNT(points); k++) {
                double found = evaluate(&p1, points[k]);

                evaluate(&p, points[k]);
                assert_close(smooth[i], found, gradient_of(&p, slot), 2e-15);
            }
        }
    }
}

/* Every second derivative three ways: a program differentiated twice, the gradient of a derivative, differences. */
static void test_second_derivative(void **state)
{
    for (int i = 0; i < SAL_COUNT(smooth); i++) {
        sal_program p = compile(state, smooth[i]);

        for (int pair = 0; pair < SLOTS * SLOTS; pair++) {
            const int   a = pair / SLOTS, b = pair % SLOTS;
            sal_program pa = differentiate_by(state, &p, a), pab = differentiate_by(state, &pa, b);

            for (int k = 0; k < SAL_COUNT(points); k++) {
                double found = evaluate(&pab, points[k]);

                assert_close(smooth[i], found, difference(&p, points[k], a, b), 1e-9);
                evaluate(&pa, points[k]);
                assert_close(smooth[i], found, gradient_of(&pa, b), 2e-14);
            }
        }
    }
}

static void test_derivative_closed_forms(void **state)
{
    const double x = 0.8, w = 2;
    const struct {
        const char *text;
        double      d1, d2;
    } cases[] = {
        { "x", 1, 0 },
        { "3", 0, 0 },
        { "y", 0, 0 },
        { "x^2", 2 * x, 2 },
        { "x^3", 3 * x * x, 6 * x },
        { "x^-2", -2 / (x * x * x), 6 / (x * x * x * x) },
        { "sin(w*x)", w * cos(w * x), -w * w * sin(w * x) },
        { "cos(w*x)", -w * sin(w * x), -w * w * cos(w * x) },
        { "tan(x)", 1 / (cos(x) * cos(x)), 2 * tan(x) / (cos(x) * cos(x)) },
        { "sinh(x)", cosh(x), sinh(x) },
        { "cosh(x)", sinh(x), cosh(x) },
        { "tanh(x)", 1 / (cosh(x) * cosh(x)), -2 * tanh(x) / (cosh(x) * cosh(x)) },
        { "asin(x)", 1 / 0.6, 0.8 / (0.6 * 0.6 * 0.6) }, /* 0.8^2 + 0.6^2 = 1 */
        { "acos(x)", -1 / 0.6, -0.8 / (0.6 * 0.6 * 0.6) },
        { "atan(x)", 1 / 1.64, -1.6 / (1.64 * 1.64) },
        { "atan2(x, 1)", 1 / 1.64, -1.6 / (1.64 * 1.64) },
        { "atan2(1, x)", -1 / 1.64, 1.6 / (1.64 * 1.64) },
        { "sqrt(x)", 0.5 / sqrt(x), -0.25 / (x * sqrt(x)) },
        { "exp(-x)", -exp(-x), exp(-x) },
        { "1/x", -1 / (x * x), 2 / (x * x * x) },
        { "log(x)", 1 / x, -1 / (x * x) },
        { "2^x", pow(2, x) * log(2), pow(2, x) * log(2) * log(2) },
        { "x^x", pow(x, x) * (log(x) + 1), pow(x, x) * ((log(x) + 1) * (log(x) + 1) + 1 / x) },
        { "sqrt(x^2)", 1, 0 },
        { "abs(-x*x)", 2 * x, 2 },
        { "atan2(sin(x), cos(x))", 1, 0 },
        { "sin(x)^2 + cos(x)^2", 0, 0 },
        { "exp(log(x))", 1, 0 },
        { "asin(sin(x))", 1, 0 },
        { "acos(cos(x))", 1, 0 },
        { "atan(tan(x))", 1, 0 },
        { "cosh(x)^2 - sinh(x)^2", 0, 0 },
        { "tanh(x) - sinh(x)/cosh(x)", 0, 0 },
    };

    for (int i = 0; i < SAL_COUNT(cases); i++) {
        double d1, d2;

        derivatives_at(state, cases[i].text, x, 3, &d1, &d2);
        assert_close(cases[i].text, d1, cases[i].d1, 1e-14);
        assert_close(cases[i].text, d2, cases[i].d2, 1e-14);
    }
}

/* u = y sin(w t) + t^3: u, u', u'' and their derivatives with respect to the parameters y and w. */
static void test_time_derivative(void **state)
{
    const double t = 0.7, y = 1.3, w = 2.1, z[SLOTS] = { t, 0, y, w }, s = sin(w * t), c = cos(w * t);
    const double expected[3] = { y * s + t * t * t, y * w * c + 3 * t * t, -y * w * w * s + 6 * t };
    const double by_y[3]     = { s, w * c, -w * w * s };
    const double by_w[3]     = { y * t * c, y * (c - w * t * s), -y * (2 * w * s + w * w * t * c) };
    sal_program  p           = compile(state, "y*sin(w*t) + t^3");

    for (int i = 0; i < 3; i++) {
        assert_close("u", evaluate(&p, z), expected[i], 1e-15);
        assert_close("by y", gradient_of(&p, SLOT_Y), by_y[i], 1e-15);
        assert_close("by w", gradient_of(&p, SLOT_W), by_w[i], 1e-15);
        p = differentiate(state, &p, in_time, NULL);
    }
}

/* A function of another function of time, x: the derivatives read x' and x''. */
static void test_time_derivative_of_function(void **state)
{
    const double        x = 0.6, v = 1.7, a = -0.8, t = 0.5, y = 3;
    const double        z[SLOTS] = { t, x, y, 2 }, zd[SLOTS] = { 9, v, 9, 9 }, zdd[SLOTS] = { 9, a, 9, 9 };
    const double *const source[SAL_SRC_COUNT] = { z, zd, zdd };
    sal_program         p                     = compile(state, "y*sin(x) + t*x"), p1, p2;

    p1 = differentiate(state, &p, in_time, NULL);
    p2 = differentiate(state, &p1, in_time, NULL);
    assert_int_equal(p1.reads, 1u << SAL_SRC_Z | 1u << SAL_SRC_ZD);
    assert_int_equal(p2.reads, 1u << SAL_SRC_Z | 1u << SAL_SRC_ZD | 1u << SAL_SRC_ZDD);
    assert_close("first", sal_program_value(&p1, source, value), y * cos(x) * v + x + t * v, 1e-15);
    assert_close("second", sal_program_value(&p2, source, value), y * (cos(x) * a - sin(x) * v * v) + 2 * v + t * a,
                 1e-15);
    p = differentiate(state, &p, in_time, NULL);
    assert_int_equal(sal_program_differentiate(&((fixture *)*state)->pool, &p, in_time, NULL, &p),
                     SAL_OK); /* in place */
    assert_int_equal(p.n, p2.n);
}

/* What is zero is not there. */
static void test_derivative_size(void **state)
{
    const struct {
        const char *text;
        int         nodes;
    } cases[] = {
        { "3", 1 },       { "y", 1 },           { "x", 1 },          { "x + y*w", 1 },
        { "-x", 1 },      { "2*x", 1 },         { "x*y", 1 },        { "x/y", 3 },
        { "x^0", 1 },     { "x^1", 1 },         { "x^2", 3 },        { "x^3", 5 },
        { "sin(x)", 2 },  { "exp(x)", 2 },      { "x < y", 1 },      { "step(x) + sign(x)", 1 },
        { "sqrt(y)", 1 }, { "atan2(y, w)", 1 }, { "y^w + w^2", 1 },  { "if(x, x + 1, x - 1)", 1 },
        { "abs(y)", 1 },  { "max(y, w)", 1 },   { "not x or y", 1 }, { "y/w", 1 },
    };

    for (int i = 0; i < SAL_COUNT(cases); i++) {
        sal_program p = compile(state, cases[i].text), p1 = differentiate_by(state, &p, SLOT_X);

        if (p1.n != cases[i].nodes) fail_msg("'%s': %d nodes, expected %d", cases[i].text, p1.n, cases[i].nodes);
    }
}

static void test_powers_at_zero(void **state)
{
    const struct {
        const char *text;
        double      x, d1, d2;
    } cases[] = {
        { "x^0", 0, 0, 0 },
        { "x^1", 0, 1, 0 },
        { "x^2", 0, 0, 2 },
        { "x^3", 0, 0, 0 },
        { "x^4", 0, 0, 0 },
        { "x^2.5", 0, 0, 0 },
        { "x^1.5", 0, 0, INFINITY },
        { "x^0.5", 0, INFINITY, -INFINITY },
        { "sqrt(x)", 0, INFINITY, -INFINITY },
        { "x^-1", 0, -INFINITY, INFINITY },
        { "x^w", 0, 0, 2 },
        { "x^w", -3, -6, 2 },
        { "x^1", -2, 1, 0 },
        { "x^2", -2, -4, 2 },
        { "x^3", -2, 12, -12 },
        { "x^4", -2, -32, 48 },
        { "x^-1", -2, -0.25, -0.25 },
    };

    for (int i = 0; i < SAL_COUNT(cases); i++) {
        double d1, d2;

        derivatives_at(state, cases[i].text, cases[i].x, 0, &d1, &d2);
        assert_close(cases[i].text, d1, cases[i].d1, 1e-15);
        assert_close(cases[i].text, d2, cases[i].d2, 1e-15);
        assert_close(cases[i].text, slope_at(state, cases[i].text, cases[i].x, 0, SLOT_X), cases[i].d1, 1e-15);
    }
    assert_true(isnan(slope_at(state, "x^w", -3, 0, SLOT_W))); /* with respect to the exponent only */
    assert_true(isnan(slope_at(state, "x^w", 0, 0, SLOT_W)));
    assert_close("x^w", slope_at(state, "x^w", 3, 0, SLOT_W), 9 * log(3), 1e-14);
}

/* x^y at x = 0 where y, not a constant, comes to be a low power. */
static void test_variable_powers_at_zero(void **state)
{
    static const double expected[][2] = { { 0, 0 }, { 1, 0 }, { 0, 2 }, { 0, 0 }, { 0, 0 } };

    for (int i = 0; i < SAL_COUNT(expected); i++) {
        double d1, d2;

        derivatives_at(state, "x^y", 0, i, &d1, &d2);
        assert_close("first", d1, expected[i][0], 0);
        assert_close("second", d2, expected[i][1], 0);
    }
    for (int i = 0; i <= 3; i++) { /* d/dy of y x^(y-1), also where y is 0 */
        const double z[SLOTS] = { 0.5, 3, i, 2 };
        sal_program  p = compile(state, "x^y"), p1 = differentiate_by(state, &p, SLOT_X);

        evaluate(&p1, z);
        assert_close("mixed", gradient_of(&p1, SLOT_Y), pow(3, i - 1) * (1 + i * log(3)), 1e-14);
    }
}

static void test_steep(void **state)
{
    double d1, d2;

    for (double x = 30; x < 1e5; x *= 10) { /* far beyond where cosh overflows */
        derivatives_at(state, "tanh(x)", x, 0, &d1, &d2);
        assert_close("tanh", d1, 0, 1e-15);
        assert_close("tanh", d2, 0, 1e-15);
    }
    assert_close("tanh", slope_at(state, "tanh(x)", 30, 0, SLOT_X) * exp(60) / 4, 1, 1e-12);
    assert_true(slope_at(state, "tanh(x)", 1000, 0, SLOT_X) == 0);
    assert_close("asin", slope_at(state, "asin(x)", 1 - 0x1p-40, 0, SLOT_X) / sqrt(1 / (0x1p-40 * (2 - 0x1p-40))), 1,
                 1e-15);
    assert_close("atan2", slope_at(state, "atan2(x, y)", 1e200, 1e200, SLOT_X) * 2e200, 1, 1e-15);
}

/* ------------------------------------------------------------------------------ kinks and branches */

static void test_kinks(void **state)
{
    const struct {
        const char *text;
        double      x, y, dx, dy;
    } cases[] = {
        { "abs(x)", -2, 0, -1, 0 },        { "abs(x)", 2, 0, 1, 0 },      { "abs(x)", 0, 0, 1, 0 },
        { "min(x, y)", 1, 2, 1, 0 },       { "min(x, y)", 2, 1, 0, 1 },   { "min(x, y)", 1, 1, 1, 0 },
        { "max(x, y)", 1, 2, 0, 1 },       { "max(x, y)", 2, 1, 1, 0 },   { "max(x, y)", 1, 1, 1, 0 },
        { "sign(x)", 0, 0, 0, 0 },         { "sign(x)*x", -3, 0, -1, 0 }, { "step(x)", 0, 0, 0, 0 },
        { "step(x)*y", 0, 5, 0, 1 },       { "x < y", 1, 1, 0, 0 },       { "if(x <= 0, 2*x, 3*x)", 0, 0, 2, 0 },
        { "if(x, 2*y, 3*y)", 0, 1, 0, 3 }, { "x and y", 1, 1, 0, 0 },     { "not x", 1, 1, 0, 0 },
    };
    double d1, d2;

    for (int i = 0; i < SAL_COUNT(cases); i++) {
        assert_close(cases[i].text, slope_at(state, cases[i].text, cases[i].x, cases[i].y, SLOT_X), cases[i].dx, 0);
        assert_close(cases[i].text, slope_at(state, cases[i].text, cases[i].x, cases[i].y, SLOT_Y), cases[i].dy, 0);
        derivatives_at(state, cases[i].text, cases[i].x, cases[i].y, &d1, &d2);
        assert_close(cases[i].text, d1, cases[i].dx, 0);
        assert_close(cases[i].text, d2, 0, 0);
    }
}

/* A branch that was not taken does no harm, however wild its value and derivatives are. */
static void test_unselected_branches(void **state)
{
    static const char *const texts[] = {
        "if(x > 0, sqrt(x), 2*x)",     "if(x > 0, log(x)/x, 2*x)", "if(x <= 0, 2*x, x^-2)",
        "min(2*x, 1 + sqrt(abs(x)))",  "max(2*x, log(x^2))",       "if(x > 0, 1/x, 2*x) + step(sqrt(x) + 1)*0",
        "2*x + (1/x > 3) - (1/x > 3)", "2*x + sign(sqrt(x))",
    };

    for (int i = 0; i < SAL_COUNT(texts); i++) {
        double d1, d2;

        assert_close(texts[i], slope_at(state, texts[i], 0, 0, SLOT_X), 2, 0);
        derivatives_at(state, texts[i], 0, 0, &d1, &d2);
        assert_close(texts[i], d1, 2, 0);
        assert_close(texts[i], d2, 0, 0);
    }
    assert_close("flat", slope_at(state, "sqrt(step(x))", -1, 0, SLOT_X), 0, 0); /* no 0 * infinity behind a step */
}

/* Steep functions of what is constant in the branch taken; in passing through 0 a derivative is not constant. */
static void test_still_branches(void **state)
{
    const struct {
        const char *text;
        double      x, d1, d2;
    } cases[] = {
        { "sqrt(max(x, 0))", -1, 0, 0 },
        { "sqrt(max(x, 0))", 4, 0.25, -0.03125 },
        { "sqrt(max(0, x, x - 1))", -1, 0, 0 },
        { "max(x, 0)^1.5", -1, 0, 0 },
        { "max(x, 0)^0.5 + x*x", -1, -2, 2 },
        { "max(x, 0)^max(x, 0)", -1, 0, 0 },
        { "sqrt(min(max(x, 0), 1) + y*max(x, 0))", -1, 0, 0 },
        { "asin(min(x, 1))", 2, 0, 0 },
        { "sqrt(step(x)*max(x, 0))", -1, 0, 0 },
        { "sqrt(if(x < 0, y, x))", -1, 0, 0 },
        { "atan2(max(x, 0), max(x, 0)*2)", -1, 0, 0 },
        { "sqrt(sqrt(max(x, 0)))", -1, 0, 0 },
        { "x*x*sqrt(max(x, 0))", -2, 0, 0 },
        { "sin(x*x)", 0, 0, 2 },
        { "exp(max(x*x, -1))", 0, 0, 2 },
        { "(1 + max(x^2, -1))^1.5", 0, 0, 3 },
    };

    for (int i = 0; i < SAL_COUNT(cases); i++) {
        double d1, d2;

        derivatives_at(state, cases[i].text, cases[i].x, 0, &d1, &d2);
        assert_close(cases[i].text, d1, cases[i].d1, 1e-15);
        assert_close(cases[i].text, d2, cases[i].d2, 1e-15);
        assert_close(cases[i].text, slope_at(state, cases[i].text, cases[i].x, 0, SLOT_X), cases[i].d1, 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_gradient),
        TEST(test_derivative),
        TEST(test_second_derivative),
        TEST(test_derivative_closed_forms),
        TEST(test_time_derivative),
        TEST(test_time_derivative_of_function),
        TEST(test_derivative_size),
        TEST(test_powers_at_zero),
        TEST(test_variable_powers_at_zero),
        TEST(test_steep),
        TEST(test_kinks),
        TEST(test_unselected_branches),
        TEST(test_still_branches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
