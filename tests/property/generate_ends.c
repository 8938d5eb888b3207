/* generate_ends.c - families whose contacts have corners and ends: polylines, edges of bodies, `where`, formulas,
 * contacts that events switch, compliant ones. */
#include "tests/property/families.h"

/* ------------------------------------------------------------------------------------------------ polylines */

static void corner(contact *c, double x, double y)
{
    if (c->ncorners < CORNERS) c->corner[c->ncorners++] = (vec){ x, y };
}

/* Flat at y = 0 to the left of x = 0, then down step by step; risers upright, leaning or undercut. */
static void draw_stairs(mechanism *m, dice *d, contact *c)
{
    const int    n = 2 + dice_choice(d, 8), kind = dice_choice(d, 3);
    const double rise = length_of(m, d, 0.05, 0.6), lean = kind == 0 ? 0.0 : length_of(m, d, -0.1, 0.3);
    double       x = 0.0;

    corner(c, -6.0 * m->length, 0.0);
    for (int k = 0; k < n; k++) {
        corner(c, x, -rise * k);
        corner(c, x + lean, -rise * (k + 1));
        x += lean + length_of(m, d, 0.4, 1.5);
    }
    corner(c, x + 4.0 * m->length, -rise * n);
}

/* Flat, and a curb or a ditch. */
static void draw_curb(mechanism *m, dice *d, contact *c)
{
    const double x = length_of(m, d, 0.5, 2.0), w = length_of(m, d, 0.1, 1.5), h = length_of(m, d, -0.6, 0.0),
                 lean = length_of(m, d, -0.05, 0.2);

    corner(c, -6.0 * m->length, 0.0);
    corner(c, x, 0.0);
    corner(c, x + lean, h);
    corner(c, x + w + 0.3 * m->length, h);
    corner(c, x + w + 0.4 * m->length, 0.0);
    corner(c, x + w + 5.0 * m->length, 0.0);
}

/* Heights below 0 over places that are apart by any distance: rough ground, or a valley. */
static void draw_terrain(mechanism *m, dice *d, contact *c)
{
    const int    n     = 4 + dice_choice(d, 28);
    const double rough = length_of(m, d, 0.02, 0.8), bend = dice_chance(d, 0.5) ? 0.0 : length_of(m, d, 0.02, 0.15);
    double       x = -6.0 * m->length;

    for (int k = 0; k <= n; k++) {
        const double part = x / m->length;
        corner(c, x, -rough * dice_between(d, 0.0, 1.0) + bend * (part * part - 36.0));
        x += 12.0 * m->length / n * dice_between(d, 0.3, 1.7);
    }
}

/* A line below y = 0; walls at its ends, or none. */
static contact *draw_line(mechanism *m, dice *d, bool flat)
{
    static void (*const draw[])(mechanism *, dice *, contact *) = { draw_stairs, draw_curb, draw_terrain };
    contact *const c                                            = add_contact(m, LINE, d);
    const bool     walls                                        = dice_chance(d, 0.7);
    const double   high                                         = 12.0 * m->length;

    if (walls) corner(c, -6.0 * m->length, high);
    draw[dice_choice(d, flat ? 2 : 3)](m, d, c);
    if (walls) corner(c, c->corner[c->ncorners - 1].x + length_of(m, d, 0.0, 0.5), high);
    return c;
}

/* The same line once more, with a law of its own. */
static contact *same_line(mechanism *m, dice *d, const contact *line)
{
    contact *c = add_contact(m, LINE, d);

    c->ncorners = line->ncorners;
    for (int k = 0; k < line->ncorners; k++) c->corner[k] = line->corner[k];
    return c;
}

/* What was added from `first` on begins at some height over y = 0, and flies; or it stands there or slides. */
static void start(mechanism *m, dice *d, int first, const contact *c, bool stands)
{
    const double v = typical_speed(m), high = length_of(m, d, 0.02, 1.0), spin = dice_between(d, -2.0, 2.0) / m->time;
    const vec    fly = dice_vec(d, -1.5 * v, 1.5 * v, -v, 0.3 * v);

    put_above(m, first, c, (stands ? 0.0 : high) + c->radius[0]);
    if (stands && dice_chance(d, 0.3)) return;
    move_rigidly(m, first, stands ? (vec){ fly.x, 0.0 } : fly, stands ? 0.0 : spin, m->points[first].at);
}

/* A body with an outline: a bar, a triangle, a box or another convex quadrangle. */
static void draw_outline(mechanism *m, dice *d, contact *c, vec at, vec u)
{
    const int    kind = dice_choice(d, 5);
    const double w = length_of(m, d, 0.3, 1.5), h = length_of(m, d, 0.1, 1.2);
    const int    a = add_point(m, at), b = add_point(m, vec_add(at, vec_times(w, u)));

    c->outline = true;
    touch_with(c, a);
    touch_with(c, b);
    if (kind == 0) {
        add_bar(m, a, b, draw_mass(m, d));
        return;
    }
    const vec centre = dice_vec(d, 0.4 * w, 0.6 * w, 0.3 * h, 0.4 * h);
    const int it     = draw_rigid(m, d, a, b, centre);
    if (kind == 1) {
        touch_with(c, add_marker(m, it, (vec){ w * dice_between(d, 0.0, 1.0), h }));
        return;
    }
    const double in = kind == 2 ? w * dice_between(d, -0.2, 0.2) : 0.0;
    touch_with(c, add_marker(m, it, (vec){ w - in, h }));
    touch_with(c, add_marker(m, it, (vec){ in, h }));
}

void family_stairs(mechanism *m, dice *d)
{
    const bool stands = dice_chance(d, 0.4);
    contact   *line = draw_line(m, d, stands), *c = line;
    const int  n    = 1 + dice_choice(d, 2);
    int        last = -1;

    for (int k = 0; k < n; k++) {
        const int first = m->npoints;
        if (k > 0) c = same_line(m, d, line);
        draw_outline(m, d, c, (vec){ (-2.0 - 2.5 * k) * m->length, 0.0 },
                     stands ? (vec){ 1.0, 0.0 } : dice_direction(d, 1.0));
        start(m, d, first, c, stands);
        if (last >= 0 && dice_chance(d, 0.3)) draw_spring(m, d, last, first, 2.0 * m->length, 4.0 * m->length);
        last = first;
    }
}

void family_terrain(mechanism *m, dice *d)
{
    const bool stands = dice_chance(d, 0.3);
    contact   *line = draw_line(m, d, stands), *c = line;
    const int  n = 1 + dice_choice(d, 3);

    for (int k = 0; k < n; k++) {
        const int first = m->npoints;
        const vec at    = { (-4.5 + 2.5 * k) * m->length, 0.0 };
        if (k > 0) c = same_line(m, d, line);
        if (dice_chance(d, 0.5)) {
            const disc it = draw_disc(m, d, at, length_of(m, d, 0.1, 0.6));
            c->radius[0]  = it.radius;
            c->turns[0]   = it.turns;
            touch_with(c, it.centre);
        } else {
            draw_body(m, d, c, at);
        }
        start(m, d, first, c, stands && at.x < -m->length);
    }
}

void family_track(mechanism *m, dice *d)
{
    const bool   legs = dice_chance(d, 0.5);
    contact     *c    = draw_line(m, d, legs);
    const double x    = length_of(m, d, -3.0, -1.0);

    if (!legs) {
        const int    n = 1 + dice_choice(d, 5), first = m->npoints;
        const double depth = m->length * (0.3 + 0.5 * n * dice_between(d, 0.3, 1.0));
        const int    bar   = draw_chain(m, d, n, (vec){ x, depth });
        for (int k = 0; k < n; k++) touch_with(c, m->bodies[bar + k].end[1]);
        if (dice_chance(d, 0.3)) { /* let go */
            m->points[first].fixed    = false;
            m->points[first].moves    = m->points[first + 1].moves;
            m->points[first].velocity = (vec){ 0.0, 0.0 };
            touch_with(c, first);
        }
        return;
    }
    const double high = length_of(m, d, 0.6, 1.5), wide = length_of(m, d, 0.4, 1.0);
    const int    first = m->npoints, a = add_point(m, (vec){ x, high }), b = add_point(m, (vec){ x + wide, high });
    const int    torso = draw_rigid(m, d, a, b, (vec){ 0.5 * wide, 0.1 * high });
    const int    n     = 1 + dice_choice(d, 3);
    const bool   knee  = dice_chance(d, 0.4);
    for (int k = 0; k < n; k++) {
        const int hip = k == 0 ? a : k == 1 ? b : add_marker(m, torso, (vec){ 0.5 * wide, 0.0 });
        draw_leg(m, d, c, torso, hip, knee);
    }
    touch_with(c, a);
    touch_with(c, b);
    start(m, d, first, c, dice_chance(d, 0.5));
}

/* ----------------------------------------------------------------------------------------------- other ends */

typedef struct plank {
    int  end[2];
    bool moves;
} plank;

/* Fixed, on two springs, or a seesaw; its ends touch the ground. */
static plank draw_plank(mechanism *m, dice *d)
{
    const int    kind = dice_choice(d, 3);
    const double w = length_of(m, d, 0.8, 3.0), h = length_of(m, d, 0.3, 1.0);
    const vec    u    = dice_direction(d, kind == 0 ? 0.2 : 0.05);
    const vec    left = vec_add((vec){ 0.0, 1.5 * m->length }, vec_times(-0.5 * w, u)),
              right   = vec_add(left, vec_times(w, u));
    plank it          = { .moves = kind != 0 };

    it.end[0] = kind == 0 ? add_fixed(m, left) : add_point(m, left);
    it.end[1] = kind == 0 ? add_fixed(m, right) : add_point(m, right);
    if (kind == 0) return it;
    contact *c = add_contact(m, GROUND, d);
    for (int k = 0; k < 2; k++) touch_with(c, it.end[k]);
    if (kind == 1) {
        add_bar(m, it.end[0], it.end[1], draw_mass(m, d));
        for (int k = 0; k < 2; k++) {
            const int above = add_fixed(m, vec_add(m->points[it.end[k]].at, (vec){ 0.0, 2.0 * h }));
            draw_spring(m, d, it.end[k], above, h, 2.5 * h);
        }
        return it;
    }
    const double part = dice_between(d, 0.3, 0.7);
    const int    b    = draw_rigid(m, d, it.end[0], it.end[1], (vec){ part * w, 0.0 });
    const int    pin  = add_marker(m, b, (vec){ part * w, -0.1 * h });
    add_pin(m, pin, add_fixed(m, m->points[pin].at));
    return it;
}

static contact *edge_with_ends(mechanism *m, dice *d, int from, int to)
{
    contact *c = add_contact(m, EDGE, d);

    c->line[0] = from;
    c->line[1] = to;
    c->ends    = true;
    return c;
}

/* A box whose corners meet the plank, and the ends of the plank its edges; or a disc. Both fall on the ground, too. */
static void draw_thing(mechanism *m, dice *d, const plank *on, double x)
{
    const int    first = m->npoints;
    const double v = typical_speed(m), top = fmax(m->points[on->end[0]].at.y, m->points[on->end[1]].at.y);
    contact     *e = edge_with_ends(m, d, on->end[0], on->end[1]), *floor = add_contact(m, GROUND, d);

    if (dice_chance(d, 0.4)) {
        const disc it = draw_disc(m, d, (vec){ x, 0.0 }, length_of(m, d, 0.1, 0.5));
        e->radius[0] = floor->radius[0] = it.radius;
        e->turns[0] = floor->turns[0] = it.turns;
        touch_with(e, it.centre);
        touch_with(floor, it.centre);
    } else {
        int    of[4];
        double high;
        draw_box(m, d, (vec){ x, 0.0 }, dice_direction(d, 1.0), of, &high);
        for (int i = 0; i < 4; i++) touch_with(e, of[i]), touch_with(floor, of[i]);
        for (int i = 0; i < 4 && on->moves; i++) {
            contact *back = edge_with_ends(m, d, of[(i + 1) % 4], of[i]);
            for (int k = 0; k < 2; k++) touch_with(back, on->end[k]);
        }
    }
    put_above(m, first, e, top + length_of(m, d, 0.02, 0.8) + e->radius[0]);
    const vec    fly  = dice_vec(d, -v, v, -v, 0.0);
    const double spin = dice_between(d, -2.0, 2.0) / m->time;
    move_rigidly(m, first, fly, spin, m->points[first].at);
}

void family_plank(mechanism *m, dice *d)
{
    const plank  it = draw_plank(m, d);
    const int    n  = 1 + dice_choice(d, 2);
    const double x  = length_of(m, d, -1.2, 0.8);

    for (int k = 0; k < n; k++) draw_thing(m, d, &it, x + 2.0 * k * m->length);
}

/* Some contacts are off for a while. */
static void draw_switches(mechanism *m, dice *d, double part)
{
    for (int k = 0; k < m->ncontacts; k++) {
        const double off = dice_between(d, 0.0, 0.8), on = dice_between(d, 0.0, 1.0);
        if (!dice_chance(d, part) || m->contacts[k].kind == LINE) continue;
        m->contacts[k].off = m->duration * off;
        m->contacts[k].on  = m->duration * (off + (1.0 - off) * on);
    }
}

static void add_circle(mechanism *m, dice *d, int p, vec centre, double radius)
{
    contact *c = add_contact(m, CIRCLE, d);

    c->origin = centre;
    c->circle = radius;
    touch_with(c, p);
}

/* Bodies in a bowl, or over a dome; each of their points has a contact of its own. */
static void draw_bowl(mechanism *m, dice *d)
{
    const bool   dome = dice_chance(d, 0.4);
    const double r    = length_of(m, d, 2.0, 4.0);
    const int    n    = 1 + dice_choice(d, 2);
    contact      all  = { .n = 0 };

    for (int k = 0; k < n; k++) {
        const int first = m->npoints;
        draw_body(m, d, &all, (vec){ (0.8 * k - 0.5) * m->length, 0.0 });
        const double v = typical_speed(m), spin = dice_between(d, -1.0, 1.0) / m->time;
        put_above(m, first, &all, dome ? r + length_of(m, d, 0.02, 0.5) : length_of(m, d, -0.5, 0.0));
        const vec fly = dice_vec(d, -v, v, -v, 0.0);
        move_rigidly(m, first, fly, spin, m->points[first].at);
    }
    for (int k = 0; k < all.n; k++) add_circle(m, d, all.point[k], (vec){ 0.0, 0.0 }, dome ? -r : r);
}

/* Discs do not end with an edge that is compliant; and what begins outside on a surface that is says nothing of it. */
static bool begins_touching(const mechanism *m, const contact *c)
{
    bool touches = c->radius[0] > 0.0;

    for (int k = 0; k < c->n; k++) {
        const touch it = { .contact = (int)(c - m->contacts), .k = k };
        touches        = touches || start_gap(m, &it) < 1e-6 * m->length;
    }
    return touches;
}

/* Whether something begins on an end, or on the surface outside. */
static bool begins_on_end(const mechanism *m, const contact *c, double from, double to)
{
    for (int k = 0; k < c->n; k++) {
        const double along = vec_dot(c->along, vec_minus(m->points[c->point[k]].at, c->origin));
        const double room  = fmin(along - from, to - along);
        if (fabs(room) < 1e-3 * m->length || (room < 0.0 && !is_rigid(c) && begins_touching(m, c))) return true;
    }
    return false;
}

/* Grounds end to the left and to the right of some place; nothing begins on an end. */
static void draw_where(mechanism *m, dice *d, double part)
{
    for (int k = 0; k < m->ncontacts; k++) {
        contact     *c    = &m->contacts[k];
        const double from = length_of(m, d, -3.0, 0.5), wide = length_of(m, d, 0.5, 5.0);
        if (c->kind == EDGE && (is_rigid(c) || !begins_touching(m, c))) c->ends = dice_chance(d, 0.7) || c->ends;
        if ((c->kind != GROUND && c->kind != CIRCLE) || !dice_chance(d, part)) continue;
        if (begins_on_end(m, c, from, from + wide)) continue;
        c->from = from;
        c->to   = from + wide;
    }
}

void family_bounds(mechanism *m, dice *d)
{
    static void (*const draw[])(mechanism *, dice *) = { draw_bowl,    draw_bowl,    family_free, family_box,
                                                         family_slide, family_discs, family_chain };

    draw[dice_choice(d, 7)](m, d);
    draw_where(m, d, 0.6);
    draw_switches(m, d, 0.3);
}

/* A depth of some part of the length under the weight, k d^n = m g. */
static void soften(mechanism *m, dice *d, contact *c)
{
    static const double exponent[] = { 1.0, 1.5, 2.0 };
    const int           n          = dice_choice(d, 3);
    const double        depth = length_of(m, d, 0.001, 0.05), unit = n == 0   ? depth
                                                                     : n == 1 ? depth * sqrt(depth)
                                                                              : depth * depth;

    c->law       = COMPLIANT;
    c->exponent  = exponent[n];
    c->stiffness = m->mass * vec_length(m->gravity) / unit;
    c->damping   = dice_chance(d, 0.5) ? 0.0 : dice_between(d, 0.0, 0.5) / typical_speed(m);
    if (c->wave != 0.0) c->damping = 0.0; /* deep below a curve the rate of the gap is not the speed across */
    c->slip_speed = typical_speed(m) * dice_between(d, 0.01, 0.1);
}

/* What begins behind a surface that ends may be there, but not pressed. */
static bool begins_behind(const mechanism *m, int of)
{
    touch     list[TOUCHES];
    const int n = touches_of(m, list);

    for (int k = 0; k < n; k++) {
        if (list[k].contact == of && list[k].part == WHOLE && start_gap(m, &list[k]) < -1e-9 * m->length) return true;
    }
    return false;
}

void family_soft(mechanism *m, dice *d)
{
    static void (*const draw[])(mechanism *, dice *) = { family_free, family_box,   family_slide, family_discs,
                                                         family_leg,  family_chain, draw_bowl,    family_plank };
    const bool bounds                                = dice_chance(d, 0.3);

    draw[dice_choice(d, 8)](m, d);
    for (int k = 0; k < m->ncontacts; k++) {
        contact *c = &m->contacts[k];
        if (dice_chance(d, 0.6) && !(c->ends && c->radius[0] > 0.0) && !begins_behind(m, k)) soften(m, d, c);
    }
    if (!bounds) return;
    draw_where(m, d, 0.4);
    draw_switches(m, d, 0.2);
}
