/* random.h - numbers from a seed, the same on every machine: 64-bit integers (splitmix64), and doubles made of them by
 * + - * / sqrt alone, which IEEE 754 rounds in one way only. No function of the mathematical library is asked. */
#ifndef PROPERTY_RANDOM_H
#define PROPERTY_RANDOM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct dice {
    uint64_t state;
} dice;

typedef struct vec {
    double x, y;
} vec;

static inline uint64_t dice_next(dice *d)
{
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In [low, high); in steps of 2^-24 of the range: numbers that a reader can still look at. */
static inline double dice_between(dice *d, double low, double high)
{
    return low + (high - low) * ((double)(dice_next(d) >> 40) / 16777216.0);
}

/* 0, ..., n - 1 */
static inline int dice_choice(dice *d, int n)
{
    return (int)((dice_next(d) >> 33) % (uint64_t)n);
}

static inline bool dice_chance(dice *d, double part)
{
    return dice_between(d, 0.0, 1.0) < part;
}

/* Between 2^low and 2^high, every factor of two alike. */
static inline double dice_power(dice *d, int low, int high)
{
    const int    k = low + dice_choice(d, high - low);
    const double f = dice_between(d, 1.0, 2.0);

    return ldexp(f, k);
}

/* A unit vector in the right half plane: half of the tangent of half the angle is drawn. `wide` 1: all of it. */
static inline vec dice_direction(dice *d, double wide)
{
    const double t = dice_between(d, -wide, wide);

    return (vec){ (1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t) };
}

/* One number after the other. The order in which C evaluates arguments and members of a literal is not fixed: a draw
 * stands alone in its expression, or a seed means one scene here and another there. */
static inline vec dice_vec(dice *d, double xlow, double xhigh, double ylow, double yhigh)
{
    const double x = dice_between(d, xlow, xhigh), y = dice_between(d, ylow, yhigh);

    return (vec){ x, y };
}

static inline vec vec_add(vec a, vec b)
{
    return (vec){ a.x + b.x, a.y + b.y };
}

static inline vec vec_minus(vec a, vec b)
{
    return (vec){ a.x - b.x, a.y - b.y };
}

static inline vec vec_times(double f, vec a)
{
    return (vec){ f * a.x, f * a.y };
}

/* a turned by the unit vector u */
static inline vec vec_turn(vec u, vec a)
{
    return (vec){ u.x * a.x - u.y * a.y, u.y * a.x + u.x * a.y };
}

static inline double vec_dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y;
}

static inline double vec_cross(vec a, vec b)
{
    return a.x * b.y - a.y * b.x;
}

static inline double vec_length(vec a)
{
    return sqrt(vec_dot(a, a));
}

#endif
