/* reset.c - law `reset`: the normal velocity is set, v_n+ = -e v_n-, whatever impulses that takes.
 *
 * A prescribed law, in general not an impulse: it is short for an event with "set": { "vy(P)": "-e*vy(P)" }. The
 * velocities marked `dof` that are not set stay as they are, all others follow (event.c). It rebounds but cannot
 * hold. */
#include "contacts/law.h"

static void emit(sal_builder *b, const law *l, const gap *g)
{
    const char *guard = l->guard.text ? "ends >= 0 and guard" : "ends >= 0";
    sal_bind    binds[LAW_BINDS];

    law_join(g->binds,
             (sal_bind[]){ { "restitution", l->restitution },
                           { "gapdot", .formula = sal_formula(g->gap), .rate = true },
                           { "ends", .formula = sal_formula(g->ends) },
                           { "guard", .formula = l->guard },
                           { 0 } },
             binds);
    if (g->closed) sal_element_error(b, "closed", "the law '%s' cannot hold a contact closed", "reset");
    sal_event_begin(b, g->label, SAL_FALLING);
    sal_event_when(b, sal_formula(g->gap), binds);
    sal_event_gap(b);
    if (g->ends) sal_event_guard(b, sal_formula(guard), binds);
    else if (l->guard.text) sal_event_guard(b, l->guard, binds);
    sal_event_set(b, sal_formula("gapdot"), sal_formula("-restitution * gapdot"), binds);
    sal_add_gap(b, g->label,
                &(sal_gap_formulas){ .gap = sal_formula(g->gap), .slip = sal_formula(g->slip), .binds = binds });
    law_draw(b, g, NULL, NULL, binds);
}

static const char *const uses[] = { "restitution", "guard", NULL };

const law_type law_reset = { "reset", uses, emit };
