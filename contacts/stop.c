/* stop.c - stops of joints: the angle of a body, or a distance, stays between limits.
 *
 *     angle_stop     gap = phi - min  and  max - phi,   phi = angle(body) - angle(reference), turns counted    [rad]
 *     length_stop    gap = l - min    and  max - l,     l = |q - p|                                            [m]
 *
 * The contacts are named min and max where there are both. Of an angle_stop the normal force is a torque [N m], and
 * `rest` is in rad/s. */
#include "contacts/law.h"

typedef struct stop {
    sal_slot    limit[2];
    const char *body, *reference;
    sal_point   ends[2];
    law         law;
} stop;

#define LIMIT_FIELDS(unit)                                                                                      \
    { "min", SAL_F_VALUE, offsetof(stop, limit[0]), unit, "", "lower limit; none when absent", .timed = true }, \
    {                                                                                                           \
        "max", SAL_F_VALUE, offsetof(stop, limit[1]), unit, "", "upper limit; none when absent", .timed = true  \
    }

static const sal_field angle_fields[] = {
    { "body", SAL_F_BODY, offsetof(stop, body), .help = "the body whose angle is limited" },
    { "reference", SAL_F_BODY, offsetof(stop, reference), .standard = "",
      .help = "the body that the angle is measured from; the world's x-axis when absent" },
    LIMIT_FIELDS("rad"),
    LAW_FIELDS(stop, law),
};

static const sal_field length_fields[] = {
    { "points", SAL_F_PAIR, offsetof(stop, ends), .help = "the two points whose distance is limited" },
    LIMIT_FIELDS("m"),
    LAW_FIELDS(stop, law),
};

typedef struct side { /* formula of one limit */
    const char *label, *gap;
} side;

static void emit_sides(const stop *s, sal_builder *b, const side sides[2], const sal_bind *binds)
{
    const bool both = s->limit[0] != SAL_NONE && s->limit[1] != SAL_NONE;

    if (s->limit[0] == SAL_NONE && s->limit[1] == SAL_NONE)
        sal_element_error(b, "", "expected 'min' or 'max', found neither");
    if (both) sal_require(b, "max", "high - low", binds, SAL_NOT_NEGATIVE, "max - min");
    for (int k = 0; k < 2; k++) {
        if (s->limit[k] != SAL_NONE)
            law_emit(b, &s->law,
                     &(gap){ both ? sides[k].label : "", sides[k].gap, NULL, binds, .first = k == 0 || !both,
                             .also = sides[k].label });
    }
}

static void emit_angle(const void *self, sal_builder *b)
{
    static const side world[2]    = { { "min", "angle(B) - low" }, { "max", "high - angle(B)" } };
    static const side relative[2] = { { "min", "angle(B) - angle(C) - low" }, { "max", "high - angle(B) + angle(C)" } };
    const stop       *s           = self;

    emit_sides(s, b, s->reference ? relative : world,
               (sal_bind[]){ { "B", .body = s->body },
                             { "C", .body = s->reference },
                             { "low", s->limit[0] },
                             { "high", s->limit[1] },
                             { 0 } });
    sal_draw_angle(b, s->body, s->reference, s->limit[0], s->limit[1]);
}

static void emit_length(const void *self, sal_builder *b)
{
    static const side sides[2] = { { "min", "distance(P, Q) - low" }, { "max", "high - distance(P, Q)" } };
    const stop       *s        = self;

    emit_sides(s, b, sides,
               (sal_bind[]){ { "P", .point = &s->ends[0] },
                             { "Q", .point = &s->ends[1] },
                             { "low", s->limit[0] },
                             { "high", s->limit[1] },
                             { 0 } });
    sal_draw_limit(b, s->ends[0], s->ends[1], s->limit[0], s->limit[1]);
}

const sal_type sal_contact_angle_stop = {
    .name      = "angle_stop",
    .help      = "limits of the angle of a body",
    .size      = sizeof(stop),
    .fields    = angle_fields,
    .nfields   = SAL_COUNT(angle_fields),
    .emit      = emit_angle,
    .reactions = "normal [N m], positive where it pushes; of two limits min.normal and max.normal",
};

const sal_type sal_contact_length_stop = {
    .name      = "length_stop",
    .help      = "limits of the distance of two points",
    .size      = sizeof(stop),
    .fields    = length_fields,
    .nfields   = SAL_COUNT(length_fields),
    .emit      = emit_length,
    .reactions = "normal [N], positive where it pushes; of two limits min.normal and max.normal",
};
