/* formulas.c - programs at a state, and the forces along rates that they give.
 *
 * A velocity given by a formula, rate = J(z) v + ..., is linear in v. With reverse sweeps
 *
 *     J_i      = d(rate)/dv_i
 *     (J^T)'_i = d(turning)/dv_i,     turning(z, v; dz) = rate_z dz, a program of its own: one sweep per direction
 *     (J w)_z  = d(rate)/dz at v = w, less that at v = 0, which is no part of J v
 *
 * and of turning in place of rate ((J w)_z dz)_z, a second derivative. */
#include "engine/base/vector.h"
#include "engine/equations/formulas.h"

void sal_formula_jvp(const sal_rows *rows, const sal_program *p, const sal_reading *from, double weight,
                     sal_directions d, double *out)
{
    const double *const along[SAL_SRC_COUNT] = { [SAL_SRC_Z] = d.dz, [SAL_SRC_ZD] = d.dzd, [SAL_SRC_ZDD] = d.dzdd };

    sal_formula_slopes(rows, p, from);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf  = &p->node[p->leaf[k]];
        const double    slope = weight * rows->first[p->leaf[k]];
        if (along[leaf->a]) sal_add_slope(out, slope, SAL_ROW(along[leaf->a], leaf->b, d.p), d.p);
    }
}

/* The slopes of turning with the direction that stands in rows->direction, where the program reads zdd. */
static void turn(const sal_rows *rows, const sal_program *p, const double *z)
{
    const sal_reading from = sal_read(z, z, rows->direction); /* linear in zd: any number will do there */

    sal_formula_slopes(rows, p, &from);
}

/* One sweep for each direction. */
static void force_by_columns(const sal_rows *rows, const sal_program *p, const double *z, double factor,
                             sal_directions d, double *force)
{
    for (int c = 0; c < d.p; c++) {
        bool moves = false;
        for (int k = 0; k < p->nleaf; k++) {
            const sal_node *leaf = &p->node[p->leaf[k]];
            if (leaf->a != SAL_SRC_ZDD) continue;
            rows->direction[leaf->b] = SAL_ROW(d.dz, leaf->b, d.p)[c];
            moves                    = moves || rows->direction[leaf->b] != 0.0;
        }
        if (!moves) continue;
        turn(rows, p, z);
        for (int k = 0; k < p->nleaf; k++) {
            const sal_node *leaf = &p->node[p->leaf[k]];
            if (leaf->a == SAL_SRC_ZD && leaf->b < rows->model->n)
                SAL_ROW(force, leaf->b, d.p)[c] += factor * rows->first[p->leaf[k]];
        }
    }
}

/* One for each number that a direction consists of: turning is linear in it. */
static void force_by_parts(const sal_rows *rows, const sal_program *p, const double *z, double factor, sal_directions d,
                           double *force)
{
    for (int k = 0; k < p->nleaf; k++) {
        if (p->node[p->leaf[k]].a == SAL_SRC_ZDD) rows->direction[p->node[p->leaf[k]].b] = 0.0;
    }
    for (int i = 0; i < p->nleaf; i++) {
        const sal_node *part = &p->node[p->leaf[i]];
        if (part->a != SAL_SRC_ZDD) continue;
        rows->direction[part->b] = 1.0;
        turn(rows, p, z);
        rows->direction[part->b] = 0.0;
        for (int k = 0; k < p->nleaf; k++) {
            const sal_node *leaf = &p->node[p->leaf[k]];
            if (leaf->a == SAL_SRC_ZD && leaf->b < rows->model->n)
                sal_add_slope(SAL_ROW(force, leaf->b, d.p), factor * rows->first[p->leaf[k]],
                              SAL_ROW(d.dz, part->b, d.p), d.p);
        }
    }
}

void sal_rate_force_jvp(const sal_rows *rows, const sal_rate *rate, const double *z, double factor, sal_directions d,
                        double *force)
{
    const sal_program *p     = &rate->turning;
    int                parts = 0;

    if (factor == 0.0) return;
    for (int k = 0; k < p->nleaf; k++) parts += p->node[p->leaf[k]].a == SAL_SRC_ZDD;
    (d.p < parts ? force_by_columns : force_by_parts)(rows, p, z, factor, d, force);
}

void sal_formula_vjp(const sal_rows *rows, const sal_program *p, const sal_reading *from, double weight,
                     sal_cotangents bar)
{
    double *const to[] = { [SAL_SRC_Z] = bar.z, [SAL_SRC_ZD] = bar.zd, [SAL_SRC_ZDD] = bar.zdd };

    if (weight == 0.0) return; /* a slope may be infinite where it does not matter */
    sal_formula_slopes(rows, p, from);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        to[leaf->a][leaf->b] += weight * rows->first[p->leaf[k]];
    }
}

/* The slopes at v = 0 by slots into rows->direction; gives the value there. */
static double slopes_at_rest(const sal_rows *rows, const sal_program *p, const double *z, const double *direction)
{
    const sal_reading from = sal_read(z, rows->direction, direction);
    double            value;

    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        if (leaf->a == SAL_SRC_ZD) rows->direction[leaf->b] = 0.0;
    }
    value = sal_formula_slopes(rows, p, &from);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        if (leaf->a == SAL_SRC_Z) rows->direction[leaf->b] = rows->first[p->leaf[k]];
    }
    return value;
}

/* The part that belongs to v of a slope; equal ones may both be infinite. */
static inline double part_of_motion(double slope, double at_rest)
{
    return slope == at_rest ? 0.0 : slope - at_rest;
}

double sal_rate_slopes(const sal_rows *rows, const sal_program *p, const double *z, const double *direction,
                       const double *w)
{
    const sal_reading from = sal_read(z, w, direction);
    const double      rest = slopes_at_rest(rows, p, z, direction), along = sal_formula_slopes(rows, p, &from);

    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        double         *at   = &rows->direction[leaf->b];
        if (leaf->a == SAL_SRC_Z) *at = part_of_motion(rows->first[p->leaf[k]], *at);
    }
    return along - rest;
}

void sal_rate_jvp(const sal_rows *rows, const sal_program *p, double weight, sal_directions d, double *out)
{
    for (int k = 0; k < p->nleaf && weight != 0.0; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        if (leaf->a == SAL_SRC_Z)
            sal_add_slope(out, weight * rows->direction[leaf->b], SAL_ROW(d.dz, leaf->b, d.p), d.p);
    }
}

void sal_rate_vjp(const sal_rows *rows, const sal_program *p, double weight, double *z_bar)
{
    for (int k = 0; k < p->nleaf && weight != 0.0; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        if (leaf->a == SAL_SRC_Z) z_bar[leaf->b] += weight * rows->direction[leaf->b];
    }
}
