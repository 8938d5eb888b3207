/* compliant.c - law `compliant`: a force instead of an impact (Hunt and Crossley), with regularised friction.
 *
 *     N = k d^n (1 + 3/2 c d')  where d = -gap > 0, never negative       T = -mu_kinetic N tanh(slip / slip_speed)
 *
 * It stores k d^(n+1)/(n+1). Where the gap changes its sign there is an event, `touch` or `release`, which changes
 * nothing but tells.
 *
 * Beyond its ends, outside of `where` and while events have it off there is no force. What comes in from there below
 * the surface must not find itself pressed all at once; what leaves pressed loses what is stored, like a spring that
 * lets go. So whether it is pressed is not asked of where it is, but kept: `beside` is 1 from the event on with which
 * it leaves (`leave`), comes below the surface beyond its ends (`under`) or is below when an event turns it on
 * (scene/switched.c), until it is above again (`above`). The force is then smooth up to the event, and energies before
 * and after it are told apart. At the start nothing of this has happened: -1, and where it is decides; what begins
 * outside, on the surface or below, and comes in is `beside` as well (force and energy just before that event are told
 * as those of inside). */
#include <stdio.h>

#include "contacts/law.h"

enum { TEXT = LAW_TEXT + 160 };

static const char pressed[]  = "stiffness * (-gap)^exponent * max(0, 1 - 1.5 * damping * gapdot)";
static const char stored[]   = "stiffness * (-gap)^(exponent + 1) / (exponent + 1)";
static const char friction[] = "-mu * N * tanh(slip / slip_speed)";

/* The force and what it stores where there is a contact, and whether it is. */
typedef struct formulas {
    char closed[TEXT], normal[TEXT + 80], energy[TEXT + 80], inside[LAW_TEXT];
} formulas;

static void write_formulas(const law *l, const gap *g, formulas *f)
{
    char where[LAW_TEXT];

    law_where(l, g, where);
    if (law_is_bounded(l, g))
        snprintf(f->closed, sizeof f->closed, "gap < 0 and beside < 0.5 and (beside > -0.5 or (%s))%s", where,
                 g->on != SAL_NONE ? " and on > 0.5" : "");
    else snprintf(f->closed, sizeof f->closed, "gap < 0");
    snprintf(f->normal, sizeof f->normal, "if(%s, %s, 0)", f->closed, pressed);
    snprintf(f->energy, sizeof f->energy, "if(%s, %s, 0)", f->closed, stored);
    snprintf(f->inside, sizeof f->inside, "%s",
             g->ends && l->where.text ? "min(ends, inside)"
             : g->ends                ? "ends"
                                      : "inside");
}

static const char *name(const gap *g, const char *label, char text[TEXT])
{
    snprintf(text, TEXT, "%s%s%s", g->label, g->label[0] ? "." : "", label);
    return text;
}

/* What is told, and what `beside` becomes: in this order where several happen at one instant. */
static void emit_events(sal_builder *b, const law *l, const gap *g, const formulas *f, sal_slot beside,
                        const sal_bind *binds)
{
    enum { NOTHING = -1 };
    enum { INSIDE, OUTSIDE, ON, ANYWHERE, REGIONS };
    static const struct {
        const char   *label;
        sal_direction direction;
        bool          ends; /* where the region ends, or where the gap is zero */
        const char   *guard;
        int           region, beside, change;
    } events[]         = { { "", SAL_FALLING, false, "beside < 0.5", INSIDE, 0, SAL_ON_TOUCH },
                           { "under", SAL_FALLING, false, "beside < 0.5", OUTSIDE, 1, NOTHING },
                           { "leave", SAL_FALLING, true, "gap < 0 and beside < 0.5", ON, 1, NOTHING },
                           { "beside", SAL_RISING, true, "gap < 0 and beside < -0.5", ON, 1, NOTHING },
                           { "release", SAL_RISING, false, "beside < 0.5", INSIDE, NOTHING, SAL_ON_RELEASE },
                           { "above", SAL_RISING, false, "beside > 0.5", ANYWHERE, 0, NOTHING } };
    const bool bounded = g->ends || l->where.text;
    char       text[TEXT], guard[2 * TEXT], where[LAW_TEXT], outside[LAW_TEXT + 32];

    law_where(l, g, where);
    const char *const on = g->on != SAL_NONE ? "on > 0.5" : "1";
    snprintf(outside, sizeof outside, "not (%s) and %s", where, on);
    const char *const region[REGIONS] = { where, outside, on, "1" };
    for (int k = 0; k < SAL_COUNT(events); k++) {
        if (!bounded && (events[k].ends || events[k].region == OUTSIDE)) continue;
        if (beside == SAL_NONE && events[k].change == NOTHING) continue;
        sal_event_begin(b, events[k].label[0] ? name(g, events[k].label, text) : g->label, events[k].direction);
        sal_event_when(b, sal_formula(events[k].ends ? f->inside : g->gap), binds);
        snprintf(guard, sizeof guard, "%s and %s", events[k].guard, region[events[k].region]);
        if (beside != SAL_NONE) sal_event_guard(b, sal_formula(guard), binds);
        if (beside != SAL_NONE && events[k].beside != NOTHING)
            sal_event_note(b, beside, events[k].beside ? "1" : "0", NULL);
        if (events[k].change != NOTHING) sal_event_is(b, (sal_contact_change)events[k].change);
    }
}

static void emit(sal_builder *b, const law *l, const gap *g)
{
    const sal_slot mu     = l->mu_kinetic != SAL_NONE ? l->mu_kinetic : l->mu_static;
    const bool     rubs   = g->slip && mu != SAL_NONE;
    const sal_slot beside = law_is_bounded(l, g) ? sal_add_memory(b, "beside", g->label, "-1") : SAL_NONE;
    sal_bind       some[LAW_BINDS], binds[LAW_BINDS], place[LAW_PLACE_BINDS];
    formulas       f;
    char           label[2][TEXT];

    write_formulas(l, g, &f);
    law_place(l, g, place);
    law_join(g->binds,
             (sal_bind[]){ { "stiffness", l->stiffness },
                           { "exponent", l->exponent },
                           { "damping", l->damping },
                           { "slip_speed", l->slip_speed },
                           { "mu", mu },
                           { "gap", .formula = sal_formula(g->gap) },
                           { "gapdot", .formula = sal_formula(g->gap), .rate = true },
                           { "N", .formula = sal_formula(f.normal) },
                           { "slip", .formula = sal_formula(g->slip ? g->slip : "0") },
                           { "beside", beside },
                           { 0 } },
             some);
    law_join(some, place, binds);
    if (l->stiffness == SAL_NONE) {
        sal_element_error(b, "", "missing key 'stiffness': the law 'compliant' needs it");
        return;
    }
    if (l->guard.text)
        sal_element_error(b, "guard", "a compliant contact acts wherever the gap is negative; expected 'where'");
    if (g->closed) sal_element_error(b, "closed", "the law '%s' cannot hold a contact closed", "compliant");
    emit_events(b, l, g, &f, beside, binds);
    sal_add_force(b, sal_formula("gapdot"), sal_formula("N"), binds);
    if (rubs) sal_add_force(b, sal_formula("slip"), sal_formula(friction), binds);
    sal_add_energy(b, f.energy, binds);
    sal_add_reaction(b, name(g, "normal", label[0]), "N", "N", binds);
    if (rubs) sal_add_reaction(b, name(g, "friction", label[1]), "N", friction, binds);
    sal_add_gap(b, g->label,
                &(sal_gap_formulas){ .gap      = sal_formula("gap"),
                                     .slip     = sal_formula(g->slip),
                                     .normal   = sal_formula("N"),
                                     .friction = sal_formula(rubs ? friction : NULL),
                                     .closed   = sal_formula(f.closed),
                                     .active   = sal_formula(g->on != SAL_NONE ? "on" : NULL),
                                     .binds    = binds });
    law_draw(b, g, "N", rubs ? friction : NULL, binds);
}

static const char *const uses[] = { "mu_static",  "mu_kinetic", "stiffness", "exponent", "damping",
                                    "slip_speed", "guard",      "where",     NULL };

const law_type law_compliant = { "compliant", uses, emit };
