// phase.js - one quantity against another in the range of time that is looked at, with a mark at the time that is shown.

import { chartSvg } from "./chart.js";
import { extremes, touchingPoints, withAir } from "./data.js";
import { downloadCsv, downloadSvg, make, readColours, short } from "./format.js";
import { plotTable } from "./plots.js";

export class Phase {
    constructor(player, range, container) {
        Object.assign(this, { player, span: range, changed: true, names: [] });
        const pick = (axis, label) => make("select", { id: `phase-${label}`, "aria-label": `${label} axis of the phase plot`,
            onchange: (e) => ((this.choice[axis] = Number(e.target.value)), this.measure()) });
        this.picks = [pick(0, "horizontal"), pick(1, "vertical")];
        this.canvas = make("canvas", { class: "phase", role: "img", "aria-label": "phase plot" });
        const button = (text, act) => make("button", { type: "button", "aria-label": `phase plot as ${text}`, onclick: act }, text);
        container.querySelector("h2").append(button("CSV", () => downloadCsv(this.title, this.table())), button("SVG", () => downloadSvg(this.title, this.pictureNow())));
        container.append(make("div", { class: "tools" }, this.picks[1], "over", this.picks[0]), this.canvas);
        this.ctx = this.canvas.getContext("2d");
        this.colours = readColours();
        player.tell(() => (this.changed = true));
        range.tell(() => this.doc && this.measure());
        new ResizeObserver(() => (this.changed = true)).observe(this.canvas);
    }

    // What is chosen stays, by name.
    load(doc, motion) {
        const chosen = this.choice?.map((k) => doc.series.findIndex((s) => s.name === this.names[k]));
        Object.assign(this, { doc, motion });
        this.choice = chosen && !chosen.includes(-1) ? chosen : this.usual();
        const names = doc.series.map((s) => s.name);
        this.picks.forEach((select, axis) => {
            if (names.join() !== this.names.join()) select.replaceChildren(...names.map((name, k) => make("option", { value: k }, name)));
            select.value = String(this.choice[axis]);
        });
        this.names = names;
        this.measure();
    }

    // A height that changes, of what touches something where there is one, and its velocity; else the first two quantities.
    usual() {
        const series = this.doc.series, touching = touchingPoints(this.doc);
        const heights = series.filter((s) => s.group === "coordinate" && !s.values.constant && s.name.startsWith("y("));
        const x = series.indexOf(heights.find((s) => touching.has(s.name.slice(2, -1))) ?? heights[0]);
        const v = x < 0 ? -1 : series.findIndex((s) => s.name === `v${series[x].name}`);
        return v < 0 ? [0, Math.min(1, series.length - 1)] : [x, v];
    }

    // The frames in the range of time that is looked at: [first, behind the last]; where there are none, those around it.
    get frames() {
        const { t, frames } = this.motion, [from, to] = this.span.now;
        let first = 0, end = frames;
        while (first < frames && t[first] < from) first++;
        while (end > first && t[end - 1] > to) end--;
        return first < end ? [first, end] : [Math.max(0, first - 1), Math.min(frames, end + 1)];
    }

    get title() {
        const [x, y] = this.choice.map((k) => this.doc.series[k].name);
        return `${y} over ${x}`;
    }

    table() {
        const series = this.choice.map((k) => this.doc.series[k]), [first, end] = this.frames;
        const [head, ...rows] = plotTable(this.motion, series.map((s) => s.name), series.map((s) => s.values));
        return [head, ...rows.slice(first, end)];
    }

    pictureNow() {
        const [x, y] = this.choice.map((k) => this.doc.series[k]), rows = [], name = (s) => s.name + (s.unit ? ` [${s.unit}]` : "");
        for (let [f, end] = this.frames, first = f; f < end; f++) {
            if (f > first && this.motion.segment[f] !== this.motion.segment[f - 1]) rows.push([NaN, NaN]);
            rows.push([x.values.at(f), y.values.at(f)]);
        }
        return chartSvg([{ title: name(y), names: [y.name], colours: [this.colours.body[0]], rows, range: this.range[1] }], this.range[0], name(x));
    }

    measure() {
        const [first, end] = this.frames;
        this.range = this.choice.map((k) => withAir(this.doc.series[k] ? extremes([this.doc.series[k].values], end, first) : [NaN, NaN]));
        this.changed = true;
    }

    draw() {
        if (!this.changed || !this.doc?.series.length) return;
        this.changed = false;
        const box = this.canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1, { ctx, colours } = this;
        if (!box.width) return;
        if (this.canvas.width !== Math.round(ratio * box.width) || this.canvas.height !== Math.round(ratio * box.height)) {
            this.canvas.width = Math.round(ratio * box.width);
            this.canvas.height = Math.round(ratio * box.height);
        }
        const left = 64, bottom = box.height - 24, [x, y] = this.choice.map((k) => this.doc.series[k]);
        const px = (v) => left + (box.width - left - 10) * (v - this.range[0][0]) / (this.range[0][1] - this.range[0][0]);
        const py = (v) => bottom - (bottom - 8) * (v - this.range[1][0]) / (this.range[1][1] - this.range[1][0]);
        ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
        ctx.clearRect(0, 0, box.width, box.height);
        ctx.strokeStyle = colours.faint;
        ctx.lineWidth = 1;
        ctx.strokeRect(left, 8, box.width - left - 10, bottom - 8);
        this.label(left, bottom, box);
        ctx.strokeStyle = colours.body[0];
        ctx.lineWidth = 1.5;
        ctx.lineJoin = "round";
        ctx.beginPath();
        for (let [f, end] = this.frames, first = f; f < end; f++) {
            const on = f > first && this.motion.segment[f] === this.motion.segment[f - 1];
            ctx[on ? "lineTo" : "moveTo"](px(x.values.at(f)), py(y.values.at(f)));
        }
        ctx.stroke();
        this.motion.locate(this.player.t, this.player.segment);
        ctx.fillStyle = colours.touch;
        ctx.beginPath();
        ctx.arc(px(this.motion.value(x.values)), py(this.motion.value(y.values)), 4, 0, 2 * Math.PI);
        ctx.fill();
    }

    label(left, bottom, box) {
        const { ctx } = this, [[x0, x1], [y0, y1]] = this.range;
        ctx.font = "11px system-ui, sans-serif";
        ctx.fillStyle = this.colours.note;
        ctx.textAlign = "right";
        ctx.fillText(short(y1, 3), left - 4, 17);
        ctx.fillText(short(y0, 3), left - 4, bottom);
        ctx.fillText(short(x1, 3), box.width - 10, bottom + 14);
        ctx.textAlign = "left";
        ctx.fillText(short(x0, 3), left, bottom + 14);
    }

    recolour() {
        this.colours = readColours();
        this.changed = true;
    }
}
