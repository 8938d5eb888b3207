/* view_server.c - answers a page of this machine, by libmicrohttpd: the page, the scene at hand, and work on its text.
 *
 * Who may ask: the server listens on the loopback address alone, the path of every request begins with a random key,
 * and Host, and Origin where it is given, are those of the server: pages of others know no key, names that lead here
 * by a trick (DNS rebinding) are another Host. Whatever is sent has a limit.
 *
 * Every connection has a thread, which does the work itself. A page numbers its requests: an earlier one stops where a
 * later one has come, as one does whose page has gone. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tools/memory_text.h"
#include "tools/report.h"
#include "tools/view.h"

enum {
    KEY_BYTES     = 16,
    CONNECTIONS   = 64,
    PAGES         = 32, /* whose requests are told apart */
    WORKERS       = 4,  /* at once; others wait */
    IDLE_SECONDS  = 15, /* until a connection that says nothing is closed */
    LOOK_INTERVAL = 20  /* [ms] how often to look whether anybody waits */
};

typedef struct page_entry {
    char     id[40];
    long     newest; /* request of it */
    uint64_t used;   /* when, by the count of requests */
} page_entry;

struct view_server {
    view_opts          opts;
    struct MHD_Daemon *daemon;
    char               key[2 * KEY_BYTES + 1];
    char               port[8]; /* ":" and its number */
    char               address[128];
    pthread_mutex_t    lock; /* of what follows */
    pthread_cond_t     free_worker;
    page_entry         pages[PAGES];
    uint64_t           requests;
    int                working;
    bool               closing;
    pthread_mutex_t    saving; /* one at a time */
};

/* A request in the making. */
typedef struct request {
    view_server           *server;
    struct MHD_Connection *connection;
    char                  *body;
    size_t                 size, room;
    page_entry            *page; /* NULL: it did not say */
    char                   id[40];
    long                   number;
    double                 looked; /* when it was last seen whether somebody waits */
    bool                   gone;
} request;

/* ---------------------------------------------------------------------------------------- responses */

static const char policy[] = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                             "img-src data: blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; "
                             "frame-ancestors 'none'";

/* Takes the text. */
static enum MHD_Result respond(struct MHD_Connection *c, unsigned code, const char *type, char *text, size_t size,
                               const char *stamp)
{
    static const char *const heads[][2] = { { "Content-Security-Policy", policy },
                                            { "X-Content-Type-Options", "nosniff" },
                                            { "Referrer-Policy", "no-referrer" },
                                            { "Cross-Origin-Resource-Policy", "same-origin" },
                                            { "Cross-Origin-Opener-Policy", "same-origin" },
                                            { "Cache-Control", "no-store" } };
    struct MHD_Response     *r          = MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
    enum MHD_Result          result;
    bool                     good;

    if (!r) return free(text), MHD_NO;
    good = MHD_add_response_header(r, "Content-Type", type) == MHD_YES;
    for (size_t k = 0; k < sizeof heads / sizeof heads[0]; k++)
        good = good && MHD_add_response_header(r, heads[k][0], heads[k][1]) == MHD_YES;
    if (stamp) good = good && MHD_add_response_header(r, "ETag", stamp) == MHD_YES;
    result = good ? MHD_queue_response(c, code, r) : MHD_NO; /* nothing goes out without them */
    MHD_destroy_response(r);
    return result;
}

static enum MHD_Result say(struct MHD_Connection *c, unsigned code, const char *text)
{
    char *copy = strdup(text);

    return copy ? respond(c, code, "text/plain; charset=utf-8", copy, strlen(copy), NULL) : MHD_NO;
}

/* What a function has written, or that it could not. */
static enum MHD_Result respond_written(struct MHD_Connection *c, const char *type, FILE *f, memory_text *m, bool good,
                                       const char *otherwise)
{
    if (memory_close(m, f) && good) return respond(c, MHD_HTTP_OK, type, m->text, m->size, NULL);
    free(m->text);
    return say(c, MHD_HTTP_SERVICE_UNAVAILABLE, otherwise);
}

/* ------------------------------------------------------------------------------------------- access */

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* A name of the loopback address with the port, which browsers leave out where it is that of http. */
static bool is_own_host(const view_server *s, const char *host)
{
    static const char *const names[] = { "127.0.0.1", "localhost" };

    for (size_t k = 0; host && k < sizeof names / sizeof names[0]; k++) {
        const size_t length = strlen(names[k]);
        if (strncasecmp(host, names[k], length) != 0) continue;
        if (!strcmp(host + length, s->port) || (!host[length] && !strcmp(s->port, ":80"))) return true;
    }
    return false;
}

static bool is_own_origin(const view_server *s, const char *origin)
{
    return !strncasecmp(origin, "http://", 7) && is_own_host(s, origin + 7);
}

/* What follows the key in the path, "/" at least; NULL: it has another key. Takes as long for any key. */
static const char *behind_key(const view_server *s, const char *path)
{
    const size_t  length    = strlen(s->key);
    unsigned char different = 0;

    if (strlen(path) < length + 2 || path[0] != '/' || path[length + 1] != '/') return NULL;
    for (size_t k = 0; k < length; k++) different |= (unsigned char)(path[k + 1] ^ s->key[k]);
    return different ? NULL : path + length + 1;
}

/* 0: it may be answered; else the code to refuse it with. */
static unsigned refuse(const view_server *s, struct MHD_Connection *c, const char *path, const char *method)
{
    const char *origin = header(c, "Origin"), *site = header(c, "Sec-Fetch-Site"),
               *length = header(c, "Content-Length");
    const char *type   = header(c, "Content-Type");

    if (!is_own_host(s, header(c, "Host"))) return MHD_HTTP_FORBIDDEN;
    if (origin && !is_own_origin(s, origin)) return MHD_HTTP_FORBIDDEN;
    if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0) return MHD_HTTP_FORBIDDEN;
    if (!behind_key(s, path)) return MHD_HTTP_FORBIDDEN;
    if (!strcmp(method, "GET")) return length && strcmp(length, "0") != 0 ? MHD_HTTP_CONTENT_TOO_LARGE : 0;
    if (strcmp(method, "POST") != 0) return MHD_HTTP_METHOD_NOT_ALLOWED;
    if (!type || strcmp(type, "application/json") != 0) return MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
    if (length && strtoull(length, NULL, 10) > VIEW_MOST_BYTES) return MHD_HTTP_CONTENT_TOO_LARGE;
    return 0;
}

/* --------------------------------------------------------------------------------- who waits for what */

/* The entry of a page; the one that was not used for the longest time makes room. */
static page_entry *find_page(view_server *s, const char *id)
{
    page_entry *oldest = &s->pages[0];

    for (int k = 0; k < PAGES; k++) {
        if (!strcmp(s->pages[k].id, id)) return &s->pages[k];
        if (s->pages[k].used < oldest->used) oldest = &s->pages[k];
    }
    *oldest = (page_entry){ 0 };
    snprintf(oldest->id, sizeof oldest->id, "%s", id);
    return oldest;
}

static void note_page(request *r)
{
    const char  *id     = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "page");
    const char  *number = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "number");
    view_server *s      = r->server;

    if (!id || !number || !id[0] || strlen(id) >= sizeof r->id) return;
    snprintf(r->id, sizeof r->id, "%s", id);
    r->number = strtol(number, NULL, 10);
    pthread_mutex_lock(&s->lock);
    r->page       = find_page(s, id);
    r->page->used = ++s->requests;
    if (r->number > r->page->newest) r->page->newest = r->number;
    pthread_mutex_unlock(&s->lock);
}

static bool is_superseded(request *r)
{
    bool yes;

    pthread_mutex_lock(&r->server->lock);
    yes = r->server->closing || (r->page && !strcmp(r->page->id, r->id) && r->page->newest > r->number);
    pthread_mutex_unlock(&r->server->lock);
    return yes;
}

static bool has_hung_up(request *r)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    char                            next;

    return info && recv(info->connect_fd, &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* Nobody waits any more. Asked at every step of a run: looks now and then. */
static bool nobody_waits(void *user)
{
    request     *r = user;
    const double t = now();

    if (r->gone || t < r->looked + 1e-3 * LOOK_INTERVAL) return r->gone;
    r->looked = t;
    r->gone   = is_superseded(r) || has_hung_up(r);
    return r->gone;
}

/* Waits for its turn; false: nobody waits for it any more. */
static bool take_turn(request *r)
{
    view_server *s = r->server;

    for (;;) {
        struct timespec until;
        bool            mine;

        if (nobody_waits(r)) return false;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_INTERVAL * 1000000L;
        if (until.tv_nsec >= 1000000000L) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000L;
        }
        pthread_mutex_lock(&s->lock);
        if (s->working >= WORKERS) pthread_cond_timedwait(&s->free_worker, &s->lock, &until);
        mine = s->working < WORKERS;
        if (mine) s->working++;
        pthread_mutex_unlock(&s->lock);
        if (mine) return true;
    }
}

static void end_turn(view_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->working--;
    pthread_cond_signal(&s->free_worker);
    pthread_mutex_unlock(&s->lock);
}

/* -------------------------------------------------------------------------------------------- answers */

static enum MHD_Result answer_page(request *r)
{
    char       *json, *name = strrchr(r->server->opts.a->scene, '/');
    memory_text m   = { 0 };
    FILE       *f   = memory_open(&m);
    cJSON      *doc = cJSON_CreateObject();
    bool        good;

    cJSON_AddStringToObject(doc, "file", name ? name + 1 : r->server->opts.a->scene);
    cJSON_AddStringToObject(doc, "saltus", sal_version());
    cJSON_AddNumberToObject(doc, "seconds", r->server->opts.seconds);
    json = cJSON_PrintUnformatted(doc);
    good = f && json;
    if (good) {
        fprintf(f, "%s%s<script type=\"application/json\" id=\"saltus-view\">", (const char *)page_head,
                (const char *)page_body);
        put_json(f, json);
        fprintf(f, "</script>\n%s%s", (const char *)page_script, (const char *)page_view);
    }
    cJSON_Delete(doc);
    free(json);
    return respond_written(r->connection, "text/html; charset=utf-8", f, &m, good, "out of memory");
}

static enum MHD_Result answer_scene(request *r)
{
    const char *known = header(r->connection, "If-None-Match");
    char        stamp[VIEW_STAMP], *text;
    size_t      size;

    text = view_read(r->server->opts.a->scene, &size, stamp);
    if (!text)
        return say(r->connection, errno == ENOENT ? MHD_HTTP_NOT_FOUND : MHD_HTTP_INTERNAL_SERVER_ERROR,
                   strerror(errno));
    if (!known || strcmp(known, stamp) != 0)
        return respond(r->connection, MHD_HTTP_OK, "application/json; charset=utf-8", text, size, stamp);
    free(text);
    return respond(r->connection, MHD_HTTP_NOT_MODIFIED, "application/json; charset=utf-8", NULL, 0, stamp);
}

static enum MHD_Result answer_schema(request *r)
{
    memory_text m    = { 0 };
    FILE       *f    = memory_open(&m);
    const bool  good = f && view_schema(r->server->opts.a, f);

    return respond_written(r->connection, "application/json; charset=utf-8", f, &m, good, "out of memory");
}

/* If-Match has the stamp of the text that was changed; "*": whatever is there. */
static enum MHD_Result answer_save(request *r)
{
    const char *expected          = header(r->connection, "If-Match");
    char        stamp[VIEW_STAMP] = "", *copy;
    int         done, why;

    if (!expected) return say(r->connection, MHD_HTTP_PRECONDITION_REQUIRED, "If-Match is missing");
    pthread_mutex_lock(&r->server->saving);
    done = view_write(r->server->opts.a->scene, r->body ? r->body : "", r->size,
                      strcmp(expected, "*") != 0 ? expected : NULL, stamp);
    why  = errno;
    pthread_mutex_unlock(&r->server->saving);
    if (done > 0) return say(r->connection, MHD_HTTP_PRECONDITION_FAILED, "the file has changed on disk");
    if (done < 0) return say(r->connection, MHD_HTTP_INTERNAL_SERVER_ERROR, strerror(why));
    copy = strdup("saved");
    return copy ? respond(r->connection, MHD_HTTP_OK, "text/plain; charset=utf-8", copy, strlen(copy), stamp) : MHD_NO;
}

static view_task find_task(request *r)
{
    const char *task = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "task");
    int         k    = 0;

    while (k < VIEW_TASKS && !(task && !strcmp(task, view_task_names[k]))) k++;
    return (view_task)k;
}

static enum MHD_Result answer_work(request *r, bool report)
{
    const view_work w    = { .a       = r->server->opts.a,
                             .text    = r->body ? r->body : "",
                             .size    = r->size,
                             .task    = find_task(r),
                             .report  = report,
                             .seconds = r->server->opts.seconds,
                             .stop    = nobody_waits,
                             .user    = r };
    const unsigned  rest = (unsigned)r->server->opts.seconds + 2 * IDLE_SECONDS;
    memory_text     m    = { 0 };
    FILE           *f;
    bool            good;

    if (w.task == VIEW_TASKS) return say(r->connection, MHD_HTTP_BAD_REQUEST, "no such task");
    MHD_set_connection_option(r->connection, MHD_CONNECTION_OPTION_TIMEOUT, rest);
    note_page(r);
    if (!take_turn(r)) return say(r->connection, MHD_HTTP_CONFLICT, "nobody waits for it any more");
    f    = memory_open(&m);
    good = f && view_do(&w, f);
    end_turn(r->server);
    if (r->gone) {
        memory_close(&m, f);
        free(m.text);
        return say(r->connection, MHD_HTTP_CONFLICT, "nobody waits for it any more");
    }
    return respond_written(r->connection, report ? "text/html; charset=utf-8" : "application/octet-stream", f, &m, good,
                           report ? "there is no report of this scene" : "out of memory");
}

static enum MHD_Result answer(request *r, const char *what, bool post)
{
    if (!post && !strcmp(what, "/")) return answer_page(r);
    if (!post && !strcmp(what, "/scene")) return answer_scene(r);
    if (!post && !strcmp(what, "/schema")) return answer_schema(r);
    if (post && !strcmp(what, "/work")) return answer_work(r, false);
    if (post && !strcmp(what, "/report")) return answer_work(r, true);
    if (post && !strcmp(what, "/save")) return answer_save(r);
    return say(r->connection, MHD_HTTP_NOT_FOUND, "there is nothing here");
}

/* ------------------------------------------------------------------------------------------- requests */

static bool add_body(request *r, const char *data, size_t size)
{
    if (size > VIEW_MOST_BYTES - r->size) return false;
    if (r->size + size > r->room) {
        const size_t room = 2 * (r->size + size);
        char        *more = realloc(r->body, room);
        if (!more) return false;
        r->body = more;
        r->room = room;
    }
    memcpy(r->body + r->size, data, size);
    r->size += size;
    return true;
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *data, size_t *size, void **state)
{
    view_server *s = user;
    request     *r = *state;

    (void)version;
    if (!r) { /* only the head is there */
        const unsigned code = refuse(s, connection, path, method);
        if (code) return say(connection, code, "refused");
        r = calloc(1, sizeof *r);
        if (!r) return MHD_NO;
        *r     = (request){ .server = s, .connection = connection };
        *state = r;
        return MHD_YES;
    }
    if (*size > 0) {
        const bool fits = add_body(r, data, *size);
        *size           = 0;
        return fits ? MHD_YES : MHD_NO;
    }
    return answer(r, behind_key(s, path), !strcmp(method, "POST"));
}

static void complete(void *user, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode why)
{
    request *r = *state;

    (void)user;
    (void)connection;
    (void)why;
    if (r) free(r->body);
    free(r);
    *state = NULL;
}

/* --------------------------------------------------------------------------------------------- server */

static void keep_silent(void *user, const char *format, va_list list)
{
    (void)user;
    (void)format;
    (void)list;
}

static bool make_key(char key[2 * KEY_BYTES + 1])
{
    unsigned char bytes[KEY_BYTES];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (int k = 0; k < KEY_BYTES; k++) snprintf(key + 2 * k, 3, "%02x", bytes[k]);
    return true;
}

/* A socket on the loopback address, and how it is called: before anybody can ask. -1: errno. */
static int open_socket(view_server *s)
{
    struct sockaddr_in where  = { .sin_family      = AF_INET,
                                  .sin_port        = htons((uint16_t)s->opts.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t          length = sizeof where;
    const int          file = socket(AF_INET, SOCK_STREAM, 0), yes = 1;

    if (file < 0) return -1;
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(file, (struct sockaddr *)&where, length) != 0 || listen(file, SOMAXCONN) != 0 ||
        getsockname(file, (struct sockaddr *)&where, &length) != 0) {
        const int why = errno;
        close(file);
        errno = why;
        return -1;
    }
    fcntl(file, F_SETFD, FD_CLOEXEC); /* not for the browser */
    snprintf(s->port, sizeof s->port, ":%u", (unsigned)ntohs(where.sin_port));
    snprintf(s->address, sizeof s->address, "http://127.0.0.1%s/%s/", s->port, s->key);
    return file;
}

static bool start_server(view_server *s)
{
    const int file = open_socket(s);

    if (file < 0) return false;
    s->daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_ERROR_LOG, 0, NULL,
        NULL, handle, s, MHD_OPTION_EXTERNAL_LOGGER, keep_silent, NULL, MHD_OPTION_LISTEN_SOCKET, file,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
        MHD_OPTION_NOTIFY_COMPLETED, complete, s, MHD_OPTION_END);
    if (!s->daemon) close(file);
    return s->daemon != NULL;
}

view_server *view_open(const view_opts *opts)
{
    view_server *s = calloc(1, sizeof *s);

    if (!s) return fprintf(stderr, "saltus: out of memory\n"), NULL;
    s->opts = *opts;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->saving, NULL);
    pthread_cond_init(&s->free_worker, NULL);
    if (make_key(s->key) && start_server(s)) return s;
    if (opts->port) fprintf(stderr, "saltus: cannot listen on port %d: %s\n", opts->port, strerror(errno));
    else fprintf(stderr, "saltus: cannot listen on 127.0.0.1: %s\n", strerror(errno));
    view_close(s);
    return NULL;
}

const char *view_address(const view_server *s)
{
    return s->address;
}

void view_close(view_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    pthread_cond_broadcast(&s->free_worker);
    pthread_mutex_unlock(&s->lock);
    if (s->daemon) MHD_stop_daemon(s->daemon);
    pthread_cond_destroy(&s->free_worker);
    pthread_mutex_destroy(&s->saving);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
