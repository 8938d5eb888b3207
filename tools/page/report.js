// report.js - starts the page of a report: the document is in it.

import { readDocument } from "./data.js";
import { Page, showFailure } from "./main.js";

// "#t=0.5&L01=0.02" opens the page at a time, with changes of parameters.
function readHash(page) {
    for (const [name, text] of new URLSearchParams(location.hash.slice(1))) {
        const value = Number(text), index = page.doc.wrt.findIndex((w) => w.name === name);
        if (text === "" || !Number.isFinite(value)) continue;
        if (index >= 0) page.predictions.set(index, value);
        else if (name === "t") page.player.set(value);
    }
}

try {
    readHash(new Page(readDocument()));
} catch (error) {
    showFailure(error);
}
