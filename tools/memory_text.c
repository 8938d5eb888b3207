/* memory_text.c - see memory_text.h. */
#define _GNU_SOURCE /* fopencookie */
#include "tools/memory_text.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(memory_text *m, size_t size)
{
    const size_t room = 2 * (m->size + size + 1);
    char        *more;

    if (m->size + size < m->room) return true;
    more = realloc(m->text, room);
    if (!more) return false;
    m->text = more;
    m->room = room;
    return true;
}

static ssize_t keep(void *self, const char *bytes, size_t size)
{
    memory_text *m = self;

    if (!make_room(m, size)) return 0; /* an error here */
    memcpy(m->text + m->size, bytes, size);
    m->size += size;
    m->text[m->size] = '\0';
    return (ssize_t)size;
}

FILE *memory_open(memory_text *m)
{
    return fopencookie(m, "w", (cookie_io_functions_t){ .write = keep });
}

bool memory_close(memory_text *m, FILE *f)
{
    const bool written = f && !ferror(f);

    if (f && fclose(f) == 0 && written && make_room(m, 0)) return m->text[m->size] = '\0', true;
    free(m->text);
    *m = (memory_text){ 0 };
    return false;
}
