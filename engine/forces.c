/* forces.c - gravity, driven points, springs.
 *
 * A point force f on p = p_i + alpha d + beta R d (ext.h) does the work f.p, so its share in the basic points is
 *
 *     F_i = (1 - alpha) f - beta R^T f,   F_j = alpha f + beta R^T f,      R^T (x, y) = (y, -x)
 */
#include "engine/forces.h"

#include <math.h>

static double gravity_of(const sal_model *model, const double *z, int slot)
{
    return z[model->scene->gravity[model->axis[slot]]];
}

void sal_forces_gravity(const sal_model *model, const double *z, const double *mass, double *force)
{
    const sal_scene *scene = model->scene;

    for (int k = 0; k < scene->masses.n; k++) {
        const sal_mass *m = &scene->masses.at[k];
        force[m->i] += mass[k] * gravity_of(model, z, m->j);
        if (m->i != m->j) force[m->j] += mass[k] * gravity_of(model, z, m->i);
    }
}

void sal_forces_driven(const sal_model *model, const double *zdd, const double *mass, double *force)
{
    const sal_scene *scene = model->scene;
    const int        n     = model->n;

    for (int k = 0; k < scene->masses.n; k++) {
        const sal_mass *m = &scene->masses.at[k];
        if (m->j >= n) force[m->i] -= mass[k] * zdd[m->j];
        if (m->i >= n && m->i != m->j) force[m->j] -= mass[k] * zdd[m->i];
    }
}

typedef struct vec2 {
    double x, y;
} vec2;

static inline vec2 combine(const sal_point *p, const double *source, double alpha, double beta)
{
    const double dx = source[p->xj] - source[p->xi], dy = source[p->yj] - source[p->yi];

    return (vec2){ source[p->xi] + alpha * dx - beta * dy, source[p->yi] + alpha * dy + beta * dx };
}

static inline void apply(const sal_point *p, const double *z, vec2 f, double *force)
{
    const double alpha = z[p->alpha], beta = z[p->beta];
    const vec2   j = { alpha * f.x + beta * f.y, alpha * f.y - beta * f.x };

    force[p->xi] += f.x - j.x;
    force[p->yi] += f.y - j.y;
    force[p->xj] += j.x;
    force[p->yj] += j.y;
}

void sal_forces_springs(const sal_model *model, const double *z, const double *zd, double *force)
{
    for (int k = 0; k < model->scene->springs.n; k++) {
        const sal_spring *s = &model->scene->springs.at[k];
        const vec2        p = combine(&s->p, z, z[s->p.alpha], z[s->p.beta]),
                   q        = combine(&s->q, z, z[s->q.alpha], z[s->q.beta]);
        const vec2 u        = combine(&s->p, zd, z[s->p.alpha], z[s->p.beta]),
                   w        = combine(&s->q, zd, z[s->q.alpha], z[s->q.beta]);
        const double dx = q.x - p.x, dy = q.y - p.y, l = sqrt(dx * dx + dy * dy);
        double       rate, f;

        if (l == 0.0) continue; /* no direction */
        rate = (dx * (w.x - u.x) + dy * (w.y - u.y)) / l;
        f    = (z[s->stiffness] * (l - z[s->length]) + z[s->damping] * rate) / l;
        apply(&s->p, z, (vec2){ +f * dx, +f * dy }, force);
        apply(&s->q, z, (vec2){ -f * dx, -f * dy }, force);
    }
}

double sal_forces_energy(const sal_model *model, const double *z, const double *zd, const double *mass)
{
    const sal_scene *scene  = model->scene;
    double           energy = 0.0;

    for (int k = 0; k < scene->masses.n; k++) {
        const sal_mass *m = &scene->masses.at[k];
        if (m->i == m->j) {
            energy += mass[k] * (0.5 * zd[m->i] * zd[m->i] - gravity_of(model, z, m->i) * z[m->i]);
        } else {
            energy += mass[k] * (zd[m->i] * zd[m->j] - gravity_of(model, z, m->i) * z[m->j] -
                                 gravity_of(model, z, m->j) * z[m->i]);
        }
    }
    for (int k = 0; k < scene->springs.n; k++) {
        const sal_spring *s = &scene->springs.at[k];
        const vec2        p = combine(&s->p, z, z[s->p.alpha], z[s->p.beta]),
                   q        = combine(&s->q, z, z[s->q.alpha], z[s->q.beta]);
        const double dl     = hypot(q.x - p.x, q.y - p.y) - z[s->length];
        energy += 0.5 * z[s->stiffness] * dl * dl;
    }
    return energy;
}
