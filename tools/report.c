/* report.c - tells a run: a document that says what its columns of numbers are, and the columns; as a page, between the
 * parts of the page that were built in, or as bytes for a page at hand. The format is told in tools/page/README.md. */
#include "tools/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report_frames.h"

enum { PROFILE_SAMPLES = 481 };

static const char *const number_names[NUMBERS] = {
#define NUMBER_NAME(name, value) #name,
    NUMBER_LIST(NUMBER_NAME)
#undef NUMBER_NAME
};

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
    frames_add(self, run);
}

static void read_event(void *self, const sal_run *run)
{
    run_report *r = self;

    if (r->full) return;
    frames_add_before(r, run);
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
    frames_close(r);
    cJSON_Delete(r->events);
    cJSON_Delete(r->wrt);
    cJSON_Delete(r->study);
    cJSON_Delete(r->modes);
    cJSON_Delete(r->branch);
    free(r);
}

/* The value of a parameter, or of "initial(P.x)", "initial(P.vx)", ... at the start; NaN: something else. */
static double start_value(const session *s, const char *name)
{
    char        point_name[80], axis[4] = "";
    const char *other;
    int         row;

    for (int k = 0; (other = sal_model_parameter(s->model, k)); k++) {
        if (!strcmp(other, name)) return sal_run_parameter(s->run, k);
    }
    if (sscanf(name, "initial(%79[^.)].%3[^)])", point_name, axis) == 2) {
        row = find_coordinate(s->model, axis[0] == 'v' ? axis + 1 : axis, point_name);
        if (row >= 0) return axis[0] == 'v' ? sal_run_v(s->run)[row] : sal_run_q(s->run)[row];
    }
    return NAN;
}

int report_design(session *s, const arguments *a, sal_run_opts opts, const char *const *wrt, int nwrt,
                  const char *title, const cJSON *summary)
{
    run_report *page;
    sal_reader  reader;
    sal_status  status;

    opts.wrt  = wrt;
    opts.nwrt = nwrt;
    status    = sal_run_create(s->model, &opts, &s->run);
    if (status != SAL_OK) return report(sal_message(s->context), status);
    page = report_open(s, a->scene);
    if (!page) return EXIT_RUN;
    reader = report_reader(page);
    status = sal_simulate(s->run, &reader, 1);
    report_add_study(page, title, summary);
    if (!report_close(page, a->report, status)) return EXIT_OUTPUT;
    return status < 0 ? report(sal_run_message(s->run), status) : status == SAL_STOPPED ? EXIT_STOPPED : EXIT_SUCCESS;
}

void report_add_study(run_report *r, const char *title, const cJSON *summary)
{
    r->study = cJSON_CreateObject();
    cJSON_AddStringToObject(r->study, "title", title);
    cJSON_AddItemToObject(r->study, "summary", cJSON_Duplicate(summary, true));
}

void report_add_branch(run_report *r, const char *parameter, const cJSON *points)
{
    r->branch = cJSON_CreateObject();
    cJSON_AddStringToObject(r->branch, "parameter", parameter);
    cJSON_AddItemToObject(r->branch, "points", cJSON_Duplicate(points, true));
}

void report_add_modes(run_report *r, const sal_modes *modes)
{
    sal_mode mode;

    r->modes = cJSON_CreateArray();
    for (int k = 0; sal_modes_mode(modes, k, &mode); k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "eigenvalue", cJSON_CreateDoubleArray(mode.s, 2));
        cJSON_AddItemToObject(item, "re", frames_tell_change(r, mode.shape[0]));
        cJSON_AddItemToObject(item, "im", frames_tell_change(r, mode.shape[1]));
        cJSON_AddItemToArray(r->modes, item);
    }
}

void report_add_rest(run_report *r, const sal_equilibrium *e)
{
    frames_add_rest(r, r->s->run, e);
    r->rest = true;
}

run_report *report_open(const session *s, const char *scene)
{
    return report_open_compared(s, scene, NULL, 0.0);
}

run_report *report_open_compared(const session *s, const char *scene, const sal_run_opts *opts, double step)
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
    if (opts && r->p) r->differences = differences_open(s, opts, step, start_value);
    if (!r->events || !r->wrt || (opts && r->p && !r->differences) || !frames_open(r)) {
        fprintf(stderr, "saltus: out of memory\n");
        report_free(r);
        return NULL;
    }
    for (int c = 0; c < r->p; c++) {
        const char *name = sal_run_wrt(s->run, c);
        cJSON      *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", name);
        cJSON_AddNumberToObject(item, "value", start_value(s, name));
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

/* Central differences of a place and its velocity. */
static void tell_compared(run_report *r, cJSON *item, int point)
{
    static const char *const names[4] = { "cx", "cy", "cvx", "cvy" };

    for (int i = 0; i < 4; i++)
        cJSON_AddItemToObject(item, names[i], tell_columns(r, r->compared + (4 * point + i) * r->p, r->p, 1));
}

/* Places: the points of the scene, then those of items that have no name. */
static cJSON *tell_places(run_report *r)
{
    cJSON      *list = cJSON_CreateArray();
    sal_drawing d;

    for (int k = 0; k < r->npoints; k++) {
        const told_point *p    = &r->points[k];
        cJSON            *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", p->info.name);
        cJSON_AddStringToObject(item, "kind", p->info.kind);
        if (p->info.body) cJSON_AddStringToObject(item, "body", p->info.body);
        cJSON_AddItemToObject(item, "x", columns_tell(r->columns, p->at, false));
        cJSON_AddItemToObject(item, "y", columns_tell(r->columns, p->at + 1, false));
        cJSON_AddItemToObject(item, "vx", columns_tell(r->columns, p->at + 2, false));
        cJSON_AddItemToObject(item, "vy", columns_tell(r->columns, p->at + 3, false));
        cJSON_AddItemToObject(item, "dx", tell_columns(r, p->gradient, r->p, 4));
        cJSON_AddItemToObject(item, "dy", tell_columns(r, p->gradient + 1, r->p, 4));
        cJSON_AddItemToObject(item, "dvx", tell_columns(r, p->gradient + 2, r->p, 4));
        cJSON_AddItemToObject(item, "dvy", tell_columns(r, p->gradient + 3, r->p, 4));
        if (r->differences) tell_compared(r, item, k);
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

/* One with its derivatives, which follow its column, and the differences to compare them with. */
static cJSON *tell_differentiated(run_report *r, const char *name, const char *group, int column, int compared)
{
    cJSON *item = tell_series(r, name, group, NULL, column, r->p ? column + 1 : -1);

    if (r->differences)
        cJSON_AddItemToObject(item, "compared", tell_columns(r, r->compared + compared * r->p, r->p, 1));
    return item;
}

/* Quantities that are not places: outputs, costs as they grow, energy, reactions. */
static cJSON *tell_quantities(run_report *r)
{
    cJSON *list = cJSON_CreateArray();

    for (int k = 0; k < r->info.outputs; k++) {
        cJSON_AddItemToArray(list, tell_differentiated(r, sal_model_output(r->model, k), "output",
                                                       r->outputs + k * (1 + r->p), 4 * r->npoints + k));
    }
    for (int k = 0; k < r->info.costs && !r->rest; k++) { /* they are of motions */
        cJSON_AddItemToArray(list,
                             tell_differentiated(r, sal_model_cost(r->model, k), "cost", r->costs + k * (1 + r->p),
                                                 4 * r->npoints + r->info.outputs + k));
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

    for (int k = 0; k < r->info.costs && !r->rest; k++) {
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
    if (r->full) cJSON_AddNumberToObject(doc, "until", sal_run_time(run));
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
    if (r->study) cJSON_AddItemToObject(doc, "study", r->study);
    if (r->modes) cJSON_AddItemToObject(doc, "modes", r->modes);
    if (r->branch) cJSON_AddItemToObject(doc, "branch", r->branch);
    r->study = r->modes = r->branch = NULL;
    return doc;
}

/* ------------------------------------------------------------------------------------------- file */

void put_json(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (strchr("<>&", *text)) fprintf(f, "\\u%04x", (unsigned)*text);
        else fputc(*text, f);
    }
}

bool send_document(FILE *f, const cJSON *document)
{
    char  *text   = cJSON_PrintUnformatted(document);
    size_t length = text ? strlen(text) : 0, padded = (length + 4 + 7) / 8 * 8;

    if (!text) return false;
    for (int k = 0; k < 4; k++) fputc((int)(length >> 8 * k & 0xff), f);
    fwrite(text, 1, length, f);
    for (size_t k = length + 4; k < padded; k++) fputc(0, f);
    free(text);
    return true;
}

/* What the page of a report may do: load nothing. */
static const char policy[] =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:\">";

bool report_write(run_report *r, FILE *f, sal_status status)
{
    cJSON *doc  = r->failed ? NULL : tell_document(r, status);
    char  *text = doc ? cJSON_PrintUnformatted(doc) : NULL;
    bool   good = text != NULL;

    if (good) {
        fprintf(f, "%s%s%s", (const char *)page_head, policy, (const char *)page_body);
        fputs("<script type=\"application/json\" id=\"saltus-document\">", f);
        put_json(f, text);
        fputs("</script>\n<script type=\"text/plain\" id=\"saltus-arrays\">", f);
        columns_write(r->columns, f);
        fprintf(f, "</script>\n%s%s", (const char *)page_script, (const char *)page_report);
    } else {
        fprintf(stderr, "saltus: out of memory\n");
    }
    free(text);
    cJSON_Delete(doc);
    report_free(r);
    return good;
}

bool report_close(run_report *r, const char *path, sal_status status)
{
    result_file file;
    bool        good;

    if (!result_open_file(&file, path)) return report_free(r), false;
    good = report_write(r, file.f, status);
    return result_close(&file, good) && good;
}

bool report_send(run_report *r, FILE *f, sal_status status, cJSON *more)
{
    cJSON *doc = NULL, *item;
    bool   good;

    columns_keep_doubles(r->columns);
    if (!r->failed) doc = tell_document(r, status);
    while (doc && (item = more->child))
        cJSON_AddItemToObject(doc, item->string, cJSON_DetachItemViaPointer(more, item));
    good = doc && send_document(f, doc);
    if (good) columns_write_bytes(r->columns, f);
    cJSON_Delete(doc);
    cJSON_Delete(more);
    report_free(r);
    return good;
}
