/* test_sens.c - sensitivities: closed forms, and everything a parameter can stand for against differences. */
#include "tests/differences.h"

/* ----------------------------------------------------------------------------------- closed forms */

static sal_run_opts wrt_these(const char *const *names, int n)
{
    sal_run_opts opts = with_respect_to(names, n);

    opts.rtol = 1e-12;
    return opts;
}

/* Dropped from 50 m. On the n-th flight y = u s - g s^2/2 with s = t - t_n; numbers computed with 50 digits. */
static void bouncing_ball(void **state)
{
    static const char *const names[] = { "rest", "g", "h", "initial(P.y)" };
    static const double expected[]   = { 314.568839957686, -7.277029744509896, 1.596182170076060, 1.596182170076060 };
    rig                 r            = rig_load(
                                   "'parameters': { 'rest': 0.8, 'g': 9.8, 'h': 50 }, 'gravity': [0, '-g'],"
                                                              "'points': { 'P': { 'at': [0, 'h'] } },"
                                                              "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                                              "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'law': 'reset', 'restitution': 'rest' } },"
                                                              "'simulation': { 'duration': 20 }");
    sal_run_opts opts = wrt_these(names, 4);

    (void)state;
    rig_run(&r, &opts);
    while (sal_run_to(r.run, 15.0) == SAL_EVENT) continue;
    assert_near(sal_run_time(r.run), 15.0, 0.0);
    assert_near(sal_run_q(r.run)[1], 8.494217007606046, 1e-10 * 8.5);
    for (int c = 0; c < 4; c++) assert_near(sal_run_Q(r.run)[4 + c], expected[c], 1e-10 * fabs(expected[c]));
    rig_free(&r);
}

/* With speed 1 to a surface at x = q. */
static void constant_speed(void **state)
{
    static const char *const names[] = { "q", "initial(P.x)", "initial(P.vx)" };
    rig                      r       = rig_load(
                                   "'parameters': { 'q': 0.75 }, 'gravity': [0, 0], 'points': { 'P': { 'at': [0, 0], 'velocity': [1, 0] } },"
                                                              "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                                              "'contacts': { 'wall': { 'type': 'event', 'when': 'q - x(P)', 'set': { 'vx(P)': '-vx(P)' } } },"
                                                              "'simulation': { 'duration': 2 }");
    sal_run_opts opts = wrt_these(names, 3);

    (void)state;
    rig_run(&r, &opts);
    assert_int_equal(sal_run_to(r.run, 2.0), SAL_EVENT);
    assert_near(sal_run_event_gradient(r.run)[0], 1.0, 0.0);
    assert_near(sal_run_event_gradient(r.run)[1], -1.0, 0.0);
    assert_near(sal_run_event_gradient(r.run)[2], -0.75, 1e-15);
    assert_near(sal_run_Q_before(r.run)[0], 0.0, 0.0);
    assert_near(sal_run_Q(r.run)[0], 2.0, 0.0); /* x = q - (t - q) afterwards */
    assert_near(sal_run_Q(r.run)[1], -1.0, 0.0);
    assert_near(sal_run_V(r.run)[2], -1.0, 1e-15);
    rig_free(&r);
}

/* x' = -a; y' = b until x = 0, and 0 from then on: y(1) = b x(0)/a. */
static void switched(void **state)
{
    static const char *const names[] = { "a", "b", "initial(X.x)" };
    rig                      r       = rig_load(
                                   "'parameters': { 'a': 2, 'b': 1 }, 'gravity': [0, 0],"
                                                              "'points': { 'X': { 'at': [1, 0], 'velocity': ['-a', 0] }, 'Y': { 'at': [0, 0], 'velocity': [0, 'b'] } },"
                                                              "'bodies': { 'mx': { 'type': 'point_mass', 'point': 'X', 'mass': 1 },"
                                                              "            'my': { 'type': 'point_mass', 'point': 'Y', 'mass': 1 } },"
                                                              "'contacts': { 'switch': { 'type': 'event', 'when': 'x(X)', 'set': { 'vy(Y)': '0' } } },"
                                                              "'simulation': { 'duration': 1 }");
    sal_run_opts opts = wrt_these(names, 3);

    (void)state;
    rig_run(&r, &opts);
    while (sal_run_to(r.run, 1.0) == SAL_EVENT) continue;
    assert_near(sal_run_q(r.run)[3], 0.5, 1e-15);
    assert_near(sal_run_Q(r.run)[9], -0.25, 1e-15);
    assert_near(sal_run_Q(r.run)[10], 0.5, 1e-15);
    assert_near(sal_run_Q(r.run)[11], 0.5, 1e-15);
    rig_free(&r);
}

/* Two balls that touch the floor at the same instant: each as if it were alone, as long as what changes changes both.
 */
static void simultaneous(void **state)
{
    static const char *const names[] = { "h", "rest", "g" };
    const double             h = 2.0, g = 9.8, rest = 0.8, T = 1.2, t = sqrt(2.0 * h / g), v = g * t, s = T - t;
    const double             th = 0.5 * t / h, tg = -0.5 * t / g;
    /* y = rest v s - g s^2/2 */
    const double expected[] = { rest * (0.5 * v / h) * s - (rest * v - g * s) * th, v * s,
                                rest * (0.5 * v / g) * s - (rest * v - g * s) * tg - 0.5 * s * s };
    rig          r          = rig_load(
                          "'parameters': { 'h': 2, 'rest': 0.8, 'g': 9.8 }, 'gravity': [0, '-g'],"
                                            "'points': { 'P': { 'at': [0, 'h'] }, 'Q': { 'at': [1, 'h'] } },"
                                            "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"
                                            "            'q': { 'type': 'point_mass', 'point': 'Q', 'mass': 2 } },"
                                            "'contacts': { 'floor': { 'type': 'ground', 'points': ['P', 'Q'], 'law': 'reset', 'restitution': 'rest' } },"
                                            "'simulation': { 'duration': 1.2 }");
    sal_run_opts opts = wrt_these(names, 3);

    (void)state;
    rig_run(&r, &opts);
    assert_int_equal(sal_run_to(r.run, T), SAL_EVENT);
    assert_int_equal(sal_run_to(r.run, T), SAL_EVENT);
    assert_near(sal_run_event_gradient(r.run)[0], th, 1e-14);
    rig_to(&r, T);
    for (int c = 0; c < 3; c++) {
        assert_near(sal_run_Q(r.run)[3 + c], expected[c], 1e-13);
        assert_near(sal_run_Q(r.run)[9 + c], expected[c], 1e-13);
    }
    rig_free(&r);
}

/* ----------------------------------------------------------------------------------- ends of runs */

#define DROP(costs, contact)                                                                                     \
    "'parameters': { 'h': 3, 'g': 9.8, 'T': 0.7 }, 'gravity': [0, '-g'], 'points': { 'P': { 'at': [0, 'h'] } }," \
    "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } }," contact "'costs': {" costs "},"

static const char *const drop_wrt[] = { "h", "g", "T" };
static const double      drop_h = 3.0, drop_g = 9.8, drop_T = 0.7;

/* Dropped from h on y = 0, where the run ends: t_e = sqrt(2h/g). */
static void end_at_an_event(void **state)
{
    const double t = sqrt(2.0 * drop_h / drop_g), v = drop_g * t, th = 0.5 * t / drop_h, tg = -0.5 * t / drop_g;
    const double expected[][3] = {
        { t, th, tg },                                               /* the time itself */
        { -v, -0.5 * v / drop_h, -0.5 * v / drop_g },                /* speed there: sqrt(2gh) */
        { 2.0 / 3.0 * drop_h * t, t, -drop_h * t / (3.0 * drop_g) }, /* integral of y */
        { -v + 2.0 / 3.0 * drop_h * t, t - 0.5 * v / drop_h,
          -drop_h * t / (3.0 * drop_g) - 0.5 * v / drop_g }, /* both */
        { 0.0, 0.0, 0.0 },                                   /* y is zero there */
    };
    rig r = rig_load(
        DROP("'time': { 'running': '1' }, 'speed': { 'terminal': 'vy(P)' }, 'area': { 'running': 'y(P)' },"
             "'both': { 'running': 'y(P)', 'terminal': 'vy(P)' }, 'y': { 'terminal': 'y(P)' }",
             "'contacts': { 'ground': { 'type': 'event', 'when': 'y(P)', 'stop': true } },") "'simulation': { "
                                                                                             "'duration': 'T + 1' }");
    sal_run_opts opts = wrt_these(drop_wrt, 3);

    (void)state;
    rig_run(&r, &opts);
    assert_int_equal(sal_run_to(r.run, 1.5), SAL_EVENT);
    for (int pass = 0; pass < 2; pass++) {
        const double *Z = sal_run_cost_gradients(r.run);
        assert_near(sal_run_event_gradient(r.run)[0], th, 1e-14);
        for (int k = 0; k < 5; k++) {
            assert_near(sal_run_costs(r.run)[k], expected[k][0], 1e-13);
            assert_near(Z[3 * k], expected[k][1], 1e-13);
            assert_near(Z[3 * k + 1], expected[k][2], 1e-13);
            assert_near(Z[3 * k + 2], 0.0, 0.0); /* the duration no longer matters */
        }
        assert_near(sal_run_V(r.run)[3], 0.0, 1e-13); /* v = -g t at fixed time does not know of h */
        assert_int_equal(sal_run_to(r.run, 1.5), SAL_END);
    }
    rig_free(&r);
}

/* The same with t in the cost. */
static void end_at_an_event_with_t(void **state)
{
    const double t = sqrt(2.0 * drop_h / drop_g), th = 0.5 * t / drop_h, tg = -0.5 * t / drop_g;
    rig          r = rig_load(
                 DROP("'t': { 'terminal': 't' }, 'ramp': { 'running': 't' }, 'square': { 'terminal': 't^2*y(P)' }",
                      "'contacts': { 'ground': { 'type': 'event', 'when': 'y(P)', 'stop': true } },") "'simulation': { "
                                                                                                               "'duration': 2 }");
    sal_run_opts opts = wrt_these(drop_wrt, 2);

    (void)state;
    rig_run(&r, &opts);
    assert_int_equal(sal_run_to(r.run, 1.5), SAL_EVENT);
    assert_near(sal_run_cost_gradients(r.run)[0], th, 1e-14);
    assert_near(sal_run_cost_gradients(r.run)[1], tg, 1e-14);
    assert_near(sal_run_cost_gradients(r.run)[2], t * th, 1e-14);
    assert_near(sal_run_cost_gradients(r.run)[3], t * tg, 1e-14);
    assert_near(sal_run_cost_gradients(r.run)[4], 0.0, 1e-13);
    assert_near(sal_run_cost_gradients(r.run)[5], 0.0, 1e-13);
    rig_free(&r);
}

/* An end that also bounces: terminal costs see the velocity after it, running costs end before it. */
static void end_at_a_bounce(void **state)
{
    const double t = sqrt(2.0 * drop_h / drop_g), v = drop_g * t;
    rig          r = rig_load(
                 DROP("'speed': { 'terminal': 'vy(P)' }, 'height': { 'running': 'vy(P)' }",
                      "'contacts': { 'ground': { 'type': 'event', 'when': 'y(P)', 'stop': true,"
                               "                          'set': { 'vy(P)': '-0.5*vy(P)' } } },") "'simulation': { 'duration': 2 }");
    sal_run_opts opts = wrt_these(drop_wrt, 2);

    (void)state;
    rig_run(&r, &opts);
    assert_int_equal(sal_run_to(r.run, 1.5), SAL_EVENT);
    assert_near(sal_run_costs(r.run)[0], 0.5 * v, 1e-13);
    assert_near(sal_run_costs(r.run)[1], -drop_h, 1e-13);
    assert_near(sal_run_cost_gradients(r.run)[0], 0.25 * v / drop_h, 1e-13);
    assert_near(sal_run_cost_gradients(r.run)[1], 0.25 * v / drop_g, 1e-13);
    assert_near(sal_run_cost_gradients(r.run)[2], -1.0, 1e-13);
    assert_near(sal_run_cost_gradients(r.run)[3], 0.0, 1e-13);
    rig_free(&r);
}

/* The duration is a parameter; one given to the run is not. */
static void duration_as_parameter(void **state)
{
    const double T = drop_T, y = drop_h - 0.5 * drop_g * T * T;
    rig r = rig_load(DROP("'y': { 'terminal': 'y(P)' }, 'area': { 'running': 'y(P)' }, 't': { 'terminal': 't' },"
                          "'both': { 'running': 'y(P)', 'terminal': 'y(P)*t' }",
                          "") "'simulation': { 'duration': 'T' }");
    sal_run_opts opts = wrt_these(drop_wrt, 3);

    (void)state;
    for (int given = 0; given < 2; given++) {
        const double *Z, on = given ? 0.0 : 1.0;
        opts.duration = given ? T : -1.0;
        rig_run(&r, &opts);
        rig_to(&r, 0.5 * T); /* on the way the end does not matter */
        assert_near(sal_run_cost_gradients(r.run)[0], 1.0, 1e-14);
        assert_near(sal_run_cost_gradients(r.run)[2], 0.0, 0.0);
        rig_to(&r, T);
        Z = sal_run_cost_gradients(r.run);
        assert_near(Z[0], 1.0, 1e-13);
        assert_near(Z[1], -0.5 * T * T, 1e-13);
        assert_near(Z[2], on * -drop_g * T, 1e-13);
        assert_near(Z[3], T, 1e-13);
        assert_near(Z[4], -T * T * T / 6.0, 1e-13);
        assert_near(Z[5], on * y, 1e-13);
        assert_near(Z[8], on, 1e-14);
        assert_near(Z[9], 2.0 * T, 1e-13);
        assert_near(Z[11], on * (2.0 * y - drop_g * T * T), 1e-13);
        while (sal_run_step(r.run) != SAL_END) continue;
        assert_near(sal_run_cost_gradients(r.run)[5], on * y, 1e-13);
    }
    rig_free(&r);
}

/* Duration and stop in a mechanism, by differences: the costs of the whole run. */
static void ends_by_differences(void **state)
{
    static const quantity wrt[] = { { "L", 1, 0.0003 }, { "m", 2, 0.003 }, { "c", 0.7, 0.0003 }, { "T", 0.9, 0.0003 } };
    static const double   times[]    = { HUGE_VAL };
    static const char *const stops[] = { "true", "false" };

    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1500];
        snprintf(
            text, sizeof text,
            "'parameters': { 'L': 1, 'm': 2, 'c': 0.7, 'T': 0.9 },"
            "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': ['L', 0] }, 'R': { 'at': [1.5, 0.5] } },"
            "'bodies': { 'bar': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 'm', 'length': 'L' },"
            "            'rod': { 'type': 'bar', 'points': ['P', 'R'], 'mass': 1, 'length': 0.7 } },"
            "'contacts': { 'low': { 'type': 'event', 'when': 'y(R) + c*L', 'stop': %s, 'set': { 'vy(R)': '-c*vy(R)' } "
            "} },"
            "'costs': { 'one': { 'running': 'x(R)*vy(P)' }, 'two': { 'terminal': 'vx(R)*y(P) + m*lambda(bar)' },"
            "           'three': { 'running': 'energy() + ax(R)', 'terminal': 'vy(R)^2' } },"
            "'simulation': { 'duration': 'T' }",
            stops[k]);
        rig r = rig_load(text);
        VERIFY(&r, wrt, times, 1e-7, 1, sal_run_defaults());
        rig_free(&r);
    }
}

/* ------------------------------------------------------------------------- functions of time, bodies */

#define DRIVEN(contacts)                                                                                           \
    "'parameters': { 'A': 0.3, 'w': 4, 'L0': 1, 'B': 0.2, 'S': 0.5, 'k': 30, 'c': 0.7, 'rest': 0.9 },"             \
    "'points': { 'O': { 'at': ['A*sin(w*t)', 0], 'fixed': true }, 'W': { 'at': [1, '-0.5 + 0.1*A*t^2'], 'fixed': " \
    "true },"                                                                                                      \
    "            'P': { 'at': [0.6, -0.8] }, 'R': { 'at': [1.2, -1] } },"                                          \
    "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 },"                                          \
    "            'rod': { 'type': 'bar', 'points': ['P', 'R'], 'mass': 1, 'length': 0.6 } },"                      \
    "'joints': { 'rope': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'L0 + B*t' },"                      \
    "            'spring': { 'type': 'spring', 'points': ['W', 'R'], 'stiffness': 'k + S*t', 'length': 'S*(1 + "   \
    "0.2*sin(w*t))',"                                                                                              \
    "                        'damping': 'c*(1 + B*t)' } }," contacts                                               \
    "'costs': { 'z': { 'running': 'x(R)*t + lambda(rope)', 'terminal': 'energy()*t + vx(O)' } },"                  \
    "'simulation': { 'duration': 2 }"

static const quantity driven_wrt[]   = { { "A", 0.3, 1e-3 }, { "w", 4, 1e-3 },  { "L0", 1, 1e-3 }, { "B", 0.2, 1e-3 },
                                         { "S", 0.5, 1e-3 }, { "k", 30, 1e-2 }, { "c", 0.7, 1e-3 } };
static const double   driven_times[] = { 0.0, 0.7, 2.0 };

static void driven(void **state)
{
    rig r = rig_load(DRIVEN(""));

    (void)state;
    VERIFY(&r, driven_wrt, driven_times, 1e-8, 0, sal_run_defaults());
    rig_free(&r);
}

static void driven_no_stabilization(void **state)
{
    rig          r    = rig_load(DRIVEN(""));
    sal_run_opts opts = sal_run_defaults();

    (void)state;
    opts.stabilization = SAL_NO_STABILIZATION;
    VERIFY(&r, driven_wrt, driven_times, 1e-8, 0, opts);
    opts.stabilization = SAL_BAUMGARTE;
    VERIFY(&r, driven_wrt, driven_times, 1e-8, 0, opts);
    opts.stabilization = -1;
    opts.form          = SAL_PENALTY;
    VERIFY(&r, driven_wrt, driven_times, 1e-7, 0, opts);
    rig_free(&r);
}

/* Functions of time go on after an event, also in what it sets and when it happens. */
static void driven_with_events(void **state)
{
    static const quantity wrt[] = { { "A", 0.3, 0.0001 }, { "w", 4, 0.0001 },     { "L0", 1, 0.0001 },
                                    { "B", 0.2, 0.0001 }, { "S", 0.5, 0.0001 },   { "k", 30, 0.001 },
                                    { "c", 0.7, 0.0001 }, { "rest", 0.9, 0.0001 } };
    rig                   r     = rig_load(
                              DRIVEN("'contacts': { 'side': { 'type': 'event', 'when': 'x(R) - c - 0.1*A*t', 'direction': 'both',"
                                                           "                        'set': { 'vx(R)': '-rest*vx(R) + 0.1*sin(w*t)' } },"
                                                           "              'watch': { 'type': 'event', 'when': 'y(R) + 1.2 + B*sin(t)', 'direction': 'both' } },"));

    (void)state;
    VERIFY(&r, wrt, driven_times, 1e-7, 2, sal_run_defaults());
    rig_free(&r);
}

static void rigid_body(void **state)
{
    static const quantity wrt[] = {
        { "cx", 0.25, 0.0002 },   { "cy", 0.05, 0.0002 },   { "I", 0.05, 0.0002 },  { "m", 2, 0.002 },
        { "L", 0.5, 0.0002 },     { "ex", 0.02, 0.0002 },   { "ey", 0.15, 0.0002 }, { "kx", 0.5, 0.0002 },
        { "ky", 0.15, 0.0002 },   { "k", 2, 0.002 },        { "c", 0.1, 0.0002 },   { "s", 0.5, 0.0002 },
        { "kick", 1.25, 0.0002 }, { "limit", 0.3, 0.0002 }, { "wx", 0.6, 0.0002 },
    };
    static const double times[] = { 0.0, 0.1, 1.0, 2.0 };
    rig                 r =
        rig_load("'parameters': { 'cx': 0.25, 'cy': 0.05, 'I': 0.05, 'm': 2, 'L': 0.5, 'ex': 0.02, 'ey': 0.15, 'kx': "
                 "0.5, 'ky': 0.15,"
                 "                'k': 2, 'c': 0.1, 's': 0.5, 'kick': 1.25, 'limit': 0.3, 'wx': 0.6 },"
                 "'points': { 'hook': { 'at': [0, 0], 'fixed': true }, 'wall': { 'at': ['wx', -0.3], 'fixed': true },"
                 "            'C1': { 'at': [-0.1, -0.1], 'dof': 'x' }, 'C2': { 'at': [0.3, -0.4] } },"
                 "'bodies': { 'plate': { 'type': 'rigid', 'points': ['C1', 'C2'], 'mass': 'm', 'centre': ['cx', 'cy'], "
                 "'inertia': 'I',"
                 "                       'length': 'L', 'markers': { 'eye': ['ex', 'ey'], 'corner': ['kx', 'ky'] } } },"
                 "'joints': { 'pin': { 'type': 'revolute', 'points': ['hook', 'eye'] },"
                 "            'damper': { 'type': 'spring', 'points': ['wall', 'corner'], 'stiffness': 'k', 'length': "
                 "'s', 'damping': 'c' } },"
                 "'contacts': { 'kicker': { 'type': 'event', 'when': 'x(corner) - x(eye) - limit', 'direction': "
                 "'both', 'guard': 'rate(plate) > 0',"
                 "                          'set': { 'rate(plate)': 'kick*rate(plate) + 0.1*limit' } } },"
                 "'costs': { 'turned': { 'running': 'rate(plate)', 'terminal': 'angle(plate)*lambda(pin.x)' },"
                 "           'energy': { 'running': 'energy()', 'terminal': 'distance(wall, corner) + ay(corner)' } },"
                 "'simulation': { 'duration': 2 }");

    (void)state;
    VERIFY(&r, wrt, times, 1e-7, 1, sal_run_defaults());
    rig_free(&r);
}

/* Bodies free in the plane and set velocities that leave much open: the masses decide, and so do their derivatives. */
static void impulses(void **state)
{
    static const quantity wrt[]   = { { "m", 2, 0.001 },
                                      { "c", 0.25, 0.0001 },
                                      { "I", 0.05, 0.0001 },
                                      { "rest", 0.8, 0.0001 },
                                      { "h", -1, 0.0001 },
                                      { "s", 0.4, 0.0001 },
                                      { "initial(P.vx)", 0.3, 0.0001 },
                                      { "initial(Q.y)", 0.3, 0.0001 },
                                      { "initial(P.x)", 0.0, 0.0001 } };
    static const double   times[] = { 0.0, 0.2, 0.8, 1.0 };
    rig                   r       = rig_load(
                                "'parameters': { 'm': 2, 'c': 0.25, 'I': 0.05, 'rest': 0.8, 'h': -1, 's': 0.4 },"
                                                        "'points': { 'P': { 'at': [0, 0], 'velocity': [0.3, 0] }, 'Q': { 'at': [0.4, 0.3], 'velocity': [0.1, 0.2] } },"
                                                        "'bodies': { 'stick': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 'm', 'length': 0.5, 'centre': 'c',"
                                                        "                       'inertia': 'I', 'markers': { 'mid': ['s', 0.1] } },"
                                                        "            'knob': { 'type': 'point_mass', 'point': 'Q', 'mass': 0.3 } },"
                                                        "'contacts': { 'floor': { 'type': 'ground', 'points': ['P', 'mid'], 'height': 'h', 'law': 'reset',"
                                                        "                         'restitution': 'rest' } },"
                                                        "'costs': { 'z': { 'running': 'rate(stick)^2 + vy(mid)', 'terminal': 'angle(stick)' } },"
                                                        "'simulation': { 'duration': 1 }");

    (void)state;
    VERIFY(&r, wrt, times, 1e-7, 2, sal_run_defaults());
    rig_free(&r);
}

/* An event may be where an acceleration or a reaction passes a value. */
static void when_a_force_passes(void **state)
{
    static const quantity wrt[] = {
        { "L", 1, 0.0001 }, { "g", 9.81, 0.001 }, { "c", 6, 0.0001 }, { "rest", 0.5, 0.0001 }
    };
    static const double times[] = { 0.1, 0.6, 1.0 };
    rig                 r = rig_load("'parameters': { 'L': 1, 'g': 9.81, 'c': 6, 'rest': 0.5 }, 'gravity': [0, '-g'],"
                                                     "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': ['L', 0] } },"
                                                     "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                                     "'joints': { 'rope': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'L' } },"
                                                     "'contacts': { 'tight': { 'type': 'event', 'when': 'lambda(rope) - c*L', 'direction': 'rising',"
                                                     "                         'set': { 'vx(P)': 'rest*vx(P)' } } },"
                                                     "'simulation': { 'duration': 1 }");

    (void)state;
    VERIFY(&r, wrt, times, 1e-7, 1, sal_run_defaults());
    rig_free(&r);
}

/* --------------------------------------------------------------------------------------- assembly */

/* A four-bar from approximate positions; `marks` goes into the first free point. */
static rig four_bar(const char *one, const char *two)
{
    char text[1500];

    snprintf(text, sizeof text,
             "'parameters': { 'L1': 1, 'L2': 1.7, 'L3': 1.2, 'bx': 2, 'by': 0.1, 'u': 0.4, 'x1': 0.2 },"
             "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': ['bx', 'by'], 'fixed': true },"
             "            'P1': { 'at': ['x1', 0.9] %s }, 'P2': { 'at': [1.85, 1.15] %s } },"
             "'bodies': { 'bar1': { 'type': 'bar', 'points': ['A', 'P1'], 'mass': 1, 'length': 'L1' },"
             "            'bar2': { 'type': 'bar', 'points': ['P1', 'P2'], 'mass': 2, 'length': 'L2' },"
             "            'bar3': { 'type': 'bar', 'points': ['P2', 'B'], 'mass': 1, 'length': 'L3' } },"
             "'simulation': { 'duration': 0.5 }",
             one, two);
    return rig_load(text);
}

static const quantity four_bar_wrt[] = {
    { "L1", 1, 5e-4 },
    { "L2", 1.7, 5e-4 },
    { "L3", 1.2, 5e-4 },
    { "bx", 2, 5e-4 },
    { "by", 0.1, 5e-4 },
    { "u", 0.4, 5e-4 },
    { "x1", 0.2, 5e-4 },
    { "initial(P1.y)", 0.9, 5e-4 },
    { "initial(P2.x)", 1.85, 5e-4 },
};

static void assembly(void **state)
{
    static const struct {
        const char *one, *two;
    } marks[] = {
        { "", "" }, /* the nearest positions */
        { ", 'dof': 'x'", "" },
        { ", 'dof': 'x', 'velocity': ['u', 0.1]", "" },
        { ", 'velocity': ['u', '-0.3*u']", ", 'velocity': [0.2, 0.1]" }, /* the nearest velocities */
        { ", 'velocity': ['u', '-0.3*u']", "" },                         /* nothing is known of P2's */
        { "", ", 'dof': 'y', 'velocity': [0.1, 'u']" },
    };
    static const double times[] = { 0.0, 0.1 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(marks); k++) {
        rig r = four_bar(marks[k].one, marks[k].two);
        VERIFY(&r, four_bar_wrt, times, 1e-8, 0, sal_run_defaults());
        rig_free(&r);
    }
}

/* With respect to initial velocities, of points whose velocities are given and of others. */
static void assembly_of_velocities(void **state)
{
    static const quantity wrt[]   = { { "L1", 1, 1e-3 },
                                      { "initial(P1.vx)", 0.4, 1e-2 },
                                      { "initial(P1.vy)", -0.1, 1e-2 },
                                      { "initial(P1.x)", 0.2, 1e-3 } };
    static const double   times[] = { 0.0, 0.1 };
    rig                   r       = four_bar(", 'velocity': ['u', -0.1]", "");

    (void)state;
    VERIFY(&r, wrt, times, 1e-8, 0, sal_run_defaults());
    rig_free(&r);
}

/* Positions that fit as they are: what moves when a length changes is the same as from positions that do not. */
static void assembly_from_exact_positions(void **state)
{
    static const char *const velocities[] = { "", ", 'velocity': [0.3, 0.4]" };
    static const char *const names[]      = { "L" };
    sal_run_opts             opts         = wrt_these(names, 1);

    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "'parameters': { 'L': 5 }, 'points': { 'P': { 'at': [0, 0] %s }, 'Q': { 'at': [3, 4] } },"
                 "'bodies': { 'stick': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 2, 'length': 'L' } },"
                 "'simulation': { 'duration': 1 }",
                 velocities[k]);
        rig r = rig_load(text);
        rig_run(&r, &opts);
        assert_near(sal_run_Q(r.run)[0], -0.3, 1e-12); /* each end moves by half of it */
        assert_near(sal_run_Q(r.run)[1], -0.4, 1e-12);
        assert_near(sal_run_Q(r.run)[2], 0.3, 1e-12);
        assert_near(sal_run_Q(r.run)[3], 0.4, 1e-12);
        rig_free(&r);
    }
}

/* Without a length of its own a body is as long as its points are apart in the scene: there a coordinate is geometry.
 * Where a run is told to start is not. */
static void lengths_from_positions(void **state)
{
    static const quantity wrt[] = {
        { "px", 0.3, 1e-3 }, { "py", -0.8, 1e-3 },          { "qx", 1.1, 1e-3 },
        { "ax", 0.1, 1e-3 }, { "initial(P.x)", 0.3, 1e-3 }, { "initial(R.y)", -1.0, 1e-3 }
    };
    static const double times[] = { 0.0, 0.5 };
    rig                 r       = rig_load("'parameters': { 'px': 0.3, 'py': -0.8, 'qx': 1.1, 'ax': 0.1 },"
                                                                 "'points': { 'A': { 'at': ['ax', 0], 'fixed': true }, 'P': { 'at': ['px', 'py'], 'dof': 'x' },"
                                                                 "            'R': { 'at': ['qx', -1], 'dof': 'y' } },"
                                                                 "'bodies': { 'bar': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1 },"
                                                                 "            'plate': { 'type': 'rigid', 'points': ['P', 'R'], 'mass': 2, 'centre': ['0.3*qx', "
                                                                 "0.1], 'inertia': 0.2 } },"
                                                                 "'costs': { 'z': { 'running': 'rate(plate)^2' } }, 'simulation': { 'duration': 0.5 }");

    (void)state;
    VERIFY(&r, wrt, times, 1e-8, 0, sal_run_defaults());
    rig_free(&r);
}

/* Constraints that say the same twice pass, also in derivatives. Multipliers are alpha omega^2 Phi: rounding of Phi
 * becomes 1e-10 of them with this alpha, and what is left of that after division by the step. */
static void redundant_constraints(void **state)
{
    static const quantity wrt[]   = { { "w", 1, 1e-2 }, { "L", 2, 1e-2 } };
    static const double   times[] = { 0.0, 0.3 };
    sal_run_opts          opts    = sal_run_defaults();
    rig                   r       = rig_load("'parameters': { 'w': 1, 'L': 2 },"
                                                                     "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': ['w', 0], 'fixed': true },"
                                                                     "            'C': { 'at': ['2*w', 0], 'fixed': true }, 'P': { 'at': [1.2, 1.6], 'dof': 'x' },"
                                                                     "            'Q': { 'at': ['1.2 + w', 1.6] }, 'R': { 'at': ['1.2 + 2*w', 1.6] } },"
                                                                     "'bodies': { 'b1': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 'L' },"
                                                                     "            'b2': { 'type': 'bar', 'points': ['B', 'Q'], 'mass': 1, 'length': 'L' },"
                                                                     "            'b3': { 'type': 'bar', 'points': ['C', 'R'], 'mass': 1, 'length': 'L' },"
                                                                     "            'b4': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1, 'length': 'w' },"
                                                                     "            'b5': { 'type': 'bar', 'points': ['Q', 'R'], 'mass': 1, 'length': 'w' } },"
                                                                     "'joints': { 'again': { 'type': 'distance', 'points': ['P', 'R'], 'length': '2*w' } },"
                                                                     "'simulation': { 'duration': 1, 'form': 'penalty', 'alpha': 1e4 }");

    (void)state;
    VERIFY(&r, wrt, times, 1e-6, 0, opts);
    rig_free(&r);
}

/* --------------------------------------------------------------------------------- parameters of parameters */

static void expressions_of_parameters(void **state)
{
    static const char *const names[] = { "a", "b", "c" };
    rig                      r       = rig_load(
                                   "'parameters': { 'a': 2, 'b': '3*a', 'c': 'a*b^2' }, 'gravity': [0, 0], 'points': { 'P': { 'at': ['a + c', "
                                                              "'b'] } },"
                                                              "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }, 'simulation': { 'duration': 1 }");
    sal_run_opts      opts = wrt_these(names, 3);
    const sal_setting set  = { "b", 5.0 };

    (void)state;
    rig_run(&r, &opts); /* c = 9 a^3 */
    assert_near(sal_run_Q(r.run)[0], 1.0 + 27.0 * 4.0, 1e-13);
    assert_near(sal_run_Q(r.run)[1], 2.0 * 2.0 * 6.0, 1e-13);
    assert_near(sal_run_Q(r.run)[2], 1.0, 0.0);
    assert_near(sal_run_Q(r.run)[3], 3.0, 0.0);
    assert_near(sal_run_Q(r.run)[4], 1.0, 0.0);
    opts.set  = &set;
    opts.nset = 1;
    rig_run(&r, &opts); /* b no longer follows a */
    assert_near(sal_run_Q(r.run)[0], 1.0 + 25.0, 1e-13);
    assert_near(sal_run_Q(r.run)[1], 2.0 * 2.0 * 5.0, 1e-13);
    assert_near(sal_run_Q(r.run)[3], 0.0, 0.0);
    assert_near(sal_run_Q(r.run)[4], 1.0, 0.0);
    assert_int_equal(sal_run_set(r.run, "initial(P.x)", 7.0), SAL_OK);
    assert_int_equal(sal_run_restart(r.run), SAL_OK); /* x no longer follows anything */
    for (int c = 0; c < 3; c++) assert_near(sal_run_Q(r.run)[c], 0.0, 0.0);
    rig_free(&r);
}

/* Memory that begins with a number of its own: as a stiffness, as the place of a pin, as what another memory is set to;
 * against differences, and in closed form where it is the only force. */
static void initial_memory(void **state)
{
    static const quantity wrt[]   = { { "initial(k)", 3.0, 1e-3 },
                                      { "initial(px)", 0.2, 1e-4 },
                                      { "initial(next)", 5.0, 1e-3 },
                                      { "initial(P.vx)", 0.7, 1e-4 },
                                      { "a", 1.5, 1e-3 } };
    static const double   times[] = { 0.0, 0.4, 1.0 };
    rig                   r       = rig_load(
                                "'gravity': [0, -1], 'parameters': { 'a': 1.5 }, 'memory': { 'k': '2*a', 'px': 0.2, 'next': 5 },"
                                                        "'points': { 'S': { 'at': ['px', 0], 'fixed': true }, 'P': { 'at': [1, 0], 'velocity': [0.7, 0] } },"
                                                        "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                                        "'joints': { 's': { 'type': 'spring', 'points': ['S', 'P'], 'stiffness': 'k', 'length': 0.5 } },"
                                                        "'contacts': { 'e': { 'type': 'event', 'when': 'y(P) + 0.1', 'set': { 'k': 'next*a', 'px': 'x(P)/2' } } },"
                                                        "'simulation': { 'duration': 1.5 }");

    (void)state;
    VERIFY(&r, wrt, times, 1e-7, 1, sal_run_defaults());
    rig_run(&r, NULL);
    assert_int_equal(sal_run_set(r.run, "initial(k)", 4.0), SAL_OK);
    assert_int_equal(sal_run_restart(r.run), SAL_OK);
    assert_near(sal_run_memory(r.run, 0), 4.0, 0.0);
    assert_int_equal(sal_run_start_at(r.run, NULL), SAL_OK); /* as the scene says */
    assert_near(sal_run_memory(r.run, 0), 3.0, 0.0);
    assert_int_equal(sal_run_set(r.run, "initial(kk)", 4.0), SAL_ERR_ARGUMENT);
    assert_says(sal_run_message(r.run), "initial(NAME) of memory");
    rig_free(&r);
}

/* -------------------------------------------------------------------------------------- bad input */

static void refuses(rig *r, const char *name, sal_status status, const char *part)
{
    const char *const names[] = { name };
    sal_run_opts      opts    = wrt_these(names, 1);

    opts.rtol = -1.0;
    assert_int_equal(rig_try(r, &opts), status);
    assert_null(r->run);
    assert_says(sal_message(r->context), part);
}

static void bad_names(void **state)
{
    rig r = rig_load(
        "'parameters': { 'mass': 1, 'tol': 1e-9, 'reach': 1 },"
        "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] } },"
        "'bodies': { 'b': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 'mass', 'markers': { 'mid': [0.5, 0] } } },"
        "'simulation': { 'duration': 1, 'rtol': '2*tol', 'max_step': 'reach' }");
    const char *const none[] = { "mass", "initial(P.vx)" };
    sal_run_opts      opts   = wrt_these(none, 2);

    (void)state;
    refuses(&r, "mas", SAL_ERR_ARGUMENT, "unknown parameter 'mas'; did you mean 'mass'?");
    refuses(&r, "", SAL_ERR_ARGUMENT, "unknown parameter ''");
    refuses(&r, "initial(O.x)", SAL_ERR_ARGUMENT, "initial(O.x)");
    refuses(&r, "initial(O.x)", SAL_ERR_ARGUMENT, "of free points");
    refuses(&r, "initial(Q.x)", SAL_ERR_ARGUMENT, "initial(Q.x)");
    refuses(&r, "initial(mid.x)", SAL_ERR_ARGUMENT, "initial(mid.x)");
    refuses(&r, "initial(P.z)", SAL_ERR_ARGUMENT, "initial(P.z)");
    refuses(&r, "initial(P.vxx)", SAL_ERR_ARGUMENT, "initial(P.vxx)");
    refuses(&r, "initial(P.x", SAL_ERR_ARGUMENT, "initial(P.x");
    refuses(&r, "initial(P)", SAL_ERR_ARGUMENT, "initial(P)");
    refuses(&r, "x(P)", SAL_ERR_ARGUMENT, "x(P)");
    refuses(&r, "tol", SAL_ERR_ARGUMENT, "tol");
    refuses(&r, "tol", SAL_ERR_ARGUMENT, "a tolerance or step limit depends on");
    refuses(&r, "reach", SAL_ERR_ARGUMENT, "a tolerance or step limit depends on reach");
    rig_run(&r, &opts); /* and still works */
    assert_int_equal(sal_run_set(r.run, "initial(O.x)", 1.0), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_run_set(r.run, "initial(P.x)", NAN), SAL_ERR_ARGUMENT);
    rig_to(&r, 0.5);
    rig_free(&r);
}

static void trailing_junk_in_names(void **state)
{
    rig r = rig_load(
        "'points': { 'P': { 'at': [1, 0] } }, 'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }");

    (void)state;
    refuses(&r, "initial(P.x) + initial(P.y)", SAL_ERR_ARGUMENT, "initial(P.x) + initial(P.y)");
    rig_free(&r);
}

static void no_derivative(void **state)
{
    rig r = rig_load(
        "'parameters': { 'x': 0, 'n': -1, 'c': 0, 'k': 2 }, 'points': { 'P': { 'at': ['sqrt(c)', 0] }, 'Q': { 'at': "
        "[1, 'abs(x)'] } },"
        "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 'k' },"
        "            'q': { 'type': 'point_mass', 'point': 'Q', 'mass': 1 } }, 'simulation': { 'duration': 1 }");

    (void)state;
    refuses(&r, "c", SAL_ERR_NUMBER, "points.P.at[0]: 'sqrt(c)' has no derivative with respect to c");
    refuses(&r, "c", SAL_ERR_NUMBER, "test");
    const char *const names[] = { "k" };
    sal_run_opts      opts    = wrt_these(names, 1); /* what does not move does no harm */
    rig_run(&r, &opts);
    rig_to(&r, 1.0);
    assert_near(sal_run_Q(r.run)[0], 0.0, 0.0);
    rig_free(&r);
}

/* A power of zero has no derivative in its exponent where that is not positive; there it has, zero. */
static void no_derivative_of_a_power(void **state)
{
    rig r = rig_load(
        "'parameters': { 'x': 0, 'n': 0, 'k': 0 }, 'points': { 'P': { 'at': ['abs(x)^n', '(2*k)^1.5'] } },"
        "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }, 'simulation': { 'duration': 1 }");
    const char *const names[] = { "k" };
    sal_run_opts      opts    = wrt_these(names, 1);

    (void)state;
    refuses(&r, "n", SAL_ERR_NUMBER, "points.P.at[0]: 'abs(x)^n' has no derivative with respect to n");
    rig_run(&r, &opts);
    assert_near(sal_run_Q(r.run)[1], 0.0, 0.0);
    rig_free(&r);
}

/* What an event sets may be made of accelerations, but then it cannot be differentiated. */
static void sets_from_accelerations(void **state)
{
    rig r = rig_load("'parameters': { 'g': 9.81 }, 'gravity': [0, '-g'], 'points': { 'P': { 'at': [0, 1] } },"
                     "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                     "'contacts': { 'kick': { 'type': 'event', 'when': 'y(P)', 'set': { 'vx(P)': 'ay(P)' } } },"
                     "'simulation': { 'duration': 1 }");

    (void)state;
    refuses(&r, "g", SAL_ERR_ARGUMENT, "kick");
    refuses(&r, "g", SAL_ERR_ARGUMENT, "reads accelerations or multipliers");
    rig_run(&r, NULL);
    assert_int_equal(sal_run_to(r.run, 1.0), SAL_EVENT);
    rig_free(&r);
}

/* An event that sets what has no derivative: the motion goes on, the sensitivities are said to be lost. */
static void no_derivative_in_an_event(void **state)
{
    static const char *const names[] = { "c" };
    rig          r    = rig_load("'parameters': { 'c': 0 }, 'gravity': [0, -9.81], 'points': { 'P': { 'at': [0, 1] } },"
                                             "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                             "'contacts': { 'kick': { 'type': 'event', 'when': 'y(P)', 'set': { 'vx(P)': 'sqrt(c)' } } },"
                                             "'simulation': { 'duration': 1 }");
    sal_run_opts opts = wrt_these(names, 1);

    (void)state;
    rig_run(&r, &opts);
    assert_int_equal(sal_run_to(r.run, 1.0), SAL_EVENT);
    rig_to(&r, 1.0);
    assert_says(sal_run_wrt_invalid(r.run), "kick");
    rig_free(&r);
}

/* A touch has no time that could be differentiated: said once, with the event and its time, and the run goes on. */
static void grazing(void **state)
{
    static const char *const names[] = { "v" };
    rig                      r       = rig_load(
                                   "'parameters': { 'v': 9.81 }, 'gravity': [0, -9.81], 'points': { 'P': { 'at': [0, 0], 'velocity': [1, 'v'] } },"
                                                              "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                                              "'contacts': { 'top': { 'type': 'event', 'when': '4.905 - y(P)', 'set': { 'vx(P)': '5' } },"
                                                              "              'wall': { 'type': 'event', 'when': '1.5 - x(P)', 'set': { 'vx(P)': '-vx(P)' } } },"
                                                              "'simulation': { 'duration': 1.9 }");
    sal_run_opts opts = wrt_these(names, 1);

    (void)state;
    rig_run(&r, &opts);
    assert_string_equal(sal_run_wrt_invalid(r.run), "");
    assert_int_equal(sal_run_to(r.run, 1.9), SAL_EVENT);
    assert_true(sal_run_event(r.run).grazing);
    assert_says(sal_run_wrt_invalid(r.run), "top");
    assert_says(sal_run_wrt_invalid(r.run), "t = 1");
    assert_true(isnan(sal_run_event_gradient(r.run)[0]));
    assert_int_equal(sal_run_to(r.run, 1.9), SAL_EVENT);
    assert_string_equal(sal_run_event(r.run).name, "wall");
    assert_says(sal_run_wrt_invalid(r.run), "top"); /* the first reason stays */
    rig_to(&r, 1.9);
    assert_near(sal_run_q(r.run)[0], 1.1, 1e-12);
    assert_int_equal(sal_run_set(r.run, "v", 5.0), SAL_OK);
    assert_int_equal(sal_run_restart(r.run), SAL_OK);
    assert_string_equal(sal_run_wrt_invalid(r.run), "");
    assert_int_equal(sal_run_to(r.run, 1.9), SAL_EVENT);
    rig_to(&r, 1.9);
    assert_string_equal(sal_run_wrt_invalid(r.run), "");
    assert_near(sal_run_Q(r.run)[1], 1.9, 1e-13);
    rig_free(&r);
}

/* A pendulum that hangs at rest moves nothing, but its derivatives swing: they take part in step control. With w = sqrt(g/L),
 * dx/dgx = (1 - cos wt)/w^2 and dx/dv = sin(wt)/w. */
static void motion_at_rest(void **state)
{
    static const char *const wrt[] = { "gx", "v" };
    rig                      r     = rig_load("'gravity': ['gx', -9.81], 'parameters': { 'gx': 0, 'v': 0 },"
                                                                       "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0, -1], 'velocity': ['v', 0] } },"
                                                                       "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                                                       "'joints': { 'd': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1 } },"
                                                                       "'simulation': { 'duration': 10 }");
    sal_run_opts             opts  = with_respect_to(wrt, 2);
    const double             w     = sqrt(9.81);

    (void)state;
    rig_run(&r, &opts);
    rig_to(&r, 10.0);
    assert_near(sal_run_Q(r.run)[0], (1.0 - cos(10.0 * w)) / 9.81, 1e-7); /* rtol is 1e-9, over ten seconds */
    assert_near(sal_run_Q(r.run)[1], sin(10.0 * w) / w, 1e-7);
    rig_free(&r);
}

/* A spring without natural length is smooth where its ends meet: x = x0 cos(wt), also at x0 = 0. */
static void spring_of_no_length(void **state)
{
    static const char *const wrt[] = { "x0" };
    rig r = rig_load("'gravity': [0, 0], 'parameters': { 'x0': 0 }, 'points': { 'O': { 'at': [0, 0], 'fixed': true }, "
                     "'P': { 'at': ['x0', 0] } },"
                     "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                     "'joints': { 's': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 4 } }, 'simulation': { "
                     "'duration': 3, 'rtol': 1e-11 }");
    sal_run_opts opts = with_respect_to(wrt, 1);

    (void)state;
    rig_run(&r, &opts);
    rig_to(&r, 3.0);
    assert_near(sal_run_Q(r.run)[0], cos(6.0), 1e-9);
    assert_near(sal_run_V(r.run)[0], -2.0 * sin(6.0), 1e-9);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_at_rest),
        cmocka_unit_test(spring_of_no_length),
        cmocka_unit_test(assembly_from_exact_positions),
        cmocka_unit_test(trailing_junk_in_names),
        cmocka_unit_test(no_derivative_in_an_event),
        cmocka_unit_test(initial_memory),
        cmocka_unit_test(bouncing_ball),
        cmocka_unit_test(constant_speed),
        cmocka_unit_test(switched),
        cmocka_unit_test(simultaneous),
        cmocka_unit_test(end_at_an_event),
        cmocka_unit_test(end_at_an_event_with_t),
        cmocka_unit_test(end_at_a_bounce),
        cmocka_unit_test(duration_as_parameter),
        cmocka_unit_test(ends_by_differences),
        cmocka_unit_test(driven),
        cmocka_unit_test(driven_no_stabilization),
        cmocka_unit_test(driven_with_events),
        cmocka_unit_test(rigid_body),
        cmocka_unit_test(impulses),
        cmocka_unit_test(sets_from_accelerations),
        cmocka_unit_test(when_a_force_passes),
        cmocka_unit_test(assembly),
        cmocka_unit_test(assembly_of_velocities),
        cmocka_unit_test(lengths_from_positions),
        cmocka_unit_test(redundant_constraints),
        cmocka_unit_test(expressions_of_parameters),
        cmocka_unit_test(bad_names),
        cmocka_unit_test(no_derivative),
        cmocka_unit_test(no_derivative_of_a_power),
        cmocka_unit_test(grazing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
