/* test_singular.c - motions through positions in which links are in line: straight on where they can go, stopped with
 * the names of the links where they cannot. The whole sweep: bench/bench_singular.c. */
#include "tests/windows.h"

static sal_run_opts at_rtol(double rtol)
{
    sal_run_opts opts = sal_run_defaults();

    opts.rtol = opts.atol = rtol;
    return opts;
}

static sal_status to_the_end(rig *r)
{
    const sal_reader none = { 0 };

    return sal_simulate(r->run, &none, 0);
}

/* ------------------------------------------------------------------------- N four-bars side by side */

typedef struct off_by { /* at the end, positions and energy */
    double at, energy;
} off_by;

static off_by run_off_by(rig *r, int n, double theta, double rtol)
{
    sal_run_opts opts = at_rtol(rtol);
    double       energy;

    rig_run(r, &opts);
    energy = sal_run_energy(r->run);
    assert_int_equal(to_the_end(r), SAL_END);
    return (off_by){ windows_error(r->run, n, theta), fabs(sal_run_energy(r->run) - energy) };
}

/* What they are off by is what steps make of the one equation: as much as a crank alone is, which never goes flat, up
 * to 1400 rtol where it almost stands still at the top (0.63 m/s), and a third more, as steps are others. Beside it what
 * rounding leaves of velocities where links are in line, every time, 2e-10 m/s, times what a speed comes to. */
static void windows(void **state)
{
    static const int    count[] = { 1, 2, 5, 20 };
    static const double speed[] = { 0.5, 0.63, 1.3, 1.8, 3.0 };

    (void)state;
    for (int i = 0; i < SAL_COUNT(count); i++) {
        const int n = count[i];
        for (int k = 0; k < SAL_COUNT(speed); k++) {
            const window_motion m   = windows_exact(n, speed[k], 10.0);
            rig                 r   = windows_load(n, speed[k], 1.0, "'duration': 10");
            rig                 one = windows_load_alone(n, speed[k], "'duration': 10");
            for (double rtol = 1e-6; rtol > 5e-13; rtol *= SANITIZED ? 1e-5 : n > 5 ? 1e-3 : 0.1) {
                const off_by alone = run_off_by(&one, 0, m.theta, rtol), all = run_off_by(&r, n, m.theta, rtol);
                assert_near(all.at, 0.0, 1.33 * alone.at + 2e-10 * fabs(m.by_speed));
                assert_near(all.energy, 0.0, 1.33 * alone.energy + 2e-10 * (n + 1));
            }
            rig_free(&one);
            rig_free(&r);
        }
    }
}

/* Forty of them, 1200 J and more at the bottom, hold it to 1e-3 J, and at an rtol of 1e-6 as well as a crank alone. */
static void energy_of_forty(void **state)
{
    const int n = 40;

    (void)state;
    for (double speed = 0.5; speed < 3.1; speed += SANITIZED ? 2.5 : 0.5) {
        const double theta = windows_exact(n, speed, 10.0).theta;
        rig          r     = windows_load(n, speed, 1.0, "'duration': 10");
        rig          one   = windows_load_alone(n, speed, "'duration': 10");
        assert_near(run_off_by(&r, n, theta, 1e-6).energy, 0.0, 1.33 * run_off_by(&one, 0, theta, 1e-6).energy);
        assert_near(run_off_by(&r, n, theta, 1e-7).energy, 0.0, 1e-3);
        rig_free(&one);
        rig_free(&r);
    }
}

/* Turned, mirrored, in mm: as much as a crank alone is off by when it is seen from there. */
static void windows_from_elsewhere(void **state)
{
    static const double speed[] = { 0.63, 1.8 };
    const int           n       = 2;

    (void)state;
    for (int k = 0; k < SAL_COUNT(speed); k++) {
        const window_motion m    = windows_exact(n, speed[k], 10.0);
        char               *text = windows_text(n, speed[k], 1.0, "'duration': 10"),
             *text_alone         = windows_text_alone(n, speed[k], "'duration': 10");
        for (int i = 0; i < SAL_COUNT(frames); i++) {
            rig r = frame_load(text, frames[i]), one = frame_load(text_alone, frames[i]);
            for (double rtol = 1e-6; rtol > 5e-13; rtol *= SANITIZED ? 1e-3 : 0.1) {
                sal_run_opts opts = at_rtol(rtol);
                opts.atol *= frames[i].unit;
                rig_run(&r, &opts);
                rig_run(&one, &opts);
                assert_int_equal(to_the_end(&r), SAL_END);
                assert_int_equal(to_the_end(&one), SAL_END);
                assert_near(windows_error_in(frames[i], r.run, n, m.theta), 0.0,
                            1.33 * windows_error_in(frames[i], one.run, 0, m.theta) + 2e-10 * fabs(m.by_speed));
            }
            rig_free(&one);
            rig_free(&r);
        }
        free(text);
        free(text_alone);
    }
}

/* Derivatives go through as well, by the tangent of the same solves. */
static void derivatives_of_windows(void **state)
{
    static const char *wrt[]   = { "g", "u" };
    static const int   count[] = { 1, 2, 5, 10 };

    (void)state;
    for (int i = 0; i < SAL_COUNT(count); i++) {
        for (double speed = 0.7; speed < 3.0; speed += 1.1) {
            const window_motion m    = windows_exact(count[i], speed, 10.0);
            rig                 r    = windows_load(count[i], speed, 1.0, "'duration': 10");
            sal_run_opts        opts = with_respect_to(wrt, 2);
            const double       *Q;
            opts.rtol = opts.atol = 1e-9;
            rig_run(&r, &opts);
            assert_int_equal(to_the_end(&r), SAL_END);
            assert_string_equal(sal_run_wrt_invalid(r.run), "");
            Q = sal_run_Q(r.run);
            for (int p = 0; p <= count[i]; p++) { /* x and y of each top */
                const double *x = Q + 4 * p, *y = x + 2;
                assert_near(x[0], cos(m.theta) * m.by_g, 1e-5 * fabs(m.by_g));
                assert_near(y[0], -sin(m.theta) * m.by_g, 1e-5 * fabs(m.by_g));
                assert_near(x[1], cos(m.theta) * m.by_speed, 1e-5 * fabs(m.by_speed));
                assert_near(y[1], -sin(m.theta) * m.by_speed, 1e-5 * fabs(m.by_speed));
            }
            rig_free(&r);
        }
    }
}

/* A coupler that is longer or shorter by d: the mechanism does not go flat, and its couplers cross, or the cranks turn
 * against each other, within sqrt(d). All goes on as without any corner: on the energy, and to the same place at all
 * tolerances that tell d from nothing. */
static void assert_near_miss(double d, int integrator, int form, const double rtol[2])
{
    rig    r        = windows_load(1, 0.7, 1.0 + d, "'duration': 3");
    double at[2][2] = { { 0.0 } };

    for (int fine = 0; fine < 2; fine++) {
        sal_run_opts opts = at_rtol(rtol[fine]);
        double       energy;
        opts.integrator = integrator;
        opts.form       = form;
        rig_run(&r, &opts);
        energy = sal_run_energy(r.run);
        assert_int_equal(to_the_end(&r), SAL_END);
        assert_near(sal_run_energy(r.run), energy, 100.0 * rtol[fine]);
        assert_int_equal(sal_run_point(r.run, "P0", at[fine], NULL), SAL_OK);
    }
    assert_near(at[0][0], at[1][0], 1e-6);
    assert_near(at[0][1], at[1][1], 1e-6);
    rig_free(&r);
}

static void near_misses(void **state)
{
    static const double d[] = { 1e-4, 1e-6, 1e-8, 1e-9, 1e-10, -1e-6, -1e-8, -1e-9 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(d); k++) {
        assert_near_miss(d[k], SAL_AUTO, SAL_INDEX1, (const double[]){ 1e-9, 1e-11 });
        assert_near_miss(d[k], SAL_RADAU, SAL_INDEX3, (const double[]){ 1e-7, 1e-9 });
    }
}

/* --------------------------------------------------------------------------------- other linkages */

static const char slider[] = /* crank and rod of one length: at 90 degrees the slider is over the shaft */
    "'gravity': [0, 0], 'parameters': { 'w': %.17g },"
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'X': { 'at': [1, 0], 'fixed': true },"
    "            'A': { 'at': [1, 0], 'velocity': [0, 'w'] }, 'S': { 'at': [2, 0] } },"
    "'bodies': { 'crank': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 1, 'length': 1 },"
    "            'rod': { 'type': 'bar', 'points': ['A', 'S'], 'mass': 1, 'length': 1 },"
    "            'block': { 'type': 'point_mass', 'point': 'S', 'mass': 1 } },"
    "'joints': { 'guide': { 'type': 'driver', 'of': 'y(S)', 'value': 0 } }, 'simulation': { 'duration': 10 }";

/* I(theta) theta'^2 is constant, I = 2/3 + 6 sin^2 theta: by the classical rule. */
static double slider_angle(double w, double t)
{
    const int    steps = 100000;
    const double h     = t / steps;
    double       x     = 0.0;

    for (int k = 0; k < steps; k++) {
        double rate[4], at = x;
        for (int i = 0; i < 4; i++) {
            rate[i] = w / sqrt(1.0 + 9.0 * sin(at) * sin(at));
            at      = x + h * (i < 2 ? 0.5 : 1.0) * rate[i];
        }
        x += h / 6.0 * (rate[0] + 2.0 * rate[1] + 2.0 * rate[2] + rate[3]);
    }
    return x;
}

static void slider_crank(void **state)
{
    static const char *wrt[] = { "w" };

    (void)state;
    for (double w = 6.0; w < 9.1; w += 1.0) {
        const double x = slider_angle(w, 10.0), by_w = 10.0 / sqrt(1.0 + 9.0 * sin(x) * sin(x));
        char         text[1200];
        rig          r;
        snprintf(text, sizeof text, slider, w);
        r = rig_load(text);
        for (double rtol = 1e-6; rtol > 5e-13; rtol *= SANITIZED ? 1e-3 : 0.1) {
            sal_run_opts opts = with_respect_to(wrt, 1);
            double       at[2];
            opts.rtol = opts.atol = rtol;
            rig_run(&r, &opts);
            assert_int_equal(to_the_end(&r), SAL_END);
            sal_run_point(r.run, "A", at, NULL);
            assert_near(at[0], cos(x), 1000.0 * rtol + 3e-10);
            assert_near(at[1], sin(x), 1000.0 * rtol + 3e-10);
            assert_near(sal_run_Q(r.run)[0], -sin(x) * by_w, 1e4 * rtol + 1e-5);
            assert_near(sal_run_Q(r.run)[1], cos(x) * by_w, 1e4 * rtol + 1e-5);
        }
        rig_free(&r);
    }
}

static const char pantograph[] = /* O-A-D and D-B-P with the parallelogram A, D, B, T between them, let go */
    "'gravity': [0, 0], 'points': { 'O': { 'at': [0, 0], 'fixed': true },"
    "  'D': { 'at': ['2*cos(0.3)', '2*sin(0.3)'], 'velocity': ['-2*sin(0.3)', '2*cos(0.3)'] },"
    "  'P': { 'at': ['2*cos(0.3) + 2*cos(1.2)', '2*sin(0.3) + 2*sin(1.2)'],"
    "         'velocity': ['-2*sin(0.3) + 4*sin(1.2)', '2*cos(0.3) - 4*cos(1.2)'] },"
    "  'A': { 'at': ['0.8*cos(0.3)', '0.8*sin(0.3)'], 'velocity': ['-0.8*sin(0.3)', '0.8*cos(0.3)'] },"
    "  'T': { 'at': ['0.8*cos(0.3) + 0.7*cos(1.2)', '0.8*sin(0.3) + 0.7*sin(1.2)'],"
    "         'velocity': ['-0.8*sin(0.3) + 1.4*sin(1.2)', '0.8*cos(0.3) - 1.4*cos(1.2)'] },"
    "  'B': { 'at': ['2*cos(0.3) + 0.7*cos(1.2)', '2*sin(0.3) + 0.7*sin(1.2)'],"
    "         'velocity': ['-2*sin(0.3) + 1.4*sin(1.2)', '2*cos(0.3) - 1.4*cos(1.2)'] } },"
    "'bodies': {"
    "  'OD': { 'type': 'bar', 'points': ['O', 'D'], 'mass': 1, 'length': 2, 'markers': { 'A1': [0.8, 0] } },"
    "  'DP': { 'type': 'bar', 'points': ['D', 'P'], 'mass': 1, 'length': 2, 'markers': { 'B1': [0.7, 0] } },"
    "  'AT': { 'type': 'bar', 'points': ['A', 'T'], 'mass': 1, 'length': 0.7 },"
    "  'TB': { 'type': 'bar', 'points': ['T', 'B'], 'mass': 1, 'length': 1.2 } },"
    "'joints': { 'a': { 'type': 'revolute', 'points': ['A1', 'A'] },"
    "            'b': { 'type': 'revolute', 'points': ['B1', 'B'] } },"
    "'simulation': { 'duration': 5 }";

typedef struct two_angles {
    double a, b, ra, rb;
} two_angles;

/* Two bars with the inertias of four: I_a a'^2 + I_b b'^2 + 2 C a' b' cos(a - b), twice the energy. */
static two_angles rates_of_two(two_angles y)
{
    const double Ia = 4.0 / 3.0 + 4.0 + 0.64 + 1.4 * 1.4 + 0.12, Ib = 4.0 / 3.0 + 0.49 / 3.0 + 0.49,
                 C = 2.0 + 0.28 + 1.4 * 0.7, c = C * cos(y.a - y.b), s = C * sin(y.a - y.b), fa = -s * y.rb * y.rb,
                 fb = s * y.ra * y.ra, det = Ia * Ib - c * c;

    return (two_angles){ y.ra, y.rb, (Ib * fa - c * fb) / det, (Ia * fb - c * fa) / det };
}

static two_angles moved(two_angles y, double h, two_angles r)
{
    return (two_angles){ y.a + h * r.a, y.b + h * r.b, y.ra + h * r.ra, y.rb + h * r.rb };
}

static two_angles pantograph_at(double t)
{
    const int    steps = 50000;
    const double h     = t / steps;
    two_angles   y     = { 0.3, 1.2, 1.0, -2.0 };

    for (int k = 0; k < steps; k++) {
        const two_angles r1 = rates_of_two(y), r2 = rates_of_two(moved(y, 0.5 * h, r1)),
                         r3 = rates_of_two(moved(y, 0.5 * h, r2)), r4 = rates_of_two(moved(y, h, r3));
        y = moved(moved(moved(moved(y, h / 6.0, r1), h / 3.0, r2), h / 3.0, r3), h / 6.0, r4);
    }
    return y;
}

static void parallelogram_of_a_pantograph(void **state)
{
    const two_angles y = pantograph_at(5.0);
    rig              r = rig_load(pantograph);

    (void)state;
    for (double rtol = 1e-6; rtol > 5e-13; rtol *= SANITIZED ? 1e-3 : 0.1) {
        sal_run_opts opts = at_rtol(rtol);
        double       at[2];
        rig_run(&r, &opts);
        assert_int_equal(to_the_end(&r), SAL_END);
        sal_run_point(r.run, "P", at, NULL);
        assert_near(at[0], 2.0 * (cos(y.a) + cos(y.b)), 1000.0 * rtol + 1e-9);
        assert_near(at[1], 2.0 * (sin(y.a) + sin(y.b)), 1000.0 * rtol + 1e-9);
    }
    rig_free(&r);
}

/* The slider-crank at 7 rad/s and the pantograph, seen from there. */
static void assert_linkages(rig slides, rig folds, frame f, const sal_run_opts *opts)
{
    const two_angles y = pantograph_at(5.0);
    const double     x = slider_angle(7.0, 10.0), rtol = opts->rtol;
    double           at[2];

    rig_run(&slides, opts);
    assert_int_equal(to_the_end(&slides), SAL_END);
    sal_run_point(slides.run, "A", at, NULL);
    frame_back(f, at, at);
    assert_near(at[0], cos(x), 1000.0 * rtol + 3e-10);
    assert_near(at[1], sin(x), 1000.0 * rtol + 3e-10);
    rig_free(&slides);
    rig_run(&folds, opts);
    assert_int_equal(to_the_end(&folds), SAL_END);
    sal_run_point(folds.run, "P", at, NULL);
    frame_back(f, at, at);
    assert_near(at[0], 2.0 * (cos(y.a) + cos(y.b)), 1000.0 * rtol + 1e-9);
    assert_near(at[1], 2.0 * (sin(y.a) + sin(y.b)), 1000.0 * rtol + 1e-9);
    rig_free(&folds);
}

/* Turned, mirrored, in mm. */
static void linkages_from_elsewhere(void **state)
{
    char text[1200];

    (void)state;
    snprintf(text, sizeof text, slider, 7.0);
    for (int i = 0; i < SAL_COUNT(frames); i++) {
        for (double rtol = 1e-6; rtol > 5e-13; rtol *= SANITIZED ? 1e-3 : 0.1) {
            sal_run_opts opts = at_rtol(rtol);
            opts.atol *= frames[i].unit;
            assert_linkages(frame_load(text, frames[i]), frame_load(pantograph, frames[i]), frames[i], &opts);
        }
    }
}

static void linkages_in_index3(void **state)
{
    char text[1200];

    (void)state;
    snprintf(text, sizeof text, slider, 7.0);
    for (double rtol = 1e-6; rtol > 5e-9; rtol *= 0.1) {
        sal_run_opts opts = at_rtol(rtol);
        opts.integrator   = SAL_RADAU;
        opts.form         = SAL_INDEX3;
        assert_linkages(rig_load(text), rig_load(pantograph), (frame){ 0.0, 1.0, 1.0 }, &opts);
    }
}

/* ------------------------------------------------------------------------ where it does not go on */

static const char locks[] = /* coupler and rocker, 1 and 1.2, are in line when the crank has turned to 87.7 degrees */
    "'gravity': [0, 0], 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'C': { 'at': [2, 0], 'fixed': true },"
    "            'A': { 'at': ['cos(0.3)', 'sin(0.3)'] }, 'B': { 'at': [1.7, 1.1] } },"
    "'bodies': { 'crank': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 1, 'length': 1 },"
    "            'coupler': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 1, 'length': 1 },"
    "            'rocker': { 'type': 'bar', 'points': ['C', 'B'], 'mass': 1, 'length': 1.2 } },"
    "'joints': { 'motor': { 'type': 'driver', 'of': 'angle(crank)', 'value': '0.3 + t' } },"
    "'simulation': { 'duration': 3 }";

/* |A - C| = 2.2: 1 + 4 - 4 cos(angle) = 4.84. */
static void assert_locks_up(rig r, double unit)
{
    for (int how = SAL_RK8; how <= SAL_RADAU + 1; how++) { /* radau in both forms */
        for (double rtol = 1e-6; rtol > 1e-11; rtol *= 1e-2) {
            sal_run_opts opts = at_rtol(rtol);
            opts.integrator   = how > SAL_RADAU ? SAL_RADAU : how;
            opts.form         = how > SAL_RADAU ? SAL_INDEX3 : SAL_INDEX1;
            opts.atol *= unit;
            rig_run(&r, &opts);
            assert_int_equal(to_the_end(&r), SAL_ERR_STEP);
            assert_near(sal_run_time(r.run), acos(0.04) - 0.3, 1e-6);
            assert_says(sal_run_message(r.run), "links come into line at t = 1.23078");
            assert_says(sal_run_message(r.run), "coupler, rocker");
        }
    }
    rig_free(&r);
}

static void lock_up(void **state)
{
    (void)state;
    assert_locks_up(rig_load(locks), 1.0);
    for (int i = 0; i < SAL_COUNT(frames); i++) assert_locks_up(frame_load(locks, frames[i]), frames[i].unit);
}

/* A crank and rocker that the rocker drives: crank and coupler come into line where |OB| is the sum of their lengths. */
static void dead_centre(void **state)
{
    const double B = 1.0 + sqrt(12.8), at = acos((B * B - 23.4) / (8.0 * sqrt(7.4)));
    rig          r = rig_load("'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'C': { 'at': [4, 0], 'fixed': true },"
                                       "            'A': { 'at': [0, 1] }, 'B': { 'at': [3.2, 2.6] } },"
                                       "'bodies': { 'crank': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 1 },"
                                       "            'coupler': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 1 },"
                                       "            'rocker': { 'type': 'bar', 'points': ['C', 'B'], 'mass': 1 } },"
                                       "'joints': { 'motor': { 'type': 'driver', 'of': 'angle(rocker)', 'value': '1.87 - 0.6*t' } },"
                                       "'simulation': { 'duration': 5 }");

    (void)state;
    for (int integrator = SAL_RK8; integrator <= SAL_RADAU; integrator++) {
        for (double rtol = 1e-3; rtol > 1e-11; rtol *= 1e-2) {
            for (int form = SAL_INDEX1; form <= SAL_PENALTY; form++) {
                sal_run_opts opts = at_rtol(rtol);
                opts.integrator   = integrator;
                opts.form         = form;
                rig_run(&r, &opts);
                assert_int_equal(to_the_end(&r), form == SAL_PENALTY ? SAL_ERR_INVARIANT : SAL_ERR_STEP);
                /* in penalty form rows give way first */
                assert_near(sal_run_time(r.run), (1.87 - at) / 0.6, form == SAL_PENALTY ? 1e-3 : 1e-6);
                assert_says(sal_run_message(r.run), "a dead centre of what is driven by motor");
            }
        }
    }
    rig_free(&r);
}

/* In penalty form rows give way there: it goes through, or says that they did. */
static void penalty(void **state)
{
    int through = 0, said = 0;

    (void)state;
    for (int n = 1; n <= 3; n++) {
        for (double speed = 0.5; speed < 3.0; speed += 0.7) {
            rig          r    = windows_load(n, speed, 1.0, "'duration': 10");
            sal_run_opts opts = at_rtol(1e-8);
            sal_status   status;
            opts.form = SAL_PENALTY;
            rig_run(&r, &opts);
            status = to_the_end(&r);
            if (status == SAL_END) {
                assert_near(windows_error(r.run, n, windows_exact(n, speed, 10.0).theta), 0.0, 1e-2);
                through++;
            } else {
                assert_int_equal(status, SAL_ERR_INVARIANT);
                assert_says(sal_run_message(r.run), "as where links come into line");
                said++;
            }
            rig_free(&r);
        }
    }
    assert_true(through > 0 && said > 0);
}

/* Nor do constraints that are not projected tell which way it goes on. */
static void not_projected(void **state)
{
    (void)state;
    for (int how = SAL_BAUMGARTE; how <= SAL_NO_STABILIZATION; how++) {
        rig          r     = windows_load(1, 1.0, 1.0, "'duration': 10");
        sal_run_opts opts  = at_rtol(1e-9);
        opts.stabilization = how;
        rig_run(&r, &opts);
        assert_int_equal(to_the_end(&r), SAL_ERR_STEP);
        assert_says(sal_run_message(r.run), "crank0, crank1, coupler0");
        assert_says(sal_run_message(r.run), "expected \"stabilization\": \"projection\"");
        rig_free(&r);
    }
}

/* With a coupler of another length the motion is another one: no derivative by it from the first such position on. */
static void derivative_by_a_length(void **state)
{
    static const char *wrt[] = { "g", "d" };
    rig                r     = windows_load(2, 1.0, 1.0, "'duration': 10");
    sal_run_opts       opts  = with_respect_to(wrt, 2);

    (void)state;
    rig_run(&r, &opts);
    assert_int_equal(sal_run_to(r.run, 0.3), SAL_OK);
    assert_string_equal(sal_run_wrt_invalid(r.run), "");
    assert_int_equal(to_the_end(&r), SAL_END);
    assert_says(sal_run_wrt_invalid(r.run), "d changes how");
    assert_says(sal_run_wrt_invalid(r.run), "coupler0");
    rig_free(&r);
}

/* ----------------------------------------------------------------------------------- all the rest */

/* In both forms, and off by no more than a crank alone. */
static void implicit_steps(void **state)
{
    (void)state;
    for (int n = 1; n < 4; n += 2) {
        const window_motion m   = windows_exact(n, 1.7, 10.0);
        rig                 r   = windows_load(n, 1.7, 1.0, "'duration': 10");
        rig                 one = windows_load_alone(n, 1.7, "'duration': 10");
        for (int form = SAL_INDEX1; form <= SAL_INDEX3; form += SAL_INDEX3 - SAL_INDEX1) {
            for (double rtol = 1e-6; rtol > 5e-13; rtol *= 1e-3) {
                sal_run_opts opts = at_rtol(rtol);
                opts.integrator   = SAL_RADAU;
                opts.form         = form;
                rig_run(&r, &opts);
                rig_run(&one, &opts);
                assert_int_equal(to_the_end(&r), SAL_END);
                assert_int_equal(to_the_end(&one), SAL_END);
                assert_near(windows_error(r.run, n, m.theta), 0.0,
                            1.33 * windows_error(one.run, 0, m.theta) + 2e-10 * fabs(m.by_speed));
            }
        }
        rig_free(&one);
        rig_free(&r);
    }
}

/* Saved at any step on the way, through the position and where a near miss is made plainly: the same bits after it. */
static void saved(void **state)
{
    (void)state;
    for (int miss = 0; miss < 2; miss++) {
        const double coupler = miss ? 1.0 + 1e-8 : 1.0;
        rig a = windows_load(1, 1.0, coupler, "'duration': 2"), b = windows_load(1, 1.0, coupler, "'duration': 2"),
            c             = windows_load(1, 1.0, coupler, "'duration': 2");
        sal_run_opts opts = at_rtol(1e-10);
        sal_status   status;
        size_t       size;
        void        *bytes;
        int          steps = 0;
        rig_run(&a, &opts);
        rig_run(&b, &opts);
        rig_run(&c, &opts);
        assert_int_equal(to_the_end(&c), SAL_END);
        assert_int_equal(sal_run_save(a.run, NULL, 0, &size), SAL_OK);
        bytes = malloc(size);
        do { /* b goes every other step */
            rig *from = steps % 2 ? &b : &a, *to = steps % 2 ? &a : &b;
            assert_int_equal(sal_run_save(from->run, bytes, size, &size), SAL_OK);
            assert_int_equal(sal_run_load(to->run, bytes, size), SAL_OK);
            status = sal_run_step(to->run);
            steps++;
        } while (status == SAL_OK && steps < 10000);
        assert_int_equal(status, SAL_END);
        assert_memory_equal(sal_run_q((steps % 2 ? &b : &a)->run), sal_run_q(c.run),
                            sizeof(double) * (size_t)c.model->n);
        free(bytes);
        rig_free(&a);
        rig_free(&b);
        rig_free(&c);
    }
}

/* Begun again where links are in line: the same bits as the first time. */
static void again(void **state)
{
    rig          a = windows_load(1, 1.0, 1.0, "'duration': 1"), b = windows_load(1, 1.0, 1.0, "'duration': 1");
    sal_run_opts opts = at_rtol(1e-8);

    (void)state;
    opts.integrator = SAL_RADAU;
    opts.form       = SAL_INDEX3;
    rig_run(&a, &opts);
    rig_run(&b, &opts);
    assert_int_equal(to_the_end(&a), SAL_END);
    while (!b.run->passing) assert_int_equal(sal_run_step(b.run), SAL_OK);
    assert_int_equal(sal_run_restart(b.run), SAL_OK);
    assert_int_equal(to_the_end(&b), SAL_END);
    assert_memory_equal(sal_run_q(a.run), sal_run_q(b.run), sizeof(double) * (size_t)a.model->n);
    assert_true(sal_run_get_stats(a.run).evaluations == sal_run_get_stats(b.run).evaluations);
    rig_free(&a);
    rig_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows),
        cmocka_unit_test(energy_of_forty),
        cmocka_unit_test(windows_from_elsewhere),
        cmocka_unit_test(derivatives_of_windows),
        cmocka_unit_test(near_misses),
        cmocka_unit_test(slider_crank),
        cmocka_unit_test(parallelogram_of_a_pantograph),
        cmocka_unit_test(linkages_from_elsewhere),
        cmocka_unit_test(linkages_in_index3),
        cmocka_unit_test(lock_up),
        cmocka_unit_test(dead_centre),
        cmocka_unit_test(penalty),
        cmocka_unit_test(not_projected),
        cmocka_unit_test(derivative_by_a_length),
        cmocka_unit_test(implicit_steps),
        cmocka_unit_test(saved),
        cmocka_unit_test(again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
