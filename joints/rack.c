/* rack.c - a pinion and a rack, which moves along the direction e; the pinion is on the left of e.
 *
 *     Phi = (P - C) . e - r (angle(B) - psi) - phase = 0                [m], one row
 *
 * C centre and B body of the pinion, P a point of the rack. e is a direction of the world (psi = 0), or leads along a
 * line of the rack, whose body, if it is named, has the angle psi. Angles count turns. How far apart they are is the
 * matter of other joints. Reaction: the tooth force -lambda [N] on the rack along e, at P, which therefore belongs on
 * its pitch line; the pinion gets the opposite, on its rim. An event that lets the joint hold must find it in phase. */
#include <stdio.h>

#include "engine/ext.h"

typedef struct rack {
    const char *body, *rack;
    sal_point   centre, p, line[2];
    sal_slot    radius, angle, phase;
} rack;

static const sal_field fields[] = {
    { "body", SAL_F_BODY, offsetof(rack, body), .help = "the pinion" },
    { "centre", SAL_F_POINT, offsetof(rack, centre), .help = "centre of the pinion" },
    { "radius", SAL_F_VALUE, offsetof(rack, radius), "m", .range = SAL_POSITIVE, .help = "of its pitch circle" },
    { "point", SAL_F_POINT, offsetof(rack, p), .help = "a point or marker of the rack, on its pitch line" },
    { "angle", SAL_F_VALUE, offsetof(rack, angle), "rad", "0", "direction of the rack; the pinion is on its left" },
    { "line", SAL_F_PAIR, offsetof(rack, line), .standard = "",
      .help = "two points or markers that give the direction instead" },
    { "rack", SAL_F_BODY, offsetof(rack, rack), .standard = "",
      .help = "the body that the line belongs to; it does not turn when absent" },
    { "phase", SAL_F_VALUE, offsetof(rack, phase), "m", "",
      "way of the rack less radius times angle; as given in the scene when absent" },
};

static void emit(const void *self, sal_builder *b)
{
    const rack *s    = self;
    const bool  line = sal_field_given(b, "line");
    char        sum[200], phi[sizeof sum + 8];
    sal_bind    binds[] = { { "C", .point = &s->centre },
                            { "P", .point = &s->p },
                            { "A", .point = &s->line[0] },
                            { "D", .point = &s->line[1] },
                            { "B", .body = s->body },
                            { "R", .body = s->rack },
                            { "a", s->angle },
                            { "r", s->radius },
                            { "p", s->phase },
                            { 0 } };

    if (line && sal_field_given(b, "angle"))
        sal_element_error(b, "angle", "expected either a line or an angle, found both");
    if (s->rack && !line) sal_element_error(b, "rack", "expected 'line', the line of the rack, found none");
    snprintf(sum, sizeof sum, "%s - r*(angle(B)%s)",
             line ? "((x(P) - x(C))*(x(D) - x(A)) + (y(P) - y(C))*(y(D) - y(A)))/distance(A, D)"
                  : "(x(P) - x(C))*cos(a) + (y(P) - y(C))*sin(a)",
             s->rack ? " - angle(R)" : "");
    if (s->phase == SAL_NONE) binds[8].slot = sal_given(b, "phase", sum, binds);
    snprintf(phi, sizeof phi, "%s - p", sum);
    sal_row_formula(b, "", sal_formula(phi), binds);
    sal_add_reaction(b, "force", "N", "-f", (sal_bind[]){ { "f", .multiplier = sal_row_multiplier(b) }, { 0 } });
    sal_draw_gear(b, s->centre, "r", binds, s->body);
    sal_draw_rack(b, s->p, line ? s->line : NULL, s->angle);
}

const sal_type sal_joint_rack = {
    .name      = "rack",
    .help      = "pinion and rack",
    .size      = sizeof(rack),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "force [N] of the teeth on the rack",
};
