/* impact.c - impacts: restitution that adds no energy, Newton's that may, and their derivatives.
 *
 * All contacts that close at one instant are solved together, with those that hold. P are impulses along the rows -gap
 * and -slip, gamma the velocities gapdot and slip of the contacts.
 *
 * Compression. As without restitution: P_C >= 0 complementary to gapdot_C >= 0, friction against slip_C.
 *
 *     M d_C + Phi_q^T P_C = 0,    Phidot(v_C) = 0 for what holds,    v_C = v- + d_C
 *
 * Expansion. Each contact gives back e times its normal impulse, more only where it would be passed through:
 *
 *     N_E >= e N_C  complementary to  gapdot_E >= 0,   friction against slip_E,      v_E = v_C + d_E
 *
 * Of the expansion as much is taken, v+ = v_C + eta d_E, as adds no energy (bound.c). Newton's law itself, for contacts
 * that ask for it: gapdot_C >= -e gapdot- in compression, and no expansion. What is at rest stays so, as gapdot- = 0.
 * Each phase is solved, and differentiated, with who holds and slides as found (phase.c).
 *
 * Where an impact makes other contacts close that only touched, they are solved next, and so on: Newton's cradle. Where
 * that does not end, all that touch are solved at once. Where all that closes and all that would leave does so slower
 * than `rest`, nothing leaves: a block that rocks comes to rest. */
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/contact/impact.h"

enum { IMPACTS_MAX = 60 }; /* one after the other at one instant, before all that touches is one impact */

/* ------------------------------------------------------------------------------------- restitution */

/* With what restitution each contact takes part. Rebounds that would not get away from where the contact is pressed to
 * are none. */
static void set_bounce(sal_contacts *c, sal_system *s, sal_tangent *t)
{
    bool fast = false;

    memset(c->goal, 0, sizeof(double) * (size_t)s->model->m);
    if (t) memset(c->goal_change, 0, sizeof(double) * (size_t)s->model->m * (size_t)t->p);
    for (int k = 0; k < sal_touch_count(s); k++) {
        sal_touching    *x     = &c->touching[k];
        const sal_touch *touch = sal_touch_of(s, k);
        x->bounce = x->goal = 0.0;
        x->slow             = false;
        if (!x->closing) continue;
        const double e = s->z[touch->restitution], speed = -sal_contact_gap_rate(s, k),
                     bend   = sal_contact_gap_second(s, k);
        const bool too_slow = e > 0.0 && bend < 0.0 && e * speed < sal_contact_slowest(s, k);
        if (too_slow) c->closed = touch->name;
        x->slow = speed < s->z[touch->rest];
        fast    = fast || !x->slow;
        if (too_slow) continue;
        if (!touch->newton) {
            x->bounce = e;
            continue;
        }
        x->goal                = e * speed;
        c->goal[touch->normal] = -e * speed;
        if (!t) continue;
        double       *change = SAL_ROW(c->goal_change, touch->normal, t->p);
        const double *de     = SAL_ROW(t->z, touch->restitution, t->p);
        sal_tangent_value(t, s, &s->model->relation[s->model->relation_of[touch->normal]].rate.value, change);
        for (int i = 0; i < t->p; i++) change[i] = -e * change[i] - de[i] * speed;
    }
    for (int k = 0; k < sal_touch_count(s) && fast; k++) { /* what rests gives back what passes through it */
        sal_touching *x = &c->touching[k];
        if (x->candidate && !x->closing && !sal_touch_of(s, k)->newton)
            x->bounce = s->z[sal_touch_of(s, k)->restitution];
    }
}

/* ------------------------------------------------------------------------------------------ roles */

static sal_status crushed(sal_system *s)
{
    return sal_system_fail(s, SAL_ERR_EVENTS,
                           "no impulses of the contacts at t = %.9g s agree with each other: something that is "
                           "prescribed crushes what lies between",
                           s->z[s->model->tables->time]);
}

/* The problem of the expansion, from the solution of the compression. Whether there is anything to give back. */
static bool begin_expansion(sal_contacts *c)
{
    sal_coulomb *x   = &c->problem;
    bool         any = false;

    for (int i = 0; i < x->c; i++) {
        x->party[i].least = c->touching[c->list[i]].bounce * x->p[i];
        any               = any || x->party[i].least > 0.0;
    }
    if (!any) return false;
    memcpy(x->b, x->motion, sizeof *x->b * (size_t)(2 * x->c));
    memcpy(x->size, x->full, sizeof *x->size * (size_t)(2 * x->c));
    memset(x->b1, 0, sizeof *x->b1 * (size_t)(2 * x->c));
    return true;
}

/* The roles that the problem has found for a phase. Contacts whose normal impulse is what compression asks for do not
 * hold in expansion. */
static void take_stance(sal_contacts *c, sal_phase_roles phase)
{
    const sal_coulomb *x = &c->problem;

    for (int i = 0; i < x->c; i++) {
        const sal_party *y      = &x->party[i];
        sal_stance      *stance = c->touching[c->list[i]].stance + phase;
        const bool       leaves = !sal_coulomb_still(x, i, x->motion[i] - y->goal);
        stance[0]               = (sal_stance){ y->role, y->sign, y->least > 0.0 && leaves, x->p[i], x->p[x->c + i] };
        stance[1]               = stance[0];
        stance[1].role          = sal_coulomb_least_role(x, i, &stance[1].sign);
        if (phase == SAL_EXPANSION && stance[1].role == SAL_OUT) stance[1].fixed = true;
        if (phase == SAL_EXPANSION && stance[0].role == SAL_OUT) stance[0].fixed = true;
    }
}

/* Whether contacts slip for mu_kinetic in expansion that did not in compression: both phases have the same friction. */
static bool breaks(sal_contacts *c)
{
    bool any = false;

    for (int i = 0; i < c->problem.c; i++) {
        sal_touching *x = &c->touching[c->list[i]];
        any             = any || (c->problem.party[i].broken && !x->broken);
        x->broken       = c->problem.party[i].broken;
    }
    return any;
}

static void stand(sal_contacts *c, sal_phase_roles roles)
{
    for (int i = 0; i < c->problem.c; i++) {
        sal_touching *x = &c->touching[c->list[i]];
        x->role         = x->stance[roles].role;
        x->sign         = x->stance[roles].sign;
        x->fixed        = x->stance[roles].fixed;
    }
}

/* Roles of both phases, all in the numbers of the problem. `ahead`: the accelerations that follow, where the velocities
 * leave everything open; NULL: none. *expands: there is a second phase. */
static sal_status decide(sal_contacts *c, sal_system *s, const double *ahead, bool *expands)
{
    sal_status status;
    bool       again;

    do {
        again  = false;
        status = sal_contacts_form(c, s, true);
        for (int i = 0; i < c->problem.c && status == SAL_OK && ahead; i++) { /* they touch, and are at rest */
            if (!c->scrapes[c->list[i]]) c->problem.b[c->problem.c + i] = 0.0;
            c->problem.b[i]                 = 0.0;
            c->problem.b1[i]                = ahead[i];
            c->problem.b1[c->problem.c + i] = ahead[c->problem.c + i];
        }
        if (status == SAL_OK) status = sal_contacts_decide(c, s);
        if (status == SAL_END) return crushed(s);
        if (status != SAL_OK) return status;
        take_stance(c, SAL_COMPRESSION);
        *expands = begin_expansion(c);
        if (!*expands) return SAL_OK;
        status = sal_coulomb_solve(&c->problem, s->watch);
        if (status == SAL_END) return crushed(s);
        if (status != SAL_OK) return status;
        take_stance(c, SAL_EXPANSION);
        again = breaks(c);
    } while (again);
    return SAL_OK;
}

/* Friction over normal impulse of a contact that slips or leans: the slot of the coefficient, SAL_NONE: neither. */
static sal_slot friction_of(const sal_touch *touch, const sal_touching *x, int *sign)
{
    *sign = x->role == SAL_SLIPPING ? -x->sign : x->sign;
    if (x->role == SAL_SLIPPING || (x->role == SAL_LEANING && x->broken)) return touch->mu_kinetic;
    return x->role == SAL_LEANING ? touch->mu_static : SAL_NONE;
}

/* The impulses of contacts that are fixed. */
static void give(sal_contacts *c, sal_system *s, const sal_tangent *t)
{
    const int  m = s->model->m, p = t ? t->p : 0;
    sal_phase *E = &c->expansion;

    memset(E->given, 0, sizeof(double) * (size_t)m);
    if (t) memset(E->given_change, 0, sizeof(double) * (size_t)m * (size_t)p);
    for (int i = 0; i < c->problem.c; i++) {
        const sal_touch    *touch = sal_touch_of(s, c->list[i]);
        const sal_touching *x     = &c->touching[c->list[i]];
        const double        N     = c->compression.impulse[touch->normal];
        int                 sign;
        if (!x->fixed) continue;
        const sal_slot mu       = friction_of(touch, x, &sign);
        E->given[touch->normal] = x->bounce * N;
        if (mu != SAL_NONE) E->given[touch->tangent] = sign * s->z[mu] * x->bounce * N;
        for (int k = 0; k < p; k++) {
            const double change = SAL_ROW(t->z, touch->restitution, p)[k] * N * (x->bounce > 0.0) +
                                  x->bounce * SAL_ROW(c->compression.change, touch->normal, p)[k];
            SAL_ROW(E->given_change, touch->normal, p)[k] = change;
            if (mu != SAL_NONE) SAL_ROW(E->given_change, touch->tangent, p)
            [k] = sign * (s->z[mu] * change + SAL_ROW(t->z, mu, p)[k] * x->bounce * N);
        }
    }
}

/* The given impulses of a phase with its roles. */
static void stand_and_give(sal_contacts *c, sal_system *s, sal_phase_roles roles, const sal_tangent *t)
{
    stand(c, roles);
    if (roles >= SAL_EXPANSION) give(c, s, t);
}

/* Impulses of the contacts as the problem has them, and what all else has then: with the contacts open. */
static sal_status choose(sal_contacts *c, sal_system *s, sal_phase *phase, sal_phase_roles roles)
{
    sal_status status;

    memset(phase->given, 0, sizeof *phase->given * (size_t)s->model->m);
    for (int i = 0; i < c->problem.c; i++) {
        const sal_touch *touch      = sal_touch_of(s, c->list[i]);
        sal_touching    *x          = &c->touching[c->list[i]];
        x->role                     = SAL_OUT;
        phase->given[touch->normal] = x->stance[roles].normal;
        if (touch->tangent >= 0) phase->given[touch->tangent] = x->stance[roles].along;
    }
    status = sal_phase_solve(c, s, phase);
    memcpy(phase->chosen, phase->impulse, sizeof *phase->chosen * (size_t)s->model->m);
    memcpy(phase->chosen_d, phase->d, sizeof *phase->chosen_d * (size_t)s->model->n);
    memset(phase->given, 0, sizeof *phase->given * (size_t)s->model->m);
    phase->chooses = status == SAL_OK;
    if (phase->chooses) {
        sal_phase_note_choice(c, SAL_SHARES_NEXT);
        c->vertices = true;
    }
    return status;
}

/* With given roles of a phase; whether impulses are such as contacts can have, and rows have what they are to have. */
static sal_status try_phase(sal_contacts *c, sal_system *s, sal_phase *phase, sal_phase_roles roles,
                            const sal_tangent *t, bool *possible)
{
    sal_status status;

    stand_and_give(c, s, roles, t);
    status    = sal_phase_solve(c, s, phase);
    *possible = status == SAL_OK && !sal_phase_impossible(c, s, phase);
    return status == SAL_ERR_SINGULAR ? SAL_OK : status;
}

/* With the roles of a phase, or where the least of the impulses are none that contacts can have, those with which they
 * are determined. Where these are none either, impulses and motion are those of the problem; derivatives are those of
 * the roles all the same. */
static sal_status solve_phase(sal_contacts *c, sal_system *s, sal_phase *phase, sal_phase_roles roles,
                              const sal_tangent *t)
{
    bool       possible;
    sal_status status = try_phase(c, s, phase, roles, t, &possible);

    phase->chooses = false;
    if (status != SAL_OK || possible) return status;
    status = try_phase(c, s, phase, roles + 1, t, &possible);
    if (status != SAL_OK || possible) return status;
    status = choose(c, s, phase, roles);
    if (status != SAL_OK) return status;
    stand_and_give(c, s, roles, t);
    status = sal_phase_solve(c, s, phase);
    memcpy(phase->d, phase->chosen_d, sizeof *phase->d * (size_t)s->model->n);
    return t ? status : SAL_OK; /* only derivatives need it */
}

/* ------------------------------------------------------------------------------------ one impact */

static void add_impulses(sal_contacts *c, const sal_system *s, const sal_phase *phase, const sal_tangent *t)
{
    for (int r = 0; r < s->model->m; r++) c->impulse[r] += phase->impulse[r];
    for (int k = 0; t && k < s->model->m * t->p; k++) c->impulse_change[k] += phase->change[k];
}

/* What a phase that is solved does to velocities. */
static void make_phase(sal_contacts *c, sal_system *s, sal_phase *phase, sal_phase_roles roles, sal_tangent *t)
{
    for (int k = 0; k < s->model->n; k++) s->zd[k] += phase->d[k];
    if (t) sal_phase_differentiate(c, s, phase, t);
    if (phase->chooses) memcpy(phase->impulse, phase->chosen, sizeof *phase->chosen * (size_t)s->model->m);
    sal_bound_read_rates(c, s, t, roles == SAL_COMPRESSION ? 1 : 2);
}

/* Contacts that held and would leave too slowly are kept; whether there are any. The velocities after the impact are
 * those of the problem. */
static bool keep_slow(sal_contacts *c, const sal_system *s)
{
    bool any = false;

    for (int k = 0; k < sal_touch_count(s); k++) {
        if (c->touching[k].closing && !c->touching[k].slow) return false;
    }
    for (int i = 0; i < c->problem.c; i++) {
        sal_touching    *x = &c->touching[c->list[i]];
        const sal_touch *t = sal_touch_of(s, c->list[i]);
        if (x->closing || x->role != SAL_OUT || !(c->problem.motion[i] < s->z[t->rest])) continue;
        x->kept = any = true;
        c->closed     = t->name;
        x->role       = x->before == SAL_STUCK ? SAL_STUCK : SAL_SMOOTH; /* friction of what pulls would drive */
    }
    return any;
}

/* Who still holds after the impact: what has neither left nor been given a velocity to leave with. */
static void leave(sal_contacts *c, sal_system *s)
{
    for (int k = 0; k < sal_touch_count(s); k++) {
        sal_touching *x = &c->touching[k];
        if (x->fixed || x->goal > 0.0) x->role = SAL_OUT;
        x->fixed = false;
    }
    sal_contacts_set_roles(c, s);
}

/* Whether contacts that are kept change how contacts move by much more than what they would leave with, as only pulling
 * does. */
static bool kept_pulls(const sal_contacts *c, const sal_system *s)
{
    double change = 0.0, rest = HUGE_VAL;

    for (int k = 0; k < sal_touch_count(s); k++) {
        const sal_touch *t = sal_touch_of(s, k);
        if (!c->touching[k].candidate) continue;
        change = fmax(change, fabs(sal_contacts_times_row(c, s, t->normal, c->compression.d)));
        if (t->tangent >= 0) change = fmax(change, fabs(sal_contacts_times_row(c, s, t->tangent, c->compression.d)));
        if (c->touching[k].kept) rest = fmin(rest, s->z[t->rest]);
    }
    return change > SAL_KEPT_PULLS * rest;
}

/* The roles of compression and what it changes; with contacts kept that would leave slowly, if they need not pull. */
static sal_status compress(sal_contacts *c, sal_system *s, const double *ahead, const sal_tangent *t, bool *expands)
{
    const char *closed = c->closed;
    const bool  shared = c->shared, vertices = c->vertices;
    const int   choice = c->choice;
    bool        keep   = !ahead;
    sal_status  status;

    for (;;) {
        do {
            status = decide(c, s, ahead, expands);
            if (status != SAL_OK) return status;
        } while (keep && !*expands && keep_slow(c, s));
        status = solve_phase(c, s, &c->compression, SAL_COMPRESSION, t);
        if (status != SAL_OK || !keep || !kept_pulls(c, s)) return status;
        keep        = false; /* as if it had not been tried */
        c->closed   = closed;
        c->shared   = shared;
        c->vertices = vertices;
        c->choice   = choice;
        for (int k = 0; k < sal_touch_count(s); k++) c->touching[k].kept = c->touching[k].broken = false;
    }
}

/* One joint solve: who takes part is known, with what restitution too. */
static sal_status collide(sal_contacts *c, sal_system *s, const double *ahead, sal_tangent *t)
{
    const int  m       = s->model->m;
    bool       expands = false;
    sal_status status;

    sal_bound_read_rates(c, s, t, 0);
    memset(c->compression.given, 0, sizeof(double) * (size_t)m);
    if (t) memset(c->compression.given_change, 0, sizeof(double) * (size_t)m * (size_t)t->p);
    status = compress(c, s, ahead, t, &expands);
    if (status != SAL_OK) return status;
    make_phase(c, s, &c->compression, SAL_COMPRESSION, t);
    add_impulses(c, s, &c->compression, t);
    if (expands) {
        status = solve_phase(c, s, &c->expansion, SAL_EXPANSION, t);
        if (status != SAL_OK) return status;
        make_phase(c, s, &c->expansion, SAL_EXPANSION, t);
    }
    sal_bound_expansion(c, s, t, expands);
    if (expands) add_impulses(c, s, &c->expansion, t);
    stand(c, expands ? SAL_EXPANSION : SAL_COMPRESSION); /* as the motion is, whatever made it */
    leave(c, s);
    return SAL_OK;
}

/* ---------------------------------------------------------------------------------------- impacts */

/* A contact that holds without any force merely touches; where it can rebound an impact is passed on through it. */
static void loosen(sal_contacts *c, sal_system *s)
{
    const double force = sal_scale_at(s).force;

    sal_contacts_begin(c, s);
    for (int k = 0; k < sal_touch_count(s); k++) {
        const sal_touch *t = sal_touch_of(s, k);
        if (s->z[t->restitution] > 0.0 && !(fabs(s->lambda[t->normal]) > SAL_CONTACT_SMALL * force))
            c->touching[k].candidate = false;
    }
    sal_contacts_set_roles(c, s);
}

/* Contacts that are open, touch and close, after so many impacts; after too many, whatever touches. The contact whose
 * event this is touches, however well its instant is known, and closes at first, however slowly. */
static bool find_closing(sal_contacts *c, sal_system *s, int fired, const double *zero, int impacts)
{
    const double speed = sal_largest(s->zd, s->model->n);
    const bool   all   = impacts >= IMPACTS_MAX;
    bool         any   = false;

    sal_contacts_begin(c, s);
    for (int k = 0; k < sal_touch_count(s); k++) {
        sal_touching *x = &c->touching[k];
        if (x->candidate) continue;
        if ((k != fired || !sal_contact_is_on(s, k)) &&
            !sal_contact_touches(s, k, zero[sal_touch_of(s, k)->event[SAL_TOUCHES]]))
            continue;
        x->closing   = sal_contact_gap_rate(s, k) < (k == fired && impacts == 0 ? 0.0 : -SAL_CONTACT_SMALL * speed);
        x->candidate = x->closing || all;
        any          = any || x->closing;
    }
    return any;
}

sal_status sal_contacts_impact(sal_contacts *c, sal_system *s, int fired, const double *zero, sal_tangent *t)
{
    sal_status status = SAL_OK;

    loosen(c, s);
    find_closing(c, s, fired, zero, 0);
    for (int i = 0; i <= IMPACTS_MAX; i++) {
        set_bounce(c, s, t);
        status = collide(c, s, NULL, t);
        if (status != SAL_OK) return status;
        if (!find_closing(c, s, fired, zero, i + 1)) return c->calm > 0.0 ? sal_contacts_calm(c, s, zero, t) : SAL_OK;
    }
    return sal_system_fail(s, SAL_ERR_EVENTS, "the contacts at t = %.9g s pass on more than %d impacts at one instant",
                           s->z[s->model->tables->time], IMPACTS_MAX);
}

/* The velocities that what holds by the present roles must not have are taken away. */
static sal_status stop(sal_contacts *c, sal_system *s, sal_tangent *t)
{
    const size_t rows = sizeof(double) * (size_t)s->model->m;
    sal_status   status;

    memset(c->goal, 0, rows);
    memset(c->compression.given, 0, rows);
    if (t) memset(c->goal_change, 0, rows * (size_t)t->p);
    if (t) memset(c->compression.given_change, 0, rows * (size_t)t->p);
    status = sal_phase_solve(c, s, &c->compression);
    if (status != SAL_OK) return status;
    for (int k = 0; k < s->model->n; k++) s->zd[k] += c->compression.d[k];
    if (t) sal_phase_differentiate(c, s, &c->compression, t);
    add_impulses(c, s, &c->compression, t);
    return SAL_OK;
}

/* Contacts that jam are at rest along their normals: what leaves, too slowly to matter, is stopped without friction. */
static sal_status stop_leaving(sal_contacts *c, sal_system *s, sal_tangent *t)
{
    const double speed = sal_largest(s->zd, s->model->n);
    bool         any   = false;

    for (int k = 0; k < sal_touch_count(s); k++) {
        sal_touching *x = &c->touching[k];
        x->role         = x->candidate ? SAL_SMOOTH : SAL_OUT;
        if (!x->candidate || !(sal_contact_gap_rate(s, k) > SAL_CONTACT_SMALL * speed)) continue;
        c->closed = sal_touch_of(s, k)->name;
        any       = s->form != SAL_PENALTY; /* there nothing stands still */
    }
    return any ? stop(c, s, t) : SAL_OK;
}

/* What jams gives back no more than it had along its tangents: where that is less than what rebounds have, nothing. */
static void set_jam_bounce(sal_contacts *c, sal_system *s)
{
    double speed = 0.0;

    for (int k = 0; k < sal_touch_count(s); k++) {
        if (c->touching[k].candidate) speed = fmax(speed, fabs(sal_contact_slip(s, k)));
    }
    for (int k = 0; k < sal_touch_count(s); k++) {
        sal_touching    *x     = &c->touching[k];
        const sal_touch *touch = sal_touch_of(s, k);
        x->closing             = x->candidate; /* what touches is in, if nothing speaks against it */
        if (touch->newton) continue;           /* its gapdot- is 0 */
        x->bounce = s->z[touch->restitution];
        if (!x->candidate || !(x->bounce > 0.0) || !(x->bounce * speed < sal_contact_slowest(s, k))) continue;
        x->bounce = 0.0;
        c->closed = touch->name;
    }
}

sal_status sal_contacts_jam(sal_contacts *c, sal_system *s, const double *zero, sal_tangent *t)
{
    const size_t mark  = sal_arena_mark(&s->arena);
    double      *ahead = sal_arena_take(&s->arena, 2 * sal_touch_count(s));
    sal_status   status;

    sal_contacts_begin(c, s);
    if (c->gradual > 0.0) sal_contacts_find_still(c, s, zero);
    for (int k = 0; k < sal_touch_count(s) && c->gradual > 0.0; k++) c->scrapes[k] = sal_contact_slides(s, k) != 0;
    for (int k = 0; k < sal_touch_count(s) && !(c->gradual > 0.0); k++) c->touching[k].candidate = c->jammed[k];
    status = stop_leaving(c, s, t);
    set_jam_bounce(c, s);
    memset(c->goal, 0, sizeof(double) * (size_t)s->model->m);
    if (t) memset(c->goal_change, 0, sizeof(double) * (size_t)s->model->m * (size_t)t->p);
    if (status == SAL_OK) status = sal_contacts_form(c, s, false);
    if (status == SAL_OK) {
        for (int r = 0; r < 2 * c->problem.c; r++) ahead[r] = sal_coulomb_ahead(&c->problem, r);
        status = collide(c, s, ahead, t);
    }
    c->gradual = 0.0;
    sal_arena_release(&s->arena, mark);
    return status;
}

/* A contact that holds and has a velocity that it must not have; -1: none. No more is left of it than what counts as a
 * slip: what holds would give that to contacts that slip. */
static int moving(sal_contacts *c, sal_system *s)
{
    const sal_scale scale = sal_scale_at(s);
    const double    speed = fmax(sal_largest(s->zd, s->model->n), SAL_ZERO_LEAST * scale.natural);

    for (int k = 0; k < s->model->n; k++) c->size[k] = speed;
    for (int r = 0; r < s->model->m; r++) {
        if (c->of_row[r] < 0 || !s->mode.held[r]) continue;
        if (fabs(sal_relations_rate(&s->rows, r, s->z, s->zd)) > SAL_CONTACT_SMALL * sal_contacts_size(c, s, r))
            return c->of_row[r];
    }
    return -1;
}

sal_status sal_contacts_stop(sal_contacts *c, sal_system *s, sal_tangent *t, bool *any)
{
    const int  contact = s->form == SAL_PENALTY ? -1 : moving(c, s); /* there nothing stands still */
    sal_status status;

    *any = contact >= 0;
    if (!*any) return SAL_OK;
    c->closed = sal_touch_of(s, contact)->name;
    for (int k = 0; k < sal_touch_count(s); k++) {
        sal_touching *x            = &c->touching[k];
        x->stance[SAL_COMPRESSION] = (sal_stance){ x->role, x->sign, false };
        if (x->role == SAL_SLIPPING || x->role == SAL_LEANING) x->role = SAL_SMOOTH;
    }
    status = stop(c, s, t);
    for (int k = 0; k < sal_touch_count(s); k++) {
        c->touching[k].role = c->touching[k].stance[SAL_COMPRESSION].role;
        c->touching[k].sign = c->touching[k].stance[SAL_COMPRESSION].sign;
    }
    if (status == SAL_OK) sal_contacts_set_roles(c, s);
    return status;
}
