/* test_index3.c - the form index3, whose steps solve Phi = 0 at their stages: order, the problems of the IVP Test Set,
 * events of all kinds against the form index1; what it refuses. */
#include "tests/support.h"

static sal_run_opts by(int form, double rtol)
{
    sal_run_opts opts = sal_run_defaults();

    opts.form = form;
    opts.rtol = rtol;
    return opts;
}

typedef struct outcome {
    double q[32], v[32], event[16];
    int    events;
} outcome;

static outcome run(const char *scene, sal_run_opts opts)
{
    rig        r = rig_scene(scene);
    outcome    x = { .events = 0 };
    sal_status status;

    rig_run(&r, &opts);
    while ((status = sal_run_step(r.run)) == SAL_OK || status == SAL_EVENT) {
        if (status == SAL_EVENT && x.events < 16) x.event[x.events++] = sal_run_time(r.run);
    }
    if (status != SAL_END) fail_msg("%s: %s", scene, sal_run_message(r.run));
    memcpy(x.q, sal_run_q(r.run), sizeof(double) * (size_t)r.model->n);
    memcpy(x.v, sal_run_v(r.run), sizeof(double) * (size_t)r.model->n);
    rig_free(&r);
    return x;
}

/* Everything as by explicit steps on the index-1 equations, which have nothing in common with these but K. */
static void as_index1(void **state)
{
    static const char *const scenes[] = { "four_bar.json",     "five_bar.json",     "five_bar_impact.json",
                                          "car_axis.json",     "andrews.json",      "slider_crank.json",
                                          "compass_gait.json", "kneed_walker.json", "stick_slip_belt.json" };

    (void)state;
    for (int k = 0; k < SAL_COUNT(scenes); k++) {
        sal_run_opts opts   = by(SAL_INDEX1, 1e-11);
        opts.integrator     = SAL_RK8;
        const outcome exact = run(scenes[k], opts), found = run(scenes[k], by(SAL_INDEX3, 1e-8));
        assert_int_equal(found.events, exact.events);
        for (int e = 0; e < exact.events; e++) assert_near(found.event[e], exact.event[e], 1e-6);
        for (int i = 0; i < 32; i++) {
            if (fabs(found.q[i] - exact.q[i]) > 1e-6) fail_msg("%s: q %d is off", scenes[k], i);
            if (fabs(found.v[i] - exact.v[i]) > 1e-6 * fmax(10.0, fabs(exact.v[i])))
                fail_msg("%s: v %d is off", scenes[k], i);
        }
    }
}

static const char pendulum[] = "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] } },"
                               "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                               "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1 } },"
                               "'simulation': { 'duration': 1 }";

/* [x, y, vx, vy] at the end, in steps of one length; 0: as the tolerance has it. */
static void pendulum_ends(sal_run_opts opts, double step, double *out)
{
    rig r = rig_load(pendulum);

    if (step > 0.0) opts.max_step = opts.min_step = step;
    rig_run(&r, &opts);
    rig_end(&r);
    memcpy(out, sal_run_q(r.run), 2 * sizeof *out);
    memcpy(out + 2, sal_run_v(r.run), 2 * sizeof *out);
    rig_free(&r);
}

/* Positions and, projected, velocities gain five binary digits where steps are halved. */
static void order(void **state)
{
    double exact[4], error[2] = { 0.0, 0.0 };

    (void)state;
    pendulum_ends(by(SAL_INDEX1, 1e-13), 0.0, exact);
    for (int k = 0; k < 2; k++) {
        double found[4];
        pendulum_ends(by(SAL_INDEX3, 1e-3), k ? 1.0 / 32.0 : 1.0 / 16.0, found);
        for (int i = 0; i < 4; i++) error[k] = fmax(error[k], fabs(found[i] - exact[i]));
    }
    assert_near(log2(error[0] / error[1]), 5.0, 0.5);
    assert_true(error[1] < 1e-6);
}

static void refused(void **state)
{
    static const char *const wrt[] = { "L01" };
    rig                      r     = rig_scene("five_bar.json");
    sal_run_opts             opts  = by(SAL_INDEX3, 1e-7);

    (void)state;
    opts.integrator = SAL_RK8;
    assert_int_equal(rig_try(&r, &opts), SAL_ERR_ARGUMENT);
    assert_non_null(strstr(sal_message(r.context), "implicit steps"));
    opts      = by(SAL_INDEX3, 1e-7);
    opts.wrt  = wrt;
    opts.nwrt = 1;
    assert_int_equal(rig_try(&r, &opts), SAL_ERR_ARGUMENT);
    assert_non_null(strstr(sal_message(r.context), "no derivatives"));
    opts               = by(SAL_INDEX3, 1e-7);
    opts.stabilization = SAL_BAUMGARTE;
    assert_int_equal(rig_try(&r, &opts), SAL_ERR_ARGUMENT);
    assert_non_null(strstr(sal_message(r.context), "projected"));
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_index1),
        cmocka_unit_test(order),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
