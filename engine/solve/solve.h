/* solve/ - linear algebra: sparse solves with the matrices of the equations of motion (KLU), dense problems (LAPACK).
 * Knows matrices, not mechanisms. */
#ifndef SAL_SOLVE_H
#define SAL_SOLVE_H

#include "engine/base/base.h"

/* ------------------------------------------------------------------------------------------------------------ */

/* sparse solves with the matrices of the equations of motion.
 *
 *     K = [ M   A^T ]      M: n x n, constant;  A: m x n, given by rows;  D: diagonal, 0 in index-1 form and -1/alpha
 *         [ A    D  ]      in penalty form, which is then the same system: lambda = alpha (A a - C + ...)
 *
 * Units must not matter: K is solved as S K S with a diagonal S that makes the diagonal of M and the rows of A of
 * size 1, chosen once (sal_kkt_equilibrate), so that pivots and the condition number mean something. KLU's own
 * scaling, by rows and anew at every factorisation, is off.
 *
 * KLU in three parts: a pattern with its symbolic analysis (made once, belongs to the model, shared by threads), the
 * numbers (belong to a run), and the pivots found last, which are used again (klu_refactor) until the condition has
 * become much worse than it was with them; then new pivots are searched (klu_factor). */
typedef struct sal_pair { /* an entry of M above, on or below the diagonal; its mirror image is implied */
    int i, j;
} sal_pair;

typedef struct sal_pattern {
    int   n, m, size; /* size = n + m */
    int   nnz;
    int  *Ap, *Ai; /* compressed columns */
    int  *mass[2]; /* position of each pair and of its mirror image; -1: not in q */
    int   nmass;
    int  *row, *column;  /* of A: entry k of row r is in column[k], row[r] <= k < row[r+1] */
    int  *lower, *upper; /* position of each entry of A, and of A^T */
    int   nentry;
    int  *diagonal; /* position of each diagonal entry */
    void *symbolic; /* klu_symbolic: see sparse.h */
} sal_pattern;

/* Rows of A: entry k of row r is in column c[k], p[r] <= k < p[r+1]. Pairs outside 0..n-1 are skipped.
 * SAL_OK, SAL_ERR_MEMORY. */
sal_status sal_pattern_create(sal_pool *pool, int n, const sal_pair *pairs, int npairs, int m, const int *p,
                              const int *c, sal_pattern *pattern);
void       sal_pattern_free(sal_pattern *pattern); /* the symbolic analysis; the rest is the pool's */

typedef struct sal_kkt {
    const sal_pattern  *pattern;
    double             *Ax;
    double             *scale;    /* [size] S */
    double             *factor;   /* [nentry] of S for each entry of A */
    double             *work;     /* [2 * size] */
    void               *numeric;  /* klu_numeric; NULL: nothing has been factored */
    void               *common;   /* klu_common */
    struct sal_factors *factors;  /* of block.c */
    bool                unpacked; /* they are those of numeric */
    double             *pivoted;  /* [nnz] the matrix that the pivots were chosen for */
    double              rcond;    /* of the last full factorisation */
    bool                starved;  /* there was no memory once: no factorisation succeeds until sal_kkt_start_anew */
    double              now;      /* of the last one */
    long                factorizations, full;
} sal_kkt;

sal_status sal_kkt_init(sal_kkt *kkt, const sal_pattern *pattern, sal_pool *pool);
void       sal_kkt_free(sal_kkt *kkt);

/* Chooses S for this M and this A, and sets M: by its pairs, or by its diagonal alone (NULL: 1). */
void sal_kkt_equilibrate(sal_kkt *kkt, const double *value, const double *entry);
void sal_kkt_equilibrate_diagonal(sal_kkt *kkt, const double *diagonal, const double *entry);
void sal_kkt_set_rows(sal_kkt *kkt, const double *entry); /* A, in the order of the pattern */
/* A coupling: row r acts along a_r + factor a_s, and row s not at all. K is not symmetric then. Both rows have
 * the same columns. After sal_kkt_set_rows. */
void sal_kkt_couple(sal_kkt *kkt, const double *entry, int r, int s, double factor);
/* Row r neither holds nor acts. After sal_kkt_set_rows. */
void sal_kkt_clear_row(sal_kkt *kkt, int r);
/* D, m numbers (NULL: zero); rows that do not hold (`on` false; NULL: all do) get one that makes their unknown zero. */
void sal_kkt_set_corner(sal_kkt *kkt, const double *d, const bool *on);
/* D = -eps S^-2, so small that it only lets rows pass that depend on each other; see sal_kkt_solve_exact. */
void sal_kkt_regularize(sal_kkt *kkt, double eps, const bool *on);
/* The same with eps by rows. */
void sal_kkt_soften(sal_kkt *kkt, const double *eps, const bool *on);
/* The pivots found last are of no use any more: other rows hold. */
void sal_kkt_forget(sal_kkt *kkt);
/* The largest |K_ij - K_ji|, K as it is solved; slow. */
double sal_kkt_asymmetry(const sal_kkt *kkt);
void   sal_kkt_start_anew(sal_kkt *kkt); /* forgets, and has not lacked memory */
/* With Ax, pivoted, scale, factor and rcond those of another kkt of the pattern: finds its pivots again. */
sal_status sal_kkt_restore(sal_kkt *kkt);

/* SAL_OK, SAL_ERR_SINGULAR (nothing can be solved), SAL_ERR_MEMORY. */
sal_status sal_kkt_factor(sal_kkt *kkt);
/* What K as it is set sees least of, sigma^2, about: pivots may be worse than K is. 0: it is singular. Changes nothing.
 */
double sal_kkt_least_seen(sal_kkt *kkt);
/* The same with D = -eps S^-2; should that be too little for the pivots there are, a hundred times as much, twice at
 * most. For sal_kkt_solve_exact, which leaves no trace of it. */
sal_status sal_kkt_factor_regular(sal_kkt *kkt, double eps, const bool *on);
void       sal_kkt_solve(sal_kkt *kkt, double *b, int columns); /* b [columns * size] is replaced by the solution */
/* The same of right-hand sides that lie side by side: x [n][columns] and y [m][columns]. False: nothing has been done,
 * as they are few. */
bool sal_kkt_solve_rows(sal_kkt *kkt, double *x, double *y, int columns);
/* The same with D = 0 although the factors are those of a regularised matrix: solves, then again for what is left,
 * twice and as long as that helps. */
void sal_kkt_solve_exact(sal_kkt *kkt, double *b, int columns);
/* And of the multipliers that depend on each other the least, in the measure of the corner, without the errors that
 * rounding / corner makes. */
void sal_kkt_solve_least(sal_kkt *kkt, double *b, int columns);
/* Both where K, or K^T, is almost singular: what K makes of a multiplier, sigma, is solved where it is well above the
 * corner and left out where it is below, (D/(sigma + D))^9 of it, so that rounding is not divided by it. `least` as
 * above. */
void sal_kkt_solve_smooth(sal_kkt *kkt, bool transposed, bool least, double *b, int columns);
/* The corner of row r, D_rr. */
double sal_kkt_corner(const sal_kkt *kkt, int r);
/* Solves with the corner; of the solution nothing is left but the multipliers that K without it does not see. */
void sal_kkt_solve_unseen(sal_kkt *kkt, double *b, int columns);
void sal_kkt_solve_unseen_transposed(sal_kkt *kkt, double *b, int columns);
/* With K^T, by the same factors. It differs from K where friction slides. */
void sal_kkt_solve_transposed(sal_kkt *kkt, double *b, int columns);

/* A null vector of K [size] as it stands now: which unknowns are not determined. In units of S, the largest is 1. Zero:
 * there is none. */
sal_status sal_kkt_null(const sal_kkt *kkt, sal_pool *pool, double *null);

/* ------------------------------------------------------------------------------------------------------------ */

/* the matrices of an implicit step.
 *
 * The motion q' = v, K [v'; lambda] = R(q, v) has the Jacobian J; with A0 = R_q - K_q [a; lambda] and A1 = R_v, a and
 * lambda held, J need not be formed. (g I - J)^-1 r with dv = g dq - r_q and the unknown w = g^2 dq:
 *
 *     (K - [A1/g + A0/g^2, 0]) [w; dlambda] = K [g r_q + r_v; 0] - A1 r_q
 *
 * And with B in place of g, for all stages together, each with J of its own:  sum_j B_ij x_j - J_i x_i = r_i  by
 *
 *     sum_j (BB_ij K_i - B_ij A1_i - d_ij A0_i) dq_j + [A^T; D]_i dlambda_i = K_i (sum_j B_ij r_qj + r_vi) - A1_i r_qi
 *
 * A0 and A1 are found a colour of columns at a time. The metric of the step is that of its upper left block: what is
 * stiff is not moved by what corrects rounding, as it would be in that of the masses (projections):
 *
 *     [M - A1/g - A0/g^2  A^T; A D] */
enum { SAL_STAGES = 3 };

typedef struct sal_shift_at { /* at a state */
    double *K, *A0, *A1;      /* [nnz] */
} sal_shift_at;

typedef struct sal_shift {
    sal_pattern  pattern, all;       /* of K, and of what forces couple besides; of all stages */
    int         *place;              /* where the entries of K are in it */
    int          colours, *colour;   /* [n] of the columns */
    sal_shift_at at[SAL_STAGES + 1]; /* of stages, and of the beginning of the step */
    sal_kkt      real, metric, stages;
    double       g, B[SAL_STAGES][SAL_STAGES]; /* as factored last */
    double      *work;
} sal_shift;

/* `motion`: the pattern of K; pairs and rows (p, c): all that it has, and all columns of A0 and A1. */
sal_status sal_shift_init(sal_shift *x, const sal_pattern *motion, const sal_pair *pairs, int npairs, const int *p,
                          const int *c, sal_pool *pool);
void       sal_shift_free(sal_shift *x);
/* At the beginning of a step, with the S of K. */
void sal_shift_begin(sal_shift *x, const sal_kkt *kkt);
/* Of a stage, or the beginning (SAL_STAGES): K as it stands; then A0 and A1, by the change of R along all columns of a
 * colour, [2 colours][size]: q, then v. A stage may be like the beginning. */
void sal_shift_take(sal_shift *x, int place, const sal_kkt *kkt);
void sal_shift_differentiate(sal_shift *x, int place, const double *change);
void sal_shift_copy(sal_shift *x, int from, int to);
/* Factors at the beginning for g; then those of the metric, with the rows that K has now, and of all stages. As
 * sal_kkt_factor. */
sal_status sal_shift_factor(sal_shift *x, double g);
sal_status sal_shift_factor_metric(sal_shift *x, const sal_kkt *kkt);
sal_status sal_shift_factor_stages(sal_shift *x, const double (*B)[SAL_STAGES]);
/* r = [q; v], [n] each, is replaced by the solution; of stages [SAL_STAGES]. */
void sal_shift_solve(sal_shift *x, double *q, double *v);
/* The same with the J of one place alone, in what projections are made with later. */
sal_status sal_shift_relax(sal_shift *x, int place, double g, double *q, double *v);
void       sal_shift_solve_stages(sal_shift *x, double *const *q, double *const *v);

/* ------------------------------------------------------------------------------------------------------------ */

/* how many rows are independent: the one decision.
 *
 *     A^T P = Q [R11 R12; 0 R22],  |r_11| >= |r_22| >= ...      rows of A scaled to length 1; QR with column pivoting
 *     rank = the number of |r_kk| > SAL_DEPENDENT               what a row has beyond the span of those before it
 *     A x = 0  for x in the span of the columns of Q behind the first `rank`
 *
 * Units do not matter: coordinates are lengths all alike, and what a row measures is scaled away. Whoever wants to know
 * which rows or which coordinates chooses them by a rule of its own (partition.c: pivots for accuracy; structure.c: the
 * earlier of two rows), from the same scaled rows, and exactly this many of them: so all agree.
 */

typedef struct sal_rank {
    int     n, most; /* length of a row, the most rows */
    double *row;     /* [max(n, most)][n] rows, one after the other; sal_rank_find leaves nothing of them */
    double *tau, *work;
    int    *pivot, lwork;
} sal_rank;

sal_status sal_rank_init(sal_rank *r, sal_pool *pool, int n, int most);
/* Scales a row [n] to length 1, unless it is zero; gives the length that it had. */
double sal_rank_scale(double *row, int n);
/* The rank of the first `rows` rows, of any length. basis [n - rank][n], or NULL: orthonormal x with A x = 0. */
int sal_rank_find(sal_rank *r, int rows, double *basis);

/* ------------------------------------------------------------------------------------------------------------ */

/* small dense problems of cycles, by LAPACK. Matrices are by columns. */
typedef struct sal_dense {
    int     size;            /* largest order of a matrix */
    double *a, *b, *c;       /* [size * size] */
    double *singular, *work; /* [size], [lwork] */
    double *re, *im;         /* [size] */
    int    *iwork;
    int     lwork;
} sal_dense;

/* For matrices up to size x size and that many right-hand sides. */
sal_status sal_dense_init(sal_dense *d, sal_pool *pool, int size, int columns);

/* The shortest x with the least |A x - b|; singular values below `cut` times the largest count as zero. a is lost, b
 * [columns][n] becomes x. *rank as found. SAL_ERR_NUMBER: not finite. */
sal_status sal_dense_solve(sal_dense *d, int n, double *a, int columns, double *b, double cut, int *rank);

/* The eigenvalues of a that are not zero, by size: re and im get *count of them, complex pairs side by side. Zeros that
 * belong to the null space of a, however deep, are taken out first, by singular values: as eigenvalues of Jordan blocks
 * they would come out as large as the root of a rounding error. SAL_ERR_NUMBER: not finite. */
sal_status sal_dense_spectrum(sal_dense *d, int n, const double *a, double *re, double *im, int *count);

/* ------------------------------------------------------------------------------------------------------------ */

/* linear complementarity problems, small and dense, by Lemke's method with lexicographic ties:
 *
 *     w = M z + q,   w >= 0,   z >= 0,   w z = 0          q = q + eps q1 with eps -> 0+ where q leaves it open
 *
 * M and q are of size 1 where they are not zero, which is for the caller to see to. A copositive M has a solution that
 * is found if z.q >= 0 for all z >= 0 with M z >= 0 and z.M z = 0 (Cottle, Pang, Stone: The Linear Complementarity
 * Problem, 4.4). Where none is found, other vectors d of w = M z + q + d z0 are tried before that is believed. */
typedef struct sal_lcp {
    int     n, room;
    double *M;              /* [n][n] by rows */
    double *q, *q1;         /* [n] */
    double *z, *z1;         /* [n] the solution, z + eps z1 */
    double *w;              /* [n] */
    double *hard, *hard1;   /* [n] while it is made soft: q, q1 without that */
    double *about, *about1; /* [n] z, z1 around which it is */
    double *last;           /* [n] w of the last soft problem that was solved */
    bool    solvable;       /* given: there is a solution, and where rounding hides it one of a soft problem will do */
    bool    soft;           /* z and w are such */
    long    pivots;         /* of the last solve */
    double  tie, least;     /* what counts as equal, and the least pivot */
    double *table;          /* the dictionary */
    double *square;         /* workspace */
    int    *basic, *nonbasic, *place, *list;
} sal_lcp;

sal_status sal_lcp_init(sal_lcp *l, sal_pool *pool, int room);
/* SAL_OK; SAL_END: none was found, on a ray; SAL_STOPPED, SAL_ERR_LIMIT by the watch. */
sal_status sal_lcp_solve(sal_lcp *l, int n, const sal_watch *watch);

#endif
