/* cmd_cycle.c - saltus cycle: periodic motions, their stability, their derivatives, and how they change with a
 * parameter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/studies.h"

static const char help[] =
    "saltus cycle SCENE [options]\n"
    "\n"
    "Finds a periodic motion: a start that comes back to itself just after the section, an event, or after the period "
    "of\n"
    "what drives it, once points and memory have exchanged their roles and everything has been moved back by what the\n"
    "origin point has moved (the scene's \"cycle\"). Newton's method begins at the scene's start, for other "
    "parameters\n"
    "(--set) also at the cycle of its own. Prints the Floquet multipliers and the derivatives of the cycle.\n"
    "\n"
    "  --section EVENT    with which a cycle closes; as the scene says when absent\n"
    "  --steps N          the cycle closes after N returns to the section, or N periods (1 when absent)\n"
    "  --follow NAME=FROM:TO  the cycle while a parameter changes, around folds, with every bifurcation\n"
    "  --wrt A,B,...      derivatives with respect to these parameters; all parameters when absent, with --follow "
    "only\n"
    "                     the one that changes\n"
    "  --tolerance NUMBER how well it closes, relative to the sizes of positions, velocities and memory; 1e-11\n"
    "  --set NAME=VALUE   give a parameter another value: a number, or an expression of parameters; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  -q, --quiet        print no summary; errors and warnings only\n"
    "  --form FORM        index1, penalty, or index3 by implicit steps\n"
    "  --integrator NAME  auto, rk8, rk5, or radau for what is stiff\n"
    "  --rtol NUMBER      relative tolerance of a step; 1e-12, or the scene's where that is less, when absent\n"
    "  --duration SECONDS how long to wait for the section; a period is as long as it is\n"
    "  -o, --output FOLDER  write cycle.json there, or follow.csv with --follow\n"
    "  --report FILE      write a page with two periods of the cycle (HTML), of the last one with --follow, which "
    "then\n"
    "                     shows the branch as well: see saltus report\n"
    "  --strict           warnings are failures: exit code 10\n"
    "  --json             print it as JSON\n"
    "\n"
    "Ends with exit code 8 when no cycle is found or it cannot be followed to the end, with 3 when the motion notices "
    "that\n"
    "it is moved back, or is not the same a period later. Multipliers that are zero because of the constraints and "
    "the\n"
    "section are left out; a cycle is stable when all others are less than 1 in size.\n";

/* ----------------------------------------------------------------------------------------- report */

static cJSON *by_parameter(const sal_cycle *c, const double *row)
{
    cJSON *object = cJSON_CreateObject();

    for (int k = 0; k < sal_cycle_wrt_count(c); k++) cJSON_AddNumberToObject(object, sal_cycle_wrt(c, k), row[k]);
    return object;
}

static void add_quantity(cJSON *object, const char *name, const sal_cycle *c, double value, const double *gradient)
{
    cJSON *item = cJSON_AddObjectToObject(object, name);

    cJSON_AddNumberToObject(item, "value", value);
    cJSON_AddItemToObject(item, "gradient", by_parameter(c, gradient));
}

static void add_multipliers(cJSON *root, const sal_cycle *c)
{
    cJSON *list = cJSON_AddArrayToObject(root, "multipliers");
    double mu[2];

    for (int k = 0; sal_cycle_multiplier(c, k, mu); k++) cJSON_AddItemToArray(list, cJSON_CreateDoubleArray(mu, 2));
}

/* Everything that is known of the cycle. */
cJSON *cycle_summary(const session *s, const char *scene, const sal_cycle *c)
{
    const sal_model_info info = sal_model_get_info(s->model);
    const sal_cycle_info y    = sal_cycle_get_info(c);
    const int            n = info.coordinates, p = sal_cycle_wrt_count(c);
    cJSON               *root = cJSON_CreateObject(), *part;

    cJSON_AddStringToObject(root, "scene", scene);
    if (y.section) cJSON_AddStringToObject(root, "section", y.section);
    cJSON_AddNumberToObject(root, "steps", y.steps);
    cJSON_AddNumberToObject(root, "shortest", y.shortest);
    cJSON_AddNumberToObject(root, "iterations", y.iterations);
    cJSON_AddNumberToObject(root, "residual", y.residual);
    add_multipliers(root, c);
    cJSON_AddNumberToObject(root, "neutral", y.neutral);
    cJSON_AddBoolToObject(root, "stable", y.stable);
    add_quantity(root, "period", c, y.period, sal_cycle_period_gradient(c));
    add_quantity(root, "step_length", c, y.length, sal_cycle_length_gradient(c));
    cJSON_AddItemToObject(root, "advance", cJSON_CreateDoubleArray(y.advance, 2));
    part = cJSON_AddObjectToObject(root, "start");
    for (int k = 0; k < 2 * n; k++) {
        char name[160];
        snprintf(name, sizeof name, "%s%s", k < n ? "" : "v", sal_model_coordinate(s->model, k % n));
        add_quantity(part, name, c, sal_cycle_start(c)[k], sal_cycle_start_gradients(c) + k * p);
    }
    if (y.memory) part = cJSON_AddObjectToObject(root, "memory");
    for (int k = 0; k < y.memory; k++)
        add_quantity(part, sal_cycle_memory(c, k), c, sal_cycle_start(c)[2 * n + k],
                     sal_cycle_start_gradients(c) + (2 * n + k) * p);
    part = cJSON_AddObjectToObject(root, "outputs");
    for (int k = 0; k < info.outputs; k++)
        add_quantity(part, sal_model_output(s->model, k), c, sal_cycle_outputs(c)[k],
                     sal_cycle_output_gradients(c) + k * p);
    part = cJSON_AddObjectToObject(root, "costs");
    for (int k = 0; k < info.costs; k++)
        add_quantity(part, sal_model_cost(s->model, k), c, sal_cycle_costs(c)[k], sal_cycle_cost_gradients(c) + k * p);
    return root;
}

/* ------------------------------------------------------------------------------------------ print */

static void print_row(const char *name, const cJSON *item)
{
    const cJSON *d, *gradient = cJSON_GetObjectItem(item, "gradient");

    printf("  %-24s %18.12g", name, cJSON_GetObjectItem(item, "value")->valuedouble);
    cJSON_ArrayForEach(d, gradient) printf(" %18.12g", cJSON_IsNumber(d) ? d->valuedouble : NAN);
    printf("\n");
}

static void print_rows(const cJSON *part, const char *format)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, part)
    {
        char name[160];
        snprintf(name, sizeof name, "%s%s", format, item->string);
        print_row(name, item);
    }
}

static void print_multipliers(const sal_cycle *c)
{
    double mu[2], next[2];

    for (int k = 0; sal_cycle_multiplier(c, k, mu); k++) {
        printf("  %-18s %.12g", k ? "" : "multipliers", mu[0]);
        if (mu[1] != 0.0) {
            printf(" +- %.12g i   (size %.12g)", fabs(mu[1]), hypot(mu[0], mu[1]));
            if (sal_cycle_multiplier(c, k + 1, next) && next[1] == -mu[1]) k++;
        }
        printf("\n");
    }
}

static void print_cycle(const session *s, const arguments *a, const sal_cycle *c, const cJSON *root)
{
    const sal_cycle_info y = sal_cycle_get_info(c);

    print_title(s, a->scene);
    if (y.section) printf("  cycle through '%s', found in %d iterations\n\n", y.section, y.iterations);
    else printf("  cycle of the period %.12g s, found in %d iterations\n\n", y.period / y.steps, y.iterations);
    printf("  residual           %.2g\n", y.residual);
    if (y.steps > 1) {
        printf("  steps              %d", y.steps);
        printf(y.shortest < y.steps ? "; it closes after %d already\n" : "\n", y.shortest);
    }
    print_multipliers(c);
    printf("  %-18s %s: %d multiplier%s not zero by structure, of %d\n", "stability",
           y.neutral && y.largest < 1.0 ? "neutral, one of a family of cycles"
           : y.stable                   ? "stable"
                                        : "unstable",
           y.multipliers, y.multipliers == 1 ? "" : "s", y.unknowns);
    printf("\n  %-24s %18s", "", "value");
    for (int k = 0; k < sal_cycle_wrt_count(c); k++) printf("      d/d %-10s", sal_cycle_wrt(c, k));
    printf("\n");
    print_row("period", cJSON_GetObjectItem(root, "period"));
    if (y.length > 0.0) print_row("step length", cJSON_GetObjectItem(root, "step_length"));
    print_rows(cJSON_GetObjectItem(root, "start"), "");
    print_rows(cJSON_GetObjectItem(root, "memory"), "memory ");
    print_rows(cJSON_GetObjectItem(root, "outputs"), "output ");
    print_rows(cJSON_GetObjectItem(root, "costs"), "cost ");
}

static int write_json(const session *s, const arguments *a, const cJSON *summary)
{
    result_file file = { 0 };
    cJSON      *root;
    char       *text;

    if (!result_open(&file, a->output, "cycle.json")) return EXIT_OUTPUT;
    root = json_result("cycle", s, a, "done", summary);
    text = cJSON_Print(root);
    fprintf(file.f, "%s\n", text);
    free(text);
    cJSON_Delete(root);
    return result_close(&file, true) ? EXIT_SUCCESS : EXIT_OUTPUT;
}

/* Memory as the scene begins with it, but for what the cycle begins with. */
static void cycle_memory(const session *s, const sal_cycle *c, double *memory)
{
    const int   n = sal_model_get_info(s->model).coordinates;
    const char *name, *other;

    for (int k = 0; (name = sal_model_memory(s->model, k)); k++) {
        memory[k] = sal_run_memory(s->run, k);
        for (int i = 0; (other = sal_cycle_memory(c, i)); i++) {
            if (!strcmp(name, other)) memory[k] = sal_cycle_start(c)[2 * n + i];
        }
    }
}

sal_status start_on_cycle(session *s, const sal_run_opts *opts, const sal_cycle *c)
{
    const sal_model_info info   = sal_model_get_info(s->model);
    sal_run_opts         plain  = *opts;
    sal_start            start  = sal_start_defaults();
    double              *memory = calloc((size_t)info.memory + 1, sizeof *memory);
    sal_status           status;

    plain.nwrt     = 0;
    plain.duration = 2.0 * sal_cycle_get_info(c).period;
    status         = memory ? sal_run_create(s->model, &plain, &s->run) : SAL_ERR_MEMORY;
    if (status == SAL_OK) {
        cycle_memory(s, c, memory);
        start.q      = sal_cycle_start(c);
        start.v      = start.q + info.coordinates;
        start.memory = memory;
        status       = sal_run_start_at(s->run, &start);
    }
    free(memory);
    return status;
}

/* Two periods of the motion from the start of the cycle. Derivatives are those of the cycle, in its tables. */
static int write_page(session *s, const arguments *a, const sal_cycle *c, const cJSON *root, const cJSON *branch)
{
    sal_status  status = start_on_cycle(s, &a->opts, c);
    run_report *page   = NULL;
    sal_reader  reader;
    int         code = EXIT_SUCCESS;

    if (status != SAL_OK) return report(s->run ? sal_run_message(s->run) : sal_message(s->context), status);
    page = report_open(s, a->scene);
    if (!page) return EXIT_RUN;
    reader = report_reader(page);
    status = sal_simulate(s->run, &reader, 1);
    report_add_study(page, "Cycle", root);
    if (branch) report_add_branch(page, a->follow, branch);
    if (!report_close(page, a->report, status)) code = EXIT_OUTPUT;
    if (status < 0) code = report(sal_run_message(s->run), status);
    return status == SAL_STOPPED ? EXIT_STOPPED : code;
}

static int find_cycle(session *s, const arguments *a, sal_cycle *c)
{
    const sal_status status = sal_cycle_find(c);
    cJSON           *root;
    int              code = EXIT_SUCCESS;

    if (status == SAL_STOPPED) return EXIT_STOPPED;
    if (status != SAL_OK) return report(sal_message(s->context), status);
    root = cycle_summary(s, a->scene, c);
    if (a->json) print_json_result("cycle", s, a, "done", root);
    else print_cycle(s, a, c, root);
    if (a->output) code = write_json(s, a, root);
    stdout_written();
    if (code == EXIT_SUCCESS && a->report) code = write_page(s, a, c, root, NULL);
    cJSON_Delete(root);
    return code;
}

/* ----------------------------------------------------------------------------------------- follow */

static const char *const kind_names[] = { [SAL_NO_BIFURCATION] = "",
                                          [SAL_FOLD]           = "fold",
                                          [SAL_CROSS]          = "branch point",
                                          [SAL_FLIP]           = "period doubling",
                                          [SAL_TORUS]          = "Neimark-Sacker" };

typedef struct branch {
    const session   *s;
    const arguments *a;
    const sal_cycle *c;
    result_file      file;
    cJSON           *points; /* for --json and for a page; NULL: for neither */
    double           last;   /* value of the parameter there */
} branch;

/* Derivatives are told along a branch where they were asked for. */
static bool with_gradients(const branch *b)
{
    return b->a->wrt_text != NULL;
}

static void print_branch_header(branch *b)
{
    const int n = sal_model_get_info(b->s->model).coordinates;

    if (!b->a->json) {
        print_title(b->s, b->a->scene);
        printf("\n  %18s %18s %18s %18s\n", b->a->follow, "period [s]", "step length [m]", "largest |mu|");
    }
    if (!b->file.f) return;
    fprintf(b->file.f, "%s,kind,period,step_length,largest,stable", b->a->follow);
    for (int k = 0; k < 2 * n; k++)
        fprintf(b->file.f, ",%s%s", k < n ? "" : "v", sal_model_coordinate(b->s->model, k % n));
    for (int k = 0; sal_cycle_memory(b->c, k); k++) fprintf(b->file.f, ",%s", sal_cycle_memory(b->c, k));
    for (int j = 0; with_gradients(b) && j < sal_cycle_wrt_count(b->c); j++)
        fprintf(b->file.f, ",d(period)/d(%s),d(step_length)/d(%s)", sal_cycle_wrt(b->c, j), sal_cycle_wrt(b->c, j));
    fprintf(b->file.f, "\n");
}

static void tell_point(branch *b, const sal_cycle_point *p, sal_cycle_info y)
{
    cJSON *item = cJSON_CreateObject();

    cJSON_AddNumberToObject(item, b->a->follow, p->parameter);
    cJSON_AddStringToObject(item, "kind", kind_names[p->kind]);
    cJSON_AddNumberToObject(item, "period", y.period);
    cJSON_AddNumberToObject(item, "step_length", y.length);
    cJSON_AddBoolToObject(item, "stable", y.stable);
    add_multipliers(item, b->c);
    if (with_gradients(b)) {
        cJSON_AddItemToObject(item, "period_gradient", by_parameter(b->c, sal_cycle_period_gradient(b->c)));
        cJSON_AddItemToObject(item, "step_length_gradient", by_parameter(b->c, sal_cycle_length_gradient(b->c)));
    }
    cJSON_AddItemToArray(b->points, item);
}

static void print_point(const branch *b, const sal_cycle_point *p, sal_cycle_info y)
{
    const bool special = p->kind != SAL_NO_BIFURCATION;

    printf("%s %18.*g %18.12g %18.12g %18.12g  %s\n", special ? "->" : "  ", special ? 15 : 12, p->parameter, y.period,
           y.length, y.largest,
           special           ? kind_names[p->kind]
           : y.stable        ? "stable"
           : y.largest < 1.0 ? "neutral"
                             : "unstable");
    for (int j = 0; with_gradients(b) && j < sal_cycle_wrt_count(b->c); j++)
        printf("   %18s d(period)/d(%s) = %.12g, d(step length)/d(%s) = %.12g\n", "", sal_cycle_wrt(b->c, j),
               sal_cycle_period_gradient(b->c)[j], sal_cycle_wrt(b->c, j), sal_cycle_length_gradient(b->c)[j]);
    stdout_written();
}

static void add_point(void *user, const sal_cycle_point *p)
{
    branch              *b = user;
    const sal_cycle_info y = sal_cycle_get_info(b->c);

    b->last = p->parameter;
    if (b->points) tell_point(b, p, y);
    if (!b->a->json) print_point(b, p, y);
    if (!b->file.f) return;
    fprintf(b->file.f, "%.17g,%s,%.17g,%.17g,%.17g,%d", p->parameter, kind_names[p->kind], y.period, y.length,
            y.largest, y.stable);
    for (int k = 0; k < 2 * sal_model_get_info(b->s->model).coordinates + y.memory; k++)
        fprintf(b->file.f, ",%.17g", sal_cycle_start(b->c)[k]);
    for (int j = 0; with_gradients(b) && j < sal_cycle_wrt_count(b->c); j++)
        fprintf(b->file.f, ",%.17g,%.17g", sal_cycle_period_gradient(b->c)[j], sal_cycle_length_gradient(b->c)[j]);
    fprintf(b->file.f, "\n");
}

/* The branch, and the last cycle on it, with the parameter that it has there. */
static int write_branch(session *s, const arguments *a, const sal_cycle *c, const branch *b)
{
    arguments    at   = *a;
    sal_setting *set  = need_zeros((size_t)a->opts.nset + 1, sizeof *set);
    cJSON       *root = cycle_summary(s, a->scene, c);
    int          code;

    for (int k = 0; k < a->opts.nset; k++) set[k] = a->opts.set[k];
    set[at.opts.nset++] = (sal_setting){ a->follow, b->last };
    at.opts.set         = set;
    code                = write_page(s, &at, c, root, b->points);
    cJSON_Delete(root);
    free(set);
    return code;
}

static void print_branch(const branch *b, sal_status status)
{
    cJSON *root = cJSON_CreateObject();

    cJSON_AddStringToObject(root, "follow", b->a->follow);
    cJSON_AddItemReferenceToObject(root, "points", b->points);
    print_json_result("cycle", b->s, b->a, status_word(status), root);
    cJSON_Delete(root);
}

static int follow_cycle(session *s, const arguments *a, sal_cycle *c)
{
    branch          b    = { .s = s, .a = a, .c = c, .points = a->json || a->report ? cJSON_CreateArray() : NULL };
    sal_follow_opts opts = sal_follow_defaults();
    sal_status      status;
    int             code = EXIT_SUCCESS;

    opts.from   = a->from;
    opts.to     = a->to;
    opts.report = add_point;
    opts.user   = &b;
    if (a->output && !result_open(&b.file, a->output, "follow.csv")) return cJSON_Delete(b.points), EXIT_OUTPUT;
    print_branch_header(&b);
    status = sal_cycle_follow(c, a->follow, &opts);
    if (a->json) print_branch(&b, status);
    stdout_written();
    if (status == SAL_STOPPED) code = EXIT_STOPPED;
    else if (status != SAL_OK) code = report(sal_message(s->context), status);
    if (!result_close(&b.file, true)) code = EXIT_OUTPUT; /* what was computed is there */
    if (a->report && cJSON_GetArraySize(b.points) > 0) {
        const int written = write_branch(s, a, c, &b);
        if (code == EXIT_SUCCESS) code = written;
    }
    cJSON_Delete(b.points);
    return code;
}

/* ---------------------------------------------------------------------------------------- command */

/* Whether the parameter that changes is among those asked for. */
static bool is_asked_for(const arguments *a)
{
    for (int k = 0; k < a->opts.nwrt; k++) {
        if (!strcmp(a->opts.wrt[k], a->follow)) return true;
    }
    return false;
}

/* What to differentiate with respect to: as asked for, else everything; of a branch the parameter that changes, too. */
static int choose_wrt(session *s, arguments *a)
{
    const char *asked = a->wrt_text;
    int         code;

    if (!a->follow[0] && !asked && sal_model_get_info(s->model).parameters == 0) return EXIT_SUCCESS;
    if (a->follow[0] && !asked) a->wrt_text = a->follow;
    code = session_wrt(s, a);
    if (code == EXIT_SUCCESS && a->follow[0] && !is_asked_for(a)) a->wrt[a->opts.nwrt++] = a->follow;
    a->wrt_text = asked;
    return code;
}

static int open_cycle(const session *s, const arguments *a, sal_cycle **c)
{
    sal_cycle_opts opts = sal_cycle_defaults();
    sal_status     status;

    opts.section   = a->section;
    opts.steps     = a->steps;
    opts.run       = a->opts;
    opts.tolerance = a->tolerance;
    status         = sal_cycle_create(s->model, &opts, c);
    return status == SAL_OK ? EXIT_SUCCESS : report(sal_message(s->context), status);
}

int command_cycle(int argc, char **argv)
{
    arguments  a;
    session    s = { 0 };
    sal_cycle *c = NULL;
    int        code;

    if (!read_arguments(argc, argv, ACCEPT_CYCLE, help, &a, &code)) return code;
    code = session_open(&s, &a);
    if (code == EXIT_SUCCESS) code = choose_wrt(&s, &a);
    if (code == EXIT_SUCCESS) code = open_cycle(&s, &a, &c);
    catch_interrupts();
    if (code == EXIT_SUCCESS) code = a.follow[0] ? follow_cycle(&s, &a, c) : find_cycle(&s, &a, c);
    sal_cycle_destroy(&c);
    code = strict_code(&s, &a, code);
    session_close(&s, &a);
    return code;
}
