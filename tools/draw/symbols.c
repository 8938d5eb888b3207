/* symbols.c - a mechanism from back to front: what is solid, guides, discs, bodies, springs, joints, what acts. */
#include "tools/draw/symbols.h"

#include <math.h>
#include <stdlib.h>

/* Those of bodies come with them. */
static void draw_point_mass(const pen *p, int item)
{
    if (p->s->items[item].body < 0) draw_centre(p, item);
}

typedef void (*symbol)(const pen *p, int item);

/* By kind, in the order in which they cover each other. */
static const struct {
    sal_drawing_kind kind;
    symbol           draw;
} layers[] = {
    { SAL_DRAW_GROUND, draw_ground },   { SAL_DRAW_EDGE, draw_edge },     { SAL_DRAW_CURVE, draw_curve },
    { SAL_DRAW_SLIDER, draw_guide },    { SAL_DRAW_LIMIT, draw_limit },   { SAL_DRAW_ANGLE, draw_angle },
    { SAL_DRAW_GEAR, draw_gear },       { SAL_DRAW_RACK, draw_rack },     { SAL_DRAW_DISC, draw_disc },
    { SAL_DRAW_SPRING, draw_spring },   { SAL_DRAW_DAMPER, draw_damper }, { SAL_DRAW_BODY, draw_body },
    { SAL_DRAW_TORSION, draw_torsion }, { SAL_DRAW_LINE, draw_rod },      { SAL_DRAW_ROPE, draw_rope },
    { SAL_DRAW_SLIDER, draw_slider },   { SAL_DRAW_POINTS, draw_marks },  { SAL_DRAW_WELD, draw_weld },
    { SAL_DRAW_MASS, draw_point_mass }, { SAL_DRAW_PIN, draw_pin },
};

static const struct {
    sal_drawing_kind kind;
    symbol           draw;
} above[] = { { SAL_DRAW_MOTOR, draw_motor },
              { SAL_DRAW_TORQUE, draw_torque },
              { SAL_DRAW_FORCE, draw_force },
              { SAL_DRAW_CONTACT, draw_contact } };

static void draw_kind(const pen *p, sal_drawing_kind kind, symbol draw)
{
    for (int k = 0; k < p->s->n; k++) {
        if (p->s->items[k].kind == kind) draw(p, k);
    }
}

void draw_mechanism(const pen *p)
{
    for (size_t k = 0; k < sizeof layers / sizeof layers[0]; k++) {
        if (layers[k].kind == SAL_DRAW_SPRING) draw_supports(p);
        draw_kind(p, layers[k].kind, layers[k].draw);
    }
    draw_joints(p);
    for (size_t k = 0; k < sizeof above / sizeof above[0]; k++) draw_kind(p, above[k].kind, above[k].draw);
    if (p->names) draw_names(p);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Small enough for the shorter links. */
double symbol_unit(const stage *s, double scale, double width)
{
    const double usual  = fmin(5.0, fmax(2.6, 0.0066 * width));
    double      *length = calloc((size_t)s->n + 1, sizeof *length), unit = usual;
    int          n = 0;

    for (int k = 0; k < s->n && length && s->nframes; k++) {
        const double(*at)[2] = stage_at(s, &s->frames[0], k);
        if (s->items[k].kind != SAL_DRAW_BODY && s->items[k].kind != SAL_DRAW_LINE) continue;
        length[n++] = scale * hypot(at[1][0] - at[0][0], at[1][1] - at[0][1]);
    }
    if (n) {
        qsort(length, (size_t)n, sizeof *length, compare_numbers);
        unit = fmax(0.45 * usual, fmin(usual, length[n / 4] / 9.0));
    }
    free(length);
    return unit;
}
