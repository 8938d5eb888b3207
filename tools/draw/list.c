/* list.c - display lists. */
#include "tools/draw/list.h"

#include <math.h>
#include <stdlib.h>

void list_free(list *l)
{
    free(l->shapes);
    free(l->nodes);
    *l = (list){ 0 };
}

/* Room for one more; the array, or NULL. */
static void *grow(list *l, void *array, int n, int *room, size_t size)
{
    void *more;

    if (n < *room) return array;
    more = realloc(array, (size_t)(2 * n + 16) * size);
    if (!more) return l->failed = true, NULL;
    *room = 2 * n + 16;
    return more;
}

static void add_shape(list *l, shape s)
{
    shape *all = grow(l, l->shapes, l->nshapes, &l->shape_room, sizeof *all);

    if (!all) return;
    s.first                 = l->nnodes;
    l->shapes               = all;
    l->shapes[l->nshapes++] = s;
}

static void add_node(list *l, node n)
{
    node *all = grow(l, l->nodes, l->nnodes, &l->node_room, sizeof *all);

    if (!all || l->nshapes == 0) return;
    l->nodes              = all;
    l->nodes[l->nnodes++] = n;
    l->shapes[l->nshapes - 1].count++;
}

void list_path(list *l, ink_id ink, pose place)
{
    add_shape(l, (shape){ .kind = SHAPE_PATH, .ink = ink, .place = place });
}

void list_move(list *l, double x, double y)
{
    add_node(l, (node){ NODE_MOVE, x, y });
}

void list_line(list *l, double x, double y)
{
    add_node(l, (node){ NODE_LINE, x, y });
}

void list_arc(list *l, double r, bool large, double x, double y)
{
    add_node(l, (node){ NODE_ARC, x, y, r, large });
}

void list_close(list *l)
{
    add_node(l, (node){ NODE_CLOSE });
}

void list_circle(list *l, ink_id ink, pose place, double radius)
{
    add_shape(l, (shape){ .kind = SHAPE_CIRCLE, .ink = ink, .place = place, .radius = radius });
}

void list_text(list *l, ink_id ink, pose place, int anchor, const char *text)
{
    add_shape(l, (shape){ .kind = SHAPE_TEXT, .ink = ink, .place = place, .anchor = anchor, .text = text });
}

/* The distance of c from the segment from a to b. */
static double distance_to(const double a[2], const double b[2], const double c[2])
{
    const double x = b[0] - a[0], y = b[1] - a[1], length2 = x * x + y * y;
    double       t = length2 > 0.0 ? ((c[0] - a[0]) * x + (c[1] - a[1]) * y) / length2 : 0.0;

    t = fmax(0.0, fmin(1.0, t));
    return hypot(c[0] - a[0] - t * x, c[1] - a[1] - t * y);
}

/* Douglas and Peucker: the farthest place from the line between two that are kept is kept, too. Recursion goes into the
 * shorter part, and on with the longer one: it is not deeper than log2(n). */
static void mark_kept(const double (*at)[2], int from, int to, double tolerance, bool *kept)
{
    while (to - from > 1) {
        double worst = tolerance;
        int    which = -1;
        for (int k = from + 1; k < to; k++) {
            const double d = distance_to(at[from], at[to], at[k]);
            if (d > worst) {
                worst = d;
                which = k;
            }
        }
        if (which < 0) return;
        kept[which] = true;
        if (which - from < to - which) {
            mark_kept(at, from, which, tolerance, kept);
            from = which;
        } else {
            mark_kept(at, which, to, tolerance, kept);
            to = which;
        }
    }
}

void list_polyline(list *l, ink_id ink, const double (*at)[2], int n, double tolerance)
{
    bool *kept = n > 0 ? calloc((size_t)n, sizeof *kept) : NULL;

    if (!kept) {
        l->failed = l->failed || n > 0;
        return;
    }
    kept[0] = kept[n - 1] = true;
    mark_kept(at, 0, n - 1, tolerance, kept);
    list_path(l, ink, place_at(0.0, 0.0, 0.0));
    for (int k = 0; k < n; k++) {
        if (kept[k]) add_node(l, (node){ k ? NODE_LINE : NODE_MOVE, at[k][0], at[k][1] });
    }
    free(kept);
}

void list_dash(list *l, int dash)
{
    if (l->nshapes) l->shapes[l->nshapes - 1].dash = dash;
}

void list_hide(list *l, bool hidden)
{
    if (l->nshapes) l->shapes[l->nshapes - 1].hidden = hidden;
}

pose place_at(double x, double y, double angle)
{
    return (pose){ x, y, angle, 1.0 };
}

void place_apply(const pose *p, double x, double y, double out[2])
{
    const double c = cos(p->angle), s = sin(p->angle), u = p->stretch * x;

    out[0] = p->x + c * u - s * y;
    out[1] = p->y + s * u + c * y;
}
