/* hop.c - contacts that leave more slowly than a gap can tell.
 *
 * A rebound at speed u is u^2 / (2 |g|) high: from 1e-6 m/s on less than a rounding error of a coordinate, and far from
 * the origin much earlier. Velocities are known to a rounding error of themselves wherever a mechanism is. So the gap r
 * of a contact that has just rebounded is followed by its rate, from the rebound on, where it is zero, and from the
 * beginning of one step to the next, dt later (corrected trapezoidal rule):
 *
 *     r1 = r0 + dt/2 (r0' + r1') + dt^2/12 (r0'' - r1''),      off by dt^5/720 r^(5)
 *
 * This is done as long as the rebound is so low that the gap does not tell it well, and that the rule is better than
 * the gap: over a rebound of height h it is off by (h/L)^2 h or so, L being the length, and the gap by its zero.
 *
 * What leaves slowly and is not pressed back goes on rising: events are looked for by its gap. It is followed all the
 * same, for the next event may come so soon that the gap does not tell whether it touches, and may press it back: from
 * then on it hops. Where the rule is further from the gap than that is from itself the step was too long for it. */
#include <float.h>
#include <math.h>

#include "engine/run/run.h"
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

static int contact_of(const sal_run *run, int e)
{
    return run->model->tables->events.at[e].touch;
}

double sal_hop_value(sal_run *run, int e)
{
    const sal_hop *hop = &run->find.hop[e];
    const double   dt  = run->find.ahead;

    if (dt == 0.0) return hop->value;
    return hop->value + 0.5 * dt * (hop->rate + sal_contact_gap_rate(&run->system, contact_of(run, e))) +
           dt * dt / 12.0 * (hop->bend - sal_contact_gap_second(&run->system, contact_of(run, e)));
}

/* Heights up to which a rebound is followed by its rate. */
static double highest(const sal_run *run, int e)
{
    const double zero = run->find.tolerance[e], length = run->system.length;

    return fmin(SAL_HOP_ZERO * zero, SAL_HOP * cbrt(zero / length) * length);
}

/* After which time a gap so low, with such rates, is back on zero, or higher than that. */
static double lasts(const sal_hop *hop, double high)
{
    if (hop->bend < 0.0)
        return (hop->rate + sqrt(hop->rate * hop->rate - 2.0 * hop->bend * fmax(hop->value, 0.0))) / -hop->bend;
    return hop->rate < 0.0 ? hop->value / -hop->rate
                           : 2.0 * high / (hop->rate + sqrt(hop->rate * hop->rate + 2.0 * hop->bend * high));
}

/* Rates are known to this, by the fastest motion. */
static double rounding(const sal_run *run)
{
    return SAL_NO_SPEED * sal_largest(run->system.zd, run->model->n);
}

/* What the value is off by after that time, with rates that are off by `slow`. */
static void measure(sal_run *run, int e, double time, double slow)
{
    sal_hop     *hop  = &run->find.hop[e];
    const double zero = run->find.tolerance[e];

    hop->slow = slow;
    hop->zero = fmin(zero, time * (hop->slow + zero / run->system.length * fabs(hop->rate)));
}

/* Events are looked for by it from here on, in a step of its own size. */
static void look_by_rate(sal_run *run, int e)
{
    sal_hop     *hop  = &run->find.hop[e];
    const double time = lasts(hop, highest(run, e));

    hop->on = true;
    measure(run, e, hop->since + time, rounding(run));
    run->h_next = fmin(run->h_next, 2.0 * time);
}

bool sal_hop_start(sal_run *run, int e, double rate, double bend, const sal_scale *scale)
{
    sal_hop     *hop  = &run->find.hop[e];
    const double high = highest(run, e), still = SAL_CONTACT_SMALL * sal_speed_told(&run->system);
    const bool   away = sal_contact_leaves(&run->contacts, &run->system, contact_of(run, e)),
               rises  = away || (rate >= -still && bend >= -SAL_CONTACT_SMALL * scale->acceleration);

    *hop         = (sal_hop){ .rate = rate, .bend = bend, .slow = rounding(run) };
    hop->follows = rises && rate * rate < 2.0 * fmax(fabs(bend), scale->acceleration) * high;
    if (!away) return false;
    if (bend < 0.0 && rate * rate < 2.0 * fabs(bend) * high) look_by_rate(run, e);
    return hop->on;
}

void sal_hop_go_on(sal_run *run, int e)
{
    sal_hop *hop = &run->find.hop[e];

    hop->rate = sal_events_rate(run, e);
    hop->bend = sal_events_curvature(run, e);
    look_by_rate(run, e);
}

bool sal_hop_agrees(sal_run *run, int e)
{
    const double off = sal_hop_value(run, e) - sal_contact_gap(&run->system, contact_of(run, e));

    if (fabs(off) > run->find.tolerance[e]) return false;
    measure(run, e, run->find.hop[e].since + run->find.ahead, rounding(run));
    return run->find.hop[e].on = true;
}

void sal_hops_begin(sal_run *run)
{
    run->find.ahead = 0.0;
    for (int e = 0; e < run->model->tables->events.n; e++) {
        sal_hop *hop = &run->find.hop[e];
        if (!hop->on && !hop->follows) continue;
        hop->rate = sal_contact_gap_rate(&run->system, contact_of(run, e));
        hop->bend = sal_contact_gap_second(&run->system, contact_of(run, e));
    }
}

void sal_hops_advance(sal_run *run)
{
    run->find.ahead = run->stepper.h;
    for (int e = 0; e < run->model->tables->events.n; e++) {
        sal_hop *hop = &run->find.hop[e];
        if (!hop->on && !hop->follows) continue;
        hop->value = sal_hop_value(run, e);
        hop->since += run->stepper.h;
        hop->on      = hop->on && fabs(hop->value) <= highest(run, e);
        hop->follows = !hop->on && hop->follows && hop->value <= highest(run, e) &&
                       fabs(hop->value - sal_contact_gap(&run->system, contact_of(run, e))) <= run->find.tolerance[e];
    }
    run->find.ahead = 0.0;
}

void sal_hops_at_event(sal_run *run)
{
    sal_hops_advance(run);
    for (int e = 0; e < run->model->tables->events.n; e++) {
        sal_hop *hop = &run->find.hop[e];
        if (!hop->follows) continue;
        measure(run, e, hop->since, fmax(hop->slow, rounding(run))); /* all may have come to rest since */
        hop->on      = hop->value > hop->zero;
        hop->follows = false;
    }
}
