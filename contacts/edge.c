/* edge.c - points, markers or discs against a straight line of a body.
 *
 * The line leads from A to B, d = B - A, u = P - A; the free side is on its left:
 *
 *     gap  = d x u / |d| - r
 *     slip = (d . u' + omega d x u) / |d| + r (omega_P - omega)     of the disc against the body where they touch,
 *                                                                   omega the rate of the line
 *
 * The line ends at A and B: a contact is where s = d . u / |d| lies between 0 and |d|, and what slides beyond leaves it
 * there. A disc then goes on round the end, where n = (P - A)/|P - A| for A, the same for B:
 *
 *     gap  = |P - A| - r
 *     slip = n_y (vx_P - vx_A) - n_x (vy_P - vy_A) + r omega_P
 *
 * With "ends": false it has none. */
#include <stdio.h>

#include "contacts/law.h"

typedef struct edge {
    sal_points  points, closed;
    sal_point   line[2];
    sal_slot    radius;
    const char *body;
    bool        ends;
    law         law;
} edge;

static const sal_field fields[] = {
    { "points", SAL_F_POINTS, offsetof(edge, points), .help = "the points or markers that can touch" },
    { "line", SAL_F_PAIR, offsetof(edge, line),
      .help = "two points or markers of one body, or fixed; what can touch is on the left of the way between them" },
    { "radius", SAL_F_VALUE, offsetof(edge, radius), "m", "0", "of discs round the points", SAL_NOT_NEGATIVE },
    { "body", SAL_F_BODY, offsetof(edge, body), .standard = "",
      .help = "the body that a disc turns with; it does not turn when absent" },
    { "closed", SAL_F_POINTS, offsetof(edge, closed), .standard = "",
      .help = "those of the points that touch when the run starts; found out where absent" },
    { "ends", SAL_F_BOOL, offsetof(edge, ends), .standard = "true",
      .help = "whether the line ends at the two points; for discs with the law compliant it never does" },
    LAW_FIELDS(edge, law),
};

#define DX    "(x(B)-x(A))"
#define DY    "(y(B)-y(A))"
#define UX    "(x(P)-x(A))"
#define UY    "(y(P)-y(A))"
#define DVX   "(vx(B)-vx(A))"
#define DVY   "(vy(B)-vy(A))"
#define UVX   "(vx(P)-vx(A))"
#define UVY   "(vy(P)-vy(A))"
#define CROSS "(" DX "*" UY "-" DY "*" UX ")"
#define OMEGA "((" DX "*" DVY "-" DY "*" DVX ")/distance(A, B)^2)"

static const char along[] = "(" DX "*" UX "+" DY "*" UY ")/distance(A, B)";
static const char slip[]  = "(" DX "*" UVX "+" DY "*" UVY "+" OMEGA "*" CROSS ")/distance(A, B) - r*" OMEGA;

/* A disc at one end of the line, C. */
static void emit_end(sal_builder *b, const edge *s, int k, int end)
{
#define NX "(x(P)-x(C))"
#define NY "(y(P)-y(C))"
    static const char *const name[2]   = { "start", "end" };
    static const char *const beyond[2] = { "-along", "along - distance(A, B)" };
    const sal_bind           binds[]   = { { "P", .point = &s->points.at[k] },
                                           { "A", .point = &s->line[0] },
                                           { "B", .point = &s->line[1] },
                                           { "C", .point = &s->line[end] },
                                           { "r", s->radius },
                                           { "W", .body = s->body },
                                           { "along", .formula = sal_formula(along) },
                                           { 0 } };
    char                     label[160], rolling[256];

    if (s->points.n > 1) snprintf(label, sizeof label, "%s_%s", s->points.name[k], name[end]);
    else snprintf(label, sizeof label, "%s", name[end]);
    snprintf(rolling, sizeof rolling, "(" NY "*(vx(P)-vx(C)) - " NX "*(vy(P)-vy(C)))/distance(P, C)%s",
             s->body ? " + r*rate(W)" : "");
    law_emit(b, &s->law,
             &(gap){ label,
                     "distance(P, C) - r",
                     rolling,
                     binds,
                     false,
                     false,
                     &s->points.at[k],
                     { "x(P)", "y(P)" },
                     s->radius,
                     { NX "/distance(P, C)", NY "/distance(P, C)" },
                     .ends = beyond[end] });
}

static void emit(const void *self, sal_builder *b)
{
    const edge *s    = self;
    const bool  ends = s->ends && !(law_is_compliant(&s->law) && sal_field_given(b, "radius"));
    char        turning[sizeof slip + 16];

    if (s->body && !sal_field_given(b, "radius"))
        sal_element_error(b, "body", "a point does not roll; expected a 'radius' as well");
    if (!sal_points_are_rigid(b, s->line[0], s->line[1]))
        sal_element_error(b, "line",
                          "these are points of two bodies, between which there is no rigid line; expected points or "
                          "markers of one body, or fixed ones");
    law_check_closed(b, s->closed, s->points);
    snprintf(turning, sizeof turning, "%s%s", slip, s->body ? " + r*rate(W)" : "");
    for (int k = 0; k < s->points.n; k++) {
        const sal_bind binds[] = { { "P", .point = &s->points.at[k] },
                                   { "A", .point = &s->line[0] },
                                   { "B", .point = &s->line[1] },
                                   { "r", s->radius },
                                   { "W", .body = s->body },
                                   { "along", .formula = sal_formula(along) },
                                   { 0 } };
        gap            place   = law_point(&s->points, s->closed, k);
        place.gap              = CROSS "/distance(A, B) - r";
        place.slip             = turning;
        place.binds            = binds;
        place.radius           = s->radius;
        place.normal[0]        = "-" DY "/distance(A, B)";
        place.normal[1]        = DX "/distance(A, B)";
        place.ends             = ends ? "along - along^2/distance(A, B)" : NULL;
        law_emit(b, &s->law, &place);
        if (!sal_field_given(b, "radius")) continue;
        for (int end = 0; end < 2 && ends && law_holds(&s->law); end++) emit_end(b, s, k, end);
        sal_draw_disc(b, s->points.at[k], s->radius, s->body);
    }
    sal_draw_edge(b, s->line[0], s->line[1]);
}

const sal_type sal_contact_edge = {
    .name    = "edge",
    .help    = "a straight line of a body that points or discs can touch",
    .size    = sizeof(edge),
    .fields  = fields,
    .nfields = SAL_COUNT(fields),
    .emit    = emit,
    .reactions =
        "normal [N], positive where it pushes, and friction [N] against the slip, where it can act; of several "
        "contacts by their names, NAME.P.normal",
};
