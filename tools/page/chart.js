// chart.js - charts as SVG, to be taken away: panels of lines above one axis, with ticks, names and marks.

import { withAir } from "./data.js";
import { readColours, roundBelow, short } from "./format.js";
import { SPACE } from "./picture.js";

const WIDE = 720, TALL = 150, LEFT = 70, RIGHT = 12, TITLE = 20, AXIS = 34; // [px]

export function shape(parent, tag, attributes, text) {
    const node = document.createElementNS(SPACE, tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    parent.append(node);
    return node;
}

export function drawing(wide, tall, label) {
    const svg = document.createElementNS(SPACE, "svg");
    svg.setAttribute("viewBox", `0 0 ${wide} ${tall}`);
    svg.setAttribute("xmlns", SPACE);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
    return svg;
}

export function labelStyle(colours) {
    return { "font-family": "system-ui,sans-serif", "font-size": 11, fill: colours.note };
}

// The range of values; null is none.
export function spanOf(values) {
    let low = Infinity, high = -Infinity;
    for (const v of values) {
        if (v === null) continue;
        if (v < low) low = v;
        if (v > high) high = v;
    }
    return withAir([low, high]);
}

// A grid with its numbers in a box [left, top, right, bottom] for the ranges of both axes; gives the places of numbers.
export function drawAxes(svg, [left, top, right, bottom], [x0, x1], [y0, y1], colours) {
    const px = (v) => left + (right - left) * (v - x0) / (x1 - x0), py = (v) => bottom - (bottom - top) * (v - y0) / (y1 - y0), text = labelStyle(colours);
    const ticks = (low, high, most, tick) => {
        const step = roundBelow((high - low) / most), digits = Math.max(4, 1 + Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / step)));
        if (!(digits < 16)) return; // numbers have no more
        for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) tick(k * step, short(k * step, digits));
    };
    ticks(x0, x1, Math.max(2, (right - left) / 90), (v, label) => {
        shape(svg, "path", { d: `M${px(v)} ${top}V${bottom}`, stroke: colours.grid });
        shape(svg, "text", { ...text, x: px(v), y: bottom + 14, "text-anchor": "middle" }, label);
    });
    ticks(y0, y1, Math.max(2, (bottom - top) / 45), (v, label) => {
        shape(svg, "path", { d: `M${left} ${py(v)}H${right}`, stroke: colours.grid });
        shape(svg, "text", { ...text, x: left - 5, y: py(v) + 4, "text-anchor": "end" }, label);
    });
    shape(svg, "path", { d: `M${left} ${top}V${bottom}H${right}`, stroke: colours.faint, fill: "none" });
    return { px, py };
}

// The lines of rows [x, y...]: NaN is a gap, null goes on.
function drawLine(svg, rows, k, { px, py }, attributes) {
    let d = "", on = false;
    for (const row of rows) {
        const y = row[k];
        if (y === null) continue;
        if (Number.isFinite(y)) d += `${on ? "L" : "M"}${px(row[0]).toFixed(2)} ${py(y).toFixed(2)}`;
        on = Number.isFinite(y);
    }
    shape(svg, "path", { d, fill: "none", "stroke-linejoin": "round", ...attributes });
}

// Panels { title, names, colours, thin, rows, range } below each other: `thin` of the lines, the last ones, are thin and
// dashed; `range` of the vertical axis where it is given. `over`: [from, to] of the axis that they share, and its name.
export function chartSvg(panels, over, label, marks = []) {
    const colours = readColours(), tall = TITLE + TALL, svg = drawing(WIDE, panels.length * (tall + AXIS), panels[0].title);
    shape(svg, "rect", { width: "100%", height: "100%", fill: colours.paper });
    panels.forEach((panel, i) => {
        const top = i * (tall + AXIS) + TITLE, box = [LEFT, top, WIDE - RIGHT, top + TALL], text = labelStyle(colours);
        const shown = panel.rows.filter(([x]) => !(x < over[0] || x > over[1]));
        const clip = shape(shape(svg, "clipPath", { id: `panel${i}` }), "rect", { x: LEFT, y: top, width: WIDE - RIGHT - LEFT, height: TALL });
        const axes = drawAxes(svg, box, over, panel.range ?? spanOf(shown.flatMap((row) => row.slice(1))), colours);
        const title = shape(svg, "text", { ...text, x: LEFT, y: top - 6 });
        shape(title, "tspan", { fill: colours.ink, "font-weight": 600 }, panel.title);
        if (panel.names.length > 1) panel.names.forEach((name, k) => shape(title, "tspan", { fill: panel.colours[k], dx: 12 }, name));
        for (const x of marks.filter((m) => m >= over[0] && m <= over[1]))
            shape(svg, "path", { d: `M${axes.px(x)} ${top}V${top + TALL}`, stroke: colours.touch, opacity: 0.45, class: "event" });
        const lines = shape(svg, "g", { "clip-path": `url(#${clip.parentNode.id})` });
        panel.names.forEach((name, k) => drawLine(lines, panel.rows, k + 1, axes, k < panel.names.length - (panel.thin ?? 0)
            ? { stroke: panel.colours[k], "stroke-width": 1.6 } : { stroke: panel.colours[k], "stroke-width": 0.8, "stroke-dasharray": "4 2" }));
    });
    shape(svg, "text", { ...labelStyle(colours), x: WIDE - RIGHT, y: panels.length * (tall + AXIS) - 5, "text-anchor": "end" }, label);
    return svg;
}
