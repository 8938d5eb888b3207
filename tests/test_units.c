/* test_units.c - the same mechanism in other units is the same mechanism: what decides is measured by the mechanism's own
 * length, speed and time. Lengths are multiplied by L, gravity too, so that times stay as they are. */
#include "tests/support.h"

/* Runs with L, positions and velocities to 1e-13 of it. */
static sal_status try_with(rig *r, double L, const char *const *wrt, int nwrt)
{
    sal_run_opts      opts = with_respect_to(wrt, nwrt);
    const sal_setting unit = { "L", L };

    opts.set   = &unit;
    opts.nset  = 1;
    opts.quiet = true;
    opts.rtol  = 1e-12;
    opts.atol  = 1e-13 * L;
    return rig_try(r, &opts);
}

static void run_with(rig *r, double L, const char *const *wrt, int nwrt)
{
    if (try_with(r, L, wrt, nwrt) != SAL_OK) fail_msg("L = %g: %s", L, sal_message(r->context));
}

/* --------------------------------------------------------------------------------------- assembly */

/* From a rough start with a joint too many: near there, not in the flat configuration far away. */
static void a_rough_start(void **state)
{
    static const double unit[] = { 1.0, 1e-10, 1e-4, 1e5 };
    double              at[4];
    rig                 r = rig_load("'parameters': { 'L': 1 }, 'gravity': [0, '-9.81*L'],"
                                                     "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': ['2*L', 0], 'fixed': true },"
                                                     "  'E': { 'at': ['L', 0], 'fixed': true }, 'P': { 'at': ['0.6*L', '0.7*L'] },"
                                                     "  'Q': { 'at': ['2.6*L', '0.8*L'] } },"
                                                     "'bodies': { 'left': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 'L' },"
                                                     "  'right': { 'type': 'bar', 'points': ['B', 'Q'], 'mass': 1, 'length': 'L' },"
                                                     "  'top': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1, 'length': '2*L',"
                                                     "           'markers': { 'm': ['L', 0] } } },"
                                                     "'joints': { 'second': { 'type': 'distance', 'points': ['E', 'm'], 'length': 'L' } }");

    (void)state;
    for (int k = 0; k < SAL_COUNT(unit); k++) {
        run_with(&r, unit[k], NULL, 0);
        for (int i = 0; i < 4; i++) {
            const double q = sal_run_q(r.run)[i] / unit[k];
            if (k == 0) at[i] = q;
            assert_near(q, at[i], 1e-9);
        }
        assert_near(at[0], 0.6, 0.15);
        assert_near(at[1], 0.8, 0.15);
    }
    rig_free(&r);
}

/* An angle [rad] and a length [m] side by side: neither decides what the other may be open by. */
static void rows_of_different_units(void **state)
{
    static const double unit[] = { 1.0, 1e-8, 1e-4, 1e5 };
    rig                 r      = rig_load("'parameters': { 'L': 1 }, 'gravity': [0, '-9.81*L'],"
                                                               "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': ['1.1*L', '0.3*L'] } },"
                                                               "'bodies': { 'crank': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 'L' } },"
                                                               "'joints': { 'turned': { 'type': 'angle', 'body': 'crank', 'angle': 0.7 } }");

    (void)state;
    for (int k = 0; k < SAL_COUNT(unit); k++) {
        run_with(&r, unit[k], NULL, 0);
        assert_near(sal_run_q(r.run)[0] / unit[k], cos(0.7), 1e-14);
        assert_near(sal_run_q(r.run)[1] / unit[k], sin(0.7), 1e-14);
    }
    rig_free(&r);
}

/* A motor turns fast, and the velocity that is given is not quite its: a contradiction, however small the crank. */
static void velocities_that_contradict(void **state)
{
    static const double unit[] = { 1.0, 1e-6, 1e5 };
    rig                 r      = rig_load("'parameters': { 'L': 1, 'off': 0 },"
                                                               "'points': { 'A': { 'at': [0, 0], 'fixed': true },"
                                                               "            'P': { 'at': ['L', 0], 'dof': true, 'velocity': [0, '(1000 + off)*L'] } },"
                                                               "'bodies': { 'crank': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 'L' } },"
                                                               "'joints': { 'motor': { 'type': 'angle', 'body': 'crank', 'angle': '1000*t' } }");

    (void)state;
    for (int k = 0; k < SAL_COUNT(unit); k++) {
        const sal_setting set[] = { { "L", unit[k] }, { "off", 1e-4 } };
        sal_run_opts      opts  = sal_run_defaults();
        run_with(&r, unit[k], NULL, 0);
        opts.set  = set;
        opts.nset = 2;
        assert_int_equal(rig_try(&r, &opts), SAL_ERR_ASSEMBLY);
        assert_says(sal_message(r.context), "the velocities given contradict the constraint motor");
    }
    rig_free(&r);
}

/* What has no mass is named, whatever masses the others have. */
static void massless_points_in_any_mass(void **state)
{
    static const double mass[] = { 1e-25, 1.0, 1e25 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(mass); k++) {
        char text[800];
        snprintf(
            text, sizeof text,
            "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] }, 'Lost': { 'at': [2, 0.5] } },"
            "'bodies': { 'bar': { 'type': 'bar', 'points': ['A', 'P'], 'mass': %g } },"
            "'joints': { 'rod': { 'type': 'distance', 'points': ['P', 'Lost'], 'length': 'sqrt(1.25)' } }",
            mass[k]);
        rig r = rig_load(text);
        assert_int_equal(rig_try(&r, NULL), SAL_ERR_SINGULAR);
        assert_says(sal_message(r.context),
                    "singular at t = 0 s: nothing determines the acceleration of x(Lost), y(Lost)");
        rig_free(&r);
    }
}

/* ----------------------------------------------------------------------------------------- events */

/* A rod that an event lets hold: open by 1e-5 of its length it cannot, open by 1e-8 of it it can. */
static void what_an_event_lets_hold(void **state)
{
    static const double unit[] = { 1.0, 1e-4, 1e5 }, open[] = { 1e-5, 1e-8 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(unit) * SAL_COUNT(open); k++) {
        const bool   fits = k % 2;
        const double L    = unit[k / 2];
        char         text[1000];
        sal_status   status;
        snprintf(
            text, sizeof text,
            "'parameters': { 'L': 1 }, 'gravity': [0, 0], 'points': { 'O': { 'at': [0, 0], 'fixed': true },"
            "  'P': { 'at': ['0.5*L', 0], 'velocity': ['L', 0] } },"
            "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
            "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': '%.17g*L', 'active': false } },"
            "'contacts': { 'ev': { 'type': 'event', 'when': 'L - x(P)', 'hold': 'rod' } },"
            "'simulation': { 'duration': 0.6 }",
            1.0 + open[k % 2]);
        rig r = rig_load(text);
        run_with(&r, L, NULL, 0);
        status = rig_finish(&r);
        assert_int_equal(status, fits ? SAL_END : SAL_ERR_ASSEMBLY);
        if (fits) assert_near(rig_probe(&r, "vx(P)") / L, 0.0, 1e-6);
        rig_free(&r);
    }
}

/* An angular velocity is set [rad/s] while a velocity is kept [m/s] that contradicts it. */
static void velocities_set_in_other_units(void **state)
{
    static const double unit[] = { 1.0, 1e-10, 1e5 };
    rig                 r =
        rig_load("'parameters': { 'L': 1 }, 'gravity': [0, '-9.81*L'],"
                 "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': ['L', 0] } },"
                 "'bodies': { 'rod': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 2, 'length': 'L' } },"
                 "'contacts': { 'low': { 'type': 'event', 'when': 'y(P) + 0.5*L', 'set': { 'rate(rod)': '-rate(rod)',"
                 "  'vx(P)': 'vx(P)' } } }");

    (void)state;
    for (int k = 0; k < SAL_COUNT(unit); k++) {
        sal_status status;
        run_with(&r, unit[k], NULL, 0);
        while ((status = sal_run_step(r.run)) == SAL_OK) continue;
        assert_int_equal(status, SAL_ERR_SINGULAR);
        assert_says(sal_run_message(r.run), "contradict each other");
    }
    rig_free(&r);
}

/* A contact that touches at the start for this parameter alone, and one that touches for every one. */
static void touching_at_the_start(void **state)
{
    static const double      unit[]   = { 1.0, 1e-10, 1e-4, 1e9 };
    static const char *const height[] = { "(h/3 + 1e-7*(h - 2.1))*L", "h*L/3" };

    (void)state;
    for (int k = 0; k < SAL_COUNT(unit) * 2; k++) {
        const bool always = k % 2;
        char       text[1000];
        snprintf(text, sizeof text,
                 "'parameters': { 'L': 1, 'h': 2.1 }, 'gravity': [0, '-9.81*L'],"
                 "'points': { 'P': { 'at': [0, '%s'], 'velocity': ['L', 0] } },"
                 "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'height': '(h/3)*L' } }",
                 height[always]);
        rig r = rig_load(text);
        run_with(&r, unit[k / 2], (const char *const[]){ "h" }, 1);
        if (always) assert_string_equal(sal_run_wrt_invalid(r.run), "");
        else assert_says(sal_run_wrt_invalid(r.run), "floor touches at the start, but only for this h");
        rig_free(&r);
    }
}

/* ----------------------------------------------------------------------------------------- forces */

/* Falling against drag that grows with the square of the speed, v = u tanh(g t / u), in picometres as well. */
static void drag_at_any_speed(void **state)
{
    static const double unit[] = { 1.0, 1e-12, 1e5 };
    rig r = rig_load("'parameters': { 'L': 1 }, 'gravity': [0, '-9.81*L'], 'points': { 'P': { 'at': [0, 0] } },"
                     "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                     "'joints': { 'air': { 'type': 'drag', 'point': 'P', 'quadratic': '0.5/L' } },"
                     "'simulation': { 'duration': 2 }");
    const double u = sqrt(9.81 / 0.5);

    (void)state;
    for (int k = 0; k < SAL_COUNT(unit); k++) {
        run_with(&r, unit[k], NULL, 0);
        rig_to(&r, 1e-3);
        assert_near(rig_probe(&r, "vy(P)") / unit[k], -u * tanh(9.81 * 1e-3 / u), 1e-11);
        rig_to(&r, 1.0);
        assert_near(rig_probe(&r, "vy(P)") / unit[k], -u * tanh(9.81 / u), 1e-10);
    }
    rig_free(&r);
}

/* ---------------------------------------------------------------------------------------- studies */

#define PARALLELOGRAM(joints)                                                                                       \
    "'parameters': { 'L': 1, 'rod': 1 }, 'gravity': [0, '-9.81*L'],"                                                \
    "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': ['2*L', 0], 'fixed': true },"                   \
    "  'E': { 'at': ['L', 0], 'fixed': true }, 'P': { 'at': ['0.6*L', '-0.8*L'] },"                                 \
    "  'Q': { 'at': ['2.6*L', '-0.8*L'] } },"                                                                       \
    "'bodies': { 'left': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 'L' },"                        \
    "  'right': { 'type': 'bar', 'points': ['B', 'Q'], 'mass': 1, 'length': 'L' },"                                 \
    "  'top': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1, 'length': '2*L', 'markers': { 'm': ['L', 0] } } }," \
    "'joints': { " joints " }"

static sal_status find_equilibrium(rig *r, double L, const char *wrt, sal_equilibrium **e)
{
    sal_equilibrium_opts opts = sal_equilibrium_defaults();
    const sal_setting    unit = { "L", L };

    opts.run.set   = &unit;
    opts.run.nset  = 1;
    opts.run.quiet = true;
    opts.run.wrt   = &wrt;
    opts.run.nwrt  = 1;
    if (sal_equilibrium_create(r->model, &opts, e) != SAL_OK) fail_msg("%s", sal_message(r->context));
    return sal_equilibrium_find(*e);
}

/* Constraints that can follow a parameter, and one too many that cannot. */
static void equilibria_that_follow(void **state)
{
    static const double      unit[]   = { 1.0, 1e-8, 1e-4, 1e5 };
    static const char *const joints[] = { "'pull': { 'type': 'spring', 'points': ['E', 'P'], 'stiffness': 9,"
                                          "          'length': 'rod*L' }",
                                          "'pull': { 'type': 'spring', 'points': ['E', 'P'], 'stiffness': 9,"
                                          "          'length': 'rod*L' },"
                                          "'second': { 'type': 'distance', 'points': ['E', 'm'],"
                                          "            'length': '(1 + 1e-6*(rod - 1))*L' }" };

    (void)state;
    for (int k = 0; k < 2; k++) {
        char   text[2000];
        double at[8];
        snprintf(text, sizeof text, PARALLELOGRAM("%s"), joints[k]);
        rig r = rig_load(text);
        for (int i = 0; i < SAL_COUNT(unit); i++) {
            sal_equilibrium *e;
            if (find_equilibrium(&r, unit[i], "rod", &e) != SAL_OK) fail_msg("%g: %s", unit[i], sal_message(r.context));
            for (int c = 0; c < 4; c++) {
                const double q = sal_equilibrium_q(e)[c] / unit[i], Q = sal_equilibrium_q_gradients(e)[c] / unit[i];
                if (i == 0) at[c] = q;
                if (i == 0) at[4 + c] = Q;
                assert_near(q, at[c], 1e-9);
                if (k == 0) assert_near(Q, at[4 + c], 1e-9);
                else assert_true(isnan(Q));
            }
            sal_equilibrium_destroy(&e);
        }
        rig_free(&r);
    }
}

/* A constraint that asks for a velocity, slow as it may be, cannot be at rest. */
static void no_equilibrium_in_motion(void **state)
{
    static const double unit[] = { 1.0, 1e-14, 1e5 };
    rig                 r      = rig_load("'parameters': { 'L': 1, 'u': 1e-10 }, 'gravity': [0, '-9.81*L'],"
                                                               "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0, '-L'] } },"
                                                               "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                                               "'joints': { 's': { 'type': 'spring', 'points': ['A', 'P'], 'stiffness': 20, 'length': 'L' },"
                                                               "            'drift': { 'type': 'formula', 'rates': ['vx(P) - u*L'] } }");

    (void)state;
    for (int i = 0; i < SAL_COUNT(unit); i++) {
        sal_equilibrium *e;
        assert_int_equal(find_equilibrium(&r, unit[i], "u", &e), SAL_ERR_EQUILIBRIUM);
        assert_says(sal_message(r.context), "drift asks for a velocity");
        sal_equilibrium_destroy(&e);
    }
    rig_free(&r);
}

/* Multipliers of a cycle have no unit, nor has what counts as zero among them. */
static void multipliers_of_a_cycle(void **state)
{
    static const double unit[] = { 1.0, 1e-4, 1e5 };
    rig                 r      = rig_scene("rimless_wheel.json");
    double              mu[2][2];

    (void)state;
    for (int k = 0; k < SAL_COUNT(unit); k++) {
        const sal_setting set[] = { { "l", unit[k] }, { "g", 9.81 * unit[k] } };
        sal_cycle_opts    opts  = sal_cycle_defaults();
        sal_cycle        *c;
        opts.run.set  = set;
        opts.run.nset = 2;
        opts.run.rtol = 1e-12;
        opts.run.atol = 1e-13 * unit[k];
        assert_int_equal(sal_cycle_create(r.model, &opts, &c), SAL_OK);
        if (sal_cycle_find(c) != SAL_OK) fail_msg("%g: %s", unit[k], sal_message(r.context));
        if (k == 0) mu[0][1] = sal_cycle_get_info(c).multipliers;
        assert_int_equal(sal_cycle_get_info(c).multipliers, (int)mu[0][1]);
        assert_true(sal_cycle_multiplier(c, 0, mu[1]));
        if (k == 0) mu[0][0] = mu[1][0];
        assert_near(mu[1][0], mu[0][0], 1e-9);
        assert_near(sal_cycle_get_info(c).length / unit[k], 2.0 * sin(PI / 8), 1e-9);
        sal_cycle_destroy(&c);
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rough_start),
        cmocka_unit_test(rows_of_different_units),
        cmocka_unit_test(velocities_that_contradict),
        cmocka_unit_test(massless_points_in_any_mass),
        cmocka_unit_test(what_an_event_lets_hold),
        cmocka_unit_test(velocities_set_in_other_units),
        cmocka_unit_test(touching_at_the_start),
        cmocka_unit_test(drag_at_any_speed),
        cmocka_unit_test(equilibria_that_follow),
        cmocka_unit_test(no_equilibrium_in_motion),
        cmocka_unit_test(multipliers_of_a_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
