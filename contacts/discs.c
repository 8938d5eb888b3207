/* discs.c - two discs, or a disc and a point, that can touch.
 *
 * Centres P and Q, e = (q - p)/|q - p|, its normal n = R e:
 *
 *     gap  = |q - p| - r_P - r_Q
 *     slip = n . (v_Q - v_P) - r_P omega_P - r_Q omega_Q          of Q's rim against P's
 */
#include <stdio.h>

#include "contacts/law.h"

typedef struct discs {
    sal_point   centre[2];
    sal_slot    radius[2];
    const char *body[2];
    bool        closed;
    law         law;
} discs;

static const sal_field fields[] = {
    { "points", SAL_F_PAIR, offsetof(discs, centre), .help = "the two centres" },
    { "radii", SAL_F_VECTOR, offsetof(discs, radius), "m", .range = SAL_NOT_NEGATIVE, .help = "of the two discs" },
    { "body1", SAL_F_BODY, offsetof(discs, body[0]), .standard = "",
      .help = "the body that the first disc turns with; it does not turn when absent" },
    { "body2", SAL_F_BODY, offsetof(discs, body[1]), .standard = "", .help = "the same of the second disc" },
    { "closed", SAL_F_BOOL, offsetof(discs, closed), .standard = "false",
      .help = "whether they touch when the run starts; found out where false" },
    LAW_FIELDS(discs, law),
};

#define DX  "(x(Q)-x(P))"
#define DY  "(y(Q)-y(P))"
#define DVX "(vx(Q)-vx(P))"
#define DVY "(vy(Q)-vy(P))"

static void emit(const void *self, sal_builder *b)
{
    const discs   *s       = self;
    const sal_bind binds[] = { { "P", .point = &s->centre[0] },
                               { "Q", .point = &s->centre[1] },
                               { "rp", s->radius[0] },
                               { "rq", s->radius[1] },
                               { "A", .body = s->body[0] },
                               { "B", .body = s->body[1] },
                               { 0 } };
    char           slip[256];

    snprintf(slip, sizeof slip, "(" DX "*" DVY "-" DY "*" DVX ")/distance(P, Q)%s%s", s->body[0] ? " - rp*rate(A)" : "",
             s->body[1] ? " - rq*rate(B)" : "");
    law_emit(b, &s->law,
             &(gap){ "",
                     "distance(P, Q) - rp - rq",
                     slip,
                     binds,
                     s->closed,
                     true,
                     &s->centre[1],
                     { "x(Q)", "y(Q)" },
                     s->radius[1],
                     { DX "/distance(P, Q)", DY "/distance(P, Q)" },
                     .left = true });
    for (int k = 0; k < 2; k++) sal_draw_disc(b, s->centre[k], s->radius[k], s->body[k]);
}

const sal_type sal_contact_discs = {
    .name    = "discs",
    .help    = "two discs that can touch",
    .size    = sizeof(discs),
    .fields  = fields,
    .nfields = SAL_COUNT(fields),
    .emit    = emit,
    .reactions =
        "normal [N], positive where it pushes, and friction [N] against the slip, where it can act; of several "
        "contacts by their names, NAME.P.normal",
};
