/* event.c - the general event: a function of the motion crosses zero, and velocities are set anew.
 *
 *     r(t, q, v) = 0, crossing in `direction`;   v+_k = h_k(t, q, v-) for the velocities named in `set`
 *
 * The velocities marked `dof` that are not set stay as they are, all others follow from Phi_q v+ + Phi_t = 0; what
 * that leaves open changes as little as possible in kinetic energy. Positions never jump. */
#include "engine/ext.h"

typedef struct event {
    sal_text  when, guard;
    int       direction;
    sal_texts set;
    bool      stop;
} event;

static const char *const directions[] = { "falling", "rising", "both", NULL }; /* in the order of sal_direction */

static const sal_field fields[] = {
    { "when", SAL_F_FORMULA, offsetof(event, when), .help = "the event happens where this crosses zero" },
    { "direction", SAL_F_CHOICE, offsetof(event, direction), .standard = "falling", .help = "which crossings count",
      .words = directions },
    { "guard", SAL_F_FORMULA, offsetof(event, guard), .standard = "",
      .help = "the event is passed over where this is 0 (false)" },
    { "set", SAL_F_FORMULAS, offsetof(event, set), .standard = "",
      .help = "velocities after the event, such as \"vy(P)\": \"-0.5*vy(P)\", from those before" },
    { "stop", SAL_F_BOOL, offsetof(event, stop), .standard = "false", .help = "whether the run ends there" },
};

static void emit(const void *self, sal_builder *b)
{
    const event *s = self;

    sal_event_begin(b, "", (sal_direction)s->direction);
    sal_event_when(b, s->when, NULL);
    if (s->guard.text) sal_event_guard(b, s->guard, NULL);
    for (int k = 0; k < s->set.n; k++) sal_event_set(b, s->set.key[k], s->set.value[k], NULL);
    if (s->stop) sal_event_stop(b);
}

const sal_type sal_contact_event = {
    .name    = "event",
    .help    = "a function crosses zero and velocities are set anew",
    .size    = sizeof(event),
    .fields  = fields,
    .nfields = SAL_COUNT(fields),
    .emit    = emit,
};
