/* gear.c - two gears B and C, external or internal, with centres that keep their distance.
 *
 *     Phi = r_B (angle(B) - psi) +- r_C (angle(C) - psi) - phase = 0    [m], one row; - for internal gears
 *
 * psi is the angle of the arm that carries both centres; without an arm they are at rest. Angles count turns. The
 * centres themselves are held by other joints. Reaction: the tooth force F = -lambda [N] on the pitch circle; B gets
 * the torque r_B F, C the torque +- r_C F, the arm the opposite of both. These are torques only: pins at fixed centres
 * do not feel F. Numbers of teeth may stand for the radii: the motion is the same, F is another. An event that lets the
 * joint hold must find it in phase. */
#include <stdio.h>
#include <string.h>

#include "engine/ext.h"

typedef struct gear {
    const char *body[2], *arm;
    sal_slot    radius[2], phase;
    bool        internal;
} gear;

static const sal_field fields[] = {
    { "body1", SAL_F_BODY, offsetof(gear, body[0]), .help = "a gear" },
    { "body2", SAL_F_BODY, offsetof(gear, body[1]), .help = "the other gear" },
    { "radii", SAL_F_VECTOR, offsetof(gear, radius), "m", .range = SAL_POSITIVE, .help = "of the two pitch circles" },
    { "internal", SAL_F_BOOL, offsetof(gear, internal), .standard = "false",
      .help = "whether one runs inside the other, a ring gear: then both turn the same way" },
    { "arm", SAL_F_BODY, offsetof(gear, arm), .standard = "",
      .help = "the body that carries both centres; they are at rest when absent" },
    { "phase", SAL_F_VALUE, offsetof(gear, phase), "m", "",
      "sum of the radii times the angles; as given in the scene when absent" },
};

/* Pitch circles round the first points of the bodies, so large that they touch: numbers of teeth may stand for the
 * radii. */
static void draw(const gear *s, sal_builder *b)
{
    const char *size = s->internal ? "r*distance(P, Q)/abs(s - r)" : "r*distance(P, Q)/(r + s)";
    sal_point   ends[2][2];

    for (int k = 0; k < 2; k++) sal_body_ends(b, s->body[k], ends[k]);
    for (int k = 0; k < 2; k++) {
        const sal_point *centre = &ends[k][0], *other = &ends[1 - k][0];
        sal_draw_gear(b, *centre, centre->index == other->index ? "r" : size,
                      (sal_bind[]){ { "r", s->radius[k] },
                                    { "s", s->radius[1 - k] },
                                    { "P", .point = centre },
                                    { "Q", .point = other },
                                    { 0 } },
                      s->body[k]);
    }
}

static void emit(const void *self, sal_builder *b)
{
    static const char *const sum[2][2] = {
        { "r*angle(B) + s*angle(C)", "r*angle(B) - s*angle(C)" },
        { "r*(angle(B) - angle(A)) + s*(angle(C) - angle(A))", "r*(angle(B) - angle(A)) - s*(angle(C) - angle(A))" },
    };
    const gear *s    = self;
    const char *text = sum[s->arm != NULL][s->internal];
    char        phi[96];
    sal_bind    binds[] = { { "B", .body = s->body[0] },
                            { "C", .body = s->body[1] },
                            { "A", .body = s->arm },
                            { "r", s->radius[0] },
                            { "s", s->radius[1] },
                            { "p", s->phase },
                            { 0 } };

    if (!strcmp(s->body[0], s->body[1]))
        sal_element_error(b, "body2", "expected two different bodies, found '%s' twice", s->body[0]);
    if (s->arm && (!strcmp(s->arm, s->body[0]) || !strcmp(s->arm, s->body[1])))
        sal_element_error(b, "arm", "expected a body that is neither of the gears, found '%s'", s->arm);
    if (s->phase == SAL_NONE) binds[5].slot = sal_given(b, "phase", text, binds);
    snprintf(phi, sizeof phi, "%s - p", text);
    sal_row_formula(b, "", sal_formula(phi), binds);
    sal_add_reaction(b, "force", "N", "-f", (sal_bind[]){ { "f", .multiplier = sal_row_multiplier(b) }, { 0 } });
    draw(s, b);
}

const sal_type sal_joint_gear = {
    .name      = "gear",
    .help      = "two gears that mesh",
    .size      = sizeof(gear),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "force [N] of the teeth on the pitch circle",
};
