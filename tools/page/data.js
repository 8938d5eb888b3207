// data.js - reads the document and its columns of numbers (README.md tells the format). Knows nothing of the page but
// where the data are.

export const FORMAT = 1;

// The document with every column as an array of numbers: Float64Array, or a Constant.
export function readDocument() {
    const text = document.getElementById("saltus-document"), arrays = document.getElementById("saltus-arrays");
    return openDocument(JSON.parse(text.textContent), decodeBase64(arrays.textContent));
}

export function decodeBase64(text) {
    const binary = atob(text.trim()), bytes = new Uint8Array(binary.length);
    for (let k = 0; k < bytes.length; k++) bytes[k] = binary.charCodeAt(k);
    return bytes.buffer;
}

// A column is decoded when it is first looked at: most are not.
class Column {
    constructor(told, buffer, offset, frames) {
        this.told = told;
        this.buffer = buffer;
        this.offset = offset;
        this.frames = frames;
        this.constant = told === null || told === undefined || typeof told === "number";
        this.value = this.constant ? told ?? NaN : 0;
        this.decoded = null;
    }
    at(frame) {
        return this.constant ? this.value : (this.decoded ?? this.decode())[frame];
    }
    decode() {
        const view = new DataView(this.buffer, this.offset + this.told.at), x = new Float64Array(this.frames);
        for (let k = 0; k < this.frames; k++)
            x[k] = this.told.double ? view.getFloat64(8 * k, true) : this.told.base + view.getFloat32(4 * k, true);
        this.decoded = x;
        return x;
    }
}

export const NUMBERS = ["angle", "reference", "radius", "height", "speed", "low", "high", "placeX", "placeY", "directionX",
    "directionY", "forceX", "forceY", "torque", "friction", "rate", "holds"];

// The columns are in the buffer from the offset on.
export function openDocument(doc, buffer, offset = 0) {
    if (doc.format !== FORMAT) throw new Error(`this page reads format ${FORMAT} of the data, found ${doc.format}`);
    const column = (told) => new Column(told, buffer, offset, doc.frames);
    doc.t = column(doc.t);
    doc.segment = column(doc.segment);
    for (const p of doc.places) {
        for (const key of ["x", "y", "vx", "vy"]) p[key] = column(p[key]);
        p.dx = (p.dx ?? []).map(column);
        p.dy = (p.dy ?? []).map(column);
        p.dvx = (p.dvx ?? []).map(column);
        p.dvy = (p.dvy ?? []).map(column);
        for (const key of ["cx", "cy", "cvx", "cvy"]) p[key] = (p[key] ?? []).map(column);
    }
    for (const item of doc.items)
        for (const key of NUMBERS) item[key] = column(item[key]);
    for (const q of doc.quantities) {
        q.values = column(q.values);
        q.gradient = (q.gradient ?? []).map(column);
        q.compared = (q.compared ?? []).map(column);
    }
    doc.series = allSeries(doc);
    return doc;
}

// The names of the points that can touch something.
export function touchingPoints(doc) {
    return new Set(doc.items.filter((item) => item.kind === "contact").map((item) => doc.places[item.points[0]].name));
}

// The least and the largest number of columns at the frames from `first` up to `end`; [NaN, NaN] where there is none.
export function extremes(columns, end, first = 0) {
    let low = NaN, high = NaN;
    for (const column of columns)
        for (let k = first; k < end; k++) {
            const y = column.at(k);
            if (!(y >= low)) low = y === y ? y : low;
            if (!(y <= high)) high = y === y ? y : high;
        }
    return [low, high];
}

// Less than this of its size is rounding, not a change.
export const ROUNDING = 1e-9;

// A range with some air around it; what changes by rounding only is shown at its own size.
export function withAir([low, high]) {
    if (!(low <= high)) return [-1, 1];
    const size = Math.max(Math.abs(low), Math.abs(high)), margin = high - low > ROUNDING * size ? 0.06 * (high - low) : size || 1;
    return [low - margin, high + margin];
}

// Everything that can be plotted: outputs first, costs as they grow, then coordinates and velocities of points, energy, reactions.
function allSeries(doc) {
    const known = (gradient) => (gradient.some((c) => c.constant && Number.isNaN(c.value)) ? [] : gradient);
    const of = (...groups) => doc.quantities.filter((q) => groups.includes(q.group));
    const list = of("output").concat(of("cost").map((q) => ({ ...q, name: `cost ${q.name}` }))); // an output may have the same name
    for (const [key, unit] of [["x", "m"], ["y", "m"], ["vx", "m/s"], ["vy", "m/s"]]) {
        for (const p of doc.places) {
            if (!p.name || p.kind === "fixed") continue;
            list.push({ name: `${key}(${p.name})`, group: key.length === 1 ? "coordinate" : "velocity", unit,
                values: p[key], gradient: known(p[`d${key}`]), compared: p[`c${key}`] });
        }
    }
    return list.concat(of("energy", "reaction"));
}
