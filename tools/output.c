/* output.c - CSV tables and their files. Numbers have 17 digits: they read back as the same doubles. */
#include "tools/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES, EVENTS, SUMMARY, SENSITIVITIES, FILES };

static const char *const file_names[FILES] = { "states.csv", "events.csv", "summary.json", "sensitivities.csv" };

struct output {
    sal_model_info   info;
    int              p; /* columns of the sensitivities; 0: that file is not made */
    const sal_model *model;
    result_file      file[FILES];
    long             events;
    bool             units;  /* in the headers */
    bool             chosen; /* multipliers are a matter of choice since the last event */
};

static int files_of(const output *o)
{
    return o->p ? FILES : SENSITIVITIES;
}

void print_cell(FILE *f, const char *before, const char *text, const char *after)
{
    const bool quoted = strpbrk(text, ",\"") != NULL, computed = !before[0] && text[0] && strchr("=+-@", text[0]);

    fprintf(f, ",%s%s%s", quoted ? "\"" : "", before, computed ? "(" : "");
    for (const char *c = text; *c; c++) {
        if (*c == '"') fputc('"', f);
        fputc((unsigned char)*c < 0x20 ? ' ' : *c, f);
    }
    fprintf(f, "%s%s%s", computed ? ")" : "", after, quoted ? "\"" : "");
}

/* ",name", with its unit where that is asked for and known: " [m]". */
static void print_name(const output *o, FILE *f, const char *before, const char *name, const char *unit)
{
    fprintf(f, ",%s%s", before, name);
    if (o->units && unit[0]) fprintf(f, " [%s]", unit);
}

/* "x(P1)" -> "vx(P1)": the name of a derivative of a coordinate. */
static void print_names(const output *o, FILE *f, const char *before, const char *prefix)
{
    for (int k = 0; k < o->info.coordinates; k++) {
        char name[200];
        snprintf(name, sizeof name, "%s%s", prefix, sal_model_coordinate(o->model, k));
        print_name(o, f, before, name, unit_of(o->model, name));
    }
}

static void print_multiplier_names(const output *o, FILE *f, const char *before)
{
    for (int k = 0; k < o->info.constraints; k++)
        fprintf(f, ",%slambda(%s)", before, sal_model_constraint(o->model, k));
}

/* "d x(P1)/d L": a column for each parameter. */
static void print_derivative_names(const output *o, FILE *f, const sal_run *run, const char *prefix, const char *name,
                                   const char *suffix)
{
    for (int c = 0; c < o->p; c++) fprintf(f, ",d %s%s%s/d %s", prefix, name, suffix, sal_run_wrt(run, c));
}

static void print_sensitivity_header(const output *o, const sal_run *run)
{
    FILE *f = o->file[SENSITIVITIES].f;

    fprintf(f, "t,segment");
    for (int k = 0; k < o->info.coordinates; k++)
        print_derivative_names(o, f, run, "", sal_model_coordinate(o->model, k), "");
    for (int k = 0; k < o->info.coordinates; k++)
        print_derivative_names(o, f, run, "v", sal_model_coordinate(o->model, k), "");
    for (int k = 0; k < o->info.constraints; k++)
        print_derivative_names(o, f, run, "lambda(", sal_model_constraint(o->model, k), ")");
    fprintf(f, ",chosen\n");
}

static void print_headers(output *o, const sal_run *run)
{
    static const char *const energies[] = { "before", "after", "lost", "added" };

    FILE *states = o->file[STATES].f, *events = o->file[EVENTS].f;

    fprintf(states, o->units ? "t [s],segment" : "t,segment");
    print_names(o, states, "", "");
    print_names(o, states, "", "v");
    print_names(o, states, "", "a");
    print_multiplier_names(o, states, "");
    for (int k = 0; k < o->info.reactions; k++) {
        const char *unit, *name = sal_model_reaction(o->model, k, &unit);
        print_name(o, states, "", name, unit);
    }
    print_name(o, states, "", "energy", "J");
    for (int k = 0; k < o->info.outputs; k++) fprintf(states, ",%s", sal_model_output(o->model, k));
    fprintf(states, "\n");

    fprintf(events, "number,event,events");
    print_name(o, events, "", "t", "s");
    fprintf(events, ",rate,grazing,closed");
    for (size_t k = 0; k < sizeof energies / sizeof energies[0]; k++)
        print_name(o, events, "energy_", energies[k], "J");
    fprintf(events, ",chosen");
    print_names(o, events, "", "");
    print_names(o, events, "before_", "v");
    print_names(o, events, "after_", "v");
    print_multiplier_names(o, events, "before_");
    print_multiplier_names(o, events, "after_");
    for (int k = 0; k < o->info.constraints; k++) fprintf(events, ",impulse(%s)", sal_model_constraint(o->model, k));
    if (o->p) print_derivative_names(o, events, run, "", "t", "");
    for (int k = 0; k < o->info.constraints && o->p; k++)
        print_derivative_names(o, events, run, "impulse(", sal_model_constraint(o->model, k), ")");
    fprintf(events, "\n");
}

output *output_open(const arguments *a, const sal_model *model, const sal_run *run)
{
    output *o = need_memory(sizeof *o);

    *o = (output){ .info = sal_model_get_info(model), .p = sal_run_wrt_count(run), .model = model, .units = a->units };
    for (int k = 0; k < files_of(o); k++) {
        if (result_open(&o->file[k], a->output, file_names[k])) continue;
        for (int j = 0; j < k; j++) result_close(&o->file[j], false);
        free(o);
        return NULL;
    }
    print_headers(o, run);
    if (o->p) print_sensitivity_header(o, run);
    return o;
}

static void print_numbers(FILE *f, const double *x, int n)
{
    for (int k = 0; k < n; k++) fprintf(f, ",%.17g", x[k]);
}

/* Whether any multiplier, or impulse, is a matter of choice. */
static bool any_chosen(const output *o, const sal_run *run, bool (*chosen)(const sal_run *run, int constraint))
{
    for (int k = 0; k < o->info.constraints; k++) {
        if (chosen(run, k)) return true;
    }
    return false;
}

static void print_sensitivities(output *o, double t, long segment, const double *Q, const double *V,
                                const double *Lambda)
{
    FILE *f = o->file[SENSITIVITIES].f;

    fprintf(f, "%.17g,%ld", t, segment);
    print_numbers(f, Q, o->info.coordinates * o->p);
    print_numbers(f, V, o->info.coordinates * o->p);
    print_numbers(f, Lambda, o->info.constraints * o->p);
    fprintf(f, ",%d\n", o->chosen);
}

static void write_state(void *self, const sal_run *run)
{
    output *o = self;
    FILE   *f = o->file[STATES].f;

    fprintf(f, "%.17g,%ld", sal_run_time(run), o->events);
    print_numbers(f, sal_run_q(run), o->info.coordinates);
    print_numbers(f, sal_run_v(run), o->info.coordinates);
    print_numbers(f, sal_run_a(run), o->info.coordinates);
    print_numbers(f, sal_run_lambda(run), o->info.constraints);
    for (int k = 0; k < o->info.reactions; k++) fprintf(f, ",%.17g", sal_run_reaction(run, k));
    fprintf(f, ",%.17g", sal_run_energy(run));
    for (int k = 0; k < o->info.outputs; k++) fprintf(f, ",%.17g", sal_run_output(run, k));
    fprintf(f, "\n");
    o->chosen = any_chosen(o, run, sal_run_lambda_chosen);
    if (o->p) print_sensitivities(o, sal_run_time(run), o->events, sal_run_Q(run), sal_run_V(run), sal_run_Lambda(run));
    for (int k = 0; k < files_of(o); k++) result_check(&o->file[k]);
}

const char *event_names(const sal_model *model, const sal_run *run, char *room, size_t size)
{
    const sal_event_info e    = sal_run_event(run);
    size_t               used = (size_t)snprintf(room, size, "%s", e.name);
    sal_event_contact    c;

    for (int k = 0; used < size && sal_run_event_contact(run, k, &c); k++) {
        if (c.event != e.index)
            used += (size_t)snprintf(room + used, size - used, "+%s", sal_model_event(model, c.event));
    }
    return room;
}

static void write_event(void *self, const sal_run *run)
{
    output              *o = self;
    const sal_event_info e = sal_run_event(run);
    const int            n = o->info.coordinates, m = o->info.constraints;
    FILE                *f = o->file[STATES].f;
    char                 names[1024];

    fprintf(f, "%.17g,%ld", e.time, o->events);
    print_numbers(f, sal_run_q(run), n);
    print_numbers(f, e.v_before, n);
    print_numbers(f, e.a_before, n);
    print_numbers(f, e.lambda_before, m);
    print_numbers(f, e.reactions_before, o->info.reactions);
    fprintf(f, ",%.17g", e.energy_before);
    print_numbers(f, e.outputs_before, o->info.outputs);
    fprintf(f, "\n");
    if (o->p)
        print_sensitivities(o, e.time, o->events, sal_run_Q_before(run), sal_run_V_before(run),
                            sal_run_Lambda_before(run));
    o->events++;
    write_state(o, run);

    f = o->file[EVENTS].f;
    fprintf(f, "%ld,%s,%s,%.17g,%.17g,%d,%d,%.17g,%.17g,%.17g,%.17g,%d", o->events, e.name,
            event_names(o->model, run, names, sizeof names), e.time, e.rate, e.grazing, e.closed, e.energy_before,
            sal_run_energy(run), e.energy_before - sal_run_energy(run), e.energy_added,
            any_chosen(o, run, sal_run_impulse_chosen));
    print_numbers(f, sal_run_q(run), n);
    print_numbers(f, e.v_before, n);
    print_numbers(f, sal_run_v(run), n);
    print_numbers(f, e.lambda_before, m);
    print_numbers(f, sal_run_lambda(run), m);
    print_numbers(f, e.impulse, m);
    if (o->p) print_numbers(f, sal_run_event_gradient(run), o->p);
    if (o->p) print_numbers(f, sal_run_impulse_gradient(run), m * o->p);
    fprintf(f, "\n");
}

bool output_close(output *o, const cJSON *summary)
{
    char *text = cJSON_Print(summary);
    bool  good = true;

    fprintf(o->file[SUMMARY].f, "%s\n", text);
    for (int k = 0; k < files_of(o); k++) good = result_finish(&o->file[k], good);
    for (int k = 0; k < files_of(o); k++) good = result_name(&o->file[k], good);
    free(text);
    free(o);
    return good;
}

sal_reader output_reader(output *o)
{
    return (sal_reader){ .self = o, .output = o ? write_state : NULL, .event = o ? write_event : NULL };
}
