/* Walking machines against reference numbers computed with 63 digits (ref/walkers.json): gaits, their stability and
 * derivatives, rollouts with their whole Jacobian. */
#include "tests/reference.h"

/* "compass", "fixed_point", "q_s": a member of members. */
static const cJSON *part(const reference *r, const char *a, const char *b, const char *c)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(r->json.root, a);

    node = b ? cJSON_GetObjectItemCaseSensitive(node, b) : node;
    node = c ? cJSON_GetObjectItemCaseSensitive(node, c) : node;
    if (!node) fail_msg("no %s %s %s", a, b ? b : "", c ? c : "");
    return node;
}

static double number(const reference *r, const char *a, const char *b, const char *c)
{
    return part(r, a, b, c)->valuedouble;
}

static double at(const cJSON *list, int k)
{
    return cJSON_GetArrayItem(list, k)->valuedouble;
}

/* ------------------------------------------------------------------------------------------ gaits */

static sal_cycle *find(const rig *r, const sal_setting *set, int nset, int p, const char *const *wrt)
{
    sal_cycle_opts opts = sal_cycle_defaults();
    sal_cycle     *cycle;

    opts.run.set  = set;
    opts.run.nset = nset;
    opts.run.wrt  = wrt;
    opts.run.nwrt = p;
    if (sal_cycle_create(r->model, &opts, &cycle) != SAL_OK || sal_cycle_find(cycle) != SAL_OK)
        fail_msg("%s", sal_message(r->context));
    return cycle;
}

static void check_multipliers(const sal_cycle *cycle, const cJSON *expected, double tolerance)
{
    const int count = cJSON_GetArraySize(expected);

    assert_int_equal(sal_cycle_get_info(cycle).multipliers, count);
    for (int k = 0; k < count; k++) { /* whatever their order */
        double nearest = HUGE_VAL, mu[2];
        for (int i = 0; i < count; i++) {
            assert_true(sal_cycle_multiplier(cycle, i, mu));
            nearest = fmin(nearest, hypot(mu[0] - at(cJSON_GetArrayItem(expected, k), 0),
                                          mu[1] - at(cJSON_GetArrayItem(expected, k), 1)));
        }
        assert_true(nearest < tolerance);
    }
}

/* The impulses of a contact at the first event of the gait, in world axes; tilt: of its tangent. */
static void check_impulse(const rig *r, const sal_cycle *cycle, const char *contact, double tilt, const cJSON *expected,
                          double tolerance)
{
    const int    n    = sal_model_get_info(r->model).coordinates;
    sal_run_opts opts = sal_run_defaults();
    sal_run     *run;
    double       normal = NAN, tangent = NAN;
    char         name[2][64];
    sal_status   status;

    opts.rtol = 1e-12;
    assert_int_equal(sal_run_create(r->model, &opts, &run), SAL_OK);
    for (int k = 0; k < 2 * n; k++) {
        char initial[100], point[64];
        sscanf(sal_model_coordinate(r->model, k % n) + 2, "%63[^)]", point);
        snprintf(initial, sizeof initial, "initial(%s.%s%c)", point, k < n ? "" : "v",
                 sal_model_coordinate(r->model, k % n)[0]);
        assert_int_equal(sal_run_set(run, initial, sal_cycle_start(cycle)[k]), SAL_OK);
    }
    assert_int_equal(sal_run_restart(run), SAL_OK);
    while ((status = sal_run_step(run)) == SAL_OK) continue;
    assert_int_equal(status, SAL_EVENT);
    snprintf(name[0], sizeof name[0], "%s.n", contact);
    snprintf(name[1], sizeof name[1], "%s.t", contact);
    for (int k = 0; k < sal_model_get_info(r->model).constraints; k++) {
        if (!strcmp(sal_model_constraint(r->model, k), name[0])) normal = sal_run_event(run).impulse[k];
        if (!strcmp(sal_model_constraint(r->model, k), name[1])) tangent = sal_run_event(run).impulse[k];
    }
    assert_near(tangent * cos(tilt) - normal * sin(tilt), at(expected, 0), tolerance);
    assert_near(tangent * sin(tilt) + normal * cos(tilt), at(expected, 1), tolerance);
    sal_run_destroy(&run);
}

static void test_compass_gait(void **state)
{
    static const char *const wrt[]     = { "gamma", "mH", "m", "a", "b", "g", "slope" };
    static const char *const columns[] = { "gamma", "mH", "m", "a", "b", "g", "slope_deg" };
    static const char *const outputs[] = { "q_s", "q_ns", "w_s", "w_ns" };
    reference                ref       = reference_load("walkers.json");
    rig                      r         = rig_scene("compass_gait.json");
    sal_cycle               *cycle     = find(&r, NULL, 0, SAL_COUNT(wrt), wrt);
    const sal_cycle_info     info      = sal_cycle_get_info(cycle);

    (void)state;
    for (int k = 0; k < SAL_COUNT(outputs); k++)
        assert_near(sal_cycle_outputs(cycle)[k], number(&ref, "compass", "fixed_point", outputs[k]), 1e-9);
    assert_near(info.period, number(&ref, "compass", "period", NULL), 1e-9);
    assert_near(info.length, number(&ref, "compass", "step_length", NULL), 1e-9);
    assert_true(info.stable);
    check_multipliers(cycle, part(&ref, "compass", "multipliers", NULL), 1e-7);
    check_impulse(&r, cycle, "foot2", -3.0 * PI / 180.0, part(&ref, "compass", "impulse", NULL), 1e-9);
    for (int c = 0; c < SAL_COUNT(wrt); c++) {
        const cJSON *expected = part(&ref, "compass", "derivatives", columns[c]);
#define EXPECTED(name) cJSON_GetObjectItemCaseSensitive(expected, name)->valuedouble
        for (int k = 0; k < SAL_COUNT(outputs); k++)
            assert_near(sal_cycle_output_gradients(cycle)[k * SAL_COUNT(wrt) + c], EXPECTED(outputs[k]), 1e-8);
        assert_near(sal_cycle_period_gradient(cycle)[c], EXPECTED("period"), 1e-8);
        assert_near(sal_cycle_length_gradient(cycle)[c], EXPECTED("step_length"), 1e-8);
        assert_near(sal_cycle_cost_gradients(cycle)[c], EXPECTED("cost_int_vhip2"), 1e-8);
        assert_near(sal_cycle_cost_gradients(cycle)[SAL_COUNT(wrt) + c], EXPECTED("cost_int_yhip"), 1e-8);
#undef EXPECTED
    }
    sal_cycle_destroy(&cycle);
    rig_free(&r);
    reference_free(&ref);
}

typedef struct branch {
    int    points, flips;
    double flip;
} branch;

static void on_branch(void *user, const sal_cycle_point *point)
{
    branch *b = user;

    b->points++;
    if (point->kind != SAL_FLIP) return;
    b->flips++;
    b->flip = point->parameter;
}

static void test_compass_period_doubling(void **state)
{
    rig             r     = rig_scene("compass_gait.json");
    sal_cycle      *cycle = find(&r, NULL, 0, 1, (const char *const[]){ "slope" });
    branch          b     = { 0 };
    sal_follow_opts opts  = sal_follow_defaults();

    (void)state;
    opts.from   = 3.0;
    opts.to     = 5.0;
    opts.report = on_branch;
    opts.user   = &b;
    if (sal_cycle_follow(cycle, "slope", &opts) != SAL_OK) fail_msg("%s", sal_message(r.context));
    assert_int_equal(b.flips, 1);
    assert_near(b.flip, 4.390898, 1e-6); /* the reference has seven digits */
    sal_cycle_destroy(&cycle);
    rig_free(&r);
}

/* Beyond the doubling the gait limps: two steps are one period. */
static void test_compass_limps(void **state)
{
    const sal_setting steep = { "slope", 4.7 };
    rig               r     = rig_scene("compass_gait.json");
    sal_cycle_opts    opts  = sal_cycle_defaults();
    sal_cycle        *cycle;

    (void)state;
    opts.steps    = 2;
    opts.run.set  = &steep;
    opts.run.nset = 1;
    assert_int_equal(sal_cycle_create(r.model, &opts, &cycle), SAL_OK);
    if (sal_cycle_find(cycle) != SAL_OK) fail_msg("%s", sal_message(r.context));
    assert_int_equal(sal_cycle_get_info(cycle).shortest, 2);
    assert_true(sal_cycle_get_info(cycle).stable);
    sal_cycle_destroy(&cycle);
    rig_free(&r);
}

static void test_simplest_walker(void **state)
{
    static const char *const wrt[] = { "gamma", "beta", "g" };
    reference                ref   = reference_load("walkers.json");
    rig                      r     = rig_scene("simplest_walker.json");
    sal_cycle               *cycle = find(&r, NULL, 0, SAL_COUNT(wrt), wrt);
    const sal_cycle_info     info  = sal_cycle_get_info(cycle);

    (void)state;
    assert_near(sal_cycle_outputs(cycle)[0], number(&ref, "simplest", "fixed_point", "theta"), 1e-8);
    assert_near(sal_cycle_outputs(cycle)[1], number(&ref, "simplest", "fixed_point", "thetadot"), 1e-8);
    assert_near(info.period, number(&ref, "simplest", "period", NULL), 1e-8);
    assert_near(info.length, number(&ref, "simplest", "step_length", NULL), 1e-8);
    check_multipliers(cycle, part(&ref, "simplest", "multipliers", NULL), 1e-8);
    check_impulse(&r, cycle, "ground2", -0.009, part(&ref, "simplest", "impulse", NULL), 1e-9);
    assert_true(info.stable);
    for (int c = 0; c < SAL_COUNT(wrt); c++) {
        const cJSON *expected = part(&ref, "simplest", "derivatives", wrt[c]);
        assert_near(sal_cycle_output_gradients(cycle)[c],
                    cJSON_GetObjectItemCaseSensitive(expected, "theta")->valuedouble, 1e-7);
        assert_near(sal_cycle_period_gradient(cycle)[c],
                    cJSON_GetObjectItemCaseSensitive(expected, "period")->valuedouble, 1e-7);
    }
    sal_cycle_destroy(&cycle);
    rig_free(&r);
    reference_free(&ref);
}

/* At the same slope there is a second gait with a shorter period, which is unstable. */
static void test_simplest_walker_second_gait(void **state)
{
    const sal_setting start[] = {
        { "theta", 0.194 }, { "thetadot", -0.2036 }, { "phi", 0.388 }, { "phidot", -0.0152 }
    };
    rig                  r     = rig_scene("simplest_walker.json");
    sal_cycle           *cycle = find(&r, start, SAL_COUNT(start), 0, NULL);
    const sal_cycle_info info  = sal_cycle_get_info(cycle);

    (void)state;
    assert_true(sal_cycle_outputs(cycle)[0] < 0.1995 && sal_cycle_outputs(cycle)[0] > 0.18);
    assert_true(info.period < 3.875 && !info.stable);
    sal_cycle_destroy(&cycle);
    rig_free(&r);
}

static void test_rimless_wheel(void **state)
{
    reference            ref   = reference_load("walkers.json");
    rig                  r     = rig_scene("rimless_wheel.json");
    sal_cycle           *cycle = find(&r, NULL, 0, 0, NULL);
    const sal_cycle_info info  = sal_cycle_get_info(cycle);
    double               mu[2];

    (void)state;
    assert_near(sal_cycle_outputs(cycle)[0], number(&ref, "rimless", "limit_cycle", "w_plus"), 1e-8);
    assert_near(info.period, number(&ref, "rimless", "limit_cycle", "step_period"), 1e-8);
    assert_near(info.length, number(&ref, "rimless", "limit_cycle", "step_length"), 1e-8);
    assert_near(sal_cycle_costs(cycle)[0], number(&ref, "rimless", "limit_cycle", "int_vhub2"), 1e-8);
    assert_int_equal(info.multipliers, 1);
    assert_true(sal_cycle_multiplier(cycle, 0, mu));
    assert_near(mu[0], number(&ref, "rimless", "multiplier", NULL), 1e-8);
    check_impulse(&r, cycle, "ground.P1", -0.08, part(&ref, "rimless", "limit_cycle", "impulse_xy"), 1e-9);
    sal_cycle_destroy(&cycle);
    rig_free(&r);
    reference_free(&ref);
}

/* Gradients of the kneed walker's gait, against differences of gaits found anew. */
static void test_kneed_walker(void **state)
{
    static const char *const wrt[] = { "gamma", "ms", "a1", "g" };
    rig                      r     = rig_scene("kneed_walker.json");
    sal_cycle               *cycle = find(&r, NULL, 0, SAL_COUNT(wrt), wrt);

    (void)state;
    assert_near(sal_cycle_outputs(cycle)[0], 0.18817, 5e-6); /* the converged cycle, as published to 5 digits */
    assert_near(sal_cycle_outputs(cycle)[2], -1.10895, 5e-6);
    assert_true(sal_cycle_get_info(cycle).stable);
    assert_int_equal(sal_cycle_get_info(cycle).multipliers, 3);
    for (int c = 0; c < SAL_COUNT(wrt); c++) {
        int          index = 0;
        double       here, h, estimate[2] = { 0.0, 0.0 };
        const double weight[4] = { 1.0, -8.0, 8.0, -1.0 }, offset[4] = { -2.0, -1.0, 1.0, 2.0 };
        while (strcmp(sal_model_parameter(r.model, index), wrt[c]) != 0) index++;
        rig_run(&r, NULL);
        here = sal_run_parameter(r.run, index);
        h    = 1e-3 * here;
        for (int i = 0; i < 4; i++) {
            const sal_setting moved = { wrt[c], here + offset[i] * h };
            sal_cycle        *other = find(&r, &moved, 1, 0, NULL);
            estimate[0] += weight[i] * sal_cycle_get_info(other).period / (12.0 * h);
            estimate[1] += weight[i] * sal_cycle_outputs(other)[2] / (12.0 * h);
            sal_cycle_destroy(&other);
        }
        assert_near(sal_cycle_period_gradient(cycle)[c], estimate[0], 1e-7 * (1.0 + fabs(estimate[0])));
        assert_near(sal_cycle_output_gradients(cycle)[2 * SAL_COUNT(wrt) + c], estimate[1],
                    1e-7 * (1.0 + fabs(estimate[1])));
    }
    sal_cycle_destroy(&cycle);
    rig_free(&r);
}

/* One step from (q_s, q_ns, w_s, w_ns): the same of the legs with their roles exchanged, just after the heel strike. */
static void kneed_step(const rig *r, const double start[4], double end[4])
{
    static const char *const names[4]   = { "q1", "q2", "w1", "w2" };
    static const int         exchange[] = { 1, 0, 3, 2 }; /* outputs: q_s, q_ns, w_s, w_ns */
    sal_run_opts             opts       = sal_run_defaults();
    sal_setting              set[4];
    sal_run                 *run;
    sal_status               status;

    for (int k = 0; k < 4; k++) set[k] = (sal_setting){ names[k], start[k] };
    opts.rtol  = 1e-13;
    opts.set   = set;
    opts.nset  = 4;
    opts.quiet = true;
    assert_int_equal(sal_run_create(r->model, &opts, &run), SAL_OK);
    do {
        status = sal_run_step(run);
        assert_true(status == SAL_OK || status == SAL_EVENT);
    } while (status == SAL_OK || strcmp(sal_run_event(run).name, "heel2") != 0);
    for (int k = 0; k < 4; k++) end[k] = sal_run_output(run, exchange[k]);
    sal_run_destroy(&run);
}

/* The multipliers against those of the return map by differences, by their power sums: trace(J^k) = sum mu^k. */
static void test_kneed_walker_multipliers(void **state)
{
    static const double weight[4] = { 1.0, -8.0, 8.0, -1.0 }, offset[4] = { -2.0, -1.0, 1.0, 2.0 };
    rig                 r       = rig_scene("kneed_walker.json");
    sal_cycle          *cycle   = find(&r, NULL, 0, 0, NULL);
    double              J[4][4] = { { 0.0 } }, power[4][4], end[4];
    const double        h       = 1e-4;

    (void)state;
    kneed_step(&r, sal_cycle_outputs(cycle), end);
    for (int k = 0; k < 4; k++) assert_near(end[k], sal_cycle_outputs(cycle)[k], 1e-10);
    for (int c = 0; c < 4; c++) {
        for (int i = 0; i < 4; i++) {
            double start[4];
            memcpy(start, sal_cycle_outputs(cycle), sizeof start);
            start[c] += offset[i] * h;
            kneed_step(&r, start, end);
            for (int k = 0; k < 4; k++) J[k][c] += weight[i] * end[k] / (12.0 * h);
        }
    }
    memcpy(power, J, sizeof J);
    for (int degree = 1; degree <= 4; degree++) {
        double trace = 0.0, sum = 0.0, mu[2], next[4][4] = { { 0.0 } };
        for (int k = 0; k < 4; k++) trace += power[k][k];
        for (int k = 0; sal_cycle_multiplier(cycle, k, mu); k++)
            sum += pow(hypot(mu[0], mu[1]), degree) * cos(degree * atan2(mu[1], mu[0]));
        assert_near(trace, sum, 1e-7);
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                for (int k = 0; k < 4; k++) next[i][j] += power[i][k] * J[k][j];
            }
        }
        memcpy(power, next, sizeof next);
    }
    sal_cycle_destroy(&cycle);
    rig_free(&r);
}

/* Ten steps in a row: knee and heel in turn, and from step to step the same. */
static void test_kneed_walker_keeps_walking(void **state)
{
    static const char *const order[] = { "knee2", "heel2", "knee1", "heel1" };
    rig                      r       = rig_scene("kneed_walker.json");
    sal_cycle               *cycle   = find(&r, NULL, 0, 0, NULL);
    const double             period = sal_cycle_get_info(cycle).period, length = sal_cycle_get_info(cycle).length;
    const int                n    = sal_model_get_info(r.model).coordinates;
    sal_run_opts             opts = sal_run_defaults();
    double                   last = 0.0;

    (void)state;
    opts.duration = 10.5 * period;
    opts.rtol     = 1e-12;
    rig_run(&r, &opts);
    for (int k = 0; k < 2 * n; k++) {
        char initial[100], point[64];
        sscanf(sal_model_coordinate(r.model, k % n) + 2, "%63[^)]", point);
        snprintf(initial, sizeof initial, "initial(%s.%s%c)", point, k < n ? "" : "v",
                 sal_model_coordinate(r.model, k % n)[0]);
        assert_int_equal(sal_run_set(r.run, initial, sal_cycle_start(cycle)[k]), SAL_OK);
    }
    assert_int_equal(sal_run_restart(r.run), SAL_OK);
    for (int step = 0, event = 0; step < 10;) {
        const sal_status status = sal_run_step(r.run);
        double           foot[2];
        assert_true(status == SAL_OK || status == SAL_EVENT);
        if (status == SAL_OK) continue;
        assert_string_equal(sal_run_event(r.run).name, order[event++ % 4]);
        if (event % 2) continue;
        step++;
        assert_near(sal_run_time(r.run) - last, period, 1e-9);
        last = sal_run_time(r.run);
        assert_int_equal(sal_run_point(r.run, step % 2 ? "F2" : "F1", foot, NULL), SAL_OK);
        assert_near(hypot(foot[0], foot[1]), step * length, 1e-8);
        assert_near(foot[1] * cos(asin(7.25 / 144)) + foot[0] * 7.25 / 144, 0.0, 1e-12); /* on the ground */
    }
    sal_cycle_destroy(&cycle);
    rig_free(&r);
}

/* --------------------------------------------------------------------------------------- rollouts */

/* Rows of the reference as numbers of the run: expressions and their derivatives. */
static void test_compass_rollout(void **state)
{
    static const char *const wrt[]   = { "gamma", "mH", "m", "a", "b", "g", "qs", "qns", "ws", "wns" };
    static const char *const names[] = { "q[0]",     "q[1]",     "w[0]",       "w[1]",      "hip[0]",     "hip[1]",
                                         "v_hip[0]", "v_hip[1]", "foot1[0]",   "foot1[1]",  "v_foot1[0]", "v_foot1[1]",
                                         "foot2[0]", "foot2[1]", "v_foot2[0]", "v_foot2[1]" };
    enum { P = 10 };
    reference    ref  = reference_load("walkers.json");
    rig          r    = rig_scene("compass_gait.json");
    sal_run_opts opts = with_respect_to(wrt, P);
    const cJSON *rows = part(&ref, "rollout", "rows", NULL), *jacobian = part(&ref, "rollout", "jacobian", NULL);
    const cJSON *events = part(&ref, "rollout", "events", NULL);
    int          event  = 0;
    sal_status   status;

    (void)state;
    opts.rtol = 1e-12;
    rig_run(&r, &opts);
    while ((status = sal_run_step(r.run)) == SAL_OK || status == SAL_EVENT) {
        if (status != SAL_EVENT) continue;
        assert_near(sal_run_time(r.run),
                    cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(events, event), "t")->valuedouble, 1e-10);
        for (int c = 0; c < P; c++)
            assert_near(sal_run_event_gradient(r.run)[c], at(cJSON_GetArrayItem(jacobian, event), c), 1e-7);
        event++;
    }
    assert_int_equal(status, SAL_END);
    assert_int_equal(event, 3);
    assert_string_equal(sal_run_wrt_invalid(r.run), "");
    for (int k = 3; k < cJSON_GetArraySize(rows); k++) { /* behind the times of the events */
        const char   *name     = cJSON_GetArrayItem(rows, k)->valuestring;
        const cJSON  *expected = cJSON_GetArrayItem(jacobian, k);
        const double *q = sal_run_q(r.run), *v = sal_run_v(r.run), *Q = sal_run_Q(r.run), *V = sal_run_V(r.run);
        char          group[16];
        int           index, coordinate = -1;
        double        value, gradient[P];
        assert_int_equal(sscanf(name, "%15[^[][%d]", group, &index), 2);
        value = at(part(&ref, "rollout", "final", group), index);
        if (!strcmp(group, "costs")) {
            assert_near(sal_run_costs(r.run)[index], value, 1e-8);
            memcpy(gradient, sal_run_cost_gradients(r.run) + index * P, sizeof gradient);
        } else if (group[0] == 'q' || group[0] == 'w') { /* of a leg, by outputs: q_s, q_ns, w_s, w_ns */
            const int output =
                (group[0] == 'w' ? 2 : 0) + 1 - index; /* the stance leg first: that is leg 2 at the end */
            assert_near(sal_run_output(r.run, output), value, 1e-8);
            assert_int_equal(sal_run_output_gradient(r.run, output, gradient), SAL_OK);
        } else { /* coordinates: F1, H, F2 */
            const bool velocity = group[0] == 'v';
            coordinate          = (strstr(group, "hip") ? 2 : strstr(group, "foot1") ? 0 : 4) + index;
            assert_near((velocity ? v : q)[coordinate], value, 1e-8);
            memcpy(gradient, (velocity ? V : Q) + coordinate * P, sizeof gradient);
        }
        for (int c = 0; c < P; c++) assert_near(gradient[c], at(expected, c), 1e-6 * (1.0 + fabs(at(expected, c))));
    }
    assert_int_equal(cJSON_GetArraySize(rows), 3 + SAL_COUNT(names) + 2);
    rig_free(&r);
    reference_free(&ref);
}

/* --------------------------------------------------------------------------------------- failures */

/* A walker that falls over does not reach its section: a clear message, in bounded time. */
static void test_falls_over(void **state)
{
    rig        r     = rig_scene("compass_gait.json");
    sal_cycle *cycle = NULL;

    (void)state;
    assert_int_equal(sal_cycle_create(r.model, NULL, &cycle), SAL_OK);
    assert_int_equal(sal_cycle_set(cycle, "initial(H.vx)", 0.25), SAL_OK);
    assert_int_equal(sal_cycle_set(cycle, "initial(H.vy)", 0.05), SAL_OK);
    assert_int_equal(sal_cycle_find(cycle), SAL_ERR_CYCLE);
    assert_says(sal_message(r.context), "foot2");
    assert_says(sal_message(r.context), "is not reached: fall ends the run");
    sal_cycle_destroy(&cycle);
    rig_free(&r);
}

/* A parameter from which the scene's start does not lead to a cycle: from that of its own parameters it does. */
static void test_from_its_own(void **state)
{
    const sal_setting slow  = { "ws", -0.3 };
    rig               r     = rig_scene("compass_gait.json");
    sal_cycle_opts    opts  = sal_cycle_defaults();
    sal_cycle        *cycle = NULL;

    (void)state;
    opts.run.set  = &slow;
    opts.run.nset = 1;
    assert_int_equal(sal_cycle_create(r.model, &opts, &cycle), SAL_OK);
    if (sal_cycle_find(cycle) != SAL_OK) fail_msg("%s", sal_message(r.context));
    assert_near(sal_cycle_get_info(cycle).period, 0.7343463911587195, 1e-9); /* it is the start of none */
    sal_cycle_destroy(&cycle);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compass_gait),
        cmocka_unit_test(test_compass_period_doubling),
        cmocka_unit_test(test_compass_limps),
        cmocka_unit_test(test_simplest_walker),
        cmocka_unit_test(test_simplest_walker_second_gait),
        cmocka_unit_test(test_rimless_wheel),
        cmocka_unit_test(test_kneed_walker),
        cmocka_unit_test(test_kneed_walker_multipliers),
        cmocka_unit_test(test_kneed_walker_keeps_walking),
        cmocka_unit_test(test_compass_rollout),
        cmocka_unit_test(test_falls_over),
        cmocka_unit_test(test_from_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
