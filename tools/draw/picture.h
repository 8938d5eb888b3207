/* picture.h - a picture of a mechanism: at one time, at several over each other or side by side, or as a film. */
#ifndef SAL_DRAW_PICTURE_H
#define SAL_DRAW_PICTURE_H

#include <stdio.h>

#include "tools/draw/svg.h"
#include "tools/draw/symbols.h"

typedef enum layout_id { LAYOUT_OVER, LAYOUT_STRIP, LAYOUT_FILM } layout_id;

typedef struct traced_path {
    double (*at)[2]; /* [m] */
    int n;
} traced_path;

enum { MOST_TIMES = 200, MOST_PATHS = 50 };

typedef struct picture {
    stage       stage; /* with a frame for each time */
    layout_id   layout;
    double      width;             /* of the file [px] */
    double      times[MOST_TIMES]; /* [s] */
    int         ntimes;
    traced_path paths[MOST_PATHS]; /* that are drawn as well */
    int         npaths;
    double      end;    /* of the run, as far as it was followed [s] */
    double     *events; /* when they happened [s] */
    int         nevents, event_room;
    double      speed, seconds; /* of the film */
    bool        names, forces;

    int    hold; /* frames at the end of the film where nothing moves */
    pen    pen;
    window view; /* of one panel */
    int    columns;
    list  *lists;  /* of each frame */
    list   traced; /* the paths */
} picture;

bool picture_write(picture *p, FILE *f, const char *title); /* false: out of memory */
void picture_free(picture *p);

#endif
