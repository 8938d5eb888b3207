/* readers.c - several threads read one run at once, while nobody steps it: every function of saltus.h that takes a
 * const sal_run * (readers.sh counts them), built with ThreadSanitizer, which tells when one of them writes to what
 * another one looks at. Each thread must also find the numbers that one thread alone finds.
 *
 *     race_readers SCENES           reads runs of some scenes; 0: all good
 *     race_readers --write SCENES   one thread steps its run while the others read: ThreadSanitizer must say so */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/saltus.h"

enum { THREADS = 4, ROUNDS = 4, MOST = 64 };

/* What one thread finds: all numbers, one after another, into a sum that depends on their order; texts by length. */
typedef struct finding {
    double sum;
    int    numbers, failures;
} finding;

static void take(finding *f, const double *x, int n)
{
    for (int k = 0; k < n && x; k++) {
        f->numbers++;
        if (isfinite(x[k])) f->sum = 0.75 * f->sum + x[k];
    }
}

static void take_one(finding *f, double x)
{
    take(f, &x, 1);
}

static void take_text(finding *f, const char *text)
{
    take_one(f, text ? (double)strlen(text) : -1.0);
}

static void take_status(finding *f, sal_status status)
{
    take_one(f, status);
    f->failures += status != SAL_OK;
}

typedef struct job {
    sal_run           *run;
    const sal_model   *model;
    const sal_probe   *probe;
    bool               writes;
    pthread_barrier_t *begin;
    finding            found;
} job;

static void read_state(const job *j, finding *f)
{
    const sal_run       *run  = j->run;
    const sal_model_info info = sal_model_get_info(j->model);
    const int            n = info.coordinates, m = info.constraints;
    double               at[2 * MOST], pos[2], vel[2];
    sal_point_info       point;

    take_one(f, sal_run_time(run) + sal_run_duration(run) + sal_run_output_interval(run) + sal_run_energy(run));
    take_text(f, sal_run_message(run));
    take(f, sal_run_q(run), n);
    take(f, sal_run_v(run), n);
    take(f, sal_run_a(run), n);
    take(f, sal_run_lambda(run), m);
    take(f, sal_run_costs(run), info.costs);
    sal_cost_peak peak;
    if (sal_run_cost_peak(run, 0, &peak)) take(f, &peak.value, 1);
    for (int k = 0; k < info.parameters; k++) take_one(f, sal_run_parameter(run, k));
    for (int k = 0; k < info.outputs; k++) take_one(f, sal_run_output(run, k));
    for (int k = 0; k < info.reactions; k++) take_one(f, sal_run_reaction(run, k));
    for (int k = 0; k < info.memory; k++) take_one(f, sal_run_memory(run, k));
    for (int k = 0; k < info.touches; k++) take_one(f, sal_run_closed(run, k));
    take_one(f, sal_probe_value(j->probe, run));
    for (int k = 0; sal_model_point(j->model, k, &point); k++) {
        take_status(f, sal_run_point(run, point.name, pos, vel));
        take(f, pos, 2);
        take(f, vel, 2);
    }
    for (int k = 0; k < sal_model_drawing_count(j->model); k++) {
        sal_drawing       drawing;
        sal_drawing_state state;
        double            y;
        sal_model_drawing(j->model, k, &drawing);
        if (drawing.npoints <= MOST && sal_run_drawing(run, k, at, &state)) take(f, at, 2 * drawing.npoints);
        take_one(f, state.angle);
        if (sal_run_drawing_curve(run, k, 0.1, &y)) take_one(f, y);
    }
}

static void read_sensitivities(const job *j, finding *f)
{
    const sal_run       *run  = j->run;
    const sal_model_info info = sal_model_get_info(j->model);
    const int            n = info.coordinates, m = info.constraints, p = sal_run_wrt_count(run);
    double               x[MOST], y[MOST];

    for (int c = 0; c < p; c++) take_text(f, sal_run_wrt(run, c));
    take(f, sal_run_Q(run), n * p);
    take(f, sal_run_V(run), n * p);
    take(f, sal_run_A(run), n * p);
    take(f, sal_run_Lambda(run), m * p);
    take(f, sal_run_cost_gradients(run), info.costs * p);
    take(f, sal_run_end_gradient(run), p);
    take(f, sal_run_event_gradient(run), p);
    take(f, sal_run_impulse_gradient(run), m * p);
    take(f, sal_run_Q_before(run), n * p);
    take(f, sal_run_V_before(run), n * p);
    take(f, sal_run_Lambda_before(run), m * p);
    take_text(f, sal_run_wrt_invalid(run));
    take_text(f, sal_run_wrt_note(run));
    sal_run_wrt_residuals(run, &x[0], &x[1]);
    take(f, x, 2);
    if (p && n * p <= MOST) take_status(f, sal_run_final_gradients(run, x, y, NULL));
    for (int k = 0; k < info.outputs && p; k++) {
        take_status(f, sal_run_output_gradient(run, k, x));
        take(f, x, p);
    }
    if (p && p <= MOST) take_status(f, sal_probe_gradient(j->probe, run, x));
    if (p && p <= MOST) take(f, x, p);
}

static void read_event(const job *j, finding *f)
{
    const sal_event_info event = sal_run_event(j->run);
    sal_event_contact    contact;
    double               since;
    sal_change           change;
    long                 stiff;

    take_text(f, event.name);
    take_one(f, event.time + event.rate + event.energy_before);
    take(f, event.v_before, sal_model_get_info(j->model).coordinates);
    take(f, event.impulse, sal_model_get_info(j->model).constraints);
    for (int k = 0; sal_run_event_contact(j->run, k, &contact); k++) {
        take_text(f, contact.contact);
        take_one(f, contact.event + contact.normal + contact.friction);
    }
    take_text(f, sal_run_stiff(j->run, &since, &stiff) ? "stiff" : "");
    for (int k = 0; k < sal_run_changes(j->run) && sal_run_change(j->run, k, &change); k++) take_one(f, change.time);
    take_one(f, (double)sal_run_get_stats(j->run).steps + sal_run_get_opts(j->run).rtol + since + (double)stiff);
}

static void read_health(const job *j, finding *f)
{
    const sal_health h = sal_run_get_health(j->run);
    sal_health_item  item;
    sal_work         work;
    char             text[400];

    take_one(f, h.balance + h.transversality + (double)h.closings);
    take_text(f, h.grazed);
    for (int k = 0; sal_run_health_item(j->run, (sal_health_kind)k, &item); k++) take_one(f, item.value + item.limit);
    sal_run_health_text(j->run, text, sizeof text);
    take_text(f, text);
    for (int k = 0; sal_run_work(j->run, k, &work); k++) take_one(f, work.joules);
    for (int k = 0; k < sal_model_get_info(j->model).constraints; k++)
        take_one(f, sal_run_lambda_chosen(j->run, k) + 2 * sal_run_impulse_chosen(j->run, k));
}

/* Those that compute something, in memory of their own; failures too, which speak through the context. */
static void read_matrices(const job *j, finding *f)
{
    const sal_run *run = j->run;
    const int      n = sal_model_get_info(j->model).coordinates, m = sal_model_get_info(j->model).constraints;
    const size_t   room = sizeof(double) * (size_t)(4 * n * n + m * n + 1);
    double        *x = malloc(room), *y = malloc(room);
    int           *dof = malloc(sizeof *dof * (size_t)n), count = 0;
    sal_analysis  *analysis;
    sal_record    *record;
    void          *memory;
    size_t         size = 0;

    sal_run_mass(run, x);
    take_status(f, sal_record_create(run, &record));
    sal_record_destroy(&record);
    take(f, x, n * n);
    take_status(f, sal_run_jacobian(run, x));
    take(f, x, m * n);
    take_status(f, sal_run_linearize(run, x, y, NULL));
    take(f, x, n * n);
    take(f, y, n * n);
    if (sal_run_saltation(run, x) == SAL_OK) take(f, x, 4 * n * n); /* not every event has one */
    take_status(f, sal_run_rank(run, &count));
    take_one(f, count);
    take_status(f, sal_run_partition(run, dof, &count));
    for (int k = 0; k < count; k++) take_one(f, dof[k]);
    take_status(f, sal_analysis_create(run, &analysis));
    take_one(f, sal_analysis_get_info(analysis).rank);
    sal_analysis_destroy(&analysis);
    take_status(f, sal_run_save(run, NULL, 0, &size));
    memory = malloc(size);
    take_status(f, sal_run_save(run, memory, size, &size));
    take_one(f, ((unsigned char *)memory)[size / 2]);
    if (sal_run_point(run, "no point", NULL, NULL) != SAL_ERR_ARGUMENT) f->failures++;
    free(memory);
    free(dof);
    free(x);
    free(y);
}

static void *read_all(void *self)
{
    job *j = self;

    if (j->begin) pthread_barrier_wait(j->begin);
    for (int round = 0; round < ROUNDS; round++) {
        if (j->writes) sal_run_step(j->run);
        read_state(j, &j->found);
        read_sensitivities(j, &j->found);
        read_event(j, &j->found);
        read_health(j, &j->found);
        read_matrices(j, &j->found);
    }
    return NULL;
}

/* Threads that read the run at its present state against one that does so alone; false: they find other things. */
static bool read_together(const job *alone, bool writes)
{
    job               one = *alone, all[THREADS];
    pthread_t         thread[THREADS];
    pthread_barrier_t begin;
    bool              same = true;

    read_all(&one);
    pthread_barrier_init(&begin, NULL, THREADS);
    for (int k = 0; k < THREADS; k++) {
        all[k]        = *alone;
        all[k].begin  = &begin;
        all[k].writes = writes && k == 0;
        if (pthread_create(&thread[k], NULL, read_all, &all[k])) exit(3);
    }
    for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
    pthread_barrier_destroy(&begin);
    for (int k = 0; k < THREADS; k++)
        same = same && !memcmp(&all[k].found, &one.found, sizeof one.found) && all[k].found.failures == 0;
    if (!same) fprintf(stderr, "%d failures; the threads do not find the same\n", one.found.failures);
    return same;
}

static bool read_scene(const char *folder, const char *name, const char *const *wrt, int nwrt, bool writes)
{
    char         file[1024];
    sal_run_opts opts = sal_run_defaults();
    sal_context *context;
    sal_scene   *scene;
    sal_model   *model;
    sal_probe   *probe;
    sal_run     *run;
    sal_status   status = SAL_OK;
    bool         good   = true;
    int          events = 0;

    snprintf(file, sizeof file, "%s/%s", folder, name);
    opts.wrt  = wrt;
    opts.nwrt = nwrt;
    sal_context_create(NULL, &context);
    if (sal_scene_load(context, file, &scene) != SAL_OK || sal_model_create(scene, &model) != SAL_OK ||
        sal_probe_create(model, "energy() + t", &probe) != SAL_OK || sal_run_create(model, &opts, &run) != SAL_OK) {
        fprintf(stderr, "%s", sal_message(context));
        exit(3);
    }
    sal_scene_destroy(&scene);
    while (events < 3 && good && (status == SAL_OK || status == SAL_EVENT)) {
        status = sal_run_step(run);
        if (status != SAL_EVENT) continue;
        events++;
        good = read_together(&(job){ .run = run, .model = model, .probe = probe }, writes);
        if (good && sal_run_step(run) == SAL_OK) /* and inside a step */
            sal_run_to(run, sal_run_time(run) - 1e-6);
        good = good && read_together(&(job){ .run = run, .model = model, .probe = probe }, writes);
    }
    printf("%s: %d events\n", name, events);
    sal_run_destroy(&run);
    sal_probe_destroy(&probe);
    sal_model_destroy(&model);
    sal_context_destroy(&context);
    return good && events > 0;
}

static bool count_failed(void *user, const sal_sweep_result *r)
{
    *(int *)user += r->status < 0;
    return true;
}

/* Cases over threads that share a model, some of which cannot be assembled and say so at the same time. */
static bool sweep(const char *folder)
{
    enum { CASES = 24 };
    char           file[1024];
    double         L[CASES];
    sal_sweep_opts opts = sal_sweep_defaults();
    sal_context   *context;
    sal_scene     *scene;
    sal_model     *model;
    sal_sweep     *sweep;
    int            failed = 0;

    for (int k = 0; k < CASES; k++) L[k] = k % 2 ? 2.2 + 0.001 * k : -1.0 - k;
    snprintf(file, sizeof file, "%s/five_bar.json", folder);
    opts.over         = (const char *const[]){ "L01" };
    opts.nover        = 1;
    opts.columns      = (const char *const[]){ "y(P2)", "time(floor)" };
    opts.ncolumns     = 2;
    opts.jobs         = THREADS;
    opts.run.duration = 0.5;
    sal_context_create(NULL, &context);
    if (sal_scene_load(context, file, &scene) != SAL_OK || sal_model_create(scene, &model) != SAL_OK ||
        sal_sweep_create(model, &opts, &sweep) != SAL_OK ||
        sal_sweep_cases(sweep, L, CASES, count_failed, &failed) != SAL_OK) {
        fprintf(stderr, "%s", sal_message(context));
        exit(3);
    }
    printf("sweep: %d of %d failed\n", failed, CASES);
    sal_sweep_destroy(&sweep);
    sal_scene_destroy(&scene);
    sal_model_destroy(&model);
    sal_context_destroy(&context);
    return failed == CASES / 2;
}

int main(int argc, char **argv)
{
    const bool  writes = argc > 2 && !strcmp(argv[1], "--write");
    const char *folder = argv[argc - 1];
    bool        good;

    good = read_scene(folder, "five_bar_friction.json", (const char *const[]){ "L01", "mu_k" }, 2, writes);
    if (writes) return good ? 0 : 1;
    good = read_scene(folder, "rocking_block.json", NULL, 0, false) && good;
    good = read_scene(folder, "kneed_walker.json", NULL, 0, false) && good;
    good = sweep(folder) && good;
    return good ? 0 : 1;
}
