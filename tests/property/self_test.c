/* self_test.c - a judge that never finds anything would look the same as an engine without defects. Here scenes are
 * judged by laws that are not theirs, and compared with mechanisms that are not their equivalents: it has to notice.
 * And numbers drawn from a seed are those that were drawn when this was written. */
#include <string.h>

#include "tests/property/self_test.h"
#include "tests/property/vary.h"

enum { SCENES = 16 };

static bool expect(const char *what, bool is)
{
    printf("%-75s %s\n", what, is ? "yes" : "NO");
    return is;
}

/* Violations found in scenes of a family when each contact of the scene is changed, and not what it is judged by. */
static unsigned noticed(const options *o, family f, void (*change)(contact *c))
{
    unsigned found = 0;

    for (int k = 0; k < SCENES; k++) {
        mechanism honest, m;
        verdict   v;
        generate(&honest, (unsigned long long)(FAMILIES * k) + f);
        m = honest;
        for (int i = 0; i < m.ncontacts; i++) change(&m.contacts[i]);
        judge_as(&m, &honest, &o->limits, &v);
        found |= v.violated;
    }
    return found;
}

static void rougher(contact *c)
{
    c->mu_kinetic = 1.1 * c->mu_kinetic + 0.1;
    c->mu_static  = 1.1 * c->mu_static + 0.1;
}

static void livelier(contact *c)
{
    c->restitution = 1.2;
}

/* How many of those compared far enough are not noticed. */
static int unnoticed(const options *o, double spoilt, int *compared)
{
    int missed = 0;

    *compared = 0;
    for (unsigned long long seed = 0; seed < SCENES / 2; seed++) {
        mechanism m;
        verdict   v = { 0 };
        generate(&m, seed);
        check_equivalents(&m, &o->limits, spoilt, &v);
        if (v.horizon < 0.1) continue;
        (*compared)++;
        missed += !(v.broken | v.rebounds);
    }
    return missed;
}

static bool same_numbers(void)
{
    dice     d   = { 12345 };
    uint64_t sum = 0;

    for (int k = 0; k < 1000; k++) sum ^= dice_next(&d) + (uint64_t)k;
    return sum == UINT64_C(0x072c1826eca67b15);
}

int self_test(const options *o)
{
    const unsigned cone = 1u << VIOLATION_cone | 1u << VIOLATION_drive, gain = 1u << VIOLATION_impact;
    int            compared, missed                                          = unnoticed(o, 1e-4, &compared);
    bool           fine = expect("the numbers of a seed are as ever", same_numbers());

    fine = expect("friction of another coefficient is noticed", noticed(o, FAMILY_slide, rougher) & cone) && fine;
    fine = expect("restitution beyond 1 is noticed", noticed(o, FAMILY_free, livelier) & gain) && fine;
    printf("%d of %d mechanisms that are no equivalents are taken for such\n", missed, compared);
    fine = expect("the others are told apart (what rests does so with other numbers too)",
                  compared >= SCENES / 4 && missed <= compared / 8) &&
           fine;
    return fine ? 0 : 1;
}
