/* statics.h - equilibria and modes of scenes, by name. */
#ifndef SAL_TESTS_STATICS_H
#define SAL_TESTS_STATICS_H

#include "tests/support.h"

/* The equilibrium, derivatives with respect to all parameters. */
static inline sal_equilibrium *equilibrium_of(rig *r, const sal_setting *set, int nset)
{
    sal_equilibrium_opts opts = sal_equilibrium_defaults();
    const char          *wrt[16];
    sal_equilibrium     *e;

    opts.run.set  = set;
    opts.run.nset = nset;
    opts.run.wrt  = wrt;
    opts.run.nwrt = sal_model_get_info(r->model).parameters;
    assert_true(opts.run.nwrt <= 16);
    for (int k = 0; k < opts.run.nwrt; k++) wrt[k] = sal_model_parameter(r->model, k);
    if (sal_equilibrium_create(r->model, &opts, &e) != SAL_OK) fail_msg("%s", sal_message(r->context));
    if (sal_equilibrium_find(e) != SAL_OK) fail_msg("%s", sal_message(r->context));
    return e;
}

static inline sal_modes *modes_of(rig *r, sal_equilibrium *e)
{
    sal_modes *modes;

    if (sal_modes_create(e, &modes) != SAL_OK) fail_msg("%s", sal_message(r->context));
    return modes;
}

static inline sal_mode mode_at(const sal_modes *modes, int index)
{
    sal_mode mode;

    assert_true(sal_modes_mode(modes, index, &mode));
    return mode;
}

static inline int coordinate(const rig *r, const char *name)
{
    for (int k = 0; sal_model_coordinate(r->model, k); k++) {
        if (!strcmp(sal_model_coordinate(r->model, k), name)) return k;
    }
    fail_msg("no coordinate %s", name);
    return -1;
}

static inline double q_of(const rig *r, const sal_equilibrium *e, const char *name)
{
    return sal_equilibrium_q(e)[coordinate(r, name)];
}

static inline int parameter(const sal_equilibrium *e, const char *name)
{
    for (int c = 0; c < sal_equilibrium_wrt_count(e); c++) {
        if (!strcmp(sal_equilibrium_wrt(e, c), name)) return c;
    }
    fail_msg("no parameter %s", name);
    return -1;
}

static inline double dq_of(const rig *r, const sal_equilibrium *e, const char *name, const char *wrt)
{
    return sal_equilibrium_q_gradients(e)[coordinate(r, name) * sal_equilibrium_wrt_count(e) + parameter(e, wrt)];
}

/* d(frequency) and d(damping ratio) of a mode. */
static inline void gradient_of(const sal_modes *modes, const sal_equilibrium *e, int index, const char *wrt, double *df,
                               double *dz)
{
    double f[16], z[16];

    assert_true(sal_modes_gradient(modes, index, NULL, NULL, f, z));
    *df = f[parameter(e, wrt)];
    *dz = z[parameter(e, wrt)];
}

#define PARALLELOGRAM(more)                                                                                            \
    "'parameters': { 'rod': 1 },"                                                                                      \
    "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [2, 0], 'fixed': true },"                          \
    "            'E': { 'at': [0.7, 0], 'fixed': true }, 'P': { 'at': ['1*0.6', 0.8] }, 'Q': { 'at': [2.6, 0.8] } },"  \
    "'bodies': { 'left': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 1 },"                             \
    "            'right': { 'type': 'bar', 'points': ['B', 'Q'], 'mass': 1, 'length': 1 },"                            \
    "            'coupler': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1, 'length': 2, 'markers': { 'mid': [0.7, " \
    "0] } } },"                                                                                                        \
    "'joints': { 'push': { 'type': 'spring', 'points': ['B', 'P'], 'stiffness': 3, 'length': 1 }" more " },"           \
    "'simulation': { 'duration': 1 }"

#define SECOND ", 'second': { 'type': 'distance', 'points': ['E', 'mid'], 'length': 'rod' }"

#define HANGING                                                                                                   \
    "'parameters': { 'm': 2, 'k': 50, 'l': 0.7, 'g': 9.81, 'c': 1.5, 'x': 0.4, 'y': 0.3 }, 'gravity': [0, '-g']," \
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': ['x', 'y'] } },"                              \
    "'bodies': { 'mass': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"                                  \
    "'joints': { 'spring': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 'k', 'length': 'l',"            \
    "                        'damping': 'c' } }"

#endif
