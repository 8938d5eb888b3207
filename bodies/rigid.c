/* rigid.c - a rigid planar body on two basic points, with its mass anywhere and any number of markers.
 *
 * The body frame has its origin in the first point and its x-axis towards the second. Equations: two_points.c. */
#include "bodies/two_points.h"

typedef struct rigid {
    sal_point ends[2];
    sal_slot  mass, length, centre[2], inertia;
} rigid;

static const sal_field fields[] = {
    { "points", SAL_F_ENDS, offsetof(rigid, ends),
      .help = "the two basic points: origin and x-axis of the body frame" },
    { "mass", SAL_F_VALUE, offsetof(rigid, mass), "kg", .help = "its mass", .range = SAL_POSITIVE },
    { "centre", SAL_F_VECTOR, offsetof(rigid, centre), "m", .help = "centre of mass in the body frame" },
    { "inertia", SAL_F_VALUE, offsetof(rigid, inertia), "kg m^2", .help = "moment of inertia about the centre of mass",
      .range = SAL_NOT_NEGATIVE },
    { "length", SAL_F_VALUE, offsetof(rigid, length), "m", "",
      "distance of the basic points; their distance as given when absent", SAL_POSITIVE },
    { "markers", SAL_F_MARKERS, .standard = "", .help = "further points fixed to the body, in the body frame" },
};

static void emit(const void *self, sal_builder *b)
{
    const rigid *s = self;

    two_points_emit(&(two_points){ .end     = { s->ends[0], s->ends[1] },
                                   .mass    = s->mass,
                                   .length  = sal_body_frame(b, s->ends, s->length),
                                   .x       = s->centre[0],
                                   .y       = s->centre[1],
                                   .inertia = s->inertia },
                    b);
}

const sal_type sal_body_rigid = {
    .name      = "rigid",
    .help      = "rigid planar body on two points, with markers",
    .size      = sizeof(rigid),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "tension [N] of a massless rod between its points, which has the mass in its ends",
};
