/* torque.c - a torque on a body by an expression of anything that moves, of t and parameters: a motor, a controller.
 *
 *     power = T (omega_B - omega_C)
 *
 * B gets T, the reference C, if there is one, the opposite. Reaction: torque T [N m] as given. energy() does not know
 * it. */
#include <string.h>

#include "engine/ext.h"

typedef struct torque {
    const char *body, *reference;
    sal_text    value;
} torque;

static const sal_field fields[] = {
    { "body", SAL_F_BODY, offsetof(torque, body), .help = "the body that it acts on" },
    { "reference", SAL_F_BODY, offsetof(torque, reference), .standard = "",
      .help = "the body that gets the opposite; the world when absent" },
    { "torque", SAL_F_FORMULA, offsetof(torque, value), "N m",
      .help = "an expression of positions, velocities, t: \"k*(1 - angle(arm)) - c*rate(arm)\"" },
};

static void emit(const void *self, sal_builder *b)
{
    const torque  *s       = self;
    const sal_bind binds[] = {
        { "B", .body = s->body }, { "C", .body = s->reference }, { "T", .formula = s->value }, { 0 }
    };

    if (s->reference && !strcmp(s->body, s->reference))
        sal_element_error(b, "reference", "expected two different bodies, found '%s' twice", s->body);
    sal_add_force(b, sal_formula(s->reference ? "rate(B) - rate(C)" : "rate(B)"), s->value, binds);
    sal_add_reaction(b, "torque", "N m", "T", binds);
    sal_draw_torque(b, s->body, s->reference, "T", binds);
}

const sal_type sal_joint_torque = {
    .name      = "torque",
    .help      = "torque on a body by an expression",
    .size      = sizeof(torque),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .emit      = emit,
    .reactions = "torque [N m] as given",
};
