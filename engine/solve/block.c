/* block.c - solves for many right-hand sides: P S K S Q = L U, and with a block of columns side by side, [size][WIDTH],
 *
 *     X_k = (S b)_P(k),   X_i -= L_ik X_k,   X_k = X_k / U_kk,   X_i -= U_ik X_k,   x_Q(k) = S X_k
 *
 * each line for all columns of the block at once. KLU takes four at a time, from columns that lie one after the other.
 * The operations on a column are those of klu_solve in the same order, so that the numbers are the same whatever the
 * other columns are. */
#include "engine/solve/sparse.h"

#include <string.h>

enum { WIDTH = 8 };

struct sal_factors {
    int     n, lnz, unz;
    int    *Lp, *Li, *Up, *Ui, *P, *Q;
    double *Lx, *Ux, *block; /* the diagonals last in columns of U, first in those of L: 1 */
};

static void *take(size_t n, size_t size, klu_common *common)
{
    return klu_malloc(n ? n : 1, size, common);
}

static void give(void *x, size_t n, size_t size, klu_common *common)
{
    if (x) klu_free(x, n ? n : 1, size, common);
}

void sal_factors_free(sal_kkt *kkt)
{
    sal_factors *f      = kkt->factors;
    klu_common  *common = kkt->common;

    kkt->factors = NULL;
    if (!f) return;
    const size_t n = (size_t)f->n, lnz = (size_t)f->lnz, unz = (size_t)f->unz;
    give(f->Lp, n + 1, sizeof *f->Lp, common);
    give(f->Up, n + 1, sizeof *f->Up, common);
    give(f->P, n, sizeof *f->P, common);
    give(f->Q, n, sizeof *f->Q, common);
    give(f->Li, lnz, sizeof *f->Li, common);
    give(f->Lx, lnz, sizeof *f->Lx, common);
    give(f->Ui, unz, sizeof *f->Ui, common);
    give(f->Ux, unz, sizeof *f->Ux, common);
    give(f->block, WIDTH * n, sizeof *f->block, common);
    give(f, 1, sizeof *f, common);
}

/* Room for factors as large as these. */
static bool make_room(sal_kkt *kkt)
{
    const klu_numeric *numeric = kkt->numeric;
    klu_common        *common  = kkt->common;
    const size_t       n = (size_t)numeric->n, lnz = (size_t)numeric->lnz, unz = (size_t)numeric->unz;
    sal_factors       *f = kkt->factors;

    if (f && f->lnz >= numeric->lnz && f->unz >= numeric->unz) return true;
    sal_factors_free(kkt);
    f = take(1, sizeof *f, common);
    if (!f) return false;
    *f           = (sal_factors){ .n = numeric->n, .lnz = numeric->lnz, .unz = numeric->unz };
    kkt->factors = f;
    f->Lp        = take(n + 1, sizeof *f->Lp, common);
    f->Up        = take(n + 1, sizeof *f->Up, common);
    f->P         = take(n, sizeof *f->P, common);
    f->Q         = take(n, sizeof *f->Q, common);
    f->Li        = take(lnz, sizeof *f->Li, common);
    f->Lx        = take(lnz, sizeof *f->Lx, common);
    f->Ui        = take(unz, sizeof *f->Ui, common);
    f->Ux        = take(unz, sizeof *f->Ux, common);
    f->block     = take(WIDTH * n, sizeof *f->block, common);
    if (f->Lp && f->Up && f->P && f->Q && f->Li && f->Lx && f->Ui && f->Ux && f->block) return true;
    sal_factors_free(kkt);
    return false;
}

/* The factors as they are now, by columns. */
static bool unpack(sal_kkt *kkt)
{
    if (kkt->unpacked && kkt->factors) return true;
    if (!make_room(kkt)) return false;
    const sal_factors *f = kkt->factors;
    kkt->unpacked = klu_extract(kkt->numeric, kkt->pattern->symbolic, f->Lp, f->Li, f->Lx, f->Up, f->Ui, f->Ux, NULL,
                                NULL, NULL, f->P, f->Q, NULL, NULL, kkt->common);
    return kkt->unpacked;
}

static inline void subtract(double *restrict to, double factor, const double *restrict x)
{
    for (int c = 0; c < WIDTH; c++) to[c] -= x[c] * factor;
}

static void solve_lower(const sal_factors *f, int n)
{
    for (int k = 0; k < n; k++) {
        const double *x = f->block + (size_t)k * WIDTH;
        for (int e = f->Lp[k] + 1; e < f->Lp[k + 1]; e++) subtract(f->block + (size_t)f->Li[e] * WIDTH, f->Lx[e], x);
    }
}

static void solve_upper(const sal_factors *f, int n)
{
    for (int k = n - 1; k >= 0; k--) {
        double   *x     = f->block + (size_t)k * WIDTH;
        const int pivot = f->Up[k + 1] - 1;
        for (int c = 0; c < WIDTH; c++) x[c] /= f->Ux[pivot];
        for (int e = f->Up[k]; e < pivot; e++) subtract(f->block + (size_t)f->Ui[e] * WIDTH, f->Ux[e], x);
    }
}

/* Right-hand sides, and solutions in their place: entry k of column c. */
typedef struct columns {
    double *x, *y; /* of coordinates, of rows */
    int     n;
    size_t  row, column; /* apart */
} columns;

static inline double *entry_of(const columns *b, int k, int c)
{
    return (k < b->n ? b->x + (size_t)k * b->row : b->y + (size_t)(k - b->n) * b->row) + (size_t)c * b->column;
}

static void load(const sal_factors *f, const double *scale, int size, const columns *b, int first, int count)
{
    if (count < WIDTH) memset(f->block, 0, sizeof *f->block * (size_t)size * WIDTH);
    for (int k = 0; k < size; k++) {
        const double *from = entry_of(b, f->P[k], first), s = scale[f->P[k]];
        double       *to = f->block + (size_t)k * WIDTH;
        for (int c = 0; c < count; c++) to[c] = s * from[(size_t)c * b->column];
    }
}

static void store(const sal_factors *f, const double *scale, int size, const columns *b, int first, int count)
{
    for (int k = 0; k < size; k++) {
        const double *from = f->block + (size_t)k * WIDTH, s = scale[f->Q[k]];
        double       *to = entry_of(b, f->Q[k], first);
        for (int c = 0; c < count; c++) to[(size_t)c * b->column] = s * from[c];
    }
}

static bool solve(sal_kkt *kkt, const columns *b, int count)
{
    const int size = kkt->pattern->size;

    if (count < WIDTH || size == 0 || !unpack(kkt)) return false;
    for (int first = 0; first < count; first += WIDTH) {
        const int here = count - first < WIDTH ? count - first : WIDTH;
        load(kkt->factors, kkt->scale, size, b, first, here);
        solve_lower(kkt->factors, size);
        solve_upper(kkt->factors, size);
        store(kkt->factors, kkt->scale, size, b, first, here);
    }
    return true;
}

bool sal_kkt_solve_block(sal_kkt *kkt, double *b, int count)
{
    return solve(kkt, &(columns){ b, b + kkt->pattern->n, kkt->pattern->n, 1, (size_t)kkt->pattern->size }, count);
}

bool sal_kkt_solve_rows(sal_kkt *kkt, double *x, double *y, int count)
{
    return solve(kkt, &(columns){ x, y, kkt->pattern->n, (size_t)count, 1 }, count);
}
