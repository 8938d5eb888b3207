/* test_geometry.c - where contacts are: their ends, polylines, limits and curves that must not jump. */
#include "tests/support.h"
#include "tests/contact_checks.h"

#define TABLE(bound)                                                                                               \
    "'parameters': { 'v': 2, 'end': 1, 'mu': 0.1 }, 'points': { 'P': { 'at': [0, 0], 'velocity': ['v', 0] } },"    \
    "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"                                        \
    "'contacts': { 'table': { 'type': 'ground', 'points': ['P'], 'mu_static': 'mu', 'closed': ['P'], " bound " }," \
    "  'floor': { 'type': 'ground', 'points': ['P'], 'height': -0.5, 'restitution': 0.5 } },"                      \
    "'simulation': { 'duration': 0.9, 'rtol': 1e-11 }"

/* The same end said in several ways; the time, the fall, and the derivatives in closed form: with u = sqrt(v^2 - 2 mu g
 * end), t = (v - u)/(mu g), dt/dend = 1/u, and from there x = end + u (T - t), y = -g (T - t)^2/2. */
static void test_leaves_where_it_ends(void **state)
{
    static const char *const scene[] = { TABLE("'where': 'x < end'"),
                                         TABLE("'where': 'x <= end and x > -1'"),
                                         TABLE("'where': 'end - x(P)'"),
                                         TABLE("'where': 'not (x > end)'"),
                                         TABLE("'line': [[-1, 0], ['end', 0]]"),
                                         TABLE("'line': [[-1, 0], [0.2, 0], [0.7, 0], ['end', 0], ['end', -0.3]]") };
    const double g = 9.81, mu = 0.1, v = 2.0, u = sqrt(v * v - 2.0 * mu * g), t = (v - u) / (mu * g), T = 0.88;

    (void)state;
    for (int k = 0; k < SAL_COUNT(scene); k++) {
        rig          r    = rig_load(scene[k]);
        sal_run_opts opts = with_respect_to((const char *const[]){ "end", "v" }, 2);
        sal_status   status;
        rig_run(&r, &opts);
        do status = sal_run_step(r.run);
        while (status == SAL_OK || (status == SAL_EVENT && k == 5 && sal_run_time(r.run) < t - 1e-6));
        assert_int_equal(status, SAL_EVENT);
        assert_non_null(strstr(sal_run_event(r.run).name, ".leave"));
        assert_near(sal_run_time(r.run), t, 1e-11);
        rig_to(&r, T);
        assert_near(sal_run_q(r.run)[0], 1.0 + u * (T - t), 1e-10);
        assert_near(sal_run_q(r.run)[1], -0.5 * g * (T - t) * (T - t), 1e-10);
        assert_near(sal_run_Q(r.run)[2], g * (T - t) / u, 1e-9);      /* dy/dend = g (T - t) dt/dend */
        assert_near(sal_run_V(r.run)[2], g / u, 1e-9);                /* saltation: (a+ - a-) tau' */
        assert_near(sal_run_V(r.run)[0], -mu * g / u, 1e-9);          /* du/dend */
        assert_near(sal_run_Q(r.run)[3], g * (T - t) * -t / u, 1e-8); /* dt/dv = -t/u */
        rig_free(&r);
    }
}

/* A touch outside of it is none; what comes back inside touches. */
static void test_touches_where_it_is(void **state)
{
    rig r = rig_load("'points': { 'P': { 'at': [2, 1], 'velocity': [-1, 0] } },"
                     "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                     "'contacts': { 'high': { 'type': 'ground', 'points': ['P'], 'height': 0.5, 'where': 'x < 1' },"
                     "  'low': { 'type': 'ground', 'points': ['P'], 'restitution': 1 } },"
                     "'simulation': { 'duration': 3 }");

    (void)state;
    rig_run(&r, NULL);
    rig_event(&r, "low");
    assert_near(sal_run_time(r.run), sqrt(2.0 / 9.81), 1e-11);
    rig_event(&r, "high"); /* after the rebound it comes down at x < 1 */
    assert_true(sal_run_q(r.run)[0] < 1.0);
    rig_free(&r);
}

/* A disc that rolls off a plank goes on round its end: at first as one piece with it. */
static void test_disc_rolls_over_the_end(void **state)
{
    rig r =
        rig_load("'points': { 'P': { 'at': [0.8, 0.2], 'velocity': [0.4, 0] }, 'Q': { 'at': [0.9, 0.2], 'velocity': "
                 "[0.4, -0.2] }, 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [1, 0], 'fixed': true } },"
                 "'bodies': { 'disc': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 1, 'inertia': 0.02, 'centre': "
                 "[0, 0] } }, 'contacts': { 'plank': { 'type': 'edge', 'points': ['P'], 'line': ['A', 'B'], "
                 "'radius': 0.2, 'body': 'disc', 'mu_static': 0.4 } }, 'simulation': { 'duration': 0.9 }");

    (void)state;
    rig_run(&r, NULL);
    rig_event(&r, "plank.leave");
    assert_near(sal_run_time(r.run), 0.5, 1e-10);
    rig_to(&r, 0.7); /* 3/4 m v^2 + m g y stays: it rolls */
    assert_near(rig_probe(&r, "sqrt((x(P) - 1)^2 + y(P)^2)"), 0.2, 1e-12);
    assert_near(rig_probe(&r, "0.75*(vx(P)^2 + vy(P)^2) + 9.81*y(P)"), 0.75 * 0.16 + 9.81 * 0.2, 1e-9);
    rig_event(&r, "plank.end.slip");
    rig_free(&r);
}

/* ----------------------------------------------------------------------------------------- stairs */

enum { STAIRS = 20 };

/* A box on stairs, everything turned by `turn`, moved by (dx, dy), and mirrored. */
static rig load_box(double turn, double dx, double dy, bool mirrored, bool reordered)
{
    static char  text[8000];
    const double c = cos(turn), s = sin(turn), flip = mirrored ? -1.0 : 1.0;
    double       corner[2 * STAIRS + 2][2] = { { -1.0, 0.0 }, { 0.3, 0.0 } }, x = 0.3, y = 0.0;
    int          n = 2, used;

#define PX(x, y) (dx + c * flip * (x)-s * (y))
#define PY(x, y) (dy + s * flip * (x) + c * (y))
    for (int k = 0; k < STAIRS; k++) {
        corner[n][0] = x, corner[n++][1] = y -= 0.17;
        corner[n][0] = x += k + 1 < STAIRS ? 0.3 : 5.0, corner[n++][1] = y;
    }
    used = snprintf(text, sizeof text,
                    "'gravity': [%.17g, %.17g], 'contacts': { 'stairs': { 'type': 'ground', 'outline': "
                    "[%s], 'restitution': 0.3, 'mu_static': 0.3, 'line': [",
                    9.81 * s, -9.81 * c, reordered ? "'C', 'D', 'A', 'B'" : "'A', 'B', 'C', 'D'");
    for (int k = 0; k < n; k++) {
        const double *at = corner[mirrored ? n - 1 - k : k]; /* the free side stays on the left */
        used += snprintf(text + used, sizeof text - (size_t)used, "%s[%.17g, %.17g]", k ? ", " : "", PX(at[0], at[1]),
                         PY(at[0], at[1]));
    }
    snprintf(
        text + used, sizeof text - (size_t)used,
        "] } }, 'points': { 'A': { 'at': [%.17g, %.17g], 'velocity': [%.17g, %.17g] },"
        "'B': { 'at': [%.17g, %.17g], 'velocity': [%.17g, %.17g] } },"
        "'bodies': { 'box': { 'type': 'rigid', 'points': ['A', 'B'], 'mass': 1, 'inertia': 0.0079, 'centre': [0.125, "
        "%g], 'markers': { 'C': [0.25, %g], 'D': [0, %g] } } }, 'simulation': { 'duration': 8, 'rtol': 1e-10 }",
        PX(-0.3, 0.3), PY(-0.3, 0.3), c * flip * 2.2, s * flip * 2.2, PX(-0.05, 0.3), PY(-0.05, 0.3),
        c * flip * 2.2 + s * 0.75, s * flip * 2.2 - c * 0.75, 0.09 * flip, 0.18 * flip, 0.18 * flip);
    return rig_load(text);
}

/* How deep a place is in the solid below the stairs. */
static double depth_of(double x, double y)
{
    const int    step  = x < 0.3 ? 0 : (int)fmin(STAIRS, 1.0 + floor((x - 0.3) / 0.3));
    const double below = -0.17 * step - y;

    return x < -1.0 ? 0.0 : fmin(below, step < STAIRS ? 0.3 + 0.3 * step - x : HUGE_VAL);
}

/* Goes down, comes to rest, energy never grows, and nothing is in anything. */
static void test_box_tumbles_down(void **state)
{
    rig    r = load_box(0.0, 0.0, 0.0, false, false);
    double level;
    int    events = 0;

    (void)state;
    rig_run(&r, NULL);
    level = sal_run_energy(r.run);
    for (int k = 1; k <= 2000;) {
        const sal_status status = sal_run_to(r.run, 0.004 * k);
        if (status < 0) fail_msg("at t = %.9g s: %s", sal_run_time(r.run), sal_run_message(r.run));
        assert_true(sal_run_energy(r.run) <= level + 1e-9);
        level = sal_run_energy(r.run);
        for (int p = 0; p < 4; p++) {
            const char *name[] = { "x(A)", "y(A)", "x(B)", "y(B)", "x(C)", "y(C)", "x(D)", "y(D)" };
            assert_true(depth_of(rig_probe(&r, name[2 * p]), rig_probe(&r, name[2 * p + 1])) < 1e-9);
        }
        for (int i = 0; i < STAIRS; i++) { /* the nosings, in the frame of the box */
            const double x = 0.3 + 0.3 * i - rig_probe(&r, "x(A)"), y = -0.17 * i - rig_probe(&r, "y(A)");
            const double c = rig_probe(&r, "x(B) - x(A)") / 0.25, s = rig_probe(&r, "y(B) - y(A)") / 0.25;
            const double u = c * x + s * y, v = c * y - s * x;
            assert_true(fmin(fmin(u, 0.25 - u), fmin(v, 0.18 - v)) < 1e-9);
        }
        if (status == SAL_EVENT) events++;
        else k++;
        if (status == SAL_END) break;
    }
    assert_true(events > 20);
    assert_true(rig_probe(&r, "y(A)") < -0.3);
    rig_free(&r);
}

/* The scene that is shipped is the same box on the same stairs, without rebounds: a corner, then the edge behind it. */
static void test_shipped_stairs(void **state)
{
    static const char *const first[] = { "stairs.B_1", "stairs.B_1.stick", "stairs.B_C_1", "stairs.B_C_1.slip",
                                         "stairs.B_C_1.release" };
    rig                      r       = rig_scene("stairs.json");
    double                   level;

    (void)state;
    rig_run(&r, NULL);
    level = sal_run_energy(r.run);
    for (int k = 0; k < SAL_COUNT(first); k++) {
        rig_event(&r, first[k]);
        assert_true(sal_run_energy(r.run) <= level + 1e-9);
        level = sal_run_energy(r.run);
        if (k != 2) continue; /* B on the first tread, the edge of the second on the side of the box */
        assert_near(rig_probe(&r, "y(B)"), 0.0, 1e-12);
        assert_near(rig_probe(&r, "(0.3 - x(B))*(y(C) - y(B)) - (0 - y(B))*(x(C) - x(B))"), 0.0, 1e-12);
    }
    rig_free(&r);
}

/* The first events of the same stairs turned, moved, mirrored and with the outline begun elsewhere. */
static void test_same_stairs(void **state)
{
    static const struct {
        double turn, dx, dy;
        bool   mirrored, reordered;
    } list[] = { { 0, 0, 0, 0, 0 }, { 0, 3, -2, 0, 0 }, { 1.1, 0, 0, 0, 0 }, { 0, 0, 0, 1, 0 }, { -2, 1, 1, 1, 1 } };
    enum { FIRST = 6 };
    double time[SAL_COUNT(list)][FIRST];

    (void)state;
    for (int k = 0; k < SAL_COUNT(list); k++) {
        rig r = load_box(list[k].turn, list[k].dx, list[k].dy, list[k].mirrored, list[k].reordered);
        rig_run(&r, NULL);
        for (int e = 0; e < FIRST; e++) {
            sal_status status;
            while ((status = sal_run_step(r.run)) == SAL_OK) continue;
            assert_int_equal(status, SAL_EVENT);
            time[k][e] = sal_run_time(r.run);
            assert_near(time[k][e], time[0][e], 1e-8);
        }
        rig_free(&r);
    }
}

/* A wall: thrown into a corner of ground and wall, it stays in both, and a wedge narrower than a right angle holds it. */
static void test_concave_corners(void **state)
{
    static const double lean[] = { 0.0, 0.3, -0.6 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(lean); k++) {
        char text[600];
        rig  r;
        snprintf(
            text, sizeof text,
            "'points': { 'P': { 'at': [0, 0], 'velocity': [2, 0] } }, 'bodies': { 'm': { 'type': 'point_mass', "
            "'point': "
            "'P', 'mass': 1 } }, 'contacts': { 'g': { 'type': 'ground', 'points': ['P'], 'mu_static': 0.1, 'line': "
            "[[-1, 0], [1, 0], [%g, 1]] } }, 'simulation': { 'duration': 4 }",
            1.0 + lean[k]);
        r = rig_load(text);
        rig_run(&r, NULL);
        rig_event(&r, "g.P_2");
        assert_near(sal_run_q(r.run)[0], 1.0, 1e-9);
        rig_end(&r);
        assert_near(sal_run_q(r.run)[1], 0.0, 1e-6); /* back down and at rest */
        assert_true(sal_run_q(r.run)[0] <= 1.0 + 1e-9);
        assert_near(sal_run_v(r.run)[0], 0.0, 1e-9);
        rig_free(&r);
    }
}

/* ------------------------------------------------------------------------------------------ limits */

/* A limit that moves leads what hangs on it: the mass goes down with 0.2 m/s^2. */
static void test_limits_move(void **state)
{
    rig r = rig_load("'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0, -1] } },"
                     "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                     "'contacts': { 'rope': { 'type': 'length_stop', 'points': ['O', 'P'], 'max': '1 + 0.1*t^2' } },"
                     "'simulation': { 'duration': 2 }");

    (void)state;
    rig_run(&r, NULL);
    rig_to(&r, 1.5);
    assert_near(sal_run_q(r.run)[1], -1.225, 1e-9);
    assert_near(rig_probe(&r, "lambda(rope.n)"), 9.81 - 0.2, 1e-7);
    rig_free(&r);
}

static void test_kinks_are_refused(void **state)
{
    static const struct {
        const char *profile, *says; /* NULL: it runs */
    } list[] = { { "if(x < 0.6, 0, -0.3*(x - 0.6))", "contacts.floor: its curve has a kink" },
                 { "-0.1*step(x - 0.6)", "contacts.floor: its curve has a step" },
                 { "0.2*abs(x - 0.6)", "has a kink" },
                 { "0.3*max(0, x - 0.6)^3", NULL },
                 { "0.2*max(0, x - 0.6)^2", NULL } };

    (void)state;
    for (int k = 0; k < SAL_COUNT(list); k++) {
        char       text[400];
        sal_status status;
        rig        r;
        snprintf(text, sizeof text,
                 "'points': { 'P': { 'at': [0, '%s'], 'velocity': [2, 0] } }, 'bodies': { 'm': { 'type': 'point_mass', "
                 "'point': 'P', 'mass': 1 } }, 'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'profile': "
                 "'%s' } }, 'simulation': { 'duration': 0.4 }",
                 k == 2 ? "0.12" : "0", list[k].profile);
        r = rig_load(text);
        rig_run(&r, NULL);
        status = rig_finish(&r);
        if (list[k].says) {
            assert_int_equal(status, SAL_ERR_STEP);
            assert_non_null(strstr(sal_run_message(r.run), list[k].says));
        } else {
            assert_int_equal(status, SAL_END);
        }
        rig_free(&r);
    }
}

/* A contact by formulas is the ground that they describe: with restitution, friction, `where`, compliant or not. */
static void test_formulas(void **state)
{
    static const char *const as[]  = { "'type': 'ground', 'points': ['P'], 'angle': 'slope'",
                                       "'type': 'formula', 'gap': 'y(P)*cos(slope) - x(P)*sin(slope)', 'slip': "
                                        "'vx(P)*cos(slope) + vy(P)*sin(slope)', 'point': 'P'" };
    static const char *const law[] = { "'restitution': 0.4, 'mu_kinetic': 0.1, 'where': 'x < 1.5'",
                                       "'law': 'compliant', 'stiffness': 1e4, 'mu_kinetic': 0.2, 'where': 'x < 1.5'",
                                       "'law': 'reset', 'restitution': 0.9, 'where': 'x < 1.5 and y < 2'" };

    (void)state;
    for (int k = 0; k < SAL_COUNT(law); k++) {
        double q[2][2], times[2][40];
        int    events[2] = { 0 };
        for (int i = 0; i < 2; i++) {
            char text[1200];
            rig  r;
            snprintf(
                text, sizeof text,
                "'parameters': { 'slope': -0.3 }, 'points': { 'P': { 'at': [0, 0.4], 'velocity': [0.5, 0] } }, "
                "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }, 'contacts': { 'c': { %s, %s } "
                "}, 'simulation': { 'duration': 1.6, 'rtol': 1e-11 }",
                as[i], law[k]);
            r = rig_load(text);
            rig_run(&r, NULL);
            for (sal_status status = SAL_OK; status != SAL_END; status = sal_run_step(r.run)) {
                if (status < 0) fail_msg("%s, %s: %s", as[i], law[k], sal_run_message(r.run));
                if (status == SAL_EVENT && events[i] < 40) times[i][events[i]++] = sal_run_time(r.run);
            }
            memcpy(q[i], sal_run_q(r.run), sizeof q[i]);
            rig_free(&r);
        }
        assert_int_equal(events[0], events[1]);
        assert_true(events[0] > 1);
        for (int e = 0; e < events[0]; e++) assert_near(times[0][e], times[1][e], 1e-11);
        for (int e = 0; e < 2; e++) assert_near(q[0][e], q[1][e], 1e-10);
        assert_true(q[0][0] > 1.5 && q[0][1] < -0.3 * q[0][0]); /* and beyond it falls */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves_where_it_ends),
        cmocka_unit_test(test_touches_where_it_is),
        cmocka_unit_test(test_disc_rolls_over_the_end),
        cmocka_unit_test(test_box_tumbles_down),
        cmocka_unit_test(test_same_stairs),
        cmocka_unit_test(test_shipped_stairs),
        cmocka_unit_test(test_concave_corners),
        cmocka_unit_test(test_limits_move),
        cmocka_unit_test(test_kinks_are_refused),
        cmocka_unit_test(test_formulas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
