/* event.c - the general event: a function of the motion crosses zero, and velocities, constraints or memory change.
 *
 *     r(t, q, v) = 0, crossing in `direction`
 *
 * What it does, in this order, all numbers from the state just before:
 *
 *     memory named in `set` gets its new values
 *     the constraints of `release` end, those of `hold` begin
 *     velocities: with any named in `set`, v+_k = h_k(t, q, v-) for these; those marked `dof` that are not set stay as
 *       they are, all others follow from Phi_q v+ + Phi_t = 0, and what that leaves open changes as little as possible
 *       in kinetic energy. Else, where constraints begin, by the impulses of these and of all that hold:
 *       M (v+ - v-) + Phi_q^T delta = 0, Phi_q v+ + Phi_t = 0
 *     the constraints of `release_after` end, with no impulse
 *
 * An event is passed over while all that it would hold holds already. Positions never jump. A point can be held where
 * it is: keep its place in memory, put a fixed point there, and hold
 * a revolute joint between the two. */
#include "engine/ext.h"

typedef struct event {
    sal_text    when, guard;
    int         direction;
    sal_actions actions;
} event;

static const char *const directions[] = { "falling", "rising", "both", NULL }; /* in the order of sal_direction */

static const sal_field fields[] = {
    { "when", SAL_F_FORMULA, offsetof(event, when), .help = "the event happens where this crosses zero" },
    { "direction", SAL_F_CHOICE, offsetof(event, direction), .standard = "falling", .help = "which crossings count",
      .words = directions },
    { "guard", SAL_F_FORMULA, offsetof(event, guard), .standard = "",
      .help = "the event is passed over where this is 0 (false)" },
    SAL_ACTION_FIELDS(event, actions),
};

static void emit(const void *self, sal_builder *b)
{
    const event *s = self;

    sal_event_begin(b, "", (sal_direction)s->direction);
    sal_event_when(b, s->when, NULL);
    if (s->guard.text) sal_event_guard(b, s->guard, NULL);
    sal_event_act(b, &s->actions, NULL);
}

const sal_type sal_contact_event = {
    .name    = "event",
    .help    = "a function crosses zero, and velocities, constraints or memory change",
    .size    = sizeof(event),
    .fields  = fields,
    .nfields = SAL_COUNT(fields),
    .emit    = emit,
};
