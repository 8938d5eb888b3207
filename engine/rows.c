/* rows.c - loops over the table of terms; equations in rows.h. */
#include "engine/rows.h"

#include <string.h>

void sal_rows_residual(const sal_model *model, const double *z, const double *zd, double *phi, double *phidot)
{
    const int nterm = model->scene->terms.n;

    memset(phi, 0, sizeof *phi * (size_t)model->m);
    if (zd) memset(phidot, 0, sizeof *phidot * (size_t)model->m);
    for (int t = 0; t < nterm; t++) {
        const sal_term *term = &model->scene->terms.at[t];
        const double    s = z[term->s], A = z[term->i] - z[term->j], B = z[term->k] - z[term->l];
        phi[term->row] += term->c * s * A * B;
        if (zd) {
            const double sd = zd[term->s], Ad = zd[term->i] - zd[term->j], Bd = zd[term->k] - zd[term->l];
            phidot[term->row] += term->c * (sd * A * B + s * Ad * B + s * A * Bd);
        }
    }
}

static inline void add_gradient(const sal_term_target *to, double *entry, double c, double s, double A, double B)
{
    entry[to->s] += c * A * B;
    entry[to->i] += c * s * B;
    entry[to->j] -= c * s * B;
    entry[to->k] += c * s * A;
    entry[to->l] -= c * s * A;
}

void sal_rows_jacobian(const sal_model *model, const double *z, double *entry)
{
    const int nterm = model->scene->terms.n;

    memset(entry, 0, sizeof *entry * (size_t)(model->jp[model->m] + 1));
    for (int t = 0; t < nterm; t++) {
        const sal_term *term = &model->scene->terms.at[t];
        add_gradient(&model->target[t], entry, term->c, z[term->s], z[term->i] - z[term->j], z[term->k] - z[term->l]);
    }
}

void sal_rows_motion(const sal_model *model, const double *z, const double *zd, const double *zdd, double *entry,
                     double *c)
{
    const int nterm = model->scene->terms.n, n = model->n;

    memset(entry, 0, sizeof *entry * (size_t)(model->jp[model->m] + 1));
    memset(c, 0, sizeof *c * (size_t)model->m);
    for (int t = 0; t < nterm; t++) {
        const sal_term *term = &model->scene->terms.at[t];
        const double    s = z[term->s], A = z[term->i] - z[term->j], B = z[term->k] - z[term->l];
        const double    sd = zd[term->s], Ad = zd[term->i] - zd[term->j], Bd = zd[term->k] - zd[term->l];
        add_gradient(&model->target[t], entry, term->c, s, A, B);
        c[term->row] -= 2.0 * term->c * (sd * (Ad * B + A * Bd) + s * Ad * Bd);
    }
    if (model->ntimed == 0) return;
#define DD(slot) ((slot) < n ? 0.0 : zdd[slot]) /* a is not known yet: its part is Phi_q a */
    for (int t = 0; t < nterm; t++) {           /* s'', A'', B'' of what is driven in time */
        const sal_term *term = &model->scene->terms.at[t];
        const double    s = z[term->s], A = z[term->i] - z[term->j], B = z[term->k] - z[term->l];
        const double    sdd = DD(term->s), Add = DD(term->i) - DD(term->j), Bdd = DD(term->k) - DD(term->l);
        c[term->row] -= term->c * (sdd * A * B + s * Add * B + s * A * Bdd);
    }
#undef DD
}

/* -------------------------------------------------------------------------------------- tangents */

/* Rows of the direction arrays for the slots of a term, with the differences formed where they are used. */
#define ROW(array, slot) ((array) + (size_t)(slot) * (size_t)p)

void sal_rows_tangent_residual(const sal_model *model, const double *z, const double *zd, sal_directions d,
                               double *dphi, double *dphidot)
{
    const int nterm = model->scene->terms.n, p = d.p;

    memset(dphi, 0, sizeof *dphi * (size_t)model->m * (size_t)p);
    if (zd) memset(dphidot, 0, sizeof *dphidot * (size_t)model->m * (size_t)p);
    for (int t = 0; t < nterm; t++) {
        const sal_term *T = &model->scene->terms.at[t];
        const double    s = z[T->s], A = z[T->i] - z[T->j], B = z[T->k] - z[T->l];
        const double   *zs = ROW(d.dz, T->s), *zi = ROW(d.dz, T->i), *zj = ROW(d.dz, T->j), *zk = ROW(d.dz, T->k),
                     *zl = ROW(d.dz, T->l);
        double *out      = ROW(dphi, T->row);
        for (int c = 0; c < p; c++) out[c] += T->c * (zs[c] * A * B + s * ((zi[c] - zj[c]) * B + A * (zk[c] - zl[c])));
        if (!zd) continue;
        const double  sd = zd[T->s], Ad = zd[T->i] - zd[T->j], Bd = zd[T->k] - zd[T->l];
        const double *vs = ROW(d.dzd, T->s), *vi = ROW(d.dzd, T->i), *vj = ROW(d.dzd, T->j), *vk = ROW(d.dzd, T->k),
                     *vl = ROW(d.dzd, T->l);
        out              = ROW(dphidot, T->row);
        for (int c = 0; c < p; c++) {
            const double ds = zs[c], dA = zi[c] - zj[c], dB = zk[c] - zl[c], dsd = vs[c], dAd = vi[c] - vj[c],
                         dBd = vk[c] - vl[c];
            out[c] += T->c * (dsd * A * B + sd * (dA * B + A * dB) + ds * (Ad * B + A * Bd) +
                              s * (dAd * B + Ad * dB + dA * Bd + A * dBd));
        }
    }
}

/* The change of -lambda Phi_q of one term. */
static inline void add_force(const sal_term *T, double l, double s, double A, double B, int p, const double *dz,
                             double *force)
{
    const double *zs = ROW(dz, T->s), *zi = ROW(dz, T->i), *zj = ROW(dz, T->j), *zk = ROW(dz, T->k),
                 *zl = ROW(dz, T->l);
    double *fi = ROW(force, T->i), *fj = ROW(force, T->j), *fk = ROW(force, T->k), *fl = ROW(force, T->l);

    l *= T->c;
    for (int c = 0; c < p; c++) {
        const double dA = zi[c] - zj[c], dB = zk[c] - zl[c], onA = l * (zs[c] * B + s * dB),
                     onB = l * (zs[c] * A + s * dA);
        fi[c] -= onA;
        fj[c] += onA;
        fk[c] -= onB;
        fl[c] += onB;
    }
    if (T->s_moves) {
        double *fs = ROW(force, T->s);
        for (int c = 0; c < p; c++) fs[c] -= l * ((zi[c] - zj[c]) * B + A * (zk[c] - zl[c]));
    }
}

void sal_rows_tangent_force(const sal_model *model, const double *z, const double *lambda, sal_directions d,
                            double *force)
{
    for (int t = 0; t < model->scene->terms.n; t++) {
        const sal_term *T = &model->scene->terms.at[t];
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
                 *vj  = ROW(d.dzd, T->j);
    const double on_s = 2.0 * T->c * (Add * A + Ad * Ad), on_A = 2.0 * T->c * s * Add, on_Ad = 4.0 * T->c * s * Ad;
    double      *fi = ROW(force, T->i), *fj = ROW(force, T->j);

    for (int c = 0; c < p; c++) {
        const double dA = zi[c] - zj[c], f = l * (zs[c] * A + s * dA);
        out[c] += on_s * zs[c] + on_A * dA + on_Ad * (vi[c] - vj[c]);
        fi[c] -= f;
        fj[c] += f;
    }
}

void sal_rows_tangent_motion(const sal_model *model, const double *z, const double *zd, const double *zdd,
                             const double *lambda, sal_directions d, double *dphidd, double *force)
{
    const int  nterm = model->scene->terms.n, p = d.p;
    const bool still = model->ntimed == 0;

    memset(dphidd, 0, sizeof *dphidd * (size_t)model->m * (size_t)p);
    for (int t = 0; t < nterm; t++) {
        const sal_term *T   = &model->scene->terms.at[t];
        double         *out = ROW(dphidd, T->row);
        if (d.inert && d.inert[t]) continue;
        if (T->square && still && !T->s_moves) {
            add_square(T, z, zd, zdd, lambda[T->row], d, out, force);
            continue;
        }
        const double  s = z[T->s], A = z[T->i] - z[T->j], B = z[T->k] - z[T->l];
        const double  sd = zd[T->s], Ad = zd[T->i] - zd[T->j], Bd = zd[T->k] - zd[T->l];
        const double  sdd = zdd[T->s], Add = zdd[T->i] - zdd[T->j], Bdd = zdd[T->k] - zdd[T->l];
        const double *zs = ROW(d.dz, T->s), *zi = ROW(d.dz, T->i), *zj = ROW(d.dz, T->j), *zk = ROW(d.dz, T->k),
                     *zl = ROW(d.dz, T->l);
        const double *vi = ROW(d.dzd, T->i), *vj = ROW(d.dzd, T->j), *vk = ROW(d.dzd, T->k), *vl = ROW(d.dzd, T->l);
        const double  on_s = Add * B + 2.0 * Ad * Bd + A * Bdd, on_A = s * Bdd + 2.0 * sd * Bd + sdd * B;
        const double  on_B = s * Add + 2.0 * sd * Ad + sdd * A, on_Ad = 2.0 * (s * Bd + sd * B),
                     on_Bd = 2.0 * (s * Ad + sd * A);

        for (int c = 0; c < p; c++) {
            out[c] += T->c * (on_s * zs[c] + on_A * (zi[c] - zj[c]) + on_B * (zk[c] - zl[c]) + on_Ad * (vi[c] - vj[c]) +
                              on_Bd * (vk[c] - vl[c]));
        }
        add_force(T, lambda[T->row], s, A, B, p, d.dz, force);
        if (still && !T->s_moves) continue;
        const double *vs = ROW(d.dzd, T->s), *as = ROW(d.dzdd, T->s), *ai = ROW(d.dzdd, T->i), *aj = ROW(d.dzdd, T->j);
        const double *ak = ROW(d.dzdd, T->k), *al = ROW(d.dzdd, T->l);
        for (int c = 0; c < p; c++) {
            out[c] += T->c * (2.0 * (Ad * B + A * Bd) * vs[c] + A * B * as[c] + s * B * (ai[c] - aj[c]) +
                              s * A * (ak[c] - al[c]));
        }
    }
}
