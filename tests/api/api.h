/* api.h - what the tests of the public interface share. They see what a user sees: <saltus/saltus.h> and nothing else.
 *
 * Scenes are written with ' in place of " and without the outer braces and the version:
 *
 *     api a = api_load("'points': { 'P': { 'at': [0, 1] } }, 'bodies': { ... }");
 *     api_run(&a, NULL);
 *     ...
 *     api_free(&a); */
#ifndef SAL_TESTS_API_H
#define SAL_TESTS_API_H

#include <saltus/saltus.h>

#include "tests/asserts.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

typedef struct api {
    sal_context *context;
    sal_model   *model;
    sal_run     *run;
} api;

/* The text of a scene, to be freed. */
static inline char *api_text(const char *text)
{
    const size_t size = strlen(text) + 32;
    char        *json = malloc(size);

    assert_non_null(json);
    snprintf(json, size, "{ 'saltus': 1, %s }", text);
    for (char *c = json; *c; c++) {
        if (*c == '\'') *c = '"';
    }
    return json;
}

static inline sal_status api_parse(sal_context *context, const char *text, sal_scene **scene)
{
    char      *json   = api_text(text);
    sal_status status = sal_scene_parse(context, "test", json, strlen(json), scene);

    free(json);
    return status;
}

static inline api api_load(const char *text)
{
    api        a = { 0 };
    sal_scene *scene;

    assert_int_equal(sal_context_create(NULL, &a.context), SAL_OK);
    if (api_parse(a.context, text, &scene) != SAL_OK) fail_msg("%s\nin %s", sal_message(a.context), text);
    if (sal_model_create(scene, &a.model) != SAL_OK) fail_msg("%s", sal_message(a.context));
    sal_scene_destroy(&scene);
    return a;
}

static inline void api_run(api *a, const sal_run_opts *opts)
{
    sal_run_destroy(&a->run);
    if (sal_run_create(a->model, opts, &a->run) != SAL_OK) fail_msg("%s", sal_message(a->context));
}

static inline void api_free(api *a)
{
    sal_run_destroy(&a->run);
    sal_model_destroy(&a->model);
    sal_context_destroy(&a->context);
}

/* On to t; no events expected. */
static inline void api_to(api *a, double t)
{
    const sal_status status = sal_run_to(a->run, t);

    if (status != SAL_OK) fail_msg("at t = %g: %s: %s", t, sal_status_name(status), sal_run_message(a->run));
}

/* On to the next event. */
static inline void api_event(api *a)
{
    sal_status status;

    do status = sal_run_step(a->run);
    while (status == SAL_OK);
    if (status != SAL_EVENT) fail_msg("no event: %s: %s", sal_status_name(status), sal_run_message(a->run));
}

#endif
