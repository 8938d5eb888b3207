/* diagnostics.c - errors with their places, the message of all of them, the log. */
#include "engine/base/context.h"

#include <stdio.h>
#include <string.h>

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
    if (c->nerror == SAL_ERRORS_MAX) {
        c->dropped++;
        return;
    }
    f                     = sal_pool_copy(&c->texts, file, strlen(file));
    p                     = printable(sal_pool_copy(&c->texts, path, strlen(path)));
    t                     = printable(sal_pool_format_v(&c->texts, format, args));
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
    if (!context->error[0].text[0]) /* nothing has been said where it arose, as of memory */
        context->error[0].text = sal_status_text(status);
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
