/* stick.c - law `stick`: a plastic impact that pins the point where it landed.
 *
 *     gapdot+ = 0, slip+ = 0, with whatever impulse and force along the tangent that takes
 *
 * It holds as long as its normal force pushes. Where that has fallen to zero and the point would still be pressed on,
 * once nothing holds it along the tangent, it slides on without friction. */
#include "contacts/law.h"

static void emit(sal_builder *b, const law *l, const gap *g)
{
    sal_contact contact = law_contact(b, l, g);

    contact.slip   = sal_formula(g->slip);
    contact.bonded = true;
    sal_add_contact(b, g->label, &contact);
    law_draw(b, g, NULL, NULL, g->binds);
}

static const char *const uses[] = { "rest", "guard", "where", NULL };

const law_type law_stick = { "stick", uses, emit };
