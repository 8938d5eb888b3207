/* cmd_view.c - saltus view: a scene in the browser, live. Starts the server and waits until it is interrupted. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/view.h"
#include "tools/view_help.h"

extern char **environ;

/* Whether there is a browser that could be seen. */
static bool has_display(void)
{
    const char *const names[] = { "DISPLAY", "WAYLAND_DISPLAY", "BROWSER" };

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const char *value = getenv(names[k]);
        if (value && value[0]) return true;
    }
    return false;
}

/* BROWSER where it is a command and nothing else; xdg-open understands lists ("firefox %s:chromium"), and knows the
 * browser of the user where there is none. */
static const char *choose_browser(void)
{
    const char *chosen = getenv("BROWSER");

    return chosen && chosen[0] && !strpbrk(chosen, ": %") ? chosen : "xdg-open";
}

/* In a group of processes of its own, which Ctrl-C here does not end, and with the usual SIGPIPE; what it says is not
 * for this terminal. */
static void open_browser(const char *address)
{
    char *const                words[] = { (char *)choose_browser(), (char *)address, NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          how;
    sigset_t                   usual;
    pid_t                      child;

    if (posix_spawn_file_actions_init(&files) != 0) return;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return;
    }
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&child, words[0], &files, &how, words, environ) != 0)
        fprintf(stderr, "saltus: %s cannot be started: open the address yourself\n", words[0]);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
}

/* The scene can be read, whatever is wrong in it: that is shown in the page. */
static int check_scene(const arguments *a)
{
    char       stamp[VIEW_STAMP];
    size_t     size;
    char      *text = view_read(a->scene, &size, stamp);
    const bool good = text != NULL;

    if (!good) fprintf(stderr, "saltus: %s: %s\n", a->scene, strerror(errno));
    free(text);
    return good ? EXIT_SUCCESS : EXIT_SCENE;
}

static int serve(const arguments *a, const view_opts *opts)
{
    view_server *server;

    catch_interrupts();
    signal(SIGPIPE, SIG_IGN); /* pages go when they like */
    server = view_open(opts);
    if (!server) return EXIT_RUN;
    printf("%s\n", view_address(server));
    printf("Open this address in a browser of this machine; Ctrl-C ends it.\n");
    fflush(stdout);
    if (!a->word[WORD_NO_BROWSER] && has_display()) open_browser(view_address(server));
    while (!interrupted) {
        const struct timespec while_waiting = { .tv_nsec = 100000000 };
        nanosleep(&while_waiting, NULL);
        waitpid(-1, NULL, WNOHANG);
    }
    view_close(server);
    return EXIT_SUCCESS;
}

int command_view(int argc, char **argv)
{
    arguments a;
    session   s    = { 0 };
    view_opts opts = { .a = &a, .seconds = 20.0 };
    double    port = 0.0;
    int       code;

    if (!read_arguments(argc, argv, ACCEPT_VIEW, view_help, &a, &code)) return code;
    code = EXIT_USAGE;
    if (read_between("--port", a.word[WORD_PORT], 1.0, 65535.0, &port) &&
        read_between("--limit", a.word[WORD_LIMIT], 0.1, 3600.0, &opts.seconds))
        code = check_scene(&a);
    opts.port = (int)port;
    if (code == EXIT_SUCCESS) code = serve(&a, &opts);
    session_close(&s, &a);
    return code;
}
