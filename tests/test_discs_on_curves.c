/* test_discs_on_curves.c - discs that roll and fall on profiles: closed forms, the same ground said in other words, the
 * distance found by brute force, derivatives on random curves, discs that do not fit. */
#include "tests/contact_checks.h"

#define DISC \
    "'bodies': { 'disc': { 'type': 'rigid', 'points': ['C', 'R'], 'mass': 2, 'centre': [0, 0], 'inertia': 0.03 } }"

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

static rig start(rig r)
{
    sal_run_opts opts = sal_run_defaults();

    opts.rtol  = 1e-12;
    opts.atol  = 1e-12;
    opts.quiet = true;
    rig_run(&r, &opts);
    return r;
}

/* In a circular bowl its centre is on a circle: with a the angle from the bottom and l = R - r,
 *
 *     1/2 (m + I/r^2) l^2 a'^2 = m g l (cos a - cos a0),    N = m (g cos a + l a'^2),    omega = -l a'/r */
static void test_circular_bowl(void **state)
{
    const double R = 1.5, r = 0.2, l = R - r, m = 2.0, inertia = 0.03, g = 9.81, a0 = 0.7;
    rig          x = start(load("'points': { 'C': { 'at': ['1.3*sin(0.7)', '1.5 - 1.3*cos(0.7)'] },"
                                         "            'R': { 'at': ['1.3*sin(0.7) + 0.1', '1.5 - 1.3*cos(0.7)'] } }, " DISC
                                ", 'contacts': { 'bowl': { 'type': 'ground', 'points': ['C'], 'closed': ['C'], 'radius': 0.2,"
                                         "  'profile': '1.5 - sqrt(2.25 - x^2)', 'body': 'disc', 'mu_static': 2 } },"
                                         "'simulation': { 'duration': 3 }"));

    (void)state;
    for (int k = 1; k <= 30; k++) {
        rig_to(&x, 0.1 * k);
        const double *q = sal_run_q(x.run), *v = sal_run_v(x.run);
        const double  a = atan2(q[0], R - q[1]), speed = v[0] * cos(a) + v[1] * sin(a);
        const double  omega = ((q[2] - q[0]) * (v[3] - v[1]) - (q[3] - q[1]) * (v[2] - v[0])) / 0.01;
        assert_near(hypot(q[0], R - q[1]), l, 1e-12);
        assert_near(omega, -speed / r, 1e-10);
        assert_near(0.5 * (m + inertia / (r * r)) * speed * speed, m * g * l * (cos(a) - cos(a0)), 1e-9);
        assert_near(sal_run_lambda(x.run)[1], m * (g * cos(a) + speed * speed / l), 1e-8);
    }
    rig_free(&x);
}

/* The same ground in other words, whatever the law: an incline as a profile, a height as part of the profile. */
static void test_same_ground(void **state)
{
    static const char *const how[][2] = {
        { "'angle': 0.3", "'profile': 'tan(0.3)*x'" },
        { "'angle': 0.3, 'height': '0.05*sin(9*t)'", "'profile': 'tan(0.3)*x + 0.05*sin(9*t)'" },
        { "'profile': '0.2*sin(2*x)', 'height': '0.05*sin(9*t)'", "'profile': '0.2*sin(2*x) + 0.05*sin(9*t)'" },
    };
    static const char *const law[] = { "'restitution': 0.4, 'mu_static': 0.3, 'mu_kinetic': 0.2",
                                       "'law': 'reset', 'restitution': 0.7", "'law': 'stick'",
                                       "'law': 'compliant', 'stiffness': 5000, 'damping': 0.3, 'mu_kinetic': 0.4" };

    (void)state;
    for (int k = 0; k < SAL_COUNT(how) * SAL_COUNT(law); k++) {
        double end[2][4];
        long   events[2];
        for (int i = 0; i < 2; i++) {
            rig x = start(load(
                "'points': { 'C': { 'at': [0.1, 0.6], 'velocity': [0.8, 0] },"
                "            'R': { 'at': [0.2, 0.6], 'velocity': [0.8, 0] } }," DISC
                ", 'contacts': { 'ground': { 'type': 'ground', 'points': ['C'], 'radius': 0.15, 'body': 'disc', %s,"
                "%s } }, 'simulation': { 'duration': 0.7 }",
                how[k / SAL_COUNT(law)][i], law[k % SAL_COUNT(law)]));
            rig_end(&x);
            events[i] = sal_run_get_stats(x.run).events;
            sal_run_point(x.run, "R", end[i], end[i] + 2);
            rig_free(&x);
        }
        assert_true(events[0] > 0 && events[0] == events[1]);
        for (int i = 0; i < 4; i++) assert_near(end[1][i], end[0][i], 1e-9);
    }
}

static double height(double x, const double c[5])
{
    return c[0] * x + c[1] * sin(c[2] * x) + c[3] * cos(c[4] * x);
}

/* The distance of a place from the curve, by looking at many places of it and at ever more round the nearest. */
static double distance_of(double x, double y, const double c[5])
{
    double at = x, wide = 1.0, best = INFINITY;

    for (int k = 0; k < 40; k++, wide *= 0.5) {
        const double middle = at;
        for (int i = -50; i <= 50; i++) {
            const double u = middle + wide * i / 50.0, d = hypot(u - x, height(u, c) - y);
            if (d < best) best = d, at = u;
        }
    }
    return best;
}

/* Two wheels of a car, r = 0.1, on random curves that they fit on: |f''| < 6. They come down with rebounds and roll: a
 * closed contact has the distance r, open ones more; and every derivative is that of differences. */
static void test_random_curves(void **state)
{
    static const char *const names[] = { "r", "a", "u" };
    uint64_t                 seed    = 7;

    (void)state;
    for (int k = 0; k < (SANITIZED ? 1 : 5); k++) {
        double c[5];
        for (int i = 0; i < 5; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            c[i] = (double)(seed >> 11) / 9007199254740992.0;
        }
        c[0] = 0.4 * (c[0] - 0.5);
        c[1] *= 0.2;
        c[2] = 1.0 + 3.0 * c[2];
        c[3] *= 0.1;
        c[4] = 1.0 + 4.0 * c[4];
        rig x =
            load("'parameters': { 'r': 0.1, 'a': %.17g, 'u': 0.5 },"
                 "'points': { 'A': { 'at': [0, 0.7], 'velocity': ['u', 0] }, 'B': { 'at': [0.5, 0.75], 'velocity': "
                 "['u', 0] } },"
                 "'bodies': { 'car': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 1 } },"
                 "'contacts': { 'road': { 'type': 'ground', 'points': ['A', 'B'], 'radius': 'r', 'restitution': 0.2,"
                 "  'profile': '%.17g*x + a*sin(%.17g*x) + %.17g*cos(%.17g*x)', 'mu_static': 0.2 } },"
                 "'simulation': { 'duration': 1.2 }",
                 c[1], c[0], c[2], c[3], c[4]);
        sal_run_opts opts = with_respect_to(names, SAL_COUNT(names));
        int          bad  = -1;
        assert_int_equal(sal_verify(x.model, &opts, 1e-6, show_bad, (void *)"random curve", &bad), SAL_OK);
        assert_int_equal(bad, 0);
        x = start(x);
        for (sal_status status = SAL_OK; status == SAL_OK || status == SAL_EVENT;) {
            status          = sal_run_step(x.run);
            const double *q = sal_run_q(x.run);
            assert_true(status >= 0);
            for (int i = 0; i < 2; i++) {
                const double d      = distance_of(q[2 * i], q[2 * i + 1], c);
                const bool   closed = sal_run_closed(x.run, i);
                assert_true(d > 0.1 - 1e-8);
                if (closed) assert_near(d, 0.1, 1e-8);
            }
        }
        assert_true(sal_run_get_stats(x.run).events > 4);
        rig_free(&x);
    }
}

static void test_disc_that_does_not_fit(void **state)
{
    rig x = start(load(
        "'points': { 'C': { 'at': [-1, 2], 'velocity': [2, 0] }, 'R': { 'at': [-0.9, 2], 'velocity': [2, 0] } }," DISC
        ", 'contacts': { 'bowl': { 'type': 'ground', 'points': ['C'], 'radius': 0.3, 'profile': '0.1*exp(-80*x^2)' } "
        "}"));

    (void)state;
    assert_int_equal(rig_finish(&x), SAL_ERR_NUMBER);
    assert_says(sal_run_message(x.run), "bowl");
    assert_says(sal_run_message(x.run), "the disc does not fit into the curve");
    rig_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circular_bowl),
        cmocka_unit_test(test_same_ground),
        cmocka_unit_test(test_random_curves),
        cmocka_unit_test(test_disc_that_does_not_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
