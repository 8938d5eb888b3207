/* test_roots.c - roots of polynomials in Bernstein form, and polynomials from samples. */
#include "tests/support.h"

enum { DEGREE = SAL_ROOTS_DEGREE };

/* --------------------------------------------------------------------------------------- helpers */

static double binomial(int n, int k)
{
    double b = 1.0;

    for (int i = 0; i < k; i++) b = b * (n - i) / (i + 1);
    return b;
}

/* c * prod (x - root), as Bernstein coefficients: in the basis without binomials, times ((1 - r) x - r (1 - x)). */
static void from_roots(double c, const double *root, int degree, double *b)
{
    long double a[DEGREE + 2] = { c };

    for (int i = 0; i < degree; i++) {
        for (int k = i + 1; k >= 0; k--)
            a[k] = (k ? a[k - 1] * (1.0L - root[i]) : 0.0L) - (k <= i ? a[k] * root[i] : 0.0L);
    }
    for (int k = 0; k <= degree; k++) b[k] = (double)(a[k] / binomial(degree, k));
}

static void assert_root(sal_root root, double x, int before, int after, double tolerance)
{
    assert_near(root.x, x, tolerance);
    assert_int_equal(root.before, before);
    assert_int_equal(root.after, after);
}

/* ----------------------------------------------------------------------------------------- roots */

static void few_roots(void **state)
{
    static const double three[] = { 0.1, 0.45, 0.85 }, outside[] = { -0.5, 1.2, 3.0 }, mixed[] = { -1, 0.3, 0.7, 2 };
    double              b[DEGREE + 1];
    sal_root            r[SAL_ROOTS_MAX];

    (void)state;
    from_roots(1.0, outside, 3, b);
    assert_int_equal(sal_roots_find(b, 3, 1e-14, r), 0);
    assert_int_equal(sal_roots_find((const double[]){ 2.0 }, 0, 1e-14, r), 0);
    assert_int_equal(sal_roots_find((const double[]){ 1.0, 0.1, 1.0 }, 2, 1e-14, r), 0); /* comes near, stays above */
    assert_int_equal(sal_roots_find((const double[]){ -1.0, 3.0 }, 1, 1e-14, r), 1);
    assert_root(r[0], 0.25, -1, 1, 1e-15);
    from_roots(-2.0, mixed, 4, b);
    assert_int_equal(sal_roots_find(b, 4, 1e-14, r), 2);
    assert_root(r[0], 0.3, 1, -1, 1e-15); /* -2 (x+1)(x-.3)(x-.7)(x-2) is positive at 0.29... */
    assert_root(r[1], 0.7, -1, 1, 1e-15);
    from_roots(1.0, three, 3, b);
    assert_int_equal(sal_roots_find(b, 3, 1e-14, r), 3);
    for (int k = 0; k < 3; k++) assert_root(r[k], three[k], k % 2 ? 1 : -1, k % 2 ? -1 : 1, 1e-15);
}

/* At places where the interval is halved the root lies on the border of two pieces: still one root. */
static void roots_where_it_is_halved(void **state)
{
    static const double at[] = { 0.5, 0.25, 0.75, 0.375, 0.015625 };
    double              b[DEGREE + 1];
    sal_root            r[SAL_ROOTS_MAX];

    (void)state;
    for (int k = 0; k < SAL_COUNT(at); k++) {
        for (int degree = 1; degree <= 7; degree++) {
            const double root[] = { at[k], -0.7, 1.4, 3.0, -2.0, 5.0, 1.9 };
            from_roots(1.0, root, degree, b);
            assert_int_equal(sal_roots_find(b, degree, 1e-14, r), 1);
            assert_near(r[0].x, at[k], 1e-13); /* a place of |p| <= tolerance rather than a crossing */
            assert_int_equal(r[0].before, -r[0].after);
            assert_int_not_equal(r[0].before, 0);
        }
    }
}

static void close_pairs(void **state)
{
    static const double gap[] = { 1e-2, 1e-4, 1e-6 };
    double              b[DEGREE + 1];
    sal_root            r[SAL_ROOTS_MAX];

    (void)state;
    for (int k = 0; k < SAL_COUNT(gap); k++) {
        const double root[] = { 0.3, 0.3 + gap[k], -1.0, 2.0 };
        from_roots(1.0, root, 4, b);
        /* between the roots |p| is gap^2/4 * 2.21: 5.5e-13 at 1e-6, and p has rounding errors of 1e-16: the roots
         * move by that over the slope 2.2 gap */
        assert_int_equal(sal_roots_find(b, 4, 1e-15, r), 2);
        assert_near(r[0].x, root[0], 1e-15 / gap[k]);
        assert_near(r[1].x, root[1], 1e-15 / gap[k]);
        assert_true(r[0].before == -1 && r[0].after == 1 && r[1].before == 1 && r[1].after == -1);
    }
    /* with a tolerance above it the pair is a touch */
    assert_int_equal(sal_roots_find(b, 4, 1e-11, r), 1);
    assert_root(r[0], 0.3 + 0.5e-6, -1, -1, 1e-6);
}

/* A double root is found once, with the same sign on both sides. Within the tolerance e it is a place sqrt(e) wide. */
static void touches(void **state)
{
    static const double at[] = { 0.3, 0.5, 0.123456 };
    double              b[DEGREE + 1];
    sal_root            r[SAL_ROOTS_MAX];

    (void)state;
    for (int k = 0; k < SAL_COUNT(at); k++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            const double root[] = { at[k], at[k], -1.0 };
            from_roots(sign, root, 3, b);
            assert_int_equal(sal_roots_find(b, 3, 1e-13, r), 1);
            assert_root(r[0], at[k], sign, sign, 1e-7);
        }
    }
    /* a triple root is a crossing, cbrt(e) wide */
    from_roots(1.0, (const double[]){ 0.4, 0.4, 0.4 }, 3, b);
    assert_int_equal(sal_roots_find(b, 3, 1e-13, r), 1);
    assert_root(r[0], 0.4, -1, 1, 1e-4);
    /* two touches and a crossing */
    from_roots(1.0, (const double[]){ 0.2, 0.2, 0.5, 0.7, 0.7 }, 5, b);
    assert_int_equal(sal_roots_find(b, 5, 1e-14, r), 3);
    assert_root(r[0], 0.2, -1, -1, 1e-6);
    assert_root(r[1], 0.5, -1, 1, 1e-12);
    assert_root(r[2], 0.7, 1, 1, 1e-6);
}

static void roots_at_the_ends(void **state)
{
    double   b[DEGREE + 1];
    sal_root r[SAL_ROOTS_MAX];

    (void)state;
    from_roots(1.0, (const double[]){ 0.0, -1.0 }, 2, b);
    assert_int_equal(sal_roots_find(b, 2, 1e-14, r), 1);
    assert_root(r[0], 0.0, 0, 1, 1e-12);
    from_roots(1.0, (const double[]){ 1.0, -1.0 }, 2, b);
    assert_int_equal(sal_roots_find(b, 2, 1e-14, r), 1);
    assert_root(r[0], 1.0, -1, 0, 1e-12);
    from_roots(1.0, (const double[]){ 0.0, 0.6, 1.0 }, 3, b);
    assert_int_equal(sal_roots_find(b, 3, 1e-14, r), 3);
    assert_root(r[0], 0.0, 0, 1, 1e-12);
    assert_root(r[1], 0.6, 1, -1, 1e-15);
    assert_root(r[2], 1.0, -1, 0, 1e-12);
    from_roots(1.0, (const double[]){ 1.0, 1.0 }, 2, b); /* touches the end */
    assert_int_equal(sal_roots_find(b, 2, 1e-14, r), 1);
    assert_root(r[0], 1.0, 1, 0, 1e-6);
}

static void zero_everywhere(void **state)
{
    double   b[DEGREE + 1] = { 0 };
    sal_root r[SAL_ROOTS_MAX];

    (void)state;
    for (int degree = 0; degree <= DEGREE; degree++) {
        assert_int_equal(sal_roots_find(b, degree, 1e-14, r), 0);
        assert_int_equal(sal_roots_find(b, degree, 0.0, r), 0);
    }
    for (int k = 0; k <= 7; k++) b[k] = k % 2 ? 1e-15 : -1e-15;
    assert_int_equal(sal_roots_find(b, 7, 1e-14, r), 0);
}

/* The tolerance may be zero: it ends all the same. */
static void no_tolerance(void **state)
{
    double   b[DEGREE + 1];
    sal_root r[SAL_ROOTS_MAX];

    (void)state;
    from_roots(1.0, (const double[]){ 0.5, 0.5, 0.3 }, 3, b);
    assert_true(sal_roots_find(b, 3, 0.0, r) <= 4);
    from_roots(1.0, (const double[]){ 0.5, 2.0 }, 2, b);
    assert_int_equal(sal_roots_find(b, 2, 0.0, r), 1);
    assert_root(r[0], 0.5, 1, -1, 1e-12);
}

static void deflation(void **state)
{
    static const double root[] = { 0.0, 0.2, 0.9, -0.5, 1.7 }, twice[] = { 0.0, 0.0, 0.4, 1.3 };
    double              b[DEGREE + 1], s[DEGREE + 1];
    sal_root            r[SAL_ROOTS_MAX];

    (void)state;
    from_roots(1.5, root, 5, b);
    from_roots(1.5, root + 1, 4, s);
    sal_roots_deflate(b, 5);
    for (int k = 0; k <= 4; k++) assert_near(b[k], s[k], 1e-15);
    assert_int_equal(sal_roots_find(b, 4, 1e-14, r), 2);
    assert_near(r[0].x, 0.2, 1e-15);
    assert_near(r[1].x, 0.9, 1e-15);
    from_roots(1.0, twice, 4, b);
    sal_roots_deflate(b, 4);
    sal_roots_deflate(b, 3);
    from_roots(1.0, twice + 2, 2, s);
    for (int k = 0; k <= 2; k++) assert_near(b[k], s[k], 1e-15);
}

/* A crossing that follows the known root at 0 after 1e-9 of the step is not lost. */
static void deflation_keeps_what_is_near(void **state)
{
    double   b[DEGREE + 1];
    sal_root r[SAL_ROOTS_MAX];

    (void)state;
    from_roots(1.0, (const double[]){ 0.0, 1e-9, -1.0, 2.0 }, 4, b);
    sal_roots_deflate(b, 4);
    assert_int_equal(sal_roots_find(b, 3, 1e-15, r), 1);
    assert_root(r[0], 1e-9, 1, -1, 1e-15);
}

/* Roots drawn at random, at least 0.02 apart, inside and outside; coefficients carry a rounding error each, so that
 * the roots of high degrees are known to fewer digits: |p'| is as small as the product of the distances to the
 * others. */
static void random_polynomials(void **state)
{
    static const double accuracy[] = { 0,     1e-15, 4e-15, 1e-14, 2e-14, 3e-14, 1e-13, 3e-13,
                                       4e-13, 1e-12, 1e-11, 2e-11, 1e-11, 1e-11, 1e-11 };
    uint64_t            seed       = 2024;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        const int degree = 1 + i % 14;
        double    root[16], inside[16], b[DEGREE + 1];
        int       n = 0, count, drawn = 0;
        sal_root  r[SAL_ROOTS_MAX];

        while (drawn < degree) {
            const double x    = 0.5 + 0.9 * random_number(&seed); /* -0.4 .. 1.4 */
            bool         free = fabs(x) > 0.02 && fabs(x - 1) > 0.02;
            for (int k = 0; k < drawn; k++) free = free && fabs(x - root[k]) > 0.02;
            if (free) root[drawn++] = x;
        }
        for (int k = 0; k < degree; k++) {
            int at = n;
            if (root[k] < 0 || root[k] > 1) continue;
            for (n++; at > 0 && inside[at - 1] > root[k]; at--) inside[at] = inside[at - 1];
            inside[at] = root[k];
        }
        from_roots(pow(4.0, degree), root, degree, b);
        count = sal_roots_find(b, degree, 1e-16, r);
        assert_int_equal(count, n);
        for (int k = 0; k < n; k++) {
            assert_near(r[k].x, inside[k], accuracy[degree]);
            assert_int_equal(r[k].before, -r[k].after);
            if (k) assert_int_equal(r[k].before, r[k - 1].after);
        }
    }
}

/* More crossings than a polynomial of the largest degree can have are never needed; all sixteen are found. */
static void largest_degree(void **state)
{
    double   root[DEGREE], b[DEGREE + 1];
    sal_root r[SAL_ROOTS_MAX];

    (void)state;
    for (int k = 0; k < DEGREE; k++) root[k] = 0.5 - 0.5 * cos(PI * (k + 0.5) / DEGREE); /* of Chebyshev's polynomial */
    from_roots(pow(2.0, 31), root, DEGREE, b);
    assert_int_equal(sal_roots_find(b, DEGREE, 1e-12, r), DEGREE);
    for (int k = 0; k < DEGREE; k++) assert_near(r[k].x, root[k], 1e-10);
}

/* ----------------------------------------------------------------------------------------- values */

static void values(void **state)
{
    static const double root[] = { 0.2, -0.4, 1.3, 0.9 };
    double              b[DEGREE + 1];

    (void)state;
    from_roots(2.0, root, 4, b);
    for (double x = 0.0; x <= 1.0; x += 0.0625) {
        double p = 2.0;
        for (int k = 0; k < 4; k++) p *= x - root[k];
        assert_near(sal_roots_value(b, 4, x), p, 1e-15);
    }
    assert_true(sal_roots_value(b, 4, 0.0) == b[0]);
    assert_near(sal_roots_value(b, 4, 1.0), b[4], 1e-15);
}

/* ------------------------------------------------------------------------------------------- fit */

/* Exact for polynomials of its degree, up to the rounding of samples and matrix times the condition of the map from
 * samples to coefficients. Reached, for coefficients in [-1, 1]: 9e-16 at degree 4, 6e-15 at 7, 9e-13 at 14; for
 * values of the polynomial 7e-16, 1.2e-15, 9e-14. */
static void fit_is_exact(void **state)
{
    static const struct {
        int    degree;
        double coefficients, values;
    } cases[]     = { { 4, 3e-15, 2e-15 }, { 7, 2e-14, 4e-15 }, { 14, 3e-12, 3e-13 } };
    uint64_t seed = 7;

    (void)state;
    for (int i = 0; i < SAL_COUNT(cases); i++) {
        const int degree = cases[i].degree;
        sal_fit   fit;
        double    worst[2] = { 0 };

        sal_fit_init(&fit, degree);
        assert_true(fit.node[0] == 0.0 && fit.node[degree] == 1.0);
        for (int trial = 0; trial < 200; trial++) {
            double b[DEGREE + 1], sample[DEGREE + 1], found[DEGREE + 1];
            for (int k = 0; k <= degree; k++) b[k] = random_number(&seed);
            for (int k = 0; k <= degree; k++) sample[k] = sal_roots_value(b, degree, fit.node[k]);
            sal_fit_coefficients(&fit, sample, found);
            for (int k = 0; k <= degree; k++) worst[0] = fmax(worst[0], fabs(found[k] - b[k]));
            for (double x = 0.0; x <= 1.0; x += 0.01)
                worst[1] = fmax(worst[1], fabs(sal_roots_value(found, degree, x) - sal_roots_value(b, degree, x)));
        }
        assert_near(worst[0], 0.0, cases[i].coefficients);
        assert_near(worst[1], 0.0, cases[i].values);
    }
}

/* Of lower degree: the same polynomial, raised. */
static void fit_raises_the_degree(void **state)
{
    sal_fit fit;
    double  sample[DEGREE + 1], b[DEGREE + 1];

    (void)state;
    sal_fit_init(&fit, 7);
    for (int k = 0; k <= 7; k++) sample[k] = 3.0 * fit.node[k] - 1.0;
    sal_fit_coefficients(&fit, sample, b);
    for (int k = 0; k <= 7; k++) assert_near(b[k], 3.0 * k / 7 - 1.0, 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_roots),
        cmocka_unit_test(roots_where_it_is_halved),
        cmocka_unit_test(close_pairs),
        cmocka_unit_test(touches),
        cmocka_unit_test(roots_at_the_ends),
        cmocka_unit_test(zero_everywhere),
        cmocka_unit_test(no_tolerance),
        cmocka_unit_test(deflation),
        cmocka_unit_test(deflation_keeps_what_is_near),
        cmocka_unit_test(random_polynomials),
        cmocka_unit_test(largest_degree),
        cmocka_unit_test(values),
        cmocka_unit_test(fit_is_exact),
        cmocka_unit_test(fit_raises_the_degree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
