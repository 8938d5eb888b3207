/* cmd_plot.c - saltus plot: quantities of the motion over time, or against each other, with their derivatives. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/draw/chart.h"
#include "tools/output.h"

static const char help[] =
    "saltus plot SCENE --series \"y(P2), vy(P2)\" [options]\n"
    "\n"
    "Simulates the scene and draws what it is asked for over time, into an SVG file of its own: jumps at events are "
    "jumps,\n"
    "events are marked, and derivatives with respect to parameters stand below.\n"
    "\n"
    "  --series \"A, B; C\" expressions, and outputs of the scene by name; all outputs when absent. Those of one unit "
    "share a\n"
    "                     panel; a semicolon begins a new one\n"
    "  --against X        over this expression instead of time: a phase plot\n"
    "  --wrt A,B,...      with a panel below for the derivatives with respect to each of these: parameters, "
    "initial(P.x), ...\n"
    "  --overlay A=1,B=2  a run with these values of parameters; repeatable: each has a colour of its own\n"
    "  --from T, --to T   the times shown [s]; the whole run when absent\n"
    "  -o, --output FILE  write it there; '-' is stdout; NAME_plot.svg for NAME.json when absent\n"
    "  --width, --height PIXELS   of the picture, 720, and of a panel, 170 (340 with --against)\n"
    "  --set NAME=VALUE   give a parameter another value, in all runs; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  -q, --quiet        do not print the name of the file\n"
    "  --form, --integrator, --rtol, --duration, --strict   as for saltus run\n"
    "\n"
    "Derivatives are at fixed time, exact through every event, where they jump as well. Ends with exit code 7 where an "
    "event has\n"
    "none: they are drawn up to there.\n";

enum { MOST_SERIES = 40, MOST_RUNS = 20, SAMPLES = 2000, MOST_WRT = 20 };

typedef struct series {
    char       *text;
    const char *unit;        /* "": not known */
    sal_probe  *probe;       /* NULL: an output of the scene, */
    int         output;      /* this one */
    bool        begins;      /* a new panel */
    int         panel, line; /* where it is drawn, of the first run */
    char        label[160];
} series;

typedef struct plot {
    arguments  a;
    session    s;
    char      *text; /* of the series */
    series     list[MOST_SERIES];
    int        n;
    sal_probe *against;
    double     from, to, width, height;
    chart      chart;
    int        run, runs; /* the one at hand, and how many */
    char       x_label[160];
    bool       valid; /* derivatives hold so far */
    char       derivative[MOST_SERIES][MOST_WRT][200];
} plot;

/* ------------------------------------------------------------------------------------------ series */

static int add_series(plot *p, char *text, bool begins)
{
    series     *s = &p->list[p->n];
    const char *name;

    if (p->n == MOST_SERIES) {
        fprintf(stderr, "saltus: --series: expected at most %d\n", MOST_SERIES);
        return EXIT_USAGE;
    }
    *s = (series){ .text = text, .unit = unit_of(p->s.model, text), .output = -1, .begins = begins };
    for (int k = 0; (name = sal_model_output(p->s.model, k)); k++) {
        if (!strcmp(name, text)) s->output = k;
    }
    if (s->output < 0 && sal_probe_create(p->s.model, text, &s->probe) != SAL_OK) {
        fprintf(stderr, "saltus: --series: ");
        return report(sal_message(p->s.context), SAL_ERR_ARGUMENT);
    }
    snprintf(s->label, sizeof s->label, s->unit[0] ? "%s [%s]" : "%s", text, s->unit);
    p->n++;
    return EXIT_SUCCESS;
}

static int read_series(plot *p)
{
    const char *given = p->a.word[WORD_SERIES];
    char       *piece[MOST_SERIES + 1], *group, *rest;
    int         code = EXIT_SUCCESS;
    const char *name;

    if (!given) {
        for (int k = 0; code == EXIT_SUCCESS && (name = sal_model_output(p->s.model, k)); k++)
            code = add_series(p, (char *)name, true);
        if (p->n) return code;
        fprintf(stderr, "saltus: the scene has no outputs; say what to plot with --series, such as \"y(P)\"\n");
        return EXIT_USAGE;
    }
    p->text = strdup(given);
    if (!p->text) return report("saltus: out of memory", SAL_ERR_MEMORY);
    for (group = p->text; group && code == EXIT_SUCCESS; group = rest) {
        int n;
        rest = strchr(group, ';');
        if (rest) *rest++ = '\0';
        n = split_pieces(group, piece, MOST_SERIES + 1);
        for (int k = 0; k < n && k <= MOST_SERIES && code == EXIT_SUCCESS; k++) code = add_series(p, piece[k], k == 0);
    }
    return code;
}

static int read_against(plot *p)
{
    const char *text = p->a.word[WORD_AGAINST];

    p->chart.x_label = "t [s]";
    if (!text) return EXIT_SUCCESS;
    snprintf(p->x_label, sizeof p->x_label, unit_of(p->s.model, text)[0] ? "%s [%s]" : "%s", text,
             unit_of(p->s.model, text));
    p->chart.x_label = p->x_label;
    p->chart.free_x  = true;
    if (sal_probe_create(p->s.model, text, &p->against) == SAL_OK) return EXIT_SUCCESS;
    fprintf(stderr, "saltus: --against: ");
    return report(sal_message(p->s.context), SAL_ERR_ARGUMENT);
}

/* -------------------------------------------------------------------------------------------- panels */

static chart_line *line_of(plot *p, int k, int wrt)
{
    const series *s     = &p->list[k];
    const int     below = p->a.opts.nwrt, first = s->panel * (1 + below);

    return &p->chart.panels[first + wrt + 1]->lines[s->line + p->run];
}

/* Every series has a line for each run in its panel, and in the panels of its derivatives below. */
static int make_panels(plot *p)
{
    int panels = 0, used = PANEL_LINES;

    for (int k = 0; k < p->n; k++) {
        series *s = &p->list[k];
        if (k == 0 || s->begins || strcmp(s->unit, p->list[k - 1].unit) != 0 || used + p->runs > PANEL_LINES) {
            for (int below = 0; below <= p->a.opts.nwrt; below++) {
                if (chart_add_panel(&p->chart)) continue;
                return fprintf(stderr, "saltus: expected at most %d panels\n", CHART_PANELS), EXIT_USAGE;
            }
            panels++;
            used = 0;
        }
        s->panel = panels - 1;
        s->line  = used;
        used += p->runs;
        for (int below = 0; below <= p->a.opts.nwrt; below++) {
            const char *label = s->label;
            if (below) {
                snprintf(p->derivative[k][below - 1], sizeof p->derivative[k][0], "d %s/d %s", s->text,
                         p->a.opts.wrt[below - 1]);
                label = p->derivative[k][below - 1];
            }
            p->chart.panels[s->panel * (1 + p->a.opts.nwrt) + below]->n = used;
            for (p->run = 0; p->run < p->runs; p->run++) {
                chart_line *l = line_of(p, k, below - 1);
                *l            = (chart_line){ .colour = p->runs > 1 ? p->run : s->line,
                                              .dash   = p->runs > 1 ? s->line / p->runs : 0,
                                              .label  = p->run == 0 ? label : NULL };
            }
        }
    }
    return EXIT_SUCCESS;
}

/* ------------------------------------------------------------------------------------------- motion */

static double value_of(const series *s, const sal_run *run)
{
    return s->probe ? sal_probe_value(s->probe, run) : sal_run_output(run, s->output);
}

/* All series at the state; `gap`: the lines end here, for a jump. */
static void sample(plot *p, const sal_run *run, bool gap)
{
    const double t = sal_run_time(run), x = p->against ? sal_probe_value(p->against, run) : t;
    double       gradient[MOST_WRT];

    if (t < p->from || t > p->to) return;
    for (int k = 0; k < p->n; k++) {
        series *s = &p->list[k];
        chart_add(&p->chart, line_of(p, k, -1), x, gap ? NAN : value_of(s, run));
        if (p->a.opts.nwrt == 0) continue;
        if (gap || !p->valid ||
            (s->probe ? sal_probe_gradient(s->probe, run, gradient)
                      : sal_run_output_gradient(run, s->output, gradient)) != SAL_OK) {
            for (int c = 0; c < p->a.opts.nwrt; c++) gradient[c] = NAN;
        }
        for (int c = 0; c < p->a.opts.nwrt; c++) chart_add(&p->chart, line_of(p, k, c), x, gradient[c]);
    }
}

/* On to t: what was before an event, a gap, what is behind it. */
static sal_status sample_to(plot *p, sal_run *run, double t)
{
    sal_status status;

    while ((status = sal_run_to(run, t)) == SAL_EVENT) {
        const double at = sal_run_time(run);
        p->valid        = sal_run_wrt_invalid(run)[0] == '\0';
        sample(p, run, true);
        sample(p, run, false);
        if (at >= p->from && at <= p->to)
            chart_add_mark(&p->chart, at, sal_run_event(run).name, p->runs > 1 ? p->run : -1);
    }
    if (status == SAL_OK || status == SAL_END) sample(p, run, false);
    return status;
}

typedef struct times {
    double *at;
    int     n, room;
    double  end;
} times;

/* When events happen, by a run ahead. */
static sal_status find_events(const plot *p, sal_run *run, times *t)
{
    sal_status status;

    while ((status = sal_run_to(run, p->to)) == SAL_EVENT) {
        if (t->n == t->room) {
            double *more = realloc(t->at, (size_t)(2 * t->n + 64) * sizeof *more);
            if (!more) return SAL_ERR_MEMORY;
            t->at   = more;
            t->room = 2 * t->n + 64;
        }
        t->at[t->n++] = sal_run_time(run);
    }
    t->end = sal_run_time(run);
    return status;
}

/* At the times of a grid, and on both sides of every event: as near before it as numbers can be. */
static sal_status follow(plot *p, sal_run *run, const times *events)
{
    const double grid   = (p->to - p->from) / SAMPLES;
    sal_status   status = SAL_OK;
    int          e      = 0;

    p->valid = true;
    for (int k = 0; k <= SAMPLES && (status == SAL_OK || status == SAL_EVENT); k++) {
        const double t = fmin(k < SAMPLES ? p->from + k * grid : p->to, events->end);
        for (; e < events->n && events->at[e] <= t && status == SAL_OK; e++) {
            const double before = nextafter(events->at[e], -INFINITY);
            if (before > sal_run_time(run)) status = sample_to(p, run, before);
            if (status == SAL_OK) status = sample_to(p, run, events->at[e]);
        }
        if (status == SAL_OK && t >= sal_run_time(run)) status = sample_to(p, run, t);
        if (t >= events->end) break;
    }
    return status;
}

/* The settings of an overlay, "A=1, B=2", besides those of --set. */
static int read_overlay(const session *s, char *text, sal_setting *set, int *n)
{
    char *piece[MOST_SERIES];
    int   count = split_pieces(text, piece, MOST_SERIES);

    if (count > MOST_SERIES) return fprintf(stderr, "saltus: --overlay: too many values\n"), EXIT_USAGE;
    for (int k = 0; k < count; k++) {
        char *equals = strchr(piece[k], '=');
        if (!equals || equals == piece[k]) {
            fprintf(stderr, "saltus: --overlay: expected NAME=VALUE, found '%s'\n", piece[k]);
            return EXIT_USAGE;
        }
        *equals           = '\0';
        set[*n].parameter = piece[k];
        if (!read_setting_value(s, "--overlay", equals + 1, set, *n, &set[*n].value)) return EXIT_USAGE;
        *n += 1;
    }
    return EXIT_SUCCESS;
}

/* One run, twice: ahead for its events, then for its lines. */
static int run_twice(plot *p, const sal_run_opts *given)
{
    sal_run_opts opts   = *given;
    sal_run     *run    = NULL;
    times        events = { 0 };
    sal_status   status = sal_run_create(p->s.model, &opts, &run);
    int          code   = EXIT_SUCCESS;

    if (status != SAL_OK) return report(sal_message(p->s.context), status);
    status = find_events(p, run, &events);
    if (status >= 0 && status != SAL_STOPPED) status = sal_run_restart(run);
    if (status == SAL_OK) status = follow(p, run, &events);
    if (status == SAL_STOPPED) code = EXIT_STOPPED;
    else if (status < 0) code = report(sal_run_message(run), status);
    else if (opts.nwrt && sal_run_wrt_invalid(run)[0]) {
        fprintf(stderr, "saltus: derivatives are not valid from there on: %s\n", sal_run_wrt_invalid(run));
        code = EXIT_MISMATCH;
    }
    code = strict_code(&(session){ .context = p->s.context, .model = p->s.model, .run = run }, &p->a, code);
    sal_run_destroy(&run);
    free(events.at);
    return code;
}

static int run_one(plot *p)
{
    sal_run_opts opts = p->a.opts;
    char        *text = p->a.noverlay ? strdup(p->a.overlay[p->run]) : NULL;
    sal_setting *set  = calloc((size_t)opts.nset + MOST_SERIES, sizeof *set);
    int          code = EXIT_SUCCESS;

    if (!set || (p->a.noverlay && !text)) code = report("saltus: out of memory", SAL_ERR_MEMORY);
    for (int k = 0; k < opts.nset && set; k++) set[k] = opts.set[k];
    opts.set = set;
    if (code == EXIT_SUCCESS && text) code = read_overlay(&p->s, text, set, &opts.nset);
    if (code == EXIT_SUCCESS) code = run_twice(p, &opts);
    free(set);
    free(text);
    return code;
}

/* ------------------------------------------------------------------------------------------- command */

static bool write_chart(void *c, FILE *f, const char *title)
{
    return chart_write(c, f, title);
}

/* The times shown, within the run that is at hand. */
static int read_times(plot *p)
{
    const double duration = sal_run_duration(p->s.run);

    p->to = duration;
    if (!read_between("--from", p->a.word[WORD_FROM], 0.0, duration, &p->from) ||
        !read_between("--to", p->a.word[WORD_TO], 0.0, duration, &p->to))
        return EXIT_USAGE;
    if (p->from < p->to) return EXIT_SUCCESS;
    fprintf(stderr, "saltus: --to: expected a time after %g s, found %g s\n", p->from, p->to);
    return EXIT_USAGE;
}

static int prepare(plot *p)
{
    int code = EXIT_SUCCESS;

    p->runs = p->a.noverlay ? p->a.noverlay : 1;
    if (p->runs > MOST_RUNS) return fprintf(stderr, "saltus: --overlay: expected at most %d\n", MOST_RUNS), EXIT_USAGE;
    if (p->a.wrt_text) code = session_wrt(&p->s, &p->a);
    if (code == EXIT_SUCCESS && p->a.opts.nwrt > MOST_WRT)
        code = (fprintf(stderr, "saltus: --wrt: expected at most %d names\n", MOST_WRT), EXIT_USAGE);
    if (code == EXIT_SUCCESS) code = session_start(&p->s, &p->a);
    if (code == EXIT_SUCCESS) code = read_times(p);
    if (code == EXIT_SUCCESS) code = read_series(p);
    if (code == EXIT_SUCCESS) code = read_against(p);
    if (code == EXIT_SUCCESS) code = make_panels(p);
    p->chart.width        = p->width;
    p->chart.panel_height = p->height;
    p->chart.from         = p->from;
    p->chart.to           = p->to;
    for (int k = 0; k < p->a.noverlay; k++) p->chart.runs[p->chart.nruns++] = p->a.overlay[k];
    return code;
}

int command_plot(int argc, char **argv)
{
    plot *p = calloc(1, sizeof *p);
    int   code, worst = EXIT_SUCCESS;

    if (!p) return report("saltus: out of memory", SAL_ERR_MEMORY);
    p->width = 720.0;
    if (!read_arguments(argc, argv, ACCEPT_PLOT, help, &p->a, &code)) return free(p), code;
    p->height = p->a.word[WORD_AGAINST] ? 340.0 : 170.0;
    code      = EXIT_USAGE;
    if (read_between("--width", p->a.word[WORD_WIDTH], 200.0, 10000.0, &p->width) &&
        read_between("--height", p->a.word[WORD_HEIGHT], 40.0, 5000.0, &p->height))
        code = session_open(&p->s, &p->a);
    if (code == EXIT_SUCCESS) code = prepare(p);
    catch_interrupts();
    for (p->run = 0; p->run < p->runs && code == EXIT_SUCCESS; p->run++) {
        code = run_one(p);
        if (code != EXIT_MISMATCH) continue;
        worst = code; /* what there is is drawn */
        code  = EXIT_SUCCESS;
    }
    if (code == EXIT_SUCCESS) code = result_picture(&p->a, &p->s, "_plot.svg", write_chart, &p->chart);
    if (code == EXIT_SUCCESS) code = worst;
    for (int k = 0; k < p->n; k++) sal_probe_destroy(&p->list[k].probe);
    sal_probe_destroy(&p->against);
    chart_free(&p->chart);
    free(p->text);
    session_close(&p->s, &p->a);
    free(p);
    return code;
}
