// history.js - the texts that the scene has had: undo and redo. Changes of one gesture, or of typing without a pause, are
// one.

const MOST = 500, PAUSE = 700; // texts; [ms]

export class History {
    constructor(text) {
        this.texts = [text];
        this.at = 0;
        this.gesture = null;
        this.stamp = 0;
    }

    get text() {
        return this.texts[this.at];
    }

    // `gesture` names what changes it: the same one again, soon, is the same change.
    push(text, gesture) {
        if (text === this.text) return;
        const now = performance.now(), same = gesture && gesture === this.gesture && now - this.stamp < PAUSE && this.at > 0;
        this.texts.length = this.at + 1;
        if (same) this.texts[this.at] = text;
        else this.texts.push(text);
        if (this.texts.length > MOST) this.texts.shift();
        this.at = this.texts.length - 1;
        this.gesture = gesture;
        this.stamp = now;
    }

    // The next change is another one.
    close() {
        this.gesture = null;
    }

    get canUndo() {
        return this.at > 0;
    }

    get canRedo() {
        return this.at + 1 < this.texts.length;
    }

    undo() {
        if (this.canUndo) this.at--;
        this.close();
        return this.text;
    }

    redo() {
        if (this.canRedo) this.at++;
        this.close();
        return this.text;
    }
}
