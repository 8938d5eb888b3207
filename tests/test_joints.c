/* test_joints.c - every joint and force element, none left out:
 *
 *     at rest       reactions against statics done by hand
 *     in motion     drift of the constraints and of the energy
 *     again         the same joint rebuilt from expressions has the same accelerations and multipliers, anywhere
 *     derivatives   of a run with respect to parameters, against differences
 *
 * Gravity is 9.81 where a scene does not say otherwise. */
#include "engine/scene/registry.h"
#include "tests/support.h"

#include "tests/counting.h"

#define G 9.81

static rig rig_at_rest(const char *text)
{
    rig r = rig_start(text);

    for (int k = 0; k < r.model->n; k++) assert_near(sal_run_a(r.run)[k], 0.0, 1e-9);
    return r;
}

/* --------------------------------------------------------------------------------------- at rest */

/* A lever hangs in a rod at its end and carries a weight in its slot, which another rod keeps in place. */
static void slot_at_rest(void **state)
{
    static const char scene[] =
        "'parameters': { 'a': 0.3 },"
        "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'E': { 'at': ['1.5*cos(a)', '1.5*sin(a)'] },"
        "  'P': { 'at': ['0.9*cos(a)', '0.9*sin(a)'] }, 'W': { 'at': [-1, '0.9*sin(a)'], 'fixed': true },"
        "  'H': { 'at': ['1.5*cos(a)', 3], 'fixed': true } },"
        "'bodies': { 'lever': { 'type': 'bar', 'points': ['O', 'E'], 'mass': 5 },"
        "  'weight': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
        "'joints': { 'j': { 'type': 'slot', 'point': 'P', 'line': ['O', 'E'] },"
        "  'k': { 'type': 'distance', 'points': ['W', 'P'], 'length': '1 + 0.9*cos(a)' },"
        "  'h': { 'type': 'distance', 'points': ['H', 'E'], 'length': '3 - 1.5*sin(a)' } }";
    const double a = 0.3, m = 2, M = 5, L = 1.5, s = 0.9, N = m * G / cos(a);
    rig          r = rig_at_rest(scene);

    (void)state;
    assert_near(rig_reaction(&r, "j.normal"), N, 1e-9);
    assert_near(rig_reaction(&r, "k.tension"), -N * sin(a), 1e-9); /* the wall pushes */
    assert_near(rig_reaction(&r, "h.tension"), M * G / 2 + N * s / (L * cos(a)), 1e-9);
    rig_free(&r);
}

/* A body with its centre aside, on an inclined rail, held by a rod along the rail. */
static void prismatic_at_rest(void **state)
{
    static const char scene[] =
        "'parameters': { 'a': 0.4, 'f': 1.1 },"
        "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': ['2*cos(a)', '2*sin(a)'],"
        " 'fixed': true },"
        "  'P': { 'at': ['0.7*cos(a)', '0.7*sin(a)'] },"
        "  'Q': { 'at': ['0.7*cos(a) + 0.5*cos(a + f)', '0.7*sin(a) + 0.5*sin(a + f)'] } },"
        "'bodies': { 'block': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 3, 'centre': [0.2, 0.35],"
        " 'inertia': 0.1 } },"
        "'joints': { 'j': { 'type': 'prismatic', 'body': 'block', 'point': 'P', 'line': ['A', 'B'] },"
        "  'k': { 'type': 'distance', 'points': ['B', 'P'], 'length': 1.3 } }";
    const double a = 0.4, f = 1.1, m = 3, x = 0.2 * cos(a + f) - 0.35 * sin(a + f);
    rig          r = rig_at_rest(scene);

    (void)state;
    assert_near(rig_reaction(&r, "j.normal"), m * G * cos(a), 1e-9);
    assert_near(rig_reaction(&r, "j.torque"), m * G * x, 1e-9);
    assert_near(rig_reaction(&r, "k.tension"), m * G * sin(a), 1e-9);
    rig_free(&r);
}

/* A cantilever of two bars: one welded to the world, the other to its end. */
static void weld_at_rest(void **state)
{
    static const char scene[] =
        "'parameters': { 'a': 0.2, 'b': -0.7 },"
        "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0, 0] }, 'E': { 'at': ['cos(a)',"
        " 'sin(a)'] },"
        "  'Q': { 'at': ['cos(a)', 'sin(a)'] }, 'F': { 'at': ['cos(a) + 0.6*cos(b)', 'sin(a) + 0.6*sin(b)'] } },"
        "'bodies': { 'one': { 'type': 'bar', 'points': ['P', 'E'], 'mass': 5 },"
        "  'two': { 'type': 'bar', 'points': ['Q', 'F'], 'mass': 2 } },"
        "'joints': { 'j': { 'type': 'weld', 'points': ['P', 'O'], 'body': 'one' },"
        "  'k': { 'type': 'weld', 'points': ['Q', 'E'], 'body': 'two', 'reference': 'one', 'angle': 'b - a' } }";
    const double a = 0.2, b = -0.7, m = 2, M = 5, L = 1, l = 0.6;
    rig          r = rig_at_rest(scene);

    (void)state;
    assert_near(rig_reaction(&r, "k.fx"), 0.0, 1e-9);
    assert_near(rig_reaction(&r, "k.fy"), m * G, 1e-9);
    assert_near(rig_reaction(&r, "k.torque"), m * G * l / 2 * cos(b), 1e-9);
    assert_near(rig_reaction(&r, "j.fx"), 0.0, 1e-9);
    assert_near(rig_reaction(&r, "j.fy"), (m + M) * G, 1e-9);
    assert_near(rig_reaction(&r, "j.torque"), M * G * L / 2 * cos(a) + m * G * (L * cos(a) + l / 2 * cos(b)), 1e-9);
    rig_free(&r);
}

/* Two gears with weights on them that balance: torques m g x are as the radii; the same way for a ring gear. */
static void gears_at_rest(void **state)
{
    for (int internal = 0; internal < 2; internal++) {
        const double m1 = 2, x1 = 0.3, r1 = 0.5, r2 = 0.8, m2 = 1.5, x2 = m1 * x1 * r2 / (r1 * m2);
        char         text[1024];
        rig          r;

        snprintf(text, sizeof text,
                 "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [1.3, 0], 'fixed': true },"
                 "  'P': { 'at': [0, 1] }, 'Q': { 'at': [1.3, -1] } },"
                 "'bodies': { 'one': { 'type': 'rigid', 'points': ['A', 'P'], 'mass': 2, 'centre': [0, -0.3], "
                 "'inertia': 0.1 },"
                 "  'two': { 'type': 'rigid', 'points': ['B', 'Q'], 'mass': 1.5, 'centre': [0, %.17g], 'inertia': 0.1 "
                 "} },"
                 "'joints': { 'j': { 'type': 'gear', 'body1': 'one', 'body2': 'two', 'radii': [0.5, 0.8], 'internal': "
                 "%s } }",
                 internal ? -x2 : x2, internal ? "true" : "false");
        r = rig_at_rest(text);
        assert_near(rig_reaction(&r, "j.force"), m1 * G * x1 / r1, 1e-9);
        rig_free(&r);
    }
    (void)state;
}

/* A planet with a weight aside on an arm; sun and arm are held. */
static void planet_at_rest(void **state)
{
    static const char scene[] =
        "'parameters': { 'a': 0.5 },"
        "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'S': { 'at': [0, -0.3] },"
        "  'C': { 'at': ['1.1*cos(a)', '1.1*sin(a)'] }, 'D': { 'at': ['1.1*cos(a) + 0.4', '1.1*sin(a)'] } },"
        "'bodies': { 'arm': { 'type': 'bar', 'points': ['O', 'C'], 'mass': 3 },"
        "  'sun': { 'type': 'rigid', 'points': ['O', 'S'], 'mass': 1, 'inertia': 0.1, 'centre': [0, 0] },"
        "  'planet': { 'type': 'rigid', 'points': ['C', 'D'], 'mass': 1.5, 'centre': [0.2, 0],"
        " 'inertia': 0.1 } },"
        "'joints': { 'j': { 'type': 'gear', 'body1': 'sun', 'body2': 'planet', 'radii': [0.7, 0.4],"
        " 'arm': 'arm' },"
        "  'k': { 'type': 'angle', 'body': 'sun', 'angle': '-pi/2' },"
        "  'h': { 'type': 'angle', 'body': 'arm', 'angle': 'a' } }";
    const double a = 0.5, L = 1.1, r1 = 0.7, r2 = 0.4, m = 1.5, x = 0.2, F = m * G * x / r2;
    rig          r = rig_at_rest(scene);

    (void)state;
    assert_near(rig_reaction(&r, "j.force"), F, 1e-9);
    assert_near(rig_reaction(&r, "k.torque"), -r1 * F, 1e-9);
    assert_near(rig_reaction(&r, "h.torque"), (r1 + r2) * F + (3 * L / 2 + m * L) * G * cos(a), 1e-9);
    rig_free(&r);
}

/* A weight on a pinion carries a rack, upright or inclined, by a direction or by a line of its own. */
static void rack_at_rest(void **state)
{
    static const char *const joint[] = { "'angle': 'a'", "'line': ['P', 'Q'], 'rack': 'rack'" };

    (void)state;
    for (int k = 0; k < 4; k++) {
        const double a = k / 2 ? 1.0 : PI / 2, m = 2, M = 3, r0 = 0.25, F = M * G * sin(a), x = -r0 * F / (m * G);
        char         text[2048];
        rig          r;

        snprintf(text, sizeof text,
                 "'parameters': { 'a': %.17g },"
                 "'points': { 'C': { 'at': ['-0.25*sin(a)', '0.25*cos(a)'], 'fixed': true },"
                 "  'D': { 'at': ['1 - 0.25*sin(a)', '0.25*cos(a)'] },"
                 "  'A': { 'at': ['-cos(a)', '-sin(a)'], 'fixed': true }, 'B': { 'at': ['cos(a)', 'sin(a)'], 'fixed': "
                 "true }, 'P': { 'at': ['0.3*cos(a)', '0.3*sin(a)'] }, 'Q': { 'at': ['0.9*cos(a)', '0.9*sin(a)'] } },"
                 "'bodies': { 'pinion': { 'type': 'rigid', 'points': ['C', 'D'], 'mass': 2, 'centre': [%.17g, 0], "
                 "'inertia': 0.1 },"
                 "  'rack': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 3 } },"
                 "'joints': { 'j': { 'type': 'rack', 'body': 'pinion', 'centre': 'C', 'radius': 0.25, 'point': 'P', %s "
                 "}, 'k': { 'type': 'prismatic', 'body': 'rack', 'point': 'P', 'line': ['A', 'B'], 'angle': 0 } }",
                 a, x, joint[k % 2]);
        r = rig_at_rest(text);
        assert_near(rig_reaction(&r, "j.force"), F, 1e-9);
        assert_near(rig_reaction(&r, "k.normal"), M * G * cos(a), 1e-9);
        assert_near(rig_reaction(&r, "k.torque"), M * G * 0.3 * cos(a), 1e-9);
        rig_free(&r);
    }
}

/* A disc with a brake on a slope, of the world or of a beam that is itself held. */
static void rolling_at_rest(void **state)
{
    static const char *const joint[] = { "'height': 0.1, 'angle': 'a'", "'line': ['A', 'B']" };
    const double             a = 0.35, m = 4, M = 6, s = 0.8;

    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[2048];
        rig  r;

        snprintf(
            text, sizeof text,
            "'parameters': { 'a': 0.35 },"
            "'points': { 'A': { 'at': [0, 0.1], 'fixed': true }, 'B': { 'at': ['1.5*cos(a)', '0.1 + 1.5*sin(a)'] },"
            "  'P': { 'at': ['0.8*cos(a) - 0.3*sin(a)', '0.1 + 0.8*sin(a) + 0.3*cos(a)'] },"
            "  'Q': { 'at': ['0.8*cos(a) - 0.3*sin(a)', '0.4 + 0.8*sin(a) + 0.3*cos(a)'] } },"
            "'bodies': { 'disc': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 4, 'inertia': 0.2, 'centre': [0, 0] "
            "},"
            "  'beam': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 6 } },"
            "'joints': { 'j': { 'type': 'rolling', 'point': 'P', 'radius': 0.3, 'body': 'disc', %s },"
            "  'k': { 'type': 'angle', 'body': 'disc', 'angle': 'pi/2' },"
            "  'h': { 'type': 'angle', 'body': 'beam', 'angle': 'a' } }",
            joint[k]);
        r = rig_at_rest(text);
        assert_near(rig_reaction(&r, "j.normal"), m * G * cos(a), 1e-9);
        assert_near(rig_reaction(&r, "j.friction"), m * G * sin(a), 1e-9);
        assert_near(rig_reaction(&r, "k.torque"), -0.3 * m * G * sin(a), 1e-9);
        assert_near(rig_reaction(&r, "h.torque"), M * G * 0.75 * cos(a) + (k ? m * G * cos(a) * s : 0.0), 1e-9);
        rig_free(&r);
    }
}

/* A bead on a parabola, kept in place by a level rod. */
static void curve_at_rest(void **state)
{
    static const char scene[] =
        "'points': { 'P': { 'at': [0.9, '0.4*0.9^2 - 1'] }, 'W': { 'at': [2, '0.4*0.9^2 - 1'], 'fixed': true } },"
        "'bodies': { 'bead': { 'type': 'point_mass', 'point': 'P', 'mass': 1.3 } },"
        "'joints': { 'j': { 'type': 'curve', 'point': 'P', 'profile': '0.4*x^2 - 1' },"
        "  'k': { 'type': 'distance', 'points': ['P', 'W'], 'length': 1.1 } }";
    const double m = 1.3, slope = 2 * 0.4 * 0.9;
    rig          r = rig_at_rest(scene);

    (void)state;
    assert_near(rig_reaction(&r, "j.normal"), m * G * sqrt(1 + slope * slope), 1e-9);
    assert_near(rig_reaction(&r, "k.tension"), m * G * slope, 1e-9);
    rig_free(&r);
}

/* A tackle: two strands carry twice the weight. Out of balance: (k^2 m1 + m2) y2'' = k m1 g - m2 g, y2 upwards. */
static void belt_at_rest(void **state)
{
    static const char scene[] =
        "'points': { 'A': { 'at': [0, 3], 'fixed': true }, 'B': { 'at': [1, 3], 'fixed': true },"
        "  'P': { 'at': [0, 1] }, 'Q': { 'at': [1, 0.5] } },"
        "'bodies': { 'one': { 'type': 'point_mass', 'point': 'P', 'mass': 2 },"
        "  'two': { 'type': 'point_mass', 'point': 'Q', 'mass': %s } },"
        "'joints': { 'j': { 'type': 'belt', 'first': ['A', 'P'], 'second': ['B', 'Q'], 'ratio': 2 } }";
    char         text[1024];
    const double a = (2 * 2 - 3) * G / (4 * 2 + 3);
    rig          r;

    (void)state;
    snprintf(text, sizeof text, scene, "4");
    r = rig_at_rest(text);
    assert_near(rig_reaction(&r, "j.tension"), 2 * G, 1e-9);
    rig_free(&r);
    snprintf(text, sizeof text, scene, "3");
    r = rig_start(text);
    assert_near(rig_probe(&r, "ay(Q)"), a, 1e-9);
    assert_near(rig_probe(&r, "ay(P)"), -2 * a, 1e-9);
    assert_near(rig_reaction(&r, "j.tension"), 2 * (G - 2 * a), 1e-9);
    rig_free(&r);
}

static void driver_at_rest(void **state)
{
    static const struct {
        const char *of, *value;
        double      force;
    } cases[] = {
        { "angle(bar)", "0.3", 3 * G * 0.6 * 0.95533648912560602 },                        /* M g L/2 cos(0.3) */
        { "y(E)", "1.2*sin(0.3)", 3 * G / 2 },                                             /* half the weight */
        { "x(E)", "1.2*cos(0.3)", -3 * G / 2 * 0.95533648912560602 / 0.2955202066613396 }, /* pushes to the left */
        { "distance(H, E)", "3 - 1.2*sin(0.3)", -3 * G / 2 },                              /* hangs: it pulls */
    };

    (void)state;
    for (int k = 0; k < SAL_COUNT(cases); k++) {
        char text[1024];
        rig  r;
        snprintf(text, sizeof text,
                 "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'E': { 'at': ['1.2*cos(0.3)', '1.2*sin(0.3)'] },"
                 "  'H': { 'at': ['1.2*cos(0.3)', 3], 'fixed': true } },"
                 "'bodies': { 'bar': { 'type': 'bar', 'points': ['O', 'E'], 'mass': 3, 'length': 1.2 } },"
                 "'joints': { 'j': { 'type': 'driver', 'of': '%s', 'value': '%s' } }",
                 cases[k].of, cases[k].value);
        r = rig_at_rest(text);
        assert_near(rig_reaction(&r, "j.force"), cases[k].force, 1e-9);
        rig_free(&r);
    }
}

/* ------------------------------------------------------------------------------------- in motion */

typedef struct mechanism {
    const char *name, *scene, *joint, *again; /* again: the joint by expressions, its rows in the same order */
    bool        driven;                       /* its energy changes */
    const char *wrt[4];
} mechanism;

#define LEVER                                                                                                        \
    "'parameters': { 'm': 0.7, 'L': 1.2, 'w': 0.4 },"                                                                \
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'E': { 'at': ['L*cos(w)', 'L*sin(w)'], 'velocity': "          \
    "['-0.5*sin(w)', '0.5*cos(w)'] },"                                                                               \
    "  'P': { 'at': ['0.5*cos(w)', '0.5*sin(w)']}, 'Q': { 'at': ['0.5*cos(w) + 0.4*cos(w + "                         \
    "0.3)', '0.5*sin(w) + 0.4*sin(w + 0.3)'] } },"                                                                   \
    "'bodies': { 'lever': { 'type': 'bar', 'points': ['O', 'E'], 'mass': 2, 'length': 'L', 'markers': { 'M': [0.1, " \
    "0.05], 'N': ['0.9*L', 0.15] } },"                                                                               \
    "  'block': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 'm', 'centre': [0.2, 0.1], 'inertia': 0.03, "       \
    "'length': 0.4 } },"

#define GEARS                                                                                                        \
    "'parameters': { 'r': 0.3, 's': 0.45, 'm': 1.2 },"                                                               \
    "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [0.75, 0], 'fixed': true },"                     \
    "  'P': { 'at': [-1, 0.4] }, 'Q': { 'at': [1.25, 0.3] } },"                                                      \
    "'bodies': { 'one': { 'type': 'rigid', 'points': ['A', 'P'], 'mass': 'm', 'centre': [0.1, 0.2], 'inertia': 0.1 " \
    "},"                                                                                                             \
    "  'two': { 'type': 'rigid', 'points': ['B', 'Q'], 'mass': 0.8, 'centre': [0.25, 0], 'inertia': 0.05 } },"

#define PLANETS                                                                                               \
    "'parameters': { 'r': 0.7, 's': 0.4, 'm': 1.2 },"                                                         \
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'S': { 'at': [0.3, 0.2] }, 'C': { 'at': [-1, 0.45] }," \
    "  'D': { 'at': [-1.3, 0.6] } },"                                                                         \
    "'bodies': { 'arm': { 'type': 'bar', 'points': ['O', 'C'], 'mass': 'm' },"                                \
    "  'sun': { 'type': 'rigid', 'points': ['O', 'S'], 'mass': 1, 'inertia': 0.1, 'centre': [0.1, 0.2] },"    \
    "  'planet': { 'type': 'rigid', 'points': ['C', 'D'], 'mass': 1.5, 'centre': [0.2, 0], 'inertia': 0.1 } },"

#define RACK                                                                                                        \
    "'parameters': { 'r': 0.3, 'm': 1.2, 'a': 0.2 },"                                                               \
    "'points': { 'C': { 'at': ['-0.3*sin(a)', '0.3*cos(a)'], 'fixed': true }, 'D': { 'at': [-0.8, 0.5] },"          \
    "  'A': { 'at': ['-cos(a)', '-sin(a)'], 'fixed': true }, 'B': { 'at': ['cos(a)', 'sin(a)'], 'fixed': true },"   \
    "  'P': { 'at': ['0.1*cos(a)', '0.1*sin(a)'] }, 'Q': { 'at': ['0.9*cos(a)', '0.9*sin(a)'] } },"                 \
    "'bodies': { 'pinion': { 'type': 'rigid', 'points': ['C', 'D'], 'mass': 'm', 'centre': [0.1, 0.2], 'inertia': " \
    "0.1 },"                                                                                                        \
    "  'rack': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 0.6 } },"

#define GUIDE ", 'guide': { 'type': 'prismatic', 'body': 'rack', 'point': 'P', 'line': ['A', 'B'] }"

/* A see-saw and a disc, its centre of mass aside. */
#define SEESAW                                                                                                       \
    "'parameters': { 'r': 0.3, 'm': 1.2, 'a': 0.1 },"                                                                \
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': ['cos(a)', 'sin(a)'] },"                         \
    "  'P': { 'at': ['0.4*cos(a) - r*sin(a)', '0.4*sin(a) + r*cos(a)'] }, 'Q': { 'at': [0.2, 0.8] } },"              \
    "'bodies': { 'beam': { 'type': 'rigid', 'points': ['O', 'B'], 'mass': 3, 'centre': [-0.1, 0], 'inertia': 0.4 }," \
    "  'disc': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 'm', 'centre': [0.05, 0.02], 'inertia': 0.08 } },"

#define SLIP   "((x(B)-x(O))*(vx(P)-vx(O)) + (y(B)-y(O))*(vy(P)-vy(O)))/distance(O, B) + r*rate(disc)"
#define HEIGHT "((x(B)-x(O))*(y(P)-y(O)) - (y(B)-y(O))*(x(P)-x(O)))/distance(O, B)"

static const mechanism mechanisms[] = {
    { "revolute", LEVER, "'type': 'revolute', 'points': ['P', 'N']",
      "'type': 'formula', 'rows': ['x(N) - x(P)', 'y(N) - y(P)']", .wrt = { "m", "L", "w" } },
    { "distance", LEVER, "'type': 'distance', 'points': ['P', 'N'], 'length': '0.6*L'",
      "'type': 'formula', 'rows': '(x(P)-x(N))^2 + (y(P)-y(N))^2 - (0.6*L)^2'", .wrt = { "m", "L", "w" } },
    { "angle", LEVER, "'type': 'angle', 'body': 'block', 'reference': 'lever', 'angle': 'w + 0.2*sin(3*t)'",
      "'type': 'formula', 'rows': 'angle(block) - angle(lever) - w - 0.2*sin(3*t)'", .driven = true,
      .wrt = { "m", "L", "w" } },
    { "spring", LEVER, "'type': 'spring', 'points': ['P', 'N'], 'stiffness': '30*m', 'length': '0.4*L'",
      "'type': 'formula', 'forces': { '((x(P)-x(N))*(vx(P)-vx(N)) + (y(P)-y(N))*(vy(P)-vy(N)))/distance(P, N)':"
      "'-30*m*(distance(P, N) - 0.4*L)' }",
      .wrt = { "m", "L", "w" } },
    { "slot", LEVER, "'type': 'slot', 'point': 'P', 'line': ['O', 'E']",
      "'type': 'formula', 'rows': ['(x(E)-x(O))*(y(P)-y(O)) - (y(E)-y(O))*(x(P)-x(O))']", .wrt = { "m", "L", "w" } },
    { "slot of markers", LEVER, "'type': 'slot', 'point': 'Q', 'line': ['M', 'N']",
      "'type': 'formula', 'rows': '(x(N)-x(M))*(y(Q)-y(M)) - (y(N)-y(M))*(x(Q)-x(M))'", .wrt = { "m", "L", "w" } },
    { "prismatic", LEVER, "'type': 'prismatic', 'body': 'block', 'point': 'P', 'line': ['O', 'E']",
      "'type': 'formula', 'rows': ['(x(E)-x(O))*(y(P)-y(O)) - (y(E)-y(O))*(x(P)-x(O))',"
      "'(x(E)-x(O))*(cos(0.3)*(y(Q)-y(P)) - sin(0.3)*(x(Q)-x(P))) - (y(E)-y(O))*(cos(0.3)*(x(Q)-x(P)) + "
      "sin(0.3)*(y(Q)-y(P)))']",
      .wrt = { "m", "L", "w" } },
    { "prismatic with an angle", LEVER,
      "'type': 'prismatic', 'body': 'block', 'point': 'Q', 'line': ['M', 'N'], 'angle': 'w - 0.2'",
      "'type': 'formula', 'rows': ['(x(N)-x(M))*(y(Q)-y(M)) - (y(N)-y(M))*(x(Q)-x(M))',"
      "'(x(N)-x(M))*(cos(w-0.2)*(y(Q)-y(P)) - sin(w-0.2)*(x(Q)-x(P))) - (y(N)-y(M))*(cos(w-0.2)*(x(Q)-x(P)) + "
      "sin(w-0.2)*(y(Q)-y(P)))']",
      .wrt = { "m", "L", "w" } },
    { "weld", LEVER, "'type': 'weld', 'points': ['P', 'N'], 'body': 'block', 'reference': 'lever'",
      "'type': 'formula', 'rows': ['x(N) - x(P)', 'y(N) - y(P)',"
      "'(x(E)-x(O))*(cos(0.3)*(y(Q)-y(P)) - sin(0.3)*(x(Q)-x(P))) - (y(E)-y(O))*(cos(0.3)*(x(Q)-x(P)) + "
      "sin(0.3)*(y(Q)-y(P)))']",
      .wrt = { "m", "L", "w" } },
    { "gear", GEARS, "'type': 'gear', 'body1': 'one', 'body2': 'two', 'radii': ['r', 's']",
      "'type': 'formula', 'rows': 'r*angle(one) + s*angle(two) - r*atan2(0.4, -1) - s*atan2(0.3, 0.5)'",
      .wrt = { "r", "s", "m" } },
    { "internal gear", GEARS,
      "'type': 'gear', 'body1': 'one', 'body2': 'two', 'radii': ['r', 's'], 'internal': true, 'phase': '3*m*r'",
      "'type': 'formula', 'rows': 'r*angle(one) - s*angle(two) - 3*m*r'", .wrt = { "r", "s", "m" } },
    { "planetary gear", PLANETS, "'type': 'gear', 'body1': 'sun', 'body2': 'planet', 'arm': 'arm', 'radii': ['r', 's']",
      "'type': 'formula', 'rows': 'r*(angle(sun) - angle(arm)) + s*(angle(planet) - angle(arm)) - r*(atan2(0.2, 0.3) - "
      "atan2(0.45, -1)) - s*(atan2(0.15, -0.3) - atan2(0.45, -1))'",
      .wrt = { "r", "s", "m" } },
    { "ring gear", PLANETS,
      "'type': 'gear', 'body1': 'sun', 'body2': 'planet', 'arm': 'arm', 'radii': ['r', 's'], 'internal': true",
      "'type': 'formula', 'rows': 'r*(angle(sun) - angle(arm)) - s*(angle(planet) - angle(arm)) - r*(atan2(0.2, 0.3) - "
      "atan2(0.45, -1)) + s*(atan2(0.15, -0.3) - atan2(0.45, -1))'",
      .wrt = { "r", "s", "m" } },
    { "rack", RACK,
      "'type': 'rack', 'body': 'pinion', 'centre': 'C', 'radius': 'r', 'point': 'P', 'angle': 'a' }" GUIDE ", 'x': { "
      "'type': 'spring', 'points': ['A', 'Q'], 'stiffness': 20, 'length': 1",
      "'type': 'formula', 'rows': '(x(P)-x(C))*cos(a) + (y(P)-y(C))*sin(a) - r*angle(pinion) - 0.1 + r*atan2(0.5 - "
      "0.3*cos(a), 0.3*sin(a) - 0.8)' }" GUIDE
      ", 'x': { 'type': 'spring', 'points': ['A', 'Q'], 'stiffness': 20, 'length': 1",
      .wrt = { "r", "m", "a" } },
    { "rack with a line", SEESAW,
      "'type': 'rack', 'body': 'disc', 'centre': 'P', 'radius': 'r', 'point': 'B', 'line': ['O', 'B'], 'rack': 'beam' "
      "}, 'h': { 'type': 'formula', 'rows': '" HEIGHT " - r'",
      "'type': 'formula', 'rows': '((x(B)-x(P))*(x(B)-x(O)) + (y(B)-y(P))*(y(B)-y(O)))/distance(O, B) - r*(angle(disc) "
      "- angle(beam)) - 0.6 + r*(atan2(0.8 - 0.4*sin(a) - r*cos(a), 0.2 - 0.4*cos(a) + r*sin(a)) - a)' },"
      "'h': { 'type': 'formula', 'rows': '" HEIGHT " - r'",
      .wrt = { "r", "m", "a" } },
    { "rolling", SEESAW,
      "'type': 'rolling', 'point': 'P', 'radius': 'r', 'body': 'disc', 'height': '0.1 + 0.05*m', 'angle': 'a'",
      "'type': 'formula', 'rows': '(y(P) - 0.1 - 0.05*m)*cos(a) - x(P)*sin(a) - r', 'rates': 'vx(P)*cos(a) + "
      "vy(P)*sin(a) + r*rate(disc)'",
      .wrt = { "r", "m", "a" } },
    { "rolling on a line", SEESAW, "'type': 'rolling', 'point': 'P', 'radius': 'r', 'body': 'disc', 'line': ['O', 'B']",
      "'type': 'formula', 'rows': '" HEIGHT " - r', 'rates': '" SLIP "'", .wrt = { "r", "m", "a" } },
    { "rolling on a lift", SEESAW,
      "'type': 'rolling', 'point': 'P', 'radius': 'r', 'body': 'disc', 'height': 'm*sin(2*t)', 'angle': 'a'",
      "'type': 'formula', 'rows': '(y(P) - m*sin(2*t))*cos(a) - x(P)*sin(a) - r', 'rates': 'vx(P)*cos(a) + (vy(P) - "
      "2*m*cos(2*t))*sin(a) + r*rate(disc)'",
      .driven = true, .wrt = { "r", "m", "a" } },
    { "curve", LEVER, "'type': 'curve', 'point': 'Q', 'profile': 'w*x^2 - 0.2*sin(3*x)/L + 0.1'",
      "'type': 'formula', 'rows': 'y(Q) - w*x(Q)^2 + 0.2*sin(3*x(Q))/L - 0.1'", .wrt = { "m", "L", "w" } },
    { "curve that moves", LEVER, "'type': 'curve', 'point': 'P', 'profile': 'w*cos(x - L*t)'",
      "'type': 'formula', 'rows': 'y(P) - w*cos(x(P) - L*t)'", .driven = true, .wrt = { "m", "L", "w" } },
    { "belt", LEVER, "'type': 'belt', 'first': ['O', 'P'], 'second': ['Q', 'N'], 'ratio': 'm'",
      "'type': 'formula', 'rows': 'distance(O, P) + m*distance(Q, N) - 0.5 - m*sqrt((0.9*L*cos(w) - 0.15*sin(w) - "
      "0.5*cos(w) - 0.4*cos(w + 0.3))^2 + (0.9*L*sin(w) + 0.15*cos(w) - 0.5*sin(w) - 0.4*sin(w + 0.3))^2)'",
      .wrt = { "m", "L", "w" } },
    { "winch", LEVER, "'type': 'belt', 'first': ['O', 'P'], 'second': ['Q', 'N'], 'length': 'L + 0.1*sin(4*t)'",
      "'type': 'formula', 'rows': 'distance(O, P) + distance(Q, N) - L - 0.1*sin(4*t)'", .driven = true,
      .wrt = { "m", "L", "w" } },
    { "driver", LEVER, "'type': 'driver', 'of': 'angle(lever) - 0.2*angle(block)', 'value': 'w + 0.3*sin(4*t) - m*t^2'",
      "'type': 'formula', 'rows': 'angle(lever) - 0.2*angle(block) - w - 0.3*sin(4*t) + m*t^2'", .driven = true,
      .wrt = { "m", "L", "w" } },
    { "torsion", LEVER, "'type': 'torsion', 'body': 'block', 'reference': 'lever', 'stiffness': '3*m', 'angle': 'w'",
      "'type': 'formula', 'forces': { 'rate(block) - rate(lever)': '-3*m*(angle(block) - angle(lever) - w)' }",
      .wrt = { "m", "L", "w" } },
    { "bushing", LEVER,
      "'type': 'bushing', 'points': ['P', 'N'], 'body': 'block', 'reference': 'lever', 'stiffness': ['20*m', 50],"
      "'torsion_stiffness': '2*w', 'angle': 'L'",
      "'type': 'formula', 'forces': {"
      "'(vx(P)-vx(N))*(x(E)-x(O))/distance(O, E) + (vy(P)-vy(N))*(y(E)-y(O))/distance(O, E) + "
      "rate(lever)*((y(P)-y(N))*(x(E)-x(O)) - "
      "(x(P)-x(N))*(y(E)-y(O)))/distance(O, E)': '-20*m*((x(P)-x(N))*(x(E)-x(O)) + "
      "(y(P)-y(N))*(y(E)-y(O)))/distance(O, E)',"
      "'(vy(P)-vy(N))*(x(E)-x(O))/distance(O, E) - (vx(P)-vx(N))*(y(E)-y(O))/distance(O, E) - "
      "rate(lever)*((x(P)-x(N))*(x(E)-x(O)) + "
      "(y(P)-y(N))*(y(E)-y(O)))/distance(O, E)': '-50*((y(P)-y(N))*(x(E)-x(O)) - (x(P)-x(N))*(y(E)-y(O)))/distance(O, "
      "E)',"
      "'rate(block) - rate(lever)': '-2*w*(angle(block) - angle(lever) - L)' }",
      .wrt = { "m", "L", "w" } },
    { "spring by a formula", LEVER,
      "'type': 'spring', 'points': ['P', 'N'], 'force': '9*m*(length - 0.4*L)^3 + w*rate + 0.1*x(Q)*rate(lever)'",
      "'type': 'formula', 'forces': { '-((x(P)-x(N))*(vx(P)-vx(N)) + (y(P)-y(N))*(vy(P)-vy(N)))/distance(P, N)':"
      "'9*m*(distance(P, N) - 0.4*L)^3 + w*((x(P)-x(N))*(vx(P)-vx(N)) + (y(P)-y(N))*(vy(P)-vy(N)))/distance(P, N) + "
      "0.1*x(Q)*rate(lever)' }",
      .driven = true, .wrt = { "m", "L", "w" } },
    { "force", LEVER, "'type': 'force', 'point': 'Q', 'fx': '-2*x(P) - w*vx(N)', 'fy': 'm*sin(5*t)', 'body': 'lever'",
      "'type': 'formula', 'forces': { '(vx(Q)*(x(E)-x(O)) + vy(Q)*(y(E)-y(O)))/distance(O, E)': '-2*x(P) - w*vx(N)',"
      "'(vy(Q)*(x(E)-x(O)) - vx(Q)*(y(E)-y(O)))/distance(O, E)': 'm*sin(5*t)' }",
      .driven = true, .wrt = { "m", "L", "w" } },
    { "torque", LEVER,
      "'type': 'torque', 'body': 'block', 'reference': 'lever', 'torque': '-4*m*(angle(block) - w*sin(t)) - "
      "L*rate(block)'",
      "'type': 'formula', 'forces': { 'rate(block) - rate(lever)': '-4*m*(angle(block) - w*sin(t)) - L*rate(block)' }",
      .driven = true, .wrt = { "m", "L", "w" } },
    { "drag", LEVER, "'type': 'drag', 'point': 'N', 'linear': 'w', 'quadratic': 'm'",
      "'type': 'formula', 'forces': { 'vx(N)': '-(w + m*sqrt(vx(N)^2 + vy(N)^2))*vx(N)',"
      "'vy(N)': '-(w + m*sqrt(vx(N)^2 + vy(N)^2))*vy(N)' }",
      .driven = true, .wrt = { "m", "L", "w" } },
};

static rig mechanism_load(const mechanism *m, const char *joint, double duration)
{
    char text[6000];

    snprintf(text, sizeof text,
             "%s 'joints': { 'j': { %s } }, 'simulation': { 'duration': %g, 'rtol': 1e-12 },"
             "'costs': { 'c': { 'running': 'energy()*0.01 + x(%s)^2', 'terminal': 'y(%s)' } }",
             m->scene, joint, duration, strstr(m->scene, "'P'") ? "P" : "D", strstr(m->scene, "'P'") ? "P" : "D");
    return rig_load(text);
}

static void every_type_is_here(void **state)
{
    rig                 r        = mechanism_load(&mechanisms[0], mechanisms[0].joint, 1.0);
    const sal_registry *registry = sal_context_registry(r.context);

    (void)state;
    for (int i = 0; i < registry->n[SAL_JOINTS]; i++) {
        char type[80];
        int  found = 0;

        snprintf(type, sizeof type, "'type': '%s'", registry->type[SAL_JOINTS][i]->name);
        for (int k = 0; k < SAL_COUNT(mechanisms); k++)
            found += strstr(mechanisms[k].joint, type) || strstr(mechanisms[k].again, type);
        if (!found) fail_msg("%s has no test", type);
    }
    rig_free(&r);
}

static void drift(void **state)
{
    double phi = 0.0, phidot = 0.0, energy = 0.0;

    (void)state;
    for (int k = 0; k < SAL_COUNT(mechanisms); k++) {
        const mechanism *m = &mechanisms[k];
        rig              r = mechanism_load(m, m->joint, 2.0);
        sal_run_stats    stats;

        rig_run(&r, NULL);
        rig_to(&r, 2.0);
        stats = sal_run_get_stats(r.run);
        if (stats.max_phi > 1e-9 || stats.max_phidot > 1e-9 || (!m->driven && stats.energy_drift > 1e-9))
            fail_msg("%s: Phi %.1e, Phidot %.1e, energy %.1e J", m->name, stats.max_phi, stats.max_phidot,
                     stats.energy_drift);
        phi    = fmax(phi, stats.max_phi);
        phidot = fmax(phidot, stats.max_phidot);
        energy = m->driven ? energy : fmax(energy, stats.energy_drift);
        rig_free(&r);
    }
    print_message("Phi %.1e, Phidot %.1e, energy %.1e J\n", phi, phidot, energy);
}

/* ----------------------------------------------------------------------------------------- again */

static double off(const double *x, const double *y, int n)
{
    double most = 1.0, error = 0.0;

    for (int k = 0; k < n; k++) {
        most  = fmax(most, fabs(x[k]));
        error = fmax(error, fabs(x[k] - y[k]));
        if (isnan(x[k]) || isnan(y[k])) return HUGE_VAL;
    }
    return error / most;
}

/* Accelerations and multipliers at states that fulfil nothing; and where a run comes to. */
static void again_by_expressions(void **state)
{
    uint64_t seed  = 7;
    double   worst = 0.0, far = 0.0;

    (void)state;
    for (int k = 0; k < SAL_COUNT(mechanisms); k++) {
        const mechanism *m = &mechanisms[k];
        rig              r = mechanism_load(m, m->joint, 1.0), again = mechanism_load(m, m->again, 1.0);
        numbers          x, y;
        sal_system      *s = numbers_make(&x, &r, NULL), *u = numbers_make(&y, &again, NULL);
        const int        n = r.model->n;

        assert_int_equal(again.model->m, r.model->m);
        for (int i = 0; i < 20; i++) {
            double q[32], v[32], error;
            assert_true(n <= SAL_COUNT(q));
            for (int j = 0; j < r.model->tables->points.n; j++) {
                const sal_point_def *p = &r.model->tables->points.at[j];
                for (int axis = 0; axis < 2 && p->kind == SAL_FREE; axis++) {
                    const int at = sal_basis_of(r.model->tables, p->point)->i[axis];
                    q[at]        = s->z[p->at[axis]] + 0.1 * random_number(&seed);
                    v[at]        = random_number(&seed);
                }
            }
            sal_system_move(s, 0.3, q, v);
            sal_system_move(u, 0.3, q, v);
            sal_system_set_form(s, SAL_INDEX1, SAL_PROJECTION);
            sal_system_set_form(u, SAL_INDEX1, SAL_PROJECTION);
            assert_int_equal(sal_system_accelerate(s), SAL_OK);
            assert_int_equal(sal_system_accelerate(u), SAL_OK);
            error = fmax(off(s->zdd, u->zdd, n), off(s->lambda, u->lambda, r.model->m));
            if (!(error <= 1e-12)) fail_msg("%s: off by %.1e", m->name, error);
            worst = fmax(worst, error);
        }
        rig_run(&r, NULL);
        rig_run(&again, NULL);
        rig_to(&r, 1.0);
        rig_to(&again, 1.0);
        if (!(off(sal_run_q(r.run), sal_run_q(again.run), n) <= 1e-10))
            fail_msg("%s: at the end off by %.1e", m->name, off(sal_run_q(r.run), sal_run_q(again.run), n));
        far = fmax(far, off(sal_run_q(r.run), sal_run_q(again.run), n));
        numbers_free(&x);
        numbers_free(&y);
        rig_free(&r);
        rig_free(&again);
    }
    print_message("accelerations and multipliers %.1e, after a run %.1e\n", worst, far);
}

/* ----------------------------------------------------------------------------------- derivatives */

static void note_worst(void *user, const sal_verify_item *item)
{
    double *worst = user;

    if (item->known && item->difference > *worst) *worst = item->difference;
    if (!item->good)
        print_error("d(%s)/d(%s): %.12g, by differences %.12g\n", item->what, item->wrt, item->exact, item->numeric);
}

static void derivatives(void **state)
{
    double worst = 0.0;

    (void)state;
    for (int k = 0; k < SAL_COUNT(mechanisms); k++) {
        const mechanism *m    = &mechanisms[k];
        rig              r    = mechanism_load(m, m->joint, 0.7);
        sal_run_opts     opts = sal_run_defaults();
        sal_status       status;
        int              bad = 0;

        opts.wrt = m->wrt;
        while (opts.nwrt < SAL_COUNT(m->wrt) && m->wrt[opts.nwrt]) opts.nwrt++;
        status = sal_verify(r.model, &opts, 1e-6, note_worst, &worst, &bad);
        if (status != SAL_OK) fail_msg("%s: %s", m->name, sal_message(r.context));
        if (bad) fail_msg("%s: %d derivatives are wrong", m->name, bad);
        rig_free(&r);
    }
    print_message("derivatives %.1e\n", worst);
}

/* ----------------------------------------------------------------------------------------- memory */

/* Without memory, at whatever allocation, loading fails cleanly. */
static void out_of_memory(void **state)
{
    (void)state;
    for (int k = 0; k < SAL_COUNT(mechanisms); k++) {
        sal_status status = SAL_ERR_MEMORY;
        char       text[6000];
        int        n = 0;

        snprintf(text, sizeof text, "{ 'saltus': 1, %s 'joints': { 'j': { %s } } }", mechanisms[k].scene,
                 mechanisms[k].joint);
        in_quotes(text);
        for (; status != SAL_OK; n++) {
            memory           m       = { .fail = n, .once = n % 2 };
            sal_context_opts opts    = counting_opts(&m);
            sal_context     *context = NULL;
            sal_scene       *scene   = NULL;
            sal_model       *model   = NULL;

            status = sal_context_create(&opts, &context);
            if (status == SAL_OK) status = sal_scene_parse(context, "test", text, strlen(text), &scene);
            if (status == SAL_OK) status = sal_model_create(scene, &model);
            if (status != SAL_OK) assert_int_equal(status, SAL_ERR_MEMORY);
            sal_model_destroy(&model);
            sal_scene_destroy(&scene);
            sal_context_destroy(&context);
            assert_int_equal(m.live, 0);
        }
        assert_true(n > 3);
    }
}

/* ------------------------------------------------------------------------------------- kinematics */

/* A disc that rolls on a see-saw, and the same as a pinion on a rack: one known by its rate, the other by its place. */
static void rolling_is_a_rack(void **state)
{
    const mechanism *rolling = NULL, *rack = NULL;
    rig              r, s;

    (void)state;
    for (int k = 0; k < SAL_COUNT(mechanisms); k++) {
        if (!strcmp(mechanisms[k].name, "rolling on a line")) rolling = &mechanisms[k];
        if (!strcmp(mechanisms[k].name, "rack with a line")) rack = &mechanisms[k];
    }
    r = mechanism_load(rolling, rolling->joint, 1.5);
    s = mechanism_load(rack, rack->joint, 1.5);
    rig_run(&r, NULL);
    rig_run(&s, NULL);
    rig_to(&r, 1.5);
    rig_to(&s, 1.5);
    for (int k = 0; k < r.model->n; k++) assert_near(sal_run_q(r.run)[k], sal_run_q(s.run)[k], 1e-10);
    assert_near(rig_reaction(&r, "j.friction"), -rig_reaction(&s, "j.force"), 1e-8); /* on the disc, on the rack */
    rig_free(&r);
    rig_free(&s);
}

/* A gear that points to the left is assembled beyond pi, and turns several times. */
static void gears_count_turns(void **state)
{
    static const char scene[] =
        "'gravity': [0, 0], 'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [1.5, 0], 'fixed': true },"
        "  'P': { 'at': [-1, 0], 'velocity': [0, %s] }, 'Q': { 'at': [0.5, 0] } },"
        "'bodies': { 'one': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 1.1 },"
        "  'two': { 'type': 'bar', 'points': ['B', 'Q'], 'mass': 1, 'length': 0.9 } },"
        "'joints': { 'j': { 'type': 'gear', 'body1': 'one', 'body2': 'two', 'radii': [1, 0.5] } %s },"
        "'simulation': { 'duration': 10, 'rtol': 1e-11 }";
    char text[2048];
    rig  r;

    (void)state;
    snprintf(text, sizeof text, scene, "0", ", 'k': { 'type': 'angle', 'body': 'one', 'angle': 'pi + 0.05' }");
    r = rig_start(text);
    assert_near(rig_probe(&r, "angle(one)"), PI + 0.05, 1e-12);
    assert_near(rig_probe(&r, "angle(two)"), PI - 0.1, 1e-12);
    rig_free(&r);
    snprintf(text, sizeof text, scene, "-3.3", "");
    r = rig_start(text);
    rig_to(&r, 10.0);
    assert_near(rig_probe(&r, "angle(one)"), PI + 30.0, 1e-8);
    assert_near(rig_probe(&r, "angle(two)"), PI - 60.0, 1e-8);
    assert_near(rig_probe(&r, "angle(one) + 0.5*angle(two)"), 1.5 * PI, 1e-11);
    rig_free(&r);
}

/* Whole turns say nothing about where a crank is: a motor, gears that take their phase from the scene, and stops find
 * the mechanism where it is, and all count from the motor's angle. */
static void motors_find_their_turn(void **state)
{
    static const char scene[] =
        "'parameters': { 'a0': 0.5, 'k': 0 },"
        "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [1.5, 0], 'fixed': true },"
        "  'P': { 'at': ['cos(a0)', 'sin(a0)'] }, 'Q': { 'at': ['1.5 + cos(a0)', '-sin(a0)'] },"
        "  'R': { 'at': ['1.4 + cos(a0)', '0.3 + sin(a0)'] }, 'S': { 'at': [3, 0], 'fixed': true } },"
        "'bodies': { 'one': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1 },"
        "  'two': { 'type': 'bar', 'points': ['B', 'Q'], 'mass': 1 },"
        "  'rod': { 'type': 'bar', 'points': ['P', 'R'], 'mass': 1 },"
        "  'arm': { 'type': 'bar', 'points': ['R', 'S'], 'mass': 1 } },"
        "'joints': { 'motor': { 'type': 'driver', 'of': 'angle(one)', 'value': 'a0 + 2*k*pi + 0.3*t' },"
        "  'gears': { 'type': 'gear', 'body1': 'one', 'body2': 'two', 'radii': [1, 0.7] } },"
        "'contacts': { 'stop': { 'type': 'angle_stop', 'body': 'one', 'max': 'a0 + 2*k*pi + 4' } },"
        "'simulation': { 'duration': 1, 'rtol': 1e-11 }";
    rig here = rig_start(scene);

    (void)state;
    rig_to(&here, 1.0);
    for (int k = -3; k <= 3; k++) {
        rig there = rig_start(scene);
        assert_int_equal(sal_run_set(there.run, "k", k), SAL_OK);
        assert_int_equal(sal_run_restart(there.run), SAL_OK);
        assert_near(rig_probe(&there, "angle(one) - a0"), 2.0 * PI * k, 1e-12);
        assert_near(rig_probe(&there, "gap(stop)"), 4.0, 1e-12);
        rig_to(&there, 1.0);
        for (int i = 0; i < here.model->n; i++) assert_near(sal_run_q(there.run)[i], sal_run_q(here.run)[i], 1e-12);
        rig_free(&there);
    }
    rig_free(&here);
}

/* Limits that are written for another turn than the one in (-pi, pi]; and where none fits, nothing is turned. */
static void stops_find_their_turn(void **state)
{
    static const char scene[] =
        "'gravity': [0, -9.81], 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'A': { 'at': [-0.5, -0.8] } },"
        "'bodies': { 'bar': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 1 } },"
        "'contacts': { 'stop': { 'type': 'angle_stop', 'body': 'bar', 'min': %s, 'max': %s, 'restitution': 0.5 } }";
    const double given = atan2(-0.8, -0.5);
    char         text[1024];
    rig          r;

    (void)state;
    for (int k = -4; k <= 4; k++) {
        char low[32], high[32];
        snprintf(low, sizeof low, "%.17g", given - 0.1 + 2.0 * PI * k);
        snprintf(high, sizeof high, "%.17g", given + 0.1 + 2.0 * PI * k);
        snprintf(text, sizeof text, scene, low, high);
        r = rig_start(text);
        assert_near(rig_probe(&r, "angle(bar)"), given + 2.0 * PI * k, 1e-12);
        assert_int_equal(sal_run_to(r.run, 1.0), SAL_EVENT); /* falls to the upper one */
        assert_string_equal(sal_run_event(r.run).name, "stop.max");
        rig_free(&r);
    }
    snprintf(text, sizeof text, scene, "1.0", "1.5");
    r = rig_start(text);
    assert_near(rig_probe(&r, "angle(bar)"), given, 1e-12);
    rig_free(&r);
}

/* What does not count turns, or is open by rounding alone, turns nobody. */
static void turns_stay(void **state)
{
    static const char scene[] =
        "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'A': { 'at': ['cos(%.17g)', 'sin(%.17g)'] },"
        "  'B': { 'at': ['2*cos(%.17g)', '2*sin(%.17g)'] } },"
        "'bodies': { 'one': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 1 },"
        "  'two': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 1 } },"
        "'joints': { 'lock': { 'type': 'angle', 'body': 'one', 'reference': 'two' },"
        "  'wave': { 'type': 'formula', 'rows': ['sin(angle(one) - angle(two))'] } },"
        "'contacts': { 'stop': { 'type': 'angle_stop', 'body': 'two', 'reference': 'one', 'min': 0 } }";

    (void)state;
    for (int k = -30; k <= 30; k++) {
        const double a = k * 0.1;
        char         text[1024];
        rig          r;
        snprintf(text, sizeof text, scene, a, a, a, a);
        r = rig_start(text);
        assert_near(rig_probe(&r, "angle(one)"), a, 1e-12);
        assert_near(rig_probe(&r, "angle(two)"), a, 1e-12);
        rig_free(&r);
    }
}

/* A disc slides on a rail without turning; where an event lets it roll its speed drops to v/(1 + I/(m r^2)). */
static void rolling_begins(void **state)
{
    static const char scene[] =
        "'points': { 'A': { 'at': [0, 0.5], 'fixed': true }, 'B': { 'at': [1, 0.5], 'fixed': true },"
        "  'P': { 'at': [0, 0.5], 'velocity': [2, 0] }, 'Q': { 'at': [0, 1], 'velocity': [2, 0] } },"
        "'bodies': { 'disc': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 3, 'centre': [0, 0], 'inertia': 0.25 } },"
        "'joints': { 'rail': { 'type': 'slot', 'point': 'P', 'line': ['A', 'B'] },"
        "  'roll': { 'type': 'rolling', 'point': 'P', 'radius': 0.5, 'body': 'disc', 'active': false } },"
        "'contacts': { 'on': { 'type': 'event', 'when': 'x(P) - 1', 'direction': 'rising', 'hold': 'roll', 'release': "
        "'rail' } }";
    const double v = 2 / (1 + 0.25 / (3 * 0.25));
    rig          r = rig_start(scene);

    (void)state;
    assert_int_equal(sal_run_to(r.run, 3.0), SAL_EVENT);
    rig_to(&r, 3.0);
    assert_near(rig_probe(&r, "x(P)"), 1 + 2.5 * v, 1e-9);
    assert_near(rig_probe(&r, "y(P)"), 0.5, 1e-12);
    assert_near(rig_probe(&r, "angle(disc)"), PI / 2 - 2.5 * v / 0.5, 1e-9);
    assert_near(rig_reaction(&r, "roll.normal"), 3 * G, 1e-9);
    assert_near(rig_reaction(&r, "roll.friction"), 0.0, 1e-9);
    rig_free(&r);
}

/* What a motor does is what the mechanism gains. */
static void power_of_a_motor(void **state)
{
    static const char scene[] =
        LEVER "'joints': { 'pin': { 'type': 'revolute', 'points': ['P', 'N'] },"
              "  'j': { 'type': 'driver', 'of': 'angle(lever)', 'value': 'w + 0.4*sin(3*t)' } },"
              "'costs': { 'work': { 'running': 'reaction(j.force)*rate(lever)' } },"
              "'simulation': { 'duration': 2, 'rtol': 1e-12 }";
    rig    r = rig_start(scene);
    double start;

    (void)state;
    start = sal_run_energy(r.run);
    assert_near(rig_probe(&r, "rate(lever)"), 1.2, 1e-12);
    rig_to(&r, 2.0);
    assert_near(rig_probe(&r, "angle(lever)"), 0.4 + 0.4 * sin(6.0), 1e-12);
    assert_near(sal_run_energy(r.run) - start, sal_run_costs(r.run)[0], 1e-9);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------------ errors */

static void errors(void **state)
{
    static const struct {
        const char *joint, *says;
    } cases[] = {
        { "'type': 'slot', 'point': 'O', 'line': ['A', 'B']", "joints.j: all of its points are fixed" },
        { "'type': 'slot', 'point': 'P'", "joints.j: missing key 'line': two points or markers of the line" },
        { "'type': 'prismatic', 'body': 'ball', 'point': 'P', 'line': ['A', 'B']", "'ball' has no direction" },
        { "'type': 'prismatic', 'body': 'one', 'point': 'P'", "missing key 'line'" },
        { "'type': 'prismatic', 'body': 'one', 'point': 'P', 'line': ['A', 'X']",
          "missing key 'angle': what it is with the points as given depends on t" },
        { "'type': 'weld', 'points': ['P', 'Q'], 'body': 'one', 'reference': 'one'",
          "joints.j.reference: expected two different bodies, found 'one' twice" },
        { "'type': 'weld', 'points': ['O', 'A'], 'body': 'one'", "all of its points are fixed" },
        { "'type': 'weld', 'points': ['P', 'Q']", "missing key 'body': the body that is held" },
        { "'type': 'gear', 'body1': 'one', 'body2': 'one', 'radii': [1, 1]", "expected two different bodies" },
        { "'type': 'gear', 'body1': 'one', 'body2': 'two', 'radii': [1, 1], 'arm': 'two'",
          "joints.j.arm: expected a body that is neither of the gears, found 'two'" },
        { "'type': 'gear', 'body1': 'one', 'body2': 'two'", "missing key 'radii': of the two pitch circles" },
        { "'type': 'gear', 'body1': 'one', 'body2': 'swing', 'radii': [1, 1]",
          "joints.j: missing key 'phase': what it is with the points as given depends on t" },
        { "'type': 'gear', 'body1': 'one', 'body2': 'tow', 'radii': [1, 1]",
          "unknown body 'tow'; did you mean 'two'?" },
        { "'type': 'rack', 'body': 'one', 'centre': 'O', 'radius': 1, 'point': 'Q', 'angle': 1, 'line': ['A', 'B']",
          "joints.j.angle: expected either a line or an angle, found both" },
        { "'type': 'rack', 'body': 'one', 'centre': 'O', 'radius': 1, 'point': 'Q', 'rack': 'two'",
          "joints.j.rack: expected 'line', the line of the rack, found none" },
        { "'type': 'rolling', 'body': 'one', 'point': 'O', 'radius': 1, 'line': ['A', 'B']",
          "all of its points are fixed" },
        { "'type': 'rolling', 'body': 'one', 'point': 'P', 'radius': 1, 'height': 1, 'line': ['A', 'B']",
          "joints.j.line: expected either a line or its height and angle, found both" },
        { "'type': 'curve', 'point': 'O', 'profile': 'x^2'", "all of its points are fixed" },
        { "'type': 'curve', 'point': 'P', 'profile': 'y(P)'",
          "joints.j.profile: in 'y(P)', column 1: y() depends on the motion; expected a function of x" },
        { "'type': 'belt', 'first': ['A', 'O'], 'second': ['B', 'O']", "all of its points are fixed" },
        { "'type': 'belt', 'first': ['A', 'P'], 'second': ['X', 'Q']", "missing key 'length': what it is" },
        { "'type': 'driver', 'of': 'x(P)'", "missing key 'value': what it is" },
        { "'type': 'driver', 'of': 'x(A)', 'value': 1", "all of its points are fixed" },
        { "'type': 'driver', 'of': 'vx(P)', 'value': 1",
          "is no constraint; expected an expression of positions and t" },
        { "'type': 'driver', 'of': 'x(P) + y(R)', 'value': 1",
          "joints.j.of: in 'x(P) + y(R)', column 10: unknown point 'R'" },
        { "'type': 'driver', 'of': 'x(P)', 'value': 'x(Q)'", "x() depends on the motion" },
        { "'type': 'spring', 'points': ['P', 'Q'], 'force': 'length', 'stiffness': 1",
          "joints.j.stiffness: expected either 'force' or 'stiffness', found both" },
        { "'type': 'spring', 'points': ['P', 'Q'], 'force': '3*lenght'", "joints.j.force: in '3*lenght', column 3" },
        { "'type': 'spring', 'points': ['P', 'Q'], 'force': 'lambda(one)'", "'lambda(one)' is no force" },
        { "'type': 'torsion', 'body': 'one', 'reference': 'one'", "expected two different bodies" },
        { "'type': 'torsion', 'reference': 'one'", "missing key 'body'" },
        { "'type': 'bushing', 'points': ['P', 'Q'], 'torsion_stiffness': 1", "missing key 'body'" },
        { "'type': 'bushing', 'points': ['A', 'B'], 'stiffness': [1, 1]",
          "both are fixed; expected one that can move" },
        { "'type': 'bushing', 'points': ['P', 'Q'], 'body': 'one', 'reference': 'one'",
          "expected two different bodies" },
        { "'type': 'force', 'point': 'P', 'fx': 0", "joints.j: missing key 'fy': along y" },
        { "'type': 'force', 'point': 'A', 'fx': 1, 'fy': 0",
          "joints.j.point: it is fixed; expected a point that can move" },
        { "'type': 'force', 'point': 'P', 'fx': 'ax(P)', 'fy': 0", "'ax(P)' is no force" },
        { "'type': 'torque', 'body': 'one', 'reference': 'one', 'torque': 1", "expected two different bodies" },
        { "'type': 'torque', 'body': 'one'", "missing key 'torque'" },
        { "'type': 'drag', 'point': 'B', 'linear': 1", "joints.j.point: it is fixed" },
    };

    (void)state;
    for (int k = 0; k < SAL_COUNT(cases); k++) {
        sal_context *context;
        sal_scene   *scene;
        char         text[2048];

        snprintf(
            text, sizeof text,
            "{ 'saltus': 1, 'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [1, 0], 'fixed': true },"
            "'O': { 'at': [0, 1], 'fixed': true }, 'X': { 'at': ['sin(t)', 3], 'fixed': true },"
            "'P': { 'at': [1, 1] }, 'Q': { 'at': [2, 1] }, 'W': { 'at': [3, 3] } },"
            "'bodies': { 'one': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 1 }, 'two': { 'type': 'bar', "
            "'points': ['P', 'Q'], 'mass': 1 }, 'ball': { 'type': 'point_mass', 'point': 'W', 'mass': 1 },"
            "'swing': { 'type': 'bar', 'points': ['X', 'W'], 'mass': 1, 'length': 3 } },"
            "'joints': { 'j': { %s } } }",
            cases[k].joint);
        in_quotes(text);
        assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
        if (sal_scene_parse(context, "t", text, strlen(text), &scene) != SAL_ERR_SCENE)
            fail_msg("no error: %s", cases[k].joint);
        assert_says(sal_message(context), cases[k].says);
        sal_context_destroy(&context);
    }
}

/* A motor's start further than half a turn from where the scene draws the arm: turns are counted on the way. */
static void driver_far_away(void **state)
{
    rig r = rig_load("'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'A': { 'at': ['cos(0.2)', 'sin(0.2)'] } },"
                     "'bodies': { 'arm': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 1 } },"
                     "'joints': { 'd': { 'type': 'driver', 'of': 'angle(arm)', 'value': '4 + t' } }");

    (void)state;
    rig_run(&r, NULL);
    assert_near(rig_probe(&r, "angle(arm)"), 4.0, 1e-12);
    rig_to(&r, 5.0);
    assert_near(rig_probe(&r, "angle(arm)"), 9.0, 1e-9);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driver_far_away),
        cmocka_unit_test(slot_at_rest),
        cmocka_unit_test(prismatic_at_rest),
        cmocka_unit_test(weld_at_rest),
        cmocka_unit_test(gears_at_rest),
        cmocka_unit_test(planet_at_rest),
        cmocka_unit_test(rack_at_rest),
        cmocka_unit_test(rolling_at_rest),
        cmocka_unit_test(curve_at_rest),
        cmocka_unit_test(belt_at_rest),
        cmocka_unit_test(driver_at_rest),
        cmocka_unit_test(every_type_is_here),
        cmocka_unit_test(drift),
        cmocka_unit_test(again_by_expressions),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(rolling_is_a_rack),
        cmocka_unit_test(gears_count_turns),
        cmocka_unit_test(motors_find_their_turn),
        cmocka_unit_test(stops_find_their_turn),
        cmocka_unit_test(turns_stay),
        cmocka_unit_test(rolling_begins),
        cmocka_unit_test(power_of_a_motor),
        cmocka_unit_test(errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
