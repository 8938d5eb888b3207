/* springs.c - springs and dampers.
 *
 * A point force f on p = p_i + alpha d + beta R d (ext.h) does the work f.p, so its share in the basic points is
 *
 *     F_i = (1 - alpha) f - beta R^T f,   F_j = alpha f + beta R^T f,      R^T (x, y) = (y, -x)
 */
#include "engine/equations/equations.h"

#include <math.h>

typedef struct vec2 {
    double x, y;
} vec2;

static inline vec2 combine(const sal_basis *p, const double *source, double alpha, double beta)
{
    const double dx = source[p->xj] - source[p->xi], dy = source[p->yj] - source[p->yi];

    return (vec2){ source[p->xi] + alpha * dx - beta * dy, source[p->yi] + alpha * dy + beta * dx };
}

static inline void apply(const sal_basis *p, const double *z, vec2 f, double *force)
{
    const double alpha = z[p->alpha], beta = z[p->beta];
    const vec2   j = { alpha * f.x + beta * f.y, alpha * f.y - beta * f.x };

    force[p->xi] += f.x - j.x;
    force[p->yi] += f.y - j.y;
    force[p->xj] += j.x;
    force[p->yj] += j.y;
}

void sal_springs_value(const sal_model *model, const double *z, const double *zd, double *force)
{
    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s = &model->tables->springs.at[k];
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

/* The sizes of a force on a point in the basic points that carry it. */
static void apply_size(const sal_basis *p, const double *z, double f, double *size)
{
    const double j = f * (fabs(z[p->alpha]) + fabs(z[p->beta])), i = f + j;

    size[p->xi] += i;
    size[p->yi] += i;
    if (p->xi == p->xj) return;
    size[p->xj] += j;
    size[p->yj] += j;
}

void sal_springs_sizes(const sal_model *model, const double *z, const double *zd, double *part, double *operand)
{
    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s = &model->tables->springs.at[k];
        const vec2        p = combine(&s->p, z, z[s->p.alpha], z[s->p.beta]),
                   q        = combine(&s->q, z, z[s->q.alpha], z[s->q.beta]);
        const vec2 u        = combine(&s->p, zd, z[s->p.alpha], z[s->p.beta]),
                   w        = combine(&s->q, zd, z[s->q.alpha], z[s->q.beta]);
        const double l = hypot(q.x - p.x, q.y - p.y), l0 = z[s->length],
                     rate = z[s->damping] * (hypot(w.x, w.y) + hypot(u.x, u.y));
        const double f[2] = { z[s->stiffness] * fabs(l - l0) + rate,
                              z[s->stiffness] * (fabs(p.x) + fabs(p.y) + fabs(q.x) + fabs(q.y) + l0) + rate };

        apply_size(&s->p, z, f[0], part);
        apply_size(&s->q, z, f[0], part);
        apply_size(&s->p, z, f[1], operand);
        apply_size(&s->q, z, f[1], operand);
    }
}

void sal_springs_energy(const sal_model *model, const double *z, double *energy)
{
    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s = &model->tables->springs.at[k];
        const vec2        p = combine(&s->p, z, z[s->p.alpha], z[s->p.beta]),
                   q        = combine(&s->q, z, z[s->q.alpha], z[s->q.beta]);
        const double dl     = hypot(q.x - p.x, q.y - p.y) - z[s->length];
        *energy += 0.5 * z[s->stiffness] * dl * dl;
    }
}

/* -------------------------------------------------------------------------------------- tangents */

#define ROW(array, slot) ((array) + (size_t)(slot) * (size_t)p)

/* An end of a spring: its place and velocity, and how they change in each direction. */
typedef struct end {
    double        alpha, beta;
    vec2          d, v; /* of the basic points: p_j - p_i and its rate */
    const double *xi, *yi, *xj, *yj, *ui, *wi, *uj, *wj, *da, *db;
} end;

static end end_of(const sal_basis *q, const double *z, const double *zd, sal_directions d)
{
    const int p = d.p;

    return (end){
        .alpha = z[q->alpha],
        .beta  = z[q->beta],
        .d     = { z[q->xj] - z[q->xi], z[q->yj] - z[q->yi] },
        .v     = { zd[q->xj] - zd[q->xi], zd[q->yj] - zd[q->yi] },
        .xi    = ROW(d.dz, q->xi),
        .yi    = ROW(d.dz, q->yi),
        .xj    = ROW(d.dz, q->xj),
        .yj    = ROW(d.dz, q->yj),
        .ui    = ROW(d.dzd, q->xi),
        .wi    = ROW(d.dzd, q->yi),
        .uj    = ROW(d.dzd, q->xj),
        .wj    = ROW(d.dzd, q->yj),
        .da    = ROW(d.dz, q->alpha),
        .db    = ROW(d.dz, q->beta),
    };
}

static inline vec2 place_change(const end *e, int c)
{
    const double dx = e->xj[c] - e->xi[c], dy = e->yj[c] - e->yi[c];

    return (vec2){ e->xi[c] + e->alpha * dx - e->beta * dy + e->da[c] * e->d.x - e->db[c] * e->d.y,
                   e->yi[c] + e->alpha * dy + e->beta * dx + e->da[c] * e->d.y + e->db[c] * e->d.x };
}

static inline vec2 velocity_change(const end *e, int c)
{
    const double dx = e->uj[c] - e->ui[c], dy = e->wj[c] - e->wi[c];

    return (vec2){ e->ui[c] + e->alpha * dx - e->beta * dy + e->da[c] * e->v.x - e->db[c] * e->v.y,
                   e->wi[c] + e->alpha * dy + e->beta * dx + e->da[c] * e->v.y + e->db[c] * e->v.x };
}

/* A force f that changes by df, on the end's basic points. */
static inline void apply_change(const sal_basis *q, const end *e, vec2 f, vec2 df, int p, int c, double *force)
{
    const vec2 j = { e->alpha * df.x + e->beta * df.y + e->da[c] * f.x + e->db[c] * f.y,
                     e->alpha * df.y - e->beta * df.x + e->da[c] * f.y - e->db[c] * f.x };

    ROW(force, q->xi)[c] += df.x - j.x;
    ROW(force, q->yi)[c] += df.y - j.y;
    ROW(force, q->xj)[c] += j.x;
    ROW(force, q->yj)[c] += j.y;
}

/* With tension T = k (l - l0) + c l', f = T/l and force f d on the first end:
 * dl = d.dd/l, dl' = (dd.w + d.dw - l' dl)/l, dT = dk (l - l0) + k (dl - dl0) + dc l' + c dl', df = (dT - f dl)/l. */
void sal_springs_jvp(const sal_model *model, const double *z, const double *zd, sal_directions d, double *force)
{
    const int p = d.p;

    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s = &model->tables->springs.at[k];
        const vec2        P = combine(&s->p, z, z[s->p.alpha], z[s->p.beta]),
                   Q        = combine(&s->q, z, z[s->q.alpha], z[s->q.beta]);
        const vec2 u        = combine(&s->p, zd, z[s->p.alpha], z[s->p.beta]),
                   v        = combine(&s->q, zd, z[s->q.alpha], z[s->q.beta]);
        const end     e1 = end_of(&s->p, z, zd, d), e2 = end_of(&s->q, z, zd, d);
        const double  dx = Q.x - P.x, dy = Q.y - P.y, l = sqrt(dx * dx + dy * dy), wx = v.x - u.x, wy = v.y - u.y;
        const double *dk = ROW(d.dz, s->stiffness), *dl0 = ROW(d.dz, s->length), *dc = ROW(d.dz, s->damping);
        double        rate, f;

        if (l == 0.0) {
            /* without a natural length the force is k d, smooth even here; else it has no derivative, nor a direction
             * */
            for (int c = 0; c < p && z[s->length] == 0.0; c++) {
                const vec2 p1 = place_change(&e1, c), p2 = place_change(&e2, c);
                const vec2 df = { z[s->stiffness] * (p2.x - p1.x), z[s->stiffness] * (p2.y - p1.y) };
                apply_change(&s->p, &e1, (vec2){ 0.0, 0.0 }, df, p, c, force);
                apply_change(&s->q, &e2, (vec2){ 0.0, 0.0 }, (vec2){ -df.x, -df.y }, p, c, force);
            }
            continue;
        }
        rate = (dx * wx + dy * wy) / l;
        f    = (z[s->stiffness] * (l - z[s->length]) + z[s->damping] * rate) / l;
        if (s->p.xi == s->p.xj &&
            s->q.xi == s->q.xj) { /* between basic points, as most are: the same without alpha and beta */
            const double *x1 = e1.xi, *y1 = e1.yi, *x2 = e2.xi, *y2 = e2.yi, *u1 = e1.ui, *w1 = e1.wi, *u2 = e2.ui,
                         *w2 = e2.wi;
            double *fx1 = ROW(force, s->p.xi), *fy1 = ROW(force, s->p.yi), *fx2 = ROW(force, s->q.xi),
                   *fy2     = ROW(force, s->q.yi);
            const double il = 1.0 / l;
            for (int c = 0; c < p; c++) {
                const double ddx = x2[c] - x1[c], ddy = y2[c] - y1[c], dl = (dx * ddx + dy * ddy) * il;
                const double drate =
                    (ddx * wx + ddy * wy + dx * (u2[c] - u1[c]) + dy * (w2[c] - w1[c]) - rate * dl) * il;
                const double dT =
                    dk[c] * (l - z[s->length]) + z[s->stiffness] * (dl - dl0[c]) + dc[c] * rate + z[s->damping] * drate;
                const double df = (dT - f * dl) * il, gx = df * dx + f * ddx, gy = df * dy + f * ddy;
                fx1[c] += gx;
                fy1[c] += gy;
                fx2[c] -= gx;
                fy2[c] -= gy;
            }
            continue;
        }
        for (int c = 0; c < p; c++) {
            const vec2 p1 = place_change(&e1, c), p2 = place_change(&e2, c), v1 = velocity_change(&e1, c),
                       v2    = velocity_change(&e2, c);
            const double ddx = p2.x - p1.x, ddy = p2.y - p1.y, dl = (dx * ddx + dy * ddy) / l;
            const double drate = (ddx * wx + ddy * wy + dx * (v2.x - v1.x) + dy * (v2.y - v1.y) - rate * dl) / l;
            const double dT =
                dk[c] * (l - z[s->length]) + z[s->stiffness] * (dl - dl0[c]) + dc[c] * rate + z[s->damping] * drate;
            const double df = (dT - f * dl) / l;
            apply_change(&s->p, &e1, (vec2){ f * dx, f * dy }, (vec2){ df * dx + f * ddx, df * dy + f * ddy }, p, c,
                         force);
            apply_change(&s->q, &e2, (vec2){ -f * dx, -f * dy }, (vec2){ -df * dx - f * ddx, -df * dy - f * ddy }, p, c,
                         force);
        }
    }
}

void sal_springs_energy_jvp(const sal_model *model, const double *z, const double *zd, sal_directions d, double *energy)
{
    const int p = d.p;

    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s = &model->tables->springs.at[k];
        const vec2        P = combine(&s->p, z, z[s->p.alpha], z[s->p.beta]),
                   Q        = combine(&s->q, z, z[s->q.alpha], z[s->q.beta]);
        const end    e1 = end_of(&s->p, z, zd, d), e2 = end_of(&s->q, z, zd, d);
        const double dx = Q.x - P.x, dy = Q.y - P.y, l = hypot(dx, dy), stretch = l - z[s->length];
        for (int c = 0; c < p; c++) {
            const vec2   p1 = place_change(&e1, c), p2 = place_change(&e2, c);
            const double dl = l > 0.0 ? (dx * (p2.x - p1.x) + dy * (p2.y - p1.y)) / l : 0.0;
            energy[c] += stretch * (0.5 * ROW(d.dz, s->stiffness)[c] * stretch +
                                    z[s->stiffness] * (dl - ROW(d.dz, s->length)[c]));
        }
    }
}
