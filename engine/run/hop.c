/* hop.c - rebounds lower than a gap can tell.
 *
 * A rebound at speed u is u^2 / (2 |g|) high: from 1e-6 m/s on less than a rounding error of a coordinate, and far from
 * the origin much earlier. Velocities are known to a rounding error of themselves wherever a mechanism is. So the gap r
 * of a contact that has just rebounded is followed by its rate, from the rebound on, where it is zero, and from the
 * beginning of one step to the next, dt later (corrected trapezoidal rule):
 *
 *     r1 = r0 + dt/2 (r0' + r1') + dt^2/12 (r0'' - r1''),      off by dt^5/720 r^(5)
 *
 * This is done as long as the rebound is so low that the gap does not tell it well, and that the rule is better than
 * the gap: over a rebound of height h it is off by (h/L)^2 h or so, L being the length, and the gap by its zero. */
#include <float.h>
#include <math.h>

#include "engine/run/run.h"
#include "engine/base/tolerance.h"

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

bool sal_hop_start(sal_run *run, int e, double rate, double bend, double rounding)
{
    sal_hop     *hop  = &run->find.hop[e];
    const double zero = run->find.tolerance[e], lasts = 2.0 * rate / fabs(bend);

    *hop = (sal_hop){ 0 };
    if (!(bend < 0.0) || !sal_contact_leaves(&run->contacts, &run->system, contact_of(run, e))) return false;
    hop->on   = rate * rate < 2.0 * fabs(bend) * highest(run, e);
    hop->slow = rounding;
    hop->zero = fmin(zero, lasts * (rounding + zero / run->system.length * rate));
    if (hop->on) run->h_next = fmin(run->h_next, 2.0 * lasts); /* to be found in a step of its own size */
    return hop->on;
}

void sal_hops_begin(sal_run *run)
{
    run->find.ahead = 0.0;
    for (int e = 0; e < run->model->tables->events.n; e++) {
        sal_hop *hop = &run->find.hop[e];
        if (!hop->on) continue;
        hop->rate = sal_contact_gap_rate(&run->system, contact_of(run, e));
        hop->bend = sal_contact_gap_second(&run->system, contact_of(run, e));
    }
}

void sal_hops_advance(sal_run *run)
{
    run->find.ahead = run->stepper.h;
    for (int e = 0; e < run->model->tables->events.n; e++) {
        sal_hop *hop = &run->find.hop[e];
        if (!hop->on) continue;
        hop->value = sal_hop_value(run, e);
        hop->on    = fabs(hop->value) <= highest(run, e);
    }
    run->find.ahead = 0.0;
}
