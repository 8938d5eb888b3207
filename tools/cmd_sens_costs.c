/* cmd_sens_costs.c - saltus sens --gradients: costs and their gradients alone, forward or by the adjoint, as a case of
 * a sweep that differs in nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"

typedef struct costs {
    const char **name; /* of costs */
    char       **column;
    int          n, p;
    sal_sweep   *sweep;
    double      *row; /* values, then gradients [n][p] */
    char         message[1024];
} costs;

static int open_costs(costs *x, session *s, arguments *a)
{
    sal_sweep_opts opts = sal_sweep_defaults();
    sal_gradients  how;
    sal_status     status;

    if (!read_gradients(a->word[WORD_GRADIENTS], &how)) return EXIT_USAGE;
    x->name   = need_zeros((size_t)sal_model_get_info(s->model).costs + 1, sizeof *x->name);
    x->n      = choose_costs(s, a, x->name);
    x->p      = a->opts.nwrt;
    x->column = need_zeros((size_t)x->n + 1, sizeof *x->column);
    for (int k = 0; k < x->n; k++) {
        x->column[k] = need_memory(strlen(x->name[k]) + sizeof "cost()");
        sprintf(x->column[k], "cost(%s)", x->name[k]);
    }
    if (!x->n) return fprintf(stderr, "saltus: --gradients: the scene has no costs\n"), EXIT_USAGE;
    opts.run      = a->opts;
    opts.columns  = (const char *const *)x->column;
    opts.ncolumns = x->n;
    set_gradients(&opts, how, x->p);
    status = sal_sweep_create(s->model, &opts, &x->sweep);
    if (status != SAL_OK) return report(sal_message(s->context), status);
    x->row = need_zeros((size_t)x->n * (size_t)(1 + x->p), sizeof *x->row);
    return EXIT_SUCCESS;
}

static cJSON *costs_object(const costs *x, const arguments *a)
{
    const char *why, *how = gradients_word(x->sweep, &why);
    cJSON      *root = cJSON_CreateObject(), *all;

    cJSON_AddStringToObject(root, "gradients", how);
    cJSON_AddStringToObject(root, "why", why);
    cJSON_AddStringToObject(root, "doubtful", x->message);
    all = cJSON_AddObjectToObject(root, "costs");
    for (int k = 0; k < x->n; k++) {
        cJSON *cost = cJSON_AddObjectToObject(all, x->name[k]), *gradient;
        cJSON_AddNumberToObject(cost, "value", x->row[k]);
        gradient = cJSON_AddObjectToObject(cost, "gradient");
        for (int c = 0; c < x->p; c++) cJSON_AddNumberToObject(gradient, a->opts.wrt[c], x->row[x->n + k * x->p + c]);
    }
    return root;
}

static void print_costs(const costs *x, const arguments *a)
{
    const char *why, *how = gradients_word(x->sweep, &why);

    printf("  %-24s", "");
    for (int k = 0; k < x->n; k++) printf(" %18s", x->name[k]);
    printf("\n  %-24s", "value");
    for (int k = 0; k < x->n; k++) printf(" %18.12g", x->row[k]);
    printf("\n");
    for (int c = 0; c < x->p; c++) {
        printf("  d/d %-20s", a->opts.wrt[c]);
        for (int k = 0; k < x->n; k++) printf(" %18.12g", x->row[x->n + k * x->p + c]);
        printf("\n");
    }
    if (x->message[0]) printf("  %s\n", x->message);
    printf("  chosen: %s (%s)\n", how, why);
}

static void close_costs(costs *x)
{
    sal_sweep_destroy(&x->sweep);
    for (int k = 0; k < x->n && x->column; k++) free(x->column[k]);
    free(x->column);
    free(x->name);
    free(x->row);
}

int command_sens_costs(arguments *a)
{
    session    s = { 0 };
    costs      x = { 0 };
    sal_status status;
    int        code = check_costs_alone(a);

    if (code == EXIT_SUCCESS) code = session_open(&s, a);
    if (code == EXIT_SUCCESS) code = check_costs(&s, a);
    if (code == EXIT_SUCCESS) code = session_wrt(&s, a);
    if (code == EXIT_SUCCESS) code = open_costs(&x, &s, a);
    if (code == EXIT_SUCCESS) {
        catch_interrupts();
        status = sal_sweep_case(x.sweep, NULL, x.row, x.message, sizeof x.message);
        for (int k = 0; k < x.n * (1 + x.p) && status == SAL_OK; k++) code = isfinite(x.row[k]) ? code : EXIT_MISMATCH;
        if (status == SAL_STOPPED) code = EXIT_STOPPED;
        else if (status != SAL_OK) code = report(x.message, status);
        if (status == SAL_OK && a->json) {
            cJSON *content = costs_object(&x, a);
            print_json_result("sens", &s, a, status_word(SAL_END), content);
            cJSON_Delete(content);
        } else if (status == SAL_OK) print_costs(&x, a);
        stdout_written();
    }
    close_costs(&x);
    session_close(&s, a);
    return code;
}
