/* test_health.c - the health of runs: work is accounted for, right runs are good, and each thing that cannot be ends a
 * run with its name. To make one happen the engine is given something wrong from inside: an event that it does not look
 * for, a projection that lies, a mass that is another one. */
#include "tests/shipped.h"

static const sal_run_opts *quietly(void)
{
    static sal_run_opts opts;

    opts       = sal_run_defaults();
    opts.quiet = true;
    return &opts;
}

static double work_of(const rig *r, const char *name)
{
    sal_work w;

    for (int k = 0; sal_run_work(r->run, k, &w); k++) {
        if (!strcmp(w.name, name)) return w.joules;
    }
    fail_msg("%s does no work", name);
    return NAN;
}

/* ------------------------------------------------------------------------------------ right runs */

/* All shipped scenes, in both forms, are good, and their work balances to the tolerance of their steps. */
static void test_scenes_are_good(void **state)
{
    const shipped scenes = shipped_scenes();

    (void)state;
    assert_true(scenes.n > 30);
    for (int i = 0; i < scenes.n; i++) {
        const char *name = scenes.name[i];
        for (int form = SAL_INDEX1; form <= SAL_PENALTY; form++) {
            rig          r    = rig_scene(name);
            sal_run_opts opts = sal_run_defaults();
            double       size = 0.0;
            char         text[500];
            sal_work     w;
            opts.quiet = true;
            opts.form  = form;
            rig_run(&r, &opts);
            if (rig_finish(&r) != SAL_END) fail_msg("%s: %s", name, sal_run_message(r.run));
            sal_run_health_text(r.run, text, sizeof text);
            if (sal_run_get_health(r.run).verdict != SAL_GOOD) fail_msg("%s, form %d: %s", name, form, text);
            for (int k = 0; sal_run_work(r.run, k, &w); k++) size += fabs(w.joules);
            for (int k = 0; k < r.model->n; k++) size += fabs(r.run->system.gravity[k]) * r.run->system.length;
            size += fabs(sal_run_get_stats(r.run).energy_start);
            if (!(fabs(sal_run_get_health(r.run).balance) <= 1e-6 * size)) /* some hundred steps at rtol 1e-9 */
                fail_msg("%s, form %d: off by %g of %g J", name, form, sal_run_get_health(r.run).balance, size);
            rig_free(&r);
        }
    }
}

/* A block slides on a floor to rest, is pulled by a damped spring, hits a wall, on a shaken support: all in closed form,
 * or by another way. */
static void test_work(void **state)
{
    rig r = rig_load("'points': { 'P': { 'at': [0, 0], 'velocity': [2, 0] } }, 'bodies': { 'm': { 'type': 'point_mass',"
                     "'point': 'P', 'mass': 3 } }, 'contacts': { 'floor': { 'type': 'ground', 'points': ['P'],"
                     "'mu_kinetic': 0.4 } }, 'simulation': { 'duration': 2 }");
    double e0;

    (void)state;
    rig_run(&r, NULL);
    assert_int_equal(rig_finish(&r), SAL_END);
    assert_near(work_of(&r, "floor"), -0.5 * 3 * 4, 1e-9);
    rig_free(&r);

    r = rig_load(
        "'points': { 'P': { 'at': [0, 1] } }, 'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
        "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'restitution': 0.5 } },"
        "'simulation': { 'duration': 0.8 }");
    rig_run(&r, NULL);
    assert_int_equal(rig_finish(&r), SAL_END);
    assert_near(work_of(&r, "floor"), -(1 - 0.25) * 2 * 9.81, 1e-9);
    rig_free(&r);

    r = rig_load(
        "'points': { 'O': { 'at': ['0.5*sin(5*t)', 2], 'fixed': true }, 'P': { 'at': [0, 1] } },"
        "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
        "'joints': { 's': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 30, 'length': 0.8, 'damping': 2 } },"
        "'costs': { 'loss': { 'running': '2*(((x(O) - x(P))*(vx(O) - vx(P)) + (y(O) - y(P))*(vy(O) - vy(P)))"
        "/distance(O, P))^2' } }, 'simulation': { 'duration': 3, 'rtol': 1e-11 }");
    rig_run(&r, NULL);
    e0 = sal_run_energy(r.run);
    assert_int_equal(rig_finish(&r), SAL_END);
    assert_near(work_of(&r, "s"), -sal_run_costs(r.run)[0], 1e-8);
    assert_near(work_of(&r, "s") + work_of(&r, "points"), sal_run_energy(r.run) - e0, 1e-8);
    assert_true(fabs(work_of(&r, "points")) > 0.1);
    rig_free(&r);

    r = rig_scene("scissor_lift.json"); /* its cost is the work of the spindle */
    rig_run(&r, NULL);
    assert_int_equal(rig_finish(&r), SAL_END);
    assert_near(work_of(&r, "spindle"), sal_run_costs(r.run)[0], 1e-5);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------- what cannot be */

static void expect(rig *r, sal_health_kind kind, const char *message)
{
    sal_health_item item;

    if (rig_finish(r) != SAL_ERR_INVARIANT) fail_msg("no %s", message);
    assert_says(sal_run_message(r->run), message);
    assert_int_equal(sal_run_get_health(r->run).verdict, SAL_BAD);
    assert_true(sal_run_health_item(r->run, kind, &item));
    assert_true(item.value > item.limit && item.limit > 0.0);
    rig_free(r);
}

static void blind(rig *r, const char *event) /* it is not looked for: on its way down nothing rises */
{
    const int k = sal_tables_find_event(r->model->tables, event);

    assert_true(k >= 0);
    sal_direction *way = &((sal_event *)&r->model->tables->events.at[k])->direction;
    *way               = *way == SAL_RISING ? SAL_FALLING : SAL_RISING;
}

static rig load_run(const char *text)
{
    rig r = rig_load(text);

    rig_run(&r, quietly());
    return r;
}

#define BLOCK(start, force, law)                                                                                      \
    "'points': { 'P': { 'at': [0, " start "] } }, 'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 }" \
    "}, 'joints': { 'push': { 'type': 'force', 'point': 'P', " force " } },"                                          \
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'] " law " } }, 'simulation': { 'duration': 3 }"

static void test_contacts_that_cannot_be(void **state)
{
    rig r = load_run(BLOCK("0", "'fx': 0, 'fy': '6*t'", ""));

    (void)state;
    blind(&r, "floor.release");
    expect(&r, SAL_HEALTH_PULL, "a contact pulls: floor at t = ");
    r = load_run(BLOCK("0", "'fx': '3*t', 'fy': 0", ", 'mu_static': 0.3, 'mu_kinetic': 0.2"));
    blind(&r, "floor.slip");
    expect(&r, SAL_HEALTH_CONE, "friction of a contact beyond what it can be: floor at t = ");
    r = load_run(BLOCK("1", "'fx': 0, 'fy': 0", ""));
    blind(&r, "floor");
    expect(&r, SAL_HEALTH_GAP, "a contact is passed through: floor at t = ");
    r = load_run(BLOCK("0", "'fx': 5, 'fy': 0", ", 'mu_static': 0.3, 'mu_kinetic': 0.2"));
    while (!sal_contact_slides(&r.run->system, 0) || sal_contact_slip(&r.run->system, 0) < 0.1)
        assert_true(sal_run_step(r.run) >= 0);
    r.run->system.mode.coupling[0].sign *= -1; /* friction the other way round */
    r.run->system.prepared_for.coupling[0].sign *= -1;
    expect(&r, SAL_HEALTH_DRIVE, "friction of a contact drives it: floor at t = ");
}

static double lie;
static int    of;

static sal_trial project_and_lie(void *self, double t, double *y)
{
    const sal_trial trial = sal_run_project(self, t, y);

    y[of] += lie;
    return trial;
}

static const char *const pendulum = "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] } },"
                                    "'bodies': { 'bar': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 1 } },"
                                    "'simulation': { 'duration': 1 }";

static void test_rows_that_cannot_be(void **state)
{
    rig  r = load_run(pendulum);
    char text[300];

    (void)state;
    r.run->stepper.flow.correct = project_and_lie;
    lie                         = 1e-7;
    of                          = 0;
    expect(&r, SAL_HEALTH_PHI, "Phi of bar at t = ");
    r                           = load_run(pendulum);
    r.run->stepper.flow.correct = project_and_lie;
    of                          = 2;
    lie                         = 1e-6;
    expect(&r, SAL_HEALTH_PHIDOT, "Phidot of bar at t = ");
    r                           = load_run(pendulum); /* a near miss */
    r.run->stepper.flow.correct = project_and_lie;
    of                          = 0;
    lie                         = 3e-9;
    assert_int_equal(rig_finish(&r), SAL_END);
    assert_int_equal(sal_run_get_health(r.run).verdict, SAL_DOUBTFUL);
    assert_true(sal_run_health_text(r.run, text, sizeof text) < sizeof text);
    assert_says(text, "Phi of bar at t = ");
    assert_says(text, "would have ended at ");
    rig_free(&r);
}

/* Masses are others for what looks at energy and momentum, not for the motion. */
static void change_mass(rig *r)
{
    for (int k = 0; k < r->model->tables->masses.n; k++) r->run->system.mass[k] *= 1.0 + 1e-6 * (1 + k % 2);
}

static void test_energy_from_nowhere(void **state)
{
    rig r = load_run(pendulum);

    (void)state;
    while (sal_run_time(r.run) < 0.3) assert_int_equal(sal_run_step(r.run), SAL_OK);
    change_mass(&r);
    expect(&r, SAL_HEALTH_WORK, "energy that nobody's work explains at t = ");

    r = load_run(
        BLOCK("1", "'fx': 0, 'fy': 0", ", 'restitution': 0.5")); /* a lie of the law: it returns more than there was */
    r.run->system.z[r.model->tables->touches.at[0].restitution] = 1.5;
    expect(&r, SAL_HEALTH_GAIN, "an impact adds energy: floor at t = ");

    r = load_run(BLOCK("1", "'fx': 0, 'fy': 0", ", 'restitution': 0.5"));
    while (r.run->find.pending.event < 0) assert_int_equal(sal_run_step(r.run), SAL_OK);
    change_mass(&r);
    expect(&r, SAL_HEALTH_IMPULSE, "a velocity jumps by more than impulses explain: ");
}

static void test_impulses_beyond_the_cone(void **state)
{
    rig r = load_run("'points': { 'P': { 'at': [0, 1], 'velocity': [3, 0] } }, 'bodies': { 'm': { 'type': 'point_mass',"
                     "'point': 'P', 'mass': 1 } }, 'contacts': { 'floor': { 'type': 'ground', 'points': ['P'],"
                     "'mu_kinetic': 0.2, 'restitution': 0.5 } }");

    (void)state;
    rig_event(&r, NULL);
    r.run->system.z[r.model->tables->touches.at[0].mu_static] = 0.1;
    assert_int_equal(sal_health_after(r.run, &r.run->record.pending), SAL_ERR_INVARIANT);
    assert_says(sal_run_message(r.run), "an impulse that a contact cannot have: floor");
    rig_free(&r);
}

/* --------------------------------------------------------------------------------------- what is near */

static void test_counts(void **state)
{
    rig  r = rig_test_scene("double_pendulum_strikes_by_newton.json");
    char text[300];

    (void)state;
    rig_run(&r, quietly());
    assert_int_equal(rig_finish(&r), SAL_END);
    assert_int_equal(sal_run_get_health(r.run).verdict, SAL_DOUBTFUL);
    assert_near(sal_run_get_health(r.run).energy_added, 41.1086, 1e-4);
    sal_run_health_text(r.run, text, sizeof text);
    assert_string_equal(text, "laws of restitution have added 41.1086 J\n");
    rig_free(&r);

    r = load_run(BLOCK("1", "'fx': 0, 'fy': 0", ", 'restitution': 0.5"));
    assert_int_equal(rig_finish(&r), SAL_END);
    assert_int_equal(sal_run_get_health(r.run).closings, 1);
    assert_int_equal(sal_run_get_health(r.run).verdict, SAL_GOOD);
    rig_free(&r);
}

/* A point that passes a line with 1e-9 of its speed grazes it. */
static void test_transversality(void **state)
{
    rig  r = load_run("'gravity': [0, 0], 'points': { 'P': { 'at': [0, 1e-10], 'velocity': [1, -1e-9] } },"
                       "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                       "'contacts': { 'line': { 'type': 'event', 'when': 'y(P)' } }, 'simulation': { 'duration': 1 }");
    char text[300];

    (void)state;
    assert_int_equal(rig_finish(&r), SAL_END);
    assert_near(sal_run_get_health(r.run).transversality, 1e-9, 1e-15);
    assert_string_equal(sal_run_get_health(r.run).grazed, "line");
    sal_run_health_text(r.run, text, sizeof text);
    assert_says(text, "line grazes at t = 0.1 s");
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------- named errors */

/* The limit of events holds at one instant too. */
static void test_events_at_one_instant(void **state)
{
    rig r = rig_load("'points': { 'P': { 'at': [0, 1] } }, 'bodies': { 'm': { 'type': 'point_mass', 'point': 'P',"
                     "'mass': 1 } }, 'contacts': { 'a': { 'type': 'event', 'when': '0.5 - t' },"
                     "'b': { 'type': 'event', 'when': '0.5 - t' }, 'c': { 'type': 'event', 'when': '0.5 - t' } }");
    sal_run_opts opts = sal_run_defaults();

    (void)state;
    opts.max_events = 2;
    rig_run(&r, &opts);
    assert_int_equal(rig_finish(&r), SAL_ERR_LIMIT);
    assert_says(sal_run_message(r.run), "the limit of 2 events is reached at t = 0.5 s");
    assert_int_equal(sal_run_get_stats(r.run).events, 2);
    opts.max_events = 3;
    opts.duration   = 0.5;
    rig_run(&r, &opts);
    assert_int_equal(rig_finish(&r), SAL_END);
    assert_int_equal(sal_run_get_stats(r.run).events, 3);
    rig_free(&r);
}

static void test_spring_without_length(void **state)
{
    rig r = load_run(
        "'gravity': [-3.54, -9.15], 'points': { 'O': { 'at': [-5.07, -8.32], 'fixed': true },"
        "'A': { 'at': [-2.5, -8.44] }, 'B': { 'at': [-0.956, -8.44] }, 'C': { 'at': [0.0757, -8.44] },"
        "'D': { 'at': [1.508, -8.44] } }, 'bodies': {"
        "'one': { 'type': 'rigid', 'points': ['A', 'B'], 'mass': 2.17, 'centre': [0.8, 0.866], 'inertia': 0.92 },"
        "'two': { 'type': 'rigid', 'points': ['C', 'D'], 'mass': 5.14, 'centre': [0.76, 0.72], 'inertia': 1.65 } },"
        "'joints': { 'wall': { 'type': 'spring', 'points': ['O', 'A'], 'stiffness': 281, 'length': 2.61 },"
        "'rope': { 'type': 'spring', 'points': ['A', 'C'], 'stiffness': 22, 'damping': 2.77, 'length': 1.58 } },"
        "'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B', 'C', 'D'], 'height': -8.44,"
        "'law': 'slide' } }, 'simulation': { 'duration': 3 }");

    (void)state;
    assert_int_equal(rig_finish(&r), SAL_ERR_STEP);
    assert_says(sal_run_message(r.run), "rope comes to length 0 at t = ");
    rig_free(&r);
}

/* ------------------------------------------------------------------------------- matters of choice */

static void test_chosen(void **state)
{
    rig r = rig_scene("resting_block.json");

    (void)state;
    rig_run(&r, NULL);
    assert_true(sal_run_lambda_chosen(r.run, rig_row(&r, "ramp.A.t")));
    assert_true(sal_run_lambda_chosen(r.run, rig_row(&r, "ramp.B.t")));
    assert_false(sal_run_lambda_chosen(r.run, rig_row(&r, "ramp.A.n")));
    assert_false(sal_run_lambda_chosen(r.run, -1));
    rig_free(&r);
    r = rig_test_scene("redundant_linkage.json");
    rig_run(&r, quietly());
    rig_event(&r, NULL);
    assert_true(sal_run_impulse_chosen(r.run, rig_row(&r, "B0")));
    rig_free(&r);
    r = rig_scene("five_bar_impact.json");
    rig_run(&r, NULL);
    assert_false(sal_run_impulse_chosen(r.run, 0));
    rig_event(&r, NULL);
    for (int k = 0; k < r.model->m; k++) {
        assert_false(sal_run_impulse_chosen(r.run, k));
        assert_false(sal_run_lambda_chosen(r.run, k));
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_are_good),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_contacts_that_cannot_be),
        cmocka_unit_test(test_rows_that_cannot_be),
        cmocka_unit_test(test_energy_from_nowhere),
        cmocka_unit_test(test_impulses_beyond_the_cone),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_transversality),
        cmocka_unit_test(test_events_at_one_instant),
        cmocka_unit_test(test_spring_without_length),
        cmocka_unit_test(test_chosen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
