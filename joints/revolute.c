/* revolute.c - pins two distinct points or markers P and Q together.
 *
 *     Phi_x = x_Q - x_P = 0,   Phi_y = y_Q - y_P = 0                    [m], two rows
 *
 * Reaction: (fx, fy) = lambda [N] is the force that the pin exerts on P; Q gets the opposite. Bodies that name the same
 * point are pinned there already, with no row at all. */
#include "engine/ext.h"

typedef struct revolute {
    sal_point ends[2];
} revolute;

static const sal_field fields[] = {
    { "points", SAL_F_PAIR, offsetof(revolute, ends), .help = "the two points or markers held together" },
};

static void emit(const void *self, sal_builder *b)
{
    static const char *const label[] = { "x", "y" }, *const force[] = { "fx", "fy" };
    const revolute *s = self;

    for (int axis = 0; axis < sal_dimension(b); axis++) {
        sal_row_begin(b, label[axis]);
        sal_add_along(b, 1.0, axis, s->ends[0], s->ends[1]);
        sal_add_reaction(b, force[axis], "N", "f", (sal_bind[]){ { "f", .multiplier = sal_row_multiplier(b) }, { 0 } });
    }
    sal_draw_pin(b, s->ends[0], s->ends[1]);
}

const sal_type sal_joint_revolute = {
    .name      = "revolute",
    .help      = "pin that holds two points together",
    .size      = sizeof(revolute),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "fx, fy [N] on the first point, the second gets the opposite",
};
