/* compile.c - from a scene to what is computed with: a model, and expressions of the user's for it. */
#include <math.h>

#include "engine/scene/scene.h"

sal_status sal_model_create(sal_scene *scene, sal_model **model)
{
    return sal_model_build(scene->tables, model);
}

sal_status sal_probe_create(const sal_model *model, const char *expression, sal_probe **probe)
{
    sal_context   *context = model->tables->context;
    sal_pool       pool;
    sal_vocabulary vocabulary = { .tables = model->tables, .pool = &pool, .quantities = true };
    sal_resolver   resolver   = sal_vocabulary_resolver(&vocabulary);
    sal_expr_error error;
    sal_probe     *p;
    sal_status     status;

    *probe = NULL;
    sal_pool_init(&pool, context);
    p = SAL_NEW(&pool, sal_probe, 1);
    if (!p) return sal_out_of_memory(context);
    p->model = model;
    status   = sal_expr_compile(&pool, expression, &resolver, &p->program, &error);
    p->pool  = pool;
    if (status == SAL_OK) {
        *probe = p;
        return SAL_OK;
    }
    if (status == SAL_ERR_SCENE) {
        status = sal_fail(context, SAL_ERR_ARGUMENT, "in '%.80s', column %d: %s", expression, error.column, error.text);
    } else {
        status = sal_out_of_memory(context);
    }
    sal_pool_free(&pool);
    return status;
}

void sal_probe_destroy(sal_probe **probe)
{
    sal_probe *p = *probe;
    sal_pool   pool;

    *probe = NULL;
    if (!p) return;
    pool = p->pool;
    sal_pool_free(&pool);
}

sal_status sal_evaluate(sal_context *context, const char *expression, double *value)
{
    sal_pool            pool;
    sal_program         program;
    sal_expr_error      error;
    const double *const source[SAL_SRC_COUNT] = { NULL };
    double             *work;
    sal_status          status;

    sal_pool_init(&pool, context);
    status = sal_expr_compile(&pool, expression, NULL, &program, &error);
    work   = status == SAL_OK ? SAL_NEW(&pool, double, program.n) : NULL;
    if (work) *value = sal_program_value(&program, source, work);
    sal_pool_free(&pool);
    if (work && isfinite(*value)) return SAL_OK;
    if (work) return sal_fail(context, SAL_ERR_ARGUMENT, "'%.80s' is not finite", expression);
    if (status == SAL_ERR_SCENE) {
        return sal_fail(context, SAL_ERR_ARGUMENT, "in '%.80s', column %d: %s", expression, error.column, error.text);
    }
    return sal_out_of_memory(context);
}
