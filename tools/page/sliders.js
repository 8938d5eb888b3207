// sliders.js - a slider and a field for every parameter of the scene. The slider goes from half to double of the value that
// the parameter had when it was read, or as far as the scene says (its "ranges"); what is beyond can be typed.

import { make, short } from "./format.js";

const STEPS = 1000;

function rangeOf(value, told) {
    if (Array.isArray(told) && told.length === 2 && told[0] < told[1]) return told;
    if (value === 0 || !Number.isFinite(value)) return [-1, 1];
    return value > 0 ? [value / 2, 2 * value] : [2 * value, value / 2];
}

// What a parameter is computed from, where that is other parameters; "" where it stands alone.
function formulaOf(told, names) {
    const words = typeof told === "string" ? told.match(/[A-Za-z_]\w*/g) ?? [] : [];
    return words.some((word) => names.includes(word)) ? told : "";
}

export class Sliders {
    // `changed(name, value, gesture)`, and `released()` when a gesture ends.
    constructor(container, changed, released) {
        Object.assign(this, { container, changed, released, rows: new Map(), held: null, unused: [] });
    }

    // The parameters with their values; what the scene says of them, as far as it can be read: `parameters` and `ranges`.
    // `current`: of the text as it is now; what is older does not set back the slider that is being moved. `unused`: names of
    // those that nothing depends on; undefined: as it was.
    load(parameters, scene, current, unused = this.unused) {
        const ranges = scene?.ranges ?? {};
        const names = Object.keys(parameters);
        if (names.join("\n") !== [...this.rows.keys()].join("\n")) {
            this.rows = new Map(names.map((name, k) => [name, this.makeRow(name, k, parameters[name], ranges[name])]));
            this.container.replaceChildren(...[...this.rows.values()].map((row) => row.box));
            if (!names.length) this.container.append(make("p", { class: "note" }, "The scene has no parameters: put numbers to play with under \"parameters\" and use their names."));
        }
        this.unused = unused;
        for (const [name, row] of this.rows) row.show(parameters[name], ranges[name], this.remark(name, scene?.parameters?.[name], names), current);
    }

    // What is to be said of a parameter, and how it is marked; null: nothing.
    remark(name, told, names) {
        const formula = formulaOf(told, names);
        if (this.unused.includes(name)) return ["unused", `${name}: nothing depends on it`];
        return formula ? ["formula", `${name} = ${formula}: moving it makes it a number`] : null;
    }

    makeRow(name, k, first, range) {
        const id = `live-${k}`, slider = make("input", { type: "range", id, min: 0, max: STEPS, step: 1, "aria-label": name });
        const field = make("input", { type: "number", step: "any", "aria-label": `value of ${name}`, id: `${id}-value` });
        let [low, high] = rangeOf(first, range), value = first;
        const digits = (x) => Number(x.toPrecision(6));
        const label = make("label", { for: id }, name);
        const show = (now, newRange, remark, current) => {
            const moving = this.held === slider || (!current && document.activeElement === slider);
            value = now;
            label.title = remark?.[1] ?? name;
            label.className = remark?.[0] ?? "";
            slider.setAttribute("aria-description", remark?.[1] ?? "");
            if (Array.isArray(newRange)) [low, high] = rangeOf(now, newRange);
            if (now < low || now > high) [low, high] = [Math.min(low, now), Math.max(high, now)];
            if (!moving) slider.value = String(STEPS * (now - low) / (high - low));
            if (!moving && document.activeElement !== field) field.value = String(digits(now));
            slider.setAttribute("aria-valuetext", short(now, 6));
            slider.title = `${short(low)} to ${short(high)}`;
        };
        slider.addEventListener("pointerdown", () => (this.held = slider));
        slider.addEventListener("input", () => {
            const next = digits(low + (high - low) * Number(slider.value) / STEPS);
            field.value = String(next);
            this.changed(name, next, `parameter ${name}`);
        });
        const release = () => (this.held = null, this.released());
        slider.addEventListener("change", release);
        slider.addEventListener("pointerup", () => (this.held = null));
        field.addEventListener("change", () => {
            const next = Number(field.value);
            if (field.value !== "" && Number.isFinite(next) && next !== value) this.changed(name, next, null);
            else field.value = String(digits(value));
        });
        return { box: make("div", { class: "live-parameter" }, label, slider, field), show };
    }
}
