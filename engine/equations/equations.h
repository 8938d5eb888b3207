/* equations/ - the equations of motion by source, over the tables of a model:
 *
 *     M a + Phi_q^T lambda = F,     Phiddot = Phi_q a - C = 0
 *
 *     terms       Phi = sum c s (z_i - z_j)(z_k - z_l)
 *     relations   Phi, or only Phidot, by a formula
 *     masses      inertia M a, gravity M G, and what driven points carry
 *     springs     F = -+ (k (l - l0) + c l') e  along the line e between two points
 *     efforts     F = J^T f  by formulas, f along a rate J v
 *
 * One name for each: sal_<source>_<what> are the values, _jvp how they change along directions (J v), _vjp what the
 * arguments get when the values get something (J^T w): then <w, J v> = <J^T w, v>; and of forces _second, <w, J' v>
 * along further directions. Where a source has but one output it is called value, and the others go by its name alone.
 * Primes are time derivatives, taken from zd and zdd. */
#ifndef SAL_EQUATIONS_H
#define SAL_EQUATIONS_H

#include "engine/model/model.h"

/* p directions in which z, zd and zdd change, stored slot by slot, [nz][p]. Changes are stored alike. */
typedef struct sal_directions {
    int           p;
    const double *dz, *dzd, *dzdd;
    const bool   *inert; /* [terms] terms that none of the directions changes; NULL: not known */
} sal_directions;

/* The cotangents of the arguments: what a vjp adds to. Those of forces, w [nz], are zero behind q. */
typedef struct sal_cotangents {
    double *z, *zd; /* [nz] */
    double *zdd;    /* [nz] of what is no coordinate; the others are nobody's */
    double *lambda; /* [m] NULL: held */
    double *mass;   /* [masses] */
} sal_cotangents;

/* ------------------------------------------------------------------------------------------ mode */

/* Which rows hold is the mode. A row that does not hold is left out everywhere: its Phi, its derivatives and its
 * entries are zero. A row may also act without holding, with a force in proportion to that of another row: a coupling.
 * Its entries are there, for that. */

/* lambda_row (a_row + factor a_along): the force of `row` acts along `along` too, which does not hold itself; the
 * factor is sign part z_factor. Sliding friction is one. `leans`: nothing slides, and other rows see to it. */
typedef struct sal_coupling {
    int         row, along;
    sal_slot    factor;
    signed char sign;
    bool        leans;
    double      part;
} sal_coupling;

/* Rows that move alike, +- each other but for rows that hold anyway: one of them holds, the leader, for all. Its
 * force is that of the whole group; each has a portion of it, in proportion to factor * (force of its partner).
 * Friction of a body that stands on several points is such: so shared, all points reach the limit of their friction
 * at once. The leader has an entry too; entries of a group follow each other. */
typedef struct sal_portion {
    int         row, leader, partner;
    sal_slot    factor;
    signed char sign;
} sal_portion;

/* Which rows hold, and along what their forces act. A value: copied, compared, hashed, stored. */
typedef struct sal_row_mode {
    int   rows; /* of the model; the arrays may be longer, for rows of events and of assembly, which always hold */
    bool *held; /* [rows] */
    bool *acts; /* [rows] it does not hold, but a force acts along it: by a coupling, or a portion of its leader's */
    sal_coupling *coupling;
    int           couplings;
    sal_portion  *portion;
    int           portions;
} sal_row_mode;

sal_status sal_mode_init(sal_row_mode *mode, sal_pool *pool, int rows, int room);
void       sal_mode_copy(sal_row_mode *to, const sal_row_mode *from);
void       sal_mode_start(sal_row_mode *mode, const sal_tables *tables); /* what the scene does not set aside holds */
void       sal_mode_uncouple(sal_row_mode *mode);
void       sal_mode_couple(sal_row_mode *mode, sal_coupling coupling);
void       sal_mode_share(sal_row_mode *mode, sal_portion portion);
bool       sal_mode_equal(const sal_row_mode *a, const sal_row_mode *b);

static inline double sal_coupling_factor(const sal_coupling *c, const double *z)
{
    return c->sign * c->part * z[c->factor];
}

/* ------------------------------------------------------------------------------------------ rows */

/* The rows of a model in a mode, with workspace. */
typedef struct sal_rows {
    const sal_model    *model;
    const sal_row_mode *mode;
    double             *value, *first; /* [program_max] */
    double             *direction;     /* [nz] */
    double             *power;         /* [efforts] of each on the coordinates, as last evaluated */
} sal_rows;

/* All rows, terms and relations:
 *
 *     Phi, Phidot = Phi_q v + Phi_t                         residual
 *     Phi_q                                                 jacobian
 *     Phiddot = Phi_q a - C                                 motion
 *     -Phi_q^T lambda                                       force
 */
/* Phi [m] and, with zd not NULL, Phidot [m]. */
void sal_rows_residual(const sal_rows *rows, const double *z, const double *zd, double *phi, double *phidot);
/* Jacobian entries [jp[m] + 1] (the last one is nobody's). */
void sal_rows_jacobian(const sal_rows *rows, const double *z, double *entry);
/* The same of the rows that hold alone, without what slides. */
void sal_rows_held_jacobian(const sal_rows *rows, const double *z, double *entry);
/* Jacobian entries and C [m]; zdd is read for the slots that are not coordinates. */
void sal_rows_motion(const sal_rows *rows, const double *z, const double *zd, const double *zdd, double *entry,
                     double *c);
/* dPhi and, with zd not NULL, dPhidot, [m][p]. */
void sal_rows_residual_jvp(const sal_rows *rows, const double *z, const double *zd, sal_directions d, double *dphi,
                           double *dphidot);
/* dPhiddot with the accelerations of the coordinates held (dzdd is read for what is no coordinate), and the change of
 * the forces with the multipliers held, added to force [nz][p], of which what lies behind q is nobody's. */
void sal_rows_motion_jvp(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                         const double *lambda, sal_directions d, double *dphidd, double *force);
/* Only the latter. */
void sal_rows_force_jvp(const sal_rows *rows, const double *z, const double *lambda, sal_directions d, double *force);
/* Given those of Phi and Phidot, [m]; NULL: none. Of Phiddot. Of the forces. */
void sal_rows_residual_vjp(const sal_rows *rows, const double *z, const double *zd, const double *phi,
                           const double *phidot, sal_cotangents bar);
void sal_rows_motion_vjp(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                         const double *phidd, sal_cotangents bar);
void sal_rows_force_vjp(const sal_rows *rows, const double *z, const double *lambda, const double *w,
                        sal_cotangents bar);

/* Second derivatives of the forces: adds <w, force''> along dz [nz] and each of the directions d, along which the
 * multipliers change by dlambda [m][p] (NULL: held), to out [p]. */
void sal_rows_force_second(const sal_rows *rows, const double *z, const double *lambda, const double *dlambda,
                           const double *w, const double *dz, sal_directions d, double *out);

/* ----------------------------------------------------------------------------- terms and relations */

/* The same of one source: added to the rows of the above, which belong to one source each. */
void sal_terms_residual(const sal_rows *rows, const double *z, const double *zd, double *phi, double *phidot);
void sal_terms_jacobian(const sal_rows *rows, const double *z, double *entry);
void sal_terms_motion(const sal_rows *rows, const double *z, const double *zd, const double *zdd, double *entry,
                      double *c);
void sal_terms_residual_jvp(const sal_rows *rows, const double *z, const double *zd, sal_directions d, double *dphi,
                            double *dphidot);
void sal_terms_motion_jvp(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                          const double *lambda, sal_directions d, double *dphidd, double *force);
void sal_terms_force_jvp(const sal_rows *rows, const double *z, const double *lambda, sal_directions d, double *force);
void sal_terms_residual_vjp(const sal_rows *rows, const double *z, const double *zd, const double *phi,
                            const double *phidot, sal_cotangents bar);
void sal_terms_motion_vjp(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                          const double *phidd, sal_cotangents bar);
void sal_terms_force_vjp(const sal_rows *rows, const double *z, const double *lambda, const double *w,
                         sal_cotangents bar);
void sal_terms_force_second(const sal_rows *rows, const double *z, const double *lambda, const double *dlambda,
                            const double *w, const double *dz, sal_directions d, double *out);

void sal_relations_residual(const sal_rows *rows, const double *z, const double *zd, double *phi, double *phidot);
void sal_relations_jacobian(const sal_rows *rows, const double *z, double *entry);
void sal_relations_motion(const sal_rows *rows, const double *z, const double *zd, const double *zdd, double *entry,
                          double *c);
void sal_relations_residual_jvp(const sal_rows *rows, const double *z, const double *zd, sal_directions d, double *dphi,
                                double *dphidot);
void sal_relations_motion_jvp(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                              const double *lambda, sal_directions d, double *dphidd, double *force);
void sal_relations_force_jvp(const sal_rows *rows, const double *z, const double *lambda, sal_directions d,
                             double *force);
void sal_relations_residual_vjp(const sal_rows *rows, const double *z, const double *zd, const double *phi,
                                const double *phidot, sal_cotangents bar);
void sal_relations_motion_vjp(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                              const double *phidd, sal_cotangents bar);
void sal_relations_force_vjp(const sal_rows *rows, const double *z, const double *lambda, const double *w,
                             sal_cotangents bar);
void sal_relations_force_second(const sal_rows *rows, const double *z, const double *lambda, const double *dlambda,
                                const double *w, const double *dz, sal_directions d, double *out);

/* Phi, Phidot and Phiddot (with the accelerations in zdd) of one row given by a formula, whether it holds or not. */
double sal_relations_value(const sal_rows *rows, int row, const double *z);
double sal_relations_rate(const sal_rows *rows, int row, const double *z, const double *zd);
double sal_relations_acceleration(const sal_rows *rows, int row, const double *z, const double *zd, const double *zdd);

/* ---------------------------------------------------------------------------------------- masses */

/* `mass`: the number of each entry of the tables' masses; dmass [masses][p].
 *
 * Gravity acts through the mass matrix: with G = (gx, gy) for every basic point, F = M G. Added to force [nz], where
 * the part behind q is what the fixed points carry. */
void sal_masses_gravity(const sal_model *model, const double *z, const double *mass, double *force);
/* Inertia forces -M u'' of driven points. Added to force [nz]. */
void sal_masses_driven(const sal_model *model, const double *zdd, const double *mass, double *force);
/* Kinetic energy and gravity potential (zero at the origin) [J]. */
double sal_masses_energy(const sal_model *model, const double *z, const double *zd, const double *mass);

/* Changes, added to force [nz][p] or energy [p]. */
void sal_masses_gravity_jvp(const sal_model *model, const double *z, const double *mass, const double *dmass,
                            sal_directions d, double *force);
/* Of -M a, with the accelerations of the coordinates held (dzdd is read for what is no coordinate). `changing`: the
 * entries that any direction changes. */
void sal_masses_inertia_jvp(const sal_model *model, const double *zdd, const double *mass, const double *dmass,
                            const int *changing, int nchanging, sal_directions d, double *force);
void sal_masses_energy_jvp(const sal_model *model, const double *z, const double *zd, const double *mass,
                           const double *dmass, sal_directions d, double *energy);
/* w of the forces, or of the energy. */
void sal_masses_gravity_vjp(const sal_model *model, const double *z, const double *mass, const double *w,
                            sal_cotangents bar);
void sal_masses_inertia_vjp(const sal_model *model, const double *zdd, const double *mass, const double *w,
                            sal_cotangents bar);
void sal_masses_energy_vjp(const sal_model *model, const double *z, const double *zd, const double *mass, double w,
                           sal_cotangents bar);

/* --------------------------------------------------------------------------------------- springs */

/* Springs and dampers. Added to force [nz] and [nz][p]. */
void sal_springs_value(const sal_model *model, const double *z, const double *zd, double *force);
void sal_springs_jvp(const sal_model *model, const double *z, const double *zd, sal_directions d, double *force);
void sal_springs_vjp(const sal_model *model, const double *z, const double *zd, const double *w, sal_cotangents bar);
/* <w, force''> along (dz, dzd) and each of the directions d, added to out [p]. */
void sal_springs_second(const sal_model *model, const double *z, const double *zd, const double *w, const double *dz,
                        const double *dzd, sal_directions d, double *out);
/* What they store [J], added. */
/* What a spring adds to the energy: -c l'^2 of its damping, and what it takes where stiffness and length follow t. */
double sal_spring_length(const sal_spring *s, const double *z);
/* From one end to the other, of places or velocities x. */
void   sal_spring_between(const sal_spring *s, const double *z, const double *x, double out[2]);
double sal_spring_power(const sal_spring *s, const double *z, const double *zd);
void   sal_springs_energy(const sal_model *model, const double *z, double *energy);
void   sal_springs_energy_jvp(const sal_model *model, const double *z, sal_directions d, double *energy);
void   sal_springs_energy_vjp(const sal_model *model, const double *z, double w, sal_cotangents bar);
/* Their sizes (scale.c): |force| of each, and the sum of what it is the difference of: k times coordinates and l0.
 * Added to [nz] each. */
void sal_springs_sizes(const sal_model *model, const double *z, const double *zd, double *part, double *operand);

/* --------------------------------------------------------------------------------------- efforts */

/* Forces by formulas. Added to force [nz] and [nz][p]; change [p] is workspace. */
void sal_efforts_value(const sal_rows *rows, const double *z, const double *zd, double *force);
void sal_efforts_jvp(const sal_rows *rows, const double *z, const double *zd, sal_directions d, double *change,
                     double *force);
void sal_efforts_vjp(const sal_rows *rows, const double *z, const double *zd, const double *w, sal_cotangents bar);
void sal_efforts_second(const sal_rows *rows, const double *z, const double *zd, const double *w, const double *dz,
                        const double *dzd, sal_directions d, double *out);
/* Their sizes (scale.c), added to [nz] each: |force|, and the sum of what its formula is made of, |df/dx x|. */
void sal_efforts_sizes(const sal_rows *rows, const double *z, const double *zd, double *part, double *operand);

#endif
