/* cmd_sweep.c - saltus sweep: many cases of a scene as one table. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/spread.h"
#include "tools/sweep/summary.h"

static const char help[] =
    "saltus sweep SCENE --over NAME=... [options]\n"
    "\n"
    "Computes the scene for many values of its parameters, on all processors, and tells each case as a line of a "
    "table.\n"
    "\n"
    "  --over NAME=FROM:TO:COUNT  a parameter, or initial(P.x), ..., in equal steps; FROM:TO:COUNT:log in equal "
    "ratios\n"
    "  --over NAME=A,B,...        or these values. Several --over: all combinations, the last one changes first\n"
    "  --sample N         N cases drawn from distributions in place of a grid, each --over one of\n"
    "                     NAME=uniform(FROM, TO), normal(MEAN, DEVIATION), lognormal(MU, SIGMA): exp of normal(MU, "
    "SIGMA)\n"
    "  --method METHOD    random (when absent), latin (hypercube) or sobol (digitally shifted; best with N = 2^k)\n"
    "  --seed NUMBER      of the sample; 1 when absent\n"
    "  --study STUDY      of each case: run (when absent), cycle or equilibrium\n"
    "  --columns A,B,...  what to tell of each. Of a run: expressions and outputs at its end, cost(NAME), "
    "time(EVENT),\n"
    "                     time(EVENT, K), time(K): when it happens for the K-th time, events, events(EVENT): how "
    "many.\n"
    "                     Of a cycle: period, length, largest, stable, x(P), vx(P), ..., outputs, cost(NAME). Of an\n"
    "                     equilibrium: energy, stiffness, stable, x(P), ..., outputs, reactions. When absent the usual "
    "ones\n"
    "  --wrt A,B,...      with the exact derivatives of these columns as columns \"d Y/d A\"\n"
    "  -o, --output FOLDER  write sweep.csv, sweep.npz (NumPy) and summary.json there\n"
    "  --resume           go on with a sweep that was interrupted or killed: the same tables, bit for bit\n"
    "  --partial          with --resume: compute nothing, write what is known of such a sweep to partial.csv\n"
    "  --jobs N           threads; as many as there are processors when absent\n"
    "  --limit SECONDS    a case that takes longer fails (which then depends on the machine)\n"
    "  --set NAME=VALUE   give a parameter another value in all cases; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  --section EVENT, --steps N  of cycles, see saltus cycle\n"
    "  --form FORM        index1, penalty, or index3 by implicit steps\n"
    "  --integrator NAME  auto, rk8, rk5, or radau for what is stiff\n"
    "  --rtol NUMBER      relative tolerance of a step\n"
    "  --duration SECONDS how long to simulate\n"
    "  -q, --quiet        print no summary; errors and warnings only\n"
    "  --strict           cases that fail or are doubtful are failures: exit code 10\n"
    "  --json             print the summary as JSON\n"
    "\n"
    "A case that fails is recorded with its message; the others go on. Every case is computed by itself, with the "
    "same\n"
    "numbers as saltus run, cycle or equilibrium with --set, whatever the number of threads. Ctrl-C ends with what is\n"
    "known, to be resumed. Ends with exit code 5 when all cases failed. Over several machines: saltus-mpi sweep.\n";

typedef struct sweeping {
    arguments      a;
    session        s;
    plan           plan;
    sal_sweep_opts opts;
    sal_sweep     *sweep;
    char          *columns; /* --columns, cut in pieces */
    const char   **column, **over;
    char          *identity;
    table          table;
} sweeping;

/* ------------------------------------------------------------------------------------------- options */

static const char *const study_names[] = { "run", "cycle", "equilibrium" };

static bool read_study(sweeping *w)
{
    const char *text = w->a.word[WORD_STUDY];

    for (int k = 0; k < 3; k++) {
        if (text && strcmp(study_names[k], text) != 0) continue;
        w->opts.study = (sal_study)k;
        return true;
    }
    fprintf(stderr, "saltus: --study: expected run, cycle or equilibrium, found '%s'\n", text);
    return false;
}

static bool read_jobs(sweeping *w)
{
    const char *text = w->a.word[WORD_JOBS];
    double      jobs = 0.0;

    if (!text) return true;
    if (!read_between("--jobs", text, 1.0, 4096.0, &jobs)) return false;
    w->opts.jobs = (int)jobs;
    if (w->opts.jobs != jobs) fprintf(stderr, "saltus: --jobs: expected a whole number, found %s\n", text);
    return w->opts.jobs == jobs;
}

static bool read_columns(sweeping *w)
{
    const char *text = w->a.word[WORD_COLUMNS];
    const int   most = text ? (int)strlen(text) + 1 : 1;

    w->columns = strdup(text ? text : "");
    w->column  = calloc((size_t)most, sizeof *w->column);
    w->over    = calloc((size_t)w->plan.n + 1, sizeof *w->over);
    if (!w->columns || !w->column || !w->over) return report("saltus: out of memory", SAL_ERR_MEMORY), false;
    for (int k = 0; k < w->plan.n; k++) w->over[k] = w->plan.axis[k].name;
    if (text) w->opts.ncolumns = split_pieces(w->columns, (char **)w->column, most);
    for (int k = 0; k < w->opts.ncolumns; k++) {
        if (!*w->column[k]) return fprintf(stderr, "saltus: --columns: one of '%s' is empty\n", text), false;
    }
    return true;
}

/* Names of columns in a table, which has those of what is swept over, too. */
static int check_columns(const sweeping *w)
{
    static const char *const taken[] = { "case", "status", "message", "message_case" };

    for (int k = 0; k < sal_sweep_column_count(w->sweep); k++) {
        const char *name = sal_sweep_column(w->sweep, k);
        bool        bad  = false;
        for (int i = 0; i < 4; i++) bad = bad || !strcmp(taken[i], name);
        for (int i = 0; i < w->plan.n; i++) bad = bad || !strcmp(w->plan.axis[i].name, name);
        if (!bad) continue;
        fprintf(stderr, "saltus: --columns: the table has a column '%s' already; write it as 1*%s\n", name, name);
        return EXIT_USAGE;
    }
    return EXIT_SUCCESS;
}

static int prepare(sweeping *w, int argc, char **argv)
{
    double     limit = 0.0;
    sal_status status;
    int        code;

    if (!read_arguments(argc, argv, ACCEPT_SWEEP, help, &w->a, &code)) return w->a.scene = NULL, code;
    w->opts = sal_sweep_defaults();
    if (!plan_read(&w->plan, &w->a) || !read_study(w) || !read_jobs(w) || !read_columns(w)) return EXIT_USAGE;
    if (w->a.word[WORD_LIMIT] && !read_between("--limit", w->a.word[WORD_LIMIT], 1e-6, 1e9, &limit)) return EXIT_USAGE;
    if (w->a.word[WORD_RESUME] && !w->a.output)
        return fprintf(stderr, "saltus: --resume: of which sweep? Give its --output\n"), EXIT_USAGE;
    if (w->a.word[WORD_PARTIAL] && !w->a.word[WORD_RESUME])
        return fprintf(stderr, "saltus: --partial is for --resume\n"), EXIT_USAGE;
    code = session_open(&w->s, &w->a);
    if (code == EXIT_SUCCESS && w->a.wrt_text) code = session_wrt(&w->s, &w->a);
    if (code != EXIT_SUCCESS) return code;
    w->opts.over         = w->over;
    w->opts.nover        = w->plan.n;
    w->opts.columns      = w->column;
    w->opts.section      = w->a.section;
    w->opts.steps        = w->a.steps;
    w->opts.run          = w->a.opts;
    w->opts.run.max_wall = limit;
    status               = sal_sweep_create(w->s.model, &w->opts, &w->sweep);
    if (status != SAL_OK) return report(sal_message(w->s.context), status);
    code = check_columns(w);
    if (code != EXIT_SUCCESS) return code;
    w->identity = sweep_identity(&w->a, &w->s, &w->plan, w->sweep);
    return w->identity ? EXIT_SUCCESS : EXIT_RUN;
}

/* ------------------------------------------------------------------------------------------- results */

static int stopped(const table *t)
{
    fprintf(stderr, "saltus: interrupted: %ld of %ld cases are known", t->known, t->plan->cases);
    if (t->folder) fprintf(stderr, ", and kept in '%s': go on with --resume", t->folder);
    fprintf(stderr, "\n");
    return EXIT_STOPPED;
}

/* The exit code of a sweep in which so many cases failed, or are doubtful. */
static int verdict(const sweeping *w, long failed, long doubtful)
{
    if (failed == w->plan.cases) return EXIT_RUN;
    return w->a.strict && (failed || doubtful) ? EXIT_DOUBTFUL : EXIT_SUCCESS;
}

/* Of a sweep whose tables are there already, with its summary, which goes. */
static int tell_finished(const sweeping *w, cJSON *summary)
{
    const cJSON *failed = cJSON_GetObjectItem(summary, "failed"), *doubtful = cJSON_GetObjectItem(summary, "doubtful");
    const int    code = verdict(w, failed ? failed->valueint : 0, doubtful ? doubtful->valueint : 0);

    if (w->a.json) print_json_result("sweep", &w->s, &w->a, "done", summary);
    else printf("%s: all %ld cases are there\n", w->table.folder, w->plan.cases);
    cJSON_Delete(summary);
    return code;
}

static int finish(sweeping *w, double seconds)
{
    table  *t       = &w->table;
    nominal m       = { 0 };
    cJSON  *summary = NULL;
    int     code = EXIT_SUCCESS, status = SAL_OK;

    if (w->plan.sampled) status = nominal_find(&m, w->s.model, &w->plan, &w->opts, w->s.context);
    if (status != SAL_STOPPED && status != SAL_ERR_MEMORY) summary = sweep_summary(t, &w->a, &m);
    nominal_free(&m);
    if (status == SAL_STOPPED) return stopped(t);
    if (!summary) return report("saltus: out of memory", SAL_ERR_MEMORY);
    if (t->folder && t->known == t->plan->cases) {
        code = table_write(t, summary);
        if (code == EXIT_SUCCESS) journal_close(t, true);
    }
    if (w->a.json) {
        print_json_result("sweep", &w->s, &w->a, t->known < t->plan->cases ? "interrupted" : "done", summary);
    } else {
        print_title(&w->s, w->a.scene);
        print_sweep(summary, t, seconds);
    }
    cJSON_Delete(summary);
    if (fflush(stdout) != 0 && code == EXIT_SUCCESS) code = EXIT_OUTPUT;
    return code;
}

static int lead(sweeping *w)
{
    table     *t        = &w->table;
    char      *identity = w->identity;
    double     started  = now();
    cJSON     *finished;
    progress   shown;
    sal_status status;
    int        code;

    w->identity = NULL; /* the table's from now on */
    if (!table_create(t, &w->plan, w->sweep, w->a.output, identity)) return EXIT_RUN;
    code = journal_open(t, w->a.word[WORD_RESUME] != NULL, &finished);
    if (code != EXIT_SUCCESS) return code;
    if (finished) return tell_finished(w, finished);
    if (w->a.word[WORD_PARTIAL]) {
        if (!table_write_csv(t, "partial.csv")) return EXIT_OUTPUT;
        return printf("%s/partial.csv: %ld of %ld cases\n", t->folder, t->known, t->plan->cases), EXIT_SUCCESS;
    }
    catch_interrupts();
    sweep_progress_start(&shown, t);
    status = t->known < t->plan->cases ? spread_cases(w->sweep, t, &shown) : SAL_OK;
    sweep_progress_end(&shown);
    if (status < 0) return status == SAL_ERR_FILE ? EXIT_OUTPUT : EXIT_RUN;
    if (status == SAL_STOPPED && t->folder) return stopped(t);
    code = finish(w, now() - started);
    if (status == SAL_STOPPED) return stopped(t);
    return code == EXIT_SUCCESS ? verdict(w, t->failed, t->doubtful) : code;
}

int command_sweep(int argc, char **argv)
{
    sweeping w = { 0 };
    int      code;

    w.table.journal = -1;
    code            = prepare(&w, argc, argv);
    if (spread_helps()) code = spread_help(w.sweep, &w.plan, w.identity, code);
    else if (code == EXIT_SUCCESS && w.sweep) code = lead(&w);
    journal_close(&w.table, false);
    table_free(&w.table);
    sal_sweep_destroy(&w.sweep);
    free(w.identity);
    free(w.columns);
    free(w.column);
    free(w.over);
    plan_free(&w.plan);
    if (w.a.scene) session_close(&w.s, &w.a);
    return code;
}
