/* compliant.c - law `compliant`: a force instead of an impact (Hunt and Crossley), with regularised friction.
 *
 *     N = k d^n (1 + 3/2 c d')  where d = -gap > 0, never negative       T = -mu_kinetic N tanh(slip / slip_speed)
 *
 * It stores k d^(n+1)/(n+1). Where the gap changes its sign there is an event, which changes nothing but tells. */
#include <stdio.h>

#include "contacts/law.h"

static const char normal[]   = "if(gap < 0, stiffness * (-gap)^exponent * max(0, 1 - 1.5 * damping * gapdot), 0)";
static const char energy[]   = "if(gap < 0, stiffness * (-gap)^(exponent + 1) / (exponent + 1), 0)";
static const char friction[] = "-mu * N * tanh(slip / slip_speed)";

static void emit(sal_builder *b, const law *l, const gap *g)
{
    const sal_slot mu   = l->mu_kinetic != SAL_NONE ? l->mu_kinetic : l->mu_static;
    const bool     rubs = g->slip && mu != SAL_NONE;
    sal_bind       binds[LAW_BINDS];
    char           label[2][160];

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
    snprintf(label[0], sizeof label[0], "%s%snormal", g->label, g->label[0] ? "." : "");
    snprintf(label[1], sizeof label[1], "%s%sfriction", g->label, g->label[0] ? "." : "");
    sal_event_begin(b, g->label, SAL_BOTH);
    sal_event_when(b, sal_formula(g->gap), binds);
    sal_add_force(b, sal_formula("gapdot"), sal_formula("N"), binds);
    if (rubs) sal_add_force(b, sal_formula("slip"), sal_formula(friction), binds);
    sal_add_energy(b, energy, binds);
    sal_add_reaction(b, label[0], "N", "N", binds);
    if (rubs) sal_add_reaction(b, label[1], "N", friction, binds);
    sal_add_gap(b, g->label,
                &(sal_gap_formulas){ .gap      = sal_formula("gap"),
                                     .slip     = sal_formula(g->slip),
                                     .normal   = sal_formula("N"),
                                     .friction = sal_formula(rubs ? friction : NULL),
                                     .closed   = sal_formula("gap < 0"),
                                     .binds    = binds });
    law_draw(b, g, "N", rubs ? friction : NULL, binds);
}

static const char *const uses[] = { "mu_static", "mu_kinetic", "stiffness", "exponent",
                                    "damping",   "slip_speed", "guard",     NULL };

const law_type law_compliant = { "compliant", uses, emit };
