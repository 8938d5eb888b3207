/* rewrite.c - replaces numbers in the text of a scene. The text has been read by the engine before: it is valid JSON,
 * and only where values begin and end is to be found. Numbers have as many digits as it takes to read back the same. */
#include "tools/rewrite.h"
#include "tools/output.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct edit { /* text[from .. to) becomes `by` */
    size_t from, to;
    char   by[160];
} edit;

typedef struct editor {
    char            *text;
    size_t           size;
    edit            *edit;
    int              n, cap;
    bool             failed; /* out of memory */
    const arguments *a;
    const sal_model *model;
    const double    *q, *v;
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
        const int cap  = e->cap ? 2 * e->cap : 64;
        edit     *more = realloc(e->edit, sizeof *more * (size_t)cap);
        if (!more) return e->failed = true, NULL;
        e->edit = more;
        e->cap  = cap;
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

    if (!made) return;
    print_number(x, sizeof x, pair[0]);
    print_number(y, sizeof y, pair[1]);
    snprintf(made->by, sizeof made->by, "%s[%s, %s]", before, x, y);
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
    const int k  = coordinate_of(e->model, point->name);
    size_t    at = point->value + 1;
    member    m, place = { 0 }, velocity = { 0 };

    if (k < 0) return;
    while (next_member(e, &at, &m)) {
        if (!strcmp(m.name, "at")) place = m;
        if (!strcmp(m.name, "velocity")) velocity = m;
    }
    for (int pass = 0; pass < 2; pass++) { /* in the order of the text */
        const bool first = (velocity.value == 0 || place.value < velocity.value) == (pass == 0);
        if (first) {
            set_pair(e, place.value, place.end, "", e->q + k);
            if (velocity.value == 0 && (e->v[k] != 0.0 || e->v[k + 1] != 0.0))
                set_pair(e, place.end, place.end, ", \"velocity\": ", e->v + k);
        } else if (velocity.value != 0) {
            set_pair(e, velocity.value, velocity.end, "", e->v + k);
        }
    }
}

static void edit_parameter(editor *e, const member *parameter)
{
    const sal_setting *found = NULL;
    edit              *made;

    for (int k = 0; k < e->a->opts.nset; k++) { /* the last one counts */
        if (!strcmp(e->a->opts.set[k].parameter, parameter->name)) found = &e->a->opts.set[k];
    }
    made = found ? add_edit(e, parameter->value, parameter->end) : NULL;
    if (made) print_number(made->by, sizeof made->by, found->value);
}

static void edit_scene(editor *e)
{
    size_t at = skip_space(e, 0) + 1;
    member section, m;

    while (next_member(e, &at, &section)) {
        size_t inside = section.value + 1;
        if (!strcmp(section.name, "points")) {
            while (next_member(e, &inside, &m)) edit_point(e, &m);
        } else if (!strcmp(section.name, "parameters")) {
            while (next_member(e, &inside, &m)) edit_parameter(e, &m);
        }
    }
}

/* ------------------------------------------------------------------------------------------ files */

static bool read_text(editor *e, const char *file)
{
    FILE  *f   = fopen(file, "rb");
    size_t cap = 0, got;

    if (!f) return false;
    do {
        char *more = realloc(e->text, cap = 2 * cap + 65536);
        if (!more) {
            fclose(f);
            return e->failed = true, false;
        }
        e->text = more;
        got     = fread(e->text + e->size, 1, cap - e->size, f);
        e->size += got;
    } while (got > 0 && e->size == cap);
    got = (size_t)ferror(f);
    return fclose(f) == 0 && got == 0;
}

static void write_text(const editor *e, FILE *f)
{
    size_t at = 0;

    for (int k = 0; k < e->n; k++) {
        fwrite(e->text + at, 1, e->edit[k].from - at, f);
        fputs(e->edit[k].by, f);
        at = e->edit[k].to;
    }
    fwrite(e->text + at, 1, e->size - at, f);
}

int rewrite_scene(const arguments *a, const sal_model *model, const double *q, const double *v, const char *path)
{
    editor      e    = { .a = a, .model = model, .q = q, .v = v };
    int         code = EXIT_SUCCESS;
    result_file file;

    if (!read_text(&e, a->scene)) {
        fprintf(stderr, "saltus: %s: %s\n", a->scene, e.failed ? "out of memory" : strerror(errno));
        code = EXIT_SCENE;
    } else {
        edit_scene(&e);
        if (e.failed) {
            code = report("saltus: out of memory", SAL_ERR_MEMORY);
        } else if (!result_open_file(&file, path ? path : "-")) {
            code = EXIT_OUTPUT;
        } else {
            write_text(&e, file.f);
            if (!result_close(&file, true)) code = EXIT_OUTPUT;
        }
    }
    free(e.text);
    free(e.edit);
    return code;
}
