/* data.c - reads what was measured: CSV with a line of names first, one of them t, the others expressions of the scene.
 * An empty cell, or nan, is a sample that is missing. A line that begins with # is a comment. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/fit/fit.h"

enum { COLUMNS_MAX = 1000, LINE_MAX_BYTES = 1 << 20 };

typedef struct reading {
    dataset         *d;
    experiment      *e;
    const arguments *a;
    const session   *s;
    long             line, room;
    char            *cell[COLUMNS_MAX];
    int              at[COLUMNS_MAX];       /* where each begins, from 1 */
    int              quantity[COLUMNS_MAX]; /* of a column, -1: none; -2: it is t */
    int              n;
} reading;

static int wrong(const reading *r, int cell, const char *format, const char *what)
{
    fprintf(stderr, "%s:%ld:%d: ", r->e->file, r->line, cell < r->n ? r->at[cell] : 1);
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

/* Cells of a line, cut in place; in quotes commas count as text, and two quotes are one. */
static bool split(reading *r, char *line)
{
    char *from = line, *begin = line;

    r->n = 0;
    for (;;) {
        char *to     = from, *cell;
        bool  quoted = false;
        if (r->n == COLUMNS_MAX) return false;
        begin = from;
        while (*from == ' ' || *from == '\t') from++;
        cell = to = from;
        for (; *from && (quoted || *from != ','); from++) {
            if (*from != '"') *to++ = *from;
            else if (quoted && from[1] == '"') *to++ = *from++;
            else quoted = !quoted;
        }
        const bool last = *from == '\0';
        while (to > cell && strchr(" \t\r\n", to[-1])) to--;
        *to           = '\0';
        r->at[r->n]   = (int)(begin - line) + 1;
        r->cell[r->n] = cell;
        r->n++;
        if (last) return true;
        from++;
    }
}

/* "y(P) [m]" without its unit. */
static void drop_unit(char *cell)
{
    const size_t length = strlen(cell);
    char        *open   = strrchr(cell, '[');

    if (!open || length == 0 || cell[length - 1] != ']') return;
    while (open > cell && open[-1] == ' ') open--;
    *open = '\0';
}

/* --column EXPRESSION=NAME: what the column NAME is. The last = counts. */
static const char *told(const arguments *a, const char *name, size_t *length)
{
    for (int k = 0; k < a->ncolumn; k++) {
        const char *equals = strrchr(a->column[k], '=');
        if (!equals || strcmp(equals + 1, name) != 0) continue;
        *length = (size_t)(equals - a->column[k]);
        return a->column[k];
    }
    *length = strlen(name);
    return name;
}

/* The quantity of an expression, a new one or not; -1 after a message. */
static int quantity_of(reading *r, int cell)
{
    size_t      length;
    const char *text       = told(r->a, r->cell[cell], &length);
    char       *expression = need_memory(length + 1);
    quantity   *q;

    memcpy(expression, text, length);
    expression[length] = '\0';
    for (int k = 0; k < r->d->nquantity; k++) {
        if (!strcmp(r->d->quantity[k].expression, expression)) return free(expression), k;
    }
    r->d->quantity = need_more(r->d->quantity, (size_t)(r->d->nquantity + 1) * sizeof *r->d->quantity);
    q              = &r->d->quantity[r->d->nquantity];
    *q             = (quantity){ .expression = expression, .sigma = NAN };
    if (sal_probe_create(r->s->model, expression, &q->probe) != SAL_OK) {
        wrong(r, cell, "column '%s' is no expression of the scene:", r->cell[cell]);
        print_shown(stderr, sal_message(r->s->context));
        fprintf(stderr, "  --column EXPRESSION=NAME says what a column is, --columns which of them count\n");
        return free(expression), -1;
    }
    return r->d->nquantity++;
}

/* Whether --columns, where it is given, has the name. */
static bool is_asked(const arguments *a, const char *name)
{
    char *text, *piece[COLUMNS_MAX];
    bool  found = false;
    int   n;

    if (!a->word[WORD_COLUMNS]) return true;
    text = need_copy(a->word[WORD_COLUMNS]);
    n    = split_pieces(text, piece, COLUMNS_MAX);
    for (int k = 0; k < n && k < COLUMNS_MAX; k++) found = found || !strcmp(piece[k], name);
    free(text);
    return found;
}

static int read_header(reading *r, char *line)
{
    bool timed = false;
    int  some  = 0;

    if (!split(r, line)) return wrong(r, 0, "more than 1000 columns%s", "");
    for (int k = 0; k < r->n; k++) {
        drop_unit(r->cell[k]);
        if (!strcmp(r->cell[k], "t")) {
            if (timed) return wrong(r, k, "a second column '%s'", "t");
            timed          = true;
            r->quantity[k] = -2;
            continue;
        }
        r->quantity[k] = -1;
        if (!r->cell[k][0] || !is_asked(r->a, r->cell[k])) continue;
        if ((r->quantity[k] = quantity_of(r, k)) < 0) return EXIT_USAGE;
        some++;
    }
    if (!timed) return wrong(r, 0, "no column 't', the time%s", "");
    return some ? EXIT_SUCCESS : wrong(r, 0, "no column to be compared%s", "");
}

static bool read_cell(const char *text, double *value)
{
    char *end;

    errno  = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && !isinf(*value);
}

static int read_line(reading *r, char *line, double *last)
{
    const int columns = r->n;
    double    t       = NAN, value;

    if (!split(r, line) || r->n != columns) {
        char text[64];
        snprintf(text, sizeof text, "expected %d cells, as many as names, found %d", columns, r->n);
        r->n = columns;
        return wrong(r, columns, "%s", text);
    }
    for (int k = 0; k < columns; k++) {
        if (r->quantity[k] != -2) continue;
        if (!read_cell(r->cell[k], &t) || isnan(t)) return wrong(r, k, "expected a time, found '%s'", r->cell[k]);
        if (t < 0.0) return wrong(r, k, "a time before the start of the run: %s", r->cell[k]);
        if (t < *last) return wrong(r, k, "times have to rise, found %s", r->cell[k]);
        *last = t;
    }
    for (int k = 0; k < columns; k++) {
        if (r->quantity[k] < 0 || !r->cell[k][0]) continue;
        if (!read_cell(r->cell[k], &value)) return wrong(r, k, "expected a number, found '%s'", r->cell[k]);
        if (isnan(value)) continue;
        if (r->e->n == r->room) {
            r->room  = 2 * r->room + 64;
            r->e->at = need_more(r->e->at, (size_t)r->room * sizeof *r->e->at);
        }
        r->e->at[r->e->n++] = (sample){ t, value, r->quantity[k] };
        r->d->quantity[r->quantity[k]].n++;
    }
    return EXIT_SUCCESS;
}

static int read_table(reading *r, FILE *f)
{
    char  *line   = need_memory(LINE_MAX_BYTES);
    bool   header = false;
    double last   = 0.0;
    int    code   = EXIT_SUCCESS;

    while (code == EXIT_SUCCESS && fgets(line, LINE_MAX_BYTES, f)) {
        r->line++;
        if (line[0] == '#' || line[strspn(line, " \t\r\n")] == '\0') continue;
        if (strlen(line) == LINE_MAX_BYTES - 1) r->n = 0, code = wrong(r, 0, "a line of more than a megabyte%s", "");
        else if (header) code = read_line(r, line, &last);
        else code = read_header(r, line), header = true;
    }
    free(line);
    if (code == EXIT_SUCCESS && ferror(f))
        return fprintf(stderr, "saltus: %s: %s\n", r->e->file, strerror(errno)), EXIT_USAGE;
    if (code == EXIT_SUCCESS && r->e->n == 0)
        return fprintf(stderr, "saltus: %s: no samples\n", r->e->file), EXIT_USAGE;
    return code;
}

/* FILE:NAME=VALUE,NAME=VALUE. A colon without = behind it belongs to the name of the file. */
static bool read_settings(experiment *e, const arguments *a, const session *s)
{
    char *colon = strrchr(e->file, ':'), *piece[COLUMNS_MAX];
    int   n;

    if (!colon || !strchr(colon, '=')) return true;
    *colon  = '\0';
    e->text = need_copy(colon + 1);
    n       = split_pieces(e->text, piece, COLUMNS_MAX);
    e->set  = need_zeros((size_t)n, sizeof *e->set);
    for (int k = 0; k < n && k < COLUMNS_MAX; k++) {
        char *equals = strchr(piece[k], '=');
        if (!equals || equals == piece[k])
            return fprintf(stderr, "saltus: %s: expected NAME=VALUE, found '%s'\n", e->file, piece[k]), false;
        *equals             = '\0';
        e->set[k].parameter = piece[k];
        e->nset++;
        if (!read_setting_value(s, e->file, equals + 1, a->set, a->opts.nset, &e->set[k].value)) return false;
    }
    return true;
}

/* --noise NUMBER, of all; EXPRESSION=NUMBER, of one. */
static int read_noise(dataset *d, const arguments *a)
{
    for (int k = 0; k < a->nnoise; k++) {
        const char *equals = strrchr(a->noise[k], '=');
        bool        found  = !equals;
        double      sigma;
        if (!read_number("--noise", equals ? equals + 1 : a->noise[k], &sigma)) return EXIT_USAGE;
        if (!(sigma > 0.0))
            return fprintf(stderr, "saltus: --noise: expected a positive number, found '%s'\n", a->noise[k]),
                   EXIT_USAGE;
        for (int i = 0; i < d->nquantity; i++) {
            quantity *q = &d->quantity[i];
            if (equals && (strncmp(q->expression, a->noise[k], (size_t)(equals - a->noise[k])) != 0 ||
                           q->expression[equals - a->noise[k]]))
                continue;
            q->sigma = sigma;
            q->given = found = true;
        }
        if (!found)
            return fprintf(stderr, "saltus: --noise: nothing was measured that is called '%s'\n", a->noise[k]),
                   EXIT_USAGE;
    }
    return EXIT_SUCCESS;
}

int data_read(dataset *d, const arguments *a, const session *s)
{
    if (a->ndata == 0) return fprintf(stderr, "saltus: no data: saltus fit SCENE DATA.csv; see --help\n"), EXIT_USAGE;
    d->experiment = need_zeros((size_t)a->ndata, sizeof *d->experiment);
    for (int k = 0; k < a->ndata; k++) {
        experiment *e = &d->experiment[d->nexperiment++];
        reading    *r = need_zeros(1, sizeof *r);
        FILE       *f;
        int         code;
        e->file = need_copy(a->data[k]);
        *r      = (reading){ .d = d, .e = e, .a = a, .s = s };
        if (!read_settings(e, a, s)) return free(r), EXIT_USAGE;
        f = fopen(e->file, "r");
        if (!f) return fprintf(stderr, "saltus: %s: %s\n", e->file, strerror(errno)), free(r), EXIT_USAGE;
        code = read_table(r, f);
        fclose(f);
        free(r);
        if (code != EXIT_SUCCESS) return code;
        d->n += e->n;
    }
    return read_noise(d, a);
}

void data_free(dataset *d)
{
    for (int k = 0; k < d->nquantity; k++) {
        sal_probe_destroy(&d->quantity[k].probe);
        free(d->quantity[k].expression);
    }
    for (int k = 0; k < d->nexperiment; k++) {
        experiment *e = &d->experiment[k];
        sal_run_destroy(&e->run);
        free(e->file);
        free(e->set);
        free(e->text);
        free(e->at);
    }
    free(d->quantity);
    free(d->experiment);
}
