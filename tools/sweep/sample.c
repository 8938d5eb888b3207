/* sample.c - random points, Latin hypercubes, shifted Sobol' points, and distributions by inversion. */
#include "tools/sweep/sample.h"

#include <math.h>
#include <stdlib.h>

/* splitmix64 (Steele, Lea, Flood 2014): a function of a counter, so that every number can be had by itself. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Number k of a stream; streams of other seeds, dimensions and uses begin elsewhere. */
static uint64_t bits_at(uint64_t seed, int dimension, int use, uint64_t k)
{
    const uint64_t stream = mix(mix(seed + 0x9e3779b97f4a7c15u) + 2u * (uint64_t)dimension + (uint64_t)use);

    return mix(stream + (k + 1) * 0x9e3779b97f4a7c15u);
}

/* In (0, 1): 53 bits and a half. */
static double fraction(uint64_t bits)
{
    return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

static bool latin(uint64_t seed, int dimension, long n, double *u, long stride)
{
    long *order = malloc((size_t)n * sizeof *order);

    if (!order) return false;
    for (long k = 0; k < n; k++) order[k] = k;
    for (long k = n - 1; k > 0; k--) { /* Fisher and Yates; n is far below 2^64, the bias beyond notice */
        const long other = (long)(bits_at(seed, dimension, 1, (uint64_t)k) % (uint64_t)(k + 1)), kept = order[k];
        order[k]     = order[other];
        order[other] = kept;
    }
    for (long k = 0; k < n; k++)
        u[k * stride] = ((double)order[k] + fraction(bits_at(seed, dimension, 0, (uint64_t)k))) / (double)n;
    free(order);
    return true;
}

/* A digital shift keeps the points a net, and none of them at 0. */
static void sobol(uint64_t seed, int dimension, long n, double *u, long stride)
{
    const uint64_t shift = bits_at(seed, dimension, 0, 0);
    uint32_t       v[32];

    sobol_vectors(dimension, v);
    for (long k = 0; k < n; k++) u[k * stride] = fraction((uint64_t)sobol_point(v, (uint32_t)k) << 32 ^ shift);
}

bool sample_column(sample_method method, uint64_t seed, int dimension, long n, double *u, long stride)
{
    if (method == SAMPLE_LATIN) return latin(seed, dimension, n, u, stride);
    if (method == SAMPLE_SOBOL) sobol(seed, dimension, n, u, stride);
    for (long k = 0; k < n && method == SAMPLE_RANDOM; k++)
        u[k * stride] = fraction(bits_at(seed, dimension, 0, (uint64_t)k));
    return true;
}

/* ------------------------------------------------------------------------------------ distributions */

/* A rational approximation in the middle and one for the tails (P. J. Acklam, relative error 1.2e-9), then a step of
 * Halley's method with erfc, which leaves rounding. */
double normal_inverse(double u)
{
    static const double a[] = { -3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                                1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00 };
    static const double b[] = { -5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
                                6.680131188771972e+01,  -1.328068155288572e+01, 1.0 };
    static const double c[] = { -7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                                -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00 };
    static const double d[] = { 7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                                3.754408661907416e+00, 1.0 };
    const double        low = 0.02425, tail = fmin(u, 1.0 - u), from = tail < low ? sqrt(-2.0 * log(tail)) : u - 0.5;
    const double       *top = tail < low ? c : a, *bottom = tail < low ? d : b, at = tail < low ? from : from * from;
    double              num = 0.0, den = 0.0, x, off;

    for (int k = 0; k < 6; k++) num = num * at + top[k];
    for (int k = 0; k < (tail < low ? 5 : 6); k++) den = den * at + bottom[k];
    x = tail < low ? num / den : num * from / den;
    if (tail < low && u > 0.5) x = -x;
    off = u > 0.5 ? (1.0 - u) - 0.5 * erfc(x * M_SQRT1_2) : 0.5 * erfc(-x * M_SQRT1_2) - u;
    off *= sqrt(2.0 * M_PI) * exp(0.5 * x * x);
    return x - off / (1.0 + 0.5 * x * off);
}

double distribution_value(distribution d, double u)
{
    if (d.kind == UNIFORM) return d.a + (d.b - d.a) * u;
    return d.kind == NORMAL ? d.a + d.b * normal_inverse(u) : exp(d.a + d.b * normal_inverse(u));
}

double distribution_mean(distribution d)
{
    if (d.kind == UNIFORM) return 0.5 * d.a + 0.5 * d.b;
    return d.kind == NORMAL ? d.a : exp(d.a + 0.5 * d.b * d.b);
}

double distribution_deviation(distribution d)
{
    if (d.kind == UNIFORM) return (d.b - d.a) / sqrt(12.0);
    return d.kind == NORMAL ? d.b : distribution_mean(d) * sqrt(expm1(d.b * d.b));
}
