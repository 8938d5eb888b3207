/* line.h - ground that is a polyline: stairs, curbs, walls, terrain. */
#ifndef SAL_CONTACTS_LINE_H
#define SAL_CONTACTS_LINE_H

#include "contacts/law.h"

typedef struct line_ground {
    sal_line    line;
    sal_points  points;  /* that can touch, discs where there is a radius */
    sal_points  outline; /* of a body: its corners touch the line, its edges the corners of the line */
    sal_points  closed;
    sal_slot    radius, speed;
    const char *body; /* that a disc turns with */
    bool        discs;
} line_ground;

void line_emit(sal_builder *b, const law *l, const line_ground *g);

#endif
