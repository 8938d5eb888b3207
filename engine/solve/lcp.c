/* lcp.c - linear complementarity problems by Lemke's method; equations in solve.h.
 *
 * A dictionary with the basic variables on the left,
 *
 *     x_B = q^ + q1^ eps + T x_N,         at first x_B = w,  x_N = (z, z0),  T = [M d]
 *
 * z0 enters where that makes all of x_B positive. From then on the complement of what has just left enters, and what
 * becomes zero first leaves, until that is z0. The number of dictionaries is finite, and none comes twice as long as no
 * two variables become zero at once. In mechanisms they do all the time, so q is q + eps q1 + eps^2 e_1 + eps^3 e_2 +
 * ... for an eps that is as small as one likes: ratios are compared column by column. The columns of e_k need no room
 * of their own: a change of q_k is a change of w_k, so it is 1 in the row of w_k while that is basic, and the negative
 * of its column of T while it is not.
 *
 * Where M is singular, and many variables can stand for each other, pivots are rounding errors sooner or later. Then
 *
 *     w = (M + s I) z + q - s z_k,     z_k+1 = z,     z_0 = 0
 *
 * is solved, again and again. A copositive M becomes strictly copositive by that: there is a solution for any
 * q, and no pivot is less than s. Where z_k+1 = z_k it is one of M and q; what is seen by M comes nearer by s over its
 * eigenvalue each time, and of what is not seen there is as little as there can be: nearly the shortest of all
 * solutions. Where rounding hides all of these from a problem that is known to have one, the last soft problem that
 * could be solved stands for it, if it is that of the problem itself to SAL_LCP_SOFTLY: z and w of that, with w z = 0.
 */
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/solve/lapack.h"
#include "engine/solve/solve.h"

enum {
    COVERS      = 8,  /* vectors d that are tried */
    SOFT_PASSES = 40, /* of a problem that is made soft */
    WIDTH       = 2   /* of a row of the dictionary in front of T: q^, q1^ */
};

#define SAL_LCP_PATIENCE 1e7 /* operations, some hundredths of a second */

sal_status sal_lcp_init(sal_lcp *l, sal_pool *pool, int room)
{
    const size_t n = (size_t)room;

    *l          = (sal_lcp){ .room = room };
    l->M        = SAL_NEW(pool, double, n *n);
    l->q        = SAL_NEW(pool, double, n);
    l->q1       = SAL_NEW(pool, double, n);
    l->z        = SAL_NEW(pool, double, n);
    l->z1       = SAL_NEW(pool, double, n);
    l->w        = SAL_NEW(pool, double, n);
    l->hard     = SAL_NEW(pool, double, n);
    l->hard1    = SAL_NEW(pool, double, n);
    l->about    = SAL_NEW(pool, double, n);
    l->about1   = SAL_NEW(pool, double, n);
    l->last     = SAL_NEW(pool, double, n);
    l->table    = SAL_NEW(pool, double, n *(n + 1 + WIDTH));
    l->square   = SAL_NEW(pool, double, n *n);
    l->basic    = SAL_NEW(pool, int, n);
    l->nonbasic = SAL_NEW(pool, int, n + 1);
    l->place    = SAL_NEW(pool, int, n);
    l->list     = SAL_NEW(pool, int, n);
    return pool->failed ? SAL_ERR_MEMORY : SAL_OK;
}

/* Variables by number: w_k is k, z_k is n + k, z0 is 2 n. */
static int complement(const sal_lcp *l, int variable)
{
    return variable < l->n ? variable + l->n : variable - l->n;
}

static double *row_of(const sal_lcp *l, int r)
{
    return l->table + (size_t)r * (size_t)(l->n + 1 + WIDTH);
}

static void start(sal_lcp *l, int cover)
{
    unsigned random = 12345u + 7919u * (unsigned)cover;

    for (int r = 0; r < l->n; r++) {
        double *row       = row_of(l, r);
        row[0]            = l->q[r];
        row[1]            = l->q1[r];
        random            = random * 1664525u + 1013904223u;
        row[WIDTH + l->n] = cover == 0 ? 1.0 : 0.25 + (double)(random >> 8) / 16777216.0; /* d */
        memcpy(row + WIDTH, l->M + (size_t)r * (size_t)l->n, sizeof *row * (size_t)l->n);
        l->basic[r]    = r;
        l->place[r]    = -1 - r;
        l->nonbasic[r] = l->n + r;
    }
    l->nonbasic[l->n] = 2 * l->n;
}

/* Exchanges the basic variable of row r with the one of column c. place[k]: the column of w_k, or -1 - its row. */
static void pivot(sal_lcp *l, int r, int c)
{
    const int    width = l->n + 1 + WIDTH, leaving = l->basic[r], entering = l->nonbasic[c];
    double      *from = row_of(l, r);
    const double by   = 1.0 / from[WIDTH + c];

    from[WIDTH + c] = -1.0;
    for (int k = 0; k < width; k++) from[k] *= -by;
    for (int i = 0; i < l->n; i++) {
        double      *row    = row_of(l, i);
        const double factor = row[WIDTH + c];
        if (i == r || factor == 0.0) continue;
        row[WIDTH + c] = 0.0;
        for (int k = 0; k < width; k++) row[k] += factor * from[k];
    }
    l->basic[r]    = entering;
    l->nonbasic[c] = leaving;
    if (leaving < l->n) l->place[leaving] = c;
    if (entering < l->n) l->place[entering] = -1 - r;
}

/* Column k of the perturbation in row r: q, q1, then the units. */
static double perturbation(const sal_lcp *l, int r, int k)
{
    if (k < WIDTH) return row_of(l, r)[k];
    const int place = l->place[k - WIDTH];
    return place < 0 ? (place == -1 - r) : -row_of(l, r)[WIDTH + place];
}

/* Of the rows in list [count] that with the least perturbation / size, sizes in column c of T; z0 where it is as good
 * as any. */
static int least_ratio(sal_lcp *l, int count, int c, double sign)
{
    for (int k = 0; k < l->n + WIDTH && count > 1; k++) {
        double least = HUGE_VAL;
        int    left  = 0;
        for (int i = 0; i < count; i++)
            least = fmin(least, perturbation(l, l->list[i], k) / (sign * row_of(l, l->list[i])[WIDTH + c]));
        for (int i = 0; i < count; i++) {
            const int    r     = l->list[i];
            const double ratio = perturbation(l, r, k) / (sign * row_of(l, r)[WIDTH + c]);
            if (ratio > least + l->tie * fmax(1.0, fabs(least))) continue;
            if (k == WIDTH - 1 && l->basic[r] == 2 * l->n) return r;
            l->list[left++] = r;
        }
        count = left;
    }
    return l->list[0];
}

/* The row that becomes zero first as the variable of column c grows; -1: none ever does. */
static int leaving_row(sal_lcp *l, int c)
{
    double most  = 0.0;
    int    count = 0;

    for (int r = 0; r < l->n; r++) most = fmax(most, fabs(row_of(l, r)[WIDTH + c]));
    for (int r = 0; r < l->n; r++) {
        if (row_of(l, r)[WIDTH + c] < -l->least * fmax(1.0, most)) l->list[count++] = r;
    }
    return count ? least_ratio(l, count, c, -1.0) : -1;
}

static int column_of(const sal_lcp *l, int variable)
{
    int c = 0;

    while (l->nonbasic[c] != variable) c++;
    return c;
}

/* From the start to a dictionary without z0. SAL_END: a ray, or no end. */
static sal_status follow(sal_lcp *l, const sal_watch *watch)
{
    const int  limit = 50 + 20 * l->n;
    int        c     = l->n, r, entering;
    double     work  = 0.0;
    sal_status status;

    for (int k = 0; k < l->n; k++) l->list[k] = k;
    r = least_ratio(l, l->n, c, 1.0); /* the most negative by d leaves, all others stay positive */
    for (int i = 0; i < limit; i++) {
        entering = complement(l, l->basic[r]);
        pivot(l, r, c);
        l->pivots++;
        if (l->nonbasic[c] == 2 * l->n) return SAL_OK;
        if ((work += (double)l->n * l->n) > SAL_LCP_PATIENCE) { /* what is short is not stopped in the middle */
            status = sal_watch_ask(watch);
            if (status != SAL_OK) return status;
            work = 0.0;
        }
        c = column_of(l, entering);
        r = leaving_row(l, c);
        if (r < 0) return SAL_END;
    }
    return SAL_END;
}

/* z, z1 as the pivots have left them; the basic ones into list. Gives their number. */
static int read_basis(sal_lcp *l)
{
    int size = 0;

    memset(l->z, 0, sizeof *l->z * (size_t)l->n);
    memset(l->z1, 0, sizeof *l->z1 * (size_t)l->n);
    for (int r = 0; r < l->n; r++) {
        if (l->basic[r] < l->n) continue;
        l->z[l->basic[r] - l->n]  = row_of(l, r)[0];
        l->z1[l->basic[r] - l->n] = row_of(l, r)[1];
        l->list[size++]           = l->basic[r] - l->n;
    }
    return size;
}

/* The same solved anew, M_BB z_B = -q_B: pivots have rounding errors, and one solve has none of them. Not where it is
 * off by more than `agrees`. */
static void solve_basis(sal_lcp *l, int size, double agrees)
{
    const int columns = 2;
    int       info    = 1;
    double   *b       = l->table; /* no longer needed */

    for (int j = 0; j < size; j++) {
        for (int i = 0; i < size; i++)
            l->square[(size_t)j * (size_t)size + (size_t)i] =
                l->M[(size_t)l->list[i] * (size_t)l->n + (size_t)l->list[j]];
        b[j]        = -l->q[l->list[j]];
        b[size + j] = -l->q1[l->list[j]];
    }
    if (size > 0) dgesv_(&size, &columns, l->square, &size, l->place, b, &size, &info);
    if (info != 0 || !sal_all_finite(b, 2 * (size_t)size)) return;
    for (int j = 0; j < size; j++) {
        if (fabs(b[j] - l->z[l->list[j]]) > agrees * fmax(1.0, sal_largest(l->z, l->n))) return;
    }
    for (int j = 0; j < size; j++) {
        l->z[l->list[j]]  = b[j];
        l->z1[l->list[j]] = b[size + j];
    }
}

/* What z violates most of its conditions, relative to its size; w on the way. */
static double violation(sal_lcp *l)
{
    const double size = fmax(1.0, sal_largest(l->z, l->n));
    double       most = 0.0;

    for (int r = 0; r < l->n; r++) {
        l->w[r] = l->q[r] + sal_dot(l->M + (size_t)r * (size_t)l->n, l->z, l->n);
        if (!isfinite(l->w[r])) return HUGE_VAL;
        most = fmax(most, fmax(fmax(-l->z[r], -l->w[r]), fmin(l->z[r], l->w[r])) / size);
    }
    return most;
}

/* Whether eps z1 goes on where z leaves it open: w1 is zero where z is positive, z1 where w is, else one of them. */
static bool holds_ahead(const sal_lcp *l)
{
    const double zero  = SAL_LCP_HOLDS * fmax(1.0, sal_largest(l->z, l->n)),
                 small = SAL_LCP_AHEAD * fmax(1.0, sal_largest(l->z1, l->n));

    if (sal_largest(l->q1, l->n) == 0.0) return true;
    for (int r = 0; r < l->n; r++) {
        const double z1 = l->z1[r], w1 = l->q1[r] + sal_dot(l->M + (size_t)r * (size_t)l->n, l->z1, l->n);
        const bool   in = l->z[r] > zero, out = l->w[r] > zero;
        if (out ? fabs(z1) > small : in ? fabs(w1) > small : fmax(fmax(-z1, -w1), fmin(z1, w1)) > small) return false;
    }
    return true;
}

/* From the start by cover d to a solution of the problem as it is; the number of what is basic in *size. */
static sal_status solve_once(sal_lcp *l, int cover, const sal_watch *watch, int *size)
{
    bool       any    = false;
    sal_status status = SAL_OK;

    start(l, cover);
    for (int r = 0; r < l->n && !any; r++) any = l->q[r] < 0.0 || (l->q[r] == 0.0 && l->q1[r] < 0.0);
    if (any) status = follow(l, watch);
    if (status != SAL_OK) return status;
    *size = read_basis(l);
    if (violation(l) <= SAL_LCP_EXACT) return holds_ahead(l) ? SAL_OK : SAL_END;
    solve_basis(l, *size, SAL_LCP_AGREES);
    return violation(l) <= SAL_LCP_HOLDS && holds_ahead(l) ? SAL_OK : SAL_END;
}

/* What is added to the diagonal of M goes from `from` to `to`, around z. */
static void soften(sal_lcp *l, double from, double to)
{
    for (int r = 0; r < l->n; r++) {
        l->M[(size_t)r * (size_t)l->n + (size_t)r] += (to - from);
        l->q[r]      = l->hard[r] - to * l->z[r];
        l->q1[r]     = l->hard1[r] - to * l->z1[r];
        l->about[r]  = l->z[r];
        l->about1[r] = l->z1[r];
    }
}

/* The problem made soft, again and again around its own solution, until that stays where it is. l->soft: or until no
 * further one can be solved. */
static sal_status solve_soft(sal_lcp *l, int cover, const sal_watch *watch)
{
    const size_t bytes = sizeof *l->q * (size_t)l->n;
    double       soft = 0.0, moved = HUGE_VAL, off = HUGE_VAL, last;
    int          size   = 0;
    sal_status   status = SAL_OK;

    memcpy(l->hard, l->q, bytes);
    memcpy(l->hard1, l->q1, bytes);
    memset(l->z, 0, bytes);
    memset(l->z1, 0, bytes);
    for (int pass = 0; pass < SOFT_PASSES && status == SAL_OK; pass++) {
        const double less = pass < 2 || moved < 0.1 * last ? 1.0 : 0.1;
        const double next = pass ? soft * less : SAL_LCP_SOFT;
        soften(l, soft, next);
        soft = next;
        if (pass) solve_basis(l, size, HUGE_VAL); /* most often it stays the same */
        if (!pass || violation(l) > SAL_LCP_HOLDS) status = solve_once(l, cover, watch, &size);
        if (status == SAL_END && (l->soft ? off <= SAL_LCP_SOFTLY : moved <= SAL_LCP_HOLDS)) { /* solved before */
            memcpy(l->z, l->about, bytes);
            memcpy(l->z1, l->about1, bytes);
            status = SAL_OK;
            break;
        }
        memcpy(l->last, l->w, bytes);
        last  = moved;
        moved = 0.0;
        for (int r = 0; r < l->n; r++) moved = fmax(moved, soft * fabs(l->z[r] - l->about[r]));
        off = moved; /* what the problem is off by that is not soft: where it has no solution z grows, and this stays */
        moved /= fmax(1.0, sal_largest(l->z, l->n));
        if (moved <= SAL_LCP_EXACT || soft < SAL_LCP_NOISE) break;
    }
    for (int r = 0; r < l->n; r++) l->M[(size_t)r * (size_t)l->n + (size_t)r] -= soft;
    memcpy(l->q, l->hard, bytes);
    memcpy(l->q1, l->hard1, bytes);
    if (status != SAL_OK) return status;
    if (l->soft) {
        memcpy(l->w, l->last, bytes);
        return off <= SAL_LCP_SOFTLY ? SAL_OK : SAL_END;
    }
    off = violation(l); /* where there is no solution z grows, and what is off is little of it */
    return off <= SAL_LCP_HOLDS && off * fmax(1.0, sal_largest(l->z, l->n)) <= SAL_LCP_AGREES ? SAL_OK : SAL_END;
}

/* What is zero by rounding is measured by several rules. */
static void choose_rule(sal_lcp *l, int cover)
{
    const double coarse = cover % 3 == 1 ? 100.0 : cover % 3 == 2 ? 0.1 : 1.0;

    l->tie   = coarse * SAL_LCP_TIE;
    l->least = coarse * SAL_LCP_PIVOT;
}

sal_status sal_lcp_solve(sal_lcp *l, int n, const sal_watch *watch)
{
    sal_status status = SAL_END;
    int        size;

    l->n      = n;
    l->pivots = 0;
    l->soft   = false;
    for (int cover = 0; cover < COVERS && status == SAL_END; cover++) {
        choose_rule(l, cover);
        status = solve_once(l, cover, watch, &size);
        if (status == SAL_END) status = solve_soft(l, cover, watch);
    }
    l->soft = status == SAL_END && l->solvable;
    for (int cover = 0; cover < COVERS && status == SAL_END && l->soft; cover++) {
        choose_rule(l, cover);
        status = solve_soft(l, cover, watch);
    }
    return status;
}
