/* reference.h - numbers known beforehand: a file of tests/ref. */
#ifndef SAL_TESTS_REFERENCE_H
#define SAL_TESTS_REFERENCE_H

#include "engine/scene/json.h"
#include "tests/support.h"

typedef struct reference {
    sal_context *context;
    sal_pool     pool;
    sal_json     json;
} reference;

static inline reference reference_load(const char *name)
{
    reference r;
    char      file[1024];

    snprintf(file, sizeof file, "%s/%s", SAL_REF_DIR, name);
    assert_int_equal(sal_context_create(NULL, &r.context), SAL_OK);
    sal_pool_init(&r.pool, r.context);
    assert_int_equal(sal_json_load(&r.pool, file, &r.json), SAL_OK);
    return r;
}

static inline void reference_free(reference *r)
{
    sal_json_free(&r->json);
    sal_pool_free(&r->pool);
    sal_context_destroy(&r->context);
}

#endif
