/* prismatic.c - a body slides along the line from A to B, of another body or fixed, without turning against it.
 *
 *     Phi_line  = d x (P - A) = 0,   d = B - A                          [m^2]
 *     Phi_angle = d x R(-phi) e = 0                                     [m^2]
 *
 * P is a point of the slider, e its direction, from its first to its second point, phi the angle from d to e. Both rows
 * are bilinear. Reactions on the slider, the line's body gets the opposite: the normal force -lambda_line |d| [N] at P,
 * positive to the left of the way from A to B, and the torque -lambda_angle d . R(-phi) e [N m]. The rows hold as well
 * with the slider turned round by half a turn: it is assembled on the side where the scene puts it. */
#include "engine/ext.h"

typedef struct prismatic {
    const char *body;
    sal_point   p, line[2];
    sal_slot    angle;
} prismatic;

static const sal_field fields[] = {
    { "body", SAL_F_BODY, offsetof(prismatic, body), .help = "the body that slides" },
    { "point", SAL_F_POINT, offsetof(prismatic, p), .help = "a point or marker of it that stays on the line" },
    { "line", SAL_F_PAIR, offsetof(prismatic, line), .help = "two points or markers of the line" },
    { "angle", SAL_F_VALUE, offsetof(prismatic, angle), "rad", "",
      "from the line to the direction of the body; as given in the scene when absent" },
};

static void emit(const void *self, sal_builder *b)
{
    const prismatic *s = self;
    sal_point        e[2];
    const sal_point *A = &s->line[0], *B = &s->line[1];
    const sal_bind   given[] = { { "A", .point = A }, { "B", .point = B }, { "S", .body = s->body }, { 0 } };
    const sal_slot   angle =
        s->angle != SAL_NONE ? s->angle : sal_given(b, "angle", "angle(S) - atan2(y(B) - y(A), x(B) - x(A))", given);

    sal_body_ends_turned(b, s->body, angle, e);
    sal_row_begin(b, "line");
    sal_add_cross(b, 1.0, *A, *B, *A, s->p);
    sal_add_reaction(
        b, "normal", "N", "-f*distance(A, B)",
        (sal_bind[]){ { "A", .point = A }, { "B", .point = B }, { "f", .multiplier = sal_row_multiplier(b) }, { 0 } });
    sal_row_begin(b, "angle");
    sal_add_cross(b, 1.0, *A, *B, e[0], e[1]);
    sal_add_reaction(b, "torque", "N m", "-f*((x(B) - x(A))*(x(E) - x(I)) + (y(B) - y(A))*(y(E) - y(I)))",
                     (sal_bind[]){ { "A", .point = A },
                                   { "B", .point = B },
                                   { "I", .point = &e[0] },
                                   { "E", .point = &e[1] },
                                   { "f", .multiplier = sal_row_multiplier(b) },
                                   { 0 } });
    sal_draw_slider(b, s->p, s->line, s->body);
}

const sal_type sal_joint_prismatic = {
    .name      = "prismatic",
    .help      = "a body slides along a line without turning against it",
    .size      = sizeof(prismatic),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .rows      = true,
    .emit      = emit,
    .reactions = "normal [N] at the point, positive to the left of the line, and torque [N m], both on the body",
};
