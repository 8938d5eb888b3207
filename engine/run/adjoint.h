/* adjoint.h - between the files of the adjoint of a run: what is kept of the run, and the sweep back over it.
 *
 * A run is a product of linear maps of derivatives: start, steps (stages, projection), instants at which events happen,
 * end. The sweep applies their transposes from the end to the beginning, to the cotangents of
 *
 *     w = [q | v],     memory,     the weights by which rows share,     and all other slots of z
 *
 * of each cost at once. Slots collect what they contribute; values hand it on to parameters at the very end. So what
 * is swept does not grow with the number of parameters. */
#ifndef SAL_RUN_ADJOINT_H
#define SAL_RUN_ADJOINT_H

#include "engine/base/vector.h"
#include "engine/run/run.h"

/* ------------------------------------------------------------------------------------------ tape */

enum { SAL_TAPE_CHUNK = 32 }; /* steps that memory is taken for at once */

typedef struct sal_instant {
    int            step;   /* it comes after so many steps */
    unsigned char *moment; /* of the run, before the first event there */
} sal_instant;

typedef struct sal_tape { /* a piece of a run */
    sal_pool pool;
    size_t   width;  /* of a step: t, h, y0 = [q | v] */
    size_t   moment; /* bytes */
    SAL_VEC(double *) chunk;
    int steps;
    SAL_VEC(sal_instant) instant;
    size_t bytes;
} sal_tape;

void          sal_tape_init(sal_tape *tape, const sal_run *run);
void          sal_tape_clear(sal_tape *tape);
const double *sal_tape_step(const sal_tape *tape, int k);
/* After a step or an event of the run, as sal_simulate tells them. SAL_OK or SAL_ERR_MEMORY. */
sal_status sal_tape_take(sal_tape *tape, const sal_run *run, bool event);

typedef struct sal_checkpoint {
    sal_pool       pool;
    long           step;
    unsigned char *moment;
} sal_checkpoint;

/* ----------------------------------------------------------------------------------------- sweep */

enum { SAL_STEP_T, SAL_STEP_H, SAL_STEP_Y }; /* places in a step of the tape */

/* What a cost reads at a single instant within a step: its peak, or its value at a given time. */
typedef struct sal_look {
    int                column;
    double             time;
    sal_slot           at; /* that it stands in; SAL_NONE: a peak, whose place is where its rate is zero */
    const sal_program *program;
    bool               taken, at_start;
} sal_look;

struct sal_adjoint {
    sal_context     *context;
    sal_pool         pool;
    const sal_model *model;
    sal_run         *run; /* whose motion is kept */
    int              p;
    const char     **name;            /* [p] */
    sal_wrt         *wrt;             /* [p] */
    int             *moving, nmoving; /* of them, those that are parameters */
    int             *of_knot;         /* [knots] which of the names a knot of a vector is, -1: none; NULL: none are */
    bool             prescribes;      /* something that is prescribed is such a function of time */
    sal_slot        *reach, nreach;   /* slots through which they act, if these are fewer */
    sal_slot        *window, nwindow; /* those through which knots do */
    int             *starting, nstarting; /* those that where the run starts depends on */
    int              costs;
    const sal_cost **goal; /* [costs] */
    int             *cost; /* [costs] which of the scene it is; -1: a value at the end, of a study's own */
    sal_cost        *at_end;
    double          *part; /* [costs] what integrals count with: 1, of averages 1 over the time */

    /* what is kept */
    size_t   room;     /* bytes that may be; 0: as many as it takes */
    sal_tape tape;     /* of the whole run, or of the piece that has been made again */
    bool     complete; /* it is that of the whole run */
    SAL_VEC(sal_checkpoint *) checkpoint;
    long           every;   /* steps between checkpoints */
    long           steps;   /* of the run */
    long           remade;  /* steps that were made again to get at states that were not kept */
    unsigned char *end;     /* the moment there */
    uint64_t       origin;  /* of its start and parameters */
    bool           started; /* told from its start on... */
    bool           ended;   /* ...to its end */
    bool           told;    /* an event has just been told */
    bool           happens; /* events do */
    double         in_line; /* when links came into line, where forces inside are left out; NaN: they did not */
    bool           shared;  /* at some time rows shared what is not determined */
    sal_status     status;  /* while keeping */
    size_t         most;    /* bytes kept at once */

    /* the sweep */
    sal_run      *echo;            /* goes where the run has been; may look along directions, its columns */
    int           echo_room;       /* how many at most */
    sal_run      *again;           /* makes pieces again */
    int          *all;             /* [p] 0, 1, ... */
    sal_look     *look;            /* [looks] of costs that read single instants */
    int           looks, *looking; /* [looks] those of the step that is swept, at theta of it */
    double       *theta, *onto;    /* [2n] what is read there is projected */
    int           columns;         /* costs, and one for conditions */
    int           live;
    sal_pullback *bar;        /* [columns] */
    double       *w, *before; /* [columns][2n] */
    double       *memory;     /* [columns][memory + m] cotangents before an instant, of memory and weights */
    double       *end_bar;    /* [columns] of the time of the end */
    double       *a, *lambda; /* [n], [m] workspace */
    double       *y1;         /* [2n] end of the step */
    double       *work;
    double       *share_start; /* [m][p] see sal_chosen_start; NULL: nothing is shared */
    double       *gradient;    /* [columns][p] */
    sal_stepper   stepper;
    double  grown[2][2][2]; /* what the steps swept last make of violations of constraints, with Phi and by rates */
    double *sums;           /* [columns of the echo] */
    bool    conditions;     /* there are such */
    char    condition[200]; /* the first */
    double  condition_size; /* what they are measured by [s] */
    char    note[256];
};

/* Columns of the echo at an instant: unit directions of q, v, memory and weights, then of parameters or of the slots
 * through which these act. */
int  sal_adjoint_directions(const sal_adjoint *a);
bool sal_adjoint_by_slots(const sal_adjoint *a);

/* For studies: as sal_adjoint_create, with values at the end of the run behind the costs; with no others if none of the
 * scene are named. */
sal_status sal_adjoint_create_with(sal_run *run, const sal_adjoint_opts *opts, const sal_program *const *at_end,
                                   int count, sal_adjoint **adjoint);

/* From now on the echo has p columns: 0 for the motion alone. */
void       sal_adjoint_look_along(sal_adjoint *a, int p);
sal_status sal_adjoint_fail(sal_adjoint *a, sal_status status, const char *format, ...) SAL_PRINTF(3, 4);
/* adjoint_start.c: what the sweep works with, once; whether settings of the integrator depend on what is asked for, by
 * the values of a run; the echo, at the start. */
sal_status sal_adjoint_allocate(sal_adjoint *a);
sal_status sal_adjoint_check_settings(sal_adjoint *a, sal_run *run);
sal_status sal_adjoint_begin(sal_adjoint *a);
sal_status sal_adjoint_end(sal_adjoint *a); /* adjoint_step.c: the cotangents there */
sal_status sal_adjoint_steps(sal_adjoint *a, const sal_tape *tape, int from, int to);
sal_status sal_adjoint_instant(sal_adjoint *a, const sal_instant *at); /* adjoint_event.c */
/* The projection of y at t onto what it became, of all columns, with the factors at y. */
sal_trial sal_adjoint_project(sal_adjoint *a, double t, const double *y, const double *onto, double *w);
/* adjoint_look.c: what costs read at single instants of the run told. SAL_ERR_NUMBER: at one that is in no step. */
sal_status sal_adjoint_find_looks(sal_adjoint *a);
int        sal_adjoint_looks_in(sal_adjoint *a, double t, double h); /* of a step: into looking and theta */
sal_trial  sal_adjoint_look(void *self, int which, double t, const double *y, double *w);
bool       sal_adjoint_all_looked(const sal_adjoint *a);
bool       sal_adjoint_looks_at_start(const sal_adjoint *a);
sal_status sal_adjoint_look_at_start(sal_adjoint *a); /* the echo is there */
/* The peak that a cost has at the end of the run; NULL: none there. */
const sal_program *sal_adjoint_peak_at_end(const sal_adjoint *a, int column);
sal_status         sal_adjoint_start(sal_adjoint *a); /* from cotangents to gradients */

#endif
