/* tolerance.h - the numbers that decide what is zero, small, equal or near; all without a unit. One place for all
 * folders: who changes one sees its neighbours. Beside each: what it is relative to, what happens beyond it, and the
 * test that fails when it is a thousand times larger (up) or smaller (down). */
#ifndef SAL_TOLERANCE_H
#define SAL_TOLERANCE_H

/* ------------------------------------------------------------------------------------------------------- solve/ */

/* Smallest over largest pivot of S K S (KLU's rcond). Below: singular, a solution would have no correct digit. */
#define SAL_SINGULAR 1e-15
/* The same when a mode begins. Below: rows depend on each other, and multipliers are shared. */
#define SAL_ALMOST_SINGULAR 3e-14
/* The same in a motion, over the largest when a mode began. Below: K is almost singular. */
#define SAL_NEARLY 1e-5
/* The same over what it was when pivots were chosen last. Below: they are chosen anew. */
#define SAL_PIVOTS_WORSE 1e-3
/* What a row of length 1 has beyond the span of others (solve.h). Below: it depends on them. Rounding makes some 1e-16
 * of it, more where points are far from the origin, and where constraints that depend on each other are open by as
 * little as projection leaves them. Pivots of K are its square: from 3e-8 down KLU finds K singular, and multipliers
 * are shared, although the rows count as independent. */
#define SAL_DEPENDENT 1e-10
/* Singular values of a return map, relative to 1 or the largest: the map is in units of the cycle's own length and
 * speed, so 1 is what keeps its size. Below: zero by structure. Larger than SAL_DEPENDENT, as a map is known to the
 * tolerance of a run, a Jacobian to a rounding error or two. */
#define SAL_NO_RANGE 1e-9
/* |multiplier| of a return map. Below: zero by structure. */
#define SAL_NO_MULTIPLIER 1e-7

/* Complementarity problems, whose numbers are of size 1: numbers below this much of what they are made of are zero;
 * ratios this close are the same; a pivot below this is none; what a solution is off by when it is solved anew; what
 * its conditions are off by. */
#define SAL_LCP_NOISE  1e-12
#define SAL_LCP_TIE    1e-11
#define SAL_LCP_PIVOT  1e-11
#define SAL_LCP_AGREES 1e-6
#define SAL_LCP_EXACT  1e-13 /* as it is, there is nothing to gain by solving anew */
#define SAL_LCP_HOLDS  1e-9
#define SAL_LCP_AHEAD  1e-7 /* the same of eps z1, where several z stand for each other */
#define SAL_LCP_SOFTLY 1e-4 /* what a soft solution is off by that stands for one that rounding hides */
/* What is added to their diagonal at first, where pivots have become rounding errors. */
#define SAL_LCP_SOFT 1e-6

/* ------------------------------------------------------------------------------------------------------ motion/ */

/* Corners of S K S that let rows pass that depend on each other: where the multipliers do not matter; and where they
 * do. Their part that is not determined has errors of rounding / corner, which are taken out (solve/kkt.c), the rest of
 * corner^3. */
#define SAL_REGULAR 1e-14
#define SAL_LEAST   1e-9
/* The same in a motion: what K sees less of is left out of multipliers (solve/kkt.c). Where links come into line, sigma
 * what a row has beyond others, positions are known to rounding / sigma, and forces to rounding / sigma^4. Less where
 * contacts slide: pivots of a contact that is about to jam (contact/jam.c) are not to be hidden. */
#define SAL_LEAST_MOVING  1e-7
#define SAL_LEAST_SLIDING 1e-9
/* The same where what is slower than `rest` is brought to rest: what is left of rates is the root of it, and less than
 * counts as a slip. */
#define SAL_LEAST_CALM 1e-12
/* `rest` over the speed that accelerations give a mechanism over its length. Beyond it this is not done: all of its
 * motion may be that slow. */
#define SAL_CALM 1e-3
/* The same where nothing is decided by forces, over the smaller of 1 and SAL_REGULAR_USUAL times rcond when a mode
 * began; and rcond over that. Below: K gets it. */
#define SAL_LEAST_PASSING  4e-9
#define SAL_REGULAR_USUAL  1e4
#define SAL_NEARLY_PASSING 1e-4
/* What K then sees least of, sigma^2. Beyond: it is only its pivots that are bad. */
#define SAL_SEEN 1e-5
/* After a projection with that corner, |Phi_r| / |Phi_q,r| over the length and |Phidot_r| / |Phi_q,r| over the speed.
 * Beyond: the motion does not go straight through. */
#define SAL_STRAIGHT      1e-12
#define SAL_STRAIGHT_RATE 1e-10
/* Accelerations there, over those before. Beyond: the motion turns. */
#define SAL_TURNS 10.0
/* A multiplier over the largest of those that K hardly sees, in units of S. Below: its row is not named. */
#define SAL_LINED_NAMED 1e-2
/* A rate of a row by itself over the parts of its rate by velocities. Below: rounding. */
#define SAL_DRIVEN 1e-9
/* The same where forces stay near those that a contact problem has found: its errors, 1e-12, are divided by it. */
#define SAL_LEAST_FOUND 1e-5
/* What such forces are known to, over the largest: rounding of places over that corner, times the number of contacts
 * that it comes through. */
#define SAL_FOUND_TOLD 1e-9
/* Noise of forces where K is almost singular, over the largest. Up to it: expected. */
#define SAL_NOISE_NEAR 1e-2
/* rcond of K with such a corner. Beyond: no rows depend on each other. */
#define SAL_SURELY_REGULAR 1e-5
/* A normal force over the largest: friction is shared as if none were less. */
#define SAL_SHARE_LEAST 1e-3
/* An unknown over the largest of a null vector, an open row over the widest. Below: not named in a message. */
#define SAL_NAMED 1e-6
/* A coordinate over the largest unknown of a null vector, in units of S. Beyond: its acceleration is not determined,
 * else constraints depend on each other. */
#define SAL_DETERMINED 1e-9
/* The energy of such a motion over that of its coordinates one by one. Beyond: it moves mass. */
#define SAL_MOVES_MASS 1e-6
/* Phi after a projection over that before it. Beyond: the step was too long, unless rows are closed all the same. */
#define SAL_PROJECTED 1e-6
/* |Phi_r| / |Phi_q,r| over the mechanism's length. Up to it a row is closed, whatever it was before. */
#define SAL_CLOSED 1e-10
/* The same over the length and the size of coordinates, when a mechanism is put together. Up to it Newton's method may
 * end. */
#define SAL_ASSEMBLED 1e-12
/* The way of Newton's method beyond three times what rows were open by, over the length. Beyond: a nearer one is
 * looked for. */
#define SAL_DETOUR 1e-9
/* A velocity that a constraint or an event asks for and does not get, over the largest. Beyond: they contradict each
 * other. */
#define SAL_VELOCITY_OFF 1e-9
/* The change of a velocity given, over the largest. Beyond: the log is told. */
#define SAL_VELOCITY_TOLD 1e-3
/* A factor of a dependency of rows over the largest. Below: that row takes no part. */
#define SAL_FACTOR_MATTERS 1e-7
/* The second derivative of a dependency along motions, in units of the row and of coordinates. Beyond: the rows depend
 * on each other in this configuration only. */
#define SAL_ONLY_HERE 1e-8
/* What forces are differences of, k times coordinates, counts this much as a force: SAL_CONTACT_SMALL of it is what
 * rounding leaves of the difference. */
#define SAL_OPERAND 1e-3

/* ----------------------------------------------------------------------------------------------------- contact/ */

/* A force, an impulse or a velocity over the largest of its kind. Up to it: rounding, no reason to change a role. */
#define SAL_CONTACT_SMALL 1e-10
/* The speed at which contacts close over that of the motion. Below: motions along normals are measured by it over this,
 * but by no less than this much of the motion. */
#define SAL_SLOW_IMPACT  1e-6
#define SAL_IMPACT_LEAST 1e-4
/* How much contacts that are kept in an impact, as they would leave slower than `rest`, change how contacts move, over
 * `rest`. Beyond: they pull. */
#define SAL_KEPT_PULLS 10.0
/* How deep a contact that is open may be, over the mechanism's length: it touches, and integration has let it sink. */
#define SAL_SUNK 1e-9
/* Velocities after an impact, with friction shared one way and another, over the largest change. Beyond it: the sharing
 * has broken the equations. */
#define SAL_SHARED_ALIKE 1e-6
/* What is left of the velocity of a row after an impact that it is to hold, over what it is made of. Beyond it: rows
 * contradict each other. */
#define SAL_CONTRADICTS 1e-8
/* A diagonal entry of the inverse mass that contacts feel over the largest. Below: nothing gives way there. */
#define SAL_BLOCKED 1e-14
/* The motion of the points of a contact over the largest of the mechanism: its motions are measured by no less. */
#define SAL_SIZE_LEAST 1e-3
/* Friction over mu_static N. Up to it forces that are not determined are left as they come. */
#define SAL_STICKS_WELL 0.95
/* What is left of the inverse mass along the normal of a contact that slides, over that without friction. Below: the
 * contact jams. And where steps have become too short to come so near. */
#define SAL_JAM      1e-7
#define SAL_JAM_SOON 1e-3
/* Columns of the inverse mass that two tangents feel, apart, over their size. Up to it: they move alike. */
#define SAL_ALIKE 1e-9
/* What holds a body together in penalty form gives way too much, per force, for it to count as rigid. */
#define SAL_SOFT 1e-3
/* How far a mechanism is moved to see whether contacts stay alike, over its length; and what of a row is then left that
 * others hold, over its size. */
#define SAL_FURTHER  1e-3
#define SAL_TOGETHER 1e-7
/* The energy that an impact gives back beyond its bound, over what it exchanges. Up to it: rounding. */
#define SAL_ENERGY_ROUNDING 1e-12
/* What a row that holds is off by, over the sum of what it is made of. Beyond: rows contradict each other. */
#define SAL_CONTRADICTION 1e-6
/* A speed over the natural one, sqrt(acceleration length). Below: velocities are measured by this in its place. */
#define SAL_SPEED_LEAST 1e-6
/* A gap over the length, its rate over the speed. Up to it: the contact is closed at the start. */
#define SAL_TOUCHING 1e-9
/* How far a contact with a segment of a line goes on beyond a corner that turns towards what touches, over the shorter
 * of the segments there: behind the other one, where nothing can be. */
#define SAL_INTO_CORNER 1e-2
/* What a function that says where a contact is may be off zero, over the numbers that it is made of. Up to it: on the
 * end, inside unless it goes outwards. */
#define SAL_ON_END 2e-11
/* A force over the largest, a gap over the length, where contacts are taken as constraints. Beyond: a warning. And the
 * acceleration that presses on a contact whose force has just fallen to zero, over the largest: beyond it has not. */
#define SAL_CONTACT_OFF 1e-9

/* --------------------------------------------------------------------------------------------------------- run/ */

/* An event function over the numbers that it is a difference of. Up to it: zero, which is what rounding leaves of a
 * difference of coordinates over many steps. */
#define SAL_ZERO 1e-13
/* The mechanism's own length and natural speed count this much among those numbers, even where nothing moves. */
#define SAL_ZERO_LEAST 1e-3
/* What a curve jumps by over the length, its rate over the speed. Beyond: it has a step or a kink, and is refused. */
#define SAL_JUMPS 1e-7
/* What the end of a step is corrected by over the length or the speed, over rtol. Beyond (and beyond SAL_HOLD_FITS):
 * what is prescribed has jumped in the step. */
#define SAL_THROWN 1e3
/* A time from another, in rounding errors of itself (DBL_EPSILON). Up to it: an event cannot be located better. */
#define SAL_TIME_ROUNDING 4.0
/* What is left of a gradient that constraints take up, over it; and of rates. Up to it: constraints hold the event
 * function at zero. */
#define SAL_HELD 1e-8
/* The time in which the mechanism moves by its own length, over which rates are differenced: an estimate. */
#define SAL_CURVATURE_STEP 1e-4
/* An acceleration over the largest. Up to it a contact that begins to slip has none yet. */
#define SAL_NO_ACCELERATION 1e-10
/* The rate of a gap over the largest speed. Below: rounding, whichever its sign. */
#define SAL_NO_SPEED 1e-14
/* Height of a rebound over the zero of the gap; and over the length, over the cube root of what that zero is over the
 * length. Below both: it is followed by its rate. */
#define SAL_HOP_ZERO 1e4
#define SAL_HOP      0.1
/* The error of a fit over its largest coefficient. Beyond: it may hide what oscillates around it. */
#define SAL_COARSE_FIT 1e-6
/* |Phi_r| / |Phi_q,r| over the mechanism's length. Beyond: an event cannot let the row hold, positions do not jump. */
#define SAL_HOLD_FITS 1e-6
/* Of the duration: this short a time is an instant. */
#define SAL_INSTANT 1e-9
/* Of the time: in steps as short as this an event function that changes its sign does so however large it is: that is
 * what rounding leaves of it. */
#define SAL_CRUMB 1e-12
/* Of the time left: a step that ends this short of the end goes to the end. */
#define SAL_LAST_STEP 1e-9
/* Of the duration: rounding of the time near t = 0 is measured by this, which is what a step cannot be shorter than. */
#define SAL_STEP_AT_ZERO 1e-3
/* h |lambda| over where explicit steps become unstable. Beyond, in most steps: what is stiff makes them short. */
#define SAL_STIFF 0.5
/* Such steps more than others, lately. From there on it is stiff. */
#define SAL_STIFF_ENOUGH 15
/* Explicit steps that an implicit one replaces, as far as stability goes. Below: it costs more than they do. */
#define SAL_IMPLICIT_PAYS 8.0
/* omega h at the stages of the form index3: by how much Phi = 0 there outweighs Phiddot = 0. */
#define SAL_INDEX3_RATE 1e4
/* Rounding of positions over h, over the tolerance of velocities. Up to it: no noise in what the stages have. */
#define SAL_INDEX3_NOISE 1e-2
/* rtol. Below: refused, rounding errors are larger. */
#define SAL_RTOL_LEAST 1e-15
/* Derivatives of two event times apart, over the larger. Up to it: the events are at one time for all parameters. */
#define SAL_SAME_TIME 1e-7
/* The derivative of a gap at the start over the sum of its parts. Beyond: the contact touches for this parameter only.
 */
#define SAL_GAP_CHANGES 1e-9

/* ----------------------------------------------------------------------------------------------------- studies/ */

/* The smallest singular value of the rows over the largest. Below: near a singular configuration. */
#define SAL_NEAR_SINGULAR 1e-6
/* An eigenvalue of H_z over the largest. Up to it: no stiffness. */
#define SAL_NO_STIFFNESS 1e-12
/* A position over the size of the mechanism, whose change of forces counts as one: what residuals are measured by. */
#define SAL_POSITION_FORCE 1e-3
/* H_z - H_z^T over H_z. Up to it: symmetric, there is a potential. */
#define SAL_SYMMETRIC 1e-11
/* The work that a step promises, over force times size. Below: rounding, no reason to judge the step by it. */
#define SAL_NO_WORK 1e-12
/* Of the size: the least radius in which a saddle that was met by symmetry is left. */
#define SAL_OVER_HILL 1e-2
/* Phidot of a row at rest, over its slope times the speed of the start or the natural one. Beyond: it asks for a
 * velocity. */
#define SAL_AT_REST 1e-12
/* Phi_q Q + Phi_rho of a row over its slope times the largest of Q. Beyond: constraints cannot follow the parameter. */
#define SAL_FOLLOWS 1e-8
/* A force along a direction without stiffness, over the largest. Beyond: the equilibrium has no derivative. */
#define SAL_NO_FORCE 1e-9
/* The size over that at the start. Beyond: nothing will hold the mechanism. */
#define SAL_AWAY 1e6
/* D_z over sqrt(H_z M_z). Up to it: no damping. */
#define SAL_NO_DAMPING 1e-13
/* |s| over the largest, where there are directions without stiffness. Below: it is one of them. */
#define SAL_NO_FREQUENCY 1e-6
/* Eigenvalues apart, over their size, of symmetric and of other matrices. Up to it: repeated. */
#define SAL_REPEATED         1e-9
#define SAL_REPEATED_GENERAL 1e-6
/* The real part of s over the largest |s|. Beyond: unstable. */
#define SAL_UNSTABLE 1e-10
/* Singular values of I - dP/dg over the largest. Below: neutral directions, cycles come in families. */
#define SAL_CYCLE_NEUTRAL 1e-9
/* |multiplier - 1|, where there are such directions. Below: it belongs to one of them. */
#define SAL_CYCLE_IS_ONE 1e-6
/* What (I - P_g) dg/drho = P_rho is off by, over P_rho. Beyond: the cycle has no derivative. */
#define SAL_CYCLE_CHANGES 1e-6
/* |P(g) - g| in units of the cycle. Below: following the motion has come near enough for Newton's method. */
#define SAL_SETTLED 1e-3
/* What moving everything by what a cycle moves it changes, over the sum of parts. Beyond: the motion notices, it is no
 * symmetry. Also what is left of a whole number, and the least way, over the size, that counts as one. */
#define SAL_SAME_MOTION 1e-7
/* A period over that of the step before, in Newton's method. Below: a start just before the section, which comes back
 * to itself without being a cycle; the step is too long. */
#define SAL_SHORT_PERIOD 0.1
/* A period over that of the first guess. Below: the motion comes to rest. */
#define SAL_NO_PERIOD 1e-5
/* What assembly moves the state after the section by, in units of the cycle; in penalty form rows are open by more.
 * Beyond: it is no start of the scene. */
#define SAL_START_FITS         1e-6
#define SAL_START_FITS_PENALTY 1e-3
/* The distance of starts in units of the cycle. Below: they are the same, the cycle is shorter than asked for. */
#define SAL_SHORTEST 1e-7
/* The time to a section at the start, over the period of the last step; over the duration where none is known. Up to
 * it: it has just happened. */
#define SAL_SECTION_NEAR 1e-2
#define SAL_SECTION_NOW  1e-9
/* The arc length off, in units of cycle and range. Beyond: Newton's method goes on. */
#define SAL_ARC_OFF 1e-9
/* A bifurcation along a chord, and the product over multipliers that changes its sign there. Up to it: located. */
#define SAL_LOCATED   1e-10
#define SAL_TEST_ZERO 1e-13
/* The imaginary part of a multiplier, and | |m| - 1 |. Beyond the first and up to the second: a pair on the circle. */
#define SAL_COMPLEX   1e-5
#define SAL_ON_CIRCLE 1e-4
/* A derivative by differences times the parameter, over the quantity: what differences are relative to at least. */
#define SAL_VERIFY_LEAST 1e-3
/* Adjoint and tangent on the same steps differ by rounding, relative to the largest component of a gradient. */
#define SAL_VERIFY_ADJOINT 1e-9
/* What a derivative is off by over what neighbouring step sizes differ by. Up to it that may be the noise of runs. */
#define SAL_VERIFY_NOISE 10.0

/* -------------------------------------------------------------------------------------------- run */

/* Of the mechanism's length and speed, of coordinates, and of forces by their parts: what validation (run/validate.c)
 * lets
 * pass as rounding. Far beyond what decisions call zero, and far below what a wrong decision makes.
 * Held by: test_validate. */
#define SAL_VALID          1e-8
#define SAL_VALID_ROUNDING 1e-12
#define SAL_VALID_FORCE    1e-8
#define SAL_VALID_SLIP     1e-7
#define SAL_VALID_IMPULSE  1e-7
/* What the energy is off by in a step, beyond the work done in it, over what errors of that size make of it that the
 * integrator may leave in each coordinate. Beyond: somebody's work is missing. And what rounding makes of the energy,
 * over the sum of its parts.
 * Held by: test_health. */
#define SAL_BALANCE          10.0
#define SAL_BALANCE_ROUNDING 1e-14
/* The work that is not known in a step in which links were in line, over power times length of the step. */
#define SAL_WORK_IN_LINE 1e-4
/* The energy that rows have taken which are not projected, over that of the motion and forces times the length. Beyond:
 * they do not hold. */
#define SAL_GIVES_WAY 1e-2
/* The length of a spring over its natural one, where steps have become too short. Below: it is zero. */
#define SAL_NO_LENGTH 1e-6
/* A measure over its limit. Beyond: a near miss, the run is doubtful. */
#define SAL_NEAR_MISS 0.1
/* |rate| of an event function over what it changes by where everything moves at full speed. Below: it grazes. */
#define SAL_GRAZES 1e-8

#endif
