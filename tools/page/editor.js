// editor.js - the text of the scene: a field to type in, over a copy of it in which what is wrong is underlined; the errors
// as a list below; a list of what could be typed at the caret.

import { complete } from "./completion.js";
import { make } from "./format.js";
import { readScene } from "./scene.js";

// Where a line and a column in bytes are in a text.
export function offsetOf(text, line, column) {
    let at = 0;
    for (let k = 1; k < line; k++) {
        const end = text.indexOf("\n", at);
        if (end < 0) return text.length;
        at = end + 1;
    }
    const end = text.indexOf("\n", at), rest = text.slice(at, end < 0 ? text.length : end);
    let bytes = 0, k = 0;
    for (const c of rest) {
        if (bytes >= column - 1) break;
        bytes += new TextEncoder().encode(c).length;
        k += c.length;
    }
    return at + k;
}

export class Editor {
    // `typed(text)` is told of every change by hand.
    constructor(container, typed) {
        Object.assign(this, { typed, schema: null, scene: null, marks: [], items: [], active: 0, newline: "\n" });
        this.area = make("textarea", { id: "scene-text", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "text of the scene",
            "aria-autocomplete": "list", "aria-controls": "completion", "aria-describedby": "errors" });
        this.back = make("pre", { class: "backdrop", "aria-hidden": "true" });
        this.list = make("ul", { id: "errors", role: "status", "aria-label": "errors", hidden: true });
        this.popup = make("ul", { id: "completion", role: "listbox", "aria-label": "what can stand here", hidden: true });
        container.append(make("div", { class: "text-holder" }, this.back, this.area, this.popup), this.list);
        this.area.addEventListener("input", () => {
            this.marks = [];
            this.paint();
            this.typed(this.whole);
            this.suggest(false);
        });
        this.area.addEventListener("scroll", () => this.follow());
        this.area.addEventListener("keydown", (e) => this.key(e));
        this.area.addEventListener("blur", () => setTimeout(() => this.closeList(), 150));
        this.area.addEventListener("click", () => this.closeList());
    }

    get text() {
        return this.area.value;
    }

    // With the ends of lines that the file has, which a field does not keep.
    get whole() {
        return this.newline === "\n" ? this.text : this.text.replace(/\n/g, this.newline);
    }

    set whole(text) {
        this.newline = text.includes("\r\n") ? "\r\n" : "\n";
        this.text = text.replace(/\r\n/g, "\n");
    }

    set text(text) {
        if (text === this.area.value) return;
        const { scrollTop, scrollLeft, selectionStart } = this.area;
        this.area.value = text;
        this.area.setSelectionRange(selectionStart, selectionStart);
        this.area.scrollTo(scrollLeft, scrollTop);
        this.marks = [];
        this.paint();
    }

    // Errors with line, column, path, text; and warnings, which have no place.
    show(errors, warnings) {
        const text = this.text;
        this.marks = errors.filter((e) => e.line > 0).map((e) => {
            const from = offsetOf(text, e.line, e.column), word = text.slice(from).match(/^("(?:[^"\\\n]|\\.)*"?|[\w.+-]+|.)/s)?.[0] ?? "";
            return [from, from + Math.max(1, word.length)];
        });
        this.list.replaceChildren(...errors.map((e) => this.line(e)), ...warnings.map((w) => make("li", { class: "warning" }, w)));
        this.list.hidden = !errors.length && !warnings.length;
        this.area.setAttribute("aria-invalid", String(errors.length > 0));
        this.paint();
    }

    line(e) {
        const where = e.line > 0 ? `${e.line}:${e.column} ` : "", text = `${where}${e.path ? `${e.path}: ` : ""}${e.text}`;
        if (!e.line) return make("li", { class: "error" }, text);
        return make("li", { class: "error" }, make("button", { type: "button", onclick: () => this.goTo(offsetOf(this.text, e.line, e.column)) }, text));
    }

    goTo(offset) {
        this.area.focus();
        this.area.setSelectionRange(offset, offset);
        const line = this.text.slice(0, offset).split("\n").length - 1, height = parseFloat(getComputedStyle(this.area).lineHeight);
        this.area.scrollTop = Math.max(0, line * height - this.area.clientHeight / 2);
    }

    // The copy behind the field: the same letters, unseen, with lines under what is wrong.
    paint(caret = -1) {
        const text = this.text, parts = [];
        let at = 0;
        for (const [from, to] of [...this.marks].sort((a, b) => a[0] - b[0])) {
            if (from < at) continue;
            parts.push(text.slice(at, from), make("u", {}, text.slice(from, to).replace(/^\n/, " \n") || " "));
            at = to;
        }
        parts.push(`${text.slice(at)}\n`);
        if (caret >= 0) parts.splice(0, parts.length, text.slice(0, caret), make("span", { class: "caret" }), `${text.slice(caret)}\n`);
        this.back.replaceChildren(...parts);
        this.follow();
    }

    follow() {
        this.back.scrollTop = this.area.scrollTop;
        this.back.scrollLeft = this.area.scrollLeft;
    }

    // -------------------------------------------------------------------------------------------- completion

    suggest(asked) {
        const caret = this.area.selectionStart;
        if (!this.schema || (!asked && !/["\w]/.test(this.text[caret - 1] ?? ""))) return this.closeList();
        const found = complete(this.schema, this.text, caret, readScene(this.text) ?? this.scene);
        const exact = found.items.length === 1 && found.items[0].text === this.text.slice(found.from, caret);
        if (!found.items.length || (!asked && (exact || this.text.slice(found.from, caret).length < 1))) return this.closeList();
        this.items = found.items.map((item) => ({ ...item, from: found.from, to: found.to }));
        this.active = 0;
        this.popup.replaceChildren(...this.items.map((item, k) => make("li", { role: "option", id: `option-${k}`,
            onpointerdown: (e) => (e.preventDefault(), this.take(k)) }, make("b", {}, item.text), item.note ? ` ${item.note}` : "")));
        this.popup.hidden = false;
        this.placeList(caret);
        this.highlight(0);
    }

    placeList(caret) {
        this.paint(caret);
        const mark = this.back.querySelector(".caret").getBoundingClientRect(), box = this.area.getBoundingClientRect();
        this.paint();
        const below = mark.bottom - box.top + 4, tall = this.popup.offsetHeight;
        this.popup.style.top = `${below + tall > box.height && mark.top - box.top > tall ? mark.top - box.top - tall - 4 : below}px`;
        this.popup.style.left = `${Math.max(0, Math.min(mark.left - box.left, box.width - this.popup.offsetWidth - 4))}px`;
    }

    highlight(k) {
        this.active = (k + this.items.length) % this.items.length;
        [...this.popup.children].forEach((li, i) => li.setAttribute("aria-selected", String(i === this.active)));
        this.popup.children[this.active].scrollIntoView({ block: "nearest" });
        this.area.setAttribute("aria-activedescendant", `option-${this.active}`);
    }

    take(k) {
        const { from, to, insert } = this.items[k];
        this.closeList();
        this.area.setRangeText(insert, from, to, "end");
        this.marks = [];
        this.paint();
        this.typed(this.whole);
    }

    closeList() {
        this.popup.hidden = true;
        this.area.removeAttribute("aria-activedescendant");
    }

    key(e) {
        if (e.key === " " && e.ctrlKey) {
            e.preventDefault();
            return this.suggest(true);
        }
        if (this.popup.hidden) return;
        const act = { ArrowDown: () => this.highlight(this.active + 1), ArrowUp: () => this.highlight(this.active - 1), Enter: () => this.take(this.active),
            Tab: () => this.take(this.active), Escape: () => this.closeList() }[e.key];
        if (!act) return;
        e.preventDefault();
        e.stopPropagation();
        act();
    }
}
