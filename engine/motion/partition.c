/* partition.c - choosing independent coordinates; equations in motion.h. Pivots are entries of rows scaled to length 1,
 * and there are as many of them as the rank says (solve.h). */
#include "engine/motion/motion.h"
#include "engine/base/tolerance.h"
#include "engine/solve/lapack.h"

#include <math.h>
#include <string.h>

sal_status sal_partition_init(sal_partition *p, const sal_model *model, sal_pool *pool)
{
    const int n = model->n, m = model->m, least = n < m ? n : m;

    *p       = (sal_partition){ .n = n, .m = m };
    p->dep   = SAL_NEW(pool, int, n);
    p->dof   = SAL_NEW(pool, int, n);
    p->row   = SAL_NEW(pool, int, m);
    p->pivot = SAL_NEW(pool, int, least);
    p->lu    = SAL_NEW(pool, double, (size_t)least *(size_t)least);
    p->work  = SAL_NEW(pool, double, (size_t)m *(size_t)n);
    sal_rank_init(&p->held, pool, n, m);
    p->row_done    = SAL_NEW(pool, bool, m);
    p->column_done = SAL_NEW(pool, bool, n);
    return pool->failed ? SAL_ERR_MEMORY : SAL_OK;
}

#define A(i, j) a[(size_t)(i) * (size_t)p->n + (size_t)(j)]

/* The largest entry among rows and columns without a pivot; `wanted`: preferred columns as well. */
static double largest_entry(const sal_partition *p, const double *a, const bool *preferred, bool wanted, int *row,
                            int *column)
{
    double most = 0.0;

    for (int i = 0; i < p->m; i++) {
        for (int j = 0; j < p->n && !p->row_done[i]; j++) {
            if (p->column_done[j] || (!wanted && preferred && preferred[j]) || !(fabs(A(i, j)) > most)) continue;
            most    = fabs(A(i, j));
            *row    = i;
            *column = j;
        }
    }
    return most;
}

static void eliminate(const sal_partition *p, double *a, int row, int column)
{
    for (int i = 0; i < p->m; i++) {
        const double factor = A(i, column) / A(row, column);
        if (p->row_done[i] || i == row || factor == 0.0) continue;
        for (int j = 0; j < p->n; j++) A(i, j) -= factor * A(row, j);
    }
}

static void fill(const sal_partition *p, const sal_model *model, const double *entry, double *a)
{
    memset(a, 0, sizeof *a * (size_t)p->m * (size_t)p->n);
    for (int r = 0; r < p->m; r++) {
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) A(r, model->jc[k]) = entry[k];
    }
}

void sal_partition_choose(sal_partition *p, const sal_system *s, const bool *preferred)
{
    const int rank = sal_rank_find(&p->held, sal_structure_rows(s, false, p->held.row, NULL), NULL);
    double   *a = p->work, first = 0.0, most;
    int       row = 0, column = 0, info, free = 0;

    fill(p, s->model, s->entry, a);
    for (int i = 0; i < p->m; i++) sal_rank_scale(&A(i, 0), p->n);
    memset(p->row_done, 0, sizeof *p->row_done * (size_t)p->m);
    memset(p->column_done, 0, sizeof *p->column_done * (size_t)p->n);
    p->rank    = 0;
    p->quality = 1.0;
    while (p->rank < rank) {
        most = largest_entry(p, a, preferred, false, &row, &column);
        if (!(most > SAL_DEPENDENT)) most = largest_entry(p, a, preferred, true, &row, &column);
        if (!(most > 0.0)) break;
        first      = fmax(first, most);
        p->quality = fmin(p->quality, most / first);
        eliminate(p, a, row, column);
        p->row_done[row] = p->column_done[column] = true;
        p->row[p->rank]                           = row;
        p->dep[p->rank++]                         = column;
    }
    for (int j = 0; j < p->n; j++) {
        if (!p->column_done[j]) p->dof[free++] = j;
    }
    fill(p, s->model, s->entry, a);
    for (int i = 0; i < p->rank; i++) {
        for (int j = 0; j < p->rank; j++) p->lu[(size_t)j * (size_t)p->rank + (size_t)i] = A(p->row[i], p->dep[j]);
    }
    if (p->rank) dgetrf_(&p->rank, &p->rank, p->lu, &p->rank, p->pivot, &info);
}
#undef A

void sal_partition_solve(const sal_partition *p, double *b, int columns)
{
    const int one = 1;
    int       info;

    for (int c = 0; c < columns && p->rank; c++) { /* by rows outside, by columns in LAPACK */
        double *x = p->work;
        for (int k = 0; k < p->rank; k++) x[k] = b[(size_t)k * (size_t)columns + (size_t)c];
        dgetrs_("N", &p->rank, &one, p->lu, &p->rank, p->pivot, x, &p->rank, &info, 1);
        for (int k = 0; k < p->rank; k++) b[(size_t)k * (size_t)columns + (size_t)c] = x[k];
    }
}
