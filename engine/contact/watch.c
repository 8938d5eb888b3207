/* watch.c - contacts as they are in the present mode: what they do, which of their events are looked for. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/contact/contact.h"

/* ------------------------------------------------------------------------------------- a contact */

double sal_contact_gap(sal_system *s, int contact)
{
    return sal_system_value(s, &s->model->tables->events.at[sal_touch_of(s, contact)->event[SAL_TOUCHES]].when);
}

double sal_contact_gap_rate(const sal_system *s, int contact)
{
    return -sal_relations_rate(&s->rows, sal_touch_of(s, contact)->normal, s->z, s->zd);
}

double sal_contact_gap_second(const sal_system *s, int contact)
{
    return -sal_relations_acceleration(&s->rows, sal_touch_of(s, contact)->normal, s->z, s->zd, s->zdd);
}

double sal_contact_slip(const sal_system *s, int contact)
{
    const int row = sal_touch_of(s, contact)->tangent;

    return row < 0 ? 0.0 : -sal_relations_rate(&s->rows, row, s->z, s->zd);
}

double sal_contact_slip_rate(const sal_system *s, int contact)
{
    const int row = sal_touch_of(s, contact)->tangent;

    return row < 0 ? 0.0 : -sal_relations_acceleration(&s->rows, row, s->z, s->zd, s->zdd);
}

double sal_speed_told(sal_system *s)
{
    const sal_scale scale = sal_scale_at(s);

    return fmax(scale.speed, SAL_ZERO_LEAST * scale.natural);
}

double sal_contact_slowest(sal_system *s, int contact)
{
    const double t = fabs(s->z[s->model->tables->time]), bend = fabs(sal_contact_gap_second(s, contact));
    const double told = 2.0 * fmax(SAL_NO_SPEED * sal_speed_told(s),
                                   SAL_TIME_ROUNDING * DBL_EPSILON * t * bend); /* it lasts 2 speed/bend */

    return fmax(s->z[sal_touch_of(s, contact)->rest], told);
}

bool sal_contact_leaves(const sal_contacts *c, sal_system *s, int contact)
{
    const sal_touch *t = sal_touch_of(s, contact);

    if (s->mode.held[t->normal]) return false;
    const double rate = sal_contact_gap_rate(s, contact);
    if (!(rate > 0.0)) return false;
    if (rate > SAL_CONTACT_SMALL * sal_speed_told(s)) return true;
    return c->impulse[t->normal] > 0.0 && s->z[t->restitution] > 0.0 &&
           rate >= 0.5 * sal_contact_slowest(s, contact); /* rounding: of what it was given */
}

bool sal_contact_holds(const sal_system *s, int contact)
{
    return s->mode.held[sal_touch_of(s, contact)->normal];
}

bool sal_contact_is_on(const sal_system *s, int contact)
{
    const sal_slot on = sal_touch_of(s, contact)->on;

    return on == SAL_NONE || s->z[on] > 0.5;
}

bool sal_contact_has_friction(const sal_system *s, int contact)
{
    return sal_touch_of(s, contact)->tangent >= 0 && !sal_touch_of(s, contact)->bonded;
}

/* Whether the place is outside of where the contact is: beyond its end, or on it and on the way out. Where one contact
 * ends another may begin (a disc that comes to the end of an edge): both are on their ends then, as well as the instant
 * is known. */
static bool is_outside(sal_system *s, int contact)
{
    const int    e = sal_touch_of(s, contact)->event[SAL_ENDS];
    const double t = s->z[s->model->tables->time];
    double       inside, on, rate;

    if (e < 0) return false;
    on   = SAL_ON_END * sal_scale_around(s, &s->model->tables->events.at[e].when, &inside);
    rate = sal_system_value(s, &s->model->event_rate[e]);
    on += SAL_TIME_ROUNDING * DBL_EPSILON * fabs(rate * t);
    return inside < -on || (inside <= on && rate < 0.0);
}

bool sal_contact_guarded(sal_system *s, int contact)
{
    return sal_event_guarded(s, sal_touch_of(s, contact)->event[SAL_TOUCHES]);
}

bool sal_contact_touches(sal_system *s, int contact, double zero)
{
    const double gap = sal_contact_gap(s, contact);

    return gap <= zero && gap >= -fmax(100.0 * zero, SAL_SUNK * s->length) && !sal_contact_guarded(s, contact);
}

bool sal_event_guarded(sal_system *s, int event)
{
    const sal_event *e = &s->model->tables->events.at[event];

    if (e->guard.n && sal_system_value(s, &e->guard) == 0.0) return true;
    return e->touch >= 0 && e->kind == SAL_TOUCHES && is_outside(s, e->touch);
}

int sal_contact_slides(const sal_system *s, int contact)
{
    const int normal = sal_touch_of(s, contact)->normal;

    for (int k = 0; k < s->mode.couplings; k++) {
        const sal_coupling *c = &s->mode.coupling[k];
        if (c->row == normal) return c->leans ? 0 : -c->sign; /* friction acts against it */
    }
    return 0;
}

/* Whether the tangent of a contact is held, by its own row or that of its group. */
static bool sticks(const sal_system *s, int contact)
{
    const int row = sal_touch_of(s, contact)->tangent;

    return row >= 0 && (s->mode.held[row] || (s->mode.acts[row] && !sal_contact_slides(s, contact)));
}

sal_role sal_contact_role(const sal_system *s, int contact)
{
    if (!sal_contact_holds(s, contact)) return SAL_OUT;
    if (sal_contact_slides(s, contact)) return SAL_SLIPPING;
    return sticks(s, contact) ? SAL_STUCK : SAL_SMOOTH;
}

/* --------------------------------------------------------------------------------------- events */

/* An event that lets constraints hold has nothing to do while all of them do. */
static bool all_held(const sal_system *s, int event)
{
    const sal_tables *tables = s->model->tables;
    bool              any    = false;

    for (int k = 0; k < tables->switches.n; k++) {
        const sal_switch *x = &tables->switches.at[k];
        if (x->event != event || x->kind != SAL_HOLD) continue;
        if (!s->mode.held[tables->elements.at[x->element].row]) return false;
        any = true;
    }
    return any;
}

bool sal_event_watched(const sal_system *s, int event)
{
    const sal_event *e = &s->model->tables->events.at[event];
    const sal_touch *t = e->touch < 0 ? NULL : sal_touch_of(s, e->touch);

    if (!t) return !all_held(s, event);
    switch (e->kind) {
    case SAL_TOUCHES: return !s->mode.held[t->normal] && sal_contact_is_on(s, e->touch);
    case SAL_RELEASES: return s->mode.held[t->normal];
    case SAL_SLIPS: return s->mode.held[t->tangent]; /* of a group the leader, for all */
    case SAL_STICKS: return sal_contact_slides(s, e->touch) != 0 && s->z[t->mu_static] > 0.0;
    case SAL_JAMS: return false; /* found when forces are decided */
    case SAL_ENDS: return s->mode.held[t->normal];
    case SAL_TOUCH_EVENTS: break;
    }
    return false;
}

int sal_event_part(const sal_contacts *c, const sal_system *s, int event, int k)
{
    const sal_event *e = &s->model->tables->events.at[event];
    int              leader;

    if (k == 0) return event;
    if (e->touch < 0 || e->kind != SAL_SLIPS || s->mode.portions == 0) return -1;
    leader = sal_touch_of(s, e->touch)->tangent;
    for (int i = 0; i < s->mode.portions; i++) {
        const sal_portion *p = &s->mode.portion[i];
        if (p->leader == leader && p->row != leader && --k == 0)
            return sal_touch_of(s, c->of_row[p->row])->event[SAL_SLIPS];
    }
    return -1;
}

void sal_contacts_slots(const sal_tables *tables, void (*visit)(void *self, sal_slot slot), void *self)
{
    for (int k = 0; k < tables->touches.n; k++) {
        const sal_touch *t = &tables->touches.at[k];
        visit(self, t->restitution);
        visit(self, t->rest);
        visit(self, t->mu_static);
        visit(self, t->mu_kinetic);
    }
    for (int l = 0; l < tables->lines.n; l++) {
        for (int k = 0; k < tables->lines.at[l].n; k++) {
            visit(self, tables->lines.at[l].x[k]);
            visit(self, tables->lines.at[l].y[k]);
        }
    }
}

/* ------------------------------------------------------------------------------- taken as constraints */

static void add_warning(char *text, size_t room, const char *format, ...) SAL_PRINTF(3, 4);

static void add_warning(char *text, size_t room, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list      list;

    if (used && used + 2 < room) strcat(text, "; ");
    va_start(list, format);
    vsnprintf(text + strlen(text), room - strlen(text), format, list);
    va_end(list);
}

void sal_contacts_warn(sal_system *s, double force, double length, char *text, size_t room)
{
    const double      near   = SAL_CONTACT_OFF; /* of force and length */
    const sal_tables *tables = s->model->tables;

    text[0] = '\0';
    for (int k = 0; k < tables->touches.n; k++) {
        const sal_touch *t = &tables->touches.at[k];
        const double     N = s->lambda[t->normal], T = t->tangent >= 0 ? fabs(s->lambda[t->tangent]) : 0.0;
        if (!s->mode.held[t->normal]) {
            const double gap = sal_contact_gap(s, k);
            if (gap < -near * length) add_warning(text, room, "%s has been passed through by %.3g m", t->name, -gap);
        } else if (N < -near * force) {
            add_warning(text, room, "%s would have to pull with %.3g N", t->name, -N);
        } else if (sal_contact_role(s, k) == SAL_STUCK && !t->bonded && T > s->z[t->mu_static] * N + near * force) {
            add_warning(text, room, "%s would slip: friction of %.3g N at %.3g N", t->name, T, N);
        }
    }
}

bool sal_contacts_let_go(sal_contacts *c, sal_system *s)
{
    const int count = s->model->tables->touches.n;
    bool      any   = false;

    for (int k = 0; k < count && !any; k++) any = sal_contact_holds(s, k) && !sal_contact_is_on(s, k);
    if (!any) return false;
    sal_contacts_begin(c, s);
    for (int k = 0; k < count; k++) c->touching[k].candidate = c->touching[k].candidate && sal_contact_is_on(s, k);
    sal_contacts_set_roles(c, s);
    return true;
}

bool sal_contacts_note_closed(sal_system *s)
{
    const sal_tables *tables  = s->model->tables;
    bool              changed = false;

    for (int k = 0; k < tables->touches.n; k++) {
        double      *closed = &s->z[tables->touches.at[k].is_closed];
        const double now    = s->mode.held[tables->touches.at[k].normal];
        changed             = changed || now != *closed;
        *closed             = now;
    }
    return changed;
}

void sal_contacts_keep_open(sal_system *s, const double *zero)
{
    const sal_tables *tables = s->model->tables;
    bool              any    = false;
    double            phi, phidot;

    for (int k = 0; k < tables->touches.n; k++) {
        double *open = &s->open[tables->touches.at[k].normal];
        if (!sal_contact_holds(s, k)) *open = NAN;
        else any = any || isnan(*open);
    }
    if (any) sal_system_residual(s, &phi, &phidot);
    for (int k = 0; k < tables->touches.n && any; k++) {
        const sal_touch *t    = &tables->touches.at[k];
        double          *open = &s->open[t->normal];
        if (!sal_contact_holds(s, k) || !isnan(*open)) continue;
        *open = fabs(s->phi[t->normal]) <= 100.0 * zero[t->event[SAL_TOUCHES]] ? s->phi[t->normal] : 0.0;
    }
}
