/* jam.c - sliding contacts that are about to jam.
 *
 * With everything else as it is in the mode, the normal force of a sliding contact is n = -b / A, where
 *
 *     A = N K^-1 (N -+ mu T)^T         K [x; y] = [0; e_N],   A = -1/y
 *
 * is what the gap gains by a normal force and the friction that comes with it. Where A falls to zero n grows without
 * bound, like one over the time that is left: what slides is stopped within less than any step (Painleve). So A is
 * looked at after every step, in comparison with what it is without friction, A_0; where nothing is left of it the
 * contact jams. */
#include <string.h>

#include "engine/base/tolerance.h"
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

/* The same with coupling k taken out; the mode is as before afterwards, the factors are not. */
static double give_without(sal_contacts *c, sal_system *s, int k)
{
    const int row = s->mode.coupling[k].row;
    double    A   = 0.0;

    sal_mode_copy(&c->mode, &s->mode);
    sal_mode_uncouple(&s->mode);
    for (int i = 0; i < c->mode.portions; i++) sal_mode_share(&s->mode, c->mode.portion[i]);
    for (int i = 0; i < c->mode.couplings; i++) {
        if (i != k) sal_mode_couple(&s->mode, c->mode.coupling[i]);
    }
    sal_system_prepare(s);
    if (sal_system_accelerate(s) == SAL_OK) A = give(s, row);
    sal_system_set_mode(s, &c->mode);
    sal_system_prepare(s);
    return A;
}

bool sal_contacts_jamming(sal_contacts *c, sal_system *s)
{
    for (int k = 0; k < s->mode.couplings; k++) {
        const sal_coupling *x    = &s->mode.coupling[k];
        const double        unit = s->motion.scale[s->model->n + x->row]; /* 1 over the inverse mass without joints */
        if (x->leans || give(s, x->row) * unit * unit > SAL_JAM_NEAR) continue;
        const double A0 = give_without(c, s, k);
        if (sal_system_accelerate(s) != SAL_OK) return false;
        if (!(give(s, x->row) < SAL_JAM * A0)) continue;
        c->jam     = c->of_row[x->row];
        c->gradual = true;
        return true;
    }
    return false;
}
