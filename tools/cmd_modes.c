/* cmd_modes.c - saltus modes: small motions about an equilibrium, and how they change with parameters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/studies.h"

static const char help[] =
    "saltus modes SCENE [options]\n"
    "\n"
    "Linearises the mechanism about a static equilibrium (see saltus equilibrium; the scene's start when it is one) "
    "and\n"
    "prints the natural frequency, the damping ratio and the shape of each mode, and the derivatives of frequencies "
    "and\n"
    "damping ratios with respect to parameters, the equilibrium moving along. Shapes are displacements of the points;\n"
    "the largest is 1.\n"
    "\n"
    "  --wrt A,B,...      derivatives with respect to these parameters; all parameters when absent\n"
    "  --report FILE      write a page where each shape moves (HTML): see saltus report\n"
    "  --set NAME=VALUE   give a parameter another value: a number, or an expression of parameters; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  -q, --quiet        print no summary; errors and warnings only\n"
    "  --json             print it as JSON\n"
    "\n"
    "Ends with exit code 9 when there is no equilibrium near. Eigenvalues that are the same have no derivatives of\n"
    "their own (nan).\n";

static const char *const kind_words[] = { [SAL_MODE_OSCILLATES] = "oscillates",
                                          [SAL_MODE_CREEPS]     = "creeps back",
                                          [SAL_MODE_ZERO]       = "free",
                                          [SAL_MODE_DIVERGES]   = "diverges" };

typedef struct gradients { /* [p] each */
    double *re, *im, *frequency, *damping;
} gradients;

static cJSON *add_mode(const sal_model *model, const sal_equilibrium *e, const sal_mode *mode, const gradients *g)
{
    const int n    = sal_model_get_info(model).coordinates;
    cJSON    *item = cJSON_CreateObject(), *part;

    cJSON_AddStringToObject(item, "kind", kind_words[mode->kind]);
    cJSON_AddItemToObject(item, "eigenvalue", cJSON_CreateDoubleArray(mode->s, 2));
    cJSON_AddNumberToObject(item, "frequency", mode->frequency);
    cJSON_AddNumberToObject(item, "hertz", mode->frequency / (8.0 * atan(1.0)));
    cJSON_AddNumberToObject(item, "damping_ratio", mode->damping);
    cJSON_AddBoolToObject(item, "unstable", mode->unstable);
    cJSON_AddNumberToObject(item, "repeated", mode->repeated);
    cJSON_AddNumberToObject(item, "mass", mode->mass);
    part = cJSON_AddObjectToObject(item, "shape");
    for (int k = 0; k < n; k++)
        cJSON_AddItemToObject(part, sal_model_coordinate(model, k),
                              cJSON_CreateDoubleArray((double[]){ mode->shape[0][k], mode->shape[1][k] }, 2));
    part = cJSON_AddObjectToObject(item, "gradient");
    cJSON_AddItemToObject(part, "eigenvalue_re", gradient_of(e, g->re));
    cJSON_AddItemToObject(part, "eigenvalue_im", gradient_of(e, g->im));
    cJSON_AddItemToObject(part, "frequency", gradient_of(e, g->frequency));
    cJSON_AddItemToObject(part, "damping_ratio", gradient_of(e, g->damping));
    return item;
}

cJSON *modes_summary(const session *s, const char *scene, const sal_equilibrium *e, const sal_modes *modes)
{
    const sal_equilibrium_info i    = sal_equilibrium_get_info(e);
    const size_t               p    = (size_t)sal_equilibrium_wrt_count(e);
    double                    *room = need_zeros(4 * p + 1, sizeof *room);
    const gradients            g    = { room, room + p, room + 2 * p, room + 3 * p };
    cJSON                     *root = cJSON_CreateObject(), *part;
    sal_mode                   mode;

    cJSON_AddStringToObject(root, "scene", scene);
    cJSON_AddNumberToObject(root, "iterations", i.iterations);
    cJSON_AddNumberToObject(root, "residual", i.residual);
    cJSON_AddStringToObject(root, "stability", stability_word(i));
    cJSON_AddStringToObject(root, "warning", i.warning);
    part = cJSON_AddObjectToObject(root, "positions");
    for (int k = 0; k < sal_model_get_info(s->model).coordinates; k++)
        cJSON_AddNumberToObject(part, sal_model_coordinate(s->model, k), sal_equilibrium_q(e)[k]);
    part = cJSON_AddArrayToObject(root, "modes");
    for (int k = 0; sal_modes_mode(modes, k, &mode); k++) {
        sal_modes_gradient(modes, k, g.re, g.im, g.frequency, g.damping);
        cJSON_AddItemToArray(part, add_mode(s->model, e, &mode, &g));
    }
    free(room);
    return root;
}

static void print_shapes(const session *s, const sal_modes *modes)
{
    sal_mode mode;

    printf("\n  shapes: displacements, the largest is 1%s\n", sal_modes_count(modes) ? "" : "; there are none");
    for (int k = 0; sal_modes_mode(modes, k, &mode); k++) {
        printf("  %4d  modal mass %.9g kg\n", k + 1, mode.mass);
        for (int i = 0; i < sal_model_get_info(s->model).coordinates; i++) {
            printf("        %-18s %18.12g", sal_model_coordinate(s->model, i), mode.shape[0][i]);
            if (fabs(mode.shape[1][i]) > 1e-12) printf(" %+18.12g i", mode.shape[1][i]);
            printf("\n");
        }
    }
}

static void print_derivatives(const sal_equilibrium *e, const sal_modes *modes, const gradients *g)
{
    const int p = sal_equilibrium_wrt_count(e);
    sal_mode  mode;

    if (p == 0) return;
    printf("\n  %-24s %18s", "", "value");
    for (int c = 0; c < p; c++) printf("      d/d %-10s", sal_equilibrium_wrt(e, c));
    printf("\n");
    for (int k = 0; sal_modes_mode(modes, k, &mode); k++) {
        char name[40];
        sal_modes_gradient(modes, k, g->re, g->im, g->frequency, g->damping);
        snprintf(name, sizeof name, "frequency %d [rad/s]", k + 1);
        printf("  %-24s %18.12g", name, mode.frequency);
        for (int c = 0; c < p; c++) printf(" %18.12g", g->frequency[c]);
        snprintf(name, sizeof name, "damping ratio %d", k + 1);
        printf("\n  %-24s %18.12g", name, mode.damping);
        for (int c = 0; c < p; c++) printf(" %18.12g", g->damping[c]);
        printf("\n");
    }
}

static void print_text(const session *s, const sal_equilibrium *e, const sal_modes *modes, const gradients *g)
{
    const sal_equilibrium_info i = sal_equilibrium_get_info(e);
    sal_mode                   mode;

    print_title(s, "(no name)");
    if (i.iterations) printf("  about an equilibrium found in %d iterations: %s\n\n", i.iterations, stability_word(i));
    else printf("  about the start, an equilibrium: %s\n\n", stability_word(i));
    if (i.warning[0]) printf("  WARNING            %s\n\n", i.warning);
    printf("  mode       f [Hz]           omega [rad/s]     damping ratio        eigenvalue [1/s]\n");
    for (int k = 0; sal_modes_mode(modes, k, &mode); k++) {
        printf("  %4d %18.12g %18.12g %18.12g   %.9g", k + 1, mode.frequency / (8.0 * atan(1.0)), mode.frequency,
               mode.damping, mode.s[0]);
        if (mode.s[1] != 0.0) printf(" +- %.9g i", mode.s[1]);
        printf("   %s%s", kind_words[mode.kind], mode.unstable ? ", UNSTABLE" : "");
        if (mode.repeated > 1) printf(", %d alike", mode.repeated);
        printf("\n");
    }
    print_shapes(s, modes);
    print_derivatives(e, modes, g);
}

static int show(session *s, const arguments *a, const sal_equilibrium *e, const sal_modes *modes)
{
    const size_t    p    = (size_t)sal_equilibrium_wrt_count(e);
    double         *room = need_zeros(4 * p + 1, sizeof *room);
    const gradients g    = { room, room + p, room + 2 * p, room + 3 * p };
    cJSON          *root = modes_summary(s, a->scene, e, modes);
    int             code = EXIT_SUCCESS;

    if (a->json) print_json_result("modes", s, a, "done", root);
    else print_text(s, e, modes, &g);
    if (code == EXIT_SUCCESS && a->report) code = write_rest_page(s, a, e, modes, root);
    free(room);
    cJSON_Delete(root);
    return code;
}

int command_modes(int argc, char **argv)
{
    arguments        a;
    session          s     = { 0 };
    sal_equilibrium *e     = NULL;
    sal_modes       *modes = NULL;
    int              code;

    if (!read_arguments(argc, argv, ACCEPT_MODES, help, &a, &code)) return code;
    code = session_open(&s, &a);
    if (code == EXIT_SUCCESS) code = open_equilibrium(&s, &a, &e);
    if (code == EXIT_SUCCESS) {
        const sal_status status = sal_modes_create(e, &modes);
        code                    = status == SAL_OK ? show(&s, &a, e, modes) : report(sal_message(s.context), status);
    }
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    session_close(&s, &a);
    return code;
}
