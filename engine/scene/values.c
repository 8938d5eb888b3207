/* values.c - the numbers of a scene: values and formulas from what is written, parameters, memory. A value is a program
 * over slots that come before it in the order of evaluation. */
#include <stdio.h>
#include <string.h>

#include "engine/scene/fields.h"

/* ---------------------------------------------------------------------------------------- values */

sal_slot sal_scene_new_slot(sal_scene *scene)
{
    if (!SAL_PUSH(&scene->tables->pool, &scene->tables->timed) || !SAL_PUSH(&scene->tables->pool, &scene->tables->kept))
        return SAL_NONE;
    return scene->tables->timed.n - 1;
}

/* Whether any value that the program reads is marked. */
static bool reads_any(const bool *mark, const sal_program *program)
{
    for (int k = 0; k < program->nleaf; k++) {
        if (mark[program->node[program->leaf[k]].b]) return true;
    }
    return false;
}

static bool program_timed(const sal_scene *scene, const sal_program *program)
{
    return reads_any(scene->tables->timed.at, program);
}

static sal_slot add_value_at(sal_scene *scene, sal_slot slot, const sal_program *program, sal_range range,
                             const char *text, sal_place place)
{
    sal_value *value = slot == SAL_NONE ? NULL : SAL_PUSH(&scene->tables->pool, &scene->tables->values);

    if (!value) return SAL_NONE;
    *value                        = (sal_value){ .program = *program,
                                                 .slot    = slot,
                                                 .range   = range,
                                                 .timed   = program_timed(scene, program),
                                                 .place   = place,
                                                 .text    = text };
    scene->tables->timed.at[slot] = value->timed;
    scene->tables->kept.at[slot]  = reads_any(scene->tables->kept.at, program);
    return slot;
}

sal_slot sal_scene_add_value(sal_scene *scene, const sal_program *program, sal_range range, const char *text,
                             sal_place place)
{
    return add_value_at(scene, sal_scene_new_slot(scene), program, range, text, place);
}

void sal_scene_add_timed_at(sal_scene *scene, sal_slot slot, const sal_program *program, const char *text,
                            sal_place place)
{
    if (add_value_at(scene, slot, program, SAL_ANY, text, place) == SAL_NONE) return;
    scene->tables->values.at[scene->tables->values.n - 1].timed = true; /* steps do not even read t */
    scene->tables->timed.at[slot]                               = true;
}

/* Reports an error in text that stands at `node`, at the column inside it. */
static void report_at(sal_scene *scene, const char *text, const cJSON *node, bool key, const char *path,
                      const sal_expr_error *error)
{
    int line, column;

    scene->failed = true;
    if (!error->text[0]) return;
    if (key) sal_json_key_at(&scene->json, node, &line, &column);
    else if (cJSON_IsString(node)) sal_json_string_at(&scene->json, node, error->column - 1, &line, &column);
    else sal_json_value_at(&scene->json, node, &line, &column);
    sal_add_error(scene->tables->context, scene->tables->file, line, column, path ? path : "",
                  "in '%.80s', column %d: %s", text, error->column, error->text);
}

/* Compiles text that stands at `node`. */
static bool compile_at(sal_scene *scene, const char *text, const cJSON *node, bool key, const char *path,
                       sal_vocabulary *vocabulary, sal_program *program)
{
    sal_resolver   resolver = sal_vocabulary_resolver(vocabulary);
    sal_expr_error error;

    if (sal_expr_compile(&scene->tables->pool, text, &resolver, program, &error) == SAL_OK) return true;
    report_at(scene, text, node, key, path, &error);
    return false;
}

/* A number or an expression in parameters and t. */
static bool value_program(sal_scene *scene, const cJSON *node, const char *path, const char **text,
                          sal_program *program)
{
    sal_vocabulary vocabulary = { .tables = scene->tables, .scene = scene, .pool = &scene->tables->pool };

    if (cJSON_IsNumber(node)) {
        sal_expr *e = sal_expr_begin(&scene->tables->pool);
        *text       = sal_pool_format(&scene->tables->pool, "%.15g", node->valuedouble); /* for messages */
        return e && sal_expr_finish(e, sal_expr_const(e, node->valuedouble), program) == SAL_OK;
    }
    if (!cJSON_IsString(node)) {
        sal_scene_error(scene, node, path, "expected a number or an expression, found %s", sal_found(node));
        return false;
    }
    *text = sal_pool_copy(&scene->tables->pool, node->valuestring, strlen(node->valuestring));
    return *text && compile_at(scene, *text, node, false, path, &vocabulary, program);
}

sal_slot sal_scene_value(sal_scene *scene, const cJSON *node, const char *path, sal_range range, bool timed)
{
    sal_program program;
    const char *text;

    if (!path || !value_program(scene, node, path, &text, &program)) return SAL_NONE;
    if (!timed && program_timed(scene, &program)) {
        sal_scene_error(scene, node, path, "'%s' depends on t; expected a constant", text);
        return SAL_NONE;
    }
    return sal_scene_add_value(scene, &program, range, text, sal_scene_place(scene, node, path));
}

sal_slot sal_scene_value_text(sal_scene *scene, const char *text, const char *path, sal_range range)
{
    sal_program    program;
    sal_expr_error error;

    if (sal_expr_compile(&scene->tables->pool, text, NULL, &program, &error) != SAL_OK) return SAL_NONE;
    return sal_scene_add_value(scene, &program, range, text, (sal_place){ .path = path });
}

/* Whether the text is a key of its place; or a number, of which there is only the key to point at. */
static bool is_key(sal_text text)
{
    const cJSON *node = text.place;

    return node && (!cJSON_IsString(node) || strcmp(node->valuestring, text.text) != 0);
}

void sal_scene_report(sal_scene *scene, sal_text text, const char *path, sal_expr_error error)
{
    report_at(scene, text.text ? text.text : "", text.place ? text.place : scene->json.root, is_key(text), path,
              &error);
}

bool sal_vocabulary_compile(sal_vocabulary *vocabulary, sal_text text, const char *path, sal_program *program)
{
    sal_scene   *scene = vocabulary->scene;
    const cJSON *node  = text.place;

    vocabulary->text = text;
    vocabulary->path = path;
    return compile_at(scene, text.text, node ? node : scene->json.root, is_key(text), path, vocabulary, program);
}

bool sal_scene_formula(sal_scene *scene, sal_text text, const char *path, const sal_bind *binds, sal_program *program)
{
    sal_vocabulary vocabulary = { .tables     = scene->tables,
                                  .scene      = scene,
                                  .pool       = &scene->tables->pool,
                                  .binds      = binds,
                                  .of_scene   = text.place != NULL,
                                  .quantities = true };

    return sal_vocabulary_compile(&vocabulary, text, path, program);
}

static sal_leaf_derivative by_variable(const void *self, sal_source source, int slot)
{
    const bool moves = source == SAL_SRC_Z && slot == SAL_NONE;

    (void)self;
    return (sal_leaf_derivative){ .kind = moves ? SAL_LEAF_ONE : SAL_LEAF_ZERO };
}

static void compile_function(sal_scene *scene, sal_function *f)
{
    sal_pool      *pool       = &scene->tables->pool;
    sal_vocabulary vocabulary = { .tables = scene->tables, .scene = scene, .pool = pool, .variable = f->variable };
    sal_resolver   resolver   = sal_vocabulary_resolver(&vocabulary);
    const cJSON   *node       = f->text.place;
    sal_status     status     = sal_expr_compile(pool, f->text.text, &resolver, &f->program[0], &f->error);

    if (status == SAL_OK) {
        status = sal_program_differentiate(pool, &f->program[0], by_variable, NULL, &f->program[1]);
        if (status == SAL_ERR_SCENE) f->error = (sal_expr_error){ 1, "its derivative is too large" };
    }
    if (status == SAL_OK) return;
    f->program[0] = (sal_program){ 0 };
    if (!node) return; /* a type's own: part of what is wrong with its formula */
    report_at(scene, f->text.text, node, is_key(f->text),
              sal_pool_format(pool, "%s.%s", scene->tables->elements.at[scene->tables->elements.n - 1].place.path,
                              node->string),
              &f->error);
    f->error.text[0] = '\0';
}

const sal_function *sal_scene_function(sal_scene *scene, sal_text text, const char *variable)
{
    sal_function *f;

    for (int k = 0; k < scene->functions.n; k++) {
        f = &scene->functions.at[k];
        if (f->text.place == text.place && !strcmp(f->text.text, text.text) && !strcmp(f->variable, variable)) return f;
    }
    text.text = sal_pool_copy(&scene->tables->pool, text.text, strlen(text.text));
    variable  = sal_pool_copy(&scene->tables->pool, variable, strlen(variable));
    f         = text.text && variable ? SAL_PUSH(&scene->tables->pool, &scene->functions) : NULL;
    if (!f) return NULL;
    *f = (sal_function){ .text = text, .variable = variable };
    compile_function(scene, f);
    return f;
}

/* ------------------------------------------------------------------------------------ parameters */

/* Puts the parameters' values in an order in which each comes after those it reads (depth first, by hand: a chain may
 * be long). A parameter met again while its own are being visited closes a cycle. */
static void order_parameters(sal_scene *scene, const sal_program *program, const char *const *text,
                             const cJSON *const *node)
{
    enum { NEW, OPEN, DONE };
    const int      count = scene->tables->scalars;
    unsigned char *state = SAL_NEW(&scene->tables->pool, unsigned char, count);
    int           *stack = SAL_NEW(&scene->tables->pool, int, count), *next = SAL_NEW(&scene->tables->pool, int, count);
    const int      first = scene->tables->time + 1; /* slot of parameter 0 */

    if (!state || !stack || !next) return;
    for (int root = 0; root < count; root++) {
        int depth = 0;
        if (state[root] != NEW) continue;
        stack[depth++] = root;
        state[root]    = OPEN;
        while (depth > 0) {
            int                k = stack[depth - 1], other = -1;
            const sal_program *p = &program[k];
            while (next[k] < p->nleaf && other < 0) {
                other = p->node[p->leaf[next[k]++]].b - first;
                if (other >= 0 && state[other] == DONE) other = -1;
            }
            if (other >= 0 && state[other] == OPEN) {
                char   cycle[256] = "";
                size_t used       = 0;
                int    from       = 0;
                while (stack[from] != other) from++;
                for (int i = from; i < depth && used < sizeof cycle - SAL_NAME_MAX - 8; i++) {
                    used += (size_t)snprintf(cycle + used, sizeof cycle - used, "%s -> ",
                                             scene->tables->parameters.at[stack[i]].name);
                    if (used >= sizeof cycle - SAL_NAME_MAX - 8 && i + 1 < depth)
                        snprintf(cycle + used, sizeof cycle - used, "... -> ");
                }
                sal_scene_error(
                    scene, node[other],
                    sal_pool_format(&scene->tables->pool, "parameters.%s", scene->tables->parameters.at[other].name),
                    "parameters depend on each other in a circle: %s%s", cycle,
                    scene->tables->parameters.at[other].name);
            } else if (other >= 0) {
                stack[depth++] = other;
                state[other]   = OPEN;
            } else {
                sal_parameter *parameter = &scene->tables->parameters.at[k];
                if (p->n) {
                    add_value_at(
                        scene, parameter->slot, p, SAL_ANY, text[k],
                        sal_scene_place(scene, node[k],
                                        sal_pool_format(&scene->tables->pool, "parameters.%s", parameter->name)));
                }
                state[k] = DONE;
                depth--;
            }
        }
    }
}

/* Names the parameters: an expression may use a later one. `node` gets those that are single numbers. */
static void name_parameters(sal_scene *scene, const cJSON *object, const cJSON **node, const cJSON **vector)
{
    const cJSON *member;

    cJSON_ArrayForEach(member, object)
    {
        const char    *path = sal_pool_format(&scene->tables->pool, "parameters.%s", member->string);
        sal_parameter *parameter;
        if (!strcmp(member->string, "//") || !sal_expect_name(scene, member, path)) continue;
        if (sal_expr_reserved(member->string)) {
            sal_scene_key_error(scene, member, path, "'%s' is a word of the expression language; choose another name",
                                member->string);
            continue;
        }
        if (sal_scene_is_vector(member)) {
            *vector++ = member;
            continue;
        }
        node[scene->tables->parameters.n] = member;
        parameter                         = SAL_PUSH(&scene->tables->pool, &scene->tables->parameters);
        if (!parameter) return;
        parameter->name = sal_pool_copy(&scene->tables->pool, member->string, strlen(member->string));
        parameter->slot = sal_scene_new_slot(scene);
        if (!parameter->name) return;
        sal_names_add(&scene->tables->pool, &scene->tables->parameter_names, parameter->name, NULL);
    }
    scene->tables->scalars = scene->tables->parameters.n;
}

void sal_scene_load_parameters(sal_scene *scene, const cJSON *object)
{
    const int     count   = cJSON_GetArraySize(object);
    sal_program  *program = SAL_NEW(&scene->tables->pool, sal_program, count);
    const char  **text    = SAL_NEW(&scene->tables->pool, const char *, count);
    const cJSON **node    = SAL_NEW(&scene->tables->pool, const cJSON *, count);
    const cJSON **vector  = SAL_NEW(&scene->tables->pool, const cJSON *, count + 1);

    if (!program || !text || !node || !vector || !sal_expect_object(scene, object, "parameters")) return;
    name_parameters(scene, object, node, vector);
    for (int k = 0; vector[k] && !scene->tables->pool.failed; k++) sal_scene_name_vector(scene, vector[k]);
    for (int k = 0; k < scene->tables->scalars && !scene->tables->pool.failed; k++) {
        const char *path = sal_pool_format(&scene->tables->pool, "parameters.%s", scene->tables->parameters.at[k].name);
        if (!value_program(scene, node[k], path, &text[k], &program[k])) program[k] = (sal_program){ 0 };
        if (program_timed(scene, &program[k])) { /* t, or a vector */
            sal_scene_error(scene, node[k], path, "'%s' depends on t; a parameter is a constant", text[k]);
            program[k] = (sal_program){ 0 }; /* what reads it shall not be blamed as well */
        }
    }
    if (!scene->tables->pool.failed) order_parameters(scene, program, text, node);
    for (int k = 0; vector[k] && !scene->tables->pool.failed; k++) sal_scene_load_vector(scene, vector[k], k);
}

/* How far each may go, for those who change them by hand: "name": [low, high]. Checked here, read by viewers. */
void sal_scene_check_ranges(sal_scene *scene, const cJSON *object)
{
    const cJSON *member;

    if (!sal_expect_object(scene, object, "ranges")) return;
    cJSON_ArrayForEach(member, object)
    {
        const char  *path = sal_pool_format(&scene->tables->pool, "ranges.%s", member->string);
        const cJSON *low = cJSON_GetArrayItem(member, 0), *high = cJSON_GetArrayItem(member, 1);
        if (!strcmp(member->string, "//")) continue;
        if (sal_names_find(&scene->tables->parameter_names, member->string) < 0 &&
            sal_names_find(&scene->tables->vector_names, member->string) < 0)
            sal_scene_key_error(scene, member, path, "there is no parameter '%s'", member->string);
        else if (!cJSON_IsArray(member) || cJSON_GetArraySize(member) != 2 || !cJSON_IsNumber(low) ||
                 !cJSON_IsNumber(high) || !(low->valuedouble < high->valuedouble))
            sal_scene_error(scene, member, path, "expected two numbers, the lower one first");
    }
}

/* ---------------------------------------------------------------------------------------- memory */

void sal_scene_load_memory(sal_scene *scene, const cJSON *object)
{
    const cJSON *member;

    if (!sal_expect_object(scene, object, "memory")) return;
    cJSON_ArrayForEach(member, object)
    {
        const char *path = sal_pool_format(&scene->tables->pool, "memory.%s", member->string);
        sal_memory  item = { .name = sal_pool_copy(&scene->tables->pool, member->string, strlen(member->string)) },
                   *slot;
        if (!path || !item.name || !strcmp(member->string, "//") || !sal_expect_name(scene, member, path)) continue;
        if (sal_expr_reserved(item.name)) {
            sal_scene_key_error(scene, member, path, "'%s' is a word of the expression language; choose another name",
                                item.name);
            continue;
        }
        if (sal_names_find(&scene->tables->parameter_names, item.name) >= 0 ||
            sal_names_find(&scene->tables->vector_names, item.name) >= 0) {
            sal_scene_key_error(scene, member, path, "'%s' is a parameter already", item.name);
            continue;
        }
        item.slot = sal_scene_value(scene, member, path, SAL_ANY, false);
        if (item.slot != SAL_NONE) { /* else known all the same, so that what uses it is not blamed as well */
            scene->tables->values.at[scene->tables->values.n - 1].memory = true;
            scene->tables->kept.at[item.slot]                            = true;
        }
        sal_names_add(&scene->tables->pool, &scene->tables->memory_names, item.name, NULL);
        slot = SAL_PUSH(&scene->tables->pool, &scene->tables->memory);
        if (slot) *slot = item;
    }
}
