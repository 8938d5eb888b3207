/* context.c - a context: the allocator, the diagnostics, and room for what a floor above keeps in it. */
#include "engine/base/context.h"

#include <stdlib.h>
#include <string.h>

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
    return (
        sal_context_opts){ .size = sizeof(sal_context_opts), .allocate = default_allocate, .release = default_release };
}

sal_status sal_context_init(const sal_context_opts *opts, size_t more, sal_context **context)
{
    static const size_t known[] = { sizeof(sal_context_opts), 0 };
    sal_context_opts    o       = sal_context_defaults();
    sal_context        *c;

    *context = NULL;
    if (sal_opts_read(NULL, "context", known, opts, &o) != SAL_OK) return SAL_ERR_ARGUMENT;
    if (!o.allocate) o.allocate = default_allocate;
    if (!o.release) o.release = default_release;
    c = o.allocate(o.user, sizeof *c + more);
    if (!c) return SAL_ERR_MEMORY;
    memset(c, 0, sizeof *c + more);
    c->opts = o;
    pthread_mutex_init(&c->lock, NULL);
    sal_pool_init(&c->texts, c);
    *context = c;
    return SAL_OK;
}

sal_status sal_context_beside(const sal_context *other, sal_context **context)
{
    return sal_context_init(&other->opts, 0, context);
}

void sal_context_free(sal_context **context)
{
    sal_context *c = *context;

    if (!c) return;
    sal_pool_free(&c->texts);
    pthread_mutex_destroy(&c->lock);
    c->opts.release(c->opts.user, c);
    *context = NULL;
}

void *sal_context_more(sal_context *context)
{
    return context->more;
}
