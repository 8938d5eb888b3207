/* test_switches.c - forces, costs and functions of time that switch: where a condition changes, at a kink, at a jump.
 * Motions and their derivatives against closed forms, against the same written otherwise, and against differences. */
#include "tests/support.h"

static const char mass[] = "'gravity': [0, 0], 'parameters': { 'F': 3, 'T': 0.7, 'a': 0.4, 'v': 1.25 },"
                           "'points': { 'P': { 'at': [0, 0], 'velocity': ['v', 0] } },"
                           "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },";

enum { WRT = 4 };
static const char *const wrt[WRT] = { "F", "T", "a", "v" };

static rig mass_with(const char *force, const char *more)
{
    char text[4000];

    snprintf(text, sizeof text,
             "%s 'joints': { 'pull': { 'type': 'force', 'point': 'P', 'fx': '%s', 'fy': '0' } }, %s"
             "'simulation': { 'duration': 1.5, 'rtol': 1e-11 }",
             mass, force, more);
    return rig_load(text);
}

/* Runs to the end; no event of the scene happens. */
static void run_through(rig *r)
{
    sal_run_opts opts = sal_run_defaults();
    sal_status   status;

    opts.wrt  = wrt;
    opts.nwrt = WRT;
    rig_run(r, &opts);
    while ((status = sal_run_step(r->run)) == SAL_OK) continue;
    if (status != SAL_END) fail_msg("%s: %s", sal_status_name(status), sal_run_message(r->run));
    assert_string_equal(sal_run_wrt_invalid(r->run), "");
    assert_int_equal(sal_run_get_stats(r->run).events, 0);
    assert_int_equal(sal_model_get_info(r->model).events, 0);
    assert_null(sal_model_event(r->model, 0));
}

static void assert_row(const double *row, double F, double T, double a, double v)
{
    const double expected[WRT] = { F, T, a, v };

    for (int c = 0; c < WRT; c++) assert_near(row[c], expected[c], 1e-9);
}

/* A force that begins at T: x = v t + F (t - T)^2/2. */
static void test_step_in_time(void **state)
{
    static const char *const same[] = { "F*step(t - T)", "if(t < T, 0, F)", "0.5*F*(1 + sign(t - T))",
                                        "F*(t >= T)",    "F - F*(t < T)",   "if(not (T > t) and F > 0, F, 0)" };
    const double             s      = 1.5 - 0.7;

    (void)state;
    for (int k = 0; k < SAL_COUNT(same); k++) {
        rig r = mass_with(same[k], "");
        run_through(&r);
        assert_near(sal_run_q(r.run)[0], 1.25 * 1.5 + 1.5 * s * s, 1e-12);
        assert_row(sal_run_Q(r.run), 0.5 * s * s, -3.0 * s, 0.0, 1.5);
        assert_row(sal_run_V(r.run), s, -3.0, 0.0, 1.0);
        assert_in_range(sal_run_get_stats(r.run).steps + sal_run_get_stats(r.run).rejected, 1, 40);
        rig_free(&r);
    }
}

/* At rest on zero, which is left with neither a rate nor an acceleration: a spring on that side acts all the same,
 * x = +-F (t - sin(w t)/w)/k. The last has no side to leave to before t = 0.3, when it is pushed. */
static void test_leaves_zero_slowly(void **state)
{
    static const struct {
        const char *force;
        double      sign, from;
    } same[]       = { { "F*t - 40*max(0, x(P))", 1.0, 0.0 },
                       { "F*t - 20*(x(P) + abs(x(P)))", 1.0, 0.0 },
                       { "F*t - 40*if(x(P) > 0, x(P), 0)", 1.0, 0.0 },
                       { "-F*t - 40*min(x(P), 0)", -1.0, 0.0 },
                       { "-F*t - 40*if(x(P) < 0, x(P), 0)", -1.0, 0.0 },
                       { "-F*max(0, t - 0.3) - 40*if(x(P) < 0, x(P), 0)", -1.0, 0.3 } };
    const double w = sqrt(40.0);

    (void)state;
    for (int k = 0; k < SAL_COUNT(same); k++) {
        char         text[1000];
        const double t = 1.5 - same[k].from;
        snprintf(text, sizeof text,
                 "'gravity': [0, 0], 'parameters': { 'F': 3 }, 'points': { 'P': { 'at': [0, 0] } },"
                 "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                 "'joints': { 'pull': { 'type': 'force', 'point': 'P', 'fx': '%s', 'fy': '0' } },"
                 "'simulation': { 'duration': 1.5, 'rtol': 1e-11 }",
                 same[k].force);
        rig r = rig_load(text);
        rig_run(&r, NULL);
        assert_int_equal(sal_simulate(r.run, NULL, 0), SAL_END);
        assert_near(sal_run_q(r.run)[0], same[k].sign * 3.0 * (t - sin(w * t) / w) / 40.0, 1e-10);
        rig_free(&r);
    }
}

/* A mass that begins at the origin along a compliant incline: the rate of its gap is rounding, and it is pressed into
 * it, without friction and damping, by g cos(a): y = -m g/k (1 - cos(w t)), w^2 = k/m. */
static void test_begins_on_compliant(void **state)
{
    static const double sine[] = { 0.0, 0.6, -0.8, 0.28 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(sine); k++) {
        const double s = sine[k], c = sqrt(1.0 - s * s), w = 20.0, t = 0.1;
        char         text[1000];
        snprintf(
            text, sizeof text,
            "'gravity': [%.17g, %.17g], 'points': { 'P': { 'at': [0, 0], 'velocity': [%.17g, %.17g] } }, 'bodies': { "
            "'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }, 'contacts': { 'g': { 'type': 'ground', "
            "'points': ['P'], 'angle': 'atan2(%.17g, %.17g)', 'law': 'compliant', 'stiffness': 400, 'exponent': 1 } "
            "}, 'outputs': { 'across': '%.17g*y(P) - (%.17g)*x(P)' }, 'simulation': { 'duration': 0.1, 'rtol': "
            "1e-11 }",
            10.0 * s, -10.0 * c, 1.1 * c, 1.1 * s, s, c, c, s);
        rig r = rig_load(text);
        rig_run(&r, NULL);
        assert_int_equal(sal_simulate(r.run, NULL, 0), SAL_END);
        assert_near(sal_run_output(r.run, 0), -10.0 / 400.0 * (1.0 - cos(w * t)), 1e-9);
        rig_free(&r);
    }
}

/* One that begins at the place a, at t_a = a/v: x = a + v s + F s^2/2 with s = t - t_a; and one that grows from there. */
static void test_step_in_place(void **state)
{
    const double s = 1.5 - 0.4 / 1.25, w = sqrt(3.0), ta_v = -0.4 / (1.25 * 1.25);
    rig          r = mass_with("F*step(x(P) - a)", "");

    (void)state;
    run_through(&r);
    assert_near(sal_run_q(r.run)[0], 0.4 + 1.25 * s + 1.5 * s * s, 1e-12);
    assert_row(sal_run_Q(r.run), 0.5 * s * s, 0.0, 1.0 - (1.25 + 3.0 * s) / 1.25, s - ta_v * (1.25 + 3.0 * s));
    rig_free(&r);
    r = mass_with("-F*max(0, x(P) - a)", ""); /* a buffer: x = a + v/w sin(w s), w^2 = F */
    run_through(&r);
    assert_near(sal_run_q(r.run)[0], 0.4 + 1.25 / w * sin(w * s), 1e-11);
    assert_row(sal_run_Q(r.run), 1.25 * 0.5 / w * (s * cos(w * s) / w - sin(w * s) / 3.0), 0.0, 1.0 - cos(w * s),
               sin(w * s) / w - 1.25 * cos(w * s) * ta_v);
    rig_free(&r);
}

/* Costs that jump: the time spent beyond a, T - a/v, and the way beyond it; kinks add nothing. */
static void test_costs(void **state)
{
    rig r =
        mass_with("0", "'costs': { 'time': { 'running': 'x(P) > a' }, 'way': { 'running': 'if(x(P) > a, vx(P), 0)' },"
                       "'late': { 'running': 'F*(t > T)*x(P)' }, 'off': { 'running': 'abs(x(P) - a)' } },");
    const double t = 1.5, x = 1.25 * 1.5, d = x - 0.4;

    (void)state;
    run_through(&r);
    const double *c = sal_run_costs(r.run), *dc = sal_run_cost_gradients(r.run);
    assert_near(c[0], t - 0.4 / 1.25, 1e-12);
    assert_row(dc, 0.0, 0.0, -1.0 / 1.25, 0.4 / (1.25 * 1.25));
    assert_near(c[1], d, 1e-12);
    assert_row(dc + WRT, 0.0, 0.0, -1.0, t);
    assert_near(c[2], 3.0 * 1.25 * 0.5 * (t * t - 0.49), 1e-12);
    assert_row(dc + 2 * WRT, c[2] / 3.0, -3.0 * 1.25 * 0.7, 0.0, c[2] / 1.25);
    assert_near(c[3], 0.5 * (0.16 + d * d) / 1.25, 1e-12);
    assert_row(dc + 3 * WRT, 0.0, 0.0, (0.4 - d) / 1.25, d * t / 1.25 - c[3] / 1.25);
    rig_free(&r);
}

/* The same force written in other ways: the same numbers, in about as many steps. */
static void test_written_otherwise(void **state)
{
    static const char *const same[] = {
        "-F*max(0, x(P) - a) - abs(vx(P))*vx(P) + max(-1, min(1, 20*(t - T)))",
        "-F*0.5*(x(P) - a + abs(x(P) - a)) - if(vx(P) < 0, -1, 1)*vx(P)^2 - max(-1, min(1, 20*(T - t)))",
        "if(a < x(P), F*(a - x(P)), 0) - sign(vx(P))*vx(P)^2 + if(t < T - 0.05, -1, if(t > T + 0.05, 1, 20*(t - T)))",
        "F*min(0, a - x(P)) - max(vx(P), -vx(P))*vx(P) + 10*(abs(t - T + 0.05) - abs(t - T - 0.05))",
    };
    double x = 0.0, dx[WRT];

    (void)state;
    for (int k = 0; k < SAL_COUNT(same); k++) {
        rig r = mass_with(same[k], "");
        run_through(&r);
        if (k == 0) {
            x = sal_run_q(r.run)[0];
            memcpy(dx, sal_run_Q(r.run), sizeof dx);
        }
        assert_near(sal_run_q(r.run)[0], x, 1e-11);
        assert_row(sal_run_Q(r.run), dx[0], dx[1], dx[2], dx[3]);
        assert_in_range(sal_run_get_stats(r.run).steps + sal_run_get_stats(r.run).rejected, 1, 120);
        rig_free(&r);
    }
}

static void count_known(void *self, const sal_verify_item *item)
{
    *(int *)self += item->known;
}

/* Differences confirm the derivatives of random forces and costs, with functions that are not defined beyond where they
 * are used, switches inside switches, and several at one place. */
static void test_differences(void **state)
{
    static const char *const force[] = {
        "if(x(P) > a, -F*(x(P) - a)^1.5, 0.1)",
        "-F*step(x(P) - a)*vx(P) + step(t - T)*(1 + step(t - T - 0.2))",
        "if(x(P) < a, F*(a - x(P))^1.5, -log(1 + x(P) - a))",
        "-F*max(0, abs(x(P) - a) - 0.1) + sign(sin(9*t - T))",
        "-F*abs(vx(P) - 0.5*step(x(P) - a))*(vx(P) - 0.5)",
    };
    const char *costs =
        "'costs': { 'c': { 'running': 'if(x(P) > a, vx(P)^2 + F*t, T*(t > T))', 'terminal': 'x(P)' } },";

    (void)state;
    for (int k = 0; k < SAL_COUNT(force); k++) {
        rig          r    = mass_with(force[k], costs);
        sal_run_opts opts = sal_run_defaults();
        int          bad = -1, known = 0;
        opts.wrt  = wrt;
        opts.nwrt = WRT;
        assert_int_equal(sal_verify(r.model, &opts, 1e-6, count_known, &known, &bad), SAL_OK);
        if (bad) fail_msg("%d derivatives of '%s' are not confirmed", bad, force[k]);
        assert_int_equal(known, 5 * WRT);
        rig_free(&r);
    }
}

/* A load that lifts a block off the ground at once: the release is the ground's, at the time of the load. */
static void test_lifts_off(void **state)
{
    rig          r    = rig_load("'parameters': { 'F': 20, 'T': 1 }, 'points': { 'P': { 'at': [0, 0] } },"
                                             "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                             "'joints': { 'pull': { 'type': 'force', 'point': 'P', 'fx': '0', 'fy': 'F*step(t - T)' } },"
                                             "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'mu_static': 0.5 } },"
                                             "'simulation': { 'duration': 2 }");
    sal_run_opts opts = with_respect_to(wrt, 2);
    sal_status   status;

    (void)state;
    rig_run(&r, &opts);
    while ((status = sal_run_step(r.run)) == SAL_OK) continue;
    assert_int_equal(status, SAL_EVENT);
    assert_string_equal(sal_run_event(r.run).name, "floor.release");
    assert_near(sal_run_event(r.run).time, 1.0, 1e-15);
    assert_near(sal_run_event_gradient(r.run)[1], 1.0, 1e-12);
    while ((status = sal_run_step(r.run)) == SAL_OK) continue;
    assert_int_equal(status, SAL_END);
    assert_near(sal_run_q(r.run)[1], 0.5 * (20.0 - 9.81), 1e-12);
    assert_near(sal_run_Q(r.run)[2], 0.5, 1e-12);
    assert_near(sal_run_Q(r.run)[3], -(20.0 - 9.81), 1e-12);
    rig_free(&r);
}

/* A driver with a kink sets a bar going by an impact; a jump is refused, and so is dry friction by sign(v). */
static void test_prescribed(void **state)
{
    const char *bar = "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'M': { 'at': [1, 0] } },"
                      "'bodies': { 'b': { 'type': 'bar', 'points': ['O', 'M'], 'mass': 1 } },"
                      "'joints': { 'motor': { 'type': 'driver', 'of': 'angle(b)', 'value': '%s' } },"
                      "'simulation': { 'duration': 2 }";
    char        text[1000];
    sal_status  status;
    rig         r;

    (void)state;
    snprintf(text, sizeof text, bar, "max(0, t - 1)");
    r = rig_load(text);
    rig_run(&r, NULL);
    rig_to(&r, 1.5);
    assert_near(sal_run_q(r.run)[1], sin(0.5), 1e-12);
    assert_near(sal_run_v(r.run)[1], cos(0.5), 1e-12);
    rig_free(&r);
    snprintf(text, sizeof text, bar, "0.1*step(t - 1)");
    r = rig_load(text);
    rig_run(&r, NULL);
    while ((status = sal_run_step(r.run)) == SAL_OK) continue;
    assert_int_equal(status, SAL_ERR_ASSEMBLY);
    assert_non_null(strstr(sal_run_message(r.run), "what drives motor jumps by about 0.1 m at t = 1 s"));
    rig_free(&r);
    r = mass_with("-F*sign(vx(P))", "");
    rig_run(&r, NULL);
    while ((status = sal_run_step(r.run)) == SAL_OK) continue;
    assert_int_equal(status, SAL_ERR_EVENTS);
    assert_non_null(strstr(sal_run_message(r.run), "pull switches to and fro at t = 0.416666667 s"));
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_in_time),
        cmocka_unit_test(test_step_in_place),
        cmocka_unit_test(test_leaves_zero_slowly),
        cmocka_unit_test(test_begins_on_compliant),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_written_otherwise),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_lifts_off),
        cmocka_unit_test(test_prescribed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
