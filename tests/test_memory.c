/* test_memory.c - what a step allocates (nothing), and whether the same input gives the same bits: in two runs, after
 * a restart, in two threads that share a model. Every allocation is counted, KLU's and cJSON's included. */
#include <pthread.h>

#include "tests/support.h"

/* ------------------------------------------------------------------------------------- the counter */

/* Of the calling thread alone: OpenBLAS starts threads of its own when it is loaded, and these begin when the machine
 * lets them, which may be in the middle of a test. What the engine calls runs in the caller's thread. */
static _Thread_local long allocations;

#if defined(__SANITIZE_ADDRESS__)
/* of the sanitizer's runtime; gcc does not ship the header that declares it */
extern int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *, size_t),
                                                     void (*free_hook)(const volatile void *));

static void count_hook(const volatile void *memory, size_t size)
{
    (void)memory;
    (void)size;
    allocations++;
}

static void free_hook(const volatile void *memory)
{
    (void)memory;
}

static void count_allocations(void)
{
    static bool installed;

    if (!installed) assert_true(__sanitizer_install_malloc_and_free_hooks(count_hook, free_hook) > 0);
    installed = true;
}
#else
/* glibc's own allocator behind the names that everything in the process calls */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

#define SHARED __attribute__((visibility("default"))) /* libraries are to find them as well */

SHARED void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

SHARED void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

SHARED void *realloc(void *memory, size_t size)
{
    allocations++;
    return __libc_realloc(memory, size);
}

static void count_allocations(void)
{
}
#endif

/* ------------------------------------------------------------------------------------------ tests */

static void test_the_counter_counts(void **state)
{
    void *(*volatile allocate)(size_t) = malloc; /* so that the compiler cannot leave it out */
    long  before;
    void *memory;

    (void)state;
    count_allocations();
    before = allocations;
    memory = allocate(10);
    assert_true(allocations > before);
    free(memory);
}

/* More than 1000 steps with events and dense output, in both forms, with both integrators, with and without
 * sensitivities. */
static void test_steps_allocate_nothing(void **state)
{
    rig r = rig_scene("five_bar.json");

    (void)state;
    count_allocations();
    for (int k = 0; k < 4; k++) {
        sal_run_opts opts = sal_run_defaults();
        sal_status   status;
        long         before, lines = 0;
        opts.form        = k / 2;
        opts.integrator  = k % 2;
        opts.rtol        = 1e-12;
        opts.max_step    = 0.004;
        opts.wrt         = (const char *const[]){ "L01", "L02" };
        opts.nwrt        = k == 1 || k == 2 ? 2 : 0;
        opts.partitioned = k == 1;
        rig_run(&r, &opts);
        before = allocations;
        do {
            status = sal_run_step(r.run);
            if (status == SAL_OK && lines++ % 3 == 0) status = sal_run_to(r.run, sal_run_time(r.run) - 1e-5);
        } while (status == SAL_OK || status == SAL_EVENT);
        assert_int_equal(status, SAL_END);
        assert_true(sal_run_get_stats(r.run).steps > 1200);
        assert_int_equal(allocations - before, 0);
    }
    rig_free(&r);
}

/* A block on two corners: it falls, rebounds, lands, slides and comes to rest; one more corner hangs over and touches
 * nothing. With memory, and a joint that an event holds. */
static const char *const block =
    "'parameters': { 'mu': 0.4, 'bounce': 0.2 }, 'memory': { 'length': 1, 'count': 0 },"
    "'points': { 'P': { 'at': [0, 0.1], 'velocity': [1, 0] }, 'Q': { 'at': [1, 0.1], 'velocity': [1, 0] },"
    "            'W': { 'at': [0, 2], 'fixed': true }, 'R': { 'at': [3, 2] } },"
    "'bodies': { 'block': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 2, 'centre': [0.5, 0.1], 'inertia': 0.3,"
    "                       'markers': { 'M': [0.5, 0.2] } },"
    "            'ball': { 'type': 'point_mass', 'point': 'R', 'mass': 1 } },"
    "'joints': { 'rope': { 'type': 'distance', 'points': ['W', 'R'], 'length': 'length', 'active': false } },"
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['P', 'Q', 'M'], 'restitution': 'bounce', 'mu_static': 'mu' "
    "},"
    "              'catch': { 'type': 'event', 'when': '0.2 - t', 'hold': ['rope'],"
    "                         'set': { 'count': 'count + 1', 'length': 'distance(W, R)' } } },"
    "'simulation': { 'duration': 3, 'rtol': 1e-10, 'max_step': 0.005 }";

/* What saltus.h says of events: nothing but factors with new pivots is allocated, by the solver. */
static void check_event(long allocated, long factored)
{
    enum { OF_FACTORS = 20 }; /* allocations that KLU makes for one set of factors, at most */

    if (allocated > OF_FACTORS * factored) fail_msg("%ld allocations for %ld new factors", allocated, factored);
}

/* Steps with contacts open, closed, sliding and stuck; other rows hold after an event, and new pivots for them are
 * memory. */
static void test_contacts_allocate_nothing(void **state)
{
    (void)state;
    count_allocations();
    for (int k = 0; k < 6; k++) {
        rig          r    = rig_load(block);
        sal_run_opts opts = sal_run_defaults();
        bool         slid = false, rested = false;
        sal_status   status;
        long         before, in_steps = 0, lines = 0, events = 0;
        opts.form       = k / 2 == 1 ? SAL_PENALTY : SAL_INDEX1;
        opts.integrator = k % 2;
        opts.wrt        = (const char *const[]){ "mu", "bounce" };
        opts.nwrt       = k >= 4 ? 2 : 0;
        opts.quiet      = true;
        rig_run(&r, &opts);
        do {
            const long full = sal_run_get_stats(r.run).full_factorizations;
            before          = allocations;
            status          = sal_run_step(r.run);
            if (status != SAL_EVENT) in_steps += allocations - before;
            else check_event(allocations - before, sal_run_get_stats(r.run).full_factorizations - full);
            events += status == SAL_EVENT;
            slid   = slid || sal_contact_slides(&r.run->system, 0);
            rested = rested || r.run->system.mode.held[rig_row(&r, "floor.P.t")] ||
                     r.run->system.mode.held[rig_row(&r, "floor.Q.t")];
            if (status == SAL_OK && lines++ % 3 == 0) status = sal_run_to(r.run, sal_run_time(r.run) - 1e-5);
        } while (status == SAL_OK || status == SAL_EVENT);
        if (status != SAL_END) fail_msg("%s", sal_run_message(r.run));
        assert_int_equal(in_steps, 0);
        assert_true(slid && rested && events > 5);
        assert_true(sal_run_get_stats(r.run).steps > 600);
        rig_free(&r);
    }
}

enum { NUMBERS = 6 + 6 + 4 + 2 + 1, LINES = 64 };

typedef struct record {
    double line[LINES][NUMBERS];
    int    n;
} record;

static void record_run(sal_run *run, record *out)
{
    double next = 0.1;

    out->n = 0;
    while (out->n < LINES) {
        sal_status status = sal_run_to(run, next);
        double    *x      = out->line[out->n];
        if (status < 0 || status == SAL_END) break;
        memcpy(x, sal_run_q(run), 6 * sizeof *x);
        memcpy(x + 6, sal_run_v(run), 6 * sizeof *x);
        memcpy(x + 12, sal_run_lambda(run), 4 * sizeof *x);
        memcpy(x + 16, sal_run_costs(run), 2 * sizeof *x);
        x[18] = sal_run_time(run);
        out->n++;
        if (status == SAL_OK) next += 0.1;
    }
}

static void same_bits(const record *a, const record *b)
{
    assert_true(a->n > 50);
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->line, b->line, sizeof a->line[0] * (size_t)a->n);
}

static void test_same_bits(void **state)
{
    rig     r = rig_scene("five_bar.json"), other = rig_scene("five_bar.json");
    record *a = calloc(3, sizeof *a), *b = a + 1, *c = a + 2;

    (void)state;
    rig_run(&r, NULL);
    record_run(r.run, a);
    assert_int_equal(sal_run_restart(r.run), SAL_OK);
    record_run(r.run, b);
    rig_run(&other, NULL);
    record_run(other.run, c);
    same_bits(a, b);
    same_bits(a, c);
    free(a);
    rig_free(&r);
    rig_free(&other);
}

typedef struct job {
    const sal_model *model;
    double           length;
    record           out;
} job;

static void *work(void *self)
{
    job         *j       = self;
    sal_setting  setting = { "L01", j->length };
    sal_run_opts opts    = sal_run_defaults();
    sal_run     *run;

    opts.set  = &setting;
    opts.nset = 1;
    for (int k = 0; k < 5; k++) { /* again and again, so that the threads do overlap */
        if (sal_run_create(j->model, &opts, &run) != SAL_OK) return NULL;
        record_run(run, &j->out);
        sal_run_destroy(&run);
    }
    return self;
}

/* Two pairs of threads on one model: the same parameters give the same bits, and others do not disturb them. */
static void test_threads(void **state)
{
    static const double lengths[4] = { 2.2, 2.25, 2.2, 2.25 };
    rig                 r          = rig_scene("five_bar.json");
    job                *jobs       = calloc(5, sizeof *jobs);
    pthread_t           thread[4];

    (void)state;
    for (int k = 0; k < 4; k++) {
        jobs[k] = (job){ .model = r.model, .length = lengths[k] };
        assert_int_equal(pthread_create(&thread[k], NULL, work, &jobs[k]), 0);
    }
    for (int k = 0; k < 4; k++) {
        void *done;
        assert_int_equal(pthread_join(thread[k], &done), 0);
        assert_non_null(done);
    }
    jobs[4] = (job){ .model = r.model, .length = 2.2 };
    assert_non_null(work(&jobs[4]));
    same_bits(&jobs[0].out, &jobs[2].out);
    same_bits(&jobs[0].out, &jobs[4].out);
    same_bits(&jobs[1].out, &jobs[3].out);
    assert_true(jobs[0].out.line[20][3] != jobs[1].out.line[20][3]);
    free(jobs);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_counter_counts),
        cmocka_unit_test(test_steps_allocate_nothing),
        cmocka_unit_test(test_contacts_allocate_nothing),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
