/* memory_text.h - a text that is written like a file, into memory.
 *
 * open_memstream() does not tell all writes for which there was no memory: ferror() stays quiet after fprintf(). */
#ifndef SAL_TOOLS_MEMORY_TEXT_H
#define SAL_TOOLS_MEMORY_TEXT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct memory_text { /* begins as zeros */
    char  *text;             /* ends with '\0'; to be freed */
    size_t size, room;
} memory_text;

FILE *memory_open(memory_text *m); /* NULL: out of memory */
/* False: not all was written, or f is NULL; there is no text then. */
bool memory_close(memory_text *m, FILE *f);

#endif
