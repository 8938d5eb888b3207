/* test_costs.c - running, terminal and event costs, their values and gradients against closed forms. */
#include "tests/support.h"

static const double g = 9.81, h = 1.3, e = 0.7;

static rig ball(const char *costs, const char *duration)
{
    char text[1200];

    snprintf(text, sizeof text,
             "'gravity': [0, '-g'], 'parameters': { 'g': 9.81, 'h': 1.3, 'r': 0.7, 'T': 1.1 }, 'points': { 'P': { "
             "'at': [0, 'h'] } },"
             "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
             "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'law': 'reset', 'restitution': 'r' } },"
             "'costs': { %s }, 'simulation': { 'duration': %s, 'rtol': 1e-12 }",
             costs, duration);
    return rig_load(text);
}

static void run_to_end(rig *r)
{
    static const char *const wrt[] = { "g", "h", "r", "T" };
    sal_run_opts             opts  = with_respect_to(wrt, 4);

    rig_run(r, &opts);
    rig_end(r);
}

static void assert_gradient(const rig *r, int cost, double value, double dg, double dh, double dr, double dT)
{
    const double *d = sal_run_cost_gradients(r->run) + 4 * cost;

    assert_near(sal_run_costs(r->run)[cost], value, 1e-11);
    assert_near(d[0], dg, 1e-10);
    assert_near(d[1], dh, 1e-10);
    assert_near(d[2], dr, 1e-10);
    assert_near(d[3], dT, 1e-10);
}

/* With V = sqrt(2 g h) and t_1 = V/g: touches at t_1 and t_2 = t_1 (1 + 2 r) with speeds V and r V, before T = 1.1 +
 * ... */
static void test_event_costs(void **state)
{
    rig          r = ball("'speed': { 'events': { 'floor': '-vy(P)' } }, 'times': { 'events': { 'floor': 't' } },"
                                   "'both': { 'running': '1', 'events': { 'floor': 'r*t' }, 'terminal': 'y(P)*0 + g' }",
                          "1.4");
    const double V = sqrt(2.0 * g * h), t1 = V / g, Vg = 0.5 * V / g, Vh = 0.5 * V / h, tg = -0.5 * t1 / g,
                 th = 0.5 * t1 / h;

    (void)state;
    run_to_end(&r);
    assert_int_equal(sal_run_get_stats(r.run).events, 2);
    assert_gradient(&r, 0, V * (1.0 + e), Vg * (1.0 + e), Vh * (1.0 + e), V, 0.0);
    assert_gradient(&r, 1, t1 * (2.0 + 2.0 * e), tg * (2.0 + 2.0 * e), th * (2.0 + 2.0 * e), 2.0 * t1, 0.0);
    assert_gradient(&r, 2, 1.4 + e * t1 * (2.0 + 2.0 * e) + g, e * tg * (2.0 + 2.0 * e) + 1.0, e * th * (2.0 + 2.0 * e),
                    t1 * (2.0 + 4.0 * e), 0.0);
    rig_free(&r);
}

/* A cost reads outputs by their names, and outputs those before them. */
static void test_outputs_in_costs(void **state)
{
    rig          r = ball("'speed': { 'events': { 'floor': 'w' } } }, 'outputs': { 'v': '-vy(P)', 'w': 'v*r/r'", "1.4");
    const double V = sqrt(2.0 * g * h), Vg = 0.5 * V / g, Vh = 0.5 * V / h;

    (void)state;
    run_to_end(&r);
    assert_gradient(&r, 0, V * (1.0 + e), Vg * (1.0 + e), Vh * (1.0 + e), V, 0.0);
    rig_free(&r);
}

/* A cost of the energy just before each touch: m g h, then r^2 of it. */
static void test_event_cost_of_energy(void **state)
{
    rig          r = ball("'e': { 'events': { 'floor': '3*energy() + h' } }", "1.4");
    const double E = 2.0 * g * h, f = 1.0 + e * e;

    (void)state;
    run_to_end(&r);
    assert_gradient(&r, 0, 3.0 * E * f + 2.0 * h, 3.0 * E / g * f, 3.0 * E / h * f + 2.0, 3.0 * E * 2.0 * e, 0.0);
    rig_free(&r);
}

/* The end moves with a parameter: d/dT of the integral of vy and of the end value of y are both vy(T). */
static void test_duration_is_a_parameter(void **state)
{
    rig r = ball("'way': { 'running': 'vy(P)' }, 'end': { 'terminal': 'y(P)' }, 'time': { 'running': '1' }", "'T'");
    const double V = sqrt(2.0 * g * h), t1 = V / g, since = 1.1 - t1, vy = e * V - g * since;

    (void)state;
    run_to_end(&r);
    assert_int_equal(sal_run_get_stats(r.run).events, 1);
    assert_near(sal_run_costs(r.run)[1], e * V * since - 0.5 * g * since * since, 1e-12);
    assert_near(sal_run_costs(r.run)[0], sal_run_costs(r.run)[1] - h, 1e-12);
    assert_near(sal_run_cost_gradients(r.run)[3], vy, 1e-11);
    assert_near(sal_run_cost_gradients(r.run)[4 + 3], vy, 1e-11);
    assert_near(sal_run_cost_gradients(r.run)[8 + 3], 1.0, 1e-14);
    assert_near(sal_run_cost_gradients(r.run)[8 + 0], 0.0, 1e-14);
    rig_free(&r);
}

/* sqrt(|x|) at x = 0 has no derivative: the run says which cost it is. */
static void test_cost_without_derivative(void **state)
{
    static const char *const wrt[] = { "initial(P.x)" };
    rig                      r     = ball("'root': { 'running': 'sqrt(abs(x(P)))' }", "1");
    sal_run_opts             opts  = with_respect_to(wrt, 1);

    (void)state;
    assert_int_equal(rig_try(&r, &opts), SAL_ERR_NUMBER);
    assert_says(sal_message(r.context), "root has no derivative with respect to what was asked for at t = 0 s");
    rig_free(&r);
}

static void test_unknown_event(void **state)
{
    static const char text[] =
        "{\"saltus\":1,\"points\":{\"P\":{\"at\":[0,1]}},\"bodies\":{\"m\":{\"type\":\"point_mass\",\"point\":\"P\","
        "\"mass\":1}},\n"
        "\"contacts\":{\"floor\":{\"type\":\"ground\",\"points\":[\"P\"],\"law\":\"reset\",\"restitution\":1}},\n"
        "\"costs\":{\"z\":{\"events\":{\"flor\":\"1\"}}}}";
    sal_context *context;
    sal_scene   *scene;

    (void)state;
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_scene_parse(context, "c.json", text, sizeof text - 1, &scene), SAL_ERR_SCENE);
    assert_string_equal(sal_message(context),
                        "c.json:3:32: costs.z.events.flor: unknown event 'flor'; did you mean 'floor'?\n");
    sal_context_destroy(&context);
}

/* Of an output that is wrong there is nothing more to say where it is read; nor is one known before it is there. */
static void test_output_that_is_wrong(void **state)
{
    static const char text[] = "{\"saltus\":1,\"points\":{\"P\":{\"at\":[0,1]}},\n"
                               "\"bodies\":{\"m\":{\"type\":\"point_mass\",\"point\":\"P\",\"mass\":2}},\n"
                               "\"outputs\":{\"v\":\"vx(Q)\",\"w\":\"2*v\"},\n"
                               "\"costs\":{\"z\":{\"running\":\"v\",\"terminal\":\"u + w\"}}}";
    sal_context      *context;
    sal_scene        *scene;

    (void)state;
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_scene_parse(context, "c.json", text, sizeof text - 1, &scene), SAL_ERR_SCENE);
    assert_string_equal(sal_message(context),
                        "c.json:3:20: outputs.v: in 'vx(Q)', column 4: unknown point 'Q'\n"
                        "c.json:4:41: costs.z.terminal: in 'u + w', column 1: unknown name 'u'\n");
    sal_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_event_costs),
        cmocka_unit_test(test_event_cost_of_energy),
        cmocka_unit_test(test_duration_is_a_parameter),
        cmocka_unit_test(test_cost_without_derivative),
        cmocka_unit_test(test_outputs_in_costs),
        cmocka_unit_test(test_unknown_event),
        cmocka_unit_test(test_output_that_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
