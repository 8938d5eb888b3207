/* compile.c - from a scene to what is computed with: a model, and expressions of the user's for it. */
#include <math.h>
#include <string.h>

#include "engine/scene/scene.h"

sal_status sal_model_create(sal_scene *scene, sal_model **model)
{
    return sal_model_build(scene->tables, model);
}

static sal_status wrong_expression(sal_context *context, sal_status status, const char *expression,
                                   const sal_expr_error *error)
{
    if (status != SAL_ERR_SCENE) return sal_out_of_memory(context);
    return sal_fail(context, SAL_ERR_ARGUMENT, "in '%.80s', column %d: %s", expression, error->column, error->text);
}

static sal_status not_finite(sal_context *context, const char *expression)
{
    return sal_fail(context, SAL_ERR_ARGUMENT, "'%.80s' is not finite", expression);
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
    status = wrong_expression(context, status, expression, &error);
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

/* Values of the parameters, with settings, at their places in z; each comes after those that it reads. */
static void fill_parameters(const sal_model *model, const sal_setting *set, int nset, double *z, double *work)
{
    const sal_tables   *tables                = model->tables;
    const double *const source[SAL_SRC_COUNT] = { [SAL_SRC_Z] = z };

    for (int k = 0; k < model->nz; k++) z[k] = NAN; /* t and memory are not known */
    z[tables->zero] = 0.0;
    z[tables->one]  = 1.0;
    for (int k = 0; k < tables->values.n; k++) {
        const sal_value *v         = &tables->values.at[k];
        const int        parameter = sal_parameter_at(tables, v->slot);
        if (parameter < 0) continue;
        z[v->slot] = sal_program_value(&v->program, source, work);
        for (int i = 0; i < nset; i++) { /* the last one counts */
            if (!strcmp(set[i].parameter, tables->parameters.at[parameter].name)) z[v->slot] = set[i].value;
        }
    }
}

sal_status sal_model_evaluate(const sal_model *model, const sal_setting *set, int nset, const char *expression,
                              double *value)
{
    sal_context   *context = model->tables->context;
    sal_pool       pool;
    sal_vocabulary vocabulary = { .tables = model->tables, .pool = &pool };
    sal_resolver   resolver   = sal_vocabulary_resolver(&vocabulary);
    sal_program    program;
    sal_expr_error error;
    double        *z, *work;
    sal_status     status;

    sal_pool_init(&pool, context);
    status = sal_expr_compile(&pool, expression, &resolver, &program, &error);
    z      = status == SAL_OK ? SAL_NEW(&pool, double, model->nz) : NULL;
    work   = z ? SAL_NEW(&pool, double, program.n > model->program_max ? program.n : model->program_max) : NULL;
    if (work) {
        fill_parameters(model, set, nset, z, work);
        *value = sal_program_value(&program, (const double *const[SAL_SRC_COUNT]){ [SAL_SRC_Z] = z }, work);
    }
    sal_pool_free(&pool);
    if (work && isfinite(*value)) return SAL_OK;
    return work ? not_finite(context, expression) : wrong_expression(context, status, expression, &error);
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
    return work ? not_finite(context, expression) : wrong_expression(context, status, expression, &error);
}
