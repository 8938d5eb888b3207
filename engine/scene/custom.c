/* custom.c - types of joints that a scene defines once and uses many times:
 *
 *     "types": { "circle": { "arguments": { "P": "point", "C": "point", "r": "value" },
 *                            "rows": ["(x(P) - x(C))^2 + (y(P) - y(C))^2 - r^2"] } },
 *     "joints": { "c1": { "type": "circle", "P": "P1", "C": "O", "r": "2*a" } }
 *
 * In the formulas the arguments' names come first, then the scene's. A row is Phi = 0; of a rate only Phidot is known;
 * a force does the power force * rate. */
#include "engine/scene/custom.h"

#include <stdio.h>
#include <string.h>

typedef union argument {
    sal_point   point;
    sal_slot    value;
    const char *body;
} argument;

typedef struct custom {
    sal_type   type; /* first: an element's type leads to its definition */
    sal_texts  rows, rates, forces;
    sal_texts  arguments;
    sal_field *fields;
} custom;

static const sal_field definition_fields[] = {
    { "help", SAL_F_TEXT, offsetof(custom, type.help), .standard = "a type of this scene", .help = "what it is" },
    { "arguments", SAL_F_NAMES, offsetof(custom, arguments), .standard = "",
      .help = "keys of its elements, each a point, a value or a body: { \"P\": \"point\", \"r\": \"value\" }" },
    { "rows", SAL_F_TEXTS, offsetof(custom, rows), .standard = "", .help = "constraints: each expression is zero" },
    { "rates", SAL_F_TEXTS, offsetof(custom, rates), .standard = "",
      .help = "constraints of which only the rate is known: each velocity is zero" },
    { "forces", SAL_F_FORMULAS, offsetof(custom, forces), .standard = "",
      .help = "forces: { \"velocity\": \"force\" }, doing the power force * velocity" },
};
const sal_table sal_types_table = { definition_fields, SAL_COUNT(definition_fields) };

/* -------------------------------------------------------------------------------------- elements */

static void emit(const void *self, sal_builder *b)
{
    const custom   *type                            = (const custom *)sal_builder_type(b);
    const argument *args                            = self;
    sal_bind        binds[SAL_CUSTOM_ARGUMENTS + 1] = { { 0 } };
    sal_point       points[SAL_CUSTOM_ARGUMENTS];
    int             n = 0;

    for (int k = 0; k < type->arguments.n; k++) {
        binds[k].name    = type->fields[k].key;
        binds[k].offered = true;
        switch (type->fields[k].kind) {
        case SAL_F_POINT:
            binds[k].point = &args[k].point;
            points[n++]    = args[k].point;
            break;
        case SAL_F_BODY: binds[k].body = args[k].body; break;
        default: binds[k].slot = args[k].value; break;
        }
    }
    sal_emit_formulas(b, type->rows, type->rates, type->forces, binds);
    for (int k = 0; k < n - 1; k++) sal_draw_line(b, points[k], points[k + 1]);
}

/* ------------------------------------------------------------------------------------ definitions */

static bool add_field(sal_scene *scene, custom *type, int k, const char *path)
{
    static const struct {
        const char *word;
        sal_kind    kind;
    } kinds[]          = { { "point", SAL_F_POINT }, { "value", SAL_F_VALUE }, { "body", SAL_F_BODY } };
    const sal_text key = type->arguments.key[k], word = type->arguments.value[k];
    sal_field     *field = &type->fields[k];

    *field = (sal_field){ .key    = key.text,
                          .kind   = SAL_F_TEXT,
                          .offset = (size_t)k * sizeof(argument),
                          .timed  = true,
                          .help   = "an argument of the type" };
    for (int i = 0; i < SAL_COUNT(kinds); i++) {
        if (!strcmp(kinds[i].word, word.text)) field->kind = kinds[i].kind;
    }
    if (field->kind == SAL_F_TEXT) {
        sal_scene_error(scene, word.place, path, "expected 'point', 'value' or 'body', found '%s'", word.text);
    } else if (!sal_expr_valid_name(key.text) || sal_expr_reserved(key.text) || !strcmp(key.text, "type") ||
               !strcmp(key.text, "alpha") || !strcmp(key.text, "active")) {
        sal_scene_key_error(scene, key.place, path, "'%s' cannot be the name of an argument", key.text);
    } else return true;
    return false;
}

static bool define(sal_scene *scene, const cJSON *member, const char *path, custom *type)
{
    const sal_registry *registry = sal_context_registry(scene->tables->context);
    const char         *name     = sal_pool_copy(&scene->tables->pool, member->string, strlen(member->string));
    bool                good;

    if (!name || !sal_expect_name(scene, member, path) || !sal_expect_object(scene, member, path)) return false;
    if (sal_registry_find(registry, SAL_JOINTS, name)) {
        sal_scene_key_error(scene, member, path, "the type '%s' exists already; choose another name", name);
        return false;
    }
    sal_fields_check_keys(scene, member, path, &sal_types_table, 1);
    if (!sal_fields_read(scene, member, path, sal_types_table, type, -1)) return false;
    if (type->rows.n + type->rates.n + type->forces.n == 0) {
        sal_scene_error(scene, member, path, "expected 'rows', 'rates' or 'forces', found none");
        return false;
    }
    if (type->arguments.n > SAL_CUSTOM_ARGUMENTS) {
        sal_scene_error(scene, member, path, "%d arguments; expected at most %d", type->arguments.n,
                        SAL_CUSTOM_ARGUMENTS);
        return false;
    }
    type->fields = SAL_NEW(&scene->tables->pool, sal_field, type->arguments.n);
    good         = type->fields != NULL;
    for (int k = 0; k < type->arguments.n && type->fields; k++) good = add_field(scene, type, k, path) && good;
    type->type.name    = name;
    type->type.size    = sizeof(argument) * (size_t)(type->arguments.n + 1);
    type->type.fields  = type->fields;
    type->type.nfields = type->arguments.n;
    type->type.rows    = type->rows.n + type->rates.n > 0;
    type->type.emit    = emit;
    return good;
}

void sal_custom_load(sal_scene *scene, const cJSON *object)
{
    const cJSON *member;

    if (!sal_expect_object(scene, object, "types")) return;
    cJSON_ArrayForEach(member, object)
    {
        const char      *path = sal_pool_format(&scene->tables->pool, "types.%s", member->string);
        custom          *type = SAL_NEW(&scene->tables->pool, custom, 1);
        const sal_type **slot;
        if (!path || !type || !strcmp(member->string, "//") || !define(scene, member, path, type)) continue;
        slot = SAL_PUSH(&scene->tables->pool, &scene->types);
        if (slot) *slot = &type->type;
    }
}
