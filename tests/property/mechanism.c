/* mechanism.c - what mechanisms have in common: their touches, gaps at the start, size. */
#include <stdarg.h>

#include "tests/property/places.h"

#define FAMILY_NAME(name, text) #name,
#define FAMILY_TEXT(name, text) text,
const char *const family_names[FAMILIES] = { FAMILY_LIST(FAMILY_NAME) };
const char *const family_texts[FAMILIES] = { FAMILY_LIST(FAMILY_TEXT) };

family family_of(unsigned long long seed)
{
    const int first = FAMILY_stairs;

    return (family)(seed < SECOND ? seed % first : first + seed % (FAMILIES - first));
}

bool has_limit(const contact *c, int k)
{
    return !isnan(k == 0 ? c->low : c->high);
}

bool has_friction(const contact *c)
{
    return (c->law == IMPACT || c->law == COMPLIANT) && c->kind != ANGLE_STOP && c->kind != LENGTH_STOP;
}

bool is_rigid(const contact *c)
{
    return c->law != COMPLIANT;
}

bool has_outputs(const contact *c)
{
    return c->kind != LINE && c->kind != CIRCLE && !c->ends;
}

bool is_bounded(const contact *c)
{
    return c->ends || !isnan(c->from) || !isnan(c->off);
}

typedef struct list {
    touch *at;
    int    n;
} list;

static void add(list *l, int of, int k, touch_part part, const char *format, ...)
{
    va_list arguments;
    touch  *t = &l->at[l->n];

    if (l->n == TOUCHES) return;
    *t = (touch){ .contact = of, .k = k, .part = part };
    va_start(arguments, format);
    vsnprintf(t->name, sizeof t->name, format, arguments);
    va_end(arguments);
    l->n++;
}

static void add_limits(const mechanism *m, int k, list *l)
{
    const contact *c    = &m->contacts[k];
    const bool     both = has_limit(c, 0) && has_limit(c, 1);

    for (int i = 0; i < 2; i++) {
        if (has_limit(c, i)) add(l, k, i, WHOLE, "%s%s", c->name, !both ? "" : i == 0 ? ".min" : ".max");
    }
}

/* contacts/README.md: two of a point, three and two of a disc, three of an edge, and no more than there are parts. */
static void add_on_line(const mechanism *m, int k, list *l)
{
    const contact *c = &m->contacts[k];

    for (int i = 0; i < c->n; i++) {
        const char *P = m->points[c->point[i]].name, *Q = m->points[c->point[(i + 1) % c->n]].name;
        const bool  disc = c->radius[0] > 0.0;
        for (int s = 1; s <= (disc ? 3 : 2) && s < c->ncorners; s++)
            add(l, k, i, ON_SEGMENT, "%s.%s_%d", c->name, P, s);
        for (int s = 1; s <= 2 && disc; s++) add(l, k, i, ON_CORNER, "%s.%s_corner%d", c->name, P, s);
        for (int s = 1; s <= 3 && s <= c->ncorners && c->outline; s++)
            add(l, k, i, WITH_EDGE, "%s.%s_%s_%d", c->name, P, Q, s);
    }
}

static void add_points(const mechanism *m, int k, list *l)
{
    const contact *c = &m->contacts[k];

    for (int i = 0; i < c->n; i++) {
        const char *P    = m->points[c->point[i]].name;
        const bool  many = c->n > 1;
        add(l, k, i, WHOLE, "%s%s%s", c->name, many ? "." : "", many ? P : "");
        for (int end = 0; end < 2 && c->kind == EDGE && c->ends && c->radius[0] > 0.0; end++)
            add(l, k, i, end ? AT_END : AT_START, "%s.%s%s%s", c->name, many ? P : "", many ? "_" : "",
                end ? "end" : "start");
    }
}

int touches_of(const mechanism *m, touch at[TOUCHES])
{
    list l = { at, 0 };

    for (int k = 0; k < m->ncontacts; k++) {
        const contact *c = &m->contacts[k];
        switch (c->kind) {
        case ANGLE_STOP:
        case LENGTH_STOP: add_limits(m, k, &l); break;
        case DISCS: add(&l, k, 0, WHOLE, "%s", c->name); break;
        case LINE: add_on_line(m, k, &l); break;
        default: add_points(m, k, &l); break;
        }
    }
    return l.n;
}

double start_gap(const mechanism *m, const touch *t)
{
    const contact *c = &m->contacts[t->contact];
    const vec      p = m->points[c->kind == ANGLE_STOP ? 0 : c->point[t->k]].at;

    switch (c->kind) {
    case GROUND:
        if (c->wave != 0.0) return p.y - c->origin.y - c->height * sin(c->wave * (p.x - c->origin.x)); /* or more */
        return vec_cross(c->along, vec_minus(p, c->origin)) - c->radius[0];
    case EDGE: {
        const vec a = m->points[c->line[0]].at, d = vec_minus(m->points[c->line[1]].at, a);
        return vec_cross(d, vec_minus(p, a)) / vec_length(d) - c->radius[0];
    }
    case DISCS:
        return vec_length(vec_minus(m->points[c->point[1]].at, m->points[c->point[0]].at)) - c->radius[0] -
               c->radius[1];
    case LENGTH_STOP: {
        const double l = vec_length(vec_minus(m->points[c->point[1]].at, m->points[c->point[0]].at));
        return t->k == 0 ? l - c->low : c->high - l;
    }
    case ANGLE_STOP: return t->k == 0 ? -c->low : c->high;
    case LINE: return line_clearance(c, p, NULL) - c->radius[0];
    case CIRCLE: return circle_gap(c, p);
    }
    return 0.0;
}

bool can_be_turned(const mechanism *m)
{
    for (int k = 0; k < m->ncontacts; k++) {
        if (m->contacts[k].kind == GROUND && m->contacts[k].wave != 0.0) return false;
    }
    return true;
}

bool can_be_written(const mechanism *m)
{
    for (int k = 0; k < m->ncontacts; k++) {
        const contact *c = &m->contacts[k];
        if (c->kind == GROUND && (fabs(c->along.x) < 0.1 || (c->wave != 0.0 && c->along.y != 0.0))) return false;
    }
    return true;
}

double mechanism_size(const mechanism *m)
{
    vec    middle = { 0.0, 0.0 };
    double size   = m->length;

    for (int k = 0; k < m->npoints; k++) middle = vec_add(middle, vec_times(1.0 / m->npoints, m->points[k].at));
    for (int k = 0; k < m->npoints; k++) size = fmax(size, vec_length(vec_minus(m->points[k].at, middle)));
    return size;
}

double mechanism_far(const mechanism *m)
{
    double far = m->length;

    for (int k = 0; k < m->npoints; k++) far = fmax(far, vec_length(m->points[k].at));
    return far;
}
