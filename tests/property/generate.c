/* generate.c - the scene of a seed.
 *
 * A family is drawn in a frame in which the main ground is y = 0 and gravity may be tilted; then the whole is turned and
 * put somewhere. All positions are given, so that lengths follow from them: loops close and nothing penetrates.
 * Velocities are those of rigid bodies and of chains from their pin; of a loop that is pinned the crank has one, the
 * rest follows.
 *
 * A new family: its line in FAMILY_LIST and its function here, or in generate_ends.c where contacts have corners and ends. A
 * new kind of contact: its numbers in `contact`, and where kinds are told apart: write.c, vary.c, places.c, start_gap. */
#include <string.h>

#include "tests/property/families.h"
#include "tests/property/vary.h"

double length_of(const mechanism *m, dice *d, double low, double high)
{
    return m->length * dice_between(d, low, high);
}

/* A length and a direction. */
vec draw_way(const mechanism *m, dice *d, double low, double high)
{
    const double l = length_of(m, d, low, high);

    return vec_times(l, dice_direction(d, 1.0));
}

/* A spring between two points, of some length at rest. */
void draw_spring(mechanism *m, dice *d, int a, int b, double low, double high)
{
    const double k = draw_stiffness(m, d), c = draw_damping(m, d, k), l = dice_between(d, low, high);

    add_spring(m, a, b, k, c, l);
}

/* A rigid body on two points at the distance w, its centre at parts of w and h. */
int draw_rigid(mechanism *m, dice *d, int a, int b, vec centre)
{
    const double mass = draw_mass(m, d), gyration = length_of(m, d, 0.2, 0.6);

    return add_rigid(m, a, b, mass, centre, gyration);
}

/* The main ground: level in this frame, sometimes a wave. A wave cannot be turned. */
static contact *draw_ground(mechanism *m, dice *d, bool waves)
{
    contact *c = add_contact(m, GROUND, d);

    if (waves && dice_chance(d, 0.2)) {
        c->height = length_of(m, d, 0.05, 0.4);
        c->wave   = dice_between(d, 1.0, 4.0) / m->length;
    }
    return c;
}

/* A body of its own whose points touch c: point mass, bar, triangle or box with its mass somewhere. Near `at`. */
void draw_body(mechanism *m, dice *d, contact *c, vec at)
{
    const int    kind = dice_choice(d, 5);
    const vec    u    = dice_direction(d, 1.0);
    const double w = length_of(m, d, 0.3, 1.5), h = length_of(m, d, 0.2, 1.5);
    const int    a = add_point(m, at);

    touch_with(c, a);
    if (kind == 0) {
        add_mass(m, a, draw_mass(m, d));
        return;
    }
    const int b = add_point(m, vec_add(at, vec_times(w, u)));
    touch_with(c, b);
    if (kind == 1) {
        add_bar(m, a, b, draw_mass(m, d));
        return;
    }
    const vec centre = dice_vec(d, 0.3 * w, 0.7 * w, 0.2 * h, 0.6 * h);
    const int it     = draw_rigid(m, d, a, b, centre);
    touch_with(c, add_marker(m, it, (vec){ w * dice_between(d, 0.0, 1.0), h }));
    if (kind == 4) touch_with(c, add_marker(m, it, (vec){ w * dice_between(d, -0.3, 0.3), h * 0.5 }));
}

/* A wall on the left or on the right of all that moves, upright or leaning out; points of fixed ends make its line. */
static contact *add_wall(mechanism *m, dice *d, bool right, double radius)
{
    const vec lean = dice_direction(d, 0.2);
    double    x    = 0.0;

    for (int k = 0; k < m->npoints; k++) x = right ? fmax(x, m->points[k].at.x) : fmin(x, m->points[k].at.x);
    x += (right ? 1.0 : -1.0) * (radius + length_of(m, d, 0.02, 1.0));

    const double out  = fabs(lean.y / lean.x) * 3.0 * m->length * (right ? 1.0 : -1.0);
    const int    foot = add_fixed(m, (vec){ x, 0.0 }), head = add_fixed(m, (vec){ x + out, 3.0 * m->length });
    contact     *c = add_contact(m, EDGE, d);
    c->line[0]     = right ? foot : head; /* free on the left of the way */
    c->line[1]     = right ? head : foot;
    return c;
}

/* Perhaps a wall on either side, for the points that touch g. */
static void draw_walls(mechanism *m, dice *d, int ground, double part)
{
    for (int side = 0; side < 2; side++) {
        if (!dice_chance(d, part)) continue;
        contact *c = add_wall(m, d, side == 1, 0.0);
        for (int k = 0; k < m->contacts[ground].n; k++) touch_with(c, m->contacts[ground].point[k]);
    }
}

void family_free(mechanism *m, dice *d)
{
    contact  *c    = draw_ground(m, d, true);
    const int n    = 1 + dice_choice(d, 3);
    int       last = -1;

    for (int k = 0; k < n; k++) {
        const int    first = m->npoints;
        const double v     = typical_speed(m);
        if (c->n > AT_CONTACT - 4) break;
        draw_body(m, d, c, (vec){ 3.0 * m->length * k, 0.0 });
        put_above(m, first, c, c->height + length_of(m, d, 0.02, 1.5));
        const vec    fly  = dice_vec(d, -v, v, -v, 0.5 * v);
        const double spin = dice_between(d, -2.0, 2.0) / m->time;
        move_rigidly(m, first, fly, spin, m->points[first].at);
        if (last >= 0 && dice_chance(d, 0.3)) draw_spring(m, d, last, first, 2.0 * m->length, 4.0 * m->length);
        last = first;
    }
    if (c->wave == 0.0) draw_walls(m, d, 0, 0.25);
}

/* Bars from a pin, each at its own rate; never below y = 0. Returns the first bar. */
int draw_chain(mechanism *m, dice *d, int n, vec pin)
{
    const int  first = m->nbodies;
    int        a     = add_fixed(m, pin);
    vec        v     = { 0.0, 0.0 };
    const bool moves = dice_chance(d, 0.5);

    for (int k = 0; k < n; k++) {
        vec          e    = draw_way(m, d, 0.4, 1.2);
        const double rate = moves ? dice_between(d, -1.0, 1.0) / m->time : 0.0;
        if (dice_chance(d, 0.5)) e.x = -e.x;
        if (m->points[a].at.y + e.y < 0.05 * m->length) e.y = -e.y;
        const int b           = add_point(m, vec_add(m->points[a].at, e));
        v                     = vec_add(v, (vec){ -rate * e.y, rate * e.x });
        m->points[b].velocity = v;
        m->points[b].moves    = moves;
        add_bar(m, a, b, draw_mass(m, d));
        a = b;
    }
    return first;
}

void family_chain(mechanism *m, dice *d)
{
    contact     *c     = draw_ground(m, d, true);
    const int    n     = 1 + dice_choice(d, 6);
    const double depth = c->height + m->length * (0.3 + 0.5 * n * dice_between(d, 0.3, 1.0));
    const int    bar   = draw_chain(m, d, n, (vec){ 0.0, depth });
    const bool   every = dice_chance(d, 0.5);

    if (c->wave != 0.0) c->origin.y = -c->height; /* the crests at y = 0 */
    for (int k = 0; k < n; k++) {
        if (every || k == n - 1) touch_with(c, m->bodies[bar + k].end[1]);
        if (dice_chance(d, 0.2)) {
            const double s = draw_stiffness(m, d) * m->length * m->length * 0.1;
            add_torsion(m, bar + k, k > 0 ? bar + k - 1 : -1, s, draw_damping(m, d, s) * m->length, 0.0);
        }
    }
    if (dice_chance(d, 0.3)) add_mass(m, m->bodies[bar + n - 1].end[1], draw_mass(m, d));
}

/* Four-bar and five-bar linkages: bars from one pin to another by way of one point more. */
static void draw_linkage(mechanism *m, dice *d, contact *c)
{
    const int    n   = 2 + dice_choice(d, 2);
    const double far = length_of(m, d, 0.5, 2.0);
    int          a = add_fixed(m, (vec){ 0.0, 0.0 }), first = m->npoints;

    for (int k = 0; k < n; k++) {
        const double l = m->length, x = far * (k + 1) / (n + 1);
        const vec    at = dice_vec(d, x - 0.3 * l, x + 0.3 * l, -1.5 * l, -0.3 * l);
        const int    b  = add_point(m, at);
        add_bar(m, a, b, draw_mass(m, d));
        touch_with(c, b);
        a = b;
    }
    add_bar(m, a, add_fixed(m, (vec){ far, 0.0 }), draw_mass(m, d));
    if (dice_chance(d, 0.5)) { /* a point of the coupler */
        const vec    e = vec_minus(m->points[first + 1].at, m->points[first].at);
        const double l = vec_length(e), h = 0.5 * m->length;
        touch_with(c, add_marker(m, 1, dice_vec(d, 0.2 * l, 0.8 * l, -h, h)));
    }
    if (dice_chance(d, 0.5)) draw_spring(m, d, 0, first + n - 1, 0.5 * m->length, 1.5 * m->length);
    double reach = 0.0, low = 0.0; /* of the cranks, and of all at the start */
    for (int k = 0; k < c->n; k++) low = fmin(low, m->points[c->point[k]].at.y);
    for (int k = 0; k < 2; k++) {
        const body *crank = &m->bodies[k * n];
        reach = fmax(reach, vec_length(vec_minus(m->points[crank->end[1]].at, m->points[crank->end[0]].at)));
    }
    put_above(m, 0, c, 0.005 * m->length + dice_between(d, 0.0, 0.4) * fmax(0.0, reach + low));
    if (dice_chance(d, 0.7)) { /* the crank turns, the rest follows */
        const vec    r            = vec_minus(m->points[first].at, m->points[0].at);
        const double rate         = dice_between(d, -2.0, 2.0) / m->time;
        m->points[first].velocity = (vec){ -rate * r.y, rate * r.x };
        m->points[first].moves    = true;
    }
}

/* Bars round a polygon that is not held anywhere. */
static void draw_ring(mechanism *m, dice *d, contact *c)
{
    static const vec corner[6] = { { 1.0, 0.0 },  { 0.5, 0.875 },   { -0.5, 0.875 },
                                   { -1.0, 0.0 }, { -0.5, -0.875 }, { 0.5, -0.875 } };
    const int        n = 3 + dice_choice(d, 4), step = n == 3 ? 2 : 1;
    const vec        u = dice_direction(d, 1.0);
    const double     v = typical_speed(m);

    for (int k = 0; k < n; k++) {
        const vec e = vec_times(length_of(m, d, 0.7, 1.3), corner[k * step + (n == 4 && k > 1)]);
        touch_with(c, add_point(m, vec_turn(u, e)));
    }
    for (int k = 0; k < n; k++) add_bar(m, k, (k + 1) % n, draw_mass(m, d));
    for (int k = 0; n > 3 && k < n / 2; k++) { /* diagonals hold it open */
        if (dice_chance(d, 0.6)) draw_spring(m, d, k, k + 2, m->length, 2.0 * m->length);
    }
    put_above(m, 0, c, length_of(m, d, 0.02, 1.0));
    const vec    fly  = dice_vec(d, -v, v, -v, 0.0);
    const double spin = dice_between(d, -1.0, 1.0) / m->time;
    move_rigidly(m, 0, fly, spin, m->points[0].at);
}

void family_loop(mechanism *m, dice *d)
{
    contact *c = draw_ground(m, d, false);

    if (dice_chance(d, 0.6)) draw_linkage(m, d, c);
    else draw_ring(m, d, c);
}

void draw_leg(mechanism *m, dice *d, contact *c, int torso, int hip, bool knee)
{
    const vec at   = m->points[hip].at;
    const int foot = add_point(m, (vec){ at.x + length_of(m, d, -0.7, 0.7), 0.0 });
    int       from = hip, above = torso;

    if (m->points[hip].marker >= 0) { /* a bar has points of its own */
        from = add_point(m, at);
        add_pin(m, hip, from);
    }
    for (int k = knee ? 0 : 1; k < 2; k++) {
        const vec f = m->points[foot].at;
        const int to =
            k == 1 ? foot : add_point(m, (vec){ 0.5 * (at.x + f.x) + length_of(m, d, -0.3, 0.3), 0.5 * at.y });
        const int    b = add_bar(m, from, to, draw_mass(m, d) * 0.3);
        const double s = draw_stiffness(m, d) * m->length * m->length, damping = draw_damping(m, d, s) * m->length,
                     angle = dice_between(d, -0.2, 0.2);
        if (dice_chance(d, 0.7)) add_torsion(m, b, above, s, damping, angle);
        from  = to;
        above = b;
    }
    touch_with(c, foot);
    if (knee && dice_chance(d, 0.3)) touch_with(c, m->bodies[m->nbodies - 1].end[0]);
}

void family_leg(mechanism *m, dice *d)
{
    contact     *c    = draw_ground(m, d, false);
    const double high = length_of(m, d, 0.6, 1.5), wide = length_of(m, d, 0.5, 1.5);
    const int    a = add_point(m, (vec){ 0.0, high }), b = add_point(m, (vec){ wide, high });
    const double middle = wide * dice_between(d, 0.3, 0.7);
    const int    torso  = draw_rigid(m, d, a, b, (vec){ middle, 0.1 * high });
    const int    legs   = 1 + dice_choice(d, 4);
    const bool   knee   = dice_chance(d, 0.4);
    const int    start  = dice_choice(d, 3);

    for (int k = 0; k < legs; k++) {
        const int hip = k == 0 ? a : k == 1 ? b : add_marker(m, torso, (vec){ wide * dice_between(d, 0.1, 0.9), 0.0 });
        draw_leg(m, d, c, torso, hip, knee);
    }
    if (start == 0) return; /* stands */
    if (start == 1) {       /* drops, turning or not */
        put_above(m, 0, c, length_of(m, d, 0.02, 0.5));
        const double spin = dice_between(d, -1.0, 1.0) / m->time;
        move_rigidly(m, 0, (vec){ 0.0, 0.0 }, dice_chance(d, 0.5) ? spin : 0.0, m->points[0].at);
        return;
    }
    move_rigidly(m, 0, (vec){ typical_speed(m) * dice_between(d, -1.0, 1.0), 0.0 }, 0.0, m->points[0].at); /* slides */
}

/* A box whose lower left corner is at `at`; corners in the order of the drawing: 0 1 below, 3 2 above. */
int draw_box(mechanism *m, dice *d, vec at, vec u, int corner[4], double *height)
{
    const double w = length_of(m, d, 0.4, 1.5), h = length_of(m, d, 0.3, 1.5);

    corner[0]        = add_point(m, at);
    corner[1]        = add_point(m, vec_add(at, vec_times(w, u)));
    const vec centre = dice_vec(d, 0.4 * w, 0.6 * w, 0.3 * h, 0.6 * h);
    const int it     = add_rigid(m, corner[0], corner[1], draw_mass(m, d), centre, 0.29 * sqrt(w * w + h * h));
    corner[2]        = add_marker(m, it, (vec){ w, h });
    corner[3]        = add_marker(m, it, (vec){ 0.0, h });
    *height          = h;
    return it;
}

void family_box(mechanism *m, dice *d)
{
    contact  *c    = draw_ground(m, d, false);
    const int kind = dice_choice(d, 7), start = kind > 3 ? kind - 3 : kind, n = 1 + dice_choice(d, 3); /* 0: rests */
    const vec flat = { 1.0, 0.0 }, u = start == 3 ? dice_direction(d, 1.0) : flat;
    int       corner[4], below[4];
    double    high, top;
    const int box = draw_box(m, d, (vec){ 0.0, 0.0 }, u, corner, &high);

    for (int k = 0; k < 4; k++) touch_with(c, corner[k]);
    if (dice_chance(d, 0.3)) touch_with(c, add_marker(m, box, (vec){ 0.2 * m->length, 0.0 })); /* one foot more */
    const bool stands = start == 3 && dice_chance(d, 0.3); /* on a corner, from rest */
    if (start >= 2) put_above(m, 0, c, stands ? 0.0 : length_of(m, d, 0.02, 1.0));
    top = m->points[corner[3]].at.y;
    for (int k = 1; k < n && start < 2; k++) { /* stacked */
        for (int i = 0; i < 4; i++) below[i] = corner[i];
        draw_box(m, d, (vec){ length_of(m, d, -0.2, 0.2), top }, flat, corner, &high);
        contact *e = add_contact(m, EDGE, d);
        touch_with(e, corner[0]);
        touch_with(e, corner[1]);
        e->line[0] = below[3];
        e->line[1] = below[2];
        top        = m->points[corner[3]].at.y;
    }
    draw_walls(m, d, 0, 0.15);
    if (start == 0 || stands) return;
    const double v    = typical_speed(m);
    const vec    fly  = dice_vec(d, -1.5 * v, 1.5 * v, start == 1 ? 0.0 : -v, 0.0);
    const double spin = dice_between(d, -2.0, 2.0) / m->time;
    move_rigidly(m, 0, fly, start == 3 ? spin : 0.0, m->points[0].at);
}

static void draw_limits(contact *c, dice *d, vec limits)
{
    const int which = dice_choice(d, 3);

    if (which != 0) c->low = limits.x;
    if (which != 1) c->high = limits.y;
}

static void family_stop(mechanism *m, dice *d)
{
    const int n     = 1 + dice_choice(d, 4);
    const int first = draw_chain(m, d, n, (vec){ 0.0, 3.0 * m->length });

    for (int k = 0; k < n; k++) {
        contact *c;
        if (k > 0 && dice_chance(d, 0.4)) continue;
        c          = add_contact(m, ANGLE_STOP, d);
        c->body[0] = first + k;
        c->body[1] = k > 0 ? first + k - 1 : -1;
        draw_limits(c, d, dice_vec(d, -1.0, -0.05, 0.05, 1.0));
    }
    if (dice_chance(d, 0.5)) { /* a mass on a rope at the end */
        const int    tip = m->bodies[first + n - 1].end[1];
        const vec    at  = vec_add(m->points[tip].at, draw_way(m, d, 0.3, 0.6));
        const int    p   = add_point(m, at);
        const double l   = vec_length(vec_minus(at, m->points[tip].at));
        contact     *c   = add_contact(m, LENGTH_STOP, d);
        add_mass(m, p, draw_mass(m, d));
        m->points[p].velocity = m->points[tip].velocity;
        m->points[p].moves    = true;
        touch_with(c, tip);
        touch_with(c, p);
        draw_limits(c, d, dice_vec(d, 0.3 * l, 0.9 * l, 1.05 * l, 1.5 * l));
        if (dice_chance(d, 0.7)) draw_spring(m, d, tip, p, 0.5 * l, 1.2 * l);
    }
    if (dice_chance(d, 0.4)) touch_with(draw_ground(m, d, false), m->bodies[first + n - 1].end[1]);
}

disc draw_disc(mechanism *m, dice *d, vec at, double radius)
{
    disc it = { add_point(m, at), -1, radius };

    if (dice_chance(d, 0.4)) {
        add_mass(m, it.centre, draw_mass(m, d));
    } else {
        const double off = dice_chance(d, 0.7) ? 0.0 : 0.5 * radius;
        const int    rim = add_point(m, vec_add(at, vec_times(0.8 * radius, dice_direction(d, 1.0))));
        it.turns         = add_rigid(m, it.centre, rim, draw_mass(m, d), (vec){ off, 0.0 }, 0.6 * radius);
    }
    return it;
}

static void disc_on_line(mechanism *m, dice *d, const disc *it, vec origin, vec along)
{
    contact *c = add_contact(m, GROUND, d);

    touch_with(c, it->centre);
    c->radius[0] = it->radius;
    c->turns[0]  = it->turns;
    c->origin    = origin;
    c->along     = along;
}

/* Up, until nothing is below a line. */
static void lift_out(mechanism *m)
{
    touch        list[TOUCHES];
    const int    n    = touches_of(m, list);
    const double room = 0.02 * m->length;
    double       up   = 0.0;

    for (int k = 0; k < n; k++) {
        const contact *c = &m->contacts[list[k].contact];
        if (c->kind == GROUND) up = fmax(up, (room - start_gap(m, &list[k])) / c->along.x);
    }
    for (int k = 0; k < m->npoints; k++) m->points[k].at.y += up;
}

void family_discs(mechanism *m, dice *d)
{
    const int    n   = 1 + dice_choice(d, 5);
    const bool   row = dice_chance(d, 0.2), valley = !row && dice_chance(d, 0.6);
    const double v     = typical_speed(m);
    const vec    right = dice_direction(d, 0.4), down = { right.x, -fabs(right.y) };
    disc         it[6];
    double       x = 0.0;

    for (int k = 0; k < n; k++) {
        const double r       = length_of(m, d, 0.2, 0.5);
        const int    first   = m->npoints;
        const vec    at      = { x + r, row ? r : r + length_of(m, d, 0.3, 2.0) + (valley ? 3.0 * m->length : 0.0) };
        it[k]                = draw_disc(m, d, at, r);
        const bool   touches = row && k > 0 && dice_chance(d, 0.7), spins = !row && dice_chance(d, 0.5);
        const double gap = length_of(m, d, 0.02, 0.4), speed = v * dice_between(d, -0.7, 0.7),
                     spin = dice_between(d, -3.0, 3.0) / m->time;
        x += 2.0 * r + (touches ? 0.0 : gap);
        move_rigidly(m, first, (vec){ row && k > 0 ? 0.0 : speed, 0.0 }, spins ? spin : 0.0, at);
    }
    for (int k = 0; k < n; k++) {
        if (valley) {
            disc_on_line(m, d, &it[k], (vec){ 0.5 * x, 0.0 }, down);
            disc_on_line(m, d, &it[k], (vec){ 0.5 * x, 0.0 }, (vec){ down.x, -down.y });
        } else {
            disc_on_line(m, d, &it[k], (vec){ 0.0, 0.0 }, (vec){ 1.0, 0.0 });
        }
        for (int i = 0; i < k; i++) {
            contact *c = add_contact(m, DISCS, d);
            touch_with(c, it[i].centre);
            touch_with(c, it[k].centre);
            c->radius[0] = it[i].radius;
            c->radius[1] = it[k].radius;
            c->turns[0]  = it[i].turns;
            c->turns[1]  = it[k].turns;
        }
    }
    if (valley) lift_out(m);
    for (int side = 0; side < 2 && !valley; side++) {
        const int k = dice_choice(d, n);
        if (!dice_chance(d, 0.3)) continue;
        contact *c   = add_wall(m, d, side == 1, it[k].radius);
        c->radius[0] = it[k].radius;
        c->turns[0]  = it[k].turns;
        touch_with(c, it[k].centre);
    }
}

/* A bar from a pin above that trails or leans on the ground. */
static void draw_dragging(mechanism *m, dice *d, contact *c, double x)
{
    const int pin = add_fixed(m, (vec){ x, length_of(m, d, 0.3, 1.2) });
    const int tip = add_point(m, (vec){ x + length_of(m, d, -1.0, 1.0), 0.0 });

    add_bar(m, pin, tip, draw_mass(m, d));
    const double l      = m->length;
    const int    anchor = add_fixed(m, dice_vec(d, x - 2.0 * l, x + 2.0 * l, 0.5 * l, 1.5 * l));
    draw_spring(m, d, tip, anchor, 0.3 * l, 1.5 * l);
    touch_with(c, tip);
}

void family_slide(mechanism *m, dice *d)
{
    contact   *c    = draw_ground(m, d, false);
    const int  n    = 1 + dice_choice(d, 4);
    const bool goes = dice_chance(d, 0.5);
    int        last = add_fixed(m, (vec){ -2.0 * m->length, length_of(m, d, 0.0, 0.5) });

    for (int k = 0; k < n && c->n < AT_CONTACT - 2; k++) {
        const double x = 2.0 * m->length * k, v = goes ? typical_speed(m) : 0.0;
        const int    first = m->npoints;
        int          corner[4];
        double       high;
        if (dice_chance(d, 0.2)) {
            draw_dragging(m, d, c, x);
            continue;
        }
        if (dice_chance(d, 0.5)) {
            corner[0] = add_point(m, (vec){ x, 0.0 });
            add_mass(m, corner[0], draw_mass(m, d));
            touch_with(c, corner[0]);
        } else {
            draw_box(m, d, (vec){ x, 0.0 }, (vec){ 1.0, 0.0 }, corner, &high);
            touch_with(c, corner[0]);
            touch_with(c, corner[1]);
        }
        move_rigidly(m, first, (vec){ v * dice_between(d, -1.5, 1.5), 0.0 }, 0.0, m->points[first].at);
        if (dice_chance(d, 0.7)) draw_spring(m, d, last, corner[0], m->length, 2.5 * m->length);
        last = corner[0];
    }
    draw_walls(m, d, 0, 0.2);
}

static void place(mechanism *m, dice *d)
{
    const mechanism as_drawn = *m;

    if (can_be_turned(m) && dice_chance(d, 0.5)) {
        do {
            vec u = dice_direction(d, 1.0);
            if (dice_chance(d, 0.5)) u.x = -u.x;
            *m = as_drawn;
            turn(m, u);
        } while (!can_be_written(m));
    }
    if (dice_chance(d, 0.5)) {
        const double far = 10.0 * m->length;
        move(m, dice_vec(d, -far, far, -far, far));
    }
}

/* The law `stick` holds what touches: nothing that touches may slide at the start. */
static void let_slide(mechanism *m)
{
    touch     list[TOUCHES];
    const int n = touches_of(m, list);

    for (int k = 0; k < n; k++) {
        contact *c = &m->contacts[list[k].contact];
        if (c->law != STICK || start_gap(m, &list[k]) > 1e-6 * m->length) continue;
        for (int p = 0; p < m->npoints; p++) {
            if (m->points[p].moves) c->law = SLIDE;
        }
    }
}

void generate(mechanism *m, unsigned long long seed)
{
    static void (*const draw[FAMILIES])(mechanism *, dice *) = {
        family_free,  family_chain,  family_loop,    family_leg,   family_box,   family_stop,   family_discs,
        family_slide, family_stairs, family_terrain, family_track, family_plank, family_bounds, family_soft
    };
    dice       d    = { seed * UINT64_C(0xd1342543de82ef95) + 1 };
    const bool tame = dice_chance(&d, 0.5);

    memset(m, 0, sizeof *m);
    m->seed   = seed;
    m->family = family_of(seed);
    m->length = dice_power(&d, tame ? -2 : -10, tame ? 2 : 10);
    m->mass   = dice_power(&d, tame ? -2 : -10, tame ? 2 : 10);

    const double g = dice_chance(&d, 0.7) ? 9.81 : dice_power(&d, -3, 7);
    m->time        = sqrt(m->length / g);
    m->gravity     = (vec){ 0.0, -g };
    if (dice_chance(&d, 0.4)) m->gravity = vec_turn(dice_direction(&d, 0.25), m->gravity);
    m->duration = m->time * dice_between(&d, 4.0, 12.0);
    m->rtol     = 1e-9;
    draw[m->family](m, &d);
    let_slide(m);
    place(m, &d);
}
