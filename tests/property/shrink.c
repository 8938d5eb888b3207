/* shrink.c - see shrink.h. Contacts, points of contacts, joints, bodies and velocities are left out one after the
 * other, and the duration is halved, again and again, until nothing more can go. With a body go the points that nothing
 * else has, and all that used them. */
#include <string.h>

#include "tests/property/report.h"
#include "tests/property/shrink.h"

static void remove_at(void *list, int *n, int k, size_t size)
{
    char *at = (char *)list + (size_t)k * size;

    memmove(at, at + size, (size_t)(*n - k - 1) * size);
    (*n)--;
}

static void drop_joint(mechanism *m, int k)
{
    remove_at(m->joints, &m->njoints, k, sizeof *m->joints);
}

static void drop_contact(mechanism *m, int k)
{
    remove_at(m->contacts, &m->ncontacts, k, sizeof *m->contacts);
}

/* Of a list of points that touch; false: the contact cannot do without. */
static bool drop_touch(contact *c, int i)
{
    if (c->kind == DISCS || c->kind == LENGTH_STOP || c->kind == ANGLE_STOP || c->n == 1) return false;
    remove_at(c->point, &c->n, i, sizeof *c->point);
    return true;
}

static bool carried(const mechanism *m, int p)
{
    if (m->points[p].fixed || m->points[p].marker >= 0) return true;
    for (int k = 0; k < m->nbodies; k++) {
        if (m->bodies[k].end[0] == p || m->bodies[k].end[1] == p) return true;
    }
    return false;
}

static bool gone(const mechanism *m, int p)
{
    return p >= 0 && (!carried(m, p) || m->points[p].marker == BODIES);
}

static bool joint_is_left(const mechanism *m, const joint *j)
{
    return !gone(m, j->end[0]) && !gone(m, j->end[1]) && j->body[0] != BODIES && j->body[1] != BODIES;
}

static bool contact_is_left(const mechanism *m, const contact *c)
{
    if (c->kind == ANGLE_STOP) return c->body[0] != BODIES && c->body[1] != BODIES;
    if (c->kind == EDGE && (gone(m, c->line[0]) || gone(m, c->line[1]))) return false;
    for (int i = 0; i < 2; i++) {
        if (c->turns[i] == BODIES) return false;
    }
    for (int i = 0; i < c->n; i++) {
        if (gone(m, c->point[i])) return false;
    }
    return c->n > 0;
}

/* The number of a body after body k is gone; BODIES: it is that one. */
static int renumbered(int b, int k)
{
    return b == k ? BODIES : b > k ? b - 1 : b;
}

/* Points keep their numbers: those that are of no use are not written. */
static void drop_body(mechanism *m, int k)
{
    remove_at(m->bodies, &m->nbodies, k, sizeof *m->bodies);
    for (int p = 0; p < m->npoints; p++) m->points[p].marker = renumbered(m->points[p].marker, k);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < m->njoints; j++) m->joints[j].body[i] = renumbered(m->joints[j].body[i], k);
        for (int c = 0; c < m->ncontacts; c++) {
            m->contacts[c].turns[i] = renumbered(m->contacts[c].turns[i], k);
            m->contacts[c].body[i]  = renumbered(m->contacts[c].body[i], k);
        }
    }
    for (int j = m->njoints - 1; j >= 0; j--) {
        if (!joint_is_left(m, &m->joints[j])) drop_joint(m, j);
    }
    for (int c = m->ncontacts - 1; c >= 0; c--) {
        for (int i = m->contacts[c].n - 1; i >= 0; i--) {
            if (gone(m, m->contacts[c].point[i])) drop_touch(&m->contacts[c], i);
        }
        if (!contact_is_left(m, &m->contacts[c])) drop_contact(m, c);
    }
}

/* Points that nothing has any more. */
static void drop_points(mechanism *m)
{
    for (int p = m->npoints - 1; p >= 0; p--) {
        bool used = m->points[p].marker < 0 && !m->points[p].fixed && carried(m, p);
        for (int k = 0; k < m->nbodies; k++) used = used || m->bodies[k].end[0] == p || m->bodies[k].end[1] == p;
        for (int k = 0; k < m->njoints; k++) used = used || m->joints[k].end[0] == p || m->joints[k].end[1] == p;
        for (int k = 0; k < m->ncontacts; k++) {
            const contact *c = &m->contacts[k];
            for (int i = 0; i < c->n; i++) used = used || c->point[i] == p;
            used = used || (c->kind == EDGE && (c->line[0] == p || c->line[1] == p));
        }
        if (used) continue;
        for (int k = 0; k < m->nbodies; k++) {
            for (int i = 0; i < 2; i++) m->bodies[k].end[i] -= m->bodies[k].end[i] > p;
        }
        for (int k = 0; k < m->njoints; k++) {
            for (int i = 0; i < 2; i++) m->joints[k].end[i] -= m->joints[k].end[i] > p;
        }
        for (int k = 0; k < m->ncontacts; k++) {
            contact *c = &m->contacts[k];
            for (int i = 0; i < c->n; i++) c->point[i] -= c->point[i] > p;
            for (int i = 0; i < 2; i++) c->line[i] -= c->line[i] > p;
        }
        remove_at(m->points, &m->npoints, p, sizeof *m->points);
    }
}

/* The k-th way to make it smaller; false: there are no more. *changed: it could be done. */
static bool smaller(mechanism *m, int k, bool *changed)
{
    *changed = true;
    if (k < m->nbodies) {
        drop_body(m, k);
        drop_points(m);
        return true;
    }
    if ((k -= m->nbodies) < m->ncontacts) {
        drop_contact(m, k);
        drop_points(m);
        return true;
    }
    if ((k -= m->ncontacts) < m->njoints) {
        drop_joint(m, k);
        drop_points(m);
        return true;
    }
    if ((k -= m->njoints) < m->ncontacts * AT_CONTACT) {
        contact *c = &m->contacts[k / AT_CONTACT];
        *changed   = k % AT_CONTACT < c->n && drop_touch(c, k % AT_CONTACT);
        drop_points(m);
        return true;
    }
    if ((k -= m->ncontacts * AT_CONTACT) == 0) {
        *changed = false;
        for (int p = 0; p < m->npoints; p++) {
            *changed           = *changed || m->points[p].moves;
            m->points[p].moves = false;
        }
        return true;
    }
    m->duration *= 0.5;
    *changed = m->duration > 1e-2 * m->time;
    return k == 1;
}

static void look(const mechanism *m, const options *o, verdict *v)
{
    judge(m, &o->limits, v);
    if (o->equivalent) check_equivalents(m, &o->limits, 0.0, v);
    if (o->verify) check_derivatives(m, &o->limits, v);
    if (o->adjoint) check_adjoint(m, &o->limits, v);
}

int shrink_seed(const options *o)
{
    mechanism m, next;
    verdict   v, w;
    char      kind[128], found[128];
    bool      changed, more = true;

    generate(&m, o->seed);
    look(&m, o, &v);
    kind_of(&v, kind);
    fprintf(stderr, "%s\n", kind[0] ? kind : "does not fail");
    if (!kind[0]) return 1;
    while (more) {
        more = false;
        for (int k = 0; next = m, smaller(&next, k, &changed); k++) {
            if (!changed || !next.nbodies || !next.npoints) continue;
            look(&next, o, &w);
            kind_of(&w, found);
            if (strcmp(found, kind) != 0) continue;
            m    = next;
            v    = w;
            more = true;
            k--;
        }
    }
    write_scene(&m, stdout);
    fprintf(stderr, "%d bodies, %d touches left: %s %s\n", v.bodies, v.touches, v.violation, v.error);
    return 0;
}
