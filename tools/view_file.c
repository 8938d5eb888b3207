/* view_file.c - the scene's file as a page sees it: a text and a stamp, of which a later one of the file can be told.
 *
 * A file is written whole: beside it, under a name that nobody has, made to last, then renamed. A file
 * that may not be written is not replaced either, though its folder would let it. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/view.h"

/* FNV-1a over the text. */
static uint64_t hash_text(const char *text, size_t size)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t k = 0; k < size; k++) hash = (hash ^ (unsigned char)text[k]) * 1099511628211u;
    return hash;
}

static void make_stamp(const char *text, size_t size, char stamp[VIEW_STAMP])
{
    snprintf(stamp, VIEW_STAMP, "%zx-%016llx", size, (unsigned long long)hash_text(text, size));
}

char *view_read(const char *path, size_t *size, char stamp[VIEW_STAMP])
{
    FILE *f    = fopen(path, "rb");
    char *text = f ? malloc(VIEW_MOST_BYTES + 1) : NULL, *fit;
    bool  good = false;

    if (text) {
        *size = fread(text, 1, VIEW_MOST_BYTES + 1, f);
        good  = !ferror(f);
        if (*size > VIEW_MOST_BYTES) {
            errno = EFBIG;
            good  = false;
        }
    }
    if (f) fclose(f);
    if (!good) return free(text), NULL;
    make_stamp(text, *size, stamp);
    fit = realloc(text, *size + 1);
    return fit ? fit : text;
}

static bool write_all(int file, const char *text, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(file, text + done, size - done);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) done += (size_t)n;
    }
    return fsync(file) == 0;
}

/* The names in the folder of a file are made to last, where the file system can do that. */
static void keep_name(const char *path)
{
    char copy[PATH_MAX];
    int  folder;

    snprintf(copy, sizeof copy, "%s", path);
    folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    (void)fsync(folder);
    close(folder);
}

/* A file where there is none. */
static bool make_file(const char *path, const char *text, size_t size)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool      good;

    if (file < 0) return false;
    good = write_all(file, text, size);
    good = close(file) == 0 && good;
    if (!good) {
        const int why = errno;
        unlink(path);
        errno = why;
        return false;
    }
    keep_name(path);
    return true;
}

/* Beside the file, then in its place. */
static bool replace_file(const char *path, const char *text, size_t size, mode_t mode)
{
    char part[PATH_MAX + 16];
    int  file;
    bool good;

    snprintf(part, sizeof part, "%s.XXXXXX", path);
    file = mkstemp(part);
    if (file < 0) return false;
    good = write_all(file, text, size) && fchmod(file, mode) == 0;
    good = close(file) == 0 && good;
    good = good && rename(part, path) == 0;
    if (!good) {
        const int why = errno;
        unlink(part);
        errno = why;
        return false;
    }
    keep_name(path);
    return true;
}

int view_write(const char *path, const char *text, size_t size, const char *expected, char stamp[VIEW_STAMP])
{
    char        target[PATH_MAX], found[VIEW_STAMP];
    struct stat there;
    size_t      old_size;
    char       *old;

    if (!expected && lstat(path, &there) != 0 && errno == ENOENT) {
        if (!make_file(path, text, size)) return -1;
        make_stamp(text, size, stamp);
        return 0;
    }
    if (!realpath(path, target) || stat(target, &there) != 0) return -1;
    old = view_read(target, &old_size, found);
    if (!old) return -1;
    free(old);
    if (expected && strcmp(expected, found) != 0) return 1;
    if (!S_ISREG(there.st_mode)) return errno = EINVAL, -1;
    if (access(target, W_OK) != 0) return -1;
    if (!replace_file(target, text, size, there.st_mode & 07777)) return -1;
    make_stamp(text, size, stamp);
    return 0;
}
