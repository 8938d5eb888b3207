// studies.js - pictures of what a study has found: the multipliers of a cycle on the unit circle, a branch of cycles with
// its bifurcations, the way of a search to its optimum, what a fit leaves of the data. SVG, so that it can be taken away.

import { drawAxes, drawing, labelStyle, spanOf, shape } from "./chart.js";
import { downloadSvg, make, readColours, short } from "./format.js";

export class Studies {
    constructor(container) {
        this.container = container;
    }

    load(doc) {
        const { multipliers, history, residuals } = doc.study?.summary ?? {};
        this.container.replaceChildren();
        if (doc.branch?.points.length) this.add("Branch of cycles", drawBranch(doc.branch));
        if (Array.isArray(multipliers) && multipliers.every(Array.isArray)) this.add("Multipliers", drawMultipliers(multipliers));
        if (history?.length) this.add("Way to the optimum", drawHistory(history, doc.study.summary));
        for (const r of residuals ?? []) {
            const name = residuals.some((other) => other.experiment > 1) ? `${r.quantity}, experiment ${r.experiment}` : r.quantity;
            if (r.rows.length) this.add(`What the fit leaves of ${name}`, drawResiduals(r, name));
        }
        this.container.hidden = !this.container.children.length;
    }

    add(title, svg) {
        this.container.append(make("section", { class: "study" }, make("h2", {}, title, make("button", { type: "button", "aria-label": `${title} as SVG`,
            onclick: () => downloadSvg(title, svg) }, "SVG")), svg));
    }
}

// Inside of the circle small changes of the cycle die out. Those far outside stand at the edge.
function drawMultipliers(multipliers) {
    const size = 300, colours = readColours(), svg = drawing(size, size, `multipliers: ${multipliers.map(([re, im]) => `${short(re)} ${im ? `+ ${short(im)} i` : ""}`).join(", ")}`);
    const largest = Math.min(3, Math.max(1, ...multipliers.map(([re, im]) => Math.hypot(re, im)))), scale = 0.42 * size / largest, middle = size / 2;
    const text = labelStyle(colours);
    shape(svg, "path", { d: `M0 ${middle}H${size}M${middle} 0V${size}`, stroke: colours.grid, fill: "none" });
    shape(svg, "circle", { cx: middle, cy: middle, r: scale, fill: "none", stroke: colours.line, "stroke-width": 1.3 });
    shape(svg, "text", { ...text, x: middle + scale + 4, y: middle - 5 }, "1");
    shape(svg, "text", { ...text, x: middle - scale - 4, y: middle - 5, "text-anchor": "end" }, "−1");
    for (const [re, im] of multipliers) {
        const length = Math.hypot(re, im), factor = length > largest ? 1.12 * largest / length : 1, stable = length < 1;
        const dot = shape(svg, "circle", { cx: middle + scale * factor * re, cy: middle - scale * factor * im, r: 5, class: "multiplier",
            fill: stable ? colours.velocity : colours.force, stroke: colours.paper });
        shape(dot, "title", {}, `${short(re, 9)} ${im ? `${im < 0 ? "−" : "+"} ${short(Math.abs(im), 9)} i` : ""}, size ${short(length, 9)}`);
    }
    return svg;
}

// The step length, or where there is none the period, over the parameter: stable cycles in full lines.
function drawBranch({ parameter, points }) {
    const wide = 460, tall = 300, left = 64, right = wide - 12, top = 14, bottom = tall - 40, colours = readColours();
    const walks = points.some((p) => p.step_length > 0), y = (p) => (walks ? p.step_length : p.period), svg = drawing(wide, tall, `branch of cycles over ${parameter}`);
    const text = labelStyle(colours);
    const { px, py } = drawAxes(svg, [left, top, right, bottom], spanOf(points.map((p) => p[parameter])), spanOf(points.map(y)), colours);
    shape(svg, "text", { ...text, x: (left + right) / 2, y: tall - 8, "text-anchor": "middle" }, parameter);
    shape(svg, "text", { ...text, x: left + 6, y: top + 10 }, walks ? "step length [m]" : "period [s]");
    for (let k = 1; k < points.length; k++) {
        const [a, b] = [points[k - 1], points[k]], stable = a.kind ? b.stable : a.stable;
        shape(svg, "path", { d: `M${px(a[parameter])} ${py(y(a))}L${px(b[parameter])} ${py(y(b))}`, fill: "none", class: stable ? "stable" : "unstable",
            stroke: stable ? colours.body[0] : colours.force, "stroke-width": 2, "stroke-dasharray": stable ? "none" : "5 4" });
    }
    for (const p of points.filter((other) => other.kind)) {
        const dot = shape(svg, "circle", { cx: px(p[parameter]), cy: py(y(p)), r: 4.5, fill: colours.touch, class: "bifurcation" });
        shape(dot, "title", {}, `${p.kind} at ${parameter} = ${short(p[parameter], 9)}`);
        const over = px(p[parameter]) > 0.7 * wide;
        shape(svg, "text", { ...text, x: px(p[parameter]) + (over ? -8 : 8), y: py(y(p)) - 7, "text-anchor": over ? "end" : "start", fill: colours.ink || colours.line }, p.kind);
    }
    return svg;
}

// The value of every evaluation: where conditions hold in full, others hollow, those that failed at the bottom; the best so
// far as a line.
function drawHistory(history, { maximize, minimize }) {
    const wide = 460, tall = 300, left = 70, right = wide - 12, top = 14, bottom = tall - 40, colours = readColours();
    const values = history.map((h) => h.value).filter((v) => v !== null), sign = maximize ? -1 : 1;
    const svg = drawing(wide, tall, `${maximize ?? minimize} over evaluations`), text = labelStyle(colours);
    const { px, py } = drawAxes(svg, [left, top, right, bottom], [0, history.length + 1], spanOf(values), colours);
    shape(svg, "text", { ...text, x: (left + right) / 2, y: tall - 8, "text-anchor": "middle" }, "evaluation");
    shape(svg, "text", { ...text, x: left + 6, y: top + 10 }, maximize ?? minimize);
    let best = null, d = "";
    history.forEach((h, k) => {
        const holds = h.holds, x = px(k + 1);
        const dot = shape(svg, "circle", { cx: x, cy: h.value === null ? bottom : py(h.value), r: 3.5, class: h.value === null ? "failed" : "evaluation",
            fill: h.value === null ? colours.force : holds ? colours.velocity : colours.paper, stroke: h.value === null ? colours.force : colours.velocity });
        shape(dot, "title", {}, h.value === null ? `evaluation ${k + 1} failed` : `evaluation ${k + 1}: ${short(h.value, 9)}${holds ? "" : ", conditions do not hold"}`);
        if (h.value === null || !holds) return;
        if (best === null || sign * h.value < sign * best) {
            d += best === null ? `M${x} ${py(h.value)}` : `L${x} ${py(best)}L${x} ${py(h.value)}`;
            best = h.value;
        }
    });
    if (best !== null) shape(svg, "path", { d: `${d}L${px(history.length)} ${py(best)}`, stroke: colours.velocity, fill: "none", class: "best" });
    return svg;
}

// Motion less measured over time, with twice the noise as a grey band and twice the standard error of the motion, which
// says how well the fit knows it, as a darker one.
function drawResiduals({ rows, noise }, name) {
    const wide = 460, tall = 240, left = 70, right = wide - 12, top = 14, bottom = tall - 40, colours = readColours();
    const left_of = rows.map(([t, measured, motion]) => [t, motion - measured]), all = left_of.map(([, r]) => r);
    const svg = drawing(wide, tall, `residuals of ${name} over time`), text = labelStyle(colours);
    const { px, py } = drawAxes(svg, [left, top, right, bottom], spanOf(rows.map(([t]) => t)), spanOf([...all, 2 * noise, -2 * noise]), colours);
    shape(svg, "text", { ...text, x: (left + right) / 2, y: tall - 8, "text-anchor": "middle" }, "t [s]");
    shape(svg, "text", { ...text, x: left + 6, y: top + 10 }, `motion − measured, ${name}`);
    shape(svg, "rect", { x: left, width: right - left, y: py(2 * noise), height: py(-2 * noise) - py(2 * noise), fill: colours.note, opacity: 0.12, class: "noise" });
    const upper = rows.map(([t, , , error]) => `${px(t)} ${py(2 * error)}`), lower = rows.map(([t, , , error]) => `${px(t)} ${py(-2 * error)}`).reverse();
    if (rows.every((row) => row.every(Number.isFinite)))
        shape(svg, "path", { d: `M${[...upper, ...lower].join("L")}Z`, fill: colours.velocity, opacity: 0.3, class: "band" });
    for (const [t, r] of left_of) {
        const dot = shape(svg, "circle", { cx: px(t), cy: py(r), r: 2.2, fill: colours.ink || colours.line, class: "residual" });
        shape(dot, "title", {}, `t = ${short(t, 6)} s: ${short(r, 4)}`);
    }
    return svg;
}
