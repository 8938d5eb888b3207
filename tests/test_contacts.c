/* test_contacts.c - geometries and laws of contact against closed forms and balances, in small scenes. */
#include "tests/contact_checks.h"

static rig load(const char *format, ...)
{
    char    text[4096];
    va_list args;
    int     length;

    va_start(args, format);
    length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_true(length > 0 && length < (int)sizeof text);
    return rig_load(text);
}

static sal_run_opts exactly(void)
{
    sal_run_opts opts = sal_run_defaults();

    opts.rtol  = 1e-12;
    opts.atol  = 1e-12;
    opts.quiet = true;
    return opts;
}

static rig run(rig r)
{
    const sal_run_opts opts = exactly();

    rig_run(&r, &opts);
    return r;
}

#define MASS "'bodies': { 'mass': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } }"

/* ----------------------------------------------------------------------------- several at one instant */

/* A box 1 m wide and 0.6 m high, its lower corners at A and B. */
#define BOX \
    "'bodies': { 'box': { 'type': 'rigid', 'points': ['A', 'B'], 'mass': 3, 'centre': [0.5, 0.3], 'inertia': 0.34 } }"

static void test_flat_box_rebounds_without_turning(void **state)
{
    rig r = run(load(
        "'points': { 'A': { 'at': [0, 1], 'velocity': [0.3, 0] }, 'B': { 'at': [1, 1], 'velocity': [0.3, 0] } }, " BOX
        ", 'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B'], 'restitution': 0.5 } },"
        "'simulation': { 'duration': 0.9 }"));

    (void)state;
    rig_event(&r, "floor.A");
    check_impact(r.run, true);
    assert_near(sal_run_time(r.run), sqrt(2.0 / 9.81), 1e-12);
    assert_near(rig_probe(&r, "rate(box)"), 0.0, 1e-12);
    assert_near(rig_probe(&r, "vy(A)"), 0.5 * sqrt(2.0 * 9.81), 1e-10);
    assert_near(rig_probe(&r, "vx(A)"), 0.3, 1e-12);
    for (int k = 0; k < 2; k++)
        assert_near(sal_run_event(r.run).impulse[rig_row(&r, k ? "floor.A.n" : "floor.B.n")],
                    0.5 * 3.0 * 1.5 * sqrt(2.0 * 9.81), 1e-9);
    rig_quiet_end(&r);
    assert_near(rig_probe(&r, "angle(box)"), 0.0, 1e-11);
    rig_free(&r);
}

/* On a plastic floor it stays where it lands; tilted, it lands corner by corner. */
static void test_box_on_a_plastic_floor(void **state)
{
    rig     r = run(load("'points': { 'A': { 'at': [0, 1] }, 'B': { 'at': [1, 1] } }, " BOX
                         ", 'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B'], 'mu_static': 0.5 } },"
                             "'simulation': { 'duration': 1 }"));
    history h;

    (void)state;
    rig_event(&r, "floor.A");
    check_impact(r.run, true);
    for (int k = 0; k < 4; k++) assert_near(sal_run_v(r.run)[k], 0.0, 1e-12);
    assert_near(sal_run_lambda(r.run)[rig_row(&r, "floor.A.n")], 0.5 * 3.0 * 9.81, 1e-10);
    assert_near(sal_run_lambda(r.run)[rig_row(&r, "floor.B.n")], 0.5 * 3.0 * 9.81, 1e-10);
    rig_quiet_end(&r);
    assert_near(rig_probe(&r, "y(A)"), 0.0, 1e-12);
    rig_free(&r);

    r = run(load("'points': { 'A': { 'at': [0, 1] }, 'B': { 'at': ['cos(0.2)', '1 + sin(0.2)'] } }, " BOX
                 ", 'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B'], 'mu_static': 0.5 } },"
                 "'simulation': { 'duration': 3 }"));
    h = check_run(&r, true, 1e-9);
    assert_string_equal(h.name[0], "floor.A");
    for (int k = 0; k < 4; k++) assert_near(sal_run_v(r.run)[k], 0.0, 1e-12);
    assert_near(rig_probe(&r, "angle(box)"), 0.0, 1e-12);
    rig_free(&r);
}

/* A block that rocks has infinitely many impacts until it stands; it does stand. */
static void test_rocking_ends(void **state)
{
    rig r =
        run(load("'points': { 'A': { 'at': [0, 0] }, 'B': { 'at': ['0.2*cos(0.12)', '0.2*sin(0.12)'] } }, 'bodies': {"
                 "'block': { 'type': 'rigid', 'points': ['A', 'B'], 'length': 0.2, 'mass': 2, 'centre': [0.1, 0.4],"
                 "'inertia': '2*(0.01 + 0.16)/3' } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B'], 'mu_static': 0.6 } },"
                 "'simulation': { 'duration': 20 }"));
    sal_status status;

    (void)state;
    while ((status = sal_run_step(r.run)) == SAL_OK || (status == SAL_EVENT && !sal_run_event(r.run).closed)) {
        check_forces(r.run, 1e-9);
        if (status == SAL_EVENT) check_impact(r.run, true);
    }
    assert_int_equal(status, SAL_EVENT);
    assert_true(sal_run_time(r.run) < 6.0);
    rig_quiet_end(&r);
    for (int k = 0; k < 4; k++) assert_near(sal_run_v(r.run)[k], 0.0, 1e-12);
    assert_near(rig_probe(&r, "lambda(floor.A.n)"), 9.81, 1e-6); /* where it stands is not exactly where it began */
    assert_near(rig_probe(&r, "lambda(floor.A.n) + lambda(floor.B.n)"), 2.0 * 9.81, 1e-9);
    rig_free(&r);
}

/* A row of balls that touch, hit with any restitution: momentum is kept, energy does not grow, nothing stays inside. */
static void test_a_row_of_balls(void **state)
{
    static const double restitution[] = { 0.0, 0.1, 0.5, 0.9, 1.0 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(restitution); k++) {
        rig r = run(load(
            "'gravity': [0, 0], 'points': { 'A': { 'at': [0, 0], 'velocity': [1, 0] }, 'B': { 'at': [0.5, 0] },"
            "'C': { 'at': [0.75, 0] } }, 'bodies': { 'a': { 'type': 'point_mass', 'point': 'A', 'mass': 1 },"
            "'b': { 'type': 'point_mass', 'point': 'B', 'mass': 2 }, 'c': { 'type': 'point_mass', 'point': 'C', "
            "'mass': 3 } },"
            "'contacts': { 'ab': { 'type': 'discs', 'points': ['A', 'B'], 'radii': [0.125, 0.125], 'restitution': %g },"
            "'bc': { 'type': 'discs', 'points': ['B', 'C'], 'radii': [0.125, 0.125], 'restitution': %g } },"
            "'simulation': { 'duration': 1 }",
            restitution[k], restitution[k]));
        check_run(&r, true, 1e-12);
        assert_near(rig_probe(&r, "vx(A) + 2*vx(B) + 3*vx(C)"), 1.0, 1e-12);
        if (restitution[k] == 0.0) assert_near(rig_probe(&r, "vx(A) - vx(C)"), 0.0, 1e-12);
        if (restitution[k] == 1.0) assert_near(sal_run_energy(r.run), 0.5, 1e-12);
        rig_free(&r);
    }
}

/* -------------------------------------------------------------------------------------- the ground */

/* On ground that moves with A sin(w t) a mass is released where its acceleration passes g: sin(w t) = g/(A w^2). */
static void test_ground_that_moves(void **state)
{
    const double g = 9.81, A = 0.1, w = 15.0, release = asin(g / (A * w * w)) / w;
    const double y = A * sin(w * release), v = A * w * cos(w * release);
    rig          r  = run(load("'points': { 'P': { 'at': [0, 0], 'velocity': [0, 1.5] } }, " MASS
                               ", 'contacts': { 'table': { 'type': 'ground', 'points': ['P'], 'height': '0.1*sin(15*t)' } },"
                                         "'simulation': { 'duration': 0.45 }"));
    double       lo = release + 0.05, hi = release + 0.4;

    (void)state;
    for (int k = 1; k < 8; k++) {
        const double t = release * k / 8.0;
        rig_to(&r, t);
        assert_near(sal_run_lambda(r.run)[0], 2.0 * (g - A * w * w * sin(w * t)), 1e-8);
        assert_near(sal_run_q(r.run)[1], A * sin(w * t), 1e-12);
    }
    rig_event(&r, "table.release");
    assert_near(sal_run_time(r.run), release, 1e-10);
    for (int k = 0; k < 200; k++) {
        const double t = 0.5 * (lo + hi), d = t - release;
        *(y + v * d - 0.5 * g * d * d > A * sin(w * t) ? &lo : &hi) = t;
    }
    rig_event(&r, "table");
    assert_near(sal_run_time(r.run), lo, 1e-9);
    check_impact(r.run, false);
    assert_near(sal_run_v(r.run)[1], A * w * cos(w * lo), 1e-7);
    rig_free(&r);
}

/* A mass in the bowl y = x^2/2, without friction: N = m (g cos + v^2 kappa). */
static void test_ground_that_is_curved(void **state)
{
    rig    r = run(load("'points': { 'P': { 'at': [-1, 0.5] } }, " MASS
                        ", 'contacts': { 'bowl': { 'type': 'ground', 'points': ['P'], 'profile': 'x^2/2' } },"
                           "'simulation': { 'duration': 5 }"));
    double energy;

    (void)state;
    energy = sal_run_energy(r.run);
    assert_near(energy, 9.81, 1e-14);
    for (int k = 1; k <= 100; k++) {
        const double *q = sal_run_q(r.run), *v = sal_run_v(r.run);
        rig_to(&r, 0.05 * k);
        const double root = sqrt(1.0 + q[0] * q[0]);
        assert_near(q[1], 0.5 * q[0] * q[0], 1e-12);
        assert_near(sal_run_energy(r.run), energy, 1e-9);
        assert_near(sal_run_lambda(r.run)[0], 2.0 * (9.81 / root + (v[0] * v[0] + v[1] * v[1]) / (root * root * root)),
                    1e-9);
    }
    rig_free(&r);
}

/* A disc on an incline: rolls with g sin/(1 + I/(m r^2)) where friction is enough, mu > tan/(1 + m r^2/I); else slips. */
static void test_disc_on_an_incline(void **state)
{
    static const char *const contact[] = { "'mu_static': 0.5", "'law': 'stick'", "'mu_static': 0.1",
                                           "'mu_static': 0.25, 'mu_kinetic': 0.1" };
    const double             g = 9.81, slope = 0.5, t = 2.0, rolling = g * sin(slope) / 1.5;
    const double slipping = g * (sin(slope) - 0.1 * cos(slope)), turning = 0.1 * g * cos(slope) / (0.5 * 0.2);

    (void)state;
    for (int k = 0; k < SAL_COUNT(contact); k++) {
        const bool rolls = k != 2;
        rig        r     = run(load(
                       "'points': { 'C': { 'at': [0, '0.2/cos(0.5)'] }, 'R': { 'at': [0.2, '0.2/cos(0.5)'] } }, 'bodies': {"
                                  "'disc': { 'type': 'rigid', 'points': ['C', 'R'], 'mass': 3, 'centre': [0, 0], 'inertia': '0.5*3*0.04' } },"
                                  "'contacts': { 'slope': { 'type': 'ground', 'points': ['C'], 'angle': -0.5, 'radius': 0.2, 'body': 'disc', "
                                  "%s } },"
                                  "'simulation': { 'duration': 2 }",
                       contact[k]));
        assert_int_equal(check_run(&r, true, 1e-9).count, 0);
        assert_near(rig_probe(&r, "cos(0.5)*x(C) - sin(0.5)*(y(C) - 0.2/cos(0.5))"),
                    0.5 * (rolls ? rolling : slipping) * t * t, 1e-8);
        assert_near(rig_probe(&r, "-rate(disc)"), rolls ? rolling * t / 0.2 : turning * t, 1e-8);
        assert_near(rig_probe(&r, "-angle(disc)"), 0.5 * (rolls ? rolling / 0.2 : turning) * t * t, 1e-8);
        rig_free(&r);
    }
}

/* Thrown on level ground without spin a disc slips until it rolls: v falls by a third, at t = v/(3 mu g). */
static void test_disc_begins_to_roll(void **state)
{
    rig r = run(load(
        "'points': { 'C': { 'at': [0, 0.2], 'velocity': [3, 0] }, 'R': { 'at': [0.2, 0.2], 'velocity': [3, 0] } }, "
        "'bodies': {"
        "'disc': { 'type': 'rigid', 'points': ['C', 'R'], 'mass': 3, 'centre': [0, 0], 'inertia': '0.5*3*0.04' } },"
        "'contacts': { 'floor': { 'type': 'ground', 'points': ['C'], 'radius': 0.2, 'body': 'disc', 'mu_static': 0.3 } "
        "},"
        "'simulation': { 'duration': 2 }"));

    (void)state;
    rig_event(&r, "floor.stick");
    assert_near(sal_run_time(r.run), 3.0 / (3.0 * 0.3 * 9.81), 1e-10);
    rig_quiet_end(&r);
    assert_near(rig_probe(&r, "vx(C)"), 2.0, 1e-9);
    assert_near(rig_probe(&r, "rate(disc)"), -10.0, 1e-8);
    assert_near(rig_probe(&r, "lambda(floor.t)"), 0.0, 1e-9);
    rig_free(&r);
}

/* ----------------------------------------------------------------------------------- moving bodies */

/* A bead on the edge of a bar that turns freely about O: energy and angular momentum are kept, and
 * N = 2 m omega rdot I/(I + m r^2). */
static void test_edge_of_a_body_that_turns(void **state)
{
    const double inertia = 4.0 / 3.0, m = 0.5;
    rig    r = run(load("'gravity': [0, 0], 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [2, 0], "
                           "'velocity': [0, 4] },"
                           "'P': { 'at': [0.5, 0], 'velocity': [0.1, 1] } }, 'bodies': {"
                           "'bar': { 'type': 'bar', 'points': ['O', 'B'], 'mass': 1 },"
                           "'bead': { 'type': 'point_mass', 'point': 'P', 'mass': 0.5 } },"
                           "'contacts': { 'edge': { 'type': 'edge', 'points': ['P'], 'line': ['O', 'B'], 'ends': false } },"
                           "'simulation': { 'duration': 1.5 }"));
    double energy, spin;

    (void)state;
    energy = sal_run_energy(r.run);
    spin   = inertia * 2.0 + m * 0.25 * 2.0;
    assert_near(energy, 0.5 * inertia * 4.0 + 0.5 * m * 1.01, 1e-12);
    for (int k = 1; k <= 50; k++) {
        double radius, away, omega;
        rig_to(&r, 0.03 * k);
        radius = rig_probe(&r, "sqrt(x(P)^2 + y(P)^2)");
        away   = rig_probe(&r, "(x(P)*vx(P) + y(P)*vy(P))/sqrt(x(P)^2 + y(P)^2)");
        omega  = rig_probe(&r, "rate(bar)");
        assert_near(rig_probe(&r, "x(B)*y(P) - y(B)*x(P)"), 0.0, 1e-11);
        assert_near(sal_run_energy(r.run), energy, 1e-9);
        assert_near((inertia + m * radius * radius) * omega, spin, 1e-9);
        assert_near(rig_probe(&r, "lambda(edge.n)"), 2.0 * m * omega * away * inertia / (inertia + m * radius * radius),
                    1e-8);
    }
    rig_free(&r);
}

/* A bead falls on a plank hinged at O and resting on a support: it bounces, with friction, on a body that moves. */
static void test_bead_falls_on_a_plank(void **state)
{
    static const double restitution[] = { 0.0, 0.4, 1.0 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(restitution); k++) {
        rig r = run(
            load("'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'S': { 'at': [2, -1], 'fixed': true }, 'B': { "
                 "'at': [2, 0] }, 'P': { 'at': [0.8, 0.5], 'velocity': [0.4, 0] } },"
                 "'bodies': { 'plank': { 'type': 'bar', 'points': ['O', 'B'], 'mass': 1 },"
                 "'bead': { 'type': 'point_mass', 'point': 'P', 'mass': 0.5 } },"
                 "'joints': { 'spring': { 'type': 'spring', 'points': ['B', 'S'], 'stiffness': 200, 'length': 1 } },"
                 "'contacts': { 'edge': { 'type': 'edge', 'points': ['P'], 'line': ['O', 'B'], 'restitution': %g, "
                 "'mu_static': %g } },"
                 "'simulation': { 'duration': 1.2 }",
                 restitution[k], restitution[k] == 0.0 ? 0.2 : 0.0));
        check_run(&r, true, 1e-9);
        rig_free(&r);
    }
}

/* -------------------------------------------------------------------------------------- compliant */

/* Without damping the mass leaves as fast as it came, after a depth of m v^2/2 + m g d = k d^2.5/2.5; with damping
 * what it loses is what the damper takes. The force never pulls. */
static void test_compliant(void **state)
{
    static const double damping[] = { 0.0, 0.2, 0.5 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(damping); k++) {
        rig r = run(
            load("'parameters': { 'c': %g }, 'points': { 'P': { 'at': [0, 0.2] } }, " MASS
                 ", 'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'law': 'compliant', 'stiffness': 1e5, "
                 "'damping': 'c' } },"
                 "'costs': { 'lost': { 'running': 'if(y(P) < 0, -vy(P)*(2*(ay(P) + 9.81) - 1e5*abs(y(P))^1.5), 0)' } },"
                 "'simulation': { 'duration': 1 }",
                 damping[k]));
        double in, out, depth = 0.0, lost;
        rig_event(&r, "floor");
        in = sal_run_v(r.run)[1];
        assert_near(in, -sqrt(2.0 * 9.81 * 0.2), 1e-9);
        for (double t = sal_run_time(r.run) + 1e-5;; t += 1e-5) {
            const sal_status status = sal_run_to(r.run, t);
            if (status < 0 || status == SAL_END)
                fail_msg("damping %g, t = %.9g s: %s", damping[k], sal_run_time(r.run), sal_run_message(r.run));
            assert_true(2.0 * (sal_run_a(r.run)[1] + 9.81) >= -1e-12);
            depth = fmax(depth, -sal_run_q(r.run)[1]);
            if (status == SAL_EVENT) break;
        }
        out  = sal_run_v(r.run)[1];
        lost = in * in - out * out; /* 2 (v^2 - v^2)/2 */
        assert_near(sal_run_costs(r.run)[0], lost, 1e-8);
        if (damping[k] == 0.0) {
            assert_near(out, -in, 1e-8);
            assert_near(1e5 * pow(depth, 2.5) / 2.5, in * in + 2.0 * 9.81 * depth, 1e-4);
        } else {
            assert_true(out > 0.0 && out < -in);
        }
        rig_free(&r);
    }
}

/* The gap over a curve that moves, as ground.c has it. */
static double gap_over_waves(double x, double y, double t)
{
    const double slope = 0.8 * cos(2.0 * x - 0.7 * t);

    return (y - 0.2 * sin(3.0 * t) - 0.4 * sin(2.0 * x - 0.7 * t)) / sqrt(1.0 + slope * slope);
}

/* Deep in a curve the force still is N times the gradient of the gap, with the rate of the gap in its damping: both
 * against differences of the gap. */
static void test_compliant_in_a_curve(void **state)
{
    static const double at[][4] = { { 0.3, 0.1, 0.9, -1.3 }, { 0.9, -0.4, -0.5, 0.8 }, { -1.7, -0.2, 2.0, -0.1 } };
    const double        s = 1e-5, k = 3000.0, c = 0.2;

    (void)state;
    for (int i = 0; i < SAL_COUNT(at); i++) {
        const double x = at[i][0], y = at[i][1], u = at[i][2], v = at[i][3], d = -gap_over_waves(x, y, 0.0);
        const double rate =
            (gap_over_waves(x + s * u, y + s * v, s) - gap_over_waves(x - s * u, y - s * v, -s)) / (2.0 * s);
        const double gradient[2] = { (gap_over_waves(x + s, y, 0.0) - gap_over_waves(x - s, y, 0.0)) / (2.0 * s),
                                     (gap_over_waves(x, y + s, 0.0) - gap_over_waves(x, y - s, 0.0)) / (2.0 * s) };
        const double normal      = k * d * sqrt(d) * (1.0 - 1.5 * c * rate);
        rig          r           = run(
                               load("'gravity': [0, 0], 'points': { 'P': { 'at': [%g, %g], 'velocity': [%g, %g] } }," MASS
                                    ", 'contacts': { 'waves': { 'type': 'ground', 'points': ['P'], 'law': 'compliant', 'stiffness': 3000,"
                                                       "  'damping': 0.2, 'profile': '0.4*sin(2*x - 0.7*t)', 'height': '0.2*sin(3*t)' } }",
                                    x, y, u, v));

        assert_true(d > 0.05 && fabs(c * rate) > 0.01);
        for (int a = 0; a < 2; a++) assert_near(sal_run_a(r.run)[a], normal * gradient[a] / 2.0, 1e-7 * normal);
        rig_free(&r);
    }
}

/* Without damping the force of a curve has a potential, k d^(n+1)/(n+1): what goes in comes out. */
static void test_compliant_curve_keeps_energy(void **state)
{
    static const char *const profile[] = { "0.4*sin(2*x)", "max(-0.2, 0.3*x)", "if(x < 0, 0, 0.5*x^2)" };

    (void)state;
    for (int k = 0; k < SAL_COUNT(profile); k++) {
        rig          r      = run(load("'points': { 'P': { 'at': [-0.9, 0.5], 'velocity': [1.5, 0] } }," MASS
                                       ", 'contacts': { 'soft': { 'type': 'ground', 'points': ['P'], 'law': 'compliant', "
                                                     "'stiffness': 500, 'profile': '%s' } }, 'simulation': { 'duration': 1 }",
                                       profile[k]));
        const double before = sal_run_energy(r.run);
        int          events = 0;
        sal_status   status;
        while ((status = sal_run_step(r.run)) == SAL_OK || status == SAL_EVENT) {
            if (status == SAL_EVENT) assert_near(sal_run_energy(r.run), before, 1e-9);
            events += status == SAL_EVENT;
        }
        assert_int_equal(status, SAL_END);
        assert_true(events >= 2);
        rig_free(&r);
    }
}

/* The same curve, moved by its height or by itself: every law gives the same motion. */
static void test_curve_that_moves_by_itself(void **state)
{
    static const char *const how[] = { "'profile': '0.2*sin(2*x)', 'height': '0.05*sin(9*t)'",
                                       "'profile': '0.2*sin(2*x) + 0.05*sin(9*t)'" };
    static const char *const law[] = { "'mu_static': 0.3, 'mu_kinetic': 0.2", "'law': 'reset', 'restitution': 0.7",
                                       "'law': 'compliant', 'stiffness': 5000, 'damping': 0.3, 'mu_kinetic': 0.4" };

    (void)state;
    for (int l = 0; l < SAL_COUNT(law); l++) {
        double end[2][4];
        long   events[2];
        for (int k = 0; k < 2; k++) {
            rig r = run(load("'points': { 'P': { 'at': [0.1, 0.4], 'velocity': [0.8, 0] } }," MASS
                             ", 'contacts': { 'waves': { 'type': 'ground', 'points': ['P'], %s, %s } },"
                             "'simulation': { 'duration': 0.7 }",
                             how[k], law[l]));
            rig_end(&r);
            events[k] = sal_run_get_stats(r.run).events;
            sal_run_point(r.run, "P", end[k], end[k] + 2);
            rig_free(&r);
        }
        assert_true(events[0] > 0 && events[0] == events[1]);
        for (int i = 0; i < 4; i++) assert_near(end[1][i], end[0][i], 1e-9);
    }
}

/* A law sets the rate of its gap, whatever the scene keeps under the name that the law has for it. */
static void test_reset_beside_memory(void **state)
{
    rig r =
        run(load("'memory': { 'gapdot': 7 }, 'points': { 'P': { 'at': [0, 0.1] } }," MASS
                 ", 'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'law': 'reset', 'restitution': 0.5 } },"
                 "'outputs': { 'kept': 'gapdot' }"));

    (void)state;
    rig_event(&r, "floor");
    assert_near(sal_run_v(r.run)[1], 0.5 * sqrt(2.0 * 9.81 * 0.1), 1e-10);
    assert_near(sal_run_output(r.run, 0), 7.0, 0.0);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------------ stops */

/* A mass flies free until its rope of 1 m is taut, then round: angular momentum is kept, the tension is m v^2/l. */
static void test_rope(void **state)
{
    const double spin = 0.5 * 1.5; /* r x v */
    rig r = run(load("'gravity': [0, 0], 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0.5, 0], "
                     "'velocity': [1, 1.5] } }, " MASS ", 'contacts': { 'rope': { 'type': 'length_stop', 'points': "
                     "['O', 'P'], 'max': 1 } }, 'simulation': { 'duration': 3 }"));

    (void)state;
    rig_event(&r, "rope");
    check_impact(r.run, true);
    for (int k = 0; k < 10; k++) {
        rig_to(&r, 1.0 + 0.2 * k);
        assert_near(rig_probe(&r, "distance(O, P)"), 1.0, 1e-11);
        assert_near(rig_probe(&r, "x(P)*vy(P) - y(P)*vx(P)"), spin, 1e-10);
        assert_near(sal_run_energy(r.run), spin * spin, 1e-9);
        assert_near(rig_probe(&r, "lambda(rope.n)"), 2.0 * spin * spin, 1e-9);
    }
    rig_free(&r);
}

/* A pendulum between two elastic stops; a knee that stretches to its stop and stays there. */
static void test_angle_stops(void **state)
{
    rig     r = run(load(
            "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0, -1], 'velocity': [3, 0] } }, 'bodies': {"
                "'bar': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 1 } },"
                "'contacts': { 'stop': { 'type': 'angle_stop', 'body': 'bar', 'min': '-pi/2 - 0.3', 'max': '-pi/2 + 0.2', "
                "'restitution': 1 } },"
                "'simulation': { 'duration': 3 }"));
    history h;
    double  energy;

    (void)state;
    energy = sal_run_energy(r.run);
    h      = check_run(&r, true, 1e-9);
    assert_true(h.count > 8);
    for (int k = 0; k < h.count; k++) assert_string_equal(h.name[k], k % 2 ? "stop.min" : "stop.max");
    for (int k = 2; k < h.count; k++) assert_near(h.time[k] - h.time[k - 2], h.time[2] - h.time[0], 1e-9);
    assert_near(sal_run_energy(r.run), energy, 1e-9);
    rig_free(&r);

    r = run(load("'points': { 'H': { 'at': [0, 0], 'fixed': true }, 'K': { 'at': [0, -1], 'velocity': [2, 0] }, 'F': { "
                 "'at': [-0.6, -1.8] } },"
                 "'bodies': { 'thigh': { 'type': 'bar', 'points': ['H', 'K'], 'mass': 2 }, 'shank': { 'type': 'bar', "
                 "'points': ['K', 'F'], 'mass': 1 } },"
                 "'contacts': { 'knee': { 'type': 'angle_stop', 'body': 'shank', 'reference': 'thigh', 'max': 0 } },"
                 "'outputs': { 'bend': 'angle(shank) - angle(thigh)', 'torque': 'lambda(knee.n)' }, 'simulation': { "
                 "'duration': 4 }"));
    assert_near(sal_run_output(r.run, 0), -atan2(0.6, 0.8), 1e-12);
    h = check_run(&r, true, 1e-9);
    assert_true(h.count > 0);
    assert_string_equal(h.name[0], "knee");
    rig_free(&r);
}

/* ---------------------------------------------------------------------------------- limits of contacts */

static void test_grazing(void **state)
{
    static const char *const wrt[] = { "initial(P.y)" };
    sal_run_opts             opts  = exactly();
    rig                      r =
        load("'gravity': [0, 9.81], 'points': { 'P': { 'at': [0, '1/19.62'], 'velocity': [1, -1] } }, " MASS
             ", 'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'restitution': 0.5, 'mu_static': 0.3 } },"
             "'simulation': { 'duration': 0.5 }");

    (void)state;
    opts.wrt  = wrt;
    opts.nwrt = 1;
    rig_run(&r, &opts);
    rig_event(&r, "floor");
    assert_true(sal_run_event(r.run).grazing);
    assert_near(sal_run_time(r.run), 1.0 / 9.81, 1e-6);
    assert_says(sal_run_wrt_invalid(r.run), "floor grazes");
    rig_quiet_end(&r);
    assert_near(sal_run_v(r.run)[0], 1.0, 1e-12); /* nothing has happened to it */
    assert_near(sal_run_v(r.run)[1], 9.81 * 0.5 - 1.0, 1e-10);
    rig_free(&r);
}

static void test_events_without_end(void **state)
{
    rig        r = run(load("'memory': { 'next': 0.5 }, 'points': { 'P': { 'at': [0, 1] } }, " MASS
                            ", 'contacts': { 'again': { 'type': 'event', 'when': 't - next', 'direction': 'rising', 'set': { "
                                   "'next': 't + 1e-13' } } },"
                                   "'simulation': { 'duration': 2 }"));
    sal_status status;

    (void)state;
    status = rig_finish(&r);
    assert_int_equal(status, SAL_ERR_EVENTS);
    assert_says(sal_run_message(r.run), "again: more than 1000 events in a row at t = 0.5 s");
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------------ at random */

/* Boxes thrown on a level or inclined floor, any tilt and spin: what must hold holds at every instant. */
static void test_boxes_thrown(void **state)
{
    uint64_t seed = 7;

    (void)state;
    for (int k = 0; k < 200; k++) {
        const double tilt = 0.8 * random_number(&seed), vx = 2.0 * random_number(&seed), vy = random_number(&seed),
                     spin = 3.0 * random_number(&seed), angle = k % 3 ? 0.0 : 0.3 * random_number(&seed);
        const double mu = k % 4 == 3 ? 0.0 : 0.1 + 0.4 * fabs(random_number(&seed)), e = mu > 0.0 ? 0.0 : 0.5;
        rig          r =
            run(load("'points': { 'A': { 'at': [0, 1.5], 'velocity': [%.17g, %.17g] }, 'B': { 'at': [%.17g, %.17g], "
                     "'velocity': [%.17g, %.17g] } },"
                     "'bodies': { 'box': { 'type': 'rigid', 'points': ['A', 'B'], 'length': 1, 'mass': 3, 'centre': "
                     "[0.5, 0.3], 'inertia': 0.34,"
                     "'markers': { 'C': [1, 0.6], 'D': [0, 0.6] } } },"
                     "'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B', 'C', 'D'], 'angle': %.17g, "
                     "'mu_static': %.17g, 'restitution': %g } },"
                     "'simulation': { 'duration': 2 }",
                     vx, vy, cos(tilt), 1.5 + sin(tilt), vx - spin * sin(tilt), vy + spin * cos(tilt), angle, mu, e));
        assert_true(check_run(&r, true, 1e-8).count > 0);
        rig_free(&r);
    }
}

/* What touches at rest without any force is not lost when it is pressed later, ever so gently at first. */
static void test_pressed_later(void **state)
{
    rig r =
        rig_load("'gravity': [0, 0], 'points': { 'P': { 'at': [0, 0] }, 'Q': { 'at': [1, 0], 'velocity': [0, -1] } },"
                 "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"
                 "            'q': { 'type': 'point_mass', 'point': 'Q', 'mass': 1 } },"
                 "'joints': { 'push': { 'type': 'force', 'point': 'P', 'fx': '0', 'fy': '-10*t' } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['P', 'Q'], 'restitution': 0.5 } },"
                 "'simulation': { 'duration': 1.5 }");

    (void)state;
    rig_run(&r, NULL);
    while (sal_run_to(r.run, 1.5) == SAL_EVENT) continue;
    assert_near(sal_run_time(r.run), 1.5, 0.0);
    assert_near(rig_probe(&r, "y(P)"), 0.0, 1e-9);
    assert_near(rig_probe(&r, "reaction(floor.P.normal)"), 15.0, 1e-9);
    rig_free(&r);
}

/* Painleve's rod: where friction leaves no forces it jams, an impact without collision, the same seen in a mirror. The
 * impulses are those of P_N = 3/4 m |s| sin cos, P_T = 1/4 m |s| (1 + 3 cos^2). */
static void test_painleve(void **state)
{
    static const char *const speed[] = { "-3", "3" };

    (void)state;
    for (int k = 0; k < 2; k++) {
        char           text[1024];
        rig            r;
        sal_event_info e;
        snprintf(text, sizeof text,
                 "'points': { 'A': { 'at': [0, 0], 'velocity': [%s, 0] },"
                 "            'B': { 'at': ['%scos(1)', 'sin(1)'], 'velocity': [%s, 0] } },"
                 "'bodies': { 'rod': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 1, 'length': 1 } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B'], 'mu_static': 2 } }",
                 speed[k], k ? "-" : "", speed[k]);
        r = rig_load(text);
        rig_run(&r, NULL);
        assert_int_equal(sal_run_step(r.run), SAL_EVENT);
        e = sal_run_event(r.run);
        assert_string_equal(e.name, "floor.A.jam");
        assert_near(e.time, 0.0, 0.0);
        assert_near(e.impulse[1], 0.75 * 3.0 * sin(1.0) * cos(1.0), 1e-12);
        assert_near(e.impulse[2], (k ? -0.25 : 0.25) * 3.0 * (1.0 + 3.0 * cos(1.0) * cos(1.0)), 1e-12);
        assert_near(e.energy_before - sal_run_energy(r.run), 4.5 * (1.0 - 0.75 * sin(1.0) * sin(1.0)), 1e-12);
        rig_free(&r);
    }
}

/* A plank that lands with a sideways speed: its friction impulses are shared so that it sticks as long as it can,
 * m vx <= mu m vy together, although one end alone could not. */
static void test_friction_impulses_are_shared(void **state)
{
    rig r = rig_load("'points': { 'A': { 'at': [0, 0.2], 'velocity': [0.9, 0] },"
                     "            'B': { 'at': [1, 0.2], 'velocity': [0.9, 0] } },"
                     "'bodies': { 'box': { 'type': 'rigid', 'points': ['A', 'B'], 'mass': 1, 'centre': [0.8, 0.05],"
                     "                     'inertia': 0.16 } },"
                     "'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B'], 'mu_static': 0.5,"
                     "                         'mu_kinetic': 0.1 } },"
                     "'simulation': { 'duration': 0.5 }");

    (void)state;
    rig_run(&r, NULL);
    while (sal_run_to(r.run, 0.5) == SAL_EVENT) continue;
    assert_near(sal_run_time(r.run), 0.5, 0.0);
    assert_near(rig_probe(&r, "vx(A)"), 0.0, 1e-12);
    rig_free(&r);
}

/* Positions do not jump: what does not fit cannot be held. */
static void test_hold_must_fit(void **state)
{
    rig r =
        rig_load("'gravity': [0, 0], 'points': { 'O': { 'at': [0, 0], 'fixed': true },"
                 "                               'P': { 'at': [0.5, 0], 'velocity': [1, 0.3] } },"
                 "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                 "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1.05, 'active': false } },"
                 "'contacts': { 'ev': { 'type': 'event', 'when': '0.99 - x(P)', 'hold': 'rod' } }");
    sal_status status;

    (void)state;
    rig_run(&r, NULL);
    while ((status = sal_run_step(r.run)) == SAL_OK) continue;
    assert_int_equal(status, SAL_ERR_ASSEMBLY);
    assert_says(sal_run_message(r.run), "ev cannot hold rod at t = 0.49 s: it is open by about");
    rig_free(&r);
}

/* A contact found at the start that touches for one value of a parameter only has no derivative with respect to it. */
static void test_found_at_the_start(void **state)
{
    static const char *const closed[] = { "", ", 'closed': ['P']" };

    (void)state;
    for (int k = 0; k < 2; k++) {
        char         text[1024];
        sal_run_opts opts = with_respect_to((const char *const[]){ "h" }, 1);
        rig          r;
        snprintf(text, sizeof text,
                 "'parameters': { 'h': 1 }, 'points': { 'P': { 'at': [0, 1], 'velocity': [1, 0] } },"
                 "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'height': 'h'%s } }",
                 closed[k]);
        r = rig_load(text);
        rig_run(&r, &opts);
        if (k == 0) assert_says(sal_run_wrt_invalid(r.run), "floor touches at the start, but only for this h");
        else assert_string_equal(sal_run_wrt_invalid(r.run), "");
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_box_rebounds_without_turning),
        cmocka_unit_test(test_box_on_a_plastic_floor),
        cmocka_unit_test(test_rocking_ends),
        cmocka_unit_test(test_a_row_of_balls),
        cmocka_unit_test(test_ground_that_moves),
        cmocka_unit_test(test_ground_that_is_curved),
        cmocka_unit_test(test_disc_on_an_incline),
        cmocka_unit_test(test_disc_begins_to_roll),
        cmocka_unit_test(test_edge_of_a_body_that_turns),
        cmocka_unit_test(test_bead_falls_on_a_plank),
        cmocka_unit_test(test_compliant),
        cmocka_unit_test(test_compliant_in_a_curve),
        cmocka_unit_test(test_compliant_curve_keeps_energy),
        cmocka_unit_test(test_curve_that_moves_by_itself),
        cmocka_unit_test(test_reset_beside_memory),
        cmocka_unit_test(test_rope),
        cmocka_unit_test(test_angle_stops),
        cmocka_unit_test(test_grazing),
        cmocka_unit_test(test_events_without_end),
        cmocka_unit_test(test_boxes_thrown),
        cmocka_unit_test(test_pressed_later),
        cmocka_unit_test(test_painleve),
        cmocka_unit_test(test_friction_impulses_are_shared),
        cmocka_unit_test(test_hold_must_fit),
        cmocka_unit_test(test_found_at_the_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
