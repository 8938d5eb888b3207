// drag.js - points are moved at the start of the motion, with the pointer or by keys: their `at` in the scene's text
// changes. What assembling the mechanism has moved away from there is shown as a red line for a moment.

import { make, plural, short } from "./format.js";
import { movable, readScene, setPlace } from "./scene.js";

const NEAR = 14, SHOWN = 1400; // [px], [ms]

export class Drag {
    // `text()` is the scene's, `change(text, gesture)` changes it, `released()` ends a gesture, `tell(words)` says why not.
    constructor(page, tools, { text, change, released, tell }) {
        Object.assign(this, { page, text, change, released, tell, held: "", chosen: "", moved: [], until: 0 });
        const canvas = page.stage.canvas;
        canvas.addEventListener("pointerdown", (e) => this.take(e), { capture: true });
        canvas.addEventListener("pointermove", (e) => this.move(e), { capture: true });
        for (const type of ["pointerup", "pointercancel"]) canvas.addEventListener(type, () => this.release());
        page.stage.over.push((ctx, scale, unit) => this.draw(ctx, scale, unit));
        this.pick = make("select", { id: "move-point", "aria-label": "point to move with the keys i j k l", title: "move a point with i j k l (shift: far)",
            onchange: (e) => this.choose(e.target.value) });
        tools.append(this.pick);
        document.addEventListener("keydown", (e) => this.key(e));
        this.names = null;
    }

    // After a new document: which points there are, and, where it is to be shown, what assembling has moved.
    load(doc, scene, shows) {
        const names = Object.keys(scene?.points ?? {}).filter((name) => movable(this.text(), name).some(Boolean));
        if (names.join() !== this.names?.join())
            this.pick.replaceChildren(make("option", { value: "" }, "move…"), ...names.map((name) => make("option", { value: name }, `move ${name}`)));
        this.names = names;
        if (!names.includes(this.chosen)) this.chosen = "";
        this.pick.value = this.chosen;
        if (shows) this.findMoved(doc, scene);
        else this.moved = [];
    }

    findMoved(doc, scene) {
        const size = Math.max(...[0, 1].map((k) => this.page.stage.box.high[k] - this.page.stage.box.low[k]));
        this.moved = [];
        for (const p of doc.places) {
            const at = scene?.points?.[p.name]?.at;
            if (doc.study || p.kind !== "free" || !Array.isArray(at) || !at.every((x) => typeof x === "number") || !doc.frames) continue;
            const to = [p.x.at(0), p.y.at(0)];
            if (Math.hypot(to[0] - at[0], to[1] - at[1]) > 2e-3 * size) this.moved.push([at, to]);
        }
        this.until = performance.now() + SHOWN;
        this.page.stage.changed = true;
    }

    get atStart() {
        return this.page.player.t === 0 && !this.page.player.playing && !this.page.doc.study;
    }

    nearest(px, py) {
        const { doc, stage } = this.page;
        let best = NEAR, found = "";
        doc.places.forEach((p, k) => {
            if (!p.name || !this.names?.includes(p.name)) return;
            const [x, y] = stage.toScreen(stage.pose.at[2 * k], stage.pose.at[2 * k + 1]), d = Math.hypot(x - px, y - py);
            if (d < best) [best, found] = [d, p.name];
        });
        return found;
    }

    take(e) {
        const name = e.isPrimary ? this.nearest(e.offsetX, e.offsetY) : "";
        if (!name) return;
        if (!this.atStart) return this.tell(this.page.doc.study ? "points are moved while the motion is run" : "points are moved at the start: press Home");
        e.preventDefault(); // the stage does not pan
        this.page.stage.canvas.setPointerCapture(e.pointerId);
        this.hold(name, e);
        this.page.stage.canvas.classList.add("holding");
    }

    // What is between the pointer and the point stays between them, and the view as it is.
    hold(name, e) {
        const { stage } = this.page, k = stage.named.get(name), [x, y] = stage.toScreen(stage.pose.at[2 * k], stage.pose.at[2 * k + 1]);
        Object.assign(this, { held: name, beside: [e.offsetX - x, e.offsetY - y] });
        stage.held = true;
    }

    move(e) {
        const canvas = this.page.stage.canvas;
        if (!this.held) return canvas.classList.toggle("movable", this.atStart && this.nearest(e.offsetX, e.offsetY) !== "");
        e.stopImmediatePropagation(); // no hints on the way
        this.page.stage.hint.hidden = true;
        this.place(this.held, this.page.stage.toWorld(e.offsetX - this.beside[0], e.offsetY - this.beside[1]));
    }

    release() {
        if (!this.held) return;
        this.held = "";
        this.page.stage.held = false;
        this.page.stage.refit();
        this.page.stage.changed = true;
        this.page.stage.canvas.classList.remove("holding");
        this.released();
    }

    // To a tenth of a pixel; null: this coordinate stays as it is written.
    place(name, at) {
        const digits = Math.max(0, Math.ceil(Math.log10(10 * this.page.stage.view.scale)));
        this.change(setPlace(this.text(), name, at.map((x) => x === null ? null : Number(x.toFixed(Math.min(15, digits))))), `point ${name}`);
    }

    choose(name) {
        this.chosen = name;
        if (!name) return;
        this.page.player.pause();
        this.page.player.set(0);
        this.page.stage.canvas.focus();
        this.page.stage.changed = true;
    }

    key(e) {
        const step = { i: [0, 1], k: [0, -1], j: [-1, 0], l: [1, 0] }[e.key.toLowerCase()];
        if (!step || !this.chosen || !this.atStart || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("textarea, input, select")) return;
        const at = readScene(this.text())?.points?.[this.chosen]?.at, by = (e.shiftKey ? 10 : 1) / this.page.stage.view.scale;
        if (!Array.isArray(at)) return;
        e.preventDefault();
        this.place(this.chosen, at.map((x, axis) => step[axis] ? (typeof x === "number" ? x : 0) + by * step[axis] : null));
    }

    draw(ctx, scale, unit) {
        const { stage, doc, player } = this.page, now = performance.now(), rest = (this.until - now) / SHOWN;
        const ring = this.held || this.chosen;
        ctx.strokeStyle = stage.colours.touch;
        ctx.lineWidth = 2;
        if (ring && player.t === 0) {
            const k = doc.places.findIndex((p) => p.name === ring);
            ctx.beginPath();
            if (k >= 0) ctx.arc(scale * stage.pose.at[2 * k], scale * stage.pose.at[2 * k + 1], 2.6 * unit + 3, 0, 2 * Math.PI);
            ctx.stroke();
        }
        if (rest <= 0 || player.t !== 0) return;
        ctx.globalAlpha = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : rest;
        ctx.strokeStyle = stage.colours.red;
        ctx.beginPath();
        for (const [from, to] of this.moved) {
            ctx.moveTo(scale * from[0], scale * from[1]);
            ctx.lineTo(scale * to[0], scale * to[1]);
        }
        ctx.stroke();
        ctx.globalAlpha = 1;
        if (this.moved.length) requestAnimationFrame(() => (stage.changed = true));
    }

    // The same in words.
    get told() {
        return this.moved.length ? `assembling moved ${plural(this.moved.length, "point")} by up to ${short(Math.max(...this.moved.map(([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]))), 3)} m` : "";
    }
}
