/* svg.c - reads SVG files for tests, as XML and nothing less: every element is closed, every attribute quoted and named
 * once, every & begins one of the five entities or a number, every byte is UTF-8.
 *
 *     svg check FILE...       whether they are well formed; prints elements, attributes and texts of each
 *     svg compare A B         the same elements, attributes and texts; numbers in them agree to 0.05. Points of traces,
 *                             which are chosen by rounding where two are as good, need only be as near to the other line
 *     svg circles FILE CLASS  centres of the circles of a class [m], by data-scale and data-origin of the file
 *     svg lines FILE CLASS    the points of the paths of a class [px], an empty line behind each part
 *     svg text FILE           all texts, entities resolved, a line each */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 100, MOST_ATTRIBUTES = 40 };

typedef struct piece {
    enum { ELEMENT, ATTRIBUTE, TEXT, END } kind;
    char *name;  /* of an element or attribute; of a text that of its element */
    char *value; /* of an attribute or text, entities resolved */
} piece;

typedef struct file {
    const char *path;
    char       *text, *at;
    piece      *pieces;
    int         n, room;
    char       *open[DEEP];
    int         depth;
} file;

static void fail(const file *f, const char *format, ...)
{
    va_list args;
    int     line = 1;

    for (const char *c = f->text; c < f->at; c++) line += *c == '\n';
    printf("FAILED: %s:%d: ", f->path, line);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    exit(1);
}

static char *copy(const char *from, size_t length)
{
    char *text = malloc(length + 1);

    if (!text) exit(2);
    memcpy(text, from, length);
    text[length] = '\0';
    return text;
}

static void add(file *f, piece p)
{
    if (f->n == f->room) {
        f->room   = 2 * f->room + 64;
        f->pieces = realloc(f->pieces, (size_t)f->room * sizeof *f->pieces);
        if (!f->pieces) exit(2);
    }
    f->pieces[f->n++] = p;
}

static char *read_name(file *f)
{
    const char *from = f->at;

    if (!isalpha((unsigned char)*f->at)) fail(f, "expected a name, found '%c'", *f->at);
    while (isalnum((unsigned char)*f->at) || strchr("-_:.", *f->at)) {
        if (!*f->at) break;
        f->at++;
    }
    return copy(from, (size_t)(f->at - from));
}

/* Up to one of the characters, with entities resolved. */
static char *read_until(file *f, const char *stop)
{
    static const struct {
        const char *entity;
        char        is;
    } known[]   = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&#39;", '\'' } };
    char  *text = malloc(strlen(f->at) + 1);
    size_t n    = 0;

    if (!text) exit(2);
    while (*f->at && !strchr(stop, *f->at)) {
        char is = *f->at;
        if (is == '<') fail(f, "a raw < in a value");
        if ((unsigned char)is < 0x20 && !isspace((unsigned char)is)) fail(f, "a control character");
        if (is == '&') {
            size_t k = 0;
            while (k < 5 && strncmp(f->at, known[k].entity, strlen(known[k].entity)) != 0) k++;
            if (k == 5) fail(f, "an & that begins no entity");
            is = known[k].is;
            f->at += strlen(known[k].entity) - 1;
        }
        text[n++] = is;
        f->at++;
    }
    text[n] = '\0';
    return text;
}

static void skip_blanks(file *f)
{
    while (isspace((unsigned char)*f->at)) f->at++;
}

static void read_tag(file *f)
{
    char *seen[MOST_ATTRIBUTES], *name;
    int   n = 0;

    name = read_name(f);
    add(f, (piece){ ELEMENT, name, "" });
    for (;;) {
        piece a = { ATTRIBUTE, NULL, NULL };
        skip_blanks(f);
        if (*f->at == '>' || *f->at == '/') break;
        a.name = read_name(f);
        for (int k = 0; k < n; k++) {
            if (!strcmp(seen[k], a.name)) fail(f, "%s twice", a.name);
        }
        if (n == MOST_ATTRIBUTES) fail(f, "too many attributes");
        seen[n++] = a.name;
        if (*f->at++ != '=' || *f->at++ != '"') fail(f, "%s without a quoted value", a.name);
        a.value = read_until(f, "\"");
        if (*f->at++ != '"') fail(f, "%s without an end", a.name);
        add(f, a);
    }
    if (*f->at == '/') {
        f->at++;
        add(f, (piece){ END, name, "" });
    } else {
        if (f->depth == DEEP) fail(f, "too deep");
        f->open[f->depth++] = name;
    }
    if (*f->at++ != '>') fail(f, "expected >");
}

static void check_utf8(file *f)
{
    for (f->at = f->text; *f->at;) {
        const unsigned char *c = (unsigned char *)f->at;
        const int            n = c[0] < 0x80 ? 1 : c[0] >> 5 == 6 ? 2 : c[0] >> 4 == 14 ? 3 : c[0] >> 3 == 30 ? 4 : 0;
        for (int k = 1; k < n; k++) {
            if (c[k] >> 6 != 2) fail(f, "no UTF-8");
        }
        if (n == 0) fail(f, "no UTF-8");
        f->at += n;
    }
}

static void read_pieces(file *f)
{
    for (f->at = f->text; *f->at;) {
        if (*f->at != '<') {
            char *text  = read_until(f, "<");
            bool  blank = !text[strspn(text, " \n")];
            if (f->depth == 0 && !blank) fail(f, "text outside");
            if (blank) free(text);
            else add(f, (piece){ TEXT, f->open[f->depth - 1], text });
            continue;
        }
        f->at++;
        if (*f->at == '/') {
            char *name;
            f->at++;
            name = read_name(f);
            if (f->depth == 0 || strcmp(f->open[--f->depth], name) != 0) fail(f, "</%s> closes nothing", name);
            if (*f->at++ != '>') fail(f, "expected >");
            add(f, (piece){ END, name, "" });
        } else {
            if (f->depth == 0 && f->n) fail(f, "a second root");
            read_tag(f);
        }
    }
    if (f->depth) fail(f, "<%s> is not closed", f->open[f->depth - 1]);
    if (f->n == 0 || strcmp(f->pieces[0].name, "svg") != 0) fail(f, "no svg");
}

/* Lives as long as the program. */
static const file *read_file(const char *path)
{
    static file all[100];
    static int  count;
    file       *f    = &all[count++ % 100];
    FILE       *in   = fopen(path, "rb");
    size_t      size = 0;

    *f = (file){ .path = path };
    if (!in || fseek(in, 0, SEEK_END) != 0) {
        printf("FAILED: %s cannot be read\n", path);
        exit(1);
    }
    size = (size_t)ftell(in);
    rewind(in);
    f->text = calloc(size + 1, 1);
    if (!f->text || fread(f->text, 1, size, in) != size) exit(2);
    fclose(in);
    if (strlen(f->text) != size) fail(f, "a zero byte");
    check_utf8(f);
    read_pieces(f);
    return f;
}

/* ----------------------------------------------------------------------------------------- compare */

/* The vertices of a path of M and l: absolute. */
static int vertices(const char *d, double (*at)[2], int most)
{
    double x = 0.0, y = 0.0;
    char   command = 'M';
    int    n       = 0;

    while (*d && n < most) {
        char  *end;
        double a, b;
        if (isalpha((unsigned char)*d)) command = *d++;
        if (command == 'z') continue;
        a = strtod(d, &end);
        if (end == d) return -1;
        d = end;
        b = strtod(d, &end);
        if (end == d || (command != 'M' && command != 'l')) return -1;
        d          = end;
        x          = command == 'M' ? a : x + a;
        y          = command == 'M' ? b : y + b;
        at[n][0]   = x;
        at[n++][1] = y;
        while (*d == ' ') d++;
    }
    return n;
}

static double distance_to_line(const double p[2], double (*line)[2], int n)
{
    double least = INFINITY;

    for (int k = 0; k + 1 < n; k++) {
        const double x = line[k + 1][0] - line[k][0], y = line[k + 1][1] - line[k][1], square = x * x + y * y;
        double       t = square > 0.0 ? ((p[0] - line[k][0]) * x + (p[1] - line[k][1]) * y) / square : 0.0;
        t              = fmax(0.0, fmin(1.0, t));
        least          = fmin(least, hypot(p[0] - line[k][0] - t * x, p[1] - line[k][1] - t * y));
    }
    return least;
}

/* Both lines are near each other, as far as they were simplified. */
static bool same_line(const char *a, const char *b)
{
    enum { MOST = 20000 };
    static double p[2][MOST][2];
    const int     n[2] = { vertices(a, p[0], MOST), vertices(b, p[1], MOST) };

    if (n[0] < 1 || n[1] < 1) return false;
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < n[side]; k++) {
            if (n[1 - side] > 1 && !(distance_to_line(p[side][k], p[1 - side], n[1 - side]) < 0.25)) return false;
        }
    }
    return true;
}

/* The same text, with numbers that are nearly the same. */
static bool same_value(const char *a, const char *b)
{
    while (*a || *b) {
        char        *end_a, *end_b;
        const double x = strtod(a, &end_a), y = strtod(b, &end_b);
        if (end_a != a && end_b != b) {
            if (!(fabs(x - y) < 0.05)) return false;
            a = end_a;
            b = end_b;
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return true;
}

static int compare(const char *one, const char *two)
{
    const file *a = read_file(one), *b = read_file(two);
    bool        trace = false;

    for (int k = 0; k < a->n && k < b->n; k++) {
        const piece *p = &a->pieces[k], *q = &b->pieces[k];
        bool         same = p->kind == q->kind && !strcmp(p->name, q->name);
        if (p->kind == ELEMENT) trace = false;
        if (same && p->kind == ATTRIBUTE && !strcmp(p->name, "class")) trace = !strncmp(p->value, "trace", 5);
        if (same && trace && !strcmp(p->name, "d")) same = same_line(p->value, q->value);
        else if (same && (p->kind == ATTRIBUTE || p->kind == TEXT)) same = same_value(p->value, q->value);
        if (same) continue;
        printf("FAILED: %s and %s differ: %s '%.200s' and %s '%.200s'\n", one, two, p->name, p->value, q->name,
               q->value);
        return 1;
    }
    if (a->n == b->n) return 0;
    printf("FAILED: %s has %d pieces, %s has %d\n", one, a->n, two, b->n);
    return 1;
}

/* ------------------------------------------------------------------------------------------- places */

static const char *attribute(const file *f, int element, const char *name)
{
    for (int k = element + 1; k < f->n && f->pieces[k].kind == ATTRIBUTE; k++) {
        if (!strcmp(f->pieces[k].name, name)) return f->pieces[k].value;
    }
    return "";
}

static int print_circles(const char *path, const char *class)
{
    const file *f     = read_file(path);
    double      scale = 0.0, origin[2] = { 0.0, 0.0 };

    for (int k = 0; k < f->n; k++) {
        if (f->pieces[k].kind != ELEMENT) continue;
        if (attribute(f, k, "data-scale")[0]) {
            scale = atof(attribute(f, k, "data-scale"));
            if (sscanf(attribute(f, k, "data-origin"), "%lf %lf", &origin[0], &origin[1]) != 2) return 1;
        }
        if (strcmp(f->pieces[k].name, "circle") != 0 || strcmp(attribute(f, k, "class"), class) != 0) continue;
        printf("%.6f %.6f\n", (atof(attribute(f, k, "cx")) - origin[0]) / scale,
               (origin[1] - atof(attribute(f, k, "cy"))) / scale);
    }
    return !(scale > 0.0);
}

static int print_lines(const char *path, const char *class)
{
    enum { MOST = 20000 };
    static double p[MOST][2];
    const file   *f = read_file(path);

    for (int k = 0; k < f->n; k++) {
        char *d, *part;
        if (f->pieces[k].kind != ELEMENT || strcmp(f->pieces[k].name, "path") != 0) continue;
        if (strcmp(attribute(f, k, "class"), class) != 0) continue;
        d = copy(attribute(f, k, "d"), strlen(attribute(f, k, "d")));
        for (part = strtok(d, "M"); part; part = strtok(NULL, "M")) {
            const int n = vertices(part, p, MOST);
            for (int i = 0; i < n; i++) printf("%.3f %.3f\n", p[i][0], p[i][1]);
            printf("\n");
        }
        free(d);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "lines")) return print_lines(argv[2], argv[3]);
    if (argc == 4 && !strcmp(argv[1], "compare")) return compare(argv[2], argv[3]);
    if (argc == 4 && !strcmp(argv[1], "circles")) return print_circles(argv[2], argv[3]);
    for (int k = 2; k < argc && !strcmp(argv[1], "check"); k++) {
        const file *f = read_file(argv[k]);
        printf("%s: %d pieces\n", argv[k], f->n);
    }
    if (argc == 3 && !strcmp(argv[1], "text")) {
        const file *f = read_file(argv[2]);
        for (int k = 0; k < f->n; k++) {
            if (f->pieces[k].kind == TEXT && strcmp(f->pieces[k].name, "style") != 0)
                printf("%s\n", f->pieces[k].value);
        }
    }
    return argc < 3 ? 2 : 0;
}
