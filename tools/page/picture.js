// picture.js - what is drawn on a canvas as SVG: a pen with those calls of a canvas that the stage uses.

export const SPACE = "http://www.w3.org/2000/svg";

export class SvgContext {
    constructor(width, height) {
        Object.assign(this, { strokeStyle: "#000", fillStyle: "#000", lineWidth: 1, globalAlpha: 1, font: "12px sans-serif", textAlign: "left", lineJoin: "miter" });
        this.svg = document.createElementNS(SPACE, "svg");
        this.svg.setAttribute("xmlns", SPACE);
        this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
        this.matrix = new DOMMatrix();
        this.kept = [];
        this.d = "";
    }

    save() {
        const { strokeStyle, fillStyle, lineWidth, globalAlpha, font, textAlign, lineJoin } = this;
        this.kept.push({ matrix: DOMMatrix.fromMatrix(this.matrix), strokeStyle, fillStyle, lineWidth, globalAlpha, font, textAlign, lineJoin });
    }
    restore() {
        Object.assign(this, this.kept.pop());
    }
    setTransform() { // of the screen's pixels, which are not those of a file
        this.matrix = new DOMMatrix();
    }
    transform(...six) {
        this.matrix = this.matrix.multiply(new DOMMatrix(six));
    }
    translate(x, y) {
        this.matrix = this.matrix.translate(x, y);
    }
    rotate(angle) {
        this.matrix = this.matrix.rotate(angle * 180 / Math.PI);
    }
    setLineDash() {}

    at(x, y) {
        const p = this.matrix.transformPoint({ x, y });
        return `${p.x.toFixed(2)} ${p.y.toFixed(2)}`;
    }
    beginPath() {
        this.d = "";
    }
    moveTo(x, y) {
        this.d += `M${this.at(x, y)}`;
    }
    lineTo(x, y) {
        this.d += `${this.d ? "L" : "M"}${this.at(x, y)}`;
    }
    closePath() {
        this.d += "Z";
    }
    // Every turn is a rotation, perhaps with y up: circles stay circles. Half a turn at a time.
    arc(x, y, r, from, to, back = false) {
        const turn = back ? -1 : 1, whole = Math.min(2 * Math.PI, turn * (to - from) < 0 ? turn * (to - from) + 2 * Math.PI : turn * (to - from));
        const sweep = (this.matrix.a * this.matrix.d - this.matrix.b * this.matrix.c > 0) === !back ? 1 : 0, parts = Math.max(1, Math.ceil(whole / 3));
        this.lineTo(x + r * Math.cos(from), y + r * Math.sin(from));
        for (let k = 1; k <= parts; k++) {
            const a = from + turn * whole * k / parts;
            this.d += `A${r.toFixed(2)} ${r.toFixed(2)} 0 0 ${sweep} ${this.at(x + r * Math.cos(a), y + r * Math.sin(a))}`;
        }
    }
    add(tag, attributes) {
        const node = document.createElementNS(SPACE, tag);
        for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
        if (this.globalAlpha < 1) node.setAttribute("opacity", this.globalAlpha);
        this.svg.append(node);
        return node;
    }
    stroke() {
        if (this.d) this.add("path", { d: this.d, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-linejoin": this.lineJoin });
    }
    fill() {
        if (this.d) this.add("path", { d: this.d, fill: this.fillStyle });
    }
    fillRect(x, y, width, height) {
        this.add("rect", { x, y, width, height, fill: this.fillStyle });
    }
    strokeRect(x, y, width, height) {
        this.add("rect", { x, y, width, height, fill: "none", stroke: this.strokeStyle });
    }
    clearRect() {}
    addText(text, x, y, paint) {
        const [px, py] = this.at(x, y).split(" "), anchor = { center: "middle", right: "end", left: "start" }[this.textAlign];
        this.add("text", { x: px, y: py, style: `font:${this.font}`, "text-anchor": anchor, ...paint }).textContent = text;
    }
    fillText(text, x, y) {
        this.addText(text, x, y, { fill: this.fillStyle });
    }
    strokeText(text, x, y) {
        this.addText(text, x, y, { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-linejoin": this.lineJoin, "aria-hidden": "true" });
    }
}

// The stage as it is seen now.
export function stageSvg(stage) {
    const ctx = new SvgContext(stage.width, stage.height), pens = [stage, stage.pen, stage.pinned?.pen].filter(Boolean), own = stage.ctx;
    for (const pen of pens) pen.ctx = ctx;
    stage.changed = true;
    try {
        stage.draw();
    } finally {
        for (const pen of pens) pen.ctx = own;
        stage.changed = true;
    }
    return new XMLSerializer().serializeToString(ctx.svg);
}
