/* view.c - programs and the energy at a state that is given as arrays, without touching the system; see motion.h. */
#include <string.h>

#include "engine/motion/motion.h"

static double value_of(const sal_view *w, const sal_program *p, const double *energy, double *value)
{
    const double *const source[SAL_SRC_COUNT] = { [SAL_SRC_Z]      = w->z,
                                                  [SAL_SRC_ZD]     = w->zd,
                                                  [SAL_SRC_ZDD]    = w->zdd,
                                                  [SAL_SRC_LAMBDA] = w->lambda,
                                                  [SAL_SRC_ENERGY] = energy };

    return sal_program_value(p, source, value);
}

double sal_view_energy(const sal_view *w, double *value)
{
    const sal_tables *tables = w->system->model->tables;
    double            energy = sal_masses_energy(w->system->model, w->z, w->zd, w->system->mass);

    sal_springs_energy(w->system->model, w->z, &energy);
    for (int k = 0; k < tables->energies.n; k++) energy += value_of(w, &tables->energies.at[k], NULL, value);
    return energy;
}

double sal_view_value(const sal_view *w, const sal_program *p, double *value)
{
    double energy = 0.0;

    if (p->reads & (1u << SAL_SRC_ENERGY)) energy = sal_view_energy(w, value);
    return value_of(w, p, &energy, value);
}

/* Adds slope times the derivatives of each leaf of a program whose values are in `value`; gives the slope of the
 * energy. */
static double add_chain(const sal_view *w, const sal_program *p, double slope, const double *value, double *first,
                        double *out)
{
    const double *const rows[SAL_SRC_COUNT] = {
        [SAL_SRC_Z] = w->dz, [SAL_SRC_ZD] = w->dzd, [SAL_SRC_ZDD] = w->dzdd, [SAL_SRC_LAMBDA] = w->dlambda
    };
    const int columns   = w->tangent->p;
    double    of_energy = 0.0;

    sal_program_gradient(p, value, first);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        const double    by   = slope * first[p->leaf[k]];
        if (leaf->a == SAL_SRC_ENERGY) of_energy += by;
        if (leaf->a == SAL_SRC_ENERGY || by == 0.0) continue;
        const double *row = rows[leaf->a] + (size_t)leaf->b * (size_t)columns;
        for (int c = 0; c < columns; c++) {
            if (row[c] != 0.0) out[c] += by * row[c]; /* a slope may be infinite where nothing moves along it */
        }
    }
    return of_energy;
}

void sal_view_gradient(const sal_view *w, const sal_program *p, double *value, double *first, double *energy,
                       double *out)
{
    const sal_model     *model   = w->system->model;
    const sal_tables    *tables  = model->tables;
    const int            columns = w->tangent->p;
    const sal_directions d       = { columns, w->dz, w->dzd, w->dzdd, NULL };
    double               slope;

    memset(out, 0, sizeof *out * (size_t)columns);
    sal_view_value(w, p, value);
    slope = add_chain(w, p, 1.0, value, first, out);
    if (slope == 0.0) return;
    memset(energy, 0, sizeof *energy * (size_t)columns);
    sal_masses_energy_jvp(model, w->z, w->zd, w->system->mass, w->tangent->mass, d, energy);
    sal_springs_energy_jvp(model, w->z, d, energy);
    for (int k = 0; k < tables->energies.n; k++) {
        value_of(w, &tables->energies.at[k], NULL, value);
        add_chain(w, &tables->energies.at[k], 1.0, value, first, energy);
    }
    for (int c = 0; c < columns; c++) out[c] += slope * energy[c];
}
