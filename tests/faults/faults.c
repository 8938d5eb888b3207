/* faults.c - to be preloaded: lets one allocation, or one write of a stream, fail.
 *
 *     FAULT_ALLOCATION=N   the N-th allocation finds no memory
 *     FAULT_WRITE=N        the N-th write of stdout or of a file that the program opens finds the device full, and so
 *                          do all that follow
 *     FAULT_REPORT=FILE    where to say at the end how many there were, and how many blocks nobody has freed:
 *                          "allocations N writes N blocks N"; nothing is said where the program leaves by _exit
 *     FAULT_TRACE=1        says on stderr who asked for the memory that was not there
 *
 * Counted from when all libraries have been initialised. glibc's streams write past the dynamic linker: those that a
 * program opens are replaced by streams that write through here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void  __libc_free(void *memory);

static atomic_long allocations, writes, blocks;
static long        failing_allocation, failing_write;
static bool        begun;

/* Who asked: frames of the stack, for addr2line. */
static void tell_where(void)
{
    void *frames[40];

    begun = false;
    backtrace_symbols_fd(frames, backtrace(frames, 40), STDERR_FILENO);
    begun = true;
}

static bool fails(void)
{
    if (!begun || atomic_fetch_add(&allocations, 1) + 1 != failing_allocation) return false;
    if (getenv("FAULT_TRACE")) tell_where();
    return true;
}

static void *counted(void *memory)
{
    if (begun && memory) atomic_fetch_add(&blocks, 1);
    return memory;
}

void *malloc(size_t size)
{
    return fails() ? (errno = ENOMEM, NULL) : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails() ? (errno = ENOMEM, NULL) : counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    if (fails()) return errno = ENOMEM, NULL;
    return memory ? __libc_realloc(memory, size) : counted(__libc_realloc(NULL, size));
}

void free(void *memory)
{
    if (begun && memory) atomic_fetch_sub(&blocks, 1);
    __libc_free(memory);
}

/* ----------------------------------------------------------------------------------------- streams */

static ssize_t write_through(void *cookie, const char *bytes, size_t size)
{
    const long number = atomic_fetch_add(&writes, 1) + 1;

    if (failing_write && number >= failing_write) return errno = ENOSPC, 0; /* 0 is an error here */
    return write((int)(intptr_t)cookie, bytes, size);
}

static int close_through(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

static FILE *stream_of(int file)
{
    return fopencookie((void *)(intptr_t)file, "w",
                       (cookie_io_functions_t){ .write = write_through, .close = close_through });
}

FILE *fdopen(int file, const char *mode)
{
    FILE *(*real)(int, const char *) = (FILE * (*)(int, const char *)) dlsym(RTLD_NEXT, "fdopen");

    return mode[0] == 'w' ? stream_of(file) : real(file, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    FILE *(*real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    FILE *f                                   = real(path, mode);
    int   file;

    if (!f || mode[0] != 'w') return f;
    file = dup(fileno(f));
    fclose(f);
    f = stream_of(file);
    if (!f) unlink(path); /* the real one has its memory before there is a file */
    return f;
}

/* ------------------------------------------------------------------------------------ begin and end */

static long number_of(const char *name)
{
    const char *text = getenv(name);

    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    failing_allocation = number_of("FAULT_ALLOCATION");
    failing_write      = number_of("FAULT_WRITE");
    stdout             = stream_of(STDOUT_FILENO);
    begun              = true;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAULT_REPORT");
    char        text[128];

    begun = false;
    fflush(stdout);
    if (!path) return;
    snprintf(text, sizeof text, "allocations %ld writes %ld blocks %ld\n", atomic_load(&allocations),
             atomic_load(&writes), atomic_load(&blocks));
    FILE *(*real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    FILE *f                                   = real(path, "w");
    if (!f) return;
    fputs(text, f);
    fclose(f);
}
