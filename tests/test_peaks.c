/* test_peaks.c - costs of single instants: peaks and their places, values at times, single occurrences of events,
 * averages; values and gradients against closed forms and differences. */
#include "tests/support.h"

static const double g = 9.81, h = 1.3, v = 2.1, e = 0.7, m = 2.0;

static rig ball(const char *costs, const char *duration)
{
    char text[1600];

    snprintf(
        text, sizeof text,
        "'gravity': [0, '-g'], 'parameters': { 'g': 9.81, 'h': 1.3, 'v': 2.1, 'r': 0.7, 'T': 1.1 }, 'points': { 'P': "
        "{ 'at': [0, 'h'], 'velocity': [0, 'v'] } },"
        "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
        "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'law': 'reset', 'restitution': 'r' } },"
        "'costs': { %s }, 'simulation': { 'duration': %s, 'rtol': 1e-12 }",
        costs, duration);
    return rig_load(text);
}

static void run_to_end(rig *r)
{
    static const char *const wrt[] = { "g", "h", "v", "r", "T" };
    sal_run_opts             opts  = with_respect_to(wrt, 5);

    rig_run(r, &opts);
    rig_end(r);
}

static void assert_cost(const rig *r, int cost, double value, const double gradient[5])
{
    assert_near(sal_run_costs(r->run)[cost], value, 1e-10);
    for (int c = 0; c < 5; c++) assert_near(sal_run_cost_gradients(r->run)[5 * cost + c], gradient[c], 1e-8);
}

static void assert_place(const rig *r, int cost, double time, sal_peak_place place)
{
    sal_cost_peak peak;

    assert_true(sal_run_cost_peak(r->run, cost, &peak));
    assert_int_equal(peak.place, place);
    assert_near(peak.time, time, 1e-9);
}

/* y = h + v t - g t^2/2: its top, at v/g. */
static void test_inside(void **state)
{
    rig r = ball("'top': { 'peak': 'y(P)' }, 'twice': { 'running': '1', 'peak': '2*y(P)', 'terminal': 'h' }", "0.6");

    (void)state;
    run_to_end(&r);
    assert_cost(&r, 0, h + v * v / (2.0 * g), (double[]){ -0.5 * v * v / (g * g), 1.0, v / g, 0.0, 0.0 });
    assert_cost(&r, 1, 0.6 + 2.0 * h + v * v / g + h, (double[]){ -v * v / (g * g), 3.0, 2.0 * v / g, 0.0, 0.0 });
    assert_place(&r, 0, v / g, SAL_PEAK_INSIDE);
    assert_false(sal_run_cost_peak(r.run, 2, &(sal_cost_peak){ 0 }));
    rig_free(&r);
}

/* The touch comes with V = sqrt(v^2 + 2 g h): the largest -vy is just before it, the largest vy just after. */
static void test_at_events(void **state)
{
    rig r =
        ball("'down': { 'peak': '-vy(P)' }, 'up': { 'peak': '(vy(P) - v)*3' }, 'late': { 'peak': 't - 10*abs(y(P))' }",
             "1.2");
    const double V = sqrt(v * v + 2.0 * g * h), t1 = (v + V) / g, dg = h / V, dh = g / V, dv = v / V;

    (void)state;
    run_to_end(&r);
    assert_cost(&r, 0, V, (double[]){ dg, dh, dv, 0.0, 0.0 });
    assert_place(&r, 0, t1, SAL_PEAK_BEFORE_EVENT);
    assert_cost(&r, 1, 3.0 * (e * V - v), (double[]){ 3.0 * e * dg, 3.0 * e * dh, 3.0 * (e * dv - 1.0), 3.0 * V, 0.0 });
    assert_place(&r, 1, t1, SAL_PEAK_AFTER_EVENT);
    assert_cost(&r, 2, t1, (double[]){ (dg - t1) / g, dh / g, (1.0 + dv) / g, 0.0, 0.0 }); /* a corner at the event */
    rig_free(&r);
}

static void test_at_ends(void **state)
{
    rig r =
        ball("'first': { 'peak': '-y(P)*0 - t + h' }, 'last': { 'peak': 't*v' }, 'end': { 'peak': '-y(P)' }", "'T/4'");
    const double T = 0.275;

    (void)state;
    run_to_end(&r);
    assert_cost(&r, 0, h, (double[]){ 0.0, 1.0, 0.0, 0.0, 0.0 });
    assert_place(&r, 0, 0.0, SAL_PEAK_START);
    assert_cost(&r, 1, T * v, (double[]){ 0.0, 0.0, T, 0.0, 0.25 * v });
    assert_place(&r, 1, T, SAL_PEAK_END);
    assert_place(&r, 2, 0.0, SAL_PEAK_START); /* it rises, and comes back no further than it began */
    rig_free(&r);
}

/* min(a, b) at its crest, where a falls through b: h + v t - g t^2/2 = t, a corner inside a step. */
static void test_corner(void **state)
{
    rig          r = ball("'corner': { 'peak': 'min(y(P), t)' }, 'jump': { 'peak': 'step(t - 0.3)*(1 - t)' }", "0.85");
    const double root = sqrt((v - 1.0) * (v - 1.0) + 2.0 * g * h), t = (v - 1.0 + root) / g;
    const double dg = (h / root - t) / g, dh = 1.0 / root, dv = (1.0 + (v - 1.0) / root) / g;

    (void)state;
    run_to_end(&r);
    assert_cost(&r, 0, t, (double[]){ dg, dh, dv, 0.0, 0.0 });
    assert_place(&r, 0, t, SAL_PEAK_INSIDE);
    assert_near(sal_run_costs(r.run)[1], 0.7, 1e-8);
    assert_true(isnan(sal_run_cost_gradients(r.run)[5])); /* a jump has no derivative here, and says so */
    rig_free(&r);
}

/* A pendulum let go at rest, level with its pivot: 3 m g is the largest tension, at the bottom, by |lambda| as well. */
static void test_reaction(void **state)
{
    static const char *const wrt[] = { "m", "L", "g" };
    rig                      r =
        rig_load("'gravity': [0, '-g'], 'parameters': { 'm': 2, 'L': 0.8, 'g': 9.81 }, 'points': { 'O': { 'at': [0, 0],"
                 "'fixed': true }, 'P': { 'at': ['L', 0] } }, 'bodies': { 'b': { 'type': 'point_mass', 'point': 'P',"
                 "'mass': 'm' } }, 'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'L' } },"
                 "'costs': { 'most': { 'peak': 'abs(reaction(rod.tension))' }, 'mean': { 'average': 'vx(P)' } },"
                 "'simulation': { 'duration': 0.7, 'rtol': 1e-12 }");
    sal_run_opts  opts = with_respect_to(wrt, 3);
    const double *d;

    (void)state;
    rig_run(&r, &opts);
    rig_end(&r);
    d = sal_run_cost_gradients(r.run);
    assert_near(sal_run_costs(r.run)[0], 3.0 * m * g, 1e-9);
    assert_near(d[0], 3.0 * g, 1e-7);
    assert_near(d[1], 0.0, 1e-7);
    assert_near(d[2], 3.0 * m, 1e-7);
    assert_near(sal_run_costs(r.run)[1], (sal_run_q(r.run)[0] - 0.8) / 0.7, 1e-10);
    assert_near(d[3 + 1], (sal_run_Q(r.run)[1] - 1.0) / 0.7, 1e-9);
    rig_free(&r);
}

/* Values at times, one of which moves, and the start, an event's time and the end are among them. */
static void test_at_times(void **state)
{
    rig r = ball("'sum': { 'value': 'y(P)', 'at': [0, 0.1, 'T/5', 0.4] }, 'beyond': { 'value': '1', 'at': [0.2, 0.5] },"
                 "'speed': { 'value': 'vy(P)', 'at': 'T/5' }",
                 "0.4");
    const double s1 = 0.1 + 0.22 + 0.4, s2 = 0.01 + 0.22 * 0.22 + 0.16;

    (void)state;
    run_to_end(&r);
    assert_cost(&r, 0, 4.0 * h + v * s1 - 0.5 * g * s2, (double[]){ -0.5 * s2, 4.0, s1, 0.0, 0.2 * (v - g * 0.22) });
    assert_true(isnan(sal_run_costs(r.run)[1]) && isnan(sal_run_cost_gradients(r.run)[5]));
    assert_cost(&r, 2, v - g * 0.22, (double[]){ -0.22, 0.0, 1.0, 0.0, -0.2 * g });
    rig_free(&r);
}

/* The second touch alone: t2 = t1 + 2 r V/g. */
static void test_occurrence(void **state)
{
    rig r = ball("'second': { 'events': { 'floor(2)': 't' } }, 'ninth': { 'events': { 'floor(9)': 't' } }", "2");
    const double V = sqrt(v * v + 2.0 * g * h), dg = h / V, dh = g / V, dv = v / V, k = 1.0 + 2.0 * e,
                 t = (v + k * V) / g;

    (void)state;
    run_to_end(&r);
    assert_cost(&r, 0, t, (double[]){ (k * dg - t) / g, k * dh / g, (1.0 + k * dv) / g, 2.0 * V / g, 0.0 });
    assert_true(isnan(sal_run_costs(r.run)[1]) && isnan(sal_run_cost_gradients(r.run)[6]));
    rig_free(&r);
}

/* The mean of vy is the way over the time, through touches and with an end that moves. */
static void test_average(void **state)
{
    rig           r = ball("'mean': { 'average': 'vy(P)', 'terminal': 'h' }", "'T'");
    const double *Q, T = 1.1;

    (void)state;
    run_to_end(&r);
    Q              = sal_run_Q(r.run) + 5;
    const double y = sal_run_q(r.run)[1], vy = sal_run_v(r.run)[1];
    assert_cost(&r, 0, (y - h) / T + h,
                (double[]){ Q[0] / T, (Q[1] - 1.0) / T + 1.0, Q[2] / T, Q[3] / T, (vy - (y - h) / T) / T });
    rig_free(&r);
}

/* The five-bar's largest reactions, over nine bounces, against differences of its own runs. */
static void test_five_bar(void **state)
{
    static const char *const wrt[] = { "L01", "L02" };
    rig                      r     = rig_test_scene("five_bar_peaks.json");
    sal_run_opts             opts  = with_respect_to(wrt, 2);
    const double             d     = 2e-6;
    double                   exact[3][2];

    (void)state;
    opts.rtol = 1e-12;
    rig_run(&r, &opts);
    rig_end(&r);
    for (int k = 0; k < 3; k++) memcpy(exact[k], sal_run_cost_gradients(r.run) + 2 * k, sizeof exact[k]);
    opts.nwrt = 0;
    for (int c = 0; c < 2; c++) {
        double cost[2][3];
        for (int side = 0; side < 2; side++) {
            const sal_setting set = { wrt[c], (c ? sqrt(4.25) : sqrt(5.0)) + (side ? d : -d) };
            opts.set              = &set;
            opts.nset             = 1;
            rig_run(&r, &opts);
            rig_end(&r);
            memcpy(cost[side], sal_run_costs(r.run), sizeof cost[side]);
        }
        for (int k = 0; k < 3; k++) {
            const double numeric = (cost[1][k] - cost[0][k]) / (2.0 * d);
            assert_near(exact[k][c], numeric, 2e-6 * fmax(1.0, fabs(numeric)));
        }
    }
    rig_free(&r);
}

static void test_wrong(void **state)
{
#define WITH(cost)                                                                                               \
    "'points': { 'P': { 'at': [0, 1] } }, 'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }," \
    "'contacts': { 'hit': { 'type': 'event', 'when': 'y(P)' } }, 'costs': { 'z': { " cost " } }"
    (void)state;
    assert_refused(WITH("'running': 1, 'average': 2"), "costs.z: expected either 'running' or 'average'");
    assert_refused(WITH("'at': [1]"), "costs.z: expected a 'value' with 'at'");
    assert_refused(WITH("'value': 't'"), "costs.z: expected the times 'at' with 'value'");
    assert_refused(WITH("'value': 't', 'at': ['t']"), "costs.z.at[0]: 't' depends on t; expected a constant");
    assert_refused(WITH("'events': { 'hit(0)': 1 }"),
                   "costs.z.events.hit(0): expected \"hit(K)\", K = 1 or more, found 'hit(0)'");
    assert_refused(WITH("'events': { 'hut(2)': 1 }"), "unknown event 'hut'; did you mean 'hit'?");
    assert_refused(WITH("'peak': 'y(Q)'"), "costs.z.peak: in 'y(Q)', column 3: unknown point 'Q'");
    assert_refused(WITH("'//': 'nothing'"), "'peak' or 'value' with 'at', found none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inside),     cmocka_unit_test(test_at_events), cmocka_unit_test(test_at_ends),
        cmocka_unit_test(test_corner),     cmocka_unit_test(test_reaction),  cmocka_unit_test(test_at_times),
        cmocka_unit_test(test_occurrence), cmocka_unit_test(test_average),   cmocka_unit_test(test_five_bar),
        cmocka_unit_test(test_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
