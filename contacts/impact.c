/* impact.c - laws `impact` and `newton`: restitution with Coulomb friction.
 *
 * `impact`, Poisson's restitution, which never adds energy:
 *
 *     compression   to rest: gapdot >= 0 complementary to P_C >= 0
 *     expansion     e times that impulse more, or as much as keeps the sides apart; at most e^2 of the energy it took
 *     friction      |P_T| <= mu P along the tangent in both
 *
 * `newton`, in one phase: gapdot+ >= -e gapdot- complementary to P >= 0, |P_T| <= mu P. With friction, or together with
 * other contacts, it may add energy, which the event then says.
 *
 * For one contact without friction both are gapdot+ = -e gapdot-. Where e = 0, or where rebounds have become slower
 * than `rest` and the contact is pressed together, it stays closed: N >= 0 and |T| <= mu_static N while it sticks,
 * T = -+ mu_kinetic N while it slides; it opens when N falls to 0. */
#include "contacts/law.h"

static void emit(sal_builder *b, const law *l, const gap *g, bool newton)
{
    sal_contact contact = law_contact(b, l, g);

    contact.slip        = sal_formula(g->slip);
    contact.restitution = l->restitution;
    contact.newton      = newton;
    contact.mu_kinetic  = l->mu_kinetic != SAL_NONE ? l->mu_kinetic : l->mu_static;
    contact.mu_static   = l->mu_static != SAL_NONE ? l->mu_static : l->mu_kinetic;
    if (l->mu_static != SAL_NONE &&
        l->mu_kinetic != SAL_NONE) /* what slides less easily than it starts to would never */
        contact.mu_static =
            sal_derive(b, "max(s, k)", (sal_bind[]){ { "s", l->mu_static }, { "k", l->mu_kinetic }, { 0 } });
    sal_add_contact(b, g->label, &contact);
    law_draw(b, g, NULL, NULL, g->binds);
}

static const char *const uses[] = { "restitution", "mu_static", "mu_kinetic", "rest", "guard", "where", NULL };

static void emit_impact(sal_builder *b, const law *l, const gap *g)
{
    emit(b, l, g, false);
}

static void emit_newton(sal_builder *b, const law *l, const gap *g)
{
    emit(b, l, g, true);
}

const law_type law_impact = { "impact", uses, emit_impact };
const law_type law_newton = { "newton", uses, emit_newton };
