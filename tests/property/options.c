/* options.c - see options.h. */
#include <stdlib.h>
#include <string.h>

#include "tests/property/options.h"
#include "tests/property/variants.h"

static const char help[] =
    "property - random mechanisms with contacts, judged\n"
    "\n"
    "  property [--count N] [--seed S] [--family F] [--jobs J] [--max-failures K] [--seconds T]\n"
    "           [--equivalent] [--variants V,V,...] [--verify] [--adjoint] [--one-by-one]\n"
    "      judges the scenes of N seeds from S on (200 from 0), in J processes (2); exit status 1 where more than K\n"
    "      fail (0). T: processor time a run may take (10 s). --equivalent: also moved, turned, mirrored, reordered,\n"
    "      reversed and in other units, or those of --variants. --verify: also their derivatives. --adjoint: and "
    "gradients of\n"
    "      costs by the adjoint against forward ones. --one-by-one: says "
    "each scene and its time\n"
    "  property --print SEED [--variant V]    the scene as JSON; or as it is compared, V: same, moved, turned, "
    "mirrored,\n"
    "                                         reordered, reversed, units, far\n"
    "  property --shrink SEED                 the smallest scene with the same failure that leaving out parts leads "
    "to\n"
    "  property --self-test                   whether wrong laws and wrong equivalents are noticed\n"
    "\n"
    "families:";

static int usage(const char *wrong, const char *what)
{
    fprintf(stderr, "property: %s '%s'; --help says more\n", wrong, what);
    return 2;
}

static bool number(const char *text, unsigned long long *value)
{
    char *end;

    if (!text || *text < '0' || *text > '9') return false;
    *value = strtoull(text, &end, 10);
    return *end == '\0';
}

static int family_named(const char *name)
{
    for (int k = 0; k < FAMILIES; k++) {
        if (name && !strcmp(name, family_names[k])) return k;
    }
    return -1;
}

/* Names with commas between them; 0: one is unknown. */
static unsigned variants_named(const char *list)
{
    unsigned all = 0;

    while (list && *list) {
        const size_t n = strcspn(list, ",");
        unsigned this  = 0;
        for (int k = 0; k < VARIANTS; k++) {
            if (strlen(variant_names[k]) == n && !strncmp(list, variant_names[k], n)) this = 1u << k;
        }
        if (!this) return 0;
        all |= this;
        list += n + (list[n] == ',');
    }
    return all;
}

/* An option with a value; false: there is none of that name. */
static bool read_value(options *o, const char *name, const char *text, bool *fine)
{
    unsigned long long n = 0;
    char              *end;

    *fine = text != NULL;
    if (!strcmp(name, "--seconds")) {
        o->limits.seconds = text ? strtod(text, &end) : 0.0;
        *fine             = text && *end == '\0' && o->limits.seconds > 0.0;
    } else if (!strcmp(name, "--family")) {
        o->family = family_named(text);
        *fine     = o->family >= 0;
    } else if (!strcmp(name, "--variants")) {
        o->limits.variants = variants_named(text);
        *fine              = o->limits.variants != 0;
    } else if (!strcmp(name, "--variant")) {
        o->variant = text;
    } else {
        const bool has = number(text, &n);
        *fine =
            has && (n <= 10000000 || !strcmp(name, "--seed") || !strcmp(name, "--print") || !strcmp(name, "--shrink"));
        if (!strcmp(name, "--count")) o->count = (int)n;
        else if (!strcmp(name, "--jobs")) o->jobs = (int)n, *fine = *fine && n > 0 && n <= 64;
        else if (!strcmp(name, "--max-failures")) o->max_failures = (int)n;
        else if (!strcmp(name, "--seed")) o->seed = n;
        else if (!strcmp(name, "--print")) o->seed = n, o->task = PRINT;
        else if (!strcmp(name, "--shrink")) o->seed = n, o->task = SHRINK;
        else return false;
    }
    return true;
}

int read_options(int argc, char **argv, options *o)
{
    *o = (options){ .count = 200, .jobs = 2, .family = -1, .limits = { 10.0, ~0u } };
    for (int k = 1; k < argc; k++) {
        bool fine;
        if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "-h")) {
            fputs(help, stdout);
            for (int f = 0; f < FAMILIES; f++) printf("%s %s", f ? "," : "", family_names[f]);
            printf("\n");
            exit(0);
        }
        if (!strcmp(argv[k], "--equivalent")) o->equivalent = true;
        else if (!strcmp(argv[k], "--verify")) o->verify = true;
        else if (!strcmp(argv[k], "--adjoint")) o->adjoint = true;
        else if (!strcmp(argv[k], "--one-by-one")) o->one_by_one = true;
        else if (!strcmp(argv[k], "--self-test")) o->task = SELF_TEST;
        else if (!read_value(o, argv[k], argv[k + 1], &fine)) return usage("unknown option", argv[k]);
        else if (!fine) return usage("this option needs another value:", argv[k]);
        else k++;
    }
    return 0;
}
