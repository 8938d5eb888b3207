// motion.js - the mechanism at any time: from the frames on either side, never across an event.
//
// Between two frames of one segment, h apart, places go along the cubic with their velocities (Hermite):
//
//     x(s) = h00 x0 + h10 h v0 + h01 x1 + h11 h v1,    s from 0 to 1,
//
// all other numbers along straight lines; where the second one is not known the first one stays.

import { NUMBERS } from "./data.js";

// A pose: all numbers that the mechanism is drawn from, in flat arrays.
export class Pose {
    constructor(doc) {
        this.t = 0;
        this.segment = 0;
        this.at = new Float64Array(2 * doc.places.length);
        this.velocity = new Float64Array(2 * doc.places.length);
        this.number = new Float64Array(NUMBERS.length * doc.items.length);
    }
}

export class Motion {
    constructor(doc) {
        this.doc = doc;
        this.frames = doc.frames;
        this.t = new Float64Array(doc.frames);
        this.segment = new Float64Array(doc.frames);
        for (let k = 0; k < doc.frames; k++) {
            this.t[k] = doc.t.at(k);
            this.segment[k] = doc.segment.at(k);
        }
        this.end = doc.frames ? this.t[doc.frames - 1] : 0;
        this.first = []; // frames of each segment: first and last
        this.last = [];
        for (let k = 0; k < doc.frames; k++) {
            const s = this.segment[k];
            if (this.first[s] === undefined) this.first[s] = k;
            this.last[s] = k;
        }
        this.frame = 0; // of the time looked for last, and how far on to the next
        this.part = 0;
        this.findFrames();
    }

    // Places without a name that lie on a body move with it: their place in its frame.
    findFrames() {
        const doc = this.doc;
        this.carried = [];
        for (const item of doc.items) {
            const body = doc.items.find((other) => other.kind === "body" && other.element === item.body && other.points.length > 1);
            const place = item.points[0];
            if (!body || item.kind !== "mass" || doc.places[place].name) continue;
            const [a, b] = body.points, ax = doc.places[a].x.at(0), ay = doc.places[a].y.at(0);
            const ux = doc.places[b].x.at(0) - ax, uy = doc.places[b].y.at(0) - ay, length = Math.hypot(ux, uy) || 1;
            const x = doc.places[place].x.at(0) - ax, y = doc.places[place].y.at(0) - ay;
            this.carried.push({ place, a, b, along: (x * ux + y * uy) / length, across: (y * ux - x * uy) / length });
        }
    }

    carry(at) {
        for (const c of this.carried) {
            const ax = at[2 * c.a], ay = at[2 * c.a + 1], ux = at[2 * c.b] - ax, uy = at[2 * c.b + 1] - ay;
            const length = Math.hypot(ux, uy) || 1;
            at[2 * c.place] = ax + (c.along * ux - c.across * uy) / length;
            at[2 * c.place + 1] = ay + (c.along * uy + c.across * ux) / length;
        }
    }

    // The last frame at or before t, after all events at t.
    frameAt(t) {
        let low = 0, high = this.frames - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.t[middle] <= t) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    segmentAt(t) {
        return this.frames ? this.segment[this.frameAt(t)] : 0;
    }

    // The frame and the part of the way to the next for a time in a segment; beyond its ends the part is 0.
    locate(t, segment) {
        let frame = this.frameAt(t);
        if (this.segment[frame] < segment) frame = this.first[segment];
        if (this.segment[frame] > segment) frame = this.last[segment];
        const next = frame + 1, inside = next < this.frames && this.segment[next] === segment && t > this.t[frame];
        this.frame = frame;
        this.part = inside ? (t - this.t[frame]) / (this.t[next] - this.t[frame]) : 0;
    }

    // A column at the place found. What is not known just before an event stays as it was at the frame before.
    value(column) {
        const k = this.frame, a = column.at(k);
        if (this.part === 0 && a !== a && k > 0 && this.segment[k - 1] === this.segment[k]) return column.at(k - 1);
        if (this.part === 0 || column.constant) return a;
        const b = column.at(this.frame + 1);
        if (!(b === b)) return a;
        return a === a ? a + this.part * (b - a) : a;
    }

    // What a signal was just before, or is just after: at a frame.
    fill(pose, t, segment = this.segmentAt(t)) {
        const doc = this.doc;
        pose.t = t;
        pose.segment = segment;
        if (!this.frames) return;
        this.locate(t, segment);
        const k = this.frame, s = this.part, h = s ? this.t[k + 1] - this.t[k] : 0, beyond = s ? 0 : t - this.t[k];
        const h10 = h * s * (1 - s) * (1 - s), h11 = -h * s * s * (1 - s), h01 = s * s * (3 - 2 * s), h00 = 1 - h01;
        for (let i = 0; i < doc.places.length; i++) {
            const p = doc.places[i];
            for (let axis = 0; axis < 2; axis++) {
                const x = axis ? p.y : p.x, v = axis ? p.vy : p.vx, v0 = v.at(k);
                let at = x.at(k);
                if (s && v0 === v0) at = h00 * at + h10 * v0 + h01 * x.at(k + 1) + h11 * v.at(k + 1);
                else if (s) at += s * (x.at(k + 1) - at);
                else if (beyond && v0 === v0) at += beyond * v0;
                pose.at[2 * i + axis] = at;
                pose.velocity[2 * i + axis] = this.value(v);
            }
        }
        this.carry(pose.at);
        for (let i = 0; i < doc.items.length; i++)
            for (let n = 0; n < NUMBERS.length; n++) pose.number[i * NUMBERS.length + n] = this.value(doc.items[i][NUMBERS[n]]);
    }
}
