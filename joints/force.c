/* force.c - a force at a point, by expressions of anything that moves, of t and parameters.
 *
 *     power = fx vx_P + fy vy_P;   in the frame of a body, with v_P resolved along its axes
 *
 * Reactions: fx and fy [N] as given. energy() does not know it. */
#include "engine/ext.h"

typedef struct force {
    sal_point   p;
    sal_text    component[2];
    const char *body;
} force;

static const sal_field fields[] = {
    { "point", SAL_F_POINT, offsetof(force, p), .help = "the point or marker that it acts on" },
    { "fx", SAL_F_FORMULA, offsetof(force, component[0]), "N",
      .help = "along x, an expression of positions, velocities, t: \"-k*x(P) - c*vx(P)\"" },
    { "fy", SAL_F_FORMULA, offsetof(force, component[1]), "N", .help = "along y" },
    { "body", SAL_F_BODY, offsetof(force, body), .standard = "",
      .help = "the body whose x and y these are; the world's when absent" },
};

static void emit(const void *self, sal_builder *b)
{
    static const char *const label[2]  = { "fx", "fy" };
    static const char *const world[2]  = { "vx(P)", "vy(P)" };
    static const char *const turned[2] = { "vx(P)*cos(angle(B)) + vy(P)*sin(angle(B))",
                                           "vy(P)*cos(angle(B)) - vx(P)*sin(angle(B))" };
    const force             *s         = self;
    const sal_bind           binds[]   = { { "P", .point = &s->p },
                                           { "B", .body = s->body },
                                           { "fx", .formula = s->component[0] },
                                           { "fy", .formula = s->component[1] },
                                           { 0 } };

    if (!sal_point_is_free(b, s->p)) {
        sal_element_error(b, "point", "it is fixed; expected a point that can move");
        return;
    }
    for (int k = 0; k < 2; k++) {
        sal_add_force(b, sal_formula(s->body ? turned[k] : world[k]), s->component[k], binds);
        sal_add_reaction(b, label[k], "N", label[k], binds);
    }
    sal_draw_force(b, s->p, s->body ? "fx*cos(angle(B)) - fy*sin(angle(B))" : "fx",
                   s->body ? "fx*sin(angle(B)) + fy*cos(angle(B))" : "fy", binds);
}

const sal_type sal_joint_force = {
    .name      = "force",
    .help      = "force at a point by expressions",
    .size      = sizeof(force),
    .fields    = fields,
    .nfields   = SAL_COUNT(fields),
    .emit      = emit,
    .reactions = "fx, fy [N] as given",
};
