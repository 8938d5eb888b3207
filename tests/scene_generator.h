/* scene_generator.h - scenes for every registered type, made from its table of fields.
 *
 * No type is named here: points free, fixed, driven or markers, every value a parameter of its own, every word of every
 * choice, each optional field left out once. Which fields go together the types say by what they refuse. A new type is
 * covered by being registered.
 *
 *     generator g = { .visit = look, .self = &mine };
 *     generate(&g, section, type);                          // look(&mine, scene) for each scene of the type
 */
#ifndef SAL_TESTS_SCENE_GENERATOR_H
#define SAL_TESTS_SCENE_GENERATOR_H

#include "engine/scene/registry.h"
#include "tests/support.h"

#include "engine/equations/equations.h"

/* ----------------------------------------------------------------------- types that the test adds */

/* P keeps the distance `offset` from the line through two points: Phi = (B - A) x (P - A) - length offset. */
typedef struct slot {
    sal_point line[2], p;
    sal_slot  length, offset;
} slot;

static const sal_field slot_fields[] = {
    { "line", SAL_F_PAIR, offsetof(slot, line), .help = "the line" },
    { "point", SAL_F_POINT, offsetof(slot, p), .help = "what moves along it" },
    { "length", SAL_F_VALUE, offsetof(slot, length), "m", .help = "distance of its ends", .range = SAL_POSITIVE },
    { "offset", SAL_F_VALUE, offsetof(slot, offset), "m", "0", "distance from the line", .timed = true },
};

static inline void slot_emit(const void *self, sal_builder *b)
{
    const slot *s = self;

    sal_row_begin(b, "");
    sal_add_cross(b, 1.0, s->line[0], s->line[1], s->line[0], s->p);
    sal_add_product(b, -1.0, s->length, s->offset);
}

static const sal_type slot_type = {
    .name    = "groove",
    .help    = "point on a line",
    .size    = sizeof(slot),
    .fields  = slot_fields,
    .nfields = SAL_COUNT(slot_fields),
    .rows    = true,
    .emit    = slot_emit,
};

/* Uses the kinds of fields that no other type has. */
typedef struct wall {
    sal_point   p;
    sal_slot    normal[2], kick;
    bool        axis[2], hard;
    const char *label;
} wall;

static const sal_field wall_fields[] = {
    { "point", SAL_F_POINT, offsetof(wall, p), .help = "what hits it" },
    { "normal", SAL_F_VECTOR, offsetof(wall, normal), .help = "away from it" },
    { "kick", SAL_F_VALUE, offsetof(wall, kick), "m/s", "0.5", "speed after the hit" },
    { "axis", SAL_F_AXES, offsetof(wall, axis), .standard = "", .help = "velocities that are set" },
    { "hard", SAL_F_BOOL, offsetof(wall, hard), .standard = "false", .help = "whether it stops the run" },
    { "label", SAL_F_TEXT, offsetof(wall, label), .standard = "hit", .help = "name of its event" },
};

static inline void wall_emit(const void *self, sal_builder *b)
{
    const wall    *s       = self;
    const sal_bind binds[] = {
        { "P", .point = &s->p }, { "nx", s->normal[0] }, { "ny", s->normal[1] }, { "kick", s->kick }, { 0 }
    };

    sal_event_begin(b, s->label, SAL_BOTH);
    sal_event_when(b, sal_formula("nx*x(P) + ny*y(P)^2"), binds);
    if (s->axis[0]) sal_event_set(b, sal_formula("vx(P)"), sal_formula("kick*nx*cos(vy(P))"), binds);
    if (s->axis[1]) sal_event_set(b, sal_formula("vy(P)"), sal_formula("kick + ny*vx(P)"), binds);
    if (s->hard) sal_event_stop(b);
}

static const sal_type wall_type = {
    .name    = "wall",
    .help    = "wall of the test",
    .size    = sizeof(wall),
    .fields  = wall_fields,
    .nfields = SAL_COUNT(wall_fields),
    .emit    = wall_emit,
};

static inline sal_context *make_context(void)
{
    sal_context *context;

    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_register_joint(context, &slot_type), SAL_OK);
    assert_int_equal(sal_register_contact(context, &wall_type), SAL_OK);
    return context;
}

/* -------------------------------------------------------------------------------- making a scene */

typedef enum placing { FREE, WITH_FIXED, MARKERS, MIXED, PLACINGS } placing;

typedef struct variant {
    placing  points;
    bool     optional, timed; /* there are fields that may be absent; what may depend on t does */
    int      words;           /* which of the combinations of words, true and false */
    uint64_t fields;          /* bit k: field k, which may be absent, is given */
} variant;

enum { FIELDS_MAX = 40, AROUND = 11 }; /* parameters of what is around the type, the first ones of every scene */
#define BIT(k) ((uint64_t)1 << (k))

enum { FORMULA_OF_OWN, FORMULA_OF_RATES, FORMULA_OF_PLACES, FORMULA_OF_X, FORMULAS }; /* manners of a formula */

typedef struct text {
    char   at[12000];
    size_t n;
} text;

typedef struct maker {
    variant v;
    text    parameters, points, bodies, joints, element, outputs, all;
    int     digits; /* what is left of v.words */
    int     values, nfree, nfixed, nmarker, nbody, taken;
    char    name[64][16]; /* of the points that fields took */
    bool    hosts;
    bool    dropped[FIELDS_MAX]; /* fields that the type does not want here */
    int     manner[FIELDS_MAX];  /* how a field is written: how many others were refused */
    bool    given[FIELDS_MAX];
    int     nlisted; /* points of the first list, the first of them */
    int     listed;
} maker;

enum { HOSTS = 3, HOST_MARKERS = 3 }; /* of each of the first two hosts */

static inline void put(text *t, const char *format, ...) SAL_PRINTF(2, 3);
static inline void put(text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, format, args);
    va_end(args);
    assert_true(t->n < sizeof t->at);
}

/* Starts another member of an object or list. */
static inline void comma(text *t)
{
    if (t->n) put(t, ", ");
}

static inline void add_parameter(maker *m, const char *name, double value)
{
    comma(&m->parameters);
    put(&m->parameters, "'%s': %.17g", name, value);
}

/* Free points carry mass, so that the equations are regular whatever the type adds, and springs pull on them, so that
 * no multiplier is zero. They lie on a spiral, away from each other. */
static inline int add_free(maker *m, const char *more)
{
    const int    k = ++m->nfree;
    const double r = 0.8 + 0.3 * k, phi = 2.4 * k;

    comma(&m->points);
    put(&m->points, "'F%d': { 'at': ['a*%.3f', '%.3f + 0.2*a']%s }", k, r * cos(phi), r * sin(phi), more);
    comma(&m->bodies);
    put(&m->bodies, "'mass%d': { 'type': 'point_mass', 'point': 'F%d', 'mass': 'm*%.2f' }", k, k, 1.0 + 0.15 * k);
    if (k == 1) return k;
    comma(&m->joints);
    put(&m->joints, "'pull%d': { 'type': 'spring', 'points': ['F%d', 'F%d'], 'stiffness': 's', 'damping': 's/5' }", k,
        k - 1, k);
    return k;
}

static inline int add_fixed(maker *m)
{
    const int   k  = ++m->nfixed;
    const char *dx = m->v.timed ? " + 0.2*sin(1.3*t)" : "", *dy = m->v.timed ? " + 0.1*f*cos(0.9*t)" : "";

    comma(&m->points);
    put(&m->points, "'X%d': { 'at': ['f + %.2f%s', '0.3 + kept - 0.5*f*%.2f%s'], 'fixed': true }", k, 0.9 * k, dx,
        0.7 * k, dy);
    return k;
}

/* Bodies for markers and for fields that ask for bodies: two free, one on a fixed or driven point. */
static inline void add_hosts(maker *m)
{
    for (int h = 1; h <= HOSTS; h++) {
        const int  first = h == 2 ? add_fixed(m) : add_free(m, ""), second = add_free(m, "");
        const char kind = h == 2 ? 'X' : 'F';
        comma(&m->bodies);
        put(&m->bodies,
            "'H%d': { 'type': 'rigid', 'points': ['%c%d', 'F%d'], 'mass': '1.1*h', 'centre': ['0.4*h', '0.15 + 0.1*h'],"
            " 'inertia': '0.3*h^2', 'length': '1 + 0.3*h', 'markers': { ",
            h, kind, first, second);
        for (int k = 0; k < HOST_MARKERS && h <= 2; k++)
            put(&m->bodies, "%s'K%d': ['0.4*h - 0.3*%d', '0.5 + 0.2*h*%d']", k ? ", " : "", 2 * k + h, k, k);
        put(&m->bodies, " } }");
    }
    comma(&m->outputs);
    put(&m->outputs, "'o_angle': 'sin(angle(H1)) + angle(H2)', 'o_rate': 'rate(H1)*rate(H2)', 'o_lambda': 'lambda(H1)',"
                     " 'o_marker': 'ax(K1)*distance(K2, K3) - ay(K4)'");
}

/* For markers, or because a field asks for a body. */
static inline bool needs_hosts(const maker *m, const sal_type *type)
{
    bool needs = m->v.points == MARKERS || m->v.points == MIXED;

    for (int k = 0; k < type->nfields; k++)
        needs = needs || type->fields[k].kind == SAL_F_BODY || type->fields[k].kind == SAL_F_HOLDERS;
    return needs;
}

/* The next point for a field: never a fixed one first, some types have nothing to say then. */
static const char *take(maker *m, bool basic, bool moves)
{
    const int k    = m->taken++;
    char     *name = m->name[k];

    assert_true(k < SAL_COUNT(m->name));
    if (!basic && m->nmarker < 2 * HOST_MARKERS && (m->v.points == MARKERS || (m->v.points == MIXED && k % 2 == 0))) {
        snprintf(name, sizeof m->name[k], "K%d", ++m->nmarker);
    } else if (!moves && m->v.points == WITH_FIXED && k % 2 == 1) {
        snprintf(name, sizeof m->name[k], "X%d", add_fixed(m));
    } else {
        snprintf(name, sizeof m->name[k], "F%d", add_free(m, ""));
    }
    return name;
}

/* A parameter of its own for a number of the element. */
static inline void put_name(maker *m, const char *key, const char *part)
{
    char name[64];

    snprintf(name, sizeof name, "it_%s%s", key, part);
    add_parameter(m, name, 0.7 + 0.1 * m->values++);
    put(&m->element, "%s", name);
}

static inline void put_value(maker *m, const char *key, const char *part, bool timed, sal_range range)
{
    put(&m->element, range == SAL_FRACTION ? "'0.88*" : "'"); /* parameters are about 1 */
    put_name(m, key, part);
    put(&m->element, "%s'", timed && m->v.timed ? " + 0.2*sin(1.3*t)" : "");
}

static inline void put_function(maker *m, const char *key)
{
    put(&m->element, "'0.3*sin(x*");
    put_name(m, key, "");
    put(&m->element, ")%s - 0.1*h*x'", m->v.timed ? " + 0.05*cos(t)*x" : "");
}

/* What moves, in terms of all that some type may offer, less of it after each refusal; at last a function of x. */
static inline void put_formula(maker *m, const char *key, int manner)
{
    const char *p;

    if (manner >= FORMULA_OF_X) {
        put_function(m, key);
        return;
    }
    p = take(m, false, true);
    if (!strcmp(key, "slip")) { /* a velocity */
        put(&m->element, "'vx(%s) - 0.2*y(%s)*vy(%s)*", p, p, p);
        put_name(m, key, "");
        put(&m->element, "'");
        return;
    }
    put(&m->element, "'y(%s) + 0.3*x(%s) - ", p, p);
    put_name(m, key, "");
    if (manner <= FORMULA_OF_RATES) put(&m->element, " + 0.2*vx(%s)*vy(F1)%s", p, m->v.timed ? "*cos(0.7*t)" : "");
    if (manner <= FORMULA_OF_OWN) put(&m->element, " - 0.3*length^2*rate");
    put(&m->element, "'");
}

/* Velocities that are set: of a point, and a sum whose factors depend on the place. */
static inline void put_formulas(maker *m, const char *key)
{
    const char *p = take(m, false, true), *q = take(m, false, true);
    const bool  forces = !strcmp(key, "forces"); /* what sets velocities may also read the energy and set memory */

    put(&m->element, "{ 'vx(%s)': '", p);
    put_name(m, key, "1");
    put(&m->element, "*vy(%s) + 0.1*%s', 'vy(%s)*x(%s) - 0.3*vx(%s)/", p, forces ? "vx(F1)^2" : "energy()", p, q, q);
    put_name(m, key, "2");
    put(&m->element, "': 'sin(vx(%s)) - ", q);
    put_name(m, key, "3");
    put(&m->element, "*x(%s)'", q);
    if (!forces) put(&m->element, ", 'kept': 'vx(%s)*x(%s) - kept'", p, q);
    put(&m->element, " }");
}

/* Markers of the element's own matter where they are read. */
static inline void put_markers(maker *m, const char *key)
{
    put(&m->element, "{ 'mark1': [");
    put_value(m, key, "1x", false, SAL_ANY);
    put(&m->element, ", ");
    put_value(m, key, "1y", false, SAL_ANY);
    put(&m->element, "], 'mark2': [");
    put_value(m, key, "2x", false, SAL_ANY);
    put(&m->element, ", ");
    put_value(m, key, "2y", false, SAL_ANY);
    put(&m->element, "] }");
    comma(&m->outputs);
    put(&m->outputs, "'o_mark': 'vx(mark1)*y(mark2) + distance(mark1, mark2)', 'o_acceleration': 'ay(mark2)'");
}

/* How many words a field has to choose from. */
static inline int radix(const sal_field *f)
{
    int n = 1;

    if (f->kind == SAL_F_BOOL) return 2;
    if (f->kind == SAL_F_AXES) return 4;
    while (f->kind == SAL_F_CHOICE && f->words[n]) n++;
    return n;
}

static inline void put_word(maker *m, const sal_field *f)
{
    static const char *const axes[] = { "'x'", "true", "'y'", "false" };
    const int                digit  = m->digits % radix(f);

    m->digits /= radix(f);
    if (f->kind == SAL_F_BOOL) put(&m->element, "%s", digit ? "true" : "false");
    else if (f->kind == SAL_F_AXES) put(&m->element, "%s", axes[digit]);
    else put(&m->element, "'%s'", f->words[digit]);
}

/* In how many manners a field can be written. */
static inline int manners(const sal_field *f)
{
    return f->kind == SAL_F_FORMULA ? FORMULAS : f->kind == SAL_F_POINTS || f->kind == SAL_F_PAIR ? 2 : 1;
}

/* A list that may be absent is of points that are in the list before it; where these are refused, of others. */
static inline void put_points(maker *m, const sal_field *f, int manner)
{
    const bool basic = f->kind == SAL_F_ENDS;

    if (f->kind == SAL_F_POINTS && f->standard && m->nlisted && manner == 0) {
        put(&m->element, "['%s']", m->name[m->listed + m->nlisted - 1]);
        return;
    }
    if (f->kind == SAL_F_POINTS && !m->nlisted) {
        m->listed  = m->taken;
        m->nlisted = 2;
    }
    put(&m->element, "['%s'", take(m, basic, false));
    put(&m->element, ", '%s']", take(m, basic, false));
}

/* Two points of a body of their own; or markers of it. */
static inline void put_pair_of_body(maker *m)
{
    const bool markers = m->v.points == MARKERS || m->v.points == MIXED;
    const int  first = m->v.points == WITH_FIXED ? add_fixed(m) : add_free(m, ""), second = add_free(m, "");
    const char kind = m->v.points == WITH_FIXED ? 'X' : 'F';

    comma(&m->bodies);
    put(&m->bodies,
        "'pair': { 'type': 'rigid', 'points': ['%c%d', 'F%d'], 'mass': '0.9*h', 'centre': ['0.3*h', '0.1 + 0.2*h'],"
        " 'inertia': '0.4*h^2', 'length': '1.2 + 0.2*h', 'markers': { 'V': ['0.2*h', '0.3'], 'W': ['1.1*h', '0.4'] } }",
        kind, first, second);
    if (markers) put(&m->element, "['V', 'W']");
    else put(&m->element, "['%c%d', 'F%d']", kind, first, second);
}

/* Without a default: a kind that is not known here is a warning of the compiler. */
static inline void put_field(maker *m, const sal_field *f, int manner)
{
    put(&m->element, ", '%s': ", f->key);
    switch (f->kind) {
    case SAL_F_VALUE: put_value(m, f->key, "", f->timed, f->range); break;
    case SAL_F_VECTOR:
        put(&m->element, "[");
        put_value(m, f->key, "_x", f->timed, f->range);
        put(&m->element, ", ");
        put_value(m, f->key, "_y", f->timed, f->range);
        put(&m->element, "]");
        break;
    case SAL_F_POINT: put(&m->element, "'%s'", take(m, false, false)); break;
    case SAL_F_PAIR:
        if (manner) put_pair_of_body(m);
        else put_points(m, f, manner);
        break;
    case SAL_F_POINTS:
    case SAL_F_ENDS: put_points(m, f, manner); break;
    case SAL_F_BOOL:
    case SAL_F_AXES:
    case SAL_F_CHOICE: put_word(m, f); break;
    case SAL_F_TEXT: put(&m->element, "'words'"); break;
    case SAL_F_FORMULA: put_formula(m, f->key, manner); break;
    case SAL_F_FORMULAS: put_formulas(m, f->key); break;
    case SAL_F_MARKERS: put_markers(m, f->key); break;
    case SAL_F_BODY: put(&m->element, "'H%d'", 1 + m->nbody++ % HOSTS); break;
    case SAL_F_HOLDERS: put(&m->element, "['H%d']", 1 + m->nbody++ % HOSTS); break;
    case SAL_F_ON: put(&m->element, "{ 'touch': { 'stop': false } }"); break;
    case SAL_F_LINE:
    case SAL_F_CONTACTS:
    case SAL_F_BY_AXIS:
    case SAL_F_RANGES:
    case SAL_F_BOUNDS:
    case SAL_F_NAMES: break; /* of no element */
    case SAL_F_TEXTS:        /* of positions, or where rates are asked for of velocities */
        put(&m->element, strcmp(f->key, "rates") ? "['0.2*x(F2)*y(F3) - a*x(F3)']" : "['vx(F2) - a*x(F3)*vy(F3)']");
        break;
    }
}

/* Of contacts that events open and close (test_contact_switching.c). */
static inline bool is_switch(const sal_field *f)
{
    return f->kind == SAL_F_CONTACTS || !strcmp(f->key, "active");
}

/* Besides these: lines, and what touches nothing else, where contacts are the run's matter (test_geometry.c). */
static inline bool is_elsewhere(const sal_field *f)
{
    return f->kind == SAL_F_LINE || !strcmp(f->key, "outline") || is_switch(f);
}

static inline bool is_given(const sal_type *type, int field, const variant *v)
{
    if (is_elsewhere(&type->fields[field])) return false;
    return !type->fields[field].standard || (v->fields & BIT(field)) != 0;
}

/* How many scenes it takes to have every combination of words. */
static inline int combinations(const sal_type *type, const variant *v)
{
    int n = 1;

    for (int k = 0; k < type->nfields; k++) n *= is_given(type, k, v) ? radix(&type->fields[k]) : 1;
    return n;
}

/* All fields that may be absent. */
static inline uint64_t all_fields(const sal_type *type)
{
    uint64_t all = 0;

    for (int k = 0; k < type->nfields; k++)
        all |= type->fields[k].standard && !is_switch(&type->fields[k]) ? BIT(k) : 0;
    return all;
}

static inline bool has_required(const sal_type *type)
{
    for (int k = 0; k < type->nfields; k++) {
        if (!type->fields[k].standard) return true;
    }
    return false;
}

static inline bool has_timed(const sal_type *type)
{
    bool timed = false;

    for (int k = 0; k < type->nfields; k++) timed = timed || type->fields[k].timed;
    return timed;
}

/* Forces and rebounds that are bounded do nothing at most states (test_contact_switching.c has such). */
static inline bool is_outside(const maker *m, const sal_field *f)
{
    return !strcmp(f->key, "where") &&
           (strstr(m->element.at, "'law': 'compliant'") || strstr(m->element.at, "'law': 'reset'"));
}

static inline void make_element(maker *m, const sal_type *type)
{
    put(&m->element, "'it': { 'type': '%s'", type->name);
    for (int k = 0; k < type->nfields; k++) {
        m->given[k] = is_given(type, k, &m->v) && !m->dropped[k] && !is_outside(m, &type->fields[k]);
        if (m->given[k]) put_field(m, &type->fields[k], m->manner[k]);
    }
    if (type->rows && m->v.optional) {
        put(&m->element, ", 'alpha': ");
        put_value(m, "alpha", "", false, SAL_ANY);
    }
    put(&m->element, " }");
}

/* The scene of a variant. An event on a point of its own is in all of them: whatever constraints the type has, the
 * velocities before it violate them, so that its derivatives contain those of the constraints and of the masses. */
static const char *make_scene(maker *m, sal_section section, const sal_type *type)
{
    static const char *const names[AROUND]  = { "a",  "f",  "m",         "h",      "k",        "s",
                                                "gx", "gy", "alpha_all", "xi_all", "omega_all" };
    static const double      values[AROUND] = { 1.0, 0.6, 1.2, 0.9, 0.4, 1.6, 0.7, -2.3, 3.0, 0.8, 1.7 };
    int                      kick;

    m->digits = m->v.words;
    for (int k = 0; k < AROUND; k++) add_parameter(m, names[k], values[k]);
    kick = add_free(m, ", 'dof': 'y'");
    put(&m->outputs, "'o_kick': 'x(F%d)*vy(F%d)/(2 + cos(ax(F%d)))', 'o_energy': 'energy()^2'", kick, kick, kick);
    if (needs_hosts(m, type)) add_hosts(m);
    make_element(m, type);
    put(&m->all, "'gravity': ['gx', 'gy'], 'parameters': { %s }, 'memory': { 'kept': '0.2*f' },", m->parameters.at);
    put(&m->all, "'points': { %s }, 'outputs': { %s },", m->points.at, m->outputs.at);
    put(&m->all, "'simulation': { 'alpha': 'alpha_all', 'xi': 'xi_all', 'omega': 'omega_all' },");
    put(&m->all, "'bodies': { %s%s%s },", m->bodies.at, section == SAL_BODIES ? ", " : "",
        section == SAL_BODIES ? m->element.at : "");
    put(&m->all, "'joints': { %s%s%s },", m->joints.at, section == SAL_JOINTS && m->joints.n ? ", " : "",
        section == SAL_JOINTS ? m->element.at : "");
    put(&m->all,
        "'contacts': { 'kick': { 'type': 'event', 'when': 'x(F%d) - k*t', 'set': { 'vx(F%d)': '0.3*vy(F%d)^2 - k' } "
        "}%s%s }",
        kick, kick, kick, section == SAL_CONTACTS ? ", " : "", section == SAL_CONTACTS ? m->element.at : "");
    return m->all.at;
}

/* False: the type refuses this variant, by an error of its own at its own place. */
static inline bool load(const char *scene_text, rig *r, const char *own)
{
    text      *json = calloc(1, sizeof *json);
    sal_scene *scene;
    sal_status status;

    assert_non_null(json);
    put(json, "{ 'saltus': 1, %s }", scene_text);
    for (char *c = json->at; *c; c++) {
        if (*c == '\'') *c = '"';
    }
    *r     = (rig){ .context = make_context() };
    status = sal_scene_parse(r->context, "test", json->at, json->n, &scene);
    for (int k = 0; k < sal_error_count(r->context); k++) {
        if (strncmp(sal_error(r->context, k)->path, own, strlen(own)) != 0)
            fail_msg("%s\nin %s", sal_message(r->context), json->at);
    }
    free(json);
    if (status == SAL_OK && sal_model_create(scene, &r->model) != SAL_OK) fail_msg("%s", sal_message(r->context));
    sal_scene_destroy(&scene);
    return status == SAL_OK;
}

static inline int field_index(const sal_type *type, const char *key)
{
    for (int k = 0; k < type->nfields; k++) {
        if (!strcmp(type->fields[k].key, key)) return k;
    }
    return -1;
}

/* After a refusal: another manner for what it names; what the type does not want in this company is left out. */
static inline bool adapt(maker *m, const rig *r, const sal_type *type, const char *own, bool may_drop)
{
    bool any = false, seen[FIELDS_MAX] = { false };

    for (int i = 0; i < sal_error_count(r->context); i++) {
        const sal_diagnostic *error = sal_error(r->context, i);
        const int k = strlen(error->path) > strlen(own) ? field_index(type, error->path + strlen(own) + 1) : -1;
        if (k < 0 || !m->given[k] || seen[k]) continue;
        seen[k] = true;
        if (m->manner[k] < manners(&type->fields[k]) - 1) m->manner[k]++;
        else if (may_drop && type->fields[k].standard) m->dropped[k] = true;
        else continue;
        any = true;
    }
    if (any) return true;
    for (int k = 0; k < type->nfields; k++) { /* no field is named: the formulas may still be the cause */
        if (!m->given[k] || type->fields[k].kind != SAL_F_FORMULA || m->manner[k] == FORMULAS - 1) continue;
        m->manner[k]++;
        any = true;
    }
    return any;
}

/* Makes the scene of a variant and loads it. False: the type refuses it, however its fields are written. */
static inline bool attempt(maker *m, sal_section section, const sal_type *type, variant v, bool may_drop, rig *r)
{
    maker *last = calloc(1, sizeof *last);
    char   own[80];
    bool   loaded, again = true;

    assert_non_null(last);
    assert_true(type->nfields <= FIELDS_MAX);
    snprintf(own, sizeof own, "%s.it", sal_section_name(section));
    do {
        memset(m, 0, sizeof *m);
        m->v = v;
        memcpy(m->dropped, last->dropped, sizeof m->dropped);
        memcpy(m->manner, last->manner, sizeof m->manner);
        make_scene(m, section, type);
        loaded = load(m->all.at, r, own);
        if (loaded) break;
        again = adapt(m, r, type, own, may_drop);
        *last = *m;
        rig_free(r);
    } while (again);
    free(last);
    return loaded;
}

static inline bool accepts(sal_section section, const sal_type *type, variant v)
{
    maker *m = calloc(1, sizeof *m);
    rig    r;
    bool   good;

    assert_non_null(m);
    good = attempt(m, section, type, v, false, &r);
    if (good) rig_free(&r);
    free(m);
    return good;
}

/* The fields of an accepted scene with all of `with` and none of `without`, to which no other can be added; 0: none
 * was found, with one field more or none. */
static inline uint64_t widest(sal_section section, const sal_type *type, variant v, uint64_t with, uint64_t without)
{
    const uint64_t others = all_fields(type) & ~with & ~without;
    bool           good;

    v.fields = with;
    v.words  = 0;
    good     = accepts(section, type, v);
    for (int k = 0; k < type->nfields && !good; k++) {
        v.fields = with | (others & BIT(k));
        for (v.words = 0; v.fields != with && !good && v.words < combinations(type, &v); v.words++)
            good = accepts(section, type, v);
    }
    if (!good) return 0;
    with    = v.fields;
    v.words = 0;
    for (int k = 0; k < type->nfields; k++) {
        v.fields = with | (others & BIT(k));
        if (v.fields != with && accepts(section, type, v)) with = v.fields;
    }
    return with;
}

/* ------------------------------------------------------------------------------------- all scenes */

typedef struct generated { /* a scene that its type accepts */
    const rig  *r;
    double      time; /* at which to look */
    const char *text;
    int         scenes; /* before it */
} generated;

typedef struct generator {
    void (*visit)(void *self, const generated *scene);
    void    *self;
    int      scenes[2], refused; /* scenes: without and with what is optional */
    unsigned given[FIELDS_MAX];  /* bit k: in a scene with the points of placing k */
} generator;

/* False: the type refuses it. */
static inline bool generate_variant(sal_section section, const sal_type *type, variant v, generator *g)
{
    maker *m = calloc(1, sizeof *m);
    rig    r;
    bool   loaded;

    assert_non_null(m);
    loaded = attempt(m, section, type, v, true, &r);
    if (loaded) {
        g->visit(g->self, &(generated){ &r, v.timed ? 0.4 : 0.0, m->all.at, g->scenes[0] + g->scenes[1] });
        for (int k = 0; k < type->nfields; k++) g->given[k] |= m->given[k] ? 1u << v.points : 0;
        rig_free(&r);
        g->scenes[v.optional]++;
    } else g->refused++;
    free(m);
    return loaded;
}

/* All combinations of words. */
static inline bool generate_words(sal_section section, const sal_type *type, variant v, generator *g)
{
    bool any = false;

    for (v.words = 0; v.words < combinations(type, &v); v.words++) any = generate_variant(section, type, v, g) || any;
    return any;
}

/* Too bare: one field more. Too much: one less, and as many of the others as the type then takes. */
static inline void generate_each(sal_section section, const sal_type *type, variant v, generator *g)
{
    const uint64_t all = all_fields(type);

    for (int k = 0; k < type->nfields; k++) {
        if (!(all & BIT(k))) continue;
        v.fields = v.optional ? all & ~BIT(k) : BIT(k);
        v.words  = k % combinations(type, &v);
        if (generate_variant(section, type, v, g) || !v.optional) continue;
        v.words  = 0;
        v.fields = widest(section, type, v, 0, BIT(k));
        if (v.fields) generate_words(section, type, v, g);
    }
}

/* Whether a scene with these points is accepted at all. */
static inline bool any_given(const sal_type *type, placing points, const generator *g)
{
    bool any = false;

    for (int k = 0; k < type->nfields; k++) any = any || g->given[k] & 1u << points;
    return any;
}

/* Fields that no scene with these points has yet: some exclude others and were left out in their company. Once also
 * neither such a field nor those that it excludes. */
static inline void generate_missing(sal_section section, const sal_type *type, variant v, generator *g)
{
    if (!any_given(type, v.points, g)) return;
    for (int k = 0; k < type->nfields; k++) {
        if (!(all_fields(type) & BIT(k)) || g->given[k] & 1u << v.points) continue;
        v.fields = widest(section, type, v, BIT(k), 0);
        if (!v.fields) continue;
        generate_words(section, type, v, g);
        if (v.points != MARKERS) continue;
        v.fields = widest(section, type, v, 0, BIT(k) | (all_fields(type) & ~v.fields));
        if (v.fields) generate_words(section, type, v, g);
    }
}

static inline void generate(generator *g, sal_section section, const sal_type *type)
{
    for (variant v = { 0 }; v.points < PLACINGS; v.points++) {
        for (int k = 0; k < 3; k++) { /* bare, with everything, with everything in motion */
            bool good;
            v.optional = k > 0;
            v.timed    = k > 1;
            v.fields   = v.optional ? all_fields(type) : 0;
            if (k == 1 && (v.points == WITH_FIXED || v.points == MIXED)) continue; /* at rest: with the other points */
            if (k == 2 && (v.points == MARKERS || (v.points == FREE && !has_timed(type)))) continue;
            good = generate_words(section, type, v, g);
            if ((!v.optional && !good) || (v.timed && v.points == MIXED)) generate_each(section, type, v, g);
        }
        v.optional = v.timed = true;
        generate_missing(section, type, v, g);
    }
}

/* ---------------------------------------------------------------------------------- their contacts */

/* Which rows of contacts hold, by contact: at the start none does. */
typedef enum mode { OPEN, CLOSED, STUCK, FORTH, BACK, ONE, OTHER, MODES } mode;

/* How much of a contact's name says what touches: all but "start" and "end" of edges. */
static inline size_t who(const sal_touch *t)
{
    const size_t length = strlen(t->name);

    if (length > 6 && !strcmp(t->name + length - 5, "start")) return length - 6;
    if (length > 4 && !strcmp(t->name + length - 3, "end")) return length - 4;
    return length;
}

/* Contacts of one thing that take over from each other, such as those of a disc on an edge and on its ends: one of them
 * holds, another one in each mode. */
static inline bool takes_turn(const sal_tables *tables, int k, mode which)
{
    const sal_touch *touches = tables->touches.at;
    int              before = 0, all = 0;

    for (int i = 0; i < tables->touches.n; i++) {
        if (who(&touches[i]) != who(&touches[k]) || strncmp(touches[i].name, touches[k].name, who(&touches[k])))
            continue;
        before += i < k;
        all++;
    }
    return before == (which == OTHER ? 1 : which == ONE ? 2 : (int)which) % all;
}

/* The rows that hold, and what slides. */
static inline void set_mode(sal_row_mode *now, const sal_tables *tables, mode which)
{
    sal_mode_start(now, tables);
    for (int k = 0; k < tables->touches.n; k++) {
        const sal_touch *t        = &tables->touches.at[k];
        const bool       friction = t->tangent >= 0, slides = friction && !t->bonded;
        mode             m = which;
        if (!takes_turn(tables, k, which)) m = OPEN;
        if (m == ONE) m = k % 2 ? OPEN : STUCK;
        if (m == OTHER) m = k % 2 ? BACK : OPEN;
        if ((m == FORTH || m == BACK) && !slides) m = STUCK;
        now->held[t->normal] = m != OPEN;
        if (friction) now->held[t->tangent] = m == STUCK;
        if (m == FORTH || m == BACK)
            sal_mode_couple(now, (sal_coupling){ .row    = t->normal,
                                                 .along  = t->tangent,
                                                 .factor = t->mu_kinetic,
                                                 .sign   = m == FORTH ? -1 : 1,
                                                 .part   = 1.0 });
    }
}

#endif
