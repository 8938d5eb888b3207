/* ground.c - level ground at height h that points or markers bounce on.
 *
 *     gap r = y_P - h >= 0, one event per point where it falls through zero
 *
 * Law `reset` (a prescribed law, in general not an impulse):  vy_P+ = -e vy_P-. It is short for an event with
 * "set": { "vy(P)": "-e*vy(P)" }, see event.c for what the other velocities do. */
#include "engine/ext.h"

typedef struct ground {
    sal_points points;
    sal_slot   height, restitution;
    int        law;
} ground;

static const char *const laws[] = { "reset", NULL };

static const sal_field fields[] = {
    { "points", SAL_F_POINTS, offsetof(ground, points), .help = "the points or markers that can touch" },
    { "height", SAL_F_VALUE, offsetof(ground, height), "m", "0", "height of the ground" },
    { "law", SAL_F_CHOICE, offsetof(ground, law), .help = "what a touch does", .words = laws },
    { "restitution", SAL_F_VALUE, offsetof(ground, restitution),
      .help = "vertical speed after the touch over that before", .range = SAL_NOT_NEGATIVE },
};

static void emit(const void *self, sal_builder *b)
{
    const ground *s = self;

    for (int k = 0; k < s->points.n; k++) {
        const sal_bind binds[] = {
            { "P", .point = &s->points.at[k] }, { "h", s->height }, { "restitution", s->restitution }, { 0 }
        };

        if (!sal_point_is_free(b, s->points.at[k])) {
            sal_element_error(b, "points", "'%s' is fixed; expected points that can move", s->points.name[k]);
            continue;
        }
        sal_event_begin(b, s->points.n > 1 ? s->points.name[k] : "", SAL_FALLING);
        sal_event_when(b, sal_formula("y(P) - h"), binds);
        sal_event_gap(b);
        sal_event_set(b, sal_formula("vy(P)"), sal_formula("-restitution * vy(P)"), binds);
    }
}

const sal_type sal_contact_ground = {
    .name    = "ground",
    .help    = "level ground that points bounce on",
    .size    = sizeof(ground),
    .fields  = fields,
    .nfields = SAL_COUNT(fields),
    .emit    = emit,
};
