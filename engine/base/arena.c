/* arena.c - workspace with marks; see base.h. */
#include "engine/base/base.h"

sal_status sal_arena_init(sal_arena *arena, sal_pool *pool, size_t room)
{
    *arena = (sal_arena){ .memory = SAL_NEW(pool, double, room), .room = room };
    return arena->memory ? SAL_OK : SAL_ERR_MEMORY;
}

double *sal_arena_take(sal_arena *arena, int count)
{
    double *memory = arena->memory + arena->used;

    arena->used += (size_t)count;
    SAL_ASSERT(count >= 0 && arena->used <= arena->room);
    return memory;
}
