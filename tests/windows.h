/* windows.h - N four-bars side by side, which go flat together in every turn, and the one equation that they obey.
 *
 * Cranks i = 0..N of 1 m stand on (i, 0), tops (i, 1), coupled by N bars of 1 m; all bars 1 kg. As long as they stay
 * parallel, theta from the vertical,
 *
 *     theta'' = k sin theta,    k = g ((N+1)/2 + N) / ((N+1)/3 + N)
 *
 * and with s = d theta/d(speed at the top), r = d theta/dg:  s'' = k cos theta s,  r'' = k cos theta r + k/g sin theta.
 *
 * One crank of mass N+1 with a mass N at its tip obeys it as well, carries the same energy, and never goes flat: what
 * steps make of the equation itself, which is unstable at the top.
 */
#ifndef SAL_TESTS_WINDOWS_H
#define SAL_TESTS_WINDOWS_H

#include "tests/frames.h"

enum { WINDOWS_MOST = 100 };

typedef struct window_motion { /* theta, and its derivatives by g and by the speed; their rates */
    double theta, by_g, by_speed, rate, rate_by_g, rate_by_speed;
} window_motion;

static inline double windows_k(int n, double g)
{
    const double cranks = n + 1;

    return g * (cranks / 2.0 + n) / (cranks / 3.0 + n);
}

/* coupler: the length of the first of them, 1 for a mechanism that goes flat. To be freed. */
static inline char *windows_text(int n, double speed, double coupler, const char *simulation)
{
    const size_t room = 1024 + 512 * (size_t)(n + 1);
    char        *text = malloc(room);
    size_t       used;

    assert_non_null(text);
    used = (size_t)snprintf(text, room,
                            "'gravity': [0, '-g'], 'parameters': { 'g': 9.81, 'u': %.17g, 'd': %.17g }, 'points': {",
                            speed, coupler);
    for (int i = 0; i <= n; i++)
        used += (size_t)snprintf(text + used, room - used,
                                 "%s'O%d': { 'at': [%d, 0], 'fixed': true },"
                                 "'P%d': { 'at': ['%d%s', 1], 'velocity': ['u', 0] }",
                                 i ? "," : "", i, i, i, i, i ? " + d - 1" : "");
    used += (size_t)snprintf(text + used, room - used, "}, 'bodies': {");
    for (int i = 0; i <= n; i++)
        used += (size_t)snprintf(text + used, room - used,
                                 "%s'crank%d': { 'type': 'bar', 'points': ['O%d', 'P%d'], 'mass': 1, 'length': 1 }",
                                 i ? "," : "", i, i, i);
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, room - used,
                                 ",'coupler%d': { 'type': 'bar', 'points': ['P%d', 'P%d'], 'mass': 1, 'length': '%s' }",
                                 i, i, i + 1, i ? "1" : "d");
    snprintf(text + used, room - used, "}, 'simulation': { %s }", simulation);
    return text;
}

static inline rig windows_load(int n, double speed, double coupler, const char *simulation)
{
    char *text = windows_text(n, speed, coupler, simulation);
    rig   r    = rig_load(text);

    free(text);
    return r;
}

/* That crank; to be freed. */
static inline char *windows_text_alone(int n, double speed, const char *simulation)
{
    const size_t room = 1024;
    char        *text = malloc(room);

    assert_non_null(text);
    snprintf(text, room,
             "'gravity': [0, '-g'], 'parameters': { 'g': 9.81, 'u': %.17g },"
             "'points': { 'O0': { 'at': [0, 0], 'fixed': true }, 'P0': { 'at': [0, 1], 'velocity': ['u', 0] } },"
             "'bodies': { 'crank0': { 'type': 'bar', 'points': ['O0', 'P0'], 'mass': %d, 'length': 1 },"
             "            'couplers': { 'type': 'point_mass', 'point': 'P0', 'mass': %d } },"
             "'simulation': { %s }",
             speed, n + 1, n, simulation);
    return text;
}

static inline rig windows_load_alone(int n, double speed, const char *simulation)
{
    char *text = windows_text_alone(n, speed, simulation);
    rig   r    = rig_load(text);

    free(text);
    return r;
}

static inline void window_rates(int n, const double *y, double *f)
{
    const double k = windows_k(n, 9.81);

    for (int i = 0; i < 3; i++) f[i] = y[3 + i];
    f[3] = k * sin(y[0]);
    f[4] = k * cos(y[0]) * y[1] + k / 9.81 * sin(y[0]);
    f[5] = k * cos(y[0]) * y[2];
}

/* At t, by steps of 2 ms of order 8: Gragg's rule with 2, 4, 6, 8 halves, extrapolated. */
static inline window_motion windows_exact(int n, double speed, double t)
{
    enum { SIZE = 6, LEVELS = 4 };
    const int    steps   = (int)ceil(t / 2e-3);
    const double H       = t / steps;
    double       y[SIZE] = { 0.0, 0.0, 0.0, speed, 0.0, 1.0 };

    for (int step = 0; step < steps; step++) {
        double table[LEVELS][SIZE];
        for (int j = 0; j < LEVELS; j++) {
            const double h = H / (2 * (j + 1));
            double       a[SIZE], b[SIZE], f[SIZE], c[SIZE];
            memcpy(a, y, sizeof a);
            window_rates(n, a, f);
            for (int i = 0; i < SIZE; i++) b[i] = a[i] + h * f[i];
            for (int s = 1; s < 2 * (j + 1); s++) {
                window_rates(n, b, f);
                for (int i = 0; i < SIZE; i++) c[i] = a[i] + 2.0 * h * f[i];
                memcpy(a, b, sizeof a);
                memcpy(b, c, sizeof b);
            }
            window_rates(n, b, f);
            for (int i = 0; i < SIZE; i++) table[j][i] = 0.5 * (a[i] + b[i] + h * f[i]);
            for (int l = j - 1; l >= 0; l--) {
                const double ratio = (double)(j + 1) / (l + 1);
                for (int i = 0; i < SIZE; i++)
                    table[l][i] = table[l + 1][i] + (table[l + 1][i] - table[l][i]) / (ratio * ratio - 1.0);
            }
        }
        memcpy(y, table[0], sizeof y);
    }
    return (window_motion){ y[0], y[1], y[2], y[3], y[4], y[5] };
}

/* What the tops are off by, the largest, in the unit of the scene as it was. */
static inline double windows_error_in(frame f, const sal_run *run, int n, double theta)
{
    double most = 0.0;

    for (int i = 0; i <= n; i++) {
        char   name[16];
        double at[2], x[2];
        snprintf(name, sizeof name, "P%d", i);
        assert_int_equal(sal_run_point(run, name, at, NULL), SAL_OK);
        frame_back(f, at, x);
        most = fmax(most, fmax(fabs(x[0] - i - sin(theta)), fabs(x[1] - cos(theta))));
    }
    return most;
}

static inline double windows_error(const sal_run *run, int n, double theta)
{
    return windows_error_in((frame){ 0.0, 1.0, 1.0 }, run, n, theta);
}

#endif
