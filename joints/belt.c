/* belt.c - a rope of fixed length over pulleys: from A to P, and from B to Q.
 *
 *     Phi = |P - A| + k |Q - B| - L = 0                                 [m], one row
 *
 * A and B are where the rope leaves the pulleys, which are small and massless. k is the number of strands of a tackle
 * on the second side. L may be a function of time: a winch. Reaction: the tension lambda [N] of the first side, that of
 * each strand; the second side pulls with k lambda. The rope does not go slack: tension may become negative. Degenerate
 * where P meets A, or Q meets B. */
#include "engine/ext.h"

typedef struct belt {
    sal_point first[2], second[2];
    sal_slot  ratio, length;
} belt;

static const sal_field fields[] = {
    { "first", SAL_F_PAIR, offsetof(belt, first), .help = "where the rope leaves a pulley, and its end there" },
    { "second", SAL_F_PAIR, offsetof(belt, second), .help = "the same on the other side" },
    { "ratio", SAL_F_VALUE, offsetof(belt, ratio), NULL, "1", "strands on the second side", SAL_POSITIVE },
    { "length", SAL_F_VALUE, offsetof(belt, length), "m", "", "of the rope; as given in the scene when absent",
      SAL_POSITIVE, .timed = true },
};

static void emit(const void *self, sal_builder *b)
{
    const belt *s       = self;
    sal_bind    binds[] = { { "A", .point = &s->first[0] },
                            { "P", .point = &s->first[1] },
                            { "B", .point = &s->second[0] },
                            { "Q", .point = &s->second[1] },
                            { "k", s->ratio },
                            { "L", s->length },
                            { 0 } };

    if (s->length == SAL_NONE) binds[5].slot = sal_given(b, "length", "distance(A, P) + k*distance(B, Q)", binds);
    sal_row_formula(b, "", sal_formula("distance(A, P) + k*distance(B, Q) - L"), binds);
    sal_add_reaction(b, "tension", "N", "f", (sal_bind[]){ { "f", .multiplier = sal_row_multiplier(b) }, { 0 } });
    sal_draw_rope(b, (sal_point[]){ s->first[1], s->first[0], s->second[0], s->second[1] }, 4);
}

const sal_type sal_joint_belt = {
    .name      = "belt",
    .help      = "rope of fixed length over pulleys",
    .size      = sizeof(belt),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "tension [N] of the strands of the first side",
};
