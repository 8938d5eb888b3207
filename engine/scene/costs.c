/* costs.c - the costs of a scene: what each is a sum of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/scene/fields.h"

typedef struct cost_fields {
    sal_text  running, average, terminal, peak, value;
    sal_texts events, at;
} cost_fields;

static const sal_field fields_of_cost[] = {
    { "running", SAL_F_FORMULA, offsetof(cost_fields, running), .standard = "", .help = "integrated over the run" },
    { "terminal", SAL_F_FORMULA, offsetof(cost_fields, terminal), .standard = "",
      .help = "added at the end of the run" },
    { "events", SAL_F_FORMULAS, offsetof(cost_fields, events), .standard = "",
      .help = "added each time an event happens, from the state just before it: { \"event\": expression }; or at one "
              "occurrence of it, \"event(9)\", without which the cost is no number" },
    { "peak", SAL_F_FORMULA, offsetof(cost_fields, peak), .standard = "",
      .help = "whose largest value in the run is added" },
    { "average", SAL_F_FORMULA, offsetof(cost_fields, average), .standard = "",
      .help = "integrated over the run and divided by how long that takes; in place of 'running'" },
    { "value", SAL_F_FORMULA, offsetof(cost_fields, value), .standard = "", .help = "added at each of the times 'at'" },
    { "at", SAL_F_TEXTS, offsetof(cost_fields, at), .standard = "",
      .help = "times [s], expressions of parameters; a cost whose times the run does not reach is no number" },
};
const sal_table sal_cost_table = { fields_of_cost, SAL_COUNT(fields_of_cost) };

/* "floor(9)": the name of the event, cut off behind it, and which time; 0: each time. -1: that is no count. */
static int read_occurrence(char *name)
{
    char *open = strchr(name, '('), *end;
    long  count;

    if (!open) return 0;
    count = strtol(open + 1, &end, 10);
    *open = '\0';
    return end > open + 1 && !strcmp(end, ")") && count >= 1 && count <= 1000000 ? (int)count : -1;
}

/* "events": which event adds what. */
static void load_event_costs(sal_scene *scene, int cost, sal_texts events, const char *path)
{
    for (int k = 0; k < events.n && !scene->tables->pool.failed; k++) {
        const char    *key   = events.key[k].text;
        const char    *place = sal_pool_format(&scene->tables->pool, "%s.events.%s", path, key);
        char          *name  = sal_pool_copy(&scene->tables->pool, key, strlen(key));
        sal_event_cost item  = { .cost = cost, .event = -1 }, *slot;
        if (!place || !name || scene->tables->pool.failed) return;
        item.occurrence = read_occurrence(name);
        if (item.occurrence < 0) {
            sal_scene_key_error(scene, events.key[k].place, place, "expected \"%s(K)\", K = 1 or more, found '%s'",
                                name, key);
            continue;
        }
        item.event = sal_tables_find_event(scene->tables, name);
        if (item.event < 0 && sal_scene_lost(scene, SAL_BODIES, SAL_CONTACTS, name)) continue;
        if (item.event < 0) {
            sal_scene_unknown(scene, events.key[k].place, place, "event", name, &scene->tables->event_names);
        } else if (sal_scene_formula(scene, events.value[k], place, NULL, &item.program)) {
            slot = SAL_PUSH(&scene->tables->pool, &scene->tables->event_costs);
            if (slot) *slot = item;
        }
    }
}

/* "at": when the value is added. */
static void load_times(sal_scene *scene, int cost, const cost_fields *f, const cJSON *member, const char *path)
{
    if (!f->at.n != !f->value.text)
        sal_scene_error(scene, member, path, "%s",
                        f->at.n ? "expected a 'value' with 'at'" : "expected the times 'at' with 'value'");
    for (int k = 0; k < f->at.n && !scene->tables->pool.failed; k++) {
        const sal_slot time =
            sal_scene_value(scene, f->at.value[k].place, sal_pool_format(&scene->tables->pool, "%s.at[%d]", path, k),
                            SAL_NOT_NEGATIVE, false);
        sal_cost_time *slot = time == SAL_NONE ? NULL : SAL_PUSH(&scene->tables->pool, &scene->tables->cost_times);
        if (slot) *slot = (sal_cost_time){ cost, time };
    }
}

/* Whether there is anything in it, and no contradiction. */
static bool check_parts(sal_scene *scene, const cost_fields *f, const cJSON *member, const char *path, bool clean)
{
    const bool any = f->running.text || f->average.text || f->terminal.text || f->peak.text || f->value.text ||
                     f->at.n || f->events.n;

    if (!any && clean) /* else a key was misspelt */
        sal_scene_error(scene, member, path,
                        "expected 'running', 'average', 'terminal', 'events', 'peak' or 'value' with 'at', found none");
    if (f->running.text && f->average.text)
        sal_scene_error(scene, member, path, "expected either 'running' or 'average'; another cost can have the other");
    return any && !(f->running.text && f->average.text);
}

static bool load_part(sal_scene *scene, sal_text text, const char *path, const char *key, sal_program *program)
{
    return !text.text ||
           sal_scene_formula(scene, text, sal_pool_format(&scene->tables->pool, "%s.%s", path, key), NULL, program);
}

static void load_cost(sal_scene *scene, const cJSON *member)
{
    const char *path   = sal_pool_format(&scene->tables->pool, "costs.%s", member->string);
    sal_cost    cost   = { .name = sal_pool_copy(&scene->tables->pool, member->string, strlen(member->string)) }, *slot;
    cost_fields f      = { 0 };
    const int   errors = sal_error_count(scene->tables->context);
    bool        good;

    if (!path || !cost.name || !strcmp(member->string, "//") || !sal_expect_name(scene, member, path)) return;
    if (!sal_expect_object(scene, member, path)) return;
    sal_fields_check_keys(scene, member, path, &sal_cost_table, 1);
    good = sal_fields_read(scene, member, path, sal_cost_table, &f, -1);
    good = good && check_parts(scene, &f, member, path, errors == sal_error_count(scene->tables->context));
    if (!good) return;
    cost.average = f.average.text != NULL;
    good         = load_part(scene, f.running, path, "running", &cost.running);
    good         = load_part(scene, f.average, path, "average", &cost.running) && good;
    good         = load_part(scene, f.terminal, path, "terminal", &cost.terminal) && good;
    good         = load_part(scene, f.peak, path, "peak", &cost.peak) && good;
    good         = load_part(scene, f.value, path, "value", &cost.value) && good;
    if (!good) return;
    load_event_costs(scene, scene->tables->costs.n, f.events, path);
    load_times(scene, scene->tables->costs.n, &f, member, path);
    slot = SAL_PUSH(&scene->tables->pool, &scene->tables->costs);
    if (slot) *slot = cost;
}

void sal_scene_load_costs(sal_scene *scene, const cJSON *object)
{
    const cJSON *member;

    if (!sal_expect_object(scene, object, "costs")) return;
    cJSON_ArrayForEach(member, object) load_cost(scene, member);
}
