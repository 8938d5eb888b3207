/* cycle_section.c - the section "cycle" of a scene: which event closes a cycle, or after which time it closes, who
 * takes whose role, what comes back to its place. */
#include <string.h>

#include "engine/scene/fields.h"

typedef struct cycle_fields {
    const char *section;
    sal_slot    period;
    sal_text    origin[SAL_AXES];
    sal_texts   exchange;
} cycle_fields;

static const sal_field fields_of_cycle[] = {
    { "section", SAL_F_TEXT, offsetof(cycle_fields, section), .standard = "",
      .help = "event with which a cycle closes: the return map goes from the start to just after it" },
    { "period", SAL_F_VALUE, offsetof(cycle_fields, period), .unit = "s", .standard = "", .range = SAL_POSITIVE,
      .help = "of a motion that a clock drives: it closes after this time, and no event is needed" },
    { "exchange", SAL_F_NAMES, offsetof(cycle_fields, exchange), .standard = "",
      .help = "points, or memory, that take the role of others after it: { \"F1\": \"F2\", \"F2\": \"F1\" }" },
    { "origin", SAL_F_BY_AXIS, offsetof(cycle_fields, origin), .standard = "",
      .help =
          "point that is then brought back to where it started along an axis, everything with it: { \"x\": \"F1\" }; "
          "along both by its name alone" },
};
const sal_table sal_cycle_table = { fields_of_cycle, SAL_COUNT(fields_of_cycle) };

/* A point that can move; NULL after an error. */
static const sal_point_def *cycle_point(sal_scene *scene, const cJSON *node, bool key, bool marker, const char *path,
                                        const char *name)
{
    const sal_point_def *def   = sal_tables_point(scene->tables, name);
    const sal_names     *known = &scene->tables->point_names;

    if (!path) return NULL;
    if (!def && sal_scene_lost_point(scene)) return NULL;
    if (!def) {
        (key ? sal_scene_key_error : sal_scene_error)(scene, node, path, "unknown point '%s'%s", name,
                                                      sal_did_you_mean(name, known->list.at, known->list.n).text);
    } else if (def->kind != SAL_FREE && !(marker && def->kind == SAL_MARKER)) {
        (key ? sal_scene_key_error : sal_scene_error)(scene, node, path, "expected a free point, found the %s '%s'",
                                                      def->kind == SAL_FIXED ? "fixed point" : "marker", name);
        return NULL;
    }
    return def && !def->broken ? def : NULL;
}

/* A name of memory that takes another's role, or gives up its own; -1: it is none. */
static int cycle_memory(const sal_scene *scene, const char *name)
{
    if (sal_tables_point(scene->tables, name)) return -1;
    return sal_names_find(&scene->tables->memory_names, name);
}

/* One pair of names; false after an error. named, taken [points, then memory]: what has a new owner of its role, and
 * who has taken one (+ 1). */
static bool exchange_pair(sal_scene *scene, sal_texts exchange, int k, sal_point *role, int *memory, bool *named,
                          int *taken)
{
    const sal_tables    *tables = scene->tables;
    const int            axes = tables->dimension, points = tables->points.n;
    const cJSON         *node      = exchange.key[k].place;
    const char          *path      = sal_pool_format(&scene->tables->pool, "cycle.exchange.%s", exchange.key[k].text);
    const int            to_memory = cycle_memory(scene, exchange.key[k].text);
    const sal_point_def *to, *from;
    int                  giver, taker;

    if (!path) return false;
    if (to_memory >= 0) {
        const int from_memory = cycle_memory(scene, exchange.value[k].text);
        if (from_memory < 0) {
            sal_scene_error(
                scene, node, path, "'%s' is memory; expected a name in 'memory', found '%s'%s", exchange.key[k].text,
                exchange.value[k].text,
                sal_did_you_mean(exchange.value[k].text, tables->memory_names.list.at, tables->memory_names.list.n)
                    .text);
            return false;
        }
        giver             = points + to_memory;
        taker             = points + from_memory;
        memory[to_memory] = from_memory;
    } else {
        to   = cycle_point(scene, node, true, false, path, exchange.key[k].text);
        from = cycle_point(scene, node, false, true, path, exchange.value[k].text);
        if (!to || !from) return false;
        giver                                              = (int)(to - tables->points.at);
        taker                                              = (int)(from - tables->points.at);
        role[sal_basis_of(tables, to->point)->i[0] / axes] = from->point;
    }
    if (taken[taker]) {
        sal_scene_error(scene, node, path, "'%s' takes the role of '%s' already", exchange.value[k].text,
                        exchange.key[taken[taker] - 1].text);
        return false;
    }
    taken[taker] = k + 1;
    named[giver] = true;
    return true;
}

/* Who takes whose role; those not named stay themselves. What takes a role gives up its own; a marker has none to give
 * up. */
static void load_exchange(sal_scene *scene, sal_texts exchange)
{
    sal_tables *tables = scene->tables;
    const int   axes = tables->dimension, points = tables->points.n, all = points + tables->memory.n;
    sal_point  *role   = SAL_NEW(&tables->pool, sal_point, tables->n / axes);
    int        *memory = SAL_NEW(&tables->pool, int, tables->memory.n), *taken = SAL_NEW(&tables->pool, int, all);
    bool       *named = SAL_NEW(&tables->pool, bool, all);

    if (!role || !memory || !taken || !named) return;
    for (int k = 0; k < points; k++) {
        const sal_point_def *def = &tables->points.at[k];
        if (def->kind == SAL_FREE) role[sal_basis_of(tables, def->point)->i[0] / axes] = def->point;
    }
    for (int k = 0; k < tables->memory.n; k++) memory[k] = k;
    for (int k = 0; k < exchange.n; k++) {
        if (!exchange_pair(scene, exchange, k, role, memory, named, taken)) return;
    }
    for (int k = 0; k < all; k++) {
        const int pair = taken[k] - 1;
        if (pair < 0 || named[k] || (k < points && tables->points.at[k].kind == SAL_MARKER)) continue;
        sal_scene_error(scene, exchange.key[pair].place,
                        sal_pool_format(&tables->pool, "cycle.exchange.%s", exchange.key[pair].text),
                        "'%s' takes the role of '%s' and keeps its own: nobody is named for that",
                        exchange.value[pair].text, exchange.key[pair].text);
        return;
    }
    tables->cycle.role   = role;
    tables->cycle.memory = memory;
}

static void load_origin(sal_scene *scene, const cJSON *node, const sal_text *origin)
{
    sal_tables *tables = scene->tables;

    if (!node) return;
    for (int axis = 0; axis < tables->dimension; axis++) {
        const sal_point_def *def;
        if (!origin[axis].text) continue;
        def = cycle_point(scene, origin[axis].place, false, false, "cycle.origin", origin[axis].text);
        if (!def) return;
        tables->cycle.origin[axis] = sal_basis_of(tables, def->point)->i[axis];
    }
    tables->cycle.origin_place = sal_scene_place(scene, node, "cycle.origin");
}

static void load_period(sal_scene *scene, const cJSON *object, const cycle_fields *f)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, "period");

    if (f->section)
        sal_scene_error(scene, node, "cycle.period", "a cycle closes with a section or after a period, not with both");
    else if (scene->tables->kept.at[f->period])
        sal_scene_error(scene, node, "cycle.period", "the period depends on memory; expected a constant");
    scene->tables->cycle.period       = f->period;
    scene->tables->cycle.period_place = sal_scene_place(scene, node, "cycle.period");
}

void sal_scene_load_cycle(sal_scene *scene, const cJSON *object)
{
    cycle_fields f = { .period = SAL_NONE };

    if (!sal_expect_object(scene, object, "cycle")) return;
    sal_fields_check_keys(scene, object, "cycle", &sal_cycle_table, 1);
    if (!sal_fields_read(scene, object, "cycle", sal_cycle_table, &f, -1)) return;
    if (f.exchange.n) load_exchange(scene, f.exchange);
    load_origin(scene, cJSON_GetObjectItemCaseSensitive(object, "origin"), f.origin);
    if (f.period != SAL_NONE) load_period(scene, object, &f);
    if (f.section) {
        scene->tables->cycle.section = sal_tables_find_event(scene->tables, f.section);
        if (scene->tables->cycle.section < 0 && !sal_scene_lost(scene, SAL_BODIES, SAL_CONTACTS, f.section))
            sal_scene_unknown(scene, cJSON_GetObjectItemCaseSensitive(object, "section"), "cycle.section", "event",
                              f.section, &scene->tables->event_names);
    }
}
