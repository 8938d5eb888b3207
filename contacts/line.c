/* line.c - points, discs and bodies on a polyline; the free side is on the left of the way along it.
 *
 *     point or disc P on a segment that begins at A, with the direction e, n = R e:
 *
 *         gap = n . (P - A) - r          slip = e . v_P + r omega - u         while 0 <= e . (P - A) <= length
 *
 *     disc on a corner C between segments with the directions e1, e2, n = (P - C)/|P - C|:
 *
 *         gap = |P - C| - r              slip = n_y vx_P - n_x vy_P + r omega - u
 *                                                            while e1 . (P - C) >= 0 and e2 . (P - C) <= 0
 *
 *     edge from A to B of a body on a corner C, d = B - A, w = C - A, sigma = 1 for an outline that goes round to the
 *     left, -1 to the right:
 *
 *         gap = sigma w x d / |d|        slip = sigma d . v_A / |d| + omega gap - u      while 0 <= d . w <= |d|^2
 *
 * Where a corner of an outline passes a corner of the line both are on the ends of two edges and two segments, with
 * gaps of zero, but not all of them can touch: of an edge with the outward normal m the segments at C must lie outside,
 * m . (-e1) >= 0 and m . e2 >= 0, and above a segment both edges at a corner P of the outline, n . (Q - P) >= 0 for its
 * neighbours Q. What faces otherwise is passed over.
 *
 * u is the speed of the surface along itself. Which segments and corners are meant is the engine's matter: each point
 * has two contacts, enough for a corner that it is pushed into; a disc has three and two on corners, an edge three. */
#include <stdio.h>
#include <string.h>

#include "contacts/line.h"

#define FLUSH "1e-6" /* sine of an angle: faces that lie on each other */

enum { ON_POINT = 2, ON_DISC = 3, ON_CORNERS = 2, ON_EDGE = 3, LABEL = 200, FORMULA = 400, CORNERS_MOST = 24 };

static int fewer(int a, int b)
{
    return a < b ? a : b;
}

/* The law with a guard of the geometry as well, which the binds have as `faces`; that of the scene is `given`. */
static law guarded(const law *l)
{
    law both = *l;

    both.guard = sal_formula(l->guard.text ? "faces and given" : "faces");
    return both;
}

/* A point or disc on segments; `beside`: its neighbours, where it is a corner of an outline. */
static void emit_point(sal_builder *b, const law *l, const line_ground *g, sal_point p, const sal_point *beside,
                       const char *name, bool first)
{
#define ABOVE(Q) "ex*(y(" Q ") - y(P)) - ey*(x(" Q ") - x(P)) > -" FLUSH "*distance(P, " Q ")"
    const law      outer = guarded(l);
    const int      count = fewer(g->discs ? ON_DISC : ON_POINT, g->line.n - 1);
    const sal_slot slot  = sal_add_follower(b, &(sal_follow){ .line     = g->line,
                                                              .part     = SAL_SEGMENTS,
                                                              .points   = { p },
                                                              .radius   = g->discs ? g->radius : SAL_NONE,
                                                              .contacts = count });
    char           label[LABEL], slip[FORMULA];

    snprintf(slip, sizeof slip, "ex*vx(P) + ey*vy(P) - u%s", g->body ? " + r*rate(W)" : "");
    for (int k = 0; k < count && slot != SAL_NONE; k++) {
        const sal_slot at      = slot + SAL_PART_SLOTS * k;
        const sal_bind binds[] = { { "P", .point = &p },
                                   { "ax", at },
                                   { "ay", at + 1 },
                                   { "ex", at + 2 },
                                   { "ey", at + 3 },
                                   { "from", at + 4 },
                                   { "to", at + 5 },
                                   { "r", g->radius },
                                   { "u", g->speed },
                                   { "W", .body = g->body },
                                   { "s", .formula = sal_formula("ex*(x(P) - ax) + ey*(y(P) - ay)") },
                                   { "given", .formula = l->guard },
                                   { "A", .point = beside ? &beside[0] : NULL },
                                   { "B", .point = beside ? &beside[1] : NULL },
                                   { "faces", .formula = sal_formula(ABOVE("A") " and " ABOVE("B")) },
                                   { 0 } };
        snprintf(label, sizeof label, "%s_%d", name, k + 1);
        law_emit(b, beside ? &outer : l,
                 &(gap){ .label   = label,
                         .gap     = "ex*(y(P) - ay) - ey*(x(P) - ax) - r",
                         .slip    = slip,
                         .binds   = binds,
                         .closed  = k == 0 && law_closed(g->closed, name),
                         .first   = first && k == 0,
                         .point   = &p,
                         .place   = { "x(P)", "y(P)" },
                         .radius  = g->radius,
                         .normal  = { "-ey", "ex" },
                         .ends    = "(s - from)*(to - s)/(to - from)",
                         .follows = true });
    }
}

/* A disc on corners. */
static void emit_disc(sal_builder *b, const law *l, const line_ground *g, sal_point p, const char *name)
{
#define NX "(x(P) - cx)"
#define NY "(y(P) - cy)"
#define ON "sqrt(" NX "^2 + " NY "^2)"
    const int      count = fewer(ON_CORNERS, g->line.n);
    const sal_slot disc  = g->radius;
    const sal_slot slot  = sal_add_follower(
         b, &(sal_follow){ .line = g->line, .part = SAL_CORNERS, .points = { p }, .radius = disc, .contacts = count });
    char label[LABEL], slip[FORMULA];

    snprintf(slip, sizeof slip, "(" NY "*vx(P) - " NX "*vy(P))/" ON " - u%s", g->body ? " + r*rate(W)" : "");
    for (int k = 0; k < count && slot != SAL_NONE; k++) {
        const sal_slot at      = slot + SAL_PART_SLOTS * k;
        const sal_bind binds[] = { { "P", .point = &p },
                                   { "cx", at },
                                   { "cy", at + 1 },
                                   { "e1x", at + 2 },
                                   { "e1y", at + 3 },
                                   { "e2x", at + 4 },
                                   { "e2y", at + 5 },
                                   { "r", g->radius },
                                   { "u", g->speed },
                                   { "W", .body = g->body },
                                   { 0 } };
        snprintf(label, sizeof label, "%s_corner%d", name, k + 1);
        law_emit(b, l,
                 &(gap){ .label   = label,
                         .gap     = ON " - r",
                         .slip    = slip,
                         .binds   = binds,
                         .point   = &p,
                         .place   = { "x(P)", "y(P)" },
                         .radius  = g->radius,
                         .normal  = { NX "/" ON, NY "/" ON },
                         .ends    = "min(e1x*" NX " + e1y*" NY ", -e2x*" NX " - e2y*" NY ")",
                         .follows = true });
    }
}

/* The edge from corner k of an outline to the next, on corners of the line. */
static void emit_edge(sal_builder *b, const law *l, const line_ground *g, int from, sal_slot side)
{
#define DX              "(x(B) - x(A))"
#define DY              "(y(B) - y(A))"
#define ALONG           "(" DX "*(cx - x(A)) + " DY "*(cy - y(A)))/distance(A, B)"
#define AWAY            "side*((cx - x(A))*" DY " - (cy - y(A))*" DX ")/distance(A, B)"
#define OUTSIDE(EX, EY) "side*(" EX "*" DY " - (" EY ")*" DX ") > -" FLUSH "*distance(A, B)"
#define OMEGA           "(" DX "*(vy(B) - vy(A)) - " DY "*(vx(B) - vx(A)))/distance(A, B)^2"
    const int       to = (from + 1) % g->outline.n, count = fewer(ON_EDGE, g->line.n);
    const sal_point ends[2] = { g->outline.at[from], g->outline.at[to] };
    const sal_slot  slot    = sal_add_follower(b, &(sal_follow){ .line     = g->line,
                                                                 .part     = SAL_CORNERS,
                                                                 .points   = { ends[0], ends[1] },
                                                                 .edge     = true,
                                                                 .radius   = SAL_NONE,
                                                                 .contacts = count });
    const law       outer   = guarded(l);
    char            label[LABEL];

    for (int k = 0; k < count && slot != SAL_NONE; k++) {
        const sal_slot at      = slot + SAL_PART_SLOTS * k;
        const sal_bind binds[] = { { "A", .point = &ends[0] },
                                   { "B", .point = &ends[1] },
                                   { "cx", at },
                                   { "cy", at + 1 },
                                   { "side", side },
                                   { "u", g->speed },
                                   { "s", .formula = sal_formula(ALONG) },
                                   { "away", .formula = sal_formula(AWAY) },
                                   { "omega", .formula = sal_formula(OMEGA) },
                                   { "e1x", at + 2 },
                                   { "e1y", at + 3 },
                                   { "e2x", at + 4 },
                                   { "e2y", at + 5 },
                                   { "given", .formula = l->guard },
                                   { "faces",
                                     .formula = sal_formula(OUTSIDE("-e1x", "-e1y") " and " OUTSIDE("e2x", "e2y")) },
                                   { 0 } };
        snprintf(label, sizeof label, "%s_%s_%d", g->outline.name[from], g->outline.name[to], k + 1);
        law_emit(b, &outer,
                 &(gap){ .label   = label,
                         .gap     = "away",
                         .slip    = "side*(" DX "*vx(A) + " DY "*vy(A))/distance(A, B) + omega*away - u",
                         .binds   = binds,
                         .place   = { "cx", "cy" },
                         .ends    = "s - s^2/distance(A, B)",
                         .follows = true });
    }
}

/* 1 where the outline goes round to the left as the scene puts its points, -1 where to the right: the sign of its
 * area. */
static sal_slot side_of(sal_builder *b, sal_points outline)
{
    sal_bind binds[CORNERS_MOST + 1] = { 0 };
    char     name[CORNERS_MOST][16], area[CORNERS_MOST * 80] = "0";

    if (outline.n < 3) return sal_derive(b, "1", NULL);
    for (int k = 0; k < outline.n; k++) {
        snprintf(name[k], sizeof name[k], "P%d", k);
        binds[k] = (sal_bind){ name[k], .point = &outline.at[k] };
    }
    for (int k = 0; k < outline.n; k++) {
        const char  *p = name[k], *q = name[(k + 1) % outline.n], *o = name[0];
        const size_t used = strlen(area);
        snprintf(area + used, sizeof area - used, " + (x(%s)-x(%s))*(y(%s)-y(%s)) - (y(%s)-y(%s))*(x(%s)-x(%s))", p, o,
                 q, o, p, o, q, o);
    }
    const size_t used = strlen(area);
    memmove(area + 5, area, used + 1);
    memcpy(area, "sign(", 5);
    snprintf(area + used + 5, sizeof area - used - 5, ")");
    return sal_given(b, "outline", area, binds);
}

static void check(sal_builder *b, const law *l, const line_ground *g)
{
    if (!law_holds(l))
        sal_element_error(b, "law", "a line is for contacts that can hold; expected impact, stick or slide");
    if (g->points.n == 0 && g->outline.n == 0)
        sal_element_error(b, "", "expected 'points' or an 'outline' that can touch, found neither");
    if (g->outline.n == 1 || g->outline.n > CORNERS_MOST)
        sal_element_error(b, "outline", "expected 2 to %d points, found %d", CORNERS_MOST, g->outline.n);
    if (g->body && g->outline.n) sal_element_error(b, "body", "an outline does not roll; it is for discs");
}

static bool is_free(sal_builder *b, sal_point p, const char *key, const char *name)
{
    if (!sal_point_is_free(b, p)) sal_element_error(b, key, "'%s' is fixed; expected points that can move", name);
    return sal_point_is_free(b, p);
}

void line_emit(sal_builder *b, const law *l, const line_ground *g)
{
    sal_slot side;

    check(b, l, g);
    if (!law_holds(l) || g->outline.n > CORNERS_MOST) return;
    for (int k = 0; k < g->points.n; k++) {
        if (!is_free(b, g->points.at[k], "points", g->points.name[k])) continue;
        emit_point(b, l, g, g->points.at[k], NULL, g->points.name[k], k == 0);
        if (!g->discs) continue;
        emit_disc(b, l, g, g->points.at[k], g->points.name[k]);
        sal_draw_disc(b, g->points.at[k], g->radius, g->body);
    }
    side = g->outline.n ? side_of(b, g->outline) : SAL_NONE;
    for (int k = 0; k < g->outline.n && side != SAL_NONE; k++) {
        const int       n         = g->outline.n;
        const sal_point beside[2] = { g->outline.at[(k + n - 1) % n], g->outline.at[(k + 1) % n] };
        line_ground     corner    = *g;
        corner.discs              = false;
        corner.radius             = sal_derive(b, "0", NULL);
        if (!is_free(b, g->outline.at[k], "outline", g->outline.name[k])) continue;
        if (!law_closed(g->points, g->outline.name[k]))
            emit_point(b, l, &corner, g->outline.at[k], beside, g->outline.name[k], k == 0 && g->points.n == 0);
        emit_edge(b, l, g, k, side);
    }
    for (int k = 0; k + 1 < g->line.n; k++)
        sal_draw_edge(b, sal_line_corner(b, g->line, k), sal_line_corner(b, g->line, k + 1));
}
