/* view_work.c - what a page asks for: a scene's text is read, run, or studied, and told with the places of its errors.
 * Everything here belongs to one request: requests share nothing. */
#include <stdlib.h>
#include <string.h>

#include "tools/studies.h"
#include "tools/view.h"

const char *const view_task_names[VIEW_TASKS] = {
#define TASK_NAME(task, name) [task] = name,
    VIEW_TASK_LIST(TASK_NAME)
#undef TASK_NAME
};

typedef struct job {
    const view_work *w;
    session          s;
    sal_run_opts     opts;
    const char     **wrt;
    cJSON           *errors, *warnings, *analysis; /* analysis NULL: none was made */
    double           begin, until;
    bool             cut; /* time was up */
} job;

/* ---------------------------------------------------------------------------------------- messages */

static void add_warning(void *user, const char *text)
{
    cJSON_AddItemToArray(((job *)user)->warnings, cJSON_CreateString(text));
}

static void add_error(job *j, int line, int column, const char *path, const char *text)
{
    cJSON *item = cJSON_CreateObject();

    cJSON_AddNumberToObject(item, "line", line);
    cJSON_AddNumberToObject(item, "column", column);
    cJSON_AddStringToObject(item, "path", path);
    cJSON_AddStringToObject(item, "text", text);
    cJSON_AddItemToArray(j->errors, item);
}

/* What the run or the context says; false, to be returned. */
static bool fail(job *j, sal_status status)
{
    const sal_diagnostic *d;
    char                  text[200];

    if (j->cut) {
        snprintf(text, sizeof text, "it was cut after %g s, before there was anything to show", j->w->seconds);
        return add_error(j, 0, 0, "", text), false;
    }
    if (j->s.run && sal_run_message(j->s.run)[0]) return add_error(j, 0, 0, "", sal_run_message(j->s.run)), false;
    for (int k = 0; (d = sal_error(j->s.context, k)); k++) add_error(j, d->line, d->column, d->path, d->text);
    if (cJSON_GetArraySize(j->errors) == 0) add_error(j, 0, 0, "", sal_status_text(status));
    return false;
}

static bool time_is_up(void *user)
{
    job *j = user;

    if (now() > j->until) j->cut = true;
    return j->cut || j->w->stop(j->w->user);
}

/* ------------------------------------------------------------------------------------------- scene */

static bool open_context(job *j)
{
    sal_context_opts opts = sal_context_defaults();
    sal_status       status;

    opts.log  = add_warning;
    opts.user = j;
    status    = sal_context_create(&opts, &j->s.context);
    if (status != SAL_OK) return add_error(j, 0, 0, "", sal_status_text(status)), false;
    for (int k = 0; k < j->w->a->nplugin; k++) {
        status = sal_plugin_load(j->s.context, j->w->a->plugin[k]);
        if (status != SAL_OK) return fail(j, status);
    }
    return true;
}

static bool open_scene(job *j)
{
    sal_status status = sal_scene_parse(j->s.context, j->w->a->scene, j->w->text, j->w->size, &j->s.scene);

    if (status == SAL_OK) status = sal_model_create(j->s.scene, &j->s.model);
    return status == SAL_OK || fail(j, status);
}

/* Derivatives with respect to all parameters. */
static bool choose_wrt(job *j)
{
    const int p = sal_model_get_info(j->s.model).parameters;

    j->wrt = calloc((size_t)p + 1, sizeof *j->wrt);
    if (!j->wrt) return fail(j, SAL_ERR_MEMORY);
    for (int k = 0; k < p; k++) j->wrt[k] = sal_model_parameter(j->s.model, k);
    j->opts.wrt  = j->wrt;
    j->opts.nwrt = j->w->task == VIEW_RUN ? 0 : p;
    return true;
}

/* ------------------------------------------------------------------------------------------ answer */

static cJSON *tell_job(job *j)
{
    cJSON *more = cJSON_CreateObject();

    cJSON_AddStringToObject(more, "task", view_task_names[j->w->task]);
    cJSON_AddNumberToObject(more, "seconds", now() - j->begin);
    cJSON_AddNumberToObject(more, "limit", j->w->seconds);
    cJSON_AddBoolToObject(more, "cut", j->cut);
    cJSON_AddItemToObject(more, "warnings", j->warnings);
    cJSON_AddItemToObject(more, "errors", j->errors);
    if (j->analysis) cJSON_AddItemToObject(more, "analysis", j->analysis);
    j->warnings = j->errors = j->analysis = NULL;
    return more;
}

static bool tell_errors(job *j, FILE *answer)
{
    cJSON *more = tell_job(j);
    bool   good = send_document(answer, more);

    cJSON_Delete(more);
    return good;
}

static bool tell(job *j, run_report *page, FILE *answer, sal_status status)
{
    return j->w->report ? report_write(page, answer, status) : report_send(page, answer, status, tell_job(j));
}

/* The run from where it stands to its end. */
static run_report *simulate(job *j, sal_status *status)
{
    run_report *page = report_open(&j->s, j->w->a->scene);
    sal_reader  reader;

    if (!page) return NULL;
    reader  = report_reader(page);
    *status = sal_simulate(j->s.run, &reader, 1);
    return page;
}

/* How the mechanism can move at the start, and which parameters do nothing. False: out of memory; what else keeps it
 * from being told the run will say. */
static bool analyse(job *j)
{
    sal_analysis    *a      = NULL;
    const sal_status status = sal_analysis_create(j->s.run, &a);
    cJSON           *unused;

    if (status != SAL_OK) return status != SAL_ERR_MEMORY;
    j->analysis = cJSON_CreateObject();
    cJSON_AddNumberToObject(j->analysis, "freedom", sal_analysis_get_info(a).freedom);
    unused = cJSON_AddArrayToObject(j->analysis, "unused");
    for (int k = 0; sal_analysis_unused_parameter(a, k); k++)
        cJSON_AddItemToArray(unused, cJSON_CreateString(sal_analysis_unused_parameter(a, k)));
    sal_analysis_destroy(&a);
    return true;
}

static bool do_run(job *j, FILE *answer)
{
    sal_status  status = sal_run_create(j->s.model, &j->opts, &j->s.run);
    run_report *page;

    if (status != SAL_OK) return fail(j, status);
    if (!analyse(j)) return fail(j, SAL_ERR_MEMORY);
    page = simulate(j, &status);
    return page ? tell(j, page, answer, status) : fail(j, SAL_ERR_MEMORY);
}

static bool do_cycle(job *j, FILE *answer)
{
    sal_cycle_opts opts = sal_cycle_defaults();
    sal_cycle     *c    = NULL;
    run_report    *page = NULL;
    cJSON         *root = NULL;
    sal_status     status;

    opts.run = j->opts;
    status   = sal_cycle_create(j->s.model, &opts, &c);
    if (status == SAL_OK) status = sal_cycle_find(c);
    if (status == SAL_OK) status = start_on_cycle(&j->s, &j->opts, c);
    if (status == SAL_OK) {
        root = cycle_summary(&j->s, j->w->a->scene, c);
        page = simulate(j, &status);
        if (page) report_add_study(page, "Cycle", root);
        else fail(j, SAL_ERR_MEMORY);
    } else {
        fail(j, status);
    }
    cJSON_Delete(root);
    sal_cycle_destroy(&c);
    return page && tell(j, page, answer, status);
}

static bool do_rest(job *j, FILE *answer)
{
    sal_equilibrium_opts opts  = sal_equilibrium_defaults();
    sal_equilibrium     *e     = NULL;
    sal_modes           *modes = NULL;
    run_report          *page  = NULL;
    cJSON               *root  = NULL;
    sal_status           status;

    opts.run = j->opts;
    status   = sal_equilibrium_create(j->s.model, &opts, &e);
    if (status == SAL_OK) status = sal_equilibrium_find(e);
    if (status == SAL_OK && j->w->task == VIEW_MODES) status = sal_modes_create(e, &modes);
    if (status == SAL_OK) status = start_at_rest(&j->s, &j->opts, e);
    if (status == SAL_OK) {
        root = modes ? modes_summary(&j->s, j->w->a->scene, e, modes) : equilibrium_summary(&j->s, j->w->a->scene, e);
        page = rest_page(&j->s, j->w->a->scene, e, modes, root);
    }
    if (!page) fail(j, status == SAL_OK ? SAL_ERR_MEMORY : status);
    cJSON_Delete(root);
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    return page && tell(j, page, answer, SAL_END);
}

static bool do_task(job *j, FILE *answer)
{
    if (!open_context(j) || !open_scene(j) || !choose_wrt(j)) return false;
    switch (j->w->task) {
    case VIEW_CYCLE: return do_cycle(j, answer);
    case VIEW_EQUILIBRIUM:
    case VIEW_MODES: return do_rest(j, answer);
    default: return do_run(j, answer);
    }
}

static void close_job(job *j)
{
    sal_run_destroy(&j->s.run);
    sal_model_destroy(&j->s.model);
    sal_scene_destroy(&j->s.scene);
    if (j->s.context) sal_context_destroy(&j->s.context);
    cJSON_Delete(j->errors);
    cJSON_Delete(j->warnings);
    cJSON_Delete(j->analysis);
    free(j->wrt);
}

bool view_do(const view_work *w, FILE *answer)
{
    job  j = { .w        = w,
               .opts     = sal_run_defaults(),
               .errors   = cJSON_CreateArray(),
               .warnings = cJSON_CreateArray(),
               .begin    = now() };
    bool done;

    j.until     = j.begin + w->seconds;
    j.opts.stop = time_is_up;
    j.opts.user = &j;
    done        = do_task(&j, answer);
    if (!done && !w->report && j.errors && !w->stop(w->user)) done = tell_errors(&j, answer);
    close_job(&j);
    return done && !w->stop(w->user);
}

static void write_piece(void *user, const char *text)
{
    fputs(text, user);
}

static bool never(void *user)
{
    (void)user;
    return false;
}

bool view_schema(const arguments *a, FILE *answer)
{
    const view_work w    = { .a = a, .stop = never };
    job             j    = { .w = &w, .errors = cJSON_CreateArray(), .warnings = cJSON_CreateArray() };
    const bool      good = open_context(&j) && sal_describe_schema(j.s.context, write_piece, answer) == SAL_OK;

    close_job(&j);
    return good;
}
