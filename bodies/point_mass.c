/* point_mass.c - a mass m concentrated in a point.
 *
 *     T = 1/2 m |v|^2
 *
 * Several may share a point, and a point may also belong to other bodies: masses add up. */
#include "engine/ext.h"

typedef struct point_mass {
    sal_point p;
    sal_slot  mass;
} point_mass;

static const sal_field fields[] = {
    { "point", SAL_F_POINT, offsetof(point_mass, p), .help = "the point that carries the mass" },
    { "mass", SAL_F_VALUE, offsetof(point_mass, mass), "kg", .help = "its mass", .range = SAL_POSITIVE },
};

static void emit(const void *self, sal_builder *b)
{
    const point_mass *s = self;

    if (!sal_point_is_basic(b, s->p)) {
        sal_element_error(b, "point", "expected a point, found a marker; masses on a body belong to the body's mass");
        return;
    }
    sal_add_mass(b, s->p, s->p, s->mass);
    sal_draw_mass(b, s->p);
}

const sal_type sal_body_point_mass = {
    .name    = "point_mass",
    .help    = "mass concentrated in a point",
    .size    = sizeof(point_mass),
    .fields  = fields,
    .nfields = SAL_COUNT(fields),
    .emit    = emit,
};
