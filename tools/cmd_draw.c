/* cmd_draw.c - saltus draw: the mechanism as a picture, at one time, at several, or as a film. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/draw/picture.h"
#include "tools/output.h"

static const char help[] =
    "saltus draw SCENE [options]\n"
    "\n"
    "Draws the mechanism with kinematic symbols (ISO 3952), as its types say they look, into an SVG file of its own: "
    "as it\n"
    "is assembled, or where its motion takes it.\n"
    "\n"
    "  -o, --output FILE  write it there; '-' is stdout; NAME.svg for NAME.json when absent\n"
    "  --at T             at the time T [s]; --at 0,0.2,0.5: over each other, earlier ones fade\n"
    "  --ghosts N         at N times from the start to the end, over each other\n"
    "  --strip N          at N times from the start to the end, side by side; --strip 0,0.2,0.5: at these\n"
    "  --animate          a film that plays by itself in a browser, again and again\n"
    "  --speed NUMBER     of the film: 1 is real time; chosen for 2 to 12 s when absent\n"
    "  --trace P,Q        with the paths of these points over the whole motion; \"(x(P)-x(O), y(P))\" is one, too\n"
    "  --names            with the names of points\n"
    "  --forces           with the forces of contacts as arrows\n"
    "  --width PIXELS     of the picture, 720 when absent\n"
    "  --set NAME=VALUE   give a parameter another value: a number, or an expression of parameters; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  -q, --quiet        do not print the name of the file\n"
    "  --form, --integrator, --rtol, --duration, --strict   as for saltus run\n"
    "\n"
    "Both axes have the same scale, which the bar tells. What is drawn fits; colours follow the light or dark setting\n"
    "of the reader. The file gets its name when it is complete.\n";

enum { SURVEY = 4000, LEAST_FRAMES = 24, MOST_FRAMES = 150, RATE = 24 };

typedef struct drawing {
    arguments  a;
    session    s;
    picture    p;
    bool       whole;                /* the times depend on when the run ends */
    sal_probe *probe[MOST_PATHS][2]; /* x and y of the paths */
} drawing;

/* --------------------------------------------------------------------------------------- arguments */

/* Times by a list, or by a number N of them; false after a message. */
static bool read_times(drawing *d, word_id word, const char *option)
{
    char *text = strdup(d->a.word[word]), *piece[MOST_TIMES];
    int   n    = text ? split_pieces(text, piece, MOST_TIMES) : 0;
    bool  good = text && n <= MOST_TIMES;

    if (!text) fprintf(stderr, "saltus: out of memory\n");
    else if (!good) fprintf(stderr, "saltus: %s: expected at most %d times, found %d\n", option, MOST_TIMES, n);
    for (int k = 0; k < n && good; k++) {
        good = read_number(option, piece[k], &d->p.times[k]);
        if (good && n == 1 && word != WORD_AT) continue;
        if (good && !(d->p.times[k] >= 0.0 && isfinite(d->p.times[k])))
            good = (fprintf(stderr, "saltus: %s: expected times from 0 on, found %s\n", option, piece[k]), false);
        if (good && k && d->p.times[k] < d->p.times[k - 1])
            good =
                (fprintf(stderr, "saltus: %s: expected times that grow, found %s\n", option, d->a.word[word]), false);
    }
    d->p.ntimes = n;
    if (good && n == 1 && word != WORD_AT) {
        const double count = d->p.times[0];
        good               = count >= 1.0 && count <= MOST_TIMES && count == floor(count);
        if (!good)
            fprintf(stderr, "saltus: %s: expected how many times, 1 to %d, found %s\n", option, MOST_TIMES,
                    d->a.word[word]);
        d->p.ntimes = good ? (int)count : 0;
        d->whole    = true;
    }
    free(text);
    return good;
}

static bool read_layout(drawing *d)
{
    const char *const *w     = d->a.word;
    const int          given = !!w[WORD_AT] + !!w[WORD_STRIP] + !!w[WORD_GHOSTS] + !!w[WORD_ANIMATE];

    d->p.ntimes = 1;
    if (given > 1) return fprintf(stderr, "saltus: expected one of --at, --strip, --ghosts, --animate\n"), false;
    if (w[WORD_SPEED] && !w[WORD_ANIMATE]) return fprintf(stderr, "saltus: --speed is for --animate\n"), false;
    if (w[WORD_AT]) return read_times(d, WORD_AT, "--at");
    if (w[WORD_GHOSTS]) return read_times(d, WORD_GHOSTS, "--ghosts");
    if (w[WORD_STRIP]) return d->p.layout = LAYOUT_STRIP, read_times(d, WORD_STRIP, "--strip");
    if (w[WORD_ANIMATE]) {
        d->p.layout = LAYOUT_FILM;
        d->whole    = true;
    }
    return true;
}

/* A point by its name, or "(x, y)" with expressions. */
static int read_trace(drawing *d, char *text)
{
    sal_probe  **probe  = d->probe[d->p.npaths++];
    const size_t length = strlen(text);
    char         form[2][300], *piece[2];
    sal_status   status = SAL_OK;
    double       nowhere[2];

    if (text[0] == '(' && text[length - 1] == ')') {
        text[length - 1] = '\0';
        if (split_pieces(text + 1, piece, 2) != 2) {
            fprintf(stderr, "saltus: --trace: expected a point or '(x, y)', found '%s)'\n", text);
            return EXIT_USAGE;
        }
        for (int k = 0; k < 2; k++) snprintf(form[k], sizeof form[k], "%s", piece[k]);
    } else {
        status = sal_run_point(d->s.run, text, nowhere, NULL); /* says what is unknown */
        snprintf(form[0], sizeof form[0], "x(%s)", text);
        snprintf(form[1], sizeof form[1], "y(%s)", text);
    }
    for (int k = 0; k < 2 && status == SAL_OK; k++) status = sal_probe_create(d->s.model, form[k], &probe[k]);
    if (status == SAL_OK) return EXIT_SUCCESS;
    fprintf(stderr, "saltus: --trace: ");
    return report(sal_message(d->s.context), SAL_ERR_ARGUMENT);
}

static int read_traces(drawing *d)
{
    char *text = d->a.word[WORD_TRACE] ? strdup(d->a.word[WORD_TRACE]) : NULL, *piece[MOST_PATHS];
    int   n = text ? split_pieces(text, piece, MOST_PATHS) : 0, code = EXIT_SUCCESS;

    if (d->a.word[WORD_TRACE] && !text) return report("saltus: out of memory", SAL_ERR_MEMORY);
    if (n > MOST_PATHS) {
        fprintf(stderr, "saltus: --trace: expected at most %d paths, found %d\n", MOST_PATHS, n);
        code = EXIT_USAGE;
    }
    for (int k = 0; k < n && code == EXIT_SUCCESS; k++) code = read_trace(d, piece[k]);
    free(text);
    return code;
}

/* ------------------------------------------------------------------------------------------ motion */

static void add_event(drawing *d, double t)
{
    if (d->p.nevents == d->p.event_room) {
        d->p.event_room = 2 * d->p.event_room + 16;
        d->p.events     = need_more(d->p.events, (size_t)d->p.event_room * sizeof *d->p.events);
    }
    d->p.events[d->p.nevents++] = t;
}

static void add_traces(drawing *d, const sal_run *run)
{
    for (int k = 0; k < d->p.npaths; k++) {
        traced_path *t = &d->p.paths[k];
        for (int axis = 0; axis < 2; axis++) t->at[t->n][axis] = sal_probe_value(d->probe[k][axis], run);
        if (isfinite(t->at[t->n][0]) && isfinite(t->at[t->n][1])) t->n++;
    }
}

/* On to t, through all events: SAL_OK there, else why not. */
static sal_status go_to(sal_run *run, double t, drawing *survey)
{
    sal_status status;

    while ((status = sal_run_to(run, t)) == SAL_EVENT) {
        if (!survey) continue;
        add_event(survey, sal_run_time(run));
        if (survey->p.npaths && survey->p.paths[0].n < 3 * SURVEY) add_traces(survey, run);
    }
    return status;
}

static int run_failed(const sal_run *run, sal_status status)
{
    return status == SAL_STOPPED ? EXIT_STOPPED : report(sal_run_message(run), status);
}

/* A run ahead: when it ends, what happens, where traces go and curves are needed. */
static int survey(drawing *d)
{
    sal_run_opts opts = d->a.opts;
    sal_run     *run  = NULL;
    sal_status   status;
    double       last;
    const bool   all  = d->whole || d->p.npaths;
    int          code = EXIT_SUCCESS;

    opts.quiet = true;
    status     = sal_run_create(d->s.model, &opts, &run);
    if (status != SAL_OK) return report(sal_message(d->s.context), status);
    last = all ? sal_run_duration(run) : d->p.times[d->p.ntimes - 1];
    for (int k = 0; k < d->p.npaths; k++) {
        d->p.paths[k].at = calloc(4 * SURVEY, sizeof *d->p.paths[k].at);
        if (!d->p.paths[k].at) code = report("saltus: out of memory", SAL_ERR_MEMORY);
    }
    for (int k = 0; k <= SURVEY && code == EXIT_SUCCESS && status == SAL_OK; k++) {
        status = go_to(run, last * k / SURVEY, d);
        if (status < 0 || status == SAL_STOPPED) code = run_failed(run, status);
        if (code != EXIT_SUCCESS) break;
        add_traces(d, run);
        if (k % 20 == 0 && !stage_cover(&d->p.stage, run)) code = report("saltus: out of memory", SAL_ERR_MEMORY);
        if (last == 0.0) break;
    }
    d->p.end = sal_run_time(run);
    sal_run_destroy(&run);
    return code;
}

/* Times that are shown of a film: equally far apart, but where an event is nearer than half a frame it is shown. */
static void film_times(drawing *d)
{
    static const double steps[] = { 1.0, 2.0, 5.0 };
    double              decade  = 1.0;
    int                 n;

    if (d->p.speed == 0.0) { /* the nearest of ..., 0.5, 1, 2, 5, ... that takes 2 to 12 s */
        for (d->p.speed = 1.0; d->p.end / d->p.speed > 12.0; decade *= 10.0)
            for (int k = 0; k < 3 && d->p.end / d->p.speed > 12.0; k++) d->p.speed = steps[k] * decade;
        decade = 0.1;
        for (; d->p.end > 0.0 && d->p.end / d->p.speed < 2.0; decade *= 0.1)
            for (int k = 2; k >= 0 && d->p.end / d->p.speed < 2.0; k--) d->p.speed = steps[k] * decade;
    }
    d->p.seconds = d->p.end / d->p.speed;
    n            = (int)fmin(MOST_FRAMES, fmax(LEAST_FRAMES, ceil(RATE * d->p.seconds))) + 1;
    d->p.ntimes  = n;
    for (int k = 0; k < n; k++) d->p.times[k] = d->p.end * k / (n - 1);
    for (int e = 0; e < d->p.nevents; e++) {
        const int    k  = (int)lround(d->p.events[e] / d->p.end * (n - 1));
        const double at = d->p.end * k / (n - 1);
        if (k > 0 && k < n - 1 && d->p.times[k] == at) d->p.times[k] = d->p.events[e];
    }
}

static int choose_times(drawing *d)
{
    if (d->p.layout == LAYOUT_FILM) {
        if (!(d->p.end > 0.0)) return report("saltus: --animate: the run ends where it begins", SAL_ERR_ARGUMENT);
        film_times(d);
    } else if (d->whole) {
        for (int k = 0; k < d->p.ntimes; k++)
            d->p.times[k] = d->p.ntimes > 1 ? d->p.end * k / (d->p.ntimes - 1) : d->p.end;
    } else if (d->p.times[d->p.ntimes - 1] > d->p.end) {
        fprintf(stderr, "saltus: %s: %g s is beyond the end of the run, %.9g s\n",
                d->p.layout == LAYOUT_STRIP ? "--strip" : "--at", d->p.times[d->p.ntimes - 1], d->p.end);
        return EXIT_USAGE;
    }
    return EXIT_SUCCESS;
}

static int take_frames(drawing *d)
{
    const double low = d->p.stage.low[0], high = d->p.stage.high[0],
                 wide = fmax(high - low, d->p.stage.high[1] - d->p.stage.low[1]);

    d->p.stage.domain[0] = low <= high ? low - 0.6 * wide : -1.0;
    d->p.stage.domain[1] = low <= high ? high + 0.6 * wide : 1.0;
    d->p.stage.low[0] = d->p.stage.low[1] = INFINITY;
    d->p.stage.high[0] = d->p.stage.high[1] = -INFINITY;
    for (int k = 0; k < d->p.ntimes; k++) {
        const sal_status status = go_to(d->s.run, d->p.times[k], NULL);
        if (status < 0 || status == SAL_STOPPED) return run_failed(d->s.run, status);
        if (!stage_add(&d->p.stage, d->s.run)) return report("saltus: out of memory", SAL_ERR_MEMORY);
    }
    stage_find_roles(&d->p.stage);
    return EXIT_SUCCESS;
}

static bool write_picture(void *p, FILE *f, const char *title)
{
    return picture_write(p, f, title);
}

static void free_drawing(drawing *d)
{
    for (int k = 0; k < d->p.npaths; k++) {
        for (int axis = 0; axis < 2; axis++) sal_probe_destroy(&d->probe[k][axis]);
    }
    picture_free(&d->p);
    session_close(&d->s, &d->a);
    free(d);
}

int command_draw(int argc, char **argv)
{
    drawing *d = calloc(1, sizeof *d);
    int      code;

    if (!d) return report("saltus: out of memory", SAL_ERR_MEMORY);
    d->p.width = 720.0;
    if (!read_arguments(argc, argv, ACCEPT_DRAW, help, &d->a, &code)) return free(d), code;
    code = EXIT_USAGE;
    if (read_layout(d) && read_between("--width", d->a.word[WORD_WIDTH], 100.0, 10000.0, &d->p.width) &&
        read_between("--speed", d->a.word[WORD_SPEED], 1e-9, 1e9, &d->p.speed))
        code = session_open(&d->s, &d->a);
    if (code == EXIT_SUCCESS) code = session_start(&d->s, &d->a);
    if (code == EXIT_SUCCESS) code = read_traces(d);
    if (code == EXIT_SUCCESS && !stage_open(&d->p.stage, d->s.model))
        code = report("saltus: out of memory", SAL_ERR_MEMORY);
    d->p.names  = d->a.word[WORD_NAMES] != NULL;
    d->p.forces = d->a.word[WORD_FORCES] != NULL;
    catch_interrupts();
    if (code == EXIT_SUCCESS) code = survey(d);
    if (code == EXIT_SUCCESS) code = choose_times(d);
    if (code == EXIT_SUCCESS) code = take_frames(d);
    if (code == EXIT_SUCCESS) code = result_picture(&d->a, &d->s, ".svg", write_picture, &d->p);
    code = strict_code(&d->s, &d->a, code);
    free_drawing(d);
    return code;
}
