/* two_points.c - rigidity and mass of a planar body on two basic points i and j.
 *
 * Rigidity, one row:      Phi = |p_j - p_i|^2 - L^2                          [m^2]
 *
 * Reaction: tension 2 L lambda [N], the force along the line of the two points that keeps their distance: that of a
 * massless rod between them, with the mass in M. It is not the force inside a bar with distributed mass.
 *
 * A material point at (x, y) of the body frame is r = p_i + (x/L) d + (y/L) R d with d = p_j - p_i, R (x, y) = (-y, x).
 * With J = I_i / L^2, a = m xc / L, b = m yc / L and I_i = I_c + m (xc^2 + yc^2) the kinetic energy
 *
 *     T = 1/2 [ m |v_i|^2 + J |v_j - v_i|^2 + 2 a v_i.(v_j - v_i) + 2 b v_i.R (v_j - v_i) ]
 *
 * is a quadratic form with the constant blocks M_ii = m - 2a + J, M_jj = J, M_ij = (a - J) and b R. A uniform bar has
 * m/3 and m/6. */
#include "bodies/two_points.h"

static sal_slot derive(sal_builder *b, const two_points *s, const char *formula, sal_slot J)
{
    return sal_derive(b, formula,
                      (sal_bind[]){ { "m", s->mass },
                                    { "L", s->length },
                                    { "I", s->inertia },
                                    { "x", s->x },
                                    { "y", s->y },
                                    { "J", J },
                                    { 0 } });
}

void two_points_emit(const two_points *s, sal_builder *b)
{
    const sal_point i = s->end[0], j = s->end[1];
    const bool      aside = s->y != SAL_NONE; /* the centre of mass may lie off the axis */
    const sal_slot  J     = derive(b, s, aside ? "(I + m*(x^2 + y^2)) / L^2" : "(I + m*x^2) / L^2", SAL_NONE);
    const sal_slot  mii   = derive(b, s, "m - 2*m*x/L + J", J);
    const sal_slot  mij   = derive(b, s, "m*x/L - J", J);

    sal_row_begin(b, "");
    sal_add_dot(b, 1.0, i, j, i, j);
    sal_add_product(b, -1.0, s->length, s->length);
    sal_add_reaction(b, "tension", "N", "2*L*f",
                     (sal_bind[]){ { "L", s->length }, { "f", .multiplier = sal_row_multiplier(b) }, { 0 } });

    sal_add_mass(b, i, i, mii);
    sal_add_mass(b, j, j, J);
    sal_add_mass(b, i, j, mij);
    if (aside) sal_add_mass_turned(b, i, j, derive(b, s, "-m*y/L", J)); /* v_i.R v_j = -v_i x v_j */
    sal_draw_body(b);
    sal_draw_centre(b, s->x, s->y);
}
