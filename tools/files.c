/* files.c - files of results: whole, or not there at all. */
#include "tools/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 16, TRIES = 100 };

/* Names of files that are not complete. Read by a signal that ends the command: a name counts from when its first
 * character is there, which is written last and taken away first. */
static char unfinished[MOST_FILES][4400];

void results_discard(void)
{
    for (int k = 0; k < MOST_FILES; k++) {
        if (unfinished[k][0]) unlink(unfinished[k]);
        unfinished[k][0] = '\0';
    }
}

/* A file beside the path, which nobody had; its name is remembered. -1: errno says why not. */
static int make_part(result_file *r)
{
    const char *slash = strrchr(r->path, '/'), *name = slash ? slash + 1 : r->path;
    const int   folder = (int)(name - r->path);
    char        part[4400];
    int         file, k = 0;

    while (k < MOST_FILES && unfinished[k][0]) k++;
    if (k == MOST_FILES) return errno = EMFILE, -1;
    for (int try = 0; try < TRIES; try++) {
        uint64_t number;
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) return -1;
        snprintf(part, sizeof part, "%.*s.%.100s.%016llx.part", folder, r->path, name, (unsigned long long)number);
        file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file < 0 && errno == EEXIST) continue;
        if (file < 0) return -1;
        memcpy(unfinished[k] + 1, part + 1, strlen(part));
        unfinished[k][0] = part[0];
        r->part          = unfinished[k];
        return file;
    }
    return -1;
}

/* In place of what is there, which keeps its permissions; a link is replaced, and what it leads to stays. */
static int open_part(result_file *r)
{
    struct stat there;
    const bool  known = lstat(r->path, &there) == 0 && S_ISREG(there.st_mode);
    int         file;

    if (known && access(r->path, W_OK) != 0) return -1;
    file = make_part(r);
    if (file >= 0 && known) (void)fchmod(file, there.st_mode & 0777);
    return file;
}

static void drop_part(result_file *r)
{
    if (!r->part) return;
    unlink(r->part);
    r->part[0] = '\0';
    r->part    = NULL;
}

bool result_is_stdout(const char *path)
{
    struct stat there, out;

    if (!strcmp(path, "-")) return true;
    return stat(path, &there) == 0 && fstat(STDOUT_FILENO, &out) == 0 && there.st_dev == out.st_dev &&
           there.st_ino == out.st_ino;
}

bool result_open_file(result_file *r, const char *path)
{
    struct stat there;
    int         file;

    *r = (result_file){ 0 };
    if (result_is_stdout(path)) return r->f = stdout, true;
    if ((size_t)snprintf(r->path, sizeof r->path, "%s", path) >= sizeof r->path) errno = ENAMETOOLONG, file = -1;
    else if (stat(path, &there) != 0 || S_ISREG(there.st_mode)) file = open_part(r);
    else file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY); /* a device or a pipe stays what it is */
    r->f = file >= 0 ? fdopen(file, "w") : NULL;
    if (r->f) return true;
    fprintf(stderr, "saltus: cannot write '%s': %s\n", path, strerror(errno));
    if (file >= 0) close(file);
    drop_part(r);
    return false;
}

static bool make_folder(const char *folder)
{
    char path[4096];

    if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path) return errno = ENAMETOOLONG, false;
    for (char *c = path + 1; *c; c++) {
        if (*c != '/') continue;
        *c = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) return false;
        *c = '/';
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

bool result_open(result_file *r, const char *folder, const char *name)
{
    char path[4300];

    *r = (result_file){ 0 };
    if (!make_folder(folder)) {
        fprintf(stderr, "saltus: cannot make the folder '%s': %s\n", folder, strerror(errno));
        return false;
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return result_open_file(r, path);
}

void result_check(result_file *r)
{
    if (r->f && r->error == 0 && ferror(r->f)) r->error = errno ? errno : EIO;
}

static bool tell_failure(result_file *r)
{
    fprintf(stderr, "saltus: cannot write '%s': %s\n", r->path, strerror(r->error));
    return false;
}

bool result_finish(result_file *r, bool good)
{
    if (!r->f) return good;
    if (r->f == stdout) return stdout_written() && good;
    result_check(r);
    errno = 0;
    if (fclose(r->f) != 0 && r->error == 0) r->error = errno ? errno : EIO;
    r->f = NULL;
    if (r->error && good) return tell_failure(r);
    return good && !r->error;
}

bool result_name(result_file *r, bool good)
{
    if (!r->part) return good;
    if (!good) return drop_part(r), false;
    if (rename(r->part, r->path) != 0) {
        r->error = errno;
        drop_part(r);
        return tell_failure(r);
    }
    r->part[0] = '\0';
    r->part    = NULL;
    return true;
}

bool result_close(result_file *r, bool good)
{
    const bool written = result_finish(r, good);

    return result_name(r, written) || !good;
}

/* ------------------------------------------------------------------------------------- of a scene */

void result_path(const arguments *a, const char *suffix, char *path, size_t room)
{
    const char *slash = strrchr(a->scene, '/'), *name = slash ? slash + 1 : a->scene, *dot = strrchr(name, '.');

    if (!strcmp(name, "-")) dot = NULL, name = "scene"; /* from stdin */
    if (a->output) snprintf(path, room, "%s", a->output);
    else snprintf(path, room, "%.*s%s", (int)(dot && dot != name ? dot - name : (long)strlen(name)), name, suffix);
}

int result_picture(const arguments *a, const session *s, const char *suffix,
                   bool (*write)(void *what, FILE *f, const char *title), void *what)
{
    const char *title = sal_model_get_info(s->model).name;
    result_file file;
    char        path[4096];
    bool        good;

    result_path(a, suffix, path, sizeof path);
    if (!result_open_file(&file, path)) return EXIT_OUTPUT;
    good = write(what, file.f, title[0] ? title : a->scene);
    if (!good) report("saltus: out of memory", SAL_ERR_MEMORY);
    if (!result_close(&file, good)) return EXIT_OUTPUT;
    if (good && file.f != stdout) print_path(path);
    return good ? EXIT_SUCCESS : EXIT_RUN;
}
