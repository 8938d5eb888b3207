/* contact.c - impacts, and which contacts hold, stick and slide; equations in contact.h. */
#include "engine/contact/contact.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/motion/motion.h"
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

enum {
    IMPACTS_MAX = 200,  /* one after the other at one instant */
    ROLES       = 4,    /* of a contact: in, out, slipping either way */
    MOST        = 65536 /* combinations of roles that are tried */
};

typedef struct args {
    sal_contacts     *c;
    sal_system       *s;
    const sal_model  *model;
    const sal_tables *tables;
    int               count;    /* of contacts */
    bool              impulses; /* are looked for; else forces */
} args;

static args args_of(sal_contacts *c, sal_system *s, bool impulses)
{
    return (args){ c, s, s->model, s->model->tables, s->model->tables->touches.n, impulses };
}

sal_status sal_contacts_init(sal_contacts *c, const sal_model *model, sal_pool *pool, int p)
{
    sal_mode_init(&c->mode, pool, model->m, model->m);
    c->touching = SAL_NEW(pool, sal_touching, model->tables->touches.n);
    c->goal     = SAL_NEW(pool, double, model->m);
    c->impulse  = SAL_NEW(pool, double, model->m);
    if (p) c->goal_change = SAL_NEW(pool, double, model->m *p);
    if (p) c->impulse_change = SAL_NEW(pool, double, model->m *p);
    return pool->failed ? SAL_ERR_MEMORY : SAL_OK;
}

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

int sal_contact_slides(const sal_system *s, int contact)
{
    const int normal = s->model->tables->touches.at[contact].normal;

    for (int k = 0; k < s->mode.couplings; k++) {
        if (s->mode.coupling[k].row == normal) return -s->mode.coupling[k].sign; /* friction acts against it */
    }
    return 0;
}

bool sal_event_watched(const sal_system *s, int event)
{
    const sal_event *e = &s->model->tables->events.at[event];
    const sal_touch *t = e->touch < 0 ? NULL : &s->model->tables->touches.at[e->touch];

    if (!t) return !all_held(s, event);
    switch (e->kind) {
    case SAL_TOUCHES: return !s->mode.held[t->normal];
    case SAL_RELEASES: return s->mode.held[t->normal];
    case SAL_SLIPS: return s->mode.held[t->tangent];
    case SAL_STICKS: return sal_contact_slides(s, e->touch) != 0;
    }
    return false;
}

/* ----------------------------------------------------------------------------------------- roles */

static bool holds(const args *a, int k)
{
    return a->s->mode.held[a->tables->touches.at[k].normal];
}

/* Rates of gap and slip, and their rates with the accelerations as they are. */
static double gap_rate(const args *a, int k)
{
    return -sal_relations_rate(&a->s->rows, a->tables->touches.at[k].normal, a->s->z, a->s->zd);
}

static double gap_second(const args *a, int k)
{
    return -sal_relations_acceleration(&a->s->rows, a->tables->touches.at[k].normal, a->s->z, a->s->zd, a->s->zdd);
}

static double slip(const args *a, int k)
{
    return -sal_relations_rate(&a->s->rows, a->tables->touches.at[k].tangent, a->s->z, a->s->zd);
}

static double slip_rate(const args *a, int k)
{
    return -sal_relations_acceleration(&a->s->rows, a->tables->touches.at[k].tangent, a->s->z, a->s->zd, a->s->zdd);
}

static double gap(const args *a, int k)
{
    return sal_system_value(a->s, &a->tables->events.at[a->tables->touches.at[k].event[SAL_TOUCHES]].when);
}

/* Whether its touches are passed over at the state. */
static bool guarded(const args *a, int k)
{
    const sal_program *guard = &a->tables->events.at[a->tables->touches.at[k].event[SAL_TOUCHES]].guard;

    return guard->n && sal_system_value(a->s, guard) == 0.0;
}

/* What velocities are measured by, even where nothing moves. */
static double speed_of(sal_system *s)
{
    const sal_scale scale = sal_scale_at(s);

    return fmax(scale.speed, SAL_SPEED_LEAST * scale.natural);
}

/* Rows of the contacts by their roles. */
static void set_roles(const args *a)
{
    sal_row_mode *mode = &a->c->mode;

    sal_mode_copy(mode, &a->s->mode);
    sal_mode_uncouple(mode);
    for (int k = 0; k < a->count; k++) {
        const sal_touching *x = &a->c->touching[k];
        const sal_touch    *t = &a->tables->touches.at[k];
        mode->held[t->normal] = x->candidate && x->role != SAL_OUT;
        if (t->tangent >= 0) mode->held[t->tangent] = x->candidate && x->role == SAL_STUCK;
        if (x->candidate && x->role == SAL_SLIPPING)
            sal_mode_couple(mode, (sal_coupling){ t->normal, t->tangent, t->mu_kinetic, x->sign < 0.0 ? 1 : -1 });
    }
    sal_system_set_mode(a->s, mode);
}

/* The role of a contact that is in, friction permitting: stuck. */
static sal_role role_in(const args *a, int k)
{
    if (a->tables->touches.at[k].tangent < 0) return SAL_SMOOTH;
    return a->c->touching[k].slides ? SAL_SLIPPING : SAL_STUCK;
}

/* The role that a contact has in the present mode. */
static sal_role role_now(const args *a, int k)
{
    const sal_touch *t = &a->tables->touches.at[k];

    if (!holds(a, k)) return SAL_OUT;
    if (sal_contact_slides(a->s, k)) return SAL_SLIPPING;
    return t->tangent >= 0 && a->s->mode.held[t->tangent] ? SAL_STUCK : SAL_SMOOTH;
}

/* What one contact violates most, relative to the sizes of forces (or impulses) and velocities (or accelerations); the
 * role that would be right. */
typedef struct violation {
    int      contact; /* -1: none */
    double   size;
    sal_role role;
    double   sign;
} violation;

static void note(violation *worst, int k, double size, sal_role role, double sign)
{
    if (size > worst->size) *worst = (violation){ k, size, role, sign };
}

/* The same for a contact that is out and must come in: it slides where it has a tangential velocity, and in an impact
 * where sticking has thrown it out before. One that was pinned and let go, for it would have had to pull, but is
 * pressed
 * on all the same, slides without friction: with no normal force there is none to be had. */
static void note_entry(const args *a, violation *worst, int k, double size)
{
    const sal_touch    *t = &a->tables->touches.at[k];
    const sal_touching *x = &a->c->touching[k];
    const double        v = t->tangent >= 0 && !t->bonded ? slip(a, k) : 0.0;

    if (a->impulses && x->expelled && v != 0.0) note(worst, k, size, SAL_SLIPPING, v);
    else if (!a->impulses && x->expelled && t->bonded) note(worst, k, size, SAL_SMOOTH, 0.0);
    else note(worst, k, size, role_in(a, k), x->sign);
}

/* Normal and tangential force or impulse of contact k in `lambda`, `out`: how much too slowly it separates, `along`:
 * its slip or the rate of it, relative to `motion`. */
static void judge(const args *a, int k, const double *lambda, double force, double out, double along, double motion,
                  violation *worst)
{
    const sal_touching *x  = &a->c->touching[k];
    const sal_touch    *t  = &a->tables->touches.at[k];
    const double        mu = t->tangent < 0 || t->bonded ? 0.0 : a->s->z[t->mu_static];

    if (x->role == SAL_OUT) {
        note_entry(a, worst, k, out / motion - SAL_CONTACT_SMALL);
        return;
    }
    note(worst, k, -lambda[t->normal] / force - SAL_CONTACT_SMALL, SAL_OUT, 0.0);
    if (x->role == SAL_STUCK && !t->bonded) {
        const double T = lambda[t->tangent];
        note(worst, k, (fabs(T) - mu * fmax(lambda[t->normal], 0.0)) / force - SAL_CONTACT_SMALL, SAL_SLIPPING,
             T < 0.0 ? 1.0 : -1.0);
    }
    if (x->role == SAL_SLIPPING && x->fresh)
        note(worst, k, -x->sign * along / motion - SAL_CONTACT_SMALL, SAL_STUCK, 0.0);
}

/* Solves for the roles as they are, and finds what is violated most. */
typedef sal_status (*role_solver)(const args *a, violation *worst);

/* Whether the role of a contact is to be found. */
static bool is_free(const sal_touching *x)
{
    return x->candidate && !x->kept;
}

/* The roles of the candidates by the digits of a number, as far as a contact can have them; false: it cannot. */
static bool count_roles(const args *a, long number)
{
    for (int k = 0; k < a->count; k++) {
        sal_touching    *x        = &a->c->touching[k];
        const sal_touch *t        = &a->tables->touches.at[k];
        const bool       friction = t->tangent >= 0 && !t->bonded;
        if (!is_free(x)) continue;
        switch (number % ROLES) {
        case 0: x->role = role_in(a, k); break;
        case 1: x->role = SAL_OUT; break;
        default:
            if (t->bonded && number % ROLES == 2) { /* nothing else will do: it slides without friction */
                x->role = SAL_SMOOTH;
                break;
            }
            if (!friction || x->slides) return false;
            x->role  = SAL_SLIPPING;
            x->sign  = number % ROLES == 2 ? 1.0 : -1.0;
            x->fresh = true;
        }
        number /= ROLES;
    }
    return true;
}

/* All combinations of roles, until one violates nothing. */
static sal_status search_roles(const args *a, role_solver solve, const char *what)
{
    long combinations = 1;

    for (int k = 0; k < a->count; k++) combinations *= is_free(&a->c->touching[k]) && combinations <= MOST ? ROLES : 1;
    if (combinations > MOST) {
        return sal_system_fail(a->s, SAL_ERR_EVENTS, "too many contacts at t = %.9g s to find the %s that agree",
                               a->s->z[a->tables->time], what);
    }
    for (long number = 0; number < combinations; number++) {
        violation  worst = { .contact = -1, .size = 0.0 };
        sal_status status;
        if (!count_roles(a, number)) continue;
        status = sal_watch_ask(a->s->watch);
        if (status != SAL_OK) return status;
        set_roles(a);
        status = solve(a, &worst);
        if (status == SAL_ERR_MEMORY || (status == SAL_OK && worst.contact < 0)) return status;
    }
    return sal_system_fail(a->s, SAL_ERR_EVENTS, "no %s of the contacts at t = %.9g s agree with each other", what,
                           a->s->z[a->tables->time]);
}

/* Whether J x = target fails for a row that holds: rows that depend on each other may contradict each other. A contact
 * that sticks, if there is one, must slip then, the way it was going. */
static bool rows_contradict(const args *a, const double *x, const double *target, double size, violation *worst)
{
    const sal_model *model = a->model;
    bool             any   = false;

    for (int r = 0; r < model->m && !any; r++) {
        double off = -target[r], length = 0.0;
        if (!a->s->mode.held[r]) continue;
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) {
            off += a->s->entry[k] * x[model->jc[k]];
            length += fabs(a->s->entry[k]);
        }
        any = !(fabs(off) <= SAL_CONTRADICTION * size * length);
    }
    if (!any) return false;
    *worst = (violation){ .contact = a->count, .size = HUGE_VAL }; /* nobody can be blamed */
    for (int k = 0; k < a->count; k++) {
        const sal_touching *t = &a->c->touching[k];
        if (!t->candidate || t->role != SAL_STUCK || a->tables->touches.at[k].bonded) continue;
        *worst = (violation){ k, HUGE_VAL, SAL_SLIPPING, slip(a, k) < 0.0 ? -1.0 : 1.0 };
        break;
    }
    return true;
}

/* Exchanges roles one at a time until nothing is violated; where that goes round in circles, tries all of them. */
static sal_status exchange(const args *a, role_solver solve, const char *what)
{
    const int limit = 20 + 4 * a->count;

    for (int i = 0; i < limit; i++) {
        violation  worst = { .contact = -1, .size = 0.0 };
        sal_status status;
        set_roles(a);
        status = solve(a, &worst);
        if (status != SAL_OK || worst.contact < 0) return status;
        if (worst.contact == a->count) break;
        sal_touching *x = &a->c->touching[worst.contact];
        x->expelled     = x->expelled || worst.role == SAL_OUT;
        x->role         = worst.role;
        if (!x->slides) x->sign = worst.sign;
        if (worst.role == SAL_SLIPPING) x->fresh = !x->slides;
    }
    return search_roles(a, solve, what);
}

/* --------------------------------------------------------------------------------------- impacts */

static int sticking(const args *a)
{
    int count = 0;

    for (int k = 0; k < a->count; k++) count += a->c->touching[k].candidate && a->c->touching[k].role == SAL_STUCK;
    return count;
}

/* [d; mu] in s->rhs for the rows that hold. */
static sal_status solve_impulse(const args *a)
{
    sal_system *s = a->s;
    const int   n = a->model->n, m = a->model->m;
    double      phi, phidot;
    sal_status  status;

    sal_rows_jacobian(&s->rows, s->z, s->entry);
    sal_system_set_rows(s);
    sal_kkt_forget(&s->motion);
    s->prepared = false;
    memset(s->share, 0, sizeof *s->share * (size_t)m);
    status = sal_system_factor_least(s);
    if (status == SAL_ERR_MEMORY) return sal_system_fail(s, status, "out of memory");
    if (status != SAL_OK) {
        return sal_system_fail(s, SAL_ERR_SINGULAR, "the velocities after the impact at t = %.9g s are not determined",
                               s->z[a->tables->time]);
    }
    sal_system_residual(s, &phi, &phidot);
    memset(s->rhs, 0, sizeof *s->rhs * (size_t)n);
    for (int r = 0; r < m; r++) s->rhs[n + r] = s->mode.held[r] ? a->c->goal[r] - s->phidot[r] : 0.0;
    if (sticking(a) > 1) {
        const size_t mark = sal_arena_mark(&s->arena);
        double      *goal = sal_arena_take(&s->arena, n + m);
        memcpy(goal, s->rhs, sizeof *goal * (size_t)(n + m));
        sal_kkt_solve_exact(&s->motion, s->rhs, 1);
        a->c->shared = sal_system_share_first(s, s->rhs + n) || a->c->shared;
        memcpy(s->rhs, goal, sizeof *goal * (size_t)(n + m));
        sal_arena_release(&s->arena, mark);
    }
    sal_kkt_solve_exact(&s->motion, s->rhs, 1);
    sal_system_add_couplings(s, s->rhs + n);
    return SAL_OK;
}

/* With [d; mu] in s->rhs; before [n] is workspace. */
static void judge_impulse(const args *a, double *before, violation *worst)
{
    sal_system  *s        = a->s;
    const int    n        = a->model->n;
    const double speed    = speed_of(s);
    double       momentum = 0.0;

    memcpy(before, s->zd, sizeof *before * (size_t)n);
    for (int k = 0; k < n; k++) s->zd[k] += s->rhs[k];
    for (int k = 0; k < n; k++)
        momentum = fmax(momentum, speed / (s->motion.scale[k] * s->motion.scale[k])); /* scale: M_kk^-1/2 */
    for (int k = 0; k < a->count; k++) {
        const sal_touch *t = &a->tables->touches.at[k];
        if (!a->c->touching[k].candidate || a->c->touching[k].kept) continue;
        judge(a, k, s->rhs + n, momentum, -a->c->goal[t->normal] - gap_rate(a, k), t->tangent >= 0 ? slip(a, k) : 0.0,
              speed, worst);
    }
    memcpy(s->zd, before, sizeof *before * (size_t)n);
}

static sal_status try_impulse(const args *a, violation *worst)
{
    sal_system  *s = a->s;
    const int    n = a->model->n, m = a->model->m;
    const size_t mark   = sal_arena_mark(&s->arena);
    double      *before = sal_arena_take(&s->arena, n), *goal = sal_arena_take(&s->arena, m);
    sal_status   status = solve_impulse(a);

    for (int r = 0; r < m; r++) goal[r] = a->c->goal[r] - s->phidot[r];
    if (status == SAL_OK && !rows_contradict(a, s->rhs, goal, fmax(speed_of(s), sal_largest(s->rhs, n)), worst))
        judge_impulse(a, before, worst);
    sal_arena_release(&s->arena, mark);
    return status;
}

/* v'- becomes v'+, the changes of the impulses are added up; [d; mu] are in s->rhs, s->zd is v+. */
static void impulse_tangent(const args *a, sal_tangent *t)
{
    sal_system          *s = a->s;
    const int            n = a->model->n, m = a->model->m, size = n + m, p = t->p;
    const sal_directions d = sal_tangent_directions(t);

    memset(t->force, 0, sizeof(double) * (size_t)a->model->nz * (size_t)p);
    sal_tangent_add_mass_change(t, s, s->rhs, t->force);
    sal_rows_force_jvp(&s->rows, s->z, s->rhs + n, d, t->force);
    sal_tangent_add_couplings(t, s, s->rhs + n, t->force);
    sal_tangent_to_rhs(t, t->force, n, size, 0, 1.0);
    sal_rows_residual_jvp(&s->rows, s->z, s->zd, d, t->row, t->row2);
    for (int r = 0; r < m; r++) {
        double *row = SAL_ROW(t->row2, r, p), *goal = SAL_ROW(a->c->goal_change, r, p);
        for (int c = 0; c < p; c++) row[c] = s->mode.held[r] ? row[c] - goal[c] : 0.0;
    }
    sal_tangent_to_rhs(t, t->row2, m, size, n, -1.0);
    sal_kkt_solve_exact(&s->motion, t->rhs, p);
    for (int c = 0; c < p; c++) {
        for (int k = 0; k < n; k++) SAL_ROW(t->zd, k, p)[c] += t->rhs[(size_t)c * (size_t)size + (size_t)k];
    }
    sal_tangent_from_rhs(t, t->row, m, size, n);
    sal_tangent_couplings(t, s, s->rhs + n, t->row);
    for (int k = 0; k < m * p; k++) a->c->impulse_change[k] += t->row[k];
}

/* Sets how the contact must leave: Phidot+ of -gap is -e Phidot-. Rebounds that would not get away from where the
 * contact is pressed to are none. */
static void set_goal(const args *a, int k, double zero, sal_tangent *t)
{
    const sal_touch *touch = &a->tables->touches.at[k];
    const int        r     = touch->normal;
    const double     e = a->s->z[touch->restitution], speed = -gap_rate(a, k), bend = gap_second(a, k);
    const double     slowest  = fmax(a->s->z[touch->rest], 10.0 * sqrt(2.0 * zero * fabs(bend)));
    const bool       too_slow = e > 0.0 && bend < 0.0 && e * speed < slowest;

    if (too_slow) a->c->closed = touch->name;
    a->c->touching[k].slow     = speed < a->s->z[touch->rest];
    a->c->touching[k].rebounds = e > 0.0 && !too_slow;
    if (!a->c->touching[k].rebounds) return;
    a->c->goal[r] = -e * speed;
    if (!t) return;
    double       *change = a->c->goal_change + (size_t)r * (size_t)t->p;
    const double *de     = t->z + (size_t)touch->restitution * (size_t)t->p;
    sal_tangent_value(t, a->s, &a->model->relation[a->model->relation_of[r]].rate.value, change);
    for (int c = 0; c < t->p; c++) change[c] = -e * change[c] - de[c] * speed;
}

/* Contacts that are open, touch and close. */
static bool find_closing(const args *a, int fired, const double *zero)
{
    const double speed = sal_largest(a->s->zd, a->model->n);
    bool         any   = false;

    for (int k = 0; k < a->count; k++) {
        const sal_touch *t = &a->tables->touches.at[k];
        sal_touching    *x = &a->c->touching[k];
        *x                 = (sal_touching){ .candidate = holds(a, k), .role = role_now(a, k), .sign = 0.0 };
        if (x->candidate) continue;
        if (k != fired) {
            if (!(fabs(gap(a, k)) <= 100.0 * zero[t->event[SAL_TOUCHES]])) continue;
            if (guarded(a, k)) continue;
        }
        x->closing = x->candidate = gap_rate(a, k) < -SAL_CONTACT_SMALL * speed;
        any                       = any || x->closing;
    }
    return any;
}

/* After a solve: contacts that held and would leave too slowly are kept, see contact.h. Whether there are any. */
static bool keep_slow(const args *a)
{
    sal_system *s   = a->s;
    const int   n   = a->model->n;
    bool        any = false;

    for (int k = 0; k < a->count; k++) {
        if (a->c->touching[k].closing && !a->c->touching[k].slow) return false;
    }
    const size_t mark   = sal_arena_mark(&s->arena);
    double      *before = sal_arena_take(&s->arena, n);
    memcpy(before, s->zd, sizeof *before * (size_t)n);
    for (int k = 0; k < n; k++) s->zd[k] += s->rhs[k];
    for (int k = 0; k < a->count; k++) {
        sal_touching    *x = &a->c->touching[k];
        const sal_touch *t = &a->tables->touches.at[k];
        if (!is_free(x) || x->closing || x->role != SAL_OUT || !(gap_rate(a, k) < s->z[t->rest])) continue;
        x->kept = any = true;
        a->c->closed  = t->name;
    }
    memcpy(s->zd, before, sizeof *before * (size_t)n);
    sal_arena_release(&s->arena, mark);
    for (int k = 0; k < a->count && any; k++) { /* as it was before */
        sal_touching *x = &a->c->touching[k];
        if (!x->kept) continue;
        x->role = role_in(a, k);
        if (x->role != SAL_STUCK || a->tables->touches.at[k].bonded) continue;
        x->sign = slip(a, k);
        if (fabs(x->sign) > SAL_CONTACT_SMALL * sal_largest(s->zd, n)) x->role = SAL_SLIPPING;
    }
    return any;
}

/* One joint solve. */
static sal_status impact(const args *a, const double *zero, sal_tangent *t)
{
    sal_system *s = a->s;
    const int   n = a->model->n, m = a->model->m;
    sal_status  status;

    memset(a->c->goal, 0, sizeof(double) * (size_t)m);
    if (t) memset(a->c->goal_change, 0, sizeof(double) * (size_t)m * (size_t)t->p);
    for (int k = 0; k < a->count; k++) {
        sal_touching *x = &a->c->touching[k];
        if (x->closing) set_goal(a, k, zero[a->tables->touches.at[k].event[SAL_TOUCHES]], t);
        if (x->candidate) x->role = role_in(a, k);
    }
    do {
        status = exchange(a, try_impulse, "impulses");
        if (status != SAL_OK) return status;
    } while (keep_slow(a));
    for (int k = 0; k < n; k++) s->zd[k] += s->rhs[k];
    for (int r = 0; r < m; r++) a->c->impulse[r] += s->rhs[n + r];
    if (t) impulse_tangent(a, t);
    for (int k = 0; k < a->count; k++) {
        if (a->c->touching[k].rebounds) a->c->touching[k].role = SAL_OUT;
    }
    set_roles(a);
    return SAL_OK;
}

/* A contact that holds without any force merely touches; where it can rebound an impact is passed on through it. */
static void loosen(const args *a)
{
    sal_system  *s     = a->s;
    const double force = sal_scale_at(s).force;

    for (int k = 0; k < a->count; k++) {
        const sal_touch *t = &a->tables->touches.at[k];
        const bool       loose =
            holds(a, k) && s->z[t->restitution] > 0.0 && !(fabs(s->lambda[t->normal]) > SAL_CONTACT_SMALL * force);
        a->c->touching[k] = (sal_touching){ .candidate = !loose && holds(a, k),
                                            .role      = role_now(a, k),
                                            .sign      = sal_contact_slides(s, k) };
    }
    set_roles(a);
}

sal_status sal_contacts_impact(sal_contacts *c, sal_system *s, int fired, const double *zero, sal_tangent *t)
{
    const args a      = args_of(c, s, true);
    sal_status status = SAL_OK;

    loosen(&a);
    find_closing(&a, fired, zero);
    for (int i = 0; i < IMPACTS_MAX; i++) {
        status = impact(&a, zero, t);
        if (status != SAL_OK || !find_closing(&a, -1, zero)) return status;
    }
    return sal_system_fail(s, SAL_ERR_EVENTS, "the contacts at t = %.9g s pass on more than %d impacts at one instant",
                           s->z[a.tables->time], IMPACTS_MAX);
}

/* ---------------------------------------------------------------------------------------- forces */

static sal_status try_forces(const args *a, violation *worst)
{
    sal_system *s = a->s;
    double      force, motion;
    sal_scale   scale;
    sal_status  status;

    sal_system_prepare(s);
    status = sal_system_accelerate(s);
    if (status == SAL_OK) status = sal_system_share(s);
    if (status != SAL_OK) return sal_system_explain(s, status, &s->motion);
    scale  = sal_scale_at(s);
    force  = fmax(scale.force, DBL_MIN);
    motion = fmax(scale.acceleration, DBL_MIN);
    if (s->shares && rows_contradict(a, s->zdd, s->c, motion, worst)) return SAL_OK;
    for (int k = 0; k < a->count; k++) {
        const sal_touch *t = &a->tables->touches.at[k];
        if (!a->c->touching[k].candidate) continue;
        judge(a, k, s->lambda, force, -gap_second(a, k), t->tangent >= 0 ? slip_rate(a, k) : 0.0, motion, worst);
    }
    return SAL_OK;
}

/* Contacts that are open and touch, with no velocity that would get them away (see set_goal); whether there are more.
 * */
static bool find_still(const args *a, const double *zero)
{
    const double speed = sal_largest(a->s->zd, a->model->n);
    bool         any   = false;

    for (int k = 0; k < a->count; k++) {
        const double on    = zero[a->tables->touches.at[k].event[SAL_TOUCHES]];
        const double still = fmax(SAL_CONTACT_SMALL * speed, 3.0 * sqrt(2.0 * on * fabs(gap_second(a, k))));
        if (a->c->touching[k].candidate || fabs(gap(a, k)) > 100.0 * on || fabs(gap_rate(a, k)) > still) continue;
        if (guarded(a, k)) continue;
        a->c->touching[k].candidate = any = true;
    }
    return any;
}

sal_status sal_contacts_settle(sal_contacts *c, sal_system *s, int fired, sal_touch_event kind, const double *zero)
{
    const args   a     = args_of(c, s, false);
    const double speed = sal_largest(s->zd, s->model->n);
    sal_status   status;

    if (a.count == 0) {
        sal_system_prepare(s);
        return SAL_OK;
    }
    for (int k = 0; k < a.count; k++) {
        const sal_touch *t = &a.tables->touches.at[k];
        sal_touching    *x = &c->touching[k];
        const double     T = t->tangent >= 0 ? s->lambda[t->tangent] : 0.0; /* just before the event */
        *x = (sal_touching){ .candidate = holds(&a, k), .role = role_now(&a, k), .sign = sal_contact_slides(s, k) };
        if (k == fired && kind == SAL_RELEASES) x->role = SAL_OUT, x->expelled = true;
        if (k == fired && kind == SAL_SLIPS)
            *x = (sal_touching){ .candidate = true, .role = SAL_SLIPPING, .sign = T < 0.0 ? 1.0 : -1.0, .fresh = true };
        if (k == fired && kind == SAL_STICKS && x->role == SAL_SLIPPING) x->role = SAL_STUCK;
        if (t->tangent >= 0 && !t->bonded) {
            const double v = slip(&a, k);
            x->slides      = fabs(v) > fmax(SAL_CONTACT_SMALL * speed, 100.0 * zero[t->event[SAL_STICKS]]);
            if (x->slides) x->sign = v;
            else if (x->role == SAL_SLIPPING && !x->fresh) x->role = SAL_STUCK; /* as long as the cone allows it */
        }
    }
    find_still(&a, zero);
    do {
        status = exchange(&a, try_forces, "forces");
    } while (status == SAL_OK && find_still(&a, zero)); /* with the accelerations that there are now */
    return status;
}

sal_status sal_contacts_start(sal_contacts *c, sal_system *s, bool *any)
{
    const args      a     = args_of(c, s, false);
    const sal_scale scale = sal_scale_at(s);
    const double    near = SAL_TOUCHING * scale.length, slow = SAL_TOUCHING * fmax(scale.speed, scale.natural);
    sal_status      status;

    *any = false;
    for (int k = 0; k < a.count; k++) {
        sal_touching *x = &c->touching[k];
        *x              = (sal_touching){ .candidate = fabs(gap(&a, k)) <= near && fabs(gap_rate(&a, k)) <= slow };
        x->candidate    = x->candidate && (c->starts_closed[k] || !guarded(&a, k));
        if (!x->candidate) continue;
        x->role = role_in(&a, k);
        *any    = true;
        if (x->role != SAL_STUCK || fabs(slip(&a, k)) <= slow) continue;
        if (a.tables->touches.at[k].bonded) x->candidate = false; /* it slips and touches: an impact */
        else *x = (sal_touching){ .candidate = true, .role = SAL_SLIPPING, .sign = slip(&a, k), .slides = true };
    }
    if (!*any) return SAL_OK;
    status = exchange(&a, try_forces, "forces");
    *any   = false;
    for (int k = 0; k < a.count; k++) {
        const sal_touch *t = &a.tables->touches.at[k];
        *any               = *any || holds(&a, k);
        if (c->starts_closed[k] && !holds(&a, k) && !s->quiet)
            sal_log(a.tables->context, "%s: it is said to begin closed, but it would have to pull; it opens", t->name);
    }
    return status;
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
            const double gap = sal_system_value(s, &tables->events.at[t->event[SAL_TOUCHES]].when);
            if (gap < -near * length) add_warning(text, room, "%s has been passed through by %.3g m", t->name, -gap);
        } else if (N < -near * force) {
            add_warning(text, room, "%s would have to pull with %.3g N", t->name, -N);
        } else if (t->tangent >= 0 && s->mode.held[t->tangent] && !t->bonded &&
                   T > s->z[t->mu_static] * N + near * force) {
            add_warning(text, room, "%s would slip: friction of %.3g N at %.3g N", t->name, T, N);
        }
    }
}
