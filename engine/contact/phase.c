/* phase.c - one phase of an impact: velocities and impulses with who holds and slides as found, and their derivatives
 * along the event.
 *
 *     K [d; P]   = [ -Phi_q^T P_given ; goal - Phidot(v before) ]
 *     K [d'; P'] = [ -M_rho d - (Phi_q^T P)' - Phi_q^T P_given' ; goal' - (Phidot(v after))' ]
 *
 * P_given are impulses known before, of contacts that do not hold. Where rows depend on each other P is not determined:
 * the least is taken, friction in proportion to mu N. */
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/contact/impact.h"

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

void sal_phase_note_choice(sal_contacts *c, int shares)
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
 * phase->d. Whether it is. */
static bool share_friction(sal_contacts *c, sal_system *s, const sal_phase *phase)
{
    const int  n = s->model->n;
    bool       matters;
    sal_status status = sal_system_share_first(s, phase->first, &matters);

    if (status == SAL_OK) {
        fill_rhs(c, s, phase);
        sal_kkt_solve_least(&s->motion, s->rhs, 1);
        if (matters) sal_phase_note_choice(c, SAL_SHARES_FIRST);
        if (agree(phase->d, s->rhs, n)) return true;
    }
    memset(s->share, 0, sizeof *s->share * (size_t)s->model->m); /* friction is not all that is undetermined */
    sal_system_factor_least(s, SAL_LEAST);
    fill_rhs(c, s, phase);
    sal_kkt_solve_least(&s->motion, s->rhs, 1);
    return false;
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

/* Rows that neither hold nor act have the impulses that they are given. */
static void add_given(const sal_system *s, const sal_phase *phase, double *impulse)
{
    for (int r = 0; r < s->model->m; r++) {
        if (!s->mode.held[r] && !s->mode.acts[r]) impulse[r] = phase->given[r];
    }
}

/* K of the roles as they are, to be factored. */
static void begin(sal_contacts *c, sal_system *s)
{
    sal_contacts_set_roles(c, s);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    sal_system_set_rows(s);
    sal_kkt_forget(&s->motion);
    s->prepared = false;
}

sal_status sal_phase_solve(sal_contacts *c, sal_system *s, sal_phase *phase)
{
    const int  n = s->model->n, m = s->model->m;
    double     phi, phidot;
    sal_status status;

    begin(c, s);
    memset(s->share, 0, sizeof *s->share * (size_t)m);
    phase->smooth = false;
    status        = sal_system_factor_least(s, SAL_LEAST);
    if (status == SAL_ERR_MEMORY) return sal_system_fail(s, status, "out of memory");
    if (status != SAL_OK) return undetermined(s);
    sal_system_residual(s, &phi, &phidot);
    fill_rhs(c, s, phase);
    sal_kkt_solve_least(&s->motion, s->rhs, 1);
    memcpy(phase->d, s->rhs, sizeof *phase->d * (size_t)n);
    memcpy(phase->first, s->rhs + n, sizeof *phase->first * (size_t)m);
    add_given(s, phase, phase->first);
    phase->by_normals = sticking(c, s) > 1 && share_friction(c, s, phase);
    memcpy(phase->solved, s->rhs + n, sizeof *phase->solved * (size_t)m);
    if (!holds(c, s, phase)) return undetermined(s);
    memcpy(phase->impulse, s->rhs + n, sizeof *phase->impulse * (size_t)m);
    add_given(s, phase, phase->impulse);
    sal_system_add_couplings(s, phase->impulse);
    if (s->mode.portions) sal_portions_value(s, phase->impulse);
    if (s->mode.portions > 0) sal_phase_note_choice(c, SAL_SHARES_FIRST);
    if (s->shares > SAL_SHARES_FIRST) sal_phase_note_choice(c, s->shares);
    return SAL_OK;
}

sal_status sal_phase_solve_smoothly(sal_contacts *c, sal_system *s, sal_phase *phase)
{
    const int  n = s->model->n, m = s->model->m;
    double     phi, phidot;
    sal_status status;

    begin(c, s);
    sal_kkt_regularize(&s->motion, SAL_LEAST_CALM, s->mode.held);
    status = sal_kkt_factor(&s->motion);
    if (status == SAL_ERR_MEMORY) return sal_system_fail(s, status, "out of memory");
    if (status != SAL_OK) return undetermined(s);
    sal_system_residual(s, &phi, &phidot);
    fill_rhs(c, s, phase);
    sal_kkt_solve_smooth(&s->motion, false, false, s->rhs, 1);
    memcpy(phase->d, s->rhs, sizeof *phase->d * (size_t)n);
    memcpy(phase->impulse, s->rhs + n, sizeof *phase->impulse * (size_t)m);
    phase->smooth     = true;
    phase->by_normals = false;
    sal_phase_note_choice(c, SAL_SHARES_NEXT);
    return SAL_OK;
}

/* The largest impulse of a contact. */
static double largest_impulse(const sal_contacts *c, const sal_system *s, const double *P)
{
    double most = 0.0;

    for (int i = 0; i < c->problem.c; i++) {
        const sal_touch *t = sal_touch_of(s, c->list[i]);
        most               = fmax(most, fmax(fabs(P[t->normal]), t->tangent < 0 ? 0.0 : fabs(P[t->tangent])));
    }
    return most;
}

/* Those of expansion may vanish (friction holds what would rebound): they are measured by those of compression too. */
bool sal_phase_impossible(const sal_contacts *c, const sal_system *s, const sal_phase *phase)
{
    const double *P     = phase->impulse;
    double        small = largest_impulse(c, s, P);

    if (phase == &c->expansion) small = fmax(small, largest_impulse(c, s, c->compression.impulse));
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

/* Changes of d and impulses, `P` and as solved, with the factors there are; s->zd is v after the phase. */
static void solve_changes(sal_contacts *c, sal_system *s, sal_phase *phase, const double *P, const double *solved,
                          sal_tangent *t)
{
    const int            n = s->model->n, m = s->model->m, size = n + m, p = t->p;
    const sal_directions d = sal_tangent_directions(t);

    memset(t->force, 0, sizeof(double) * (size_t)s->model->nz * (size_t)p);
    sal_tangent_add_mass_change(t, s, phase->d, t->force);
    sal_rows_force_jvp(&s->rows, s->z, P, d, t->force);
    sal_tangent_add_couplings(t, s, P, t->force);
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
    if (phase->smooth) sal_kkt_solve_smooth(&s->motion, false, false, t->rhs, p);
    else sal_kkt_solve_least(&s->motion, t->rhs, p);
    sal_tangent_from_rhs(t, phase->velocity_change, n, size, 0);
    sal_tangent_from_rhs(t, phase->change, m, size, n);
    if (s->motion.rcond < SAL_SURELY_REGULAR && !phase->smooth) sal_chosen_jvp(t, s, solved, phase->change);
    for (int r = 0; r < m; r++) {
        if (!s->mode.held[r] && !s->mode.acts[r])
            memcpy(SAL_ROW(phase->change, r, p), SAL_ROW(phase->given_change, r, p), sizeof(double) * (size_t)p);
    }
}

/* Where friction is shared by the normal impulses that there are without, their changes come first. */
void sal_phase_differentiate(sal_contacts *c, sal_system *s, sal_phase *phase, sal_tangent *t)
{
    const int n = s->model->n, m = s->model->m, p = t->p;
    bool      matters;

    sal_chosen_by_start(t, s);
    if (phase->by_normals && s->motion.rcond < SAL_SURELY_REGULAR) {
        memset(s->share, 0, sizeof *s->share * (size_t)m);
        sal_system_factor_least(s, SAL_LEAST);
        solve_changes(c, s, phase, phase->first, phase->first, t);
        sal_chosen_by_normals(t, s, phase->first, phase->change);
        sal_system_share_first(s, phase->first, &matters);
    }
    solve_changes(c, s, phase, phase->impulse, phase->solved, t);
    sal_tangent_couplings(t, s, phase->impulse, phase->change);
    if (s->mode.portions) sal_portions_jvp(t, s, phase->impulse, phase->change);
    for (int k = 0; k < n * p; k++) t->zd[k] += phase->velocity_change[k];
}
