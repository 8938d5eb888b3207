// timeline.js - time: playing, stepping from frame to frame and event to event, and the line with its ticks.

import { make, readColours, roundBelow, short } from "./format.js";

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

// The time that is shown, on which side of an event, and whether it goes on. Who wants to know says so with `tell`.
export class Player {
    constructor(motion, events) {
        Object.assign(this, { motion, events, t: 0, segment: 0, playing: false, listeners: [], stamp: 0 });
        this.speed = this.usualSpeed();
        this.segment = motion.frames ? motion.segment[0] : 0;
    }

    // The whole motion in 2 to 12 s.
    usualSpeed() {
        const end = this.motion.end;
        if (!(end > 0)) return 1;
        if (end / 1 >= 2 && end / 1 <= 12) return 1;
        return SPEEDS.find((s) => end / s <= 12) ?? 100;
    }

    // Another motion; the time stays as far as there is one.
    load(motion, events) {
        const whole = this.t >= this.motion.end && this.motion.end > 0;
        Object.assign(this, { motion, events });
        this.set(whole ? motion.end : this.t);
    }

    tell(listener) {
        this.listeners.push(listener);
    }

    set(t, segment) {
        this.t = Math.max(0, Math.min(this.motion.end, t));
        this.segment = segment ?? this.motion.segmentAt(this.t);
        for (const listener of this.listeners) listener(this.t, this.segment);
    }

    setFrame(k) {
        const frame = Math.max(0, Math.min(this.motion.frames - 1, k));
        if (this.motion.frames) this.set(this.motion.t[frame], this.motion.segment[frame]);
    }

    // The frame shown, or the last one before.
    get frame() {
        this.motion.locate(this.t, this.segment);
        return this.motion.frame;
    }

    stepFrame(by) {
        this.pause();
        const frame = this.frame, on = this.motion.t[frame] === this.t;
        this.setFrame(frame + (by > 0 || on ? by : 0));
    }

    // To just after the next event, or the one before.
    stepEvent(by) {
        this.pause();
        if (!this.events.length) return;
        const next = by > 0 ? this.segment : this.segment - 1 - (this.onEvent() ? 1 : 0);
        if (next < 0) this.set(0);
        else if (next >= this.events.length) this.set(this.motion.end);
        else this.set(this.events[next].t, next + 1);
    }

    onEvent() {
        return this.segment > 0 && this.events[this.segment - 1].t === this.t;
    }

    toggle() {
        if (this.playing) this.pause();
        else this.play();
    }

    // Where playing begins and ends: the range of time that is looked at.
    get span() {
        return this.range ? [this.range.now[0], Math.min(this.range.now[1], this.motion.end)] : [0, this.motion.end];
    }

    play() {
        const [from, to] = this.span;
        if (this.t >= to || this.t < from) this.set(from);
        this.playing = true;
        this.stamp = 0;
        this.set(this.t, this.segment);
    }

    pause() {
        if (!this.playing) return;
        this.playing = false;
        this.set(this.t, this.segment);
    }

    // Once for every picture of the screen.
    tick(now) {
        if (this.playing && this.stamp) {
            const t = this.t + this.speed * Math.min(0.1, (now - this.stamp) / 1000), [, to] = this.span;
            if (t >= to) this.playing = false;
            this.set(Math.min(t, to));
        }
        this.stamp = now;
    }
}

// Which part of time is looked at, by the line and by all plots.
export class TimeRange {
    constructor(end) {
        this.whole = [0, end || 1];
        this.now = this.whole.slice();
        this.listeners = [];
    }
    // What was the whole stays the whole.
    load(end) {
        const [from, to] = this.now, all = from === this.whole[0] && to === this.whole[1];
        this.whole = [0, end || 1];
        if (all) this.set(...this.whole, null);
        else this.set(from, to, null);
    }
    tell(listener) {
        this.listeners.push(listener);
    }
    set(from, to, by) {
        const least = 1e-6 * (this.whole[1] - this.whole[0]), wide = Math.max(least, Math.min(to - from, this.whole[1] - this.whole[0]));
        const start = Math.max(this.whole[0], Math.min(from, this.whole[1] - wide));
        if (start === this.now[0] && start + wide === this.now[1]) return;
        this.now = [start, start + wide];
        for (const listener of this.listeners) listener(this.now, by);
    }
    zoom(factor, about) {
        const [a, b] = this.now;
        this.set(about - (about - a) * factor, about + (b - about) * factor, null);
    }
}

export class Timeline {
    constructor(canvas, hint, player, range, ghost) {
        Object.assign(this, { canvas, hint, player, range, ghost, changed: true });
        this.ctx = canvas.getContext("2d");
        this.colours = readColours();
        player.tell(() => (this.changed = true));
        range.tell(() => (this.changed = true));
        new ResizeObserver(() => this.resize()).observe(canvas);
        this.resize();
        this.listen();
    }

    resize() {
        const box = this.canvas.getBoundingClientRect();
        this.ratio = window.devicePixelRatio || 1;
        this.width = Math.max(50, box.width);
        this.height = Math.max(20, box.height);
        this.canvas.width = Math.round(this.ratio * this.width);
        this.canvas.height = Math.round(this.ratio * this.height);
        this.changed = true;
    }

    toPixel(t) {
        return 10 + (this.width - 20) * (t - this.range.now[0]) / (this.range.now[1] - this.range.now[0]);
    }

    toTime(px) {
        return this.range.now[0] + (this.range.now[1] - this.range.now[0]) * (px - 10) / (this.width - 20);
    }

    listen() {
        const canvas = this.canvas;
        let dragging = false;
        const scrub = (e) => {
            this.player.pause();
            this.player.set(this.toTime(e.offsetX));
        };
        canvas.addEventListener("pointerdown", (e) => {
            canvas.setPointerCapture(e.pointerId);
            dragging = true;
            const event = this.eventAt(e.offsetX);
            this.player.pause();
            if (event >= 0) this.player.set(this.player.events[event].t, event + 1);
            else scrub(e);
        });
        canvas.addEventListener("pointermove", (e) => (dragging ? scrub(e) : this.hover(e.offsetX)));
        for (const type of ["pointerup", "pointercancel"]) canvas.addEventListener(type, () => (dragging = false));
        canvas.addEventListener("pointerleave", () => this.hover(-1e9));
        canvas.addEventListener("dblclick", () => this.range.set(...this.range.whole, null));
        canvas.addEventListener("wheel", (e) => {
            e.preventDefault();
            this.range.zoom(Math.exp(0.0015 * e.deltaY), this.toTime(e.offsetX));
        }, { passive: false });
    }

    eventAt(px) {
        let nearest = 5, found = -1;
        this.player.events.forEach((e, k) => {
            const d = Math.abs(this.toPixel(e.t) - px);
            if (d < nearest) [nearest, found] = [d, k];
        });
        return found;
    }

    hover(px) {
        const k = this.eventAt(px);
        this.hint.hidden = k < 0;
        if (k < 0) return;
        this.hint.textContent = `${k + 1}  ${this.player.events[k].name}  ${short(this.player.events[k].t, 8)} s`;
        const left = px > 0.6 * this.width;
        this.hint.style.left = left ? "" : `${px + 8}px`;
        this.hint.style.right = left ? `${this.width - px + 8}px` : "";
    }

    draw() {
        if (!this.changed) return;
        this.changed = false;
        const { ctx, colours, range } = this, middle = this.height / 2 - 3, [from, to] = range.now;
        ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        ctx.clearRect(0, 0, this.width, this.height);
        const line = (x0, y0, x1, y1, colour, width) => {
            ctx.strokeStyle = colour;
            ctx.lineWidth = width;
            ctx.beginPath();
            ctx.moveTo(x0, y0);
            ctx.lineTo(x1, y1);
            ctx.stroke();
        };
        line(10, middle, this.width - 10, middle, colours.faint, 3);
        line(this.toPixel(Math.max(from, 0)), middle, Math.max(10, Math.min(this.width - 10, this.toPixel(this.player.t))), middle, colours.body[0], 3);
        this.drawTimes(line);
        if (this.ghost.active)
            for (const t of this.ghost.times) if (t >= from && t <= to) line(this.toPixel(t), middle - 11, this.toPixel(t), middle + 4, colours.ghost, 1.5);
        for (const e of this.player.events)
            if (e.t >= from && e.t <= to) line(this.toPixel(e.t), middle - 7, this.toPixel(e.t), middle + 7, colours.touch, 1.5);
        const x = this.toPixel(this.player.t);
        ctx.fillStyle = colours.body[0];
        ctx.beginPath();
        ctx.arc(x, middle, 6, 0, 2 * Math.PI);
        ctx.fill();
    }

    drawTimes(line) {
        const [from, to] = this.range.now, step = roundBelow((to - from) / Math.max(2, this.width / 110)), ctx = this.ctx;
        ctx.font = "11px system-ui, sans-serif";
        ctx.fillStyle = this.colours.note;
        ctx.textAlign = "center";
        for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k++) {
            const x = this.toPixel(k * step);
            line(x, this.height / 2 + 5, x, this.height / 2 + 9, this.colours.note, 1);
            ctx.fillText(short(k * step, 6), Math.max(14, Math.min(this.width - 14, x)), this.height - 1);
        }
    }
}

// Buttons, speed and the clock.
export function makeTransport(player, container) {
    const button = (label, key, text, act) => {
        const b = make("button", { type: "button", "aria-label": label, title: `${label} (${key})`, onclick: act }, text);
        container.append(b);
        return b;
    };
    button("start", "Home", "|‹", () => (player.pause(), player.set(0)));
    button("event before", "[", "[", () => player.stepEvent(-1));
    button("frame before", "←", "‹", () => player.stepFrame(-1));
    const play = button("play", "space", "▶", () => player.toggle());
    play.id = "play";
    play.classList.add("main");
    button("next frame", "→", "›", () => player.stepFrame(1));
    button("next event", "]", "]", () => player.stepEvent(1));
    const speed = make("select", { id: "speed", "aria-label": "speed", onchange: (e) => (player.speed = Number(e.target.value)) });
    for (const s of new Set([...SPEEDS, player.speed])) speed.append(make("option", { value: s, selected: s === player.speed }, `${s}×`));
    const clock = make("output", { id: "clock", "aria-live": "off" });
    container.append(speed, clock);
    player.tell((t, segment) => {
        play.textContent = player.playing ? "❚❚" : "▶";
        play.setAttribute("aria-label", player.playing ? "pause" : "play");
        const event = player.onEvent() ? `  after ${segment} ${player.events[segment - 1].name}` : "";
        clock.textContent = `t = ${t.toFixed(Math.max(3, Math.min(8, 3 - Math.floor(Math.log10(player.motion.end || 1)))))} s${event}`;
    });
}
