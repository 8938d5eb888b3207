// surfaces.js - symbols of what is solid: ground, polylines, edges, guides, stops. The solid side is hatched.

import { SIZE, N } from "./symbols.js";

// Strokes at 45 degrees from a line, on its right.
export function hatch(pen, x0, y0, x1, y1) {
    const length = Math.hypot(x1 - x0, y1 - y0), space = SIZE.hatchSpace * pen.unit, depth = SIZE.hatchDepth * pen.unit;
    const n = Math.min(2000, Math.floor(length / space)), ex = length ? (x1 - x0) / length : 1, ey = length ? (y1 - y0) / length : 0;
    for (let k = 0; k <= n; k++) { // to the right of the way, and back
        const at = 0.5 * (length - n * space) + k * space, x = x0 + at * ex, y = y0 + at * ey;
        pen.ctx.moveTo(x, y);
        pen.ctx.lineTo(x + depth * (ey - ex) * Math.SQRT1_2, y - depth * (ex + ey) * Math.SQRT1_2);
    }
}

function solidLine(pen, x0, y0, x1, y1) {
    pen.path(x0, y0, x1, y1);
    pen.stroke(pen.colours.line, 1.8);
    pen.ctx.beginPath();
    hatch(pen, x0, y0, x1, y1);
    pen.stroke(pen.colours.hatch, 0.9);
}

// An arrow beside a surface that moves along itself.
function drawSpeed(pen, y, speed) {
    const u = pen.unit, e = Math.sign(speed);
    if (!e) return;
    pen.path(-6 * e * u, y - 0.12 * u, 4 * e * u, y - 0.12 * u, 4 * e * u, y - SIZE.headWidth * u, 6 * e * u, y,
        4 * e * u, y + SIZE.headWidth * u, 4 * e * u, y + 0.12 * u, -6 * e * u, y + 0.12 * u);
    pen.fill(pen.colours.force);
}

// The ground of two feet is drawn once.
function groundBefore(pen, index) {
    const angle = pen.number(index, N.angle), height = pen.number(index, N.height);
    return Number.isFinite(angle) && pen.layers[0].some(({ item, index: k }) => k < index && item.kind === "ground" &&
        pen.number(k, N.angle) === angle && pen.number(k, N.height) === height && pen.holds(k) === pen.holds(index));
}

// A straight line as far as can be seen, from the point of it that is nearest to the middle. Its strokes stay where they
// are on the ground while the picture moves.
export function drawGround(pen, item, index) {
    const angle = pen.number(index, N.angle), c = Math.cos(angle), s = Math.sin(angle), h = pen.scale * pen.number(index, N.height);
    if (!pen.holds(index) || groundBefore(pen, index)) return;
    if (!Number.isFinite(angle)) return drawProfile(pen, item, true);
    const x = 0.5 * (pen.low[0] + pen.high[0]), y = 0.5 * (pen.low[1] + pen.high[1]), space = SIZE.hatchSpace * pen.unit;
    const half = space * Math.ceil((0.5 * Math.hypot(pen.high[0] - pen.low[0], pen.high[1] - pen.low[1]) + 4 * pen.unit) / space);
    const along = space * Math.round((x * c + (y - h) * s) / space);
    pen.placed(along * c, along * s + h, angle, () => {
        solidLine(pen, -half, 0, half, 0);
        drawSpeed(pen, -3.6 * pen.unit, pen.number(index, N.speed));
    });
}

export function drawCurve(pen, item) {
    drawProfile(pen, item, false);
}

function drawProfile(pen, item, solid) {
    const p = item.profile, n = p ? p.y.length : 0, ctx = pen.ctx;
    const x = (k) => pen.scale * (p.from + (p.to - p.from) * k / (n - 1)), y = (k) => pen.scale * p.y[k];
    let joined = false;
    ctx.beginPath();
    for (let k = 0; k < n; k++) {
        if (p.y[k] === null) joined = false;
        else ctx[joined ? "lineTo" : "moveTo"](x(k), y(k)), (joined = true);
    }
    pen.stroke(pen.colours.line, solid ? 1.8 : 1.4);
    if (!solid) return;
    const space = SIZE.hatchSpace * pen.unit, d = SIZE.hatchDepth * pen.unit * Math.SQRT1_2;
    let rest = 0.5 * space;
    ctx.beginPath();
    for (let k = 0; k + 1 < n; k++) {
        if (p.y[k] === null || p.y[k + 1] === null) continue;
        const dx = x(k + 1) - x(k), dy = y(k + 1) - y(k), length = Math.hypot(dx, dy);
        for (; rest < length; rest += space) {
            const px = x(k) + rest / length * dx, py = y(k) + rest / length * dy;
            if (px < pen.low[0] || px > pen.high[0]) continue;
            ctx.moveTo(px, py);
            ctx.lineTo(px - d, py - d);
        }
        rest -= length;
    }
    pen.stroke(pen.colours.hatch, 0.9);
}

export function drawEdge(pen, item, index) {
    const margin = 4 * pen.unit, xs = [pen.x(item, 0), pen.x(item, 1)], ys = [pen.y(item, 0), pen.y(item, 1)];
    if (!pen.holds(index)) return;
    if (Math.max(...xs) < pen.low[0] - margin || Math.min(...xs) > pen.high[0] + margin) return;
    if (Math.max(...ys) < pen.low[1] - margin || Math.min(...ys) > pen.high[1] + margin) return;
    solidLine(pen, xs[0], ys[0], xs[1], ys[1]);
}

// How far the block of a slider goes along its line, over the whole motion [m].
function travel(pen, item, index) {
    if (item.travel) return item.travel;
    let from = Infinity, to = -Infinity;
    pen.doc.items.forEach((other, k) => {
        if (other.kind !== "slider" || other.points[1] !== item.points[1] || other.points[2] !== item.points[2]) return;
        const [p, a] = other.points.map((place) => pen.doc.places[place]), step = Math.max(1, Math.floor(pen.doc.frames / 1000));
        for (let f = 0; f < pen.doc.frames; f += step) {
            const along = (p.x.at(f) - a.x.at(f)) * other.directionX.at(f) + (p.y.at(f) - a.y.at(f)) * other.directionY.at(f);
            from = Math.min(from, along);
            to = Math.max(to, along);
        }
    });
    item.travel = [from, to];
    return item.travel;
}

// Rails that do not move: below a pin in a slot, on both sides of the block of a body.
export function drawGuide(pen, item, index) {
    const ux = pen.number(index, N.directionX), uy = pen.number(index, N.directionY), h = (SIZE.blockHeight + 0.1) * pen.unit;
    const first = pen.doc.items.findIndex((other) => other.kind === "slider" && other.points[1] === item.points[1] && other.points[2] === item.points[2]);
    if (item.points.length < 3 || !pen.role(item, 1).fixed || !pen.role(item, 2).fixed || first < index) return;
    const [low, high] = travel(pen, item, index), more = 1.7 * SIZE.blockLength * pen.unit, back = ux < -1e-6;
    const from = pen.scale * low - more, to = pen.scale * high + more;
    pen.placed(pen.x(item, 1), pen.y(item, 1), Math.atan2(uy, ux), () => {
        if (back || item.body !== undefined) solidLine(pen, to, h, from, h);
        if (!back || item.body !== undefined) solidLine(pen, from, -h, to, -h);
    });
}

// A hatched stop across the line between the two points, at each limit.
export function drawLimit(pen, item, index) {
    const x = pen.x(item, 1) - pen.x(item, 0), y = pen.y(item, 1) - pen.y(item, 0), half = SIZE.stop * pen.unit;
    const block = pen.role(item, 1).slides ? SIZE.blockLength * pen.unit : 0; // which stops it, with its face
    if (!pen.holds(index)) return;
    pen.placed(pen.x(item, 0), pen.y(item, 0), Math.atan2(y, x), () => {
        for (const [limit, side] of [[N.low, -1], [N.high, 1]]) { // solid before, or beyond
            const at = pen.scale * pen.number(index, limit) + side * block;
            if (Number.isFinite(at)) solidLine(pen, at, -side * half, at, side * half);
        }
    });
}

// Limits: radial stops with an arc between them. Held: a filled disc of the size of a joint.
export function drawAngle(pen, item, index) {
    const low = pen.number(index, N.low), high = pen.number(index, N.high), r = SIZE.angle * pen.unit;
    if (!pen.holds(index)) return;
    pen.placed(pen.x(item, 0), pen.y(item, 0), pen.number(index, N.reference) || 0, () => {
        if (low === high) {
            pen.circle(0, 0, 1.6 * pen.unit);
            pen.fill(pen.colours.line);
            return;
        }
        if (Number.isFinite(low) && Number.isFinite(high)) {
            pen.ctx.beginPath();
            pen.ctx.arc(0, 0, r, low, high);
            pen.stroke(pen.colours.faint, 0.8);
        }
        if (Number.isFinite(low)) drawRadial(pen, low, false);
        if (Number.isFinite(high)) drawRadial(pen, high, true);
    });
}

// A stop beside a bar at an angle, solid on the side that the bar is not to come to.
function drawRadial(pen, angle, high) {
    const c = Math.cos(angle), s = Math.sin(angle), off = (high ? 1 : -1) * (SIZE.bar + 0.2) * pen.unit;
    const r0 = 0.6 * SIZE.angle * pen.unit, r1 = 1.5 * SIZE.angle * pen.unit;
    const x0 = r0 * c - off * s, y0 = r0 * s + off * c, x1 = r1 * c - off * s, y1 = r1 * s + off * c;
    if (high) solidLine(pen, x1, y1, x0, y0);
    else solidLine(pen, x0, y0, x1, y1);
}
