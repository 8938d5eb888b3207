/* ground.c - symbols of what is solid: ground, polylines, edges of bodies, curves. The solid side is hatched. */
#include <math.h>
#include <stdlib.h>

#include "tools/draw/symbols.h"

/* An arrow beside a surface that moves along itself, from (x, y) of a place on along its x. */
static void draw_speed(const pen *p, pose at, double x, double y, double speed)
{
    const double u = p->unit;

    for (int way = 0; way < 2; way++) {
        const double e = way ? -1.0 : 1.0;
        list_path(p->l, INK_HEAD, at);
        list_move(p->l, x - 6.0 * e * u, y - 0.12 * u);
        list_line(p->l, x + 4.0 * e * u, y - 0.12 * u);
        list_line(p->l, x + 4.0 * e * u, y - HEAD_WIDTH * u);
        list_line(p->l, x + 6.0 * e * u, y);
        list_line(p->l, x + 4.0 * e * u, y + HEAD_WIDTH * u);
        list_line(p->l, x + 4.0 * e * u, y + 0.12 * u);
        list_line(p->l, x - 6.0 * e * u, y + 0.12 * u);
        list_close(p->l);
        list_hide(p->l, !(way ? speed < 0.0 : speed > 0.0));
    }
}

/* The samples of a curve in the picture; gives how many. NULL where there is no memory. */
static double (*sample_curve(const pen *p, int item, int *n))[2]
{
    const double *y = p->f->curve + p->s->curve[item] * CURVE_SAMPLES, *x = p->s->domain;
    double(*at)[2] = calloc(CURVE_SAMPLES, sizeof *at);

    *n = 0;
    if (!at) p->l->failed = true;
    for (int k = 0; k < CURVE_SAMPLES && at; k++) {
        if (!isfinite(y[k])) continue;
        at[*n][0] = p->scale * (x[0] + (x[1] - x[0]) * k / (CURVE_SAMPLES - 1));
        at[*n][1] = p->scale * y[k];
        *n += 1;
    }
    return at;
}

/* Strokes down to the left along a curve, at equal lengths of it. */
static void hatch_curve(const pen *p, const double (*at)[2], int n)
{
    const double space = HATCH_SPACE * p->unit, d = HATCH_DEPTH * p->unit * M_SQRT1_2;
    double       rest = 0.5 * space;

    for (int k = 0; k + 1 < n; k++) {
        const double x = at[k + 1][0] - at[k][0], y = at[k + 1][1] - at[k][1], length = hypot(x, y);
        for (; rest < length; rest += space) {
            const double px = at[k][0] + rest / length * x, py = at[k][1] + rest / length * y;
            if (px < p->low[0] || px > p->high[0]) continue;
            list_move(p->l, px, py);
            list_line(p->l, px - d, py - d);
        }
        rest -= length;
    }
}

void draw_curve(const pen *p, int item)
{
    int n;
    double(*at)[2] = sample_curve(p, item, &n);

    if (at && n) list_polyline(p->l, INK_LINE, (const double(*)[2])at, n, 0.1);
    free(at);
}

static void draw_profile(const pen *p, int item)
{
    const bool hidden = !p->f->state[item].holds;
    int        n;
    double(*at)[2] = sample_curve(p, item, &n);

    if (at && n) {
        list_polyline(p->l, INK_GROUND, (const double(*)[2])at, n, 0.1);
        list_hide(p->l, hidden);
        list_path(p->l, INK_HATCH, place_at(0.0, 0.0, 0.0));
        hatch_curve(p, (const double(*)[2])at, n);
        list_hide(p->l, hidden);
    }
    free(at);
}

/* Whether an element before has the same ground: that of two feet is drawn once. */
static bool drawn_before(const pen *p, int item)
{
    const sal_drawing_state *s = &p->s->frames[0].state[item];

    for (int k = 0; k < item; k++) {
        const sal_drawing_state *other = &p->s->frames[0].state[k];
        if (p->s->items[k].kind == SAL_DRAW_GROUND && isfinite(s->angle) && other->angle == s->angle &&
            other->height == s->height && other->holds == s->holds)
            return true;
    }
    return false;
}

void draw_ground(const pen *p, int item)
{
    const sal_drawing_state *s    = &p->f->state[item];
    const double             half = 0.5 * hypot(p->high[0] - p->low[0], p->high[1] - p->low[1]) + 4.0 * p->unit;
    double                   x = 0.5 * (p->low[0] + p->high[0]), y = 0.5 * (p->low[1] + p->high[1]);
    pose                     at;

    if (drawn_before(p, item)) return;
    if (!isfinite(s->angle)) {
        draw_profile(p, item);
        return;
    }
    stage_foot(s, p->scale, &x, &y); /* nearest to the middle: as far to either side as can be seen */
    at = place_at(x, y, s->angle);
    list_path(p->l, INK_GROUND, at);
    list_move(p->l, -half, 0.0);
    list_line(p->l, half, 0.0);
    list_hide(p->l, !s->holds);
    list_path(p->l, INK_HATCH, at);
    hatch(p, -half, 0.0, half, 0.0);
    list_hide(p->l, !s->holds);
    if (isfinite(s->speed)) draw_speed(p, at, 0.0, -3.6 * p->unit, s->speed);
}

/* ------------------------------------------------------------------------------------------- edges */

static bool is_seen(const pen *p, const double a[2], const double b[2])
{
    const double margin = 4.0 * p->unit;

    for (int axis = 0; axis < 2; axis++) {
        if (p->scale * fmax(a[axis], b[axis]) < p->low[axis] - margin) return false;
        if (p->scale * fmin(a[axis], b[axis]) > p->high[axis] + margin) return false;
    }
    return true;
}

/* Parts of a polyline follow each other as items of one element: all are one path, drawn with the first. */
static bool is_part(const pen *p, int item)
{
    return item >= 0 && item < p->s->n && p->s->items[item].kind == SAL_DRAW_EDGE && p->s->items[item].points[0] < 0;
}

static void draw_line_parts(const pen *p, int item)
{
    const int element = p->s->items[item].element;

    for (int pass = 0; pass < 2; pass++) {
        bool joined = false;
        list_path(p->l, pass ? INK_HATCH : INK_GROUND, place_at(0.0, 0.0, 0.0));
        for (int k = item; is_part(p, k) && p->s->items[k].element == element; k++) {
            const double(*at)[2] = stage_at(p->s, p->f, k);
            const double x0 = p->scale * at[0][0], y0 = p->scale * at[0][1], x1 = p->scale * at[1][0],
                         y1 = p->scale * at[1][1];
            if (!is_seen(p, at[0], at[1])) {
                joined = false;
                continue;
            }
            if (pass) {
                hatch(p, x0, y0, x1, y1);
                continue;
            }
            if (!joined) list_move(p->l, x0, y0);
            list_line(p->l, x1, y1);
            joined = true;
        }
        list_hide(p->l, !p->f->state[item].holds);
    }
}

void draw_edge(const pen *p, int item)
{
    const double *u      = p->f->state[item].direction;
    const double(*at)[2] = stage_at(p->s, p->f, item);
    const double length  = p->scale * hypot(at[1][0] - at[0][0], at[1][1] - at[0][1]);
    const pose   where   = place_at(p->scale * at[0][0], p->scale * at[0][1], atan2(u[1], u[0]));

    if (is_part(p, item)) {
        if (!is_part(p, item - 1) || p->s->items[item - 1].element != p->s->items[item].element)
            draw_line_parts(p, item);
        return;
    }
    list_path(p->l, INK_GROUND, where);
    list_move(p->l, 0.0, 0.0);
    list_line(p->l, length, 0.0);
    list_hide(p->l, !p->f->state[item].holds);
    list_path(p->l, INK_HATCH, where);
    hatch(p, 0.0, 0.0, length, 0.0);
    list_hide(p->l, !p->f->state[item].holds);
}
