/* property.c - random mechanisms with contacts, judged: see README.md. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/property/report.h"
#include "tests/property/self_test.h"
#include "tests/property/shrink.h"
#include "tests/property/variants.h"
#include "tests/property/work.h"

static int print_scene(const options *o)
{
    mechanism m;

    generate(&m, o->seed);
    if (o->variant && !variant_named(&m, o->variant)) {
        fprintf(stderr, "property: seed %llu has no variant '%s'\n", o->seed, o->variant);
        return 2;
    }
    write_scene(&m, stdout);
    return 0;
}

static int judge_many(const options *o)
{
    unsigned long long *seeds    = calloc((size_t)o->count + 1, sizeof *seeds);
    verdict            *verdicts = calloc((size_t)o->count + 1, sizeof *verdicts);
    unsigned long long  seed     = o->seed;
    const time_t        begin    = time(NULL);
    int                 failed;

    if (!seeds || !verdicts) return 2;
    for (int k = 0; k < o->count; seed++) {
        if (o->family < 0 || (int)family_of(seed) == o->family) seeds[k++] = seed;
    }
    if (!judge_all(seeds, o->count, o, verdicts)) {
        fprintf(stderr, "property: the system has no more processes\n");
        return 2;
    }
    failed = report(verdicts, o->count, o);
    printf("\n%d of %d scenes fail, %d may; %.0f s\n", failed, o->count, o->max_failures, difftime(time(NULL), begin));
    free(seeds);
    free(verdicts);
    return failed > o->max_failures;
}

int main(int argc, char **argv)
{
    options   o;
    const int wrong = read_options(argc, argv, &o);

    if (wrong) return wrong;
    switch (o.task) {
    case PRINT: return print_scene(&o);
    case SHRINK: return shrink_seed(&o);
    case SELF_TEST: return self_test(&o);
    default: return judge_many(&o);
    }
}
