/* cli.h - what the subcommands of `saltus` share. */
#ifndef SAL_TOOLS_CLI_H
#define SAL_TOOLS_CLI_H

#include <signal.h>
#include <stdio.h>

#include "engine/saltus.h"

/* Exit codes, also in the help text. */
enum {
    EXIT_USAGE    = 2,  /* wrong arguments */
    EXIT_SCENE    = 3,  /* the scene cannot be read or is not valid */
    EXIT_ASSEMBLY = 4,  /* the mechanism cannot be assembled */
    EXIT_RUN      = 5,  /* the run failed on its way */
    EXIT_OUTPUT   = 6,  /* the results cannot be written */
    EXIT_MISMATCH = 7,  /* a derivative does not exist or was not confirmed */
    EXIT_CYCLE    = 8,  /* no cycle was found, or it cannot be followed any further */
    EXIT_REST     = 9,  /* no equilibrium was found */
    EXIT_DOUBTFUL = 10, /* --strict: there were warnings, or the run is doubtful */
    EXIT_OPTIMUM  = 11, /* nothing was found that all conditions allow */
    EXIT_STOPPED  = 130 /* interrupted; what was computed is there */
};

/* Options of draw, plot, report, view and sweep that are read there. */
#define WORD_LIST(X)                                                                          \
    X(WORD_AT, "--at", true)                                                                  \
    X(WORD_STRIP, "--strip", true)                                                            \
    X(WORD_GHOSTS, "--ghosts", true)                                                          \
    X(WORD_TRACE, "--trace", true)                                                            \
    X(WORD_SPEED, "--speed", true)                                                            \
    X(WORD_ANIMATE, "--animate", false)                                                       \
    X(WORD_NAMES, "--names", false)                                                           \
    X(WORD_FORCES, "--forces", false)                                                         \
    X(WORD_WIDTH, "--width", true) /* of both, as those that follow are of plot */            \
    X(WORD_SERIES, "--series", true)                                                          \
    X(WORD_AGAINST, "--against", true)                                                        \
    X(WORD_FROM, "--from", true)                                                              \
    X(WORD_TO, "--to", true)                                                                  \
    X(WORD_HEIGHT, "--height", true)                                                          \
    X(WORD_DIFFERENCES, "--differences", true) /* of report */                                \
    X(WORD_NO_BROWSER, "--no-browser", false)  /* these are of view */                        \
    X(WORD_PORT, "--port", true)                                                              \
    X(WORD_LIMIT, "--limit", true)       /* of view, optimize and sweep */                    \
    X(WORD_MINIMIZE, "--minimize", true) /* these are of optimize */                          \
    X(WORD_MAXIMIZE, "--maximize", true)                                                      \
    X(WORD_GRADIENTS, "--gradients", true)                                                    \
    X(WORD_STARTS, "--starts", true)                                                          \
    X(WORD_EVALUATIONS, "--evaluations", true)                                                \
    X(WORD_CONFIDENCE, "--confidence", true) /* of fit */                                     \
    X(WORD_METHOD, "--method", true)         /* of both, as those that follow are of sweep */ \
    X(WORD_SEED, "--seed", true)                                                              \
    X(WORD_STUDY, "--study", true)                                                            \
    X(WORD_SAMPLE, "--sample", true)                                                          \
    X(WORD_COLUMNS, "--columns", true)                                                        \
    X(WORD_RESUME, "--resume", false)                                                         \
    X(WORD_PARTIAL, "--partial", false)                                                       \
    X(WORD_JOBS, "--jobs", true)

typedef enum word_id {
#define WORD_ENUM(word, option, value) word,
    WORD_LIST(WORD_ENUM)
#undef WORD_ENUM
        WORDS
} word_id;

/* Arguments of a subcommand that works on a scene. As many settings, names and plug-ins as are given: what the lists
 * hold is freed with the session. */
typedef struct arguments {
    const char  *scene;
    const char  *final;   /* of run: a scene to write that goes on from its end; NULL: none */
    const char  *columns; /* of run and sens: expressions, as given; NULL: none */
    bool         units;   /* of run and sens: units in the headers of tables */
    bool         quiet;   /* no summary, no progress */
    const char  *output;  /* folder, or file of assemble, equilibrium, draw, plot and report; NULL: none */
    const char  *report;  /* of run, sens, cycle, equilibrium and modes: a page to write; NULL: none */
    bool         json;
    bool         strict;  /* warnings are failures */
    bool         work;    /* of run: print who did work */
    bool         adjoint; /* of sens and verify */
    size_t       memory;  /* of sens --adjoint: bytes that may be kept; 0: as many as it takes */
    sal_run_opts opts;    /* its `set` is filled by read_arguments, its `wrt` by session_wrt */
    sal_setting *set;
    const char **set_value; /* [nset] as given: evaluated when the parameters are known */
    const char **wrt;
    const char **plugin;
    int          nplugin;
    char       **text; /* copies that the lists point into */
    int          ntext;
    const char  *wrt_text, *cost; /* as given, NULL: not */
    double       tolerance;       /* of verify, of cycle */
    const char  *section;         /* of cycle, NULL: not given */
    char         follow[64];      /* parameter, "": none */
    double       from, to;        /* its range */
    int          events;          /* of run: how many to print; 0: all */
    int          steps;
    const char  *word[WORDS]; /* of draw, plot, report, view and sweep, as given; NULL: not */
    const char **overlay;     /* of plot: --overlay; of sweep, optimize and fit: --over */
    int          noverlay;
    const char **subject; /* of optimize: --subject-to */
    int          nsubject;
    const char **data, **column, **noise; /* of fit: files, --column, --noise */
    int          ndata, ncolumn, nnoise;
} arguments;

/* A loaded scene with its model and a run at its start. */
typedef struct session {
    sal_context *context;
    sal_scene   *scene;
    sal_model   *model;
    sal_run     *run;
    char        *text; /* of the scene, where it came from stdin; else NULL */
    size_t       size;
} session;

/* Which options beyond --set and --json a subcommand takes. */
typedef enum accepted {
    ACCEPT_SCENE,
    ACCEPT_RUN,
    ACCEPT_SENS,
    ACCEPT_VERIFY,
    ACCEPT_CYCLE,
    ACCEPT_ASSEMBLE,
    ACCEPT_EQUILIBRIUM,
    ACCEPT_MODES,
    ACCEPT_VIEW,
    ACCEPT_DRAW,
    ACCEPT_PLOT,
    ACCEPT_REPORT,
    ACCEPT_SWEEP,
    ACCEPT_OPTIMIZE,
    ACCEPT_FIT
} accepted;

/* Fills `a`, for session_close to free; false, and nothing to free, after a message on stderr (or, for --help, after
 * the help on stdout with *code = 0). */
bool read_arguments(int argc, char **argv, accepted accept, const char *help, arguments *a, int *code);

/* A number or an expression of numbers; false after a message that names the option. */
bool read_number(const char *option, const char *text, double *number);

/* An expression of the parameters of the scene, with these settings. */
bool read_setting_value(const session *s, const char *option, const char *text, const sal_setting *set, int nset,
                        double *value);

/* The same between two numbers; text NULL: it stays. */
bool read_between(const char *option, const char *text, double low, double high, double *number);
/* One of the words, ended by NULL: which; the first without text. */
bool read_choice(const char *option, const char *text, const char *const *words, int *choice);
/* --gradients; how derivatives by so many parameters are made; the word for it, and why. */
bool        read_gradients(const char *text, sal_gradients *how);
void        set_gradients(sal_sweep_opts *opts, sal_gradients how, int parameters);
const char *gradients_word(const sal_sweep *sweep, const char **why);
/* The same of a whole number from 1 on; it stays as it is where there is no text. */
bool read_whole(const char *option, const char *text, double most, long *number);

/* Pieces of a text that commas separate, those in brackets not: cut in place, blanks at their ends left out. Gives how
 * many there are; those beyond `most` are counted only. */
int split_pieces(char *text, char **piece, int most);

int session_open(session *s, const arguments *a);  /* context, scene, model: 0 or an exit code, message printed */
int session_start(session *s, const arguments *a); /* the run */
/* A parameter of this name that is a function of time; false: it is none. */
bool session_vector(const session *s, const char *name, sal_vector_info *info);
int  session_wrt(session *s, arguments *a); /* opts.wrt from --wrt, or all parameters of the scene */
void session_close(session *s, arguments *a);

/* cmd_sens.c: of the costs that --cost names: all without it; and whether there are all of them, else an exit code. */
bool cost_is_asked(const arguments *a, const char *name);
int  check_costs(const session *s, const arguments *a);

/* ending.c: before anything else, and last: the exit code, EXIT_OUTPUT where stdout could not be written. */
void command_begins(void);
int  command_ends(int code);
bool stdout_written(void); /* so far; false after a message on stderr */

/* Ctrl-C: `interrupted` is set from here on, to be looked at between steps. A second one ends the command at once. */
extern volatile sig_atomic_t interrupted;
void                         catch_interrupts(void);
double                       now(void); /* wall clock [s] */

/* Memory that is there: without, the command ends with a message, and with it everything that is not complete. All of
 * cJSON's is of this kind. For what is small; what grows with a run is allocated as usual, and its lack reported. */
void *need_memory(size_t size);
void *need_more(void *memory, size_t size); /* as realloc */
void *need_zeros(size_t count, size_t size);
char *need_copy(const char *text);

/* progress.c: a line on stderr where that is a terminal, from one second on. It is shown whenever a run asks whether to
 * stop; how far it is, where progress_begin was told which run goes on. progress_end takes it away. */
void progress_begin(const sal_run *run);
void progress_tick(void);
void progress_end(void);
void progress_quiet(void);

/* Text that comes from a scene, for a terminal: control characters, which could steer it, are shown as '?'; lines stay
 * lines. The title of the scene is one line; `otherwise` where it has none. */
void print_shown(FILE *f, const char *text);
void print_title(const session *s, const char *otherwise);
void print_path(const char *path);      /* a line; as it is where a program reads it */
void print_json_text(const char *text); /* a document and a new line; in strings they are escaped */

extern int warnings; /* printed so far */
/* health.c: the exit code with --strict, where there were warnings or the run is doubtful; else `code`. */
int strict_code(const session *s, const arguments *a, int code);
int report(const char *text, sal_status status); /* prints the message, gives the exit code of the status */

extern const char *const form_names[];
extern const char *const integrator_names[];

int command_assemble(int argc, char **argv);
int command_equilibrium(int argc, char **argv);
int command_fit(int argc, char **argv);
int command_modes(int argc, char **argv);
int command_new(int argc, char **argv);
int command_optimize(int argc, char **argv);
int command_run(int argc, char **argv);
int command_check(int argc, char **argv);
int command_cycle(int argc, char **argv);
int command_draw(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_report(int argc, char **argv);
int command_sens(int argc, char **argv);
int command_sens_adjoint(arguments *a);
int command_sens_costs(arguments *a);
/* Of both: the costs asked for, and how many; what these do not have. */
int choose_costs(const session *s, const arguments *a, const char **costs);
int check_costs_alone(const arguments *a);
int command_sweep(int argc, char **argv);
int command_types(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_view(int argc, char **argv);

#endif
