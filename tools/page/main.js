// main.js - puts the page together: data, motion, stage, time, parameters, plots, tables, keys.

import { readDocument } from "./data.js";
import { make, short } from "./format.js";
import { Ghost } from "./ghost.js";
import { Motion, Pose } from "./motion.js";
import { makeParameters } from "./parameters.js";
import { Phase } from "./phase.js";
import { Plots } from "./plots.js";
import { Stage, makeStageTools } from "./stage.js";
import { makeTables } from "./tables.js";
import { Player, TimeRange, Timeline, makeTransport } from "./timeline.js";

const byId = (id) => document.getElementById(id);

function showTitle(doc) {
    document.title = `${doc.title} – Saltus`;
    byId("title").textContent = doc.title;
    const s = doc.settings, verdict = doc.status === "failed" ? "failed" : doc.invalid ? "derivatives not valid" : doc.health.verdict;
    byId("subtitle").textContent = [doc.study?.title.toLowerCase(), `${s.form}, ${s.integrator}, rtol ${short(s.rtol)}`,
        doc.frames > 1 && `${doc.events.length} events`, doc.status].filter(Boolean).join(" · ");
    byId("verdict").textContent = `health: ${verdict}`;
    byId("verdict").className = verdict === "good" ? "good" : "doubtful";
    const cut = doc.until !== undefined && `There are too many frames for a page: these are the first ${doc.frames}, the run went on until ${short(doc.until)} s.`;
    byId("message").textContent = [doc.message, cut].filter(Boolean).join("\n");
    byId("message").hidden = !byId("message").textContent;
}

// Keys work anywhere but in fields where they mean something else.
function listenToKeys(player, stage) {
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
        f: () => byId("show-forces").click(),
        r: () => byId("show-reactions").click(),
        v: () => byId("show-velocities").click(),
        t: () => byId("show-traces").click(),
        n: () => byId("show-names").click(),
        g: () => byId("show-grid").click(),
        "?": () => byId("keys").toggleAttribute("open"),
    };
    document.addEventListener("keydown", (e) => {
        if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
        if (e.target.closest("input[type=range], select, textarea") && e.key !== "[" && e.key !== "]") return;
        if (e.key === " " && e.target.closest("button, input, summary")) return;
        e.preventDefault();
        keys[e.key](e);
    });
}

// What tests and the curious can ask: see README.md.
function inspection(doc, motion, ghost, player, stage, range) {
    const pose = new Pose(doc), list = (p) => Object.fromEntries(doc.places.flatMap((place, k) => (place.name ? [[place.name, [p.at[2 * k], p.at[2 * k + 1]]]] : [])));
    return {
        document: doc, player, stage, range, ghost,
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

// "#t=0.5&L01=0.02" opens the page at a time, with changes of parameters.
function readHash(doc, player, sliders) {
    for (const [name, text] of new URLSearchParams(location.hash.slice(1))) {
        const value = Number(text), index = doc.wrt.findIndex((w) => w.name === name);
        if (text === "" || !Number.isFinite(value)) continue;
        if (index >= 0) sliders?.set(index, value);
        else if (name === "t") player.set(value);
    }
}

function start() {
    const doc = readDocument(), motion = new Motion(doc), ghost = new Ghost(doc, motion);
    const player = new Player(motion, doc.events), range = new TimeRange(motion.end);
    showTitle(doc);
    if (doc.frames < 2) for (const id of ["time-panel", "plots", "phase"]) byId(id).hidden = true; // nothing moves
    document.body.classList.toggle("still", doc.frames < 2);
    document.body.classList.toggle("plain", !doc.wrt.length);
    const stage = new Stage(byId("stage"), byId("stage-hint"), doc, motion, ghost);
    const timeline = new Timeline(byId("timeline"), byId("timeline-hint"), player, range, ghost);
    makeStageTools(stage, byId("stage-tools"));
    makeTransport(player, byId("transport"));
    player.tell((t, segment) => {
        stage.speed = player.speed;
        stage.show(t, segment);
        const line = byId("timeline");
        line.setAttribute("aria-valuenow", t);
        line.setAttribute("aria-valuetext", `${short(t, 6)} seconds`);
    });
    byId("timeline").setAttribute("aria-valuemax", motion.end);
    const sliders = makeParameters(doc, ghost, player, byId("parameters"), () => {
        stage.show(player.t, player.segment);
        timeline.changed = true;
    });
    const plots = new Plots(doc, motion, player, range, byId("plots"), doc.frames > 1);
    const phase = new Phase(doc, motion, player, byId("phase"));
    makeTables(doc, player, byId("tables"));
    listenToKeys(player, stage);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
        stage.readColours();
        timeline.colours = stage.colours;
        timeline.changed = true;
        plots.recolour();
        phase.recolour();
    });
    player.set(0);
    readHash(doc, player, sliders);
    const picture = (now) => {
        player.tick(now);
        stage.draw();
        timeline.draw();
        phase.draw();
        requestAnimationFrame(picture);
    };
    requestAnimationFrame(picture);
    window.saltus = inspection(doc, motion, ghost, player, stage, range);
}

try {
    start();
} catch (error) {
    byId("message").textContent = `The page could not be shown: ${error.message}`;
    byId("message").hidden = false;
    throw error;
}
