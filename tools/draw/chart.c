/* chart.c - charts as display lists: axes, ticks, lines, marks, legends. */
#include "tools/draw/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/draw/svg.h"

/* Distances [px]. */
#define LEFT      74.0
#define RIGHT     18.0
#define TOP       8.0
#define HEADER    22.0 /* above a panel: its legend */
#define RUNS      20.0 /* above all: what the colours mean */
#define NAMES     16.0 /* above all: names of marks */
#define AXIS      40.0 /* below: ticks and label of the horizontal axis */
#define CHARACTER 6.6  /* the width of one, about */
#define TICK_X    90.0 /* from tick to tick at least */
#define TICK_Y    34.0
#define SMOOTH    0.1

/* ------------------------------------------------------------------------------------------ content */

static void *grow(chart *c, void *array, int n, int *room, size_t size)
{
    void *more;

    if (n < *room) return array;
    more = realloc(array, (size_t)(2 * n + 64) * size);
    if (!more) return c->failed = true, NULL;
    *room = 2 * n + 64;
    return more;
}

chart_panel *chart_add_panel(chart *c)
{
    chart_panel *p = c->n < CHART_PANELS ? calloc(1, sizeof *p) : NULL;

    if (!p) return c->failed = true, NULL;
    return c->panels[c->n++] = p;
}

void chart_add(chart *c, chart_line *l, double x, double y)
{
    double(*at)[2] = grow(c, l->at, l->n, &l->room, sizeof *at);

    if (!at) return;
    l->at          = at;
    l->at[l->n][0] = x;
    l->at[l->n][1] = y;
    l->n++;
}

void chart_add_mark(chart *c, double x, const char *name, int colour)
{
    chart_mark *marks = grow(c, c->marks, c->nmarks, &c->mark_room, sizeof *marks);

    if (!marks) return;
    c->marks              = marks;
    c->marks[c->nmarks++] = (chart_mark){ x, name, colour };
}

void chart_free(chart *c)
{
    for (int k = 0; k < c->n; k++) {
        for (int i = 0; i < c->panels[k]->n; i++) free(c->panels[k]->lines[i].at);
        free(c->panels[k]);
    }
    for (int k = 0; k < c->ntexts; k++) free(c->texts[k]);
    free(c->texts);
    free(c->marks);
    *c = (chart){ 0 };
}

/* A copy that lives as long as the chart. */
static const char *keep(chart *c, const char *text)
{
    char **texts = grow(c, c->texts, c->ntexts, &c->text_room, sizeof *texts), *copy = texts ? strdup(text) : NULL;

    if (texts) c->texts = texts;
    if (!copy) return c->failed = true, "";
    return c->texts[c->ntexts++] = copy;
}

/* ------------------------------------------------------------------------------------------- ranges */

typedef struct range {
    double low, high;
} range;

static void widen(range *r, double x)
{
    if (!isfinite(x)) return;
    r->low  = fmin(r->low, x);
    r->high = fmax(r->high, x);
}

/* Something to see in any case, with a margin. */
static void finish(range *r, double margin)
{
    const double size = fmax(fabs(r->low), fabs(r->high));

    if (!(r->low <= r->high)) *r = (range){ -1.0, 1.0 };
    if (r->high - r->low <= 1e-9 * size || r->high == r->low) { /* a constant, but for rounding */
        const double half = size > 0.0 ? 0.1 * size : 1.0, middle = 0.5 * (r->low + r->high);
        *r = (range){ middle - half, middle + half };
        return;
    }
    margin *= r->high - r->low;
    r->low -= margin;
    r->high += margin;
}

static range panel_range(const chart_panel *p, int axis)
{
    range r = { INFINITY, -INFINITY };

    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < p->lines[k].n; i++) {
            if (isfinite(p->lines[k].at[i][1 - axis])) widen(&r, p->lines[k].at[i][axis]);
        }
    }
    return r;
}

static range x_range(const chart *c)
{
    range r = { c->from, c->to };

    if (!c->free_x) return r;
    r = (range){ INFINITY, -INFINITY };
    for (int k = 0; k < c->n; k++) {
        const range p = panel_range(c->panels[k], 0);
        widen(&r, p.low);
        widen(&r, p.high);
    }
    finish(&r, 0.04);
    return r;
}

/* 1, 2 or 5 times a power of ten, so that there are not more than `most` steps in the range. */
static double tick_step(const range *r, double most)
{
    const double least = (r->high - r->low) / fmax(1.0, most), decade = pow(10.0, floor(log10(least)));

    for (int k = 0; k < 3; k++) {
        const double step = (const double[]){ 1.0, 2.0, 5.0 }[k] * decade;
        if (step >= least * (1.0 - 1e-9)) return step;
    }
    return 10.0 * decade;
}

/* As many digits as tell ticks apart. */
static const char *tick_text(chart *c, double x, double step)
{
    const double size   = fmax(fabs(x), step);
    const int    digits = (int)fmax(0.0, ceil(-log10(step) - 1e-6));
    char         text[40];

    if (fabs(x) < 1e-9 * step) snprintf(text, sizeof text, "0");
    else if (size >= 1e5 || step < 1e-4)
        snprintf(text, sizeof text, "%.*e", (int)fmax(0.0, floor(log10(size)) - floor(log10(step))), x);
    else snprintf(text, sizeof text, "%.*f", digits, x);
    return keep(c, text);
}

/* -------------------------------------------------------------------------------------------- shapes */

/* A panel in the picture: its box, y up, and what it shows. */
typedef struct box {
    double left, right, bottom, top;
    range  x, y;
} box;

static double map_x(const box *b, double x)
{
    return b->left + (x - b->x.low) / (b->x.high - b->x.low) * (b->right - b->left);
}

static double map_y(const box *b, double y)
{
    return b->bottom + (y - b->y.low) / (b->y.high - b->y.low) * (b->top - b->bottom);
}

static void segment(list *l, double x0, double y0, double x1, double y1)
{
    list_move(l, x0, y0);
    list_line(l, x1, y1);
}

static void draw_axes(chart *c, list *l, const box *b, bool last)
{
    const pose   here = place_at(0.0, 0.0, 0.0);
    const double dx   = tick_step(&b->x, (b->right - b->left) / TICK_X),
                 dy   = tick_step(&b->y, (b->top - b->bottom) / TICK_Y);

    list_path(l, INK_GRID, here);
    for (double x = dx * ceil(b->x.low / dx - 1e-9); x <= b->x.high + 1e-9 * dx; x += dx)
        segment(l, map_x(b, x), b->bottom, map_x(b, x), b->top);
    for (double y = dy * ceil(b->y.low / dy - 1e-9); y <= b->y.high + 1e-9 * dy; y += dy)
        segment(l, b->left, map_y(b, y), b->right, map_y(b, y));
    list_path(l, INK_FAINT, here);
    list_move(l, b->left, b->top);
    list_line(l, b->left, b->bottom);
    list_line(l, b->right, b->bottom);
    for (double y = dy * ceil(b->y.low / dy - 1e-9); y <= b->y.high + 1e-9 * dy; y += dy)
        list_text(l, INK_NOTE, place_at(b->left - 7.0, map_y(b, y) - 4.0, 0.0), 1, tick_text(c, y, dy));
    for (double x = dx * ceil(b->x.low / dx - 1e-9); x <= b->x.high + 1e-9 * dx && last; x += dx)
        list_text(l, INK_NOTE, place_at(map_x(b, x), b->bottom - 16.0, 0.0), 0, tick_text(c, x, dx));
}

static bool is_number(const double at[2])
{
    return isfinite(at[0]) && isfinite(at[1]);
}

/* The parts between interruptions, and a thin line across each of them. */
static bool draw_line(list *l, const box *b, const chart_line *line)
{
    const ink_id ink = (ink_id)(INK_TRACE + line->colour % PALETTE);
    double(*at)[2]   = calloc((size_t)line->n + 1, sizeof *at);
    int n            = 0;

    if (!at) return false;
    for (int k = 0; k <= line->n; k++) {
        if (k < line->n && is_number(line->at[k])) {
            at[n][0]   = map_x(b, line->at[k][0]);
            at[n++][1] = map_y(b, line->at[k][1]);
            continue;
        }
        if (n) {
            list_polyline(l, ink, (const double(*)[2])at, n, SMOOTH);
            list_dash(l, line->dash);
        }
        if (n && k + 1 < line->n && is_number(line->at[k + 1])) {
            list_path(l, INK_DASHED, place_at(0.0, 0.0, 0.0));
            segment(l, at[n - 1][0], at[n - 1][1], map_x(b, line->at[k + 1][0]), map_y(b, line->at[k + 1][1]));
        }
        n = 0;
    }
    free(at);
    return true;
}

/* A sample of a line and what it is; gives where the next can begin. */
static double draw_entry(list *l, double x, double y, ink_id ink, int dash, const char *text)
{
    list_path(l, ink, place_at(0.0, 0.0, 0.0));
    segment(l, x, y, x + 20.0, y);
    list_dash(l, dash);
    list_text(l, INK_NOTE, place_at(x + 25.0, y - 4.0, 0.0), -1, text);
    return x + 25.0 + CHARACTER * (double)strlen(text) + 18.0;
}

static void draw_legend(const chart *c, list *l, const box *b, const chart_panel *p)
{
    double x = b->left;

    for (int k = 0; k < p->n; k++) {
        const chart_line *line = &p->lines[k];
        const ink_id      ink  = c->nruns ? INK_LINE : (ink_id)(INK_TRACE + line->colour % PALETTE);
        if (line->label) x = draw_entry(l, x, b->top + 10.0, ink, line->dash, line->label);
    }
}

/* Marks of a panel: lines through it, or short ones in the colours of several runs. */
static void draw_marks(const chart *c, list *l, const box *b)
{
    for (int k = 0; k < c->nmarks && !c->free_x; k++) {
        const chart_mark *m = &c->marks[k];
        const double      x = map_x(b, m->x);
        if (x < b->left - 0.01 || x > b->right + 0.01) continue;
        list_path(l, m->colour < 0 ? INK_FAINT : (ink_id)(INK_TRACE + m->colour % PALETTE), place_at(0.0, 0.0, 0.0));
        if (m->colour < 0) segment(l, x, b->bottom, x, b->top);
        else segment(l, x, b->bottom, x, b->bottom + 7.0);
        if (m->colour < 0) list_dash(l, 2);
    }
}

/* Names of marks above the first panel, where there is room. */
static void draw_mark_names(const chart *c, list *l, const box *b, double y)
{
    double free_from = -INFINITY;

    for (int k = 0; k < c->nmarks && !c->free_x; k++) {
        const chart_mark *m = &c->marks[k];
        const double      x = map_x(b, m->x), half = m->name ? 0.5 * CHARACTER * (double)strlen(m->name) : 0.0;
        if (!m->name || m->colour >= 0 || x < b->left - 0.01 || x > b->right + 0.01 || x - half < free_from) continue;
        list_text(l, INK_NOTE, place_at(x, y, 0.0), 0, m->name);
        free_from = x + half + 8.0;
    }
}

static bool has_names(const chart *c)
{
    for (int k = 0; k < c->nmarks; k++) {
        if (c->marks[k].name && c->marks[k].colour < 0 && !c->free_x) return true;
    }
    return false;
}

/* The list of everything; gives the height. */
static double draw_chart(chart *c, list *l)
{
    double y = -TOP, x = LEFT;
    box    b = { .left = LEFT, .right = c->width - RIGHT, .x = x_range(c) };

    if (c->nruns) {
        for (int k = 0; k < c->nruns; k++)
            x = draw_entry(l, x, y - 8.0, (ink_id)(INK_TRACE + k % PALETTE), 0, c->runs[k]);
        y -= RUNS;
    }
    for (int k = 0; k < c->n; k++) {
        y -= HEADER;
        if (k == 0 && has_names(c)) y -= NAMES;
        b.top    = y;
        b.bottom = y - c->panel_height;
        b.y      = panel_range(c->panels[k], 1);
        finish(&b.y, 0.06);
        draw_axes(c, l, &b, k == c->n - 1);
        draw_marks(c, l, &b);
        for (int i = 0; i < c->panels[k]->n; i++) c->failed = !draw_line(l, &b, &c->panels[k]->lines[i]) || c->failed;
        draw_legend(c, l, &b, c->panels[k]);
        if (k == 0) draw_mark_names(c, l, &b, y + HEADER + 2.0);
        y = b.bottom;
    }
    list_text(l, INK_NOTE, place_at(0.5 * (b.left + b.right), y - 33.0, 0.0), 0, c->x_label);
    return AXIS - y;
}

bool chart_write(chart *c, FILE *f, const char *title)
{
    list         l      = { 0 };
    const double height = draw_chart(c, &l);
    const window all    = { .high = { c->width, 0.0 } };
    const bool   good   = !l.failed && !c->failed;

    if (good) {
        svg_begin(f, c->width, height, title, (const list *const[]){ &l }, 1);
        svg_shapes(f, &all, &l, 0);
        svg_end(f);
    }
    list_free(&l);
    return good;
}
