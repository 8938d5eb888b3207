/* test_contact_reading.c - what expressions read of contacts: gap, slip, normal, friction, closed; contacts named before
 * they are there; names with and without the point; compliant contacts; contacts that change together. */
#include "tests/support.h"

/* A block thrown along the ground: slides with -mu g until it sticks. */
#define BLOCK                                                                                          \
    "'parameters': { 'mu': 0.25, 'v': 1.5, 'm': 2 }, 'gravity': [0, -10],"                             \
    "'points': { 'P': { 'at': [0, 0], 'velocity': ['v', 0] }, 'Q': { 'at': [9, 0], 'fixed': true } }," \
    "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"
#define FLOOR "'floor': { 'type': 'ground', 'points': ['P'], 'mu_kinetic': 'mu', 'mu_static': '2*mu' }"

static double output(const rig *r, int k)
{
    return sal_run_output(r->run, k);
}

static void test_values(void **state)
{
    const double m = 2.0, g = 10.0, mu = 0.25, v = 1.5, t = 0.4;
    rig          r    = rig_load(BLOCK "'contacts': {" FLOOR "},"
                                                   "'outputs': { 'g': 'gap(floor)', 's': 'slip(floor.P)', 'n': 'normal(floor)',"
                                                   "'f': 'friction(floor.P)', 'c': 'closed(floor)', 'n2': 'reaction(floor.P.normal)',"
                                                   "'l': 'lambda(floor.P.t)' },"
                                                   "'costs': { 'lost': { 'running': '-friction(floor)*slip(floor)' },"
                                                   "'stops': { 'events': { 'floor.P.stick': 't' } } }, 'simulation': { 'duration': 1 }");
    sal_run_opts opts = with_respect_to((const char *const[]){ "mu", "v", "m" }, 3);
    double       d[3];

    (void)state;
    rig_run(&r, &opts);
    rig_to(&r, t);
    assert_near(output(&r, 0), 0.0, 1e-14);
    assert_near(output(&r, 1), v - mu * g * t, 1e-12);
    assert_near(output(&r, 2), m * g, 1e-12);
    assert_near(output(&r, 3), -mu * m * g, 1e-12);
    assert_near(output(&r, 4), 1.0, 0.0);
    assert_near(output(&r, 5), m * g, 1e-12);
    assert_near(output(&r, 6), -mu * m * g, 1e-12);
    assert_int_equal(sal_run_output_gradient(r.run, 1, d), SAL_OK);
    assert_near(d[0], -g * t, 1e-11);
    assert_near(d[1], 1.0, 1e-12);
    assert_int_equal(sal_run_output_gradient(r.run, 3, d), SAL_OK);
    assert_near(d[0], -m * g, 1e-11);
    assert_near(d[2], -mu * g, 1e-11);
    while (sal_run_step(r.run) != SAL_END) continue;
    assert_near(sal_run_costs(r.run)[0], 0.5 * m * v * v, 1e-10); /* all that it had */
    assert_near(sal_run_cost_gradients(r.run)[0], 0.0, 1e-9);
    assert_near(sal_run_cost_gradients(r.run)[1], m * v, 1e-9);
    assert_near(sal_run_costs(r.run)[1], v / (mu * g), 1e-11);
    rig_free(&r);
}

/* Forces, events and guards name contacts that come later, or their own. */
static void test_later(void **state)
{
    rig        r = rig_load(BLOCK "'memory': { 'k': 0 },"
                                         "'joints': { 'brake': { 'type': 'force', 'point': 'P', 'fx': '-4*closed(floor)', 'fy': "
                                         "'0*gap(floor.P)' } },"
                                         "'contacts': { 'half': { 'type': 'event', 'when': 'slip(floor) - 0.5', 'set': { 'k': "
                                         "'normal(floor.P)' } }, 'floor': { 'type': 'ground', 'points': ['P'], 'mu_kinetic': "
                                         "'mu', 'guard': 'gap(floor) < 1' } }, 'simulation': { 'duration': 0.3 }");
    sal_status status;

    (void)state;
    rig_run(&r, NULL);
    while ((status = sal_run_step(r.run)) == SAL_OK) continue;
    assert_int_equal(status, SAL_EVENT);
    assert_near(sal_run_event(r.run).time, 1.0 / (0.25 * 10.0 + 4.0 / 2.0), 1e-11);
    assert_near(sal_run_memory(r.run, 0), 20.0, 1e-11);
    rig_free(&r);
}

static void test_errors(void **state)
{
    (void)state;
    assert_refused(BLOCK "'contacts': {" FLOOR "}, 'outputs': { 'n': 'normal(flor)' }",
                   "unknown contact 'flor'; did you mean 'floor'?");
    assert_refused(
        BLOCK "'joints': { 'f': { 'type': 'force', 'point': 'P', 'fx': 'gap(flor)', 'fy': '0' } }, 'contacts': {" FLOOR
              "}",
        "joints.f.fx: in 'gap(flor)', column 5: unknown contact 'flor'; did you mean 'floor'?");
    assert_refused(
        BLOCK
        "'joints': { 'f': { 'type': 'force', 'point': 'P', 'fx': 'normal(floor)', 'fy': '0' } }, 'contacts': {" FLOOR
        "}",
        "normal(floor) follows from the forces of the same instant: a force cannot read it");
    assert_refused(BLOCK "'contacts': { 'e': { 'type': 'event', 'when': 't - 1' } }, 'outputs': { 'n': 'closed(e)' }",
                   "'e' is an event; expected a contact");
    assert_refused(
        BLOCK "'contacts': { 's': { 'type': 'ground', 'points': ['P'], 'law': 'slide' }, 'l': { 'type': 'length_stop', "
              "'points': ['P', 'Q'], 'min': 1 } }, 'outputs': { 'n': 'slip(l.min)' }",
        "nothing slips at l: it has no tangent");
}

/* A soft ground: half a swing with w^2 = k/m; its force, what it stores, and the energy that does not change. */
static void test_compliant(void **state)
{
    const double k = 800.0, w = 20.0, v = 1.5, t = 0.05;
    rig          r = rig_load(
                 "'gravity': [0, 0], 'points': { 'P': { 'at': [0, 0.15], 'velocity': [0, -1.5] }, 'Q': { 'at': [1, 0] } },"
                          "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 2 }, 'c': { 'type': 'point_mass', 'point': "
                          "'Q', 'mass': 1 } }, 'contacts': { 'soft': { 'type': 'ground', 'points': ['P'], 'law': 'compliant', "
                          "'stiffness': 800, 'exponent': 1 }, 'hard': { 'type': 'ground', 'points': ['Q'], 'law': 'slide' } },"
                          "'outputs': { 'n': 'normal(soft.P)', 'c': 'closed(soft)', 'e': 'energy()', 'f': 'friction(soft)' },"
                          "'simulation': { 'duration': 1, 'rtol': 1e-11 }");

    (void)state;
    rig_run(&r, NULL);
    rig_to(&r, 0.05);
    assert_near(output(&r, 0), 0.0, 0.0);
    assert_near(output(&r, 1), 0.0, 0.0);
    assert_int_equal(sal_run_to(r.run, 0.12), SAL_EVENT);
    rig_to(&r, 0.1 + t);
    assert_near(output(&r, 0), k * v / w * sin(w * t), k * 1e-11); /* places are good to 1e-11 m */
    assert_near(output(&r, 1), 1.0, 0.0);
    assert_near(output(&r, 2), v * v, 51.0 * 1e-11); /* and force times that */
    assert_near(output(&r, 3), 0.0, 0.0);
    assert_int_equal(sal_run_to(r.run, 1.0), SAL_EVENT);
    assert_near(sal_run_event(r.run).time, 0.1 + PI / w, 1e-11);
    rig_to(&r, 1.0);
    assert_near(sal_run_v(r.run)[1], v, 1e-11);
    rig_free(&r);
}

/* A bar lands flat: both feet are named, with the impulses of each. */
static void test_two_feet(void **state)
{
    rig r = rig_load("'gravity': [0, -10], 'points': { 'A': { 'at': [0, 0.2] }, 'B': { 'at': [1, 0.2] } }, 'bodies': { "
                     "'b': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 3 } }, 'contacts': { 'floor': { 'type': "
                     "'ground', 'points': ['A', 'B'] } }, 'simulation': { 'duration': 1 }");
    sal_event_contact c;

    (void)state;
    rig_run(&r, NULL);
    assert_int_equal(sal_run_to(r.run, 1.0), SAL_EVENT);
    for (int k = 0; k < 2; k++) {
        assert_true(sal_run_event_contact(r.run, k, &c));
        assert_string_equal(c.contact, k ? "floor.B" : "floor.A");
        assert_string_equal(sal_model_event(r.model, c.event), c.contact);
        assert_near(c.normal, 0.5 * 3.0 * 2.0, 1e-11);
    }
    assert_false(sal_run_event_contact(r.run, 2, &c));
    rig_free(&r);
}

/* What happens with a contact: memory, a pin that holds, the end; of the one whose event it is, and of one that changes
 * with it. The same by events that watch the gaps. */
static void test_on(void **state)
{
    static const char *const floors[] = {
        "'floor': { 'type': 'ground', 'points': ['A', 'B'], 'restitution': 0.5, 'on': { 'touch': { 'set': { 'n': 'n + "
        "1', "
        "'speed': 'vy(point)', 'last': 'x(point)' } } } },"
        "'low': { 'type': 'ground', 'points': ['C'], 'height': -0.5, 'law': 'slide', 'on': { 'touch': { 'stop': true } "
        "} }",
        "'seen': { 'type': 'event', 'when': 'y(A)', 'set': { 'n': 'n + 1', 'speed': 'vy(B)', 'last': 'x(B)' } },"
        "'floor': { 'type': 'ground', 'points': ['A', 'B'], 'restitution': 0.5 },"
        "'end': { 'type': 'event', 'when': 'y(C) + 0.5', 'stop': true }",
    };

    (void)state;
    for (int k = 0; k < SAL_COUNT(floors); k++) {
        char text[2000];
        rig  r;
        snprintf(
            text, sizeof text,
            "'gravity': [0, -10], 'memory': { 'n': 0, 'speed': 0, 'last': 0 }, 'points': { 'A': { 'at': [0, 0.2] }, "
            "'B': { 'at': [1, 0.2] }, 'C': { 'at': [3, 1] } }, 'bodies': { 'b': { 'type': 'bar', 'points': ['A', "
            "'B'], 'mass': 3 }, 'c': { 'type': 'point_mass', 'point': 'C', 'mass': 1 } }, 'contacts': { %s },"
            "'simulation': { 'duration': 1 }",
            floors[k]);
        r = rig_load(text);
        rig_run(&r, NULL);
        rig_end(&r);
        assert_near(sal_run_time(r.run), sqrt(0.3), 1e-12);
        assert_near(sal_run_memory(r.run, 0), 3.0, 0.0); /* at 0.2 s, 0.4 s and 0.5 s */
        assert_near(sal_run_memory(r.run, 1), -0.5, 1e-11);
        assert_near(sal_run_memory(r.run, 2), 1.0, 1e-12);
        rig_free(&r);
    }
    assert_refused(BLOCK
                   "'contacts': { 'f': { 'type': 'ground', 'points': ['P'], 'on': { 'tuch': { 'stop': true } } } }",
                   "contacts.f.on.tuch: unknown change 'tuch'; did you mean 'touch'?");
    assert_refused(BLOCK
                   "'contacts': { 'f': { 'type': 'ground', 'points': ['P'], 'on': { 'slip': { 'stop': true } } } }",
                   "'slip' cannot happen with the law 'impact' and no friction");
    assert_refused(
        BLOCK
        "'contacts': { 'f': { 'type': 'ground', 'points': ['P'], 'on': { 'touch': { 'set': { 'vx(P)': '1' } } } } }",
        "'vx(P)' cannot be set: the velocities follow from the law");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),    cmocka_unit_test(test_later),    cmocka_unit_test(test_errors),
        cmocka_unit_test(test_compliant), cmocka_unit_test(test_two_feet), cmocka_unit_test(test_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
