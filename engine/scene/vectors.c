/* vectors.c - parameters that are functions of time, given by knots: what is written, their names, slots and value.
 *
 *     "u": { "knots": 50, "from": 0, "to": 5, "kind": "linear", "start": 0 }      u[0] .. u[49], used as u(t)
 *
 * What u(t) is in a piece between two knots stands in slots; the run sets them where one begins (motion/knots.c). */
#include <math.h>
#include <string.h>

#include "engine/scene/fields.h"

typedef struct vector_fields {
    sal_slot  knots, from, to;
    int       kind; /* sal_knots_kind */
    sal_texts start;
} vector_fields;

static const char *const kind_words[] = { "steps", "linear", "cubic", NULL };

static const sal_field fields_of_vector[] = {
    { "knots", SAL_F_VALUE, offsetof(vector_fields, knots),
      .help = "how many: NAME[0], NAME[1], ... are parameters; 2 to 10000, a number" },
    { "from", SAL_F_VALUE, offsetof(vector_fields, from), "s", "0", "time of the first one, a number" },
    { "to", SAL_F_VALUE, offsetof(vector_fields, to), "s",
      .help = "time of the last one; of steps where the last ends" },
    { "kind", SAL_F_CHOICE, offsetof(vector_fields, kind), .standard = "linear", .words = kind_words,
      .help = "NAME(t) between knots: constant from each on, straight, or a natural cubic spline through them; before "
              "and after them it stays as it is there" },
    { "start", SAL_F_TEXTS, offsetof(vector_fields, start), .standard = "",
      .help = "their values, one number for all or a list; 0 when absent" },
};
const sal_table sal_vector_table = { fields_of_vector, SAL_COUNT(fields_of_vector) };

/* The number that a value is whatever the parameters; NaN after an error. */
static double number_of(sal_scene *scene, sal_slot slot)
{
    static const double *const none[SAL_SRC_COUNT];
    const sal_tables          *t = scene->tables;

    for (int k = t->values.n - 1; k >= 0; k--) {
        const sal_value *v = &t->values.at[k];
        if (v->slot != slot) continue;
        if (v->program.n == 1 && v->program.node[0].op == SAL_OP_CONST)
            return sal_program_value(&v->program, none, &(double){ 0.0 });
        sal_add_error(t->context, t->file, v->place.line, v->place.column, v->place.path,
                      "'%s' is no number; expected one that does not depend on parameters", v->text);
        scene->failed = true;
    }
    return NAN;
}

static double start_of(sal_scene *scene, const cJSON *node, const char *path)
{
    if (cJSON_IsNumber(node)) return node->valuedouble;
    const sal_slot slot = sal_scene_value(scene, node, path, SAL_ANY, false);

    return slot == SAL_NONE ? NAN : number_of(scene, slot);
}

static const double *read_start(sal_scene *scene, const cJSON *member, const char *path, sal_texts start, int n)
{
    double *value = SAL_NEW(&scene->tables->pool, double, n);

    if (!value) return NULL;
    if (start.n > 1 && start.n != n) {
        sal_scene_error(scene, cJSON_GetObjectItemCaseSensitive(member, "start"),
                        sal_pool_format(&scene->tables->pool, "%s.start", path),
                        "expected a number or a list of %d, one for each knot, found %d", n, start.n);
        return NULL;
    }
    for (int k = 0; k < n; k++) {
        if (start.n == 1) value[k] = k ? value[0] : start_of(scene, start.value[0].place, path);
        else if (start.n)
            value[k] =
                start_of(scene, start.value[k].place, sal_pool_format(&scene->tables->pool, "%s.start[%d]", path, k));
        if (isnan(value[k])) return NULL; /* it has been said why */
    }
    return value;
}

/* What is written; false after an error. */
static bool read_vector(sal_scene *scene, const cJSON *member, const char *path, sal_vector *v)
{
    vector_fields f = { 0 };
    double        knots;
    bool          good;

    sal_fields_check_keys(scene, member, path, &sal_vector_table, 1);
    if (!sal_fields_read(scene, member, path, sal_vector_table, &f, -1)) return false;
    knots   = number_of(scene, f.knots);
    v->from = number_of(scene, f.from);
    v->to   = number_of(scene, f.to);
    v->kind = (sal_knots_kind)f.kind;
    if (isnan(knots) || isnan(v->from) || isnan(v->to)) return false;
    good = knots >= 2.0 && knots <= SAL_KNOTS_MOST && knots == floor(knots);
    if (!good)
        sal_scene_error(scene, cJSON_GetObjectItemCaseSensitive(member, "knots"),
                        sal_pool_format(&scene->tables->pool, "%s.knots", path),
                        "expected a whole number from 2 to %d, found %.15g", SAL_KNOTS_MOST, knots);
    if (!(v->to > v->from) || !isfinite(v->to - v->from)) {
        sal_scene_error(scene, cJSON_GetObjectItemCaseSensitive(member, "to"),
                        sal_pool_format(&scene->tables->pool, "%s.to", path), "%.15g s is not after 'from', %.15g s",
                        v->to, v->from);
        good = false;
    }
    if (!good) return false;
    v->n     = (int)knots;
    v->start = read_start(scene, member, path, f.start, v->n);
    return v->start != NULL;
}

/* c0 + s (c1 + s (c2 + s c3)), s = t - begin. */
static bool make_value(const sal_tables *t, sal_pool *pool, const sal_vector *v, sal_program *program)
{
    sal_expr *e = sal_expr_begin(pool);
    int       s, sum;

    if (!e) return false;
    s   = sal_expr_op(e, SAL_OP_SUB, sal_expr_leaf(e, SAL_SRC_Z, t->time),
                      sal_expr_leaf(e, SAL_SRC_Z, v->window + SAL_PIECE_BEGIN), 0);
    sum = sal_expr_leaf(e, SAL_SRC_Z, v->window + SAL_PIECE_FACTORS + v->kind + (v->kind == SAL_KNOTS_CUBIC));
    for (int k = v->kind + (v->kind == SAL_KNOTS_CUBIC) - 1; k >= 0; k--)
        sum = sal_expr_op(e, SAL_OP_ADD, sal_expr_leaf(e, SAL_SRC_Z, v->window + SAL_PIECE_FACTORS + k),
                          sal_expr_op(e, SAL_OP_MUL, s, sum, 0), 0);
    return sal_expr_finish(e, sum, program) == SAL_OK;
}

bool sal_scene_is_vector(const cJSON *member)
{
    return cJSON_IsObject(member);
}

/* The name, before anything is read that may use it. */
void sal_scene_name_vector(sal_scene *scene, const cJSON *member)
{
    sal_tables *t = scene->tables;
    sal_vector *v = SAL_PUSH(&t->pool, &t->vectors);

    if (!v) return;
    *v = (sal_vector){ .name = sal_pool_copy(&t->pool, member->string, strlen(member->string)), .window = SAL_NONE };
    for (int k = 0; k < SAL_PIECE_SLOTS; k++) {
        const sal_slot slot = sal_scene_new_slot(scene);
        if (slot == SAL_NONE) return;
        if (k == 0) v->window = slot;
        t->kept.at[slot] = true;
    }
    v->now = sal_scene_new_slot(scene);
    if (!v->name || v->now == SAL_NONE) return;
    t->timed.at[v->now] = true;
    sal_names_add(&t->pool, &t->vector_names, v->name, NULL);
}

void sal_scene_load_vector(sal_scene *scene, const cJSON *member, int index)
{
    sal_tables *t    = scene->tables;
    const char *path = sal_pool_format(&t->pool, "parameters.%s", member->string);
    sal_vector  v    = t->vectors.at[index];
    sal_program program;

    v.first = t->parameters.n;
    if (!path || !read_vector(scene, member, path, &v)) return;
    for (int k = 0; k < v.n; k++) {
        sal_parameter *knot = SAL_PUSH(&t->pool, &t->parameters);
        if (!knot) return;
        *knot = (sal_parameter){ .name = sal_pool_format(&t->pool, "%s[%d]", v.name, k), .slot = SAL_NONE };
        if (!knot->name) return;
        sal_names_add(&t->pool, &t->parameter_names, knot->name, NULL);
    }
    if (!make_value(t, &t->pool, &v, &program)) return;
    sal_scene_add_timed_at(scene, v.now, &program, v.name, sal_scene_place(scene, member, path));
    t->vectors.at[index] = v;
}
