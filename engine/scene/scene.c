/* scene.c - loads a scene: parameters, points, bodies, joints, contacts, outputs, costs, cycle, simulation, in this
 * order, whatever the order in the file, since each may name what comes before. Reading goes on after an error, so that
 * one run reports as many as possible; what follows from an earlier error is kept quiet. */
#include "engine/scene/scene.h"

#include <stdio.h>
#include <string.h>

#include "engine/scene/custom.h"
#include "engine/scene/options.h"

/* --------------------------------------------------------------------------------- field tables */

typedef struct scene_head {
    const char *name;
    sal_slot    gravity[SAL_AXES];
} scene_head;

static const sal_field head_fields[] = {
    { "name", SAL_F_TEXT, offsetof(scene_head, name), .standard = "", .help = "a title" },
    { "gravity", SAL_F_VECTOR, offsetof(scene_head, gravity), "m/s^2", "",
      "acceleration of gravity; [0, -9.81] when absent" },
};
const sal_table sal_scene_table = { head_fields, SAL_COUNT(head_fields) };

typedef struct point_fields {
    sal_slot at[SAL_AXES], velocity[SAL_AXES];
    bool     fixed, dof[SAL_AXES];
} point_fields;

static const sal_field fields_of_point[] = {
    { "at", SAL_F_VECTOR, offsetof(point_fields, at), "m", .timed = true,
      .help = "where it is: of a fixed point, which may move in time; of a free point, roughly where it starts" },
    { "fixed", SAL_F_BOOL, offsetof(point_fields, fixed), .standard = "false",
      .help = "whether it stays at its place" },
    { "dof", SAL_F_AXES, offsetof(point_fields, dof), .standard = "",
      .help =
          "coordinates kept as given when the mechanism is assembled and whose velocities events keep: both, x or y" },
    { "velocity", SAL_F_VECTOR, offsetof(point_fields, velocity), "m/s", "",
      "velocity at the start, roughly; zero when absent" },
};
const sal_table sal_point_table = { fields_of_point, SAL_COUNT(fields_of_point) };

typedef struct row_fields {
    sal_slot alpha;
    bool     active;
} row_fields;

static const sal_field fields_of_rows[] = {
    { "alpha", SAL_F_VALUE, offsetof(row_fields, alpha), .standard = "", .range = SAL_POSITIVE,
      .help = "penalty factor of its constraints in the penalty form; that of the simulation when absent" },
    { "active", SAL_F_BOOL, offsetof(row_fields, active), .standard = "true",
      .help = "whether its constraints hold at the start; events can hold and release them" },
};
const sal_table sal_row_table = { fields_of_rows, SAL_COUNT(fields_of_rows) };

#define SIM(member) offsetof(sal_simulation, member)
static const sal_field fields_of_simulation[] = {
    { "duration", SAL_F_VALUE, SIM(duration), "s", "10", "time simulated", SAL_POSITIVE },
    { "form", SAL_F_CHOICE, SIM(form), .standard = "index1", .help = "equations of motion; index3: by implicit steps",
      .words = sal_form_words },
    { "integrator", SAL_F_CHOICE, SIM(integrator), .standard = "auto",
      .help  = "Runge-Kutta pair of order 8 or 5; radau: implicit, for what is stiff; auto: rk8, and radau "
               "where something is stiff",
      .words = sal_integrator_words },
    { "rtol", SAL_F_VALUE, SIM(rtol), NULL, "1e-9", "relative tolerance of a step", SAL_POSITIVE },
    { "atol", SAL_F_VALUE, SIM(atol), NULL, "", "absolute tolerance of a step; as rtol when absent", SAL_POSITIVE },
    { "output", SAL_F_VALUE, SIM(output), "s", "0.01", "time between output lines; 0: at events only",
      SAL_NOT_NEGATIVE },
    { "max_step", SAL_F_VALUE, SIM(max_step), "s", "", "longest step; no limit when absent", SAL_POSITIVE },
    { "min_step", SAL_F_VALUE, SIM(min_step), "s", "",
      "shortest step before the run gives up; as rounding allows when absent", SAL_POSITIVE },
    { "stabilization", SAL_F_CHOICE, SIM(stabilization), .standard = "projection",
      .help = "how index1 removes the drift of constraints", .words = sal_stabilization_words },
    { "alpha", SAL_F_VALUE, SIM(alpha), NULL, "1e7", "penalty factor of the penalty form", SAL_POSITIVE },
    { "xi", SAL_F_VALUE, SIM(xi), NULL, "1", "damping ratio of constraint errors, penalty form and Baumgarte",
      SAL_NOT_NEGATIVE },
    { "omega", SAL_F_VALUE, SIM(omega), "rad/s", "10",
      "natural frequency of constraint errors, penalty form and Baumgarte", SAL_NOT_NEGATIVE },
};
const sal_table sal_simulation_table = { fields_of_simulation, SAL_COUNT(fields_of_simulation) };

/* Sections: how a scene is laid out, for reading and for the reference. */
const sal_scene_section sal_scene_sections[] = {
    { "parameters", "named values: \"name\": number or expression; or a function of time: { \"knots\": ... }" },
    { "ranges", "how far parameters go in saltus view: \"name\": [low, high]" },
    { "memory", "named values that events set: \"name\": number or expression, its value at the start" },
    { "points", "\"name\": { ... }" },
    { "types", "types of joints for this scene: \"name\": { ... }" },
    { "bodies", "\"name\": { \"type\": ..., ... }" },
    { "joints", "\"name\": { \"type\": ..., ... }; joints and force elements" },
    { "contacts", "\"name\": { \"type\": ..., ... }; contacts and events" },
    { "outputs", "further columns of the output: \"name\": expression, which costs can read by its name" },
    { "costs", "\"name\": { ... }; integrals and end values" },
    { "cycle", "what a periodic motion is: saltus cycle" },
    { "optimize", "what is least or largest, over what, subject to what: saltus optimize" },
    { "simulation", "how to run it" },
    { NULL, NULL },
};

/* ---------------------------------------------------------------------------------------- errors */

static void error_v(sal_scene *scene, int line, int column, const char *path, const char *format, va_list args)
{
    sal_add_error_v(scene->tables->context, scene->tables->file, line, column, path ? path : "", format, args);
    scene->failed = true;
}

void sal_scene_error(sal_scene *scene, const cJSON *node, const char *path, const char *format, ...)
{
    va_list args;
    int     line, column;

    sal_json_value_at(&scene->json, node, &line, &column);
    va_start(args, format);
    error_v(scene, line, column, path, format, args);
    va_end(args);
}

void sal_scene_key_error(sal_scene *scene, const cJSON *node, const char *path, const char *format, ...)
{
    va_list args;
    int     line, column;

    sal_json_key_at(&scene->json, node, &line, &column);
    va_start(args, format);
    error_v(scene, line, column, path, format, args);
    va_end(args);
}

void sal_scene_unknown(sal_scene *scene, const cJSON *node, const char *path, const char *what, const char *name,
                       const sal_names *known)
{
    sal_scene_error(scene, node, path, "unknown %s '%s'%s", what, name,
                    sal_did_you_mean(name, known->list.at, known->list.n).text);
}

sal_place sal_scene_place(const sal_scene *scene, const cJSON *node, const char *path)
{
    sal_place place = { .path = path };

    sal_json_value_at(&scene->json, node, &place.line, &place.column);
    return place;
}

/* ---------------------------------------------------------------------------------------- points */

sal_point sal_scene_new_point(sal_scene *scene, sal_basis basis)
{
    sal_basis *slot = SAL_PUSH(&scene->tables->pool, &scene->tables->bases);

    if (!slot) return (sal_point){ SAL_NONE };
    *slot = basis;
    return (sal_point){ scene->tables->bases.n - 1 };
}

static sal_basis basic_point(const sal_scene *scene, const sal_slot at[SAL_AXES])
{
    sal_basis basis = { .alpha = scene->tables->zero, .beta = scene->tables->zero };

    for (int axis = 0; axis < scene->tables->dimension; axis++) basis.i[axis] = basis.j[axis] = at[axis];
    return basis;
}

/* Coordinates come first in z: the free points are counted before anything else is read. */
static int count_free(const cJSON *points)
{
    const cJSON *member;
    int          count = 0;

    if (!cJSON_IsObject(points)) return 0; /* members of a list have no names */
    cJSON_ArrayForEach(member, points)
    {
        if (strcmp(member->string, "//") != 0 && !cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(member, "fixed")))
            count++;
    }
    return count;
}

static void load_point(sal_scene *scene, const cJSON *member, int *q)
{
    const char   *path  = sal_pool_format(&scene->tables->pool, "points.%s", member->string);
    point_fields  f     = { 0 };
    sal_point_def def   = { .velocity = { SAL_NONE, SAL_NONE }, .broken = true, .body = -1 }, *slot;
    const bool    named = sal_expect_name(scene, member, path);
    const int     axes  = scene->tables->dimension;
    sal_slot      at[SAL_AXES]; /* its coordinates in z */
    bool          marked = false, timed = false;

    if (!path) return;
    if (sal_expect_object(scene, member, path)) {
        sal_fields_check_keys(scene, member, path, &sal_point_table, 1);
        def.broken = !sal_fields_read(scene, member, path, sal_point_table, &f, -1);
    }
    def.name = sal_pool_copy(&scene->tables->pool, member->string, strlen(member->string));
    def.kind = f.fixed ? SAL_FIXED : SAL_FREE;
    memcpy(def.at, f.at, sizeof def.at);
    /* A free point has its coordinates even if it had errors: the scene counts them, and tables are indexed by them. */
    for (int axis = 0; axis < axes; axis++) {
        at[axis] = !f.fixed ? *q + axis : def.broken ? scene->tables->zero : f.at[axis];
        marked   = marked || f.dof[axis];
        timed    = timed || (!def.broken && scene->tables->timed.at[f.at[axis]]);
    }
    def.point = sal_scene_new_point(scene, basic_point(scene, at));
    if (!def.broken && f.fixed) {
        if (marked || f.velocity[0] != SAL_NONE) {
            sal_scene_error(scene, member, path,
                            "a fixed point has neither 'dof' nor 'velocity'; it moves if 'at' depends on t");
        }
    } else if (!def.broken) {
        memcpy(def.velocity, f.velocity, sizeof def.velocity);
        memcpy(def.dof, f.dof, sizeof def.dof);
        if (timed) {
            sal_scene_error(scene, member, path, "'at' depends on t; expected a constant, or \"fixed\": true");
            def.broken = true;
        }
    }
    if (def.kind == SAL_FREE) *q += axes;
    if (!named) def.broken = true; /* but known, so that what uses it is not blamed as well */
    if (!def.name || def.point.index == SAL_NONE) return;
    sal_names_add(&scene->tables->pool, &scene->tables->point_names, def.name, NULL);
    slot = SAL_PUSH(&scene->tables->pool, &scene->tables->points);
    if (slot) *slot = def;
}

static void load_points(sal_scene *scene, const cJSON *object)
{
    const cJSON *member;
    int          q = 0;

    if (!sal_expect_object(scene, object, "points")) return;
    cJSON_ArrayForEach(member, object)
    {
        if (strcmp(member->string, "//") != 0 && !scene->tables->pool.failed) load_point(scene, member, &q);
    }
}

/* -------------------------------------------------------------------------------------- elements */

static const char *list_types(sal_scene *scene, const sal_registry *registry, sal_section section)
{
    const char *list = "";

    for (int k = 0; k < registry->n[section] && list; k++) {
        list = sal_pool_format(&scene->tables->pool, "%s%s%s", list, k ? ", " : "", registry->type[section][k]->name);
    }
    return list ? list : "";
}

static const sal_type *find_type(sal_scene *scene, sal_section section, const cJSON *member, const char *path)
{
    const sal_registry *registry = sal_context_registry(scene->tables->context);
    const cJSON        *node     = cJSON_GetObjectItemCaseSensitive(member, "type");
    const sal_type     *type;
    sal_names           known = { 0 };

    for (int k = 0; k < registry->n[section]; k++)
        sal_names_add(&scene->tables->pool, &known, registry->type[section][k]->name, NULL);
    for (int k = 0; k < scene->types.n && section == SAL_JOINTS; k++)
        sal_names_add(&scene->tables->pool, &known, scene->types.at[k]->name, NULL);
    if (!node) {
        sal_scene_error(scene, member, path, "missing key 'type': one of %s", list_types(scene, registry, section));
        return NULL;
    }
    path = sal_pool_format(&scene->tables->pool, "%s.type", path);
    if (!cJSON_IsString(node)) {
        sal_scene_error(scene, node, path, "expected the name of a type, found %s", sal_found(node));
        return NULL;
    }
    type = sal_registry_find(registry, section, node->valuestring);
    for (int k = 0; k < scene->types.n && section == SAL_JOINTS && !type; k++) {
        if (!strcmp(scene->types.at[k]->name, node->valuestring)) type = scene->types.at[k];
    }
    if (type) return type;
    if (section == SAL_JOINTS && cJSON_GetObjectItemCaseSensitive(
                                     cJSON_GetObjectItemCaseSensitive(scene->json.root, "types"), node->valuestring))
        return NULL; /* its definition had errors */
    if (section == SAL_JOINTS && sal_scene_refused(scene, "types")) return NULL;
    for (sal_section s = SAL_BODIES; s < SAL_SECTIONS; s++) {
        if (!sal_registry_find(registry, s, node->valuestring)) continue;
        sal_scene_error(scene, node, path, "'%s' belongs to '%s'", node->valuestring, sal_section_name(s));
        return NULL;
    }
    if (sal_nearest(node->valuestring, known.list.at, known.list.n)) {
        sal_scene_unknown(scene, node, path, "type", node->valuestring, &known);
    } else {
        sal_scene_error(scene, node, path, "unknown type '%s'; known here: %s", node->valuestring,
                        list_types(scene, registry, section));
    }
    return NULL;
}

static const sal_field type_field[]    = { { "type", SAL_F_TEXT, 0 } };
static const sal_field markers_field[] = { { "markers", SAL_F_MARKERS, .standard = "" } };

static void load_element(sal_scene *scene, sal_section section, const cJSON *member)
{
    const char     *path = sal_pool_format(&scene->tables->pool, "%s.%s", sal_section_name(section), member->string);
    sal_element    *e;
    row_fields      row = { .alpha = SAL_NONE, .active = true };
    void           *self;
    const sal_type *type;
    const int       index = scene->tables->elements.n;
    bool            named, good, known;

    if (!path) return;
    named = sal_expect_name(scene, member, path);
    e     = SAL_PUSH(&scene->tables->pool, &scene->tables->elements);
    if (!e) return;
    *e = (sal_element){ .name    = sal_pool_copy(&scene->tables->pool, member->string, strlen(member->string)),
                        .section = section,
                        .place   = sal_scene_place(scene, member, path),
                        .alpha   = SAL_NONE,
                        .broken  = true };
    if (!e->name) return;
    for (sal_section s = SAL_BODIES; s < section; s++) { /* one name, one thing: rows and events are known by it */
        if (sal_names_find(&scene->tables->element_names[s], e->name) >= 0) {
            sal_scene_key_error(scene, member, path, "'%s' is a name in '%s' already", e->name, sal_section_name(s));
        }
    }
    sal_names_add(&scene->tables->pool, &scene->tables->element_names[section], e->name, &known);
    if (!sal_expect_object(scene, member, path)) {
        if (section == SAL_BODIES) scene->markers_lost = true;
        return;
    }
    type = find_type(scene, section, member, path);
    if (!type) { /* its markers are known all the same */
        if (section == SAL_BODIES) sal_fields_read(scene, member, path, SAL_TABLE(markers_field), &row, index);
        return;
    }
    e->type                  = type->name;
    const sal_table own      = { type->fields, type->nfields };
    const sal_table tables[] = { SAL_TABLE(type_field), own, sal_row_table };
    self                     = sal_pool_alloc(&scene->tables->pool, type->size);
    if (!self) return;
    sal_fields_check_keys(scene, member, path, tables, type->rows ? 3 : 2);
    good = !type->rows || sal_fields_read(scene, member, path, sal_row_table, &row, index);
    good = sal_fields_read(scene, member, path, own, self, index) && good;
    scene->tables->elements.at[index].alpha = row.alpha;
    scene->tables->elements.at[index].idle  = !row.active;
    if (good && named) sal_element_emit(scene, index, member, type, self);
}

static void load_elements(sal_scene *scene, sal_section section, const cJSON *object)
{
    const cJSON *member;

    if (!sal_expect_object(scene, object, sal_section_name(section))) return;
    cJSON_ArrayForEach(member, object)
    {
        if (strcmp(member->string, "//") != 0 && !scene->tables->pool.failed) load_element(scene, section, member);
    }
}

bool sal_scene_refused(const sal_scene *scene, const char *section)
{
    const cJSON *node = scene ? cJSON_GetObjectItemCaseSensitive(scene->json.root, section) : NULL;

    return node && !cJSON_IsObject(node);
}

bool sal_scene_lost(const sal_scene *scene, sal_section first, sal_section last, const char *name)
{
    for (sal_section s = first; s <= last; s++) {
        if (sal_scene_refused(scene, sal_section_name(s))) return true;
    }
    for (int k = 0; scene && k < scene->tables->elements.n; k++) {
        const sal_element *e      = &scene->tables->elements.at[k];
        const size_t       length = strlen(e->name);
        if (!e->broken || k == scene->emitting || e->section < first || e->section > last) continue;
        if (!strncmp(e->name, name, length) && (name[length] == '.' || name[length] == '\0')) return true;
    }
    return false;
}

bool sal_scene_lost_point(const sal_scene *scene)
{
    return scene && (scene->markers_lost || sal_scene_refused(scene, sal_section_name(SAL_BODIES)));
}

/* ---------------------------------------------------------------------------------------- outputs */

static void load_outputs(sal_scene *scene, const cJSON *object)
{
    const cJSON *member;

    if (!sal_expect_object(scene, object, "outputs")) return;
    cJSON_ArrayForEach(member, object)
    {
        const char *path   = sal_pool_format(&scene->tables->pool, "outputs.%s", member->string);
        sal_output  output = { .name = sal_pool_copy(&scene->tables->pool, member->string, strlen(member->string)) },
                   *slot;
        if (!path || !output.name || !strcmp(member->string, "//") || !sal_expect_name(scene, member, path)) continue;
        if (!strcmp(output.name, "t") || !strcmp(output.name, "segment") || !strcmp(output.name, "energy")) {
            sal_scene_key_error(scene, member, path, "'%s' is a column of the output already; choose another name",
                                output.name);
        } else if (!cJSON_IsString(member)) {
            sal_scene_error(scene, member, path, "expected an expression, found %s", sal_found(member));
        } else if (!sal_scene_formula(scene, (sal_text){ member->valuestring, member }, path, NULL, &output.program)) {
            output.program.n = 0; /* what reads it has nothing to say about it */
        }
        slot = SAL_PUSH(&scene->tables->pool, &scene->tables->outputs);
        if (slot) *slot = output;
    }
}

/* ------------------------------------------------------------------------------------------ load */

static const sal_field layout_fields[] = {
    /* keys of the document besides head_fields; read by the functions above */
    { "saltus", SAL_F_VALUE, 0 },     { "$schema", SAL_F_TEXT, 0 }, { "parameters", SAL_F_VALUE, 0 },
    { "types", SAL_F_VALUE, 0 },      { "memory", SAL_F_VALUE, 0 }, { "points", SAL_F_VALUE, 0 },
    { "bodies", SAL_F_VALUE, 0 },     { "joints", SAL_F_VALUE, 0 }, { "contacts", SAL_F_VALUE, 0 },
    { "outputs", SAL_F_VALUE, 0 },    { "costs", SAL_F_VALUE, 0 },  { "cycle", SAL_F_VALUE, 0 },
    { "simulation", SAL_F_VALUE, 0 }, { "ranges", SAL_F_VALUE, 0 }, { "optimize", SAL_F_VALUE, 0 },
};

static void check_version(sal_scene *scene, const cJSON *root)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(root, "saltus");

    if (!node) {
        sal_scene_error(scene, root, "", "missing key 'saltus': the version of the format, 1");
    } else if (!cJSON_IsNumber(node) || node->valuedouble != 1.0) {
        sal_scene_error(scene, node, "saltus", "expected 1, the version of the format, found %s",
                        cJSON_IsNumber(node) ? sal_pool_format(&scene->tables->pool, "%.17g", node->valuedouble)
                                             : sal_found(node));
    }
}

/* What names points. Without a list of points all of it would be unknown: there is nothing to learn from that. */
static void load_users(sal_scene *scene, const cJSON *root)
{
    const cJSON *section;

    for (sal_section s = SAL_BODIES; s < SAL_SECTIONS && !scene->tables->pool.failed; s++) {
        section = cJSON_GetObjectItemCaseSensitive(root, sal_section_name(s));
        if (section && s == SAL_CONTACTS) sal_scene_find_switched(scene, section);
        if (section) load_elements(scene, s, section);
    }
    if (scene->tables->pool.failed) return;
    sal_scene_resolve_later(scene);
    sal_scene_resolve_switched(scene);
    section = cJSON_GetObjectItemCaseSensitive(root, "outputs");
    if (section && !scene->tables->pool.failed) load_outputs(scene, section);
    section = cJSON_GetObjectItemCaseSensitive(root, "costs");
    if (section && !scene->tables->pool.failed) sal_scene_load_costs(scene, section);
    section = cJSON_GetObjectItemCaseSensitive(root, "cycle");
    if (section && !scene->tables->pool.failed) sal_scene_load_cycle(scene, section);
    section = cJSON_GetObjectItemCaseSensitive(root, "optimize");
    if (section && !scene->tables->pool.failed) sal_scene_load_optimize(scene, section);
}

static void load_document(sal_scene *scene)
{
    const cJSON    *root = scene->json.root, *empty = NULL;
    const sal_table tables[] = { SAL_TABLE(layout_fields), sal_scene_table };
    scene_head      head     = { 0 };
    const cJSON    *points, *section;

    if (!sal_expect_object(scene, root, "")) return;
    sal_fields_check_keys(scene, root, "", tables, SAL_COUNT(tables));
    check_version(scene, root);

    points           = cJSON_GetObjectItemCaseSensitive(root, "points");
    scene->tables->n = scene->tables->dimension * count_free(points);
    for (int k = 0; k < scene->tables->n; k++) sal_scene_new_slot(scene);
    scene->tables->zero = sal_scene_new_slot(scene);
    scene->tables->one  = sal_scene_new_slot(scene);
    scene->tables->time = sal_scene_new_slot(scene);
    if (scene->tables->pool.failed) return;
    scene->tables->timed.at[scene->tables->time] = true;

    if ((section = cJSON_GetObjectItemCaseSensitive(root, "parameters"))) sal_scene_load_parameters(scene, section);
    if (scene->tables->pool.failed) return;
    if ((section = cJSON_GetObjectItemCaseSensitive(root, "ranges"))) sal_scene_check_ranges(scene, section);
    sal_fields_read(scene, root, "", sal_scene_table, &head, -1);
    scene->tables->name = head.name ? head.name : "";
    for (int k = 0; k < scene->tables->dimension; k++) {
        bool given = cJSON_GetObjectItemCaseSensitive(root, "gravity") != NULL;
        scene->tables->gravity[k] =
            given ? head.gravity[k] : sal_scene_value_text(scene, k ? "-9.81" : "0", "gravity", SAL_ANY);
    }
    if ((section = cJSON_GetObjectItemCaseSensitive(root, "memory"))) sal_scene_load_memory(scene, section);
    if (scene->tables->pool.failed) return;
    if ((section = cJSON_GetObjectItemCaseSensitive(root, "types"))) sal_custom_load(scene, section);
    if (scene->tables->pool.failed) return;
    if (points) load_points(scene, points);
    else sal_scene_error(scene, root, "", "missing key 'points': a mechanism has at least one");
    if (points && scene->tables->n == 0 && !scene->failed)
        sal_scene_error(scene, points, "points",
                        scene->tables->points.n ? "all points are fixed: nothing can move"
                                                : "expected at least one point, found none");
    if (cJSON_IsObject(points)) load_users(scene, root);
    if (scene->tables->pool.failed) return;
    section = cJSON_GetObjectItemCaseSensitive(root, "simulation");
    if (!section || sal_expect_object(scene, section, "simulation")) {
        sal_fields_check_keys(scene, section, "simulation", &sal_simulation_table, 1);
        sal_fields_read(scene, section ? section : empty, "simulation", sal_simulation_table,
                        &scene->tables->simulation, -1);
    }
}

static sal_status scene_create(sal_context *context, const char *file, sal_scene **scene)
{
    sal_tables *tables = sal_tables_create(context, file);

    sal_clear_errors(context);
    *scene = tables ? SAL_NEW(&tables->pool, sal_scene, 1) : NULL;
    if (!*scene) {
        sal_tables_release(&tables);
        return sal_out_of_memory(context);
    }
    (*scene)->tables   = tables;
    (*scene)->emitting = -1;
    return SAL_OK;
}

/* Turns the document into tables; takes the scene down when it has errors. */
static sal_status scene_finish(sal_scene **scene, sal_status status)
{
    sal_scene   *s       = *scene;
    sal_context *context = s->tables->context;

    if (status == SAL_OK) load_document(s);
    sal_json_free(&s->json);
    if (status == SAL_ERR_MEMORY || s->tables->pool.failed) status = sal_out_of_memory(context);
    else if (s->failed) status = SAL_ERR_SCENE;
    if (status == SAL_OK) {
        sal_tables_find_sides(s->tables);
        if (s->tables->pool.failed) status = sal_out_of_memory(context);
    }
    if (status != SAL_OK) sal_scene_destroy(scene);
    return status;
}

sal_status sal_scene_load(sal_context *context, const char *file, sal_scene **scene)
{
    sal_status status = scene_create(context, file, scene);

    if (!*scene) return status;
    if (status == SAL_OK) status = sal_json_load(&(*scene)->tables->pool, file, &(*scene)->json);
    return scene_finish(scene, status);
}

sal_status sal_scene_parse(sal_context *context, const char *name, const char *text, size_t size, sal_scene **scene)
{
    sal_status status = scene_create(context, name, scene);

    if (!*scene) return status;
    if (status == SAL_OK)
        status = sal_json_parse(&(*scene)->tables->pool, (*scene)->tables->file, text, size, &(*scene)->json);
    return scene_finish(scene, status);
}

void sal_scene_destroy(sal_scene **scene)
{
    sal_scene *s = *scene;

    *scene = NULL;
    if (!s) return;
    sal_tables *tables = s->tables; /* the scene itself lies in their pool */
    sal_tables_release(&tables);
}
