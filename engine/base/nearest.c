/* nearest.c - the name that was probably meant. */
#include "engine/base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Edit distance with adjacent swaps, cut off at `limit`. */
static int distance(const char *a, const char *b, int limit)
{
    enum { MAX = 64 };
    int row[3][MAX + 1];
    int na = (int)strlen(a), nb = (int)strlen(b);

    if (na > MAX || nb > MAX || abs(na - nb) > limit) return limit + 1;
    for (int j = 0; j <= nb; j++) row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int d = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < d) d = last[j] + 1;
            if (now[j - 1] + 1 < d) d = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < d)
                d = before[j - 2] + 1;
            now[j] = d;
        }
    }
    return row[na % 3][nb];
}

const char *sal_nearest(const char *word, const char *const *names, int count)
{
    int         limit = 1 + (int)strlen(word) / 3; /* one slip in a short word, more in a long one */
    const char *best  = NULL;

    for (int i = 0; i < count; i++) {
        int d = distance(word, names[i], limit);
        if (d <= limit && d < (int)strlen(names[i])) {
            best  = names[i];
            limit = d - 1;
        }
    }
    return best;
}

sal_hint sal_did_you_mean(const char *word, const char *const *names, int count)
{
    const char *nearest = sal_nearest(word, names, count);
    sal_hint    hint    = { "" };

    if (nearest) snprintf(hint.text, sizeof hint.text, "; did you mean '%s'?", nearest);
    return hint;
}
