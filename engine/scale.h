/* scale.h - how large the numbers of a mechanism are at a state; private to the engine.
 *
 * Whether a force, an impulse or a velocity is zero can only be told in comparison with others. A net is no measure: it
 * vanishes exactly where the question is asked (a contact lets go where the forces on it balance). So sizes are sums
 * over parts: |gravity| + sum |spring| + sum |effort| + ..., coordinate by coordinate. Nor is a part a measure of its
 * own
 * rounding errors where it is a difference itself, k (l - l0): the sum of what parts are made of, k times the
 * coordinates and l0, is kept beside it. */
#ifndef SAL_SCALE_H
#define SAL_SCALE_H

#include "engine/dynamics.h"

typedef struct sal_scale {
    double length;       /* of the mechanism [m] */
    double speed;        /* the largest |v| [m/s] */
    double natural;      /* speed that its accelerations give it over its own length, sqrt(acceleration length) */
    double force;        /* the largest sum of the parts of a force, and a little of what they are differences of */
    double operands;     /* the largest sum of the numbers that such parts are differences of */
    double acceleration; /* the largest force by parts over its mass, and of the accelerations there are */
} sal_scale;

/* At the state that the system is in, with accelerations and multipliers as last computed. */
sal_scale sal_scale_at(sal_system *s);
/* The length alone, of the assembled mechanism: the box around its points. */
double sal_scale_length(const sal_system *s);

#endif
