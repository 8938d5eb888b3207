/* sens.c - the sensitivities of a run: what they are with respect to, how they start, move, pass an event and are
 * shown.
 *
 * The integrator's vector goes on with [Q | V | derivatives of the integrals], each [.][p]; the equations are in
 * motion.h. At an event, with tau' = dt_e/drho from r(t, q, v, rho) = 0:
 *
 *     tau' = -(r_q Q + r_v V + r_rho) / r'                             r' the rate of the event function, not zero
 *     q' = Q- + v- tau',  v'- = V- + a- tau'                           along the event; through the jump: v'+ (jump.c)
 *     Q+ = q' - v+ tau',  V+ = v'+ - a+ tau',  Z+ = Z- + (g- - g+) tau'    back at fixed time */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/run/run.h"
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

/* ---------------------------------------------------------------------------------------- asking */

static bool find_initial_memory(const sal_model *model, const char *name, sal_wrt *found)
{
    static const char begins[] = "initial(";
    const size_t      length = strlen(name), from = sizeof begins - 1;
    const sal_tables *tables = model->tables;

    if (length < from + 1 || strncmp(name, begins, from) != 0 || name[length - 1] != ')') return false;
    for (int k = 0; k < tables->memory.n; k++) {
        const char *memory = tables->memory.at[k].name;
        if (strlen(memory) != length - from - 1 || strncmp(memory, name + from, length - from - 1) != 0) continue;
        *found = (sal_wrt){ .parameter = -1, .coordinate = -1, .memory = tables->memory.at[k].slot };
        return true;
    }
    return false;
}

bool sal_sens_find_initial(const sal_model *model, const char *name, sal_wrt *found)
{
    static const char *const parts[] = { "x", "y", "vx", "vy" };
    char                     point[SAL_NAME_MAX + 1], part[3];
    const sal_point_def     *def;
    int                      end = 0;

    if (find_initial_memory(model, name, found)) return true;
    if (sscanf(name, "initial(%63[^.].%2[vxy])%n", point, part, &end) != 2 || end == 0 || name[end]) return false;
    def = sal_tables_point(model->tables, point);
    if (!def || def->kind != SAL_FREE) return false;
    for (int k = 0; k < SAL_COUNT(parts); k++) {
        if (strcmp(parts[k], part) != 0) continue;
        *found = (sal_wrt){ .parameter  = -1,
                            .coordinate = sal_basis_of(model->tables, def->point)->i[k % 2],
                            .velocity   = k >= 2 };
        return true;
    }
    return false;
}

sal_status sal_sens_unknown(sal_run *run, const char *name)
{
    const sal_names *names      = &run->model->tables->parameter_names;
    const char      *nearest    = sal_nearest(name, names->list.at, names->list.n);
    char             known[256] = "";
    size_t           used       = 0;

    for (int k = 0; k < run->model->tables->vectors.n; k++) {
        const sal_vector *v      = &run->model->tables->vectors.at[k];
        const size_t      length = strlen(v->name);
        if (strncmp(name, v->name, length) != 0 || name[length] != '[') continue;
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "'%s' does not exist: the knots of %s are %s[0] to %s[%d]", name,
                            v->name, v->name, v->name, v->n - 1);
    }
    if (nearest)
        return sal_run_fail(run, SAL_ERR_ARGUMENT, "unknown parameter '%s'; did you mean '%s'?", name, nearest);
    for (int k = 0; k < names->list.n && used < sizeof known - SAL_NAME_MAX - 8; k++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s, ", names->list.at[k]);
    }
    return sal_run_fail(run, SAL_ERR_ARGUMENT,
                        "unknown parameter '%s'; known: %sand initial(P.x), .y, .vx, .vy of free points P%s", name,
                        known, run->model->tables->memory.n ? ", initial(NAME) of memory" : "");
}

/* What happens at an event is differentiated along it, which for accelerations and multipliers would take their
 * rates. */
static void find_indirect(void *self, const sal_program_use *use)
{
    const unsigned rates = 1u << SAL_SRC_ZDD | 1u << SAL_SRC_LAMBDA;
    const char   **name  = self;

    if (*name || !(use->program->reads & rates)) return;
    if (use->use == SAL_USE_SET || use->use == SAL_USE_EVENT_COST) *name = use->name;
}

sal_status sal_sens_check_programs(sal_run *run)
{
    const char *name = NULL;

    sal_tables_visit(run->model->tables, find_indirect, &name);
    if (!name) return SAL_OK;
    return sal_run_fail(
        run, SAL_ERR_ARGUMENT,
        "%s sets or costs something that reads accelerations or multipliers: that has no derivative here", name);
}

static void allocate_record(sal_run *run, sal_event_record *r)
{
    r->Q         = SAL_NEW(&run->pool, double, run->model->n * run->p);
    r->V         = SAL_NEW(&run->pool, double, run->model->n * run->p);
    r->Lambda    = SAL_NEW(&run->pool, double, run->model->m * run->p);
    r->tau       = SAL_NEW(&run->pool, double, run->p);
    r->tau_parts = SAL_NEW(&run->pool, double, run->p);
}

sal_status sal_sens_allocate(sal_run *run)
{
    const int n = run->model->n, m = run->model->m, nz = run->model->nz, p = run->asked.nwrt,
              costs = run->model->tables->costs.n;
    sal_wrt   *wrt  = SAL_NEW(&run->pool, sal_wrt, p);
    sal_status status;

    run->p = run->all  = p;
    run->names         = SAL_NEW(&run->pool, const char *, p);
    run->wrt           = SAL_NEW(&run->pool, const char *, p);
    run->column        = SAL_NEW(&run->pool, int, p);
    run->shown.tau_end = SAL_NEW(&run->pool, double, p);
    run->shown.moving  = SAL_NEW(&run->pool, int, nz);
    run->shown.columns = SAL_NEW(&run->pool, double, costs *p);
    run->shown.tangent = (sal_tangent){ .p = p, .mass = SAL_NEW(&run->pool, double, run->model->tables->masses.n *p) };
    run->told_event.Q  = SAL_NEW(&run->pool, double, n *p);
    run->told_event.V  = SAL_NEW(&run->pool, double, n *p);
    run->told_event.Lambda         = SAL_NEW(&run->pool, double, m *p);
    run->told_event.tau            = SAL_NEW(&run->pool, double, p);
    run->told_event.impulse_change = SAL_NEW(&run->pool, double, m *p);
    run->shown.dz                  = SAL_NEW(&run->pool, double, nz *p);
    run->shown.dzd                 = SAL_NEW(&run->pool, double, nz *p);
    run->shown.dzdd                = SAL_NEW(&run->pool, double, nz *p);
    run->end.A                     = SAL_NEW(&run->pool, double, n *p);
    run->shown.dlambda             = SAL_NEW(&run->pool, double, m *p);
    run->end.Lambda                = SAL_NEW(&run->pool, double, m *p);
    run->shown.dcost               = SAL_NEW(&run->pool, double, costs *p);
    run->running                   = SAL_NEW(&run->pool, double, costs);
    allocate_record(run, &run->record);
    allocate_record(run, &run->hidden.record);
    run->tau_end   = SAL_NEW(&run->pool, double, p);
    run->due_tau   = SAL_NEW(&run->pool, double, p);
    run->due_parts = SAL_NEW(&run->pool, double, p);
    run->none      = SAL_NEW(&run->pool, double, p);
    if (run->asked.partitioned) {
        run->along     = SAL_NEW(&run->pool, double, n *p);
        run->dependent = SAL_NEW(&run->pool, double, n *p);
        run->preferred = SAL_NEW(&run->pool, bool, n);
        sal_partition_init(&run->partition, run->model, &run->pool);
    }
    if (run->pool.failed) return SAL_ERR_MEMORY;
    for (int c = 0; c < p; c++) {
        const char *name = run->asked.wrt[c];
        if (!name) { /* of the engine's own */
            run->names[c] = "";
            wrt[c]        = SAL_ALONG_MOTION;
            continue;
        }
        run->names[c] = sal_pool_copy(&run->pool, name, strlen(name));
        wrt[c] = (sal_wrt){ .parameter = sal_names_find(&run->model->tables->parameter_names, name), .coordinate = -1 };
        if (wrt[c].parameter < 0 && !sal_sens_find_initial(run->model, name, &wrt[c]))
            return sal_sens_unknown(run, name);
    }
    sal_columns_order(run, wrt);
    status = sal_sens_check_programs(run);
    if (status == SAL_OK) status = sal_tangent_init(&run->tangent, run->model, &run->pool, wrt, p);
    return run->pool.failed ? SAL_ERR_MEMORY : status;
}

/* The settings of the simulation have no derivatives, except for the duration. */
sal_status sal_sens_check_settings(sal_run *run)
{
    const sal_simulation *sim     = &run->model->tables->simulation;
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

/* ---------------------------------------------------------------------------------------- motion */

/* Q' = V, V' = A, and the derivatives of the integrands; the system has just been solved at y. */
sal_trial sal_sens_motion(sal_run *run, const double *y, double *dy)
{
    const sal_tables *tables = run->model->tables;
    const int         block = run->model->n * run->p, first = sal_run_state_size(run);
    const double     *Q = y + first, *V = Q + block;
    double           *dQ = dy + first, *dV = dQ + block, *dZ = dV + block;

    sal_tangent_move(&run->tangent, &run->system, Q, V);
    sal_tangent_accelerate(&run->tangent, &run->system);
    memcpy(dQ, V, sizeof(double) * (size_t)block);
    memcpy(dV, run->tangent.zdd, sizeof(double) * (size_t)block);
    for (int k = 0; k < tables->costs.n; k++, dZ += run->p) {
        const sal_program *g = &tables->costs.at[k].running;
        if (g->n) sal_tangent_value(&run->tangent, &run->system, g, dZ);
        else memset(dZ, 0, sizeof(double) * (size_t)run->p);
        dy[2 * run->model->n + k] = g->n ? run->system.value[g->n - 1] : 0.0;
        if (!sal_all_finite(dZ, (size_t)run->p)) run->no_derivative = tables->costs.at[k].name;
    }
    if (!sal_all_finite(dV, (size_t)block)) run->no_derivative = "the motion";
    return run->no_derivative ? SAL_TRY_NUMBER : SAL_TRIED;
}

static bool end_moves(const sal_run *run)
{
    for (int c = 0; c < run->p; c++) {
        if (run->tau_end[c] != 0.0) return true;
    }
    return false;
}

/* The gradient of a cost from the derivatives [p] of its integral; with an average, (dI + (g - I/T) tau_end)/T. */
static void show_cost(sal_run *run, int k, const double *integral, bool end)
{
    const sal_cost *cost = &run->model->tables->costs.at[k];
    sal_system     *s    = &run->system;
    double         *out = run->shown.columns + (size_t)k * (size_t)run->p, terminal = 0.0, running = 0.0, part = 1.0;

    if (cost->terminal.n) sal_tangent_value(&run->tangent, s, &cost->terminal, out);
    else memset(out, 0, sizeof(double) * (size_t)run->p);
    if (end && cost->terminal.n) terminal = sal_tangent_rate(&run->motion, s, &cost->terminal);
    if (end && cost->running.n) running = sal_system_value(s, &cost->running);
    if (cost->average && run->shown.t > run->start.t) {
        part = 1.0 / (run->shown.t - run->start.t);
        if (end) running -= run->shown.mean[k];
    }
    if (cost->average && !(run->shown.t > run->start.t)) sal_tangent_value(&run->tangent, s, &cost->running, out);
    for (int c = 0; c < run->p; c++)
        out[c] += part * integral[c] + (end ? (terminal + part * running) * run->tau_end[c] : 0.0);
    sal_instants_change(run, k, end, out);
}

/* Shows the tangent's state, and the gradients of the costs from the derivatives of their integrals. Where the run
 * ends at a time that depends on the parameters, dt_end/drho is in tau_end. */
void sal_sens_show(sal_run *run, const double *integral)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;
    const bool        end    = sal_run_has_ended(run);

    if (end && end_moves(run) && sal_tangent_move_along(&run->motion, s) == SAL_OK)
        memcpy(run->shown.lambda_rate, run->motion.lambda, sizeof(double) * (size_t)run->model->m);
    sal_columns_show(run);
    sal_columns_tell(run, run->tangent.lambda, run->model->m, run->shown.dlambda);
    sal_columns_tell(run, run->tau_end, 1, run->shown.tau_end);
    for (int k = 0; k < tables->costs.n; k++) {
        show_cost(run, k, integral + k * run->p, end);
    }
    sal_columns_tell(run, run->shown.columns, tables->costs.n, run->shown.dcost);
}

/* ---------------------------------------------------------------------------------------- events */

/* What the derivatives of a program are made of, [p]: sums of sizes, which do not vanish where the derivative does. */
static void parts_of_gradient(const sal_run *run, const sal_program *p, double *sum)
{
    const sal_system   *s                   = &run->system;
    const sal_tangent  *t                   = &run->tangent;
    const double *const rows[SAL_SRC_COUNT] = {
        [SAL_SRC_Z] = t->z, [SAL_SRC_ZD] = t->zd, [SAL_SRC_ZDD] = t->zdd, [SAL_SRC_LAMBDA] = t->lambda
    };

    sal_program_value(p, s->source, s->value);
    sal_program_gradient(p, s->value, s->first);
    memset(sum, 0, sizeof *sum * (size_t)t->p);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf = &p->node[p->leaf[k]];
        if (!rows[leaf->a]) continue;
        const double *row = rows[leaf->a] + (size_t)leaf->b * (size_t)t->p;
        for (int c = 0; c < t->p; c++) sum[c] += fabs(s->first[p->leaf[k]] * row[c]);
    }
}

/* The derivatives of the time at which an event function is zero, and what they are made of, both [p]. */
static void time_gradient(sal_run *run, int event, double rate, double *tau, double *parts)
{
    sal_tangent *t = &run->tangent;

    memset(tau, 0, sizeof *tau * (size_t)run->p);
    memset(parts, 0, sizeof *parts * (size_t)run->p);
    for (int k = 0, part = event; part >= 0; part = sal_event_part(&run->contacts, &run->system, event, ++k)) {
        const sal_program *when = &run->model->tables->events.at[part].when;
        sal_tangent_value(t, &run->system, when, t->number);
        for (int c = 0; c < run->p; c++) tau[c] += t->number[c];
        parts_of_gradient(run, when, t->number);
        for (int c = 0; c < run->p; c++) parts[c] += t->number[c];
    }
    for (int c = 0; c < run->p; c++) {
        tau[c] /= -rate;
        parts[c] /= fabs(rate);
    }
}

/* The same of a jam that comes on gradually (contact/jam.c). */
static void jam_gradient(sal_run *run, double *tau, double *parts)
{
    sal_system *s    = &run->system;
    double      rate = NAN;

    if (sal_tangent_move_along(&run->motion, s) == SAL_OK)
        sal_contacts_jam_gradient(&run->contacts, s, &run->motion, &rate);
    sal_contacts_jam_gradient(&run->contacts, s, &run->tangent, tau);
    for (int c = 0; c < run->p; c++) {
        tau[c] /= -rate;
        parts[c] = fabs(tau[c]);
    }
    if (run->contacts.gradual > 4.0 * SAL_JAM && !run->note[0])
        snprintf(run->note, sizeof run->note,
                 "%s comes on gradually at t = %.9g s, and steps become too short before it: derivatives from there on "
                 "are off by the order of %g",
                 run->model->tables->touches.at[run->contacts.jam].name, run->t1, SAL_JAM_SOON);
}

/* Whether nothing jumps at the event, only slopes do: it does not matter which is first, nor whether it grazes. */
static bool only_bends(const sal_run *run, const sal_event *event)
{
    return event->side && !run->model->tables->sides.at[event->side - 1].jumps;
}

/* What a change of parameter c is measured by: itself, where it is not zero; an initial value by the mechanism and the
 * time so far. */
static double size_of_parameter(const sal_run *run, int c)
{
    const sal_wrt *wrt = &run->tangent.wrt[c];
    const double   now = wrt->parameter < 0 ? 0.0 : sal_run_parameter(run, wrt->parameter);

    if (wrt->parameter >= 0) return now == 0.0 ? HUGE_VAL : fabs(now);
    return wrt->velocity && run->t1 > 0.0 ? run->system.length / run->t1 : run->system.length;
}

/* Columns that are no parameters: what must vanish along parameters, `row` [p], is left to who knows them. */
static void add_condition(sal_run *run, const double *row, const char *what, const char *name)
{
    const double weight = 1.0 + 0.61803398874989485 * (++run->conditions.count); /* no two are in a simple ratio */

    for (int c = 0; c < run->p; c++) run->conditions.sum[c] += weight * row[c];
    if (run->conditions.count == 1)
        snprintf(run->conditions.first, sizeof run->conditions.first, "%s %s at t = %.9g s", name, what, run->t1);
}

/* Another event (due_tau) at the instant of the one on record: where their times have other derivatives they coincide
 * for these parameters alone, and what comes of it depends on which is first. */
static void compare_times(sal_run *run, const sal_event *event, const sal_event *recorded)
{
    if (only_bends(run, event) || only_bends(run, recorded)) return;
    if (run->conditions.sum) {
        for (int c = 0; c < run->p; c++) run->due_parts[c] = run->due_tau[c] - run->record.tau[c];
        add_condition(run, run->due_parts, "happens together with another event", event->name);
        return;
    }
    for (int c = 0; c < run->p && !run->invalid[0]; c++) {
        const double off  = fabs(run->due_tau[c] - run->record.tau[c]),
                     size = fmax(run->due_parts[c], run->record.tau_parts[c]);
        if (off <= SAL_SAME_TIME * size || off * size_of_parameter(run, c) <= SAL_INSTANT * run->t1) continue;
        snprintf(run->invalid, sizeof run->invalid,
                 "%s happens at t = %.9g s together with another event, but only for these parameters", event->name,
                 run->t1);
    }
}

/* The time of the event, with its derivatives; of those that are due at this instant too, while they have the rates
 * that they were found with; and whether they always coincide. Of one that crosses no longer, because of those before
 * it, the time is theirs. */
static void time_event(sal_run *run, const sal_event *event, const sal_pending *now)
{
    const sal_tables *tables = run->model->tables;
    const bool        first  = run->record.info.index < 0 || run->record.info.time != run->t1;
    const size_t      size   = sizeof(double) * (size_t)run->p;

    if (!now->again) {
        if (run->contacts.gradual > 0.0) jam_gradient(run, run->due_tau, run->due_parts);
        else time_gradient(run, now->event, now->rate, run->due_tau, run->due_parts);
        if (!first) compare_times(run, event, &tables->events.at[run->record.info.index]);
        memcpy(run->record.tau, run->due_tau, size);
        memcpy(run->record.tau_parts, run->due_parts, size);
    }
    for (int e = 0; e < tables->events.n && first; e++) {
        if (!run->find.due[e].due) continue;
        if (sal_event_guarded(&run->system, e)) continue;
        time_gradient(run, e, run->find.due[e].rate, run->due_tau, run->due_parts);
        compare_times(run, &tables->events.at[e], event);
    }
}

/* What the event means for the sensitivities before anything jumps: tau' = dt_e/drho from r(t, q, v, rho) = 0, and
 * with it from derivatives at fixed time to derivatives along the event, q' = Q + v tau', v' = V + a tau'. Where the
 * function grazes zero there is no tau'. */
void sal_sens_enter_event(sal_run *run, const sal_event *event, const sal_pending *now)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;
    sal_tangent      *t      = &run->tangent;
    const size_t      size   = sizeof(double) * (size_t)(run->model->n * run->p);

    memcpy(run->record.Q, t->z, size);
    memcpy(run->record.V, t->zd, size);
    memcpy(run->record.Lambda, t->lambda, sizeof(double) * (size_t)(run->model->m * run->p));
    if (now->steep) time_event(run, event, now);
    if (!now->steep) {
        for (int c = 0; c < run->p; c++) run->record.tau[c] = NAN;
        if (!run->invalid[0] && !only_bends(run, event)) {
            snprintf(run->invalid, sizeof run->invalid, "%s grazes zero at t = %.9g s: its time has no derivative",
                     event->name, run->t1);
        }
        return;
    }
    for (int k = 0; k < tables->costs.n; k++) {
        run->running[k] = tables->costs.at[k].running.n ? sal_system_value(s, &tables->costs.at[k].running) : 0.0;
    }
    for (int k = 0; k < run->model->nz; k++) {
        double *dz = t->z + (size_t)k * (size_t)run->p, *dzd = t->zd + (size_t)k * (size_t)run->p;
        if (s->zd[k] == 0.0 && s->zdd[k] == 0.0) continue;
        for (int c = 0; c < run->p; c++) {
            dz[c] += s->zd[k] * run->record.tau[c];
            dzd[c] += s->zdd[k] * run->record.tau[c];
        }
    }
}

/* After the jump, back to derivatives at fixed time, in run->y: Q+ = q' - v+ tau', V+ = v'+ - a+ tau', Z+ = Z- + (g-
 * - g+) tau'. */
sal_status sal_sens_leave_event(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;
    const int         n = run->model->n, p = run->p;
    double           *Q = run->y + sal_run_state_size(run), *V = Q + n * p, *Z = V + n * p;
    sal_status        status = sal_system_accelerate(s);

    if (status != SAL_OK) return sal_system_explain(s, status, &s->motion);
    for (int k = 0; k < n; k++) {
        for (int c = 0; c < p; c++) {
            Q[k * p + c] = run->tangent.z[k * p + c] - s->zd[k] * run->record.tau[c];
            V[k * p + c] = run->tangent.zd[k * p + c] - s->zdd[k] * run->record.tau[c];
        }
    }
    for (int k = 0; k < tables->costs.n; k++) {
        const double after = tables->costs.at[k].running.n ? sal_system_value(s, &tables->costs.at[k].running) : 0.0;
        for (int c = 0; c < p; c++) Z[k * p + c] += (run->running[k] - after) * run->record.tau[c];
    }
    return SAL_OK;
}

/* In the mode that begins, with Q and V in run->y: how the weights change by which its rows share what is not
 * determined. Friction is shared by the normal forces that there are at the event without that, n' = Lambda + n^. tau'
 * along it; for as long as the mode lasts. */
sal_status sal_sens_share(sal_run *run)
{
    sal_system  *s = &run->system;
    sal_tangent *t = &run->tangent;
    const int    n = run->model->n, m = run->model->m, p = run->p;
    const size_t mark = sal_arena_mark(&s->arena);
    double      *Q = run->y + sal_run_state_size(run), *lambda = sal_arena_take(&s->arena, m);
    bool         matters;
    sal_status   status = SAL_OK;

    sal_chosen_by_start(t, s);
    if (s->shares == SAL_SHARES_FIRST) {
        sal_system_unshare(s);
        status = sal_tangent_move_along(&run->motion, s);
        memcpy(lambda, s->lambda, sizeof *lambda * (size_t)m);
        if (status == SAL_OK) {
            sal_tangent_move(t, s, Q, Q + n * p);
            sal_tangent_accelerate(t, s);
            for (int r = 0; r < m; r++) {
                for (int c = 0; c < p; c++) t->lambda[r * p + c] += run->motion.lambda[r] * run->record.tau[c];
            }
            sal_chosen_by_normals(t, s, lambda, t->lambda);
        }
        sal_system_share_first(s, lambda, &matters);
        if (status == SAL_OK) status = sal_system_accelerate(s);
    }
    sal_arena_release(&s->arena, mark);
    return status;
}

/* The same by independent and dependent coordinates: for the independent ones Q+ = Q- - (v+ - v-) tau' and V+ = v'+ -
 * a+ tau' with v'+ what the event says, h' where it sets the velocity and v'- where it keeps it; the dependent ones
 * from Phi_q Q + Phi_rho = 0 and its time derivative. Where the event leaves an independent velocity open there is
 * nothing to take, and the system's answer stays. The system is behind the event, run->y comes from
 * sal_sens_leave_event. */
void sal_sens_partition_jump(sal_run *run, int event)
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
    sal_rows_held_jacobian(&s->rows, s->z, s->entry);
    sal_partition_choose(part, s, run->preferred);
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
            Q[k * p + c] = run->record.Q[k * p + c] - (s->zd[k] - run->record.v[k]) * run->record.tau[c];
            V[k * p + c] = rate[c] - s->zdd[k] * run->record.tau[c];
        }
    }
    for (int pass = 0; pass < 2; pass++) { /* Q, then V */
        double *x = pass ? V : Q, *row = pass ? t->row2 : t->row;
        for (int i = 0; i < part->rank; i++) memset(x + part->dep[i] * p, 0, sizeof *x * (size_t)p);
        sal_tangent_move(t, s, Q, V);
        sal_rows_residual_jvp(&s->rows, s->z, s->zd, sal_tangent_directions(t), t->row, t->row2);
        for (int i = 0; i < part->rank; i++)
            memcpy(run->dependent + i * p, row + part->row[i] * p, sizeof *x * (size_t)p);
        sal_partition_solve(part, run->dependent, p);
        for (int i = 0; i < part->rank; i++) {
            for (int c = 0; c < p; c++) x[part->dep[i] * p + c] = -run->dependent[i * p + c];
        }
    }
}

/* An event may do something that has no derivative there, such as sqrt(c) at c = 0: the motion goes on, the
 * sensitivities do not hold any more. */
void sal_sens_check(sal_run *run, const sal_event *event)
{
    const int first = sal_run_state_size(run);

    if (sal_all_finite(run->y + first, (size_t)(run->stepper.n - first))) return;
    memcpy(run->y + first, run->stepper.y1 + first, sizeof(double) * (size_t)(run->stepper.n - first));
    if (!run->invalid[0])
        snprintf(run->invalid, sizeof run->invalid, "%s at t = %.9g s does something that has no derivative",
                 event->name, run->t1);
}

/* After a step: a spring whose ends have passed through each other in it, d0.d1 < 0 and |d0 x d1|/|d1 - d0| next to
 * nothing. Its force has changed its direction at once, which the motion goes on with and the sensitivities do not. */
void sal_sens_check_springs(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;
    const double      h      = run->t1 - run->stepper.t;

    for (int k = 0; k < tables->springs.n && !run->invalid[0]; k++) {
        const sal_spring *x       = &tables->springs.at[k];
        const double      natural = fabs(s->z[x->length]), small = SAL_NO_LENGTH * fmax(natural, s->length);
        double            d0[2], d1[2], w[2];
        sal_spring_between(x, s->z, s->z, d1);
        sal_spring_between(x, s->z, s->zd, w);
        if (natural == 0.0 && s->z[x->damping] == 0.0) continue;         /* it is smooth there */
        if (hypot(d1[0], d1[1]) > 2.0 * hypot(w[0], w[1]) * h) continue; /* it has not come so far */
        sal_system_move(s, run->stepper.t, run->stepper.y0, run->stepper.y0 + run->model->n);
        sal_spring_between(x, s->z, s->z, d0);
        sal_run_restore_end(run);
        if (d0[0] * d1[0] + d0[1] * d1[1] >= 0.0) continue;
        if (fabs(d0[0] * d1[1] - d0[1] * d1[0]) > small * hypot(d1[0] - d0[0], d1[1] - d0[1])) continue;
        snprintf(run->invalid, sizeof run->invalid,
                 "%s comes to length 0 at t = %.9g s, where its force changes its direction at once",
                 tables->elements.at[x->element].name, run->t1);
    }
}

/* A parameter that constraints change with, of links that have come into line in the step: with another value they
 * would not, or elsewhere, and the motion would turn. */
void sal_sens_check_lines(sal_run *run)
{
    sal_tangent *t = &run->tangent;
    char         names[160];

    if (run->invalid[0] || !sal_structure_find_lined(&run->system, run->lined)) return;
    memset(t->z, 0, sizeof *t->z * (size_t)(run->model->n * run->p));
    sal_rows_residual_jvp(&run->system.rows, run->system.z, NULL, sal_tangent_directions(t), t->row, NULL);
    sal_structure_name_rows(run->model, run->lined, names, sizeof names);
    for (int r = 0; r < run->model->m; r++) {
        for (int c = 0; c < run->p && run->lined[r] && !run->invalid[0]; c++) {
            if (SAL_ROW(t->row, r, run->p)[c] == 0.0) continue;
            snprintf(run->invalid, sizeof run->invalid,
                     "%s changes how %s come into line at t = %.9g s: the motion has no derivative", run->wrt[c], names,
                     run->t1);
        }
    }
    sal_run_restore_end(run);
}

/* Parameter that the gap of a contact changes with, by derivatives as they are; -1: none. */
static int gap_changes(sal_run *run, int contact)
{
    const sal_tables  *tables = run->model->tables;
    const sal_program *gap    = &tables->events.at[tables->touches.at[contact].event[SAL_TOUCHES]].when;
    sal_tangent       *t      = &run->tangent;

    sal_tangent_value(t, &run->system, gap, t->number);
    parts_of_gradient(run, gap, run->due_parts);
    for (int c = 0; c < run->p; c++) {
        if (fabs(t->number[c]) > SAL_GAP_CHANGES * run->due_parts[c]) return c;
    }
    return -1;
}

/* A contact that is found closed at the start, but not said to be, touches only for these parameters where its gap
 * changes with one of them. */
void sal_sens_check_start(sal_run *run)
{
    const sal_tables *tables = run->model->tables;

    for (int k = 0; k < tables->touches.n; k++) {
        const sal_touch *touch = &tables->touches.at[k];
        const bool       jams  = run->contacts.jam >= 0 && run->contacts.touching[k].candidate;
        int              c;
        if (run->start.closed[k] || run->invalid[0]) continue;
        if (!jams && !run->system.mode.held[touch->normal]) continue;
        c = gap_changes(run, k);
        if (c >= 0)
            snprintf(run->invalid, sizeof run->invalid,
                     "%s touches at the start, but only for this %s; where it always does, the contact says so: "
                     "\"closed\"",
                     touch->name, run->wrt[c]);
    }
}

/* The same where an event turns it on; derivatives are those along the event. */
void sal_sens_check_closing(sal_run *run, int contact, double zero)
{
    int c;

    if (run->invalid[0] || fabs(sal_contact_gap(&run->system, contact)) > 100.0 * zero) return;
    if (run->conditions.sum) {
        const sal_touch *touch = &run->model->tables->touches.at[contact];
        sal_tangent_value(&run->tangent, &run->system, &run->model->tables->events.at[touch->event[SAL_TOUCHES]].when,
                          run->tangent.number);
        for (c = 0; c < run->p; c++) run->tangent.number[c] *= run->t1 / run->system.length;
        add_condition(run, run->tangent.number, "touches when it is closed", touch->name);
        return;
    }
    c = gap_changes(run, contact);
    if (c >= 0)
        snprintf(run->invalid, sizeof run->invalid, "%s touches when it is closed at t = %.9g s, but only for this %s",
                 run->model->tables->touches.at[contact].name, run->t1, run->wrt[c]);
}

/* The limit of infinitely many rebounds has derivatives; those of the rebounds that there were are off by what the rest
 * of them would have done: of the order of `rest`, times their number for the time of closing. */
void sal_sens_note_closed(sal_run *run)
{
    if (run->note[0]) return;
    snprintf(
        run->note, sizeof run->note,
        "%s is closed by Zeno at t = %.9g s: derivatives from there on are those of its limit, to within the order "
        "of `rest`",
        run->contacts.closed, run->t1);
}

/* ------------------------------------------------------------------------------------- accessors */

int sal_run_wrt_count(const sal_run *run)
{
    return run->all;
}

const char *sal_run_wrt(const sal_run *run, int index)
{
    return index >= 0 && index < run->all ? run->names[index] : NULL;
}

const double *sal_run_Q(const sal_run *run)
{
    return run->shown.dz;
}

const double *sal_run_V(const sal_run *run)
{
    return run->shown.dzd;
}

const double *sal_run_A(const sal_run *run)
{
    return run->shown.dzdd;
}

const double *sal_run_Lambda(const sal_run *run)
{
    return run->shown.dlambda;
}

const double *sal_run_cost_gradients(const sal_run *run)
{
    return run->shown.dcost;
}

const double *sal_run_event_gradient(const sal_run *run)
{
    return run->record.info.index >= 0 ? run->told_event.tau : NULL;
}

const double *sal_run_impulse_gradient(const sal_run *run)
{
    return run->record.info.index >= 0 ? run->told_event.impulse_change : NULL;
}

const double *sal_run_Q_before(const sal_run *run)
{
    return run->record.info.index >= 0 ? run->told_event.Q : NULL;
}

const double *sal_run_V_before(const sal_run *run)
{
    return run->record.info.index >= 0 ? run->told_event.V : NULL;
}

const double *sal_run_Lambda_before(const sal_run *run)
{
    return run->record.info.index >= 0 ? run->told_event.Lambda : NULL;
}

const char *sal_run_wrt_invalid(const sal_run *run)
{
    return run->invalid;
}

const char *sal_run_wrt_note(const sal_run *run)
{
    return run->note;
}

void sal_run_wrt_residuals(const sal_run *run, double *phi, double *phidot)
{
    *phi    = run->wrt_phi;
    *phidot = run->wrt_phidot;
}
