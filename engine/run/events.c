/* events.c - event functions at a state.
 *
 * The value r of an event function, its rate r' and its second rate r'' along the motion, and what counts as zero of
 * them. A difference of numbers is zero within a few rounding errors of these,
 *
 *     |r| <= eps sum_k |dr/dz_k z_k|,
 *
 * and beyond that within what it passes while its time is not known better, eps |r' t|. A rate is none where the
 * function, on its parabola, is back within its zero before it ever was anything else: |r'| <= sqrt(2 |r''| zero). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/run/events.h"
#include "engine/motion/motion.h"
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

/* A contact that slides can stick when the slip, of which the function is the negative, returns to zero. */
sal_direction sal_events_direction(const sal_run *run, int e)
{
    const sal_event *event = sal_events_at(run, e);

    if (event->touch < 0 || event->kind != SAL_STICKS) return event->direction;
    return sal_contact_slides(&run->system, event->touch) > 0 ? SAL_RISING : SAL_FALLING;
}

/* The event function at the state: of contacts that slip as a group the sum over all of them. The argument of a branch
 * that is not taken need not be finite: then it is where it was. */
sal_status sal_events_not_finite(sal_run *run, int e, double t)
{
    const sal_event *event = sal_events_at(run, e);

    return sal_run_fail(run, SAL_ERR_NUMBER, "the event function of %s is not finite at t = %.9g s%s%s", event->name, t,
                        event->undefined ? ": " : "", event->undefined ? event->undefined : "");
}

double sal_events_value(sal_run *run, int e)
{
    const sal_event *event = sal_events_at(run, e);
    double           sum   = 0.0;

    if (run->find.hop[e].on) return sal_hop_value(run, e);
    if (event->side || run->system.mode.portions == 0) {
        const double u = sal_system_value(&run->system, &event->when);
        return !event->side || isfinite(u) ? u : sal_events_side(run, e);
    }
    for (int k = 0, part = e; part >= 0; part = sal_event_part(&run->contacts, &run->system, e, ++k))
        sum += sal_system_value(&run->system, &sal_events_at(run, part)->when);
    return sum;
}

double sal_events_rate(sal_run *run, int e)
{
    double sum = 0.0;

    for (int k = 0, part = e; part >= 0; part = sal_event_part(&run->contacts, &run->system, e, ++k))
        sum += sal_tangent_rate(&run->motion, &run->system, &sal_events_at(run, part)->when);
    return sum;
}

/* The rate of the event function a time dt away, on the parabola of the motion. */
static double rate_nearby(sal_run *run, int e, double t, const double *q, const double *v, const double *a, double dt)
{
    sal_system *s = &run->system;

    for (int k = 0; k < run->model->n; k++) {
        s->z[k]  = q[k] + dt * (v[k] + 0.5 * dt * a[k]);
        s->zd[k] = v[k] + dt * a[k];
    }
    sal_system_move(s, t + dt, NULL, NULL);
    if (sal_system_accelerate(s) != SAL_OK) return NAN;
    return sal_events_rate(run, e);
}

/* d2r/dt2 where the function reads forces or the energy: its rates differenced over a short part of the time in which
 * the mechanism falls by its own length. An estimate, for decisions only. */
static double estimate_curvature(sal_run *run, int e)
{
    sal_system     *s     = &run->system;
    const sal_scale scale = sal_scale_at(s);
    const double    speed = fmax(scale.speed, scale.natural), dt = SAL_CURVATURE_STEP * scale.length / speed;
    const int       n = run->model->n, m = run->model->m;
    const double    t    = s->z[run->model->tables->time];
    const size_t    mark = sal_arena_mark(&s->arena);
    double *q = sal_arena_take(&s->arena, n), *v = sal_arena_take(&s->arena, n), *a = sal_arena_take(&s->arena, n),
           *lambda = sal_arena_take(&s->arena, m), bend = 0.0;

    if (speed > 0.0) {
        memcpy(q, s->z, sizeof *q * (size_t)n);
        memcpy(v, s->zd, sizeof *v * (size_t)n);
        memcpy(a, s->zdd, sizeof *a * (size_t)n);
        memcpy(lambda, s->lambda, sizeof *lambda * (size_t)m);
        bend = (rate_nearby(run, e, t, q, v, a, dt) - rate_nearby(run, e, t, q, v, a, -dt)) / (2.0 * dt);
        sal_system_move(s, t, q, v);
        memcpy(s->zdd, a, sizeof *a * (size_t)n);
        memcpy(s->lambda, lambda, sizeof *lambda * (size_t)m);
    }
    sal_arena_release(&s->arena, mark);
    return bend;
}

double sal_events_curvature(sal_run *run, int e)
{
    const sal_program *rate = &run->model->event_rate[e];
    const double       bend = rate->n ? sal_tangent_rate(&run->motion, &run->system, rate) : estimate_curvature(run, e);

    return isfinite(bend) ? bend : 0.0;
}

/* What the function passes while the time is not known better. */
static double passed_unknown(sal_run *run, int e)
{
    return SAL_TIME_ROUNDING * DBL_EPSILON * fabs(sal_events_rate(run, e) * run->t1);
}

/* It is zero where this is within its margin. */
double sal_events_off_zero(sal_run *run, int e, double r)
{
    double off = fabs(r);

    if (off > sal_events_margin(run, e)) off -= passed_unknown(run, e);
    return off < 0.0 ? 0.0 : off;
}

const double *sal_events_located(sal_run *run)
{
    for (int e = 0; e < run->model->tables->events.n; e++) {
        const sal_event *event = sal_events_at(run, e);
        const bool       gap   = event->touch >= 0 && event->kind == SAL_TOUCHES;
        const sal_hop   *hop   = &run->find.hop[e];
        run->find.located[e]   = run->find.tolerance[e] + (gap ? passed_unknown(run, e) : 0.0);
        if (hop->on && hop->value > hop->zero) run->find.located[e] = -HUGE_VAL; /* it is above, by little */
        if (!gap || !(run->contacts.calm > 0.0)) continue;
        const double low = sal_contact_low(&run->contacts, &run->system, event->touch);
        if (!hop->on || hop->value <= low) run->find.located[e] = fmax(run->find.located[e], low);
    }
    return run->find.located;
}

/* What counts as zero follows the size of the numbers whose difference the function is: sum of |dr/dz z| over what it
 * reads, the largest so far, since near zero itself the numbers may all be small. A gap, force or velocity of a contact
 * may be nothing but rounding: it is measured by all numbers of its kind, forces by their parts (sal_scale). */
void sal_events_update_zero(sal_run *run, int e, const sal_scale *all)
{
    sal_system        *s = &run->system;
    const sal_program *p = &sal_events_at(run, e)->when;
    double             value, scale = sal_scale_of(s, p, &value);

    if (sal_events_at(run, e)->touch >= 0) {
        if (sal_events_reads_forces(p)) scale = fmax(scale, all->force + all->operands);
        else if (sal_events_at(run, e)->kind == SAL_STICKS)
            scale = fmax(scale, fmax(all->speed, SAL_ZERO_LEAST * all->natural));
        else scale = fmax(scale, fmax(sal_largest(s->z, run->model->n), SAL_ZERO_LEAST * s->length));
    }
    if (isfinite(scale)) run->find.tolerance[e] = fmax(run->find.tolerance[e], SAL_ZERO * scale);
}

double sal_events_zero(sal_run *run, int event)
{
    sal_events_update_zero(run, event, &(sal_scale){ 0 });
    return run->find.tolerance[event];
}

/* The sizes that contact events are measured by; zeros where none needs them. */
static sal_scale scale_for_all(sal_run *run)
{
    for (int e = 0; e < run->model->tables->events.n; e++) {
        const sal_event *event = sal_events_at(run, e);
        if (event->touch >= 0 &&
            (event->kind == SAL_STICKS || (sal_events_searched(run, e) && sal_events_reads_forces(&event->when))))
            return sal_scale_at(&run->system);
    }
    return (sal_scale){ 0 };
}

void sal_events_update_zeros(sal_run *run)
{
    const sal_scale scale = scale_for_all(run);

    for (int e = 0; e < run->model->tables->events.n; e++) {
        if (sal_events_searched(run, e) || sal_events_at(run, e)->kind == SAL_STICKS)
            sal_events_update_zero(run, e, &scale);
    }
}

double sal_events_rate_rounding(sal_run *run, int e)
{
    const sal_program *rate = &run->model->event_rate[e];
    double             value;

    return rate->n ? SAL_NO_SPEED * sal_scale_of(&run->system, rate, &value) : 0.0;
}

double sal_events_slow(sal_run *run, int e, double bend, double times)
{
    return run->find.hop[e].on ? run->find.hop[e].slow : times * sqrt(2.0 * sal_events_margin(run, e) * fabs(bend));
}
