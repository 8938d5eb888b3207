/* report.c - writes a run as a page: what the drawing, the events and the derivatives of a run are, as a document and
 * columns of numbers, between the two halves of the page that was built in. The format is told in tools/page/README.md.
 *
 * A frame before an event has what the library knows of that side: velocities, multipliers, outputs and derivatives of
 * coordinates. Those of a marker m = A + w (B - A), w complex, of the body with the points A and B, follow from them,
 *
 *     dm- - dm+ = (dA- - dA+) + w ((dB- - dA-) - (dB+ - dA+)),
 *
 * as places, and so w, are the same on both sides. What it does not know (forces of contacts, derivatives of outputs)
 * is NaN there. */
#include "tools/report.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/columns.h"

extern const unsigned char page_head[], page_tail[]; /* made of tools/page by tools/cmake/page.cmake */

/* Numbers of an item of the drawing, by name; those with two parts have two columns. */
#define NUMBER_LIST(X)                 \
    X(angle, state->angle)             \
    X(reference, state->reference)     \
    X(radius, state->radius)           \
    X(height, state->height)           \
    X(speed, state->speed)             \
    X(low, state->low)                 \
    X(high, state->high)               \
    X(placeX, state->place[0])         \
    X(placeY, state->place[1])         \
    X(directionX, state->direction[0]) \
    X(directionY, state->direction[1]) \
    X(forceX, state->force[0])         \
    X(forceY, state->force[1])         \
    X(torque, state->torque)           \
    X(friction, state->friction)       \
    X(rate, state->rate)               \
    X(holds, state->holds ? 1.0 : 0.0)

enum {
#define NUMBER_ENUM(name, value) NUMBER_##name,
    NUMBER_LIST(NUMBER_ENUM)
#undef NUMBER_ENUM
        NUMBERS
};

static const char *const number_names[NUMBERS] = {
#define NUMBER_NAME(name, value) #name,
    NUMBER_LIST(NUMBER_NAME)
#undef NUMBER_NAME
};

/* What is told of a named point: where it is and how fast, and the derivatives. */
typedef struct point {
    sal_point_info info;
    int            coordinate[2]; /* of a free point, else -1 */
    int            frame[2];      /* points that the body of a marker lies on, else -1 */
    sal_probe     *probe[2];      /* x and y, for derivatives */
    int            at, gradient;  /* columns: x, y, vx, vy; d x, d y for each parameter */
} point;

struct run_report {
    const session   *s;
    const char      *scene;
    const sal_model *model;
    sal_model_info   info;
    int              p; /* parameters that it is differentiated by */
    columns         *columns;
    point           *points;
    int              npoints;
    int             *place;          /* [items] columns of its points that have no name, -1: none */
    int              items, numbers; /* columns: of the items */
    int              energy, outputs, reactions;
    double          *gradient; /* [2 p] workspace */
    cJSON           *events, *wrt;
    long             segment;
    bool             failed; /* out of memory */
};

enum { COLUMN_TIME, COLUMN_SEGMENT, COLUMN_FIRST };
enum { PROFILE_SAMPLES = 481, DEEPEST = 8 /* bodies on points of bodies */ };

/* -------------------------------------------------------------------------------------- columns */

static int find_coordinate(const sal_model *model, const char *axis, const char *of)
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
    point                   *p       = &r->points[k];
    char                     form[160];

    sal_model_point(r->model, k, &p->info);
    find_frame(r, p->info.body, p->frame);
    p->at       = *column;
    p->gradient = *column + 4;
    *column += 4 + 2 * r->p;
    for (int i = 0; i < 2; i++) {
        p->coordinate[i] = find_coordinate(r->model, axis[i], p->info.name);
        snprintf(form, sizeof form, "%s(%s)", axis[i], p->info.name);
        if (r->p && sal_probe_create(r->model, form, &p->probe[i]) != SAL_OK) return false;
    }
    return true;
}

/* Gives every column its place; false: out of memory. */
static bool lay_out(run_report *r)
{
    sal_point_info p;
    sal_drawing    d;
    int            column = COLUMN_FIRST;

    r->items = sal_model_drawing_count(r->model);
    while (sal_model_point(r->model, r->npoints, &p)) r->npoints++;
    r->points   = calloc((size_t)r->npoints + 1, sizeof *r->points);
    r->place    = calloc((size_t)r->items + 1, sizeof *r->place);
    r->gradient = calloc(2 * (size_t)r->p + 1, sizeof *r->gradient);
    if (!r->points || !r->place || !r->gradient) return false;
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
    column       = r->reactions + r->info.reactions;
    r->columns   = columns_create(column);
    return r->columns != NULL;
}

static void set_points(run_report *r, const sal_run *run)
{
    for (int k = 0; k < r->npoints; k++) {
        const point *p      = &r->points[k];
        double       pos[2] = { NAN, NAN }, vel[2] = { NAN, NAN };

        sal_run_point(run, p->info.name, pos, vel);
        for (int i = 0; i < 2; i++) {
            columns_set(r->columns, p->at + i, pos[i]);
            columns_set(r->columns, p->at + 2 + i, vel[i]);
            if (r->p && sal_probe_gradient(p->probe[i], run, r->gradient) != SAL_OK)
                for (int c = 0; c < r->p; c++) r->gradient[c] = NAN;
            for (int c = 0; c < r->p; c++) columns_set(r->columns, p->gradient + 2 * c + i, r->gradient[c]);
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

static void set_frame(run_report *r, const sal_run *run)
{
    columns_set(r->columns, COLUMN_TIME, sal_run_time(run));
    columns_set(r->columns, COLUMN_SEGMENT, (double)r->segment);
    set_points(r, run);
    set_items(r, run);
    set_quantities(r, run);
}

static void add_frame(run_report *r)
{
    if (!columns_add_frame(r->columns)) r->failed = true;
}

/* --------------------------------------------------------------------------- the side before an event */

/* Before - after of what a point has: its velocity (c = 0) or a derivative; NaN where nothing tells. */
static double complex point_jump(const run_report *r, const sal_run *run, int k, int c, int depth)
{
    const sal_event_info e = sal_run_event(run);
    const point         *p = &r->points[k];
    double               jump[2], at[3][2];
    double complex       a, b, w;

    for (int i = 0; i < 2 && p->coordinate[0] >= 0 && p->coordinate[1] >= 0; i++) {
        const int row = p->coordinate[i];
        if (c == 0) jump[i] = e.v_before[row] - sal_run_v(run)[row];
        else jump[i] = sal_run_Q_before(run)[row * r->p + c - 1] - sal_run_Q(run)[row * r->p + c - 1];
    }
    if (p->coordinate[0] >= 0 && p->coordinate[1] >= 0) return jump[0] + I * jump[1];
    if (!strcmp(p->info.kind, "fixed")) return 0.0;
    if (depth == 0 || p->frame[0] < 0 || p->frame[1] < 0) return NAN + I * NAN;
    sal_run_point(run, r->points[p->frame[0]].info.name, at[0], NULL);
    sal_run_point(run, r->points[p->frame[1]].info.name, at[1], NULL);
    sal_run_point(run, p->info.name, at[2], NULL);
    w = ((at[2][0] - at[0][0]) + I * (at[2][1] - at[0][1])) / ((at[1][0] - at[0][0]) + I * (at[1][1] - at[0][1]));
    a = point_jump(r, run, p->frame[0], c, depth - 1);
    b = point_jump(r, run, p->frame[1], c, depth - 1);
    return a + w * (b - a);
}

/* From what has been set for the state after the event to what was before it. */
static void set_points_before(run_report *r, const sal_run *run)
{
    for (int k = 0; k < r->npoints; k++) {
        const point *p      = &r->points[k];
        double       vel[2] = { NAN, NAN };

        sal_run_point(run, p->info.name, NULL, vel);
        for (int i = 0; i < 2 && r->p; i++) {
            if (sal_probe_gradient(p->probe[i], run, r->gradient + i * r->p) == SAL_OK) continue;
            for (int c = 0; c < r->p; c++) r->gradient[i * r->p + c] = NAN;
        }
        for (int c = 0; c <= r->p; c++) {
            const double complex jump    = point_jump(r, run, k, c, DEEPEST);
            const double         part[2] = { creal(jump), cimag(jump) };
            for (int i = 0; i < 2; i++) {
                if (c == 0) columns_set(r->columns, p->at + 2 + i, vel[i] + part[i]);
                else columns_set(r->columns, p->gradient + 2 * (c - 1) + i, r->gradient[i * r->p + c - 1] + part[i]);
            }
        }
    }
}

static void add_before(run_report *r, const sal_run *run)
{
    const sal_event_info e = sal_run_event(run);
    sal_drawing          d;

    set_frame(r, run);
    set_points_before(r, run);
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
    add_frame(r);
}

/* ------------------------------------------------------------------------------------------ reader */

static cJSON *number_array(const double *x, int n)
{
    cJSON *list = cJSON_CreateArray();

    for (int k = 0; k < n; k++) cJSON_AddItemToArray(list, cJSON_CreateNumber(x[k]));
    return list;
}

static void tell_event(run_report *r, const sal_run *run, int frame)
{
    const sal_event_info e    = sal_run_event(run);
    cJSON               *item = cJSON_CreateObject(), *list, *entry;
    sal_event_contact    c;
    char                 names[1024];

    cJSON_AddStringToObject(item, "name", event_names(r->model, run, names, sizeof names));
    cJSON_AddNumberToObject(item, "t", e.time);
    cJSON_AddNumberToObject(item, "frame", frame);
    cJSON_AddNumberToObject(item, "rate", e.rate);
    cJSON_AddBoolToObject(item, "grazing", e.grazing);
    cJSON_AddBoolToObject(item, "closed", e.closed);
    cJSON_AddNumberToObject(item, "energyBefore", e.energy_before);
    cJSON_AddNumberToObject(item, "energyAfter", sal_run_energy(run));
    cJSON_AddNumberToObject(item, "energyAdded", e.energy_added);
    if (r->p) cJSON_AddItemToObject(item, "gradient", number_array(sal_run_event_gradient(run), r->p));
    list = cJSON_AddArrayToObject(item, "contacts");
    for (int k = 0; sal_run_event_contact(run, k, &c); k++) {
        cJSON_AddItemToArray(list, entry = cJSON_CreateObject());
        cJSON_AddStringToObject(entry, "contact", c.contact);
        cJSON_AddStringToObject(entry, "event", sal_model_event(r->model, c.event));
        cJSON_AddNumberToObject(entry, "normal", c.normal);
        cJSON_AddNumberToObject(entry, "friction", c.friction);
    }
    list = cJSON_AddArrayToObject(item, "impulses");
    for (int k = 0; k < r->info.constraints; k++) {
        if (e.impulse[k] == 0.0) continue;
        cJSON_AddItemToArray(list, entry = cJSON_CreateObject());
        cJSON_AddStringToObject(entry, "constraint", sal_model_constraint(r->model, k));
        cJSON_AddNumberToObject(entry, "value", e.impulse[k]);
        if (r->p)
            cJSON_AddItemToObject(entry, "gradient", number_array(sal_run_impulse_gradient(run) + k * r->p, r->p));
    }
    cJSON_AddItemToArray(r->events, item);
}

static void read_output(void *self, const sal_run *run)
{
    run_report *r = self;

    set_frame(r, run);
    add_frame(r);
}

static void read_event(void *self, const sal_run *run)
{
    run_report *r = self;

    add_before(r, run);
    tell_event(r, run, columns_frames(r->columns));
    r->segment++;
    read_output(self, run);
}

sal_reader report_reader(run_report *r)
{
    return (sal_reader){ .self = r, .output = r ? read_output : NULL, .event = r ? read_event : NULL };
}

void report_free(run_report *r)
{
    if (!r) return;
    for (int k = 0; r->points && k < r->npoints; k++) {
        for (int i = 0; i < 2; i++) sal_probe_destroy(&r->points[k].probe[i]);
    }
    columns_free(r->columns);
    free(r->points);
    free(r->place);
    free(r->gradient);
    cJSON_Delete(r->events);
    cJSON_Delete(r->wrt);
    free(r);
}

/* The value of a parameter, or of "initial(P.x)", "initial(P.vx)", ... at the start; NaN: something else. */
static double start_value(const run_report *r, const sal_run *run, const char *name)
{
    char point_name[80], axis[4] = "";
    int  row;

    for (int k = 0; k < r->info.parameters; k++) {
        if (!strcmp(sal_model_parameter(r->model, k), name)) return sal_run_parameter(run, k);
    }
    if (sscanf(name, "initial(%79[^.)].%3[^)])", point_name, axis) == 2) {
        row = find_coordinate(r->model, axis[0] == 'v' ? axis + 1 : axis, point_name);
        if (row >= 0) return axis[0] == 'v' ? sal_run_v(run)[row] : sal_run_q(run)[row];
    }
    return NAN;
}

run_report *report_open(const session *s, const char *scene)
{
    run_report *r = calloc(1, sizeof *r);

    if (!r) return fprintf(stderr, "saltus: out of memory\n"), NULL;
    *r = (run_report){ .s      = s,
                       .scene  = scene,
                       .model  = s->model,
                       .info   = sal_model_get_info(s->model),
                       .p      = sal_run_wrt_count(s->run),
                       .events = cJSON_CreateArray(),
                       .wrt    = cJSON_CreateArray() };
    if (!r->events || !r->wrt || !lay_out(r)) {
        fprintf(stderr, "saltus: out of memory\n");
        report_free(r);
        return NULL;
    }
    for (int c = 0; c < r->p; c++) {
        const char *name = sal_run_wrt(s->run, c);
        cJSON      *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", name);
        cJSON_AddNumberToObject(item, "value", start_value(r, s->run, name));
        cJSON_AddItemToArray(r->wrt, item);
    }
    return r;
}

/* ---------------------------------------------------------------------------------------- document */

static cJSON *tell_columns(run_report *r, int first, int count, int step)
{
    cJSON *list = cJSON_CreateArray();

    for (int k = 0; k < count; k++) cJSON_AddItemToArray(list, columns_tell(r->columns, first + k * step, false));
    return list;
}

/* Places: the points of the scene, then those of items that have no name. */
static cJSON *tell_places(run_report *r)
{
    cJSON      *list = cJSON_CreateArray();
    sal_drawing d;

    for (int k = 0; k < r->npoints; k++) {
        const point *p    = &r->points[k];
        cJSON       *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", p->info.name);
        cJSON_AddStringToObject(item, "kind", p->info.kind);
        if (p->info.body) cJSON_AddStringToObject(item, "body", p->info.body);
        cJSON_AddItemToObject(item, "x", columns_tell(r->columns, p->at, false));
        cJSON_AddItemToObject(item, "y", columns_tell(r->columns, p->at + 1, false));
        cJSON_AddItemToObject(item, "vx", columns_tell(r->columns, p->at + 2, false));
        cJSON_AddItemToObject(item, "vy", columns_tell(r->columns, p->at + 3, false));
        cJSON_AddItemToObject(item, "dx", tell_columns(r, p->gradient, r->p, 2));
        cJSON_AddItemToObject(item, "dy", tell_columns(r, p->gradient + 1, r->p, 2));
        cJSON_AddItemToArray(list, item);
    }
    for (int k = 0; sal_model_drawing(r->model, k, &d); k++) {
        for (int i = 0; i < d.npoints; i++) {
            cJSON *item;
            if (d.points[i] >= 0) continue;
            item = cJSON_CreateObject();
            cJSON_AddStringToObject(item, "kind", "unnamed");
            cJSON_AddItemToObject(item, "x", columns_tell(r->columns, r->place[k] + 2 * i, false));
            cJSON_AddItemToObject(item, "y", columns_tell(r->columns, r->place[k] + 2 * i + 1, false));
            cJSON_AddItemToArray(list, item);
        }
    }
    return list;
}

/* The height of ground or of a curve, at the end of the run, as far to either side as can be looked at. */
static void tell_profile(const run_report *r, int item, cJSON *object)
{
    double low = INFINITY, high = -INFINITY, wide, y;
    cJSON *profile, *heights;

    for (int k = 0; k < r->npoints; k++) columns_range(r->columns, r->points[k].at, &low, &high);
    wide = low < high ? high - low : 1.0;
    if (!(low <= high)) low = high = 0.0;
    low -= wide;
    high += wide;
    profile = cJSON_AddObjectToObject(object, "profile");
    cJSON_AddNumberToObject(profile, "from", low);
    cJSON_AddNumberToObject(profile, "to", high);
    heights = cJSON_AddArrayToObject(profile, "y");
    for (int k = 0; k < PROFILE_SAMPLES; k++) {
        const double x = low + (high - low) * k / (PROFILE_SAMPLES - 1);
        if (!sal_run_drawing_curve(r->s->run, item, x, &y)) y = NAN;
        cJSON_AddItemToArray(heights, cJSON_CreateNumber(y));
    }
}

static cJSON *tell_items(run_report *r)
{
    cJSON      *list    = cJSON_CreateArray();
    int         unnamed = r->npoints;
    sal_drawing d;

    for (int k = 0; sal_model_drawing(r->model, k, &d); k++) {
        cJSON *item = cJSON_CreateObject(), *points = cJSON_CreateArray();
        cJSON_AddStringToObject(item, "kind", d.name);
        cJSON_AddNumberToObject(item, "element", d.element);
        if (d.body >= 0) cJSON_AddNumberToObject(item, "body", d.body);
        for (int i = 0; i < d.npoints; i++)
            cJSON_AddItemToArray(points, cJSON_CreateNumber(d.points[i] >= 0 ? d.points[i] : unnamed++));
        cJSON_AddItemToObject(item, "points", points);
        for (int i = 0; i < NUMBERS; i++) {
            cJSON *told = columns_tell(r->columns, r->numbers + NUMBERS * k + i, false);
            if (cJSON_IsNull(told)) cJSON_Delete(told);
            else cJSON_AddItemToObject(item, number_names[i], told);
        }
        if (d.curve) tell_profile(r, k, item);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static cJSON *tell_elements(const run_report *r)
{
    cJSON           *list = cJSON_CreateArray();
    sal_element_info e;

    for (int k = 0; sal_model_element(r->model, k, &e); k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "section", e.section);
        cJSON_AddStringToObject(item, "name", e.name);
        cJSON_AddStringToObject(item, "type", e.type);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static cJSON *tell_series(run_report *r, const char *name, const char *group, const char *unit, int column,
                          int gradient)
{
    cJSON *item = cJSON_CreateObject();

    cJSON_AddStringToObject(item, "name", name);
    cJSON_AddStringToObject(item, "group", group);
    if (unit) cJSON_AddStringToObject(item, "unit", unit);
    cJSON_AddItemToObject(item, "values", columns_tell(r->columns, column, false));
    if (gradient >= 0) cJSON_AddItemToObject(item, "gradient", tell_columns(r, gradient, r->p, 1));
    return item;
}

/* Quantities that are not places: outputs, energy, reactions. */
static cJSON *tell_quantities(run_report *r)
{
    cJSON *list = cJSON_CreateArray();

    for (int k = 0; k < r->info.outputs; k++) {
        const int column = r->outputs + k * (1 + r->p);
        cJSON_AddItemToArray(
            list, tell_series(r, sal_model_output(r->model, k), "output", NULL, column, r->p ? column + 1 : -1));
    }
    cJSON_AddItemToArray(list, tell_series(r, "energy", "energy", "J", r->energy, -1));
    for (int k = 0; k < r->info.reactions; k++) {
        const char *unit, *name = sal_model_reaction(r->model, k, &unit);
        cJSON_AddItemToArray(list, tell_series(r, name, "reaction", unit, r->reactions + k, -1));
    }
    return list;
}

static cJSON *tell_costs(const run_report *r)
{
    const sal_run *run  = r->s->run;
    cJSON         *list = cJSON_CreateArray();

    for (int k = 0; k < r->info.costs; k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", sal_model_cost(r->model, k));
        cJSON_AddNumberToObject(item, "value", sal_run_costs(run)[k]);
        if (r->p) cJSON_AddItemToObject(item, "gradient", number_array(sal_run_cost_gradients(run) + k * r->p, r->p));
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static cJSON *tell_settings(const run_report *r)
{
    const sal_run_opts  opts   = sal_run_get_opts(r->s->run);
    const sal_run_stats stats  = sal_run_get_stats(r->s->run);
    cJSON              *object = cJSON_CreateObject();

    cJSON_AddStringToObject(object, "form", form_names[opts.form]);
    cJSON_AddStringToObject(object, "integrator", integrator_names[opts.integrator]);
    cJSON_AddNumberToObject(object, "rtol", opts.rtol);
    cJSON_AddNumberToObject(object, "atol", opts.atol);
    cJSON_AddNumberToObject(object, "duration", opts.duration);
    cJSON_AddNumberToObject(object, "output", sal_run_output_interval(r->s->run));
    cJSON_AddNumberToObject(object, "coordinates", r->info.coordinates);
    cJSON_AddNumberToObject(object, "constraints", r->info.constraints);
    cJSON_AddNumberToObject(object, "steps", (double)stats.steps);
    cJSON_AddNumberToObject(object, "rejected", (double)stats.rejected);
    cJSON_AddNumberToObject(object, "evaluations", (double)stats.evaluations);
    cJSON_AddNumberToObject(object, "max_phi", stats.max_phi);
    cJSON_AddNumberToObject(object, "max_phidot", stats.max_phidot);
    cJSON_AddNumberToObject(object, "energy_start", stats.energy_start);
    cJSON_AddNumberToObject(object, "energy_drift", stats.energy_drift);
    return object;
}

static cJSON *tell_document(run_report *r, sal_status status)
{
    const sal_run *run = r->s->run;
    cJSON         *doc = cJSON_CreateObject(), *object;

    cJSON_AddNumberToObject(doc, "format", 1);
    cJSON_AddStringToObject(doc, "saltus", sal_version());
    cJSON_AddStringToObject(doc, "title", r->info.name[0] ? r->info.name : r->scene);
    cJSON_AddStringToObject(doc, "scene", r->scene);
    cJSON_AddStringToObject(doc, "status", status < 0 ? "failed" : status != SAL_END ? "interrupted" : "done");
    if (status < 0) cJSON_AddStringToObject(doc, "message", sal_run_message(run));
    cJSON_AddNumberToObject(doc, "frames", columns_frames(r->columns));
    cJSON_AddItemToObject(doc, "t", columns_tell(r->columns, COLUMN_TIME, true));
    cJSON_AddItemToObject(doc, "segment", columns_tell(r->columns, COLUMN_SEGMENT, true));
    cJSON_AddItemToObject(doc, "elements", tell_elements(r));
    cJSON_AddItemToObject(doc, "places", tell_places(r));
    cJSON_AddItemToObject(doc, "items", tell_items(r));
    cJSON_AddItemToObject(doc, "quantities", tell_quantities(r));
    cJSON_AddItemToObject(doc, "events", r->events);
    r->events = NULL;
    object    = cJSON_AddObjectToObject(doc, "parameters");
    for (int k = 0; k < r->info.parameters; k++)
        cJSON_AddNumberToObject(object, sal_model_parameter(r->model, k), sal_run_parameter(run, k));
    cJSON_AddItemToObject(doc, "wrt", r->wrt);
    r->wrt = NULL;
    cJSON_AddItemToObject(doc, "costs", tell_costs(r));
    cJSON_AddStringToObject(doc, "invalid", r->p ? sal_run_wrt_invalid(run) : "");
    cJSON_AddStringToObject(doc, "note", r->p ? sal_run_wrt_note(run) : "");
    cJSON_AddItemToObject(doc, "health", health_object(run));
    cJSON_AddItemToObject(doc, "work", work_object(run));
    cJSON_AddItemToObject(doc, "settings", tell_settings(r));
    return doc;
}

/* ------------------------------------------------------------------------------------------- file */

/* JSON inside of a script element: what could end it, or begin a comment, stands in strings only and is escaped. */
static void put_json(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (strchr("<>&", *text)) fprintf(f, "\\u%04x", (unsigned)*text);
        else fputc(*text, f);
    }
}

bool report_close(run_report *r, const char *path, sal_status status)
{
    result_file file;
    cJSON      *doc;
    char       *text;
    bool        good;

    doc  = r->failed ? NULL : tell_document(r, status);
    text = doc ? cJSON_PrintUnformatted(doc) : NULL;
    good = text != NULL;
    if (!good) fprintf(stderr, "saltus: out of memory\n");
    if (good) good = result_open_file(&file, path);
    if (good) {
        fputs((const char *)page_head, file.f);
        fputs("<script type=\"application/json\" id=\"saltus-document\">", file.f);
        put_json(file.f, text);
        fputs("</script>\n<script type=\"text/plain\" id=\"saltus-arrays\">", file.f);
        columns_write(r->columns, file.f);
        fputs("</script>\n", file.f);
        fputs((const char *)page_tail, file.f);
        good = result_close(&file, true);
    }
    free(text);
    cJSON_Delete(doc);
    report_free(r);
    return good;
}
