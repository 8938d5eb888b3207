/* self_test.c - a judge that never finds anything would look the same as an engine without defects. Here scenes are
 * judged by laws that are not theirs, and compared with mechanisms that are not their equivalents: it has to notice.
 * And a seed means the scene that it meant when this was written, here and everywhere: who changes the generator records
 * the number below anew, and numbers of seeds that were reported before are worth nothing from then on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/self_test.h"
#include "tests/property/vary.h"

enum { SCENES = 16 };

#define SCENES_AS_RECORDED UINT64_C(0x7ef077594ff7ec07)
#define SECOND_AS_RECORDED UINT64_C(0xe957c8d55c930f8d)

static bool expect(const char *what, bool is)
{
    printf("%-75s %s\n", what, is ? "yes" : "NO");
    return is;
}

/* The k-th of a family. */
static unsigned long long seed_of(family f, int k)
{
    unsigned long long seed = f < FAMILY_stairs ? 0 : SECOND;

    while (family_of(seed) != f || k-- > 0) seed++;
    return seed;
}

/* Violations found in scenes of a family when each contact of the scene is changed, and not what it is judged by. */
static unsigned noticed(const options *o, family f, void (*change)(contact *c))
{
    unsigned found = 0;

    for (int k = 0; k < SCENES; k++) {
        mechanism honest, m;
        verdict   v;
        generate(&honest, seed_of(f, k));
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
    c->newton      = true; /* which may add energy */
    c->restitution = 1.0;
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

static void lower(contact *c)
{
    for (int k = 0; k < c->ncorners; k++) c->corner[k].y -= 1e-4 * fabs(c->corner[0].x - c->corner[c->ncorners - 1].x);
}

static void softer(contact *c)
{
    c->stiffness *= 0.99;
}

/* Of the texts of the first scenes from a seed on, character by character (FNV-1a). */
static uint64_t sum_of_scenes(unsigned long long first)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (unsigned long long seed = first; seed < first + 400; seed++) {
        mechanism m;
        size_t    size = 0;
        generate(&m, seed);
        char *text = scene_text(&m, &size);
        for (size_t k = 0; text && k < size; k++) sum = (sum ^ (unsigned char)text[k]) * UINT64_C(0x100000001b3);
        free(text);
    }
    return sum;
}

int self_test(const options *o)
{
    const unsigned cone = 1u << VIOLATION_cone | 1u << VIOLATION_drive, gain = 1u << VIOLATION_impact;
    int            compared, missed                                          = unnoticed(o, 1e-4, &compared);
    const uint64_t sum = sum_of_scenes(0), second = sum_of_scenes(SECOND);
    bool           fine = expect("seeds mean the scenes that they have meant before",
                                 sum == SCENES_AS_RECORDED && second == SECOND_AS_RECORDED);

    if (!fine) printf("their sums are 0x%016" PRIx64 " and 0x%016" PRIx64 "\n", sum, second);

    fine = expect("friction of another coefficient is noticed", noticed(o, FAMILY_slide, rougher) & cone) && fine;
    fine =
        expect("Newton's restitution where it adds energy is noticed", noticed(o, FAMILY_leg, livelier) & gain) && fine;
    fine =
        expect("a line that is passed through is noticed", noticed(o, FAMILY_terrain, lower) & 1u << VIOLATION_gap) &&
        fine;
    fine = expect("a compliant contact of another stiffness is noticed",
                  noticed(o, FAMILY_soft, softer) & 1u << VIOLATION_soft) &&
           fine;
    printf("%d of %d mechanisms that are no equivalents are taken for such\n", missed, compared);
    fine = expect("the others are told apart (what rests does so with other numbers too)",
                  compared >= SCENES / 4 && missed <= compared / 8) &&
           fine;
    return fine ? 0 : 1;
}
