/* sweep.c - sweeps: their life, and their cases over threads.
 *
 * Threads take the next case that nobody has, in order, whenever they are done with one. What they compute goes into
 * places that are made before; the thread that asked for all this reports them and gives the places back. */
#define _GNU_SOURCE /* of glibc: which processors may be used */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/studies/sweep.h"

enum { JOBS_MAX = 4096, PLACES = 4 /* for each thread */, MESSAGE = 512 };

/* ---------------------------------------------------------------------------------------------- life */

sal_sweep_opts sal_sweep_defaults(void)
{
    return (sal_sweep_opts){ .size = sizeof(sal_sweep_opts), .steps = 1, .run = sal_run_defaults() };
}

static const char *const *copy_names(sal_sweep *s, const char *const *names, int n)
{
    const char **copy = SAL_NEW(&s->pool, const char *, n);

    for (int k = 0; k < n && copy; k++) copy[k] = sal_pool_copy(&s->pool, names[k], strlen(names[k]));
    return copy;
}

/* What the caller's options point to. */
static sal_status copy_options(sal_sweep *s)
{
    sal_sweep_opts *o   = &s->opts;
    sal_setting    *set = SAL_NEW(&s->pool, sal_setting, o->run.nset);

    for (int k = 0; k < o->run.nset && set; k++) {
        set[k].value     = o->run.set[k].value;
        set[k].parameter = sal_pool_copy(&s->pool, o->run.set[k].parameter, strlen(o->run.set[k].parameter));
    }
    o->run.set = set;
    o->over    = copy_names(s, o->over, o->nover);
    o->columns = copy_names(s, o->columns, o->ncolumns);
    o->run.wrt = copy_names(s, o->run.wrt, o->run.nwrt);
    if (o->section) o->section = sal_pool_copy(&s->pool, o->section, strlen(o->section));
    return s->pool.failed ? sal_out_of_memory(s->context) : SAL_OK;
}

static sal_status check_options(const sal_sweep *s)
{
    const sal_sweep_opts *o = &s->opts;

    if (o->study < SAL_STUDY_RUN || o->study > SAL_STUDY_EQUILIBRIUM)
        return sal_fail(s->context, SAL_ERR_ARGUMENT, "study is %d; expected one of sal_study", (int)o->study);
    if (o->nover < 0 || o->ncolumns < 0 || o->run.nset < 0 || o->run.nwrt < 0 || (o->nover && !o->over) ||
        (o->ncolumns && !o->columns) || (o->run.nset && !o->run.set) || (o->run.nwrt && !o->run.wrt))
        return sal_fail(s->context, SAL_ERR_ARGUMENT,
                        "expected lists where there are counts of over, columns, set and wrt");
    if (o->jobs < 0 || o->jobs > JOBS_MAX)
        return sal_fail(s->context, SAL_ERR_ARGUMENT, "jobs is %d; expected 1 to %d, or 0", o->jobs, JOBS_MAX);
    for (int k = 0; k < o->nover; k++) {
        for (int j = 0; j < k; j++) {
            if (!strcmp(o->over[k], o->over[j]))
                return sal_fail(s->context, SAL_ERR_ARGUMENT, "'%s' is given twice", o->over[k]);
        }
    }
    return SAL_OK;
}

/* Names that cannot be set or differentiated with respect to are refused here, by a run that is not started. */
static sal_status check_names(sal_sweep *s)
{
    const sal_sweep_opts *o = &s->opts;
    sal_run              *run;
    sal_wrt               initial;
    sal_status            status = sal_run_make(s->model, &o->run, &run);

    s->goes_back = status == SAL_OK && run->stepper.ops->pull;
    for (int k = 0; k < o->run.nset && status == SAL_OK; k++)
        status = sal_run_set(run, o->run.set[k].parameter, o->run.set[k].value);
    for (int k = 0; k < o->nover && status == SAL_OK; k++) status = sal_run_set(run, o->over[k], 0.0);
    if (status != SAL_OK && run) sal_fail(s->context, status, "%s", sal_run_message(run));
    sal_run_destroy(&run);
    for (int k = 0; k < o->run.nwrt && status == SAL_OK && o->study != SAL_STUDY_RUN; k++) {
        if (sal_sens_find_initial(s->model, o->run.wrt[k], &initial))
            status = sal_fail(s->context, SAL_ERR_ARGUMENT, "%s is what is searched for; expected a parameter",
                              o->run.wrt[k]);
    }
    return status;
}

/* Where a cycle closes is asked once, not in each case. What fails for the scene's own numbers need not in a case. */
static sal_status check_cycle(const sal_sweep *s)
{
    sal_cycle_opts opts = sal_cycle_defaults();
    sal_cycle     *cycle;
    sal_status     status;

    if (s->opts.study != SAL_STUDY_CYCLE) return SAL_OK;
    opts.run       = s->opts.run;
    opts.run.quiet = true;
    opts.section   = s->opts.section;
    opts.steps     = s->opts.steps;
    status         = sal_cycle_create(s->model, &opts, &cycle);
    sal_cycle_destroy(&cycle);
    return status == SAL_ERR_ARGUMENT ? status : SAL_OK;
}

static sal_status set_up(sal_sweep *s)
{
    sal_status status = check_options(s);

    if (status == SAL_OK) status = copy_options(s);
    if (status == SAL_OK) status = check_names(s);
    if (status == SAL_OK) status = check_cycle(s);
    if (status == SAL_OK) status = sal_sweep_name_columns(s);
    return status == SAL_OK ? sal_sweep_choose(s) : status;
}

sal_status sal_sweep_create(const sal_model *model, const sal_sweep_opts *given, sal_sweep **sweep)
{
    static const size_t known[] = { sizeof(sal_sweep_opts), offsetof(sal_sweep_opts, gradients), 0 };
    sal_context        *context = model->tables->context;
    sal_sweep_opts      opts    = sal_sweep_defaults();
    sal_status          status  = sal_opts_read(context, "sweep", known, given, &opts);
    sal_pool            pool;

    *sweep = NULL;
    if (status == SAL_OK && given) status = sal_run_read_opts(context, &given->run, &opts.run);
    if (status != SAL_OK) return status;
    sal_pool_init(&pool, context);
    *sweep = SAL_NEW(&pool, sal_sweep, 1);
    if (!*sweep) return sal_out_of_memory(context);
    **sweep = (sal_sweep){ .pool = pool, .context = context, .model = model, .opts = opts };
    status  = set_up(*sweep);
    if (status != SAL_OK) sal_sweep_destroy(sweep);
    return status;
}

void sal_sweep_destroy(sal_sweep **sweep)
{
    sal_sweep *s = *sweep;
    sal_pool   pool;

    *sweep = NULL;
    if (!s) return;
    for (int k = 0; k < s->probes.n; k++) sal_probe_destroy(&s->probes.at[k]);
    pool = s->pool; /* it lies in there itself */
    sal_pool_free(&pool);
}

int sal_sweep_column_count(const sal_sweep *sweep)
{
    return sweep->columns;
}

const char *sal_sweep_column(const sal_sweep *sweep, int index)
{
    return index >= 0 && index < sweep->columns ? sweep->column[index] : NULL;
}

bool sal_sweep_gradient(const sal_sweep *sweep, int index, int *of, int *wrt)
{
    for (int k = 0; k < sweep->quantities.n; k++) {
        const int first = sweep->quantities.at[k].gradient;
        if (first < 0 || index < first || index >= first + sweep->opts.run.nwrt) continue;
        *of  = k;
        *wrt = index - first;
        return true;
    }
    return false;
}

sal_status sal_sweep_case(const sal_sweep *sweep, const double *values, double *row, char *message, size_t room)
{
    return sal_sweep_compute(sweep, values, sweep->opts.run.stop, sweep->opts.run.user, row, message, room);
}

/* ------------------------------------------------------------------------------------------- threads */

typedef struct place {
    sal_sweep_result result;
    double          *row;
    char             message[MESSAGE];
    struct place    *next;
} place;

typedef struct crew {
    const sal_sweep *sweep;
    const double    *values;
    long             n, taken; /* cases: all, and those that a thread has or had */
    int              working;  /* threads */
    place           *free, *done, **last;
    sal_status       status;
    atomic_bool      stop;
    pthread_mutex_t  lock; /* of all but what is const and stop */
    pthread_cond_t   has_free, has_done;
} crew;

static bool crew_stops(void *self)
{
    crew               *c = self;
    const sal_run_opts *o = &c->sweep->opts.run;

    return atomic_load(&c->stop) || (o->stop && o->stop(o->user));
}

/* A place for the next case, and which that is; NULL: there is nothing more to do. The lock is held. */
static place *take(crew *c)
{
    place *p;

    while (!c->free && !atomic_load(&c->stop)) pthread_cond_wait(&c->has_free, &c->lock);
    if (atomic_load(&c->stop) || c->taken == c->n) return NULL;
    p               = c->free;
    c->free         = p->next;
    p->next         = NULL;
    p->result.index = c->taken++;
    return p;
}

/* Stopping, and what says nothing about the case, is for all of them. The lock is held. */
static void give(crew *c, place *p)
{
    const sal_status status = p->result.status;

    if (status == SAL_STOPPED || status == SAL_ERR_MEMORY) {
        if (c->status == SAL_OK) c->status = status;
        atomic_store(&c->stop, true);
        pthread_cond_broadcast(&c->has_free);
        p->next = c->free;
        c->free = p;
        return;
    }
    *c->last = p;
    c->last  = &p->next;
    pthread_cond_signal(&c->has_done);
}

static void *work(void *self)
{
    crew  *c = self;
    place *p;

    pthread_mutex_lock(&c->lock);
    while ((p = take(c))) {
        const double *values = c->values + (size_t)p->result.index * (size_t)c->sweep->opts.nover;
        pthread_mutex_unlock(&c->lock);
        p->result.status = sal_sweep_compute(c->sweep, values, crew_stops, c, p->row, p->message, sizeof p->message);
        pthread_mutex_lock(&c->lock);
        give(c, p);
    }
    c->working--;
    pthread_cond_signal(&c->has_done);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* Reports what is done until all threads have ended. */
static void hear(crew *c, sal_sweep_report report, void *user)
{
    bool heard = true;

    pthread_mutex_lock(&c->lock);
    while (c->done || c->working) {
        place *p = c->done;
        if (!p) {
            pthread_cond_wait(&c->has_done, &c->lock);
            continue;
        }
        c->done = p->next;
        if (!c->done) c->last = &c->done;
        pthread_mutex_unlock(&c->lock);
        heard = heard && report(user, &p->result);
        pthread_mutex_lock(&c->lock);
        if (!heard && c->status == SAL_OK) c->status = SAL_STOPPED;
        if (!heard) atomic_store(&c->stop, true);
        p->next = c->free;
        c->free = p;
        pthread_cond_broadcast(&c->has_free);
    }
    pthread_mutex_unlock(&c->lock);
}

static int processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) count = CPU_COUNT(&allowed);
#endif
    return count < 1 ? 1 : count > JOBS_MAX ? JOBS_MAX : (int)count;
}

static bool make_places(crew *c, sal_pool *pool, int jobs)
{
    for (int k = 0; k < PLACES * jobs; k++) {
        place *p = SAL_NEW(pool, place, 1);
        if (!p) return false;
        p->row            = SAL_NEW(pool, double, c->sweep->columns + 1);
        p->result.row     = p->row;
        p->result.message = p->message;
        p->next           = c->free;
        c->free           = p;
    }
    return !pool->failed;
}

static void employ(crew *c, pthread_t *thread, int jobs, sal_sweep_report report, void *user)
{
    int started = 0;

    pthread_mutex_lock(&c->lock); /* nobody works before all are counted */
    while (started < jobs && pthread_create(&thread[started], NULL, work, c) == 0) started++;
    c->working = started;
    pthread_mutex_unlock(&c->lock);
    if (started == 0) c->status = SAL_ERR_MEMORY;
    hear(c, report, user);
    for (int k = 0; k < started; k++) pthread_join(thread[k], NULL);
}

sal_status sal_sweep_cases(const sal_sweep *sweep, const double *values, long n, sal_sweep_report report, void *user)
{
    crew       c    = { .sweep = sweep, .values = values, .n = n };
    int        jobs = sweep->opts.jobs ? sweep->opts.jobs : processors();
    pthread_t *thread;
    sal_pool   pool;

    if (n < 0) return sal_fail(sweep->context, SAL_ERR_ARGUMENT, "the number of cases is %ld", n);
    if (jobs > n) jobs = (int)n;
    c.last = &c.done;
    sal_pool_init(&pool, sweep->context);
    thread = SAL_NEW(&pool, pthread_t, jobs + 1);
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.has_free, NULL);
    pthread_cond_init(&c.has_done, NULL);
    if (!make_places(&c, &pool, jobs) || !thread) c.status = SAL_ERR_MEMORY;
    else if (n) employ(&c, thread, jobs, report, user);
    pthread_cond_destroy(&c.has_done);
    pthread_cond_destroy(&c.has_free);
    pthread_mutex_destroy(&c.lock);
    sal_pool_free(&pool);
    return c.status == SAL_ERR_MEMORY ? sal_out_of_memory(sweep->context) : c.status;
}
