/* terms.c - rows that are sums of terms: loops over their table.
 *
 *     T     = c s A B,  A = z_i - z_j,  B = z_k - z_l,  s = z_s constant
 *     T_q   : +- c s B in the columns i, j;  +- c s A in the columns k, l
 *     T'    = c s (A' B + A B')
 *     T''   = c s (A'' B + 2 A' B' + A B'')
 *
 * and the same rule once more for their changes. */
#include "engine/base/vector.h"
#include "engine/equations/equations.h"

void sal_terms_residual(const sal_rows *rows, const double *z, const double *zd, double *phi, double *phidot)
{
    const sal_model *model = rows->model;
    const int        nterm = model->tables->terms.n;

    for (int t = 0; t < nterm; t++) {
        const sal_term *T = &model->tables->terms.at[t];
        if (!rows->mode->held[T->row]) continue;
        const double c = T->c * z[T->s], A = z[T->i] - z[T->j], B = z[T->k] - z[T->l];
        phi[T->row] += c * A * B;
        if (zd) phidot[T->row] += c * ((zd[T->i] - zd[T->j]) * B + A * (zd[T->k] - zd[T->l]));
    }
}

static inline void add_gradient(const sal_term_target *to, double *entry, double c, double A, double B)
{
    entry[to->i] += c * B;
    entry[to->j] -= c * B;
    entry[to->k] += c * A;
    entry[to->l] -= c * A;
}

void sal_terms_jacobian(const sal_rows *rows, const double *z, double *entry)
{
    const sal_model *model = rows->model;
    const int        nterm = model->tables->terms.n;

    for (int t = 0; t < nterm; t++) {
        const sal_term *T = &model->tables->terms.at[t];
        if (rows->mode->held[T->row])
            add_gradient(&model->target[t], entry, T->c * z[T->s], z[T->i] - z[T->j], z[T->k] - z[T->l]);
    }
}

void sal_terms_motion(const sal_rows *rows, const double *z, const double *zd, const double *zdd, double *entry,
                      double *c)
{
    const sal_model *model = rows->model;
    const int        nterm = model->tables->terms.n, n = model->n;

    for (int t = 0; t < nterm; t++) {
        const sal_term *T = &model->tables->terms.at[t];
        if (!rows->mode->held[T->row]) continue;
        const double w = T->c * z[T->s], A = z[T->i] - z[T->j], B = z[T->k] - z[T->l];
        add_gradient(&model->target[t], entry, w, A, B);
        c[T->row] -= 2.0 * w * (zd[T->i] - zd[T->j]) * (zd[T->k] - zd[T->l]);
    }
    if (model->ntimed == 0) return;
#define DD(slot) ((slot) < n ? 0.0 : zdd[slot]) /* a is not known yet: its part is Phi_q a */
    for (int t = 0; t < nterm; t++) {           /* A'', B'' of what is driven in time */
        const sal_term *T = &model->tables->terms.at[t];
        if (!rows->mode->held[T->row]) continue;
        const double A = z[T->i] - z[T->j], B = z[T->k] - z[T->l];
        c[T->row] -= T->c * z[T->s] * ((DD(T->i) - DD(T->j)) * B + A * (DD(T->k) - DD(T->l)));
    }
#undef DD
}

/* -------------------------------------------------------------------------------------- tangents */

/* Rows of the direction arrays for the slots of a term, with the differences formed where they are used. */
#define ROW(array, slot) SAL_ROW(array, slot, p)

/* Columns are loops of their own, over arrays that are told not to overlap: so compilers make vectors of them. */

/* i -= f, j += f with f = s0 x0 + s1 (x1 - x2). */
static inline void push_apart(double *restrict i, double *restrict j, double s0, const double *restrict x0, double s1,
                              const double *restrict x1, const double *restrict x2, int p)
{
    if (i == j) return;
    for (int c = 0; c < p; c++) {
        const double f = s0 * x0[c] + s1 * (x1[c] - x2[c]);
        i[c] -= f;
        j[c] += f;
    }
}

/* out += s0 x0 + s1 (x1 - x2) + s2 (x3 - x4) */
static inline void add_three(double *restrict out, double s0, const double *restrict x0, double s1,
                             const double *restrict x1, const double *restrict x2, double s2, const double *restrict x3,
                             const double *restrict x4, int p)
{
    for (int c = 0; c < p; c++) out[c] += s0 * x0[c] + s1 * (x1[c] - x2[c]) + s2 * (x3[c] - x4[c]);
}

void sal_terms_residual_jvp(const sal_rows *rows, const double *z, const double *zd, sal_directions d, double *dphi,
                            double *dphidot)
{
    const sal_model *model = rows->model;
    const int        nterm = model->tables->terms.n, p = d.p;

    for (int t = 0; t < nterm; t++) {
        const sal_term *T = &model->tables->terms.at[t];
        const double    s = z[T->s], A = z[T->i] - z[T->j], B = z[T->k] - z[T->l];
        const double   *zs = ROW(d.dz, T->s), *zi = ROW(d.dz, T->i), *zj = ROW(d.dz, T->j), *zk = ROW(d.dz, T->k),
                     *zl = ROW(d.dz, T->l);
        const double of  = T->c * s;
        if ((d.inert && d.inert[t]) || !rows->mode->held[T->row]) continue;
        add_three(ROW(dphi, T->row), T->c * A * B, zs, of * B, zi, zj, of * A, zk, zl, p);
        if (!zd) continue;
        const double  Ad = zd[T->i] - zd[T->j], Bd = zd[T->k] - zd[T->l];
        const double *vi = ROW(d.dzd, T->i), *vj = ROW(d.dzd, T->j), *vk = ROW(d.dzd, T->k), *vl = ROW(d.dzd, T->l);
        add_three(ROW(dphidot, T->row), T->c * (Ad * B + A * Bd), zs, of * Bd, zi, zj, of * Ad, zk, zl, p);
        add_three(ROW(dphidot, T->row), 0.0, zs, of * B, vi, vj, of * A, vk, vl, p);
    }
}

/* The change of -lambda Phi_q of one term. */
static inline void add_force(const sal_term *T, double l, double s, double A, double B, int p, const double *dz,
                             double *force)
{
    const double *zs = ROW(dz, T->s), *zi = ROW(dz, T->i), *zj = ROW(dz, T->j), *zk = ROW(dz, T->k),
                 *zl = ROW(dz, T->l);

    l *= T->c;
    push_apart(ROW(force, T->i), ROW(force, T->j), l * B, zs, l * s, zk, zl, p);
    push_apart(ROW(force, T->k), ROW(force, T->l), l * A, zs, l * s, zi, zj, p);
}

void sal_terms_force_jvp(const sal_rows *rows, const double *z, const double *lambda, sal_directions d, double *force)
{
    const sal_model *model = rows->model;
    for (int t = 0; t < model->tables->terms.n; t++) {
        const sal_term *T = &model->tables->terms.at[t];
        if (rows->mode->held[T->row])
            add_force(T, lambda[T->row], z[T->s], z[T->i] - z[T->j], z[T->k] - z[T->l], d.p, d.dz, force);
    }
}

/* Terms c s A^2, which bars and rods consist of: half the work. */
static inline void add_square(const sal_term *T, const double *z, const double *zd, const double *zdd, double lambda,
                              sal_directions d, double *out, double *force)
{
    const int    p = d.p;
    const double s = z[T->s], A = z[T->i] - z[T->j], Ad = zd[T->i] - zd[T->j], Add = zdd[T->i] - zdd[T->j],
                 l   = 2.0 * lambda * T->c;
    const double *zs = ROW(d.dz, T->s), *zi = ROW(d.dz, T->i), *zj = ROW(d.dz, T->j), *vi = ROW(d.dzd, T->i),
                 *vj = ROW(d.dzd, T->j);

    add_three(out, 2.0 * T->c * (Add * A + Ad * Ad), zs, 2.0 * T->c * s * Add, zi, zj, 4.0 * T->c * s * Ad, vi, vj, p);
    push_apart(ROW(force, T->i), ROW(force, T->j), l * A, zs, l * s, zi, zj, p);
}

void sal_terms_motion_jvp(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                          const double *lambda, sal_directions d, double *dphidd, double *force)
{
    const sal_model *model = rows->model;
    const int        nterm = model->tables->terms.n, p = d.p;
    const bool       still = model->ntimed == 0;

    for (int t = 0; t < nterm; t++) {
        const sal_term *T   = &model->tables->terms.at[t];
        double         *out = ROW(dphidd, T->row);
        if ((d.inert && d.inert[t]) || !rows->mode->held[T->row]) continue;
        if (T->square && still) {
            add_square(T, z, zd, zdd, lambda[T->row], d, out, force);
            continue;
        }
        const double s = z[T->s], A = z[T->i] - z[T->j], B = z[T->k] - z[T->l];
        const double Ad = zd[T->i] - zd[T->j], Bd = zd[T->k] - zd[T->l], Add = zdd[T->i] - zdd[T->j],
                     Bdd = zdd[T->k] - zdd[T->l];
        const double *zs = ROW(d.dz, T->s), *zi = ROW(d.dz, T->i), *zj = ROW(d.dz, T->j), *zk = ROW(d.dz, T->k),
                     *zl = ROW(d.dz, T->l);
        const double *vi = ROW(d.dzd, T->i), *vj = ROW(d.dzd, T->j), *vk = ROW(d.dzd, T->k), *vl = ROW(d.dzd, T->l);
        const double  on_s = Add * B + 2.0 * Ad * Bd + A * Bdd;

        const double of = T->c * s;

        add_three(out, T->c * on_s, zs, of * Bdd, zi, zj, of * Add, zk, zl, p);
        add_three(out, 0.0, zs, 2.0 * of * Bd, vi, vj, 2.0 * of * Ad, vk, vl, p);
        add_force(T, lambda[T->row], s, A, B, p, d.dz, force);
        if (still) continue;
        const double *ai = ROW(d.dzdd, T->i), *aj = ROW(d.dzdd, T->j), *ak = ROW(d.dzdd, T->k), *al = ROW(d.dzdd, T->l);
        add_three(out, 0.0, zs, of * B, ai, aj, of * A, ak, al, p);
    }
}

/* ------------------------------------------------------------------------------------ cotangents */

/* Adds what the two differences of a term get to the slots that they are made of. */
static inline void add_differences(const sal_term *T, double on_A, double on_B, double *bar)
{
    bar[T->i] += on_A;
    bar[T->j] -= on_A;
    bar[T->k] += on_B;
    bar[T->l] -= on_B;
}

void sal_terms_residual_vjp(const sal_rows *rows, const double *z, const double *zd, const double *phi,
                            const double *phidot, sal_cotangents bar)
{
    const sal_model *model = rows->model;

    for (int t = 0; t < model->tables->terms.n; t++) {
        const sal_term *T = &model->tables->terms.at[t];
        const double    s = z[T->s], A = z[T->i] - z[T->j], B = z[T->k] - z[T->l];
        if (!rows->mode->held[T->row]) continue;
        if (phi) {
            const double w = T->c * phi[T->row];
            bar.z[T->s] += w * A * B;
            add_differences(T, w * s * B, w * s * A, bar.z);
        }
        if (phidot) {
            const double w = T->c * phidot[T->row], Ad = zd[T->i] - zd[T->j], Bd = zd[T->k] - zd[T->l];
            bar.z[T->s] += w * (Ad * B + A * Bd);
            add_differences(T, w * s * Bd, w * s * Ad, bar.z);
            add_differences(T, w * s * B, w * s * A, bar.zd);
        }
    }
}

void sal_terms_force_vjp(const sal_rows *rows, const double *z, const double *lambda, const double *w,
                         sal_cotangents bar)
{
    const sal_model *model = rows->model;

    for (int t = 0; t < model->tables->terms.n; t++) {
        const sal_term *T = &model->tables->terms.at[t];
        const double    s = z[T->s], A = z[T->i] - z[T->j], B = z[T->k] - z[T->l];
        const double    Aw = w[T->i] - w[T->j], Bw = w[T->k] - w[T->l], l = -lambda[T->row] * T->c;
        if (!rows->mode->held[T->row]) continue;
        bar.z[T->s] += l * (Aw * B + A * Bw);
        add_differences(T, l * s * Bw, l * s * Aw, bar.z);
        if (bar.lambda) bar.lambda[T->row] -= T->c * s * (Aw * B + A * Bw);
    }
}

void sal_terms_motion_vjp(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                          const double *phidd, sal_cotangents bar)
{
    const sal_model *model = rows->model;
    const bool       still = model->ntimed == 0;

    for (int t = 0; t < model->tables->terms.n; t++) {
        const sal_term *T = &model->tables->terms.at[t];
        const double    s = z[T->s], A = z[T->i] - z[T->j], B = z[T->k] - z[T->l];
        const double    Ad = zd[T->i] - zd[T->j], Bd = zd[T->k] - zd[T->l];
        const double    Add = zdd[T->i] - zdd[T->j], Bdd = zdd[T->k] - zdd[T->l], w = T->c * phidd[T->row];
        if (!rows->mode->held[T->row]) continue;
        bar.z[T->s] += w * (Add * B + 2.0 * Ad * Bd + A * Bdd);
        add_differences(T, w * s * Bdd, w * s * Add, bar.z);
        add_differences(T, 2.0 * w * s * Bd, 2.0 * w * s * Ad, bar.zd);
        if (!still) add_differences(T, w * s * B, w * s * A, bar.zdd);
    }
}

/* ---------------------------------------------------------------------------- second derivatives */

void sal_terms_force_second(const sal_rows *rows, const double *z, const double *lambda, const double *dlambda,
                            const double *w, const double *dz, sal_directions d, double *out)
{
    const int p = d.p;

    for (int t = 0; t < rows->model->tables->terms.n; t++) {
        const sal_term *T = &rows->model->tables->terms.at[t];
        const double    A = z[T->i] - z[T->j], B = z[T->k] - z[T->l], Aw = w[T->i] - w[T->j], Bw = w[T->k] - w[T->l];
        const double    dA = dz[T->i] - dz[T->j], dB = dz[T->k] - dz[T->l], ds = dz[T->s];
        const double    turn = T->c * (Aw * dB + dA * Bw), first = T->c * ds * (Aw * B + A * Bw) + z[T->s] * turn;
        const double   *zs = ROW(d.dz, T->s), *zi = ROW(d.dz, T->i), *zj = ROW(d.dz, T->j), *zk = ROW(d.dz, T->k),
                     *zl = ROW(d.dz, T->l), l = lambda[T->row];
        if (!rows->mode->held[T->row]) continue;
        for (int c = 0; c < p; c++)
            out[c] -= l * (turn * zs[c] + T->c * ds * (Aw * (zk[c] - zl[c]) + (zi[c] - zj[c]) * Bw));
        for (int c = 0; c < p && dlambda; c++) out[c] -= first * ROW(dlambda, T->row)[c];
    }
}
