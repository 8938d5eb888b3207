// main.js - puts the page together: motion, stage, time, predictions, plots, tables, keys. Shows a document, and then
// others in its place: what is looked at stays as it is.

import { plural, short } from "./format.js";
import { Ghost } from "./ghost.js";
import { Modes } from "./modes.js";
import { Motion, Pose } from "./motion.js";
import { Predictions } from "./parameters.js";
import { Phase } from "./phase.js";
import { Plots } from "./plots.js";
import { Stage, makeStageTools } from "./stage.js";
import { Studies } from "./studies.js";
import { Tables } from "./tables.js";
import { Player, TimeRange, Timeline, makeTransport } from "./timeline.js";

export const byId = (id) => document.getElementById(id);

function showTitle(doc) {
    document.title = `${doc.title} – Saltus`;
    byId("title").textContent = doc.title;
    const s = doc.settings, verdict = doc.status === "failed" ? "failed" : doc.invalid ? "derivatives not valid" : doc.health.verdict;
    byId("subtitle").textContent = [doc.study?.title.toLowerCase(), `${s.form}, ${s.integrator}, rtol ${short(s.rtol)}`,
        doc.analysis && plural(doc.analysis.freedom, "degree", " of freedom"), doc.frames > 1 && plural(doc.events.length, "event"), doc.status].filter(Boolean).join(" · ");
    byId("verdict").textContent = `health: ${verdict}`;
    byId("verdict").className = verdict === "good" ? "good" : "doubtful";
    const cut = doc.until !== undefined && `There are too many frames for a page: these are the first ${doc.frames}, the run went on until ${short(doc.until)} s.`;
    byId("message").textContent = [doc.message, cut].filter(Boolean).join("\n");
    byId("message").hidden = !byId("message").textContent;
}

// Keys work anywhere but in fields where they mean something else.
function listenToKeys(player, stage, range) {
    const keys = {
        " ": () => player.toggle(),
        ArrowLeft: (e) => (e.shiftKey ? player.stepEvent(-1) : player.stepFrame(-1)),
        ArrowRight: (e) => (e.shiftKey ? player.stepEvent(1) : player.stepFrame(1)),
        "[": () => player.stepEvent(-1),
        "]": () => player.stepEvent(1),
        Home: () => (player.pause(), player.set(0)),
        End: () => (player.pause(), player.set(player.motion.end)),
        "+": () => stage.zoom(1.25),
        "=": () => stage.zoom(1.25),
        "-": () => stage.zoom(1 / 1.25),
        0: () => stage.fit(),
        a: () => stage.pan(40, 0),
        d: () => stage.pan(-40, 0),
        w: () => stage.pan(0, 40),
        s: () => stage.pan(0, -40),
        z: () => range.zoom(1 / 1.5, player.t),
        x: () => range.zoom(1.5, player.t),
        c: () => range.set(...range.whole, null),
        f: () => byId("show-forces").click(),
        r: () => byId("show-reactions").click(),
        v: () => byId("show-velocities").click(),
        t: () => byId("show-traces").click(),
        n: () => byId("show-names").click(),
        g: () => byId("show-grid").click(),
        "?": () => byId("keys").toggleAttribute("open"),
    };
    document.addEventListener("keydown", (e) => {
        if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || !keys[e.key]) return;
        if (e.target.closest("textarea, input[type=number], input[type=text]")) return;
        if (e.target.closest("input[type=range], select") && e.key !== "[" && e.key !== "]") return;
        if (e.key === " " && e.target.closest("button, input, summary")) return;
        e.preventDefault();
        keys[e.key](e);
    });
}

// What tests and the curious can ask: see README.md.
function inspection(page) {
    const { doc, motion, ghost, player, stage, range, plots, phase } = page, pose = new Pose(doc);
    const list = (p) => Object.fromEntries(doc.places.flatMap((place, k) => (place.name ? [[place.name, [p.at[2 * k], p.at[2 * k + 1]]]] : [])));
    return {
        document: doc, player, stage, range, ghost, plots, phase,
        frames: motion.frames,
        frame: (k) => ({ t: motion.t[k], segment: motion.segment[k] }),
        placesAt: (k) => (motion.fill(pose, motion.t[k], motion.segment[k]), list(pose)),
        placesAtTime: (t) => (motion.fill(pose, t), list(pose)),
        shownPlaces: () => list(stage.pose),
        ghostAt: (k) => (ghost.fillIn(pose, motion.t[k], motion.segment[k]), list(pose)),
        ghostAtTime: (t) => (ghost.fill(pose, t), list(pose)),
        setChange: (name, d) => ghost.set(doc.wrt.findIndex((w) => w.name === name), d),
        predictedCosts: () => doc.costs.map((c) => c.value + ghost.sum(c.gradient)),
        picture: () => Math.max(stage.box.high[0] - stage.box.low[0], stage.box.high[1] - stage.box.low[1]),
    };
}

export class Page {
    constructor(doc) {
        this.take(doc);
        this.player = new Player(this.motion, doc.events);
        this.range = new TimeRange(this.motion.end);
        this.player.range = this.range;
        this.stage = new Stage(byId("stage"), byId("stage-hint"), doc, this.motion, this.ghost);
        this.stage.range = this.range;
        this.range.tell(() => (this.stage.changed = true));
        this.timeline = new Timeline(byId("timeline"), byId("timeline-hint"), this.player, this.range, this.ghost);
        this.tools = makeStageTools(this.stage, byId("stage-tools"));
        this.modes = new Modes(this.stage, byId("stage-tools"));
        makeTransport(this.player, byId("transport"));
        this.player.tell((t, segment) => this.showTime(t, segment));
        this.predictions = new Predictions(this.player, byId("predictions-panel"), () => {
            this.stage.show(this.player.t, this.player.segment);
            this.timeline.changed = true;
        });
        this.plots = new Plots(this.player, this.range, byId("plots"));
        this.phase = new Phase(this.player, this.range, byId("phase"));
        this.studies = new Studies(byId("studies"));
        this.tables = new Tables(this.player, byId("tables"));
        this.fill();
        listenToKeys(this.player, this.stage, this.range);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
        this.player.set(0);
        requestAnimationFrame((now) => this.picture(now));
    }

    take(doc) {
        this.doc = doc;
        this.motion = new Motion(doc);
        this.ghost = new Ghost(doc, this.motion);
    }

    // Another document in place of the one shown: the picture at once, then the plots, and with `settle`, when the hand
    // rests, what need not follow it.
    show(doc) {
        this.take(doc);
        this.range.load(this.motion.end);
        this.stage.load(doc, this.motion, this.ghost);
        this.timeline.ghost = this.ghost;
        this.timeline.changed = true;
        this.player.load(this.motion, doc.events);
        this.tools.load();
        this.modes.load(doc);
        this.frame();
        this.plotsDue = true;
    }

    settle() {
        showTitle(this.doc);
        this.predictions.load(this.doc, this.ghost);
        this.phase.load(this.doc, this.motion);
        this.studies.load(this.doc);
        this.tables.load(this.doc);
    }

    // The parts of a document that is shown for the first time.
    fill() {
        const { doc, motion } = this;
        this.frame();
        this.modes.load(doc);
        this.plots.load(doc, motion);
        this.settle();
    }

    frame() {
        const { doc } = this;
        for (const id of ["time-panel", "plots", "phase"]) byId(id).hidden = doc.frames < 2; // nothing moves
        document.body.classList.toggle("still", doc.frames < 2);
        document.body.classList.toggle("plain", !doc.wrt.length);
        byId("timeline").setAttribute("aria-valuemax", this.motion.end);
        window.saltus = { ...window.saltus, ...inspection(this) };
    }

    showTime(t, segment) {
        this.stage.speed = this.player.speed;
        this.stage.show(t, segment);
        const line = byId("timeline");
        line.setAttribute("aria-valuenow", t);
        line.setAttribute("aria-valuetext", `${short(t, 6)} seconds`);
    }

    recolour() {
        this.stage.readColours();
        this.timeline.colours = this.stage.colours;
        this.timeline.changed = true;
        this.plots.recolour();
        this.phase.recolour();
        this.studies.load(this.doc);
    }

    picture(now) {
        this.player.tick(now);
        this.modes.tick(now);
        this.stage.draw();
        this.timeline.draw();
        this.phase.draw();
        if (this.plotsDue) setTimeout(() => this.plotsDue && ((this.plotsDue = false), this.plots.load(this.doc, this.motion)));
        requestAnimationFrame((then) => this.picture(then));
    }
}

export function showFailure(error) {
    byId("message").textContent = `The page could not be shown: ${error.message}`;
    byId("message").hidden = false;
    throw error;
}
