/* equations/ - the sources of the equations of motion, each as values and as tangents over the tables of a model: terms
 * and formulas of the constraint rows, masses, springs, efforts. */
#ifndef SAL_EQUATIONS_H
#define SAL_EQUATIONS_H

#include <stdint.h>

#include "engine/model/model.h"

/* ------------------------------------------------------------------------------------------------------------ */

/* evaluation of the constraint rows.
 *
 * A row is a sum of terms T = c s A B with s = z_s a constant value, A = z_i - z_j, B = z_k - z_l, and the product
 * rule gives
 * everything:
 *
 *     Phi      = sum T
 *     Phi_q    : i, j columns +- c s B;  k, l columns +- c s A
 *     Phidot   = sum c s (A' B + A B')                                              = Phi_q v + Phi_t
 *     -C       = sum c s (A'' B + 2 A' B' + A B'')    with q'' = 0
 *
 * so that Phiddot = Phi_q a - C. Primes are time derivatives, taken from zd and zdd. Rows that are no such sums are
 * given by formulas (relations.h).
 *
 * Which rows hold is the mode. A row that does not hold is left out everywhere: its Phi, its derivatives and its
 * entries are zero. A row may also act without holding, with a force in proportion to that of another row: a coupling.
 * Its entries are there, for that. */

/* lambda_row (a_row + factor a_along): the force of `row` acts along `along` too, which does not hold itself; the
 * factor
 * is sign z_factor. Sliding friction is one. */
typedef struct sal_coupling {
    int         row, along;
    sal_slot    factor;
    signed char sign;
} sal_coupling;

/* Which rows hold, and along what their forces act. A value: copied, compared, hashed, stored. */
typedef struct sal_row_mode {
    int   rows; /* of the model; the arrays may be longer, for rows of events and of assembly, which always hold */
    bool *held; /* [rows] */
    bool *acts; /* [rows] the force of another row acts along it */
    sal_coupling *coupling;
    int           couplings;
} sal_row_mode;

sal_status sal_mode_init(sal_row_mode *mode, sal_pool *pool, int rows, int room);
void       sal_mode_copy(sal_row_mode *to, const sal_row_mode *from);
void       sal_mode_start(sal_row_mode *mode, const sal_tables *tables); /* what the scene does not set aside holds */
void       sal_mode_uncouple(sal_row_mode *mode);
void       sal_mode_couple(sal_row_mode *mode, sal_coupling coupling);
bool       sal_mode_equal(const sal_row_mode *a, const sal_row_mode *b);
uint64_t   sal_mode_hash(const sal_row_mode *mode);

static inline double sal_coupling_factor(const sal_coupling *c, const double *z)
{
    return c->sign * z[c->factor];
}

/* The rows of a model in a mode, with workspace. */
typedef struct sal_rows {
    const sal_model    *model;
    const sal_row_mode *mode;
    double             *value, *first; /* [program_max] */
    double             *direction;     /* [nz] */
} sal_rows;

/* Phi [m] and, with zd not NULL, Phidot [m]. */
void sal_rows_residual(const sal_rows *rows, const double *z, const double *zd, double *phi, double *phidot);
/* Jacobian entries [jp[m] + 1] (the last one is nobody's). */
void sal_rows_jacobian(const sal_rows *rows, const double *z, double *entry);
/* The same of the rows that hold alone, without what slides. */
void sal_rows_held_jacobian(const sal_rows *rows, const double *z, double *entry);
/* Jacobian entries and C [m]; zdd is read for the slots that are not coordinates. */
void sal_rows_motion(const sal_rows *rows, const double *z, const double *zd, const double *zdd, double *entry,
                     double *c);
/* Phiddot of one row with the accelerations in zdd, whether it holds or not; rows given by formulas only. */
double sal_rows_second(const sal_rows *rows, int row, const double *z, const double *zd, const double *zdd);
/* Phidot of one row likewise. */
double sal_rows_rate(const sal_rows *rows, int row, const double *z, const double *zd);

/* Tangents: how the above change when z, zd and zdd change by the p directions dz, dzd, dzdd, stored slot by slot,
 * [nz][p]. Results are stored alike, [m][p] and [nz][p]. */
typedef struct sal_directions {
    int           p;
    const double *dz, *dzd, *dzdd;
    const bool   *inert; /* [terms] terms that none of the directions changes; NULL: not known */
} sal_directions;

/* dPhi and, with zd not NULL, dPhidot. */
void sal_rows_tangent_residual(const sal_rows *rows, const double *z, const double *zd, sal_directions d, double *dphi,
                               double *dphidot);
/* dPhiddot with the accelerations of the coordinates held (dzdd is read for what is no coordinate), and the change of
 * the constraint forces -Phi_q^T lambda with the multipliers held, added to force. */
void sal_rows_tangent_motion(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                             const double *lambda, sal_directions d, double *dphidd, double *force);
/* Only the latter. */
void sal_rows_tangent_force(const sal_rows *rows, const double *z, const double *lambda, sal_directions d,
                            double *force);

/* ------------------------------------------------------------------------------------------------------------ */

/* rows and forces given by formulas.
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

/* ------------------------------------------------------------------------------------------------------------ */

/* applied forces and energy. */
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
