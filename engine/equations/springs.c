/* springs.c - springs and dampers between two points, P and Q.
 *
 *     d = Q - P,  w = d',  l = |d|,  l' = d.w/l
 *     T = k (l - l0) + c l',    f = T/l,    force f d on P and -f d on Q
 *
 * Along a direction
 *
 *     dl = d.dd/l,    dl' = (dd.w + d.dw - l' dl)/l,    dT = (l - l0) dk + k (dl - dl0) + l' dc + c dl'
 *     df = (dT - f dl)/l,    d(f d) = f dd + df d
 *
 * Transposed, from the end to the beginning, what f d gets goes to d, w, k, l0 and c. Along two directions, 1 and 2,
 * the same rules once more:
 *
 *     (f d)_12 = f_12 d + f_1 d_2 + f_2 d_1 + f d_12
 *
 * At l = 0 the force has no direction. Without a natural length it is k d, smooth even there: f = k, and 1/l = 0 leaves
 * nothing but f dd. Else there is no force and no derivative.
 *
 * A point lies at p = p_i + alpha D + beta R D with D = p_j - p_i (ext.h). A force g on it does the work g.p, so its
 * share in the basic points is the transpose of that:
 *
 *     F_i = g - F_j,   F_j = alpha g + beta R^T g,      R^T (x, y) = (y, -x) */
#include "engine/equations/equations.h"

#include <math.h>

typedef struct vec2 {
    double x, y;
} vec2;

static inline vec2 plus(vec2 a, vec2 b)
{
    return (vec2){ a.x + b.x, a.y + b.y };
}

static inline vec2 minus(vec2 a, vec2 b)
{
    return (vec2){ a.x - b.x, a.y - b.y };
}

static inline vec2 times(double f, vec2 a)
{
    return (vec2){ f * a.x, f * a.y };
}

static inline double dot(vec2 a, vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

/* ---------------------------------------------------------------------------------------- points */

/* Arrays are by slots, `step` apart: 1, or p for a column of the directions. */
static inline vec2 at(const double *source, size_t step, sal_slot x, sal_slot y)
{
    return (vec2){ source[(size_t)x * step], source[(size_t)y * step] };
}

static inline void add_at(double *to, size_t step, sal_slot x, sal_slot y, vec2 a)
{
    to[(size_t)x * step] += a.x;
    to[(size_t)y * step] += a.y;
}

/* Alpha and beta of a basic point are the constant 0, and its D is 0: nothing to do for them. */
static inline bool is_basic(const sal_basis *p)
{
    return p->xi == p->xj;
}

/* D of the array. */
static inline vec2 span(const sal_basis *p, const double *source, size_t step)
{
    return minus(at(source, step, p->xj, p->yj), at(source, step, p->xi, p->yi));
}

/* p_i + alpha D + beta R D of the array. */
static inline vec2 place(const sal_basis *p, const double *source, size_t step, double alpha, double beta)
{
    const vec2 i = at(source, step, p->xi, p->yi), D = span(p, source, step);

    return (vec2){ i.x + alpha * D.x - beta * D.y, i.y + alpha * D.y + beta * D.x };
}

/* The change of a place, that of the array being `change`. */
static inline vec2 place_change(const sal_basis *p, const double *z, const double *source, const double *dz,
                                const double *change, size_t step)
{
    if (is_basic(p)) return at(change, step, p->xi, p->yi);
    const vec2   d = place(p, change, step, z[p->alpha], z[p->beta]), D = span(p, source, 1);
    const double da = dz[(size_t)p->alpha * step], db = dz[(size_t)p->beta * step];

    return (vec2){ d.x + da * D.x - db * D.y, d.y + da * D.y + db * D.x };
}

/* F_j of a force. */
static inline vec2 share(vec2 f, double alpha, double beta)
{
    return (vec2){ alpha * f.x + beta * f.y, alpha * f.y - beta * f.x };
}

/* Adds a force on the point. */
static inline void apply(const sal_basis *p, const double *z, vec2 f, double *force)
{
    const vec2 j = share(f, z[p->alpha], z[p->beta]);

    add_at(force, 1, p->xi, p->yi, minus(f, j));
    add_at(force, 1, p->xj, p->yj, j);
}

/* Adds the change of a force f by df. */
static inline void apply_change(const sal_basis *p, const double *z, const double *dz, vec2 f, vec2 df, size_t step,
                                double *force)
{
    if (is_basic(p)) {
        add_at(force, step, p->xi, p->yi, df);
        return;
    }
    const vec2 j =
        plus(share(df, z[p->alpha], z[p->beta]), share(f, dz[(size_t)p->alpha * step], dz[(size_t)p->beta * step]));
    add_at(force, step, p->xi, p->yi, minus(df, j));
    add_at(force, step, p->xj, p->yj, j);
}

/* Adds what alpha and beta get when alpha D + beta R D of the array gets g. */
static inline void lean_vjp(const sal_basis *p, const double *source, vec2 g, double *z_bar)
{
    const vec2 D = span(p, source, 1);

    if (is_basic(p)) return;
    z_bar[p->alpha] += g.x * D.x + g.y * D.y;
    z_bar[p->beta] += g.y * D.x - g.x * D.y;
}

/* The same of the whole place; the array's are source_bar. */
static inline void place_vjp(const sal_basis *p, const double *z, const double *source, vec2 g, double *z_bar,
                             double *source_bar)
{
    apply(p, z, g, source_bar);
    lean_vjp(p, source, g, z_bar);
}

/* ---------------------------------------------------------------------------------------- kernel */

typedef struct kernel {
    vec2   d, w;
    double l, over_l; /* 1/l, or 0 */
    double stretch;   /* l - l0 */
    double rate, f;
} kernel;

/* From P to Q, in the array. */
static inline vec2 between(const sal_spring *s, const double *z, const double *source)
{
    return minus(place(&s->q, source, 1, z[s->q.alpha], z[s->q.beta]),
                 place(&s->p, source, 1, z[s->p.alpha], z[s->p.beta]));
}

static inline kernel kernel_at(const sal_spring *s, const double *z, const double *zd)
{
    kernel o = { .d = between(s, z, z), .w = between(s, z, zd) };

    o.l       = sqrt(dot(o.d, o.d));
    o.stretch = o.l - z[s->length];
    if (o.l == 0.0) {
        o.f = z[s->length] == 0.0 ? z[s->stiffness] : 0.0;
        return o;
    }
    o.over_l = 1.0 / o.l;
    o.rate   = dot(o.d, o.w) / o.l;
    o.f      = (z[s->stiffness] * o.stretch + z[s->damping] * o.rate) / o.l;
    return o;
}

/* Its change along a direction. */
typedef struct change {
    vec2   d, w;
    double k, l0, c;
    double l, rate, f;
} change;

/* The change of `between` in a column. */
static inline vec2 between_change(const sal_spring *s, const double *z, const double *source, const double *dz,
                                  const double *direction, size_t step)
{
    return minus(place_change(&s->q, z, source, dz, direction, step),
                 place_change(&s->p, z, source, dz, direction, step));
}

static inline change change_along(const sal_spring *s, const kernel *o, const double *z, const double *zd,
                                  const double *dz, const double *dzd, size_t step)
{
    change x = { .d  = between_change(s, z, z, dz, dz, step),
                 .w  = between_change(s, z, zd, dz, dzd, step),
                 .k  = dz[(size_t)s->stiffness * step],
                 .l0 = dz[(size_t)s->length * step],
                 .c  = dz[(size_t)s->damping * step] };

    x.l    = dot(o->d, x.d) * o->over_l;
    x.rate = (x.d.x * o->w.x + x.d.y * o->w.y + o->d.x * x.w.x + o->d.y * x.w.y - o->rate * x.l) * o->over_l;
    x.f    = (x.k * o->stretch + z[s->stiffness] * (x.l - x.l0) + x.c * o->rate + z[s->damping] * x.rate - o->f * x.l) *
          o->over_l;
    return x;
}

/* ------------------------------------------------------------------------------------------ force */

void sal_springs_value(const sal_model *model, const double *z, const double *zd, double *force)
{
    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s = &model->tables->springs.at[k];
        const kernel      o = kernel_at(s, z, zd);

        apply(&s->p, z, times(+o.f, o.d), force);
        apply(&s->q, z, times(-o.f, o.d), force);
    }
}

void sal_springs_jvp(const sal_model *model, const double *z, const double *zd, sal_directions d, double *force)
{
    const size_t p = (size_t)d.p;

    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s = &model->tables->springs.at[k];
        const kernel      o = kernel_at(s, z, zd);
        const vec2        g = times(o.f, o.d);

        for (size_t c = 0; c < p; c++) {
            const double *dz = d.dz + c;
            const change  x  = change_along(s, &o, z, zd, dz, d.dzd + c, p);
            const vec2    dg = plus(times(x.f, o.d), times(o.f, x.d));
            apply_change(&s->p, z, dz, g, dg, p, force + c);
            apply_change(&s->q, z, dz, times(-1.0, g), times(-1.0, dg), p, force + c);
        }
    }
}

/* What the way from P to Q in the array gets. */
static inline void between_vjp(const sal_spring *s, const double *z, const double *source, vec2 g, double *z_bar,
                               double *source_bar)
{
    place_vjp(&s->q, z, source, g, z_bar, source_bar);
    place_vjp(&s->p, z, source, times(-1.0, g), z_bar, source_bar);
}

void sal_springs_vjp(const sal_model *model, const double *z, const double *zd, const double *w, sal_cotangents bar)
{
    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s = &model->tables->springs.at[k];
        const kernel      o = kernel_at(s, z, zd);
        const vec2        g = times(o.f, o.d), on_g = times(-1.0, between(s, z, w));
        const double      on_T = dot(on_g, o.d) * o.over_l, on_rate = z[s->damping] * on_T * o.over_l;
        const double      on_l = ((z[s->stiffness] - o.f) * on_T - o.rate * on_rate) * o.over_l;

        lean_vjp(&s->p, w, g, bar.z);
        lean_vjp(&s->q, w, times(-1.0, g), bar.z);
        between_vjp(s, z, z, plus(times(o.f, on_g), plus(times(on_l, o.d), times(on_rate, o.w))), bar.z, bar.z);
        between_vjp(s, z, zd, times(on_rate, o.d), bar.z, bar.zd);
        bar.z[s->stiffness] += on_T * o.stretch;
        bar.z[s->length] -= on_T * z[s->stiffness];
        bar.z[s->damping] += on_T * o.rate;
    }
}

/* ------------------------------------------------------------------------------ second derivatives */

/* alpha D + beta R D of the array from P to Q, with the changes of alpha and beta in dz. */
static inline vec2 lean_between(const sal_spring *s, const double *source, size_t step, const double *dz, size_t dstep)
{
    const vec2   P = span(&s->p, source, step), Q = span(&s->q, source, step);
    const double pa = dz[(size_t)s->p.alpha * dstep], pb = dz[(size_t)s->p.beta * dstep];
    const double qa = dz[(size_t)s->q.alpha * dstep], qb = dz[(size_t)s->q.beta * dstep];

    return (vec2){ qa * Q.x - qb * Q.y - pa * P.x + pb * P.y, qa * Q.y + qb * Q.x - pa * P.y - pb * P.x };
}

/* f_12, with d_12 and w_12. */
static double second_f(const sal_spring *s, const kernel *o, const double *z, const change *a, const change *b, vec2 d,
                       vec2 w)
{
    const double l    = (dot(a->d, b->d) + dot(o->d, d) - a->l * b->l) * o->over_l;
    const double rate = (dot(a->d, b->w) + dot(b->d, a->w) + dot(d, o->w) + dot(o->d, w) - a->rate * b->l -
                         b->rate * a->l - o->rate * l) *
                        o->over_l;
    const double T = a->k * (b->l - b->l0) + b->k * (a->l - a->l0) + z[s->stiffness] * l + a->c * b->rate +
                     b->c * a->rate + z[s->damping] * rate;

    return (T - a->f * b->l - b->f * a->l - o->f * l) * o->over_l;
}

/* The change, of f = k too. */
static change second_change(const sal_spring *s, const kernel *o, const double *z, const double *zd, const double *dz,
                            const double *dzd, size_t step)
{
    change x = change_along(s, o, z, zd, dz, dzd, step);

    if (o->l == 0.0 && z[s->length] == 0.0) x.f = x.k;
    return x;
}

void sal_springs_second(const sal_model *model, const double *z, const double *zd, const double *w, const double *dz,
                        const double *dzd, sal_directions d, double *out)
{
    const size_t p = (size_t)d.p;

    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s    = &model->tables->springs.at[k];
        const kernel      o    = kernel_at(s, z, zd);
        const change      a    = second_change(s, &o, z, zd, dz, dzd, 1);
        const vec2        on_g = between(s, z, w), g1 = plus(times(a.f, o.d), times(o.f, a.d));

        for (size_t c = 0; c < p; c++) {
            const double *ez = d.dz + c, *ezd = d.dzd + c;
            const change  b   = second_change(s, &o, z, zd, ez, ezd, p);
            const vec2    d12 = plus(lean_between(s, ez, p, dz, 1), lean_between(s, dz, 1, ez, p));
            const vec2    w12 = plus(lean_between(s, ezd, p, dz, 1), lean_between(s, dzd, 1, ez, p));
            const vec2    g2  = plus(times(b.f, o.d), times(o.f, b.d));
            const vec2    g12 = plus(plus(times(second_f(s, &o, z, &a, &b, d12, w12), o.d), times(o.f, d12)),
                                     plus(times(a.f, b.d), times(b.f, a.d)));
            out[c] -= dot(on_g, g12) + dot(lean_between(s, w, 1, dz, 1), g2) + dot(lean_between(s, w, 1, ez, p), g1);
        }
    }
}

/* ----------------------------------------------------------------------------------------- energy */

void sal_springs_energy(const sal_model *model, const double *z, double *energy)
{
    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s  = &model->tables->springs.at[k];
        const vec2        d  = between(s, z, z);
        const double      dl = hypot(d.x, d.y) - z[s->length];
        *energy += 0.5 * z[s->stiffness] * dl * dl;
    }
}

void sal_spring_between(const sal_spring *s, const double *z, const double *x, double out[2])
{
    const vec2 d = between(s, z, x);

    out[0] = d.x;
    out[1] = d.y;
}

double sal_spring_length(const sal_spring *s, const double *z)
{
    const vec2 d = between(s, z, z);

    return hypot(d.x, d.y);
}

double sal_spring_power(const sal_spring *s, const double *z, const double *zd)
{
    const vec2   d = between(s, z, z), w = between(s, z, zd);
    const double l = hypot(d.x, d.y), rate = l > 0.0 ? dot(d, w) / l : 0.0, stretch = l - z[s->length];

    return stretch * (0.5 * zd[s->stiffness] * stretch - z[s->stiffness] * zd[s->length]) - z[s->damping] * rate * rate;
}

void sal_springs_energy_jvp(const sal_model *model, const double *z, sal_directions d, double *energy)
{
    const size_t p = (size_t)d.p;

    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s = &model->tables->springs.at[k];
        const vec2        b = between(s, z, z);
        const double      l = hypot(b.x, b.y), stretch = l - z[s->length], stiffness = z[s->stiffness];
        const double     *dk = d.dz + (size_t)s->stiffness * p, *dl0 = d.dz + (size_t)s->length * p;

        for (size_t c = 0; c < p; c++) {
            const double *dz = d.dz + c, dl = l > 0.0 ? dot(b, between_change(s, z, z, dz, dz, p)) / l : 0.0;
            energy[c] += stretch * (0.5 * dk[c] * stretch + stiffness * (dl - dl0[c]));
        }
    }
}

void sal_springs_energy_vjp(const sal_model *model, const double *z, double w, sal_cotangents bar)
{
    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s = &model->tables->springs.at[k];
        const vec2        d = between(s, z, z);
        const double      l = hypot(d.x, d.y), stretch = l - z[s->length], T = w * z[s->stiffness] * stretch;

        if (l > 0.0) between_vjp(s, z, z, times(T / l, d), bar.z, bar.z);
        bar.z[s->stiffness] += 0.5 * w * stretch * stretch;
        bar.z[s->length] -= T;
    }
}

/* ------------------------------------------------------------------------------------------ sizes */

/* The sizes of a force on a point in the basic points that carry it. */
static void apply_size(const sal_basis *p, const double *z, double f, double *size)
{
    const double j = f * (fabs(z[p->alpha]) + fabs(z[p->beta])), i = f + j;

    size[p->xi] += i;
    size[p->yi] += i;
    if (is_basic(p)) return;
    size[p->xj] += j;
    size[p->yj] += j;
}

void sal_springs_sizes(const sal_model *model, const double *z, const double *zd, double *part, double *operand)
{
    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s = &model->tables->springs.at[k];
        const vec2        p = place(&s->p, z, 1, z[s->p.alpha], z[s->p.beta]),
                   q        = place(&s->q, z, 1, z[s->q.alpha], z[s->q.beta]);
        const vec2 u        = place(&s->p, zd, 1, z[s->p.alpha], z[s->p.beta]),
                   w        = place(&s->q, zd, 1, z[s->q.alpha], z[s->q.beta]);
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
