/* report_frames.h - frames of a report in the making: what report_frames.c records of a run and report.c tells. */
#ifndef SAL_TOOLS_REPORT_FRAMES_H
#define SAL_TOOLS_REPORT_FRAMES_H

#include "tools/columns.h"
#include "tools/report.h"

/* Numbers of an item of the drawing, by name; those with two parts have two columns. */
#define NUMBER_LIST(X)                 \
    X(angle, state->angle)             \
    X(reference, state->reference)     \
    X(radius, state->radius)           \
    X(height, state->height)           \
    X(speed, state->speed)             \
    X(low, state->low)                 \
    X(high, state->high)               \
    X(placeX, state->place[0])         \
    X(placeY, state->place[1])         \
    X(directionX, state->direction[0]) \
    X(directionY, state->direction[1]) \
    X(forceX, state->force[0])         \
    X(forceY, state->force[1])         \
    X(torque, state->torque)           \
    X(friction, state->friction)       \
    X(rate, state->rate)               \
    X(holds, state->holds ? 1.0 : 0.0)

enum {
#define NUMBER_ENUM(name, value) NUMBER_##name,
    NUMBER_LIST(NUMBER_ENUM)
#undef NUMBER_ENUM
        NUMBERS
};

/* What is told of a named point: where it is and how fast, and the derivatives. */
typedef struct told_point {
    sal_point_info info;
    int            coordinate[2]; /* of a free point, else -1 */
    int            frame[2];      /* points that the body of a marker lies on, else -1 */
    sal_probe     *probe[2];      /* x and y, for derivatives */
    int            at, gradient;  /* columns: x, y, vx, vy; their derivatives, 4 for each parameter */
} told_point;

/* Runs with other parameters that go along, for central differences (report_differences.c). */
typedef struct differences differences;
/* For the wrt of the run of the session, whose values `value` tells. NULL: out of memory. */
differences *differences_open(const session *s, const sal_run_opts *opts, double step,
                              double (*value)(const session *s, const char *name));
void         differences_free(differences *d);
/* x, y, vx, vy of each point, outputs, costs: p columns each */
int  differences_columns(const differences *d);
void differences_set(differences *d, struct run_report *r, double t, int column);

struct run_report {
    const session   *s;
    const char      *scene;
    const sal_model *model;
    sal_model_info   info;
    int              p; /* parameters that it is differentiated by */
    columns         *columns;
    told_point      *points;
    int              npoints;
    int             *place;          /* [items] columns of its points that have no name, -1: none */
    int              items, numbers; /* columns: of the items */
    int              energy, outputs, reactions, costs;
    differences     *differences; /* NULL: none */
    int              compared;    /* column of the first */
    double          *gradient;    /* [p] workspace */
    double          *change;      /* [coordinates] workspace */
    cJSON           *events, *wrt, *study, *modes, *branch;
    long             segment;
    bool             full;   /* no more frames are told */
    bool             rest;   /* it is of an equilibrium */
    bool             failed; /* out of memory */
};

enum { COLUMN_TIME, COLUMN_SEGMENT, COLUMN_FIRST };
bool frames_open(run_report *r); /* gives every column its place; false: out of memory */
void frames_close(run_report *r);
void frames_add(run_report *r, const sal_run *run);        /* the state that the run shows */
void frames_add_before(run_report *r, const sal_run *run); /* the side before the event handled last */
/* An equilibrium that the run stands in, with the derivatives that it has as one. */
void frames_add_rest(run_report *r, const sal_run *run, const sal_equilibrium *e);
/* [x, y] of every named place when the coordinates move by `change` [n]; where nothing tells, null. */
cJSON *frames_tell_change(run_report *r, const double *change);
int    find_coordinate(const sal_model *model, const char *axis, const char *of); /* -1: it is none */

#endif
