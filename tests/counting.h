/* counting.h - an allocator for contexts that counts what lives and can fail at the n-th allocation. */
#ifndef SAL_TESTS_COUNTING_H
#define SAL_TESTS_COUNTING_H

#include <stdbool.h>
#include <stdlib.h>

#include "engine/saltus.h"

typedef struct memory {
    int  next; /* number of the next allocation */
    int  fail; /* the one that fails; -1: none */
    bool once; /* only that one, else all from there on */
    int  live; /* allocations not yet released */
} memory;

static inline void *count_allocate(void *user, size_t size)
{
    memory *m = user;
    int     n = m->next++;
    void   *p;

    if (m->fail >= 0 && (m->once ? n == m->fail : n >= m->fail)) return NULL;
    p = malloc(size);
    if (p) m->live++;
    return p;
}

static inline void count_release(void *user, void *block)
{
    memory *m = user;

    m->live--;
    free(block);
}

/* Options of a context that allocates so. */
static inline sal_context_opts counting_opts(memory *m)
{
    sal_context_opts opts = sal_context_defaults();

    opts.allocate = count_allocate;
    opts.release  = count_release;
    opts.user     = m;
    return opts;
}

#endif
