/* mechanism.c - what mechanisms have in common: their touches, gaps at the start, size. */
#include "tests/property/mechanism.h"

#define FAMILY_NAME(name, text) #name,
#define FAMILY_TEXT(name, text) text,
const char *const family_names[FAMILIES] = { FAMILY_LIST(FAMILY_NAME) };
const char *const family_texts[FAMILIES] = { FAMILY_LIST(FAMILY_TEXT) };

bool has_limit(const contact *c, int k)
{
    return !isnan(k == 0 ? c->low : c->high);
}

bool has_friction(const contact *c)
{
    return c->law == IMPACT && c->kind != ANGLE_STOP && c->kind != LENGTH_STOP;
}

int touches_of(const mechanism *m, touch list[TOUCHES])
{
    int n = 0;

    for (int k = 0; k < m->ncontacts; k++) {
        const contact *c    = &m->contacts[k];
        const bool     stop = c->kind == ANGLE_STOP || c->kind == LENGTH_STOP;
        const bool     both = stop && has_limit(c, 0) && has_limit(c, 1);
        const int      most = stop ? 2 : c->kind == DISCS ? 1 : c->n;
        for (int i = 0; i < most && n < TOUCHES; i++) {
            touch *t = &list[n];
            if (stop && !has_limit(c, i)) continue;
            *t = (touch){ .contact = k, .k = i };
            if (both) snprintf(t->name, sizeof t->name, "%s.%s", c->name, i == 0 ? "min" : "max");
            else if (!stop && c->kind != DISCS && c->n > 1)
                snprintf(t->name, sizeof t->name, "%s.%s", c->name, m->points[c->point[i]].name);
            else snprintf(t->name, sizeof t->name, "%s", c->name);
            n++;
        }
    }
    return n;
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
