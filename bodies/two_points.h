/* two_points.h - what the planar bodies on two basic points have in common. */
#ifndef SAL_BODIES_TWO_POINTS_H
#define SAL_BODIES_TWO_POINTS_H

#include "engine/ext.h"

typedef struct two_points {
    sal_point end[2];  /* basic points i and j */
    sal_slot  mass;    /* [kg] */
    sal_slot  length;  /* L, distance of i and j [m] */
    sal_slot  x, y;    /* centre of mass in the frame with origin i and x-axis i -> j [m]; y SAL_NONE: on the axis */
    sal_slot  inertia; /* about the centre of mass [kg m^2] */
} two_points;

void two_points_emit(const two_points *s, sal_builder *b);

#endif
