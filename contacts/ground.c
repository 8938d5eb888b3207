/* ground.c - the ground that points, markers or discs can touch: level, inclined or curved, moving or not.
 *
 *     level      gap = y_P - h - r                                     slip = vx_P + r omega - u
 *     inclined   gap = (y_P - h) cos a - x_P sin a - r               slip = vx_P cos a + (vy_P - h') sin a + r omega -
 * u
 *     curved     gap = (y_P - h - f(xi, t) - r/s) / s                  slip = (vx_P + f' (vy_P - h' - f_t)) / s + r
 * omega - u
 *                                                                           = s vx_P + f' d(s gap)/dt / s + r omega - u
 *
 * h(t) height (at x = 0), a angle, f profile, s = sqrt(1 + f'^2), r radius of a disc round P with the angular velocity
 * omega of its body, u the speed of the surface along itself (a belt). xi is the place where a disc over x_P would
 * touch,
 *
 *     xi = x_P + r f'(xi)/s(xi)                                        x_P itself of a point, r = 0
 *
 * which lies within r of x_P and is the only one where the disc fits into every valley, r f'' < s^3. Its centre then is
 * on the curve that has the distance r from the profile, whose slope over x_P is f'(xi) and whose height there changes
 * with time as f_t(xi): formulas for discs are those for points, with f' and s at xi. On a curve the gap is the
 * distance near the curve only. A polyline is in line.c. Contacts are named after the points where there are
 * several. */
#include <stdio.h>

#include "contacts/line.h"

typedef struct ground {
    sal_points  points, outline, closed;
    sal_line    line;
    sal_slot    height, angle, radius, speed;
    sal_text    profile;
    const char *body;
    law         law;
} ground;

static const sal_field fields[] = {
    { "points", SAL_F_POINTS, offsetof(ground, points), .standard = "",
      .help = "the points or markers that can touch" },
    { "line", SAL_F_LINE, offsetof(ground, line), "m", "",
      "a polyline by its corners: stairs, walls, terrain; what can touch is on the left of the way along it" },
    { "outline", SAL_F_POINTS, offsetof(ground, outline), .standard = "",
      .help = "on a line: points or markers round a body, whose edges touch the corners of the line, and its corners "
              "the line" },
    { "height", SAL_F_VALUE, offsetof(ground, height), "m", "0", "height of the ground, at x = 0 where it is not level",
      .timed = true },
    { "angle", SAL_F_VALUE, offsetof(ground, angle), "rad", "", "its inclination, upwards along x; level when absent" },
    { "profile", SAL_F_FORMULA, offsetof(ground, profile), .standard = "",
      .help = "a curve instead of a line: height over the place x, such as \"0.1*sin(x)\"; it may depend on t" },
    { "speed", SAL_F_VALUE, offsetof(ground, speed), "m/s", "0", "of the surface along itself: a belt", .timed = true },
    { "radius", SAL_F_VALUE, offsetof(ground, radius), "m", "0", "of discs round the points", SAL_NOT_NEGATIVE },
    { "body", SAL_F_BODY, offsetof(ground, body), .standard = "",
      .help = "the body that a disc turns with; it does not turn when absent" },
    { "closed", SAL_F_POINTS, offsetof(ground, closed), .standard = "",
      .help = "those of the points that touch when the run starts; found out where absent" },
    LAW_FIELDS(ground, law),
};

typedef struct shape { /* formulas for P, with the names of the binds below */
    const char *gap, *slip, *normal[2];
} shape;

static const shape level    = { "y(P) - h - r", "vx(P) - u", { "0", "1" } };
static const shape inclined = { "(y(P) - h)*cos(a) - x(P)*sin(a) - r",
                                "vx(P)*cos(a) + (vy(P) - hdot)*sin(a) - u",
                                { "-sin(a)", "cos(a)" } };
static const shape curved   = { "above/sqrt(1 + slope^2)",
                                "sqrt(1 + slope^2)*vx(P) + slope*abovedot/sqrt(1 + slope^2) - u",
                                { "-slope/sqrt(1 + slope^2)", "1/sqrt(1 + slope^2)" } };

static void emit_line(sal_builder *b, const ground *s)
{
    static const char *const others[] = { "height", "angle", "profile" };

    for (int k = 0; k < SAL_COUNT(others); k++) {
        if (sal_field_given(b, others[k]))
            sal_element_error(b, others[k], "expected either a line or '%s', found both", others[k]);
    }
    for (int k = 0; k < s->closed.n; k++) {
        if (!law_closed(s->points, s->closed.name[k]) && !law_closed(s->outline, s->closed.name[k]))
            sal_element_error(b, "closed", "'%s' is not one of the points that can touch", s->closed.name[k]);
    }
    line_emit(b, &s->law,
              &(line_ground){ .line    = s->line,
                              .points  = s->points,
                              .outline = s->outline,
                              .closed  = s->closed,
                              .radius  = s->radius,
                              .speed   = s->speed,
                              .body    = s->body,
                              .discs   = sal_field_given(b, "radius") });
}

static void emit(const void *self, sal_builder *b)
{
    const ground *s    = self;
    const shape  *form = s->profile.text ? &curved : s->angle != SAL_NONE ? &inclined : &level;
    const bool    disc = sal_field_given(b, "radius");
    const char   *foot = disc ? "xi" : "x(P)";
    const char   *over = disc ? "y(P) - h - f - r/sqrt(1 + slope^2)" : "y(P) - h - f";
    char          slip[256];

    if (s->profile.text && s->angle != SAL_NONE)
        sal_element_error(b, "angle", "expected either a profile or an angle, found both");
    if (s->body && !disc) sal_element_error(b, "body", "a point does not roll; expected a 'radius' as well");
    if (s->line.n) {
        emit_line(b, s);
        return;
    }
    if (s->outline.n) sal_element_error(b, "outline", "an outline touches a 'line' only");
    if (s->points.n == 0) sal_element_error(b, "", "missing key 'points': the points or markers that can touch");
    law_check_closed(b, s->closed, s->points);
    snprintf(slip, sizeof slip, "%s%s", form->slip, s->body ? " + r*rate(B)" : "");
    for (int k = 0; k < s->points.n; k++) {
        const sal_bind binds[] = {
            { "P", .point = &s->points.at[k] },
            { "h", s->height },
            { "hdot", s->height, .rate = true },
            { "u", s->speed },
            { "r", s->radius },
            { "a", s->angle },
            { "B", .body = s->body },
            { "xi", .formula = sal_formula("xi - x(P) - r*slope/sqrt(1 + slope^2)"), .from = "x(P) - r",
              .to = "x(P) + r" },
            { "f", .formula = s->profile, .variable = "x", .at = foot },
            { "slope", .formula = s->profile, .variable = "x", .at = foot, .derivative = true },
            { "above", .formula = sal_formula(over) },
            { "abovedot", .formula = sal_formula(over), .rate = true },
            { 0 },
        };

        if (!sal_point_is_free(b, s->points.at[k])) {
            sal_element_error(b, "points", "'%s' is fixed; expected points that can move", s->points.name[k]);
            continue;
        }
        gap place       = law_point(&s->points, s->closed, k);
        place.gap       = form->gap;
        place.slip      = slip;
        place.binds     = binds;
        place.radius    = s->radius;
        place.undefined = s->profile.text && disc ? "the disc does not fit into the curve" : NULL;
        place.normal[0] = form->normal[0];
        place.normal[1] = form->normal[1];
        law_emit(b, &s->law, &place);
        if (disc) sal_draw_disc(b, s->points.at[k], s->radius, s->body);
    }
    sal_draw_ground(b, s->height, s->angle, s->profile, s->speed);
}

const sal_type sal_contact_ground = {
    .name    = "ground",
    .help    = "ground that points or discs can touch",
    .size    = sizeof(ground),
    .fields  = fields,
    .nfields = SAL_COUNT(fields),
    .emit    = emit,
    .reactions =
        "normal [N], positive where it pushes, and friction [N] against the slip, where it can act; of several "
        "contacts by their names, NAME.P.normal",
};
