/* saltus.h - the public interface of Saltus: mechanisms that make and break contact.
 *
 *     scene.json --> sal_scene --> sal_model --> sal_run --> motion, events, reactions
 *                    names and     immutable:    mutable: the state and all workspace; many runs,
 *                    formulas      tables        in many threads, may share one model
 *
 * Conventions. SI units. Every call that can fail returns a sal_status: 0 done, positive done with news
 * (an event happened, the end was reached), negative failed; the text is in sal_message(). Nothing here
 * prints, exits or aborts. Objects are created through the last argument and destroyed by address:
 * the pointer is set to NULL, and destroying NULL is harmless. Multipliers follow M a + Phi_q^T lambda = F.
 *
 * Options. A struct of options begins with its size; start from sal_..._defaults(), which fill it in, and change what
 * matters. Later versions add members at the end only, and know the sizes that earlier ones had: what the caller's
 * struct does not have is as the defaults say. Any other size is refused with SAL_ERR_ARGUMENT. (The defaults come by
 * value, in the layout of the library at hand: who keeps an earlier layout fills the struct without them.)
 */
#ifndef SALTUS_H
#define SALTUS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SAL_API __attribute__((visibility("default")))
#else
#define SAL_API
#endif

/* The version of everything that is Saltus: the build, the packages and the Python module read it here. */
#define SAL_VERSION_MAJOR 0
#define SAL_VERSION_MINOR 1
#define SAL_VERSION_PATCH 0

#define SAL_VERSION                           SAL_VERSION_TEXT(SAL_VERSION_MAJOR, SAL_VERSION_MINOR, SAL_VERSION_PATCH)
#define SAL_VERSION_TEXT(major, minor, patch) SAL_VERSION_JOIN(major, minor, patch)
#define SAL_VERSION_JOIN(major, minor, patch) #major "." #minor "." #patch

/* ---------------------------------------------------------------------------------------- status */

#define SAL_STATUS_LIST(X)                                          \
    X(SAL_OK, 0, "done")                                            \
    X(SAL_EVENT, 1, "an event happened")                            \
    X(SAL_END, 2, "the end of the run was reached")                 \
    X(SAL_STOPPED, 3, "stopped by the caller")                      \
    X(SAL_ERR_MEMORY, -1, "out of memory")                          \
    X(SAL_ERR_ARGUMENT, -2, "wrong argument")                       \
    X(SAL_ERR_FILE, -3, "the file cannot be read")                  \
    X(SAL_ERR_SCENE, -4, "the scene is not valid")                  \
    X(SAL_ERR_ASSEMBLY, -5, "the mechanism cannot be assembled")    \
    X(SAL_ERR_SINGULAR, -6, "the equations of motion are singular") \
    X(SAL_ERR_STEP, -7, "the step size fell below its minimum")     \
    X(SAL_ERR_EVENTS, -8, "events accumulate in time")              \
    X(SAL_ERR_NUMBER, -9, "a quantity is not finite")               \
    X(SAL_ERR_CYCLE, -10, "no periodic motion was found")           \
    X(SAL_ERR_EQUILIBRIUM, -11, "no equilibrium was found")         \
    X(SAL_ERR_LIMIT, -12, "a limit of the run was reached")         \
    X(SAL_ERR_INVARIANT, -13, "the motion found is not a possible one")

typedef enum sal_status {
#define SAL_STATUS_ENUM(name, value, text) name = value,
    SAL_STATUS_LIST(SAL_STATUS_ENUM)
#undef SAL_STATUS_ENUM
} sal_status;

SAL_API const char *sal_status_name(sal_status status); /* "SAL_OK"; static */
SAL_API const char *sal_status_text(sal_status status); /* "done"; static */
SAL_API const char *sal_version(void);                  /* version of the library at run time */

typedef struct sal_context sal_context;
typedef struct sal_scene   sal_scene;
typedef struct sal_model   sal_model;
typedef struct sal_run     sal_run;
typedef struct sal_probe   sal_probe;
typedef struct sal_cycle   sal_cycle;

/* --------------------------------------------------------------------------------------- context */

/* Allocator, log and known element types. Nothing is global: two contexts share nothing. */
typedef struct sal_context_opts {
    size_t size;                                /* of the struct, as in all options: sal_context_defaults() knows it */
    void *(*allocate)(void *user, size_t size); /* NULL: malloc; must be safe to call from several threads */
    void (*release)(void *user, void *memory);  /* NULL: free; never called with NULL */
    void (*log)(void *user, const char *text);  /* warnings, one line each; NULL: dropped */
    void *user;                                 /* handed to the three above */
} sal_context_opts;

SAL_API sal_context_opts sal_context_defaults(void);
SAL_API sal_status       sal_context_create(const sal_context_opts *opts, sal_context **context); /* opts may be NULL */
SAL_API void             sal_context_destroy(sal_context **context); /* after everything made from it */

/* What the last failing call that takes or stems from the context had to say. A scene can have many errors at once.
 * Texts live until the next failing call on the context, whichever thread makes it. A run keeps its own message, of
 * calls that change it; those that only read it (const sal_run *) say here why they failed. */
typedef struct sal_diagnostic {
    const char *file;   /* as given to sal_scene_load, or "" */
    int         line;   /* 1-based; 0 when there is no place in a file */
    int         column; /* 1-based, in bytes */
    const char *path;   /* place in the scene, "bodies.bar1.mass", or "" */
    const char *text;   /* what was found, what was expected */
} sal_diagnostic;

SAL_API int                   sal_error_count(const sal_context *context);
SAL_API const sal_diagnostic *sal_error(const sal_context *context, int index); /* NULL when out of range */
SAL_API const char *sal_message(const sal_context *context); /* all of them, "file:line:column: path: text\n"... */

/* Makes the types of a plug-in known (ext.h), before scenes are loaded; all of them or, after an error, none. */
SAL_API sal_status sal_plugin_load(sal_context *context, const char *file);

/* ----------------------------------------------------------------------------------------- scene */

/* Loads a scene from a file, or from text (`name` stands for the file in messages; the text is not kept). On
 * SAL_ERR_SCENE sal_error() has every error found. */
SAL_API sal_status sal_scene_load(sal_context *context, const char *file, sal_scene **scene);
SAL_API sal_status sal_scene_parse(sal_context *context, const char *name, const char *text, size_t size,
                                   sal_scene **scene);
SAL_API void       sal_scene_destroy(sal_scene **scene); /* models made from it may live on */

/* The reference of the scene format, made from the same tables that read it. `type` NULL: all sections and types;
 * "points", "bar", ...: that one. `write` is called with pieces of text. SAL_ERR_ARGUMENT: no such type. */
typedef void (*sal_writer)(void *user, const char *text);
SAL_API sal_status sal_describe(sal_context *context, const char *type, sal_writer write, void *user);
SAL_API sal_status sal_describe_schema(sal_context *context, sal_writer write, void *user); /* as a JSON schema */

/* ----------------------------------------------------------------------------------------- model */

/* The scene's equations in the shape in which they are solved: numbering, sparsity, symbolic factorisations. It has
 * no numbers of its own: parameters belong to runs. Immutable; may be used by many threads at once. */
SAL_API sal_status sal_model_create(sal_scene *scene, sal_model **model);
SAL_API void       sal_model_destroy(sal_model **model); /* after its runs and probes */

typedef struct sal_model_info {
    const char *name;   /* title of the scene */
    int         points; /* free, fixed and markers */
    int         bodies, joints, contacts;
    int         coordinates; /* n: of q */
    int         constraints; /* m: of Phi and lambda */
    int         parameters;
    int         events;
    int         outputs;
    int         reactions;
    int         costs;
    int         memory;  /* numbers that events set */
    int         touches; /* pairs that can touch: a ground with two points has two */
} sal_model_info;

SAL_API sal_model_info sal_model_get_info(const sal_model *model);

/* Names, NULL when out of range; they live as long as the model. */
SAL_API const char *sal_model_coordinate(const sal_model *model,
                                         int              index); /* "x(P1)"; velocities and accelerations follow */
SAL_API const char *sal_model_constraint(const sal_model *model, int index); /* "bar1", "pin.x" */
SAL_API const char *sal_model_parameter(const sal_model *model, int index);
/* Parameters that are functions of time: their knots, "u[0]", ... are parameters that follow each other. */
typedef struct sal_vector_info {
    const char   *name, *kind;  /* "u"; "steps", "linear", "cubic" */
    int           first, knots; /* index of u[0] among the parameters, and how many there are */
    double        from, to;     /* [s] */
    const double *start;        /* [knots] as the scene says */
} sal_vector_info;
SAL_API bool sal_model_vector(const sal_model *model, int index, sal_vector_info *info); /* false: out of range */
SAL_API const char *sal_model_event(const sal_model *model, int index);                  /* "floor", "floor.P2" */
SAL_API const char *sal_model_output(const sal_model *model, int index);
SAL_API const char *sal_model_reaction(const sal_model *model, int index,
                                       const char **unit); /* "rod.tension"; unit, "N", may be NULL */
SAL_API const char *sal_model_cost(const sal_model *model, int index);

/* The section "optimize" of the scene, as the options of saltus optimize have it: "NAME=LOW:HIGH" or
 * "NAME=LOW:HIGH:START", "WHAT <= NUMBER". What it does not say is NULL, or 0. */
typedef struct sal_search {
    const char        *minimize, *maximize; /* one of them, or neither: there is no such section */
    const char        *study;               /* "run", "cycle", "equilibrium" */
    const char *const *over;
    const char *const *subject_to;
    int                nover, nsubject_to;
} sal_search;
SAL_API sal_search  sal_model_get_search(const sal_model *model);
SAL_API const char *sal_model_memory(const sal_model *model, int index);
SAL_API const char *sal_model_touch(const sal_model *model, int index); /* "floor", "floor.P2" */

/* Bodies, joints and contacts with their types, in the order of the scene. False when out of range. */
typedef struct sal_element_info {
    const char *section, *name, *type;
    int         constraints; /* rows it brings */
} sal_element_info;
SAL_API bool sal_model_element(const sal_model *model, int index, sal_element_info *info);

typedef struct sal_point_info {
    const char *name;
    const char *kind;   /* "free", "fixed", "marker" */
    const char *body;   /* of a marker, else NULL */
    bool        dof[2]; /* x, y marked as independent */
} sal_point_info;
SAL_API bool sal_model_point(const sal_model *model, int index, sal_point_info *info);

/* How the mechanism looks: what its elements are drawn as, for viewers. The numbers belong to runs: sal_run_drawing. */
#define SAL_DRAWING_LIST(X)                                                                                 \
    X(SAL_DRAW_POINTS, "points")   /* points that an element uses: marks */                                 \
    X(SAL_DRAW_LINE, "line")       /* between two points: a rod without mass, a connection */               \
    X(SAL_DRAW_ROPE, "rope")       /* from point to point */                                                \
    X(SAL_DRAW_BODY, "body")       /* a bar between two points, else the hull of the points */              \
    X(SAL_DRAW_MASS, "mass")       /* a centre of mass */                                                   \
    X(SAL_DRAW_DISC, "disc")       /* round its point: radius, and the angle it has turned by */            \
    X(SAL_DRAW_GEAR, "gear")       /* the pitch circle of a gear: radius, angle */                          \
    X(SAL_DRAW_RACK, "rack")       /* the pitch line of a rack through the first point: direction */        \
    X(SAL_DRAW_SPRING, "spring")   /* between two points */                                                 \
    X(SAL_DRAW_DAMPER, "damper")   /* between two points */                                                 \
    X(SAL_DRAW_TORSION, "torsion") /* torsional spring at its point: angle, reference */                    \
    X(SAL_DRAW_PIN, "pin")         /* holds two points together */                                          \
    X(SAL_DRAW_WELD, "weld")       /* joins rigidly where its two points meet */                            \
    X(SAL_DRAW_SLIDER, "slider")   /* the first point on the line of the others: direction, angle */        \
    X(SAL_DRAW_LIMIT, "limit")     /* of the distance of two points: low, high */                           \
    X(SAL_DRAW_ANGLE, "angle")     /* limits of an angle at its point: angle, reference, low, high */       \
    X(SAL_DRAW_FORCE, "force")     /* at its point: force */                                                \
    X(SAL_DRAW_TORQUE, "torque")   /* at its point: torque, angle, reference */                             \
    X(SAL_DRAW_MOTOR, "motor")     /* moves its points, or turns its body at its point: angle, reference */ \
    X(SAL_DRAW_GROUND, "ground")   /* height, angle, direction, speed, curve; solid below */                \
    X(SAL_DRAW_CURVE, "curve")     /* that its point stays on: curve */                                     \
    X(SAL_DRAW_EDGE, "edge")       /* line through two points, solid on the right: direction */             \
    X(SAL_DRAW_CONTACT, "contact") /* where its point, or a disc round it, touches: place, direction, force, ... */

typedef enum sal_drawing_kind {
#define SAL_DRAWING_ENUM(kind, name) kind,
    SAL_DRAWING_LIST(SAL_DRAWING_ENUM)
#undef SAL_DRAWING_ENUM
} sal_drawing_kind;

typedef struct sal_drawing {
    sal_drawing_kind kind;
    const char      *name;            /* of the kind, "line" */
    int              element;         /* that it belongs to, see sal_model_element */
    int              body, reference; /* elements that its angles are those of; -1: none, or the world */
    int              npoints;
    const int       *points; /* see sal_model_point; -1: a place that has no name */
    bool             curve;  /* sal_run_drawing_curve tells its height */
} sal_drawing;
SAL_API int  sal_model_drawing_count(const sal_model *model);
SAL_API bool sal_model_drawing(const sal_model *model, int index, sal_drawing *drawing); /* false: out of range */

/* ------------------------------------------------------------------------------------------- run */

typedef enum sal_form { SAL_INDEX1, SAL_PENALTY, SAL_INDEX3 } sal_form;
typedef enum sal_stabilization { SAL_PROJECTION, SAL_BAUMGARTE, SAL_NO_STABILIZATION } sal_stabilization;
typedef enum sal_integrator { SAL_RK8, SAL_RK5, SAL_RADAU, SAL_AUTO } sal_integrator; /* sal_run_change: SAL_AUTO */

typedef struct sal_setting {
    const char *parameter;
    double      value;
} sal_setting;

/* Each -1 (or a negative number) means: as the scene says. */
typedef struct sal_run_opts {
    size_t size;          /* by sal_run_defaults() */
    int    form;          /* sal_form */
    int    stabilization; /* sal_stabilization */
    int    integrator;    /* sal_integrator */
    double duration;      /* [s] */
    double rtol, atol;    /* tolerances of a step */
    double max_step;      /* [s] */
    double min_step;      /* [s] */

    const sal_setting *set; /* parameters with other values than the scene's; read at creation only */
    int                nset;

    /* Sensitivities with respect to these: parameters by name, "initial(P.x)", ".y", ".vx", ".vy" of free points, and
     * "initial(NAME)" of memory: what sal_run_set of it would do, a velocity that is not given then counting as given.
     * Read at creation only. */
    const char *const *wrt;
    int                nwrt;
    bool               wrt_uncontrolled; /* they take no part in step control: the steps are those of the plain run */
    bool               partitioned; /* their jumps in terms of independent and dependent coordinates: the same numbers
                                     * where an event sets or keeps every independent velocity and Phi = 0 */
    bool               quiet;       /* no warnings to the context's log */
    bool validate; /* checks at every step and event that no contact pulls, sticks beyond its friction or is
                                  * passed through, that constraints hold, ...: SAL_ERR_INVARIANT says what does not */

    /* Limits since the start of the run; 0: none. SAL_ERR_LIMIT says which was reached. */
    long   max_steps;         /* of the integrator, rejected ones included */
    long   max_events;        /* handled */
    double max_wall;          /* [s] by the clock on the wall */
    bool (*stop)(void *user); /* asked at least at every step and inside every search: true ends the call with
                               * SAL_STOPPED; NULL: never */
    void  *user;              /* handed to it */
    double stop_every;        /* [s] by the clock on the wall: it is asked no more often than that; 0: always */
} sal_run_opts;

SAL_API sal_run_opts sal_run_defaults(void);

/* A run begins assembled: q and v solve Phi = 0 and Phi_q v + Phi_t = 0, as near to the scene as that allows, with
 * what is marked `dof` kept. Everything a run needs is allocated here: steps allocate nothing. An event after which
 * other
 * constraints hold chooses new pivots: the sparse solver then frees the factors that there were and allocates new
 * ones, of
 * the same size, with malloc, once for each combination of contacts that is tried; nothing else is allocated at events.
 * What allocates besides says so. opts may be NULL. */
SAL_API sal_status sal_run_create(const sal_model *model, const sal_run_opts *opts, sal_run **run);
SAL_API void       sal_run_destroy(sal_run **run);

/* Parameters of this run, and initial values "initial(P.x)", ... (see wrt above). Set any number of them, then start
 * again where it starts. A parameter that is set no longer follows its expression; an initial value replaces `at` as
 * the
 * place to start from, not as geometry. After SAL_ERR_ARGUMENT from set nothing has changed; after a failed restart
 * the run cannot go on. */
SAL_API sal_status sal_run_set(sal_run *run, const char *parameter, double value);
SAL_API double     sal_run_parameter(const sal_run *run, int index);             /* NaN when out of range */
SAL_API sal_status sal_run_set_parameter(sal_run *run, int index, double value); /* the same by number */
SAL_API sal_status sal_run_restart(sal_run *run);

/* Starts anywhere: t, and arrays for what the scene would say, each NULL: as it says. q and v, n each, as in sal_run_q:
 * made consistent like the scene's own. memory: see sal_model_memory. closed: which contacts begin closed, see
 * sal_model_touch; one that would have to pull opens, and one that touches and rests is closed without being said so.
 * Restarts the run; what was set with sal_run_set as "initial(...)" is forgotten. start NULL: all as the scene says. */
typedef struct sal_start {
    size_t        size; /* of this struct: sal_start_defaults() fills it in */
    double        t;    /* [s] */
    const double *q, *v, *memory;
    const bool   *closed;
} sal_start;

SAL_API sal_start  sal_start_defaults(void);
SAL_API sal_status sal_run_start_at(sal_run *run, const sal_start *start);

/* Everything that the run needs to go on from the end of its current step, as bytes. Loaded into another run of a
 * model of
 * the same scene with the same options, by the same version on the same kind of machine, it goes on bit for bit the
 * same:
 * parameters, memory, closed contacts, sensitivities, costs and the event handled last included. The duration and the
 * limits are those of the run it is loaded into. memory NULL: *size alone; SAL_ERR_ARGUMENT: `room` is less than that,
 * or the run has failed (not: reached a limit, unless in the middle of an event). A state that does not fit, or that a
 * run with these options could not start from, is refused with a message (sal_run_message), and nothing has changed.
 * Loading allocates: the start is tried with another run first. */
SAL_API sal_status sal_run_save(const sal_run *run, void *memory, size_t room, size_t *size);
SAL_API sal_status sal_run_load(sal_run *run, const void *memory, size_t size);

/* One step of the integrator, or up to the next event: SAL_OK, SAL_EVENT (an event was just handled), SAL_END.
 * SAL_STOPPED: opts.stop said so; the state is that of the last step or event, and the next call goes on from there
 * (unless it was stopped while an event was being handled: then only a restart helps). */
SAL_API sal_status sal_run_step(sal_run *run);
/* On to time t, stepping as often as needed: SAL_OK when the state is that at t, SAL_EVENT when an event at or before
 * t has just been handled (call again to go on), SAL_END when the run ended before t. Inside a step the state comes
 * from the dense output. t must not lie before the beginning of the current step. */
SAL_API sal_status sal_run_to(sal_run *run, double t);

/* Who is told what happens in a run: writers of files, viewers, studies. Each may be NULL. The run shows the state in
 * question: everything below that reads a run may be asked, nothing that steps it. */
typedef struct sal_reader {
    void *self;                                     /* handed to each */
    void (*start)(void *self, const sal_run *run);  /* before the first step */
    void (*output)(void *self, const sal_run *run); /* at the start, and at every output time of the scene */
    void (*event)(void *self, const sal_run *run);  /* just after an event; see sal_run_event */
    void (*step)(void *self, const sal_run *run);   /* after every step and event */
    void (*end)(void *self, const sal_run *run, sal_status status); /* as sal_simulate will return it */
} sal_reader;

/* Runs to the end, from where it is, and tells the n readers, each in their order: SAL_END, SAL_STOPPED (call again to
 * go on: neither the start nor an output is told twice, until the run is restarted), or why the run failed. */
SAL_API sal_status sal_simulate(sal_run *run, const sal_reader *readers, int n);
/* Output times in place of the scene's interval: n of them [s], increasing; the run then tells of its start and its end
 * only where they are among them. n 0: as the scene says. The times are copied. */
SAL_API sal_status sal_run_set_output_times(sal_run *run, const double *times, int n);

SAL_API double        sal_run_time(const sal_run *run);            /* of the state [s] */
SAL_API double        sal_run_duration(const sal_run *run);        /* [s] */
SAL_API double        sal_run_output_interval(const sal_run *run); /* of the scene [s] */
SAL_API const char   *sal_run_message(const sal_run *run); /* why the last change of it failed, "" when it did not */
SAL_API const double *sal_run_q(const sal_run *run);       /* n coordinates, in the order of sal_model_coordinate */
SAL_API const double *sal_run_v(const sal_run *run);       /* n velocities */
SAL_API const double *sal_run_a(const sal_run *run);       /* n accelerations */
SAL_API const double *sal_run_lambda(const sal_run *run);  /* m multipliers */
/* Value of each cost up to now, terminal part included; peaks and values at times count from the end of the step on in
 * which they lie. NaN: it is not complete, a time or an occurrence of an event has not been reached. */
SAL_API const double *sal_run_costs(const sal_run *run);
/* The largest value so far of what a cost has a peak of. */
typedef enum sal_peak_place {
    SAL_PEAK_START,
    SAL_PEAK_INSIDE,
    SAL_PEAK_BEFORE_EVENT,
    SAL_PEAK_AFTER_EVENT,
    SAL_PEAK_END
} sal_peak_place;
typedef struct sal_cost_peak {
    double         value, time; /* [s] */
    sal_peak_place place;
} sal_cost_peak;
SAL_API bool   sal_run_cost_peak(const sal_run *run, int cost, sal_cost_peak *peak); /* false: it has none */
SAL_API double sal_run_output(const sal_run *run, int index);                        /* of the scene's outputs */
SAL_API double sal_run_reaction(const sal_run *run, int index); /* force or torque of a joint, see its type */
SAL_API double sal_run_memory(const sal_run *run, int index);   /* see sal_model_memory; NaN: out of range */
SAL_API bool   sal_run_closed(const sal_run *run, int index);   /* the pair touches and is held, see sal_model_touch */
SAL_API double sal_run_energy(const sal_run *run); /* kinetic + gravity (zero at y = 0) + springs, ... [J] */
/* Position and velocity of a point or marker by name, 2 numbers each; pos and vel may be NULL. */
SAL_API sal_status sal_run_point(const sal_run *run, const char *name, double *pos, double *vel);

/* The numbers of an item of the drawing at the state; NaN where its kind has none. */
typedef struct sal_drawing_state {
    double angle,
        reference;       /* of the body, turns counted, and of what it is measured from; ground: inclination [rad] */
    double radius;       /* [m] */
    double height;       /* of ground at x = 0 [m] */
    double speed;        /* of ground along itself [m/s] */
    double low, high;    /* limits of a distance [m] or an angle [rad]; NaN: none */
    double place[2];     /* of a contact: the point of the surface [m] */
    double direction[2]; /* unit vector; of a contact: the normal, towards what touches */
    double force[2];     /* of a contact: on what touches [N] */
    double torque;       /* on the body [N m] */
    double friction;     /* coefficient of a contact, 0: none */
    double rate;         /* at which the angle changes against the reference [rad/s] */
    bool   holds;        /* its element does: a joint that acts now, a contact that is not switched off */
} sal_drawing_state;
/* Where its points are, `at` [npoints][2], and the rest; both may be NULL. False: out of range. */
SAL_API bool sal_run_drawing(const sal_run *run, int index, double *at, sal_drawing_state *state);
/* The height of ground or of a curve over the place x [m]. False: out of range, or it has none. */
SAL_API bool sal_run_drawing_curve(const sal_run *run, int index, double x, double *y);

/* The event handled last. What is `before` belongs to just before it, the state of the run to just after. */
typedef struct sal_event_info {
    int           index; /* see sal_model_event; -1: none yet */
    const char   *name;
    double        time;                /* [s] */
    double        rate;                /* of the event function just before [its unit/s] */
    bool          grazing;             /* it touched zero without crossing; velocities were not set */
    bool          stop;                /* the run ends here */
    const double *v_before, *a_before; /* n */
    const double *lambda_before;       /* m */
    const double *outputs_before;      /* of the scene's outputs */
    const double *reactions_before;
    double        energy_before; /* [J] */
    const double *impulse;       /* m: of each constraint, contacts included; as multipliers, but times time */
    bool          closed;        /* a contact was closed although it would have rebounded, too slowly to matter */
    double        energy_added;  /* by its impacts, beyond rounding [J]; 0: none. Newton's law of restitution can */
} sal_event_info;
SAL_API sal_event_info sal_run_event(const sal_run *run);
/* The contacts that touched, opened, began to slip or to stick at that event, in the order of the scene: several may at
 * one instant. False: there are no more. */
typedef struct sal_event_contact {
    const char *contact;          /* see sal_model_touch */
    int         event;            /* what happened to it: see sal_model_event; that of the event itself is among them */
    double      normal, friction; /* its impulses [N s]; of an angle [N m s] */
} sal_event_contact;
SAL_API bool sal_run_event_contact(const sal_run *run, int index, sal_event_contact *contact);

/* What the run has done since its start. */
typedef struct sal_run_stats {
    long   steps, rejected, evaluations, factorizations, full_factorizations, events;
    double max_phi, max_phidot; /* largest |Phi_k| and |Phidot_k| at accepted steps */
    double energy_start;        /* [J], at the start of the run */
    double energy_drift;        /* largest change of energy within a segment between events [J] */
} sal_run_stats;
SAL_API sal_run_stats sal_run_get_stats(const sal_run *run);

/* NULL, or the element that is so stiff that explicit steps were as short as it needs, "" where that cannot be told:
 * since when, and how many of them. An implicit integrator (SAL_RADAU) takes longer ones. */
SAL_API const char *sal_run_stiff(const sal_run *run, double *since, long *steps);

/* What SAL_AUTO has done: it begins with SAL_RK8, changes to SAL_RADAU where something stiff makes those steps short,
 * and back where nothing does any more. How often it has changed, and the first of these changes. A run that an
 * adjoint keeps does not change, since that goes back through explicit steps. */
typedef struct sal_change {
    double      time;
    int         integrator; /* from there on: SAL_RK8 or SAL_RADAU */
    const char *element;    /* that is stiff; "" where it cannot be told, or nothing is any more */
} sal_change;
SAL_API int  sal_run_changes(const sal_run *run);
SAL_API bool sal_run_change(const sal_run *run, int index, sal_change *change); /* false: out of range, or not kept */

/* Whether what a run has found can be. At every step and event these are looked at; what is beyond rounding and the
 * tolerance of steps ends the run with SAL_ERR_INVARIANT, so that no such number leaves it as a result. */
#define SAL_HEALTH_LIST(X)                                                                                         \
    X(SAL_HEALTH_PULL, "pull")       /* -N of a contact that is closed [N] */                                      \
    X(SAL_HEALTH_CONE, "cone")       /* friction beyond mu N [N] */                                                \
    X(SAL_HEALTH_DRIVE, "drive")     /* slip along its friction of a contact that slides [m/s] */                  \
    X(SAL_HEALTH_GAP, "gap")         /* depth of a contact that is passed through [m] */                           \
    X(SAL_HEALTH_PHI, "Phi")         /* of a constraint that holds [its unit] */                                   \
    X(SAL_HEALTH_PHIDOT, "Phidot")   /* [its unit/s] */                                                            \
    X(SAL_HEALTH_IMPULSE, "impulse") /* velocities that change at an event by more than its impulses [N s] */      \
    X(SAL_HEALTH_PUSH, "push")       /* impulse of a contact that pulls, or beyond mu P along the tangent [N s] */ \
    X(SAL_HEALTH_GAIN, "gain")       /* energy that an impact adds where its law does not [J] */                   \
    X(SAL_HEALTH_WORK, "work")       /* change of energy in a step beyond the work of all that acts in it [J] */

typedef enum sal_health_kind {
#define SAL_HEALTH_ENUM(kind, name) kind,
    SAL_HEALTH_LIST(SAL_HEALTH_ENUM)
#undef SAL_HEALTH_ENUM
        SAL_HEALTH_KINDS
} sal_health_kind;

typedef struct sal_health_item {
    const char *kind;  /* "pull" */
    double      value; /* the worst, compared with its limit */
    double      limit; /* from there on the run ends; 0: there was no reason to look closely */
    double      time;  /* [s] */
    const char *name;  /* of the contact, constraint or coordinate; "" */
} sal_health_item;

typedef enum sal_verdict {
    SAL_GOOD,
    SAL_DOUBTFUL, /* near a limit, grazing, links in line, energy added by a law: sal_run_health_text */
    SAL_BAD       /* the run has ended with SAL_ERR_INVARIANT */
} sal_verdict;

typedef struct sal_health {
    sal_verdict verdict;
    double      balance;        /* energy now - at the start - all work [J] */
    double      transversality; /* smallest of an event: |rate| over what its function changes by at full speed; 1 */
    const char *grazed;         /* which event; "" */
    double      grazed_at;      /* [s] */
    long        jams, closings; /* impacts without collision; contacts that were closed although they would rebound */
    double      energy_added;   /* by laws of restitution [J] */
} sal_health;

SAL_API sal_health sal_run_get_health(const sal_run *run);
/* False: there is no such kind. */
SAL_API bool sal_run_health_item(const sal_run *run, sal_health_kind kind, sal_health_item *item);
/* What makes it doubtful or bad, a sentence each, ended by new lines; "" where nothing does. Gives the length that it
 * has, which may be more than there is room for. */
SAL_API size_t sal_run_health_text(const sal_run *run, char *text, size_t room);

/* The work that has been done on the mechanism up to the state, by who did it: E - E(0) = sum of these + balance.
 * Springs store what they take, and count where they are damped or change; so do forces whose energy is known.
 * Constraints do none but for those that drive; contacts by friction and impacts, events by what they set. False: out
 * of range. */
typedef struct sal_work {
    const char *section, *name; /* of the element; "points", "constraints" for what is prescribed, and for penalties */
    double      joules;
} sal_work;
SAL_API bool         sal_run_work(const sal_run *run, int index, sal_work *work);
SAL_API sal_run_opts sal_run_get_opts(const sal_run *run); /* as they are in effect; `set` is not repeated */

/* ---------------------------------------------------------------------------------- sensitivities */

/* Derivatives at fixed time of what the run shows, with respect to the p = sal_run_wrt_count() quantities asked for;
 * exact through every event. Arrays are by rows, [coordinate, constraint or cost][p]; NULL when none were asked for. */
SAL_API int           sal_run_wrt_count(const sal_run *run);
SAL_API const char   *sal_run_wrt(const sal_run *run, int index);
SAL_API const double *sal_run_Q(const sal_run *run);      /* dq/drho [n][p] */
SAL_API const double *sal_run_V(const sal_run *run);      /* dv/drho [n][p] */
SAL_API const double *sal_run_A(const sal_run *run);      /* da/drho [n][p] */
SAL_API const double *sal_run_Lambda(const sal_run *run); /* dlambda/drho [m][p] */
/* Of each cost up to now [costs][p]. Where the run has ended (at an event, or after a duration that depends on
 * parameters) these are the derivatives of the cost of the whole run, the change of its end time included. */
SAL_API const double *sal_run_cost_gradients(const sal_run *run);
/* Where the end of the run depends on parameters (it ends at an event, or after such a duration): its change [p], zeros
 * otherwise and before the end; NULL when nothing was asked for. */
SAL_API const double *sal_run_end_gradient(const sal_run *run);
/* Of the state at the end, the change of the end time included, as costs and sal_verify see it: q and v [n][p], lambda
 * [m][p]; any may be NULL. At fixed time, like Q, V and Lambda, while the run has not ended. SAL_ERR_ARGUMENT: nothing
 * was asked for. */
SAL_API sal_status sal_run_final_gradients(const sal_run *run, double *q, double *v, double *lambda);
/* Of one of the scene's outputs, p numbers. SAL_ERR_ARGUMENT: no such output, or nothing was asked for. */
SAL_API sal_status sal_run_output_gradient(const sal_run *run, int index, double *gradient);
/* Of the event handled last: d(time)/drho [p]; NULL before the first. */
SAL_API const double *sal_run_event_gradient(const sal_run *run);
SAL_API const double *sal_run_impulse_gradient(const sal_run *run); /* of its impulses, along the event [m][p] */
SAL_API const double *sal_run_Q_before(const sal_run *run);         /* just before that event [n][p] */
SAL_API const double *sal_run_V_before(const sal_run *run);
SAL_API const double *sal_run_Lambda_before(const sal_run *run);
/* Whether the multiplier of a constraint at the state, or its impulse at the event handled last, is a matter of choice:
 * constraints or contacts depend on each other, and of the forces possible the least are taken, or they are shared. Its
 * derivatives are those of that choice. False where it is out of range. */
SAL_API bool sal_run_lambda_chosen(const sal_run *run, int constraint);
SAL_API bool sal_run_impulse_chosen(const sal_run *run, int constraint);
/* "" while the sensitivities hold; else why they do not, from which event on. */
SAL_API const char *sal_run_wrt_invalid(const sal_run *run);
/* "", or from which event on they are those of a limit, and how far they may be off: rebounds that die out. */
SAL_API const char *sal_run_wrt_note(const sal_run *run);
/* Largest |Phi_q Q + Phi_rho| and |d(Phidot)/drho| at accepted steps. */
SAL_API void sal_run_wrt_residuals(const sal_run *run, double *phi, double *phidot);

/* --------------------------------------------------------------------------------------- adjoint */

/* Gradients of costs with respect to any number of parameters, exact through every event, by one sweep back over a run:
 * those that a run with sensitivities on the same steps has, at a cost that hardly depends on how many parameters there
 * are. The run has none of its own (wrt), and is told to the adjoint by sal_simulate from its start to its end:
 *
 *     sal_adjoint_create(run, &opts, &adjoint);
 *     sal_simulate(run, (sal_reader[]){ sal_adjoint_reader(adjoint) }, 1);
 *     sal_adjoint_sweep(adjoint);
 *     const double *gradient = sal_adjoint_gradient(adjoint, 0);
 *
 * While it keeps a run that may be neither changed otherwise nor destroyed. Failures are told by the context. */
typedef struct sal_adjoint sal_adjoint;

typedef struct sal_adjoint_opts {
    size_t             size; /* by sal_adjoint_defaults() */
    const char *const *wrt;  /* as in sal_run_opts; read at creation only */
    int                nwrt;
    const char *const *costs; /* by name; ncosts 0: all of the scene. Read at creation only */
    int                ncosts;
    size_t memory; /* bytes of the run that may be kept; 0: as many as it takes. Where it is less, the run is made once
                    * again in pieces from checkpoints */
} sal_adjoint_opts;

SAL_API sal_adjoint_opts sal_adjoint_defaults(void);
/* SAL_ERR_ARGUMENT: an unknown parameter or cost, no costs, a run with sensitivities or implicit steps, too little
 * memory, a tolerance that depends on what is asked for, an event that sets or costs something by accelerations. */
SAL_API sal_status sal_adjoint_create(sal_run *run, const sal_adjoint_opts *opts, sal_adjoint **adjoint);
SAL_API void       sal_adjoint_destroy(sal_adjoint **adjoint);
SAL_API sal_reader sal_adjoint_reader(sal_adjoint *adjoint);
/* Once for each run told. SAL_ERR_NUMBER: something in the run has no derivative (an event grazes, two events coincide
 * for these parameters only, ...): there is no gradient, and the message names it. SAL_ERR_LIMIT: the memory does not
 * suffice. SAL_STOPPED: the run's opts.stop said so. */
SAL_API sal_status    sal_adjoint_sweep(sal_adjoint *adjoint);
SAL_API const double *sal_adjoint_gradient(const sal_adjoint *adjoint, int index); /* of cost `index` [nwrt] */
SAL_API const char   *sal_adjoint_cost(const sal_adjoint *adjoint, int index);     /* its name; NULL: out of range */
SAL_API const char   *sal_adjoint_wrt(const sal_adjoint *adjoint, int index);

typedef struct sal_adjoint_info {
    int         costs, wrt;
    long        steps;  /* of the run */
    long        remade; /* of them, those made again since the memory did not suffice to keep all */
    size_t      memory; /* the most that was kept at once [bytes] */
    const char *note;   /* as sal_run_wrt_note */
} sal_adjoint_info;
SAL_API sal_adjoint_info sal_adjoint_get_info(const sal_adjoint *adjoint);

/* Checks the sensitivities of a run, for the scene's own elements and the user's: each derivative that opts->wrt asks
 * for (event times, the state and the costs at the end) again by central differences of runs at rtol 1e-12 or
 * opts->rtol, with a study of the step size. `difference` is relative to the largest number of its kind (or to
 * value/parameter/1000 where that is larger). *bad counts those beyond the tolerance or not to be had. SAL_STOPPED:
 * opts->stop said so. */
typedef struct sal_verify_item {
    const char *what, *wrt;
    double      exact, numeric, difference;
    bool        known; /* differences can tell: step sizes do not change the events, and agree well enough for that */
    bool        good;
} sal_verify_item;

typedef void (*sal_verify_report)(void *user, const sal_verify_item *item);
SAL_API sal_status sal_verify(const sal_model *model, const sal_run_opts *opts, double tolerance,
                              sal_verify_report report, void *user, int *bad);
/* The same of the gradients of costs by the adjoint: held against those of tangents on the same steps, to 1e-9 of the
 * largest of a gradient, and against differences. Costs by name; ncosts 0: all of the scene. */
SAL_API sal_status sal_verify_adjoint(const sal_model *model, const sal_run_opts *opts, const char *const *costs,
                                      int ncosts, double tolerance, sal_verify_report report, void *user, int *bad);

/* ---------------------------------------------------------------------------------------- records */

/* The motion of a run, kept: all that the run shows at its output times, start and end included, and on both sides of
 * every event, so that expressions can be evaluated afterwards. It needs the model, not the run. From where on
 * sensitivities are not valid (sal_run_wrt_invalid) derivatives are NaN. */
typedef struct sal_record sal_record;

/* For this run, and others of its model with as many sensitivities. */
SAL_API sal_status sal_record_create(const sal_run *run, sal_record **record);
SAL_API void       sal_record_destroy(sal_record **record);
/* To be told by sal_simulate. It begins anew where the run starts. */
SAL_API sal_reader sal_record_reader(sal_record *record);

/* Sample k of what begins at x is at x[k*stride]. Valid until the record is told more. SAL_ERR_MEMORY in `status`: it
 * ran out of memory, and ends there. */
typedef struct sal_record_info {
    sal_status    status;
    int           samples, events;
    size_t        stride;
    const double *t;                       /* [s] */
    const double *segment;                 /* events so far */
    const double *q, *v, *a;               /* [n] */
    const double *lambda;                  /* [m] */
    const double *costs;                   /* up to then */
    const double *Q, *V, *A;               /* [n][p]; NULL when no sensitivities were asked for, like those below */
    const double *Lambda, *cost_gradients; /* [m][p], [costs][p] */
} sal_record_info;
SAL_API sal_record_info sal_record_get_info(const sal_record *record);

/* An expression, or one of the scene's outputs, at every sample: values [samples], its derivatives at fixed time
 * gradients [samples][p]; either may be NULL. SAL_ERR_ARGUMENT: of another model, out of range, or no sensitivities
 * were asked for. */
SAL_API sal_status sal_record_probe(const sal_record *record, const sal_probe *probe, double *values,
                                    double *gradients);
SAL_API sal_status sal_record_output(const sal_record *record, int index, double *values, double *gradients);

/* An event that was kept; see sal_event_info and sal_event_contact. False: out of range. */
typedef struct sal_record_event {
    int           index; /* see sal_model_event */
    const char   *name;
    int           sample;              /* of the state just after it; the one before it is that just before */
    double        time, rate;          /* [s], [its unit/s] */
    double        energy, energy_lost; /* just after it; by it [J] */
    double        energy_added;        /* by its impacts, beyond rounding [J] */
    bool          grazing, stop, closed;
    const double *impulse;                     /* [m] */
    const double *gradient, *impulse_gradient; /* of its time [p], of its impulses [m][p]; NULL without sensitivities */
    int           contacts;
    const sal_event_contact *contact; /* [contacts] */
} sal_record_event;
SAL_API bool sal_record_get_event(const sal_record *record, int index, sal_record_event *event);

/* ----------------------------------------------------------------------------------------- cycles */

/* Periodic motions. The return map P goes from the start to just after the section, an event of the scene, or over the
 * period of a motion that depends on t, then exchanges the roles of points and memory and moves everything back by what
 * the origin point has moved (the scene's section "cycle"). A cycle is a start with P(start) = start; Newton's method
 * finds it, with exact derivatives of P through every event. Their eigenvalues are the Floquet multipliers; those that
 * are zero because of the constraints and the section are left out. Memory that events set and the motion reads is part
 * of the state, as coordinates and velocities are. */
typedef struct sal_cycle_opts {
    size_t       size;       /* by sal_cycle_defaults() */
    const char  *section;    /* name of an event; NULL: as the scene says, which may also give a period */
    int          steps;      /* the map is applied so many times; 1 */
    double       tolerance;  /* of P(start) - start, relative to the sizes of positions and velocities; 1e-11 */
    int          iterations; /* of Newton's method at most; 50 */
    sal_run_opts run;        /* wrt: parameters only. rtol: 1e-12 or the scene's where that is less, when not given;
                              * duration: how long to wait for the section. Its limits are those of each run */
} sal_cycle_opts;

SAL_API sal_cycle_opts sal_cycle_defaults(void);
/* opts may be NULL. SAL_ERR_ARGUMENT: no or an unknown section, time in the motion without a period, something other
 * than a parameter in wrt. What opts points to is read here only. */
SAL_API sal_status sal_cycle_create(const sal_model *model, const sal_cycle_opts *opts, sal_cycle **cycle);
SAL_API void       sal_cycle_destroy(sal_cycle **cycle);

/* Other values of parameters, and "initial(P.x)", ..., "initial(NAME)" as a first guess. */
SAL_API sal_status sal_cycle_set(sal_cycle *cycle, const char *name, double value);
/* Finds the cycle from the scene's start, from the guess set, or from the cycle found last. Where parameters have
 * changed since, its derivatives predict the start, and where that is too far the parameters go there step by step;
 * without one, from the cycle of the scene's own parameters. SAL_ERR_CYCLE: there is none near, or the section is not
 * reached; a run that fails at the first guess gives its own status. SAL_ERR_SCENE: the motion notices that it is moved
 * back, or is not the same a period later; the message names what. SAL_STOPPED: opts->run.stop said so. */
SAL_API sal_status sal_cycle_find(sal_cycle *cycle);

/* Of the cycle found last; not meaningful before. */
typedef struct sal_cycle_info {
    const char *section; /* NULL: it closes after the period */
    int         steps;
    int         shortest;    /* steps after which it closes already: a divisor of steps */
    int         iterations;  /* Newton's method took */
    double      residual;    /* largest |P(start) - start|, relative */
    double      period;      /* [s], of all steps */
    double      advance[2];  /* by which the origin point moves in all steps [m]; 0 without one */
    double      length;      /* its length [m] */
    int         memory;      /* numbers of memory in the state */
    int         unknowns;    /* 2n + memory that is read by value: the size of the monodromy matrix */
    int         multipliers; /* that are not zero */
    int         neutral;     /* of those, how many are 1 because the cycle is one of a family */
    double      largest;     /* |mu| of the others */
    bool        stable;      /* all |mu| < 1, no neutral ones */
} sal_cycle_info;

SAL_API sal_cycle_info sal_cycle_get_info(const sal_cycle *cycle);
SAL_API const double  *sal_cycle_start(const sal_cycle *cycle); /* n coordinates, n velocities, then memory: */
/* Memory in the state, by name: what events set and the motion reads, first by value, then by conditions alone, which
 * has no derivatives. NULL: out of range. */
SAL_API const char *sal_cycle_memory(const sal_cycle *cycle, int index);
SAL_API bool sal_cycle_multiplier(const sal_cycle *cycle, int index, double mu[2]); /* by size; false: out of range */
SAL_API const double *sal_cycle_outputs(const sal_cycle *cycle);                    /* of the scene, at the start */
SAL_API const double *sal_cycle_costs(const sal_cycle *cycle);                      /* of the scene, over the period */

/* Derivatives of the cycle with respect to the p parameters in opts->run.wrt, as long as it stays a cycle: rows of p
 * numbers. NaN where there is none (at a fold). Where cycles come in families: of the nearest one. */
SAL_API int           sal_cycle_wrt_count(const sal_cycle *cycle);
SAL_API const char   *sal_cycle_wrt(const sal_cycle *cycle, int index);
SAL_API const double *sal_cycle_start_gradients(const sal_cycle *cycle); /* [2n + memory][p] */
SAL_API const double *sal_cycle_period_gradient(const sal_cycle *cycle);
SAL_API const double *sal_cycle_length_gradient(const sal_cycle *cycle);
SAL_API const double *sal_cycle_output_gradients(const sal_cycle *cycle); /* [outputs][p] */
SAL_API const double *sal_cycle_cost_gradients(const sal_cycle *cycle);   /* [costs][p] */

/* Where multipliers cross the unit circle. */
typedef enum sal_bifurcation {
    SAL_NO_BIFURCATION,
    SAL_FOLD,  /* through 1, and the parameter turns back */
    SAL_CROSS, /* through 1, and it does not: another branch crosses */
    SAL_FLIP,  /* through -1: period doubling */
    SAL_TORUS  /* a complex pair: Neimark-Sacker */
} sal_bifurcation;

typedef struct sal_cycle_point {
    int             number;    /* of the points so far, bifurcations not counted */
    double          parameter; /* refined where it is a bifurcation */
    sal_bifurcation kind;
} sal_cycle_point;

/* Called at each point of a branch, in order; the accessors above belong to that point. */
typedef void (*sal_cycle_report)(void *user, const sal_cycle_point *point);

typedef struct sal_follow_opts {
    size_t           size;     /* by sal_follow_defaults() */
    double           from, to; /* of the parameter */
    int              points;   /* at most; 500 */
    double           step;     /* first step along the branch, as a part of the range; 0.02 */
    double           max_step; /* 0.1 */
    double           min_step; /* 1e-6; where that is too long the branch has ended */
    sal_cycle_report report;   /* may be NULL */
    void            *user;     /* handed to it */
} sal_follow_opts;

SAL_API sal_follow_opts sal_follow_defaults(void);
/* Follows the cycle while a parameter (one of wrt) changes, around folds; ends at either end of the range. The cycle at
 * `from` is found from the first guess, or by following it there from the value that the parameter has. SAL_ERR_CYCLE:
 * the branch ends before; the points so far have been reported. */
SAL_API sal_status sal_cycle_follow(sal_cycle *cycle, const char *parameter, const sal_follow_opts *opts);

/* The monodromy matrix of the cycle found last: the derivative of the return map [unknowns][unknowns], with respect to
 * the n coordinates, n velocities and memory of the start, by rows; its eigenvalues are the multipliers. */
SAL_API void sal_cycle_monodromy(const sal_cycle *cycle, double *matrix);

/* ---------------------------------------------------------------------------------------- matrices */

/* At the state of a run, by rows. All but the first allocate. */
SAL_API void       sal_run_mass(const sal_run *run, double *M);     /* [n][n] */
SAL_API sal_status sal_run_jacobian(const sal_run *run, double *J); /* Phi_q [m][n]; rows that do not hold are zero */
/* The linearisation q' = v, v' = a(q, v, rho) with what holds now: a_q and a_v [n][n], a_rho [n][parameters], each may
 * be
 * NULL. Constraint forces included: A = [0 1; a_q a_v] and B = [0; a_rho] are those of the motion on the constraints.
 * */
SAL_API sal_status sal_run_linearize(const sal_run *run, double *a_q, double *a_v, double *a_rho);
/* The saltation matrix of the event handled last, d[q+; v+]/d[q-; v-] at fixed time [2n][2n]. SAL_ERR_ARGUMENT: there
 * has
 * been none, or it grazed; SAL_ERR_NUMBER: it has no derivative, or another event at the same instant changed its
 * function.
 * Memory that the event sets is no part of it. */
SAL_API sal_status sal_run_saltation(const sal_run *run, double *S);

/* The rank of Phi_q at the state: degrees of freedom are n - rank. Allocates; not for the middle of a run. */
SAL_API sal_status sal_run_rank(const sal_run *run, int *rank);
/* Coordinates that determine all others at the state: those marked dof as far as they can, the rest by pivoting. dof
 * [n] gets their indices, *count their number, n - rank. Allocates. */
SAL_API sal_status sal_run_partition(const sal_run *run, int *dof, int *count);

/* --------------------------------------------------------------------------------------- analysis */

/* What the constraints that hold at the state of a run are like, and what in the scene nothing uses. Allocates; not for
 * the middle of a run. Lives as long as its model at most. */
typedef struct sal_analysis sal_analysis;

SAL_API sal_status sal_analysis_create(const sal_run *run, sal_analysis **analysis);
SAL_API void       sal_analysis_destroy(sal_analysis **analysis);

typedef struct sal_analysis_info {
    int    constraints; /* that hold */
    int    rank;        /* of Phi_q, rows scaled to length 1 */
    int    freedom;     /* n - rank: degrees of freedom */
    double singular;    /* smallest singular value of the scaled Phi_q over the largest, those that are zero left out */
    bool   near_singular;     /* it is less than 1e-6: close to a singular configuration */
    int    dependencies;      /* constraints that depend on others: constraints - rank */
    int    unused_points;     /* that no body, joint, contact, output, cost or cycle uses */
    int    unused_parameters; /* that nothing depends on */
} sal_analysis_info;

SAL_API sal_analysis_info sal_analysis_get_info(const sal_analysis *analysis);

/* grad Phi_row = sum of factor[k] grad Phi_others[k], others before it in the scene; see sal_model_constraint. */
typedef struct sal_dependency {
    int           row, count;
    const int    *others;
    const double *factor;
    bool          here; /* only in this configuration, which is singular; else along every motion from here */
} sal_dependency;

SAL_API bool        sal_analysis_dependency(const sal_analysis *analysis, int index,
                                            sal_dependency *dependency);                /* false: out of range */
SAL_API const char *sal_analysis_unused_point(const sal_analysis *analysis, int index); /* NULL: out of range */
SAL_API const char *sal_analysis_unused_parameter(const sal_analysis *analysis, int index);

/* ----------------------------------------------------------------------------- equilibria and modes */

/* Static equilibria at t = 0: F(q, v = 0) = Phi_q^T lambda, Phi = 0; what is driven stands still as it is then. From
 * the
 * scene's start a stable one is searched; a start that is one already, stable or not, is taken as it is. Contacts that
 * are closed at the start are constraints, and none opens or closes on the way. */
typedef struct sal_equilibrium sal_equilibrium;

typedef struct sal_equilibrium_opts {
    size_t       size;       /* by sal_equilibrium_defaults() */
    double       tolerance;  /* of the forces left, relative to those that act; 1e-12 */
    int          iterations; /* at most; 300 */
    sal_run_opts run;        /* set and quiet; wrt: parameters only. The rest is not read */
} sal_equilibrium_opts;

SAL_API sal_equilibrium_opts sal_equilibrium_defaults(void);
/* opts may be NULL. What it points to is read here only. */
SAL_API sal_status sal_equilibrium_create(const sal_model *model, const sal_equilibrium_opts *opts,
                                          sal_equilibrium **equilibrium);
SAL_API void       sal_equilibrium_destroy(sal_equilibrium **equilibrium);
/* Other values of parameters, and "initial(P.x)", ... as a place to search from. */
SAL_API sal_status sal_equilibrium_set(sal_equilibrium *equilibrium, const char *name, double value);
/* SAL_ERR_EQUILIBRIUM: there is none near; the message says along what nothing holds it. */
SAL_API sal_status sal_equilibrium_find(sal_equilibrium *equilibrium);

/* Of the equilibrium found last; not meaningful before. */
typedef struct sal_equilibrium_info {
    int         iterations; /* 0: the start is one */
    double      residual;   /* largest force left, relative */
    int         freedom;    /* degrees of freedom */
    double      stiffness;  /* smallest eigenvalue of H_z [N/m], H_z = -d(force)/d(motion); infinite without freedom */
    bool        stable;     /* it is positive... */
    bool        neutral;    /* ...or zero: one of a family, or only higher orders can tell */
    double      energy;     /* [J] */
    const char *warning;    /* "", or which contacts would pull, slip or have been passed through */
} sal_equilibrium_info;

SAL_API sal_equilibrium_info sal_equilibrium_get_info(const sal_equilibrium *equilibrium);

SAL_API const double *sal_equilibrium_q(const sal_equilibrium *equilibrium);         /* n coordinates */
SAL_API const double *sal_equilibrium_lambda(const sal_equilibrium *equilibrium);    /* m multipliers */
SAL_API const double *sal_equilibrium_outputs(const sal_equilibrium *equilibrium);   /* of the scene */
SAL_API const double *sal_equilibrium_reactions(const sal_equilibrium *equilibrium); /* see sal_model_reaction */

/* Derivatives with respect to the p parameters in opts->run.wrt, as long as it stays an equilibrium: rows of p numbers,
 * exact. NaN where there is none: where it has no stiffness, or constraints that depend on each other come apart. */
SAL_API int           sal_equilibrium_wrt_count(const sal_equilibrium *equilibrium);
SAL_API const char   *sal_equilibrium_wrt(const sal_equilibrium *equilibrium, int index);
SAL_API const double *sal_equilibrium_q_gradients(const sal_equilibrium *equilibrium);        /* [n][p] */
SAL_API const double *sal_equilibrium_lambda_gradients(const sal_equilibrium *equilibrium);   /* [m][p] */
SAL_API const double *sal_equilibrium_output_gradients(const sal_equilibrium *equilibrium);   /* [outputs][p] */
SAL_API const double *sal_equilibrium_reaction_gradients(const sal_equilibrium *equilibrium); /* [reactions][p] */

/* Small motions about an equilibrium that has been found: M_z y'' + D_z y' + H_z y = 0, y ~ exp(s t). A complex pair of
 * eigenvalues s is one mode, a real eigenvalue is one as well; without damping so is a pair +- of them. */
typedef struct sal_modes sal_modes;

typedef enum sal_mode_kind {
    SAL_MODE_OSCILLATES, /* a complex pair */
    SAL_MODE_CREEPS,     /* real, negative: it comes back without oscillating */
    SAL_MODE_ZERO,       /* nothing drives it back: a rigid motion, or a coordinate that only its damping holds */
    SAL_MODE_DIVERGES    /* real, positive */
} sal_mode_kind;

typedef struct sal_mode {
    sal_mode_kind kind;
    double        s[2];      /* eigenvalue, im >= 0 [1/s] */
    double        frequency; /* natural: |s| [rad/s] */
    double        damping;   /* ratio: -re/|s| */
    bool          unstable;  /* re > 0 */
    int           repeated;  /* eigenvalues like this one, itself included; beyond 1 it has no derivatives of its own */
    const double *shape[2];  /* [n] displacements, re and im; the largest is 1 */
    double        mass;      /* of the mode with that shape [kg] */
} sal_mode;

/* The equilibrium must be found, and stay as it is while this is made. */
SAL_API sal_status sal_modes_create(sal_equilibrium *equilibrium, sal_modes **modes);
SAL_API void       sal_modes_destroy(sal_modes **modes);
SAL_API int        sal_modes_count(const sal_modes *modes);
SAL_API bool       sal_modes_mode(const sal_modes *modes, int index, sal_mode *mode); /* by frequency; false: none */
/* Derivatives of a mode with respect to the p parameters of the equilibrium, which moves along: of the eigenvalue, [p]
 * re and im, of its frequency and of its damping ratio. Any may be NULL. NaN: there is none. False: out of range. */
SAL_API bool sal_modes_gradient(const sal_modes *modes, int index, double *re, double *im, double *frequency,
                                double *damping);

/* ----------------------------------------------------------------------------------------- sweeps */

/* Many cases of one model that differ in parameters or initial values: each a run, a cycle or an equilibrium, told as a
 * row of numbers. Every case is computed by itself, from its beginning: its row is the same bits whatever else is
 * computed before or at the same time. */
typedef struct sal_sweep sal_sweep;

typedef enum sal_study { SAL_STUDY_RUN, SAL_STUDY_CYCLE, SAL_STUDY_EQUILIBRIUM } sal_study;
/* How derivatives are made: the adjoint where it is cheaper and steps are the same (wrt_uncontrolled), or as asked for.
 * Where the adjoint refuses a case, it is forward derivatives again. */
typedef enum sal_gradients { SAL_GRADIENTS_CHEAPER, SAL_GRADIENTS_FORWARD, SAL_GRADIENTS_ADJOINT } sal_gradients;

/* Columns. Of a run: an expression at its end, or one of the scene's outputs by name; "cost(NAME)"; "time(EVENT)",
 * "time(EVENT, K)", "time(K)": when an event, or any, happens for the first or K-th time, NaN when it does not;
 * "events", "events(EVENT)": how many happen. Of a cycle: "period", "length", "largest", "stable", coordinates and
 * velocities at its start, outputs, "cost(NAME)". Of an equilibrium: "energy", "stiffness", "stable", coordinates,
 * outputs, reactions. None: t and events, or all of these that are words; outputs, costs; coordinates and reactions of
 * an equilibrium.
 *
 * With opts.run.wrt the derivatives of a column, where it has any, are columns too, "d NAME/d PARAMETER": of what is
 * told, as the end of the run, the cycle or the equilibrium changes with the parameter. NaN: there is none. */
typedef struct sal_sweep_opts {
    size_t             size; /* by sal_sweep_defaults() */
    sal_study          study;
    const char *const *over; /* what cases differ in: as in sal_run_set */
    int                nover;
    const char *const *columns;
    int                ncolumns;
    int                jobs;      /* threads of sal_sweep_cases; 0: one for each processor that may be used */
    const char        *section;   /* of cycles, see sal_cycle_opts */
    int                steps;     /* 1 */
    double             tolerance; /* of cycles and equilibria; 0: as there */
    sal_run_opts       run;       /* of each case. stop is asked by all threads, at the same time */
    sal_gradients      gradients;
} sal_sweep_opts;

SAL_API sal_sweep_opts sal_sweep_defaults(void);
/* What opts points to is read here only. SAL_ERR_ARGUMENT: an unknown name, an expression that is none. */
SAL_API sal_status  sal_sweep_create(const sal_model *model, const sal_sweep_opts *opts, sal_sweep **sweep);
SAL_API void        sal_sweep_destroy(sal_sweep **sweep);
SAL_API int         sal_sweep_column_count(const sal_sweep *sweep);
SAL_API const char *sal_sweep_column(const sal_sweep *sweep, int index); /* name; NULL: out of range */
/* Whether the column is a derivative: of which column, with respect to which of wrt. */
SAL_API bool sal_sweep_gradient(const sal_sweep *sweep, int index, int *of, int *wrt);

/* Which it is, and why: "100 parameters, 5 values". */
SAL_API sal_gradients sal_sweep_gradients(const sal_sweep *sweep, const char **why);

/* One case: values [nover] to row [columns]. SAL_OK, SAL_STOPPED, or why it failed; then the row is NaN, and message,
 * which has `room` bytes, says more. Otherwise it is "", or what is doubtful. Any number of threads may call it. */
SAL_API sal_status sal_sweep_case(const sal_sweep *sweep, const double *values, double *row, char *message,
                                  size_t room);

typedef struct sal_sweep_result {
    long          index;   /* of the case */
    sal_status    status;  /* as sal_sweep_case gives it; never SAL_STOPPED */
    const double *row;     /* [columns] */
    const char   *message; /* "", or why it failed, or what is doubtful */
} sal_sweep_result;

/* Called for each case as soon as it is done, in any order, by the thread that called sal_sweep_cases. False: stop. */
typedef bool (*sal_sweep_report)(void *user, const sal_sweep_result *result);

/* n cases over the threads of opts.jobs, values [n][nover]. A case that fails is reported, and the others go on.
 * SAL_STOPPED: report or opts.run.stop said so; cases that were not done are not reported. SAL_ERR_MEMORY. */
SAL_API sal_status sal_sweep_cases(const sal_sweep *sweep, const double *values, long n, sal_sweep_report report,
                                   void *user);

/* An expression of the user's, compiled once, evaluated at the state of any run of the model. */
SAL_API sal_status sal_probe_create(const sal_model *model, const char *expression, sal_probe **probe);
SAL_API void       sal_probe_destroy(sal_probe **probe);
SAL_API double     sal_probe_value(const sal_probe *probe, const sal_run *run);
/* Its derivatives at fixed time, p numbers. SAL_ERR_ARGUMENT: of another model, or nothing was asked for. */
SAL_API sal_status sal_probe_gradient(const sal_probe *probe, const sal_run *run, double *gradient);

/* The value of an expression of the parameters, "2*L2", with these settings: those that are no parameters are passed
 * over. SAL_ERR_ARGUMENT with a message when it is not one, or not finite. */
SAL_API sal_status sal_model_evaluate(const sal_model *model, const sal_setting *set, int nset, const char *expression,
                                      double *value);
/* The value of an expression without names, "sqrt(5)/2": SAL_ERR_ARGUMENT with a message when it is not one. */
SAL_API sal_status sal_evaluate(sal_context *context, const char *expression, double *value);

#ifdef __cplusplus
}
#endif

#endif
