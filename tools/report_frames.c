/* report_frames.c - what a report has of a run at every output time and on both sides of every event, as columns.
 *
 * A frame before an event has what the library knows of that side: velocities, outputs, reactions and derivatives of
 * coordinates. Those of a marker m = A + w (B - A), w complex, of the body with the points A and B, follow from them,
 *
 *     dm- - dm+ = (dA- - dA+) + w ((dB- - dA-) - (dB+ - dA+)),
 *
 * as places, and so w, are the same on both sides. What it does not know (forces of contacts, costs, derivatives of
 * outputs) is NaN there. */
#include "tools/report_frames.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 8 /* bodies on points of bodies */, MOST_FRAMES = 100000, MOST_NUMBERS = 25000000 };

int find_coordinate(const sal_model *model, const char *axis, const char *of)
{
    char        name[160];
    const char *other;

    snprintf(name, sizeof name, "%s(%s)", axis, of);
    for (int k = 0; (other = sal_model_coordinate(model, k)); k++) {
        if (!strcmp(other, name)) return k;
    }
    return -1;
}

/* The two points that the frame of a body lies on. */
static void find_frame(const run_report *r, const char *body, int frame[2])
{
    sal_drawing      d;
    sal_element_info e;

    frame[0] = frame[1] = -1;
    for (int k = 0; body && sal_model_drawing(r->model, k, &d); k++) {
        if (d.kind != SAL_DRAW_BODY || d.npoints < 2 || !sal_model_element(r->model, d.element, &e)) continue;
        if (strcmp(e.name, body) != 0) continue;
        frame[0] = d.points[0];
        frame[1] = d.points[1];
        return;
    }
}

static bool open_point(run_report *r, int k, int *column)
{
    static const char *const axis[2] = { "x", "y" };
    told_point              *p       = &r->points[k];
    char                     form[160];

    sal_model_point(r->model, k, &p->info);
    find_frame(r, p->info.body, p->frame);
    p->at       = *column;
    p->gradient = *column + 4;
    *column += 4 + 4 * r->p;
    for (int i = 0; i < 2; i++) {
        p->coordinate[i] = find_coordinate(r->model, axis[i], p->info.name);
        snprintf(form, sizeof form, "%s(%s)", axis[i], p->info.name);
        if (r->p && sal_probe_create(r->model, form, &p->probe[i]) != SAL_OK) return false;
    }
    return true;
}

bool frames_open(run_report *r)
{
    sal_point_info p;
    sal_drawing    d;
    int            column = COLUMN_FIRST;

    r->items = sal_model_drawing_count(r->model);
    while (sal_model_point(r->model, r->npoints, &p)) r->npoints++;
    r->points   = calloc((size_t)r->npoints + 1, sizeof *r->points);
    r->place    = calloc((size_t)r->items + 1, sizeof *r->place);
    r->gradient = calloc((size_t)r->p + 1, sizeof *r->gradient);
    r->change   = calloc((size_t)r->info.coordinates + 1, sizeof *r->change);
    if (!r->points || !r->place || !r->gradient || !r->change) return false;
    for (int k = 0; k < r->npoints; k++) {
        if (!open_point(r, k, &column)) return false;
    }
    for (int k = 0; sal_model_drawing(r->model, k, &d); k++) {
        r->place[k] = column;
        column += 2 * d.npoints;
    }
    r->numbers = column;
    column += NUMBERS * r->items;
    r->energy    = column++;
    r->outputs   = column;
    r->reactions = r->outputs + r->info.outputs * (1 + r->p);
    r->costs     = r->reactions + r->info.reactions;
    r->compared  = r->costs + r->info.costs * (1 + r->p);
    column       = r->compared + differences_columns(r->differences);
    r->columns   = columns_create(column);
    return r->columns != NULL;
}

/* Derivatives of the velocity of a free point. */
static void set_rates(run_report *r, const told_point *p, int axis, const double *V)
{
    for (int c = 0; c < r->p; c++)
        columns_set(r->columns, p->gradient + 4 * c + 2 + axis, V[p->coordinate[axis] * r->p + c]);
}

static void set_points(run_report *r, const sal_run *run)
{
    for (int k = 0; k < r->npoints; k++) {
        const told_point *p      = &r->points[k];
        double            pos[2] = { NAN, NAN }, vel[2] = { NAN, NAN };

        sal_run_point(run, p->info.name, pos, vel);
        for (int i = 0; i < 2; i++) {
            columns_set(r->columns, p->at + i, pos[i]);
            columns_set(r->columns, p->at + 2 + i, vel[i]);
            if (r->p && sal_probe_gradient(p->probe[i], run, r->gradient) != SAL_OK)
                for (int c = 0; c < r->p; c++) r->gradient[c] = NAN;
            for (int c = 0; c < r->p; c++) columns_set(r->columns, p->gradient + 4 * c + i, r->gradient[c]);
            if (r->p && p->coordinate[i] >= 0) set_rates(r, p, i, sal_run_V(run));
        }
    }
}

static void set_items(run_report *r, const sal_run *run)
{
    sal_drawing d;

    for (int k = 0; sal_model_drawing(r->model, k, &d); k++) {
        double(*at)[2] = calloc((size_t)d.npoints + 1, sizeof *at);
        sal_drawing_state  now;
        sal_drawing_state *state  = &now;
        const int          column = r->numbers + NUMBERS * k;

        if (!at || !sal_run_drawing(run, k, at[0], state)) {
            r->failed = true;
            free(at);
            return;
        }
        for (int i = 0; i < d.npoints; i++) {
            if (d.points[i] >= 0) continue; /* told already */
            columns_set(r->columns, r->place[k] + 2 * i, at[i][0]);
            columns_set(r->columns, r->place[k] + 2 * i + 1, at[i][1]);
        }
#define NUMBER_SET(name, value) columns_set(r->columns, column + NUMBER_##name, value);
        NUMBER_LIST(NUMBER_SET)
#undef NUMBER_SET
        free(at);
    }
}

static void set_quantities(run_report *r, const sal_run *run)
{
    columns_set(r->columns, r->energy, sal_run_energy(run));
    for (int k = 0; k < r->info.outputs; k++) {
        const int column = r->outputs + k * (1 + r->p);
        columns_set(r->columns, column, sal_run_output(run, k));
        if (r->p && sal_run_output_gradient(run, k, r->gradient) != SAL_OK)
            for (int c = 0; c < r->p; c++) r->gradient[c] = NAN;
        for (int c = 0; c < r->p; c++) columns_set(r->columns, column + 1 + c, r->gradient[c]);
    }
    for (int k = 0; k < r->info.reactions; k++) columns_set(r->columns, r->reactions + k, sal_run_reaction(run, k));
}

/* Costs up to now, with derivatives at fixed time: those of a run that has ended follow its end, where that moves. */
static void set_costs(run_report *r, const sal_run *run)
{
    const double *gradients = sal_run_cost_gradients(run), *end = sal_run_end_gradient(run);

    for (int k = 0; k < r->info.costs; k++) {
        const int column = r->costs + k * (1 + r->p);
        columns_set(r->columns, column, sal_run_costs(run)[k]);
        for (int c = 0; c < r->p; c++)
            columns_set(r->columns, column + 1 + c, end[c] != 0.0 ? NAN : gradients[k * r->p + c]);
    }
}

static void set_frame(run_report *r, const sal_run *run)
{
    columns_set(r->columns, COLUMN_TIME, sal_run_time(run));
    columns_set(r->columns, COLUMN_SEGMENT, (double)r->segment);
    set_points(r, run);
    set_items(r, run);
    set_quantities(r, run);
    set_costs(r, run);
    if (r->differences) differences_set(r->differences, r, sal_run_time(run), r->compared);
}

/* A page that is too large for a browser is of no use to anybody: the first frames are told, and until when. */
static void add_frame(run_report *r)
{
    const int frames = columns_frames(r->columns);

    r->full = r->full || frames >= MOST_FRAMES || (frames % 256 == 0 && columns_numbers(r->columns) > MOST_NUMBERS);
    if (!r->full && !columns_add_frame(r->columns)) r->failed = true;
}

void frames_add(run_report *r, const sal_run *run)
{
    if (r->full) return;
    set_frame(r, run);
    add_frame(r);
}

/* --------------------------------------------------------------------------- the side before an event */

/* How a point changes with a change of the coordinates [n], linearly; NaN where nothing tells. */
static double complex point_change(const run_report *r, const sal_run *run, int k, const double *change, int depth)
{
    const told_point *p = &r->points[k];
    double            at[3][2];
    double complex    a, b, w;

    if (p->coordinate[0] >= 0 && p->coordinate[1] >= 0) return change[p->coordinate[0]] + I * change[p->coordinate[1]];
    if (!strcmp(p->info.kind, "fixed")) return 0.0;
    if (depth == 0 || p->frame[0] < 0 || p->frame[1] < 0) return NAN + I * NAN;
    sal_run_point(run, r->points[p->frame[0]].info.name, at[0], NULL);
    sal_run_point(run, r->points[p->frame[1]].info.name, at[1], NULL);
    sal_run_point(run, p->info.name, at[2], NULL);
    w = ((at[2][0] - at[0][0]) + I * (at[2][1] - at[0][1])) / ((at[1][0] - at[0][0]) + I * (at[1][1] - at[0][1]));
    a = point_change(r, run, p->frame[0], change, depth - 1);
    b = point_change(r, run, p->frame[1], change, depth - 1);
    return a + w * (b - a);
}

cJSON *frames_tell_change(run_report *r, const double *change)
{
    cJSON *list = cJSON_CreateArray();

    for (int k = 0; k < r->npoints; k++) {
        const double complex by = point_change(r, r->s->run, k, change, DEEPEST);
        cJSON_AddItemToArray(list, cJSON_CreateDoubleArray((double[]){ creal(by), cimag(by) }, 2));
    }
    return list;
}

/* Shifts what has been set of the points, `offset` columns from their first one, by a change of the coordinates. */
static void shift_points(run_report *r, const sal_run *run, int offset)
{
    for (int k = 0; k < r->npoints; k++) {
        const double complex by = point_change(r, run, k, r->change, DEEPEST);
        columns_shift(r->columns, r->points[k].at + offset, creal(by));
        columns_shift(r->columns, r->points[k].at + offset + 1, cimag(by));
    }
}

/* Shifts the derivatives of places from those that the run shows to those with other derivatives Q of coordinates. */
static void shift_gradients(run_report *r, const sal_run *run, const double *Q)
{
    for (int c = 0; c < r->p; c++) {
        for (int i = 0; i < r->info.coordinates; i++) r->change[i] = Q[i * r->p + c] - sal_run_Q(run)[i * r->p + c];
        shift_points(r, run, 4 + 4 * c);
    }
}

/* From what has been set for the state after the event to what was before it. */
static void shift_before(run_report *r, const sal_run *run)
{
    const sal_event_info e = sal_run_event(run);

    for (int i = 0; i < r->info.coordinates; i++) r->change[i] = e.v_before[i] - sal_run_v(run)[i];
    shift_points(r, run, 2);
    if (r->p == 0) return;
    shift_gradients(r, run, sal_run_Q_before(run));
    for (int k = 0; k < r->npoints; k++) {
        for (int i = 0; i < 2; i++) {
            if (r->points[k].coordinate[i] >= 0) set_rates(r, &r->points[k], i, sal_run_V_before(run));
        }
    }
}

void frames_add_before(run_report *r, const sal_run *run)
{
    const sal_event_info e = sal_run_event(run);
    sal_drawing          d;

    if (r->full) return;
    set_frame(r, run);
    shift_before(r, run);
    for (int k = 0; sal_model_drawing(r->model, k, &d); k++) {
        const int column = r->numbers + NUMBERS * k;
        columns_set(r->columns, column + NUMBER_forceX, NAN);
        columns_set(r->columns, column + NUMBER_forceY, NAN);
        columns_set(r->columns, column + NUMBER_torque, NAN);
        columns_set(r->columns, column + NUMBER_rate, NAN);
        columns_set(r->columns, column + NUMBER_holds, NAN);
    }
    columns_set(r->columns, r->energy, e.energy_before);
    for (int k = 0; k < r->info.outputs; k++) {
        const int column = r->outputs + k * (1 + r->p);
        columns_set(r->columns, column, e.outputs_before[k]);
        for (int c = 0; c < r->p; c++) columns_set(r->columns, column + 1 + c, NAN);
    }
    for (int k = 0; k < r->info.reactions; k++) columns_set(r->columns, r->reactions + k, e.reactions_before[k]);
    for (int k = 0; k < r->info.costs * (1 + r->p); k++) columns_set(r->columns, r->costs + k, NAN);
    add_frame(r);
}

void frames_add_rest(run_report *r, const sal_run *run, const sal_equilibrium *e)
{
    set_frame(r, run);
    for (int k = 0; k < r->npoints; k++) {
        for (int i = 0; i < 2; i++) columns_set(r->columns, r->points[k].at + 2 + i, 0.0);
        for (int i = 0; i < 4 * r->p; i++) {
            if (i % 4 > 1) columns_set(r->columns, r->points[k].gradient + i, NAN);
        }
    }
    if (r->p) shift_gradients(r, run, sal_equilibrium_q_gradients(e));
    columns_set(r->columns, r->energy, sal_equilibrium_get_info(e).energy);
    for (int k = 0; k < r->info.outputs; k++) {
        const int column = r->outputs + k * (1 + r->p);
        columns_set(r->columns, column, sal_equilibrium_outputs(e)[k]);
        for (int c = 0; c < r->p; c++)
            columns_set(r->columns, column + 1 + c, sal_equilibrium_output_gradients(e)[k * r->p + c]);
    }
    for (int k = 0; k < r->info.reactions; k++)
        columns_set(r->columns, r->reactions + k, sal_equilibrium_reactions(e)[k]);
    add_frame(r);
}

void frames_close(run_report *r)
{
    for (int k = 0; r->points && k < r->npoints; k++) {
        for (int i = 0; i < 2; i++) sal_probe_destroy(&r->points[k].probe[i]);
    }
    differences_free(r->differences);
    columns_free(r->columns);
    free(r->points);
    free(r->place);
    free(r->gradient);
    free(r->change);
}
