/* summary.c - extremes, means and quantiles of what a sweep found, and its uncertainty to first order.
 *
 *     sigma^2 = sum of (dy/dx_k sigma_k)^2                          x at its mean, all x independent
 *
 * beside the standard deviation of the cases: where the two are far apart the dependence is not linear within the
 * scatter. */
#include "tools/sweep/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- nominal */

sal_status nominal_find(nominal *m, const sal_model *model, const plan *p, const sal_sweep_opts *opts,
                        const sal_context *c)
{
    sal_sweep_opts o    = *opts;
    double        *mean = malloc((size_t)p->n * sizeof *mean);
    sal_status     status;

    *m         = (nominal){ 0 };
    o.run.wrt  = opts->over; /* with respect to all of them */
    o.run.nwrt = opts->nover;
    status     = mean ? sal_sweep_create(model, &o, &m->sweep) : SAL_ERR_MEMORY;
    if (m->sweep) m->row = malloc((size_t)sal_sweep_column_count(m->sweep) * sizeof *m->row);
    for (int k = 0; k < p->n && mean; k++) mean[k] = distribution_mean(p->axis[k].from);
    if (m->sweep && !m->row) status = SAL_ERR_MEMORY;
    if (!m->sweep) snprintf(m->message, sizeof m->message, "%s", mean ? sal_message(c) : sal_status_text(status));
    else if (m->row) status = sal_sweep_case(m->sweep, mean, m->row, m->message, sizeof m->message);
    if (status != SAL_OK || !m->row) sal_sweep_destroy(&m->sweep);
    free(mean);
    return status;
}

void nominal_free(nominal *m)
{
    sal_sweep_destroy(&m->sweep);
    free(m->row);
}

/* The derivative of a column with respect to what is drawn on an axis; NaN: there is none. */
static double derivative(const nominal *m, int column, int drawn)
{
    int of, wrt;

    for (int k = 0; k < sal_sweep_column_count(m->sweep); k++) {
        if (sal_sweep_gradient(m->sweep, k, &of, &wrt) && of == column && wrt == drawn) return m->row[k];
    }
    return NAN;
}

static void add_first_order(cJSON *item, const plan *p, const nominal *m, int column)
{
    cJSON *first = cJSON_AddObjectToObject(item, "first_order"), *shares;
    double sum   = 0.0;

    for (int k = 0; k < p->n; k++) sum += pow(derivative(m, column, k) * distribution_deviation(p->axis[k].from), 2.0);
    cJSON_AddNumberToObject(first, "value", m->row[column]);
    cJSON_AddNumberToObject(first, "deviation", sqrt(sum));
    shares = cJSON_AddObjectToObject(first, "shares"); /* of the variance */
    for (int k = 0; k < p->n; k++) {
        const double part = pow(derivative(m, column, k) * distribution_deviation(p->axis[k].from), 2.0);
        cJSON_AddNumberToObject(shares, p->axis[k].name, sum > 0.0 ? part / sum : 0.0);
    }
}

/* ---------------------------------------------------------------------------------------- statistics */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Between the two nearest, in proportion. */
static double quantile(const double *sorted, long n, double part)
{
    const double at    = part * (double)(n - 1);
    const long   below = (long)at, above = below + 1 < n ? below + 1 : below;

    return sorted[below] + (sorted[above] - sorted[below]) * (at - (double)below);
}

/* Of the numbers that a column has, in x with room for all cases. */
static void add_statistics(cJSON *item, const table *t, int column, double *x)
{
    long   n = 0, low = -1, high = -1;
    double sum = 0.0, squares = 0.0;

    for (long i = 0; i < t->plan->cases; i++) {
        const double value = t->row[i * t->columns + column];
        if (t->state[i] == CASE_OPEN || !isfinite(value)) continue;
        if (low < 0 || value < t->row[low * t->columns + column]) low = i;
        if (high < 0 || value > t->row[high * t->columns + column]) high = i;
        sum += value;
        x[n++] = value;
    }
    cJSON_AddNumberToObject(item, "count", (double)n);
    if (n == 0) return;
    for (long i = 0; i < n; i++) squares += (x[i] - sum / (double)n) * (x[i] - sum / (double)n);
    qsort(x, (size_t)n, sizeof *x, compare);
    cJSON_AddNumberToObject(item, "mean", sum / (double)n);
    if (n > 1) cJSON_AddNumberToObject(item, "deviation", sqrt(squares / (double)(n - 1)));
    cJSON_AddNumberToObject(item, "least", x[0]);
    cJSON_AddNumberToObject(item, "least_case", (double)low);
    cJSON_AddNumberToObject(item, "q05", quantile(x, n, 0.05));
    cJSON_AddNumberToObject(item, "median", quantile(x, n, 0.5));
    cJSON_AddNumberToObject(item, "q95", quantile(x, n, 0.95));
    cJSON_AddNumberToObject(item, "most", x[n - 1]);
    cJSON_AddNumberToObject(item, "most_case", (double)high);
}

static void add_axes(cJSON *root, const plan *p)
{
    cJSON *over = cJSON_AddObjectToObject(root, "over");

    for (int k = 0; k < p->n; k++) {
        const axis *x    = &p->axis[k];
        cJSON      *item = cJSON_AddObjectToObject(over, x->name);
        if (x->drawn) {
            cJSON_AddStringToObject(item, "distribution", distribution_name(x->from.kind));
            cJSON_AddNumberToObject(item, "a", x->from.a);
            cJSON_AddNumberToObject(item, "b", x->from.b);
            cJSON_AddNumberToObject(item, "mean", distribution_mean(x->from));
            cJSON_AddNumberToObject(item, "deviation", distribution_deviation(x->from));
        } else {
            cJSON_AddNumberToObject(item, "values", (double)x->count);
            cJSON_AddNumberToObject(item, "first", x->list[0]);
            cJSON_AddNumberToObject(item, "last", x->list[x->count - 1]);
        }
    }
}

cJSON *sweep_summary(const table *t, const arguments *a, const nominal *m)
{
    const plan *p    = t->plan;
    double     *x    = malloc((size_t)p->cases * sizeof *x);
    cJSON      *root = cJSON_CreateObject(), *columns, *item;
    int         of, wrt;

    if (!x || !root) return free(x), cJSON_Delete(root), NULL;
    cJSON_AddStringToObject(root, "scene", a->scene);
    cJSON_AddStringToObject(root, "study", a->word[WORD_STUDY] ? a->word[WORD_STUDY] : "run");
    cJSON_AddNumberToObject(root, "cases", (double)p->cases);
    cJSON_AddNumberToObject(root, "known", (double)t->known);
    cJSON_AddNumberToObject(root, "doubtful", (double)t->doubtful);
    cJSON_AddNumberToObject(root, "failed", (double)t->failed);
    cJSON_AddStringToObject(root, "method", p->sampled ? method_names[p->method] : "grid");
    if (p->sampled) {
        char seed[32]; /* as it was given: it may have more digits than a double */
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)p->seed);
        cJSON_AddRawToObject(root, "seed", seed);
    }
    add_axes(root, p);
    columns = cJSON_AddObjectToObject(root, "columns");
    for (int k = 0; k < t->columns; k++) {
        if (sal_sweep_gradient(t->sweep, k, &of, &wrt)) continue;
        item = cJSON_AddObjectToObject(columns, sal_sweep_column(t->sweep, k));
        add_statistics(item, t, k, x);
        if (m->sweep && isfinite(derivative(m, k, 0))) add_first_order(item, p, m, k);
    }
    if (m->message[0]) cJSON_AddStringToObject(root, "first_order_message", m->message);
    cJSON_AddStringToObject(root, "identity", t->identity);
    free(x);
    return root;
}

/* ---------------------------------------------------------------------------------------------- print */

static double number(const cJSON *item, const char *key)
{
    const cJSON *found = cJSON_GetObjectItem(item, key);

    return cJSON_IsNumber(found) ? found->valuedouble : NAN;
}

static void print_column(const cJSON *item, bool first_order)
{
    const cJSON *first = cJSON_GetObjectItem(item, "first_order");

    printf("  %-22s", item->string);
    if (!cJSON_GetObjectItem(item, "mean")) {
        printf(" no numbers\n");
        return;
    }
    printf(" %13.6g %11.4g", number(item, "mean"), number(item, "deviation"));
    if (first_order && first) printf(" %11.4g", number(first, "deviation"));
    else if (first_order) printf(" %11s", "");
    printf(" %13.6g %13.6g %13.6g %13.6g %13.6g\n", number(item, "least"), number(item, "q05"), number(item, "median"),
           number(item, "q95"), number(item, "most"));
}

/* Whose scatter the first-order deviation comes from. */
static void print_shares(const cJSON *columns)
{
    const cJSON *item, *share;

    printf("\n  share of the variance to first order, at the means\n");
    cJSON_ArrayForEach(item, columns)
    {
        const cJSON *first = cJSON_GetObjectItem(item, "first_order");
        if (!first) continue;
        printf("  %-22s", item->string);
        cJSON_ArrayForEach(share, cJSON_GetObjectItem(first, "shares"))
            printf("  %s %.1f %%", share->string, 100.0 * share->valuedouble);
        printf("\n");
    }
}

/* Why the first cases of such a state are so, of so many. */
static void print_reasons(const table *t, char state, const char *word, long count, long most)
{
    const int width = (int)strlen(word);
    long      shown = 0;

    for (long i = 0; i < t->plan->cases && shown < most; i++) {
        if (t->state[i] != state) continue;
        printf("  %*s case %ld: ", width, shown++ ? "" : word, i);
        print_shown(stdout, t->message[i] ? t->message[i] : "");
        printf("\n");
    }
    if (count > most) printf("  %*s ... and %ld more\n", width, "", count - most);
}

void print_sweep(const cJSON *summary, const table *t, double seconds)
{
    const cJSON *columns = cJSON_GetObjectItem(summary, "columns"), *item, *text;
    bool         first   = false;

    printf("  %ld cases, %s", t->plan->cases, cJSON_GetObjectItem(summary, "method")->valuestring);
    if (t->known < t->plan->cases) printf("; %ld known", t->known);
    printf("; %ld failed, %ld doubtful; %.3g s\n", t->failed, t->doubtful, seconds);
    print_reasons(t, CASE_FAILED, "failed", t->failed, 5);
    print_reasons(t, CASE_DOUBTFUL, "doubtful", t->doubtful, 2);
    cJSON_ArrayForEach(item, columns) first = first || cJSON_GetObjectItem(item, "first_order");
    printf("\n  %-22s %13s %11s", "", "mean", "deviation");
    if (first) printf(" %11s", "first order");
    printf(" %13s %13s %13s %13s %13s\n", "least", "5 %", "median", "95 %", "most");
    cJSON_ArrayForEach(item, columns) print_column(item, first);
    if (first && t->plan->n > 1) print_shares(columns);
    text = cJSON_GetObjectItem(summary, "first_order_message");
    if (text) {
        printf("\n  first order: ");
        print_shown(stdout, text->valuestring);
        printf("\n");
    }
    if (t->folder && t->known == t->plan->cases)
        printf("\n  results                %s/sweep.csv, sweep.npz, summary.json\n", t->folder);
}
