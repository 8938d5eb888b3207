/* contact_problems.h - random contact problems in numbers (contact/coulomb.h), and whether an answer is one. */
#ifndef SAL_TESTS_CONTACT_PROBLEMS_H
#define SAL_TESTS_CONTACT_PROBLEMS_H

#include "engine/contact/coulomb.h"
#include "tests/support.h"

enum { CONTACTS = 30, FREEDOMS = 40 };

typedef struct problem_rig {
    sal_context *context;
    sal_pool     pool;
    sal_coulomb  x;
} problem_rig;

static inline void problem_make(problem_rig *r, int room)
{
    assert_int_equal(sal_context_create(NULL, &r->context), SAL_OK);
    sal_pool_init(&r->pool, r->context);
    assert_int_equal(sal_coulomb_init(&r->x, &r->pool, room), SAL_OK);
}

static inline void problem_free(problem_rig *r)
{
    sal_pool_free(&r->pool);
    sal_context_destroy(&r->context);
}

typedef struct problem_kind {
    double friction; /* part of the contacts that have it */
    double sticky;   /* mu_static/mu_kinetic, of half of them */
    double units;    /* powers of ten that contacts differ by, up and down */
    double together; /* part of them at the same place as the one before */
} problem_kind;

/* W = G G^T and b = G v for c contacts of random directions in n freedoms; fewer than contacts: these depend on each
 * other. */
static inline void random_problem(sal_coulomb *x, int c, int n, problem_kind kind, uint64_t *seed)
{
    static double G[2 * CONTACTS][2 * CONTACTS];
    double        v[2 * CONTACTS];
    const int     rows = 2 * c;

    assert_true(n <= 2 * CONTACTS);
    x->c = c;
    for (int k = 0; k < n; k++) v[k] = random_number(seed);
    for (int i = 0; i < c; i++) {
        const double unit      = pow(10.0, kind.units * random_number(seed));
        x->party[i]            = (sal_party){ .tangent = fabs(random_number(seed)) < kind.friction, .inside = true };
        x->party[i].mu_kinetic = x->party[i].tangent ? 1.5 * fabs(random_number(seed)) : 0.0;
        x->party[i].mu_static  = x->party[i].mu_kinetic * (random_number(seed) < 0.0 ? 1.0 : kind.sticky);
        for (int k = 0; k < n; k++) {
            G[i][k]     = unit * random_number(seed);
            G[c + i][k] = x->party[i].tangent ? unit * random_number(seed) : 0.0;
        }
        if (i > 0 && fabs(random_number(seed)) < kind.together) memcpy(G[i], G[i - 1], sizeof G[i]);
    }
    for (int r = 0; r < rows; r++) {
        x->b[r] = x->b1[r] = x->size[r] = 0.0;
        for (int k = 0; k < n; k++) {
            x->b[r] += G[r][k] * v[k];
            x->size[r] += fabs(G[r][k] * v[k]);
        }
        for (int s = 0; s < rows; s++) {
            x->W[r * rows + s] = 0.0;
            for (int k = 0; k < n; k++) x->W[r * rows + s] += G[r][k] * G[s][k];
        }
    }
}

/* What an answer, forces p and the motion b + W p, violates most of the conditions of Signorini and Coulomb, relative to
 * the sizes of motions and forces. `full` [2 c]: of what motions are the sum. */
static inline double violation(const sal_coulomb *x, const double *p, const double *motion, const double *full)
{
    double worst = 0.0;

    for (int i = 0; i < x->c; i++) {
        const sal_party *y = &x->party[i];
        const int        t = x->c + i, rows = 2 * x->c;
        const double     gap = motion[i] / full[i], force = p[i] * x->W[i * rows + i] / full[i];
        worst = fmax(worst, fmax(fmax(-gap, -force), fmin(gap, force)));
        if (!y->tangent || full[t] == 0.0) continue;
        const double slip = motion[t] / full[t], unit = x->W[t * rows + t] / full[t],
                     mu = y->broken ? y->mu_kinetic : y->mu_static;
        worst           = fmax(worst, (fabs(p[t]) - mu * p[i]) * unit);
        if (fabs(slip) > 1e-9) worst = fmax(worst, fabs(p[t] + mu * p[i] * (slip > 0.0 ? 1.0 : -1.0)) * unit);
    }
    return worst;
}

#endif
