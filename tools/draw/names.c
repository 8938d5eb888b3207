/* names.c - names of points, beside them. */
#include <math.h>
#include <stdlib.h>

#include "tools/draw/symbols.h"

/* A text in a direction from a place. */
static void draw_name(const pen *p, double x, double y, const double u[2], double away, const char *text)
{
    const double dx = u[0] * away, dy = u[1] * away;
    const int    anchor = u[0] > 0.35 ? -1 : u[0] < -0.35 ? 1 : 0;

    list_text(p->l, INK_NAME, place_at(x + dx, y + dy - 4.0, 0.0), anchor, text);
}

/* Away from where links leave; beside a support, not on its foot. */
static void direction_for(const role *r, double u[2])
{
    const double length = hypot(r->towards[0], r->towards[1]);

    u[0] = length > 0.3 ? -r->towards[0] / length : 0.7;
    u[1] = length > 0.3 ? -r->towards[1] / length : 0.7;
    if (r->fixed) {
        const double angle = support_angle(r), foot[2] = { sin(angle), -cos(angle) };
        if (u[0] * foot[0] + u[1] * foot[1] < 0.3) return;
        u[0] = 0.8 * fabs(foot[1]) - 0.6 * foot[0];
        u[1] = 0.8 * fabs(foot[0]) - 0.6 * foot[1];
    }
}

void draw_names(const pen *p)
{
    bool          *done = calloc((size_t)p->s->nroles + 1, sizeof *done);
    sal_point_info info;

    if (!done) p->l->failed = true;
    for (int k = 0; k < p->s->n && done; k++) {
        const sal_drawing *d = &p->s->items[k];
        const double(*at)[2] = stage_at(p->s, p->f, k);
        for (int i = 0; i < d->npoints; i++) {
            double u[2];
            if (d->points[i] < 0 || done[d->points[i]]) continue;
            if (d->kind == SAL_DRAW_SLIDER && i > 0) continue; /* of its guide */
            done[d->points[i]] = true;
            sal_model_point(p->s->model, d->points[i], &info);
            direction_for(&p->s->roles[d->points[i]], u);
            draw_name(p, p->scale * at[i][0], p->scale * at[i][1], u, 2.2 * p->unit + 3.0, info.name);
        }
    }
    free(done);
}
