/* test_contact_solvers.c - the contact problem in numbers (contact/coulomb.h) against other ways to solve it: the solvers
 * of Siconos (INRIA), and trying all modes.
 *
 * Without friction the motion is unique. With friction there may be several: where all modes can be tried it is known
 * whether there are, and where there is one it must be ours; with more contacts an answer that is not ours must be one all
 * the same. Ours fulfils every condition, always. */
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <lcp_cst.h>

#include "tests/contact_problems.h"

enum { PROBLEMS = 10000, TRIED = 4 };
static const double agrees = 1e-7; /* Siconos is content with 1e-8, absolute */

typedef struct answer {
    double p[2 * CONTACTS], motion[2 * CONTACTS], full[2 * CONTACTS];
} answer;

static void answer_move(const sal_coulomb *x, answer *y)
{
    const int rows = 2 * x->c;

    for (int r = 0; r < rows; r++) {
        y->motion[r] = x->b[r];
        y->full[r]   = x->size[r];
        for (int k = 0; k < rows; k++) {
            y->motion[r] += x->W[r * rows + k] * y->p[k];
            y->full[r] += fabs(x->W[r * rows + k] * y->p[k]);
        }
    }
}

static bool is_answer(const sal_coulomb *x, const answer *y)
{
    return violation(x, y->p, y->motion, y->full) < 1e-8;
}

/* Whether two motions are the same. */
static bool same_motion(const sal_coulomb *x, const double *motion, const answer *y)
{
    for (int r = 0; r < 2 * x->c; r++) {
        if (!(fabs(motion[r] - y->motion[r]) <= agrees * fmax(x->full[r], y->full[r]))) return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------- Siconos */

/* 0 <= n  _|_  b + W n >= 0, normals alone. */
static void solve_without_friction(const sal_coulomb *x, answer *y)
{
    const int                    c = x->c;
    double                       M[CONTACTS * CONTACTS], w[CONTACTS];
    LinearComplementarityProblem problem = { .size = c, .q = x->b };
    SolverOptions               *options = solver_options_create(SICONOS_LCP_LEMKE);

    for (int i = 0; i < c; i++) {
        for (int k = 0; k < c; k++) M[k * c + i] = x->W[i * 2 * c + k]; /* by columns */
    }
    problem.M = NM_create_from_data(NM_DENSE, c, c, M);
    memset(y->p, 0, sizeof y->p);
    linearComplementarity_driver(&problem, y->p, w, options);
    free(problem.M); /* the numbers are ours */
    solver_options_delete(options);
    free(options);
    answer_move(x, y);
}

/* Contact by contact, normal and tangent: Gauss and Seidel's method. */
static void solve_with_friction(const sal_coulomb *x, answer *y)
{
    const int     c = x->c, rows = 2 * c;
    static double M[4 * CONTACTS * CONTACTS];
    double        q[2 * CONTACTS], mu[CONTACTS], reaction[2 * CONTACTS] = { 0 }, velocity[2 * CONTACTS] = { 0 };
    FrictionContactProblem problem = { .dimension = 2, .numberOfContacts = c, .q = q, .mu = mu };
    SolverOptions         *options = solver_options_create(SICONOS_FRICTION_2D_NSGS);

    for (int r = 0; r < rows; r++) {
        const int place = r < c ? 2 * r : 2 * (r - c) + 1;
        q[place]        = x->b[r];
        if (r < c) mu[r] = x->party[r].mu_kinetic;
        for (int k = 0; k < rows; k++) M[(k < c ? 2 * k : 2 * (k - c) + 1) * rows + place] = x->W[r * rows + k];
    }
    problem.M                                = NM_create_from_data(NM_DENSE, rows, rows, M);
    options->dparam[SICONOS_DPARAM_TOL]      = 1e-12;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 10000;
    fc2d_driver(&problem, reaction, velocity, options); /* whether it is an answer is seen from the answer */
    free(problem.M);
    solver_options_delete(options);
    free(options);
    for (int r = 0; r < rows; r++) y->p[r] = reaction[r < c ? 2 * r : 2 * (r - c) + 1];
    answer_move(x, y);
}

/* -------------------------------------------------------------------------------------- all modes */

/* The forces of a mode (of each contact out, stuck, slipping either way); W is regular. */
static void try_mode(const sal_coulomb *x, int mode, answer *y)
{
    const int c = x->c, rows = 2 * c;
    double    A[4 * TRIED * TRIED], rhs[2 * TRIED];

    for (int i = 0; i < c; i++, mode /= 4) {
        const int    t = c + i, role = mode % 4;
        const double mu = x->party[i].mu_kinetic * (role == 2 ? -1.0 : 1.0);
        for (int k = 0; k < rows; k++) {
            A[i * rows + k] = role == 0 ? k == i : x->W[i * rows + k];
            A[t * rows + k] = role == 1 ? x->W[t * rows + k] : k == t ? 1.0 : role >= 2 && k == i ? -mu : 0.0;
        }
        rhs[i] = role == 0 ? 0.0 : -x->b[i];
        rhs[t] = role == 1 ? -x->b[t] : 0.0;
    }
    dense_solve(rows, A, rhs);
    memcpy(y->p, rhs, sizeof *rhs * (size_t)rows);
    answer_move(x, y);
}

/* How many different motions there are; the last one found into y. */
static int count_motions(const sal_coulomb *x, answer *y)
{
    int    count = 0;
    answer one;

    for (int mode = 0; mode < 1 << (2 * x->c); mode++) {
        bool known = count > 0;
        try_mode(x, mode, &one);
        if (!is_answer(x, &one)) continue;
        for (int r = 0; r < 2 * x->c; r++)
            known = known && fabs(one.motion[r] - y->motion[r]) <= agrees * fmax(one.full[r], y->full[r]);
        if (known) continue;
        *y = one;
        count++;
    }
    return count;
}

/* ----------------------------------------------------------------------------------------- tests */

static void solve_ours(problem_rig *r, int k)
{
    double off;

    if (sal_coulomb_solve(&r->x, NULL) != SAL_OK) fail_msg("problem %d of %d contacts is not solved", k, r->x.c);
    off = violation(&r->x, r->x.p, r->x.motion, r->x.full);
    if (!(off < 1e-8)) fail_msg("problem %d of %d contacts is off by %g", k, r->x.c, off);
}

/* Contacts may depend on each other: their forces are not unique, the motion is. */
static void without_friction_the_motion_is_one(void **state)
{
    const problem_kind kind   = { .together = 0.1 };
    uint64_t           seed   = 1;
    int                theirs = 0;
    problem_rig        r;

    (void)state;
    problem_make(&r, CONTACTS);
    for (int k = 0; k < PROBLEMS; k++) {
        const int c = 1 + k % CONTACTS;
        answer    y;
        random_problem(&r.x, c, 1 + (int)(fabs(random_number(&seed)) * (FREEDOMS - 1)), kind, &seed);
        solve_ours(&r, k);
        solve_without_friction(&r.x, &y);
        if (!is_answer(&r.x, &y)) continue;
        theirs++;
        if (!same_motion(&r.x, r.x.motion, &y)) fail_msg("problem %d of %d contacts: two motions", k, c);
    }
    print_message("without friction: %d of %d were solved by both\n", theirs, PROBLEMS);
    assert_true(theirs > PROBLEMS * 9 / 10);
    problem_free(&r);
}

static void with_friction_ours_is_one(void **state)
{
    const problem_kind kind   = { .friction = 1.0, .sticky = 1.0 };
    uint64_t           seed   = 2;
    int                theirs = 0, others = 0, tried = 0, several = 0;
    problem_rig        r;

    (void)state;
    problem_make(&r, CONTACTS);
    for (int k = 0; k < PROBLEMS; k++) {
        const int c = 1 + k % CONTACTS, n = c <= TRIED ? 2 * c + 2 : 1 + (int)(fabs(random_number(&seed)) * FREEDOMS);
        answer    y, only;
        int       motions = 0;
        random_problem(&r.x, c, n, kind, &seed);
        solve_ours(&r, k);
        if (c <= TRIED) {
            motions = count_motions(&r.x, &only);
            tried++;
            several += motions > 1;
            assert_true(motions > 0);
            if (motions == 1 && !same_motion(&r.x, r.x.motion, &only)) fail_msg("problem %d: not the only motion", k);
        }
        solve_with_friction(&r.x, &y);
        if (!is_answer(&r.x, &y)) continue;
        theirs++;
        if (same_motion(&r.x, r.x.motion, &y)) continue;
        others++;
        if (motions == 1) fail_msg("problem %d of %d contacts: two motions", k, c);
    }
    print_message("with friction: %d of %d were solved by both, %d of them in another way; of %d with all modes tried "
                  "%d have several motions\n",
                  theirs, PROBLEMS, others, tried, several);
    assert_true(theirs > PROBLEMS * 9 / 10);
    assert_true(others < PROBLEMS / 50);
    problem_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_friction_the_motion_is_one),
        cmocka_unit_test(with_friction_ours_is_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
