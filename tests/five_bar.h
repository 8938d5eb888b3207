/* five_bar.h - the five-bar scene and its reference numbers (tests/ref/five_bar.json), for the tests that need both. */
#ifndef SAL_TESTS_FIVE_BAR_H
#define SAL_TESTS_FIVE_BAR_H

#include "engine/scene/json.h"
#include "tests/support.h"

enum { EVENTS = 9, N = 6, M = 4 }; /* of the reference; coordinates and constraints */

typedef struct fixture {
    sal_context *context;
    sal_scene   *scene;
    sal_model   *model;
    sal_pool     pool;
    sal_json     ref;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    assert_int_equal(sal_context_create(NULL, &f->context), SAL_OK);
    if (sal_scene_load(f->context, SAL_SCENES_DIR "/five_bar.json", &f->scene) != SAL_OK)
        fail_msg("%s", sal_message(f->context));
    assert_int_equal(sal_model_create(f->scene, &f->model), SAL_OK);
    sal_pool_init(&f->pool, f->context);
    if (sal_json_load(&f->pool, SAL_REF_DIR "/five_bar.json", &f->ref) != SAL_OK)
        fail_msg("%s", sal_message(f->context));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;

    sal_json_free(&f->ref);
    sal_pool_free(&f->pool);
    sal_model_destroy(&f->model);
    sal_scene_destroy(&f->scene);
    sal_context_destroy(&f->context);
    free(f);
    return 0;
}

static inline sal_run *start(const fixture *f, sal_run_opts opts)
{
    sal_run *run;

    if (sal_run_create(f->model, &opts, &run) != SAL_OK) fail_msg("%s", sal_message(f->context));
    return run;
}

#endif
