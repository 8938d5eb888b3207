/* names.c - names by hashing, so that scenes with many thousand points load in linear time. */
#include "engine/base/base.h"

#include <string.h>

/* The place of `name` in the table, or the empty place where it belongs. */
static int *find(const sal_names *names, const char *name)
{
    const uint64_t hash = sal_hash(SAL_HASH_EMPTY, name, strlen(name)), mask = (uint64_t)names->size - 1;

    for (uint64_t k = hash & mask;; k = (k + 1) & mask) {
        int *entry = &names->table[k];
        if (!*entry || !strcmp(names->list.at[*entry - 1], name)) return entry;
    }
}

static bool grow(sal_pool *pool, sal_names *names)
{
    int  size  = names->size ? 2 * names->size : 16;
    int *table = SAL_NEW(pool, int, size);

    if (!table) return false;
    names->table = table;
    names->size  = size;
    for (int i = 0; i < names->list.n; i++) *find(names, names->list.at[i]) = i + 1;
    return true;
}

int sal_names_add(sal_pool *pool, sal_names *names, const char *name, bool *known)
{
    int         *entry;
    const char **last;

    if (known) *known = false;
    if (2 * (names->list.n + 1) > names->size && !grow(pool, names)) return -1;
    entry = find(names, name);
    if (*entry) {
        if (known) *known = true;
        return *entry - 1;
    }
    last = SAL_PUSH(pool, &names->list);
    if (!last) return -1;
    *last  = name;
    *entry = names->list.n;
    return names->list.n - 1;
}

int sal_names_find(const sal_names *names, const char *name)
{
    return names->size ? *find(names, name) - 1 : -1;
}
