/* bound.c - how much of the expansion of an impact there is: as much as adds no energy.
 *
 * Poisson's law alone can add energy where restitutions differ and there is friction. gamma are the velocities gapdot
 * and slip of the contacts, before, after compression C and after expansion E:
 *
 *     v+ = v_C + eta d_E,   P = P_C + eta P_E,     eta <= 1 the largest with  R(eta) = eta c1 + eta^2 c2/2 <= e_max^2 D
 *     D  = -P_C.(gamma- + gamma_C)/2 >= 0 what compression takes,   c1 = P_E.gamma_C,   c2 = P_E.(gamma_E - gamma_C)
 *
 * so that the energy changes by -D + R <= -(1 - e_max^2) D. Without friction at a single contact that is Newton's law.
 * Newton's law for several may add energy, -D + R(eta) > 0: `added`. Velocities are those relative to what is
 * prescribed, so that is no work of motors. Derivatives along the event:
 *
 *     eta' = ( cap' - eta c1' - eta^2 c2'/2 ) / ( c1 + eta c2 )         where the bound is met, cap = e_max^2 D */
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/contact/impact.h"

void sal_bound_read_rates(sal_contacts *c, sal_system *s, sal_tangent *t, int when)
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

void sal_bound_expansion(sal_contacts *c, sal_system *s, sal_tangent *t, bool expands)
{
    const bound  b   = measure(c, s, expands);
    const double eta = expands ? find_eta(c, s, &b) : 0.0;

    if (expands) apply_bound(c, s, t, &b, eta);
    c->added += added_by(c, s, &b, eta);
}
