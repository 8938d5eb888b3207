// format.js - numbers as text, elements of the page, downloads.

// As many digits as mean something on a page.
export function short(x, digits = 5) {
    if (x === null || x === undefined || Number.isNaN(x)) return "–";
    if (!Number.isFinite(x)) return x > 0 ? "∞" : "-∞";
    if (x === 0) return "0";
    const size = Math.abs(x);
    const text = size < 1e-4 || size >= 1e7 ? x.toExponential(digits - 1).replace(/\.?0+e/, "e")
        : Number(x.toPrecision(digits)).toString();
    return text.replace(/-/g, "\u2212");
}

export function plural(n, word, rest = "") {
    return `${n} ${word}${n === 1 ? "" : "s"}${rest}`;
}

// An element with attributes and children; text is put in as text, never as markup.
export function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
        else if (value === true) node.setAttribute(key, "");
        else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
    }
    for (const child of children)
        node.append(child instanceof Node ? child : document.createTextNode(child));
    return node;
}

// A "?" that opens a line of explanation: the button, and the line.
export function explain(what, words) {
    const line = make("p", { class: "note", hidden: true }, words);
    const button = make("button", { type: "button", class: "explain", "aria-label": `what is this: ${what}`, "aria-expanded": "false", onclick: () => {
        line.hidden = !line.hidden;
        button.setAttribute("aria-expanded", String(!line.hidden));
    } }, "?");
    return [button, line];
}

export function download(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type })), link = make("a", { href: url, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export function downloadSvg(title, svg) {
    download(fileName(title, ".svg"), "image/svg+xml", new XMLSerializer().serializeToString(svg));
}

export function downloadCsv(title, rows) {
    download(fileName(title, ".csv"), "text/csv", csv(rows));
}

// Rows of texts and numbers as CSV; numbers with all their digits.
export function csv(rows) {
    const cell = (c) => {
        const text = c === null || c === undefined ? "" : String(c);
        return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
    };
    return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

// The name of a file from a title.
export function fileName(title, suffix) {
    return (title.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^_+|_+$/g, "") || "saltus") + suffix;
}

// A round number of one digit, 1, 2 or 5, that is at most x.
export function roundBelow(x) {
    const decade = 10 ** Math.floor(Math.log10(x));
    for (const m of [5, 2, 1]) if (m * decade <= x) return m * decade;
    return decade;
}

// The colours of the page, from its style sheet: light or dark.
export function readColours() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(`--${name}`).trim();
    const colours = { body: [] };
    for (const name of ["paper", "line", "hatch", "faint", "grid", "rod", "force", "reaction", "velocity", "touch", "ghost", "note", "ink", "red"])
        colours[name] = get(name);
    for (let k = 0; k < 7; k++) colours.body.push(get(`colour${k}`));
    return colours;
}
