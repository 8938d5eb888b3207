/* fuzz_scene.c - libFuzzer target: no text may crash the loader, and what loads must make a model and a run, or say why
 * not, and take a few steps. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/saltus.h"

enum { STEPS = 5, TEXT_MAX = 64 * 1024, COORDINATES_MAX = 200 };

static void check(sal_context *context, sal_status status)
{
    if (status == SAL_OK) return;
    if (status > 0 || sal_error_count(context) == 0 || sal_message(context)[0] == '\0') abort();
}

static void run(sal_context *context, const sal_model *model)
{
    sal_run   *r;
    sal_status status = sal_run_create(model, NULL, &r);

    check(context, status);
    for (int k = 0; k < STEPS && status >= 0 && status != SAL_END; k++) {
        status = sal_run_step(r);
        if (status < 0 && sal_run_message(r)[0] == '\0') abort();
        for (int i = 0; i < sal_model_get_info(model).outputs; i++) (void)sal_run_output(r, i);
    }
    sal_run_destroy(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sal_context *context;
    sal_scene   *scene;
    sal_model   *model = NULL;
    sal_status   status;

    if (size > TEXT_MAX || sal_context_create(NULL, &context) != SAL_OK) return 0;
    status = sal_scene_parse(context, "fuzz.json", (const char *)data, size, &scene);
    check(context, status);
    if ((status == SAL_OK) != (scene != NULL)) abort();
    if (status == SAL_OK) check(context, sal_model_create(scene, &model));
    sal_scene_destroy(&scene); /* the model keeps what it needs */
    if (model && sal_model_get_info(model).coordinates <= COORDINATES_MAX) run(context, model);
    sal_model_destroy(&model);
    sal_context_destroy(&context);
    return 0;
}
