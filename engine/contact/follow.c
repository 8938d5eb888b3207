/* follow.c - which parts of a polyline the contacts of a follower are with.
 *
 * A line may have thousands of segments and corners; a follower (a point, a disc, an edge of a body) can touch few of
 * them at once and has a contact for each of these only. Before events are looked for in a step, the parts that the
 * follower can reach in it are found, and contacts that are open are put to those that have none:
 *
 *     point, disc    its path in the step lies in a box: the Bernstein coefficients of the dense output bound it. A
 *                    part is within reach where it is no further from the box than the radius
 *     edge           no point of it moves further than its ends do, which is at most the diagonal of their boxes. A
 *                    corner is within reach where it is no further from the edge at the beginning of the step
 *
 * So no touch can be missed: what is not within reach cannot touch. Where more parts are within reach than there are
 * contacts the step must be shorter. Segments are in a tree of boxes, so that a search costs the logarithm of their
 * number. Contacts that are closed keep their part until they open; one that is open may change it at any time, since
 * nothing depends on it.
 *
 * Part i prefers contact i mod count, so that contacts keep their meaning: of stairs one is with all
 * treads, the other with all risers. */
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/contact/contact.h"

struct sal_line_tree {
    sal_box *box;    /* [2 leaves] of node k: those of 2k and 2k + 1; the root is 1, segment i is leaves + i */
    int      leaves; /* a power of two */
    double   size;   /* of the line and its distance from the origin: what distances are measured by */
};

static const sal_box nowhere = { { HUGE_VAL, HUGE_VAL }, { -HUGE_VAL, -HUGE_VAL } };

static const sal_follower *follower_at(const sal_system *s, int f)
{
    return &s->model->tables->followers.at[f];
}

sal_status sal_followers_init(sal_contacts *c, const sal_model *model, sal_pool *pool)
{
    const sal_tables *tables = model->tables;

    c->part    = SAL_NEW(pool, int, tables->touches.n);
    c->put     = SAL_NEW(pool, bool, tables->touches.n);
    c->tree    = SAL_NEW(pool, sal_line_tree, tables->lines.n);
    c->crowded = -1;
    for (int k = 0; k < tables->lines.n && c->tree; k++) {
        c->tree[k].leaves = 1;
        while (c->tree[k].leaves < tables->lines.at[k].n - 1) c->tree[k].leaves *= 2;
        c->tree[k].box = SAL_NEW(pool, sal_box, 2 * c->tree[k].leaves);
    }
    return pool->failed ? SAL_ERR_MEMORY : SAL_OK;
}

/* ------------------------------------------------------------------------------------------ boxes */

void sal_box_add(sal_box *box, double x, double y)
{
    box->low[0]  = fmin(box->low[0], x);
    box->low[1]  = fmin(box->low[1], y);
    box->high[0] = fmax(box->high[0], x);
    box->high[1] = fmax(box->high[1], y);
}

sal_box sal_box_empty(void)
{
    return nowhere;
}

static sal_box join(sal_box a, const sal_box *b)
{
    sal_box_add(&a, b->low[0], b->low[1]);
    sal_box_add(&a, b->high[0], b->high[1]);
    return a;
}

static bool apart(const sal_box *a, const sal_box *b)
{
    return a->low[0] > b->high[0] || b->low[0] > a->high[0] || a->low[1] > b->high[1] || b->low[1] > a->high[1];
}

static sal_box wider(sal_box box, double by)
{
    for (int k = 0; k < 2; k++) {
        box.low[k] -= by;
        box.high[k] += by;
    }
    return box;
}

static double diagonal(const sal_box *b)
{
    return hypot(b->high[0] - b->low[0], b->high[1] - b->low[1]);
}

/* p_i + alpha (p_j - p_i) + beta R (p_j - p_i) */
void sal_follower_place(const sal_system *s, sal_point point, double at[2])
{
    const sal_basis *b  = sal_basis_of(s->model->tables, point);
    const double    *z  = s->z;
    const double     dx = z[b->xj] - z[b->xi], dy = z[b->yj] - z[b->yi];

    at[0] = z[b->xi] + z[b->alpha] * dx - z[b->beta] * dy;
    at[1] = z[b->yi] + z[b->alpha] * dy + z[b->beta] * dx;
}

/* ------------------------------------------------------------------------------------------ parts */

/* Segment i: its direction, and its length. */
static double direction_of(const sal_system *s, const sal_line *line, int i, double e[2])
{
    const double dx = s->z[line->x[i + 1]] - s->z[line->x[i]], dy = s->z[line->y[i + 1]] - s->z[line->y[i]];
    const double length = hypot(dx, dy);

    e[0] = dx / length;
    e[1] = dy / length;
    return length;
}

/* Whether the line turns towards its free side there (> 0), away from it (< 0), or goes straight on; ends turn away. */
static double turn_at(const sal_system *s, const sal_line *line, int corner)
{
    double one[2], two[2];

    if (corner == 0 || corner == line->n - 1) return -1.0;
    direction_of(s, line, corner - 1, one);
    direction_of(s, line, corner, two);
    return one[0] * two[1] - one[1] * two[0];
}

/* How far beyond its end a contact goes on with a segment: in a corner that turns towards the free side what touches
 * stays on both segments, whatever rounding says. */
static double beyond(const sal_system *s, const sal_line *line, int corner)
{
    double e[2];

    if (!(turn_at(s, line, corner) > 0.0)) return 0.0;
    return SAL_INTO_CORNER * fmin(direction_of(s, line, corner - 1, e), direction_of(s, line, corner, e));
}

/* e and its derivatives into the slots at, at + 1; the derivatives of the length into `change`, if not NULL. */
static void put_direction(sal_system *s, sal_tangent *t, const sal_line *line, int i, double sign, sal_slot at,
                          double *change)
{
    double       e[2];
    const double length = direction_of(s, line, i, e);

    s->z[at]     = sign * e[0];
    s->z[at + 1] = sign * e[1];
    for (int c = 0; t && c < t->p; c++) {
        const double dx                = SAL_ROW(t->z, line->x[i + 1], t->p)[c] - SAL_ROW(t->z, line->x[i], t->p)[c];
        const double dy                = SAL_ROW(t->z, line->y[i + 1], t->p)[c] - SAL_ROW(t->z, line->y[i], t->p)[c];
        const double along             = e[0] * dx + e[1] * dy;
        SAL_ROW(t->z, at, t->p)[c]     = sign * (dx - e[0] * along) / length;
        SAL_ROW(t->z, at + 1, t->p)[c] = sign * (dy - e[1] * along) / length;
        if (change) change[c] = along;
    }
}

static void put_corner(sal_system *s, sal_tangent *t, const sal_line *line, int i, sal_slot at)
{
    s->z[at]     = s->z[line->x[i]];
    s->z[at + 1] = s->z[line->y[i]];
    if (!t) return;
    memcpy(SAL_ROW(t->z, at, t->p), SAL_ROW(t->z, line->x[i], t->p), sizeof(double) * (size_t)t->p);
    memcpy(SAL_ROW(t->z, at + 1, t->p), SAL_ROW(t->z, line->y[i], t->p), sizeof(double) * (size_t)t->p);
}

/* The numbers of a part into the slots of contact k of the follower. */
static void put_part(sal_system *s, sal_tangent *t, const sal_follower *f, int k, int i)
{
    const sal_line *line = &s->model->tables->lines.at[f->line];
    const sal_slot  at   = f->slots + SAL_PART_SLOTS * k;
    double          e[2];

    put_corner(s, t, line, i, at);
    if (f->follow.part == SAL_CORNERS) {
        const int before = i > 0 ? i - 1 : 0, after = i < line->n - 1 ? i : i - 1; /* at its ends a line turns back */
        put_direction(s, t, line, before, i > 0 ? 1.0 : -1.0, at + 2, NULL);
        put_direction(s, t, line, after, i < line->n - 1 ? 1.0 : -1.0, at + 4, NULL);
        return;
    }
    put_direction(s, t, line, i, 1.0, at + 2, t ? SAL_ROW(t->z, at + 5, t->p) : NULL);
    s->z[at + 4] = -beyond(s, line, i);
    s->z[at + 5] = direction_of(s, line, i, e) + beyond(s, line, i + 1);
}

void sal_followers_refresh(const sal_contacts *c, sal_system *s, sal_tangent *t)
{
    for (int f = 0; f < s->model->tables->followers.n; f++) {
        const sal_follower *x = follower_at(s, f);
        for (int k = 0; k < x->follow.contacts; k++) put_part(s, t, x, k, c->part[x->touch + k]);
    }
}

/* The transposed of put_direction: of e from corner i to the next, sign e- in direction [2], and of the length. */
static void pull_direction(const sal_system *s, const sal_line *line, int i, double sign, const double *direction,
                           double length_bar, double *z)
{
    double       e[2];
    const double length = direction_of(s, line, i, e), along = e[0] * direction[0] + e[1] * direction[1];

    for (int k = 0; k < 2; k++) {
        const double    bar = sign * (direction[k] - e[k] * along) / length + e[k] * length_bar;
        const sal_slot *at  = k ? line->y : line->x;
        z[at[i + 1]] += bar;
        z[at[i]] -= bar;
    }
}

/* That of put_part. */
static void pull_part(const sal_system *s, const sal_follower *f, int k, int i, double *z)
{
    const sal_line *line = &s->model->tables->lines.at[f->line];
    const sal_slot  at   = f->slots + SAL_PART_SLOTS * k;

    z[line->x[i]] += z[at];
    z[line->y[i]] += z[at + 1];
    if (f->follow.part == SAL_CORNERS) {
        const int before = i > 0 ? i - 1 : 0, after = i < line->n - 1 ? i : i - 1;
        pull_direction(s, line, before, i > 0 ? 1.0 : -1.0, z + at + 2, 0.0, z);
        pull_direction(s, line, after, i < line->n - 1 ? 1.0 : -1.0, z + at + 4, 0.0, z);
    } else pull_direction(s, line, i, 1.0, z + at + 2, z[at + 5], z);
    memset(z + at, 0, sizeof *z * SAL_PART_SLOTS);
}

void sal_followers_pull(const sal_contacts *c, const sal_system *s, double *z)
{
    for (int f = 0; f < s->model->tables->followers.n; f++) {
        const sal_follower *x = follower_at(s, f);
        for (int k = 0; k < x->follow.contacts; k++) pull_part(s, x, k, c->part[x->touch + k], z);
    }
}

/* ----------------------------------------------------------------------------------------- lines */

static sal_status build_tree(sal_contacts *c, sal_system *s, int l)
{
    const sal_line *line = &s->model->tables->lines.at[l];
    sal_line_tree  *tree = &c->tree[l];

    for (int k = 0; k < 2 * tree->leaves; k++) tree->box[k] = nowhere;
    tree->size = 0.0;
    for (int i = 0; i + 1 < line->n; i++) {
        sal_box *leaf = &tree->box[tree->leaves + i];
        sal_box_add(leaf, s->z[line->x[i]], s->z[line->y[i]]);
        sal_box_add(leaf, s->z[line->x[i + 1]], s->z[line->y[i + 1]]);
        for (int k = 0; k < 2; k++) tree->size = fmax(tree->size, fmax(fabs(leaf->low[k]), fabs(leaf->high[k])));
        if (!(diagonal(leaf) > 0.0))
            return sal_system_fail(s, SAL_ERR_SCENE, "%s: the corners %d and %d of a line are the same, (%g, %g)",
                                   s->model->tables->file, i + 1, i + 2, s->z[line->x[i]], s->z[line->y[i]]);
    }
    for (int k = tree->leaves - 1; k > 0; k--) tree->box[k] = join(tree->box[2 * k], &tree->box[2 * k + 1]);
    return SAL_OK;
}

sal_status sal_followers_set_lines(sal_contacts *c, sal_system *s)
{
    const sal_tables *tables = s->model->tables;
    sal_status        status = SAL_OK;

    for (int l = 0; l < tables->lines.n && status == SAL_OK; l++) status = build_tree(c, s, l);
    for (int f = 0; f < tables->followers.n; f++) {
        const sal_follower *x = follower_at(s, f);
        for (int k = 0; k < x->follow.contacts; k++) c->part[x->touch + k] = k;
    }
    return status;
}

/* ----------------------------------------------------------------------------------------- reach */

/* How far a place is from the segment from p to q. */
static double distance_from(const double at[2], const double p[2], const double q[2])
{
    const double dx = q[0] - p[0], dy = q[1] - p[1], square = dx * dx + dy * dy;
    const double ux = at[0] - p[0], uy = at[1] - p[1];
    const double part = square > 0.0 ? fmin(fmax((ux * dx + uy * dy) / square, 0.0), 1.0) : 0.0;

    return hypot(ux - part * dx, uy - part * dy);
}

static double radius_of(const sal_system *s, const sal_follower *f)
{
    return f->follow.radius == SAL_NONE ? 0.0 : s->z[f->follow.radius];
}

/* What e . (P - A) can be for P in the box, from A = corner i on. */
static void range_along(const sal_system *s, const sal_line *line, int i, const sal_box *box, const double e[2],
                        double *least, double *most)
{
    const double x    = 0.5 * (box->low[0] + box->high[0]) - s->z[line->x[i]];
    const double y    = 0.5 * (box->low[1] + box->high[1]) - s->z[line->y[i]];
    const double half = 0.5 * (fabs(e[0]) * (box->high[0] - box->low[0]) + fabs(e[1]) * (box->high[1] - box->low[1]));

    *least = e[0] * x + e[1] * y - half;
    *most  = e[0] * x + e[1] * y + half;
}

/* Whether a point of the box may lie over the segment, no further from it than `near`, give or take `on`. */
static bool reaches_segment(const sal_system *s, const sal_line *line, int i, const sal_box *box, double near,
                            double on)
{
    double       e[2], least, most;
    const double length = direction_of(s, line, i, e), n[2] = { -e[1], e[0] };

    range_along(s, line, i, box, e, &least, &most);
    if (most < -beyond(s, line, i) - on || least > length + beyond(s, line, i + 1) + on) return false;
    range_along(s, line, i, box, n, &least, &most);
    return least <= near && most >= -near;
}

/* The same of a disc and a corner: from where the segments on both sides let it go on round the corner. */
static bool reaches_round(const sal_system *s, const sal_line *line, int i, const sal_box *box, double near, double on)
{
    const double dx = fmax(fmax(box->low[0] - s->z[line->x[i]], s->z[line->x[i]] - box->high[0]), 0.0);
    const double dy = fmax(fmax(box->low[1] - s->z[line->y[i]], s->z[line->y[i]] - box->high[1]), 0.0);
    double       e[2], least, most;

    if (hypot(dx, dy) > near) return false;
    if (i > 0) {
        direction_of(s, line, i - 1, e);
        range_along(s, line, i, box, e, &least, &most);
        if (most < -on) return false;
    }
    if (i < line->n - 1) {
        direction_of(s, line, i, e);
        range_along(s, line, i, box, e, &least, &most);
        if (least > on) return false;
    }
    return true;
}

static bool reaches_corner(const sal_system *s, const sal_follower *f, const sal_line *line, int i,
                           const sal_reach *reach, double near, double on)
{
    const double at[2] = { s->z[line->x[i]], s->z[line->y[i]] };

    if (!(turn_at(s, line, i) < 0.0)) return false;
    if (!f->follow.edge) return reaches_round(s, line, i, &reach->box[0], near, on);
    return distance_from(at, reach->at[0], reach->at[1]) <=
           near + fmax(diagonal(&reach->box[0]), diagonal(&reach->box[1]));
}

/* The parts within reach; room + 1 where there are more than `room`. */
static int find_parts(const sal_contacts *c, const sal_system *s, const sal_follower *f, const sal_reach *reach,
                      int *list, int room)
{
    enum { DEPTH = 64 };
    const sal_line_tree *tree = &c->tree[f->line];
    const sal_line      *line = &s->model->tables->lines.at[f->line];
    const double         on = SAL_TOUCHING * (tree->size + radius_of(s, f)), near = radius_of(s, f) + on;
    const sal_box        box = wider(f->follow.edge ? join(reach->box[0], &reach->box[1]) : reach->box[0], near);
    int                  stack[DEPTH] = { 1 }, open = 1, count = 0;

    while (open > 0) {
        const int k = stack[--open], i = k - tree->leaves;
        if (apart(&box, &tree->box[k])) continue;
        if (k < tree->leaves) {
            stack[open++] = 2 * k + 1;
            stack[open++] = 2 * k;
            continue;
        }
        for (int part = i; part <= i + (i == line->n - 2 && f->follow.part == SAL_CORNERS); part++) {
            const bool within = f->follow.part == SAL_SEGMENTS ? reaches_segment(s, line, i, &reach->box[0], near, on)
                                                               : reaches_corner(s, f, line, part, reach, near, on);
            if (!within) continue;
            if (count == room) return room + 1;
            list[count++] = part;
        }
    }
    return count;
}

static bool is_in(const int *list, int n, int part)
{
    for (int k = 0; k < n; k++) {
        if (list[k] == part) return true;
    }
    return false;
}

bool sal_follower_take(sal_contacts *c, sal_system *s, sal_tangent *t, int follower, const sal_reach *reach)
{
    enum { MOST = 8 };
    const sal_follower *f     = follower_at(s, follower);
    const int           count = f->follow.contacts;
    int                *part  = c->part + f->touch, list[MOST];
    const int           n     = find_parts(c, s, f, reach, list, count);

    SAL_ASSERT(count <= MOST);
    c->crowded = n > count ? follower : -1;
    for (int i = 0; i < n && c->crowded < 0; i++) {
        int k = 0;
        if (is_in(part, count, list[i])) continue;
        for (; k < count; k++) {
            const int at = (list[i] + k) % count;
            if (sal_contact_holds(s, f->touch + at) || is_in(list, n, part[at])) continue;
            part[at]              = list[i];
            c->put[f->touch + at] = true;
            put_part(s, t, f, at, list[i]);
            break;
        }
        if (k == count) c->crowded = follower;
    }
    return c->crowded < 0;
}

/* ----------------------------------------------------------------------------------------- start */

sal_reach sal_follower_at(const sal_system *s, int follower)
{
    const sal_follow *f     = &follower_at(s, follower)->follow;
    sal_reach         reach = { .box = { nowhere, nowhere } };

    for (int k = 0; k <= f->edge; k++) {
        sal_follower_place(s, f->points[k], reach.at[k]);
        sal_box_add(&reach.box[k], reach.at[k][0], reach.at[k][1]);
    }
    return reach;
}

/* The part of the line nearest to a follower that none of its contacts before k has. */
static int nearest_part(const sal_contacts *c, const sal_system *s, int follower, int k)
{
    const sal_follower *f     = follower_at(s, follower);
    const sal_line     *line  = &s->model->tables->lines.at[f->line];
    const sal_reach     reach = sal_follower_at(s, follower);
    double              least = HUGE_VAL;
    int                 best  = k;

    for (int i = 0; i < line->n - (f->follow.part == SAL_SEGMENTS); i++) {
        const int    j    = f->follow.part == SAL_SEGMENTS ? i + 1 : i;
        const double p[2] = { s->z[line->x[i]], s->z[line->y[i]] }, q[2] = { s->z[line->x[j]], s->z[line->y[j]] };
        const double away =
            f->follow.edge ? distance_from(p, reach.at[0], reach.at[1]) : distance_from(reach.at[0], p, q);
        if (!(away < least) || is_in(c->part + f->touch, k, i)) continue;
        least = away;
        best  = i;
    }
    return best;
}

bool sal_followers_start(sal_contacts *c, sal_system *s, sal_tangent *t)
{
    for (int f = 0; f < s->model->tables->followers.n; f++) {
        const sal_follower *x     = follower_at(s, f);
        const sal_reach     reach = sal_follower_at(s, f);
        for (int k = 0; k < x->follow.contacts; k++) {
            c->part[x->touch + k] = nearest_part(c, s, f, k);
            put_part(s, t, x, k, c->part[x->touch + k]);
        }
        if (!sal_follower_take(c, s, t, f, &reach)) return false;
    }
    return true;
}
