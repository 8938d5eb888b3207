/* rewrite.c - replaces numbers in the text of a scene. The text has been read by the engine before: it is valid JSON,
 * and only where values begin and end is to be found. Numbers have as many digits as it takes to read back the same. */
#include "tools/rewrite.h"
#include "tools/files.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct edit { /* text[from .. to) becomes `by` */
    size_t from, to;
    char   by[160];
    char  *more; /* behind that; NULL: nothing */
} edit;

typedef struct editor {
    char            *text;
    size_t           size;
    edit            *edit;
    int              n, cap;
    const arguments *a;
    const sal_model *model;
    scene_start      start;
} editor;

/* ------------------------------------------------------------------------------------------- scan */

static size_t skip_space(const editor *e, size_t at)
{
    while (at < e->size && strchr(" \t\r\n", e->text[at])) at++;
    return at;
}

static size_t skip_string(const editor *e, size_t at)
{
    for (at++; at < e->size && e->text[at] != '"'; at++) {
        if (e->text[at] == '\\') at++;
    }
    return at + 1;
}

/* The end of the value that begins at `at`. */
static size_t skip_value(const editor *e, size_t at)
{
    int depth = 0;

    do {
        const char c = e->text[at];
        if (c == '"') {
            at = skip_string(e, at);
            continue;
        }
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        at++;
        if (depth == 0 && c != '}' && c != ']') { /* a number or a word */
            while (at < e->size && !strchr(" \t\r\n,]}", e->text[at])) at++;
        }
    } while (depth > 0 && at < e->size);
    return at;
}

typedef struct member {
    char   name[160];
    size_t value, end;
} member;

static void read_name(const editor *e, size_t from, size_t to, char *name, size_t room)
{
    cJSON *node = cJSON_ParseWithLength(e->text + from, to - from); /* knows about escapes */

    snprintf(name, room, "%s", cJSON_IsString(node) ? node->valuestring : "");
    cJSON_Delete(node);
}

/* The next member of the object, *at being behind its '{' or behind the member before; false: there are no more. */
static bool next_member(const editor *e, size_t *at, member *m)
{
    size_t key = skip_space(e, *at);

    if (key < e->size && e->text[key] == ',') key = skip_space(e, key + 1);
    if (key >= e->size || e->text[key] != '"') return false;
    *at = skip_string(e, key);
    read_name(e, key, *at, m->name, sizeof m->name);
    m->value = skip_space(e, skip_space(e, *at) + 1); /* behind the colon */
    m->end = *at = skip_value(e, m->value);
    return true;
}

/* ------------------------------------------------------------------------------------------- edit */

static edit *add_edit(editor *e, size_t from, size_t to)
{
    if (e->n == e->cap) {
        e->cap  = 2 * e->cap + 64;
        e->edit = need_more(e->edit, sizeof *e->edit * (size_t)e->cap);
    }
    e->edit[e->n] = (edit){ .from = from, .to = to };
    return &e->edit[e->n++];
}

static void print_number(char *text, size_t room, double x)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, room, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
}

static void set_pair(editor *e, size_t from, size_t to, const char *before, const double *pair)
{
    edit *made = add_edit(e, from, to);
    char  x[40], y[40];

    print_number(x, sizeof x, pair[0]);
    print_number(y, sizeof y, pair[1]);
    snprintf(made->by, sizeof made->by, "%s[%s, %s]", before, x, y);
}

/* Members that are texts for readers. */
static bool is_text(const char *name)
{
    return !strcmp(name, "//") || !strcmp(name, "name") || !strcmp(name, "$schema");
}

/* In a formula, `t` becomes the time since the new start and what had passed before it. */
static void shift_formula(editor *e, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++) {
        const unsigned char before = (unsigned char)e->text[at - 1], after = (unsigned char)e->text[at + 1];
        edit               *made;
        char                number[40];
        if (e->text[at] != 't' || isalnum(before) || strchr("_.", before) || isalnum(after) || strchr("_.(", after))
            continue;
        made = add_edit(e, at, at + 1);
        print_number(number, sizeof number, e->start.t);
        snprintf(made->by, sizeof made->by, "(t + %s)", number);
    }
}

/* All formulas in a value. */
static void shift_times(editor *e, size_t from, size_t to)
{
    if (e->start.t == 0.0) return;
    for (size_t at = from; at < to; at++) {
        size_t end, next;
        char   name[160];
        if (e->text[at] != '"') continue;
        end  = skip_string(e, at);
        next = skip_space(e, end);
        if (next < to && e->text[next] == ':') { /* the name of a member */
            read_name(e, at, end, name, sizeof name);
            at = (is_text(name) ? skip_value(e, skip_space(e, next + 1)) : next) - 1;
        } else {
            shift_formula(e, at + 1, end - 1);
            at = end - 1;
        }
    }
}

/* The first coordinate of a free point, -1: it is none. */
static int coordinate_of(const sal_model *model, const char *name)
{
    sal_point_info p;
    int            k = 0;

    for (int i = 0; sal_model_point(model, i, &p); i++) {
        if (strcmp(p.kind, "free") != 0) continue;
        if (!strcmp(p.name, name)) return 2 * k;
        k++;
    }
    return -1;
}

static void edit_point(editor *e, const member *point)
{
    const int     k = coordinate_of(e->model, point->name);
    const double *q = e->start.q + k, *v = e->start.v + k;
    size_t        at = point->value + 1;
    member        m, place = { 0 }, velocity = { 0 };

    if (k < 0) {
        shift_times(e, point->value, point->end);
        return;
    }
    while (next_member(e, &at, &m)) {
        if (!strcmp(m.name, "at")) place = m;
        if (!strcmp(m.name, "velocity")) velocity = m;
    }
    for (int pass = 0; pass < 2; pass++) { /* in the order of the text */
        const bool first = (velocity.value == 0 || place.value < velocity.value) == (pass == 0);
        if (first) {
            set_pair(e, place.value, place.end, "", q);
            if (velocity.value == 0 && (v[0] != 0.0 || v[1] != 0.0))
                set_pair(e, place.end, place.end, ", \"velocity\": ", v);
        } else if (velocity.value != 0) {
            set_pair(e, velocity.value, velocity.end, "", v);
        }
    }
}

static void set_number(editor *e, const member *m, double x)
{
    edit *made = add_edit(e, m->value, m->end);

    print_number(made->by, sizeof made->by, x);
}

static void edit_memory(editor *e, const member *memory)
{
    const char *name;

    for (int k = 0; e->start.memory && (name = sal_model_memory(e->model, k)); k++) {
        if (!strcmp(name, memory->name)) set_number(e, memory, e->start.memory[k]);
    }
}

/* The knots of a function of time, all of them, where one is set. */
static void edit_vector(editor *e, const member *parameter, const sal_vector_info *vector)
{
    size_t  at = parameter->value + 1, used = 0, last = at;
    member  m, start = { 0 };
    double *value = need_zeros((size_t)vector->knots, sizeof *value);
    char   *list  = need_zeros((size_t)vector->knots, 32);
    bool    any   = false;

    for (int k = 0; k < vector->knots; k++) {
        const char *name = sal_model_parameter(e->model, vector->first + k);
        value[k]         = vector->start[k];
        for (int i = 0; i < e->a->opts.nset; i++) { /* the last one counts */
            const sal_setting *set = &e->a->opts.set[i];
            if (strcmp(set->parameter, name) != 0 && strcmp(set->parameter, vector->name) != 0) continue;
            value[k] = set->value;
            any      = true;
        }
        used += (size_t)snprintf(list + used, 4, "%s", k ? ", " : "");
        print_number(list + used, 28, value[k]);
        used += strlen(list + used);
    }
    while (next_member(e, &at, &m)) {
        last = m.end;
        if (!strcmp(m.name, "start")) start = m;
    }
    if (any) {
        edit *made = start.value ? add_edit(e, start.value, start.end) : add_edit(e, last, last);
        made->more = need_zeros(used + 2, 1);
        snprintf(made->by, sizeof made->by, start.value ? "[" : ", \"start\": [");
        sprintf(made->more, "%s]", list);
    }
    free(value);
    free(list);
}

static void edit_parameter(editor *e, const member *parameter)
{
    sal_vector_info vector;

    for (int k = 0; sal_model_vector(e->model, k, &vector); k++) {
        if (!strcmp(vector.name, parameter->name)) return edit_vector(e, parameter, &vector);
    }
    const sal_setting *found = NULL;

    for (int k = 0; k < e->a->opts.nset; k++) { /* the last one counts */
        if (!strcmp(e->a->opts.set[k].parameter, parameter->name)) found = &e->a->opts.set[k];
    }
    if (found) set_number(e, parameter, found->value);
}

static void edit_scene(editor *e)
{
    size_t at = skip_space(e, 0) + 1;
    member section, m;

    while (next_member(e, &at, &section)) {
        size_t inside = section.value + 1;
        if (is_text(section.name)) continue;
        if (!strcmp(section.name, "points")) {
            while (e->start.q && next_member(e, &inside, &m)) edit_point(e, &m);
        } else if (!strcmp(section.name, "memory")) {
            while (next_member(e, &inside, &m)) edit_memory(e, &m);
        } else if (!strcmp(section.name, "parameters")) {
            while (next_member(e, &inside, &m)) edit_parameter(e, &m);
        } else {
            shift_times(e, section.value, section.end);
        }
    }
}

/* ------------------------------------------------------------------------------------------ files */

/* Of the file, or what came from stdin. */
static bool read_text(editor *e, const session *s)
{
    FILE  *f   = s->text ? NULL : fopen(e->a->scene, "rb");
    size_t cap = 0, got;
    bool   good;

    if (s->text) {
        e->text = memcpy(need_memory(s->size + 1), s->text, s->size);
        e->size = s->size;
        return true;
    }
    if (!f) return false;
    do {
        char *more = realloc(e->text, cap = 2 * cap + 65536);
        if (!more) return fclose(f), errno = ENOMEM, false;
        e->text = more;
        got     = fread(e->text + e->size, 1, cap - e->size, f);
        e->size += got;
    } while (got > 0 && e->size == cap);
    good = !ferror(f);
    return fclose(f) == 0 && good;
}

/* The text with its edits, which follow each other. */
static char *edited(const editor *e, size_t *size)
{
    size_t at = 0, room = e->size + 1;
    char  *text;

    for (int k = 0; k < e->n; k++) room += strlen(e->edit[k].by) + (e->edit[k].more ? strlen(e->edit[k].more) : 0);
    text  = need_memory(room);
    *size = 0;
    for (int k = 0; k <= e->n; k++) {
        const size_t to = k < e->n ? e->edit[k].from : e->size, by = k < e->n ? strlen(e->edit[k].by) : 0;
        memcpy(text + *size, e->text + at, to - at);
        memcpy(text + *size + (to - at), k < e->n ? e->edit[k].by : "", by);
        *size += to - at + by;
        if (k < e->n && e->edit[k].more) {
            memcpy(text + *size, e->edit[k].more, strlen(e->edit[k].more));
            *size += strlen(e->edit[k].more);
        }
        if (k < e->n) at = e->edit[k].to;
    }
    return text;
}

/* The new text of the scene; NULL after a message. */
static char *make_text(const arguments *a, const session *s, scene_start start, size_t *size)
{
    editor e    = { .a = a, .model = s->model, .start = start };
    char  *text = NULL;

    if (!read_text(&e, s)) {
        fprintf(stderr, "saltus: %s: %s\n", a->scene, strerror(errno));
    } else {
        edit_scene(&e);
        text = edited(&e, size);
    }
    for (int k = 0; k < e.n; k++) free(e.edit[k].more);
    free(e.text);
    free(e.edit);
    return text;
}

static int write_text(const char *text, size_t size, const char *path)
{
    result_file file;

    if (!result_open_file(&file, path ? path : "-")) return EXIT_OUTPUT;
    fwrite(text, 1, size, file.f);
    return result_close(&file, true) ? EXIT_SUCCESS : EXIT_OUTPUT;
}

int rewrite_scene(const arguments *a, const session *s, scene_start start, const char *path)
{
    size_t size;
    char  *text = make_text(a, s, start, &size);
    int    code = text ? write_text(text, size, path) : EXIT_SCENE;

    free(text);
    return code;
}

/* ------------------------------------------------------------------------------------ the final state */

static double largest(const double *x, int n)
{
    double most = 0.0;

    for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
    return most;
}

/* Names what the new start has otherwise than the end of the run; NULL: nothing. Each is compared with the largest of
 * its kind, and with what takes the mechanism along its own size within the duration of the run. */
static const char *find_change(const session *s, const sal_run *begun)
{
    const double TOLERANCE = 1e-7;
    const int    n         = sal_model_get_info(s->model).coordinates;
    const double T = sal_run_duration(s->run), way = largest(sal_run_q(s->run), n),
                 speed = largest(sal_run_v(s->run), n) + way / T, push = largest(sal_run_a(s->run), n) + way / (T * T);
    sal_drawing       item;
    sal_element_info  element;
    sal_drawing_state ended, starts;
    const char       *name;

    for (int k = 0; (name = sal_model_touch(s->model, k)); k++) {
        if (sal_run_closed(s->run, k) != sal_run_closed(begun, k)) return name;
    }
    for (int k = 0; sal_model_drawing(s->model, k, &item); k++) {
        if (sal_run_drawing(s->run, k, NULL, &ended) && sal_run_drawing(begun, k, NULL, &starts) &&
            ended.holds != starts.holds)
            return sal_model_element(s->model, item.element, &element) ? element.name : item.name;
    }
    for (int k = 0; k < n; k++) {
        if (!(fabs(sal_run_q(s->run)[k] - sal_run_q(begun)[k]) <= TOLERANCE * way) ||
            !(fabs(sal_run_v(s->run)[k] - sal_run_v(begun)[k]) <= TOLERANCE * speed) ||
            !(fabs(sal_run_a(s->run)[k] - sal_run_a(begun)[k]) <= TOLERANCE * push))
            return sal_model_coordinate(s->model, k);
    }
    return NULL;
}

/* Whether the text begins where the run is; false after a message. */
static bool goes_on(const arguments *a, const session *s, const char *text, size_t size)
{
    session      begun = { 0 };
    sal_run_opts opts  = a->opts;
    sal_status   status;
    const char  *change = NULL;

    opts.nwrt  = 0;
    opts.nset  = 0;
    opts.quiet = true;
    status     = sal_scene_parse(s->context, a->final, text, size, &begun.scene);
    if (status == SAL_OK) status = sal_model_create(begun.scene, &begun.model);
    if (status == SAL_OK) status = sal_run_create(begun.model, &opts, &begun.run);
    if (status != SAL_OK) report(sal_message(s->context), status);
    else change = find_change(s, begun.run);
    sal_run_destroy(&begun.run);
    sal_model_destroy(&begun.model);
    sal_scene_destroy(&begun.scene);
    if (change)
        fprintf(stderr,
                "saltus: --final: a scene cannot say all of this state, its start would be another one for %s: joints "
                "and contacts that events have\nswitched, and whole turns, are no part of a scene\n",
                change);
    return status == SAL_OK && !change;
}

int rewrite_final(const arguments *a, const session *s, const char *path)
{
    const int memory = sal_model_get_info(s->model).memory;
    double   *kept   = need_zeros((size_t)memory + 1, sizeof *kept);
    size_t    size;
    char     *text;
    int       code = EXIT_OUTPUT;

    for (int k = 0; k < memory; k++) kept[k] = sal_run_memory(s->run, k);
    text = make_text(a, s, (scene_start){ sal_run_q(s->run), sal_run_v(s->run), kept, sal_run_time(s->run) }, &size);
    if (text && goes_on(a, s, text, size)) code = write_text(text, size, path);
    free(text);
    free(kept);
    return code;
}
