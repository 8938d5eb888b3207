/* test_prescribed.c - what is prescribed and jumps: heights, profiles, drivers, fixed points, limits and memory are
 * refused with their place where they jump, and are an impact where their speed does; nothing is thrown anywhere. */
#include "tests/support.h"

/* A mass of 2 kg in the origin, 1 m below the fixed point O; S jumps up at t = T, M begins to rise. */
#define MASS                                                                                                      \
    "'gravity': [0, -10], 'parameters': { 'u': 0.3, 'T': 1 }, 'memory': { 'h': 0, 'belt': 1 },"                   \
    "'points': { 'O': { 'at': [0, 1], 'fixed': true }, 'M': { 'at': [0, '1 + u*max(0, t - T)'], 'fixed': true }," \
    "'S': { 'at': [0, '1 + 0.2*step(t - T)'], 'fixed': true }, 'P': { 'at': [0, 0], 'velocity': [%s, 0] } },"     \
    "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"                                       \
    "'simulation': { 'duration': 1.5, 'rtol': 1e-10 }, %s"
#define GROUND(more)  "'contacts': { 'g': { 'type': 'ground', 'points': ['P'], " more " } }"
#define CONTACT(more) "'contacts': { 's': { " more " } }"
#define JOINT(more)   "'joints': { 'd': { " more " } }"
#define SETS(contact, what)                                                                                           \
    "'contacts': { " contact ", 'e': { 'type': 'event', 'when': 't - T', 'direction': 'rising', 'set': { " what " } " \
    "} }"

static rig make(const char *velocity, const char *parts)
{
    char text[2400];

    snprintf(text, sizeof text, MASS, velocity, parts);
    return rig_load(text);
}

/* Each ends where it jumps, at t = 1 s, with a message. */
static void test_jumps_are_refused(void **state)
{
    static const struct {
        const char *velocity, *parts, *message;
    } cases[] = {
        { "0", GROUND("'height': '0.1*step(t - T)'"), "contacts.g: what drives g.n jumps by about 0.1 m at t = 1 s" },
        { "0", GROUND("'height': '-0.1*step(t - T)'"), "what drives g.n jumps by about 0.1 m" },
        { "0", GROUND("'height': 'if(t < T, 0, 0.2)'"), "what drives g.n jumps by about 0.2 m" },
        { "0", GROUND("'height': '0.02*atan(tan(2*(t - T) + pi/2))'"),
          "in place or in speed, and nothing in it says where" },
        { "0", GROUND("'profile': '0.1*cos(x)*step(t - T)'"), "what drives g.n jumps by about 0.1 m" },
        { "0", GROUND("'height': '0.3*step(t - T) - 0.1'"), "the gap of g jumps from 0.1 to -0.2 m at t = 1 s" },
        { "0", CONTACT("'type': 'formula', 'gap': 'y(P) - 0.1*step(t - T)'"), "contacts.s: what drives s.n jumps" },
        { "0", CONTACT("'type': 'length_stop', 'points': ['O', 'P'], 'max': '1 - 0.2*step(t - T)'"),
          "what drives s.n jumps by about 0.2 m" },
        { "0", CONTACT("'type': 'length_stop', 'points': ['S', 'P'], 'max': 1"), "what drives s.n jumps by" },
        { "0", JOINT("'type': 'driver', 'of': 'y(P)', 'value': '0.2*step(t - T)'"), "joints.d: what drives d jumps" },
        { "0", JOINT("'type': 'formula', 'rows': 'y(P) - 0.1*step(t - T)'"), "joints.d: what drives d jumps" },
        { "0", JOINT("'type': 'distance', 'points': ['S', 'P'], 'length': 1"), "joints.d: what drives d jumps" },
        { "0", SETS("'g': { 'type': 'ground', 'points': ['P'], 'height': 'h' }", "'h': '0.1'"),
          "contacts.g: what drives g.n jumps by about 0.1 m at t = 1 s" },
        { "0", SETS("'g': { 'type': 'ground', 'points': ['P'], 'height': 'h - 0.1', 'law': 'reset' }", "'h': '0.3'"),
          "the gap of g jumps from" },
        { "1", GROUND("'profile': '0.1*step(x - 1)'"),
          "contacts.g: its curve has a step where it is passed at t = 1 s" },
        { "1", GROUND("'profile': '0.1*max(0, x - 1)'"),
          "contacts.g: its curve has a kink where it is passed at t = 1 s" },
        { "1", JOINT("'type': 'curve', 'point': 'P', 'profile': '0.01 - 0.01*abs(x - 1)'"),
          "joints.d: its curve has a kink" },
    };

    (void)state;
    for (int k = 0; k < SAL_COUNT(cases); k++) {
        sal_status status = SAL_OK;
        rig        r      = make(cases[k].velocity, cases[k].parts);
        if (strstr(cases[k].message, "gap of")) { /* in the air there: nothing pulls it down */
            rig_free(&r);
            r = rig_load("'gravity': [0, 0], 'parameters': { 'T': 1 }, 'memory': { 'h': 0 }, 'points': { 'P': { 'at': "
                         "[0, 0] } }, "
                         "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } }, 'contacts': { 'g': { "
                         "'type': 'ground', 'points': ['P'], 'height': '0.3*step(t - T) - 0.1' } }");
        }
        rig_run(&r, NULL);
        while (status == SAL_OK || status == SAL_EVENT) status = sal_run_step(r.run);
        if (status >= 0) fail_msg("not refused: %s", cases[k].parts);
        if (!strstr(sal_run_message(r.run), cases[k].message))
            fail_msg("'%s' is not in '%s'", cases[k].message, sal_run_message(r.run));
        assert_near(sal_run_time(r.run), 1.0, 0.1);
        rig_free(&r);
    }
}

/* A speed that jumps is an impact: it rises with the speed u from there on, and derivatives go along. */
static void test_kinks_are_impacts(void **state)
{
    static const struct {
        const char *parts;
        double      speed; /* just after, over u */
    } cases[] = {
        { JOINT("'type': 'driver', 'of': 'y(P)', 'value': 'u*max(0, t - T)'"), 1.0 },
        { JOINT("'type': 'formula', 'rows': 'y(P) - u*max(0, t - T)'"), 1.0 },
        { JOINT("'type': 'distance', 'points': ['M', 'P'], 'length': 1"), 1.0 },
        { GROUND("'height': 'u*max(0, t - T)'"), 1.0 },
        { GROUND("'height': 'if(t < T, 0, u*(t - T))'"), 1.0 },
        { GROUND("'profile': 'u*max(0, t - T) + 0.1*x^2'"), 1.0 },
        { CONTACT("'type': 'formula', 'gap': 'y(P) - u*max(0, t - T)'"), 1.0 },
        { CONTACT("'type': 'length_stop', 'points': ['M', 'P'], 'max': 1"), 1.0 },
        { CONTACT("'type': 'length_stop', 'points': ['O', 'P'], 'max': '1 - u*max(0, t - T)'"), 1.0 },
    };

    (void)state;
    for (int k = 0; k < SAL_COUNT(cases); k++) {
        rig          r    = make("0", cases[k].parts);
        sal_run_opts opts = with_respect_to((const char *const[]){ "u", "T" }, 2);
        rig_run(&r, NULL);
        while (sal_run_time(r.run) < 1.0 + 1e-6) {
            if (sal_run_to(r.run, 1.0 + 2e-6) < 0) fail_msg("%s: %s", cases[k].parts, sal_run_message(r.run));
        }
        assert_near(sal_run_v(r.run)[1], 0.3 * cases[k].speed, 1e-4);
        assert_near(sal_run_q(r.run)[1], 0.0, 1e-5);
        opts.duration = 1.04;
        opts.quiet    = true;
        rig_verify(&r, opts, cases[k].parts);
        rig_free(&r);
    }
}

/* Memory that changes the speed of a belt under something that sticks: it slips. */
static void test_memory_sets_a_belt(void **state)
{
    rig r =
        make("1", SETS("'g': { 'type': 'ground', 'points': ['P'], 'mu_static': 0.5, 'speed': 'belt' }", "'belt': '2'"));

    (void)state;
    rig_run(&r, NULL);
    while (sal_run_step(r.run) != SAL_END) continue;
    assert_near(sal_run_v(r.run)[0], 2.0, 1e-9); /* g/2 for 0.2 s */
    assert_near(sal_run_q(r.run)[0], 1.0 + 0.1 + 0.2 + 0.6 - 0.0, 1e-8);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jumps_are_refused),
        cmocka_unit_test(test_kinks_are_impacts),
        cmocka_unit_test(test_memory_sets_a_belt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
