// completion.js - what can stand where the caret is in the text of a scene, from the schema of scenes: names of fields,
// types, words, and the names that the scene itself has.

// Where the caret is: the path of keys to it, whether a key or a value is begun, and from where on. The text behind the
// caret does not matter; what is before it may be broken.
export function caretPlace(text, caret) {
    const stack = [];
    let key = null, expectKey = false, begin = -1, inString = false;
    for (let at = 0; at < caret; at++) {
        const c = text[at], top = stack[stack.length - 1];
        if (inString) {
            if (c === "\\") at++;
            else if (c === '"') {
                inString = false;
                if (expectKey) key = text.slice(begin + 1, at);
            }
            continue;
        }
        if (c === '"') {
            inString = true;
            begin = at;
        } else if (c === "{" || c === "[") {
            stack.push({ list: c === "[", key, from: at, index: 0 });
            expectKey = c === "{";
            key = null;
        } else if (c === "}" || c === "]") {
            key = stack.pop()?.key ?? null;
            expectKey = false;
        } else if (c === ":") expectKey = false;
        else if (c === "," && top) {
            expectKey = !top.list;
            top.index++;
            key = null;
        }
    }
    const path = stack.slice(1).map((frame) => frame.key).filter((k) => k !== null), top = stack[stack.length - 1];
    if (key !== null && !expectKey) path.push(key);
    return { path, isKey: expectKey, inString, from: inString ? begin + 1 : caret, object: top && !top.list ? top.from : -1, list: Boolean(top?.list) };
}

function resolve(schema, node) {
    const { description } = node ?? {};
    while (node?.$ref || node?.allOf?.length === 1) node = node.$ref ? schema.definitions[node.$ref.split("/").pop()] : node.allOf[0];
    return node && description ? { ...node, description } : node;
}

// The nodes of the schema that a path leads to; several where a type is not known yet.
function nodesAt(schema, path, typeOf) {
    let nodes = [schema];
    path.forEach((key) => {
        nodes = nodes.map((node) => resolve(schema, node)).flatMap((node) => {
            const next = resolve(schema, node?.properties?.[key] ?? (typeof node?.additionalProperties === "object" ? node.additionalProperties : null));
            if (!next) return [];
            if (!next.oneOf) return [next];
            const fitting = next.oneOf.filter((variant) => variant.properties?.type?.const === typeOf);
            return fitting.length ? fitting : next.oneOf;
        });
    });
    return nodes.map((node) => resolve(schema, node)).filter(Boolean);
}

// The type of the element that the caret is in, as far as it is written.
function typeAround(text, object) {
    return object < 0 ? null : text.slice(object).match(/^\{[^{}]*?"type"\s*:\s*"([^"]*)"/)?.[1] ?? null;
}

function keysOf(nodes, schema) {
    const found = new Map();
    for (const node of nodes)
        for (const [name, told] of Object.entries(node.properties ?? {}))
            if (!found.has(name)) found.set(name, resolve(schema, told)?.description ?? "");
    return [...found];
}

function wordsOf(nodes) {
    return nodes.flatMap((node) => [...(node.enum ?? []), ...(node.const !== undefined ? [node.const] : []),
        ...(node.type === "boolean" ? [true, false] : []), ...(node.oneOf ?? node.anyOf ?? []).flatMap((other) => other.enum ?? [])]);
}

// Names of the scene that a value may have: points where points are meant, else parameters.
function namesOf(scene, key) {
    const points = [...Object.keys(scene?.points ?? {}), ...Object.values(scene?.bodies ?? {}).flatMap((b) => Object.keys(b?.markers ?? {}))];
    if (/point|centre|^of$|^from$|^to$|^on$/.test(key ?? "")) return points;
    if (/bod(y|ies)|reference/.test(key ?? "")) return Object.keys(scene?.bodies ?? {});
    return Object.keys(scene?.parameters ?? {});
}

// { from, to, items: [{ text, insert, note }] } for the caret; scene is the last one that could be read.
export function complete(schema, text, caret, scene) {
    const place = caretPlace(text, caret), typed = text.slice(place.from, caret).toLowerCase();
    const type = typeAround(text, place.object), items = [];
    const add = (word, insert, note) => word !== "//" && word.toLowerCase().includes(typed) && items.push({ text: word, insert, note });
    if (place.isKey) {
        const used = place.object < 0 ? "" : text.slice(place.object, place.from - 1);
        for (const [name, note] of keysOf(nodesAt(schema, place.path, type), schema))
            if (!used.includes(`"${name}"`) || place.path.length === 0) add(name, place.inString ? `${name}": ` : `"${name}": `, note);
    } else {
        const key = place.path[place.path.length - 1], own = nodesAt(schema, place.path, type), inside = own.map((n) => resolve(schema, n.items)).filter(Boolean);
        if (key === "type") {
            const section = nodesAt(schema, place.path.slice(0, -1), null);
            for (const node of section) add(String(node.properties?.type?.const ?? ""), String(node.properties?.type?.const ?? ""), node.description ?? "");
        }
        for (const word of wordsOf(place.list ? inside.concat(own) : own)) add(String(word), typeof word === "string" && !place.inString ? `"${word}"` : String(word), "");
        if (place.inString && key !== "type") for (const name of namesOf(scene, key)) add(name, name, "");
    }
    const seen = new Set(), list = items.filter((i) => i.text && !seen.has(i.text) && seen.add(i.text));
    list.sort((a, b) => Number(b.text.toLowerCase().startsWith(typed)) - Number(a.text.toLowerCase().startsWith(typed)));
    let to = caret;
    if (place.isKey && place.inString && text[caret] === '"') to = caret + 1 + (text.slice(caret + 1).match(/^\s*:\s?/)?.[0].length ?? 0);
    return { from: place.from, to, items: list.slice(0, 60) };
}
