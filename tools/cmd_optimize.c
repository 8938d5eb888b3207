/* cmd_optimize.c - saltus optimize: parameters for which something is least, by exact derivatives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/optimize/problem.h"
#include "tools/report.h"
#include "tools/rewrite.h"

static const char help[] =
    "saltus optimize SCENE [--minimize WHAT] [--over NAME=LOW:HIGH] [options]\n"
    "\n"
    "Finds values of parameters for which something is least or largest, by exact derivatives through all events.\n"
    "\n"
    "  --minimize WHAT    cost(NAME), time(EVENT), time(EVENT, K), an output or an expression at the end of the run, "
    "or\n"
    "                     what saltus sweep tells of a cycle or an equilibrium: period, energy, ...\n"
    "  --maximize WHAT    instead\n"
    "  --over NAME=LOW:HIGH  a parameter, or initial(P.x), ..., and its range; repeatable. It starts at the value of "
    "the\n"
    "                     scene (initial values: in the middle), or at START: NAME=LOW:HIGH:START\n"
    "  --subject-to WHAT  a condition, \"y(P) >= 0.2\", with <=, >= or =, of anything that can be minimised; "
    "repeatable\n"
    "  --gradients HOW    cheaper (when absent: by the adjoint where there are many variables), forward or adjoint\n"
    "  --study STUDY      run (when absent), cycle or equilibrium\n"
    "  --method METHOD    slsqp (when absent), mma (no equalities) or lbfgs (no conditions)\n"
    "  --starts N         search from N places: the start, and others spread over the ranges\n"
    "  --seed NUMBER      of those; 1 when absent\n"
    "  --tolerance NUMBER when a place is stationary, 1e-8: see below\n"
    "  --evaluations N    of each search at most, 500\n"
    "  --report FILE      write a page (HTML): the motion with what was found, the way there, what bounds it\n"
    "  -o, --output FOLDER  write best.json, the scene with what was found, history.csv and summary.json there\n"
    "  --limit SECONDS    an evaluation that takes longer fails\n"
    "  --set NAME=VALUE   give a parameter another value; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  --section EVENT, --steps N  of cycles, see saltus cycle\n"
    "  --form FORM        index1 or penalty\n"
    "  --integrator NAME  auto, rk8, rk5, or radau for what is stiff\n"
    "  --rtol NUMBER      relative tolerance of a step\n"
    "  --duration SECONDS how long to simulate\n"
    "  -q, --quiet        print no summary; errors and warnings only\n"
    "  --strict           a place that is not stationary is a failure: exit code 10\n"
    "  --json             print the result as JSON\n"
    "\n"
    "What is not given is as the scene's section \"optimize\" says: { \"maximize\": \"range\", \"over\": { \"sling\":\n"
    "[1, 2.6] }, \"subject_to\": { \"t\": [\"<=\", 5.4] } }.\n"
    "\n"
    "Stationary is a place where nothing changes to first order, whichever way one goes that the conditions allow: "
    "the\n"
    "change of WHAT over a whole range, to first order, is below the tolerance times its value, or times that change "
    "at\n"
    "the start. An evaluation that fails shortens the step. A search that sticks begins anew from its best place, by\n"
    "another method where that gains nothing; the summary says so. Ctrl-C ends with the best that is known. Ends with\n"
    "exit code 11 when no place was found where all conditions hold.\n";

typedef struct optimizing {
    arguments   a;
    session     s;
    problem     p;
    int         method, starts;
    uint64_t    seed;
    result_file history;
    searched    found; /* by the search with the best place */
    double     *first, first_value, seconds;
} optimizing;

/* ------------------------------------------------------------------------------------------- options */

/* Texts of the scene in place of options that were not given; they live as long as the model. */
static void take_texts(const char *const *texts, int n, const char ***option, int *count)
{
    if (*count || !n) return;
    free(*option);
    *option = need_zeros((size_t)n, sizeof **option);
    for (int k = 0; k < n; k++) (*option)[(*count)++] = texts[k];
}

/* What is not given is as the scene says. */
static void take_section(arguments *a, const sal_search *scene)
{
    if (!a->word[WORD_MINIMIZE] && !a->word[WORD_MAXIMIZE]) {
        a->word[WORD_MINIMIZE] = scene->minimize;
        a->word[WORD_MAXIMIZE] = scene->maximize;
    }
    if (!a->word[WORD_STUDY]) a->word[WORD_STUDY] = scene->study;
    take_texts(scene->over, scene->nover, &a->overlay, &a->noverlay);
    take_texts(scene->subject_to, scene->nsubject_to, &a->subject, &a->nsubject);
}

static int prepare(optimizing *o, int argc, char **argv)
{
    static const char *const studies[] = { "run", "cycle", "equilibrium", NULL };
    sal_sweep_opts           opts      = sal_sweep_defaults();
    long                     starts = 1, seed = 1;
    int                      code, study;
    sal_gradients            how;
    double                   limit = 0.0;
    bool                     good;

    if (!read_arguments(argc, argv, ACCEPT_OPTIMIZE, help, &o->a, &code)) return o->a.scene = NULL, code;
    const char **word = o->a.word;
    good              = (!word[WORD_STUDY] || read_choice("--study", word[WORD_STUDY], studies, &study)) &&
           read_gradients(word[WORD_GRADIENTS], &how) &&
           read_choice("--method", word[WORD_METHOD], search_methods(), &o->method) &&
           read_whole("--starts", word[WORD_STARTS], 1e6, &starts) &&
           read_whole("--seed", word[WORD_SEED], 1e15, &seed) &&
           read_between("--limit", word[WORD_LIMIT], 1e-6, 1e9, &limit);
    if (!good) return EXIT_USAGE;
    code = session_open(&o->s, &o->a);
    if (code != EXIT_SUCCESS) return code;
    const sal_search section = sal_model_get_search(o->s.model);
    take_section(&o->a, &section);
    if (!read_choice("--study", word[WORD_STUDY], studies, &study)) return EXIT_USAGE;
    if (!problem_read(&o->p, &o->a, &o->s) || !search_takes(&o->p, o->method)) return EXIT_USAGE;
    o->p.tolerance = o->a.tolerance;
    if (!read_whole("--evaluations", word[WORD_EVALUATIONS], 1e9, &o->p.most)) return EXIT_USAGE;
    if (!variables_can_start(&o->p.over, (int)starts)) return EXIT_USAGE;
    o->starts         = (int)starts;
    o->seed           = (uint64_t)seed;
    opts.study        = (sal_study)study;
    opts.section      = o->a.section;
    opts.steps        = o->a.steps;
    opts.run          = o->a.opts;
    opts.run.max_wall = limit;
    set_gradients(&opts, how, o->p.n);
    return problem_open(&o->p, o->s.model, o->s.context, &opts);
}

/* ------------------------------------------------------------------------------------------- searching */

static bool open_history(optimizing *o)
{
    const problem *p = &o->p;

    if (!o->a.output) return true;
    if (!result_open(&o->history, o->a.output, "history.csv")) return false;
    o->p.history = o->history.f;
    fprintf(p->history, "evaluation,search,status");
    for (int k = 0; k < p->n; k++) print_cell(p->history, "", p->variable[k].name, "");
    print_cell(p->history, "", p->objective, "");
    for (int i = 0; i < p->m; i++) print_cell(p->history, "", p->constraint[i].text, "");
    fprintf(p->history, ",message\n");
    return true;
}

static bool has_knots(const problem *p)
{
    for (int k = 0; k < p->n; k++) {
        if (p->variable[k].knots) return true;
    }
    return false;
}

static int search(optimizing *o)
{
    problem *p    = &o->p;
    double  *u    = variables_places(&p->over, o->starts, o->seed);
    int      code = EXIT_SUCCESS;

    if (!u) return report("saltus: out of memory", SAL_ERR_MEMORY);
    o->first = need_zeros((size_t)p->n, sizeof *o->first);
    for (p->search = 1; p->search <= o->starts && !p->stopped && !p->no_memory; p->search++) {
        const bool   had = p->best.good;
        const double f = p->best.f, violation = p->best.violation;
        double      *from = u + (size_t)(p->search - 1) * (size_t)p->n;
        problem_begin(p);
        const bool good = problem_at(p, from);
        if (p->search == 1) memcpy(o->first, p->last.x, (size_t)p->n * sizeof *o->first);
        if (p->search == 1) o->first_value = good ? p->last.row[p->column] : NAN;
        if (!good && o->starts == 1 && !p->stopped && !p->no_memory) {
            fprintf(stderr, "saltus: it fails at the start: ");
            code = report(p->message, p->status == SAL_OK ? SAL_ERR_LIMIT : p->status);
        }
        if (!good) continue; /* nowhere to go from */
        if (p->m && has_knots(p)) reach_conditions(p, from);
        const searched found = search_from(p, o->method, from);
        if (!had || p->best.f != f || p->best.violation != violation) o->found = found;
    }
    free(u);
    return p->no_memory ? report("saltus: out of memory", SAL_ERR_MEMORY) : code;
}

/* ------------------------------------------------------------------------------------------- results */

static bool feasible(const optimizing *o)
{
    return o->p.best.good && o->p.best.violation <= o->p.tolerance;
}

/* How the best value would change with the bound of a constraint, to first order. */
static double price(const optimizing *o, int i)
{
    const double by_bound = o->p.constraint[i].is == AT_LEAST ? o->p.best.multiplier[i] : -o->p.best.multiplier[i];

    return o->p.maximise ? -by_bound : by_bound;
}

static cJSON *result_object(const optimizing *o)
{
    static const char *const sign[] = { "<=", ">=", "=" };
    const problem           *p      = &o->p;
    cJSON                   *root   = cJSON_CreateObject(), *list, *item;

    cJSON_AddStringToObject(root, p->maximise ? "maximize" : "minimize", p->objective);
    cJSON_AddStringToObject(root, "method", search_methods()[o->method]);
    cJSON_AddStringToObject(root, "gradients", gradients_word(p->sweep, NULL));
    cJSON_AddNumberToObject(root, "evaluations", (double)p->evaluations);
    cJSON_AddNumberToObject(root, "failed_evaluations", (double)p->failed);
    cJSON_AddNumberToObject(root, "searches", o->starts);
    cJSON_AddBoolToObject(root, "feasible", feasible(o));
    cJSON_AddBoolToObject(root, "stationary", feasible(o) && o->p.best.off <= p->tolerance);
    cJSON_AddNumberToObject(root, "stationarity", o->p.best.off);
    cJSON_AddStringToObject(root, "ended", o->found.why);
    cJSON_AddStringToObject(root, "found_by", search_methods()[o->found.method]);
    list = cJSON_AddObjectToObject(root, "tries");
    for (int k = 0; k < METHODS; k++) {
        if (o->found.tries[k]) cJSON_AddNumberToObject(list, search_methods()[k], o->found.tries[k]);
    }
    cJSON_AddNumberToObject(root, "start", o->first_value);
    cJSON_AddNumberToObject(root, "best", p->best.row[p->column]);
    list = cJSON_AddObjectToObject(root, "over");
    for (int k = 0; k < p->n; k++) {
        const variable *v = &p->variable[k];
        item              = cJSON_AddObjectToObject(list, v->name);
        cJSON_AddNumberToObject(item, "low", v->low);
        cJSON_AddNumberToObject(item, "high", v->high);
        cJSON_AddNumberToObject(item, "start", o->first[k]);
        cJSON_AddNumberToObject(item, "best", p->best.x[k]);
        cJSON_AddNumberToObject(item, "derivative", p->best.row[p->derivative[k]]);
    }
    list = cJSON_AddArrayToObject(root, "subject_to");
    for (int i = 0; i < p->m; i++) {
        const constraint *c = &p->constraint[i];
        item                = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "what", c->text);
        cJSON_AddStringToObject(item, "is", sign[c->is]);
        cJSON_AddNumberToObject(item, "bound", c->bound);
        cJSON_AddNumberToObject(item, "value", p->best.row[c->column]);
        cJSON_AddNumberToObject(item, "price", price(o, i));
        cJSON_AddItemToArray(list, item);
    }
    return root;
}

/* By which methods the best place was found, where the first one did not come to it at once. */
static void print_tries(const searched *found)
{
    int  tries = 0;
    bool any   = false;

    for (int k = 0; k < METHODS; k++) tries += found->tries[k];
    if (tries <= 1) return;
    printf("  begun              ");
    for (int k = 0; k < METHODS; k++) {
        if (!found->tries[k]) continue;
        printf("%s%s %d time%s", any ? ", " : "", search_methods()[k], found->tries[k],
               found->tries[k] == 1 ? "" : "s");
        any = true;
    }
    printf(", each from the best place; %s gained last\n", search_methods()[found->method]);
}

/* A function of time in one line: between what its knots are, and how many are at a bound. */
static void print_knots(const optimizing *o, int first)
{
    const variable *v     = &o->p.variable[first];
    const double   *best  = o->p.best.x + first;
    double          least = best[0], most = best[0];
    int             bound = 0;
    char            name[80], range[64];

    for (int k = 0; k < v->knots; k++) {
        least = fmin(least, best[k]);
        most  = fmax(most, best[k]);
        bound += best[k] <= v->low || best[k] >= v->high;
    }
    snprintf(name, sizeof name, "%.*s(t), %d knots", (int)strcspn(v->name, "["), v->name, v->knots);
    snprintf(range, sizeof range, "%.5g ... %.5g", least, most);
    printf("  %-22s %31s %13.6g %13.6g", name, range, v->low, v->high);
    if (bound) printf("  %d at a bound", bound);
    printf("\n");
}

static void print_result(const optimizing *o)
{
    static const char *const sign[] = { "<=", ">=", "=" };
    const problem           *p      = &o->p;
    const char              *how, *why;

    print_title(&o->s, o->a.scene);
    printf("  %s by %s: %ld evaluations", p->maximise ? "maximized" : "minimized", search_methods()[o->method],
           p->evaluations);
    if (p->failed) printf(", %ld failed", p->failed);
    printf(" in %.3g ms\n\n  %-22s %15s %15s %13s %13s\n", 1e3 * o->seconds, "", "start", "best", "low", "high");
    printf("  %-22s %15.9g %15.9g\n", p->objective, o->first_value, p->best.row[p->column]);
    for (int k = 0; k < p->n; k++) {
        const variable *v = &p->variable[k];
        if (v->knots < 0) continue;
        if (v->knots > 0) {
            print_knots(o, k);
            continue;
        }
        printf("  %-22s %15.9g %15.9g %13.6g %13.6g%s\n", v->name, o->first[k], p->best.x[k], v->low, v->high,
               p->best.x[k] <= v->low || p->best.x[k] >= v->high ? "  at its bound" : "");
    }
    if (p->m) printf("\n  %-22s %15s %15s %13s\n", "subject to", "value", "bound", "price");
    for (int i = 0; i < p->m; i++) {
        const constraint *c = &p->constraint[i];
        printf("  %-22s %15.9g %2s %12.6g", c->text, p->best.row[c->column], sign[c->is], c->bound);
        if (o->p.best.multiplier[i] != 0.0) printf(" %13.6g", price(o, i));
        else if (constraint_excess(p, &p->best, i) > p->tolerance * c->scale) printf("  does not hold");
        printf("\n");
    }
    how = gradients_word(p->sweep, &why);
    printf("\n  gradients          %s (%s)\n", how, why);
    print_tries(&o->found);
    printf("  ended              %s; off stationary by %.2g%s\n", o->found.why, o->p.best.off,
           o->p.best.off <= p->tolerance ? "" : ": NOT an optimum to first order, unless there is a kink");
    if (o->a.output) printf("  results            %s/best.json, history.csv, summary.json\n", o->a.output);
}

/* best.json: the scene with the parameters found. Initial values are no parameters. */
static int write_scene(optimizing *o)
{
    const problem *p = &o->p;
    char           path[4200];
    arguments      with = o->a;

    for (int k = 0; k < p->n; k++) {
        if (!variable_is_initial(&p->variable[k])) continue;
        fprintf(stderr, "saltus: warning: best.json does not have %s: initial values are no parameters of a scene\n",
                p->variable[k].name);
    }
    with.set       = need_zeros((size_t)(o->a.opts.nset + p->n), sizeof *with.set);
    with.opts.nset = 0;
    for (int k = 0; k < o->a.opts.nset; k++) with.set[with.opts.nset++] = o->a.set[k];
    for (int k = 0; k < p->n; k++) with.set[with.opts.nset++] = (sal_setting){ p->variable[k].name, p->best.x[k] };
    with.opts.set = with.set;
    snprintf(path, sizeof path, "%s/best.json", o->a.output);
    const int code = rewrite_scene(&with, &o->s, (scene_start){ 0 }, path);
    free(with.set);
    return code;
}

static int write_results(optimizing *o, const cJSON *result)
{
    result_file file;
    char       *text;
    int         code;

    if (!o->a.output) return EXIT_SUCCESS;
    if (!result_close(&o->history, true)) return EXIT_OUTPUT;
    code = write_scene(o);
    if (code != EXIT_SUCCESS) return code;
    if (!result_open(&file, o->a.output, "summary.json")) return EXIT_OUTPUT;
    text = cJSON_Print(result);
    fprintf(file.f, "%s\n", text);
    free(text);
    return result_close(&file, true) ? EXIT_SUCCESS : EXIT_OUTPUT;
}

/* The page of what was found: its motion, with derivatives by what was searched over. */
static int write_page(optimizing *o, cJSON *content)
{
    const problem *p    = &o->p;
    sal_run_opts   opts = o->a.opts;
    sal_setting   *set  = need_zeros((size_t)(opts.nset + p->n), sizeof *set);
    const char   **wrt  = need_zeros((size_t)p->n, sizeof *wrt);
    int            code;

    for (int k = 0; k < opts.nset; k++) set[k] = opts.set[k];
    for (int k = 0; k < p->n; k++) {
        set[opts.nset++] = (sal_setting){ p->variable[k].name, p->best.x[k] };
        wrt[k]           = p->variable[k].name;
    }
    opts.set = set;
    cJSON_AddItemReferenceToObject(content, "history", p->trace);
    code = report_design(&o->s, &o->a, opts, wrt, p->n, "Optimum", content);
    free(wrt);
    free(set);
    return code;
}

static int finish(optimizing *o)
{
    cJSON *content, *result;
    int    code;

    if (!o->p.best.good) {
        fprintf(stderr, "saltus: nothing could be evaluated: %s\n", o->p.message);
        return o->p.stopped ? EXIT_STOPPED : EXIT_RUN;
    }
    if (!o->found.why) o->found.why = "interrupted";
    content = result_object(o);
    result  = json_result("optimize", &o->s, &o->a, o->p.stopped ? "interrupted" : "done", content);
    code    = write_results(o, result);
    if (o->a.json) print_json(result);
    else if (code == EXIT_SUCCESS) print_result(o);
    if (code == EXIT_SUCCESS && o->a.report) code = write_page(o, content);
    cJSON_Delete(content);
    cJSON_Delete(result);
    if (code != EXIT_SUCCESS) return code;
    if (o->p.stopped) return EXIT_STOPPED;
    if (!feasible(o)) return fprintf(stderr, "saltus: no place was found where all conditions hold\n"), EXIT_OPTIMUM;
    return o->a.strict && o->p.best.off > o->p.tolerance ? EXIT_DOUBTFUL : EXIT_SUCCESS;
}

int command_optimize(int argc, char **argv)
{
    optimizing o    = { 0 };
    int        code = prepare(&o, argc, argv);
    double     started;

    if (o.a.scene && code == EXIT_SUCCESS) {
        catch_interrupts();
        started = now();
        if (o.a.report) o.p.trace = cJSON_CreateArray();
        if (!open_history(&o)) code = EXIT_OUTPUT;
        if (code == EXIT_SUCCESS) code = search(&o);
        progress_end();
        o.seconds = now() - started;
        if (code == EXIT_SUCCESS) code = finish(&o);
        result_close(&o.history, false);
    }
    cJSON_Delete(o.p.trace);
    problem_free(&o.p);
    free(o.first);
    if (o.a.scene) session_close(&o.s, &o.a);
    return code;
}
