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
static const struct {
    const char *scene;
    double      grow; /* of the energy, by the tolerance of the integration */
} passive[] = {
    { "loop_on_a_slope.json", 1e-8 },           { "double_pendulum_strikes.json", 1e-8 },
    { "two_points_begin_to_slide.json", 1e-8 }, { "pendulum_strikes_elastically.json", 1e-8 },
    { "quadruped_collapses.json", 1e-6 },       { "quadruped_tumbles.json", 1e-6 },
    { "redundant_linkage.json", 1e-8 },
};

static void test_energy_never_grows(void **state)
{
    const sal_run_opts opts = validated();

    (void)state;
    for (int i = 0; i < SAL_COUNT(passive); i++) {
        rig     r = rig_test_scene(passive[i].scene);
        history h;

        rig_run(&r, &opts);
        h = check_run(&r, true, passive[i].grow);
        if (h.count < 2) fail_msg("%s: %d events", passive[i].scene, h.count);
        rig_free(&r);
    }
}

/* ----------------------------------------------------------------------------- the same, turned */

/* A linkage with constraints that depend on each other, once as it is and once turned with everything round it: the same
 * events at the same times, with the same energies. */
static void test_turned_all_is_the_same(void **state)
{
    const sal_run_opts opts = validated();
    rig     r[2] = { rig_test_scene("redundant_linkage.json"), rig_test_scene("redundant_linkage_turned.json") };
    history h[2];

    (void)state;
    for (int k = 0; k < 2; k++) {
        rig_run(&r[k], &opts);
        h[k] = check_run(&r[k], true, 1e-8);
    }
    assert_int_equal(h[0].count, h[1].count);
    for (int i = 0; i < h[0].count; i++) {
        assert_string_equal(h[0].name[i], h[1].name[i]);
        assert_near(h[0].time[i], h[1].time[i], 1e-7);
    }
    for (int k = 0; k < 2; k++) rig_free(&r[k]);
}

/* ------------------------------------------------------------------------------------ derivatives */

static void show_bad(void *user, const sal_verify_item *item)
{
    (void)user;
    if (!item->good) print_error("%s / %s: %g, %g\n", item->what, item->wrt, item->exact, item->numeric);
}

static void verify(const char *scene, double duration, const char *const *wrt, int nwrt)
{
    rig          r    = rig_test_scene(scene);
    sal_run_opts opts = validated();
    int          bad;

    if (duration > 0.0) opts.duration = duration;
    opts.wrt  = wrt;
    opts.nwrt = nwrt;
    rig_run(&r, &opts);
    check_run(&r, false, HUGE_VAL);
    if (sal_verify(r.model, &opts, 1e-6, show_bad, NULL, &bad) != SAL_OK) fail_msg("%s", sal_message(r.context));
    assert_int_equal(bad, 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_never_grows),
        cmocka_unit_test(test_turned_all_is_the_same),
        cmocka_unit_test(test_foot_rolls_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
