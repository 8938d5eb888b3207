/* test_coulomb.c - the contact problem in numbers (contact/coulomb.h), on thousands of random problems: every condition
 * of Signorini and Coulomb, whatever the solver did to find the answer. */
#include "engine/contact/coulomb.h"
#include "tests/support.h"

enum { CONTACTS = 30, FREEDOMS = 40 };

typedef struct problem_rig {
    sal_context *context;
    sal_pool     pool;
    sal_coulomb  x;
} problem_rig;

static void problem_make(problem_rig *r, int room)
{
    assert_int_equal(sal_context_create(NULL, &r->context), SAL_OK);
    sal_pool_init(&r->pool, r->context);
    assert_int_equal(sal_coulomb_init(&r->x, &r->pool, room), SAL_OK);
}

static void problem_free(problem_rig *r)
{
    sal_pool_free(&r->pool);
    sal_context_destroy(&r->context);
}

/* W = G G^T and b = G v for c contacts of random directions in a random number of freedoms, fewer than contacts now and
 * then: such contacts depend on each other. Units by contact. */
static void random_problem(sal_coulomb *x, int c, double friction, uint64_t *seed)
{
    static double G[2 * CONTACTS][FREEDOMS];
    double        v[FREEDOMS];
    const int     rows = 2 * c, n = 1 + (int)(fabs(random_number(seed)) * (FREEDOMS - 1));

    x->c = c;
    for (int k = 0; k < n; k++) v[k] = random_number(seed);
    for (int i = 0; i < c; i++) {
        const double unit      = pow(10.0, 3.0 * random_number(seed));
        x->party[i]            = (sal_party){ .tangent = fabs(random_number(seed)) < friction, .inside = true };
        x->party[i].mu_kinetic = x->party[i].tangent ? 1.5 * fabs(random_number(seed)) : 0.0;
        x->party[i].mu_static  = x->party[i].mu_kinetic * (random_number(seed) < 0.0 ? 1.0 : 1.3);
        for (int k = 0; k < n; k++) {
            G[i][k]     = unit * random_number(seed);
            G[c + i][k] = x->party[i].tangent ? unit * random_number(seed) : 0.0;
        }
        if (i > 0 && random_number(seed) > 0.8) memcpy(G[i], G[i - 1], sizeof G[i]); /* at the same place */
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

/* What the answer violates most, relative to the sizes of motions and forces. */
static double violation(const sal_coulomb *x)
{
    double worst = 0.0;

    for (int i = 0; i < x->c; i++) {
        const sal_party *y = &x->party[i];
        const int        t = x->c + i, rows = 2 * x->c;
        const double     n = x->p[i], f = x->p[t], gap = x->motion[i] / x->full[i],
                     force = n * x->W[i * rows + i] / x->full[i];
        worst              = fmax(worst, fmax(-gap, -force));
        worst              = fmax(worst, fmin(gap, force));
        if (!y->tangent || x->full[t] == 0.0) continue;
        const double slip = x->motion[t] / x->full[t], unit = x->W[t * rows + t] / x->full[t],
                     mu = y->broken ? y->mu_kinetic : y->mu_static;
        worst           = fmax(worst, (fabs(f) - mu * n) * unit);
        if (fabs(slip) > 1e-9) worst = fmax(worst, fabs(f + mu * n * (slip > 0.0 ? 1.0 : -1.0)) * unit);
        if (y->role == SAL_SLIPPING && y->sign * slip < 0.0) worst = fmax(worst, -y->sign * slip);
    }
    return worst;
}

/* Impulses exist for any number of contacts and any friction, and no impact without restitution adds energy. */
static void impulses_always_exist(void **state)
{
    uint64_t    seed = 4711;
    problem_rig r;

    (void)state;
    problem_make(&r, CONTACTS);
    for (int k = 0; k < 10000; k++) {
        const int c    = 1 + k % CONTACTS;
        double    work = 0.0, parts = 0.0;
        random_problem(&r.x, c, k % 3 == 0 ? 0.0 : 0.8, &seed);
        if (sal_coulomb_solve(&r.x, NULL) != SAL_OK) fail_msg("problem %d of %d contacts is not solved", k, c);
        if (!(violation(&r.x) < 1e-8)) fail_msg("problem %d of %d contacts is off by %g", k, c, violation(&r.x));
        for (int i = 0; i < 2 * c; i++) {
            work += 0.5 * r.x.p[i] * (r.x.b[i] + r.x.motion[i]);
            parts += fabs(r.x.p[i] * r.x.b[i]);
        }
        assert_true(work <= 1e-9 * parts);
    }
    problem_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses_always_exist),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
