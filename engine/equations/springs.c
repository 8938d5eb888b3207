/* springs.c - springs and dampers between two points, P and Q.
 *
 *     d = Q - P,  w = d',  l = |d|,  e = d/l,  l' = e.w
 *     T = k (l - l0) + c l',    f = T/l,    force f d on P and -f d on Q
 *
 * One kernel for all that is derived from it. Along a direction
 *
 *     d(f d) = f dd + df d,     df = (dT - f dl)/l,    dT = (l - l0) dk + k (dl - dl0) + l' dc + c dl'
 *                               dl = d.dd/l,           dl' = (dd.w + d.dw - l' dl)/l
 *
 * or with the slopes collected, as the transpose needs them: what f d gets goes to d, w, k, l0 and c,
 *
 *     d(f d) = f dd + e dS,     dS = a.dd + b.dw + (l - l0) dk - k dl0 + l' dc
 *                               a  = (k - f) e + c (w - l' e)/l,   b = c e
 *
 * At l = 0 there is no e. Without a natural length the force is k d, smooth even there: f = k, e = 0. Else there is no
 * force and no derivative.
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
    double l, rate, f;
    /* of its changes; zero where l = 0 */
    vec2   e, a, b;
    double stretch, stiffness;
} kernel;

/* From P to Q, in the array. */
static inline vec2 between(const sal_spring *s, const double *z, const double *source)
{
    return minus(place(&s->q, source, 1, z[s->q.alpha], z[s->q.beta]),
                 place(&s->p, source, 1, z[s->p.alpha], z[s->p.beta]));
}

static inline kernel kernel_value(const sal_spring *s, const double *z, const double *zd)
{
    kernel o = { .d = between(s, z, z), .w = between(s, z, zd) };

    o.l = sqrt(dot(o.d, o.d));
    if (o.l == 0.0) {
        o.f = z[s->length] == 0.0 ? z[s->stiffness] : 0.0;
        return o;
    }
    o.rate = dot(o.d, o.w) / o.l;
    o.f    = (z[s->stiffness] * (o.l - z[s->length]) + z[s->damping] * o.rate) / o.l;
    return o;
}

static inline kernel kernel_slopes(const sal_spring *s, const double *z, const double *zd)
{
    kernel       o = kernel_value(s, z, zd);
    const double c = z[s->damping];

    if (o.l == 0.0) return o;
    o.stiffness = z[s->stiffness];
    o.stretch   = o.l - z[s->length];
    o.e         = times(1.0 / o.l, o.d);
    o.a         = plus(times(o.stiffness - o.f, o.e), times(c / o.l, minus(o.w, times(o.rate, o.e))));
    o.b         = times(c, o.e);
    return o;
}

/* ------------------------------------------------------------------------------------------ force */

void sal_springs_value(const sal_model *model, const double *z, const double *zd, double *force)
{
    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s = &model->tables->springs.at[k];
        const kernel      o = kernel_value(s, z, zd);

        apply(&s->p, z, times(+o.f, o.d), force);
        apply(&s->q, z, times(-o.f, o.d), force);
    }
}

/* The change of `between` in a column. */
static inline vec2 between_change(const sal_spring *s, const double *z, const double *source, const double *dz,
                                  const double *change, size_t step)
{
    return minus(place_change(&s->q, z, source, dz, change, step), place_change(&s->p, z, source, dz, change, step));
}

void sal_springs_jvp(const sal_model *model, const double *z, const double *zd, sal_directions d, double *force)
{
    const size_t p = (size_t)d.p;

    for (int k = 0; k < model->tables->springs.n; k++) {
        const sal_spring *s      = &model->tables->springs.at[k];
        const kernel      o      = kernel_value(s, z, zd);
        const vec2        g      = times(o.f, o.d);
        const double      over_l = o.l > 0.0 ? 1.0 / o.l : 0.0, stretch = o.l - z[s->length];
        const double     *dk = d.dz + (size_t)s->stiffness * p, *dl0 = d.dz + (size_t)s->length * p,
                     *dc = d.dz + (size_t)s->damping * p;

        for (size_t c = 0; c < p; c++) {
            const double *dz = d.dz + c;
            const vec2    dd = between_change(s, z, z, dz, dz, p), dw = between_change(s, z, zd, dz, d.dzd + c, p);
            const double  dl    = dot(o.d, dd) * over_l;
            const double  drate = (dd.x * o.w.x + dd.y * o.w.y + o.d.x * dw.x + o.d.y * dw.y - o.rate * dl) * over_l;
            const double  dT =
                dk[c] * stretch + z[s->stiffness] * (dl - dl0[c]) + dc[c] * o.rate + z[s->damping] * drate;
            const double df = (dT - o.f * dl) * over_l;
            const vec2   dg = plus(times(df, o.d), times(o.f, dd));
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
        const kernel      o = kernel_slopes(s, z, zd);
        const vec2        g = times(o.f, o.d), on_g = times(-1.0, between(s, z, w));
        const double      on_S = dot(o.e, on_g);

        lean_vjp(&s->p, w, g, bar.z);
        lean_vjp(&s->q, w, times(-1.0, g), bar.z);
        between_vjp(s, z, z, plus(times(o.f, on_g), times(on_S, o.a)), bar.z, bar.z);
        between_vjp(s, z, zd, times(on_S, o.b), bar.z, bar.zd);
        bar.z[s->stiffness] += on_S * o.stretch;
        bar.z[s->length] -= on_S * o.stiffness;
        bar.z[s->damping] += on_S * o.rate;
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
