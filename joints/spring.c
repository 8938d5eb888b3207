/* spring.c - spring and damper along the line between two points or markers P and Q.
 *
 *     tension f = k (l - l0) + c l',   l = |q - p|;   force +f e on P and -f e on Q,   e = (q - p)/l       [N]
 *
 * Its energy is 1/2 k (l - l0)^2. At l = 0 the line has no direction and the force is taken as zero. Instead, `force`
 * can be any tension, a formula of `length` l and `rate` l' and of whatever the scene has; such a spring has no part in
 * energy(), and its ends must not meet. Reaction: tension f [N], positive where it pulls its ends together. */
#include "engine/ext.h"

typedef struct spring {
    sal_point ends[2];
    sal_slot  stiffness, length, damping;
    sal_text  force;
} spring;

static const sal_field fields[] = {
    { "points", SAL_F_PAIR, offsetof(spring, ends), .help = "the two ends" },
    { "stiffness", SAL_F_VALUE, offsetof(spring, stiffness), "N/m", "0", "force per elongation", SAL_NOT_NEGATIVE,
      true },
    { "length", SAL_F_VALUE, offsetof(spring, length), "m", "0", "natural length", SAL_NOT_NEGATIVE, true },
    { "damping", SAL_F_VALUE, offsetof(spring, damping), "N s/m", "0", "force per rate of elongation", SAL_NOT_NEGATIVE,
      true },
    { "force", SAL_F_FORMULA, offsetof(spring, force), "N", "",
      "tension instead of all these, an expression that may read length and rate: \"k*(length - 1)^3 + c*rate\"" },
};

static void emit(const void *self, sal_builder *b)
{
    static const char *const other[] = { "stiffness", "length", "damping" };
    const spring            *s       = self;
    const sal_text           length  = sal_formula("distance(P, Q)");
    const sal_bind           binds[] = { { "P", .point = &s->ends[0] },
                                         { "Q", .point = &s->ends[1] },
                                         { "length", .formula = length, .offered = true },
                                         { "rate", .formula = length, .rate = true, .offered = true },
                                         { "f", .formula = s->force },
                                         { "k", s->stiffness },
                                         { "l0", s->length },
                                         { "c", s->damping },
                                         { 0 } };

    for (int k = 0; k < SAL_COUNT(other); k++) {
        if (s->force.text && sal_field_given(b, other[k]))
            sal_element_error(b, other[k], "expected either 'force' or '%s', found both", other[k]);
    }
    if (s->force.text) {
        sal_add_force(b, sal_formula("-rate"), s->force, binds);
        sal_add_reaction(b, "tension", "N", "f", binds);
    } else {
        sal_add_spring(b, s->ends[0], s->ends[1], s->stiffness, s->length, s->damping);
        sal_add_reaction(b, "tension", "N", "if(length > 0, k*(length - l0) + c*rate, 0)", binds);
    }
    if (sal_field_given(b, "damping")) sal_draw_damper(b, s->ends[0], s->ends[1]);
    if (sal_field_given(b, "stiffness") || !sal_field_given(b, "damping")) sal_draw_spring(b, s->ends[0], s->ends[1]);
}

const sal_type sal_joint_spring = {
    .name      = "spring",
    .help      = "spring and damper along the line between two points",
    .size      = sizeof(spring),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .emit      = emit,
    .reactions = "tension [N], positive where it pulls its ends together",
};
