/* kkt.c - the numbers of K = [M A^T; A D], its factors, and solves with them:
 *
 *     (S K S) y = S b,  x = S y                    K x = b; and with K^T, which has the same factors
 *     x <- x + (S K S)^-1 (b - K0 x)               K0: K without a corner that only lets dependent rows pass
 *
 * Rounding errors of the residual, divided by the corner D, are in the multipliers y that K0 does not see, K0 [0; y] =
 * 0. As K [0; y] = [0; D y],
 *
 *     P x = K^-1 [0; D x]                          is y for these, and of all others only the part D/(sigma + D),
 *
 * sigma what K0 makes of them: x - P^k x has none of these errors, and is the least solution. */
#include "engine/solve/sparse.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PASSES = 2, PASSES_MAX = 40, UNSEEN_MAX = 6 }; /* of refinement: always, and at most; of P */

/* --------------------------------------------------------------------------------------- numbers */

sal_status sal_kkt_init(sal_kkt *kkt, const sal_pattern *pattern, sal_pool *pool)
{
    *kkt         = (sal_kkt){ .pattern = pattern };
    kkt->Ax      = SAL_NEW(pool, double, pattern->nnz);
    kkt->pivoted = SAL_NEW(pool, double, pattern->nnz);
    kkt->scale   = SAL_NEW(pool, double, pattern->size);
    kkt->factor  = SAL_NEW(pool, double, pattern->nentry);
    kkt->work    = SAL_NEW(pool, double, 4 * pattern->size);
    kkt->common  = SAL_NEW(pool, klu_common, 1);
    if (pool->failed) return SAL_ERR_MEMORY;
    sal_klu_options(kkt->common);
    for (int k = 0; k < pattern->size; k++) kkt->scale[k] = 1.0;
    for (int k = 0; k < pattern->nentry; k++) kkt->factor[k] = 1.0;
    return SAL_OK;
}

static void forget_factors(sal_kkt *kkt)
{
    klu_numeric *numeric = kkt->numeric;

    if (numeric) klu_free_numeric(&numeric, kkt->common);
    kkt->numeric  = NULL;
    kkt->unpacked = false;
}

void sal_kkt_free(sal_kkt *kkt)
{
    forget_factors(kkt);
    sal_factors_free(kkt);
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

void sal_kkt_couple(sal_kkt *kkt, const double *entry, int r, int s, double factor)
{
    const sal_pattern *p = kkt->pattern;

    for (int k = p->row[r], l = p->row[s]; k < p->row[r + 1]; k++, l++) {
        kkt->Ax[p->upper[k]] = (entry[k] + factor * entry[l]) * kkt->factor[k];
        kkt->Ax[p->lower[l]] = kkt->Ax[p->upper[l]] = 0.0;
    }
}

void sal_kkt_clear_row(sal_kkt *kkt, int r)
{
    const sal_pattern *p = kkt->pattern;

    for (int k = p->row[r]; k < p->row[r + 1]; k++) kkt->Ax[p->lower[k]] = kkt->Ax[p->upper[k]] = 0.0;
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

void sal_kkt_start_anew(sal_kkt *kkt)
{
    sal_kkt_forget(kkt);
    kkt->starved = false;
}

/* Where a factorisation that fails has another way out (a corner, a smaller step), lack of memory must not take it: it
 * stays, and whoever factors next will tell. */
static bool is_starved(sal_kkt *kkt)
{
    const klu_common *common = kkt->common;

    return kkt->starved = kkt->starved || common->status == KLU_OUT_OF_MEMORY;
}

static sal_status factor_anew(sal_kkt *kkt)
{
    const sal_pattern *p      = kkt->pattern;
    klu_common        *common = kkt->common;

    forget_factors(kkt);
    kkt->full++;
    memcpy(kkt->pivoted, kkt->Ax, sizeof *kkt->Ax * (size_t)p->nnz);
    kkt->numeric = klu_factor(p->Ap, p->Ai, kkt->Ax, p->symbolic, common);
    if (is_starved(kkt)) return SAL_ERR_MEMORY;
    if (!kkt->numeric || common->status != KLU_OK) return SAL_ERR_SINGULAR;
    klu_rcond(p->symbolic, kkt->numeric, common);
    kkt->rcond = kkt->now = common->rcond;
    return kkt->rcond > SAL_SINGULAR ? SAL_OK : SAL_ERR_SINGULAR; /* false for NaN as well */
}

sal_status sal_kkt_factor(sal_kkt *kkt)
{
    const sal_pattern *p      = kkt->pattern;
    klu_common        *common = kkt->common;

    if (kkt->starved) return SAL_ERR_MEMORY;
    kkt->factorizations++;
    kkt->unpacked = false;
    if (kkt->numeric && kkt->rcond > SAL_SINGULAR &&
        klu_refactor(p->Ap, p->Ai, kkt->Ax, p->symbolic, kkt->numeric, common) && common->status == KLU_OK) {
        klu_rcond(p->symbolic, kkt->numeric, common);
        kkt->now = common->rcond;
        if (kkt->now > SAL_PIVOTS_WORSE * kkt->rcond) return SAL_OK;
    }
    return is_starved(kkt) ? SAL_ERR_MEMORY : factor_anew(kkt);
}

/* Inverse iteration with A M^-1 A^T, by K^-1 [0; y]. */
double sal_kkt_least_seen(sal_kkt *kkt)
{
    enum { PASSES_SEEN = 3 };
    const sal_pattern *p       = kkt->pattern;
    klu_common         common  = *(klu_common *)kkt->common;
    klu_numeric       *numeric = klu_factor(p->Ap, p->Ai, kkt->Ax, p->symbolic, &common);
    double            *x = kkt->work, least = 0.0;

    for (int r = 0; r < p->m; r++) x[p->n + r] = kkt->Ax[p->diagonal[p->n + r]] == 0.0 ? 1.0 + 0.1 * (r % 7) : 0.0;
    for (int pass = 0; pass < PASSES_SEEN && numeric && common.status == KLU_OK; pass++) {
        double before = 0.0, after = 0.0;
        memset(x, 0, sizeof *x * (size_t)p->n);
        for (int k = p->n; k < p->size; k++) before += x[k] * x[k];
        klu_solve(p->symbolic, numeric, p->size, 1, x, &common);
        for (int k = p->n; k < p->size; k++) after += x[k] * x[k];
        least = after > 0.0 && isfinite(after) ? sqrt(before / after) : 0.0;
        for (int k = p->n; k < p->size; k++) x[k] *= least;
    }
    if (numeric) klu_free_numeric(&numeric, &common);
    return least;
}

sal_status sal_kkt_factor_regular(sal_kkt *kkt, double eps, const bool *on)
{
    sal_status status = SAL_ERR_SINGULAR;

    for (int k = 0; k < 3 && status == SAL_ERR_SINGULAR; k++, eps *= 100.0) {
        sal_kkt_regularize(kkt, eps, on);
        status = sal_kkt_factor(kkt);
    }
    return status;
}

/* --------------------------------------------------------------------------------------- solving */

double sal_kkt_asymmetry(const sal_kkt *kkt)
{
    const sal_pattern *p    = kkt->pattern;
    double             most = 0.0;

    for (int r = 0; r < p->m; r++) { /* M and D are symmetric by the way they are filled */
        for (int k = p->row[r]; k < p->row[r + 1]; k++)
            most = fmax(most, fabs(kkt->Ax[p->lower[k]] - kkt->Ax[p->upper[k]]));
    }
    return most;
}

sal_status sal_kkt_restore(sal_kkt *kkt)
{
    const sal_pattern *p      = kkt->pattern;
    klu_common        *common = kkt->common;

    if (p->size == 0) return SAL_OK;
    forget_factors(kkt);
    kkt->numeric = klu_factor(p->Ap, p->Ai, kkt->pivoted, p->symbolic, common);
    if (is_starved(kkt)) return SAL_ERR_MEMORY;
    return kkt->numeric ? SAL_OK
                        : SAL_ERR_SINGULAR; /* those of a matrix that was singular are of no use there either */
}

static void apply_scale(const sal_kkt *kkt, double *b, int columns)
{
    const int size = kkt->pattern->size;

    for (int c = 0; c < columns; c++) {
        for (int k = 0; k < size; k++) b[c * size + k] *= kkt->scale[k];
    }
}

/* (S K S) x = b, or (S K S)^T x = b: S is symmetric. */
static void solve_scaled(const sal_kkt *kkt, bool transposed, double *b, int columns)
{
    const sal_pattern *p = kkt->pattern;

    (transposed ? klu_tsolve : klu_solve)(p->symbolic, kkt->numeric, p->size, columns, b, kkt->common);
}

/* r = b - K0 x, or b - K0^T x, K0 = S K S without its lower right corner. */
static void residual(const sal_kkt *kkt, bool transposed, const double *b, const double *x, double *r)
{
    const sal_pattern *p = kkt->pattern;

    memcpy(r, b, sizeof *r * (size_t)p->size);
    for (int c = 0; c < p->size; c++) {
        for (int k = p->Ap[c]; k < p->Ap[c + 1]; k++) {
            const int i = p->Ai[k], to = transposed ? c : i, from = transposed ? i : c;
            if (c < p->n || i < p->n) r[to] -= kkt->Ax[k] * x[from];
        }
    }
}

static void solve(const sal_kkt *kkt, bool transposed, double *b, int columns)
{
    apply_scale(kkt, b, columns);
    solve_scaled(kkt, transposed, b, columns);
    apply_scale(kkt, b, columns);
}

static double largest_residual(const sal_kkt *kkt, bool transposed, const double *goal, const double *x, double *left)
{
    double most = 0.0;

    residual(kkt, transposed, goal, x, left);
    for (int k = 0; k < kkt->pattern->size; k++) most = fmax(most, fabs(left[k]));
    return most;
}

/* Takes what K0 does not see out of x, whose residual is `now`. */
static void remove_unseen(const sal_kkt *kkt, bool transposed, const double *goal, double *x, double now)
{
    const sal_pattern *p    = kkt->pattern;
    double            *left = kkt->work, *unseen = kkt->work + 2 * p->size, *without = kkt->work + 3 * p->size;
    double             most = 0.0, may = now;

    for (int k = 0; k < p->size; k++)
        may = fmax(may, 2.0 * DBL_EPSILON * fabs(x[k])); /* entries of S K S are about 1 */
    memcpy(unseen, x, sizeof *x * (size_t)p->size);
    for (int pass = 0; pass < UNSEEN_MAX; pass++) {
        memset(unseen, 0, sizeof *x * (size_t)p->n);
        for (int r = p->n; r < p->size; r++) unseen[r] *= kkt->Ax[p->diagonal[r]];
        for (int r = p->n; r < p->size && pass == 0; r++) most = fmax(most, fabs(unseen[r]));
        if (most == 0.0) return; /* no corner at all */
        solve_scaled(kkt, transposed, unseen, 1);
        memcpy(without, x, sizeof *x * (size_t)p->size);
        for (int r = p->n; r < p->size; r++) without[r] -= unseen[r];
        const double limit =
            pass + 1 < UNSEEN_MAX ? now : may; /* one that is smaller than rounding by chance: at last */
        if (!(largest_residual(kkt, transposed, goal, without, left) <= 4.0 * limit)) continue;
        memcpy(x, without, sizeof *x * (size_t)p->size);
        return;
    }
}

/* How far solutions are refined. Exactly: at least twice, and as long as each pass gains a binary digit. Smoothly: a
 * number of passes that does not depend on the numbers, unless there is nothing left to gain; what K0 sees less of than
 * of the corner is left out, so that rounding is not divided by it. */
typedef enum refinement { EXACTLY, SMOOTHLY } refinement;

static bool refined(refinement how, int pass, double now, double last, double rounding)
{
    enum { SMOOTH = 8 };

    return pass >= PASSES && (how == EXACTLY ? !(now < 0.5 * last) : pass >= SMOOTH || now <= rounding);
}

static void solve_refined(const sal_kkt *kkt, bool transposed, refinement how, bool least, double *b, int columns)
{
    const int size = kkt->pattern->size;
    double   *left = kkt->work, *goal = kkt->work + size;

    apply_scale(kkt, b, columns);
    for (int c = 0; c < columns; c++) {
        double *x = b + (size_t)c * (size_t)size, last = HUGE_VAL, now = 0.0, most = 0.0;
        memcpy(goal, x, sizeof *goal * (size_t)size);
        for (int k = 0; k < size; k++) most = fmax(most, fabs(goal[k]));
        if (most == 0.0) continue;
        solve_scaled(kkt, transposed, x, 1);
        for (int pass = 0; pass < PASSES_MAX; pass++) {
            now = largest_residual(kkt, transposed, goal, x, left);
            if (refined(how, pass, now, last, DBL_EPSILON * most)) break;
            last = now;
            solve_scaled(kkt, transposed, left, 1);
            for (int k = 0; k < size; k++) x[k] += left[k];
        }
        if (least) remove_unseen(kkt, transposed, goal, x, now);
    }
    apply_scale(kkt, b, columns);
}

double sal_kkt_corner(const sal_kkt *kkt, int r)
{
    const double s = kkt->scale[kkt->pattern->n + r];

    return kkt->Ax[kkt->pattern->diagonal[kkt->pattern->n + r]] / (s * s);
}

/* What is seen shrinks by the corner in each pass. */
static void solve_unseen(const sal_kkt *kkt, bool transposed, double *b, int columns)
{
    enum { PASSES_UNSEEN = 3 };
    const sal_pattern *p = kkt->pattern;

    for (int pass = 0; pass < PASSES_UNSEEN; pass++) {
        solve(kkt, transposed, b, columns);
        for (int c = 0; c < columns; c++) {
            double *x = b + (size_t)c * (size_t)p->size;
            memset(x, 0, sizeof *x * (size_t)p->n);
            for (int r = 0; r < p->m && pass + 1 < PASSES_UNSEEN; r++) x[p->n + r] *= sal_kkt_corner(kkt, r);
        }
    }
}

void sal_kkt_solve_unseen(sal_kkt *kkt, double *b, int columns)
{
    solve_unseen(kkt, false, b, columns);
}

void sal_kkt_solve_unseen_transposed(sal_kkt *kkt, double *b, int columns)
{
    solve_unseen(kkt, true, b, columns);
}

void sal_kkt_solve(sal_kkt *kkt, double *b, int columns)
{
    if (!sal_kkt_solve_block(kkt, b, columns)) solve(kkt, false, b, columns);
}

void sal_kkt_solve_transposed(sal_kkt *kkt, double *b, int columns)
{
    solve(kkt, true, b, columns);
}

void sal_kkt_solve_exact(sal_kkt *kkt, double *b, int columns)
{
    solve_refined(kkt, false, EXACTLY, false, b, columns);
}

void sal_kkt_solve_least(sal_kkt *kkt, double *b, int columns)
{
    solve_refined(kkt, false, EXACTLY, true, b, columns);
}

void sal_kkt_solve_smooth(sal_kkt *kkt, bool transposed, bool least, double *b, int columns)
{
    solve_refined(kkt, transposed, SMOOTHLY, least, b, columns);
}
