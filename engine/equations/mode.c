/* mode.c - which rows hold, and along what their forces act; see equations.h. */
#include <string.h>

#include "engine/equations/equations.h"

sal_status sal_mode_init(sal_row_mode *mode, sal_pool *pool, int rows, int room)
{
    *mode = (sal_row_mode){ .rows     = rows,
                            .held     = SAL_NEW(pool, bool, room),
                            .acts     = SAL_NEW(pool, bool, room),
                            .coupling = SAL_NEW(pool, sal_coupling, rows),
                            .portion  = SAL_NEW(pool, sal_portion, rows) };
    if (pool->failed) return SAL_ERR_MEMORY;
    for (int r = rows; r < room; r++) mode->held[r] = true;
    return SAL_OK;
}

void sal_mode_copy(sal_row_mode *to, const sal_row_mode *from)
{
    const size_t rows = (size_t)from->rows;

    SAL_ASSERT(to->rows == from->rows);
    memcpy(to->held, from->held, sizeof *to->held * rows);
    memcpy(to->acts, from->acts, sizeof *to->acts * rows);
    memcpy(to->coupling, from->coupling, sizeof *to->coupling * (size_t)from->couplings);
    memcpy(to->portion, from->portion, sizeof *to->portion * (size_t)from->portions);
    to->couplings = from->couplings;
    to->portions  = from->portions;
}

void sal_mode_start(sal_row_mode *mode, const sal_tables *tables)
{
    for (int r = 0; r < mode->rows; r++) mode->held[r] = !tables->rows.at[r].idle;
    sal_mode_uncouple(mode);
}

void sal_mode_uncouple(sal_row_mode *mode)
{
    memset(mode->acts, 0, sizeof *mode->acts * (size_t)mode->rows);
    mode->couplings = mode->portions = 0;
}

void sal_mode_couple(sal_row_mode *mode, sal_coupling c)
{
    SAL_ASSERT(mode->couplings < mode->rows && c.sign != 0 && !mode->acts[c.along] && !mode->held[c.along]);
    mode->coupling[mode->couplings++] = c;
    mode->acts[c.along]               = true;
}

void sal_mode_share(sal_row_mode *mode, sal_portion p)
{
    SAL_ASSERT(mode->portions < mode->rows && mode->held[p.leader] && mode->held[p.row] == (p.row == p.leader));
    mode->portion[mode->portions++] = p;
    mode->acts[p.row]               = p.row != p.leader;
}

static bool same_portion(const sal_portion *a, const sal_portion *b)
{
    return a->row == b->row && a->leader == b->leader && a->sign == b->sign;
}

static bool same_coupling(const sal_coupling *a, const sal_coupling *b)
{
    return a->row == b->row && a->along == b->along && a->factor == b->factor && a->sign == b->sign &&
           a->part == b->part;
}

bool sal_mode_equal(const sal_row_mode *a, const sal_row_mode *b)
{
    if (a->rows != b->rows || a->couplings != b->couplings || a->portions != b->portions) return false;
    if (memcmp(a->held, b->held, sizeof *a->held * (size_t)a->rows)) return false;
    for (int k = 0; k < a->couplings; k++) {
        if (!same_coupling(&a->coupling[k], &b->coupling[k])) return false;
    }
    for (int k = 0; k < a->portions; k++) {
        if (!same_portion(&a->portion[k], &b->portion[k])) return false;
    }
    return true;
}
