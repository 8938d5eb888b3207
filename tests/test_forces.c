/* test_forces.c - force elements against closed forms. Gravity is 9.81 where a scene does not say otherwise. */
#include "tests/support.h"

#define G 9.81

static void cubic_spring(const void *self, double t, const double *y, double *dy)
{
    const double l = 2 - y[0], rate = -y[1];

    (void)self;
    (void)t;
    dy[0] = y[1];
    dy[1] = -G + (40 * pow(l - 1, 3) + 0.5 * rate) / 2;
}

/* A weight on a spring with a tension of its own, against the equation of its height; names of the scene mean what
 * they mean everywhere. */
static void spring_by_a_formula(void **state)
{
    static const char scene[] =
        "'parameters': { 'k': 40, 'u': 0.5 }, 'points': { 'Q': { 'at': [0, 2], 'fixed': true }, 'P': { 'at': [0, 1] } "
        "},"
        "'bodies': { 'weight': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
        "'joints': { 'j': { 'type': 'spring', 'points': ['Q', 'P'], 'force': 'k*(length - y(P) - length + y(Q) - 1)^3 "
        "+ u*rate' }, 'h': { 'type': 'driver', 'of': 'x(P)', 'value': 0 } }, 'simulation': { 'rtol': 1e-12 }";
    double y[2] = { 1, 0 };
    rig    r    = rig_start(scene);

    (void)state;
    rig_to(&r, 1.5);
    rk4(cubic_spring, NULL, 0.0, 1.5, 20000, 2, y);
    assert_near(rig_probe(&r, "y(P)"), y[0], 1e-10);
    assert_near(rig_probe(&r, "vy(P)"), y[1], 1e-10);
    assert_near(rig_reaction(&r, "j.tension"), 40 * pow(1 - y[0], 3) - 0.5 * y[1], 1e-9);
    rig_free(&r);
}

static void spring_tension(void **state)
{
    static const char scene[] =
        "'points': { 'Q': { 'at': [0, 2], 'fixed': true }, 'P': { 'at': [0.3, 1.6], 'velocity': [1, 2] } },"
        "'bodies': { 'weight': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
        "'joints': { 'j': { 'type': 'spring', 'points': ['Q', 'P'], 'stiffness': 30, 'length': 0.4, 'damping': 2 } }";
    rig r = rig_start(scene);

    (void)state;
    assert_near(rig_reaction(&r, "j.tension"), 30 * 0.1 + 2 * (0.3 * 1 - 0.4 * 2) / 0.5, 1e-12);
    rig_free(&r);
}

/* I phi'' = -k (phi - rest) - c phi', from rest at phi = 0. */
static double oscillator(double I, double k, double c, double rest, double t)
{
    const double d = c / (2 * I), w = sqrt(k / I - d * d);

    return rest * (1 - exp(-d * t) * (cos(w * t) + d / w * sin(w * t)));
}

/* A wheel on a torsional spring, and the same with a controller's torque; without damping through five turns. */
static void torques(void **state)
{
    static const struct {
        const char *joint;
        double      c, rest;
    } cases[] = {
        { "'type': 'torsion', 'stiffness': 3, 'damping': 0.4, 'angle': 1.3", 0.4, 1.3 },
        { "'type': 'torsion', 'stiffness': 3, 'angle': '5*pi'", 0.0, 5 * PI },
        { "'type': 'torque', 'torque': '3*(1.3 - angle(wheel)) - 0.4*rate(wheel)'", 0.4, 1.3 },
    };

    (void)state;
    for (int k = 0; k < SAL_COUNT(cases); k++) {
        char   text[1024];
        rig    r;
        double phi;
        snprintf(text, sizeof text,
                 "'gravity': [0, 0], 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0.5, 0] } },"
                 "'bodies': { 'wheel': { 'type': 'rigid', 'points': ['O', 'P'], 'mass': 2, 'centre': [0.1, 0.2], "
                 "'inertia': 0.3 } }, 'joints': { 'j': { 'body': 'wheel', %s } }, 'simulation': { 'rtol': 1e-12 }",
                 cases[k].joint);
        r = rig_start(text);
        rig_to(&r, 2.5);
        phi = oscillator(0.3 + 2 * 0.05, 3, cases[k].c, cases[k].rest, 2.5);
        assert_near(rig_probe(&r, "angle(wheel)"), phi, 1e-9);
        assert_near(rig_reaction(&r, "j.torque"), 3 * (cases[k].rest - phi) - cases[k].c * rig_probe(&r, "rate(wheel)"),
                    1e-8);
        if (cases[k].c == 0.0) assert_near(sal_run_get_stats(r.run).energy_drift, 0.0, 1e-9);
        rig_free(&r);
    }
}

/* Against the world x and y move on their own. */
static void bushing_of_the_world(void **state)
{
    static const char scene[] =
        "'gravity': [0, 0], 'points': { 'Q': { 'at': [1, 2], 'fixed': true }, 'P': { 'at': [1, 2], 'velocity': [0.6, "
        "-0.4] } }, 'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
        "'joints': { 'j': { 'type': 'bushing', 'points': ['P', 'Q'], 'stiffness': [18, 50], 'damping': [0, 4] } },"
        "'simulation': { 'rtol': 1e-12 }";
    const double t = 1.7, w = sqrt(25.0 - 1.0);
    rig          r = rig_start(scene);

    (void)state;
    rig_to(&r, t);
    assert_near(rig_probe(&r, "x(P)"), 1 + 0.2 * sin(3 * t), 1e-10);
    assert_near(rig_probe(&r, "y(P)"), 2 - 0.4 / w * exp(-t) * sin(w * t), 1e-10);
    assert_near(rig_reaction(&r, "j.fx"), -18 * 0.2 * sin(3 * t), 1e-8);
    rig_free(&r);
}

/* Two bodies in space: whatever the bushing does, momentum, angular momentum and energy stay. */
static void bushing_of_two_bodies(void **state)
{
    static const char scene[] =
        "'gravity': [0, 0], 'points': { 'A': { 'at': [0, 0], 'velocity': [0.5, 0.2] }, 'B': { 'at': [1, 0.3] },"
        "  'P': { 'at': [1.2, 0.1], 'velocity': [-0.4, 0.3] }, 'Q': { 'at': [1.4, 1] } },"
        "'bodies': { 'one': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 3 }, 'two': { 'type': 'bar', 'points': ['P',"
        " 'Q'], 'mass': 1.5 } },"
        "'joints': { 'j': { 'type': 'bushing', 'points': ['P', 'B'], 'body': 'two', 'reference': 'one',"
        "  'stiffness': [200, 30], 'torsion_stiffness': 2, 'angle': 0.5 } }, 'simulation': { 'rtol': 1e-12 },"
        "'outputs': { 'px': '1.5*(vx(A) + vx(B)) + 0.75*(vx(P) + vx(Q))', 'py': '1.5*(vy(A) + vy(B)) + 0.75*(vy(P) + "
        "vy(Q))', 'L': '(x(A)*(vy(A) + vy(B)/2) + x(B)*(vy(B) + vy(A)/2) - y(A)*(vx(A) + vx(B)/2) - y(B)*(vx(B) + "
        "vx(A)/2)) + 0.5*(x(P)*(vy(P) + vy(Q)/2) + x(Q)*(vy(Q) + vy(P)/2) - y(P)*(vx(P) + vx(Q)/2) - y(Q)*(vx(Q) + "
        "vx(P)/2))' }";
    rig    r = rig_start(scene);
    double start[3];

    (void)state;
    for (int k = 0; k < 3; k++) start[k] = sal_run_output(r.run, k);
    rig_to(&r, 5.0);
    for (int k = 0; k < 3; k++) assert_near(sal_run_output(r.run, k), start[k], 1e-10);
    assert_near(sal_run_get_stats(r.run).energy_drift, 0.0, 1e-9);
    rig_free(&r);
}

/* A spinning body with a thruster at its centre of mass: its velocity goes round in a circle. */
static void thrust(void **state)
{
    static const char scene[] =
        "'gravity': [0, 0], 'points': { 'P': { 'at': [0, 0], 'velocity': [0, 0] }, 'Q': { 'at': [1, 0], 'velocity': [0,"
        " 2] } }, 'bodies': { 'ship': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 2, 'centre': [0, 0], 'inertia': "
        "0.5 } }, 'joints': { 'j': { 'type': 'force', 'point': 'P', 'fx': '1 + sqrt(4)', 'fy': 1, 'body': 'ship' } },"
        "'simulation': { 'rtol': 1e-12 }";
    const double t = 2.3, c = cos(2 * t), s = sin(2 * t);
    rig          r = rig_start(scene);

    (void)state;
    rig_to(&r, t);
    assert_near(rig_probe(&r, "vx(P)"), (3 * s / 2 - 1 * (1 - c) / 2) / 2, 1e-10);
    assert_near(rig_probe(&r, "vy(P)"), (3 * (1 - c) / 2 + 1 * s / 2) / 2, 1e-10);
    assert_near(rig_probe(&r, "angle(ship)"), 2 * t, 1e-10);
    assert_near(rig_reaction(&r, "j.fy"), 1.0, 1e-15);
    rig_free(&r);
}

/* m v' = -(c + d v) v along a line; and a fall from rest, v = w tanh(g t/w), w^2 = m g/d, with its derivative. */
static void drag_on_a_point(void **state)
{
    static const char scene[] = "'parameters': { 'd': 0.8 }, 'gravity': [0, %s],"
                                "'points': { 'P': { 'at': [0, 0], 'velocity': [%s, %s] } },"
                                "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
                                "'joints': { 'j': { 'type': 'drag', 'point': 'P', 'linear': %s, 'quadratic': 'd' } },"
                                "'simulation': { 'rtol': 1e-12 }";
    const char *const wrt[]   = { "d" };
    const double      t = 1.5, v0 = 5, c = 0.6, d = 1.2, w = sqrt(2 * G / 0.8);
    sal_run_opts      opts = sal_run_defaults();
    char              text[1024];
    rig               r;

    (void)state;
    snprintf(text, sizeof text, scene, "0", "3", "4", "0.6");
    r         = rig_load(text);
    opts.set  = &(sal_setting){ "d", d };
    opts.nset = 1;
    rig_run(&r, &opts);
    rig_to(&r, t);
    assert_near(rig_probe(&r, "sqrt(vx(P)^2 + vy(P)^2)"), c * v0 / ((c + d * v0) * exp(c * t / 2) - d * v0), 1e-11);
    assert_near(rig_probe(&r, "4*x(P) - 3*y(P)"), 0.0, 1e-12);
    rig_free(&r);

    snprintf(text, sizeof text, scene, "-9.81", "0", "0", "0");
    r         = rig_load(text);
    opts      = sal_run_defaults();
    opts.wrt  = wrt;
    opts.nwrt = 1;
    rig_run(&r, &opts);
    rig_to(&r, t);
    assert_near(rig_probe(&r, "vy(P)"), -w * tanh(G * t / w), 1e-10);
    /* y = -w^2/g ln cosh(g t/w), dw/dd = -w/(2 d) */
    assert_near(sal_run_Q(r.run)[1], (-2 * w / G * log(cosh(G * t / w)) + t * tanh(G * t / w)) * (-w / (2 * 0.8)),
                1e-9);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring_by_a_formula),  cmocka_unit_test(spring_tension),        cmocka_unit_test(torques),
        cmocka_unit_test(bushing_of_the_world), cmocka_unit_test(bushing_of_two_bodies), cmocka_unit_test(thrust),
        cmocka_unit_test(drag_on_a_point),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
