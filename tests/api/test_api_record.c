/* test_api_record.c - the public interface of records: the motion of a run, kept; output times of the caller's; how often
 * it is asked whether to stop. */
#include "api.h"

enum { MOST = 400 };

/* A ball that drifts and bounces; memory counts, an event is passed over by its guard at every top, and something is
 * prescribed. */
static const char BALL[] =
    "'gravity': [0, '-g'], 'parameters': { 'g': 10, 'rest': 0.9, 'w': 3 }, 'memory': { 'count': 0 },"
    "'points': { 'P': { 'at': [0, 2], 'velocity': [3, 0] }, 'D': { 'at': ['sin(w*t)', 5], 'fixed': true } },"
    "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 0.4 } },"
    "'joints': { 'pull': { 'type': 'spring', 'points': ['D', 'P'], 'stiffness': 0.3, 'length': 1 } },"
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'restitution': 'rest' },"
    "              'counter': { 'type': 'event', 'when': 'y(P) - 1', 'set': { 'count': 'count + x(P)' } },"
    "              'never': { 'type': 'event', 'when': 'vy(P)', 'guard': 'y(P) > 100', 'set': { 'count': 7 } } },"
    "'outputs': { 'height': 'y(P) + count' }, 'costs': { 'way': { 'running': 'vx(P)' } },"
    "'simulation': { 'duration': 3.2, 'output': 0.1 }";

static const char WHAT[] = "y(P)*vx(P) + count + x(D) + energy() + normal(floor)*t";

/* What a reader of its own finds at output times and on both sides of events. */
typedef struct witness {
    sal_probe *probe;
    int        p, n, events;
    double     t[MOST], value[MOST], height[MOST], gradient[MOST][2];
    double     v_before[MOST], V_before[MOST][2], v_after[MOST], tau[MOST][2];
} witness;

static void see_output(void *self, const sal_run *run)
{
    witness *w = self;

    assert_true(w->n < MOST);
    w->t[w->n]      = sal_run_time(run);
    w->value[w->n]  = sal_probe_value(w->probe, run);
    w->height[w->n] = sal_run_output(run, 0);
    if (w->p) assert_int_equal(sal_probe_gradient(w->probe, run, w->gradient[w->n]), SAL_OK);
    w->n++;
}

static void see_event(void *self, const sal_run *run)
{
    witness  *w = self;
    const int k = w->events++;

    w->v_before[k] = sal_run_event(run).v_before[1];
    w->v_after[k]  = sal_run_v(run)[1];
    if (!w->p) return;
    memcpy(w->V_before[k], sal_run_V_before(run) + 2, sizeof w->V_before[k]);
    memcpy(w->tau[k], sal_run_event_gradient(run), sizeof w->tau[k]);
}

typedef struct kept {
    api         a;
    sal_record *record;
    sal_probe  *probe;
    witness     seen;
} kept;

static void simulate(kept *k)
{
    const sal_reader readers[] = { sal_record_reader(k->record),
                                   { .self = &k->seen, .output = see_output, .event = see_event } };

    k->seen = (witness){ .probe = k->probe, .p = sal_run_wrt_count(k->a.run) };
    assert_int_equal(sal_simulate(k->a.run, readers, 2), SAL_END);
}

static kept *make(bool sensitivities)
{
    static const char *const wrt[] = { "rest", "w" };
    kept                    *k     = calloc(1, sizeof *k);
    sal_run_opts             opts  = sal_run_defaults();

    assert_non_null(k);
    k->a = api_load(BALL);
    if (sensitivities) {
        opts.wrt  = wrt;
        opts.nwrt = 2;
    }
    api_run(&k->a, &opts);
    assert_int_equal(sal_record_create(k->a.run, &k->record), SAL_OK);
    if (sal_probe_create(k->a.model, WHAT, &k->probe) != SAL_OK) fail_msg("%s", sal_message(k->a.context));
    return k;
}

static void drop(kept *k)
{
    sal_record_destroy(&k->record);
    sal_probe_destroy(&k->probe);
    api_free(&k->a);
    free(k);
}

/* Every output of the witness is in the record, bit for bit, in order; events have a sample on both sides. */
static void compare(const kept *k)
{
    const witness        *w     = &k->seen;
    const sal_record_info info  = sal_record_get_info(k->record);
    double               *value = calloc((size_t)info.samples, sizeof *value), (*gradient)[2], *height;
    sal_record_event      e;
    int                   at = 0;

    gradient = calloc((size_t)info.samples, sizeof *gradient);
    height   = calloc((size_t)info.samples, sizeof *height);
    assert_int_equal(info.status, SAL_OK);
    assert_int_equal(info.samples, w->n + 2 * w->events);
    assert_int_equal(info.events, w->events);
    assert_int_equal(sal_record_probe(k->record, k->probe, value, w->p ? gradient[0] : NULL), SAL_OK);
    assert_int_equal(sal_record_output(k->record, 0, height, NULL), SAL_OK);
    for (int i = 0; i < w->n; i++, at++) {
        while (info.t[(size_t)at * info.stride] != w->t[i]) assert_true(++at < info.samples);
        assert_near(value[at], w->value[i], 0.0);
        assert_near(height[at], w->height[i], 0.0);
        for (int c = 0; c < w->p; c++) assert_near(gradient[at][c], w->gradient[i][c], 0.0);
    }
    for (int i = 0; i < w->events; i++) {
        assert_true(sal_record_get_event(k->record, i, &e));
        const size_t after = (size_t)e.sample * info.stride, before = after - info.stride;
        assert_near(info.t[after], e.time, 0.0);
        assert_near(info.t[before], e.time, 0.0);
        assert_near(info.segment[after], i + 1, 0.0);
        assert_near(info.segment[before], i, 0.0);
        assert_near(info.v[before + 1], w->v_before[i], 0.0);
        assert_near(info.v[after + 1], w->v_after[i], 0.0);
        for (int c = 0; c < w->p; c++) {
            assert_near(info.V[before + (size_t)(w->p + c)], w->V_before[i][c], 1e-12);
            assert_near(e.gradient[c], w->tau[i][c], 0.0);
        }
    }
    assert_false(sal_record_get_event(k->record, w->events, &e) || sal_record_get_event(k->record, -1, &e));
    free(value);
    free(gradient);
    free(height);
}

static void test_same_as_readers(void **state)
{
    (void)state;
    for (int sensitivities = 0; sensitivities < 2; sensitivities++) {
        kept *k = make(sensitivities);
        for (int again = 0; again < 2; again++) { /* a record begins anew */
            simulate(k);
            assert_true(k->seen.events >= 4);
            assert_int_equal(k->seen.n, 33);
            compare(k);
            assert_int_equal(sal_run_restart(k->a.run), SAL_OK);
        }
        drop(k);
    }
}

/* It outlives its run. */
static void test_outlives_run(void **state)
{
    kept *k = make(true);

    (void)state;
    simulate(k);
    sal_run_destroy(&k->a.run);
    compare(k);
    drop(k);
}

static void test_event(void **state)
{
    kept            *k = make(false);
    sal_record_event e = { 0 };

    (void)state;
    simulate(k);
    for (int i = 0; strcmp(e.contacts ? e.contact[0].contact : "", "floor") != 0; i++)
        assert_true(sal_record_get_event(k->record, i, &e));
    assert_string_equal(e.name, sal_model_event(k->a.model, e.index));
    assert_int_equal(e.contacts, 1);
    assert_true(e.contact[0].normal > 0.0 && e.energy_lost > 0.0 && e.rate < 0.0);
    assert_true(!e.gradient && !e.impulse_gradient && e.impulse);
    /* the impulse of the floor is what changes the momentum */
    const sal_record_info info  = sal_record_get_info(k->record);
    const size_t          after = (size_t)e.sample * info.stride + 1;
    assert_near(e.contact[0].normal, 0.4 * (info.v[after] - info.v[after - info.stride]), 1e-12);
    drop(k);
}

static void test_refusals(void **state)
{
    kept      *k = make(false), *other = make(false);
    double     x[MOST];
    sal_probe *probe = other->probe;

    (void)state;
    assert_int_equal(sal_record_get_info(k->record).samples, 0);
    simulate(k);
    assert_int_equal(sal_record_probe(k->record, probe, x, NULL), SAL_ERR_ARGUMENT);
    assert_says(sal_message(k->a.context), "another model");
    assert_int_equal(sal_record_probe(k->record, k->probe, NULL, x), SAL_ERR_ARGUMENT);
    assert_says(sal_message(k->a.context), "no sensitivities");
    assert_int_equal(sal_record_output(k->record, 1, x, NULL), SAL_ERR_ARGUMENT);
    assert_says(sal_message(k->a.context), "output 1 does not exist; there are 1");
    drop(k);
    drop(other);
}

/* Two balls touch the ground at one instant for these parameters only: derivatives end there. */
static void test_not_valid(void **state)
{
    static const char *const wrt[] = { "h" };
    sal_run_opts             opts  = sal_run_defaults();
    sal_record_info          info;
    sal_record              *record;
    double                  *gradient;
    int                      known = 0;
    api                      a     = api_load("'gravity': [0, -10], 'parameters': { 'h': 1 },"
                                                                       "'points': { 'P': { 'at': [0, 'h'] }, 'R': { 'at': [1, 1] } },"
                                                                       "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"
                                                                       "            'r': { 'type': 'point_mass', 'point': 'R', 'mass': 1 } },"
                                                                       "'contacts': { 'one': { 'type': 'event', 'when': 'y(P)', 'set': { 'vy(P)': '-vy(P)' } },"
                                                                       "              'two': { 'type': 'event', 'when': 'y(R)', 'set': { 'vy(P)': '0.5*vy(P)' } } },"
                                                                       "'outputs': { 'y': 'y(P)' }, 'simulation': { 'duration': 1, 'output': 0.1 }");
    sal_reader               reader;

    (void)state;
    opts.wrt  = wrt;
    opts.nwrt = 1;
    api_run(&a, &opts);
    assert_int_equal(sal_record_create(a.run, &record), SAL_OK);
    reader = sal_record_reader(record);
    assert_int_equal(sal_simulate(a.run, &reader, 1), SAL_END);
    assert_true(sal_run_wrt_invalid(a.run)[0] != '\0');
    info     = sal_record_get_info(record);
    gradient = calloc((size_t)info.samples, sizeof *gradient);
    assert_int_equal(sal_record_output(record, 0, NULL, gradient), SAL_OK);
    for (int k = 0; k < info.samples; k++) {
        const double Q = info.Q[(size_t)k * info.stride + 1];
        known += !isnan(gradient[k]);
        if (info.t[(size_t)k * info.stride] < 0.44) assert_near(gradient[k], 1.0, 1e-9);
        if (info.t[(size_t)k * info.stride] > 0.45) assert_true(isnan(gradient[k]) && isnan(Q));
    }
    assert_true(known >= 5);
    free(gradient);
    sal_record_destroy(&record);
    api_free(&a);
}

/* ------------------------------------------------------------------------------------ output times */

static void test_output_times(void **state)
{
    static const double times[] = { 0.0, 0.31, 0.311, 1.25, 9.0 };
    kept               *k       = make(false);
    sal_record_info     info;
    int                 found = 0;

    (void)state;
    assert_int_equal(sal_run_set_output_times(k->a.run, times, COUNT(times)), SAL_OK);
    for (int again = 0; again < 2; again++) {
        simulate(k);
        assert_int_equal(k->seen.n, 4); /* the last one is not reached, and the end is not among them */
        for (int i = 0; i < 4; i++) assert_near(k->seen.t[i], times[i], 0.0);
        compare(k);
        assert_int_equal(sal_run_restart(k->a.run), SAL_OK);
    }
    assert_int_equal(sal_run_set_output_times(k->a.run, times + 1, 3), SAL_OK);
    simulate(k);
    assert_int_equal(k->seen.n, 3);
    info = sal_record_get_info(k->record);
    for (int i = 0; i < info.samples; i++) found += info.t[(size_t)i * info.stride] == 0.0;
    assert_int_equal(found, 0);
    assert_int_equal(sal_run_restart(k->a.run), SAL_OK);
    assert_int_equal(sal_run_set_output_times(k->a.run, NULL, 0), SAL_OK);
    simulate(k);
    assert_int_equal(k->seen.n, 33);
    drop(k);
}

static void test_wrong_output_times(void **state)
{
    kept *k = make(false);

    (void)state;
    assert_int_equal(sal_run_set_output_times(k->a.run, (double[]){ 1.0, 1.0 }, 2), SAL_ERR_ARGUMENT);
    assert_says(sal_run_message(k->a.run), "output time 1 is 1 s; expected times that increase");
    assert_int_equal(sal_run_set_output_times(k->a.run, (double[]){ NAN }, 1), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_run_set_output_times(k->a.run, NULL, 1), SAL_ERR_ARGUMENT);
    simulate(k); /* nothing has changed */
    assert_int_equal(k->seen.n, 33);
    drop(k);
}

/* ------------------------------------------------------------------------------------------ asking */

static bool count_questions(void *user)
{
    ++*(int *)user;
    return false;
}

static void test_stop_every(void **state)
{
    static const double every[]  = { 0.0, 3600.0 };
    int                 asked[2] = { 0, 0 };

    (void)state;
    for (int k = 0; k < 2; k++) {
        api          a    = api_load(BALL);
        sal_run_opts opts = sal_run_defaults();
        opts.stop         = count_questions;
        opts.user         = &asked[k];
        opts.stop_every   = every[k];
        api_run(&a, &opts);
        assert_near(sal_run_get_opts(a.run).stop_every, every[k], 0.0);
        assert_int_equal(sal_simulate(a.run, NULL, 0), SAL_END);
        api_free(&a);
    }
    assert_true(asked[0] > 8);
    assert_int_equal(asked[1], 0);
}

/* ------------------------------------------------------------------------------------------ memory */

typedef struct stingy {
    int left; /* allocations until one fails */
} stingy;

static void *allocate(void *user, size_t size)
{
    stingy *s = user;

    return s->left-- == 0 ? NULL : malloc(size);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* Whichever allocation fails, the record says so, and the run does not care. */
static void test_out_of_memory(void **state)
{
    stingy           s    = { -1 };
    sal_context_opts opts = sal_context_defaults();
    sal_scene       *scene;
    api              a        = { 0 };
    int              failures = 0;

    (void)state;
    opts.allocate = allocate;
    opts.release  = release;
    opts.user     = &s;
    assert_int_equal(sal_context_create(&opts, &a.context), SAL_OK);
    assert_int_equal(api_parse(a.context, BALL, &scene), SAL_OK);
    assert_int_equal(sal_model_create(scene, &a.model), SAL_OK);
    sal_scene_destroy(&scene);
    api_run(&a, NULL);
    for (int n = 0; n < 1000; n++) {
        sal_record *record = NULL;
        sal_status  status;
        s.left = n;
        status = sal_record_create(a.run, &record);
        if (status == SAL_OK) {
            const sal_reader reader = sal_record_reader(record);
            assert_int_equal(sal_simulate(a.run, &reader, 1), SAL_END);
            status = sal_record_get_info(record).status;
        }
        const bool untouched = s.left >= 0;
        s.left               = -1;
        sal_record_destroy(&record);
        assert_int_equal(sal_run_restart(a.run), SAL_OK);
        if (untouched) {
            assert_int_equal(status, SAL_OK);
            assert_true(failures > 4);
            api_free(&a);
            return;
        }
        assert_int_equal(status, SAL_ERR_MEMORY);
        failures++;
    }
    fail_msg("allocations go on for ever");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_readers),
        cmocka_unit_test(test_outlives_run),
        cmocka_unit_test(test_event),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_not_valid),
        cmocka_unit_test(test_output_times),
        cmocka_unit_test(test_wrong_output_times),
        cmocka_unit_test(test_stop_every),
        cmocka_unit_test(test_out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
