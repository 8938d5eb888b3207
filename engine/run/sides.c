/* sides.c - events of the engine's own: where forces, costs and functions of time switch (model/sides.c).
 *
 * In a smooth piece every argument u that something switches by has a side, the sign of u. Where u comes to zero there
 * is an event, at which it changes; it is handled like any other,
 *
 *     Q+ = Q- + (v- - v+) tau' = Q-,    V+ = V- + (a- - a+) tau',    Z+ = Z- + (g- - g+) tau'
 *
 * but it is not the scene's: nobody is told, unless a contact opens, closes, slips or sticks by it.
 *
 * Where a smooth piece begins with u on zero the side is the one that u goes to: the sign of its rate, or of its second
 * one, with the forces of that side. If either side sends u to the other there is no motion on a side (dry friction by
 * sign(v) at rest is such): that is an error. */
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/run/events.h"

static const sal_side *side_at(const sal_run *run, int k)
{
    return &run->model->tables->sides.at[k];
}

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

/* Where an argument on zero goes to with the accelerations that the system has; 0: it stays. */
static int heading(sal_run *run, int event, double zero)
{
    const double rate = sal_events_rate(run, event), bend = sal_events_curvature(run, event);

    if (fabs(rate) > sqrt(2.0 * zero * fabs(bend)) && fabs(rate) > zero / run->t_end &&
        fabs(rate) > sal_events_rate_rounding(run, event))
        return sign_of(rate);
    return fabs(bend) * run->t_end * run->t_end > zero ? sign_of(bend) : 0;
}

static sal_status fail_between(sal_run *run, int event)
{
    return sal_run_fail(
        run, SAL_ERR_EVENTS,
        "%s switches to and fro at t = %.9g s: on either side of zero it drives what it switches by back "
        "to the other; dry friction is a matter of contacts, or of tanh(v/small)",
        run->model->tables->events.at[event].name, run->t1);
}

/* Another event at this instant may have kept an argument from crossing that was about to: its event is not due then.
 * The system has accelerations. */
static void revise_due(sal_run *run)
{
    for (int k = 0; k < run->model->tables->sides.n; k++) {
        const sal_side *side = side_at(run, k);
        sal_due        *due  = &run->find.due[side->event];
        const double    u    = sal_events_value(run, side->event);
        if (!due->due) continue;
        due->rate = sal_events_rate(run, side->event);
        due->due  = sal_events_off_zero(run, side->event, u) <= sal_events_zero(run, side->event) &&
                   due->rate * run->system.z[side->slot] < 0.0;
        if (!due->due && sal_events_off_zero(run, side->event, u) > sal_events_zero(run, side->event))
            run->system.z[side->slot] = sign_of(u);
    }
}

/* The sides of arguments that are on zero: until each is the one that it goes to. */
static sal_status choose_undecided(sal_run *run, const sal_pending *fired)
{
    sal_system       *s      = &run->system;
    const sal_tables *tables = run->model->tables;

    for (int pass = 0;; pass++) {
        int changed = -1;
        if (sal_system_accelerate(s) != SAL_OK) return SAL_OK; /* it will be said */
        if (pass == 0) revise_due(run);
        for (int k = 0; k < tables->sides.n; k++) {
            const sal_side *side = side_at(run, k);
            const double    u = sal_events_value(run, side->event), zero = sal_events_zero(run, side->event);
            double         *now = &s->z[side->slot];
            int             to;
            if (run->find.due[side->event].due || (side->event == fired->event && fired->grazing)) continue;
            if (side->event != fired->event && sal_events_off_zero(run, side->event, u) > zero) continue;
            to = heading(run, side->event, zero);
            if (to == 0 || to == *now) continue;
            if (side->event == fired->event && !side->jumps)
                continue; /* rounding: its rate is the same on both sides */
            if (pass > 1) return fail_between(run, side->event);
            *now    = to;
            changed = k;
        }
        if (changed < 0) return SAL_OK;
    }
}

sal_status sal_run_choose_sides(sal_run *run, double t, const double *y, const sal_pending *fired)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;

    if (tables->sides.n == 0) return SAL_OK;
    run->t1 = t;
    sal_system_move(s, t, y, y + run->model->n);
    if (!s->sides_fixed && sal_system_accelerate(s) != SAL_OK) return SAL_OK; /* the start: arguments may read forces */
    if (!s->sides_fixed) sal_system_take_sides(s);
    s->sides_fixed = true;
    for (int k = 0; k < tables->sides.n; k++) {
        const sal_side *side = side_at(run, k);
        const double    u = sal_events_value(run, side->event), zero = sal_events_zero(run, side->event);
        if (side->event == fired->event || run->find.due[side->event].due) continue;
        if (sal_events_off_zero(run, side->event, u) > zero) s->z[side->slot] = sign_of(u);
    }
    sal_system_move(s, t, NULL, NULL); /* functions of time, by these */
    return choose_undecided(run, fired);
}

/* Whether rows that hold still do where what is prescribed has just changed: positions must, velocities need not. */
static sal_status check_rows(sal_run *run, bool *jolts)
{
    sal_system     *s     = &run->system;
    const sal_scale scale = sal_scale_at(s);
    const double    speed = fmax(scale.speed, scale.natural);
    double          phi, phidot;

    sal_system_residual(s, &phi, &phidot);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    for (int r = 0; r < run->model->m; r++) {
        double size = 1e-300;
        if (!s->mode.held[r]) continue;
        for (int i = run->model->jp[r]; i < run->model->jp[r + 1]; i++) size = fmax(size, fabs(s->entry[i]));
        if (fabs(s->phi[r]) > SAL_HOLD_FITS * size * s->length) {
            const sal_tables *tables = run->model->tables;
            const sal_place  *place  = &tables->elements.at[tables->rows.at[r].element].place;
            return sal_run_fail(
                run, SAL_ERR_ASSEMBLY,
                "%s:%d:%d: %s: what drives %s jumps by about %.3g m at t = %.9g s, and positions do not "
                "jump; expected a ramp such as min(max(t - t0, 0), d)*v, or release and hold it by events",
                tables->file, place->line, place->column, place->path, tables->rows.at[r].name, fabs(s->phi[r]) / size,
                run->t1);
        }
        *jolts = *jolts || fabs(s->phidot[r]) > SAL_HOLD_FITS * size * speed;
    }
    return SAL_OK;
}

/* A gap that what is prescribed has jumped through, from `before` on. */
static sal_status check_gaps(sal_run *run, const double *before)
{
    const sal_tables *tables = run->model->tables;
    const double      zero   = SAL_HOLD_FITS * run->system.length;

    for (int e = 0; e < tables->shown_events; e++) {
        const sal_event *event = &tables->events.at[e];
        double           gap;
        if (!event->gap || before[e] < -zero || sal_event_guarded(&run->system, e)) continue;
        if (event->touch >= 0 && run->system.mode.held[tables->touches.at[event->touch].normal]) continue;
        gap = sal_events_value(run, e);
        if (gap >= -zero) continue;
        return sal_run_fail(run, SAL_ERR_ASSEMBLY,
                            "the gap of %s jumps from %.3g to %.3g m at t = %.9g s, through what touches there",
                            event->name, before[e], gap, run->t1);
    }
    return SAL_OK;
}

void sal_run_note_gaps(sal_run *run, double *gap)
{
    const sal_tables *tables = run->model->tables;

    for (int e = 0; e < tables->shown_events; e++) gap[e] = tables->events.at[e].gap ? sal_events_value(run, e) : 0.0;
}

sal_status sal_run_check_moved(sal_run *run, const double *gap, bool *jolts)
{
    const sal_status status = check_rows(run, jolts);

    return status == SAL_OK ? check_gaps(run, gap) : status;
}

/* The piece of a vector that holds from now on. */
static void take_next_piece(sal_run *run, int vector)
{
    sal_knots_next(&run->system, vector);
    sal_columns_next(run);
    if (run->p) sal_knots_rows(&run->tangent, &run->system);
}

/* What is prescribed may have a kink by it, which is an impact, but no jump. */
sal_status sal_run_change_side(sal_run *run, const sal_pending *now, bool *jolts)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;
    const size_t      mark   = sal_arena_mark(&s->arena);
    double           *gap    = sal_arena_take(&s->arena, tables->shown_events);
    sal_status        status = SAL_OK;

    const sal_side *side = side_at(run, tables->events.at[now->event].side - 1);
    sal_run_note_gaps(run, gap);
    if (side->vector) take_next_piece(run, side->vector - 1);
    else s->z[side->slot] = sign_of(now->rate);
    sal_system_move(s, run->t1, NULL, NULL);
    *jolts = false;
    status = sal_run_check_moved(run, gap, jolts);
    sal_arena_release(&s->arena, mark);
    return status;
}

/* Arrays change places, numbers and names go along. */
void sal_run_swap_records(sal_run *run)
{
    const sal_event_record record = run->record;
    double *const impulse = run->contacts.impulse, *const change = run->contacts.impulse_change;

    run->record                  = run->hidden.record;
    run->contacts.impulse        = run->hidden.impulse;
    run->contacts.impulse_change = run->hidden.impulse_change;
    run->hidden.record           = record;
    run->hidden.impulse          = impulse;
    run->hidden.impulse_change   = change;
}
