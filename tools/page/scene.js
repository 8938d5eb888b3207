// scene.js - the text of a scene, changed in place: a value gets another text, everything else stays byte for byte. Reads
// JSON that is valid; where it is not, nothing is found.

const BLANK = /[ \t\r\n]/;

function skipBlank(text, at) {
    while (at < text.length && BLANK.test(text[at])) at++;
    return at;
}

function skipString(text, at) {
    for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
    return at + 1;
}

// The end of the value that begins at `at`.
function skipValue(text, at) {
    let depth = 0;
    do {
        const c = text[at];
        if (c === '"') {
            at = skipString(text, at);
            continue;
        }
        if (c === "{" || c === "[") depth++;
        if (c === "}" || c === "]") depth--;
        at++;
        if (depth === 0 && c !== "}" && c !== "]") while (at < text.length && !/[ \t\r\n,\]}]/.test(text[at])) at++;
    } while (depth > 0 && at < text.length);
    return at;
}

// Members of an object, or items of a list, with where their values are: [[key, from, to]].
function membersAt(text, at) {
    const list = [], object = text[at] === "{";
    if (!object && text[at] !== "[") return list;
    for (at = skipBlank(text, at + 1); at < text.length && text[at] !== "}" && text[at] !== "]";) {
        let key = list.length;
        if (object) {
            const end = skipString(text, at);
            key = JSON.parse(text.slice(at, end));
            at = skipBlank(text, skipBlank(text, end) + 1);
        }
        const end = skipValue(text, at);
        list.push([key, at, end]);
        at = skipBlank(text, end);
        if (text[at] === ",") at = skipBlank(text, at + 1);
    }
    return list;
}

// Where the value at a path is, [from, to]; null: nowhere. Of members with the same name the last one counts.
export function findValue(text, path) {
    let at = skipBlank(text, 0), end = text.length;
    try {
        for (const key of path) {
            const found = membersAt(text, at).filter(([k]) => k === key).pop();
            if (!found) return null;
            [, at, end] = found;
        }
    } catch {
        return null;
    }
    return [at, end];
}

export function replaceValue(text, path, by) {
    const found = findValue(text, path);
    return found ? text.slice(0, found[0]) + by + text.slice(found[1]) : null;
}

// What a text says; null where it is not JSON.
export function readScene(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}

// Another value of a parameter; null: there is none of that name.
export function setParameter(text, name, value) {
    return replaceValue(text, ["parameters", name], String(value));
}

// Which coordinates of a point are numbers that can be changed: [x, y]; expressions cannot.
export function movable(text, name) {
    const at = readScene(text)?.points?.[name]?.at;
    return [0, 1].map((axis) => Array.isArray(at) && typeof at[axis] === "number");
}

// Another place of a point, as far as it is told by numbers; null: a coordinate that stays.
export function setPlace(text, name, place) {
    const can = movable(text, name);
    for (const axis of [0, 1]) if (can[axis] && place[axis] !== null) text = replaceValue(text, ["points", name, "at", axis], String(place[axis]));
    return text;
}
