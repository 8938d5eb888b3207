/* compliant.c - law `compliant`: a force instead of an impact (Hunt and Crossley), with regularised friction.
 *
 *     N = k d^n (1 + 3/2 c d')  where d = -gap > 0, never negative       T = -mu_kinetic N tanh(slip / slip_speed)
 *
 * Where the gap changes its sign there is an event, which changes nothing: the force is not smooth there. */
#include "contacts/law.h"

static const char normal[]   = "if(gap < 0, stiffness * (-gap)^exponent * max(0, 1 - 1.5 * damping * gapdot), 0)";
static const char friction[] = "-mu * N * tanh(slip / slip_speed)";

static void emit(sal_builder *b, const law *l, const gap *g)
{
    const sal_slot mu = l->mu_kinetic != SAL_NONE ? l->mu_kinetic : l->mu_static;
    sal_bind       binds[LAW_BINDS];

    law_join(g->binds,
             (sal_bind[]){ { "stiffness", l->stiffness },
                           { "exponent", l->exponent },
                           { "damping", l->damping },
                           { "slip_speed", l->slip_speed },
                           { "mu", mu },
                           { "gap", .formula = sal_formula(g->gap) },
                           { "gapdot", .formula = sal_formula(g->gap), .rate = true },
                           { "N", .formula = sal_formula(normal) },
                           { "slip", .formula = sal_formula(g->slip ? g->slip : "0") },
                           { 0 } },
             binds);
    if (l->stiffness == SAL_NONE) {
        sal_element_error(b, "", "missing key 'stiffness': the law 'compliant' needs it");
        return;
    }
    if (l->guard.text)
        sal_element_error(b, "guard", "a compliant contact acts wherever the gap is negative; it cannot have a guard");
    if (g->closed) sal_element_error(b, "closed", "the law '%s' cannot hold a contact closed", "compliant");
    sal_event_begin(b, g->label, SAL_BOTH);
    sal_event_when(b, sal_formula(g->gap), binds);
    sal_add_force(b, sal_formula("gapdot"), sal_formula("N"), binds);
    if (g->slip && mu != SAL_NONE) sal_add_force(b, sal_formula("slip"), sal_formula(friction), binds);
    law_draw(b, g, "N", g->slip && mu != SAL_NONE ? friction : NULL, binds);
}

static const char *const uses[] = { "mu_static", "mu_kinetic", "stiffness", "exponent",
                                    "damping",   "slip_speed", "guard",     NULL };

const law_type law_compliant = { "compliant", uses, emit };
