/* output.c - CSV tables and their files. Numbers have 17 digits: they read back as the same doubles. */
#include "tools/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATES, EVENTS, SUMMARY, FILES };

static const char *const file_names[FILES] = { "states.csv", "events.csv", "summary.json" };

struct output {
    const char      *folder;
    sal_model_info   info;
    const sal_model *model;
    FILE            *file[FILES];
    long             events;
};

static void path_of(const output *o, int file, bool temporary, char *path, size_t room)
{
    snprintf(path, room, "%s/%s%s", o->folder, file_names[file], temporary ? ".part" : "");
}

static bool make_folder(const char *folder)
{
    char path[4096];

    if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path) return errno = ENAMETOOLONG, false;
    for (char *c = path + 1; *c; c++) {
        if (*c != '/') continue;
        *c = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) return false;
        *c = '/';
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* "x(P1)" -> "vx(P1)": the name of a derivative of a coordinate. */
static void print_names(const output *o, FILE *f, const char *before, const char *prefix)
{
    for (int k = 0; k < o->info.coordinates; k++)
        fprintf(f, ",%s%s%s", before, prefix, sal_model_coordinate(o->model, k));
}

static void print_multiplier_names(const output *o, FILE *f, const char *before)
{
    for (int k = 0; k < o->info.constraints; k++)
        fprintf(f, ",%slambda(%s)", before, sal_model_constraint(o->model, k));
}

static void print_headers(output *o)
{
    FILE *states = o->file[STATES], *events = o->file[EVENTS];

    fprintf(states, "t,segment");
    print_names(o, states, "", "");
    print_names(o, states, "", "v");
    print_names(o, states, "", "a");
    print_multiplier_names(o, states, "");
    fprintf(states, ",energy");
    for (int k = 0; k < o->info.outputs; k++) fprintf(states, ",%s", sal_model_output(o->model, k));
    fprintf(states, "\n");

    fprintf(events, "number,event,t,rate,grazing,energy_before,energy_after");
    print_names(o, events, "", "");
    print_names(o, events, "before_", "v");
    print_names(o, events, "after_", "v");
    print_multiplier_names(o, events, "before_");
    print_multiplier_names(o, events, "after_");
    fprintf(events, "\n");
}

output *output_open(const char *folder, const sal_model *model)
{
    output *o = calloc(1, sizeof *o);

    if (!o) return fprintf(stderr, "saltus: out of memory\n"), NULL;
    *o = (output){ .folder = folder, .info = sal_model_get_info(model), .model = model };
    if (!make_folder(folder)) {
        fprintf(stderr, "saltus: cannot make the folder '%s': %s\n", folder, strerror(errno));
        free(o);
        return NULL;
    }
    for (int k = 0; k < FILES; k++) {
        char path[4200];
        path_of(o, k, true, path, sizeof path);
        o->file[k] = fopen(path, "w");
        if (o->file[k]) continue;
        fprintf(stderr, "saltus: cannot write '%s': %s\n", path, strerror(errno));
        for (int j = 0; j < k; j++) fclose(o->file[j]);
        free(o);
        return NULL;
    }
    print_headers(o);
    return o;
}

static void print_numbers(FILE *f, const double *x, int n)
{
    for (int k = 0; k < n; k++) fprintf(f, ",%.17g", x[k]);
}

void output_state(output *o, const sal_run *run, long segment)
{
    FILE *f = o->file[STATES];

    fprintf(f, "%.17g,%ld", sal_run_time(run), segment);
    print_numbers(f, sal_run_q(run), o->info.coordinates);
    print_numbers(f, sal_run_v(run), o->info.coordinates);
    print_numbers(f, sal_run_a(run), o->info.coordinates);
    print_numbers(f, sal_run_lambda(run), o->info.constraints);
    fprintf(f, ",%.17g", sal_run_energy(run));
    for (int k = 0; k < o->info.outputs; k++) fprintf(f, ",%.17g", sal_run_output(run, k));
    fprintf(f, "\n");
}

void output_event(output *o, const sal_run *run, long segment)
{
    const sal_event_info e = sal_run_event(run);
    const int            n = o->info.coordinates, m = o->info.constraints;
    FILE                *f = o->file[STATES];

    fprintf(f, "%.17g,%ld", e.time, segment);
    print_numbers(f, sal_run_q(run), n);
    print_numbers(f, e.v_before, n);
    print_numbers(f, e.a_before, n);
    print_numbers(f, e.lambda_before, m);
    fprintf(f, ",%.17g", e.energy_before);
    print_numbers(f, e.outputs_before, o->info.outputs);
    fprintf(f, "\n");
    output_state(o, run, segment + 1);

    f = o->file[EVENTS];
    fprintf(f, "%ld,%s,%.17g,%.17g,%d,%.17g,%.17g", ++o->events, e.name, e.time, e.rate, e.grazing, e.energy_before,
            sal_run_energy(run));
    print_numbers(f, sal_run_q(run), n);
    print_numbers(f, e.v_before, n);
    print_numbers(f, sal_run_v(run), n);
    print_numbers(f, e.lambda_before, m);
    print_numbers(f, sal_run_lambda(run), m);
    fprintf(f, "\n");
}

bool output_close(output *o, const cJSON *summary)
{
    char *text = cJSON_Print(summary);
    bool  good = text && fprintf(o->file[SUMMARY], "%s\n", text) > 0;

    for (int k = 0; k < FILES; k++) {
        bool written = !ferror(o->file[k]);
        good         = fclose(o->file[k]) == 0 && written && good;
    }
    for (int k = 0; k < FILES; k++) {
        char from[4200], to[4200];
        path_of(o, k, true, from, sizeof from);
        path_of(o, k, false, to, sizeof to);
        if (good && rename(from, to) != 0) good = false;
        if (!good) unlink(from);
    }
    if (!good) fprintf(stderr, "saltus: cannot write the results to '%s': %s\n", o->folder, strerror(errno));
    free(text);
    free(o);
    return good;
}
