/* arm.c - what is known of event functions at the beginning of a step.
 *
 * A root at the very beginning of a step (an event that has just happened, a start on the surface) is known, not
 * found: in the step the function of theta is divided by theta, or by theta^2 where its rate is zero as well (find.c).
 * So neither is an event repeated because of a rounding error, nor is the next one lost, however soon it follows. Of a
 * function r that begins on zero
 *
 *     |r'| > slow     it leaves: one root is known; if r' has the direction of the event, that happens now
 *     |r'| <= slow    two are; of a contact perhaps more, and it is looked for a little below, at r + below = 0, and
 *                     so is what something switches by, a little beyond zero
 *
 * unless what holds keeps it on zero: then it is not looked for. */
#include <math.h>
#include <string.h>

#include "engine/run/events.h"
#include "engine/motion/motion.h"
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

/* A contact with whatever part of a line is near: behind the others there is nothing to be said. */
static bool follows_line(const sal_run *run, int e)
{
    const int touch = sal_events_at(run, e)->touch;

    return touch >= 0 && run->model->tables->touches.at[touch].follower >= 0;
}

static bool crosses(sal_direction direction, double rate)
{
    return direction == SAL_BOTH ? rate != 0.0 : direction == SAL_FALLING ? rate < 0.0 : rate > 0.0;
}

/* A law that only rebounds cannot hold what comes to rest on zero: said of gaps, and of any event whose bounces have
 * become as slow after it as before. */
static bool cannot_hold(sal_run *run, int e, double bend, const sal_pending *fired)
{
    const sal_event *event = sal_events_at(run, e);

    if (!event->nset || sal_event_guarded(&run->system, e)) return false;
    if (!crosses(sal_events_direction(run, e), bend)) return false;
    return e != fired->event ? event->gap : !fired->grazing && (event->gap || !fired->steep);
}

/* A contact that begins to slip where friction does not change by that has no acceleration yet, only rounding. */
static double rounding_of_acceleration(const sal_run *run)
{
    return SAL_NO_ACCELERATION * sal_largest(run->system.zdd, run->model->n);
}

/* Whether what holds in the present mode keeps a function that is zero at zero: its gradient along what can move, the
 * velocities or where it reads none the positions, has nothing left once projected, K [d; .] = [gradient; 0], d = 0;
 * and it has neither a rate nor (a pendulum at its top) a second one. The gap of a second contact at the same place and
 * an event on the height of a foot that stands are such functions: rounding alone makes them cross. */
static bool is_held(sal_run *run, int e, double rate, double bend, const sal_scale *scale)
{
    const sal_program *p      = &sal_events_at(run, e)->when;
    sal_system        *s      = &run->system;
    const bool         moving = (p->reads & 1u << SAL_SRC_ZD) != 0;
    const int          n      = run->model->n;
    double             size = 0.0, left = 0.0, most = 0.0;

    if (sal_events_reads_forces(p) || p->reads & 1u << SAL_SRC_ENERGY || sal_system_accelerate(s) != SAL_OK)
        return false;
    sal_system_value(s, p);
    sal_program_gradient(p, s->value, s->first);
    memset(s->rhs, 0, sizeof *s->rhs * (size_t)(n + run->model->m));
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf  = &p->node[p->leaf[k]];
        const double    slope = s->first[p->leaf[k]];
        if (leaf->b >= n || (moving && leaf->a != SAL_SRC_ZD)) continue;
        s->rhs[leaf->b] = slope;
        size            = fmax(size, fabs(slope * s->motion.scale[leaf->b])); /* scale: M_kk^-1/2 */
        most += fabs(slope);
    }
    if (!(fabs(rate) <= SAL_HELD * most * (moving ? scale->acceleration : fmax(scale->speed, scale->natural))))
        return false;
    if (!moving && !(fabs(bend) <= SAL_HELD * most * scale->acceleration)) return false;
    sal_system_solve(s, s->rhs, 1);
    for (int k = 0; k < n; k++) left = fmax(left, fabs(s->rhs[k]) / s->motion.scale[k]);
    return left <= SAL_HELD * size;
}

/* An event that begins on zero without a rate. That of a contact may go either way, by its second derivative or a
 * higher one: it is looked for a little below where it begins, where it has certainly gone. So is the argument of a
 * switch, beyond zero as seen from its side. Others have their known roots divided out. */
void sal_events_begin_slowly(sal_run *run, int e, double r)
{
    const sal_event *event = sal_events_at(run, e);
    const double     away  = 50.0 * sal_events_margin(run, e);
    const bool       below = event->side && sal_events_side(run, e) < 0.0;

    run->find.arming[e] = SAL_SLOW;
    run->find.below[e]  = 0.0;
    if (event->side || (event->touch >= 0 && event->kind != SAL_STICKS))
        run->find.below[e] = below ? -away - fmax(r, 0.0) : away - fmin(r, 0.0);
}

/* Contacts that are open and move with what they touch are let sink by integration. */
static bool has_sunk(sal_run *run, int e, double r)
{
    const sal_event *event = sal_events_at(run, e);

    return event->touch >= 0 && event->kind == SAL_TOUCHES && !follows_line(run, e) && r < -sal_events_margin(run, e) &&
           r >= -SAL_SUNK * run->system.length && !sal_event_guarded(&run->system, e);
}

/* The event becomes pending unless one before it in the scene is. */
static void make_pending(sal_run *run, sal_pending next)
{
    if (run->find.pending.event < 0) run->find.pending = next;
}

/* The rate up to which a gap that is on zero has none; `slow` by its zero. A rebound may be slower. */
static double slow_touch(sal_run *run, int e, double rate, double bend, double slow, bool sunk, const sal_scale *scale)
{
    if (sal_hop_start(run, e, rate, bend, scale)) return run->find.hop[e].slow;
    return fmax(slow, (sunk ? SAL_CONTACT_SMALL : SAL_NO_SPEED) * fmax(scale->speed, scale->natural));
}

/* The rate up to which a function that is on zero has none. */
static double slow_rate(sal_run *run, int e, double rate, double bend, bool sunk, const sal_scale *scale)
{
    const sal_event *event = sal_events_at(run, e);
    const double     slow  = sal_events_slow(run, e, bend, 1.0);

    if (event->touch < 0) return fmax(slow, sal_events_rate_rounding(run, e));
    if (event->kind == SAL_STICKS) return fmax(slow, rounding_of_acceleration(run));
    return event->kind == SAL_TOUCHES ? slow_touch(run, e, rate, bend, slow, sunk, scale) : slow;
}

/* What of a function is noise as far as one knows: where forces stay near those that were found; and of a force that
 * has just been let be what it is, by what it may be beyond its end. */
static double known_noise(const sal_run *run, int e, double r, const sal_scale *scale)
{
    const sal_system *s     = &run->system;
    const sal_event  *event = sal_events_at(run, e);
    const bool        found = s->shares && s->least == SAL_LEAST_FOUND && sal_events_reads_forces(&event->when);
    const bool        force = event->touch >= 0 && (event->kind == SAL_RELEASES || event->kind == SAL_SLIPS);

    return fmax(found ? SAL_FOUND_TOLD * scale->force : 0.0, force ? fmin(-r, SAL_CONTACT_OFF * scale->force) : 0.0);
}

sal_status sal_events_arm(sal_run *run, sal_pending fired)
{
    sal_system     *s     = &run->system;
    const sal_scale scale = sal_scale_at(s);

    run->find.pending.event = -1;
    for (int e = 0; e < run->model->tables->events.n; e++) {
        const sal_event *event = sal_events_at(run, e);
        const double     r     = sal_events_value(run, e);
        double           zero, rate, bend, slow;
        bool             on_zero;

        run->find.held[e] = false;
        if (!sal_event_watched(s, e)) {
            run->find.due[e].due = false; /* a contact that has closed or opened with another one */
            run->find.hop[e]     = (sal_hop){ 0 };
            sal_events_update_zero(run, e, &scale); /* it may be at the next event */
            continue;
        }
        if (!isfinite(r)) return sal_events_not_finite(run, e, run->t1);
        sal_events_update_zero(run, e, &scale);
        run->find.noise[e]  = known_noise(run, e, r, &scale); /* and no more that of the mode before */
        zero                = sal_events_margin(run, e);
        run->find.arming[e] = SAL_ARMED;
        const bool sunk     = has_sunk(run, e, r);
        if (event->gap && !follows_line(run, e) && r < -zero && !sunk && run->t1 == run->start.t && fired.event < 0 &&
            !run->asked.quiet && !sal_event_guarded(&run->system, e)) {
            sal_log(run->context, "%s: the gap is %g at the start; the contact acts once it has been open", event->name,
                    r);
        }
        /* an event that has just happened is on zero however well it was located, unless it has itself changed its
         * function */
        on_zero = sunk || (e == fired.event ? fmin(fabs(r), fabs(r - fired.value)) <= zero
                                            : sal_events_off_zero(run, e, r) <= zero);
        if (run->find.due[e].due) {
            make_pending(run, (sal_pending){ .event = e,
                                             .rate  = run->find.due[e].rate,
                                             .value = r,
                                             .steep = run->find.due[e].steep,
                                             .again = !event->side });
        }
        if (!on_zero && run->find.hop[e].on) sal_hop_go_on(run, e);
        if (!on_zero) continue;
        rate             = sal_events_rate(run, e);
        bend             = sal_events_curvature(run, e);
        run->find.hop[e] = (sal_hop){ 0 };
        slow             = slow_rate(run, e, rate, bend, sunk, &scale);
        if (fabs(rate) > slow) run->find.arming[e] = SAL_LEAVING;
        else sal_events_begin_slowly(run, e, r);
        if (e == fired.event) run->find.handled[e] = true;
        if (run->find.arming[e] == SAL_SLOW) {
            run->find.held[e] = event->touch < 0 && is_held(run, e, rate, bend, &scale);
            if (!cannot_hold(run, e, bend, &fired)) continue;
            return sal_run_fail(run, SAL_ERR_EVENTS,
                                "%s: it %s zero at t = %.9g s, and its law rebounds but cannot hold", event->name,
                                fired.event == e ? "comes to rest on" : "is at rest on", run->t1);
        }
        if (!crosses(sal_events_direction(run, e), rate)) {
            run->find.handled[e] = false;
            continue;
        }
        if (run->find.handled[e] || sal_event_guarded(&run->system, e) || (run->ended && !run->find.due[e].due))
            continue;
        if (event->side && !run->find.due[e].due) continue;             /* its side is that which it crosses to */
        if (run->find.pending.event == e) run->find.pending.event = -1; /* it still crosses by itself */
        make_pending(run, (sal_pending){ .event = e, .rate = rate, .value = r, .steep = fabs(rate) > 10.0 * slow });
    }
    if (run->contacts.jam >= 0) { /* before anything else, and at the time of what led to it */
        const int jam     = run->model->tables->touches.at[run->contacts.jam].event[SAL_JAMS];
        run->find.pending = (sal_pending){ .event = jam, .steep = true, .again = true };
    }
    return SAL_OK;
}

void sal_events_arm_parts(sal_run *run)
{
    const sal_tables *tables = run->model->tables;

    for (int k = 0; k < tables->touches.n; k++) {
        const int e = tables->touches.at[k].event[SAL_TOUCHES];
        if (!run->contacts.put[k]) continue;
        run->contacts.put[k] = false;
        run->find.hop[e]     = (sal_hop){ 0 };
        sal_events_zero(run, e);
        const double r      = sal_events_value(run, e);
        run->find.arming[e] = SAL_ARMED;
        if (fabs(r) <= 50.0 * sal_events_margin(run, e)) sal_events_begin_slowly(run, e, r);
    }
}

void sal_events_pass(sal_run *run, int event, double value)
{
    run->find.passing = event;
    run->find.passed  = value;
}

void sal_events_go_on(sal_run *run)
{
    const int passing = run->find.passing;

    sal_hops_advance(run);
    if (passing >= 0 && sal_system_value(&run->system, &sal_events_at(run, passing)->when) * run->find.passed <= 0.0)
        run->find.passing = -1;
    for (int e = 0; e < run->model->tables->events.n; e++) {
        run->find.risen[e] = false;
        if (run->find.held[e]) /* unless it has left zero all the same */
            run->find.held[e] = fabs(sal_events_value(run, e)) <= 100.0 * sal_events_margin(run, e);
        const bool still = sal_events_searched(run, e) &&
                           fabs(sal_events_value(run, e)) <= fabs(sal_events_shift(run, e)) &&
                           sal_events_shift(run, e) != 0.0;
        run->find.arming[e] = still ? SAL_SLOW : SAL_ARMED;
    }
}
