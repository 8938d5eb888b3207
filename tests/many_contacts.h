/* many_contacts.h - scenes with many contacts, written as text: what bench_contacts times and test_piles judges.
 *
 *     sledge    a rigid body on 100 points        pyramid   discs in rows, the top one falls onto the others
 *     wall      ten boxes, one on the other, and a ball that hits them
 *     chain     fifty links that fall on the ground
 *     terrain   a box that slides and tumbles over stairs of any number of segments */
#ifndef SAL_TESTS_MANY_CONTACTS_H
#define SAL_TESTS_MANY_CONTACTS_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SLEDGE_POINTS = 100, BOXES = 10, LINKS = 50 };

typedef struct scene_text {
    char  *at;
    size_t used, room;
} scene_text;

/* Appends, with ' in place of ". */
__attribute__((format(printf, 2, 3))) static inline void add(scene_text *x, const char *format, ...)
{
    for (;;) {
        va_list list;
        va_start(list, format);
        const int size = vsnprintf(x->at + x->used, x->room - x->used, format, list);
        va_end(list);
        if ((size_t)size < x->room - x->used) {
            for (size_t k = x->used; k < x->used + (size_t)size; k++) x->at[k] = x->at[k] == '\'' ? '"' : x->at[k];
            x->used += (size_t)size;
            return;
        }
        x->room = 2 * x->room + (size_t)size + 1;
        x->at   = realloc(x->at, x->room);
        if (!x->at) abort();
    }
}

/* --------------------------------------------------------------------------------------- the sledge */

typedef struct sledge {
    double height, tilt; /* of its left end, and the angle of its line of points */
    double vx, vy;
    double push; /* N/s along x, on the line of points */
    double duration;
} sledge;

/* 10 kg, 1 kg m^2, its centre at (0.45, 0.1) over the line of 1 m, mu 0.5 and 0.4. */
static inline void write_sledge(scene_text *x, sledge s)
{
    const double c = cos(s.tilt), d = sin(s.tilt);

    add(x, "{ 'saltus': 1, 'points': { 'P0': { 'at': [0, %.17g], 'velocity': [%.17g, %.17g] },", s.height, s.vx, s.vy);
    add(x, "  'P%d': { 'at': [%.17g, %.17g], 'velocity': [%.17g, %.17g] } },", SLEDGE_POINTS - 1, c, s.height + d, s.vx,
        s.vy);
    add(x, "'bodies': { 'sledge': { 'type': 'rigid', 'points': ['P0', 'P%d'], 'length': 1, 'mass': 10,",
        SLEDGE_POINTS - 1);
    add(x, "  'centre': [0.45, 0.1], 'inertia': 1, 'markers': { ");
    for (int k = 1; k < SLEDGE_POINTS - 1; k++)
        add(x, "%s'P%d': [%.17g, 0]", k > 1 ? ", " : "", k, k / (SLEDGE_POINTS - 1.0));
    add(x, " } } }, 'joints': { 'push': { 'type': 'force', 'point': 'P0', 'fx': '%.17g*t', 'fy': '0' } },", s.push);
    add(x, "'contacts': { 'floor': { 'type': 'ground', 'mu_static': 0.5, 'mu_kinetic': 0.4, 'points': [");
    for (int k = 0; k < SLEDGE_POINTS; k++) add(x, "%s'P%d'", k ? ", " : "", k);
    add(x, "] } }, 'simulation': { 'duration': %.17g } }", s.duration);
}

/* -------------------------------------------------------------------------------------- the pyramid */

typedef struct pyramid {
    int    rows;
    double mu, restitution;
    double lift;    /* of the top disc over its place */
    double drop;    /* of all discs over the floor */
    double x, unit; /* where it stands; lengths of the scene per metre */
    bool   mirrored;
} pyramid;

/* The one that is asked for: friction 0.5, restitution 0.2, its top a radius above its place. */
static inline pyramid a_pyramid(int rows)
{
    return (pyramid){ .rows = rows, .mu = 0.5, .restitution = 0.2, .lift = 0.1, .unit = 1.0 };
}

static inline double pyramid_x(pyramid p, double x)
{
    return p.unit * (p.x + (p.mirrored ? 0.1 * (2 * p.rows - 2) - x : x));
}

/* Walls that stand to the left and to the right of the lowest row. */
static inline void write_pyramid_walls(scene_text *x, pyramid p)
{
    const double left = p.unit * (p.x - 0.1), right = p.unit * (p.x + 0.1 * (2 * p.rows - 1));

    add(x, "{ 'saltus': 1, 'gravity': [0, %.17g], 'points': {", -9.81 * p.unit);
    add(x, " 'W0': { 'at': [%.17g, 0], 'fixed': true }, 'W1': { 'at': [%.17g, %.17g], 'fixed': true },", left, left,
        -p.unit);
    add(x, " 'V0': { 'at': [%.17g, %.17g], 'fixed': true }, 'V1': { 'at': [%.17g, 0], 'fixed': true }", right, -p.unit,
        right);
}

/* Discs of radius 0.1, row by row, between two walls; the top one a little above its place. */
static inline void write_pyramid(scene_text *x, pyramid p)
{
    const int    rows = p.rows;
    const double r = 0.1, step = sqrt(3.0) * r, R = p.unit * r;
    char         law[128];

    snprintf(law, sizeof law, "'mu_static': %.17g, 'restitution': %.17g", p.mu, p.restitution);
    write_pyramid_walls(x, p);
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < rows - i; k++)
            add(x, ", 'D%d_%d': { 'at': [%.17g, %.17g], 'velocity': [0, 0] }", i, k, pyramid_x(p, r * (i + 2 * k)),
                p.unit * (r + step * i + p.drop + (i == rows - 1 ? p.lift : 0.0)));
    }
    add(x, " }, 'bodies': { ");
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < rows - i; k++)
            add(x, "%s'B%d_%d': { 'type': 'point_mass', 'point': 'D%d_%d', 'mass': 1 }", i + k ? ", " : "", i, k, i, k);
    }
    add(x, " }, 'contacts': { ");
    for (int i = 0; i + 1 < rows; i++) {
        for (int k = 0; k < 2 * (rows - i - 1); k++)
            add(x, "'c%d_%d': { 'type': 'discs', 'points': ['D%d_%d', 'D%d_%d'], 'radii': [%.17g, %.17g], %s }, ", i, k,
                i, (k + 1) / 2, i + 1, k / 2, R, R, law);
    }
    for (int k = 0; k + 1 < rows; k++)
        add(x, "'h%d': { 'type': 'discs', 'points': ['D0_%d', 'D0_%d'], 'radii': [%.17g, %.17g], %s }, ", k, k, k + 1,
            R, R, law);
    add(x, "'left': { 'type': 'edge', 'points': ['D0_%d'], 'line': ['W0', 'W1'], 'radius': %.17g, %s },",
        p.mirrored ? rows - 1 : 0, R, law);
    add(x, "'right': { 'type': 'edge', 'points': ['D0_%d'], 'line': ['V0', 'V1'], 'radius': %.17g, %s },",
        p.mirrored ? 0 : rows - 1, R, law);
    add(x, "'floor': { 'type': 'ground', 'radius': %.17g, %s, 'points': [", R, law);
    for (int k = 0; k < rows; k++) add(x, "%s'D0_%d'", k ? ", " : "", k);
    add(x, "] } }, 'simulation': { 'duration': 0.5 } }");
}

/* ----------------------------------------------------------------------------------------- the wall */

/* Boxes 0.1 m high, each a little narrower than the one below: the corners of one touch the edge of the other. Those
 * next to each other can touch, all can touch the ground, and the ball the left side of all. */
static inline void write_wall(scene_text *x, double restitution)
{
    const double high = 0.1;
    char         law[64];

    snprintf(law, sizeof law, "'mu_static': 0.5, 'restitution': %.17g", restitution);
    add(x, "{ 'saltus': 1, 'points': { 'O': { 'at': [-0.6, 0.55], 'velocity': [4, 1] }");
    for (int k = 0; k < BOXES; k++) {
        const double half = 0.15 - 0.004 * k;
        add(x, ", 'A%d': { 'at': [%.17g, %.17g], 'velocity': [0, 0] }", k, -half, high * k);
        add(x, ", 'B%d': { 'at': [%.17g, %.17g], 'velocity': [0, 0] }", k, half, high * k);
    }
    add(x, " }, 'bodies': { 'ball': { 'type': 'point_mass', 'point': 'O', 'mass': 1 }");
    for (int k = 0; k < BOXES; k++) {
        const double wide = 0.3 - 0.008 * k;
        add(x, ", 'box%d': { 'type': 'rigid', 'points': ['A%d', 'B%d'], 'length': %.17g, 'mass': %.17g,", k, k, k, wide,
            10 * wide);
        add(x, " 'centre': [%.17g, %.17g], 'inertia': %.17g,", 0.5 * wide, 0.5 * high,
            10 * wide * (wide * wide + high * high) / 12);
        add(x, " 'markers': { 'C%d': [%.17g, %g], 'D%d': [0, %g] } }", k, wide, high, k, high);
    }
    add(x, " }, 'contacts': { 'floor': { 'type': 'ground', %s, 'points': [", law);
    for (int k = 0; k < BOXES; k++) add(x, "%s'A%d', 'B%d', 'C%d', 'D%d'", k ? ", " : "", k, k, k, k);
    add(x, "] }, 'drop': { 'type': 'ground', 'points': ['O'], 'radius': 0.08, %s }", law);
    for (int k = 0; k < BOXES; k++) {
        add(x, ", 'hit%d': { 'type': 'edge', 'points': ['O'], 'line': ['A%d', 'D%d'], 'radius': 0.08, %s }", k, k, k,
            law);
        if (k == 0) continue;
        add(x, ", 'on%d': { 'type': 'edge', 'points': ['A%d', 'B%d'], 'line': ['D%d', 'C%d'], %s }", k, k, k, k - 1,
            k - 1, law);
        add(x, ", 'under%d': { 'type': 'edge', 'points': ['C%d', 'D%d'], 'line': ['B%d', 'A%d'], %s }", k, k - 1, k - 1,
            k, k, law);
    }
    add(x, " }, 'simulation': { 'duration': 0.6 } }");
}

/* ---------------------------------------------------------------------------------------- the chain */

/* Links of 0.1 m in a wave; `wave` 0: straight and level, so that all land at once. */
static inline void write_chain(scene_text *x, double wave)
{
    double at[2] = { 0.0, 0.3 };

    add(x, "{ 'saltus': 1, 'points': { ");
    for (int k = 0; k <= LINKS; k++) {
        const double angle = wave * cos(0.37 * k + 0.2);
        add(x, "%s'P%d': { 'at': [%.17g, %.17g], 'velocity': [1, 0] }", k ? ", " : "", k, at[0], at[1]);
        at[0] += 0.1 * cos(angle);
        at[1] += 0.1 * sin(angle);
    }
    add(x, " }, 'bodies': { ");
    for (int k = 0; k < LINKS; k++)
        add(x, "%s'L%d': { 'type': 'bar', 'points': ['P%d', 'P%d'], 'length': 0.1, 'mass': 0.1 }", k ? ", " : "", k, k,
            k + 1);
    add(x, " }, 'contacts': { 'floor': { 'type': 'ground', 'mu_static': 0.5, 'mu_kinetic': 0.4, 'points': [");
    for (int k = 0; k <= LINKS; k++) add(x, "%s'P%d'", k ? ", " : "", k);
    add(x, "] } }, 'simulation': { 'duration': 0.6 } }");
}

/* -------------------------------------------------------------------------------------- the terrain */

/* Stairs 1 m wide, of n segments: what is far away costs nothing. */
static inline void write_terrain(scene_text *x, int n)
{
    add(x, "{ 'saltus': 1, 'points': { 'A': { 'at': [-1, 0.5], 'velocity': [3, 0] }, 'B': { 'at': [-0.5, 0.5] } },");
    add(x, "'bodies': { 'box': { 'type': 'rigid', 'points': ['A', 'B'], 'mass': 1, 'centre': [0.25, 0.15],");
    add(x, "  'inertia': 0.03, 'markers': { 'C': [0.5, 0.3], 'D': [0, 0.3] } } },");
    add(x, "'contacts': { 'way': { 'type': 'ground', 'mu_static': 0.4, 'restitution': 0.2, 'outline': ['A', 'B', 'C', "
           "'D'], 'line': [[-9, 0]");
    for (int k = 0; k < n; k++) add(x, ", [%d, %.17g]", (k + 1) / 2, -0.3 * (k / 2));
    add(x, "] } }, 'simulation': { 'duration': 4 } }");
}

#endif
