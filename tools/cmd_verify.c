/* cmd_verify.c - saltus verify: the derivatives of a run against central differences of tight runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/output.h"

static const char help[] =
    "saltus verify SCENE [options]\n"
    "\n"
    "Computes the derivatives of event times, of the state at the end and of the costs twice: exactly, through every "
    "event, and by central\n"
    "differences of tight runs with a study of the step size. Ends with exit code 7 when one is not confirmed.\n"
    "\n"
    "  --wrt A,B,...      with respect to these parameters, initial(P.x), .y, .vx, .vy, or initial(NAME) of memory;\n"
    "                     all parameters when absent\n"
    "  --adjoint          the gradients of costs by the adjoint instead, against derivatives on the same steps and "
    "against\n"
    "                     differences\n"
    "  --cost A,B,...     with --adjoint: of these costs; all when absent\n"
    "  --tolerance NUMBER largest relative difference, 1e-6 when absent; relative to the largest number of its kind\n"
    "  --set NAME=VALUE   give a parameter another value: a number, or an expression of parameters; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  -q, --quiet        print no summary; errors and warnings only\n"
    "  --form FORM        index1 or penalty\n"
    "  --integrator NAME  auto, rk8, rk5, or radau for what is stiff\n"
    "  --rtol NUMBER      tolerance of the runs where 1e-12 is not enough\n"
    "  --duration SECONDS how long to simulate\n"
    "  --strict           warnings are failures: exit code 10\n"
    "  --json             print it as JSON\n";

typedef struct table {
    cJSON *items; /* NULL: printed as text */
    int    count;
} table;

static void print_item(void *user, const sal_verify_item *i)
{
    table *t = user;

    progress_end();
    if (t->count++ == 0)
        printf("  %-30s %-16s %20s %20s %11s\n", "what", "wrt", "exact", "by differences", "difference");
    printf("  %-30s %-16s %20.12g ", i->what, i->wrt, i->exact);
    if (i->known) printf("%20.12g %11.2g  %s\n", i->numeric, i->difference, i->good ? "good" : "WRONG");
    else if (isnan(i->difference))
        printf("%20s %11s  NOT CONFIRMED: with all step sizes but two a run fails or meets other events\n", "-", "-");
    else printf("%20.12g %11.2g  NOT CONFIRMED: step sizes differ by more\n", i->numeric, i->difference);
}

static void add_item(void *user, const sal_verify_item *i)
{
    table *t    = user;
    cJSON *item = cJSON_CreateObject();

    t->count++;
    cJSON_AddStringToObject(item, "what", i->what);
    cJSON_AddStringToObject(item, "wrt", i->wrt);
    cJSON_AddNumberToObject(item, "exact", i->exact);
    cJSON_AddBoolToObject(item, "good", i->good);
    cJSON_AddItemToArray(t->items, item);
    if (isnan(i->difference)) return;
    cJSON_AddBoolToObject(item, "known", i->known);
    cJSON_AddNumberToObject(item, "numeric", i->numeric);
    cJSON_AddNumberToObject(item, "difference", i->difference);
}

static void tell_json(table *t, const session *s, const arguments *a, sal_status status, int bad)
{
    cJSON *root = cJSON_CreateObject();

    cJSON_AddItemToObject(root, "items", t->items);
    cJSON_AddNumberToObject(root, "bad", bad);
    cJSON_AddNumberToObject(root, "tolerance", a->tolerance);
    print_json_result("verify", s, a, status_word(status), root);
    cJSON_Delete(root);
}

/* Everything that the options ask for. */
static sal_status verify(const session *s, const arguments *a, table *t, int *bad)
{
    const sal_verify_report tell = a->json ? add_item : print_item;
    const char            **costs;
    sal_status              status;

    if (!a->adjoint) return sal_verify(s->model, &a->opts, a->tolerance, tell, t, bad);
    costs  = need_zeros((size_t)sal_model_get_info(s->model).costs + 1, sizeof *costs);
    status = sal_verify_adjoint(s->model, &a->opts, costs, choose_costs(s, a, costs), a->tolerance, tell, t, bad);
    free(costs);
    return status;
}

/* --cost chooses among the gradients by the adjoint. */
static int check_chosen(const session *s, const arguments *a)
{
    if (!a->cost || a->adjoint) return check_costs(s, a);
    fprintf(stderr, "saltus: --cost: goes with --adjoint; without it all derivatives of the run are verified\n");
    return EXIT_USAGE;
}

int command_verify(int argc, char **argv)
{
    arguments a;
    session   s = { 0 };
    table     t = { 0 };
    int       code, bad = 0;

    if (!read_arguments(argc, argv, ACCEPT_VERIFY, help, &a, &code)) return code;
    code = session_open(&s, &a);
    if (code == EXIT_SUCCESS) code = check_chosen(&s, &a);
    if (code == EXIT_SUCCESS) code = session_wrt(&s, &a);
    if (code == EXIT_SUCCESS) {
        sal_status status;
        catch_interrupts();
        t.items = a.json ? cJSON_CreateArray() : NULL;
        status  = verify(&s, &a, &t, &bad);
        if (a.json) tell_json(&t, &s, &a, status, bad);
        if (status == SAL_STOPPED) code = EXIT_STOPPED;
        else if (status != SAL_OK) code = report(sal_message(s.context), status);
        if (status == SAL_ERR_NUMBER) code = EXIT_MISMATCH; /* there are no derivatives to be confirmed */
        else if (status == SAL_OK && !a.json)
            printf("\n  %d derivatives, %d not confirmed to %g\n", t.count, bad, a.tolerance);
        if (status == SAL_OK && bad) code = EXIT_MISMATCH;
    }
    code = strict_code(&s, &a, code);
    session_close(&s, &a);
    return code;
}
