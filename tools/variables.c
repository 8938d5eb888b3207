/* variables.c - reads what a search changes. */
#include "tools/variables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/sample.h"

bool variable_is_initial(const variable *v)
{
    return !strncmp(v->name, "initial(", 8);
}

static char *trimmed(char *text)
{
    size_t length;

    while (*text == ' ') text++;
    for (length = strlen(text); length && text[length - 1] == ' ';) length--;
    text[length] = '\0';
    return text;
}

static bool value_of(const session *s, const arguments *a, const char *text, double *value)
{
    return read_setting_value(s, "--over", text, a->set, a->opts.nset, value);
}

/* LOW:HIGH or LOW:HIGH:START, cut in place. */
static bool read_range(variable *v, const session *s, const arguments *a, char *range)
{
    char *colon = strchr(range, ':'), *second = strchr(colon + 1, ':');

    *colon = '\0';
    if (second) *second = '\0';
    if (!value_of(s, a, range, &v->low) || !value_of(s, a, colon + 1, &v->high)) return false;
    if (!(v->low < v->high))
        return fprintf(stderr, "saltus: --over: '%s' has no range: %g is not less than %g\n", v->name, v->low, v->high),
               false;
    if (!second) return true;
    if (!value_of(s, a, second + 1, &v->start)) return false;
    if (v->start >= v->low && v->start <= v->high) return true;
    return fprintf(stderr, "saltus: --over: '%s' starts at %g, beyond its range\n", v->name, v->start), false;
}

/* What a knot is at the start: as set last, by itself or all together, else as the scene says. */
static double start_of_knot(const session *s, const arguments *a, const sal_vector_info *vector, int k)
{
    const char *name  = sal_model_parameter(s->model, vector->first + k);
    double      start = vector->start[k];

    for (int i = 0; i < a->opts.nset; i++) {
        if (!strcmp(a->set[i].parameter, name) || !strcmp(a->set[i].parameter, vector->name)) start = a->set[i].value;
    }
    return start;
}

static bool check_twice(const variables *list)
{
    for (int k = 0; k < list->n; k++) {
        for (int i = 0; i < k; i++) {
            if (strcmp(list->at[i].name, list->at[k].name) != 0) continue;
            return fprintf(stderr, "saltus: --over: '%s' is given twice\n", list->at[k].name), false;
        }
    }
    return true;
}

/* What a single knot starts at; false: it is none. */
static bool knot_start(const session *s, const arguments *a, const char *name, double *start)
{
    sal_vector_info vector;

    for (int i = 0; strchr(name, '[') && sal_model_vector(s->model, i, &vector); i++) {
        for (int k = 0; k < vector.knots; k++) {
            if (strcmp(sal_model_parameter(s->model, vector.first + k), name) != 0) continue;
            *start = start_of_knot(s, a, &vector, k);
            return true;
        }
    }
    return false;
}

/* A function of time: all its knots, with the same range. `text` is freed. */
static bool read_vector(variables *list, const session *s, const arguments *a, const sal_vector_info *vector,
                        char *text, char *range)
{
    variable one  = { .low = -INFINITY, .high = INFINITY, .start = NAN, .name = (char *)vector->name };
    bool     good = true;

    if (range) good = read_range(&one, s, a, range + 1);
    free(text);
    list->at = need_more(list->at, sizeof *list->at * (size_t)(list->n + vector->knots + list->more));
    for (int k = 0; k < vector->knots && good; k++) {
        const double start = isnan(one.start) ? start_of_knot(s, a, vector, k) : one.start;
        list->at[list->n]  = one;
        variable *v        = &list->at[list->n++];
        v->name            = need_copy(sal_model_parameter(s->model, vector->first + k));
        v->start           = fmin(fmax(start, one.low), one.high);
        v->knots           = k ? -1 : vector->knots;
    }
    return good && check_twice(list);
}

static bool read_one(variables *list, const session *s, const arguments *a, const char *given, const char *other)
{
    variable       *v    = &list->at[list->n];
    char           *text = need_copy(given), *equals = strchr(text, '=');
    bool            good = true;
    sal_vector_info vector;

    if (equals ? equals == text || !strchr(equals, ':') : !other) {
        fprintf(stderr, "saltus: --over: expected %sNAME=LOW:HIGH or NAME=LOW:HIGH:START, found '%s'\n",
                other ? "NAME, " : "", given);
        return free(text), false;
    }
    if (equals) *equals = '\0';
    if (session_vector(s, trimmed(text), &vector)) return read_vector(list, s, a, &vector, text, equals);
    *v = (variable){ .name = need_copy(trimmed(text)), .low = -INFINITY, .high = INFINITY, .start = NAN };
    list->n++;
    if (!check_twice(list)) return free(text), false;
    if (equals) good = read_range(v, s, a, equals + 1);
    free(text);
    if (!good || !isnan(v->start)) return good;
    if (other && !strcmp(v->name, other)) v->start = 0.0;
    else if (variable_is_initial(v) && isfinite(v->low)) v->start = 0.5 * (v->low + v->high);
    else if (variable_is_initial(v))
        return fprintf(stderr, "saltus: --over: '%s' needs a range: NAME=LOW:HIGH\n", v->name), false;
    else if (!knot_start(s, a, v->name, &v->start) && !value_of(s, a, v->name, &v->start)) return false;
    v->start = fmin(fmax(v->start, v->low), v->high);
    return true;
}

bool variables_read(variables *v, const arguments *a, const session *s, const char *other)
{
    v->at = need_zeros((size_t)a->noverlay + 1, sizeof *v->at);
    if (a->noverlay == 0)
        return fprintf(stderr, "saltus: nothing to change: give --over NAME=LOW:HIGH; see --help\n"), false;
    for (int k = 0; k < a->noverlay; k++) {
        v->more = a->noverlay - k;
        if (!read_one(v, s, a, a->overlay[k], other)) return false;
    }
    return true;
}

void variables_free(variables *v)
{
    for (int k = 0; k < v->n; k++) free(v->at[k].name);
    free(v->at);
}

bool variables_can_start(const variables *v, int places)
{
    if (places == 1 || v->n <= SOBOL_DIMENSIONS) return true;
    return fprintf(stderr, "saltus: --starts: of at most %d variables\n", SOBOL_DIMENSIONS), false;
}

double *variables_places(const variables *v, int places, uint64_t seed)
{
    double *u = need_zeros((size_t)places * (size_t)v->n, sizeof *u);

    for (int k = 0; k < v->n; k++) {
        const variable *x = &v->at[k];
        if (!isfinite(x->high - x->low)) continue;
        u[k] = (x->start - x->low) / (x->high - x->low);
        if (places > 1 && !sample_column(SAMPLE_SOBOL, seed, k, places - 1, u + v->n + k, v->n)) return free(u), NULL;
    }
    return u;
}
