// save.js - the scene's file: writing it, and following it when somebody else does.

import { fetchScene, sendScene } from "./link.js";

const INTERVAL = 1000; // [ms]

export class SceneFile {
    // `text()` is that of the page, `take(text)` takes the one of the file, `tell(state, words)` shows how things are:
    // "saved", "changed", "conflict" (both have changed), "gone" (there is no file any more), "failed".
    constructor({ text, take, tell }) {
        Object.assign(this, { text, take, tell, stamp: "", written: "", other: null, lost: null });
    }

    async open() {
        const file = await fetchScene("");
        this.known(file);
        setInterval(() => document.hidden || this.look(), INTERVAL);
        document.addEventListener("visibilitychange", () => document.hidden || this.look());
        return file.text;
    }

    known({ text, stamp }) {
        Object.assign(this, { stamp, written: text, other: null, lost: null });
    }

    get dirty() {
        return this.text() !== this.written;
    }

    refresh() {
        if (this.lost) this.tell(this.lost.gone ? "gone" : "failed", this.lost.message);
        else if (this.other) this.tell("conflict", "The file has been changed on disk as well.");
        else this.tell(this.dirty ? "changed" : "saved", "");
    }

    async look() {
        if (this.busy) return;
        try {
            const file = await fetchScene(this.other?.stamp ?? this.stamp);
            if (this.busy) return;
            if (this.lost) {
                this.lost = null;
                this.refresh();
            }
            if (!file) return;
            if (this.dirty && file.text !== this.text()) {
                this.other = file;
                return this.refresh();
            }
            this.known(file);
            this.take(file.text);
            this.refresh();
        } catch (error) {
            if (this.busy || error.message === this.lost?.message) return;
            this.lost = error;
            this.refresh();
        }
    }

    // `force`: also where the file has been changed meanwhile.
    async save(force = false) {
        if (this.busy) return;
        const text = this.text();
        this.busy = true;
        try {
            const done = await sendScene(text, force ? "*" : this.stamp);
            const other = done.changed ? await fetchScene("") : null;
            if (other && other.text !== text) this.other = other;
            else this.known(other ?? { text, stamp: done.stamp });
            this.refresh();
        } catch (error) {
            this.tell("failed", `The file cannot be written: ${error.message}`);
        }
        this.busy = false;
    }

    // What is on disk in place of what is here.
    takeOther() {
        const file = this.other;
        if (!file) return;
        this.known(file);
        this.take(file.text);
        this.refresh();
    }
}
