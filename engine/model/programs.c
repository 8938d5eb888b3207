/* programs.c - the one place that knows where all programs of the tables are. */
#include "engine/model/model.h"

typedef struct visitor {
    sal_visit visit;
    void     *self;
} visitor;

static void tell(const visitor *v, sal_use use, int index, const char *name, const sal_program *program)
{
    if (program->n) v->visit(v->self, &(sal_program_use){ use, index, name, program });
}

static void visit_motion(const sal_tables *t, const visitor *v)
{
    for (int k = 0; k < t->values.n; k++) tell(v, SAL_USE_VALUE, k, t->values.at[k].text, &t->values.at[k].program);
    for (int k = 0; k < t->rows.n; k++) tell(v, SAL_USE_ROW, k, t->rows.at[k].name, &t->rows.at[k].formula);
    for (int k = 0; k < t->efforts.n; k++) {
        tell(v, SAL_USE_FORCE, k, "a force", &t->efforts.at[k].rate);
        tell(v, SAL_USE_FORCE, k, "a force", &t->efforts.at[k].force);
    }
    for (int k = 0; k < t->energies.n; k++) tell(v, SAL_USE_ENERGY, k, "energy", &t->energies.at[k]);
}

static void visit_events(const sal_tables *t, const visitor *v)
{
    for (int e = 0; e < t->events.n; e++) {
        const sal_event *event = &t->events.at[e];
        tell(v, SAL_USE_EVENT, e, event->name, &event->when);
        tell(v, SAL_USE_EVENT, e, event->name, &event->guard);
        for (int k = event->set; k < event->set + event->nset; k++) {
            tell(v, SAL_USE_JUMP, e, event->name, &t->setters.at[k].velocity);
            tell(v, SAL_USE_SET, e, event->name, &t->setters.at[k].value);
        }
        for (int k = 0; k < t->notes.n; k++) {
            if (t->notes.at[k].event == e) tell(v, SAL_USE_SET, e, event->name, &t->notes.at[k].value);
        }
        for (int k = 0; k < t->event_costs.n; k++) {
            if (t->event_costs.at[k].event == e)
                tell(v, SAL_USE_EVENT_COST, e, event->name, &t->event_costs.at[k].program);
        }
    }
}

static void visit_results(const sal_tables *t, const visitor *v)
{
    for (int k = 0; k < t->outputs.n; k++) tell(v, SAL_USE_RESULT, k, t->outputs.at[k].name, &t->outputs.at[k].program);
    for (int k = 0; k < t->reactions.n; k++)
        tell(v, SAL_USE_RESULT, k, t->reactions.at[k].name, &t->reactions.at[k].program);
    for (int k = 0; k < t->costs.n; k++) {
        tell(v, SAL_USE_RESULT, k, t->costs.at[k].name, &t->costs.at[k].running);
        tell(v, SAL_USE_RESULT, k, t->costs.at[k].name, &t->costs.at[k].terminal);
        tell(v, SAL_USE_RESULT, k, t->costs.at[k].name, &t->costs.at[k].peak);
        tell(v, SAL_USE_RESULT, k, t->costs.at[k].name, &t->costs.at[k].value);
    }
    for (int k = 0; k < t->gaps.n; k++) {
        for (int i = 0; i < SAL_GAP_QUANTITIES; i++)
            tell(v, SAL_USE_RESULT, k, t->gaps.at[k].name, &t->gaps.at[k].program[i]);
    }
    for (int k = 0; k < t->drawing.n; k++) {
        const sal_drawn *d = &t->drawing.at[k];
        for (int axis = 0; axis < t->dimension; axis++) tell(v, SAL_USE_DRAWING, k, "", &d->vector[axis]);
        tell(v, SAL_USE_DRAWING, k, "", &d->size);
        tell(v, SAL_USE_DRAWING, k, "", &d->friction);
        tell(v, SAL_USE_DRAWING, k, "", &d->curve);
    }
}

typedef struct rewriter {
    void (*change)(void *self, sal_use use, sal_program *program);
    void *self;
} rewriter;

static void change_one(void *self, const sal_program_use *use)
{
    const rewriter *r = self;

    r->change(r->self, use->use, (sal_program *)use->program); /* of tables that are the caller's to write */
}

void sal_tables_rewrite(sal_tables *tables, void (*change)(void *self, sal_use use, sal_program *program), void *self)
{
    sal_tables_visit(tables, change_one, &(rewriter){ change, self });
}

void sal_tables_visit(const sal_tables *tables, sal_visit visit, void *self)
{
    const visitor v = { visit, self };

    visit_motion(tables, &v);
    visit_events(tables, &v);
    visit_results(tables, &v);
}
