/* optimize_section.c - the section "optimize" of a scene: what is least or largest, over what, subject to what. Read
 * here, so that errors have their places, and handed on as the texts that programs take for it (sal_search). */
#include <stdio.h>
#include <string.h>

#include "engine/scene/fields.h"

static const char *const studies[] = { "run", "cycle", "equilibrium", NULL };
static const char *const signs[]   = { "<=", ">=", "=" };

typedef struct optimize_fields {
    const char *minimize, *maximize;
    int         study;
} optimize_fields;

static const sal_field fields_of_optimize[] = {
    { "minimize", SAL_F_TEXT, offsetof(optimize_fields, minimize), .standard = "",
      .help = "a cost, time(EVENT), time(EVENT, K), an output or an expression at the end" },
    { "maximize", SAL_F_TEXT, offsetof(optimize_fields, maximize), .standard = "", .help = "instead of that" },
    { "study", SAL_F_CHOICE, offsetof(optimize_fields, study), .standard = "run", .words = studies,
      .help = "what is evaluated" },
    { "over", SAL_F_RANGES, 0, .standard = "", .help = "parameters and their ranges, or where to begin as well" },
    { "subject_to", SAL_F_BOUNDS, 0, .standard = "",
      .help = "conditions: anything that can be minimised, with <=, >= or =, and a number" },
};
const sal_table sal_optimize_table = { fields_of_optimize, SAL_COUNT(fields_of_optimize) };

static bool are_numbers(const cJSON *list, int from, int least, int most)
{
    const int n = cJSON_GetArraySize(list);

    if (!cJSON_IsArray(list) || n < least || n > most) return false;
    for (int k = from; k < n; k++) {
        if (!cJSON_IsNumber(cJSON_GetArrayItem(list, k))) return false;
    }
    return true;
}

/* "NAME=LOW:HIGH" or "NAME=LOW:HIGH:START"; NULL after an error. */
static const char *range_text(sal_scene *scene, const cJSON *member, const char *path)
{
    const sal_tables *tables = scene->tables;
    const double      low    = cJSON_GetNumberValue(cJSON_GetArrayItem(member, 0)),
                 high        = cJSON_GetNumberValue(cJSON_GetArrayItem(member, 1));
    char start[40]           = "";

    if (strncmp(member->string, "initial(", 8) != 0 && sal_names_find(&tables->parameter_names, member->string) < 0 &&
        sal_names_find(&tables->vector_names, member->string) < 0) {
        const sal_names *known = &tables->parameter_names;
        sal_scene_key_error(scene, member, path, "there is no parameter '%s'%s", member->string,
                            sal_did_you_mean(member->string, known->list.at, known->list.n).text);
        return NULL;
    }
    if (!are_numbers(member, 0, 2, 3) || !(low < high)) {
        sal_scene_error(scene, member, path, "expected [low, high] or [low, high, start], the lower number first");
        return NULL;
    }
    if (cJSON_GetArraySize(member) == 3)
        snprintf(start, sizeof start, ":%.17g", cJSON_GetArrayItem(member, 2)->valuedouble);
    return sal_pool_format(&scene->tables->pool, "%s=%.17g:%.17g%s", member->string, low, high, start);
}

/* "WHAT <= NUMBER"; NULL after an error. */
static const char *bound_text(sal_scene *scene, const cJSON *member, const char *path)
{
    const char *sign  = cJSON_GetStringValue(cJSON_GetArrayItem(member, 0));
    bool        known = false;

    for (int k = 0; k < SAL_COUNT(signs) && sign; k++) known = known || !strcmp(sign, signs[k]);
    if (!known || !are_numbers(member, 1, 2, 2)) {
        sal_scene_error(scene, member, path, "expected [\"<=\", number], with <=, >= or =");
        return NULL;
    }
    return sal_pool_format(&scene->tables->pool, "%s %s %.17g", member->string, sign,
                           cJSON_GetArrayItem(member, 1)->valuedouble);
}

typedef const char *(*as_text)(sal_scene *scene, const cJSON *member, const char *path);

/* The members of an object as texts. */
static const char *const *texts_of(sal_scene *scene, const cJSON *object, const char *key, as_text text, int *count)
{
    const cJSON *section = cJSON_GetObjectItemCaseSensitive(object, key), *member;
    const char  *path    = sal_pool_format(&scene->tables->pool, "optimize.%s", key), **list;

    *count = 0;
    if (!section || !path || !sal_expect_object(scene, section, path)) return NULL;
    list = SAL_NEW(&scene->tables->pool, const char *, cJSON_GetArraySize(section) + 1);
    if (!list) return NULL;
    cJSON_ArrayForEach(member, section)
    {
        const char *place = sal_pool_format(&scene->tables->pool, "%s.%s", path, member->string);
        const char *one   = place && strcmp(member->string, "//") != 0 ? text(scene, member, place) : NULL;
        if (one) list[(*count)++] = one;
    }
    return list;
}

void sal_scene_load_optimize(sal_scene *scene, const cJSON *object)
{
    sal_search     *search = &scene->tables->search;
    optimize_fields f      = { 0 };

    if (!sal_expect_object(scene, object, "optimize")) return;
    sal_fields_check_keys(scene, object, "optimize", &sal_optimize_table, 1);
    if (!sal_fields_read(scene, object, "optimize", sal_optimize_table, &f, -1)) return;
    if (!f.minimize == !f.maximize && !scene->failed)
        sal_scene_error(scene, object, "optimize", "expected %s 'minimize' or 'maximize'%s",
                        f.minimize ? "either" : "a key", f.minimize ? ", found both" : "");
    search->minimize   = f.minimize;
    search->maximize   = f.maximize;
    search->study      = studies[f.study];
    search->over       = texts_of(scene, object, "over", range_text, &search->nover);
    search->subject_to = texts_of(scene, object, "subject_to", bound_text, &search->nsubject_to);
}
