/* frames.h - the same scene seen from elsewhere: turned, mirrored, in another unit of length. It is the same mechanism,
 * and moves alike. With R the rotation by `turn`
 *
 *     X = unit R [1 0; 0 mirror] x,    mirror = 1 or -1
 *
 * Masses and times stay, so gravity is multiplied by the unit, moments of inertia by its square; stiffness and damping
 * between two points stay as well, as forces become as large as lengths. What is given along a body (markers, its centre)
 * is not turned. Expressions are told the old x(..), y(..) and angle(..).
 */
#ifndef SAL_TESTS_FRAMES_H
#define SAL_TESTS_FRAMES_H

#include <cjson/cJSON.h>
#include <ctype.h>

#include "tests/support.h"

enum { FRAME_TEXT = 600 };

typedef struct frame {
    double turn, mirror, unit;
} frame;

static const frame frames[] = { { 0.4, 1.0, 1.0 }, { 0.0, -1.0, 1.0 }, { 0.0, 1.0, 1000.0 }, { 2.5, -1.0, 1000.0 } };

/* A point, or its derivative, as it was. */
static inline void frame_back(frame f, const double *X, double *x)
{
    const double c = cos(f.turn) / f.unit, s = sin(f.turn) / f.unit, a = X[0], b = X[1];

    x[0] = c * a + s * b;
    x[1] = f.mirror * (c * b - s * a);
}

/* factor a + other b for numbers or expressions a and b. */
static inline cJSON *frame_sum(double factor, const cJSON *a, double other, const cJSON *b)
{
    const cJSON *item[2] = { a, b };
    char         part[2][FRAME_TEXT], text[2 * FRAME_TEXT + 80];

    for (int k = 0; k < 2; k++) {
        if (cJSON_IsNumber(item[k])) snprintf(part[k], FRAME_TEXT, "%.17g", item[k]->valuedouble);
        else snprintf(part[k], FRAME_TEXT, "%s", item[k]->valuestring);
    }
    snprintf(text, sizeof text, "(%.17g)*(%s) + (%.17g)*(%s)", factor, part[0], other, part[1]);
    return cJSON_CreateString(text);
}

/* [x, y] becomes unit A [x, y]. */
static inline void frame_vector(cJSON *pair, double unit, double turn, double mirror)
{
    const double c = unit * cos(turn), s = unit * sin(turn);
    const cJSON *x = cJSON_GetArrayItem(pair, 0), *y = cJSON_GetArrayItem(pair, 1);
    cJSON       *X = frame_sum(c, x, -s * mirror, y), *Y = frame_sum(s, x, c * mirror, y);

    cJSON_ReplaceItemInArray(pair, 0, X);
    cJSON_ReplaceItemInArray(pair, 1, Y);
}

/* An expression, with what x(..), y(..) and angle(..) were. */
static inline cJSON *frame_expression(const char *from, frame f)
{
    const double c = cos(f.turn) / f.unit, s = sin(f.turn) / f.unit;
    char         text[FRAME_TEXT];
    size_t       used = 0;

    for (const char *at = from; *at && used < sizeof text - 200;) {
        const bool   begins = at == from || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        const size_t word = strcspn(at, "("), name = at[word] ? strcspn(at + word + 1, ")") : 0;
        const int    size = (int)name;
        const char  *of   = at + word + 1;
        char        *to   = text + used;
        const size_t room = sizeof text - used;
        const char  *end  = at + word + name + 2;
        if (begins && word == 1 && *at == 'x')
            used += (size_t)snprintf(to, room, "((%.17g)*x(%.*s) + (%.17g)*y(%.*s))", c, size, of, s, size, of);
        else if (begins && word == 1 && *at == 'y')
            used += (size_t)snprintf(to, room, "(%g)*((%.17g)*y(%.*s) - (%.17g)*x(%.*s))", f.mirror, c, size, of, s,
                                     size, of);
        else if (begins && word == 5 && strncmp(at, "angle", word) == 0)
            used += (size_t)snprintf(to, room, "(%g)*(angle(%.*s) - (%.17g))", f.mirror, size, of, f.turn);
        else text[used++] = *at, end = at + 1;
        at = end;
    }
    text[used] = '\0';
    return cJSON_CreateString(text);
}

static inline bool frame_is(const cJSON *item, const char *const *names, int n)
{
    for (int k = 0; item->string && k < n; k++) {
        if (strcmp(item->string, names[k]) == 0) return true;
    }
    return false;
}

static inline void frame_items(cJSON *parent, frame f)
{
    static const char *const vectors[] = { "at", "velocity", "gravity" }, *const lengths[] = { "length", "radius" };
    static const char *const expressions[] = { "of", "running" };

    for (cJSON *item = parent->child, *next; item; item = next) {
        cJSON zero = { .type = cJSON_Number }, *made = NULL;
        next = item->next;
        if (frame_is(item, vectors, SAL_COUNT(vectors))) frame_vector(item, f.unit, f.turn, f.mirror);
        else if (frame_is(item, (const char *const[]){ "centre" }, 1)) frame_vector(item, f.unit, 0.0, f.mirror);
        else if (frame_is(item, (const char *const[]){ "markers" }, 1)) {
            for (cJSON *m = item->child; m; m = m->next) frame_vector(m, f.unit, 0.0, f.mirror);
        } else if (frame_is(item, lengths, SAL_COUNT(lengths))) made = frame_sum(f.unit, item, 0.0, &zero);
        else if (frame_is(item, (const char *const[]){ "inertia" }, 1))
            made = frame_sum(f.unit * f.unit, item, 0.0, &zero);
        else if (cJSON_IsString(item) && frame_is(item, expressions, SAL_COUNT(expressions)))
            made = frame_expression(item->valuestring, f);
        else frame_items(item, f);
        if (made) {
            char *key = strdup(item->string);
            cJSON_ReplaceItemInObject(parent, key, made);
            free(key);
        }
    }
}

/* A text as rig_load reads it, seen from there; to be freed. */
static inline char *frame_of(const char *text, frame f)
{
    char  *json  = whole_scene(text), *moved;
    cJSON *scene = cJSON_Parse(json);

    assert_non_null(scene);
    assert_non_null(cJSON_GetObjectItem(scene, "gravity"));
    cJSON_DeleteItemFromObject(scene, "saltus");
    frame_items(scene, f);
    moved = cJSON_PrintUnformatted(scene);
    assert_non_null(moved);
    moved[0] = moved[strlen(moved) - 1] = ' ';
    cJSON_Delete(scene);
    free(json);
    return moved;
}

static inline rig frame_load(const char *text, frame f)
{
    char *moved = frame_of(text, f);
    rig   r     = rig_load(moved);

    free(moved);
    return r;
}

#endif
