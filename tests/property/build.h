/* build.h - putting a mechanism together: what the families of the generator are made of. Indices are returned. */
#ifndef PROPERTY_BUILD_H
#define PROPERTY_BUILD_H

#include "tests/property/mechanism.h"

int add_point(mechanism *m, vec at);
int add_fixed(mechanism *m, vec at);
int add_marker(mechanism *m, int owner, vec local);

int add_mass(mechanism *m, int p, double mass);
int add_bar(mechanism *m, int a, int b, double mass);
/* `centre` and radius of gyration in the body's frame: origin in a, x-axis towards b */
int add_rigid(mechanism *m, int a, int b, double mass, vec centre, double gyration);

int add_spring(mechanism *m, int a, int b, double stiffness, double damping, double length);
int add_torsion(mechanism *m, int b, int reference, double stiffness, double damping, double angle);
int add_pin(mechanism *m, int a, int b);
int add_rod(mechanism *m, int a, int b);

/* Laws and coefficients are drawn. A ground begins without points: level through the origin. */
contact *add_contact(mechanism *m, contact_kind kind, dice *d);
void     touch_with(contact *c, int p); /* one more point; passed over where there is no more room */

/* The points from `first` on move as one: with v, and turning at `rate` round `pivot`. */
void move_rigidly(mechanism *m, int first, vec v, double rate, vec pivot);
/* Shifts the points from `first` on so that the lowest of those that touch is `clearance` above y = 0. */
void put_above(mechanism *m, int first, const contact *c, double clearance);

double draw_mass(const mechanism *m, dice *d);
/* Of a spring that carries the mass with an elongation of some part of the length; of torsion: times length^2. */
double draw_stiffness(const mechanism *m, dice *d);
double draw_damping(const mechanism *m, dice *d, double stiffness);
double typical_speed(const mechanism *m);

#endif
