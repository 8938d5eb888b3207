/* cycle_section.c - the section "cycle" of a scene: which event closes a cycle, who takes whose role, what comes back
 * to
 * its place. */
#include <string.h>

#include "engine/scene/fields.h"

typedef struct cycle_fields {
    const char *section, *origin;
    sal_texts   exchange;
} cycle_fields;

static const sal_field fields_of_cycle[] = {
    { "section", SAL_F_TEXT, offsetof(cycle_fields, section), .standard = "",
      .help = "event with which a cycle closes: the return map goes from the start to just after it" },
    { "exchange", SAL_F_NAMES, offsetof(cycle_fields, exchange), .standard = "",
      .help = "points that take the role of others after it: { \"F1\": \"F2\", \"F2\": \"F1\" }" },
    { "origin", SAL_F_TEXT, offsetof(cycle_fields, origin), .standard = "",
      .help = "point that is then brought back to where it started, everything with it; nothing moves when absent" },
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

/* Who takes whose role; those not named stay themselves. A point that takes a role gives up its own; a marker has none
 * to give up. */
static void load_exchange(sal_scene *scene, sal_texts exchange)
{
    const int  axes  = scene->tables->dimension;
    sal_point *role  = SAL_NEW(&scene->tables->pool, sal_point, scene->tables->n / axes);
    int       *taken = SAL_NEW(&scene->tables->pool, int, scene->tables->points.n);
    bool      *named = SAL_NEW(&scene->tables->pool, bool, scene->tables->points.n);

    if (!role || !taken || !named) return;
    for (int k = 0; k < scene->tables->points.n; k++) {
        const sal_point_def *def = &scene->tables->points.at[k];
        if (def->kind == SAL_FREE) role[sal_basis_of(scene->tables, def->point)->i[0] / axes] = def->point;
    }
    for (int k = 0; k < exchange.n; k++) {
        const cJSON         *node = exchange.key[k].place;
        const char          *path = sal_pool_format(&scene->tables->pool, "cycle.exchange.%s", exchange.key[k].text);
        const sal_point_def *to   = cycle_point(scene, node, true, false, path, exchange.key[k].text),
                            *from = cycle_point(scene, node, false, true, path, exchange.value[k].text);
        int *other;
        if (!to || !from) return;
        other = &taken[from - scene->tables->points.at];
        if (*other) {
            sal_scene_error(scene, node, path, "'%s' takes the role of '%s' already", exchange.value[k].text,
                            exchange.key[*other - 1].text);
            return;
        }
        *other = k + 1;

        named[to - scene->tables->points.at]                      = true;
        role[sal_basis_of(scene->tables, to->point)->i[0] / axes] = from->point;
    }
    for (int k = 0; k < exchange.n; k++) {
        const char          *name = exchange.value[k].text;
        const sal_point_def *from = sal_tables_point(scene->tables, name);
        if (from->kind == SAL_MARKER || named[from - scene->tables->points.at]) continue;
        sal_scene_error(scene, exchange.key[k].place,
                        sal_pool_format(&scene->tables->pool, "cycle.exchange.%s", exchange.key[k].text),
                        "'%s' takes the role of '%s' and keeps its own: nobody is named for that", name,
                        exchange.key[k].text);
        return;
    }
    scene->tables->cycle.role = role;
}

void sal_scene_load_cycle(sal_scene *scene, const cJSON *object)
{
    cycle_fields f = { 0 };

    if (!sal_expect_object(scene, object, "cycle")) return;
    sal_fields_check_keys(scene, object, "cycle", &sal_cycle_table, 1);
    if (!sal_fields_read(scene, object, "cycle", sal_cycle_table, &f, -1)) return;
    if (f.exchange.n) load_exchange(scene, f.exchange);
    if (f.origin) {
        const sal_point_def *def = cycle_point(scene, cJSON_GetObjectItemCaseSensitive(object, "origin"), false, false,
                                               "cycle.origin", f.origin);
        scene->tables->cycle.origin = def ? sal_basis_of(scene->tables, def->point)->i[0] : -1;
    }
    if (f.section) {
        sal_names known = { 0 };
        for (int e = 0; e < scene->tables->events.n; e++) {
            if (!strcmp(scene->tables->events.at[e].name, f.section)) scene->tables->cycle.section = e;
            sal_names_add(&scene->tables->pool, &known, scene->tables->events.at[e].name, NULL);
        }
        if (scene->tables->cycle.section < 0 && !sal_scene_lost(scene, SAL_BODIES, SAL_CONTACTS, f.section))
            sal_scene_unknown(scene, cJSON_GetObjectItemCaseSensitive(object, "section"), "cycle.section", "event",
                              f.section, &known);
    }
}
