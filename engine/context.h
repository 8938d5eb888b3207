/* context.h - memory pools and diagnostics; private to the engine.
 *
 * Every object (scene, model, run) owns one pool. What belongs to the object is allocated there and
 * goes with it in one call, so no error path frees anything by hand. Failure is sticky: a builder may
 * allocate on and check sal_pool.failed once. */
#ifndef SAL_CONTEXT_H
#define SAL_CONTEXT_H

#include <stdarg.h>
#include "engine/ext.h"

#if defined(__GNUC__)
#define SAL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SAL_PRINTF(text, first)
#endif

typedef struct sal_pool {
    sal_context      *context;
    struct sal_block *block;  /* newest first */
    size_t            left;   /* bytes free in the newest block */
    bool              failed; /* an allocation failed; stays so */
} sal_pool;

void  sal_pool_init(sal_pool *pool, sal_context *context);
void  sal_pool_free(sal_pool *pool);                /* releases every block; the pool is empty, usable again */
void *sal_pool_alloc(sal_pool *pool, size_t bytes); /* zeroed, aligned for any type; NULL when out of memory */
char *sal_pool_copy(sal_pool *pool, const char *text, size_t length); /* NUL-terminated copy */
char *sal_pool_format(sal_pool *pool, const char *format, ...) SAL_PRINTF(2, 3);

#define SAL_NEW(pool, type, count) ((type *)sal_pool_alloc((pool), sizeof(type) * (size_t)(count)))

/* A growing array inside a pool: SAL_VEC(double) { double *at; int n, cap; }.
 * SAL_PUSH gives the address of a new zeroed last element, or NULL when out of memory. Growth moves the
 * elements: keep indices, not addresses. */
#define SAL_VEC(type) \
    struct {          \
        type *at;     \
        int   n, cap; \
    }
#define SAL_PUSH(pool, vec)                                                                 \
    ((vec)->at = sal_vec_grow((pool), (vec)->at, (vec)->n, &(vec)->cap, sizeof *(vec)->at), \
     (vec)->n < (vec)->cap ? &(vec)->at[(vec)->n++] : NULL)
void *sal_vec_grow(sal_pool *pool, void *at, int n, int *cap, size_t size); /* room for one more, or as it was */

/* Diagnostics. sal_fail adds one and gives back its status, so that a call ends with `return sal_fail(...)`. */
void sal_clear_errors(sal_context *context);
void sal_add_error(sal_context *context, const char *file, int line, int column, const char *path, const char *format,
                   ...) SAL_PRINTF(6, 7);
void sal_add_error_v(sal_context *context, const char *file, int line, int column, const char *path, const char *format,
                     va_list args);
sal_status sal_fail(sal_context *context, sal_status status, const char *format, ...)
    SAL_PRINTF(3, 4); /* clears, then adds */
sal_status sal_out_of_memory(sal_context *context);
void       sal_log(const sal_context *context, const char *format, ...) SAL_PRINTF(2, 3);

/* The nearest of `count` names to `word` by edit distance, or NULL when none is near enough to suggest. */
const char *sal_nearest(const char *word, const char *const *names, int count);
/* The same as the end of a message: "; did you mean 'P1'?", or "". */
typedef struct sal_hint {
    char text[96];
} sal_hint;
sal_hint sal_did_you_mean(const char *word, const char *const *names, int count);

#endif
