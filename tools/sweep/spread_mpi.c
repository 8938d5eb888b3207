/* spread_mpi.c - saltus-mpi: rank 0 has the table and hands out cases, the other ranks compute them.
 *
 *     helper -> rank 0   HELLO    what it would compute (identity.c), or why it cannot
 *     rank 0 -> helper   WORK     cases: number, values; none: go home
 *     helper -> rank 0   RESULT   seconds it took, whether it goes on, and the records of those cases
 *
 * Batches take about a tenth of a second (batch_seconds), as measured, and less towards the end, so that all ranks end
 * together: few messages, and little lost when a rank is killed. Rank 0 sleeps between messages. A helper that cannot
 * go on (a plug-in that is missing on its machine, no memory, a signal) says so and goes home; what it had is handed
 * out again. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/sweep/spread.h"

enum { HELLO = 1, WORK, RESULT };

static const double PATIENCE = 5.0;   /* [s] for helpers to come home after an interruption */
static const long   MOST     = 10000; /* cases in a batch */

static int   rank, size;
static FILE *said;    /* by this helper, in place of stderr */
static int  *at_home; /* [size] helpers that need not be told to go */

static void sleep_a_little(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
}

/* Helpers are quiet: what they have to say goes to rank 0, which says it once. */
static void be_quiet(void)
{
    said = tmpfile();
    if (said) dup2(fileno(said), STDERR_FILENO);
    if (!freopen("/dev/null", "w", stdout)) return; /* it then writes as the others do */
}

void spread_begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) be_quiet();
    else at_home = calloc((size_t)size, sizeof *at_home);
    if (rank == 0 && !at_home) MPI_Abort(MPI_COMM_WORLD, EXIT_RUN);
}

bool spread_helps(void)
{
    return rank > 0;
}

/* Waits for the next message without taking a processor; false: nothing has come for so long [s]. */
static bool wait_for(int tag, MPI_Status *status, int *bytes, double patience)
{
    const double until = now() + patience;
    int          there = 0;

    for (;;) {
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, status);
        if (there) break;
        if (now() > until) return false;
        sleep_a_little();
    }
    MPI_Get_count(status, MPI_BYTE, bytes);
    return true;
}

static void *receive(const MPI_Status *status, int bytes)
{
    char *message = malloc((size_t)bytes + 1);

    if (!message) return NULL;
    MPI_Recv(message, bytes, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    message[bytes] = '\0';
    return message;
}

static void dismiss(int helper)
{
    MPI_Send(NULL, 0, MPI_BYTE, helper, WORK, MPI_COMM_WORLD);
    at_home[helper] = 1;
}

/* ------------------------------------------------------------------------------------------- helpers */

/* A case of a batch: its number, then its values. */
static size_t case_bytes(const plan *p)
{
    return sizeof(int64_t) + (size_t)p->n * sizeof(double);
}

static void say_hello(const char *identity, int code)
{
    char   text[4096];
    size_t n = 0;

    if (identity && code == EXIT_SUCCESS) {
        MPI_Send(identity, (int)strlen(identity), MPI_BYTE, 0, HELLO, MPI_COMM_WORLD);
        return;
    }
    n = (size_t)snprintf(text, sizeof text, "!");
    fflush(stderr);
    if (said && fseek(said, 0, SEEK_SET) == 0) n += fread(text + n, 1, sizeof text - n - 1, said);
    MPI_Send(text, (int)n, MPI_BYTE, 0, HELLO, MPI_COMM_WORLD);
}

/* The head of a result: what rank 0 has to know of the batch. */
typedef struct batch_end {
    double seconds;
    double goes_on; /* 1 or 0 */
} batch_end;

/* Computes a batch; `out` has the head and the records. False: it cannot go on. */
static bool compute_batch(const sal_sweep *s, const plan *p, const char *work, int bytes, record *out, double *row)
{
    const int    columns = sal_sweep_column_count(s);
    const double started = now();
    double      *values  = malloc((size_t)p->n * sizeof *values + 1);
    char         message[512];
    bool         good = values != NULL;
    batch_end    end;

    out->n = sizeof end;
    for (size_t at = 0; at < (size_t)bytes && good; at += case_bytes(p)) {
        int64_t    index;
        sal_status status;
        memcpy(&index, work + at, sizeof index);
        memcpy(values, work + at + sizeof index, (size_t)p->n * sizeof *values);
        status = sal_sweep_case(s, values, row, message, sizeof message);
        good   = status != SAL_STOPPED && status != SAL_ERR_MEMORY &&
               record_add(out, columns, (long)index, status, row, message);
    }
    end = (batch_end){ now() - started, good };
    memcpy(out->at, &end, sizeof end);
    free(values);
    return good;
}

int spread_help(const sal_sweep *s, const plan *p, const char *identity, int code)
{
    double *row = s ? malloc((size_t)sal_sweep_column_count(s) * sizeof *row + 1) : NULL;
    record  out = { .at = malloc(4096), .room = 4096 };

    if (!row || !out.at) code = EXIT_RUN;
    catch_interrupts();
    say_hello(identity, code);
    for (;;) {
        MPI_Status status;
        int        bytes;
        char      *work;
        wait_for(WORK, &status, &bytes, 1e9);
        work = receive(&status, bytes);
        if (!work || bytes == 0 || code != EXIT_SUCCESS) {
            free(work);
            break;
        }
        compute_batch(s, p, work, bytes, &out, row);
        MPI_Send(out.at, (int)out.n, MPI_BYTE, 0, RESULT, MPI_COMM_WORLD);
        free(work);
    }
    free(row);
    free(out.at);
    return EXIT_SUCCESS; /* that of the job is that of rank 0 */
}

/* --------------------------------------------------------------------------------------------- rank 0 */

typedef struct leader {
    table    *t;
    progress *progress;
    long     *open; /* cases to be handed out, [from, to) */
    long      from, to;
    long    **batch;   /* [size] what each helper has */
    int      *count;   /* [size] of these; 0: it has nothing */
    bool     *idle;    /* [size] waits for work that others might give back */
    double    seconds; /* of a case, as measured; 0: not known yet */
    int       helpers, working;
    bool      stopping, failed;
} leader;

static long batch_size(const leader *l)
{
    const long fair = (l->to - l->from) / (2 * (long)(l->helpers ? l->helpers : 1)) + 1;
    const long wish = l->seconds > 0.0 ? (long)(batch_seconds(size - 1) / l->seconds) + 1 : 1;
    long       n    = wish < fair ? wish : fair;

    if (n > MOST) n = MOST;
    return n < l->to - l->from ? n : l->to - l->from;
}

static void send_home(leader *l, int helper)
{
    dismiss(helper);
    l->idle[helper] = false;
    l->helpers--;
}

/* The next batch. */
static void hand_out(leader *l, int helper)
{
    const plan  *p    = l->t->plan;
    const size_t each = case_bytes(p);
    const long   n    = batch_size(l);
    char        *work = malloc((size_t)n * each);

    free(l->batch[helper]);
    l->batch[helper] = malloc((size_t)n * sizeof(long));
    if (!work || !l->batch[helper]) {
        free(work);
        send_home(l, helper);
        return;
    }
    for (long k = 0; k < n; k++) {
        const int64_t index = l->open[l->from++];
        l->batch[helper][k] = (long)index;
        memcpy(work + (size_t)k * each, &index, sizeof index);
        memcpy(work + (size_t)k * each + sizeof index, p->values + index * p->n, (size_t)p->n * sizeof(double));
    }
    l->count[helper] = (int)n;
    l->idle[helper]  = false;
    l->working++;
    MPI_Send(work, (int)((size_t)n * each), MPI_BYTE, helper, WORK, MPI_COMM_WORLD);
    free(work);
}

/* Those that wait get what there is, or go home when nothing can come any more. */
static void serve(leader *l)
{
    for (int k = 1; k < size; k++) {
        if (!l->idle[k]) continue;
        if (l->stopping || (l->from == l->to && l->working == 0)) send_home(l, k);
        else if (l->from < l->to) hand_out(l, k);
    }
}

/* What a helper had and did not do is open again; it was taken from there, so there is room for it. */
static void take_back(leader *l, int helper)
{
    for (int k = 0; k < l->count[helper]; k++) {
        if (l->t->state[l->batch[helper][k]] == CASE_OPEN) l->open[--l->from] = l->batch[helper][k];
    }
    l->count[helper] = 0;
    l->working--;
}

static void hear_hello(leader *l, int helper, const char *text)
{
    l->idle[helper] = !strcmp(text, l->t->identity);
    if (l->idle[helper]) return;
    sweep_progress_end(l->progress);
    fprintf(stderr, "saltus: rank %d does not take part: ", helper);
    print_shown(stderr, text[0] == '!' ? text + 1 : "its scene, plug-ins, options or version are others\n");
    send_home(l, helper);
}

static void hear_result(leader *l, int helper, const char *message, int bytes)
{
    const size_t head = sizeof(batch_end);
    const long   n    = l->count[helper];
    batch_end    end;

    memcpy(&end, message, head);
    if (records_keep(l->t, (const unsigned char *)message + head, (size_t)bytes - head) != (size_t)bytes - head)
        l->failed = l->stopping = true;
    take_back(l, helper);
    if (end.goes_on == 1.0 && n)
        l->seconds = l->seconds > 0.0 ? 0.5 * l->seconds + 0.5 * end.seconds / (double)n : end.seconds / (double)n;
    sweep_progress_show(l->progress, l->t);
    l->idle[helper] = end.goes_on == 1.0;
    if (!l->idle[helper]) send_home(l, helper);
}

static void lead(leader *l)
{
    double stopped_at = 0.0;

    while (l->helpers > 0) {
        MPI_Status status;
        int        bytes;
        char      *message;
        if (interrupted && !l->stopping) {
            l->stopping = true;
            stopped_at  = now();
            sweep_progress_end(l->progress);
            fprintf(stderr, "saltus: stopping: %ld of %ld cases are known; %s\n", l->t->known, l->t->plan->cases,
                    l->t->folder ? "they are kept, go on with --resume" : "they are lost without --output");
        }
        serve(l);
        if (l->helpers == 0) break;
        if (!wait_for(MPI_ANY_TAG, &status, &bytes, 0.1)) {
            if (stopped_at == 0.0 || now() - stopped_at < PATIENCE) continue;
            fprintf(stderr, "saltus: %d ranks do not come home\n", l->helpers);
            MPI_Abort(MPI_COMM_WORLD, EXIT_STOPPED);
        }
        message = receive(&status, bytes);
        if (!message) {
            report("saltus: out of memory", SAL_ERR_MEMORY);
            MPI_Abort(MPI_COMM_WORLD, EXIT_RUN);
        }
        if (status.MPI_TAG == HELLO) hear_hello(l, status.MPI_SOURCE, message);
        else hear_result(l, status.MPI_SOURCE, message, bytes);
        free(message);
    }
}

static sal_status outcome(const leader *l)
{
    if (l->failed) return SAL_ERR_FILE;
    if (l->t->known == l->t->plan->cases) return SAL_OK;
    if (interrupted) return SAL_STOPPED;
    fprintf(stderr, "saltus: no rank is left to compute: %ld of %ld cases are known\n", l->t->known, l->t->plan->cases);
    return SAL_ERR_LIMIT;
}

sal_status spread_cases(const sal_sweep *s, table *t, progress *p)
{
    leader     l = { .t = t, .progress = p, .helpers = size - 1 };
    sal_status status;

    if (size == 1) return cases_by_threads(s, t, p);
    l.open  = malloc((size_t)t->plan->cases * sizeof *l.open);
    l.batch = calloc((size_t)size, sizeof *l.batch);
    l.count = calloc((size_t)size, sizeof *l.count);
    l.idle  = calloc((size_t)size, sizeof *l.idle);
    if (!l.open || !l.batch || !l.count || !l.idle) {
        status = SAL_ERR_MEMORY;
        report("saltus: out of memory", status);
    } else {
        for (long i = 0; i < t->plan->cases; i++) {
            if (t->state[i] == CASE_OPEN) l.open[l.to++] = i;
        }
        lead(&l);
        status = outcome(&l);
    }
    for (int k = 0; k < size && l.batch; k++) free(l.batch[k]);
    free(l.batch);
    free(l.count);
    free(l.idle);
    free(l.open);
    return status;
}

/* Helpers that have not been told to go are waiting for that, or will be. */
void spread_end(void)
{
    MPI_Status status;
    int        bytes, left = 0;

    for (int k = 1; rank == 0 && k < size; k++) left += !at_home[k];
    while (left > 0) {
        if (!wait_for(HELLO, &status, &bytes, 60.0)) MPI_Abort(MPI_COMM_WORLD, EXIT_RUN);
        free(receive(&status, bytes));
        dismiss(status.MPI_SOURCE);
        left--;
    }
    free(at_home);
    at_home = NULL;
    MPI_Finalize();
}
