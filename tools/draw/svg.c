/* svg.c - writes display lists as SVG.
 *
 * Coordinates have two digits after the point, those of films one. Points of a path follow as differences of what was
 * written, so that rounding does not add up. A film is SMIL: shapes that move as rigid bodies get a translation, a turn
 * and a stretch for each time; others get all their points. */
#include "tools/draw/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ styles */

/* Okabe and Ito's colours, in an order in which neighbours differ; on dark ground two of them are lighter. */
static const char *const colours[2][PALETTE] = {
    { "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999" },
    { "#3d9bd9", "#e69f00", "#1fbf91", "#cc79a7", "#7fc8f2", "#f07c28", "#aaa" },
};

/* A style: what it has on light and dark ground alike, and what differs. */
static const struct style {
    const char *name, *common, *light, *dark;
} styles[INK_BODY] = {
    [INK_LINE]   = { "line", "fill:none;stroke-width:1.4", "stroke:#222", "stroke:#ddd" },
    [INK_SOLID]  = { "solid", "", "fill:#222", "fill:#ddd" },
    [INK_PAPER]  = { "paper", "stroke-width:1.4;stroke-linejoin:round", "fill:#fff;stroke:#222",
                     "fill:#14171c;stroke:#ddd" },
    [INK_HATCH]  = { "hatch", "fill:none;stroke-width:.9", "stroke:#555", "stroke:#aaa" },
    [INK_GROUND] = { "ground", "fill:none;stroke-width:1.8;stroke-linejoin:round", "stroke:#222", "stroke:#ddd" },
    [INK_FAINT]  = { "faint", "fill:none;stroke-width:.8", "stroke:#888", "stroke:#888" },
    [INK_DASHED] = { "dashed", "fill:none;stroke-width:.8;stroke-dasharray:4 3", "stroke:#888", "stroke:#888" },
    [INK_GRID]   = { "grid", "fill:none;stroke-width:.6", "stroke:#ddd", "stroke:#333" },
    [INK_SPRING] = { "spring", "fill:none;stroke-width:1.3;stroke-linejoin:round", "stroke:#222", "stroke:#ddd" },
    [INK_ROD]    = { "rod", "fill:none;stroke-width:2", "stroke:#444", "stroke:#bbb" },
    [INK_FORCE]  = { "force", "fill:none;stroke-width:2", "stroke:#d55e00", "stroke:#f07c28" },
    [INK_HEAD]   = { "head", "", "fill:#d55e00", "fill:#f07c28" },
    [INK_TOUCH]  = { "touch", "", "fill:#cc2f7a", "fill:#ff6fb0" },
    [INK_NAME]   = { "name", "font:italic 13px Georgia,serif;paint-order:stroke;stroke-width:3;stroke-linejoin:round",
                     "fill:#222;stroke:#fff", "fill:#ddd;stroke:#14171c" },
    [INK_NOTE]   = { "note", "font:12px system-ui,sans-serif", "fill:#555", "fill:#aaa" },
};

static const char *const dashes[] = { "7 3", "2 3", "9 3 2 3" };

static bool is_filled(ink_id ink)
{
    return ink == INK_SOLID || ink == INK_PAPER || ink == INK_HEAD || ink == INK_TOUCH ||
           (ink >= INK_BODY && ink < INK_TRACE);
}

static void put_class(FILE *f, ink_id ink)
{
    if (ink < INK_BODY) fprintf(f, " class=\"%s\"", styles[ink].name);
    else if (ink < INK_TRACE) fprintf(f, " class=\"body b%d\"", ink - INK_BODY);
    else fprintf(f, " class=\"trace t%d\"", ink - INK_TRACE);
}

static void put_colours(FILE *f, const bool *used, bool dark)
{
    bool bodies = false;

    fprintf(f, ".back{fill:%s}", dark ? "#14171c" : "#fff");
    for (int k = 0; k < INK_BODY; k++) {
        if (used[k]) fprintf(f, ".%s{%s}", styles[k].name, dark ? styles[k].dark : styles[k].light);
    }
    for (int k = INK_BODY; k < INK_TRACE; k++) {
        if (used[k]) fprintf(f, ".b%d{fill:%s}", k - INK_BODY, colours[dark][k - INK_BODY]);
        bodies = bodies || used[k];
    }
    if (bodies) fprintf(f, ".body{stroke:%s;fill-opacity:%s}", dark ? "#ddd" : "#222", dark ? ".5" : ".32");
    for (int k = INK_TRACE; k < INKS; k++) {
        if (used[k]) fprintf(f, ".t%d{stroke:%s}", k - INK_TRACE, colours[dark][k - INK_TRACE]);
    }
}

static void put_styles(FILE *f, const list *const *lists, int n)
{
    bool used[INKS] = { false }, bodies = false, traces = false;

    for (int k = 0; k < n; k++) {
        for (int i = 0; i < lists[k]->nshapes; i++) used[lists[k]->shapes[i].ink] = true;
    }
    fprintf(f, "<style>");
    for (int k = 0; k < INK_BODY; k++) {
        if (used[k] && styles[k].common[0]) fprintf(f, ".%s{%s}", styles[k].name, styles[k].common);
    }
    for (int k = INK_BODY; k < INKS; k++) *(k < INK_TRACE ? &bodies : &traces) |= used[k];
    if (bodies) fprintf(f, ".body{stroke-width:1.2;stroke-linejoin:round}");
    if (traces) fprintf(f, ".trace{fill:none;stroke-width:1.6;stroke-linejoin:round}");
    put_colours(f, used, false);
    fprintf(f, "@media(prefers-color-scheme:dark){");
    put_colours(f, used, true);
    fprintf(f, "}</style>\n");
}

/* ------------------------------------------------------------------------------------------- texts */

/* How many bytes of UTF-8 make the character that XML may have here; 0: it may not, or they make none. */
static int character_length(const unsigned char *c)
{
    const int n    = c[0] < 0x80 ? 1 : c[0] >> 5 == 6 ? 2 : c[0] >> 4 == 14 ? 3 : c[0] >> 3 == 30 ? 4 : 0;
    unsigned  code = n == 1 ? c[0] : c[0] & (0x7fu >> n);

    for (int k = 1; k < n; k++) {
        if (c[k] >> 6 != 2) return 0;
        code = code << 6 | (c[k] & 0x3fu);
    }
    if (n == 1) return code >= 0x20 && code != 0x7f ? 1 : 0;
    if (code < (n == 2 ? 0xa0u : n == 3 ? 0x800u : 0x10000u) || code > 0x10ffff) return 0;
    return (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff ? 0 : n;
}

void svg_text(FILE *f, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const int n = character_length(c);
        switch (n ? *c : 0) {
        case 0: fputc('?', f); break;
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        case '\'': fputs("&#39;", f); break;
        default: fwrite(c, 1, (size_t)n, f);
        }
        c += n ? n : 1;
    }
}

/* k times 10^-digits, as short as it can be written. */
static void put_decimal(FILE *f, long k, int digits)
{
    long unit = 1, whole, part;

    for (int i = 0; i < digits; i++) unit *= 10;
    if (k < 0) fputc('-', f);
    k     = labs(k);
    whole = k / unit;
    part  = k % unit;
    while (digits > 0 && part % 10 == 0) {
        part /= 10;
        digits--;
    }
    if (whole || !part) fprintf(f, "%ld", whole);
    if (part) fprintf(f, ".%0*ld", digits, part);
}

static long rounded(double x, int digits)
{
    for (int k = 0; k < digits; k++) x *= 10.0;
    return isfinite(x) && fabs(x) < 1e15 ? lround(x) : 0;
}

void svg_number(FILE *f, double x, int digits)
{
    put_decimal(f, rounded(x, digits), digits);
}

/* A number behind another: a sign separates as well as a blank. */
static void put_next(FILE *f, long k, int digits)
{
    if (k >= 0) fputc(' ', f);
    put_decimal(f, k, digits);
}

static void put_pair(FILE *f, char command, long x, long y, int digits)
{
    fputc(command, f);
    put_decimal(f, x, digits);
    put_next(f, y, digits);
}

/* ------------------------------------------------------------------------------------------- paths */

typedef struct point {
    double x, y;
} point;

static point seen(const window *w, double x, double y)
{
    return (point){ x - w->low[0], w->high[1] - y };
}

/* The points of a path; `at` is where its own coordinates are put, NULL: not, but for y, which points down. */
static void put_nodes(FILE *f, const window *w, const list *l, const shape *s, const pose *at, int digits)
{
    long x = 0, y = 0;

    for (int k = s->first; k < s->first + s->count; k++) {
        const node *n = &l->nodes[k];
        point       p = { n->x, -n->y };
        double      out[2];
        long        nx, ny;

        if (n->kind == NODE_CLOSE) {
            fputc('z', f);
            continue;
        }
        if (at) {
            place_apply(at, n->x, n->y, out);
            p = seen(w, out[0], out[1]);
        }
        nx = rounded(p.x, digits);
        ny = rounded(p.y, digits);
        if (n->kind == NODE_MOVE) {
            put_pair(f, 'M', nx, ny, digits);
        } else if (n->kind == NODE_LINE && k > s->first && n[-1].kind == NODE_LINE) { /* the letter goes on */
            put_next(f, nx - x, digits);
            put_next(f, ny - y, digits);
        } else if (n->kind == NODE_LINE) {
            put_pair(f, 'l', nx - x, ny - y, digits);
        } else {
            put_pair(f, 'a', rounded(fabs(n->r), digits), rounded(fabs(n->r), digits), digits);
            fprintf(f, " 0 %d %d", n->large, n->r < 0.0);
            put_next(f, nx - x, digits);
            put_next(f, ny - y, digits);
        }
        x = nx;
        y = ny;
    }
}

/* The beginning of an element at a place, told by the attributes x and y. */
static void put_placed(FILE *f, const char *tag, const shape *s, const char *x, const char *y, point c, int digits)
{
    fprintf(f, "<%s", tag);
    put_class(f, s->ink);
    fprintf(f, " %s=\"", x);
    svg_number(f, c.x, digits);
    fprintf(f, "\" %s=\"", y);
    svg_number(f, c.y, digits);
    fprintf(f, "\"");
}

static void put_circle(FILE *f, const shape *s, point c, int digits)
{
    put_placed(f, "circle", s, "cx", "cy", c, digits);
    fprintf(f, " r=\"");
    svg_number(f, s->radius, 2);
    fprintf(f, "\"");
}

static void put_text(FILE *f, const shape *s, point c, int digits)
{
    put_placed(f, "text", s, "x", "y", c, digits);
    fprintf(f, "%s>", s->anchor < 0 ? "" : s->anchor > 0 ? " text-anchor=\"end\"" : " text-anchor=\"middle\"");
    svg_text(f, s->text);
}

/* ------------------------------------------------------------------------------------ what is equal */

/* Less than can be seen. */
static bool close_to(double a, double b)
{
    return fabs(a - b) < 0.02;
}

static bool same_place(const pose *a, const pose *b)
{
    return close_to(a->x, b->x) && close_to(a->y, b->y) && fabs(a->angle - b->angle) < 2e-5 &&
           fabs(a->stretch - b->stretch) < 2e-4;
}

static bool same_shape(const list *a, const list *b, int k)
{
    const shape *s = &a->shapes[k], *t = &b->shapes[k];

    if (s->kind != t->kind || s->count != t->count || !close_to(s->radius, t->radius)) return false;
    for (int i = 0; i < s->count; i++) {
        const node *m = &a->nodes[s->first + i], *n = &b->nodes[t->first + i];
        if (m->kind != n->kind || m->large != n->large || !close_to(m->x, n->x) || !close_to(m->y, n->y)) return false;
    }
    return true;
}

static bool same(const list *a, const list *b, int k)
{
    return k < b->nshapes && a->shapes[k].hidden == b->shapes[k].hidden && same_shape(a, b, k) &&
           same_place(&a->shapes[k].place, &b->shapes[k].place);
}

/* ------------------------------------------------------------------------------------------- stills */

static void put_shapes(FILE *f, const window *w, const list *l, int from, int to, const list *other)
{
    ink_id open = INKS; /* of a path that is being written: lines of one ink go into one path */

    for (int k = from; k < to; k++) {
        const shape *s = &l->shapes[k];
        if (s->hidden || (other && (s->kind == SHAPE_TEXT || same(l, other, k)))) continue;
        if (open != INKS && (s->kind != SHAPE_PATH || s->ink != open || s->dash)) {
            fprintf(f, "\"/>\n");
            open = INKS;
        }
        if (s->kind == SHAPE_CIRCLE) {
            put_circle(f, s, seen(w, s->place.x, s->place.y), 2);
            fprintf(f, "/>\n");
        } else if (s->kind == SHAPE_TEXT) {
            put_text(f, s, seen(w, s->place.x, s->place.y), 2);
            fprintf(f, "</text>\n");
        } else {
            if (open == INKS) {
                fprintf(f, "<path");
                put_class(f, s->ink);
                if (s->dash) fprintf(f, " stroke-dasharray=\"%s\"", dashes[(s->dash - 1) % 3]);
                fprintf(f, " d=\"");
            }
            put_nodes(f, w, l, s, &s->place, 2);
            open = s->ink;
            if (!is_filled(s->ink) && !s->dash) continue;
            fprintf(f, "\"/>\n");
            open = INKS;
        }
    }
    if (open != INKS) fprintf(f, "\"/>\n");
}

void svg_shapes(FILE *f, const window *w, const list *l, int from)
{
    put_shapes(f, w, l, from, l->nshapes, NULL);
}

void svg_first_shapes(FILE *f, const window *w, const list *l, int to)
{
    put_shapes(f, w, l, 0, to, NULL);
}

void svg_moved_shapes(FILE *f, const window *w, const list *l, const list *other)
{
    put_shapes(f, w, l, 0, l->nshapes, other);
}

int svg_same_shapes(const list *lists, int n)
{
    int count = 0;

    for (; count < lists[0].nshapes; count++) {
        for (int k = 1; k < n; k++) {
            if (!same(&lists[0], &lists[k], count)) return count;
        }
    }
    return count;
}

/* -------------------------------------------------------------------------------------------- films */

typedef struct film {
    FILE         *f;
    const window *w;
    const list   *frames;
    int           n;
    double        seconds;
} film;

static const shape *shape_at(const film *m, int frame, int k)
{
    return &m->frames[frame].shapes[k];
}

static void put_timing(const film *m)
{
    fprintf(m->f, " dur=\"");
    svg_number(m->f, m->seconds, 3);
    fprintf(m->f, "s\" repeatCount=\"indefinite\"/>");
}

static bool moves(const film *m, int k)
{
    for (int i = 1; i < m->n; i++) {
        if (!same_place(&shape_at(m, 0, k)->place, &shape_at(m, i, k)->place)) return true;
    }
    return false;
}

static bool changes(const film *m, int k)
{
    for (int i = 1; i < m->n; i++) {
        if (!same_shape(&m->frames[0], &m->frames[i], k)) return true;
    }
    return false;
}

static bool moves_along(const film *m, int k, int other)
{
    for (int i = 0; i < m->n; i++) {
        if (!same_place(&shape_at(m, i, k)->place, &shape_at(m, i, other)->place)) return false;
    }
    return true;
}

/* 0 and 1 with the times where it changes. */
static void put_presence(const film *m, int k)
{
    int changed = 0;

    for (int i = 1; i < m->n; i++) changed += shape_at(m, i, k)->hidden != shape_at(m, i - 1, k)->hidden;
    if (!changed) return;
    fprintf(m->f, "<animate attributeName=\"opacity\" calcMode=\"discrete\" values=\"%d", !shape_at(m, 0, k)->hidden);
    for (int i = 1; i < m->n; i++) {
        if (shape_at(m, i, k)->hidden != shape_at(m, i - 1, k)->hidden)
            fprintf(m->f, ";%d", !shape_at(m, i, k)->hidden);
    }
    fprintf(m->f, "\" keyTimes=\"0");
    for (int i = 1; i < m->n; i++) {
        if (shape_at(m, i, k)->hidden == shape_at(m, i - 1, k)->hidden) continue;
        fputc(';', m->f);
        svg_number(m->f, (double)i / (m->n - 1), 4);
    }
    fprintf(m->f, "\"");
    put_timing(m);
}

/* A translation, a turn, a stretch: each only where it is not always the same. */
static void put_motion(const film *m, int k)
{
    static const char *const types[] = { "translate", "rotate", "scale" };
    const pose              *first   = &shape_at(m, 0, k)->place;
    double                   angle   = first->angle;

    for (int part = 0; part < 3; part++) {
        bool needed = part == 0 || (part == 1 ? first->angle != 0.0 : first->stretch != 1.0);
        for (int i = 1; i < m->n; i++) {
            const pose *p = &shape_at(m, i, k)->place;
            needed        = needed || (part == 1 && p->angle != 0.0) || (part == 2 && p->stretch != 1.0);
        }
        if (!needed) continue;
        fprintf(m->f, "<animateTransform attributeName=\"transform\" type=\"%s\"%s values=\"", types[part],
                part ? " additive=\"sum\"" : "");
        for (int i = 0; i < m->n; i++) {
            const pose *p = &shape_at(m, i, k)->place;
            const point c = seen(m->w, p->x, p->y);
            if (i) fputc(';', m->f);
            if (part == 0) {
                put_decimal(m->f, rounded(c.x, 1), 1);
                put_next(m->f, rounded(c.y, 1), 1);
            } else if (part == 1) {
                angle += remainder(p->angle - angle, 2.0 * M_PI); /* on from where it was */
                svg_number(m->f, -angle * 180.0 / M_PI, 2);
            } else {
                svg_number(m->f, p->stretch, 3);
                fputs(" 1", m->f);
            }
        }
        fputc('"', m->f);
        put_timing(m);
    }
}

/* A shape in its own coordinates, or where it always is. */
static void put_moving(const film *m, int k, bool own)
{
    const shape *s      = shape_at(m, 0, k);
    const point  c      = own ? (point){ 0.0, 0.0 } : seen(m->w, s->place.x, s->place.y);
    const char  *hidden = s->hidden ? " opacity=\"0\"" : "";

    if (s->kind == SHAPE_CIRCLE) {
        put_circle(m->f, s, c, 2);
        fprintf(m->f, "%s>", hidden);
        put_presence(m, k);
        fprintf(m->f, "</circle>\n");
    } else if (s->kind == SHAPE_TEXT) {
        put_text(m->f, s, c, 2);
        put_presence(m, k);
        fprintf(m->f, "</text>\n");
    } else {
        fprintf(m->f, "<path");
        put_class(m->f, s->ink);
        fprintf(m->f, " d=\"");
        put_nodes(m->f, m->w, &m->frames[0], s, own ? NULL : &s->place, 2);
        fprintf(m->f, "\"%s>", hidden);
        if (changes(m, k)) {
            fprintf(m->f, "<animate attributeName=\"d\" values=\"");
            for (int i = 0; i < m->n; i++) {
                const shape *at = shape_at(m, i, k);
                if (i) fputc(';', m->f);
                put_nodes(m->f, m->w, &m->frames[i], at, own ? NULL : &at->place, 1);
            }
            fputc('"', m->f);
            put_timing(m);
        }
        put_presence(m, k);
        fprintf(m->f, "</path>\n");
    }
}

static bool ever_seen(const film *m, int k)
{
    for (int i = 0; i < m->n; i++) {
        if (!shape_at(m, i, k)->hidden) return true;
    }
    return false;
}

/* The group of what moves together, at the first time for those who do not play films. */
static void put_group(const film *m, int k)
{
    const pose *p = &shape_at(m, 0, k)->place;
    const point c = seen(m->w, p->x, p->y);

    fprintf(m->f, "<g transform=\"translate(");
    put_decimal(m->f, rounded(c.x, 1), 1);
    put_next(m->f, rounded(c.y, 1), 1);
    fputc(')', m->f);
    if (p->angle != 0.0) {
        fprintf(m->f, "rotate(");
        svg_number(m->f, -p->angle * 180.0 / M_PI, 2);
        fputc(')', m->f);
    }
    if (p->stretch != 1.0) {
        fprintf(m->f, "scale(");
        svg_number(m->f, p->stretch, 3);
        fprintf(m->f, " 1)");
    }
    fprintf(m->f, "\">");
}

void svg_film(FILE *f, const window *w, const list *frames, int n, double seconds)
{
    const film m     = { f, w, frames, n, seconds };
    int        count = frames[0].nshapes;

    for (int k = 1; k < n; k++) count = frames[k].nshapes < count ? frames[k].nshapes : count;
    for (int k = 0; k < count; k++) {
        int next = k;
        if (!ever_seen(&m, k)) continue;
        if (!moves(&m, k)) {
            put_moving(&m, k, false);
            continue;
        }
        put_group(&m, k); /* with those behind it that move like it */
        put_motion(&m, k);
        fputc('\n', f);
        for (; next < count && moves_along(&m, k, next); next++) {
            if (ever_seen(&m, next)) put_moving(&m, next, true);
        }
        fprintf(f, "</g>\n");
        k = next - 1;
    }
}

/* -------------------------------------------------------------------------------------------- file */

void svg_begin(FILE *f, double width, double height, const char *title, const list *const *lists, int n)
{
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
    svg_number(f, width, 0);
    fprintf(f, "\" height=\"");
    svg_number(f, height, 0);
    fprintf(f, "\" viewBox=\"0 0 ");
    svg_number(f, width, 0);
    fputc(' ', f);
    svg_number(f, height, 0);
    fprintf(f, "\" role=\"img\">\n<title>");
    svg_text(f, title);
    fprintf(f, "</title>\n");
    put_styles(f, lists, n);
    fprintf(f, "<rect class=\"back\" width=\"100%%\" height=\"100%%\"/>\n");
}

void svg_end(FILE *f)
{
    fprintf(f, "</svg>\n");
}

void svg_open_window(FILE *f, const window *w)
{
    fprintf(f, "<svg");
    if (w->x != 0.0 || w->y != 0.0) {
        fprintf(f, " x=\"");
        svg_number(f, w->x, 2);
        fprintf(f, "\" y=\"");
        svg_number(f, w->y, 2);
        fputc('"', f);
    }
    fprintf(f, " width=\"");
    svg_number(f, w->high[0] - w->low[0], 2);
    fprintf(f, "\" height=\"");
    svg_number(f, w->high[1] - w->low[1], 2);
    fprintf(f, "\"");
    if (w->scale > 0.0) fprintf(f, " data-scale=\"%.9g\" data-origin=\"%.9g %.9g\"", w->scale, -w->low[0], w->high[1]);
    fprintf(f, ">\n");
}

void svg_close_window(FILE *f)
{
    fprintf(f, "</svg>\n");
}
