/* switched.c - contacts that events open and close.
 *
 * A contact that some event names in `open`, `close` or `open_after`, or that is not `active` at first, has a number
 * that is 1 while it is on and 0 while it is off: memory like any other that events set, so that it is part of what is
 * saved, of starts and of cycles. Expressions read it as active(NAME). Contacts that nobody switches have none.
 *
 * Whether a contact is switched must be known when it is emitted, so the document is looked through for names first.
 * They are resolved when all contacts are there: "floor" means all contacts of the element, "floor.A" one. */
#include <string.h>

#include "engine/scene/builder.h"

static const char *const keys[] = { "open", "close", "open_after" }; /* in the order of sal_switching_kind */

/* ------------------------------------------------------------------------------------------ which */

static void note_names(sal_scene *scene, const cJSON *actions)
{
    for (int k = 0; k < SAL_COUNT(keys); k++) {
        const cJSON *node = cJSON_GetObjectItemCaseSensitive(actions, keys[k]);
        for (const cJSON *item = cJSON_IsArray(node) ? node->child : node; item;
             item              = cJSON_IsArray(node) ? item->next : NULL) {
            if (!cJSON_IsString(item)) continue; /* it will be said */
            const char *name = sal_pool_copy(&scene->tables->pool, item->valuestring, strlen(item->valuestring));
            if (name) sal_names_add(&scene->tables->pool, &scene->switched, name, NULL);
        }
    }
}

void sal_scene_find_switched(sal_scene *scene, const cJSON *contacts)
{
    const cJSON *contact, *change;

    cJSON_ArrayForEach(contact, contacts)
    {
        note_names(scene, contact);
        cJSON_ArrayForEach(change, cJSON_GetObjectItemCaseSensitive(contact, "on")) note_names(scene, change);
    }
}

/* "floor.A", or "floor" where there is no label; NULL: out of memory. */
static const char *name_of(sal_builder *b, const char *label)
{
    const char *element = sal_builder_element(b)->name;

    return label[0] ? sal_pool_format(&b->scene->tables->pool, "%s.%s", element, label) : element;
}

static bool is_switched(sal_builder *b, const char *label)
{
    const char *name = name_of(b, label);

    return name && sal_names_find(&b->scene->switched, name) >= 0;
}

sal_slot sal_add_memory(sal_builder *b, const char *word, const char *label, const char *standard)
{
    sal_tables *t     = b->scene->tables;
    const char *owner = name_of(b, label), *name = owner ? sal_pool_format(&t->pool, "%s(%s)", word, owner) : NULL;
    const int   known = name ? sal_names_find(&t->memory_names, name) : -1;
    sal_memory *item;
    sal_slot    slot;

    if (!name) return SAL_NONE;
    if (known >= 0) return t->memory.at[known].slot; /* a point may be named twice */
    slot = sal_scene_value_text(b->scene, standard, name, SAL_ANY);
    if (slot == SAL_NONE) return SAL_NONE;
    t->values.at[t->values.n - 1].memory = true;
    t->kept.at[slot]                     = true;
    sal_names_add(&t->pool, &t->memory_names, name, NULL);
    item = SAL_PUSH(&t->pool, &t->memory);
    if (item) *item = (sal_memory){ name, slot };
    return slot;
}

sal_slot sal_contact_switch(sal_builder *b, const char *label, const char *also, bool active)
{
    if (active && !is_switched(b, "") && !is_switched(b, label) && !(also && is_switched(b, also))) return SAL_NONE;
    return sal_add_memory(b, "active", label, active ? "1" : "0");
}

/* -------------------------------------------------------------------------------------------- what */

void sal_builder_switch(sal_builder *b, sal_texts contacts, sal_switching_kind kind)
{
    for (int k = 0; k < contacts.n; k++) {
        sal_switching *slot = SAL_PUSH(&b->scene->tables->pool, &b->scene->switchings);
        if (!slot) return;
        *slot = (sal_switching){ .event = b->event,
                                 .name  = contacts.value[k],
                                 .path  = sal_pool_format(&b->scene->tables->pool, "%s.%s",
                                                          sal_builder_element(b)->place.path, keys[kind]),
                                 .on    = kind == SAL_CLOSES,
                                 .after = kind == SAL_OPENS_AFTER };
    }
}

/* Whether the event does the opposite to the contact as well. */
static bool contradicts(const sal_tables *t, const sal_switching *x, sal_slot slot)
{
    for (int k = 0; k < t->notes.n; k++) {
        const sal_note *note = &t->notes.at[k];
        if (note->event == x->event && note->slot == slot && !note->after && !x->after &&
            (note->value.node[0].k != 0.0) != x->on)
            return true;
    }
    return false;
}

/* What is closed by an event where it has been passed through acts once it has been open: a contact that is a force
 * keeps in memory, beside(NAME), that it does not act until then. */
static void add_beside(sal_scene *scene, const sal_switching *x, int gap)
{
    sal_tables        *t    = scene->tables;
    const sal_program *p    = &t->gaps.at[gap].program[SAL_READ_GAP];
    const char        *name = sal_pool_format(&t->pool, "beside(%s)", t->gaps.at[gap].name);
    const int          at   = name ? sal_names_find(&t->memory_names, name) : -1;
    sal_expr          *e    = at >= 0 && x->on ? sal_expr_begin(&t->pool) : NULL;
    sal_note           note = { .event = x->event }, *slot;
    int                deep;

    if (!e) return;
    deep = sal_expr_op(e, SAL_OP_LT, sal_expr_insert(e, p, SAL_SRC_VARIABLE, -1, -1), sal_expr_const(e, 0.0), 0);
    if (sal_expr_finish(e, deep, &note.value) != SAL_OK) return;
    note.slot = t->memory.at[at].slot;
    slot      = SAL_PUSH(&t->pool, &t->notes);
    if (slot) *slot = note;
}

/* The event sets the number of a gap. */
static void add_note(sal_scene *scene, const sal_switching *x, int gap)
{
    sal_tables *t    = scene->tables;
    const char *name = sal_pool_format(&t->pool, "active(%s)", t->gaps.at[gap].name);
    const int   at   = name ? sal_names_find(&t->memory_names, name) : -1;
    sal_expr   *e    = sal_expr_begin(&t->pool);
    sal_note    note = { .event = x->event, .after = x->after }, *slot;

    if (at < 0 || !e || sal_expr_finish(e, sal_expr_const(e, x->on), &note.value) != SAL_OK) return;
    note.slot = t->memory.at[at].slot;
    if (contradicts(t, x, note.slot))
        sal_scene_error(scene, x->name.place, x->path, "'%s' is opened and closed by the same event",
                        t->gaps.at[gap].name);
    slot = SAL_PUSH(&t->pool, &t->notes);
    if (slot) *slot = note;
    add_beside(scene, x, gap);
}

static void unknown_contact(sal_scene *scene, const sal_switching *x)
{
    const sal_tables *t    = scene->tables;
    const char       *name = x->name.text;

    if (sal_scene_lost(scene, SAL_CONTACTS, SAL_CONTACTS, name)) return;
    if (sal_tables_element(t, SAL_CONTACTS, name))
        sal_scene_error(scene, x->name.place, x->path, "'%s' is an event; expected a contact", name);
    else if (sal_tables_element(t, SAL_JOINTS, name) || sal_tables_element(t, SAL_BODIES, name))
        sal_scene_error(scene, x->name.place, x->path, "'%s' is no contact; joints and bodies are for '%s'", name,
                        x->on ? "hold" : "release");
    else sal_scene_unknown(scene, x->name.place, x->path, "contact", name, &t->gap_names);
}

void sal_scene_resolve_switched(sal_scene *scene)
{
    const sal_tables *t = scene->tables;

    for (int k = 0; k < scene->switchings.n && !t->pool.failed; k++) {
        const sal_switching *x      = &scene->switchings.at[k];
        const int            one    = sal_tables_find(t, &t->gap_names, x->name.text);
        const size_t         length = strlen(x->name.text);
        bool                 any    = one >= 0;
        if (one >= 0) add_note(scene, x, one);
        for (int i = 0; i < t->gaps.n; i++) { /* all of an element */
            const char *name = t->gaps.at[i].name;
            if (i == one || strncmp(name, x->name.text, length) != 0 || name[length] != '.') continue;
            add_note(scene, x, i);
            any = true;
        }
        if (!any) unknown_contact(scene, x);
    }
}
