/* laws.c - the table of contact laws. */
#include "contacts/law.h"

#include <stdio.h>
#include <string.h>

extern const law_type law_impact, law_newton, law_reset, law_stick, law_slide, law_compliant;

static const law_type *const laws[] = { &law_impact, &law_newton, &law_reset, &law_stick, &law_slide, &law_compliant };

const char *const law_words[] = {
    "impact", "newton", "reset", "stick", "slide", "compliant", NULL
}; /* in the same order */

/* What is given must matter. */
static void check_given(sal_builder *b, const law_type *type, const gap *g)
{
    static const char *const along[] = { "mu_static", "mu_kinetic", "slip_speed" };
    static const char *const all[]   = { "restitution", "mu_static", "mu_kinetic", "rest",    "guard",
                                         "where",       "stiffness", "exponent",   "damping", "slip_speed" };

    for (int k = 0; k < SAL_COUNT(along) && !g->slip; k++) {
        if (sal_field_given(b, along[k])) sal_element_error(b, along[k], "nothing slips here: there is no friction");
    }
    for (int k = 0; k < SAL_COUNT(all); k++) {
        bool used = false;
        for (int i = 0; type->uses[i]; i++) used = used || !strcmp(type->uses[i], all[k]);
        if (!used && sal_field_given(b, all[k]))
            sal_element_error(b, all[k], "the law '%s' does not use '%s'", type->name, all[k]);
    }
}

bool law_is_compliant(const law *l)
{
    return laws[l->kind] == &law_compliant;
}

bool law_holds(const law *l)
{
    return laws[l->kind] != &law_compliant && laws[l->kind] != &law_reset;
}

void law_emit(sal_builder *b, const law *l, const gap *given)
{
    gap with = *given, *const g = &with;

    if (g->first) check_given(b, laws[l->kind], g);
    if (g->also && !g->label[0]) sal_also_named(b, g->also);
    g->on = sal_contact_switch(b, g->label, g->also, l->active);
    if (g->closed && !l->active)
        sal_element_error(b, "active", "it is said to begin closed, and to be off; expected the one or the other");
    laws[l->kind]->emit(b, l, g);
    for (int k = 0; k < SAL_CONTACT_CHANGES; k++) {
        const sal_bind point[] = { { "point", .point = g->point, .offered = true }, { 0 } };
        if (!l->on[k].given) continue;
        if (sal_event_of_contact(b, (sal_contact_change)k)) sal_event_act(b, &l->on[k], g->point ? point : NULL);
        else if (g->first)
            sal_element_error(b, "on", "'%s' cannot happen with the law '%s'%s", sal_contact_changes[k],
                              laws[l->kind]->name, k >= SAL_ON_SLIP ? " and no friction" : "");
    }
}

sal_contact law_contact(sal_builder *b, const law *l, const gap *g)
{
    return (sal_contact){ .gap         = sal_formula(g->gap),
                          .guard       = l->guard,
                          .ends        = { .text = g->ends },
                          .where       = l->where,
                          .follows     = g->follows,
                          .on          = g->on,
                          .place       = { g->place[0], g->place[1] },
                          .binds       = g->binds,
                          .closed      = g->closed,
                          .undefined   = g->undefined,
                          .restitution = sal_derive(b, "0", NULL),
                          .rest        = l->rest,
                          .mu_static   = SAL_NONE,
                          .mu_kinetic  = SAL_NONE };
}

void law_draw(sal_builder *b, const gap *g, const char *push, const char *friction, const sal_bind *binds)
{
    if (!g->normal[0]) return;
    sal_draw_contact(b, &(sal_contact_drawing){ .point    = *g->point,
                                                .radius   = g->radius,
                                                .normal   = { g->normal[0], g->normal[1] },
                                                .push     = push,
                                                .friction = friction,
                                                .left     = g->left,
                                                .binds    = binds });
}

void law_join(const sal_bind *one, const sal_bind *two, sal_bind out[LAW_BINDS])
{
    int n = 0;

    while (one->name && n < LAW_BINDS - 1) out[n++] = *one++;
    while (two->name && n < LAW_BINDS - 1) out[n++] = *two++;
    out[n] = (sal_bind){ 0 };
}

void law_place(const law *l, const gap *g, sal_bind out[LAW_PLACE_BINDS])
{
    int n = 0;

    for (int k = 0; k < 2 && g->place[0]; k++)
        out[n++] = (sal_bind){ k ? "y" : "x", .formula = sal_formula(g->place[k]), .offered = true, .bounds = true };
    out[n++] = (sal_bind){ "ends", .formula = sal_formula(g->ends) };
    out[n++] = (sal_bind){ "inside", .formula = l->where, .bounds = true };
    out[n++] = (sal_bind){ "guard", .formula = l->guard };
    out[n++] = (sal_bind){ "on", g->on };
    out[n]   = (sal_bind){ 0 };
}

bool law_is_bounded(const law *l, const gap *g)
{
    return g->ends || l->where.text || g->on != SAL_NONE;
}

void law_where(const law *l, const gap *g, char text[LAW_TEXT])
{
    snprintf(text, LAW_TEXT, "1%s%s%s", g->ends ? " and ends >= 0" : "", l->where.text ? " and inside >= 0" : "",
             g->on != SAL_NONE ? " and on > 0.5" : "");
}

void law_check_closed(sal_builder *b, sal_points closed, sal_points points)
{
    for (int k = 0; k < closed.n; k++) {
        if (!law_closed(points, closed.name[k]))
            sal_element_error(b, "closed", "'%s' is not one of the points that can touch", closed.name[k]);
    }
}

gap law_point(const sal_points *points, sal_points closed, int k)
{
    return (gap){ .label  = points->n > 1 ? points->name[k] : "",
                  .closed = law_closed(closed, points->name[k]),
                  .first  = k == 0,
                  .point  = &points->at[k],
                  .place  = { "x(P)", "y(P)" },
                  .also   = points->name[k] };
}

bool law_closed(sal_points closed, const char *name)
{
    for (int k = 0; k < closed.n; k++) {
        if (!strcmp(closed.name[k], name)) return true;
    }
    return false;
}
