/* build_events.c - the events and contacts that an element emits: the implementation of those parts of ext.h. */
#include <stdio.h>
#include <string.h>

#include "engine/scene/builder.h"

/* ---------------------------------------------------------------------------------------- events */

sal_text sal_formula(const char *text)
{
    return (sal_text){ .text = text };
}

void sal_event_begin(sal_builder *b, const char *label, sal_direction direction)
{
    sal_scene         *scene = b->scene;
    const sal_element *e     = sal_builder_element(b);
    sal_event         *event = SAL_PUSH(&scene->tables->pool, &scene->tables->events);

    if (!event) return;
    b->event    = scene->tables->events.n - 1;
    event->name = label[0] ? sal_pool_format(&scene->tables->pool, "%s.%s", e->name, label) : e->name;
    if (!event->name) return;
    sal_names_add(&scene->tables->pool, &scene->tables->event_names, event->name, NULL);
    event->element   = b->element;
    event->direction = direction;
    event->set       = scene->tables->setters.n;
    event->touch     = -1;
}

/* The event begun, or NULL. */
static sal_event *event_of(sal_builder *b)
{
    return b->scene->tables->events.n ? &b->scene->tables->events.at[b->event] : NULL;
}

void sal_event_when(sal_builder *b, sal_text when, const sal_bind *binds)
{
    sal_program program;
    bool        moves = false;

    if (!event_of(b) || !sal_builder_compile(b, when, "when", binds, &program)) return;
    if (program.node[program.n - 1].op >= SAL_OP_LT || program.node[program.n - 1].op == SAL_OP_SIGN ||
        program.node[program.n - 1].op == SAL_OP_STEP) {
        sal_element_error(
            b, "when", "'%s' is a condition; expected a continuous function that crosses zero, such as a - b for a < b",
            when.text);
        return;
    }
    for (int k = 0; k < program.nleaf; k++) {
        const sal_node *leaf = &program.node[program.leaf[k]];
        moves = moves || leaf->a != SAL_SRC_Z || leaf->b < b->scene->tables->n || b->scene->tables->timed.at[leaf->b];
    }
    if (!moves && when.place) {
        sal_element_error(b, "when", "'%s' never changes; expected something that depends on the motion or on t",
                          when.text);
    } else if (!moves && !b->failed) { /* of several events of a type one is enough */
        sal_element_error(b, "", "'%s' never changes; expected a point that can move", when.text);
    }
    event_of(b)->when = program;
}

void sal_event_guard(sal_builder *b, sal_text guard, const sal_bind *binds)
{
    sal_program program;

    if (event_of(b) && sal_builder_compile(b, guard, "guard", binds, &program)) event_of(b)->guard = program;
}

/* memory+ = value */
static void add_note(sal_builder *b, sal_slot slot, sal_text value, const char *path, const sal_bind *binds)
{
    sal_note note = { .event = b->event, .slot = slot }, *at;

    if (!sal_builder_compile(b, value, path, binds, &note.value)) return;
    at = SAL_PUSH(&b->scene->tables->pool, &b->scene->tables->notes);
    if (at) *at = note;
}

/* Whether the text is a name that the type has bound, whatever the scene calls so. */
static bool is_bound(sal_text text, const sal_bind *binds)
{
    for (; binds && binds->name; binds++) {
        if ((binds->offered || !text.place) && !strcmp(binds->name, text.text)) return true;
    }
    return false;
}

void sal_event_set(sal_builder *b, sal_text velocity, sal_text value, const sal_bind *binds)
{
    sal_scene  *scene  = b->scene;
    sal_setter  setter = { 0 }, *slot;
    const char *path   = sal_pool_format(&scene->tables->pool, "set.%s", velocity.text);
    const int   memory = is_bound(velocity, binds) ? -1 : sal_names_find(&scene->tables->memory_names, velocity.text);
    bool        good;

    if (!event_of(b) || !path) return;
    if (memory >= 0) {
        add_note(b, scene->tables->memory.at[memory].slot, value, path, binds);
        return;
    }
    if (event_of(b)->touch >= 0) {
        sal_element_error(
            b, "on", "'%s' cannot be set: the velocities follow from the law; expected a name in 'memory'%s",
            velocity.text,
            sal_did_you_mean(velocity.text, scene->tables->memory_names.list.at, scene->tables->memory_names.list.n)
                .text);
        return;
    }
    good = sal_builder_compile(b, velocity, "set", binds, &setter.velocity);
    good = sal_builder_compile(b, value, path, binds, &setter.value) && good;
    if (!good || (b->failed && !velocity.place)) return; /* a type's own: what is wrong has been said */
    if (!sal_builder_is_velocity(b, &setter.velocity, false)) {
        if (!scene->tables->pool.failed)
            sal_element_error(b, "set",
                              "'%s' cannot be set; expected a velocity such as vx(P), vy(P) or rate(B) of something "
                              "that moves, or a name in 'memory'",
                              velocity.text);
        return;
    }
    slot = SAL_PUSH(&scene->tables->pool, &scene->tables->setters);
    if (slot) *slot = setter;
    if (event_of(b)->nset == 0) event_of(b)->set = scene->tables->setters.n - 1;
    event_of(b)->nset++;
}

static void add_switches(sal_builder *b, sal_elements elements, sal_switch_kind kind)
{
    for (int k = 0; k < elements.n && event_of(b); k++) {
        sal_switch *slot = SAL_PUSH(&b->scene->tables->pool, &b->scene->tables->switches);
        if (slot) *slot = (sal_switch){ b->event, elements.at[k], kind };
    }
}

void sal_event_note(sal_builder *b, sal_slot memory, const char *value, const sal_bind *binds)
{
    if (event_of(b) && memory != SAL_NONE) add_note(b, memory, sal_formula(value), "set", binds);
}

void sal_event_stop(sal_builder *b)
{
    if (event_of(b)) event_of(b)->stop = true;
}

void sal_event_act(sal_builder *b, const sal_actions *a, const sal_bind *binds)
{
    for (int k = 0; k < a->set.n; k++) sal_event_set(b, a->set.key[k], a->set.value[k], binds);
    add_switches(b, a->release, SAL_RELEASE);
    add_switches(b, a->hold, SAL_HOLD);
    add_switches(b, a->release_after, SAL_RELEASE_AFTER);
    sal_builder_switch(b, a->open, SAL_OPENS);
    sal_builder_switch(b, a->close, SAL_CLOSES);
    sal_builder_switch(b, a->open_after, SAL_OPENS_AFTER);
    if (a->stop) sal_event_stop(b);
}

const char *const sal_contact_changes[] = { "touch", "release", "slip", "stick", NULL };

void sal_event_is(sal_builder *b, sal_contact_change change)
{
    if (event_of(b)) b->change[change] = b->event;
}

bool sal_event_of_contact(sal_builder *b, sal_contact_change change)
{
    if (b->change[change] >= 0) b->event = b->change[change];
    return b->change[change] >= 0;
}

void sal_event_gap(sal_builder *b)
{
    if (event_of(b)) event_of(b)->gap = true;
}

/* -------------------------------------------------------------------------------------- contacts */

enum { BINDS = 64 };

/* Both lists in one, as far as there is room. */
static void join_binds(const sal_bind *one, const sal_bind *two, sal_bind out[BINDS])
{
    int n = 0;

    while (one && one->name && n < BINDS - 1) out[n++] = *one++;
    while (two->name && n < BINDS - 1) out[n++] = *two++;
    out[n] = (sal_bind){ 0 };
}

/* Builds factor * (row's multiplier), an event function's part. */
static int multiplier(sal_expr *e, int row)
{
    return sal_expr_leaf(e, SAL_SRC_LAMBDA, row);
}

static const sal_touch_event changes[] = { SAL_TOUCHES, SAL_RELEASES, SAL_SLIPS, SAL_STICKS };

/* An event of the contact begun last; its function is built by the caller. */
static sal_event *touch_event(sal_builder *b, const char *label, const char *suffix, sal_touch_event kind,
                              sal_direction direction)
{
    const char *name =
        label[0] ? sal_pool_format(&b->scene->tables->pool, "%s%s%s", label, suffix[0] ? "." : "", suffix) : suffix;
    sal_event *event;

    if (!name) return NULL;
    sal_event_begin(b, name, direction);
    event = event_of(b);
    if (b->scene->tables->pool.failed) return NULL;
    for (int k = 0; k < SAL_CONTACT_CHANGES; k++) {
        if (changes[k] == kind) sal_event_is(b, (sal_contact_change)k);
    }
    event->touch                                                              = b->scene->tables->touches.n - 1;
    event->kind                                                               = kind;
    b->scene->tables->touches.at[b->scene->tables->touches.n - 1].event[kind] = b->scene->tables->events.n - 1;
    return event;
}

/* N, whose fall to zero releases; mu_static N - |T|, whose fall to zero lets slip; the slip velocity, whose zero may
 * let stick. */
static void add_force_events(sal_builder *b, const char *label, const sal_touch *touch)
{
    sal_scene *scene = b->scene;
    sal_event *event = touch_event(b, label, "release", SAL_RELEASES, SAL_FALLING);
    sal_expr  *e     = event ? sal_expr_begin(&scene->tables->pool) : NULL;

    if (!e || sal_expr_finish(e, multiplier(e, touch->normal), &event->when) != SAL_OK) return;
    if (touch->tangent < 0 || touch->bonded) return;
    event = touch_event(b, label, "slip", SAL_SLIPS, SAL_FALLING);
    e     = event ? sal_expr_begin(&scene->tables->pool) : NULL;
    if (!e) return;
    const int cone =
        sal_expr_op(e, SAL_OP_MUL, sal_expr_leaf(e, SAL_SRC_Z, touch->mu_static), multiplier(e, touch->normal), 0);
    const int pull = sal_expr_op(e, SAL_OP_ABS, multiplier(e, touch->tangent), 0, 0);
    if (sal_expr_finish(e, sal_expr_op(e, SAL_OP_SUB, cone, pull, 0), &event->when) != SAL_OK) return;
    event = touch_event(b, label, "stick", SAL_STICKS, SAL_BOTH);
    if (event) event->when = scene->tables->rows.at[touch->tangent].formula;
    event = touch_event(b, label, "jam", SAL_JAMS, SAL_BOTH);
    if (event) event->when = scene->tables->rows.at[touch->normal].formula; /* it is made to happen, never found */
}

/* Where the contact ends: its own bounds and those of the scene. */
static void add_end(sal_builder *b, const char *label, const sal_contact *c)
{
    const sal_bind own[] = { { "x", .formula = sal_formula(c->place[0]), .offered = true, .bounds = true },
                             { "y", .formula = sal_formula(c->place[1]), .offered = true, .bounds = true },
                             { "own_ends", .formula = c->ends, .bounds = true },
                             { "where", .formula = c->where, .bounds = true },
                             { 0 } };
    sal_bind       binds[BINDS];
    sal_program    inside;
    sal_event     *event;

    if (!c->ends.text && !c->where.text) return;
    join_binds(c->binds, c->place[0] ? own : own + 2, binds);
    if (!sal_builder_compile(b,
                             sal_formula(!c->where.text  ? "own_ends"
                                         : !c->ends.text ? "where"
                                                         : "min(own_ends, where)"),
                             "where", binds, &inside))
        return;
    event = touch_event(b, label, "leave", SAL_ENDS, SAL_FALLING);
    if (event) event->when = inside;
}

/* The multipliers are the forces themselves. */
static void add_reactions(sal_builder *b, const char *label, const sal_touch *touch)
{
    const char *dot     = label[0] ? "." : "";
    const char *name[2] = { sal_pool_format(&b->scene->tables->pool, "%s%snormal", label, dot),
                            sal_pool_format(&b->scene->tables->pool, "%s%sfriction", label, dot) };
    const int   row[2]  = { touch->normal, touch->tangent };

    for (int k = 0; k < 2; k++) {
        if (name[k] && row[k] >= 0)
            sal_add_reaction(b, name[k], "N", "f", (sal_bind[]){ { "f", .multiplier = row[k] + 1 }, { 0 } });
    }
}

/* The same line of the scene is one line of the tables. */
static int line_of(sal_tables *tables, sal_line line)
{
    sal_line *slot;

    for (int k = 0; k < tables->lines.n; k++) {
        if (tables->lines.at[k].x == line.x) return k;
    }
    slot = SAL_PUSH(&tables->pool, &tables->lines);
    if (slot) *slot = line;
    return tables->lines.n - 1;
}

sal_slot sal_add_follower(sal_builder *b, const sal_follow *follow)
{
    sal_tables   *tables = b->scene->tables;
    sal_follower *slot   = SAL_PUSH(&tables->pool, &tables->followers);
    sal_slot      first  = SAL_NONE;

    if (!slot) return SAL_NONE;
    for (int k = 0; k < follow->line.n; k++) {
        if (!tables->kept.at[follow->line.x[k]] && !tables->kept.at[follow->line.y[k]]) continue;
        sal_element_error(b, "line", "corner %d depends on memory; expected constants", k + 1);
        return SAL_NONE;
    }
    for (int k = 0; k < SAL_PART_SLOTS * follow->contacts; k++) {
        const sal_slot at = sal_scene_new_slot(b->scene);
        if (at == SAL_NONE) return SAL_NONE;
        if (k == 0) first = at;
        tables->kept.at[at] = true; /* constant but for events and the like */
    }
    *slot = (sal_follower){ *follow, line_of(tables, follow->line), first, tables->touches.n };
    return first;
}

sal_point sal_line_corner(sal_builder *b, sal_line line, int k)
{
    const sal_tables *tables = b->scene->tables;

    return sal_scene_new_point(b->scene, (sal_basis){ .xi    = line.x[k],
                                                      .yi    = line.y[k],
                                                      .xj    = line.x[k],
                                                      .yj    = line.y[k],
                                                      .alpha = tables->zero,
                                                      .beta  = tables->zero });
}

/* What expressions read of it: what is not there is 0. */
static void add_gap(sal_builder *b, const char *label, const sal_contact *c, const sal_touch *touch)
{
    const sal_bind own[] = { { "lambda_n", .multiplier = touch->normal + 1 },
                             { "lambda_t", .multiplier = touch->tangent + 1 },
                             { "is_closed", touch->is_closed },
                             { "is_on", touch->on },
                             { 0 } };
    sal_bind       binds[BINDS];

    join_binds(c->binds, own, binds);
    sal_add_gap(b, label,
                &(sal_gap_formulas){ .gap      = c->gap,
                                     .slip     = c->slip,
                                     .normal   = sal_formula("lambda_n"),
                                     .friction = touch->tangent >= 0 ? sal_formula("lambda_t") : (sal_text){ 0 },
                                     .closed   = sal_formula("is_closed"),
                                     .active   = sal_formula(touch->on != SAL_NONE ? "is_on" : NULL),
                                     .binds    = binds });
}

/* Touches are passed over where the guard is 0, and while it is off. */
static void add_guard(sal_builder *b, const sal_contact *c)
{
    const sal_bind own[] = { { "is_on", c->on }, { "own_guard", .formula = c->guard }, { 0 } };
    sal_bind       binds[BINDS];

    join_binds(c->binds, own, binds);
    if (c->on == SAL_NONE && c->guard.text) sal_event_guard(b, c->guard, c->binds);
    else if (c->on != SAL_NONE)
        sal_event_guard(b, sal_formula(c->guard.text ? "is_on > 0.5 and own_guard" : "is_on > 0.5"), binds);
}

void sal_add_contact(sal_builder *b, const char *label, const sal_contact *c)
{
    sal_scene  *scene = b->scene;
    const char *dot   = label[0] ? "." : "";
    const bool  along = c->slip.text && (c->bonded || c->mu_kinetic != SAL_NONE);
    sal_touch   touch = { .tangent     = -1,
                          .restitution = c->restitution,
                          .rest        = c->rest,
                          .mu_static   = c->mu_static,
                          .mu_kinetic  = c->mu_kinetic,
                          .bonded      = c->bonded,
                          .newton      = c->newton,
                          .on          = c->on,
                          .follower    = c->follows ? scene->tables->followers.n - 1 : -1,
                          .closed      = c->closed },
              *slot;
    const int   rows = scene->tables->rows.n;
    const char *gap  = sal_pool_format(&scene->tables->pool, "-(%s)", c->gap.text);
    const char *slip = along ? sal_pool_format(&scene->tables->pool, "-(%s)", c->slip.text) : "";
    const char *n    = sal_pool_format(&scene->tables->pool, "%s%sn", label, dot);
    const char *t    = sal_pool_format(&scene->tables->pool, "%s%st", label, dot);
    sal_event  *event;

    if (!gap || !slip || !n || !t) return;
    sal_row_formula(b, n, sal_formula(gap), c->binds);
    if (along) sal_row_rate(b, t, sal_formula(slip), c->binds);
    if (scene->tables->pool.failed || b->failed) return;
    touch.name   = label[0] ? sal_pool_format(&scene->tables->pool, "%s.%s", sal_builder_element(b)->name, label)
                            : sal_builder_element(b)->name;
    touch.normal = rows;
    if (along) touch.tangent = rows + 1;
    for (int k = 0; k < SAL_TOUCH_EVENTS; k++) touch.event[k] = -1;
    for (int r = rows; r < scene->tables->rows.n; r++) {
        sal_row *row = &scene->tables->rows.at[r];
        row->idle    = !c->closed || (r > rows && !c->bonded);
        row->sharing = r > rows ? SAL_SHARES_FIRST : SAL_SHARES_NEXT;
        if (along) row->partner = r > rows ? rows : rows + 1;
    }
    touch.is_closed = sal_scene_new_slot(scene);
    slot            = SAL_PUSH(&scene->tables->pool, &scene->tables->touches);
    if (!slot) return;
    *slot = touch;
    event = touch_event(b, label, "", SAL_TOUCHES, SAL_FALLING);
    if (!event) return;
    event->undefined = c->undefined;
    sal_event_when(b, c->gap, c->binds);
    sal_event_gap(b);
    add_guard(b, c);
    add_force_events(b, label, &touch);
    add_end(b, label, c);
    add_reactions(b, label, &touch);
    add_gap(b, label, c, &touch);
}
