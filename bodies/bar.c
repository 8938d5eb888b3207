/* bar.c - a bar between two points: uniform, or with its own centre of mass on the bar and its own inertia.
 *
 * Uniform: centre L/2, inertia m L^2/12. Equations: two_points.c. */
#include "bodies/two_points.h"

typedef struct bar {
    sal_point ends[2];
    sal_slot  mass, length, centre, inertia;
} bar;

static const sal_field fields[] = {
    { "points", SAL_F_ENDS, offsetof(bar, ends), .help = "the two ends" },
    { "mass", SAL_F_VALUE, offsetof(bar, mass), "kg", .help = "its mass", .range = SAL_POSITIVE },
    { "length", SAL_F_VALUE, offsetof(bar, length), "m", "",
      "its length; the distance of the ends as given when absent", SAL_POSITIVE },
    { "centre", SAL_F_VALUE, offsetof(bar, centre), "m", "",
      "distance of the centre of mass from the first end; half the length when absent" },
    { "inertia", SAL_F_VALUE, offsetof(bar, inertia), "kg m^2", "",
      "moment of inertia about the centre of mass; that of a uniform bar when absent", SAL_NOT_NEGATIVE },
    { "markers", SAL_F_MARKERS, .standard = "", .help = "further points fixed to the bar" },
};

static void emit(const void *self, sal_builder *b)
{
    const bar *s    = self;
    two_points body = { .end = { s->ends[0], s->ends[1] }, .mass = s->mass };

    if ((s->centre == SAL_NONE) != (s->inertia == SAL_NONE)) {
        sal_element_error(b, "", "found '%s' alone; a bar that is not uniform needs both 'centre' and 'inertia'",
                          s->centre == SAL_NONE ? "inertia" : "centre");
        return;
    }
    body.length            = sal_body_frame(b, s->ends, s->length);
    const sal_bind binds[] = { { "m", body.mass }, { "L", body.length }, { 0 } };
    body.x                 = s->centre != SAL_NONE ? s->centre : sal_derive(b, "L/2", binds);
    body.y                 = SAL_NONE;
    body.inertia           = s->inertia != SAL_NONE ? s->inertia : sal_derive(b, "m*L^2/12", binds);
    two_points_emit(&body, b);
}

const sal_type sal_body_bar = {
    .name      = "bar",
    .help      = "rigid bar between two points",
    .size      = sizeof(bar),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "tension [N] of a massless rod between its points, which has the mass in its ends",
};
