/* health.c - what the command says of the health of a run: the verdict, who did work, and --strict. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"

static const char *const verdicts[] = { [SAL_GOOD] = "good", [SAL_DOUBTFUL] = "doubtful", [SAL_BAD] = "bad" };

/* Sentences, each told to `tell`. */
static void each_sentence(const sal_run *run, void (*tell)(void *self, const char *text), void *self)
{
    const size_t size = sal_run_health_text(run, NULL, 0) + 1;
    char        *text = need_memory(size);

    sal_run_health_text(run, text, size);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) tell(self, line);
    free(text);
}

static void print_sentence(void *self, const char *text)
{
    (void)self;
    printf("                     ");
    print_shown(stdout, text);
    printf("\n");
}

static void add_sentence(void *self, const char *text)
{
    cJSON_AddItemToArray(self, cJSON_CreateString(text));
}

void print_health(const sal_run *run)
{
    const sal_health h = sal_run_get_health(run);

    printf("  health             %s: work balances to %.2g J", verdicts[h.verdict], fabs(h.balance));
    if (h.jams) printf(", %ld jam%s", h.jams, h.jams == 1 ? "" : "s");
    if (h.closings) printf(", %ld closing%s", h.closings, h.closings == 1 ? "" : "s");
    printf("\n");
    each_sentence(run, print_sentence, NULL);
}

void print_work(const sal_run *run)
{
    sal_work w;
    bool     any = false;

    for (int k = 0; sal_run_work(run, k, &w); k++) {
        if (w.joules == 0.0) continue;
        printf("  %-18s %s %.9g J\n", any ? "" : "work", w.name, w.joules);
        any = true;
    }
    if (!any) printf("  work               none\n");
}

cJSON *health_object(const sal_run *run)
{
    const sal_health h      = sal_run_get_health(run);
    cJSON           *object = cJSON_CreateObject(), *worst, *reasons;
    sal_health_item  item;

    cJSON_AddStringToObject(object, "verdict", verdicts[h.verdict]);
    cJSON_AddNumberToObject(object, "balance", h.balance);
    cJSON_AddNumberToObject(object, "transversality", h.transversality);
    if (h.grazed[0]) cJSON_AddStringToObject(object, "grazed", h.grazed);
    cJSON_AddNumberToObject(object, "jams", (double)h.jams);
    cJSON_AddNumberToObject(object, "closings", (double)h.closings);
    cJSON_AddNumberToObject(object, "energy_added", h.energy_added);
    worst = cJSON_AddObjectToObject(object, "worst");
    for (int k = 0; sal_run_health_item(run, (sal_health_kind)k, &item); k++) {
        cJSON *o = cJSON_AddObjectToObject(worst, item.kind);
        cJSON_AddNumberToObject(o, "value", item.value);
        cJSON_AddNumberToObject(o, "limit", item.limit);
        if (!(item.limit > 0.0)) continue;
        cJSON_AddNumberToObject(o, "t", item.time);
        cJSON_AddStringToObject(o, "name", item.name);
    }
    reasons = cJSON_AddArrayToObject(object, "reasons");
    each_sentence(run, add_sentence, reasons);
    return object;
}

cJSON *work_object(const sal_run *run)
{
    cJSON   *object = cJSON_CreateObject();
    sal_work w;

    for (int k = 0; sal_run_work(run, k, &w); k++) cJSON_AddNumberToObject(object, w.name, w.joules);
    return object;
}

void list_chosen(cJSON *object, const sal_model *model, const sal_run *run,
                 bool (*chosen)(const sal_run *run, int constraint))
{
    cJSON *list = NULL;

    for (int k = 0; k < sal_model_get_info(model).constraints; k++) {
        if (!chosen(run, k)) continue;
        if (!list) list = cJSON_AddArrayToObject(object, "chosen");
        cJSON_AddItemToArray(list, cJSON_CreateString(sal_model_constraint(model, k)));
    }
}

int strict_code(const session *s, const arguments *a, int code)
{
    const bool good = !s->run || sal_run_get_health(s->run).verdict == SAL_GOOD;

    if (!a->strict || code != EXIT_SUCCESS || (good && warnings == 0)) return code;
    fprintf(stderr, "saltus: --strict: %s\n",
            good ? "there were warnings" : "the run is doubtful, see its health above");
    return EXIT_DOUBTFUL;
}
