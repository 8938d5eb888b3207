/* efforts.c - forces given by formulas.
 *
 * The effort f(z, v) along a rate J(z) v does the power f J v:
 *
 *     F  = J^T f
 *     F' = (J^T)' f + J^T f'                                formulas.c
 *     w^T F' = (J w)' f + (J w) f'
 *     w^T F'' = (J w)'' f + (J w)' f' + (J w)' f' + (J w) f''          each prime along one of two directions
 */
#include "engine/base/vector.h"
#include "engine/equations/formulas.h"

#include <math.h>
#include <string.h>

void sal_efforts_value(const sal_rows *rows, const double *z, const double *zd, double *force)
{
    const sal_reading from = sal_read(z, zd, NULL);

    for (int k = 0; k < rows->model->tables->efforts.n; k++) {
        const sal_program *p = &rows->model->effort[k].value;
        const double       f = sal_formula_value(rows, &rows->model->tables->efforts.at[k].force, &from);
        sal_formula_slopes(rows, p, &from);
        rows->power[k] = 0.0;
        for (int i = 0; i < p->nleaf; i++) {
            const sal_node *leaf = &p->node[p->leaf[i]];
            if (leaf->a != SAL_SRC_ZD || leaf->b >= rows->model->n) continue;
            force[leaf->b] += rows->first[p->leaf[i]] * f;
            rows->power[k] += rows->first[p->leaf[i]] * f * zd[leaf->b];
        }
    }
}

void sal_efforts_sizes(const sal_rows *rows, const double *z, const double *zd, double *part, double *operand)
{
    const sal_reading from = sal_read(z, zd, NULL);

    for (int k = 0; k < rows->model->tables->efforts.n; k++) {
        const sal_program *p  = &rows->model->tables->efforts.at[k].force;
        const double       f  = fabs(sal_formula_value(rows, p, &from));
        double             of = f;

        sal_program_gradient(p, rows->value, rows->first);
        for (int i = 0; i < p->nleaf; i++) {
            const sal_node *leaf = &p->node[p->leaf[i]];
            const double    x    = rows->first[p->leaf[i]] * from.of[leaf->a][leaf->b];
            if (isfinite(x)) of += fabs(x);
        }
        p = &rows->model->effort[k].value;
        sal_formula_slopes(rows, p, &from);
        for (int i = 0; i < p->nleaf; i++) {
            const sal_node *leaf = &p->node[p->leaf[i]];
            if (leaf->a != SAL_SRC_ZD || leaf->b >= rows->model->n) continue;
            part[leaf->b] += fabs(rows->first[p->leaf[i]]) * f;
            operand[leaf->b] += fabs(rows->first[p->leaf[i]]) * of;
        }
    }
}

#define ROW(array, index) SAL_ROW(array, index, d.p)

void sal_efforts_jvp(const sal_rows *rows, const double *z, const double *zd, sal_directions d, double *change,
                     double *force)
{
    const sal_reading from = sal_read(z, zd, NULL);

    for (int k = 0; k < rows->model->tables->efforts.n; k++) {
        const sal_rate    *rate = &rows->model->effort[k];
        const sal_program *p    = &rate->value;
        const double       f    = sal_formula_value(rows, &rows->model->tables->efforts.at[k].force, &from);

        sal_rate_force_jvp(rows, rate, z, f, d, force);
        memset(change, 0, sizeof *change * (size_t)d.p);
        sal_formula_jvp(rows, &rows->model->tables->efforts.at[k].force, &from, 1.0, d, change);
        sal_formula_slopes(rows, p, &from);
        for (int i = 0; i < p->nleaf; i++) {
            const sal_node *leaf = &p->node[p->leaf[i]];
            if (leaf->a != SAL_SRC_ZD || leaf->b >= rows->model->n) continue;
            for (int c = 0; c < d.p; c++) ROW(force, leaf->b)[c] += rows->first[p->leaf[i]] * change[c];
        }
    }
}

void sal_efforts_vjp(const sal_rows *rows, const double *z, const double *zd, const double *w, sal_cotangents bar)
{
    const sal_reading from = sal_read(z, zd, NULL);

    for (int k = 0; k < rows->model->tables->efforts.n; k++) {
        const sal_program *force = &rows->model->tables->efforts.at[k].force;
        const double       f     = sal_formula_value(rows, force, &from);
        const sal_program *rate  = &rows->model->effort[k].value;
        const double       Jw    = sal_rate_slopes(rows, rate, z, NULL, w);
        sal_rate_vjp(rows, rate, f, bar.z);
        sal_formula_vjp(rows, force, &from, Jw, bar);
    }
}

void sal_efforts_second(const sal_rows *rows, const double *z, const double *zd, const double *w, const double *dz,
                        const double *dzd, sal_directions d, double *out)
{
    const sal_directions one = { 1, dz, dzd, NULL, NULL }, both = { d.p, d.dz, d.dzd, NULL, NULL };
    const sal_reading    from  = sal_read(z, zd, NULL);
    const sal_reading    twice = { { [SAL_SRC_Z] = z, [SAL_SRC_ZD] = zd, [SAL_SRC_ZDD] = dz, [SAL_SRC_LAMBDA] = dzd } };

    for (int k = 0; k < rows->model->tables->efforts.n; k++) {
        const sal_rate    *rate  = &rows->model->effort[k];
        const sal_program *force = &rows->model->tables->efforts.at[k].force, *change = &rows->model->effort_change[k];
        const double       f  = sal_formula_value(rows, force, &from);
        double             f1 = 0.0, Jw, Jw1 = 0.0;

        sal_formula_jvp(rows, force, &from, 1.0, one, &f1);
        Jw = sal_rate_slopes(rows, &rate->value, z, NULL, w);
        sal_rate_jvp(rows, &rate->value, 1.0, one, &Jw1);
        sal_rate_jvp(rows, &rate->value, f1, d, out);
        sal_rate_slopes(rows, &rate->turning, z, dz, w);
        sal_rate_jvp(rows, &rate->turning, f, d, out);
        sal_formula_jvp(rows, force, &from, Jw1, both, out);
        if (change->n) sal_formula_jvp(rows, change, &twice, Jw, both, out);
        for (int c = 0; c < d.p && !change->n; c++) out[c] = NAN; /* its derivative is too long */
    }
}
