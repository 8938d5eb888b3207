/* test_scenes.c - every scene shipped against its reference value; scenes/README.md names the sources. The five-bar
 * has a file of its own, and so have the bouncing ball (test_events.c), contacts (test_contact_scenes.c), walkers
 * (test_walkers.c), a driven machine (test_cycle_state.c) and mechanisms (test_mechanisms.c). */
#include "tests/shipped.h"

static const char *const covered[] = {
    "acrobot.json",
    "andrews.json",
    "ball_on_incline.json",
    "bouncing_ball.json",
    "bouncing_mass.json",
    "cam_follower.json",
    "cart_pole.json",
    "car_axis.json",
    "clock.json",
    "compass_gait.json",
    "double_pendulum.json",
    "driven_slider_crank.json",
    "five_bar.json",
    "five_bar_friction.json",
    "five_bar_impact.json",
    "five_bar_slide.json",
    "four_bar.json",
    "four_bar_stop.json",
    "gear_train.json",
    "hammer.json",
    "jansen_leg.json",
    "kicked_pendulum.json",
    "kneed_walker.json",
    "newtons_cradle.json",
    "pantograph.json",
    "peaucellier.json",
    "pendulum.json",
    "quick_return.json",
    "ramp.json",
    "trapdoor.json",
    "trebuchet.json",
    "stairs.json",
    "resting_block.json",
    "rimless_wheel.json",
    "rocking_block.json",
    "scissor_lift.json",
    "simplest_walker.json",
    "slider_crank.json",
    "slider_crank_stop.json",
    "stick_slip_belt.json",
    "two_balls.json",
};

/* A scene without a test would be lost silently. */
static void test_all_scenes_are_covered(void **state)
{
    const shipped scenes = shipped_scenes();

    (void)state;
    for (int i = 0; i < scenes.n; i++) {
        bool found = false;
        for (int k = 0; k < SAL_COUNT(covered); k++) found = found || !strcmp(covered[k], scenes.name[i]);
        if (!found) fail_msg("scenes/%s has no test", scenes.name[i]);
    }
    assert_int_equal(scenes.n, SAL_COUNT(covered));
}

/* Every scene can be drawn at its start and later: all places, sizes and curves are numbers. */
static void test_drawings(void **state)
{
    (void)state;
    for (int k = 0; k < SAL_COUNT(covered); k++) {
        rig         r = rig_scene(covered[k]);
        sal_drawing d;
        rig_run(&r, NULL);
        for (int pass = 0; pass < 2; pass++) {
            assert_true(sal_model_drawing_count(r.model) > 0);
            for (int i = 0; sal_model_drawing(r.model, i, &d); i++) {
                double            at[32][2], y;
                sal_drawing_state s;
                assert_true(d.npoints <= SAL_COUNT(at) && sal_run_drawing(r.run, i, at[0], &s));
                for (int j = 0; j < d.npoints; j++) assert_true(isfinite(at[j][0]) && isfinite(at[j][1]));
                if (d.kind == SAL_DRAW_DISC || d.kind == SAL_DRAW_GEAR) assert_true(s.radius >= 0.0);
                if (d.kind == SAL_DRAW_FORCE || d.kind == SAL_DRAW_CONTACT) assert_true(isfinite(s.force[1]));
                if (d.kind == SAL_DRAW_CONTACT) assert_near(hypot(s.direction[0], s.direction[1]), 1.0, 1e-12);
                assert_int_equal(d.curve, sal_run_drawing_curve(r.run, i, 0.3, &y));
                assert_true(!d.curve || isfinite(y));
            }
            sal_run_to(r.run, 0.1); /* or up to an event */
        }
        rig_free(&r);
    }
}

/* Swung up from rest by the knots that were found: upright and at rest in the end, at the place where it began. */
static void test_cart_pole(void **state)
{
    rig    r = rig_scene("cart_pole.json");
    double C[2], P[2], v[2], w[2];

    (void)state;
    rig_run(&r, NULL);
    rig_quiet_end(&r);
    assert_int_equal(sal_run_point(r.run, "C", C, v), SAL_OK);
    assert_int_equal(sal_run_point(r.run, "P", P, w), SAL_OK);
    assert_near(C[0], 0.0, 1e-6);
    assert_near(P[0], 0.0, 1e-6);
    assert_near(P[1], 0.5, 1e-9);
    assert_near(v[0], 0.0, 1e-6);
    assert_near(w[0], 0.0, 1e-6);
    assert_near(sal_run_costs(r.run)[0], 36.145673, 1e-5);
    rig_free(&r);
}

/* The same of the acrobot. */
static void test_acrobot(void **state)
{
    rig    r = rig_scene("acrobot.json");
    double T[2], v[2];

    (void)state;
    rig_run(&r, NULL);
    rig_quiet_end(&r);
    assert_int_equal(sal_run_point(r.run, "T", T, v), SAL_OK);
    assert_near(T[0], 0.0, 1e-4);
    assert_near(T[1], 2.0, 1e-6);
    assert_near(v[0], 0.0, 1e-4);
    rig_free(&r);
}

static void test_pendulum(void **state)
{
    rig r = rig_scene("pendulum.json");

    (void)state;
    rig_run(&r, NULL);
    assert_near(sal_run_output(r.run, 0), 0.0, 1e-15); /* no tension at rest on the horizontal */
    rig_to(&r, 10.0);
    assert_near(sal_run_q(r.run)[0], -0.275087462577, 1e-9);
    assert_near(sal_run_q(r.run)[1], -0.961419205099, 1e-9);
    assert_near(sal_run_output(r.run, 1), -0.961419205099, 1e-9);
    assert_near(sal_run_output(r.run, 0), 3.0 * 9.81 * 0.961419205099,
                1e-8); /* tension 3 m g cos(angle) after such a fall */
    rig_free(&r);
}

/* Lagrange's equations in three angles, integrated by another method to 1e-13, the flight by its closed form; of the
 * derivatives central differences with steps of 1e-4 and 1e-2 degrees, good to their squares. */
static void test_trebuchet(void **state)
{
    static const double      times[] = { 0.2220845258658719, 0.6065161687407664, 5.592484507734524 };
    static const double      slope[] = { 65.75993824185389, 3.7804412255582065, 0.5423601800927713 };
    static const char *const names[] = { "hanger", "sling", "release" };
    rig                      r       = rig_scene("trebuchet.json");
    sal_run_opts             opts    = sal_run_defaults();
    double                   q[8][3];

    (void)state;
    opts.rtol = 1e-12;
    opts.wrt  = names;
    opts.nwrt = 3;
    rig_run(&r, &opts);
    for (int k = 0; k < SAL_COUNT(times); k++) {
        rig_event(&r, NULL);
        assert_near(sal_run_time(r.run), times[k], 1e-10);
    }
    assert_near(rig_probe(&r, "x(P)"), 137.93811303341283, 1e-8);
    assert_int_equal(sal_run_final_gradients(r.run, q[0], NULL, NULL), SAL_OK);
    for (int k = 0; k < SAL_COUNT(slope); k++) assert_near(q[6][k], slope[k], 1e-6 * slope[k]);
    rig_free(&r);
}

/* ----------------------------------------------------------------------------------- kicked pendulum */

/* The plate as a compound pendulum: one angle, by hand. Everything is measured from the eye, which is on the moving
 * hook; in its frame the hook's acceleration is a uniform force field. */
static const double mass = 2.0, inertia = 0.05, stiffness = 2.0, rest = 0.5, damping = 0.1, shake = 0.05, w = 2.0 * PI;
static const double centre[2] = { 0.25, -0.15 }, corner[2] = { 0.5, 0.0 }; /* from the eye, in the body frame */
static const double wall[2] = { 0.6, -0.3 };

static void plate(const void *self, double t, const double *y, double *dy)
{
    const double c = cos(y[0]), s = sin(y[0]);
    const double rx = c * centre[0] - s * centre[1], ry = s * centre[0] + c * centre[1];
    const double kx = c * corner[0] - s * corner[1], ky = s * corner[0] + c * corner[1];
    const double hook = shake * sin(w * t), speed = shake * w * cos(w * t), ax = -shake * w * w * sin(w * t);
    const double dx = wall[0] - hook - kx, dy_ = wall[1] - ky, l = hypot(dx, dy_); /* from the corner to the wall */
    const double rate = (dx * (-speed + y[1] * ky) + dy_ * (-y[1] * kx)) / l;
    const double f    = stiffness * (l - rest) + damping * rate; /* pulls the corner to the wall */

    (void)self;
    dy[0] = y[1];
    dy[1] = (rx * -mass * 9.81 - ry * -mass * ax + (kx * f * dy_ - ky * f * dx) / l) /
            (inertia + mass * (centre[0] * centre[0] + centre[1] * centre[1]));
}

static double over_the_line(double angle)
{
    return 0.5 * cos(angle) - 0.3; /* x(corner) - x(eye) - 0.3 */
}

static void test_kicked_pendulum(void **state)
{
    rig          r    = rig_scene("kicked_pendulum.json");
    sal_run_opts opts = sal_run_defaults();
    const double h    = 1e-4;
    double       y[2], t = 0.0;
    int          step = 0;

    (void)state;
    opts.rtol = 1e-12;
    rig_run(&r, &opts);
    assert_near(sal_run_output(r.run, 0),
                atan2(sal_run_q(r.run)[3] - sal_run_q(r.run)[1], sal_run_q(r.run)[2] - sal_run_q(r.run)[0]), 1e-15);
    y[0] = sal_run_output(r.run, 0);
    y[1] = (sal_run_v(r.run)[3] - sal_run_v(r.run)[1]) / (sal_run_q(r.run)[2] - sal_run_q(r.run)[0]);
    while (t < 4.0 - 0.5 * h) {
        double next[2] = { y[0], y[1] };
        rk4(plate, NULL, t, t + h, 1, 2, next);
        if (over_the_line(y[0]) < 0.0 && over_the_line(next[0]) >= 0.0 && next[1] > 0.0) { /* rising: kick */
            double lo = 0.0, hi = h;
            for (int k = 0; k < 60; k++) {
                double try[2] = { y[0], y[1] };
                rk4(plate, NULL, t, t + 0.5 * (lo + hi), 1, 2, try);
                if (over_the_line(try[0]) < 0.0) lo = 0.5 * (lo + hi);
                else hi = 0.5 * (lo + hi);
            }
            rk4(plate, NULL, t, t + lo, 1, 2, y);
            assert_int_equal(sal_run_to(r.run, t + h), SAL_EVENT);
            assert_near(sal_run_time(r.run), t + lo, 1e-9);
            y[1] *= 1.25;
            rk4(plate, NULL, t + lo, t + h, 1, 2, y);
        } else {
            y[0] = next[0];
            y[1] = next[1];
        }
        t = ++step * h;
        if (step % 1000) continue;
        rig_to(&r, t);
        assert_near(sal_run_output(r.run, 0), y[0], 1e-9);
    }
    assert_int_equal(sal_run_get_stats(r.run).events, 3);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------------- hammer */

/* Two integrators and the penalty form go through the same strikes; at each the face's speed turns round with 0.6. */
static void test_hammer(void **state)
{
    rig          one = rig_scene("hammer.json"), two = rig_scene("hammer.json"), three = rig_scene("hammer.json");
    sal_run_opts opts = sal_run_defaults();
    sal_probe   *speed;
    int          strikes = 0;

    (void)state;
    opts.rtol  = 1e-12;
    opts.quiet = true;
    rig_run(&one, &opts);
    opts.integrator = SAL_RK5;
    rig_run(&two, &opts);
    opts.form = SAL_PENALTY;
    rig_run(&three, &opts);
    assert_int_equal(sal_probe_create(one.model, "vx(face)", &speed), SAL_OK);
    for (;;) {
        double     before = 0.0;
        sal_status status;
        while ((status = sal_run_step(one.run)) == SAL_OK) before = sal_probe_value(speed, one.run);
        while (sal_run_step(two.run) == SAL_OK) continue;
        while (sal_run_step(three.run) == SAL_OK) continue;
        assert_near(sal_run_time(two.run), sal_run_time(one.run), 1e-9);
        assert_near(sal_run_time(three.run), sal_run_time(one.run), 1e-6); /* alpha is 1e7 */
        for (int k = 0; k < 6; k++) assert_near(sal_run_q(two.run)[k], sal_run_q(one.run)[k], 1e-9);
        for (int k = 0; k < 6; k++) assert_near(sal_run_q(three.run)[k], sal_run_q(one.run)[k], 1e-6);
        if (status == SAL_END) break;
        assert_near(sal_probe_value(speed, one.run), -0.6 * before, 1e-12);
        strikes++;
    }
    assert_int_equal(strikes, 3);
    sal_probe_destroy(&speed);
    rig_free(&one);
    rig_free(&two);
    rig_free(&three);
}

/* -------------------------------------------------------------------------------------------- clock */

/* The clock's pendulum by its angle from straight down. */
static void swing(const void *self, double t, const double *y, double *dy)
{
    const double L = 0.9, m = 1.2, c = 0.4, k = 0.5, length = 1.5;
    const double ex = cos(y[0]), ey = sin(y[0]);                                          /* along the way of the bob */
    const double dx = L * sin(y[0]) + 1.5, dy_ = 0.9 - L * cos(y[0]), l = hypot(dx, dy_); /* from the wall */
    const double along = (dx * ex + dy_ * ey) / l;

    (void)self;
    (void)t;
    dy[0] = y[1];
    dy[1] = (-9.81 * sin(y[0]) - (k * (l - length) + c * along * L * y[1]) * along / m) / L;
}

/* The rate just after the next tick, for a rate just after this one; *time how long it takes. */
static double tick(double rate, double *time)
{
    double y[2] = { 0.0, rate };

    rk4(swing, NULL, 0.0, 1.8, 20000, 2, y);
    *time = 1.8;
    for (int i = 0; i < 6; i++) { /* upwards through the middle soon after */
        const double h = -y[0] / y[1];
        rk4(swing, NULL, 0.0, h, 500, 2, y);
        *time += h;
    }
    return y[1] + 0.2 / 0.9;
}

static void test_clock(void **state)
{
    rig        r = rig_scene("clock.json");
    sal_cycle *c;
    double     rate, next, time, mu[2];

    (void)state;
    assert_int_equal(sal_cycle_create(r.model, NULL, &c), SAL_OK);
    assert_int_equal(sal_cycle_find(c), SAL_OK);
    rate = sal_cycle_start(c)[2] / 0.9;
    next = tick(rate, &time);
    assert_near(next, rate, 1e-10);
    assert_near(sal_cycle_get_info(c).period, time, 1e-10);
    assert_near(time, 1.87601488696, 1e-10);
    assert_int_equal(sal_cycle_get_info(c).multipliers, 1);
    assert_true(sal_cycle_multiplier(c, 0, mu));
    assert_near(mu[0], (tick(rate + 1e-4, &time) - tick(rate - 1e-4, &time)) / 2e-4, 1e-7);
    sal_cycle_destroy(&c);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_scenes_are_covered),
        cmocka_unit_test(test_drawings),
        cmocka_unit_test(test_cart_pole),
        cmocka_unit_test(test_acrobot),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_trebuchet),
        cmocka_unit_test(test_kicked_pendulum),
        cmocka_unit_test(test_hammer),
        cmocka_unit_test(test_clock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
