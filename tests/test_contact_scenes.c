/* test_contact_scenes.c - the scenes with contacts against their reference values. The tables of numbers were computed
 * from closed forms with 63 digits. */
#include "tests/contact_checks.h"

/* The event expected next. */
static void next_event(rig *r, const char *name, double time, double tolerance)
{
    rig_event(r, name);
    assert_near(sal_run_time(r->run), time, tolerance);
}

static void compare_row(const char *what, const double *found, const double *expected, int n, double tolerance)
{
    for (int k = 0; k < n; k++) {
        if (!(fabs(found[k] - expected[k]) <= tolerance * fmax(1.0, fabs(expected[k]))))
            fail_msg("%s, column %d: %.17g, expected %.17g", what, k, found[k], expected[k]);
    }
}

static sal_run_opts exactly(const char *const *wrt, int nwrt)
{
    sal_run_opts opts = with_respect_to(wrt, nwrt);

    opts.rtol  = 1e-12;
    opts.atol  = 1e-12;
    opts.quiet = true;
    return opts;
}

/* ---------------------------------------------------------------------------------- bouncing mass */

static const char *const bounce_wrt[]           = { "h0", "v0", "ground", "restitution", "g", "x0", "vx0" };
static const double      bounce_time[6]         = { 0.4515236409857309, 1.1739614665629003, 1.7519117270246358,
                                                    2.2142719353940246, 2.5841601020895353, 2.8800706354459438 };
static const double      bounce_rebound[6]      = { 3.543557534456016,  2.834846027564813,  2.2678768220518504,
                                                    1.8143014576414802, 1.4514411661131843, 1.1611529328905474 };
static const double      bounce_end[5]          = { 1.5, 0.06870746096576572, 0.5, -0.01535413338474476,
                                                    0.9159617138206598 }; /* x y vx vy area */
static const double      bounce_jacobian[11][7] = {
         { 0.22576182049286544, 0.1019367991845056, -0.22576182049286544, 0.0, -0.02301343735910963, 0.0, 0.0 },
         { 0.5869807332814502, 0.1019367991845056, -0.5869807332814502, 0.9030472819714618, -0.05983493713368503, 0.0, 0.0 },
         { 0.8759558635123179, 0.1019367991845056, -0.8759558635123179, 2.3479229331258007, -0.08929213695334536, 0.0, 0.0 },
         { 1.1071359676970123, 0.1019367991845056, -1.1071359676970123, 4.081773714511008, -0.11285789680907361, 0.0, 0.0 },
         { 1.2920800510447676, 0.1019367991845056, -1.2920800510447676, 5.931214547988561, -0.13171050469365622, 0.0, 0.0 },
         { 1.4400353177229719, 0.1019367991845056, -1.4400353177229719, 7.780655381466115, -0.1467925910013223, 0.0, 0.0 },
         { 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 3.0 },
         { 0.09173866104288286, 0.0015651512114928398, 0.9082613389571171, 1.1638877209850786, -0.00234772681723926, 0.0,
           0.0 },
         { 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0 },
         { 14.707322933307628, 1.0, -14.707322933307628, 85.03687628886169, -1.5007825756057465, 0.0, 0.0 },
         { 1.2708813792823412, 0.09493298053356108, 1.7291186207176588, 3.7943529619446505, -0.03617937466479932, 0.0, 0.0 },
}; /* times, then as above */
static const double zeno_time = 4.063712768871578, zeno_area = 0.9326553895770835;

static void test_bouncing_mass(void **state)
{
    rig          r    = rig_scene("bouncing_mass.json");
    sal_run_opts opts = exactly(bounce_wrt, 7);

    (void)state;
    rig_run(&r, &opts);
    for (int k = 0; k < 6; k++) {
        next_event(&r, "floor", bounce_time[k], 1e-10);
        assert_near(sal_run_v(r.run)[1], bounce_rebound[k], 1e-9);
        assert_near(sal_run_event(r.run).impulse[0], 1.8 / 0.8 * bounce_rebound[k], 1e-9); /* m (1 + e) v */
        assert_false(sal_run_event(r.run).closed);
        compare_row("event", sal_run_event_gradient(r.run), bounce_jacobian[k], 7, 1e-8);
    }
    rig_quiet_end(&r);
    compare_row("positions", sal_run_q(r.run), bounce_end, 2, 1e-10);
    compare_row("velocities", sal_run_v(r.run), bounce_end + 2, 2, 1e-9);
    compare_row("area", sal_run_costs(r.run), bounce_end + 4, 1, 1e-10);
    for (int k = 0; k < 2; k++) {
        compare_row("Q", sal_run_Q(r.run) + 7 * k, bounce_jacobian[6 + k], 7, 1e-8);
        compare_row("V", sal_run_V(r.run) + 7 * k, bounce_jacobian[8 + k], 7, 1e-8);
    }
    compare_row("gradient of the area", sal_run_cost_gradients(r.run), bounce_jacobian[10], 7, 1e-8);
    assert_string_equal(sal_run_wrt_invalid(r.run), "");
    rig_free(&r);
}

/* Rebounds slower than `rest` (1e-4 m/s) are none: what is left of the series then is at most 2 rest/(g (1 - e)). */
static void test_bouncing_mass_comes_to_rest(void **state)
{
    const double bound = 2.0 * 1e-4 / (9.81 * (1.0 - 0.8));
    rig          r     = rig_scene("bouncing_mass.json");
    sal_run_opts opts  = exactly(bounce_wrt, 7);
    sal_status   status;
    long         events;

    (void)state;
    opts.duration = 6.0;
    rig_run(&r, &opts);
    for (;;) {
        while ((status = sal_run_step(r.run)) == SAL_OK) continue;
        assert_int_equal(status, SAL_EVENT);
        if (sal_run_event(r.run).closed) break;
        assert_string_equal(sal_run_wrt_invalid(r.run), "");
    }
    assert_true(sal_run_time(r.run) < zeno_time && sal_run_time(r.run) > zeno_time - bound);
    assert_string_equal(sal_run_wrt_invalid(r.run), "");
    assert_says(sal_run_wrt_note(r.run), "closed by Zeno");
    events = sal_run_get_stats(r.run).events;
    assert_near(sal_run_lambda(r.run)[0], 9.81, 1e-12);
    rig_quiet_end(&r); /* with no further event */
    assert_int_equal(sal_run_get_stats(r.run).events, events);
    assert_near(sal_run_q(r.run)[0], 3.0, 1e-12);
    assert_near(sal_run_q(r.run)[1], 0.0, 1e-14);
    assert_near(sal_run_v(r.run)[0], 0.5, 1e-14);
    assert_near(sal_run_v(r.run)[1], 0.0, 1e-14);
    assert_near(sal_run_costs(r.run)[0], zeno_area, 1e-10);
    rig_free(&r);
}

static void test_ball_on_incline(void **state)
{
    rig          r    = rig_scene("ball_on_incline.json");
    sal_run_opts opts = exactly(NULL, 0);
    history      h;

    (void)state;
    rig_run(&r, &opts);
    h = check_run(&r, true, 1e-10);
    assert_int_equal(h.count, 6);
    for (int k = 0; k < 6; k++) assert_near(h.time[k], bounce_time[k], 1e-10);
    assert_near(sal_run_output(r.run, 0), sin(0.3) * (0.5 * 9.81 * 9.0 - 1.0), 1e-9);
    rig_free(&r);
}

/* -------------------------------------------------------------------------------------- collisions */

static void test_two_balls(void **state)
{
    static const char *const wrt[]    = { "x1", "x2", "v1", "v2", "radius", "initial(second.x)" };
    static const double      second[] = { 1.0, 0.0, 1.0, 0.0, 2.0, 0.0 }, first[] = { 0.0, 1.0, 0.0, 1.0, -2.0, 1.0 };
    static const double      hit[] = { -1.0, 1.0, -0.32, 0.32, -2.0, 1.0 };
    rig                      r     = rig_scene("two_balls.json");
    sal_run_opts             opts  = exactly(wrt, 6);

    (void)state;
    rig_run(&r, &opts);
    next_event(&r, "hit", 0.32, 1e-12);
    check_impact(r.run, true);
    assert_near(sal_run_event(r.run).impulse[0], 1.0, 1e-12);
    compare_row("time", sal_run_event_gradient(r.run), hit, 6, 1e-10);
    rig_quiet_end(&r);
    assert_near(sal_run_q(r.run)[rig_point(&r, "second")->xi], 1.2, 1e-12);
    assert_near(sal_run_q(r.run)[rig_point(&r, "first")->xi], 0.32, 1e-12);
    compare_row("second", sal_run_Q(r.run) + 6 * rig_point(&r, "second")->xi, second, 6, 1e-10);
    compare_row("first", sal_run_Q(r.run) + 6 * rig_point(&r, "first")->xi, first, 6, 1e-10);
    rig_free(&r);
}

/* Half a period of a pendulum that swings out to `angle`, by the arithmetic-geometric mean. */
static double half_period(double length, double angle)
{
    double a = 1.0, b = cos(0.5 * angle);

    for (int k = 0; k < 8; k++) {
        const double mean = 0.5 * (a + b);
        b                 = sqrt(a * b);
        a                 = mean;
    }
    return PI * sqrt(length / 9.81) / a;
}

static void test_newtons_cradle(void **state)
{
    const double v = sqrt(2.0 * 9.81 * (1.0 - cos(0.4))), half = half_period(1.0, 0.4);
    rig          r    = rig_scene("newtons_cradle.json");
    sal_run_opts opts = exactly(NULL, 0);
    double       energy;

    (void)state;
    opts.duration = 10.0;
    rig_run(&r, &opts);
    energy = sal_run_energy(r.run);
    for (int k = 0; k < 10; k++) {
        const bool from_left = k % 2 == 0;
        next_event(&r, from_left ? "hit12" : "hit23", (0.5 + k) * half, 1e-8);
        check_impact(r.run, true);
        for (int b = 0; b < 3; b++) {
            const double expected = from_left && b == 2 ? v : !from_left && b == 0 ? -v : 0.0;
            assert_near(sal_run_v(r.run)[2 * b], expected, 1e-9);
            assert_near(sal_run_v(r.run)[2 * b + 1], 0.0, 1e-9);
        }
        assert_near(sal_run_energy(r.run), energy, 1e-9);
    }
    rig_quiet_end(&r);
    rig_free(&r);
}

/* ----------------------------------------------------------------------------------- rocking block */

/* About the corner it comes from a block has the inertia I = 4/3 m R^2 and, its centre being at (b, h) from there and
 * at (-b, h) from the other corner, about that one the angular momentum m (h^2 - b^2) w + m R^2/3 w
 * = (I - 2 m R^2 sin^2 alpha) w. What lands keeps it, and turns with the same I: w+/w- = 1 - 3/2 sin^2 alpha. */
static void test_rocking_block(void **state)
{
    const double b = 0.1, h = 0.4, sine = b / hypot(b, h), ratio = 1.0 - 1.5 * sine * sine;
    rig          r    = rig_scene("rocking_block.json");
    sal_run_opts opts = exactly(NULL, 0);
    sal_status   status;
    int          A, B, changes = 0;

    (void)state;
    rig_run(&r, &opts);
    A = rig_row(&r, "floor.A.n");
    B = rig_row(&r, "floor.B.n");
    assert_true(sal_run_lambda(r.run)[A] > 1.0 && sal_run_lambda(r.run)[B] == 0.0);
    while ((status = sal_run_step(r.run)) >= 0 && status != SAL_END) {
        check_forces(r.run, 1e-12);
        if (status != SAL_EVENT) continue;
        check_impact(r.run, true);
        assert_string_equal(sal_run_event(r.run).name, changes % 2 == 0 ? "floor.B" : "floor.A");
        assert_near(sal_run_output(r.run, 1) / sal_run_event(r.run).outputs_before[1], ratio, 1e-9);
        assert_near(sal_run_event(r.run).impulse[changes % 2 == 0 ? A : B], 0.0, 1e-12);
        assert_true(sal_run_lambda(r.run)[changes % 2 == 0 ? B : A] > 1.0);
        assert_true(sal_run_lambda(r.run)[changes % 2 == 0 ? A : B] == 0.0);
        changes++;
    }
    assert_int_equal(status, SAL_END);
    assert_int_equal(changes, 5);
    rig_free(&r);
}

/* ---------------------------------------------------------------------------------------- friction */

static const char *const belt_wrt[]   = { "x0", "v0", "m", "k", "mu_s", "mu_k", "v_belt", "g" };
static const double      belt_time[5] = { 0.1311483619879271, 1.2418178378812021, 2.6642818390462177, 3.449081839046218,
                                          4.871545840211233 };
static const double      belt_place[5]  = { 0.033265262053362485, 0.5886, 0.1962, 0.5886, 0.1962 };
static const double      belt_before[5] = { 3.591347379466375, 0.0, 1.962, 0.0, 1.962 }; /* accelerations */
static const double      belt_after[5]  = { 0.0, -1.962, 0.0, -1.962, 0.0 };
static const double belt_end[4] = { 0.36042707989438316, 0.5, 1.8625245076200803, 8.78808413849444 }; /* x v, costs */
static const double belt_jacobian[9][8] = {
    { 0.35479998317390565, -0.254841997961264, -0.004037575704756739, 0.00040375757047567395, 0.0, -0.3480587834936015,
      0.27844702679488115, -0.014191999326956226 },
    { -1.8304522831123218, -0.254841997961264, 1.1762436568872385, -0.11762436568872386, 1.962, -0.1663263102668124,
      -2.2213389517865503, 0.11321809132449287 },
    { -1.8304522831123218, -0.254841997961264, 1.7329739404690139, -0.1732973940469014, 0.4169828299926734,
      1.3786908597405143, -1.6033320837836194, 0.08171927032536286 },
    { -1.8304522831123218, -0.254841997961264, 2.517773940469014, -0.25177739404690136, 4.340982829992673,
      -2.545309140259486, -3.1729320837836195, 0.16171927032536287 },
    { -1.8304522831123218, -0.254841997961264, 3.074504224050789, -0.3074504224050789, 2.7959656599853466,
      -1.000291970252159, -2.5549252157806888, 0.13022044932623286 },
    { 0.9152261415561609, 0.127420998980632, -1.3410521120253944, 0.13410521120253946, -2.3789828299926734,
      2.4621459851260794, 1.6059167676791106, -0.045110224663116434 },
    { 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0 },
    { 0.7262750953949058, 0.09185195715962874, 1.8183715317694014, -0.18183715317694013, 0.15212605591198,
      4.236598075505618, 0.15321928774129037, 0.18205044482664984 },
    { 0.3326526205336248, -0.5, 14.050372626082089, -0.5262288487587649, 9.33512862489125, 12.308749500601365,
      14.10318260362717, 1.0728416896203157 },
}; /* times, then as above */
static const double belt_period             = 2.207264001165016;
static const double belt_period_gradient[8] = { 0.0,
                                                0.0,
                                                1.3415302835817753,
                                                -0.13415302835817752,
                                                2.3789828299926734,
                                                -2.3789828299926734,
                                                -0.9515931319970693,
                                                0.04850117900087 };

static void test_stick_slip_belt(void **state)
{
    rig          r    = rig_scene("stick_slip_belt.json");
    sal_run_opts opts = exactly(belt_wrt, 8);
    double       slip2[8];

    (void)state;
    rig_run(&r, &opts);
    for (int k = 0; k < 5; k++) {
        next_event(&r, k % 2 == 0 ? "belt.stick" : "belt.slip", belt_time[k], 1e-9);
        assert_near(sal_run_q(r.run)[0], belt_place[k], 1e-9);
        assert_near(sal_run_v(r.run)[0], 0.5, 1e-9);
        assert_near(sal_run_event(r.run).a_before[0], belt_before[k], 1e-8);
        assert_near(sal_run_a(r.run)[0], belt_after[k], 1e-8);
        compare_row("event", sal_run_event_gradient(r.run), belt_jacobian[k], 8, 1e-8);
        if (k == 1) memcpy(slip2, sal_run_event_gradient(r.run), sizeof slip2);
        for (int c = 0; k == 3 && c < 8; c++) slip2[c] = sal_run_event_gradient(r.run)[c] - slip2[c];
    }
    assert_near(belt_time[3] - belt_time[1], belt_period, 1e-9);
    compare_row("period", slip2, belt_period_gradient, 8, 1e-8);
    rig_quiet_end(&r);
    assert_near(sal_run_q(r.run)[0], belt_end[0], 1e-9);
    assert_near(sal_run_v(r.run)[0], belt_end[1], 1e-9);
    compare_row("costs", sal_run_costs(r.run), belt_end + 2, 2, 1e-9);
    compare_row("Q", sal_run_Q(r.run), belt_jacobian[5], 8, 1e-8);
    compare_row("V", sal_run_V(r.run), belt_jacobian[6], 8, 1e-8);
    compare_row("gradient of int_x", sal_run_cost_gradients(r.run), belt_jacobian[7], 8, 1e-8);
    compare_row("gradient of dissipation", sal_run_cost_gradients(r.run) + 8, belt_jacobian[8], 8, 1e-8);
    rig_free(&r);
}

static const char *const ramp_wrt[]    = { "s0", "v0", "alpha", "mu", "g" };
static const double      ramp_event[5] = { 0.41175477457151116, 0.6176321618572668, 0.0, -7.285890013350598,
                                           -2.1204390540638647 }; /* t s v, accelerations before and after */
static const double ramp_end[3] = { 0.48330293258135426, -0.041114604526478644, -1.6714259601779426 }; /* int_s s v */
static const double ramp_jacobian[5][5] = {
    { 0.0, 0.13725159152383706, -0.4067954202391758, -0.48653380973452215, -0.04197296376875751 },
    { 1.0, 0.41175477457151116, -0.6101931303587638, -0.7298007146017832, -0.06295944565313626 },
    { 1.0, 0.6411606477201912, -4.402998192049288, 1.1315377204469141, -0.20026468376014805 },
    { 0.0, 0.29103363489956496, -8.760829085590562, 5.754404801787734, -0.2593809240445094 },
    { 1.2, 0.4997487743919457, -1.6506103493801563, -0.29319871822858645, -0.10356201738985554 },
}; /* t1, s1, s, v, int_s */

static void test_ramp(void **state)
{
    const double c = cos(0.5), s = sin(0.5);
    rig          r    = rig_scene("ramp.json");
    sal_run_opts opts = exactly(ramp_wrt, 5);
    double       row[5];

    (void)state;
    rig_run(&r, &opts);
    next_event(&r, "ramp.stick", ramp_event[0], 1e-10);
    assert_near(sal_run_output(r.run, 0), ramp_event[1], 1e-10);
    assert_near(sal_run_output(r.run, 1), ramp_event[2], 1e-10);
    assert_near(c * sal_run_event(r.run).a_before[0] + s * sal_run_event(r.run).a_before[1], ramp_event[3], 1e-9);
    assert_near(c * sal_run_a(r.run)[0] + s * sal_run_a(r.run)[1], ramp_event[4], 1e-9);
    compare_row("t1", sal_run_event_gradient(r.run), ramp_jacobian[0], 5, 1e-8);
    for (int k = 0; k < 5;
         k++) /* ds/drho along the event: Q at fixed time, and no velocity; the axes turn with alpha */
        row[k] = c * sal_run_Q(r.run)[k] + s * sal_run_Q(r.run)[5 + k] +
                 (k == 2 ? c * sal_run_q(r.run)[1] - s * sal_run_q(r.run)[0] : 0.0);
    compare_row("s1", row, ramp_jacobian[1], 5, 1e-8);
    rig_quiet_end(&r);
    compare_row("end", sal_run_costs(r.run), ramp_end, 3, 1e-10);
    compare_row("gradient of int_s", sal_run_cost_gradients(r.run), ramp_jacobian[4], 5, 1e-8);
    compare_row("gradient of s", sal_run_cost_gradients(r.run) + 5, ramp_jacobian[2], 5, 1e-8);
    compare_row("gradient of v", sal_run_cost_gradients(r.run) + 10, ramp_jacobian[3], 5, 1e-8);
    rig_free(&r);
}

static void test_resting_block(void **state)
{
    rig    r = rig_scene("resting_block.json");
    double start[4];

    (void)state;
    rig_run(&r, NULL);
    memcpy(start, sal_run_q(r.run), sizeof start);
    assert_int_equal(check_run(&r, true, 1e-12).count, 0);
    assert_near(sal_run_time(r.run), 60.0, 0.0);
    for (int k = 0; k < 4; k++) assert_near(sal_run_q(r.run)[k], start[k], 1e-12);
    assert_near(sal_run_lambda(r.run)[rig_row(&r, "ramp.A.n")] + sal_run_lambda(r.run)[rig_row(&r, "ramp.B.n")],
                3.0 * 9.81 * cos(0.3), 1e-10);
    assert_near(sal_run_lambda(r.run)[rig_row(&r, "ramp.A.t")] + sal_run_lambda(r.run)[rig_row(&r, "ramp.B.t")],
                3.0 * 9.81 * sin(0.3), 1e-10);

    assert_int_equal(sal_run_set(r.run, "alpha", 0.5), SAL_OK); /* steeper than mu: atan(0.4) = 0.38 */
    assert_int_equal(sal_run_restart(r.run), SAL_OK);
    while (sal_run_time(r.run) < 2.0) {
        rig_to(&r, sal_run_time(r.run) + 0.1);
        check_forces(r.run, 1e-12);
        assert_near(sal_run_output(r.run, 0),
                    -0.5 * 9.81 * (sin(0.5) - 0.4 * cos(0.5)) * sal_run_time(r.run) * sal_run_time(r.run), 1e-10);
    }
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------- mechanisms */

static void test_four_bar_stop(void **state)
{
    rig          r    = rig_scene("four_bar_stop.json");
    sal_run_opts opts = exactly(NULL, 0);
    sal_probe   *rate;
    sal_status   status;
    int          hits = 0;

    (void)state;
    rig_run(&r, &opts);
    assert_int_equal(sal_probe_create(r.model, "rate(rocker)", &rate), SAL_OK);
    while ((status = sal_run_step(r.run)) >= 0 && status != SAL_END) {
        assert_true(sal_run_output(r.run, 0) >= 1.25 - 1e-12);
        if (status != SAL_EVENT) continue;
        check_impact(r.run, true);
        assert_near(sal_run_output(r.run, 0), 1.25, 1e-12);
        assert_near(sal_probe_value(rate, r.run), -0.6 * sal_run_event(r.run).rate, 1e-10);
        hits++;
    }
    assert_int_equal(status, SAL_END);
    assert_int_equal(hits, 4);
    sal_probe_destroy(&rate);
    rig_run(&r, &opts);
    check_run(&r, true, 1e-9);
    rig_free(&r);
}

static void expect_events(const history *h, const char *const *names, int count)
{
    assert_int_equal(h->count, count);
    for (int k = 0; k < count; k++) assert_string_equal(h->name[k], names[k]);
}

static void test_five_bars(void **state)
{
    static const char *const slide[]    = { "floor", "floor", "floor.release", "floor", "floor.release", "floor" };
    static const char *const friction[] = { "floor",       "floor",       "floor.stick", "floor.stick",
                                            "floor.stick", "floor.stick", "floor.stick" };
    sal_run_opts             opts       = exactly(NULL, 0);
    rig                      r          = rig_scene("five_bar_impact.json");
    history                  h;

    (void)state;
    rig_run(&r, &opts);
    h = check_run(&r, true, 1e-9);
    assert_int_equal(h.count, 7);
    assert_near(h.time[0], 0.2839824154919986, 1e-10); /* until there it is five_bar.json */
    assert_true(sal_run_get_stats(r.run).energy_drift < 1e-9);
    rig_free(&r);

    r = rig_scene("five_bar_slide.json");
    rig_run(&r, &opts);
    h = check_run(&r, true, 1e-9);
    expect_events(&h, slide, SAL_COUNT(slide));
    assert_true(sal_run_get_stats(r.run).energy_drift < 1e-9);
    rig_free(&r);

    r = rig_scene("five_bar_friction.json");
    rig_run(&r, &opts);
    h = check_run(&r, true, 1e-9);
    expect_events(&h, friction, SAL_COUNT(friction));
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bouncing_mass),   cmocka_unit_test(test_bouncing_mass_comes_to_rest),
        cmocka_unit_test(test_ball_on_incline), cmocka_unit_test(test_two_balls),
        cmocka_unit_test(test_newtons_cradle),  cmocka_unit_test(test_rocking_block),
        cmocka_unit_test(test_stick_slip_belt), cmocka_unit_test(test_ramp),
        cmocka_unit_test(test_resting_block),   cmocka_unit_test(test_four_bar_stop),
        cmocka_unit_test(test_five_bars),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
