// parameters.js - sliders for the parameters that the motion is differentiated by, and what is predicted with them.

import { make, short } from "./format.js";

// How far a slider goes to either side: 5 % of the value, or a twentieth where it is zero.
function reachOf(value) {
    return value ? 0.05 * Math.abs(value) : 0.05;
}

export class Predictions {
    constructor(player, container, changed) {
        Object.assign(this, { player, container, changed, rows: [], table: make("table", { id: "predictions" }) });
        let asked = false;
        player.tell(() => { // not more often than pictures
            if (asked || !this.rows.length) return;
            asked = true;
            requestAnimationFrame(() => (asked = false, this.fill()));
        });
    }

    load(doc, ghost) {
        Object.assign(this, { doc, ghost, rows: [] });
        this.outputs = doc.series.filter((s) => s.group === "output" && s.gradient.length);
        this.container.hidden = !doc.wrt.length;
        this.container.replaceChildren();
        if (!doc.wrt.length) return;
        this.container.append(make("h2", {}, "Derivatives"),
            make("p", { class: "note" }, "Move a slider: the ghost is what it would be to first order, places + derivatives × change."));
        const update = () => this.update();
        doc.wrt.forEach((w, c) => this.rows.push(makeSlider(w, c, ghost, this.container, update)));
        this.container.append(make("button", { type: "button", id: "reset-parameters", onclick: () => this.reset() }, "reset"),
            make("div", { class: "scroll" }, this.table));
        this.fill();
    }

    reset() {
        this.ghost.clear();
        this.rows.forEach((r) => r.show());
        this.update();
    }

    set(c, d) {
        this.ghost.set(c, d);
        this.rows[c].show();
        this.update();
    }

    update() {
        this.changed();
        this.fill();
    }

    fill() {
        const { doc, ghost, player } = this, head = make("tr", {}, ...["", "value", "predicted"].map((text) => make("th", { scope: "col" }, text)));
        const line = (name, value, predicted) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, short(value, 6)),
            make("td", { class: ghost.active ? "ghost" : "" }, ghost.active ? short(predicted, 6) : ""));
        const lines = doc.costs.map((cost) => line(cost.name, cost.value, cost.value + ghost.sum(cost.gradient)));
        doc.events.slice(0, 12).forEach((e, k) => lines.push(line(`t of ${k + 1} ${e.name} [s]`, e.t, ghost.times[k])));
        for (const s of this.outputs.slice(0, 8)) {
            player.motion.locate(player.t, player.segment);
            lines.push(line(`${s.name} now`, player.motion.value(s.values), ghost.predict(s, player.t)));
        }
        this.table.replaceChildren(head, ...lines);
    }
}

function makeSlider(w, c, ghost, container, update) {
    const value = w.value ?? 0, reach = reachOf(value), id = `parameter-${c}`;
    const slider = make("input", { type: "range", id, min: -100, max: 100, step: 1, value: 0, "aria-label": `change of ${w.name}` });
    const number = make("output", { for: id });
    const show = () => {
        const d = ghost.change[c];
        slider.value = 100 * d / reach;
        number.textContent = d === 0 ? short(value, 6) : `${short(value + d, 6)} (${d > 0 ? "+" : "−"}${short(Math.abs(d), 3)})`;
        slider.setAttribute("aria-valuetext", number.textContent);
    };
    slider.addEventListener("input", () => {
        ghost.set(c, reach * Number(slider.value) / 100);
        show();
        update();
    });
    slider.addEventListener("dblclick", () => {
        ghost.set(c, 0);
        show();
        update();
    });
    container.append(make("div", { class: "parameter" }, make("label", { for: id }, w.name), slider, number));
    show();
    return { show };
}
