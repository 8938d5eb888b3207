/* cmd_sens.c - saltus sens: simulates a scene with the derivatives of its motion. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"

static const char help[] =
    "saltus sens SCENE [options]\n"
    "\n"
    "Simulates the scene together with the derivatives of its motion, of the times of its events and of its costs with "
    "respect to parameters, exact\n"
    "through every event.\n"
    "\n"
    "  --wrt A,B,...      with respect to these parameters, initial(P.x), .y, .vx, .vy, or initial(NAME) of memory;\n"
    "                     all parameters when absent\n"
    "  --cost A,B,...     these costs only\n"
    "  --adjoint          the gradients of costs alone, by one sweep back over the run: for many parameters; the same\n"
    "                     numbers as without, on the steps of the plain run\n"
    "  --gradients HOW    the gradients of costs alone, forward, by the adjoint, or as is cheaper: forward, adjoint, "
    "cheaper;\n"
    "                     forward too where the adjoint refuses something\n"
    "  --memory BYTES     with --adjoint: no more of the run is kept than that, 500k, 64M, 2G; what is not is made "
    "again\n"
    "  --set NAME=VALUE   give a parameter another value: a number, or an expression of parameters; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  -q, --quiet        print no summary; errors and warnings only\n"
    "  --form FORM        index1 or penalty\n"
    "  --integrator NAME  auto, rk8, rk5, or radau for what is stiff\n"
    "  --rtol NUMBER      relative tolerance of a step\n"
    "  --duration SECONDS how long to simulate\n"
    "  -o, --output FOLDER  write sensitivities.csv, columns.csv, states.csv, events.csv and summary.json\n"
    "  --columns A,B,...  columns.csv with these expressions and their derivatives: \"angle(bar), closed(floor)\"; "
    "all\n"
    "                     outputs and reactions when absent\n"
    "  --units            in the headers of the tables: x(P2) [m]\n"
    "  --events N         print that many events, 20 if not given; 0: all\n"
    "  --report FILE      write a page with the motion (HTML), as saltus report does\n"
    "  --strict           warnings, and a run whose health is doubtful, are failures: exit code 10\n"
    "  --json             print the gradients as JSON\n"
    "\n"
    "Ends with exit code 7 when an event has no derivative, and the result is not valid from there on.\n"
    "Derivatives at the end follow the end of the run where that depends on parameters, like those of costs;\n"
    "sensitivities.csv has those of positions, velocities and multipliers at fixed time, at the times of states.csv.\n";

typedef struct gradients {
    cJSON           *root, *events;
    double          *most;  /* [p] largest derivative seen: has the parameter any effect? */
    double          *final; /* [2n][p] derivatives of the state at the end */
    int              p;
    bool            *chosen; /* [m] its multiplier or impulse was a matter of choice */
    const sal_model *model;
} gradients;

static void note_effect(gradients *g, const double *rows, int count)
{
    for (int k = 0; k < count * g->p; k++)
        if (!(fabs(rows[k]) <= g->most[k % g->p])) g->most[k % g->p] = isnan(rows[k]) ? INFINITY : fabs(rows[k]);
}

static cJSON *by_parameter(const sal_run *run, const double *row)
{
    cJSON *object = cJSON_CreateObject();

    for (int c = 0; c < sal_run_wrt_count(run); c++) cJSON_AddNumberToObject(object, sal_run_wrt(run, c), row[c]);
    return object;
}

static void add_event(void *self, const sal_run *run)
{
    gradients *g    = self;
    cJSON     *item = cJSON_CreateObject();

    cJSON_AddStringToObject(item, "event", sal_run_event(run).name);
    cJSON_AddNumberToObject(item, "t", sal_run_event(run).time);
    cJSON_AddItemToObject(item, "gradient", by_parameter(run, sal_run_event_gradient(run)));
    list_chosen(item, g->model, run, sal_run_impulse_chosen);
    cJSON_AddItemToArray(g->events, item);
    note_effect(g, sal_run_event_gradient(run), 1);
}

static void note_state(void *self, const sal_run *run)
{
    gradients           *g    = self;
    const sal_model_info info = sal_model_get_info(g->model);

    note_effect(g, sal_run_Q(run), info.coordinates);
    note_effect(g, sal_run_V(run), info.coordinates);
    note_effect(g, sal_run_Lambda(run), info.constraints);
    note_effect(g, sal_run_cost_gradients(run), info.costs);
    for (int k = 0; k < info.constraints; k++)
        g->chosen[k] = g->chosen[k] || sal_run_lambda_chosen(run, k) || sal_run_impulse_chosen(run, k);
}

static void add_chosen(gradients *g)
{
    cJSON *list = cJSON_AddArrayToObject(g->root, "chosen");

    for (int k = 0; k < sal_model_get_info(g->model).constraints; k++) {
        if (g->chosen[k]) cJSON_AddItemToArray(list, cJSON_CreateString(sal_model_constraint(g->model, k)));
    }
}

static void fill(gradients *g, const session *s, const arguments *a, sal_status status)
{
    const sal_model_info info = sal_model_get_info(s->model);
    const int            p    = g->p;
    cJSON               *item;
    double               phi, phidot, *q = g->final, *v = q + info.coordinates * p;

    sal_run_wrt_residuals(s->run, &phi, &phidot);
    if (status < 0) cJSON_AddStringToObject(g->root, "message", sal_run_message(s->run));
    cJSON_AddNumberToObject(g->root, "t", sal_run_time(s->run));
    cJSON_AddStringToObject(g->root, "invalid", sal_run_wrt_invalid(s->run));
    if (sal_run_wrt_note(s->run)[0]) cJSON_AddStringToObject(g->root, "note", sal_run_wrt_note(s->run));
    cJSON_AddItemToObject(g->root, "health", health_object(s->run));
    add_chosen(g);
    cJSON_AddNumberToObject(g->root, "residual", phi);
    cJSON_AddNumberToObject(g->root, "residual_rate", phidot);
    item = cJSON_AddArrayToObject(g->root, "no_effect");
    for (int c = 0; c < p; c++) {
        if (g->most[c] == 0.0 && status >= 0) cJSON_AddItemToArray(item, cJSON_CreateString(sal_run_wrt(s->run, c)));
    }
    item = cJSON_AddObjectToObject(g->root, "costs");
    for (int k = 0; k < info.costs; k++) {
        cJSON *cost;
        if (!cost_is_asked(a, sal_model_cost(s->model, k))) continue;
        cost = cJSON_AddObjectToObject(item, sal_model_cost(s->model, k));
        cJSON_AddNumberToObject(cost, "value", sal_run_costs(s->run)[k]);
        cJSON_AddItemToObject(cost, "gradient", by_parameter(s->run, sal_run_cost_gradients(s->run) + k * p));
    }
    sal_run_final_gradients(s->run, q, v, NULL);
    cJSON_AddItemToObject(g->root, "end", by_parameter(s->run, sal_run_end_gradient(s->run)));
    item = cJSON_AddObjectToObject(g->root, "final");
    for (int k = 0; k < info.coordinates; k++) {
        char name[160];
        snprintf(name, sizeof name, "v%s", sal_model_coordinate(s->model, k));
        cJSON_AddItemToObject(item, sal_model_coordinate(s->model, k), by_parameter(s->run, q + k * p));
        cJSON_AddItemToObject(item, name, by_parameter(s->run, v + k * p));
    }
    cJSON_AddItemToObject(g->root, "events", g->events);
}

/* ----------------------------------------------------------------------------------------- print */

static void print_row(const char *name, double value, const cJSON *gradient)
{
    const cJSON *d;

    printf("  %-24s %18.12g", name, value);
    cJSON_ArrayForEach(d, gradient) printf(" %18.12g", cJSON_IsNumber(d) ? d->valuedouble : NAN);
    printf("\n");
}

/* Where the end of the run moves with the parameters, what is "at the end" moves with it. */
static void print_end(const gradients *g, const session *s)
{
    bool moves = false;

    for (int c = 0; c < g->p; c++) moves = moves || sal_run_end_gradient(s->run)[c] != 0.0;
    if (!moves) return;
    print_row("t at the end", sal_run_time(s->run), cJSON_GetObjectItem(g->root, "end"));
    printf(
        "  The end of the run depends on parameters; derivatives at the end and of costs follow it. At fixed time they "
        "are\n  in sensitivities.csv (--output).\n");
}

static void print_tables(const gradients *g, const session *s, int most)
{
    const cJSON *item, *list;
    int          number = 0;

    printf("  %-24s %18s", "", "value");
    for (int c = 0; c < g->p; c++) printf("      d/d %-10s", sal_run_wrt(s->run, c));
    printf("\n");
    cJSON_ArrayForEach(item, g->events)
    {
        char name[100];
        if (++number > most && most > 0) continue;
        snprintf(name, sizeof name, "t of event %d, %s", number, cJSON_GetObjectItem(item, "event")->valuestring);
        print_row(name, cJSON_GetObjectItem(item, "t")->valuedouble, cJSON_GetObjectItem(item, "gradient"));
    }
    if (number > most && most > 0) printf("  ... and %d more (--events %d)\n", number - most, number);
    list = cJSON_GetObjectItem(g->root, "costs");
    cJSON_ArrayForEach(item, list)
    {
        char name[100];
        snprintf(name, sizeof name, "cost %s", item->string);
        print_row(name, cJSON_GetObjectItem(item, "value")->valuedouble, cJSON_GetObjectItem(item, "gradient"));
    }
    for (int k = 0; k < sal_model_get_info(s->model).coordinates; k++) {
        char name[100];
        snprintf(name, sizeof name, "%s at the end", sal_model_coordinate(s->model, k));
        print_row(name, sal_run_q(s->run)[k],
                  cJSON_GetObjectItem(cJSON_GetObjectItem(g->root, "final"), sal_model_coordinate(s->model, k)));
    }
    print_end(g, s);
    list = cJSON_GetObjectItem(g->root, "no_effect");
    cJSON_ArrayForEach(item, list) printf("  %s has no effect\n", item->valuestring);
    list = cJSON_GetObjectItem(g->root, "chosen");
    if (cJSON_GetArraySize(list)) {
        printf("  a matter of choice, with their derivatives: multipliers or impulses of");
        cJSON_ArrayForEach(item, list) printf("%s %s", item == list->child ? "" : ",", item->valuestring);
        printf("\n");
    }
    if (sal_run_wrt_note(s->run)[0]) printf("  %s\n", sal_run_wrt_note(s->run));
    if (sal_run_get_health(s->run).verdict != SAL_GOOD) print_health(s->run);
    if (sal_run_wrt_invalid(s->run)[0]) printf("  NOT VALID from there on: %s\n", sal_run_wrt_invalid(s->run));
}

bool cost_is_asked(const arguments *a, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = a->cost; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (!strncmp(at, name, length) && (at[length] == '\0' || at[length] == ',')) return true;
    }
    return !a->cost;
}

/* Whether the scene has a cost whose name the text begins with, up to its end or a comma. */
static bool is_cost(const session *s, const char *text)
{
    const size_t length = strcspn(text, ",");

    for (int k = 0; sal_model_cost(s->model, k); k++) {
        const char *name = sal_model_cost(s->model, k);
        if (strlen(name) == length && !strncmp(name, text, length)) return true;
    }
    return false;
}

int check_costs(const session *s, const arguments *a)
{
    for (const char *at = a->cost; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (is_cost(s, at)) continue;
        fprintf(stderr, "saltus: --cost: unknown cost '%.*s'; known:", (int)strcspn(at, ","), at);
        for (int k = 0; sal_model_cost(s->model, k); k++) fprintf(stderr, " %s", sal_model_cost(s->model, k));
        fprintf(stderr, "\n");
        return EXIT_USAGE;
    }
    return EXIT_SUCCESS;
}

int command_sens(int argc, char **argv)
{
    arguments      a;
    session        s     = { 0 };
    gradients      g     = { 0 };
    output        *o     = NULL;
    run_report    *page  = NULL;
    columns_asked *asked = NULL;
    sal_status     status;
    cJSON         *root;
    int            code;

    if (!read_arguments(argc, argv, ACCEPT_SENS, help, &a, &code)) return code;
    if (a.adjoint) return command_sens_adjoint(&a);
    if (a.word[WORD_GRADIENTS]) return command_sens_costs(&a);
    if (a.memory) {
        fprintf(stderr, "saltus: --memory: it is kept with --adjoint only\n");
        session_close(&s, &a);
        return EXIT_USAGE;
    }
    code = session_open(&s, &a);
    if (code == EXIT_SUCCESS) code = check_costs(&s, &a);
    if (code == EXIT_SUCCESS) code = session_wrt(&s, &a);
    if (code == EXIT_SUCCESS) code = session_start(&s, &a);
    if (code == EXIT_SUCCESS && a.report && !(page = report_open(&s, a.scene))) code = EXIT_RUN;
    if (code == EXIT_SUCCESS && a.output) code = columns_asked_open(&s, &a, &asked);
    if (code == EXIT_SUCCESS && a.output && !(o = output_open(&a, s.model, s.run))) code = EXIT_OUTPUT;
    if (code != EXIT_SUCCESS) {
        report_free(page);
        columns_asked_free(asked);
        session_close(&s, &a);
        return code;
    }
    catch_interrupts();
    g = (gradients){ .root   = cJSON_CreateObject(),
                     .events = cJSON_CreateArray(),
                     .p      = a.opts.nwrt,
                     .model  = s.model,
                     .most   = need_zeros((size_t)a.opts.nwrt, sizeof(double)),
                     .chosen = need_zeros((size_t)sal_model_get_info(s.model).constraints + 1, sizeof(bool)),
                     .final  = need_zeros((size_t)(2 * sal_model_get_info(s.model).coordinates * a.opts.nwrt) + 1,
                                          sizeof(double)) };
    progress_begin(s.run);
    status = sal_simulate(s.run,
                          (sal_reader[]){ { .step = note_state, .event = add_event, .self = &g },
                                          output_reader(o),
                                          columns_asked_reader(asked),
                                          report_reader(page) },
                          4);
    progress_end();
    fill(&g, &s, &a, status);
    root = json_result("sens", &s, &a, status_word(status), g.root);
    if (asked) code = columns_asked_write(asked);
    columns_asked_free(asked);
    if (o && !output_close(o, root)) code = EXIT_OUTPUT;
    if (page && !report_close(page, a.report, status)) code = EXIT_OUTPUT;
    if (a.json) print_json(root);
    else print_tables(&g, &s, a.events);
    stdout_written();
    if (status < 0) code = report(sal_run_message(s.run), status);
    else if (interrupted && status != SAL_END) code = EXIT_STOPPED;
    else if (code == EXIT_SUCCESS && sal_run_wrt_invalid(s.run)[0]) code = EXIT_MISMATCH;
    code = strict_code(&s, &a, code);
    free(g.chosen);
    free(g.most);
    free(g.final);
    cJSON_Delete(root);
    cJSON_Delete(g.root);
    session_close(&s, &a);
    return code;
}
