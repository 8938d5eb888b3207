/* act.c - what an event does: memory, constraints, velocities, contacts, costs, and the sensitivities through it. */
#include <math.h>
#include <string.h>

#include "engine/run/run.h"
#include "engine/base/tolerance.h"

enum { SAME_TIME_MAX = 1000 }; /* events at one instant before the run gives up */

/* Adds what the event costs to the integrals in run->y, and how that changes along the event. */
static void add_event_costs(sal_run *run, int event)
{
    const sal_tables *tables = run->model->tables;
    double *z = run->y + 2 * run->model->n, *Z = run->y + sal_run_state_size(run) + 2 * run->model->n * run->p;

    for (int k = 0; k < tables->event_costs.n; k++) {
        const sal_event_cost *item = &tables->event_costs.at[k];
        if (item->event != event || !sal_instants_counts(run, k)) continue;
        z[item->cost] += sal_system_value(&run->system, &item->program);
        if (!run->p) continue;
        sal_tangent_value(&run->tangent, &run->system, &item->program, run->tangent.number);
        for (int c = 0; c < run->p; c++) Z[item->cost * run->p + c] += run->tangent.number[c];
    }
}

/* What memory will be set to, from the state before the event: by it, and by what may happen to contacts with it. */
static sal_status prepare_notes(sal_run *run, int event, sal_tangent *t)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;

    for (int k = 0; k < tables->notes.n; k++) {
        const sal_note *note = &tables->notes.at[k];
        if (note->event != event && tables->events.at[note->event].touch < 0) continue;
        run->noted[k] = sal_system_value(s, &note->value);
        if (!isfinite(run->noted[k]) && note->event == event) {
            return sal_run_fail(run, SAL_ERR_NUMBER, "%s sets a memory to a number that is not finite at t = %.9g s",
                                tables->events.at[event].name, run->t1);
        }
        if (t) sal_tangent_value(t, s, &note->value, run->noted_change + (size_t)k * (size_t)t->p);
    }
    return SAL_OK;
}

/* Sets memory to that, then what depends on it: before the velocities jump, or after. */
static sal_status take_notes(sal_run *run, int event, bool after, sal_tangent *t)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;
    bool              any    = false;
    sal_status        status;

    for (int k = 0; k < tables->notes.n; k++) {
        const sal_note *note = &tables->notes.at[k];
        if (note->event != event || note->after != after) continue;
        any              = true;
        s->z[note->slot] = run->noted[k];
        if (t) {
            memcpy(t->z + (size_t)note->slot * (size_t)t->p, run->noted_change + (size_t)k * (size_t)t->p,
                   sizeof(double) * (size_t)t->p);
        }
    }
    if (!any) return SAL_OK;
    status = sal_system_refresh(s);
    if (status == SAL_OK && t) sal_tangent_refresh(t, s);
    return status;
}

/* Whether the event turns contacts on: one that touches and approaches is an impact. Before memory is set. */
static bool closes(sal_run *run, int event)
{
    const sal_tables *tables = run->model->tables;
    const double     *zero   = run->find.located; /* as of the beginning of the event */
    bool              any    = false;

    for (int k = 0; k < tables->notes.n; k++) {
        const sal_note *note = &tables->notes.at[k];
        for (int i = 0; note->event == event && i < tables->touches.n; i++) {
            const sal_touch *touch = &tables->touches.at[i];
            if (touch->on != note->slot || run->noted[k] <= 0.5 || sal_contact_is_on(&run->system, i)) continue;
            const double gap = sal_contact_gap(&run->system, i);
            any              = true;
            if (gap < -100.0 * zero[touch->event[SAL_TOUCHES]] && touch->follower < 0 && !run->asked.quiet)
                sal_log(run->context,
                        "%s: the gap is %g when it is closed at t = %.9g s; it acts once it has been open", touch->name,
                        gap, run->t1);
            if (run->p) sal_sens_check_closing(run, i, zero[touch->event[SAL_TOUCHES]]);
        }
    }
    return any;
}

/* Lets rows hold, or no longer; whether there were any. */
static bool flip(sal_run *run, int event, sal_switch_kind kind)
{
    const sal_tables *tables = run->model->tables;
    bool              any    = false;

    sal_mode_copy(&run->mode, &run->system.mode);
    for (int k = 0; k < tables->switches.n; k++) {
        const sal_switch  *x = &tables->switches.at[k];
        const sal_element *e = &tables->elements.at[x->element];
        if (x->event != event || x->kind != kind) continue;
        any = true;
        for (int r = e->row; r < e->row + e->nrow; r++) run->mode.held[r] = kind == SAL_HOLD;
    }
    if (any) sal_system_set_mode(&run->system, &run->mode);
    return any;
}

/* What an event lets hold must fit: positions do not jump. */
static sal_status check_held(sal_run *run, int event)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;
    double            phi, phidot;

    sal_system_residual(s, &phi, &phidot);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    for (int k = 0; k < tables->switches.n; k++) {
        const sal_switch  *x = &tables->switches.at[k];
        const sal_element *e = &tables->elements.at[x->element];
        for (int r = e->row; x->event == event && x->kind == SAL_HOLD && r < e->row + e->nrow; r++) {
            double size = 0.0;
            for (int i = run->model->jp[r]; i < run->model->jp[r + 1]; i++) size = fmax(size, fabs(s->entry[i]));
            if (fabs(s->phi[r]) <= SAL_HOLD_FITS * fmax(size, 1e-300) * s->length) continue;
            return sal_run_fail(
                run, SAL_ERR_ASSEMBLY,
                "%s cannot hold %s at t = %.9g s: it is open by about %.3g m, and positions do not jump",
                tables->events.at[event].name, tables->rows.at[r].name, run->t1, fabs(s->phi[r]) / fmax(size, 1e-300));
        }
    }
    return SAL_OK;
}

static bool reads_closed(const sal_tables *tables, const sal_program *p)
{
    for (int i = 0; i < p->nleaf; i++) {
        for (int k = 0; k < tables->touches.n; k++) {
            const sal_node *leaf = &p->node[p->leaf[i]];
            if (leaf->a == SAL_SRC_Z && leaf->b == tables->touches.at[k].is_closed) return true;
        }
    }
    return false;
}

bool sal_run_forces_read_closed(const sal_tables *tables)
{
    for (int k = 0; k < tables->efforts.n; k++) {
        if (reads_closed(tables, &tables->efforts.at[k].force)) return true;
    }
    return false;
}

/* Who holds from now on. Forces may depend on who does, closed(...): it is decided again with those, until it stays. */
static sal_status settle(sal_run *run, const sal_event *event, const double *zero, sal_tangent *t)
{
    enum { OFTEN = 8 };
    sal_status status = sal_contacts_settle(&run->contacts, &run->system, event->touch, event->kind, zero, t);

    for (int k = 0; status == SAL_OK && sal_contacts_note_closed(&run->system) && run->forces_read_closed; k++) {
        if (k == OFTEN)
            return sal_run_fail(
                run, SAL_ERR_EVENTS,
                "forces that depend on which contacts are closed let these open and close to and fro at "
                "t = %.9g s",
                run->t1);
        status = sal_contacts_settle(&run->contacts, &run->system, -1, SAL_TOUCHES, zero, t);
    }
    return status;
}

int sal_run_contact_event(const sal_run *run, int contact)
{
    const sal_touch    *c      = &run->model->tables->touches.at[contact];
    const sal_row_mode *before = &run->record.mode, *after = &run->record.after;
    const bool          was = before->held[c->normal], is = after->held[c->normal];
    const bool          stuck  = c->tangent >= 0 && before->held[c->tangent];
    const bool          sticks = c->tangent >= 0 && after->held[c->tangent];

    if (run->record.pending.grazing) return -1;
    for (int k = 0; k < SAL_COUNT(c->event); k++) {
        if (c->event[k] >= 0 && c->event[k] == run->record.pending.event) return c->event[k];
    }
    if (!was && (is || run->contacts.impulse[c->normal] != 0.0)) return c->event[SAL_TOUCHES];
    if (was && !is) return c->event[SAL_RELEASES];
    if (is && stuck != sticks) return c->event[sticks ? SAL_STICKS : SAL_SLIPS];
    return -1;
}

/* Sets memory, and lets go of what ends by the event. What goes on holding must fit what memory is now; *jolts: its
 * velocities change by it, or contacts are turned on. */
static sal_status begin_with_memory(sal_run *run, int event, sal_tangent *t, bool *jolts, bool *changed)
{
    sal_system  *s      = &run->system;
    const size_t mark   = sal_arena_mark(&s->arena);
    double      *gap    = sal_arena_take(&s->arena, run->model->tables->shown_events);
    bool         moves  = false;
    sal_status   status = SAL_OK;

    for (int k = 0; k < run->model->tables->notes.n; k++)
        moves = moves || run->model->tables->notes.at[k].event == event;
    if (moves) sal_run_note_gaps(run, gap);
    *jolts   = closes(run, event);
    status   = take_notes(run, event, false, t);
    *changed = sal_contacts_let_go(&run->contacts, s) || *jolts || *changed;
    *changed = flip(run, event, SAL_RELEASE) || *changed;
    if (status == SAL_OK && moves) status = sal_run_check_moved(run, gap, jolts);
    sal_arena_release(&s->arena, mark);
    return status;
}

/* What else is to happen with the contacts that have changed, besides the one whose event this is. */
static sal_status act_with(sal_run *run, int event, const double *zero, sal_tangent *t)
{
    const sal_tables *tables = run->model->tables;
    sal_status        status = SAL_OK;

    sal_mode_copy(&run->record.after, &run->system.mode);
    for (int k = 0; k < tables->touches.n && status == SAL_OK; k++) {
        const int e = sal_run_contact_event(run, k);
        bool      begins, changed = false, impact;
        if (e < 0 || e == event) continue;
        status     = begin_with_memory(run, e, t, &impact, &changed);
        begins     = flip(run, e, SAL_HOLD);
        run->ended = run->ended || tables->events.at[e].stop;
        if (status == SAL_OK && begins) status = check_held(run, e);
        if (status == SAL_OK && (begins || impact))
            status = sal_contacts_impact(&run->contacts, &run->system, -1, zero, t);
        if (status == SAL_OK) status = take_notes(run, e, true, t);
        changed = sal_contacts_let_go(&run->contacts, &run->system) || changed;
        changed = flip(run, e, SAL_RELEASE_AFTER) || changed || begins;
        if (status == SAL_OK && changed) status = settle(run, &tables->events.at[event], zero, t);
    }
    return status;
}

/* A kink in what is prescribed is no event of the scene: its impact is told all the same. */
static void tell_kink(sal_run *run, int event)
{
    const sal_tables *tables = run->model->tables;
    int               most   = 0;

    for (int r = 1; r < run->model->m; r++) {
        if (fabs(run->contacts.impulse[r]) > fabs(run->contacts.impulse[most])) most = r;
    }
    if (run->asked.quiet || run->model->m == 0) return;
    sal_log(run->context,
            "%s has a kink at t = %.9g s: what it drives is set going by an impact, the impulse of %s being %.6g",
            tables->events.at[event].name, run->t1, tables->rows.at[most].name, run->contacts.impulse[most]);
}

/* What gaps may be away from zero, and whether what is slower than `rest` is at rest. */
static const double *locate(sal_run *run, const sal_event *event)
{
    run->contacts.calm = 0.0;
    if (event->touch >= 0 && event->kind == SAL_TOUCHES)
        sal_contacts_note_closing(&run->contacts, &run->system, event->touch);
    return sal_events_located(run);
}

/* What the event does to memory, constraints, velocities and contacts, and the sensitivities through it. */
static sal_status act(sal_run *run, const sal_pending *now)
{
    const sal_event *event         = &run->model->tables->events.at[now->event];
    sal_system      *s             = &run->system;
    const int        n             = run->model->n;
    const double    *zero          = locate(run, event);
    const bool       differentiate = run->p > 0 && now->steep, partitioned = differentiate && run->asked.partitioned;
    sal_tangent     *t       = differentiate ? &run->tangent : NULL;
    bool             changed = event->nset || event->touch >= 0 || event->side, begins, jolts = false;
    sal_status       status = SAL_OK;

    if (partitioned) memcpy(run->along, run->tangent.zd, sizeof(double) * (size_t)(n * run->p));
    if (event->nset) status = sal_system_jump_targets(s, now->event, t);
    if (status == SAL_OK) status = prepare_notes(run, now->event, t);
    if (status == SAL_OK) status = begin_with_memory(run, now->event, t, &jolts, &changed);
    if (status == SAL_OK && event->side) status = sal_run_change_side(run, now, &jolts);
    if (status != SAL_OK) return status;
    begins  = flip(run, now->event, SAL_HOLD);
    changed = changed || begins;
    if (begins) status = check_held(run, now->event);
    if (status != SAL_OK) return status;
    if (event->nset) status = sal_system_jump(s, now->event, t);
    else if (begins || jolts || (event->touch >= 0 && event->kind == SAL_TOUCHES)) {
        status = sal_contacts_impact(&run->contacts, s, event->touch, zero, t);
        if (jolts && event->side && status == SAL_OK) tell_kink(run, now->event);
        for (int e = 0; e < run->model->tables->events.n; e++) /* all that close are solved together */
            run->find.due[e].due = run->find.due[e].due && run->model->tables->events.at[e].touch < 0;
    } else if (event->touch >= 0 && event->kind == SAL_JAMS) status = sal_contacts_jam(&run->contacts, s, zero, t);
    if (status != SAL_OK) return status;
    status = take_notes(run, now->event, true, t);
    if (status != SAL_OK) return status;
    sal_contacts_let_go(&run->contacts, s);
    changed = flip(run, now->event, SAL_RELEASE_AFTER) || changed;
    changed = changed || run->model->tables->touches.n; /* forces may have changed with memory */
    if (!changed && !run->model->tables->notes.n) return SAL_OK;
    status = settle(run, event, zero, t);
    if (status == SAL_OK && run->model->tables->touches.n) status = act_with(run, now->event, zero, t);
    if (status == SAL_OK && differentiate) status = sal_sens_leave_event(run);
    if (status == SAL_OK && partitioned && event->nset) sal_sens_partition_jump(run, now->event);
    if (status == SAL_OK && differentiate) status = sal_sens_share(run);
    if (status == SAL_OK && differentiate) sal_sens_check(run, event);
    if (run->contacts.closed && run->p) sal_sens_note_closed(run);
    return status;
}

void sal_run_join_record(sal_run *run)
{
    sal_event_info *info = &run->record.info;

    info->name = info->index < 0 ? "" : run->model->tables->events.at[info->index].name;
    if (info->index < 0) return;
    info->v_before         = run->record.v;
    info->a_before         = run->record.a;
    info->lambda_before    = run->record.lambda;
    info->outputs_before   = run->record.outputs;
    info->reactions_before = run->record.reactions;
    info->impulse          = run->contacts.impulse;
}

/* The event of the scene that an event of the engine's own comes to: that of the first contact that it changes; -1:
 * there is none. */
static int event_shown(const sal_run *run)
{
    int event = -1;

    for (int k = 0; k < run->model->tables->touches.n && event < 0; k++) event = sal_run_contact_event(run, k);
    return event;
}

/* Says, once, that an impact has added energy. */
static void warn_of_added(sal_run *run)
{
    if (run->warned_added || run->asked.quiet) return;
    run->warned_added = true;
    sal_log(run->context, "%s at t = %.9g s adds %.6g J: Newton's law of restitution can; the law 'impact' never does",
            run->record.info.name, run->t1, run->contacts.added);
}

/* Remembers what is just before the event. */
static void record_before(sal_run *run, const sal_pending *now)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;

    run->record.pending = *now;
    sal_mode_copy(&run->record.mode, &s->mode);
    memcpy(run->record.z, s->z, sizeof(double) * (size_t)run->model->nz);
    memcpy(run->record.v, s->zd, sizeof(double) * (size_t)run->model->n);
    memcpy(run->record.a, s->zdd, sizeof(double) * (size_t)run->model->n);
    memcpy(run->record.lambda, s->lambda, sizeof(double) * (size_t)run->model->m);
    for (int k = 0; k < tables->outputs.n; k++)
        run->record.outputs[k] = sal_system_value(s, &tables->outputs.at[k].program);
    for (int k = 0; k < tables->reactions.n; k++)
        run->record.reactions[k] = sal_system_value(s, &tables->reactions.at[k].program);
    run->contacts.closed = NULL;
    run->contacts.added  = 0.0;
    run->contacts.choice = 0;
    memset(run->contacts.impulse, 0, sizeof(double) * (size_t)run->model->m);
    if (run->p) memset(run->contacts.impulse_change, 0, sizeof(double) * (size_t)(run->model->m * run->p));
}

/* Handles the pending event: SAL_EVENT, or SAL_OK when its guard passes it over. A failure that only shows after the
 * event is kept for the next call. */
sal_status sal_run_handle_event(sal_run *run)
{
    const sal_pending now    = run->find.pending;
    const sal_tables *tables = run->model->tables;
    const sal_event  *event  = &tables->events.at[now.event];
    const int         n      = run->model->n;
    sal_system       *s      = &run->system;
    double            before;
    int               shown; /* -1: nobody is told */
    const bool        was_ended = run->ended;
    bool              stopped;
    sal_status        status;

    sal_run_restore_end(run);
    sal_hops_at_event(run);
    run->find.due[now.event].due = false;
    if (run->t1 > run->busy_since + SAL_INSTANT * run->t_end) {
        run->busy_since = run->t1;
        run->same_time  = 0;
    }
    if (++run->same_time > SAME_TIME_MAX) {
        return sal_run_fail(run, SAL_ERR_EVENTS, "%s: more than %d events in a row at t = %.9g s", event->name,
                            SAME_TIME_MAX, run->t1);
    }
    memcpy(run->y, run->stepper.y1, sizeof(double) * (size_t)run->stepper.n);
    if (sal_event_guarded(s, now.event)) return sal_run_begin_segment(run, run->t1, run->y, now);
    if (event->side) sal_run_swap_records(run);
    before = sal_system_energy(s);
    record_before(run, &now);
    sal_health_before(run, &now);
    if (run->p) sal_sens_enter_event(run, event, &now);
    sal_instants_event(run, &now);
    if (!now.grazing) add_event_costs(run, now.event);
    if (!now.grazing) {
        status = act(run, &now);
        if (status != SAL_OK) return status;
    }
    status = sal_health_after(run, &now);
    if (status != SAL_OK) return status;
    sal_mode_copy(&run->record.after, &s->mode);
    shown = event->side ? event_shown(run) : now.event;
    memcpy(run->y + n, s->zd, sizeof(double) * (size_t)n);
    stopped    = run->ended && !was_ended;
    run->ended = run->ended || (event->stop && !now.grazing);
    if ((event->stop || stopped) && run->ended && run->p)
        memcpy(run->tau_end, run->record.tau, sizeof(double) * (size_t)run->p);
    run->record.info = (sal_event_info){ .index         = shown >= 0 ? shown : now.event,
                                         .time          = run->t1,
                                         .rate          = now.rate,
                                         .grazing       = now.grazing,
                                         .stop          = stopped || (event->stop && !now.grazing),
                                         .energy_before = before,
                                         .closed        = !now.grazing && run->contacts.closed,
                                         .energy_added  = run->contacts.added };
    sal_run_join_record(run);
    if (run->contacts.added > 0.0) warn_of_added(run);
    if (shown < 0) {
        sal_run_swap_records(run);
        return sal_run_begin_segment(run, run->t1, run->y, now);
    }
    run->stats.events++;
    sal_columns_tell_event(run);
    status = sal_run_begin_segment(run, run->t1, run->y, now);
    if (status < 0 && (!run->ended || status == SAL_ERR_INVARIANT)) run->state = status;
    return SAL_EVENT;
}
