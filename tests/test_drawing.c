/* test_drawing.c - every registered type is drawn: in every scene that can be made for it (scene_generator.h) its
 * element has items whose points are in the scene, and numbers where their kinds have them. */
#include "tests/scene_generator.h"

typedef struct tally {
    int scenes, runs, items;
} tally;

/* The numbers that a kind has are finite, the others are NaN. */
static void check_numbers(const sal_drawing *d, const sal_drawing_state *s, const char *where)
{
    const sal_drawing_kind k        = d->kind;
    const bool             straight = k == SAL_DRAW_SLIDER || k == SAL_DRAW_RACK || k == SAL_DRAW_EDGE;
    const bool             ground = k == SAL_DRAW_GROUND, contact = k == SAL_DRAW_CONTACT;
    const bool             between =
        k == SAL_DRAW_TORSION || k == SAL_DRAW_ANGLE || k == SAL_DRAW_TORQUE || (k == SAL_DRAW_MOTOR && d->body >= 0);
    const struct {
        double value;
        bool   has, may; /* it has the number; it may have */
    } list[] = {
        { s->angle, d->body >= 0, ground || k == SAL_DRAW_RACK },
        { s->reference, between, false },
        { s->radius, k == SAL_DRAW_DISC || k == SAL_DRAW_GEAR, contact },
        { s->height, ground, false },
        { s->speed, false, ground },
        { s->low, false, k == SAL_DRAW_LIMIT || k == SAL_DRAW_ANGLE },
        { s->high, false, k == SAL_DRAW_LIMIT || k == SAL_DRAW_ANGLE },
        { s->place[0] + s->place[1], contact, false },
        { s->direction[0] + s->direction[1], straight || contact, ground },
        { s->force[0] + s->force[1], contact || k == SAL_DRAW_FORCE, false },
        { s->torque, k == SAL_DRAW_TORQUE, false },
        { s->friction, contact, false },
        { s->rate, between, false },
    };

    for (int i = 0; i < SAL_COUNT(list); i++) {
        if (list[i].may ? isinf(list[i].value) : list[i].has != (bool)isfinite(list[i].value))
            fail_msg("number %d of a %s is %g in\n%.6000s", i, d->name, list[i].value, where);
    }
    if (straight || contact) assert_near(hypot(s->direction[0], s->direction[1]), 1.0, 1e-12);
}

static void check_scene(void *self, const generated *scene)
{
    const sal_model *model = scene->r->model;
    tally           *t     = self;
    sal_element_info e;
    sal_point_info   p;
    sal_drawing      d;
    sal_run_opts     opts = sal_run_defaults();
    sal_run         *run;
    int              places = 0;

    opts.quiet = true;
    if (sal_run_create(model, &opts, &run) != SAL_OK) run = NULL; /* not every scene can be assembled */
    for (int k = 0; sal_model_drawing(model, k, &d); k++) {
        double            at[64][2], y;
        sal_drawing_state s;
        assert_true(sal_model_element(model, d.element, &e) && d.npoints <= SAL_COUNT(at));
        for (int i = 0; i < d.npoints; i++) {
            assert_true(d.points[i] == -1 || sal_model_point(model, d.points[i], &p));
            places += !strcmp(e.name, "it") && d.points[i] >= 0;
        }
        t->items++;
        if (!run) continue;
        assert_true(sal_run_drawing(run, k, at[0], &s));
        for (int i = 0; i < d.npoints; i++) {
            double pos[2] = { at[i][0], at[i][1] };
            if (sal_model_point(model, d.points[i], &p))
                assert_int_equal(sal_run_point(run, p.name, pos, NULL), SAL_OK);
            assert_near(at[i][0], pos[0], 0.0);
            assert_near(at[i][1], pos[1], 0.0);
        }
        check_numbers(&d, &s, scene->text);
        assert_int_equal(d.curve, d.kind == SAL_DRAW_GROUND || d.kind == SAL_DRAW_CURVE);
        assert_int_equal(sal_run_drawing_curve(run, k, 0.7, &y), d.curve);
        assert_true(!d.curve || isfinite(y));
    }
    if (!places) fail_msg("nothing is drawn of the element in\n%.6000s", scene->text);
    t->scenes++;
    t->runs += run != NULL;
    sal_run_destroy(&run);
}

static void every_registered_type(void **state)
{
    sal_context        *context  = make_context();
    const sal_registry *registry = sal_context_registry(context);

    (void)state;
    for (sal_section s = SAL_BODIES; s < SAL_SECTIONS; s++) {
        for (int k = 0; k < registry->n[s]; k++) {
            tally t = { 0 };
            generate(&(generator){ .visit = check_scene, .self = &t }, s, registry->type[s][k]);
            print_message("%-11s %3d scenes, %3d of them run; %4d items\n", registry->type[s][k]->name, t.scenes,
                          t.runs, t.items);
            assert_true(t.scenes > 0 && t.runs > 0);
        }
    }
    sal_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_registered_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
