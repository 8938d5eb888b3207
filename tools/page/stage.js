// stage.js - the mechanism on a canvas: view, follow, traces, arrows, flashes, scale bar, names under the pointer.

import { NUMBERS } from "./data.js";
import { make, readColours, roundBelow, short } from "./format.js";
import { swayPose } from "./modes.js";
import { Pose } from "./motion.js";
import { Pen, drawMechanism, drawArrow, drawReactions, findRoles, findColours, nameDirection, symbolUnit, SIZE, N } from "./symbols.js";

const TRACE_SAMPLES = 3000, FLASH_SECONDS = 0.25, REACH = 12;

export class Stage {
    constructor(canvas, hint, doc, motion, ghost) {
        Object.assign(this, { canvas, hint, follow: -1, speed: 1, time: 0, pinned: null, sway: null, over: [], held: false });
        this.ctx = canvas.getContext("2d");
        this.shows = { forces: true, reactions: false, velocities: false, traces: true, names: false, grid: false, ghost: true };
        this.view = { x: 0, y: 0, scale: 1 };
        this.load(doc, motion, ghost);
        this.readColours();
        this.listen();
        new ResizeObserver(() => this.resize()).observe(canvas);
        this.resize();
    }

    // The mechanism that is shown. What is traced and followed stays, by name, and so does the view where it still fits.
    load(doc, motion, ghost) {
        const names = (set) => [...set].map((k) => this.doc.places[k].name);
        const kept = this.doc && { traced: names(this.traced), follow: this.doc.places[this.follow]?.name };
        Object.assign(this, { doc, motion, ghost, sway: null });
        this.pose = new Pose(doc);
        this.ghostPose = new Pose(doc);
        this.roles = findRoles(doc);
        this.pen = new Pen(this.ctx, doc, this.roles, findColours(doc));
        this.pen.colours = this.colours;
        this.named = new Map(doc.places.map((p, k) => [p.name, k]).filter(([name]) => name));
        const traced = kept?.traced.map((name) => this.named.get(name)).filter((k) => k !== undefined);
        this.traced = new Set(traced?.length || (kept && !kept.traced.length) ? traced : this.usualTraces());
        this.follow = kept ? this.named.get(kept.follow) ?? -1 : -1;
        this.traces = new Map();
        this.box = this.findBox();
        this.forceScale = this.largest((k) => doc.items[k].forceX && ["force", "contact"].includes(doc.items[k].kind));
        this.speedScale = this.largestSpeed();
        this.reactions = this.findReactions();
        if (kept) this.refit();
        this.changed = true;
    }

    // The view follows the motion, but for one that was chosen, or while something is held: it would run away from the hand.
    refit() {
        if (!this.moved && !this.held && !this.fits()) this.fit();
    }

    // The whole motion is in the picture, and not small in it.
    fits() {
        const [x0, y1] = this.toWorld(0, 0), [x1, y0] = this.toWorld(this.width, this.height), { low, high } = this.box;
        const part = Math.max((high[0] - low[0]) / (x1 - x0), (high[1] - low[1]) / (y1 - y0));
        return low[0] >= x0 && high[0] <= x1 && low[1] >= y0 && high[1] <= y1 && part > 0.55;
    }

    readColours() {
        this.colours = readColours();
        this.colours.dark = matchMedia("(prefers-color-scheme: dark)").matches;
        this.pen.colours = this.colours;
        this.changed = true;
    }

    // ------------------------------------------------------------------------------------------------- extents

    // What touches something leaves a trace; else the last point that is free.
    usualTraces() {
        const named = this.doc.places.map((p, k) => k).filter((k) => this.doc.places[k].name && this.doc.places[k].kind !== "fixed");
        const touching = named.filter((k) => this.roles[k].touches);
        return touching.length ? touching.slice(0, 4) : named.slice(-1);
    }

    findBox() {
        const box = { low: [Infinity, Infinity], high: [-Infinity, -Infinity] }, doc = this.doc;
        const step = Math.max(1, Math.floor(doc.frames / 400));
        for (let k = 0; k < doc.frames; k += step) this.extend(box, k);
        if (doc.frames) this.extend(box, doc.frames - 1);
        this.extendLines(box);
        if (!(box.low[0] <= box.high[0])) return { low: [-1, -1], high: [1, 1] };
        return box;
    }

    extend(box, frame) {
        const doc = this.doc;
        const add = (x, y) => {
            if (!Number.isFinite(x) || !Number.isFinite(y)) return;
            box.low = [Math.min(box.low[0], x), Math.min(box.low[1], y)];
            box.high = [Math.max(box.high[0], x), Math.max(box.high[1], y)];
        };
        for (const item of doc.items) {
            const r = item.radius.at(frame) || 0, guide = item.kind === "slider" || item.kind === "rack";
            if (item.kind === "edge" && !doc.places[item.points[0]].name) continue;
            item.points.forEach((place, k) => {
                const p = doc.places[place];
                if (guide && k > 0 && p.kind === "fixed") return; // says only where the line is
                add(p.x.at(frame) - r, p.y.at(frame) - r);
                add(p.x.at(frame) + r, p.y.at(frame) + r);
            });
            if (item.kind === "contact") this.extendGround(add, item, frame);
        }
    }

    // Ground goes on for ever: it counts where something can come down on it.
    extendGround(add, contact, frame) {
        for (const item of this.doc.items) {
            if (item.kind !== "ground" || item.element !== contact.element) continue;
            const x = contact.placeX.at(frame), y = contact.placeY.at(frame), angle = item.angle.at(frame);
            if (!Number.isFinite(angle)) continue;
            const h = item.height.at(frame), along = x * Math.cos(angle) + (y - h) * Math.sin(angle);
            add(along * Math.cos(angle), along * Math.sin(angle) + h);
        }
    }

    // And what is near of polylines that do not move.
    extendLines(box) {
        const margin = Math.max(box.high[0] - box.low[0], box.high[1] - box.low[1]) / 4;
        const low = box.low.map((x) => x - margin), high = box.high.map((x) => x + margin);
        for (const item of this.doc.items) {
            if (item.kind !== "edge" || this.doc.places[item.points[0]].name) continue;
            const ends = item.points.slice(0, 2).map((k) => [this.doc.places[k].x.at(0), this.doc.places[k].y.at(0)]);
            if ([0, 1].some((i) => Math.max(ends[0][i], ends[1][i]) < low[i] || Math.min(ends[0][i], ends[1][i]) > high[i])) continue;
            for (const end of ends)
                for (let i = 0; i < 2; i++) {
                    box.low[i] = Math.min(box.low[i], Math.max(low[i], end[i]));
                    box.high[i] = Math.max(box.high[i], Math.min(high[i], end[i]));
                }
        }
    }

    // The largest force but for rare peaks, which would make all others too short to see.
    largest(counts) {
        const sizes = [];
        this.doc.items.forEach((item, k) => {
            if (!counts(k)) return;
            for (let f = 0; f < this.doc.frames; f += Math.max(1, Math.floor(this.doc.frames / 2000))) {
                const size = Math.hypot(item.forceX.at(f), item.forceY.at(f));
                if (size > 0) sizes.push(size);
            }
        });
        sizes.sort((a, b) => a - b);
        return sizes.length ? sizes[Math.floor(0.98 * (sizes.length - 1))] : 0;
    }

    // Reactions that can be drawn, by their names: "pin.fx" and "pin.fy" of a pin, "rod.tension" of a link.
    findReactions() {
        const { doc, motion } = this, found = [];
        const quantity = (name) => doc.quantities.find((q) => q.group === "reaction" && q.name === name);
        const now = (q) => () => (motion.locate(this.time, this.pose.segment), motion.value(q.values));
        this.reactionScale = 0;
        for (const item of doc.items) {
            const name = doc.elements[item.element].name, [x, y] = [quantity(`${name}.fx`), quantity(`${name}.fy`)], t = quantity(`${name}.tension`);
            if (item.kind === "pin" && x && y) found.push({ item, x: now(x), y: now(y) });
            else if (["body", "line", "spring"].includes(item.kind) && item.points.length === 2 && t) found.push({ item, tension: now(t) });
            else continue;
            for (const q of [x, y, t]) for (let f = 0; q && f < doc.frames; f += Math.max(1, Math.floor(doc.frames / 500)))
                this.reactionScale = Math.max(this.reactionScale, Math.abs(q.values.at(f)) || 0);
        }
        return found;
    }

    largestSpeed() {
        let largest = 0;
        for (const p of this.doc.places)
            for (let f = 0; f < this.doc.frames && p.name; f += Math.max(1, Math.floor(this.doc.frames / 500))) {
                const size = Math.hypot(p.vx.at(f), p.vy.at(f));
                if (size > largest) largest = size;
            }
        return largest;
    }

    // --------------------------------------------------------------------------------------------------- view

    resize() {
        const ratio = window.devicePixelRatio || 1, box = this.canvas.getBoundingClientRect();
        this.width = Math.max(50, box.width);
        this.height = Math.max(50, box.height);
        this.canvas.width = Math.round(ratio * this.width);
        this.canvas.height = Math.round(ratio * this.height);
        this.ratio = ratio;
        if (!this.moved) this.fit();
        this.changed = true;
    }

    fit() {
        const { low, high } = this.box, margin = 44;
        const wide = Math.max(high[0] - low[0], 1e-9), tall = Math.max(high[1] - low[1], 1e-9);
        this.view.scale = Math.min((this.width - 2 * margin) / wide, (this.height - 2 * margin) / tall);
        if (high[0] - low[0] < 1e-9 && high[1] - low[1] < 1e-9) this.view.scale = this.height / 2;
        this.view.x = 0.5 * (low[0] + high[0]);
        this.view.y = 0.5 * (low[1] + high[1]);
        this.moved = false;
        this.changed = true;
    }

    zoom(factor, px = this.width / 2, py = this.height / 2) {
        const [x, y] = this.toWorld(px, py);
        this.view.scale *= factor;
        const [nx, ny] = this.toWorld(px, py);
        this.view.x += x - nx;
        this.view.y += y - ny;
        this.moved = this.changed = true;
    }

    pan(dx, dy) {
        this.view.x -= dx / this.view.scale;
        this.view.y += dy / this.view.scale;
        this.moved = this.changed = true;
    }

    // Where the middle of the picture is: what is followed moves it.
    centre() {
        const f = this.follow;
        if (f < 0) return [this.view.x, this.view.y];
        return [this.view.x + this.pose.at[2 * f] - this.doc.places[f].x.at(0), this.view.y + this.pose.at[2 * f + 1] - this.doc.places[f].y.at(0)];
    }

    toWorld(px, py) {
        const [x, y] = this.centre();
        return [x + (px - this.width / 2) / this.view.scale, y - (py - this.height / 2) / this.view.scale];
    }

    toScreen(x, y) {
        const [cx, cy] = this.centre();
        return [this.width / 2 + (x - cx) * this.view.scale, this.height / 2 - (y - cy) * this.view.scale];
    }

    listen() {
        const pointers = new Map(), canvas = this.canvas;
        let spread = 0;
        const at = (e) => [e.offsetX, e.offsetY];
        canvas.addEventListener("wheel", (e) => {
            e.preventDefault();
            this.zoom(Math.exp(-0.0015 * e.deltaY), ...at(e));
        }, { passive: false });
        canvas.addEventListener("pointerdown", (e) => {
            if (e.defaultPrevented) return; // somebody else takes it
            canvas.setPointerCapture(e.pointerId);
            pointers.set(e.pointerId, at(e));
            spread = 0;
        });
        canvas.addEventListener("pointermove", (e) => {
            const before = pointers.get(e.pointerId), now = at(e);
            if (!before) return this.hover(...now);
            pointers.set(e.pointerId, now);
            if (pointers.size === 1) return this.pan(now[0] - before[0], now[1] - before[1]);
            const [a, b] = [...pointers.values()], length = Math.hypot(b[0] - a[0], b[1] - a[1]);
            if (spread) this.zoom(length / spread, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
            spread = length;
        });
        for (const type of ["pointerup", "pointercancel"])
            canvas.addEventListener(type, (e) => (pointers.delete(e.pointerId), (spread = 0)));
        canvas.addEventListener("pointerleave", () => this.hover(-1e9, -1e9));
        canvas.addEventListener("dblclick", () => this.fit());
    }

    // The name of what is under the pointer: a contact, a point, else a body or a spring.
    hover(px, py) {
        const lines = this.describe(px, py);
        this.hint.hidden = !lines.length;
        this.hint.textContent = lines.join("\n");
        const left = px > 0.65 * this.width;
        this.hint.style.left = left ? "" : `${px + 14}px`;
        this.hint.style.right = left ? `${this.width - px + 14}px` : "";
        this.hint.style.top = `${Math.min(py + 10, this.height - 70)}px`;
    }

    describe(px, py) {
        const { doc, pose } = this, lines = [];
        doc.places.forEach((p, k) => {
            const [x, y] = this.toScreen(pose.at[2 * k], pose.at[2 * k + 1]);
            if (!p.name || Math.hypot(x - px, y - py) > REACH || lines.length > 5) return;
            lines.push(`${p.name}  (${short(pose.at[2 * k], 4)}, ${short(pose.at[2 * k + 1], 4)}) m`);
            if (p.kind !== "fixed") lines.push(`   ${short(Math.hypot(pose.velocity[2 * k], pose.velocity[2 * k + 1]), 4)} m/s`);
        });
        doc.items.forEach((item, k) => {
            const number = (n) => pose.number[k * NUMBERS.length + n];
            if (item.kind !== "contact" || !(Math.hypot(number(N.forceX), number(N.forceY)) > 0)) return;
            const [x, y] = this.toScreen(number(N.placeX), number(N.placeY));
            if (Math.hypot(x - px, y - py) <= REACH)
                lines.push(`${doc.elements[item.element].name}  ${short(Math.hypot(number(N.forceX), number(N.forceY)), 4)} N`);
        });
        if (lines.length) return lines;
        let nearest = 9, name = "";
        for (const item of doc.items) {
            if (!["body", "line", "spring", "damper", "rope"].includes(item.kind)) continue;
            for (let k = 0; k + 1 < item.points.length; k++) {
                const d = this.distance(px, py, item.points[k], item.points[k + 1]);
                if (d < nearest) [nearest, name] = [d, `${doc.elements[item.element].name}  ${doc.elements[item.element].type}`];
            }
        }
        return name ? [name] : [];
    }

    distance(px, py, a, b) {
        const [x0, y0] = this.toScreen(this.pose.at[2 * a], this.pose.at[2 * a + 1]);
        const [x1, y1] = this.toScreen(this.pose.at[2 * b], this.pose.at[2 * b + 1]);
        const dx = x1 - x0, dy = y1 - y0, s = Math.max(0, Math.min(1, ((px - x0) * dx + (py - y0) * dy) / (dx * dx + dy * dy || 1)));
        return Math.hypot(px - x0 - s * dx, py - y0 - s * dy);
    }

    // ------------------------------------------------------------------------------------------------- drawing

    show(t, segment) {
        this.time = t;
        this.motion.fill(this.pose, t, segment);
        if (this.sway) {
            swayPose(this.pose, this.sway);
            this.motion.carry(this.pose.at);
        }
        if (this.ghost.active) this.ghost.fill(this.ghostPose, t);
        this.changed = true;
    }

    draw() {
        if (!this.changed) return;
        this.changed = false;
        const { ctx, pen, view } = this, [cx, cy] = this.centre();
        ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        ctx.fillStyle = this.colours.paper;
        ctx.fillRect(0, 0, this.width, this.height);
        pen.scale = view.scale;
        pen.unit = symbolUnit(this.doc, view.scale, this.width);
        pen.low = [view.scale * cx - this.width / 2, view.scale * cy - this.height / 2];
        pen.high = [view.scale * cx + this.width / 2, view.scale * cy + this.height / 2];
        pen.forces = this.shows.forces;
        pen.newton = this.forceScale ? SIZE.force * pen.unit / this.forceScale : 0;
        if (this.shows.grid) this.drawGrid();
        ctx.save();
        ctx.transform(1, 0, 0, -1, this.width / 2 - view.scale * cx, this.height / 2 + view.scale * cy); // y up
        if (this.shows.traces) this.drawTraces();
        if (this.pinned) this.drawPinned();
        if (this.shows.ghost && this.ghost.active) { // behind: what does not differ is as it is
            pen.pose = this.ghostPose;
            pen.ghost = true;
            drawMechanism(pen);
        }
        pen.pose = this.pose;
        pen.ghost = false;
        drawMechanism(pen);
        if (this.shows.reactions && this.reactionScale) drawReactions(pen, this.reactions, SIZE.force * pen.unit / this.reactionScale);
        if (this.shows.velocities) this.drawVelocities();
        this.drawFlashes();
        for (const draw of this.over) draw(ctx, view.scale, pen.unit);
        ctx.restore();
        if (this.shows.names) this.drawNames();
        this.drawScaleBar();
    }

    // Another design to compare with, in grey behind this one; null: none.
    pin(doc, motion) {
        this.pinned = doc && { doc, motion, pose: new Pose(doc), pen: new Pen(this.ctx, doc, findRoles(doc), findColours(doc)) };
        this.changed = true;
    }

    drawPinned() {
        const { doc, motion, pose, pen } = this.pinned, ctx = this.ctx, s = this.view.scale;
        motion.fill(pose, Math.min(this.time, motion.end));
        Object.assign(pen, { scale: this.pen.scale, unit: this.pen.unit, low: this.pen.low, high: this.pen.high, forces: false,
            ghost: true, pose, colours: { ...this.colours, ghost: this.colours.faint } });
        drawMechanism(pen);
        ctx.strokeStyle = this.colours.faint;
        ctx.lineWidth = 1;
        for (const place of this.shows.traces ? this.traced : []) {
            const p = doc.places.find((other) => other.name === this.doc.places[place].name);
            ctx.beginPath();
            for (let k = 0; p && k < doc.frames; k++) ctx[k ? "lineTo" : "moveTo"](s * p.x.at(k), s * p.y.at(k));
            ctx.stroke();
        }
    }

    // Paths of points over the time that is looked at; the part that is still to come is pale.
    drawTraces() {
        const [from, to] = this.range?.now ?? [0, Infinity];
        let colour = 0;
        for (const place of this.traced) {
            const { t, xy } = this.traceOf(place), ctx = this.ctx, s = this.view.scale;
            ctx.lineWidth = 1.6;
            ctx.strokeStyle = this.colours.body[colour++ % 7];
            for (const past of [false, true]) {
                ctx.globalAlpha = past ? 0.9 : 0.35;
                ctx.beginPath();
                for (let k = 0, begun = false; k < t.length && t[k] <= to && (!past || t[k] <= this.time); k++) {
                    if (t[k] < from) continue;
                    ctx[begun ? "lineTo" : "moveTo"](s * xy[2 * k], s * xy[2 * k + 1]);
                    begun = true;
                }
                ctx.stroke();
            }
            ctx.globalAlpha = 1;
        }
    }

    traceOf(place) {
        if (this.traces.has(place)) return this.traces.get(place);
        const { motion, doc } = this, p = doc.places[place], parts = Math.max(1, Math.floor(TRACE_SAMPLES / Math.max(1, doc.frames)));
        const step = Math.max(1, Math.floor(doc.frames / TRACE_SAMPLES)), t = [], xy = [];
        for (let k = 0; k < doc.frames; k += step) {
            t.push(motion.t[k]);
            xy.push(p.x.at(k), p.y.at(k));
            if (k + 1 >= doc.frames || motion.segment[k + 1] !== motion.segment[k] || step > 1) continue;
            const h = motion.t[k + 1] - motion.t[k];
            for (let i = 1; i < parts; i++) {
                const s = i / parts, h01 = s * s * (3 - 2 * s), h10 = h * s * (1 - s) * (1 - s), h11 = -h * s * s * (1 - s);
                t.push(motion.t[k] + s * h);
                xy.push((1 - h01) * p.x.at(k) + h10 * p.vx.at(k) + h01 * p.x.at(k + 1) + h11 * p.vx.at(k + 1),
                    (1 - h01) * p.y.at(k) + h10 * p.vy.at(k) + h01 * p.y.at(k + 1) + h11 * p.vy.at(k + 1));
            }
        }
        const trace = { t, xy };
        this.traces.set(place, trace);
        return trace;
    }

    drawVelocities() {
        const { doc, pose, pen } = this, length = this.speedScale ? SIZE.force * pen.unit / this.speedScale : 0;
        doc.places.forEach((p, k) => {
            if (!p.name || p.kind === "fixed") return;
            drawArrow(pen, pen.scale * pose.at[2 * k], pen.scale * pose.at[2 * k + 1], length * pose.velocity[2 * k],
                length * pose.velocity[2 * k + 1], this.colours.velocity);
        });
    }

    // A ring where contacts have just been hit.
    drawFlashes() {
        const { doc, pen, ctx } = this, still = matchMedia("(prefers-reduced-motion: reduce)").matches;
        for (const e of doc.events) {
            const since = (this.time - e.t) / (FLASH_SECONDS * this.speed);
            if (since < 0 || since > 1 || (e.t === this.time && this.pose.segment <= doc.events.indexOf(e))) continue;
            for (const c of e.contacts) {
                if (!(Math.abs(c.normal) > 0)) continue;
                for (const k of this.contactItems(c.contact)) {
                    const x = this.pose.number[k * NUMBERS.length + N.placeX], y = this.pose.number[k * NUMBERS.length + N.placeY];
                    pen.circle(pen.scale * x, pen.scale * y, pen.unit * (still ? 3 : 2 + 5 * since));
                    ctx.strokeStyle = this.colours.touch;
                    ctx.lineWidth = 3;
                    ctx.globalAlpha = still ? 0.8 : 1 - since;
                    ctx.stroke();
                    ctx.globalAlpha = 1;
                }
            }
        }
    }

    // The items of a contact by its name: "floor", or "floor.P2" for one of its points.
    contactItems(name) {
        const [element, point] = name.split("."), found = [];
        this.doc.items.forEach((item, k) => {
            if (item.kind !== "contact" || this.doc.elements[item.element].name !== element) return;
            if (point === undefined || this.doc.places[item.points[0]].name === point) found.push(k);
        });
        return found;
    }

    drawNames() {
        const { ctx, doc, pose } = this, used = new Set(doc.items.flatMap((item) => (item.kind === "slider" ? item.points.slice(0, 1) : item.points)));
        ctx.save();
        ctx.font = "italic 13px Georgia, serif";
        ctx.fillStyle = this.colours.line;
        ctx.strokeStyle = this.colours.paper; // what lies below a name does not make it hard to read
        ctx.lineWidth = 3;
        ctx.lineJoin = "round";
        doc.places.forEach((p, k) => {
            if (!p.name || !used.has(k)) return;
            const [ux, uy] = nameDirection(this.roles[k]), away = 2.2 * this.pen.unit + 3;
            const [x, y] = this.toScreen(pose.at[2 * k], pose.at[2 * k + 1]);
            ctx.textAlign = ux > 0.35 ? "left" : ux < -0.35 ? "right" : "center";
            ctx.strokeText(p.name, x + ux * away, y - uy * away + 4);
            ctx.fillText(p.name, x + ux * away, y - uy * away + 4);
        });
        ctx.restore();
    }

    drawGrid() {
        const { ctx, view } = this, step = roundBelow(90 / view.scale), [x0, y1] = this.toWorld(0, 0), [x1, y0] = this.toWorld(this.width, this.height);
        ctx.beginPath();
        for (let x = Math.ceil(x0 / step) * step; x <= x1; x += step) {
            const [px] = this.toScreen(x, 0);
            ctx.moveTo(px, 0);
            ctx.lineTo(px, this.height);
        }
        for (let y = Math.ceil(y0 / step) * step; y <= y1; y += step) {
            const [, py] = this.toScreen(0, y);
            ctx.moveTo(0, py);
            ctx.lineTo(this.width, py);
        }
        ctx.strokeStyle = this.colours.grid;
        ctx.lineWidth = 1;
        ctx.stroke();
        const [ox, oy] = this.toScreen(0, 0);
        ctx.beginPath();
        ctx.moveTo(ox - 6, oy);
        ctx.lineTo(ox + 6, oy);
        ctx.moveTo(ox, oy - 6);
        ctx.lineTo(ox, oy + 6);
        ctx.strokeStyle = this.colours.note;
        ctx.stroke();
    }

    // Lengths, and where forces are shown newtons, that an arrow of this size has.
    drawScaleBar() {
        const { ctx, view } = this, length = roundBelow(Math.min(140, 0.3 * this.width) / view.scale), px = length * view.scale;
        const bar = (x, wide, text, colour) => {
            const y = this.height - 14;
            ctx.strokeStyle = ctx.fillStyle = colour;
            ctx.lineWidth = 1.4;
            ctx.beginPath();
            ctx.moveTo(x, y - 4);
            ctx.lineTo(x, y);
            ctx.lineTo(x + wide, y);
            ctx.lineTo(x + wide, y - 4);
            ctx.stroke();
            ctx.fillText(text, x + 5, y - 5);
        };
        ctx.font = "12px system-ui, sans-serif";
        ctx.textAlign = "left";
        bar(14, px, `${short(length)} m`, this.colours.note);
        let x = 14 + px + 24;
        const others = [[this.shows.forces && this.forceScale, "N", this.colours.force],
            [this.shows.reactions && this.reactionScale, "N", this.colours.reaction],
            [this.shows.velocities && this.speedScale, "m/s", this.colours.velocity]];
        for (const [largest, unit, colour] of others) {
            if (!largest) continue;
            const value = roundBelow(largest), wide = SIZE.force * this.pen.unit * value / largest;
            bar(x, wide, `${short(value)} ${unit}`, colour);
            x += Math.max(wide, 50) + 24;
        }
    }
}

// The tools beside the stage: what is shown, what is followed, fit and zoom.
export function makeStageTools(stage, container) {
    const words = { forces: "forces", reactions: "reactions", velocities: "velocities", traces: "traces", names: "names", grid: "grid" };
    for (const [key, word] of Object.entries(words)) {
        const box = make("input", { type: "checkbox", id: `show-${key}`, checked: stage.shows[key],
            onchange: (e) => (stage.shows[key] = e.target.checked, stage.changed = true) });
        container.append(make("label", { class: "tool" }, box, word));
    }
    const follow = make("select", { id: "follow", "aria-label": "point to follow", onchange: (e) => {
        stage.follow = Number(e.target.value);
        stage.changed = true;
    } });
    const trace = make("select", { id: "trace", "aria-label": "trace a point, or not", onchange: (e) => {
        const place = Number(e.target.value);
        if (!stage.traced.delete(place)) stage.traced.add(place);
        e.target.value = "";
        stage.changed = true;
    } });
    let known = "";
    const load = () => {
        const named = stage.doc.places.map((p, k) => [p, k]).filter(([p]) => p.name && p.kind !== "fixed"), names = JSON.stringify(named.map(([p, k]) => [p.name, k]));
        if (names !== known) {
            follow.replaceChildren(make("option", { value: "-1" }, "follow…"), ...named.map(([p, k]) => make("option", { value: k }, `follow ${p.name}`)));
            trace.replaceChildren(make("option", { value: "" }, "trace…"), ...named.map(([p, k]) => make("option", { value: k }, p.name)));
        }
        known = names;
        follow.value = String(stage.follow);
    };
    load();
    container.append(follow, trace,
        make("button", { type: "button", "aria-label": "zoom out", title: "−", onclick: () => stage.zoom(1 / 1.25) }, "−"),
        make("button", { type: "button", "aria-label": "zoom in", title: "+", onclick: () => stage.zoom(1.25) }, "+"),
        make("button", { type: "button", "aria-label": "fit the whole motion", title: "0", onclick: () => stage.fit() }, "fit"));
    return { load };
}
