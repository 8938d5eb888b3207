// plots.js - quantities over time, each with its derivatives below it, by Dygraphs; marks at events, gaps at jumps, one
// time axis for all.

import { csv, download, fileName, make, readColours, short } from "./format.js";

const USUAL = 3, HEIGHT = 170;

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
        container.append(this.tools, this.list);
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
            return;
        }
        const chosen = this.shown.map((p) => p.series.name);
        this.hidden = new Set(doc.wrt.map((w, c) => c).filter((c) => c >= 4)); // parameters whose derivatives are not plotted
        this.makeTools();
        for (const p of this.shown.slice()) this.remove(p);
        if (doc.frames < 2) this.waiting = chosen.length ? chosen : this.waiting;
        const kept = (chosen.length ? chosen : this.waiting ?? []).map((name) => doc.series.find((s) => s.name === name)).filter(Boolean);
        if (doc.frames > 1) for (const s of kept.length ? kept : this.usual().slice(0, this.compares ? USUAL + 1 : USUAL)) this.add(s);
    }

    refill(plot) {
        plot.series = this.doc.series.find((s) => s.name === plot.series.name);
        const known = this.gradientsShown(plot.series), compared = known.filter((c) => plot.series.compared?.[c]);
        const columns = [[plot.series.values], [...known.map((c) => plot.series.gradient[c]), ...compared.map((c) => plot.series.compared[c])]];
        plot.charts.forEach((chart, k) => {
            chart.columns = columns[k];
            this.setting = true;
            chart.graph.updateOptions({ file: this.rowsOf(plot, chart), dateWindow: this.range.now.slice() });
            this.setting = false;
        });
    }

    // There are differences to compare with: places and velocities of what touches are looked at first.
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

    // Outputs that change; then what touches something; then the rest.
    usual() {
        const touching = new Set(this.doc.items.filter((item) => item.kind === "contact").map((item) => this.doc.places[item.points[0]].name));
        const shown = this.compares ? /^v?[xy]\((.*)\)$/ : /^[xy]\((.*)\)$/;
        const rank = (s) => (s.group === "output" && !this.compares ? 0 : touching.has(s.name.match(shown)?.[1]) ? 1 : 2);
        return this.doc.series.filter((s) => !s.values.constant).sort((a, b) => rank(a) - rank(b));
    }

    makeTools() {
        const groups = { output: "outputs", coordinate: "coordinates", velocity: "velocities", energy: "energy", reaction: "reactions" };
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
        this.chart(plot, other ? [series.name, "pinned"] : [series.name], [series.values], [this.colours.body[number % 6], this.colours.faint], Boolean(other));
        const known = this.gradientsShown(series);
        if (known.length) {
            const compared = known.filter((c) => series.compared?.[c]), colour = (c) => this.colours.body[(c + 1) % 7], name = (c) => `d/d ${this.doc.wrt[c].name}`;
            plot.box.append(make("div", { class: "sub" }, `derivatives of ${series.name}${compared.length ? "; thin: central differences, which have spikes where it jumps" : ""}`));
            this.chart(plot, [...known.map(name), ...compared.map((c) => `${name(c)} by differences`)],
                [...known.map((c) => series.gradient[c]), ...compared.map((c) => series.compared[c])], [...known.map(colour), ...compared.map(colour)],
                false, compared.length ? known.length : 0);
        }
        this.shown.push(plot);
        this.moveCursors(this.player.t);
    }

    remove(plot) {
        for (const c of plot.charts) c.graph.destroy();
        plot.box.remove();
        this.shown = this.shown.filter((p) => p !== plot);
    }

    // How far exact derivatives go, and as much again: spikes of differences go on beyond.
    exactRange(columns) {
        let low = Infinity, high = -Infinity;
        for (const c of columns)
            for (let k = 0; k < this.motion.frames; k++) {
                const y = c.at(k);
                if (y < low) low = y;
                if (y > high) high = y;
            }
        const margin = 0.5 * (high - low) || 1;
        return low <= high ? [low - margin, high + margin] : null;
    }

    // `exact`: how many of the columns are, where others are differences to compare them with.
    chart(plot, names, columns, colours, compares = false, exact = 0) {
        const frame = make("div", { class: "chart", role: "img", "aria-label": `${names.join(", ")} over time` });
        const area = make("div", { style: `height:${HEIGHT}px` }), cursor = make("div", { class: "cursor" });
        const legend = make("div", { class: "legend" });
        frame.append(area, cursor, legend);
        plot.box.append(frame);
        const chart = { names, columns, cursor, compares };
        chart.graph = new Dygraph(area, this.rowsOf(plot, chart), {
            labels: ["t", ...names], colors: colours, connectSeparatedPoints: compares, valueRange: exact ? this.exactRange(columns.slice(0, exact)) : null,
            series: Object.fromEntries(exact ? names.slice(exact).map((name) => [name, { strokeWidth: 0.8, strokePattern: [4, 2] }]) : []), legend: "never", dateWindow: this.range.now.slice(),
            strokeWidth: 1.6, axisLabelFontSize: 11, axisLineColor: this.colours.faint, gridLineColor: this.colours.grid,
            highlightCircleSize: 3, axisLabelWidth: 62,
            axes: { x: { axisLabelFormatter: (x) => short(x, 6), axisLabelWidth: 60 }, y: { axisLabelFormatter: (y) => short(y, 4), axisLabelWidth: 62 } },
            underlayCallback: (ctx, box, graph) => this.markEvents(ctx, box, graph),
            drawCallback: (graph, first) => !first && !this.setting && this.range.set(...graph.xAxisRange(), graph),
            highlightCallback: (e, x, points) => this.tellPoints(legend, x, points, colours, names),
            unhighlightCallback: () => legend.replaceChildren(),
            clickCallback: (e, x) => (this.player.pause(), this.player.set(x)),
        });
        if (names.length > 1) this.nameLines(legend, names, colours);
        chart.legend = legend;
        plot.charts.push(chart);
    }

    nameLines(legend, names, colours) {
        legend.replaceChildren(...names.map((name, k) => make("span", { style: `color:${colours[k]}` }, name)));
    }

    tellPoints(legend, x, points, colours, names) {
        legend.replaceChildren(make("span", {}, `t = ${short(x, 7)}`),
            ...points.map((p) => make("span", { style: `color:${colours[names.indexOf(p.name)]}` }, `${p.name} = ${short(p.yval, 6)}`)));
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
        const inside = t >= this.range.now[0] && t <= this.range.now[1];
        for (const p of this.shown)
            for (const c of p.charts) {
                c.cursor.hidden = !inside;
                c.cursor.style.transform = `translateX(${c.graph.toDomXCoord(t)}px)`;
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
        download(fileName(s.name, ".csv"), "text/csv", csv(plotTable(this.motion, names, [s.values, ...s.gradient, ...compared])));
    }

    saveSvg(plot) {
        download(fileName(plot.series.name, ".svg"), "image/svg+xml", plotSvg(this.motion, plot.series, this.range.now));
    }
}

// A plot as a picture of its own; texts are put in as text nodes.
export function plotSvg(motion, series, [from, to]) {
    const space = "http://www.w3.org/2000/svg", wide = 720, tall = 300, left = 70, top = 24, right = 700, bottom = 262;
    const add = (parent, tag, attributes, text) => {
        const node = document.createElementNS(space, tag);
        for (const [k, v] of Object.entries(attributes)) node.setAttribute(k, v);
        if (text !== undefined) node.textContent = text;
        parent.append(node);
        return node;
    };
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("xmlns", space);
    svg.setAttribute("viewBox", `0 0 ${wide} ${tall}`);
    let low = Infinity, high = -Infinity;
    const inside = (k) => motion.t[k] >= from && motion.t[k] <= to;
    for (let k = 0; k < motion.frames; k++) {
        const y = series.values.at(k);
        if (inside(k) && y < low) low = y;
        if (inside(k) && y > high) high = y;
    }
    if (!(low < high)) [low, high] = [(low || 0) - 1, (low || 0) + 1];
    const px = (t) => left + (right - left) * (t - from) / (to - from), py = (y) => bottom - (bottom - top) * (y - low) / (high - low);
    add(svg, "rect", { width: wide, height: tall, fill: "#fff" });
    add(svg, "path", { d: `M${left} ${top}V${bottom}H${right}`, fill: "none", stroke: "#888" });
    const text = { "font-family": "system-ui,sans-serif", "font-size": 12, fill: "#333" };
    add(svg, "text", { ...text, x: left, y: 15 }, series.name + (series.unit ? ` [${series.unit}]` : ""));
    add(svg, "text", { ...text, x: left - 6, y: bottom, "text-anchor": "end" }, short(low));
    add(svg, "text", { ...text, x: left - 6, y: top + 8, "text-anchor": "end" }, short(high));
    add(svg, "text", { ...text, x: left, y: bottom + 18 }, short(from));
    add(svg, "text", { ...text, x: right, y: bottom + 18, "text-anchor": "end" }, `${short(to)} s`);
    let d = "", segment = -1;
    for (let k = 0; k < motion.frames; k++) {
        const y = series.values.at(k);
        if (!inside(k) || !(y === y)) continue;
        d += `${motion.segment[k] === segment ? "L" : "M"}${px(motion.t[k]).toFixed(2)} ${py(y).toFixed(2)}`;
        segment = motion.segment[k];
    }
    add(svg, "path", { d, fill: "none", stroke: "#0072b2", "stroke-width": 1.6, "stroke-linejoin": "round" });
    return new XMLSerializer().serializeToString(svg);
}
