/* pattern.c - where the entries of K = [M A^T; A D] stand, and the symbolic analysis of it: an order of the unknowns in
 * which its factors stay sparse. By compressed columns, sorted; every diagonal entry is there, zero or not. */
#include "engine/solve/sparse.h"
#include "engine/base/vector.h"

#include <stdlib.h>
#include <string.h>

/* The position of (row, column), by bisection in the sorted column. */
static int find_entry(const sal_pattern *p, int row, int column)
{
    const int *found = bsearch(&row, p->Ai + p->Ap[column], (size_t)(p->Ap[column + 1] - p->Ap[column]), sizeof(int),
                               sal_compare_ints);

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
        qsort(pattern->Ai + first, (size_t)(last - first), sizeof(int), sal_compare_ints);
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
    sal_klu_options(&common);
    pattern->symbolic = klu_analyze(size, pattern->Ap, pattern->Ai, &common);
    return pattern->symbolic ? SAL_OK : SAL_ERR_MEMORY;
}

void sal_pattern_free(sal_pattern *pattern)
{
    klu_symbolic *symbolic = pattern->symbolic;
    klu_common    common;

    if (!symbolic) return;
    sal_klu_options(&common);
    klu_free_symbolic(&symbolic, &common);
    pattern->symbolic = NULL;
}
