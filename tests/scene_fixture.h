/* scene_fixture.h - scenes from text, as far as they go. In the texts single quotes stand for double ones. */
#ifndef SAL_TESTS_SCENE_FIXTURE_H
#define SAL_TESTS_SCENE_FIXTURE_H

#include "engine/run/run.h"
#include "engine/scene/registry.h"
#include "tests/asserts.h"
#include "tests/counting.h"

typedef struct fixture {
    memory       memory;
    sal_context *context;
    sal_scene   *scene;
    sal_model   *model;
    sal_run     *run;
    sal_status   status;
} fixture;

static inline void begin(fixture *f)
{
    sal_context_opts opts = sal_context_defaults();

    memset(f, 0, sizeof *f);
    f->memory.fail = -1;
    opts.allocate  = count_allocate;
    opts.release   = count_release;
    opts.user      = &f->memory;
    assert_int_equal(sal_context_create(&opts, &f->context), SAL_OK);
}

static inline void drop(fixture *f)
{
    sal_run_destroy(&f->run);
    sal_model_destroy(&f->model);
    sal_scene_destroy(&f->scene);
}

static inline void end(fixture *f)
{
    drop(f);
    sal_context_destroy(&f->context);
    assert_int_equal(f->memory.live, 0);
}

/* The text goes through a block of its exact size, so that a read behind it is seen by the sanitizer. */
static inline void parse_as(fixture *f, const char *name, const char *text)
{
    size_t size  = strlen(text);
    char  *exact = malloc(size ? size : 1);

    assert_non_null(exact);
    memcpy(exact, text, size);
    for (size_t k = 0; k < size; k++) {
        if (exact[k] == '\'') exact[k] = '"';
    }
    f->status = sal_scene_parse(f->context, name, exact, size, &f->scene);
    free(exact);
}

static inline void parse(fixture *f, const char *text)
{
    parse_as(f, "t.json", text);
}

/* Scene, model and run, as far as it goes. */
static inline void start(fixture *f, const char *text)
{
    parse(f, text);
    if (f->status == SAL_OK) f->status = sal_model_create(f->scene, &f->model);
    if (f->status == SAL_OK) f->status = sal_run_create(f->model, NULL, &f->run);
}

static inline void started(fixture *f, const char *text)
{
    begin(f);
    start(f, text);
    if (f->status != SAL_OK) print_error("%s\n%s", text, sal_message(f->context));
    assert_int_equal(f->status, SAL_OK);
    assert_int_equal(sal_error_count(f->context), 0);
}

/* A scene with a fixed point and two free ones, and one more line. */
#define SCENE(line) \
    "{'saltus': 1, 'points': {'A': {'at': [0, 0], 'fixed': true}, 'P': {'at': [1, 0]}, 'Q': {'at': [2, 0]}},\n" line "}"
#define POINT(fields)   "{'saltus': 1, 'points': {'P': {" fields "}}}"
#define BODY(fields)    SCENE("'bodies': {'b': {" fields "}}")
#define JOINT(fields)   SCENE("'joints': {'j': {" fields "}}")
#define CONTACT(fields) SCENE("'contacts': {'c': {" fields "}}")

/* The message with {joints} replaced by the names of all types of joints. */
static inline void with_joints(const fixture *f, const char *message, char *out, size_t room)
{
    const sal_registry *registry = sal_context_registry(f->context);
    const char         *at       = strstr(message, "{joints}");
    size_t              used;

    snprintf(out, room, "%s", message);
    if (!at) return;
    used = (size_t)(at - message);
    for (int k = 0; k < registry->n[SAL_JOINTS]; k++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", k ? ", " : "", registry->type[SAL_JOINTS][k]->name);
    snprintf(out + used, room - used, "%s", at + strlen("{joints}"));
}

/* Prints at `at`; gives the end of it. */
SAL_PRINTF(2, 3) static inline char *put(char *at, const char *format, ...)
{
    va_list args;
    int     n;

    va_start(args, format);
    n = vsprintf(at, format, args);
    va_end(args);
    return at + n;
}

static inline char *room(size_t bytes)
{
    char *block = malloc(bytes);

    if (!block) abort();
    return block;
}

typedef struct printed {
    char  *text;
    size_t length, room;
} printed;

static inline void append(void *user, const char *text)
{
    printed *p = user;
    size_t   n = strlen(text);

    if (p->length + n + 1 > p->room) {
        p->room = 2 * (p->length + n + 1);
        p->text = realloc(p->text, p->room);
        assert_non_null(p->text);
    }
    memcpy(p->text + p->length, text, n + 1);
    p->length += n;
}

static inline printed describe(sal_context *context, const char *type)
{
    printed p = { 0 };

    assert_int_equal(sal_describe(context, type, append, &p), SAL_OK);
    assert_true(p.length > 0 && p.text[p.length - 1] == '\n');
    return p;
}

#endif
