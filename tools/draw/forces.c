/* forces.c - symbols of what acts: forces, torques, motors, contacts. */
#include <math.h>

#include "tools/draw/symbols.h"

/* An arrow that begins at a place [m], along a force; hidden where there is none to speak of. */
static void draw_arrow(const pen *p, const double at[2], const double force[2])
{
    const double size = p->newton * hypot(force[0], force[1]), head = fmin(HEAD_LENGTH * p->unit, 0.6 * size);
    const double angle = atan2(force[1], force[0]), x = p->scale * at[0], y = p->scale * at[1];
    const bool   hidden = !(size > 0.3 * p->unit);

    list_path(p->l, INK_FORCE, (pose){ x, y, angle, 0.01 * fmax(0.0, size - head) });
    list_move(p->l, 0.0, 0.0);
    list_line(p->l, 100.0, 0.0);
    list_hide(p->l, hidden);
    list_path(p->l, INK_HEAD, place_at(x + size * cos(angle), y + size * sin(angle), angle));
    list_move(p->l, 0.0, 0.0);
    list_line(p->l, -HEAD_LENGTH * p->unit, HEAD_WIDTH * p->unit);
    list_line(p->l, -HEAD_LENGTH * p->unit, -HEAD_WIDTH * p->unit);
    list_close(p->l);
    list_hide(p->l, hidden);
}

double largest_force(const stage *s, bool contacts)
{
    double largest = 0.0;

    for (int f = 0; f < s->nframes; f++) {
        for (int k = 0; k < s->n; k++) {
            const double *force = s->frames[f].state[k].force;
            if (s->items[k].kind == SAL_DRAW_CONTACT && !contacts) continue;
            if (isfinite(force[0]) && isfinite(force[1])) largest = fmax(largest, hypot(force[0], force[1]));
        }
    }
    return largest;
}

void draw_force(const pen *p, int item)
{
    draw_arrow(p, stage_at(p->s, p->f, item)[0], p->f->state[item].force);
}

void draw_contact(const pen *p, int item)
{
    const sal_drawing_state *s = &p->f->state[item];

    list_circle(p->l, INK_TOUCH, place_at(p->scale * s->place[0], p->scale * s->place[1], 0.0), 0.7 * p->unit);
    list_hide(p->l, !(hypot(s->force[0], s->force[1]) > 0.0));
    if (p->forces) draw_arrow(p, s->place, s->force);
}

/* An arc round a joint with a head, clockwise or not; the gap is below. */
static void draw_round(const pen *p, pose at, bool clockwise, bool hidden)
{
    const double r = TORQUE_RADIUS * p->unit, tail = clockwise ? 1.25 * M_PI : -0.25 * M_PI;
    const double head = clockwise ? -0.1 * M_PI : 1.1 * M_PI,
                 tip  = head + (clockwise ? -1.0 : 1.0) * HEAD_LENGTH / TORQUE_RADIUS;
    const double in = r - HEAD_WIDTH * p->unit, out = r + HEAD_WIDTH * p->unit;

    list_path(p->l, INK_FORCE, at);
    list_move(p->l, r * cos(tail), r * sin(tail));
    list_arc(p->l, clockwise ? -r : r, true, r * cos(head), r * sin(head));
    list_hide(p->l, hidden);
    list_path(p->l, INK_HEAD, at);
    list_move(p->l, in * cos(head), in * sin(head));
    list_line(p->l, r * cos(tip), r * sin(tip));
    list_line(p->l, out * cos(head), out * sin(head));
    list_close(p->l);
    list_hide(p->l, hidden);
}

void draw_torque(const pen *p, int item)
{
    const double(*at)[2] = stage_at(p->s, p->f, item);
    const double torque  = p->f->state[item].torque;
    const pose   where   = place_at(p->scale * at[0][0], p->scale * at[0][1], 0.0);

    draw_round(p, where, false, !(torque > 0.0));
    draw_round(p, where, true, !(torque < 0.0));
}

/* Round the joint that it turns, the way it turns it; both ways where it stands still. What it leads along a line has a
 * ring. */
void draw_motor(const pen *p, int item)
{
    const sal_drawing *d = &p->s->items[item];
    const double(*at)[2] = stage_at(p->s, p->f, item);
    const bool hidden    = !p->f->state[item].holds;

    if (d->body >= 0) {
        const pose   where = place_at(p->scale * at[0][0], p->scale * at[0][1], 0.0);
        const double way   = p->f->state[item].rate;
        draw_round(p, where, false, hidden || way < 0.0);
        draw_round(p, where, true, hidden || way > 0.0);
        return;
    }
    if (d->npoints == 2) draw_damper(p, item);
    for (int k = 0; k < d->npoints && d->npoints != 2; k++) {
        list_circle(p->l, INK_FORCE, place_at(p->scale * at[k][0], p->scale * at[k][1], 0.0), 1.9 * p->unit);
        list_hide(p->l, hidden);
    }
}
