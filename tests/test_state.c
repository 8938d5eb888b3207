/* test_state.c - states of runs as bytes: saved anywhere and loaded into another run, a run goes on bit for bit; and runs
 * that start anywhere. */
#include "tests/counting.h"
#include "tests/support.h"

/* Steps and events until the run ends; gives how many. */
static long finish(rig *r)
{
    long       count = 0;
    sal_status status;

    while ((status = sal_run_step(r->run)) == SAL_OK || status == SAL_EVENT) count++;
    if (status != SAL_END) fail_msg("%s: %s", sal_status_name(status), sal_run_message(r->run));
    return count;
}

static void same_bits(const double *a, const double *b, int n, const char *what)
{
    for (int k = 0; k < n; k++) {
        if (memcmp(&a[k], &b[k], sizeof *a)) fail_msg("%s %d: %.17g and %.17g", what, k, a[k], b[k]);
    }
}

/* All that can be read of two runs. */
static void assert_same(const rig *a, const rig *b)
{
    const sal_model_info info = sal_model_get_info(a->model);
    const int            n = info.coordinates, m = info.constraints, p = sal_run_wrt_count(a->run);

    assert_true(sal_run_time(a->run) == sal_run_time(b->run));
    same_bits(sal_run_q(a->run), sal_run_q(b->run), n, "q");
    same_bits(sal_run_v(a->run), sal_run_v(b->run), n, "v");
    same_bits(sal_run_a(a->run), sal_run_a(b->run), n, "a");
    same_bits(sal_run_lambda(a->run), sal_run_lambda(b->run), m, "lambda");
    same_bits(sal_run_costs(a->run), sal_run_costs(b->run), info.costs, "cost");
    for (int k = 0; k < info.memory; k++) assert_true(sal_run_memory(a->run, k) == sal_run_memory(b->run, k));
    for (int k = 0; k < info.outputs; k++) assert_true(sal_run_output(a->run, k) == sal_run_output(b->run, k));
    if (p == 0) return;
    same_bits(sal_run_Q(a->run), sal_run_Q(b->run), n * p, "Q");
    same_bits(sal_run_V(a->run), sal_run_V(b->run), n * p, "V");
    same_bits(sal_run_Lambda(a->run), sal_run_Lambda(b->run), m * p, "Lambda");
    same_bits(sal_run_cost_gradients(a->run), sal_run_cost_gradients(b->run), info.costs * p, "cost gradient");
    assert_string_equal(sal_run_wrt_invalid(a->run), sal_run_wrt_invalid(b->run));
}

typedef struct blob {
    void  *memory;
    size_t size;
} blob;

static blob save(const sal_run *run)
{
    blob b = { 0 };

    assert_int_equal(sal_run_save(run, NULL, 0, &b.size), SAL_OK);
    b.memory = malloc(b.size);
    assert_non_null(b.memory);
    assert_int_equal(sal_run_save(run, b.memory, b.size, &b.size), SAL_OK);
    return b;
}

/* A run is saved after each of some steps, others go on from there to the end. */
static void goes_on(const char *scene, const sal_run_opts *opts, const sal_setting *set, int places, uint64_t seed)
{
    rig  whole = rig_scene(scene), part = rig_scene(scene);
    long steps;

    rig_run(&whole, opts);
    if (set) assert_int_equal(sal_run_set(whole.run, set->parameter, set->value), SAL_OK);
    assert_int_equal(sal_run_restart(whole.run), SAL_OK);
    steps = finish(&whole);
    for (int i = 0; i < places; i++) {
        const long at = (long)((0.5 + 0.5 * random_number(&seed)) * (double)steps);
        blob       b;
        rig_run(&part, opts);
        if (set) assert_int_equal(sal_run_set(part.run, set->parameter, set->value), SAL_OK);
        assert_int_equal(sal_run_restart(part.run), SAL_OK);
        for (long k = 0; k < at; k++) assert_true(sal_run_step(part.run) >= 0);
        b = save(part.run);
        rig_run(&part, opts); /* another run, without the setting */
        for (long k = 0; k < i % 7; k++) sal_run_step(part.run);
        if (sal_run_load(part.run, b.memory, b.size) != SAL_OK) fail_msg("%s", sal_run_message(part.run));
        finish(&part);
        assert_same(&whole, &part);
        free(b.memory);
    }
    rig_free(&whole);
    rig_free(&part);
}

static void test_smooth_motion(void **state)
{
    sal_run_opts opts = sal_run_defaults();

    (void)state;
    goes_on("double_pendulum.json", &opts, NULL, 20, 1);
    opts.integrator = SAL_RK5;
    opts.form       = SAL_PENALTY;
    opts.duration   = 1.0;
    goes_on("four_bar.json", &opts, NULL, 10, 2);
}

static void test_through_contacts(void **state)
{
    sal_run_opts opts = sal_run_defaults();

    (void)state;
    opts.quiet = true;
    goes_on("five_bar.json", &opts, &(sal_setting){ "L01", 2.3 }, 20, 3);
    goes_on("five_bar_friction.json", &opts, &(sal_setting){ "mu_k", 0.25 }, 20, 4);
    goes_on("rocking_block.json", &opts, NULL, 20, 5);
    goes_on("stick_slip_belt.json", &opts, NULL, 20, 6);
    goes_on("kneed_walker.json", &opts, NULL, 10, 7);
    goes_on("clock.json", &opts, NULL, 10, 8);
}

static void test_with_sensitivities(void **state)
{
    sal_run_opts opts = sal_run_defaults();

    (void)state;
    opts.quiet = true;
    opts.wrt   = (const char *const[]){ "L01", "mu_k", "initial(P2.vx)" };
    opts.nwrt  = 3;
    goes_on("five_bar_friction.json", &opts, &(sal_setting){ "L02", 2.0 }, 30, 9);
    opts.wrt  = (const char *const[]){ "initial(P2.x)" };
    opts.nwrt = 1;
    goes_on("five_bar_slide.json", &opts, NULL, 20, 10);
}

/* A state of something else, and one that is damaged, are refused; the run is as before. */
static void test_refused(void **state)
{
    rig            r = rig_scene("five_bar.json"), other = rig_scene("five_bar_friction.json");
    sal_run_opts   opts = sal_run_defaults();
    double         t;
    blob           b;
    unsigned char *bytes;

    (void)state;
    rig_run(&r, NULL);
    rig_run(&other, NULL);
    sal_run_step(r.run);
    t     = sal_run_time(r.run);
    b     = save(other.run);
    bytes = b.memory;
    assert_int_equal(sal_run_load(r.run, b.memory, b.size), SAL_ERR_ARGUMENT);
    assert_says(sal_run_message(r.run), "another model");
    assert_true(sal_run_time(r.run) == t);
    assert_int_equal(sal_run_load(other.run, b.memory, b.size - 1), SAL_ERR_ARGUMENT);
    assert_says(sal_run_message(other.run), "damaged");
    assert_int_equal(sal_run_load(other.run, b.memory, 3), SAL_ERR_ARGUMENT);
    assert_says(sal_run_message(other.run), "not the state of a run");
    bytes[b.size / 2] ^= 1;
    assert_int_equal(sal_run_load(other.run, b.memory, b.size), SAL_ERR_ARGUMENT);
    assert_says(sal_run_message(other.run), "damaged");
    bytes[b.size / 2] ^= 1;
    assert_int_equal(sal_run_load(other.run, b.memory, b.size), SAL_OK);
    opts.form = SAL_PENALTY;
    rig_run(&other, &opts);
    assert_int_equal(sal_run_load(other.run, b.memory, b.size), SAL_ERR_ARGUMENT);
    assert_says(sal_run_message(other.run), "another form");
    assert_int_equal(sal_run_save(other.run, b.memory, 10, &b.size), SAL_ERR_ARGUMENT);
    free(b.memory);
    rig_free(&r);
    rig_free(&other);
}

/* Where a run with these options could not start as the state says, since it would be over before, the state is
 * refused: the run is as before in every bit, inside its step too, and goes on. */
static void test_refused_start(void **state)
{
    static const char scene[] =
        "'parameters': { 'bounce': 0.5 }, 'points': { 'P': { 'at': [0, 1] } },"
        "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
        "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'restitution': 'bounce' } },"
        "'simulation': { 'duration': '3.5 - 5*bounce' }";

    (void)state;
    for (int k = 0; k < 2; k++) { /* by the options; by the scene, for the parameter that would be loaded */
        rig          late = rig_load(scene), r = rig_load(scene), same = rig_load(scene);
        sal_start    start = sal_start_defaults();
        sal_run_opts opts  = sal_run_defaults();
        blob         b;

        start.t       = 1.5;
        opts.duration = 2.0;
        rig_run(&late, &opts);
        assert_int_equal(sal_run_set(late.run, "bounce", 0.48), SAL_OK);
        assert_int_equal(sal_run_start_at(late.run, &start), SAL_OK);
        sal_run_step(late.run);
        b             = save(late.run);
        opts.duration = k ? -1.0 : 1.0;
        rig_run(&r, &opts);
        rig_run(&same, &opts);
        for (int i = 0; i < 6; i++) assert_int_equal(sal_run_step(r.run), sal_run_step(same.run));
        rig_to(&r, 0.5 * (r.run->stepper.t + r.run->t1));
        rig_to(&same, 0.5 * (r.run->stepper.t + r.run->t1));
        assert_int_equal(sal_run_load(r.run, b.memory, b.size), SAL_ERR_ARGUMENT);
        assert_says(sal_run_message(r.run), "the run begins at 1.5 s, and ends after 1");
        assert_near(sal_run_parameter(r.run, 0), 0.5, 0.0);
        assert_same(&r, &same);
        assert_int_equal(finish(&r), finish(&same));
        assert_same(&r, &same);
        assert_int_equal(sal_run_restart(r.run), SAL_OK);
        assert_near(sal_run_time(r.run), 0.0, 0.0);
        free(b.memory);
        rig_free(&late);
        rig_free(&same);
        rig_free(&r);
    }
}

/* The event handled last comes with the state. */
static void test_record(void **state)
{
    rig            r = rig_scene("bouncing_mass.json"), other = rig_scene("bouncing_mass.json");
    sal_event_info a, b;
    blob           saved;

    (void)state;
    rig_run(&r, NULL);
    rig_run(&other, NULL);
    rig_event(&r, NULL);
    saved = save(r.run);
    assert_int_equal(sal_run_load(other.run, saved.memory, saved.size), SAL_OK);
    a = sal_run_event(r.run);
    b = sal_run_event(other.run);
    assert_string_equal(a.name, b.name);
    assert_true(a.time == b.time && a.rate == b.rate && a.energy_before == b.energy_before);
    same_bits(a.v_before, b.v_before, r.model->n, "v before");
    same_bits(a.impulse, b.impulse, r.model->m, "impulse");
    free(saved.memory);
    rig_free(&r);
    rig_free(&other);
}

/* From the state of one run, another begins there: the same motion, though not the same bits. */
static void test_start_anywhere(void **state)
{
    rig       r = rig_scene("five_bar_friction.json"), other = rig_scene("five_bar_friction.json");
    sal_start start = sal_start_defaults();
    bool      closed[1];

    (void)state;
    rig_run(&r, NULL);
    rig_run(&other, NULL);
    while (sal_run_to(r.run, 0.7) == SAL_EVENT) continue;
    closed[0]    = sal_run_closed(r.run, 0);
    start.t      = 0.7;
    start.q      = sal_run_q(r.run);
    start.v      = sal_run_v(r.run);
    start.closed = closed;
    assert_true(closed[0]);
    if (sal_run_start_at(other.run, &start) != SAL_OK) fail_msg("%s", sal_run_message(other.run));
    assert_near(sal_run_time(other.run), 0.7, 0.0);
    assert_true(sal_run_closed(other.run, 0));
    while (sal_run_to(r.run, 3.0) == SAL_EVENT) continue;
    while (sal_run_to(other.run, 3.0) == SAL_EVENT) continue;
    for (int k = 0; k < r.model->n; k++) assert_near(sal_run_q(r.run)[k], sal_run_q(other.run)[k], 2e-8);
    assert_int_equal(sal_run_start_at(other.run, NULL), SAL_OK);
    assert_near(sal_run_time(other.run), 0.0, 0.0);
    assert_false(sal_run_closed(other.run, 0));
    start.t = 99.0;
    assert_int_equal(sal_run_start_at(other.run, &start), SAL_ERR_ARGUMENT);
    assert_says(sal_run_message(other.run), "begins at 99 s");
    start.size = 3;
    assert_int_equal(sal_run_start_at(other.run, &start), SAL_ERR_ARGUMENT);
    rig_free(&r);
    rig_free(&other);
}

/* Memory: a counter that events count on from where it is told to. */
static void test_start_memory(void **state)
{
    rig       r     = rig_load("'memory': { 'n': 0, 'k': 2 }, 'points': { 'P': { 'at': [0, 1] } },"
                                         "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                         "'joints': { 'f': { 'type': 'force', 'point': 'P', 'fx': 'k*n', 'fy': 0 } },"
                                         "'contacts': { 'e': { 'type': 'event', 'when': 'y(P) - 0.5', 'set': { 'n': 'n + 1' } } },"
                                         "'simulation': { 'duration': 0.4 }");
    sal_start start = sal_start_defaults();

    (void)state;
    rig_run(&r, NULL);
    start.memory = (const double[]){ 5.0, 3.0 };
    assert_int_equal(sal_run_start_at(r.run, &start), SAL_OK);
    assert_near(sal_run_a(r.run)[0], 15.0, 1e-12);
    finish(&r);
    assert_near(sal_run_memory(r.run, 0), 6.0, 0.0);
    assert_near(sal_run_memory(r.run, 1), 3.0, 0.0);
    assert_true(isnan(sal_run_memory(r.run, 2)));
    start.memory = (const double[]){ NAN, 3.0 };
    assert_int_equal(sal_run_start_at(r.run, &start), SAL_ERR_ARGUMENT);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------ reading a state */

/* Each allocation of each reader fails in turn: a status, a message, and the run is as it was. */
static void test_readers_out_of_memory(void **state)
{
    memory           m    = { .fail = -1, .once = true };
    sal_context_opts opts = counting_opts(&m);
    sal_context     *context;
    sal_scene       *scene;
    sal_model       *model;
    sal_run         *run;
    int              failed = 0;

    (void)state;
    assert_int_equal(sal_context_create(&opts, &context), SAL_OK);
    assert_int_equal(sal_scene_load(context, SAL_SCENES_DIR "/bouncing_mass.json", &scene), SAL_OK);
    assert_int_equal(sal_model_create(scene, &model), SAL_OK);
    sal_scene_destroy(&scene);
    assert_int_equal(sal_run_create(model, NULL, &run), SAL_OK);
    while (sal_run_step(run) != SAL_EVENT) continue;
    for (int which = 0; which < 5; which++) {
        sal_status status = SAL_ERR_MEMORY;
        for (int n = 0; status != SAL_OK && n < 100; n++) {
            double    x[64];
            int       list[8], count;
            const int live = m.live;
            m.fail         = m.next + n;
            status         = which == 0   ? sal_run_rank(run, &count)
                             : which == 1 ? sal_run_partition(run, list, &count)
                             : which == 2 ? sal_run_jacobian(run, x)
                             : which == 3 ? sal_run_linearize(run, x, NULL, NULL)
                                          : sal_run_saltation(run, x);
            m.fail         = -1;
            if (status != SAL_OK) assert_int_equal(status, SAL_ERR_MEMORY);
            if (status != SAL_OK) assert_string_equal(sal_message(context), "out of memory\n");
            failed += status != SAL_OK;
            assert_true(m.live <= live + 2); /* the message */
        }
        assert_int_equal(status, SAL_OK);
    }
    assert_true(failed > 8);
    sal_run_destroy(&run);
    sal_model_destroy(&model);
    sal_context_destroy(&context);
    assert_int_equal(m.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smooth_motion),         cmocka_unit_test(test_through_contacts),
        cmocka_unit_test(test_with_sensitivities),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_start),         cmocka_unit_test(test_record),
        cmocka_unit_test(test_start_anywhere),        cmocka_unit_test(test_start_memory),
        cmocka_unit_test(test_readers_out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
