/* slide.c - law `slide`: a plastic impact along the normal, nothing along the tangent.
 *
 *     gapdot+ = 0,   T = 0
 *
 * It holds as long as its normal force pushes. */
#include "contacts/law.h"

static void emit(sal_builder *b, const law *l, const gap *g)
{
    const sal_contact contact = law_contact(b, l, g);

    sal_add_contact(b, g->label, &contact);
    law_draw(b, g, NULL, NULL, g->binds);
}

static const char *const uses[] = { "guard", "where", NULL };

const law_type law_slide = { "slide", uses, emit };
