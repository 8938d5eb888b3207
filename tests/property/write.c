/* write.c - a mechanism as a scene.
 *
 * Masses, gravity, restitution and friction are parameters, so that derivatives can be asked for. What the judge needs
 * and the public interface does not tell are outputs: of each pair that can touch "gap3", its rate "rate3" and the slip
 * speed "slip3", written down here independently of contacts/. */
#include <stdlib.h>
#include <string.h>

#include "tests/property/mechanism.h"

static const char *name_of(const mechanism *m, int p)
{
    return m->points[p].name;
}

static void write_points(const mechanism *m, FILE *to)
{
    const char *comma = "";

    fprintf(to, "  \"points\": {");
    for (int k = 0; k < m->npoints; k++) {
        const point *p = &m->points[k];
        if (p->marker >= 0) continue;
        fprintf(to, "%s\n    \"%s\": { \"at\": [%.17g, %.17g]", comma, p->name, p->at.x, p->at.y);
        if (p->fixed) fprintf(to, ", \"fixed\": true");
        if (p->moves) fprintf(to, ", \"velocity\": [%.17g, %.17g]", p->velocity.x, p->velocity.y);
        fprintf(to, " }");
        comma = ",";
    }
    fprintf(to, "\n  },\n");
}

static void write_markers(const mechanism *m, int owner, FILE *to)
{
    const char *comma = ", \"markers\": { ", *end = "";

    for (int k = 0; k < m->npoints; k++) {
        const point *p = &m->points[k];
        if (p->marker != owner) continue;
        fprintf(to, "%s\"%s\": [%.17g, %.17g]", comma, p->name, p->local.x, p->local.y);
        comma = ", ";
        end   = " }";
    }
    fprintf(to, "%s", end);
}

static void write_bodies(const mechanism *m, FILE *to)
{
    fprintf(to, "  \"bodies\": {");
    for (int k = 0; k < m->nbodies; k++) {
        const body *b = &m->bodies[k];
        fprintf(to, "%s\n    \"%s\": { ", k ? "," : "", b->name);
        if (b->kind == POINT_MASS) {
            fprintf(to, "\"type\": \"point_mass\", \"point\": \"%s\"", name_of(m, b->end[0]));
        } else {
            fprintf(to, "\"type\": \"%s\", \"points\": [\"%s\", \"%s\"]", b->kind == BAR ? "bar" : "rigid",
                    name_of(m, b->end[0]), name_of(m, b->end[1]));
        }
        fprintf(to, ", \"mass\": \"m_%s\"", b->name);
        if (b->kind == RIGID)
            fprintf(to, ", \"centre\": [%.17g, %.17g], \"inertia\": %.17g", b->centre.x, b->centre.y, b->inertia);
        write_markers(m, k, to);
        fprintf(to, " }");
    }
    fprintf(to, "\n  },\n");
}

/* The angle of a body at the start, as the engine sees it. */
static void write_angle(const mechanism *m, const int of[2], double more, FILE *to)
{
    for (int k = 0; k < 2 && of[k] >= 0; k++) {
        const body *b = &m->bodies[of[k]];
        const vec   d = vec_minus(m->points[b->end[1]].at, m->points[b->end[0]].at);
        fprintf(to, "%satan2(%.17g, %.17g)", k ? " - " : "", d.y, d.x);
    }
    fprintf(to, " + (%.17g)", more);
}

static void write_joints(const mechanism *m, FILE *to)
{
    static const char *const type[] = { "spring", "torsion", "revolute", "distance" };

    fprintf(to, "  \"joints\": {");
    for (int k = 0; k < m->njoints; k++) {
        const joint *j = &m->joints[k];
        fprintf(to, "%s\n    \"%s\": { \"type\": \"%s\"", k ? "," : "", j->name, type[j->kind]);
        if (j->kind == TORSION) {
            fprintf(to, ", \"body\": \"%s\"", m->bodies[j->body[0]].name);
            if (j->body[1] >= 0) fprintf(to, ", \"reference\": \"%s\"", m->bodies[j->body[1]].name);
            fprintf(to, ", \"angle\": \"");
            write_angle(m, j->body, j->angle, to);
            fprintf(to, "\"");
        } else {
            fprintf(to, ", \"points\": [\"%s\", \"%s\"]", name_of(m, j->end[0]), name_of(m, j->end[1]));
        }
        if (j->kind == SPRING || j->kind == TORSION)
            fprintf(to, ", \"stiffness\": %.17g, \"damping\": %.17g", j->stiffness, j->damping);
        if (j->kind == SPRING) fprintf(to, ", \"length\": %.17g", j->length);
        if (j->kind == ROD)
            fprintf(to, ", \"length\": %.17g", vec_length(vec_minus(m->points[j->end[1]].at, m->points[j->end[0]].at)));
        fprintf(to, " }");
    }
    fprintf(to, "\n  },\n");
}

static void write_names(const mechanism *m, const char *key, const int *at, int n, FILE *to)
{
    fprintf(to, ", \"%s\": [", key);
    for (int k = 0; k < n; k++) fprintf(to, "%s\"%s\"", k ? ", " : "", name_of(m, at[k]));
    fprintf(to, "]");
}

static void write_ground(const contact *c, FILE *to)
{
    if (c->wave != 0.0) {
        fprintf(to, ", \"height\": %.17g, \"profile\": \"%.17g*sin(%.17g*(x - (%.17g)))\"", c->origin.y, c->height,
                c->wave, c->origin.x);
        return;
    }
    fprintf(to, ", \"height\": %.17g", c->origin.y - c->origin.x * (c->along.y / c->along.x));
    if (c->along.y != 0.0 || c->along.x < 0.0)
        fprintf(to, ", \"angle\": \"atan2(%.17g, %.17g)\"", c->along.y, c->along.x);
}

static void write_radius(const mechanism *m, const contact *c, FILE *to)
{
    if (c->radius[0] == 0.0) return;
    fprintf(to, ", \"radius\": %.17g", c->radius[0]);
    if (c->turns[0] >= 0) fprintf(to, ", \"body\": \"%s\"", m->bodies[c->turns[0]].name);
}

static void write_limits(const mechanism *m, const contact *c, FILE *to)
{
    static const char *const key[2] = { "min", "max" };

    for (int k = 0; k < 2; k++) {
        const double limit = k == 0 ? c->low : c->high;
        if (!has_limit(c, k)) continue;
        if (c->kind == LENGTH_STOP) {
            fprintf(to, ", \"%s\": %.17g", key[k], limit);
        } else {
            fprintf(to, ", \"%s\": \"", key[k]);
            write_angle(m, c->body, limit, to);
            fprintf(to, "\"");
        }
    }
}

static void write_law(const contact *c, FILE *to)
{
    static const char *const word[] = { "impact", "stick", "slide", "compliant" };

    fprintf(to, ", \"law\": \"%s\"", c->law == IMPACT && c->newton ? "newton" : word[c->law]);
    if (c->law == COMPLIANT) {
        fprintf(to, ", \"stiffness\": %.17g, \"exponent\": %.17g, \"damping\": %.17g, \"slip_speed\": %.17g",
                c->stiffness, c->exponent, c->damping, c->slip_speed);
        fprintf(to, ", \"mu_kinetic\": \"k_%s\"", c->name);
        return;
    }
    fprintf(to, ", \"rest\": %.17g", c->rest);
    if (c->law != IMPACT) return;
    fprintf(to, ", \"restitution\": \"e_%s\"", c->name);
    if (has_friction(c)) fprintf(to, ", \"mu_static\": \"s_%s\", \"mu_kinetic\": \"k_%s\"", c->name, c->name);
}

static void write_line(const contact *c, FILE *to)
{
    fprintf(to, ", \"line\": [");
    for (int k = 0; k < c->ncorners; k++)
        fprintf(to, "%s[%.17g, %.17g]", k ? ", " : "", c->corner[k].x, c->corner[k].y);
    fprintf(to, "]");
}

static void write_circle(const mechanism *m, const contact *c, FILE *to)
{
    const char *P = name_of(m, c->point[0]);
    char        x[64], y[64], away[160];

    snprintf(x, sizeof x, "(x(%s) - (%.17g))", P, c->origin.x);
    snprintf(y, sizeof y, "(y(%s) - (%.17g))", P, c->origin.y);
    snprintf(away, sizeof away, "sqrt(%s^2 + %s^2)", x, y);
    if (c->circle > 0.0) fprintf(to, ", \"gap\": \"%.17g - %s\"", c->circle, away);
    else fprintf(to, ", \"gap\": \"%s - %.17g\"", away, -c->circle);
    fprintf(to, ", \"slip\": \"%s(%s*vy(%s) - %s*vx(%s))/%s\"", c->circle > 0.0 ? "" : "-", x, P, y, P, away);
}

static void write_where(const contact *c, FILE *to)
{
    char along[160];

    if (isnan(c->from)) return;
    snprintf(along, sizeof along, "(x - (%.17g))*(%.17g) + (y - (%.17g))*(%.17g)", c->origin.x, c->along.x, c->origin.y,
             c->along.y);
    fprintf(to, ", \"where\": \"%s > %.17g and %s < %.17g\"", along, c->from, along, c->to);
}

/* What has a contact off from one time to another. */
static void write_switch(const contact *c, FILE *to)
{
    for (int k = 0; k < 2 && !isnan(c->off); k++)
        fprintf(to,
                ",\n    \"%s_%s\": { \"type\": \"event\", \"when\": \"t - %.17g\", \"direction\": \"rising\", \"%s\": "
                "\"%s\" }",
                k ? "on" : "off", c->name, k ? c->on : c->off, k ? "close" : "open", c->name);
}

static void write_contacts(const mechanism *m, FILE *to)
{
    static const char *const type[] = { "ground", "edge", "discs", "angle_stop", "length_stop", "ground", "formula" };

    fprintf(to, "  \"contacts\": {");
    for (int k = 0; k < m->ncontacts; k++) {
        const contact *c = &m->contacts[k];
        fprintf(to, "%s\n    \"%s\": { \"type\": \"%s\"", k ? "," : "", c->name, type[c->kind]);
        if (c->kind == CIRCLE) fprintf(to, ", \"point\": \"%s\"", name_of(m, c->point[0]));
        else if (c->kind != ANGLE_STOP) write_names(m, c->outline ? "outline" : "points", c->point, c->n, to);
        if (c->kind == GROUND) write_ground(c, to);
        if (c->kind == LINE) write_line(c, to);
        if (c->kind == CIRCLE) write_circle(m, c, to);
        if (c->kind == EDGE) write_names(m, "line", c->line, 2, to);
        if (c->kind == EDGE && !c->ends) fprintf(to, ", \"ends\": false");
        if (c->kind == GROUND || c->kind == EDGE || c->kind == LINE) write_radius(m, c, to);
        if (c->kind == DISCS) {
            fprintf(to, ", \"radii\": [%.17g, %.17g]", c->radius[0], c->radius[1]);
            for (int i = 0; i < 2; i++) {
                if (c->turns[i] >= 0) fprintf(to, ", \"body%d\": \"%s\"", i + 1, m->bodies[c->turns[i]].name);
            }
        }
        if (c->kind == ANGLE_STOP) {
            fprintf(to, ", \"body\": \"%s\"", m->bodies[c->body[0]].name);
            if (c->body[1] >= 0) fprintf(to, ", \"reference\": \"%s\"", m->bodies[c->body[1]].name);
        }
        if (c->kind == ANGLE_STOP || c->kind == LENGTH_STOP) write_limits(m, c, to);
        write_where(c, to);
        write_law(c, to);
        fprintf(to, " }");
        write_switch(c, to);
    }
    fprintf(to, "\n  },\n");
}

/* --------------------------------------------------------------------------------------------------- outputs */

static void write_ground_outputs(const mechanism *m, const contact *c, int k, int index, FILE *to)
{
    const char *P        = name_of(m, c->point[k]);
    char        roll[64] = "";

    if (c->turns[0] >= 0) snprintf(roll, sizeof roll, " + %.17g*rate(%s)", c->radius[0], m->bodies[c->turns[0]].name);
    if (c->wave != 0.0) {
        char slope[128];
        snprintf(slope, sizeof slope, "(%.17g*cos(%.17g*(x(%s) - (%.17g))))", c->height * c->wave, c->wave, P,
                 c->origin.x);
        fprintf(to, "\"gap%d\": \"(y(%s) - (%.17g) - %.17g*sin(%.17g*(x(%s) - (%.17g))))/sqrt(1 + %s^2)\"", index, P,
                c->origin.y, c->height, c->wave, P, c->origin.x, slope);
        fprintf(to, ", \"rate%d\": \"(vy(%s) - %s*vx(%s))/sqrt(1 + %s^2)\"", index, P, slope, P, slope);
        fprintf(to, ", \"slip%d\": \"(vx(%s) + %s*vy(%s))/sqrt(1 + %s^2)\"", index, P, slope, P, slope);
        return;
    }
    fprintf(to, "\"gap%d\": \"(y(%s) - (%.17g))*(%.17g) - (x(%s) - (%.17g))*(%.17g) - %.17g\"", index, P, c->origin.y,
            c->along.x, P, c->origin.x, c->along.y, c->radius[0]);
    fprintf(to, ", \"rate%d\": \"vy(%s)*(%.17g) - vx(%s)*(%.17g)\"", index, P, c->along.x, P, c->along.y);
    fprintf(to, ", \"slip%d\": \"vx(%s)*(%.17g) + vy(%s)*(%.17g)%s\"", index, P, c->along.x, P, c->along.y, roll);
}

/* With d from A to B, u from A to P, and l = |d|: all from d x u / l. */
static void write_edge_outputs(const mechanism *m, const contact *c, int k, int index, FILE *to)
{
    const char *P = name_of(m, c->point[k]), *A = name_of(m, c->line[0]), *B = name_of(m, c->line[1]);
    char        dx[40], dy[40], ux[40], uy[40], dvx[40], dvy[40], uvx[40], uvy[40], cross[200], turn[300];

    snprintf(dx, sizeof dx, "(x(%s)-x(%s))", B, A);
    snprintf(dy, sizeof dy, "(y(%s)-y(%s))", B, A);
    snprintf(ux, sizeof ux, "(x(%s)-x(%s))", P, A);
    snprintf(uy, sizeof uy, "(y(%s)-y(%s))", P, A);
    snprintf(dvx, sizeof dvx, "(vx(%s)-vx(%s))", B, A);
    snprintf(dvy, sizeof dvy, "(vy(%s)-vy(%s))", B, A);
    snprintf(uvx, sizeof uvx, "(vx(%s)-vx(%s))", P, A);
    snprintf(uvy, sizeof uvy, "(vy(%s)-vy(%s))", P, A);
    snprintf(cross, sizeof cross, "(%s*%s - %s*%s)", dx, uy, dy, ux);
    snprintf(turn, sizeof turn, "((%s*%s - %s*%s)/distance(%s, %s)^2)", dx, dvy, dy, dvx, A, B);
    fprintf(to, "\"gap%d\": \"%s/distance(%s, %s) - %.17g\"", index, cross, A, B, c->radius[0]);
    /* of P against the body's point there, along the normal and along the line: u' - omega x u */
    fprintf(to, ", \"rate%d\": \"(%s*(%s - %s*%s) - %s*(%s + %s*%s))/distance(%s, %s)\"", index, dx, uvy, turn, ux, dy,
            uvx, turn, uy, A, B);
    fprintf(to, ", \"slip%d\": \"(%s*(%s + %s*%s) + %s*(%s - %s*%s))/distance(%s, %s)", index, dx, uvx, turn, uy, dy,
            uvy, turn, ux, A, B);
    if (c->radius[0] > 0.0) fprintf(to, " - %.17g*%s", c->radius[0], turn);
    if (c->turns[0] >= 0) fprintf(to, " + %.17g*rate(%s)", c->radius[0], m->bodies[c->turns[0]].name);
    fprintf(to, "\"");
}

static void write_discs_outputs(const mechanism *m, const contact *c, int index, FILE *to)
{
    const char *P = name_of(m, c->point[0]), *Q = name_of(m, c->point[1]);

    fprintf(to, "\"gap%d\": \"distance(%s, %s) - %.17g\"", index, P, Q, c->radius[0] + c->radius[1]);
    fprintf(to, ", \"rate%d\": \"((x(%s)-x(%s))*(vx(%s)-vx(%s)) + (y(%s)-y(%s))*(vy(%s)-vy(%s)))/distance(%s, %s)\"",
            index, Q, P, Q, P, Q, P, Q, P, P, Q);
    fprintf(to, ", \"slip%d\": \"((x(%s)-x(%s))*(vy(%s)-vy(%s)) - (y(%s)-y(%s))*(vx(%s)-vx(%s)))/distance(%s, %s)",
            index, Q, P, Q, P, Q, P, Q, P, P, Q);
    for (int i = 0; i < 2; i++) {
        if (c->turns[i] >= 0) fprintf(to, " - %.17g*rate(%s)", c->radius[i], m->bodies[c->turns[i]].name);
    }
    fprintf(to, "\"");
}

static void write_stop_outputs(const mechanism *m, const contact *c, int k, int index, FILE *to)
{
    const char  *sign  = k == 0 ? "" : "-";
    const double limit = k == 0 ? c->low : c->high;

    if (c->kind == LENGTH_STOP) {
        const char *P = name_of(m, c->point[0]), *Q = name_of(m, c->point[1]);
        fprintf(to, "\"gap%d\": \"%s(distance(%s, %s) - %.17g)\"", index, sign, P, Q, limit);
        fprintf(to, ", \"rate%d\": \"%s((x(%s)-x(%s))*(vx(%s)-vx(%s)) + (y(%s)-y(%s))*(vy(%s)-vy(%s)))", index, sign, Q,
                P, Q, P, Q, P, Q, P);
        fprintf(to, "/distance(%s, %s)\", \"slip%d\": \"0\"", P, Q, index);
        return;
    }
    const char *B = m->bodies[c->body[0]].name, *C = c->body[1] >= 0 ? m->bodies[c->body[1]].name : NULL;
    fprintf(to, "\"gap%d\": \"%s(angle(%s)%s%s%s - (", index, sign, B, C ? " - angle(" : "", C ? C : "", C ? ")" : "");
    write_angle(m, c->body, limit, to);
    fprintf(to, "))\", \"rate%d\": \"%s(rate(%s)%s%s%s)\"", index, sign, B, C ? " - rate(" : "", C ? C : "",
            C ? ")" : "");
    fprintf(to, ", \"slip%d\": \"0\"", index);
}

static void write_outputs(const mechanism *m, FILE *to)
{
    touch       list[TOUCHES];
    const int   n     = touches_of(m, list);
    const char *comma = "";

    fprintf(to, "  \"outputs\": {");
    for (int i = 0; i < n; i++) {
        const contact *c = &m->contacts[list[i].contact];
        if (!has_outputs(c)) continue;
        fprintf(to, "%s\n    ", comma);
        comma = ",";
        switch (c->kind) {
        case GROUND: write_ground_outputs(m, c, list[i].k, i, to); break;
        case EDGE: write_edge_outputs(m, c, list[i].k, i, to); break;
        case DISCS: write_discs_outputs(m, c, i, to); break;
        default: write_stop_outputs(m, c, list[i].k, i, to); break;
        }
    }
    fprintf(to, "\n  },\n");
}

static void write_parameters(const mechanism *m, FILE *to)
{
    const double g = vec_length(m->gravity);

    fprintf(to, "  \"parameters\": { \"g\": %.17g", g);
    for (int k = 0; k < m->nbodies; k++) fprintf(to, ", \"m_%s\": %.17g", m->bodies[k].name, m->bodies[k].mass);
    for (int k = 0; k < m->ncontacts; k++) {
        const contact *c = &m->contacts[k];
        if (c->law == IMPACT) fprintf(to, ", \"e_%s\": %.17g", c->name, c->restitution);
        if (has_friction(c))
            fprintf(to, ", \"s_%s\": %.17g, \"k_%s\": %.17g", c->name, c->mu_static, c->name, c->mu_kinetic);
    }
    fprintf(to, " },\n  \"gravity\": [\"g*(%.17g)\", \"g*(%.17g)\"],\n", m->gravity.x / g, m->gravity.y / g);
}

/* Of the last point that is free; one reads accelerations, one all of the state at the end, one the dense output. */
static void write_costs(const mechanism *m, FILE *to)
{
    const char *name = NULL;

    for (int k = 0; k < m->npoints && m->has_costs; k++) {
        if (!m->points[k].fixed && m->points[k].marker < 0) name = m->points[k].name;
    }
    if (!name) return;
    fprintf(to,
            "  \"costs\": { \"path\": { \"running\": \"x(%s)^2 + y(%s)*ax(%s)\" },\n"
            "    \"end\": { \"terminal\": \"vx(%s)*y(%s) + x(%s)*vy(%s) + energy()\" },\n"
            "    \"within\": { \"value\": \"x(%s)*y(%s) + x(%s)^2\", \"at\": [%.17g, %.17g] } },\n",
            name, name, name, name, name, name, name, name, name, name, 0.11 * m->duration, 0.37 * m->duration);
}

void write_scene(const mechanism *m, FILE *to)
{
    const double speed = m->length / m->time;

    fprintf(to, "{\n  \"saltus\": 1,\n  \"name\": \"property %llu, %s: %s\",\n", m->seed, family_names[m->family],
            family_texts[m->family]);
    write_parameters(m, to);
    write_points(m, to);
    write_bodies(m, to);
    write_joints(m, to);
    write_contacts(m, to);
    write_outputs(m, to);
    write_costs(m, to);
    fprintf(to, "  \"simulation\": { \"duration\": %.17g, \"output\": %.17g, \"rtol\": %.17g, \"atol\": %.17g }\n}\n",
            m->duration, m->duration / 64.0, m->rtol, m->rtol * fmin(m->length, speed));
}

char *scene_text(const mechanism *m, size_t *size)
{
    char *text = NULL;
    FILE *to   = open_memstream(&text, size);

    if (!to) return NULL;
    write_scene(m, to);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}
