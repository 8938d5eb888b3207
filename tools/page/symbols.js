// symbols.js - kinematic symbols after ISO 3952 on a canvas, with the proportions of tools/draw/symbols.h, from back to
// front. Symbols have a size on paper, a multiple of the unit; lengths and radii have that of the world. Coordinates are
// pixels with y up.

import { NUMBERS } from "./data.js";
import { drawGround, drawCurve, drawEdge, drawGuide, drawLimit, drawAngle, hatch } from "./surfaces.js";

export const SIZE = { pin: 1, tip: 0.55, bar: 1.3, plate: 1.3, centre: 0.9, pulley: 1.9, mass: 1.5, hatchSpace: 1.6,
    hatchDepth: 2.2, supportHeight: 3.4, supportWidth: 2.3, blockLength: 3, blockHeight: 2, coils: 8, spring: 1.7,
    damper: 1.7, pairOffset: 2.4, pairFrom: 0.08, teeth: 2, torque: 3.8, force: 16, headLength: 2, headWidth: 0.8,
    angle: 6, stop: 2.6 };

export const N = Object.fromEntries(NUMBERS.map((name, k) => [name, k]));

// ------------------------------------------------------------------------------------------------------------ roles

// What the drawing makes of a place: how many links end there, whether it is fixed, can touch, carries a block.
export function findRoles(doc) {
    const roles = doc.places.map((p) => ({ fixed: p.kind === "fixed", links: 0, springs: false, touches: false,
        slides: false, disc: false, follows: false, towards: [0, 0] }));
    const at = (k) => [doc.places[k].x.at(0), doc.places[k].y.at(0)];
    const link = (item, k, to) => {
        const role = roles[item.points[k]], [x0, y0] = at(item.points[k]), [x1, y1] = at(item.points[to]);
        const length = Math.hypot(x1 - x0, y1 - y0);
        role.links++;
        if (!(length > 0)) return;
        role.towards[0] += (x1 - x0) / length;
        role.towards[1] += (y1 - y0) / length;
    };
    for (const item of doc.items) {
        item.points.forEach((place, k) => {
            const last = item.points.length - 1;
            if (item.kind === "body" && last > 0) link(item, k, k === 0 ? 1 : 0);
            if (item.kind === "line") link(item, k, 1 - k);
            if (item.kind === "rope" && (k === 0 || k === last)) link(item, k, k ? k - 1 : 1);
            if (item.kind === "spring" || item.kind === "damper") roles[place].springs = true;
            if (item.kind === "contact") roles[place].touches = true;
            if (item.kind === "slider" && k === 0) roles[place].slides = true;
            if (item.kind === "disc" || item.kind === "gear") roles[place].disc = true;
        });
        if (item.kind === "pin") roles[item.points[1]].follows = true;
    }
    return roles;
}

// Which colour a body has: by its number among the bodies of the scene.
export function findColours(doc) {
    let count = 0;
    return doc.elements.map((e) => (e.section === "bodies" ? count++ % 7 : 6));
}

// -------------------------------------------------------------------------------------------------------------- pen

export class Pen {
    constructor(ctx, doc, roles, elementColours) {
        Object.assign(this, { ctx, doc, roles, elementColours, scale: 1, unit: 4, newton: 0, forces: true, ghost: false,
            low: [0, 0], high: [0, 0], pose: null, colours: null, lengths: findLengths(doc), links: findLinks(doc) });
        this.massAt = new Map(doc.items.filter((item) => item.kind === "mass").map((item) => [item.points[0], item.element]));
        this.layers = [BEHIND, LINKS, ABOVE].map((list) => sortItems(doc, list));
    }
    x(item, k) { return this.scale * this.pose.at[2 * item.points[k]]; }
    y(item, k) { return this.scale * this.pose.at[2 * item.points[k] + 1]; }
    number(index, n) { return this.pose.number[index * NUMBERS.length + n]; }
    holds(index) { return this.number(index, N.holds) !== 0; }
    role(item, k) { return this.roles[item.points[k]]; }

    stroke(colour, width) {
        this.ctx.strokeStyle = this.ghost ? this.colours.ghost : colour;
        this.ctx.lineWidth = width;
        this.ctx.stroke();
    }
    fill(colour, alpha = 1) {
        this.ctx.fillStyle = this.ghost ? this.colours.ghost : colour;
        this.ctx.globalAlpha = this.ghost ? Math.min(alpha, 0.25) : alpha;
        this.ctx.fill();
        this.ctx.globalAlpha = 1;
    }
    line() { this.stroke(this.colours.line, 1.4); }
    paper() {
        if (!this.ghost) this.fill(this.colours.paper);
        this.line();
    }
    body(element) {
        this.fill(this.colours.body[element >= 0 ? this.elementColours[element] : 6], this.colours.dark ? 0.5 : 0.32);
        this.stroke(this.colours.line, 1.2);
    }
    path(...points) {
        this.ctx.beginPath();
        for (let k = 0; k < points.length; k += 2)
            if (k) this.ctx.lineTo(points[k], points[k + 1]);
            else this.ctx.moveTo(points[k], points[k + 1]);
    }
    circle(x, y, r) {
        this.ctx.beginPath();
        this.ctx.arc(x, y, r, 0, 2 * Math.PI);
    }
    // In the coordinates of a shape at a place.
    placed(x, y, angle, draw) {
        this.ctx.save();
        this.ctx.translate(x, y);
        this.ctx.rotate(angle);
        draw();
        this.ctx.restore();
    }
}

// The least and the largest length of springs and dampers over the whole motion [m].
function findLengths(doc) {
    return doc.items.map((item) => {
        let least = Infinity, most = 0;
        if (!["spring", "damper", "motor"].includes(item.kind) || item.points.length < 2) return [0, 0];
        const [a, b] = item.points.map((k) => doc.places[k]), step = Math.max(1, Math.floor(doc.frames / 500));
        for (let k = 0; k < doc.frames; k += step) {
            const length = Math.hypot(b.x.at(k) - a.x.at(k), b.y.at(k) - a.y.at(k));
            least = Math.min(least, length);
            most = Math.max(most, length);
        }
        return [least, most];
    });
}

// What belongs to what, looked up once: the centre of mass of a body, the body that something turns with, the item that
// shows the same already, the ring of a pair of gears.
function findLinks(doc) {
    const at = (item) => [doc.places[item.points[0]].x.at(0), doc.places[item.points[0]].y.at(0)];
    const firstOf = (kind, counts) => {
        const first = new Map();
        doc.items.forEach((item, k) => item.kind === kind && counts(item) && !first.has(item.element) && first.set(item.element, k));
        return first;
    };
    const masses = firstOf("mass", () => true), frames = firstOf("body", (item) => item.points.length > 1), seen = new Set();
    return doc.items.map((item, k) => {
        const link = { mass: masses.get(item.element) ?? -1, frame: doc.items[frames.get(item.body)] ?? null, again: false, ring: false };
        if (item.kind === "disc" || item.kind === "gear") {
            const key = [item.kind, item.body, item.radius.at(0).toPrecision(8), ...at(item).map((x) => x.toPrecision(8))].join();
            link.again = seen.has(key);
            seen.add(key);
        }
        if (item.kind === "gear") link.ring = [k - 1, k + 1].some((other) => isRing(item, doc.items[other], at));
        return link;
    });
}

// A gear that holds the other one of its pair inside.
function isRing(item, other, at) {
    if (!other || other.kind !== "gear" || other.element !== item.element) return false;
    const R = item.radius.at(0), r = other.radius.at(0), [x, y] = at(item), [u, v] = at(other), d = Math.hypot(u - x, v - y);
    return R > r && d > 1e-6 * R && Math.abs(d - (R - r)) < 1e-3 * R;
}

// Items in the order in which they cover each other, with how they are drawn.
function sortItems(doc, list) {
    return list.flatMap(([kind, draw]) => doc.items.flatMap((item, index) => (item.kind === kind ? [{ item, index, draw }] : [])));
}

// ----------------------------------------------------------------------------------------------------------- bodies

// The outline of the hull of circles, anticlockwise: of two of them with d from one centre to the other the common
// tangent has the outward normal n with n . d = r0 - r1.
function outline(pen, circles) {
    const hull = convexHull(circles, 0.02 * pen.unit * pen.unit), ctx = pen.ctx, n = hull.length;
    ctx.beginPath();
    if (n < 2) {
        ctx.arc(hull[0].x, hull[0].y, hull[0].r, 0, 2 * Math.PI);
        return;
    }
    const normal = (a, b) => {
        const x = b.x - a.x, y = b.y - a.y, d = Math.hypot(x, y) || 1;
        return Math.atan2(y, x) - Math.acos(Math.max(-1, Math.min(1, (a.r - b.r) / d)));
    };
    for (let k = 0; k < n; k++) {
        const v = hull[k], from = normal(hull[(k + n - 1) % n], v), to = normal(v, hull[(k + 1) % n]);
        ctx.arc(v.x, v.y, v.r, from, to < from - 1e-9 ? to + 2 * Math.PI : Math.max(from, to));
    }
    ctx.closePath();
}

function convexHull(circles, flat) {
    const sorted = circles.slice().sort((a, b) => a.x - b.x || a.y - b.y), hull = [];
    const turn = (a, b, c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    for (let pass = 0; pass < 2; pass++) {
        const start = hull.length;
        for (const next of pass ? sorted.slice().reverse() : sorted) {
            while (hull.length - start >= 2 && turn(hull[hull.length - 2], hull[hull.length - 1], next) <= flat) hull.pop();
            hull.push(next);
        }
        hull.pop();
    }
    return hull.length ? hull : [sorted[0]];
}

// Whether the first point is inside the others, as a hub.
function isHub(points) {
    const [o, ...others] = points, rim = others.map((p) => [p.x - o.x, p.y - o.y]);
    if (points.length < 5) return false;
    return rim.every(([x, y]) => {
        let left = false, right = false;
        for (const [u, v] of rim) {
            const cross = x * v - y * u, dot = x * u + y * v, size = Math.hypot(x, y) * Math.hypot(u, v);
            const opposite = Math.abs(cross) <= 0.05 * size && dot < 0;
            left ||= cross > 0.05 * size || opposite;
            right ||= cross < -0.05 * size || opposite;
        }
        return left && right;
    });
}

function drawBody(pen, item, index) {
    const { unit } = pen, points = item.points.map((k, i) => ({ x: pen.x(item, i), y: pen.y(item, i), r: 0 }));
    if (!points.length) return;
    const { mass } = pen.links[index], touches = item.points.some((k) => pen.roles[k].touches);
    const radius = (k, plate) => {
        const role = pen.roles[item.points[k]];
        if (plate) return touches ? 0 : SIZE.plate * unit;
        return (role.touches ? (role.links > 1 ? SIZE.tip : 0.2) : SIZE.bar) * unit;
    };
    if (isHub(points)) {
        for (let k = 1; k < points.length; k++) {
            outline(pen, [{ ...points[0], r: SIZE.bar * unit }, { ...points[k], r: radius(k, false) }]);
            pen.body(item.element);
        }
    } else {
        const all = points.slice();
        if (mass >= 0) all.push({ x: pen.x(pen.doc.items[mass], 0), y: pen.y(pen.doc.items[mass], 0), r: 0 });
        const plate = isPlate(all, unit);
        points.forEach((p, k) => (p.r = radius(k, plate)));
        if (mass >= 0) all[all.length - 1].r = plate ? points[0].r : 0;
        outline(pen, all);
        pen.body(item.element);
    }
    if (mass >= 0) drawCentre(pen, pen.doc.items[mass], mass, index);
}

function isPlate(points, unit) {
    if (points.length < 2) return false;
    const [a, b] = points, length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    return points.slice(2).some((p) => Math.abs((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)) > unit * length);
}

function drawCentre(pen, item, index, body = -1) {
    const x = pen.x(item, 0), y = pen.y(item, 0), role = pen.role(item, 0);
    const r = (body >= 0 ? SIZE.centre : SIZE.mass) * pen.unit;
    if (body < 0 && role.slides) return; // its block is the mass
    pen.circle(x, y, r);
    if (body < 0 && !role.disc) return pen.fill(pen.colours.line);
    pen.paper();
    let angle = 0;
    if (body >= 0) {
        const frame = pen.doc.items[body];
        if (frame.points.length > 1)
            angle = Math.atan2(pen.y(frame, 1) - pen.y(frame, 0), pen.x(frame, 1) - pen.x(frame, 0));
    }
    pen.ctx.beginPath();
    for (const turn of [0, Math.PI]) {
        pen.ctx.moveTo(x, y);
        pen.ctx.arc(x, y, r, angle + turn, angle + turn + Math.PI / 2);
        pen.ctx.closePath();
    }
    pen.fill(pen.colours.line);
}

// Those of bodies come with them.
function drawPointMass(pen, item, index) {
    if (item.body === undefined) drawCentre(pen, item, index);
}

function drawRod(pen, item, index) {
    if (!pen.holds(index)) return;
    pen.path(pen.x(item, 0), pen.y(item, 0), pen.x(item, 1), pen.y(item, 1));
    pen.stroke(pen.colours.rod, 2);
}

// With a pulley wherever it turns.
function drawRope(pen, item, index) {
    const n = item.points.length;
    if (pen.holds(index)) {
        pen.ctx.beginPath();
        for (let k = 0; k < n; k++) pen.ctx[k ? "lineTo" : "moveTo"](pen.x(item, k), pen.y(item, k));
        pen.stroke(pen.colours.rod, 2);
    }
    for (let k = 1; k + 1 < n; k++) {
        pen.circle(pen.x(item, k), pen.y(item, k), SIZE.pulley * pen.unit);
        pen.paper();
        pen.circle(pen.x(item, k), pen.y(item, k), 0.4 * pen.unit);
        pen.fill(pen.colours.line);
    }
}

function drawMarks(pen, item) {
    for (let k = 0; k < item.points.length; k++) {
        pen.circle(pen.x(item, k), pen.y(item, k), 0.45 * pen.unit);
        pen.fill(pen.colours.line);
    }
}

// The body that a disc belongs to: its own, or a point mass in its centre.
function discElement(pen, item) {
    if (item.body !== undefined) return item.body;
    return pen.massAt.get(item.points[0]) ?? -1;
}

// How far a disc has turned; that of a ghost with the points of its body.
function turned(pen, item, index) {
    const { frame } = pen.links[index];
    if (!frame) return pen.number(index, N.angle) || 0;
    return Math.atan2(pen.y(frame, 1) - pen.y(frame, 0), pen.x(frame, 1) - pen.x(frame, 0));
}

function drawDisc(pen, item, index) {
    const x = pen.x(item, 0), y = pen.y(item, 0), r = pen.scale * pen.number(index, N.radius);
    if (pen.links[index].again) return;
    pen.circle(x, y, r);
    pen.body(discElement(pen, item));
    if (item.body === undefined) return;
    const angle = turned(pen, item, index), c = Math.cos(angle), s = Math.sin(angle); // shows how it turns
    pen.path(x + 0.6 * r * c, y + 0.6 * r * s, x + r * c, y + r * s);
    pen.line();
}

function drawGear(pen, item, index) {
    const r = pen.scale * pen.number(index, N.radius), { ring, again } = pen.links[index];
    if (again) return;
    pen.circle(pen.x(item, 0), pen.y(item, 0), r);
    if (ring) pen.line();
    else pen.body(item.body ?? -1);
    pen.placed(pen.x(item, 0), pen.y(item, 0), turned(pen, item, index), () => {
        const n = Math.max(8, Math.round(2 * Math.PI * r / (SIZE.teeth * pen.unit)));
        const from = ring ? r : r - 0.7 * pen.unit, to = ring ? r + 0.7 * pen.unit : r;
        pen.ctx.beginPath();
        for (let k = 0; k < n; k++) {
            const c = Math.cos(2 * Math.PI * k / n), s = Math.sin(2 * Math.PI * k / n);
            pen.ctx.moveTo(from * c, from * s);
            pen.ctx.lineTo(to * c, to * s);
        }
        pen.stroke(pen.colours.hatch, 0.9);
    });
}

function drawRack(pen, item, index) {
    const ux = pen.number(index, N.directionX), uy = pen.number(index, N.directionY), half = 0.35 * pen.unit;
    let from = -20 * pen.unit, to = 20 * pen.unit;
    if (item.points.length === 3) {
        const along = [1, 2].map((k) => (pen.x(item, k) - pen.x(item, 0)) * ux + (pen.y(item, k) - pen.y(item, 0)) * uy);
        from = Math.min(...along);
        to = Math.max(...along);
    }
    pen.placed(pen.x(item, 0), pen.y(item, 0), Math.atan2(uy, ux), () => {
        pen.path(from, 0, to, 0);
        pen.line();
        pen.ctx.beginPath();
        for (let x = from; x <= to; x += SIZE.teeth * pen.unit) {
            pen.ctx.moveTo(x, -half);
            pen.ctx.lineTo(x, half);
        }
        pen.stroke(pen.colours.hatch, 0.9);
    });
}

// ---------------------------------------------------------------------------------------------------------- springs

// A spring and a damper of one element between the same points stand beside each other.
function pairOffset(pen, item, index) {
    for (const k of [index - 1, index + 1]) {
        const other = pen.doc.items[k];
        if (!other || other.element !== item.element || other.kind === item.kind) continue;
        if (other.kind === "spring") return -SIZE.pairOffset * pen.unit;
        if (other.kind === "damper") return SIZE.pairOffset * pen.unit;
    }
    return 0;
}

function between(pen, item, draw) {
    const x = pen.x(item, 1) - pen.x(item, 0), y = pen.y(item, 1) - pen.y(item, 0);
    pen.placed(pen.x(item, 0), pen.y(item, 0), Math.atan2(y, x), () => draw(Math.hypot(x, y)));
}

function drawSpring(pen, item, index) {
    const w = SIZE.spring * pen.unit, offset = pairOffset(pen, item, index);
    between(pen, item, (length) => {
        const from = (offset ? 0.14 : 0.1) * length, coil = (length - 2 * from) / SIZE.coils, part = SIZE.pairFrom * length;
        const points = [0, 0];
        if (offset) points.push(part, 0, part, offset);
        points.push(from, offset);
        for (let k = 0; k < SIZE.coils; k++)
            points.push(from + (k + 0.25) * coil, offset + w, from + (k + 0.75) * coil, offset - w);
        points.push(length - from, offset);
        if (offset) points.push(length - part, offset, length - part, 0);
        points.push(length, 0);
        pen.path(...points);
        pen.stroke(pen.colours.line, 1.3);
    });
}

// A cylinder that goes with the first point and a piston that goes with the second, which stays in it from the least length
// to the largest. Where there is no room for that, both are stretched.
function drawDamper(pen, item, index) {
    const w = SIZE.damper * pen.unit, offset = pairOffset(pen, item, index), gap = 1.2 * pen.unit;
    const pistonOf = (least) => Math.max(0.5 * least, 0.7 * least - gap) - 0.1 * least;
    between(pen, item, (length) => {
        let [least, most] = pen.lengths[index].map((x) => pen.scale * x);
        if (most - pistonOf(least) > 0.9 * least) least = most = length;
        const start = 0.3 * least, part = SIZE.pairFrom * least, piston = pistonOf(least);
        const end = Math.min(Math.max(most - piston + gap, 0.65 * least), 0.9 * least);
        pen.path(...(offset ? [0, 0, part, 0, part, offset, start, offset] : [0, 0, start, 0]));
        const ctx = pen.ctx;
        ctx.moveTo(end, offset + w);
        ctx.lineTo(start, offset + w);
        ctx.lineTo(start, offset - w);
        ctx.lineTo(end, offset - w);
        ctx.moveTo(length, 0);
        if (offset) {
            ctx.lineTo(length - part, 0);
            ctx.lineTo(length - part, offset);
        }
        ctx.lineTo(length - piston, offset);
        ctx.moveTo(length - piston, offset + 0.8 * w);
        ctx.lineTo(length - piston, offset - 0.8 * w);
        pen.stroke(pen.colours.line, 1.3);
    });
}

// A spiral from the direction of the reference to that of the body.
function drawTorsion(pen, item, index) {
    const from = pen.number(index, N.reference) || 0, turn = 2 * Math.PI;
    let sweep = (pen.number(index, N.angle) || 0) - from;
    sweep = 2 * turn + sweep - turn * Math.round(sweep / turn);
    pen.ctx.beginPath();
    for (let k = 0; k <= 60; k++) {
        const r = pen.unit * (1.2 + 3 * k / 60), angle = from + sweep * k / 60;
        pen.ctx[k ? "lineTo" : "moveTo"](pen.x(item, 0) + r * Math.cos(angle), pen.y(item, 0) + r * Math.sin(angle));
    }
    pen.stroke(pen.colours.line, 1.3);
}

// ----------------------------------------------------------------------------------------------------------- joints

// How a support is turned: its foot goes where the links do not, down if it can, else up or to a side.
function supportAngle(role) {
    const feet = [[0, 0], [Math.PI, 0.8], [Math.PI / 2, 1.1], [-Math.PI / 2, 1.1]];
    let best = Infinity, angle = 0;
    for (const [a, malus] of feet) {
        const foot = role.towards[0] * Math.sin(a) - role.towards[1] * Math.cos(a) + malus;
        if (foot < best) [best, angle] = [foot, a];
    }
    return angle;
}

// The direction of the name of a point: away from where links leave; beside a support, not on its foot.
export function nameDirection(role) {
    const length = Math.hypot(...role.towards), u = length > 0.3 ? role.towards.map((x) => -x / length) : [0.7, 0.7];
    if (!role.fixed) return u;
    const angle = supportAngle(role), foot = [Math.sin(angle), -Math.cos(angle)];
    if (u[0] * foot[0] + u[1] * foot[1] < 0.3) return u;
    return [0.8 * Math.abs(foot[1]) - 0.6 * foot[0], 0.8 * Math.abs(foot[0]) - 0.6 * foot[1]];
}

// Fixed pivot: a triangle that points to it, on a hatched line.
function drawSupport(pen, x, y, role) {
    const h = SIZE.supportHeight * pen.unit, w = SIZE.supportWidth * pen.unit, wide = 1.45 * w;
    pen.placed(x, y, supportAngle(role), () => {
        pen.path(0, 0, -w, -h, w, -h);
        pen.ctx.closePath();
        pen.paper();
        pen.path(-wide, -h, wide, -h);
        pen.stroke(pen.colours.line, 1.8);
        pen.ctx.beginPath();
        hatch(pen, -wide, -h, wide, -h);
        pen.stroke(pen.colours.hatch, 0.9);
    });
}

// Where a spring is fastened: a hatched line across it.
function drawAnchor(pen, place, x, y) {
    const half = SIZE.stop * pen.unit;
    const item = pen.doc.items.find((other) => (other.kind === "spring" || other.kind === "damper") && other.points.includes(place));
    const end = item.points[1] === place ? 1 : 0, quarter = Math.PI / 2;
    let angle = Math.atan2(pen.y(item, 1 - end) - y, pen.x(item, 1 - end) - x);
    const off = angle - quarter * Math.round(angle / quarter);
    if (Math.abs(off) < 0.45) angle -= off;
    pen.placed(x, y, angle - quarter, () => { // the spring leaves upwards, the solid side is below
        pen.path(-half, 0, half, 0);
        pen.stroke(pen.colours.line, 1.8);
        pen.ctx.beginPath();
        hatch(pen, -half, 0, half, 0);
        pen.stroke(pen.colours.hatch, 0.9);
    });
}

function drawSupports(pen) {
    pen.roles.forEach((role, k) => {
        const x = pen.scale * pen.pose.at[2 * k], y = pen.scale * pen.pose.at[2 * k + 1];
        if (!role.fixed) return;
        if (role.links) drawSupport(pen, x, y, role);
        else if (role.springs) drawAnchor(pen, k, x, y);
    });
}

function drawJoints(pen) {
    pen.roles.forEach((role, k) => {
        if (role.follows || (role.links < 2 && !((role.fixed || role.slides) && role.links))) return;
        pen.circle(pen.scale * pen.pose.at[2 * k], pen.scale * pen.pose.at[2 * k + 1], (role.touches ? SIZE.tip : SIZE.pin) * pen.unit);
        pen.paper();
    });
}

function drawPin(pen, item, index) {
    if (!pen.holds(index)) return;
    for (let k = 0; k < 2; k++) {
        const role = pen.role(item, k);
        if (role.fixed && !role.links) drawSupport(pen, pen.x(item, k), pen.y(item, k), role);
    }
    pen.circle(pen.x(item, 0), pen.y(item, 0), (pen.role(item, 0).touches ? SIZE.tip : SIZE.pin) * pen.unit);
    pen.paper();
}

// A filled corner between the two bodies; a filled square where they are in line.
function drawWeld(pen, item, index) {
    if (!pen.holds(index)) return;
    const leaves = (place) => {
        const body = pen.doc.items.find((other) => other.kind === "body" && other.points.length > 1 && other.points.includes(place));
        if (!body) return null;
        const k = body.points.indexOf(place), to = k === 0 ? 1 : 0;
        const x = pen.x(body, to) - pen.x(body, k), y = pen.y(body, to) - pen.y(body, k), length = Math.hypot(x, y) || 1;
        return [x / length, y / length];
    };
    const one = leaves(item.points[0]), two = leaves(item.points[1]), x = pen.x(item, 0), y = pen.y(item, 0);
    if (one && two && Math.abs(one[0] * two[1] - one[1] * two[0]) >= 0.2) {
        const size = 3.2 * pen.unit;
        pen.path(x, y, x + size * one[0], y + size * one[1], x + size * two[0], y + size * two[1]);
        pen.fill(pen.colours.line);
        return;
    }
    const h = 1.1 * pen.unit;
    pen.placed(x, y, one ? Math.atan2(one[1], one[0]) : 0, () => {
        pen.path(-h, -h, h, -h, h, h, -h, h);
        pen.fill(pen.colours.line);
    });
}

function drawSlider(pen, item, index) {
    const l = SIZE.blockLength * pen.unit, h = SIZE.blockHeight * pen.unit;
    if (!pen.holds(index)) return;
    pen.placed(pen.x(item, 0), pen.y(item, 0), Math.atan2(pen.number(index, N.directionY), pen.number(index, N.directionX)), () => {
        pen.path(-l, -h, l, -h, l, h, -l, h);
        pen.ctx.closePath();
        if (item.body === undefined) pen.paper();
        else pen.body(item.body);
    });
}

// ----------------------------------------------------------------------------------------------------- what acts

export function drawArrow(pen, x, y, dx, dy, colour) {
    const size = Math.hypot(dx, dy), head = Math.min(SIZE.headLength * pen.unit, 0.6 * size);
    if (!(size > 0.3 * pen.unit)) return;
    pen.placed(x, y, Math.atan2(dy, dx), () => {
        pen.path(0, 0, size - head, 0);
        pen.stroke(colour, 2);
        pen.path(size, 0, size - head, 0.4 * head, size - head, -0.4 * head);
        pen.fill(colour);
    });
}

function drawForce(pen, item, index) {
    drawArrow(pen, pen.x(item, 0), pen.y(item, 0), pen.newton * pen.number(index, N.forceX),
        pen.newton * pen.number(index, N.forceY), pen.colours.force);
}

// An arc round a joint with a head, clockwise or not; the gap is below.
function drawRound(pen, x, y, clockwise) {
    const r = SIZE.torque * pen.unit, tail = (clockwise ? 1.25 : -0.25) * Math.PI, head = (clockwise ? -0.1 : 1.1) * Math.PI;
    const tip = head + (clockwise ? -1 : 1) * SIZE.headLength / SIZE.torque;
    const inner = r - SIZE.headWidth * pen.unit, outer = r + SIZE.headWidth * pen.unit;
    pen.ctx.beginPath();
    pen.ctx.arc(x, y, r, tail, head, clockwise);
    pen.stroke(pen.colours.force, 2);
    pen.path(x + inner * Math.cos(head), y + inner * Math.sin(head), x + r * Math.cos(tip), y + r * Math.sin(tip),
        x + outer * Math.cos(head), y + outer * Math.sin(head));
    pen.fill(pen.colours.force);
}

function drawTorque(pen, item, index) {
    const torque = pen.number(index, N.torque);
    if (torque > 0 || torque < 0) drawRound(pen, pen.x(item, 0), pen.y(item, 0), torque < 0);
}

// Round the joint that it turns, the way it turns it; what it leads along a line has a ring.
function drawMotor(pen, item, index) {
    if (!pen.holds(index)) return;
    if (item.body !== undefined) {
        const rate = pen.number(index, N.rate);
        if (!(rate < 0)) drawRound(pen, pen.x(item, 0), pen.y(item, 0), false);
        if (!(rate > 0)) drawRound(pen, pen.x(item, 0), pen.y(item, 0), true);
    } else if (item.points.length === 2) {
        drawDamper(pen, item, index);
    } else {
        for (let k = 0; k < item.points.length; k++) {
            pen.circle(pen.x(item, k), pen.y(item, k), 1.9 * pen.unit);
            pen.stroke(pen.colours.force, 2);
        }
    }
}

// What a joint has to hold: the force of a pin, the tension of a link at both of its ends.
export function drawReactions(pen, reactions, newton) {
    const colour = pen.colours.reaction;
    for (const { item, x, y, tension } of reactions) {
        if (!tension) {
            drawArrow(pen, pen.x(item, 0), pen.y(item, 0), newton * x(), newton * y(), colour);
            continue;
        }
        const dx = pen.x(item, 1) - pen.x(item, 0), dy = pen.y(item, 1) - pen.y(item, 0), length = Math.hypot(dx, dy) || 1;
        const size = newton * tension() / length;
        drawArrow(pen, pen.x(item, 0), pen.y(item, 0), size * dx, size * dy, colour);
        drawArrow(pen, pen.x(item, 1), pen.y(item, 1), -size * dx, -size * dy, colour);
    }
}

// A contact that is closed: a mark, its friction cone, and its force, which lies in the cone.
function drawContact(pen, item, index) {
    const fx = pen.number(index, N.forceX), fy = pen.number(index, N.forceY);
    const x = pen.scale * pen.number(index, N.placeX), y = pen.scale * pen.number(index, N.placeY);
    if (!(Math.hypot(fx, fy) > 0) || pen.ghost) return;
    const mu = pen.number(index, N.friction), height = 0.5 * SIZE.force * pen.unit;
    if (pen.forces && mu > 0) {
        pen.placed(x, y, Math.atan2(pen.number(index, N.directionY), pen.number(index, N.directionX)), () => {
            const length = height / Math.max(1, mu), wide = length * mu;
            pen.path(0, 0, length, wide, length, -wide);
            pen.ctx.closePath();
            pen.fill(pen.colours.touch, 0.12);
            pen.path(length, wide, 0, 0, length, -wide);
            pen.stroke(pen.colours.touch, 0.8);
        });
    }
    pen.circle(x, y, 0.7 * pen.unit);
    pen.fill(pen.colours.touch);
    if (pen.forces) drawArrow(pen, x, y, pen.newton * fx, pen.newton * fy, pen.colours.force);
}

// ------------------------------------------------------------------------------------------------------- all of it

// By kind, in the order in which they cover each other.
const BEHIND = [["ground", drawGround], ["edge", drawEdge], ["curve", drawCurve], ["slider", drawGuide], ["limit", drawLimit],
    ["angle", drawAngle], ["gear", drawGear], ["rack", drawRack], ["disc", drawDisc]];
const LINKS = [["spring", drawSpring], ["damper", drawDamper], ["body", drawBody], ["torsion", drawTorsion], ["line", drawRod],
    ["rope", drawRope], ["slider", drawSlider], ["points", drawMarks], ["weld", drawWeld], ["mass", drawPointMass], ["pin", drawPin]];
const ABOVE = [["motor", drawMotor], ["torque", drawTorque], ["force", drawForce], ["contact", drawContact]];

// What a ghost does not have of its own: surfaces stay where they are, forces are not predicted.
const NOT_OF_GHOSTS = new Set(["ground", "edge", "curve", "force", "torque", "contact", "limit", "angle"]);

export function drawMechanism(pen) {
    const [behind, links, above] = pen.layers;
    const layer = (list) => {
        for (const { item, index, draw } of list) {
            if (pen.ghost && (NOT_OF_GHOSTS.has(item.kind) || draw === drawGuide)) continue;
            draw(pen, item, index);
        }
    };
    pen.ctx.lineJoin = "round";
    layer(behind);
    if (!pen.ghost) drawSupports(pen);
    layer(links);
    drawJoints(pen);
    layer(above);
}

// Small enough for the shorter links.
export function symbolUnit(doc, scale, width) {
    const usual = Math.min(5, Math.max(2.6, 0.0066 * width)), lengths = [];
    for (const item of doc.items) {
        if ((item.kind !== "body" && item.kind !== "line") || item.points.length < 2) continue;
        const [a, b] = item.points.map((k) => doc.places[k]);
        lengths.push(scale * Math.hypot(b.x.at(0) - a.x.at(0), b.y.at(0) - a.y.at(0)));
    }
    if (!lengths.length) return usual;
    lengths.sort((a, b) => a - b);
    return Math.max(0.45 * usual, Math.min(usual, lengths[Math.floor(lengths.length / 4)] / 9));
}
