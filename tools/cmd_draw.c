/* cmd_draw.c - saltus draw: the mechanism as a picture, at one time, at several, or as a film. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/draw/svg.h"
#include "tools/draw/symbols.h"
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
    "  --set NAME=VALUE   give a parameter another value; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  --form, --rtol, --duration, --strict   as for saltus run\n"
    "\n"
    "Both axes have the same scale, which the bar tells. What is drawn fits; colours follow the light or dark setting\n"
    "of the reader. The file gets its name when it is complete.\n";

enum { MOST_TIMES = 200, MOST_TRACES = 50, SURVEY = 4000, LEAST_FRAMES = 24, MOST_FRAMES = 150, RATE = 24 };

typedef enum layout_id { LAYOUT_OVER, LAYOUT_STRIP, LAYOUT_FILM } layout_id;

typedef struct trace {
    sal_probe *probe[2];
    double (*at)[2]; /* [m] */
    int n;
} trace;

typedef struct drawing {
    arguments a;
    session   s;
    stage     stage;
    layout_id layout;
    double    width; /* of the file [px] */
    double    times[MOST_TIMES];
    int       ntimes;
    bool      whole; /* the times depend on when the run ends */
    trace     traces[MOST_TRACES];
    int       ntraces;
    double    end;    /* of the run, as far as it was followed [s] */
    double   *events; /* when they happened [s] */
    int       nevents, event_room;
    double    speed, seconds; /* of the film */
    int       hold;           /* frames at its end where nothing moves */
    pen       pen;
    window    view; /* of one panel */
    int       columns;
    list     *lists; /* of each frame */
    list      paths; /* of all traces */
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
        good = read_number(option, piece[k], &d->times[k]);
        if (good && n == 1 && word != WORD_AT) continue;
        if (good && !(d->times[k] >= 0.0 && isfinite(d->times[k])))
            good = (fprintf(stderr, "saltus: %s: expected times from 0 on, found %s\n", option, piece[k]), false);
        if (good && k && d->times[k] < d->times[k - 1])
            good =
                (fprintf(stderr, "saltus: %s: expected times that grow, found %s\n", option, d->a.word[word]), false);
    }
    d->ntimes = n;
    if (good && n == 1 && word != WORD_AT) {
        const double count = d->times[0];
        good               = count >= 1.0 && count <= MOST_TIMES && count == floor(count);
        if (!good)
            fprintf(stderr, "saltus: %s: expected how many times, 1 to %d, found %s\n", option, MOST_TIMES,
                    d->a.word[word]);
        d->ntimes = good ? (int)count : 0;
        d->whole  = true;
    }
    free(text);
    return good;
}

static bool read_layout(drawing *d)
{
    const char *const *w     = d->a.word;
    const int          given = !!w[WORD_AT] + !!w[WORD_STRIP] + !!w[WORD_GHOSTS] + !!w[WORD_ANIMATE];

    d->ntimes = 1;
    if (given > 1) return fprintf(stderr, "saltus: expected one of --at, --strip, --ghosts, --animate\n"), false;
    if (w[WORD_SPEED] && !w[WORD_ANIMATE]) return fprintf(stderr, "saltus: --speed is for --animate\n"), false;
    if (w[WORD_AT]) return read_times(d, WORD_AT, "--at");
    if (w[WORD_GHOSTS]) return read_times(d, WORD_GHOSTS, "--ghosts");
    if (w[WORD_STRIP]) return d->layout = LAYOUT_STRIP, read_times(d, WORD_STRIP, "--strip");
    if (w[WORD_ANIMATE]) {
        d->layout = LAYOUT_FILM;
        d->whole  = true;
    }
    return true;
}

/* A point by its name, or "(x, y)" with expressions. */
static int read_trace(drawing *d, char *text)
{
    trace       *t      = &d->traces[d->ntraces++];
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
    for (int k = 0; k < 2 && status == SAL_OK; k++) status = sal_probe_create(d->s.model, form[k], &t->probe[k]);
    if (status == SAL_OK) return EXIT_SUCCESS;
    fprintf(stderr, "saltus: --trace: ");
    return report(sal_message(d->s.context), SAL_ERR_ARGUMENT);
}

static int read_traces(drawing *d)
{
    char *text = d->a.word[WORD_TRACE] ? strdup(d->a.word[WORD_TRACE]) : NULL, *piece[MOST_TRACES];
    int   n = text ? split_pieces(text, piece, MOST_TRACES) : 0, code = EXIT_SUCCESS;

    if (d->a.word[WORD_TRACE] && !text) return report("saltus: out of memory", SAL_ERR_MEMORY);
    if (n > MOST_TRACES) {
        fprintf(stderr, "saltus: --trace: expected at most %d paths, found %d\n", MOST_TRACES, n);
        code = EXIT_USAGE;
    }
    for (int k = 0; k < n && code == EXIT_SUCCESS; k++) code = read_trace(d, piece[k]);
    free(text);
    return code;
}

/* ------------------------------------------------------------------------------------------ motion */

static void add_event(drawing *d, double t)
{
    if (d->nevents == d->event_room) {
        double *more = realloc(d->events, (size_t)(2 * d->event_room + 16) * sizeof *more);
        if (!more) return; /* a mark less */
        d->events     = more;
        d->event_room = 2 * d->event_room + 16;
    }
    d->events[d->nevents++] = t;
}

static void add_traces(drawing *d, const sal_run *run)
{
    for (int k = 0; k < d->ntraces; k++) {
        trace *t = &d->traces[k];
        for (int axis = 0; axis < 2; axis++) t->at[t->n][axis] = sal_probe_value(t->probe[axis], run);
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
        if (survey->ntraces && survey->traces[0].n < 3 * SURVEY) add_traces(survey, run);
    }
    return status;
}

static int run_failed(const drawing *d, const sal_run *run, sal_status status)
{
    (void)d;
    return status == SAL_STOPPED ? EXIT_STOPPED : report(sal_run_message(run), status);
}

/* A run ahead: when it ends, what happens, where traces go and curves are needed. */
static int survey(drawing *d)
{
    sal_run_opts opts = d->a.opts;
    sal_run     *run  = NULL;
    sal_status   status;
    double       last;
    const bool   all  = d->whole || d->ntraces;
    int          code = EXIT_SUCCESS;

    opts.quiet = true;
    status     = sal_run_create(d->s.model, &opts, &run);
    if (status != SAL_OK) return report(sal_message(d->s.context), status);
    last = all ? sal_run_duration(run) : d->times[d->ntimes - 1];
    for (int k = 0; k < d->ntraces; k++) {
        d->traces[k].at = calloc(4 * SURVEY, sizeof *d->traces[k].at);
        if (!d->traces[k].at) code = report("saltus: out of memory", SAL_ERR_MEMORY);
    }
    for (int k = 0; k <= SURVEY && code == EXIT_SUCCESS && status == SAL_OK; k++) {
        status = go_to(run, last * k / SURVEY, d);
        if (status == SAL_END) status = go_to(run, sal_run_time(run), d), status = SAL_END;
        if (status < 0 || status == SAL_STOPPED) code = run_failed(d, run, status);
        if (code != EXIT_SUCCESS) break;
        add_traces(d, run);
        if (k % 20 == 0 && !stage_cover(&d->stage, run)) code = report("saltus: out of memory", SAL_ERR_MEMORY);
        if (last == 0.0) break;
    }
    d->end = sal_run_time(run);
    sal_run_destroy(&run);
    return code;
}

/* Times that are shown of a film: equally far apart, but where an event is nearer than half a frame it is shown. */
static void film_times(drawing *d)
{
    static const double steps[] = { 1.0, 2.0, 5.0 };
    double              decade  = 1.0;
    int                 n;

    if (d->speed == 0.0) { /* the nearest of ..., 0.5, 1, 2, 5, ... that takes 2 to 12 s */
        for (d->speed = 1.0; d->end / d->speed > 12.0; decade *= 10.0)
            for (int k = 0; k < 3 && d->end / d->speed > 12.0; k++) d->speed = steps[k] * decade;
        decade = 0.1;
        for (; d->end > 0.0 && d->end / d->speed < 2.0; decade *= 0.1)
            for (int k = 2; k >= 0 && d->end / d->speed < 2.0; k--) d->speed = steps[k] * decade;
    }
    d->seconds = d->end / d->speed;
    n          = (int)fmin(MOST_FRAMES, fmax(LEAST_FRAMES, ceil(RATE * d->seconds))) + 1;
    d->ntimes  = n;
    for (int k = 0; k < n; k++) d->times[k] = d->end * k / (n - 1);
    for (int e = 0; e < d->nevents; e++) {
        const int    k  = (int)lround(d->events[e] / d->end * (n - 1));
        const double at = d->end * k / (n - 1);
        if (k > 0 && k < n - 1 && d->times[k] == at) d->times[k] = d->events[e];
    }
}

static int choose_times(drawing *d)
{
    if (d->layout == LAYOUT_FILM) {
        if (!(d->end > 0.0)) return report("saltus: --animate: the run ends where it begins", SAL_ERR_ARGUMENT);
        film_times(d);
    } else if (d->whole) {
        for (int k = 0; k < d->ntimes; k++) d->times[k] = d->ntimes > 1 ? d->end * k / (d->ntimes - 1) : d->end;
    } else if (d->times[d->ntimes - 1] > d->end) {
        fprintf(stderr, "saltus: %s: %g s is beyond the end of the run, %.9g s\n",
                d->layout == LAYOUT_STRIP ? "--strip" : "--at", d->times[d->ntimes - 1], d->end);
        return EXIT_USAGE;
    }
    return EXIT_SUCCESS;
}

static int take_frames(drawing *d)
{
    const double low = d->stage.low[0], high = d->stage.high[0],
                 wide = fmax(high - low, d->stage.high[1] - d->stage.low[1]);

    d->stage.domain[0] = low <= high ? low - 0.6 * wide : -1.0;
    d->stage.domain[1] = low <= high ? high + 0.6 * wide : 1.0;
    d->stage.low[0] = d->stage.low[1] = INFINITY;
    d->stage.high[0] = d->stage.high[1] = -INFINITY;
    for (int k = 0; k < d->ntimes; k++) {
        const sal_status status = go_to(d->s.run, d->times[k], NULL);
        if (status < 0 || status == SAL_STOPPED) return run_failed(d, d->s.run, status);
        if (!stage_add(&d->stage, d->s.run)) return report("saltus: out of memory", SAL_ERR_MEMORY);
    }
    stage_find_roles(&d->stage);
    return EXIT_SUCCESS;
}

/* --------------------------------------------------------------------------------------------- view */

/* The scale, and what is seen of the plane in a panel: the box of what is drawn, with a margin. */
static void fit(drawing *d)
{
    const bool   strip = d->layout == LAYOUT_STRIP;
    const double wide = d->width / d->columns, least = 0.17 * wide, most = (strip ? 1.4 : 0.72) * wide;
    const double margin = fmin(36.0, 14.0 + 0.035 * wide) + (d->pen.names ? 12.0 : 0.0);
    stage       *s      = &d->stage;
    const double w = s->high[0] - s->low[0], h = s->high[1] - s->low[1], inside = wide - 2.0 * margin;
    double       size[2] = { wide, least }, scale = INFINITY;

    if (w > 0.0) scale = inside / w;
    if (h > 0.0) scale = fmin(scale, (most - 2.0 * margin) / h);
    if (!isfinite(scale)) scale = 100.0; /* a point */
    size[1]       = ceil(fmax(h * scale + 2.0 * margin, least));
    d->pen.scale  = scale;
    d->pen.unit   = symbol_unit(s, scale, wide);
    d->view.scale = scale;
    for (int axis = 0; axis < 2; axis++) {
        const double centre = 0.5 * scale * (s->low[axis] + s->high[axis]);
        d->view.low[axis] = d->pen.low[axis] = centre - 0.5 * size[axis];
        d->view.high[axis] = d->pen.high[axis] = centre + 0.5 * size[axis];
    }
}

/* As many panels in a row as have room, all rows as full as can be. */
static int columns_for(int n, double width)
{
    const int most = (int)fmax(1.0, fmin(n, floor(width / 150.0))), rows = (n + most - 1) / most;

    return (n + rows - 1) / rows;
}

static void find_view(drawing *d)
{
    stage       *s     = &d->stage;
    const double force = largest_force(s, d->a.word[WORD_FORCES] != NULL);

    for (int k = 0; k < d->ntraces; k++) {
        for (int i = 0; i < d->traces[k].n; i++) stage_extend(s, d->traces[k].at[i][0], d->traces[k].at[i][1]);
    }
    if (s->low[0] > s->high[0]) stage_extend(s, 0.0, 0.0);
    stage_cover_lines(s);
    d->columns = columns_for(d->layout == LAYOUT_STRIP ? d->ntimes : 1, d->width);
    d->pen     = (pen){ .s = s, .forces = d->a.word[WORD_FORCES] != NULL, .names = d->a.word[WORD_NAMES] != NULL };
    fit(d);
    if (!(force > 0.0)) return;
    stage_cover_forces(s, d->pen.forces, FORCE_LENGTH * d->pen.unit / force / d->pen.scale);
    fit(d);
    d->pen.newton = FORCE_LENGTH * d->pen.unit / force;
}

static bool make_lists(drawing *d)
{
    bool good;

    d->lists = calloc((size_t)d->stage.nframes, sizeof *d->lists);
    if (!d->lists) return false;
    for (int k = 0; k < d->stage.nframes; k++) {
        d->pen.l = &d->lists[k];
        d->pen.f = &d->stage.frames[k];
        draw_mechanism(&d->pen);
    }
    for (int k = 0; k < d->ntraces; k++) {
        trace *t = &d->traces[k];
        for (int i = 0; i < t->n; i++)
            for (int axis = 0; axis < 2; axis++) t->at[i][axis] *= d->pen.scale;
        list_polyline(&d->paths, (ink_id)(INK_TRACE + k % PALETTE), (const double(*)[2])t->at, t->n, 0.08);
    }
    good = !d->paths.failed;
    for (int k = 0; k < d->stage.nframes; k++) good = good && !d->lists[k].failed;
    return good;
}

/* ------------------------------------------------------------------------------------------- footer */

/* 1, 2 or 5 times a power of ten, not more than x. */
static double round_down(double x)
{
    const double decade = pow(10.0, floor(log10(x) + 1e-9)), rest = x / decade;

    return (rest >= 5.0 ? 5.0 : rest >= 2.0 ? 2.0 : 1.0) * decade;
}

/* A length that is a round number, in a unit that suits it. */
static void length_text(double metres, char *text, size_t room)
{
    if (metres >= 1000.0) snprintf(text, room, "%g km", metres / 1000.0);
    else if (metres >= 1.0) snprintf(text, room, "%g m", metres);
    else if (metres >= 1e-3) snprintf(text, room, "%g mm", metres * 1000.0);
    else if (metres >= 1e-6) snprintf(text, room, "%g \xc2\xb5m", metres * 1e6);
    else snprintf(text, room, "%g m", metres);
}

typedef struct footer {
    list list;
    char scale[40], time[120], force[40], from[20], to[40];
} footer;

/* The scale bar, and the scale of forces where there are any. */
static void add_scales(const drawing *d, footer *f, double y)
{
    const double metres = round_down(fmax(0.16 * d->width, 40.0) / d->pen.scale), length = metres * d->pen.scale;
    const pose   at = place_at(16.0, -y, 0.0);
    double       x  = length + 8.0;

    list_path(&f->list, INK_LINE, at);
    list_move(&f->list, 0.0, 4.0);
    list_line(&f->list, 0.0, -4.0);
    list_move(&f->list, 0.0, 0.0);
    list_line(&f->list, length, 0.0);
    list_move(&f->list, length, 4.0);
    list_line(&f->list, length, -4.0);
    length_text(metres, f->scale, sizeof f->scale);
    list_text(&f->list, INK_NOTE, place_at(16.0 + x, -y - 4.0, 0.0), -1, f->scale);
    if (d->pen.newton == 0.0) return;
    x += 9.0 * (double)strlen(f->scale) + 10.0;
    const double newton = round_down(1.5 * FORCE_LENGTH * d->pen.unit / d->pen.newton), arrow = newton * d->pen.newton;
    list_path(&f->list, INK_FORCE, place_at(16.0 + x, -y, 0.0));
    list_move(&f->list, 0.0, 0.0);
    list_line(&f->list, arrow - 6.0, 0.0);
    list_path(&f->list, INK_HEAD, place_at(16.0 + x + arrow, -y, 0.0));
    list_move(&f->list, 0.0, 0.0);
    list_line(&f->list, -8.0, 3.2);
    list_line(&f->list, -8.0, -3.2);
    list_close(&f->list);
    snprintf(f->force, sizeof f->force, "%g N", newton);
    list_text(&f->list, INK_NOTE, place_at(16.0 + x + arrow + 8.0, -y - 4.0, 0.0), -1, f->force);
}

static void add_times(const drawing *d, footer *f, double y)
{
    size_t used = (size_t)snprintf(f->time, sizeof f->time, "t = ");

    if (d->layout == LAYOUT_STRIP) return;
    if (d->ntimes == 1 && d->times[0] == 0.0) return;
    for (int k = 0; k < d->ntimes && used < sizeof f->time; k++) {
        if (d->ntimes > 6 && k > 1 && k < d->ntimes - 1) {
            if (k == 2) used += (size_t)snprintf(f->time + used, sizeof f->time - used, ", \xe2\x80\xa6");
            continue;
        }
        used += (size_t)snprintf(f->time + used, sizeof f->time - used, "%s%.4g", k ? ", " : "", d->times[k]);
    }
    if (used < sizeof f->time) snprintf(f->time + used, sizeof f->time - used, " s");
    list_text(&f->list, INK_NOTE, place_at(d->width - 16.0, -y - 4.0, 0.0), 1, f->time);
}

/* The line of time under a film, with a mark for each event. */
static void add_time_line(const drawing *d, footer *f, double y, double from, double to)
{
    list_path(&f->list, INK_FAINT, place_at(from, -y, 0.0));
    list_move(&f->list, 0.0, 0.0);
    list_line(&f->list, to - from, 0.0);
    list_path(&f->list, INK_LINE, place_at(from, -y, 0.0));
    for (int k = 0; k < d->nevents && k < 100; k++) {
        const double x = (to - from) * d->events[k] / d->end;
        list_move(&f->list, x, 4.0);
        list_line(&f->list, x, -4.0);
    }
    snprintf(f->from, sizeof f->from, "0");
    list_text(&f->list, INK_NOTE, place_at(from - 6.0, -y - 4.0, 0.0), 1, f->from);
    if (d->speed == 1.0) snprintf(f->to, sizeof f->to, "%.4g s", d->end);
    else if (d->speed < 1.0) snprintf(f->to, sizeof f->to, "%.4g s (slowed %g \xc3\x97)", d->end, 1.0 / d->speed);
    else snprintf(f->to, sizeof f->to, "%.4g s (%g \xc3\x97 as fast)", d->end, d->speed);
    list_text(&f->list, INK_NOTE, place_at(to + 6.0, -y - 4.0, 0.0), -1, f->to);
}

/* The marker on the line of time, which stays at its end while the film does. */
static void put_marker(FILE *f, const drawing *d, double y, double from, double to)
{
    const int frames = d->ntimes - 1;

    fprintf(f, "<circle class=\"solid\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\">", from, y);
    fprintf(f, "<animate attributeName=\"cx\" values=\"%.1f;%.1f;%.1f\" ", from, to, to);
    fprintf(f, "keyTimes=\"0;%.4f;1\" dur=\"%.3fs\" repeatCount=\"indefinite\"/></circle>\n",
            (double)frames / (frames + d->hold), d->seconds * (frames + d->hold) / frames);
}

/* --------------------------------------------------------------------------------------------- file */

/* Whether it ends where it began: then nothing is held at the end of a film. */
static bool closes(const drawing *d)
{
    const frame *one = &d->stage.frames[0], *two = &d->stage.frames[d->stage.nframes - 1];
    double       off = 0.0;

    for (int k = 0; k < d->stage.points; k++) {
        off = fmax(off, fabs(one->at[k][0] - two->at[k][0]));
        off = fmax(off, fabs(one->at[k][1] - two->at[k][1]));
    }
    return off * d->pen.scale < 2.0 * d->pen.unit;
}

static bool hold_end(drawing *d)
{
    list *more;
    int   n = d->stage.nframes;

    d->hold = closes(d) ? 0 : (int)fmin(12.0, 0.1 * n);
    more    = realloc(d->lists, (size_t)(n + d->hold) * sizeof *more);
    if (!more) return false;
    d->lists = more;
    for (int k = 0; k < d->hold; k++) d->lists[n + k] = d->lists[n - 1]; /* shared, and freed once */
    return true;
}

static void write_panels(FILE *f, const drawing *d)
{
    const double w = d->view.high[0] - d->view.low[0], h = d->view.high[1] - d->view.low[1];
    const int    still = svg_same_shapes(d->lists, d->ntimes);

    for (int k = 0; k < d->ntimes; k++) {
        window view = d->view;
        view.x      = w * (k % d->columns);
        view.y      = (h + 20.0) * (k / d->columns);
        svg_open_window(f, &view);
        if (k == 0) { /* what does not move is written once */
            fprintf(f, "<g id=\"still\">\n");
            svg_shapes(f, &view, &d->paths, 0);
            svg_first_shapes(f, &view, &d->lists[k], still);
            fprintf(f, "</g>\n");
        } else {
            fprintf(f, "<use href=\"#still\"/>\n");
        }
        svg_shapes(f, &view, &d->lists[k], still);
        svg_close_window(f);
        fprintf(f, "<text class=\"note\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">t = %.4g s</text>\n",
                view.x + 0.5 * w, view.y + h + 13.0, d->times[k]);
    }
}

/* Earlier times under later ones, paler. */
static void write_over(FILE *f, const drawing *d)
{
    const int last = d->ntimes - 1;

    svg_open_window(f, &d->view);
    for (int k = 0; k < last; k++) {
        fprintf(f, "<g opacity=\"%.2f\">\n", last > 1 ? 0.16 + 0.34 * k / (last - 1) : 0.3);
        svg_moved_shapes(f, &d->view, &d->lists[k], &d->lists[last]);
        fprintf(f, "</g>\n");
    }
    svg_shapes(f, &d->view, &d->paths, 0);
    svg_shapes(f, &d->view, &d->lists[last], 0);
    svg_close_window(f);
}

static void write_film(FILE *f, const drawing *d)
{
    const int n = d->ntimes + d->hold;

    svg_open_window(f, &d->view);
    svg_shapes(f, &d->view, &d->paths, 0);
    svg_film(f, &d->view, d->lists, n, d->seconds * (n - 1) / (d->ntimes - 1));
    svg_close_window(f);
}

static bool write_picture(FILE *f, drawing *d)
{
    const double high   = d->view.high[1] - d->view.low[1];
    const int    rows   = d->layout == LAYOUT_STRIP ? (d->ntimes + d->columns - 1) / d->columns : 1;
    const double bottom = rows * high + (d->layout == LAYOUT_STRIP ? 20.0 * rows : 0.0), y = bottom + 14.0;
    const double from = 0.46 * d->width, to = d->width - (d->speed == 1.0 ? 66.0 : 150.0);
    const char  *title = sal_model_get_info(d->s.model).name;
    footer       note  = { 0 };
    window       below = { .high = { d->width, 0.0 } };
    const list  *lists[MOST_TIMES + 2];
    bool         good = d->layout != LAYOUT_FILM || hold_end(d);

    add_scales(d, &note, y);
    if (d->layout == LAYOUT_FILM) add_time_line(d, &note, y, from, to);
    else add_times(d, &note, y);
    for (int k = 0; k < d->ntimes; k++) lists[k] = &d->lists[k];
    lists[d->ntimes]     = &d->paths;
    lists[d->ntimes + 1] = &note.list;
    if (good && !note.list.failed) {
        svg_begin(f, d->width, bottom + 30.0, title[0] ? title : d->a.scene, lists, d->ntimes + 2);
        if (d->layout == LAYOUT_STRIP) write_panels(f, d);
        else if (d->layout == LAYOUT_FILM) write_film(f, d);
        else write_over(f, d);
        svg_shapes(f, &below, &note.list, 0);
        if (d->layout == LAYOUT_FILM) put_marker(f, d, y, from, to);
        svg_end(f);
    }
    good = good && !note.list.failed;
    list_free(&note.list);
    return good;
}

static int write_file(drawing *d)
{
    result_file file;
    char        path[4096];
    bool        good;

    picture_path(&d->a, "", path, sizeof path);
    if (!result_open_file(&file, path)) return EXIT_OUTPUT;
    good = write_picture(file.f, d);
    if (!good) report("saltus: out of memory", SAL_ERR_MEMORY);
    if (!result_close(&file, good)) return EXIT_OUTPUT;
    if (!good) return EXIT_RUN;
    if (file.f != stdout) printf("%s\n", path);
    return EXIT_SUCCESS;
}

static void free_drawing(drawing *d)
{
    for (int k = 0; k < d->stage.nframes && d->lists; k++) list_free(&d->lists[k]);
    free(d->lists);
    list_free(&d->paths);
    for (int k = 0; k < d->ntraces; k++) {
        for (int axis = 0; axis < 2; axis++) sal_probe_destroy(&d->traces[k].probe[axis]);
        free(d->traces[k].at);
    }
    free(d->events);
    stage_close(&d->stage);
    session_close(&d->s, &d->a);
    free(d);
}

int command_draw(int argc, char **argv)
{
    drawing *d = calloc(1, sizeof *d);
    int      code;

    if (!d) return report("saltus: out of memory", SAL_ERR_MEMORY);
    d->width = 720.0;
    if (!read_arguments(argc, argv, ACCEPT_DRAW, help, &d->a, &code)) return free(d), code;
    code = EXIT_USAGE;
    if (read_layout(d) && read_between("--width", d->a.word[WORD_WIDTH], 100.0, 10000.0, &d->width) &&
        read_between("--speed", d->a.word[WORD_SPEED], 1e-9, 1e9, &d->speed))
        code = session_open(&d->s, &d->a);
    if (code == EXIT_SUCCESS) code = session_start(&d->s, &d->a);
    if (code == EXIT_SUCCESS) code = read_traces(d);
    if (code == EXIT_SUCCESS && !stage_open(&d->stage, d->s.model))
        code = report("saltus: out of memory", SAL_ERR_MEMORY);
    catch_interrupts();
    if (code == EXIT_SUCCESS) code = survey(d);
    if (code == EXIT_SUCCESS) code = choose_times(d);
    if (code == EXIT_SUCCESS) code = take_frames(d);
    if (code == EXIT_SUCCESS) {
        find_view(d);
        code = make_lists(d) ? write_file(d) : report("saltus: out of memory", SAL_ERR_MEMORY);
    }
    code = strict_code(&d->s, &d->a, code);
    free_drawing(d);
    return code;
}
