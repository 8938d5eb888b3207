/* curve.c - a point P stays on a curve of the world, y = f(x).
 *
 *     Phi = y_P - f(x_P) = 0                                            [m], one row
 *
 * f may depend on t: the curve moves. Reaction: the normal force -lambda sqrt(1 + f'^2) [N] on P, positive upwards, to
 * the left of the way along x. */
#include "engine/ext.h"

typedef struct curve {
    sal_point p;
    sal_text  profile;
} curve;

static const sal_field fields[] = {
    { "point", SAL_F_POINT, offsetof(curve, p), .help = "what moves along the curve" },
    { "profile", SAL_F_FORMULA, offsetof(curve, profile), "m",
      .help = "height of the curve over the place x, such as \"0.1*sin(x)\"" },
};

static void emit(const void *self, sal_builder *b)
{
    const curve   *s       = self;
    const sal_bind binds[] = { { "P", .point = &s->p },
                               { "f", .formula = s->profile, .variable = "x", .at = "x(P)" },
                               { 0 } };

    sal_row_formula(b, "", sal_formula("y(P) - f"), binds);
    sal_add_reaction(
        b, "normal", "N", "-f*sqrt(1 + slope^2)",
        (sal_bind[]){ { "P", .point = &s->p },
                      { "f", .multiplier = sal_row_multiplier(b) },
                      { "slope", .formula = s->profile, .variable = "x", .at = "x(P)", .derivative = true },
                      { 0 } });
    sal_draw_curve(b, s->p, s->profile);
}

const sal_type sal_joint_curve = {
    .name      = "curve",
    .help      = "a point stays on a curve y = f(x)",
    .size      = sizeof(curve),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "normal [N] on the point, positive upwards",
};
