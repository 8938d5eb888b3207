/* problem.c - reads what is to be optimised, and evaluates it. */
#include "tools/optimize/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *keep(problem *p, const char *text, size_t length)
{
    char *copy = need_memory(length + 1);

    memcpy(copy, text, length);
    copy[length]               = '\0';
    return p->text[p->ntext++] = copy;
}

/* Without blanks at its ends. */
static const char *keep_trimmed(problem *p, const char *text, size_t length)
{
    while (length && *text == ' ') text++, length--;
    while (length && text[length - 1] == ' ') length--;
    return keep(p, text, length);
}

/* ------------------------------------------------------------------------------------------- options */

/* WHAT <= NUMBER, >= or =; the sign that is in no brackets. */
static bool read_constraint(problem *p, const session *s, const arguments *a, const char *given)
{
    constraint *c     = &p->constraint[p->m];
    const char *sign  = NULL;
    int         depth = 0;
    size_t      width;

    for (const char *at = given; *at && !sign; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0 && (*at == '<' || *at == '>' || *at == '=')) sign = at;
    }
    if (!sign || sign == given || ((*sign != '=') && sign[1] != '='))
        return fprintf(stderr, "saltus: --subject-to: expected \"WHAT <= NUMBER\", with <=, >= or =, found '%s'\n",
                       given),
               false;
    width   = *sign == '=' ? 1 : 2;
    c->is   = *sign == '<' ? AT_MOST : *sign == '>' ? AT_LEAST : EQUALS;
    c->text = keep_trimmed(p, given, (size_t)(sign - given));
    p->m++;
    return read_setting_value(s, "--subject-to", sign + width, a->set, a->opts.nset, &c->bound);
}

/* What constraints on the same leave: no more than its text tells. */
static bool has_room(const problem *p)
{
    static const char *const word[] = { "at most ", "at least ", "" };

    for (int i = 0; i < p->m; i++) {
        for (int k = 0; k < i; k++) {
            const constraint *a = &p->constraint[k], *b = &p->constraint[i];
            const bool        above = a->is != AT_MOST && b->is != AT_LEAST && a->bound > b->bound;
            const bool        below = a->is != AT_LEAST && b->is != AT_MOST && a->bound < b->bound;
            if (strcmp(a->text, b->text) != 0 || (!above && !below)) continue;
            fprintf(stderr, "saltus: --subject-to: '%s' cannot be %s%g and %s%g\n", a->text, word[a->is], a->bound,
                    word[b->is], b->bound);
            return false;
        }
    }
    return true;
}

bool problem_read(problem *p, const arguments *a, const session *s)
{
    const char *least = a->word[WORD_MINIMIZE], *most = a->word[WORD_MAXIMIZE];

    p->constraint = need_zeros((size_t)a->nsubject + 1, sizeof *p->constraint);
    p->text       = need_zeros((size_t)a->nsubject + 1, sizeof *p->text);
    p->objective  = least ? least : most;
    p->maximise   = most != NULL;
    p->tolerance  = 1e-8;
    p->most       = 500;
    if (!least == !most)
        return fprintf(stderr, "saltus: expected %s--minimize or --maximize\n", least ? "either " : ""), false;
    if (!variables_read(&p->over, a, s, NULL)) return false;
    p->variable = p->over.at;
    p->n        = p->over.n;
    for (int k = 0; k < a->nsubject; k++) {
        if (!read_constraint(p, s, a, a->subject[k])) return false;
    }
    return has_room(p);
}

/* -------------------------------------------------------------------------------------------- opening */

static evaluation new_evaluation(const problem *p)
{
    return (evaluation){ .x          = need_zeros((size_t)p->n, sizeof(double)),
                         .row        = need_zeros((size_t)p->columns, sizeof(double)),
                         .gradient   = need_zeros((size_t)(1 + p->m) * (size_t)p->n, sizeof(double)),
                         .multiplier = need_zeros((size_t)p->m + 1, sizeof(double)) };
}

static void free_evaluation(evaluation *e)
{
    free(e->x);
    free(e->row);
    free(e->gradient);
    free(e->multiplier);
}

/* The column that is called so, and those of its derivatives [n]; false after a message. */
static bool find_column(const problem *p, const char *text, int *column, int *derivative)
{
    int of, wrt, found = 0;

    *column = -1;
    for (int k = 0; k < p->columns; k++) {
        if (!sal_sweep_gradient(p->sweep, k, &of, &wrt)) {
            if (!strcmp(sal_sweep_column(p->sweep, k), text)) *column = k;
        } else if (*column >= 0 && of == *column) {
            derivative[wrt] = k;
            found++;
        }
    }
    if (found < p->n) fprintf(stderr, "saltus: '%s' has no derivatives\n", text);
    return found == p->n;
}

static bool find_columns(problem *p)
{
    bool good;

    p->columns    = sal_sweep_column_count(p->sweep);
    p->derivative = need_zeros((size_t)(1 + p->m) * (size_t)p->n, sizeof *p->derivative);
    good          = find_column(p, p->objective, &p->column, p->derivative);
    for (int i = 0; i < p->m && good; i++)
        good = find_column(p, p->constraint[i].text, &p->constraint[i].column, p->derivative + (i + 1) * p->n);
    return good;
}

int problem_open(problem *p, const sal_model *model, const sal_context *context, const sal_sweep_opts *opts)
{
    sal_sweep_opts o    = *opts;
    const char **column = need_zeros((size_t)p->m + 1, sizeof *column), **over = need_zeros((size_t)p->n, sizeof *over);
    sal_status   status;
    int          code = EXIT_SUCCESS, columns = 0;

    column[columns++] = p->objective;
    for (int i = 0; i < p->m; i++) {
        int k = 0;
        while (k < columns && strcmp(column[k], p->constraint[i].text) != 0) k++;
        if (k == columns) column[columns++] = p->constraint[i].text;
    }
    for (int k = 0; k < p->n; k++) over[k] = p->variable[k].name;
    o.over     = over;
    o.nover    = p->n;
    o.run.wrt  = over;
    o.run.nwrt = p->n;
    o.columns  = column;
    o.ncolumns = columns;
    status     = sal_sweep_create(model, &o, &p->sweep);
    if (status != SAL_OK) code = report(sal_message(context), status);
    else if (!find_columns(p)) code = EXIT_USAGE;
    free(column);
    free(over);
    if (code != EXIT_SUCCESS) return code;
    p->last = new_evaluation(p);
    p->here = new_evaluation(p);
    p->best = new_evaluation(p);
    problem_begin(p);
    return EXIT_SUCCESS;
}

void problem_free(problem *p)
{
    sal_sweep_destroy(&p->sweep);
    for (int k = 0; k < p->ntext; k++) free(p->text[k]);
    free(p->text);
    variables_free(&p->over);
    free(p->constraint);
    free(p->derivative);
    free_evaluation(&p->last);
    free_evaluation(&p->here);
    free_evaluation(&p->best);
}

/* ----------------------------------------------------------------------------------------- evaluating */

double constraint_excess(const problem *p, const evaluation *e, int i)
{
    const constraint *c    = &p->constraint[i];
    const double      more = e->row[c->column] - c->bound;

    return c->is == AT_LEAST ? -more : more;
}

/* Why a column has no number, or no derivatives: with what the case itself says. */
static void say_missing(problem *p, const char *text, double value)
{
    const char *why = "";
    char        said[320];

    snprintf(said, sizeof said, "%.319s", p->message);
    if (!isfinite(value) && !strncmp(text, "time(", 5))
        why = ": the event does not happen so often before the run ends";
    else if (!isfinite(value) && !strncmp(text, "cost(", 5)) why = ": it counts an event or a time that is not reached";
    snprintf(p->message, sizeof p->message, "%.40s has no %s there%s%s%s", text,
             isfinite(value) ? "derivative" : "value", why, said[0] ? "; " : "", said);
}

/* Values and derivatives of the row as the search sees them; false after a message: one is not there. */
static bool read_row(problem *p, evaluation *e)
{
    e->f = p->maximise ? -e->row[p->column] : e->row[p->column];
    for (int i = 0; i <= p->m; i++) {
        const constraint *c      = i ? &p->constraint[i - 1] : NULL;
        const bool        turned = c ? c->is == AT_LEAST : p->maximise;
        const double      value  = e->row[c ? c->column : p->column];
        bool              good   = isfinite(value);
        for (int k = 0; k < p->n; k++) {
            const double d = e->row[p->derivative[i * p->n + k]] * (p->variable[k].high - p->variable[k].low);
            e->gradient[i * p->n + k] = turned ? -d : d;
            good                      = good && isfinite(d);
        }
        if (!good) return say_missing(p, c ? c->text : p->objective, value), false;
    }
    return true;
}

static double largest_of(const double *x, int n)
{
    double most = 0.0;

    for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
    return most;
}

/* At the first place: what f and the constraints are measured by. */
static void take_scales(problem *p)
{
    p->slope = largest_of(p->last.gradient, p->n);
    for (int i = 0; i < p->m; i++) {
        constraint *c = &p->constraint[i];
        c->scale      = fmax(fmax(fabs(c->bound), fabs(p->last.row[c->column])),
                             largest_of(p->last.gradient + (i + 1) * p->n, p->n));
        if (c->scale == 0.0) c->scale = 1.0;
    }
}

static void measure_violation(const problem *p, evaluation *e)
{
    e->violation = 0.0;
    for (int i = 0; i < p->m; i++) {
        const double excess = constraint_excess(p, e, i) / p->constraint[i].scale;
        e->violation        = fmax(e->violation, p->constraint[i].is == EQUALS ? fabs(excess) : excess);
    }
}

void problem_begin(problem *p)
{
    p->here.good = false;
    p->of_search = 0;
    for (int k = 0; k < p->n; k++) p->last.x[k] = NAN; /* no place: the first is evaluated, whatever it is */
}

/* Less of what is violated beyond the tolerance, or less of f. Near a stationary place f differs by the square of the
 * distance, which is rounding long before the place is known: there the one nearer to stationary is the better. */
static bool is_better(const problem *p, const evaluation *e, const evaluation *b)
{
    const double ours = fmax(e->violation, p->tolerance), its = fmax(b->violation, p->tolerance);

    if (!b->good || ours != its) return !b->good || ours < its;
    if (fabs(e->f - b->f) <= p->tolerance * fmax(fabs(e->f), p->slope)) return e->off < b->off;
    return e->f < b->f;
}

static void copy_evaluation(const problem *p, evaluation *to, const evaluation *from)
{
    memcpy(to->x, from->x, (size_t)p->n * sizeof *to->x);
    memcpy(to->row, from->row, (size_t)p->columns * sizeof *to->row);
    memcpy(to->gradient, from->gradient, (size_t)(1 + p->m) * (size_t)p->n * sizeof *to->gradient);
    memcpy(to->multiplier, from->multiplier, (size_t)p->m * sizeof *to->multiplier);
    to->f         = from->f;
    to->off       = from->off;
    to->violation = from->violation;
    to->good      = from->good;
}

static void trace(const problem *p, const evaluation *e)
{
    cJSON *item;

    if (!p->trace) return;
    item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "search", p->search);
    cJSON_AddItemToObject(item, "value", e->good ? cJSON_CreateNumber(e->row[p->column]) : cJSON_CreateNull());
    cJSON_AddBoolToObject(item, "holds", e->good && e->violation <= p->tolerance);
    cJSON_AddItemToArray(p->trace, item);
}

static void write_history(const problem *p, const evaluation *e)
{
    trace(p, e);
    if (!p->history) return;
    fprintf(p->history, "%ld,%d,%s", p->evaluations, p->search, e->good ? "done" : "failed");
    for (int k = 0; k < p->n; k++) fprintf(p->history, ",%.17g", e->x[k]);
    fprintf(p->history, ",%.17g", e->good ? e->row[p->column] : NAN);
    for (int i = 0; i < p->m; i++) fprintf(p->history, ",%.17g", e->good ? e->row[p->constraint[i].column] : NAN);
    print_cell(p->history, "", e->good ? "" : p->message, "");
    fputc('\n', p->history);
}

bool problem_at(problem *p, const double *u)
{
    evaluation *e     = &p->last;
    bool        known = true;

    for (int k = 0; k < p->n; k++) {
        const variable *v = &p->variable[k];
        const double    x = u[k] >= 1.0 ? v->high : v->low + fmax(u[k], 0.0) * (v->high - v->low);
        known             = known && e->x[k] == x;
        e->x[k]           = x;
    }
    if (known) return e->good;
    p->status    = sal_sweep_case(p->sweep, e->x, e->row, p->message, sizeof p->message);
    p->stopped   = p->stopped || p->status == SAL_STOPPED || interrupted;
    p->no_memory = p->no_memory || p->status == SAL_ERR_MEMORY;
    e->good      = p->status == SAL_OK && read_row(p, e);
    p->evaluations++;
    p->of_search++;
    p->failed += !e->good;
    if (e->good && p->evaluations == 1) take_scales(p);
    if (e->good) measure_violation(p, e);
    if (e->good) e->off = stationarity(p, e);
    write_history(p, e);
    if (e->good && is_better(p, e, &p->here)) copy_evaluation(p, &p->here, e);
    if (e->good && is_better(p, e, &p->best)) copy_evaluation(p, &p->best, e);
    return e->good;
}
