/* reset.c - law `reset`: the normal velocity is set, v_n+ = -e v_n-, whatever impulses that takes.
 *
 * A prescribed law, in general not an impulse: it is short for an event with "set": { "vy(P)": "-e*vy(P)" }. The
 * velocities marked `dof` that are not set stay as they are, all others follow (event.c). It rebounds but cannot
 * hold: touches beyond its ends, outside of `where` or while it is off are passed over. */
#include <stdio.h>

#include "contacts/law.h"

static void emit(sal_builder *b, const law *l, const gap *g)
{
    sal_bind some[LAW_BINDS], binds[LAW_BINDS], place[LAW_PLACE_BINDS];
    char     where[LAW_TEXT], guard[LAW_TEXT + 16];

    law_place(l, g, place);
    law_where(l, g, where);
    snprintf(guard, sizeof guard, "%s%s", where, l->guard.text ? " and guard" : "");
    law_join(g->binds,
             (sal_bind[]){
                 { "restitution", l->restitution }, { "gapdot", .formula = sal_formula(g->gap), .rate = true }, { 0 } },
             some);
    law_join(some, place, binds);
    if (g->closed) sal_element_error(b, "closed", "the law '%s' cannot hold a contact closed", "reset");
    sal_event_begin(b, g->label, SAL_FALLING);
    sal_event_is(b, SAL_ON_TOUCH);
    sal_event_when(b, sal_formula(g->gap), binds);
    sal_event_gap(b);
    if (law_is_bounded(l, g) || l->guard.text) sal_event_guard(b, sal_formula(guard), binds);
    sal_event_set(b, sal_formula("gapdot"), sal_formula("-restitution * gapdot"), binds);
    sal_add_gap(b, g->label,
                &(sal_gap_formulas){ .gap    = sal_formula(g->gap),
                                     .slip   = sal_formula(g->slip),
                                     .active = sal_formula(g->on != SAL_NONE ? "on" : NULL),
                                     .binds  = binds });
    law_draw(b, g, NULL, NULL, binds);
}

static const char *const uses[] = { "restitution", "guard", "where", NULL };

const law_type law_reset = { "reset", uses, emit };
