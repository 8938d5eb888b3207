/* events.h - what the files that watch event functions (events.c, arm.c, find.c) know of each other; what others need
 * of them is in run.h. */
#ifndef SAL_RUN_EVENTS_H
#define SAL_RUN_EVENTS_H

#include <math.h>

#include "engine/run/run.h"

static inline const sal_event *sal_events_at(const sal_run *run, int e)
{
    return &run->model->tables->events.at[e];
}

/* SAL_ERR_NUMBER, with a message: the event function is no number at t. */
sal_status sal_events_not_finite(sal_run *run, int e, double t);

/* Whether it is looked for in steps. */
static inline bool sal_events_searched(const sal_run *run, int e)
{
    const int side = sal_events_at(run, e)->side;

    if (side && run->model->tables->sides.at[side - 1].vector) return false; /* steps end there */
    return sal_event_watched(&run->system, e) && !run->find.held[e] && e != run->find.passing;
}

/* Within this the function is zero. */
static inline double sal_events_margin(const sal_run *run, int e)
{
    return run->find.hop[e].on ? run->find.hop[e].zero : fmax(run->find.tolerance[e], run->find.noise[e]);
}

static inline bool sal_events_reads_forces(const sal_program *p)
{
    return (p->reads & (1u << SAL_SRC_ZDD | 1u << SAL_SRC_LAMBDA)) != 0;
}

/* Whether accelerations have to be known for its value. */
static inline bool sal_events_need_forces(const sal_run *run, int e)
{
    return run->find.hop[e].on || sal_events_reads_forces(&sal_events_at(run, e)->when);
}

/* The side of zero that the argument of a switch is on. */
static inline double sal_events_side(const sal_run *run, int e)
{
    return run->system.z[run->model->tables->sides.at[sal_events_at(run, e)->side - 1].slot];
}

/* What is added to the function while it is looked for below where it begins, or beyond zero (arm.c). */
static inline double sal_events_shift(const sal_run *run, int e)
{
    return run->find.arming[e] == SAL_SLOW && !run->find.risen[e] ? run->find.below[e] : 0.0;
}

/* arm.c: the function begins with r on zero, and without a rate. */
void sal_events_begin_slowly(sal_run *run, int event, double r);
/* events.c: which crossings count. */
sal_direction sal_events_direction(const sal_run *run, int event);
/* events.c: rates up to this are rounding: of what the rate is a sum of. At the origin zero tells nothing of it. */
double sal_events_rate_rounding(sal_run *run, int event);
/* events.c: rates up to this are none: it is zero again before it ever was anything else. `bend`: its second rate;
 * `times`: what zero is taken as. */
double sal_events_slow(sal_run *run, int event, double bend, double times);
/* events.c: lets what counts as zero follow the state; `all`: the sizes that the events of contacts are measured by.
 * And that of all events at the beginning of a step, with accelerations where one needs them. */
void sal_events_update_zero(sal_run *run, int event, const sal_scale *all);
void sal_events_update_zeros(sal_run *run);

/* arm.c: a contact that has been put to another part of its line begins the step there. */
void sal_events_arm_parts(sal_run *run);

#endif
