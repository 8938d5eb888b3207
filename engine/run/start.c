/* start.c - the life of a run: options, allocation, the start, restarts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/run/run.h"

/* Builds that check validate every run. */
#ifdef SAL_CHECKS
enum { CHECKS = true };
#else
enum { CHECKS = false };
#endif
#include "engine/base/tolerance.h"

sal_status sal_run_fail(sal_run *run, sal_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(run->system.message, sizeof run->system.message, format, args);
    va_end(args);
    return status;
}

sal_status sal_run_say_limit(sal_run *run, sal_status status, double t)
{
    if (status != SAL_ERR_LIMIT) return status;
    return sal_run_fail(run, status, "the time limit of %g s is over at t = %.9g s", run->asked.max_wall, t);
}

/* --------------------------------------------------------------------------------------- options */

sal_run_opts sal_run_defaults(void)
{
    return (sal_run_opts){ .size          = sizeof(sal_run_opts),
                           .form          = -1,
                           .stabilization = -1,
                           .integrator    = -1,
                           .duration      = -1.0,
                           .rtol          = -1.0,
                           .atol          = -1.0,
                           .max_step      = -1.0,
                           .min_step      = -1.0 };
}

sal_status sal_run_read_opts(sal_context *context, const sal_run_opts *given, sal_run_opts *opts)
{
    static const size_t known[] = { sizeof(sal_run_opts), 0 };

    *opts = sal_run_defaults();
    return sal_opts_read(context, "run", known, given, opts);
}

/* Options as they are in effect; those not asked for are the scene's, whose values are known by now. */
static sal_status resolve_options(sal_run *run)
{
    const sal_simulation *sim = &run->model->tables->simulation;
    const sal_run_opts   *o   = &run->asked;
    const double         *z   = run->system.z;

#define PICK(field, otherwise)    (o->field < 0 ? (otherwise) : o->field)
#define OPTIONAL(slot, otherwise) ((slot) == SAL_NONE ? (otherwise) : z[slot])
    run->opts.size             = sizeof run->opts;
    run->opts.form             = PICK(form, sim->form);
    run->opts.stabilization    = PICK(stabilization, sim->stabilization);
    run->opts.integrator       = PICK(integrator, sim->integrator);
    run->opts.duration         = PICK(duration, z[sim->duration]);
    run->opts.rtol             = PICK(rtol, z[sim->rtol]);
    run->opts.atol             = PICK(atol, OPTIONAL(sim->atol, run->opts.rtol));
    run->opts.max_step         = PICK(max_step, OPTIONAL(sim->max_step, run->opts.duration));
    run->opts.min_step         = PICK(min_step, OPTIONAL(sim->min_step, 0.0));
    run->opts.wrt              = run->names;
    run->opts.nwrt             = run->all;
    run->opts.partitioned      = o->partitioned;
    run->opts.quiet            = o->quiet;
    run->opts.validate         = o->validate || CHECKS;
    run->opts.wrt_uncontrolled = o->wrt_uncontrolled;
    run->opts.max_steps        = o->max_steps;
    run->opts.max_events       = o->max_events;
    run->opts.max_wall         = o->max_wall;
    run->opts.stop             = o->stop;
    run->opts.user             = o->user;
    run->opts.stop_every       = o->stop_every;
#undef PICK
#undef OPTIONAL
    if (run->opts.form > SAL_INDEX3 || run->opts.stabilization > SAL_NO_STABILIZATION ||
        run->opts.integrator > SAL_AUTO) {
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "unknown form, stabilization or integrator");
    }
    if (run->opts.form == SAL_INDEX3 && run->opts.integrator == SAL_AUTO) run->opts.integrator = SAL_RADAU;
    if (run->opts.form == SAL_INDEX3 && run->opts.integrator != SAL_RADAU)
        return sal_run_fail(run, SAL_ERR_ARGUMENT,
                            "form index3 takes implicit steps; expected integrator radau or auto");
    if (run->opts.form == SAL_INDEX3 && run->all)
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "form index3 has no derivatives; expected form index1 or penalty");
    if (run->opts.form == SAL_INDEX3 && run->opts.stabilization != SAL_PROJECTION)
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "form index3 is projected; expected stabilization projection");
    if (!(run->opts.rtol >= SAL_RTOL_LEAST) || !(run->opts.rtol < 1.0)) {
        if (!(o->rtol < 0.0))
            return sal_run_fail(run, SAL_ERR_ARGUMENT, "rtol is %g; expected a number from 1e-15 to below 1", o->rtol);
        return sal_run_fail(run, SAL_ERR_SCENE, "%s: simulation.rtol: is %g; expected a number from 1e-15 to below 1",
                            run->model->tables->file, run->opts.rtol);
    }
    if (!(run->opts.duration > 0.0) || !isfinite(run->opts.duration)) {
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "the duration is %g s; expected a positive number",
                            run->opts.duration);
    }
    if (!(run->opts.max_step > 0.0) || run->opts.min_step > run->opts.max_step || !(run->opts.atol > 0.0)) {
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "expected atol > 0 and 0 <= min_step <= max_step, max_step > 0");
    }
    return SAL_OK;
}

/* ----------------------------------------------------------------------------------------- start */

/* Says, once, that the joints do not determine their multipliers. */
static void warn_of_redundancy(sal_run *run)
{
    char names[600];

    if (run->system.shares != SAL_SHARES_LAST || run->asked.quiet || run->warned) return;
    run->warned = true;
    sal_structure_name(&run->system, names, sizeof names);
    if (names[0])
        sal_log(run->context,
                "the constraints %s depend on each other: of the multipliers possible the least are taken", names);
}

/* What holds at the start: what the scene does not set aside, and contacts that are said to be closed. */
static void start_mode(sal_run *run)
{
    const sal_tables *tables = run->model->tables;

    sal_mode_start(&run->mode, tables);
    for (int k = 0; k < tables->touches.n; k++) {
        const sal_touch *t        = &tables->touches.at[k];
        run->mode.held[t->normal] = run->start.closed[k];
        if (t->tangent >= 0) run->mode.held[t->tangent] = run->start.closed[k] && t->bonded;
    }
    sal_system_set_mode(&run->system, &run->mode);
}

/* Memory that is given replaces what the scene says, whatever the parameters. */
static sal_status start_memory(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    sal_status        status;
    bool              any = false;

    for (int k = 0; k < tables->memory.n; k++) {
        const sal_slot slot = tables->memory.at[k].slot;
        if (isnan(run->start.memory[k])) continue;
        run->system.z[slot] = run->start.memory[k];
        if (run->p) sal_tangent_start_memory(&run->tangent, slot);
        any = true;
    }
    if (!any) return SAL_OK;
    status = sal_system_refresh(&run->system);
    if (status == SAL_OK && run->p) sal_tangent_refresh(&run->tangent, &run->system);
    return status;
}

sal_status sal_run_say_crowded(sal_run *run)
{
    const sal_tables   *tables = run->model->tables;
    const sal_follower *f      = &tables->followers.at[run->contacts.crowded];

    return sal_run_fail(run, SAL_ERR_EVENTS,
                        "%s: more than %d %s of the line touch at once at t = %.9g s, and it has no more contacts",
                        tables->touches.at[f->touch].name, f->follow.contacts,
                        f->follow.part == SAL_SEGMENTS ? "segments" : "corners", run->t1);
}

/* Assembles without contacts with lines, chooses the parts of the lines nearest then, and lets contacts hold that are
 * said to be closed. Whether there are any. */
static sal_status find_parts(sal_run *run, sal_initial initial, sal_tangent *tangent, bool *closed)
{
    const sal_tables *tables = run->model->tables;
    sal_status        status;

    *closed = false;
    for (int k = 0; k < tables->touches.n; k++) {
        const sal_touch *t = &tables->touches.at[k];
        if (t->follower < 0 || !run->start.closed[k]) continue;
        run->mode.held[t->normal] = false;
        if (t->tangent >= 0) run->mode.held[t->tangent] = false;
        *closed = true;
    }
    sal_system_set_mode(&run->system, &run->mode);
    status = sal_followers_set_lines(&run->contacts, &run->system);
    if (status != SAL_OK) return status;
    sal_followers_refresh(&run->contacts, &run->system, tangent);
    status = sal_system_assemble(&run->system, run->start.t, initial, tangent);
    if (status != SAL_OK) return status;
    run->t1 = run->start.t;
    return sal_followers_start(&run->contacts, &run->system, tangent) ? SAL_OK : sal_run_say_crowded(run);
}

/* Finds the start, and which contacts are closed there: these then take part as constraints. */
static sal_status assemble_once(sal_run *run)
{
    const sal_initial initial = { run->initial_q, run->initial_v };
    sal_tangent      *tangent = run->p ? &run->tangent : NULL;
    sal_system       *s       = &run->system;
    bool              closed  = false;
    sal_status        status;

    start_mode(run);
    if (run->model->tables->followers.n) {
        status = find_parts(run, initial, tangent, &closed);
        if (status != SAL_OK) return status;
        start_mode(run);
    }
    if (closed || run->model->tables->followers.n == 0) {
        status = sal_system_assemble(s, run->start.t, initial, tangent);
        if (status != SAL_OK) return status;
    }
    s->length = sal_scale_length(s);
    sal_system_set_form(s, run->opts.form == SAL_PENALTY ? SAL_PENALTY : SAL_INDEX1,
                        (sal_stabilization)run->opts.stabilization);
    if (tangent) sal_chosen_start(tangent, s);
    status = sal_contacts_start(&run->contacts, s, &closed);
    if (status == SAL_OK && run->p) sal_sens_check_start(run);
    if (status != SAL_OK || !closed) return status;
    s->quiet = true; /* it has been said */
    status   = sal_system_assemble(s, run->start.t, initial, tangent);
    s->quiet = run->asked.quiet;
    sal_system_prepare(s);
    return status;
}

/* The same where forces depend on which are closed: until that stays. */
static sal_status assemble(sal_run *run)
{
    enum { OFTEN = 8 };
    sal_status status;

    start_mode(run);
    sal_contacts_note_closed(&run->system);
    status = assemble_once(run);
    for (int k = 0; status == SAL_OK && sal_contacts_note_closed(&run->system) && run->forces_read_closed; k++) {
        if (k == OFTEN)
            return sal_run_fail(
                run, SAL_ERR_EVENTS,
                "forces that depend on which contacts are closed let these open and close to and fro at "
                "the start");
        status = assemble_once(run);
    }
    return status;
}

/* Nothing is known of links in line yet (loop.c). */
static void begin_out_of_line(sal_run *run)
{
    run->straight       = 0.0;
    run->passing        = false;
    run->system.plainly = false;
}

static sal_status restart(sal_run *run)
{
    sal_system *s = &run->system;
    const int   n = run->model->n;
    sal_status  status;

    run->ended           = false;
    run->halfway         = false;
    run->told            = false;
    run->line            = 0;
    run->same_time       = 0;
    run->busy_since      = run->start.t;
    run->contacts.shared = run->contacts.vertices = false;
    run->contacts.jam                             = -1;
    for (int k = 0; k < run->model->tables->touches.n; k++) run->contacts.began[k] = run->contacts.slow[k] = -HUGE_VAL;
    run->contacts.gradual = 0.0;
    memset(run->find.handled, 0, sizeof *run->find.handled * (size_t)run->model->tables->events.n);
    memset(run->find.due, 0, sizeof *run->find.due * (size_t)run->model->tables->events.n);
    run->find.pending.event = -1;
    run->find.passing       = -1;
    run->record.info        = (sal_event_info){ .index = -1, .name = "" };
    run->hidden.record.info = run->record.info;
    s->sides_fixed          = false;
    if (run->p) memset(run->record.tau, 0, sizeof(double) * (size_t)run->p); /* of what happens at the start */
    run->stats               = (sal_run_stats){ 0 };
    run->stiff               = (sal_stiffness){ 0 };
    s->quiet                 = run->asked.quiet;
    s->motion.factorizations = s->motion.full = run->stepper.evaluations = 0;
    memset(run->find.tolerance, 0, sizeof *run->find.tolerance * (size_t)run->model->tables->events.n);
    memset(run->find.hop, 0, sizeof *run->find.hop * (size_t)run->model->tables->events.n);

    sal_system_forget(s);
    sal_instants_forget(run);
    run->invalid[0] = run->note[0] = '\0';
    run->wrt_phi = run->wrt_phidot = 0.0;
    status                         = sal_system_set_values(s, run->given);
    sal_knots_start(s, run->start.t);
    sal_columns_begin(run);
    if (status == SAL_OK) status = resolve_options(run);
    if (status == SAL_OK) status = sal_tangent_set_values(&run->motion, s, run->given);
    if (status == SAL_OK && run->p) status = sal_tangent_set_values(&run->tangent, s, run->given);
    if (status == SAL_OK) status = start_memory(run);
    if (status == SAL_OK && run->p) status = sal_sens_check_settings(run);
    if (status != SAL_OK) return status;
    run->stepper.flow.correct =
        run->opts.form != SAL_PENALTY && run->opts.stabilization == SAL_PROJECTION ? sal_run_project : NULL;
    run->stepper.flow.within = run->opts.form == SAL_INDEX3 ? sal_run_hold_positions : NULL;
    run->stepper.rtol        = run->opts.rtol;
    run->stepper.atol        = run->opts.atol;
    run->t_end               = run->opts.duration;
    status                   = sal_auto_start(run);
    if (status != SAL_OK) return status;

    if (!(run->start.t < run->t_end))
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "the run begins at %g s, and ends after %g s", run->start.t,
                            run->t_end);

    begin_out_of_line(run);
    status = assemble(run);
    if (status != SAL_OK) return status;
    warn_of_redundancy(run);
    sal_tangent_set_form(&run->motion, s);
    sal_system_prepare_jumps(s);
    memcpy(run->y, s->z, sizeof *run->y * (size_t)n);
    memcpy(run->y + n, s->zd, sizeof *run->y * (size_t)n);
    memset(run->y + 2 * n, 0, sizeof *run->y * (size_t)(run->stepper.n - 2 * n));
    if (run->p) {
        sal_tangent_set_form(&run->tangent, s);
        memcpy(run->y + sal_run_state_size(run), run->tangent.z, sizeof *run->y * (size_t)(n * run->p));
        memcpy(run->y + sal_run_state_size(run) + n * run->p, run->tangent.zd, sizeof *run->y * (size_t)(n * run->p));
        status = sal_sens_share(run);
        if (status != SAL_OK) return status;
    }
    sal_health_start(run);
    status                  = sal_run_begin_segment(run, run->start.t, run->y, (sal_pending){ .event = -1 });
    run->stats.energy_start = run->segment_energy;
    if (status != SAL_OK) return status;
    run->h_next = sal_stepper_first_length(&run->stepper, fmin(run->opts.max_step, run->t_end - run->start.t));
    return SAL_OK;
}

/* Who may end the run from outside from now on. */
static void start_watch(sal_run *run)
{
    const bool   timed = run->asked.max_wall > 0.0 || run->asked.stop_every > 0.0;
    const double now   = timed ? sal_watch_now() : 0.0;

    if (run->asked_at == 0.0) run->asked_at = now; /* many short runs of it are long together */
    run->watch        = (sal_watch){ .stop  = run->asked.stop,
                                     .user  = run->asked.user,
                                     .until = run->asked.max_wall > 0.0 ? now + run->asked.max_wall : HUGE_VAL,
                                     .every = run->asked.stop_every,
                                     .asked = &run->asked_at };
    run->system.watch = &run->watch;
}

sal_status sal_run_restart(sal_run *run)
{
    run->system.message[0] = '\0';
    start_watch(run);
    run->state = sal_run_say_limit(run, restart(run), run->start.t);
    if (run->state == SAL_STOPPED) sal_run_fail(run, SAL_STOPPED, "stopped at the start");
    if (run->state < 0 && !run->system.message[0]) /* nothing has been said where it arose, as of memory */
        sal_run_fail(run, run->state, "%s", sal_status_text(run->state));
    return run->state;
}

sal_status sal_run_restart_tried(sal_run *run)
{
    run->watch = (sal_watch){ .until = HUGE_VAL };
    run->state = restart(run);
    start_watch(run);
    return run->state;
}

/* ------------------------------------------------------------------------------------------ life */

/* It cannot change in a restart: it is the option's, else the scene's. */
static int integrator_of(const sal_model *model, const sal_run_opts *o)
{
    const sal_simulation *sim  = &model->tables->simulation;
    const int             kind = o->integrator < 0 ? sim->integrator : o->integrator;

    return kind == SAL_AUTO && (o->form < 0 ? sim->form : o->form) == SAL_INDEX3 ? SAL_RADAU : kind;
}

static const sal_stepper_ops *method_of(const sal_model *model, const sal_run_opts *o)
{
    static const sal_stepper_ops *const kinds[] = { [SAL_RK8]   = &sal_stepper_rk8,
                                                    [SAL_RK5]   = &sal_stepper_rk5,
                                                    [SAL_RADAU] = &sal_stepper_radau,
                                                    [SAL_AUTO]  = &sal_stepper_rk8 };

    const int kind = integrator_of(model, o);

    return kinds[kind < SAL_COUNT(kinds) ? kind : SAL_RK8]; /* what is unknown is refused later */
}

static void start_as_scene(sal_run *run)
{
    const sal_tables *tables = run->model->tables;

    run->start.t = 0.0;
    for (int k = 0; k < run->model->n; k++) run->initial_q[k] = run->initial_v[k] = NAN;
    for (int k = 0; k < tables->memory.n; k++) run->start.memory[k] = NAN;
    for (int k = 0; k < tables->touches.n; k++) run->start.closed[k] = tables->touches.at[k].closed;
}

/* A record of events, but for its derivatives. */
static void allocate_record(sal_run *run, sal_event_record *r)
{
    const sal_tables *tables = run->model->tables;
    const int         n = run->model->n, m = run->model->m;

    r->a         = SAL_NEW(&run->pool, double, n);
    r->outputs   = SAL_NEW(&run->pool, double, tables->outputs.n);
    r->reactions = SAL_NEW(&run->pool, double, tables->reactions.n);
    r->v         = SAL_NEW(&run->pool, double, n);
    r->lambda    = SAL_NEW(&run->pool, double, m);
    r->z         = SAL_NEW(&run->pool, double, run->model->nz);
    sal_mode_init(&r->mode, &run->pool, m, m);
    sal_mode_init(&r->after, &run->pool, m, m);
}

static sal_status allocate(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    const int         n = run->model->n, m = run->model->m;
    sal_status        status;

    run->forces_read_closed = sal_run_forces_read_closed(tables);
    run->given              = SAL_NEW(&run->pool, double, tables->parameters.n);
    run->shown.z            = SAL_NEW(&run->pool, double, run->model->nz);
    run->shown.zd           = SAL_NEW(&run->pool, double, run->model->nz);
    run->shown.zdd          = SAL_NEW(&run->pool, double, run->model->nz);
    run->shown.lambda_rate  = SAL_NEW(&run->pool, double, m);
    run->end.a              = SAL_NEW(&run->pool, double, n);
    run->end.lambda         = SAL_NEW(&run->pool, double, m);
    run->initial_q          = SAL_NEW(&run->pool, double, n);
    run->initial_v          = SAL_NEW(&run->pool, double, n);
    run->shown.lambda       = SAL_NEW(&run->pool, double, m);
    run->shown.cost         = SAL_NEW(&run->pool, double, tables->costs.n);
    run->shown.mean         = SAL_NEW(&run->pool, double, tables->costs.n);
    run->noted              = SAL_NEW(&run->pool, double, tables->notes.n);
    run->noted_change       = SAL_NEW(&run->pool, double, tables->notes.n *(run->asked.nwrt > 0 ? run->asked.nwrt : 0));
    run->start.memory       = SAL_NEW(&run->pool, double, tables->memory.n);
    run->start.closed       = SAL_NEW(&run->pool, bool, tables->touches.n);
    allocate_record(run, &run->record);
    allocate_record(run, &run->hidden.record);
    run->hidden.impulse        = SAL_NEW(&run->pool, double, m);
    run->hidden.impulse_change = SAL_NEW(&run->pool, double, m *(run->asked.nwrt > 0 ? run->asked.nwrt : 0));
    sal_mode_init(&run->mode, &run->pool, m, m);
    if (run->pool.failed) return SAL_ERR_MEMORY;
    start_as_scene(run);
    for (int k = 0; k < tables->parameters.n; k++) run->given[k] = NAN;
    status = sal_system_init(&run->system, run->model, &run->pool);
    if (status == SAL_OK) status = sal_tangent_init(&run->motion, run->model, &run->pool, &SAL_ALONG_MOTION, 1);
    if (status == SAL_OK && (run->asked.nwrt < 0 || (run->asked.nwrt > 0 && !run->asked.wrt))) {
        status = sal_run_fail(run, SAL_ERR_ARGUMENT, "nwrt is %d and wrt %s", run->asked.nwrt,
                              run->asked.wrt ? "given" : "NULL");
    }
    if (status == SAL_OK && run->asked.nwrt > 0) status = sal_sens_allocate(run);
    if (status == SAL_OK) status = sal_contacts_init(&run->contacts, run->model, &run->pool, run->p);
    run->contacts.starts_closed = run->start.closed;
    if (status == SAL_OK) status = sal_instants_init(run);
    if (status == SAL_OK) status = sal_health_allocate(run);
    if (status == SAL_OK) {
        const int size = sal_run_state_size(run), works = run->works.smooth;
        status = sal_stepper_init(&run->stepper, &run->pool, method_of(run->model, &run->asked),
                                  size + (size - works) * run->p);
        if (run->asked.wrt_uncontrolled) run->stepper.control = size;
        run->stepper.measured = run->stepper.control;
        run->stepper.spared   = works ? size - works : -1;
        run->stepper.nspared  = works;
        run->stepper.estimate = SAL_NEW(&run->pool, double, works);
        if (run->pool.failed) status = SAL_ERR_MEMORY;
    }
    run->stepper.flow = (sal_flow){ .derivative = sal_run_motion, .self = run };
    if (status == SAL_OK && run->stepper.ops->implicit) status = sal_run_prepare_implicit(run);
    if (integrator_of(run->model, &run->asked) == SAL_AUTO) run->other.ops = &sal_stepper_radau;
    if (status == SAL_OK) status = sal_kinks_init(run);
    return status == SAL_OK ? sal_events_init(run) : status;
}

/* Out of what the run says into what the context says; the run goes. */
static sal_status give_up(sal_run **run, sal_status status)
{
    if (status == SAL_ERR_MEMORY) sal_out_of_memory((*run)->context);
    else sal_fail((*run)->context, status, "%s", (*run)->system.message);
    sal_run_destroy(run);
    return status;
}

sal_status sal_run_make(const sal_model *model, const sal_run_opts *asked, sal_run **run)
{
    sal_context *context = model->tables->context;
    sal_pool     pool;
    sal_run     *r;
    sal_status   status;

    *run = NULL;
    sal_pool_init(&pool, context);
    r = SAL_NEW(&pool, sal_run, 1);
    if (!r) return sal_out_of_memory(context);
    r->pool         = pool;
    r->context      = context;
    r->model        = model;
    r->system.model = model;
    r->asked        = *asked;
    status          = allocate(r);
    *run            = r;
    return status == SAL_OK ? SAL_OK : give_up(run, status);
}

sal_status sal_run_create(const sal_model *model, const sal_run_opts *opts, sal_run **run)
{
    sal_run_opts asked;
    sal_status   status = sal_run_read_opts(model->tables->context, opts, &asked);

    *run = NULL;
    for (int c = 0; c < asked.nwrt && asked.wrt && status == SAL_OK; c++) {
        if (!asked.wrt[c]) status = sal_fail(model->tables->context, SAL_ERR_ARGUMENT, "wrt %d is NULL", c);
    }
    if (status == SAL_OK) status = sal_run_make(model, &asked, run);
    if (status != SAL_OK) return status;
    for (int k = 0; k < asked.nset && status == SAL_OK; k++) {
        status = sal_run_set(*run, asked.set[k].parameter, asked.set[k].value);
    }
    if (status == SAL_OK) status = sal_run_restart(*run);
    return status == SAL_OK ? SAL_OK : give_up(run, status);
}

void sal_run_destroy(sal_run **run)
{
    sal_run *r = *run;
    sal_pool pool;

    *run = NULL;
    if (!r) return;
    sal_contacts_free(&r->contacts);
    sal_system_free(&r->system);
    if (r->implicit) sal_implicit_free(&r->implicit->motion);
    if (r->output.n) sal_pool_free(&r->output.pool);
    pool = r->pool; /* the run itself lies in it */
    sal_pool_free(&pool);
}

sal_status sal_run_set(sal_run *run, const char *parameter, double value)
{
    const sal_tables *tables = run->model->tables;
    const int         k      = sal_names_find(&tables->parameter_names, parameter);
    sal_wrt           initial;

    if (!isfinite(value))
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "parameter '%s' must be finite, is %g", parameter, value);
    const int vector = k < 0 ? sal_names_find(&tables->vector_names, parameter) : -1;
    if (vector >= 0) { /* all of its knots */
        const sal_vector *v = &tables->vectors.at[vector];
        for (int i = 0; i < v->n; i++) run->given[v->first + i] = value;
        return SAL_OK;
    }
    if (k >= 0) run->given[k] = value;
    else if (!sal_sens_find_initial(run->model, parameter, &initial)) return sal_sens_unknown(run, parameter);
    else if (initial.coordinate >= 0) (initial.velocity ? run->initial_v : run->initial_q)[initial.coordinate] = value;
    for (int i = 0; i < tables->memory.n && k < 0; i++) {
        if (tables->memory.at[i].slot == initial.memory) run->start.memory[i] = value;
    }
    return SAL_OK;
}

sal_status sal_run_set_parameter(sal_run *run, int index, double value)
{
    const sal_tables *tables = run->model->tables;

    if (index < 0 || index >= tables->parameters.n)
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "parameter %d does not exist; there are %d", index,
                            tables->parameters.n);
    return sal_run_set(run, tables->parameters.at[index].name, value);
}

sal_start sal_start_defaults(void)
{
    return (sal_start){ .size = sizeof(sal_start) };
}

/* The first number that is not finite, -1: all are. */
static int not_finite(const double *x, int n)
{
    for (int k = 0; k < n; k++) {
        if (!isfinite(x[k])) return k;
    }
    return -1;
}

sal_status sal_run_start_at(sal_run *run, const sal_start *start)
{
    const sal_tables *tables = run->model->tables;
    const int         n      = run->model->n;

    if (start && start->size != sizeof *start)
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "sal_start: begin with sal_start_defaults()");
    if (start && (!isfinite(start->t) || (start->q && not_finite(start->q, n) >= 0) ||
                  (start->v && not_finite(start->v, n) >= 0) ||
                  (start->memory && not_finite(start->memory, tables->memory.n) >= 0)))
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "sal_start: a number is not finite");
    start_as_scene(run);
    if (!start) return sal_run_restart(run);
    run->start.t = start->t;
    if (start->q) memcpy(run->initial_q, start->q, sizeof *start->q * (size_t)n);
    if (start->v) memcpy(run->initial_v, start->v, sizeof *start->v * (size_t)n);
    if (start->memory) memcpy(run->start.memory, start->memory, sizeof *start->memory * (size_t)tables->memory.n);
    if (start->closed) memcpy(run->start.closed, start->closed, sizeof *start->closed * (size_t)tables->touches.n);
    return sal_run_restart(run);
}
