/* slot.c - a pin P slides along the line from A to B.
 *
 *     Phi = d x u = 0,   d = B - A,   u = P - A                         [m^2], one row
 *
 * The line has no ends; A and B may be points or markers of a body, or fixed. Degenerate where A and B meet. Reaction:
 * the normal force -lambda |d| [N] on P, positive to the left of the way from A to B; the line gets the opposite at P.
 */
#include "engine/ext.h"

typedef struct slot {
    sal_point p, line[2];
} slot;

static const sal_field fields[] = {
    { "point", SAL_F_POINT, offsetof(slot, p), .help = "the pin" },
    { "line", SAL_F_PAIR, offsetof(slot, line), .help = "two points or markers of the line" },
};

static void emit(const void *self, sal_builder *b)
{
    const slot *s = self;

    sal_row_begin(b, "");
    sal_add_cross(b, 1.0, s->line[0], s->line[1], s->line[0], s->p);
    sal_add_reaction(b, "normal", "N", "-f*distance(A, B)",
                     (sal_bind[]){ { "A", .point = &s->line[0] },
                                   { "B", .point = &s->line[1] },
                                   { "f", .multiplier = sal_row_multiplier(b) },
                                   { 0 } });
    sal_draw_slider(b, s->p, s->line, NULL);
}

const sal_type sal_joint_slot = {
    .name      = "slot",
    .help      = "pin that slides along a line",
    .size      = sizeof(slot),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "normal [N] on the point, positive to the left of the line",
};
