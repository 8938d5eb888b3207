// view.js - starts the live page: the scene's text is the design; sliders, dragged points and typing change it, and every
// change is run again. The last good picture stays while something is wrong.

import { Drag } from "./drag.js";
import { Editor } from "./editor.js";
import { csv, download, fileName, make, plural, short } from "./format.js";
import { History } from "./history.js";
import { Work, fetchReport, fetchSchema } from "./link.js";
import { Page, byId, showFailure } from "./main.js";
import { stageSvg } from "./picture.js";
import { plotTable } from "./plots.js";
import { SceneFile } from "./save.js";
import { readScene, setParameter } from "./scene.js";
import { Sliders } from "./sliders.js";

const TASKS = { run: "run the scene", sens: "with derivatives", cycle: "find a periodic motion", equilibrium: "find where it rests", modes: "small motions about rest" };
const SETTLED = 220; // [ms] without a change
const QUICK = 0.04; // [s] that derivatives may take while the hand moves

class View {
    constructor(about) {
        Object.assign(this, { about, page: null, task: "run", history: null, shownText: "", pinned: null, settling: false, latency: [] });
        document.body.classList.add("view", "empty");
        document.title = `${about.file} – Saltus`;
        byId("title").textContent = about.file;
        this.makeTools();
        this.makePanels();
        this.work = new Work({ answered: (answer, asked) => this.answered(answer, asked), failed: (why) => this.failed(why), busy: (since) => this.showBusy(since) });
        this.file = new SceneFile({ text: () => this.text, take: (text) => this.change(text, null, "file"), tell: (state, words) => this.showFile(state, words) });
        document.addEventListener("keydown", (e) => this.key(e));
        window.addEventListener("beforeunload", (e) => this.history && this.file.dirty && e.preventDefault());
    }

    async open() {
        const text = await this.file.open();
        this.history = new History(text);
        for (const part of this.parts) part.inert = false;
        this.editor.whole = text;
        this.file.refresh();
        this.work.ask(this.task, text);
        window.saltus = { ...window.saltus, view: this };
        this.editor.schema = await fetchSchema();
    }

    get text() {
        return this.history.text;
    }

    // ---------------------------------------------------------------------------------------------- page

    makeTools() {
        const button = (id, text, label, act) => make("button", { type: "button", id, "aria-label": label, title: label, onclick: act }, text);
        const group = (label, ...nodes) => make("span", { class: "group", role: "group", "aria-label": label }, ...nodes);
        this.tasks = Object.entries(TASKS).map(([task, label]) => button(`task-${task}`, task, label, () => this.choose(task)));
        this.undoButton = button("undo", "undo", "undo (ctrl z)", () => this.undo());
        this.redoButton = button("redo", "redo", "redo (ctrl shift z)", () => this.redo());
        this.pinButton = button("pin", "pin", "compare with this design (p)", () => this.pin());
        this.saveButton = button("save", "save", "save the scene (ctrl s)", () => this.file.save());
        this.stopButton = button("stop", "stop", "stop what is being computed (escape)", () => this.stop());
        this.stopButton.hidden = true;
        this.state = make("output", { id: "state", "aria-live": "off" });
        const exports = make("select", { id: "export", "aria-label": "export", onchange: (e) => (this.export(e.target.value), (e.target.value = "")) }, make("option", { value: "" }, "export…"));
        for (const [what, label] of [["report", "report (HTML)"], ["svg", "picture (SVG)"], ["csv", "motion (CSV)"], ["text", "scene (JSON)"]])
            exports.append(make("option", { value: what }, label));
        const bar = make("nav", { id: "view-tools", class: "tools", "aria-label": "design" }, group("what is computed", ...this.tasks), group("changes", this.undoButton, this.redoButton),
            group("compare", this.pinButton), group("file", this.saveButton, exports), this.stopButton, this.state);
        document.querySelector("header").after(bar);
        this.notice = make("p", { id: "notice", class: "warning", role: "alert", hidden: true });
        this.trouble = make("p", { id: "trouble", class: "warning", role: "alert", hidden: true });
        bar.after(this.notice, this.trouble);
        this.parts = [bar];
        byId("keys").querySelector("p").append(" · ctrl z, ctrl shift z undo, redo · ctrl s saves · p pins · e text · 1 to 5 what is computed · escape stops · at the start drag points, or choose one and move it by i j k l");
    }

    makePanels() {
        const panel = byId("parameters"), list = make("div", { id: "live-parameters" }), text = make("section", { id: "scene-panel", "aria-label": "scene" });
        panel.prepend(make("h2", {}, "Parameters"), list, make("div", { id: "comparison", hidden: true }));
        panel.after(text);
        this.parts.push(text);
        for (const part of this.parts) part.inert = true; // until there is a scene
        this.sliders = new Sliders(list, (name, value, gesture) => this.setParameter(name, value, gesture), () => this.history.close());
        this.editor = new Editor(text, (typed) => this.change(typed, "typing", "editor"));
        this.markTask();
    }

    // What is wrong with the work, until there is an answer again; the file has a line of its own.
    warn(words) {
        this.trouble.textContent = words;
        this.trouble.hidden = !words;
    }

    showBusy(since) {
        clearTimeout(this.busyTimer);
        this.stopButton.hidden = true;
        if (since) this.busyTimer = setTimeout(() => (this.stopButton.hidden = false, (this.state.textContent = "computing…")), 300);
    }

    showFile(state, words) {
        this.saveButton.disabled = state === "saved";
        this.saveButton.textContent = state === "saved" ? "saved" : "save";
        this.undoButton.disabled = !this.history?.canUndo;
        this.redoButton.disabled = !this.history?.canRedo;
        this.notice.replaceChildren(words);
        this.notice.hidden = !words;
        const button = (id, words, act) => this.notice.append(" ", make("button", { type: "button", id, onclick: act }, words));
        if (state === "conflict") button("take-file", "take that one", () => this.file.takeOther());
        if (state === "conflict" || state === "gone") button("keep-mine", state === "gone" ? "write it again" : "write mine over it", () => this.file.save(true));
    }

    // -------------------------------------------------------------------------------------------- design

    // Another text: it is run, and shown wherever it was not changed.
    change(text, gesture, by) {
        if (text === null || text === this.text) return;
        this.history.push(text, gesture);
        this.changed(by);
    }

    changed(by) {
        if (by !== "editor") this.editor.whole = this.text;
        this.by = by;
        this.file.refresh();
        this.settling = this.task === "sens" && !(this.sensSeconds < QUICK); // derivatives that take long come when the hand rests
        this.work.ask(this.settling ? "run" : this.task, this.text);
        clearTimeout(this.settleTimer);
        this.settleTimer = setTimeout(() => this.settle(), SETTLED);
    }

    // Nothing has changed for a moment: what could wait is done.
    settle() {
        if (this.work.now || this.work.next) {
            this.settleTimer = setTimeout(() => this.settle(), SETTLED);
            return;
        }
        if (this.settling) {
            this.settling = false;
            this.work.ask(this.task, this.text);
        }
        this.page?.settle();
    }

    setParameter(name, value, gesture) {
        this.change(setParameter(this.text, name, value), gesture, "slider");
    }

    undo() {
        this.history.undo();
        this.changed("undo");
    }

    redo() {
        this.history.redo();
        this.changed("redo");
    }

    choose(task) {
        this.task = task;
        this.settling = false;
        this.markTask();
        this.work.ask(task, this.text);
    }

    stop() {
        if (!this.work.now && !this.settling) return;
        this.settling = false;
        this.work.stop();
        this.state.textContent = "stopped";
        document.body.classList.add("stale");
    }

    markTask() {
        this.tasks.forEach((b) => b.setAttribute("aria-pressed", String(b.id === `task-${this.task}`)));
    }

    // ------------------------------------------------------------------------------------------- answers

    answered(answer, asked) {
        const scene = readScene(asked.text), current = asked.text === this.text;
        if (current) this.editor.show(answer.errors, answer.warnings);
        this.warn("");
        document.body.classList.toggle("stale", answer.errors.length > 0);
        this.state.textContent = answer.errors.length ? `${plural(answer.errors.length, "error")}: ${this.page ? "this is the last good picture" : "there is a picture once the text is mended"}`
            : `${asked.task} in ${short(1000 * answer.seconds, 3)} ms${answer.cut ? `, cut after ${short(answer.limit)} s` : ""}`;
        if (answer.format === undefined) return;
        if (asked.task === "sens") this.sensSeconds = answer.seconds;
        this.editor.scene = scene;
        if (this.page) this.page.show(answer);
        else this.start(answer);
        this.shownText = asked.text;
        this.sliders.load(answer.parameters, scene, current, answer.analysis?.unused);
        this.drag.load(answer, scene, this.by === "drag" || this.by === "editor");
        if (this.drag.told) this.state.textContent += ` · ${this.drag.told}`;
        this.compare();
        if (answer.cut) this.warn(`It was cut after ${short(answer.limit)} s of computing, and is shown until then: saltus view --limit gives it more.`);
        requestAnimationFrame(() => this.noteLatency(performance.now() - asked.asked));
        if (!this.settleTimer) this.settle();
        clearTimeout(this.settleTimer);
        this.settleTimer = setTimeout(() => this.settle(), SETTLED);
    }

    failed(why) {
        this.warn(why);
        document.body.classList.add("stale");
    }

    // From a change to its picture [ms], of the last changes.
    noteLatency(ms) {
        this.latency.push(ms);
        if (this.latency.length > 1000) this.latency.shift();
    }

    start(doc) {
        document.body.classList.remove("empty");
        this.page = new Page(doc);
        this.drag = new Drag(this.page, byId("stage-tools"), { text: () => this.text, change: (text, gesture) => this.change(text, gesture, "drag"),
            released: () => this.history.close(), tell: (words) => (this.state.textContent = words) });
    }

    // ------------------------------------------------------------------------------------------- compare

    // This design stays beside later ones; once more lets go of it.
    pin() {
        if (!this.page) return;
        this.pinned = this.pinned ? null : { doc: this.page.doc, text: this.shownText };
        this.pinButton.setAttribute("aria-pressed", String(Boolean(this.pinned)));
        this.page.stage.pin(this.pinned?.doc ?? null, this.page.motion);
        this.page.plots.pin(this.pinned?.doc ?? null, this.page.motion);
        this.compare();
    }

    // Costs and parameters that differ from the design that was pinned.
    compare() {
        const box = byId("comparison"), { doc } = this.page, pinned = this.pinned?.doc;
        box.hidden = !pinned;
        if (!pinned) return box.replaceChildren();
        const rows = [...Object.entries(pinned.parameters).map(([name, value]) => [name, value, doc.parameters[name]]).filter(([, a, b]) => a !== b),
            ...pinned.costs.map((c) => [c.name, c.value, doc.costs.find((other) => other.name === c.name)?.value])];
        box.replaceChildren(make("h2", {}, "Pinned and now", make("button", { type: "button", id: "back-to-pinned", onclick: () => this.change(this.pinned.text, null, "pin") }, "go back to it")),
            make("table", {}, make("tr", {}, ...["", "pinned", "now", "change"].map((text) => make("th", { scope: "col" }, text))),
                ...rows.map(([name, a, b]) => make("tr", {}, make("th", { scope: "row" }, name), ...[a, b, b - a].map((x) => make("td", { class: "number" }, short(x, 6)))))));
    }

    // -------------------------------------------------------------------------------------------- export

    async export(what) {
        const name = (suffix) => fileName(this.about.file.replace(/\.json$/, ""), suffix);
        try {
            if (what === "text") download(this.about.file, "application/json", this.text);
            if (what === "svg" && this.page) download(name(".svg"), "image/svg+xml", stageSvg(this.page.stage));
            if (what === "csv" && this.page) download(name(".csv"), "text/csv", this.motionCsv());
            if (what === "report") download(name(".html"), "text/html", await fetchReport(this.task === "run" ? "sens" : this.task, this.text));
        } catch (error) {
            this.warn(error.message);
        }
    }

    motionCsv() {
        const { doc, motion } = this.page;
        return csv(plotTable(motion, doc.series.map((s) => s.name), doc.series.map((s) => s.values)));
    }

    // ---------------------------------------------------------------------------------------------- keys

    key(e) {
        if (!this.history) return; // there is no scene yet
        const control = e.ctrlKey || e.metaKey, typing = e.target.closest("textarea, input[type=number], select");
        const act = control && { z: () => (e.shiftKey ? this.redo() : this.undo()), y: () => this.redo(), s: () => this.saveButton.disabled || this.file.save() }[e.key.toLowerCase()];
        const plain = !control && !e.altKey && !typing && { p: () => this.pin(), e: () => byId("scene-text").focus(), Escape: () => this.stop(),
            1: () => this.choose("run"), 2: () => this.choose("sens"), 3: () => this.choose("cycle"), 4: () => this.choose("equilibrium"), 5: () => this.choose("modes") }[e.key];
        if (e.key === "Escape" && typing && e.target.id === "scene-text") e.target.blur();
        if (!act && !plain) return;
        e.preventDefault();
        (act || plain)();
    }
}

try {
    new View(JSON.parse(byId("saltus-view").textContent)).open().catch(showFailure);
} catch (error) {
    showFailure(error);
}
