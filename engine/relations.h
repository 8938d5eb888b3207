/* relations.h - rows and forces given by formulas; private to the engine.
 *
 * A row is known by its Phi or only by its rate Phidot = J(z) v + ..., a formula linear in v; the programs for the
 * rest are made from it once (model.c). With reverse sweeps over these programs
 *
 *     J_i     = dPhidot/dv_i                        C = -Phiddot with q'' = 0
 *     dPhi, dPhidot, dPhiddot                       sums over the leaves, a held
 *     (J^T lambda)' = lambda d(turning)/dv_i        turning(z, v; dz) = Phidot_z dz, one sweep per direction
 *
 * A force by formulas, the effort f along a rate J(z) v, adds J^T f to the forces and (J^T)' f + J^T f' to their
 * change. */
#ifndef SAL_RELATIONS_H
#define SAL_RELATIONS_H

#include "engine/rows.h"

/* The parts of the functions of rows.h that belong to rows given by formulas; into the same arrays. */
void sal_relations_residual(const sal_rows *rows, const double *z, const double *zd, double *phi, double *phidot);
void sal_relations_jacobian(const sal_rows *rows, const double *z, double *entry);
void sal_relations_motion(const sal_rows *rows, const double *z, const double *zd, const double *zdd, double *entry,
                          double *c);
void sal_relations_tangent_residual(const sal_rows *rows, const double *z, const double *zd, sal_directions d,
                                    double *dphi, double *dphidot);
void sal_relations_tangent_motion(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                                  const double *lambda, sal_directions d, double *dphidd, double *force);
void sal_relations_tangent_force(const sal_rows *rows, const double *z, const double *lambda, sal_directions d,
                                 double *force);

/* Efforts, added to force [n] or [n][p]; change [p] is workspace. */
void sal_efforts(const sal_rows *rows, const double *z, const double *zd, double *force);
/* Their sizes (scale.h), added to [nz] each: |force|, and the sum of what its formula is made of, |df/dx x|. */
void sal_efforts_sizes(const sal_rows *rows, const double *z, const double *zd, double *part, double *operand);
void sal_efforts_tangent(const sal_rows *rows, const double *z, const double *zd, sal_directions d, double *change,
                         double *force);

#endif
