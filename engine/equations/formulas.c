/* formulas.c - programs at a state, and the forces along rates that they give.
 *
 * A velocity given by a formula, rate = J(z) v + ..., is linear in v. With reverse sweeps
 *
 *     J_i      = d(rate)/dv_i
 *     (J^T)'_i = d(turning)/dv_i,     turning(z, v; dz) = rate_z dz, a program of its own: one sweep per direction
 */
#include "engine/equations/formulas.h"

void sal_formula_jvp(const sal_rows *rows, const sal_program *p, const sal_reading *from, sal_directions d, double *out)
{
    const double *const along[] = { [SAL_SRC_Z] = d.dz, [SAL_SRC_ZD] = d.dzd, [SAL_SRC_ZDD] = d.dzdd };

    sal_formula_slopes(rows, p, from);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf  = &p->node[p->leaf[k]];
        const double    slope = rows->first[p->leaf[k]], *row = along[leaf->a] + (size_t)leaf->b * (size_t)d.p;
        for (int c = 0; c < d.p && slope != 0.0; c++) {
            if (row[c] != 0.0) out[c] += slope * row[c]; /* a slope may be infinite where nothing moves along it */
        }
    }
}

/* The direction stands where the program reads zdd. */
void sal_rate_force_jvp(const sal_rows *rows, const sal_rate *rate, const double *z, double factor, sal_directions d,
                        double *force)
{
    const sal_program *p    = &rate->turning;
    const sal_reading  from = sal_read(z, z, rows->direction); /* linear in zd: any number will do there */

    for (int c = 0; c < d.p && factor != 0.0; c++) {
        bool moves = false;
        for (int k = 0; k < p->nleaf; k++) {
            const sal_node *leaf = &p->node[p->leaf[k]];
            if (leaf->a != SAL_SRC_ZDD) continue;
            rows->direction[leaf->b] = d.dz[(size_t)leaf->b * (size_t)d.p + (size_t)c];
            moves                    = moves || rows->direction[leaf->b] != 0.0;
        }
        if (!moves) continue;
        sal_formula_slopes(rows, p, &from);
        for (int k = 0; k < p->nleaf; k++) {
            const sal_node *leaf = &p->node[p->leaf[k]];
            if (leaf->a == SAL_SRC_ZD && leaf->b < rows->model->n)
                force[(size_t)leaf->b * (size_t)d.p + (size_t)c] += factor * rows->first[p->leaf[k]];
        }
    }
}
