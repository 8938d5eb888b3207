/* svg.h - display lists as SVG: a file that stands alone, with its colours for light and dark. */
#ifndef SAL_DRAW_SVG_H
#define SAL_DRAW_SVG_H

#include <stdio.h>

#include "tools/draw/list.h"

/* The beginning and the end of a file: so wide and high [px]. Only the inks that the lists use get a style. */
void svg_begin(FILE *f, double width, double height, const char *title, const list *const *lists, int n);
void svg_end(FILE *f);

/* What is seen of the plane [px], y up, as a rectangle of the file whose upper left corner is at (x, y). What is beyond
 * is cut off. */
typedef struct window {
    double low[2], high[2];
    double x, y;
    double scale; /* [px/m], which the file then tells, with the place of the origin: data-scale, data-origin */
} window;
void svg_open_window(FILE *f, const window *w);
void svg_close_window(FILE *f);

/* The shapes of a list from the number `from` on, as they are. */
void svg_shapes(FILE *f, const window *w, const list *l, int from);
/* Those before the number `to`. */
void svg_first_shapes(FILE *f, const window *w, const list *l, int to);
/* Those alone that `other` has elsewhere, without texts. */
void svg_moved_shapes(FILE *f, const window *w, const list *l, const list *other);
/* How many of the first shapes are the same in all of n lists. */
int svg_same_shapes(const list *lists, int n);

/* The lists of n times, equally far apart, as a film of `seconds` that begins again and again. */
void svg_film(FILE *f, const window *w, const list *frames, int n, double seconds);

/* Text of a scene: &, <, > and quotes are escaped, control characters shown as ?. */
void svg_text(FILE *f, const char *text);
void svg_number(FILE *f, double x, int digits); /* without zeros that say nothing */

#endif
