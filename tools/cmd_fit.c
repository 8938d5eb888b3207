/* cmd_fit.c - saltus fit: parameters from what was measured, how well they are known, and which cannot be told. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/fit/fit.h"
#include "tools/report.h"
#include "tools/rewrite.h"

static const char help[] =
    "saltus fit SCENE DATA.csv [DATA.csv:NAME=VALUE,... ...] --over NAME [options]\n"
    "\n"
    "Finds the parameters for which the motion is nearest to what was measured, by exact derivatives through all\n"
    "events, and says how well the data tell them. DATA.csv begins with a line of names: t, and expressions of the\n"
    "scene, \"y(P)\", \"angle(bar)\". An empty cell is a sample that is missing. Several files are several "
    "experiments,\n"
    "each with settings of its own behind a colon.\n"
    "\n"
    "  --over NAME        a parameter; NAME=LOW:HIGH keeps it in a range, NAME=LOW:HIGH:START says where to begin.\n"
    "                     initial(P.x), ... need a range. 'delay' is that of the clock of the measurement: what it "
    "has\n"
    "                     at t is the motion at t + delay. Repeatable\n"
    "  --column EXPR=NAME  what the column NAME of the data is; repeatable\n"
    "  --columns A,B      the columns that count; all when absent\n"
    "  --noise NUMBER     standard deviation of what was measured; EXPR=NUMBER: of one column. Repeatable. When "
    "absent\n"
    "                     it is estimated from what the fit leaves, for each column\n"
    "  --confidence PART  of the intervals, 0.95\n"
    "  --tolerance NUMBER of the search, 1e-8: the largest cosine between what is left and what a parameter can "
    "change\n"
    "  --evaluations N    of each search at most, 200\n"
    "  --starts N         search from N places: the start, and others spread over the ranges that there are\n"
    "  --seed NUMBER      of those; 1 when absent\n"
    "  --report FILE      write a page (HTML): the motion with what was found, residuals, how well it is known\n"
    "  -o, --output FOLDER  write best.json, the scene with what was found, residuals.csv (with the standard error of "
    "the\n"
    "                     motion, its prediction band) and summary.json (with the covariance) there\n"
    "  --set NAME=VALUE   give a parameter another value; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  --form FORM        index1 or penalty\n"
    "  --integrator NAME  auto, rk8, rk5, or radau for what is stiff\n"
    "  --rtol NUMBER      relative tolerance of a step\n"
    "  -q, --quiet        print no summary; errors and warnings only\n"
    "  --strict           a parameter that cannot be told, or a search that was not finished, is a failure: exit code "
    "10\n"
    "  --json             print the result as JSON\n"
    "\n"
    "A search ends at a minimum that may be a local one. Where what is left is no noise a warning says so; --starts "
    "looks\n"
    "from other places. An evaluation that fails shortens the step. Ctrl-C ends with the best that is known. Standard "
    "errors are those "
    "of\n"
    "the linear problem at the best place, with the noise as told or as estimated; intervals are Student's where it "
    "was\n"
    "estimated.\n";

static int prepare(fitting *f, arguments *a, session *s)
{
    int code;

    f->a = a;
    f->s = s;
    code = session_open(s, a);
    if (code != EXIT_SUCCESS) return code;
    if (!variables_read(&f->over, a, s, DELAY)) return EXIT_USAGE;
    code = data_read(&f->data, a, s);
    if (code != EXIT_SUCCESS) return code;
    if (f->data.n < f->over.n || f->data.n < 2) {
        fprintf(stderr, "saltus: %d parameters from %ld samples: more are needed\n", f->over.n, f->data.n);
        return EXIT_USAGE;
    }
    return model_open(f);
}

/* Several searches begin in different places of the ranges. */
static int check_starts(const fitting *f)
{
    bool ranges = f->starts == 1;

    for (int k = 0; k < f->over.n; k++) ranges = ranges || isfinite(f->over.at[k].high - f->over.at[k].low);
    if (!ranges) fprintf(stderr, "saltus: --starts: expected ranges to begin in, --over NAME=LOW:HIGH\n");
    return ranges && variables_can_start(&f->over, f->starts) ? EXIT_SUCCESS : EXIT_USAGE;
}

/* ------------------------------------------------------------------------------------------- results */

/* rms of what is left of a quantity, in its unit. */
static double left_of(const fitting *f, int q)
{
    double sum   = 0.0;
    long   first = 0;

    for (int k = 0; k < f->data.nexperiment; first += f->data.experiment[k++].n) {
        for (long i = 0; i < f->data.experiment[k].n; i++) {
            if (f->data.experiment[k].at[i].quantity == q) sum += f->r[first + i] * f->r[first + i];
        }
    }
    return f->data.quantity[q].sigma * sqrt(sum / fmax((double)f->data.quantity[q].n, 1.0));
}

static double correlation(const statistics *t, int a, int b)
{
    const double *C = t->covariance, size = sqrt(C[a * t->n + a] * C[b * t->n + b]);

    return size > 0.0 ? C[a * t->n + b] / size : 0.0;
}

/* "m + 0.5 k": what cannot be told. */
static void combination(const fitting *f, const statistics *t, int j, char *text, size_t room)
{
    size_t used = 0;

    text[0] = '\0';
    for (int a = 0; a < t->n && used < room; a++) {
        const double part = t->direction[j * t->n + a];
        if (fabs(part) < 1e-3) continue;
        used += (size_t)snprintf(text + used, room - used, "%s%.4g %s",
                                 used         ? part < 0.0 ? " - " : " + "
                                 : part < 0.0 ? "-"
                                              : "",
                                 fabs(part), f->over.at[a].name);
    }
}

static cJSON *numbers(const double *x, int n)
{
    cJSON *list = cJSON_CreateArray();

    for (int k = 0; k < n; k++)
        cJSON_AddItemToArray(list, isfinite(x[k]) ? cJSON_CreateNumber(x[k]) : cJSON_CreateNull());
    return list;
}

static void add_number(cJSON *object, const char *key, double value)
{
    cJSON_AddItemToObject(object, key, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

static cJSON *result_object(const fitting *f, const statistics *t, double confidence)
{
    cJSON *root = cJSON_CreateObject(), *list, *item;

    cJSON_AddNumberToObject(root, "samples", (double)f->data.n);
    cJSON_AddNumberToObject(root, "experiments", f->data.nexperiment);
    cJSON_AddNumberToObject(root, "evaluations", (double)f->evaluations);
    cJSON_AddNumberToObject(root, "failed_evaluations", (double)f->failed);
    cJSON_AddBoolToObject(root, "converged", f->converged);
    cJSON_AddStringToObject(root, "ended", f->why ? f->why : "");
    cJSON_AddNumberToObject(root, "searches", f->starts);
    cJSON_AddNumberToObject(root, "led_here", f->here);
    cJSON_AddNumberToObject(root, "led_elsewhere", f->elsewhere);
    cJSON_AddNumberToObject(root, "failed_starts", f->lost);
    cJSON_AddNumberToObject(root, "chi2", f->chi2);
    cJSON_AddNumberToObject(root, "freedom", (double)t->freedom);
    cJSON_AddNumberToObject(root, "confidence", confidence);
    list = cJSON_AddObjectToObject(root, "over");
    for (int k = 0; k < t->n; k++) {
        const double half = t->quantile * t->error[k];
        item              = cJSON_AddObjectToObject(list, f->over.at[k].name);
        cJSON_AddNumberToObject(item, "start", f->over.at[k].start);
        cJSON_AddNumberToObject(item, "best", f->x[k]);
        add_number(item, "error", t->error[k]);
        cJSON_AddItemToObject(item, "interval", numbers((double[]){ f->x[k] - half, f->x[k] + half }, 2));
        cJSON_AddBoolToObject(item, "at_bound", t->held[k]);
    }
    list = cJSON_AddArrayToObject(root, "covariance");
    for (int k = 0; k < t->n; k++) cJSON_AddItemToArray(list, numbers(t->covariance + k * t->n, t->n));
    cJSON_AddItemToObject(root, "singular_values", numbers(t->singular, t->n));
    list = cJSON_AddArrayToObject(root, "not_told");
    for (int j = t->n - t->untold; j < t->n; j++) {
        item = cJSON_CreateObject();
        for (int a = 0; a < t->n; a++) {
            const double part = t->direction[j * t->n + a];
            if (fabs(part) >= 1e-3) cJSON_AddNumberToObject(item, f->over.at[a].name, part);
        }
        cJSON_AddItemToArray(list, item);
    }
    list = cJSON_AddObjectToObject(root, "quantities");
    for (int q = 0; q < f->data.nquantity; q++) {
        item = cJSON_AddObjectToObject(list, f->data.quantity[q].expression);
        cJSON_AddNumberToObject(item, "samples", (double)f->data.quantity[q].n);
        cJSON_AddNumberToObject(item, "noise", f->data.quantity[q].sigma);
        cJSON_AddBoolToObject(item, "estimated", !f->data.quantity[q].given);
        cJSON_AddNumberToObject(item, "rms", left_of(f, q));
    }
    return root;
}

static void print_correlations(const fitting *f, const statistics *t)
{
    if (t->n < 2 || t->n > 8) return;
    printf("\n  correlations\n");
    for (int a = 1; a < t->n; a++) {
        printf("  %-22s", f->over.at[a].name);
        for (int b = 0; b < a; b++) {
            if (isnan(t->error[a]) || isnan(t->error[b])) printf(" %8s", "-");
            else printf(" %8.3f", correlation(t, a, b));
        }
        printf("\n");
    }
    printf("  %-22s", "");
    for (int b = 0; b < t->n - 1; b++) printf(" %8.8s", f->over.at[b].name);
    printf("\n");
}

static void print_result(const fitting *f, const statistics *t, double confidence, double seconds)
{
    print_title(f->s, f->a->scene);
    printf("  fitted to %ld samples in %d experiment%s: %ld evaluations", f->data.n, f->data.nexperiment,
           f->data.nexperiment == 1 ? "" : "s", f->evaluations);
    if (f->failed) printf(", %ld failed", f->failed);
    printf(" in %.3g ms\n\n  %-22s %15s %15s %15s   %g %% interval\n", 1e3 * seconds, "", "start", "best",
           "standard error", 100.0 * confidence);
    for (int k = 0; k < t->n; k++) {
        const double half = t->quantile * t->error[k];
        printf("  %-22s %15.9g %15.9g", f->over.at[k].name, f->over.at[k].start, f->x[k]);
        if (t->held[k]) printf("  at its bound\n");
        else if (isnan(t->error[k])) printf("  the data do not tell\n");
        else printf(" %15.3g   %.6g to %.6g\n", t->error[k], f->x[k] - half, f->x[k] + half);
    }
    printf("\n  %-22s %15s %15s %15s\n", "measured", "samples", "rms of residual", "noise");
    for (int q = 0; q < f->data.nquantity; q++) {
        const quantity *x = &f->data.quantity[q];
        printf("  %-22s %15ld %15.6g %15.6g%s\n", x->expression, x->n, left_of(f, q), x->sigma,
               x->given ? "" : "  estimated");
    }
    print_correlations(f, t);
    for (int j = t->n - t->untold; j < t->n; j++) {
        char text[512];
        combination(f, t, j, text, sizeof text);
        printf("\n  not told by these data: a change along %s\n", text);
    }
    printf("\n  ended              %s\n", f->why);
    if (f->starts > 1)
        printf("  searches           %d: %d led here, %d elsewhere, %d could not begin\n", f->starts, f->here,
               f->elsewhere, f->lost);
    else printf("  searches           1; others may end elsewhere: --starts N\n");
    if (f->a->output) printf("  results            %s/best.json, residuals.csv, summary.json\n", f->a->output);
}

/* Residuals that are no noise. */
static void warn_of_pattern(const fitting *f)
{
    for (int q = 0; q < f->data.nquantity; q++) {
        const quantity *x    = &f->data.quantity[q];
        const double    like = likeness(f, q);
        if (x->n < 10 || like * sqrt((double)x->n) <= 5.0) continue;
        warnings++;
        fprintf(
            stderr,
            "saltus: warning: what is left of %s is no noise, neighbours are alike (correlation %.2f): this is another "
            "minimum than the true one (--starts N looks from other places), or the model or its noise is another\n",
            x->expression, like);
    }
}

/* Noise that was told, and residuals that say otherwise. */
static void warn(const fitting *f, const statistics *t)
{
    const double ratio = t->freedom > 0 ? f->chi2 / (double)t->freedom : 1.0;
    bool         given = true;

    for (int q = 0; q < f->data.nquantity; q++) given = given && f->data.quantity[q].given;
    if (!given || t->freedom <= 0 || fabs(ratio - 1.0) <= 5.0 * sqrt(2.0 / (double)t->freedom)) return;
    warnings++;
    fprintf(stderr,
            "saltus: warning: residuals are %.3g times what the noise that was told allows (chi2 %.4g of %ld): the "
            "model, or the noise, is another\n",
            sqrt(ratio), f->chi2, t->freedom);
}

static int write_residuals(const fitting *f, const statistics *t)
{
    result_file file;
    long        first = 0;

    if (!result_open(&file, f->a->output, "residuals.csv")) return EXIT_OUTPUT;
    fprintf(file.f, "experiment,t,quantity,measured,motion,residual,noise,error of the motion\n");
    for (int k = 0; k < f->data.nexperiment; first += f->data.experiment[k++].n) {
        const experiment *e = &f->data.experiment[k];
        for (long i = 0; i < e->n; i++) {
            const quantity *q = &f->data.quantity[e->at[i].quantity];
            fprintf(file.f, "%d,%.17g", k + 1, e->at[i].t);
            print_cell(file.f, "", q->expression, "");
            fprintf(file.f, ",%.17g,%.17g,%.9g,%.9g,%.9g\n", e->at[i].value, f->motion[first + i],
                    f->motion[first + i] - e->at[i].value, q->sigma, q->sigma * band(f, t, first + i));
        }
    }
    return result_close(&file, true) ? EXIT_SUCCESS : EXIT_OUTPUT;
}

/* The scene with what was found; initial values and the delay are no parameters of it. */
static int write_scene(const fitting *f)
{
    arguments with = *f->a;
    char      path[4200];
    int       code;

    with.set       = need_zeros((size_t)(f->a->opts.nset + f->over.n), sizeof *with.set);
    with.opts.nset = 0;
    for (int k = 0; k < f->a->opts.nset; k++) with.set[with.opts.nset++] = f->a->set[k];
    for (int k = 0; k < f->over.n; k++) {
        if (k != f->delay && !variable_is_initial(&f->over.at[k]))
            with.set[with.opts.nset++] = (sal_setting){ f->over.at[k].name, f->x[k] };
    }
    with.opts.set = with.set;
    snprintf(path, sizeof path, "%s/best.json", f->a->output);
    code = rewrite_scene(&with, f->s, (scene_start){ 0 }, path);
    free(with.set);
    return code;
}

static int write_results(const fitting *f, const statistics *t, const cJSON *result)
{
    result_file file;
    char       *text;
    int         code;

    if (!f->a->output) return EXIT_SUCCESS;
    code = write_residuals(f, t);
    if (code == EXIT_SUCCESS) code = write_scene(f);
    if (code != EXIT_SUCCESS) return code;
    if (!result_open(&file, f->a->output, "summary.json")) return EXIT_OUTPUT;
    text = cJSON_Print(result);
    fprintf(file.f, "%s\n", text);
    free(text);
    return result_close(&file, true) ? EXIT_SUCCESS : EXIT_OUTPUT;
}

/* Of each quantity in each experiment: times, what was measured, what the motion has, its standard error, the noise. */
static cJSON *residuals_object(const fitting *f, const statistics *t)
{
    cJSON *list  = cJSON_CreateArray();
    long   first = 0;

    for (int k = 0; k < f->data.nexperiment; first += f->data.experiment[k++].n) {
        const experiment *e = &f->data.experiment[k];
        for (int q = 0; q < f->data.nquantity; q++) {
            cJSON *item = cJSON_CreateObject(), *rows = cJSON_CreateArray();
            for (long i = 0; i < e->n; i++) {
                if (e->at[i].quantity != q) continue;
                const double row[] = { e->at[i].t, e->at[i].value, f->motion[first + i],
                                       f->data.quantity[q].sigma * band(f, t, first + i) };
                cJSON_AddItemToArray(rows, numbers(row, 4));
            }
            cJSON_AddStringToObject(item, "quantity", f->data.quantity[q].expression);
            cJSON_AddNumberToObject(item, "experiment", k + 1);
            cJSON_AddNumberToObject(item, "noise", f->data.quantity[q].sigma);
            cJSON_AddItemToObject(item, "rows", rows);
            cJSON_AddItemToArray(list, item);
        }
    }
    return list;
}

/* The page of what was found: the motion of the first experiment. The delay is the clock's, not the motion's. */
static int write_page(const fitting *f, const statistics *t, cJSON *content)
{
    const experiment *first = &f->data.experiment[0];
    sal_run_opts      opts  = f->a->opts;
    sal_setting      *set   = need_zeros((size_t)(opts.nset + first->nset + f->over.n), sizeof *set);
    int               n     = 0, code;

    for (int k = 0; k < opts.nset; k++) set[n++] = opts.set[k];
    for (int k = 0; k < first->nset; k++) set[n++] = first->set[k];
    for (int k = 0; k < f->over.n; k++) {
        if (k != f->delay) set[n++] = (sal_setting){ f->over.at[k].name, f->x[k] };
    }
    opts.set  = set;
    opts.nset = n;
    cJSON_AddItemToObject(content, "residuals", residuals_object(f, t));
    code = report_design(f->s, f->a, opts, f->wrt, f->nwrt, "Fit", content);
    free(set);
    return code;
}

static int finish(const fitting *f, double confidence, double seconds)
{
    statistics t       = statistics_of(f, confidence);
    cJSON     *content = result_object(f, &t, confidence);
    cJSON     *result  = json_result("fit", f->s, f->a, f->stopped ? "interrupted" : "done", content);
    int        code    = write_results(f, &t, result);

    warn_of_pattern(f);
    warn(f, &t);
    if (f->a->json) print_json(result);
    else if (code == EXIT_SUCCESS) print_result(f, &t, confidence, seconds);
    if (code == EXIT_SUCCESS && f->a->report) code = write_page(f, &t, content);
    if (code == EXIT_SUCCESS && f->stopped) code = EXIT_STOPPED;
    if (code == EXIT_SUCCESS && f->a->strict && (t.untold || !f->converged || warnings)) code = EXIT_DOUBTFUL;
    cJSON_Delete(content);
    cJSON_Delete(result);
    statistics_free(&t);
    return code;
}

int command_fit(int argc, char **argv)
{
    fitting   f = { 0 };
    arguments a;
    session   s          = { 0 };
    double    confidence = 0.95;
    long      most = 200, starts = 1, seed = 1;
    int       code;

    if (!read_arguments(argc, argv, ACCEPT_FIT, help, &a, &code)) return code;
    code = EXIT_USAGE;
    if (read_between("--confidence", a.word[WORD_CONFIDENCE], 0.01, 0.999999, &confidence) &&
        read_whole("--evaluations", a.word[WORD_EVALUATIONS], 1e9, &most) &&
        read_whole("--starts", a.word[WORD_STARTS], 1e6, &starts) &&
        read_whole("--seed", a.word[WORD_SEED], 1e15, &seed))
        code = prepare(&f, &a, &s);
    f.starts = (int)starts;
    if (code == EXIT_SUCCESS) code = check_starts(&f);
    if (code == EXIT_SUCCESS) {
        const double started = now();
        catch_interrupts();
        progress_begin(NULL);
        code = search_fit(&f, a.tolerance, most, (uint64_t)seed);
        progress_end();
        if (code == EXIT_SUCCESS) code = finish(&f, confidence, now() - started);
    }
    model_close(&f);
    session_close(&s, &a);
    return code;
}
