/* stage.h - a mechanism to be drawn: its items (sal_model_drawing), what they are at the times that are drawn, and what
 * the points mean: which are joints, fixed, can touch. */
#ifndef SAL_DRAW_STAGE_H
#define SAL_DRAW_STAGE_H

#include "engine/saltus.h"

/* What the drawing makes of a point of the scene. */
typedef struct role {
    bool   fixed;      /* it does not move, or as a function of time */
    int    links;      /* bodies and rods that end there, or are pinned there */
    bool   pinned;     /* by a joint */
    bool   springs;    /* springs or dampers end there */
    bool   touches;    /* it can touch something */
    bool   slides;     /* it carries a block */
    bool   disc;       /* it is the centre of one */
    bool   follows;    /* another point of a pin, drawn already */
    double towards[2]; /* sum of the directions in which links leave, at the first time */
} role;

enum { CURVE_SAMPLES = 240 };

typedef struct frame {
    double t;                 /* [s] */
    double (*at)[2];          /* places of the points of all items [m] */
    sal_drawing_state *state; /* of each item */
    double            *curve; /* heights of items that have curves, CURVE_SAMPLES each */
} frame;

typedef struct stage {
    const sal_model *model;
    int              n; /* items */
    sal_drawing     *items;
    int             *first; /* [n] of its points in frame.at */
    int             *curve; /* [n] which of the curves, -1: none */
    int              points, curves;
    role            *roles; /* by sal_model_point */
    int              nroles;
    frame           *frames;
    int              nframes, room;
    double           low[2], high[2]; /* of what is drawn at the times so far [m]; low > high: nothing */
    double           domain[2];       /* x of the curves, from and to [m] */
} stage;

/* False: out of memory; stage_close frees what there is. */
bool stage_open(stage *s, const sal_model *model);
void stage_close(stage *s);

/* What the run shows is drawn, too. */
bool stage_add(stage *s, const sal_run *run);
void stage_find_roles(stage *s); /* once the first frame is there */

/* Extends the box by what the run shows, without adding a frame; by a place. */
bool stage_cover(stage *s, const sal_run *run);
void stage_extend(stage *s, double x, double y);
void stage_cover_forces(stage *s, bool contacts, double newton); /* and by arrows of so many metres a newton */
void stage_cover_lines(stage *s); /* and by what is near of the polylines that do not move */

/* The foot of the perpendicular from a place to straight ground, both in metres times the scale. */
void stage_foot(const sal_drawing_state *ground, double scale, double *x, double *y);

/* The places of the points of an item. */
const double (*stage_at(const stage *s, const frame *f, int item))[2];
const role *stage_role(const stage *s, int item, int point); /* NULL: it has no name */

#endif
