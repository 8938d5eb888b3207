/* formulas.h - what relations and efforts share: programs of a model, read at a state. Private to equations/. */
#ifndef SAL_FORMULAS_H
#define SAL_FORMULAS_H

#include "engine/equations/equations.h"

/* What the programs read; multipliers and the energy never. */
typedef struct sal_reading {
    const double *of[SAL_SRC_COUNT];
} sal_reading;

static inline sal_reading sal_read(const double *z, const double *zd, const double *zdd)
{
    return (sal_reading){ { [SAL_SRC_Z] = z, [SAL_SRC_ZD] = zd, [SAL_SRC_ZDD] = zdd } };
}

static inline double sal_formula_value(const sal_rows *rows, const sal_program *p, const sal_reading *from)
{
    return sal_program_value(p, from->of, rows->value);
}

/* The value, and d(program)/d(leaf) in rows->first. */
static inline double sal_formula_slopes(const sal_rows *rows, const sal_program *p, const sal_reading *from)
{
    const double value = sal_program_value(p, from->of, rows->value);

    sal_program_gradient(p, rows->value, rows->first);
    return value;
}

/* Adds weight times the change of a program along the directions to out [p]; those that are NULL are zero. */
void sal_formula_jvp(const sal_rows *rows, const sal_program *p, const sal_reading *from, double weight,
                     sal_directions d, double *out);

/* Of a rate J(z) v + ..., which is linear in v: adds factor (J^T)' to the coordinates' rows of force [n][p]. */
void sal_rate_force_jvp(const sal_rows *rows, const sal_rate *rate, const double *z, double factor, sal_directions d,
                        double *force);

/* Adds weight times the slopes of a program to the cotangents of what it reads. */
void sal_formula_vjp(const sal_rows *rows, const sal_program *p, const sal_reading *from, double weight,
                     sal_cotangents bar);

/* J w of a rate, and (J w)_z by slots, in rows->direction for the leaves that read z; or with its turning along
 * `direction` (J w)_z dz and its slopes. NULL: no direction. */
double sal_rate_slopes(const sal_rows *rows, const sal_program *p, const double *z, const double *direction,
                       const double *w);
/* After it: adds weight times these slopes along the directions to out [p]; adds weight times these slopes to z_bar. */
void sal_rate_jvp(const sal_rows *rows, const sal_program *p, double weight, sal_directions d, double *out);
void sal_rate_vjp(const sal_rows *rows, const sal_program *p, double weight, double *z_bar);

#endif
