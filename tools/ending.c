/* ending.c - how the command ends: nothing that was to be written is lost unnoticed, nothing half-written stays. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/files.h"

volatile sig_atomic_t        interrupted;
static volatile sig_atomic_t looked_at; /* the command looks at `interrupted` */

/* The first one asks for an end where the command looks out for that; another one, or the first where it does not, ends
 * it at once, as it would have done without us. */
static void on_interrupt(int signal_number)
{
    if (looked_at && !interrupted) {
        interrupted = 1;
        return;
    }
    results_discard();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void catch_interrupts(void)
{
    looked_at = 1;
}

double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* At once: with _exit, as other threads may be in the middle of something. */
static _Noreturn void lack_memory(void)
{
    static const char text[] = "saltus: out of memory\n";

    results_discard();
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(EXIT_RUN);
}

void *need_more(void *memory, size_t size)
{
    void *more = realloc(memory, size ? size : 1);

    if (!more) lack_memory();
    return more;
}

void *need_memory(size_t size)
{
    return need_more(NULL, size);
}

void *need_zeros(size_t count, size_t size)
{
    return memset(need_memory(count * size), 0, count * size);
}

char *need_copy(const char *text)
{
    const size_t size = strlen(text) + 1;

    return memcpy(need_memory(size), text, size);
}

/* A standard stream that was closed is taken, such that a file of results cannot become it: reading from it and writing
 * to it fail, as before. */
static void take_closed(int file, int how)
{
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF) (void)!open("/dev/null", how);
}

void command_begins(void)
{
    const struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART }; /* writing goes on */
    struct sigaction       hangup;

    take_closed(STDIN_FILENO, O_WRONLY);
    take_closed(STDOUT_FILENO, O_RDONLY);
    take_closed(STDERR_FILENO, O_WRONLY);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* who reads no more, and a file that may not grow, are noticed as errors of writing */
    signal(SIGXFSZ, SIG_IGN);
    cJSON_InitHooks(&(cJSON_Hooks){ need_memory, free });
}

bool stdout_written(void)
{
    static bool told;
    static int  why;

    errno = 0;
    if (fflush(stdout) != 0 && why == 0) why = errno ? errno : EIO;
    if (!ferror(stdout) && why == 0) return true;
    if (!told && why != EPIPE) /* who has read enough need not be told */
        fprintf(stderr, "saltus: cannot write to stdout: %s\n", why ? strerror(why) : "a write failed");
    told = true;
    return false;
}

int command_ends(int code)
{
    const bool written = (progress_end(), stdout_written());
    const bool done    = code == EXIT_SUCCESS || code == EXIT_DOUBTFUL || code == EXIT_STOPPED;

    return written || !done ? code : EXIT_OUTPUT;
}
