/* angle.c - holds the angle between two bodies, or between a body and the world's x-axis.
 *
 *     Phi = angle(B) - angle(C) - phi = 0      [rad], one row; differences of whole turns do not count
 *
 * Reaction: torque -lambda [N m], on B; C gets the opposite. The angle may be a function of time: then it is a
 * motor. */
#include "engine/ext.h"

typedef struct angle {
    const char *body, *reference;
    sal_slot    value;
} angle;

static const sal_field fields[] = {
    { "body", SAL_F_BODY, offsetof(angle, body), .help = "the body that is held" },
    { "reference", SAL_F_BODY, offsetof(angle, reference), .standard = "",
      .help = "the body that the angle is measured from; the world's x-axis when absent" },
    { "angle", SAL_F_VALUE, offsetof(angle, value), "rad", "0", "the angle", .timed = true },
};

static void emit(const void *self, sal_builder *b)
{
    const angle   *s       = self;
    const sal_bind binds[] = { { "B", .body = s->body }, { "C", .body = s->reference }, { "phi", s->value }, { 0 } };

    sal_row_formula(b, "",
                    sal_formula(s->reference ? "atan2(sin(angle(B) - angle(C) - phi), cos(angle(B) - angle(C) - phi))"
                                             : "atan2(sin(angle(B) - phi), cos(angle(B) - phi))"),
                    binds);
    sal_add_reaction(b, "torque", "N m", "-f", (sal_bind[]){ { "f", .multiplier = sal_row_multiplier(b) }, { 0 } });
    sal_draw_angle(b, s->body, s->reference, s->value, s->value);
}

const sal_type sal_joint_angle = {
    .name      = "angle",
    .help      = "holds the angle between two bodies",
    .size      = sizeof(angle),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "torque [N m] on the body, the reference gets the opposite",
};
