/* test_contact_regressions.c - mechanisms whose contacts once went wrong: runs that ended with a message, chattered, or
 * gained energy. Each is run with validation and held against what any motion with contacts must fulfil. */
#include "tests/contact_checks.h"

static sal_run_opts validated(void)
{
    sal_run_opts opts = sal_run_defaults();

    opts.quiet      = true;
    opts.validate   = true;
    opts.max_events = 500;
    return opts;
}

/* ------------------------------------------------------------------------ nothing drives these */

/* Friction that was read from the rounding of a slip drove; Newton's restitution with friction added energy; two points
 * that began to slip did so in turns, a thousand times; impulses were not found. */
static const char *const passive[] = {
    "loop_on_a_slope.json",     "double_pendulum_strikes.json", "two_points_begin_to_slide.json",
    "quadruped_collapses.json", "quadruped_tumbles.json",       "pendulum_strikes_elastically.json",
    "redundant_linkage.json",
};

/* The energy of steps at rtol 1e-11, over it, in between by dense output. */
static const double grows = 1e-9;

static void test_energy_never_grows(void **state)
{
    sal_run_opts opts = validated();

    (void)state;
    opts.rtol = 1e-11;
    for (int i = 0; i < SAL_COUNT(passive); i++) {
        rig     r = rig_test_scene(passive[i]);
        history h;

        rig_run(&r, &opts);
        h = check_run(&r, true, grows * sal_run_energy(r.run));
        if (h.count < 2) fail_msg("%s: %d events", passive[i], h.count);
        rig_free(&r);
    }
}

/* -------------------------------------------------------------------------- what is driven as well */

/* No impact adds energy; with the law `stick` a foot stays where it is pinned while another lands. */
static void test_pins_hold(void **state)
{
    static const struct {
        const char *scene;
        double      phidot; /* a pin that would leave too slowly to matter is kept: up to `rest` */
    } cases[]               = { { "quadruped_on_pins.json", 1e-11 }, { "quadruped_trots_on_pins.json", 1e-4 },
                                { "hang_stick.json", 1e-11 },        { "hang_compass.json", 1e-11 },
                                { "hang_two_legs.json", 1e-11 },     { "hang_two_bodies.json", 1e-4 } };
    const sal_run_opts opts = validated();

    (void)state;
    for (int i = 0; i < SAL_COUNT(cases); i++) {
        rig        r = rig_test_scene(cases[i].scene);
        sal_status status;

        rig_run(&r, &opts);
        while ((status = sal_run_step(r.run)) == SAL_OK || status == SAL_EVENT) {
            const double before = sal_run_event(r.run).energy_before, after = sal_run_energy(r.run);
            if (status == SAL_EVENT && !(after <= before + 1e-12 * fabs(before)))
                fail_msg("%s: %s adds %g J", cases[i].scene, sal_run_event(r.run).name, after - before);
        }
        if (status != SAL_END) fail_msg("%s: %s", cases[i].scene, sal_run_message(r.run));
        assert_true(sal_run_get_stats(r.run).max_phidot <= cases[i].phidot);
        rig_free(&r);
    }
}

/* ----------------------------------------------------------------------------- the same, turned */

/* A linkage with constraints that depend on each other, once as it is and once turned with everything round it: the same
 * events at the same times, with the same energies. */
static void test_turned_all_is_the_same(void **state)
{
    sal_run_opts opts = validated();
    rig          r[2] = { rig_test_scene("redundant_linkage.json"), rig_test_scene("redundant_linkage_turned.json") };
    history      h[2];

    (void)state;
    opts.rtol = 1e-11;
    for (int k = 0; k < 2; k++) {
        rig_run(&r[k], &opts);
        h[k] = check_run(&r[k], true, grows * sal_run_energy(r[k].run));
    }
    assert_int_equal(h[0].count, h[1].count);
    for (int i = 0; i < h[0].count; i++) {
        assert_string_equal(h[0].name[i], h[1].name[i]);
        assert_near(h[0].time[i], h[1].time[i], 1e-7);
    }
    for (int k = 0; k < 2; k++) rig_free(&r[k]);
}

static void verify(const char *scene, double duration, const char *const *wrt, int nwrt)
{
    rig          r    = rig_test_scene(scene);
    sal_run_opts opts = validated();

    if (duration > 0.0) opts.duration = duration;
    opts.wrt  = wrt;
    opts.nwrt = nwrt;
    rig_run(&r, &opts);
    check_run(&r, false, HUGE_VAL);
    rig_verify(&r, opts, scene);
    rig_free(&r);
}

/* Heel and toe of one foot stick together; the heel lets go, then the toe slips. */
static void test_foot_rolls_over(void **state)
{
    static const char *const wrt[] = { "ca", "mu", "stiff" };

    (void)state;
    verify("foot_rolls_over.json", 0.39, wrt, 3);
    verify("foot_rolls_over.json", 0.0, wrt, 3);
}

static void test_quadruped_on_pins(void **state)
{
    static const char *const wrt[] = { "kp", "kd" };

    (void)state;
    verify("quadruped_trots_on_pins.json", 0.07, wrt, 2);
}

/* ----------------------------------------------------------------------------- what is at rest, and what is not */

/* Planks that fall on each other by 1 cm lie flat at the end, their centres at 0.05 m + 0.19 m k, whatever counts as
 * rest: contacts that close beyond their zero were kept there, and planks went through others. */
static void test_planks_lie_flat(void **state)
{
    static const double rest[] = { 1e-4, 3e-4, 1e-3, 3e-3, 1e-2 };

    (void)state;
    for (int i = 0; i < SAL_COUNT(rest); i++) {
        rig          r    = rig_test_scene("pile_of_planks.json");
        sal_run_opts opts = validated();
        opts.max_events   = 5000;
        opts.set          = &(sal_setting){ "rest", rest[i] };
        opts.nset         = 1;
        rig_run(&r, &opts);
        if (sal_simulate(r.run, NULL, 0) != SAL_END) fail_msg("rest %g: %s", rest[i], sal_run_message(r.run));
        assert_near(sal_run_energy(r.run), 10.0 * (5.0 * 0.05 + 0.19 * 10.0), 1e-6);
        rig_free(&r);
    }
}

/* A plate that a driver pushes down meets a ball on the floor: there are no impulses, in either form, and no motion. */
static void test_crushed(void **state)
{
    static const sal_form forms[] = { SAL_INDEX1, SAL_PENALTY };

    (void)state;
    for (int i = 0; i < SAL_COUNT(forms); i++) {
        rig r = rig_load("'gravity': [0, -10], 'points': { 'O': { 'at': [0, 3], 'fixed': true }, 'Q': { 'at': [0, 4], "
                         "'fixed': true }, 'P': { 'at': [0, 2], 'velocity': [0, -1] }, 'B': { 'at': [0, 0.5] } }, "
                         "'bodies': { 'plate': { 'type': 'point_mass', 'point': 'P', 'mass': 1 }, 'ball': { 'type': "
                         "'point_mass', 'point': 'B', 'mass': 2 } }, 'joints': { 'g': { 'type': 'slot', 'point': 'P', "
                         "'line': ['O', 'Q'] }, 'h': { 'type': 'slot', 'point': 'B', 'line': ['O', 'Q'] }, 'down': { "
                         "'type': 'driver', 'of': 'y(P)', 'value': '2 - t' } }, 'contacts': { 'floor': { 'type': "
                         "'ground', 'points': ['B'] }, 'push': { 'type': 'formula', 'gap': 'y(P) - y(B) - 0.7', "
                         "'guard': '1' } }, 'simulation': { 'duration': 1.6 }");
        sal_run_opts opts = sal_run_defaults();
        opts.quiet        = true;
        opts.form         = forms[i];
        rig_run(&r, &opts);
        assert_int_equal(sal_simulate(r.run, NULL, 0), SAL_ERR_EVENTS);
        assert_near(sal_run_time(r.run), 1.3, 1e-6);
        assert_says(sal_run_message(r.run), "crushes what lies between");
        rig_free(&r);
    }
}

/* How often sin(5000 t) changes its sign near and far from a line in which constraints almost depend on each other. */
static void test_no_event_is_noise(void **state)
{
    static const double from[] = { -0.004, 0.7 };

    (void)state;
    for (int i = 0; i < SAL_COUNT(from); i++) {
        rig r =
            rig_load("'gravity': [0, 0], 'parameters': { 'v': 0.05, 'a': 0 }, 'memory': { 'n': 0 }, 'points': { 'O': { "
                     "'at': [0, 0], 'fixed': true }, 'Q': { 'at': [2, 0], 'fixed': true }, 'A': { 'at': ['cos(a)', "
                     "'sin(a)'], 'velocity': ['-v*sin(a)', 'v*cos(a)'] }, 'B': { 'at': ['2 + cos(a)', 'sin(a)'], "
                     "'velocity': ['-v*sin(a)', 'v*cos(a)'] } }, 'bodies': { 'l': { 'type': 'bar', 'points': ['O', "
                     "'A'], 'mass': 1, 'length': 1 }, 'r': { 'type': 'bar', 'points': ['Q', 'B'], 'mass': 1, "
                     "'length': 1 }, 'c': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 1, 'length': 2 } }, "
                     "'contacts': { 'tick': { 'type': 'event', 'when': 'sin(5000*t)', 'direction': 'both', 'set': { "
                     "'n': 'n + 1' } } }, 'simulation': { 'duration': 0.2, 'rtol': 1e-8 }");
        sal_run_opts opts = sal_run_defaults();
        opts.quiet        = true;
        opts.set          = &(sal_setting){ "a", from[i] };
        opts.nset         = 1;
        rig_run(&r, &opts);
        assert_int_equal(sal_simulate(r.run, NULL, 0), SAL_END);
        assert_int_equal(sal_run_get_stats(r.run).events,
                         1 + (int)floor(0.2 * 5000.0 / 3.14159265358979)); /* and at 0 */
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_never_grows),
        cmocka_unit_test(test_turned_all_is_the_same),
        cmocka_unit_test(test_pins_hold),
        cmocka_unit_test(test_foot_rolls_over),
        cmocka_unit_test(test_quadruped_on_pins),
        cmocka_unit_test(test_planks_lie_flat),
        cmocka_unit_test(test_crushed),
        cmocka_unit_test(test_no_event_is_noise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
