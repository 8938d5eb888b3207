/* vary.c - see vary.h. */
#include <string.h>

#include "tests/property/vary.h"

void move(mechanism *m, vec by)
{
    for (int k = 0; k < m->npoints; k++) m->points[k].at = vec_add(m->points[k].at, by);
    for (int k = 0; k < m->ncontacts; k++) {
        contact *c = &m->contacts[k];
        c->origin  = vec_add(c->origin, by);
        for (int i = 0; i < c->ncorners; i++) c->corner[i] = vec_add(c->corner[i], by);
    }
}

void turn(mechanism *m, vec u)
{
    m->gravity = vec_turn(u, m->gravity);
    for (int k = 0; k < m->npoints; k++) {
        point *p    = &m->points[k];
        p->at       = vec_turn(u, p->at);
        p->velocity = vec_turn(u, p->velocity);
    }
    for (int k = 0; k < m->ncontacts; k++) {
        contact *c = &m->contacts[k];
        c->origin  = vec_turn(u, c->origin);
        c->along   = vec_turn(u, c->along);
        for (int i = 0; i < c->ncorners; i++) c->corner[i] = vec_turn(u, c->corner[i]);
    }
}

static vec mirrored(vec a)
{
    return (vec){ -a.x, a.y };
}

void mirror(mechanism *m)
{
    m->gravity.x = -m->gravity.x;
    for (int k = 0; k < m->npoints; k++) {
        point *p    = &m->points[k];
        p->at       = mirrored(p->at);
        p->velocity = mirrored(p->velocity);
        p->local.y  = -p->local.y;
    }
    for (int k = 0; k < m->nbodies; k++) m->bodies[k].centre.y = -m->bodies[k].centre.y;
    for (int k = 0; k < m->njoints; k++) m->joints[k].angle = -m->joints[k].angle;
    for (int k = 0; k < m->ncontacts; k++) {
        contact     *c   = &m->contacts[k];
        const int    end = c->line[0];
        const double low = c->low, from = c->from;
        const int    n = c->ncorners;
        c->origin      = mirrored(c->origin);
        c->along.y     = -c->along.y; /* the other way along it, so that the left is free again */
        c->wave        = -c->wave;
        c->line[0]     = c->line[1];
        c->line[1]     = end;
        c->from        = -c->to;
        c->to          = -from;
        for (int i = 0; i < n / 2; i++) { /* the other way along it, too */
            const vec first      = c->corner[i];
            c->corner[i]         = c->corner[n - 1 - i];
            c->corner[n - 1 - i] = first;
        }
        for (int i = 0; i < n; i++) c->corner[i] = mirrored(c->corner[i]);
        if (c->kind != ANGLE_STOP) continue;
        c->low  = -c->high;
        c->high = -low;
    }
}

/* --------------------------------------------------------------------------------------------------- order */

/* at[k] is where k goes. */
static void shuffle(dice *d, int n, int *at)
{
    for (int k = 0; k < n; k++) at[k] = k;
    for (int k = n - 1; k > 0; k--) {
        const int i = dice_choice(d, k + 1), a = at[k];
        at[k] = at[i];
        at[i] = a;
    }
}

static int moved_to(const int *at, int k)
{
    return k < 0 ? k : at[k];
}

void reorder(mechanism *m, dice *d)
{
    const mechanism was = *m;
    int             p[POINTS], b[BODIES], j[JOINTS], c[CONTACTS];

    shuffle(d, m->npoints, p);
    shuffle(d, m->nbodies, b);
    shuffle(d, m->njoints, j);
    shuffle(d, m->ncontacts, c);
    for (int k = 0; k < m->npoints; k++) {
        m->points[p[k]]        = was.points[k];
        m->points[p[k]].marker = moved_to(b, was.points[k].marker);
    }
    for (int k = 0; k < m->nbodies; k++) {
        m->bodies[b[k]] = was.bodies[k];
        for (int i = 0; i < 2; i++) m->bodies[b[k]].end[i] = p[was.bodies[k].end[i]];
    }
    for (int k = 0; k < m->njoints; k++) {
        m->joints[j[k]] = was.joints[k];
        for (int i = 0; i < 2; i++) {
            m->joints[j[k]].end[i]  = moved_to(p, was.joints[k].end[i]);
            m->joints[j[k]].body[i] = moved_to(b, was.joints[k].body[i]);
        }
    }
    for (int k = 0; k < m->ncontacts; k++) {
        contact *to = &m->contacts[c[k]];
        int      at[AT_CONTACT];
        *to = was.contacts[k];
        for (int i = 0; i < 2; i++) {
            to->line[i]  = moved_to(p, to->line[i]);
            to->turns[i] = moved_to(b, to->turns[i]);
            to->body[i]  = moved_to(b, to->body[i]);
        }
        shuffle(d, to->n, at);
        if (to->kind == DISCS || to->kind == LENGTH_STOP) at[0] = 0, at[1] = 1; /* each has its radius */
        for (int i = 0; i < to->n && to->outline; i++) at[i] = i;
        for (int i = 0; i < to->n; i++) to->point[at[i]] = p[was.contacts[k].point[i]];
    }
}

void reverse(mechanism *m, dice *d)
{
    for (int k = 0; k < m->nbodies; k++) {
        body        *b = &m->bodies[k];
        const int    a = b->end[0];
        const double l = vec_length(vec_minus(m->points[b->end[1]].at, m->points[a].at));
        if (b->kind == POINT_MASS || dice_chance(d, 0.3)) continue;
        b->end[0] = b->end[1];
        b->end[1] = a;
        b->centre = (vec){ l - b->centre.x, -b->centre.y };
        for (int i = 0; i < m->npoints; i++) {
            vec *local = &m->points[i].local;
            if (m->points[i].marker == k) *local = (vec){ l - local->x, -local->y };
        }
    }
}

/* ----------------------------------------------------------------------------------------------------- size */

void scale(mechanism *m, double length, double mass)
{
    m->length *= length;
    m->mass *= mass;
    m->gravity = vec_times(length, m->gravity);
    for (int k = 0; k < m->npoints; k++) {
        point *p    = &m->points[k];
        p->at       = vec_times(length, p->at);
        p->velocity = vec_times(length, p->velocity);
        p->local    = vec_times(length, p->local);
    }
    for (int k = 0; k < m->nbodies; k++) {
        m->bodies[k].mass *= mass;
        m->bodies[k].inertia *= mass * length * length;
        m->bodies[k].centre = vec_times(length, m->bodies[k].centre);
    }
    for (int k = 0; k < m->njoints; k++) {
        joint       *j      = &m->joints[k];
        const double torque = j->kind == TORSION ? length * length : 1.0;
        j->stiffness *= mass * torque;
        j->damping *= mass * torque;
        j->length *= length;
    }
    for (int k = 0; k < m->ncontacts; k++) {
        contact     *c     = &m->contacts[k];
        const double limit = c->kind == ANGLE_STOP ? 1.0 : length;
        c->rest *= limit;
        c->low *= limit;
        c->high *= limit;
        c->radius[0] *= length;
        c->radius[1] *= length;
        c->origin = vec_times(length, c->origin);
        c->height *= length;
        c->circle *= length;
        c->from *= length;
        c->to *= length;
        for (int i = 0; i < c->ncorners; i++) c->corner[i] = vec_times(length, c->corner[i]);
        c->stiffness *= mass * length / pow(length, c->exponent);
        c->damping /= length;
        c->slip_speed *= length;
        c->wave /= length;
    }
}

/* ------------------------------------------------------------------------------------------------- otherwise */

static double changed(dice *d, double part)
{
    const double size = dice_between(d, 0.3, 1.0);

    return dice_chance(d, 0.5) ? 1.0 + part * size : 1.0 - part * size;
}

static bool touches_at_start(const mechanism *m)
{
    touch     list[TOUCHES];
    const int n = touches_of(m, list);

    for (int k = 0; k < n; k++) {
        if (start_gap(m, &list[k]) < 1e-6 * m->length) return true;
    }
    return false;
}

void perturb(mechanism *m, dice *d, double part)
{
    const double faster = changed(d, part);
    const bool   flies  = !touches_at_start(m);

    const double along = changed(d, part), across = changed(d, part) - 1.0;
    const vec    g = m->gravity;
    m->gravity     = (vec){ g.x * along - g.y * across, g.y * along + g.x * across };
    for (int k = 0; k < m->npoints; k++) m->points[k].velocity = vec_times(faster, m->points[k].velocity);
    for (int k = 0; k < m->nbodies; k++) {
        m->bodies[k].mass *= changed(d, part);
        m->bodies[k].inertia *= changed(d, part);
    }
    for (int k = 0; k < m->njoints; k++) {
        m->joints[k].stiffness *= changed(d, part);
        m->joints[k].damping *= changed(d, part);
        m->joints[k].length *= changed(d, part);
    }
    for (int k = 0; k < m->ncontacts; k++) {
        contact   *c     = &m->contacts[k];
        const bool equal = c->mu_static == c->mu_kinetic;
        c->restitution   = fmin(1.0, c->restitution * changed(d, part));
        c->mu_kinetic *= changed(d, part);
        c->mu_static = equal ? c->mu_kinetic : fmax(c->mu_kinetic, c->mu_static * changed(d, part));
        if (!flies) continue;
        c->origin =
            vec_add(c->origin, vec_times(m->length * (changed(d, part) - 1.0), (vec){ -c->along.y, c->along.x }));
        c->low *= changed(d, part);
        c->high *= changed(d, part);
        if (!isnan(c->from)) c->from *= changed(d, part), c->to *= changed(d, part);
        if (c->kind != LINE && c->kind != CIRCLE) continue;
        const double aside = m->length * (changed(d, part) - 1.0), up = m->length * (changed(d, part) - 1.0);
        for (int i = 0; i < c->ncorners; i++) c->corner[i] = vec_add(c->corner[i], (vec){ aside, up });
        c->circle *= changed(d, part);
    }
}
