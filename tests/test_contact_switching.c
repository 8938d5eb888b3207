/* test_contact_switching.c - contacts that events open and close: trapdoors, latches, fuses, sensors; contacts by laws
 * that hold nothing; what is saved, refused and differentiated. */
#include "tests/support.h"

#define BALL                                                                                               \
    "'gravity': [0, -10], 'parameters': { 'h': 0.2, 'T': 0.5, 'v': 0.3, 'r': 0.5 }, 'memory': { 'n': 0 }," \
    "'points': { 'P': { 'at': [0, 'h'], 'velocity': ['v', 0] } },"                                         \
    "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"                                \
    "'simulation': { 'duration': 1.5, 'rtol': 1e-11 },"

static void to_event(rig *r, const char *name, double time)
{
    rig_event(r, name);
    assert_near(sal_run_event(r->run).time, time, 1e-10);
}

/* It falls through while the door is open; below it, closing does nothing. */
static void test_trapdoor(void **state)
{
    rig r = rig_load(BALL "'contacts': { 'shuts': { 'type': 'event', 'when': 't - T - 0.1', 'direction': 'rising', "
                          "'close': 'door' }, 'opens': { 'type': 'event', 'when': 't - T', 'direction': 'rising', "
                          "'open': ['door.P'] }, 'door': { 'type': 'ground', 'points': ['P'], 'mu_kinetic': 0.1 },"
                          "'cellar': { 'type': 'ground', 'points': ['P'], 'height': -1 } },"
                          "'outputs': { 'active': 'active(door)', 'closed': 'closed(door.P)' }");

    (void)state;
    rig_run(&r, NULL);
    to_event(&r, "door", 0.2);
    to_event(&r, "door.stick", 0.3);
    assert_near(sal_run_output(r.run, 0), 1.0, 0.0);
    assert_near(sal_run_output(r.run, 1), 1.0, 0.0);
    to_event(&r, "opens", 0.5);
    assert_near(sal_run_output(r.run, 0), 0.0, 0.0);
    assert_near(sal_run_output(r.run, 1), 0.0, 0.0);
    assert_false(sal_run_closed(r.run, 0));
    to_event(&r, "shuts", 0.6);
    assert_near(sal_run_q(r.run)[1], -0.05, 1e-12);
    to_event(&r, "cellar", 0.5 + sqrt(0.2));
    rig_quiet_end(&r);
    assert_near(sal_run_q(r.run)[1], -1.0, 1e-11);
    rig_verify(&r, with_respect_to((const char *const[]){ "h", "T", "v" }, 3), "derivatives");
    rig_free(&r);
}

/* Above it, closing arms: a thrown ball passes on its way up and lands on its way down. */
static void test_armed(void **state)
{
    rig r = rig_load(
        "'gravity': [0, -10], 'parameters': { 'u': 5, 'r': 0.5 }, 'points': { 'P': { 'at': [0, 0], 'velocity': [0, "
        "'u'] "
        "} }, 'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } }, 'contacts': { 'shelf': { 'type': "
        "'ground', 'points': ['P'], 'height': 0.8, 'active': false, 'restitution': 'r' }, 'top': { 'type': 'event', "
        "'when': 'vy(P)', 'close': 'shelf' }, 'bottom': { 'type': 'ground', 'points': ['P'] } },"
        "'simulation': { 'duration': 1.2, 'rtol': 1e-11 }");
    const double fall = sqrt(2.0 * 0.45 / 10.0); /* from 1.25 m */

    (void)state;
    rig_run(&r, NULL);
    to_event(&r, "top", 0.5);
    to_event(&r, "shelf", 0.5 + fall);
    to_event(&r, "top", 0.5 + fall + 0.5 * fall);
    rig_verify(&r, with_respect_to((const char *const[]){ "u", "r" }, 2), "derivatives");
    rig_free(&r);
}

/* Closing where the gap is zero and falling is the impact, with its impulse; as if it had been there. */
static void test_closing_is_an_impact(void **state)
{
    rig r = rig_load(BALL "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'active': false, 'restitution': "
                          "'r' }, 'low': { 'type': 'event', 'when': 'y(P)', 'close': 'floor' } }");
    const sal_event_info *info;
    sal_event_info        event;

    (void)state;
    rig_run(&r, NULL);
    for (double e = 0.0; e < 0.6; e += 0.5) {
        assert_int_equal(sal_run_set(r.run, "r", e), SAL_OK);
        assert_int_equal(sal_run_restart(r.run), SAL_OK);
        to_event(&r, "low", 0.2);
        event = sal_run_event(r.run);
        info  = &event;
        assert_near(info->impulse[rig_row(&r, "floor.n")], 2.0 * 2.0 * (1.0 + e), 1e-11);
        assert_near(sal_run_v(r.run)[1], 2.0 * e, 1e-11);
        assert_int_equal(sal_run_closed(r.run, 0), e == 0.0);
    }
    rig_verify(&r, with_respect_to((const char *const[]){ "h", "r" }, 2), "derivatives");
    rig_free(&r);
}

/* Where it touches for these parameters only, there are no derivatives. */
static void test_touches_by_chance(void **state)
{
    rig r = rig_load(BALL "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'active': false }, 'now': { "
                          "'type': 'event', 'when': 't - 0.2', 'direction': 'rising', 'close': 'floor' } }");
    sal_run_opts opts = with_respect_to((const char *const[]){ "h" }, 1);

    (void)state;
    rig_run(&r, &opts);
    to_event(&r, "now", 0.2);
    assert_non_null(
        strstr(sal_run_wrt_invalid(r.run), "floor touches when it is closed at t = 0.2 s, but only for this h"));
    rig_free(&r);
}

/* On touch: a sensor lets pass without an impulse, a fuse lets go after it. */
static void test_sensor_and_fuse(void **state)
{
    (void)state;
    for (int fuse = 0; fuse < 2; fuse++) {
        char text[1200];
        rig  r;
        snprintf(text, sizeof text,
                 BALL
                 "'contacts': { 'it': { 'type': 'ground', 'points': ['P'], 'on': { 'touch': { '%s': 'it', 'set': { "
                 "'n': 'n + 1' } } } }, 'below': { 'type': 'ground', 'points': ['P'], 'height': -1 } }",
                 fuse ? "open_after" : "open");
        r = rig_load(text);
        rig_run(&r, NULL);
        to_event(&r, "it", 0.2);
        assert_near(sal_run_v(r.run)[1], fuse ? 0.0 : -2.0, 1e-12);
        assert_near(sal_run_event(r.run).impulse[0], fuse ? 4.0 : 0.0, 1e-11);
        assert_false(sal_run_closed(r.run, 0));
        to_event(&r, "below", fuse ? 0.2 + sqrt(0.2) : sqrt(0.24));
        assert_near(sal_run_memory(r.run, 0), 1.0, 0.0);
        rig_quiet_end(&r);
        rig_verify(&r, with_respect_to((const char *const[]){ "h", "v" }, 2), "derivatives");
        rig_free(&r);
    }
}

/* A brake shoe: pressed on a bar by a force, its friction holds a weight; let go and gripped again as it falls. The jaw
 * and a smooth guide lie in one line, so that the gap is zero all the time: gripping begins at once, with no impulse. */
static void test_brake(void **state)
{
    rig r = rig_load(
        "'gravity': [0, -10], 'parameters': { 'mu': 0.9, 'F': 30 }, 'points': { 'A': { 'at': [0, 0] }, 'U': { 'at': "
        "[0, 9], 'fixed': true }, 'V': { 'at': [0, -9], 'fixed': true } },"
        "'bodies': { 'a': { 'type': 'point_mass', 'point': 'A', 'mass': 2 } },"
        "'joints': { 'press': { 'type': 'force', 'point': 'A', 'fx': '-F', 'fy': '0' } },"
        "'contacts': { 'jaw': { 'type': 'edge', 'points': ['A'], 'line': ['U', 'V'], 'mu_kinetic': 'mu' },"
        "'guide': { 'type': 'edge', 'points': ['A'], 'line': ['U', 'V'], 'law': 'slide', 'active': false },"
        "'lets_go': { 'type': 'event', 'when': 't - 0.3', 'direction': 'rising', 'open': 'jaw', 'close': 'guide' },"
        "'grips': { 'type': 'event', 'when': 't - 0.5', 'direction': 'rising', 'close': 'jaw', 'open': 'guide' } },"
        "'outputs': { 'f': 'friction(jaw)' }, 'simulation': { 'duration': 2, 'rtol': 1e-11 }");
    const double brakes = 0.9 * 30.0 / 2.0 - 10.0, speed = 10.0 * 0.2; /* up, after a fall of 0.2 s */

    (void)state;
    rig_run(&r, NULL);
    assert_near(sal_run_output(r.run, 0), -20.0, 1e-11); /* the way of the line is down */
    to_event(&r, "lets_go", 0.3);
    assert_near(sal_run_q(r.run)[1], 0.0, 1e-13);
    to_event(&r, "grips", 0.5);
    assert_near(sal_run_v(r.run)[1], -speed, 1e-12);
    to_event(&r, "jaw.stick", 0.5 + speed / brakes);
    rig_quiet_end(&r);
    assert_near(sal_run_q(r.run)[1], -0.5 * 10.0 * 0.04 - 0.5 * speed * speed / brakes, 1e-11);
    rig_verify(&r, with_respect_to((const char *const[]){ "mu", "F" }, 2), "derivatives");
    rig_free(&r);
}

/* The others laws: a rebound by `reset`, a soft ground that does not press what it is closed around. */
static void test_other_laws(void **state)
{
    static const char *const law[] = { "'law': 'reset', 'restitution': 1",
                                       "'law': 'compliant', 'stiffness': 5e4, 'mu_kinetic': 0.2" };

    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1200];
        rig  r;
        snprintf(text, sizeof text,
                 BALL
                 "'contacts': { 'it': { 'type': 'ground', 'points': ['P'], 'active': false, %s }, 'now': { 'type': "
                 "'event', 'when': 't - 0.25', 'direction': 'rising', 'close': 'it' }, 'low': { 'type': 'ground', "
                 "'points': ['P'], 'height': -1, 'restitution': 1 } }",
                 law[k]);
        r = rig_load(text);
        rig_run(&r, NULL);
        to_event(&r, "now", 0.25);
        assert_near(sal_run_q(r.run)[1], 0.2 - 5.0 * 0.0625, 1e-12);
        to_event(&r, "low", sqrt(0.24));
        if (k) to_event(&r, "it.above", 2.0 * sqrt(0.24) - 0.2); /* from here on it acts */
        to_event(&r, "it", 2.0 * sqrt(0.24) + 0.2);
        while (sal_run_step(r.run) != SAL_END) continue;
        assert_true(sal_run_q(r.run)[1] > -0.05);
        rig_verify(&r, with_respect_to((const char *const[]){ "h", "v" }, 2), "derivatives");
        rig_free(&r);
    }
}

/* What is off when a state is saved is off when it is loaded. */
static void test_saved(void **state)
{
    rig    r = rig_load(BALL "'contacts': { 'door': { 'type': 'ground', 'points': ['P'] }, 'opens': { 'type': 'event', "
                                "'when': 't - T', 'direction': 'rising', 'open': 'door' } }");
    char   bytes[20000];
    size_t size;
    double y;

    (void)state;
    rig_run(&r, NULL);
    assert_int_equal(sal_run_save(r.run, NULL, 0, &size), SAL_OK);
    assert_true(size < sizeof bytes);
    to_event(&r, "door", 0.2);
    to_event(&r, "opens", 0.5);
    assert_int_equal(sal_run_save(r.run, bytes, sizeof bytes, &size), SAL_OK);
    rig_quiet_end(&r);
    y = sal_run_q(r.run)[1];
    assert_near(y, -5.0, 1e-10);
    rig_run(&r, NULL);
    assert_int_equal(sal_run_load(r.run, bytes, size), SAL_OK);
    rig_quiet_end(&r);
    assert_true(sal_run_q(r.run)[1] == y);
    rig_free(&r);
}

/* A ball thrown up from the floor, and a shelf that lets go once it has been touched: on and off are part of the state. */
static void test_cycle(void **state)
{
    static const char scene[] =
        "'gravity': [0, -10], 'parameters': { 'm': 1, 'v': 4 }, 'points': { 'P': { 'at': [0, 0.8], 'velocity': [0, 0], "
        "'dof': true } }, 'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } }, 'contacts': {"
        "'shelf': { 'type': 'ground', 'points': ['P'], 'height': 0.2, 'restitution': 0.5, 'on': { 'touch': { "
        "'open_after': 'shelf' } } }, 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { 'vy(P)': 'v' }%s },"
        "'top': { 'type': 'event', 'when': 'vy(P)' } }, 'cycle': { 'section': 'floor' }, 'simulation': { 'duration': 5 "
        "}";
    char           text[1200];
    sal_cycle_opts opts = sal_cycle_defaults();

    (void)state;
    for (int back = 0; back < 2; back++) {
        sal_cycle *cycle;
        rig        r;
        snprintf(text, sizeof text, scene, back ? ", 'close': 'shelf'" : "");
        r = rig_load(text);
        assert_int_equal(sal_cycle_create(r.model, &opts, &cycle), SAL_OK);
        if (sal_cycle_find(cycle) != SAL_OK) fail_msg("%s", sal_message(r.context));
        /* closed again where the ball is below it, it acts once that has been above; or it is off for good */
        assert_near(sal_cycle_get_info(cycle).period, back ? 0.4 + 1.5 * sqrt(0.12) + sqrt(0.07) : 0.8, 1e-9);
        sal_cycle_destroy(&cycle);
        rig_free(&r);
    }
}

static void refuses(const char *contacts, const char *message)
{
    char text[2000];

    snprintf(text, sizeof text, BALL "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'] }, %s }", contacts);
    assert_refused(text, message);
}

static void test_errors(void **state)
{
    (void)state;
    refuses("'e': { 'type': 'event', 'when': 't - 1', 'open': 'flor' }",
            "contacts.e.open: unknown contact 'flor'; did you mean 'floor'?");
    refuses("'e': { 'type': 'event', 'when': 't - 1', 'close': ['e'] }", "'e' is an event; expected a contact");
    refuses("'e': { 'type': 'event', 'when': 't - 1', 'close': 'b' }",
            "'b' is no contact; joints and bodies are for 'hold'");
    refuses("'e': { 'type': 'event', 'when': 't - 1', 'close': 7 }",
            "expected one or more names of contacts, found a number");
    refuses("'e': { 'type': 'event', 'when': 't - 1', 'close': 'floor', 'open': 'floor.P' }",
            "'floor' is opened and closed by the same event");
    refuses("'g': { 'type': 'ground', 'points': ['P'], 'active': false, 'closed': ['P'] }",
            "it is said to begin closed, and to be off");
}

/* The shipped scene: touches of stone and ball as a series, and the cellar sqrt(0.2) s after the door has opened. */
static void test_shipped_trapdoor(void **state)
{
    rig        r      = rig_scene("trapdoor.json");
    sal_status status = SAL_OK;
    int        events = 0;

    (void)state;
    rig_run(&r, NULL);
    while (status == SAL_OK || status == SAL_EVENT) {
        status = sal_run_step(r.run);
        if (status != SAL_EVENT) continue;
        if (events++ == 1) assert_near(sal_run_event(r.run).time, 0.4 + 0.8 * 0.3, 1e-11);
    }
    assert_int_equal(status, SAL_END);
    assert_near(sal_run_time(r.run), 1.5 + sqrt(0.2), 1e-11);
    assert_near(sal_run_memory(r.run, 0), 9.0, 0.0); /* both at once, each from what was before */
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trapdoor),
        cmocka_unit_test(test_armed),
        cmocka_unit_test(test_closing_is_an_impact),
        cmocka_unit_test(test_touches_by_chance),
        cmocka_unit_test(test_sensor_and_fuse),
        cmocka_unit_test(test_brake),
        cmocka_unit_test(test_other_laws),
        cmocka_unit_test(test_saved),
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_shipped_trapdoor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
