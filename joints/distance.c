/* distance.c - holds two points or markers P and Q at distance L: a massless rod.
 *
 *     Phi = |q - p|^2 - L^2 = 0                                         [m^2], one row
 *
 * Reaction: tension 2 L lambda [N], positive where the rod pulls its ends together. Degenerate for L = 0:
 * that is a revolute joint. L may be a function of time: then it is a linear drive. */
#include "engine/ext.h"

typedef struct distance {
    sal_point ends[2];
    sal_slot  length;
} distance;

static const sal_field fields[] = {
    { "points", SAL_F_PAIR, offsetof(distance, ends), .help = "the two ends" },
    { "length", SAL_F_VALUE, offsetof(distance, length), "m", .help = "their distance", .range = SAL_POSITIVE,
      .timed = true },
};

static void emit(const void *self, sal_builder *b)
{
    const distance *s = self;

    sal_row_begin(b, "");
    sal_add_dot(b, 1.0, s->ends[0], s->ends[1], s->ends[0], s->ends[1]);
    sal_add_product(b, -1.0, s->length, s->length);
    sal_add_reaction(b, "tension", "N", "2*L*f",
                     (sal_bind[]){ { "L", s->length }, { "f", .multiplier = sal_row_multiplier(b) }, { 0 } });
    sal_draw_line(b, s->ends[0], s->ends[1]);
}

const sal_type sal_joint_distance = {
    .name      = "distance",
    .help      = "massless rod: two points at a given distance",
    .size      = sizeof(distance),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "tension [N], positive where it pulls its ends together",
};
