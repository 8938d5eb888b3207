/* symbols.h - kinematic symbols, after ISO 3952: from the items of a drawing to shapes of a display list.
 *
 * The shapes of a mechanism are the same in number and kind at all times (what is not there is hidden), so that those
 * of two times can be compared and animated. Symbols have a size on paper, a multiple of the unit; what has a size in
 * the world (lengths, radii) has that. */
#ifndef SAL_DRAW_SYMBOLS_H
#define SAL_DRAW_SYMBOLS_H

#include "tools/draw/list.h"
#include "tools/draw/stage.h"

/* Proportions in units. The unit is the radius of a joint, about 4 pixels; small links make it smaller. */
#define PIN_RADIUS     1.0  /* revolute joint: an open circle */
#define TIP_RADIUS     0.55 /* the same where it touches something */
#define BAR_WIDTH      1.3  /* half of it */
#define PLATE_WIDTH    1.3  /* round the points of a plate */
#define CENTRE_RADIUS  0.9  /* centre of mass: a quartered circle */
#define PULLEY_RADIUS  1.9  /* a rope goes over it */
#define MASS_RADIUS    1.5  /* point mass: a disc */
#define HATCH_SPACE    1.6  /* between lines at 45 degrees */
#define HATCH_DEPTH    2.2
#define SUPPORT_HEIGHT 3.4 /* fixed pivot: a triangle on a hatched line */
#define SUPPORT_WIDTH  2.3 /* half of it */
#define BLOCK_LENGTH   3.0 /* slider: half of the block */
#define BLOCK_HEIGHT   2.0
#define SPRING_COILS   8
#define SPRING_WIDTH   1.7 /* half of it */
#define DAMPER_WIDTH   1.7
#define PAIR_OFFSET    2.4 /* of a spring and its damper, from the line */
#define TEETH_SPACE    2.0 /* marks along a pitch circle, about */
#define TORQUE_RADIUS  3.8
#define FORCE_LENGTH   16.0 /* of the largest */
#define HEAD_LENGTH    2.0  /* of an arrow */
#define HEAD_WIDTH     0.8  /* half of it */
#define ANGLE_RADIUS   6.0
#define STOP_LENGTH    2.6 /* half of it */

typedef struct pen {
    list        *l;
    const stage *s;
    const frame *f;
    double       scale;           /* [px/m] */
    double       unit;            /* [px] */
    double       low[2], high[2]; /* what is seen [px], y up */
    double       newton;          /* length of a force [px/N]; 0: there is none */
    bool         forces;          /* those of contacts as well */
    bool         names;
} pen;

/* All shapes of the mechanism at the time of p->f. */
void   draw_mechanism(const pen *p);
double symbol_unit(const stage *s, double scale, double width); /* for a picture so wide [px] */
double largest_force(const stage *s, bool contacts);            /* at the times drawn [N] */

/* ------------------------------------------------------- the symbols of each kind, by the number of the item */

void draw_body(const pen *p, int item);
void draw_centre(const pen *p, int item);
void draw_rod(const pen *p, int item);
void draw_rope(const pen *p, int item);
void draw_disc(const pen *p, int item);
void draw_gear(const pen *p, int item);
void draw_rack(const pen *p, int item);
void draw_marks(const pen *p, int item);

void draw_spring(const pen *p, int item);
void draw_damper(const pen *p, int item);
void draw_torsion(const pen *p, int item);

void draw_pin(const pen *p, int item);
void draw_weld(const pen *p, int item);
void draw_slider(const pen *p, int item);
void draw_guide(const pen *p, int item); /* of a slider, behind everything */
void draw_limit(const pen *p, int item);
void draw_angle(const pen *p, int item);
void draw_supports(const pen *p); /* of all fixed points */
void draw_joints(const pen *p);   /* of all points where links meet */
/* How the support of a point is turned: its foot goes where the links do not, down if it can, else up or to a side. */
double support_angle(const role *r);

void draw_ground(const pen *p, int item);
void draw_curve(const pen *p, int item);
void draw_edge(const pen *p, int item);

void draw_force(const pen *p, int item);
void draw_torque(const pen *p, int item);
void draw_motor(const pen *p, int item);
void draw_contact(const pen *p, int item);
void draw_names(const pen *p);

/* Strokes at 45 degrees from a line between two points of the last path, on its right. */
void hatch(const pen *p, double x0, double y0, double x1, double y1);
/* The outline of convex circles round n points, radii r, as a path that is begun. */
void outline(const pen *p, const double (*at)[2], const double *r, int n);
int  body_colour(const pen *p, int element);

#endif
