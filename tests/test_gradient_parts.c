/* test_gradient_parts.c - each part that a cost may have, by the adjoint: held against differences of tight runs, to
 * 1e-6 of the largest of its kind, and against tangents on the same steps, to 1e-9 (`sal_verify_adjoint`). */
#include "tests/support.h"

typedef struct tally {
    const char *scene;
    int         good;
} tally;

static void must_be_good(void *user, const sal_verify_item *item)
{
    tally *t = user;

    if (!item->good)
        fail_msg("%s: %s by %s: %.12g, not %.12g", t->scene, item->what, item->wrt, item->exact, item->numeric);
    t->good++;
}

static void holds(const char *scene, const char *const *wrt, int nwrt, int costs)
{
    rig          r    = rig_load(scene);
    sal_run_opts opts = sal_run_defaults();
    tally        seen = { scene, 0 };
    int          bad;

    opts.wrt   = wrt;
    opts.nwrt  = nwrt;
    opts.quiet = true;
    if (sal_verify_adjoint(r.model, &opts, NULL, 0, 1e-6, must_be_good, &seen, &bad) != SAL_OK)
        fail_msg("%s: %s", scene, sal_message(r.context));
    assert_int_equal(bad, 0);
    assert_int_equal(seen.good, 2 * costs * nwrt); /* by tangents, by differences */
    rig_free(&r);
}

#define CHAIN(costs, contacts, duration)                                                                               \
    "'gravity': [0, '-g'], 'parameters': { 'g': 9.81, 'm': 2, 'rest': 0.6, 'k': 30, 'ground': -1.6, 'T': 0.9 },"       \
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] }, 'Q': { 'at': [1.5, 0.8] } },"            \
    "'bodies': { 'upper': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 1 },"                                         \
    "  'lower': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 'm' } },"                                               \
    "'joints': { 'spring': { 'type': 'spring', 'points': ['O', 'Q'], 'stiffness': 'k', 'length': 1.4 } },"             \
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['Q'], 'height': 'ground', 'restitution': 'rest' }" contacts \
    " }, 'costs': { " costs " }, 'simulation': { 'duration': " duration " }"

static const char *const of_chain[] = { "g", "m", "rest", "k", "ground", "T", "initial(Q.vx)" };

/* A bar on a bar that rebounds: averages, peaks of places and forces (within steps, and at the start), values before and
 * after rebounds and at the start, one at a time that is a parameter. */
static void averages_peaks_and_values(void **state)
{
    (void)state;
    holds(CHAIN("'mean': { 'average': 'x(Q)^2 + 0.1*ay(P)*vx(Q)' }, 'far': { 'peak': 'vx(Q) - 0.1*ax(P)' },"
                "'force': { 'peak': '-reaction(upper.tension)' },"
                "'seen': { 'value': 'x(Q)*vy(P) + 0.01*ax(Q)', 'at': [0, 0.35, 'T', 1.2] },"
                "'all': { 'average': 'vx(P)^2', 'terminal': 'x(P)', 'value': 'y(P)', 'at': 'T/2', 'peak': 'm*x(Q)' }",
                "", "1.3"),
          of_chain, 7, 5);
}

/* The end is a parameter's, and a peak is there. */
static void at_an_end_that_moves(void **state)
{
    (void)state;
    holds(CHAIN("'mean': { 'average': 'y(Q) + 1e-3*reaction(lower.tension)' }, 'last': { 'peak': 't + 0.1*x(Q)' }", "",
                "'1.2*T'"),
          of_chain, 7, 2);
}

/* An event ends the run. */
static void at_an_end_by_an_event(void **state)
{
    (void)state;
    holds(CHAIN("'mean': { 'average': 'y(Q) + 1e-3*reaction(lower.tension)' }, 'seen': { 'value': 'vx(Q)', 'at': 0.3 }",
                ", 'stop': { 'type': 'event', 'when': 'x(Q) + 0.2', 'direction': 'falling', 'stop': true }", "1.3"),
          of_chain, 7, 2);
}

/* A box that is pushed until it slides: while it sticks, its two feet share what friction takes. */
static void where_rows_share(void **state)
{
    static const char *const wrt[] = { "F", "m", "mu", "u[2]", "u[4]" };

    (void)state;
    holds("'gravity': [0, -9.81], 'parameters': { 'F': 30, 'm': 5, 'mu': 0.5, 'u': { 'knots': 6, 'to': 1.6, 'kind': "
          "'linear', 'start': [0, 10, 20, 26, 30, 28] } }, 'points': { 'A': { 'at': [0, 0] }, 'B': { 'at': [1, 0] } },"
          "'bodies': { 'table': { 'type': 'rigid', 'points': ['A', 'B'], 'length': 1, 'mass': 'm', 'centre': [0.4, "
          "0.5], 'inertia': 1, 'markers': { 'T': [0.5, 0.6] } } },"
          "'joints': { 'push': { 'type': 'force', 'point': 'T', 'fx': 'u(t) + 0.01*F', 'fy': '0' } },"
          "'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B'], 'mu_static': 'mu', 'mu_kinetic': 0.4 } },"
          "'costs': { 'path': { 'running': 'x(A)^2 + 0.1*ax(B)*vx(A) + 1e-3*reaction(floor.A.friction)' },"
          "  'mean': { 'average': 'reaction(floor.B.friction)' },"
          "  'seen': { 'value': 'reaction(floor.A.friction) + vx(A)', 'at': [0.4, 1.9] } },"
          "'simulation': { 'duration': 2 }",
          wrt, 5, 3);
}

/* A torque by a spline of more knots than one of them reaches: those far ahead have not acted. */
static void by_a_long_spline(void **state)
{
    static const char *const wrt[] = { "u[0]", "u[3]", "u[60]", "u[61]", "u[119]" };

    (void)state;
    holds("'parameters': { 'u': { 'knots': 120, 'from': 0.2, 'to': 1.8, 'kind': 'cubic', 'start': 0.5 } },"
          "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'E': { 'at': [0, -1] }, 'T': { 'at': [0.3, -2] } },"
          "'bodies': { 'upper': { 'type': 'bar', 'points': ['O', 'E'], 'mass': 1 },"
          "  'lower': { 'type': 'bar', 'points': ['E', 'T'], 'mass': 1 } },"
          "'joints': { 'elbow': { 'type': 'torque', 'body': 'lower', 'reference': 'upper', 'torque': 'u(t)' } },"
          "'costs': { 'z': { 'running': 'u(t)^2', 'terminal': 'y(T)' }, 'seen': { 'value': 'vx(T)', 'at': 1.1 } },"
          "'simulation': { 'duration': 2 }",
          wrt, 5, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averages_peaks_and_values), cmocka_unit_test(at_an_end_that_moves),
        cmocka_unit_test(at_an_end_by_an_event),     cmocka_unit_test(where_rows_share),
        cmocka_unit_test(by_a_long_spline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
