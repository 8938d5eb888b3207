/* names.h - a set of names, each with its number in order of arrival. */
#ifndef SAL_NAMES_H
#define SAL_NAMES_H

#include "engine/context.h"

typedef struct sal_names {
    SAL_VEC(const char *) list;
    int *table; /* open addressing: number + 1, 0 is empty */
    int  size;  /* a power of two, at least twice list.n */
} sal_names;

/* The number of the name, new or known (then *known is set); -1 when out of memory. The text is not copied. */
int sal_names_add(sal_pool *pool, sal_names *names, const char *name, bool *known);
int sal_names_find(const sal_names *names, const char *name); /* -1: not there */

#endif
