// plots.js - quantities over time, each with its derivatives below it, by Dygraphs; marks at events, gaps at jumps, one
// time axis for all.

import { chartSvg } from "./chart.js";
import { ROUNDING, extremes, touchingPoints } from "./data.js";
import { downloadCsv, downloadSvg, explain, make, readColours, short } from "./format.js";

const USUAL = 3, USUAL_COMPARED = 16, HEIGHT = 170;

// Rows [t, y...] of series at the frames, with a row of NaN between the two sides of an event: a jump is a gap.
export function plotRows(motion, columns) {
    const rows = [];
    for (let k = 0; k < motion.frames; k++) {
        if (k && motion.segment[k] !== motion.segment[k - 1]) rows.push([motion.t[k], ...columns.map(() => NaN)]);
        rows.push([motion.t[k], ...columns.map((c) => c.at(k))]);
    }
    return rows;
}

// The same as a table, without the gaps.
export function plotTable(motion, names, columns) {
    const rows = [["t", "segment", ...names]];
    for (let k = 0; k < motion.frames; k++) rows.push([motion.t[k], motion.segment[k], ...columns.map((c) => c.at(k))]);
    return rows;
}

// Rows of a motion and of another one, each with its own times: [t, own..., other's], null where a line goes on.
export function comparedRows(motion, columns, otherMotion, otherColumn) {
    const own = plotRows(motion, columns).map((row) => [...row, null]);
    const other = plotRows(otherMotion, [otherColumn]).map(([t, y]) => [t, ...columns.map(() => null), y]);
    return own.concat(other).sort((a, b) => a[0] - b[0]);
}

export class Plots {
    constructor(player, range, container) {
        Object.assign(this, { player, range, container, shown: [], hidden: new Set(), doc: null, pinned: null });
        this.colours = readColours();
        this.tools = make("div", { class: "tools" });
        this.list = make("div", { class: "plots" });
        const [button, line] = explain("plots over time", "Drag over a plot to look at a part of time, double click for all of it; click to go there. A jump is a gap, a thin line an event.");
        container.querySelector("h2").append(button);
        container.append(line, this.tools, this.list);
        if (typeof Dygraph === "undefined") {
            this.list.append(make("p", { class: "note" }, "This saltus was built without Dygraphs (libjs-dygraphs): there are no plots over time. The data are in the tables."));
            return;
        }
        player.tell((t) => this.moveCursors(t));
        range.tell((now, by) => this.setRange(now, by));
    }

    // Another motion: the same quantities of it, by name; at first the usual ones.
    load(doc, motion) {
        const names = (d) => JSON.stringify([d.series.map((s) => s.name), d.wrt.map((w) => w.name)]), before = this.doc;
        const same = before && names(before) === names(doc) && before.series.every((s, k) => s.gradient.length === doc.series[k].gradient.length);
        Object.assign(this, { doc, motion });
        if (same) {
            for (const p of this.shown) this.refill(p);
            this.moveCursors(this.player.t);
            return;
        }
        const chosen = this.shown.map((p) => p.series.name);
        this.hidden = new Set(doc.wrt.map((w, c) => c).filter((c) => c >= 4)); // parameters whose derivatives are not plotted
        this.makeTools();
        for (const p of this.shown.slice()) this.remove(p);
        if (doc.frames < 2) this.waiting = chosen.length ? chosen : this.waiting;
        const kept = (chosen.length ? chosen : this.waiting ?? []).map((name) => doc.series.find((s) => s.name === name)).filter(Boolean);
        if (doc.frames > 1) for (const s of kept.length ? kept : this.usual()) this.add(s);
    }

    refill(plot) {
        plot.series = this.doc.series.find((s) => s.name === plot.series.name);
        const known = this.gradientsShown(plot.series), compared = known.filter((c) => plot.series.compared?.[c]);
        const columns = [[plot.series.values], [...known.map((c) => plot.series.gradient[c]), ...compared.map((c) => plot.series.compared[c])]];
        plot.charts.forEach((chart, k) => {
            chart.columns = columns[k];
            chart.range = this.rangeFor(chart);
            this.setting = true;
            chart.graph.updateOptions({ file: this.rowsOf(plot, chart), valueRange: chart.range, dateWindow: this.range.now.slice() });
            this.setting = false;
        });
    }

    // There are differences to compare the derivatives with.
    get compares() {
        return this.doc.places.some((p) => p.cx.length);
    }

    gradientsShown(series) {
        return series.gradient.map((g, c) => c).filter((c) => !this.hidden.has(c));
    }

    // A design to compare with; null: none.
    pin(doc, motion) {
        this.pinned = doc && { doc, motion };
        this.refresh();
    }

    otherOf(plot) {
        return this.pinned?.doc.series.find((s) => s.name === plot.series.name);
    }

    rowsOf(plot, chart) {
        const other = chart.compares && this.otherOf(plot);
        return other ? comparedRows(this.motion, chart.columns, this.pinned.motion, other.values) : plotRows(this.motion, chart.columns);
    }

    // What is looked at first, of what changes: outputs, then what touches something, then the rest. Where there are
    // differences, all that has them: places and velocities of what touches, outputs and costs, other points.
    usual() {
        const touching = touchingPoints(this.doc);
        const touches = (s, form) => touching.has(s.name.match(form)?.[1]), { compares } = this;
        const first = (s) => (s.group === "output" ? 0 : touches(s, /^[xy]\((.*)\)$/) ? 1 : 2);
        const compared = (s) => (touches(s, /^v?[xy]\((.*)\)$/) ? 0 : ["output", "cost"].includes(s.group) ? 1 : 2);
        const rank = compares ? compared : first;
        const list = this.doc.series.filter((s) => !compares || s.compared?.length), changing = list.filter((s) => this.changes(s));
        return (changing.length ? changing : list).sort((a, b) => rank(a) - rank(b)).slice(0, compares ? USUAL_COMPARED : USUAL);
    }

    makeTools() {
        const groups = { output: "outputs", cost: "costs", coordinate: "coordinates", velocity: "velocities", energy: "energy", reaction: "reactions" };
        const select = make("select", { id: "add-plot", "aria-label": "add a plot", onchange: (e) => {
            const s = this.doc.series[Number(e.target.value)];
            e.target.value = "";
            if (s) this.add(s);
        } }, make("option", { value: "" }, "add a plot…"));
        for (const [group, label] of Object.entries(groups)) {
            const box = make("optgroup", { label });
            this.doc.series.forEach((s, k) => s.group === group && box.append(make("option", { value: k }, s.name)));
            if (box.children.length) select.append(box);
        }
        this.tools.replaceChildren(select, make("button", { type: "button", onclick: () => this.range.set(...this.range.whole, null) }, "whole time"));
        if (this.doc.wrt.length > 1) {
            const which = make("select", { id: "plot-parameters", "aria-label": "derivatives with respect to", onchange: (e) => {
                const c = Number(e.target.value);
                if (!this.hidden.delete(c)) this.hidden.add(c);
                e.target.value = "";
                this.refresh();
            } }, make("option", { value: "" }, "derivatives by…"));
            this.doc.wrt.forEach((w, c) => which.append(make("option", { value: c }, w.name)));
            this.tools.append(which);
        }
    }

    refresh() {
        const series = this.shown.map((p) => p.series);
        for (const p of this.shown.slice()) this.remove(p);
        for (const s of series) this.add(s);
    }

    add(series) {
        if (typeof Dygraph === "undefined" || this.shown.some((p) => p.series === series)) return;
        const number = this.doc.series.indexOf(series), unit = series.unit ? ` [${series.unit}]` : "";
        const plot = { series, charts: [], box: make("figure", { class: "plot" }) };
        plot.box.append(make("figcaption", {}, make("b", {}, series.name + unit),
            make("button", { type: "button", "aria-label": `data of ${series.name} as CSV`, onclick: () => this.save(plot) }, "CSV"),
            make("button", { type: "button", "aria-label": `${series.name} as SVG`, onclick: () => this.saveSvg(plot) }, "SVG"),
            make("button", { type: "button", "aria-label": `remove the plot of ${series.name}`, onclick: () => this.remove(plot) }, "×")));
        this.list.append(plot.box);
        const other = this.otherOf(plot);
        this.chart(plot, series.name + unit, other ? [series.name, "pinned"] : [series.name], [series.values], [this.colours.body[number % 6], this.colours.faint],
            { other: other?.values });
        const known = this.gradientsShown(series);
        if (known.length) {
            const compared = known.filter((c) => series.compared?.[c]), colour = (c) => this.colours.body[(c + 1) % 7], name = (c) => `d/d ${this.doc.wrt[c].name}`;
            plot.box.append(make("div", { class: "sub" }, `derivatives of ${series.name}${compared.length ? "; thin: central differences, which have spikes where it jumps" : ""}`));
            this.chart(plot, `derivatives of ${series.name}`, [...known.map(name), ...compared.map((c) => `${name(c)} by differences`)],
                [...known.map((c) => series.gradient[c]), ...compared.map((c) => series.compared[c])], [...known.map(colour), ...compared.map(colour)],
                { thin: compared.length });
        }
        this.shown.push(plot);
        this.moveCursors(this.player.t);
    }

    remove(plot) {
        for (const c of plot.charts) c.graph.destroy();
        plot.box.remove();
        this.shown = this.shown.filter((p) => p !== plot);
    }

    // Of the vertical axis, null: as far as the lines go. Beside differences, whose spikes go on beyond, as far as the exact
    // derivatives go, and as much again. What does not change but by rounding is a straight line.
    rangeFor({ columns, thin, compares }) {
        const [low, high] = extremes(columns.slice(0, columns.length - thin), this.motion.frames), size = Math.max(Math.abs(low), Math.abs(high)), spread = high - low;
        if (!(spread > ROUNDING * size) && !compares) return low <= high ? [low - (size || 1), high + (size || 1)] : null;
        return thin ? [low - 0.5 * spread, high + 0.5 * spread] : null;
    }

    // It is not the same all the time, but for rounding.
    changes(series) {
        const [low, high] = series.values.constant ? [0, 0] : extremes([series.values], this.motion.frames);
        return high - low > ROUNDING * Math.max(Math.abs(low), Math.abs(high));
    }

    // `thin`: how many of the columns, the last ones, are differences that the others are compared with; `other`: the
    // column of the pinned design, where there is one.
    chart(plot, title, names, columns, colours, { other = null, thin = 0 }) {
        const frame = make("div", { class: "chart", role: "img", "aria-label": `${names.join(", ")} over time` });
        const area = make("div", { style: `height:${HEIGHT}px` }), cursor = make("div", { class: "cursor" });
        const legend = make("div", { class: "legend" });
        frame.append(area, cursor, legend);
        plot.box.append(frame);
        const exact = columns.length - thin, compares = Boolean(other), chart = { title, names, columns, colours, thin, cursor, compares, other };
        chart.range = this.rangeFor(chart);
        chart.graph = new Dygraph(area, this.rowsOf(plot, chart), {
            labels: ["t", ...names], colors: colours, connectSeparatedPoints: compares, valueRange: chart.range,
            series: Object.fromEntries(thin ? names.slice(exact).map((name) => [name, { strokeWidth: 0.8, strokePattern: [4, 2] }]) : []), legend: "never", dateWindow: this.range.now.slice(),
            strokeWidth: 1.6, axisLabelFontSize: 11, axisLineColor: this.colours.faint, gridLineColor: this.colours.grid,
            highlightCircleSize: 3, axisLabelWidth: 62,
            axes: { x: { axisLabelFormatter: (x) => short(x, 6), axisLabelWidth: 60 }, y: { axisLabelFormatter: (y) => short(y, 4), axisLabelWidth: 62 } },
            underlayCallback: (ctx, box, graph) => this.markEvents(ctx, box, graph),
            drawCallback: (graph, first) => !first && !this.setting && this.range.set(...graph.xAxisRange(), graph),
            highlightCallback: (e, x, points) => this.tellPoints(chart, x, points.map((p) => [p.name, p.yval])),
            unhighlightCallback: () => this.tellNow(chart),
            clickCallback: (e, x) => (this.player.pause(), this.player.set(x)),
        });
        chart.legend = legend;
        plot.charts.push(chart);
        this.tellNow(chart);
    }

    tellPoints({ legend, names, colours }, t, points) {
        legend.replaceChildren(make("span", {}, `t = ${short(t, 7)}`),
            ...points.map(([name, y]) => make("span", { style: `color:${colours[names.indexOf(name)]}` }, `${name} = ${short(y, 6)}`)));
    }

    // The values at the time that is shown; while it plays, names are enough.
    tellNow(chart) {
        const { player, motion } = this, { legend, names, colours, columns } = chart;
        if (player.playing) return legend.replaceChildren(...names.map((name, k) => make("span", { style: `color:${colours[k]}` }, name)));
        motion.locate(player.t, player.segment);
        const values = columns.map((c) => motion.value(c));
        if (chart.other) {
            this.pinned.motion.locate(player.t, this.pinned.motion.segmentAt(player.t));
            values.push(this.pinned.motion.value(chart.other));
        }
        this.tellPoints(chart, player.t, values.map((v, k) => [names[k], v]));
    }

    markEvents(ctx, box, graph) {
        ctx.strokeStyle = this.colours.touch;
        ctx.lineWidth = 1;
        ctx.globalAlpha = 0.45;
        ctx.beginPath();
        for (const e of this.doc.events) {
            const x = Math.round(graph.toDomXCoord(e.t)) + 0.5;
            if (x < box.x || x > box.x + box.w) continue;
            ctx.moveTo(x, box.y);
            ctx.lineTo(x, box.y + box.h);
        }
        ctx.stroke();
        ctx.globalAlpha = 1;
    }

    setRange(now, by) {
        this.setting = true;
        for (const p of this.shown) for (const c of p.charts) if (c.graph !== by) c.graph.updateOptions({ dateWindow: now.slice() });
        this.setting = false;
        this.moveCursors(this.player.t);
    }

    moveCursors(t) {
        const inside = t >= this.range.now[0] && t <= this.range.now[1], { playing } = this.player, tells = !playing || !this.played;
        this.played = playing;
        for (const p of this.shown)
            for (const c of p.charts) {
                c.cursor.hidden = !inside;
                c.cursor.style.transform = `translateX(${c.graph.toDomXCoord(t)}px)`;
                if (tells) this.tellNow(c);
            }
    }

    // Colours have changed with the system's.
    recolour() {
        this.colours = readColours();
        this.refresh();
    }

    save(plot) {
        const s = plot.series, by = (c) => `d ${s.name}/d ${this.doc.wrt[c].name}`, compared = s.compared ?? [];
        const names = [s.name, ...s.gradient.map((g, c) => by(c)), ...compared.map((g, c) => `${by(c)} by differences`)];
        downloadCsv(s.name, plotTable(this.motion, names, [s.values, ...s.gradient, ...compared]));
    }

    saveSvg(plot) {
        downloadSvg(plot.series.name, this.pictureOf(plot));
    }

    // Its charts as they are, in the range of time that is looked at.
    pictureOf(plot) {
        const panels = plot.charts.map((chart) => ({ ...chart, rows: this.rowsOf(plot, chart) }));
        return chartSvg(panels, this.range.now, "t [s]", this.doc.events.map((e) => e.t));
    }
}
