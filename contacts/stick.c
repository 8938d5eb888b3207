/* stick.c - law `stick`: a plastic impact that pins the point where it landed.
 *
 *     gapdot+ = 0, slip+ = 0, with whatever impulse and force along the tangent that takes
 *
 * It holds as long as its normal force pushes. Where that has fallen to zero and the point would still be pressed on,
 * once nothing holds it along the tangent, it slides on without friction. */
#include "contacts/law.h"

static void emit(sal_builder *b, const law *l, const gap *g)
{
    sal_add_contact(b, g->label,
                    &(sal_contact){ .gap         = sal_formula(g->gap),
                                    .slip        = sal_formula(g->slip),
                                    .guard       = l->guard,
                                    .binds       = g->binds,
                                    .closed      = g->closed,
                                    .restitution = sal_derive(b, "0", NULL),
                                    .rest        = l->rest,
                                    .mu_static   = SAL_NONE,
                                    .mu_kinetic  = SAL_NONE,
                                    .bonded      = true });
}

const law_type law_stick = { "stick", emit };
