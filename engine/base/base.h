/* base/ - what everything stands on: memory pools, diagnostics, names, the watch on long computations. Knows nothing of
 * mechanisms; uses saltus.h only. */
#ifndef SAL_BASE_H
#define SAL_BASE_H

#include <stdarg.h>
#include <stdint.h>
#include "engine/saltus.h"

/* For the impossible: on in Debug, sanitizer and test builds (SAL_CHECKS), nothing otherwise. */
#ifdef SAL_CHECKS
#define SAL_ASSERT(condition) ((condition) ? (void)0 : sal_assert_failed(#condition, __FILE__, __LINE__))
void sal_assert_failed(const char *condition, const char *file, int line); /* ends the process */
#else
#define SAL_ASSERT(condition) ((void)sizeof(condition))
#endif

#define SAL_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ------------------------------------------------------------------------------------------------------------ */

/* memory pools and diagnostics.
 *
 * Every object (scene, model, run) owns one pool. What belongs to the object is allocated there and
 * goes with it in one call, so no error path frees anything by hand. Failure is sticky: a builder may
 * allocate on and check sal_pool.failed once. */
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

/* Workspace, allocated once: taken in the order of a stack, and given back to a mark by who took it.
 *
 *     const size_t mark = sal_arena_mark(&s->arena);
 *     double      *x    = sal_arena_take(&s->arena, n);        not zeroed
 *     ...
 *     sal_arena_release(&s->arena, mark); */
typedef struct sal_arena {
    double *memory;
    size_t  room, used;
} sal_arena;

sal_status sal_arena_init(sal_arena *arena, sal_pool *pool, size_t room);
double    *sal_arena_take(sal_arena *arena, int count);

static inline size_t sal_arena_mark(const sal_arena *arena)
{
    return arena->used;
}

static inline void sal_arena_release(sal_arena *arena, size_t mark)
{
    SAL_ASSERT(mark <= arena->used);
    arena->used = mark;
}

/* Options that begin with their size (saltus.h) into `out`, which holds the defaults: of those of an earlier version,
 * which are shorter, as much as there is; out's own size stays. known: the sizes of all versions, ended by 0. given may
 * be NULL. SAL_ERR_ARGUMENT: no such size; the message names sal_NAME_opts and sal_NAME_defaults(). context may be
 * NULL: no message. */
sal_status sal_opts_read(sal_context *context, const char *name, const size_t *known, const void *given, void *out);

/* A context with `more` zeroed bytes for a floor above, at sal_context_more. */
sal_status sal_context_init(const sal_context_opts *opts, size_t more, sal_context **context);
/* Another with the same allocator and log, for diagnostics of its own. */
sal_status sal_context_beside(const sal_context *other, sal_context **context);
void       sal_context_free(sal_context **context);
void      *sal_context_more(sal_context *context);

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

/* ------------------------------------------------------------------------------------------------------------ */

/* The hash of what came before (SAL_HASH_EMPTY: nothing) and of these bytes behind it. */
#define SAL_HASH_EMPTY ((uint64_t)14695981039346656037u)
uint64_t sal_hash(uint64_t before, const void *bytes, size_t count);

/* a set of names, each with its number in order of arrival. */
typedef struct sal_names {
    SAL_VEC(const char *) list;
    int *table; /* open addressing: number + 1, 0 is empty */
    int  size;  /* a power of two, at least twice list.n */
} sal_names;

/* The number of the name, new or known (then *known is set); -1 when out of memory. The text is not copied. */
int sal_names_add(sal_pool *pool, sal_names *names, const char *name, bool *known);
int sal_names_find(const sal_names *names, const char *name); /* -1: not there */

/* ------------------------------------------------------------------------------------------------------------ */

/* what may end a long computation from outside: the caller's `stop`, and the clock. */
typedef struct sal_watch {
    bool (*stop)(void *user); /* NULL: never */
    void   *user;
    double  until; /* on sal_watch_now [s]; HUGE_VAL: no limit */
    double  every; /* stop is asked so often at most [s]; 0: always */
    double *asked; /* when it was asked last, on sal_watch_now [s] */
} sal_watch;

/* SAL_OK: go on; SAL_STOPPED; SAL_ERR_LIMIT: the time is over. Asked wherever something may take long. `watch` NULL: go
 * on. */
sal_status sal_watch_ask(const sal_watch *watch);
double     sal_watch_now(void); /* a clock on the wall that never goes back [s] */

#endif
