/* json_result.c - results as JSON, which begin alike in all commands. */
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"

/* Units of what has a name in the scene, as far as they are known: not of multipliers and outputs. */
static cJSON *units_of(const sal_model *model)
{
    cJSON      *units = cJSON_CreateObject();
    const char *name, *unit;

    cJSON_AddStringToObject(units, "t", "s");
    cJSON_AddStringToObject(units, "energy", "J");
    for (int k = 0; (name = sal_model_coordinate(model, k)); k++) {
        char rate[200];
        snprintf(rate, sizeof rate, "v%s", name);
        cJSON_AddStringToObject(units, name, unit_of(model, name));
        cJSON_AddStringToObject(units, rate, unit_of(model, rate));
    }
    for (int k = 0; (name = sal_model_reaction(model, k, &unit)); k++) cJSON_AddStringToObject(units, name, unit);
    return units;
}

cJSON *json_result(const char *command, const session *s, const arguments *a, const char *status, const cJSON *content)
{
    cJSON       *root = cJSON_CreateObject();
    const cJSON *item;

    cJSON_AddStringToObject(root, "saltus", sal_version());
    cJSON_AddStringToObject(root, "command", command);
    cJSON_AddStringToObject(root, "scene", a->scene);
    cJSON_AddStringToObject(root, "name", sal_model_get_info(s->model).name);
    cJSON_AddStringToObject(root, "status", status);
    cJSON_AddItemToObject(root, "units", units_of(s->model));
    cJSON_ArrayForEach(item, content)
    {
        if (!cJSON_GetObjectItemCaseSensitive(root, item->string))
            cJSON_AddItemToObject(root, item->string, cJSON_Duplicate(item, true));
    }
    return root;
}

const char *status_word(sal_status status)
{
    return status < 0 ? "failed" : status == SAL_STOPPED ? "interrupted" : "done";
}

void print_json(const cJSON *root)
{
    char *text = cJSON_Print(root);

    progress_end();
    print_json_text(text);
    free(text);
}

void print_json_result(const char *command, const session *s, const arguments *a, const char *status,
                       const cJSON *content)
{
    cJSON *root = json_result(command, s, a, status, content);

    print_json(root);
    cJSON_Delete(root);
}
