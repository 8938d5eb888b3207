/* rows.h - evaluation of the constraint rows; private to the engine.
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
 * entries are zero. A contact that slides is between the two: its tangential row does not hold, but acts with the
 * force kappa lambda_normal, kappa = -+ mu; its entries are there, for that. */
#ifndef SAL_ROWS_H
#define SAL_ROWS_H

#include "engine/model.h"

/* The rows of a model in a mode, with workspace. */
typedef struct sal_rows {
    const sal_model *model;
    bool            *on;            /* [m] which rows hold */
    signed char     *sliding;       /* [touches] the sign of the tangential velocity; 0: it does not slide */
    double          *value, *first; /* [program_max] */
    double          *direction;     /* [nz] */
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

/* kappa of a contact that slides. */
double sal_rows_kappa(const sal_rows *rows, int touch, const double *z);

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

#endif
