/* drag.c - drag on a point.
 *
 *     force f = -(c + c2 |v|) v                                         [N]
 *
 * |v| is sqrt(v^2 + 1e-100), so that there is a derivative at rest, too; no speed is as small. Reactions: fx and
 * fy [N] on the point. */
#include "engine/ext.h"

typedef struct drag {
    sal_point p;
    sal_slot  linear, quadratic;
} drag;

static const sal_field fields[] = {
    { "point", SAL_F_POINT, offsetof(drag, p), .help = "the point or marker that it acts on" },
    { "linear", SAL_F_VALUE, offsetof(drag, linear), "N s/m", "0", "force per speed", SAL_NOT_NEGATIVE, true },
    { "quadratic", SAL_F_VALUE, offsetof(drag, quadratic), "N s^2/m^2", "0", "force per square of the speed",
      SAL_NOT_NEGATIVE, true },
};

#define FACTOR "-(c + d*sqrt(vx(P)^2 + vy(P)^2 + 1e-100))"

static void emit(const void *self, sal_builder *b)
{
    static const char *const label[2] = { "fx", "fy" }, *const rate[2] = { "vx(P)", "vy(P)" },
                             *const force[2] = { FACTOR "*vx(P)", FACTOR "*vy(P)" };
    const drag                     *s        = self;
    const sal_bind binds[] = { { "P", .point = &s->p }, { "c", s->linear }, { "d", s->quadratic }, { 0 } };

    if (!sal_point_is_free(b, s->p)) {
        sal_element_error(b, "point", "it is fixed; expected a point that can move");
        return;
    }
    for (int k = 0; k < 2; k++) {
        sal_add_force(b, sal_formula(rate[k]), sal_formula(force[k]), binds);
        sal_add_reaction(b, label[k], "N", force[k], binds);
    }
    sal_draw_force(b, s->p, force[0], force[1], binds);
}

const sal_type sal_joint_drag = {
    .name      = "drag",
    .help      = "drag on a point, linear and quadratic",
    .size      = sizeof(drag),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .emit      = emit,
    .reactions = "fx, fy [N] on the point",
};
