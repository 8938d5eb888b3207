/* symmetry.c - whether the motion goes on after a step as it began: what the map does to the state in between, moving
 * everything back in space, in time by the period, or whole turns of a body, must not be noticed by the equations.
 *
 *     f(t, q, v, m)  =  f(t + T, q + d, v, m + w.d)       for accelerations, multipliers, constraints, event functions,
 *                                                         guards, what events set; memory is set to w.d more
 *
 * is looked at in numbers, at states along the way, for the directions d in which the map moves: those of d and of its
 * derivatives, so that the multipliers are those of the motion too. What differs is named. w, how memory moves along,
 * is how what it is set to moves: the derivative of that along the direction. Outputs that differ are no error. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/vector.h"
#include "engine/studies/cycle.h"

enum { LOOKS = 8, RUN_STEPS_MAX = 100000 }; /* at so many states along the way, more or less; one step at most */

static const double FAR_AWAY = 0.7; /* how far everything is moved, over its size: any number will do */

/* -------------------------------------------------------------------------------- memory that moves */

/* How much what an event sets a memory to moves along each axis, -1: any event; whether anything has changed. */
static bool follow_notes(sal_cycle *c, sal_system *s, sal_tangent *t, int event)
{
    const sal_tables *tables  = c->model->tables;
    bool              changed = false;

    for (int k = 0; k < c->state - 2 * c->n; k++) {
        const sal_slot slot = tables->memory.at[c->memory[k]].slot;
        for (int i = 0; i < tables->notes.n; i++) {
            if (tables->notes.at[i].slot != slot || (event >= 0 && tables->notes.at[i].event != event)) continue;
            sal_tangent_value(t, s, &tables->notes.at[i].value, t->number);
            for (int axis = 0; axis < t->p; axis++) {
                double *moves = &c->moves[k * SAL_AXES + axis], now = t->number[axis];
                if (tables->cycle.origin[axis] < 0 || !isfinite(now)) now = 0.0;
                if (fabs(now - round(now)) < SAL_SAME_MOTION) now = round(now); /* what rounding has left of it */
                changed                         = changed || now != *moves;
                *moves                          = now;
                SAL_ROW(t->z, slot, t->p)[axis] = now;
            }
        }
    }
    sal_tangent_refresh(t, s);
    return changed;
}

/* Along the first step of the scene's own motion, at the events themselves: what they set may depend on conditions. */
static void follow_events(sal_cycle *c, sal_system *s, sal_tangent *t)
{
    sal_run   *run = c->plain;
    const int  n   = c->n;
    sal_status status;

    if (sal_run_restart(run) != SAL_OK) return;
    while ((status = sal_run_step(run)) == SAL_OK || status == SAL_EVENT) {
        if (sal_run_get_stats(run).steps > RUN_STEPS_MAX) return;
        if (status != SAL_EVENT) continue;
        sal_run_copy_state(run, s);
        memcpy(s->z, run->record.z, sizeof(double) * (size_t)c->model->nz); /* before the event */
        memcpy(s->zd, run->record.v, sizeof(double) * (size_t)n);
        memcpy(s->zdd, run->record.a, sizeof(double) * (size_t)n);
        memcpy(s->lambda, run->record.lambda, sizeof(double) * (size_t)c->model->m);
        sal_tangent_refresh(t, s);
        follow_notes(c, s, t, sal_run_event(run).index);
        if (sal_run_event(run).index == c->section) return;
    }
}

sal_status sal_cycle_find_moves(sal_cycle *c)
{
    const int   axes           = c->model->tables->dimension;
    sal_wrt     none[SAL_AXES] = { SAL_ALONG_MOTION, SAL_ALONG_MOTION };
    sal_system  s              = { 0 };
    sal_tangent t;
    sal_status  status;

    if (c->state == 2 * c->n || !c->plain) return SAL_OK;
    status = sal_system_init(&s, c->model, &c->pool);
    if (status == SAL_OK) status = sal_tangent_init(&t, c->model, &c->pool, none, axes);
    if (status == SAL_OK) {
        sal_run_copy_state(c->home, &s);
        for (int k = 0; k < c->n; k++) SAL_ROW(t.z, k, axes)[k % axes] = 1.0;
        sal_tangent_refresh(&t, &s);
        for (int pass = 0; pass <= c->state - 2 * c->n && follow_notes(c, &s, &t, -1); pass++) continue;
        follow_events(c, &s, &t);
    }
    if (s.model) sal_system_free(&s);
    return status;
}

/* ----------------------------------------------------------------------------------------- looking */

/* What is compared, in this order: the most telling first. */
typedef enum quantity { EVENT, GUARD, NOTE, SETTER, ROW, RATE, FORCE, ACCELERATION, OUTPUT, KINDS } quantity;

typedef struct moved { /* what the map does to a state */
    double d[SAL_AXES], t;
    bool   turned; /* by the whole turns that bodies make in a step */
} moved;

typedef struct witness {
    sal_cycle *c;
    sal_system s;
    int       *turns;       /* [elements] whole turns in a step; */
    int        turning;     /* one that makes any, -1: none */
    double    *start;       /* [nz] the state at the start, */
    double    *z, *zd;      /* [nz] and that at hand */
    double    *value, *now; /* [items] there and moved, */
    double    *size, *wide; /* and the sums of what they are made of */
    bool       told;        /* of an output: once is enough */
} witness;

static int count_of(const sal_cycle *c, quantity kind)
{
    const sal_tables *t       = c->model->tables;
    const int         count[] = { [EVENT] = t->shown_events, [GUARD] = t->shown_events, [NOTE] = t->notes.n,
                                  [SETTER] = t->setters.n,   [ROW] = c->model->m,       [RATE] = c->model->m,
                                  [FORCE] = c->model->m,     [ACCELERATION] = c->n,     [OUTPUT] = t->outputs.n };

    return count[kind];
}

/* Which memory of the state a note sets, -1: one that is no part of it. */
static int memory_of(const sal_cycle *c, int note)
{
    const sal_tables *t = c->model->tables;

    for (int i = 0; i < c->state - 2 * c->n; i++) {
        if (t->memory.at[c->memory[i]].slot == t->notes.at[note].slot) return i;
    }
    return -1;
}

static const sal_program *program_of(const sal_cycle *c, quantity kind, int k)
{
    static const sal_program none;
    const sal_tables        *t = c->model->tables;

    switch (kind) {
    case EVENT: return &t->events.at[k].when;
    case GUARD: return &t->events.at[k].guard;
    case NOTE: return memory_of(c, k) < 0 ? &none : &t->notes.at[k].value;
    case SETTER: return &t->setters.at[k].value;
    case OUTPUT: return &t->outputs.at[k].program;
    default: return NULL;
    }
}

/* The largest entry of a row of Phi_q, in s->entry. */
static double slope_of(const sal_system *s, int row)
{
    double most = 0.0;

    for (int i = s->model->jp[row]; i < s->model->jp[row + 1]; i++) most = fmax(most, fabs(s->entry[i]));
    return most;
}

/* Everything at the state that the system is in, and its size. */
static sal_status evaluate(witness *w, double *value, double *size)
{
    sal_system *s      = &w->s;
    sal_status  status = sal_system_accelerate(s);
    sal_scale   all;
    double      phi, phidot, place;
    int         at = 0;

    if (status == SAL_OK) status = sal_system_share(s);
    if (status != SAL_OK) return status;
    all   = sal_scale_at(s);
    place = fmax(s->length, w->c->scale[0]);
    sal_system_residual(s, &phi, &phidot);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    for (quantity kind = EVENT; kind < KINDS; kind++) {
        for (int k = 0; k < count_of(w->c, kind); k++, at++) {
            const sal_program *program = program_of(w->c, kind, k);
            double             of = 0.0, parts = 1.0;
            if (program && program->n) parts = sal_scale_of(s, program, &of);
            else if (kind == ACCELERATION) of = s->zdd[k], parts = all.acceleration;
            else if (!program && s->mode.held[k]) {
                const double slope = slope_of(s, k);
                of    = kind == ROW ? s->phi[k] : kind == RATE ? s->phidot[k] : s->shares ? 0.0 : s->lambda[k] * slope;
                parts = kind == ROW ? slope * place : kind == RATE ? slope * fmax(all.speed, all.natural) : all.force;
            }
            value[at] = of;
            size[at]  = parts;
        }
    }
    return SAL_OK;
}

/* What a note is set to moves along with everything else; nothing else does. */
static double expected(const witness *w, quantity kind, int k, const moved *by)
{
    const sal_cycle *c   = w->c;
    const int        i   = kind == NOTE ? memory_of(c, k) : -1;
    double           sum = 0.0;

    for (int axis = 0; axis < c->model->tables->dimension && i >= 0; axis++)
        sum += c->moves[i * SAL_AXES + axis] * by->d[axis];
    return sum;
}

/* Puts the system to the state, moved. */
static sal_status place(witness *w, const moved *by)
{
    const sal_cycle  *c      = w->c;
    const sal_tables *tables = c->model->tables;
    sal_system       *s      = &w->s;
    const size_t      nz     = sizeof(double) * (size_t)c->model->nz;
    sal_status        status;

    memcpy(s->z, w->z, nz);
    memcpy(s->zd, w->zd, nz);
    for (int k = 0; k < c->n; k++) s->z[k] += by->d[k % tables->dimension];
    for (int i = 0; i < c->state - 2 * c->n; i++) {
        for (int axis = 0; axis < tables->dimension; axis++)
            s->z[tables->memory.at[c->memory[i]].slot] += c->moves[i * SAL_AXES + axis] * by->d[axis];
    }
    for (int k = 0; k < tables->elements.n && by->turned; k++) {
        if (w->turns[k]) s->z[tables->elements.at[k].turn] += 2.0 * acos(-1.0) * w->turns[k];
    }
    status = sal_system_refresh(s);
    if (status == SAL_OK) sal_system_move(s, w->z[tables->time] + by->t, NULL, NULL);
    return status;
}

/* ------------------------------------------------------------------------------------------ telling */

static const char *name_of(const sal_cycle *c, quantity kind, int k, char *room, size_t size)
{
    static const char *const what[] = { [EVENT]        = "the event '%s'",
                                        [GUARD]        = "the guard of '%s'",
                                        [NOTE]         = "what '%s' sets memory to",
                                        [SETTER]       = "the velocity that '%s' sets",
                                        [ROW]          = "the constraint %s",
                                        [RATE]         = "the constraint %s",
                                        [FORCE]        = "the force of the constraint %s",
                                        [ACCELERATION] = "the acceleration of %s",
                                        [OUTPUT]       = "the output '%s'" };
    const sal_tables        *t      = c->model->tables;
    const char              *name   = "";

    switch (kind) {
    case EVENT:
    case GUARD: name = t->events.at[k].name; break;
    case NOTE: name = t->events.at[t->notes.at[k].event].name; break;
    case SETTER:
        for (int e = 0; e < t->events.n; e++) {
            if (k >= t->events.at[e].set && k < t->events.at[e].set + t->events.at[e].nset) name = t->events.at[e].name;
        }
        break;
    case ROW:
    case RATE:
    case FORCE: name = t->rows.at[k].name; break;
    case ACCELERATION: name = sal_model_coordinate(c->model, k); break;
    default: name = t->outputs.at[k].name; break;
    }
    snprintf(room, size, what[kind], name);
    return room;
}

/* The number of the scene that is another one a period later, where a force or constraint is. */
static void name_timed(witness *w, const moved *by, char *room, size_t size)
{
    const sal_model *model = w->s.model;
    char             told[200];

    for (int k = 0; k < model->ntimed; k++) {
        const sal_value *v    = &model->tables->values.at[model->timed[k].value];
        const sal_slot   slot = model->timed[k].slot;
        double           was[3];
        place(w, &(moved){ 0 });
        was[0] = w->s.z[slot], was[1] = w->s.zd[slot], was[2] = w->s.zdd[slot];
        place(w, by);
        if (fabs(w->s.z[slot] - was[0]) <= SAL_SAME_MOTION * (fabs(was[0]) + fabs(w->s.z[slot])) &&
            fabs(w->s.zd[slot] - was[1]) <= SAL_SAME_MOTION * (fabs(was[1]) + fabs(w->s.zd[slot])))
            continue;
        snprintf(told, sizeof told, " (%.60s: '%.80s')", v->place.path, v->text);
        snprintf(room, size, "%s", told);
        return;
    }
}

/* A point that is brought back. */
static const char *origin_name(const sal_tables *t)
{
    for (int k = 0; k < t->points.n; k++) {
        for (int axis = 0; axis < t->dimension && t->points.at[k].kind == SAL_FREE; axis++) {
            if (sal_basis_of(t, t->points.at[k].point)->i[axis] == t->cycle.origin[axis]) return t->points.at[k].name;
        }
    }
    return "";
}

static sal_status tell(witness *w, quantity kind, int k, const moved *by, double was, double is)
{
    sal_cycle           *c   = w->c;
    const sal_tables    *t   = c->model->tables;
    const sal_cycle_def *def = &t->cycle;
    char                 name[200], timed[220] = "", remedy[200] = "a cycle needs places that are all alike";
    bool                 both = true;

    name_of(c, kind, k, name, sizeof name);
    if (by->t != 0.0) {
        if (kind >= ROW) name_timed(w, by, timed, sizeof timed);
        return sal_cycle_because(
            c, SAL_ERR_SCENE,
            "%s:%d:%d: %s: %s%s is not the same %.9g s later: it goes from %.9g to %.9g; expected a period of all that "
            "depends on t",
            t->file, def->period_place.line, def->period_place.column, def->period_place.path, name, timed, by->t, was,
            is);
    }
    if (by->turned && by->d[0] == 0.0 && by->d[1] == 0.0)
        return sal_cycle_because(
            c, SAL_ERR_CYCLE,
            "'%s' makes %d whole turns, and %s counts them: it goes from %.9g to %.9g, so the motion "
            "does not go on as it began",
            t->elements.at[w->turning].name, w->turns[w->turning], name, was, is);
    for (int axis = 0; axis < t->dimension; axis++) both = both && def->origin[axis] >= 0;
    if (both)
        snprintf(remedy, sizeof remedy,
                 "name the axis along which nothing changes, such as \"origin\": { \"x\": \"%s\" }", origin_name(t));
    return sal_cycle_because(
        c, SAL_ERR_SCENE,
        "%s:%d:%d: %s: everything is brought back along (%.3g, %.3g), and %s notices: it goes from %.9g to %.9g; %s%s",
        t->file, def->origin_place.line, def->origin_place.column, def->origin_place.path, by->d[0], by->d[1], name,
        was, is, remedy, kind == NOTE || kind == ROW ? ", and in 'exchange' the memory that takes a role" : "");
}

/* Outputs tell of the motion; that one differs from step to step is worth a word. */
static void warn(witness *w, int k, double was, double is)
{
    if (w->told || w->c->opts.run.quiet) return;
    w->told = true;
    sal_log(w->c->context,
            "the output '%s' goes on from step to step, from %.6g to %.6g: what is told is that of the first",
            w->c->model->tables->outputs.at[k].name, was, is);
}

/* ---------------------------------------------------------------------------------------- comparing */

/* The state, whose numbers are in w->value, against the same moved. */
static sal_status compare(witness *w, const moved *by)
{
    int at = 0;

    if (place(w, by) != SAL_OK || evaluate(w, w->now, w->wide) != SAL_OK)
        return sal_cycle_because(w->c, SAL_ERR_SCENE, "what the cycle moves cannot be evaluated: %s", w->s.message);
    for (quantity kind = EVENT; kind < KINDS; kind++) {
        for (int k = 0; k < count_of(w->c, kind); k++, at++) {
            const double was = w->value[at], is = w->now[at] - expected(w, kind, k, by);
            if (fabs(is - was) <= SAL_SAME_MOTION * (w->size[at] + w->wide[at]) || (isnan(is) && isnan(was))) continue;
            if (kind < OUTPUT) return tell(w, kind, k, by, was, is);
            warn(w, k, was, is);
        }
    }
    return SAL_OK;
}

/* Takes over the state that a run shows. */
static sal_status look(witness *w, const sal_run *run)
{
    const size_t nz = sizeof(double) * (size_t)w->c->model->nz;
    sal_status   status;

    sal_run_copy_state(run, &w->s);
    memcpy(w->z, w->s.z, nz);
    memcpy(w->zd, w->s.zd, nz);
    status = evaluate(w, w->value, w->size);
    for (int e = 0; e < w->c->model->tables->shown_events;
         e++) /* the first items: contacts are measured by more than parts */
        w->size[e] = fmax(w->size[e], run->find.tolerance[e] / SAL_ZERO);
    return status;
}

/* The directions in which everything may be moved by any amount, as unit vectors: those of the derivatives of what it
 * is moved by, the axes of sum d d^T. How many. */
static int find_directions(const sal_cycle *c, double direction[SAL_AXES][SAL_AXES])
{
    const sal_image *m  = &c->now;
    double           xx = 0.0, yy = 0.0, xy = 0.0, angle, large;
    int              count = 0;

    for (int j = 0; j < c->size; j++) {
        const double x = m->dback[j] * c->scale[j], y = m->dback[c->w + j] * c->scale[j];
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    angle = 0.5 * atan2(2.0 * xy, xx - yy);
    large = 0.5 * (xx + yy + hypot(xx - yy, 2.0 * xy));
    for (int i = 0; i < 2; i++, angle += acos(0.0)) { /* the longer one first */
        const double x = cos(angle), y = sin(angle), square = x * x * xx + 2.0 * x * y * xy + y * y * yy;
        if (!(sqrt(fmax(square, 0.0)) > SAL_SAME_MOTION * c->scale[0]) || square < SAL_SAME_MOTION * large) continue;
        direction[count][0]   = x;
        direction[count++][1] = y;
    }
    return count;
}

/* At the state at hand: as the step moves it, a period later, whole turns on, and back; and any distance away. */
static sal_status compare_moved(witness *w)
{
    const sal_cycle *c  = w->c;
    const moved      by = { .d      = { c->now.back[0], c->now.back[1] },
                            .t      = c->section < 0 ? c->now.period / c->opts.steps : 0.0,
                            .turned = w->turning >= 0 };
    double           direction[SAL_AXES][SAL_AXES];
    const int        count  = find_directions(c, direction);
    sal_status       status = compare(w, &by);

    for (int i = 0; i < 2 * count && status == SAL_OK; i++) {
        const double far = (i % 2 ? -1.0 : 1.0) * FAR_AWAY * c->scale[0], *d = direction[i / 2];
        status = compare(w, &(moved){ .d = { far * d[0], far * d[1] } });
    }
    return status;
}

/* One step of the cycle by a run of its own, up to its end; `look_at`: looks at states on the way, between events. */
static sal_status walk(witness *w, bool look_at)
{
    sal_cycle *c      = w->c;
    sal_run   *run    = c->plain;
    const long stride = 1 + c->run_steps / (LOOKS * c->opts.steps);
    sal_status status = sal_cycle_begin(c, run, c->now.g, c->closed);

    if (status != SAL_OK) return status;
    memcpy(w->start, run->shown.z, sizeof *w->start * (size_t)c->model->nz);
    for (;;) {
        const double last = sal_run_event(run).time;
        status            = sal_cycle_go_on(c, run);
        if (status != SAL_END) return status;
        if (!look_at || sal_run_event(run).time != last || sal_run_get_stats(run).steps % stride) continue;
        if (run->find.pending.event >= 0) continue; /* on the brink of one */
        status = look(w, run);
        if (status == SAL_OK) status = compare_moved(w);
        if (status != SAL_OK) return status;
    }
}

/* Whole turns that bodies make in a step, where all keep their roles. */
static void count_turns(witness *w)
{
    const sal_tables *tables = w->c->model->tables;

    for (int k = 0; k < tables->elements.n; k++) {
        const sal_element *b = &tables->elements.at[k];
        if (!b->framed || tables->cycle.role) continue;
        w->turns[k] = (int)lround((w->c->plain->shown.z[b->turn] - w->start[b->turn]) / (2.0 * acos(-1.0)));
        if (w->turns[k]) w->turning = k;
    }
}

sal_status sal_cycle_check_symmetry(sal_cycle *c)
{
    witness    w     = { .c = c, .turning = -1 };
    int        items = 0;
    sal_pool   own;
    sal_status status;

    if (!c->plain) return SAL_OK;
    for (quantity kind = EVENT; kind < KINDS; kind++) items += count_of(c, kind);
    sal_pool_init(&own, c->context);
    w.start = SAL_NEW(&own, double, c->model->nz);
    w.z     = SAL_NEW(&own, double, c->model->nz);
    w.zd    = SAL_NEW(&own, double, c->model->nz);
    w.turns = SAL_NEW(&own, int, c->model->tables->elements.n);
    w.value = SAL_NEW(&own, double, items);
    w.now   = SAL_NEW(&own, double, items);
    w.size  = SAL_NEW(&own, double, items);
    w.wide  = SAL_NEW(&own, double, items);
    status  = own.failed ? SAL_ERR_MEMORY : sal_system_init(&w.s, c->model, &own);
    if (status == SAL_OK) status = walk(&w, false);
    if (status == SAL_OK) {
        count_turns(&w);
        status = walk(&w, true);
    }
    if (w.s.model) sal_system_free(&w.s);
    sal_pool_free(&own);
    return status;
}
