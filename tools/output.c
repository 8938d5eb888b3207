/* output.c - CSV tables and their files. Numbers have 17 digits: they read back as the same doubles. */
#include "tools/output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATES, EVENTS, SUMMARY, SENSITIVITIES, FILES };

static const char *const file_names[FILES] = { "states.csv", "events.csv", "summary.json", "sensitivities.csv" };

struct output {
    const char      *folder;
    sal_model_info   info;
    int              p; /* columns of the sensitivities; 0: that file is not made */
    const sal_model *model;
    FILE            *file[FILES];
    long             events;
    bool             chosen; /* multipliers are a matter of choice since the last event */
};

static int files_of(const output *o)
{
    return o->p ? FILES : SENSITIVITIES;
}

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

/* "d x(P1)/d L": a column for each parameter. */
static void print_derivative_names(const output *o, FILE *f, const sal_run *run, const char *prefix, const char *name,
                                   const char *suffix)
{
    for (int c = 0; c < o->p; c++) fprintf(f, ",d %s%s%s/d %s", prefix, name, suffix, sal_run_wrt(run, c));
}

static void print_sensitivity_header(const output *o, const sal_run *run)
{
    FILE *f = o->file[SENSITIVITIES];

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
    FILE *states = o->file[STATES], *events = o->file[EVENTS];

    fprintf(states, "t,segment");
    print_names(o, states, "", "");
    print_names(o, states, "", "v");
    print_names(o, states, "", "a");
    print_multiplier_names(o, states, "");
    for (int k = 0; k < o->info.reactions; k++) fprintf(states, ",%s", sal_model_reaction(o->model, k, NULL));
    fprintf(states, ",energy");
    for (int k = 0; k < o->info.outputs; k++) fprintf(states, ",%s", sal_model_output(o->model, k));
    fprintf(states, "\n");

    fprintf(events,
            "number,event,events,t,rate,grazing,closed,energy_before,energy_after,energy_lost,energy_added,chosen");
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

output *output_open(const char *folder, const sal_model *model, const sal_run *run)
{
    output *o = calloc(1, sizeof *o);

    if (!o) return fprintf(stderr, "saltus: out of memory\n"), NULL;
    *o = (output){ .folder = folder, .info = sal_model_get_info(model), .p = sal_run_wrt_count(run), .model = model };
    if (!make_folder(folder)) {
        fprintf(stderr, "saltus: cannot make the folder '%s': %s\n", folder, strerror(errno));
        free(o);
        return NULL;
    }
    for (int k = 0; k < files_of(o); k++) {
        char path[4200];
        path_of(o, k, true, path, sizeof path);
        o->file[k] = fopen(path, "w");
        if (o->file[k]) continue;
        fprintf(stderr, "saltus: cannot write '%s': %s\n", path, strerror(errno));
        for (int j = 0; j < k; j++) fclose(o->file[j]);
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
    FILE *f = o->file[SENSITIVITIES];

    fprintf(f, "%.17g,%ld", t, segment);
    print_numbers(f, Q, o->info.coordinates * o->p);
    print_numbers(f, V, o->info.coordinates * o->p);
    print_numbers(f, Lambda, o->info.constraints * o->p);
    fprintf(f, ",%d\n", o->chosen);
}

static void write_state(void *self, const sal_run *run)
{
    output *o = self;
    FILE   *f = o->file[STATES];

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
    FILE                *f = o->file[STATES];
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

    f = o->file[EVENTS];
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
    bool  good = text && fprintf(o->file[SUMMARY], "%s\n", text) > 0;

    for (int k = 0; k < files_of(o); k++) {
        bool written = !ferror(o->file[k]);
        good         = fclose(o->file[k]) == 0 && written && good;
    }
    for (int k = 0; k < files_of(o); k++) {
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

void result_path(const arguments *a, const char *suffix, char *path, size_t room)
{
    const char *slash = strrchr(a->scene, '/'), *name = slash ? slash + 1 : a->scene, *dot = strrchr(name, '.');

    if (a->output) snprintf(path, room, "%s", a->output);
    else snprintf(path, room, "%.*s%s", (int)(dot && dot != name ? dot - name : (long)strlen(name)), name, suffix);
}

bool result_open_file(result_file *r, const char *path)
{
    struct stat there;

    *r = (result_file){ 0 };
    if (!strcmp(path, "-")) return r->f = stdout, true;
    if ((size_t)snprintf(r->path, sizeof r->path, "%s", path) >= sizeof r->path) {
        fprintf(stderr, "saltus: cannot write '%s': %s\n", path, strerror(ENAMETOOLONG));
        return false;
    }
    if (stat(path, &there) != 0 || S_ISREG(there.st_mode)) snprintf(r->part, sizeof r->part, "%s.part", r->path);
    r->f = fopen(r->part[0] ? r->part : r->path, "w"); /* a device or a pipe stays what it is */
    if (!r->f) fprintf(stderr, "saltus: cannot write '%s': %s\n", r->path, strerror(errno));
    return r->f != NULL;
}

bool result_open(result_file *r, const char *folder, const char *name)
{
    char path[4300];

    if (!make_folder(folder)) {
        fprintf(stderr, "saltus: cannot make the folder '%s': %s\n", folder, strerror(errno));
        return false;
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return result_open_file(r, path);
}

bool result_close(result_file *r, bool good)
{
    bool written;

    if (!r->f) return true;
    if (r->f == stdout) {
        if (fflush(stdout) == 0 && !ferror(stdout)) return true;
        fprintf(stderr, "saltus: cannot write the result: %s\n", strerror(errno));
        return false;
    }
    written = !ferror(r->f);
    written = fclose(r->f) == 0 && written;
    if (good && written && (!r->part[0] || rename(r->part, r->path) == 0)) return true;
    if (good) fprintf(stderr, "saltus: cannot write '%s': %s\n", r->path, strerror(errno));
    if (r->part[0]) unlink(r->part);
    return !good;
}

sal_reader output_reader(output *o)
{
    return (sal_reader){ .self = o, .output = o ? write_state : NULL, .event = o ? write_event : NULL };
}
