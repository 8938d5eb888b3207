/* describe.c - the reference of the scene format, as text and as a JSON schema, from the field tables that read
 * scenes. */
#include <stdio.h>
#include <string.h>

#include "engine/scene/fields.h"
#include "engine/scene/options.h"

typedef struct printer {
    sal_writer write;
    void      *user;
} printer;

static void print(const printer *p, const char *format, ...) SAL_PRINTF(2, 3);
static void print(const printer *p, const char *format, ...)
{
    char    text[4096];
    int     length;
    va_list args;

    va_start(args, format);
    length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    SAL_ASSERT(length < (int)sizeof text);
    (void)length;
    p->write(p->user, text);
}

static const struct kind_text {
    const char *text;   /* what stands in the scene */
    const char *schema; /* the same for a schema */
} kinds[] = {
    [SAL_F_VALUE]    = { "value", "{ \"$ref\": \"#/definitions/value\" }" },
    [SAL_F_VECTOR]   = { "[x, y]", "{ \"$ref\": \"#/definitions/vector\" }" },
    [SAL_F_LINE]     = { "[[x, y], ...]", "{ \"type\": \"array\", \"items\": { \"$ref\": \"#/definitions/vector\" }, "
                                              "\"minItems\": 2 }" },
    [SAL_F_POINT]    = { "point", "{ \"type\": \"string\" }" },
    [SAL_F_PAIR]     = { "[point, point]", "{ \"$ref\": \"#/definitions/pair\" }" },
    [SAL_F_ENDS]     = { "[point, point]", "{ \"$ref\": \"#/definitions/pair\" }" },
    [SAL_F_POINTS]   = { "[point, ...]",
                         "{ \"type\": \"array\", \"items\": { \"type\": \"string\" }, \"minItems\": 1 }" },
    [SAL_F_BOOL]     = { "true/false", "{ \"type\": \"boolean\" }" },
    [SAL_F_CHOICE]   = { "word", NULL },
    [SAL_F_AXES]     = { "true/false/\"x\"/\"y\"", "{ \"enum\": [true, false, \"x\", \"y\"] }" },
    [SAL_F_TEXT]     = { "text", "{ \"type\": \"string\" }" },
    [SAL_F_FORMULA]  = { "expression", "{ \"$ref\": \"#/definitions/value\" }" },
    [SAL_F_FORMULAS] = { "{ what: expression }",
                         "{ \"type\": \"object\", \"properties\": { \"//\": {} }, \"additionalProperties\": { "
                         "\"$ref\": \"#/definitions/value\" } }" },
    [SAL_F_MARKERS]  = { "{ name: [x, y] }", "{ \"type\": \"object\", \"properties\": { \"//\": {} }, "
                                              "\"additionalProperties\": { \"$ref\": \"#/definitions/vector\" } }" },
    [SAL_F_TEXTS]    = { "[expression, ...]", "{ \"type\": [\"array\", \"string\"], \"items\": { \"$ref\": "
                                                 "\"#/definitions/value\" }, \"minItems\": 1 }" },
    [SAL_F_BODY]     = { "body", "{ \"type\": \"string\" }" },
    [SAL_F_HOLDERS]  = { "[joint, ...]", "{ \"type\": [\"array\", \"string\"], \"items\": { \"type\": \"string\" }, "
                                          "\"minItems\": 1 }" },
    [SAL_F_CONTACTS] = { "[contact, ...]", "{ \"type\": [\"array\", \"string\"], \"items\": { \"type\": \"string\" }, "
                                           "\"minItems\": 1 }" },
    [SAL_F_NAMES]    = { "{ name: name }", "{ \"type\": \"object\", \"properties\": { \"//\": {} }, "
                                              "\"additionalProperties\": { \"type\": \"string\" } }" },
    [SAL_F_BY_AXIS]  = { "name or { axis: name }",
                         "{ \"type\": [\"string\", \"object\"], \"properties\": { \"//\": {}, \"x\": { \"type\": "
                          "\"string\" }, \"y\": { \"type\": \"string\" } }, \"additionalProperties\": false }" },
    [SAL_F_ON]       = { "{ change: { ... } }",
                         "{ \"type\": \"object\", \"properties\": { \"//\": {}, \"touch\": { \"type\": "
                               "\"object\" }, \"release\": { \"type\": \"object\" }, \"slip\": { \"type\": "
                               "\"object\" }, \"stick\": { \"type\": \"object\" } }, "
                               "\"additionalProperties\": false }" },
    [SAL_F_RANGES]   = { "{ name: [low, high] }",
                         "{ \"type\": \"object\", \"properties\": { \"//\": {} }, \"additionalProperties\": { "
                           "\"type\": \"array\", \"items\": { \"type\": \"number\" }, \"minItems\": 2, "
                           "\"maxItems\": 3 } }" },
    [SAL_F_BOUNDS]   = { "{ what: [sign, number] }",
                         "{ \"type\": \"object\", \"properties\": { \"//\": {} }, \"additionalProperties\": { "
                           "\"type\": \"array\", \"items\": [{ \"enum\": [\"<=\", \">=\", \"=\"] }, { "
                           "\"type\": \"number\" }], \"minItems\": 2, \"maxItems\": 2 } }" },
};

/* ------------------------------------------------------------------------------------------ text */

static void print_field(const printer *p, const sal_field *f)
{
    char kind[64], note[160] = "";

    snprintf(kind, sizeof kind, "%s%s%s", kinds[f->kind].text, f->unit ? " " : "", f->unit ? f->unit : "");
    if (!f->standard) snprintf(note, sizeof note, " (required)");
    else if (f->standard[0]) snprintf(note, sizeof note, " (default %s)", f->standard);
    print(p, "  %-14s %-22s %s%s", f->key, kind, f->help, note);
    if (f->range == SAL_POSITIVE) print(p, "; positive");
    if (f->range == SAL_NOT_NEGATIVE) print(p, "; not negative");
    if (f->range == SAL_FRACTION) print(p, "; 0 to 1");
    if (f->timed) print(p, "; may depend on t");
    if (f->words) {
        print(p, ": ");
        for (int k = 0; f->words[k]; k++) print(p, "%s%s", k ? ", " : "", f->words[k]);
    }
    print(p, "\n");
}

static void print_table(const printer *p, sal_table table)
{
    for (int k = 0; k < table.n; k++) print_field(p, &table.fields[k]);
}

static void print_type(const printer *p, sal_section section, const sal_type *type)
{
    print(p, "%s: \"type\": \"%s\" - %s\n", sal_section_name(section), type->name, type->help);
    print_table(p, (sal_table){ type->fields, type->nfields });
    if (type->rows) print_table(p, sal_row_table);
    if (type->reactions) print(p, "  reactions      %s\n", type->reactions);
}

static void print_overview(const printer *p, const sal_registry *registry)
{
    print(p, "A scene is one JSON object. Every value is a number or an expression in parameters, \"2*m\".\n"
             "A key \"//\" is a comment wherever an object may stand.\n\n"
             "  saltus         1, the version of the format (required)\n");
    print_table(p, sal_scene_table);
    for (const sal_scene_section *s = sal_scene_sections; s->key; s++) {
        print(p, "  %-14s %s\n", s->key, s->help);
        for (sal_section k = SAL_BODIES; k < SAL_SECTIONS; k++) {
            if (strcmp(s->key, sal_section_name(k)) != 0) continue;
            for (int i = 0; i < registry->n[k]; i++)
                print(p, "      %-12s %s\n", registry->type[k][i]->name, registry->type[k][i]->help);
        }
    }
    print(p, "\nMore: saltus types NAME, with the name of a section or of a type.\n");
}

static const struct part {
    const char      *key;
    const sal_table *table;
} parts[] = { { "parameters", &sal_vector_table },    { "points", &sal_point_table },
              { "types", &sal_types_table },          { "costs", &sal_cost_table },
              { "cycle", &sal_cycle_table },          { "optimize", &sal_optimize_table },
              { "simulation", &sal_simulation_table } };

enum { SECTIONS_MAX = 16 }; /* at least as many as sal_scene_sections has */

sal_status sal_describe(sal_context *context, const char *type, sal_writer write, void *user)
{
    const printer       p        = { write, user };
    const sal_registry *registry = sal_context_registry(context);
    const char         *known[SAL_SECTIONS * (SAL_TYPES_MAX + 1) + SAL_COUNT(parts) + SECTIONS_MAX];
    int                 count = 0, printed = 0;

    if (!type) {
        print_overview(&p, registry);
        return SAL_OK;
    }
    for (int k = 0; k < SAL_COUNT(parts); k++) {
        known[count++] = parts[k].key;
        if (strcmp(parts[k].key, type) != 0) continue;
        print(&p, "%s\n", parts[k].key);
        print_table(&p, *parts[k].table);
        printed++;
    }
    for (sal_section s = SAL_BODIES; s < SAL_SECTIONS; s++) {
        bool whole     = !strcmp(sal_section_name(s), type);
        known[count++] = sal_section_name(s);
        for (int k = 0; k < registry->n[s]; k++) {
            known[count++] = registry->type[s][k]->name;
            if (!whole && strcmp(registry->type[s][k]->name, type) != 0) continue;
            if (printed++) print(&p, "\n");
            print_type(&p, s, registry->type[s][k]);
        }
    }
    for (const sal_scene_section *s = sal_scene_sections; s->key && count < SAL_COUNT(known);
         s++) { /* those without a table */
        known[count++] = s->key;
        if (printed || strcmp(s->key, type) != 0) continue;
        print(&p, "%s - %s\n", s->key, s->help);
        printed++;
    }
    if (printed) return SAL_OK;
    return sal_fail(context, SAL_ERR_ARGUMENT, "unknown type '%s'%s", type, sal_did_you_mean(type, known, count).text);
}

/* ---------------------------------------------------------------------------------------- schema */

static void print_string(const printer *p, const char *text)
{
    print(p, "\"");
    for (; *text; text++) print(p, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    print(p, "\"");
}

static const char *const values[] = {
    [SAL_ANY]          = "{ \"$ref\": \"#/definitions/value\" }",
    [SAL_POSITIVE]     = "{ \"$ref\": \"#/definitions/positive\" }",
    [SAL_NOT_NEGATIVE] = "{ \"$ref\": \"#/definitions/not_negative\" }",
    [SAL_FRACTION]     = "{ \"$ref\": \"#/definitions/fraction\" }",
};

static void schema_field(const printer *p, const sal_field *f, const char *indent)
{
    print(p, ",\n%s\"%s\": { \"description\": ", indent, f->key);
    char help[512];
    snprintf(help, sizeof help, "%s%s%s%s%s%s%s", f->help, f->unit ? " [" : "", f->unit ? f->unit : "",
             f->unit ? "]" : "", f->standard && f->standard[0] ? " (default " : "",
             f->standard && f->standard[0] ? f->standard : "", f->standard && f->standard[0] ? ")" : "");
    print_string(p, help);
    if (f->kind == SAL_F_CHOICE) {
        print(p, ", \"enum\": [");
        for (int k = 0; f->words[k]; k++) print(p, "%s\"%s\"", k ? ", " : "", f->words[k]);
        print(p, "] }");
    } else {
        print(p, ", \"allOf\": [%s] }", f->kind == SAL_F_VALUE ? values[f->range] : kinds[f->kind].schema);
    }
}

/* The inside of an object schema: properties, required keys, nothing else but comments. */
static void schema_object(const printer *p, const sal_table *tables, int ntables, const char *type, const char *indent)
{
    bool first = true;

    print(p, "\"type\": \"object\", \"additionalProperties\": false,\n%s\"properties\": {", indent);
    print(p, "\n%s  \"//\": { \"description\": \"a comment\" }", indent);
    if (type) print(p, ",\n%s  \"type\": { \"const\": \"%s\" }", indent, type);
    char deeper[32];
    snprintf(deeper, sizeof deeper, "%s  ", indent);
    for (int t = 0; t < ntables; t++) {
        for (int k = 0; k < tables[t].n; k++) schema_field(p, &tables[t].fields[k], deeper);
    }
    print(p, "\n%s},\n%s\"required\": [", indent, indent);
    if (type) {
        print(p, "\"type\"");
        first = false;
    }
    for (int t = 0; t < ntables; t++) {
        for (int k = 0; k < tables[t].n; k++) {
            if (tables[t].fields[k].standard) continue;
            print(p, "%s\"%s\"", first ? "" : ", ", tables[t].fields[k].key);
            first = false;
        }
    }
    print(p, "]");
}

static void schema_elements(const printer *p, const sal_registry *registry, sal_section section)
{
    print(p,
          "    \"%s\": {\n      \"type\": \"object\",\n      \"properties\": { \"//\": {} },\n"
          "      \"additionalProperties\": { \"oneOf\": [",
          sal_section_name(section));
    for (int k = 0; k < registry->n[section]; k++) {
        const sal_type *type     = registry->type[section][k];
        const sal_table tables[] = { { type->fields, type->nfields }, sal_row_table };
        print(p, "%s\n        { \"description\": ", k ? "," : "");
        print_string(p, type->help);
        print(p, ", ");
        schema_object(p, tables, type->rows ? 2 : 1, type->name, "          ");
        print(p, " }");
    }
    if (section == SAL_JOINTS) { /* types that the scene defines */
        print(p, ",\n        { \"description\": \"a type of this scene\", \"type\": \"object\", \"required\": "
                 "[\"type\"], \"properties\": { \"type\": { \"type\": \"string\", \"not\": { \"enum\": [");
        for (int k = 0; k < registry->n[section]; k++)
            print(p, "%s\"%s\"", k ? ", " : "", registry->type[section][k]->name);
        print(p, "] } } } }");
    }
    print(p, "\n      ] }\n    }");
}

static void schema_map(const printer *p, const char *key, const sal_table *table)
{
    print(p,
          "    \"%s\": {\n      \"type\": \"object\",\n      \"properties\": { \"//\": {} },\n      "
          "\"additionalProperties\": { ",
          key);
    schema_object(p, table, 1, NULL, "        ");
    print(p, " }\n    }");
}

sal_status sal_describe_schema(sal_context *context, sal_writer write, void *user)
{
    const printer       p        = { write, user };
    const sal_registry *registry = sal_context_registry(context);

    print(&p,
          "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": \"Saltus scene\",\n"
          "  \"description\": \"A mechanism that makes and breaks contact, and how to run it\",\n"
          "  \"type\": \"object\",\n  \"additionalProperties\": false,\n  \"required\": [\"saltus\", \"points\"],\n"
          "  \"definitions\": {\n"
          "    \"value\": { \"anyOf\": [{ \"type\": \"number\" }, { \"type\": \"string\", \"minLength\": 1 }] },\n"
          "    \"positive\": { \"anyOf\": [{ \"type\": \"number\", \"exclusiveMinimum\": 0 },\n"
          "      { \"type\": \"string\", \"minLength\": 1 }] },\n"
          "    \"not_negative\": { \"anyOf\": [{ \"type\": \"number\", \"minimum\": 0 },\n"
          "      { \"type\": \"string\", \"minLength\": 1 }] },\n"
          "    \"fraction\": { \"anyOf\": [{ \"type\": \"number\", \"minimum\": 0, \"maximum\": 1 },\n"
          "      { \"type\": \"string\", \"minLength\": 1 }] },\n"
          "    \"vector\": { \"type\": \"array\", \"items\": { \"$ref\": \"#/definitions/value\" }, \"minItems\": 2, "
          "\"maxItems\": 2 },\n"
          "    \"pair\": { \"type\": \"array\", \"items\": { \"type\": \"string\" }, \"minItems\": 2, \"uniqueItems\": "
          "true, \"maxItems\": 2 }\n"
          "  },\n  \"properties\": {\n    \"//\": { \"description\": \"a comment\" },\n"
          "    \"$schema\": { \"type\": \"string\" },\n"
          "    \"saltus\": { \"description\": \"version of the format\", \"const\": 1 }");
    for (int k = 0; k < sal_scene_table.n; k++) schema_field(&p, &sal_scene_table.fields[k], "    ");
    print(&p,
          ",\n    \"parameters\": { \"type\": \"object\", \"properties\": { \"//\": {} }, \"additionalProperties\": { "
          "\"anyOf\": [\n      { \"$ref\": \"#/definitions/value\" },\n      { ");
    schema_object(&p, &sal_vector_table, 1, NULL, "        ");
    print(&p, " }] } },\n"
              "    \"ranges\": { \"type\": \"object\", \"properties\": { \"//\": {} }, \"additionalProperties\": "
              "{ \"type\": \"array\", \"items\": { \"type\": \"number\" }, \"minItems\": 2, \"maxItems\": 2 } },\n"
              "    \"memory\": { \"type\": \"object\", \"properties\": { \"//\": {} }, \"additionalProperties\": "
              "{ \"$ref\": \"#/definitions/value\" } },\n");
    schema_map(&p, "types", &sal_types_table);
    print(&p, ",\n");
    schema_map(&p, "points", &sal_point_table);
    for (sal_section s = SAL_BODIES; s < SAL_SECTIONS; s++) {
        print(&p, ",\n");
        schema_elements(&p, registry, s);
    }
    print(&p, ",\n    \"outputs\": { \"type\": \"object\", \"properties\": { \"//\": {} }, \"additionalProperties\": { "
              "\"type\": \"string\" } },\n");
    schema_map(&p, "costs", &sal_cost_table);
    print(&p, ",\n    \"cycle\": { ");
    schema_object(&p, &sal_cycle_table, 1, NULL, "      ");
    print(&p, " },\n    \"optimize\": { ");
    schema_object(&p, &sal_optimize_table, 1, NULL, "      ");
    print(&p, " },\n    \"simulation\": { ");
    schema_object(&p, &sal_simulation_table, 1, NULL, "      ");
    print(&p, " }\n  }\n}\n");
    return SAL_OK;
}
