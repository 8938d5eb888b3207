/* work.c - see work.h. Worker j of J does the seeds j, j + J, ... and writes each verdict into its pipe. Where one takes
 * too long, or the process ends before its last seed, the parent says so of the seed in question and starts another
 * process with the next. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/property/work.h"
#include "tests/property/report.h"

enum { JOBS = 64 };

typedef struct worker {
    pid_t  pid;
    int    in;    /* the end of the pipe that is read; -1: done */
    int    next;  /* seed whose verdict comes next */
    size_t got;   /* bytes of it */
    double since; /* when it began, on the wall */
} worker;

static double wall(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A scene with all that is asked for of it; runs end by themselves long before, unless the engine hangs. */
static double patience(const options *o)
{
    return 20.0 + 10.0 * o->limits.seconds * (1.0 + 10.0 * o->equivalent + 10.0 * o->verify + 10.0 * o->adjoint);
}

void judge_seed(unsigned long long seed, const options *o, verdict *v)
{
    mechanism m;

    generate(&m, seed);
    judge(&m, &o->limits, v);
    if (o->equivalent) check_equivalents(&m, &o->limits, 0.0, v);
    if (o->verify) check_derivatives(&m, &o->limits, v);
    if (o->adjoint) check_adjoint(&m, &o->limits, v);
}

static void write_all(int to, const void *data, size_t size)
{
    const char *at = data;

    while (size > 0) {
        const ssize_t n = write(to, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(3);
        at += n;
        size -= (size_t)n;
    }
}

static bool start_worker(worker *w, const unsigned long long *seeds, int n, const options *o)
{
    int ends[2];

    w->in  = -1;
    w->got = 0;
    if (w->next >= n) return true;
    if (pipe(ends) != 0) return false;
    fflush(NULL);
    w->pid = fork();
    if (w->pid < 0) return false;
    if (w->pid == 0) {
        close(ends[0]);
        for (int k = w->next; k < n; k += o->jobs) {
            verdict v;
            judge_seed(seeds[k], o, &v);
            write_all(ends[1], &v, sizeof v);
        }
        _exit(0);
    }
    close(ends[1]);
    w->in    = ends[0];
    w->since = wall();
    return true;
}

/* The process is gone: with all done, or with a seed that nobody answers for. */
static bool end_worker(worker *w, const unsigned long long *seeds, int n, const options *o, verdict *verdicts,
                       outcome why)
{
    close(w->in);
    w->in = -1;
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) continue;
    if (w->next >= n) return true;
    verdicts[w->next] = (verdict){ .seed = seeds[w->next], .outcome = why, .first = -1 };
    if (o->one_by_one) report_one(&verdicts[w->next]);
    w->next += o->jobs;
    return start_worker(w, seeds, n, o);
}

static bool read_worker(worker *w, const unsigned long long *seeds, int n, const options *o, verdict *verdicts)
{
    char          spare[1];
    const bool    more = w->next < n;
    const ssize_t got  = more ? read(w->in, (char *)&verdicts[w->next] + w->got, sizeof *verdicts - w->got)
                              : read(w->in, spare, sizeof spare);

    if (got < 0) return errno == EINTR;
    if (got == 0) return end_worker(w, seeds, n, o, verdicts, CRASHES);
    w->got += (size_t)got;
    if (w->got < sizeof *verdicts) return true;
    if (o->one_by_one) report_one(&verdicts[w->next]);
    w->next += o->jobs;
    w->got   = 0;
    w->since = wall();
    return true;
}

bool judge_all(const unsigned long long *seeds, int n, const options *o, verdict *verdicts)
{
    worker w[JOBS];
    bool   fine = true;

    for (int j = 0; j < o->jobs; j++) {
        w[j].next = j;
        fine      = fine && start_worker(&w[j], seeds, n, o);
    }
    while (fine) {
        struct pollfd at[JOBS];
        int           busy = 0;
        for (int j = 0; j < o->jobs; j++) {
            at[j] = (struct pollfd){ w[j].in, POLLIN, 0 }; /* one that is done is passed over */
            busy += w[j].in >= 0;
        }
        if (!busy) break;
        if (poll(at, (nfds_t)o->jobs, 500) < 0 && errno != EINTR) return false;
        for (int j = 0; j < o->jobs; j++) {
            if (w[j].in < 0) continue;
            if (at[j].revents) {
                fine = fine && read_worker(&w[j], seeds, n, o, verdicts);
            } else if (wall() - w[j].since > patience(o)) {
                kill(w[j].pid, SIGKILL);
                fine = fine && end_worker(&w[j], seeds, n, o, verdicts, HANGS);
            }
        }
    }
    return fine;
}
