/* impact.h - what impacts (impact.c) are made of. */
#ifndef SAL_CONTACT_IMPACT_H
#define SAL_CONTACT_IMPACT_H

#include "engine/contact/contact.h"

/* calm.c: after the impact, where what is slower than `rest` is at rest: that is brought to rest. */
sal_status sal_contacts_calm(sal_contacts *c, sal_system *s, const double *zero, sal_tangent *t);

/* phase.c: d and impulses for the roles as they are. */
sal_status sal_phase_solve(sal_contacts *c, sal_system *s, sal_phase *phase);
/* The same of a phase without goals and given impulses, but smoothly: what K hardly sees is left out of impulses, and
 * of velocities as much as that is. */
sal_status sal_phase_solve_smoothly(sal_contacts *c, sal_system *s, sal_phase *phase);
/* Whether impulses that are not determined, of which the least are taken, are such as contacts cannot have. */
bool sal_phase_impossible(const sal_contacts *c, const sal_system *s, const sal_phase *phase);
/* v' before the phase becomes v' after it; s->zd is v after it, the factors are those of the phase. */
void sal_phase_differentiate(sal_contacts *c, sal_system *s, sal_phase *phase, sal_tangent *t);
/* Rows that share first, or next, or all of them have impulses that are not determined. */
void sal_phase_note_choice(sal_contacts *c, int shares);

/* bound.c: gapdot and slip of what takes part, with their derivatives: `when` 0 before, 1 after compression, 2 after
 * expansion. */
void sal_bound_read_rates(sal_contacts *c, sal_system *s, sal_tangent *t, int when);
/* Both phases are made: takes as much of the expansion, if there is one, as adds no energy; and notes what Newton's law
 * has added all the same. */
void sal_bound_expansion(sal_contacts *c, sal_system *s, sal_tangent *t, bool expands);

#endif
