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
