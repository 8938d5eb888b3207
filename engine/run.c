/* run.c - the life of a run: start, steps, events, the state shown to the caller.
 *
 * The integrator's vector is y = [q | v | integrals of the running costs]. A step that has been made stays the current one, with
 * its dense output, until the next is asked for; so sal_run_to() can show any time inside it. An event lies at the end of
 * a step (the step is made to end there) and is handled when the caller goes on. */
#include "engine/run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/options.h"

const char *const sal_form_words[]          = { [SAL_INDEX1] = "index1", [SAL_PENALTY] = "penalty", NULL };
const char *const sal_integrator_words[]    = { [SAL_RK8] = "rk8", [SAL_RK5] = "rk5", NULL };
const char *const sal_stabilization_words[] = {
    [SAL_PROJECTION] = "projection", [SAL_BAUMGARTE] = "baumgarte", [SAL_NO_STABILIZATION] = "none", NULL
};

enum { SAME_TIME_MAX = 1000 }; /* events at one instant before the run gives up */

sal_status sal_run_fail(sal_run *run, sal_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(run->system.message, sizeof run->system.message, format, args);
    va_end(args);
    return status;
}

/* --------------------------------------------------------------------------------- the integrator */

static bool recoverable(sal_status status)
{
    return status == SAL_ERR_SINGULAR || status == SAL_ERR_NUMBER;
}

/* Whether the integrator's vector now goes on with sensitivities. */
static bool differentiating(const sal_run *run)
{
    return run->rk.active > sal_run_state_size(run);
}

/* Q' = V, V' = A, and the derivatives of the integrands; the system has just been solved at y. */
static void motion_tangent(sal_run *run, const double *y, double *dy)
{
    const sal_scene *scene = run->model->scene;
    const int        block = run->model->n * run->p, first = sal_run_state_size(run);
    const double    *Q = y + first, *V = Q + block;
    double          *dQ = dy + first, *dV = dQ + block, *dZ = dV + block;

    sal_tangent_move(&run->tangent, &run->system, Q, V);
    sal_tangent_accelerate(&run->tangent, &run->system);
    memcpy(dQ, V, sizeof(double) * (size_t)block);
    memcpy(dV, run->tangent.zdd, sizeof(double) * (size_t)block);
    for (int k = 0; k < scene->costs.n; k++, dZ += run->p) {
        const sal_program *g = &scene->costs.at[k].running;
        if (g->n) sal_tangent_value(&run->tangent, &run->system, g, dZ);
        else memset(dZ, 0, sizeof(double) * (size_t)run->p);
        dy[2 * run->model->n + k] = g->n ? run->system.value[g->n - 1] : 0.0;
    }
}

static sal_status motion(void *self, double t, const double *y, double *dy)
{
    sal_run         *run   = self;
    sal_system      *s     = &run->system;
    const sal_scene *scene = run->model->scene;
    const int        n     = run->model->n;
    sal_status       status;

    sal_system_move(s, t, y, y + n);
    status = sal_system_accelerate(s);
    if (status != SAL_OK) return status;
    memcpy(dy, y + n, sizeof *dy * (size_t)n);
    memcpy(dy + n, s->zdd, sizeof *dy * (size_t)n);
    if (differentiating(run)) {
        motion_tangent(run, y, dy);
        return SAL_OK;
    }
    for (int k = 0; k < scene->costs.n; k++) {
        dy[2 * n + k] = scene->costs.at[k].running.n ? sal_system_value(s, &scene->costs.at[k].running) : 0.0;
    }
    return SAL_OK;
}

static sal_status project(void *self, double t, double *y)
{
    sal_run   *run = self;
    const int  n   = run->model->n;
    sal_status status;

    sal_system_move(&run->system, t, y, y + n);
    status = sal_system_project(&run->system);
    memcpy(y, run->system.z, sizeof *y * (size_t)n);
    memcpy(y + n, run->system.zd, sizeof *y * (size_t)n);
    if (status == SAL_OK && differentiating(run)) { /* the factors are those of a state a rounding error away */
        double      *Q = y + sal_run_state_size(run), *V = Q + n * run->p;
        const size_t size = sizeof(double) * (size_t)(n * run->p);
        sal_tangent_move(&run->tangent, &run->system, Q, V);
        sal_tangent_project(&run->tangent, &run->system);
        memcpy(Q, run->tangent.z, size);
        memcpy(V, run->tangent.zd, size);
    }
    return status;
}

/* ------------------------------------------------------------------------------- the state shown */

/* Shows the tangent's state, and the gradients of the costs from the derivatives of their integrals. Where the run ends at a time that depends on
 * the parameters, dt_end/drho is in tau_end. */
static void show_tangent(sal_run *run, const double *integral)
{
    const sal_scene *scene = run->model->scene;
    sal_system      *s     = &run->system;
    const size_t     n     = sizeof(double) * (size_t)(run->model->n * run->p),
                 m         = sizeof(double) * (size_t)(run->model->m * run->p);
    const bool end         = run->ended || run->t >= run->t_end;

    memcpy(run->Q, run->tangent.z, n);
    memcpy(run->V, run->tangent.zd, n);
    memcpy(run->A, run->tangent.zdd, n);
    memcpy(run->Lambda, run->tangent.lambda, m);
    for (int k = 0; k < scene->costs.n; k++) {
        const sal_cost *cost  = &scene->costs.at[k];
        double         *out   = run->cost_gradient + (size_t)k * (size_t)run->p;
        double          speed = 0.0; /* of the cost as the end moves */
        if (cost->terminal.n) sal_tangent_value(&run->tangent, s, &cost->terminal, out);
        else memset(out, 0, sizeof(double) * (size_t)run->p);
        if (end && cost->terminal.n) speed += sal_system_rate(s, &cost->terminal);
        if (end && cost->running.n) speed += sal_system_value(s, &cost->running);
        for (int c = 0; c < run->p; c++) out[c] += integral[k * run->p + c] + (end ? speed * run->tau_end[c] : 0.0);
    }
}

/* Shows the state that the system is in, accelerations included. */
static void show(sal_run *run, double t, const double *integral)
{
    const sal_scene *scene = run->model->scene;
    const size_t     n = (size_t)run->model->n, m = (size_t)run->model->m;
    sal_system      *s = &run->system;

    run->t = t;
    memcpy(run->q, s->z, sizeof(double) * n);
    memcpy(run->v, s->zd, sizeof(double) * n);
    memcpy(run->a, s->zdd, sizeof(double) * n);
    memcpy(run->lambda, s->lambda, sizeof(double) * m);
    for (int k = 0; k < scene->costs.n; k++) {
        const sal_program *terminal = &scene->costs.at[k].terminal;
        run->cost[k]                = integral[k] + (terminal->n ? sal_system_value(s, terminal) : 0.0);
    }
    if (run->p) show_tangent(run, integral + scene->costs.n + 2 * run->model->n * run->p);
}

static void account(sal_run *run)
{
    double phi, phidot, drift;

    sal_system_residual(&run->system, &phi, &phidot);
    drift                   = fabs(sal_system_energy(&run->system) - run->segment_energy);
    run->stats.max_phi      = fmax(run->stats.max_phi, phi);
    run->stats.max_phidot   = fmax(run->stats.max_phidot, phidot);
    run->stats.energy_drift = fmax(run->stats.energy_drift, drift);
    if (!run->p) return;
    sal_tangent_residual(&run->tangent, &run->system, &phi, &phidot);
    run->wrt_phi    = fmax(run->wrt_phi, phi);
    run->wrt_phidot = fmax(run->wrt_phidot, phidot);
}

/* Keeps accelerations and multipliers at the end of the step, where the integrator's last evaluation was. */
static void remember_end(sal_run *run)
{
    memcpy(run->a1, run->system.zdd, sizeof(double) * (size_t)run->model->n);
    memcpy(run->lambda1, run->system.lambda, sizeof(double) * (size_t)run->model->m);
    if (!run->p) return;
    memcpy(run->A1, run->tangent.zdd, sizeof(double) * (size_t)(run->model->n * run->p));
    memcpy(run->Lambda1, run->tangent.lambda, sizeof(double) * (size_t)(run->model->m * run->p));
}

/* Puts the system back there. */
static void restore_end(sal_run *run)
{
    sal_system_move(&run->system, run->t1, run->rk.y1, run->rk.y1 + run->model->n);
    memcpy(run->system.zdd, run->a1, sizeof(double) * (size_t)run->model->n);
    memcpy(run->system.lambda, run->lambda1, sizeof(double) * (size_t)run->model->m);
    if (!run->p) return;
    const double *Q = run->rk.y1 + sal_run_state_size(run);
    sal_tangent_move(&run->tangent, &run->system, Q, Q + run->model->n * run->p);
    memcpy(run->tangent.zdd, run->A1, sizeof(double) * (size_t)(run->model->n * run->p));
    memcpy(run->tangent.lambda, run->Lambda1, sizeof(double) * (size_t)(run->model->m * run->p));
}

static void show_end(sal_run *run)
{
    restore_end(run);
    show(run, run->t1, run->rk.y1 + 2 * run->model->n);
}

/* Begins a smooth piece at y: after the start, after an event. */
static sal_status begin_segment(sal_run *run, double t, const double *y, sal_fired fired)
{
    sal_status status = sal_rk_start(&run->rk, t, y);

    run->t1 = t;
    if (status != SAL_OK) return sal_system_explain(&run->system, status, &run->system.motion);
    remember_end(run);
    run->segment_energy = sal_system_energy(&run->system);
    account(run);
    show_end(run);
    return sal_events_arm(run, fired);
}

/* ----------------------------------------------------------------------------------------- start */

sal_run_opts sal_run_defaults(void)
{
    return (sal_run_opts){ .form          = -1,
                           .stabilization = -1,
                           .integrator    = -1,
                           .duration      = -1.0,
                           .rtol          = -1.0,
                           .atol          = -1.0,
                           .max_step      = -1.0,
                           .min_step      = -1.0 };
}

/* Options as they are in effect; those not asked for are the scene's, whose values are known by now. */
static sal_status resolve_options(sal_run *run)
{
    const sal_simulation *sim = &run->model->scene->simulation;
    const sal_run_opts   *o   = &run->asked;
    const double         *z   = run->system.z;

#define PICK(field, otherwise)    (o->field < 0 ? (otherwise) : o->field)
#define OPTIONAL(slot, otherwise) ((slot) == SAL_NONE ? (otherwise) : z[slot])
    run->opts.form          = PICK(form, sim->form);
    run->opts.stabilization = PICK(stabilization, sim->stabilization);
    run->opts.integrator    = PICK(integrator, sim->integrator);
    run->opts.duration      = PICK(duration, z[sim->duration]);
    run->opts.rtol          = PICK(rtol, z[sim->rtol]);
    run->opts.atol          = PICK(atol, OPTIONAL(sim->atol, run->opts.rtol));
    run->opts.max_step      = PICK(max_step, OPTIONAL(sim->max_step, run->opts.duration));
    run->opts.min_step      = PICK(min_step, OPTIONAL(sim->min_step, 0.0));
#undef PICK
#undef OPTIONAL
    if (run->opts.form > SAL_PENALTY || run->opts.stabilization > SAL_NO_STABILIZATION ||
        run->opts.integrator > SAL_RK5) {
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "unknown form, stabilization or integrator");
    }
    if (!(run->opts.rtol >= 1e-15) || !(run->opts.rtol < 1.0)) {
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "rtol is %g; expected a number from 1e-15 to below 1",
                            run->opts.rtol);
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

/* The settings of the simulation have no derivatives, except for the duration. */
static sal_status check_settings(sal_run *run)
{
    const sal_simulation *sim     = &run->model->scene->simulation;
    const sal_slot        fixed[] = { sim->rtol, sim->atol, sim->max_step, sim->min_step };

    for (int c = 0; c < run->p; c++) {
        run->tau_end[c] =
            run->asked.duration < 0 ? run->tangent.z[(size_t)sim->duration * (size_t)run->p + (size_t)c] : 0.0;
        for (int k = 0; k < SAL_COUNT(fixed); k++) {
            if (fixed[k] == SAL_NONE || run->tangent.z[(size_t)fixed[k] * (size_t)run->p + (size_t)c] == 0.0) continue;
            return sal_run_fail(
                run, SAL_ERR_ARGUMENT,
                "a tolerance or step limit depends on %s; nothing can be differentiated with respect to it",
                run->wrt[c]);
        }
    }
    return SAL_OK;
}

static sal_status restart(sal_run *run)
{
    sal_system *s = &run->system;
    const int   n = run->model->n;
    sal_status  status;

    run->ended               = false;
    run->same_time           = 0;
    run->pending.event       = -1;
    run->event               = (sal_event_info){ .index = -1, .name = "" };
    run->stats               = (sal_run_stats){ 0 };
    s->motion.factorizations = s->motion.full = run->rk.evaluations = 0;
    memset(run->tolerance, 0, sizeof *run->tolerance * (size_t)run->model->scene->events.n);

    run->invalid[0] = '\0';
    run->wrt_phi = run->wrt_phidot = 0.0;
    status                         = sal_system_set_values(s, run->given);
    if (status == SAL_OK) status = resolve_options(run);
    if (status == SAL_OK && run->p) status = sal_tangent_set_values(&run->tangent, s, run->given);
    if (status == SAL_OK && run->p) status = check_settings(run);
    if (status != SAL_OK) return status;
    run->rk.finish = run->opts.form == SAL_INDEX1 && run->opts.stabilization == SAL_PROJECTION ? project : NULL;
    run->rk.rtol   = run->opts.rtol;
    run->rk.atol   = run->opts.atol;
    run->t_end     = run->opts.duration;

    status =
        sal_system_assemble(s, 0.0, (sal_initial){ run->initial_q, run->initial_v }, run->p ? &run->tangent : NULL);
    if (status != SAL_OK) return status;
    sal_system_count_turns(s, true);
    sal_system_set_form(s, (sal_form)run->opts.form, (sal_stabilization)run->opts.stabilization);
    sal_system_prepare_jumps(s);
    memcpy(run->y, s->z, sizeof *run->y * (size_t)n);
    memcpy(run->y + n, s->zd, sizeof *run->y * (size_t)n);
    memset(run->y + 2 * n, 0, sizeof *run->y * (size_t)(run->rk.n - 2 * n));
    if (run->p) {
        sal_tangent_set_form(&run->tangent, s);
        memcpy(run->y + sal_run_state_size(run), run->tangent.z, sizeof *run->y * (size_t)(n * run->p));
        memcpy(run->y + sal_run_state_size(run) + n * run->p, run->tangent.zd, sizeof *run->y * (size_t)(n * run->p));
    }
    status                  = begin_segment(run, 0.0, run->y, (sal_fired){ .event = -1 });
    run->stats.energy_start = run->segment_energy;
    if (status != SAL_OK) return status;
    return sal_rk_first_step(&run->rk, fmin(run->opts.max_step, run->t_end), &run->h_next);
}

sal_status sal_run_restart(sal_run *run)
{
    run->system.message[0] = '\0';
    return run->state      = restart(run);
}

/* The integrator cannot change its kind in a restart: it is the option's, else the scene's. */
static const sal_tableau *method_of(const sal_model *model, const sal_run_opts *o)
{
    return (o->integrator < 0 ? model->scene->simulation.integrator : o->integrator) == SAL_RK5 ? &sal_rk5 : &sal_rk8;
}

/* "initial(P.x)": which coordinate, and whether it is its velocity; false: it is something else. */
static bool find_initial(const sal_model *model, const char *name, int *coordinate, bool *velocity)
{
    static const char *const parts[] = { "x", "y", "vx", "vy" };
    char                     point[SAL_NAME_MAX + 1], part[3];
    const sal_point_def     *def;
    int                      end = 0;

    if (sscanf(name, "initial(%63[^.].%2[vxy])%n", point, part, &end) != 2 || end == 0 || name[end]) return false;
    def = sal_scene_point(model->scene, point);
    if (!def || def->kind != SAL_FREE) return false;
    for (int k = 0; k < SAL_COUNT(parts); k++) {
        if (strcmp(parts[k], part) != 0) continue;
        *coordinate = def->point.xi + k % 2;
        *velocity   = k >= 2;
        return true;
    }
    return false;
}

static sal_status unknown_parameter(sal_run *run, const char *name)
{
    const sal_names *names      = &run->model->scene->parameter_names;
    const char      *nearest    = sal_nearest(name, names->list.at, names->list.n);
    char             known[256] = "";
    size_t           used       = 0;

    if (nearest)
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "unknown parameter '%s'; did you mean '%s'?", name, nearest);
    for (int k = 0; k < names->list.n && used < sizeof known - SAL_NAME_MAX - 8; k++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s, ", names->list.at[k]);
    }
    return sal_run_fail(run, SAL_ERR_ARGUMENT,
                        "unknown parameter '%s'; known: %sand initial(P.x), .y, .vx, .vy of free points P", name,
                        known);
}

/* What happens at an event is differentiated along it, which for accelerations and multipliers would take their rates. */
static sal_status refuse_indirect(sal_run *run)
{
    const sal_scene *scene = run->model->scene;
    const unsigned   rates = 1u << SAL_SRC_ZDD | 1u << SAL_SRC_LAMBDA;

    for (int e = 0; e < scene->events.n; e++) {
        bool indirect = false;
        for (int k = 0; k < scene->events.at[e].nset; k++)
            indirect |= (scene->setters.at[scene->events.at[e].set + k].value.reads & rates) != 0;
        for (int k = 0; k < scene->event_costs.n; k++) {
            indirect |= scene->event_costs.at[k].event == e && (scene->event_costs.at[k].program.reads & rates) != 0;
        }
        if (!indirect) continue;
        return sal_run_fail(
            run, SAL_ERR_ARGUMENT,
            "%s sets or costs something that reads accelerations or multipliers: that has no derivative here",
            scene->events.at[e].name);
    }
    return SAL_OK;
}

static sal_status allocate_tangent(sal_run *run)
{
    const int  n = run->model->n, m = run->model->m, p = run->asked.nwrt, costs = run->model->scene->costs.n;
    sal_wrt   *wrt = SAL_NEW(&run->pool, sal_wrt, p);
    sal_status status;

    run->p             = p;
    run->wrt           = SAL_NEW(&run->pool, const char *, p);
    run->Q             = SAL_NEW(&run->pool, double, n *p);
    run->V             = SAL_NEW(&run->pool, double, n *p);
    run->A             = SAL_NEW(&run->pool, double, n *p);
    run->A1            = SAL_NEW(&run->pool, double, n *p);
    run->Q_before      = SAL_NEW(&run->pool, double, n *p);
    run->V_before      = SAL_NEW(&run->pool, double, n *p);
    run->Lambda        = SAL_NEW(&run->pool, double, m *p);
    run->Lambda1       = SAL_NEW(&run->pool, double, m *p);
    run->Lambda_before = SAL_NEW(&run->pool, double, m *p);
    run->cost_gradient = SAL_NEW(&run->pool, double, costs *p);
    run->running       = SAL_NEW(&run->pool, double, costs);
    run->tau           = SAL_NEW(&run->pool, double, p);
    run->tau_end       = SAL_NEW(&run->pool, double, p);
    if (run->asked.partitioned) {
        run->along     = SAL_NEW(&run->pool, double, n *p);
        run->dependent = SAL_NEW(&run->pool, double, n *p);
        run->preferred = SAL_NEW(&run->pool, bool, n);
        sal_partition_init(&run->partition, run->model, &run->pool);
    }
    if (run->pool.failed) return SAL_ERR_MEMORY;
    for (int c = 0; c < p; c++) {
        const char *name = run->asked.wrt[c];
        run->wrt[c]      = sal_pool_copy(&run->pool, name, strlen(name));
        wrt[c] = (sal_wrt){ .parameter = sal_names_find(&run->model->scene->parameter_names, name), .coordinate = -1 };
        if (wrt[c].parameter < 0 && !find_initial(run->model, name, &wrt[c].coordinate, &wrt[c].velocity))
            return unknown_parameter(run, name);
    }
    status = refuse_indirect(run);
    if (status == SAL_OK) status = sal_tangent_init(&run->tangent, run->model, &run->pool, wrt, p);
    return run->pool.failed ? SAL_ERR_MEMORY : status;
}

static sal_status allocate(sal_run *run)
{
    const sal_scene *scene = run->model->scene;
    const int        n = run->model->n, m = run->model->m;
    sal_status       status;

    run->given          = SAL_NEW(&run->pool, double, scene->parameters.n);
    run->q              = SAL_NEW(&run->pool, double, n);
    run->v              = SAL_NEW(&run->pool, double, n);
    run->a              = SAL_NEW(&run->pool, double, n);
    run->a1             = SAL_NEW(&run->pool, double, n);
    run->lambda1        = SAL_NEW(&run->pool, double, m);
    run->a_before       = SAL_NEW(&run->pool, double, n);
    run->outputs_before = SAL_NEW(&run->pool, double, scene->outputs.n);
    run->initial_q      = SAL_NEW(&run->pool, double, n);
    run->initial_v      = SAL_NEW(&run->pool, double, n);
    run->v_before       = SAL_NEW(&run->pool, double, n);
    run->lambda         = SAL_NEW(&run->pool, double, m);
    run->lambda_before  = SAL_NEW(&run->pool, double, m);
    run->cost           = SAL_NEW(&run->pool, double, scene->costs.n);
    if (run->pool.failed) return SAL_ERR_MEMORY;
    for (int k = 0; k < scene->parameters.n; k++) run->given[k] = NAN;
    for (int k = 0; k < n; k++) run->initial_q[k] = run->initial_v[k] = NAN;
    status = sal_system_init(&run->system, run->model, &run->pool);
    if (status == SAL_OK && run->asked.nwrt > 0) status = allocate_tangent(run);
    if (status == SAL_OK) {
        const int size = sal_run_state_size(run);
        status         = sal_rk_init(&run->rk, &run->pool, method_of(run->model, &run->asked), size * (1 + run->p));
        if (!run->asked.wrt_control) run->rk.control = size;
    }
    run->rk.function = motion;
    run->rk.self     = run;
    return status == SAL_OK ? sal_events_init(run) : status;
}

sal_status sal_run_create(const sal_model *model, const sal_run_opts *opts, sal_run **run)
{
    sal_context *context = model->scene->context;
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
    r->asked        = opts ? *opts : sal_run_defaults();
    status          = allocate(r);
    if (status == SAL_ERR_MEMORY) sal_run_fail(r, status, "out of memory");
    for (int k = 0; k < r->asked.nset && status == SAL_OK; k++) {
        status = sal_run_set(r, r->asked.set[k].parameter, r->asked.set[k].value);
    }
    if (status == SAL_OK) status = sal_run_restart(r);
    *run = r;
    if (status == SAL_OK) return SAL_OK;
    sal_fail(context, status, "%s", r->system.message);
    sal_run_destroy(run);
    return status;
}

void sal_run_destroy(sal_run **run)
{
    sal_run *r = *run;
    sal_pool pool;

    *run = NULL;
    if (!r) return;
    sal_system_free(&r->system);
    pool = r->pool; /* the run itself lies in it */
    sal_pool_free(&pool);
}

sal_status sal_run_set(sal_run *run, const char *parameter, double value)
{
    int  k = sal_names_find(&run->model->scene->parameter_names, parameter), coordinate;
    bool velocity;

    if (!isfinite(value))
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "parameter '%s' must be finite, is %g", parameter, value);
    if (k >= 0) run->given[k] = value;
    else if (find_initial(run->model, parameter, &coordinate, &velocity))
        (velocity ? run->initial_v : run->initial_q)[coordinate] = value;
    else return unknown_parameter(run, parameter);
    return SAL_OK;
}

/* ----------------------------------------------------------------------------------------- steps */

static sal_status too_short(sal_run *run, sal_status reason, double h)
{
    if (recoverable(reason)) return sal_system_explain(&run->system, reason, &run->system.motion);
    return sal_run_fail(
        run, SAL_ERR_STEP,
        "at t = %.9g s a step of %.3g s is still too long for rtol %g, and shorter ones are not allowed: the motion "
        "changes too fast there",
        run->rk.t, h, run->opts.rtol);
}

static double least_step(const sal_run *run)
{
    return fmax(run->opts.min_step, 16.0 * DBL_EPSILON * fmax(fabs(run->rk.t), 1e-3 * run->t_end));
}

/* Makes the next step within the tolerance. */
static sal_status make_step(sal_run *run)
{
    sal_rk      *rk    = &run->rk;
    const double left  = run->t_end - rk->t;
    const double least = least_step(run);
    double       h = fmin(fmax(run->h_next, least), run->opts.max_step), error = 0.0;
    bool         rejected = false;
    sal_status   status;

    for (;;) {
        const bool last = h >= left * (1.0 - 1e-9); /* rather a little longer than a crumb at the end */
        if (last) h = left;
        status = sal_rk_try(rk, h, &error);
        if (status != SAL_OK && !recoverable(status))
            return sal_system_explain(&run->system, status, &run->system.motion);
        if (status == SAL_OK && error <= 1.0) {
            run->t1 = last ? run->t_end : rk->t + h;
            if (!last || rejected) run->h_next = sal_rk_next_step(rk, h, error, rejected);
            run->stats.steps++;
            return SAL_OK;
        }
        rejected = true;
        run->stats.rejected++;
        if (h <= least) return too_short(run, status, h);
        h = fmax(least, status == SAL_OK ? sal_rk_next_step(rk, h, error, true) : 0.25 * h);
    }
}

/* Steps on, up to the first event if there is one in the step. */
static sal_status advance(sal_run *run)
{
    sal_rk    *rk = &run->rk;
    sal_status status;

    if (rk->h > 0.0) {
        sal_rk_accept(rk);
        rk->t = run->t1;
        for (int e = 0; e < run->model->scene->events.n; e++) run->arming[e] = SAL_ARMED;
    }
    do {
        status = make_step(run);
        if (status != SAL_OK) return status;
        remember_end(run);
        status = sal_events_find(run);
        if (status == SAL_ERR_STEP) { /* the dense output cannot tell */
            const double h = run->t_step - rk->t;
            run->h_next    = 0.25 * h;
            run->stats.rejected++;
            if (h <= 4.0 * least_step(run)) {
                return sal_run_fail(run, SAL_ERR_STEP,
                                    "an event function jumps or changes too fast to be followed at t = %.9g s; `when` "
                                    "must be continuous",
                                    run->t1);
            }
        }
    } while (status == SAL_ERR_STEP);
    if (recoverable(status) && !run->system.message[0])
        return sal_system_explain(&run->system, status, &run->system.motion);
    if (status != SAL_OK) return status;
    if (run->pending.event >= 0) { /* the step was made again, as far as the event */
        run->h_next = fmin(run->h_next, run->t_step - rk->t);
        remember_end(run);
    }
    if (run->t1 > rk->t) run->same_time = 0;
    restore_end(run);
    sal_system_count_turns(&run->system, false);
    show_end(run);
    account(run);
    return sal_system_check_timed(&run->system) == SAL_OK ? SAL_OK : SAL_ERR_NUMBER;
}

/* What the event means for the sensitivities before anything jumps: tau' = dt_e/drho from r(t, q, v, rho) = 0, and with it from derivatives at fixed
 * time to derivatives along the event, q' = Q + v tau', v' = V + a tau'. Where the function grazes zero there is no tau'. */
static void enter_event(sal_run *run, const sal_event *event, const sal_pending *now)
{
    const sal_scene *scene = run->model->scene;
    sal_system      *s     = &run->system;
    sal_tangent     *t     = &run->tangent;
    const size_t     size  = sizeof(double) * (size_t)(run->model->n * run->p);

    memcpy(run->Q_before, t->z, size);
    memcpy(run->V_before, t->zd, size);
    memcpy(run->Lambda_before, t->lambda, sizeof(double) * (size_t)(run->model->m * run->p));
    sal_tangent_value(t, s, &event->when, run->tau);
    for (int c = 0; c < run->p; c++) run->tau[c] /= -now->rate;
    if (!now->steep) {
        for (int c = 0; c < run->p; c++) run->tau[c] = NAN;
        if (!run->invalid[0]) {
            snprintf(run->invalid, sizeof run->invalid, "%s grazes zero at t = %.9g s: its time has no derivative",
                     event->name, run->t1);
        }
        return;
    }
    for (int k = 0; k < scene->costs.n; k++) {
        run->running[k] = scene->costs.at[k].running.n ? sal_system_value(s, &scene->costs.at[k].running) : 0.0;
    }
    for (int k = 0; k < run->model->nz; k++) {
        double *dz = t->z + (size_t)k * (size_t)run->p, *dzd = t->zd + (size_t)k * (size_t)run->p;
        for (int c = 0; c < run->p; c++) {
            dz[c] += s->zd[k] * run->tau[c];
            dzd[c] += s->zdd[k] * run->tau[c];
        }
    }
}

/* Adds what the event costs to the integrals in run->y, and how that changes along the event. */
static void add_event_costs(sal_run *run, int event)
{
    const sal_scene *scene = run->model->scene;
    double          *z = run->y + 2 * run->model->n, *Z = run->y + sal_run_state_size(run) + 2 * run->model->n * run->p;

    for (int k = 0; k < scene->event_costs.n; k++) {
        const sal_event_cost *item = &scene->event_costs.at[k];
        if (item->event != event) continue;
        z[item->cost] += sal_system_value(&run->system, &item->program);
        if (!run->p) continue;
        sal_tangent_value(&run->tangent, &run->system, &item->program, run->tangent.energy);
        for (int c = 0; c < run->p; c++) Z[item->cost * run->p + c] += run->tangent.energy[c];
    }
}

/* After the jump, back to derivatives at fixed time, in run->y: Q+ = q' - v+ tau', V+ = v'+ - a+ tau', Z+ = Z- + (g- - g+) tau'. */
static sal_status leave_event(sal_run *run)
{
    const sal_scene *scene = run->model->scene;
    sal_system      *s     = &run->system;
    const int        n = run->model->n, p = run->p;
    double          *Q = run->y + sal_run_state_size(run), *V = Q + n * p, *Z = V + n * p;
    sal_status       status = sal_system_accelerate(s);

    if (status != SAL_OK) return sal_system_explain(s, status, &s->motion);
    for (int k = 0; k < n; k++) {
        for (int c = 0; c < p; c++) {
            Q[k * p + c] = run->tangent.z[k * p + c] - s->zd[k] * run->tau[c];
            V[k * p + c] = run->tangent.zd[k * p + c] - s->zdd[k] * run->tau[c];
        }
    }
    for (int k = 0; k < scene->costs.n; k++) {
        const double after = scene->costs.at[k].running.n ? sal_system_value(s, &scene->costs.at[k].running) : 0.0;
        for (int c = 0; c < p; c++) Z[k * p + c] += (run->running[k] - after) * run->tau[c];
    }
    return SAL_OK;
}

/* An event may do something that has no derivative there, such as sqrt(c) at c = 0: the motion goes on, the sensitivities do not hold any more. */
static void check_derivatives(sal_run *run, const sal_event *event)
{
    const int first = sal_run_state_size(run);
    double    check = 0.0;

    for (int k = first; k < run->rk.n; k++) check += 0.0 * run->y[k]; /* NaN unless all are finite */
    if (check == 0.0) return;
    memcpy(run->y + first, run->rk.y1 + first, sizeof(double) * (size_t)(run->rk.n - first));
    if (!run->invalid[0])
        snprintf(run->invalid, sizeof run->invalid, "%s at t = %.9g s does something that has no derivative",
                 event->name, run->t1);
}

/* The same by independent and dependent coordinates: for the independent ones Q+ = Q- - (v+ - v-) tau' and V+ = v'+ - a+ tau' with v'+ what the event says,
 * h' where it sets the velocity and v'- where it keeps it; the dependent ones from Phi_q Q + Phi_rho = 0 and its time derivative. Where the event leaves an
 * independent velocity open there is nothing to take, and the system's answer stays. The system is behind the event, run->y comes from leave_event. */
static void partition_jump(sal_run *run, int event)
{
    const sal_model *model = run->model;
    sal_system      *s     = &run->system;
    sal_tangent     *t     = &run->tangent;
    sal_partition   *part  = &run->partition;
    const sal_jump  *jump  = &model->jump[event];
    const int        n = model->n, p = run->p;
    double          *Q = run->y + sal_run_state_size(run), *V = Q + n * p;

    memset(run->preferred, 0, sizeof *run->preferred * (size_t)n);
    for (int k = 0; k < jump->xp[jump->nset + jump->nkeep]; k++) run->preferred[jump->xc[k]] = true;
    sal_rows_jacobian(model, s->z, s->entry);
    sal_partition_choose(part, model, s->entry, run->preferred);
    for (int i = 0; i < n - part->rank; i++) {
        const int     k    = part->dof[i];
        const double *rate = NULL; /* v'+ */
        for (int r = 0; r < jump->nset; r++) {
            if (jump->xp[r + 1] - jump->xp[r] == 1 && jump->xc[jump->xp[r]] == k)
                rate = t->target + (size_t)r * (size_t)p;
        }
        for (int r = 0; r < jump->nkeep; r++) rate = jump->keep[r] == k ? run->along + (size_t)k * (size_t)p : rate;
        if (!rate) return;
        for (int c = 0; c < p; c++) {
            Q[k * p + c] = run->Q_before[k * p + c] - (s->zd[k] - run->v_before[k]) * run->tau[c];
            V[k * p + c] = rate[c] - s->zdd[k] * run->tau[c];
        }
    }
    for (int pass = 0; pass < 2; pass++) { /* Q, then V */
        double *x = pass ? V : Q, *row = pass ? t->row2 : t->row;
        for (int i = 0; i < part->rank; i++) memset(x + part->dep[i] * p, 0, sizeof *x * (size_t)p);
        sal_tangent_move(t, s, Q, V);
        sal_rows_tangent_residual(model, s->z, s->zd, sal_tangent_directions(t), t->row, t->row2);
        for (int i = 0; i < part->rank; i++)
            memcpy(run->dependent + i * p, row + part->row[i] * p, sizeof *x * (size_t)p);
        sal_partition_solve(part, run->dependent, p);
        for (int i = 0; i < part->rank; i++) {
            for (int c = 0; c < p; c++) x[part->dep[i] * p + c] = -run->dependent[i * p + c];
        }
    }
}

/* Handles the pending event: SAL_EVENT, or SAL_OK when its guard passes it over. A failure that only shows after the event is kept for the next call. */
static sal_status handle_event(sal_run *run)
{
    const sal_pending now   = run->pending;
    const sal_scene  *scene = run->model->scene;
    const sal_event  *event = &scene->events.at[now.event];
    const sal_fired   fired = { now.event, now.grazing, now.steep, now.value };
    const int         n     = run->model->n;
    sal_system       *s     = &run->system;
    double            before;
    sal_status        status;

    restore_end(run);
    if (++run->same_time > SAME_TIME_MAX) {
        return sal_run_fail(run, SAL_ERR_EVENTS, "%s: more than %d events at t = %.9g s", event->name, SAME_TIME_MAX,
                            run->t1);
    }
    memcpy(run->y, run->rk.y1, sizeof(double) * (size_t)run->rk.n);
    if (event->guard.n && sal_system_value(s, &event->guard) == 0.0) return begin_segment(run, run->t1, run->y, fired);
    before = sal_system_energy(s);
    memcpy(run->v_before, s->zd, sizeof(double) * (size_t)n);
    memcpy(run->a_before, s->zdd, sizeof(double) * (size_t)n);
    memcpy(run->lambda_before, s->lambda, sizeof(double) * (size_t)run->model->m);
    for (int k = 0; k < scene->outputs.n; k++)
        run->outputs_before[k] = sal_system_value(s, &scene->outputs.at[k].program);
    if (run->p) enter_event(run, event, &now);
    if (!now.grazing) add_event_costs(run, now.event);
    if (event->nset && !now.grazing) {
        const bool differentiate = run->p > 0 && now.steep;
        const bool partitioned   = differentiate && run->asked.partitioned;
        if (partitioned) memcpy(run->along, run->tangent.zd, sizeof(double) * (size_t)(n * run->p));
        status = sal_system_jump(s, now.event, differentiate ? &run->tangent : NULL);
        if (status == SAL_OK && differentiate) status = leave_event(run);
        if (status == SAL_OK && partitioned) partition_jump(run, now.event);
        if (status == SAL_OK && differentiate) check_derivatives(run, event);
        if (status != SAL_OK) return status;
    }
    memcpy(run->y + n, s->zd, sizeof(double) * (size_t)n);
    run->ended = event->stop && !now.grazing;
    if (run->ended && run->p) memcpy(run->tau_end, run->tau, sizeof(double) * (size_t)run->p);
    run->event = (sal_event_info){
        .index          = now.event,
        .name           = event->name,
        .time           = run->t1,
        .rate           = now.rate,
        .grazing        = now.grazing,
        .stop           = run->ended,
        .v_before       = run->v_before,
        .a_before       = run->a_before,
        .lambda_before  = run->lambda_before,
        .outputs_before = run->outputs_before,
        .energy_before  = before,
    };
    run->stats.events++;
    status = begin_segment(run, run->t1, run->y, fired);
    if (status < 0 && !run->ended) run->state = status;
    return SAL_EVENT;
}

sal_status sal_run_step(sal_run *run)
{
    sal_status status = SAL_OK;

    if (run->state < 0) return run->state;
    run->system.message[0] = '\0';
    while (run->pending.event >= 0 && !run->ended && status == SAL_OK) status = handle_event(run);
    if (status == SAL_OK) {
        if (run->ended || run->t1 >= run->t_end) {
            show_end(run);
            return SAL_END;
        }
        status = advance(run);
    }
    if (status < 0) run->state = status;
    return status;
}

/* Shows a time inside the current step. */
static sal_status show_inside(sal_run *run, double t)
{
    const int  n      = run->model->n;
    sal_status status = sal_rk_make_dense(&run->rk);

    if (status == SAL_OK) {
        sal_rk_interpolate(&run->rk, (t - run->rk.t) / (run->t1 - run->rk.t), run->y);
        if (run->rk.finish) status = run->rk.finish(run, t, run->y);
    }
    sal_system_move(&run->system, t, run->y, run->y + n);
    if (status == SAL_OK) status = sal_system_accelerate(&run->system);
    if (status != SAL_OK) return run->state = sal_system_explain(&run->system, status, &run->system.motion);
    if (run->p) {
        const double *Q = run->y + sal_run_state_size(run);
        sal_tangent_move(&run->tangent, &run->system, Q, Q + n * run->p);
        sal_tangent_accelerate(&run->tangent, &run->system);
    }
    show(run, t, run->y + 2 * n);
    return SAL_OK;
}

sal_status sal_run_to(sal_run *run, double t)
{
    if (run->state < 0) return run->state;
    run->system.message[0] = '\0';
    if (!(t >= run->rk.t)) {
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "t = %.9g s lies before the current step, which begins at %.9g s", t,
                            run->rk.t);
    }
    while (t > run->t1 || (t == run->t1 && run->pending.event >= 0 && !run->ended)) {
        sal_status status = sal_run_step(run);
        if (status == SAL_END && t <= run->t1) break; /* an event at the very end was passed over */
        if (status != SAL_OK) return status;
    }
    if (t < run->t1) return show_inside(run, t);
    show_end(run);
    return SAL_OK;
}

/* ------------------------------------------------------------------------------------- accessors */

double sal_run_parameter(const sal_run *run, int index)
{
    const sal_scene *scene = run->model->scene;

    return index >= 0 && index < scene->parameters.n ? run->system.z[scene->parameters.at[index].slot] : NAN;
}

double sal_run_time(const sal_run *run)
{
    return run->t;
}

double sal_run_duration(const sal_run *run)
{
    return run->t_end;
}

double sal_run_output_interval(const sal_run *run)
{
    return run->system.z[run->model->scene->simulation.output];
}

const char *sal_run_message(const sal_run *run)
{
    return run->system.message;
}

const double *sal_run_q(const sal_run *run)
{
    return run->q;
}

const double *sal_run_v(const sal_run *run)
{
    return run->v;
}

const double *sal_run_a(const sal_run *run)
{
    return run->a;
}

const double *sal_run_lambda(const sal_run *run)
{
    return run->lambda;
}

const double *sal_run_costs(const sal_run *run)
{
    return run->cost;
}

sal_event_info sal_run_event(const sal_run *run)
{
    return run->event;
}

sal_run_stats sal_run_get_stats(const sal_run *run)
{
    sal_run_stats stats = run->stats;

    stats.evaluations         = run->rk.evaluations;
    stats.factorizations      = run->system.motion.factorizations;
    stats.full_factorizations = run->system.motion.full;
    return stats;
}

sal_run_opts sal_run_get_opts(const sal_run *run)
{
    return run->opts;
}

int sal_run_wrt_count(const sal_run *run)
{
    return run->p;
}

const char *sal_run_wrt(const sal_run *run, int index)
{
    return index >= 0 && index < run->p ? run->wrt[index] : NULL;
}

const double *sal_run_Q(const sal_run *run)
{
    return run->Q;
}

const double *sal_run_V(const sal_run *run)
{
    return run->V;
}

const double *sal_run_A(const sal_run *run)
{
    return run->A;
}

const double *sal_run_Lambda(const sal_run *run)
{
    return run->Lambda;
}

const double *sal_run_cost_gradients(const sal_run *run)
{
    return run->cost_gradient;
}

const double *sal_run_event_gradient(const sal_run *run)
{
    return run->event.index >= 0 ? run->tau : NULL;
}

const double *sal_run_Q_before(const sal_run *run)
{
    return run->event.index >= 0 ? run->Q_before : NULL;
}

const double *sal_run_V_before(const sal_run *run)
{
    return run->event.index >= 0 ? run->V_before : NULL;
}

const double *sal_run_Lambda_before(const sal_run *run)
{
    return run->event.index >= 0 ? run->Lambda_before : NULL;
}

const char *sal_run_wrt_invalid(const sal_run *run)
{
    return run->invalid;
}

void sal_run_wrt_residuals(const sal_run *run, double *phi, double *phidot)
{
    *phi    = run->wrt_phi;
    *phidot = run->wrt_phidot;
}
