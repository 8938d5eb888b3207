/* test_api_run.c - the public interface of a run: options, parameters, steps, state, events, costs, rank, probes. */
#include "api.h"

static const double G = 9.81;

/* A stone is thrown; what it does is a parabola. */
static const char STONE[] = "'gravity': [0, '-g'], 'parameters': { 'g': 9.81, 'm': 2, 'h': 3, 'twice': '2*h' },"
                            "'points': { 'P': { 'at': [1, 'h'], 'velocity': [4, 5] } },"
                            "'bodies': { 'stone': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"
                            "'outputs': { 'speed': 'vx(P)^2', 'twice_h': 'twice' },"
                            "'costs': { 'way': { 'running': 'vx(P)' }, 'end': { 'terminal': 'y(P) + t' } },"
                            "'simulation': { 'duration': 1.5, 'output': 0.25 }";

/* A bob of m = 2 kg hangs from a rod of 0.5 m. */
static const char HANGING[] = "'gravity': [0, -9.81], 'parameters': { 'L': 0.5 },"
                              "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0, '-L'] } },"
                              "'bodies': { 'bob': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
                              "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'L' } },"
                              "'outputs': { 'pull': '2*L*lambda(rod)' }";

/* A ball falls from 2 m and bounces with restitution 0.5; it also drifts. */
static const char BALL[] = "'gravity': [0, -10], 'points': { 'P': { 'at': [0, 2], 'velocity': [3, 0] } },"
                           "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 0.4 } },"
                           "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'law': '%s',"
                           "                         'restitution': 0.5 } },"
                           "'outputs': { 'vy': 'vy(P)' }, 'simulation': { 'duration': 1 }";

static api load_ball(const char *law)
{
    char text[1024];

    snprintf(text, sizeof text, BALL, law);
    return api_load(text);
}

/* --------------------------------------------------------------------------------------- options */

static void test_defaults_are_the_scenes(void **state)
{
    const sal_run_opts d = sal_run_defaults();
    api                a = api_load(STONE);
    sal_run_opts       o;

    (void)state;
    assert_true(d.form < 0 && d.stabilization < 0 && d.integrator < 0 && d.duration < 0.0);
    assert_true(d.rtol < 0.0 && d.atol < 0.0 && d.max_step < 0.0 && d.min_step < 0.0);
    assert_int_equal(d.nset, 0);
    assert_int_equal(d.nwrt, 0);
    assert_false(d.quiet || d.partitioned || d.wrt_uncontrolled);
    for (int given = 0; given < 2; given++) { /* NULL means the same */
        api_run(&a, given ? &d : NULL);
        o = sal_run_get_opts(a.run);
        assert_int_equal(o.form, SAL_INDEX1);
        assert_int_equal(o.stabilization, SAL_PROJECTION);
        assert_int_equal(o.integrator, SAL_AUTO);
        assert_near(o.duration, 1.5, 0.0);
        assert_near(o.rtol, 1e-9, 0.0);
        assert_near(o.atol, 1e-9, 0.0);
        assert_near(sal_run_duration(a.run), 1.5, 0.0);
        assert_near(sal_run_output_interval(a.run), 0.25, 0.0);
    }
    api_free(&a);
}

static void test_options_in_effect(void **state)
{
    api          a    = api_load(HANGING);
    sal_run_opts opts = sal_run_defaults(), o;
    sal_setting *set  = malloc(sizeof *set);

    (void)state;
    assert_non_null(set);
    *set               = (sal_setting){ "L", 0.7 };
    opts.form          = SAL_PENALTY;
    opts.integrator    = SAL_RK5;
    opts.stabilization = SAL_BAUMGARTE;
    opts.duration      = 0.5;
    opts.rtol          = 1e-7;
    opts.max_step      = 0.01;
    opts.set           = set;
    opts.nset          = 1;
    api_run(&a, &opts);
    free(set); /* read at creation only */
    o = sal_run_get_opts(a.run);
    assert_int_equal(o.form, SAL_PENALTY);
    assert_int_equal(o.integrator, SAL_RK5);
    assert_near(o.rtol, 1e-7, 0.0);
    assert_near(o.max_step, 0.01, 0.0);
    assert_near(sal_run_duration(a.run), 0.5, 0.0);
    assert_near(sal_run_parameter(a.run, 0), 0.7, 0.0);
    while (sal_run_step(a.run) == SAL_OK) assert_true(sal_run_time(a.run) <= 0.5);
    assert_near(sal_run_time(a.run), 0.5, 0.0);
    assert_true(sal_run_get_stats(a.run).steps >= 50);
    double since;
    long   steps;
    assert_null(sal_run_stiff(a.run, &since, &steps));
    assert_int_equal(steps, 0);
    sal_change change;
    assert_int_equal(sal_run_changes(a.run), 0);
    assert_false(sal_run_change(a.run, 0, &change));
    opts.set  = &(sal_setting){ "l", 0.7 };
    opts.form = -1;
    sal_run_destroy(&a.run);
    assert_int_equal(sal_run_create(a.model, &opts, &a.run), SAL_ERR_ARGUMENT);
    assert_null(a.run);
    assert_says(sal_message(a.context), "'l'");
    api_free(&a);
}

/* ---------------------------------------------------------------------------------- state, closed forms */

static void assert_parabola(const sal_run *run, double t)
{
    double pos[2], vel[2];

    assert_near(sal_run_time(run), t, 1e-15);
    assert_near(sal_run_q(run)[0], 1.0 + 4.0 * t, 1e-12);
    assert_near(sal_run_q(run)[1], 3.0 + 5.0 * t - 0.5 * G * t * t, 1e-12);
    assert_near(sal_run_v(run)[0], 4.0, 1e-12);
    assert_near(sal_run_v(run)[1], 5.0 - G * t, 1e-12);
    assert_near(sal_run_a(run)[0], 0.0, 1e-13);
    assert_near(sal_run_a(run)[1], -G, 1e-13);
    assert_near(sal_run_energy(run), 0.5 * 2.0 * 41.0 + 2.0 * G * 3.0, 1e-11);
    assert_near(sal_run_output(run, 0), 16.0, 1e-12);
    assert_near(sal_run_costs(run)[0], 4.0 * t, 1e-12);
    assert_near(sal_run_costs(run)[1], sal_run_q(run)[1] + t, 1e-12);
    assert_int_equal(sal_run_point(run, "P", pos, vel), SAL_OK);
    assert_near(pos[1], sal_run_q(run)[1], 0.0);
    assert_near(vel[1], sal_run_v(run)[1], 0.0);
}

static void test_parabola(void **state)
{
    api    a = api_load(STONE);
    double x[2];

    (void)state;
    api_run(&a, NULL);
    assert_parabola(a.run, 0.0);
    api_to(&a, 0.37); /* inside a step */
    assert_parabola(a.run, 0.37);
    api_to(&a, 1.2);
    assert_parabola(a.run, 1.2);
    assert_int_equal(sal_run_point(a.run, "P", NULL, x), SAL_OK);
    assert_int_equal(sal_run_point(a.run, "P", x, NULL), SAL_OK);
    assert_int_equal(sal_run_point(a.run, "Q", x, NULL), SAL_ERR_ARGUMENT);
    assert_true(isnan(sal_run_output(a.run, 2)));
    assert_true(isnan(sal_run_output(a.run, -1)));
    assert_int_equal(sal_run_to(a.run, 9.0), SAL_END);
    assert_parabola(a.run, 1.5);
    assert_int_equal(sal_run_step(a.run), SAL_END);
    assert_parabola(a.run, 1.5);
    assert_int_equal(sal_run_get_stats(a.run).events, 0);
    api_free(&a);
}

/* sal_run_to does not go back behind the current step. */
static void test_no_way_back(void **state)
{
    api a = api_load(STONE);

    (void)state;
    api_run(&a, NULL);
    assert_string_equal(sal_run_message(a.run), "");
    api_to(&a, 1.5);
    assert_int_equal(sal_run_to(a.run, -1.0), SAL_ERR_ARGUMENT);
    assert_true(strlen(sal_run_message(a.run)) > 0);
    assert_int_equal(sal_run_restart(a.run), SAL_OK);
    assert_string_equal(sal_run_message(a.run), "");
    assert_parabola(a.run, 0.0);
    api_free(&a);
}

/* M a + Phi_q^T lambda = F with Phi = (|P - O|^2 - L^2): (0, 2 y) lambda = -m g at y = -L. */
static void test_multipliers_and_reactions(void **state)
{
    api           a = api_load(HANGING);
    sal_run_stats stats;
    const char   *unit;

    (void)state;
    api_run(&a, NULL);
    assert_near(sal_run_lambda(a.run)[0] * 2.0 * sal_run_q(a.run)[1], -2.0 * G, 1e-13);
    assert_near(sal_run_output(a.run, 0), 2.0 * G, 1e-13);
    assert_string_equal(sal_model_reaction(a.model, 0, &unit), "rod.tension");
    assert_near(sal_run_reaction(a.run, 0), 2.0 * G, 1e-13);
    assert_true(isnan(sal_run_reaction(a.run, 1)));
    assert_true(isnan(sal_run_reaction(a.run, -1)));
    assert_near(sal_run_energy(a.run), -2.0 * G * 0.5, 1e-14); /* zero at y = 0 */
    while (sal_run_step(a.run) == SAL_OK) {
    }
    stats = sal_run_get_stats(a.run);
    assert_true(stats.steps > 0 && stats.evaluations > stats.steps && stats.factorizations > 0);
    assert_true(stats.full_factorizations <= stats.factorizations);
    assert_true(stats.max_phi <= 1e-14 && stats.max_phidot <= 1e-14);
    assert_near(stats.energy_start, -2.0 * G * 0.5, 1e-14);
    assert_near(stats.energy_drift, 0.0, 1e-12);
    api_free(&a);
}

/* ------------------------------------------------------------------------------------ parameters */

static void test_parameters(void **state)
{
    api a = api_load(STONE);

    (void)state;
    api_run(&a, NULL);
    assert_near(sal_run_parameter(a.run, 2), 3.0, 0.0);
    assert_near(sal_run_parameter(a.run, 3), 6.0, 0.0);
    assert_true(isnan(sal_run_parameter(a.run, 4)));
    assert_true(isnan(sal_run_parameter(a.run, -1)));
    assert_int_equal(sal_run_set(a.run, "h", 4.0), SAL_OK);
    assert_int_equal(sal_run_set(a.run, "height", 4.0), SAL_ERR_ARGUMENT);
    assert_says(sal_run_message(a.run), "height");
    assert_int_equal(sal_run_restart(a.run), SAL_OK);
    assert_near(sal_run_q(a.run)[1], 4.0, 0.0);
    assert_near(sal_run_parameter(a.run, 3), 8.0, 0.0); /* follows h */
    assert_near(sal_run_output(a.run, 1), 8.0, 0.0);
    assert_int_equal(sal_run_set(a.run, "twice", 1.0), SAL_OK);
    assert_int_equal(sal_run_set(a.run, "h", 5.0), SAL_OK);
    assert_int_equal(sal_run_set(a.run, "initial(P.vx)", -2.0), SAL_OK);
    assert_int_equal(sal_run_set(a.run, "initial(P.x)", 7.0), SAL_OK);
    assert_int_equal(sal_run_restart(a.run), SAL_OK);
    assert_near(sal_run_parameter(a.run, 3), 1.0, 0.0); /* no longer */
    assert_near(sal_run_q(a.run)[0], 7.0, 0.0);
    assert_near(sal_run_q(a.run)[1], 5.0, 0.0);
    assert_near(sal_run_v(a.run)[0], -2.0, 0.0);
    api_to(&a, 1.0);
    assert_near(sal_run_q(a.run)[0], 5.0, 1e-13);
    api_free(&a);
}

/* Runs of one model know nothing of each other. */
static void test_runs_are_independent(void **state)
{
    api      a = api_load(STONE);
    sal_run *other;

    (void)state;
    api_run(&a, NULL);
    assert_int_equal(sal_run_create(a.model, NULL, &other), SAL_OK);
    assert_int_equal(sal_run_set(other, "g", 0.0), SAL_OK);
    assert_int_equal(sal_run_restart(other), SAL_OK);
    assert_int_equal(sal_run_to(other, 1.0), SAL_OK);
    assert_near(sal_run_q(other)[1], 8.0, 1e-12);
    api_to(&a, 1.0);
    assert_parabola(a.run, 1.0);
    sal_run_destroy(&other);
    assert_null(other);
    assert_parabola(a.run, 1.0);
    api_free(&a);
}

static const char TWO_RODS[] = "'parameters': { 'L': 1 }, 'points': { 'O': { 'at': [0, 0], 'fixed': true },"
                               "'E': { 'at': [3, 0], 'fixed': true }, 'P': { 'at': [1.5, -1] } },"
                               "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                               "'joints': { 'a': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'L' },"
                               "            'b': { 'type': 'distance', 'points': ['E', 'P'], 'length': 'L' } }";

/* A failed restart leaves a run that cannot go on, until one succeeds. */
static void test_no_assembly(void **state)
{
    api          a    = api_load(TWO_RODS);
    sal_run_opts opts = sal_run_defaults();

    (void)state;
    assert_int_equal(sal_run_create(a.model, NULL, &a.run), SAL_ERR_ASSEMBLY);
    assert_null(a.run);
    assert_true(strlen(sal_message(a.context)) > 0);
    opts.set  = &(sal_setting){ "L", 2.5 };
    opts.nset = 1;
    api_run(&a, &opts);
    assert_near(sal_run_q(a.run)[0], 1.5, 1e-12);
    assert_near(sal_run_q(a.run)[1], -2.0, 1e-12);
    assert_int_equal(sal_run_set(a.run, "L", 1.0), SAL_OK);
    assert_int_equal(sal_run_restart(a.run), SAL_ERR_ASSEMBLY);
    assert_true(strlen(sal_run_message(a.run)) > 0);
    assert_true(sal_run_step(a.run) < 0);
    assert_int_equal(sal_run_set(a.run, "L", 2.5), SAL_OK);
    assert_int_equal(sal_run_restart(a.run), SAL_OK);
    assert_near(sal_run_q(a.run)[1], -2.0, 1e-12);
    api_free(&a);
}

/* ---------------------------------------------------------------------------------------- events */

/* Falls for sqrt(2 h/g), arrives with sqrt(2 g h), leaves with half of that; impulse m (1 + e) v. */
static void test_bounce(void **state)
{
    const double t1 = sqrt(0.4), v1 = 10.0 * t1;

    (void)state;
    for (int impact = 0; impact < 2; impact++) {
        api               a = load_ball(impact ? "impact" : "reset");
        sal_event_info    e;
        sal_event_contact c;
        api_run(&a, NULL);
        assert_false(sal_run_event_contact(a.run, 0, &c));
        assert_int_equal(sal_run_event(a.run).index, -1);
        api_event(&a);
        e = sal_run_event(a.run);
        assert_string_equal(e.name, sal_model_event(a.model, e.index));
        assert_says(e.name, "floor");
        assert_near(e.time, t1, 1e-12);
        assert_near(sal_run_time(a.run), t1, 1e-12);
        assert_near(e.rate, -v1, 1e-11);
        assert_near(e.v_before[0], 3.0, 1e-12);
        assert_near(e.v_before[1], -v1, 1e-11);
        assert_near(e.a_before[1], -10.0, 1e-12);
        assert_near(e.outputs_before[0], -v1, 1e-11);
        assert_near(e.energy_before, 0.4 * 10.0 * 2.0 + 0.2 * 9.0, 1e-11);
        assert_near(sal_run_v(a.run)[0], 3.0, 1e-12);
        assert_near(sal_run_v(a.run)[1], 0.5 * v1, 1e-11);
        assert_near(sal_run_energy(a.run), 0.2 * (9.0 + 0.25 * v1 * v1), 1e-11);
        if (impact) assert_near(fabs(e.impulse[0]), 0.4 * 1.5 * v1, 1e-11);
        assert_false(e.grazing || e.stop || e.closed);
        assert_int_equal(sal_run_event_contact(a.run, 0, &c), impact);
        if (impact) {
            assert_string_equal(c.contact, "floor");
            assert_int_equal(c.event, e.index);
            assert_near(c.normal, 0.4 * 1.5 * v1, 1e-11);
            assert_near(c.friction, 0.0, 1e-15);
        }
        assert_false(sal_run_event_contact(a.run, 1, &c));
        assert_int_equal(sal_run_to(a.run, 1.0), SAL_OK);
        assert_near(sal_run_q(a.run)[1], 0.5 * v1 * (1.0 - t1) - 5.0 * (1.0 - t1) * (1.0 - t1), 1e-11);
        assert_int_equal(sal_run_step(a.run), SAL_END);
        assert_int_equal(sal_run_get_stats(a.run).events, 1);
        assert_near(sal_run_event(a.run).time, t1, 1e-12); /* still the last one */
        api_free(&a);
    }
}

/* sal_run_to stops at the event on its way; called again it goes on. */
static void test_run_to_meets_events(void **state)
{
    api a = load_ball("impact");

    (void)state;
    api_run(&a, NULL);
    assert_int_equal(sal_run_to(a.run, 0.9), SAL_EVENT);
    assert_near(sal_run_time(a.run), sqrt(0.4), 1e-12);
    assert_int_equal(sal_run_to(a.run, 0.9), SAL_OK);
    assert_near(sal_run_time(a.run), 0.9, 0.0);
    api_free(&a);
}

static const char SWING[] =
    "'gravity': [0, -10], 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [2, 0] } },"
    "'bodies': { 'bob': { 'type': 'point_mass', 'point': 'P', 'mass': 3 } },"
    "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 2 } },"
    "'contacts': { 'low': { 'type': 'event', 'when': 'x(P)', 'stop': true } }";

static void test_stop(void **state)
{
    api            a = api_load(SWING);
    sal_event_info e;

    (void)state;
    api_run(&a, NULL);
    api_event(&a);
    e = sal_run_event(a.run);
    assert_true(e.stop);
    assert_string_equal(e.name, "low");
    assert_near(e.v_before[0], -sqrt(40.0), 1e-8);
    assert_near(e.reactions_before[0], 3.0 * 10.0 * 3.0, 1e-7); /* m g + m v^2/L = 3 m g */
    assert_near(e.lambda_before[0] * 2.0 * 2.0, 90.0, 1e-7);
    assert_int_equal(sal_run_step(a.run), SAL_END);
    assert_near(sal_run_time(a.run), e.time, 0.0);
    assert_int_equal(sal_run_to(a.run, e.time + 1.0), SAL_END);
    api_free(&a);
}

/* Bounces that get shorter for ever are told, not run through. */
static void test_accumulating_events(void **state)
{
    api          a    = load_ball("reset");
    sal_run_opts opts = sal_run_defaults();
    sal_status   status;

    (void)state;
    opts.duration = 10.0;
    api_run(&a, &opts);
    do status = sal_run_step(a.run);
    while (status == SAL_OK || status == SAL_EVENT);
    assert_int_equal(status, SAL_ERR_EVENTS);
    assert_says(sal_run_message(a.run), "floor");
    assert_near(sal_run_time(a.run), 3.0 * sqrt(0.4), 1e-3); /* t1 (1 + 2 e/(1 - e)) */
    api_free(&a);
}

/* ------------------------------------------------------------------------- rank, partition, probes */

static const char TWICE_HELD[] =
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0.6, -0.8], 'dof': 'y' } },"
    "'bodies': { 'bob': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
    "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1 },"
    "            'again': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1 } }";

static void test_rank_and_partition(void **state)
{
    api          a    = api_load(TWICE_HELD);
    sal_run_opts opts = sal_run_defaults();
    int          rank = -1, count = -1, dof[2] = { -1, -1 };

    (void)state;
    opts.quiet = true;
    api_run(&a, &opts);
    assert_int_equal(sal_model_get_info(a.model).constraints, 2);
    assert_int_equal(sal_run_rank(a.run, &rank), SAL_OK);
    assert_int_equal(rank, 1);
    assert_int_equal(sal_run_partition(a.run, dof, &count), SAL_OK);
    assert_int_equal(count, 1);
    assert_string_equal(sal_model_coordinate(a.model, dof[0]), "y(P)");
    api_free(&a);
}

static void test_probes(void **state)
{
    api        a = api_load(STONE);
    sal_probe *probe, *none;
    sal_run   *other;

    (void)state;
    api_run(&a, NULL);
    assert_int_equal(sal_probe_create(a.model, "0.5*m*(vx(P)^2 + vy(P)^2) + m*g*y(P) + 0*t", &probe), SAL_OK);
    assert_near(sal_probe_value(probe, a.run), sal_run_energy(a.run), 1e-12);
    api_to(&a, 0.8);
    assert_near(sal_probe_value(probe, a.run), sal_run_energy(a.run), 1e-12);
    assert_int_equal(sal_run_create(a.model, NULL, &other), SAL_OK); /* of any run of the model */
    assert_int_equal(sal_run_set(other, "m", 5.0), SAL_OK);
    assert_int_equal(sal_run_restart(other), SAL_OK);
    assert_near(sal_probe_value(probe, other), 5.0 * (20.5 + G * 3.0), 1e-12);
    sal_run_destroy(&other);
    assert_int_equal(sal_probe_create(a.model, "y(Q)", &none), SAL_ERR_ARGUMENT);
    assert_null(none);
    assert_says(sal_message(a.context), "Q");
    sal_probe_destroy(&probe);
    assert_null(probe);
    api_free(&a);
}

/* ------------------------------------------------------------------------------------ states */

/* A hopper that counts: saved in the air, loaded elsewhere, and started on the floor. */
static const char HOPPER[] = "'parameters': { 'h': 1, 'r': 0.5 }, 'memory': { 'n': 0 }, 'gravity': [0, -10],"
                             "'points': { 'P': { 'at': [0, 'h'] } },"
                             "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                             "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'restitution': 'r' },"
                             "  'count': { 'type': 'event', 'when': 'vy(P)', 'set': { 'n': 'n + 1' } } },"
                             "'simulation': { 'duration': 1 }";

static void test_states(void **state)
{
    api           a = api_load(HOPPER), b = api_load(HOPPER);
    sal_start     start  = sal_start_defaults();
    const bool    closed = true;
    unsigned char memory[16384];
    size_t        size = 0;

    (void)state;
    assert_int_equal(sal_model_get_info(a.model).memory, 1);
    assert_int_equal(sal_model_get_info(a.model).touches, 1);
    assert_string_equal(sal_model_memory(a.model, 0), "n");
    assert_string_equal(sal_model_touch(a.model, 0), "floor");
    assert_null(sal_model_memory(a.model, 1));
    assert_null(sal_model_touch(a.model, -1));
    api_run(&a, NULL);
    api_run(&b, NULL);
    assert_int_equal(sal_run_set_parameter(a.run, 0, 2.0), SAL_OK);
    assert_int_equal(sal_run_set_parameter(a.run, 2, 2.0), SAL_ERR_ARGUMENT);
    assert_says(sal_run_message(a.run), "parameter 2 does not exist; there are 2");
    assert_int_equal(sal_run_restart(a.run), SAL_OK);
    assert_near(sal_run_q(a.run)[1], 2.0, 0.0);
    while (sal_run_to(a.run, 0.9) == SAL_EVENT) continue;
    assert_near(sal_run_memory(a.run, 0), 1.0, 0.0);
    assert_false(sal_run_closed(a.run, 0));
    assert_int_equal(sal_run_save(a.run, NULL, 0, &size), SAL_OK);
    assert_true(size > 0 && size <= sizeof memory);
    assert_int_equal(sal_run_save(a.run, memory, size - 1, &size), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_run_save(a.run, memory, sizeof memory, &size), SAL_OK);
    assert_int_equal(sal_run_load(b.run, memory, size), SAL_OK);
    assert_near(sal_run_memory(b.run, 0), 1.0, 0.0);
    assert_near(sal_run_parameter(b.run, 0), 2.0, 0.0);
    while (sal_run_step(a.run) != SAL_END) continue;
    while (sal_run_step(b.run) != SAL_END) continue;
    assert_true(sal_run_q(a.run)[1] == sal_run_q(b.run)[1] && sal_run_v(a.run)[1] == sal_run_v(b.run)[1]);
    start.t      = 0.25;
    start.q      = (const double[]){ 3.0, 0.0 };
    start.v      = (const double[]){ 0.0, 0.0 };
    start.memory = (const double[]){ 7.0 };
    start.closed = &closed;
    assert_int_equal(sal_run_start_at(b.run, &start), SAL_OK);
    assert_true(sal_run_closed(b.run, 0));
    assert_near(sal_run_time(b.run), 0.25, 0.0);
    assert_near(sal_run_memory(b.run, 0), 7.0, 0.0);
    while (sal_run_step(b.run) != SAL_END) continue;
    assert_near(sal_run_q(b.run)[0], 3.0, 0.0);
    api_free(&a);
    api_free(&b);
}

/* A ball falls, bounces by Newton's law and through the air: who did how much work, and a good verdict. */
static void test_health(void **state)
{
    api a =
        api_load("'points': { 'P': { 'at': [0, 1] } }, 'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P',"
                 "'mass': 2 } }, 'joints': { 'air': { 'type': 'drag', 'point': 'P', 'linear': 0.3 } }, 'contacts': {"
                 "'floor': { 'type': 'ground', 'points': ['P'], 'law': 'newton', 'restitution': 0.5 } },"
                 "'simulation': { 'duration': 0.7, 'rtol': 1e-11 }");
    sal_status      status;
    sal_health      health;
    sal_health_item item;
    sal_work        air, floor, none;
    char            text[8] = "?";

    (void)state;
    api_run(&a, NULL);
    while ((status = sal_run_step(a.run)) == SAL_OK || status == SAL_EVENT) {
        if (status != SAL_EVENT) continue;
        assert_true(sal_run_event(a.run).energy_added == 0.0);
        assert_false(sal_run_impulse_chosen(a.run, 0));
    }
    assert_int_equal(status, SAL_END);
    health = sal_run_get_health(a.run);
    assert_int_equal(health.verdict, SAL_GOOD);
    assert_near(health.balance, 0.0, 1e-9);
    assert_true(health.transversality > 0.5 && health.transversality <= 1.0);
    assert_string_equal(health.grazed, health.transversality < 1.0 ? "floor" : "");
    assert_int_equal(health.jams + health.closings, 0);
    assert_true(sal_run_health_item(a.run, SAL_HEALTH_WORK, &item));
    assert_string_equal(item.kind, "work");
    assert_true(item.value < 0.1 * item.limit);
    assert_false(sal_run_health_item(a.run, SAL_HEALTH_KINDS, &item));
    assert_int_equal(sal_run_health_text(a.run, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_true(sal_run_work(a.run, 0, &air) && sal_run_work(a.run, 1, &floor));
    assert_false(sal_run_work(a.run, 2, &none));
    assert_string_equal(air.name, "air");
    assert_string_equal(air.section, "joints");
    assert_string_equal(floor.name, "floor");
    assert_true(air.joules < 0.0 && floor.joules < 0.0);
    assert_near(air.joules + floor.joules, sal_run_energy(a.run) - 2.0 * G * 1.0, 1e-9);
    assert_false(sal_run_lambda_chosen(a.run, 0));
    api_free(&a);
}

/* The peak of a cost, and its place; none of another one. */
static void test_peak(void **state)
{
    api           a = api_load("'gravity': [0, -10], 'points': { 'P': { 'at': [0, 1], 'velocity': [0, 5] } },"
                                         "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                         "'costs': { 'way': { 'running': 'vy(P)' }, 'top': { 'peak': 'y(P)' } },"
                                         "'simulation': { 'duration': 1 }");
    sal_cost_peak peak;

    (void)state;
    api_run(&a, NULL);
    while (sal_run_step(a.run) == SAL_OK) continue;
    assert_false(sal_run_cost_peak(a.run, 0, &peak));
    assert_false(sal_run_cost_peak(a.run, 2, &peak));
    assert_false(sal_run_cost_peak(a.run, -1, &peak));
    assert_true(sal_run_cost_peak(a.run, 1, &peak));
    assert_int_equal(peak.place, SAL_PEAK_INSIDE);
    assert_near(peak.value, 2.25, 1e-9);
    assert_near(peak.time, 0.5, 1e-9);
    assert_near(sal_run_costs(a.run)[1], peak.value, 0.0);
    api_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_health),
        cmocka_unit_test(test_peak),
        cmocka_unit_test(test_defaults_are_the_scenes),
        cmocka_unit_test(test_options_in_effect),
        cmocka_unit_test(test_parabola),
        cmocka_unit_test(test_no_way_back),
        cmocka_unit_test(test_multipliers_and_reactions),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_runs_are_independent),
        cmocka_unit_test(test_no_assembly),
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_run_to_meets_events),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_accumulating_events),
        cmocka_unit_test(test_rank_and_partition),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
