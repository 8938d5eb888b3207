/* test_coulomb.c - the contact problem in numbers (contact/coulomb.h), on thousands of random problems: every condition
 * of Signorini and Coulomb, whatever the solver did to find the answer. */
#include "engine/base/vector.h"
#include "tests/contact_problems.h"

/* Impulses exist for any number of contacts and any friction, and no impact without restitution adds energy. */
static void impulses_always_exist(void **state)
{
    uint64_t    seed = 4711;
    problem_rig r;

    (void)state;
    problem_make(&r, CONTACTS);
    for (int k = 0; k < 10000; k++) {
        const problem_kind kind = { k % 3 == 0 ? 0.0 : 0.8, 1.3, 3.0, 0.1 };
        const int          c = 1 + k % CONTACTS, n = 1 + (int)(fabs(random_number(&seed)) * (FREEDOMS - 1));
        double             work = 0.0, parts = 0.0, off;
        random_problem(&r.x, c, n, kind, &seed);
        if (sal_coulomb_solve(&r.x, NULL) != SAL_OK) fail_msg("problem %d of %d contacts is not solved", k, c);
        off = violation(&r.x, r.x.p, r.x.motion, r.x.full);
        if (!(off < 1e-8)) fail_msg("problem %d of %d contacts is off by %g", k, c, off);
        for (int i = 0; i < c; i++) {
            const sal_party *y = &r.x.party[i];
            if (y->role == SAL_SLIPPING) assert_true(y->sign * r.x.motion[c + i] >= -1e-8 * r.x.full[c + i]);
        }
        for (int i = 0; i < 2 * c; i++) {
            const double W = SAL_ROW(r.x.W, i, 2 * c)[i]; /* b^2 / W: where there is no impulse there is motion */
            work += 0.5 * r.x.p[i] * (r.x.b[i] + r.x.motion[i]);
            parts += fabs(r.x.p[i] * r.x.b[i]) + (W > 0.0 ? 1e-6 * r.x.b[i] * r.x.b[i] / W : 0.0);
        }
        if (!(work <= 1e-9 * parts)) fail_msg("problem %d of %d contacts adds %g of %g J", k, c, work, parts);
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
