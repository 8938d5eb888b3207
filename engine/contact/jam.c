/* jam.c - sliding contacts that are about to jam.
 *
 * With everything else as it is in the mode, the normal force of a sliding contact is n = -b / A, where
 *
 *     A = N K^-1 (N -+ mu T)^T         K [x; y] = [0; e_N],   A = -1/y
 *
 * is what the gap gains by a normal force and the friction that comes with it. Where A falls to zero n grows without
 * bound, like one over the time that is left: what slides is stopped within less than any step (Painleve). So A is
 * looked at after every step, in comparison with what it is without friction, A_0; where nothing is left of it the
 * contact jams. Friction is the column u = -+ mu T^T of K beside that of the normal, and without it K is K - u e_N^T:
 *
 *     K [w; h] = [u; 0],     A_0 = (1 - h_N) A         factors, and who shares what, stay as they are
 *
 * Its time is where A = 0, tau' = -A'/A^.; with K' along a direction and K [x; y] = [0; e_N],
 *
 *     K u = -K' [x; y],     A' = u_N / y^2          tau' is the ratio of u_N along parameters and along the motion
 *
 * Whatever it began with the motion ends where b = 0 as well (in the time sigma, dt = A dsigma, nothing is singular,
 * and that point is a node): positions, velocities and their derivatives along the event have limits there, and the
 * part of A_0 that is left is what all of them are off by. */
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/contact/contact.h"

/* A of a row that holds, with the factors there are. */
static double give(sal_system *s, int row)
{
    const int n = s->model->n;

    memset(s->rhs, 0, sizeof *s->rhs * (size_t)(n + s->model->m));
    s->rhs[n + row] = 1.0;
    sal_system_solve(s, s->rhs, 1);
    return -1.0 / s->rhs[n + row];
}

/* A_0 over A. */
static double gain_without_friction(sal_system *s, const sal_coupling *x)
{
    const sal_model *model  = s->model;
    const double     factor = sal_coupling_factor(x, s->z);

    memset(s->rhs, 0, sizeof *s->rhs * (size_t)(model->n + model->m));
    for (int k = model->jp[x->along]; k < model->jp[x->along + 1]; k++) s->rhs[model->jc[k]] += factor * s->entry[k];
    sal_system_solve(s, s->rhs, 1);
    return 1.0 - s->rhs[model->n + x->row];
}

bool sal_contacts_jamming(sal_contacts *c, sal_system *s, double part)
{
    for (int k = 0; k < s->mode.couplings; k++) {
        const sal_coupling *x    = &s->mode.coupling[k];
        const double        unit = s->motion.scale[s->model->n + x->row]; /* 1 over the inverse mass without joints */
        if (x->leans) continue;
        const double A = give(s, x->row);
        if (A * unit * unit > 100.0 * part || !(A < part * A * gain_without_friction(s, x))) continue;
        c->jam     = c->of_row[x->row];
        c->gradual = 2.0 * part;
        return true;
    }
    return false;
}

void sal_contacts_jam_gradient(const sal_contacts *c, sal_system *s, sal_tangent *t, double *out)
{
    const sal_model *model = s->model;
    const int        n = model->n, m = model->m, size = n + m, p = t->p, row = model->tables->touches.at[c->jam].normal;
    const size_t     mark = sal_arena_mark(&s->arena);
    double          *x = sal_arena_take(&s->arena, model->nz), *y = sal_arena_take(&s->arena, m);

    memset(x, 0, sizeof *x * (size_t)model->nz); /* as a velocity: what is no coordinate stands still */
    give(s, row);
    memcpy(x, s->rhs, sizeof *x * (size_t)n);
    memcpy(y, s->rhs + n, sizeof *y * (size_t)m);
    sal_system_add_couplings(s, y);
    memset(t->force, 0, sizeof(double) * (size_t)model->nz * (size_t)p);
    sal_tangent_add_mass_change(t, s, x, t->force);
    sal_rows_force_jvp(&s->rows, s->z, y, sal_tangent_directions(t), t->force);
    sal_tangent_add_couplings(t, s, y, t->force);
    sal_rows_residual_jvp(&s->rows, s->z, x, (sal_directions){ p, t->z, t->none, t->none, t->inert }, t->row, t->row2);
    for (int r = 0; r < m; r++) {
        for (int k = 0; k < p && !s->mode.held[r]; k++) SAL_ROW(t->row2, r, p)[k] = 0.0;
    }
    sal_tangent_to_rhs(t, t->force, n, size, 0, 1.0);
    sal_tangent_to_rhs(t, t->row2, m, size, n, -1.0);
    sal_system_solve(s, t->rhs, p);
    for (int k = 0; k < p; k++) out[k] = t->rhs[k * size + n + row];
    sal_arena_release(&s->arena, mark);
}
