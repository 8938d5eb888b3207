/* test_scene_reference.c - the reference of the format, for people and as a JSON schema: it says what the loader reads. */
#include "engine/scene/fields.h"
#include "tests/scene_fixture.h"

static void check_lists(sal_context *context, const char *type, sal_table table)
{
    printed p = describe(context, type);

    for (int k = 0; k < table.n; k++) {
        char line[128];
        snprintf(line, sizeof line, "\n  %-14s ", table.fields[k].key);
        if (!strstr(p.text, line)) print_error("%s: %s\n", type, table.fields[k].key);
        assert_non_null(strstr(p.text, line));
        assert_non_null(strstr(p.text, table.fields[k].help));
    }
    free(p.text);
}

static void test_describe(void **state)
{
    static const char *const sections[] = { "parameters", "memory",  "points", "bodies",    "joints",
                                            "contacts",   "outputs", "costs",  "simulation" };
    fixture                  f;
    const sal_registry      *registry;
    printed                  overview, p = { 0 };

    (void)state;
    begin(&f);
    registry = sal_context_registry(f.context);
    overview = describe(f.context, NULL);
    for (sal_section s = SAL_BODIES; s < SAL_SECTIONS; s++) {
        printed whole = describe(f.context, sal_section_name(s));
        for (int k = 0; k < registry->n[s]; k++) {
            const sal_type *type = registry->type[s][k];
            char            line[128];
            snprintf(line, sizeof line, "\n      %-12s %s\n", type->name, type->help);
            assert_non_null(strstr(overview.text, line));
            snprintf(line, sizeof line, "%s: \"type\": \"%s\" - %s\n", sal_section_name(s), type->name, type->help);
            assert_non_null(strstr(whole.text, line));
            check_lists(f.context, type->name, (sal_table){ type->fields, type->nfields });
            if (type->rows) check_lists(f.context, type->name, sal_row_table);
        }
        free(whole.text);
    }
    check_lists(f.context, NULL, sal_scene_table);
    check_lists(f.context, "points", sal_point_table);
    check_lists(f.context, "costs", sal_cost_table);
    check_lists(f.context, "simulation", sal_simulation_table);
    for (int k = 0; k < SAL_COUNT(sections); k++) {
        char    line[64];
        printed one = describe(f.context, sections[k]);
        snprintf(line, sizeof line, "\n  %-14s ", sections[k]);
        assert_non_null(strstr(overview.text, line));
        free(one.text);
    }
    free(overview.text);

    assert_int_equal(sal_describe(f.context, "barr", append, &p), SAL_ERR_ARGUMENT);
    assert_string_equal(sal_message(f.context), "unknown type 'barr'; did you mean 'bar'?\n");
    assert_int_equal(sal_describe(f.context, "simulatoin", append, &p), SAL_ERR_ARGUMENT);
    assert_string_equal(sal_message(f.context), "unknown type 'simulatoin'; did you mean 'simulation'?\n");
    assert_int_equal(sal_describe(f.context, "wheel", append, &p), SAL_ERR_ARGUMENT);
    assert_string_equal(sal_message(f.context), "unknown type 'wheel'\n");
    assert_null(p.text); /* nothing was written */
    end(&f);
}

static const cJSON *member(const cJSON *node, const char *key)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(node, key);

    if (!found) print_error("no '%s'\n", key);
    assert_non_null(found);
    return found;
}

/* Properties of the table, with those required listed as such. */
static void check_schema(const cJSON *object, sal_table table)
{
    const cJSON *properties = member(object, "properties"), *required = member(object, "required"), *name;

    for (int k = 0; k < table.n; k++) {
        bool listed = false;
        member(properties, table.fields[k].key);
        cJSON_ArrayForEach(name, required) listed = listed || !strcmp(name->valuestring, table.fields[k].key);
        assert_int_equal(listed, !table.fields[k].standard);
    }
}

static void test_schema(void **state)
{
    fixture             f;
    sal_pool            pool;
    sal_json            json;
    printed             p = { 0 };
    const sal_registry *registry;
    const cJSON        *properties;
    FILE               *file;
    char               *shipped;

    (void)state;
    begin(&f);
    registry = sal_context_registry(f.context);
    assert_int_equal(sal_describe_schema(f.context, append, &p), SAL_OK);
    sal_pool_init(&pool, f.context);
    assert_int_equal(sal_json_parse(&pool, "schema", p.text, p.length, &json), SAL_OK);
    properties = member(json.root, "properties");
    for (int k = 0; k < sal_scene_table.n; k++) member(properties, sal_scene_table.fields[k].key);
    member(properties, "saltus");
    member(properties, "memory");
    check_schema(member(member(properties, "types"), "additionalProperties"), sal_types_table);
    check_schema(member(member(properties, "points"), "additionalProperties"), sal_point_table);
    check_schema(member(member(properties, "costs"), "additionalProperties"), sal_cost_table);
    check_schema(member(properties, "simulation"), sal_simulation_table);
    for (sal_section s = SAL_BODIES; s < SAL_SECTIONS; s++) {
        const cJSON *types = member(member(member(properties, sal_section_name(s)), "additionalProperties"), "oneOf");
        assert_int_equal(cJSON_GetArraySize(types), registry->n[s] + (s == SAL_JOINTS)); /* those of the scene's own */
        for (int k = 0; k < registry->n[s]; k++) {
            const sal_type *type = registry->type[s][k];
            const cJSON    *one  = cJSON_GetArrayItem(types, k);
            assert_string_equal(member(member(member(one, "properties"), "type"), "const")->valuestring, type->name);
            check_schema(one, (sal_table){ type->fields, type->nfields });
            if (type->rows) check_schema(one, sal_row_table);
        }
    }
    sal_json_free(&json);
    sal_pool_free(&pool);

    file =
        fopen(SAL_SCENES_DIR "/saltus.schema.json", "rb"); /* the shipped one: as `saltus types --schema` prints it */
    assert_non_null(file);
    shipped = calloc(1, p.length + 2);
    assert_non_null(shipped);
    assert_int_equal(fread(shipped, 1, p.length + 1, file), p.length);
    fclose(file);
    assert_string_equal(shipped, p.text);
    free(shipped);
    free(p.text);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_schema),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
