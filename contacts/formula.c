/* formula.c - a contact by formulas of the scene: what no other geometry describes.
 *
 *     gap     [m] of places, values and t: >= 0, and 0 where the two sides touch
 *     slip    [m/s] the velocity of one side along the other; without it nothing acts along the tangent
 *
 * Forces follow from power: the normal force N does N d(gap)/dt, friction T does T slip. So a gap that is a distance
 * near the surface has forces in N; one that is an angle has torques. */
#include "contacts/law.h"

typedef struct formula {
    sal_text  gap, slip;
    sal_point point;
    bool      closed;
    law       law;
} formula;

static const sal_field fields[] = {
    { "gap", SAL_F_FORMULA, offsetof(formula, gap), "m", NULL,
      "a function of places and t that is >= 0, and 0 where the two sides touch" },
    { "slip", SAL_F_FORMULA, offsetof(formula, slip), "m/s", "",
      "the velocity of one side along the other; nothing acts along the tangent when absent" },
    { "point", SAL_F_POINT, offsetof(formula, point), .standard = "",
      .help = "what touches, whose x and y 'where' may read; none when absent" },
    { "closed", SAL_F_BOOL, offsetof(formula, closed), .standard = "false",
      .help = "whether it touches when the run starts; found out where false" },
    LAW_FIELDS(formula, law),
};

static void emit(const void *self, sal_builder *b)
{
    const formula *s       = self;
    const bool     placed  = s->point.index != SAL_NONE;
    const sal_bind binds[] = {
        { "gap_given", .formula = s->gap }, { "slip_given", .formula = s->slip }, { "P", .point = &s->point }, { 0 }
    };

    if (!sal_expect_place(b, s->gap, "gap", NULL)) return;
    if (s->slip.text && !sal_expect_velocity(b, s->slip, "slip", NULL)) return;
    law_emit(b, &s->law,
             &(gap){ .label  = "",
                     .gap    = "gap_given",
                     .slip   = s->slip.text ? "slip_given" : NULL,
                     .binds  = binds,
                     .closed = s->closed,
                     .first  = true,
                     .point  = placed ? &s->point : NULL,
                     .place  = { placed ? "x(P)" : NULL, placed ? "y(P)" : NULL },
                     .radius = SAL_NONE });
    if (placed) sal_draw_points(b, &s->point, 1);
}

const sal_type sal_contact_formula = {
    .name    = "formula",
    .help    = "a contact by formulas: its gap, and how one side slips along the other",
    .size    = sizeof(formula),
    .fields  = fields,
    .nfields = SAL_COUNT(fields),
    .emit    = emit,
    .reactions =
        "normal [N], positive where it pushes, and friction [N] against the slip, where it can act; of several "
        "contacts by their names, NAME.P.normal",
};
