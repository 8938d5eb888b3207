/* test_types.c - types from outside: their fields and rows, and the mistakes of their authors. */
#include "engine/scene/fields.h"
#include "tests/scene_fixture.h"

/* P stays at distance d of the line from A to B: (b - a) x (p - a) - L d = 0, L = |b - a| as it is at the start. */
typedef struct slot {
    sal_point ends[2], point;
    sal_slot  length, d;
} slot;

static const sal_field slot_fields[] = {
    { "points", SAL_F_PAIR, offsetof(slot, ends), .help = "two points of the line" },
    { "point", SAL_F_POINT, offsetof(slot, point), .help = "the point that slides" },
    { "length", SAL_F_VALUE, offsetof(slot, length), "m", .help = "distance of the two points", .range = SAL_POSITIVE },
    { "offset", SAL_F_VALUE, offsetof(slot, d), "m", "0", "distance from the line, to the left of it" },
};

static void slot_emit(const void *self, sal_builder *b)
{
    const slot *s = self;

    sal_row_begin(b, "");
    sal_add_cross(b, 1.0, s->ends[0], s->ends[1], s->ends[0], s->point);
    sal_add_product(b, -1.0, s->length, s->d);
}

static const sal_type slot_type = {
    .name    = "guide",
    .help    = "point that slides along the line through two others",
    .size    = sizeof(slot),
    .fields  = slot_fields,
    .nfields = SAL_COUNT(slot_fields),
    .rows    = true,
    .emit    = slot_emit,
};

/* A type that adds a term to no row. */
static void rowless_emit(const void *self, sal_builder *b)
{
    const slot *s = self;

    sal_add_value(b, 1.0, s->d);
    sal_derive(b, "2*q", (sal_bind[]){ { "d", s->d }, { 0 } });
    sal_element_error(b, "offset", "%d is %s", 7, "odd");
}

static void test_own_type(void **state)
{
    static const char text[] =
        "{'saltus': 1, 'gravity': [0, -10],\n"
        "'points': {'A': {'at': [0, 0], 'fixed': true}, 'B': {'at': [3, -4], 'fixed': true}, 'P': {'at': [0.1, 0]}},\n"
        "'bodies': {'m': {'type': 'point_mass', 'point': 'P', 'mass': 2}},\n"
        "'joints': {'groove': {'type': 'guide', 'points': ['A', 'B'], 'point': 'P', 'length': 5, 'alpha': 1e8}},\n"
        "'outputs': {'l': 'lambda(groove)'}, 'simulation': {'duration': 1}}";
    sal_type         rowless = slot_type, empty = { 0 };
    sal_element_info info;
    fixture          f;
    double           at[2], v[2];
    printed          p;
    char             expected[1024];

    (void)state;
    begin(&f);
    parse(&f, text);
    with_joints(&f, "t.json:4:31: joints.groove.type: unknown type 'guide'; known here: {joints}\n", expected,
                sizeof expected);
    assert_string_equal(sal_message(f.context), expected);
    assert_int_equal(sal_register_joint(f.context, &slot_type), SAL_OK);
    start(&f, text);
    assert_int_equal(f.status, SAL_OK);
    assert_true(sal_model_element(f.model, 1, &info));
    assert_string_equal(info.type, "guide");
    assert_int_equal(info.constraints, 1);
    assert_int_equal(sal_run_to(f.run, 0.5), SAL_OK);
    assert_int_equal(sal_run_point(f.run, "P", at, v), SAL_OK);
    assert_near(at[0] * -4.0 - at[1] * 3.0, 0.0, 1e-9);
    assert_near(sqrt(v[0] * v[0] + v[1] * v[1]), 10.0 * 0.8 * 0.5, 1e-7);
    assert_near(fabs(sal_run_output(f.run, 0)) * 5.0, 2.0 * 10.0 * 0.6, 1e-7); /* |Phi_q| = L */
    drop(&f);

    p = describe(f.context, "guide");
    assert_non_null(strstr(p.text, "distance from the line, to the left of it (default 0)"));
    free(p.text);
    parse(&f, SCENE("'joints': {'s': {'type': 'guidee', 'points': ['A', 'P'], 'point': 'Q'}}"));
    assert_string_equal(sal_message(f.context),
                        "t.json:2:26: joints.s.type: unknown type 'guidee'; did you mean 'guide'?\n");
    parse(&f, SCENE("'joints': {'s': {'type': 'guide', 'points': ['A', 'P'], 'pint': 'Q', 'length': 1, 'ofset': 1}}"));
    assert_string_equal(sal_message(f.context), "t.json:2:57: joints.s: unknown key 'pint'; did you mean 'point'?\n"
                                                "t.json:2:83: joints.s: unknown key 'ofset'; did you mean 'offset'?\n");

    assert_int_equal(sal_register_joint(f.context, &slot_type), SAL_ERR_ARGUMENT);
    assert_string_equal(sal_message(f.context), "joints already has a type 'guide'\n");
    rowless.name = "bar";
    assert_int_equal(sal_register_body(f.context, &rowless), SAL_ERR_ARGUMENT);
    assert_string_equal(sal_message(f.context), "bodies already has a type 'bar'\n");
    assert_int_equal(sal_register_contact(f.context, &empty), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_register_contact(f.context, NULL), SAL_ERR_ARGUMENT);

    rowless.name = "rowless";
    rowless.emit = rowless_emit;
    assert_int_equal(sal_register_joint(f.context, &rowless), SAL_OK);
    parse(&f,
          SCENE("'joints': {'s': {'type': 'rowless', 'points': ['A', 'P'], 'point': 'Q', 'length': 1, 'offset': 1}}"));
    assert_string_equal(sal_message(f.context), "t.json:2:17: joints.s: its type adds a term before it begins a row\n"
                                                "t.json:2:17: joints.s: its type derives '2*q': unknown name 'q'\n"
                                                "t.json:2:96: joints.s.offset: 7 is odd\n");
    end(&f);
    begin(&f); /* another context knows nothing of it */
    assert_int_equal(sal_register_joint(f.context, &slot_type), SAL_OK);
    end(&f);
}

/* A type that gets points and axes wrong is told so, and nothing is read that is not there. */
typedef struct lost {
    sal_point given, absent, pair[2], marker;
    sal_slot  mass;
    int       mistake;
} lost;

static const char *const mistakes[] = { "along", "dot", "axis", "mass", "turned", "spring", "formula", "frame", NULL };

static const sal_field lost_fields[] = {
    { "given", SAL_F_POINT, offsetof(lost, given), .help = "a point" },
    { "absent", SAL_F_POINT, offsetof(lost, absent), .standard = "", .help = "another" },
    { "pair", SAL_F_PAIR, offsetof(lost, pair), .standard = "", .help = "two more" },
    { "marker", SAL_F_POINT, offsetof(lost, marker), .help = "a marker" },
    { "mass", SAL_F_VALUE, offsetof(lost, mass), .standard = "1", .help = "a number" },
    { "mistake", SAL_F_CHOICE, offsetof(lost, mistake), .help = "what it does", .words = mistakes },
};

static void lost_emit(const void *self, sal_builder *b)
{
    const lost *s = self;

    assert_int_equal(sal_dimension(b), 2);
    assert_int_equal(s->pair[1].index, SAL_NONE);
    assert_true(sal_point_is_basic(b, s->given) && sal_point_is_free(b, s->given));
    assert_true(!sal_point_is_basic(b, s->marker) && sal_point_is_free(b, s->marker));
    assert_true(!sal_point_is_basic(b, s->absent) && !sal_point_is_free(b, s->absent));
    if (s->mistake <= 2) sal_row_begin(b, "");
    switch (s->mistake) {
    case 0: sal_add_along(b, 1.0, 0, s->given, s->absent); break;
    case 1: sal_add_dot(b, 1.0, s->pair[0], s->given, s->given, s->marker); break;
    case 2: sal_add_along(b, 1.0, 2, s->given, s->marker); break;
    case 3: sal_add_mass(b, s->marker, s->given, s->mass); break;
    case 4: sal_add_mass_turned(b, s->given, s->absent, s->mass); break;
    case 5: sal_add_spring(b, s->given, (sal_point){ 1000 }, s->mass, s->mass, s->mass); break;
    case 6: sal_row_formula(b, "", sal_formula("x(P)"), (sal_bind[]){ { "P", .point = &s->absent }, { 0 } }); break;
    default: sal_body_frame(b, (sal_point[]){ s->given, s->marker }, SAL_NONE);
    }
}

static void test_lost_points(void **state)
{
    static const char *const says[] = { "its type uses a point that is not given",
                                        "its type uses a point that is not given",
                                        "its type uses an axis that there is not",
                                        "its type gives a mass to a marker; masses belong to basic points",
                                        "its type uses a point that is not given",
                                        "its type uses a point that is not given",
                                        "in 'x(P)', column 3: the point P is not given",
                                        "its type has a frame on a marker" };
    const sal_type           type   = { .name    = "lost",
                                        .help    = "gets it wrong",
                                        .size    = sizeof(lost),
                                        .fields  = lost_fields,
                                        .nfields = SAL_COUNT(lost_fields),
                                        .rows    = true,
                                        .emit    = lost_emit };
    fixture                  f;

    (void)state;
    begin(&f);
    assert_int_equal(sal_register_joint(f.context, &type), SAL_OK);
    for (int k = 0; k < SAL_COUNT(says); k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{'saltus': 1, 'points': {'A': {'at': [0, 0]}, 'B': {'at': [1, 0]}},\n"
                 "'bodies': {'r': {'type': 'bar', 'points': ['A', 'B'], 'mass': 1, 'markers': {'M': [0.5, 0.1]}}},\n"
                 "'joints': {'j': {'type': 'lost', 'given': 'A', 'marker': 'M', 'mistake': '%s'}}}",
                 mistakes[k]);
        parse(&f, text);
        assert_int_equal(f.status, SAL_ERR_SCENE);
        if (sal_error_count(f.context) != 1) fail_msg("%s", sal_message(f.context));
        assert_non_null(strstr(sal_message(f.context), says[k]));
    }
    end(&f);
}

/* A type says which reactions it has, and is held to it; so do all types of the engine that have some. */
static void untold_emit(const void *self, sal_builder *b)
{
    (void)self;
    sal_add_reaction(b, "min.pull", "N", "1", NULL);
    sal_add_reaction(b, "pul", "N", "1", NULL);
}

static void test_reactions_are_told(void **state)
{
    static const char *const without[] = { "point_mass", "event" };
    const sal_type           type      = {
                       .name = "untold", .help = "says less", .size = 1, .emit = untold_emit, .reactions = "pull [N], pulls [N]"
    };
    const sal_registry *registry;
    fixture             f;
    printed             p;

    (void)state;
    begin(&f);
    registry = sal_context_registry(f.context);
    for (sal_section s = SAL_BODIES; s < SAL_SECTIONS; s++) {
        for (int k = 0; k < registry->n[s]; k++) {
            const char *name = registry->type[s][k]->name;
            bool        none = s == SAL_JOINTS && !strcmp(name, "formula");
            for (int i = 0; i < SAL_COUNT(without); i++) none |= !strcmp(name, without[i]);
            if (none != !registry->type[s][k]->reactions) fail_msg("%s", name);
        }
    }
    p = describe(f.context, "revolute");
    assert_non_null(strstr(p.text, "  reactions      fx, fy [N] on the first point"));
    free(p.text);
    assert_int_equal(sal_register_joint(f.context, &type), SAL_OK);
    parse(&f, SCENE("'joints': {'s': {'type': 'untold'}}"));
    assert_string_equal(sal_message(f.context),
                        "t.json:2:17: joints.s: its type does not tell of the reaction 'pul'\n");
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_points),
        cmocka_unit_test(test_own_type),
        cmocka_unit_test(test_reactions_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
