/* cmd_sens_adjoint.c - saltus sens --adjoint: gradients of costs by one sweep back over a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"

/* The costs asked for, into names [costs of the scene]; how many. */
int choose_costs(const session *s, const arguments *a, const char **names)
{
    int count = 0;

    for (int k = 0; sal_model_cost(s->model, k); k++) {
        if (cost_is_asked(a, sal_model_cost(s->model, k))) names[count++] = sal_model_cost(s->model, k);
    }
    return count;
}

/* The run has no derivatives of its own: those asked for are the adjoint's. */
static int make_adjoint(session *s, arguments *a, sal_adjoint **adjoint)
{
    const char     **costs = need_zeros((size_t)sal_model_get_info(s->model).costs + 1, sizeof *costs);
    sal_adjoint_opts o     = sal_adjoint_defaults();
    sal_status       status;
    int              code;

    o.wrt        = a->opts.wrt;
    o.nwrt       = a->opts.nwrt;
    o.costs      = costs;
    o.ncosts     = choose_costs(s, a, costs);
    o.memory     = a->memory;
    a->opts.wrt  = NULL; /* the session keeps the names */
    a->opts.nwrt = 0;
    code         = session_start(s, a);
    if (code == EXIT_SUCCESS) {
        status = sal_adjoint_create(s->run, &o, adjoint);
        if (status != SAL_OK) code = report(sal_message(s->context), status);
    }
    free(costs);
    return code;
}

static int cost_index(const session *s, const char *name)
{
    int k = 0;

    while (strcmp(sal_model_cost(s->model, k), name) != 0) k++;
    return k;
}

static void fill(cJSON *root, const session *s, const sal_adjoint *adjoint, bool swept)
{
    const sal_adjoint_info info = sal_adjoint_get_info(adjoint);
    cJSON                 *costs;

    cJSON_AddNumberToObject(root, "t", sal_run_time(s->run));
    cJSON_AddBoolToObject(root, "adjoint", true);
    if (info.note[0]) cJSON_AddStringToObject(root, "note", info.note);
    cJSON_AddItemToObject(root, "health", health_object(s->run));
    cJSON_AddNumberToObject(root, "steps", (double)info.steps);
    cJSON_AddNumberToObject(root, "made_again", (double)info.remade);
    cJSON_AddNumberToObject(root, "memory", (double)info.memory);
    costs = cJSON_AddObjectToObject(root, "costs");
    for (int k = 0; k < info.costs && swept; k++) {
        const char *name = sal_adjoint_cost(adjoint, k);
        cJSON      *cost = cJSON_AddObjectToObject(costs, name), *gradient;
        cJSON_AddNumberToObject(cost, "value", sal_run_costs(s->run)[cost_index(s, name)]);
        gradient = cJSON_AddObjectToObject(cost, "gradient");
        for (int c = 0; c < info.wrt; c++)
            cJSON_AddNumberToObject(gradient, sal_adjoint_wrt(adjoint, c), sal_adjoint_gradient(adjoint, k)[c]);
    }
}

/* A line for each parameter: there may be thousands. */
static void print_gradients(const session *s, const sal_adjoint *adjoint)
{
    const sal_adjoint_info info = sal_adjoint_get_info(adjoint);

    printf("  %-24s", "");
    for (int k = 0; k < info.costs; k++) printf(" %18s", sal_adjoint_cost(adjoint, k));
    printf("\n  %-24s", "value");
    for (int k = 0; k < info.costs; k++)
        printf(" %18.12g", sal_run_costs(s->run)[cost_index(s, sal_adjoint_cost(adjoint, k))]);
    printf("\n");
    for (int c = 0; c < info.wrt; c++) {
        char name[100];
        snprintf(name, sizeof name, "d/d %s", sal_adjoint_wrt(adjoint, c));
        printf("  %-24s", name);
        for (int k = 0; k < info.costs; k++) printf(" %18.12g", sal_adjoint_gradient(adjoint, k)[c]);
        printf("\n");
    }
    if (info.note[0]) printf("  %s\n", info.note);
    if (sal_run_get_health(s->run).verdict != SAL_GOOD) print_health(s->run);
    printf("  adjoint: %ld steps, %.3g MB kept", info.steps, (double)info.memory / 1048576.0);
    if (info.remade)
        printf(", %ld steps made again (%.2g runs)", info.remade, (double)info.remade / (double)info.steps);
    printf("\n");
}

int check_costs_alone(const arguments *a)
{
    const char *const option = a->output ? "--output" : a->report ? "--report" : a->columns ? "--columns" : NULL;

    if (!option) return EXIT_SUCCESS;
    fprintf(stderr, "saltus: %s: with %s there are gradients of costs alone; without it there is all of the run\n",
            option, a->adjoint ? "--adjoint" : "--gradients");
    return EXIT_USAGE;
}

int command_sens_adjoint(arguments *a)
{
    session      s       = { 0 };
    sal_adjoint *adjoint = NULL;
    sal_status   status;
    cJSON       *root, *all;
    int          code = check_costs_alone(a);

    if (code == EXIT_SUCCESS) code = session_open(&s, a);
    if (code == EXIT_SUCCESS) code = check_costs(&s, a);
    if (code == EXIT_SUCCESS) code = session_wrt(&s, a);
    if (code == EXIT_SUCCESS) code = make_adjoint(&s, a, &adjoint);
    if (code != EXIT_SUCCESS) {
        session_close(&s, a);
        return code;
    }
    catch_interrupts();
    progress_begin(s.run);
    status = sal_simulate(s.run, (sal_reader[]){ sal_adjoint_reader(adjoint) }, 1);
    if (status < 0) code = report(sal_run_message(s.run), status);
    if (status == SAL_END) status = sal_adjoint_sweep(adjoint);
    progress_end();
    if (status < 0 && code == EXIT_SUCCESS) code = report(sal_message(s.context), status);
    if (status == SAL_STOPPED) code = EXIT_STOPPED;
    if (status == SAL_ERR_NUMBER && sal_run_time(s.run) >= 0.0 && !sal_run_message(s.run)[0]) code = EXIT_MISMATCH;
    root = cJSON_CreateObject();
    fill(root, &s, adjoint, status == SAL_OK);
    all = json_result("sens", &s, a, status_word(status == SAL_OK ? SAL_END : status), root);
    if (a->json) print_json(all);
    else if (status == SAL_OK) print_gradients(&s, adjoint);
    stdout_written();
    code = strict_code(&s, a, code);
    cJSON_Delete(all);
    cJSON_Delete(root);
    sal_adjoint_destroy(&adjoint);
    session_close(&s, a);
    return code;
}
