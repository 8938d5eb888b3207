/* cmd_run.c - saltus run: simulates a scene, prints a summary, writes the results. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"
#include "tools/rewrite.h"

static const char help[] =
    "saltus run SCENE [options]\n"
    "\n"
    "Simulates the scene and prints a summary: events, constraint residuals, energy, health, costs. What cannot be (a\n"
    "contact that pulls, energy that nobody's work explains, ...) ends the run with exit code 5.\n"
    "\n"
    "  --set NAME=VALUE   give a parameter another value: a number, or an expression of parameters; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  -q, --quiet        print no summary; errors and warnings only\n"
    "  --form FORM        index1, penalty, or index3 by implicit steps\n"
    "  --integrator NAME  auto, rk8, rk5, or radau for what is stiff\n"
    "  --rtol NUMBER      relative tolerance of a step\n"
    "  --duration SECONDS how long to simulate\n"
    "  -o, --output FOLDER  write states.csv, events.csv and summary.json there\n"
    "  --columns A,B,...  write columns.csv as well, with these expressions: \"angle(bar), x(P2), closed(floor)\"\n"
    "  --units            in the headers of the tables: x(P2) [m]\n"
    "  --final FILE       write the scene that goes on from the end of this run; exit code 6 where a scene cannot say\n"
    "                     all of that state (joints or contacts that events have switched, whole turns)\n"
    "  --events N         print that many events, 20 if not given; 0: all\n"
    "  --work             print who did how much work\n"
    "  --report FILE      write a page with the motion (HTML), as saltus report does\n"
    "  --strict           warnings, and a run whose health is doubtful, are failures: exit code 10\n"
    "  --json             print the summary as JSON\n"
    "\n"
    "What is not given is as the scene says. states.csv has a line at every output time and two at every event, "
    "before\n"
    "and after it; its column `segment` counts the events so far. Ctrl-C ends the run with what was computed.\n";

/* A summary of the run, in the making. */
typedef struct summary {
    const sal_model *model;
    cJSON           *root, *events;
    double           started, seconds; /* wall clock */
} summary;

static void add_event(void *self, const sal_run *run)
{
    summary             *s    = self;
    const sal_event_info e    = sal_run_event(run);
    cJSON               *item = cJSON_CreateObject(), *impulses, *contacts;
    char                 names[1024];
    sal_event_contact    c;

    cJSON_AddStringToObject(item, "event", e.name);
    cJSON_AddStringToObject(item, "events", event_names(s->model, run, names, sizeof names));
    contacts = cJSON_AddObjectToObject(item, "contacts");
    for (int k = 0; sal_run_event_contact(run, k, &c); k++) {
        cJSON *change = cJSON_AddObjectToObject(contacts, c.contact);
        cJSON_AddStringToObject(change, "event", sal_model_event(s->model, c.event));
        cJSON_AddNumberToObject(change, "normal", c.normal);
        cJSON_AddNumberToObject(change, "friction", c.friction);
    }
    cJSON_AddNumberToObject(item, "t", e.time);
    cJSON_AddNumberToObject(item, "rate", e.rate);
    cJSON_AddBoolToObject(item, "grazing", e.grazing);
    cJSON_AddNumberToObject(item, "energy_before", e.energy_before);
    cJSON_AddNumberToObject(item, "energy_after", sal_run_energy(run));
    cJSON_AddBoolToObject(item, "closed", e.closed);
    list_chosen(item, s->model, run, sal_run_impulse_chosen);
    if (e.energy_added > 0.0) cJSON_AddNumberToObject(item, "energy_added", e.energy_added);
    impulses = cJSON_AddObjectToObject(item, "impulses");
    for (int k = 0; k < sal_model_get_info(s->model).constraints; k++) {
        if (e.impulse[k] != 0.0) cJSON_AddNumberToObject(impulses, sal_model_constraint(s->model, k), e.impulse[k]);
    }
    cJSON_AddItemToArray(s->events, item);
}

/* The element that made steps short, since when, and how many; null: none did. */
static cJSON *stiff_object(const sal_run *run)
{
    double      since;
    long        steps;
    const char *who = sal_run_stiff(run, &since, &steps);
    cJSON      *item;

    if (!who) return cJSON_CreateNull();
    item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "element", who);
    cJSON_AddNumberToObject(item, "since", since);
    cJSON_AddNumberToObject(item, "steps", (double)steps);
    return item;
}

/* When SAL_AUTO changed the integrator. */
static void list_changes(cJSON *r, const sal_run *run)
{
    cJSON     *list = sal_run_changes(run) ? cJSON_AddArrayToObject(r, "integrator_changes") : NULL;
    sal_change change;

    for (int k = 0; sal_run_change(run, k, &change); k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "t", change.time);
        cJSON_AddStringToObject(item, "integrator", integrator_names[change.integrator]);
        cJSON_AddStringToObject(item, "element", change.element);
        cJSON_AddItemToArray(list, item);
    }
}

static void fill_summary(summary *s, const session *ses, sal_status status)
{
    const sal_model_info info  = sal_model_get_info(ses->model);
    const sal_run_stats  stats = sal_run_get_stats(ses->run);
    const sal_run_opts   opts  = sal_run_get_opts(ses->run);
    cJSON               *r     = s->root, *item;

    if (status < 0) cJSON_AddStringToObject(r, "message", sal_run_message(ses->run));
    cJSON_AddStringToObject(r, "form", form_names[opts.form]);
    cJSON_AddStringToObject(r, "integrator", integrator_names[opts.integrator]);
    cJSON_AddNumberToObject(r, "rtol", opts.rtol);
    cJSON_AddNumberToObject(r, "atol", opts.atol);
    cJSON_AddNumberToObject(r, "duration", opts.duration);
    cJSON_AddNumberToObject(r, "t", sal_run_time(ses->run));
    cJSON_AddNumberToObject(r, "seconds", s->seconds);
    cJSON_AddNumberToObject(r, "coordinates", info.coordinates);
    cJSON_AddNumberToObject(r, "constraints", info.constraints);
    cJSON_AddNumberToObject(r, "steps", (double)stats.steps);
    cJSON_AddNumberToObject(r, "rejected", (double)stats.rejected);
    cJSON_AddNumberToObject(r, "evaluations", (double)stats.evaluations);
    cJSON_AddNumberToObject(r, "factorizations", (double)stats.factorizations);
    cJSON_AddNumberToObject(r, "max_phi", stats.max_phi);
    cJSON_AddNumberToObject(r, "max_phidot", stats.max_phidot);
    cJSON_AddNumberToObject(r, "energy_start", stats.energy_start);
    cJSON_AddNumberToObject(r, "energy_end", sal_run_energy(ses->run));
    cJSON_AddNumberToObject(r, "energy_drift", stats.energy_drift);
    cJSON_AddItemToObject(r, "health", health_object(ses->run));
    cJSON_AddItemToObject(r, "work", work_object(ses->run));
    cJSON_AddItemToObject(r, "stiff", stiff_object(ses->run));
    list_changes(r, ses->run);
    item = cJSON_AddObjectToObject(r, "parameters");
    for (int k = 0; k < info.parameters; k++) {
        cJSON_AddNumberToObject(item, sal_model_parameter(ses->model, k), sal_run_parameter(ses->run, k));
    }
    item = cJSON_AddObjectToObject(r, "costs");
    for (int k = 0; k < info.costs; k++)
        cJSON_AddNumberToObject(item, sal_model_cost(ses->model, k), sal_run_costs(ses->run)[k]);
    item = NULL;
    for (int k = 0; k < info.costs; k++) {
        sal_cost_peak peak;
        cJSON        *one;
        if (!sal_run_cost_peak(ses->run, k, &peak)) continue;
        if (!item) item = cJSON_AddObjectToObject(r, "peaks");
        one = cJSON_AddObjectToObject(item, sal_model_cost(ses->model, k));
        cJSON_AddNumberToObject(one, "value", peak.value);
        cJSON_AddNumberToObject(one, "time", peak.time);
    }
    item = cJSON_AddObjectToObject(r, "final");
    for (int k = 0; k < info.coordinates; k++)
        cJSON_AddNumberToObject(item, sal_model_coordinate(ses->model, k), sal_run_q(ses->run)[k]);
    for (int k = 0; k < info.coordinates; k++) {
        char name[160];
        snprintf(name, sizeof name, "v%s", sal_model_coordinate(ses->model, k));
        cJSON_AddNumberToObject(item, name, sal_run_v(ses->run)[k]);
    }
}

/* ----------------------------------------------------------------------------------------- print */

static void print_events(const summary *s, int most)
{
    const int    count  = cJSON_GetArraySize(s->events);
    int          number = 0;
    const cJSON *e;

    if (count == 0) return;
    printf("\n  event                        time [s]         rate      energy before and after [J]\n");
    cJSON_ArrayForEach(e, s->events)
    {
        if (++number > most && most > 0) {
            printf("  ... and %d more (--events %d)\n", count - most, count);
            break;
        }
        printf("  %4d %-16s %16.12f %12.6g %15.9g %15.9g%s\n", number, cJSON_GetObjectItem(e, "events")->valuestring,
               cJSON_GetObjectItem(e, "t")->valuedouble, cJSON_GetObjectItem(e, "rate")->valuedouble,
               cJSON_GetObjectItem(e, "energy_before")->valuedouble,
               cJSON_GetObjectItem(e, "energy_after")->valuedouble,
               cJSON_GetObjectItem(e, "energy_added")            ? "  adds energy"
               : cJSON_IsTrue(cJSON_GetObjectItem(e, "grazing")) ? "  grazing"
               : cJSON_IsTrue(cJSON_GetObjectItem(e, "closed"))  ? "  closed: rebounds end"
                                                                 : "");
    }
}

/* What made steps short, where that was a good part of them. */
static void print_stiff(const sal_run *run)
{
    double      since;
    long        steps;
    const char *who = sal_run_stiff(run, &since, &steps);

    if (!who || sal_run_changes(run) > 0 || 10 * steps < sal_run_get_stats(run).steps) return;
    printf("  stiff              %s%ssteps are as short as it needs since t = %.3g s; try --integrator radau\n", who,
           who[0] ? ": " : "", since);
}

/* When the integrator changed, and why. */
static void print_changes(const sal_run *run)
{
    enum { MOST = 6 };
    sal_change change;
    int        k = 0;

    for (; k < MOST && sal_run_change(run, k, &change); k++) {
        printf("  %-18s changed to %s at t = %.9g s: ", k ? "" : "integrator", integrator_names[change.integrator],
               change.time);
        if (change.integrator == SAL_RADAU) printf("%s is stiff\n", change.element[0] ? change.element : "something");
        else printf("nothing is stiff any more\n");
    }
    if (sal_run_changes(run) > k) printf("  %-18s and %d times more\n", "", sal_run_changes(run) - k);
}

static const char *const peak_places[] = { "at the start", "", "before an event", "after an event", "at the end" };

/* With the place of its peak, where it has one. */
static void print_cost(const session *ses, int k)
{
    sal_cost_peak peak;

    printf("  cost %-13s %.12g", sal_model_cost(ses->model, k), sal_run_costs(ses->run)[k]);
    if (sal_run_cost_peak(ses->run, k, &peak)) {
        const char *place = peak_places[peak.place];
        printf("   peak at %.9g s%s%s", peak.time, *place ? ", " : "", place);
    }
    printf("\n");
}

static void print_summary(const summary *s, const session *ses, const arguments *a, sal_status status)
{
    const sal_model_info info  = sal_model_get_info(ses->model);
    const sal_run_stats  stats = sal_run_get_stats(ses->run);
    const sal_run_opts   opts  = sal_run_get_opts(ses->run);

    print_title(ses, a->scene);
    printf("  %d coordinates, %d constraint%s; form %s, integrator %s, rtol %g\n", info.coordinates, info.constraints,
           info.constraints == 1 ? "" : "s", form_names[opts.form], integrator_names[opts.integrator], opts.rtol);
    print_events(s, a->events);
    printf("\n  simulated          %.9g s in %.3g ms%s\n", sal_run_time(ses->run), 1e3 * s->seconds,
           status < 0                         ? " (failed)"
           : interrupted && status != SAL_END ? " (interrupted)"
                                              : "");
    printf("  steps              %ld, %ld rejected, %ld evaluations\n", stats.steps, stats.rejected, stats.evaluations);
    printf("  max |Phi|          %.2g\n  max |Phidot|       %.2g\n", stats.max_phi, stats.max_phidot);
    printf("  energy             %.9g J at the start, %.9g J at the end\n", stats.energy_start,
           sal_run_energy(ses->run));
    printf("  energy change      %.2g J at most between events\n", stats.energy_drift);
    if (a->work) print_work(ses->run);
    print_health(ses->run);
    print_stiff(ses->run);
    print_changes(ses->run);
    for (int k = 0; k < info.costs; k++) print_cost(ses, k);
    if (a->output)
        printf("  results            %s/states.csv, events.csv, %ssummary.json\n", a->output,
               a->columns ? "columns.csv, " : "");
    if (a->final) printf("  goes on in         %s\n", a->final);
}

int command_run(int argc, char **argv)
{
    arguments      a;
    session        ses   = { 0 };
    summary        s     = { 0 };
    output        *o     = NULL;
    run_report    *page  = NULL;
    columns_asked *asked = NULL;
    sal_status     status;
    cJSON         *root;
    int            code;

    if (!read_arguments(argc, argv, ACCEPT_RUN, help, &a, &code)) return code;
    code = session_open(&ses, &a);
    if (code == EXIT_SUCCESS) code = session_start(&ses, &a);
    if (code == EXIT_SUCCESS && a.report && !(page = report_open(&ses, a.scene))) code = EXIT_RUN;
    if (code == EXIT_SUCCESS && a.columns) code = columns_asked_open(&ses, &a, &asked);
    if (code == EXIT_SUCCESS && a.output && !(o = output_open(&a, ses.model, ses.run))) code = EXIT_OUTPUT;
    if (code != EXIT_SUCCESS) {
        report_free(page);
        columns_asked_free(asked);
        session_close(&ses, &a);
        return code;
    }
    catch_interrupts();
    s.root    = cJSON_CreateObject();
    s.events  = cJSON_CreateArray();
    s.started = now();
    s.model   = ses.model;
    progress_begin(ses.run);
    status = sal_simulate(
        ses.run,
        (sal_reader[]){
            { .event = add_event, .self = &s }, output_reader(o), columns_asked_reader(asked), report_reader(page) },
        4);
    s.seconds = now() - s.started;
    progress_end();
    fill_summary(&s, &ses, status);
    cJSON_AddItemToObject(s.root, "events", s.events);
    root = json_result("run", &ses, &a, status_word(status), s.root);
    if (a.final && status >= 0) code = rewrite_final(&a, &ses, a.final);
    if (code != EXIT_SUCCESS || status < 0) a.final = NULL; /* there is none */
    if (asked && code == EXIT_SUCCESS) code = columns_asked_write(asked);
    columns_asked_free(asked);
    if (o && !output_close(o, root)) code = EXIT_OUTPUT;
    if (page && !report_close(page, a.report, status)) code = EXIT_OUTPUT;
    if (a.json) print_json(root);
    else print_summary(&s, &ses, &a, status);
    stdout_written();
    if (status < 0) code = report(sal_run_message(ses.run), status);
    else if (interrupted && status != SAL_END) code = EXIT_STOPPED;
    code = strict_code(&ses, &a, code);
    cJSON_Delete(root);
    cJSON_Delete(s.root);
    session_close(&ses, &a);
    return code;
}
