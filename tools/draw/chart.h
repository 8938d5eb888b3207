/* chart.h - charts: panels below each other on one horizontal axis, with ticks at round numbers. */
#ifndef SAL_DRAW_CHART_H
#define SAL_DRAW_CHART_H

#include <stdio.h>

#include "tools/draw/list.h"

/* A line of a chart. Where a value is NaN it is interrupted; from the point before to the one behind it jumps. */
typedef struct chart_line {
    double (*at)[2];
    int         n, room;
    int         colour, dash;
    const char *label; /* NULL: it is not told */
} chart_line;

enum { PANEL_LINES = 64, CHART_PANELS = 40 };

typedef struct chart_panel {
    chart_line lines[PANEL_LINES];
    int        n;
} chart_panel;

/* Something at a place of the horizontal axis. */
typedef struct chart_mark {
    double      x;
    const char *name;   /* NULL: none */
    int         colour; /* -1: none of its own */
} chart_mark;

typedef struct chart {
    chart_panel *panels[CHART_PANELS];
    int          n;
    double       width, panel_height; /* [px] */
    const char  *x_label;
    bool         free_x; /* the axis follows the lines; else it is from from to to */
    double       from, to;
    chart_mark  *marks;
    int          nmarks, mark_room;
    const char  *runs[PALETTE * 3]; /* what the colours mean, where several runs are shown */
    int          nruns;
    char       **texts; /* of ticks */
    int          ntexts, text_room;
    bool         failed; /* out of memory */
} chart;

chart_panel *chart_add_panel(chart *c); /* NULL: no memory, or there are too many */
void         chart_add(chart *c, chart_line *l, double x, double y);
void         chart_add_mark(chart *c, double x, const char *name, int colour);
bool         chart_write(chart *c, FILE *f, const char *title); /* false: out of memory */
void         chart_free(chart *c);

#endif
