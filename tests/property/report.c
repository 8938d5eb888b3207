/* report.c - see report.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/report.h"
#include "tests/property/variants.h"

bool fails(const verdict *v)
{
    return v->outcome != ENDED || v->violated || v->broken || v->rebounds || v->wrong;
}

/* A message with # for every word that has a digit or a dot in it. */
static void without_numbers(const char *message, char text[128])
{
    size_t n = 0;

    while (*message && n < 120) {
        const size_t word  = strcspn(message, " ");
        bool         digit = false;
        for (size_t k = 0; k < word; k++) digit = digit || isdigit((unsigned char)message[k]);
        if (digit) {
            text[n++] = '#';
        } else {
            for (size_t k = 0; k < word && n < 120; k++) text[n++] = message[k];
        }
        message += word;
        if (*message == ' ') text[n++] = *message++;
    }
    text[n] = '\0';
}

void kind_of(const verdict *v, char text[128])
{
    static const char *const other[OUTCOMES] = { "", "", "refused: ", "too slow", "hangs", "crashes" };

    text[0] = '\0';
    if (v->outcome == HANGS || v->outcome == CRASHES) {
        snprintf(text, 128, "%s", other[v->outcome]);
    } else if (v->first >= 0) { /* came first, an error may follow from it */
        snprintf(text, 128, "%s: %s", violation_names[v->first], violation_texts[v->first]);
    } else if (v->outcome == FAILED || v->outcome == REFUSED) {
        char message[128];
        without_numbers(v->error, message);
        snprintf(text, 128, "%.10s%.30s: %.76s", other[v->outcome], sal_status_name(v->status), message);
    } else if (v->outcome != ENDED) {
        snprintf(text, 128, "%s", other[v->outcome]);
    } else if (v->broken || v->rebounds) {
        snprintf(text, 128, "equivalence: %.*s", (int)strcspn(v->equivalence, ":"), v->equivalence);
    } else if (v->wrong) {
        snprintf(text, 128, "derivatives");
    }
}

static void say(const verdict *v)
{
    printf("  %-8llu %-7s %2d bodies %2d touches ", v->seed, family_names[family_of(v->seed)], v->bodies, v->touches);
    if (v->first >= 0) printf(" %s: %s;", violation_names[v->first], v->violation);
    if (v->error[0]) printf(" %s;", v->error);
    if (v->equivalence[0]) printf(" %s;", v->equivalence);
    if (v->wrong) printf(" %d of %d derivatives wrong, %s;", v->wrong, v->derivatives, v->derivative);
    printf("\n");
}

void report_one(const verdict *v)
{
    printf("%.3f s, %ld steps, %ld events, up to %.3f", v->time, v->steps, v->events, v->horizon);
    say(v);
}

/* --------------------------------------------------------------------------------------------------- table */

typedef struct column {
    const char *name;
    int         of[FAMILIES + 1]; /* the last: all */
} column;

enum { COLUMNS = 48 };

typedef struct table {
    int    n;
    column at[COLUMNS];
} table;

static void count(table *t, const char *name, family f, int yes)
{
    int k = 0;

    while (k < t->n && strcmp(t->at[k].name, name) != 0) k++;
    if (k == COLUMNS) return;
    if (k == t->n) t->at[t->n++] = (column){ .name = name };
    t->at[k].of[f] += yes;
    t->at[k].of[FAMILIES] += yes;
}

static void count_all(table *t, const verdict *v, const options *o)
{
    const family f = family_of(v->seed);

    count(t, "scenes", f, true);
    count(t, "ended", f, v->outcome == ENDED);
    count(t, "slow", f, v->outcome == SLOW);
    count(t, "hangs", f, v->outcome == HANGS);
    count(t, "crashes", f, v->outcome == CRASHES);
    count(t, "refused", f, v->outcome == REFUSED);
    for (int s = -1; s > -32; s--) {
        const char *name = sal_status_name((sal_status)s);
        if (strncmp(name, "SAL_ERR_", 8) != 0) break;
        count(t, name + 8, f, v->outcome == FAILED && (int)v->status == s);
    }
    for (int k = 0; k < VIOLATIONS; k++) count(t, violation_names[k], f, v->violated >> k & 1);
    if (o->equivalent) {
        count(t, "compared", f, v->compared);
        for (int k = 0; k < VARIANTS; k++) count(t, variant_names[k], f, v->broken >> k & 1);
        count(t, "broken", f, v->broken != 0);
        count(t, "rebounds", f, v->rebounds != 0);
    }
    if (o->verify || o->adjoint) {
        count(t, "verified", f, v->derivatives > v->unknown);
        count(t, "numbers", f, v->derivatives);
        count(t, "untold", f, v->unknown);
        count(t, "wrong", f, v->wrong > 0);
    }
    count(t, "failed", f, fails(v));
}

static void print_table(const table *t)
{
    printf("%-9s", "family");
    for (int k = 0; k < t->n; k++) {
        if (t->at[k].of[FAMILIES] || k < 2 || k == t->n - 1) printf(" %8s", t->at[k].name);
    }
    for (int f = 0; f <= FAMILIES; f++) {
        if (!t->at[0].of[f]) continue;
        printf("\n%-9s", f < FAMILIES ? family_names[f] : "all");
        for (int k = 0; k < t->n; k++) {
            if (t->at[k].of[FAMILIES] || k < 2 || k == t->n - 1) printf(" %8d", t->at[k].of[f]);
        }
    }
    printf("\n");
}

/* --------------------------------------------------------------------------------------------------- kinds */

typedef struct failure {
    char           kind[128];
    int            alike; /* of this kind */
    const verdict *v;
} failure;

static int by_kind(const void *one, const void *two)
{
    const failure *a = one, *b = two;
    const int      kind = strcmp(a->kind, b->kind), size = a->v->bodies + a->v->touches - b->v->bodies - b->v->touches;

    if (a->alike != b->alike) return b->alike - a->alike;
    return kind ? kind : size ? size : a->v->seed < b->v->seed ? -1 : 1;
}

static void print_failures(failure *f, int n)
{
    qsort(f, (size_t)n, sizeof *f, by_kind);
    for (int k = 0; k < n; k++) f[k].alike = 0;
    for (int first = 0, k = 1; k <= n; k++) {
        if (k < n && !strcmp(f[k].kind, f[first].kind)) continue;
        for (int i = first; i < k; i++) f[i].alike = k - first;
        first = k;
    }
    qsort(f, (size_t)n, sizeof *f, by_kind);
    for (int k = 0; k < n; k++) {
        if (k == 0 || strcmp(f[k].kind, f[k - 1].kind) != 0) printf("\n%d: %s\n", f[k].alike, f[k].kind);
        say(f[k].v);
    }
}

int report(const verdict *v, int n, const options *o)
{
    failure *f      = calloc((size_t)n + 1, sizeof *f);
    table    t      = { 0 };
    int      failed = 0;

    if (!f) return n;
    for (int k = 0; k < n; k++) {
        count_all(&t, &v[k], o);
        if (!fails(&v[k])) continue;
        f[failed].v = &v[k];
        kind_of(&v[k], f[failed++].kind);
    }
    print_table(&t);
    print_failures(f, failed);
    free(f);
    return failed;
}
