/* springs.c - symbols of springs and dampers: the same number of coils at any length. */
#include <math.h>

#include "tools/draw/symbols.h"

/* From the first point of an item to its second: a place with a stretch, for a shape of the length `standard`. That of
 * springs is the largest that they have: strokes are stretched, too, and so are not made thick. */
static pose between(const pen *p, int item, double standard)
{
    const double(*at)[2] = stage_at(p->s, p->f, item);
    const double x = p->scale * (at[1][0] - at[0][0]), y = p->scale * (at[1][1] - at[0][1]), length = hypot(x, y);

    return (pose){ p->scale * at[0][0], p->scale * at[0][1], atan2(y, x), length / standard };
}

/* The least and the largest of its lengths at the times that are drawn [px]. */
static void find_lengths(const pen *p, int item, double *least, double *most)
{
    *least = INFINITY;
    *most  = 0.0;
    for (int k = 0; k < p->s->nframes; k++) {
        const double(*at)[2] = stage_at(p->s, &p->s->frames[k], item);
        const double length  = p->scale * hypot(at[1][0] - at[0][0], at[1][1] - at[0][1]);
        *least               = fmin(*least, length);
        *most                = fmax(*most, length);
    }
}

/* A spring and a damper of one element between the same points stand beside each other: the offset of this one. */
static double offset_of(const pen *p, int item)
{
    const sal_drawing *d = &p->s->items[item];

    for (int k = item - 1; k <= item + 1; k += 2) {
        const sal_drawing *other = k >= 0 && k < p->s->n ? &p->s->items[k] : NULL;
        if (!other || other->element != d->element || other->kind == d->kind) continue;
        if (other->kind == SAL_DRAW_SPRING) return -PAIR_OFFSET * p->unit;
        if (other->kind == SAL_DRAW_DAMPER) return PAIR_OFFSET * p->unit;
    }
    return 0.0;
}

/* Where the parts of a pair part and join: at so much of the length from either end. */
#define PAIR_FROM 0.08

void draw_spring(const pen *p, int item)
{
    double least, most;

    find_lengths(p, item, &least, &most);
    const double standard = fmax(most, p->unit), w = SPRING_WIDTH * p->unit, offset = offset_of(p, item);
    const double from = (offset != 0.0 ? 0.14 : 0.1) * standard, coil = (standard - 2.0 * from) / SPRING_COILS;

    list_path(p->l, INK_SPRING, between(p, item, standard));
    list_move(p->l, 0.0, 0.0);
    if (offset != 0.0) {
        list_line(p->l, PAIR_FROM * standard, 0.0);
        list_line(p->l, PAIR_FROM * standard, offset);
    }
    list_line(p->l, from, offset);
    for (int k = 0; k < SPRING_COILS; k++) {
        list_line(p->l, from + (k + 0.25) * coil, offset + w);
        list_line(p->l, from + (k + 0.75) * coil, offset - w);
    }
    list_line(p->l, standard - from, offset);
    if (offset != 0.0) {
        list_line(p->l, (1.0 - PAIR_FROM) * standard, offset);
        list_line(p->l, (1.0 - PAIR_FROM) * standard, 0.0);
    }
    list_line(p->l, standard, 0.0);
}

/* How far the piston of a damper is from its second point, for the least of its lengths. */
static double piston_of(const pen *p, double least)
{
    return fmax(0.5 * least, 0.7 * least - 1.2 * p->unit) - 0.1 * least;
}

/* A cylinder that goes with the first point and a piston that goes with the second, which stays in it from the least
 * length to the largest. Where there is no room for that, both are stretched. */
void draw_damper(const pen *p, int item)
{
    const double u = p->unit, w = DAMPER_WIDTH * u, offset = offset_of(p, item), gap = 1.2 * u;
    double       least, most, start, piston, end, length;
    pose         at = between(p, item, 1.0), rod;

    find_lengths(p, item, &least, &most);
    length     = at.stretch;
    at.stretch = 1.0;
    if (most - piston_of(p, least) > 0.9 * least) least = most = length;
    start  = 0.3 * least;
    piston = piston_of(p, least);
    end    = fmin(fmax(most - piston + gap, 0.65 * least), 0.9 * least);
    list_path(p->l, INK_SPRING, at);
    list_move(p->l, 0.0, 0.0);
    if (offset != 0.0) {
        list_line(p->l, PAIR_FROM * least, 0.0);
        list_line(p->l, PAIR_FROM * least, offset);
    }
    list_line(p->l, start, offset);
    list_move(p->l, end, offset + w);
    list_line(p->l, start, offset + w);
    list_line(p->l, start, offset - w);
    list_line(p->l, end, offset - w);
    rod   = at;
    rod.x = at.x + length * cos(at.angle);
    rod.y = at.y + length * sin(at.angle);
    list_path(p->l, INK_SPRING, rod);
    list_move(p->l, 0.0, 0.0);
    if (offset != 0.0) {
        list_line(p->l, -PAIR_FROM * least, 0.0);
        list_line(p->l, -PAIR_FROM * least, offset);
    }
    list_line(p->l, -piston, offset);
    list_move(p->l, -piston, offset + 0.8 * w);
    list_line(p->l, -piston, offset - 0.8 * w);
}

/* A spiral from the direction of the reference to that of the body. */
void draw_torsion(const pen *p, int item)
{
    enum { PARTS = 60 };
    const sal_drawing_state *s = &p->f->state[item];
    const double(*at)[2]       = stage_at(p->s, p->f, item);
    const double from = s->reference, sweep = 4.0 * M_PI + remainder(s->angle - s->reference, 2.0 * M_PI);

    list_path(p->l, INK_SPRING, place_at(p->scale * at[0][0], p->scale * at[0][1], 0.0));
    for (int k = 0; k <= PARTS; k++) {
        const double r = p->unit * (1.2 + 3.0 * k / PARTS), angle = from + sweep * k / PARTS;
        if (k == 0) list_move(p->l, r * cos(angle), r * sin(angle));
        else list_line(p->l, r * cos(angle), r * sin(angle));
    }
}
