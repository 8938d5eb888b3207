/* journal.c - cases as they become known, on disk: a head that says which sweep it is, then records.
 *
 *     saltus sweep journal 1\n   lines of the identity   \n      record  record ...
 *     record:  size of the rest (4 bytes)  case (8)  status (4)  columns (8 each)  message  checksum of all that (4)
 *
 * Numbers are as the machine has them. One write for each case or batch: what is written stays when the program is
 * killed, and a record that was cut is found by its size and checksum. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/sweep/npz.h"
#include "tools/sweep/table.h"

static const char magic[] = "saltus sweep journal 1\n";

enum { FIXED = 4 + 8 + 4 + 4 }; /* bytes of a record beside columns and message */

/* ------------------------------------------------------------------------------------------- records */

bool record_add(record *r, int columns, long index, sal_status status, const double *row, const char *message)
{
    const size_t   numbers = (size_t)columns * sizeof *row, text = strlen(message), size = FIXED + numbers + text;
    const uint32_t rest  = (uint32_t)(size - 4);
    const int64_t  which = index;
    const int32_t  state = status;
    unsigned char *at;
    uint32_t       crc;

    if (r->n + size > r->room) {
        const size_t   room = 2 * (r->n + size);
        unsigned char *more = realloc(r->at, room);
        if (!more) return false;
        r->at   = more;
        r->room = room;
    }
    at = r->at + r->n;
    memcpy(at, &rest, 4);
    memcpy(at + 4, &which, 8);
    memcpy(at + 12, &state, 4);
    memcpy(at + 16, row, numbers);
    memcpy(at + 16 + numbers, message, text);
    crc = crc32_of(0, at, size - 4);
    memcpy(at + size - 4, &crc, 4);
    r->n += size;
    return true;
}

/* In memory alone. A case that is known stays as it is. */
static bool keep(table *t, long index, sal_status status, const double *row, const char *message, size_t length)
{
    const size_t numbers = (size_t)t->columns;

    if (t->state[index] != CASE_OPEN) return true;
    if (length) {
        t->message[index] = malloc(length + 1);
        if (!t->message[index]) return report("saltus: out of memory", SAL_ERR_MEMORY), false;
        memcpy(t->message[index], message, length);
        t->message[index][length] = '\0';
    }
    memcpy(t->row + (size_t)index * numbers, row, numbers * sizeof *row);
    t->state[index] = status < 0 ? CASE_FAILED : length ? CASE_DOUBTFUL : CASE_DONE;
    t->failed += t->state[index] == CASE_FAILED;
    t->doubtful += t->state[index] == CASE_DOUBTFUL;
    t->known++;
    return true;
}

static bool append(table *t, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;

    if (t->broken) return false;
    while (n && t->journal >= 0) {
        const ssize_t written = write(t->journal, at, n);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            fprintf(stderr, "saltus: cannot write '%s/sweep.journal': %s\n", t->folder, strerror(errno));
            t->broken = true;
            return false;
        }
        at += written;
        n -= (size_t)written;
    }
    return true;
}

bool table_keep(table *t, long index, sal_status status, const double *row, const char *message)
{
    record r    = { 0 };
    bool   good = t->journal < 0 || record_add(&r, t->columns, index, status, row, message);

    if (!good) report("saltus: out of memory", SAL_ERR_MEMORY);
    good = good && append(t, r.at, r.n) && keep(t, index, status, row, message, strlen(message));
    free(r.at);
    return good;
}

/* Of whole records alone; *n gets how many bytes these have. */
static bool read_records(table *t, const unsigned char *at, size_t size, size_t *n)
{
    const size_t numbers = (size_t)t->columns * sizeof(double);
    double      *row     = malloc(numbers + 1);
    bool         good    = row != NULL;

    for (*n = 0; good && size - *n >= FIXED + numbers;) {
        const unsigned char *r = at + *n;
        uint32_t             rest, crc;
        int64_t              index;
        int32_t              status;
        memcpy(&rest, r, 4);
        if (rest < FIXED - 4 + numbers || rest > size - *n - 4) break;
        memcpy(&crc, r + rest, 4);
        memcpy(&index, r + 4, 8);
        memcpy(&status, r + 12, 4);
        if (crc != crc32_of(0, r, rest) || index < 0 || index >= t->plan->cases) break;
        memcpy(row, r + 16, numbers);
        good =
            keep(t, (long)index, (sal_status)status, row, (const char *)r + 16 + numbers, rest + 4 - FIXED - numbers);
        *n += 4 + (size_t)rest;
    }
    free(row);
    return good;
}

size_t records_keep(table *t, const unsigned char *at, size_t n)
{
    size_t used;

    return append(t, at, n) && read_records(t, at, n, &used) ? used : 0;
}

/* ---------------------------------------------------------------------------------------- the journal */

static void journal_path(const table *t, char *path, size_t room)
{
    snprintf(path, room, "%s/sweep.journal", t->folder);
}

/* The first line in which two identities differ, told as what was found and what was expected. */
static int is_another(const table *t, const char *found, size_t size)
{
    const char *mine = t->identity, *its = found;
    int         length[2];

    while (*mine && its < found + size && *mine == *its) mine++, its++;
    while (mine > t->identity && mine[-1] != '\n') mine--, its--;
    length[0] = (int)strcspn(its, "\n");
    length[1] = (int)strcspn(mine, "\n");
    fprintf(stderr,
            "saltus: the sweep in '%s' is another one:\n  there  %.*s\n  here   %.*s\nGive another --output, or remove "
            "it.\n",
            t->folder, length[0] < 300 ? length[0] : 300, its, length[1] < 300 ? length[1] : 300, mine);
    return EXIT_USAGE;
}

/* All of a file, with a NUL behind it; NULL: it cannot be read. */
static unsigned char *read_all_of(int file, size_t *size)
{
    struct stat    there;
    unsigned char *bytes;
    ssize_t        n = 1;

    *size = 0;
    if (fstat(file, &there) != 0 || !S_ISREG(there.st_mode)) return NULL;
    bytes = malloc((size_t)there.st_size + 1);
    while (bytes && n > 0 && *size < (size_t)there.st_size) {
        n = read(file, bytes + *size, (size_t)there.st_size - *size);
        if (n > 0) *size += (size_t)n;
    }
    if (n < 0) free(bytes); /* what cannot be read is not cut off */
    else if (bytes) bytes[*size] = '\0';
    return n < 0 ? NULL : bytes;
}

static int no_journal(const char *path)
{
    fprintf(stderr, "saltus: cannot read '%s': %s\n", path, errno ? strerror(errno) : "it is no journal of a sweep");
    return EXIT_OUTPUT;
}

/* What the journal begins with; NULL after a message. To be freed. */
static char *head_of(const table *t)
{
    const size_t room = strlen(magic) + strlen(t->identity) + 2;
    char        *head = malloc(room);

    if (head) snprintf(head, room, "%s%s\n", magic, t->identity);
    else report("saltus: out of memory", SAL_ERR_MEMORY);
    return head;
}

/* Takes over what the journal has; *used gets the bytes that stay. One that was cut in its head is as good as none. */
static int read_journal(table *t, const char *path, const char *head, size_t *used)
{
    const size_t   length = strlen(head), first = strlen(magic);
    size_t         size;
    unsigned char *bytes = read_all_of(t->journal, &size);
    int            code  = EXIT_SUCCESS;

    if (!bytes) return no_journal(path);
    errno = 0;
    *used = 0;
    if (size < length && !memcmp(bytes, head, size)) code = EXIT_SUCCESS;
    else if (size < first || memcmp(bytes, magic, first) != 0) code = no_journal(path);
    else if (size < length || memcmp(bytes, head, length) != 0)
        code = is_another(t, (char *)bytes + first, size - first);
    else if (!read_records(t, bytes + length, size - length, used)) code = EXIT_RUN;
    else *used += length;
    free(bytes);
    return code;
}

/* Goes on with the journal that is there, or begins one. What was not written to its end is cut. */
static int take_journal(table *t, const char *path, bool resume, const char *head)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    size_t       used  = 0;
    int          code  = EXIT_SUCCESS;

    errno      = 0;
    t->journal = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (resume ? 0 : O_EXCL), 0666);
    if (t->journal < 0 && errno == EEXIST) {
        fprintf(stderr, "saltus: '%s' has a sweep that was not finished: go on with --resume, or remove '%s'\n",
                t->folder, path);
        return EXIT_USAGE;
    }
    if (t->journal < 0) return fprintf(stderr, "saltus: cannot write '%s': %s\n", path, strerror(errno)), EXIT_OUTPUT;
    if (fcntl(t->journal, F_SETLK, &whole) != 0 && (errno == EACCES || errno == EAGAIN)) {
        fprintf(stderr, "saltus: another sweep is at work in '%s'\n", t->folder);
        return EXIT_OUTPUT;
    } /* where the file system has no locks it goes without */
    if (resume) code = read_journal(t, path, head, &used);
    if (code != EXIT_SUCCESS) return code;
    if (ftruncate(t->journal, (off_t)used) != 0 || lseek(t->journal, 0, SEEK_END) < 0) return no_journal(path);
    return used || append(t, head, strlen(head)) ? EXIT_SUCCESS : EXIT_OUTPUT;
}

/* summary.json in the folder; NULL: there is none. To be deleted. */
static cJSON *read_summary(const table *t)
{
    char           path[4300];
    size_t         size;
    unsigned char *text;
    cJSON         *root;
    int            file;

    snprintf(path, sizeof path, "%s/summary.json", t->folder);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    text = read_all_of(file, &size);
    close(file);
    root = text ? cJSON_Parse((char *)text) : NULL;
    free(text);
    return root;
}

int journal_open(table *t, bool resume, cJSON **finished)
{
    char        path[4300], *head;
    struct stat there;
    result_file made;
    cJSON      *summary, *identity;
    int         code = EXIT_SUCCESS;

    *finished = NULL;
    if (!t->folder) return EXIT_SUCCESS;
    if (!result_open(&made, t->folder, "sweep.csv")) return EXIT_OUTPUT; /* makes the folder, and tries it */
    result_close(&made, false);
    journal_path(t, path, sizeof path);
    summary  = read_summary(t);
    identity = cJSON_GetObjectItem(summary, "identity");
    if (cJSON_IsString(identity)) {
        const char *its = identity->valuestring;
        if (strcmp(its, t->identity) != 0) code = is_another(t, its, strlen(its));
        else if (resume && lstat(path, &there) != 0) *finished = summary;
    }
    if (!*finished) cJSON_Delete(summary);
    if (code != EXIT_SUCCESS || *finished) return code;
    head = head_of(t);
    code = head ? take_journal(t, path, resume, head) : EXIT_RUN;
    free(head);
    return code;
}

void journal_close(table *t, bool remove)
{
    char path[4300];

    if (t->journal < 0) return;
    close(t->journal);
    t->journal = -1;
    journal_path(t, path, sizeof path);
    if (remove) unlink(path);
}
