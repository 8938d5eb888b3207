/* plan.c - reads what a sweep goes over, and makes its cases. */
#include "tools/sweep/plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_CASES = 1e8;

const char *const        method_names[]       = { "random", "latin", "sobol", NULL };
static const char *const distribution_names[] = { "uniform", "normal", "lognormal", NULL };

const char *distribution_name(distribution_kind kind)
{
    return distribution_names[kind];
}

static bool wrong(const char *text, const char *why)
{
    fprintf(stderr, "saltus: --over '");
    print_shown(stderr, text);
    fprintf(stderr, "': %s\n", why);
    return false;
}

static bool no_memory(void)
{
    return report("saltus: out of memory", SAL_ERR_MEMORY), false;
}

static int find_word(const char *const *words, const char *word)
{
    for (int k = 0; words[k]; k++) {
        if (!strcmp(words[k], word)) return k;
    }
    return -1;
}

/* ------------------------------------------------------------------------------------------- an axis */

/* A distribution, "normal(1, 0.05)". *is: it is one at all. */
static bool read_distribution(axis *x, const char *text, char *value, bool *is)
{
    char  *open = strchr(value, '('), *close = strrchr(value, ')'), *end, *piece[2];
    double number[2];
    int    kind;

    *is = false;
    if (!open || !close || close[1]) return true;
    for (end = open; end > value && end[-1] == ' ';) end--;
    {
        const char kept = *end;
        *end            = '\0';
        kind            = find_word(distribution_names, value);
        *end            = kept;
    }
    if (kind < 0) return true;
    *is    = true;
    *close = '\0';
    if (split_pieces(open + 1, piece, 2) != 2)
        return wrong(text, "expected two numbers: uniform(from, to), normal(mean, deviation), lognormal(mu, sigma)");
    if (!read_number("--over", piece[0], &number[0]) || !read_number("--over", piece[1], &number[1])) return false;
    if (!isfinite(number[0]) || !isfinite(number[1])) return wrong(text, "expected finite numbers");
    if (kind == UNIFORM && !(number[0] < number[1])) return wrong(text, "the range is empty: expected from < to");
    if (kind != UNIFORM && !(number[1] > 0.0)) return wrong(text, "expected a standard deviation > 0");
    x->drawn = true;
    x->from  = (distribution){ (distribution_kind)kind, number[0], number[1] };
    return true;
}

/* FROM:TO:COUNT, FROM:TO:COUNT:log */
static bool read_range(axis *x, const char *text, char *value)
{
    char  *piece[4] = { value };
    int    n        = 1;
    double from, to, count;
    bool   log_scale;

    for (char *c = value; *c; c++) {
        if (*c != ':') continue;
        *c = '\0';
        if (n == 4) return wrong(text, "expected FROM:TO:COUNT or FROM:TO:COUNT:log");
        piece[n++] = c + 1;
    }
    log_scale = n == 4;
    if (n < 3 || (log_scale && strcmp(piece[3], "log") != 0))
        return wrong(text, "expected FROM:TO:COUNT or FROM:TO:COUNT:log");
    if (!read_number("--over", piece[0], &from) || !read_number("--over", piece[1], &to) ||
        !read_number("--over", piece[2], &count))
        return false;
    if (!isfinite(from) || !isfinite(to)) return wrong(text, "expected finite numbers");
    if (from == to) return wrong(text, "the range is empty: FROM and TO are the same");
    if (!(count >= 2.0) || count > MOST_CASES || count != floor(count))
        return wrong(text, "expected a whole number of values, 2 or more");
    if (log_scale && !(from > 0.0 && to > 0.0)) return wrong(text, "expected positive ends of a logarithmic range");
    x->count = (long)count;
    x->list  = malloc((size_t)x->count * sizeof *x->list);
    if (!x->list) return no_memory();
    for (long k = 0; k < x->count; k++) {
        const double part = (double)k / (double)(x->count - 1);
        x->list[k]        = log_scale ? from * pow(to / from, part) : from + (to - from) * part;
    }
    x->list[x->count - 1] = to;
    return true;
}

static bool read_list(axis *x, const char *text, char *value)
{
    const int most  = (int)strlen(value) + 1;
    char    **piece = calloc((size_t)most, sizeof *piece);
    bool      good  = piece != NULL;
    const int n     = piece ? split_pieces(value, piece, most) : 0;

    if (!piece) return no_memory();
    x->count = n;
    x->list  = malloc((size_t)n * sizeof *x->list);
    if (!x->list) good = no_memory();
    for (int k = 0; k < n && good; k++) {
        if (!*piece[k]) good = wrong(text, "expected values separated by commas; one is empty");
        else good = read_number("--over", piece[k], &x->list[k]);
        if (good && !isfinite(x->list[k])) good = wrong(text, "expected finite numbers");
    }
    free(piece);
    return good;
}

static bool read_axis(axis *x, const char *text, char *copy, bool sampled)
{
    char *equals = strchr(copy, '='), *value = equals ? equals + 1 : NULL;
    bool  is;

    if (!equals || equals == copy)
        return wrong(text, "expected NAME=FROM:TO:COUNT, NAME=A,B,... or, with --sample, NAME=normal(MEAN, DEVIATION)");
    for (*equals = '\0'; equals > copy && equals[-1] == ' ';) *--equals = '\0';
    while (*copy == ' ') copy++;
    while (*value == ' ') value++;
    for (char *end = value + strlen(value); end > value && end[-1] == ' ';) *--end = '\0';
    x->name = copy;
    if (!*value) return wrong(text, "there is no value");
    if (!read_distribution(x, text, value, &is)) return false;
    if (is && !sampled) return wrong(text, "a distribution needs --sample N");
    if (is) return true;
    if (sampled)
        return wrong(text, "with --sample expected a distribution: uniform(from, to), normal(mean, deviation) or "
                           "lognormal(mu, sigma)");
    return strchr(value, ':') ? read_range(x, text, value) : read_list(x, text, value);
}

/* -------------------------------------------------------------------------------------------- cases */

static bool read_sampling(plan *p, const arguments *a)
{
    const char *samples = a->word[WORD_SAMPLE], *method = a->word[WORD_METHOD], *seed = a->word[WORD_SEED];
    double      number = 0.0;
    char       *end;
    int         found;

    p->seed    = 1;
    p->sampled = samples != NULL;
    if (!samples && (method || seed)) {
        fprintf(stderr, "saltus: %s is for --sample N\n", method ? "--method" : "--seed");
        return false;
    }
    if (samples && !read_number("--sample", samples, &number)) return false;
    if (samples && (!(number >= 1.0) || number > MOST_CASES || number != floor(number))) {
        fprintf(stderr, "saltus: --sample: expected a whole number from 1 to %g, found %s\n", MOST_CASES, samples);
        return false;
    }
    p->cases = (long)number;
    found    = method ? find_word(method_names, method) : SAMPLE_RANDOM;
    if (found < 0) return fprintf(stderr, "saltus: --method: expected random, latin or sobol\n"), false;
    p->method = (sample_method)found;
    errno     = 0;
    if (seed) p->seed = strtoull(seed, &end, 10);
    if (seed && (*seed < '0' || *seed > '9' || *end || errno))
        return fprintf(stderr, "saltus: --seed: expected a whole number from 0 on, found '%s'\n", seed), false;
    return true;
}

static bool draw(plan *p)
{
    for (int k = 0; k < p->n; k++) {
        if (!sample_column(p->method, p->seed, k, p->cases, p->values + k, p->n)) return no_memory();
        for (long i = 0; i < p->cases; i++) {
            double *value = &p->values[i * p->n + k];
            *value        = distribution_value(p->axis[k].from, *value);
        }
    }
    return true;
}

static void cross(plan *p)
{
    for (long i = 0; i < p->cases; i++) {
        long rest = i;
        for (int k = p->n - 1; k >= 0; k--) {
            p->values[i * p->n + k] = p->axis[k].list[rest % p->axis[k].count];
            rest /= p->axis[k].count;
        }
    }
}

static bool make_cases(plan *p)
{
    double cases = p->sampled ? (double)p->cases : 1.0;

    for (int k = 0; k < p->n && !p->sampled; k++) cases *= (double)p->axis[k].count;
    if (cases > MOST_CASES)
        return fprintf(stderr, "saltus: %g cases are more than the %g there can be\n", cases, MOST_CASES), false;
    p->cases  = (long)cases;
    p->values = malloc((size_t)p->cases * (size_t)p->n * sizeof *p->values);
    if (!p->values) return no_memory();
    if (p->sampled) return draw(p);
    cross(p);
    return true;
}

static bool check_names(const plan *p, const arguments *a)
{
    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < k; i++) {
            if (!strcmp(p->axis[i].name, p->axis[k].name))
                return fprintf(stderr, "saltus: --over: '%s' is given twice\n", p->axis[k].name), false;
        }
        for (int i = 0; i < a->opts.nset; i++) {
            if (!strcmp(a->opts.set[i].parameter, p->axis[k].name))
                return fprintf(stderr, "saltus: '%s' is given by --set and by --over\n", p->axis[k].name), false;
        }
    }
    return true;
}

bool plan_read(plan *p, const arguments *a)
{
    *p = (plan){ .axis = calloc((size_t)a->noverlay + 1, sizeof *p->axis),
                 .text = calloc((size_t)a->noverlay + 1, sizeof *p->text) };
    if (!p->axis || !p->text) return no_memory();
    if (!read_sampling(p, a)) return false;
    if (a->noverlay == 0)
        return fprintf(stderr, "saltus: nothing to sweep over: give --over NAME=FROM:TO:COUNT; see --help\n"), false;
    if (p->sampled && p->method == SAMPLE_SOBOL && a->noverlay > SOBOL_DIMENSIONS)
        return fprintf(stderr, "saltus: --method sobol: at most %d dimensions\n", SOBOL_DIMENSIONS), false;
    for (; p->n < a->noverlay; p->n++) {
        p->text[p->n] = strdup(a->overlay[p->n]);
        if (!p->text[p->n]) return no_memory();
        if (!read_axis(&p->axis[p->n], a->overlay[p->n], p->text[p->n], p->sampled)) return p->n++, false;
    }
    return check_names(p, a) && make_cases(p);
}

void plan_free(plan *p)
{
    for (int k = 0; k < p->n; k++) {
        free(p->axis[k].list);
        free(p->text[k]);
    }
    free(p->axis);
    free(p->text);
    free(p->values);
}
