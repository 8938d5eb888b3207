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
 * Bound (Poisson's law alone can add energy where restitutions differ and there is friction):
 *
 *     v+ = v_C + eta d_E,   P = P_C + eta P_E,     eta <= 1 the largest with  R(eta) = eta c1 + eta^2 c2/2 <= e_max^2 D
 *     D  = -P_C.(gamma- + gamma_C)/2 >= 0 what compression takes,   c1 = P_E.gamma_C,   c2 = P_E.(gamma_E - gamma_C)
 *
 * so that the energy changes by -D + R <= -(1 - e_max^2) D. Without friction at a single contact that is Newton's law.
 * Newton's law itself, for contacts that ask for it: gapdot_C >= -e gapdot- in compression, and no expansion. What is
 * at rest stays so, as gapdot- = 0. It may add energy, -D + R(eta) > 0: `added`. Velocities are those relative to what
 * is prescribed, so that is no work of motors.
 *
 * Derivatives along the event, with who holds and slides as found: each phase has the system of theory for jumps,
 *
 *     K [d'; P'] = [ -M_rho d - (Phi_q^T P)' - Phi_q^T P_given' ; goal' - (Phidot(v after))' ]
 *     eta' = ( cap' - eta c1' - eta^2 c2'/2 ) / ( c1 + eta c2 )         where the bound is met, cap = e_max^2 D
 *
 * Where an impact makes other contacts close that only touched, they are solved next, and so on: Newton's cradle. Where
 * that does not end, all that touch are solved at once. Where all that closes and all that would leave does so slower
 * than `rest`, nothing leaves: a block that rocks comes to rest. */
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/contact/contact.h"

enum { IMPACTS_MAX = 60 }; /* one after the other at one instant, before all that touches is one impact */

/* ----------------------------------------------------------------------------------------- phases */

static int sticking(const sal_contacts *c, const sal_system *s)
{
    int count = 0;

    for (int k = 0; k < sal_touch_count(s); k++) count += c->touching[k].candidate && c->touching[k].role == SAL_STUCK;
    return count;
}

/* Adds factor times row r of Phi_q to x [n], whether the row holds or not. */
static void add_row(const sal_contacts *c, const sal_system *s, int r, double factor, double *x)
{
    for (int k = s->model->jp[r]; k < s->model->jp[r + 1] && factor != 0.0; k++)
        x[s->model->jc[k]] += factor * c->entry[k];
}

static void fill_rhs(const sal_contacts *c, sal_system *s, const sal_phase *phase)
{
    const int n = s->model->n;

    memset(s->rhs, 0, sizeof *s->rhs * (size_t)n);
    for (int r = 0; r < s->model->m; r++) {
        add_row(c, s, r, -phase->given[r], s->rhs);
        s->rhs[n + r] = s->mode.held[r] ? c->goal[r] - s->phidot[r] : 0.0;
    }
}

/* Rows that share first, or next, or all of them have impulses that are not determined. */
static void note_choice(sal_contacts *c, int shares)
{
    c->shared = true;
    if (shares > c->choice) c->choice = shares;
}

static sal_status undetermined(sal_system *s)
{
    return sal_system_fail(s, SAL_ERR_SINGULAR, "the velocities after the impact at t = %.9g s are not determined",
                           s->z[s->model->tables->time]);
}

/* Whether velocities do not depend on how friction is shared, as they must not. */
static bool agree(const double *d, const double *other, int n)
{
    const double size = sal_largest(d, n);
    bool         all  = true;

    for (int k = 0; k < n; k++) all = all && fabs(d[k] - other[k]) <= SAL_SHARED_ALIKE * size;
    return all;
}

/* Friction of contacts that stick, where it is not determined: by mu N rather than equally. The velocities are in
 * phase->d. */
static void share_friction(sal_contacts *c, sal_system *s, const sal_phase *phase)
{
    const int  n = s->model->n;
    bool       matters;
    sal_status status = sal_system_share_first(s, s->rhs + n, &matters);

    if (status == SAL_OK) {
        fill_rhs(c, s, phase);
        sal_kkt_solve_least(&s->motion, s->rhs, 1);
        if (matters) note_choice(c, SAL_SHARES_FIRST);
        if (agree(phase->d, s->rhs, n)) return;
    }
    memset(s->share, 0, sizeof *s->share * (size_t)s->model->m); /* friction is not all that is undetermined */
    sal_system_factor_least(s);
    fill_rhs(c, s, phase);
    sal_kkt_solve_least(&s->motion, s->rhs, 1);
}

/* Whether the rows that hold have the velocities they are to have: rows that contradict each other cannot. */
static bool holds(const sal_contacts *c, const sal_system *s, const sal_phase *phase)
{
    const int    n     = s->model->n;
    const double speed = sal_largest(s->zd, n) + sal_largest(phase->d, n);
    bool         all   = true;

    for (int r = 0; r < s->model->m; r++) {
        double left = s->phidot[r] - c->goal[r], slopes = 0.0;
        if (!s->mode.held[r]) continue;
        for (int k = s->model->jp[r]; k < s->model->jp[r + 1]; k++) {
            left += s->entry[k] * phase->d[s->model->jc[k]];
            slopes += fabs(s->entry[k]);
        }
        all = all && fabs(left) <= SAL_CONTRADICTS * (slopes * speed + fabs(s->phidot[r]) + fabs(c->goal[r]));
    }
    return all;
}

/* d and impulses for the roles as they are. */
static sal_status solve_roles(sal_contacts *c, sal_system *s, sal_phase *phase)
{
    const int  n = s->model->n, m = s->model->m;
    double     phi, phidot;
    sal_status status;

    sal_contacts_set_roles(c, s);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    sal_system_set_rows(s);
    sal_kkt_forget(&s->motion);
    s->prepared = false;
    memset(s->share, 0, sizeof *s->share * (size_t)m);
    status = sal_system_factor_least(s);
    if (status == SAL_ERR_MEMORY) return sal_system_fail(s, status, "out of memory");
    if (status != SAL_OK) return undetermined(s);
    sal_system_residual(s, &phi, &phidot);
    fill_rhs(c, s, phase);
    sal_kkt_solve_least(&s->motion, s->rhs, 1);
    memcpy(phase->d, s->rhs, sizeof *phase->d * (size_t)n);
    if (sticking(c, s) > 1) share_friction(c, s, phase);
    if (!holds(c, s, phase)) return undetermined(s);
    memcpy(phase->impulse, s->rhs + n, sizeof *phase->impulse * (size_t)m);
    for (int r = 0; r < m; r++) {
        if (!s->mode.held[r] && !s->mode.acts[r]) phase->impulse[r] = phase->given[r];
    }
    sal_system_add_couplings(s, phase->impulse);
    if (s->mode.portions) sal_portions_value(s, phase->impulse);
    if (s->mode.portions > 0) note_choice(c, SAL_SHARES_FIRST);
    if (s->shares > SAL_SHARES_FIRST) note_choice(c, s->shares);
    return SAL_OK;
}

/* Whether impulses that are not determined, of which the least are taken, are such as contacts cannot have. */
static bool are_impossible(const sal_contacts *c, const sal_system *s, const sal_phase *phase)
{
    const double *P     = phase->impulse;
    double        small = 0.0;

    for (int i = 0; i < c->problem.c; i++) {
        const sal_touch *t = sal_touch_of(s, c->list[i]);
        small              = fmax(small, fmax(fabs(P[t->normal]), t->tangent < 0 ? 0.0 : fabs(P[t->tangent])));
    }
    small *= SAL_CONTACT_SMALL;
    for (int i = 0; i < c->problem.c; i++) {
        const sal_touch *t = sal_touch_of(s, c->list[i]);
        if (P[t->normal] < -small) return true;
        if (t->tangent < 0 || c->touching[c->list[i]].role != SAL_STUCK) continue;
        if (t->bonded && P[t->normal] > small) continue; /* a pin holds as long as it is pressed on */
        if (fabs(P[t->tangent]) > (t->bonded ? 0.0 : s->z[t->mu_static]) * P[t->normal] + small) return true;
    }
    return false;
}

/* v' before the phase becomes v' after it; s->zd is v after it, the factors are those of the phase. */
static void differentiate_phase(sal_contacts *c, sal_system *s, sal_phase *phase, sal_tangent *t)
{
    const int            n = s->model->n, m = s->model->m, size = n + m, p = t->p;
    const sal_directions d = sal_tangent_directions(t);

    memset(t->force, 0, sizeof(double) * (size_t)s->model->nz * (size_t)p);
    sal_tangent_add_mass_change(t, s, phase->d, t->force);
    sal_rows_force_jvp(&s->rows, s->z, phase->impulse, d, t->force);
    sal_tangent_add_couplings(t, s, phase->impulse, t->force);
    sal_tangent_to_rhs(t, t->force, n, size, 0, 1.0);
    sal_rows_residual_jvp(&s->rows, s->z, s->zd, d, t->row, t->row2);
    for (int r = 0; r < m; r++) {
        double *row = SAL_ROW(t->row2, r, p), *goal = SAL_ROW(c->goal_change, r, p);
        for (int k = 0; k < p; k++) {
            row[k] = s->mode.held[r] ? row[k] - goal[k] : 0.0;
            add_row(c, s, r, -SAL_ROW(phase->given_change, r, p)[k], t->rhs + (size_t)k * (size_t)size);
        }
    }
    sal_tangent_to_rhs(t, t->row2, m, size, n, -1.0);
    sal_kkt_solve_least(&s->motion, t->rhs, p);
    sal_tangent_from_rhs(t, phase->velocity_change, n, size, 0);
    sal_tangent_from_rhs(t, phase->change, m, size, n);
    for (int r = 0; r < m; r++) {
        if (!s->mode.held[r] && !s->mode.acts[r])
            memcpy(SAL_ROW(phase->change, r, p), SAL_ROW(phase->given_change, r, p), sizeof(double) * (size_t)p);
    }
    sal_tangent_couplings(t, s, phase->impulse, phase->change);
    if (s->mode.portions) sal_portions_jvp(t, s, phase->impulse, phase->change);
    for (int k = 0; k < n * p; k++) t->zd[k] += phase->velocity_change[k];
}

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
    status = solve_roles(c, s, phase);
    memcpy(phase->chosen, phase->impulse, sizeof *phase->chosen * (size_t)s->model->m);
    memcpy(phase->chosen_d, phase->d, sizeof *phase->chosen_d * (size_t)s->model->n);
    memset(phase->given, 0, sizeof *phase->given * (size_t)s->model->m);
    phase->chooses = status == SAL_OK;
    if (phase->chooses) note_choice(c, SAL_SHARES_NEXT);
    return status;
}

/* With the roles of a phase, or where the least of the impulses are none that contacts can have, those with which they
 * are determined. Where these are none either, impulses and motion are those of the problem; derivatives are those of
 * the roles all the same. */
static sal_status solve_phase(sal_contacts *c, sal_system *s, sal_phase *phase, sal_phase_roles roles,
                              const sal_tangent *t)
{
    sal_status status;

    phase->chooses = false;
    stand_and_give(c, s, roles, t);
    status = solve_roles(c, s, phase);
    if (status != SAL_OK || !are_impossible(c, s, phase)) return status;
    stand_and_give(c, s, roles + 1, t);
    status = solve_roles(c, s, phase);
    if (status != SAL_OK || !are_impossible(c, s, phase)) return status;
    status = choose(c, s, phase, roles);
    if (status != SAL_OK) return status;
    stand_and_give(c, s, roles, t);
    return solve_roles(c, s, phase);
}

/* -------------------------------------------------------------------------------------- the bound */

/* Gapdot and slip of all that takes part, and their changes along the event: `when` 0 before, 1 after compression, 2
 * after expansion. */
static void read_rates(sal_contacts *c, sal_system *s, sal_tangent *t, int when)
{
    const int m = s->model->m, p = t ? t->p : 0;
    double   *rate = c->rate + when * m, *change = c->rate_change + (size_t)when * (size_t)m * (size_t)p;

    for (int r = 0; r < m; r++) {
        rate[r] = 0.0;
        if (t) memset(SAL_ROW(change, r, p), 0, sizeof *change * (size_t)p);
        if (c->of_row[r] < 0 || !c->touching[c->of_row[r]].candidate) continue;
        rate[r] = -sal_relations_rate(&s->rows, r, s->z, s->zd);
        if (!t) continue;
        sal_tangent_value(t, s, &s->model->relation[s->model->relation_of[r]].rate.value, SAL_ROW(change, r, p));
        for (int k = 0; k < p; k++) SAL_ROW(change, r, p)[k] *= -1.0;
    }
}

typedef struct bound {
    double D, c1, c2;
    double e;     /* the largest restitution of those that are compressed */
    int    which; /* whose */
} bound;

static bound measure(const sal_contacts *c, const sal_system *s, bool expands)
{
    const int     m = s->model->m;
    const double *C = c->compression.impulse, *E = c->expansion.impulse, *rate = c->rate;
    bound         b = { .which = -1 };

    for (int r = 0; r < m; r++) { /* what is no contact has no rates */
        b.D -= 0.5 * C[r] * (rate[r] + rate[m + r]);
        if (!expands) continue;
        b.c1 += E[r] * rate[m + r];
        b.c2 += E[r] * (rate[2 * m + r] - rate[m + r]);
    }
    for (int k = 0; k < sal_touch_count(s); k++) {
        const sal_touching *x = &c->touching[k];
        if (!x->candidate || !(x->bounce > b.e) || !(C[sal_touch_of(s, k)->normal] > 0.0)) continue;
        b.e     = x->bounce;
        b.which = k;
    }
    return b;
}

static double find_eta(const sal_contacts *c, const sal_system *s, const bound *b)
{
    const double cap   = b->e * b->e * fmax(b->D, 0.0);
    double       parts = 0.0;

    for (int r = 0; r < s->model->m; r++) parts += fabs(c->compression.impulse[r] * c->rate[r]);
    if (!(b->c1 + 0.5 * b->c2 > cap + SAL_ENERGY_ROUNDING * parts)) return 1.0;
    const double size = fmax(fmax(fabs(b->c1), b->c2), cap), c1 = b->c1 / size, c2 = b->c2 / size, top = cap / size;
    const double root = sqrt(c1 * c1 + 2.0 * c2 * top); /* nothing is lost where c2 is small, nor where all is tiny */
    return c1 > 0.0 ? 2.0 * top / (c1 + root) : (root - c1) / c2;
}

/* The change of eta in a column. */
static double eta_change(const sal_contacts *c, const sal_system *s, const sal_tangent *t, int column, double eta,
                         const bound *b)
{
    const int     m = s->model->m, p = t->p;
    const double *C = c->compression.impulse, *E = c->expansion.impulse, *rate = c->rate;
    double        dD = 0.0, dc1 = 0.0, dc2 = 0.0, dcap;

    for (int r = 0; r < m; r++) {
        const double dC = SAL_ROW(c->compression.change, r, p)[column], dE = SAL_ROW(c->expansion.change, r, p)[column],
                     before = SAL_ROW(c->rate_change, r, p)[column], middle = SAL_ROW(c->rate_change, m + r, p)[column],
                     after = SAL_ROW(c->rate_change, 2 * m + r, p)[column];
        dD -= 0.5 * (dC * (rate[r] + rate[m + r]) + C[r] * (before + middle));
        dc1 += dE * rate[m + r] + E[r] * middle;
        dc2 += dE * (rate[2 * m + r] - rate[m + r]) + E[r] * (after - middle);
    }
    dcap = b->D > 0.0 ? b->e * b->e * dD : 0.0;
    if (b->which >= 0 && b->D > 0.0)
        dcap += 2.0 * b->e * SAL_ROW(t->z, sal_touch_of(s, b->which)->restitution, p)[column] * b->D;
    return (dcap - eta * dc1 - 0.5 * eta * eta * dc2) / (b->c1 + eta * b->c2);
}

/* What Newton's law adds to the energy, beyond rounding. */
static double added_by(const sal_contacts *c, const sal_system *s, const bound *b, double eta)
{
    const double added  = -b->D + eta * b->c1 + 0.5 * eta * eta * b->c2;
    double       parts  = 0.0;
    bool         newton = false;

    for (int k = 0; k < sal_touch_count(s); k++) newton = newton || c->touching[k].goal > 0.0;
    if (!newton) return 0.0;
    for (int r = 0; r < s->model->m; r++) parts += fabs(c->compression.impulse[r] * c->rate[r]);
    return added > SAL_ENERGY_ROUNDING * parts ? added : 0.0;
}

/* v_E becomes v+ = v_C + eta d_E, and its derivative. */
static void apply_bound(sal_contacts *c, sal_system *s, sal_tangent *t, const bound *b, double eta)
{
    const sal_phase *E = &c->expansion;

    if (eta == 1.0) return;
    for (int k = 0; k < s->model->n; k++) s->zd[k] -= (1.0 - eta) * E->d[k];
    for (int i = 0; t && i < t->p; i++) {
        const double change = eta > 0.0 ? eta_change(c, s, t, i, eta, b) : 0.0;
        for (int k = 0; k < s->model->n; k++) {
            SAL_ROW(t->zd, k, t->p)[i] -= (1.0 - eta) * SAL_ROW(E->velocity_change, k, t->p)[i] - change * E->d[k];
        }
        for (int r = 0; r < s->model->m; r++) {
            double *row = SAL_ROW(E->change, r, t->p);
            row[i]      = eta * row[i] + change * E->impulse[r];
        }
    }
    for (int r = 0; r < s->model->m; r++) E->impulse[r] *= eta;
}

/* ------------------------------------------------------------------------------------ one impact */

static void add_impulses(sal_contacts *c, const sal_system *s, const sal_phase *phase, const sal_tangent *t)
{
    for (int r = 0; r < s->model->m; r++) c->impulse[r] += phase->impulse[r];
    for (int k = 0; t && k < s->model->m * t->p; k++) c->impulse_change[k] += phase->change[k];
}

static sal_status make_phase(sal_contacts *c, sal_system *s, sal_phase *phase, sal_phase_roles roles, sal_tangent *t)
{
    const sal_status status = solve_phase(c, s, phase, roles, t);

    if (status != SAL_OK) return status;
    if (phase->chooses) memcpy(phase->d, phase->chosen_d, sizeof *phase->d * (size_t)s->model->n);
    for (int k = 0; k < s->model->n; k++) s->zd[k] += phase->d[k];
    if (t) differentiate_phase(c, s, phase, t);
    if (phase->chooses) memcpy(phase->impulse, phase->chosen, sizeof *phase->chosen * (size_t)s->model->m);
    read_rates(c, s, t, roles == SAL_COMPRESSION ? 1 : 2);
    return SAL_OK;
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

/* One joint solve: who takes part is known, with what restitution too. */
static sal_status collide(sal_contacts *c, sal_system *s, const double *ahead, sal_tangent *t)
{
    const int  m       = s->model->m;
    bool       expands = false;
    double     eta     = 0.0;
    bound      b;
    sal_status status;

    read_rates(c, s, t, 0);
    do {
        status = decide(c, s, ahead, &expands);
        if (status != SAL_OK) return status;
    } while (!expands && !ahead && keep_slow(c, s));
    memset(c->compression.given, 0, sizeof(double) * (size_t)m);
    if (t) memset(c->compression.given_change, 0, sizeof(double) * (size_t)m * (size_t)t->p);
    status = make_phase(c, s, &c->compression, SAL_COMPRESSION, t);
    if (status != SAL_OK) return status;
    add_impulses(c, s, &c->compression, t);
    if (expands) {
        status = make_phase(c, s, &c->expansion, SAL_EXPANSION, t);
        if (status != SAL_OK) return status;
    }
    b = measure(c, s, expands);
    if (expands) {
        eta = find_eta(c, s, &b);
        apply_bound(c, s, t, &b, eta);
        add_impulses(c, s, &c->expansion, t);
    }
    c->added += added_by(c, s, &b, eta);
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

/* Contacts that are open, touch and close; with `all`, whatever touches. */
static bool find_closing(sal_contacts *c, sal_system *s, int fired, const double *zero, bool all)
{
    const double speed = sal_largest(s->zd, s->model->n);
    bool         any   = false;

    sal_contacts_begin(c, s);
    for (int k = 0; k < sal_touch_count(s); k++) {
        sal_touching *x = &c->touching[k];
        if (x->candidate) continue;
        if ((k != fired || !sal_contact_is_on(s, k)) &&
            !sal_contact_touches(s, k, zero[sal_touch_of(s, k)->event[SAL_TOUCHES]]))
            continue;
        x->closing   = sal_contact_gap_rate(s, k) < (k == fired ? 0.0 : -SAL_CONTACT_SMALL * speed);
        x->candidate = x->closing || all;
        any          = any || x->closing;
    }
    return any;
}

sal_status sal_contacts_impact(sal_contacts *c, sal_system *s, int fired, const double *zero, sal_tangent *t)
{
    sal_status status = SAL_OK;

    loosen(c, s);
    find_closing(c, s, fired, zero, false);
    for (int i = 0; i <= IMPACTS_MAX; i++) {
        set_bounce(c, s, t);
        status = collide(c, s, NULL, t);
        if (status != SAL_OK || !find_closing(c, s, -1, zero, i + 1 >= IMPACTS_MAX)) return status;
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
    status = solve_roles(c, s, &c->compression);
    if (status != SAL_OK) return status;
    for (int k = 0; k < s->model->n; k++) s->zd[k] += c->compression.d[k];
    if (t) differentiate_phase(c, s, &c->compression, t);
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

sal_status sal_contacts_jam(sal_contacts *c, sal_system *s, const double *zero, sal_tangent *t)
{
    const size_t mark  = sal_arena_mark(&s->arena);
    double      *ahead = sal_arena_take(&s->arena, 2 * sal_touch_count(s));
    sal_status   status;

    sal_contacts_begin(c, s);
    if (c->gradual > 0.0) sal_contacts_find_still(c, s, zero);
    for (int k = 0; k < sal_touch_count(s) && !(c->gradual > 0.0); k++) c->touching[k].candidate = c->jammed[k];
    status = stop_leaving(c, s, t);
    for (int k = 0; k < sal_touch_count(s); k++) {
        c->touching[k].closing = c->touching[k].candidate; /* what touches is in, if nothing speaks against it */
        if (!sal_touch_of(s, k)->newton)
            c->touching[k].bounce = s->z[sal_touch_of(s, k)->restitution]; /* its gapdot- is 0 */
    }
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
