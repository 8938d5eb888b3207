/* cmd_equilibrium.c - saltus equilibrium: where a mechanism comes to rest, its reactions, stability and derivatives. */
#include <math.h>
#include <stdlib.h>

#include "tools/rewrite.h"
#include "tools/studies.h"

static const char help[] =
    "saltus equilibrium SCENE [options]\n"
    "\n"
    "Finds a static equilibrium at t = 0, beginning at the scene's start: the forces balance with v = 0, what is "
    "driven\n"
    "standing still. Statically stable ones are found (whether small motions die out or grow, saltus modes tells); a\n"
    "start that is an equilibrium already is taken as it is, stable or not.\n"
    "Contacts that are closed at the start are constraints: which contacts hold is not searched, but a contact that\n"
    "would have to pull is told. Prints positions, reactions, outputs, the smallest stiffness, and derivatives.\n"
    "\n"
    "  --wrt A,B,...      derivatives with respect to these parameters; all parameters when absent\n"
    "  -o, --output FILE  write the scene at the equilibrium there, as saltus assemble does\n"
    "  --report FILE      write a page with the equilibrium (HTML): see saltus report\n"
    "  --set NAME=VALUE   give a parameter another value: a number, or an expression of parameters; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  -q, --quiet        print no summary; errors and warnings only\n"
    "  --json             print it as JSON\n"
    "\n"
    "Ends with exit code 9 when there is no equilibrium near.\n";

/* --------------------------------------------------------------------------------- shared with modes */

int open_equilibrium(session *s, arguments *a, sal_equilibrium **e)
{
    sal_equilibrium_opts opts = sal_equilibrium_defaults();
    int                  code = EXIT_SUCCESS;
    sal_status           status;

    if (a->wrt_text || sal_model_get_info(s->model).parameters > 0) code = session_wrt(s, a);
    if (code != EXIT_SUCCESS) return code;
    opts.run = a->opts;
    status   = sal_equilibrium_create(s->model, &opts, e);
    if (status == SAL_OK) status = sal_equilibrium_find(*e);
    if (status != SAL_OK) return report(sal_message(s->context), status);
    if (sal_equilibrium_get_info(*e).warning[0])
        fprintf(stderr, "saltus: warning: %s\n", sal_equilibrium_get_info(*e).warning);
    return EXIT_SUCCESS;
}

const char *stability_word(sal_equilibrium_info i)
{
    return i.stable ? "statically stable" : i.neutral ? "neutral" : "unstable"; /* dampers may say otherwise */
}

cJSON *gradient_of(const sal_equilibrium *e, const double *row)
{
    cJSON *object = cJSON_CreateObject();

    for (int c = 0; c < sal_equilibrium_wrt_count(e); c++)
        cJSON_AddNumberToObject(object, sal_equilibrium_wrt(e, c), row[c]);
    return object;
}

/* ------------------------------------------------------------------------------------------- report */

static void add_quantity(cJSON *part, const char *name, const sal_equilibrium *e, double value, const double *rows,
                         int index)
{
    cJSON    *item = cJSON_AddObjectToObject(part, name);
    const int p    = sal_equilibrium_wrt_count(e);

    cJSON_AddNumberToObject(item, "value", value);
    cJSON_AddItemToObject(item, "gradient", gradient_of(e, p ? rows + index * p : NULL));
}

cJSON *equilibrium_summary(const session *s, const char *scene, const sal_equilibrium *e)
{
    const sal_model_info       info = sal_model_get_info(s->model);
    const sal_equilibrium_info i    = sal_equilibrium_get_info(e);
    cJSON                     *root = cJSON_CreateObject(), *part;

    cJSON_AddStringToObject(root, "scene", scene);
    cJSON_AddNumberToObject(root, "iterations", i.iterations);
    cJSON_AddNumberToObject(root, "residual", i.residual);
    cJSON_AddNumberToObject(root, "degrees_of_freedom", i.freedom);
    cJSON_AddStringToObject(root, "stability", stability_word(i));
    cJSON_AddNumberToObject(root, "stiffness", i.stiffness);
    cJSON_AddNumberToObject(root, "energy", i.energy);
    cJSON_AddStringToObject(root, "warning", i.warning);
    part = cJSON_AddObjectToObject(root, "positions");
    for (int k = 0; k < info.coordinates; k++)
        add_quantity(part, sal_model_coordinate(s->model, k), e, sal_equilibrium_q(e)[k],
                     sal_equilibrium_q_gradients(e), k);
    part = cJSON_AddObjectToObject(root, "multipliers");
    for (int k = 0; k < info.constraints; k++)
        add_quantity(part, sal_model_constraint(s->model, k), e, sal_equilibrium_lambda(e)[k],
                     sal_equilibrium_lambda_gradients(e), k);
    part = cJSON_AddObjectToObject(root, "reactions");
    for (int k = 0; k < info.reactions; k++)
        add_quantity(part, sal_model_reaction(s->model, k, NULL), e, sal_equilibrium_reactions(e)[k],
                     sal_equilibrium_reaction_gradients(e), k);
    part = cJSON_AddObjectToObject(root, "outputs");
    for (int k = 0; k < info.outputs; k++)
        add_quantity(part, sal_model_output(s->model, k), e, sal_equilibrium_outputs(e)[k],
                     sal_equilibrium_output_gradients(e), k);
    return root;
}

static void print_rows(const cJSON *part, const char *before, const char *after)
{
    const cJSON *item, *d;

    cJSON_ArrayForEach(item, part)
    {
        char name[200];
        snprintf(name, sizeof name, "%s%s%s", before, item->string, after);
        printf("  %-24s %18.12g", name, cJSON_GetObjectItem(item, "value")->valuedouble);
        cJSON_ArrayForEach(d, cJSON_GetObjectItem(item, "gradient"))
            printf(" %18.12g", cJSON_IsNumber(d) ? d->valuedouble : NAN);
        printf("\n");
    }
}

static void print_text(const session *s, const sal_equilibrium *e, const cJSON *root)
{
    const sal_equilibrium_info i = sal_equilibrium_get_info(e);

    print_title(s, "(no name)");
    if (i.iterations) printf("  equilibrium found in %d iterations\n\n", i.iterations);
    else printf("  the start is an equilibrium\n\n");
    printf("  residual           %.2g\n", i.residual);
    if (i.freedom)
        printf("  stability          %s: smallest stiffness %.9g N/m of %d degree%s of freedom\n", stability_word(i),
               i.stiffness, i.freedom, i.freedom == 1 ? "" : "s");
    else printf("  stability          it has no degree of freedom\n");
    printf("  energy             %.9g J\n", i.energy);
    if (i.warning[0]) printf("  WARNING            %s\n", i.warning);
    printf("\n  %-24s %18s", "", "value");
    for (int c = 0; c < sal_equilibrium_wrt_count(e); c++) printf("      d/d %-10s", sal_equilibrium_wrt(e, c));
    printf("\n");
    print_rows(cJSON_GetObjectItem(root, "positions"), "", "");
    print_rows(cJSON_GetObjectItem(root, "reactions"), "", "");
    print_rows(cJSON_GetObjectItem(root, "multipliers"), "lambda(", ")");
    print_rows(cJSON_GetObjectItem(root, "outputs"), "output ", "");
}

sal_status start_at_rest(session *s, const sal_run_opts *opts, const sal_equilibrium *e)
{
    sal_start  start  = sal_start_defaults();
    sal_status status = sal_run_create(s->model, opts, &s->run);

    start.q = sal_equilibrium_q(e);
    return status == SAL_OK ? sal_run_start_at(s->run, &start) : status;
}

run_report *rest_page(const session *s, const char *scene, const sal_equilibrium *e, const sal_modes *modes,
                      const cJSON *root)
{
    run_report *page = report_open(s, scene);

    if (!page) return NULL;
    report_add_rest(page, e);
    if (modes) report_add_modes(page, modes);
    report_add_study(page, modes ? "Modes" : "Equilibrium", root);
    return page;
}

int write_rest_page(session *s, const arguments *a, const sal_equilibrium *e, const sal_modes *modes, const cJSON *root)
{
    const sal_status status = start_at_rest(s, &a->opts, e);
    run_report      *page;

    if (status != SAL_OK) return report(s->run ? sal_run_message(s->run) : sal_message(s->context), status);
    page = rest_page(s, a->scene, e, modes, root);
    if (!page) return EXIT_RUN;
    return report_close(page, a->report, SAL_END) ? EXIT_SUCCESS : EXIT_OUTPUT;
}

static int show(session *s, const arguments *a, const sal_equilibrium *e)
{
    const int n    = sal_model_get_info(s->model).coordinates;
    cJSON    *root = equilibrium_summary(s, a->scene, e);
    double   *zero = need_zeros((size_t)n, sizeof *zero);
    int       code = EXIT_SUCCESS;

    if (a->json) print_json_result("equilibrium", s, a, "done", root);
    else print_text(s, e, root);
    if (code == EXIT_SUCCESS && a->output)
        code = rewrite_scene(a, s, (scene_start){ .q = sal_equilibrium_q(e), .v = zero }, a->output);
    if (code == EXIT_SUCCESS && a->report) code = write_rest_page(s, a, e, NULL, root);
    free(zero);
    cJSON_Delete(root);
    return code;
}

int command_equilibrium(int argc, char **argv)
{
    arguments        a;
    session          s = { 0 };
    sal_equilibrium *e = NULL;
    int              code;

    if (!read_arguments(argc, argv, ACCEPT_EQUILIBRIUM, help, &a, &code)) return code;
    code = session_open(&s, &a);
    if (code == EXIT_SUCCESS) code = open_equilibrium(&s, &a, &e);
    if (code == EXIT_SUCCESS) code = show(&s, &a, e);
    sal_equilibrium_destroy(&e);
    session_close(&s, &a);
    return code;
}
