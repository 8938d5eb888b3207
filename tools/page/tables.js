// tables.js - events, costs with their gradients, health, settings: each can be taken away as CSV.

import { downloadCsv, explain, make, short } from "./format.js";

const MOST_ROWS = 500;
const HEALTH = "What was watched during the run, its worst, and the limit beyond which the run would have failed: contacts that pull, leave their cone of friction, "
    + "are driven by friction, or were passed through (gap); constraints and their rates that do not hold (Phi, Phidot); velocities that impulses do not explain, "
    + "impulses that pull (push) or add energy (gain); energy that the work of all forces does not explain (work).";

// A table from rows of cells, the first being its head; numbers are shown short and saved whole.
export function makeTable(container, title, rows, { id, click, help, most = MOST_ROWS } = {}) {
    const table = make("table", { id }), body = make("tbody"), [head, ...lines] = rows;
    table.append(make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))), body);
    lines.slice(0, most).forEach((line, k) => {
        const row = make("tr", click ? { tabindex: 0, class: "link", onclick: () => click(k),
            onkeydown: (e) => e.key === "Enter" && click(k) } : {});
        for (const cell of line) row.append(cell instanceof Node ? make("td", {}, cell) : make("td", { class: typeof cell === "number" ? "number" : "" },
            typeof cell === "number" ? short(cell, 7) : String(cell ?? "")));
        body.append(row);
    });
    const values = rows.map((row) => row.map((cell) => (cell instanceof Node ? cell.dataset.value : cell)));
    const [button, line] = help ? explain(title, help) : ["", ""];
    container.append(make("section", { class: "table" }, make("h2", {}, title,
        make("button", { type: "button", class: "csv", "aria-label": `${title} as CSV`, onclick: () => downloadCsv(title, values) }, "CSV"), button), line,
    make("div", { class: "scroll", tabindex: 0 }, table), lines.length > most ? make("p", { class: "note" }, `${lines.length - most} more are in the CSV`) : ""));
    return table;
}

export class Tables {
    constructor(player, container) {
        Object.assign(this, { player, container, events: null, marked: null });
        player.tell((t, segment) => this.mark(segment));
    }

    load(doc) {
        const { container } = this;
        container.replaceChildren();
        this.marked = null;
        if (doc.study) makeStudy(doc.study, container);
        this.events = makeEvents(doc, this.player, container);
        makeCosts(doc, container);
        makeHealth(doc, container);
        makeSettings(doc, container);
        this.mark(this.player.segment);
    }

    // The event that was last.
    mark(segment) {
        const row = segment > 0 ? this.events?.tBodies[0].rows[segment - 1] ?? null : null;
        if (row === this.marked) return;
        this.marked?.removeAttribute("aria-current");
        row?.setAttribute("aria-current", "true");
        this.marked = row;
    }
}

// What a study has found: facts, and quantities with their gradients, whatever their names are.
function makeStudy(study, container) {
    const facts = [["", "value"]], quantities = [], gradients = new Set();
    const visit = (name, node) => {
        if (node === null || typeof node !== "object") facts.push([name, typeof node === "boolean" ? (node ? "yes" : "no") : node ?? NaN]);
        else if (Array.isArray(node) && node.every((x) => typeof x === "number")) facts.push([name, node.map((x) => short(x, 9)).join(", ")]);
        else if ("value" in node && "gradient" in node) {
            Object.keys(node.gradient).forEach((key) => gradients.add(key));
            quantities.push([name, node]);
        } else
            for (const [key, child] of Object.entries(node)) visit(`${name} ${Array.isArray(node) ? Number(key) + 1 : key}`.trim(), child);
    };
    const { modes, over, subject_to: conditions, history, residuals, ...rest } = study.summary;
    visit("", rest);
    if (modes) makeModes(modes, container);
    if (over) makeSearch(study.title, over, container);
    if (conditions?.length) makeConditions(conditions, container);
    makeTable(container, modes ? "Equilibrium" : study.title, facts, { id: "study" });
    if (!quantities.length) return;
    const names = [...gradients];
    makeTable(container, `${study.title}: values and derivatives`, [["", "value", ...names.map((n) => `d/d ${n}`)],
        ...quantities.map(([name, q]) => [name, q.value ?? NaN, ...names.map((n) => q.gradient[n] ?? NaN)])], { id: "study-values" });
}

// What was searched over: where it began, what was found, and how well it is known or what bounds it.
function makeSearch(title, over, container) {
    const all = Object.entries(over), has = (key) => all.some(([, v]) => key in v);
    const known = [["start", "start"], ["best", "best"], ["low", "from"], ["high", "to"], ["derivative", "derivative there"], ["error", "standard error"]].filter(([key]) => has(key));
    const at = (v) => v.at_bound || v.best <= v.low || v.best >= v.high;
    makeTable(container, `${title}: parameters`, [["", ...known.map(([, word]) => word), ...(has("interval") ? ["interval from", "to"] : []), ""],
        ...all.map(([name, v]) => [name, ...known.map(([key]) => v[key] ?? NaN), ...(has("interval") ? v.interval.map((x) => x ?? NaN) : []), at(v) ? "at its bound" : ""])], { id: "search" });
}

// The price is how much the best value changes with the bound.
function makeConditions(conditions, container) {
    makeTable(container, "Conditions", [["condition", "value", "", "bound", "price", ""],
        ...conditions.map((c) => [c.what, c.value, c.is, c.bound, c.price, c.price ? "active" : ""])], { id: "conditions",
        help: "Conditions that are active hold with equality: the best value would change by the price times a change of the bound." });
}

// Frequencies and damping with their derivatives; shapes as displacements of the coordinates.
function makeModes(modes, container) {
    const names = Object.keys(modes[0]?.gradient.frequency ?? {}), coordinates = Object.keys(modes[0]?.shape ?? {});
    makeTable(container, "Modes", [["", "", "f [Hz]", "ω [rad/s]", "damping ratio", ...names.map((n) => `dω/d ${n}`), ...names.map((n) => `d damping/d ${n}`)],
        ...modes.map((m, k) => [k + 1, m.unstable ? `${m.kind}, unstable` : m.kind, m.hertz, m.frequency, m.damping_ratio,
            ...names.map((n) => m.gradient.frequency[n] ?? NaN), ...names.map((n) => m.gradient.damping_ratio[n] ?? NaN)])], { id: "modes" });
    makeTable(container, "Shapes", [["", ...modes.flatMap((m, k) => [`mode ${k + 1}`, `${k + 1} imaginary`])],
        ...coordinates.map((c) => [c, ...modes.flatMap((m) => m.shape[c])])], { id: "shapes" });
}

function makeEvents(doc, player, container) {
    if (!doc.events.length) return null;
    const names = [...new Set(doc.events.flatMap((e) => e.contacts.map((c) => c.contact)))];
    const rows = [["", "event", "t [s]", ...doc.wrt.map((w) => `dt/d ${w.name}`), "energy before [J]", "after [J]", "change [J]",
        ...names.map((n) => `impulse ${n} [N s]`), ""]];
    doc.events.forEach((e, k) => {
        const impulse = (n) => e.contacts.find((c) => c.contact === n)?.normal ?? "";
        rows.push([k + 1, e.name, e.t, ...(e.gradient ?? []), e.energyBefore, e.energyAfter, e.energyAfter - e.energyBefore, ...names.map(impulse),
            [e.grazing && "grazing", e.closed && "closed: rebounds end", e.energyAdded > 0 && "adds energy"].filter(Boolean).join(", ")]);
    });
    const table = makeTable(container, "Events", rows, { id: "events", help: "When each event is, how that moves with a parameter (dt/d), and what it does to the energy; a row leads there.", click: (k) => (player.pause(), player.set(doc.events[k].t, k + 1)) });
    makeImpulses(doc, container);
    return table;
}

// Impulses of all constraints, with their derivatives.
function makeImpulses(doc, container) {
    const rows = [["", "t [s]", "constraint", "impulse", ...doc.wrt.map((w) => `d/d ${w.name}`)]];
    doc.events.forEach((e, k) => e.impulses.forEach((i) => rows.push([k + 1, e.t, i.constraint, i.value, ...(i.gradient ?? [])])));
    if (rows.length > 1) makeTable(container, "Impulses", rows, { id: "impulses", help: "What each constraint and contact gave at an event, and how that changes with a parameter.", most: 60 });
}

// A number with a bar below it, to the left or right of the middle.
function bar(value, largest) {
    const part = largest > 0 && Number.isFinite(value) ? 50 * Math.abs(value) / largest : 0;
    const node = make("span", { class: "barred" }, short(value, 6),
        make("span", { class: "bar" }, make("i", { style: `width:${part}%;${value < 0 ? `left:${50 - part}%` : "left:50%"}` })));
    node.dataset.value = value;
    return node;
}

// Absolute, and how many per cent one per cent more of a parameter makes.
function makeCosts(doc, container) {
    if (!doc.costs.length) return;
    const rows = [["cost", "value", ...(doc.wrt.length ? ["parameter", "d cost/d parameter", "% for 1 %"] : [])]];
    for (const cost of doc.costs) {
        if (!doc.wrt.length) rows.push([cost.name, cost.value]);
        const relative = doc.wrt.map((w, c) => (w.value && cost.value ? cost.gradient[c] * w.value / cost.value : NaN));
        const most = Math.max(...doc.wrt.map((w, c) => Math.abs(cost.gradient[c]) || 0)), mostRelative = Math.max(...relative.map((x) => Math.abs(x) || 0));
        doc.wrt.forEach((w, c) => rows.push([c ? "" : cost.name, c ? "" : cost.value, w.name, bar(cost.gradient[c] ?? NaN, most),
            bar(relative[c], mostRelative)]));
    }
    makeTable(container, "Costs and gradients", rows, { id: "costs", help: "How a cost changes with a parameter: for one unit of it, and in per cent for one per cent of it. Bars of one cost are to the same scale." });
}

function makeHealth(doc, container) {
    const h = doc.health, rows = [["", "worst", "limit", "t [s]", "of"]];
    for (const [kind, item] of Object.entries(h.worst)) rows.push([kind, item.value, item.limit > 0 ? item.limit : "", item.t ?? "", item.name ?? ""]);
    makeTable(container, `Health: ${h.verdict}`, rows, { id: "health", help: HEALTH });
    const section = container.lastElementChild;
    for (const reason of [...h.reasons, doc.invalid && `derivatives are not valid: ${doc.invalid}`, doc.note, doc.message].filter(Boolean))
        section.append(make("p", { class: "warning" }, reason));
    section.append(make("p", { class: "note" }, `Work balances to ${short(Math.abs(h.balance), 3)} J.`));
    const work = Object.entries(doc.work).filter(([, joules]) => joules !== 0);
    if (work.length) makeTable(container, "Work", [["by", "[J]"], ...work], { id: "work" });
}

function makeSettings(doc, container) {
    const rows = [["", "value"], ["scene", doc.scene], ["saltus", doc.saltus], ...Object.entries(doc.settings)];
    makeTable(container, "Settings", rows, { id: "settings" });
    makeTable(container, "Parameters", [["name", "value"], ...Object.entries(doc.parameters)], { id: "parameter-values" });
}
