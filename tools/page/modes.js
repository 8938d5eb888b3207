// modes.js - small motions about an equilibrium: a mode with the eigenvalue s = a + i w and the shape r + i m moves each
// place by
//
//     A (r cos(w t) - m sin(w t)),
//
// shown without its growth or decay, once in two seconds at its slowest; one that does not oscillate goes to and fro.

import { make, short } from "./format.js";

const PART = 0.08, SECONDS = 2; // of the size of the picture; of a turn

export class Modes {
    constructor(stage, container) {
        Object.assign(this, { stage, chosen: -1, started: 0, list: [] });
        this.pick = make("select", { id: "mode", "aria-label": "mode that is shown", onchange: (e) => this.choose(Number(e.target.value)) });
        this.pick.hidden = true;
        container.append(this.pick);
    }

    load(doc) {
        this.list = doc.modes ?? [];
        this.pick.hidden = !this.list.length;
        this.pick.replaceChildren(make("option", { value: -1 }, "at rest"), ...this.list.map((mode, k) => make("option", { value: k }, this.nameOf(mode, k))));
        this.choose(this.list.length ? 0 : -1);
    }

    nameOf({ eigenvalue: [re, im] }, k) {
        return `mode ${k + 1}: ${im ? `${short(Math.abs(im) / (2 * Math.PI), 4)} Hz` : `${short(re, 4)} 1/s`}`;
    }

    choose(k) {
        this.chosen = k;
        this.pick.value = String(k);
        this.started = 0;
        const mode = this.list[k], stage = this.stage;
        stage.sway = null;
        if (!mode) return stage.show(stage.time, stage.pose.segment);
        const largest = Math.max(...mode.re.concat(mode.im).map(([x, y]) => Math.hypot(x, y) || 0)) || 1;
        const { low, high } = stage.box, size = Math.max(high[0] - low[0], high[1] - low[1]) || 1;
        stage.sway = { mode, amplitude: PART * size / largest, phase: 0 };
        stage.show(stage.time, stage.pose.segment);
    }

    // Once for every picture of the screen; where motion is not wanted, the shape stands at its largest.
    tick(now) {
        const { stage } = this;
        if (!stage.sway || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
        this.started ||= now;
        stage.sway.phase = 2 * Math.PI * (now - this.started) / (1000 * SECONDS);
        stage.show(stage.time, stage.pose.segment);
    }
}

// Moves the places of a pose.
export function swayPose(pose, { mode, amplitude, phase }) {
    const c = amplitude * Math.cos(phase), s = amplitude * Math.sin(phase);
    for (let k = 0; k < mode.re.length; k++)
        for (let axis = 0; axis < 2; axis++) pose.at[2 * k + axis] += c * (mode.re[k][axis] || 0) - s * (mode.im[k][axis] || 0);
}
