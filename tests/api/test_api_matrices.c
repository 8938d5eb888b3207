/* test_api_matrices.c - the public matrices: mass, Jacobian, linearisation, saltation and monodromy matrices, against
 * closed forms and against the sensitivities of runs. */
#include "api.h"

enum { MOST = 32 }; /* coordinates of the scenes here */

/* y = A x, A [rows][columns] */
static void times(const double *A, const double *x, int rows, int columns, double *y)
{
    for (int i = 0; i < rows; i++) {
        y[i] = 0.0;
        for (int j = 0; j < columns; j++) y[i] += A[i * columns + j] * x[j];
    }
}

/* A mass on a spring and a damper along x, and one on a rod. */
static void test_mass_jacobian_linearisation(void **state)
{
    const double m = 2.0, k = 50.0, c = 3.0;
    api          a = api_load("'parameters': { 'm': 2, 'k': 50, 'c': 3 }, 'gravity': [0, 0],"
                                       "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1.1, 0], 'velocity': [0.7, 0] },"
                                       "            'R': { 'at': [0, -2] } },"
                                       "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' },"
                                       "            'r': { 'type': 'point_mass', 'point': 'R', 'mass': 3 } },"
                                       "'joints': { 's': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 'k', 'length': 1,"
                                       "                   'damping': 'c' },"
                                       "            'rod': { 'type': 'distance', 'points': ['O', 'R'], 'length': 2 } },"
                                       "'simulation': { 'duration': 1 }");
    double       M[16], J[4], a_q[16], a_v[16], a_rho[12];

    (void)state;
    api_run(&a, NULL);
    sal_run_mass(a.run, M);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) assert_near(M[4 * i + j], i != j ? 0.0 : i < 2 ? 2.0 : 3.0, 0.0);
    }
    assert_int_equal(sal_run_jacobian(a.run, J), SAL_OK); /* |R|^2 - 4, up to a factor */
    assert_true(J[0] == 0.0 && J[1] == 0.0 && J[2] == 0.0 && J[3] != 0.0);
    assert_int_equal(sal_run_linearize(a.run, a_q, a_v, a_rho), SAL_OK);
    assert_near(a_q[0], -k / m, 1e-12);
    assert_near(a_v[0], -c / m, 1e-12);
    assert_near(a_q[5], -(k * 0.1 + c * 0.7) / 1.1 / m, 1e-12); /* across: tension over length */
    assert_near(a_rho[0], (k * 0.1 + c * 0.7) / (m * m), 1e-12);
    assert_near(a_rho[1], -0.1 / m, 1e-12);
    assert_near(a_rho[2], -0.7 / m, 1e-12);
    assert_near(a_q[10], 0.0, 1e-12); /* R hangs without gravity */
    assert_int_equal(sal_run_linearize(a.run, NULL, NULL, NULL), SAL_OK);
    api_free(&a);
}

/* y falls and rebounds with e: S = [-e 0; -(1 + e) g/v- -e] in (y, vy), 1 in x. */
static void test_saltation_of_a_ball(void **state)
{
    const double e = 0.6, g = 10.0, v = -sqrt(2.0 * g * 0.8);
    api          a = api_load("'gravity': [0, -10], 'points': { 'P': { 'at': [0, 0.8], 'velocity': [2, 0] } },"
                                       "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                       "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'restitution': 0.6 } },"
                                       "'simulation': { 'duration': 0.5, 'rtol': 1e-11 }");
    double       S[16];

    (void)state;
    api_run(&a, NULL);
    assert_int_equal(sal_run_saltation(a.run, S), SAL_ERR_ARGUMENT); /* nothing has happened yet */
    api_event(&a);
    assert_int_equal(sal_run_saltation(a.run, S), SAL_OK);
    const double expected[16] = { 1, 0, 0, 0, 0, -e, 0, 0, 0, 0, 1, 0, 0, -(1.0 + e) * g / v, 0, -e };
    for (int k = 0; k < 16; k++) assert_near(S[k], expected[k], 1e-10);
    api_free(&a);
}

/* A shipped scene. */
static sal_model *load(sal_context **context, const char *name)
{
    char       file[1024];
    sal_scene *scene;
    sal_model *model;

    snprintf(file, sizeof file, "%s/%s", SAL_SCENES_DIR, name);
    assert_int_equal(sal_context_create(NULL, context), SAL_OK);
    assert_int_equal(sal_scene_load(*context, file, &scene), SAL_OK);
    assert_int_equal(sal_model_create(scene, &model), SAL_OK);
    sal_scene_destroy(&scene);
    return model;
}

/* Q, V and A of a run with respect to initial values and a parameter against the matrices: A = a_q Q + a_v V + a_rho, and
 * through each event [Q+; V+] = S [Q-; V-]. */
static void follow(const char *scene, const char *initial, const char *parameter, double duration, int events)
{
    const char  *wrt[] = { initial, parameter };
    sal_run_opts opts  = sal_run_defaults();
    sal_context *context;
    sal_model   *model = load(&context, scene);
    sal_run     *run;
    sal_status   status;
    int          n, parameters, which = -1, seen = 0;

    n          = sal_model_get_info(model).coordinates;
    parameters = sal_model_get_info(model).parameters;
    for (int k = 0; k < parameters; k++) which = strcmp(sal_model_parameter(model, k), parameter) ? which : k;
    assert_true(n <= MOST && parameters <= MOST && which >= 0);
    opts.wrt      = wrt;
    opts.nwrt     = 2;
    opts.duration = duration;
    opts.quiet    = true;
    assert_int_equal(sal_run_create(model, &opts, &run), SAL_OK);
    do {
        static double a_q[MOST * MOST], a_v[MOST * MOST], a_rho[MOST * MOST], S[4 * MOST * MOST];
        double        x[2 * MOST], y[2 * MOST], z[MOST], size = 0.0;
        status = sal_run_step(run);
        assert_int_equal(sal_run_linearize(run, a_q, a_v, a_rho), SAL_OK);
        for (int c = 0; c < 2; c++) {
            for (int k = 0; k < n; k++) {
                x[k]     = sal_run_Q(run)[2 * k + c];
                x[n + k] = sal_run_V(run)[2 * k + c];
            }
            times(a_q, x, n, n, y);
            times(a_v, x + n, n, n, z);
            for (int k = 0; k < n; k++) {
                y[k] += z[k] + (c ? a_rho[k * parameters + which] : 0.0);
                size = fmax(size, fabs(sal_run_A(run)[2 * k + c]));
            }
            for (int k = 0; k < n; k++) assert_near(y[k], sal_run_A(run)[2 * k + c], 1e-8 * fmax(size, 1.0));
        }
        if (status != SAL_EVENT) continue;
        seen++;
        assert_int_equal(sal_run_saltation(run, S), SAL_OK);
        for (int k = 0; k < n; k++) {
            x[k]     = sal_run_Q_before(run)[2 * k];
            x[n + k] = sal_run_V_before(run)[2 * k];
        }
        times(S, x, 2 * n, 2 * n, y);
        size = 1.0;
        for (int k = 0; k < 2 * n; k++) size = fmax(size, fabs(y[k]));
        for (int k = 0; k < n; k++) {
            assert_near(y[k], sal_run_Q(run)[2 * k], 1e-8 * size);
            assert_near(y[n + k], sal_run_V(run)[2 * k], 1e-8 * size);
        }
    } while (status == SAL_OK || status == SAL_EVENT);
    if (status != SAL_END) fail_msg("%s: %s", scene, sal_run_message(run));
    assert_true(seen >= events);
    sal_run_destroy(&run);
    sal_model_destroy(&model);
    sal_context_destroy(&context);
}

static void test_against_sensitivities(void **state)
{
    (void)state;
    follow("five_bar.json", "initial(P2.x)", "L01", 2.0, 2);
    follow("five_bar_friction.json", "initial(P2.x)", "mu_k", 3.0, 4);
    follow("stick_slip_belt.json", "initial(P.vx)", "k", 2.0, 2);
    follow("compass_gait.json", "initial(H.vx)", "slope", 1.0, 1);
}

/* Its eigenvalues are the multipliers: the trace is their sum, zeros left out or not. */
static void test_monodromy(void **state)
{
    sal_context *context;
    sal_model   *model = load(&context, "compass_gait.json");
    const int    n     = 2 * sal_model_get_info(model).coordinates;
    sal_cycle   *cycle;
    double       matrix[4 * MOST * MOST], trace = 0.0, sum = 0.0, mu[2];

    (void)state;
    assert_int_equal(sal_cycle_create(model, NULL, &cycle), SAL_OK);
    if (sal_cycle_find(cycle) != SAL_OK) fail_msg("%s", sal_message(context));
    sal_cycle_monodromy(cycle, matrix);
    for (int k = 0; k < n; k++) trace += matrix[(n + 1) * k];
    for (int k = 0; sal_cycle_multiplier(cycle, k, mu); k++) sum += mu[0];
    assert_near(trace, sum, 1e-7);
    assert_true(fabs(trace) > 0.1);
    sal_cycle_destroy(&cycle);
    sal_model_destroy(&model);
    sal_context_destroy(&context);
}

/* ------------------------------------------------------------------------------------- readers */

typedef struct diary {
    int        starts, outputs, events, steps, ends;
    double     last;
    sal_status status;
} diary;

static void note_start(void *self, const sal_run *run)
{
    ((diary *)self)->starts++;
    assert_near(sal_run_time(run), 0.0, 0.0);
}

static void note_output(void *self, const sal_run *run)
{
    diary *d = self;

    assert_near(sal_run_time(run), 0.1 * d->outputs++, 1e-12);
    assert_near(sal_run_q(run)[0], 3.0 * sal_run_time(run), 1e-12);
}

static void note_event(void *self, const sal_run *run)
{
    ((diary *)self)->events++;
    assert_string_equal(sal_run_event(run).name, "mark");
}

static void note_step(void *self, const sal_run *run)
{
    diary *d = self;

    d->steps++;
    assert_true(sal_run_time(run) >= d->last); /* at the end of the step, wherever outputs were */
    d->last = sal_run_time(run);
}

static void note_end(void *self, const sal_run *run, sal_status status)
{
    diary *d = self;

    d->ends++;
    d->status = status;
    assert_near(sal_run_time(run), 1.0, 0.0);
}

static void test_readers(void **state)
{
    api        a = api_load("'gravity': [0, 0], 'points': { 'P': { 'at': [0, 0], 'velocity': [3, 0] } },"
                                   "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                   "'contacts': { 'mark': { 'type': 'event', 'when': 'x(P) - 1', 'direction': 'rising' } },"
                                   "'simulation': { 'duration': 1, 'output': 0.1 }");
    diary      d = { 0 }, e = { 0 };
    sal_reader readers[] = { { &d, note_start, note_output, note_event, note_step, note_end },
                             { .self = &e, .step = note_step } };

    (void)state;
    api_run(&a, NULL);
    assert_int_equal(sal_simulate(a.run, readers, 2), SAL_END);
    assert_int_equal(d.starts, 1);
    assert_int_equal(d.outputs, 11);
    assert_int_equal(d.events, 1);
    assert_int_equal(d.ends, 1);
    assert_int_equal(d.status, SAL_END);
    assert_int_equal(d.steps, e.steps);
    assert_int_equal(d.steps, (int)(sal_run_get_stats(a.run).steps + 1));
    assert_int_equal(sal_run_restart(a.run), SAL_OK);
    assert_int_equal(sal_simulate(a.run, NULL, 0), SAL_END);
    api_free(&a);
}

static bool stop_often(void *user)
{
    return ++*(int *)user % 3 == 0;
}

/* Stopped again and again, a run tells everything once all the same; a restart begins anew. */
static void test_readers_of_a_stopped_run(void **state)
{
    api          a     = api_load("'gravity': [0, 0], 'points': { 'P': { 'at': [0, 0], 'velocity': [3, 0] } },"
                                               "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                               "'contacts': { 'mark': { 'type': 'event', 'when': 'x(P) - 1', 'direction': 'rising' } },"
                                               "'simulation': { 'duration': 1, 'output': 0.1, 'max_step': 0.05 }");
    sal_run_opts opts  = sal_run_defaults();
    int          asked = 0;

    (void)state;
    opts.stop = stop_often;
    opts.user = &asked;
    api_run(&a, &opts);
    for (int again = 0; again < 2; again++) {
        diary            d      = { 0 };
        const sal_reader reader = { &d, note_start, note_output, note_event, note_step, NULL };
        int              calls  = 1;
        while (sal_simulate(a.run, &reader, 1) == SAL_STOPPED) calls++;
        assert_true(calls > 5);
        assert_int_equal(d.starts, 1);
        assert_int_equal(d.outputs, 11);
        assert_int_equal(d.events, 1);
        assert_int_equal(sal_simulate(a.run, &reader, 1), SAL_END); /* there is nothing more to tell */
        assert_int_equal(d.starts, 1);
        assert_int_equal(d.outputs, 11);
        assert_int_equal(sal_run_restart(a.run), SAL_OK);
    }
    api_free(&a);
}

static void note_time(void *self, const sal_run *run)
{
    double *last = self;

    assert_true(sal_run_time(run) > *last);
    *last = sal_run_time(run);
}

/* Who stops a simulation and steps the run on by hand has no outputs of these steps; the next call tells what is left. */
static void test_readers_of_steps_by_hand(void **state)
{
    api              a      = api_load("'gravity': [0, 0], 'points': { 'P': { 'at': [0, 0], 'velocity': [3, 0] } },"
                                                         "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                                         "'simulation': { 'duration': 1, 'output': 0.1, 'max_step': 0.07 }");
    double           last   = -1.0;
    int              asked  = 0;
    const sal_reader reader = { .self = &last, .output = note_time };
    sal_run_opts     opts   = sal_run_defaults();

    (void)state;
    opts.stop = stop_often;
    opts.user = &asked;
    api_run(&a, &opts);
    while (sal_run_time(a.run) < 0.25) assert_int_equal(sal_simulate(a.run, &reader, 1), SAL_STOPPED);
    assert_near(last, 0.2, 1e-12);
    while (sal_run_time(a.run) < 0.55) sal_run_step(a.run);
    assert_int_equal(sal_simulate(a.run, &reader, 1), SAL_STOPPED);
    while (sal_simulate(a.run, &reader, 1) == SAL_STOPPED) continue;
    assert_near(last, 1.0, 0.0);
    api_free(&a);
}

/* Calls that only read a run say in the context why they failed; the run itself has nothing to say. */
static void test_readers_say_why(void **state)
{
    api a = api_load("'parameters': { 'k': 0 }, 'points': { 'P': { 'at': [0, 1] }, 'foot': { 'at': [1, 0] } },"
                     "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"
                     "            'n': { 'type': 'point_mass', 'point': 'foot', 'mass': 1 } },"
                     "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'] },"
                     "              'also': { 'type': 'event', 'when': '2*y(P)' } }, 'outputs': { 'o': 'k' },"
                     "'simulation': { 'duration': 1 }");
    const sal_run *run;
    double         x[64];
    size_t         size;

    (void)state;
    api_run(&a, NULL);
    run = a.run;
    assert_int_equal(sal_run_saltation(run, x), SAL_ERR_ARGUMENT);
    assert_says(sal_message(a.context), "there has been no event yet");
    assert_int_equal(sal_run_point(run, "fot", x, NULL), SAL_ERR_ARGUMENT);
    assert_says(sal_message(a.context), "unknown point 'fot'; did you mean 'foot'?");
    assert_int_equal(sal_run_output_gradient(run, 0, x), SAL_ERR_ARGUMENT);
    assert_says(sal_message(a.context), "no sensitivities");
    assert_int_equal(sal_run_final_gradients(run, x, NULL, NULL), SAL_ERR_ARGUMENT);
    assert_says(sal_message(a.context), "no sensitivities");
    assert_int_equal(sal_run_save(run, x, 8, &size), SAL_ERR_ARGUMENT);
    assert_says(sal_message(a.context), "there is room for 8");
    while (sal_run_step(a.run) != SAL_EVENT) continue;
    assert_int_equal(sal_run_saltation(run, x), SAL_OK);
    assert_int_equal(sal_run_step(a.run), SAL_EVENT); /* at the same instant, though it does not cross any more */
    assert_int_equal(sal_run_saltation(run, x), SAL_ERR_NUMBER);
    assert_says(sal_message(a.context), "also at t = 0.451523641 s has no saltation matrix of its own: another event");
    assert_string_equal(sal_run_message(run), "");
    api_free(&a);
}

/* The scene's own numbers cannot be assembled; the run's can, and so its event has a saltation matrix: that of a scene
 * with these numbers. */
static void test_saltation_of_other_parameters(void **state)
{
    double S[2][64];

    (void)state;
    for (int k = 0; k < 2; k++) {
        char         text[1024];
        sal_run_opts opts = sal_run_defaults();
        sal_run     *none;
        api          a;

        snprintf(text, sizeof text,
                 "'parameters': { 'L': %s }, 'points': { 'O': { 'at': [0, 0], 'fixed': true },"
                 "'W': { 'at': [3, 0], 'fixed': true }, 'P': { 'at': [1, -1] }, 'Q': { 'at': [2, -1.5] } },"
                 "'bodies': { 'a': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 1, 'length': 'L' },"
                 "            'b': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1, 'length': 1 },"
                 "            'c': { 'type': 'bar', 'points': ['Q', 'W'], 'mass': 2, 'length': 1.5 } },"
                 "'contacts': { 'stop': { 'type': 'event', 'when': 'x(P) - 1', 'direction': 'both',"
                 "                        'set': { 'vx(P)': '-0.5*vx(P)' } } }, 'simulation': { 'duration': 5 }",
                 k ? "6" : "1.4");
        a         = api_load(text);
        opts.set  = &(sal_setting){ "L", 1.4 };
        opts.nset = 1;
        if (k) assert_int_equal(sal_run_create(a.model, NULL, &none), SAL_ERR_ASSEMBLY);
        api_run(&a, &opts);
        while (sal_run_step(a.run) == SAL_OK) continue;
        if (sal_run_saltation(a.run, S[k]) != SAL_OK) fail_msg("%s", sal_message(a.context));
        api_free(&a);
    }
    assert_memory_equal(S[0], S[1], sizeof S[0]);
    assert_true(fabs(S[0][0]) > 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_jacobian_linearisation),
        cmocka_unit_test(test_saltation_of_a_ball),
        cmocka_unit_test(test_against_sensitivities),
        cmocka_unit_test(test_monodromy),
        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_readers_of_a_stopped_run),
        cmocka_unit_test(test_readers_of_steps_by_hand),
        cmocka_unit_test(test_readers_say_why),
        cmocka_unit_test(test_saltation_of_other_parameters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
