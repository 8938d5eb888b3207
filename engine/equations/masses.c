/* masses.c - inertia, gravity and driven points.
 *
 * The mass matrix M goes over all points, fixed and driven ones too. With G = (gx, gy) for every basic point:
 *
 *     F = M G - M a,      of which M a of the coordinates stands on the left side of the equations
 *     E = v^T M v / 2 - G^T M z
 */
#include "engine/base/vector.h"
#include "engine/equations/equations.h"

static double gravity_of(const sal_model *model, const double *z, int slot)
{
    return z[model->tables->gravity[model->axis[slot]]];
}

void sal_masses_gravity(const sal_model *model, const double *z, const double *mass, double *force)
{
    const sal_tables *tables = model->tables;

    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m = &tables->masses.at[k];
        force[m->i] += mass[k] * gravity_of(model, z, m->j);
        if (m->i != m->j) force[m->j] += mass[k] * gravity_of(model, z, m->i);
    }
}

void sal_masses_driven(const sal_model *model, const double *zdd, const double *mass, double *force)
{
    const sal_tables *tables = model->tables;
    const int         n      = model->n;

    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m = &tables->masses.at[k];
        if (m->j >= n) force[m->i] -= mass[k] * zdd[m->j];
        if (m->i >= n && m->i != m->j) force[m->j] -= mass[k] * zdd[m->i];
    }
}

double sal_masses_energy(const sal_model *model, const double *z, const double *zd, const double *mass)
{
    const sal_tables *tables = model->tables;
    double            energy = 0.0;

    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m = &tables->masses.at[k];
        if (m->i == m->j) {
            energy += mass[k] * (0.5 * zd[m->i] * zd[m->i] - gravity_of(model, z, m->i) * z[m->i]);
        } else {
            energy += mass[k] * (zd[m->i] * zd[m->j] - gravity_of(model, z, m->i) * z[m->j] -
                                 gravity_of(model, z, m->j) * z[m->i]);
        }
    }
    return energy;
}

/* -------------------------------------------------------------------------------------- tangents */

#define ROW(array, slot) SAL_ROW(array, slot, p)

void sal_masses_gravity_jvp(const sal_model *model, const double *z, const double *mass, const double *dmass,
                            sal_directions d, double *force)
{
    const sal_tables *tables = model->tables;
    const int         p      = d.p;

    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m  = &tables->masses.at[k];
        const double    gi = gravity_of(model, z, m->i), gj = gravity_of(model, z, m->j);
        const double   *dgi = ROW(d.dz, tables->gravity[model->axis[m->i]]),
                     *dgj   = ROW(d.dz, tables->gravity[model->axis[m->j]]);
        for (int c = 0; c < p; c++) {
            const double dm = ROW(dmass, k)[c];
            ROW(force, m->i)[c] += dm * gj + mass[k] * dgj[c];
            if (m->i != m->j) ROW(force, m->j)[c] += dm * gi + mass[k] * dgi[c];
        }
    }
}

void sal_masses_inertia_jvp(const sal_model *model, const double *zdd, const double *mass, const double *dmass,
                            const int *changing, int nchanging, sal_directions d, double *force)
{
    const int n = model->n, p = d.p;

    for (int i = 0; i < nchanging; i++) {
        const int       k  = changing[i];
        const sal_mass *m  = &model->tables->masses.at[k];
        const double   *dm = ROW(dmass, k), *di = ROW(d.dzdd, m->i), *dj = ROW(d.dzdd, m->j);
        const double    mi = m->i < n ? 0.0 : mass[k], mj = m->j < n ? 0.0 : mass[k];
        for (int c = 0; c < p; c++) ROW(force, m->i)[c] -= dm[c] * zdd[m->j] + mj * dj[c];
        if (m->i == m->j) continue;
        for (int c = 0; c < p; c++) ROW(force, m->j)[c] -= dm[c] * zdd[m->i] + mi * di[c];
    }
}

void sal_masses_energy_jvp(const sal_model *model, const double *z, const double *zd, const double *mass,
                           const double *dmass, sal_directions d, double *energy)
{
    const sal_tables *tables = model->tables;
    const int         p      = d.p;

    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m = &tables->masses.at[k];
        const double  gi = gravity_of(model, z, m->i), gj = gravity_of(model, z, m->j), half = m->i == m->j ? 0.5 : 1.0;
        const double *dgi = ROW(d.dz, tables->gravity[model->axis[m->i]]),
                     *dgj = ROW(d.dz, tables->gravity[model->axis[m->j]]);
        const double *zi = ROW(d.dz, m->i), *zj = ROW(d.dz, m->j), *vi = ROW(d.dzd, m->i), *vj = ROW(d.dzd, m->j);
        const double  per_mass = half * (zd[m->i] * zd[m->j] - gi * z[m->j] - gj * z[m->i]);
        for (int c = 0; c < p; c++) {
            energy[c] += ROW(dmass, k)[c] * per_mass + half * mass[k] *
                                                           (vi[c] * zd[m->j] + zd[m->i] * vj[c] - dgi[c] * z[m->j] -
                                                            gi * zj[c] - dgj[c] * z[m->i] - gj * zi[c]);
        }
    }
}

/* ------------------------------------------------------------------------------------ cotangents */

void sal_masses_gravity_vjp(const sal_model *model, const double *z, const double *mass, const double *w,
                            sal_cotangents bar)
{
    const sal_tables *tables = model->tables;

    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m  = &tables->masses.at[k];
        const sal_slot  gi = tables->gravity[model->axis[m->i]], gj = tables->gravity[model->axis[m->j]];
        bar.mass[k] += w[m->i] * z[gj];
        bar.z[gj] += mass[k] * w[m->i];
        if (m->i == m->j) continue;
        bar.mass[k] += w[m->j] * z[gi];
        bar.z[gi] += mass[k] * w[m->j];
    }
}

void sal_masses_inertia_vjp(const sal_model *model, const double *zdd, const double *mass, const double *w,
                            sal_cotangents bar)
{
    for (int k = 0; k < model->tables->masses.n; k++) {
        const sal_mass *m = &model->tables->masses.at[k];
        bar.mass[k] -= w[m->i] * zdd[m->j];
        bar.zdd[m->j] -= mass[k] * w[m->i];
        if (m->i == m->j) continue;
        bar.mass[k] -= w[m->j] * zdd[m->i];
        bar.zdd[m->i] -= mass[k] * w[m->j];
    }
}

void sal_masses_energy_vjp(const sal_model *model, const double *z, const double *zd, const double *mass, double w,
                           sal_cotangents bar)
{
    const sal_tables *tables = model->tables;

    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m  = &tables->masses.at[k];
        const sal_slot  gi = tables->gravity[model->axis[m->i]], gj = tables->gravity[model->axis[m->j]];
        const double    half = (m->i == m->j ? 0.5 : 1.0) * w, by = half * mass[k];
        bar.mass[k] += half * (zd[m->i] * zd[m->j] - z[gi] * z[m->j] - z[gj] * z[m->i]);
        bar.zd[m->i] += by * zd[m->j];
        bar.zd[m->j] += by * zd[m->i];
        bar.z[m->j] -= by * z[gi];
        bar.z[m->i] -= by * z[gj];
        bar.z[gi] -= by * z[m->j];
        bar.z[gj] -= by * z[m->i];
    }
}
