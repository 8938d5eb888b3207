/* places.h - where things touch, by the geometry itself: in numbers, from places and velocities of points alone. */
#ifndef PROPERTY_PLACES_H
#define PROPERTY_PLACES_H

#include "tests/property/mechanism.h"

typedef struct state { /* of all points */
    vec at[POINTS], velocity[POINTS];
} state;

typedef struct place { /* where a touch may be */
    double gap, rate, slip;
} place;

/* How far above a polyline a point is: the distance, negative on the other side. *end, if not NULL: it has come round an
 * end of the line, where nothing is above or below. */
double line_clearance(const contact *c, vec p, bool *end);
/* How far above it point k of the contact is, or its disc; of an outline the less of that and of minus the depth by which
 * the edge from it to the next crosses the line. */
double clearance(const contact *c, int k, const state *s, bool *end);
double circle_gap(const contact *c, vec p);

/* All places of a touch no further away than `near`; of whatever is no polyline the one that there is, however far. */
enum { PLACES = 8 };
int places_of(const mechanism *m, const touch *t, const state *s, double near, place list[PLACES]);
/* How far what touches is within where the contact is, at this time; negative: outside. */
double depth_within(const mechanism *m, const touch *t, const state *s, double time);

#endif
