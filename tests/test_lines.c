/* test_lines.c - polylines: discs that roll over corners and lie in them, terrain of a thousand segments, states saved
 * on the way. */
#include "tests/contact_checks.h"

/* A disc of mass 2 and inertia 0.01 that rolls along a level, over a corner and down a slope of 3 to 10. It slips at
 * first until 2/3 of its speed is left, 1/2 (m + I/r^2) v^2 + m g y is constant from there on. On the corner (at the
 * origin, or far away from it) it turns about it, slow as it is. */
#define ROLLER                                                                                                      \
    "'gravity': [0, -10], 'parameters': { 'r': 0.1, 'v': 0.7, 'down': -0.3, 'X': %.17g, 'Y': %.17g },"              \
    "'points': { 'P': { 'at': ['X - 0.3', 'Y + r'], 'velocity': ['v', 0] }, 'R': { 'at': ['X - 0.2', 'Y + r'] } }," \
    "'bodies': { 'disc': { 'type': 'bar', 'points': ['P', 'R'], 'mass': 2, 'centre': 0, 'inertia': 0.01 } },"       \
    "'contacts': { 'way': { 'type': 'ground', 'points': ['P'], 'radius': 'r', 'body': 'disc', 'mu_kinetic': 0.9, "  \
    "'closed': ['P'], 'line': [['X - 3', 'Y'], ['X', 'Y'], ['X + 1', 'Y + down'], ['X + 9', 'Y + 9*down']] } },"    \
    "'simulation': { 'duration': 1, 'rtol': 1e-11 }"

static void test_rolls_over_a_corner(void **state)
{
    static const double where[][2] = { { 0, 0 }, { 1000, -300 }, { -0.1, 0.7 } };

    (void)state;
    for (int k = 0; k < SAL_COUNT(where); k++) {
        const double X = where[k][0], Y = where[k][1], u = 0.7 * 2.0 / 3.0, s = hypot(1.0, 0.3);
        char         text[1600];
        double       x, y, speed;
        rig          r;
        snprintf(text, sizeof text, ROLLER, X, Y);
        r = rig_load(text);
        rig_run(&r, NULL);
        rig_event(&r, "way.P_1.stick");
        assert_near(hypot(sal_run_v(r.run)[0], sal_run_v(r.run)[1]), u, 1e-9);
        rig_event(&r, "way.P_1.leave");
        assert_near(sal_run_q(r.run)[0] - X, 0.0, 1e-10);
        assert_true(sal_run_closed(r.run, 3)); /* the corner has it */
        rig_event(&r, "way.P_corner1.leave");
        assert_true(sal_run_closed(r.run, 1));
        rig_to(&r, 1.0);
        x     = sal_run_q(r.run)[0] - X;
        y     = sal_run_q(r.run)[1] - Y;
        speed = hypot(sal_run_v(r.run)[0], sal_run_v(r.run)[1]);
        assert_near(0.3 / s * x + y / s, 0.1, 1e-10); /* on the slope */
        assert_near(1.5 * (speed * speed - u * u), 20.0 * (0.1 - y), 1e-8);
        rig_free(&r);
    }
}

static void test_derivatives_over_a_corner(void **state)
{
    char text[1600];
    rig  r;

    (void)state;
    snprintf(text, sizeof text, ROLLER, 0.0, 0.0);
    r = rig_load(text);
    rig_verify(&r, with_respect_to((const char *const[]){ "r", "v", "down" }, 3), "a roller");
    rig_free(&r);
}

/* A box slides off a step, without friction: its corner passes that of the step, where an edge and a segment each begin
 * and end, and nothing happens to its speed until its centre has passed as well. Then it tips. */
static void test_slides_off_a_step(void **state)
{
    static const double where[][2] = { { 0, 0 }, { 1000, -300 }, { -0.1, 0.7 } };

    (void)state;
    for (int k = 0; k < SAL_COUNT(where); k++) {
        for (int left = 0; left < 2; left++) {
            char         text[1600];
            const double X = where[k][0], Y = where[k][1], passes = (0.1 + 0.02) / 3.0;
            rig          r;
            snprintf(
                text, sizeof text,
                "'gravity': [0, -10], 'points': { 'P': { 'at': [%.17g, %.17g], 'velocity': [3, 0] }, 'R': { 'at': "
                "[%.17g, %.17g], 'velocity': [3, 0] } }, 'bodies': { 'box': { 'type': 'rigid', 'points': ['P', 'R'],"
                "'mass': 1, 'centre': [0.1, 0.05], 'inertia': 0.01, 'markers': { 'C': [0.2, 0.1], 'D': [0, 0.1] } } "
                "}, 'contacts': { 'step': { 'type': 'ground', 'outline': %s, 'line': [[%.17g, %.17g], [%.17g, "
                "%.17g], [%.17g, %.17g], [%.17g, %.17g]] } }, 'simulation': { 'duration': 0.1, 'rtol': 1e-11 }",
                X - 0.22, Y, X - 0.02, Y, left ? "['P', 'R', 'C', 'D']" : "['D', 'C', 'R', 'P']", X - 2.0, Y, X, Y, X,
                Y - 0.5, X + 2.0, Y - 0.5);
            r = rig_load(text);
            rig_run(&r, NULL);
            rig_event(&r, "step.R_1.leave");
            assert_near(sal_run_time(r.run), 0.02 / 3.0, 1e-10);
            rig_to(&r, 0.99 * passes);
            assert_near(sal_run_v(r.run)[0], 3.0, 1e-10);
            assert_near(sal_run_v(r.run)[1], 0.0, 1e-10);
            assert_near(sal_run_q(r.run)[3], Y, 1e-10);
            assert_int_equal(sal_simulate(r.run, NULL, 0), SAL_END);
            assert_near(sal_run_energy(r.run) - sal_run_get_stats(r.run).energy_start, 0.0, 1e-8); /* no blow at all */
            assert_true(sal_run_q(r.run)[3] < Y - 1e-3);
            rig_free(&r);
        }
    }
}

/* Waves with a rough surface by n segments, the same numbers for every n that divides 1000. */
static void put_terrain(char *text, size_t room, int n, const char *what)
{
    size_t used = (size_t)snprintf(text, room,
                                   "'points': { 'P': { 'at': [0, 0.4], 'velocity': [2, 0] }, 'R': { 'at': "
                                   "[0.3, 0.4] } }, 'gravity': [0, -10], 'bodies': { 'b': { 'type': 'rigid', "
                                   "'points': ['P', 'R'], 'mass': 1, 'centre': [0, 0], 'inertia': 0.02, "
                                   "'markers': { 'C': [0.3, 0.2], 'D': [0, 0.2] } } }, 'simulation': { "
                                   "'duration': 3, 'rtol': 1e-8 }, 'contacts': { 'g': { 'type': 'ground', "
                                   "'mu_kinetic': 0.3, 'restitution': 0.2, %s, 'line': [",
                                   what);

    for (int i = 0; i <= n; i++) {
        const int    k = i * (1000 / n);
        const double x = -5.0 + 0.02 * k, y = 0.05 * sin(3.1 * x) + 0.001 * ((k * 7919) % 13) / 13.0;
        used += (size_t)snprintf(text + used, room - used, "%s[%.9g, %.9g]", i ? ", " : "", x, y);
    }
    snprintf(text + used, room - used, "] } }");
}

static double height_of(int n, double x)
{
    const double at = (x + 5.0) / (20.0 / n);
    const int    i  = (int)floor(at);
    double       y[2];

    for (int j = 0; j < 2; j++) {
        const int k = (i + j) * (1000 / n);
        y[j]        = 0.05 * sin(3.1 * (-5.0 + 0.02 * k)) + 0.001 * ((k * 7919) % 13) / 13.0;
    }
    return y[0] + (at - i) * (y[1] - y[0]);
}

/* Points, discs and boxes on it: energy never grows, nothing sinks in. */
static void test_terrain(void **state)
{
    static const char *const what[]  = { "'points': ['P']", "'points': ['P'], 'radius': 0.15, 'body': 'b'",
                                         "'outline': ['P', 'R', 'C', 'D']" };
    static const int         count[] = { 10, 100, 1000 };
    static char              text[60000];

    (void)state;
    for (int k = 0; k < SAL_COUNT(what); k++) {
        for (int i = 0; i < SAL_COUNT(count); i++) {
            sal_status status = SAL_OK;
            double     energy, radius = k == 1 ? 0.15 : 0.0;
            rig        r;
            put_terrain(text, sizeof text, count[i], what[k]);
            r = rig_load(text);
            rig_run(&r, NULL);
            energy = sal_run_energy(r.run);
            while (status == SAL_OK || status == SAL_EVENT) {
                const double *q = sal_run_q(r.run);
                status          = sal_run_step(r.run);
                if (status < 0) fail_msg("%s, %d: %s", what[k], count[i], sal_run_message(r.run));
                assert_true(sal_run_energy(r.run) <= energy + 1e-6);
                energy = fmin(energy, sal_run_energy(r.run));
                assert_true(q[1] - height_of(count[i], q[0]) >= radius - 1e-7);
            }
            rig_free(&r);
        }
    }
}

/* A state saved on the way knows which parts of the line are near. */
static void test_saved_on_a_line(void **state)
{
    static char text[60000];
    static char bytes[400000];
    size_t      size;
    double      q[4];
    rig         r;

    (void)state;
    put_terrain(text, sizeof text, 100, "'outline': ['P', 'R', 'C', 'D']");
    r = rig_load(text);
    rig_run(&r, NULL);
    for (int k = 0; k < 25; k++) assert_true(sal_run_step(r.run) >= 0);
    assert_int_equal(sal_run_save(r.run, bytes, sizeof bytes, &size), SAL_OK);
    while (sal_run_step(r.run) != SAL_END) continue;
    memcpy(q, sal_run_q(r.run), sizeof q);
    rig_run(&r, NULL);
    assert_int_equal(sal_run_load(r.run, bytes, size), SAL_OK);
    while (sal_run_step(r.run) != SAL_END) continue;
    assert_memory_equal(q, sal_run_q(r.run), sizeof q);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rolls_over_a_corner), cmocka_unit_test(test_derivatives_over_a_corner),
        cmocka_unit_test(test_slides_off_a_step),   cmocka_unit_test(test_terrain),
        cmocka_unit_test(test_saved_on_a_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
