/* relations.c - rows given by formulas.
 *
 * A row is known by its Phi or only by its rate Phidot = J(z) v + ..., a formula linear in v; the programs for the
 * rest are made from it once (model.c). With reverse sweeps over these programs
 *
 *     J_i           = dPhidot/dv_i                          C = -Phiddot with q'' = 0
 *     dPhi, dPhidot, dPhiddot                               sums over the leaves, a held
 *     (J^T lambda)' = lambda (J^T)'                         formulas.c
 */
#include "engine/base/vector.h"
#include "engine/equations/formulas.h"

/* ------------------------------------------------------------------------------------------ rows */

void sal_relations_residual(const sal_rows *rows, const double *z, const double *zd, double *phi, double *phidot)
{
    const sal_reading from = sal_read(z, zd, NULL);

    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        if (!rows->mode->held[r->row]) continue;
        if (r->phi.n) phi[r->row] = sal_formula_value(rows, &r->phi, &from);
        if (zd) phidot[r->row] = sal_formula_value(rows, &r->rate.value, &from);
    }
}

void sal_relations_jacobian(const sal_rows *rows, const double *z, double *entry)
{
    const sal_reading from = sal_read(z, z, NULL); /* linear in zd: any number will do there */

    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        const sal_program  *p = &r->rate.value;
        if (!rows->mode->held[r->row] && !rows->mode->acts[r->row]) continue;
        sal_formula_slopes(rows, p, &from);
        for (int i = 0; i < p->nleaf; i++) entry[r->entry[i]] += rows->first[p->leaf[i]];
    }
}

void sal_relations_motion(const sal_rows *rows, const double *z, const double *zd, const double *zdd, double *entry,
                          double *c)
{
    const sal_reading from = sal_read(z, zd, zdd);

    sal_relations_jacobian(rows, z, entry);
    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        if (rows->mode->held[r->row]) c[r->row] = -sal_formula_value(rows, &r->bias, &from);
    }
}

double sal_relations_acceleration(const sal_rows *rows, int row, const double *z, const double *zd, const double *zdd)
{
    const sal_reading from = sal_read(z, zd, zdd);

    return sal_formula_value(rows, &rows->model->relation[rows->model->relation_of[row]].second, &from);
}

double sal_relations_value(const sal_rows *rows, int row, const double *z)
{
    const sal_reading from = sal_read(z, NULL, NULL);

    return sal_formula_value(rows, &rows->model->relation[rows->model->relation_of[row]].phi, &from);
}

double sal_relations_rate(const sal_rows *rows, int row, const double *z, const double *zd)
{
    const sal_reading from = sal_read(z, zd, NULL);

    return sal_formula_value(rows, &rows->model->relation[rows->model->relation_of[row]].rate.value, &from);
}

/* -------------------------------------------------------------------------------------- tangents */

#define ROW(array, index) SAL_ROW(array, index, d.p)

void sal_relations_residual_jvp(const sal_rows *rows, const double *z, const double *zd, sal_directions d, double *dphi,
                                double *dphidot)
{
    const sal_reading from = sal_read(z, zd, NULL);

    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        if (!rows->mode->held[r->row]) continue;
        if (r->phi.n) sal_formula_jvp(rows, &r->phi, &from, 1.0, d, ROW(dphi, r->row));
        if (zd) sal_formula_jvp(rows, &r->rate.value, &from, 1.0, d, ROW(dphidot, r->row));
    }
}

void sal_relations_force_jvp(const sal_rows *rows, const double *z, const double *lambda, sal_directions d,
                             double *force)
{
    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        sal_rate_force_jvp(rows, &r->rate, z, -lambda[r->row], d, force);
    }
}

void sal_relations_motion_jvp(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                              const double *lambda, sal_directions d, double *dphidd, double *force)
{
    const sal_reading from = sal_read(z, zd, zdd);

    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        if (rows->mode->held[r->row]) sal_formula_jvp(rows, &r->second, &from, 1.0, d, ROW(dphidd, r->row));
    }
    sal_relations_force_jvp(rows, z, lambda, d, force);
}

/* ------------------------------------------------------------------------------------ cotangents */

void sal_relations_residual_vjp(const sal_rows *rows, const double *z, const double *zd, const double *phi,
                                const double *phidot, sal_cotangents bar)
{
    const sal_reading from = sal_read(z, zd, NULL);

    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        if (!rows->mode->held[r->row]) continue;
        if (phi && r->phi.n) sal_formula_vjp(rows, &r->phi, &from, phi[r->row], bar);
        if (phidot) sal_formula_vjp(rows, &r->rate.value, &from, phidot[r->row], bar);
    }
}

void sal_relations_force_vjp(const sal_rows *rows, const double *z, const double *lambda, const double *w,
                             sal_cotangents bar)
{
    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        if (!rows->mode->held[r->row] && !rows->mode->acts[r->row]) continue;
        const double Jw = sal_rate_slopes(rows, &r->rate.value, z, NULL, w);
        sal_rate_vjp(rows, &r->rate.value, -lambda[r->row], bar.z);
        if (bar.lambda) bar.lambda[r->row] -= Jw;
    }
}

void sal_relations_motion_vjp(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                              const double *phidd, sal_cotangents bar)
{
    const sal_reading from = sal_read(z, zd, zdd);

    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        if (rows->mode->held[r->row]) sal_formula_vjp(rows, &r->second, &from, phidd[r->row], bar);
    }
}

/* ---------------------------------------------------------------------------- second derivatives */

void sal_relations_force_second(const sal_rows *rows, const double *z, const double *lambda, const double *dlambda,
                                const double *w, const double *dz, sal_directions d, double *out)
{
    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        if (!rows->mode->held[r->row] && !rows->mode->acts[r->row]) continue;
        const double first = sal_rate_slopes(rows, &r->rate.turning, z, dz, w);
        sal_rate_jvp(rows, &r->rate.turning, -lambda[r->row], d, out);
        for (int c = 0; c < d.p && dlambda; c++) out[c] -= first * ROW(dlambda, r->row)[c];
    }
}
