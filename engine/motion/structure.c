/* structure.c - which of the rows that hold depend on each other, and whether the configuration is singular.
 *
 * With the rows of Phi_q scaled to length 1, a_1 .. a_m in the order of the tables, each row is split into its part in
 * the span of those before it and a rest (Gram-Schmidt, twice),
 *
 *     a_k = sum_j r_jk u_j + r_kk u_k          r_kk > bound: independent;    else  a_k = sum c_j a_j,  R c = r_k
 *
 * so that of two rods that do the same it is the later one that depends on the earlier one. The bound is SAL_DEPENDENT;
 * but how many rows are independent says sal_rank_find, and where rests are so close to the bound that another order of
 * the rows makes another number of them, it is moved until as many are. A dependency c^T Phi_q = 0
 * that holds along every motion fulfils, differentiated along motions q' = P d, P = I - U U^T,
 *
 *     c^T (Phi_q q'' + (Phi_q q')_q q') = 0   and so   P (sum c_k Phi_k,qq) P = 0
 *
 * Where that is not zero the rows depend on each other in this configuration only: it is singular. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/motion/motion.h"
#include "engine/solve/lapack.h"
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

enum { DENSE_MAX = 1000 }; /* rows beyond which looking takes too long */

/* --------------------------------------------------------------------------------- dependent rows */

typedef struct split { /* Gram-Schmidt */
    int     n, rank;
    double *u;     /* [rank][n] */
    double *r;     /* [rank][rank], by columns */
    int    *row;   /* [rank] the row that each u came from */
    double *part;  /* [rank] of the row at hand */
    double *size;  /* [m] length of each row */
    double *work;  /* [n] */
    double *dense; /* [rows that hold][n], scaled */
    int    *index; /* [rows that hold] */
} split;

/* The length of the rest of the row in x, which becomes that rest; its parts along u. */
static double take_parts(const split *g, double *x)
{
    memset(g->part, 0, sizeof *g->part * (size_t)g->rank);
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < g->rank; j++) {
            const double *u = g->u + (size_t)j * (size_t)g->n, along = sal_dot(u, x, g->n);
            g->part[j] += along;
            for (int k = 0; k < g->n; k++) x[k] -= along * u[k];
        }
    }
    return sal_norm(x, g->n);
}

/* R c = part: c in place of part. */
static void solve_factors(const split *g, int m)
{
    for (int i = g->rank - 1; i >= 0; i--) {
        for (int j = i + 1; j < g->rank; j++) g->part[i] -= g->r[(size_t)j * (size_t)m + (size_t)i] * g->part[j];
        g->part[i] /= g->r[(size_t)i * (size_t)m + (size_t)i];
    }
}

static bool note_dependent(const split *g, sal_pool *pool, int row, sal_dependent *d)
{
    double most = 0.0;

    *d = (sal_dependent){ .row    = row,
                          .of     = SAL_NEW(pool, int, g->rank + 1),
                          .factor = SAL_NEW(pool, double, g->rank + 1) };
    if (pool->failed) return false;
    for (int j = 0; j < g->rank; j++) most = fmax(most, fabs(g->part[j]));
    for (int j = 0; j < g->rank; j++) {
        if (!(fabs(g->part[j]) > SAL_FACTOR_MATTERS * most)) continue;
        d->of[d->count]       = g->row[j];
        d->factor[d->count++] = g->part[j] * g->size[row] / g->size[g->row[j]];
    }
    return true;
}

/* Whether the dependency ends with the next motion: P (sum c_k Phi_k,qq) P is not zero. */
static bool only_here(sal_system *s, sal_pool *pool, const split *g, const sal_dependent *d)
{
    const sal_model *model = s->model;
    const size_t     n = (size_t)model->n, nz = (size_t)model->nz;
    double          *P = SAL_NEW(pool, double, nz *n), *force = SAL_NEW(pool, double, nz *n);
    double          *c = SAL_NEW(pool, double, model->m), *none = SAL_NEW(pool, double, nz *n), most = 0.0, size = 0.0;

    if (pool->failed) return false;
    c[d->row] = 1.0;
    for (int k = 0; k < d->count; k++) c[d->of[k]] = -d->factor[k];
    for (size_t i = 0; i < n; i++) {
        P[i * n + i] = 1.0;
        for (int j = 0; j < g->rank; j++) {
            const double *u = g->u + (size_t)j * n;
            for (size_t k = 0; k < n; k++) P[i * n + k] -= u[i] * u[k];
        }
        size = fmax(size, fabs(s->z[i]));
    }
    sal_rows_force_jvp(&s->rows, s->z, c, (sal_directions){ model->n, P, none, none, NULL }, force);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            double sum = 0.0;
            for (size_t j = 0; j < n; j++) sum += P[i * n + j] * force[j * n + k];
            most = fmax(most, fabs(sum));
        }
    }
    return most * size > SAL_ONLY_HERE * (g->size[d->row] > 0.0 ? g->size[d->row] : 1.0);
}

int sal_structure_rows(const sal_system *s, bool acting, double *row, int *index)
{
    const sal_model *model = s->model;
    int              count = 0;

    for (int r = 0; r < model->m; r++) {
        double *a = row + (size_t)count * (size_t)model->n;
        if (!s->mode.held[r]) continue;
        memset(a, 0, sizeof *a * (size_t)model->n);
        sal_system_add_row(s, r, acting, a);
        if (index) index[count] = r;
        count++;
    }
    return count;
}

/* The rows that hold as dense rows of length 1; how many. */
static int fill_rows(sal_system *s, split *g)
{
    int count;

    sal_rows_held_jacobian(&s->rows, s->z, s->entry);
    count = sal_structure_rows(s, false, g->dense, g->index);
    for (int i = 0; i < count; i++) g->size[g->index[i]] = sal_rank_scale(g->dense + (size_t)i * (size_t)g->n, g->n);
    return count;
}

/* The ratio of the smallest to the largest of the singular values that are not zero. */
static sal_status find_singular(sal_pool *pool, const split *g, int rows, double *ratio)
{
    const int    ask = -1, one = 1, n = g->n, least = n < rows ? n : rows;
    const size_t size  = (size_t)n * (size_t)rows;
    double      *value = SAL_NEW(pool, double, least + 1), *copy = SAL_NEW(pool, double, size + 1), need, *work;
    int          lwork, info;

    *ratio = 1.0;
    if (pool->failed) return SAL_ERR_MEMORY;
    if (g->rank == 0) return SAL_OK;
    memcpy(copy, g->dense, sizeof *copy * size);
    dgesvd_("N", "N", &n, &rows, copy, &n, value, NULL, &one, NULL, &one, &need, &ask, &info, 1, 1);
    lwork = (int)need;
    work  = SAL_NEW(pool, double, lwork);
    if (!work) return SAL_ERR_MEMORY;
    dgesvd_("N", "N", &n, &rows, copy, &n, value, NULL, &one, NULL, &one, work, &lwork, &info, 1, 1);
    if (info == 0 && g->rank <= least) *ratio = value[g->rank - 1] / value[0];
    return SAL_OK;
}

static bool prepare(split *g, const sal_model *model, sal_pool *pool)
{
    const size_t n = (size_t)model->n, m = (size_t)model->m;

    *g = (split){ .n     = model->n,
                  .u     = SAL_NEW(pool, double, m *n + 1),
                  .r     = SAL_NEW(pool, double, m *m + 1),
                  .row   = SAL_NEW(pool, int, m + 1),
                  .part  = SAL_NEW(pool, double, m + 1),
                  .size  = SAL_NEW(pool, double, m + 1),
                  .work  = SAL_NEW(pool, double, n),
                  .dense = SAL_NEW(pool, double, m *n + 1),
                  .index = SAL_NEW(pool, int, m + 1) };
    return !pool->failed;
}

/* Takes in row i of those that hold; false: it depends on those before it, and `part` says how. */
static bool take_row(split *g, const sal_model *model, int i, double almost)
{
    const size_t n = (size_t)g->n, m = (size_t)model->m;
    double       rest;

    memcpy(g->work, g->dense + (size_t)i * n, sizeof(double) * n);
    rest = take_parts(g, g->work);
    if (!(rest > almost)) return false;
    for (size_t k = 0; k < n; k++) g->u[(size_t)g->rank * n + k] = g->work[k] / rest;
    for (int j = 0; j < g->rank; j++) g->r[(size_t)g->rank * m + (size_t)j] = g->part[j];
    g->r[(size_t)g->rank * m + (size_t)g->rank] = rest;
    g->row[g->rank++]                           = g->index[i];
    return true;
}

/* The number of rows that are independent. */
static sal_status count_independent(const sal_system *s, sal_pool *pool, int *rank)
{
    sal_rank r;

    if (sal_rank_init(&r, pool, s->model->n, s->model->m) != SAL_OK) return SAL_ERR_MEMORY;
    *rank = sal_rank_find(&r, sal_structure_rows(s, false, r.row, NULL), NULL);
    return SAL_OK;
}

/* A bound with which `rank` of the rows are independent; should there be none, one with which there are more. */
static double find_bound(split *g, const sal_model *model, int rows, int rank)
{
    enum { TRIES = 60 };
    double low = 1e-4 * SAL_DEPENDENT, high = 1.0, bound = SAL_DEPENDENT;

    for (int k = 0; k < TRIES; k++) {
        g->rank = 0;
        for (int i = 0; i < rows; i++) take_row(g, model, i, bound);
        if (g->rank == rank) return bound;
        if (g->rank > rank) low = bound;
        else high = bound;
        bound = sqrt(low * high);
    }
    return low;
}

/* Takes in the rows that are independent, at most `most`, and notes the others with what they depend on. */
static sal_status split_rows(split *g, sal_pool *pool, const sal_model *model, double bound, int most,
                             sal_structure *out)
{
    g->rank         = 0;
    out->ndependent = 0;
    for (int i = 0; i < out->rows; i++) {
        if (take_row(g, model, i, g->rank < most ? bound : HUGE_VAL)) continue;
        solve_factors(g, model->m);
        if (!note_dependent(g, pool, g->index[i], &out->dependent[out->ndependent])) return SAL_ERR_MEMORY;
        out->ndependent++;
    }
    return SAL_OK;
}

sal_status sal_structure_find(sal_system *s, sal_pool *pool, sal_structure *out)
{
    const sal_model *model = s->model;
    split            g;

    *out           = (sal_structure){ .singular = 1.0 };
    out->dependent = SAL_NEW(pool, sal_dependent, model->m + 1);
    if (!prepare(&g, model, pool)) return SAL_ERR_MEMORY;
    out->rows = fill_rows(s, &g);
    if (count_independent(s, pool, &out->rank) != SAL_OK) return SAL_ERR_MEMORY;
    if (split_rows(&g, pool, model, SAL_DEPENDENT, out->rows, out) != SAL_OK) return SAL_ERR_MEMORY;
    if (g.rank != out->rank) {
        const double bound = find_bound(&g, model, out->rows, out->rank);
        if (split_rows(&g, pool, model, bound, out->rank, out) != SAL_OK) return SAL_ERR_MEMORY;
    }
    for (int k = 0; k < out->ndependent; k++) {
        out->dependent[k].here = only_here(s, pool, &g, &out->dependent[k]);
        if (pool->failed) return SAL_ERR_MEMORY;
    }
    return find_singular(pool, &g, out->rows, &out->singular);
}

sal_status sal_structure_drop(sal_system *s, double almost, sal_row_mode *mode)
{
    sal_status status = SAL_END;
    sal_pool   pool;
    split      g;

    if (s->model->m > DENSE_MAX) return SAL_END;
    sal_pool_init(&pool, s->model->tables->context);
    if (prepare(&g, s->model, &pool)) {
        const int rows = fill_rows(s, &g);
        for (int i = 0; i < rows; i++) {
            if (take_row(&g, s->model, i, almost)) continue;
            mode->held[g.index[i]] = false;
            status                 = SAL_OK;
        }
    } else {
        status = SAL_ERR_MEMORY;
    }
    sal_pool_free(&pool);
    return status;
}

/* Marks the rows of a dependency, unless one that may come and go takes part. */
static void mark_rows(const sal_tables *tables, const sal_dependent *d, bool *mark)
{
    for (int k = -1; k < d->count; k++) {
        const int row = k < 0 ? d->row : d->of[k];
        if (tables->rows.at[row].sharing != SAL_SHARES_LAST) return;
    }
    mark[d->row] = true;
    for (int k = 0; k < d->count; k++) mark[d->of[k]] = true;
}

void sal_structure_name(sal_system *s, char *text, size_t room)
{
    const sal_tables *tables = s->model->tables;
    sal_structure     found;
    sal_pool          pool;
    bool             *mark;

    text[0] = '\0';
    if (s->model->m > DENSE_MAX) return;
    sal_pool_init(&pool, tables->context);
    mark = SAL_NEW(&pool, bool, s->model->m + 1);
    if (mark && sal_structure_find(s, &pool, &found) == SAL_OK) {
        for (int k = 0; k < found.ndependent; k++) mark_rows(tables, &found.dependent[k], mark);
        sal_structure_name_rows(s->model, mark, text, room);
    }
    sal_pool_free(&pool);
}

/* K^-1 with a corner, again and again, makes of multipliers those that K hardly sees. */
bool sal_structure_find_lined(sal_system *s, bool *mark)
{
    enum { PASSES = 4 };
    const int     n = s->model->n, m = s->model->m;
    const double *S = s->motion.scale + n; /* the solver knows multipliers divided by it, rows times it */
    double       *x = s->rhs, most = 0.0;
    sal_status    status;

    memset(mark, 0, sizeof *mark * (size_t)m);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    sal_system_set_rows(s);
    status = sal_kkt_factor_regular(&s->motion, SAL_LEAST_PASSING, s->mode.held);
    for (int r = 0; r < m; r++) x[n + r] = s->mode.held[r] ? (1.0 + 0.1 * (r % 7)) / S[r] : 0.0;
    for (int pass = 0; pass < PASSES && status == SAL_OK; pass++) {
        memset(x, 0, sizeof *x * (size_t)n);
        for (int r = 0; r < m && pass > 0; r++) x[n + r] /= S[r] * S[r];
        sal_kkt_solve(&s->motion, x, 1);
    }
    sal_kkt_set_corner(&s->motion, s->corner, s->mode.held);
    for (int r = 0; r < m; r++) most = fmax(most, fabs(x[n + r] / S[r]));
    for (int r = 0; r < m; r++) mark[r] = status == SAL_OK && fabs(x[n + r] / S[r]) > SAL_LINED_NAMED * most;
    return status == SAL_OK;
}

void sal_structure_find_driven(sal_system *s, bool *mark)
{
    const sal_model *model = s->model;

    sal_rows_residual(&s->rows, s->z, s->zd, s->phi, s->phidot);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    for (int r = 0; r < model->m; r++) {
        double sum = 0.0, parts = 0.0;
        for (int e = model->jp[r]; e < model->jp[r + 1]; e++) {
            const double part = s->entry[e] * s->zd[model->jc[e]];
            sum += part;
            parts += fabs(part);
        }
        mark[r] = s->mode.held[r] && fabs(s->phidot[r] - sum) > SAL_DRIVEN * parts;
    }
}

void sal_structure_name_rows(const sal_model *model, const bool *mark, char *text, size_t room)
{
    enum { MOST = 12 }; /* names */
    size_t used  = 0;
    int    named = 0;

    text[0] = '\0';
    for (int r = 0; r < model->m && used < room; r++) {
        if (!mark[r] || named > MOST) continue;
        used += (size_t)snprintf(text + used, room - used, "%s%s", named ? ", " : "",
                                 named == MOST ? "..." : model->tables->rows.at[r].name);
        named++;
    }
}
