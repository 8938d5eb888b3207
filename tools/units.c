/* units.c - units of quantities by their names. */
#include <string.h>

#include "tools/output.h"

const char *unit_of(const sal_model *model, const char *text)
{
    static const struct {
        const char *word, *unit;
    } known[] = {
        { "x", "m" },
        { "y", "m" },
        { "vx", "m/s" },
        { "vy", "m/s" },
        { "ax", "m/s\xc2\xb2" },
        { "ay", "m/s\xc2\xb2" },
        { "distance", "m" },
        { "angle", "rad" },
        { "rate", "rad/s" },
        { "energy", "J" },
        { "gap", "m" },
        { "slip", "m/s" },
        { "normal", "N" },
        { "friction", "N" },
    };
    const size_t length = strlen(text), word = strcspn(text, "(");
    const char  *name, *unit;

    if (word == length || strchr(text, ')') != text + length - 1) return ""; /* more than one call */
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strlen(known[k].word) == word && !strncmp(known[k].word, text, word)) return known[k].unit;
    }
    if (word != strlen("reaction") || strncmp(text, "reaction", word) != 0) return "";
    for (int k = 0; (name = sal_model_reaction(model, k, &unit)); k++) {
        if (strlen(name) == length - word - 2 && !strncmp(text + word + 1, name, strlen(name))) return unit;
    }
    return "";
}
