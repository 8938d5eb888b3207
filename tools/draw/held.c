/* held.c - symbols of what holds: joints, supports, welds, sliders in their guides, limits. */
#include <math.h>

#include "tools/draw/symbols.h"

/* Where a point of the scene is at the time drawn, by an item that has it. */
static bool find_point(const pen *p, int point, double at[2])
{
    for (int k = 0; k < p->s->n; k++) {
        for (int i = 0; i < p->s->items[k].npoints; i++) {
            if (p->s->items[k].points[i] != point) continue;
            at[0] = p->scale * stage_at(p->s, p->f, k)[i][0];
            at[1] = p->scale * stage_at(p->s, p->f, k)[i][1];
            return true;
        }
    }
    return false;
}

void hatch(const pen *p, double x0, double y0, double x1, double y1)
{
    const double length = hypot(x1 - x0, y1 - y0), space = HATCH_SPACE * p->unit, depth = HATCH_DEPTH * p->unit;
    const int    n  = (int)fmin(2000.0, floor(length / space));
    const double ex = length > 0.0 ? (x1 - x0) / length : 1.0, ey = length > 0.0 ? (y1 - y0) / length : 0.0;

    for (int k = 0; k <= n; k++) { /* to the right of the way, and back */
        const double at = 0.5 * (length - n * space) + k * space, x = x0 + at * ex, y = y0 + at * ey;
        list_move(p->l, x, y);
        list_line(p->l, x + depth * (ey - ex) * M_SQRT1_2, y - depth * (ex + ey) * M_SQRT1_2);
    }
}

/* ---------------------------------------------------------------------------------------- supports */

/* Fixed pivot: a triangle that points to it, on a hatched line. The angle is that of its foot from straight down. */
static void draw_support(const pen *p, double x, double y, double angle, bool hidden)
{
    const double h = SUPPORT_HEIGHT * p->unit, w = SUPPORT_WIDTH * p->unit, wide = 1.45 * w;
    const pose   at = place_at(x, y, angle);

    list_path(p->l, INK_PAPER, at);
    list_move(p->l, 0.0, 0.0);
    list_line(p->l, -w, -h);
    list_line(p->l, w, -h);
    list_close(p->l);
    list_hide(p->l, hidden);
    list_path(p->l, INK_GROUND, at);
    list_move(p->l, -wide, -h);
    list_line(p->l, wide, -h);
    list_hide(p->l, hidden);
    list_path(p->l, INK_HATCH, at);
    hatch(p, -wide, -h, wide, -h);
    list_hide(p->l, hidden);
}

double support_angle(const role *r)
{
    static const double angles[] = { 0.0, M_PI, 0.5 * M_PI, -0.5 * M_PI }, malus[] = { 0.0, 0.8, 1.1, 1.1 };
    double              best = INFINITY, angle = 0.0;

    for (int k = 0; k < 4; k++) {
        const double foot = r->towards[0] * sin(angles[k]) - r->towards[1] * cos(angles[k]) + malus[k];
        if (foot < best) {
            best  = foot;
            angle = angles[k];
        }
    }
    return angle;
}

/* Where a spring is fastened: a hatched line across it. */
static void draw_anchor(const pen *p, int point, double x, double y)
{
    const double half  = STOP_LENGTH * p->unit;
    double       angle = 0.0;

    for (int k = 0; k < p->s->n; k++) {
        const sal_drawing *d = &p->s->items[k];
        const double(*at)[2] = stage_at(p->s, &p->s->frames[0], k);
        const int end        = d->npoints == 2 && d->points[1] == point;
        if ((d->kind != SAL_DRAW_SPRING && d->kind != SAL_DRAW_DAMPER) || d->points[end] != point) continue;
        angle = atan2(at[1 - end][1] - at[end][1], at[1 - end][0] - at[end][0]);
        break;
    }
    if (fabs(remainder(angle, 0.5 * M_PI)) < 0.45) angle -= remainder(angle, 0.5 * M_PI);
    angle -= 0.5 * M_PI; /* the spring leaves upwards, the solid side is below */
    list_path(p->l, INK_GROUND, place_at(x, y, angle));
    list_move(p->l, -half, 0.0);
    list_line(p->l, half, 0.0);
    list_path(p->l, INK_HATCH, place_at(x, y, angle));
    hatch(p, -half, 0.0, half, 0.0);
}

void draw_supports(const pen *p)
{
    for (int k = 0; k < p->s->nroles; k++) {
        const role *r = &p->s->roles[k];
        double      at[2];
        if (!r->fixed || (r->links == 0 && !r->springs) || !find_point(p, k, at)) continue;
        if (r->links) draw_support(p, at[0], at[1], support_angle(r), false);
        else draw_anchor(p, k, at[0], at[1]);
    }
}

/* ------------------------------------------------------------------------------------------ joints */

static void draw_circle(const pen *p, const role *r, double x, double y)
{
    list_circle(p->l, INK_PAPER, place_at(x, y, 0.0), (r && r->touches ? TIP_RADIUS : PIN_RADIUS) * p->unit);
}

void draw_joints(const pen *p)
{
    for (int k = 0; k < p->s->nroles; k++) {
        const role *r = &p->s->roles[k];
        double      at[2];
        if (r->links < 2 && !((r->fixed || r->slides) && r->links)) continue;
        if (!r->follows && find_point(p, k, at)) draw_circle(p, r, at[0], at[1]);
    }
}

void draw_pin(const pen *p, int item)
{
    const double(*at)[2] = stage_at(p->s, p->f, item);
    const bool hidden    = !p->f->state[item].holds;

    for (int k = 0; k < 2; k++) {
        const role *r = stage_role(p->s, item, k);
        if (r && r->fixed && !r->links)
            draw_support(p, p->scale * at[k][0], p->scale * at[k][1], support_angle(r), hidden);
    }
    draw_circle(p, stage_role(p->s, item, 0), p->scale * at[0][0], p->scale * at[0][1]);
    list_hide(p->l, hidden);
}

/* The direction in which the body of a point of a weld goes on; false where nothing tells. */
static bool leaves(const pen *p, int point, double u[2])
{
    for (int k = 0; k < p->s->n; k++) {
        const sal_drawing *d = &p->s->items[k];
        const double(*at)[2] = stage_at(p->s, p->f, k);
        for (int i = 0; i < d->npoints && d->kind == SAL_DRAW_BODY; i++) {
            double x, y, length;
            if (d->points[i] != point) continue;
            x      = at[i == 0][0] - at[i][0];
            y      = at[i == 0][1] - at[i][1];
            length = hypot(x, y);
            u[0]   = length > 0.0 ? x / length : 1.0;
            u[1]   = length > 0.0 ? y / length : 0.0;
            return true;
        }
    }
    return false;
}

/* A filled corner between the two bodies; a filled square where they are in line. */
void draw_weld(const pen *p, int item)
{
    const sal_drawing *d = &p->s->items[item];
    const double(*at)[2] = stage_at(p->s, p->f, item);
    const double size    = 3.2 * p->unit;
    double       one[2] = { 1.0, 0.0 }, two[2] = { 0.0, 1.0 };

    if (!leaves(p, d->points[0], one) || !leaves(p, d->points[1], two) ||
        fabs(one[0] * two[1] - one[1] * two[0]) < 0.2) {
        const double angle = atan2(one[1], one[0]), h = 1.1 * p->unit;
        list_path(p->l, INK_SOLID, place_at(p->scale * at[0][0], p->scale * at[0][1], angle));
        list_move(p->l, -h, -h);
        list_line(p->l, h, -h);
        list_line(p->l, h, h);
        list_line(p->l, -h, h);
    } else {
        list_path(p->l, INK_SOLID, place_at(p->scale * at[0][0], p->scale * at[0][1], 0.0));
        list_move(p->l, 0.0, 0.0);
        list_line(p->l, size * one[0], size * one[1]);
        list_line(p->l, size * two[0], size * two[1]);
        list_line(p->l, 0.0, 0.0);
    }
    list_close(p->l);
    list_hide(p->l, !p->f->state[item].holds);
}

/* ----------------------------------------------------------------------------------------- sliders */

static bool same_line(const sal_drawing *a, const sal_drawing *b)
{
    return a->kind == SAL_DRAW_SLIDER && b->kind == SAL_DRAW_SLIDER && a->points[1] == b->points[1] &&
           a->points[2] == b->points[2];
}

/* How far the blocks on the line of an item go along it, from the first point of the line [px]; false: an item before
 * has the same line. */
static bool find_travel(const pen *p, int item, double *from, double *to)
{
    *from = INFINITY;
    *to   = -INFINITY;
    for (int k = 0; k < p->s->n; k++) {
        if (!same_line(&p->s->items[k], &p->s->items[item])) continue;
        if (k < item) return false;
        for (int f = 0; f < p->s->nframes; f++) {
            const double(*at)[2] = stage_at(p->s, &p->s->frames[f], k);
            const double *u      = p->s->frames[f].state[k].direction;
            const double  along  = p->scale * ((at[0][0] - at[1][0]) * u[0] + (at[0][1] - at[1][1]) * u[1]);
            *from                = fmin(*from, along);
            *to                  = fmax(*to, along);
        }
    }
    return true;
}

static void draw_rail(const pen *p, pose at, double x0, double x1, double y)
{
    list_path(p->l, INK_GROUND, at);
    list_move(p->l, x0, y);
    list_line(p->l, x1, y);
    list_path(p->l, INK_HATCH, at);
    hatch(p, x0, y, x1, y);
}

/* Rails that do not move: below a pin in a slot, on both sides of the block of a body. */
void draw_guide(const pen *p, int item)
{
    const double *u = p->f->state[item].direction, h = (BLOCK_HEIGHT + 0.1) * p->unit;
    const double(*at)[2] = stage_at(p->s, p->f, item);
    const role *one = stage_role(p->s, item, 1), *two = stage_role(p->s, item, 2);
    const bool  back = u[0] < -1e-6;
    double      from, to;
    pose        line;

    if (!one || !two || !one->fixed || !two->fixed || !find_travel(p, item, &from, &to)) return;
    from -= 1.7 * BLOCK_LENGTH * p->unit;
    to += 1.7 * BLOCK_LENGTH * p->unit;
    line = place_at(p->scale * at[1][0], p->scale * at[1][1], atan2(u[1], u[0]));
    if (back) draw_rail(p, line, to, from, h);
    else draw_rail(p, line, from, to, -h);
    if (p->s->items[item].body < 0) return;
    if (back) draw_rail(p, line, from, to, -h);
    else draw_rail(p, line, to, from, h);
}

void draw_slider(const pen *p, int item)
{
    const sal_drawing *d = &p->s->items[item];
    const double      *u = p->f->state[item].direction, l = BLOCK_LENGTH * p->unit, h = BLOCK_HEIGHT * p->unit;
    const double(*at)[2] = stage_at(p->s, p->f, item);

    list_path(p->l, INK_PAPER, place_at(p->scale * at[0][0], p->scale * at[0][1], atan2(u[1], u[0])));
    list_move(p->l, -l, -h);
    list_line(p->l, l, -h);
    list_line(p->l, l, h);
    list_line(p->l, -l, h);
    list_close(p->l);
    list_hide(p->l, !p->f->state[item].holds);
    if (d->body < 0) return;
    p->l->shapes[p->l->nshapes - 1].ink = (ink_id)(INK_BODY + body_colour(p, d->body));
}

/* ------------------------------------------------------------------------------------------ limits */

/* A hatched stop across the line between the two points, at each limit. */
void draw_limit(const pen *p, int item)
{
    const sal_drawing_state *s = &p->f->state[item];
    const double(*at)[2]       = stage_at(p->s, p->f, item);
    const double angle = atan2(at[1][1] - at[0][1], at[1][0] - at[0][0]), half = STOP_LENGTH * p->unit;

    const role  *end   = stage_role(p->s, item, 1);
    const double block = end && end->slides ? BLOCK_LENGTH * p->unit : 0.0; /* which stops it, with its face */

    for (int k = 0; k < 2; k++) {
        const double side  = k ? 1.0 : -1.0; /* solid beyond, or before */
        const double x     = p->scale * (k ? s->high : s->low) + side * block;
        const pose   where = place_at(p->scale * at[0][0], p->scale * at[0][1], angle);
        if (!isfinite(x)) continue;
        list_path(p->l, INK_GROUND, where);
        list_move(p->l, x, -side * half);
        list_line(p->l, x, side * half);
        list_hide(p->l, !s->holds);
        list_path(p->l, INK_HATCH, where);
        hatch(p, x, -side * half, x, side * half);
        list_hide(p->l, !s->holds);
    }
}

/* A stop beside a bar that is at an angle from the reference, solid on the side that the bar is not to come to. */
static void draw_radial(const pen *p, pose at, double angle, bool high, bool hidden)
{
    const double c = cos(angle), s = sin(angle), off = (high ? 1.0 : -1.0) * (BAR_WIDTH + 0.2) * p->unit;
    const double r0 = 0.6 * ANGLE_RADIUS * p->unit, r1 = 1.5 * ANGLE_RADIUS * p->unit;
    const double x0 = r0 * c - off * s, y0 = r0 * s + off * c, x1 = r1 * c - off * s, y1 = r1 * s + off * c;

    list_path(p->l, INK_GROUND, at);
    list_move(p->l, x0, y0);
    list_line(p->l, x1, y1);
    list_hide(p->l, hidden);
    list_path(p->l, INK_HATCH, at);
    if (high) hatch(p, x1, y1, x0, y0);
    else hatch(p, x0, y0, x1, y1);
    list_hide(p->l, hidden);
}

/* Limits: radial stops with an arc between them. Held: a filled sector of the size of a joint. */
void draw_angle(const pen *p, int item)
{
    const sal_drawing_state *s = &p->f->state[item];
    const double(*at)[2]       = stage_at(p->s, p->f, item);
    const pose   where         = place_at(p->scale * at[0][0], p->scale * at[0][1], s->reference);
    const double r             = ANGLE_RADIUS * p->unit;

    if (s->low == s->high) {
        list_circle(p->l, INK_SOLID, where, 1.6 * p->unit);
        list_hide(p->l, !s->holds);
        return;
    }
    if (isfinite(s->low) && isfinite(s->high)) {
        const double sweep = s->high - s->low;
        list_path(p->l, INK_FAINT, where);
        list_move(p->l, r * cos(s->low), r * sin(s->low));
        list_arc(p->l, r, sweep > M_PI, r * cos(s->high), r * sin(s->high));
        list_hide(p->l, !s->holds);
    }
    if (isfinite(s->low)) draw_radial(p, where, s->low, false, !s->holds);
    if (isfinite(s->high)) draw_radial(p, where, s->high, true, !s->holds);
}
