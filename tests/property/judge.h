/* judge.h - runs a mechanism and says what is wrong with its motion; by saltus.h alone. */
#ifndef PROPERTY_JUDGE_H
#define PROPERTY_JUDGE_H

#include "engine/saltus.h"
#include "tests/property/mechanism.h"

/* What must hold at every accepted step and event. The judge knows sizes by their parts (forces by what acts, energies
 * by their sorts, speeds by the fastest so far); the numbers are far beyond rounding and far below a wrong decision. */
#define VIOLATION_LIST(X)                                                          \
    X(number, "a number is not finite")                                            \
    X(gap, "a contact is passed through")                                          \
    X(apart, "a contact is closed where nothing touches")                          \
    X(pull, "a contact pulls")                                                     \
    X(cone, "friction beyond its cone")                                            \
    X(drive, "friction of a sliding contact is not mu_kinetic N against the slip") \
    X(soft, "a compliant contact has another force than its law")                  \
    X(rows, "a length or a pin does not hold")                                     \
    X(impulse, "an impulse pulls or is beyond its cone")                           \
    X(impact, "an event adds energy")                                              \
    X(closing, "a contact whose rebounds end is closed with a gain of energy")     \
    X(energy, "energy grows between events")                                       \
    X(jump, "velocities jump without an impulse")
#define VIOLATION_ENUM(name, text) VIOLATION_##name,
typedef enum violation { VIOLATION_LIST(VIOLATION_ENUM) VIOLATIONS } violation;
#undef VIOLATION_ENUM

extern const char *const violation_names[VIOLATIONS];
extern const char *const violation_texts[VIOLATIONS];

typedef enum outcome {
    ENDED,   /* came to its end */
    FAILED,  /* ended with a named error */
    REFUSED, /* the scene is not valid or cannot be assembled: the generator's fault */
    SLOW,    /* beyond the time allowed, and could be stopped */
    HANGS,   /* beyond it, and could not; said by the parent process */
    CRASHES, /* the same */
    OUTCOMES
} outcome;

typedef struct verdict {
    unsigned long long seed;
    outcome            outcome;
    int                bodies, touches;
    sal_status         status;
    unsigned           violated; /* bit by bit */
    int                first;    /* violation; -1: none */
    double             time;     /* processor [s] */
    long               steps, events;
    char               error[240], violation[240]; /* message; what was found first */

    bool     compared; /* with its equivalents */
    unsigned broken;   /* those that move otherwise, bit by bit: see variants.h */
    unsigned rebounds; /* those that do after rebounds have become slow */
    double   horizon;  /* compared up to this part of the duration */
    char     equivalence[240];

    int  derivatives, wrong, unknown;
    char derivative[240];
} verdict;

typedef struct limits {
    double   seconds;  /* processor time */
    unsigned variants; /* that are compared, bit by bit: see variants.h */
} limits;

/* The run of a mechanism, from its text; NULL: see v. */
typedef struct loaded {
    sal_context *context;
    sal_scene   *scene;
    sal_model   *model;
    sal_run     *run;
} loaded;
sal_status load_scene(const mechanism *m, loaded *it); /* without a run */
sal_status load(const mechanism *m, const sal_run_opts *opts, loaded *it);
void       unload(loaded *it);

/* Stops a run after some processor time: opts.stop = clock_over, opts.user = &alarm. */
typedef struct alarm_clock {
    double end;
    bool   rang;
} alarm_clock;
alarm_clock alarm_after(double seconds);
bool        clock_over(void *alarm);
double      processor_time(void);

void judge(const mechanism *m, const limits *most, verdict *v);
/* The scene of one mechanism, judged by the laws of another that has the same parts: for the test of the judge. */
void judge_as(const mechanism *scene, const mechanism *laws, const limits *most, verdict *v);
/* The variants are changed by the part `spoilt` of themselves: 0, but for the test of the comparison. */
void check_equivalents(const mechanism *m, const limits *most, double spoilt, verdict *v);
void check_derivatives(const mechanism *m, const limits *most, verdict *v);
void check_adjoint(const mechanism *m, const limits *most, verdict *v);

#endif
