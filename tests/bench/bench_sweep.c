/* bench_sweep.c - sweeps of 1000 five-bars: two threads against one, and what 10,000 ranks would make of it.
 *
 * Measured: the time of a case, the bytes of its record, and what rank 0 does for each record it gets (checksum, journal
 * on disk, memory), by the code that does so. Assumed: MESSAGE for rank 0 to receive a batch and send the next, NETWORK
 * for its bytes, and the sleep of rank 0 between messages. Rank 0 is then a queue with P customers that come back after
 * the time of a batch: efficiency is that time over itself and the wait, or what rank 0 can do at most. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tools/sweep/spread.h"

enum { CASES = 1000, TIMES = 3, RECORDS = 100000 };

static const double MESSAGE = 20e-6, NETWORK = 1e9, SLEEP = 200e-6; /* [s], [bytes/s], [s] */

/* What the journal needs of the command, where something fails. */
int report(const char *text, sal_status status)
{
    return fprintf(stderr, "%s\n", text), (int)status;
}

bool result_open(result_file *r, const char *folder, const char *name)
{
    (void)r, (void)folder, (void)name;
    return false;
}

bool result_close(result_file *r, bool good)
{
    (void)r, (void)good;
    return false;
}

static bool hear(void *user, const sal_sweep_result *r)
{
    *(double *)user += r->row[0];
    return r->status >= 0;
}

typedef struct times {
    double wall, processors; /* all of them together */
} times;

static void measure(const sal_model *model, sal_sweep_opts o, int jobs, const double *values, times *least)
{
    double     sum = 0.0, wall, processors;
    sal_sweep *sweep;

    o.jobs = jobs;
    if (sal_sweep_create(model, &o, &sweep) != SAL_OK) exit(3);
    wall       = bench_seconds();
    processors = bench_seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (sal_sweep_cases(sweep, values, CASES, hear, &sum) != SAL_OK) exit(5);
    least->wall       = fmin(least->wall, bench_seconds() - wall);
    least->processors = fmin(least->processors, bench_seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processors);
    sal_sweep_destroy(&sweep);
}

/* Of rank 0 for each record: batches of 64, to a journal on the disk of the current folder. */
static double time_of_record(int columns, size_t *bytes)
{
    const plan  p     = { .cases = RECORDS };
    table       t     = { .plan = &p, .columns = columns, .folder = "." };
    double     *row   = calloc((size_t)columns, sizeof *row), started;
    record      batch = { 0 };
    const char *name  = "bench_sweep.journal";

    t.row     = malloc(sizeof(double) * RECORDS * (size_t)columns);
    t.state   = calloc(RECORDS, 1);
    t.message = calloc(RECORDS, sizeof *t.message);
    t.journal = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (!row || !t.row || !t.state || !t.message || t.journal < 0) exit(6);
    for (long k = 0; k < RECORDS; k++) record_add(&batch, columns, k, SAL_OK, row, "");
    *bytes  = batch.n / RECORDS;
    started = bench_seconds();
    for (size_t at = 0; at < batch.n;) {
        const size_t n = at + 64 * *bytes < batch.n ? 64 * *bytes : batch.n - at;
        at += records_keep(&t, batch.at + at, n);
    }
    started = (bench_seconds() - started) / RECORDS;
    close(t.journal);
    unlink(name);
    return started;
}

static double efficiency(double ranks, double of_case, double of_record, double bytes, double cases)
{
    const double batch = fmax(1.0, floor(batch_seconds((int)ranks) / of_case) + 1.0), busy = batch * of_case;
    const double serve = MESSAGE + batch * (of_record + bytes / NETWORK), load = ranks * serve / busy;
    const double whole = cases * of_case; /* of each rank; the last case of one may end later than all others */
    const double queue = load < 1.0 ? 0.5 * serve * load / (1.0 - load) : 0.0;

    return fmin(busy / (busy + SLEEP + serve + queue), 1.0 / load) * whole / (whole + of_case + ranks * MESSAGE);
}

int main(void)
{
    const char *const over[] = { "L01" }, *const columns[] = { "y(P2)", "cost(z1)", "cost(z2)", "time(9)" };
    static const double of_cases[] = { 0.0, 5e-3, 20e-3, 0.1, 1.0 };
    sal_sweep_opts      o          = sal_sweep_defaults();
    sal_context        *context;
    sal_scene          *scene;
    sal_model          *model;
    times               one = { HUGE_VAL, HUGE_VAL }, two = one;
    double              values[CASES], record_time;
    size_t              bytes;

    for (int k = 0; k < CASES; k++) values[k] = 2.2 + 0.1 * k / CASES;
    o.over     = over;
    o.nover    = 1;
    o.columns  = columns;
    o.ncolumns = 4;
    if (sal_context_create(NULL, &context) != SAL_OK ||
        sal_scene_load(context, SAL_SCENES_DIR "/five_bar.json", &scene) != SAL_OK ||
        sal_model_create(scene, &model) != SAL_OK)
        return 3;
    for (int k = 0; k < TIMES; k++) { /* in turn: the machine may change its pace */
        measure(model, o, 1, values, &one);
        measure(model, o, 2, values, &two);
    }
    record_time = time_of_record(4, &bytes);
    printf("%d five-bars: one thread %.3f s, two threads %.3f s, %.3f times\n", CASES, one.wall, two.wall,
           one.wall / two.wall);
    printf("of processors %.3f s and %.3f s: where no others use them, %.3f times at most\n", one.processors,
           two.processors, 2.0 * one.processors / two.processors);
    printf("a case %.3f ms; its record %zu bytes, %.2f us of rank 0\n", 1e3 * one.wall / CASES, bytes,
           1e6 * record_time);
    printf("assumed: %.0f us a message, %.0f MB/s, rank 0 sleeps %.0f us; 1000 cases a rank\n", 1e6 * MESSAGE,
           1e-6 * NETWORK, 1e6 * SLEEP);
    printf("time of a case [ms]   64 ranks   1000 ranks   10000 ranks\n");
    for (int k = 0; k < 5; k++) {
        const double c = k ? of_cases[k] : one.wall / CASES;
        printf("%19.4g", 1e3 * c);
        for (int i = 0; i < 3; i++)
            printf(" %9.1f %%",
                   100.0 * efficiency((const double[]){ 64, 1e3, 1e4 }[i], c, record_time, (double)bytes, 1e3));
        printf("\n");
    }
    sal_scene_destroy(&scene);
    sal_model_destroy(&model);
    sal_context_destroy(&context);
    return 0;
}
