/* shift.c - the matrices of an implicit step; equations in solve.h. All of them are kept as they are solved, S . S with
 * the S of K. */
#include "engine/solve/sparse.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------- making */

/* Columns in which no row has more than one entry get the same colour: along all of them at once the equations are
 * differentiated in one direction. The pattern is symmetric, so the rows of a column are the columns of a row. */
static sal_status choose_colours(sal_shift *x, sal_pool *pool)
{
    const sal_pattern *p     = &x->pattern;
    int               *taken = SAL_NEW(pool, int, p->n + 1); /* by which column last, plus one */

    x->colour  = SAL_NEW(pool, int, p->n);
    x->colours = 0;
    if (pool->failed) return SAL_ERR_MEMORY;
    for (int c = 0; c < p->n; c++) {
        for (int k = p->Ap[c]; k < p->Ap[c + 1]; k++) {
            const int row = p->Ai[k];
            for (int l = p->Ap[row]; l < p->Ap[row + 1] && p->Ai[l] < c; l++) taken[x->colour[p->Ai[l]]] = c + 1;
        }
        while (taken[x->colour[c]] == c + 1) x->colour[c]++;
        if (x->colour[c] >= x->colours) x->colours = x->colour[c] + 1;
    }
    return SAL_OK;
}

/* All stages: q of one acts on all of them, lambda on its own. */
static sal_status make_stages(sal_shift *x, sal_pool *pool)
{
    const sal_pattern *p   = &x->pattern;
    sal_pattern       *all = &x->all;
    klu_common         common;
    int                used = 0;

    *all = (sal_pattern){ .size = SAL_STAGES * p->size, .nnz = SAL_STAGES * (p->nnz + (SAL_STAGES - 1) * p->Ap[p->n]) };
    all->Ap = SAL_NEW(pool, int, all->size + 1);
    all->Ai = SAL_NEW(pool, int, all->nnz);
    if (pool->failed) return SAL_ERR_MEMORY;
    for (int column = 0; column < all->size; column++) {
        const int stage = column / p->size, c = column % p->size;
        for (int i = 0; i < SAL_STAGES; i++) {
            for (int k = p->Ap[c]; k < p->Ap[c + 1] && (c < p->n || i == stage); k++)
                all->Ai[used++] = i * p->size + p->Ai[k];
        }
        all->Ap[column + 1] = used;
    }
    sal_klu_options(&common);
    all->symbolic = klu_analyze(all->size, all->Ap, all->Ai, &common);
    return all->symbolic ? sal_kkt_init(&x->stages, all, pool) : SAL_ERR_MEMORY;
}

static void scale_rows(sal_kkt *kkt)
{
    klu_common *common = kkt->common;

    common->scale = 2; /* by their largest entries */
}

sal_status sal_shift_init(sal_shift *x, const sal_pattern *motion, const sal_pair *pairs, int npairs, const int *p,
                          const int *c, sal_pool *pool)
{
    sal_status status = sal_pattern_create(pool, motion->n, pairs, npairs, motion->m, p, c, &x->pattern);

    if (status != SAL_OK) return status;
    x->place = SAL_NEW(pool, int, motion->nnz);
    for (int i = 0; i <= SAL_STAGES; i++) {
        x->at[i].K  = SAL_NEW(pool, double, x->pattern.nnz);
        x->at[i].A0 = SAL_NEW(pool, double, x->pattern.nnz);
        x->at[i].A1 = SAL_NEW(pool, double, x->pattern.nnz);
    }
    x->work = SAL_NEW(pool, double, SAL_STAGES * motion->size);
    if (pool->failed) return SAL_ERR_MEMORY;
    for (int column = 0, k = 0; column < motion->size; column++) {
        int to = x->pattern.Ap[column];
        for (; k < motion->Ap[column + 1]; k++) { /* both are sorted, and all of K is there */
            while (x->pattern.Ai[to] != motion->Ai[k]) to++;
            x->place[k] = to;
        }
    }
    status = sal_kkt_init(&x->real, &x->pattern, pool);
    if (status == SAL_OK) status = sal_kkt_init(&x->metric, &x->pattern, pool);
    if (status == SAL_OK) status = make_stages(x, pool);
    if (status != SAL_OK) return status;
    scale_rows(&x->real); /* what is stiff makes rows as much larger, which S knows nothing of */
    scale_rows(&x->metric);
    scale_rows(&x->stages);
    return choose_colours(x, pool);
}

void sal_shift_free(sal_shift *x)
{
    sal_kkt_free(&x->real);
    sal_kkt_free(&x->metric);
    sal_kkt_free(&x->stages);
    sal_pattern_free(&x->pattern);
    sal_pattern_free(&x->all);
}

/* ------------------------------------------------------------------------------------- Jacobians */

void sal_shift_begin(sal_shift *x, const sal_kkt *kkt)
{
    memcpy(x->real.scale, kkt->scale, sizeof *kkt->scale * (size_t)x->pattern.size);
    memcpy(x->metric.scale, kkt->scale, sizeof *kkt->scale * (size_t)x->pattern.size);
    sal_kkt_start_anew(&x->real); /* a step knows nothing of those before it: made again it has the same bits */
    sal_kkt_start_anew(&x->metric);
    sal_kkt_start_anew(&x->stages);
}

void sal_shift_take(sal_shift *x, int place, const sal_kkt *kkt)
{
    double *K = x->at[place].K;

    memset(K, 0, sizeof *K * (size_t)x->pattern.nnz);
    for (int k = 0; k < kkt->pattern->nnz; k++) K[x->place[k]] = kkt->Ax[k];
}

/* One of A0 and A1. */
static void differentiate(const sal_shift *x, const double *change, double *A)
{
    const sal_pattern *p = &x->pattern;
    const double      *S = x->real.scale;

    for (int c = 0; c < p->n; c++) {
        const double *column = change + (size_t)x->colour[c] * (size_t)p->size;
        for (int k = p->Ap[c]; k < p->Ap[c + 1]; k++) {
            const double slope = S[p->Ai[k]] * column[p->Ai[k]] * S[c];
            A[k] = isfinite(slope) ? slope : 0.0; /* where something begins there may be none: iterations do without */
        }
    }
}

void sal_shift_differentiate(sal_shift *x, int place, const double *change)
{
    differentiate(x, change, x->at[place].A0);
    differentiate(x, change + (size_t)x->colours * (size_t)x->pattern.size, x->at[place].A1);
}

void sal_shift_copy(sal_shift *x, int from, int to)
{
    const size_t size = sizeof(double) * (size_t)x->pattern.nnz;

    memcpy(x->at[to].K, x->at[from].K, size);
    memcpy(x->at[to].A0, x->at[from].A0, size);
    memcpy(x->at[to].A1, x->at[from].A1, size);
}

/* --------------------------------------------------------------------------------- one real number */

static sal_status factor_at(const sal_shift *x, const sal_shift_at *at, double g, sal_kkt *kkt)
{
    for (int k = 0; k < x->pattern.nnz; k++) kkt->Ax[k] = at->K[k] - (at->A1[k] + at->A0[k] / g) / g;
    return sal_kkt_factor(kkt);
}

sal_status sal_shift_factor(sal_shift *x, double g)
{
    x->g = g;
    return factor_at(x, &x->at[SAL_STAGES], g, &x->real);
}

sal_status sal_shift_factor_metric(sal_shift *x, const sal_kkt *kkt)
{
    const sal_pattern  *p  = &x->pattern;
    const sal_shift_at *at = &x->at[SAL_STAGES];

    memset(x->metric.Ax, 0, sizeof(double) * (size_t)p->nnz);
    for (int k = 0; k < kkt->pattern->nnz; k++) x->metric.Ax[x->place[k]] = kkt->Ax[k];
    for (int c = 0; c < p->n; c++) {
        for (int k = p->Ap[c]; k < p->Ap[c + 1] && p->Ai[k] < p->n; k++)
            x->metric.Ax[k] -= (at->A1[k] + at->A0[k] / x->g) / x->g;
    }
    return sal_kkt_factor(&x->metric);
}

/* Adds K u - A1 r to b, of the columns of q; u and r are divided by S, as b is multiplied by it. */
static void add_product(const sal_shift *x, const sal_shift_at *at, int c, double u, double r, double *b)
{
    const sal_pattern *p = &x->pattern;

    for (int k = p->Ap[c]; k < p->Ap[c + 1]; k++) b[p->Ai[k]] += at->K[k] * u - at->A1[k] * r;
}

static void solve_at(const sal_shift *x, const sal_shift_at *at, double g, sal_kkt *kkt, double *q, double *v)
{
    const sal_pattern *p = &x->pattern;
    const double      *S = x->real.scale;
    double            *b = x->work;

    memset(b, 0, sizeof *b * (size_t)p->size);
    for (int c = 0; c < p->n; c++) add_product(x, at, c, (g * q[c] + v[c]) / S[c], q[c] / S[c], b);
    klu_solve(p->symbolic, kkt->numeric, p->size, 1, b, kkt->common);
    for (int c = 0; c < p->n; c++) {
        const double dq = S[c] * b[c] / (g * g);
        v[c]            = g * dq - q[c];
        q[c]            = dq;
    }
}

void sal_shift_solve(sal_shift *x, double *q, double *v)
{
    solve_at(x, &x->at[SAL_STAGES], x->g, &x->real, q, v);
}

sal_status sal_shift_relax(sal_shift *x, int place, double g, double *q, double *v)
{
    const sal_status status = factor_at(x, &x->at[place], g, &x->metric);

    if (status == SAL_OK) solve_at(x, &x->at[place], g, &x->metric, q, v);
    return status;
}

/* ---------------------------------------------------------------------------------------- stages */

sal_status sal_shift_factor_stages(sal_shift *x, const double (*B)[SAL_STAGES])
{
    const sal_pattern *p    = &x->pattern;
    const double       unit = 1.0 / (x->g * x->g);
    double            *to = x->stages.Ax, BB[SAL_STAGES][SAL_STAGES] = { 0 };

    memcpy(x->B, B, sizeof x->B);
    for (int i = 0; i < SAL_STAGES; i++) {
        for (int j = 0; j < SAL_STAGES; j++) {
            for (int k = 0; k < SAL_STAGES; k++) BB[i][k] += B[i][j] * B[j][k];
        }
    }
    for (int stage = 0; stage < SAL_STAGES; stage++) {
        for (int c = 0; c < p->n; c++) {
            for (int i = 0; i < SAL_STAGES; i++) {
                const sal_shift_at *at = &x->at[i];
                const double own = i == stage ? unit : 0.0, first = unit * B[i][stage], second = unit * BB[i][stage];
                for (int k = p->Ap[c]; k < p->Ap[c + 1]; k++)
                    *to++ = second * at->K[k] - first * at->A1[k] - own * at->A0[k];
            }
        }
        for (int k = p->Ap[p->n]; k < p->nnz; k++) *to++ = x->at[stage].K[k];
    }
    return sal_kkt_factor(&x->stages);
}

void sal_shift_solve_stages(sal_shift *x, double *const *q, double *const *v)
{
    const sal_pattern *p = &x->pattern;
    const double      *S = x->real.scale, unit = 1.0 / (x->g * x->g);
    double            *b = x->work;

    memset(b, 0, sizeof *b * (size_t)x->all.size);
    for (int i = 0; i < SAL_STAGES; i++) {
        for (int c = 0; c < p->n; c++) {
            double u = v[i][c];
            for (int j = 0; j < SAL_STAGES; j++) u += x->B[i][j] * q[j][c];
            add_product(x, &x->at[i], c, unit * u / S[c], unit * q[i][c] / S[c], b + i * p->size);
        }
    }
    klu_solve(x->all.symbolic, x->stages.numeric, x->all.size, 1, b, x->stages.common);
    for (int c = 0; c < p->n; c++) {
        for (int i = 0; i < SAL_STAGES; i++) {
            v[i][c] = -q[i][c];
            for (int j = 0; j < SAL_STAGES; j++) v[i][c] += x->B[i][j] * S[c] * b[j * p->size + c];
        }
        for (int i = 0; i < SAL_STAGES; i++) q[i][c] = S[c] * b[i * p->size + c];
    }
}
