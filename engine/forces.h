/* forces.h - applied forces and energy; private to the engine. */
#ifndef SAL_FORCES_H
#define SAL_FORCES_H

#include "engine/model.h"

/* Gravity acts through the mass matrix: with G = (gx, gy) for every basic point, F = M G. Added to force [nz], where the part
 * behind q is what the fixed points carry. `mass`: the number of each entry of the scene's masses. */
void sal_forces_gravity(const sal_model *model, const double *z, const double *mass, double *force);
/* Inertia forces -M u'' of driven points. Added to force [nz]. */
void sal_forces_driven(const sal_model *model, const double *zdd, const double *mass, double *force);
/* Springs and dampers. Added to force [nz]. */
void sal_forces_springs(const sal_model *model, const double *z, const double *zd, double *force);
/* Kinetic energy, gravity potential (zero at the origin) and springs [J]. */
double sal_forces_energy(const sal_model *model, const double *z, const double *zd, const double *mass);

#endif
