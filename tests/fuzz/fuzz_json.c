/* fuzz_json.c - libFuzzer target: no text may crash the reader, and what the scanner accepts cJSON must accept too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/scene/json.h"

/* Asks for every place of the tree; gives the number of its nodes. */
static int visit(const sal_json *json, const cJSON *node)
{
    int line, column, count = 1;

    sal_json_value_at(json, node, &line, &column);
    sal_json_key_at(json, node, &line, &column);
    if (cJSON_IsString(node)) sal_json_string_at(json, node, (int)strlen(node->valuestring) / 2, &line, &column);
    for (const cJSON *child = node->child; child; child = child->next) count += visit(json, child);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sal_context *context;
    sal_pool     pool;
    sal_json     json;
    sal_status   status;

    if (sal_context_create(NULL, &context) != SAL_OK) return 0;
    sal_pool_init(&pool, context);
    status = sal_json_parse(&pool, "fuzz.json", (const char *)data, size, &json);
    if (status == SAL_ERR_MEMORY) abort(); /* cJSON refused what the scanner accepted */
    if ((status == SAL_OK) != (sal_error_count(context) == 0)) abort();
    if (status == SAL_OK && visit(&json, json.root) != json.nplace) abort();
    sal_json_free(&json);
    sal_pool_free(&pool);
    sal_context_destroy(&context);
    return 0;
}
