/* slide.c - law `slide`: a plastic impact along the normal, nothing along the tangent.
 *
 *     gapdot+ = 0,   T = 0
 *
 * It holds as long as its normal force pushes. */
#include "contacts/law.h"

static void emit(sal_builder *b, const law *l, const gap *g)
{
    sal_contact contact = law_contact(b, l, g);

    contact.slip = sal_formula(g->slip); /* to be read: nothing acts along it */
    sal_add_contact(b, g->label, &contact);
    law_draw(b, g, NULL, NULL, g->binds);
}

static const char *const uses[] = { "rest", "guard", "where", NULL };

const law_type law_slide = { "slide", uses, emit };
