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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_never_grows), cmocka_unit_test(test_turned_all_is_the_same),
        cmocka_unit_test(test_pins_hold),          cmocka_unit_test(test_foot_rolls_over),
        cmocka_unit_test(test_quadruped_on_pins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
