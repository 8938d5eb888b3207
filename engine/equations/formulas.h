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

/* Adds the change of a program along the directions to out [p]. */
void sal_formula_jvp(const sal_rows *rows, const sal_program *p, const sal_reading *from, sal_directions d,
                     double *out);

/* Of a rate J(z) v + ..., which is linear in v: adds factor (J^T)' to the coordinates' rows of force [n][p]. */
void sal_rate_force_jvp(const sal_rows *rows, const sal_rate *rate, const double *z, double factor, sal_directions d,
                        double *force);

/* Adds weight times the slopes of a program to the cotangents of what it reads. */
void sal_formula_vjp(const sal_rows *rows, const sal_program *p, const sal_reading *from, double weight,
                     sal_cotangents bar);
/* Adds factor (J w)_z to z_bar; gives J w. */
double sal_rate_force_vjp(const sal_rows *rows, const sal_rate *rate, const double *z, double factor, const double *w,
                          double *z_bar);

#endif
