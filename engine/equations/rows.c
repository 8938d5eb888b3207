/* rows.c - the rows of the constraints, whatever they are given by: first terms, then relations. */
#include "engine/equations/equations.h"

#include <string.h>

void sal_rows_residual(const sal_rows *rows, const double *z, const double *zd, double *phi, double *phidot)
{
    const size_t m = (size_t)rows->model->m;

    memset(phi, 0, sizeof *phi * m);
    if (zd) memset(phidot, 0, sizeof *phidot * m);
    sal_terms_residual(rows, z, zd, phi, phidot);
    if (rows->model->nrelation) sal_relations_residual(rows, z, zd, phi, phidot);
}

void sal_rows_jacobian(const sal_rows *rows, const double *z, double *entry)
{
    memset(entry, 0, sizeof *entry * (size_t)(rows->model->jp[rows->model->m] + 1));
    sal_terms_jacobian(rows, z, entry);
    if (rows->model->nrelation) sal_relations_jacobian(rows, z, entry);
}

void sal_rows_held_jacobian(const sal_rows *rows, const double *z, double *entry)
{
    const sal_model *model = rows->model;

    sal_rows_jacobian(rows, z, entry);
    for (int r = 0; r < model->m; r++) {
        for (int k = model->jp[r]; k < model->jp[r + 1] && !rows->mode->held[r]; k++) entry[k] = 0.0;
    }
}

void sal_rows_motion(const sal_rows *rows, const double *z, const double *zd, const double *zdd, double *entry,
                     double *c)
{
    const sal_model *model = rows->model;

    memset(entry, 0, sizeof *entry * (size_t)(model->jp[model->m] + 1));
    memset(c, 0, sizeof *c * (size_t)model->m);
    sal_terms_motion(rows, z, zd, zdd, entry, c);
    if (model->nrelation) sal_relations_motion(rows, z, zd, zdd, entry, c);
}

void sal_rows_residual_jvp(const sal_rows *rows, const double *z, const double *zd, sal_directions d, double *dphi,
                           double *dphidot)
{
    const size_t size = (size_t)rows->model->m * (size_t)d.p;

    memset(dphi, 0, sizeof *dphi * size);
    if (zd) memset(dphidot, 0, sizeof *dphidot * size);
    sal_terms_residual_jvp(rows, z, zd, d, dphi, dphidot);
    if (rows->model->nrelation) sal_relations_residual_jvp(rows, z, zd, d, dphi, dphidot);
}

void sal_rows_force_jvp(const sal_rows *rows, const double *z, const double *lambda, sal_directions d, double *force)
{
    sal_terms_force_jvp(rows, z, lambda, d, force);
    if (rows->model->nrelation) sal_relations_force_jvp(rows, z, lambda, d, force);
}

void sal_rows_motion_jvp(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                         const double *lambda, sal_directions d, double *dphidd, double *force)
{
    memset(dphidd, 0, sizeof *dphidd * (size_t)rows->model->m * (size_t)d.p);
    sal_terms_motion_jvp(rows, z, zd, zdd, lambda, d, dphidd, force);
    if (rows->model->nrelation) sal_relations_motion_jvp(rows, z, zd, zdd, lambda, d, dphidd, force);
}

void sal_rows_residual_vjp(const sal_rows *rows, const double *z, const double *zd, const double *phi,
                           const double *phidot, sal_cotangents bar)
{
    sal_terms_residual_vjp(rows, z, zd, phi, phidot, bar);
    if (rows->model->nrelation) sal_relations_residual_vjp(rows, z, zd, phi, phidot, bar);
}

void sal_rows_force_vjp(const sal_rows *rows, const double *z, const double *lambda, const double *w,
                        sal_cotangents bar)
{
    sal_terms_force_vjp(rows, z, lambda, w, bar);
    if (rows->model->nrelation) sal_relations_force_vjp(rows, z, lambda, w, bar);
}

void sal_rows_motion_vjp(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                         const double *phidd, sal_cotangents bar)
{
    sal_terms_motion_vjp(rows, z, zd, zdd, phidd, bar);
    if (rows->model->nrelation) sal_relations_motion_vjp(rows, z, zd, zdd, phidd, bar);
}

void sal_rows_force_second(const sal_rows *rows, const double *z, const double *lambda, const double *dlambda,
                           const double *w, const double *dz, sal_directions d, double *out)
{
    sal_terms_force_second(rows, z, lambda, dlambda, w, dz, d, out);
    if (rows->model->nrelation) sal_relations_force_second(rows, z, lambda, dlambda, w, dz, d, out);
}
