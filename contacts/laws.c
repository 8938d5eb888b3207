/* laws.c - the table of contact laws. */
#include "contacts/law.h"

#include <string.h>

extern const law_type law_impact, law_reset, law_stick, law_slide, law_compliant;

static const law_type *const laws[] = { &law_impact, &law_reset, &law_stick, &law_slide, &law_compliant };

const char *const law_words[] = { "impact", "reset", "stick", "slide", "compliant", NULL }; /* in the same order */

void law_emit(sal_builder *b, const law *l, const gap *g)
{
    static const char *const along[] = { "mu_static", "mu_kinetic", "slip_speed" };

    for (int k = 0; k < SAL_COUNT(along) && !g->slip; k++) {
        if (sal_field_given(b, along[k])) sal_element_error(b, along[k], "nothing slips here: there is no friction");
    }
    laws[l->kind]->emit(b, l, g);
}

sal_contact law_contact(sal_builder *b, const law *l, const gap *g)
{
    return (sal_contact){ .gap         = sal_formula(g->gap),
                          .guard       = l->guard,
                          .binds       = g->binds,
                          .closed      = g->closed,
                          .restitution = sal_derive(b, "0", NULL),
                          .rest        = l->rest,
                          .mu_static   = SAL_NONE,
                          .mu_kinetic  = SAL_NONE };
}

bool law_closed(sal_points closed, const char *name)
{
    for (int k = 0; k < closed.n; k++) {
        if (!strcmp(closed.name[k], name)) return true;
    }
    return false;
}
