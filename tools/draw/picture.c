/* picture.c - a mechanism at its times as a file: the view that all of it fits in; panels, ghosts or a film; a footer
 * with the scales. */
#include "tools/draw/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------- view */

/* The scale, and what is seen of the plane in a panel: the box of what is drawn, with a margin. */
static void fit(picture *p)
{
    const bool   strip = p->layout == LAYOUT_STRIP;
    const double wide = p->width / p->columns, least = 0.17 * wide, most = (strip ? 1.4 : 0.72) * wide;
    const double margin = fmin(36.0, 14.0 + 0.035 * wide) + (p->pen.names ? 12.0 : 0.0);
    stage       *s      = &p->stage;
    const double w = s->high[0] - s->low[0], h = s->high[1] - s->low[1], inside = wide - 2.0 * margin;
    double       size[2] = { wide, least }, scale = INFINITY;

    if (w > 0.0) scale = inside / w;
    if (h > 0.0) scale = fmin(scale, (most - 2.0 * margin) / h);
    if (!isfinite(scale)) scale = 100.0; /* a point */
    size[1]       = ceil(fmax(h * scale + 2.0 * margin, least));
    p->pen.scale  = scale;
    p->pen.unit   = symbol_unit(s, scale, wide);
    p->view.scale = scale;
    for (int axis = 0; axis < 2; axis++) {
        const double centre = 0.5 * scale * (s->low[axis] + s->high[axis]);
        p->view.low[axis] = p->pen.low[axis] = centre - 0.5 * size[axis];
        p->view.high[axis] = p->pen.high[axis] = centre + 0.5 * size[axis];
    }
}

/* As many panels in a row as have room, all rows as full as can be. */
static int columns_for(int n, double width)
{
    const int most = (int)fmax(1.0, fmin(n, floor(width / 150.0))), rows = (n + most - 1) / most;

    return (n + rows - 1) / rows;
}

static void find_view(picture *p)
{
    stage       *s     = &p->stage;
    const double force = largest_force(s, p->forces);

    for (int k = 0; k < p->npaths; k++) {
        for (int i = 0; i < p->paths[k].n; i++) stage_extend(s, p->paths[k].at[i][0], p->paths[k].at[i][1]);
    }
    if (s->low[0] > s->high[0]) stage_extend(s, 0.0, 0.0);
    stage_cover_lines(s);
    p->columns = columns_for(p->layout == LAYOUT_STRIP ? p->ntimes : 1, p->width);
    p->pen     = (pen){ .s = s, .forces = p->forces, .names = p->names };
    fit(p);
    if (!(force > 0.0)) return;
    stage_cover_forces(s, p->pen.forces, FORCE_LENGTH * p->pen.unit / force / p->pen.scale);
    fit(p);
    p->pen.newton = FORCE_LENGTH * p->pen.unit / force;
}

static bool make_lists(picture *p)
{
    bool good;

    p->lists = calloc((size_t)p->stage.nframes, sizeof *p->lists);
    if (!p->lists) return false;
    for (int k = 0; k < p->stage.nframes; k++) {
        p->pen.l = &p->lists[k];
        p->pen.f = &p->stage.frames[k];
        draw_mechanism(&p->pen);
    }
    for (int k = 0; k < p->npaths; k++) {
        traced_path *t = &p->paths[k];
        for (int i = 0; i < t->n; i++)
            for (int axis = 0; axis < 2; axis++) t->at[i][axis] *= p->pen.scale;
        list_polyline(&p->traced, (ink_id)(INK_TRACE + k % PALETTE), (const double(*)[2])t->at, t->n, 0.08);
    }
    good = !p->traced.failed;
    for (int k = 0; k < p->stage.nframes; k++) good = good && !p->lists[k].failed;
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
static void add_scales(const picture *p, footer *f, double y)
{
    const double metres = round_down(fmax(0.16 * p->width, 40.0) / p->pen.scale), length = metres * p->pen.scale;
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
    if (p->pen.newton == 0.0) return;
    x += 9.0 * (double)strlen(f->scale) + 10.0;
    const double newton = round_down(1.5 * FORCE_LENGTH * p->pen.unit / p->pen.newton), arrow = newton * p->pen.newton;
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

static void add_times(const picture *p, footer *f, double y)
{
    size_t used = (size_t)snprintf(f->time, sizeof f->time, "t = ");

    if (p->layout == LAYOUT_STRIP) return;
    if (p->ntimes == 1 && p->times[0] == 0.0) return;
    for (int k = 0; k < p->ntimes && used < sizeof f->time; k++) {
        if (p->ntimes > 6 && k > 1 && k < p->ntimes - 1) {
            if (k == 2) used += (size_t)snprintf(f->time + used, sizeof f->time - used, ", \xe2\x80\xa6");
            continue;
        }
        used += (size_t)snprintf(f->time + used, sizeof f->time - used, "%s%.4g", k ? ", " : "", p->times[k]);
    }
    if (used < sizeof f->time) snprintf(f->time + used, sizeof f->time - used, " s");
    list_text(&f->list, INK_NOTE, place_at(p->width - 16.0, -y - 4.0, 0.0), 1, f->time);
}

/* The line of time under a film, with a mark for each event. */
static void add_time_line(const picture *p, footer *f, double y, double from, double to)
{
    list_path(&f->list, INK_FAINT, place_at(from, -y, 0.0));
    list_move(&f->list, 0.0, 0.0);
    list_line(&f->list, to - from, 0.0);
    list_path(&f->list, INK_LINE, place_at(from, -y, 0.0));
    for (int k = 0; k < p->nevents && k < 100; k++) {
        const double x = (to - from) * p->events[k] / p->end;
        list_move(&f->list, x, 4.0);
        list_line(&f->list, x, -4.0);
    }
    snprintf(f->from, sizeof f->from, "0");
    list_text(&f->list, INK_NOTE, place_at(from - 6.0, -y - 4.0, 0.0), 1, f->from);
    if (p->speed == 1.0) snprintf(f->to, sizeof f->to, "%.4g s", p->end);
    else if (p->speed < 1.0) snprintf(f->to, sizeof f->to, "%.4g s (slowed %g \xc3\x97)", p->end, 1.0 / p->speed);
    else snprintf(f->to, sizeof f->to, "%.4g s (%g \xc3\x97 as fast)", p->end, p->speed);
    list_text(&f->list, INK_NOTE, place_at(to + 6.0, -y - 4.0, 0.0), -1, f->to);
}

/* The marker on the line of time, which stays at its end while the film does. */
static void put_marker(FILE *f, const picture *p, double y, double from, double to)
{
    const int frames = p->ntimes - 1;

    fprintf(f, "<circle class=\"solid\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\">", from, y);
    fprintf(f, "<animate attributeName=\"cx\" values=\"%.1f;%.1f;%.1f\" ", from, to, to);
    fprintf(f, "keyTimes=\"0;%.4f;1\" dur=\"%.3fs\" repeatCount=\"indefinite\"/></circle>\n",
            (double)frames / (frames + p->hold), p->seconds * (frames + p->hold) / frames);
}

/* --------------------------------------------------------------------------------------------- file */

/* Whether it ends where it began: then nothing is held at the end of a film. */
static bool closes(const picture *p)
{
    const frame *one = &p->stage.frames[0], *two = &p->stage.frames[p->stage.nframes - 1];
    double       off = 0.0;

    for (int k = 0; k < p->stage.points; k++) {
        off = fmax(off, fabs(one->at[k][0] - two->at[k][0]));
        off = fmax(off, fabs(one->at[k][1] - two->at[k][1]));
    }
    return off * p->pen.scale < 2.0 * p->pen.unit;
}

static bool hold_end(picture *p)
{
    list *more;
    int   n = p->stage.nframes;

    p->hold = closes(p) ? 0 : (int)fmin(12.0, 0.1 * n);
    more    = realloc(p->lists, (size_t)(n + p->hold) * sizeof *more);
    if (!more) return false;
    p->lists = more;
    for (int k = 0; k < p->hold; k++) p->lists[n + k] = p->lists[n - 1]; /* shared, and freed once */
    return true;
}

static void write_panels(FILE *f, const picture *p)
{
    const double w = p->view.high[0] - p->view.low[0], h = p->view.high[1] - p->view.low[1];
    const int    still = svg_same_shapes(p->lists, p->ntimes);

    for (int k = 0; k < p->ntimes; k++) {
        window view = p->view;
        view.x      = w * (k % p->columns);
        view.y      = (h + 20.0) * (k / p->columns);
        svg_open_window(f, &view);
        if (k == 0) { /* what does not move is written once */
            fprintf(f, "<g id=\"still\">\n");
            svg_shapes(f, &view, &p->traced, 0);
            svg_first_shapes(f, &view, &p->lists[k], still);
            fprintf(f, "</g>\n");
        } else {
            fprintf(f, "<use href=\"#still\"/>\n");
        }
        svg_shapes(f, &view, &p->lists[k], still);
        svg_close_window(f);
        fprintf(f, "<text class=\"note\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">t = %.4g s</text>\n",
                view.x + 0.5 * w, view.y + h + 13.0, p->times[k]);
    }
}

/* Earlier times under later ones, paler. */
static void write_over(FILE *f, const picture *p)
{
    const int last = p->ntimes - 1;

    svg_open_window(f, &p->view);
    for (int k = 0; k < last; k++) {
        fprintf(f, "<g opacity=\"%.2f\">\n", last > 1 ? 0.16 + 0.34 * k / (last - 1) : 0.3);
        svg_moved_shapes(f, &p->view, &p->lists[k], &p->lists[last]);
        fprintf(f, "</g>\n");
    }
    svg_shapes(f, &p->view, &p->traced, 0);
    svg_shapes(f, &p->view, &p->lists[last], 0);
    svg_close_window(f);
}

static void write_film(FILE *f, const picture *p)
{
    const int n = p->ntimes + p->hold;

    svg_open_window(f, &p->view);
    svg_shapes(f, &p->view, &p->traced, 0);
    svg_film(f, &p->view, p->lists, n, p->seconds * (n - 1) / (p->ntimes - 1));
    svg_close_window(f);
}

static bool write_all(FILE *f, picture *p, const char *title)
{
    const double high   = p->view.high[1] - p->view.low[1];
    const int    rows   = p->layout == LAYOUT_STRIP ? (p->ntimes + p->columns - 1) / p->columns : 1;
    const double bottom = rows * high + (p->layout == LAYOUT_STRIP ? 20.0 * rows : 0.0), y = bottom + 14.0;
    const double from = 0.46 * p->width, to = p->width - (p->speed == 1.0 ? 66.0 : 150.0);
    footer       note  = { 0 };
    window       below = { .high = { p->width, 0.0 } };
    const list  *lists[MOST_TIMES + 2];
    bool         good = p->layout != LAYOUT_FILM || hold_end(p);

    add_scales(p, &note, y);
    if (p->layout == LAYOUT_FILM) add_time_line(p, &note, y, from, to);
    else add_times(p, &note, y);
    for (int k = 0; k < p->ntimes; k++) lists[k] = &p->lists[k];
    lists[p->ntimes]     = &p->traced;
    lists[p->ntimes + 1] = &note.list;
    if (good && !note.list.failed) {
        svg_begin(f, p->width, bottom + 30.0, title, lists, p->ntimes + 2);
        if (p->layout == LAYOUT_STRIP) write_panels(f, p);
        else if (p->layout == LAYOUT_FILM) write_film(f, p);
        else write_over(f, p);
        svg_shapes(f, &below, &note.list, 0);
        if (p->layout == LAYOUT_FILM) put_marker(f, p, y, from, to);
        svg_end(f);
    }
    good = good && !note.list.failed;
    list_free(&note.list);
    return good;
}

bool picture_write(picture *p, FILE *f, const char *title)
{
    find_view(p);
    return make_lists(p) && write_all(f, p, title);
}

void picture_free(picture *p)
{
    for (int k = 0; k < p->stage.nframes && p->lists; k++) list_free(&p->lists[k]);
    free(p->lists);
    list_free(&p->traced);
    for (int k = 0; k < p->npaths; k++) free(p->paths[k].at);
    free(p->events);
    stage_close(&p->stage);
}
