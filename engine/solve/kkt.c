/* kkt.c - KLU on K = [M A^T; A D]. */
#include "engine/solve/solve.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "engine/solve/lapack.h"

enum { PASSES = 2, PASSES_MAX = 40 }; /* of refinement: always, and at most */

/* New pivots are searched when the condition is this much worse than when the pivots were chosen. */
static const double RCOND_DROP = 1e-3;
/* Below this the matrix counts as singular: a solution would have no correct digit. */
static const double RCOND_SINGULAR = 1e-15;

static void options(klu_common *common)
{
    klu_defaults(common);
    common->btf   = 0;  /* K has one block: the search for more only costs */
    common->scale = -1; /* none: S does it */
}

/* --------------------------------------------------------------------------------------- pattern */

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

/* The position of (row, column), by bisection in the sorted column. */
static int find_entry(const sal_pattern *p, int row, int column)
{
    const int *found =
        bsearch(&row, p->Ai + p->Ap[column], (size_t)(p->Ap[column + 1] - p->Ap[column]), sizeof(int), compare_ints);

    return (int)(found - p->Ai);
}

/* All entries as (row, column) in any order, duplicates included; with Ai NULL the columns are only counted. */
typedef struct entry_list {
    int *count; /* of each column, or where its next entry goes */
    int *Ai;
} entry_list;

static void add_entry(entry_list *list, int row, int column)
{
    if (list->Ai) list->Ai[list->count[column]] = row;
    list->count[column]++;
}

static void add_all(entry_list *list, int n, const sal_pair *pairs, int npairs, int m, const int *p, const int *c)
{
    for (int k = 0; k < n + m; k++) add_entry(list, k, k); /* the whole diagonal: D, and M = 1 in assembly */
    for (int k = 0; k < npairs; k++) {
        if (pairs[k].i >= n || pairs[k].j >= n || pairs[k].i == pairs[k].j) continue;
        add_entry(list, pairs[k].i, pairs[k].j);
        add_entry(list, pairs[k].j, pairs[k].i);
    }
    for (int r = 0; r < m; r++) {
        for (int k = p[r]; k < p[r + 1]; k++) {
            add_entry(list, n + r, c[k]);
            add_entry(list, c[k], n + r);
        }
    }
}

/* Sorts each column and drops duplicates. */
static void compress(sal_pattern *pattern)
{
    int used = 0;

    for (int c = 0; c < pattern->size; c++) {
        int first = pattern->Ap[c], last = pattern->Ap[c + 1], start = used;
        qsort(pattern->Ai + first, (size_t)(last - first), sizeof(int), compare_ints);
        for (int k = first; k < last; k++) {
            if (k == first || pattern->Ai[k] != pattern->Ai[k - 1]) pattern->Ai[used++] = pattern->Ai[k];
        }
        pattern->Ap[c] = start;
    }
    pattern->Ap[pattern->size] = pattern->nnz = used;
}

sal_status sal_pattern_create(sal_pool *pool, int n, const sal_pair *pairs, int npairs, int m, const int *p,
                              const int *c, sal_pattern *pattern)
{
    const int  size = n + m;
    entry_list list = { .count = SAL_NEW(pool, int, size + 1) };
    klu_common common;
    int        total = 0;

    *pattern          = (sal_pattern){ .n = n, .m = m, .size = size, .nmass = npairs, .nentry = m ? p[m] : 0 };
    pattern->Ap       = SAL_NEW(pool, int, size + 1);
    pattern->mass[0]  = SAL_NEW(pool, int, npairs);
    pattern->mass[1]  = SAL_NEW(pool, int, npairs);
    pattern->row      = SAL_NEW(pool, int, m + 1);
    pattern->column   = SAL_NEW(pool, int, pattern->nentry);
    pattern->lower    = SAL_NEW(pool, int, pattern->nentry);
    pattern->upper    = SAL_NEW(pool, int, pattern->nentry);
    pattern->diagonal = SAL_NEW(pool, int, size);
    if (pool->failed) return SAL_ERR_MEMORY;
    if (m) memcpy(pattern->row, p, sizeof *p * (size_t)(m + 1));
    if (m) memcpy(pattern->column, c, sizeof *c * (size_t)pattern->nentry);

    add_all(&list, n, pairs, npairs, m, p, c);
    for (int k = 0; k < size; k++) {
        pattern->Ap[k] = total;
        total += list.count[k];
        list.count[k] = pattern->Ap[k];
    }
    pattern->Ap[size] = total;
    list.Ai = pattern->Ai = SAL_NEW(pool, int, total);
    if (pool->failed) return SAL_ERR_MEMORY;
    add_all(&list, n, pairs, npairs, m, p, c);
    compress(pattern);

    for (int k = 0; k < size; k++) pattern->diagonal[k] = find_entry(pattern, k, k);
    for (int k = 0; k < npairs; k++) {
        bool inside         = pairs[k].i < n && pairs[k].j < n;
        pattern->mass[0][k] = inside ? find_entry(pattern, pairs[k].i, pairs[k].j) : -1;
        pattern->mass[1][k] = inside && pairs[k].i != pairs[k].j ? find_entry(pattern, pairs[k].j, pairs[k].i) : -1;
    }
    for (int r = 0; r < m; r++) {
        for (int k = p[r]; k < p[r + 1]; k++) {
            pattern->lower[k] = find_entry(pattern, n + r, c[k]);
            pattern->upper[k] = find_entry(pattern, c[k], n + r);
        }
    }
    options(&common);
    pattern->symbolic = klu_analyze(size, pattern->Ap, pattern->Ai, &common);
    return pattern->symbolic ? SAL_OK : SAL_ERR_MEMORY;
}

void sal_pattern_free(sal_pattern *pattern)
{
    klu_common common;

    if (!pattern->symbolic) return;
    options(&common);
    klu_free_symbolic(&pattern->symbolic, &common);
}

/* --------------------------------------------------------------------------------------- numbers */

sal_status sal_kkt_init(sal_kkt *kkt, const sal_pattern *pattern, sal_pool *pool)
{
    *kkt        = (sal_kkt){ .pattern = pattern };
    kkt->Ax     = SAL_NEW(pool, double, pattern->nnz);
    kkt->scale  = SAL_NEW(pool, double, pattern->size);
    kkt->factor = SAL_NEW(pool, double, pattern->nentry);
    kkt->work   = SAL_NEW(pool, double, 2 * pattern->size);
    options(&kkt->common);
    if (pool->failed) return SAL_ERR_MEMORY;
    for (int k = 0; k < pattern->size; k++) kkt->scale[k] = 1.0;
    for (int k = 0; k < pattern->nentry; k++) kkt->factor[k] = 1.0;
    return SAL_OK;
}

void sal_kkt_free(sal_kkt *kkt)
{
    if (kkt->numeric) klu_free_numeric(&kkt->numeric, &kkt->common);
}

static void clear(sal_kkt *kkt)
{
    for (int k = 0; k < kkt->pattern->nnz; k++) kkt->Ax[k] = 0.0;
}

/* Chooses S for the M that stands in K, unscaled, and the rows given, and applies it to M.
 * s_i = 1/sqrt(M_ii); s_r = 1/|a_r S|. What has no mass is scaled like the rest on average, an empty row not at all. */
static void equilibrate(sal_kkt *kkt, const double *entry)
{
    const sal_pattern *p = kkt->pattern;
    double            *s = kkt->scale, sum = 0.0;
    int                some = 0;

    for (int k = 0; k < p->n; k++) {
        const double m = kkt->Ax[p->diagonal[k]];
        s[k]           = m > 0.0 ? 1.0 / sqrt(m) : 0.0;
        sum += s[k];
        some += m > 0.0;
    }
    for (int k = 0; k < p->n; k++) {
        if (s[k] == 0.0) s[k] = some ? sum / some : 1.0;
    }
    for (int r = 0; r < p->m; r++) {
        double square = 0.0;
        for (int k = p->row[r]; k < p->row[r + 1]; k++)
            square += entry[k] * entry[k] * s[p->column[k]] * s[p->column[k]];
        s[p->n + r] = square > 0.0 ? 1.0 / sqrt(square) : 1.0;
        for (int k = p->row[r]; k < p->row[r + 1]; k++) kkt->factor[k] = s[p->n + r] * s[p->column[k]];
    }
    for (int c = 0; c < p->n; c++) {
        for (int k = p->Ap[c]; k < p->Ap[c + 1] && p->Ai[k] < p->n; k++) kkt->Ax[k] *= s[p->Ai[k]] * s[c];
    }
}

void sal_kkt_equilibrate(sal_kkt *kkt, const double *value, const double *entry)
{
    const sal_pattern *p = kkt->pattern;

    clear(kkt);
    for (int k = 0; k < p->nmass; k++) {
        if (p->mass[0][k] >= 0) kkt->Ax[p->mass[0][k]] += value[k];
        if (p->mass[1][k] >= 0) kkt->Ax[p->mass[1][k]] += value[k];
    }
    equilibrate(kkt, entry);
}

void sal_kkt_equilibrate_diagonal(sal_kkt *kkt, const double *diagonal, const double *entry)
{
    clear(kkt);
    for (int k = 0; k < kkt->pattern->n; k++) kkt->Ax[kkt->pattern->diagonal[k]] = diagonal ? diagonal[k] : 1.0;
    equilibrate(kkt, entry);
}

void sal_kkt_set_rows(sal_kkt *kkt, const double *entry)
{
    const sal_pattern *p = kkt->pattern;

    for (int k = 0; k < p->nentry; k++) {
        const double x       = entry[k] * kkt->factor[k];
        kkt->Ax[p->lower[k]] = x;
        kkt->Ax[p->upper[k]] = x;
    }
}

void sal_kkt_slide(sal_kkt *kkt, const double *entry, int r, int s, double kappa)
{
    const sal_pattern *p = kkt->pattern;

    for (int k = p->row[r], l = p->row[s]; k < p->row[r + 1]; k++, l++) {
        kkt->Ax[p->upper[k]] = (entry[k] + kappa * entry[l]) * kkt->factor[k];
        kkt->Ax[p->lower[l]] = kkt->Ax[p->upper[l]] = 0.0;
    }
}

void sal_kkt_set_corner(sal_kkt *kkt, const double *d, const bool *on)
{
    const sal_pattern *p = kkt->pattern;

    for (int r = 0; r < p->m; r++) {
        const double s                 = kkt->scale[p->n + r];
        kkt->Ax[p->diagonal[p->n + r]] = on && !on[r] ? -1.0 : d ? s * s * d[r] : 0.0;
    }
}

void sal_kkt_regularize(sal_kkt *kkt, double eps, const bool *on)
{
    const sal_pattern *p = kkt->pattern;

    for (int r = 0; r < p->m; r++) kkt->Ax[p->diagonal[p->n + r]] = on && !on[r] ? -1.0 : -eps;
}

void sal_kkt_soften(sal_kkt *kkt, const double *eps, const bool *on)
{
    const sal_pattern *p = kkt->pattern;

    for (int r = 0; r < p->m; r++) kkt->Ax[p->diagonal[p->n + r]] = on[r] ? -eps[r] : -1.0;
}

void sal_kkt_forget(sal_kkt *kkt)
{
    kkt->rcond = 0.0;
}

static sal_status factor_anew(sal_kkt *kkt)
{
    const sal_pattern *p = kkt->pattern;

    if (kkt->numeric) klu_free_numeric(&kkt->numeric, &kkt->common);
    kkt->full++;
    kkt->numeric = klu_factor(p->Ap, p->Ai, kkt->Ax, p->symbolic, &kkt->common);
    if (kkt->common.status == KLU_OUT_OF_MEMORY) return SAL_ERR_MEMORY;
    if (!kkt->numeric || kkt->common.status != KLU_OK) return SAL_ERR_SINGULAR;
    klu_rcond(p->symbolic, kkt->numeric, &kkt->common);
    kkt->rcond = kkt->common.rcond;
    return kkt->rcond > RCOND_SINGULAR ? SAL_OK : SAL_ERR_SINGULAR; /* false for NaN as well */
}

sal_status sal_kkt_factor(sal_kkt *kkt)
{
    const sal_pattern *p = kkt->pattern;

    kkt->factorizations++;
    if (kkt->numeric && kkt->rcond > RCOND_SINGULAR &&
        klu_refactor(p->Ap, p->Ai, kkt->Ax, p->symbolic, kkt->numeric, &kkt->common) && kkt->common.status == KLU_OK) {
        klu_rcond(p->symbolic, kkt->numeric, &kkt->common);
        if (kkt->common.rcond > RCOND_DROP * kkt->rcond) return SAL_OK;
    }
    return factor_anew(kkt);
}

static void apply_scale(const sal_kkt *kkt, double *b, int columns)
{
    const int size = kkt->pattern->size;

    for (int c = 0; c < columns; c++) {
        for (int k = 0; k < size; k++) b[c * size + k] *= kkt->scale[k];
    }
}

void sal_kkt_solve(sal_kkt *kkt, double *b, int columns)
{
    apply_scale(kkt, b, columns);
    klu_solve(kkt->pattern->symbolic, kkt->numeric, kkt->pattern->size, columns, b, &kkt->common);
    apply_scale(kkt, b, columns);
}

/* r = b - K0 x, K0 = S K S without its lower right corner. */
static void residual(const sal_kkt *kkt, const double *b, const double *x, double *r)
{
    const sal_pattern *p = kkt->pattern;

    memcpy(r, b, sizeof *r * (size_t)p->size);
    for (int c = 0; c < p->size; c++) {
        for (int k = p->Ap[c]; k < p->Ap[c + 1]; k++) {
            if (c < p->n || p->Ai[k] < p->n) r[p->Ai[k]] -= kkt->Ax[k] * x[c];
        }
    }
}

void sal_kkt_solve_exact(sal_kkt *kkt, double *b, int columns)
{
    const int size = kkt->pattern->size;
    double   *left = kkt->work, *goal = kkt->work + size;

    apply_scale(kkt, b, columns);
    for (int c = 0; c < columns; c++) {
        double *x = b + (size_t)c * (size_t)size, last = HUGE_VAL;
        memcpy(goal, x, sizeof *goal * (size_t)size);
        klu_solve(kkt->pattern->symbolic, kkt->numeric, size, 1, x, &kkt->common);
        for (int pass = 0; pass < PASSES_MAX; pass++) { /* as long as each gains at least a binary digit */
            double now = 0.0;
            residual(kkt, goal, x, left);
            for (int k = 0; k < size; k++) now = fmax(now, fabs(left[k]));
            if (pass >= PASSES && !(now < 0.5 * last)) break;
            last = now;
            klu_solve(kkt->pattern->symbolic, kkt->numeric, size, 1, left, &kkt->common);
            for (int k = 0; k < size; k++) x[k] += left[k];
        }
    }
    apply_scale(kkt, b, columns);
}

/* ------------------------------------------------------------------------------------ dense rank */

/* Rank by QR with column pivoting, A P = Q [R11 R12; 0 ~0]; then x = P [-R11^-1 R12 e; e] solves A x = 0. */
sal_status sal_dense_rank(sal_pool *pool, int rows, int columns, double *a, int *rank, double *null)
{
    const int least = rows < columns ? rows : columns;
    int      *pivot = SAL_NEW(pool, int, columns), info, work_size = -1;
    double   *tau = SAL_NEW(pool, double, least), *work, best;

    *rank = 0;
    if (!pivot || !tau) return SAL_ERR_MEMORY;
    if (least == 0) return SAL_OK;
    dgeqp3_(&rows, &columns, a, &rows, pivot, tau, &best, &work_size, &info);
    work_size = (int)best;
    work      = SAL_NEW(pool, double, work_size);
    if (!work) return SAL_ERR_MEMORY;
    dgeqp3_(&rows, &columns, a, &rows, pivot, tau, work, &work_size, &info);

#define R(i, j) a[(size_t)(j) * (size_t)rows + (size_t)(i)]
    while (*rank < least && fabs(R(*rank, *rank)) > 1e-11 * fabs(R(0, 0))) (*rank)++;
    if (!null || *rank == columns) return SAL_OK;
    memset(null, 0, sizeof *null * (size_t)columns);
    null[pivot[*rank] - 1] = 1.0;
    for (int i = *rank - 1; i >= 0; i--) {
        double sum = R(i, *rank);
        for (int j = i + 1; j < *rank; j++) sum += R(i, j) * null[pivot[j] - 1];
        null[pivot[i] - 1] = -sum / R(i, i);
    }
#undef R
    return SAL_OK;
}

sal_status sal_kkt_null(const sal_kkt *kkt, sal_pool *pool, double *null)
{
    const sal_pattern *p = kkt->pattern;
    double            *a = SAL_NEW(pool, double, (size_t)p->size *(size_t)p->size);
    int                rank;
    sal_status         status;

    if (!a) return SAL_ERR_MEMORY;
    for (int c = 0; c < p->size; c++) {
        for (int k = p->Ap[c]; k < p->Ap[c + 1]; k++) a[(size_t)c * (size_t)p->size + (size_t)p->Ai[k]] = kkt->Ax[k];
    }
    status = sal_dense_rank(pool, p->size, p->size, a, &rank, null);
    if (status == SAL_OK && rank == p->size) memset(null, 0, sizeof *null * (size_t)p->size);
    if (status == SAL_OK) apply_scale(kkt, null, 1);
    return status;
}
