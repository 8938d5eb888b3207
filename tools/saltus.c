/* saltus.c - the command: dispatch, arguments, exit codes. One file per subcommand: cmd_*.c. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cli.h"
#include "tools/sweep/spread.h"

/* What there is, for the help, and for the manual pages and the completion that are made from it (tools/manual). */
static const struct command {
    const char *name, *argument, *purpose;
    int (*run)(int argc, char **argv);
} commands[] = {
    { "run", "SCENE", "simulate a scene", command_run },
    { "sens", "SCENE", "simulate it with derivatives with respect to parameters", command_sens },
    { "verify", "SCENE", "check those derivatives against differences of runs", command_verify },
    { "cycle", "SCENE", "find a periodic motion, its stability and its derivatives", command_cycle },
    { "sweep", "SCENE", "any of these for many values of parameters, as a table", command_sweep },
    { "optimize", "SCENE", "parameters for which something is least", command_optimize },
    { "fit", "SCENE DATA", "parameters from measured data, and how well they are known", command_fit },
    { "check", "SCENE", "validate and assemble a scene, and print what it consists of", command_check },
    { "assemble", "SCENE", "the scene with assembled positions as numbers", command_assemble },
    { "equilibrium", "SCENE", "find a static equilibrium and its derivatives", command_equilibrium },
    { "modes", "SCENE", "frequencies, damping and shapes of small motions about it, and their derivatives",
      command_modes },
    { "draw", "SCENE", "the mechanism as a picture (SVG): at times, as a strip, as a film", command_draw },
    { "plot", "SCENE", "quantities of its motion over time, with derivatives, as a chart (SVG)", command_plot },
    { "report", "SCENE", "the motion, its events and derivatives as a page of its own (HTML)", command_report },
    { "view", "SCENE", "all of that live, in the browser", command_view },
    { "types", "[NAME]", "the reference of the scene format", command_types },
    { "new", "joint NAME", "the beginning of a joint of your own, in C", command_new },
};

static void print_usage(FILE *f)
{
    fputs("saltus - mechanisms that make and break contact\n\n", f);
    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++) {
        const struct command *c = &commands[k];
        fprintf(f, "  saltus %s %-*s  %s\n", c->name, (int)(16 - strlen(c->name)), c->argument, c->purpose);
    }
    fputs("  saltus COMMAND --help     all options of a command\n"
          "  saltus --version\n"
          "\n"
          "SCENE is a file, '-' is stdin. Warnings, errors and, on a terminal, progress go to stderr; there are no\n"
          "colours.\n"
          "\n"
          "Exit codes: 0 done, 2 wrong arguments, 3 scene not valid, 4 cannot be assembled, 5 run failed,\n"
          "6 results cannot be written, 7 derivatives not valid or not confirmed, 8 no cycle found,\n"
          "9 no equilibrium found, 10 doubtful (--strict), 11 no optimum within the conditions, 130 interrupted (what "
          "was\n"
          "computed is written).\n",
          f);
}

const char *const form_names[] = { [SAL_INDEX1] = "index1", [SAL_PENALTY] = "penalty", [SAL_INDEX3] = "index3", NULL };
const char *const integrator_names[] = {
    [SAL_RK8] = "rk8", [SAL_RK5] = "rk5", [SAL_RADAU] = "radau", [SAL_AUTO] = "auto", NULL
};

/* ------------------------------------------------------------------------------------- arguments */

static int find_word(const char *const *words, const char *word)
{
    for (int k = 0; words[k]; k++) {
        if (!strcmp(words[k], word)) return k;
    }
    return -1;
}

/* A number or an expression of numbers. */
bool read_number(const char *option, const char *text, double *number)
{
    sal_context *context;
    sal_status   status = sal_context_create(NULL, &context);

    if (status != SAL_OK) return fprintf(stderr, "saltus: %s\n", sal_status_text(status)), false;
    status = sal_evaluate(context, text, number);
    if (status != SAL_OK) fprintf(stderr, "saltus: %s: %s", option, sal_message(context));
    sal_context_destroy(&context);
    return status == SAL_OK;
}

bool read_between(const char *option, const char *text, double low, double high, double *number)
{
    if (!text) return true;
    if (!read_number(option, text, number)) return false;
    if (*number >= low && *number <= high) return true;
    fprintf(stderr, "saltus: %s: expected %g to %g, found %s\n", option, low, high, text);
    return false;
}

bool read_choice(const char *option, const char *text, const char *const *words, int *choice)
{
    for (*choice = 0; text && words[*choice] && strcmp(words[*choice], text) != 0;) ++*choice;
    if (words[*choice]) return true;
    fprintf(stderr, "saltus: %s: expected", option);
    for (int k = 0; words[k]; k++) fprintf(stderr, "%s %s", k ? words[k + 1] ? "," : " or" : "", words[k]);
    fprintf(stderr, ", found '%s'\n", text);
    return false;
}

bool read_gradients(const char *text, sal_gradients *how)
{
    static const char *const words_of[] = { [SAL_GRADIENTS_CHEAPER] = "cheaper",
                                            [SAL_GRADIENTS_FORWARD] = "forward",
                                            [SAL_GRADIENTS_ADJOINT] = "adjoint",
                                            NULL };
    int                      choice     = SAL_GRADIENTS_CHEAPER;

    if (text && !read_choice("--gradients", text, words_of, &choice)) return false;
    *how = (sal_gradients)choice;
    return true;
}

void set_gradients(sal_sweep_opts *opts, sal_gradients how, int parameters)
{
    enum { MANY = 16 };

    opts->gradients            = how;
    opts->run.wrt_uncontrolled = parameters > MANY || how == SAL_GRADIENTS_ADJOINT;
}

const char *gradients_word(const sal_sweep *sweep, const char **why)
{
    return sal_sweep_gradients(sweep, why) == SAL_GRADIENTS_ADJOINT ? "adjoint" : "forward";
}

bool read_whole(const char *option, const char *text, double most, long *number)
{
    double value = (double)*number;

    if (!text) return true;
    if (!read_between(option, text, 1.0, most, &value)) return false;
    *number = (long)value;
    if ((double)*number != value) fprintf(stderr, "saltus: %s: expected a whole number, found %s\n", option, text);
    return (double)*number == value;
}

int split_pieces(char *text, char **piece, int most)
{
    int n = 0, depth = 0;

    for (char *c = text, *begin = text;; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c && (*c != ',' || depth > 0)) continue;
        const bool last = *c == '\0';
        char      *end  = c;
        while (*begin == ' ') begin++;
        while (end > begin && end[-1] == ' ') end--;
        *end = '\0';
        if (n < most) piece[n] = begin;
        n++;
        if (last) return n;
        begin = c + 1;
    }
}

static bool read_positive(const char *option, const char *text, double *number)
{
    if (!read_number(option, text, number)) return false;
    if (!(*number > 0.0)) fprintf(stderr, "saltus: %s: expected a positive number, found %s\n", option, text);
    return *number > 0.0;
}

/* A copy that is freed with the arguments; there is room for one of every argument. */
static char *keep_text(arguments *a, const char *text)
{
    return a->text[a->ntext++] = need_copy(text);
}

static bool read_setting(const char *text, arguments *a)
{
    const char  *equals = strchr(text, '=');
    sal_setting *set    = &a->set[a->opts.nset];
    char        *name;

    if (!equals || equals == text) {
        fprintf(stderr, "saltus: --set: expected NAME=VALUE, found '%s'\n", text);
        return false;
    }
    name                         = keep_text(a, text);
    name[equals - text]          = '\0';
    set->parameter               = name;
    a->opts.set                  = a->set;
    a->set_value[a->opts.nset++] = equals + 1;
    return true;
}

/* NAME=FROM:TO */
static bool read_follow(const char *text, arguments *a)
{
    const char *equals = strchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    char        from[512];

    if (!colon || equals == text || equals - text >= (long)sizeof a->follow || colon - equals > (long)sizeof from) {
        fprintf(stderr, "saltus: --follow: expected NAME=FROM:TO, found '%s'\n", text);
        return false;
    }
    snprintf(a->follow, sizeof a->follow, "%.*s", (int)(equals - text), text);
    snprintf(from, sizeof from, "%.*s", (int)(colon - equals - 1), equals + 1);
    return read_number("--follow", from, &a->from) && read_number("--follow", colon + 1, &a->to);
}

static bool read_steps(const char *text, arguments *a)
{
    double number;

    if (!read_positive("--steps", text, &number)) return false;
    a->steps = number <= 1000.0 ? (int)number : 0;
    if (a->steps != number)
        fprintf(stderr, "saltus: --steps: expected a whole number from 1 to 1000, found %s\n", text);
    return a->steps == number;
}

static bool read_events(const char *text, arguments *a)
{
    char *end;
    long  number = strtol(text, &end, 10);

    if (*end || end == text || number < 0 || number > INT_MAX) {
        fprintf(stderr, "saltus: --events: expected a whole number, 0 for all, found '%s'\n", text);
        return false;
    }
    a->events = (int)number;
    return true;
}

/* "64M": bytes. */
static bool read_bytes(const char *text, arguments *a)
{
    static const char units[] = "kMG";
    char             *end;
    double            number = strtod(text, &end);
    const char       *unit   = *end ? strchr(units, *end) : NULL;

    for (long k = unit ? unit - units + 1 : 0; k > 0; k--) number *= 1024.0;
    if (end == text || (unit ? end[1] : end[0]) || !(number >= 1.0) || !(number < 1e18)) {
        fprintf(stderr, "saltus: --memory: expected a number of bytes such as 500k, 64M or 2G, found '%s'\n", text);
        return false;
    }
    a->memory = (size_t)number;
    return true;
}

static bool read_form(const char *text, arguments *a)
{
    a->opts.form = find_word(form_names, text);
    if (a->opts.form < 0) fprintf(stderr, "saltus: --form: expected index1, penalty or index3, found '%s'\n", text);
    return a->opts.form >= 0;
}

static bool read_integrator(const char *text, arguments *a)
{
    a->opts.integrator = find_word(integrator_names, text);
    if (a->opts.integrator < 0)
        fprintf(stderr, "saltus: --integrator: expected auto, rk8, rk5 or radau, found '%s'\n", text);
    return a->opts.integrator >= 0;
}

static const struct word_option {
    const char *option;
    bool        value;
} words[WORDS] = {
#define WORD_OPTION(word, option, value) [word] = { option, value },
    WORD_LIST(WORD_OPTION)
#undef WORD_OPTION
};

/* An option of draw, plot, report, view or sweep: its text is kept. */
static bool keep_word(const char *option, const char *value, accepted accept, arguments *a)
{
    int from = 0, to = 0;

    if (accept == ACCEPT_DRAW) to = WORD_WIDTH + 1;
    if (accept == ACCEPT_PLOT) from = WORD_WIDTH, to = WORD_DIFFERENCES;
    if (accept == ACCEPT_REPORT) from = WORD_DIFFERENCES, to = WORD_NO_BROWSER;
    if (accept == ACCEPT_VIEW) from = WORD_NO_BROWSER, to = WORD_LIMIT + 1;
    if (accept == ACCEPT_OPTIMIZE) from = WORD_LIMIT, to = WORD_STUDY + 1;
    if (accept == ACCEPT_SWEEP) from = WORD_LIMIT, to = WORDS;
    if (accept == ACCEPT_FIT) to = WORDS;
    if (accept == ACCEPT_SENS) from = WORD_GRADIENTS, to = WORD_GRADIENTS + 1;
    for (int k = from; k < to; k++) {
        const bool of_fit =
            k == WORD_EVALUATIONS || k == WORD_CONFIDENCE || k == WORD_COLUMNS || k == WORD_STARTS || k == WORD_SEED;
        if (strcmp(words[k].option, option) != 0) continue;
        if (accept == ACCEPT_SWEEP && k > WORD_LIMIT && k < WORD_METHOD) continue;
        if (accept == ACCEPT_FIT ? !of_fit : k == WORD_CONFIDENCE) continue;
        a->word[k] = value ? value : "";
        return true;
    }
    return false;
}

static bool is_run(accepted accept)
{
    return (accept != ACCEPT_SCENE && accept < ACCEPT_ASSEMBLE) || accept >= ACCEPT_DRAW;
}

static bool read_option(const char *option, const char *value, accepted accept, arguments *a)
{
    if (keep_word(option, value, accept, a)) return true;
    if (accept != ACCEPT_VIEW && !strcmp(option, "--set")) return read_setting(value, a);
    if (!strcmp(option, "--plugin")) return a->plugin[a->nplugin++] = value, true;
    if (accept != ACCEPT_SCENE && accept != ACCEPT_VERIFY && accept != ACCEPT_MODES && accept != ACCEPT_VIEW &&
        (!strcmp(option, "--output") || !strcmp(option, "-o")))
        return a->output = value, true;
    if (accept != ACCEPT_SCENE && accept != ACCEPT_RUN && accept != ACCEPT_ASSEMBLE && accept != ACCEPT_DRAW &&
        accept != ACCEPT_VIEW && accept < ACCEPT_OPTIMIZE && !strcmp(option, "--wrt"))
        return a->wrt_text = value, true;
    if (accept == ACCEPT_PLOT && !strcmp(option, "--overlay")) return a->overlay[a->noverlay++] = value, true;
    if (accept == ACCEPT_OPTIMIZE && !strcmp(option, "--subject-to")) return a->subject[a->nsubject++] = value, true;
    if (accept >= ACCEPT_SWEEP && !strcmp(option, "--over")) return a->overlay[a->noverlay++] = value, true;
    if (accept == ACCEPT_FIT && !strcmp(option, "--column")) return a->column[a->ncolumn++] = value, true;
    if (accept == ACCEPT_FIT && !strcmp(option, "--noise")) return a->noise[a->nnoise++] = value, true;
    if ((accept == ACCEPT_RUN || accept == ACCEPT_SENS) && !strcmp(option, "--events")) return read_events(value, a);
    if ((accept == ACCEPT_RUN || accept == ACCEPT_SENS) && !strcmp(option, "--columns"))
        return a->columns = value, true;
    if ((accept == ACCEPT_RUN || accept == ACCEPT_SENS) && !strcmp(option, "--units")) return a->units = true;
    if (accept == ACCEPT_RUN && !strcmp(option, "--final")) return a->final = value, true;
    if (accept == ACCEPT_RUN && !strcmp(option, "--work")) return a->work = true;
    if ((accept == ACCEPT_CYCLE || accept == ACCEPT_SWEEP || accept == ACCEPT_OPTIMIZE) && !strcmp(option, "--section"))
        return a->section = value, true;
    if ((accept == ACCEPT_CYCLE || accept == ACCEPT_SWEEP || accept == ACCEPT_OPTIMIZE) && !strcmp(option, "--steps"))
        return read_steps(value, a);
    if (accept == ACCEPT_CYCLE && !strcmp(option, "--follow")) return read_follow(value, a);
    if ((accept == ACCEPT_RUN || accept == ACCEPT_SENS || accept == ACCEPT_CYCLE || accept == ACCEPT_EQUILIBRIUM ||
         accept == ACCEPT_MODES || accept == ACCEPT_OPTIMIZE || accept == ACCEPT_FIT) &&
        !strcmp(option, "--report"))
        return a->report = value, true;
    if ((accept == ACCEPT_SENS || accept == ACCEPT_VERIFY) && !strcmp(option, "--adjoint")) return a->adjoint = true;
    if (accept == ACCEPT_SENS && !strcmp(option, "--memory")) return read_bytes(value, a);
    if ((accept == ACCEPT_SENS || accept == ACCEPT_VERIFY) && !strcmp(option, "--cost")) return a->cost = value, true;
    if ((accept == ACCEPT_VERIFY || accept == ACCEPT_CYCLE || accept >= ACCEPT_OPTIMIZE) &&
        !strcmp(option, "--tolerance"))
        return read_positive(option, value, &a->tolerance);
    if (is_run(accept)) {
        if (!strcmp(option, "--rtol")) return read_positive(option, value, &a->opts.rtol);
        if (accept != ACCEPT_FIT && !strcmp(option, "--duration"))
            return read_positive(option, value, &a->opts.duration);
        if (!strcmp(option, "--form")) return read_form(value, a);
        if (!strcmp(option, "--integrator")) return read_integrator(value, a);
        if (!strcmp(option, "--strict")) return a->strict = true;
    }
    fprintf(stderr, "saltus: unknown option '%s'; see --help\n", option);
    return false;
}

static bool takes_value(const char *option)
{
    static const char *const with_value[] = { "--set",    "--output", "--rtol",       "--duration", "--form",
                                              "--wrt",    "--cost",   "--tolerance",  "--section",  "--steps",
                                              "--follow", "--plugin", "--events",     "--overlay",  "-o",
                                              "--report", "--over",   "--final",      "--columns",  "--subject-to",
                                              "--column", "--noise",  "--integrator", "--memory",   NULL };

    for (int k = 0; k < WORDS; k++) {
        if (words[k].value && !strcmp(words[k].option, option)) return true;
    }
    return find_word(with_value, option) >= 0;
}

static bool stop_asked(void *user)
{
    (void)user;
    progress_tick();
    return interrupted != 0;
}

static void free_arguments(arguments *a)
{
    for (int k = 0; k < a->ntext; k++) free(a->text[k]);
    free(a->text);
    free(a->set);
    free(a->set_value);
    free(a->wrt);
    free(a->plugin);
    free(a->overlay);
    free(a->subject);
    free(a->data);
    free(a->column);
    free(a->noise);
}

static bool read_all(int argc, char **argv, accepted accept, const char *help, arguments *a, int *code)
{
    for (int k = 1; k < argc; k++) {
        char        option[64] = "";
        const char *equals = strchr(argv[k], '='), *value = NULL;

        if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "-h")) {
            fputs(help, stdout);
            *code = EXIT_SUCCESS;
            return false;
        }
        if (!strcmp(argv[k], "--json")) {
            a->json = true;
            continue;
        }
        if (!strcmp(argv[k], "--quiet") || !strcmp(argv[k], "-q")) {
            a->quiet = true;
            continue;
        }
        if (argv[k][0] != '-' || argv[k][1] == '\0') {
            if (a->scene && accept == ACCEPT_FIT) {
                a->data[a->ndata++] = argv[k];
                continue;
            }
            if (a->scene)
                return fprintf(stderr, "saltus: one scene at a time; found '%s' and '%s'\n", a->scene, argv[k]), false;
            a->scene = argv[k];
            if (accept == ACCEPT_VIEW && !strcmp(a->scene, "-"))
                return fprintf(stderr, "saltus: view needs a file: what is changed is saved there\n"), false;
            continue;
        }
        snprintf(option, sizeof option, "%.*s", (int)(equals ? equals - argv[k] : (long)strlen(argv[k])), argv[k]);
        if (takes_value(option)) {
            value = equals ? equals + 1 : k + 1 < argc ? argv[++k] : NULL;
            if (!value) return fprintf(stderr, "saltus: %s needs a value; see --help\n", option), false;
        }
        if (!read_option(option, value, accept, a)) return false;
    }
    if (a->columns && !a->output) return fprintf(stderr, "saltus: --columns is for --output\n"), false;
    if (!a->scene) fprintf(stderr, "saltus: no scene given\n\n%s", help);
    return a->scene != NULL;
}

/* What was not asked for is not printed: summaries, and the names of files. Asked for is JSON, and what goes to '-'. */
static bool be_quiet(const arguments *a, accepted accept, int *code)
{
    const bool asked = a->json || accept == ACCEPT_ASSEMBLE || accept == ACCEPT_VIEW ||
                       (a->output && !strcmp(a->output, "-")) || (a->report && !strcmp(a->report, "-"));

    int nowhere;

    progress_quiet();
    if (asked) return true;
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0) return close(nowhere) == 0;
    fprintf(stderr, "saltus: --quiet: /dev/null: %s\n", strerror(errno));
    *code = EXIT_OUTPUT;
    return false;
}

bool read_arguments(int argc, char **argv, accepted accept, const char *help, arguments *a, int *code)
{
    const size_t most = (size_t)argc; /* of anything that can be given several times */

    *a           = (arguments){ .opts      = sal_run_defaults(),
                                .tolerance = accept == ACCEPT_CYCLE      ? sal_cycle_defaults().tolerance
                                             : accept >= ACCEPT_OPTIMIZE ? 1e-8
                                                                         : 1e-6,
                                .steps     = 1,
                                .events    = 20,
                                .set       = need_zeros(most, sizeof *a->set),
                                .set_value = need_zeros(most, sizeof *a->set_value),
                                .plugin    = need_zeros(most, sizeof *a->plugin),
                                .overlay   = need_zeros(most, sizeof *a->overlay),
                                .subject   = need_zeros(most, sizeof *a->subject),
                                .data      = need_zeros(most, sizeof *a->data),
                                .column    = need_zeros(most, sizeof *a->column),
                                .noise     = need_zeros(most, sizeof *a->noise),
                                .text      = need_zeros(most, sizeof *a->text) };
    a->opts.stop = stop_asked;
    *code        = EXIT_USAGE;
    if (read_all(argc, argv, accept, help, a, code) && (!a->quiet || be_quiet(a, accept, code))) return true;
    free_arguments(a);
    return false;
}

/* --------------------------------------------------------------------------------------- session */

/* A control character from 0x80 on, which is two bytes in UTF-8. */
static bool is_high_control(const unsigned char *c)
{
    return c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;
}

static void print_without(FILE *f, const char *text, bool lines)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        const bool high = is_high_control(c);
        if (high) c++;
        fputc(high || *c == 0x7f || (*c < 0x20 && !(lines && *c == '\n')) ? '?' : *c, f);
    }
}

void print_json_text(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) { /* the others are escaped already */
        const bool high = is_high_control(c);
        if (high) c++;
        if (high || *c == 0x7f) printf("\\u%04x", (unsigned)*c);
        else putchar(*c);
    }
    putchar('\n');
}

void print_shown(FILE *f, const char *text)
{
    print_without(f, text, true);
}

void print_path(const char *path)
{
    if (isatty(STDOUT_FILENO)) print_without(stdout, path, false);
    else fputs(path, stdout);
    putchar('\n');
}

void print_title(const session *s, const char *otherwise)
{
    const char *name = sal_model_get_info(s->model).name;

    progress_end();
    print_without(stdout, name[0] ? name : otherwise, false);
    putchar('\n');
}

int report(const char *text, sal_status status)
{
    if (!text[0]) text = sal_status_text(status); /* nothing has been said where it arose */
    const size_t length = strlen(text);

    progress_end();
    print_shown(stderr, text);
    if (length == 0 || text[length - 1] != '\n') fputc('\n', stderr);
    switch (status) {
    case SAL_ERR_FILE:
    case SAL_ERR_SCENE: return EXIT_SCENE;
    case SAL_ERR_ASSEMBLY: return EXIT_ASSEMBLY;
    case SAL_ERR_ARGUMENT: return EXIT_USAGE;
    case SAL_ERR_CYCLE: return EXIT_CYCLE;
    case SAL_ERR_EQUILIBRIUM: return EXIT_REST;
    default: return EXIT_RUN;
    }
}

int warnings;

static void warn(void *user, const char *text)
{
    (void)user;
    warnings++;
    progress_end();
    fprintf(stderr, "saltus: warning: ");
    print_shown(stderr, text);
    fprintf(stderr, "\n");
}

bool read_setting_value(const session *s, const char *option, const char *text, const sal_setting *set, int nset,
                        double *value)
{
    if (sal_model_evaluate(s->model, set, nset, text, value) == SAL_OK) return true;
    fprintf(stderr, "saltus: %s: ", option);
    report(sal_message(s->context), SAL_ERR_ARGUMENT);
    return false;
}

/* The scene from stdin, with one byte more than can be one: the library says that it is too large. */
static bool read_stdin(session *s)
{
    enum { MOST = 16 * 1024 * 1024 + 1 };
    size_t room = 0, got;

    do {
        char *more = realloc(s->text, room = 2 * room + 65536);
        if (!more) return report("saltus: out of memory", SAL_ERR_MEMORY), false;
        s->text = more;
        got     = fread(s->text + s->size, 1, room - s->size, stdin);
        s->size += got;
    } while (got > 0 && s->size < MOST);
    if (!ferror(stdin)) return true;
    fprintf(stderr, "saltus: stdin cannot be read: %s\n", strerror(errno));
    return false;
}

int session_open(session *s, const arguments *a)
{
    sal_context_opts opts = sal_context_defaults();
    sal_status       status;

    *s       = (session){ 0 };
    opts.log = warn;
    status   = sal_context_create(&opts, &s->context);
    if (status != SAL_OK) return report(sal_status_text(status), status);
    for (int k = 0; k < a->nplugin; k++) {
        status = sal_plugin_load(s->context, a->plugin[k]);
        if (status != SAL_OK) return report(sal_message(s->context), SAL_ERR_ARGUMENT);
    }
    if (!strcmp(a->scene, "-") && !read_stdin(s)) return EXIT_SCENE;
    status = s->text ? sal_scene_parse(s->context, "stdin", s->text, s->size, &s->scene)
                     : sal_scene_load(s->context, a->scene, &s->scene);
    if (status == SAL_OK) status = sal_model_create(s->scene, &s->model);
    if (status != SAL_OK) return report(sal_message(s->context), status);
    for (int k = 0; k < a->opts.nset; k++) { /* each sees those before it */
        if (!read_setting_value(s, "--set", a->set_value[k], a->set, k, &a->set[k].value)) return EXIT_USAGE;
    }
    return EXIT_SUCCESS;
}

int session_start(session *s, const arguments *a)
{
    sal_status status = sal_run_create(s->model, &a->opts, &s->run);

    return status == SAL_OK ? EXIT_SUCCESS : report(sal_message(s->context), status);
}

bool session_vector(const session *s, const char *name, sal_vector_info *info)
{
    for (int k = 0; sal_model_vector(s->model, k, info); k++) {
        if (!strcmp(info->name, name)) return true;
    }
    return false;
}

/* How many knots a list of names can ask for at most. */
static size_t knots_named(const session *s, const char *text)
{
    sal_vector_info v;
    size_t          most = 0, names = 1;

    for (const char *c = text; c && *c; c++) names += *c == ',';
    for (int k = 0; sal_model_vector(s->model, k, &v); k++) most = (size_t)v.knots > most ? (size_t)v.knots : most;
    return names * most;
}

/* One name more than asked for has room. */
int session_wrt(session *s, arguments *a)
{
    const sal_model_info info  = sal_model_get_info(s->model);
    const size_t         most  = a->wrt_text ? strlen(a->wrt_text) : (size_t)info.parameters;
    char                *names = a->wrt_text ? keep_text(a, a->wrt_text) : NULL;

    a->opts.wrt = a->wrt = calloc(most + knots_named(s, a->wrt_text) + 1, sizeof *a->wrt);
    if (!a->wrt || (a->wrt_text && !names)) return report("saltus: out of memory", SAL_ERR_MEMORY);
    if (!a->wrt_text) {
        for (int k = 0; k < info.parameters; k++) a->wrt[a->opts.nwrt++] = sal_model_parameter(s->model, k);
        if (info.parameters) return EXIT_SUCCESS;
        fprintf(stderr, "saltus: the scene has no parameters; name something with --wrt, such as initial(P.x)\n");
        return EXIT_USAGE;
    }
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        sal_vector_info v;
        const bool      all = session_vector(s, name, &v);
        if (!all) a->wrt[a->opts.nwrt++] = name;
        for (int k = 0; all && k < v.knots; k++) a->wrt[a->opts.nwrt++] = sal_model_parameter(s->model, v.first + k);
    }
    if (a->opts.nwrt == 0)
        return fprintf(stderr, "saltus: --wrt: expected names, found '%s'\n", a->wrt_text), EXIT_USAGE;
    return EXIT_SUCCESS;
}

void session_close(session *s, arguments *a)
{
    sal_run_destroy(&s->run);
    sal_model_destroy(&s->model);
    sal_scene_destroy(&s->scene);
    if (s->context) sal_context_destroy(&s->context);
    free(s->text);
    free_arguments(a);
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) return print_usage(stderr), EXIT_USAGE;
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return print_usage(stdout), EXIT_SUCCESS;
    if (!strcmp(argv[1], "--version")) return printf("saltus %s\n", sal_version()), EXIT_SUCCESS;
    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++) {
        if (!strcmp(commands[k].name, argv[1])) return commands[k].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "saltus: unknown command '%s'\n\n", argv[1]);
    print_usage(stderr);
    return EXIT_USAGE;
}

/* Of the ranks of saltus-mpi all take part in a sweep; anything else is the first one's alone. */
int main(int argc, char **argv)
{
    int code = EXIT_SUCCESS;

    command_begins();
    spread_begin(&argc, &argv);
    if (!spread_helps() || (argc > 1 && !strcmp(argv[1], "sweep"))) code = run_command(argc, argv);
    else spread_help(NULL, NULL, NULL, EXIT_SUCCESS);
    spread_end();
    return command_ends(code);
}
