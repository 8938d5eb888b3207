/* places.c - see places.h.
 *
 * Which segment or corner of a polyline a contact is with is the engine's matter: here all that are near are found, and
 * what the contact does has to be right for one of them. */
#include "tests/property/places.h"

static vec left_of(vec e)
{
    return (vec){ -e.y, e.x };
}

static vec unit(vec d)
{
    return vec_times(1.0 / vec_length(d), d);
}

/* --------------------------------------------------------------------------------------------------- lines */

/* Whether a line turns away from its left side at a corner. */
static bool turns_away(const contact *c, int i)
{
    return vec_cross(vec_minus(c->corner[i], c->corner[i - 1]), vec_minus(c->corner[i + 1], c->corner[i])) < 0.0;
}

double line_clearance(const contact *c, vec p, bool *end)
{
    double least = HUGE_VAL, sign = 1.0;

    for (int i = 0; i + 1 < c->ncorners; i++) {
        const vec    d = vec_minus(c->corner[i + 1], c->corner[i]), u = vec_minus(p, c->corner[i]);
        const double part = fmin(fmax(vec_dot(u, d) / vec_dot(d, d), 0.0), 1.0);
        const double away = vec_length(vec_minus(u, vec_times(part, d)));
        const int    near = part == 0.0 ? i : i + 1;
        if (!(away < least)) continue;
        least             = away;
        const bool below  = vec_cross(d, u)<0.0, inner = part> 0.0 && part < 1.0;
        const bool beyond = !inner && (near == 0 || near == c->ncorners - 1);
        sign              = inner ? (below ? -1.0 : 1.0) : beyond || turns_away(c, near) ? 1.0 : -1.0;
        if (end && beyond) *end = *end || below;
    }
    return sign * least;
}

/* How deep two segments cross: the shortest way out, 0 where they do not. */
static double crossing(vec a, vec b, vec p, vec q)
{
    const vec    d = unit(vec_minus(b, a)), e = unit(vec_minus(q, p));
    const double to_p = vec_cross(d, vec_minus(p, a)), to_q = vec_cross(d, vec_minus(q, a));
    const double to_a = vec_cross(e, vec_minus(a, p)), to_b = vec_cross(e, vec_minus(b, p));

    if (!(to_p * to_q < 0.0) || !(to_a * to_b < 0.0)) return 0.0;
    return fmin(fmin(fabs(to_p), fabs(to_q)), fmin(fabs(to_a), fabs(to_b)));
}

double clearance(const contact *c, int k, const state *s, bool *end)
{
    const vec a = s->at[c->point[k]], b = s->at[c->point[(k + 1) % c->n]];
    double    least = line_clearance(c, a, end) - c->radius[0];

    for (int i = 0; i + 1 < c->ncorners && c->outline; i++)
        least = fmin(least, -crossing(a, b, c->corner[i], c->corner[i + 1]));
    return least;
}

/* -------------------------------------------------------------------------------------------------- places */

double circle_gap(const contact *c, vec p)
{
    const double away = vec_length(vec_minus(p, c->origin));

    return c->circle > 0.0 ? c->circle - away : away + c->circle;
}

static double rate_of(const mechanism *m, int b, const state *s)
{
    if (b < 0) return 0.0;
    const int *end = m->bodies[b].end;
    const vec  d = vec_minus(s->at[end[1]], s->at[end[0]]), v = vec_minus(s->velocity[end[1]], s->velocity[end[0]]);

    return vec_cross(d, v) / vec_dot(d, d);
}

/* Of a point with the velocity v, or a disc that rolls at `turns`, over a surface whose normal is n. */
static place on_surface(double gap, vec n, vec v, double turns)
{
    return (place){ gap, vec_dot(n, v), -vec_dot(left_of(n), v) + turns };
}

static void add(place list[PLACES], int *n, place it)
{
    if (*n < PLACES) list[(*n)++] = it;
}

static int on_segments(const contact *c, vec p, vec v, double turns, double near, place list[PLACES])
{
    int n = 0;

    for (int i = 0; i + 1 < c->ncorners; i++) {
        const vec    d = vec_minus(c->corner[i + 1], c->corner[i]), e = unit(d), u = vec_minus(p, c->corner[i]);
        const double gap = vec_cross(e, u) - c->radius[0], along = vec_dot(e, u);
        if (along < -near || along > vec_length(d) + near || fabs(gap) > near) continue;
        add(list, &n, on_surface(gap, left_of(e), v, turns));
    }
    return n;
}

static int on_corners(const contact *c, vec p, vec v, double turns, double near, place list[PLACES])
{
    int n = 0;

    for (int i = 0; i < c->ncorners; i++) {
        const vec    u   = vec_minus(p, c->corner[i]);
        const double gap = vec_length(u) - c->radius[0];
        if (fabs(gap) <= near) add(list, &n, on_surface(gap, unit(u), v, turns));
    }
    return n;
}

/* The edge of an outline from its point k on; which side of it the body is on does not matter for |slip|: the sign of
 * `slip` follows the line, that of the body's edge goes against it. */
static int with_edge(const contact *c, int k, double side, const state *s, double near, place list[PLACES])
{
    const int    A = c->point[k], B = c->point[(k + 1) % c->n];
    const vec    d = vec_minus(s->at[B], s->at[A]), e = unit(d), v = s->velocity[A];
    const double turn = vec_cross(d, vec_minus(s->velocity[B], v)) / vec_dot(d, d);
    int          n    = 0;

    for (int i = 0; i < c->ncorners; i++) {
        const vec    u   = vec_minus(c->corner[i], s->at[A]);
        const double gap = -side * vec_cross(e, u), along = vec_dot(e, u);
        const vec    there = vec_add(v, vec_times(turn, left_of(u))); /* of the body's point at the corner */
        if (along < -near || along > vec_length(d) + near || fabs(gap) > near) continue;
        add(list, &n, (place){ gap, side * vec_dot(left_of(e), there), side * vec_dot(e, there) });
    }
    return n;
}

/* 1 where an outline goes round to the left, -1 to the right. */
static double side_of(const contact *c, const state *s)
{
    double area = 0.0;

    for (int k = 0; k < c->n; k++)
        area += vec_cross(vec_minus(s->at[c->point[k]], s->at[c->point[0]]),
                          vec_minus(s->at[c->point[(k + 1) % c->n]], s->at[c->point[0]]));
    return area < 0.0 ? -1.0 : 1.0;
}

/* On an edge of a body, or round one of its ends. */
static place on_edge(const contact *c, touch_part part, vec p, vec v, double turns, const state *s)
{
    const int    A = c->line[0], B = c->line[1];
    const vec    d = vec_minus(s->at[B], s->at[A]), u = vec_minus(p, s->at[A]);
    const double turn = vec_cross(d, vec_minus(s->velocity[B], s->velocity[A])) / vec_dot(d, d);

    if (part == WHOLE) {
        const vec    n     = left_of(unit(d));
        const double gap   = vec_dot(n, u) - c->radius[0];
        const vec    foot  = vec_minus(u, vec_times(c->radius[0], n)); /* of the disc, where it touches */
        const vec    there = vec_add(s->velocity[A], vec_times(turn, left_of(foot)));
        return on_surface(gap, n, vec_minus(v, there), turns);
    }
    const int end = part == AT_START ? A : B;
    const vec w   = vec_minus(p, s->at[end]);
    return on_surface(vec_length(w) - c->radius[0], unit(w), vec_minus(v, s->velocity[end]), turns);
}

int places_of(const mechanism *m, const touch *t, const state *s, double near, place list[PLACES])
{
    const contact *c = &m->contacts[t->contact];
    const vec      p = s->at[c->point[t->k]], v = s->velocity[c->point[t->k]];
    const double   turns = c->radius[0] * rate_of(m, c->turns[0], s);

    if (t->part == ON_SEGMENT) return on_segments(c, p, v, turns, near, list);
    if (t->part == ON_CORNER) return on_corners(c, p, v, turns, near, list);
    if (t->part == WITH_EDGE) return with_edge(c, t->k, side_of(c, s), s, near, list);
    if (c->kind == EDGE) list[0] = on_edge(c, t->part, p, v, turns, s);
    else
        list[0] = on_surface(circle_gap(c, p), vec_times(c->circle > 0.0 ? -1.0 : 1.0, unit(vec_minus(p, c->origin))),
                             v, 0.0);
    return 1;
}

double depth_within(const mechanism *m, const touch *t, const state *s, double time)
{
    const contact *c     = &m->contacts[t->contact];
    const vec      p     = s->at[c->point[t->k]];
    const double   near  = 1e-9 * m->duration; /* events may be before or after the state at their time */
    double         depth = HUGE_VAL;

    if (!isnan(c->off) && time > c->off + near && time < c->on - near) return -HUGE_VAL;
    if (!isnan(c->from)) {
        const double along = vec_dot(c->along, vec_minus(p, c->origin));
        depth              = fmin(along - c->from, c->to - along);
    }
    if (c->kind != EDGE || !c->ends) return depth;
    const vec    d = vec_minus(s->at[c->line[1]], s->at[c->line[0]]);
    const double l = vec_length(d), along = vec_dot(d, vec_minus(p, s->at[c->line[0]])) / l;
    return fmin(depth, t->part == AT_START ? -along : t->part == AT_END ? along - l : fmin(along, l - along));
}
