/* torsion.c - torsional spring and damper between a body and another, or the world.
 *
 *     torque T = -k (phi - phi0) - c phi',   phi = angle(B) - angle(C), turns counted       [N m]
 *
 * Its energy is 1/2 k (phi - phi0)^2. Reaction: torque T on B; C gets the opposite. */
#include <string.h>

#include "engine/ext.h"

typedef struct torsion {
    const char *body, *reference;
    sal_slot    stiffness, damping, angle;
} torsion;

static const sal_field fields[] = {
    { "body", SAL_F_BODY, offsetof(torsion, body), .help = "the body that the torque acts on" },
    { "reference", SAL_F_BODY, offsetof(torsion, reference), .standard = "",
      .help = "the body that the angle is measured from; the world's x-axis when absent" },
    { "stiffness", SAL_F_VALUE, offsetof(torsion, stiffness), "N m/rad", "0", "torque per angle", SAL_NOT_NEGATIVE,
      true },
    { "damping", SAL_F_VALUE, offsetof(torsion, damping), "N m s/rad", "0", "torque per rate", SAL_NOT_NEGATIVE, true },
    { "angle", SAL_F_VALUE, offsetof(torsion, angle), "rad", "0",
      "the angle at rest; without a motor or a stop that says otherwise, the body starts in (-pi, pi]", .timed = true },
};

static void emit(const void *self, sal_builder *b)
{
    const torsion *s       = self;
    const sal_bind binds[] = { { "B", .body = s->body }, { "C", .body = s->reference },
                               { "k", s->stiffness },    { "c", s->damping },
                               { "a", s->angle },        { 0 } };
    const bool     two     = s->reference != NULL;
    const char *torque = two ? "-k*(angle(B) - angle(C) - a) - c*(rate(B) - rate(C))" : "-k*(angle(B) - a) - c*rate(B)";

    if (two && !strcmp(s->body, s->reference))
        sal_element_error(b, "reference", "expected two different bodies, found '%s' twice", s->body);
    sal_add_force(b, sal_formula(two ? "rate(B) - rate(C)" : "rate(B)"), sal_formula(torque), binds);
    sal_add_energy(b, two ? "0.5*k*(angle(B) - angle(C) - a)^2" : "0.5*k*(angle(B) - a)^2", binds);
    sal_add_reaction(b, "torque", "N m", torque, binds);
    sal_draw_torsion(b, s->body, s->reference);
}

const sal_type sal_joint_torsion = {
    .name      = "torsion",
    .help      = "torsional spring and damper of a body",
    .size      = sizeof(torsion),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .emit      = emit,
    .reactions = "torque [N m] on the body, the reference gets the opposite",
};
