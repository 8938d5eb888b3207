/* test_derivative_cases.c - small scenes for what once made derivatives of random mechanisms wrong (tests/property):
 * closed forms where there are some, and all derivatives against differences (sal_verify). */
#include "tests/support.h"

typedef struct verdicts {
    int count, bad;
} verdicts;

static void on_item(void *user, const sal_verify_item *item)
{
    verdicts *v = user;

    v->count++;
    if (item->good) return;
    v->bad++;
    print_error("%s / %s: %.12g, by differences %.12g\n", item->what, item->wrt, item->exact, item->numeric);
}

/* All derivatives of the scene with respect to what is named, up to NULL. */
static void verify_all(rig *r, const char *const *wrt, double tolerance)
{
    sal_run_opts opts = sal_run_defaults();
    verdicts     v    = { 0 };
    int          bad;

    opts.quiet = true;
    opts.wrt   = wrt;
    while (wrt[opts.nwrt]) opts.nwrt++;
    if (sal_verify(r->model, &opts, tolerance, on_item, &v, &bad) != SAL_OK) fail_msg("%s", sal_message(r->context));
    assert_true(v.count > 0);
    assert_int_equal(v.bad, 0);
}

/* With derivatives, up to event `count`. */
static void run_to_event(rig *r, const char *const *wrt, int count)
{
    sal_run_opts opts   = sal_run_defaults();
    sal_status   status = SAL_OK;

    opts.quiet = true;
    opts.rtol  = 1e-12;
    opts.wrt   = wrt;
    while (wrt[opts.nwrt]) opts.nwrt++;
    rig_run(r, &opts);
    while (count > 0 && (status == SAL_OK || status == SAL_EVENT)) {
        status = sal_run_step(r->run);
        count -= status == SAL_EVENT;
    }
    if (status != SAL_EVENT) fail_msg("%s: %s", sal_status_name(status), sal_run_message(r->run));
}

/* ------------------------------------------------------------------- impulses that are not determined */

/* A bar comes down on the floor close to below its pivot, where friction holds whatever normal impulse there is: it
 * does not rebound, for any restitution. Of the impulses possible those without friction are taken,
 *
 *     N = J omega / (L sin phi),   J = m L^2/3,   omega^2 = 3 g/L (cos phi - cos phi0)
 *
 * and nothing in expansion. They were what compression asks for or nothing, by chance. */
static void test_locked_bar(void **state)
{
    static const char *const wrt[] = { "g", "m", "back", NULL };
    const double             m = 0.7, L = 1.3, phi = 0.2, g = 9.81;

    (void)state;
    for (int k = 0; k < 20; k++) { /* with other roundings */
        const double phi0 = 0.5 + 0.01 * k, N = m * sqrt(3.0 * g * L * (cos(phi) - cos(phi0))) / (3.0 * sin(phi));
        char         text[1000];
        snprintf(text, sizeof text,
                 "'parameters': { 'g': 9.81, 'm': 0.7, 'back': 0.6 }, 'gravity': [0, '-g'], 'points': { 'O': { 'at': "
                 "[0, 0], 'fixed': true }, 'P': { 'at': ['1.3*sin(%g)', '-1.3*cos(%g)'] } }, 'bodies': { 'bar': { "
                 "'type': 'bar', 'points': ['O', 'P'], 'mass': 'm' } }, 'contacts': { 'floor': { 'type': 'ground', "
                 "'points': ['P'], 'height': '-1.3*cos(0.2)', 'restitution': 'back', 'mu_static': 0.9, 'mu_kinetic': "
                 "0.7 } }, 'simulation': { 'duration': 0.6 }",
                 phi0, phi0);
        rig r = rig_load(text);
        run_to_event(&r, wrt, 1);
        const int     n = rig_row(&r, "floor.n");
        const double *d = sal_run_impulse_gradient(r.run) + 3 * n;
        assert_near(sal_run_event(r.run).impulse[n], N, 1e-10);
        assert_near(sal_run_event(r.run).impulse[rig_row(&r, "floor.t")], 0.0, 1e-10);
        assert_near(d[0], N / (2.0 * g), 1e-10);
        assert_near(d[1], N / m, 1e-10);
        assert_near(d[2], 0.0, 1e-10);
        if (k < 3) verify_all(&r, wrt, 1e-7);
        rig_free(&r);
    }
}

/* A bar slides down a wall and strikes the floor: both ends stick in compression, and of impulses that are not determined
 * some are chosen. The wall gives back a part of its own, so that the motion after it depends on that choice, which
 * changes with parameters: with the directions of the rows, with masses, and with the normal impulses that friction is
 * shared by. */
static void test_bar_between_wall_and_floor(void **state)
{
    static const char *const wrt[] = { "g", "m", "back", "mu", "h", NULL };
    rig                      r     = rig_load(
                                 "'parameters': { 'g': 9.81, 'm': 0.7, 'back': 0.35, 'mu': 0.8, 'h': 0.02 }, 'gravity': [0, '-g'], 'points': { "
                                                          "'A': { 'at': [0.24, 0.1], 'velocity': [1.2, -5] }, 'B': { 'at': [-0.285, 0.95], 'velocity': [1.46, -4.84] }, "
                                                          "'V': { 'at': [-0.6, 2], 'fixed': true }, 'W': { 'at': [0, 0], 'fixed': true } }, 'bodies': { 'bar': { 'type': "
                                                          "'bar', 'points': ['A', 'B'], 'mass': 'm' } }, 'contacts': { 'floor': { 'type': 'ground', 'points': ['A'], "
                                                          "'height': 'h', 'restitution': 0, 'mu_static': 0.6, 'mu_kinetic': 0.5 }, 'wall': { 'type': 'edge', 'points': "
                                                          "['B'], 'closed': ['B'], 'line': ['V', 'W'], 'ends': false, 'restitution': 'back', 'mu_static': 1.05, "
                                                          "'mu_kinetic': 'mu' } }, 'simulation': { 'duration': 0.15 }");

    (void)state;
    run_to_event(&r, wrt, 1);
    assert_string_equal(sal_run_event(r.run).name, "floor");
    assert_true(sal_run_impulse_chosen(r.run, rig_row(&r, "floor.t")));
    assert_false(sal_contact_holds(&r.run->system, 1)); /* the wall */
    verify_all(&r, wrt, 1e-6);
    rig_free(&r);
}

/* The same bar stands in the corner and sticks at both ends, where forces are not determined, until a force that grows
 * makes one of them slip: when that is depends on the choice. */
static void test_slips_out_of_a_corner(void **state)
{
    static const char *const wrt[] = { "m", "rate", "mu", "slope", "L", NULL };
    rig                      r     = rig_load(
                                 "'parameters': { 'm': 0.7, 'rate': 5, 'mu': 0.7, 'slope': 0.3, 'L': 1 }, 'points': { 'A': { 'at': [0, 0] }, "
                                                          "'B': "
                                                          "{ 'at': ['0.6*L', '0.8*L'] }, 'W': { 'at': ['0.6*L + slope', '0.8*L - 1'], 'fixed': true }, 'V': { 'at': "
                                                          "['0.6*L - slope', '0.8*L + 1'], 'fixed': true } }, 'bodies': { 'bar': { 'type': 'bar', 'points': ['A', 'B'], "
                                                          "'mass': 'm' } }, 'joints': { 'pull': { 'type': 'force', 'point': 'A', 'fx': '-rate*t', 'fy': 0 } }, "
                                                          "'contacts': "
                                                          "{ 'floor': { 'type': 'ground', 'points': ['A'], 'closed': ['A'], 'restitution': 0, 'mu_static': 'mu', "
                                                          "'mu_kinetic': 0.4 }, 'wall': { 'type': 'edge', 'points': ['B'], 'closed': ['B'], 'line': ['W', 'V'], 'ends': "
                                                          "false, 'restitution': 0, 'mu_static': 0.8, 'mu_kinetic': 0.6 } }, 'simulation': { 'duration': 1.2 }");

    (void)state;
    run_to_event(&r, wrt, 1);
    verify_all(&r, wrt, 1e-6);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------------- the bound */

/* Whether an impact has given back less than Poisson's law says: of a contact that is compressed by C, less than e C. */
static bool is_bounded(const rig *r)
{
    const sal_contacts *c   = &r->run->contacts;
    bool                any = false;

    for (int k = 0; k < r->model->tables->touches.n; k++) {
        const sal_touch *t = &r->model->tables->touches.at[k];
        const double     C = c->compression.impulse[t->normal], e = r->run->system.z[t->restitution];
        any = any || (C > 0.0 && c->impulse[t->normal] < (1.0 + e) * C * (1.0 - 1e-9));
    }
    return any;
}

/* A bar slides along the floor with one end and strikes a wall with the other: friction and restitutions that differ let
 * Poisson's law give back more than was taken, and the bound takes a part of it. */
static void test_bounded_restitution(void **state)
{
    enum { IMPACTS = 200 };
    static const char *const wrt[]   = { "m", "e1", "e2", "mu", "L", NULL };
    uint64_t                 seed    = 17;
    int                      bounded = 0;

    (void)state;
    for (int k = 0; k < IMPACTS; k++) {
        char         text[1500];
        const double angle = 0.75 + 0.6 * random_number(&seed), slope = 1.5 * random_number(&seed),
                     e1 = 0.5 + 0.45 * random_number(&seed), e2 = 0.5 + 0.45 * random_number(&seed),
                     mu = 0.8 + 0.7 * random_number(&seed), fast = 3.0 + 2.0 * random_number(&seed),
                     foot = cos(angle) + 0.05 - slope * sin(angle);
        snprintf(
            text, sizeof text,
            "'parameters': { 'm': 1, 'e1': %.9g, 'e2': %.9g, 'mu': %.9g, 'L': 1 }, 'gravity': [0, -9.81], 'points': "
            "{ 'A': { 'at': [0, 0], 'velocity': [%.9g, 0] }, 'B': { 'at': ['L*cos(%.9g)', 'L*sin(%.9g)'], "
            "'velocity': [%.9g, 0] }, 'W': { 'at': [%.9g, 0], 'fixed': true }, 'V': { 'at': [%.9g, 1], 'fixed': true "
            "} }, 'bodies': { 'bar': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 'm' } }, 'contacts': { 'floor': "
            "{ 'type': 'ground', 'points': ['A'], 'closed': ['A'], 'restitution': 'e1', 'mu_static': '1.3*mu', "
            "'mu_kinetic': 'mu' }, 'wall': { 'type': 'edge', 'points': ['B'], 'line': ['W', 'V'], 'ends': false, "
            "'restitution': 'e2', 'mu_static': 0.5, 'mu_kinetic': 0.4 } }, 'simulation': { 'duration': 0.3 }",
            e1, e2, mu, fast, angle, angle, fast, foot, foot + slope);
        rig r = rig_load(text);
        run_to_event(&r, wrt, 1);
        if (is_bounded(&r)) {
            verify_all(&r, wrt, 1e-6);
            bounded++;
        }
        rig_free(&r);
    }
    print_message("%d of %d impacts are bounded\n", bounded, IMPACTS);
    assert_true(bounded >= 15);
}

/* ------------------------------------------------------------------------------------- initial values */

/* With respect to a velocity that the scene does not give: what giving it does. Along a crank at (0.6, 0.8) vy = u makes
 * vx = -4/3 u, and vx = u makes vy = -3/4 u; where it is given together with another that determines it, half of it. */
static void test_initial_velocities(void **state)
{
    static const char *const wrt[] = { "initial(P.vx)", "initial(P.vy)", "initial(P.x)", "initial(P.y)", NULL };
    static const struct {
        const char *velocity;
        double      vx[2], vy[2]; /* with respect to vx, vy */
    } cases[] = { { "", { 1.0, -4.0 / 3.0 }, { -0.75, 1.0 } },
                  { ", 'velocity': [-0.8, 0.6]", { 0.64, -0.48 }, { -0.48, 0.36 } } };

    (void)state;
    for (int i = 0; i < SAL_COUNT(cases); i++) {
        char         text[500];
        sal_run_opts opts = sal_run_defaults();
        snprintf(
            text, sizeof text,
            "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0.6, 0.8]%s } }, 'bodies': { 'bar': { "
            "'type': 'bar', 'points': ['O', 'P'], 'mass': 2 } }, 'simulation': { 'duration': 0.3 }",
            cases[i].velocity);
        rig r      = rig_load(text);
        opts.quiet = true;
        opts.wrt   = wrt;
        opts.nwrt  = 4;
        rig_run(&r, &opts);
        for (int c = 0; c < 2; c++) {
            assert_near(sal_run_V(r.run)[c], cases[i].vx[c], 1e-12);
            assert_near(sal_run_V(r.run)[4 + c], cases[i].vy[c], 1e-12);
        }
        verify_all(&r, wrt, 1e-7);
        rig_free(&r);
    }
}

/* In closed loops, with some velocities given and some not; through impacts. */
static void test_initial_values_of_loops(void **state)
{
    static const char *const pendulum[] = { "initial(P2.x)", "initial(P2.vx)", "initial(P2.vy)", NULL };
    static const char *const five_bar[] = { "initial(P2.vx)", "initial(P2.vy)", "initial(P2.x)", "initial(P1.y)",
                                            NULL };
    rig                      r          = rig_test_scene("double_pendulum_strikes.json");

    (void)state;
    verify_all(&r, pendulum, 1e-6);
    rig_free(&r);
    r = rig_scene("five_bar.json");
    verify_all(&r, five_bar, 1e-6);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------- not to be differentiated */

/* A mass on a rail goes through the anchor of its spring: the force, k (l - l0) away from it, changes its direction at
 * once, and sensitivities that know nothing of it say so. One that passes beside it is smooth, as is one with l0 = 0. */
static void test_spring_through_its_anchor(void **state)
{
    static const char *const wrt[] = { "k", NULL };
    static const struct {
        double height, length;
        bool   valid;
    } cases[] = { { 0.0, 0.4, false }, { 0.05, 0.4, true }, { 0.0, 0.0, true } };

    (void)state;
    for (int i = 0; i < SAL_COUNT(cases); i++) {
        char         text[700];
        sal_run_opts opts = sal_run_defaults();
        sal_status   status;
        snprintf(
            text, sizeof text,
            "'parameters': { 'k': 3 }, 'points': { 'O': { 'at': [0, %g], 'fixed': true }, 'W': { 'at': [-1, 0], "
            "'fixed': true }, 'V': { 'at': [1, 0], 'fixed': true }, 'P': { 'at': [-0.6, 0], 'velocity': [2, 0] } }, "
            "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }, 'joints': { 'rail': { 'type': "
            "'slot', 'point': 'P', 'line': ['W', 'V'] }, 's': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': "
            "'k', 'length': %g } }, 'simulation': { 'duration': 0.6 }",
            cases[i].height, cases[i].length);
        rig r      = rig_load(text);
        opts.quiet = true;
        opts.wrt   = wrt;
        opts.nwrt  = 1;
        rig_run(&r, &opts);
        while ((status = sal_run_step(r.run)) == SAL_OK) continue;
        assert_int_equal(status, SAL_END);
        assert_int_equal(!sal_run_wrt_invalid(r.run)[0], cases[i].valid);
        if (cases[i].valid) verify_all(&r, wrt, 1e-6);
        else assert_says(sal_run_wrt_invalid(r.run), "s comes to length 0 at t = ");
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_through_its_anchor),
        cmocka_unit_test(test_bounded_restitution),
        cmocka_unit_test(test_initial_velocities),
        cmocka_unit_test(test_initial_values_of_loops),
        cmocka_unit_test(test_locked_bar),
        cmocka_unit_test(test_bar_between_wall_and_floor),
        cmocka_unit_test(test_slips_out_of_a_corner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
