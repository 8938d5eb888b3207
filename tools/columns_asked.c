/* columns_asked.c - columns.csv: what --columns asks for, at the times of states.csv, with derivatives where the run
 * has them. Expressions are evaluated afterwards, of a record of the run: that knows both sides of every event. */
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"

typedef struct column {
    char      *text; /* an expression, or the name of an output */
    int        output;
    sal_probe *probe; /* where it is no output */
    double    *values, *gradients;
} column;

struct columns_asked {
    const session   *s;
    const arguments *a;
    char            *text; /* of --columns, cut into pieces */
    column          *list;
    int              n, p;
    sal_record      *record;
};

void columns_asked_free(columns_asked *c)
{
    if (!c) return;
    for (int k = 0; k < c->n; k++) {
        sal_probe_destroy(&c->list[k].probe);
        free(c->list[k].text);
        free(c->list[k].values);
        free(c->list[k].gradients);
    }
    sal_record_destroy(&c->record);
    free(c->list);
    free(c->text);
    free(c);
}

static int add_column(columns_asked *c, const char *text)
{
    column     *k = &c->list[c->n++];
    const char *name;

    *k = (column){ .text = need_copy(text), .output = -1 };
    for (int i = 0; (name = sal_model_output(c->s->model, i)); i++) {
        if (!strcmp(name, text)) k->output = i;
    }
    if (k->output >= 0 || sal_probe_create(c->s->model, text, &k->probe) == SAL_OK) return EXIT_SUCCESS;
    fprintf(stderr, "saltus: --columns: ");
    return report(sal_message(c->s->context), SAL_ERR_ARGUMENT);
}

/* Those given; where there are derivatives and none are given, all outputs and reactions. */
static int add_columns(columns_asked *c)
{
    const sal_model_info info = sal_model_get_info(c->s->model);
    const size_t         most = c->a->columns ? strlen(c->a->columns) + 1 : (size_t)(info.outputs + info.reactions + 1);
    char               **piece;
    int                  n, code = EXIT_SUCCESS;

    c->list = need_zeros(most, sizeof *c->list);
    if (!c->a->columns) {
        for (int k = 0; k < info.outputs && code == EXIT_SUCCESS; k++)
            code = add_column(c, sal_model_output(c->s->model, k));
        for (int k = 0; k < info.reactions && code == EXIT_SUCCESS; k++) {
            char name[200];
            snprintf(name, sizeof name, "reaction(%s)", sal_model_reaction(c->s->model, k, NULL));
            code = add_column(c, name);
        }
        return code;
    }
    c->text = need_copy(c->a->columns);
    piece   = need_zeros(most, sizeof *piece);
    n       = split_pieces(c->text, piece, (int)most);
    for (int k = 0; k < n && code == EXIT_SUCCESS; k++) code = add_column(c, piece[k]);
    free(piece);
    return code;
}

int columns_asked_open(const session *s, const arguments *a, columns_asked **asked)
{
    columns_asked *c = need_zeros(1, sizeof *c);
    sal_status     status;
    int            code;

    *asked = c;
    c->s   = s;
    c->a   = a;
    c->p   = sal_run_wrt_count(s->run);
    code   = add_columns(c);
    if (code != EXIT_SUCCESS) return code;
    status = sal_record_create(s->run, &c->record);
    return status == SAL_OK ? EXIT_SUCCESS : report(sal_message(s->context), status);
}

sal_reader columns_asked_reader(columns_asked *c)
{
    return c ? sal_record_reader(c->record) : (sal_reader){ 0 };
}

/* ------------------------------------------------------------------------------------------- table */

static void print_header(const columns_asked *c, FILE *f)
{
    fprintf(f, c->a->units ? "t [s],segment" : "t,segment");
    for (int k = 0; k < c->n; k++) {
        const char *text = c->list[k].text, *unit = c->a->units ? unit_of(c->s->model, text) : "";
        char        after[160];
        snprintf(after, sizeof after, unit[0] ? " [%s]" : "%s", unit);
        print_cell(f, "", text, after);
        for (int i = 0; i < c->p; i++) {
            snprintf(after, sizeof after, "/d %s", sal_run_wrt(c->s->run, i));
            print_cell(f, "d ", text, after);
        }
    }
    fprintf(f, "\n");
}

static sal_status evaluate(columns_asked *c, column *k, int samples)
{
    k->values    = malloc(sizeof(double) * ((size_t)samples + 1));
    k->gradients = c->p ? malloc(sizeof(double) * ((size_t)samples * (size_t)c->p + 1)) : NULL;
    if (!k->values || (c->p && !k->gradients)) return SAL_ERR_MEMORY;
    return k->probe ? sal_record_probe(c->record, k->probe, k->values, k->gradients)
                    : sal_record_output(c->record, k->output, k->values, k->gradients);
}

int columns_asked_write(columns_asked *c)
{
    const sal_record_info info   = sal_record_get_info(c->record);
    sal_status            status = info.status;
    result_file           file;

    for (int k = 0; k < c->n && status == SAL_OK; k++) status = evaluate(c, &c->list[k], info.samples);
    if (status != SAL_OK) return report("saltus: out of memory", SAL_ERR_MEMORY);
    if (!result_open(&file, c->a->output, "columns.csv")) return EXIT_OUTPUT;
    print_header(c, file.f);
    for (int i = 0; i < info.samples; i++) {
        fprintf(file.f, "%.17g,%.0f", info.t[(size_t)i * info.stride], info.segment[(size_t)i * info.stride]);
        for (int k = 0; k < c->n; k++) {
            fprintf(file.f, ",%.17g", c->list[k].values[i]);
            for (int j = 0; j < c->p; j++) fprintf(file.f, ",%.17g", c->list[k].gradients[i * c->p + j]);
        }
        fprintf(file.f, "\n");
        result_check(&file);
    }
    return result_close(&file, true) ? EXIT_SUCCESS : EXIT_OUTPUT;
}
