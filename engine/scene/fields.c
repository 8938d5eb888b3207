/* fields.c - reads JSON objects by field tables. Every error is reported at its place, and reading goes on. */
#include "engine/scene/fields.h"

#include <stdio.h>
#include <string.h>

#define COMMENT_KEY "//"

const char *sal_found(const cJSON *node)
{
    if (cJSON_IsNull(node)) return "null";
    if (cJSON_IsTrue(node)) return "true";
    if (cJSON_IsFalse(node)) return "false";
    if (cJSON_IsNumber(node)) return "a number";
    if (cJSON_IsString(node)) return "text";
    if (cJSON_IsArray(node)) return "a list";
    return "an object";
}

bool sal_expect_object(sal_scene *scene, const cJSON *node, const char *path)
{
    if (cJSON_IsObject(node)) return true;
    sal_scene_error(scene, node, path, "expected an object { ... }, found %s", sal_found(node));
    return false;
}

bool sal_expect_name(sal_scene *scene, const cJSON *member, const char *path)
{
    if (!sal_expr_valid_name(member->string)) {
        if (sal_expr_reserved(member->string)) { /* and, or, not */
            sal_scene_key_error(scene, member, path, "'%s' is a word of the expression language; choose another name",
                                member->string);
            return false;
        }
        sal_scene_key_error(
            scene, member, path,
            "'%s' cannot be a name; expected letters, digits and _, not beginning with a digit, at most %d bytes",
            member->string, SAL_NAME_MAX);
        return false;
    }
    return true;
}

static const sal_field *find_field(const sal_table *tables, int ntables, const char *key)
{
    for (int t = 0; t < ntables; t++) {
        for (int f = 0; f < tables[t].n; f++) {
            if (!strcmp(tables[t].fields[f].key, key)) return &tables[t].fields[f];
        }
    }
    return NULL;
}

void sal_fields_check_keys(sal_scene *scene, const cJSON *object, const char *path, const sal_table *tables,
                           int ntables)
{
    enum { KEYS_MAX = 64 };
    const char  *keys[KEYS_MAX];
    int          nkeys = 0;
    const cJSON *member;

    for (int t = 0; t < ntables; t++) {
        for (int f = 0; f < tables[t].n && nkeys < KEYS_MAX; f++) keys[nkeys++] = tables[t].fields[f].key;
    }
    cJSON_ArrayForEach(member, object)
    {
        const char *nearest;
        if (!strcmp(member->string, COMMENT_KEY) || find_field(tables, ntables, member->string)) continue;
        nearest = sal_nearest(member->string, keys, nkeys);
        if (nearest) {
            sal_scene_key_error(scene, member, path, "unknown key '%s'; did you mean '%s'?", member->string, nearest);
        } else {
            char   list[512] = "";
            size_t used      = 0;
            for (int k = 0; k < nkeys && used < sizeof list - SAL_NAME_MAX; k++) {
                used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", keys[k]);
            }
            sal_scene_key_error(scene, member, path, "unknown key '%s'; known here: %s", member->string, list);
        }
    }
}

/* ----------------------------------------------------------------------------------- field kinds */

typedef struct read_args {
    sal_scene       *scene;
    const cJSON     *node;
    const char      *path;
    const sal_field *field;
    void            *member; /* where to put it */
    int              element;
} read_args;

static bool expected(const read_args *a, const char *what)
{
    if (cJSON_IsArray(a->node)) {
        sal_scene_error(a->scene, a->node, a->path, "expected %s, found a list of %d", what,
                        cJSON_GetArraySize(a->node));
        return false;
    }
    sal_scene_error(a->scene, a->node, a->path, "expected %s, found %s", what, sal_found(a->node));
    return false;
}

static bool read_value(const read_args *a)
{
    sal_slot slot = sal_scene_value(a->scene, a->node, a->path, a->field->range, a->field->timed);

    *(sal_slot *)a->member = slot;
    return slot != SAL_NONE;
}

static bool read_vector_at(sal_scene *scene, const cJSON *node, const char *path, sal_range range, bool timed,
                           sal_slot slot[SAL_AXES])
{
    bool good = true;

    if (!cJSON_IsArray(node) || cJSON_GetArraySize(node) != scene->tables->dimension) {
        if (cJSON_IsArray(node)) {
            sal_scene_error(scene, node, path, "expected two numbers [x, y], found a list of %d",
                            cJSON_GetArraySize(node));
        } else {
            sal_scene_error(scene, node, path, "expected two numbers [x, y], found %s", sal_found(node));
        }
        return false;
    }
    for (int k = 0; k < scene->tables->dimension; k++) {
        slot[k] = sal_scene_value(scene, cJSON_GetArrayItem(node, k),
                                  sal_pool_format(&scene->tables->pool, "%s[%d]", path, k), range, timed);
        good    = good && slot[k] != SAL_NONE;
    }
    return good;
}

static bool read_vector(const read_args *a)
{
    return read_vector_at(a->scene, a->node, a->path, a->field->range, a->field->timed, a->member);
}

static bool read_line(const read_args *a)
{
    const int    n    = cJSON_IsArray(a->node) ? cJSON_GetArraySize(a->node) : 0;
    sal_pool    *pool = &a->scene->tables->pool;
    sal_slot    *x, *y;
    const cJSON *item = n ? a->node->child : NULL;
    bool         good = true;

    if (n < 2) return expected(a, "two or more corners [[x, y], [x, y], ...]");
    x = SAL_NEW(pool, sal_slot, n);
    y = SAL_NEW(pool, sal_slot, n);
    for (int k = 0; k < n && y; k++, item = item->next) {
        sal_slot at[SAL_AXES] = { SAL_NONE, SAL_NONE };
        good = read_vector_at(a->scene, item, sal_pool_format(pool, "%s[%d]", a->path, k), SAL_ANY, false, at) && good;
        x[k] = at[0];
        y[k] = at[1];
    }
    *(sal_line *)a->member = (sal_line){ x, y, n };
    return good && y;
}

static bool find_point(const read_args *a, const cJSON *node, const char *path, bool basic, sal_point *point)
{
    const sal_point_def *def;

    if (!cJSON_IsString(node)) {
        sal_scene_error(a->scene, node, path, "expected the name of a point, found %s", sal_found(node));
        return false;
    }
    def = sal_tables_point(a->scene->tables, node->valuestring);
    if (!def) {
        if (sal_scene_lost_point(a->scene)) return false;
        sal_scene_unknown(a->scene, node, path, "point", node->valuestring, &a->scene->tables->point_names);
        return false;
    }
    if (basic && def->kind == SAL_MARKER) {
        sal_scene_error(a->scene, node, path, "expected a point, found the marker '%s'; join it with a revolute joint",
                        def->name);
        return false;
    }
    *point = def->point;
    return !def->broken;
}

static bool read_point(const read_args *a)
{
    return find_point(a, a->node, a->path, false, a->member);
}

static bool read_two_points(const read_args *a)
{
    sal_point   *point = a->member;
    const cJSON *one, *two;
    bool         good = true;

    if (!cJSON_IsArray(a->node) || cJSON_GetArraySize(a->node) != 2)
        return expected(a, "a list of two names of points");
    one = cJSON_GetArrayItem(a->node, 0);
    two = cJSON_GetArrayItem(a->node, 1);
    good &= find_point(a, one, sal_pool_format(&a->scene->tables->pool, "%s[0]", a->path), a->field->kind == SAL_F_ENDS,
                       &point[0]);
    good &= find_point(a, two, sal_pool_format(&a->scene->tables->pool, "%s[1]", a->path), a->field->kind == SAL_F_ENDS,
                       &point[1]);
    if (good && !strcmp(one->valuestring, two->valuestring)) {
        sal_scene_error(a->scene, two, a->path, "expected two different points, found '%s' twice", two->valuestring);
        good = false;
    }
    return good;
}

static bool read_points(const read_args *a)
{
    int          n = cJSON_IsArray(a->node) ? cJSON_GetArraySize(a->node) : 0, k = 0;
    sal_point   *point;
    const char **name;
    const cJSON *item;
    bool         good = true;

    if (n == 0) return expected(a, "a list of one or more names of points");
    point = SAL_NEW(&a->scene->tables->pool, sal_point, n);
    name  = SAL_NEW(&a->scene->tables->pool, const char *, n);
    if (!point || !name) return false;
    cJSON_ArrayForEach(item, a->node)
    {
        good &= find_point(a, item, sal_pool_format(&a->scene->tables->pool, "%s[%d]", a->path, k), false, &point[k]);
        name[k] = cJSON_IsString(item)
                      ? sal_pool_copy(&a->scene->tables->pool, item->valuestring, strlen(item->valuestring))
                      : "";
        if (!name[k]) return false;
        for (int j = 0; j < k && good; j++) {
            if (strcmp(name[j], name[k]) != 0) continue;
            sal_scene_error(a->scene, item, a->path, "expected different points, found '%s' twice", name[k]);
            good = false;
        }
        k++;
    }
    *(sal_points *)a->member = (sal_points){ point, name, n };
    return good;
}

static bool read_bool(const read_args *a)
{
    if (!cJSON_IsBool(a->node)) return expected(a, "true or false");
    *(bool *)a->member = cJSON_IsTrue(a->node);
    return true;
}

static bool read_choice(const read_args *a)
{
    const char *const *words     = a->field->words;
    char               list[512] = "";
    size_t             used      = 0;
    int                n         = 0;

    for (; words[n]; n++) {
        if (cJSON_IsString(a->node) && !strcmp(words[n], a->node->valuestring)) {
            *(int *)a->member = n;
            return true;
        }
        if (used >= sizeof list) continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", n ? (words[n + 1] ? ", " : " or ") : "",
                                 words[n]);
    }
    if (!cJSON_IsString(a->node)) return expected(a, list);
    sal_scene_error(a->scene, a->node, a->path, "expected %s, found '%s'%s", list, a->node->valuestring,
                    sal_did_you_mean(a->node->valuestring, words, n).text);
    return false;
}

static bool read_axes(const read_args *a)
{
    bool       *axis = a->member;
    const char *text = cJSON_IsString(a->node) ? a->node->valuestring : "";
    bool        any  = false;

    for (int k = 0; k < a->scene->tables->dimension; k++) {
        axis[k] = cJSON_IsTrue(a->node) || (text[0] == 'x' + k && !text[1]);
        any     = any || axis[k];
    }
    return any || cJSON_IsFalse(a->node) || expected(a, "true, false, \"x\" or \"y\"");
}

static bool read_text(const read_args *a)
{
    if (!cJSON_IsString(a->node)) return expected(a, "text");
    *(const char **)a->member =
        sal_pool_copy(&a->scene->tables->pool, a->node->valuestring, strlen(a->node->valuestring));
    return true;
}

/* A formula as text; a number becomes the text that reads back as the same number. */
static bool formula_text(sal_scene *scene, const cJSON *node, const char *path, sal_text *text)
{
    if (cJSON_IsString(node)) {
        *text = (sal_text){ sal_pool_copy(&scene->tables->pool, node->valuestring, strlen(node->valuestring)), node };
    } else if (cJSON_IsNumber(node)) {
        *text = (sal_text){ sal_pool_format(&scene->tables->pool, "%.17g", node->valuedouble), node };
    } else {
        sal_scene_error(scene, node, path, "expected a number or an expression, found %s", sal_found(node));
        return false;
    }
    return true;
}

static bool read_formula(const read_args *a)
{
    return formula_text(a->scene, a->node, a->path, a->member);
}

static bool read_formulas(const read_args *a)
{
    int          n = cJSON_GetArraySize(a->node), k = 0;
    sal_text    *key, *value;
    const cJSON *member;
    bool         good = true;

    if (!cJSON_IsObject(a->node)) return expected(a, "an object { \"velocity\": \"expression\" }");
    key   = SAL_NEW(&a->scene->tables->pool, sal_text, n);
    value = SAL_NEW(&a->scene->tables->pool, sal_text, n);
    if (!key || !value) return false;
    cJSON_ArrayForEach(member, a->node)
    {
        if (!strcmp(member->string, COMMENT_KEY)) continue;
        key[k] = (sal_text){ sal_pool_copy(&a->scene->tables->pool, member->string, strlen(member->string)), member };
        good &= formula_text(a->scene, member,
                             sal_pool_format(&a->scene->tables->pool, "%s.%s", a->path, member->string), &value[k]);
        k++;
    }
    *(sal_texts *)a->member = (sal_texts){ key, value, k };
    return good;
}

/* One expression or a list of them. */
static bool read_texts(const read_args *a)
{
    const bool   list  = cJSON_IsArray(a->node);
    const int    n     = list ? cJSON_GetArraySize(a->node) : 1;
    sal_text    *value = SAL_NEW(&a->scene->tables->pool, sal_text, n);
    const cJSON *item  = list ? a->node->child : a->node;
    bool         good  = value != NULL;

    if (n == 0) return expected(a, "one or more expressions");
    for (int k = 0; k < n && value; k++, item = item->next) {
        const char *path = list ? sal_pool_format(&a->scene->tables->pool, "%s[%d]", a->path, k) : a->path;
        good             = formula_text(a->scene, item, path, &value[k]) && good;
    }
    *(sal_texts *)a->member = (sal_texts){ .value = value, .n = n };
    return good;
}

static bool read_names(const read_args *a)
{
    int          n = cJSON_GetArraySize(a->node), k = 0;
    sal_text    *key, *value;
    const cJSON *member;
    bool         good = true;

    if (!cJSON_IsObject(a->node)) return expected(a, "an object { \"name\": \"name\" }");
    key   = SAL_NEW(&a->scene->tables->pool, sal_text, n);
    value = SAL_NEW(&a->scene->tables->pool, sal_text, n);
    if (!key || !value) return false;
    cJSON_ArrayForEach(member, a->node)
    {
        if (!strcmp(member->string, COMMENT_KEY)) continue;
        if (!cJSON_IsString(member)) {
            sal_scene_error(a->scene, member, a->path, "expected a name, found %s", sal_found(member));
            good = false;
            continue;
        }
        key[k] = (sal_text){ sal_pool_copy(&a->scene->tables->pool, member->string, strlen(member->string)), member };
        value[k++] =
            (sal_text){ sal_pool_copy(&a->scene->tables->pool, member->valuestring, strlen(member->valuestring)),
                        member };
    }
    *(sal_texts *)a->member = (sal_texts){ key, value, k };
    return good && !a->scene->tables->pool.failed;
}

/* One name for all axes, or each by its own. */
static bool read_by_axis(const read_args *a)
{
    static const char *const axes[SAL_AXES] = { "x", "y" };
    sal_text                *text           = a->member;
    const cJSON             *member;
    bool                     good = true;

    if (!cJSON_IsString(a->node) && !cJSON_IsObject(a->node))
        return expected(a, "a name or an object { \"x\": \"name\" }");
    for (int k = 0; k < a->scene->tables->dimension && cJSON_IsString(a->node); k++) text[k].place = a->node;
    cJSON_ArrayForEach(member, a->node)
    {
        const int axis = !strcmp(member->string, axes[0]) ? 0 : !strcmp(member->string, axes[1]) ? 1 : -1;
        if (!strcmp(member->string, COMMENT_KEY)) continue;
        if (axis < 0)
            sal_scene_key_error(a->scene, member, a->path, "unknown key '%s'; known here: x, y", member->string);
        else if (!cJSON_IsString(member))
            sal_scene_error(a->scene, member, a->path, "expected a name, found %s", sal_found(member));
        else text[axis].place = member;
        good = good && axis >= 0 && cJSON_IsString(member);
    }
    for (int k = 0; k < a->scene->tables->dimension; k++) {
        const cJSON *node = text[k].place;
        if (node) text[k].text = sal_pool_copy(&a->scene->tables->pool, node->valuestring, strlen(node->valuestring));
    }
    return good && !a->scene->tables->pool.failed;
}

/* Markers join the scene's points; the body's frame completes them (sal_body_frame). */
static bool read_markers(const read_args *a)
{
    sal_scene   *scene = a->scene;
    const cJSON *member;
    bool         good = true;

    if (!cJSON_IsObject(a->node)) {
        scene->markers_lost = true;
        return expected(a, "an object { \"name\": [x, y] }");
    }
    cJSON_ArrayForEach(member, a->node)
    {
        const char    *path = sal_pool_format(&scene->tables->pool, "%s.%s", a->path, member->string);
        const char    *name = sal_pool_copy(&scene->tables->pool, member->string, strlen(member->string));
        sal_point_def *def;
        bool           known;

        if (!path || !name) return false;
        if (!strcmp(member->string, COMMENT_KEY)) continue;
        if (!sal_expect_name(scene, member, path)) good = false; /* but known, so that its users are not blamed */
        if (sal_names_add(&scene->tables->pool, &scene->tables->point_names, name, &known) < 0) return false;
        if (known) {
            sal_scene_key_error(scene, member, path, "there is a point or marker '%s' already", member->string);
            good = false;
            continue;
        }
        def = SAL_PUSH(&scene->tables->pool, &scene->tables->points);
        if (!def) return false;
        *def = (sal_point_def){ .name     = name,
                                .kind     = SAL_MARKER,
                                .point    = sal_scene_new_point(scene, (sal_basis){ .alpha = 0 }),
                                .velocity = { SAL_NONE, SAL_NONE },
                                .body     = a->element,
                                .broken   = true };
        if (def->point.index == SAL_NONE) return false;
        sal_slot at[SAL_AXES]; /* values may move the points */
        if (!read_vector_at(scene, member, path, SAL_ANY, false, at)) good = false;
        else memcpy(scene->tables->points.at[scene->tables->points.n - 1].at, at, sizeof at);
    }
    return good;
}

static bool read_body(const read_args *a)
{
    const sal_element *body;

    if (!cJSON_IsString(a->node)) return expected(a, "the name of a body");
    body = sal_tables_element(a->scene->tables, SAL_BODIES, a->node->valuestring);
    if (!body) {
        if (sal_scene_lost(a->scene, SAL_BODIES, SAL_BODIES, a->node->valuestring)) return false;
        sal_scene_unknown(a->scene, a->node, a->path, "body", a->node->valuestring,
                          &a->scene->tables->element_names[SAL_BODIES]);
        return false;
    }
    if (!body->broken && !body->framed) {
        sal_scene_error(a->scene, a->node, a->path, "'%s' has no direction; expected a body that can turn", body->name);
        return false;
    }
    *(const char **)a->member = body->name;
    return !body->broken;
}

/* Names of bodies and joints that have constraints. */
static bool read_holders(const read_args *a)
{
    const int    n    = cJSON_IsArray(a->node) ? cJSON_GetArraySize(a->node) : cJSON_IsString(a->node);
    int         *list = SAL_NEW(&a->scene->tables->pool, int, n), k = 0;
    bool         good = true;
    const cJSON *item = cJSON_IsArray(a->node) ? a->node->child : a->node;

    if (n == 0) return expected(a, "a list of one or more names of joints or bodies");
    for (; item && list && k < n; item = item->next, k++) {
        const sal_element *e = NULL;
        if (!cJSON_IsString(item)) return expected(a, "a list of one or more names of joints or bodies");
        for (sal_section s = SAL_BODIES; s <= SAL_JOINTS && !e; s++)
            e = sal_tables_element(a->scene->tables, s, item->valuestring);
        if (!e && sal_scene_lost(a->scene, SAL_BODIES, SAL_JOINTS, item->valuestring)) {
            good = false;
        } else if (!e) {
            sal_scene_unknown(a->scene, item, a->path, "joint", item->valuestring,
                              &a->scene->tables->element_names[SAL_JOINTS]);
            good = false;
        } else if (e->broken) {
            good = false; /* what is wrong has been said */
        } else if (e->nrow == 0) {
            sal_scene_error(a->scene, item, a->path, "'%s' has no constraint that could be held or released", e->name);
            good = false;
        } else list[k] = (int)(e - a->scene->tables->elements.at);
    }
    *(sal_elements *)a->member = (sal_elements){ list, n };
    return good && list;
}

/* Names of contacts, which may come later: one or a list. */
static bool read_contacts(const read_args *a)
{
    const bool   list  = cJSON_IsArray(a->node);
    const int    n     = list ? cJSON_GetArraySize(a->node) : 1;
    sal_pool    *pool  = &a->scene->tables->pool;
    sal_text    *value = SAL_NEW(pool, sal_text, n);
    const cJSON *item  = list ? a->node->child : a->node;

    if (n == 0) return expected(a, "one or more names of contacts");
    for (int k = 0; k < n && value; k++, item = item->next) {
        if (!cJSON_IsString(item)) return expected(a, "one or more names of contacts");
        value[k] = (sal_text){ sal_pool_copy(pool, item->valuestring, strlen(item->valuestring)), item };
    }
    *(sal_texts *)a->member = (sal_texts){ .value = value, .n = n };
    return !pool->failed;
}

static const sal_field fields_of_actions[] = { SAL_ACTION_FIELDS(
    struct { sal_actions a; }, a) };

/* What happens with each change of a contact. */
static bool read_on(const read_args *a)
{
    const sal_table table = SAL_TABLE(fields_of_actions);
    sal_names       known = { 0 };
    const cJSON    *member;
    bool            good = true;

    if (!cJSON_IsObject(a->node)) return expected(a, "an object { \"touch\": { ... } }");
    for (int k = 0; k < SAL_CONTACT_CHANGES; k++)
        sal_names_add(&a->scene->tables->pool, &known, sal_contact_changes[k], NULL);
    cJSON_ArrayForEach(member, a->node)
    {
        const char  *path = sal_pool_format(&a->scene->tables->pool, "%s.%s", a->path, member->string);
        const int    k    = sal_names_find(&known, member->string);
        sal_actions *on   = (sal_actions *)a->member + (k < 0 ? 0 : k);
        if (!strcmp(member->string, COMMENT_KEY)) continue;
        if (k < 0) sal_scene_unknown(a->scene, member, path, "change", member->string, &known);
        if (k < 0 || !path || !sal_expect_object(a->scene, member, path)) {
            good = false;
            continue;
        }
        sal_fields_check_keys(a->scene, member, path, &table, 1);
        good      = sal_fields_read(a->scene, member, path, table, on, -1) && good;
        on->given = true;
    }
    return good;
}

static bool read_field(const read_args *a)
{
    switch (a->field->kind) {
    case SAL_F_VALUE: return read_value(a);
    case SAL_F_VECTOR: return read_vector(a);
    case SAL_F_POINT: return read_point(a);
    case SAL_F_PAIR:
    case SAL_F_ENDS: return read_two_points(a);
    case SAL_F_POINTS: return read_points(a);
    case SAL_F_BOOL: return read_bool(a);
    case SAL_F_CHOICE: return read_choice(a);
    case SAL_F_AXES: return read_axes(a);
    case SAL_F_TEXT: return read_text(a);
    case SAL_F_FORMULA: return read_formula(a);
    case SAL_F_FORMULAS: return read_formulas(a);
    case SAL_F_TEXTS: return read_texts(a);
    case SAL_F_MARKERS: return read_markers(a);
    case SAL_F_BODY: return read_body(a);
    case SAL_F_HOLDERS: return read_holders(a);
    case SAL_F_CONTACTS: return read_contacts(a);
    case SAL_F_NAMES: return read_names(a);
    case SAL_F_LINE: return read_line(a);
    case SAL_F_BY_AXIS: return read_by_axis(a);
    case SAL_F_ON: return read_on(a);
    case SAL_F_RANGES:
    case SAL_F_BOUNDS: return true;
    }
    return false;
}

/* What an absent key means. The struct is zeroed before: NULL, false and empty lists need nothing. */
static void read_default(sal_scene *scene, const char *path, const sal_field *f, void *member)
{
    const bool empty = f->standard[0] == '\0';

    if (f->kind == SAL_F_VALUE || f->kind == SAL_F_VECTOR) {
        for (int k = 0; k < (f->kind == SAL_F_VECTOR ? scene->tables->dimension : 1); k++) {
            ((sal_slot *)member)[k] = empty ? SAL_NONE : sal_scene_value_text(scene, f->standard, path, f->range);
        }
    } else if (f->kind == SAL_F_POINT || f->kind == SAL_F_PAIR || f->kind == SAL_F_ENDS) {
        for (int k = 0; k < (f->kind == SAL_F_POINT ? 1 : 2); k++) ((sal_point *)member)[k].index = SAL_NONE;
    } else if (f->kind == SAL_F_CHOICE) {
        for (int k = 0; f->words[k]; k++) {
            if (!strcmp(f->words[k], f->standard)) *(int *)member = k;
        }
    } else if (f->kind == SAL_F_BOOL) {
        *(bool *)member = !strcmp(f->standard, "true");
    } else if (f->kind == SAL_F_TEXT && !empty) {
        *(const char **)member = f->standard;
    }
}

/* Whether sal_fields_check_keys has reported a key of the object with this one as the nearest. */
static bool misspelt(const cJSON *object, sal_table table, const char *key)
{
    const sal_table known[] = { table, sal_row_table };
    const cJSON    *member;

    cJSON_ArrayForEach(member, object)
    {
        const char *best = NULL;
        if (!strcmp(member->string, COMMENT_KEY) || !strcmp(member->string, "type")) continue;
        if (find_field(known, SAL_COUNT(known), member->string)) continue;
        for (int f = 0; f < table.n; f++) {
            const char *pair[] = { best, table.fields[f].key };
            best               = sal_nearest(member->string, best ? pair : pair + 1, best ? 2 : 1);
        }
        if (best && !strcmp(best, key)) return true;
    }
    return false;
}

bool sal_fields_read(sal_scene *scene, const cJSON *object, const char *path, sal_table table, void *self, int element)
{
    bool good = true;

    for (int i = 0; i < table.n; i++) {
        const sal_field *f      = &table.fields[i];
        const cJSON     *node   = cJSON_GetObjectItemCaseSensitive(object, f->key);
        char            *name   = path[0] ? sal_pool_format(&scene->tables->pool, "%s.%s", path, f->key)
                                          : sal_pool_copy(&scene->tables->pool, f->key, strlen(f->key));
        void            *member = (char *)self + f->offset;

        if (!name) return false;
        if (node) {
            read_args args = { scene, node, name, f, member, element };
            good &= read_field(&args);
        } else if (f->standard) {
            read_default(scene, name, f, member);
        } else {
            if (!misspelt(object, table, f->key))
                sal_scene_error(scene, object, path, "missing key '%s': %s", f->key, f->help);
            good = false;
        }
    }
    return good && !scene->tables->pool.failed;
}
