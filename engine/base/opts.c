/* opts.c - options of the caller's, which begin with their size.
 *
 * Later versions add members at the end: options of an earlier one are shorter, and what they do not have is as the
 * defaults say. A size that no version has is that of something else, or of nothing: uninitialised, zeroed. */
#include <string.h>

#include "engine/base/base.h"

sal_status sal_opts_read(sal_context *context, const char *name, const size_t *known, const void *given, void *out)
{
    size_t size;

    if (!given) return SAL_OK;
    memcpy(&size, given, sizeof size);
    for (int k = 0; known[k]; k++) {
        if (known[k] != size) continue;
        memcpy((char *)out + sizeof size, (const char *)given + sizeof size, size - sizeof size);
        return SAL_OK;
    }
    if (!context) return SAL_ERR_ARGUMENT;
    return sal_fail(context, SAL_ERR_ARGUMENT,
                    "sal_%s_opts: its size is %zu, which is not that of any version; start from sal_%s_defaults()",
                    name, size, name);
}
