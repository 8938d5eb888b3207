/* chosen.c - how multipliers change that are not determined, of which the least are taken.
 *
 * K0 = [M B^T; A 0] is singular where rows depend on each other (B is A, with couplings where friction slides). Of the
 * lambda possible a corner -E, diagonal and small, takes the one with z^T E lambda = 0 for all z with A^T z = 0: it is
 * E lambda = A d1 for some d1. Differentiated, A turns with the state, and E changes with what it is made of:
 *
 *     K0 [d1; .] = [0; E lambda],      z^T (E lambda' + E' lambda - A' d1) = 0
 *
 * The tangent equations solved for the least lambda' leave the second part out: what has to be added has no motion,
 *
 *     [M B^T; A -E] [.; delta] = [0; E' lambda - A' d1]        of which what K0 does not see is taken
 *
 * and transposed, with y from the same equations for the cotangents of lambda, y^T (E' lambda - A' d1).
 *
 * E = corner w / S^2 of the rows that share: S of the equilibration at the start, 1/S_r^2 = sum_k A_rk^2/M_kk there;
 * w by rows where friction is shared in proportion to the normal forces n (sal_system_share_first), w S^-2 ~ 1/n. Only
 * the ratios of E matter, so that E'/E is kept up to a common number. */
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/motion/motion.h"

/* How M_kk changes, over it, [n][p], as S_k = M_kk^-1/2 has it: what has no mass of its own has the mean S of the
 * others. */
static void change_of_masses(const sal_tangent *t, sal_system *s, double *change)
{
    const sal_tables *tables = s->model->tables;
    const int         n = s->model->n, p = t->p;
    const size_t      mark = sal_arena_mark(&s->arena);
    double           *mass = sal_arena_take(&s->arena, n), *mean = t->number, sum = 0.0;

    memset(mass, 0, sizeof *mass * (size_t)n);
    memset(change, 0, sizeof *change * (size_t)(n * p));
    memset(mean, 0, sizeof *mean * (size_t)p);
    for (int i = 0; i < tables->masses.n; i++) {
        const int k = tables->masses.at[i].i;
        if (k >= n || tables->masses.at[i].j != k) continue;
        mass[k] += s->mass[i];
        for (int c = 0; c < p; c++) SAL_ROW(change, k, p)[c] += SAL_ROW(t->mass, i, p)[c];
    }
    for (int k = 0; k < n; k++) {
        if (!(mass[k] > 0.0)) continue;
        sum += s->motion.scale[k];
        for (int c = 0; c < p; c++) {
            SAL_ROW(change, k, p)[c] /= mass[k];
            mean[c] += s->motion.scale[k] * SAL_ROW(change, k, p)[c];
        }
    }
    for (int k = 0; k < n; k++) {
        for (int c = 0; c < p && !(mass[k] > 0.0); c++) SAL_ROW(change, k, p)[c] = sum > 0.0 ? mean[c] / sum : 0.0;
    }
    sal_arena_release(&s->arena, mark);
}

void sal_chosen_start(sal_tangent *t, sal_system *s)
{
    const sal_model *model = s->model;
    const int        p     = t->p;
    const size_t     mark  = sal_arena_mark(&s->arena);
    double          *unit = sal_arena_take(&s->arena, model->m), *mass = t->rhs;
    const double    *scale = s->motion.scale;
    sal_row_mode     one   = s->every;
    const sal_rows   all   = { model, &s->every, s->value, s->first, s->rows.direction },
                   row     = { model, &one, s->value, s->first, s->rows.direction };

    one.held = t->only;
    sal_rows_jacobian(&all, s->z, s->entry);
    change_of_masses(t, s, mass);
    memset(unit, 0, sizeof *unit * (size_t)model->m);
    memset(t->only, 0, sizeof *t->only * (size_t)model->m);
    for (int r = 0; r < model->m; r++) {
        double *out = SAL_ROW(t->share_start, r, p), square = 0.0;
        memset(out, 0, sizeof *out * (size_t)p);
        memset(t->force, 0, sizeof(double) * (size_t)model->nz * (size_t)p);
        unit[r]    = 1.0;
        t->only[r] = true;
        sal_rows_force_jvp(&row, s->z, unit, sal_tangent_directions(t), t->force); /* -(row r)' */
        unit[r]    = 0.0;
        t->only[r] = false;
        for (int i = model->jp[r]; i < model->jp[r + 1]; i++) {
            const int    k    = model->jc[i];
            const double part = s->entry[i] * scale[k] * scale[k];
            square += part * s->entry[i];
            for (int c = 0; c < p; c++)
                out[c] -= part * (2.0 * SAL_ROW(t->force, k, p)[c] + s->entry[i] * SAL_ROW(mass, k, p)[c]);
        }
        for (int c = 0; c < p; c++) out[c] = square > 0.0 ? out[c] / square : 0.0;
    }
    sal_chosen_by_start(t, s);
    sal_arena_release(&s->arena, mark);
}

void sal_chosen_by_start(sal_tangent *t, const sal_system *s)
{
    memcpy(t->share, t->share_start, sizeof *t->share * (size_t)s->model->m * (size_t)t->p);
}

void sal_chosen_by_normals(sal_tangent *t, const sal_system *s, const double *lambda, const double *Lambda)
{
    const sal_tables *tables = s->model->tables;
    int               most   = -1;

    sal_chosen_by_start(t, s);
    for (int r = 0; r < s->model->m; r++) {
        if (tables->rows.at[r].sharing != SAL_SHARES_NEXT || !(lambda[r] > 0.0)) continue;
        if (most < 0 || lambda[r] > lambda[most]) most = r;
    }
    for (int r = 0; r < s->model->m && most >= 0; r++) {
        const sal_row *row = &tables->rows.at[r];
        if (row->sharing != SAL_SHARES_FIRST) continue;
        const double load   = sal_portions_load(s, lambda, 1, r);
        const bool   by_own = load > SAL_SHARE_LEAST * lambda[most];
        for (int c = 0; c < t->p; c++) {
            const double change = by_own ? sal_portions_load(s, Lambda + c, t->p, r) : Lambda[most * t->p + c];
            SAL_ROW(t->share, r, t->p)[c] = -change / (by_own ? load : lambda[most]);
        }
    }
}

/* d1 [nz], as a velocity: what is no coordinate stands still. */
static void find_d1(sal_system *s, const double *lambda, double *d1)
{
    const int    n = s->model->n, m = s->model->m;
    const size_t mark = sal_arena_mark(&s->arena);
    double      *b    = sal_arena_take(&s->arena, n + m);

    memset(b, 0, sizeof *b * (size_t)n);
    for (int r = 0; r < m; r++) b[n + r] = s->mode.held[r] ? -sal_kkt_corner(&s->motion, r) * lambda[r] : 0.0;
    sal_kkt_solve_least(&s->motion, b, 1);
    memset(d1, 0, sizeof *d1 * (size_t)s->model->nz);
    memcpy(d1, b, sizeof *d1 * (size_t)n);
    sal_arena_release(&s->arena, mark);
}

void sal_chosen_jvp(sal_tangent *t, sal_system *s, const double *lambda, double *Lambda)
{
    const sal_model *model = s->model;
    const int        n = model->n, m = model->m, size = n + m, p = t->p;
    const size_t     mark = sal_arena_mark(&s->arena);
    double          *d1   = sal_arena_take(&s->arena, model->nz);

    find_d1(s, lambda, d1);
    sal_rows_residual_jvp(&s->rows, s->z, d1, (sal_directions){ p, t->z, t->none, t->none, t->inert }, t->row, t->row2);
    memset(t->rhs, 0, sizeof *t->rhs * (size_t)size * (size_t)p);
    for (int r = 0; r < m; r++) {
        if (!s->mode.held[r]) continue;
        const double E = -sal_kkt_corner(&s->motion, r);
        for (int c = 0; c < p; c++)
            t->rhs[c * size + n + r] = SAL_ROW(t->share, r, p)[c] * E * lambda[r] - SAL_ROW(t->row2, r, p)[c];
    }
    sal_kkt_solve_unseen(&s->motion, t->rhs, p);
    for (int r = 0; r < m; r++) {
        for (int c = 0; c < p && s->mode.held[r]; c++) SAL_ROW(Lambda, r, p)[c] += t->rhs[c * size + n + r];
    }
    sal_arena_release(&s->arena, mark);
}

void sal_chosen_vjp(sal_pullback *t, sal_system *s, const double *lambda_bar)
{
    const sal_model *model = s->model;
    const int        n = model->n, m = model->m;
    const size_t     mark = sal_arena_mark(&s->arena);
    double          *d1 = sal_arena_take(&s->arena, model->nz), *nobody = sal_arena_take(&s->arena, model->nz);
    double          *y   = sal_arena_take(&s->arena, n + m);
    sal_cotangents   bar = sal_pullback_cotangents(t);

    find_d1(s, s->solved, d1);
    memset(nobody, 0, sizeof *nobody * (size_t)model->nz);
    memset(y, 0, sizeof *y * (size_t)n);
    for (int r = 0; r < m; r++) y[n + r] = s->mode.held[r] ? lambda_bar[r] : 0.0;
    sal_kkt_solve_unseen_transposed(&s->motion, y, 1);
    for (int r = 0; r < m; r++) {
        t->row[r]     = 0.0;
        t->row[m + r] = s->mode.held[r] ? -y[n + r] : 0.0;
        t->share[r] += s->mode.held[r] ? y[n + r] * -sal_kkt_corner(&s->motion, r) * s->solved[r] : 0.0;
    }
    bar.zd = nobody; /* d1 is held */
    sal_rows_residual_vjp(&s->rows, s->z, d1, t->row, t->row + m, bar);
    sal_arena_release(&s->arena, mark);
}
