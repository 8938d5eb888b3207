/* run/ - a simulation: the start, the loop over steps, finding events, what events do, sensitivities through them, and
 * reading all of it. */
#ifndef SAL_RUN_H
#define SAL_RUN_H

#include "engine/contact/contact.h"
#include "engine/motion/motion.h"
#include "engine/steppers/stepper.h"
#include "engine/run/roots.h"

/* What an event function does at the beginning of a step: how many of its roots are known there. */
typedef enum sal_arming {
    SAL_ARMED,   /* away from zero: none */
    SAL_LEAVING, /* on zero, with a rate: one */
    SAL_SLOW     /* on zero, with no rate to speak of: two; or more, of contacts, which are looked for below zero */
} sal_arming;

typedef struct sal_pending { /* the event at the end of the step, not yet handled, or one that has just been */
    int    event;            /* -1: none */
    bool   grazing;
    bool   steep; /* it crosses fast enough for its time to have derivatives */
    bool   again; /* it crossed together with an event that has been handled, and does not any more because of that */
    double rate;
    double value; /* of its function: zero but for rounding */
} sal_pending;

/* An event function that crosses at the instant of the pending event as well: it happens too, once, in the order of the
 * scene, whatever those before it do to its function. */
typedef struct sal_due {
    bool   due, steep;
    double rate;
} sal_due;

typedef struct sal_candidate { /* the first root of an event function in the step */
    int    event;
    double theta;
    int    before, after; /* as in sal_root */
    double since;         /* it has the sign of `before` from here on */
} sal_candidate;

/* hop.c: a gap that is followed by its rate. */
typedef struct sal_hop {
    bool   on;                /* events are looked for by it */
    bool   follows;           /* it is only kept, for the next event */
    double since;             /* how long it has been followed */
    double value, rate, bend; /* the gap at the beginning of the step, by its rates, and these */
    double zero, slow;        /* within which it is zero, and has no rate */
} sal_hop;

/* events.c, arm.c, find.c: event functions and what is known of them. Arrays are [events]. */
typedef struct sal_finder {
    sal_arming    *arming;
    double        *tolerance; /* within which the function is zero; grows with the numbers it is made of */
    double        *below;     /* zero: where what began there, slowly, is looked for; < 0: above */
    bool          *risen;     /* it has been well above zero in the step, and is looked for at zero after that */
    double        *noise;     /* of the function, as found while searching in the present mode */
    double        *located;   /* what a gap may be away from zero at the instant of an event */
    sal_hop       *hop;
    double         ahead;   /* of the beginning of the step: where the system is */
    bool          *held;    /* what holds now keeps the function at zero: it is not searched */
    bool          *handled; /* it has happened at this instant, and has been crossing ever since */
    sal_due       *due;
    sal_pending    pending;
    int            passing; /* event that counts as having happened: not looked for until its function, */
    double         passed;  /* this at first, has changed its sign; -1: none */
    sal_candidate *candidates;
    double        *sample; /* [events][samples of a step] */
    double        *places; /* [followers][2 points][2 axes][samples] */
    sal_fit        fit[2]; /* of the degree of the dense output; higher, for functions that are no such polynomial */
    long           pieces; /* that the step may still be searched in */
} sal_finder;

/* kinks.c: rows whose formula decides something by places, by which it may jump; and one of them at a place. */
typedef struct sal_kinked {
    const sal_program *program; /* Phi */
    int                row;
    const int         *node; /* [nodes] those that decide */
    int                nodes;
} sal_kinked;

typedef struct sal_curve_state {
    double   theta; /* of the step */
    uint64_t decision;
    double   phi, rate;
} sal_curve_state;

typedef struct sal_kinks {
    sal_kinked *curve;
    int         n;
} sal_kinks;

/* loop.c: what the caller sees: one instant, all of it, so that readers need nothing else. [nz] slots in z, zd, zdd
 * with q, v, a in front; derivatives [.][all]. */
typedef struct sal_shown {
    double      t;
    double     *z, *zd, *zdd, *lambda, *cost;
    double     *mean; /* [costs] of those that are averages */
    double     *dz, *dzd, *dzdd, *dlambda, *dcost;
    double     *lambda_rate; /* [m] at an end that moves */
    double     *work;        /* [works.smooth] */
    double     *tau_end;     /* as the run's */
    double     *columns;     /* [costs][p] workspace */
    bool        fresh;       /* what does not change in a run has not been shown yet */
    int        *moving;      /* [nz] the slots whose rows change */
    int         nmoving;
    sal_tangent tangent; /* p and mass, as readers see them */
} sal_shown;

/* act.c: the event handled last: what was just before it, and what it did. The state after it is the run's. */
typedef struct sal_event_record {
    sal_event_info info;
    sal_pending    pending;                              /* as it was found */
    sal_row_mode   mode, after;                          /* before and after */
    double        *z;                                    /* [nz] before: coordinates, memory, turns */
    double        *v, *a, *lambda, *outputs, *reactions; /* before */
    double        *Q, *V, *Lambda;                       /* before, [.][p] */
    double        *tau, *tau_parts;                      /* d(time)/drho [p], and what they are made of: sizes */
} sal_event_record;

/* work.c: who does work, and how much. An item is an element that can, or one of these: */
enum { SAL_WORK_OF_POINTS = -1, SAL_WORK_OF_CONSTRAINTS = -2 };

typedef struct sal_works {
    const sal_model *model;
    int              n;         /* items... */
    int              smooth;    /* ...of which the first may work between events, the others at events alone */
    int             *element;   /* [n] whose */
    int             *of_row;    /* [m] item, -1: it does none */
    int             *row, rows; /* those that may */
    int             *spring, *of_spring, springs;
    int             *of_effort, *of_energy;
    int             *of_event;        /* [events] that set velocities or memory; -1: others */
    sal_slot        *driven;          /* coordinates of points that are prescribed */
    int              ndriven, points; /* the item of these */
} sal_works;

/* `all`: rows that hold do work as well, since nothing is projected. */
sal_status sal_works_init(sal_works *w, const sal_model *model, sal_pool *pool, bool all);
/* Of each item [smooth], at a state that has just been accelerated. */
void sal_works_power(const sal_works *w, const sal_system *s, double *power);
/* Adds what impulses [m] along rows, with their Jacobian, do to each item [n]; the velocities were `before`. */
void sal_works_jump(const sal_works *w, const sal_system *s, const double *entry, const double *impulse,
                    const double *before, double *work);
/* The energy that they change, that of masses and springs; and [n] what types say that their forces store besides. */
double      sal_works_energy(const sal_works *w, const sal_system *s);
void        sal_works_stored(const sal_works *w, const sal_system *s, double *stored);
const char *sal_works_name(const sal_works *w, int item); /* "damper"; "points", "constraints" */

/* health.c: the worst of its kind so far. */
typedef struct sal_worst {
    double value, limit; /* limit 0: nothing of the kind was looked at closely */
    double time;
    int    which; /* row, contact, item of work or coordinate */
} sal_worst;

typedef struct sal_condition {
    sal_worst worst[SAL_HEALTH_KINDS];
    double    transversality, grazed_at; /* the smallest so far, and its time */
    int       grazed;                    /* event */
    bool      in_line, lined; /* forces have been left out where links come into line: over a step; at its end */
    double    in_line_at, lined_at;
    long      jams, closings;
    double    added, start; /* energy: by laws, at the start */
    double    energy, work; /* as accounted last */
    double    slack;        /* what errors of positions may make of the energy in the step */
    double    open;         /* what closing rows that an event has let hold does to it, in the first step after it */
    double    phi, phidot;  /* the largest ones looked at closely */
} sal_condition;

/* implicit.c: what an implicit integrator needs besides. */
typedef struct sal_implicit_flow {
    sal_implicit motion;
    double       inverse[SAL_STAGES][SAL_STAGES]; /* of B: integrals have no J */
    double      *column;                          /* [stages][2 n] of Q and V */
} sal_implicit_flow;

/* stiff.c: how many steps more were as short as what is stiff lets them be than were not, lately; how many in all were
 * so, since when, and which element that is, -1: none can be told. */
typedef struct sal_stiffness {
    int    more;
    int    element;
    long   steps;
    double since;
} sal_stiffness;

/* auto.c: how many of `more` it takes to change to implicit steps; whether they are to begin, or to end, with the next
 * one; at how many looks, lately, they were of no use, and whether they ever were; what has been done. */
enum { SAL_CHANGES_KEPT = 16 };

typedef struct sal_automatic {
    int  patience, due, useless, useful;
    long changes;
    struct {
        double time;
        int    kind, element; /* -1: nothing is stiff any more */
    } change[SAL_CHANGES_KEPT];
} sal_automatic;

/* instants.c, peaks.c: what costs take from single instants. [costs], [costs][p] */
typedef struct sal_instants {
    bool           peaks;              /* some cost has one */
    sal_cost_peak *peak;               /* so far */
    double        *peak_change, *rate; /* its derivatives; its rate where it is at the end of the step */
    bool          *corner;             /* it is a corner of its function */
    double        *sum, *sum_change;   /* of values at given times */
    bool          *reached;            /* [cost_times] */
    int           *happened;           /* [event_costs] how often its event has */
    bool           at_event;           /* the piece that begins does so with one that has a time, tau [p] */
    double        *tau;
} sal_instants;

/* The parts of the integrator's vector y = [q | v | integrals of the costs | works | Q | V | derivatives of the
 * integrals of the costs]. */
typedef struct sal_parts {
    double *q, *v, *integral, *Q, *V, *Z;
} sal_parts;

struct sal_run {
    sal_context     *context;
    sal_pool         pool;
    const sal_model *model;
    sal_run_opts     asked, opts;
    double          *given;                 /* [parameters] NaN: by its expression */
    double          *initial_q, *initial_v; /* [n] NaN: as the scene says */
    struct {
        double  t;       /* [s] */
        double *memory;  /* [memory] NaN: as the scene says */
        bool   *closed;  /* [touches] */
    } start;             /* where the run begins, beside initial_q, initial_v */
    sal_status state;    /* negative: the run cannot go on */
    sal_status failure;  /* of the last SAL_TRY_OVER, with its message */
    sal_watch  watch;    /* who may end it from outside */
    double     asked_at; /* when they were asked last, by their clock [s] */

    /* the motion, and the numbers at hand */
    sal_system         system;
    sal_contacts       contacts;
    sal_tangent        motion; /* one column, along the motion: rates */
    sal_stepper        stepper;
    sal_stepper_kind   other;    /* of SAL_AUTO: the kind that is not in use */
    sal_implicit_flow *implicit; /* NULL: it has not been implicit yet */
    double            *y;        /* [stepper.n] workspace */
    sal_row_mode       mode;     /* that is being made */

    /* where it is */
    double t_end;  /* [s] */
    double t1;     /* end of the step; stepper.t is its beginning */
    double t_step; /* end of the step before it was cut short at an event */
    double h_next;
    bool   passing;  /* links have been in line in the step */
    bool  *lined;    /* [m] rows that then depend on each other */
    double straight; /* accelerations after the last step in which no links were in line; 0: there was none */
    struct {
        double *a, *lambda, *A, *Lambda;
        bool    left_out;      /* what K hardly sees is left out of them */
    } end;                     /* of the step, where the integrator's last evaluation was */
    bool   ended;              /* by an event */
    bool   halfway;            /* it was ended from outside while an event was being handled: only a restart helps */
    bool   warned;             /* of constraints that depend on each other */
    bool   warned_added;       /* of an impact that adds energy */
    bool   forces_read_closed; /* which contacts are closed */
    int    same_time;          /* events handled since time last went on... */
    double busy_since;         /* ...by more than a crumb from here */
    double segment_energy;

    bool taped; /* an adjoint keeps it */

    bool told; /* sal_simulate has told that it starts, and of this many output times */
    long line;
    struct {
        sal_pool pool;
        double  *at;
        int      n; /* 0: at the scene's interval */
    } output;       /* times of the caller's */

    sal_finder       find;
    sal_kinks        kinks;
    sal_event_record record;
    struct {
        sal_event_record record; /* of an event of the engine's own, which nobody sees */
        double          *impulse, *impulse_change;
    } hidden;
    sal_shown     shown;
    sal_run_stats stats;
    sal_works     works;
    sal_instants  instants;
    sal_condition health;
    sal_stiffness stiff;
    sal_automatic automatic;
    double       *jumped, *stored;      /* [works.n] work done at events; energy stored at the start */
    double       *every;                /* Jacobian of all rows */
    bool         *clear;                /* [touches] that its gap has been seen not to be negative */
    double       *noted, *noted_change; /* [notes], [notes][p] what memory is set to */

    /* sensitivities */
    int          all;      /* 0: none; columns.c: as readers see them, [.][all] */
    const char **names;    /* [all] */
    int          p;        /* in use, in the order in which they begin to act */
    const char **wrt;      /* [all] names in that order, */
    int         *column;   /* [all] and whose each is */
    bool         in_order; /* both orders are the same */
    struct {
        double *Q, *V, *Lambda, *tau, *impulse_change;
    } told_event; /* of the event handled last */
    sal_tangent   tangent;
    double       *tau_end;             /* d(end of the run)/drho */
    double       *none;                /* [p] zeros */
    double       *due_tau, *due_parts; /* [p] of another event at the same instant, as in the record */
    double       *running;             /* [costs] integrands just before an event */
    double        wrt_phi, wrt_phidot;
    sal_partition partition;         /* of jumps in partitioned form: */
    double       *along, *dependent; /* [n][p] v'- along the event; workspace */
    bool         *preferred;         /* [n] */
    char          invalid[256];
    char          note[256]; /* from where on derivatives are those of a limit */
    struct {
        double *sum; /* [p] NULL: columns are parameters, and what must vanish is looked at column by column */
        int     count;
        char    first[200];
    } conditions;              /* else: the sum of what must vanish along parameters, with weights in no simple ratio */
    const char *no_derivative; /* what could not be differentiated in the last evaluation, NULL: nothing */
};

/* Numbers of y that are no sensitivities. */
static inline int sal_run_state_size(const sal_run *run)
{
    return 2 * run->model->n + run->model->tables->costs.n + run->works.smooth;
}

static inline sal_parts sal_run_parts(const sal_run *run, double *y)
{
    const int n = run->model->n, first = sal_run_state_size(run);

    return (sal_parts){ y, y + n, y + 2 * n, y + first, y + first + n * run->p, y + first + 2 * n * run->p };
}

/* Impulses were a matter of choice at some event of the run, and those of a solution of the contact problem: their
 * derivatives are not those of that choice. */
static inline bool sal_run_impulses_of_vertices(const sal_run *run)
{
    return run->contacts.vertices;
}

/* The state shown is that at the end. */
static inline bool sal_run_has_ended(const sal_run *run)
{
    return run->ended || run->shown.t >= run->t_end;
}

/* start.c: options as given, or the defaults where that is NULL. SAL_ERR_ARGUMENT: of an unknown size. */
sal_status sal_run_read_opts(sal_context *context, const sal_run_opts *given, sal_run_opts *opts);

/* start.c: a run without a start: it must be restarted. NULL, and a message in the context, when that fails. */
sal_status sal_run_make(const sal_model *model, const sal_run_opts *asked, sal_run **run);
/* start.c: a restart that nobody may end from outside, since another run has shown that it succeeds. */
sal_status sal_run_restart_tried(sal_run *run);

/* start.c: more parts of a line touch at once than there are contacts for. */
sal_status sal_run_say_crowded(sal_run *run);
sal_status sal_run_fail(sal_run *run, sal_status status, const char *format, ...) SAL_PRINTF(3, 4);
/* Names the constraints that almost depend on each other at the state, and those of them that drive the mechanism: two
 * texts of so much room. */
void sal_run_name_lined(sal_run *run, char *names, size_t room, char *driven);
/* Of a search that was ended at t: says that the time is over where that is the reason; hands the status through. */
sal_status sal_run_say_limit(sal_run *run, sal_status status, double t);

/* loop.c: the flow that is integrated; the current step's end; a smooth piece that begins at y, after the start or an
 * event. */
sal_trial sal_run_motion(void *self, double t, const double *y, double *dy);
sal_trial sal_run_project(void *self, double t, double *y);
/* stiff.c: after an accepted step; the element with the largest rate at its end, -1: none has any. */
void sal_stiff_look(sal_run *run);
int  sal_stiff_find(sal_run *run);
/* auto.c: the kind of integrator in use; changed, where nothing is being stepped. What the options begin with; whether
 * it should change, looked at after an accepted step; what is due, before the next. */
sal_status sal_run_use(sal_run *run, const sal_stepper_ops *kind);
sal_status sal_auto_start(sal_run *run);
void       sal_auto_look(sal_run *run);
sal_status sal_auto_change(sal_run *run);
/* implicit.c: the parts of the flow that an implicit integrator needs; of the form index3: in a step of length h, or
 * outside of them (0). */
void       sal_run_hold_positions(void *self, double h);
sal_status sal_run_prepare_implicit(sal_run *run);
/* A status of an evaluation as what comes of trying it; one that no shorter step helps is kept in `failure`. */
sal_trial sal_run_trial(sal_run *run, sal_status status);
sal_trial sal_run_over(sal_run *run, sal_status status); /* the same for one that has been said why */
void      sal_run_restore_end(sal_run *run);             /* puts the system there */
void      sal_run_show_end(sal_run *run);
bool      sal_run_is_pending(const sal_run *run); /* there is an event to be handled at the end of the step */
void sal_run_resume(sal_run *run); /* with the numbers of the end of a step: shows them, and can go on from there */
sal_status sal_run_begin_segment(sal_run *run, double t, const double *y, sal_pending fired);

/* act.c: what the event on record did to a contact: the event that this is, -1: nothing. */
int  sal_run_contact_event(const sal_run *run, int contact);
bool sal_run_forces_read_closed(const sal_tables *tables); /* act.c */
/* loop.c: where a piece of a vector ends an event of the engine's own is due; whether it is, which is pending then. */
bool sal_run_ends_piece(sal_run *run);
/* act.c: handles the pending event: SAL_EVENT, or SAL_OK when its guard passes it over. A failure that only shows after
 * the event is kept for the next call. */
sal_status sal_run_handle_event(sal_run *run);
sal_status sal_run_validate(sal_run *run); /* validate.c: the end of the step; SAL_ERR_INVARIANT with a message */

/* health.c: who works in the run, for the options asked for. */
sal_status sal_health_allocate(sal_run *run);
void       sal_health_start(sal_run *run);    /* before the first step */
void       sal_health_remember(sal_run *run); /* at the end of a step, just evaluated: what is known only there */
/* At the end of a step just tried: nobody's work is missing in it, to this part of what is allowed. */
bool       sal_health_is_balanced(sal_run *run, double part);
sal_status sal_health_step(sal_run *run, double energy); /* at the end of an accepted step; SAL_ERR_INVARIANT */
/* Before an event acts: how it crosses; and after it: what it did. */
void       sal_health_before(sal_run *run, const sal_pending *now);
sal_status sal_health_after(sal_run *run, const sal_pending *now);
void       sal_health_resume(sal_run *run); /* a smooth piece begins at the end of a step */
/* All that can be asked of rows and contacts, whatever it costs. */
sal_status sal_health_look(sal_run *run);
void       sal_run_join_record(sal_run *run); /* what the record shows is the run's own arrays */

/* read.c: a copy of the system at the state shown, with the Jacobian of the rows that hold: with workspace of its own
 * for
 * that, the rest is the run's and not to be written to. False: out of memory. */
double sal_run_shown_value(const sal_run *run, const sal_program *program); /* read.c: there; NaN: out of memory */
bool   sal_run_shown_system(const sal_run *run, sal_pool *pool, sal_system *s);
/* read.c: a coordinate of a point or marker at the state shown, or its velocity, with its derivatives [p]; gives its
 * rate of change. */
double sal_run_place(const sal_run *run, sal_basis p, int axis, bool velocity, double *value, double *gradient);

/* matrices.c: puts a system of its own, made for the model, to the state shown, with its mode and form. */
void sal_run_copy_state(const sal_run *run, sal_system *s);

/* state.c: all that a run needs to go on from the end of its step, without derivatives, as bytes; another run of the
 * same model, made with the same options and restarted from the same start, goes there. It may have derivatives: then
 * these are nobody's until somebody sets them. */
size_t   sal_run_moment_size(const sal_run *run);
void     sal_run_keep_moment(const sal_run *run, unsigned char *at, size_t size);
void     sal_run_go_to_moment(sal_run *run, const unsigned char *at, size_t size);
uint64_t sal_run_start_hash(const sal_run *run);
void     sal_run_take_start(sal_run *run, const sal_run *other); /* where it will be restarted from, and parameters */

/* find.c */
sal_status sal_events_init(sal_run *run);
/* Puts the system where the dense output is at theta of the step. */
sal_trial sal_events_move(sal_run *run, double theta);
/* Looks for the first event inside the step just made. SAL_TRY_FINER: the dense output is not good enough to tell, the
 * step must be shorter. If there is one the step is made again to end there, and pending is set. */
sal_trial sal_events_find(sal_run *run);

/* arm.c: decides, at the state the system is in (with accelerations), which functions are on zero; one that is crossing
 * there right now becomes pending. */
sal_status sal_events_arm(sal_run *run, sal_pending fired);
/* The next step begins where this one ends, at the state the system is in. */
void sal_events_go_on(sal_run *run);
/* An event whose function is about to cross zero counts as having happened already. */
void sal_events_pass(sal_run *run, int event, double value);

/* events.c: the event function at the state, its rate and its second one along the motion; what it may be away from
 * zero and still be zero, which takes the state into account. */
double sal_events_value(sal_run *run, int event);
double sal_events_rate(sal_run *run, int event);
double sal_events_curvature(sal_run *run, int event);
double sal_events_zero(sal_run *run, int event);
/* How far the value r of an event function at the state, at t1, is from zero beyond what its time can be located by: a
 * time is known to a few rounding errors of itself, in which r passes its rate times that. */
double sal_events_off_zero(sal_run *run, int event, double r);
/* What functions may be away from zero at the instant of an event, for contacts: gaps with a rate by as much more as
 * the time may be off. [events], until the next call. */
const double *sal_events_located(sal_run *run);

/* hop.c: the gap of a contact that hops, at the state, `ahead` of the beginning of the step. */
double sal_hop_value(sal_run *run, int event);
/* At a zero of the gap, which is followed from there on where it leaves slowly; whether its event is looked for so. And
 * with what an event has made of one that was low already. */
bool sal_hop_start(sal_run *run, int event, double rate, double bend, const sal_scale *scale);
void sal_hop_go_on(sal_run *run, int event);
/* At the state, which is in a step in which it is only followed: whether the gap agrees. Then its event is looked for
 * by it in this step. */
bool sal_hop_agrees(sal_run *run, int event);
/* At the beginning of a step, with accelerations; and at its end, which becomes the beginning of the next; at an
 * event, where gaps that were only followed tell more than themselves. */
void sal_hops_begin(sal_run *run);
void sal_hops_advance(sal_run *run);
void sal_hops_at_event(sal_run *run);

/* sides.c: the sides that hold from the state in y on. SAL_ERR_EVENTS: neither side of one does. */
sal_status sal_run_choose_sides(sal_run *run, double t, const double *y, const sal_pending *fired);
/* Changes the side whose event this is. `jolts`: what is prescribed changes its velocity by that. */
sal_status sal_run_change_side(sal_run *run, const sal_pending *now, bool *jolts);
/* Where what is prescribed has just changed, by a side or by memory: positions must fit all the same, and nothing may
 * have been passed through, SAL_ERR_ASSEMBLY; *jolts: velocities do not, which takes an impact. `gap` [events]: noted
 * before the change. */
void       sal_run_note_gaps(sal_run *run, double *gap);
sal_status sal_run_check_moved(sal_run *run, const double *gap, bool *jolts);
/* While an event of the engine's own is handled the record is not that of the last event of the scene. */
void sal_run_swap_records(sal_run *run);

/* kinks.c: whether a curve that a constraint follows jumps in the step; SAL_ERR_STEP with a message. */
sal_status sal_kinks_init(sal_run *run);
sal_status sal_kinks_check(sal_run *run);
bool       sal_kinks_followed(const sal_run *run); /* whether a curve that may have such is followed */

/* loop.c: puts the system at theta of the step, projected, with accelerations and sensitivities; run->y is taken. */
sal_trial sal_run_stand(sal_run *run, double theta);
/* loop.c: the mean of what a cost integrates, up to t; at the start, where the system is then, what it begins with. */
double sal_run_average(const sal_run *run, int cost, double integral, double t);

/* instants.c */
sal_status sal_instants_init(sal_run *run);
void       sal_instants_forget(sal_run *run); /* before a start */
/* A smooth piece begins at the state at hand: the start, or after the event that has been told last. */
sal_status sal_instants_begin(sal_run *run, bool start);
sal_status sal_instants_step(sal_run *run); /* a step has been made; the system is anywhere in it afterwards */
/* An event is about to act; its time has its derivatives in the record. */
void   sal_instants_event(sal_run *run, const sal_pending *now);
bool   sal_instants_counts(sal_run *run, int item);      /* an event cost's event happens: whether it is to be added */
double sal_instants_value(const sal_run *run, int cost); /* NaN: it is not complete */
void   sal_instants_change(const sal_run *run, int cost, bool end, double *change); /* added [p] */
/* peaks.c: the same of peaks; `tau` [p] of what happens there. SAL_ERR_NUMBER: one is not finite. */
sal_status sal_peaks_step(sal_run *run);
void       sal_peaks_event(sal_run *run, const double *tau);
double     sal_peaks_speed(const sal_run *run, int cost); /* of a peak that is at the end of the step, as that moves */
sal_status sal_peaks_begin(sal_run *run, sal_peak_place place, const double *tau);

/* read.c: d/dt of a cost at the state shown. */
double sal_run_cost_speed(sal_run *run, int cost);
/* read.c: the derivatives [p] of a program at the state shown; at the end of the run with the change of its time. */
sal_status sal_run_change_at_end(sal_run *run, const sal_program *program, double *gradient);

/* columns.c: puts what is asked for into the order in which it begins to act; at the start, once pieces are known;
 * where a piece begins: then rows may become longer. */
void sal_columns_order(sal_run *run, sal_wrt *wrt);
void sal_columns_begin(sal_run *run);
void sal_columns_next(sal_run *run);
void sal_columns_widen(sal_run *run, int wider); /* as many as that are in use from now on */
void sal_columns_use(sal_run *run, int p);       /* so many of them, whose rows are as long */
/* Rows [rows][p] as readers see them, [rows][all]; those of the event on record; what one of theirs is. */
void           sal_columns_tell(const sal_run *run, const double *from, int rows, double *to);
void           sal_columns_show(sal_run *run); /* the tangent, as it is */
void           sal_columns_tell_event(sal_run *run);
const sal_wrt *sal_columns_wrt(const sal_run *run, int index);

/* sens.c */
sal_status sal_sens_allocate(sal_run *run);       /* for opts.wrt; names what is not known */
sal_status sal_sens_check_programs(sal_run *run); /* of events: what they set and cost */
sal_status sal_sens_check_settings(sal_run *run);
/* "initial(P.x)", "initial(NAME)" of a memory: what that is; false: it is something else. */
bool       sal_sens_find_initial(const sal_model *model, const char *name, sal_wrt *found);
sal_status sal_sens_unknown(sal_run *run, const char *name); /* the error for a name that is no parameter */
sal_trial  sal_sens_motion(sal_run *run, const double *y, double *dy);
void       sal_sens_show(sal_run *run, const double *integral);
void       sal_sens_enter_event(sal_run *run, const sal_event *event, const sal_pending *now);
sal_status sal_sens_leave_event(sal_run *run);
sal_status sal_sens_share(sal_run *run);
void       sal_sens_check_springs(sal_run *run);
void       sal_sens_check_lines(sal_run *run); /* after a step in which links have been in line */
void       sal_sens_check_start(sal_run *run); /* contacts found closed must stay so whatever the parameters */
void       sal_sens_check_closing(sal_run *run, int contact, double zero); /* so must those that an event turns on */
void       sal_sens_note_closed(sal_run *run); /* a contact was closed although it would have rebounded */
void       sal_sens_check(sal_run *run, const sal_event *event);
void       sal_sens_partition_jump(sal_run *run, int event);

#endif
