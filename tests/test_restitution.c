/* test_restitution.c - laws of restitution by name: Poisson's with its bound (`impact`), Newton's (`newton`), which may
 * add energy and says so. */
#include "tests/support.h"

typedef struct tally { /* of a run: what its events say of energy */
    int    events, adding;
    double first, most; /* energy added at the first event, and in all */
    double gain;        /* largest energy_after - energy_before */
} tally;

static tally run_all(rig *r)
{
    tally      t = { 0 };
    sal_status status;

    while ((status = sal_run_step(r->run)) == SAL_OK || status == SAL_EVENT) {
        const sal_event_info e = sal_run_event(r->run);
        if (status != SAL_EVENT) continue;
        if (t.events++ == 0) t.first = e.energy_added;
        t.adding += e.energy_added > 0.0;
        t.most += e.energy_added;
        t.gain = fmax(t.gain, sal_run_energy(r->run) - e.energy_before);
    }
    if (status != SAL_END) fail_msg("%s", sal_run_message(r->run));
    return t;
}

static rig file_with_log(const char *name, void (*log)(void *user, const char *text), void *user)
{
    sal_context_opts opts = sal_context_defaults();
    rig              r    = { 0 };
    char             file[1024];
    sal_scene       *scene;

    opts.log  = log;
    opts.user = user;
    snprintf(file, sizeof file, "%s/%s", SAL_TEST_SCENES_DIR, name);
    assert_int_equal(sal_context_create(&opts, &r.context), SAL_OK);
    if (sal_scene_load(r.context, file, &scene) != SAL_OK) fail_msg("%s", sal_message(r.context));
    assert_int_equal(sal_model_create(scene, &r.model), SAL_OK);
    sal_scene_destroy(&scene);
    rig_run(&r, NULL);
    return r;
}

static void keep(void *user, const char *text)
{
    char *all = user;

    snprintf(all + strlen(all), 1000 - strlen(all), "%s\n", text);
}

/* The point of a double pendulum strikes the ground with friction. By Newton's law one impact makes 49.8 J of 8.7 J, by
 * Poisson's with its bound none adds any. */
static void test_newton_may_add(void **state)
{
    char  said[1000] = "", none[1000] = "";
    rig   r = file_with_log("double_pendulum_strikes_by_newton.json", keep, said);
    tally t = run_all(&r);

    (void)state;
    assert_int_equal(t.adding, 1);
    assert_near(sal_run_get_stats(r.run).energy_start, 8.68358575, 1e-8);
    assert_near(t.first, 49.7922067 - 8.68358575, 1e-6);
    assert_near(t.gain, t.first, 1e-9); /* nothing is prescribed: by the energy itself */
    assert_string_equal(said, "floor.M1 at t = 0.230311169 s adds 41.1086 J: Newton's law of restitution can; the law "
                              "'impact' never does\n");
    rig_free(&r);
    r = file_with_log("double_pendulum_strikes.json", keep, none);
    t = run_all(&r);
    assert_true(t.events > 5);
    assert_int_equal(t.adding, 0);
    assert_true(t.gain < 1e-9 * 8.7);
    assert_string_equal(none, "");
    rig_free(&r);
}

/* --------------------------------------------------------------------------- where both laws are one */

static const char pendulum[] = "'parameters': { 'k': %g }, 'points': { 'O': { 'at': [0, 0], 'fixed': true },"
                               "'P': { 'at': [1, 0.2] }, 'R': { 'at': [1.8, 0.3], 'velocity': [0.3, -1] } },"
                               "'bodies': { 'b1': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 1.3 },"
                               "            'b2': { 'type': 'bar', 'points': ['P', 'R'], 'mass': 0.7 } },"
                               "'contacts': { 'floor': { 'type': 'ground', 'points': ['R'], 'height': -0.8,"
                               "  'law': '%s', 'restitution': 'k' } }, 'simulation': { 'duration': 3, 'rtol': 1e-11 }";

static void test_one_without_friction(void **state)
{
    static const double restitution[] = { 0.0, 0.3, 0.8, 1.0 };

    (void)state;
    for (int i = 0; i < SAL_COUNT(restitution); i++) {
        char text[2][1200];
        rig  r[2];
        for (int k = 0; k < 2; k++) {
            snprintf(text[k], sizeof text[k], pendulum, restitution[i], k ? "newton" : "impact");
            r[k] = rig_load(text[k]);
            rig_run(&r[k], NULL);
            assert_int_equal(run_all(&r[k]).adding, 0);
        }
        assert_int_equal(sal_run_get_stats(r[0].run).events, sal_run_get_stats(r[1].run).events);
        assert_true(sal_run_get_stats(r[0].run).events > 0);
        for (int k = 0; k < 4; k++) {
            assert_near(sal_run_q(r[0].run)[k], sal_run_q(r[1].run)[k], 1e-10); /* amplified by a few impacts */
            assert_near(sal_run_v(r[0].run)[k], sal_run_v(r[1].run)[k], 1e-9);
        }
        rig_free(&r[0]);
        rig_free(&r[1]);
    }
}

/* ---------------------------------------------------------------------------------------- derivatives */

/* A bar falls flat: both ends touch at one instant, whatever the parameters. */
static const char falls_flat[] =
    "'parameters': { 'left': 0.3, 'right': 0.8, 'mu': %s, 'm': 2, 'v': 1, 'u': 0.7, 'h': 0.4 },"
    "'points': { 'A': { 'at': [0, 'h'], 'velocity': ['u', '-v'] }, 'B': { 'at': [1.2, 'h'], 'velocity': ['u', '-v'] } "
    "},"
    "'bodies': { 'bar': { 'type': 'rigid', 'points': ['A', 'B'], 'mass': 'm', 'centre': [0.5, 0.03], 'inertia': "
    "'m*0.2' }"
    "},"
    "'contacts': { 'one': { 'type': 'ground', 'points': ['A'], 'law': '%s', 'restitution': 'left',"
    "  'mu_kinetic': 'mu', 'mu_static': '1.2*mu' },"
    "  'two': { 'type': 'ground', 'points': ['B'], 'law': '%s', 'restitution': 'right', 'mu_kinetic': 'mu',"
    "  'mu_static': '1.2*mu' } },"
    "'costs': { 'c': { 'running': 'y(A)^2 + vx(B)*y(B)' } }, 'simulation': { 'duration': 0.36, 'rtol': 1e-11 }";

static void test_derivatives(void **state)
{
    static const char *const wrt[]     = { "left", "right", "mu", "m", "v", "u", "h" };
    static const char *const start[]   = { "initial(P1.x)", "initial(P2.y)" };
    static const char *const laws[][2] = { { "newton", "newton" }, { "newton", "impact" }, { "impact", "newton" } };
    static const char *const mu[]      = { "0.1", "0.25", "0.9" }; /* slides, slides, may stick */
    rig                      r;

    (void)state;
    for (int i = 0; i < SAL_COUNT(laws); i++) {
        for (int k = 0; k < SAL_COUNT(mu); k++) {
            char text[1400];
            snprintf(text, sizeof text, falls_flat, mu[k], laws[i][0], laws[i][1]);
            r = rig_load(text);
            rig_verify(&r, with_respect_to(wrt, SAL_COUNT(wrt)), mu[k]);
            rig_free(&r);
        }
    }
    r = rig_test_scene("double_pendulum_strikes_by_newton.json"); /* through the impact that adds energy */
    rig_verify(&r, with_respect_to(start, SAL_COUNT(start)), "double pendulum");
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------------- the range */

/* A restitution that leaves its range while the run goes on ends it there. */
static void test_range_in_time(void **state)
{
    rig r =
        rig_load("'points': { 'P': { 'at': [0, 1] } }, 'bodies': { 'b': { 'type': 'point_mass', 'point': 'P',"
                 "'mass': 1 } }, 'memory': { 'n': 0.8 }, 'contacts': { 'floor': { 'type': 'ground', 'points': ['P'],"
                 "'restitution': 'n', 'on': { 'touch': { 'set': { 'n': 'n + 0.3' } } } } }");
    sal_status status;

    (void)state;
    rig_run(&r, NULL);
    status = rig_finish(&r);
    assert_int_equal(status, SAL_ERR_SCENE);
    assert_says(sal_run_message(r.run), "contacts.floor.restitution: must be from 0 to 1, 'n' is 1.1");
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newton_may_add),
        cmocka_unit_test(test_one_without_friction),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_range_in_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
