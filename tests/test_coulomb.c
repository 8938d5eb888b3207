/* test_coulomb.c - the contact problem in numbers (contact/coulomb.h), on thousands of random problems: every condition
 * of Signorini and Coulomb, whatever the solver did to find the answer. */
#include <float.h>

#include "engine/base/vector.h"
#include "tests/contact_problems.h"

/* Impulses exist for any number of contacts and any friction, and no impact without restitution adds energy: 1e-9 of p.b
 * at most. Where that itself vanishes (all move apart, and impulses are the rounding errors of zero, eps b/W), what is
 * left of it is eps b^2/W: the energy that such motion has. */
static void impulses_always_exist(void **state)
{
    uint64_t    seed = 4711;
    problem_rig r;

    (void)state;
    problem_make(&r, CONTACTS);
    for (int k = 0; k < 10000; k++) {
        const problem_kind kind = { k % 3 == 0 ? 0.0 : 0.8, 1.3, 3.0, 0.1 };
        const int          c = 1 + k % CONTACTS, n = 1 + (int)(fabs(random_number(&seed)) * (FREEDOMS - 1));
        double             work = 0.0, parts = 0.0, rounding = 0.0, off;
        random_problem(&r.x, c, n, kind, &seed);
        if (sal_coulomb_solve(&r.x, NULL) != SAL_OK) fail_msg("problem %d of %d contacts is not solved", k, c);
        off = violation(&r.x, r.x.p, r.x.motion, r.x.full);
        if (!(off < 1e-8)) fail_msg("problem %d of %d contacts is off by %g", k, c, off);
        for (int i = 0; i < c; i++) {
            const sal_party *y = &r.x.party[i];
            if (y->role == SAL_SLIPPING) assert_true(y->sign * r.x.motion[c + i] >= -1e-8 * r.x.full[c + i]);
        }
        for (int i = 0; i < 2 * c; i++) {
            const double W = SAL_ROW(r.x.W, i, 2 * c)[i];
            work += 0.5 * r.x.p[i] * (r.x.b[i] + r.x.motion[i]);
            parts += fabs(r.x.p[i] * r.x.b[i]);
            if (W > 0.0) rounding += 4.0 * DBL_EPSILON * r.x.b[i] * r.x.b[i] / W;
        }
        if (!(work <= 1e-9 * parts + rounding))
            fail_msg("problem %d of %d contacts adds %g of %g J", k, c, work, parts);
    }
    problem_free(&r);
}

/* The tangent is held by others, so that its W is rounding: what cannot slip sticks, whatever the sign of that. */
static void what_cannot_slip_sticks(void **state)
{
    problem_rig r;

    (void)state;
    problem_make(&r, 1);
    for (int k = -2; k <= 2; k++) {
        const double W[4] = { 2.3, 1e-16 * k, 1e-16 * k, 1e-25 * k };
        r.x.c             = 1;
        r.x.party[0]      = (sal_party){ .tangent = true, .inside = true, .mu_static = 1.6, .mu_kinetic = 1.3 };
        memcpy(r.x.W, W, sizeof W);
        r.x.b[0]  = -1.7e-5;
        r.x.b[1]  = 8e-22 * k;
        r.x.b1[0] = r.x.b1[1] = 0.0;
        r.x.size[0] = r.x.size[1] = 1.7e-5;
        assert_int_equal(sal_coulomb_solve(&r.x, NULL), SAL_OK);
        assert_int_equal(r.x.party[0].role, SAL_STUCK);
        assert_near(r.x.p[0], 1.7e-5 / 2.3, 1e-15);
    }
    problem_free(&r);
}

enum { PILE = 8, DISCS = PILE * (PILE + 1) / 2, PILED = PILE * PILE + PILE - 1 };

/* Contact i of discs a and b (-1: the ground) along the direction given: its rows of G, for masses 1. */
static void touch_discs(double G[][2 * DISCS], int i, int a, int b, double x, double y)
{
    const double d[2][2] = { { x, y }, { -y, x } };

    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 2 * DISCS; k++) G[r * PILED + i][k] = 0.0;
        for (int k = 0; k < 2; k++) {
            G[r * PILED + i][2 * a + k] += d[r][k];
            if (b >= 0) G[r * PILED + i][2 * b + k] -= d[r][k];
        }
    }
}

/* A pyramid of discs on the ground: twice as many directions as there are freedoms, all of one size. */
static void make_pile(double G[][2 * DISCS])
{
    int i = 0, row = 0; /* number of the first disc in a row */

    for (int k = 0; k < PILE; k++) touch_discs(G, i++, k, -1, 0.0, 1.0);
    for (int k = 0; k + 1 < PILE; k++) touch_discs(G, i++, k + 1, k, 1.0, 0.0);
    for (int j = 1; j < PILE; j++) {
        const int above = row + PILE - j + 1;
        for (int k = 0; k < PILE - j; k++) {
            touch_discs(G, i++, above + k, row + k, 0.5, sqrt(0.75));
            touch_discs(G, i++, above + k, row + k + 1, -0.5, sqrt(0.75));
        }
        row = above;
    }
    assert_int_equal(i, PILED);
}

/* All contacts of a pile at once, most of which depend on others: discs that fall together, or each its own way. */
static void piles_are_solved(void **state)
{
    static double G[2 * PILED][2 * DISCS];
    uint64_t      seed = 815;
    const int     rows = 2 * PILED;
    problem_rig   r;

    (void)state;
    problem_make(&r, PILED);
    make_pile(G);
    for (int k = 0; k < 20; k++) {
        double v[2 * DISCS], off;
        for (int q = 0; q < 2 * DISCS; q++) v[q] = (k % 4 == 0 ? 0.0 : random_number(&seed)) - (q % 2);
        r.x.c = PILED;
        for (int i = 0; i < PILED; i++)
            r.x.party[i] = (sal_party){ .tangent = true, .inside = true, .mu_static = 0.5, .mu_kinetic = 0.5 };
        for (int s = 0; s < rows; s++) {
            r.x.b1[s]   = 0.0;
            r.x.b[s]    = sal_dot(G[s], v, 2 * DISCS);
            r.x.size[s] = 4.0;
            for (int t = 0; t < rows; t++) r.x.W[s * rows + t] = sal_dot(G[s], G[t], 2 * DISCS);
        }
        if (sal_coulomb_solve(&r.x, NULL) != SAL_OK) fail_msg("pile %d is not solved", k);
        off = violation(&r.x, r.x.p, r.x.motion, r.x.full);
        if (!(off < 1e-8)) fail_msg("pile %d is off by %g", k, off);
    }
    problem_free(&r);
}

/* Where there is no solution none is found, though softened problems have one of any size. */
static void what_has_no_solution_is_told(void **state)
{
    static const double M[2][4] = { { 0.0, 0.0, 0.0, 0.0 }, { 1.0, -1.0, -1.0, 1.0 } },
                        q[2][2] = { { -1.0, -1.0 }, { -1.0, 0.5 } };
    problem_rig r;

    (void)state;
    problem_make(&r, CONTACTS);
    for (int k = 0; k < 2; k++) {
        sal_lcp *l = &r.x.lcp;
        l->n       = 2;
        memcpy(l->M, M[k], sizeof M[k]);
        memcpy(l->q, q[k], sizeof q[k]);
        memset(l->q1, 0, sizeof q[k]);
        assert_int_equal(sal_lcp_solve(l, 2, NULL), SAL_END);
    }
    problem_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_solution_is_told),
        cmocka_unit_test(what_cannot_slip_sticks),
        cmocka_unit_test(impulses_always_exist),
        cmocka_unit_test(piles_are_solved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
