/* sample.h - points in the unit cube, and distributions to draw from with them.
 *
 * Everything is a function of the seed: the same on every machine, and for random points and those of Sobol' the same
 * for the first cases however many follow. */
#ifndef SAL_TOOLS_SWEEP_SAMPLE_H
#define SAL_TOOLS_SWEEP_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

enum { SOBOL_DIMENSIONS = 100 };

typedef enum sample_method { SAMPLE_RANDOM, SAMPLE_LATIN, SAMPLE_SOBOL } sample_method;

/* Coordinate `dimension` of all n points into u[0], u[stride], ...: each in (0, 1). False: out of memory. */
bool sample_column(sample_method method, uint64_t seed, int dimension, long n, double *u, long stride);

/* sobol.c: the direction numbers of a dimension from 0 on, and a coordinate as a fraction of 2^32. */
void     sobol_vectors(int dimension, uint32_t v[32]);
uint32_t sobol_point(const uint32_t v[32], uint32_t index);

typedef enum distribution_kind { UNIFORM, NORMAL, LOGNORMAL } distribution_kind;

/* uniform(a, b); normal(mean a, standard deviation b); lognormal(a, b): exp of normal(a, b). */
typedef struct distribution {
    distribution_kind kind;
    double            a, b;
} distribution;

double distribution_value(distribution d, double u); /* the inverse of its distribution function, 0 < u < 1 */
double distribution_mean(distribution d);
double distribution_deviation(distribution d);

double normal_inverse(double u); /* of the normal distribution function */

#endif
