/* pool.c - memory that goes with its object, and growing arrays in it. */
#include "engine/base/context.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_BYTES = 16 * 1024 };

struct sal_block {
    struct sal_block *next;
    size_t            size; /* of bytes[] */
    _Alignas(max_align_t) unsigned char bytes[];
};

/* In builds with the address sanitizer every allocation of a pool ends where it was asked to end, and what a growing
 * array has left behind is gone: an index that is too large, or a pointer that is too old, is seen. */
#if defined(__SANITIZE_ADDRESS__)
#define POOL_GUARDED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POOL_GUARDED 1
#endif
#endif
#ifdef POOL_GUARDED
#include <sanitizer/asan_interface.h>
#define GUARD_BYTES            sizeof(max_align_t)
#define FORBID(memory, bytes)  ASAN_POISON_MEMORY_REGION(memory, bytes)
#define RELEASE(memory, bytes) ASAN_UNPOISON_MEMORY_REGION(memory, bytes)
#else
#define GUARD_BYTES            ((size_t)0)
#define FORBID(memory, bytes)  ((void)(memory), (void)(bytes))
#define RELEASE(memory, bytes) ((void)(memory), (void)(bytes))
#endif

void sal_pool_init(sal_pool *pool, sal_context *context)
{
    *pool = (sal_pool){ .context = context };
}

void sal_pool_free(sal_pool *pool)
{
    for (struct sal_block *b = pool->block, *next; b; b = next) {
        next = b->next;
        RELEASE(b->bytes, b->size);
        pool->context->opts.release(pool->context->opts.user, b);
    }
    sal_pool_init(pool, pool->context);
}

void *sal_pool_alloc(sal_pool *pool, size_t bytes)
{
    const size_t      align = sizeof(max_align_t);
    const size_t      asked = bytes;
    struct sal_block *b     = pool->block;
    void             *memory;

    if (bytes > SIZE_MAX / 2) {
        pool->failed = true;
        return NULL;
    }
    bytes = (bytes + align - 1) / align * align + GUARD_BYTES;
    if (bytes == 0) bytes = align;
    if (!b || pool->left < bytes) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        b           = pool->context->opts.allocate(pool->context->opts.user, sizeof *b + size);
        if (!b) {
            pool->failed = true;
            return NULL;
        }
        b->next     = pool->block;
        b->size     = size;
        pool->block = b;
        pool->left  = size;
        FORBID(b->bytes, size);
    }
    memory = b->bytes + (b->size - pool->left);
    pool->left -= bytes;
    RELEASE(memory, asked);
    return memset(memory, 0, asked);
}

char *sal_pool_copy(sal_pool *pool, const char *text, size_t length)
{
    char *copy = sal_pool_alloc(pool, length + 1);

    if (copy) memcpy(copy, text, length);
    return copy;
}

char *sal_pool_format_v(sal_pool *pool, const char *format, va_list args)
{
    va_list again;
    char   *text;
    int     length;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    text   = length < 0 ? NULL : sal_pool_alloc(pool, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *sal_pool_format(sal_pool *pool, const char *format, ...)
{
    va_list args;
    char   *text;

    va_start(args, format);
    text = sal_pool_format_v(pool, format, args);
    va_end(args);
    return text;
}

void *sal_vec_grow(sal_pool *pool, void *at, int n, int *cap, size_t size)
{
    int   larger = *cap ? 2 * *cap : 8;
    void *memory;

    if (n < *cap) return at;
    memory = sal_pool_alloc(pool, size * (size_t)larger);
    if (!memory) return at;
    if (n > 0) memcpy(memory, at, size * (size_t)n);
    if (n > 0) FORBID(at, size * (size_t)n);
    *cap = larger;
    return memory;
}
