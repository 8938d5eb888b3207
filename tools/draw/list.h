/* list.h - a display list: what a picture consists of, as paths, circles and texts.
 *
 * Coordinates are pixels of the picture with y up, before it is moved into its frame: lengths of the world times the
 * scale. A shape is drawn in coordinates of its own and put into place by a translation, a turn and a stretch along its
 * own x. What moves as a rigid body so has the same nodes at all times, and only its place changes: an animation is
 * small, whatever the shape. */
#ifndef SAL_DRAW_LIST_H
#define SAL_DRAW_LIST_H

#include <stdbool.h>

/* What a shape is drawn with: the writer knows the colours (svg.c), light and dark. */
typedef enum ink_id {
    INK_LINE,                 /* lines of symbols */
    INK_SOLID,                /* filled with the colour of lines */
    INK_PAPER,                /* filled with the background, outlined: joints */
    INK_HATCH,                /* thin: hatching */
    INK_GROUND,               /* the surface of what is solid */
    INK_FAINT,                /* thin and pale: guides, pitch circles, axes of a chart */
    INK_DASHED,               /* the same, dashed */
    INK_GRID,                 /* the grid of a chart */
    INK_SPRING,               /* springs and dampers, lines alone */
    INK_ROD,                  /* a rod without mass, a rope */
    INK_FORCE,                /* arrows: what acts */
    INK_HEAD,                 /* their heads */
    INK_TOUCH,                /* contacts */
    INK_NAME,                 /* texts: names */
    INK_NOTE,                 /* texts: scale, time */
    INK_BODY,                 /* the first of so many: bodies, filled lightly */
    INK_TRACE = INK_BODY + 7, /* the first of so many: paths, lines of a chart */
    INKS      = INK_TRACE + 7
} ink_id;
enum { PALETTE = 7 }; /* colours of bodies and of traces */

typedef enum node_kind { NODE_MOVE, NODE_LINE, NODE_ARC, NODE_CLOSE } node_kind;
typedef struct node {
    node_kind kind;
    double    x, y;
    double    r;     /* of an arc that ends here; positive: to the left of the way */
    bool      large; /* the arc is more than half a circle */
} node;

typedef struct pose {
    double x, y, angle; /* [px], [rad] anticlockwise */
    double stretch;     /* along its own x, before it is turned */
} pose;

typedef enum shape_kind { SHAPE_PATH, SHAPE_CIRCLE, SHAPE_TEXT } shape_kind;
typedef struct shape {
    shape_kind  kind;
    ink_id      ink;
    pose        place;
    bool        hidden;       /* at this time */
    int         first, count; /* nodes of a path */
    double      radius;       /* of a circle */
    const char *text;         /* lives as long as the model */
    int         anchor;       /* of a text: -1 begins, 0 is centred, 1 ends in its place */
    int         dash;         /* of a line: 0 none, else which pattern */
} shape;

typedef struct list {
    shape *shapes;
    int    nshapes, shape_room;
    node  *nodes;
    int    nnodes, node_room;
    bool   failed; /* out of memory */
} list;

void list_free(list *l);

/* A path that the next nodes belong to, in the coordinates of its place. */
void list_path(list *l, ink_id ink, pose place);
void list_move(list *l, double x, double y);
void list_line(list *l, double x, double y);
void list_arc(list *l, double r, bool large, double x, double y);
void list_close(list *l);
void list_circle(list *l, ink_id ink, pose place, double radius);
void list_text(list *l, ink_id ink, pose place, int anchor, const char *text);
/* A path through n places, those left out that are nearer than the tolerance to the lines between the others. */
void list_polyline(list *l, ink_id ink, const double (*at)[2], int n, double tolerance);
void list_dash(list *l, int dash);    /* the last shape */
void list_hide(list *l, bool hidden); /* the last shape, at this time */

pose place_at(double x, double y, double angle);
/* Where a point of a shape is in the picture. */
void place_apply(const pose *p, double x, double y, double out[2]);

#endif
