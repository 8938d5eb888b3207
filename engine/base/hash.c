/* hash.c - bytes to a number, for tables and for telling contents apart: Fowler, Noll, Vo, FNV-1a in 64 bits. */
#include "engine/base/base.h"

uint64_t sal_hash(uint64_t before, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;

    for (size_t k = 0; k < count; k++) before = (before ^ b[k]) * 1099511628211u;
    return before;
}
