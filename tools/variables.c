/* variables.c - reads what a search changes. */
#include "tools/variables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static bool read_one(variables *list, const session *s, const arguments *a, const char *given, const char *other)
{
    variable *v    = &list->at[list->n];
    char     *text = need_copy(given), *equals = strchr(text, '=');
    bool      good = true;

    if (equals ? equals == text || !strchr(equals, ':') : !other) {
        fprintf(stderr, "saltus: --over: expected %sNAME=LOW:HIGH or NAME=LOW:HIGH:START, found '%s'\n",
                other ? "NAME, " : "", given);
        return free(text), false;
    }
    if (equals) *equals = '\0';
    *v = (variable){ .name = need_copy(trimmed(text)), .low = -INFINITY, .high = INFINITY, .start = NAN };
    list->n++;
    for (int k = 0; k < list->n - 1; k++) {
        if (strcmp(list->at[k].name, v->name) != 0) continue;
        return fprintf(stderr, "saltus: --over: '%s' is given twice\n", v->name), free(text), false;
    }
    if (equals) good = read_range(v, s, a, equals + 1);
    free(text);
    if (!good || !isnan(v->start)) return good;
    if (other && !strcmp(v->name, other)) v->start = 0.0;
    else if (variable_is_initial(v) && isfinite(v->low)) v->start = 0.5 * (v->low + v->high);
    else if (variable_is_initial(v))
        return fprintf(stderr, "saltus: --over: '%s' needs a range: NAME=LOW:HIGH\n", v->name), false;
    else if (!value_of(s, a, v->name, &v->start)) return false;
    v->start = fmin(fmax(v->start, v->low), v->high);
    return true;
}

bool variables_read(variables *v, const arguments *a, const session *s, const char *other)
{
    v->at = need_zeros((size_t)a->noverlay + 1, sizeof *v->at);
    if (a->noverlay == 0)
        return fprintf(stderr, "saltus: nothing to change: give --over NAME=LOW:HIGH; see --help\n"), false;
    for (int k = 0; k < a->noverlay; k++) {
        if (!read_one(v, s, a, a->overlay[k], other)) return false;
    }
    return true;
}

void variables_free(variables *v)
{
    for (int k = 0; k < v->n; k++) free(v->at[k].name);
    free(v->at);
}
