/* rolling.c - a disc rolls without slipping on a straight line, fixed or of a body; it is on the left of the line.
 *
 *     fixed      Phi_normal = (y_P - h) cos a - x_P sin a - r           slip = vx_P cos a + (vy_P - h') sin a + r omega
 *     A to B     Phi_normal = d x u / |d| - r                           slip = d . u' / |d| + r omega
 *
 * P and r are centre and radius of the disc, omega the rate of its body, h(t) and a height and inclination of a fixed
 * line, d = B - A, u = P - A. The line may turn: what touches the disc is on the line itself. Of the second row only
 * the rate is known, slip = 0 [m/s]: wherever the disc is when it begins to hold, it rolls from there. Reactions on the
 * disc: normal -lambda_normal [N], positive away from the line, and friction -lambda_slip [N] along the line, at the
 * point of contact. Both rows hold whatever the forces: a contact could lift off and slip. */
#include "engine/ext.h"

typedef struct rolling {
    sal_point   p, line[2];
    const char *body;
    sal_slot    radius, height, angle;
} rolling;

static const sal_field fields[] = {
    { "point", SAL_F_POINT, offsetof(rolling, p), .help = "centre of the disc" },
    { "radius", SAL_F_VALUE, offsetof(rolling, radius), "m", .range = SAL_POSITIVE, .help = "of the disc" },
    { "body", SAL_F_BODY, offsetof(rolling, body), .help = "the body that the disc turns with" },
    { "height", SAL_F_VALUE, offsetof(rolling, height), "m", "0", "height of the line at x = 0", .timed = true },
    { "angle", SAL_F_VALUE, offsetof(rolling, angle), "rad", "0", "its inclination, upwards along x" },
    { "line", SAL_F_PAIR, offsetof(rolling, line), .standard = "",
      .help = "two points or markers of a line to roll on instead; the disc is on the left of the way between them" },
};

#define DX    "(x(B)-x(A))"
#define DY    "(y(B)-y(A))"
#define UX    "(x(P)-x(A))"
#define UY    "(y(P)-y(A))"
#define CROSS "(" DX "*" UY "-" DY "*" UX ")"
#define ALONG "(" DX "*(vx(P)-vx(A)) + " DY "*(vy(P)-vy(A)))"

static void emit(const void *self, sal_builder *b)
{
    const rolling *s       = self;
    const bool     line    = sal_field_given(b, "line");
    const sal_bind binds[] = { { "P", .point = &s->p },
                               { "A", .point = &s->line[0] },
                               { "B", .point = &s->line[1] },
                               { "W", .body = s->body },
                               { "r", s->radius },
                               { "a", s->angle },
                               { "h", s->height },
                               { "hdot", s->height, .rate = true },
                               { 0 } };

    if (line && (sal_field_given(b, "height") || sal_field_given(b, "angle")))
        sal_element_error(b, "line", "expected either a line or its height and angle, found both");
    sal_row_formula(b, "normal",
                    sal_formula(line ? CROSS "/distance(A, B) - r" : "(y(P) - h)*cos(a) - x(P)*sin(a) - r"), binds);
    sal_add_reaction(b, "normal", "N", "-f", (sal_bind[]){ { "f", .multiplier = sal_row_multiplier(b) }, { 0 } });
    sal_row_rate(
        b, "slip",
        sal_formula(line ? ALONG "/distance(A, B) + r*rate(W)" : "vx(P)*cos(a) + (vy(P) - hdot)*sin(a) + r*rate(W)"),
        binds);
    sal_add_reaction(b, "friction", "N", "-f", (sal_bind[]){ { "f", .multiplier = sal_row_multiplier(b) }, { 0 } });
    sal_draw_disc(b, s->p, s->radius, s->body);
    if (line) sal_draw_edge(b, s->line[0], s->line[1]);
    else sal_draw_ground(b, s->height, s->angle, (sal_text){ 0 }, SAL_NONE);
}

const sal_type sal_joint_rolling = {
    .name      = "rolling",
    .help      = "disc that rolls on a line without slipping",
    .size      = sizeof(rolling),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "normal [N], positive away from the line, and friction [N] along it, on the disc",
};
