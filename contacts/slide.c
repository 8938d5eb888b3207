/* slide.c - law `slide`: a plastic impact along the normal, nothing along the tangent.
 *
 *     gapdot+ = 0,   T = 0
 *
 * It holds as long as its normal force pushes. */
#include "contacts/law.h"

static void emit(sal_builder *b, const law *l, const gap *g)
{
    sal_add_contact(b, g->label,
                    &(sal_contact){ .gap         = sal_formula(g->gap),
                                    .guard       = l->guard,
                                    .binds       = g->binds,
                                    .closed      = g->closed,
                                    .restitution = sal_derive(b, "0", NULL),
                                    .rest        = l->rest,
                                    .mu_static   = SAL_NONE,
                                    .mu_kinetic  = SAL_NONE });
}

const law_type law_slide = { "slide", emit };
