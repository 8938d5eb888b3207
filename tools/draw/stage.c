/* stage.c - frames of a mechanism, how much room they take, and what its points are. */
#include "tools/draw/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool stage_open(stage *s, const sal_model *model)
{
    sal_point_info p;

    *s         = (stage){ .model = model, .n = sal_model_drawing_count(model), .low = { INFINITY, INFINITY } };
    s->high[0] = s->high[1] = -INFINITY;
    s->domain[0]            = -1.0;
    s->domain[1]            = 1.0;
    while (sal_model_point(model, s->nroles, &p)) s->nroles++;
    s->items = calloc((size_t)s->n + 1, sizeof *s->items);
    s->first = calloc((size_t)s->n + 1, sizeof *s->first);
    s->curve = calloc((size_t)s->n + 1, sizeof *s->curve);
    s->roles = calloc((size_t)s->nroles + 1, sizeof *s->roles);
    if (!s->items || !s->first || !s->curve || !s->roles) return false;
    for (int k = 0; k < s->n; k++) {
        sal_model_drawing(model, k, &s->items[k]);
        s->first[k] = s->points;
        s->curve[k] = s->items[k].curve ? s->curves++ : -1;
        s->points += s->items[k].npoints;
    }
    return true;
}

static void free_frame(frame *f)
{
    free(f->at);
    free(f->state);
    free(f->curve);
}

void stage_close(stage *s)
{
    for (int k = 0; k < s->nframes; k++) free_frame(&s->frames[k]);
    free(s->frames);
    free(s->items);
    free(s->first);
    free(s->curve);
    free(s->roles);
    *s = (stage){ 0 };
}

const double (*stage_at(const stage *s, const frame *f, int item))[2]
{
    return (const double(*)[2])f->at + s->first[item];
}

const role *stage_role(const stage *s, int item, int point)
{
    const int index = s->items[item].points[point];

    return index < 0 ? NULL : &s->roles[index];
}

/* ----------------------------------------------------------------------------------------- frames */

static bool read_frame(const stage *s, const sal_run *run, frame *f)
{
    *f = (frame){ .t     = sal_run_time(run),
                  .at    = calloc((size_t)s->points + 1, sizeof *f->at),
                  .state = calloc((size_t)s->n + 1, sizeof *f->state),
                  .curve = calloc((size_t)(s->curves * CURVE_SAMPLES) + 1, sizeof *f->curve) };
    if (!f->at || !f->state || !f->curve) return free_frame(f), false;
    for (int k = 0; k < s->n; k++) {
        if (!sal_run_drawing(run, k, f->at[s->first[k]], &f->state[k])) return free_frame(f), false;
        for (int i = 0; i < CURVE_SAMPLES && s->curve[k] >= 0; i++) {
            const double x = s->domain[0] + (s->domain[1] - s->domain[0]) * i / (CURVE_SAMPLES - 1);
            sal_run_drawing_curve(run, k, x, &f->curve[s->curve[k] * CURVE_SAMPLES + i]);
        }
    }
    return true;
}

void stage_extend(stage *s, double x, double y)
{
    const double at[2] = { x, y };

    if (!isfinite(x) || !isfinite(y)) return;
    for (int axis = 0; axis < 2; axis++) {
        s->low[axis]  = fmin(s->low[axis], at[axis]);
        s->high[axis] = fmax(s->high[axis], at[axis]);
    }
}

void stage_foot(const sal_drawing_state *ground, double scale, double *x, double *y)
{
    const double *u = ground->direction, h = scale * ground->height, along = *x * u[0] + (*y - h) * u[1];

    *x = along * u[0];
    *y = along * u[1] + h;
}

/* Ground goes on for ever: it counts where something can come down on it. */
static void extend_ground(stage *s, const sal_run *run, const frame *f, int contact)
{
    for (int k = 0; k < s->n; k++) {
        double x = f->state[contact].place[0], y = f->state[contact].place[1];
        if (s->items[k].kind != SAL_DRAW_GROUND || s->items[k].element != s->items[contact].element) continue;
        if (isfinite(f->state[k].angle)) stage_foot(&f->state[k], 1.0, &x, &y);
        else sal_run_drawing_curve(run, k, x, &y);
        stage_extend(s, x, y);
    }
}

/* How many points of an item count: not those of a straight guide that does not move, which only say where it is. */
static int points_that_count(const stage *s, int item)
{
    const sal_drawing *d = &s->items[item];
    sal_point_info     p;

    if (d->kind == SAL_DRAW_EDGE && d->points[0] < 0) return 0;
    if (d->kind != SAL_DRAW_SLIDER && d->kind != SAL_DRAW_RACK) return d->npoints;
    for (int k = 1; k < d->npoints; k++) {
        if (!sal_model_point(s->model, d->points[k], &p) || !strcmp(p.kind, "fixed")) return 1;
    }
    return d->npoints;
}

/* Stops of a distance, unless they are far from where it is. */
static void extend_limits(stage *s, const frame *f, int item)
{
    const double(*at)[2]  = stage_at(s, f, item);
    const double limit[2] = { f->state[item].low, f->state[item].high };
    const double x = at[1][0] - at[0][0], y = at[1][1] - at[0][1], length = hypot(x, y);

    for (int k = 0; k < 2 && length > 0.0; k++) {
        if (limit[k] < 2.0 * length)
            stage_extend(s, at[0][0] + limit[k] / length * x, at[0][1] + limit[k] / length * y);
    }
}

static void extend_frame(stage *s, const sal_run *run, const frame *f)
{
    for (int k = 0; k < s->n; k++) {
        const double(*at)[2] = stage_at(s, f, k);
        const double r       = isnan(f->state[k].radius) ? 0.0 : f->state[k].radius;
        for (int i = 0; i < points_that_count(s, k); i++) {
            stage_extend(s, at[i][0] - r, at[i][1] - r);
            stage_extend(s, at[i][0] + r, at[i][1] + r);
        }
        if (s->items[k].kind == SAL_DRAW_LIMIT) extend_limits(s, f, k);
        if (s->items[k].kind == SAL_DRAW_CONTACT) extend_ground(s, run, f, k);
    }
}

bool stage_cover(stage *s, const sal_run *run)
{
    frame f;

    if (!read_frame(s, run, &f)) return false;
    extend_frame(s, run, &f);
    free_frame(&f);
    return true;
}

bool stage_add(stage *s, const sal_run *run)
{
    if (s->nframes == s->room) {
        frame *more = realloc(s->frames, (size_t)(2 * s->room + 8) * sizeof *more);
        if (!more) return false;
        s->frames = more;
        s->room   = 2 * s->room + 8;
    }
    if (!read_frame(s, run, &s->frames[s->nframes])) return false;
    extend_frame(s, run, &s->frames[s->nframes]);
    s->nframes++;
    return true;
}

void stage_cover_forces(stage *s, bool contacts, double newton)
{
    for (int f = 0; f < s->nframes; f++) {
        for (int k = 0; k < s->n; k++) {
            const sal_drawing_state *state = &s->frames[f].state[k];
            const bool               touch = s->items[k].kind == SAL_DRAW_CONTACT;
            const double            *at    = touch ? state->place : stage_at(s, &s->frames[f], k)[0];
            if ((s->items[k].kind != SAL_DRAW_FORCE && !touch) || (touch && !contacts)) continue;
            stage_extend(s, at[0] + newton * state->force[0], at[1] + newton * state->force[1]);
        }
    }
}

/* Their corners within a third of the size of what is drawn. */
void stage_cover_lines(stage *s)
{
    const double margin  = fmax(s->high[0] - s->low[0], s->high[1] - s->low[1]) / 3.0;
    const double low[2]  = { s->low[0] - margin, s->low[1] - margin };
    const double high[2] = { s->high[0] + margin, s->high[1] + margin };

    for (int k = 0; k < s->n && s->nframes; k++) {
        const double(*at)[2] = stage_at(s, &s->frames[0], k);
        if (s->items[k].kind != SAL_DRAW_EDGE || s->items[k].points[0] >= 0) continue;
        if (fmax(at[0][0], at[1][0]) < low[0] || fmin(at[0][0], at[1][0]) > high[0]) continue;
        if (fmax(at[0][1], at[1][1]) < low[1] || fmin(at[0][1], at[1][1]) > high[1]) continue;
        for (int i = 0; i < 2; i++)
            stage_extend(s, fmax(low[0], fmin(high[0], at[i][0])), fmax(low[1], fmin(high[1], at[i][1])));
    }
}

/* ------------------------------------------------------------------------------------------ roles */

static role *role_of(stage *s, const sal_drawing *d, int k)
{
    return d->points[k] < 0 ? NULL : &s->roles[d->points[k]];
}

/* A link that ends in point k of an item, on its way to the point `to`. */
static void add_link(stage *s, int item, int k, int to)
{
    const double(*at)[2] = stage_at(s, &s->frames[0], item);
    role        *r       = role_of(s, &s->items[item], k);
    const double x = at[to][0] - at[k][0], y = at[to][1] - at[k][1], length = hypot(x, y);

    if (!r) return;
    r->links++;
    if (!(length > 0.0)) return;
    r->towards[0] += x / length;
    r->towards[1] += y / length;
}

static void note_pin(stage *s, const sal_drawing *d)
{
    role *one = role_of(s, d, 0), *two = role_of(s, d, 1);

    if (one) one->pinned = true;
    if (two) two->pinned = two->follows = true;
}

static void note_item(stage *s, int item)
{
    const sal_drawing *d = &s->items[item];
    role              *r;

    for (int k = 0; k < d->npoints; k++) {
        const bool end = k == 0 || k == d->npoints - 1;
        r              = role_of(s, d, k);
        switch (d->kind) {
        case SAL_DRAW_BODY: add_link(s, item, k, k == 0); break;
        case SAL_DRAW_LINE: add_link(s, item, k, 1 - k); break;
        case SAL_DRAW_ROPE:
            if (end) add_link(s, item, k, k ? k - 1 : 1);
            break;
        case SAL_DRAW_SPRING:
        case SAL_DRAW_DAMPER:
            if (r) r->springs = true;
            break;
        case SAL_DRAW_CONTACT:
            if (r) r->touches = true;
            break;
        case SAL_DRAW_SLIDER:
            if (r && k == 0) r->slides = true;
            break;
        case SAL_DRAW_DISC:
        case SAL_DRAW_GEAR:
            if (r) r->disc = true;
            break;
        default: break;
        }
    }
    if (d->kind == SAL_DRAW_PIN) note_pin(s, d);
}

void stage_find_roles(stage *s)
{
    sal_point_info p;

    memset(s->roles, 0, (size_t)s->nroles * sizeof *s->roles);
    for (int k = 0; sal_model_point(s->model, k, &p); k++) s->roles[k].fixed = !strcmp(p.kind, "fixed");
    for (int k = 0; k < s->n && s->nframes; k++) note_item(s, k);
}
