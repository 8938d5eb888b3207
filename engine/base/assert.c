/* assert.c - the end of a program in which something impossible has happened. Only in builds that check (SAL_CHECKS):
 * the
 * library itself neither prints nor exits. */
#include "engine/base/base.h"

#ifdef SAL_CHECKS
#include <stdio.h>
#include <stdlib.h>

void sal_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
#endif
