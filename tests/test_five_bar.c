/* test_five_bar.c - the five-bar through nine bounces against reference numbers (tests/ref/five_bar.json: two
 * independent formulations in quadruple precision, agreeing to 1e-23; the numbers there are the nearest doubles). */
#include "tests/five_bar.h"

static const cJSON *item(const cJSON *list, int k, const char *key)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(list, k), key);

    assert_non_null(found);
    return found;
}

static double number(const cJSON *list, int k, const char *key)
{
    return item(list, k, key)->valuedouble;
}

static void compare(const double *found, const cJSON *expected, int n, double tolerance)
{
    assert_int_equal(cJSON_GetArraySize(expected), n);
    for (int k = 0; k < n; k++) {
        const double x = cJSON_GetArrayItem(expected, k)->valuedouble;
        assert_near(found[k], x, tolerance * fmax(1.0, fabs(x)));
    }
}

/* Largest differences from the reference over the whole run. */
static void run_against_reference(const fixture *f, int integrator, double time_tolerance, double tolerance)
{
    const cJSON *events  = cJSON_GetObjectItem(f->ref.root, "events"),
                *samples = cJSON_GetObjectItem(f->ref.root, "samples");
    sal_run_opts opts    = sal_run_defaults();
    sal_run     *run;
    int          event = 0, sample = 0;

    opts.rtol       = 1e-11;
    opts.integrator = integrator;
    run             = start(f, opts);
    while (sample < 5) {
        sal_status status = sal_run_to(run, sample + 1.0);
        if (status == SAL_EVENT) {
            sal_event_info e = sal_run_event(run);
            assert_true(event < EVENTS);
            assert_string_equal(e.name, "floor");
            assert_false(e.grazing);
            assert_near(e.time, number(events, event, "t"), time_tolerance);
            if (event >= 3) { /* the rest of the table has times only */
                event++;
                continue;
            }
            compare(sal_run_q(run), item(events, event, "q"), N, tolerance);
            compare(e.v_before, item(events, event, "v_minus"), N, tolerance);
            compare(sal_run_v(run), item(events, event, "v_plus"), N, tolerance);
            compare(e.lambda_before, item(events, event, "lambda_minus"), M, tolerance);
            compare(sal_run_lambda(run), item(events, event, "lambda_plus"), M, tolerance);
            event++;
        } else {
            assert_int_equal(status, SAL_OK);
            compare(sal_run_q(run), item(samples, sample, "q"), N, tolerance);
            compare(sal_run_v(run), item(samples, sample, "v"), N, tolerance);
            compare(sal_run_lambda(run), item(samples, sample, "lambda"), M, tolerance);
            compare(sal_run_costs(run), item(samples, sample, "z"), 2, tolerance);
            assert_near(sal_run_energy(run), number(samples, sample, "E"), tolerance);
            sample++;
        }
    }
    assert_int_equal(event, EVENTS);
    assert_int_equal(sal_run_to(run, 6.0), SAL_END);
    sal_run_destroy(&run);
}

static void test_reference_rk8(void **state)
{
    run_against_reference(*state, SAL_RK8, 1e-9, 1e-8);
}

static void test_reference_rk5(void **state)
{
    run_against_reference(*state, SAL_RK5, 1e-9, 1e-8);
}

/* At every accepted step, not only at the end. */
static void test_residuals_and_energy(void **state)
{
    sal_run_opts opts = sal_run_defaults();
    sal_run     *run;
    sal_status   status;
    double       energy, drift = 0.0;
    int          steps = 0;

    opts.rtol = 1e-11;
    run       = start(*state, opts);
    energy    = sal_run_energy(run);
    while ((status = sal_run_step(run)) == SAL_OK || status == SAL_EVENT) {
        if (status == SAL_EVENT) {
            assert_near(sal_run_event(run).energy_before, energy, 1e-9);
            energy = sal_run_energy(run);
        }
        drift = fmax(drift, fabs(sal_run_energy(run) - energy));
        steps++;
    }
    assert_int_equal(status, SAL_END);
    assert_true(steps > 50);
    assert_true(drift <= 1e-9);
    assert_true(sal_run_get_stats(run).energy_drift <= 1e-9);
    assert_true(sal_run_get_stats(run).max_phi <= 1e-12);
    assert_true(sal_run_get_stats(run).max_phidot <= 1e-11);
    sal_run_destroy(&run);
}

static void test_penalty(void **state)
{
    const fixture *f    = *state;
    sal_run_opts   opts = sal_run_defaults();
    sal_run       *one, *two;

    opts.rtol = 1e-11;
    one       = start(f, opts);
    opts.form = SAL_PENALTY;
    two       = start(f, opts);
    for (int k = 0; k < EVENTS; k++) {
        while (sal_run_step(one) == SAL_OK) continue;
        while (sal_run_step(two) == SAL_OK) continue;
        assert_int_equal(sal_run_get_stats(one).events, k + 1);
        assert_int_equal(sal_run_get_stats(two).events, k + 1);
        assert_near(sal_run_event(two).time, sal_run_event(one).time, 1e-8);
        for (int i = 0; i < N; i++) assert_near(sal_run_v(two)[i], sal_run_v(one)[i], 1e-5);
    }
    while (sal_run_step(one) == SAL_OK) continue;
    while (sal_run_step(two) == SAL_OK) continue;
    assert_int_equal(sal_run_get_stats(two).events, EVENTS);
    for (int k = 0; k < N; k++) {
        assert_near(sal_run_q(two)[k], sal_run_q(one)[k], 1e-5);
        assert_near(sal_run_v(two)[k], sal_run_v(one)[k], 1e-5);
    }
    assert_true(sal_run_get_stats(two).max_phi <= 1e-6);
    assert_true(sal_run_get_stats(two).max_phidot <= 1e-5);
    sal_run_destroy(&one);
    sal_run_destroy(&two);
}

/* The penalty form without the product M + Phi_q^T alpha Phi_q is the same as with it: a second formulation, dense. */
static void test_penalty_is_the_ode(void **state)
{
    const fixture *f = *state;
    const rig      r = { .context = f->context, .model = f->model };
    numbers        x;
    sal_system    *s    = numbers_make(&x, &r, NULL);
    const double   q[N] = { -1.52, -0.9, 0.1, -2.1, 1.45, -1.05 }, v[N] = { 0.3, -0.2, 0.5, 0.7, -0.4, 0.1 };
    const double   alpha = s->z[f->model->tables->simulation.alpha], xi = 1.0, omega = 10.0;
    double         A[M][N] = { { 0 } }, K[N * N] = { 0 }, b[N], d[M];

    sal_system_set_form(s, SAL_PENALTY, SAL_PROJECTION);
    sal_system_move(s, 0.0, q, v);
    assert_int_equal(sal_system_accelerate(s), SAL_OK);
    for (int i = 0; i < M; i++) {
        for (int k = f->model->jp[i]; k < f->model->jp[i + 1]; k++) A[i][f->model->jc[k]] = s->entry[k];
        d[i] = -s->c[i] + 2.0 * xi * omega * s->phidot[i] + omega * omega * s->phi[i];
    }
    for (int k = 0; k < f->model->tables->masses.n; k++) {
        const sal_mass *m = &f->model->tables->masses.at[k];
        if (m->i >= N || m->j >= N) continue;
        K[m->i * N + m->j] += s->mass[k];
        if (m->i != m->j) K[m->j * N + m->i] += s->mass[k];
    }
    for (int i = 0; i < N; i++) {
        b[i] = s->force[i];
        for (int r2 = 0; r2 < M; r2++) {
            b[i] -= A[r2][i] * alpha * d[r2];
            for (int j = 0; j < N; j++) K[i * N + j] += A[r2][i] * alpha * A[r2][j];
        }
    }
    dense_solve(N, K, b);
    /* the product has a condition number near alpha = 1e7, so that is what it loses */
    for (int i = 0; i < N; i++) assert_near(s->zdd[i], b[i], 1e-7 * (1.0 + fabs(b[i])));
    for (int i = 0; i < M; i++) {
        double phidd = d[i];
        for (int j = 0; j < N; j++) phidd += A[i][j] * s->zdd[j];
        assert_near(s->lambda[i], alpha * phidd, 1e-6 * alpha * 1e-6 + 1e-5 * fabs(s->lambda[i]));
    }
    numbers_free(&x);
}

/* z1 integrates vy(P2): it is the height; z2 integrates ay(P2): the velocity without its jumps. */
static void test_costs(void **state)
{
    sal_run_opts opts = sal_run_defaults();
    sal_run     *run;
    double       jumps = 0.0;
    sal_status   status;

    opts.rtol = 1e-11;
    run       = start(*state, opts);
    while ((status = sal_run_step(run)) != SAL_END) {
        assert_true(status >= 0);
        if (status == SAL_EVENT) jumps += sal_run_v(run)[3] - sal_run_event(run).v_before[3];
        assert_near(sal_run_costs(run)[0], sal_run_q(run)[3] + 2.0, 1e-9);
        assert_near(sal_run_costs(run)[1], sal_run_v(run)[3] - jumps, 1e-8);
    }
    sal_run_destroy(&run);
}

/* A parameter set on the run, and the same number in a new run. */
static void test_parameters(void **state)
{
    const sal_setting setting = { "L01", 2.2 };
    sal_run_opts      opts    = sal_run_defaults();
    sal_run          *one, *two = start(*state, opts);

    opts.set  = &setting;
    opts.nset = 1;
    one       = start(*state, opts);
    assert_int_equal(sal_run_set(two, "L01", 2.2), SAL_OK);
    assert_int_equal(sal_run_restart(two), SAL_OK);
    assert_near(sal_run_parameter(two, 0), 2.2, 0.0);
    while (sal_run_to(one, 2.0) == SAL_EVENT) continue;
    while (sal_run_to(two, 2.0) == SAL_EVENT) continue;
    for (int k = 0; k < N; k++) assert_near(sal_run_q(one)[k], sal_run_q(two)[k], 0.0);
    assert_true(fabs(sal_run_q(one)[3] - -2.2152412703) > 1e-3); /* it does make a difference */
    assert_int_equal(sal_run_set(two, "L1", 1.0), SAL_ERR_ARGUMENT);
    assert_string_equal(sal_run_message(two), "unknown parameter 'L1'; did you mean 'L01'?");
    assert_int_equal(sal_run_set(two, "L01", NAN), SAL_ERR_ARGUMENT);
    sal_run_destroy(&one);
    sal_run_destroy(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_rk8),        cmocka_unit_test(test_reference_rk5),
        cmocka_unit_test(test_residuals_and_energy), cmocka_unit_test(test_penalty),
        cmocka_unit_test(test_penalty_is_the_ode),   cmocka_unit_test(test_costs),
        cmocka_unit_test(test_parameters),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
