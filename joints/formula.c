/* formula.c - a joint or a force of one's own, by expressions of the scene's points, bodies and parameters.
 *
 *     rows      Phi_k(q, t) = 0
 *     rates     velocity_k(q, v, t) = 0, linear in v: constraints that are known by their rates only
 *     forces    { velocity: force }, doing the power force * velocity; linear in v, the force any expression of motion
 *
 * lambda(name) or lambda(name.row1), ... is the multiplier of a row: -lambda times the gradient of the row is its
 * force. With one row it bears the element's name, with several row1, row2, ... */
#include "engine/ext.h"

typedef struct formula {
    sal_texts rows, rates, forces;
} formula;

static const sal_field fields[] = {
    { "rows", SAL_F_TEXTS, offsetof(formula, rows), .standard = "", .help = "constraints: each expression is zero" },
    { "rates", SAL_F_TEXTS, offsetof(formula, rates), .standard = "",
      .help = "constraints of which only the rate is known: each velocity is zero" },
    { "forces", SAL_F_FORMULAS, offsetof(formula, forces), .standard = "",
      .help = "forces: { \"velocity\": \"force\" }, doing the power force * velocity" },
};

static void emit(const void *self, sal_builder *b)
{
    const formula *s = self;

    if (s->rows.n + s->rates.n + s->forces.n == 0)
        sal_element_error(b, "", "expected 'rows', 'rates' or 'forces', found none");
    sal_emit_formulas(b, s->rows, s->rates, s->forces, NULL);
}

const sal_type sal_joint_formula = {
    .name    = "formula",
    .help    = "constraints and forces by expressions",
    .size    = sizeof(formula),
    .fields  = fields,
    .nfields = SAL_COUNT(fields),
    .rows    = true,
    .emit    = emit,
};
