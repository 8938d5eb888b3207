/* bushing.c - an elastic joint: P of a body is held near Q of the reference, or of the world, by springs and dampers.
 *
 *     force on P     fx = -kx ux - cx ux',   fy = -ky uy - cy uy',   u = P - Q in the frame of the reference      [N]
 *     torque on B    T = -kt (phi - phi0) - ct phi',   phi = angle(B) - angle(C)                                  [N m]
 *
 * The forces do the power fx ux' + fy uy', with u' as the reference sees it: it gets the opposite force at Q, and the
 * torque that the distance of P and Q asks for. The energy is 1/2 (kx ux^2 + ky uy^2 + kt (phi - phi0)^2). Reactions:
 * fx and fy [N] in the frame of the reference, and the torque T [N m], all on the body. */
#include <string.h>

#include "engine/ext.h"

typedef struct bushing {
    sal_point   ends[2];
    const char *body, *reference;
    sal_slot    stiffness[2], damping[2], torsion, friction, angle;
} bushing;

static const sal_field fields[] = {
    { "points", SAL_F_PAIR, offsetof(bushing, ends),
      .help = "a point or marker of the body, and one of the reference" },
    { "stiffness", SAL_F_VECTOR, offsetof(bushing, stiffness), "N/m", "0", "along x and y of the reference",
      SAL_NOT_NEGATIVE, true },
    { "damping", SAL_F_VECTOR, offsetof(bushing, damping), "N s/m", "0", "along x and y of the reference",
      SAL_NOT_NEGATIVE, true },
    { "reference", SAL_F_BODY, offsetof(bushing, reference), .standard = "",
      .help = "the body whose frame that is; the world when absent" },
    { "body", SAL_F_BODY, offsetof(bushing, body), .standard = "",
      .help = "the body that torques act on; none when absent" },
    { "torsion_stiffness", SAL_F_VALUE, offsetof(bushing, torsion), "N m/rad", "0", "torque per angle",
      SAL_NOT_NEGATIVE, true },
    { "torsion_damping", SAL_F_VALUE, offsetof(bushing, friction), "N m s/rad", "0", "torque per rate",
      SAL_NOT_NEGATIVE, true },
    { "angle", SAL_F_VALUE, offsetof(bushing, angle), "rad", "0", "of the body against the reference, at rest",
      .timed = true },
};

#define DX  "(x(P)-x(Q))"
#define DY  "(y(P)-y(Q))"
#define DVX "(vx(P)-vx(Q))"
#define DVY "(vy(P)-vy(Q))"
#define UX  "(" DX "*cos(angle(C)) + " DY "*sin(angle(C)))"
#define UY  "(" DY "*cos(angle(C)) - " DX "*sin(angle(C)))"
#define UVX "(" DVX "*cos(angle(C)) + " DVY "*sin(angle(C)) + rate(C)*" UY ")"
#define UVY "(" DVY "*cos(angle(C)) - " DVX "*sin(angle(C)) - rate(C)*" UX ")"

typedef struct part { /* a displacement, its rate and the stiffness and damping along it */
    const char *rate, *force, *energy;
} part;

#define PART(place, speed, k, c)                                          \
    {                                                                     \
        speed, "-" k "*" place " - " c "*" speed, "0.5*" k "*" place "^2" \
    }

static void emit_part(sal_builder *b, const part *p, const char *label, const char *unit, const sal_bind *binds)
{
    sal_add_force(b, sal_formula(p->rate), sal_formula(p->force), binds);
    sal_add_energy(b, p->energy, binds);
    sal_add_reaction(b, label, unit, p->force, binds);
}

static void emit(const void *self, sal_builder *b)
{
    static const part x[2]    = { PART(DX, DVX, "kx", "cx"), PART(UX, UVX, "kx", "cx") };
    static const part y[2]    = { PART(DY, DVY, "ky", "cy"), PART(UY, UVY, "ky", "cy") };
    static const part turn[2] = { PART("(angle(B) - a)", "rate(B)", "kt", "ct"),
                                  PART("(angle(B) - angle(C) - a)", "(rate(B) - rate(C))", "kt", "ct") };
    const bushing    *s       = self;
    const bool        two     = s->reference != NULL;
    const sal_bind    binds[] = {
           { "P", .point = &s->ends[0] },
           { "Q", .point = &s->ends[1] },
           { "B", .body = s->body },
           { "C", .body = s->reference },
           { "kx", s->stiffness[0] },
           { "ky", s->stiffness[1] },
           { "cx", s->damping[0] },
           { "cy", s->damping[1] },
           { "kt", s->torsion },
           { "ct", s->friction },
           { "a", s->angle },
           { 0 },
    };

    if (two && s->body && !strcmp(s->body, s->reference))
        sal_element_error(b, "reference", "expected two different bodies, found '%s' twice", s->body);
    if (!s->body && (sal_field_given(b, "torsion_stiffness") || sal_field_given(b, "torsion_damping")))
        sal_element_error(b, "", "missing key 'body': the body that torques act on");
    if (!sal_point_is_free(b, s->ends[0]) && !sal_point_is_free(b, s->ends[1])) {
        sal_element_error(b, "points", "both are fixed; expected one that can move");
        return;
    }
    emit_part(b, &x[two], "fx", "N", binds);
    emit_part(b, &y[two], "fy", "N", binds);
    if (s->body) emit_part(b, &turn[two], "torque", "N m", binds);
    sal_draw_spring(b, s->ends[0], s->ends[1]);
    if (s->body) sal_draw_torsion(b, s->body, s->reference);
}

const sal_type sal_joint_bushing = {
    .name      = "bushing",
    .help      = "elastic joint: springs and dampers along x and y of a body, and against turning",
    .size      = sizeof(bushing),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .emit      = emit,
    .reactions = "fx, fy [N] in the frame of the reference and torque [N m], all on the body",
};
