/* forces.h - applied forces and energy; private to the engine. */
#ifndef SAL_FORCES_H
#define SAL_FORCES_H

#include "engine/rows.h"

/* Gravity acts through the mass matrix: with G = (gx, gy) for every basic point, F = M G. Added to force [nz], where
 * the part behind q is what the fixed points carry. `mass`: the number of each entry of the scene's masses. */
void sal_forces_gravity(const sal_model *model, const double *z, const double *mass, double *force);
/* Inertia forces -M u'' of driven points. Added to force [nz]. */
void sal_forces_driven(const sal_model *model, const double *zdd, const double *mass, double *force);
/* Springs and dampers. Added to force [nz]. */
void sal_forces_springs(const sal_model *model, const double *z, const double *zd, double *force);
/* Their sizes (scale.h): |force| of each, and the sum of what it is the difference of: k times coordinates and l0.
 * Added to [nz] each. */
void sal_forces_spring_sizes(const sal_model *model, const double *z, const double *zd, double *part, double *operand);
/* Kinetic energy, gravity potential (zero at the origin) and springs [J]; what forces by formulas store is not here. */
double sal_forces_energy(const sal_model *model, const double *z, const double *zd, const double *mass);

/* Tangents along the directions d (rows.h), added to force [nz][p] or energy [p]. `dmass` [masses][p]. */
void sal_forces_tangent_gravity(const sal_model *model, const double *z, const double *mass, const double *dmass,
                                sal_directions d, double *force);
/* Of -M a, with the accelerations of the coordinates held (dzdd is read for what is no coordinate). `changing`: the
 * entries that any direction changes. */
void sal_forces_tangent_inertia(const sal_model *model, const double *zdd, const double *mass, const double *dmass,
                                const int *changing, int nchanging, sal_directions d, double *force);
void sal_forces_tangent_springs(const sal_model *model, const double *z, const double *zd, sal_directions d,
                                double *force);
void sal_forces_tangent_energy(const sal_model *model, const double *z, const double *zd, const double *mass,
                               const double *dmass, sal_directions d, double *energy);

#endif
