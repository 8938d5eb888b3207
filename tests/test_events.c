/* test_events.c - events: found once each, none lost, none twice; guards, directions, resets, simultaneity, dying
 * bounces. */
#include <float.h>

#include "tests/support.h"

/* A free mass thrown from (0, y) with velocity (vx, vy) in gravity 9.81, and the contacts given. */
static rig thrown(double y, double vx, double vy, double duration, const char *contacts)
{
    char text[2048];

    snprintf(text, sizeof text,
             "'points': { 'P': { 'at': [0, %.17g], 'velocity': [%.17g, %.17g] } },"
             "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
             "'contacts': { %s }, 'simulation': { 'duration': %.17g }",
             y, vx, vy, contacts, duration);
    rig r = rig_load(text);
    rig_run(&r, NULL);
    return r;
}

/* Runs to the end; event times into `times`, their number is returned. */
static int collect(rig *r, double *times, int room)
{
    int        n = 0;
    sal_status status;

    while ((status = sal_run_step(r->run)) == SAL_OK || status == SAL_EVENT) {
        if (status != SAL_EVENT) continue;
        assert_true(n < room);
        times[n++] = sal_run_event(r->run).time;
    }
    if (status != SAL_END) fail_msg("%s: %s", sal_status_name(status), sal_run_message(r->run));
    return n;
}

#define FLOOR(h, e) \
    "'floor': { 'type': 'ground', 'points': ['P'], 'height': " #h ", 'law': 'reset', 'restitution': " #e " }"
#define EVENT(name, when, direction) "'" name "': { 'type': 'event', 'when': '" when "', 'direction': '" direction "' }"

static const double g = 9.81;

/* ------------------------------------------------------------------------------------ closed forms */

/* Bouncing mass: t_k = t_1 + (2 V/g) sum e^i; scenes/bouncing_ball.json, reference numbers computed with 63 digits. */
static void test_bouncing_ball(void **state)
{
    static const double expected[] = { 0.4515236409857309, 1.1739614665629003, 1.7519117270246358,
                                       2.2142719353940246, 2.5841601020895353, 2.8800706354459438 };
    rig                 r          = { 0 };
    sal_scene          *scene;
    double              t[8];

    (void)state;
    assert_int_equal(sal_context_create(NULL, &r.context), SAL_OK);
    if (sal_scene_load(r.context, SAL_SCENES_DIR "/bouncing_ball.json", &scene) != SAL_OK)
        fail_msg("%s", sal_message(r.context));
    assert_int_equal(sal_model_create(scene, &r.model), SAL_OK);
    sal_scene_destroy(&scene);
    rig_run(&r, NULL);
    assert_int_equal(collect(&r, t, 8), 6);
    for (int k = 0; k < 6; k++) assert_near(t[k], expected[k], 1e-13);
    assert_near(sal_run_q(r.run)[0], 1.5, 1e-13);
    assert_near(sal_run_q(r.run)[1], 0.06870746096576572, 1e-12);
    assert_near(sal_run_v(r.run)[1], -0.01535413338474476, 1e-12);
    assert_near(sal_run_costs(r.run)[0], 0.9159617138206598, 1e-12);
    rig_free(&r);
}

/* Both crossings of a line lie inside one step: the parabola is integrated exactly, so steps grow without bound. */
static void test_two_in_one_step(void **state)
{
    rig    r = thrown(0.0, 1.0, 10.0, 2.0, EVENT("line", "y(P) - 5", "both"));
    double t[8];

    (void)state;
    assert_int_equal(collect(&r, t, 8), 2);
    assert_near(t[0], (10.0 - sqrt(100.0 - 2.0 * g * 5.0)) / g, 1e-14);
    assert_near(t[1], (10.0 + sqrt(100.0 - 2.0 * g * 5.0)) / g, 1e-14);
    assert_true(sal_run_get_stats(r.run).steps < 12);
    rig_free(&r);
}

static void test_directions(void **state)
{
    /* 5e-14: y is near 5 m there and passes with 1.4 m/s, so ten roundings of y are 6e-15 s each */
    rig    up   = thrown(0.0, 1.0, 10.0, 2.0, EVENT("line", "y(P) - 5", "rising"));
    rig    down = thrown(0.0, 1.0, 10.0, 2.0, EVENT("line", "y(P) - 5", "falling"));
    double t[8];

    (void)state;
    assert_int_equal(collect(&up, t, 8), 1);
    assert_near(t[0], (10.0 - sqrt(100.0 - 2.0 * g * 5.0)) / g, 5e-14);
    assert_true(sal_run_event(up.run).rate > 0.0);
    assert_int_equal(collect(&down, t, 8), 1);
    assert_near(t[0], (10.0 + sqrt(100.0 - 2.0 * g * 5.0)) / g, 5e-14);
    rig_free(&up);
    rig_free(&down);
}

/* The apex just touches the line: found once, as grazing, and the motion goes on as if nothing had happened. */
static void test_graze(void **state)
{
    static const struct {
        double      speed;
        const char *direction;
    } cases[] = { { 10.0, "falling" }, { 7.0, "falling" }, { 3.3, "falling" }, { 10.0, "both" } };

    (void)state;
    for (int k = 0; k < SAL_COUNT(cases); k++) {
        const double v = cases[k].speed, apex = v * v / (2.0 * g);
        char         contacts[300];
        double       t[4];
        snprintf(contacts, sizeof contacts,
                 "'top': { 'type': 'event', 'when': '%.17g - y(P)', 'direction': '%s', 'set': { 'vx(P)': '5' } }", apex,
                 cases[k].direction);
        rig r = thrown(0.0, 1.0, v, 1.9 * v / g, contacts);
        assert_int_equal(collect(&r, t, 4), 1);
        assert_near(t[0], v / g, 1e-6); /* where a parabola is flat its apex is known to the root of rounding only */
        assert_true(sal_run_event(r.run).grazing);
        assert_near(sal_run_v(r.run)[0], 1.0, 0.0); /* a touch sets nothing */
        rig_free(&r);
    }
}

/* A touch-and-go as deep as 1e-8 m is a crossing; one that misses by as much is nothing. */
static void test_touch_and_go(void **state)
{
    const double v = 10.0, apex = v * v / (2.0 * g);

    (void)state;
    for (int miss = 0; miss < 2; miss++) {
        char   contacts[200];
        double t[4], depth = miss ? -1e-8 : 1e-8;
        snprintf(contacts, sizeof contacts, "'top': { 'type': 'event', 'when': '%.17g - y(P)', 'direction': 'both' }",
                 apex - depth);
        rig r = thrown(0.0, 1.0, v, 1.9 * v / g, contacts);
        assert_int_equal(collect(&r, t, 4), miss ? 0 : 2);
        if (!miss) {
            const double half = sqrt(2.0 * depth / g);
            assert_near(t[0], v / g - half,
                        1e-10); /* r = 1e-8 with a rate of 4e-4: rounding of y (1e-15) over the rate */
            assert_near(t[1], v / g + half, 1e-10);
            assert_false(sal_run_event(r.run).grazing);
        }
        rig_free(&r);
    }
}

/* A ball thrown so that it touches the floor with the last of its fall, under a spring: grazing with a force that is
 * no parabola. */
static void test_graze_of_an_oscillator(void **state)
{
    rig    r = rig_load("'gravity': [0, 0], 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0, 1] } },"
                           "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                           "'joints': { 's': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 4, 'length': 3 } },"
                           "'contacts': { 'top': { 'type': 'event', 'when': '5 - y(P) - depth', 'direction': 'both' } },"
                           "'parameters': { 'depth': 1e-7 }, 'simulation': { 'duration': 3, 'rtol': 1e-12 }");
    double t[4];

    (void)state; /* y = 3 - 2 cos 2t: the top, 5, is at t = pi/2 */
    rig_run(&r, NULL);
    assert_int_equal(collect(&r, t, 4), 2);
    assert_near(t[0], 0.5 * acos(-1.0 + 0.5e-7), 1e-8); /* 1e-12 of y over a rate of 1e-3 */
    assert_near(t[1], PI - t[0], 1e-8);
    rig_free(&r);
}

/* --------------------------------------------------------------------------------------- on zero */

static void test_start_on_surface(void **state)
{
    rig    leaving = thrown(0.0, 0.0, 3.0, 1.0, FLOOR(0, 1)), hitting = thrown(0.0, 0.0, -3.0, 1.0, FLOOR(0, 1));
    double t[4];

    (void)state;
    assert_int_equal(collect(&leaving, t, 4), 1); /* leaves, comes back after 2 v/g */
    assert_near(t[0], 6.0 / g, 1e-14);
    assert_int_equal(collect(&hitting, t, 4), 2); /* bounces at once, then as above */
    assert_near(t[0], 0.0, 0.0);
    assert_near(t[1], 6.0 / g, 1e-14);
    assert_near(sal_run_event(hitting.run).v_before[1], -3.0, 1e-13);
    rig_free(&leaving);
    rig_free(&hitting);
}

/* A start a rounding error above or below the surface is a start on it. */
static void test_start_nearly_on_surface(void **state)
{
    double t[4];

    (void)state;
    for (int below = 0; below < 2; below++) {
        rig r = thrown(below ? nextafter(2.35, 0.0) : nextafter(2.35, 3.0), 0.0, 3.0, 1.0, FLOOR(2.35, 1));
        assert_int_equal(collect(&r, t, 4), 1);
        assert_near(t[0], 6.0 / g, 1e-14);
        rig_free(&r);
    }
}

static void count_warnings(void *user, const char *text)
{
    assert_non_null(strstr(text, "floor: the gap is -0.5 at the start"));
    ++*(int *)user;
}

static void test_start_below(void **state)
{
    int              warnings = 0;
    sal_context_opts opts     = sal_context_defaults();
    const char       text[] =
        "{\"saltus\":1,\"points\":{\"P\":{\"at\":[0,-0.5],\"velocity\":[0,5]}},\"bodies\":{\"m\":{\"type\":"
        "\"point_mass\",\"point\":\"P\",\"mass\":1}},\"contacts\":{\"floor\":{\"type\":\"ground\",\"points\":[\"P\"],"
        "\"law\":\"reset\",\"restitution\":0.5}},\"simulation\":{\"duration\":0.95}}";
    rig        r = { 0 };
    sal_scene *scene;
    double     t[2];

    (void)state;
    opts.log  = count_warnings;
    opts.user = &warnings;
    assert_int_equal(sal_context_create(&opts, &r.context), SAL_OK);
    assert_int_equal(sal_scene_parse(r.context, "below", text, sizeof text - 1, &scene), SAL_OK);
    assert_int_equal(sal_model_create(scene, &r.model), SAL_OK);
    sal_scene_destroy(&scene);
    rig_run(&r, NULL);
    assert_int_equal(warnings, 1);
    assert_int_equal(sal_run_step(r.run) >= 0, 1);
    while (sal_run_get_stats(r.run).events == 0 && sal_run_step(r.run) >= 0) continue;
    t[0] = sal_run_event(r.run).time; /* not on its way up through the floor */
    assert_near(t[0], (5.0 + sqrt(25.0 - 2.0 * g * 0.5)) / g, 1e-13);
    rig_free(&r);
}

/* An event that only looks on, and one whose reset does not turn the motion round: once each time, never again at
 * once. */
static void test_passing_through(void **state)
{
    rig look = thrown(1.0, 0.0, 0.0, 2.0, EVENT("line", "y(P)", "falling"));
    rig slow =
        thrown(1.0, 0.0, 0.0, 2.0, "'line': { 'type': 'event', 'when': 'y(P)', 'set': { 'vy(P)': '0.5*vy(P)' } }");
    double t[4];

    (void)state;
    assert_int_equal(collect(&look, t, 4), 1);
    assert_near(t[0], sqrt(2.0 / g), 1e-14);
    assert_int_equal(collect(&slow, t, 4), 1);
    assert_near(sal_run_v(slow.run)[1], -0.5 * sqrt(2.0 * g) - g * (2.0 - t[0]), 1e-12);
    rig_free(&look);
    rig_free(&slow);
}

/* Very soon after a bounce the next: restitution 0.01, the ball is back after a hundredth of the first flight, and
 * again. */
static void test_quick_succession(void **state)
{
    rig          r  = thrown(1.0, 0.0, 0.0, 0.4606, FLOOR(0, 0.01));
    const double t1 = sqrt(2.0 / g), V = sqrt(2.0 * g);
    double       t[8];

    (void)state;
    assert_int_equal(collect(&r, t, 8), 2);
    assert_near(t[0], t1, 1e-14);
    assert_near(t[1], t1 + 2.0 * V / g * 0.01, 5e-14);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------- hard cases */

/* Bounces that die out cannot be followed for ever by a law that only rebounds: the run says so, close to the time
 * t_1 + (2 V/g) e/(1-e) at which they accumulate, and the ball has not fallen through the floor. */
static void test_dying_bounces(void **state)
{
    static const double heights[] = { 0.0, 2.35 };

    (void)state;
    for (int k = 0; k < 2; k++) {
        const double h = heights[k], zeno = sqrt(2.0 / g) + 2.0 * sqrt(2.0 * g) / g * 0.5 / 0.5;
        rig        r = k ? thrown(1.0 + h, 0.0, 0.0, 5.0, FLOOR(2.35, 0.5)) : thrown(1.0, 0.0, 0.0, 5.0, FLOOR(0, 0.5));
        sal_status status;
        status = rig_finish(&r);
        assert_int_equal(status, SAL_ERR_EVENTS);
        assert_says(sal_run_message(r.run), "floor: it comes to rest on zero at t = 1.35");
        assert_near(sal_run_time(r.run), zeno, 1e-5);
        assert_near(sal_run_q(r.run)[1], h, 1e-9);
        assert_int_equal(sal_run_step(r.run), SAL_ERR_EVENTS); /* and stays so */
        rig_free(&r);
    }
}

static void test_resting_start(void **state)
{
    rig r = rig_load(
        "'points': { 'P': { 'at': [0, 0] } }, 'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
        "'contacts': { " FLOOR(0, 0.5) " }");

    (void)state;
    assert_int_equal(rig_try(&r, NULL), SAL_ERR_EVENTS);
    assert_says(sal_message(r.context), "floor: it is at rest on zero at t = 0 s");
    rig_free(&r);
}

/* Two balls land at the same instant: two events at one time, in the order of the scene. */
static void test_simultaneous(void **state)
{
    rig r = rig_load(
        "'points': { 'P': { 'at': [0, 1] }, 'Q': { 'at': [1, 1] } },"
        "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 }, 'n': { 'type': 'point_mass', 'point': "
        "'Q', 'mass': 3 } },"
        "'contacts': { 'floor': { 'type': 'ground', 'points': ['P', 'Q'], 'law': 'reset', 'restitution': 1 } },"
        "'simulation': { 'duration': 2 }");

    (void)state;
    rig_run(&r, NULL);
    for (int k = 0; k < 4; k++) {
        rig_event(&r, k % 2 ? "floor.Q" : "floor.P");
        assert_near(sal_run_event(r.run).time, sqrt(2.0 / g) * (1 + k / 2 * 2), 1e-13);
    }
    rig_quiet_end(&r);
    assert_near(sal_run_q(r.run)[1], sal_run_q(r.run)[3], 0.0);
    rig_free(&r);
}

/* Events a tenth of a nanosecond apart come in the right order. */
static void test_nearly_simultaneous(void **state)
{
    rig r = rig_load(
        "'points': { 'P': { 'at': [0, 1] }, 'Q': { 'at': [1, 0.9999999996] } },"
        "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 }, 'n': { 'type': 'point_mass', 'point': "
        "'Q', 'mass': 3 } },"
        "'contacts': { 'floor': { 'type': 'ground', 'points': ['P', 'Q'], 'law': 'reset', 'restitution': 1 } },"
        "'simulation': { 'duration': 1 }");

    (void)state;
    rig_run(&r, NULL);
    rig_event(&r, "floor.Q");
    assert_near(sal_run_event(r.run).time, sqrt(2.0 * 0.9999999996 / g), 1e-15);
    rig_event(&r, "floor.P");
    assert_near(sal_run_event(r.run).time, sqrt(2.0 / g), 1e-15);
    rig_quiet_end(&r);
    rig_free(&r);
}

/* ---------------------------------------------------------------------------- what an event can be */

static void test_guard_and_stop(void **state)
{
    rig    r = thrown(0.0, 1.0, 10.0, 2.0,
                      "'line': { 'type': 'event', 'when': 'y(P) - 5', 'direction': 'both', 'guard': 'vy(P) < 0 and x(P) > "
                         "1', 'stop': true }");
    double t[4];

    (void)state;
    assert_int_equal(collect(&r, t, 4), 1);
    assert_near(t[0], (10.0 + sqrt(100.0 - 2.0 * g * 5.0)) / g, 1e-14);
    assert_true(sal_run_event(r.run).stop);
    assert_near(sal_run_time(r.run), t[0], 0.0);
    assert_int_equal(sal_run_step(r.run), SAL_END);
    rig_free(&r);
}

/* Functions of time, of velocity, of products and of no polynomial at all, and of the multipliers. */
static void test_kinds_of_functions(void **state)
{
    static const struct {
        const char *when;
        double      expected;
    } cases[] = {
        { "0.7 - t", 0.7 },                                      /* time */
        { "vy(P)", 10.0 / 9.81 },                                /* velocity: the apex */
        { "1 - x(P)*x(P)", 1.0 },                                /* product */
        { "cos(x(P))", 1.5707963267948966 },                     /* no polynomial */
        { "2 - exp(x(P)*t)", 0.83255461115769776 },              /* sqrt(log 2) */
        { "100 - 1 - energy()*0 - 99*t", 1.0 },                  /* reads the energy */
        { "if(t < 0.5, 1, 0.5 - sin(t))", 0.52359877559829882 }, /* a branch: 0.5 - sin t, continuous or not */
    };

    (void)state;
    for (int k = 0; k < SAL_COUNT(cases); k++) {
        char   contacts[200];
        double t[4];
        snprintf(contacts, sizeof contacts, "'e': { 'type': 'event', 'when': '%s' }", cases[k].when);
        rig r = thrown(0.0, 1.0, 10.0, 2.0, contacts);
        assert_int_equal(collect(&r, t, 4), 1);
        assert_near(t[0], cases[k].expected, 1e-9);
        if (k < 5) assert_near(t[0], cases[k].expected, 2e-15);
        rig_free(&r);
    }
}

/* The rod of a pendulum goes slack: an event on its multiplier. At angle a below the horizontal the tension is 3 m g
 * sin a + m v0^2/L for a pendulum that passes the horizontal with v0; thrown upwards with v0^2 = 2 it vanishes at sin
 * a = -v0^2/(3 g L). */
static void test_multiplier_event(void **state)
{
    rig r = rig_load(
        "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0], 'velocity': [0, 'sqrt(2)'] } },"
        "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
        "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1 } },"
        "'contacts': { 'slack': { 'type': 'event', 'when': 'lambda(rod)', 'stop': true } },"
        "'simulation': { 'duration': 3, 'rtol': 1e-12 }");
    double t[2];

    (void)state;
    rig_run(&r, NULL);
    assert_int_equal(collect(&r, t, 2), 1);
    assert_near(sal_run_q(r.run)[1], 2.0 / (3.0 * g), 1e-9);
    assert_near(sal_run_lambda(r.run)[0], 0.0, 1e-9);
    rig_free(&r);
}

/* Resets: what is set is set, what is marked dof is kept, the rest follows from the constraints; what that leaves open
 * changes as under an impulse. */
static void test_reset_of_rate(void **state)
{
    rig r =
        rig_load("'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] } },"
                 "'bodies': { 'rod': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 2 } },"
                 "'contacts': { 'low': { 'type': 'event', 'when': 'x(P)', 'set': { 'rate(rod)': '-0.5*rate(rod)' } } },"
                 "'simulation': { 'duration': 0.8, 'rtol': 1e-12 }");
    double t[2];

    (void)state;
    rig_run(&r, NULL); /* a bar falls from the horizontal: rate^2 = 3 g/L at the bottom */
    assert_int_equal(collect(&r, t, 2), 1);
    assert_near(sal_run_event(r.run).v_before[0], -sqrt(3.0 * g), 1e-10);
    rig_run(&r, NULL);
    rig_event(&r, NULL);
    assert_near(sal_run_v(r.run)[0], 0.5 * sqrt(3.0 * g), 1e-10);
    assert_near(sal_run_v(r.run)[1], 0.0, 1e-12);
    rig_free(&r);
}

/* A free bar strikes the ground with one end, no dof marked: momentum and spin change as under an impulse there. */
static void test_reset_is_an_impulse(void **state)
{
    const double m = 2.0, L = 1.0, I = m * L * L / 12.0;
    rig          r =
        rig_load("'points': { 'P': { 'at': [0, 1] }, 'Q': { 'at': [0.8, 1.6] } },"
                 "'bodies': { 'rod': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 2 } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'law': 'reset', 'restitution': 0.5 } },"
                 "'simulation': { 'duration': 1, 'rtol': 1e-12 }");

    (void)state;
    rig_run(&r, NULL);
    rig_event(&r, NULL);
    const double *b = sal_run_event(r.run).v_before, *a = sal_run_v(r.run);
    const double  v = -sqrt(2.0 * g), rx = -0.4, ry = -0.3;               /* P from the centre */
    const double  J = -1.5 * v / (1.0 / m + rx * rx / I), w = J * rx / I; /* impulse, upwards; spin after it */
    assert_near(b[1], v, 1e-11);
    assert_near(a[1], -0.5 * v, 1e-11);
    assert_near(0.5 * (a[0] + a[2]), 0.0, 1e-11); /* the centre: no horizontal impulse */
    assert_near(0.5 * (a[1] + a[3]), v + J / m, 1e-11);
    assert_near(a[0], -w * ry, 1e-11); /* v_P = v_c + w x r */
    rig_free(&r);
}

static void test_reset_contradiction(void **state)
{
    rig r = rig_load(
        "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0], 'dof': 'x' } },"
        "'bodies': { 'rod': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 2 } },"
        "'contacts': { 'low': { 'type': 'event', 'when': '0.1*x(P) + y(P) + 0.5', 'set': { 'vy(P)': '-vy(P)' } } }");
    sal_status status;

    (void)state; /* one degree of freedom: vy cannot turn round while vx is kept */
    rig_run(&r, NULL);
    while ((status = sal_run_step(r.run)) == SAL_OK) continue;
    assert_int_equal(status, SAL_ERR_SINGULAR);
    assert_says(sal_run_message(r.run),
                "the velocities that low sets, those marked dof and the constraints contradict each other");
    rig_free(&r);
}

/* All setters read the velocities before the event. */
static void test_setters_swap(void **state)
{
    rig r = thrown(1.0, 3.0, 0.0, 1.0,
                   "'line': { 'type': 'event', 'when': 'y(P)', 'set': { 'vx(P)': 'vy(P)', 'vy(P)': 'vx(P)' } }");

    (void)state;
    rig_event(&r, NULL);
    assert_near(sal_run_v(r.run)[0], -sqrt(2.0 * g), 1e-13);
    assert_near(sal_run_v(r.run)[1], 3.0, 1e-13);
    rig_free(&r);
}

/* An event may fire on a driven point, and at the very end of the run. */
static void test_event_at_the_end(void **state)
{
    rig r = rig_load(
        "'points': { 'P': { 'at': [0, 1] } }, 'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
        "'contacts': { 'e': { 'type': 'event', 'when': '0.5 - t' } }, 'simulation': { 'duration': 0.5 }");
    double t[2];

    (void)state;
    rig_run(&r, NULL);
    assert_int_equal(collect(&r, t, 2), 1);
    assert_near(t[0], 0.5, 1e-15);
    rig_free(&r);
}

/* Output at the time of an event is the state after it; sal_run_to stops at events on its way. */
static void test_run_to(void **state)
{
    rig r = thrown(1.0, 0.0, 0.0, 1.0, FLOOR(0, 1));

    (void)state;
    assert_int_equal(sal_run_to(r.run, 0.3), SAL_OK);
    assert_near(sal_run_q(r.run)[1], 1.0 - 0.5 * g * 0.09, 1e-13);
    assert_int_equal(sal_run_to(r.run, 0.9), SAL_EVENT);
    assert_near(sal_run_time(r.run), sqrt(2.0 / g), 1e-14);
    assert_near(sal_run_v(r.run)[1], sqrt(2.0 * g), 1e-12);
    assert_int_equal(sal_run_to(r.run, sal_run_time(r.run)), SAL_OK);
    assert_near(sal_run_v(r.run)[1], sqrt(2.0 * g), 1e-12);
    assert_int_equal(sal_run_to(r.run, 0.9), SAL_OK);
    assert_int_equal(sal_run_to(r.run, 0.1), SAL_ERR_ARGUMENT);
    assert_says(sal_run_message(r.run), "t = 0.1 s lies before the current step");
    assert_int_equal(sal_run_to(r.run, 1.0), SAL_OK);
    assert_int_equal(sal_run_to(r.run, 1.1), SAL_END);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------- nothing lost, nothing made up */

/* An event that changes its own function is armed again at once: v = -2 is reached every 2/g. */
static void test_function_changed_by_its_event(void **state)
{
    rig    r = thrown(1.0, 0.0, 0.0, 3.0, "'brake': { 'type': 'event', 'when': 'vy(P) + 2', 'set': { 'vy(P)': '0' } }");
    double t[20];

    (void)state;
    assert_int_equal(collect(&r, t, 20), 14);
    for (int k = 0; k < 14; k++) assert_near(t[k], 2.0 / g * (k + 1), 1e-13);
    rig_free(&r);
}

/* However long the run may be, and so the steps: an elastic ball keeps bouncing. */
static void test_long_runs(void **state)
{
    static const double durations[] = { 1e2, 1e4, 1e6, 1e9 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(durations); k++) {
        const double t1 = sqrt(2.0 / g);
        rig          r  = thrown(1.0, 0.0, 0.0, durations[k], FLOOR(0, 1));
        for (int i = 0; i < 40; i++) {
            sal_status status = SAL_OK;
            while (status == SAL_OK) status = sal_run_step(r.run);
            assert_int_equal(status, SAL_EVENT);
            assert_near(sal_run_time(r.run), (2 * i + 1) * t1, 1e-11); /* rounding of v adds up over the bounces */
        }
        rig_free(&r);
    }
}

/* Two pendulums cross their lines nearly together; at loose tolerances the interpolant has them in the wrong order. */
static void test_close_events_at_loose_tolerance(void **state)
{
    (void)state;
    for (int k = 0; k < 60; k++) {
        rig r = rig_load(
            "'parameters': { 'shift': 0 }, 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] },"
            "            'Q': { 'at': [0.7071067811865476, 0.7071067811865476] } },"
            "'bodies': { 'a': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 1 }, 'b': { 'type': 'bar', 'points': "
            "['O', 'Q'], 'mass': 1 } },"
            "'contacts': { 'p': { 'type': 'event', 'when': 'x(P)' }, 'q': { 'type': 'event', 'when': 'x(Q) - shift' } "
            "},"
            "'simulation': { 'duration': 0.9 }");
        sal_run_opts opts = sal_run_defaults();
        sal_setting  set  = { "shift", -0.3 + 0.012 * k };
        double       t[4];
        opts.rtol       = 1e-3;
        opts.integrator = k % 2;
        opts.set        = &set;
        opts.nset       = 1;
        rig_run(&r, &opts);
        assert_int_equal(collect(&r, t, 4), 2);
        rig_free(&r);
    }
}

/* A ball on a paddle that shakes far faster than the ball flies: it never gets below the paddle. */
static void test_shaking_paddle(void **state)
{
    static const double frequencies[] = { 20.0, 200.0, 2000.0, 20000.0 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(frequencies); k++) {
        char       text[700];
        sal_status status;
        rig        r;
        double     gap[2], paddle[2];
        snprintf(text, sizeof text,
                 "'points': { 'paddle': { 'at': [0, '%g*sin(%g*t)'], 'fixed': true }, 'P': { 'at': [0, 1] } },"
                 "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                 "'contacts': { 'hit': { 'type': 'event', 'when': 'y(P) - y(paddle)', 'set': { 'vy(P)': 'vy(paddle) - "
                 "0.9*(vy(P) - vy(paddle))' } } },"
                 "'simulation': { 'duration': 3 }",
                 0.2 / frequencies[k], frequencies[k]);
        r = rig_load(text);
        rig_run(&r, NULL);
        while ((status = sal_run_step(r.run)) == SAL_OK || status == SAL_EVENT) {
            assert_int_equal(sal_run_point(r.run, "P", gap, NULL), SAL_OK);
            assert_int_equal(sal_run_point(r.run, "paddle", paddle, NULL), SAL_OK);
            assert_true(gap[1] - paddle[1] > -1e-11);
        }
        assert_int_equal(status, SAL_END);
        assert_true(sal_run_get_stats(r.run).events >= 4);
        rig_free(&r);
    }
}

/* A pendulum that stays just above a level never sets the event off, at any tolerance; just below, it does. */
static void test_near_miss(void **state)
{
    static const double tolerances[] = { 1e-3, 1e-5, 1e-7, 1e-9 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(tolerances); k++) {
        for (int below = 0; below < 2; below++) {
            char         text[600];
            sal_run_opts opts = sal_run_defaults();
            double       t[4];
            rig          r;
            /* the lowest point is -1; projection keeps it there whatever the tolerance */
            snprintf(text, sizeof text,
                     "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] } },"
                     "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                     "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1 } },"
                     "'contacts': { 'low': { 'type': 'event', 'when': 'y(P) + 1 %s 1e-6' } }, 'simulation': { "
                     "'duration': 1 }",
                     below ? "-" : "+");
            r         = rig_load(text);
            opts.rtol = tolerances[k];
            rig_run(&r, &opts);
            assert_int_equal(collect(&r, t, 4), below);
            if (below) assert_true(sal_run_event(r.run).rate < 0.0);
            rig_free(&r);
        }
    }
}

/* Steep but continuous: found where it is. A jump through zero: said, not invented. */
static void test_steep_and_broken_functions(void **state)
{
    rig        steep  = thrown(0.0, 1.0, 10.0, 2.0, "'k': { 'type': 'event', 'when': 'tanh(1e6*(0.3 - t))' }");
    rig        broken = thrown(0.0, 1.0, 10.0, 2.0, "'k': { 'type': 'event', 'when': 'if(t < 0.3, 1, -1) * 2' }");
    double     t[4];
    sal_status status;

    (void)state;
    assert_int_equal(collect(&steep, t, 4), 1);
    assert_near(t[0], 0.3, 1e-15);
    while ((status = sal_run_step(broken.run)) == SAL_OK) continue;
    assert_int_equal(status, SAL_ERR_STEP);
    assert_says(sal_run_message(broken.run), "an event function jumps or changes too fast to be followed at t = 0.3");
    rig_free(&steep);
    rig_free(&broken);
}

/* Angles count turns: a bar that turns at 1 rad/s passes 0.5 once, 7 once, and so on. */
static void test_angle_counts_turns(void **state)
{
    rig r = rig_load(
        "'gravity': [0, 0], 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0], 'velocity': [0, 1] "
        "} },"
        "'bodies': { 'b': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 1 } },"
        "'contacts': { 'k': { 'type': 'event', 'when': '(angle(b) - 0.5)*(angle(b) - 7)', 'direction': 'both' } },"
        "'outputs': { 'turned': 'angle(b)' }, 'simulation': { 'duration': 20, 'rtol': 1e-12 }");
    double t[8];

    (void)state;
    rig_run(&r, NULL);
    assert_int_equal(collect(&r, t, 8), 2);
    assert_near(t[0], 0.5, 1e-9);
    assert_near(t[1], 7.0, 1e-9);
    assert_near(sal_run_output(r.run, 0), 20.0, 1e-8);
    rig_free(&r);
}

/* Laws that do not rebound are none of our business: a start on zero, a brake that lets the ball fall on. */
static void test_laws_that_do_not_rebound(void **state)
{
    rig start = thrown(1.0, 0.0, 0.0, 1.0, "'k': { 'type': 'event', 'when': 'y(P) - 1', 'set': { 'vx(P)': '1' } }");
    rig brake = thrown(1.0, 0.0, 0.0, 1.0, "'k': { 'type': 'event', 'when': 'y(P) - 0.5', 'set': { 'vy(P)': '0' } }");
    double t[4];

    (void)state;
    assert_int_equal(collect(&start, t, 4), 0);
    assert_int_equal(collect(&brake, t, 4), 1);
    assert_near(sal_run_v(brake.run)[1], -g * (1.0 - t[0]), 1e-13);
    rig_free(&start);
    rig_free(&brake);
}

/* The touch after which nothing can go on is in the record. */
static void test_last_touch_is_recorded(void **state)
{
    rig r = thrown(1.0, 0.0, 0.0, 2.0, FLOOR(0, 0));

    (void)state;
    while (sal_run_step(r.run) == SAL_OK) continue;
    assert_int_equal(sal_run_get_stats(r.run).events, 1);
    assert_near(sal_run_event(r.run).v_before[1], -sqrt(2.0 * g), 1e-13);
    assert_near(sal_run_v(r.run)[1], 0.0, 0.0);
    assert_int_equal(sal_run_step(r.run), SAL_ERR_EVENTS);
    assert_says(sal_run_message(r.run), "floor: it comes to rest on zero at t = 0.4515");
    rig_free(&r);
}

/* An event that its guard passes over leaves the record of the last one alone. */
static void test_guarded_event_leaves_no_trace(void **state)
{
    rig r = thrown(
        1.0, 0.0, 0.0, 0.7,
        "'a': { 'type': 'event', 'when': 'y(P) - 0.9' }, 'b': { 'type': 'event', 'when': 'y(P) - 0.5', 'guard': '0' }");
    double t[4];

    (void)state;
    assert_int_equal(collect(&r, t, 4), 1);
    assert_string_equal(sal_run_event(r.run).name, "a");
    assert_near(sal_run_event(r.run).v_before[1], -sqrt(0.2 * g), 1e-13);
    rig_free(&r);
}

/* Going past the end shows the end, whatever was shown before. */
static void test_end_is_shown(void **state)
{
    rig r = thrown(1.0, 0.0, 0.0, 0.4, FLOOR(0, 1));

    (void)state;
    assert_int_equal(sal_run_to(r.run, 0.1), SAL_OK);
    assert_int_equal(sal_run_to(r.run, 0.3), SAL_OK);
    assert_int_equal(sal_run_to(r.run, 0.4000001), SAL_END);
    assert_near(sal_run_time(r.run), 0.4, 0.0);
    assert_near(sal_run_q(r.run)[1], 1.0 - 0.5 * g * 0.16, 1e-14);
    assert_string_equal(sal_run_message(r.run), "");
    rig_free(&r);
}

/* Events at one instant that leave their functions crossing happen once each, in the order of the scene, with and without jumps. */
static void test_simultaneous_pass_through(void **state)
{
    static const char *const contacts[] = {
        "'b': { 'type': 'event', 'when': 'y(Q) - 0.5', 'direction': 'both' }, 'a': { 'type': 'event', 'when': 'y(P) - "
        "0.5', 'direction': 'both' }",
        "'b': { 'type': 'event', 'when': '0.3 - t', 'set': { 'vx(P)': 'vx(P) + 1' } }, 'a': { 'type': 'event', 'when': "
        "'0.3 - t', 'set': { 'vx(P)': '2*vx(P)' } }",
    };

    (void)state;
    for (int k = 0; k < 2; k++) {
        char       text[900];
        sal_status status;
        int        count = 0;
        rig        r;
        snprintf(text, sizeof text,
                 "'points': { 'P': { 'at': [0, 1] }, 'Q': { 'at': [1, 1] } }, 'bodies': { 'm': { 'type': 'point_mass', "
                 "'point': 'P', 'mass': 1 },"
                 "'n': { 'type': 'point_mass', 'point': 'Q', 'mass': 3 } }, 'contacts': { %s }, 'simulation': { "
                 "'duration': 0.7 }",
                 contacts[k]);
        r = rig_load(text);
        rig_run(&r, NULL);
        while ((status = sal_run_step(r.run)) != SAL_END) {
            assert_true(status >= 0);
            if (status == SAL_EVENT) assert_string_equal(sal_run_event(r.run).name, count++ ? "a" : "b");
        }
        assert_int_equal(count, 2);
        if (k == 1) assert_near(sal_run_v(r.run)[0], 2.0, 1e-15); /* (0 + 1) * 2 */
        rig_free(&r);
    }
}

/* Late in a run a time is known to no better than some 1e-11 s, and in that a fast function passes many times what its
 * own numbers would call zero: all of these cross between the same two numbers t, and no step can end nearer to that.
 * Points that move as said, at rates from 1e-2 to 1e4, up or down; each crosses once, in the order of the scene. */
static void test_simultaneous_at_large_times(void **state)
{
    static const char *const shape[] = { "%g*(%s - 1/3)", "%g*(3*%s - 1)", "%g*sin(%s - 1/3)", "%g*((%s)^2 - 1/9)",
                                         "%g*(exp(%s - 1/3) - 1)" };
    static const double      from[]  = { 3e3, 1e5, 1e5 + 1.0 / 7, 2.7e6, 4e7 };
    uint64_t                 seed    = 7;

    (void)state;
    for (int i = 0; i < 150; i++) {
        sal_start    start       = sal_start_defaults();
        sal_run_opts opts        = sal_run_defaults();
        char         points[900] = "", contacts[900] = "", text[2500], s[40];
        const int    events   = 2 + i % 3;
        double       expected = 0.0, times[8];
        rig          r;

        start.t = from[i % SAL_COUNT(from)];
        snprintf(s, sizeof s, "(t - %.17g)", start.t);
        for (int k = 0; k < events; k++) {
            const double size = copysign(pow(10.0, 3.0 * random_number(&seed) + 1.0), random_number(&seed));
            char         height[100];
            snprintf(height, sizeof height, shape[(i / 3 + k * (1 + i % 4)) % SAL_COUNT(shape)], size, s);
            snprintf(points + strlen(points), sizeof points - strlen(points),
                     ", 'D%d': { 'at': [0, '%s'], 'fixed': true }", k, height);
            snprintf(contacts + strlen(contacts), sizeof contacts - strlen(contacts),
                     "%s'e%d': { 'type': 'event', 'when': 'y(D%d)', 'direction': 'both', 'set': { 'n': '10*n + %d' } }",
                     k ? ", " : "", k, k, k + 1);
            expected = 10.0 * expected + k + 1;
        }
        snprintf(text, sizeof text,
                 "'memory': { 'n': 0 }, 'points': { 'P': { 'at': [0, 1] }%s }, 'bodies': { 'm': { 'type': "
                 "'point_mass', 'point': 'P', 'mass': 1 } }, 'contacts': { %s }, 'outputs': { 'n': 'n' }",
                 points, contacts);
        r             = rig_load(text);
        opts.duration = start.t + 1.0;
        rig_run(&r, &opts);
        assert_int_equal(sal_run_start_at(r.run, &start), SAL_OK);
        if (collect(&r, times, 8) != events || sal_run_output(r.run, 0) != expected)
            fail_msg("%.0f in place of %.0f in %s", sal_run_output(r.run, 0), expected, text);
        for (int k = 0; k < events; k++) assert_near(times[k] - start.t, 1.0 / 3, 8.0 * DBL_EPSILON * start.t);
        rig_free(&r);
    }
}

/* The same for contacts: a floor that rises through two masses, one at rest and one that moves, or through the ends of
 * a bar, at one instant: all leave it with the velocity of an impact, those of the bar of one that is solved for both
 * together. */
static void test_contacts_at_large_times(void **state)
{
    static const double from[] = { 0.0, 3e3, 1e5, 2.7e6, 4e7 };
    uint64_t            seed   = 3;

    (void)state;
    for (int i = 0; i < 100; i++) {
        const double up = pow(10.0, 2.0 * random_number(&seed)), v = i % 2 ? 0.0 : up * (0.9 * random_number(&seed));
        sal_start    start = sal_start_defaults();
        sal_run_opts opts  = sal_run_defaults();
        char         text[1500];
        const char  *bodies = i % 2 ? "'bar': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1 }"
                                    : "'m': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"
                                      "'n': { 'type': 'point_mass', 'point': 'Q', 'mass': 3 }";
        sal_status   status;
        rig          r;

        start.t = from[i % SAL_COUNT(from)];
        snprintf(
            text, sizeof text,
            "'gravity': [0, 0], 'points': { 'P': { 'at': [0, 0], 'velocity': [0, 0] }, 'Q': { 'at': [1, '%.17g/3'], "
            "'velocity': [0, %.17g] } }, 'bodies': { %s }, 'contacts': { 'floor': { 'type': 'ground',"
            "'points': ['P', 'Q'], 'restitution': 0.5, 'height': '%.17g*((t - %.17g) - 1/3)' } }",
            -v, v, bodies, up, start.t);
        r             = rig_load(text);
        opts.duration = start.t + 1.0;
        opts.validate = true;
        opts.quiet    = true; /* at t = 0 the floor is anywhere */
        rig_run(&r, &opts);
        assert_int_equal(sal_run_start_at(r.run, &start), SAL_OK);
        while ((status = sal_run_step(r.run)) == SAL_OK || status == SAL_EVENT)
            if (status == SAL_EVENT)
                assert_near(sal_run_event(r.run).time - start.t, 1.0 / 3, 8.0 * DBL_EPSILON * (start.t + 1.0));
        if (status != SAL_END) fail_msg("%s in %s", sal_run_message(r.run), text);
        assert_near(sal_run_v(r.run)[1], 1.5 * up, 1e-12 * up);
        assert_near(sal_run_v(r.run)[3], 1.5 * up - 0.5 * v, 1e-12 * up);
        rig_free(&r);
    }
}

/* ------------------------------------------------------------------------- contacts and switches */

/* Two masses on a rod, one of them slides: friction is a force, no constraint. What an event sets is the same without
 * it, and the degrees of freedom are. */
static void test_sliding_is_no_constraint(void **state)
{
    double after[2][4];

    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1200];
        rig  r;
        int  rank;
        snprintf(text, sizeof text,
                 "'points': { 'P': { 'at': [0, 0], 'velocity': [1, 0] }, 'Q': { 'at': [1, 1], 'velocity': [1, 0] } },"
                 "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"
                 "            'q': { 'type': 'point_mass', 'point': 'Q', 'mass': 3 } },"
                 "'joints': { 'rod': { 'type': 'distance', 'points': ['P', 'Q'], 'length': 'sqrt(2)' } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['P']%s },"
                 "  'kick': { 'type': 'event', 'when': '1e-8 - t', 'set': { 'vy(Q)': 1 } } },"
                 "'simulation': { 'duration': 0.1 }",
                 k ? ", 'mu_kinetic': 0.3" : "");
        r = rig_load(text);
        rig_run(&r, NULL);
        assert_int_equal(sal_contact_slides(&r.run->system, 0), k);
        assert_int_equal(sal_run_rank(r.run, &rank), SAL_OK);
        assert_int_equal(rank, 2); /* the rod, the floor */
        rig_event(&r, NULL);
        memcpy(after[k], sal_run_v(r.run), sizeof after[k]);
        rig_free(&r);
    }
    assert_near(after[0][3], 1.0, 1e-12);
    for (int i = 0; i < 4; i++) assert_near(after[1][i], after[0][i], 1e-6);
}

/* Slip of a disc on a line: none where both turn as one body, none where it rolls. */
static void test_slip_of_a_disc(void **state)
{
    rig          r   = rig_load("'points': { 'A': { 'at': [0, 0] }, 'B': { 'at': [2, 0] }, 'C': { 'at': [0.7, 0.25] },"
                                           "            'D': { 'at': [1.7, 0.25] } },"
                                           "'bodies': { 'line': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 1 },"
                                           "            'disc': { 'type': 'bar', 'points': ['C', 'D'], 'mass': 1 } },"
                                           "'contacts': { 'on': { 'type': 'edge', 'points': ['C'], 'line': ['A', 'B'], 'radius': 0.25,"
                                           "                      'body': 'disc', 'law': 'stick' } }");
    const double q[] = { 0, 0, 2, 0, 0.7, 0.25, 1.7, 0.25 };
    const int    row = rig_row(&r, "on.t");
    numbers      x;
    sal_system  *s = numbers_make(&x, &r, NULL);
    double       v[8];

    (void)state;
    for (int k = 0; k < 4; k++) { /* all with one angular velocity and a velocity */
        v[2 * k]     = 0.4 - 1.7 * q[2 * k + 1];
        v[2 * k + 1] = -0.3 + 1.7 * q[2 * k];
    }
    sal_system_move(s, 0.0, q, v);
    assert_near(sal_relations_rate(&s->rows, row, s->z, s->zd), 0.0, 1e-14);
    assert_near(sal_relations_rate(&s->rows, rig_row(&r, "on.n"), s->z, s->zd), 0.0, 1e-14);
    memset(v, 0, sizeof v); /* rolls along with omega: -r omega */
    v[4] = v[6] = -0.25 * 3.0;
    v[7]        = 3.0;
    sal_system_move(s, 0.0, q, v);
    assert_near(sal_relations_rate(&s->rows, row, s->z, s->zd), 0.0, 1e-14);
    v[4] += 0.5;
    v[6] += 0.5; /* -slip is the row */
    sal_system_move(s, 0.0, q, v);
    assert_near(sal_relations_rate(&s->rows, row, s->z, s->zd), -0.5, 1e-14);
    numbers_free(&x);
    rig_free(&r);
}

/* On soft ground a mass rests at the depth (m g/k)^(2/3) and slides with the deceleration mu g; a belt drags it. */
static void test_compliant_friction(void **state)
{
    char   text[600];
    double speed[2];

    (void)state;
    for (int k = 0; k < 2; k++) {
        rig r;
        snprintf(text, sizeof text,
                 "'points': { 'P': { 'at': [0, '-(2*9.81/1e5)^(2/3)'], 'velocity': [%d, 0] } },"
                 "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
                 "'contacts': { 'soft': { 'type': 'ground', 'points': ['P'], 'law': 'compliant', 'stiffness': 1e5,"
                 "                        'mu_kinetic': 0.3, 'speed': %d } }, 'simulation': { 'duration': 0.5 }",
                 k ? 0 : 2, k ? -2 : 0);
        r = rig_load(text);
        rig_run(&r, NULL);
        rig_to(&r, 0.5);
        speed[k] = sal_run_v(r.run)[0];
        assert_near(sal_run_q(r.run)[1], -pow(2 * g / 1e5, 2.0 / 3), 1e-9);
        rig_free(&r);
    }
    assert_near(speed[0], 2.0 - 0.3 * g * 0.5, 1e-7);
    assert_near(speed[1], -0.3 * g * 0.5, 1e-7);
}

/* A mass is caught where it is, held, and let go: the place is kept in memory. */
static void test_hold_and_release(void **state)
{
    rig r =
        rig_load("'memory': { 'px': 5, 'py': 6, 'count': 0 },"
                 "'points': { 'P': { 'at': [0, 1], 'velocity': [1, 0] }, 'C': { 'at': ['px', 'py'], 'fixed': true } },"
                 "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
                 "'joints': { 'pin': { 'type': 'revolute', 'points': ['C', 'P'], 'active': false } },"
                 "'contacts': { 'catch': { 'type': 'event', 'when': '0.1 - t', 'hold': ['pin'],"
                 "                         'set': { 'px': 'x(P)', 'py': 'y(P)', 'count': 'count + 1' } },"
                 "              'drop': { 'type': 'event', 'when': '0.25 - t', 'release': 'pin', 'set': { 'count': "
                 "'count + 1' } },"
                 "              'tug': { 'type': 'event', 'when': '0.3 - t', 'hold': ['pin'], 'release_after': ['pin'],"
                 "                       'set': { 'px': 'x(P)', 'py': 'y(P)' } } },"
                 "'outputs': { 'count': 'count', 'py': 'py' }, 'simulation': { 'duration': 0.4 }");
    const double y = 1.0 - 0.5 * g * 0.01;
    double       t[4];

    (void)state;
    for (int again = 0; again < 2; again++) { /* a restart forgets */
        if (again) assert_int_equal(sal_run_restart(r.run), SAL_OK);
        else rig_run(&r, NULL);
        assert_near(sal_run_output(r.run, 1), 6.0, 0.0);
        assert_int_equal(sal_run_to(r.run, 0.2), SAL_EVENT);
        assert_near(sal_run_event(r.run).time, 0.1, 1e-14);
        assert_near(sal_run_event(r.run).impulse[1], -2.0 * g * 0.1, 1e-12); /* on what the row pulls down with */
        rig_to(&r, 0.2);
        assert_near(sal_run_q(r.run)[0], 0.1, 1e-13);
        assert_near(sal_run_q(r.run)[1], y, 1e-13);
        assert_near(sal_run_v(r.run)[1], 0.0, 1e-15);
        assert_near(fabs(sal_run_lambda(r.run)[1]), 2.0 * g, 1e-12);
        assert_near(sal_run_output(r.run, 0), 1.0, 0.0);
        assert_int_equal(collect(&r, t, 4), 2);
        assert_near(t[0], 0.25, 1e-14);
        assert_near(t[1], 0.3, 1e-14);
        assert_near(sal_run_output(r.run, 0), 2.0, 0.0);
        assert_near(sal_run_q(r.run)[1], y - 0.5 * g * (0.05 * 0.05 + 0.1 * 0.1), 1e-12); /* stopped at 0.3 */
        assert_near(sal_run_v(r.run)[1], -0.1 * g, 1e-12);
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bouncing_ball),
        cmocka_unit_test(test_two_in_one_step),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_graze),
        cmocka_unit_test(test_touch_and_go),
        cmocka_unit_test(test_graze_of_an_oscillator),
        cmocka_unit_test(test_start_on_surface),
        cmocka_unit_test(test_start_nearly_on_surface),
        cmocka_unit_test(test_start_below),
        cmocka_unit_test(test_passing_through),
        cmocka_unit_test(test_quick_succession),
        cmocka_unit_test(test_dying_bounces),
        cmocka_unit_test(test_resting_start),
        cmocka_unit_test(test_simultaneous),
        cmocka_unit_test(test_simultaneous_pass_through),
        cmocka_unit_test(test_simultaneous_at_large_times),
        cmocka_unit_test(test_contacts_at_large_times),
        cmocka_unit_test(test_nearly_simultaneous),
        cmocka_unit_test(test_guard_and_stop),
        cmocka_unit_test(test_kinds_of_functions),
        cmocka_unit_test(test_multiplier_event),
        cmocka_unit_test(test_reset_of_rate),
        cmocka_unit_test(test_reset_is_an_impulse),
        cmocka_unit_test(test_reset_contradiction),
        cmocka_unit_test(test_setters_swap),
        cmocka_unit_test(test_event_at_the_end),
        cmocka_unit_test(test_run_to),
        cmocka_unit_test(test_function_changed_by_its_event),
        cmocka_unit_test(test_long_runs),
        cmocka_unit_test(test_close_events_at_loose_tolerance),
        cmocka_unit_test(test_shaking_paddle),
        cmocka_unit_test(test_near_miss),
        cmocka_unit_test(test_steep_and_broken_functions),
        cmocka_unit_test(test_angle_counts_turns),
        cmocka_unit_test(test_laws_that_do_not_rebound),
        cmocka_unit_test(test_last_touch_is_recorded),
        cmocka_unit_test(test_guarded_event_leaves_no_trace),
        cmocka_unit_test(test_end_is_shown),
        cmocka_unit_test(test_sliding_is_no_constraint),
        cmocka_unit_test(test_slip_of_a_disc),
        cmocka_unit_test(test_compliant_friction),
        cmocka_unit_test(test_hold_and_release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
