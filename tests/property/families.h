/* families.h - what the families of the generator are drawn with, and those that others begin with (generate.c), and the
 * families whose contacts have corners and ends (generate_ends.c). */
#ifndef PROPERTY_FAMILIES_H
#define PROPERTY_FAMILIES_H

#include "tests/property/build.h"

typedef struct disc {
    int    centre, turns;
    double radius;
} disc;

double length_of(const mechanism *m, dice *d, double low, double high); /* between parts of the typical one */
vec    draw_way(const mechanism *m, dice *d, double low, double high);
void   draw_spring(mechanism *m, dice *d, int a, int b, double low, double high);
int    draw_rigid(mechanism *m, dice *d, int a, int b, vec centre);
void   draw_body(mechanism *m, dice *d, contact *c, vec at);
int    draw_chain(mechanism *m, dice *d, int n, vec pin);
void   draw_leg(mechanism *m, dice *d, contact *c, int torso, int hip, bool knee);
int    draw_box(mechanism *m, dice *d, vec at, vec u, int corner[4], double *height);
disc   draw_disc(mechanism *m, dice *d, vec at, double radius);

void family_free(mechanism *m, dice *d);
void family_chain(mechanism *m, dice *d);
void family_loop(mechanism *m, dice *d);
void family_leg(mechanism *m, dice *d);
void family_box(mechanism *m, dice *d);
void family_discs(mechanism *m, dice *d);
void family_slide(mechanism *m, dice *d);

void family_stairs(mechanism *m, dice *d);
void family_terrain(mechanism *m, dice *d);
void family_track(mechanism *m, dice *d);
void family_plank(mechanism *m, dice *d);
void family_bounds(mechanism *m, dice *d);
void family_soft(mechanism *m, dice *d);

#endif
