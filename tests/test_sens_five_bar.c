/* test_sens_five_bar.c - sensitivities of the five-bar against reference numbers (tests/ref/five_bar.json), and in all
 * forms against differences. */
#include "tests/differences.h"
#include "tests/five_bar.h"

/* --------------------------------------------------------------------------------------- five-bar */

static const char *const lengths[] = { "L01", "L02" };

static sal_run_opts with_lengths(void)
{
    sal_run_opts opts = with_respect_to(lengths, 2);

    opts.rtol = 1e-11;
    return opts;
}

/* [rows][2] against the table's, or [rows] when it has numbers there; relative to the largest of the array. */
static void compare_at(const double *found, const cJSON *list, int k, const char *key, int rows, double tolerance,
                       int line)
{
    const cJSON *expected = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(list, k), key);
    double       x[N * 2], most = 0.0;
    int          n = 0;
    char         what[64];

    assert_non_null(expected);
    assert_int_equal(cJSON_GetArraySize(expected), rows);
    for (int i = 0; i < rows; i++) {
        const cJSON *row = cJSON_GetArrayItem(expected, i);
        for (int c = 0; c < (cJSON_IsArray(row) ? 2 : 1); c++)
            x[n++] = cJSON_IsArray(row) ? cJSON_GetArrayItem(row, c)->valuedouble : row->valuedouble;
    }
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    for (int i = 0; i < n; i++) {
        snprintf(what, sizeof what, "%s of %d, number %d", key, k + 1, i);
        assert_near_at(found[i], x[i], tolerance * most, what, __FILE__, line);
    }
}
#define COMPARE(found, list, k, key, rows) compare_at(found, list, k, key, rows, tolerance, __LINE__)

static void run_against_reference(const fixture *f, int integrator, double rtol, bool control, double tolerance)
{
    const cJSON *events  = cJSON_GetObjectItem(f->ref.root, "events"),
                *samples = cJSON_GetObjectItem(f->ref.root, "samples");
    sal_run_opts opts    = with_lengths();
    sal_run     *run;
    sal_status   status;
    int          event = 0;

    opts.rtol             = rtol;
    opts.integrator       = integrator;
    opts.wrt_uncontrolled = !control;
    for (int k = 0; k < 5; k++) { /* runs that end at the times of the table: nothing is interpolated */
        opts.duration = k + 1.0;
        run           = start(f, opts);
        while ((status = sal_run_to(run, k + 1.0)) == SAL_EVENT) continue;
        assert_int_equal(status, SAL_OK);
        COMPARE(sal_run_Q(run), samples, k, "Q", N);
        COMPARE(sal_run_V(run), samples, k, "V", N);
        COMPARE(sal_run_Lambda(run), samples, k, "Lambda", M);
        COMPARE(sal_run_costs(run), samples, k, "z", 2);
        COMPARE(sal_run_cost_gradients(run), samples, k, "Z", 2);
        sal_run_destroy(&run);
    }
    run = start(f, opts);
    while ((status = sal_run_to(run, 5.0)) == SAL_EVENT) {
        assert_true(event < EVENTS);
        COMPARE(sal_run_event_gradient(run), events, event, "dt", 2);
        if (event < 3) { /* the rest of the table has times only */
            COMPARE(sal_run_Q_before(run), events, event, "Q_minus", N);
            COMPARE(sal_run_V_before(run), events, event, "V_minus", N);
            COMPARE(sal_run_Q(run), events, event, "Q_plus", N);
            COMPARE(sal_run_V(run), events, event, "V_plus", N);
            COMPARE(sal_run_Lambda(run), events, event, "Lambda_plus", M);
            COMPARE(sal_run_costs(run), events, event, "z", 2);
            COMPARE(sal_run_cost_gradients(run), events, event, "Z_plus", 2);
        }
        event++;
    }
    assert_int_equal(status, SAL_OK);
    assert_int_equal(event, EVENTS);
    assert_string_equal(sal_run_wrt_invalid(run), "");
    sal_run_destroy(&run);
}

static void reference_rk8(void **state)
{
    run_against_reference(*state, SAL_RK8, 1e-11, false, 1e-8);
}

/* Step control that looks at the sensitivities as well. */
static void reference_with_control(void **state)
{
    run_against_reference(*state, SAL_RK8, 1e-11, true, 1e-8);
}

/* At 1e-11 the fifth order is 1.04e-8 off in Lambda at 5 s. */
static void reference_rk5(void **state)
{
    run_against_reference(*state, SAL_RK5, 1e-12, false, 1e-8);
}

/* Just before an event the run shows the state before it, costs included. */
static void before_events(void **state)
{
    const fixture *f         = *state;
    const cJSON   *events    = cJSON_GetObjectItem(f->ref.root, "events");
    sal_run       *run       = start(f, with_lengths());
    const double   tolerance = 1e-8;

    for (int k = 0; k < 3; k++) {
        double Q[N * 2], V[N * 2], Z[4];
        while (true) {
            memcpy(Q, sal_run_Q(run), sizeof Q);
            memcpy(V, sal_run_V(run), sizeof V);
            memcpy(Z, sal_run_cost_gradients(run), sizeof Z);
            sal_status status = sal_run_step(run);
            if (status == SAL_EVENT) break;
            assert_int_equal(status, SAL_OK);
        }
        COMPARE(Q, events, k, "Q_minus", N);
        COMPARE(V, events, k, "V_minus", N);
        COMPARE(Z, events, k, "Z_minus", 2);
        COMPARE(sal_run_cost_gradients(run), events, k, "Z_plus", 2);
    }
    sal_run_destroy(&run);
}

/* What is shown inside a step belongs to that time, whatever the form: the same as in a run that ends there. */
static void shown_inside_steps(void **state)
{
    static const double times[] = { 0.1, 0.21, 1.0, 2.0, 3.0, 4.0 };
    static const struct {
        int form, stabilization;
    } forms[] = { { SAL_INDEX1, SAL_PROJECTION },
                  { SAL_INDEX1, SAL_NO_STABILIZATION },
                  { SAL_INDEX1, SAL_BAUMGARTE },
                  { SAL_PENALTY, SAL_PROJECTION } };

    for (int i = 0; i < SAL_COUNT(forms); i++) {
        sal_run_opts opts = with_lengths();
        sal_run     *run, *end;
        opts.form          = forms[i].form;
        opts.stabilization = forms[i].stabilization;
        run                = start(*state, opts);
        for (int k = 0; k < SAL_COUNT(times); k++) {
            opts.duration = times[k];
            end           = start(*state, opts);
            while (sal_run_to(end, times[k]) == SAL_EVENT) continue;
            while (sal_run_to(run, times[k]) == SAL_EVENT) continue;
            for (int j = 0; j < N * 2; j++) { /* 1e-7 of the largest: the dense output is of order 7 */
                assert_near(sal_run_Q(run)[j], sal_run_Q(end)[j], 1e-6);
                assert_near(sal_run_V(run)[j], sal_run_V(end)[j], 1e-6);
                assert_near(sal_run_A(run)[j], sal_run_A(end)[j], 1e-5);
            }
            for (int j = 0; j < M * 2; j++) assert_near(sal_run_Lambda(run)[j], sal_run_Lambda(end)[j], 1e-5);
            for (int j = 0; j < 4; j++)
                assert_near(sal_run_cost_gradients(run)[j], sal_run_cost_gradients(end)[j], 1e-5);
            sal_run_destroy(&end);
        }
        sal_run_destroy(&run);
    }
}

static void residuals(void **state)
{
    sal_run   *run = start(*state, with_lengths());
    sal_status status;
    double     phi, phidot;

    while ((status = sal_run_step(run)) != SAL_END) assert_true(status >= 0);
    sal_run_wrt_residuals(run, &phi, &phidot);
    assert_true(phi > 0.0 && phi < 1e-10);
    assert_true(phidot > 0.0 && phidot < 1e-10);
    sal_run_destroy(&run);
}

/* z1 integrates vy(P2): the height; z2 integrates ay(P2): the velocity without its jumps. A jump's derivative is that
 * along the event, d(v+ - v-)/drho = (V+ + a+ tau') - (V- + a- tau'). */
static void costs_and_states(void **state)
{
    sal_run   *run      = start(*state, with_lengths());
    double     jumps[2] = { 0 };
    sal_status status;

    while ((status = sal_run_step(run)) != SAL_END) {
        const double *Q = sal_run_Q(run) + 3 * 2, *V = sal_run_V(run) + 3 * 2, *Z = sal_run_cost_gradients(run);
        assert_true(status >= 0);
        for (int c = 0; c < 2; c++) {
            if (status == SAL_EVENT) {
                const double tau = sal_run_event_gradient(run)[c];
                jumps[c] += V[c] + sal_run_a(run)[3] * tau -
                            (sal_run_V_before(run)[3 * 2 + c] + sal_run_event(run).a_before[3] * tau);
            }
            assert_near(Z[c], Q[c], 1e-9 * fmax(1.0, fabs(Q[c])));
            assert_near(Z[2 + c], V[c] - jumps[c], 1e-9 * fmax(1.0, fabs(jumps[c])));
        }
    }
    sal_run_destroy(&run);
}

/* Asking for sensitivities, or for more of them, does not change the motion or each other. */
static void independent_of_each_other(void **state)
{
    sal_run_opts opts = with_lengths();
    sal_run     *both, *one, *none;

    opts.wrt_uncontrolled = true; /* the same steps */
    both                  = start(*state, opts);
    opts.wrt              = lengths + 1;
    opts.nwrt             = 1;
    one                   = start(*state, opts);
    opts.nwrt             = 0;
    none                  = start(*state, opts);
    assert_int_equal(sal_run_wrt_count(both), 2);
    assert_string_equal(sal_run_wrt(both, 1), "L02");
    assert_null(sal_run_wrt(both, 2));
    assert_null(sal_run_event_gradient(both));
    assert_null(sal_run_Q_before(both));
    assert_int_equal(sal_run_wrt_count(none), 0);
    assert_null(sal_run_Q(none));
    assert_null(sal_run_cost_gradients(none));
    while (sal_run_to(both, 5.0) == SAL_EVENT) continue;
    while (sal_run_to(one, 5.0) == SAL_EVENT) continue;
    while (sal_run_to(none, 5.0) == SAL_EVENT) continue;
    for (int k = 0; k < N; k++) {
        assert_near(sal_run_q(both)[k], sal_run_q(none)[k], 0.0);
        assert_near(sal_run_q(one)[k], sal_run_q(none)[k], 0.0);
        assert_near(sal_run_V(both)[2 * k + 1], sal_run_V(one)[k], 1e-11 * fabs(sal_run_V(one)[k]));
    }
    sal_run_destroy(&both);
    sal_run_destroy(&one);
    sal_run_destroy(&none);
}

/* A restart with another value is a run with that value; with the old one it is the same run again, bit for bit. */
static void restarts(void **state)
{
    const sal_setting setting = { "L01", 2.2 };
    sal_run_opts      opts    = with_lengths();
    sal_run          *one, *two = start(*state, opts);
    double            first[N * 2];

    opts.set  = &setting;
    opts.nset = 1;
    one       = start(*state, opts);
    while (sal_run_to(two, 2.0) == SAL_EVENT) continue;
    memcpy(first, sal_run_V(two), sizeof first);
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(sal_run_set(two, "L01", pass ? sqrt(5) : 2.2), SAL_OK);
        assert_int_equal(sal_run_restart(two), SAL_OK);
        assert_null(sal_run_event_gradient(two));
        while (sal_run_to(two, 2.0) == SAL_EVENT) continue;
        while (sal_run_to(one, 2.0) == SAL_EVENT) continue;
        for (int k = 0; k < N * 2; k++) assert_near(sal_run_V(two)[k], pass ? first[k] : sal_run_V(one)[k], 0.0);
    }
    sal_run_destroy(&one);
    sal_run_destroy(&two);
}

#define FIVE_BAR_POINTS                                                                            \
    "'points': { 'A': { 'at': [-0.5, 0], 'fixed': true }, 'B': { 'at': [0.5, 0], 'fixed': true }," \
    "            'P1': { 'at': [-1.5, -1] }, 'P2': { 'at': [0, -2], 'dof': true }, 'P3': { 'at': [1.5, -1] } },"

static void contact_free(void **state)
{
    rig r = rig_load(
        "'parameters': { 'L01': 'sqrt(5)', 'L02': 'sqrt(4.25)' }, 'gravity': [0, -9.81]," FIVE_BAR_POINTS
        "'bodies': { 'bar1': { 'type': 'bar', 'points': ['A', 'P1'], 'mass': 1 },"
        "            'bar2': { 'type': 'bar', 'points': ['P1', 'P2'], 'mass': 1.5 },"
        "            'bar3': { 'type': 'bar', 'points': ['P2', 'P3'], 'mass': 1.5 },"
        "            'bar4': { 'type': 'bar', 'points': ['P3', 'B'], 'mass': 1 } },"
        "'joints': { 'spring1': { 'type': 'spring', 'points': ['B', 'P1'], 'stiffness': 100, 'length': 'L01' },"
        "            'spring2': { 'type': 'spring', 'points': ['B', 'P2'], 'stiffness': 100, 'length': 'L02' } },"
        "'costs': { 'away': { 'running': '(x(P2) - 0)^2 + (y(P2) + 2)^2' } }, 'simulation': { 'duration': 5 }");
    sal_run_opts opts = with_lengths();

    (void)state;
    rig_run(&r, &opts);
    rig_to(&r, 5.0);
    assert_near(sal_run_costs(r.run)[0], 0.72687746, 5e-9);           /* half a unit of the last digit printed */
    assert_near(sal_run_cost_gradients(r.run)[0], -4.22881085, 1e-8); /* -4.228810855240: printed cut, not rounded */
    assert_near(sal_run_cost_gradients(r.run)[1], 3.21160410, 5e-9);
    rig_free(&r);
}

/* ---------------------------------------------------------------------------------------- penalty */

static void penalty_is_near_index1(void **state)
{
    static const double times[] = { 1, 2, 3, 4, 5 };
    static record       one, two;
    sal_run_opts        opts = with_lengths();
    const fixture      *f    = *state;
    rig                 g    = { .context = f->context, .model = f->model };

    watch(&g, opts, times, 5, &one);
    opts.form = SAL_PENALTY;
    watch(&g, opts, times, 5, &two);
    sal_run_destroy(&g.run);
    assert_int_equal(one.sections, two.sections);
    for (int s = 0; s < one.sections; s++) {
        const section *at   = &one.section[s];
        double         most = 0.0;
        for (int k = 0; k < at->count * 2; k++) most = fmax(most, fabs(one.dx[at->first + k / 2][k % 2]));
        for (int k = 0; k < at->count * 2; k++) {
            char what[64];
            snprintf(what, sizeof what, "d %s[%d] at t = %g", at->name, k / 2, at->time);
            assert_near_at(two.dx[at->first + k / 2][k % 2], one.dx[at->first + k / 2][k % 2], 1e-4 * most, what,
                           __FILE__, __LINE__);
        }
    }
}

/* All masses, both stiffnesses and natural lengths, ground height, restitution, gravity, the length of a bar; P2 kept
 * where it starts. */
#define FIVE_BAR_PARAMETERS                                                                                            \
    "'parameters': { 'm1': 1, 'm2': 1.5, 'm3': 1.5, 'm4': 1, 'k1': 100, 'k2': 100, 'L01': 'sqrt(5)',"                  \
    "                'L02': 'sqrt(4.25)', 'h': -2.35, 'rest': 0.98, 'g': 9.81, 'L2': 'sqrt(3.25)', 'xi': 1, 'omega': " \
    "10,"                                                                                                              \
    "                'alpha': 1e7 },"                                                                                  \
    "'gravity': [0, '-g']," FIVE_BAR_POINTS                                                                            \
    "'bodies': { 'bar1': { 'type': 'bar', 'points': ['A', 'P1'], 'mass': 'm1' },"                                      \
    "            'bar2': { 'type': 'bar', 'points': ['P1', 'P2'], 'mass': 'm2', 'length': 'L2' },"                     \
    "            'bar3': { 'type': 'bar', 'points': ['P2', 'P3'], 'mass': 'm3' },"                                     \
    "            'bar4': { 'type': 'bar', 'points': ['P3', 'B'], 'mass': 'm4' } },"                                    \
    "'joints': { 'spring1': { 'type': 'spring', 'points': ['B', 'P1'], 'stiffness': 'k1', 'length': 'L01' },"          \
    "            'spring2': { 'type': 'spring', 'points': ['B', 'P2'], 'stiffness': 'k2', 'length': 'L02' } },"        \
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['P2'], 'height': 'h', 'law': 'reset', 'restitution': "      \
    "'rest' } },"                                                                                                      \
    "'costs': { 'z1': { 'running': 'vy(P2)' }, 'z2': { 'running': 'ay(P2)' },"                                         \
    "           'z3': { 'running': '(x(P2)*vy(P1))^2 + lambda(bar3)', 'terminal': 'energy() + m2*x(P3)*ay(P2)', "      \
    "'events': { 'floor': 'k1*x(P2)*vy(P2)^2/100' } } },"                                                              \
    "'simulation': { 'duration': 5, 'xi': 'xi', 'omega': 'omega', 'alpha': 'alpha' }"

static const quantity five_bar_wrt[] = {
    { "m1", 1, 1e-3 },
    { "m2", 1.5, 1e-3 },
    { "m3", 1.5, 1e-3 },
    { "m4", 1, 1e-3 },
    { "k1", 100, 4e-2 },
    { "k2", 100, 4e-2 },
    { "L01", 2.23606797749979, 3e-4 },
    { "L02", 2.0615528128088303, 1e-4 },
    { "h", -2.35, 1e-4 },
    { "rest", 0.98, 2e-4 },
    { "g", 9.81, 2e-3 },
    { "L2", 1.8027756377319946, 1e-4 },
    { "initial(P2.x)", 0, 3e-4 },
    { "initial(P2.y)", -2, 1e-4 },
    { "xi", 1, 0.02 },
    { "omega", 10, 0.1 },
};

static const double five_bar_times[] = { 0.0, 0.2, 1.0, 2.0, 3.0, 4.0, 5.0 };

static void many_parameters(sal_run_opts opts, double tolerance)
{
    rig r = rig_load(FIVE_BAR_PARAMETERS);

    VERIFY(&r, five_bar_wrt, five_bar_times, tolerance, 9, opts);
    rig_free(&r);
}

static void many_parameters_projection(void **state)
{
    (void)state;
    many_parameters(sal_run_defaults(), 1e-6);
}

/* Projection would hide a wrong sign in what it projects. */
static void many_parameters_no_stabilization(void **state)
{
    sal_run_opts opts = sal_run_defaults();

    (void)state;
    opts.stabilization = SAL_NO_STABILIZATION;
    many_parameters(opts, 1e-6);
}

static void many_parameters_baumgarte(void **state)
{
    sal_run_opts opts = sal_run_defaults();

    (void)state;
    opts.stabilization = SAL_BAUMGARTE;
    many_parameters(opts, 1e-6);
}

static void many_parameters_rk5(void **state)
{
    static const double times[] = { 0.2, 1.0 };
    sal_run_opts        opts    = sal_run_defaults();
    rig                 r       = rig_load(FIVE_BAR_PARAMETERS);

    (void)state;
    opts.integrator = SAL_RK5;
    opts.rtol       = 1e-12; /* steps of order 5 at 1e-13 would take most of the time of this program */
    VERIFY(&r, five_bar_wrt, times, 1e-6, 2, opts);
    rig_free(&r);
}

/* The penalty form's own derivatives. */
static void penalty_against_differences(void **state)
{
    static const quantity wrt[] = { { "L01", 2.23606797749979, 3e-4 },
                                    { "L02", 2.0615528128088303, 1e-4 },
                                    { "m2", 1.5, 1e-3 },
                                    { "L2", 1.8027756377319946, 1e-4 },
                                    { "rest", 0.98, 2e-4 },
                                    { "initial(P2.y)", -2, 1e-4 } };
    sal_run_opts          opts  = sal_run_defaults();
    rig                   r     = rig_load(FIVE_BAR_PARAMETERS);

    (void)state;
    opts.form = SAL_PENALTY;
    opts.rtol = 1e-12;
    VERIFY(&r, wrt, five_bar_times, 1e-6, 9, opts);
    rig_free(&r);
}

/* With constraints soft enough for the settings to matter. */
static void settings_of_the_penalty_form(void **state)
{
    static const quantity wrt[] = {
        { "xi", 0.5, 0.003 }, { "omega", 20, 0.06 }, { "alpha", 1e3, 3 }, { "L", 1, 0.0003 }
    };
    static const double times[] = { 0.0, 0.3, 1.0 };
    sal_run_opts        opts    = sal_run_defaults();
    rig                 r       = rig_load(
                              "'parameters': { 'xi': 0.5, 'omega': 20, 'alpha': 1e3, 'L': 1 },"
                                                    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': ['L', 0] }, 'R': { 'at': [1.5, 0.5] } },"
                                                    "'bodies': { 'bar': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 2, 'length': 'L' },"
                                                    "            'm': { 'type': 'point_mass', 'point': 'R', 'mass': 1 } },"
                                                    "'joints': { 'rod': { 'type': 'distance', 'points': ['P', 'R'], 'length': 'sqrt(0.5)*L', 'alpha': '2*alpha' } "
                                                    "},"
                                                    "'costs': { 'z': { 'running': 'lambda(rod)^2 + x(R)', 'terminal': 'vy(R)*lambda(bar)' } },"
                                                    "'simulation': { 'duration': 1, 'form': 'penalty', 'xi': 'xi', 'omega': 'omega', 'alpha': 'alpha' }");

    (void)state;
    VERIFY(&r, wrt, times, 1e-7, 0, opts);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shown_inside_steps),
        cmocka_unit_test(reference_rk8),
        cmocka_unit_test(reference_rk5),
        cmocka_unit_test(reference_with_control),
        cmocka_unit_test(before_events),
        cmocka_unit_test(residuals),
        cmocka_unit_test(costs_and_states),
        cmocka_unit_test(independent_of_each_other),
        cmocka_unit_test(restarts),
        cmocka_unit_test(contact_free),
        cmocka_unit_test(penalty_is_near_index1),
        cmocka_unit_test(penalty_against_differences),
        cmocka_unit_test(settings_of_the_penalty_form),
        cmocka_unit_test(many_parameters_projection),
        cmocka_unit_test(many_parameters_no_stabilization),
        cmocka_unit_test(many_parameters_baumgarte),
        cmocka_unit_test(many_parameters_rk5),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
