/* weld.c - joins two bodies rigidly where P, of the one, and Q, of the other, meet; or one body with the world.
 *
 *     Phi_x = x_Q - x_P = 0,   Phi_y = y_Q - y_P = 0                    [m]
 *     Phi_angle = d x R(-phi) e = 0                                     [m^2]; with the world d = (1, 0) and [m]
 *
 * e and d are the directions of the body and of the reference, phi the angle from d to e. Reactions on the body, the
 * reference gets the opposite: the force (fx, fy) = lambda [N] at P and the torque -lambda_angle d . R(-phi) e [N m].
 * The rows hold as well with the body turned round by half a turn: it is assembled on the side where the scene puts it.
 */
#include <string.h>

#include "engine/ext.h"

typedef struct weld {
    sal_point   ends[2];
    const char *body, *reference;
    sal_slot    angle;
} weld;

static const sal_field fields[] = {
    { "points", SAL_F_PAIR, offsetof(weld, ends), .help = "a point or marker of the body, and one of the other" },
    { "body", SAL_F_BODY, offsetof(weld, body), .help = "the body that is held" },
    { "reference", SAL_F_BODY, offsetof(weld, reference), .standard = "",
      .help = "the body that it is joined to; the world when absent" },
    { "angle", SAL_F_VALUE, offsetof(weld, angle), "rad", "",
      "of the body against the reference; as given in the scene when absent" },
};

static void emit(const void *self, sal_builder *b)
{
    static const char *const label[] = { "x", "y" }, *const force[] = { "fx", "fy" };
    const weld    *s       = self;
    const sal_bind given[] = { { "B", .body = s->body }, { "C", .body = s->reference }, { 0 } };
    sal_slot       angle   = s->angle;
    sal_point      e[2], d[2];

    if (s->reference && !strcmp(s->body, s->reference))
        sal_element_error(b, "reference", "expected two different bodies, found '%s' twice", s->body);
    if (angle == SAL_NONE) angle = sal_given(b, "angle", s->reference ? "angle(B) - angle(C)" : "angle(B)", given);
    sal_body_ends_turned(b, s->body, angle, e);
    if (s->reference) sal_body_ends(b, s->reference, d);
    else d[0].index = d[1].index = SAL_NONE;
    for (int axis = 0; axis < sal_dimension(b); axis++) {
        sal_row_begin(b, label[axis]);
        sal_add_along(b, 1.0, axis, s->ends[0], s->ends[1]);
        sal_add_reaction(b, force[axis], "N", "f", (sal_bind[]){ { "f", .multiplier = sal_row_multiplier(b) }, { 0 } });
    }
    sal_row_begin(b, "angle");
    if (s->reference) sal_add_cross(b, 1.0, d[0], d[1], e[0], e[1]);
    else sal_add_along(b, 1.0, 1, e[0], e[1]);
    sal_add_reaction(b, "torque", "N m",
                     s->reference ? "-f*((x(D) - x(C))*(x(F) - x(E)) + (y(D) - y(C))*(y(F) - y(E)))"
                                  : "-f*(x(F) - x(E))",
                     (sal_bind[]){ { "C", .point = &d[0] },
                                   { "D", .point = &d[1] },
                                   { "E", .point = &e[0] },
                                   { "F", .point = &e[1] },
                                   { "f", .multiplier = sal_row_multiplier(b) },
                                   { 0 } });
    sal_draw_weld(b, s->ends[0], s->ends[1]);
}

const sal_type sal_joint_weld = {
    .name      = "weld",
    .help      = "joins two bodies rigidly",
    .size      = sizeof(weld),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "fx, fy [N] at the first point and torque [N m], on the body; the reference gets the opposite",
};
