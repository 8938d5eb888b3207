/* driver.c - a motor: any expression of positions follows a function of time.
 *
 *     Phi = of(q) - value(t) = 0                                        one row, in the unit of `of`
 *
 * Reaction: the force or torque -lambda that does the power -lambda d(of)/dt: of x(P) a force along x [N], of
 * distance(P, Q) a push between P and Q [N], of angle(B) a torque on B [N m]; positive where it makes `of` larger.
 * Angles count turns. What they count from is whatever lets the motor find the body where the scene puts it: a crank at
 * -2.08 rad that is driven from 4.2 on stands at 4.2. */
#include "engine/ext.h"

typedef struct driver {
    sal_text of;
    sal_slot value;
} driver;

static const sal_field fields[] = {
    { "of", SAL_F_FORMULA, offsetof(driver, of),
      .help = "what is driven, an expression of positions: \"x(P)\", \"distance(P, Q)\", \"angle(crank)\"" },
    { "value", SAL_F_VALUE, offsetof(driver, value), .help = "what it is", .timed = true },
};

static void emit(const void *self, sal_builder *b)
{
    const driver *s = self;

    sal_row_formula(b, "", sal_formula("of - value"),
                    (sal_bind[]){ { "of", .formula = s->of }, { "value", s->value }, { 0 } });
    sal_add_reaction(b, "force", "N or N m", "-f", (sal_bind[]){ { "f", .multiplier = sal_row_multiplier(b) }, { 0 } });
    sal_draw_motor(b);
}

const sal_type sal_joint_driver = {
    .name      = "driver",
    .help      = "motor: a coordinate, distance or angle as a function of time",
    .size      = sizeof(driver),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "force [N or N m], positive where it makes 'of' larger",
};
