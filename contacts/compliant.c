/* compliant.c - law `compliant`: a force instead of an impact (Hunt and Crossley), with regularised friction.
 *
 *     N = k d^n (1 + 3/2 c d')  where d = -gap > 0, never negative       T = -mu_kinetic N tanh(slip / slip_speed)
 *
 * Where the gap changes its sign there is an event, which changes nothing: the force is not smooth there. */
#include <stdio.h>

#include "contacts/law.h"

static void emit(sal_builder *b, const law *l, const gap *g)
{
    const sal_slot mu = l->mu_kinetic != SAL_NONE ? l->mu_kinetic : l->mu_static;
    char           normal[1024], friction[2048];
    sal_bind       binds[LAW_BINDS];

    law_join(g->binds,
             (sal_bind[]){ { "stiffness", l->stiffness },
                           { "exponent", l->exponent },
                           { "damping", l->damping },
                           { "slip_speed", l->slip_speed },
                           { "mu", mu },
                           { 0 } },
             binds);
    snprintf(normal, sizeof normal, "if((%s) < 0, stiffness * (-(%s))^exponent * max(0, 1 - 1.5 * damping * (%s)), 0)",
             g->gap, g->gap, g->rate);
    snprintf(friction, sizeof friction, "-mu * (%s) * tanh((%s) / slip_speed)", normal, g->slip ? g->slip : "0");
    if (l->stiffness == SAL_NONE) {
        sal_element_error(b, "", "missing key 'stiffness': the law 'compliant' needs it");
        return;
    }
    if (l->guard.text)
        sal_element_error(b, "guard", "a compliant contact acts wherever the gap is negative; it cannot have a guard");
    sal_add_force(b, sal_formula(g->rate), sal_formula(normal), binds);
    if (g->slip && mu != SAL_NONE) sal_add_force(b, sal_formula(g->slip), sal_formula(friction), binds);
    if (g->closed) sal_element_error(b, "closed", "the law '%s' cannot hold a contact closed", "compliant");
    sal_event_begin(b, g->label, SAL_BOTH);
    sal_event_when(b, sal_formula(g->gap), binds);
}

static const char *const uses[] = { "mu_static", "mu_kinetic", "stiffness", "exponent",
                                    "damping",   "slip_speed", "guard",     NULL };

const law_type law_compliant = { "compliant", uses, emit };
