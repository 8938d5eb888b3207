/* test_validate.c - runs that check themselves: right ones pass, and what cannot be is told. */
#include "tests/support.h"

/* All shipped scenes with contacts, in both forms, are what they should be at every step. */
static void test_scenes_are_possible(void **state)
{
    static const char *const scenes[] = { "ball_on_incline.json",
                                          "bouncing_ball.json",
                                          "bouncing_mass.json",
                                          "clock.json",
                                          "compass_gait.json",
                                          "five_bar.json",
                                          "five_bar_friction.json",
                                          "five_bar_slide.json",
                                          "four_bar_stop.json",
                                          "hammer.json",
                                          "kneed_walker.json",
                                          "newtons_cradle.json",
                                          "ramp.json",
                                          "resting_block.json",
                                          "rimless_wheel.json",
                                          "rocking_block.json",
                                          "slider_crank_stop.json",
                                          "stick_slip_belt.json",
                                          "two_balls.json",
                                          "jansen_leg.json" };

    (void)state;
    for (int k = 0; k < 2 * SAL_COUNT(scenes); k++) {
        rig          r    = rig_scene(scenes[k / 2]);
        sal_run_opts opts = sal_run_defaults();

        opts.validate = opts.quiet = true;
        opts.form                  = k % 2 ? SAL_PENALTY : SAL_INDEX1;
        rig_run(&r, &opts);
        if (rig_finish(&r) != SAL_END) fail_msg("%s: %s", scenes[k / 2], sal_run_message(r.run));
        rig_free(&r);
    }
}

/* A ball at rest on the floor, with one thing made wrong from inside. */
static rig ball_at_rest(void)
{
    rig          r    = rig_load("'points': { 'O': { 'at': [0, 3], 'fixed': true }, 'P': { 'at': [0.1, 0] } },"
                                             "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                             "'joints': { 's': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 1, 'length': 3 } },"
                                             "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'mu_static': 0.5,"
                                             "  'mu_kinetic': 0.3 } }, 'simulation': { 'duration': 1 }");
    sal_run_opts opts = sal_run_defaults();

    opts.validate = true;
    rig_run(&r, &opts);
    assert_int_equal(sal_run_validate(r.run), SAL_OK);
    return r;
}

static void expect(rig *r, const char *message)
{
    assert_int_equal(sal_run_validate(r->run), SAL_ERR_INVARIANT);
    assert_says(sal_run_message(r->run), message);
    rig_free(r);
}

static void test_what_cannot_be(void **state)
{
    rig r = ball_at_rest();

    (void)state;
    r.run->end.lambda[0] = -1e-3;
    expect(&r, "a contact pulls: floor at t = 0 s: 0.001");
    r                    = ball_at_rest();
    r.run->end.lambda[1] = 0.51 * r.run->end.lambda[0];
    expect(&r, "friction of a contact beyond what it can be: floor");
    r                  = ball_at_rest();
    r.run->system.z[1] = 1e-5; /* above the floor that holds it */
    expect(&r, "Phi of floor.n");
    r                   = ball_at_rest();
    r.run->system.zd[0] = 1e-3;
    expect(&r, "Phidot of floor.t");
    r                          = ball_at_rest();
    r.run->system.mode.acts[1] = true;
    expect(&r, "rows that act without a coupling");
    r                          = ball_at_rest();
    r.run->system.mode.held[1] = false;
    expect(&r, "not prepared for the mode");
    r = ball_at_rest();
    sal_arena_take(&r.run->system.arena, 3);
    expect(&r, "workspace is not given back");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_are_possible),
        cmocka_unit_test(test_what_cannot_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
