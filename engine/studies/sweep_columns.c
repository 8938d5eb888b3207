/* sweep_columns.c - what the cases of a sweep tell: from names and expressions to quantities. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/studies/sweep.h"

/* ------------------------------------------------------------------------------------------- words */

typedef struct word {
    const char       *name;
    sal_quantity_kind kind;
    bool              differentiable;
} word;

/* Quantities of each study that have a word of their own, ended by NULL. */
static const word words[][5] = {
    [SAL_STUDY_RUN]         = { { "events", SAL_OF_COUNT, false } },
    [SAL_STUDY_CYCLE]       = { { "period", SAL_OF_PERIOD, true },
                                { "length", SAL_OF_LENGTH, true },
                                { "largest", SAL_OF_LARGEST, false },
                                { "stable", SAL_OF_STABILITY, false } },
    [SAL_STUDY_EQUILIBRIUM] = { { "energy", SAL_OF_ENERGY, false },
                                { "stiffness", SAL_OF_STIFFNESS, false },
                                { "stable", SAL_OF_STABILITY, false } },
};

static const char *const expected[] = {
    [SAL_STUDY_RUN]   = "",
    [SAL_STUDY_CYCLE] = "period, length, largest, stable, x(P), vx(P), ... at the start, an output, or cost(NAME)",
    [SAL_STUDY_EQUILIBRIUM] = "energy, stiffness, stable, x(P), ..., an output or a reaction",
};

static bool is_there(const sal_sweep *s, const char *name)
{
    for (int k = 0; k < s->quantities.n; k++) {
        if (!strcmp(s->quantities.at[k].name, name)) return true;
    }
    return false;
}

static sal_status add(sal_sweep *s, const char *name, sal_quantity q, bool differentiable)
{
    sal_quantity *slot;

    if (is_there(s, name)) return sal_fail(s->context, SAL_ERR_ARGUMENT, "the column '%s' is given twice", name);
    slot = SAL_PUSH(&s->pool, &s->quantities);
    if (!slot) return sal_out_of_memory(s->context);
    *slot          = q;
    slot->name     = sal_pool_copy(&s->pool, name, strlen(name));
    slot->gradient = differentiable && s->opts.run.nwrt ? 0 : -1;
    return slot->name ? SAL_OK : sal_out_of_memory(s->context);
}

/* -------------------------------------------------------------------------------------------- names */

static const char *coordinate_name(const sal_sweep *s, int index)
{
    return sal_model_coordinate(s->model, index);
}

static const char *output_name(const sal_sweep *s, int index)
{
    return sal_model_output(s->model, index);
}

static const char *cost_name(const sal_sweep *s, int index)
{
    return sal_model_cost(s->model, index);
}

static const char *event_name(const sal_sweep *s, int index)
{
    return index < s->model->tables->shown_events ? sal_model_event(s->model, index) : NULL;
}

static const char *reaction_name(const sal_sweep *s, int index)
{
    return sal_model_reaction(s->model, index, NULL);
}

typedef const char *(*name_of)(const sal_sweep *s, int index);

static int find(const sal_sweep *s, name_of name, const char *text)
{
    for (int k = 0; name(s, k); k++) {
        if (!strcmp(name(s, k), text)) return k;
    }
    return -1;
}

static sal_status unknown(sal_sweep *s, const char *column, const char *what, name_of name, const char *text)
{
    sal_names known = { 0 };

    for (int k = 0; name(s, k); k++) sal_names_add(&s->pool, &known, name(s, k), NULL);
    return sal_fail(s->context, SAL_ERR_ARGUMENT, "column '%s': unknown %s '%s'%s", column, what, text,
                    sal_did_you_mean(text, known.list.at, known.list.n).text);
}

/* ------------------------------------------------------------------------------------------ columns */

/* "NAME(A, B)" with this name: its arguments, blanks left out; how many, 0 for none, -1 where it is something else. */
static int arguments_of(const char *column, const char *name, char first[2 * SAL_NAME_MAX + 2],
                        char second[2 * SAL_NAME_MAX + 2])
{
    const size_t length = strlen(name), whole = strlen(column);
    char        *out[2] = { first, second };
    int          n      = 0;

    first[0] = second[0] = '\0';
    if (strncmp(column, name, length) != 0 || column[length] != '(' || column[whole - 1] != ')') return -1;
    for (const char *c = column + length + 1; c < column + whole - 1; c++) {
        const size_t used = strlen(out[n]);
        if (*c == ' ') continue;
        if (*c == ',' && ++n < 2) continue;
        if (n == 2 || *c == '(' || used > 2 * SAL_NAME_MAX) return -1;
        out[n][used]     = *c;
        out[n][used + 1] = '\0';
    }
    return first[0] ? n + 1 : 0;
}

/* A whole number from 1 on; 0: it is none. */
static long number_of(const char *text)
{
    char *end;
    long  number = strtol(text, &end, 10);

    return *text && !*end && number > 0 ? number : 0;
}

static sal_status add_time(sal_sweep *s, const char *column, int count, const char *first, const char *second)
{
    sal_quantity q = { .kind = SAL_OF_TIME, .number = 1, .index = -1 };

    if (count == 1 && number_of(first)) q.number = number_of(first);
    else if (count > 0) q.index = find(s, event_name, first);
    if (count == 2) q.number = number_of(second);
    if (count == 0 || q.number == 0)
        return sal_fail(s->context, SAL_ERR_ARGUMENT,
                        "column '%s': expected time(EVENT), time(EVENT, K) or time(K) with K = 1, 2, ...", column);
    if (q.index < 0 && !(count == 1 && number_of(first))) return unknown(s, column, "event", event_name, first);
    return add(s, column, q, true);
}

static sal_status add_expression(sal_sweep *s, const char *column)
{
    const int    output = find(s, output_name, column);
    sal_quantity q      = { .kind = SAL_AT_END };
    sal_probe   *probe, **slot;
    sal_status   status;

    if (output >= 0) {
        q.program = &s->model->tables->outputs.at[output].program;
        return add(s, column, q, true);
    }
    status = sal_probe_create(s->model, column, &probe);
    if (status == SAL_ERR_ARGUMENT && find(s, cost_name, column) >= 0)
        return sal_fail(s->context, status, "column '%s': this is a cost; expected cost(%s)", column, column);
    if (status != SAL_OK) return status;
    slot = SAL_PUSH(&s->pool, &s->probes);
    if (!slot) return sal_probe_destroy(&probe), sal_out_of_memory(s->context);
    *slot     = probe;
    q.program = &probe->program;
    return add(s, column, q, true);
}

static sal_status add_run_column(sal_sweep *s, const char *column)
{
    char first[2 * SAL_NAME_MAX + 2], second[2 * SAL_NAME_MAX + 2];
    int  count = arguments_of(column, "time", first, second);

    if (count >= 0) return add_time(s, column, count, first, second);
    count = arguments_of(column, "events", first, second);
    if (count == 1) {
        const int event = find(s, event_name, first);
        return event < 0 ? unknown(s, column, "event", event_name, first)
                         : add(s, column, (sal_quantity){ .kind = SAL_OF_COUNT, .index = event }, false);
    }
    return add_expression(s, column);
}

/* "vx(P)" of a cycle; -1: none. */
static int find_coordinate(const sal_sweep *s, const char *column)
{
    const int n = s->model->n, k = find(s, coordinate_name, column);
    int       v = -1;

    if (k < 0 && s->opts.study == SAL_STUDY_CYCLE && column[0] == 'v') v = find(s, coordinate_name, column + 1);
    return v >= 0 ? n + v : k;
}

static sal_status add_study_column(sal_sweep *s, const char *column)
{
    const sal_study    study = s->opts.study;
    const sal_quantity of[]  = { { .kind = SAL_OF_COORDINATE, .index = find_coordinate(s, column) },
                                 { .kind = SAL_OF_OUTPUT, .index = find(s, output_name, column) },
                                 { .kind = SAL_OF_REACTION, .index = find(s, reaction_name, column) } };

    for (int k = 0; k < SAL_COUNT(of); k++) {
        if (of[k].index >= 0 && (of[k].kind != SAL_OF_REACTION || study == SAL_STUDY_EQUILIBRIUM))
            return add(s, column, of[k], true);
    }
    return sal_fail(s->context, SAL_ERR_ARGUMENT, "column '%s': expected %s", column, expected[study]);
}

static sal_status add_column(sal_sweep *s, const char *column)
{
    char first[2 * SAL_NAME_MAX + 2], second[2 * SAL_NAME_MAX + 2];

    for (const word *w = words[s->opts.study]; w->name; w++) {
        if (!strcmp(w->name, column))
            return add(s, column, (sal_quantity){ .kind = w->kind, .index = -1 }, w->differentiable);
    }
    if (s->opts.study != SAL_STUDY_EQUILIBRIUM && arguments_of(column, "cost", first, second) == 1) {
        const int cost = find(s, cost_name, first);
        return cost < 0 ? unknown(s, column, "cost", cost_name, first)
                        : add(s, column, (sal_quantity){ .kind = SAL_OF_COST, .index = cost }, true);
    }
    return s->opts.study == SAL_STUDY_RUN ? add_run_column(s, column) : add_study_column(s, column);
}

static sal_status add_all(sal_sweep *s, name_of name, const char *format)
{
    sal_status status = SAL_OK;

    for (int k = 0; name(s, k) && status == SAL_OK; k++) {
        const char *column = sal_pool_format(&s->pool, format, name(s, k));
        if (!column) return sal_out_of_memory(s->context);
        if (!is_there(s, column)) status = add_column(s, column); /* an output may be called as a word is */
    }
    return status;
}

static sal_status add_usual(sal_sweep *s)
{
    const bool rest   = s->opts.study == SAL_STUDY_EQUILIBRIUM;
    sal_status status = s->opts.study == SAL_STUDY_RUN ? add_column(s, "t") : SAL_OK;

    for (const word *w = words[s->opts.study]; w->name && status == SAL_OK; w++) status = add_column(s, w->name);
    if (status == SAL_OK && rest) status = add_all(s, coordinate_name, "%s");
    if (status == SAL_OK) status = add_all(s, output_name, "%s");
    if (status == SAL_OK) status = rest ? add_all(s, reaction_name, "%s") : add_all(s, cost_name, "cost(%s)");
    return status;
}

/* Quantities first, then the derivatives of those that have any. */
static sal_status number_columns(sal_sweep *s)
{
    const int p = s->opts.run.nwrt, n = s->quantities.n;

    s->columns = n;
    for (int k = 0; k < n; k++) {
        if (s->quantities.at[k].gradient < 0) continue;
        s->quantities.at[k].gradient = s->columns;
        s->columns += p;
    }
    s->column = SAL_NEW(&s->pool, const char *, s->columns);
    for (int k = 0; k < n && s->column; k++) {
        const sal_quantity *q = &s->quantities.at[k];
        s->column[k]          = q->name;
        for (int c = 0; c < p && q->gradient >= 0; c++)
            s->column[q->gradient + c] = sal_pool_format(&s->pool, "d %s/d %s", q->name, s->opts.run.wrt[c]);
    }
    return s->pool.failed ? sal_out_of_memory(s->context) : SAL_OK;
}

sal_status sal_sweep_name_columns(sal_sweep *s)
{
    sal_status status = SAL_OK;

    for (int k = 0; k < s->opts.ncolumns && status == SAL_OK; k++) status = add_column(s, s->opts.columns[k]);
    if (s->opts.ncolumns == 0) status = add_usual(s);
    return status == SAL_OK ? number_columns(s) : status;
}
