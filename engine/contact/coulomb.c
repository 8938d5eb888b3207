/* coulomb.c - who holds, sticks and slides, by a linear complementarity problem; equations in coulomb.h. */
#include "engine/contact/coulomb.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

enum {
    PART = 4, /* variables of a contact that may stick */
    FEW  = 12 /* contacts that are all asked: leaving some out gains nothing */
};

sal_status sal_coulomb_init(sal_coulomb *x, sal_pool *pool, int room)
{
    const size_t c = (size_t)room, rows = 2 * c;

    *x         = (sal_coulomb){ .room = room };
    x->party   = SAL_NEW(pool, sal_party, c);
    x->W       = SAL_NEW(pool, double, rows *rows);
    x->b       = SAL_NEW(pool, double, rows);
    x->b1      = SAL_NEW(pool, double, rows);
    x->yields  = SAL_NEW(pool, double, rows);
    x->size    = SAL_NEW(pool, double, rows);
    x->p       = SAL_NEW(pool, double, rows);
    x->motion  = SAL_NEW(pool, double, rows);
    x->full    = SAL_NEW(pool, double, rows);
    x->reduced = SAL_NEW(pool, double, rows *(rows + 2));
    x->scale   = SAL_NEW(pool, double, rows);
    x->column  = SAL_NEW(pool, double, rows);
    x->first   = SAL_NEW(pool, int, c);
    x->held    = SAL_NEW(pool, int, c);
    x->asked   = SAL_NEW(pool, bool, c);
    x->left    = SAL_NEW(pool, double, c);
    x->factor  = SAL_NEW(pool, double, c *c);
    x->slides  = SAL_NEW(pool, int, c);
    x->loose   = SAL_NEW(pool, bool, c);
    return sal_lcp_init(&x->lcp, pool, PART * room);
}

/* --------------------------------------------------------------------------------- the problem */

static double *row_of(const sal_coulomb *x, int r)
{
    return x->reduced + (size_t)r * (size_t)(2 * x->c + 2);
}

static bool is_pinned(const sal_coulomb *x, int i)
{
    return x->party[i].pinned && !x->loose[i];
}

/* May stick, or slip either way. */
static bool is_free(const sal_coulomb *x, int i)
{
    const sal_party *y = &x->party[i];

    return y->tangent && !y->pinned && y->slides == 0;
}

/* Whether pin i can be told from its own normal: where both move the same thing, the normal holds it. */
static bool differs_from_normal(const sal_coulomb *x, int i)
{
    const double *normal = row_of(x, i), *pin = row_of(x, x->c + i);

    return normal[i] * pin[x->c + i] - pin[i] * normal[x->c + i] > SAL_DEPENDENT * normal[i] * pin[x->c + i];
}

/* Takes pins that hold out of the problem: f_e from their own rows. Pins that depend on others, or where nothing gives
 * way, need no force. Gives their number. */
static int eliminate_pins(sal_coulomb *x)
{
    const int rows  = 2 * x->c;
    int       count = 0;
    double    gives = 0.0;

    for (int r = 0; r < rows; r++) {
        gives = fmax(gives, SAL_BLOCKED * SAL_ROW(x->W, r, rows)[r]);
        memcpy(row_of(x, r), SAL_ROW(x->W, r, rows), sizeof(double) * (size_t)rows);
        row_of(x, r)[rows]     = x->b[r];
        row_of(x, r)[rows + 1] = x->b1[r];
    }
    for (;;) {
        int    next = -1;
        double most = SAL_DEPENDENT;
        for (int i = 0; i < x->c; i++) {
            const int e    = x->c + i;
            bool      done = !is_pinned(x, i) || !(SAL_ROW(x->W, e, rows)[e] > gives);
            for (int k = 0; k < count; k++) done = done || x->held[k] == i;
            if (done || !(row_of(x, e)[e] > most * SAL_ROW(x->W, e, rows)[e]) || !differs_from_normal(x, i)) continue;
            next = i;
            most = row_of(x, e)[e] / SAL_ROW(x->W, e, rows)[e];
        }
        if (next < 0) return count;
        const double *pivot = row_of(x, x->c + next);
        for (int r = 0; r < rows; r++) {
            double      *row    = row_of(x, r);
            const double factor = row[x->c + next] / pivot[x->c + next];
            bool         done   = r == x->c + next;
            for (int k = 0; k < count; k++) done = done || r == x->c + x->held[k];
            for (int k = 0; k < rows + 2 && !done; k++) row[k] -= factor * pivot[k];
        }
        x->held[count++] = next;
    }
}

/* Lengths that make the diagonal of W one: D = W_rr^-1/2; where nothing gives way, as the largest. */
static void choose_scale(sal_coulomb *x)
{
    const int rows = 2 * x->c;
    double    most = 0.0;

    for (int r = 0; r < rows; r++) most = fmax(most, row_of(x, r)[r]);
    for (int r = 0; r < rows; r++) {
        const double d = row_of(x, r)[r];
        x->scale[r]    = most > 0.0 ? 1.0 / sqrt(d > SAL_BLOCKED * most ? d : most) : 1.0;
    }
}

static double mu_of(const sal_coulomb *x, const sal_party *y)
{
    return (y->broken ? y->mu_kinetic : y->mu_static) * x->lean;
}

/* W times the forces of variable `part` of contact i of size 1, scaled by rows: into column. */
static void act(sal_coulomb *x, int i, int part)
{
    const sal_party *y    = &x->party[i];
    const int        rows = 2 * x->c, t = x->c + i;
    const double     n = part == 0 ? x->scale[i] : 0.0;
    const double     f = part == 1                              ? x->scale[t]
                         : part == 2                            ? -x->scale[t]
                         : part == 0 && y->tangent && y->slides ? -y->slides * y->mu_kinetic * n
                                                                : 0.0;

    for (int r = 0; r < rows; r++)
        x->column[r] = x->scale[r] * (n * row_of(x, r)[i] + (f != 0.0 ? f * row_of(x, r)[t] : 0.0));
}

static void set_column(sal_coulomb *x, int variable)
{
    sal_lcp *l = &x->lcp;

    for (int k = 0; k < x->c; k++) {
        const int v = x->first[k];
        if (v < 0) continue;
        l->M[(size_t)v * (size_t)l->n + (size_t)variable] = x->column[k];
        if (!is_free(x, k)) continue;
        l->M[(size_t)(v + 1) * (size_t)l->n + (size_t)variable] = x->column[x->c + k];
        l->M[(size_t)(v + 2) * (size_t)l->n + (size_t)variable] = -x->column[x->c + k];
    }
}

/* What a force p along k moves row r by at most, |W_rk p| <= sqrt(W_rr W_kk) |p|: by this its rounding is measured,
 * as W_rk is a sum that may vanish. Where nothing gives way W_rr is rounding, of either sign. */
static double reach(const sal_coulomb *x, int r, int k, double p)
{
    const int    rows = 2 * x->c;
    const double give = fmax(SAL_ROW(x->W, r, rows)[r], 0.0) * fmax(SAL_ROW(x->W, k, rows)[k], 0.0);

    return p == 0.0 ? 0.0 : sqrt(give) * fabs(p);
}

/* A motion that is rounding is none: nothing else would be left to compare it with. */
static double clean(const sal_coulomb *x, int r, double motion)
{
    double size = x->size[r];

    for (int i = 0; i < x->c; i++) size += reach(x, r, i, x->party[i].least);
    return fabs(motion) <= SAL_LCP_NOISE * size ? 0.0 : motion;
}

/* q for the motion in `free` [2 c], which is b with the least normal forces acting; `least`: with these themselves. */
static double set_q(const sal_coulomb *x, const double *free, bool least, double *q)
{
    double most = 0.0;

    for (int i = 0; i < x->c; i++) {
        const sal_party *y = &x->party[i];
        const int        v = x->first[i], t = x->c + i;
        if (v < 0) continue;
        q[v] = x->scale[i] * clean(x, i, free[i] - (least ? y->goal : 0.0));
        most = fmax(most, fabs(q[v]));
        if (!is_free(x, i)) continue;
        q[v + 1] = x->scale[t] * clean(x, t, free[t]);
        q[v + 2] = -q[v + 1];
        q[v + 3] = least ? mu_of(x, y) * y->least / x->scale[t] : 0.0;
        most     = fmax(most, fmax(fabs(q[v + 1]), fabs(q[v + 3])));
    }
    return most;
}

/* The complementarity problem, its numbers of size 1; gives the size of q, in which z comes out. */
static double set_problem(sal_coulomb *x)
{
    sal_lcp  *l    = &x->lcp;
    const int rows = 2 * x->c;
    double    most;

    l->n = 0;
    for (int i = 0; i < x->c; i++) {
        x->first[i] = x->asked[i] ? l->n : -1;
        if (x->asked[i]) l->n += is_free(x, i) ? PART : 1;
    }
    memset(l->M, 0, sizeof *l->M * (size_t)l->n * (size_t)l->n);
    for (int i = 0; i < x->c; i++) {
        const int v = x->first[i], t = x->c + i;
        for (int part = 0; x->asked[i] && part < (is_free(x, i) ? 3 : 1); part++) {
            act(x, i, part);
            set_column(x, v + part);
        }
        if (!is_free(x, i) || !x->asked[i]) continue;
        double *cone = SAL_ROW(l->M, v + 3, l->n);
        cone[v]      = mu_of(x, &x->party[i]) * x->scale[i] / x->scale[t];
        cone[v + 1] = cone[v + 2]         = -1.0;
        SAL_ROW(l->M, v + 1, l->n)[v + 3] = SAL_ROW(l->M, v + 2, l->n)[v + 3] = 1.0;
    }
    for (int r = 0; r < rows; r++) {
        x->column[r] = row_of(x, r)[rows];
        for (int i = 0; i < x->c; i++) {
            const sal_party *y = &x->party[i];
            if (y->least == 0.0) continue;
            x->column[r] += row_of(x, r)[i] * y->least;
            if (y->tangent && y->slides) x->column[r] -= row_of(x, r)[x->c + i] * y->slides * y->mu_kinetic * y->least;
        }
    }
    most = set_q(x, x->column, true, l->q);
    for (int r = 0; r < rows; r++) x->column[r] = row_of(x, r)[rows + 1];
    const double most1 = set_q(x, x->column, false, l->q1);
    for (int k = 0; k < l->n; k++) {
        if (most > 0.0) l->q[k] /= most;
        if (most1 > 0.0) l->q1[k] /= most1;
    }
    return most;
}

/* ------------------------------------------------------------------------------------- solution */

/* Of a problem that is soft the motion is w: that of p is off by what is soft about it, and would tell other roles. */
static void take_motion(sal_coulomb *x, double size)
{
    for (int i = 0; i < x->c; i++) {
        const double *w = x->lcp.w + x->first[i];
        const int     t = x->c + i;
        if (!x->asked[i]) continue;
        x->motion[i] = x->party[i].goal + size * fmax(w[0], 0.0) / x->scale[i];
        if (is_free(x, i)) x->motion[t] = 0.5 * size * (w[1] - w[2]) / x->scale[t];
    }
}

/* p from z, pins from their own rows in reverse order, and the motion that p makes. */
static void take_solution(sal_coulomb *x, double size, int pins)
{
    const int rows = 2 * x->c;

    for (int i = 0; i < x->c; i++) {
        const sal_party *y = &x->party[i];
        const double    *z = x->lcp.z + x->first[i];
        if (!x->asked[i]) {
            x->p[i] = x->p[x->c + i] = 0.0;
            continue;
        }
        x->p[i]        = y->least + size * fmax(z[0], 0.0) * x->scale[i];
        x->p[x->c + i] = is_free(x, i)             ? size * (z[1] - z[2]) * x->scale[x->c + i]
                         : y->tangent && y->slides ? -y->slides * y->mu_kinetic * x->p[i]
                                                   : 0.0;
    }
    for (int k = pins - 1; k >= 0; k--) {
        const int     e   = x->c + x->held[k];
        const double *row = row_of(x, e);
        x->p[e]           = -(row[rows] + sal_dot(row, x->p, rows)) / row[e];
    }
    for (int r = 0; r < rows; r++) {
        x->motion[r] = x->b[r];
        x->full[r]   = x->size[r];
        for (int k = 0; k < rows; k++) {
            x->motion[r] += SAL_ROW(x->W, r, rows)[k] * x->p[k];
            x->full[r] += reach(x, r, k, x->p[k]);
        }
    }
    if (x->lcp.soft) take_motion(x, size);
}

double sal_coulomb_ahead(const sal_coulomb *x, int r)
{
    return fabs(x->b[r]) <= SAL_CONTACT_SMALL * x->size[r] ? 0.0 : x->b[r];
}

bool sal_coulomb_still(const sal_coulomb *x, int r, double motion)
{
    return fabs(motion) <= SAL_CONTACT_SMALL * x->full[r];
}

bool sal_coulomb_unloaded(const sal_coulomb *x, int i)
{
    const double W = SAL_ROW(x->W, i, 2 * x->c)[i];

    return W * x->p[i] <= SAL_CONTACT_SMALL * x->full[i];
}

/* Contacts that slip do so with mu_k, pins that carry nothing let go: whether there are new ones. */
static bool find_changes(sal_coulomb *x)
{
    bool any = false;

    for (int i = 0; i < x->c; i++) {
        sal_party *y = &x->party[i];
        if (is_free(x, i) && !y->broken && y->mu_kinetic < y->mu_static && !sal_coulomb_unloaded(x, i) &&
            !sal_coulomb_still(x, x->c + i, x->motion[x->c + i]))
            y->broken = any = true;
    }
    for (int i = 0; i < x->c && !any; i++) {
        const int    t    = x->c + i;
        const double pull = SAL_ROW(x->W, t, 2 * x->c)[t] * x->p[t];
        if (!is_pinned(x, i) || !sal_coulomb_unloaded(x, i)) continue;
        if (!sal_coulomb_still(x, i, x->motion[i] - x->party[i].goal) || !sal_coulomb_still(x, t, pull))
            x->loose[i] = any = true;
    }
    return any;
}

/* Of a contact without slip: one without friction does not hold it. */
static sal_role still_role(const sal_party *y)
{
    return y->pinned || y->mu_static > 0.0 ? SAL_STUCK : SAL_SMOOTH;
}

static void find_roles(sal_coulomb *x)
{
    for (int i = 0; i < x->c; i++) {
        sal_party   *y        = &x->party[i];
        const int    t        = x->c + i;
        const bool   unloaded = sal_coulomb_unloaded(x, i) && y->least == 0.0;
        const double away     = x->motion[i] - y->goal;
        y->sign               = y->slides;
        if (unloaded && (!sal_coulomb_still(x, i, away) || !y->inside)) y->role = SAL_OUT;
        else if (!y->tangent || x->loose[i]) y->role = SAL_SMOOTH;
        else if (y->slides) y->role = SAL_SLIPPING;
        else if (y->pinned || sal_coulomb_still(x, t, x->motion[t])) y->role = still_role(y);
        else {
            y->role = SAL_SLIPPING;
            y->sign = x->motion[t] < 0.0 ? -1 : 1;
        }
    }
}

/* Whether contact i is asked in any case. */
static bool is_special(const sal_coulomb *x, int i)
{
    const sal_party *y = &x->party[i];

    return y->pinned || y->least != 0.0 || y->goal != 0.0 || x->b1[i] != 0.0 || x->b1[x->c + i] != 0.0;
}

/* Asks contact i: its column of L, and what is left of the others. */
static void ask(sal_coulomb *x, int i, int rank)
{
    double *L = SAL_ROW(x->factor, rank, x->c);

    x->asked[i] = true;
    if (!(x->left[i] > 0.0)) return;
    for (int k = 0; k < x->c; k++) {
        double sum = row_of(x, k)[i];
        for (int j = 0; j < rank; j++) sum -= SAL_ROW(x->factor, j, x->c)[k] * SAL_ROW(x->factor, j, x->c)[i];
        L[k] = sum / sqrt(x->left[i]);
    }
    for (int k = 0; k < x->c; k++) x->left[k] = k == i ? 0.0 : x->left[k] - L[k] * L[k];
}

/* The contacts whose normals are independent: of what is left the largest first. */
static void choose_asked(sal_coulomb *x)
{
    for (int i = 0; i < x->c; i++) {
        x->asked[i] = x->c <= FEW || is_special(x, i);
        x->left[i]  = row_of(x, i)[i];
    }
    for (int rank = 0; rank < x->c && x->c > FEW; rank++) {
        int    next = -1;
        double most = SAL_DEPENDENT;
        for (int i = 0; i < x->c; i++) {
            if (x->asked[i] || !(x->left[i] > most * row_of(x, i)[i])) continue;
            next = i;
            most = x->left[i] / row_of(x, i)[i];
        }
        if (next < 0) return;
        ask(x, next, rank);
    }
}

/* Asks what the solution passes through, or with `all` whatever is not; whether there is such. */
static bool ask_more(sal_coulomb *x, bool all)
{
    bool any = false;

    for (int i = 0; i < x->c; i++) {
        const bool passed = !x->asked[i] && x->motion[i] < 0.0 && !sal_coulomb_still(x, i, x->motion[i]);
        if (x->asked[i] || !(all || passed)) continue;
        x->asked[i] = any = true;
    }
    return any;
}

/* Whether impulses, or forces, that agree are to be expected: where nothing slides there always are, unless something
 * that is prescribed crushes what lies between. What follows from b1 is told by small forces: no soft ones will do. */
static bool is_solvable(const sal_coulomb *x)
{
    bool solvable = true;

    for (int i = 0; i < x->c; i++) {
        const sal_party *y = &x->party[i];
        if (y->tangent && !y->pinned && y->slides != 0 && y->mu_kinetic > 0.0) solvable = false;
        if (x->b1[i] != 0.0 || x->b1[x->c + i] != 0.0) solvable = false;
    }
    return solvable;
}

/* One complementarity problem, friction and pins as they are. */
static sal_status solve_once(sal_coulomb *x, const sal_watch *watch)
{
    const int  pins = eliminate_pins(x);
    bool       more = true;
    sal_status status;

    choose_scale(x);
    choose_asked(x);
    x->lcp.solvable = is_solvable(x);
    do {
        const double size = set_problem(x);
        status            = watch && x->c > FEW ? sal_watch_ask(watch) : SAL_OK; /* few are decided at once */
        if (status == SAL_OK) status = sal_lcp_solve(&x->lcp, x->lcp.n, watch);
        if (status == SAL_OK) take_solution(x, size, pins);
        more = (status == SAL_OK || status == SAL_END) && ask_more(x, status != SAL_OK);
    } while (more);
    return status;
}

sal_status sal_coulomb_solve(sal_coulomb *x, const sal_watch *watch)
{
    x->lean  = 1.0;
    x->leans = false;
    memset(x->loose, 0, sizeof *x->loose * (size_t)x->c);
    do {
        const sal_status status = solve_once(x, watch);
        if (status != SAL_OK) return status;
    } while (find_changes(x));
    find_roles(x);
    return SAL_OK;
}

/* ---------------------------------------------------------------------------- forces not determined */

/* Whether what was in and stuck still is, with less friction. */
static bool same_motion(const sal_coulomb *x)
{
    for (int i = 0; i < x->c; i++) {
        const sal_party *y = &x->party[i];
        if (y->role == SAL_OUT) continue;
        if (y->least == 0.0 && !sal_coulomb_still(x, i, x->motion[i] - y->goal)) return false;
        if (y->role == SAL_STUCK && !sal_coulomb_still(x, x->c + i, x->motion[x->c + i])) return false;
    }
    return true;
}

sal_role sal_coulomb_least_role(const sal_coulomb *x, int i, int *sign)
{
    const sal_party *y = &x->party[i];
    const int        t = x->c + i;
    const double     W = SAL_ROW(x->W, t, 2 * x->c)[t], n = x->p[i], f = x->p[t];

    *sign = y->sign;
    if (y->role == SAL_OUT || (sal_coulomb_unloaded(x, i) && y->least == 0.0)) return SAL_OUT;
    if (y->role != SAL_STUCK || y->pinned) return y->role;
    if (sal_coulomb_still(x, t, W * f)) return SAL_SMOOTH;
    if (!sal_coulomb_still(x, t, W * (mu_of(x, y) * n - fabs(f)))) return SAL_STUCK;
    *sign = f < 0.0 ? -1 : 1;
    return SAL_LEANING;
}

sal_status sal_coulomb_lean(sal_coulomb *x, const sal_watch *watch)
{
    static const double part[] = { 0.0, 0.5, 0.75, 0.9, 0.97, 0.99, 0.999, 1.0 };

    for (int i = 0; i < x->c; i++) { /* what slips keeps on with its own friction */
        if (x->party[i].role == SAL_SLIPPING) x->party[i].slides = x->party[i].sign;
    }
    for (int k = 0; k < SAL_COUNT(part); k++) {
        x->lean                 = part[k];
        const sal_status status = solve_once(x, watch);
        if (status == SAL_STOPPED || status == SAL_ERR_LIMIT) return status;
        if (status != SAL_OK || !same_motion(x)) continue;
        for (int i = 0; i < x->c; i++) x->party[i].role = sal_coulomb_least_role(x, i, &x->party[i].sign);
        x->leans = true;
        return SAL_OK;
    }
    return SAL_END;
}

/* Roles of the forces eps p1, where there are no impulses. */
static void find_small_roles(sal_coulomb *x, const int *slides)
{
    const double most = sal_largest(x->lcp.z1, x->lcp.n);

    for (int i = 0; i < x->c; i++) {
        sal_party    *y = &x->party[i];
        const double *z = x->lcp.z1 + x->first[i];
        y->slides       = slides[i];
        y->sign         = slides[i];
        if (!x->asked[i] || !(z[0] > SAL_CONTACT_SMALL * most)) y->role = SAL_OUT;
        else if (!y->tangent || x->loose[i]) y->role = SAL_SMOOTH;
        else if (slides[i]) y->role = SAL_SLIPPING;
        else if (!is_free(x, i) || !(z[3] > SAL_CONTACT_SMALL * most)) y->role = still_role(y);
        else {
            y->role = SAL_SLIPPING;
            y->sign = z[1] > z[2] ? -1 : 1; /* against friction */
        }
    }
}

sal_status sal_coulomb_jam(sal_coulomb *x, const sal_watch *watch, bool *impulsive)
{
    double     most = 0.0;
    sal_status status;

    *impulsive = false;
    for (int i = 0; i < x->c; i++) {
        x->slides[i]       = x->party[i].slides;
        x->party[i].slides = 0;
    }
    status = sal_coulomb_solve(x, watch);
    for (int i = 0; i < x->c; i++) { /* in units of energy^1/2, which all motions have in common */
        const double W = SAL_ROW(x->W, x->c + i, 2 * x->c)[x->c + i];
        if (W > 0.0) most = fmax(most, fabs(x->b[x->c + i]) / sqrt(W));
    }
    for (int i = 0; i < x->c && status == SAL_OK; i++)
        *impulsive = *impulsive || (sqrt(SAL_ROW(x->W, i, 2 * x->c)[i]) * x->p[i] > SAL_CONTACT_SMALL * most &&
                                    !sal_coulomb_unloaded(x, i));
    if (status == SAL_OK && !*impulsive) find_small_roles(x, x->slides);
    return status;
}
