/* vary.h - the same mechanism otherwise: transformations that must not change its motion, and small changes that do. */
#ifndef PROPERTY_VARY_H
#define PROPERTY_VARY_H

#include "tests/property/mechanism.h"

void move(mechanism *m, vec by);
void turn(mechanism *m, vec u); /* round the origin, by the angle of the unit vector u; not with waves */
void mirror(mechanism *m);      /* x to -x */
void reorder(mechanism *m, dice *d);
void reverse(mechanism *m, dice *d); /* some bodies have their ends exchanged */
void scale(mechanism *m, double length, double mass);

/* Every number that motion depends on changes by about `part` of itself; what touches still does. */
void perturb(mechanism *m, dice *d, double part);

#endif
