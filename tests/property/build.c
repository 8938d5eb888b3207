/* build.c - see build.h. Names are made of a letter and a number: they stay when the order changes. */
#include <string.h>

#include "tests/property/build.h"

static int new_point(mechanism *m, vec at)
{
    point *p = &m->points[m->npoints];

    *p = (point){ .at = at, .marker = -1 };
    snprintf(p->name, sizeof p->name, "P%d", m->npoints);
    return m->npoints++;
}

int add_point(mechanism *m, vec at)
{
    return new_point(m, at);
}

int add_fixed(mechanism *m, vec at)
{
    const int k = new_point(m, at);

    m->points[k].fixed = true;
    return k;
}

int add_marker(mechanism *m, int owner, vec local)
{
    const body  *b = &m->bodies[owner];
    const vec    a = m->points[b->end[0]].at, d = vec_minus(m->points[b->end[1]].at, a);
    const double l = vec_length(d);
    const int    k = new_point(m, vec_add(a, vec_turn((vec){ d.x / l, d.y / l }, local)));

    m->points[k].marker = owner;
    m->points[k].local  = local;
    return k;
}

static int new_body(mechanism *m, body_kind kind, int a, int b, double mass)
{
    body *it = &m->bodies[m->nbodies];

    *it = (body){ .kind = kind, .end = { a, b }, .mass = mass };
    snprintf(it->name, sizeof it->name, "B%d", m->nbodies);
    return m->nbodies++;
}

int add_mass(mechanism *m, int p, double mass)
{
    return new_body(m, POINT_MASS, p, p, mass);
}

int add_bar(mechanism *m, int a, int b, double mass)
{
    return new_body(m, BAR, a, b, mass);
}

int add_rigid(mechanism *m, int a, int b, double mass, vec centre, double gyration)
{
    const int k = new_body(m, RIGID, a, b, mass);

    m->bodies[k].centre  = centre;
    m->bodies[k].inertia = mass * gyration * gyration;
    return k;
}

static joint *new_joint(mechanism *m, joint_kind kind)
{
    joint *j = &m->joints[m->njoints];

    *j = (joint){ .kind = kind, .end = { -1, -1 }, .body = { -1, -1 } };
    snprintf(j->name, sizeof j->name, "J%d", m->njoints);
    m->njoints++;
    return j;
}

int add_spring(mechanism *m, int a, int b, double stiffness, double damping, double length)
{
    joint *j = new_joint(m, SPRING);

    j->end[0]    = a;
    j->end[1]    = b;
    j->stiffness = stiffness;
    j->damping   = damping;
    j->length    = length;
    return m->njoints - 1;
}

int add_torsion(mechanism *m, int b, int reference, double stiffness, double damping, double angle)
{
    joint *j = new_joint(m, TORSION);

    j->body[0]   = b;
    j->body[1]   = reference;
    j->stiffness = stiffness;
    j->damping   = damping;
    j->angle     = angle;
    return m->njoints - 1;
}

int add_pin(mechanism *m, int a, int b)
{
    joint *j = new_joint(m, REVOLUTE);

    j->end[0] = a;
    j->end[1] = b;
    return m->njoints - 1;
}

int add_rod(mechanism *m, int a, int b)
{
    joint *j = new_joint(m, ROD);

    j->end[0] = a;
    j->end[1] = b;
    return m->njoints - 1;
}

static void draw_law(const mechanism *m, contact *c, dice *d)
{
    const bool stop = c->kind == ANGLE_STOP || c->kind == LENGTH_STOP;
    const int  kind = dice_choice(d, 10), bounce = dice_choice(d, 20), rough = dice_choice(d, 8);

    c->law         = kind == 0 && !stop ? STICK : kind == 1 ? SLIDE : IMPACT;
    c->restitution = bounce < 7 ? 0.0 : bounce == 7 ? 1.0 : dice_between(d, 0.0, 1.0);
    c->mu_kinetic  = rough == 0 ? 0.0 : dice_between(d, 0.0, 1.5);
    c->mu_static   = c->mu_kinetic * (dice_chance(d, 0.5) ? 1.0 : dice_between(d, 1.0, 1.5));
    c->rest        = 1e-4 * (c->kind == ANGLE_STOP ? 1.0 / m->time : typical_speed(m));
}

contact *add_contact(mechanism *m, contact_kind kind, dice *d)
{
    contact *c = &m->contacts[m->ncontacts];

    *c = (contact){ .kind  = kind,
                    .along = { 1.0, 0.0 },
                    .turns = { -1, -1 },
                    .body  = { -1, -1 },
                    .low   = NAN,
                    .high  = NAN,
                    .from  = NAN,
                    .to    = NAN,
                    .off   = NAN,
                    .on    = NAN };
    snprintf(c->name, sizeof c->name, "C%d", m->ncontacts);
    draw_law(m, c, d);
    m->ncontacts++;
    return c;
}

void touch_with(contact *c, int p)
{
    if (c->n < AT_CONTACT) c->point[c->n++] = p;
}

void move_rigidly(mechanism *m, int first, vec v, double rate, vec pivot)
{
    for (int k = first; k < m->npoints; k++) {
        point    *p = &m->points[k];
        const vec r = vec_minus(p->at, pivot);
        if (p->fixed) continue;
        p->velocity = vec_add(v, (vec){ -rate * r.y, rate * r.x });
        p->moves    = p->marker < 0;
    }
}

void put_above(mechanism *m, int first, const contact *c, double clearance)
{
    double low = HUGE_VAL;

    for (int k = 0; k < c->n; k++) {
        if (c->point[k] >= first) low = fmin(low, m->points[c->point[k]].at.y);
    }
    for (int k = first; k < m->npoints; k++) m->points[k].at.y += clearance - low;
}

double draw_mass(const mechanism *m, dice *d)
{
    return m->mass * (dice_chance(d, 0.1) ? dice_power(d, -8, 8) : dice_power(d, -2, 2));
}

double draw_stiffness(const mechanism *m, dice *d)
{
    return m->mass * vec_length(m->gravity) / m->length * dice_power(d, -1, 7);
}

double draw_damping(const mechanism *m, dice *d, double stiffness)
{
    return dice_chance(d, 0.5) ? 0.0 : dice_between(d, 0.0, 0.5) * sqrt(stiffness * m->mass);
}

double typical_speed(const mechanism *m)
{
    return m->length / m->time;
}
