/* bodies.c - symbols of what moves: bars, plates, masses, discs, gears, rods.
 *
 * Outlines are the hull of circles. Of two of them with radii r_i and r_j, d from one centre to the other, the common
 * tangent has the outward normal n with n . d = r_i - r_j: it touches them in p_i + r_i n and p_j + r_j n. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/draw/symbols.h"

/* ---------------------------------------------------------------------------------------- outlines */

typedef struct vertex {
    double x, y, r;
    int    order; /* in which it was given */
} vertex;

static int compare_vertices(const void *a, const void *b)
{
    const vertex *p = a, *q = b;

    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

static double turn(const vertex *a, const vertex *b, const vertex *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* The convex hull, anticlockwise, in `hull` (room for 2 n); gives how many. What is nearly on a side is left out. */
static int convex_hull(vertex *v, int n, double flat, vertex *hull)
{
    int m = 0;

    qsort(v, (size_t)n, sizeof *v, compare_vertices);
    for (int pass = 0; pass < 2; pass++) {
        const int start = m;
        for (int i = 0; i < n; i++) {
            const vertex *next = &v[pass ? n - 1 - i : i];
            while (m - start >= 2 && turn(&hull[m - 2], &hull[m - 1], next) <= flat) m--;
            hull[m++] = *next;
        }
        m--; /* it begins the other half */
    }
    return m > 1 && hull[0].x == hull[1].x && hull[0].y == hull[1].y ? 1 : m;
}

/* The direction of the outward normal of the tangent from a to b, which go round to the left. */
static double normal_angle(const vertex *a, const vertex *b)
{
    const double x = b->x - a->x, y = b->y - a->y, d = hypot(x, y);
    const double along = fmax(-1.0, fmin(1.0, (a->r - b->r) / (d > 0.0 ? d : 1.0)));

    return atan2(y, x) - acos(along);
}

/* It begins at the vertex that was given first, and half a circle is no large arc: the same text on every machine. */
static void trace_hull(const pen *p, const vertex *h, int n)
{
    const double half  = M_PI * (1.0 + 1e-6);
    int          first = 0;

    for (int k = 1; k < n; k++) {
        if (h[k].order < h[first].order) first = k;
    }
    for (int k = 0; k < n; k++) {
        const vertex *v = &h[(first + k) % n], *before = &h[(first + k + n - 1) % n], *after = &h[(first + k + 1) % n];
        const double  in = normal_angle(before, v), out = normal_angle(v, after);
        double        sweep = fmod(out - in, 2.0 * M_PI);

        if (sweep < 0.0) sweep += 2.0 * M_PI;
        if (k == 0) list_move(p->l, v->x + v->r * cos(in), v->y + v->r * sin(in));
        else list_line(p->l, v->x + v->r * cos(in), v->y + v->r * sin(in));
        if (v->r > 0.0) list_arc(p->l, v->r, sweep > half, v->x + v->r * cos(out), v->y + v->r * sin(out));
    }
    list_close(p->l);
}

void outline(const pen *p, const double (*at)[2], const double *r, int n)
{
    vertex *v = calloc((size_t)(3 * n) + 3, sizeof *v), *hull = v ? v + n : NULL;
    int     m;

    if (!v) {
        p->l->failed = true;
        return;
    }
    for (int k = 0; k < n; k++) v[k] = (vertex){ at[k][0], at[k][1], r[k], k };
    m = convex_hull(v, n, 0.02 * p->unit * p->unit, hull);
    if (m >= 2) {
        trace_hull(p, hull, m);
    } else {
        list_move(p->l, hull[0].x + hull[0].r, hull[0].y);
        list_arc(p->l, hull[0].r, false, hull[0].x - hull[0].r, hull[0].y);
        list_arc(p->l, hull[0].r, false, hull[0].x + hull[0].r, hull[0].y);
        list_close(p->l);
    }
    free(v);
}

/* ----------------------------------------------------------------------------------------- bodies */

int body_colour(const pen *p, int element)
{
    sal_element_info e;
    int              count = 0;

    for (int k = 0; k < element && sal_model_element(p->s->model, k, &e); k++) count += !strcmp(e.section, "bodies");
    return element < 0 ? PALETTE - 1 : count % PALETTE;
}

/* The frame of a body that a drawing belongs to: its item, -1: it has no extent. */
static int body_item(const stage *s, int element)
{
    for (int k = 0; k < s->n; k++) {
        if (s->items[k].kind == SAL_DRAW_BODY && s->items[k].element == element) return k;
    }
    return -1;
}

static pose body_place(const pen *p, int item)
{
    const double(*at)[2] = stage_at(p->s, p->f, item);

    return place_at(p->scale * at[0][0], p->scale * at[0][1], p->f->state[item].angle);
}

/* The item of the centre of mass of a body, -1: none. */
static int centre_item(const stage *s, int element)
{
    for (int k = 0; k < s->n; k++) {
        if (s->items[k].kind == SAL_DRAW_MASS && s->items[k].element == element) return k;
    }
    return -1;
}

/* A place of the world [m] in the coordinates of a shape. */
static void to_local(const pen *p, const pose *own, const double at[2], double local[2])
{
    const double x = p->scale * at[0] - own->x, y = p->scale * at[1] - own->y;
    const double c = cos(own->angle), s = sin(own->angle);

    local[0] = c * x + s * y;
    local[1] = c * y - s * x;
}

/* Whether the first point is inside the others, as a hub: its angle to them leaves no half plane free. */
static bool is_hub(const double (*at)[2], int n)
{
    for (int k = 1; k < n; k++) {
        bool left = false, right = false;
        for (int i = 1; i < n; i++) {
            const double cross = at[k][0] * at[i][1] - at[k][1] * at[i][0],
                         dot   = at[k][0] * at[i][0] + at[k][1] * at[i][1];
            const double size  = hypot(at[k][0], at[k][1]) * hypot(at[i][0], at[i][1]);
            left               = left || cross > 0.05 * size || (fabs(cross) <= 0.05 * size && dot < 0.0);
            right              = right || cross < -0.05 * size || (fabs(cross) <= 0.05 * size && dot < 0.0);
        }
        if (!left || !right) return false;
    }
    return n >= 5;
}

/* Whether the body is thicker than a bar: its points are not on a line. */
static bool is_plate(const double (*at)[2], int n, double unit)
{
    for (int k = 2; k < n; k++) {
        if (fabs(at[k][1]) > unit) return true;
    }
    return false;
}

/* Radii round the points of a body: points that touch something are tips. */
static void body_radii(const pen *p, int item, bool plate, double *r)
{
    const sal_drawing *d       = &p->s->items[item];
    bool               touches = false;

    for (int k = 0; k < d->npoints; k++) touches = touches || (d->points[k] >= 0 && p->s->roles[d->points[k]].touches);
    for (int k = 0; k < d->npoints; k++) {
        const role *at = stage_role(p->s, item, k);
        r[k]           = (plate ? touches ? 0.0 : PLATE_WIDTH : BAR_WIDTH) * p->unit;
        if (!plate && at && at->touches) r[k] = (at->links > 1 ? TIP_RADIUS : 0.2) * p->unit;
    }
}

static void draw_spokes(const pen *p, int item, pose place, const double (*local)[2], double *r)
{
    const int n = p->s->items[item].npoints;

    list_path(p->l, (ink_id)(INK_BODY + body_colour(p, p->s->items[item].element)), place);
    r[0] = BAR_WIDTH * p->unit;
    for (int k = 1; k < n; k++)
        outline(p, (const double[2][2]){ { local[0][0], local[0][1] }, { local[k][0], local[k][1] } },
                (double[2]){ r[0], r[k] }, 2);
}

/* Two opposite quarters of a circle. */
static void quarters(const pen *p, pose at, double x, double y, double r)
{
    list_path(p->l, INK_SOLID, at);
    for (int k = 0; k < 2; k++) {
        const double s = k ? -1.0 : 1.0;
        list_move(p->l, x, y);
        list_line(p->l, x + s * r, y);
        list_arc(p->l, r, false, x, y + s * r);
        list_close(p->l);
    }
}

void draw_centre(const pen *p, int item)
{
    const sal_drawing *d  = &p->s->items[item];
    const double(*at)[2]  = stage_at(p->s, p->f, item);
    const int    body     = d->body >= 0 ? body_item(p->s, d->body) : -1;
    const double r        = (body >= 0 ? CENTRE_RADIUS : MASS_RADIUS) * p->unit;
    const role  *which    = stage_role(p->s, item, 0);
    pose         own      = place_at(p->scale * at[0][0], p->scale * at[0][1], 0.0);
    double       local[2] = { 0.0, 0.0 };

    if (body >= 0) {
        own = body_place(p, body);
        to_local(p, &own, at[0], local);
    } else if (which && which->slides) {
        return; /* its block is the mass */
    }
    if (body < 0 && !(which && which->disc)) {
        list_circle(p->l, INK_SOLID, own, r);
        return;
    }
    list_path(p->l, INK_PAPER, own);
    list_move(p->l, local[0] + r, local[1]);
    list_arc(p->l, r, false, local[0] - r, local[1]);
    list_arc(p->l, r, false, local[0] + r, local[1]);
    list_close(p->l);
    quarters(p, own, local[0], local[1], r);
}

/* The points of a body in its own frame, and its centre of mass as the last: what it consists of reaches there. */
void draw_body(const pen *p, int item)
{
    const sal_drawing *d = &p->s->items[item];
    const int          n = d->npoints, mass = centre_item(p->s, d->element);
    const pose         at = body_place(p, item);
    double(*local)[2] = calloc((size_t)n + 2, sizeof *local), *r = calloc((size_t)n + 2, sizeof *r);

    if (local && r) {
        for (int k = 0; k < n; k++) to_local(p, &at, stage_at(p->s, p->f, item)[k], local[k]);
        if (mass >= 0) to_local(p, &at, stage_at(p->s, p->f, mass)[0], local[n]);
        if (is_hub((const double(*)[2])local, n)) {
            body_radii(p, item, false, r);
            draw_spokes(p, item, at, (const double(*)[2])local, r);
        } else {
            const int  all   = mass >= 0 ? n + 1 : n;
            const bool plate = is_plate((const double(*)[2])local, all, p->unit);
            body_radii(p, item, plate, r);
            r[n] = plate ? r[0] : 0.0;
            list_path(p->l, (ink_id)(INK_BODY + body_colour(p, d->element)), at);
            outline(p, (const double(*)[2])local, r, all);
        }
        if (mass >= 0) draw_centre(p, mass);
    } else {
        p->l->failed = true;
    }
    free(local);
    free(r);
}

/* ---------------------------------------------------------------------------- rods, ropes and marks */

/* A straight line between two places: a line of the length 1, stretched. */
static void straight(const pen *p, ink_id ink, const double a[2], const double b[2])
{
    const double x = p->scale * (b[0] - a[0]), y = p->scale * (b[1] - a[1]);

    list_path(p->l, ink, (pose){ p->scale * a[0], p->scale * a[1], atan2(y, x), 0.01 * hypot(x, y) });
    list_move(p->l, 0.0, 0.0);
    list_line(p->l, 100.0, 0.0);
}

void draw_rod(const pen *p, int item)
{
    const double(*at)[2] = stage_at(p->s, p->f, item);

    straight(p, INK_ROD, at[0], at[1]);
    list_hide(p->l, !p->f->state[item].holds);
}

/* With a pulley wherever it turns. */
void draw_rope(const pen *p, int item)
{
    const double(*at)[2] = stage_at(p->s, p->f, item);
    const int n          = p->s->items[item].npoints;

    for (int k = 0; k + 1 < n; k++) {
        straight(p, INK_ROD, at[k], at[k + 1]);
        list_hide(p->l, !p->f->state[item].holds);
    }
    for (int k = 1; k + 1 < n; k++) {
        const pose where = place_at(p->scale * at[k][0], p->scale * at[k][1], 0.0);
        list_circle(p->l, INK_PAPER, where, PULLEY_RADIUS * p->unit);
        list_circle(p->l, INK_SOLID, where, 0.4 * p->unit);
    }
}

void draw_marks(const pen *p, int item)
{
    const double(*at)[2] = stage_at(p->s, p->f, item);

    for (int k = 0; k < p->s->items[item].npoints; k++)
        list_circle(p->l, INK_SOLID, place_at(p->scale * at[k][0], p->scale * at[k][1], 0.0), 0.45 * p->unit);
}

/* --------------------------------------------------------------------------------- discs and gears */

/* Whether the same circle of the same body has been drawn by an item before. */
static bool drawn_before(const pen *p, int item)
{
    const sal_drawing *d = &p->s->items[item];
    const frame       *f = &p->s->frames[0];
    const double(*at)[2] = stage_at(p->s, f, item);

    for (int k = 0; k < item; k++) {
        const double(*other)[2] = stage_at(p->s, f, k);
        if (p->s->items[k].kind != d->kind || p->s->items[k].body != d->body) continue;
        if (fabs(f->state[k].radius - f->state[item].radius) < 1e-9 * f->state[item].radius &&
            hypot(other[0][0] - at[0][0], other[0][1] - at[0][1]) < 1e-9 * f->state[item].radius)
            return true;
    }
    return false;
}

/* The body that a disc belongs to: its own, or a point mass in its centre; -1: none. */
static int disc_element(const pen *p, int item)
{
    const sal_drawing *d = &p->s->items[item];

    for (int k = 0; k < p->s->n && d->body < 0; k++) {
        const sal_drawing *other = &p->s->items[k];
        if (other->kind == SAL_DRAW_MASS && other->points[0] >= 0 && other->points[0] == d->points[0])
            return other->element;
    }
    return d->body;
}

void draw_disc(const pen *p, int item)
{
    const sal_drawing *d = &p->s->items[item];
    const double(*at)[2] = stage_at(p->s, p->f, item);
    const double r       = p->scale * p->f->state[item].radius;
    pose         where   = place_at(p->scale * at[0][0], p->scale * at[0][1], 0.0);

    if (drawn_before(p, item)) return;
    if (d->body >= 0) where.angle = p->f->state[item].angle;
    list_circle(p->l, (ink_id)(INK_BODY + body_colour(p, disc_element(p, item))), where, r);
    if (d->body < 0) return;
    list_path(p->l, INK_LINE, where); /* shows how it turns */
    list_move(p->l, 0.6 * r, 0.0);
    list_line(p->l, r, 0.0);
}

/* Whether a gear is a ring: it holds the other one of its pair inside. */
static bool is_ring(const pen *p, int item)
{
    const frame *f       = &p->s->frames[0];
    const double(*at)[2] = stage_at(p->s, f, item);

    for (int k = item - 1; k <= item + 1; k += 2) {
        const double(*other)[2] = k >= 0 && k < p->s->n ? stage_at(p->s, f, k) : NULL;
        double d, R = f->state[item].radius, r;
        if (!other || p->s->items[k].kind != SAL_DRAW_GEAR || p->s->items[k].element != p->s->items[item].element)
            continue;
        r = f->state[k].radius;
        d = hypot(other[0][0] - at[0][0], other[0][1] - at[0][1]);
        return R > r && d > 1e-6 * R && fabs(d - (R - r)) < 1e-3 * R;
    }
    return false;
}

/* Marks along the pitch circle, inwards or, of a ring, outwards: they turn with the body. */
static void draw_teeth(const pen *p, pose at, double r, bool ring)
{
    const int    n    = (int)fmax(8.0, round(2.0 * M_PI * r / (TEETH_SPACE * p->unit)));
    const double from = r - 0.7 * p->unit, to = ring ? r + 0.7 * p->unit : r;

    list_path(p->l, INK_HATCH, at);
    for (int k = 0; k < n; k++) {
        const double c = cos(2.0 * M_PI * k / n), s = sin(2.0 * M_PI * k / n);
        list_move(p->l, (ring ? r : from) * c, (ring ? r : from) * s);
        list_line(p->l, to * c, to * s);
    }
}

void draw_gear(const pen *p, int item)
{
    const sal_drawing *d = &p->s->items[item];
    const double(*at)[2] = stage_at(p->s, p->f, item);
    const double r       = p->scale * p->f->state[item].radius;
    const bool   ring    = is_ring(p, item);
    pose         where   = place_at(p->scale * at[0][0], p->scale * at[0][1], 0.0);

    if (drawn_before(p, item)) return;
    if (d->body >= 0) where.angle = p->f->state[item].angle;
    list_circle(p->l, ring ? INK_LINE : (ink_id)(INK_BODY + body_colour(p, d->body)), where, r);
    draw_teeth(p, where, r, ring);
}

void draw_rack(const pen *p, int item)
{
    const sal_drawing       *d = &p->s->items[item];
    const sal_drawing_state *s = &p->f->state[item];
    const double(*at)[2]       = stage_at(p->s, p->f, item);
    const double angle = atan2(s->direction[1], s->direction[0]), half = 0.35 * p->unit;
    double       from = -20.0 * p->unit, to = 20.0 * p->unit;
    int          n;

    if (d->npoints == 3) {
        for (int k = 1; k < 3; k++) {
            const double along =
                p->scale * ((at[k][0] - at[0][0]) * s->direction[0] + (at[k][1] - at[0][1]) * s->direction[1]);
            if (k == 1) from = to = along;
            from = fmin(from, along);
            to   = fmax(to, along);
        }
    }
    list_path(p->l, INK_LINE, place_at(p->scale * at[0][0], p->scale * at[0][1], angle));
    list_move(p->l, from, 0.0);
    list_line(p->l, to, 0.0);
    list_path(p->l, INK_HATCH, place_at(p->scale * at[0][0], p->scale * at[0][1], angle));
    n = (int)fmin(500.0, (to - from) / (TEETH_SPACE * p->unit));
    for (int k = 0; k <= n; k++) {
        const double x = from + TEETH_SPACE * p->unit * k;
        list_move(p->l, x, -half);
        list_line(p->l, x, half);
    }
}
