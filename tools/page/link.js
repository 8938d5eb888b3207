// link.js - what the page asks of the server that it comes from, all of it below the page's own address, which has the key.
//
// Work is for the newest text only: while an answer is awaited, what is asked for is kept, and only the last of it sent.
// Who waits too long is not waited for: the request is given up, and the server stops its work.

import { openDocument } from "./data.js";

const PATIENCE = 1500; // [ms] with work that something newer waits for: what is quicker is still worth a picture
const SILENT = "The server does not answer: is saltus view still running?";

// The answer: the length of a document in JSON (4 bytes, the least first), the document, zeros up to a multiple of 8
// bytes, its columns.
export function openAnswer(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const doc = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    return doc.format === undefined ? doc : openDocument(doc, buffer, Math.ceil((length + 4) / 8) * 8);
}

async function post(what, text, headers = {}, signal) {
    return fetch(what, { method: "POST", body: text, headers: { "Content-Type": "application/json", ...headers }, signal });
}

// `answered(answer, asked)`, `failed(why)`, and `busy(since)` with the time since when an answer is awaited, or 0.
export class Work {
    constructor({ answered, failed, busy }) {
        Object.assign(this, { answered, failed, busy, now: null, next: null, number: 0 });
        this.page = [...crypto.getRandomValues(new Uint8Array(12))].map((b) => b.toString(16).padStart(2, "0")).join("");
    }

    ask(task, text) {
        this.next = { task, text, asked: performance.now() };
        if (!this.now) this.send();
        else if (performance.now() - this.now.sent > PATIENCE) this.giveUp();
        else setTimeout(() => this.next && this.now && performance.now() - this.now.sent > PATIENCE && this.giveUp(), PATIENCE + 10);
    }

    // Nothing more is wanted.
    stop() {
        this.next = null;
        this.giveUp();
    }

    giveUp() {
        this.now?.abort.abort();
    }

    async send() {
        const request = this.next, abort = new AbortController();
        this.next = null;
        this.now = { ...request, abort, sent: performance.now() };
        this.busy(this.now.sent);
        let answer = null, why = "";
        try {
            const response = await post(`work?task=${request.task}&page=${this.page}&number=${++this.number}`, request.text, {}, abort.signal);
            if (response.ok) answer = await response.arrayBuffer();
            else if (response.status !== 409) why = await response.text();
        } catch (error) {
            if (error.name !== "AbortError") why = SILENT;
        }
        try {
            if (answer) this.answered(openAnswer(answer), request);
            else if (why) this.failed(why);
        } catch (error) { // of the page, not of the server
            console.error(error);
            this.failed(`The page cannot show the answer: ${error.message}`);
        }
        this.now = null;
        this.busy(0);
        if (this.next) this.send();
    }
}

// What is not UTF-8 would be written otherwise than it was read; a mark at its beginning stays.
function readText(bytes) {
    try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
        throw new Error("The file is not text in UTF-8: it is left as it is.");
    }
}

// The file: { text, stamp }, or null where it has the stamp that is known. Errors have `gone` where there is no file.
export async function fetchScene(stamp) {
    const response = await fetch("scene", { headers: stamp ? { "If-None-Match": stamp } : {} }).catch(() => Promise.reject(new Error(SILENT)));
    if (response.status === 304) return null;
    if (!response.ok) throw Object.assign(new Error(`The file cannot be read: ${await response.text()}`), { gone: response.status === 404 });
    return { text: readText(await response.arrayBuffer()), stamp: response.headers.get("ETag") };
}

export async function fetchSchema() {
    const response = await fetch("schema");
    return response.ok ? response.json() : {};
}

// { stamp }, or { changed: true } where the file has another stamp by now; stamp "*": whatever it has.
export async function sendScene(text, stamp) {
    const response = await post("save", text, { "If-Match": stamp });
    if (response.status === 412) return { changed: true };
    if (!response.ok) throw new Error(await response.text());
    return { stamp: response.headers.get("ETag") };
}

export async function fetchReport(task, text) {
    const response = await post(`report?task=${task}`, text);
    if (!response.ok) throw new Error(await response.text());
    return response.text();
}
