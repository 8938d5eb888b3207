/* context.c - allocator, pools, diagnostics, the nearest name. */
#include "engine/context.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/registry.h"

enum { ERRORS_MAX = 100, BLOCK_BYTES = 16 * 1024 };

struct sal_context {
    sal_context_opts opts;
    sal_registry     registry;
    sal_diagnostic   error[ERRORS_MAX];
    int              nerror;
    int              dropped; /* errors beyond ERRORS_MAX */
    pthread_mutex_t  lock;    /* of the diagnostics: threads that share a model share its context */
    sal_pool         texts;   /* of the diagnostics */
    char            *message; /* all of them joined; in texts */
};

/* ---------------------------------------------------------------------------------------- status */

const char *sal_status_name(sal_status status)
{
    switch (status) {
#define STATUS_NAME(name, value, text) \
    case name: return #name;
        SAL_STATUS_LIST(STATUS_NAME)
    }
    return "unknown status";
}

const char *sal_status_text(sal_status status)
{
    switch (status) {
#define STATUS_TEXT(name, value, text) \
    case name: return text;
        SAL_STATUS_LIST(STATUS_TEXT)
    }
    return "unknown status";
}

const char *sal_version(void)
{
    return SAL_VERSION;
}

/* --------------------------------------------------------------------------------------- context */

static void *default_allocate(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void default_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

sal_context_opts sal_context_defaults(void)
{
    return (sal_context_opts){ .allocate = default_allocate, .release = default_release };
}

sal_status sal_context_create(const sal_context_opts *opts, sal_context **context)
{
    sal_context_opts o = opts ? *opts : sal_context_defaults();
    sal_context     *c;

    *context = NULL;
    if (!o.allocate) o.allocate = default_allocate;
    if (!o.release) o.release = default_release;
    c = o.allocate(o.user, sizeof *c);
    if (!c) return SAL_ERR_MEMORY;
    memset(c, 0, sizeof *c);
    c->opts = o;
    pthread_mutex_init(&c->lock, NULL);
    sal_pool_init(&c->texts, c);
    sal_registry_init(&c->registry);
    *context = c;
    return SAL_OK;
}

void sal_context_destroy(sal_context **context)
{
    sal_context *c = *context;

    if (!c) return;
    sal_plugins_unload(&c->registry);
    sal_pool_free(&c->texts);
    pthread_mutex_destroy(&c->lock);
    c->opts.release(c->opts.user, c);
    *context = NULL;
}

sal_registry *sal_context_registry(sal_context *context)
{
    return &context->registry;
}

/* ------------------------------------------------------------------------------------------ pool */

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

static char *pool_format_v(sal_pool *pool, const char *format, va_list args)
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
    text = pool_format_v(pool, format, args);
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

/* ----------------------------------------------------------------------------------- diagnostics */

/* Texts quote the user's names and expressions; control characters in them must not reach a terminal. Those above 0x7f
 * are two bytes in UTF-8. */
static char *printable(char *text)
{
    for (unsigned char *c = (unsigned char *)text; c && *c; c++) {
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) c[0] = c[1] = '?';
        if (*c < 0x20 || *c == 0x7f) *c = '?';
    }
    return text;
}

static void clear(sal_context *c)
{
    sal_pool_free(&c->texts);
    c->nerror  = 0;
    c->dropped = 0;
    c->message = NULL;
}

static void add(sal_context *c, const char *file, int line, int column, const char *path, const char *format,
                va_list args)
{
    char *f, *p, *t;

    c->message = NULL;
    if (c->nerror == ERRORS_MAX) {
        c->dropped++;
        return;
    }
    f                     = sal_pool_copy(&c->texts, file, strlen(file));
    p                     = printable(sal_pool_copy(&c->texts, path, strlen(path)));
    t                     = printable(pool_format_v(&c->texts, format, args));
    c->error[c->nerror++] = (sal_diagnostic){
        .file = f ? f : "", .line = line, .column = column, .path = p ? p : "", .text = t ? t : "out of memory"
    };
}

void sal_clear_errors(sal_context *context)
{
    pthread_mutex_lock(&context->lock);
    clear(context);
    pthread_mutex_unlock(&context->lock);
}

void sal_add_error_v(sal_context *context, const char *file, int line, int column, const char *path, const char *format,
                     va_list args)
{
    pthread_mutex_lock(&context->lock);
    add(context, file, line, column, path, format, args);
    pthread_mutex_unlock(&context->lock);
}

void sal_add_error(sal_context *context, const char *file, int line, int column, const char *path, const char *format,
                   ...)
{
    va_list args;

    va_start(args, format);
    sal_add_error_v(context, file, line, column, path, format, args);
    va_end(args);
}

sal_status sal_fail(sal_context *context, sal_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    pthread_mutex_lock(&context->lock);
    clear(context);
    add(context, "", 0, 0, "", format, args);
    pthread_mutex_unlock(&context->lock);
    va_end(args);
    return status;
}

sal_status sal_out_of_memory(sal_context *context)
{
    return sal_fail(context, SAL_ERR_MEMORY, "out of memory");
}

int sal_error_count(const sal_context *context)
{
    return context->nerror;
}

const sal_diagnostic *sal_error(const sal_context *context, int index)
{
    return index >= 0 && index < context->nerror ? &context->error[index] : NULL;
}

/* Appends one diagnostic at `out` (NULL: only counts) and gives its length. */
static size_t print_error(char *out, size_t room, const sal_diagnostic *d)
{
    int n = 0;

    if (d->line) n = snprintf(out, room, "%s:%d:%d: ", d->file, d->line, d->column);
    else if (d->file[0]) n = snprintf(out, room, "%s: ", d->file);
    if (out) out += n, room -= (size_t)n;
    return (size_t)n + (size_t)snprintf(out, room, "%s%s%s\n", d->path, d->path[0] ? ": " : "", d->text);
}

const char *sal_message(const sal_context *context)
{
    sal_context *c    = (sal_context *)context; /* the joined text is a cache */
    size_t       size = 64, used = 0;

    if (!c) return "out of memory\n"; /* the only reason for not having a context */
    if (c->message) return c->message;
    for (int i = 0; i < c->nerror; i++) size += print_error(NULL, 0, &c->error[i]);
    c->message = sal_pool_alloc(&c->texts, size);
    if (!c->message) return "out of memory\n";
    for (int i = 0; i < c->nerror; i++) used += print_error(c->message + used, size - used, &c->error[i]);
    if (c->dropped) snprintf(c->message + used, size - used, "and %d more errors\n", c->dropped);
    return c->message;
}

void sal_log(const sal_context *context, const char *format, ...)
{
    char    text[1024];
    va_list args;

    if (!context->opts.log) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    context->opts.log(context->opts.user, text);
}

/* -------------------------------------------------------------------------------------- nearest */

/* Edit distance with adjacent swaps, cut off at `limit`. */
static int distance(const char *a, const char *b, int limit)
{
    enum { MAX = 64 };
    int row[3][MAX + 1];
    int na = (int)strlen(a), nb = (int)strlen(b);

    if (na > MAX || nb > MAX || abs(na - nb) > limit) return limit + 1;
    for (int j = 0; j <= nb; j++) row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int d = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < d) d = last[j] + 1;
            if (now[j - 1] + 1 < d) d = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < d)
                d = before[j - 2] + 1;
            now[j] = d;
        }
    }
    return row[na % 3][nb];
}

const char *sal_nearest(const char *word, const char *const *names, int count)
{
    int         limit = 1 + (int)strlen(word) / 3; /* one slip in a short word, more in a long one */
    const char *best  = NULL;

    for (int i = 0; i < count; i++) {
        int d = distance(word, names[i], limit);
        if (d <= limit && d < (int)strlen(names[i])) {
            best  = names[i];
            limit = d - 1;
        }
    }
    return best;
}

sal_hint sal_did_you_mean(const char *word, const char *const *names, int count)
{
    const char *nearest = sal_nearest(word, names, count);
    sal_hint    hint    = { "" };

    if (nearest) snprintf(hint.text, sizeof hint.text, "; did you mean '%s'?", nearest);
    return hint;
}
