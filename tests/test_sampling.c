/* test_sampling.c - points and distributions of sweeps, and the checksum of their files. */
#include <math.h>
#include <string.h>

#include "tests/asserts.h"
#include "tools/sweep/npz.h"
#include "tools/sweep/sample.h"

enum { MOST = 1 << 14 };

static double u[8][MOST];

/* How many of n numbers lie in each of so many equal intervals of (0, 1): the same in all. */
static void assert_even(const double *x, int n, int intervals)
{
    static int count[MOST];

    memset(count, 0, sizeof count);
    for (int k = 0; k < n; k++) {
        assert_true(x[k] > 0.0 && x[k] < 1.0);
        count[(int)(x[k] * intervals)]++;
    }
    for (int k = 0; k < intervals; k++) assert_int_equal(count[k], n / intervals);
}

/* As printed in the literature, before any shift: the first dimensions of Joe and Kuo. */
static void sobol_begins_as_published(void **state)
{
    static const double first[5][5] = { { 0.0, 0.0, 0.0, 0.0, 0.0 },
                                        { 0.5, 0.5, 0.5, 0.5, 0.5 },
                                        { 0.75, 0.25, 0.25, 0.25, 0.75 },
                                        { 0.25, 0.75, 0.75, 0.75, 0.25 },
                                        { 0.375, 0.375, 0.625, 0.875, 0.375 } };
    uint32_t            v[32];
    (void)state;

    for (int d = 0; d < 5; d++) {
        sobol_vectors(d, v);
        for (uint32_t k = 0; k < 5; k++) assert_true(sobol_point(v, k) * 0x1p-32 == first[k][d]);
    }
}

/* Every dimension alone, with and without the shift: one point in each of 2^k intervals. */
static void sobol_is_even_in_each_dimension(void **state)
{
    (void)state;
    for (int d = 0; d < SOBOL_DIMENSIONS; d++) {
        for (int k = 1; k <= 10; k++) {
            assert_true(sample_column(SAMPLE_SOBOL, 7, d, 1 << k, u[0], 1));
            assert_even(u[0], 1 << k, 1 << k);
        }
    }
}

/* The first two dimensions are a net with t = 0: one of 2^10 points in each box of 2^-i by 2^-(10 - i). */
static void sobol_is_a_net(void **state)
{
    static double box[1 << 10];
    const int     n = 1 << 10;
    (void)state;

    for (int d = 0; d < 2; d++) assert_true(sample_column(SAMPLE_SOBOL, 3, d, n, u[d], 1));
    for (int i = 0; i <= 10; i++) {
        for (int k = 0; k < n; k++)
            box[k] = (floor(ldexp(u[0][k], i)) * ldexp(1.0, 10 - i) + floor(ldexp(u[1][k], 10 - i)) + 0.5) / n;
        assert_even(box, n, n);
    }
}

static void latin_has_one_in_each_stratum(void **state)
{
    (void)state;
    for (int n = 1; n <= 1000; n = 3 * n + 1) {
        double sum = 0.0;
        for (int d = 0; d < 2; d++) {
            assert_true(sample_column(SAMPLE_LATIN, 11, d, n, u[d], 1));
            assert_even(u[d], n, n);
        }
        for (int k = 0; k < n; k++) sum += 12.0 * (u[0][k] - 0.5) * (u[1][k] - 0.5) / n;
        if (n > 100) assert_true(fabs(sum) < 4.0 / sqrt(n)); /* the dimensions have orders of their own */
    }
}

/* Mean, variance, and correlation from number to number and from dimension to dimension, within 4 deviations. */
static void random_is_random(void **state)
{
    const int    n     = MOST;
    const double noise = 4.0 / sqrt(n);
    double       mean = 0.0, square = 0.0, next = 0.0, across = 0.0;
    (void)state;

    for (int d = 0; d < 2; d++) assert_true(sample_column(SAMPLE_RANDOM, 1, d, n, u[d], 1));
    for (int k = 0; k < n; k++) {
        const double x = u[0][k] - 0.5;
        mean += x / n;
        square += 12.0 * x * x / n;
        across += 12.0 * x * (u[1][k] - 0.5) / n;
        if (k) next += 12.0 * x * (u[0][k - 1] - 0.5) / n;
    }
    assert_true(fabs(mean) < noise * sqrt(1.0 / 12.0));
    assert_true(fabs(square - 1.0) < noise * sqrt(0.8));
    assert_true(fabs(next) < noise && fabs(across) < noise);
}

/* More cases leave the first ones as they are; another seed does not. */
static void samples_are_functions_of_the_seed(void **state)
{
    static const sample_method methods[] = { SAMPLE_RANDOM, SAMPLE_SOBOL };
    (void)state;

    for (int m = 0; m < 2; m++) {
        assert_true(sample_column(methods[m], 5, 2, 100, u[0], 1));
        assert_true(sample_column(methods[m], 5, 2, 300, u[1], 1));
        assert_memory_equal(u[0], u[1], 100 * sizeof(double));
        assert_true(sample_column(methods[m], 6, 2, 100, u[1], 1));
        assert_true(memcmp(u[0], u[1], 100 * sizeof(double)) != 0);
    }
    assert_true(sample_column(SAMPLE_LATIN, 5, 2, 100, u[0], 1));
    assert_true(sample_column(SAMPLE_LATIN, 5, 2, 100, u[1], 1));
    assert_memory_equal(u[0], u[1], 100 * sizeof(double));
}

static void normal_is_inverted(void **state)
{
    (void)state;
    assert_true(fabs(normal_inverse(0.975) - 1.959963984540054) < 1e-15 * 4);
    assert_true(normal_inverse(0.5) == 0.0);
    for (double p = 1e-300; p < 0.5; p *= 1.37) {
        const double x = normal_inverse(p);
        assert_true(fabs(0.5 * erfc(-x * M_SQRT1_2) / p - 1.0) < 1e-15 * (4.0 + 4.0 * x * x)); /* p's own condition */
        if (p > 1e-10) assert_true(fabs(normal_inverse(1.0 - p) + x) < 1e-15 / p + 1e-14);
    }
}

/* Means and deviations as told are those of the numbers drawn: 2^14 points of Sobol', one in each of n strata, all at
 * the same place in it: the mean of a uniform one is off by half a stratum at most, sqrt(12)/(2 n) deviations. */
static void moments_are_those_of_the_distribution(void **state)
{
    static const distribution of[] = { { UNIFORM, -1.0, 3.0 }, { NORMAL, 2.0, 0.3 }, { LOGNORMAL, 0.2, 0.4 } };
    const int                 n    = MOST;
    (void)state;

    for (int k = 0; k < 3; k++) {
        const double mean = distribution_mean(of[k]), deviation = distribution_deviation(of[k]);
        double       sum = 0.0, squares = 0.0;
        assert_true(sample_column(SAMPLE_SOBOL, 1, k, n, u[0], 1));
        for (int i = 0; i < n; i++) sum += distribution_value(of[k], u[0][i]) / n;
        for (int i = 0; i < n; i++) squares += pow(distribution_value(of[k], u[0][i]) - sum, 2.0) / n;
        assert_true(fabs(sum - mean) < 4.0 / n * deviation);
        assert_true(fabs(sqrt(squares) - deviation) < 2e-3 * deviation);
    }
}

/* What quasi-random points are for: the integral of a product over five dimensions, 1. */
static void sobol_integrates_better(void **state)
{
    double    off[2] = { -1.0, -1.0 };
    const int n      = 1 << 12;
    (void)state;

    for (int m = 0; m < 2; m++) {
        for (int d = 0; d < 5; d++) assert_true(sample_column(m ? SAMPLE_SOBOL : SAMPLE_RANDOM, 2, d, n, u[d], 1));
        for (int k = 0; k < n; k++) {
            double product = 1.0 / n;
            for (int d = 0; d < 5; d++) product *= 1.0 + (u[d][k] - 0.5) * 1.5;
            off[m] += product;
        }
    }
    assert_true(fabs(off[1]) < 1e-3 && fabs(off[0]) > 4.0 * fabs(off[1]));
}

static void checksum_is_that_of_zip(void **state)
{
    (void)state;
    assert_true(crc32_of(0, "123456789", 9) == 0xcbf43926u);
    assert_true(crc32_of(crc32_of(0, "1234", 4), "56789", 5) == 0xcbf43926u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sobol_begins_as_published),
        cmocka_unit_test(sobol_is_even_in_each_dimension),
        cmocka_unit_test(sobol_is_a_net),
        cmocka_unit_test(latin_has_one_in_each_stratum),
        cmocka_unit_test(random_is_random),
        cmocka_unit_test(samples_are_functions_of_the_seed),
        cmocka_unit_test(normal_is_inverted),
        cmocka_unit_test(moments_are_those_of_the_distribution),
        cmocka_unit_test(sobol_integrates_better),
        cmocka_unit_test(checksum_is_that_of_zip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
